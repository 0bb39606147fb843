/* The header before every page. */
#ifndef WEIR_FORMAT_PARQUET_PAGE_HEADER_H
#define WEIR_FORMAT_PARQUET_PAGE_HEADER_H

#include "base/base.h"
#include "format/parquet/format_enums.h"

typedef struct weir_parquet_page_header {
    uint32_t header_size;
    weir_parquet_page type;
    uint32_t compressed_size;
    uint32_t uncompressed_size;
    int32_t value_count; /* with nulls */
    weir_parquet_encoding encoding;
    weir_parquet_encoding definition_encoding; /* v1 */
    weir_parquet_encoding repetition_encoding; /* v1 */
    int32_t null_count;                        /* v2; -1: unknown */
    int32_t row_count;                         /* v2; -1: unknown */
    uint32_t definition_bytes;                 /* v2 */
    uint32_t repetition_bytes;                 /* v2 */
    bool is_compressed;                        /* false only in v2 */
} weir_parquet_page_header;

/* Reads the header at the beginning of `bytes`. When it does not end there and `more_follows`, *needs_more is set
 * instead of failing. */
int weir_parquet_page_header_read(weir_slice bytes, bool more_follows, const char *path, weir_parquet_page_header *out,
                                  bool *needs_more, weir_error *err);

#endif
