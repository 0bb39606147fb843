/* Schema files: Java's, byte by byte, and old versions. */
#include "meta_fixture.h"

static int files_compared;

static void compare_schema(const char *path, void *context)
{
    (void)context;
    weir_error err;
    weir_arena arena;
    weir_buffer text = {0};
    weir_buffer again = {0};
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    assert_true(golden_read(path, &text));
    check_ok(weir_schema_parse(weir_buffer_slice(&text), path, &arena, &schema, &err), &err);
    weir_schema_format(schema, &again);
    assert_string_equal(weir_buffer_text(&again), weir_buffer_text(&text));
    files_compared++;
    weir_buffer_free(&text);
    weir_buffer_free(&again);
    weir_arena_free(&arena);
}

static void every_schema_of_java_is_written_again_byte_by_byte(void **state)
{
    (void)state;
    if (golden_available()) {
        golden_walk(golden_root(), "schema-", compare_schema, NULL);
        assert_true(files_compared > 100);
    }
}

static weir_schema *parse(weir_arena *arena, const char *text)
{
    weir_error err;
    weir_schema *schema = NULL;
    check_ok(weir_schema_parse(weir_slice_text(text), "schema-0", arena, &schema, &err), &err);
    return schema;
}

static void old_versions_have_other_defaults(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_schema *first = parse(&arena, "{\"id\":0,\"fields\":[],\"highestFieldId\":0}");
    assert_string_equal(weir_options_get(&first->options, "bucket"), "1");
    assert_string_equal(weir_options_get(&first->options, "file.format"), "orc");
    weir_schema *second =
        parse(&arena, "{\"version\":2,\"id\":0,\"fields\":[],\"options\":{\"file.format\":\"avro\"}}");
    assert_null(weir_options_get(&second->options, "bucket"));
    assert_string_equal(weir_options_get(&second->options, "file.format"), "avro");
    weir_schema *third = parse(&arena, "{\"version\":3,\"id\":0,\"fields\":[]}");
    assert_int_equal(third->options.count, 0);
    weir_arena_free(&arena);
}

static void trimmed_keys_are_the_primary_keys_without_partition_keys(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_schema *schema =
        parse(&arena, "{\"version\":3,\"id\":7,\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT NOT NULL\"},"
                      "{\"id\":1,\"name\":\"dt\",\"type\":\"STRING NOT NULL\"},"
                      "{\"id\":5,\"name\":\"b\",\"type\":\"INT NOT NULL\"}],"
                      "\"partitionKeys\":[\"dt\"],\"primaryKeys\":[\"b\",\"dt\",\"a\"]}");
    assert_int_equal(schema->key_column_count, 2);
    assert_int_equal(schema->key_columns[0], 2);
    assert_int_equal(schema->key_columns[1], 0);
    assert_int_equal(schema->partition_columns[0], 1);
    assert_int_equal(weir_schema_column_by_id(schema, 5), 2);
    assert_int_equal(weir_schema_column_by_id(schema, 2), -1);
    assert_int_equal(weir_schema_column(schema, "dt"), 1);
    weir_arena_free(&arena);
}

static void damaged_schemas_say_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        weir_code code;
        const char *word;
    } cases[] = {
        {"", WEIR_CORRUPT, "schema-0"},
        {"[]", WEIR_CORRUPT, "schema-0"},
        {"{\"version\":3,\"fields\":[]}", WEIR_CORRUPT, "id"},
        {"{\"version\":4,\"id\":0,\"fields\":[]}", WEIR_UNSUPPORTED, "version 4"},
        {"{\"version\":3,\"id\":0,\"fields\":[],\"primaryKeys\":[\"k\"]}", WEIR_CORRUPT, "'k'"},
        {"{\"version\":3,\"id\":0,\"fields\":[],\"primaryKeys\":[7]}", WEIR_CORRUPT, "primaryKeys"},
        {"{\"version\":3,\"id\":0,\"fields\":[],\"options\":{\"bucket\":4}}", WEIR_CORRUPT, "bucket"},
        {"{\"version\":3,\"id\":0,\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},"
         "{\"id\":1,\"name\":\"a\",\"type\":\"INT\"}]}",
         WEIR_CORRUPT, "'a'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        weir_arena arena;
        weir_schema *schema = NULL;
        weir_arena_init(&arena);
        assert_int_equal(weir_schema_parse(weir_slice_text(cases[i].text), "schema-0", &arena, &schema, &err),
                         cases[i].code);
        assert_non_null(strstr(err.message, cases[i].word));
        assert_null(schema);
        weir_arena_free(&arena);
    }
}

static void the_latest_schema_is_the_one_with_the_greatest_id(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_fs *fs = weir_fs_memory();
    weir_arena_init(&arena);
    weir_schema *schema = NULL;
    assert_int_equal(weir_schema_read_latest(fs, "/t", &arena, &schema, &err), WEIR_NOT_FOUND);
    weir_schema *made = make_schema(&arena, (test_schema){.columns = "a INT"});
    for (made->id = 8; made->id <= 11; made->id++) {
        check_ok(weir_schema_publish(fs, "/t", made, &err), &err);
    }
    check_ok(weir_schema_read_latest(fs, "/t", &arena, &schema, &err), &err);
    assert_int_equal(schema->id, 11);
    made->id = 11;
    assert_int_equal(weir_schema_publish(fs, "/t", made, &err), WEIR_EXISTS);
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schema_of_java_is_written_again_byte_by_byte),
        cmocka_unit_test(old_versions_have_other_defaults),
        cmocka_unit_test(trimmed_keys_are_the_primary_keys_without_partition_keys),
        cmocka_unit_test(damaged_schemas_say_what_is_wrong),
        cmocka_unit_test(the_latest_schema_is_the_one_with_the_greatest_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
