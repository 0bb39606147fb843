/* Time, the calendar, UUIDs, and log lines. */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "cmocka_all.h"
#include "random.h"

static void the_calendar_agrees_with_known_days(void **state)
{
    (void)state;
    static const struct {
        int64_t days;
        int64_t year;
        int month;
        int day;
    } cases[] = {
        {0, 1970, 1, 1},     {-1, 1969, 12, 31},      {59, 1970, 3, 1},     {11016, 2000, 2, 29},
        {11017, 2000, 3, 1}, {19782, 2024, 2, 29},    {-719528, 0, 1, 1},   {-719529, -1, 12, 31},
        {-719162, 1, 1, 1},  {2932896, 9999, 12, 31}, {-25567, 1900, 1, 1}, {-25508, 1900, 3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_days_from_civil(cases[i].year, cases[i].month, cases[i].day), cases[i].days);
        int64_t year;
        int month, day;
        weir_civil_from_days(cases[i].days, &year, &month, &day);
        assert_int_equal(year, cases[i].year);
        assert_int_equal(month, cases[i].month);
        assert_int_equal(day, cases[i].day);
    }
}

static void the_calendar_agrees_with_the_system(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int i = 0; i < 20000; i++) {
        int64_t days = (int64_t)random_below(&random, 10000000) - 5000000;
        time_t seconds = (time_t)days * 86400;
        struct tm fields;
        gmtime_r(&seconds, &fields);
        int64_t year;
        int month, day;
        weir_civil_from_days(days, &year, &month, &day);
        assert_int_equal(year, (int64_t)fields.tm_year + 1900);
        assert_int_equal(month, fields.tm_mon + 1);
        assert_int_equal(day, fields.tm_mday);
        assert_int_equal(weir_days_from_civil(year, month, day), days);
    }
}

static void clocks_run(void **state)
{
    (void)state;
    int64_t start_ns = weir_monotonic_ns();
    assert_true(weir_now_ms() > 1600000000000);
    weir_sleep_ms(2);
    weir_sleep_ms(-5);
    assert_true(weir_monotonic_ns() - start_ns >= 2000000);
}

static void the_local_clock_is_off_by_the_zone(void **state)
{
    (void)state;
    const char *before = getenv("TZ");
    char *kept = before ? strdup(before) : NULL;
    setenv("TZ", "XXX-05:30", 1);
    tzset();
    int64_t off = weir_local_now_ms() - weir_now_ms();
    assert_in_range(off, 19800000 - 10000, 19800000);
    if (kept) {
        setenv("TZ", kept, 1);
    } else {
        unsetenv("TZ");
    }
    tzset();
    free(kept);
}

static void uuids_are_of_version_four_and_differ(void **state)
{
    (void)state;
    char last[WEIR_UUID_SIZE] = "";
    for (int i = 0; i < 100; i++) {
        char uuid[WEIR_UUID_SIZE];
        weir_uuid(uuid);
        assert_int_equal(strlen(uuid), 36);
        assert_int_equal(strspn(uuid, "0123456789abcdef-"), 36);
        assert_int_equal(uuid[8], '-');
        assert_int_equal(uuid[13], '-');
        assert_int_equal(uuid[14], '4');
        assert_non_null(strchr("89ab", uuid[19]));
        assert_string_not_equal(uuid, last);
        memcpy(last, uuid, sizeof last);
    }
}

/* What `weir_log` writes to standard error while its level is `level`. */
static void logged_at(weir_log_level level, char *out, size_t size)
{
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    int standard_error = dup(STDERR_FILENO);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[1]);
    weir_log_set_level(level);
    weir_log(WEIR_LOG_ERROR, "an error %d", 1);
    weir_log(WEIR_LOG_INFO, "some news");
    weir_log_set_level(WEIR_LOG_WARN);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    ssize_t count = read(pipe_ends[0], out, size - 1);
    close(pipe_ends[0]);
    out[count < 0 ? 0 : count] = 0;
}

static void log_lines_below_the_level_are_not_written(void **state)
{
    (void)state;
    char text[4096];
    logged_at(WEIR_LOG_WARN, text, sizeof text);
    assert_non_null(strstr(text, "Z ERROR an error 1\n"));
    assert_null(strstr(text, "some news"));
    logged_at(WEIR_LOG_DEBUG, text, sizeof text);
    assert_non_null(strstr(text, "Z ERROR an error 1\n"));
    assert_non_null(strstr(text, "Z INFO some news\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calendar_agrees_with_known_days),
        cmocka_unit_test(the_calendar_agrees_with_the_system),
        cmocka_unit_test(clocks_run),
        cmocka_unit_test(the_local_clock_is_off_by_the_zone),
        cmocka_unit_test(uuids_are_of_version_four_and_differ),
        cmocka_unit_test(log_lines_below_the_level_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
