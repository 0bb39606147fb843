/* Rows as bytes, small and quick to make: what operators keep of rows in state. Any type, nested too.
 *
 *   | format version: 1 | null bits: (n + 7) / 8 | values that are not NULL, one after the other |
 *
 * Fixed-width values as they lie in a vector, little-endian; text with a length of 1 to 5 bytes before it; lists with
 * their length, then their elements; structs as rows. Equal rows have equal bytes (all NaNs are made one; 0.0 and -0.0
 * differ), so bytes can be compared and hashed; their order means nothing (sort_key.h is for that). */
#ifndef WEIR_STREAM_ROW_CODEC_H
#define WEIR_STREAM_ROW_CODEC_H

#include "vector/vector.h"

/* Appends the bytes of one row: the given columns (NULL: all). */
int weir_row_encode(const weir_batch *batch, const int32_t *columns, int32_t column_count, int64_t row,
                    weir_buffer *out, weir_error *err);

/* The same of all rows: offsets[0 .. length] into `out` (as it was before: nothing is cleared). `offsets` has room for
 * batch->length + 1. */
int weir_rows_encode(const weir_batch *batch, const int32_t *columns, int32_t column_count, weir_buffer *out,
                     uint32_t *offsets, weir_error *err);

/* Appends a row to the columns first .. first + count - 1 of `out`, whose length is left alone. WEIR_CORRUPT when the
 * bytes are not such a row; the columns are then only good for clearing. */
int weir_row_decode(weir_slice bytes, weir_batch *out, int32_t first, int32_t count, weir_error *err);

#endif
