/* The schema in Debezium's envelope: how the values of which column are encoded.
 *
 * It is Kafka Connect's: {"fields": [{"field": "after", "fields": [{"field": "price", "type": "bytes", "name":
 * "org.apache.kafka.connect.data.Decimal", "parameters": {"scale": "2"}}, …]}, …]}. */
#include "base/json.h"
#include "base/text.h"
#include "format/json/event.h"

typedef struct logical_type {
    const char *name;
    weir_json_encoding encoding;
} logical_type;

static const logical_type logical_types[] = {
    {"org.apache.kafka.connect.data.Decimal", WEIR_JSON_DECIMAL_BYTES},
    {"org.apache.kafka.connect.data.Date", WEIR_JSON_EPOCH_DAYS},
    {"org.apache.kafka.connect.data.Time", WEIR_JSON_EPOCH_MILLIS},
    {"org.apache.kafka.connect.data.Timestamp", WEIR_JSON_EPOCH_MILLIS},
    {"io.debezium.data.VariableScaleDecimal", WEIR_JSON_DECIMAL_VARIABLE},
    {"io.debezium.time.Date", WEIR_JSON_EPOCH_DAYS},
    {"io.debezium.time.Time", WEIR_JSON_EPOCH_MILLIS},
    {"io.debezium.time.MicroTime", WEIR_JSON_EPOCH_MICROS},
    {"io.debezium.time.NanoTime", WEIR_JSON_EPOCH_NANOS},
    {"io.debezium.time.Timestamp", WEIR_JSON_EPOCH_MILLIS},
    {"io.debezium.time.MicroTimestamp", WEIR_JSON_EPOCH_MICROS},
    {"io.debezium.time.NanoTimestamp", WEIR_JSON_EPOCH_NANOS},
    {"io.debezium.time.ZonedTimestamp", WEIR_JSON_ZONED_TEXT},
    {"io.debezium.time.ZonedTime", WEIR_JSON_ZONED_TEXT},
};

/* The element of an array of fields with this name, or NULL. */
static const json_t *find_field(const json_t *fields, const char *name)
{
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        const char *found = json_string_value(json_object_get(field, "field"));
        if (found != NULL && strcmp(found, name) == 0) {
            return field;
        }
    }
    return NULL;
}

static void set_encoding(weir_json_column *column, const json_t *field)
{
    column->encoding = WEIR_JSON_PLAIN;
    column->encoding_scale = 0;
    const char *name = json_string_value(json_object_get(field, "name"));
    for (size_t i = 0; name != NULL && i < sizeof logical_types / sizeof *logical_types; i++) {
        if (strcmp(name, logical_types[i].name) == 0) {
            column->encoding = logical_types[i].encoding;
        }
    }
    const char *scale = json_string_value(json_object_get(json_object_get(field, "parameters"), "scale"));
    int64_t number;
    if (scale != NULL && weir_parse_int64(weir_slice_text(scale), &number) && number == (int32_t)number) {
        column->encoding_scale = (int32_t)number;
    }
}

int weir_json_apply_schema(weir_json_events *events, const uint8_t *base, const char *path, weir_json_column *columns,
                           int32_t column_count, weir_error *err)
{
    weir_slice text = weir_slice_of(base + events->new_schema.offset, events->new_schema.size);
    json_t *schema = NULL;
    if (events->new_schema.token == WEIR_JSON_OBJECT) {
        WEIR_TRY(weir_json_parse(text, path, &schema, err));
    }
    const json_t *images = json_object_get(schema, "fields");
    const json_t *image = find_field(images, "after");
    const json_t *fields = json_object_get(image == NULL ? find_field(images, "before") : image, "fields");
    for (int32_t i = 0; i < column_count; i++) {
        set_encoding(&columns[i], find_field(fields, columns[i].name));
    }
    json_decref(schema);
    weir_buffer_clear(&events->schema);
    weir_buffer_append(&events->schema, text.data, text.size);
    events->new_schema = (weir_json_span){0};
    return WEIR_OK;
}
