/* Tags, branches, rolling back and orphans: what they keep and remove, also when they are stopped half way. */
#include "cmocka_all.h"

#include "table/course.h"
#include "table/maintenance/rollback.h"

static void put_file(const course *self, const char *path)
{
    weir_error err = {0};
    must(weir_fs_replace(self->memory, path, weir_slice_text("stray"), &err), &err, path);
}

static void files_that_anything_names_are_no_orphans(void **state)
{
    static const char *const strays[] = {
        FIXTURE_PATH "/bucket-0/data-stray-0.parquet",  FIXTURE_PATH "/bucket-0/changelog-stray-0.parquet",
        FIXTURE_PATH "/bucket-7/data-stray-1.parquet",  FIXTURE_PATH "/manifest/manifest-stray-0",
        FIXTURE_PATH "/manifest/manifest-list-stray-0", FIXTURE_PATH "/statistics/stat-stray-0",
        FIXTURE_PATH "/snapshot/.snapshot-9.x.tmp",
    };
    static const char *const foreign[] = {FIXTURE_PATH "/notes.txt", FIXTURE_PATH "/other/data-1.parquet",
                                          FIXTURE_PATH "/snapshot/README"};
    size_t count = sizeof strays / sizeof strays[0];
    course self;
    (void)state;
    begin(&self);
    for (size_t i = 0; i < count; i++) {
        put_file(&self, strays[i]);
    }
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        put_file(&self, foreign[i]);
    }
    weir_sleep_ms(5);
    assert_int_equal(remove_orphans(&self, false, 3600000), 0); /* all too young */
    assert_int_equal(remove_orphans(&self, true, 0), count);
    assert_int_equal(remove_orphans(&self, false, 0), count);
    assert_int_equal(remove_orphans(&self, false, 0), 0);
    check_all(&self, "after orphans were removed", self.count);
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        bool exists = false;
        assert_int_equal(weir_fs_exists(self.memory, foreign[i], &exists, NULL), WEIR_OK);
        assert_true(exists);
    }
    end(&self);
}

static void nothing_is_removed_where_it_cannot_be_told_what_is_used(void **state)
{
    course self;
    weir_error err = {0};
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_orphans orphans;
    bool exists = false;
    (void)state;
    begin(&self);
    weir_arena_init(&arena);
    put_file(&self, FIXTURE_PATH "/bucket-0/data-stray-0.parquet");
    must(weir_snapshot_read(self.memory, FIXTURE_PATH, 3, &arena, &snapshot, &err), &err, "reading");
    const char *list = weir_arena_format(&arena, FIXTURE_PATH "/manifest/%s", snapshot->base_manifest_list);
    must(weir_fs_remove(self.memory, list, &err), &err, "removing a manifest list");
    weir_sleep_ms(5);
    assert_int_equal(weir_table_remove_orphans(self.table.table, weir_now_ms(), false, &arena, &orphans, &err),
                     WEIR_NOT_FOUND);
    must(weir_fs_exists(self.memory, FIXTURE_PATH "/bucket-0/data-stray-0.parquet", &exists, &err), &err, "looking");
    assert_true(exists);
    weir_arena_free(&arena);
    end(&self);
}

static void rolling_back_keeps_what_older_snapshots_tags_and_branches_need(void **state)
{
    (void)state;
    for (int64_t target = 2; target <= 5; target++) {
        course self;
        weir_error err = {0};
        const char **tags = NULL;
        size_t count = 0;
        weir_arena arena;
        begin(&self);
        weir_arena_init(&arena);
        must(weir_table_rollback_to_snapshot(self.table.table, target, &err), &err, "rolling back");
        assert_int_equal(latest_of(self.table.fs), target);
        check_all(&self, "after rolling back", target);
        must(weir_tag_list(self.table.fs, FIXTURE_PATH, &arena, &tags, &count, &err), &err, "tags");
        assert_int_equal(count, 1);
        weir_sleep_ms(5);
        assert_int_equal(remove_orphans(&self, true, 0), 0);
        weir_arena_free(&arena);
        end(&self);
    }
}

