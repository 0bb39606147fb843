/* Literals: read from text by Flink's rules, written as text, and moved in and out of vectors. */
#include "vector/literal.h"

#include "rows.h"
#include "vector/decimal.h"
#include "vector/java_text.h"
#include "vector/time_text.h"

/* What `text` reads as, in the notation of the JSON dump; NULL when it is refused. */
typedef struct parse_case {
    const char *type;
    const char *text;
    const char *json;
} parse_case;

static void check_parse(weir_arena *arena, const parse_case *one)
{
    const weir_type *type = parse_type(arena, one->type);
    weir_literal literal;
    weir_error err = {0};
    int code = weir_literal_parse(type, weir_slice_text(one->text), arena, &literal, &err);
    if (one->json == NULL) {
        assert_int_equal(code, WEIR_INVALID);
        assert_non_null(strstr(err.message, one->text));
        return;
    }
    check_ok(code, &err);
    weir_vector vector;
    weir_vector_init(&vector, type);
    check_ok(weir_vector_append_literal(&vector, &literal, &err), &err);
    assert_string_equal(json_text(&vector, 0), one->json);
    weir_vector_free(&vector);
}

static void check_parses(const parse_case *cases, size_t count)
{
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < count; i++) {
        check_parse(&arena, &cases[i]);
    }
    weir_arena_free(&arena);
}

static void numbers_and_booleans_are_read_as_cast_reads_them(void **state)
{
    (void)state;
    static const parse_case cases[] = {
        {"BOOLEAN", "true", "true"},
        {"BOOLEAN", "F", "false"},
        {"BOOLEAN", "Yes", "true"},
        {"BOOLEAN", "0", "false"},
        {"BOOLEAN", " true ", NULL},
        {"BOOLEAN", "on", NULL},
        {"BOOLEAN", "", NULL},
        {"TINYINT", "127", "127"},
        {"TINYINT", "-128", "-128"},
        {"TINYINT", "128", NULL},
        {"TINYINT", "-129", NULL},
        {"SMALLINT", "-32768", "-32768"},
        {"SMALLINT", "32768", NULL},
        {"INT", " 12 ", "12"},
        {"INT", "+5", "5"},
        {"INT", "12.9", "12"},
        {"INT", "-12.9", "-12"},
        {"INT", ".5", "0"},
        {"INT", "5.", "5"},
        {"INT", "1e3", NULL},
        {"INT", "1.x", NULL},
        {"INT", "", NULL},
        {"INT", "-", NULL},
        {"INT", "2147483648", NULL},
        {"INT", "-2147483648", "-2147483648"},
        {"BIGINT", "9223372036854775807", "9223372036854775807"},
        {"BIGINT", "-9223372036854775808", "-9223372036854775808"},
        {"BIGINT", "9223372036854775808", NULL},
        {"BIGINT", "99999999999999999999", NULL},
        {"FLOAT", "3.4028235E38", "3.4028235E38"},
        {"FLOAT", "1.4E-45", "1.4E-45"},
        {"FLOAT", "1e39", "\"Infinity\""},
        {"DOUBLE", " 1.5 ", "1.5"},
        {"DOUBLE", "1.5d", "1.5"},
        {"DOUBLE", "1.5f", "1.5"},
        {"DOUBLE", "-0", "-0.0"},
        {"DOUBLE", "NaN", "\"NaN\""},
        {"DOUBLE", "-Infinity", "\"-Infinity\""},
        {"DOUBLE", "4.9E-324", "4.9E-324"},
        {"DOUBLE", "inf", NULL},
        {"DOUBLE", "nan", NULL},
        {"DOUBLE", "0x10", NULL},
        {"DOUBLE", "1.5dd", NULL},
        {"DOUBLE", "d", NULL},
        {"DOUBLE", "1 2", NULL},
        {"DOUBLE", "", NULL},
    };
    check_parses(cases, sizeof cases / sizeof *cases);
}

