/* A table with a course behind it, for tests of what tags, branches, rolling back and expiring keep. */
#ifndef WEIR_TESTS_TABLE_COURSE_H
#define WEIR_TESTS_TABLE_COURSE_H

#include "base/clock.h"
#include "fs/fault.h"
#include "table/maintenance/branch.h"
#include "table/maintenance/orphan_files.h"
#include "table/maintenance/tag.h"
#include "table/table_fixture.h"

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

static inline int rows_at(weir_fs *fs, const char *branch, const char *key, const char *value, lines *out, weir_error *err)
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

static inline void read_state(const course *self, int64_t id, lines *out)
{
    weir_error err = {0};
    char value[24];
    snprintf(value, sizeof value, "%" PRId64, id);
    must(rows_at(self->table.fs, NULL, "scan.snapshot-id", value, out, &err), &err, "reading a snapshot");
}

static inline int64_t latest_of(weir_fs *fs)
{
    weir_error err = {0};
    int64_t id = 0;
    must(weir_snapshot_latest_id(fs, FIXTURE_PATH, &id, &err), &err, "the latest snapshot");
    return id;
}

static inline void write_to_branch(const course *self)
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

static inline void begin(course *self)
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

static inline void end(course *self)
{
    for (int64_t id = 1; id <= self->count; id++) {
        lines_free(&self->states[id]);
    }
    lines_free(&self->branch_rows);
    fixture_free(&self->table);
    weir_fs_close(self->memory);
}

static inline void check_equal(const char *when, const lines *expected, const lines *found)
{
    const char *difference = lines_difference(expected, found);
    if (difference != NULL) {
        fail_msg("%s: %s", when, difference);
    }
}

static inline void check_state(const course *self, const char *when, int64_t id)
{
    lines found = {0};
    read_state(self, id, &found);
    check_equal(when, &self->states[id], &found);
    lines_free(&found);
}

static inline void check_named(const course *self, const char *when, const char *branch, const char *tag,
                        const lines *expected)
{
    weir_error err = {0};
    lines found = {0};
    must(rows_at(self->table.fs, branch, tag != NULL ? "scan.tag-name" : NULL, tag, &found, &err), &err, when);
    check_equal(when, expected, &found);
    lines_free(&found);
}

/* Everything up to snapshot `last` is there, with tag `two` and the branch. */
static inline void check_all(const course *self, const char *when, int64_t last)
{
    for (int64_t id = 1; id <= last; id++) {
        check_state(self, when, id);
    }
    check_named(self, when, NULL, "two", &self->states[2]);
    check_named(self, when, "b", NULL, &self->branch_rows);
}

static inline size_t remove_orphans(const course *self, bool dry_run, int64_t age_ms)
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

static inline int64_t expire_to(const course *self, int64_t keep)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 1, .retain_max = keep, .older_than_ms = weir_now_ms()};
    must(weir_table_expire(self->table.table, &options, &expired, &err), &err, "expiring");
    return expired;
}

static inline size_t count_files(const course *self, const char *folder)
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

#endif
