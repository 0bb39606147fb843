/* Avro files that Paimon did not write: other orders, other types, unknown fields, and schemas that mean harm. */
#include "avro_fixture.h"

/* Records of one field each: the bytes of the case, read as a column of the type. */
typedef struct value_case {
    const char *avro;  /* the field's type in the file */
    const char *type;  /* the column's type */
    const char *bytes; /* one record, hex */
    const char *json;  /* what is read; NULL: WEIR_CORRUPT */
} value_case;

static weir_slice from_hex(const char *hex, weir_buffer *out)
{
    for (; hex[0] != '\0'; hex += 2) {
        char pair[3] = {hex[0], hex[1], '\0'};
        weir_buffer_append_byte(out, (uint8_t)strtoul(pair, NULL, 16));
    }
    return weir_buffer_slice(out);
}

static void check_value(const value_case *value)
{
    weir_error err;
    weir_arena arena;
    weir_batch batch;
    weir_buffer record = {0};
    weir_buffer file = {0};
    weir_arena_init(&arena);
    const weir_type *row = parse_fields(&arena, weir_arena_format(&arena, "f %s", value->type));
    const char *schema =
        weir_arena_format(&arena, "{'type':'record','name':'r','fields':[{'name':'f','type':%s}]}", value->avro);
    make_file(schema, 1, from_hex(value->bytes, &record), &file);
    weir_batch_init(&batch, row->fields, 1);
    int code = weir_avro_read_all(weir_buffer_slice(&file), "case", row->fields, 1, &batch, &err);
    if (value->json == NULL) {
        assert_int_equal(code, WEIR_CORRUPT);
    } else {
        check_ok(code, &err);
        assert_string_equal(json_text(&batch.columns[0], 0), value->json);
    }
    weir_batch_free(&batch);
    weir_buffer_free(&file);
    weir_buffer_free(&record);
    weir_arena_free(&arena);
}

