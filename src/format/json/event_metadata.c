/* What a change event says beside its rows: its METADATA, as Flink's formats name it.
 *
 * Source of truth: DebeziumJsonDecodingFormat, CanalJsonDecodingFormat and MaxwellJsonDecodingFormat of
 * org.apache.flink.formats.json. */
#include "format/json/event.h"

typedef struct metadata_key {
    weir_json_kind kind;
    const char *key;
    int32_t member;    /* of the event: its place among event->names */
    const char *inner; /* of Debezium's "source": the member of it; NULL: the member as it is */
    const weir_type *type;
} metadata_key;

static const weir_type text = {.id = WEIR_VARCHAR, .nullable = true, .precision = WEIR_MAX_LENGTH};
static const weir_type number = {.id = WEIR_INT, .nullable = true};
static const weir_type instant = {.id = WEIR_TIMESTAMP_LTZ, .nullable = true, .precision = 3};
static const weir_type texts = {.id = WEIR_ARRAY, .nullable = true, .element = &text};
static const weir_type texts_by_name = {.id = WEIR_MAP, .nullable = true, .key = &text, .element = &text};
static const weir_type numbers_by_name = {.id = WEIR_MAP, .nullable = true, .key = &text, .element = &number};

static const metadata_key keys[] = {
    {WEIR_JSON_DEBEZIUM, "ingestion-timestamp", WEIR_JSON_DEBEZIUM_TIME, NULL, &instant},
    {WEIR_JSON_DEBEZIUM, "source.timestamp", WEIR_JSON_DEBEZIUM_SOURCE, "ts_ms", &instant},
    {WEIR_JSON_DEBEZIUM, "source.database", WEIR_JSON_DEBEZIUM_SOURCE, "db", &text},
    {WEIR_JSON_DEBEZIUM, "source.schema", WEIR_JSON_DEBEZIUM_SOURCE, "schema", &text},
    {WEIR_JSON_DEBEZIUM, "source.table", WEIR_JSON_DEBEZIUM_SOURCE, "table", &text},
    {WEIR_JSON_DEBEZIUM, "source.properties", WEIR_JSON_DEBEZIUM_SOURCE, NULL, &texts_by_name},
    {WEIR_JSON_CANAL, "database", WEIR_JSON_BINLOG_DATABASE, NULL, &text},
    {WEIR_JSON_CANAL, "table", WEIR_JSON_BINLOG_TABLE, NULL, &text},
    {WEIR_JSON_CANAL, "sql-type", WEIR_JSON_BINLOG_SQL_TYPE, NULL, &numbers_by_name},
    {WEIR_JSON_CANAL, "pk-names", WEIR_JSON_BINLOG_KEY_NAMES, NULL, &texts},
    {WEIR_JSON_CANAL, "ingestion-timestamp", WEIR_JSON_BINLOG_TIME, NULL, &instant},
    {WEIR_JSON_CANAL, "event-timestamp", WEIR_JSON_BINLOG_EVENT_TIME, NULL, &instant},
    {WEIR_JSON_MAXWELL, "database", WEIR_JSON_BINLOG_DATABASE, NULL, &text},
    {WEIR_JSON_MAXWELL, "table", WEIR_JSON_BINLOG_TABLE, NULL, &text},
    {WEIR_JSON_MAXWELL, "primary-key-columns", WEIR_JSON_BINLOG_KEY_COLUMNS, NULL, &texts},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

static const metadata_key *find_key(weir_json_kind kind, const char *key)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if (keys[i].kind == kind && strcmp(keys[i].key, key) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

const weir_type *weir_json_metadata_type(weir_json_kind kind, const char *key)
{
    const metadata_key *found = find_key(kind, key);
    return found == NULL ? NULL : found->type;
}

size_t weir_json_metadata_keys(weir_json_kind kind, const char **out, size_t most)
{
    size_t count = 0;
    for (int i = 0; i < KEY_COUNT && count < most; i++) {
        if (keys[i].kind == kind) {
            out[count++] = keys[i].key;
        }
    }
    return count;
}

/* The member of "source" with this name. The object was taken before, so that it is JSON. */
static weir_json_span find_inner(const uint8_t *base, weir_json_span source, const char *name)
{
    weir_json_span found = {.offset = source.offset, .token = WEIR_JSON_MISSING};
    weir_json_cursor cursor = weir_json_cursor_of(base, source);
    if (source.token != WEIR_JSON_OBJECT) {
        return found;
    }
    for (bool more = weir_json_enter(&cursor, '}'); more; more = weir_json_next(&cursor, '}')) {
        weir_json_span member;
        weir_json_span value;
        if (!weir_json_take_name(&cursor, &member) || !weir_json_take_value(&cursor, &value)) {
            return found;
        }
        if (member.size == strlen(name) && memcmp(base + member.offset, name, member.size) == 0) {
            found = value;
        }
    }
    return found;
}

void weir_json_events_fill_metadata(const weir_json_events *events, const uint8_t *base, weir_json_rows *rows,
                                    int64_t first)
{
    const weir_json_read_options *options = events->options;
    int32_t place = rows->width - options->metadata_count;
    for (int32_t i = 0; i < options->metadata_count; i++) {
        const metadata_key *key = find_key(options->kind, options->metadata[i].name);
        weir_json_span span = events->members[key->member];
        if (key->inner != NULL) {
            span = find_inner(base, span, key->inner);
        }
        if (span.token == WEIR_JSON_MISSING) {
            span.token = WEIR_JSON_NULL;
        }
        for (int64_t row = first; row < rows->count; row++) {
            rows->spans[row * rows->width + place + i] = span;
        }
    }
}
