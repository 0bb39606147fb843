/* Tables with a primary key and no number of buckets: which bucket a key goes to, and what becomes of the index of keys
 * with commits, overwrites, expiry, branches, tags and rollbacks. */
#include "cmocka_all.h"

#include "base/clock.h"
#include "support/table_files.h"
#include "table/commit/commit_indexes.h"
#include "table/maintenance/branch.h"
#include "table/maintenance/orphan_files.h"
#include "table/maintenance/rollback.h"
#include "table/maintenance/tag.h"
#include "table/table_fixture.h"

#define COLUMNS "p INT NOT NULL, k INT NOT NULL, v STRING"

/* The index files of the latest snapshot. */
typedef struct indexes {
    weir_arena arena;
    weir_index_entries entries;
} indexes;

static void read_indexes(const fixture *table, indexes *out)
{
    weir_error err = {0};
    int64_t id = 0;
    weir_snapshot *snapshot = NULL;
    *out = (indexes){0};
    weir_arena_init(&out->arena);
    must(weir_snapshot_latest_id(table->fs, FIXTURE_PATH, &id, &err), &err, "the latest snapshot");
    must(weir_snapshot_read(table->fs, FIXTURE_PATH, id, &out->arena, &snapshot, &err), &err, "reading it");
    must(weir_snapshot_indexes(table->table, snapshot, &out->arena, &out->entries, &err), &err, "its index files");
}

static void free_indexes(indexes *read)
{
    weir_index_entries_free(&read->entries);
    weir_arena_free(&read->arena);
}

static size_t count_indexes(const fixture *table)
{
    indexes read;
    read_indexes(table, &read);
    size_t count = read.entries.count;
    free_indexes(&read);
    return count;
}

/* Keys in all index files. */
static int64_t count_keys(const fixture *table)
{
    indexes read;
    int64_t keys = 0;
    read_indexes(table, &read);
    for (size_t i = 0; i < read.entries.count; i++) {
        assert_string_equal(read.entries.items[i].file->type, WEIR_HASH_INDEX);
        keys += read.entries.items[i].file->row_count;
    }
    free_indexes(&read);
    return keys;
}

static size_t count_folder(const fixture *table, const char *name)
{
    weir_error err = {0};
    weir_arena arena;
    weir_file_info *files = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    must(weir_fs_list(table->fs, weir_arena_format(&arena, "%s/%s", FIXTURE_PATH, name), &arena, &files, &count, &err),
         &err, "listing");
    weir_arena_free(&arena);
    return count;
}

/* Rows of partition `p` with the keys first … last. */
static void write_keys(fixture *table, int p, int first, int last, const char *value)
{
    weir_buffer rows = {0};
    weir_buffer_append_byte(&rows, '[');
    for (int k = first; k <= last; k++) {
        weir_buffer_append_format(&rows, "%s[%d, %d, \"%s\"]", k == first ? "" : ", ", p, k, value);
    }
    weir_buffer_append_byte(&rows, ']');
    fixture_write(table, weir_buffer_text(&rows), "+I");
    weir_buffer_free(&rows);
}

static int try_commit(fixture *table, weir_error *err)
{
    fixture_prepared prepared;
    int64_t snapshot_id = 0;
    fixture_prepare(table, &prepared);
    weir_committable committable = fixture_committable(&prepared);
    int code = weir_table_commit_run(table->commit, &committable, &snapshot_id, err);
    if (code != WEIR_OK) {
        (void)weir_table_commit_abort(table->commit, &prepared.messages, NULL);
    }
    fixture_prepared_free(&prepared);
    return code;
}

static void commit(fixture *table)
{
    weir_error err = {0};
    must(try_commit(table, &err), &err, "committing");
}

static size_t count_rows(const fixture *table)
{
    weir_error err = {0};
    lines rows = {0};
    must(table_rows(table->fs, FIXTURE_PATH, NULL, NULL, false, &rows, &err), &err, "reading");
    size_t count = rows.count;
    lines_free(&rows);
    return count;
}

static void a_bucket_takes_so_many_keys_and_the_next_ones_go_to_another(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=4");
    write_keys(&table, 1, 1, 10, "a");
    write_keys(&table, 2, 1, 3, "a");
    commit(&table);
    assert_int_equal(count_folder(&table, "p=1"), 3);
    assert_int_equal(count_folder(&table, "p=2"), 1);
    assert_int_equal(count_indexes(&table), 4);
    assert_int_equal(count_keys(&table), 13);
    fixture_free(&table);
}

