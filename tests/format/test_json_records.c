/* Records in text: where they begin and end, what is no JSON, and what happens to the rest. */
#include "format/json_fixture.h"

typedef struct record_case {
    const char *text;
    const char *rows;
} record_case;

static void records_may_stand_in_any_layout(void **state)
{
    (void)state;
    static const record_case cases[] = {
        {"", ""},
        {"\n \r\n\t", ""},
        {"{\"a\":1}", "+I[1,null]\n"},
        {"{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":3}\n", "+I[1,null]\n+I[2,null]\n+I[3,null]\n"},
        {"{\"a\":1}{\"a\":2} {\"a\":3}", "+I[1,null]\n+I[2,null]\n+I[3,null]\n"},
        {"{\n  \"a\" : 1 ,\n  \"b\" : \"x\"\n}\n{\n}\n", "+I[1,\"x\"]\n+I[null,null]\n"},
        {"[{\"a\":1}, {\"a\":2}]\n[{\"a\":3}]", "+I[1,null]\n+I[2,null]\n+I[3,null]\n"},
        {"[]\n[null]{\"a\":1}", "+I[1,null]\n"},
        {"null\n{\"a\":1}\nnull", "+I[1,null]\n"},
        {"\xef\xbb\xbf{\"a\":1}", "+I[1,null]\n"},
        {"{\"b\":\"first\",\"a\":1,\"b\":\"last\",\"a\":null}", "+I[null,\"last\"]\n"},
        {"{\"A\":1,\"a \":2,\"aa\":3,\"\":4,\"b\":\"5\"}", "+I[null,\"5\"]\n"},
        {"{\"\\u0061\":1,\"\\u0062\":\"x\"}", "+I[1,\"x\"]\n"},
        {"{\"x\":{\"a\":9,\"b\":[{\"a\":9}]},\"y\":[[],{},\"}\",\"\\\"\"],\"a\":1}", "+I[1,null]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_json(&(weir_json_read_options){0}, "a INT, b STRING", cases[i].text, cases[i].rows, NULL);
    }
}

static void text_that_is_no_json_is_told_by_line_and_column(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"a\":1}\n{\"a\":}", "in.json: line 2, column 6: expected a value"},
        {"{\"a\" 1}", "line 1, column 6: expected ':', found '1}'"},
        {"{a:1}", "line 1, column 2: expected a name in quotes, found 'a:1}'"},
        {"{\"a\":1,}", "expected a name in quotes, found '}'"},
        {"{\"a\":1 \"b\":2}", "expected ',' or '}', found '\"b\":2}'"},
        {"{\"a\":[1 2]}", "expected ',' or ']', found '2]}'"},
        {"{\"a\":[1,]}", "expected a value"},
        {"{\"a\":01}", "expected no digits after a leading zero, found '1}'"},
        {"{\"a\":-}", "expected a digit, found '}'"},
        {"{\"a\":1.}", "expected a digit after the point, found '}'"},
        {"{\"a\":1e+}", "expected a digit in the exponent, found '}'"},
        {"{\"a\":+1}", "expected a value"},
        {"{\"a\":.5}", "expected a value"},
        {"{\"a\":tru}", "expected a value"},
        {"{\"a\":NaN}", "expected a value"},
        {"{\"a\":'x'}", "expected a value"},
        {"{\"a\":\"\\x\"}", "expected one of \" \\ / b f n r t u after a backslash, found 'x\"}'"},
        {"{\"a\":\"\\u12g4\"}", "expected four hexadecimal digits after \\u, found 'g4\"}'"},
        {"{\"x\":{\"y\":[1,}]}", "expected a value"},
        {"{\"a\":1", "expected ',' or '}', found the end of the text"},
        {"{\"a\":\"x", "expected a closing quote, found the end of the text"},
        {"{\"a\":\"\\", "found the end of the text"},
        {"{", "expected a name in quotes, found the end of the text"},
        {"{\"a\":1}\n{\"a\":tr", "line 2, column 8: expected a value"},
        {"12", "expected an object ({…}) as a row, found '12'"},
        {"\"text\"", "expected an object"},
        {"}", "expected an object"},
        {"[[]]", "expected an object"},
        {"{\"a\":1},{\"a\":2}", "expected an object ({…}) as a row, found ',{\"a\":2}'"},
        {"{\"a\":1} x", "line 1, column 9: expected an object"},
        {"{\"\xc3\xa9\":x}", "line 1, column 6: expected a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_json(&(weir_json_read_options){0}, "a INT, b STRING", cases[i][0], NULL, cases[i][1]);
    }
}

