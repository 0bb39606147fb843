/* A small table in memory, for tests of data files and merges: its context, and rows given as JSON. */
#ifndef WEIR_TESTS_FILE_FIXTURE_H
#define WEIR_TESTS_FILE_FIXTURE_H

#include "cmocka_all.h"

#include <stdlib.h>

#include "base/json.h"
#include "file/file.h"

typedef struct fixture {
    weir_arena arena;
    weir_fs *fs;
    weir_budget budget;
    weir_table_context context;
    weir_error err;
} fixture;

#define CHECK(test, call)                                                                                              \
    do {                                                                                                               \
        if ((call) != WEIR_OK) {                                                                                       \
            fail_msg("%s: %s", #call, (test)->err.message);                                                            \
        }                                                                                                              \
    } while (0)

/* Adds a version of the schema, written as its JSON file would be, with ' for ", and makes it the context's. */
static inline const weir_schema *fixture_schema(fixture *test, const char *json)
{
    char *text = weir_arena_strdup(&test->arena, json);
    for (char *c = text; *c != 0; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    weir_schema *schema = NULL;
    CHECK(test, weir_schema_parse(weir_slice_text(text), "schema of a test", &test->arena, &schema, &test->err));
    CHECK(test, weir_schema_publish(test->fs, test->context.paths.root, schema, &test->err));
    test->context.schema = schema;
    return schema;
}

static inline void fixture_start(fixture *test, const char *json)
{
    memset(test, 0, sizeof *test);
    weir_arena_init(&test->arena);
    test->fs = weir_fs_memory();
    weir_budget_init(&test->budget, "test", NULL, INT64_MAX);
    test->context.fs = test->fs;
    test->context.paths = weir_table_paths_of(&test->arena, "/t", NULL);
    test->context.schemas = weir_schema_cache_create(test->fs, "/t");
    test->context.budget = &test->budget;
    fixture_schema(test, json);
}

static inline void fixture_end(fixture *test)
{
    assert_int_equal(atomic_load(&test->budget.used_bytes), 0);
    weir_schema_cache_free(test->context.schemas);
    weir_fs_close(test->fs);
    weir_arena_free(&test->arena);
}

/* Appends a row written as a JSON array, with ' for ". */
static inline void fixture_add_row(fixture *test, weir_batch *batch, const char *row)
{
    char *text = weir_arena_strdup(&test->arena, row);
    for (char *c = text; *c != 0; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_t *values = NULL;
    CHECK(test, weir_json_parse(weir_slice_text(text), "row", &values, &test->err));
    for (int32_t i = 0; i < batch->column_count; i++) {
        CHECK(test, weir_vector_append_json(&batch->columns[i], json_array_get(values, (size_t)i), &test->err));
    }
    batch->length++;
    json_decref(values);
}

/* The row as JSON text, in the arena. */
static inline const char *fixture_row_text(fixture *test, const weir_vector *columns, int32_t count, int64_t row)
{
    weir_buffer text = {0};
    weir_buffer_append_byte(&text, '[');
    for (int32_t i = 0; i < count; i++) {
        if (i > 0) {
            weir_buffer_append_byte(&text, ',');
        }
        weir_value_to_json(&columns[i], row, &text);
    }
    weir_buffer_append_byte(&text, ']');
    const char *copy = weir_arena_strndup(&test->arena, (const char *)text.data, text.size);
    weir_buffer_free(&text);
    return copy;
}

/* The files that a writer made. */
typedef struct written_files {
    weir_data_file **files;
    size_t count;
    size_t capacity;
} written_files;

static inline weir_data_file_writer *fixture_writer(fixture *test, weir_data_file_kind kind, int32_t level)
{
    weir_data_file_writer_options options = {
        .kind = kind, .partition = weir_partition_none(), .level = level, .source = WEIR_FILE_SOURCE_APPEND};
    weir_data_file_writer *writer = NULL;
    CHECK(test, weir_data_file_writer_create(&test->context, &options, &writer, &test->err));
    return writer;
}

/* Writes the rows of a batch as files, one after the other as they stand. */
static inline written_files fixture_write(fixture *test, weir_data_file_kind kind, int32_t level,
                                          const weir_batch *batch, const int64_t *sequence_numbers)
{
    weir_data_file_writer *writer = fixture_writer(test, kind, level);
    CHECK(test, weir_data_file_writer_write_batch(writer, batch, 0, batch->length, sequence_numbers, batch->kinds,
                                                  &test->err));
    written_files written = {0};
    CHECK(test, weir_data_file_writer_finish(writer, &test->arena, &written.files, &written.count, &written.capacity,
                                             &test->err));
    weir_data_file_writer_close(writer);
    return written;
}

static inline const char *fixture_bucket_path(fixture *test)
{
    const char *path = NULL;
    CHECK(test, weir_bucket_path(&test->arena, &test->context.paths, test->context.schema, weir_partition_none(), 0,
                                 &path, &test->err));
    return path;
}

#endif