static void a_key_stays_in_its_bucket(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=4");
    write_keys(&table, 1, 1, 10, "a");
    commit(&table);
    for (int round = 0; round < 3; round++) {
        write_keys(&table, 1, 3, 11, "b"); /* one of them is new in the first round */
        commit(&table);
        fixture_close(&table);
        fixture_open(&table);
    }
    assert_int_equal(count_folder(&table, "p=1"), 3);
    assert_int_equal(count_keys(&table), 11);
    assert_int_equal(count_rows(&table), 11);
    check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);
    fixture_free(&table);
}

static void a_commit_without_new_keys_writes_no_index(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "");
    write_keys(&table, 1, 1, 10, "a");
    commit(&table);
    size_t files = count_folder(&table, "index");
    write_keys(&table, 1, 1, 10, "b");
    fixture_write(&table, "[[1, 5, null]]", "-D");
    commit(&table);
    assert_int_equal(count_folder(&table, "index"), files);
    assert_int_equal(count_rows(&table), 9);
    fixture_free(&table);
}

static void initial_buckets_are_filled_beside_each_other(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.initial-buckets=3");
    write_keys(&table, 1, 1, 100, "a");
    commit(&table);
    assert_int_equal(count_indexes(&table), 3);
    assert_int_equal(count_keys(&table), 100);
    fixture_free(&table);
}

static void full_buckets_take_more_where_there_may_be_no_other(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=2;dynamic-bucket.max-buckets=3");
    write_keys(&table, 1, 1, 100, "a");
    commit(&table);
    write_keys(&table, 1, 1, 120, "b");
    commit(&table);
    assert_int_equal(count_folder(&table, "p=1"), 3);
    assert_int_equal(count_keys(&table), 120);
    assert_int_equal(count_rows(&table), 120);
    fixture_free(&table);
}

static void rows_that_are_not_written_have_no_key(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "ignore-delete=true");
    write_keys(&table, 1, 1, 3, "a");
    fixture_write(&table, "[[2, 5, null]]", "-D");
    commit(&table);
    assert_int_equal(count_keys(&table), 3);
    fixture_free(&table);
}

static void two_writers_at_a_time_are_found_out(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table, other;
    fixture_create(&table, COLUMNS, "p,k", "p", "");
    write_keys(&table, 1, 1, 3, "a");
    commit(&table);
    other = (fixture){.fs = table.fs, .identifier = 100};
    weir_arena_init(&other.arena);
    fixture_open(&other);
    write_keys(&table, 1, 1, 4, "b");
    write_keys(&other, 1, 4, 5, "c");
    commit(&table);
    assert_int_equal(try_commit(&other, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "one writing job at a time"));
    assert_int_equal(count_keys(&table), 4);
    check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);

    /* Begun again, it knows the other one's keys. Keys that were known do no harm at all. */
    weir_table_write_reset(other.write);
    write_keys(&other, 1, 4, 5, "c");
    commit(&other);
    weir_table_write_reset(table.write);
    write_keys(&table, 1, 4, 5, "d");
    write_keys(&other, 1, 1, 2, "e");
    commit(&table);
    commit(&other);
    assert_int_equal(count_keys(&table), 5);
    assert_int_equal(count_rows(&table), 5);
    fixture_close(&other);
    weir_arena_free(&other.arena);
    fixture_free(&table);
}

static void a_first_key_of_two_writers_is_a_conflict_too(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table, other;
    fixture_create(&table, COLUMNS, "p,k", "p", "");
    other = (fixture){.fs = table.fs, .identifier = 100};
    weir_arena_init(&other.arena);
    fixture_open(&other);
    write_keys(&table, 1, 1, 4, "b");
    write_keys(&other, 1, 4, 5, "c");
    commit(&table);
    assert_int_equal(try_commit(&other, &err), WEIR_CONFLICT);
    fixture_close(&other);
    weir_arena_free(&other.arena);
    fixture_free(&table);
}

static void overwrite(fixture *table, int p, int first, int last)
{
    weir_error err = {0};
    weir_table_write_options options = {.commit_user = "overwrite", .overwrite = true};
    weir_table_write *kept = table->write;
    fixture_prepared prepared;
    int64_t snapshot_id = 0;
    must(weir_table_write_open(table->table, &options, &table->write, &err), &err, "opening to overwrite");
    write_keys(table, p, first, last, "o");
    fixture_prepare(table, &prepared);
    weir_committable committable = fixture_committable(&prepared);
    must(weir_table_commit_overwrite(table->commit, &committable, NULL, &snapshot_id, &err), &err, "overwriting");
    fixture_prepared_free(&prepared);
    weir_table_write_close(table->write);
    table->write = kept;
    weir_table_write_reset(table->write);
}

