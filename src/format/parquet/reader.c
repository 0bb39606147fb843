/* Opening a Parquet file, and the way from a requested column to the readers of its leaves. */
#include "format/parquet/reader.h"

#include <stdlib.h>

#include "format/parquet/assemble.h"
#include "format/parquet/parquet.h"

/* Gathering nested values decodes everything between wanted rows that are nearer than this. */
#define NEAR_ROWS 16

/* Rows of nested columns that are decoded together at most. */
#define NESTED_SPAN_ROWS 4096

/* Bytes of one leaf that are fetched ahead at a time; the rest is read when it is needed. */
#define PREFETCH_BYTES (8u << 20)

static weir_parquet_reader *reader_of(weir_format_reader *base) { return (weir_parquet_reader *)(void *)base; }

/* The reader of a leaf, made when first asked for. */
static weir_parquet_column_reader *leaf_reader(weir_parquet_reader *reader, int32_t leaf)
{
    if (reader->columns[leaf] == NULL) {
        weir_parquet_column_reader *column = weir_alloc(sizeof *column);
        weir_parquet_column_reader_init(column, &reader->source, reader->footer, &reader->projection.leaves[leaf]);
        reader->columns[leaf] = column;
    }
    return reader->columns[leaf];
}

static bool is_flat(const weir_parquet_reader *reader, const weir_parquet_column *column)
{
    return column->child_count == 0 && weir_parquet_leaf_is_flat(&reader->projection.leaves[column->leaf]);
}

static int check_rows(const weir_parquet_reader *reader, int32_t column, int64_t first, int64_t count, weir_error *err)
{
    if (column < 0 || column >= reader->projection.column_count || first < 0 || count < 0 ||
        first > reader->base.row_count - count) {
        return weir_fail(err, WEIR_INVALID, "%s: rows %" PRId64 " to %" PRId64 " of column %d do not exist",
                         reader->source.path, first, first + count, column);
    }
    return WEIR_OK;
}

/* Appends the places of all leaves under `column`. */
static int read_leaves(weir_parquet_reader *reader, const weir_parquet_column *column, int64_t first, int64_t count,
                       weir_vector *out, weir_error *err)
{
    if (column->child_count == 0) {
        return weir_parquet_nested_read(leaf_reader(reader, column->leaf), first, count, out, err);
    }
    for (int32_t i = 0; i < column->child_count; i++) {
        WEIR_TRY(read_leaves(reader, &column->children[i], first, count, &out->children[i], err));
    }
    return WEIR_OK;
}

static int read_nested(weir_parquet_reader *reader, const weir_parquet_column *column, int64_t first, int64_t count,
                       weir_vector *out, weir_error *err)
{
    int64_t length = out->length;
    WEIR_TRY(read_leaves(reader, column, first, count, out, err));
    WEIR_TRY(weir_parquet_assemble(column, reader->columns, out, reader->source.path, err));
    if (out->length != length + count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: column %s has another number of rows than its row group",
                         reader->source.path, reader->projection.leaves[column->leaf].name);
    }
    return WEIR_OK;
}

static int read_column(weir_format_reader *base, int32_t column, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    weir_parquet_reader *reader = reader_of(base);
    WEIR_TRY(check_rows(reader, column, first, count, err));
    const weir_parquet_column *requested = &reader->projection.columns[column];
    if (count == 0) {
        return WEIR_OK;
    }
    if (is_flat(reader, requested)) {
        return weir_parquet_column_read(leaf_reader(reader, requested->leaf), first, count, out, err);
    }
    return read_nested(reader, requested, first, count, out, err);
}

/* --- gathering -------------------------------------------------------------------------------------------------- */

static weir_vector *picked_of(weir_parquet_reader *reader, int32_t column)
{
    if (reader->picked[column] == NULL) {
        reader->picked[column] = weir_alloc(sizeof(weir_vector));
        weir_vector_init(reader->picked[column], reader->projection.columns[column].type);
    }
    weir_vector_clear(reader->picked[column]);
    return reader->picked[column];
}

