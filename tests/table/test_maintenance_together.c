/* Tags, branches and rolling back beside what else is at work on a table: other programs, an expiry that was stopped,
 * changelogs that outlive their snapshots. */
#include "cmocka_all.h"

#include "table/course.h"
#include "table/maintenance/rollback.h"

/* As Paimon leaves snapshots whose changelogs are kept longer. */
static void decouple_changelog(const course *self, int64_t id)
{
    weir_error err = {0};
    char from[128], to[128];
    snprintf(from, sizeof from, FIXTURE_PATH "/snapshot/snapshot-%" PRId64, id);
    snprintf(to, sizeof to, FIXTURE_PATH "/changelog/changelog-%" PRId64, id);
    must(weir_fs_make_directories(self->memory, FIXTURE_PATH "/changelog", &err), &err, "a folder for changelogs");
    must(weir_fs_rename(self->memory, from, to, &err), &err, "decoupling a changelog");
}

static void what_a_decoupled_changelog_names_is_no_orphan(void **state)
{
    course self;
    (void)state;
    begin(&self);
    decouple_changelog(&self, 1);
    weir_sleep_ms(5);
    assert_int_equal(remove_orphans(&self, true, 0), 0);
    end(&self);
}

static void a_tag_leaves_what_a_decoupled_changelog_needs(void **state)
{
    course self;
    weir_error err = {0};
    weir_arena arena;
    weir_snapshot *changelog = NULL;
    bool exists[2] = {false, false};
    (void)state;
    begin(&self);
    weir_arena_init(&arena);
    must(weir_table_delete_branch(self.table.table, "b", &err), &err, "deleting the branch");
    decouple_changelog(&self, 1);
    decouple_changelog(&self, 2);
    must(weir_table_delete_tag(self.table.table, "two", &err), &err, "deleting the tag");
    must(weir_changelog_read(self.memory, FIXTURE_PATH, 2, &arena, &changelog, &err), &err, "reading a changelog");
    const char *lists[2] = {changelog->delta_manifest_list, changelog->changelog_manifest_list};
    for (int i = 0; i < 2; i++) {
        const char *path = weir_arena_format(&arena, FIXTURE_PATH "/manifest/%s", lists[i]);
        must(weir_fs_exists(self.memory, path, &exists[i], &err), &err, path);
    }
    assert_true(exists[0] && exists[1]);
    weir_arena_free(&arena);
    end(&self);
}

/* Keys that the table never had, so that each is a row more. */
static void commit_new_rows(course *self, int64_t first, int64_t count)
{
    fixture_close(&self->table);
    fixture_open(&self->table);
    for (int64_t i = 0; i < count; i++) {
        char rows[64];
        snprintf(rows, sizeof rows, "[[%" PRId64 ", \"later\"]]", first + i);
        fixture_commit(&self->table, rows, "+I");
    }
}

/* The rows of a state and `later` new ones. */
static void check_rows(const course *self, const char *when, int64_t state, size_t later)
{
    weir_error err = {0};
    lines found = {0};
    size_t found_later = 0;
    must(rows_at(self->table.fs, NULL, NULL, NULL, &found, &err), &err, when);
    for (size_t i = 0; i < found.count; i++) {
        found_later += strstr(found.items[i], "later") != NULL;
    }
    if (found_later != later || found.count != self->states[state].count + later) {
        fail_msg("%s: %zu rows, of them %zu new", when, found.count, found_later);
    }
    lines_free(&found);
}

static void an_expiry_that_was_stopped_forgets_what_was_rolled_back(void **state)
{
    (void)state;
    for (uint64_t point = 1;; point++) {
        course self;
        weir_error err = {0};
        char when[64];
        int64_t id = 0, expired = 0;
        weir_expire_options options = {.retain_min = 1, .retain_max = 1, .older_than_ms = weir_now_ms()};
        begin(&self);
        snprintf(when, sizeof when, "expiry stopped at operation %" PRIu64, point);
        weir_fs_fault_set_options(self.table.fs, (weir_fault_options){.stop_at = point});
        (void)weir_table_expire(self.table.table, &options, &expired, &err);
        bool stopped = weir_fs_fault_operations(self.table.fs) >= point;
        weir_fs_memory_lose_unsynced(self.memory);
        weir_fs_fault_set_options(self.table.fs, (weir_fault_options){0});
        must(weir_table_rollback_to_tag(self.table.table, "two", &id, &err), &err, when);
        must(weir_table_delete_branch(self.table.table, "b", &err), &err, when);
        must(weir_table_delete_tag(self.table.table, "two", &err), &err, when);
        check_state(&self, when, 2);
        commit_new_rows(&self, 100, 4);
        expire_to(&self, 2);
        check_rows(&self, when, 2, 4);
        expire_to(&self, 1);
        check_rows(&self, when, 2, 4);
        end(&self);
        if (!stopped) {
            break;
        }
    }
}

