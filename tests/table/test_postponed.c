/* Tables with 'bucket' = '-2': rows wait until a compaction gives them a bucket. */
#include "cmocka_all.h"

#include "support/table_files.h"
#include "table/table_fixture.h"
#include "table/write/compact.h"

#define COLUMNS "p INT NOT NULL, k INT NOT NULL, v STRING"

static void create(fixture *table, const char *options)
{
    char all[256];
    snprintf(all, sizeof all, "bucket=-2;%s", options);
    fixture_create(table, COLUMNS, "p,k", "p", all);
}

static int64_t latest_of(const fixture *table)
{
    weir_error err = {0};
    int64_t id = 0;
    must(weir_snapshot_latest_id(table->fs, FIXTURE_PATH, &id, &err), &err, "the latest snapshot");
    return id;
}

static int64_t compact(fixture *table, bool full)
{
    weir_error err = {0};
    weir_arena arena;
    weir_commit_messages messages = {0};
    int64_t snapshot_id = 0;
    weir_arena_init(&arena);
    must(weir_table_compact(table->table, full, NULL, &arena, &messages, &err), &err, "compacting");
    weir_committable committable = {
        .identifier = ++table->identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    must(weir_table_commit_run(table->commit, &committable, &snapshot_id, &err), &err, "committing a compaction");
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return snapshot_id;
}

static void expire_to_one(const fixture *table)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MAX};
    must(weir_table_expire(table->table, &options, &expired, &err), &err, "expiring");
}

static void rows_are_not_seen_while_they_wait(void **state)
{
    (void)state;
    fixture table;
    create(&table, "");
    assert_int_equal(fixture_commit(&table, "[[1, 1, \"a\"], [2, 1, \"a\"]]", "+I"), 1);
    assert_string_equal(fixture_rows(&table, ""), "");
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-postpone"), 1);
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=2/bucket-postpone"), 1);
    fixture_free(&table);
}

static void the_files_tell_who_wrote_them(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_file_info *files = NULL;
    size_t count = 0;
    fixture table;
    create(&table, "");
    weir_table_write_close(table.write);
    weir_table_write_options options = {.commit_user = "job-7"};
    must(weir_table_write_open(table.table, &options, &table.write, &err), &err, "opening to write");
    fixture_commit(&table, "[[1, 1, \"a\"]]", "+I");
    must(weir_fs_list(table.fs, FIXTURE_PATH "/p=1/bucket-postpone", &table.arena, &files, &count, &err), &err,
         "listing");
    assert_int_equal(count, 1);
    assert_int_equal(strncmp(files[0].name, "data--u-job-7-s-0-w-", 20), 0);
    assert_string_equal(weir_data_file_format(files[0].name), "avro");
    fixture_free(&table);
}

static void a_compaction_gives_them_buckets_in_the_order_they_came(void **state)
{
    (void)state;
    fixture table;
    create(&table, "postpone.default-bucket-num=3");
    fixture_commit(&table, "[[1, 1, \"a\"], [1, 2, \"a\"], [1, 3, \"a\"], [1, 1, \"b\"]]", "+I");
    fixture_commit(&table, "[[1, 2, null]]", "-D");
    fixture_commit(&table, "[[1, 3, \"c\"], [2, 9, \"c\"]]", "+I");
    assert_int_equal(compact(&table, true), 4); /* one snapshot */
    assert_string_equal(fixture_rows(&table, ""), "[1,1,\"b\"] [1,3,\"c\"] [2,9,\"c\"]");
    assert_int_equal(compact(&table, false), 0);
    expire_to_one(&table);
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-postpone"), 0);
    check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);
    fixture_free(&table);
}

static void a_minor_compaction_gives_them_buckets_too(void **state)
{
    (void)state;
    fixture table;
    create(&table, "postpone.default-bucket-num=2");
    for (int i = 0; i < 8; i++) {
        char rows[64];
        snprintf(rows, sizeof rows, "[[1, %d, \"r\"], [1, 0, \"%d\"]]", i, i);
        fixture_commit(&table, rows, "+I");
        assert_true(compact(&table, false) > 0);
    }
    assert_string_equal(fixture_rows(&table, ""),
                        "[1,0,\"7\"] [1,1,\"r\"] [1,2,\"r\"] [1,3,\"r\"] [1,4,\"r\"] [1,5,\"r\"] [1,6,\"r\"] "
                        "[1,7,\"r\"]");
    expire_to_one(&table);
    check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);
    fixture_free(&table);
}

