/* Tags, branches, rolling back and orphans: what they keep and remove, also when they are stopped half way. */
#include "cmocka_all.h"

#include "base/clock.h"
#include "fs/fault.h"
#include "table/branch.h"
#include "table/orphan_files.h"
#include "table/rollback.h"
#include "table/tag.h"
#include "table_fixture.h"

#define MOST_SNAPSHOTS 12

/* A table with snapshots 1 to `count`, one of them a compaction, tags `two` and `last`, and branch `b` with a commit of
 * its own; and the rows of every snapshot. */
typedef struct course {
    weir_fs *memory;
    fixture table;
    int64_t count;
    lines states[MOST_SNAPSHOTS + 1];
    lines branch_rows;
} course;

static int rows_at(weir_fs *fs, const char *branch, const char *key, const char *value, lines *out, weir_error *err)
{
    weir_arena arena;
    weir_options options = {0};
    weir_arena_init(&arena);
    if (key != NULL) {
        weir_options_set(&options, &arena, key, value);
    }
    int code = table_rows(fs, FIXTURE_PATH, branch, &options, false, out, err);
    weir_arena_free(&arena);
    return code;
}

static void read_state(const course *self, int64_t id, lines *out)
{
    weir_error err = {0};
    char value[24];
    snprintf(value, sizeof value, "%" PRId64, id);
    must(rows_at(self->table.fs, NULL, "scan.snapshot-id", value, out, &err), &err, "reading a snapshot");
}

static int64_t latest_of(weir_fs *fs)
{
    weir_error err = {0};
    int64_t id = 0;
    must(weir_snapshot_latest_id(fs, FIXTURE_PATH, &id, &err), &err, "the latest snapshot");
    return id;
}

static void write_to_branch(const course *self)
{
    weir_error err = {0};
    fixture branch = {.fs = self->table.fs};
    weir_table_open_options open = {.branch = "b"};
    weir_arena_init(&branch.arena);
    must(weir_table_open(branch.fs, FIXTURE_PATH, &open, &branch.table, &err), &err, "opening the branch");
    must(weir_table_write_open(branch.table, NULL, &branch.write, &err), &err, "writing the branch");
    must(weir_table_commit_open(branch.table, "branch", &branch.commit, &err), &err, "committing to the branch");
    fixture_commit(&branch, "[[100, \"of b\"]]", "+I");
    fixture_close(&branch);
    weir_arena_free(&branch.arena);
}

static void begin(course *self)
{
    weir_error err = {0};
    weir_tag_options two = {.snapshot_id = 2, .retained_ms = -1}, last = {.retained_ms = 3600000};
    *self = (course){.memory = weir_fs_memory()};
    fixture_create_on(&self->table, weir_fs_fault(self->memory, (weir_fault_options){0}), "k INT NOT NULL, v STRING",
                      "k", "", "bucket=1;num-sorted-run.compaction-trigger=3;changelog-producer=input");
    for (int i = 1; i <= 5; i++) {
        char rows[128];
        snprintf(rows, sizeof rows, "[[%d, \"new %d\"], [0, \"changed %d\"]]", i, i, i);
        fixture_commit(&self->table, rows, "+I");
    }
    self->count = latest_of(self->table.fs);
    assert_in_range(self->count, 6, MOST_SNAPSHOTS);
    must(weir_table_create_tag(self->table.table, "two", &two, NULL, &err), &err, "tagging");
    must(weir_table_create_tag(self->table.table, "last", &last, NULL, &err), &err, "tagging");
    must(weir_table_create_branch(self->table.table, "b", "two", &err), &err, "branching");
    write_to_branch(self);
    for (int64_t id = 1; id <= self->count; id++) {
        read_state(self, id, &self->states[id]);
    }
    must(rows_at(self->table.fs, "b", NULL, NULL, &self->branch_rows, &err), &err, "reading the branch");
}

static void end(course *self)
{
    for (int64_t id = 1; id <= self->count; id++) {
        lines_free(&self->states[id]);
    }
    lines_free(&self->branch_rows);
    fixture_free(&self->table);
    weir_fs_close(self->memory);
}

static void check_equal(const char *when, const lines *expected, const lines *found)
{
    const char *difference = lines_difference(expected, found);
    if (difference != NULL) {
        fail_msg("%s: %s", when, difference);
    }
}

static void check_state(const course *self, const char *when, int64_t id)
{
    lines found = {0};
    read_state(self, id, &found);
    check_equal(when, &self->states[id], &found);
    lines_free(&found);
}

static void check_named(const course *self, const char *when, const char *branch, const char *tag,
                        const lines *expected)
{
    weir_error err = {0};
    lines found = {0};
    must(rows_at(self->table.fs, branch, tag != NULL ? "scan.tag-name" : NULL, tag, &found, &err), &err, when);
    check_equal(when, expected, &found);
    lines_free(&found);
}

/* Everything up to snapshot `last` is there, with tag `two` and the branch. */
static void check_all(const course *self, const char *when, int64_t last)
{
    for (int64_t id = 1; id <= last; id++) {
        check_state(self, when, id);
    }
    check_named(self, when, NULL, "two", &self->states[2]);
    check_named(self, when, "b", NULL, &self->branch_rows);
}

static size_t remove_orphans(const course *self, bool dry_run, int64_t age_ms)
{
    weir_error err = {0};
    weir_arena arena;
    weir_orphans orphans;
    weir_arena_init(&arena);
    must(weir_table_remove_orphans(self->table.table, weir_now_ms() - age_ms, dry_run, &arena, &orphans, &err), &err,
         "removing orphans");
    size_t count = orphans.count;
    weir_arena_free(&arena);
    return count;
}

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

static int64_t expire_to(const course *self, int64_t keep)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 1, .retain_max = keep, .older_than_ms = weir_now_ms()};
    must(weir_table_expire(self->table.table, &options, &expired, &err), &err, "expiring");
    return expired;
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

static size_t count_files(const course *self, const char *folder)
{
    weir_error err = {0};
    weir_arena arena;
    weir_file_info *files = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    must(weir_fs_list(self->memory, folder, &arena, &files, &count, &err), &err, "listing");
    weir_arena_free(&arena);
    return count;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_anything_names_are_no_orphans),
        cmocka_unit_test(nothing_is_removed_where_it_cannot_be_told_what_is_used),
        cmocka_unit_test(rolling_back_keeps_what_older_snapshots_tags_and_branches_need),
        cmocka_unit_test(a_table_goes_on_after_rolling_back),
        cmocka_unit_test(rolling_back_that_is_stopped_leaves_a_state_and_can_be_repeated),
        cmocka_unit_test(a_tag_brings_back_a_snapshot_that_has_expired),
        cmocka_unit_test(the_files_that_only_a_tag_held_go_with_it),
        cmocka_unit_test(deleting_a_tag_that_is_stopped_harms_nothing),
        cmocka_unit_test(a_branch_begins_at_its_tag_and_the_table_becomes_it),
        cmocka_unit_test(what_a_decoupled_changelog_names_is_no_orphan),
        cmocka_unit_test(a_tag_leaves_what_a_decoupled_changelog_needs),
        cmocka_unit_test(an_expiry_that_was_stopped_forgets_what_was_rolled_back),
        cmocka_unit_test(rolling_back_to_an_expired_tag_that_is_stopped_leaves_a_table_to_write_to),
        cmocka_unit_test(a_tag_that_alone_holds_its_snapshot_can_be_made_anew),
        cmocka_unit_test(there_is_no_rolling_back_to_a_snapshot_that_is_missing),
        cmocka_unit_test(the_table_that_becomes_a_branch_begins_where_the_branch_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
