/* OffsetIndex and ColumnIndex of parquet.thrift. */
#include "format/parquet/page_index.h"

#include <stdlib.h>

#include "format/parquet/thrift_reader.h"

#define MIN_LOCATION_BYTES 7

/* Larger ones do not occur: a page takes some twenty bytes in an offset index. */
#define MAX_INDEX_BYTES (256u << 20)

static int load_index(weir_parquet_source *source, uint64_t start, uint32_t size, weir_parquet_scratch *out,
                      weir_error *err)
{
    if (size > MAX_INDEX_BYTES) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a page index of %u bytes", source->path, size);
    }
    WEIR_TRY(weir_parquet_scratch_reserve(source, out, size, 0, err));
    return weir_parquet_source_read(source, start, out->data, size, err);
}

static void read_location(weir_thrift_reader *reader, weir_parquet_page_location *out)
{
    weir_thrift_field field = {0};
    int64_t offset = -1;
    int32_t size = -1;
    out->first_row = -1;
    weir_thrift_struct(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_STRUCT));
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            offset = weir_thrift_i64(reader, field);
            break;
        case 2:
            size = weir_thrift_i32(reader, field);
            break;
        case 3:
            out->first_row = weir_thrift_i64(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (offset < 0 || size <= 0 || out->first_row < 0) {
        weir_thrift_fail(reader, "a page location is incomplete");
    }
    out->offset = (uint64_t)offset;
    out->size = (uint32_t)size;
}

static weir_parquet_page_location *read_locations(weir_thrift_reader *reader, uint32_t *out_count)
{
    weir_parquet_page_location *locations = NULL;
    weir_thrift_field field = {0};
    while (weir_thrift_next(reader, &field)) {
        if (field.id != 1 || locations != NULL) {
            weir_thrift_skip(reader, field);
            continue;
        }
        uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_STRUCT, MIN_LOCATION_BYTES);
        locations = weir_alloc_zeroed(count + 1, sizeof *locations);
        for (uint32_t i = 0; i < count && reader->problem == NULL; i++) {
            read_location(reader, &locations[i]);
        }
        *out_count = count;
    }
    return locations;
}

static bool locations_fit(const weir_parquet_page_location *locations, uint32_t count, const weir_parquet_chunk *chunk,
                          int64_t row_count)
{
    uint64_t offset = chunk->start;
    int64_t row = 0;
    if (count == 0 || locations[0].first_row != 0) {
        return count == 0 && row_count == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const weir_parquet_page_location *page = &locations[i];
        if (page->offset < offset || page->offset > chunk->start + chunk->size ||
            page->size > chunk->start + chunk->size - page->offset || page->first_row < row ||
            page->first_row > row_count) {
            return false;
        }
        offset = page->offset + page->size;
        row = page->first_row;
    }
    return true;
}

int weir_parquet_offset_index_read(weir_parquet_source *source, const weir_parquet_chunk *chunk, int64_t row_count,
                                   weir_parquet_page_location **out, size_t *out_count, weir_error *err)
{
    weir_parquet_scratch bytes = {0};
    weir_parquet_page_location *locations = NULL;
    uint32_t count = 0;
    weir_thrift_reader reader;
    int code;
    WEIR_GO(load_index(source, chunk->offset_index_start, chunk->offset_index_size, &bytes, err));
    weir_thrift_init(&reader, weir_slice_of(bytes.data, chunk->offset_index_size));
    locations = read_locations(&reader, &count);
    WEIR_GO(weir_thrift_check(&reader, source->path, "offset index", err));
    if (!locations_fit(locations, count, chunk, row_count)) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: the pages of an offset index do not lie in their column chunk",
                         source->path);
        goto done;
    }
    *out = locations;
    *out_count = count;
    locations = NULL;
done:
    free(locations);
    weir_parquet_scratch_free(source, &bytes);
    return code;
}

/* --- the column index ------------------------------------------------------------------------------------------- */

typedef struct column_index {
    weir_parquet_statistics *pages;
    bool *null_pages;
    uint32_t page_count;
    bool fits; /* every list has page_count entries */
    bool has_null_pages;
    bool has_min;
    bool has_max;
} column_index;

static void read_null_pages(weir_thrift_reader *reader, weir_thrift_field field, column_index *index)
{
    uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_TRUE, 1);
    index->fits &= count == index->page_count;
    for (uint32_t i = 0; i < count; i++) {
        bool value = weir_thrift_bool(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_TRUE));
        if (i < index->page_count) {
            index->null_pages[i] = value;
        }
    }
    index->has_null_pages = true;
}

static void read_bounds(weir_thrift_reader *reader, weir_thrift_field field, column_index *index, bool is_min)
{
    uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_BINARY, 1);
    index->fits &= count == index->page_count;
    for (uint32_t i = 0; i < count; i++) {
        weir_slice value = weir_thrift_binary(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_BINARY));
        if (i < index->page_count && is_min) {
            index->pages[i].min = value;
        } else if (i < index->page_count) {
            index->pages[i].max = value;
        }
    }
    index->has_min |= is_min;
    index->has_max |= !is_min;
}

static void read_null_counts(weir_thrift_reader *reader, weir_thrift_field field, column_index *index)
{
    uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_I64, 1);
    index->fits &= count == index->page_count;
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = weir_thrift_i64(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_I64));
        if (i < index->page_count) {
            index->pages[i].null_count = value;
        }
    }
}

static void read_column_index(weir_thrift_reader *reader, column_index *index)
{
    weir_thrift_field field = {0};
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            read_null_pages(reader, field, index);
            break;
        case 2:
            read_bounds(reader, field, index, true);
            break;
        case 3:
            read_bounds(reader, field, index, false);
            break;
        case 5:
            read_null_counts(reader, field, index);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    index->fits &= index->has_null_pages && index->has_min && index->has_max;
    for (uint32_t i = 0; i < index->page_count; i++) {
        index->pages[i].has_min = index->pages[i].has_max = !index->null_pages[i];
        if (index->null_pages[i]) {
            index->pages[i].null_count = INT64_MAX;
        }
    }
}

int weir_parquet_column_index_read(weir_parquet_source *source, const weir_parquet_chunk *chunk, size_t page_count,
                                   weir_arena *arena, weir_parquet_statistics **out, weir_error *err)
{
    weir_parquet_scratch bytes = {0};
    weir_thrift_reader reader;
    int code;
    *out = NULL;
    if (page_count == 0 || page_count > chunk->column_index_size) { /* each page takes more than a byte */
        return WEIR_OK;
    }
    column_index index = {.page_count = (uint32_t)page_count, .fits = true};
    WEIR_GO(load_index(source, chunk->column_index_start, chunk->column_index_size, &bytes, err));
    const uint8_t *copy = weir_arena_copy(arena, bytes.data, chunk->column_index_size); /* bounds point into it */
    index.pages = WEIR_NEW_ARRAY(arena, weir_parquet_statistics, page_count);
    index.null_pages = WEIR_NEW_ARRAY(arena, bool, page_count);
    for (size_t i = 0; i < page_count; i++) {
        index.pages[i].null_count = -1;
    }
    weir_thrift_init(&reader, weir_slice_of(copy, chunk->column_index_size));
    read_column_index(&reader, &index);
    WEIR_GO(weir_thrift_check(&reader, source->path, "column index", err));
    *out = index.fits ? index.pages : NULL;
done:
    weir_parquet_scratch_free(source, &bytes);
    return code;
}