/* Rolls back to an expired tag, stops at an operation and goes on writing. Returns whether it was stopped. */
static bool write_after_stopping_at(uint64_t point, bool power_loss)
{
    course self;
    weir_error err = {0};
    char when[80];
    int64_t id = 0;
    begin(&self);
    expire_to(&self, 1);
    snprintf(when, sizeof when, "stopped at operation %" PRIu64 "%s", point, power_loss ? " by a power loss" : "");
    weir_fs_fault_set_options(self.table.fs, (weir_fault_options){.stop_at = point});
    (void)weir_table_rollback_to_tag(self.table.table, "two", &id, &err);
    bool stopped = weir_fs_fault_operations(self.table.fs) >= point;
    if (power_loss) {
        weir_fs_memory_lose_unsynced(self.memory);
    }
    weir_fs_fault_set_options(self.table.fs, (weir_fault_options){0});
    int64_t latest = latest_of(self.table.fs);
    check_state(&self, when, latest);
    commit_new_rows(&self, 100, 6);
    check_rows(&self, when, latest, 6);
    end(&self);
    return stopped;
}

static void rolling_back_to_an_expired_tag_that_is_stopped_leaves_a_table_to_write_to(void **state)
{
    (void)state;
    for (uint64_t point = 1; write_after_stopping_at(point, false) | write_after_stopping_at(point, true); point++) {
    }
}

static bool forward_again_after_stopping_at(uint64_t point, bool power_loss)
{
    course self;
    weir_error err = {0};
    char when[80];
    begin(&self);
    snprintf(when, sizeof when, "stopped at operation %" PRIu64 "%s", point, power_loss ? " by a power loss" : "");
    weir_fs_fault_set_options(self.table.fs, (weir_fault_options){.stop_at = point});
    (void)weir_table_fast_forward(self.table.table, "b", &err);
    bool stopped = weir_fs_fault_operations(self.table.fs) >= point;
    if (power_loss) {
        weir_fs_memory_lose_unsynced(self.memory);
    }
    weir_fs_fault_set_options(self.table.fs, (weir_fault_options){0});
    fixture_close(&self.table);
    fixture_open(&self.table);
    check_named(&self, when, "b", NULL, &self.branch_rows);
    must(weir_table_fast_forward(self.table.table, "b", &err), &err, when);
    check_named(&self, when, NULL, NULL, &self.branch_rows);
    check_state(&self, when, 1);
    end(&self);
    return stopped;
}

static void going_forward_that_is_stopped_can_be_repeated(void **state)
{
    (void)state;
    for (uint64_t point = 1;
         forward_again_after_stopping_at(point, false) | forward_again_after_stopping_at(point, true); point++) {
    }
}

static void there_is_no_rolling_back_to_a_snapshot_that_is_missing(void **state)
{
    course self;
    weir_error err = {0};
    (void)state;
    begin(&self);
    decouple_changelog(&self, 3);
    assert_int_equal(weir_table_rollback_to_snapshot(self.table.table, 3, &err), WEIR_NOT_FOUND);
    check_state(&self, "after nothing was rolled back", self.count);
    end(&self);
}

static void the_table_that_becomes_a_branch_begins_where_the_branch_does(void **state)
{
    course self;
    weir_error err = {0};
    bool exists = true;
    (void)state;
    begin(&self);
    expire_to(&self, self.count - 2);
    must(weir_table_fast_forward(self.table.table, "b", &err), &err, "going forward");
    must(weir_fs_exists(self.memory, FIXTURE_PATH "/snapshot/EARLIEST", &exists, &err), &err, "looking");
    assert_false(exists); /* other programs believe it where its snapshot exists */
    check_named(&self, "the table", NULL, NULL, &self.branch_rows);
    end(&self);
}

