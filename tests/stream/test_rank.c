/* Top-N, deduplication, and LIMIT as streams. */
#include "fs/fs.h"
#include "harness.h"

#define TOP "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 2"
#define NUMBERED                                                                                                       \
    "SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 2"

static void the_first_rows_of_each_partition_are_kept(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_INSERTS);
    (void)state;
    harness_start(h, TOP);
    harness_push(t, "+I [1, 10] +I [2, 5] +I [1, 20]");
    harness_check(h, "+I [1, 20] +I [1, 10] +I [2, 5]");
    harness_push(t, "+I [1, 15]");
    harness_check(h, "-D [1, 10] +I [1, 15]");
    harness_push(t, "+I [1, 15] +I [1, 1]");
    harness_check(h, "");
    harness_push(t, "+I [2, 7] +I [2, 6] +I [2, 8]");
    harness_check(h, "-D [2, 5] +I [2, 8] +I [2, 7]");
    harness_check_rows(h, "[1, 15] [1, 20] [2, 7] [2, 8]");
    harness_close(h);
}

static void rows_with_their_numbers_move_up_and_down(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, NUMBERED);
    harness_push(t, "+I [1, 10] +I [1, 20] +I [1, 5]");
    harness_check(h, "+I [1, 20, 1] +I [1, 10, 2]");
    harness_push(t, "+I [1, 30]");
    harness_check(h, "-U [1, 20, 1] +U [1, 30, 1] -U [1, 10, 2] +U [1, 20, 2]");
    harness_push(t, "-D [1, 30] -D [1, 20]");
    harness_check(h, "-U [1, 30, 1] +U [1, 10, 1] -U [1, 20, 2] +U [1, 5, 2]");
    harness_push(t, "-D [1, 10]");
    harness_check(h, "-U [1, 10, 1] +U [1, 5, 1] -D [1, 5, 2]");
    harness_push(t, "-D [1, 5]");
    harness_check(h, "-D [1, 5, 1]");
    harness_close(h);
}

static void rows_behind_the_last_one_come_back(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, TOP);
    harness_push(t, "+I [1, 1] +I [1, 2] +I [1, 3] +I [1, 4] +I [1, 5]");
    harness_check(h, "+I [1, 5] +I [1, 4]");
    harness_push(t, "-D [1, 2]");
    harness_check(h, "");
    harness_push(t, "-U [1, 5] +U [1, 0]");
    harness_check(h, "-D [1, 5] +I [1, 3]");
    harness_push(t, "-D [1, 4] -D [1, 3]");
    harness_check(h, "-D [1, 4] -D [1, 3] +I [1, 1] +I [1, 0]");
    harness_push(t, "-D [1, 0] -D [1, 1]");
    harness_check_rows(h, "");
    harness_close(h);
}

static void an_update_that_changes_nothing_says_nothing(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT, note STRING", HARNESS_CHANGES);
    (void)state;
    harness_start(h, TOP);
    harness_push(t, "+I [1, 1, 'a'] +I [1, 2, 'b']");
    harness_check(h, "+I [1, 2] +I [1, 1]");
    harness_push(t, "-U [1, 2, 'b'] +U [1, 2, 'c']");
    harness_check(h, "");
    harness_push(t, "-D [1, 2, 'c'] +I [1, 2, 'd']");
    harness_check(h, "");
    harness_close(h);
}

static void equal_rows_stand_for_themselves(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, NUMBERED);
    harness_push(t, "+I [1, 1] +I [1, 1] +I [1, 1]");
    harness_check_rows(h, "[1, 1, 1] [1, 1, 2]");
    harness_push(t, "-D [1, 1]");
    harness_check_rows(h, "[1, 1, 1] [1, 1, 2]");
    harness_push(t, "-D [1, 1]");
    harness_check_rows(h, "[1, 1, 1]");
    harness_push(t, "-D [1, 1] -D [1, 1]");
    harness_check_rows(h, "");
    harness_close(h);
}

static void a_range_of_numbers_may_begin_later(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "v INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT v FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY v) AS rn FROM t) WHERE rn BETWEEN 2 AND 3");
    harness_push(t, "+I [5] +I [4]");
    harness_check(h, "+I [5]");
    harness_push(t, "+I [1]");
    harness_check(h, "+I [4]");
    harness_push(t, "+I [0]");
    harness_check(h, "-D [5] +I [1]");
    harness_push(t, "-D [0] -D [1]");
    harness_check_rows(h, "[5]");
    harness_close(h);
}