static void an_overwritten_partition_has_the_new_keys_alone(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=4");
    write_keys(&table, 1, 1, 10, "a");
    write_keys(&table, 2, 1, 3, "a");
    commit(&table);
    overwrite(&table, 1, 9, 12);
    assert_int_equal(count_keys(&table), 4 + 3);
    write_keys(&table, 1, 1, 2, "b");
    commit(&table);
    assert_int_equal(count_keys(&table), 6 + 3);
    assert_int_equal(count_rows(&table), 6 + 3);
    fixture_free(&table);
}

/* Rows of keys that an overwrite takes out of the index, between the writer's reading of it and its commit: they would
 * be in a bucket that no index names, and come into a second one with the next writer. */
static void a_writer_does_not_outlive_an_overwrite_of_its_keys(void **state)
{
    (void)state;
    static const struct {
        int first, last;           /* keys that the writer writes, of those from 1 to 6 */
        int over_first, over_last; /* keys that the partition has after the overwrite */
        bool conflicts;
    } cases[] = {
        {5, 6, 1, 2, true},   /* known keys, whose bucket is gone */
        {1, 1, 11, 14, true}, /* whose bucket has other keys */
        {7, 7, 11, 16, true}, /* a new key, beside those known */
        {1, 2, 1, 3, true},   /* one of the bucket's is not there any more */
        {1, 2, 1, 9, false},  /* all are, where they were */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        fixture table, other;
        fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=4");
        write_keys(&table, 1, 1, 6, "a");
        write_keys(&table, 2, 1, 6, "a");
        commit(&table);
        other = (fixture){.fs = table.fs, .identifier = 100};
        weir_arena_init(&other.arena);
        fixture_open(&other);
        write_keys(&other, 1, cases[i].first, cases[i].last, "b");
        overwrite(&table, 1, cases[i].over_first, cases[i].over_last);
        int code = try_commit(&other, &err);
        assert_int_equal(code, cases[i].conflicts ? WEIR_CONFLICT : WEIR_OK);
        if (code != WEIR_OK) {
            assert_non_null(strstr(err.message, "one writing job at a time"));
            check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);
            weir_table_write_reset(other.write);
            write_keys(&other, 1, cases[i].first, cases[i].last, "b");
        }
        write_keys(&other, 2, 1, 6, "b"); /* the other partition is as it was */
        commit(&other);
        assert_int_equal(count_rows(&table), count_keys(&table));
        fixture_close(&other);
        weir_arena_free(&other.arena);
        fixture_free(&table);
    }
}

static void a_partition_that_is_dropped_loses_its_keys(void **state)
{
    (void)state;
    weir_error err = {0};
    int64_t snapshot_id = 0;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "");
    write_keys(&table, 1, 1, 10, "a");
    write_keys(&table, 2, 1, 3, "a");
    commit(&table);
    weir_literal one = {.integer = 1};
    const weir_literal *const spec[] = {&one};
    const weir_literal *const *const specs[] = {spec};
    must(weir_table_commit_drop_partitions(table.commit, specs, 1, 50, &snapshot_id, &err), &err, "dropping");
    assert_int_equal(count_keys(&table), 3);
    must(weir_table_commit_truncate(table.commit, 51, &snapshot_id, &err), &err, "truncating");
    assert_int_equal(count_indexes(&table), 0);
    weir_table_write_reset(table.write);
    write_keys(&table, 1, 1, 2, "a");
    commit(&table);
    assert_int_equal(count_keys(&table), 2);
    fixture_free(&table);
}

static void expire_to(const fixture *table, int64_t keep)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = keep, .retain_max = keep, .older_than_ms = INT64_MAX};
    must(weir_table_expire(table->table, &options, &expired, &err), &err, "expiring");
}

static size_t count_orphans(const fixture *table)
{
    weir_error err = {0};
    weir_arena arena;
    weir_orphans orphans;
    weir_arena_init(&arena);
    must(weir_table_remove_orphans(table->table, weir_now_ms(), true, &arena, &orphans, &err), &err, "orphans");
    size_t count = orphans.count;
    weir_arena_free(&arena);
    return count;
}

