/* Compactions of a writer beside another job that compacts the same buckets and expires what was there. */
#include "cmocka_all.h"

#include "table/table_fixture.h"
#include "table/write/compact.h"

/* What another job makes of the table: all is compacted, and what was there has expired. */
static void compact_and_expire(fixture *table)
{
    weir_error err = {0};
    weir_arena arena;
    weir_commit_messages messages = {0};
    weir_table_commit *commit = NULL;
    int64_t expired = 0;
    weir_expire_options all = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MIN};
    weir_arena_init(&arena);
    must(weir_table_compact(table->table, true, NULL, &arena, &messages, &err), &err, "compacting");
    assert_true(messages.count > 0);
    weir_committable committable = {.identifier = 1, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    must(weir_table_commit_open(table->table, "other", &commit, &err), &err, "opening to commit");
    must(weir_table_commit_run(commit, &committable, NULL, &err), &err, "committing");
    must(weir_table_expire(table->table, &all, &expired, &err), &err, "expiring");
    weir_table_commit_close(commit);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
}

static void write_beside_another_job(const char *key, const char *options)
{
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v INT", key, "", options);
    fixture_commit(&table, "[[1, 1]]", "+I");
    fixture_commit(&table, "[[2, 2]]", "+I");
    compact_and_expire(&table);
    fixture_commit(&table, "[[3, 3]]", "+I"); /* with the first two files it would be compacted */
    assert_string_equal(fixture_rows(&table, ""), "[1,1] [2,2] [3,3]");
    assert_int_equal(fixture_live_files(&table), 2);
    fixture_commit(&table, "[[4, 4]]", "+I"); /* with what the other job has left */
    assert_int_equal(fixture_live_files(&table), 1);
    assert_string_equal(fixture_rows(&table, ""), "[1,1] [2,2] [3,3] [4,4]");
    fixture_free(&table);
}

static void a_compaction_of_files_that_another_job_has_compacted_is_dropped(void **state)
{
    (void)state;
    write_beside_another_job("k", "bucket=1;num-sorted-run.compaction-trigger=3");
    write_beside_another_job("", "bucket=1;bucket-key=k;compaction.min.file-num=3");
}

/* Reading the table anew does not bring them back. */
static void files_that_the_table_has_lost_are_told_in_the_end(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_arena arena;
    weir_file_info *files = NULL;
    size_t count = 0;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "k", "", "bucket=1;num-sorted-run.compaction-trigger=2");
    fixture_commit(&table, "[[1, 1]]", "+I");
    must(weir_fs_list(table.fs, FIXTURE_PATH "/bucket-0", &arena, &files, &count, &err), &err, "listing");
    must(weir_fs_remove(table.fs, weir_arena_format(&arena, FIXTURE_PATH "/bucket-0/%s", files[0].name), &err), &err,
         "removing");
    for (int i = 0; i < 10 && code == WEIR_OK; i++) {
        fixture_prepared prepared;
        fixture_write(&table, "[[2, 2]]", "+I");
        code = fixture_try_prepare(&table, &prepared, &err);
        if (code == WEIR_OK) {
            fixture_commit_prepared(&table, &prepared);
        } else {
            fixture_prepared_free(&prepared);
        }
    }
    assert_int_equal(code, WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "compacting"));
    weir_arena_free(&arena);
    fixture_free(&table);
}

/* Where compactions tell what becomes of rows, one that was dropped would leave that out. */
static void a_compaction_that_tells_changes_is_not_dropped(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "k", "",
                   "bucket=1;num-sorted-run.compaction-trigger=3;changelog-producer=full-compaction;"
                   "full-compaction.delta-commits=100");
    fixture_commit(&table, "[[1, 1]]", "+I");
    fixture_commit(&table, "[[2, 2]]", "+I");
    compact_and_expire(&table);
    fixture_write(&table, "[[3, 3]]", "+I");
    assert_int_equal(fixture_try_prepare(&table, &prepared, &err), WEIR_NOT_FOUND);
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compaction_of_files_that_another_job_has_compacted_is_dropped),
        cmocka_unit_test(a_compaction_that_tells_changes_is_not_dropped),
        cmocka_unit_test(files_that_the_table_has_lost_are_told_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
