/* DELTA_BINARY_PACKED, also for the lengths inside the two delta encodings of byte arrays. Decodes piece by piece.
 *
 * Functions return false when the bytes are damaged or end before the asked values do. */
#ifndef WEIR_FORMAT_PARQUET_ENCODING_DELTA_H
#define WEIR_FORMAT_PARQUET_ENCODING_DELTA_H

#include "base/base.h"

#define WEIR_PARQUET_DELTA_STEP 32 /* miniblocks are multiples of it */

typedef struct weir_parquet_delta {
    const uint8_t *next; /* behind the current miniblock */
    const uint8_t *end;
    uint32_t miniblocks; /* in a block */
    uint32_t miniblock_values;
    uint64_t left; /* values not given yet */
    bool first;    /* the next one is `last` itself, from the header */
    uint64_t last; /* the value given or decoded last */
    uint64_t min_delta;
    const uint8_t *widths; /* of the current block's miniblocks */
    uint32_t miniblock;    /* the next one to enter */
    uint32_t width;
    uint32_t packed_left; /* values not decoded in the current miniblock */
    const uint8_t *packed;
    uint64_t step[WEIR_PARQUET_DELTA_STEP]; /* decoded and not given yet */
    uint32_t step_position;
    uint32_t step_count;
} weir_parquet_delta;

/* `bytes` lie in a page buffer (bit_unpack.h). */
bool weir_parquet_delta_init(weir_parquet_delta *delta, weir_slice bytes);

/* The next `count` values. False: the page is damaged, or holds no more. */
bool weir_parquet_delta_read(weir_parquet_delta *delta, int64_t count, uint64_t *out);
bool weir_parquet_delta_read_32(weir_parquet_delta *delta, int64_t count, uint32_t *out); /* the low halves */
bool weir_parquet_delta_skip(weir_parquet_delta *delta, int64_t count);

/* Where the values' bytes end, without decoding them. On a fresh decoder only. */
bool weir_parquet_delta_find_end(const weir_parquet_delta *delta, const uint8_t **out);

#endif