static void decimals_are_rounded_half_up_and_must_fit(void **state)
{
    (void)state;
    static const parse_case cases[] = {
        {"DECIMAL(4,2)", "12.345", "\"12.35\""},
        {"DECIMAL(4,2)", "-12.345", "\"-12.35\""},
        {"DECIMAL(4,2)", "12.344999", "\"12.34\""},
        {"DECIMAL(4,2)", "99.994", "\"99.99\""},
        {"DECIMAL(4,2)", "99.995", NULL},
        {"DECIMAL(4,2)", "123.45", NULL},
        {"DECIMAL(5,1)", ".5", "\"0.5\""},
        {"DECIMAL(5,1)", "5.", "\"5.0\""},
        {"DECIMAL(5,1)", "0.05", "\"0.1\""},
        {"DECIMAL(5,1)", "0.049", "\"0.0\""},
        {"DECIMAL(5,1)", "-.35", "\"-0.4\""},
        {"DECIMAL(10,2)", "1e3", "\"1000.00\""},
        {"DECIMAL(10,2)", "+.5E+1", "\"5.00\""},
        {"DECIMAL(10,2)", "12345e-4", "\"1.23\""},
        {"DECIMAL(10,2)", "1e-99999999999", "\"0.00\""},
        {"DECIMAL(10,2)", "1e99999999999", NULL},
        {"DECIMAL(10,2)", "0e99999999999", "\"0.00\""},
        {"DECIMAL(10,0)", "-7", "\"-7\""},
        {"DECIMAL(38,0)", "99999999999999999999999999999999999999", "\"99999999999999999999999999999999999999\""},
        {"DECIMAL(38,0)", "-99999999999999999999999999999999999999", "\"-99999999999999999999999999999999999999\""},
        {"DECIMAL(38,0)", "100000000000000000000000000000000000000", NULL},
        {"DECIMAL(38,0)", "99999999999999999999999999999999999999.5", NULL},
        {"DECIMAL(38,38)", "0.00000000000000000000000000000000000001", "\"0.00000000000000000000000000000000000001\""},
        {"DECIMAL(38,10)", "000000000000000000000000000000000000000000000001", "\"1.0000000000\""},
        {"DECIMAL(18,4)", "-99999999999999.9999", "\"-99999999999999.9999\""},
        {"DECIMAL(5,1)", "-1.2.3", NULL},
        {"DECIMAL(5,1)", "1,000", NULL},
        {"DECIMAL(5,1)", "", NULL},
        {"DECIMAL(5,1)", "-", NULL},
    };
    check_parses(cases, sizeof cases / sizeof *cases);
}

