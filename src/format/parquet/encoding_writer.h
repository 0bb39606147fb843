/* Encoding values and levels: PLAIN and the RLE/bit-packing hybrid. */
#ifndef WEIR_FORMAT_PARQUET_ENCODING_WRITER_H
#define WEIR_FORMAT_PARQUET_ENCODING_WRITER_H

#include "format/parquet/dense_values.h"

/* Appends values in the encoding PLAIN. BOOLEAN: packs them behind the `bit_count` bits that `out` holds already. */
void weir_plain_append(const weir_write_leaf *leaf, const weir_dense_values *values, size_t bit_count,
                       weir_buffer *out);

/* `count` numbers as big-endian two's complement of `width` bytes; instants as INT96. */
void weir_plain_encode_int128(const weir_int128 *values, size_t count, size_t width, uint8_t *out);
void weir_plain_encode_int96(const weir_timestamp_nanos *values, size_t count, uint8_t *out);

/* Bits that the numbers 0 .. `greatest` take; at least 1. */
int weir_rle_width(uint32_t greatest);

/* Appends numbers of `width` bits (1 .. 32) in the RLE/bit-packing hybrid, without a length before it. */
void weir_rle_append(const uint32_t *values, size_t count, int width, weir_buffer *out);

/* The same of `count` times one number, and of a bitmap (width 1, from bit 0 on). */
void weir_rle_append_run(uint32_t value, size_t count, int width, weir_buffer *out);
void weir_rle_append_bits(const uint8_t *bits, size_t count, weir_buffer *out);

#endif