static void index_files_go_when_nothing_needs_them(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table;
    weir_tag_options second = {.snapshot_id = 2, .retained_ms = -1};
    fixture_create(&table, COLUMNS, "p,k", "p", "write-only=true");
    for (int i = 1; i <= 5; i++) {
        write_keys(&table, 1, i, i, "a"); /* each with a new key, so each with a new index file */
        commit(&table);
    }
    must(weir_table_create_tag(table.table, "two", &second, NULL, &err), &err, "tagging");
    must(weir_table_create_branch(table.table, "b", "two", &err), &err, "branching");
    assert_int_equal(count_folder(&table, "index"), 5);
    expire_to(&table, 2);
    assert_int_equal(count_folder(&table, "index"), 3); /* of the tag, and of snapshots 4 and 5 */
    must(weir_table_delete_tag(table.table, "two", &err), &err, "deleting the tag");
    expire_to(&table, 1);
    assert_int_equal(count_folder(&table, "index"), 2); /* the branch needs the one of snapshot 2 */
    weir_sleep_ms(2);                                   /* what is an orphan by then must be older than now */
    assert_int_equal(count_orphans(&table), 0);
    must(weir_table_delete_branch(table.table, "b", &err), &err, "deleting the branch");
    assert_true(count_orphans(&table) > 0);
    fixture_free(&table);
}

static void a_rollback_gives_the_keys_back(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=4");
    write_keys(&table, 1, 1, 3, "a");
    commit(&table);
    write_keys(&table, 1, 4, 20, "a");
    commit(&table);
    must(weir_table_rollback_to_snapshot(table.table, 1, &err), &err, "rolling back");
    assert_int_equal(count_keys(&table), 3);
    check_no_file_is_left_over(table.fs, FIXTURE_PATH, table.table->schema);
    weir_table_write_reset(table.write);
    write_keys(&table, 1, 1, 5, "b");
    commit(&table);
    assert_int_equal(count_keys(&table), 5);
    assert_int_equal(count_rows(&table), 5);
    fixture_free(&table);
}

static void a_compaction_leaves_the_index_alone(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_arena arena;
    weir_commit_messages messages = {0};
    int64_t snapshot_id = 0;
    fixture table;
    fixture_create(&table, COLUMNS, "p,k", "p", "dynamic-bucket.target-row-num=4;write-only=true");
    write_keys(&table, 1, 1, 9, "a");
    commit(&table);
    write_keys(&table, 1, 2, 10, "b");
    commit(&table);
    weir_arena_init(&arena);
    must(weir_table_compact(table.table, true, NULL, &arena, &messages, &err), &err, "compacting");
    weir_committable committable = {.identifier = 60, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    must(weir_table_commit_run(table.commit, &committable, &snapshot_id, &err), &err, "committing");
    assert_int_equal(snapshot_id, 3);
    assert_int_equal(count_keys(&table), 10);
    assert_int_equal(count_rows(&table), 10);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    fixture_free(&table);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"dynamic-bucket.target-row-num", "dynamic-bucket.max-buckets",
                                      "dynamic-bucket.initial-buckets"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_error err = {0};
        weir_table_write *write = NULL;
        fixture table;
        fixture_create(&table, COLUMNS, "p,k", "p", "");
        fixture_set_option(&table, bad[i], "0");
        weir_table *altered = NULL;
        must(weir_table_open(table.fs, FIXTURE_PATH, NULL, &altered, &err), &err, "opening");
        assert_int_equal(weir_table_write_open(altered, NULL, &write, &err), WEIR_INVALID);
        assert_non_null(strstr(err.message, bad[i]));
        weir_table_close(altered);
        fixture_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_takes_so_many_keys_and_the_next_ones_go_to_another),
        cmocka_unit_test(a_key_stays_in_its_bucket),
        cmocka_unit_test(a_commit_without_new_keys_writes_no_index),
        cmocka_unit_test(initial_buckets_are_filled_beside_each_other),
        cmocka_unit_test(full_buckets_take_more_where_there_may_be_no_other),
        cmocka_unit_test(rows_that_are_not_written_have_no_key),
        cmocka_unit_test(two_writers_at_a_time_are_found_out),
        cmocka_unit_test(a_first_key_of_two_writers_is_a_conflict_too),
        cmocka_unit_test(an_overwritten_partition_has_the_new_keys_alone),
        cmocka_unit_test(a_writer_does_not_outlive_an_overwrite_of_its_keys),
        cmocka_unit_test(a_partition_that_is_dropped_loses_its_keys),
        cmocka_unit_test(index_files_go_when_nothing_needs_them),
        cmocka_unit_test(a_rollback_gives_the_keys_back),
        cmocka_unit_test(a_compaction_leaves_the_index_alone),
        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
