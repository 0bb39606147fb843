/* Snapshot files: Java's, byte by byte; and finding snapshots, tags and consumers. */
#include "meta_fixture.h"

static int files_compared;

/* Snapshots of the Flink connector 1.3 hold members that later versions leave out. */
static bool is_of_an_older_version(const char *text)
{
    return strstr(text, "\"logOffsets\"") != NULL || strstr(text, " : null") != NULL;
}

static void compare_snapshot(const char *path, void *context)
{
    (void)context;
    weir_error err;
    weir_arena arena;
    weir_buffer text = {0};
    weir_buffer again = {0};
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    assert_true(golden_read(path, &text));
    check_ok(weir_snapshot_parse(weir_buffer_slice(&text), path, &arena, &snapshot, &err), &err);
    if (!is_of_an_older_version(weir_buffer_text(&text))) {
        weir_snapshot_format(snapshot, &again);
        assert_string_equal(weir_buffer_text(&again), weir_buffer_text(&text));
        files_compared++;
    }
    weir_buffer_free(&text);
    weir_buffer_free(&again);
    weir_arena_free(&arena);
}

static void every_snapshot_of_java_is_written_again_byte_by_byte(void **state)
{
    (void)state;
    if (golden_available()) {
        golden_walk(golden_root(), "snapshot-", compare_snapshot, NULL);
        assert_true(files_compared > 200);
    }
}

static void tags_and_changelogs_are_snapshots_too(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    const char **names = NULL;
    size_t count = 0;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    if (golden_available()) {
        const char *root = golden_table(&arena, "tags");
        check_ok(weir_tag_list(weir_fs_local(), root, &arena, &names, &count, &err), &err);
        assert_int_equal(count, 2);
        for (size_t i = 0; i < count; i++) {
            check_ok(weir_tag_read(weir_fs_local(), root, names[i], &arena, &snapshot, &err), &err);
            assert_true(snapshot->id > 0);
        }
        root = golden_table(&arena, "expired-changelog");
        check_ok(weir_changelog_read(weir_fs_local(), root, 5, &arena, &snapshot, &err), &err);
        assert_int_equal(snapshot->id, 5);
        assert_int_equal(weir_tag_read(weir_fs_local(), root, "none", &arena, &snapshot, &err), WEIR_NOT_FOUND);
    }
    weir_arena_free(&arena);
}

static weir_snapshot example(int64_t id)
{
    return (weir_snapshot){.id = id,
                           .base_manifest_list = "manifest-list-x-0",
                           .base_manifest_list_size = -1,
                           .delta_manifest_list = "manifest-list-x-1",
                           .delta_manifest_list_size = 7,
                           .commit_user = "u",
                           .commit_identifier = WEIR_BATCH_COMMIT_IDENTIFIER,
                           .time_ms = 1000 * id,
                           .total_record_count = 3,
                           .delta_record_count = -3,
                           .changelog_record_count = -1,
                           .watermark = WEIR_NO_WATERMARK,
                           .next_row_id = -1};
}

static void all_members_come_back(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_buffer text = {0};
    weir_snapshot *back = NULL;
    const char *keys[] = {"a", "b"};
    const char *values[] = {"1", "two \"quoted\" ü"};
    weir_arena_init(&arena);
    weir_snapshot snapshot = example(9);
    snapshot.commit_kind = WEIR_COMMIT_ANALYZE;
    snapshot.has_watermark = true;
    snapshot.watermark = -5;
    snapshot.statistics = "stat-x-0";
    snapshot.index_manifest = "index-manifest-x-0";
    snapshot.changelog_manifest_list = "manifest-list-x-2";
    snapshot.changelog_manifest_list_size = 77;
    snapshot.changelog_record_count = 0;
    snapshot.property_keys = keys;
    snapshot.property_values = values;
    snapshot.property_count = 2;
    snapshot.next_row_id = 0;
    weir_snapshot_format(&snapshot, &text);
    check_ok(weir_snapshot_parse(weir_buffer_slice(&text), "s", &arena, &back, &err), &err);
    assert_int_equal(back->commit_kind, WEIR_COMMIT_ANALYZE);
    assert_true(back->has_watermark);
    assert_int_equal(back->watermark, -5);
    assert_int_equal(back->delta_record_count, -3);
    assert_int_equal(back->commit_identifier, INT64_MAX);
    assert_int_equal(back->changelog_record_count, 0);
    assert_int_equal(back->next_row_id, 0);
    assert_int_equal(back->base_manifest_list_size, -1);
    assert_string_equal(back->property_values[1], values[1]);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
}

static void publish(weir_fs *fs, int64_t id)
{
    weir_error err;
    weir_snapshot snapshot = example(id);
    check_ok(weir_snapshot_publish(fs, "/t", &snapshot, &err), &err);
}

static void check_ids(weir_fs *fs, int64_t earliest, int64_t latest)
{
    weir_error err;
    int64_t id = -1;
    check_ok(weir_snapshot_latest_id(fs, "/t", &id, &err), &err);
    assert_int_equal(id, latest);
    check_ok(weir_snapshot_earliest_id(fs, "/t", &id, &err), &err);
    assert_int_equal(id, earliest);
}

