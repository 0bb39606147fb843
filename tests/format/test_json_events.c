/* Change events of Debezium, Canal and Maxwell, as rows with kinds. */
#include "format/json_fixture.h"

#define COLUMNS "id INT, name STRING, price DECIMAL(10, 2)"

static const char *const key[] = {"id"};

static weir_json_read_options debezium(void) { return (weir_json_read_options){.kind = WEIR_JSON_DEBEZIUM}; }

static weir_json_read_options with_key(weir_json_kind kind)
{
    return (weir_json_read_options){.kind = kind, .primary_keys = key, .primary_key_count = 1};
}

typedef struct event_case {
    const char *text;
    const char *rows;
    const char *error;
} event_case;

static void check_cases(const weir_json_read_options *options, const event_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_json(options, COLUMNS, cases[i].text, cases[i].rows, cases[i].error);
    }
}

#define CHECK_CASES(options, cases) check_cases((options), (cases), sizeof(cases) / sizeof *(cases))

static void debezium_events_give_the_rows_that_come_and_go(void **state)
{
    (void)state;
    static const event_case cases[] = {
        {"{\"before\":null,\"after\":{\"id\":1,\"name\":\"a\"},\"op\":\"c\"}", "+I[1,\"a\",null]\n", NULL},
        {"{\"op\":\"r\",\"source\":{\"snapshot\":\"true\"},\"after\":{\"price\":1.5,\"id\":1}}",
         "+I[1,null,\"1.50\"]\n", NULL},
        {"{\"before\":{\"id\":1,\"name\":\"a\"},\"after\":{\"id\":1,\"name\":\"b\"},\"op\":\"u\",\"ts_ms\":3}",
         "-U[1,\"a\",null]\n+U[1,\"b\",null]\n", NULL},
        {"{\"after\":{\"id\":1},\"before\":{\"id\":0},\"op\":\"u\"}", "-U[0,null,null]\n+U[1,null,null]\n", NULL},
        {"{\"before\":{\"id\":1},\"after\":null,\"op\":\"d\"}\nnull\n\n", "-D[1,null,null]\n", NULL},
        {"{\"before\":null,\"after\":{\"id\":1},\"op\":\"u\"}", NULL,
         "line 1, column 1: expected \"before\" with the old row"},
        {"{\"before\":null,\"after\":null,\"op\":\"d\"}", NULL, "expected \"before\" with the old row"},
        {"{\"before\":{\"id\":1},\"after\":null,\"op\":\"c\"}", NULL, "expected \"after\" with the new row"},
        {"{\"before\":null,\"after\":{\"id\":1},\"op\":\"x\"}", NULL,
         "expected a Debezium event, whose \"op\" is c, r, u or d, found 'x\"}'"},
        {"{\"op\":\"t\"}", NULL, "t is a TRUNCATE, which can't be followed (to pass over it, set "
                               "'debezium-json.ignore-parse-errors'"},
        {"{\"op\":\"m\",\"message\":{}}", NULL, "m is a message of a program"},
        {"{\"schema\":{},\"payload\":{\"after\":{\"id\":1},\"op\":\"c\"}}", NULL,
         "set 'debezium-json.schema-include' = 'true'"},
        {"{\"id\":1}", NULL, "expected a Debezium event"},
        {"{}", NULL, "expected a Debezium event"},
        {"{\"after\":[1],\"op\":\"c\"}", NULL, "expected a row ({…}) or null, found '[1],"},
        {"{\"after\":{\"id\":1,},\"op\":\"c\"}", NULL, "expected a name in quotes"},
        {"[{\"after\":{\"id\":1},\"op\":\"c\"}]", NULL, "expected an object"},
        {"{\"before\":null,\"after\":{\"id\":\"x\"},\"op\":\"c\"}", NULL, "line 1: field 'id': 'x' is no INT"},
    };
    weir_json_read_options options = debezium();
    CHECK_CASES(&options, cases);
}

static void with_a_primary_key_an_update_may_lack_its_old_row(void **state)
{
    (void)state;
    static const event_case cases[] = {
        {"{\"before\":null,\"after\":{\"id\":1},\"op\":\"u\"}", "+U[1,null,null]\n", NULL},
        {"{\"before\":null,\"after\":null,\"op\":\"d\"}", NULL, "expected \"before\" with the old row"},
    };
    weir_json_read_options options = with_key(WEIR_JSON_DEBEZIUM);
    CHECK_CASES(&options, cases);
}

