/* Tables whose rows wait for their bucket ('bucket' = '-2'): how many buckets a partition has, and the compaction that
 * gives the rows to them. Used by the files of writing and compacting. */
#ifndef WEIR_TABLE_POSTPONED_H
#define WEIR_TABLE_POSTPONED_H

#include "table/commit/bucket_files.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"

/* Whether a table is such a one. */
bool weir_table_is_postponed(const weir_table *table);

/* The number of buckets of a partition: what its files say, or postpone.default-bucket-num. `files` must be read. */
int weir_postponed_bucket_count(const weir_table *table, const weir_bucket_files *files, weir_slice partition,
                                int32_t *out, weir_error *err);

/* The bucket of each row of a batch. */
int weir_postponed_buckets(const weir_table *table, const weir_bucket_files *files, const weir_batch *batch,
                           int32_t *out_buckets, weir_error *err);

/* Writes the rows that wait, of the partitions chosen, to `write`, which was opened to compact. *out_any: there are
 * some. */
int weir_postponed_rows_write(const weir_table *table, const weir_bucket_files *files,
                              const weir_compact_choice *choice, weir_table_write *write, bool *out_any,
                              weir_error *err);

/* After the prepare that follows: what is new becomes the result of a compaction, of which the files with the rows that
 * waited are what was before; these messages are added in `arena`. */
int weir_postponed_rows_finish(const weir_table *table, const weir_bucket_files *files,
                               const weir_compact_choice *choice, weir_arena *arena, weir_commit_messages *messages,
                               weir_error *err);

#endif
