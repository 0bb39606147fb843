/* What values.c and values_bytes.c share. */
#ifndef WEIR_FORMAT_PARQUET_VALUES_INTERNAL_H
#define WEIR_FORMAT_PARQUET_VALUES_INTERNAL_H

#include "format/parquet/values.h"

int weir_parquet_values_too_short(const weir_parquet_values *values, weir_error *err);
int weir_parquet_join_streams(weir_parquet_values *values, int64_t count, uint8_t *out, weir_error *err);
int weir_parquet_begin_delta_length(weir_parquet_values *values, weir_slice bytes, weir_error *err);
int weir_parquet_begin_front_coding(weir_parquet_values *values, weir_slice bytes, weir_error *err);
int weir_parquet_skip_plain_bytes(weir_parquet_values *values, int64_t count, weir_error *err);
int weir_parquet_skip_views(weir_parquet_values *values, int64_t count, weir_error *err);

#endif
