/* Exact sums: against sums of whole numbers, in any order, with what was taken out again. */
#include <math.h>

#include "cmocka_all.h"
#include "random.h"
#include "sql/function/exact_sum.h"

static double value_of(const weir_short_sum *sum, const weir_long_sum *long_sum, bool is_short)
{
    double value = weir_long_sum_value(long_sum);
    if (is_short) {
        assert_true(sum->high == value);
    }
    return value;
}

static void known_sums_are_rounded_once(void **state)
{
    (void)state;
    static const struct {
        double values[6];
        double sum;
    } cases[] = {
        {{0.1, 0.2, 0.3}, 0.6},
        {{1e300, 1, -1e300, 0x1p-1074}, 1},
        {{1e16, 1, 1, 1}, 1e16 + 3 + 1}, /* 10000000000000003 lies between two doubles: to the even one */
        {{0x1p53, 1}, 0x1p53},
        {{0x1p53, 1, 0x1p-1074}, 0x1p53 + 2},
        {{-0x1p53, -1, -0x1p-1074}, -0x1p53 - 2},
        {{0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}, 0x1.fffffffffffffp1023},
        {{0x1p-1074, 0x1p-1074, 0x1p-1074}, 3 * 0x1p-1074},
        {{0x1p-1022, -0x1p-1074}, 0x1p-1022 - 0x1p-1074},
        {{5, -5}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_short_sum sum = {0};
        weir_long_sum long_sum = {0};
        bool is_short = true;
        for (size_t j = 0; j < 6; j++) {
            is_short = is_short && weir_short_sum_add(&sum, cases[i].values[j]);
            weir_long_sum_add(&long_sum, cases[i].values[j], 1);
        }
        assert_true(value_of(&sum, &long_sum, is_short) == cases[i].sum);
    }
}

static void sums_that_overflow_are_infinite_until_they_fit_again(void **state)
{
    (void)state;
    weir_long_sum sum = {0};
    weir_long_sum_add(&sum, 0x1.8p1023, 3);
    assert_true(isinf(weir_long_sum_value(&sum)));
    weir_long_sum_add(&sum, 0x1.8p1023, -2);
    assert_true(weir_long_sum_value(&sum) == 0x1.8p1023);
}

static void nan_and_the_infinities_can_be_taken_out(void **state)
{
    (void)state;
    weir_long_sum sum = {0};
    weir_long_sum_add(&sum, 1.5, 1);
    weir_long_sum_add(&sum, (double)INFINITY, 1);
    assert_true(weir_long_sum_value(&sum) == (double)INFINITY);
    weir_long_sum_add(&sum, -(double)INFINITY, 1);
    assert_true(isnan(weir_long_sum_value(&sum)));
    weir_long_sum_add(&sum, (double)INFINITY, -1);
    assert_true(weir_long_sum_value(&sum) == -(double)INFINITY);
    weir_long_sum_add(&sum, (double)NAN, 1);
    assert_true(isnan(weir_long_sum_value(&sum)));
    weir_long_sum_add(&sum, (double)NAN, -1);
    weir_long_sum_add(&sum, -(double)INFINITY, -1);
    assert_true(weir_long_sum_value(&sum) == 1.5);
}

static double random_number(random_state *random)
{
    int exponent =
        random_below(random, 4) == 0 ? (int)random_below(random, 2000) - 1000 : (int)random_below(random, 60);
    double value = ldexp((double)(random_next(random) >> 11), exponent - 53);
    return random_below(random, 2) == 0 ? value : -value;
}

static void the_order_of_numbers_makes_no_difference_and_none_is_left_when_all_are_out(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 300; round++) {
        double values[64];
        weir_long_sum forwards = {0};
        weir_long_sum backwards = {0};
        weir_short_sum sum = {0};
        bool is_short = true;
        for (int i = 0; i < 64; i++) {
            values[i] = random_number(&random);
            weir_long_sum_add(&forwards, values[i], 1);
            is_short = is_short && weir_short_sum_add(&sum, values[i]);
            value_of(&sum, &forwards, is_short);
        }
        for (int i = 63; i >= 0; i--) {
            weir_long_sum_add(&backwards, values[i], 1);
        }
        assert_memory_equal(&forwards, &backwards, sizeof forwards);
        for (int i = 0; i < 64; i++) {
            weir_long_sum_add(&forwards, values[(i * 37 + round) % 64], -1);
        }
        assert_memory_equal(&forwards, &(weir_long_sum){0}, sizeof forwards);
    }
}

static void sums_survive_as_bytes_and_as_two_doubles(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 300; round++) {
        weir_long_sum sum = {.nans = (int64_t)random_below(&random, 2)};
        weir_long_sum back;
        weir_short_sum two;
        weir_buffer bytes = {0};
        weir_error err;
        for (uint64_t i = random_below(&random, 5); i > 0; i--) {
            weir_long_sum_add(&sum, random_number(&random), 1);
        }
        weir_long_sum_encode(&sum, &bytes);
        assert_int_equal(weir_long_sum_decode(weir_buffer_slice(&bytes), &back, &err), WEIR_OK);
        assert_memory_equal(&sum, &back, sizeof sum);
        if (weir_long_sum_shorten(&sum, &two)) {
            weir_long_sum again = {0};
            weir_long_sum_add(&again, two.high, 1);
            weir_long_sum_add(&again, two.low, 1);
            assert_memory_equal(&sum, &again, sizeof sum);
        }
        if (bytes.size > 0) {
            assert_int_equal(weir_long_sum_decode(weir_slice_of(bytes.data, bytes.size - 1), &back, &err),
                             WEIR_CORRUPT);
        }
        weir_buffer_free(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums_are_rounded_once),
        cmocka_unit_test(sums_that_overflow_are_infinite_until_they_fit_again),
        cmocka_unit_test(nan_and_the_infinities_can_be_taken_out),
        cmocka_unit_test(the_order_of_numbers_makes_no_difference_and_none_is_left_when_all_are_out),
        cmocka_unit_test(sums_survive_as_bytes_and_as_two_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
