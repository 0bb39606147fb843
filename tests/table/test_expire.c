/* Expiry: what goes, and what a tag, a consumer or the options keep. */
#include "cmocka_all.h"

#include "support/fake_s3.h"
#include "table/table_fixture.h"

static int64_t expire(fixture *table, int64_t retain)
{
    weir_error err = {0};
    int64_t expired = -1;
    weir_expire_options options = {.retain_min = retain, .retain_max = retain, .older_than_ms = INT64_MIN};
    must(weir_table_expire(table->table, &options, &expired, &err), &err, "expiring");
    return expired;
}

static size_t count_files(weir_fs *fs, const char *folder)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries = NULL;
    size_t count = 0;
    weir_error err = {0};
    must(weir_fs_list(fs, folder, &arena, &entries, &count, &err), &err, "listing");
    weir_arena_free(&arena);
    return count;
}

static void create(fixture *table)
{
    fixture_create(table, "k BIGINT NOT NULL, v STRING", "k", "",
                   "bucket=1;snapshot.num-retained.min=100;snapshot.num-retained.max=200;"
                   "num-sorted-run.compaction-trigger=2");
}

static void files_of_expired_snapshots_go_and_no_others(void **state)
{
    (void)state;
    fixture table;
    create(&table);
    for (int i = 0; i < 6; i++) {
        fixture_commit(&table, "[[1, \"a\"], [2, \"b\"]]", "+U");
    }
    size_t before = count_files(table.fs, FIXTURE_PATH "/bucket-0");
    assert_true(expire(&table, 1) > 0);
    size_t after = count_files(table.fs, FIXTURE_PATH "/bucket-0");
    assert_true(after < before);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"b\"]");
    /* What is left is exactly what the one snapshot names. */
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    must(weir_scan_plan(table.table, NULL, &plan, &err), &err, "planning");
    assert_int_equal(plan->files_total, after);
    weir_table_plan_free(plan);
    /* One snapshot, the hints, no leftovers. */
    assert_int_equal(count_files(table.fs, FIXTURE_PATH "/snapshot"), 3);
    assert_int_equal(expire(&table, 1), 0);
    fixture_free(&table);
}

static void many_files_go_by_a_few_requests(void **state)
{
    (void)state;
    enum { BUCKETS = 40, COMMITS = 5 };
    fixture table;
    weir_buffer rows = {0};
    fake_s3 *s3 = fake_s3_start();
    fixture_create_on(&table, fake_s3_open(s3), "k BIGINT NOT NULL, v STRING", "k", "",
                      "bucket=40;snapshot.num-retained.min=100;snapshot.num-retained.max=200;"
                      "num-sorted-run.compaction-trigger=5;changelog-producer=input");
    for (int i = 0; i < 1000; i++) {
        weir_buffer_append_format(&rows, "%s[%d, \"a\"]", i == 0 ? "[" : ", ", i);
    }
    weir_buffer_append_text(&rows, "]");
    for (int i = 0; i < COMMITS; i++) {
        fixture_commit(&table, weir_buffer_text(&rows), "+U");
    }
    int files = s3->count;
    s3->deletes = s3->posts = 0;
    int64_t expired = expire(&table, 1);
    assert_true(expired >= COMMITS - 1);
    assert_true(files - s3->count > BUCKETS * COMMITS);
    /* Renaming a snapshot removes one; its data files, manifests and lists are three requests. */
    assert_in_range(s3->deletes, 0, expired);
    assert_in_range(s3->posts, 1, expired * 3 + 1);
    assert_memory_equal(fixture_rows(&table, ""), "[0,\"a\"] [1,\"a\"] ", 16);
    weir_buffer_free(&rows);
    fixture_free(&table);
    fake_s3_stop(s3);
}

static void a_tag_keeps_its_files(void **state)
{
    (void)state;
    fixture table;
    weir_buffer snapshot = {0};
    weir_error err = {0};
    create(&table);
    fixture_commit(&table, "[[1, \"old\"]]", "+I");
    must(weir_fs_read_all(table.fs, FIXTURE_PATH "/snapshot/snapshot-1", &snapshot, &err), &err, "reading");
    must(weir_fs_replace(table.fs, FIXTURE_PATH "/tag/tag-keep", weir_buffer_slice(&snapshot), &err), &err, "tagging");
    for (int i = 0; i < 5; i++) {
        fixture_commit(&table, "[[1, \"new\"]]", "+U");
    }
    assert_true(expire(&table, 1) > 0);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"new\"]");
    assert_string_equal(fixture_rows(&table, "scan.tag-name=keep"), "[1,\"old\"]");
    weir_buffer_free(&snapshot);
    fixture_free(&table);
}

