/* scan.fallback-branch: partitions that the main branch lacks come from another one. */
#include "cmocka_all.h"

#include "table/table_fixture.h"

#define BRANCH_PATH FIXTURE_PATH "/branch/branch-other"

typedef struct branched {
    fixture main;
    fixture other; /* shares the file system of `main` */
} branched;

/* Column lists as SQL text; the branch has keys of its own. */
static void create(branched *both, const char *columns, const char *other_columns, const char *other_key)
{
    weir_error err = {0};
    fixture_create(&both->main, columns, "", "p", "bucket=-1;scan.fallback-branch=other");
    fixture_create(&both->other, other_columns, other_key, "p", other_key[0] != '\0' ? "bucket=2" : "bucket=-1");
    const weir_schema *schema = both->other.table->schema;
    must(weir_schema_publish(both->main.fs, BRANCH_PATH, schema, &err), &err, "publishing the branch");
    fixture_close(&both->other);
    weir_fs_close(both->other.fs);
    both->other.fs = both->main.fs;
    weir_table_open_options options = {.branch = "other"};
    must(weir_table_open(both->main.fs, FIXTURE_PATH, &options, &both->other.table, &err), &err, "opening the branch");
    must(weir_table_write_open(both->other.table, NULL, &both->other.write, &err), &err, "opening to write");
    must(weir_table_commit_open(both->other.table, "fixture", &both->other.commit, &err), &err, "opening to commit");
}

static void close_both(branched *both)
{
    fixture_close(&both->other);
    weir_arena_free(&both->other.arena);
    fixture_free(&both->main);
}

static void partitions_that_main_lacks_are_read_from_the_branch(void **state)
{
    (void)state;
    branched both;
    create(&both, "p INT, k INT, v STRING", "p INT NOT NULL, v STRING, k INT NOT NULL", "p,k");
    assert_string_equal(fixture_rows(&both.main, ""), "");
    fixture_commit(&both.other, "[[1, \"x\", 1], [2, \"y\", 1], [2, \"z\", 2]]", "+I");
    fixture_commit(&both.other, "[[2, \"new\", 2]]", "+U");
    assert_string_equal(fixture_rows(&both.main, ""), "[1,1,\"x\"] [2,1,\"y\"] [2,2,\"new\"]");
    fixture_commit(&both.main, "[[1, 7, \"m\"]]", "+I");
    assert_string_equal(fixture_rows(&both.main, ""), "[1,7,\"m\"] [2,1,\"y\"] [2,2,\"new\"]");
    fixture_commit(&both.main, "[[2, 8, \"n\"]]", "+I");
    assert_string_equal(fixture_rows(&both.main, ""), "[1,7,\"m\"] [2,8,\"n\"]");
    /* When main made its snapshot 1, the branch had both of its commits. */
    assert_string_equal(fixture_rows(&both.main, "scan.snapshot-id=1"), "[1,7,\"m\"] [2,1,\"y\"] [2,2,\"new\"]");
    close_both(&both);
}

static void a_partition_of_which_a_predicate_leaves_nothing_is_still_there(void **state)
{
    (void)state;
    branched both;
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    create(&both, "p INT, k INT", "p INT, k INT", "");
    fixture_commit(&both.other, "[[1, 5], [2, 5], [3, 9]]", "+I");
    fixture_commit(&both.main, "[[1, 1]]", "+I");
    weir_literal five = {.integer = 5};
    const weir_type *type = both.main.table->schema->fields[1].type;
    weir_scan_options options = {
        .limit = -1,
        .predicate = weir_predicate_leaf(&both.main.arena, WEIR_PREDICATE_EQUAL, 1, type, &five, 1),
    };
    must(weir_scan_plan(both.main.table, &options, &plan, &err), &err, "planning");
    assert_int_equal(plan->split_count, 1);
    assert_non_null(plan->splits[0].table);
    weir_read_options read_options = {
        .columns = (const int32_t[]){1, 0}, .column_count = 2, .predicate = options.predicate};
    lines rows = {0};
    must(plan_rows(both.main.table, plan, &read_options, false, &rows, &err), &err, "reading");
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.items[0], "[5,2]");
    lines_free(&rows);
    weir_table_plan_free(plan);
    close_both(&both);
}

static void a_branch_without_a_column_is_named(void **state)
{
    (void)state;
    branched both;
    create(&both, "p INT, k INT, v STRING", "p INT, k INT, v BYTES", "");
    fixture_commit(&both.other, "[[1, 1, \"00\"]]", "+I");
    const char *message = fixture_rows(&both.main, "");
    assert_non_null(strstr(message, "'other'"));
    assert_non_null(strstr(message, "column 'v' of the type STRING"));
    close_both(&both);
}

static void a_branch_that_is_not_there_is_named(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p INT, k INT", "", "p", "bucket=-1;scan.fallback-branch=nowhere");
    fixture_commit(&table, "[[1, 1]]", "+I");
    assert_non_null(strstr(fixture_rows(&table, ""), "the fallback branch 'nowhere'"));
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_that_main_lacks_are_read_from_the_branch),
        cmocka_unit_test(a_partition_of_which_a_predicate_leaves_nothing_is_still_there),
        cmocka_unit_test(a_branch_without_a_column_is_named),
        cmocka_unit_test(a_branch_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
