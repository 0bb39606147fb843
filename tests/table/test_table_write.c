/* Writing: what becomes of rows before they reach a bucket's writer, what an overwrite tells its readers, memory,
 * schemas that change, and what an error leaves behind. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "fs/fault.h"
#include "table/table_fixture.h"

/* Publishes the next schema: as now, with a default value for the last column. */
static void set_default_of_last_column(fixture *table, const char *value)
{
    weir_error err = {0};
    weir_schema *altered = weir_arena_copy(&table->arena, table->table->schema, sizeof *table->table->schema);
    weir_field *fields =
        weir_arena_copy(&table->arena, altered->fields, sizeof *altered->fields * (size_t)altered->field_count);
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

/* ---- memory ---- */

/* Rows (p, k) with keys from `first` on. */
static void write_keys(fixture *table, int p, int first, int count)
{
    weir_batch batch;
    weir_error err = {0};
    weir_batch_init(&batch, table->table->schema->fields, table->table->schema->field_count);
    for (int i = 0; i < count; i++) {
        int32_t partition = p;
        int64_t key = first + i;
        must(weir_vector_append_raw(&batch.columns[0], &partition, sizeof partition, &err), &err, "p");
        must(weir_vector_append_raw(&batch.columns[1], &key, sizeof key, &err), &err, "k");
        batch.length++;
    }
    must(weir_table_write_batch(table->write, &batch, &err), &err, "writing");
    weir_batch_free(&batch);
}

static void a_buffer_that_was_flushed_takes_as_many_rows_again(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    fixture_create(&table, "p INT NOT NULL, k BIGINT NOT NULL", "p,k", "p",
                   "bucket=1;write-only=true;write-buffer-size=1 mb");
    for (int i = 0; i < 400; i++) { /* of 840 KB */
        write_keys(&table, 1, i * 100, 100);
        if (i == 200) {
            write_keys(&table, 1, i * 100, 20000); /* and of 420 KB: the first flush */
        }
    }
    fixture_prepare(&table, &prepared);
    fixture_commit_prepared(&table, &prepared);
    assert_int_equal(fixture_live_files(&table), 2);
    fixture_free(&table);
}

static void all_buckets_together_stay_within_the_buffer(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p INT NOT NULL, k BIGINT NOT NULL", "p,k", "p",
                   "bucket=1;write-only=true;write-buffer-size=1 mb");
    for (int p = 0; p < 40; p++) {
        write_keys(&table, p, 0, 10000); /* 210 KB each */
    }
    assert_true(fixture_count_files(&table, FIXTURE_PATH) >= 36);
    fixture_free(&table);
}

static void an_append_table_opens_no_file_for_a_few_rows(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    fixture_create(&table, "p INT, k BIGINT", "", "p", "bucket=-1");
    size_t before = fixture_count_files(&table, FIXTURE_PATH);
    for (int p = 0; p < 300; p++) {
        write_keys(&table, p, 0, 10);
    }
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH), before);
    write_keys(&table, 1, 10, 100000);
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH), before + 1);
    fixture_prepare(&table, &prepared);
    fixture_commit_prepared(&table, &prepared);
    assert_int_equal(fixture_live_files(&table), 300);
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    must(weir_scan_plan(table.table, NULL, &plan, &err), &err, "planning");
    assert_int_equal(plan->exact_row_count, 103000);
    weir_table_plan_free(plan);
    fixture_free(&table);
}

/* ---- partitions ---- */

static void null_empty_and_blank_partitions_are_told_apart(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p STRING, k BIGINT", "", "p", "bucket=-1");
    fixture_commit(&table, "[[null, 1], [\"\", 2], [\" \", 3], [null, 4], [\"x\", 5], [\"x\", 6], [\"\", 7]]", "+I");
    assert_string_equal(fixture_rows(&table, ""), "[\" \",3] [\"\",2] [\"\",7] [\"x\",5] [\"x\",6] [null,1] [null,4]");
    assert_int_equal(fixture_live_files(&table), 4);
    fixture_free(&table);
}

/* ---- schemas and conflicts ---- */

static void a_writer_does_not_compact_files_of_a_newer_schema(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    weir_table_write_reset(table.write);
    fixture_add_column(&table, "n");

    fixture other = table;
    fixture_open(&other);
    fixture_commit(&other, "[[2, \"b\", 7]]", "+I");
    fixture_close(&other);

    assert_int_equal(fixture_try_write(&table, "[[3, \"c\"]]", "+I", &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "open the table again"));
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\",null] [2,\"b\",7]");
    fixture_free(&table);
}

