/* The hybrid of run lengths and bit packing, which levels, dictionary indexes and booleans are written in.
 *
 * Functions return false when the bytes end before the asked values do. */
#ifndef WEIR_FORMAT_PARQUET_ENCODING_RLE_H
#define WEIR_FORMAT_PARQUET_ENCODING_RLE_H

#include "base/base.h"

typedef struct weir_parquet_rle {
    const uint8_t *next; /* the head of the run after the current one */
    const uint8_t *end;
    uint32_t width; /* bits of a value, 0..32 */
    uint64_t left;  /* values left in the current run */
    bool packed;    /* the current run is bit-packed */
    uint32_t value; /* of a run of equal values */
    const uint8_t *packed_bytes;
    uint64_t packed_position; /* values taken from them */
} weir_parquet_rle;

/* `bytes` lie in a page buffer (bit_unpack.h). */
void weir_parquet_rle_init(weir_parquet_rle *rle, weir_slice bytes, uint32_t width);

/* The next `count` values. False: the page is damaged, or holds no more; so do those below. */
bool weir_parquet_rle_read(weir_parquet_rle *rle, int64_t count, uint32_t *out);
bool weir_parquet_rle_read_bytes(weir_parquet_rle *rle, int64_t count, uint8_t *out); /* width <= 8 */

/* Width 1: into a bitmap from bit `first` on. Adds the number of ones to *ones. */
bool weir_parquet_rle_read_bits(weir_parquet_rle *rle, int64_t count, uint8_t *bits, int64_t first, int64_t *ones);

/* Moves over `count` values. */
bool weir_parquet_rle_skip(weir_parquet_rle *rle, int64_t count);
bool weir_parquet_rle_skip_bits(weir_parquet_rle *rle, int64_t count, int64_t *ones); /* the same for width 1 */

/* Whether the next `count` values are one run of `value`; does not move. */
bool weir_parquet_rle_is_run(const weir_parquet_rle *rle, int64_t count, uint32_t value);

#endif
