/* What each type makes of each kind of JSON value. */
#include "format/json_fixture.h"

typedef struct value_case {
    const char *type;
    const char *json;
    const char *value; /* in the notation of `weir dump`; NULL: it does not fit */
} value_case;

static const value_case cases[] = {
    {"BOOLEAN", "true", "true"},
    {"BOOLEAN", "false", "false"},
    {"BOOLEAN", "\"TRUE\"", "true"},
    {"BOOLEAN", "\" true \"", "true"},
    {"BOOLEAN", "\"yes\"", "false"},
    {"BOOLEAN", "1", "true"},
    {"BOOLEAN", "\"1\"", "true"},
    {"BOOLEAN", "0", "false"},
    {"BOOLEAN", "{}", NULL},
    {"TINYINT", "127", "127"},
    {"TINYINT", "-128", "-128"},
    {"TINYINT", "128", NULL},
    {"TINYINT", "1.5", NULL},
    {"TINYINT", "true", NULL},
    {"SMALLINT", "-32768", "-32768"},
    {"SMALLINT", "32768", NULL},
    {"SMALLINT", "\"12\"", "12"},
    {"INT", "2147483647", "2147483647"},
    {"INT", "-2147483649", NULL},
    {"INT", "1.9", "1"},
    {"INT", "-1.9", "-1"},
    {"INT", "1e3", "1000"},
    {"INT", "1e10", NULL},
    {"INT", "\" -7 \"", "-7"},
    {"INT", "\"+7\"", "7"},
    {"INT", "\"1.9\"", NULL},
    {"INT", "\"\"", NULL},
    {"INT", "\"-\"", NULL},
    {"INT", "[1]", NULL},
    {"BIGINT", "9223372036854775807", "9223372036854775807"},
    {"BIGINT", "-9223372036854775808", "-9223372036854775808"},
    {"BIGINT", "9223372036854775808", NULL},
    {"BIGINT", "-9223372036854775809", NULL},
    {"BIGINT", "1e19", NULL},
    {"BIGINT", "\"00000000000000000000012\"", "12"},
    {"FLOAT", "0.1", "0.1"},
    {"FLOAT", "3.4028235e38", "3.4028235E38"},
    {"FLOAT", "1e39", "\"Infinity\""},
    {"FLOAT", "1.00000017881393432617187499", "1.0000001"},
    {"DOUBLE", "0.1", "0.1"},
    {"DOUBLE", "-0", "-0.0"},
    {"DOUBLE", "1e400", "\"Infinity\""},
    {"DOUBLE", "4.9e-324", "4.9E-324"},
    {"DOUBLE", "2.2250738585072011e-308", "2.225073858507201E-308"},
    {"DOUBLE", "9007199254740993", "9.007199254740992E15"},
    {"DOUBLE", "123456789012345678901234567890", "1.2345678901234568E29"},
    {"DOUBLE", "\"NaN\"", "\"NaN\""},
    {"DOUBLE", "\"-Infinity\"", "\"-Infinity\""},
    {"DOUBLE", "\"1.5\"", "1.5"},
    {"DOUBLE", "\".5\"", "0.5"},
    {"DOUBLE", "\"5.\"", "5.0"},
    {"DOUBLE", "\"1e\"", NULL},
    {"DOUBLE", "\".\"", NULL},
    {"DECIMAL(10, 2)", "1.5", "\"1.50\""},
    {"DECIMAL(10, 2)", "1.005", "\"1.01\""},
    {"DECIMAL(10, 2)", "-1.005", "\"-1.01\""},
    {"DECIMAL(10, 2)", "\"99999999.99\"", "\"99999999.99\""},
    {"DECIMAL(10, 2)", "99999999.995", "null"},
    {"DECIMAL(10, 2)", "100000000", "null"},
    {"DECIMAL(10, 2)", "1e7", "\"10000000.00\""},
    {"DECIMAL(10, 2)", "1e400", "null"},
    {"DECIMAL(10, 2)", "\"abc\"", NULL},
    {"DECIMAL(10, 2)", "\"NaN\"", NULL},
    {"DECIMAL(10, 2)", "\"\"", NULL},
    {"DECIMAL(10, 2)", "true", NULL},
    {"DECIMAL(18, 0)", "999999999999999999", "\"999999999999999999\""},
    {"DECIMAL(18, 0)", "1000000000000000000", "null"},
    {"DECIMAL(38, 10)", "\"-1234567890123456789012345678.0123456789\"", "\"-1234567890123456789012345678.0123456789\""},
    {"CHAR(3)", "\"abc\"", "\"abc\""},
    {"STRING", "\"\"", "\"\""},
    {"STRING", "1.10", "\"1.10\""},
    {"STRING", "-12345678901234567890", "\"-12345678901234567890\""},
    {"STRING", "true", "\"true\""},
    {"STRING", "{\"a\" : [1, 2.50, null] , \"b\":{}}", "\"{\\\"a\\\":[1,2.50,null],\\\"b\\\":{}}\""},
    {"STRING", "[ ]", "\"[]\""},
    {"STRING", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\""},
    {"STRING", "\"\\u0041\\u00e9\\u65e5\"", "\"A\xc3\xa9\xe6\x97\xa5\""},
    {"STRING", "\"\\uD83D\\uDE00\"", "\"\xf0\x9f\x98\x80\""},
    {"STRING", "\"\\ud83d\"", "\"?\""},
    {"STRING", "\"\\ude00x\"", "\"?x\""},
    {"STRING", "\"\\ud83d\\u0041\"", "\"?A\""},
    {"STRING", "\"\\ud83d\\n\"", "\"?\\n\""},
    {"STRING", "\"a\\u0000b\"", "\"a\\u0000b\""},
    {"STRING", "\"\xe6\x97\xa5 tab\there\"", "\"\xe6\x97\xa5 tab\\there\""},
    {"STRING", "\"\xff\"", NULL},
    {"STRING", "\"a long text before \xc3\x28 that\"", NULL},
    {"STRING", "{\"a\":\"\xff\"}", NULL},
    {"BYTES", "\"AQI=\"", "\"0102\""},
    {"BYTES", "\"AQI\"", "\"0102\""},
    {"BYTES", "\"\"", "\"\""},
    {"BYTES", "\"+/+/\"", "\"fbffbf\""},
    {"BYTES", "\"A\"", NULL},
    {"BYTES", "\"A*==\"", NULL},
    {"BYTES", "1", NULL},
    {"DATE", "\"2024-02-29\"", "\"2024-02-29\""},
    {"DATE", "\"2023-02-29\"", NULL},
    {"DATE", "\"2024-2-9\"", NULL},
    {"DATE", "\"0000-01-01\"", "\"0000-01-01\""},
    {"DATE", "\"+12024-02-29\"", "\"+12024-02-29\""},
    {"DATE", "\"2024-02-29 \"", "\"2024-02-29\""},
    {"DATE", "\"2024-02-29T\"", NULL},
    {"DATE", "19782", NULL},
    {"TIME(3)", "\"12:34:56\"", "\"12:34:56.000\""},
    {"TIME(3)", "\"12:34:56.7899\"", "\"12:34:56.789\""},
    {"TIME(0)", "\"12:34:56.789\"", "\"12:34:56.000\""},
    {"TIME(3)", "\"24:00:00\"", NULL},
    {"TIME(3)", "\"12:34\"", NULL},
    {"TIMESTAMP(3)", "\"2024-02-29 12:34:56.789\"", "\"2024-02-29 12:34:56.789\""},
    {"TIMESTAMP(3)", "\"2024-02-29 12:34:56\"", "\"2024-02-29 12:34:56.000\""},
    {"TIMESTAMP(0)", "\"1969-12-31 23:59:59.5\"", "\"1969-12-31 23:59:59\""},
    {"TIMESTAMP(1)", "\"1969-12-31 23:59:59.99\"", "\"1969-12-31 23:59:59.9\""},
    {"TIMESTAMP(5)", "\"2024-02-29 12:34:56.1234567\"", "\"2024-02-29 12:34:56.12345\""},
    {"TIMESTAMP(6)", "\"2024-02-29 12:34:56.1234567\"", "\"2024-02-29 12:34:56.123456\""},
    {"TIMESTAMP(9)", "\"2024-02-29 12:34:56.123456789\"", "\"2024-02-29 12:34:56.123456789\""},
    {"TIMESTAMP(9)", "\"2024-02-29 12:34:56.1234567890\"", NULL},
    {"TIMESTAMP(3)", "\"2024-02-29T12:34:56\"", NULL},
    {"TIMESTAMP(3)", "\"2024-02-29 12:34:56Z\"", NULL},
    {"TIMESTAMP(3)", "\"2024-02-29\"", NULL},
    {"TIMESTAMP(3)", "1709210096000", NULL},
    {"TIMESTAMP_LTZ(3)", "\"2024-02-29 12:34:56.789Z\"", "\"2024-02-29 12:34:56.789Z\""},
    {"TIMESTAMP_LTZ(3)", "\"2024-02-29 12:34:56.789\"", NULL},
    {"ARRAY<INT>", "[1, null, 3]", "[1,null,3]"},
    {"ARRAY<INT>", "[]", "[]"},
    {"ARRAY<INT>", "{}", NULL},
    {"ARRAY<INT>", "[1, \"x\"]", NULL},
    {"ARRAY<ARRAY<STRING>>", "[[\"a\"], [], null, [null, 1]]", "[[\"a\"],[],null,[null,\"1\"]]"},
    {"MAP<STRING, INT>", "{\"b\": 1, \"a\": null}", "[[\"a\",null],[\"b\",1]]"},
    {"MAP<STRING, INT>", "{\"k\": 1, \"\\u006b\": 2}", "[[\"k\",2]]"},
    {"MAP<STRING, INT>", "[]", NULL},
    {"MULTISET<STRING>", "{\"x\": 2}", "[[\"x\",2]]"},
    {"ROW<x INT, y STRING>", "{\"y\": \"z\", \"other\": [{}], \"x\": 1}", "[1,\"z\"]"},
    {"ROW<x INT, y STRING>", "{}", "[null,null]"},
    {"ROW<x INT, y STRING>", "\"{}\"", NULL},
    {"ROW<x INT, r ROW<a ARRAY<ROW<v DOUBLE>>>>", "{\"r\": {\"a\": [{\"v\": 1}, null, {}]}}",
     "[null,[[[1.0],null,[null]]]]"},
};

