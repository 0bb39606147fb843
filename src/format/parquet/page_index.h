/* The page indexes of a column chunk: where its pages lie, and bounds of each. */
#ifndef WEIR_FORMAT_PARQUET_PAGE_INDEX_H
#define WEIR_FORMAT_PARQUET_PAGE_INDEX_H

#include "format/parquet/footer.h"

typedef struct weir_parquet_page_location {
    uint64_t offset;   /* of the page's header in the file */
    uint32_t size;     /* header and body; 0: not known before the header is read */
    int64_t first_row; /* in the row group */
} weir_parquet_page_location;

/* Reads the offset index into malloc'd locations, checked: inside the chunk, ascending in both, from row 0 on. */
int weir_parquet_offset_index_read(weir_parquet_source *source, const weir_parquet_chunk *chunk, int64_t row_count,
                                   weir_parquet_page_location **out, size_t *out_count, weir_error *err);

/* Reads the column index: the statistics of `page_count` pages in `arena`; a page of nulls only has no bounds and
 * null_count INT64_MAX. An index of another length gives none (*out NULL). */
int weir_parquet_column_index_read(weir_parquet_source *source, const weir_parquet_chunk *chunk, size_t page_count,
                                   weir_arena *arena, weir_parquet_statistics **out, weir_error *err);

#endif
