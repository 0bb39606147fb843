/* DELETE of whole partitions. Used by delete.c. */
#ifndef WEIR_SESSION_DELETE_PARTITIONS_H
#define WEIR_SESSION_DELETE_PARTITIONS_H

#include "session/sql_table.h"

/* Whether the condition of a bound DELETE looks at partition columns alone. */
bool weir_delete_is_of_partitions(const weir_bound *bound);

/* Drops the partitions whose rows match, in one commit. */
int weir_delete_partitions(weir_session *session, const weir_bound *bound, weir_result **out, weir_error *err);

#endif
