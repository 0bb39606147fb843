/* The options of Kafka tables: what is refused, and with which words, before a broker is asked. */
#include "connect/connect_fixture.h"

#define BROKERS "properties.bootstrap.servers=localhost:1"
#define KAFKA   "connector=kafka;topic=t;" BROKERS
#define UPSERT  "connector=upsert-kafka;topic=t;" BROKERS

typedef struct option_case {
    const char *columns;
    const char *key; /* NULL: none */
    const char *options;
    const char *more_key; /* an option whose value has semicolons */
    const char *more_value;
    int code;
    const char *message;
} option_case;

static const option_case cases[] = {
    {"a INT", NULL, KAFKA ";format=json", NULL, NULL, WEIR_OK, ""},
    {"a INT", NULL, KAFKA ";format=json;json.ignore-parse-errors=true;properties.client.id=x", NULL, NULL, WEIR_OK, ""},
    {"a INT", NULL, KAFKA ";value.format=json;value.json.ignore-parse-errors=true", NULL, NULL, WEIR_OK, ""},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mode=latest-offset;sink.parallelism=3", NULL, NULL, WEIR_OK, ""},
    {"a INT", NULL, "connector=kafka;topic-pattern=a.*;" BROKERS ";format=json", NULL, NULL, WEIR_OK, ""},
    {"a INT", "a", KAFKA ";format=debezium-json", NULL, NULL, WEIR_OK, ""},
    {"a INT", "a", UPSERT ";key.format=json;value.format=csv", NULL, NULL, WEIR_OK, ""},

    {"a INT", NULL, "connector=kafka;topic=t;format=json", NULL, NULL, WEIR_INVALID,
     "Missing required options are: 'properties.bootstrap.servers'"},
    {"a INT", NULL, KAFKA, NULL, NULL, WEIR_INVALID,
     "Could not find required scan format 'value.format': set it or 'format'"},
    {"a INT", NULL, "connector=kafka;" BROKERS ";format=json", NULL, NULL, WEIR_INVALID,
     "Either 'topic' or 'topic-pattern' must be set."},
    {"a INT", NULL, KAFKA ";topic-pattern=x;format=json", NULL, NULL, WEIR_INVALID,
     "Option 'topic' and 'topic-pattern' shouldn't be set together."},
    {"a INT", NULL, KAFKA ";format=jsn", NULL, NULL, WEIR_INVALID, "there is no format 'jsn'; did you mean 'json'?"},
    {"a INT", NULL, KAFKA ";format=parquet", NULL, NULL, WEIR_UNSUPPORTED,
     "option 'format' = 'parquet': messages are read and written in: json"},
    {"a INT", NULL, KAFKA ";format=avro-confluent", NULL, NULL, WEIR_UNSUPPORTED,
     "format 'avro-confluent' is not offered"},
    {"a INT", NULL, KAFKA ";format=json;value.json.ignore-parse-errors=true", NULL, NULL, WEIR_INVALID,
     "connector kafka has no option 'value.json.ignore-parse-errors'; did you mean 'json.ignore-parse-errors'?"},
    {"a INT", NULL, KAFKA ";format=json;csv.field-delimiter=x", NULL, NULL, WEIR_INVALID,
     "option 'csv.field-delimiter' belongs to format csv, but the table's format is json"},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mod=x", NULL, NULL, WEIR_INVALID,
     "did you mean 'scan.startup.mode'?"},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mode=first", NULL, NULL, WEIR_INVALID,
     "option 'scan.startup.mode' = 'first': expected earliest-offset, latest-offset, group-offsets"},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mode=timestamp", NULL, NULL, WEIR_INVALID,
     "'scan.startup.timestamp-millis' is required in 'timestamp' startup mode but missing."},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mode=specific-offsets", NULL, NULL, WEIR_INVALID,
     "'scan.startup.specific-offsets' is required in 'specific-offsets' startup mode but missing."},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mode=specific-offsets", "scan.startup.specific-offsets",
     "partition:0,offset:1;partition:1,offset:7", WEIR_OK, ""},
    {"a INT", NULL, KAFKA ";format=json;scan.startup.mode=specific-offsets", "scan.startup.specific-offsets",
     "partition:0;offset:1", WEIR_INVALID,
     "should follow the format 'partition:0,offset:42;partition:1,offset:300', but is 'partition:0;offset:1'."},
    {"a INT", NULL,
     "connector=kafka;" BROKERS ";format=json;scan.startup.mode=specific-offsets;"
     "scan.startup.specific-offsets=partition:0,offset:1",
     "topic", "a;b", WEIR_INVALID, "Currently Kafka source only supports specific offset for single topic."},
    {"a INT", NULL, KAFKA ";format=json;scan.bounded.mode=timestamp", NULL, NULL, WEIR_INVALID,
     "'scan.bounded.timestamp-millis' is required in 'timestamp' bounded mode but missing."},
    {"a INT", NULL, KAFKA ";format=json;scan.bounded.mode=group-offsets", NULL, NULL, WEIR_INVALID,
     "option 'properties.group.id' is missing"},
    {"a INT", NULL, KAFKA ";format=json;properties.auto.offset.reset=first", NULL, NULL, WEIR_INVALID,
     "can not be set to first. Valid values: [latest,earliest,none]"},

    {"a INT", NULL, KAFKA ";format=json;key.fields=a", NULL, NULL, WEIR_INVALID,
     "The option 'key.fields' can only be declared if a key format is defined using 'key.format'."},
    {"a INT", NULL, KAFKA ";value.format=json;key.format=json", NULL, NULL, WEIR_INVALID,
     "A key format 'key.format' requires the declaration of one or more of key fields using 'key.fields'."},
    {"a INT", NULL, KAFKA ";value.format=json;key.format=json;key.fields=b", NULL, NULL, WEIR_INVALID,
     "Could not find the field 'b' in the table schema for usage in the key format."},
    {"a INT", NULL, KAFKA ";value.format=json;key.format=canal-json;key.fields=a", NULL, NULL, WEIR_INVALID,
     "A key format should only deal with INSERT-only records."},
    {"a INT", NULL, KAFKA ";value.format=json;key.format=json;key.fields=a;key.fields-prefix=k_", NULL, NULL,
     WEIR_INVALID, "All fields in 'key.fields' must be prefixed with 'k_'"},
    {"k_a INT", NULL, KAFKA ";value.format=json;key.format=json;key.fields=k_a;key.fields-prefix=k_", NULL, NULL,
     WEIR_INVALID, "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'."},
    {"k_a INT, b INT", NULL,
     KAFKA ";value.format=json;key.format=json;key.fields=k_a;key.fields-prefix=k_;value.fields-include=EXCEPT_KEY",
     NULL, NULL, WEIR_OK, ""},
    {"a INT, b INT", NULL, KAFKA ";format=raw", NULL, NULL, WEIR_INVALID, "only supports single physical column"},
    {"a INT", "a", KAFKA ";format=json", NULL, NULL, WEIR_INVALID,
     "The Kafka table 'c.d.t' with 'json' format doesn't support defining PRIMARY KEY constraint on the table, because "
     "it can't guarantee the semantic of primary key."},

    {"a INT", NULL, UPSERT ";key.format=json;value.format=json", NULL, NULL, WEIR_INVALID,
     "'upsert-kafka' tables require to define a PRIMARY KEY constraint."},
    {"a INT", "a", UPSERT ";value.format=json", NULL, NULL, WEIR_INVALID, "Missing required options are: 'key.format'"},
    {"a INT", "a", UPSERT ";key.format=json;value.format=debezium-json", NULL, NULL, WEIR_INVALID,
     "'upsert-kafka' connector doesn't support 'debezium-json' as value format"},
    {"a INT", "a", UPSERT ";key.format=json;value.format=json;scan.startup.mode=earliest-offset", NULL, NULL,
     WEIR_INVALID, "connector upsert-kafka has no option 'scan.startup.mode'"},
    {"a INT", "a", UPSERT ";key.format=json;value.format=json;sink.buffer-flush.max-rows=10", NULL, NULL, WEIR_INVALID,
     "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than zero together to "
     "enable sink buffer flushing."},
    {"a INT", "a",
     UPSERT ";key.format=json;value.format=json;sink.buffer-flush.max-rows=10;sink.buffer-flush.interval=1s", NULL,
     NULL, WEIR_OK, ""},

    {"a INT", NULL, KAFKA ";format=json;sink.delivery-guarantee=exactly-once", NULL, NULL, WEIR_INVALID,
     "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE."},
    {"a INT", NULL, KAFKA ";format=json;sink.partitioner=org.example.Mine", NULL, NULL, WEIR_UNSUPPORTED,
     "there are default, fixed and round-robin"},
    {"a INT", NULL, KAFKA ";value.format=json;key.format=json;key.fields=a;sink.partitioner=round-robin", NULL, NULL,
     WEIR_INVALID, "Currently 'round-robin' partitioner only works when option 'key.fields' is not specified."},
};

