/* Below the functions: 256-bit numbers, time zones, patterns of dates. */
#include <limits.h>

#include "base/clock.h"
#include "base/zone.h"
#include "cmocka_all.h"
#include "random.h"
#include "sql/function/date_pattern.h"
#include "sql/function/wide.h"
#include "vector/decimal.h"

/* --- Wide numbers ---------------------------------------------------------------------------------------------- */

static weir_uint128 random_wide(random_state *random)
{
    weir_uint128 value = ((weir_uint128)random_next(random) << 64) | random_next(random);
    return value >> random_below(random, 128); /* of any length */
}

static void quotient_times_divisor_plus_remainder_is_the_dividend(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int i = 0; i < 20000; i++) {
        weir_uint128 a = random_wide(&random);
        weir_uint128 b = random_wide(&random);
        weir_uint128 divisor = random_wide(&random) | 1;
        weir_wide dividend = weir_wide_multiply(a, b);
        weir_uint128 remainder;
        weir_wide quotient = weir_wide_divide(dividend, divisor, &remainder);
        assert_true(remainder < divisor);
        weir_wide high = weir_wide_multiply(quotient.high, divisor);
        weir_wide back = weir_wide_add(weir_wide_multiply(quotient.low, divisor), (weir_wide){high.low, 0});
        back = weir_wide_add(back, (weir_wide){0, remainder});
        assert_true(high.high == 0 && weir_wide_compare(back, dividend) == 0);
    }
}

static void scaling_down_rounds_half_up(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        int exponent;
        uint64_t expected;
    } cases[] = {{14, 1, 1}, {15, 1, 2}, {1499, 3, 1}, {1500, 3, 2}, {5, 1, 1}, {4, 1, 0}, {7, 0, 7}, {499, 3, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_wide scaled = weir_wide_scale_down((weir_wide){0, cases[i].value}, cases[i].exponent);
        assert_true(scaled.high == 0 && scaled.low == cases[i].expected);
    }
    weir_wide large;
    assert_true(weir_wide_scale_up((weir_wide){0, 15}, 74, &large));
    assert_int_equal(weir_wide_digits(large), 76);
    assert_true(weir_wide_scale_down(large, 75).low == 2);
    assert_false(weir_wide_scale_up(large, 2, &large));
}

/* --- Zones ----------------------------------------------------------------------------------------------------- */

static int64_t seconds_of(int year, int month, int day, int hour, int minute)
{
    return weir_days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60;
}

static void offsets_follow_the_seasons_for_ever(void **state)
{
    (void)state;
    const weir_zone *york = weir_zone_find("America/New_York");
    if (york == NULL) {
        printf("skipped: no tzdata\n");
        return;
    }
    assert_int_equal(weir_zone_offset(york, seconds_of(2024, 1, 15, 12, 0)), -18000);
    assert_int_equal(weir_zone_offset(york, seconds_of(2024, 7, 15, 12, 0)), -14400);
    assert_int_equal(weir_zone_offset(york, seconds_of(2024, 3, 10, 6, 59)), -18000);
    assert_int_equal(weir_zone_offset(york, seconds_of(2024, 3, 10, 7, 0)), -14400);
    assert_int_equal(weir_zone_offset(york, seconds_of(2150, 7, 15, 12, 0)), -14400);
    assert_int_equal(weir_zone_offset(york, seconds_of(2150, 12, 15, 12, 0)), -18000);
    const weir_zone *shanghai = weir_zone_find("Asia/Shanghai");
    assert_int_equal(weir_zone_offset(shanghai, seconds_of(2500, 7, 1, 0, 0)), 28800);
}

static void local_times_that_are_skipped_or_double_take_the_offset_before(void **state)
{
    (void)state;
    const weir_zone *york = weir_zone_find("America/New_York");
    if (york == NULL) {
        printf("skipped: no tzdata\n");
        return;
    }
    assert_int_equal(weir_zone_local_offset(york, seconds_of(2024, 3, 10, 1, 59)), -18000);
    assert_int_equal(weir_zone_local_offset(york, seconds_of(2024, 3, 10, 2, 30)), -18000);
    assert_int_equal(weir_zone_local_offset(york, seconds_of(2024, 3, 10, 3, 0)), -14400);
    assert_int_equal(weir_zone_local_offset(york, seconds_of(2024, 11, 3, 1, 30)), -14400);
    assert_int_equal(weir_zone_local_offset(york, seconds_of(2024, 11, 3, 2, 0)), -18000);
}

static void fixed_zones_are_read_and_nonsense_is_not(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t offset;
    } cases[] = {{"UTC", 0}, {"Z", 0}, {"GMT+08:00", 28800}, {"UTC-5", -18000}, {"+05:30", 19800}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(weir_zone_offset(weir_zone_find(cases[i].name), 0), cases[i].offset);
    }
    static const char *const bad[] = {"Nowhere/City", "../../etc/passwd", "/etc/passwd", "", "+99:00",
                                      "UTC+",         "posixrules/x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(weir_zone_find(bad[i]));
    }
}

/* --- Patterns -------------------------------------------------------------------------------------------------- */

typedef struct pattern_case {
    weir_pattern_dialect dialect;
    const char *pattern;
    const char *text; /* NULL: not usable */
} pattern_case;