static void an_update_that_changes_the_key_is_a_delete_and_an_insert(void **state)
{
    (void)state;
    static const event_case debezium_cases[] = {
        {"{\"before\":{\"id\":1},\"after\":{\"id\":11},\"op\":\"u\"}", "-D[1,null,null]\n+I[11,null,null]\n", NULL},
        {"{\"before\":{\"id\":1},\"after\":{\"id\":\"1\"},\"op\":\"u\"}", "-D[1,null,null]\n+I[1,null,null]\n", NULL},
        {"{\"before\":{\"id\":1,\"name\":\"a\"},\"after\":{\"id\":1,\"name\":\"b\"},\"op\":\"u\"}",
         "-U[1,\"a\",null]\n+U[1,\"b\",null]\n", NULL},
    };
    static const event_case canal_cases[] = {
        {"{\"data\":[{\"id\":\"2\"},{\"id\":\"3\"}],\"old\":[{\"id\":\"1\"},{\"name\":\"x\"}],\"type\":\"UPDATE\"}",
         "-D[1,null,null]\n+I[2,null,null]\n-U[3,\"x\",null]\n+U[3,null,null]\n", NULL},
    };
    weir_json_read_options options = with_key(WEIR_JSON_DEBEZIUM);
    CHECK_CASES(&options, debezium_cases);
    options = with_key(WEIR_JSON_CANAL);
    CHECK_CASES(&options, canal_cases);
}

static void an_event_that_is_none_is_passed_over_when_errors_are_ignored(void **state)
{
    (void)state;
    static const event_case cases[] = {
        {"{\"op\":\"x\"}\n{\"after\":{\"id\":1},\"op\":\"c\"}\n{\"before\":{\"id\":1},\"after\":{\"id\":2},\"op\":"
         "\"c\"\n"
         "{\"before\":{\"id\":\"bad\",\"name\":\"n\"},\"op\":\"d\"}",
         "+I[1,null,null]\n-D[null,\"n\",null]\n", NULL},
    };
    weir_json_read_options options = debezium();
    options.ignore_parse_errors = true;
    CHECK_CASES(&options, cases);
}

/* ---- the envelope ---- */

#define SCHEMA(fields)                                                                                                 \
    "{\"type\":\"struct\",\"fields\":[{\"field\":\"before\",\"type\":\"struct\",\"fields\":[" fields "]},"             \
    "{\"field\":\"after\",\"type\":\"struct\",\"fields\":[" fields "]},{\"field\":\"op\",\"type\":\"string\"}]}"
#define FIELD(type, name, scale)                                                                                       \
    "{\"type\":\"" type "\",\"field\":\"v\",\"name\":\"" name "\",\"parameters\":{\"scale\":\"" scale "\"}}"
#define EVENT(value) "\"payload\":{\"before\":null,\"after\":{\"v\":" value "},\"op\":\"c\"}"

typedef struct encoding_case {
    const char *column;
    const char *schema;
    const char *json;
    const char *value; /* NULL: it does not fit */
} encoding_case;

#define CASE(column, type, name, scale, json, value) {column, SCHEMA(FIELD(type, name, scale)), EVENT(json), value}
#define CONNECT                                      "org.apache.kafka.connect.data."
#define TIME                                         "io.debezium.time."

