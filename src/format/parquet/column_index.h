/* The page indexes of a column chunk: for each page its place and first row (OffsetIndex), and its least and greatest
 * value and number of nulls (ColumnIndex). */
#ifndef WEIR_FORMAT_PARQUET_COLUMN_INDEX_H
#define WEIR_FORMAT_PARQUET_COLUMN_INDEX_H

#include "format/parquet/value_range.h"

typedef struct weir_page_entry {
    uint64_t offset;   /* from the first data page of the chunk */
    uint32_t size;     /* compressed, header included */
    int64_t first_row; /* in the row group */
    int64_t null_count;
    bool has_value;
    weir_literal min; /* text truncated */
    weir_literal max;
} weir_page_entry;

typedef struct weir_column_index {
    weir_page_entry *pages;
    size_t page_count;
    size_t page_capacity;
    bool has_bounds;  /* of all pages so far that have values */
    weir_arena texts; /* of min and max */
} weir_column_index;

void weir_column_index_init(weir_column_index *index);
void weir_column_index_free(weir_column_index *index);
void weir_column_index_clear(weir_column_index *index);

/* Adds a page; `entry` but for its min and max, which are those of `range` as statistics may have them. */
void weir_column_index_add(weir_column_index *index, const weir_write_leaf *leaf, weir_page_entry entry,
                           const weir_value_range *range);

/* Appends the thrift ColumnIndex; nothing when a page has values without an order, a NaN for instance. */
void weir_column_index_write(const weir_column_index *index, const weir_write_leaf *leaf, weir_buffer *out);

/* Appends the thrift OffsetIndex; `pages_at` is where in the file the first data page begins. */
void weir_offset_index_write(const weir_column_index *index, uint64_t pages_at, weir_buffer *out);

#endif
