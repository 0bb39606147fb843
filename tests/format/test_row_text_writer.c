/* What rows become as JSON, and that they come back from it and from CSV. */
#include "format/csv/csv.h"
#include "format/json_fixture.h"

/* The rows, given as JSON values, as the writer has them. */
static char *written(const char *types, const char *rows_json, const weir_json_write_options *options, weir_error *err)
{
    test_rows rows;
    weir_row_writer *writer = NULL;
    weir_buffer out = {0};
    rows_start(&rows, types);
    rows_add(&rows, rows_json);
    check_ok(weir_json_open_writer(rows.fields, rows.column_count, options, &writer, err), err);
    char *text = NULL;
    if (writer->write(writer, &rows.batch, 0, rows.batch.length, &out, err) == WEIR_OK) {
        text = weir_strdup(weir_buffer_text(&out));
    }
    writer->close(writer);
    weir_buffer_free(&out);
    rows_free(&rows);
    return text;
}

static void check_written(const char *types, const char *rows_json, const weir_json_write_options *options,
                          const char *expected)
{
    weir_error err = {0};
    char *text = written(types, rows_json, options, &err);
    if (text == NULL || strcmp(text, expected) != 0) {
        fail_msg("%s of %s is\n%s%s\nnot\n%s", rows_json, types, text == NULL ? "" : text, err.message, expected);
    }
    free(text);
}

typedef struct written_case {
    const char *type;
    const char *value;
    const char *json;
} written_case;

