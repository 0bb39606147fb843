/* Commits that take so long that others commit and expire around the moment at which their snapshot appears. */
#include "cmocka_all.h"

#include "table/table_fixture.h"

/* Somebody else, who is at work before or after the next snapshot is published. */
static struct {
    const weir_fs_ops *inner;
    fixture *other;
    int before, after; /* commits */
    int64_t retained;
} meanwhile;

static void commit_and_expire(int commits)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {
        .retain_min = meanwhile.retained, .retain_max = meanwhile.retained, .older_than_ms = INT64_MIN};
    for (int i = 0; i < commits; i++) {
        fixture_commit(meanwhile.other, "[[1]]", "+I");
    }
    must(weir_table_expire(meanwhile.other->table, &options, &expired, &err), &err, "expiring");
}

static int publish_late(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    int before = meanwhile.before, after = meanwhile.after;
    meanwhile.before = meanwhile.after = 0;
    if (before > 0) {
        commit_and_expire(before);
    }
    int code = meanwhile.inner->publish(fs, path, bytes, err);
    if (after > 0) {
        commit_and_expire(after);
    }
    return code;
}

/* Rows of the table after a commit of one row that others came around, each of them with one row too. */
static const char *rows_after(fixture *table, int before, int after, int64_t retained)
{
    fixture other = {.identifier = 100};
    weir_error err = {0};
    fixture_create(table, "v INT", "", "", "bucket=-1;snapshot.num-retained.min=100;snapshot.num-retained.max=200");
    fixture_commit(table, "[[0]]", "+I");
    other.fs = table->fs;
    weir_arena_init(&other.arena);
    fixture_open(&other);
    weir_table_commit_close(other.commit);
    must(weir_table_commit_open(other.table, "other", &other.commit, &err), &err, "opening to commit");
    weir_fs_ops late = *table->fs->ops;
    late.publish = publish_late;
    meanwhile.inner = table->fs->ops;
    meanwhile.other = &other;
    meanwhile.before = before;
    meanwhile.after = after;
    meanwhile.retained = retained;
    table->fs->ops = &late;
    fixture_commit(table, "[[2]]", "+I");
    table->fs->ops = meanwhile.inner;
    fixture_close(&other);
    weir_arena_free(&other.arena);
    return fixture_rows(table, "");
}

static void an_id_that_was_free_again_is_not_taken(void **state)
{
    (void)state;
    fixture table;
    assert_string_equal(rows_after(&table, 3, 0, 1), "[0] [1] [1] [1] [2]"); /* the next id is free too */
    fixture_free(&table);
    assert_string_equal(rows_after(&table, 3, 0, 2), "[0] [1] [1] [1] [2]"); /* it is taken, after as many rows */
    fixture_free(&table);
}

static void a_snapshot_that_others_have_built_on_and_expired_is_not_made_twice(void **state)
{
    (void)state;
    fixture table;
    assert_string_equal(rows_after(&table, 0, 3, 2), "[0] [1] [1] [1] [2]");
    fixture_free(&table);
    assert_string_equal(rows_after(&table, 0, 3, 4), "[0] [1] [1] [1] [2]"); /* it is still there */
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_that_was_free_again_is_not_taken),
        cmocka_unit_test(a_snapshot_that_others_have_built_on_and_expired_is_not_made_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
