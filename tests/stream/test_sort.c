/* ORDER BY a time in streams: rows come out in its order, and late ones are dropped. */
#include "events.h"

static void sorted_rows_come_out_in_time_and_by_what_follows_it(void **state)
{
    (void)state;
    for (int32_t size = 1; size <= event_count; size++) {
        harness *h = harness_open();
        harness_table *table = add_events(h);
        harness_start(h, "SELECT id FROM e ORDER BY ts");
        for (int32_t first = 0; first < event_count; first += size) {
            push_events(table, first, first + size < event_count ? first + size : event_count);
        }
        harness_end(h);
        harness_check(h, "+I [1] +I [4] +I [2] +I [3] +I [5] +I [6] +I [9]");
        harness_close(h);
    }
    harness *h = harness_open();
    harness_table *table = add_events(h);
    harness_start(h, "SELECT id FROM e ORDER BY ts, k DESC, id");
    harness_push(table, "+I [1, 'a', 1, '2024-01-01 00:00:01.000'] +I [3, 'b', 1, '2024-01-01 00:00:01.000'] "
                        "+I [2, 'b', 1, '2024-01-01 00:00:01.000'] +I [4, 'a', 1, '2024-01-01 00:00:00.000']");
    harness_end(h);
    harness_check(h, "+I [4] +I [2] +I [3] +I [1]");
    harness_close(h);
}

static void other_orders_are_refused(void **state)
{
    (void)state;
    static const char *const queries[] = {"SELECT id FROM e ORDER BY v", "SELECT id FROM e ORDER BY ts DESC"};
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        harness *h = harness_open();
        add_events(h);
        weir_error err = harness_refusal(h, queries[i]);
        assert_string_equal(err.message, "Sort on a non-time-attribute field is not supported.");
        assert_int_equal(err.line, 1);
        harness_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_rows_come_out_in_time_and_by_what_follows_it),
        cmocka_unit_test(other_orders_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
