/* The lexer: what becomes of characters, and what is said about those that SQL does not know. */
#include "sql/parse/lexer.h"

#include "cmocka_all.h"
#include "random.h"
#include "sql/parser.h"

/* All tokens of a text, their texts joined by '|'; an error's message at its end. */
static const char *tokens_of(const char *text)
{
    static char out[2048];
    weir_arena arena;
    weir_arena_init(&arena);
    weir_lexer lexer;
    weir_lexer_init(&lexer, text, strlen(text), &arena);
    out[0] = '\0';
    for (;;) {
        weir_token token = weir_lexer_next(&lexer);
        if (token.kind == WEIR_TOKEN_END) {
            break;
        }
        size_t used = strlen(out);
        snprintf(out + used, sizeof out - used, "%s%s", used == 0 ? "" : "|",
                 token.kind == WEIR_TOKEN_ERROR ? lexer.error.message : token.text);
        if (token.kind == WEIR_TOKEN_ERROR) {
            break;
        }
    }
    weir_arena_free(&arena);
    return out;
}

typedef struct token_case {
    const char *text;
    const char *tokens;
} token_case;

static void check_tokens(const token_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(tokens_of(cases[i].text), cases[i].tokens);
    }
}

static void words_numbers_and_operators_are_told_apart(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"SELECT a.b,1.5e-3", "SELECT|a|.|b|,|1.5e-3"},
        {"a<>b!=c<=d>=e=>f||g", "a|<>|b|!=|c|<=|d|>=|e|=>|f||||g"},
        {".5 5. 5.5E+2", ".5|5.|5.5E+2"},
        {"a_1$ \xE5\xBC\xA0", "a_1$|\xE5\xBC\xA0"},
        {"1e", "a name can't begin with a digit; put it in backquotes, or a blank after the number"},
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void a_doubled_quote_stands_for_one(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"'it''s'", "it's"},
        {"''", ""},
        {"`a``b` `order`", "a`b|order"},
        {"U&'\\4E2D\\6587' U&'\\D83D\\DE00' U&'a\\\\b'", "\xE4\xB8\xAD\xE6\x96\x87|\xF0\x9F\x98\x80|a\\b"},
        {"U&'\\12'", "a U&'…' string needs four hexadecimal digits after each backslash"},
        {"x'4a4B'", "JK"},
        {"x'4'", "a binary literal holds pairs of hexadecimal digits, such as x'0AFF'"},
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void comments_are_left_out_and_hints_are_not(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"a -- b\nc /* d\n * e */ f", "a|c|f"},
        {"t /*+ OPTIONS('k'='v') */ u", "t|/*+|OPTIONS|(|k|=|v|)|*/|u"},
        {"a /* b", "a|this comment has no end; close it with */"},
        {"a -- b\rc -- d\r\ne", "a|c|e"}, /* a lone carriage return ends a line, too */
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void blanks_of_web_pages_and_what_nobody_sees_stand_between_words(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"\uFEFFa\u00A0b\u3000c", "a|b|c"},
        {"a\u200Bb \u20021\u202F2\u2028\u200E(\u2060x\u00AD)", "a|b|1|2|(|x|)"},
        {"'a\u200Bb' `a\u200B`", "a\u200Bb|a\u200B"},
        {"a\xE2\x80", "a\xE2\x80"}, /* cut off: no blank */
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void operators_of_other_languages_are_explained(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"a == b", "a|write = to compare"},
        {"a::INT", "a|Flink's SQL has no ::; write CAST(value AS type)"},
        {"a<=>b", "a|Flink's SQL has no <=>; write IS NOT DISTINCT FROM"},
        {"a && b", "a|write AND"},
        {"# a", "# begins no comment; write --"},
        {"\\timing", "commands that begin with \\ are for the shell on a terminal"},
        {"!a", "a lone ! means nothing in SQL; write NOT, or <> for 'not equal'"},
        {"a ~ b", "a|the character ~ means nothing in SQL"},
        {"a \x01", "a|here stands the byte 0x01, which no text of SQL holds; remove it"},
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void lookalikes_of_punctuation_are_understood_where_they_mean_one_thing(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"\u2018it\u2019s\u2019, \u2019b\u2019 \u2032c\u2032 \uFF07d\uFF07 \u2018e'", "it\u2019s|,|b|c|d|e"},
        {"a \u2212 b\u20101 \u20135 \u2014(x)", "a|\u2212|b|\u2010|1|\u2013|5|\u2014|(|x|)"},
        {"1\uFF0C2\u2014 x", "1|\uFF0C|2|the typographic dash \u2014 may stand for a minus sign or begin a comment; write - or -- instead"},
        {"f\uFF08a\uFF0Cb\uFF09\uFF1D\uFF0A\uFF1B", "f|\uFF08|a|\uFF0C|b|\uFF09|\uFF1D|\uFF0A|\uFF1B"},
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void other_lookalikes_are_explained(void **state)
{
    (void)state;
    static const token_case cases[] = {
        {"\u2018a\nb\u2019",
         "this typographic quote opens a string that has no end in its line; write ' around the text"},
        {"\u201C", "the typographic quote \u201C is no quote of SQL; write ' around text, ` around a name"},
        {"a \u2013 b",
         "a|the typographic dash \u2013 may stand for a minus sign or begin a comment; write - or -- instead"},
        {"\u00B4a\u00B4", "the accent \u00B4 doesn't begin a string; write ' (or ` around a name) instead"},
        {"\"a\"", "double quotes are no quotes of Flink SQL; write ' around text, ` around a name"},
        {"#", "# begins no comment; write --"},
        {"'abc", "this string has no end; close it with ' (a quote inside is written '')"},
        {"'\xFF'", "this string is no valid UTF-8; save the script as UTF-8"},
    };
    check_tokens(cases, sizeof cases / sizeof cases[0]);
}