static void with_errors_ignored_only_the_line_that_is_wrong_is_lost(void **state)
{
    (void)state;
    static const record_case cases[] = {
        {"{\"a\":1}\n{\"a\":}\n{\"a\":3}", "+I[1]\n+I[3]\n"},
        {"{\"a\":1}\n{\"a\":2\n{\"a\":3}\n", "+I[1]\n+I[3]\n"},
        {"{\"a\":1}\n{\"a\":\"2\n{\"a\":3}\n{\"a\":4}", "+I[1]\n+I[3]\n+I[4]\n"},
        {"{\"a\":1}\n{\"a\":2", "+I[1]\n"},
        {"hello\n{\"a\":1} world\n{\"a\":2}", "+I[1]\n+I[2]\n"},
        {"{\"a\":1}, {\"a\":2}\n{\"a\":3}", "+I[1]\n+I[3]\n"},
        {"[{\"a\":1},\n{\"a\":x},\n{\"a\":3}]\n", "+I[1]\n+I[3]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_json(&(weir_json_read_options){.ignore_parse_errors = true}, "a INT", cases[i].text, cases[i].rows, NULL);
    }
}

static void a_missing_field_is_an_error_only_where_the_table_says_so(void **state)
{
    (void)state;
    const weir_json_read_options strict = {.fail_on_missing_field = true};
    check_json(&strict, "a INT, b STRING", "{\"a\":1,\"b\":null}\n{\"b\":\"x\"}", NULL,
               "in.json: line 2: field 'a' is missing ('fail-on-missing-field' is true)");
    check_json(&strict, "a INT, r ROW<x INT>", "{\"a\":1,\"r\":{\"y\":1}}", NULL, "field 'x' is missing");
    check_json(&strict, "a INT, r ROW<x INT>", "{\"a\":1,\"r\":null}", "+I[1,null]\n", NULL);
}

static void nesting_has_a_limit_and_no_recursion_without_end(void **state)
{
    (void)state;
    weir_buffer text = {0};
    weir_buffer_append_text(&text, "{\"x\":");
    for (int i = 0; i < 999; i++) {
        weir_buffer_append_byte(&text, '[');
    }
    for (int i = 0; i < 999; i++) {
        weir_buffer_append_byte(&text, ']');
    }
    weir_buffer_append_text(&text, ",\"a\":1}");
    test_columns columns;
    weir_error err = {0};
    weir_row_reader *reader = NULL;
    weir_buffer rows = {0};
    columns_start(&columns, "a INT");
    check_ok(weir_json_open_reader(columns.fields, 1, &(weir_json_read_options){0}, &reader, &err), &err);
    check_ok(read_text(reader, &columns, weir_buffer_slice(&text), SIZE_MAX / 4, 10, &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), "+I[1]\n");
    weir_buffer_clear(&text);
    for (int i = 0; i < 1000000; i++) {
        weir_buffer_append_text(&text, "{\"x\":");
    }
    assert_int_equal(read_text(reader, &columns, weir_buffer_slice(&text), SIZE_MAX / 4, 10, &rows, &err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "no more than 1000 levels"));
    reader->close(reader);
    weir_arena_free(&columns.arena);
    weir_buffer_free(&rows);
    weir_buffer_free(&text);
}

static void a_table_without_columns_has_rows_all_the_same(void **state)
{
    (void)state;
    test_columns columns = {0};
    weir_error err = {0};
    weir_row_reader *reader = NULL;
    weir_batch batch;
    size_t used = 0;
    weir_batch_init(&batch, columns.fields, 0);
    check_ok(weir_json_open_reader(NULL, 0, &(weir_json_read_options){0}, &reader, &err), &err);
    uint8_t *copy = padded_copy("{}{\"a\":1}", 9);
    weir_row_text text = {.path = "in.json", .data = copy, .size = 9, .first_line = 1, .is_end = true};
    check_ok(reader->read(reader, &text, 10, &batch, &used, &err), &err);
    assert_int_equal(batch.length, 2);
    free(copy);
    reader->close(reader);
    weir_batch_free(&batch);
}

/* A random record of the columns below, blanks and other members strewn in. */
static void append_random_record(random_state *random, weir_buffer *out)
{
    static const char *const blanks[] = {"", " ", "\n", "\t", ""};
    static const char *const others[] = {"\"c\":[1,{\"a\":\"]\"}]", "\"zz\":\"\\\\\\\"\"", "\"\":null", "\"aa\":1.5e3"};
    weir_buffer_append_byte(out, '{');
    uint64_t members = random_below(random, 5);
    for (uint64_t i = 0; i < members; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ",");
        weir_buffer_append_text(out, blanks[random_below(random, 5)]);
        switch (random_below(random, 3)) {
        case 0:
            weir_buffer_append_format(out, "\"a\":%s%d", blanks[random_below(random, 5)], (int)random_next(random));
            break;
        case 1:
            weir_buffer_append_text(out, "\"b\":\"");
            for (uint64_t left = random_below(random, 40); left > 0; left--) {
                weir_buffer_append_text(out, random_below(random, 8) == 0 ? "\\n" : "\xe6\x97\xa5");
            }
            weir_buffer_append_byte(out, '"');
            break;
        default:
            weir_buffer_append_text(out, others[random_below(random, 4)]);
        }
    }
    weir_buffer_append_text(out, blanks[random_below(random, 5)]);
    weir_buffer_append_byte(out, '}');
    weir_buffer_append_text(out, blanks[random_below(random, 5)]);
}

