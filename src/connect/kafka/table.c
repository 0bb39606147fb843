/* Reading and checking the options of Kafka tables.
 *
 * Source of truth: org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptionsUtil and the two factories
 * beside it; messages are theirs. */
#include "connect/kafka/table.h"

#include "base/text.h"
#include "connect/kafka/client.h"

/* ---- small values ---- */

static int fail_missing(const char *key, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "Missing required options are: '%s', %s", key, what);
}

static const char *text_option(const weir_connect_kind *kind, const weir_options *options, const char *key)
{
    return weir_connect_text(kind, options, key);
}

static int millis_option(const weir_options *options, const char *key, const char *mode, const char *which,
                         int64_t *out, weir_error *err)
{
    const char *text = weir_options_get(options, key);
    if (text == NULL) {
        return weir_fail(err, WEIR_INVALID, "'%s' is required in '%s' %s mode but missing.", key, mode, which);
    }
    return weir_parse_int64(weir_slice_text(text), out)
               ? WEIR_OK
               : weir_fail(err, WEIR_INVALID, "option '%s' = '%s': expected milliseconds since 1970-01-01", key, text);
}

static int fail_offsets(const char *key, const char *text, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "Invalid properties '%s' should follow the format "
                     "'partition:0,offset:42;partition:1,offset:300', but is '%s'.",
                     key, text);
}

/* One of them; *at moves behind it and its semicolon. */
static bool take_offset(const char **at, weir_kafka_offset *out)
{
    int used = 0;
    long long offset = 0;
    int partition = 0;
    if (sscanf(*at, "partition:%d,offset:%lld%n", &partition, &offset, &used) != 2 || partition < 0 || offset < 0 ||
        ((*at)[used] != '\0' && (*at)[used] != ';')) {
        return false;
    }
    *out = (weir_kafka_offset){.partition = partition, .offset = offset};
    *at += used + ((*at)[used] == ';');
    return true;
}

static int offsets_option(const weir_kafka_table *table, const char *key, const char *which, weir_arena *arena,
                          weir_kafka_offsets *out, weir_error *err)
{
    const char *text = weir_options_get(table->options, key);
    if (text == NULL) {
        return weir_fail(err, WEIR_INVALID, "'%s' is required in 'specific-offsets' %s mode but missing.", key, which);
    }
    if (table->topic_pattern != NULL || table->topic_count != 1) {
        return weir_fail(err, WEIR_INVALID,
                         "option '%s': Currently Kafka source only supports specific offset for single "
                         "topic.",
                         key);
    }
    int32_t most = 1;
    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ';';
    }
    out->items = WEIR_NEW_ARRAY(arena, weir_kafka_offset, most);
    const char *at = text;
    do {
        if (!take_offset(&at, &out->items[out->count++])) {
            return fail_offsets(key, text, err);
        }
    } while (*at != '\0');
    return WEIR_OK;
}

/* ---- topics ---- */

/* A list with semicolons between its elements. */
static const char **split_list(const char *text, weir_arena *arena, int32_t *out_count)
{
    int32_t most = 1;
    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ';';
    }
    const char **items = WEIR_NEW_ARRAY(arena, const char *, most);
    int32_t count = 0;
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, ";");
        weir_slice item = weir_slice_of(at, size);
        while (item.size > 0 && *item.data == ' ') {
            item = weir_slice_of(item.data + 1, item.size - 1);
        }
        while (item.size > 0 && item.data[item.size - 1] == ' ') {
            item.size--;
        }
        if (item.size > 0) {
            items[count++] = weir_arena_strndup(arena, (const char *)item.data, item.size);
        }
        at += size + (at[size] == ';');
    }
    *out_count = count;
    return items;
}

