/* Partitions of a Paimon table by name: SHOW PARTITIONS, and ALTER TABLE … ADD and DROP PARTITION. */
#ifndef WEIR_SESSION_PARTITIONS_H
#define WEIR_SESSION_PARTITIONS_H

#include "session/table/sql_table.h"

/* The texts "dt=a/hr=7" of the partitions that hold files and that PARTITION (…) lets through, in byte order, in
 * `arena`. Columns and values of `wanted` are checked where they stand. */
int weir_partitions_list(const weir_session_table *table, const weir_ast_options *wanted, weir_arena *arena,
                         const char ***out, size_t *out_count, weir_error *err);

/* Drops the rows of all partitions that PARTITION (…) lets through, in one snapshot. */
int weir_partitions_drop(const weir_session_table *table, const weir_ast_options *wanted, weir_error *err);

#endif