static void dates_and_times_are_read_as_cast_reads_them(void **state)
{
    (void)state;
    static const parse_case cases[] = {
        {"DATE", "2024-02-29", "\"2024-02-29\""},
        {"DATE", "2024-2-9", "\"2024-02-09\""},
        {"DATE", " 2024-02-09 ", "\"2024-02-09\""},
        {"DATE", "2024", "\"2024-01-01\""},
        {"DATE", "2024-03", "\"2024-03-01\""},
        {"DATE", "2024-02-09 11:00:00", "\"2024-02-09\""},
        {"DATE", "0001-01-01", "\"0001-01-01\""},
        {"DATE", "1969-12-31", "\"1969-12-31\""},
        {"DATE", "9999-12-31", "\"9999-12-31\""},
        {"DATE", "1900-02-29", NULL},
        {"DATE", "2000-02-29", "\"2000-02-29\""},
        {"DATE", "2024-02-30", NULL},
        {"DATE", "2024-13-01", NULL},
        {"DATE", "2024-04-31", NULL},
        {"DATE", "2024-00-01", NULL},
        {"DATE", "10000-01-01", NULL},
        {"DATE", "2024-02-09x", NULL},
        {"DATE", "", NULL},
        {"TIME(3)", "12:34:56.789", "\"12:34:56.789\""},
        {"TIME(3)", "1:2:3.4567", "\"01:02:03.457\""},
        {"TIME(1)", "1:2:3.4567", "\"01:02:03.400\""},
        {"TIME", "12:34:56.9", "\"12:34:56.000\""},
        {"TIME", "12:34", "\"12:34:00.000\""},
        {"TIME", "12", "\"12:00:00.000\""},
        {"TIME(3)", "23:59:59.9999", "\"23:59:59.999\""},
        {"TIME", "24:00:00", NULL},
        {"TIME", "12:60", NULL},
        {"TIME", "12:00:60", NULL},
        {"TIME", "12:", NULL},
        {"TIME", "x", NULL},
        {"TIMESTAMP(3)", "2024-02-29 12:34:56", "\"2024-02-29 12:34:56.000\""},
        {"TIMESTAMP(3)", "2024-02-09", "\"2024-02-09 00:00:00.000\""},
        {"TIMESTAMP(3)", "2024-2-9 1:2:3.1", "\"2024-02-09 01:02:03.100\""},
        {"TIMESTAMP(6)", "2024-02-09 11:00:00.123456789", "\"2024-02-09 11:00:00.123456\""},
        {"TIMESTAMP(6)", "2024-02-09 11:00:00.", "\"2024-02-09 11:00:00.000000\""},
        {"TIMESTAMP(0)", "1969-12-31 23:59:59.9", "\"1969-12-31 23:59:59\""},
        {"TIMESTAMP(6)", "1969-12-31 23:59:59.999999", "\"1969-12-31 23:59:59.999999\""},
        {"TIMESTAMP(9)", "0001-01-01 00:00:00.000000001", "\"0001-01-01 00:00:00.000000001\""},
        {"TIMESTAMP(9)", "9999-12-31 23:59:59.999999999", "\"9999-12-31 23:59:59.999999999\""},
        {"TIMESTAMP_LTZ(3)", "2024-02-09 11:00:00.5", "\"2024-02-09 11:00:00.500Z\""},
        {"TIMESTAMP(3)", "2024-02-09T11:00:00", NULL},
        {"TIMESTAMP(3)", "2024-02-09 11:00", NULL},
        {"TIMESTAMP(3)", " 2024-02-09 11:00:00", NULL},
        {"TIMESTAMP(3)", "2024-02-09 11:00:00Z", NULL},
        {"TIMESTAMP(3)", "2024-02-09 24:00:00", NULL},
        {"TIMESTAMP(3)", "0000-01-01 00:00:00", NULL},
        {"TIMESTAMP(3)", "2023-02-29 00:00:00", NULL},
    };
    check_parses(cases, sizeof cases / sizeof *cases);
}

static void text_and_bytes_are_taken_as_they_are(void **state)
{
    (void)state;
    static const parse_case cases[] = {
        {"STRING", "", "\"\""},         {"STRING", " a ", "\" a \""}, {"CHAR(5)", "ab", "\"ab\""},
        {"VARCHAR(1)", "ab", "\"ab\""}, {"BYTES", "AB", "\"4142\""},  {"BINARY(3)", "A", "\"41\""},
    };
    check_parses(cases, sizeof cases / sizeof *cases);
    weir_arena arena;
    weir_literal literal;
    weir_arena_init(&arena);
    assert_int_equal(
        weir_literal_parse(parse_type(&arena, "ARRAY<INT>"), weir_slice_text("[1]"), &arena, &literal, NULL),
        WEIR_UNSUPPORTED);
    weir_arena_free(&arena);
}

