/* Options of connectors and formats: what is known, what is refused, and what is suggested. */
#include "connect/connect_fixture.h"
#include "connect/connect_options.h"

typedef struct check_case {
    const char *columns;
    const char *options;
    int code;
    const char *message;
} check_case;

static const check_case cases[] = {
    {"a INT", "connector=filesystem;path=/tmp/x;format=json", WEIR_OK, ""},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;json.ignore-parse-errors=TRUE", WEIR_OK, ""},
    {"a INT", "connector=filesystem;path=/tmp/x;format=parquet;parquet.compression=zstd", WEIR_OK, ""},
    {"a INT", "connector=filesystem;path=/tmp/x;format=csv;csv.field-delimiter=\\t;csv.quote-character=\\u0001",
     WEIR_OK, ""},
    {"a INT", "connector=blackhole", WEIR_OK, ""},
    {"a INT", "path=/tmp/x", WEIR_INVALID, "option 'connector' is missing"},
    {"a INT", "connector=filesystm", WEIR_INVALID, "there is no connector 'filesystm'; did you mean 'filesystem'?"},
    {"a INT", "connector=xyzzy", WEIR_INVALID, "there is no connector 'xyzzy'"},
    {"a INT", "connector=hive", WEIR_UNSUPPORTED,
     "connector 'hive' is not offered by this version; there are: filesystem, kafka"},
    {"a INT", "connector=postgres-cdc", WEIR_UNSUPPORTED, "connector 'postgres-cdc' is not offered"},
    {"a INT", "connector=mysql-cdc", WEIR_INVALID, "option 'hostname' is missing"},
    {"a INT", "connector=jdbc", WEIR_UNSUPPORTED, "connector 'jdbc' is not offered"},
    {"a INT", "connector=paimon", WEIR_UNSUPPORTED, "create the table in it"},
    {"a INT", "connector=filesystem;path=/tmp/x", WEIR_INVALID, "option 'format' is missing"},
    {"a INT", "connector=filesystem;format=json", WEIR_INVALID, "option 'path' is missing"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=jsn", WEIR_INVALID,
     "there is no format 'jsn'; did you mean 'json'?"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=orc", WEIR_UNSUPPORTED,
     "format 'orc' is not offered by this version"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;pth=1", WEIR_INVALID,
     "connector filesystem has no option 'pth'; did you mean 'path'?"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;json.ignore-parse-error=true", WEIR_INVALID,
     "did you mean 'json.ignore-parse-errors'?"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;csv.null-literal=x", WEIR_INVALID,
     "option 'csv.null-literal' belongs to format csv, but the table's format is json"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;json.ignore-parse-errors=yes", WEIR_INVALID,
     "option 'json.ignore-parse-errors' = 'yes': expected true or false"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;json.timestamp-format.standard=ISO", WEIR_INVALID,
     "expected SQL, ISO-8601, ISO-8601-WITH-OFFSET"},
    {"a INT",
     "connector=filesystem;path=/tmp/x;format=json;json.ignore-parse-errors=true;json.fail-on-missing-field=true",
     WEIR_INVALID, "exclude each other"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=json;sink.rolling-policy.file-size=big", WEIR_INVALID,
     "expected a size such as '128 mb'"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=csv;csv.field-delimiter=||", WEIR_INVALID,
     "option 'csv.field-delimiter' = '||': expected one ASCII character"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=csv;csv.empty-string-as-null=true", WEIR_UNSUPPORTED,
     "'csv.empty-string-as-null' = 'true' is not offered"},
    {"a INT", "connector=filesystem;path=/tmp/x;format=csv;csv.empty-string-as-null=false", WEIR_OK, ""},
    {"m MAP<INT, INT>", "connector=filesystem;path=/tmp/x;format=json", WEIR_UNSUPPORTED, "column 'm'"},
    {"m MAP<STRING, INT>", "connector=filesystem;path=/tmp/x;format=csv", WEIR_UNSUPPORTED,
     "column 'm': CSV has no form for MAP<STRING, INT>"},
    {"a INT", "connector=print;print-identifer=x", WEIR_INVALID, "did you mean 'print-identifier'?"},
    {"a INT", "connector=print;format=json", WEIR_INVALID, "connector print has no option 'format'"},
    {"a INT", "connector=datagen;rows-per-second=0", WEIR_INVALID, "no row would ever come"},
    {"a INT", "connector=datagen;number-of-rows=-1", WEIR_INVALID, "expected a whole number"},
    {"a INT", "connector=datagen;fields.b.kind=random", WEIR_INVALID,
     "option 'fields.b.kind': the table has no column 'b'"},
    {"a INT", "connector=datagen;fields.a.kind=sequenz", WEIR_INVALID, "expected random or sequence"},
    {"a INT", "connector=datagen;fields.a.kind=sequence", WEIR_INVALID,
     "a sequence needs 'fields.a.start' and 'fields.a.end'"},
    {"a INT", "connector=datagen;fields.a.min=5;fields.a.max=4", WEIR_INVALID, "'min' is greater than 'max'"},
    {"a TINYINT", "connector=datagen;fields.a.max=128", WEIR_INVALID, "expected a whole number from -128 to 127"},
    {"a DATE", "connector=datagen;fields.a.kind=sequence;fields.a.start=1;fields.a.end=2", WEIR_UNSUPPORTED,
     "only numbers and texts can be a sequence"},
    {"a ARRAY<INT>", "connector=datagen", WEIR_UNSUPPORTED, "makes no nested values"},
    {"a STRING", "connector=datagen;fields.a.null-rate=2", WEIR_INVALID, "expected a number from 0 to 1"},
    {"a STRING", "connector=datagen;fields.a.lenght=2", WEIR_INVALID,
     "connector datagen has no option 'fields.a.lenght'"},
};

