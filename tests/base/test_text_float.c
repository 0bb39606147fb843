/* DOUBLE and FLOAT as text: what Java 19 and later prints. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cmocka_all.h"
#include "random.h"

static const char *print_double(double value)
{
    static weir_buffer out;
    weir_buffer_clear(&out);
    weir_format_double(value, &out);
    return weir_buffer_text(&out);
}

static const char *print_float(float value)
{
    static weir_buffer out;
    weir_buffer_clear(&out);
    weir_format_float(value, &out);
    return weir_buffer_text(&out);
}

static void doubles_print_as_java_prints_them(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.30000000000000004, "0.30000000000000004"},
        {100, "100.0"},
        {12.34, "12.34"},
        {0.001, "0.001"},
        {0.00099, "9.9E-4"},
        {0.0010000000000000002, "0.0010000000000000002"},
        {9999999, "9999999.0"},
        {1e7, "1.0E7"},
        {123456789.5, "1.234567895E8"},
        {1234567.125, "1234567.125"},
        {1e10, "1.0E10"},
        {1e15, "1.0E15"},
        {1e21, "1.0E21"},
        {1e22, "1.0E22"},
        {1e23, "1.0E23"},
        {2e23, "2.0E23"},
        {9007199254740993.0, "9.007199254740992E15"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {0x1p-44, "5.684341886080802E-14"}, /* the nearest 16 digits do not read back */
        {DBL_MAX, "1.7976931348623157E308"},
        {DBL_MIN, "2.2250738585072014E-308"},
        {DBL_TRUE_MIN, "4.9E-324"},
        {2e-323, "2.0E-323"},
        {NAN, "NaN"},
        {-NAN, "NaN"},
        {INFINITY, "Infinity"},
        {-INFINITY, "-Infinity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(print_double(cases[i].value), cases[i].text);
    }
}

static void floats_print_as_java_prints_them(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {
        {0.0F, "0.0"},
        {-0.0F, "-0.0"},
        {0.1F, "0.1"},
        {1.1F, "1.1"},
        {0.001F, "0.001"},
        {1e7F, "1.0E7"},
        {16777216.0F, "1.6777216E7"},
        {123456.7F, "123456.7"},
        {33554432.0F, "3.3554432E7"},
        {1.0F / 3, "0.33333334"},
        {FLT_MAX, "3.4028235E38"},
        {FLT_MIN, "1.1754944E-38"},
        {FLT_TRUE_MIN, "1.4E-45"},
        {8.41e21F, "8.41E21"},
        {2.0e-3F, "0.002"},
        {NAN, "NaN"},
        {-INFINITY, "-Infinity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(print_float(cases[i].value), cases[i].text);
    }
}

/* The significant digits of a printed number. */
static int count_digits(const char *text)
{
    int digits = 0;
    int trailing_zeros = 0;
    for (; *text && *text != 'E'; text++) {
        if (*text >= '0' && *text <= '9' && (digits > 0 || *text != '0')) {
            digits++;
            trailing_zeros = *text == '0' ? trailing_zeros + 1 : 0;
        }
    }
    return digits - trailing_zeros;
}

static int fewest_digits_of_double(double value)
{
    for (int digits = 1;; digits++) {
        char text[40];
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value) {
            return digits;
        }
    }
}

static int fewest_digits_of_float(float value)
{
    for (int digits = 1;; digits++) {
        char text[40];
        snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
        if (strtof(text, NULL) == value) {
            return digits;
        }
    }
}

static double random_double(random_state *random)
{
    uint64_t bits = random_next(random);
    double value;
    switch (random_below(random, 4)) {
    case 0:
        memcpy(&value, &bits, sizeof value);
        return value;
    case 1:
        return (double)(bits % 10000000) / pow(10, (double)random_below(random, 9));
    case 2:
        return ldexp(1, (int)(bits % 2098) - 1074);
    default:
        return (double)bits / 0x1p64 * 1000;
    }
}

static void random_doubles_read_back_and_are_shortest(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int i = 0; i < 20000; i++) {
        double value = random_double(&random);
        if (!isfinite(value) || value == 0) {
            continue;
        }
        const char *text = print_double(value);
        assert_true(strtod(text, NULL) == value);
        int fewest = fewest_digits_of_double(value);
        assert_true(count_digits(text) <= (fewest < 2 ? 2 : fewest));
    }
}

static void random_floats_read_back_and_are_shortest(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int i = 0; i < 20000; i++) {
        uint32_t bits = (uint32_t)random_next(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) {
            value = (float)(bits % 1000000) / (float)pow(10, (double)random_below(&random, 6));
        }
        if (!isfinite(value) || value == 0) {
            continue;
        }
        const char *text = print_float(value);
        assert_true(strtof(text, NULL) == value);
        int fewest = fewest_digits_of_float(value);
        assert_true(count_digits(text) <= (fewest < 2 ? 2 : fewest));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_print_as_java_prints_them),
        cmocka_unit_test(floats_print_as_java_prints_them),
        cmocka_unit_test(random_doubles_read_back_and_are_shortest),
        cmocka_unit_test(random_floats_read_back_and_are_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
