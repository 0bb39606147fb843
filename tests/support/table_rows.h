/* The rows of a table as JSON lines, in the notation of `weir dump`, for tests that compare whole tables. */
#ifndef WEIR_TESTS_TABLE_ROWS_H
#define WEIR_TESTS_TABLE_ROWS_H

#include <stdlib.h>

#include "table/read/read.h"
#include "table/scan/stream_scan.h"

/* Lines of text, each owned. */
typedef struct lines {
    char **items;
    size_t count;
    size_t capacity;
} lines;

static inline void lines_add(lines *list, const char *text, size_t size)
{
    WEIR_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = weir_strndup(text, size);
}

static inline void lines_free(lines *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (lines){0};
}

static inline int lines_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void lines_sort(lines *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items, lines_compare);
    }
}

/* The lines of a text, without their ends; a last empty one does not count. */
static inline void lines_split(lines *list, const char *text)
{
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        lines_add(list, text, size);
        text += size + (text[size] == '\n');
    }
}

/* The first difference of two sorted lists in words, or NULL when they are equal. Static memory. */
static inline const char *lines_difference(const lines *expected, const lines *actual)
{
    static char text[4096];
    size_t e = 0, a = 0;
    while (e < expected->count || a < actual->count) {
        int order = e == expected->count  ? 1
                    : a == actual->count ? -1
                                         : strcmp(expected->items[e], actual->items[a]);
        if (order != 0) {
            snprintf(text, sizeof text, "%s: %.1000s (%zu lines expected, %zu came)", order < 0 ? "missing" : "surplus",
                     order < 0 ? expected->items[e] : actual->items[a], expected->count, actual->count);
            return text;
        }
        e++;
        a++;
    }
    return NULL;
}

/* One row: [kind, values…], with the snapshot id in front when it is not negative and the kind when asked for. */
static inline void row_to_json(const weir_batch *batch, int64_t row, int64_t snapshot_id, bool with_kind,
                               weir_buffer *out)
{
    bool first = true;
    weir_buffer_clear(out);
    weir_buffer_append_byte(out, '[');
    if (snapshot_id >= 0) {
        weir_buffer_append_format(out, "%" PRId64, snapshot_id);
        first = false;
    }
    if (with_kind) {
        weir_buffer_append_format(out, "%s\"%s\"", first ? "" : ",", weir_row_kind_text(weir_batch_kind(batch, row)));
        first = false;
    }
    for (int32_t c = 0; c < batch->column_count; c++) {
        if (!first) {
            weir_buffer_append_byte(out, ',');
        }
        first = false;
        weir_value_to_json(&batch->columns[c], row, out);
    }
    weir_buffer_append_byte(out, ']');
}

/* Appends the rows of all splits of a plan. */
static inline int plan_rows(const weir_table *table, const weir_table_plan *plan, const weir_read_options *options,
                            bool with_snapshot, lines *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int32_t field_count = 0;
    const weir_field *fields = weir_read_fields(table, options, &arena, &field_count);
    weir_batch batch;
    weir_buffer text = {0};
    int code = WEIR_OK;
    weir_batch_init(&batch, fields, field_count);
    for (size_t i = 0; i < plan->split_count && code == WEIR_OK; i++) {
        weir_split_reader *reader = NULL;
        code = weir_split_open(table, &plan->splits[i], options, &reader, err);
        while (code == WEIR_OK && (code = weir_split_next(reader, &batch, err)) == WEIR_OK) {
            for (int64_t r = 0; r < batch.length; r++) {
                row_to_json(&batch, r, with_snapshot ? plan->snapshot_id : -1, options->with_kinds, &text);
                lines_add(out, (const char *)text.data, text.size);
            }
        }
        weir_split_close(reader);
        code = code == WEIR_END ? WEIR_OK : code;
    }
    weir_buffer_free(&text);
    weir_batch_free(&batch);
    weir_arena_free(&arena);
    return code;
}

/* The rows of a batch read, sorted. `dynamic_options` may be NULL. */
static inline int table_rows(weir_fs *fs, const char *path, const char *branch, const weir_options *dynamic_options,
                             bool with_kinds, lines *out, weir_error *err)
{
    weir_table *table = NULL;
    weir_table_plan *plan = NULL;
    weir_table_open_options open_options = {.dynamic_options = dynamic_options, .branch = branch};
    weir_scan_options scan_options = {.limit = -1, .with_kinds = with_kinds};
    weir_read_options read_options = {.with_kinds = with_kinds};
    int code = weir_table_open(fs, path, &open_options, &table, err);
    if (code == WEIR_OK) {
        code = weir_scan_plan(table, &scan_options, &plan, err);
    }
    if (code == WEIR_OK) {
        code = plan_rows(table, plan, &read_options, false, out, err);
    }
    weir_table_plan_free(plan);
    weir_table_close(table);
    lines_sort(out);
    return code;
}

/* What a streaming reader gets from snapshot `from` to the latest: [snapshot, kind, values…], sorted. */
static inline int table_stream(weir_fs *fs, const char *path, int64_t from, lines *out, weir_error *err)
{
    weir_table *table = NULL;
    weir_stream_scan *scan = NULL;
    weir_read_options read_options = {.with_kinds = true};
    weir_arena arena;
    weir_arena_init(&arena);
    weir_options options = {0};
    weir_options_set(&options, &arena, "scan.mode", "from-snapshot");
    weir_options_set(&options, &arena, "scan.snapshot-id", weir_arena_format(&arena, "%" PRId64, from));
    weir_table_open_options open_options = {.dynamic_options = &options, .for_stream = true};
    int code = weir_table_open(fs, path, &open_options, &table, err);
    if (code == WEIR_OK) {
        code = weir_stream_scan_open(table, NULL, &scan, err);
    }
    while (code == WEIR_OK) {
        weir_table_plan *plan = NULL;
        code = weir_stream_scan_next(scan, &plan, err);
        if (code == WEIR_OK) {
            code = plan_rows(table, plan, &read_options, true, out, err);
        }
        weir_table_plan_free(plan);
    }
    weir_stream_scan_close(scan);
    weir_table_close(table);
    weir_arena_free(&arena);
    lines_sort(out);
    return code == WEIR_IDLE ? WEIR_OK : code;
}

#endif
