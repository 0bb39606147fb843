/* OVER in streams: rows come out in the order of their time, and late ones are dropped. */
#include "events.h"

#define BY_TIME "(PARTITION BY k ORDER BY ts"

static const event_case cases[] = {
    {"SELECT id, k, SUM(v) OVER " BY_TIME " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM e",
     "[1, 'a', 1] [2, 'a', 6] [3, 'b', 3] [4, 'a', 5] [5, 'a', 7] [6, null, 6] [8, 'b', 11] [9, 'b', 8]"},

    {"SELECT id, SUM(v) OVER " BY_TIME " RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW), "
     "COUNT(*) OVER " BY_TIME " RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW) FROM e",
     "[1, 1, 1] [2, 7, 3] [3, 3, 1] [4, 5, 2] [5, 5, 1] [6, 6, 1] [8, 11, 2] [9, null, 1]"},

    {"SELECT id, LAG(v, 1) OVER " BY_TIME ") FROM e", "[1, null] [2, 1] [3, null] [5, 2] [6, null] [9, 3]"},

    {"SELECT id, ROW_NUMBER() OVER " BY_TIME "), LAG(id, 2, -1) OVER " BY_TIME ") FROM e",
     "[1, 1, -1] [2, 2, -1] [3, 1, -1] [5, 3, 1] [6, 1, -1] [9, 2, -1]"},

    {"SELECT id, SUM(v) OVER (ORDER BY ts) FROM e", "[1, 1] [2, 3] [3, 6] [5, 11] [6, 17] [9, 17]"},

    {"SELECT id, MAX(v) OVER " BY_TIME "), COUNT(v) OVER " BY_TIME ") FROM e WHERE id <> 2",
     "[1, 1, 1] [3, 3, 1] [5, 5, 2] [6, 6, 1] [9, 3, 1]"},
};

static void rows_see_those_before_them_however_batches_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_event_case(&cases[i], false);
    }
}

static void rows_see_the_same_across_restarts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_event_case(&cases[i], true);
    }
}

static void rows_of_one_time_see_each_other_by_range_and_not_by_rows(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = add_events(h);
    harness_start(h, "SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM e");
    harness_push(table, "+I [1, 'a', 1, '2024-01-01 00:00:01.000'] +I [2, 'a', 1, '2024-01-01 00:00:01.000'] "
                        "+I [3, 'a', 1, '2024-01-01 00:00:02.000']");
    harness_end(h);
    harness_check(h, "+I [1, 2] +I [2, 2] +I [3, 3]");
    harness_close(h);
    h = harness_open();
    table = add_events(h);
    harness_start(h, "SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY ts ROWS UNBOUNDED PRECEDING), "
                     "RANK() OVER (PARTITION BY k ORDER BY ts), DENSE_RANK() OVER (PARTITION BY k ORDER BY ts) FROM e");
    harness_push(table, "+I [1, 'a', 1, '2024-01-01 00:00:01.000'] +I [2, 'a', 1, '2024-01-01 00:00:01.000'] "
                        "+I [3, 'a', 1, '2024-01-01 00:00:02.000']");
    harness_end(h);
    harness_check(h, "+I [1, 1, 1, 1] +I [2, 2, 1, 1] +I [3, 3, 3, 2]");
    harness_close(h);
}

static void rows_by_the_clock_come_out_at_once(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = harness_add(h, "t", "id INT, k STRING, v INT", HARNESS_INSERTS);
    harness_now_ms = 1000;
    harness_start(h, "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY pt RANGE BETWEEN INTERVAL '1' SECOND PRECEDING "
                     "AND CURRENT ROW) FROM (SELECT *, PROCTIME() AS pt FROM t)");
    harness_push(table, "+I [1, 'a', 1] +I [2, 'b', 2] +I [3, 'a', 3]");
    harness_check(h, "+I [1, 1] +I [2, 2] +I [3, 4]");
    harness_tick(h, 2001);
    harness_push(table, "+I [4, 'a', 5]");
    harness_check(h, "+I [4, 5]");
    harness_close(h);
}

static void what_flink_refuses_is_refused_in_its_words(void **state)
{
    (void)state;
    static const struct {
        const char *query, *message;
    } refusals[] = {
        {"SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY ts), COUNT(*) OVER (ORDER BY ts) FROM e",
         "Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. please "
         "re-check the over window statement."},
        {"SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM e",
         "OVER ROWS FOLLOWING windows are not supported yet."},
        {"SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY id) FROM e",
         "OVER windows' ordering in stream mode must be defined on a time attribute."},
        {"SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts DESC) FROM e",
         "The window can only be ordered in ASCENDING mode."},
        {"SELECT id, SUM(v) OVER (PARTITION BY k) FROM e", "The window can only be ordered by a single time column."},
        {"SELECT id, LEAD(v) OVER (PARTITION BY k ORDER BY ts) FROM e",
         "LEAD looks at rows that a stream has not seen yet"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        harness *h = harness_open();
        add_events(h);
        weir_error err = harness_refusal(h, refusals[i].query);
        assert_string_equal(err.message, refusals[i].message);
        assert_true(err.line > 0);
        harness_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_see_those_before_them_however_batches_are_cut),
        cmocka_unit_test(rows_see_the_same_across_restarts),
        cmocka_unit_test(rows_of_one_time_see_each_other_by_range_and_not_by_rows),
        cmocka_unit_test(rows_by_the_clock_come_out_at_once),
        cmocka_unit_test(what_flink_refuses_is_refused_in_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