static void a_tag_that_alone_holds_its_snapshot_can_be_made_anew(void **state)
{
    course self;
    weir_error err = {0};
    weir_tag_options longer = {.snapshot_id = 2, .retained_ms = 3600000, .replace = true};
    (void)state;
    begin(&self);
    must(weir_table_delete_branch(self.table.table, "b", &err), &err, "deleting the branch");
    expire_to(&self, 1);
    must(weir_table_create_tag(self.table.table, "two", &longer, NULL, &err), &err, "replacing the tag");
    check_named(&self, "the tag made anew", NULL, "two", &self.states[2]);
    size_t before = count_files(&self, FIXTURE_PATH "/bucket-0");
    longer.snapshot_id = 0;
    must(weir_table_create_tag(self.table.table, "two", &longer, NULL, &err), &err, "moving the tag");
    check_named(&self, "the tag that was moved", NULL, "two", &self.states[self.count]);
    assert_true(count_files(&self, FIXTURE_PATH "/bucket-0") < before);
    end(&self);
}

/* What another program does once, in the middle of an operation: the tag gets another name right after the folder of
 * tags was listed, or a snapshot is set aside before a tag on it appears. */
static struct {
    weir_fs_ops ops;
    const weir_fs_ops *usual;
    weir_fs *memory;
} meddling;

static int list_and_rename(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *count,
                           weir_error *err)
{
    int code = meddling.usual->list(fs, path, arena, out, count, err);
    if (strcmp(path, FIXTURE_PATH "/tag") == 0) {
        fs->ops = meddling.usual;
        must(weir_fs_rename(meddling.memory, FIXTURE_PATH "/tag/tag-two", FIXTURE_PATH "/tag/tag-zwei", err), err,
             "renaming the tag");
    }
    return code;
}

static void rename_tag_at_next_list(course *self)
{
    weir_fs *fs = self->table.fs;
    meddling.ops = *fs->ops;
    meddling.usual = fs->ops;
    meddling.memory = self->memory;
    meddling.ops.list = list_and_rename;
    fs->ops = &meddling.ops;
}

static void a_tag_that_is_renamed_meanwhile_keeps_its_files(void **state)
{
    (void)state;
    for (int orphans = 0; orphans < 2; orphans++) {
        course self;
        weir_error err = {0};
        begin(&self);
        must(weir_table_delete_branch(self.table.table, "b", &err), &err, "deleting the branch");
        if (orphans) {
            expire_to(&self, 1);
            weir_sleep_ms(5);
            rename_tag_at_next_list(&self);
            remove_orphans(&self, false, 0);
        } else {
            rename_tag_at_next_list(&self);
            expire_to(&self, 1);
        }
        check_named(&self, "the renamed tag", NULL, "zwei", &self.states[2]);
        end(&self);
    }
}

static int publish_too_late(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    fs->ops = meddling.usual;
    must(weir_fs_rename(meddling.memory, FIXTURE_PATH "/snapshot/snapshot-1", FIXTURE_PATH "/snapshot/expired-1", err),
         err, "setting a snapshot aside");
    return weir_fs_publish(fs, path, bytes, err);
}

static void a_tag_that_comes_too_late_for_its_snapshot_is_none(void **state)
{
    course self;
    weir_error err = {0};
    weir_tag_options first = {.snapshot_id = 1, .retained_ms = -1};
    bool exists = true;
    (void)state;
    begin(&self);
    meddling.ops = *self.table.fs->ops;
    meddling.usual = self.table.fs->ops;
    meddling.memory = self.memory;
    meddling.ops.publish = publish_too_late;
    self.table.fs->ops = &meddling.ops;
    assert_int_equal(weir_table_create_tag(self.table.table, "first", &first, NULL, &err), WEIR_CONFLICT);
    must(weir_fs_exists(self.memory, FIXTURE_PATH "/tag/tag-first", &exists, &err), &err, "looking");
    assert_false(exists);
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_decoupled_changelog_names_is_no_orphan),
        cmocka_unit_test(a_tag_leaves_what_a_decoupled_changelog_needs),
        cmocka_unit_test(an_expiry_that_was_stopped_forgets_what_was_rolled_back),
        cmocka_unit_test(rolling_back_to_an_expired_tag_that_is_stopped_leaves_a_table_to_write_to),
        cmocka_unit_test(a_tag_that_alone_holds_its_snapshot_can_be_made_anew),
        cmocka_unit_test(a_tag_that_is_renamed_meanwhile_keeps_its_files),
        cmocka_unit_test(a_tag_that_comes_too_late_for_its_snapshot_is_none),
        cmocka_unit_test(going_forward_that_is_stopped_can_be_repeated),
        cmocka_unit_test(there_is_no_rolling_back_to_a_snapshot_that_is_missing),
        cmocka_unit_test(the_table_that_becomes_a_branch_begins_where_the_branch_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
