/* Expiring snapshots: snapshots that nobody needs any more go, and with them the files that only they name.
 *
 * Kept: at least snapshot.num-retained.min, those younger than snapshot.time-retained up to snapshot.num-retained.max,
 * everything from a consumer's next snapshot on; files that a tag or a branch needs. */
#ifndef WEIR_TABLE_EXPIRE_H
#define WEIR_TABLE_EXPIRE_H

#include "table/maintenance/expire_tags.h"

typedef struct weir_expire_options {
    int64_t retain_min; /* -1: the table's option */
    int64_t retain_max;
    int64_t older_than_ms; /* time of day before which snapshots may go; INT64_MIN: the table's option */
    int64_t limit;         /* how many may go at most; 0: the table's option */
} weir_expire_options;

/* *out_expired: how many snapshots went. Safe to repeat after a crash at any point. */
int weir_table_expire(const weir_table *table, const weir_expire_options *options, int64_t *out_expired,
                      weir_error *err);

/* The same for those who expire again and again: tags that are known are not read again. */
int weir_table_expire_knowing(const weir_table *table, const weir_expire_options *options, weir_tag_ids *known,
                              int64_t *out_expired, weir_error *err);

#endif
