/* The footer: what is in the file and where. */
#ifndef WEIR_FORMAT_PARQUET_FOOTER_WRITER_H
#define WEIR_FORMAT_PARQUET_FOOTER_WRITER_H

#include "format/parquet/column_writer.h"

typedef struct weir_written_row_group {
    int64_t row_count;
    weir_column_chunk *chunks; /* one a leaf */
} weir_written_row_group;

typedef struct weir_footer_content {
    const weir_write_schema *schema;
    const weir_written_row_group *row_groups;
    size_t row_group_count;
    weir_parquet_codec codec;
    uint64_t column_indexes_at; /* where the collected indexes begin */
    uint64_t offset_indexes_at;
} weir_footer_content;

/* Appends the thrift FileMetaData, without its length and the magic bytes. */
void weir_footer_write(const weir_footer_content *content, weir_buffer *out);

#endif