static void values_are_written_as_cast_to_string_writes_them(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *json;
        const char *text;
    } cases[] = {
        {"BOOLEAN", "true", "TRUE"},
        {"BOOLEAN", "null", "NULL"},
        {"BIGINT", "-9223372036854775808", "-9223372036854775808"},
        {"DOUBLE", "1e10", "1.0E10"},
        {"FLOAT", "'-Infinity'", "-Infinity"},
        {"DECIMAL(10,4)", "'1.5'", "1.5000"},
        {"DECIMAL(38,2)", "'-0.01'", "-0.01"},
        {"STRING", "'a\\tb'", "a\tb"},
        {"BYTES", "'4142ff'", "AB\xef\xbf\xbd"},
        {"DATE", "'1969-12-31'", "1969-12-31"},
        {"TIME(3)", "'12:34:56.789'", "12:34:56"},
        {"TIMESTAMP(0)", "'2024-02-29 12:34:56'", "2024-02-29 12:34:56"},
        {"TIMESTAMP(3)", "'2024-02-29 12:34:56.12'", "2024-02-29 12:34:56.120"},
        {"TIMESTAMP_LTZ(6)", "'0001-01-01 00:00:00.000001Z'", "0001-01-01 00:00:00.000001"},
        {"ARRAY<INT>", "[1,null,3]", "[1, NULL, 3]"},
        {"ARRAY<STRING>", "['a','b c']", "[a, b c]"},
        {"ARRAY<INT>", "[]", "[]"},
        {"MAP<STRING,INT>", "[['b',null],['a',1]]", "{b=NULL, a=1}"},
        {"MULTISET<STRING>", "[['a',2]]", "{a=2}"},
        {"ROW<a INT, b STRING, c STRING, d BOOLEAN>", "[1,'x',null,true]", "(1, x, NULL, TRUE)"},
        {"ROW<a ARRAY<ROW<b INT>>>", "[[[1],null]]", "([(1), NULL])"},
        {"VARIANT", "{'a':[1,2.50]}", "{\"a\":[1,2.5]}"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_vector vector;
        weir_buffer text = {0};
        json_t *json = parse_json(cases[i].json);
        weir_vector_init(&vector, parse_type(&arena, cases[i].type));
        append_json(&vector, json);
        weir_value_to_text(&vector, 0, &text);
        assert_string_equal(weir_buffer_text(&text), cases[i].text);
        weir_buffer_free(&text);
        weir_vector_free(&vector);
        json_decref(json);
    }
    weir_arena_free(&arena);
}

static void literals_of_any_type_go_from_vector_to_vector(void **state)
{
    (void)state;
    static const char types[] = "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(9,2), DECIMAL(38,5), "
                                "CHAR(3), STRING, BYTES, DATE, TIME(3), TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP_LTZ(9)";
    random_state random = random_start();
    test_rows from;
    test_rows to;
    weir_error err;
    rows_start(&from, types);
    rows_start(&to, types);
    rows_add_random(&from, &random, 50);
    for (int32_t column = 0; column < from.column_count; column++) {
        const weir_vector *source = &from.batch.columns[column];
        weir_vector *target = &to.batch.columns[column];
        for (int64_t row = 0; row < 50; row++) {
            weir_literal literal = weir_literal_of(source, row);
            weir_literal copy = weir_literal_copy(&to.arena, source->type, &literal);
            assert_true(copy.is_null || source->layout != WEIR_LAYOUT_BYTES || copy.bytes.data != literal.bytes.data);
            check_ok(weir_vector_append_literal(target, &copy, &err), &err);
            char *expected = weir_strdup(json_text(source, row));
            assert_string_equal(json_text(target, row), expected);
            free(expected);
        }
    }
    rows_free(&from);
    rows_free(&to);
}

static void only_null_is_a_literal_of_a_nested_vector(void **state)
{
    (void)state;
    test_rows rows;
    weir_error err;
    weir_literal null = {.is_null = true};
    weir_literal one = {.integer = 1};
    rows_start(&rows, "ARRAY<INT>");
    check_ok(weir_vector_append_literal(&rows.batch.columns[0], &null, &err), &err);
    assert_int_equal(weir_vector_append_literal(&rows.batch.columns[0], &one, NULL), WEIR_INVALID);
    assert_true(weir_literal_of(&rows.batch.columns[0], 0).is_null);
    rows_free(&rows);
}

