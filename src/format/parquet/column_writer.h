/* A leaf column while its row group is being written: vectors in, finished pages kept until the flush. */
#ifndef WEIR_FORMAT_PARQUET_COLUMN_WRITER_H
#define WEIR_FORMAT_PARQUET_COLUMN_WRITER_H

#include "format/parquet/column_index.h"
#include "format/parquet/dictionary_builder.h"
#include "format/parquet/levels_writer.h"
#include "format/parquet/page_writer.h"
#include "fs/fs.h"

/* What the columns of a file share: how to write, and memory for one at a time. */
typedef struct weir_column_context {
    weir_page_codec codec;
    int64_t page_rows;
    size_t page_bytes;
    bool no_dictionary;
    weir_dense_scratch scratch;
    weir_levels levels;
    weir_buffer dictionary_page;
} weir_column_context;

void weir_column_context_free(weir_column_context *context);

/* A finished column chunk, as the footer describes it. */
typedef struct weir_column_chunk {
    bool has_dictionary;
    uint64_t dictionary_page_offset;
    uint64_t data_page_offset;
    uint64_t compressed_size; /* both with the headers of pages */
    uint64_t uncompressed_size;
    int64_t level_count; /* values and nulls */
    int64_t null_count;
    bool has_bounds;
    weir_slice min; /* as statistics hold them */
    weir_slice max;
    size_t dictionary_coded_pages;
    size_t plain_pages;
    uint64_t column_index_offset; /* in the collected indexes; the footer adds where they begin */
    size_t column_index_size;     /* 0: none */
    uint64_t offset_index_offset;
    size_t offset_index_size;
} weir_column_chunk;

/* Whether values become numbers of a dictionary. */
typedef enum weir_dictionary_use {
    WEIR_DICTIONARY_TRIED, /* so far; decided by the first values of the chunk */
    WEIR_DICTIONARY_USED,
    WEIR_DICTIONARY_UNUSED
} weir_dictionary_use;

/* The page that is being filled. */
typedef struct weir_open_page {
    int64_t row_count;
    size_t level_count;
    size_t value_count; /* that are not null */
    size_t plain_size;  /* of the values, were they PLAIN */
    bool has_nulls;
    weir_buffer validity;   /* bits, of a flat column that has nulls here */
    weir_buffer definition; /* bytes, of nested columns */
    weir_buffer repetition;
    weir_buffer plain;
    weir_buffer numbers; /* uint32_t */
    weir_value_range range;
} weir_open_page;

typedef struct weir_column_writer {
    const weir_write_leaf *leaf;
    bool is_flat; /* a column of its own, not part of a nested one */
    weir_open_page page;
    /* The chunk. */
    weir_dictionary_use dictionary_use;
    weir_dictionary dictionary;
    weir_buffer pages; /* finished */
    weir_column_index index;
    weir_value_range chunk_range;
    weir_column_chunk chunk; /* sizes and counts so far */
    int64_t row_count;       /* the open page's included */
    /* The file. */
    weir_value_range file_range;
    int64_t file_null_count;
    uint64_t file_compressed_size; /* of finished pages, for the estimate of the open one */
    uint64_t file_uncompressed_size;
} weir_column_writer;

void weir_column_writer_init(weir_column_writer *writer, const weir_write_leaf *leaf);
void weir_column_writer_free(weir_column_writer *writer);

/* Appends rows of the top-level column that the leaf is part of. */
int weir_column_writer_append(weir_column_writer *writer, weir_column_context *context, const weir_vector *vector,
                              int64_t first, int64_t count, weir_error *err);

/* Bytes that a flush would write, the open page estimated. */
uint64_t weir_column_writer_pending(const weir_column_writer *writer);

/* Writes the chunk, appends its page indexes to the buffers, and starts a new one. Statistics lie in `arena`. */
int weir_column_writer_flush(weir_column_writer *writer, weir_column_context *context, weir_output *output,
                             weir_buffer *column_indexes, weir_buffer *offset_indexes, weir_arena *arena,
                             weir_column_chunk *out, weir_error *err);

#endif
