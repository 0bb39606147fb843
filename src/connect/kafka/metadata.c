/* METADATA of Kafka tables, with Flink's keys and types.
 *
 * Source of truth: KafkaDynamicSource.ReadableMetadata of org.apache.flink.streaming.connectors.kafka.table. */
#include "connect/kafka/metadata.h"

enum { TOPIC, PARTITION, HEADERS, LEADER_EPOCH, OFFSET, TIMESTAMP, TIMESTAMP_TYPE };

const char *const weir_kafka_metadata_keys[] = {"topic",  "partition", "headers",        "leader-epoch",
                                                "offset", "timestamp", "timestamp-type", NULL};

static const weir_type text = {.id = WEIR_VARCHAR, .precision = WEIR_MAX_LENGTH};
static const weir_type bytes = {.id = WEIR_VARBINARY, .nullable = true, .precision = WEIR_MAX_LENGTH};

static const weir_type types[] = {
    [TOPIC] = {.id = WEIR_VARCHAR, .precision = WEIR_MAX_LENGTH},
    [PARTITION] = {.id = WEIR_INT},
    [HEADERS] = {.id = WEIR_MAP, .key = &text, .element = &bytes},
    [LEADER_EPOCH] = {.id = WEIR_INT, .nullable = true},
    [OFFSET] = {.id = WEIR_BIGINT},
    [TIMESTAMP] = {.id = WEIR_TIMESTAMP_LTZ, .precision = 3},
    [TIMESTAMP_TYPE] = {.id = WEIR_VARCHAR, .precision = WEIR_MAX_LENGTH},
};

static int find_key(const char *key)
{
    for (int i = 0; weir_kafka_metadata_keys[i] != NULL; i++) {
        if (strcmp(weir_kafka_metadata_keys[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

const weir_type *weir_kafka_metadata_type(const char *key)
{
    int found = find_key(key);
    return found < 0 ? NULL : &types[found];
}

bool weir_kafka_metadata_is_written(const char *key)
{
    int found = find_key(key);
    return found == TIMESTAMP || found == HEADERS || found == TOPIC;
}

static int append_text(const char *value, weir_vector *out, weir_error *err)
{
    return weir_vector_append_raw(out, value, strlen(value), err);
}

/* A map has each key once: of headers of one name the last one counts. */
static bool comes_again(const weir_kafka_library *kafka, const rd_kafka_headers_t *headers, size_t index,
                        const char *name)
{
    const char *other;
    const void *value;
    size_t size;
    while (kafka->header_get_all(headers, ++index, &other, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

static int append_headers(const weir_kafka_library *kafka, const rd_kafka_message_t *message, weir_vector *out,
                          weir_error *err)
{
    rd_kafka_headers_t *headers = NULL;
    const char *name;
    const void *value;
    size_t size;
    if (kafka->message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return weir_vector_append_list(out, err);
    }
    for (size_t i = 0; kafka->header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
        if (comes_again(kafka, headers, i, name)) {
            continue;
        }
        WEIR_TRY(append_text(name, &out->children[0], err));
        WEIR_TRY(value == NULL ? weir_vector_append_nulls(&out->children[1], 1, err)
                               : weir_vector_append_raw(&out->children[1], value, size, err));
    }
    return weir_vector_append_list(out, err);
}

static int append_leader_epoch(const weir_kafka_library *kafka, const rd_kafka_message_t *message, weir_vector *out,
                               weir_error *err)
{
    int32_t epoch = kafka->message_leader_epoch == NULL ? -1 : kafka->message_leader_epoch(message);
    return epoch < 0 ? weir_vector_append_nulls(out, 1, err) : weir_vector_append_raw(out, &epoch, sizeof epoch, err);
}

static const char *timestamp_type_text(rd_kafka_timestamp_type_t type)
{
    return type == RD_KAFKA_TIMESTAMP_CREATE_TIME       ? "CreateTime"
           : type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? "LogAppendTime"
                                                        : "NoTimestampType";
}

static int append_value(const weir_kafka_library *kafka, int key, const rd_kafka_message_t *message, weir_vector *out,
                        weir_error *err)
{
    rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    int64_t time_ms;
    switch (key) {
    case TOPIC:
        return append_text(kafka->topic_name(message->rkt), out, err);
    case PARTITION:
        return weir_vector_append_raw(out, &message->partition, sizeof message->partition, err);
    case HEADERS:
        return append_headers(kafka, message, out, err);
    case LEADER_EPOCH:
        return append_leader_epoch(kafka, message, out, err);
    case OFFSET:
        return weir_vector_append_raw(out, &message->offset, sizeof message->offset, err);
    case TIMESTAMP:
        time_ms = kafka->message_timestamp(message, &type);
        return weir_vector_append_raw(out, &time_ms, sizeof time_ms, err);
    default:
        (void)kafka->message_timestamp(message, &type);
        return append_text(timestamp_type_text(type), out, err);
    }
}

int weir_kafka_metadata_append(const weir_kafka_library *kafka, const char *key, rd_kafka_message_t *const *messages,
                               int64_t count, weir_vector *out, weir_error *err)
{
    int found = find_key(key);
    for (int64_t i = 0; i < count; i++) {
        WEIR_TRY(append_value(kafka, found, messages[i], out, err));
    }
    return WEIR_OK;
}