static void the_schema_in_the_envelope_says_how_values_are_encoded(void **state)
{
    (void)state;
    static const encoding_case cases[] = {
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "2", "\"AJY=\"", "\"1.50\""),
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "2", "\"/w==\"", "\"-0.01\""),
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "3", "\"BdI=\"", "\"1.49\""),  /* 1.490 */
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "3", "\"BdU=\"", "\"1.49\""),  /* 1.493 */
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "3", "\"+iU=\"", "\"-1.50\""), /* -1.499 */
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "0", "\"Bg==\"", "\"6.00\""),
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "-2", "\"Bg==\"", "\"600.00\""),
        CASE("DECIMAL(3, 0)", "bytes", CONNECT "Decimal", "0", "\"BAA=\"", "null"),
        CASE("DECIMAL(38, 0)", "bytes", CONNECT "Decimal", "0", "\"AAAAAAAAAAAAAAAAAAAAAAAABg==\"", "\"6\""),
        CASE("DECIMAL(38, 0)", "bytes", CONNECT "Decimal", "0", "\"/////////////////////w==\"", "\"-1\""),
        CASE("DECIMAL(38, 0)", "bytes", CONNECT "Decimal", "0", "\"AQAAAAAAAAAAAAAAAAAAAAAA\"", "null"),
        CASE("DECIMAL(38, 0)", "bytes", CONNECT "Decimal", "0", "\"AP////////////////////8=\"", "null"),
        CASE("DECIMAL(10, 2)", "bytes", CONNECT "Decimal", "2", "1.5", NULL),
        CASE("DECIMAL(10, 2)", "struct", "io.debezium.data.VariableScaleDecimal", "",
             "{\"scale\":1,\"value\":\"Dw==\"}", "\"1.50\""),
        CASE("DECIMAL(10, 2)", "struct", "io.debezium.data.VariableScaleDecimal", "", "{\"value\":\"Dw==\"}", NULL),
        CASE("DATE", "int32", TIME "Date", "", "19782", "\"2024-02-29\""),
        CASE("DATE", "int32", CONNECT "Date", "", "-1", "\"1969-12-31\""),
        CASE("DATE", "int64", TIME "Date", "", "99999999999", NULL),
        CASE("TIME(3)", "int32", TIME "Time", "", "3723004", "\"01:02:03.004\""),
        CASE("TIME(3)", "int64", TIME "MicroTime", "", "3723004567", "\"01:02:03.004\""),
        CASE("TIME(3)", "int64", TIME "NanoTime", "", "86400000000000", NULL),
        CASE("TIME(0)", "string", TIME "ZonedTime", "", "\"01:02:03Z\"", "\"01:02:03.000\""),
        CASE("TIMESTAMP(3)", "int64", TIME "Timestamp", "", "-1", "\"1969-12-31 23:59:59.999\""),
        CASE("TIMESTAMP(3)", "int64", CONNECT "Timestamp", "", "1709209296000", "\"2024-02-29 12:21:36.000\""),
        CASE("TIMESTAMP(6)", "int64", TIME "MicroTimestamp", "", "-1", "\"1969-12-31 23:59:59.999999\""),
        CASE("TIMESTAMP(9)", "int64", TIME "NanoTimestamp", "", "-1", "\"1969-12-31 23:59:59.999999999\""),
        CASE("TIMESTAMP(3)", "int64", "", "", "1709209296000", NULL),
        CASE("TIMESTAMP_LTZ(3)", "string", TIME "ZonedTimestamp", "", "\"2026-01-01T20:00:00.5+08:00\"",
             "\"2026-01-01 12:00:00.500Z\""),
        CASE("BIGINT", "int64", TIME "MicroTimestamp", "", "7", "7"),
        CASE("BYTES", "bytes", "", "", "\"AP8=\"", "\"00ff\""),
    };
    weir_json_read_options options = debezium();
    options.schema_include = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer column = {0};
        weir_buffer text = {0};
        weir_buffer rows = {0};
        const char *value = cases[i].value;
        weir_buffer_append_format(&column, "v %s", cases[i].column);
        weir_buffer_append_format(&text, "{\"schema\":%s,%s}\n{%s,\"schema\":%s}", cases[i].schema, cases[i].json,
                                  cases[i].json, cases[i].schema);
        weir_buffer_append_format(&rows, "+I[%s]\n+I[%s]\n", value, value);
        check_json(&options, weir_buffer_text(&column), weir_buffer_text(&text), weir_buffer_text(&rows),
                   value == NULL ? "field 'v'" : NULL);
        weir_buffer_free(&column);
        weir_buffer_free(&text);
        weir_buffer_free(&rows);
    }
}

static void a_schema_that_changes_counts_from_its_message_on(void **state)
{
    (void)state;
    weir_json_read_options options = debezium();
    options.schema_include = true;
    check_json(
        &options, "v DECIMAL(10, 2)",
        "{\"schema\":" SCHEMA(FIELD("bytes", CONNECT "Decimal", "2")) "," EVENT(
            "\"AJY=\"") "}\n"
                        "{\"schema\":" SCHEMA(FIELD("bytes", CONNECT "Decimal", "1")) "," EVENT(
                            "\"AJY=\"") "}\n"
                                        "{\"schema\":" SCHEMA(FIELD("bytes", CONNECT "Decimal", "1")) "," EVENT(
                                            "\"AJY=\"") "}\n"
                                                        "{\"schema\":null," EVENT(
                                                            "1.25") "}\n"
                                                                    "{" EVENT(
                                                                        "1.75") "}\n"
                                                                                "{\"schema\":null,\"payload\":null}\n",
        "+I[\"1.50\"]\n+I[\"15.00\"]\n+I[\"15.00\"]\n+I[\"1.25\"]\n+I[\"1.75\"]\n", NULL);
    check_json(&options, "v INT", "{\"op\":\"c\",\"after\":{\"v\":1}}", NULL, "expected an envelope with \"payload\"");
    check_json(&options, "v INT", "{\"payload\":[]}", NULL, "expected an event ({…}) or null as \"payload\"");
}

/* ---- Canal and Maxwell ---- */