static void values_are_read_as_the_column_wants_them(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"'int'", "BIGINT", "02", "1"},
        {"'long'", "INT", "03", "-2"},
        {"'long'", "INT", "80808080808002", NULL}, /* too large for the column */
        {"'int'", "TINYINT", "8002", NULL},
        {"'int'", "SMALLINT", "8002", "128"},
        {"'long'", "BIGINT", "feffffffffffffffff01", "9223372036854775807"},
        {"'long'", "BIGINT", "ffffffffffffffffff01", "-9223372036854775808"},
        {"'long'", "BIGINT", "ffffffffffffffffff02", NULL}, /* 65 bits */
        {"'int'", "DOUBLE", "06", "3.0"},
        {"'long'", "FLOAT", "06", "3.0"},
        {"'float'", "DOUBLE", "0000c03f", "1.5"},
        {"'boolean'", "BOOLEAN", "01", "true"},
        {"'boolean'", "BOOLEAN", "02", NULL},
        {"'bytes'", "STRING", "046162", "\"ab\""},
        {"'string'", "BYTES", "046162", "\"6162\""},
        {"{'type':'fixed','name':'x','size':2}", "BYTES", "0102", "\"0102\""},
        {"{'type':'enum','name':'e','symbols':['red','green']}", "STRING", "02", "\"green\""},
        {"{'type':'enum','name':'e','symbols':['red','green']}", "STRING", "04", NULL},
        {"{'type':'bytes','logicalType':'decimal','precision':5,'scale':2}", "DECIMAL(5, 2)", "02ff", "\"-0.01\""},
        {"{'type':'bytes','logicalType':'decimal','precision':5,'scale':2}", "DECIMAL(5, 2)", "0400ff", "\"2.55\""},
        {"{'type':'bytes','logicalType':'decimal','precision':5,'scale':3}", "DECIMAL(5, 2)", "02ff", NULL},
        {"{'type':'fixed','name':'d','size':9,'logicalType':'decimal','precision':5,'scale':2}", "DECIMAL(5, 2)",
         "ffffffffffffffff85", "\"-1.23\""},
        {"{'type':'fixed','name':'d','size':9,'logicalType':'decimal','precision':5,'scale':2}", "DECIMAL(5, 2)",
         "ff7fffffffffffff85", NULL}, /* nine bytes of value */
        {"{'type':'int','logicalType':'time-millis'}", "TIME(3)", "02", "\"00:00:00.001\""},
        {"{'type':'long','logicalType':'time-micros'}", "TIME(3)", "d00f", "\"00:00:00.001\""},
        {"{'type':'long','logicalType':'timestamp-millis'}", "TIMESTAMP(6)", "01", "\"1969-12-31 23:59:59.999000\""},
        {"{'type':'long','logicalType':'timestamp-micros'}", "TIMESTAMP(3)", "01", "\"1969-12-31 23:59:59.999\""},
        {"{'type':'long','logicalType':'local-timestamp-micros'}", "TIMESTAMP(6)", "02",
         "\"1970-01-01 00:00:00.000001\""},
        {"{'type':'long','logicalType':'timestamp-micros'}", "TIMESTAMP(9)", "01", "\"1969-12-31 23:59:59.999999000\""},
        {"{'type':'long','logicalType':'timestamp-millis'}", "TIMESTAMP(6)", "feffffffffffffffff01", NULL},
        {"'long'", "TIMESTAMP(6)", "02", "\"1970-01-01 00:00:00.000001\""},
        {"['null','int']", "INT", "00", "null"},
        {"['int','null']", "INT", "0002", "1"},
        {"['int','null']", "INT", "02", "null"},
        {"['null','int']", "INT", "04", NULL}, /* no third branch */
        {"['string','null','int','long']", "BIGINT", "0404", "2"},
        {"['string','null','int','long']", "BIGINT", "000461", NULL}, /* a text where a number is wanted */
        {"['null',{'type':'array','items':'int'}]", "ARRAY<INT>", "0204020400", "[1,2]"},
        {"{'type':'array','items':'int'}", "ARRAY<INT>",
         "030402040206"
         "00",
         "[1,2,3]"},                                                            /* sized, then not */
        {"{'type':'array','items':'int'}", "ARRAY<INT>", "feffffff0f02", NULL}, /* longer than the block */
        {"{'type':'map','values':'int'}", "MAP<STRING, INT>", "0202610a00", "[[\"a\",5]]"},
        {"{'type':'array','items':{'type':'record','name':'kv','fields':[{'name':'key','type':'int'},"
         "{'name':'value','type':'string'}]}}",
         "MAP<INT, STRING>", "0206026100", "[[3,\"a\"]]"},
        {"'int'", "STRING", "02", NULL},
        {"'string'", "INT", "0261", NULL},
        {"'double'", "FLOAT", "0000000000000000", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_value(&cases[i]);
    }
}

