/* Dynamic buckets: which bucket each row goes to, by an index of the keys that are there. Used by the files of writing.
 *
 * A key stays in the bucket that it was given first. A new one goes to a bucket that has fewer keys than
 * dynamic-bucket.target-row-num, or to a new one. Keys are told apart by a hash of 32 bits, as in Paimon: two with the
 * same hash share a bucket, which is all that the index says. */
#ifndef WEIR_TABLE_BUCKET_ASSIGNER_H
#define WEIR_TABLE_BUCKET_ASSIGNER_H

#include "lsm/commit_message.h"
#include "table/table.h"

typedef struct weir_bucket_assigner weir_bucket_assigner;

/* `overwrite`: earlier keys are not looked at. */
int weir_bucket_assigner_open(const weir_table *table, bool overwrite, weir_bucket_assigner **out, weir_error *err);

/* The bucket of every row of a batch, but for those of the kinds in `dropped_kinds` (a bit a kind). The index of a
 * partition is read from the latest snapshot when its first row comes. */
int weir_bucket_assigner_assign(weir_bucket_assigner *assigner, const weir_batch *batch, uint8_t dropped_kinds,
                                int32_t *out_buckets, weir_error *err);

/* Writes the index files of buckets with new keys and puts them into the messages from `first` on, in `arena`. Lets go
 * of partitions that had no row since the last call: what that gave must be committed by now. */
int weir_bucket_assigner_prepare(weir_bucket_assigner *assigner, weir_arena *arena, weir_commit_messages *messages,
                                 size_t first, weir_error *err);

/* Forgets everything, also what was not prepared. */
void weir_bucket_assigner_reset(weir_bucket_assigner *assigner);
void weir_bucket_assigner_close(weir_bucket_assigner *assigner);

#endif