static void check_case(const value_case *value, const weir_json_read_options *options)
{
    weir_buffer columns = {0};
    weir_buffer text = {0};
    weir_buffer expected = {0};
    weir_buffer_append_format(&columns, "id INT, v %s", value->type);
    weir_buffer_append_format(&text, "{\"id\": 1, \"v\": %s}\n{\"v\":%s,\"id\":2}\n{\"v\":null}", value->json,
                              value->json);
    bool fits = value->value != NULL;
    if (fits || options->ignore_parse_errors) {
        bool is_nested_misfit = !fits && value->json[0] == '[' && strcmp(value->type, "ARRAY<INT>") == 0;
        const char *shown = fits ? value->value : is_nested_misfit ? "[1,null]" : "null";
        weir_buffer_append_format(&expected, "+I[1,%s]\n+I[2,%s]\n+I[null,null]\n", shown, shown);
    }
    check_json(options, weir_buffer_text(&columns), weir_buffer_text(&text), weir_buffer_text(&expected),
               fits || options->ignore_parse_errors ? NULL : "in.json: line 1: field 'v': '");
    weir_buffer_free(&columns);
    weir_buffer_free(&text);
    weir_buffer_free(&expected);
}

static void each_type_takes_the_values_that_flink_takes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(&cases[i], &(weir_json_read_options){0});
    }
}

