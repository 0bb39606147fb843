/* CSV as Flink reads it; the expected rows are a running Flink's. */
#include "format/csv/csv.h"
#include "format/row_text_fixture.h"

typedef struct csv_case {
    const char *columns;
    weir_csv_options options;
    const char *text;
    const char *rows;
    const char *error;
} csv_case;

static void check_cases(const csv_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        test_columns columns;
        weir_error err = {0};
        weir_row_reader *reader = NULL;
        columns_start(&columns, cases[i].columns);
        check_ok(weir_csv_open_reader(columns.fields, columns.count, &cases[i].options, &reader, &err), &err);
        check_text(reader, &columns, cases[i].text, cases[i].rows, cases[i].error);
        reader->close(reader);
        weir_arena_free(&columns.arena);
    }
}

#define CHECK_CASES(cases) check_cases((cases), sizeof(cases) / sizeof *(cases))

static void fields_are_split_quoted_and_escaped(void **state)
{
    (void)state;
    static const csv_case cases[] = {
        {"i INT, s STRING, d DECIMAL(10, 2), u STRING",
         {0},
         "1,a,2.5,\"x,y\"\n3,\"q\"\"q\",1,\"li\nne\"\n 4 , b ,1.25,z,\n",
         "+I[1,\"a\",\"2.50\",\"x,y\"]\n+I[3,\"q\\\"q\",\"1.00\",\"li\\nne\"]\n+I[4,\" b \",\"1.25\",\"z\"]\n",
         NULL},
        {"i INT, s STRING",
         {0},
         "1,\"a b\" \r\n2, \"c\"\r3,\n",
         "+I[1,\"a b\"]\n+I[2,\" \\\"c\\\"\"]\n+I[3,\"\"]\n",
         NULL},
        {"s STRING", {0}, "a\n\n\"\"\nb", "+I[\"a\"]\n+I[\"\"]\n+I[\"\"]\n+I[\"b\"]\n", NULL},
        {"s STRING, t STRING", {.no_quote = true}, "\"a,b\"\n", "+I[\"\\\"a\",\"b\\\"\"]\n", NULL},
        {"s STRING, t STRING",
         {.escape = '\\'},
         "a\\,b,\"c\\\"d\"\nx\\ny\\\\,\\0\n",
         "+I[\"a,b\",\"c\\\"d\"]\n+I[\"x\\ny\\\\\",\"\\u0000\"]\n",
         NULL},
        {"s STRING, t STRING", {.delimiter = '\t', .quote = '\''}, "a,b\t'c\td'\n", "+I[\"a,b\",\"c\\td\"]\n", NULL},
        {"s STRING, t STRING, u STRING",
         {.null_literal = "N"},
         "1,N,\n,,NN\n",
         "+I[\"1\",null,\"\"]\n+I[\"\",\"\",\"NN\"]\n",
         NULL},
        {"i INT", {.allow_comments = true}, "#one\n1\n#\n2\n", "+I[1]\n+I[2]\n", NULL},
        {"i INT", {.ignore_first_line = true}, "id\n1\n2", "+I[1]\n+I[2]\n", NULL},
        {"a ARRAY<INT>, r ROW<x INT, y STRING>",
         {.null_literal = "N"},
         "1;2,7;a\n,8\nN;3,N\n",
         "+I[[1,2],[7,\"a\"]]\n+I[[],[8,null]]\n+I[[null,3],null]\n",
         NULL},
        {"a ARRAY<STRING>", {.array_delimiter = "||"}, "a|b||\"c\"\n", "+I[[\"a|b\",\"\\\"c\\\"\"]]\n", NULL},
        {"s STRING", {0}, "\xe6\x97\xa5\n", "+I[\"\xe6\x97\xa5\"]\n", NULL},
        {"s STRING, t STRING", {0}, "", "", NULL},
    };
    CHECK_CASES(cases);
}

/* Fields are copied in pieces of 16 bytes. */
static void fields_of_all_lengths_are_read(void **state)
{
    static const char *const parts[] = {"a", "\xc3\xa9", "\\,", "\\\\"};
    static const char *const read_as[] = {"a", "\xc3\xa9", ",", "\\\\"};
    (void)state;
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        for (int length = 0; length < 40; length++) {
            weir_buffer text = {0};
            weir_buffer rows = {0};
            for (int field = 0; field < 3; field++) { /* x… then the part, the part then x…, and both */
                weir_buffer_append_text(&text, field == 0 ? "" : ",");
                weir_buffer_append_text(&rows, field == 0 ? "+I[\"" : "\",\"");
                weir_buffer_append_text(&text, field == 0 ? "" : parts[part]);
                weir_buffer_append_text(&rows, field == 0 ? "" : read_as[part]);
                for (int i = 0; i < length; i++) {
                    weir_buffer_append_byte(&text, 'x');
                    weir_buffer_append_byte(&rows, 'x');
                }
                weir_buffer_append_text(&text, field == 1 ? "" : parts[part]);
                weir_buffer_append_text(&rows, field == 1 ? "" : read_as[part]);
            }
            weir_buffer_append_text(&rows, "\"]\n");
            const csv_case one = {"s STRING, t STRING, u STRING",
                                  {.escape = '\\'},
                                  weir_buffer_text(&text),
                                  weir_buffer_text(&rows),
                                  NULL};
            check_cases(&one, 1);
            weir_buffer_free(&text);
            weir_buffer_free(&rows);
        }
    }
}