static void decimals_are_written_with_their_full_scale(void **state)
{
    (void)state;
    static const struct {
        int64_t unscaled;
        int scale;
        const char *text;
    } cases[] = {
        {0, 0, "0"},
        {0, 3, "0.000"},
        {5, 1, "0.5"},
        {-5, 3, "-0.005"},
        {12345, 2, "123.45"},
        {-100, 2, "-1.00"},
        {100, 0, "100"},
        {1, 38, "0.00000000000000000000000000000000000001"},
        {INT64_MIN, 19, "-0.9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer text = {0};
        weir_decimal_format(cases[i].unscaled, cases[i].scale, &text);
        assert_string_equal(weir_buffer_text(&text), cases[i].text);
        weir_buffer_free(&text);
    }
    weir_buffer text = {0};
    weir_decimal_format(-(weir_power_of_ten(38) - 1) * 1, 10, &text);
    assert_string_equal(weir_buffer_text(&text), "-9999999999999999999999999999.9999999999");
    weir_buffer_free(&text);
}

static void years_beyond_four_digits_are_written_with_a_sign(void **state)
{
    (void)state;
    static const struct {
        int64_t days;
        const char *text;
    } cases[] = {
        {0, "1970-01-01"},        {-1, "1969-12-31"},      {-719162, "0001-01-01"},   {-719528, "0000-01-01"},
        {-719529, "-0001-12-31"}, {2932896, "9999-12-31"}, {2932897, "+10000-01-01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer text = {0};
        int32_t days = 0;
        weir_date_format(cases[i].days, &text);
        assert_string_equal(weir_buffer_text(&text), cases[i].text);
        assert_true(weir_iso_date_parse(weir_buffer_slice(&text), &days));
        assert_int_equal(days, cases[i].days);
        weir_buffer_free(&text);
    }
}

static void bytes_that_are_no_text_are_replaced_as_java_does(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        const char *text; /* R stands for U+FFFD */
    } cases[] = {
        {"abc", "abc"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"\xff", "R"},
        {"a\xc3", "aR"},
        {"\xc0\x80", "RR"},
        {"\xe2\x82", "R"},
        {"\xe2\x82z", "Rz"},
        {"\xe2z", "Rz"},
        {"\xe0\x80\x80", "RRR"},
        {"\xed\xa0\x80", "R"},
        {"\xf0\x9f\x98", "R"},
        {"\xf0\x9f\x98z", "Rz"},
        {"\xf0\x80\x80\x80", "RRRR"},
        {"\xf4\x90\x80\x80", "RRRR"},
        {"\xf8\x88\x80\x80\x80", "RRRRR"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer expected = {0};
        weir_buffer text = {0};
        for (const char *c = cases[i].text; *c != 0; c++) {
            weir_buffer_append(&expected, *c == 'R' ? "\xef\xbf\xbd" : c, *c == 'R' ? 3 : 1);
        }
        weir_java_text_append(weir_slice_text(cases[i].bytes), &text);
        assert_string_equal(weir_buffer_text(&text), weir_buffer_text(&expected));
        weir_buffer_free(&text);
        weir_buffer_free(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_booleans_are_read_as_cast_reads_them),
        cmocka_unit_test(decimals_are_rounded_half_up_and_must_fit),
        cmocka_unit_test(dates_and_times_are_read_as_cast_reads_them),
        cmocka_unit_test(text_and_bytes_are_taken_as_they_are),
        cmocka_unit_test(values_are_written_as_cast_to_string_writes_them),
        cmocka_unit_test(literals_of_any_type_go_from_vector_to_vector),
        cmocka_unit_test(only_null_is_a_literal_of_a_nested_vector),
        cmocka_unit_test(decimals_are_written_with_their_full_scale),
        cmocka_unit_test(years_beyond_four_digits_are_written_with_a_sign),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced_as_java_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