static int read_topics(weir_kafka_table *table, weir_arena *arena, weir_error *err)
{
    const char *topics = weir_options_get(table->options, "topic");
    table->topic_pattern = weir_options_get(table->options, "topic-pattern");
    if (topics != NULL && table->topic_pattern != NULL) {
        return weir_fail(err, WEIR_INVALID, "Option 'topic' and 'topic-pattern' shouldn't be set together.");
    }
    if (topics != NULL) {
        table->topics = split_list(topics, arena, &table->topic_count);
    }
    return table->topic_pattern != NULL || table->topic_count > 0
               ? WEIR_OK
               : weir_fail(err, WEIR_INVALID, "Either 'topic' or 'topic-pattern' must be set.");
}

/* ---- from where, to where ---- */

static int read_reset(weir_kafka_table *table, weir_error *err)
{
    const char *reset = weir_kafka_property(table->options, "auto.offset.reset");
    if (reset == NULL || weir_text_equal_ignore_case(reset, "none")) {
        table->reset = WEIR_KAFKA_RESET_NONE;
        return WEIR_OK;
    }
    bool earliest = weir_text_equal_ignore_case(reset, "earliest");
    table->reset = earliest ? WEIR_KAFKA_RESET_EARLIEST : WEIR_KAFKA_RESET_LATEST;
    return earliest || weir_text_equal_ignore_case(reset, "latest")
               ? WEIR_OK
               : weir_fail(err, WEIR_INVALID,
                           "option 'properties.auto.offset.reset' can not be set to %s. Valid values: "
                           "[latest,earliest,none]",
                           reset);
}

int weir_kafka_table_check_group(const weir_kafka_table *table, const char *key, weir_error *err)
{
    return table->group != NULL
               ? WEIR_OK
               : weir_fail(
                     err, WEIR_INVALID,
                     "option 'properties.group.id' is missing: '%s' is 'group-offsets', which are the offsets of a "
                     "group; name one, or begin at 'earliest-offset' or 'latest-offset'",
                     key);
}

static int read_startup(const weir_connect_kind *kind, weir_kafka_table *table, weir_arena *arena, weir_error *err)
{
    if (table->upsert) {
        table->startup = WEIR_KAFKA_FROM_EARLIEST; /* so that no key is missed */
        return WEIR_OK;
    }
    const char *mode = text_option(kind, table->options, "scan.startup.mode");
    if (weir_text_equal_ignore_case(mode, "earliest-offset")) {
        table->startup = WEIR_KAFKA_FROM_EARLIEST;
    } else if (weir_text_equal_ignore_case(mode, "latest-offset")) {
        table->startup = WEIR_KAFKA_FROM_LATEST;
    } else if (weir_text_equal_ignore_case(mode, "timestamp")) {
        table->startup = WEIR_KAFKA_FROM_TIMESTAMP;
        return millis_option(table->options, "scan.startup.timestamp-millis", mode, "startup", &table->startup_ms, err);
    } else if (weir_text_equal_ignore_case(mode, "specific-offsets")) {
        table->startup = WEIR_KAFKA_FROM_SPECIFIC_OFFSETS;
        return offsets_option(table, "scan.startup.specific-offsets", "startup", arena, &table->startup_offsets, err);
    } else {
        table->startup = WEIR_KAFKA_FROM_GROUP_OFFSETS;
    }
    return WEIR_OK;
}

static int read_bound(const weir_connect_kind *kind, weir_kafka_table *table, weir_arena *arena, weir_error *err)
{
    const char *mode = text_option(kind, table->options, "scan.bounded.mode");
    if (weir_text_equal_ignore_case(mode, "latest-offset")) {
        table->bound = WEIR_KAFKA_TO_LATEST;
    } else if (weir_text_equal_ignore_case(mode, "group-offsets")) {
        table->bound = WEIR_KAFKA_TO_GROUP_OFFSETS;
        return weir_kafka_table_check_group(table, "scan.bounded.mode", err);
    } else if (weir_text_equal_ignore_case(mode, "timestamp")) {
        table->bound = WEIR_KAFKA_TO_TIMESTAMP;
        return millis_option(table->options, "scan.bounded.timestamp-millis", mode, "bounded", &table->bound_ms, err);
    } else if (weir_text_equal_ignore_case(mode, "specific-offsets")) {
        table->bound = WEIR_KAFKA_TO_SPECIFIC_OFFSETS;
        return offsets_option(table, "scan.bounded.specific-offsets", "bounded", arena, &table->bound_offsets, err);
    }
    return WEIR_OK;
}