static void options_are_checked_before_anything_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_table table;
        weir_error err = {0};
        table_start(&table, cases[i].columns, cases[i].options, "");
        const weir_connector_schema schema = {.fields = table.columns.fields, .field_count = table.columns.count};
        int code = weir_connector_check(&table.options, &schema, &err);
        if (code != cases[i].code || strstr(err.message, cases[i].message) == NULL) {
            fail_msg("%s\n%d: %s\nnot %d: %s", cases[i].options, code, err.message, cases[i].code, cases[i].message);
        }
        table_end(&table);
    }
}

static void some_kinds_can_only_be_read_or_only_be_written(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    weir_sink *sink = NULL;
    table_start(&table, "a INT", "connector=print", "");
    check_source_fails(&table, WEIR_INVALID, "tables of connector print can only be written to");
    table_end(&table);
    table_start(&table, "a INT", "connector=datagen", "");
    weir_sink_options options = {.options = &table.options, .fields = table.columns.fields, .field_count = 1};
    assert_int_equal(weir_sink_open(&options, &sink, &err), WEIR_INVALID);
    assert_string_equal(err.message, "tables of connector datagen can only be read");
    table_end(&table);
    table_start(&table, "a INT", "connector=blackhole", "");
    options = (weir_sink_options){
        .options = &table.options, .fields = table.columns.fields, .field_count = 1, .overwrite = true};
    assert_int_equal(weir_sink_open(&options, &sink, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "nothing to overwrite"));
    table_end(&table);
}

static void only_formats_of_change_events_give_changes(void **state)
{
    (void)state;
    static const char *const options[][2] = {
        {"connector=filesystem;format=json", ""},          {"connector=filesystem;format=debezium-json", "yes"},
        {"connector=filesystem;format=canal-json", "yes"}, {"connector=filesystem;format=maxwell-json", "yes"},
        {"connector=filesystem;format=parquet", ""},       {"connector=datagen", ""},
        {"connector=filesystem;format=nonsense", ""},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        test_table table;
        table_start(&table, "a INT", options[i][0], "");
        assert_int_equal(weir_source_gives_changes(&table.options), options[i][1][0] != '\0');
        table_end(&table);
    }
}

static void every_option_in_the_table_has_a_text_and_a_valid_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < weir_connector_count + weir_format_count; i++) {
        const weir_connect_kind *kind =
            i < weir_connector_count ? &weir_connectors[i] : &weir_formats[i - weir_connector_count];
        assert_true((kind->refusal == NULL) == (kind->reads || kind->writes));
        assert_true(kind->refusal != NULL || kind->text != NULL);
        for (size_t k = 0; k < kind->option_count; k++) {
            const weir_option *option = &kind->options[k];
            assert_true(option->text[strlen(option->text) - 1] == '.');
            if (option->type == WEIR_OPTION_ENUM) {
                assert_non_null(option->values);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_checked_before_anything_is_read),
        cmocka_unit_test(some_kinds_can_only_be_read_or_only_be_written),
        cmocka_unit_test(only_formats_of_change_events_give_changes),
        cmocka_unit_test(every_option_in_the_table_has_a_text_and_a_valid_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
