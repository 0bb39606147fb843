/* Grouped aggregation of streams: what changes come out, and that what is left is what batch gives over the rows that
 * are left. */
#include "harness.h"

/* --- What comes out -------------------------------------------------------------------------------------------- */

static harness_table *start(harness **h, const char *columns, harness_changes changes, const char *query)
{
    *h = harness_open();
    harness_table *table = harness_add(*h, "t", columns, changes);
    harness_start(*h, query);
    return table;
}

static void a_group_comes_changes_and_goes(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT, v BIGINT", HARNESS_CHANGES, "SELECT k, COUNT(*), SUM(v) FROM t GROUP BY k");
    harness_push(t, "+I [1, 10] +I [2, null]");
    harness_check(h, "+I [1, 1, 10] +I [2, 1, null]");
    harness_push(t, "+I [1, 5]");
    harness_check(h, "-U [1, 1, 10] +U [1, 2, 15]");
    harness_push(t, "-D [1, 10] -D [2, null]");
    harness_check(h, "-U [1, 2, 15] +U [1, 1, 5] -D [2, 1, null]");
    harness_push(t, "-D [1, 5]");
    harness_check(h, "-D [1, 1, 5]");
    harness_push(t, "+I [1, 7]");
    harness_check(h, "+I [1, 1, 7]");
    harness_close(h);
}

static void the_changes_of_a_batch_are_told_at_once(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT, v BIGINT", HARNESS_CHANGES, "SELECT k, COUNT(*), SUM(v) FROM t GROUP BY k");
    harness_push(t, "+I [1, 1] +I [1, 2] +I [1, 3] -D [1, 2]");
    harness_check(h, "+I [1, 2, 4]");
    harness_push(t, "+I [2, 1] -D [2, 1]");
    harness_check(h, "");
    harness_push(t, "-D [1, 1] -D [1, 3] +I [1, 9]");
    harness_check(h, "-U [1, 2, 4] +U [1, 1, 9]");
    harness_close(h);
}

static void a_row_that_stays_as_it_was_is_not_told(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT, v BIGINT", HARNESS_CHANGES, "SELECT k, MAX(v) FROM t GROUP BY k");
    harness_push(t, "+I [1, 10]");
    harness_check(h, "+I [1, 10]");
    harness_push(t, "+I [1, 5] -U [1, 10] +U [1, 10]");
    harness_check(h, "");
    harness_close(h);
}

static void the_retraction_of_an_unknown_row_makes_no_group_and_takes_nothing_along(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT, v BIGINT", HARNESS_CHANGES, "SELECT k, COUNT(*), SUM(v) FROM t GROUP BY k");
    harness_push(t, "-D [7, 5] +I [7, 1] +I [8, 2]");
    harness_check(h, "+I [7, 1, 1] +I [8, 1, 2]");
    harness_push(t, "-D [9, 5]");
    harness_check(h, "");
    harness_close(h);
}

static void a_group_that_was_empty_in_between_begins_anew(void **state)
{
    (void)state;
    harness *h;
    harness_table *t =
        start(&h, "k INT, v BIGINT", HARNESS_CHANGES,
              "SELECT k, SUM(v), MAX(v), COUNT(DISTINCT v), LISTAGG(CAST(v AS STRING)) FROM t GROUP BY k");
    harness_push(t, "+I [1, 5]");
    harness_check(h, "+I [1, 5, 5, 1, '5']");
    harness_push(t, "-D [1, 6] +I [1, 3]"); /* a row that never was: what is left of the other one goes too */
    harness_check(h, "-U [1, 5, 5, 1, '5'] +U [1, 3, 3, 1, '3']");
    harness_close(h);
}

static void without_groups_the_row_comes_with_the_first_input(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "v BIGINT", HARNESS_CHANGES, "SELECT COUNT(*), SUM(v) FROM t WHERE v < 100");
    harness_push(t, "+I [200]");
    harness_check(h, "");
    harness_push(t, "+I [1]");
    harness_check(h, "+I [1, 1]");
    harness_push(t, "-D [1]");
    harness_check(h, "-D [1, 1]");
    harness_close(h);
}

