/* Avro files for tests: those of golden tables, and hand-made ones with a schema of the test's own. */
#ifndef WEIR_TESTS_FORMAT_AVRO_FIXTURE_H
#define WEIR_TESTS_FORMAT_AVRO_FIXTURE_H

#include "base/json.h"
#include "format/avro/avro.h"
#include "format/avro/container.h"
#include "format/avro/encode.h"
#include "golden.h"
#include "vector/compare.h"
#include "vector/rows.h"

static const uint8_t test_sync[16] = "sixteen bytes...";

/* Fields given as the ROW type's text: "id INT NOT NULL, name STRING". */
static inline const weir_type *parse_fields(weir_arena *arena, const char *fields)
{
    return parse_type(arena, weir_arena_format(arena, "ROW<%s>", fields));
}

/* A file with the schema (quotes single) and one block of the given records. */
static inline void make_file(const char *schema, int64_t record_count, weir_slice records, weir_buffer *out)
{
    weir_error err;
    const weir_avro_codec *codec = NULL;
    char *quoted = weir_strdup(schema);
    for (char *next = quoted; *next != '\0'; next++) {
        *next = *next == '\'' ? '"' : *next;
    }
    check_ok(weir_avro_codec_find("null", "test", &codec, &err), &err);
    weir_avro_header_write(weir_slice_text(quoted), codec, test_sync, out);
    if (record_count > 0) {
        check_ok(weir_avro_block_write(codec, 0, test_sync, record_count, records, out, &err), &err);
    }
    free(quoted);
}

/* The fields of a golden table's schema; with those of key-value files before them when `with_keys`. */
static inline weir_field *golden_fields(const char *table, const char *schema, weir_arena *arena, int32_t *out_count)
{
    weir_error err;
    weir_buffer text = {0};
    json_t *document = NULL;
    json_t *array = NULL;
    json_t *keys = NULL;
    assert_true(golden_read(golden_path(table, schema), &text));
    check_ok(weir_json_parse(weir_buffer_slice(&text), schema, &document, &err), &err);
    check_ok(weir_json_get_array(document, "fields", true, schema, &array, &err), &err);
    check_ok(weir_json_get_array(document, "primaryKeys", true, schema, &keys, &err), &err);
    size_t key_count = json_array_size(keys);
    size_t extra = key_count == 0 ? 0 : key_count + 2;
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, json_array_size(array) + extra);
    for (size_t i = 0; i < json_array_size(array); i++) {
        check_ok(weir_field_from_json(json_array_get(array, i), schema, arena, &fields[extra + i], &err), &err);
        for (size_t k = 0; k < key_count; k++) {
            if (strcmp(json_string_value(json_array_get(keys, k)), fields[extra + i].name) == 0) {
                fields[k] = fields[extra + i];
                fields[k].name = weir_arena_format(arena, "_KEY_%s", fields[k].name);
            }
        }
    }
    if (extra > 0) {
        fields[key_count] = (weir_field){.name = "_SEQUENCE_NUMBER", .type = weir_type_simple(WEIR_BIGINT, false)};
        fields[key_count + 1] = (weir_field){.name = "_VALUE_KIND", .type = weir_type_simple(WEIR_TINYINT, false)};
    }
    *out_count = (int32_t)(json_array_size(array) + extra);
    json_decref(document);
    weir_buffer_free(&text);
    return fields;
}

static inline void keep_path(const char *path, void *context)
{
    char *kept = context;
    snprintf(kept, 4096, "%s", path);
}

/* The last file below a golden table's folder whose name begins so. */
static inline const char *golden_file(const char *table, const char *prefix)
{
    static char path[4096];
    path[0] = '\0';
    golden_walk(golden_path(table, "table"), prefix, keep_path, path);
    assert_true(path[0] != '\0');
    return path;
}

static inline void check_same_rows(const weir_batch *a, const weir_batch *b)
{
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->column_count, b->column_count);
    for (int32_t column = 0; column < a->column_count; column++) {
        assert_int_equal(a->columns[column].length, a->length);
        for (int64_t row = 0; row < a->length; row++) {
            if (!weir_vector_values_equal(&a->columns[column], row, &b->columns[column], row)) {
                char *text = weir_strdup(json_text(&a->columns[column], row));
                fail_msg("column %d row %d: %s and %s", column, (int)row, text, json_text(&b->columns[column], row));
            }
        }
    }
}

#endif