static void canal_updates_take_what_did_not_change_from_the_new_row(void **state)
{
    (void)state;
    static const event_case cases[] = {
        {"{\"data\":[{\"id\":\"1\",\"name\":\"a\",\"price\":\"1.5\"},{\"id\":\"2\"}],\"old\":null,\"type\":\"INSERT\"}",
         "+I[1,\"a\",\"1.50\"]\n+I[2,null,null]\n", NULL},
        {"{\"data\":[{\"id\":\"1\",\"name\":\"b\",\"price\":null}],\"old\":[{\"name\":\"a\",\"price\":\"2\"}],"
         "\"type\":\"UPDATE\"}",
         "-U[1,\"a\",\"2.00\"]\n+U[1,\"b\",null]\n", NULL},
        {"{\"data\":[{\"id\":\"1\",\"name\":\"b\"}],\"old\":[{\"name\":null}],\"type\":\"UPDATE\"}",
         "-U[1,null,null]\n+U[1,\"b\",null]\n", NULL},
        {"{\"type\":\"DELETE\",\"data\":[{\"id\":\"1\"},{\"id\":\"2\"}]}", "-D[1,null,null]\n-D[2,null,null]\n", NULL},
        {"{\"data\":null,\"type\":\"CREATE\",\"isDdl\":true,\"sql\":\"CREATE TABLE t (id INT)\"}", "", NULL},
        {"{\"data\":null,\"type\":\"ALTER\",\"isDdl\":true}", NULL,
         "expected a Canal event, whose \"type\" is INSERT, UPDATE, DELETE or CREATE"},
        {"{\"data\":[{\"id\":\"1\"}],\"old\":[],\"type\":\"UPDATE\"}", NULL,
         "expected as many rows in \"old\" as in \"data\""},
        {"{\"data\":[1],\"type\":\"INSERT\"}", NULL, "expected a row ({…}), found '1]"},
        {"{\"data\":\"x\",\"type\":\"INSERT\"}", NULL, "expected a row ({…}), rows ([{…}]) or null"},
    };
    weir_json_read_options options = {.kind = WEIR_JSON_CANAL};
    CHECK_CASES(&options, cases);
}

static void canal_messages_of_other_databases_and_tables_are_passed_over(void **state)
{
    (void)state;
    static const char text[] =
        "{\"database\":\"shop\",\"table\":\"orders_1\",\"data\":[{\"id\":\"1\"}],\"type\":\"INSERT\"}\n"
        "{\"database\":\"shop2\",\"table\":\"orders_2\",\"data\":[{\"id\":\"2\"}],\"type\":\"INSERT\"}\n"
        "{\"database\":\"shop\",\"table\":\"users\",\"data\":null,\"type\":\"ALTER\"}\n"
        "{\"database\":\"\\u0073hop\",\"table\":\"orders_10\",\"data\":[{\"id\":\"3\"}],\"type\":\"INSERT\"}\n"
        "{\"data\":[{\"id\":\"4\"}],\"type\":\"INSERT\"}\n";
    weir_json_read_options options = {
        .kind = WEIR_JSON_CANAL, .database_include = "shop", .table_include = "orders_\\d+"};
    check_json(&options, COLUMNS, text, "+I[1,null,null]\n+I[3,null,null]\n", NULL);
    weir_row_reader *reader = NULL;
    weir_error err = {0};
    options.table_include = "orders_(";
    assert_int_equal(weir_json_open_reader(NULL, 0, &options, &reader, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "'canal-json.table.include' = 'orders_(' is no regular expression"));
}

static void maxwell_events_are_read_like_those_of_canal(void **state)
{
    (void)state;
    static const event_case cases[] = {
        {"{\"type\":\"insert\",\"data\":{\"id\":1,\"name\":\"a\"},\"ts\":1}", "+I[1,\"a\",null]\n", NULL},
        {"{\"type\":\"update\",\"data\":{\"id\":1,\"name\":\"b\"},\"old\":{\"name\":\"a\"}}",
         "-U[1,\"a\",null]\n+U[1,\"b\",null]\n", NULL},
        {"{\"type\":\"delete\",\"data\":{\"id\":1}}", "-D[1,null,null]\n", NULL},
        {"{\"type\":\"bootstrap-start\",\"data\":{}}\n{\"type\":\"bootstrap-insert\",\"data\":{\"id\":1}}",
         "+I[1,null,null]\n", NULL},
        {"{\"type\":\"table-create\"}", NULL, "expected a Maxwell event"},
    };
    weir_json_read_options options = {.kind = WEIR_JSON_MAXWELL};
    CHECK_CASES(&options, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debezium_events_give_the_rows_that_come_and_go),
        cmocka_unit_test(with_a_primary_key_an_update_may_lack_its_old_row),
        cmocka_unit_test(an_update_that_changes_the_key_is_a_delete_and_an_insert),
        cmocka_unit_test(an_event_that_is_none_is_passed_over_when_errors_are_ignored),
        cmocka_unit_test(the_schema_in_the_envelope_says_how_values_are_encoded),
        cmocka_unit_test(a_schema_that_changes_counts_from_its_message_on),
        cmocka_unit_test(canal_updates_take_what_did_not_change_from_the_new_row),
        cmocka_unit_test(canal_messages_of_other_databases_and_tables_are_passed_over),
        cmocka_unit_test(maxwell_events_are_read_like_those_of_canal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