static void null_is_a_group_and_floats_group_by_their_bits(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "x DOUBLE", HARNESS_INSERTS, "SELECT x, COUNT(*) FROM t GROUP BY x");
    harness_push(t, "+I [null] +I ['NaN'] +I ['NaN'] +I [0.0] +I [-0.0] +I [null]");
    harness_check(h, "+I [null, 2] +I ['NaN', 2] +I [0.0, 1] +I [-0.0, 1]");
    harness_close(h);
}

static void nested_values_are_groups(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "a ARRAY<INT>, r ROW<x INT, y STRING>", HARNESS_CHANGES,
                             "SELECT a, r, COUNT(*) FROM t GROUP BY a, r");
    harness_push(t, "+I [[1, 2], [1, 'x']] +I [[1, 2], [1, 'x']] +I [null, [null, '']]");
    harness_check(h, "+I [[1,2], [1,'x'], 2] +I [null, [null,''], 1]");
    harness_push(t, "-D [[1, 2], [1, 'x']]");
    harness_check(h, "-U [[1,2], [1,'x'], 2] +U [[1,2], [1,'x'], 1]");
    harness_close(h);
}

static void grouping_sets_are_groups_of_their_own(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "a INT, b STRING, v INT", HARNESS_CHANGES,
                             "SELECT a, b, COUNT(*), GROUPING(a, b) FROM t GROUP BY ROLLUP (a, b)");
    harness_push(t, "+I [1, 'x', 1] +I [1, null, 2]");
    harness_check(h, "+I [1, 'x', 1, 0] +I [1, null, 1, 0] +I [1, null, 2, 1] +I [null, null, 2, 3]");
    harness_push(t, "-D [1, null, 2]");
    harness_check(h, "-D [1, null, 1, 0] -U [1, null, 2, 1] +U [1, null, 1, 1] -U [null, null, 2, 3] "
                     "+U [null, null, 1, 3]");
    harness_close(h);
}

static void having_lets_groups_in_and_out(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT", HARNESS_CHANGES, "SELECT k, COUNT(*) FROM t GROUP BY k HAVING COUNT(*) > 1");
    harness_push(t, "+I [1]");
    harness_check(h, "");
    harness_push(t, "+I [1]");
    harness_check(h, "+I [1, 2]");
    harness_push(t, "-D [1]");
    harness_check(h, "-D [1, 2]");
    harness_close(h);
}

static void distinct_rows_come_once_and_go_with_the_last_copy(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "a INT, b STRING", HARNESS_CHANGES, "SELECT DISTINCT a, b FROM t");
    harness_push(t, "+I [1, 'x'] +I [1, 'x'] +I [null, null] +I [null, null]");
    harness_check(h, "+I [1, 'x'] +I [null, null]");
    harness_push(t, "-D [1, 'x'] -D [null, null] -D [null, null]");
    harness_check(h, "-D [null, null]");
    harness_close(h);
}

static void aggregates_of_aggregates_follow(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT", HARNESS_INSERTS,
                             "SELECT c, COUNT(*) FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) GROUP BY c");
    harness_push(t, "+I [1] +I [2]");
    harness_check(h, "+I [1, 2]");
    harness_push(t, "+I [1]");
    harness_check_rows(h, "[1, 1] [2, 1]");
    harness_close(h);
}

static void of_equal_values_the_oldest_is_retracted(void **state)
{
    (void)state;
    harness *h;
    harness_table *t =
        start(&h, "v STRING", HARNESS_CHANGES, "SELECT FIRST_VALUE(v), LAST_VALUE(v), LISTAGG(v), ARRAY_AGG(v) FROM t");
    harness_push(t, "+I ['a'] +I ['b'] +I ['a'] +I [null]");
    harness_check(h, "+I ['a', 'a', 'a,b,a', ['a','b','a',null]]");
    harness_push(t, "-D ['a']");
    harness_check(h, "-U ['a', 'a', 'a,b,a', ['a','b','a',null]] +U ['b', 'a', 'b,a', ['b','a',null]]");
    harness_push(t, "-D ['a'] -D ['b']");
    harness_check(h, "-U ['b', 'a', 'b,a', ['b','a',null]] +U [null, null, null, [null]]");
    harness_close(h);
}