static void times_are_written_by_patterns(void **state)
{
    (void)state;
    static const pattern_case cases[] = {
        {WEIR_PATTERN_FORMATTER, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS", "2024-02-09T14:05:06.789012"},
        {WEIR_PATTERN_FORMATTER, "yy M d h a EEE MMMM '' Q", "24 2 9 2 PM Fri February ' 1"},
        {WEIR_PATTERN_FORMATTER, "D w W e k K A", "40 6 2 6 14 2 50706789"},
        {WEIR_PATTERN_FORMATTER, "b", NULL},
        {WEIR_PATTERN_FORMATTER, "'open", NULL},
        {WEIR_PATTERN_SIMPLE, "yyyyMMdd HHmmss SSS u Z", "20240209 140506 789 5 +0000"},
        {WEIR_PATTERN_SIMPLE, "y MMM XXX", "2024 Feb Z"},
        {WEIR_PATTERN_SIMPLE, "e", NULL},
    };
    int64_t millis = (seconds_of(2024, 2, 9, 14, 5) + 6) * 1000 + 789;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_local_time time = weir_local_time_of(millis, 12345);
        weir_buffer out = {0};
        bool usable = weir_date_pattern_format(cases[i].dialect, weir_slice_text(cases[i].pattern), &time, &out);
        assert_int_equal(usable, cases[i].text != NULL);
        if (usable) {
            assert_string_equal(weir_buffer_text(&out), cases[i].text);
        }
        weir_buffer_free(&out);
    }
}

typedef struct parse_case {
    weir_pattern_dialect dialect;
    const char *pattern;
    const char *text;
    int64_t seconds; /* INT64_MIN: does not fit */
} parse_case;

static void times_are_read_by_patterns(void **state)
{
    (void)state;
    const int64_t day = seconds_of(2024, 2, 9, 0, 0);
    const parse_case cases[] = {
        {WEIR_PATTERN_FORMATTER, "yyyy-MM-dd HH:mm:ss", "2024-02-09 14:05:06", day + 50706},
        {WEIR_PATTERN_FORMATTER, "yyyyMMddHHmmss", "20240209140506", day + 50706},
        {WEIR_PATTERN_FORMATTER, "d/M/yy", "9/2/24", day},
        {WEIR_PATTERN_FORMATTER, "dd MMM yyyy hh a", "09 Feb 2024 02 PM", day + 50400},
        {WEIR_PATTERN_FORMATTER, "yyyy-MM-dd", "2023-02-31", seconds_of(2023, 2, 28, 0, 0)},
        {WEIR_PATTERN_FORMATTER, "yyyy-MM-dd", "2024-02-09 ", INT64_MIN},
        {WEIR_PATTERN_FORMATTER, "yyyy-MM-dd", "2024-2-9", INT64_MIN},
        {WEIR_PATTERN_FORMATTER, "yyyy-MM-dd", "2024-13-01", INT64_MIN},
        {WEIR_PATTERN_SIMPLE, "yyyy-MM-dd", "2024-02-30", seconds_of(2024, 3, 1, 0, 0)},
        {WEIR_PATTERN_SIMPLE, "yyyy-MM-dd", "2024-2-9 and more", day},
        {WEIR_PATTERN_SIMPLE, "yyyyMMdd", "20240209", day},
        {WEIR_PATTERN_SIMPLE, "yyyy-MM-dd", "no date", INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_parsed_time parsed;
        bool fits = weir_date_pattern_parse(cases[i].dialect, weir_slice_text(cases[i].pattern),
                                            weir_slice_text(cases[i].text), &parsed);
        assert_int_equal(fits, cases[i].seconds != INT64_MIN);
        if (fits) {
            assert_int_equal(parsed.millis, cases[i].seconds * 1000);
        }
    }
}

/* What is written by a pattern of all fields is read back as it was. */
static void written_times_read_back(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_slice pattern = weir_slice_text("yyyy-MM-dd HH:mm:ss.SSSSSSSSS");
    for (int i = 0; i < 5000; i++) {
        int64_t millis = (int64_t)random_below(&random, 253402300800000);
        int32_t nanos = (int32_t)random_below(&random, 1000000);
        weir_local_time time = weir_local_time_of(millis, nanos);
        weir_buffer text = {0};
        assert_true(weir_date_pattern_format(WEIR_PATTERN_FORMATTER, pattern, &time, &text));
        weir_parsed_time parsed;
        assert_true(weir_date_pattern_parse(WEIR_PATTERN_FORMATTER, pattern, weir_buffer_slice(&text), &parsed));
        assert_int_equal(parsed.millis, millis);
        assert_int_equal(parsed.nanos_of_milli, nanos);
        weir_buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotient_times_divisor_plus_remainder_is_the_dividend),
        cmocka_unit_test(scaling_down_rounds_half_up),
        cmocka_unit_test(offsets_follow_the_seasons_for_ever),
        cmocka_unit_test(local_times_that_are_skipped_or_double_take_the_offset_before),
        cmocka_unit_test(fixed_zones_are_read_and_nonsense_is_not),
        cmocka_unit_test(times_are_written_by_patterns),
        cmocka_unit_test(times_are_read_by_patterns),
        cmocka_unit_test(written_times_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