static void a_value_that_does_not_fit_is_null_when_errors_are_ignored(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(&cases[i], &(weir_json_read_options){.ignore_parse_errors = true});
    }
}

typedef struct time_case {
    weir_json_time_format format;
    const char *json;
    const char *timestamp; /* TIMESTAMP(3); NULL: it does not fit */
    const char *zoned;     /* TIMESTAMP_LTZ(3) */
} time_case;

static void timestamps_follow_the_standard_that_the_table_states(void **state)
{
    (void)state;
    static const time_case times[] = {
        {WEIR_JSON_TIME_ISO_8601, "2024-02-29T12:34:56.5", "2024-02-29 12:34:56.500", NULL},
        {WEIR_JSON_TIME_ISO_8601, "2024-02-29t12:34", "2024-02-29 12:34:00.000", NULL},
        {WEIR_JSON_TIME_ISO_8601, "2024-02-29 12:34:56", NULL, NULL},
        {WEIR_JSON_TIME_ISO_8601, "2024-02-29T12:34:56Z", NULL, "2024-02-29 12:34:56.000Z"},
        {WEIR_JSON_TIME_ISO_8601_OFFSET, "2024-03-01T01:00:00+02:30", "2024-02-29 22:30:00.000",
         "2024-02-29 22:30:00.000Z"},
        {WEIR_JSON_TIME_ISO_8601_OFFSET, "2024-03-01T01:00:00-0100", "2024-03-01 02:00:00.000",
         "2024-03-01 02:00:00.000Z"},
        {WEIR_JSON_TIME_ISO_8601_OFFSET, "2024-03-01T01:00:00", "2024-03-01 01:00:00.000", "2024-03-01 01:00:00.000Z"},
        {WEIR_JSON_TIME_ISO_8601_OFFSET, "2024-03-01T01:00:00+25:00", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        weir_json_read_options options = {.time_format = times[i].format, .ignore_parse_errors = true};
        char text[200];
        char expected[200];
        const char *quote[] = {times[i].timestamp == NULL ? "" : "\"", times[i].zoned == NULL ? "" : "\""};
        snprintf(text, sizeof text, "{\"t\":\"%s\",\"z\":\"%s\"}", times[i].json, times[i].json);
        snprintf(expected, sizeof expected, "+I[%s%s%s,%s%s%s]\n", quote[0],
                 times[i].timestamp == NULL ? "null" : times[i].timestamp, quote[0], quote[1],
                 times[i].zoned == NULL ? "null" : times[i].zoned, quote[1]);
        check_json(&options, "t TIMESTAMP(3), z TIMESTAMP_LTZ(3)", text, expected, NULL);
    }
}

static void messages_say_what_a_value_should_look_like(void **state)
{
    (void)state;
    static const weir_json_read_options plain = {0};
    check_json(&plain, "a INT, d DATE", "{}\n\n{\"d\":\"29.2.2024\"}", NULL,
               "in.json: line 3: field 'd': '29.2.2024' is no DATE; expected 2024-02-29; 'ignore-parse-errors' = "
               "'true' would make it NULL");
    check_json(&plain, "r ROW<inner BYTES>", "{\"r\":{\"inner\":\"%\"}}", NULL,
               "field 'inner': '%' is no BYTES; expected base64");
    check_json(&plain, "a INT",
               "{\"a\":\""
               "0123456789012345678901234567890123456789012345678901234567890123456789\"}",
               NULL, "'012345678901234567890123456789012345678901234567890123456789\xe2\x80\xa6' is no INT");
}

static void a_map_with_very_many_keys_keeps_the_last_of_equal_ones(void **state)
{
    (void)state;
    weir_buffer text = {0};
    weir_buffer expected = {0};
    weir_buffer_append_text(&text, "{\"m\":{");
    for (int i = 0; i < 3000; i++) {
        weir_buffer_append_format(&text, "\"%04d\":%d,", i % 1500, i);
    }
    weir_buffer_append_text(&text, "\"\":0}}");
    weir_buffer_append_text(&expected, "+I[[[\"\",0]");
    for (int i = 0; i < 1500; i++) {
        weir_buffer_append_format(&expected, ",[\"%04d\",%d]", i, i + 1500);
    }
    weir_buffer_append_text(&expected, "]]\n");
    test_columns columns;
    weir_error err = {0};
    weir_row_reader *reader = NULL;
    weir_buffer rows = {0};
    columns_start(&columns, "m MAP<STRING, INT>");
    check_ok(weir_json_open_reader(columns.fields, 1, &(weir_json_read_options){0}, &reader, &err), &err);
    check_ok(read_text(reader, &columns, weir_buffer_slice(&text), SIZE_MAX / 4, 10, &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), weir_buffer_text(&expected));
    reader->close(reader);
    weir_arena_free(&columns.arena);
    weir_buffer_free(&rows);
    weir_buffer_free(&text);
    weir_buffer_free(&expected);
}

static void types_that_json_has_no_form_for_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"m MAP<INT, STRING>", "a ARRAY<MULTISET<INT>>", "r ROW<v VARIANT>"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        test_columns columns;
        weir_error err = {0};
        weir_row_reader *reader = NULL;
        weir_row_writer *writer = NULL;
        columns_start(&columns, types[i]);
        assert_int_equal(weir_json_open_reader(columns.fields, 1, &(weir_json_read_options){0}, &reader, &err),
                         WEIR_UNSUPPORTED);
        assert_int_equal(weir_json_open_writer(columns.fields, 1, &(weir_json_write_options){0}, &writer, &err),
                         WEIR_UNSUPPORTED);
        weir_arena_free(&columns.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_takes_the_values_that_flink_takes),
        cmocka_unit_test(a_value_that_does_not_fit_is_null_when_errors_are_ignored),
        cmocka_unit_test(timestamps_follow_the_standard_that_the_table_states),
        cmocka_unit_test(messages_say_what_a_value_should_look_like),
        cmocka_unit_test(a_map_with_very_many_keys_keeps_the_last_of_equal_ones),
        cmocka_unit_test(types_that_json_has_no_form_for_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
