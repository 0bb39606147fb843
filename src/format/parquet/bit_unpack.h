/* Unpacking numbers of a fixed bit width, least significant bit first, as RLE and delta encodings hold them.
 *
 * Loads go in whole words: up to WEIR_PARQUET_PADDING bytes after the last packed one are read (and ignored), so the
 * bytes must lie in a page buffer. */
#ifndef WEIR_FORMAT_PARQUET_BIT_UNPACK_H
#define WEIR_FORMAT_PARQUET_BIT_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Values first .. first + count - 1 of `in`, which holds `width` (0..32) bits each. */
void weir_parquet_unpack_32(const uint8_t *in, uint32_t width, uint64_t first, size_t count, uint32_t *out);

/* 32 values of `width` (0..64) bits from the beginning of `in`. */
void weir_parquet_unpack_64(const uint8_t *in, uint32_t width, uint64_t out[32]);

#endif
