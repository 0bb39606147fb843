/* The values of one data page, without its nulls, in any encoding but dictionaries (dictionary.h). A decoder walks
 * forward only; pages are short enough to begin again.
 *
 * The page's bytes must stay where they are, with padding behind them, as long as the decoder or its views live. */
#ifndef WEIR_FORMAT_PARQUET_VALUES_H
#define WEIR_FORMAT_PARQUET_VALUES_H

#include "format/parquet/encoding_delta.h"
#include "format/parquet/encoding_rle.h"
#include "format/parquet/leaf.h"
#include "format/parquet/source.h"

#define WEIR_PARQUET_VIEW_BLOCK 256 /* views that are decoded at a time */

/* State of DELTA_BYTE_ARRAY: lengths decoded ahead, and the value before. */
typedef struct weir_parquet_front_coding {
    weir_parquet_delta prefixes;
    weir_parquet_delta suffixes;
    uint32_t prefix_sizes[WEIR_PARQUET_VIEW_BLOCK];
    uint32_t suffix_sizes[WEIR_PARQUET_VIEW_BLOCK];
    uint32_t position; /* in the sizes decoded ahead */
    uint32_t count;
    weir_parquet_view previous;
} weir_parquet_front_coding;

typedef struct weir_parquet_values {
    weir_parquet_source *source;
    const weir_parquet_leaf *leaf;
    weir_parquet_encoding encoding;
    const uint8_t *next; /* PLAIN; the bytes behind the lengths of DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY */
    const uint8_t *end;
    int64_t position;                 /* PLAIN booleans, BYTE_STREAM_SPLIT: values taken */
    int64_t count;                    /* and values there */
    weir_parquet_rle rle;             /* RLE booleans */
    weir_parquet_delta delta;         /* numbers, or lengths */
    weir_parquet_front_coding *front; /* owned; made when the first page needs it */
    weir_parquet_scratch assembled;   /* bytes that the page holds in pieces */
} weir_parquet_values;

void weir_parquet_values_free(weir_parquet_values *values);

/* Begins a page. An encoding that the physical type cannot have is WEIR_CORRUPT. */
int weir_parquet_values_begin(weir_parquet_values *values, weir_parquet_encoding encoding, weir_slice bytes,
                              weir_error *err);

/* Numbers at `width` bytes each. */
int weir_parquet_values_numbers(weir_parquet_values *values, int64_t count, uint8_t *out, weir_error *err);
/* Booleans as bits from bit `first` on. */
int weir_parquet_values_bits(weir_parquet_values *values, int64_t count, uint8_t *bits, int64_t first, weir_error *err);
/* 1 to WEIR_PARQUET_VIEW_BLOCK byte strings, not more than `max` (> 0). They stay until the next call. */
int weir_parquet_values_views(weir_parquet_values *values, int64_t max, weir_parquet_view *out, int64_t *out_count,
                              weir_error *err);
int weir_parquet_values_skip(weir_parquet_values *values, int64_t count, weir_error *err);

/* The next plain numbers in place, for PLAIN only: NULL when the encoding is another. */
static inline const uint8_t *weir_parquet_values_in_place(const weir_parquet_values *values)
{
    return values->encoding == WEIR_PARQUET_PLAIN ? values->next : NULL;
}

#endif
