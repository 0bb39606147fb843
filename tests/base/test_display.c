/* Widths of texts on a terminal, cutting and escaping. */
#include "cmocka_all.h"

#include "base/display.h"

static void widths_are_those_of_terminals(void **state)
{
    static const struct {
        const char *text;
        int width;
    } cases[] = {
        {"", 0},
        {"abc", 3},
        {"湖仓", 4},               /* East Asian, wide */
        {"e\u0301e", 2},           /* a combining accent */
        {"\u05e9\u05c1", 1},       /* a Hebrew letter with a point */
        {"\U0001f600", 2},         /* an emoji */
        {"\uff21\u30a2\uff71", 5}, /* full-width A, Katakana, half-width Katakana */
        {"\u4e2d\ufe0f", 2},       /* a variation selector takes no place */
        {"é", 1},
        {"\xff\xfe", 2}, /* what is no UTF-8 counts byte by byte */
        {"\xe6\xb9", 2}, /* cut in the middle of a character */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_display_width(weir_slice_text(cases[i].text)), cases[i].width);
    }
}

static void padding_cuts_at_whole_characters(void **state)
{
    static const struct {
        const char *text;
        int width;
        bool right;
        const char *shown;
    } cases[] = {
        {"ab", 4, false, "ab  "},      {"ab", 4, true, "  ab"},
        {"abcd", 4, false, "abcd"},    {"abcde", 4, false, "abc…"},
        {"湖仓湖", 4, false, "湖… "}, /* a wide character does not fit into the one column that is left */
        {"湖仓湖", 5, false, "湖仓…"}, {"e\u0301e\u0301e\u0301", 2, false, "e\u0301…"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer out = {0};
        weir_display_pad(weir_slice_text(cases[i].text), cases[i].width, cases[i].right, &out);
        assert_string_equal(weir_buffer_text(&out), cases[i].shown);
        weir_buffer_free(&out);
    }
}

static void nothing_in_a_text_controls_the_terminal(void **state)
{
    static const char *const cases[][2] = {
        {"plain ü 湖", "plain ü 湖"},
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\x1b[31m", "\\x1b[31m"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\x9b31m"},                /* the one-byte form of ESC [ */
        {"\u202eabc", "\\u202eabc"}, /* turns the direction of the text */
        {"\xff", "\\xff"},
        {"\xc0\x8a", "\\xc0\\x8a"}, /* a line feed in two bytes, which is none */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer out = {0};
        weir_display_escape(weir_slice_text(cases[i][0]), &out);
        assert_string_equal(weir_buffer_text(&out), cases[i][1]);
        weir_buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_those_of_terminals),
        cmocka_unit_test(padding_cuts_at_whole_characters),
        cmocka_unit_test(nothing_in_a_text_controls_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