static void rows_written_while_a_compaction_is_dropped_stay(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared mine;
    weir_error err = {0};
    int64_t snapshot_id = 0;
    weir_log_set_level(WEIR_LOG_ERROR);
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[2, \"a\"]]", "+I");
    fixture_write(&table, "[[1, \"b\"]]", "+U");
    must(weir_table_write_compact_written(table.write, &err), &err, "compacting");
    fixture_prepare(&table, &mine);

    /* Another job compacts the same files and is faster. */
    fixture_prepared theirs = {.identifier = 1};
    weir_arena_init(&theirs.arena);
    must(weir_table_compact(table.table, true, NULL, &theirs.arena, &theirs.messages, &err), &err, "compacting");
    weir_committable committable = fixture_committable(&theirs);
    weir_table_commit *their_commit = NULL;
    must(weir_table_commit_open(table.table, "other", &their_commit, &err), &err, "opening to commit");
    must(weir_table_commit_run(their_commit, &committable, &snapshot_id, &err), &err, "committing theirs");
    weir_table_commit_close(their_commit);
    fixture_prepared_free(&theirs);

    fixture_write(&table, "[[3, \"c\"]]", "+I");
    fixture_commit_prepared(&table, &mine);
    assert_true(weir_table_commit_dropped_compaction(table.commit));
    must(weir_table_write_reload(table.write, &err), &err, "reloading");
    fixture_commit(&table, "[[2, \"d\"]]", "+U");
    assert_string_equal(fixture_rows(&table, ""), "[1,\"b\"] [2,\"d\"] [3,\"c\"]");
    must(weir_table_write_compact(table.write, weir_partition_none(), 0, true, &err), &err, "compacting again");
    fixture_prepare(&table, &mine);
    fixture_commit_prepared(&table, &mine);
    assert_false(weir_table_commit_dropped_compaction(table.commit));
    assert_string_equal(fixture_rows(&table, ""), "[1,\"b\"] [2,\"d\"] [3,\"c\"]");
    assert_int_equal(fixture_live_files(&table), 1);
    fixture_free(&table);
}

/* ---- errors ---- */

#define TEXT "a text of some length that fills the pages of a file a little"

/* Writes three keys and commits them, doing again what failed, as a careful caller would. */
static void write_and_commit(fixture *table)
{
    weir_error err = {0};
    fixture_prepared prepared;
    int64_t snapshot_id = 0;
    static const char rows[] = "[[1, \"" TEXT "\"], [2, \"" TEXT "\"], [3, \"" TEXT "\"]]";
    int code = fixture_try_write(table, rows, "+I", &err);
    bool written = code == WEIR_OK;
    if (written) {
        code = fixture_try_prepare(table, &prepared, &err);
    }
    if (code != WEIR_OK) {
        assert_int_equal(err.code, WEIR_IO);
        if (written) {
            assert_int_equal(prepared.messages.count, 0);
            fixture_prepared_free(&prepared);
            /* Going on as if nothing had happened is refused. */
            assert_int_equal(fixture_try_write(table, rows, "+I", &err), WEIR_INVALID);
            assert_int_equal(fixture_try_prepare(table, &prepared, &err), WEIR_INVALID);
            assert_non_null(strstr(err.message, "lost rows"));
            fixture_prepared_free(&prepared);
        }
        weir_table_write_reset(table->write);
        fixture_write(table, rows, "+I");
        fixture_prepare(table, &prepared);
    }
    weir_committable committable = fixture_committable(&prepared);
    code = weir_table_commit_run(table->commit, &committable, &snapshot_id, &err);
    if (code != WEIR_OK) {
        must(weir_table_commit_replay(table->commit, &committable, &snapshot_id, &err), &err, "replaying");
    }
    fixture_prepared_free(&prepared);
}

/* Returns how many operations there were to fail. */
static uint64_t fail_at(uint64_t point, const char *key, const char *options)
{
    fixture table;
    weir_fs *memory = weir_fs_memory();
    weir_fs *faulty = weir_fs_fault(memory, (weir_fault_options){0});
    fixture_create_on(&table, faulty, "k BIGINT NOT NULL, v STRING", key, "", options);
    fixture_commit(&table, "[[4, \"x\"]]", "+I");
    weir_fs_fault_set_options(faulty, (weir_fault_options){.stop_at = point, .fail_once = true});
    write_and_commit(&table);
    uint64_t operations = weir_fs_fault_operations(faulty);
    weir_fs_fault_set_options(faulty, (weir_fault_options){0});
    assert_string_equal(fixture_rows(&table, ""), "[1,\"" TEXT "\"] [2,\"" TEXT "\"] [3,\"" TEXT "\"] [4,\"x\"]");
    size_t changelogs = strstr(options, "input") != NULL ? 2 : 0;
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/bucket-0"),
                     fixture_live_files(&table) + (int64_t)changelogs);
    fixture_free(&table);
    weir_fs_close(memory);
    return operations;
}

static void a_passing_error_loses_doubles_and_leaves_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *options;
    } tables[] = {
        {"k", "bucket=1;write-only=true"},
        {"k", "bucket=1;write-only=true;changelog-producer=input"},
        {"k", "bucket=1;write-only=true;write-buffer-size=1 b"},
        {"", "bucket=-1"},
    };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        uint64_t point = 1;
        while (fail_at(point, tables[t].key, tables[t].options) >= point) {
            point++;
        }
        assert_true(point > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_is_written_as_the_default_of_its_column),
        cmocka_unit_test(a_default_that_is_no_value_of_its_type_is_named),
        cmocka_unit_test(ignored_kinds_reach_neither_rows_nor_changelog),
        cmocka_unit_test(an_overwrite_makes_no_changelog),
        cmocka_unit_test(a_buffer_that_was_flushed_takes_as_many_rows_again),
        cmocka_unit_test(all_buckets_together_stay_within_the_buffer),
        cmocka_unit_test(an_append_table_opens_no_file_for_a_few_rows),
        cmocka_unit_test(null_empty_and_blank_partitions_are_told_apart),
        cmocka_unit_test(a_writer_does_not_compact_files_of_a_newer_schema),
        cmocka_unit_test(rows_written_while_a_compaction_is_dropped_stay),
        cmocka_unit_test(a_passing_error_loses_doubles_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