/* ---- keys and values ---- */

int weir_kafka_formats(const weir_options *options, weir_connect_format out[2], size_t *out_count, weir_error *err)
{
    bool plain = weir_options_get(options, "format") != NULL;
    out[0].prefix = plain ? "" : "value.";
    out[1].prefix = "key.";
    *out_count = 1;
    if (!plain && weir_options_get(options, "value.format") == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "Could not find required scan format 'value.format': set it or 'format' to what is in the "
                         "messages, such as 'format' = 'json'");
    }
    WEIR_TRY(weir_format_by_key(options, plain ? "format" : "value.format", &out[0].kind, err));
    if (weir_options_get(options, "key.format") != NULL) {
        WEIR_TRY(weir_format_by_key(options, "key.format", &out[1].kind, err));
        *out_count = 2;
    }
    for (size_t i = 0; i < *out_count; i++) {
        if (!weir_row_format_is_text(out[i].kind)) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "option '%s' = '%s': messages are read and written in: json, csv, raw, debezium-json, "
                             "canal-json, maxwell-json",
                             i == 1  ? "key.format"
                             : plain ? "format"
                                     : "value.format",
                             out[i].kind->name);
        }
    }
    return WEIR_OK;
}

/* The options of a format, without the prefix that tells the key's from the value's. */
static void take_options(const weir_options *options, const weir_connect_format *format, weir_arena *arena,
                         weir_options *out)
{
    size_t before = strlen(format->prefix);
    size_t size = strlen(format->kind->name);
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->keys[i];
        if (strncmp(key, format->prefix, before) == 0 && strncmp(key + before, format->kind->name, size) == 0 &&
            key[before + size] == '.') {
            weir_options_set(out, arena, key + before, options->values[i]);
        }
    }
}

static int find_column(const weir_connector_schema *schema, const char *name)
{
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (strcmp(schema->fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int fail_key_field(const weir_connector_schema *schema, const char *name, weir_error *err)
{
    weir_buffer names = {0};
    for (int32_t i = 0; i < schema->field_count; i++) {
        weir_buffer_append_format(&names, "%s%s", i == 0 ? "" : ", ", schema->fields[i].name);
    }
    int code =
        weir_fail(err, WEIR_INVALID,
                  "Could not find the field '%s' in the table schema for usage in the key format. A key field must "
                  "be a regular, physical column. The following columns can be selected in the 'key.fields' "
                  "option:\n[%s]",
                  name, weir_buffer_text(&names));
    weir_buffer_free(&names);
    return code;
}

static int add_key_field(const weir_connector_schema *schema, const char *name, const char *prefix, weir_arena *arena,
                         weir_kafka_part *key, weir_error *err)
{
    int column = find_column(schema, name);
    if (column < 0) {
        return fail_key_field(schema, name, err);
    }
    if (strncmp(name, prefix, strlen(prefix)) != 0) {
        return weir_fail(
            err, WEIR_INVALID,
            "All fields in 'key.fields' must be prefixed with '%s' when option 'key.fields-prefix' is set but "
            "field '%s' is not prefixed.",
            prefix, name);
    }
    key->columns[key->count] = column;
    key->fields[key->count] = schema->fields[column];
    key->fields[key->count].name = weir_arena_strdup(arena, name + strlen(prefix));
    key->count++;
    return WEIR_OK;
}

static int read_key(weir_kafka_table *table, const weir_connector_schema *schema, const char *prefix, weir_arena *arena,
                    weir_error *err)
{
    const char *list = table->upsert ? NULL : weir_options_get(table->options, "key.fields");
    int32_t count = 0;
    const char *const *names = list == NULL ? NULL : split_list(list, arena, &count);
    if (table->upsert) {
        names = schema->primary_keys;
        count = schema->primary_key_count;
    } else if (table->key.format == NULL && list != NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "The option 'key.fields' can only be declared if a key format is defined using 'key.format'.");
    } else if (table->key.format != NULL && count == 0) {
        return weir_fail(err, WEIR_INVALID,
                         "A key format 'key.format' requires the declaration of one or more of key fields using "
                         "'key.fields'.");
    }
    table->key.columns = WEIR_NEW_ARRAY(arena, int32_t, count + 1);
    table->key.fields = WEIR_NEW_ARRAY(arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(add_key_field(schema, names[i], prefix, arena, &table->key, err));
    }
    return WEIR_OK;
}

static bool is_key_column(const weir_kafka_part *key, int32_t column)
{
    for (int32_t i = 0; i < key->count; i++) {
        if (key->columns[i] == column) {
            return true;
        }
    }
    return false;
}

static int read_value(weir_kafka_table *table, const weir_connector_schema *schema, const char *prefix,
                      const char *include, weir_arena *arena, weir_error *err)
{
    bool all = weir_text_equal_ignore_case(include, "ALL");
    if (all && prefix[0] != '\0') {
        return weir_fail(err, WEIR_INVALID,
                         "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. Set it to "
                         "'EXCEPT_KEY' instead to avoid field overlaps.");
    }
    weir_kafka_part *value = &table->value;
    value->columns = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count + 1);
    value->fields = WEIR_NEW_ARRAY(arena, weir_field, schema->field_count + 1);
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (all || !is_key_column(&table->key, i)) {
            value->columns[value->count] = i;
            value->fields[value->count++] = schema->fields[i];
        }
    }
    return WEIR_OK;
}

