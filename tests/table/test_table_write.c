/* Writing: what becomes of rows before they reach a bucket's writer, and what an overwrite tells its readers. */
#include "cmocka_all.h"

#include <stdio.h>

#include "table/table_fixture.h"

/* Publishes the next schema: as now, with a default value for the last column. */
static void set_default_of_last_column(fixture *table, const char *value)
{
    weir_error err = {0};
    weir_schema *altered = weir_arena_copy(&table->arena, table->table->schema, sizeof *table->table->schema);
    weir_field *fields = weir_arena_copy(&table->arena, altered->fields,
                                         sizeof *altered->fields * (size_t)altered->field_count);
    fields[altered->field_count - 1].default_value = value;
    altered->fields = fields;
    altered->id++;
    must(weir_schema_publish(table->fs, FIXTURE_PATH, altered, &err), &err, "altering");
    fixture_close(table);
    fixture_open(table);
}

static void a_null_is_written_as_the_default_of_its_column(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING, n DECIMAL(5, 2)", "k", "", "bucket=2");
    fixture_commit(&table, "[[1, \"a\", null]]", "+I");
    set_default_of_last_column(&table, "1.5");
    fixture_commit(&table, "[[2, null, null], [3, \"c\", \"7.00\"], [4, \"d\", null]]", "+I");
    assert_string_equal(fixture_rows(&table, ""),
                        "[1,\"a\",null] [2,null,\"1.50\"] [3,\"c\",\"7.00\"] [4,\"d\",\"1.50\"]");
    fixture_free(&table);
}

static void a_default_that_is_no_value_of_its_type_is_named(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_table_write *write = NULL;
    fixture_create(&table, "k BIGINT NOT NULL, n INT", "k", "", "bucket=2");
    weir_schema *altered = weir_arena_copy(&table.arena, table.table->schema, sizeof *table.table->schema);
    weir_field *fields = weir_arena_copy(&table.arena, altered->fields, sizeof *altered->fields * 2);
    fields[1].default_value = "many";
    altered->fields = fields;
    const weir_schema *stored = table.table->schema;
    table.table->schema = altered;
    assert_int_equal(weir_table_write_open(table.table, NULL, &write, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "column 'n'"));
    table.table->schema = stored;
    fixture_free(&table);
}

static void ignored_kinds_reach_neither_rows_nor_changelog(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        const char *kind;
        const char *changes;
    } cases[] = {
        {"ignore-delete=true", "-D", "[1,\"+I\",1,\"a\"] [2,\"+I\",2,\"b\"]"},
        {"ignore-delete=true", "-U", "[1,\"+I\",1,\"a\"] [2,\"+I\",2,\"b\"]"},
        {"ignore-update-before=true", "-U", "[1,\"+I\",1,\"a\"] [2,\"+I\",2,\"b\"]"},
        {"ignore-update-before=true", "-D", "[1,\"+I\",1,\"a\"] [2,\"-D\",1,\"a\"] [3,\"+I\",2,\"b\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        weir_stream_scan *scan = NULL;
        char options[100];
        snprintf(options, sizeof options, "bucket=1;changelog-producer=input;%s", cases[i].option);
        fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", options);
        fixture_commit(&table, "[[1, \"a\"]]", "+I");
        fixture_commit(&table, "[[1, \"a\"]]", cases[i].kind);
        fixture_commit(&table, "[[2, \"b\"]]", "+I");
        assert_string_equal(fixture_stream(&table, &scan, "scan.mode=from-snapshot;scan.snapshot-id=1"),
                            cases[i].changes);
        bool deleted = strstr(cases[i].changes, "-D") != NULL;
        assert_string_equal(fixture_rows(&table, ""), deleted ? "[2,\"b\"]" : "[1,\"a\"] [2,\"b\"]");
        fixture_free(&table);
    }
}

static size_t count_changelog_files(fixture *table)
{
    weir_file_info *entries = NULL;
    size_t count = 0, found = 0;
    weir_error err = {0};
    must(weir_fs_list(table->fs, FIXTURE_PATH "/bucket-0", &table->arena, &entries, &count, &err), &err, "listing");
    for (size_t i = 0; i < count; i++) {
        found += strncmp(entries[i].name, "changelog-", 10) == 0;
    }
    return found;
}

/* Overwrites the whole table with one row. */
static void overwrite(fixture *table, int64_t key, const char *text)
{
    weir_error err = {0};
    weir_table_write *write = NULL;
    weir_commit_messages messages = {0};
    weir_batch batch;
    weir_table_write_options options = {.commit_user = "fixture", .overwrite = true};
    weir_committable committable = {.identifier = 100, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    weir_batch_init(&batch, table->table->schema->fields, table->table->schema->field_count);
    must(weir_vector_append_raw(&batch.columns[0], &key, sizeof key, &err), &err, "a key");
    must(weir_vector_append_raw(&batch.columns[1], text, strlen(text), &err), &err, "a value");
    batch.length = 1;
    must(weir_table_write_open(table->table, &options, &write, &err), &err, "opening to overwrite");
    must(weir_table_write_batch(write, &batch, &err), &err, "writing");
    must(weir_table_write_prepare(write, true, &table->arena, &messages, &err), &err, "preparing");
    must(weir_table_commit_overwrite(table->commit, &committable, NULL, NULL, &err), &err, "overwriting");
    weir_commit_messages_free(&messages);
    weir_table_write_close(write);
    weir_batch_free(&batch);
}

static void an_overwrite_makes_no_changelog(void **state)
{
    (void)state;
    static const char *const producers[] = {"input", "lookup"};
    for (size_t i = 0; i < 2; i++) {
        fixture table;
        weir_stream_scan *scan = NULL;
        char options[100];
        snprintf(options, sizeof options, "bucket=1;changelog-producer=%s", producers[i]);
        fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", options);
        int64_t first = fixture_commit(&table, "[[1, \"a\"]]", "+I");
        size_t changelog_files = count_changelog_files(&table);
        overwrite(&table, 2, "b");
        assert_string_equal(fixture_rows(&table, ""), "[2,\"b\"]");
        assert_string_equal(fixture_stream(&table, &scan, "scan.mode=from-snapshot;scan.snapshot-id=1"),
                            weir_arena_format(&table.arena, "[%" PRId64 ",\"+I\",1,\"a\"]", first));
        assert_int_equal(count_changelog_files(&table), changelog_files);
        fixture_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_is_written_as_the_default_of_its_column),
        cmocka_unit_test(a_default_that_is_no_value_of_its_type_is_named),
        cmocka_unit_test(ignored_kinds_reach_neither_rows_nor_changelog),
        cmocka_unit_test(an_overwrite_makes_no_changelog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