static void types_are_read_as_java_reads_them(void **state)
{
    (void)state;
    static const csv_case cases[] = {
        {"b BOOLEAN, t TINYINT, f FLOAT, d DOUBLE, y BYTES",
         {0},
         "TRUE, 5 ,1.5,1e3,AQI=\n",
         "+I[true,5,1.5,1000.0,\"0102\"]\n",
         NULL},
        {"d DATE, t TIME(3), s TIMESTAMP(3), l TIMESTAMP_LTZ(3)",
         {0},
         "2024-2-9,12:34:56.5,2024-2-9 1:02:03.5,2024-02-09 01:02:03Z\n",
         "+I[\"2024-02-09\",\"12:34:56.500\",\"2024-02-09 01:02:03.500\",\"2024-02-09 01:02:03.000Z\"]\n",
         NULL},
        {"i INT", {0}, "1.9\n", NULL, "in.json: line 1: field 'i': '1.9' is no INT"},
        {"i INT, s STRING",
         {0},
         "1,a\n,b\n",
         NULL,
         "line 2: field 'i': '' is no INT; 'csv.ignore-parse-errors' = 'true' would make it NULL"},
        {"s STRING", {0}, "\xff\n", NULL, "is no STRING"},
        {"d DATE", {0}, "2024-02-30\n", NULL, "'2024-02-30' is no DATE"},
    };
    CHECK_CASES(cases);
}

static void records_with_another_number_of_fields_are_errors(void **state)
{
    (void)state;
    static const csv_case cases[] = {
        {"i INT, s STRING", {0}, "1,a\n\n", NULL, "line 2: fewer fields than the table has columns (2): ''"},
        {"i INT, s STRING", {0}, "1,a,b\n", NULL, "line 1: more fields than the table has columns (2): '1,a,b'"},
        {"i INT, s STRING", {0}, "1,\"a\"x\n", NULL, "text after a closing quote (2): '1,\"a\"x'"},
        {"i INT, s STRING", {0}, "1,\"a\n", NULL, "a quote that is not closed"},
        {"i INT, s STRING",
         {.ignore_parse_errors = true},
         "1,a\n2\n3,b,c\nx,y\n,z\n\"\",e\n4,\"x\"y\n5,f",
         "+I[1,\"a\"]\n+I[2,null]\n+I[null,\"y\"]\n+I[null,\"z\"]\n+I[null,\"e\"]\n+I[5,\"f\"]\n",
         NULL},
    };
    CHECK_CASES(cases);
}

static void types_that_csv_has_no_form_for_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"m MAP<STRING, INT>", "a ARRAY<ARRAY<INT>>", "r ROW<x ARRAY<INT>>",
                                        "v VARIANT"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        test_columns columns;
        weir_error err = {0};
        weir_row_reader *reader = NULL;
        weir_row_writer *writer = NULL;
        columns_start(&columns, types[i]);
        assert_int_equal(weir_csv_open_reader(columns.fields, 1, &(weir_csv_options){0}, &reader, &err),
                         WEIR_UNSUPPORTED);
        assert_int_equal(weir_csv_open_writer(columns.fields, 1, &(weir_csv_options){0}, &writer, &err),
                         WEIR_UNSUPPORTED);
        weir_arena_free(&columns.arena);
    }
}

static void rows_are_written_as_flink_writes_them(void **state)
{
    (void)state;
    test_rows rows;
    weir_error err = {0};
    weir_row_writer *writer = NULL;
    weir_buffer out = {0};
    rows_start(&rows, "FLOAT, DOUBLE, DECIMAL(10, 2), BOOLEAN, TIMESTAMP(0), TIMESTAMP(9), TIME(0), STRING, BYTES, "
                      "ARRAY<INT>, ROW<q INT, w STRING>, INT");
    rows_add(&rows, "[[1.5, 1e10, '100', true, '2024-01-01 12:00:00', '2024-01-01 12:00:01.123456789', '10:11:00', "
                    "'plain', '0102', [1, 2], [1, 'a;b'], null], "
                    "[null, null, null, null, null, null, null, 'a,b', null, [], null, 7], "
                    "[null, null, null, null, null, null, null, ' sp ', null, null, null, null], "
                    "[null, null, null, null, null, null, null, '', null, null, null, null], "
                    "[null, null, null, null, null, null, null, 'nl\\nx\\\"', null, null, null, null]]");
    check_ok(weir_csv_open_writer(rows.fields, rows.column_count, &(weir_csv_options){0}, &writer, &err), &err);
    check_ok(writer->write(writer, &rows.batch, 0, rows.batch.length, &out, &err), &err);
    assert_string_equal(weir_buffer_text(&out),
                        "1.5,1.0E10,\"1E+2\",true,\"2024-01-01 12:00:00\",\"2024-01-01 12:00:01.123456789\",10:11:00,"
                        "plain,AQI=,1;2,1;a;b,\n"
                        ",,,,,,,\"a,b\",,,,7\n"
                        ",,,,,,,\" sp \",,,,\n"
                        ",,,,,,,,,,,\n"
                        ",,,,,,,\"nl\nx\"\"\",,,,\n");
    writer->close(writer);
    weir_buffer_free(&out);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_split_quoted_and_escaped),
        cmocka_unit_test(fields_of_all_lengths_are_read),
        cmocka_unit_test(types_are_read_as_java_reads_them),
        cmocka_unit_test(records_with_another_number_of_fields_are_errors),
        cmocka_unit_test(types_that_csv_has_no_form_for_are_refused),
        cmocka_unit_test(rows_are_written_as_flink_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