static void one_number_is_an_update_of_its_row(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) "
                     "WHERE rn = 2");
    harness_push(t, "+I [1, 1] +I [1, 2]");
    harness_check(h, "+I [1, 2, 2]");
    harness_push(t, "-D [1, 1] +I [1, 3]");
    harness_check(h, "-U [1, 2, 2] +U [1, 3, 2]");
    harness_close(h);
}

static void orders_go_down_and_nulls_where_they_should(void **state)
{
    static const struct {
        const char *order, *rows;
    } cases[] = {
        {"v", "[null]"},
        {"v DESC", "['ba']"},
        {"v NULLS LAST", "['']"},
        {"v DESC NULLS FIRST", "[null]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char query[200];
        harness *h = harness_open();
        harness_table *t = harness_add(h, "t", "v STRING", HARNESS_CHANGES);
        snprintf(query, sizeof query, "SELECT v FROM t ORDER BY %s LIMIT 1", cases[i].order);
        harness_start(h, query);
        harness_push(t, "+I ['b'] +I [null] +I ['ba'] +I [''] +I ['a'] +I ['ab']");
        harness_check_rows(h, cases[i].rows);
        harness_close(h);
    }
}

static void numbers_are_ordered_as_numbers(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "a DOUBLE, b DECIMAL(30, 2), c BIGINT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT a, b, c FROM t ORDER BY a DESC, b, c DESC LIMIT 2 OFFSET 1");
    harness_push(t, "+I [-1.5, '3.00', 1] +I [2.5, '-3.00', 1] +I [2.5, '-3.00', 2] +I [2.5, '10.00', 9]");
    harness_check_rows(h, "[2.5, '-3.00', 1] [2.5, '10.00', 9]");
    harness_push(t, "-D [2.5, '-3.00', 1]");
    harness_check_rows(h, "[-1.5, '3.00', 1] [2.5, '10.00', 9]");
    harness_close(h);
}

static void a_limit_over_inserts_counts_them(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "v INT", HARNESS_INSERTS);
    (void)state;
    harness_start(h, "SELECT v FROM t LIMIT 3 OFFSET 1");
    harness_push(t, "+I [1] +I [2]");
    harness_check(h, "+I [2]");
    harness_push(t, "+I [3] +I [4] +I [5]");
    harness_check(h, "+I [3] +I [4]");
    harness_push(t, "+I [6]");
    harness_check(h, "");
    harness_close(h);
}

static void a_limit_over_changes_moves_on_when_rows_go(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "v INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT v FROM t LIMIT 2");
    harness_push(t, "+I [3] +I [1] +I [2]");
    harness_check(h, "+I [3] +I [1]");
    harness_push(t, "-D [3]");
    harness_check(h, "-D [3] +I [2]");
    harness_close(h);
}

static void what_is_kept_is_found_again(void **state)
{
    char folder[] = "/tmp/weir-rank-XXXXXX";
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    harness_table *u = harness_add(h, "u", "v INT", HARNESS_INSERTS);
    (void)state;
    assert_non_null(mkdtemp(folder));
    harness_set_folder(h, folder);
    harness_start(h, TOP " UNION ALL SELECT 0, v FROM (SELECT v FROM u LIMIT 2)");
    harness_push(t, "+I [1, 1] +I [1, 1] +I [1, 3]");
    harness_push(u, "+I [7]");
    harness_restart(h);
    harness_push(t, "-D [1, 3]");
    harness_push(u, "+I [8] +I [9]");
    harness_check_rows(h, "[0, 7] [0, 8] [1, 1] [1, 1]");
    harness_restart(h);
    harness_push(t, "+I [1, 2] -D [1, 1]");
    harness_push(u, "+I [9]");
    harness_check_rows(h, "[0, 7] [0, 8] [1, 1] [1, 2]");
    harness_close(h);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
}