static void fields_are_found_by_name_and_others_skipped(void **state)
{
    (void)state;
    static const char *const expected[] = {"\"l\"", "[null,9,\"x\"]", "7", "null"};
    weir_error err;
    weir_arena arena;
    weir_batch batch;
    weir_buffer record = {0};
    weir_buffer file = {0};
    weir_arena_init(&arena);
    const weir_type *row =
        parse_fields(&arena, "late STRING, inner ROW<gone INT, y INT, x STRING>, early BIGINT NOT NULL, absent DOUBLE");
    /* Unknown fields of every kind stand between the known ones. */
    make_file("{'type':'record','name':'r','namespace':'n.s','fields':[{'name':'early','type':'long'},"
              "{'name':'u1','type':{'type':'array','items':['null','string']}},"
              "{'name':'u2','type':{'type':'map','values':'double'}},"
              "{'name':'inner','type':{'type':'record','name':'i','fields':[{'name':'x','type':'string'},"
              "{'name':'u3','type':{'type':'fixed','name':'f4','size':4}},{'name':'y','type':'int'}]}},"
              "{'name':'u4','type':{'type':'enum','name':'e','symbols':['a']}},{'name':'u5','type':'f4'},"
              "{'name':'u6','type':'boolean'},{'name':'u7','type':'n.s.f4'},{'name':'late','type':['null','string']}]}",
              1,
              from_hex("0e" /* early: 7 */
                       "04"
                       "00"
                       "020261"
                       "00" /* u1: [null, "a"] */
                       "01"
                       "14"
                       "026b"
                       "0000000000000000"
                       "00" /* u2: one entry, with its size of 10 */
                       "0278"
                       "01020304"
                       "12" /* inner: "x", four bytes, 9 */
                       "00"
                       "01020304"
                       "01"
                       "00000000" /* u4 to u7 */
                       "02026c",  /* late: "l" */
                       &record),
              &file);
    weir_batch_init(&batch, row->fields, row->field_count);
    check_ok(weir_avro_read_all(weir_buffer_slice(&file), "case", row->fields, row->field_count, &batch, &err), &err);
    for (int32_t column = 0; column < batch.column_count; column++) {
        assert_string_equal(json_text(&batch.columns[column], 0), expected[column]);
    }
    weir_batch_free(&batch);
    weir_buffer_free(&record);
    weir_buffer_free(&file);
    weir_arena_free(&arena);
}

static void a_missing_field_that_is_not_null_is_corrupt(void **state)
{
    (void)state;
    weir_error err;
    weir_buffer file = {0};
    test_rows rows;
    rows_start(&rows, "INT NOT NULL");
    make_file("{'type':'record','name':'r','fields':[{'name':'other','type':'int'}]}", 0, (weir_slice){0}, &file);
    assert_int_equal(weir_avro_read_all(weir_buffer_slice(&file), "f", rows.fields, 1, &rows.batch, &err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "'c0'"));
    weir_buffer_free(&file);
    rows_free(&rows);
}

static void records_may_be_a_branch_beside_null(void **state)
{
    (void)state;
    static const struct {
        const char *bytes; /* two records, each behind the number of its branch */
        const char *json;  /* of the second; NULL: corrupt */
    } cases[] = {{"02060208", "4"}, {"020600", NULL}, {"02060408", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        weir_buffer record = {0}, file = {0};
        test_rows rows;
        rows_start(&rows, "INT NOT NULL");
        make_file("['null',{'type':'record','name':'r','fields':[{'name':'c0','type':'int'}]}]", 2,
                  from_hex(cases[i].bytes, &record), &file);
        int code = weir_avro_read_all(weir_buffer_slice(&file), "f", rows.fields, 1, &rows.batch, &err);
        assert_int_equal(code, cases[i].json != NULL ? WEIR_OK : WEIR_CORRUPT);
        if (cases[i].json != NULL) {
            assert_string_equal(json_text(&rows.batch.columns[0], 1), cases[i].json);
        }
        weir_buffer_free(&record);
        weir_buffer_free(&file);
        rows_free(&rows);
    }
}

static void schemas_that_mean_harm_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        int code;
    } cases[] = {
        {"{", WEIR_CORRUPT},
        {"7", WEIR_CORRUPT},
        {"'int'", WEIR_CORRUPT},
        {"{'type':'map','values':'int'}", WEIR_CORRUPT}, /* no records */
        {"{'type':'record','name':'r'}", WEIR_CORRUPT},
        {"{'type':'record','fields':[]}", WEIR_CORRUPT},
        {"{'type':'record','name':'r','fields':[{'name':'c0','type':[]}]}", WEIR_CORRUPT},
        {"{'type':'record','name':'r','fields':[{'name':'c0','type':'nosuch'}]}", WEIR_CORRUPT},
        {"{'type':'record','name':'r','fields':[{'name':'c0','type':['null','r']}]}", WEIR_CORRUPT},
        {"{'type':'record','name':'r','fields':[{'name':'c0','type':{'type':'fixed','name':'f','size':-1}}]}",
         WEIR_CORRUPT},
        {"{'type':'record','name':'r','fields':[{'name':'c0','type':'int'},{'name':'c0','type':'int'}]}", WEIR_CORRUPT},
        {"{'type':'record','name':'r','fields':[{'name':'c0','type':{'type':'fixed','name':'f','size':1}},"
         "{'name':'a','type':{'type':'fixed','name':'f','size':1}}]}",
         WEIR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        weir_buffer file = {0};
        test_rows rows;
        rows_start(&rows, "INT");
        make_file(cases[i].schema, 0, (weir_slice){0}, &file);
        int code = weir_avro_read_all(weir_buffer_slice(&file), "f", rows.fields, 1, &rows.batch, &err);
        assert_int_equal(code, cases[i].code);
        weir_buffer_free(&file);
        rows_free(&rows);
    }
}