static void it_does_not_matter_in_which_pieces_text_comes(void **state)
{
    (void)state;
    random_state random = random_start();
    test_columns columns;
    weir_error err = {0};
    weir_row_reader *reader = NULL;
    columns_start(&columns, "a INT, b STRING");
    check_ok(weir_json_open_reader(columns.fields, columns.count, &(weir_json_read_options){0}, &reader, &err), &err);
    for (int round = 0; round < 200; round++) {
        weir_buffer text = {0};
        weir_buffer whole = {0};
        weir_buffer pieces = {0};
        for (uint64_t records = random_below(&random, 20); records > 0; records--) {
            append_random_record(&random, &text);
        }
        check_ok(read_text(reader, &columns, weir_buffer_slice(&text), SIZE_MAX / 4, 1000, &whole, &err), &err);
        size_t step = random_below(&random, 50) + 1;
        int64_t most_rows = (int64_t)random_below(&random, 5) + 1;
        check_ok(read_text(reader, &columns, weir_buffer_slice(&text), step, most_rows, &pieces, &err), &err);
        assert_string_equal(weir_buffer_text(&whole), weir_buffer_text(&pieces));
        weir_buffer_free(&text);
        weir_buffer_free(&whole);
        weir_buffer_free(&pieces);
    }
    reader->close(reader);
    weir_arena_free(&columns.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_may_stand_in_any_layout),
        cmocka_unit_test(text_that_is_no_json_is_told_by_line_and_column),
        cmocka_unit_test(with_errors_ignored_only_the_line_that_is_wrong_is_lost),
        cmocka_unit_test(a_missing_field_is_an_error_only_where_the_table_says_so),
        cmocka_unit_test(nesting_has_a_limit_and_no_recursion_without_end),
        cmocka_unit_test(a_table_without_columns_has_rows_all_the_same),
        cmocka_unit_test(it_does_not_matter_in_which_pieces_text_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
