/* One column's way through the file: which row group and chunk it stands in, where the chunk's pages lie, and the bytes
 * of the current page, decompressed. What the page's values mean is column_reader.h's. */
#ifndef WEIR_FORMAT_PARQUET_CHUNK_READER_H
#define WEIR_FORMAT_PARQUET_CHUNK_READER_H

#include "format/parquet/footer.h"
#include "format/parquet/leaf.h"
#include "format/parquet/page_header.h"
#include "format/parquet/page_index.h"

typedef struct weir_parquet_chunk_reader {
    weir_parquet_source *source;
    const weir_parquet_footer *footer;
    const weir_parquet_leaf *leaf;

    int32_t row_group; /* -1: in none */
    const weir_parquet_row_group *group;
    const weir_parquet_chunk *chunk;

    /* Pages known so far: all of them from an offset index, or those that walking from header to header has found. */
    weir_parquet_page_location *pages; /* owned */
    size_t page_count;
    size_t page_capacity;
    bool indexed;
    uint64_t walk_offset; /* where the next header lies */
    int64_t walk_row;     /* the first row of the page there; -1: known when the last page has been read through */
    bool has_dictionary;
    uint64_t dictionary_offset;
    bool dictionary_loaded;    /* the body below is that of this chunk's dictionary page, decompressed */
    uint32_t dictionary_loads; /* how often that has happened */
    weir_parquet_scratch dictionary_body;
    weir_parquet_page_header dictionary_header;

    weir_parquet_window window; /* bytes read ahead: announced ones, and those of chunks without an index */

    /* The current page. */
    bool loaded;
    bool in_window; /* its bytes were not compressed, and lie in the window */
    size_t page;
    weir_parquet_page_header header;
    weir_parquet_scratch body;   /* decompressed */
    weir_parquet_scratch levels; /* of old bit-packed pages, made readable */
    weir_slice repetitions;      /* RLE, without the size before it */
    weir_slice definitions;
    weir_slice values;
} weir_parquet_chunk_reader;

void weir_parquet_chunk_reader_init(weir_parquet_chunk_reader *reader, weir_parquet_source *source,
                                    const weir_parquet_footer *footer, const weir_parquet_leaf *leaf);
void weir_parquet_chunk_reader_free(weir_parquet_chunk_reader *reader);

/* Goes to a row group; to the one it is in: does nothing. */
int weir_parquet_chunk_enter(weir_parquet_chunk_reader *reader, int32_t row_group, weir_error *err);

/* The page in which `row` (of the row group) begins, as far as pages are known: walks on where it can. *out_known is
 * false when only reading through the last known page can tell more; *out is that page then. */
int weir_parquet_chunk_find_page(weir_parquet_chunk_reader *reader, int64_t row, size_t *out, bool *out_known,
                                 weir_error *err);

/* Whether there is a page behind `page`; walks on to find it. */
int weir_parquet_chunk_has_page(weir_parquet_chunk_reader *reader, size_t page, bool *out, weir_error *err);

/* The row behind the page's last one, or -1 when not known before it is read through. */
int64_t weir_parquet_chunk_page_end(const weir_parquet_chunk_reader *reader, size_t page);

/* Makes `page` the current one: reads, decompresses and takes it apart. The chunk's dictionary page is loaded before
 * its first page. */
int weir_parquet_chunk_load_page(weir_parquet_chunk_reader *reader, size_t page, weir_error *err);

/* The bytes of the file that hold rows first .. first + count - 1 of the row group it is in, as far as is known. */
void weir_parquet_chunk_byte_range(const weir_parquet_chunk_reader *reader, int64_t first, int64_t count,
                                   uint64_t *out_start, size_t *out_size);

/* Makes the window those bytes, which the caller then reads into *out before anything else is asked. */
int weir_parquet_chunk_open_window(weir_parquet_chunk_reader *reader, uint64_t start, size_t size, uint8_t **out,
                                   weir_error *err);

#endif
