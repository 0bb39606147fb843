/* Bucket functions: which bucket a row belongs to.
 *
 * Source of truth: org.apache.paimon.bucket.* and MurmurHashUtils (Murmur3-32, seed 42, over the BinaryRow). */
#ifndef WEIR_VECTOR_BUCKET_H
#define WEIR_VECTOR_BUCKET_H

#include "vector/vector.h"

typedef enum weir_bucket_function { WEIR_BUCKET_DEFAULT, WEIR_BUCKET_MOD, WEIR_BUCKET_HIVE } weir_bucket_function;

/* Murmur3-32 with seed 42 of a BinaryRow (a multiple of 8 bytes). */
int32_t weir_binary_row_hash(weir_slice row);

/* The hash of the given columns of every row of a batch, as of their BinaryRow. */
int weir_batch_hash(const weir_batch *batch, const int32_t *columns, int32_t column_count, int32_t *out_hashes,
                    weir_error *err);

/* The bucket of every row of a batch, 0 .. bucket_count - 1. */
int weir_batch_buckets(weir_bucket_function function, const weir_batch *batch, const int32_t *columns,
                       int32_t column_count, int32_t bucket_count, int32_t *out_buckets, weir_error *err);

#endif