static void a_partition_keeps_its_number_of_buckets(void **state)
{
    (void)state;
    fixture table;
    create(&table, "postpone.default-bucket-num=2");
    fixture_commit(&table, "[[1, 1, \"a\"], [1, 2, \"a\"], [1, 3, \"a\"]]", "+I");
    compact(&table, true);
    fixture_set_option(&table, "postpone.default-bucket-num", "5");
    fixture_close(&table);
    fixture_open(&table);
    fixture_commit(&table, "[[1, 1, \"b\"], [1, 2, \"b\"], [1, 3, \"b\"], [2, 1, \"b\"]]", "+I");
    compact(&table, true);
    assert_string_equal(fixture_rows(&table, ""), "[1,1,\"b\"] [1,2,\"b\"] [1,3,\"b\"] [2,1,\"b\"]");
    fixture_free(&table);
}

static void batches_need_not_wait(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table;
    create(&table, "postpone.default-bucket-num=2");
    weir_table_write_close(table.write);
    weir_table_write_options options = {.commit_user = "batch", .batch = true};
    must(weir_table_write_open(table.table, &options, &table.write, &err), &err, "opening to write");
    fixture_commit(&table, "[[1, 1, \"a\"], [1, 2, \"a\"], [1, 3, \"a\"]]", "+I");
    fixture_commit(&table, "[[1, 1, \"b\"], [2, 3, \"b\"]]", "+I");
    assert_string_equal(fixture_rows(&table, ""), "[1,1,\"b\"] [1,2,\"a\"] [1,3,\"a\"] [2,3,\"b\"]");
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-postpone"), 0);
    fixture_free(&table);
}

static void a_compaction_tells_the_changes(void **state)
{
    (void)state;
    weir_stream_scan *scan = NULL;
    fixture table;
    create(&table, "changelog-producer=lookup");
    fixture_commit(&table, "[[1, 1, \"a\"], [1, 2, \"a\"]]", "+I");
    compact(&table, true);
    fixture_commit(&table, "[[1, 1, \"b\"], [1, 3, \"b\"]]", "+I");
    fixture_commit(&table, "[[1, 2, null]]", "-D");
    compact(&table, true);
    assert_string_equal(fixture_stream(&table, &scan, "scan.mode=from-snapshot;scan.snapshot-id=1"),
                        "[2,\"+I\",1,1,\"a\"] [2,\"+I\",1,2,\"a\"] [5,\"+I\",1,3,\"b\"] [5,\"+U\",1,1,\"b\"] "
                        "[5,\"-D\",1,2,\"a\"] [5,\"-U\",1,1,\"a\"]");
    fixture_free(&table);
}

static void two_compactions_of_the_same_rows_give_them_once(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_arena arena;
    weir_commit_messages messages = {0};
    int64_t snapshot_id = 0;
    fixture table;
    create(&table, "");
    fixture_commit(&table, "[[1, 1, \"a\"], [1, 2, \"a\"]]", "+I");
    weir_arena_init(&arena);
    must(weir_table_compact(table.table, true, NULL, &arena, &messages, &err), &err, "compacting");
    compact(&table, true);
    weir_committable committable = {.identifier = 77, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    must(weir_table_commit_run(table.commit, &committable, &snapshot_id, &err), &err, "committing");
    assert_true(weir_table_commit_dropped_compaction(table.commit));
    assert_int_equal(latest_of(&table), 2);
    assert_string_equal(fixture_rows(&table, ""), "[1,1,\"a\"] [1,2,\"a\"]");
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    expire_to_one(&table);
    check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_not_seen_while_they_wait),
        cmocka_unit_test(the_files_tell_who_wrote_them),
        cmocka_unit_test(a_compaction_gives_them_buckets_in_the_order_they_came),
        cmocka_unit_test(a_minor_compaction_gives_them_buckets_too),
        cmocka_unit_test(a_partition_keeps_its_number_of_buckets),
        cmocka_unit_test(batches_need_not_wait),
        cmocka_unit_test(a_compaction_tells_the_changes),
        cmocka_unit_test(two_compactions_of_the_same_rows_give_them_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
