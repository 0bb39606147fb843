/* Statements in pieces, whatever is wrong in them, and the indentation of their lines. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "cli/sql_text.h"

/* A letter a piece: w k q s n c y, upper case when its end is missing; blanks are left out. */
static void kinds_of(const char *text, weir_buffer *out)
{
    static const char letters[] = " wkqsncy";
    size_t count;
    weir_piece *pieces = weir_pieces(weir_slice_text(text), &count);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pieces[i].from, at); /* without gaps */
        at = pieces[i].to;
        char letter = letters[pieces[i].kind];
        if (letter != ' ') {
            weir_buffer_append_byte(out, (uint8_t)(pieces[i].is_open ? letter - 'a' + 'A' : letter));
        }
    }
    assert_int_equal(at, strlen(text));
    free(pieces);
}

static void a_text_is_cut_into_pieces(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"SELECT name FROM t", "kwkw"},
        {"select 1.5e3, 'it''s', `a``b`", "knysyq"},
        {"-- a comment\nSELECT", "ck"},
        {"/* two\nlines */ SELECT", "ck"},
        {"t /*+ OPTIONS('k' = 'v') */", "wykysysyy"},
        {"'open", "S"},
        {"`open", "Q"},
        {"/* open", "C"},
        {"orders$audit_log", "w"},
        {"größe 湖", "ww"},
        {"\xff\x01;", "wyy"},
        {"a-b", "wyw"},
        {"'", "S"},
        {"/*", "C"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer kinds = {0};
        kinds_of(cases[i][0], &kinds);
        assert_string_equal(weir_buffer_text(&kinds), cases[i][1]);
        weir_buffer_free(&kinds);
    }
}

static void further_lines_are_indented_but_not_those_of_strings(void **state)
{
    static const char *const cases[][2] = {
        {"SELECT 1", "SELECT 1"},
        {"SELECT 1,\n2\n;", "SELECT 1,\n  2\n  ;"},
        {"SELECT 'a\nb'\n;", "SELECT 'a\nb'\n  ;"},
        {"-- c\nSELECT\n\n1", "-- c\n  SELECT\n  \n  1"},
        {"/* a\nb */\n1", "/* a\nb */\n  1"},
        {"`a\nb`\n", "`a\nb`\n  "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer indented = {0}, again = {0};
        weir_text_indent(weir_slice_text(cases[i][0]), 2, &indented);
        assert_string_equal(weir_buffer_text(&indented), cases[i][1]);
        weir_text_unindent(weir_buffer_slice(&indented), 2, &again);
        assert_string_equal(weir_buffer_text(&again), cases[i][0]);
        weir_buffer_free(&indented);
        weir_buffer_free(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_cut_into_pieces),
        cmocka_unit_test(further_lines_are_indented_but_not_those_of_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