static void a_tag_whose_changelog_java_removed_does_not_stop_expiry(void **state)
{
    (void)state;
    fixture table;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_snapshot *tagged = NULL;
    weir_buffer text = {0};
    weir_error err = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1;changelog-producer=input");
    fixture_commit(&table, "[[1, \"old\"]]", "+I");
    must(weir_snapshot_read(table.fs, FIXTURE_PATH, 1, &arena, &tagged, &err), &err, "reading");
    weir_snapshot_format(tagged, &text);
    must(weir_fs_replace(table.fs, FIXTURE_PATH "/tag/tag-keep", weir_buffer_slice(&text), &err), &err, "tagging");
    const char *list = weir_arena_format(&arena, FIXTURE_PATH "/manifest/%s", tagged->changelog_manifest_list);
    must(weir_fs_remove(table.fs, list, &err), &err, "removing the changelog's list");
    for (int i = 0; i < 5; i++) {
        fixture_commit(&table, "[[1, \"new\"]]", "+U");
    }
    assert_true(expire(&table, 1) > 0);
    assert_string_equal(fixture_rows(&table, "scan.tag-name=keep"), "[1,\"old\"]");
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    fixture_free(&table);
}

static void a_consumer_keeps_what_it_still_has_to_read(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    create(&table);
    for (int i = 0; i < 5; i++) {
        fixture_commit(&table, "[[1, \"a\"]]", "+U");
    }
    must(weir_fs_replace(table.fs, FIXTURE_PATH "/consumer/consumer-c1", weir_slice_text("{\"nextSnapshot\": 3}"), &err),
         &err, "writing a consumer");
    assert_int_equal(expire(&table, 1), 2);
    assert_string_equal(fixture_rows(&table, "scan.snapshot-id=3"), "[1,\"a\"]");
    fixture_free(&table);
}

static void an_interrupted_expiry_is_finished_by_the_next(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    create(&table);
    for (int i = 0; i < 6; i++) {
        fixture_commit(&table, "[[1, \"a\"]]", "+U");
    }
    /* The first one died after it had set two snapshots aside. */
    must(weir_fs_rename(table.fs, FIXTURE_PATH "/snapshot/snapshot-1", FIXTURE_PATH "/snapshot/expired-1", &err), &err,
         "setting aside");
    must(weir_fs_rename(table.fs, FIXTURE_PATH "/snapshot/snapshot-2", FIXTURE_PATH "/snapshot/expired-2", &err), &err,
         "setting aside");
    assert_true(expire(&table, 1) > 0);
    weir_table_plan *plan = NULL;
    must(weir_scan_plan(table.table, NULL, &plan, &err), &err, "planning");
    assert_int_equal(plan->files_total, count_files(table.fs, FIXTURE_PATH "/bucket-0"));
    weir_table_plan_free(plan);
    assert_int_equal(count_files(table.fs, FIXTURE_PATH "/snapshot"), 3);
    fixture_free(&table);
}

static void damage(fixture *table, const char *path, const char *text)
{
    weir_error err = {0};
    must(weir_fs_replace(table->fs, path, weir_slice_text(text), &err), &err, "damaging");
}

static void what_is_damaged_goes_with_the_others(void **state)
{
    (void)state;
    fixture table;
    weir_arena arena;
    weir_snapshot *third = NULL;
    weir_error err = {0};
    weir_arena_init(&arena);
    create(&table);
    for (int i = 0; i < 8; i++) {
        fixture_commit(&table, "[[1, \"a\"]]", "+U");
    }
    must(weir_snapshot_read(table.fs, FIXTURE_PATH, 3, &arena, &third, &err), &err, "reading");
    damage(&table, FIXTURE_PATH "/snapshot/snapshot-2", "{");
    damage(&table, weir_arena_format(&arena, FIXTURE_PATH "/manifest/%s", third->delta_manifest_list), "Obj");
    assert_true(expire(&table, 1) > 3);
    assert_int_equal(count_files(table.fs, FIXTURE_PATH "/snapshot"), 3);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"]");
    weir_arena_free(&arena);
    fixture_free(&table);
}

/* Nobody can tell its age, so it stays until one after it is old. */
static void a_damaged_snapshot_between_young_ones_stays(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    int64_t expired = -1;
    weir_expire_options options = {.retain_min = 1, .retain_max = 100, .older_than_ms = 0};
    create(&table);
    for (int i = 0; i < 6; i++) {
        fixture_commit(&table, "[[1, \"a\"]]", "+U");
    }
    damage(&table, FIXTURE_PATH "/snapshot/snapshot-1", "{");
    must(weir_table_expire(table.table, &options, &expired, &err), &err, "expiring");
    assert_int_equal(expired, 0);
    options.older_than_ms = INT64_MAX;
    must(weir_table_expire(table.table, &options, &expired, &err), &err, "expiring");
    assert_true(expired > 3);
    assert_int_equal(count_files(table.fs, FIXTURE_PATH "/snapshot"), 3);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_expired_snapshots_go_and_no_others),
        cmocka_unit_test(many_files_go_by_a_few_requests),
        cmocka_unit_test(a_tag_keeps_its_files),
        cmocka_unit_test(a_tag_whose_changelog_java_removed_does_not_stop_expiry),
        cmocka_unit_test(a_consumer_keeps_what_it_still_has_to_read),
        cmocka_unit_test(an_interrupted_expiry_is_finished_by_the_next),
        cmocka_unit_test(what_is_damaged_goes_with_the_others),
        cmocka_unit_test(a_damaged_snapshot_between_young_ones_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
