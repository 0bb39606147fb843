/* Replaying commits of which the snapshots have expired. */
#include "cmocka_all.h"

#include <stdio.h>

#include "table/maintenance/branch.h"
#include "table/maintenance/tag.h"
#include "table/table_fixture.h"

/* Another job commits so often that everything before has expired. */
static void bury(fixture *table, const char *rows)
{
    fixture other = *table;
    weir_error err = {0};
    weir_table_commit *commit = table->commit;
    must(weir_table_commit_open(table->table, "other", &other.commit, &err), &err, "opening to commit");
    must(weir_table_write_open(table->table, NULL, &other.write, &err), &err, "opening to write");
    for (int i = 0; i < 3; i++) {
        fixture_commit(&other, rows, "+U");
    }
    weir_table_write_close(other.write);
    weir_table_commit_close(other.commit);
    table->commit = commit;
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MIN};
    must(weir_table_expire(table->table, &options, &expired, &err), &err, "expiring");
    assert_true(expired > 0);
}

static int replay(fixture *table, const fixture_prepared *prepared, int64_t *made, weir_error *err)
{
    weir_committable committable = fixture_committable(prepared);
    *made = -1;
    return weir_table_commit_replay(table->commit, &committable, made, err);
}

static void create(fixture *table, const char *options)
{
    char all[200];
    snprintf(all, sizeof all, "bucket=1;snapshot.num-retained.min=100;%s", options);
    fixture_create(table, "k BIGINT NOT NULL, v STRING", "k", "", all);
}

static void commit_only(fixture *table, const fixture_prepared *prepared)
{
    weir_error err = {0};
    weir_committable committable = fixture_committable(prepared);
    must(weir_table_commit_run(table->commit, &committable, NULL, &err), &err, "committing");
}

static void rows_that_are_still_in_the_table_are_not_committed_twice(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    int64_t made = 0;
    create(&table, "write-only=true");
    fixture_write(&table, "[[1, \"a\"]]", "+I");
    fixture_prepare(&table, &prepared);
    commit_only(&table, &prepared);
    bury(&table, "[[2, \"b\"]]");
    must(replay(&table, &prepared, &made, &err), &err, "replaying");
    assert_int_equal(made, 0);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"b\"]");
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

static void a_compaction_that_stands_keeps_its_files(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    int64_t made = 0;
    create(&table, "num-sorted-run.compaction-trigger=10");
    fixture_commit(&table, "[[1, \"a\"], [9, \"a\"]]", "+I");
    fixture_write(&table, "[[1, \"b\"], [9, \"b\"]]", "+U");
    must(weir_table_write_compact_written(table.write, &err), &err, "compacting");
    fixture_prepare(&table, &prepared);
    assert_true(prepared.messages.items[0].compact_after.count > 0);
    commit_only(&table, &prepared);
    bury(&table, "[[5, \"x\"]]");
    must(replay(&table, &prepared, &made, &err), &err, "replaying");
    assert_int_equal(made, 0);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"b\"] [5,\"x\"] [9,\"b\"]");
    /* And that of a committable without rows. */
    prepared.messages.items[0].new_files.count = 0;
    must(replay(&table, &prepared, &made, &err), &err, "replaying the compaction");
    assert_string_equal(fixture_rows(&table, ""), "[1,\"b\"] [5,\"x\"] [9,\"b\"]");
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

static void rows_that_were_never_committed_are(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    int64_t made = 0;
    create(&table, "");
    fixture_write(&table, "[[1, \"a\"]]", "+I");
    fixture_prepare(&table, &prepared);
    bury(&table, "[[2, \"b\"]]");
    must(replay(&table, &prepared, &made, &err), &err, "replaying");
    assert_true(made > 0);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"b\"]");
    must(replay(&table, &prepared, &made, &err), &err, "replaying again");
    assert_int_equal(made, 0);
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

/* Compacts all of the table under another user. */
static void compact(fixture *table, fixture_prepared *compacted)
{
    weir_error err = {0};
    weir_table_commit *other = NULL;
    weir_committable committable = fixture_committable(compacted);
    must(weir_table_commit_open(table->table, "compactor", &other, &err), &err, "opening to commit");
    must(weir_table_commit_run(other, &committable, NULL, &err), &err, "committing");
    weir_table_commit_close(other);
}

static void what_only_a_branch_knows_was_committed_all_the_same(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared, compacted = {.identifier = 1000};
    weir_tag_options tag = {.retained_ms = -1};
    weir_error err = {0};
    lines found = {0};
    int64_t made = 0;
    create(&table, "write-only=true");
    fixture_write(&table, "[[1, \"a\"]]", "+I");
    fixture_prepare(&table, &prepared);
    commit_only(&table, &prepared);
    must(weir_table_create_tag(table.table, "t", &tag, NULL, &err), &err, "tagging");
    must(weir_table_create_branch(table.table, "b", "t", &err), &err, "branching");
    must(weir_table_delete_tag(table.table, "t", &err), &err, "deleting the tag");
    fixture_commit(&table, "[[1, \"newer\"]]", "+U");
    weir_arena_init(&compacted.arena);
    must(weir_table_compact(table.table, true, NULL, &compacted.arena, &compacted.messages, &err), &err, "compacting");
    compact(&table, &compacted);
    bury(&table, "[[2, \"c\"]]");
    must(replay(&table, &prepared, &made, &err), &err, "replaying");
    assert_int_equal(made, 0);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"newer\"] [2,\"c\"]");
    must(weir_table_commit_abort(table.commit, &prepared.messages, &err), &err, "giving it up");
    must(table_rows(table.fs, FIXTURE_PATH, "b", &(weir_options){0}, false, &found, &err), &err, "reading the branch");
    assert_int_equal(found.count, 1);
    lines_free(&found);
    fixture_prepared_free(&compacted);
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

static void what_cannot_be_told_any_more_is_said(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared, compacted = {.identifier = 1000};
    weir_error err = {0};
    int64_t made = 0;
    create(&table, "write-only=true;manifest.merge-min-count=1;manifest.full-compaction-threshold-size=1 b");
    fixture_commit(&table, "[[1, \"old\"]]", "+I");
    fixture_write(&table, "[[1, \"a\"]]", "+U");
    fixture_prepare(&table, &prepared);
    commit_only(&table, &prepared);
    weir_arena_init(&compacted.arena);
    must(weir_table_compact(table.table, true, NULL, &compacted.arena, &compacted.messages, &err), &err, "compacting");
    bury(&table, "[[2, \"b\"]]");
    compact(&table, &compacted);
    bury(&table, "[[2, \"c\"]]"); /* the file of the first commit is gone now, and no manifest names it */
    assert_int_equal(replay(&table, &prepared, &made, &err), WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "cannot be told any more"));
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"c\"]");
    fixture_prepared_free(&compacted);
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_still_in_the_table_are_not_committed_twice),
        cmocka_unit_test(a_compaction_that_stands_keeps_its_files),
        cmocka_unit_test(rows_that_were_never_committed_are),
        cmocka_unit_test(what_only_a_branch_knows_was_committed_all_the_same),
        cmocka_unit_test(what_cannot_be_told_any_more_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