static void values_can_be_ordered(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "k INT, v STRING", HARNESS_CHANGES,
                             "SELECT LISTAGG(v, '|') WITHIN GROUP (ORDER BY k DESC), "
                             "FIRST_VALUE(v) WITHIN GROUP (ORDER BY k), "
                             "LAST_VALUE(v) WITHIN GROUP (ORDER BY k) FROM t");
    harness_push(t, "+I [2, 'b'] +I [3, 'c'] +I [1, 'a'] +I [null, 'n']");
    harness_check(h, "+I ['c|b|a|n', 'n', 'c']");
    harness_push(t, "-D [3, 'c'] -D [null, 'n']");
    harness_check(h, "-U ['c|b|a|n', 'n', 'c'] +U ['b|a', 'a', 'b']");
    harness_close(h);
}

static void floating_point_sums_leave_no_residue(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "x DOUBLE", HARNESS_CHANGES, "SELECT COUNT(*), SUM(x), AVG(x) FROM t");
    harness_push(t, "+I [1e300] +I [0.1] +I [1.0] +I [-1e300]");
    harness_check(h, "+I [4, 1.1, 0.275]");
    harness_push(t, "-D [0.1]");
    harness_check(h, "-U [4, 1.1, 0.275] +U [3, 1.0, 0.3333333333333333]");
    harness_push(t, "+I ['NaN'] +I ['Infinity']");
    harness_check(h, "-U [3, 1.0, 0.3333333333333333] +U [5, 'NaN', 'NaN']");
    harness_push(t, "-D ['NaN']");
    harness_check(h, "-U [5, 'NaN', 'NaN'] +U [4, 'Infinity', 'Infinity']");
    harness_push(t, "-D ['Infinity']");
    harness_check(h, "-U [4, 'Infinity', 'Infinity'] +U [3, 1.0, 0.3333333333333333]");
    harness_close(h);
}

static void a_decimal_sum_that_does_not_fit_is_null_until_it_fits_again(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "x DECIMAL(38, 0)", HARNESS_CHANGES, "SELECT SUM(x) FROM t");
    harness_push(t, "+I ['99999999999999999999999999999999999999'] +I ['1']");
    harness_check(h, "+I [null]");
    harness_push(t, "+I ['-2']");
    harness_check(h, "-U [null] +U ['99999999999999999999999999999999999998']");
    harness_close(h);
}

static void a_second_row_where_one_is_expected_is_an_error(void **state)
{
    (void)state;
    harness *h;
    weir_error err = {0};
    harness_table *t = start(&h, "k INT", HARNESS_CHANGES, "SELECT SINGLE_VALUE(k) FROM t");
    harness_push(t, "+I [1] -U [1] +U [2]");
    harness_check(h, "+I [2]");
    harness_table_add(t, "+I [3]");
    assert_int_equal(harness_pump(h, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "more than one row"));
    harness_close(h);
}

static void groups_without_changes_are_forgotten_in_time(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    harness_now_ms = 1000;
    h->context.state_ttl_ms = 1000;
    harness_start(h, "SELECT k, COUNT(*), MAX(v), COUNT(DISTINCT v) FROM t GROUP BY k");
    harness_push(t, "+I [1, 9] +I [2, 5]");
    harness_check(h, "+I [1, 1, 9, 1] +I [2, 1, 5, 1]");
    harness_tick(h, 1500);
    harness_push(t, "+I [2, 7]");
    harness_check(h, "-U [2, 1, 5, 1] +U [2, 2, 7, 2]");
    harness_tick(h, 2200);
    harness_push(t, "+I [1, 3] +I [2, 7]");
    harness_check(h, "+I [1, 1, 3, 1] -U [2, 2, 7, 2] +U [2, 3, 7, 2]");
    harness_close(h);
    harness_now_ms = 1000;
}