static void a_table_goes_on_after_rolling_back(void **state)
{
    course self;
    weir_error err = {0};
    lines found = {0};
    (void)state;
    begin(&self);
    must(weir_table_rollback_to_snapshot(self.table.table, 3, &err), &err, "rolling back");
    fixture_close(&self.table);
    fixture_open(&self.table);
    fixture_commit(&self.table, "[[50, \"later\"]]", "+I");
    assert_true(latest_of(self.table.fs) >= 4);
    must(rows_at(self.table.fs, NULL, NULL, NULL, &found, &err), &err, "reading");
    assert_int_equal(found.count, self.states[3].count + 1);
    check_all(&self, "after a commit on top", 3);
    lines_free(&found);
    end(&self);
}

static void rolling_back_leads_out_of_damage(void **state)
{
    enum { damages = 3 };
    const int64_t target = 3;
    (void)state;
    for (int damage = 0; damage < damages; damage++) {
        course self;
        weir_error err = {0};
        weir_arena arena;
        weir_snapshot *snapshot = NULL;
        begin(&self);
        weir_arena_init(&arena);
        must(weir_snapshot_read(self.memory, FIXTURE_PATH, self.count, &arena, &snapshot, &err), &err, "the snapshot");
        const char *names[damages] = {
            weir_arena_format(&arena, FIXTURE_PATH "/snapshot/snapshot-%" PRId64, snapshot->id),
            weir_arena_format(&arena, FIXTURE_PATH "/manifest/%s", snapshot->delta_manifest_list),
            weir_arena_format(&arena, FIXTURE_PATH "/manifest/%s", snapshot->base_manifest_list)};
        put_file(&self, names[damage]);
        must(weir_table_rollback_to_snapshot(self.table.table, target, &err), &err, names[damage]);
        assert_int_equal(latest_of(self.table.fs), target);
        check_all(&self, names[damage], target);
        weir_arena_free(&arena);
        end(&self);
    }
}

/* Stops the work at each of its operations, with the loss of everything that was not synced, and does it again. */
static void rolling_back_that_is_stopped_leaves_a_state_and_can_be_repeated(void **state)
{
    const int64_t target = 3;
    (void)state;
    for (uint64_t point = 1;; point++) {
        course self;
        weir_error err = {0};
        char when[64];
        begin(&self);
        snprintf(when, sizeof when, "stopped at operation %" PRIu64, point);
        weir_fs_fault_set_options(self.table.fs, (weir_fault_options){.stop_at = point});
        int code = weir_table_rollback_to_snapshot(self.table.table, target, &err);
        bool stopped = weir_fs_fault_operations(self.table.fs) >= point;
        weir_fs_memory_lose_unsynced(self.memory);
        weir_fs_fault_set_options(self.table.fs, (weir_fault_options){0});
        assert_true(stopped || code == WEIR_OK);
        int64_t latest = latest_of(self.table.fs);
        assert_in_range(latest, target, self.count);
        check_all(&self, when, latest);
        must(weir_table_rollback_to_snapshot(self.table.table, target, &err), &err, when);
        assert_int_equal(latest_of(self.table.fs), target);
        check_all(&self, when, target);
        weir_sleep_ms(2);
        remove_orphans(&self, false, 0);
        check_all(&self, when, target);
        end(&self);
        if (!stopped) {
            break;
        }
    }
}

static void a_tag_brings_back_a_snapshot_that_has_expired(void **state)
{
    course self;
    weir_error err = {0};
    int64_t id = 0, earliest = 0;
    (void)state;
    begin(&self);
    assert_true(expire_to(&self, 1) > 2);
    must(weir_table_rollback_to_tag(self.table.table, "two", &id, &err), &err, "rolling back");
    assert_int_equal(id, 2);
    assert_int_equal(latest_of(self.table.fs), 2);
    must(weir_snapshot_earliest_id(self.table.fs, FIXTURE_PATH, &earliest, &err), &err, "the earliest");
    assert_int_equal(earliest, 2);
    check_state(&self, "after rolling back to a tag", 2);
    check_named(&self, "the branch", "b", NULL, &self.branch_rows);
    end(&self);
}

