/* Watermarks: what they are made of, and the least of several inputs. */
#include "events.h"

#define COUNTED                                                                                                        \
    "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "                 \
    "GROUP BY window_start, window_end"

static harness_table *add_table(harness *h, const char *name, const char *watermark)
{
    harness_table *table = harness_add(h, name, "id INT, ts TIMESTAMP(3)", HARNESS_INSERTS);
    harness_set_watermark(table, "ts", watermark);
    return table;
}

static void an_expression_that_gives_null_leaves_the_watermark_where_it_was(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = add_table(h, "e", "CASE WHEN id > 0 THEN ts END");
    harness_start(h, COUNTED);
    harness_push(table, "+I [1, '2024-01-01 00:00:01.000'] +I [-1, '2024-01-01 00:00:15.000']");
    harness_push(table, "+I [-1, '2024-01-01 00:00:02.000']");
    harness_check(h, "");
    harness_push(table, "+I [1, '2024-01-01 00:00:10.000']");
    harness_check(h, "+I ['2024-01-01 00:00:00.000', 2]");
    harness_close(h);
}

static void a_row_without_a_time_ends_the_job(void **state)
{
    (void)state;
    weir_error err = {0};
    harness *h = harness_open();
    harness_table *table = add_table(h, "e", "ts");
    harness_start(h, COUNTED);
    harness_table_add(table, "+I [1, null]");
    assert_int_equal(harness_pump(h, &err), WEIR_INVALID);
    assert_string_equal(err.message, "RowTime field should not be null, please convert it to a non-null long value.");
    harness_close(h);
}

static void the_slower_of_two_inputs_closes_windows(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *fast = add_table(h, "fast", "ts");
    harness_table *slow = add_table(h, "slow", "ts - INTERVAL '5' SECOND");
    harness_start(h, "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE((SELECT * FROM fast UNION ALL SELECT * FROM "
                     "slow), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end");
    harness_push(fast, "+I [1, '2024-01-01 00:00:01.000'] +I [2, '2024-01-01 00:00:30.000']");
    harness_check(h, "");
    harness_push(slow, "+I [3, '2024-01-01 00:00:14.000']");
    harness_check(h, "");
    harness_push(slow, "+I [4, '2024-01-01 00:00:02.000'] +I [5, '2024-01-01 00:00:16.000']");
    harness_check(h, "+I ['2024-01-01 00:00:00.000', 2]");
    assert_int_equal(h->late_rows, 0);
    harness_end(h);
    harness_check_rows(h, "['2024-01-01 00:00:00.000', 2] ['2024-01-01 00:00:10.000', 2] "
                          "['2024-01-01 00:00:30.000', 1]");
    harness_close(h);
}

/* In one batch: the third row is behind the watermark of the second, and in an open window all the same. */
static void a_row_behind_the_watermark_counts_where_its_window_is_open(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = add_table(h, "e", "ts");
    harness_start(h, COUNTED);
    harness_push(table, "+I [1, '2024-01-01 00:00:11.000'] +I [2, '2024-01-01 00:00:15.000'] "
                        "+I [3, '2024-01-01 00:00:12.000'] +I [4, '2024-01-01 00:00:01.000']");
    assert_int_equal(h->late_rows, 1);
    harness_end(h);
    harness_check(h, "+I ['2024-01-01 00:00:10.000', 3]");
    harness_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expression_that_gives_null_leaves_the_watermark_where_it_was),
        cmocka_unit_test(a_row_without_a_time_ends_the_job),
        cmocka_unit_test(the_slower_of_two_inputs_closes_windows),
        cmocka_unit_test(a_row_behind_the_watermark_counts_where_its_window_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