static void positions_count_characters_and_lines(void **state)
{
    (void)state;
    const char *text = "a\n \xE5\xBC\xA0\xE5\xBC\xA0 b";
    weir_arena arena;
    weir_arena_init(&arena);
    weir_lexer lexer;
    weir_lexer_init(&lexer, text, strlen(text), &arena);
    weir_lexer_next(&lexer);
    weir_token second = weir_lexer_next(&lexer);
    weir_token third = weir_lexer_next(&lexer);
    assert_int_equal(second.position.line, 2);
    assert_int_equal(second.position.column, 2);
    assert_int_equal(third.position.column, 5);
    assert_int_equal(third.position.begin, 10);
    assert_int_equal(third.position.end, 11);
    weir_arena_free(&arena);
}

static void every_keyword_is_found_in_any_case(void **state)
{
    (void)state;
    for (int i = 1; i < WEIR_KEYWORD_END_OF_TABLE; i++) {
        const char *text = weir_keyword_text((weir_keyword)i);
        char lower[64];
        size_t size = strlen(text);
        for (size_t j = 0; j <= size; j++) {
            lower[j] = text[j] >= 'A' && text[j] <= 'Z' ? (char)(text[j] + 32) : text[j];
        }
        assert_int_equal(weir_keyword_find(text, size), i);
        assert_int_equal(weir_keyword_find(lower, size), i);
        assert_true(i == 1 || strcmp(weir_keyword_text((weir_keyword)(i - 1)), text) < 0);
    }
    assert_int_equal(weir_keyword_find("SELEC", 5), WEIR_KEYWORD_NONE);
    assert_int_equal(weir_keyword_find("SELECTS", 7), WEIR_KEYWORD_NONE);
}

/* Pieces of characters too: the text ends with the memory that holds it, so that reading on would be noticed. */
static void any_text_of_lookalikes_ends_in_tokens_or_an_error(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "\u2018",   "\u2019", "'",      "\u201C", "\"",     "`",      "\u2013", "\u2014",      "-",    "\u2212",
        "\uFF08",   "\uFF09", "\uFF0C", "\uFF1B", "\uFF1D", "\u00B4", "\u2032", "\uFF07",      "\xE2", "\xE2\x80",
        "\xEF\xBC", "\xC2",   "SET",    "SELECT", "a",      "1",      " ",      "\n",          "=",    ";",
        "/*",       "*/",     "--",     "x'",     "U&'",    "\\",     "$",      "LOAD MODULE",
    };
    random_state random = random_start();
    for (int round = 0; round < 20000; round++) {
        weir_buffer text = {0};
        for (uint64_t left = random_below(&random, 12); left > 0; left--) {
            weir_buffer_append_text(&text, pieces[random_below(&random, sizeof pieces / sizeof *pieces)]);
        }
        char *exact = malloc(text.size + 1);
        memcpy(exact, weir_buffer_text(&text), text.size + 1);
        weir_script script;
        weir_script_init(&script, exact, text.size);
        int code = WEIR_OK;
        for (size_t statements = 0; code != WEIR_END && statements <= text.size + 1; statements++) {
            weir_arena arena;
            weir_error err = {0};
            weir_ast_statement *statement = NULL;
            weir_arena_init(&arena);
            code = weir_script_next(&script, &arena, &statement, &err);
            weir_arena_free(&arena);
        }
        assert_int_equal(code, WEIR_END);
        weir_script_incomplete(exact, text.size);
        free(exact);
        weir_buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_numbers_and_operators_are_told_apart),
        cmocka_unit_test(a_doubled_quote_stands_for_one),
        cmocka_unit_test(comments_are_left_out_and_hints_are_not),
        cmocka_unit_test(blanks_of_web_pages_and_what_nobody_sees_stand_between_words),
        cmocka_unit_test(operators_of_other_languages_are_explained),
        cmocka_unit_test(lookalikes_of_punctuation_are_understood_where_they_mean_one_thing),
        cmocka_unit_test(other_lookalikes_are_explained),
        cmocka_unit_test(any_text_of_lookalikes_ends_in_tokens_or_an_error),
        cmocka_unit_test(positions_count_characters_and_lines),
        cmocka_unit_test(every_keyword_is_found_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