static void options_are_checked_with_flinks_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const option_case *at = &cases[i];
        test_table table;
        weir_error err = {0};
        table_start(&table, at->columns, at->options, "");
        if (at->more_key != NULL) {
            weir_options_set(&table.options, &table.arena, at->more_key, at->more_value);
        }
        const weir_connector_schema schema = {.table = "c.d.t",
                                              .fields = table.columns.fields,
                                              .field_count = table.columns.count,
                                              .primary_keys = &at->key,
                                              .primary_key_count = at->key != NULL};
        int code = weir_connector_check(&table.options, &schema, &err);
        if (code != at->code || (code != WEIR_OK && strstr(err.message, at->message) == NULL)) {
            fail_msg("%s\n%d: %s\nnot %d: %s", at->options, code, err.message, at->code, at->message);
        }
        table_end(&table);
    }
}

typedef struct property_case {
    const char *key;
    const char *value;
    int code;
    const char *message;
} property_case;

static void properties_of_java_are_known(void **state)
{
    (void)state;
    static const property_case properties[] = {
        {"properties.fetch.max.wait.ms", "100", WEIR_OK, ""},
        {"properties.key.deserializer", "org.example.D", WEIR_OK, ""},
        {"properties.enable.auto.commit", "true", WEIR_OK, ""},
        {"properties.buffer.memory", "1000000", WEIR_OK, ""},
        {"properties.isolation.level", "read_committed", WEIR_OK, ""},
        {"properties.isolation.level", "nonsense", WEIR_INVALID, "option 'properties.isolation.level' = 'nonsense'"},
        {"properties.ssl.truststore.location", "/a.jks", WEIR_UNSUPPORTED, "set 'properties.ssl.ca.location'"},
        {"properties.fetch.maxx.bytes", "1", WEIR_INVALID,
         "'properties.fetch.maxx.bytes': Kafka's clients have no such"},
        {"properties.sasl.jaas.config", "org.example.Mine required;", WEIR_UNSUPPORTED, "login modules with username"},
        {"properties.sasl.jaas.config", "a.b.PlainLoginModule required username=\"me\" password=\"it's \\\" 1\";",
         WEIR_OK, ""},
    };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        test_table table;
        weir_error err = {0};
        weir_source *source = NULL;
        table_start(&table, "a INT", KAFKA ";format=json;scan.startup.mode=earliest-offset", "");
        weir_options_set(&table.options, &table.arena, properties[i].key, properties[i].value);
        weir_source_options options = source_options(&table, 0);
        int code = weir_source_open(&options, &source, &err);
        if (code != properties[i].code || (code != WEIR_OK && strstr(err.message, properties[i].message) == NULL)) {
            fail_msg("%s: %d: %s\nnot %d: %s", properties[i].key, code, err.message, properties[i].code,
                     properties[i].message);
        }
        if (source != NULL) {
            source->close(source);
        }
        table_end(&table);
    }
}

static void tables_without_a_group_need_another_beginning(void **state)
{
    (void)state;
    test_table table;
    table_start(&table, "a INT", KAFKA ";format=json", "");
    check_source_fails(&table, WEIR_INVALID, "option 'properties.group.id' is missing");
    table_end(&table);
}

static void metadata_has_flinks_keys(void **state)
{
    (void)state;
    static const char *const keys[] = {"topic",  "partition", "headers",        "leader-epoch",
                                       "offset", "timestamp", "timestamp-type", "value.source.table"};
    test_table table;
    weir_error err = {0};
    const weir_type *type;
    bool casts;
    table_start(&table, "a INT", KAFKA ";format=debezium-json", "");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        check_ok(weir_connector_metadata(&table.options, keys[i], &type, &casts, &err), &err);
    }
    assert_int_equal(weir_connector_metadata(&table.options, "offsets", &type, &casts, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "there are topic, partition, headers"));
    table_end(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_checked_with_flinks_words),
        cmocka_unit_test(properties_of_java_are_known),
        cmocka_unit_test(tables_without_a_group_need_another_beginning),
        cmocka_unit_test(metadata_has_flinks_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