/* How many of `rows` lie near enough to each other to be decoded together. */
static int64_t near_rows(const uint32_t *rows, int64_t count)
{
    int64_t size = 1;
    while (size < count && size < NESTED_SPAN_ROWS && rows[size] - rows[0] < NESTED_SPAN_ROWS &&
           rows[size] - rows[size - 1] <= NEAR_ROWS) {
        size++;
    }
    return size;
}

static int gather_nested(weir_parquet_reader *reader, int32_t column, int64_t base, const uint32_t *rows, int64_t count,
                         weir_vector *out, weir_error *err)
{
    uint32_t picks[NESTED_SPAN_ROWS];
    for (int64_t done = 0; done < count;) {
        const uint32_t *wanted = rows + done;
        int64_t size = near_rows(wanted, count - done);
        weir_vector *picked = picked_of(reader, column);
        for (int64_t i = 0; i < size; i++) {
            picks[i] = wanted[i] - wanted[0];
        }
        WEIR_TRY(read_nested(reader, &reader->projection.columns[column], base + wanted[0],
                             (int64_t)wanted[size - 1] - wanted[0] + 1, picked, err));
        WEIR_TRY(weir_vector_append_rows(out, picked, picks, size, err));
        done += size;
    }
    return WEIR_OK;
}

static int gather_column(weir_format_reader *base, int32_t column, int64_t first, const uint32_t *rows, int64_t count,
                         weir_vector *out, weir_error *err)
{
    weir_parquet_reader *reader = reader_of(base);
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(check_rows(reader, column, first + rows[0], (int64_t)rows[count - 1] - rows[0] + 1, err));
    const weir_parquet_column *requested = &reader->projection.columns[column];
    if (is_flat(reader, requested)) {
        return weir_parquet_column_gather(leaf_reader(reader, requested->leaf), first, rows, count, out, err);
    }
    return gather_nested(reader, column, first, rows, count, out, err);
}

/* --- prefetching ------------------------------------------------------------------------------------------------ */

/* Announces the bytes of one leaf; with nothing to fetch the range's size is 0. */
static int announce_leaf(weir_parquet_reader *reader, int32_t leaf, int64_t first, int64_t count, weir_read_range *out,
                         weir_error *err)
{
    weir_parquet_chunk_reader *chunk = &leaf_reader(reader, leaf)->chunk;
    uint64_t start;
    size_t size;
    *out = (weir_read_range){0};
    WEIR_TRY(weir_parquet_chunk_enter(chunk, weir_parquet_find_row_group(reader->footer, first), err));
    int64_t row = first - chunk->group->first_row;
    int64_t end = count < chunk->group->row_count - row ? row + count : chunk->group->row_count;
    /* What is decompressed already is not read again; a page that lies in the window goes with it. */
    if (chunk->loaded && !chunk->in_window && row >= chunk->pages[chunk->page].first_row) {
        int64_t page_end = weir_parquet_chunk_page_end(chunk, chunk->page);
        row = row > page_end ? row : page_end;
    }
    if (row >= end) {
        return WEIR_OK;
    }
    weir_parquet_chunk_byte_range(chunk, row, end - row, &start, &size);
    bool there = start >= chunk->window.start && start + size <= chunk->window.start + chunk->window.size;
    if (size == 0 || size > PREFETCH_BYTES || there) {
        return WEIR_OK;
    }
    out->offset = start;
    out->size = size;
    return weir_parquet_chunk_open_window(chunk, start, size, &out->data, err);
}

static void forget_windows(weir_parquet_reader *reader)
{
    for (int32_t leaf = 0; leaf < reader->projection.leaf_count; leaf++) {
        if (reader->columns[leaf] != NULL) {
            reader->columns[leaf]->chunk.window.size = 0;
        }
    }
}