static void the_files_that_only_a_tag_held_go_with_it(void **state)
{
    course self;
    weir_error err = {0};
    (void)state;
    begin(&self);
    must(weir_table_delete_branch(self.table.table, "b", &err), &err, "deleting the branch");
    expire_to(&self, 1);
    size_t before = count_files(&self, FIXTURE_PATH "/bucket-0");
    must(weir_table_delete_tag(self.table.table, "two", &err), &err, "deleting the tag");
    assert_true(count_files(&self, FIXTURE_PATH "/bucket-0") < before);
    check_state(&self, "after the tag was deleted", self.count);
    check_named(&self, "the other tag", NULL, "last", &self.states[self.count]);
    assert_int_equal(weir_table_delete_tag(self.table.table, "two", &err), WEIR_NOT_FOUND);
    end(&self);
}

static void deleting_a_tag_that_is_stopped_harms_nothing(void **state)
{
    (void)state;
    for (uint64_t point = 1;; point++) {
        course self;
        weir_error err = {0};
        char when[64];
        begin(&self);
        snprintf(when, sizeof when, "stopped at operation %" PRIu64, point);
        expire_to(&self, 1);
        weir_fs_fault_set_options(self.table.fs, (weir_fault_options){.stop_at = point});
        (void)weir_table_delete_tag(self.table.table, "last", &err);
        bool stopped = weir_fs_fault_operations(self.table.fs) >= point;
        weir_fs_memory_lose_unsynced(self.memory);
        weir_fs_fault_set_options(self.table.fs, (weir_fault_options){0});
        check_state(&self, when, self.count);
        check_named(&self, when, NULL, "two", &self.states[2]);
        check_named(&self, when, "b", NULL, &self.branch_rows);
        end(&self);
        if (!stopped) {
            break;
        }
    }
}

static void a_branch_begins_at_its_tag_and_the_table_becomes_it(void **state)
{
    course self;
    weir_error err = {0};
    lines found = {0};
    (void)state;
    begin(&self);
    must(weir_table_fast_forward(self.table.table, "b", &err), &err, "going forward");
    must(rows_at(self.table.fs, NULL, NULL, NULL, &found, &err), &err, "reading");
    check_equal("the table after fast_forward", &self.branch_rows, &found);
    check_state(&self, "what was before the branch", 1);
    assert_int_equal(weir_table_create_branch(self.table.table, "b", NULL, &err), WEIR_EXISTS);
    assert_int_equal(weir_table_create_branch(self.table.table, "c", "none", &err), WEIR_NOT_FOUND);
    assert_int_equal(weir_table_fast_forward(self.table.table, "c", &err), WEIR_NOT_FOUND);
    lines_free(&found);
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_anything_names_are_no_orphans),
        cmocka_unit_test(nothing_is_removed_where_it_cannot_be_told_what_is_used),
        cmocka_unit_test(rolling_back_keeps_what_older_snapshots_tags_and_branches_need),
        cmocka_unit_test(a_table_goes_on_after_rolling_back),
        cmocka_unit_test(rolling_back_leads_out_of_damage),
        cmocka_unit_test(rolling_back_that_is_stopped_leaves_a_state_and_can_be_repeated),
        cmocka_unit_test(a_tag_brings_back_a_snapshot_that_has_expired),
        cmocka_unit_test(the_files_that_only_a_tag_held_go_with_it),
        cmocka_unit_test(deleting_a_tag_that_is_stopped_harms_nothing),
        cmocka_unit_test(a_branch_begins_at_its_tag_and_the_table_becomes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
