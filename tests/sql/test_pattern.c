/* Java's regular expressions, by way of PCRE2. */
#include "cmocka_all.h"
#include "random.h"
#include "sql/function/pattern.h"

/* The first match of a pattern, in memory of its own: "-" for none, "invalid", "unsupported", "too long". */
static char *match(const char *pattern_text, const char *text)
{
    weir_error err = {0};
    weir_pattern *pattern;
    int code = weir_pattern_compile(weir_slice_text(pattern_text), false, &pattern, &err);
    if (code != WEIR_OK) {
        return strdup(code == WEIR_UNSUPPORTED ? "unsupported" : "error");
    }
    if (pattern == NULL) {
        return strdup("invalid");
    }
    bool found;
    char *result;
    code = weir_pattern_find(pattern, weir_slice_text(text), 0, &found, &err);
    if (code != WEIR_OK) {
        result = strdup("too long");
    } else if (!found) {
        result = strdup("-");
    } else {
        weir_slice whole = weir_pattern_group(pattern, 0);
        result = strndup((const char *)whole.data, whole.size);
    }
    weir_pattern_free(pattern);
    return result;
}

static void patterns_mean_what_they_mean_in_java(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text, *match;
    } cases[] = {
        {"b.", "abcd", "bc"},
        {"\\w+", "a\xC3\xA9", "a"},
        {"\\u00e9+", "a\xC3\xA9\xC3\xA9", "\xC3\xA9\xC3\xA9"},
        {"\\uD83D\\uDE00", "x\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"\\x41\\0102", "AB", "AB"},
        {"a.b", "a\nb", "-"},
        {"(?s)a.b", "a\nb", "a\nb"},
        {"(?iu)B", "abc", "b"},
        {"(?d-u:b)", "abc", "b"},
        {"\\p{Alpha}+", "1ab2", "ab"},
        {"\\P{Alpha}+", "a12b", "12"},
        {"\\p{Lu}\\p{Ll}", "xAb", "Ab"},
        {"\\p{IsAlphabetic}+",
         "1\xC3\xA9"
         "a",
         "\xC3\xA9"
         "a"},
        {"\\p{javaUpperCase}", "aB", "B"},
        {"\\pL+", "1ab", "ab"},
        {"[\\p{Punct}]+", "a!?b", "!?"},
        {"[\\P{Alpha}x]+", "a1xb", "1x"},
        {"[a-c[x-z]]+", "1axzd", "axz"},
        {"[a-z&&[^m-p]]+", "mnab", "ab"},
        {"[a-z&&[def]]+", "abcdef", "def"},
        {"[^a-z&&[^A]]+", "aA1", "A1"},
        {"[a&&b&&]", "ab", "-"},
        {"[^a[b]]+", "abcab", "c"},
        {"[]a]+", "x]a", "]a"},
        {"[\\]a]+", "x]a", "]a"},
        {"\\Q[a\\E+", "[a[a", "[a"},
        {"(?<n>a)\\k<n>", "aa", "aa"},
        {"(a)|b", "b", "b"},
        {"x*", "abc", ""},
        {"a++b", "aab", "aab"},
        {"", "abc", ""},
        {"[", "a", "invalid"},
        {"[a", "a", "invalid"},
        {"(", "a", "invalid"},
        {"a**", "a", "invalid"},
        {"*", "a", "invalid"},
        {"\\", "a", "invalid"},
        {"\\uZZ", "a", "invalid"},
        {"(?P<n>a)", "a", "invalid"},
        {"(?R)", "a", "invalid"},
        {"(*ACCEPT)a", "a", "invalid"},
        {"a\\Kb", "ab", "invalid"},
        {"\\Ca", "a", "invalid"},
        {"(?<=a+)b", "aab", "unsupported"},
        {"\\p{InGreek}", "a", "unsupported"},
        {"(?U)a", "a", "unsupported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *found = match(cases[i].pattern, cases[i].text);
        if (strcmp(found, cases[i].match) != 0) {
            fail_msg("%s in %s gave '%s', not '%s'", cases[i].pattern, cases[i].text, found, cases[i].match);
        }
        free(found);
    }
}

static void patterns_that_go_back_and_forth_without_end_give_up(void **state)
{
    (void)state;
    static const char *const patterns[] = {"(a+)+$", "(a|aa)+$", "(a|a?)+$", "(.*a){20}$", "([a-z]+)*=", "(x+x+)+y"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        char *found = match(patterns[i], "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
        bool gave_up = strcmp(found, "too long") == 0 || strcmp(found, "-") == 0;
        assert_true(gave_up);
        free(found);
    }
}

static void deep_patterns_are_refused(void **state)
{
    (void)state;
    static const char *const openings[] = {"(", "[", "[^[", "(?:", "[a&&["};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        weir_buffer pattern = {0};
        for (int depth = 0; depth < 20000; depth++) {
            weir_buffer_append_text(&pattern, openings[i]);
        }
        char *found = match(weir_buffer_text(&pattern), "a");
        bool refused = strcmp(found, "invalid") == 0 || strcmp(found, "unsupported") == 0;
        assert_true(refused);
        free(found);
        weir_buffer_free(&pattern);
    }
}

/* Any pattern over any bytes, valid UTF-8 or not: an answer of some kind. */
static void random_patterns_do_no_harm(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "(", ")", "[", "]",  "^",     "&&", "a",  "b-z",  "\\p{Alpha}", "\\P{L}", "\\u", "00e9", "\\Q", "\\E", "(?",
        "i", ":", "*", "+?", "{2,3}", "|",  "\\", "\\x{", "\xC3\xA9",   "\xFF",   "<n>", "=",    "!",   "\\0", "$"};
    random_state random = random_start();
    for (int i = 0; i < 20000; i++) {
        weir_buffer pattern = {0};
        for (uint64_t left = random_below(&random, 10); left > 0; left--) {
            weir_buffer_append_text(&pattern, pieces[random_below(&random, sizeof pieces / sizeof *pieces)]);
        }
        free(match(weir_buffer_text(&pattern), "aab\xC3\xA9\xFFz"));
        weir_buffer_free(&pattern);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_mean_what_they_mean_in_java),
        cmocka_unit_test(patterns_that_go_back_and_forth_without_end_give_up),
        cmocka_unit_test(deep_patterns_are_refused),
        cmocka_unit_test(random_patterns_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