static void write_hint(weir_fs *fs, const char *name, const char *text)
{
    weir_error err;
    weir_arena arena;
    weir_arena_init(&arena);
    check_ok(weir_fs_replace(fs, weir_arena_format(&arena, "/t/snapshot/%s", name), weir_slice_text(text), &err), &err);
    weir_arena_free(&arena);
}

static void a_snapshot_behind_others_is_taken_back_with_its_hint(void **state)
{
    (void)state;
    weir_error err;
    weir_fs *fs = weir_fs_memory();
    int64_t greatest = 0;
    publish(fs, 7);
    publish(fs, 3);
    check_ids(fs, 3, 3); /* its hint hides the other */
    check_ok(weir_snapshot_greatest_id(fs, "/t", &greatest, &err), &err);
    assert_int_equal(greatest, 7);
    weir_snapshot_withdraw(fs, "/t", 3, greatest);
    check_ids(fs, 7, 7);
    weir_fs_close(fs);
}

static void hints_are_believed_only_when_the_folder_agrees(void **state)
{
    (void)state;
    weir_error err;
    weir_fs *fs = weir_fs_memory();
    check_ids(fs, 0, 0);
    for (int64_t id = 3; id <= 12; id++) {
        publish(fs, id);
    }
    check_ids(fs, 3, 12);
    static const char *const hints[] = {"5", "12", "99", "0", "-1", "garbage", ""};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        write_hint(fs, "LATEST", hints[i]);
        write_hint(fs, "EARLIEST", hints[i]);
        check_ids(fs, 3, 12);
    }
    check_ok(weir_fs_remove(fs, "/t/snapshot/LATEST", &err), &err);
    check_ok(weir_fs_remove(fs, "/t/snapshot/EARLIEST", &err), &err);
    check_ids(fs, 3, 12);
    weir_fs_close(fs);
}

static void a_taken_snapshot_id_is_told(void **state)
{
    (void)state;
    weir_error err;
    weir_fs *fs = weir_fs_memory();
    publish(fs, 1);
    weir_snapshot other = example(1);
    other.commit_user = "other";
    assert_int_equal(weir_snapshot_publish(fs, "/t", &other, &err), WEIR_EXISTS);
    weir_fs_close(fs);
}

static void snapshots_are_found_by_time(void **state)
{
    (void)state;
    static const struct {
        int64_t time_ms;
        int64_t before;
        int64_t after;
    } cases[] = {{2999, 0, 3}, {3000, 3, 4}, {3001, 3, 4}, {7999, 7, 8}, {12000, 12, 0}, {INT64_MAX, 12, 0}, {0, 0, 3}};
    weir_error err;
    weir_arena arena;
    weir_fs *fs = weir_fs_memory();
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    check_ok(weir_snapshot_at_time(fs, "/t", 5, false, &arena, &snapshot, &err), &err);
    assert_null(snapshot);
    for (int64_t id = 3; id <= 12; id++) {
        publish(fs, id);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_ok(weir_snapshot_at_time(fs, "/t", cases[i].time_ms, false, &arena, &snapshot, &err), &err);
        assert_int_equal(snapshot == NULL ? 0 : snapshot->id, cases[i].before);
        check_ok(weir_snapshot_at_time(fs, "/t", cases[i].time_ms, true, &arena, &snapshot, &err), &err);
        assert_int_equal(snapshot == NULL ? 0 : snapshot->id, cases[i].after);
    }
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

static void the_slowest_consumer_counts(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    int64_t least = 0;
    weir_arena_init(&arena);
    weir_fs *fs = weir_fs_memory();
    check_ok(weir_consumer_least_next_snapshot(fs, "/t", &least, &err), &err);
    assert_int_equal(least, -1);
    check_ok(weir_fs_replace(fs, "/t/consumer/consumer-a", weir_slice_text("{\"nextSnapshot\":9}"), &err), &err);
    check_ok(weir_fs_replace(fs, "/t/consumer/consumer-b", weir_slice_text("{\n  \"nextSnapshot\" : 4\n}"), &err),
             &err);
    check_ok(weir_consumer_least_next_snapshot(fs, "/t", &least, &err), &err);
    assert_int_equal(least, 4);
    check_ok(weir_fs_replace(fs, "/t/consumer/consumer-c", weir_slice_text("{"), &err), &err);
    assert_int_equal(weir_consumer_least_next_snapshot(fs, "/t", &least, &err), WEIR_CORRUPT);
    weir_fs_close(fs);
    if (golden_available()) {
        check_ok(weir_consumer_least_next_snapshot(weir_fs_local(), golden_table(&arena, "consumer"), &least, &err),
                 &err);
        assert_true(least > 0);
    }
    weir_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_snapshot_of_java_is_written_again_byte_by_byte),
        cmocka_unit_test(tags_and_changelogs_are_snapshots_too),
        cmocka_unit_test(all_members_come_back),
        cmocka_unit_test(a_snapshot_behind_others_is_taken_back_with_its_hint),
        cmocka_unit_test(hints_are_believed_only_when_the_folder_agrees),
        cmocka_unit_test(a_taken_snapshot_id_is_told),
        cmocka_unit_test(snapshots_are_found_by_time),
        cmocka_unit_test(the_slowest_consumer_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