static void the_last_row_by_the_clock_is_the_one_that_came_last(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_INSERTS);
    (void)state;
    harness_start(h, "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt DESC) AS rn FROM "
                     "(SELECT *, PROCTIME() AS pt FROM t)) WHERE rn = 1");
    harness_push(t, "+I [1, 10] +I [1, 11] +I [2, 20]");
    harness_check(h, "+I [1, 11] +I [2, 20]");
    harness_push(t, "+I [1, 12]");
    harness_check(h, "-U [1, 11] +U [1, 12]");
    harness_close(h);
}

static void the_first_row_by_the_clock_stays(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_INSERTS);
    (void)state;
    harness_start(h, "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM "
                     "(SELECT *, PROCTIME() AS pt FROM t)) WHERE rn = 1");
    harness_push(t, "+I [1, 10] +I [1, 11] +I [2, 20]");
    harness_push(t, "+I [1, 12]");
    harness_check(h, "+I [1, 10] +I [2, 20]");
    harness_close(h);
}

static void changes_of_a_batch_to_one_partition_are_told_as_one(void **state)
{
    char folder[] = "/tmp/weir-rank-XXXXXX";
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k STRING, v INT", HARNESS_INSERTS);
    (void)state;
    assert_non_null(mkdtemp(folder));
    harness_set_folder(h, folder);
    harness_start(h, "SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) "
                     "WHERE rn = 1");
    harness_push(t, "+I ['a', 5] +I [null, 7] +I ['a', 3] +I ['a', 4] +I [null, null]");
    harness_check(h, "+I ['a', 3, 1] +I [null, null, 1]");
    harness_push(t, "+I ['a', 2] +I ['b', 1] +I ['a', 1] +I ['b', 1]");
    harness_check(h, "-U ['a', 3, 1] +U ['a', 1, 1] +I ['b', 1, 1]");
    harness_restart(h);
    harness_push(t, "+I ['a', 9] +I ['b', 0]");
    harness_check(h, "-U ['b', 1, 1] +U ['b', 0, 1]");
    harness_close(h);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
}

static void what_flink_refuses_is_refused_in_its_words(void **state)
{
    static const struct {
        const char *query, *message;
    } cases[] = {
        {"SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn > 2",
         "Rank end is not specified"},
        {"SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn <= 0",
         "Rank end should not less than zero, but now is 0"},
        {"SELECT k FROM (SELECT *, RANK() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn <= 2",
         "RANK() on streaming table is not supported currently"},
        {"SELECT k FROM (SELECT *, DENSE_RANK() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn <= 2",
         "DENSE_RANK() on streaming table is not supported currently"},
        {"SELECT k FROM t OFFSET 2", "FETCH is missed, which on streaming table is not supported currently"},
        {"SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt DESC) AS rn FROM (SELECT *, "
         "PROCTIME() AS pt FROM t)) WHERE rn = 1",
         "StreamPhysicalDeduplicate doesn't support consuming update and delete changes which is produced by node "
         "TableSourceScan(table=[[default_catalog, default_database, t]]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness *h = harness_open();
        harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
        weir_error err = harness_refusal(h, cases[i].query);
        if (strstr(err.message, cases[i].message) == NULL || err.line < 1) {
            fail_msg("%s\n%s (line %d)", cases[i].query, err.message, err.line);
        }
        harness_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rows_of_each_partition_are_kept),
        cmocka_unit_test(rows_with_their_numbers_move_up_and_down),
        cmocka_unit_test(rows_behind_the_last_one_come_back),
        cmocka_unit_test(an_update_that_changes_nothing_says_nothing),
        cmocka_unit_test(equal_rows_stand_for_themselves),
        cmocka_unit_test(a_range_of_numbers_may_begin_later),
        cmocka_unit_test(one_number_is_an_update_of_its_row),
        cmocka_unit_test(orders_go_down_and_nulls_where_they_should),
        cmocka_unit_test(numbers_are_ordered_as_numbers),
        cmocka_unit_test(a_limit_over_inserts_counts_them),
        cmocka_unit_test(a_limit_over_changes_moves_on_when_rows_go),
        cmocka_unit_test(what_is_kept_is_found_again),
        cmocka_unit_test(the_last_row_by_the_clock_is_the_one_that_came_last),
        cmocka_unit_test(the_first_row_by_the_clock_stays),
        cmocka_unit_test(changes_of_a_batch_to_one_partition_are_told_as_one),
        cmocka_unit_test(what_flink_refuses_is_refused_in_its_words),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