static int read_parts(const weir_connect_kind *kind, weir_kafka_table *table, const weir_connector_schema *schema,
                      weir_arena *arena, weir_error *err)
{
    weir_connect_format formats[2];
    size_t count;
    WEIR_TRY(weir_kafka_formats(table->options, formats, &count, err));
    table->value.format = formats[0].kind;
    take_options(table->options, &formats[0], arena, &table->value.options);
    if (count == 2) {
        table->key.format = formats[1].kind;
        take_options(table->options, &formats[1], arena, &table->key.options);
    }
    if (table->key.format != NULL && table->key.format->gives_changes) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'key.format' = '%s': A key format should only deal with INSERT-only "
                         "records.",
                         table->key.format->name);
    }
    const char *prefix = weir_options_get(table->options, "key.fields-prefix");
    prefix = prefix == NULL ? "" : prefix;
    WEIR_TRY(read_key(table, schema, prefix, arena, err));
    return read_value(table, schema, prefix, text_option(kind, table->options, "value.fields-include"), arena, err);
}

/* ---- what the two connectors demand ---- */

static int check_upsert(const weir_kafka_table *table, const weir_connector_schema *schema, weir_error *err)
{
    if (table->key.format == NULL) {
        return fail_missing("key.format", "which says what is in the keys of messages, such as 'json'", err);
    }
    if (table->value.format->gives_changes) {
        return weir_fail(
            err, WEIR_INVALID,
            "option 'value.format': 'upsert-kafka' connector doesn't support '%s' as value format, because "
            "'%s' is not in insert-only mode.",
            table->value.format->name, table->value.format->name);
    }
    if (schema->primary_key_count == 0) {
        return weir_fail(err, WEIR_INVALID,
                         "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies "
                         "which columns should be read from or write to the Kafka message key. The PRIMARY KEY also "
                         "defines records in the 'upsert-kafka' table should update or delete on which keys.");
    }
    return WEIR_OK;
}

static int check_plain(const weir_kafka_table *table, const weir_connector_schema *schema, weir_error *err)
{
    if (schema->primary_key_count == 0 || table->value.format->gives_changes) {
        return WEIR_OK;
    }
    return weir_fail(
        err, WEIR_INVALID,
        "The Kafka table '%s' with '%s' format doesn't support defining PRIMARY KEY constraint on the table, "
        "because it can't guarantee the semantic of primary key.",
        schema->table == NULL ? "" : schema->table, table->value.format->name);
}

