/* Text: UTF-8, numbers, sizes, durations, suggestions. */
#include "base/text.h"

#include "cmocka_all.h"

static void utf8_is_checked_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"", true},
        {"plain ascii, longer than eight bytes", true},
        {"\xc3\xa9", true},
        {"\xe2\x82\xac", true},
        {"\xf0\x9f\x98\x80", true},
        {"\xef\xbf\xbf", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"12345678\xc3\xa9", true},
        {"\x80", false},             /* a continuation alone */
        {"\xc3", false},             /* cut off */
        {"12345678\xe2\x82", false}, /* cut off */
        {"\xf0\x9f\x98", false},     /* cut off */
        {"\xc0\x80", false},         /* overlong */
        {"\xc1\xbf", false},         /* overlong */
        {"\xe0\x9f\xbf", false},     /* overlong */
        {"\xf0\x8f\xbf\xbf", false}, /* overlong */
        {"\xed\xa0\x80", false},     /* a surrogate */
        {"\xf4\x90\x80\x80", false}, /* past U+10FFFF */
        {"\xf5\x80\x80\x80", false}, /* past U+10FFFF */
        {"\xc3\xc3", false},
        {"\xff", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_utf8_valid(weir_slice_text(cases[i].text)), cases[i].valid);
    }
    assert_true(weir_utf8_valid((weir_slice){0}));
}

static void code_points_are_counted_and_cut(void **state)
{
    (void)state;
    weir_slice text = weir_slice_text("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
    assert_int_equal(weir_utf8_length(text), 5);
    static const size_t ends[] = {0, 1, 3, 6, 10, 11, 11};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_int_equal(weir_utf8_prefix(text, i), ends[i]);
    }
    assert_int_equal(weir_utf8_length((weir_slice){0}), 0);
    assert_int_equal(weir_utf8_prefix((weir_slice){0}, 3), 0);
}

static void whole_numbers_are_parsed_to_their_limits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"+7", true, 7},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+", false, 0},
        {"1 ", false, 0},
        {" 1", false, 0},
        {"1a", false, 0},
        {"--1", false, 0},
        {"1.0", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -1;
        assert_int_equal(weir_parse_int64(weir_slice_text(cases[i].text), &value), cases[i].valid);
        assert_int_equal(value, cases[i].valid ? cases[i].value : -1);
    }
}

static void sizes_are_read_with_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes; /* -1: not a size */
    } cases[] = {
        {"0", 0},
        {"1024", 1024},
        {"12 b", 12},
        {"12bytes", 12},
        {"64kb", 64 << 10},
        {"64 K", 64 << 10},
        {" 128 mb ", 128 << 20},
        {"128 MB", 128 << 20},
        {"1g", 1LL << 30},
        {"1 gibibytes", 1LL << 30},
        {"2 tb", 2LL << 40},
        {"", -1},
        {"mb", -1},
        {"-1 mb", -1},
        {"1.5 mb", -1},
        {"1 pb", -1},
        {"1 m b", -1},
        {"9999999999 tb", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t bytes = -1;
        assert_int_equal(weir_parse_size(cases[i].text, &bytes), cases[i].bytes >= 0);
        assert_true(bytes == cases[i].bytes || cases[i].bytes < 0);
    }
}

static void durations_are_read_with_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* -1: not a duration */
    } cases[] = {
        {"500", 500},
        {"500ms", 500},
        {"10s", 10000},
        {"10 sec", 10000},
        {"2 secs", 2000},
        {"1 m", 60000},
        {"1 min", 60000},
        {"5 minutes", 300000},
        {"1 h", 3600000},
        {"2 HOURS", 7200000},
        {"7d", 604800000},
        {"1 day", 86400000},
        {"1500 micros", 1},
        {"1500 \xc2\xb5s", 1},
        {"999999 ns", 0},
        {"3000000 nanoseconds", 3},
        {"", -1},
        {"h", -1},
        {"1 fortnight", -1},
        {"-1 s", -1},
        {"9223372036854775807 d", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ms = -1;
        assert_int_equal(weir_parse_duration(cases[i].text, &ms), cases[i].ms >= 0);
        assert_true(ms == cases[i].ms || cases[i].ms < 0);
    }
}

static void the_nearest_name_is_suggested_when_it_is_near_enough(void **state)
{
    (void)state;
    static const char *const options[] = {"bucket", "bucket-key", "file.format", "merge-engine", "changelog-producer"};
    static const struct {
        const char *word;
        const char *suggestion;
    } cases[] = {
        {"buckt", "bucket"},
        {"bukcet", "bucket"},
        {"Bucket", "bucket"},
        {"bucket_key", "bucket-key"},
        {"file-format", "file.format"},
        {"changelog-producers", "changelog-producer"},
        {"mergeengine", "merge-engine"},
        {"xyz", NULL},
        {"", NULL},
        {"parquet.enable.dictionary", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = weir_suggest(cases[i].word, options, sizeof options / sizeof *options);
        if (cases[i].suggestion) {
            assert_non_null(found);
            assert_string_equal(found, cases[i].suggestion);
        } else {
            assert_null(found);
        }
    }
    char endless[1000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    const char *const candidates[] = {endless};
    assert_null(weir_suggest(endless, candidates, 1));
    assert_null(weir_suggest("x", candidates, 1));
    assert_null(weir_suggest("x", NULL, 0));
}

static void case_is_ignored_where_asked(void **state)
{
    (void)state;
    assert_true(weir_text_equal_ignore_case("Bucket", "bUCKET"));
    assert_false(weir_text_equal_ignore_case("bucket", "buckets"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_checked_strictly),
        cmocka_unit_test(code_points_are_counted_and_cut),
        cmocka_unit_test(whole_numbers_are_parsed_to_their_limits),
        cmocka_unit_test(sizes_are_read_with_their_units),
        cmocka_unit_test(durations_are_read_with_their_units),
        cmocka_unit_test(the_nearest_name_is_suggested_when_it_is_near_enough),
        cmocka_unit_test(case_is_ignored_where_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
