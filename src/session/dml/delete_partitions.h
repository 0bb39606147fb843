/* DELETE of whole partitions, and which partitions a condition means. Used by delete.c and by procedures. */
#ifndef WEIR_SESSION_DELETE_PARTITIONS_H
#define WEIR_SESSION_DELETE_PARTITIONS_H

#include "session/table/sql_table.h"

/* Whether the condition of a bound DELETE looks at partition columns alone. */
bool weir_delete_is_of_partitions(const weir_bound *bound);

/* Drops the partitions whose rows match, in one commit. */
int weir_delete_partitions(weir_session *session, const weir_bound *bound, weir_result **out, weir_error *err);

/* The partitions whose rows the condition of a bound DELETE matches, a literal a partition key each, in `arena`. */
int weir_partitions_of_condition(weir_session *session, const weir_bound *bound, weir_arena *arena,
                                 const weir_literal *const *const **out, int32_t *out_count, weir_error *err);

#endif
