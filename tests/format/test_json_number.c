/* Numbers in text, against what the C library makes of them. */
#include <stdlib.h>

#include "format/json/number.h"
#include "format/row_text_fixture.h"

static double read_double(const char *text)
{
    double value = 0;
    uint8_t *copy = padded_copy(text, strlen(text));
    if (!weir_json_double(copy, strlen(text), &value)) {
        fail_msg("%s is no double", text);
    }
    free(copy);
    return value;
}

static void check_double(const char *text)
{
    double expected = strtod(text, NULL);
    double actual = read_double(text);
    float single = 0;
    uint8_t *copy = padded_copy(text, strlen(text));
    assert_true(weir_json_float(copy, strlen(text), &single));
    free(copy);
    float expected_single = strtof(text, NULL);
    if (memcmp(&expected, &actual, sizeof actual) != 0 || memcmp(&expected_single, &single, sizeof single) != 0) {
        fail_msg("%s is %.17g and %.9g, not %.17g and %.9g", text, actual, (double)single, expected,
                 (double)expected_single);
    }
}

static void doubles_are_rounded_correctly(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "0.1",
        "123456789.123456789",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993e22",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "8.5e22",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e-400",
        "1e400",
        "0.000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000000",
        "1.00000017881393432617187499",
        "1.00000017881393432617187500",
        "1.00000017881393432617187501",
        "16777217",
        "16777216.0000000001",
        "3.4028235677973366e38",
        "1e-45",
        "7.006492321624085e-46",
        "0.00000000000000000000000000000000000000000000000000000000000000000000001e70",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_double(texts[i]);
    }
}

static void random_doubles_come_back_from_any_number_of_digits(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int i = 0; i < 200000; i++) {
        char text[64];
        uint64_t bits = random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        value = i % 2 == 0 ? value : ldexp(value, -ilogb(value) + (int)random_below(&random, 60) - 30);
        snprintf(text, sizeof text, "%.*g", (int)random_below(&random, 20) + 1, value);
        check_double(text);
    }
}

static void whole_numbers_stop_at_the_limits_of_64_bits(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "-",
                                        "+",
                                        "1 ",
                                        " 1",
                                        "1x",
                                        "--1",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "99999999999999999999",
                                        "123456789012345678901234567890",
                                        "1.0"};
    static const char *const right[] = {"0",
                                        "-0",
                                        "+1",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "0000000000000000000000000000007",
                                        "999999999999999999",
                                        "-1000000000000000000"};
    int64_t value;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t *copy = padded_copy(wrong[i], strlen(wrong[i]));
        if (weir_json_int64(copy, strlen(wrong[i]), &value)) {
            fail_msg("'%s' is read as %lld", wrong[i], (long long)value);
        }
        free(copy);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        uint8_t *copy = padded_copy(right[i], strlen(right[i]));
        assert_true(weir_json_int64(copy, strlen(right[i]), &value));
        assert_int_equal(value, strtoll(right[i], NULL, 10));
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_rounded_correctly),
        cmocka_unit_test(random_doubles_come_back_from_any_number_of_digits),
        cmocka_unit_test(whole_numbers_stop_at_the_limits_of_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
