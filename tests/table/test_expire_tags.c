/* Tags and expiry: every tag keeps all of its rows, and few tags are looked at. */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "fs/fault.h"
#include "random.h"
#include "table/table_fixture.h"

/* ---- which tags ---- */

static char *root;

static int set_up(void **state)
{
    (void)state;
    root = weir_strdup("/tmp/weir-test-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    int code = weir_fs_remove_recursively(weir_fs_local(), root, NULL);
    free(root);
    return code;
}

/* A tag that was made an hour ago. */
static void make_tag(const char *name, int64_t snapshot_id)
{
    weir_error err = {0};
    weir_buffer text = {0};
    char path[512];
    weir_snapshot snapshot = {.id = snapshot_id,
                              .base_manifest_list = "base",
                              .delta_manifest_list = "delta",
                              .commit_user = "test",
                              .base_manifest_list_size = -1,
                              .delta_manifest_list_size = -1,
                              .changelog_manifest_list_size = -1};
    weir_snapshot_format(&snapshot, &text);
    snprintf(path, sizeof path, "%s/tag/tag-%s", root, name);
    must(weir_fs_replace(weir_fs_local(), path, weir_buffer_slice(&text), &err), &err, "tagging");
    const struct timespec before[2] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, before, 0), 0);
    weir_buffer_free(&text);
}

/* The snapshots of the tags that an expiry of first … end - 1 looks at, joined by blanks. */
static const char *tags_of(weir_tag_ids *known, weir_fs *fs, int64_t first, int64_t end)
{
    static char text[256];
    weir_error err = {0};
    weir_arena arena;
    weir_table table = {.context = {.fs = fs}};
    weir_snapshot **tags = NULL;
    size_t count = 0, size = 0;
    weir_arena_init(&arena);
    must(weir_tags_of_expiry(known, &table, root, first, end, &arena, &tags, &count, &err), &err, "choosing tags");
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%d", i > 0 ? " " : "", (int)tags[i]->id);
    }
    weir_arena_free(&arena);
    return text;
}

static void the_tags_that_matter_are_those_of_the_snapshots_and_the_last_before(void **state)
{
    (void)state;
    static const struct {
        int64_t first, end;
        const char *tags;
    } cases[] = {
        {1, 2, ""},     {1, 3, "2"},    {2, 3, "2"},   {3, 5, "2"},      {3, 6, "2 5"},    {5, 6, "2 5"}, {6, 7, "5"},
        {6, 10, "5 9"}, {9, 10, "5 9"}, {10, 99, "9"}, {1, 99, "2 5 9"}, {2, 10, "2 5 9"}, {5, 9, "2 5"},
    };
    weir_tag_ids known = {0};
    assert_string_equal(tags_of(&known, weir_fs_local(), 1, 99), "");
    make_tag("b", 5);
    make_tag("a", 9);
    make_tag("c", 2);
    make_tag("b-again", 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(tags_of(&known, weir_fs_local(), cases[i].first, cases[i].end), cases[i].tags);
    }
    weir_tag_ids_free(&known);
}

static void a_known_tag_is_read_only_where_it_matters(void **state)
{
    (void)state;
    weir_tag_ids known = {0};
    char name[16];
    weir_fault_options counted = {.reads_count = true};
    weir_fs *fs = weir_fs_fault(weir_fs_local(), counted);
    for (int i = 1; i <= 50; i++) {
        snprintf(name, sizeof name, "t%02d", i);
        make_tag(name, i);
    }
    assert_string_equal(tags_of(&known, fs, 90, 91), "50");
    uint64_t at_first = weir_fs_fault_operations(fs);
    weir_fs_fault_set_options(fs, counted);
    assert_string_equal(tags_of(&known, fs, 91, 92), "50");
    uint64_t later = weir_fs_fault_operations(fs);
    assert_true(at_first > 100);
    assert_true(later < 10);
    make_tag("t07", 70); /* written over: another size */
    assert_string_equal(tags_of(&known, fs, 91, 92), "70");
    weir_tag_ids_free(&known);
    weir_fs_close(fs);
}

/* ---- what they keep ---- */

#define MOST_TAGS 40

static void tag_latest(fixture *table, int tag)
{
    weir_error err = {0};
    weir_buffer snapshot = {0};
    int64_t latest = 0;
    weir_arena arena;
    weir_arena_init(&arena);
    must(weir_snapshot_latest_id(table->fs, FIXTURE_PATH, &latest, &err), &err, "the latest snapshot");
    const char *from = weir_arena_format(&arena, FIXTURE_PATH "/snapshot/snapshot-%d", (int)latest);
    const char *to = weir_arena_format(&arena, FIXTURE_PATH "/tag/tag-t%d", tag);
    must(weir_fs_read_all(table->fs, from, &snapshot, &err), &err, "reading");
    must(weir_fs_replace(table->fs, to, weir_buffer_slice(&snapshot), &err), &err, "tagging");
    weir_buffer_free(&snapshot);
    weir_arena_free(&arena);
}

static void every_tag_keeps_its_rows_through_many_expiries(void **state)
{
    (void)state;
    random_state random = random_start();
    fixture table;
    weir_error err = {0};
    const char *rows_of[MOST_TAGS];
    int tags = 0;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "",
                   "bucket=1;snapshot.num-retained.min=100;snapshot.num-retained.max=200;"
                   "num-sorted-run.compaction-trigger=3;manifest.merge-min-count=3");
    for (int i = 0; i < 200; i++) {
        fixture_commit(&table, weir_arena_format(&table.arena, "[[%d, \"%d\"]]", (int)random_below(&random, 5), i),
                       "+U");
        while (tags < MOST_TAGS && random_below(&random, 4) == 0) {
            tag_latest(&table, tags);
            rows_of[tags++] = fixture_rows(&table, "");
        }
        if (random_below(&random, 6) == 0) {
            int64_t expired = 0, retain = 1 + (int64_t)random_below(&random, 6);
            weir_expire_options options = {.retain_min = retain, .retain_max = retain, .older_than_ms = INT64_MIN};
            must(weir_table_expire(table.table, &options, &expired, &err), &err, "expiring");
        }
    }
    for (int i = 0; i < tags; i++) {
        const char *rows = fixture_rows(&table, weir_arena_format(&table.arena, "scan.tag-name=t%d", i));
        assert_string_equal(rows, rows_of[i]);
    }
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_tags_that_matter_are_those_of_the_snapshots_and_the_last_before, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_known_tag_is_read_only_where_it_matters, set_up, tear_down),
        cmocka_unit_test(every_tag_keeps_its_rows_through_many_expiries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