static int prefetch(weir_format_reader *base, int64_t first, int64_t count, weir_error *err)
{
    weir_parquet_reader *reader = reader_of(base);
    int32_t leaf_count = reader->projection.leaf_count;
    if (count <= 0 || leaf_count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(check_rows(reader, 0, first, count, err));
    weir_read_range *ranges = weir_alloc_zeroed((size_t)leaf_count, sizeof *ranges);
    size_t range_count = 0;
    int code = WEIR_OK;
    for (int32_t leaf = 0; leaf < leaf_count && code == WEIR_OK; leaf++) {
        code = announce_leaf(reader, leaf, first, count, &ranges[range_count], err);
        range_count += ranges[range_count].size > 0;
    }
    if (code == WEIR_OK) {
        code = weir_file_read_many(reader->source.file, ranges, range_count, err);
    }
    if (code != WEIR_OK) {
        forget_windows(reader);
    }
    free(ranges);
    return code;
}

/* --- opening and closing ---------------------------------------------------------------------------------------- */

static void free_reader(weir_parquet_reader *reader)
{
    for (int32_t i = 0; reader->columns != NULL && i < reader->projection.leaf_count; i++) {
        if (reader->columns[i] != NULL) {
            weir_parquet_column_reader_free(reader->columns[i]);
            free(reader->columns[i]);
        }
    }
    for (int32_t i = 0; reader->picked != NULL && i < reader->projection.column_count; i++) {
        if (reader->picked[i] != NULL) {
            weir_vector_free(reader->picked[i]);
            free(reader->picked[i]);
        }
    }
    weir_budget_give(reader->source.budget, reader->arena_bytes);
    weir_parquet_source_close(&reader->source);
    weir_arena_free(&reader->arena);
    free(reader);
}

static void close_reader(weir_format_reader *base)
{
    weir_parquet_reader *reader = reader_of(base);
    weir_file *file = reader->source.file;
    free_reader(reader);
    weir_file_close(file);
}

static const weir_format_reader_ops reader_ops = {
    .read = read_column,
    .gather = gather_column,
    .prune = weir_parquet_prune,
    .prefetch = prefetch,
    .close = close_reader,
};

static int open_reader(weir_parquet_reader *reader, const weir_field *fields, int32_t field_count, weir_error *err)
{
    weir_parquet_node *root;
    WEIR_TRY(weir_parquet_footer_read(&reader->source, &reader->arena, &reader->footer, err));
    WEIR_TRY(weir_parquet_schema_build(reader->footer, reader->source.path, &reader->arena, &root, err));
    WEIR_TRY(
        weir_parquet_project(root, fields, field_count, reader->source.path, &reader->arena, &reader->projection, err));
    reader->columns = WEIR_NEW_ARRAY(&reader->arena, weir_parquet_column_reader *, reader->projection.leaf_count);
    reader->picked = WEIR_NEW_ARRAY(&reader->arena, weir_vector *, field_count);
    reader->base.ops = &reader_ops;
    reader->base.row_count = reader->footer->row_count;
    WEIR_TRY(weir_budget_take(reader->source.budget, (int64_t)reader->arena.total_bytes, err));
    reader->arena_bytes = (int64_t)reader->arena.total_bytes;
    return WEIR_OK;
}

int weir_parquet_open_reader(weir_file *file, const weir_field *fields, int32_t field_count,
                             const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                             weir_error *err)
{
    (void)options; /* nothing of this format is meant */
    weir_parquet_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    weir_arena_init(&reader->arena);
    int code = weir_parquet_source_open(&reader->source, file, budget, err);
    if (code == WEIR_OK) {
        code = open_reader(reader, fields, field_count, err);
    }
    if (code != WEIR_OK) {
        reader->source.budget = budget;
        free_reader(reader);
        return code;
    }
    *out = &reader->base;
    return WEIR_OK;
}
