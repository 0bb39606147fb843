/* Pages: levels and values as one compressed body behind a thrift header. */
#ifndef WEIR_FORMAT_PARQUET_PAGE_WRITER_H
#define WEIR_FORMAT_PARQUET_PAGE_WRITER_H

#include "format/compression.h"
#include "format/parquet/thrift_writer.h"

typedef struct weir_page_codec {
    weir_compression compression;
    weir_parquet_codec codec; /* as the footer names it */
    int level;
    weir_buffer body; /* scratch */
    weir_buffer wide_levels;
    weir_buffer compressed;
} weir_page_codec;

/* What a data page (v1) holds. */
typedef struct weir_data_page {
    size_t level_count; /* values and nulls */
    uint8_t max_definition;
    uint8_t max_repetition;
    const uint8_t *definition; /* a byte each; NULL: see validity */
    const uint8_t *repetition;
    const uint8_t *validity; /* instead of `definition` where max_definition is 1; NULL: no nulls */
    bool uses_dictionary;    /* then the values are `numbers`, else `plain` */
    const uint32_t *numbers;
    size_t number_count;
    int number_width;
    weir_slice plain;
} weir_data_page;

/* Append a page to `out`; *uncompressed_size is that of the page, header included. */
int weir_page_write_data(weir_page_codec *codec, const weir_data_page *page, weir_buffer *out,
                         uint64_t *uncompressed_size, weir_error *err);
int weir_page_write_dictionary(weir_page_codec *codec, weir_slice plain, size_t value_count, weir_buffer *out,
                               uint64_t *uncompressed_size, weir_error *err);

void weir_page_codec_free(weir_page_codec *codec);

#endif
