/* Parquet files from tests/format/fixtures and elsewhere, read as JSON lines, and a file that counts what is read. */
#ifndef WEIR_TESTS_FORMAT_PARQUET_FILES_H
#define WEIR_TESTS_FORMAT_PARQUET_FILES_H

#include <stdlib.h>

#include "format/parquet/parquet.h"
#include "golden.h"
#include "vector/rows.h"

/* A reader of all columns of a file, as the file itself describes them. */
typedef struct open_file {
    weir_arena arena;
    weir_budget budget;
    weir_field *fields;
    int32_t field_count;
    weir_format_reader *reader;
    weir_batch batch;
} open_file;

static inline int open_parquet(open_file *file, weir_file *input, int64_t budget_bytes, weir_error *err)
{
    memset(file, 0, sizeof *file);
    weir_arena_init(&file->arena);
    weir_budget_init(&file->budget, "test", NULL, budget_bytes);
    int code = weir_parquet_read_fields(input, &file->arena, &file->fields, &file->field_count, err);
    if (code == WEIR_OK) {
        code =
            weir_parquet_open_reader(input, file->fields, file->field_count, NULL, &file->budget, &file->reader, err);
    }
    if (code != WEIR_OK) {
        weir_file_close(input);
        weir_arena_free(&file->arena);
        assert_int_equal(file->budget.used_bytes, 0);
        return code;
    }
    weir_batch_init(&file->batch, file->fields, file->field_count);
    return WEIR_OK;
}

static inline void close_parquet(open_file *file)
{
    file->reader->ops->close(file->reader);
    assert_int_equal(file->budget.used_bytes, 0);
    weir_batch_free(&file->batch);
    weir_arena_free(&file->arena);
}

static inline void open_path(open_file *file, const char *path)
{
    weir_error err = {0};
    weir_file *input = NULL;
    check_ok(weir_fs_open_file(weir_fs_local(), path, &input, &err), &err);
    check_ok(open_parquet(file, input, INT64_MAX, &err), &err);
}

static inline const char *fixture_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "tests/format/fixtures/%s", name);
    return path;
}

static inline weir_vector *column_of(open_file *file, int32_t column) { return &file->batch.columns[column]; }

/* Fills the batch with rows first .. first + count - 1. */
static inline void read_rows_of(open_file *file, int64_t first, int64_t count)
{
    weir_error err = {0};
    weir_batch_clear(&file->batch);
    for (int32_t i = 0; i < file->field_count; i++) {
        check_ok(file->reader->ops->read(file->reader, i, first, count, column_of(file, i), &err), &err);
        assert_int_equal(column_of(file, i)->length, count);
    }
    file->batch.length = count;
}

static inline void gather_rows_of(open_file *file, int64_t base, const uint32_t *rows, int64_t count)
{
    weir_error err = {0};
    weir_batch_clear(&file->batch);
    for (int32_t i = 0; i < file->field_count; i++) {
        check_ok(file->reader->ops->gather(file->reader, i, base, rows, count, column_of(file, i), &err), &err);
        assert_int_equal(column_of(file, i)->length, count);
    }
    file->batch.length = count;
}

/* Appends a row of the batch as a line of JSON. */
static inline void append_line(const weir_batch *batch, int64_t row, weir_buffer *out)
{
    for (int32_t i = 0; i < batch->column_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "[" : ",");
        weir_value_to_json(&batch->columns[i], row, out);
    }
    weir_buffer_append_text(out, "]\n");
}

/* The lines of a text; they point into it. */
typedef struct test_lines {
    weir_buffer text;
    weir_slice *lines; /* with their newlines */
    int64_t count;
} test_lines;

static inline void split_lines(test_lines *lines)
{
    size_t from = 0;
    lines->lines = malloc((lines->text.size + 1) * sizeof *lines->lines);
    for (size_t i = 0; i < lines->text.size; i++) {
        if (lines->text.data[i] == '\n') {
            lines->lines[lines->count++] = weir_slice_of(lines->text.data + from, i + 1 - from);
            from = i + 1;
        }
    }
}

static inline void read_lines(test_lines *lines, const char *path)
{
    memset(lines, 0, sizeof *lines);
    assert_true(golden_read(path, &lines->text));
    split_lines(lines);
}

static inline void free_lines(test_lines *lines)
{
    weir_buffer_free(&lines->text);
    free(lines->lines);
}

static inline void check_line(const weir_batch *batch, int64_t row, const test_lines *wanted, int64_t line,
                              const char *what)
{
    weir_buffer found = {0};
    append_line(batch, row, &found);
    if (line >= wanted->count || !weir_slice_equal(weir_buffer_slice(&found), wanted->lines[line])) {
        fail_msg("%s, row %" PRId64 ":\nfound  %sshould %.*s", what, line, weir_buffer_text(&found),
                 line < wanted->count ? (int)wanted->lines[line].size : 0, (const char *)wanted->lines[line].data);
    }
    weir_buffer_free(&found);
}

/* --- a file that counts ------------------------------------------------------------------------------------------ */

typedef struct counting_file {
    weir_file base;
    weir_file *inner;
    uint64_t bytes_read;
    uint64_t calls;
} counting_file;

static int counting_read_many(weir_file *base, const weir_read_range *ranges, size_t count, weir_error *err)
{
    counting_file *file = (counting_file *)(void *)base;
    file->calls++;
    for (size_t i = 0; i < count; i++) {
        file->bytes_read += ranges[i].size;
    }
    return weir_file_read_many(file->inner, ranges, count, err);
}

static void counting_close(weir_file *base) { weir_file_close(((counting_file *)(void *)base)->inner); }

static const weir_file_ops counting_ops = {.read_many = counting_read_many, .close = counting_close};

/* Wraps `inner`; the counting file itself is the caller's, and its path is borrowed from `inner`. */
static inline weir_file *count_reads(counting_file *file, weir_file *inner)
{
    *file = (counting_file){.base = {.ops = &counting_ops, .path = inner->path, .size = inner->size}, .inner = inner};
    return &file->base;
}

#endif
