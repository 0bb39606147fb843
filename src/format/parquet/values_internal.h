/* What values.c and values_bytes.c share. */
#ifndef WEIR_FORMAT_PARQUET_VALUES_INTERNAL_H
#define WEIR_FORMAT_PARQUET_VALUES_INTERNAL_H

#include "format/parquet/values.h"

/* Fails with WEIR_CORRUPT: the page does not hold the values that it says it has. So do the others below. */
int weir_parquet_values_too_short(const weir_parquet_values *values, weir_error *err);
/* BYTE_STREAM_SPLIT: puts the next `count` values together out of their bytes, which lie in a stream each. `out` has
 * room for them. */
int weir_parquet_join_streams(weir_parquet_values *values, int64_t count, uint8_t *out, weir_error *err);
/* Begin a page of DELTA_LENGTH_BYTE_ARRAY, and of DELTA_BYTE_ARRAY. `bytes`, the page's, outlive its values. */
int weir_parquet_begin_delta_length(weir_parquet_values *values, weir_slice bytes, weir_error *err);
int weir_parquet_begin_front_coding(weir_parquet_values *values, weir_slice bytes, weir_error *err);
/* Move over `count` values: PLAIN ones with their lengths before them, and any whose values are views. */
int weir_parquet_skip_plain_bytes(weir_parquet_values *values, int64_t count, weir_error *err);
int weir_parquet_skip_views(weir_parquet_values *values, int64_t count, weir_error *err);

#endif