static void each_type_is_written_as_flink_writes_it(void **state)
{
    (void)state;
    static const written_case cases[] = {
        {"BOOLEAN", "true", "true"},
        {"TINYINT", "-1", "-1"},
        {"BIGINT", "9223372036854775807", "9223372036854775807"},
        {"FLOAT", "1.5", "1.5"},
        {"DOUBLE", "1e10", "1.0E10"},
        {"DOUBLE", "'NaN'", "\"NaN\""},
        {"DOUBLE", "'-Infinity'", "\"-Infinity\""},
        {"DECIMAL(10, 2)", "'1.10'", "1.1"},
        {"DECIMAL(10, 2)", "'100'", "1E+2"},
        {"DECIMAL(10, 2)", "'-120'", "-1.2E+2"},
        {"DECIMAL(10, 2)", "'0'", "0"},
        {"DECIMAL(10, 9)", "'0.00000012'", "1.2E-7"},
        {"DECIMAL(10, 9)", "'0.000001'", "0.000001"},
        {"DECIMAL(38, 0)", "'99999999999999999999999999999999999999'", "99999999999999999999999999999999999999"},
        {"STRING", "'a\xc3\xa9'", "\"a\xc3\xa9\""},
        {"BYTES", "'0102'", "\"AQI=\""},
        {"BYTES", "'010203'", "\"AQID\""},
        {"BYTES", "''", "\"\""},
        {"DATE", "'2024-02-29'", "\"2024-02-29\""},
        {"TIME(3)", "'12:34:56.700'", "\"12:34:56.7\""},
        {"TIME(0)", "'12:34:00'", "\"12:34:00\""},
        {"TIMESTAMP(3)", "'2024-02-29 12:34:56.000'", "\"2024-02-29 12:34:56\""},
        {"TIMESTAMP(6)", "'1969-12-31 23:59:59.999990'", "\"1969-12-31 23:59:59.99999\""},
        {"TIMESTAMP(9)", "'2024-02-29 12:34:56.123456789'", "\"2024-02-29 12:34:56.123456789\""},
        {"TIMESTAMP_LTZ(3)", "'2024-02-29 12:34:56.700Z'", "\"2024-02-29 12:34:56.7Z\""},
        {"ARRAY<INT>", "[1, null]", "[1,null]"},
        {"MAP<STRING, INT>", "[['a', 1], ['b', null]]", "{\"a\":1,\"b\":null}"},
        {"MULTISET<STRING>", "[['a', 2]]", "{\"a\":2}"},
        {"ROW<x INT, y ARRAY<STRING>>", "[1, []]", "{\"x\":1,\"y\":[]}"},
        {"STRING", "null", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[200];
        char expected[200];
        snprintf(rows, sizeof rows, "[[%s]]", cases[i].value);
        snprintf(expected, sizeof expected, "{\"c0\":%s}\n", cases[i].json);
        check_written(cases[i].type, rows, &(weir_json_write_options){0}, expected);
    }
}

static void options_change_what_is_written(void **state)
{
    (void)state;
    check_written("DECIMAL(10, 2), INT", "[['100', null]]", &(weir_json_write_options){.plain_decimals = true},
                  "{\"c0\":100,\"c1\":null}\n");
    check_written("INT, STRING, ROW<x INT, y INT>", "[[null, 'a', [null, 1]], [null, null, null]]",
                  &(weir_json_write_options){.leave_nulls_out = true}, "{\"c1\":\"a\",\"c2\":{\"y\":1}}\n{}\n");
    check_written("TIMESTAMP(3), TIMESTAMP_LTZ(3)", "[['2024-02-29 12:34:56.500', '2024-02-29 12:34:56.000Z']]",
                  &(weir_json_write_options){.time_format = WEIR_JSON_TIME_ISO_8601},
                  "{\"c0\":\"2024-02-29T12:34:56.5\",\"c1\":\"2024-02-29T12:34:56Z\"}\n");
    check_written("MAP<STRING, INT>", "[[[[null, 1], ['a', 2]]]]",
                  &(weir_json_write_options){.null_key = WEIR_JSON_NULL_KEY_DROP}, "{\"c0\":{\"a\":2}}\n");
    check_written("MAP<STRING, INT>", "[[[[null, 1]]]]",
                  &(weir_json_write_options){.null_key = WEIR_JSON_NULL_KEY_LITERAL, .null_key_literal = "none"},
                  "{\"c0\":{\"none\":1}}\n");
    weir_error err = {0};
    assert_null(written("MAP<STRING, INT>", "[[[[null, 1]]]]", &(weir_json_write_options){0}, &err));
    assert_int_equal(err.code, WEIR_INVALID);
    assert_non_null(strstr(err.message, "'json.map-null-key.mode'"));
}

static void change_events_are_rows_that_come_and_rows_that_go(void **state)
{
    (void)state;
    static const char *const expected[] = {
        [WEIR_JSON_DEBEZIUM] = "{\"before\":null,\"after\":{\"c0\":1},\"op\":\"c\"}\n"
                               "{\"before\":{\"c0\":2},\"after\":null,\"op\":\"d\"}\n"
                               "{\"before\":null,\"after\":{\"c0\":3},\"op\":\"c\"}\n"
                               "{\"before\":{\"c0\":4},\"after\":null,\"op\":\"d\"}\n",
        [WEIR_JSON_CANAL] =
            "{\"data\":[{\"c0\":1}],\"type\":\"INSERT\"}\n{\"data\":[{\"c0\":2}],\"type\":\"DELETE\"}\n"
            "{\"data\":[{\"c0\":3}],\"type\":\"INSERT\"}\n{\"data\":[{\"c0\":4}],\"type\":\"DELETE\"}\n",
        [WEIR_JSON_MAXWELL] = "{\"data\":{\"c0\":1},\"type\":\"insert\"}\n{\"data\":{\"c0\":2},\"type\":\"delete\"}\n"
                              "{\"data\":{\"c0\":3},\"type\":\"insert\"}\n{\"data\":{\"c0\":4},\"type\":\"delete\"}\n",
    };
    test_rows rows;
    rows_start(&rows, "INT");
    rows_add(&rows, "[[1], [2], [3], [4]]");
    weir_batch_reserve_kinds(&rows.batch, 4);
    for (int8_t i = 0; i < 4; i++) {
        rows.batch.kinds[i] = i;
    }
    for (int kind = WEIR_JSON_DEBEZIUM; kind <= WEIR_JSON_MAXWELL; kind++) {
        weir_error err = {0};
        weir_row_writer *writer = NULL;
        weir_buffer out = {0};
        weir_json_write_options options = {.kind = (weir_json_kind)kind};
        check_ok(weir_json_open_writer(rows.fields, 1, &options, &writer, &err), &err);
        assert_true(writer->takes_changes);
        check_ok(writer->write(writer, &rows.batch, 0, 4, &out, &err), &err);
        assert_string_equal(weir_buffer_text(&out), expected[kind]);
        writer->close(writer);
        weir_buffer_free(&out);
    }
    rows_free(&rows);
}

/* ---- there and back ---- */

#define JSON_TYPES                                                                                                     \
    "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(5, 2), DECIMAL(18, 4), DECIMAL(38, 10), "         \
    "VARCHAR(40), STRING, BYTES, DATE, TIME(3), TIMESTAMP(0), TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP(9), "              \
    "TIMESTAMP_LTZ(3), TIMESTAMP_LTZ(6), ARRAY<STRING>, ARRAY<ARRAY<BIGINT>>, ROW<x INT, y ROW<z DECIMAL(30, 2)>>, "   \
    "ARRAY<ROW<p BOOLEAN, q STRING>>"
#define CSV_TYPES                                                                                                      \
    "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(5, 2), DECIMAL(18, 4), DECIMAL(38, 10), "         \
    "VARCHAR(40), STRING, BYTES, DATE, TIME(3), TIMESTAMP(0), TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP(9), "              \
    "TIMESTAMP_LTZ(3), TIMESTAMP_LTZ(6)"

static void read_back(weir_row_reader *reader, const test_rows *rows, weir_slice text)
{
    test_columns columns = {.fields = rows->fields, .count = rows->column_count};
    weir_error err = {0};
    weir_buffer expected = {0};
    weir_buffer actual = {0};
    append_rows_as_text(&rows->batch, &expected);
    check_ok(read_text(reader, &columns, text, 1000, 100, &actual, &err), &err);
    if (strcmp(weir_buffer_text(&expected), weir_buffer_text(&actual)) != 0) {
        fail_msg("%s\nbecame\n%.*s\nand then\n%s", weir_buffer_text(&expected), (int)text.size, (const char *)text.data,
                 weir_buffer_text(&actual));
    }
    weir_buffer_free(&expected);
    weir_buffer_free(&actual);
}

/* Java reads no timestamps before the year 1 from CSV, and fractions beyond a column's precision are cut off. */
static void tidy(weir_vector *vector)
{
    const weir_type *type = vector->type;
    bool is_time = type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ;
    for (int64_t row = 0; is_time && row < vector->length; row++) {
        if (vector->layout == WEIR_LAYOUT_128) {
            weir_timestamp_nanos *value = &WEIR_VALUES(vector, weir_timestamp_nanos)[row];
            value->millis = value->millis < 0 ? -value->millis : value->millis;
            continue;
        }
        int64_t *value = &WEIR_VALUES(vector, int64_t)[row];
        *value = *value < 0 ? -*value : *value;
        *value -= type->precision == 0 ? *value % 1000 : 0;
    }
}

static void random_rows_come_back_from_json(void **state)
{
    (void)state;
    static const weir_json_time_format formats[] = {WEIR_JSON_TIME_SQL, WEIR_JSON_TIME_ISO_8601};
    random_state random = random_start();
    for (int round = 0; round < 40; round++) {
        test_rows rows;
        weir_error err = {0};
        weir_row_writer *writer = NULL;
        weir_row_reader *reader = NULL;
        weir_buffer text = {0};
        weir_json_time_format format = formats[round % 2];
        rows_start(&rows, JSON_TYPES);
        rows_add_random(&rows, &random, (int64_t)random_below(&random, 60));
        for (int32_t i = 0; i < rows.column_count; i++) {
            tidy(&rows.batch.columns[i]);
        }
        weir_json_write_options write = {.time_format = format, .plain_decimals = round % 3 == 0};
        weir_json_read_options read = {.time_format = format};
        check_ok(weir_json_open_writer(rows.fields, rows.column_count, &write, &writer, &err), &err);
        check_ok(weir_json_open_reader(rows.fields, rows.column_count, &read, &reader, &err), &err);
        check_ok(writer->write(writer, &rows.batch, 0, rows.batch.length, &text, &err), &err);
        read_back(reader, &rows, weir_buffer_slice(&text));
        writer->close(writer);
        reader->close(reader);
        weir_buffer_free(&text);
        rows_free(&rows);
    }
}

static void random_rows_come_back_from_csv(void **state)
{
    (void)state;
    static const weir_csv_options variants[] = {
        {.null_literal = "NULL"},
        {.null_literal = "NIL", .delimiter = '|', .quote = '\'', .escape = '\\'},
        {.null_literal = "n/a", .delimiter = '\t', .no_quote = true, .escape = '\\', .plain_decimals = true},
    };
    random_state random = random_start();
    for (int round = 0; round < 60; round++) {
        const weir_csv_options *options = &variants[round % 3];
        test_rows rows;
        weir_error err = {0};
        weir_row_writer *writer = NULL;
        weir_row_reader *reader = NULL;
        weir_buffer text = {0};
        rows_start(&rows, CSV_TYPES);
        rows_add_random(&rows, &random, (int64_t)random_below(&random, 60));
        for (int32_t i = 0; i < rows.column_count; i++) {
            tidy(&rows.batch.columns[i]);
        }
        check_ok(weir_csv_open_writer(rows.fields, rows.column_count, options, &writer, &err), &err);
        check_ok(weir_csv_open_reader(rows.fields, rows.column_count, options, &reader, &err), &err);
        check_ok(writer->write(writer, &rows.batch, 0, rows.batch.length, &text, &err), &err);
        read_back(reader, &rows, weir_buffer_slice(&text));
        writer->close(writer);
        reader->close(reader);
        weir_buffer_free(&text);
        rows_free(&rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_is_written_as_flink_writes_it),
        cmocka_unit_test(options_change_what_is_written),
        cmocka_unit_test(change_events_are_rows_that_come_and_rows_that_go),
        cmocka_unit_test(random_rows_come_back_from_json),
        cmocka_unit_test(random_rows_come_back_from_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
