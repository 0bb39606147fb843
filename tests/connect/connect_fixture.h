/* Tables of connectors for tests: options and columns in one line each, files in a folder of their own. */
#ifndef WEIR_TESTS_CONNECT_FIXTURE_H
#define WEIR_TESTS_CONNECT_FIXTURE_H

#include <unistd.h>

#include "connect/connect.h"
#include "format/row_text_fixture.h"
#include "fs/fs.h"

typedef struct test_table {
    weir_arena arena;
    test_columns columns;
    weir_options options;
    const char *partition_keys[4];
    int32_t partition_key_count;
    const char *folder; /* of its files */
} test_table;

/* A new, empty folder; removed by folder_end. */
static inline char *folder_start(void)
{
    char *path = weir_strdup("/tmp/weir-connect-XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void folder_end(char *path)
{
    weir_error err;
    check_ok(weir_fs_remove_recursively(weir_fs_local(), path, &err), &err);
    free(path);
}

static inline void write_file(const char *folder, const char *name, const char *text)
{
    weir_error err;
    char *path = weir_format("%s/%s", folder, name);
    check_ok(weir_fs_publish(weir_fs_local(), path, weir_slice_text(text), &err), &err);
    free(path);
}

/* Options as "key=value;key=value", columns as the fields of a ROW, partition keys separated by commas. */
static inline void table_start(test_table *table, const char *columns, const char *options, const char *partition_keys)
{
    memset(table, 0, sizeof *table);
    weir_arena_init(&table->arena);
    columns_start(&table->columns, columns);
    char *pairs = weir_arena_strdup(&table->arena, options);
    char *rest = NULL;
    for (char *pair = strtok_r(pairs, ";", &rest); pair != NULL; pair = strtok_r(NULL, ";", &rest)) {
        char *value = strchr(pair, '=');
        *value++ = '\0';
        weir_options_set(&table->options, &table->arena, pair, value);
    }
    char *keys = weir_arena_strdup(&table->arena, partition_keys);
    for (char *key = strtok_r(keys, ",", &rest); key != NULL; key = strtok_r(NULL, ",", &rest)) {
        table->partition_keys[table->partition_key_count++] = key;
    }
}

/* A filesystem table over `folder`. */
static inline void files_start(test_table *table, const char *folder, const char *columns, const char *options,
                               const char *partition_keys)
{
    table_start(table, columns, options, partition_keys);
    table->folder = folder;
    weir_options_set(&table->options, &table->arena, "connector", "filesystem");
    weir_options_set(&table->options, &table->arena, "path", folder);
}

static inline void table_end(test_table *table)
{
    weir_arena_free(&table->columns.arena);
    weir_arena_free(&table->arena);
}

static inline weir_source_options source_options(const test_table *table, int64_t batch_rows)
{
    return (weir_source_options){.options = &table->options,
                                 .fields = table->columns.fields,
                                 .field_count = table->columns.count,
                                 .partition_keys = table->partition_keys,
                                 .partition_key_count = table->partition_key_count,
                                 .batch_rows = batch_rows};
}

static inline weir_source *open_source(const test_table *table, int64_t batch_rows)
{
    weir_error err;
    weir_source *source = NULL;
    weir_source_options options = source_options(table, batch_rows);
    check_ok(weir_source_open(&options, &source, &err), &err);
    return source;
}

/* Appends the rows of the next batch; false at the end. */
static inline bool next_rows(weir_source *source, const test_table *table, weir_buffer *out)
{
    weir_error err;
    weir_batch batch;
    weir_batch_init(&batch, table->columns.fields, table->columns.count);
    int code = source->next(source, &batch, &err);
    if (code != WEIR_END) {
        check_ok(code, &err);
        check_batch(&batch);
        append_rows_as_text(&batch, out);
    }
    weir_batch_free(&batch);
    return code == WEIR_OK;
}

/* All rows of a table, to be freed. */
static inline char *read_table(const test_table *table, int64_t batch_rows)
{
    weir_buffer rows = {0};
    weir_source *source = open_source(table, batch_rows);
    while (next_rows(source, table, &rows)) {
    }
    if (source->total_bytes >= 0) {
        assert_int_equal(source->done_bytes, source->total_bytes);
    }
    source->close(source);
    char *text = weir_strdup(weir_buffer_text(&rows));
    weir_buffer_free(&rows);
    return text;
}

static inline void check_table(const test_table *table, const char *expected)
{
    static const int64_t batch_rows[] = {0, 1, 3};
    for (size_t i = 0; i < sizeof batch_rows / sizeof *batch_rows; i++) {
        char *rows = read_table(table, batch_rows[i]);
        assert_string_equal(rows, expected);
        free(rows);
    }
}

/* That opening or reading the source fails with a message that holds `text`. */
static inline void check_source_fails(const test_table *table, int expected_code, const char *text)
{
    weir_error err = {0};
    weir_source *source = NULL;
    weir_source_options options = source_options(table, 0);
    int code = weir_source_open(&options, &source, &err);
    if (code == WEIR_OK) {
        weir_batch batch;
        weir_batch_init(&batch, table->columns.fields, table->columns.count);
        while ((code = source->next(source, &batch, &err)) == WEIR_OK) {
        }
        weir_batch_free(&batch);
        source->close(source);
    }
    if (code != expected_code || strstr(err.message, text) == NULL) {
        fail_msg("%d: %s\nnot %d: %s", code, err.message, expected_code, text);
    }
}

static inline weir_sink *open_sink(const test_table *table, FILE *print_to, bool overwrite)
{
    weir_error err;
    weir_sink *sink = NULL;
    weir_sink_options options = {.options = &table->options,
                                 .fields = table->columns.fields,
                                 .field_count = table->columns.count,
                                 .partition_keys = table->partition_keys,
                                 .partition_key_count = table->partition_key_count,
                                 .print_to = print_to,
                                 .overwrite = overwrite};
    check_ok(weir_sink_open(&options, &sink, &err), &err);
    return sink;
}

/* Writes rows given as "[[1, 'a']]", all of them +I, or of the kinds in `kinds`. */
/* Rows of a table's columns, to be freed with weir_batch_free. */
static inline void batch_of_rows(const test_table *table, const char *rows_json, weir_batch *out)
{
    weir_batch_init(out, table->columns.fields, table->columns.count);
    json_t *json = parse_json(rows_json);
    for (size_t i = 0; i < json_array_size(json); i++) {
        for (int32_t column = 0; column < out->column_count; column++) {
            append_json(&out->columns[column], json_array_get(json_array_get(json, i), (size_t)column));
        }
        out->length++;
    }
    json_decref(json);
}

static inline void write_rows(weir_sink *sink, const test_table *table, const char *rows_json, const int8_t *kinds)
{
    weir_error err;
    weir_batch batch;
    batch_of_rows(table, rows_json, &batch);
    if (kinds != NULL) {
        weir_batch_reserve_kinds(&batch, batch.length);
        memcpy(batch.kinds, kinds, (size_t)batch.length);
    }
    check_ok(sink->write(sink, &batch, &err), &err);
    weir_batch_free(&batch);
}

#endif