static int read_fold(const weir_connect_kind *kind, weir_kafka_table *table, weir_error *err)
{
    static const char rows[] = "sink.buffer-flush.max-rows";
    static const char interval[] = "sink.buffer-flush.interval";
    table->fold_rows = weir_connect_int(kind, table->options, rows);
    table->fold_ms = weir_connect_duration_ms(kind, table->options, interval);
    return (table->fold_rows > 0) == (table->fold_ms > 0)
               ? WEIR_OK
               : weir_fail(err, WEIR_INVALID,
                           "'%s' and '%s' must be set to be greater than zero together to enable sink buffer flushing.",
                           rows, interval);
}

static int read_sink(const weir_connect_kind *kind, weir_kafka_table *table, weir_error *err)
{
    const char *guarantee = text_option(kind, table->options, "sink.delivery-guarantee");
    const char *semantic = weir_options_get(table->options, "sink.semantic"); /* its old name */
    guarantee = semantic == NULL ? guarantee : semantic;
    table->guarantee = weir_text_equal_ignore_case(guarantee, "exactly-once") ? WEIR_KAFKA_EXACTLY_ONCE
                       : weir_text_equal_ignore_case(guarantee, "none")       ? WEIR_KAFKA_NO_GUARANTEE
                                                                              : WEIR_KAFKA_AT_LEAST_ONCE;
    table->transactional_prefix = weir_options_get(table->options, "sink.transactional-id-prefix");
    if (table->guarantee == WEIR_KAFKA_EXACTLY_ONCE && table->transactional_prefix == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE.");
    }
    if (table->upsert) {
        return read_fold(kind, table, err);
    }
    const char *partitioner = text_option(kind, table->options, "sink.partitioner");
    table->first_partition = strcmp(partitioner, "fixed") == 0;
    if (strcmp(partitioner, "round-robin") == 0 && table->key.count > 0) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'sink.partitioner': Currently 'round-robin' partitioner only works when option "
                         "'key.fields' is not specified.");
    }
    return strcmp(partitioner, "default") == 0 || strcmp(partitioner, "round-robin") == 0 || table->first_partition
               ? WEIR_OK
               : weir_fail(
                     err, WEIR_UNSUPPORTED,
                     "option 'sink.partitioner' = '%s': classes of Java can't be used; there are default, fixed and "
                     "round-robin",
                     partitioner);
}

int weir_kafka_table_read(const weir_options *options, const weir_connector_schema *schema, weir_arena *arena,
                          weir_kafka_table *out, weir_error *err)
{
    const weir_connect_kind *kind;
    WEIR_TRY(weir_connector_of(options, &kind, err));
    *out = (weir_kafka_table){.options = options, .upsert = strcmp(kind->name, "upsert-kafka") == 0};
    if (weir_kafka_brokers(options)[0] == '\0') {
        return fail_missing("properties.bootstrap.servers",
                            "which says where the brokers are, such as 'localhost:9092'", err);
    }
    out->group = weir_kafka_property(options, "group.id");
    const char *commits = weir_kafka_property(options, "commit.offsets.on.checkpoint");
    out->commits = out->group != NULL && (commits == NULL || !weir_text_equal_ignore_case(commits, "false"));
    out->discovery_ms = weir_connect_duration_ms(kind, options, "scan.topic-partition-discovery.interval");
    WEIR_TRY(read_topics(out, arena, err));
    WEIR_TRY(read_parts(kind, out, schema, arena, err));
    WEIR_TRY(out->upsert ? check_upsert(out, schema, err) : check_plain(out, schema, err));
    WEIR_TRY(read_reset(out, err));
    WEIR_TRY(read_startup(kind, out, arena, err));
    WEIR_TRY(read_bound(kind, out, arena, err));
    return read_sink(kind, out, err);
}