static void what_cannot_be_kept_up_to_date_is_refused_by_name(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_add(h, "t", "k INT", HARNESS_INSERTS);
    weir_error err = {0};
    h->query = weir_strdup("SELECT APPROX_COUNT_DISTINCT(k) FROM t");
    assert_int_equal(harness_bind(h, &err), WEIR_OK);
    assert_int_equal(harness_build(h, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "APPROX_COUNT_DISTINCT can't be kept up to date"));
    assert_int_equal(err.column, 8);
    harness_close(h);
}

/* --- UNNEST ---------------------------------------------------------------------------------------------------- */

static void elements_come_and_leave_with_their_row(void **state)
{
    (void)state;
    harness *h;
    harness_table *t =
        start(&h, "id INT, a ARRAY<STRING>", HARNESS_CHANGES, "SELECT id, x FROM t CROSS JOIN UNNEST(a) AS u(x)");
    harness_push(t, "+I [1, ['a', 'b']] +I [2, []] +I [3, null]");
    harness_check(h, "+I [1, 'a'] +I [1, 'b']");
    harness_push(t, "-U [1, ['a', 'b']] +U [1, ['a', 'b', 'c']] -U [2, []] +U [2, ['z']]");
    harness_check(h, "-D [1, 'a'] -D [1, 'b'] +I [1, 'a'] +I [1, 'b'] +I [1, 'c'] +I [2, 'z']");
    harness_push(t, "-D [1, ['a', 'b', 'c']]");
    harness_check(h, "-D [1, 'a'] -D [1, 'b'] -D [1, 'c']");
    harness_close(h);
}

static void rows_without_elements_stay_in_outer_unnest(void **state)
{
    (void)state;
    harness *h;
    harness_table *t = start(&h, "id INT, a ARRAY<ROW<p INT, q STRING>>, m MULTISET<STRING>", HARNESS_CHANGES,
                             "SELECT id, p, q, x, n FROM t LEFT JOIN UNNEST(a) AS u(p, q) ON TRUE "
                             "LEFT JOIN UNNEST(m) WITH ORDINALITY AS w(x, n) ON TRUE");
    harness_push(t, "+I [1, [[7, 'x'], null], [['m', 2]]] +I [2, null, []]");
    harness_check(h, "+I [1, 7, 'x', 'm', 1] +I [1, 7, 'x', 'm', 2] +I [1, null, null, 'm', 1] "
                     "+I [1, null, null, 'm', 2] +I [2, null, null, null, null]");
    harness_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_comes_changes_and_goes),
        cmocka_unit_test(the_changes_of_a_batch_are_told_at_once),
        cmocka_unit_test(a_row_that_stays_as_it_was_is_not_told),
        cmocka_unit_test(the_retraction_of_an_unknown_row_makes_no_group_and_takes_nothing_along),
        cmocka_unit_test(a_group_that_was_empty_in_between_begins_anew),
        cmocka_unit_test(without_groups_the_row_comes_with_the_first_input),
        cmocka_unit_test(null_is_a_group_and_floats_group_by_their_bits),
        cmocka_unit_test(nested_values_are_groups),
        cmocka_unit_test(grouping_sets_are_groups_of_their_own),
        cmocka_unit_test(having_lets_groups_in_and_out),
        cmocka_unit_test(distinct_rows_come_once_and_go_with_the_last_copy),
        cmocka_unit_test(aggregates_of_aggregates_follow),
        cmocka_unit_test(of_equal_values_the_oldest_is_retracted),
        cmocka_unit_test(values_can_be_ordered),
        cmocka_unit_test(floating_point_sums_leave_no_residue),
        cmocka_unit_test(a_decimal_sum_that_does_not_fit_is_null_until_it_fits_again),
        cmocka_unit_test(a_second_row_where_one_is_expected_is_an_error),
        cmocka_unit_test(groups_without_changes_are_forgotten_in_time),
        cmocka_unit_test(what_cannot_be_kept_up_to_date_is_refused_by_name),
        cmocka_unit_test(elements_come_and_leave_with_their_row),
        cmocka_unit_test(rows_without_elements_stay_in_outer_unnest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
