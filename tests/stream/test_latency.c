/* How long rows wait in a job. */
#include "stream/job/latency.h"

#include "cmocka_all.h"

static void nothing_noted_has_no_median(void **state)
{
    (void)state;
    weir_latencies latencies = {0};
    assert_int_equal(weir_latencies_median(&latencies), -1);
}

static void the_median_is_of_the_last_ones(void **state)
{
    (void)state;
    weir_latencies latencies = {0};
    for (int64_t i = 0; i < 1000; i++) {
        weir_latencies_note(&latencies, 5000);
    }
    for (int64_t i = 0; i < 256; i++) {
        weir_latencies_note(&latencies, i % 2 == 0 ? 10 + i : 3);
    }
    assert_int_equal(weir_latencies_median(&latencies), 10);
    weir_latencies_note(&latencies, 3); /* in the place of 10 */
    assert_int_equal(weir_latencies_median(&latencies), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_noted_has_no_median),
        cmocka_unit_test(the_median_is_of_the_last_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