static int read_schema_alone(const char *schema, const char *types)
{
    weir_error err;
    weir_buffer file = {0};
    test_rows rows;
    rows_start(&rows, types);
    make_file(schema, 0, (weir_slice){0}, &file);
    int code = weir_avro_read_all(weir_buffer_slice(&file), "f", rows.fields, rows.column_count, &rows.batch, &err);
    weir_buffer_free(&file);
    rows_free(&rows);
    return code;
}

/* Thirty records, each with the one before it twice: 2^30 fields when unfolded. */
static void a_schema_that_unfolds_without_end_is_refused(void **state)
{
    (void)state;
    weir_buffer schema = {0};
    weir_buffer_append_text(&schema, "{'type':'record','name':'r','fields':[{'name':'c0','type':'int'},{'name':'b0',"
                                     "'type':{'type':'record','name':'n0','fields':[]}}");
    for (int i = 1; i < 30; i++) {
        weir_buffer_append_format(&schema,
                                  ",{'name':'b%d','type':{'type':'record','name':'n%d','fields':["
                                  "{'name':'x','type':'n%d'},{'name':'y','type':'n%d'}]}}",
                                  i, i, i - 1, i - 1);
    }
    weir_buffer_append_text(&schema, "]}");
    assert_int_equal(read_schema_alone(weir_buffer_text(&schema), "INT"), WEIR_UNSUPPORTED);
    weir_buffer_free(&schema);
}

static void a_schema_nested_without_end_is_refused(void **state)
{
    (void)state;
    weir_buffer schema = {0};
    weir_buffer_append_text(&schema, "{'type':'record','name':'r','fields':[{'name':'c0','type':");
    for (int i = 0; i < 500; i++) {
        weir_buffer_append_text(&schema, "{'type':'array','items':");
    }
    weir_buffer_append_text(&schema, "'int'");
    for (int i = 0; i < 500; i++) {
        weir_buffer_append_text(&schema, "}");
    }
    weir_buffer_append_text(&schema, "}]}");
    assert_int_equal(read_schema_alone(weir_buffer_text(&schema), "INT"), WEIR_UNSUPPORTED);
    weir_buffer_free(&schema);
}

static void a_list_of_items_without_bytes_is_refused(void **state)
{
    (void)state;
    static const char schema[] = "{'type':'record','name':'r','fields':[{'name':'c0','type':"
                                 "{'type':'array','items':'null'}}]}";
    assert_int_equal(read_schema_alone(schema, "ARRAY<INT>"), WEIR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_the_column_wants_them),
        cmocka_unit_test(fields_are_found_by_name_and_others_skipped),
        cmocka_unit_test(a_missing_field_that_is_not_null_is_corrupt),
        cmocka_unit_test(records_may_be_a_branch_beside_null),
        cmocka_unit_test(schemas_that_mean_harm_are_refused),
        cmocka_unit_test(a_schema_that_unfolds_without_end_is_refused),
        cmocka_unit_test(a_schema_nested_without_end_is_refused),
        cmocka_unit_test(a_list_of_items_without_bytes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
