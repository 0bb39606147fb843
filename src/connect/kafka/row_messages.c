/* Rows as messages. In upsert-kafka a row that goes is a message with its key and no value, and -U is nothing. */
#include "connect/kafka/row_messages.h"

#include <stdlib.h>

#include "format/name_pattern.h"
#include "vector/time_text.h"

enum { HAS_KEY = 1, HAS_VALUE = 2, HAS_TIME = 4, HAS_HEADERS = 8, HAS_TOPIC = 16 };

struct weir_kafka_row_messages {
    const weir_kafka_table *table;
    weir_sink_options options;
    int32_t time_column; /* among those of batches; -1: none says when messages were made */
    int32_t header_column;
    int32_t topic_column;       /* -1: there is one topic */
    weir_name_pattern *pattern; /* that topics have to match; NULL: they are listed */
    weir_buffer last_topic;     /* that may be written */
    weir_row_writer *key;       /* NULL: messages have no key */
    weir_row_writer *value;
    weir_vector *key_columns; /* borrowed from the batch at hand */
    weir_vector *value_columns;
};

static int32_t place_of(const weir_sink_options *options, int32_t column)
{
    return options->places == NULL ? column : options->places[column];
}

static int32_t find_metadata(const weir_sink_options *options, const char *key)
{
    for (int32_t i = 0; i < options->metadata_count; i++) {
        if (strcmp(options->metadata[i].name, key) == 0) {
            return place_of(options, options->field_count + i);
        }
    }
    return -1;
}

static int open_topics(weir_kafka_row_messages *self, weir_error *err)
{
    const weir_kafka_table *table = self->table;
    if (table->topic_count != 1 && self->topic_column < 0) {
        return weir_fail(err, WEIR_INVALID,
                         "option '%s': into which topic a row goes is said by a column, which this table lacks: add "
                         "`topic` STRING METADATA, or name one topic with 'topic'",
                         table->topic_pattern != NULL ? "topic-pattern" : "topic");
    }
    return table->topic_pattern == NULL
               ? WEIR_OK
               : weir_name_pattern_compile(table->topic_pattern, "topic-pattern", &self->pattern, err);
}

int weir_kafka_row_messages_open(const weir_kafka_table *table, const weir_sink_options *options,
                                 weir_kafka_row_messages **out, weir_error *err)
{
    weir_kafka_row_messages *self = weir_alloc_zeroed(1, sizeof *self);
    const weir_kafka_part *key = &table->key;
    const weir_kafka_part *value = &table->value;
    self->table = table;
    self->options = *options;
    self->time_column = find_metadata(options, "timestamp");
    self->header_column = find_metadata(options, "headers");
    self->topic_column = table->topic_count == 1 ? -1 : find_metadata(options, "topic");
    self->key_columns = weir_alloc_zeroed((size_t)key->count + 1, sizeof *self->key_columns);
    self->value_columns = weir_alloc_zeroed((size_t)value->count + 1, sizeof *self->value_columns);
    int code = open_topics(self, err);
    if (code == WEIR_OK) {
        code =
            weir_row_format_open_writer(value->format, &value->options, value->fields, value->count, &self->value, err);
    }
    if (code == WEIR_OK && key->format != NULL) {
        code = weir_row_format_open_writer(key->format, &key->options, key->fields, key->count, &self->key, err);
    }
    if (code != WEIR_OK) {
        weir_kafka_row_messages_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_kafka_row_messages_close(weir_kafka_row_messages *self)
{
    if (self == NULL) {
        return;
    }
    if (self->key != NULL) {
        self->key->close(self->key);
    }
    if (self->value != NULL) {
        self->value->close(self->value);
    }
    weir_name_pattern_free(self->pattern);
    weir_buffer_free(&self->last_topic);
    free(self->key_columns);
    free(self->value_columns);
    free(self);
}

bool weir_kafka_row_messages_take_changes(const weir_kafka_row_messages *self)
{
    return self->table->upsert || self->value->takes_changes;
}

/* The columns of one half of the messages, as a batch of its own. */
static weir_batch half_of(const weir_sink_options *options, const weir_kafka_part *part, const weir_batch *batch,
                          weir_vector *columns)
{
    for (int32_t i = 0; i < part->count; i++) {
        columns[i] = batch->columns[place_of(options, part->columns[i])];
    }
    return (weir_batch){
        .length = batch->length, .columns = columns, .column_count = part->count, .kinds = batch->kinds};
}

/* One half of a message, without the line end that writers put behind each row. */
static int append_half(weir_row_writer *writer, const weir_batch *half, int64_t row, weir_buffer *out, weir_error *err)
{
    size_t start = out->size;
    weir_buffer_append_zeros(out, 4);
    WEIR_TRY(writer->write(writer, half, row, 1, out, err));
    out->size--;
    weir_store_le32(out->data + start, (uint32_t)(out->size - start - 4));
    return WEIR_OK;
}

static bool is_there(const weir_row_writer *writer, const weir_batch *half, int64_t row)
{
    return !writer->null_is_no_message || !weir_vector_is_null(&half->columns[0], row);
}

static int64_t millis_at(const weir_vector *vector, int64_t row)
{
    return vector->layout == WEIR_LAYOUT_128
               ? WEIR_VALUES(vector, weir_timestamp_nanos)[row].millis
               : weir_timestamp_widen(WEIR_VALUES(vector, int64_t)[row], vector->type->precision).millis;
}

static void append_headers(const weir_vector *map, int64_t row, weir_buffer *out)
{
    int32_t first = map->offsets[row];
    int32_t end = map->offsets[row + 1];
    weir_put_u32(out, (uint32_t)(end - first));
    for (int32_t i = first; i < end; i++) {
        bool is_null = weir_vector_is_null(&map->children[1], i);
        weir_put_slice(out, weir_vector_bytes(&map->children[0], i));
        weir_put_u8(out, !is_null);
        weir_put_slice(out, is_null ? (weir_slice){0} : weir_vector_bytes(&map->children[1], i));
    }
}

/* The column of metadata, where this row has a value in it; NULL: it has not. */
static const weir_vector *metadata_at(const weir_batch *batch, int32_t column, int64_t row)
{
    return column < 0 || weir_vector_is_null(&batch->columns[column], row) ? NULL : &batch->columns[column];
}

static int fail_topic(const weir_kafka_table *table, weir_slice topic, weir_error *err)
{
    weir_buffer wanted = {0};
    for (int32_t i = 0; i < table->topic_count; i++) {
        weir_buffer_append_format(&wanted, "%s%s", i == 0 ? "be in: [" : ", ", table->topics[i]);
    }
    int code =
        weir_fail(err, WEIR_INVALID, "The topic of the sink record is not valid. Expected topic to %s%s but was: %.*s",
                  table->topic_pattern != NULL ? "match: " : weir_buffer_text(&wanted),
                  table->topic_pattern != NULL ? table->topic_pattern : "]", (int)topic.size, (const char *)topic.data);
    weir_buffer_free(&wanted);
    return code;
}

static bool is_target(const weir_kafka_row_messages *self, weir_slice topic)
{
    const weir_kafka_table *table = self->table;
    bool found = self->pattern != NULL && weir_name_pattern_matches(self->pattern, topic);
    for (int32_t i = 0; i < table->topic_count && !found; i++) {
        found = weir_slice_equal(topic, weir_slice_text(table->topics[i]));
    }
    return found;
}

/* The topic that the row names, which has to be one of the table's. */
static int append_topic(weir_kafka_row_messages *self, const weir_vector *topics, int64_t row, weir_buffer *out,
                        weir_error *err)
{
    if (topics == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "The topic of the sink record is not valid. Expected a single topic but no topic is set.");
    }
    weir_slice topic = weir_vector_bytes(topics, row);
    if (self->last_topic.size == 0 || !weir_slice_equal(topic, weir_buffer_slice(&self->last_topic))) {
        if (!is_target(self, topic)) {
            return fail_topic(self->table, topic, err);
        }
        weir_buffer_clear(&self->last_topic);
        weir_buffer_append(&self->last_topic, topic.data, topic.size);
    }
    weir_put_slice(out, topic);
    return WEIR_OK;
}

static int append_row(weir_kafka_row_messages *self, const weir_batch *batch, const weir_batch *keys,
                      const weir_batch *values, int64_t row, weir_buffer *out, weir_error *err)
{
    const weir_vector *times = metadata_at(batch, self->time_column, row);
    const weir_vector *headers = metadata_at(batch, self->header_column, row);
    bool goes = self->table->upsert && weir_row_kind_is_retract(weir_batch_kind(values, row));
    bool has_key = self->key != NULL && is_there(self->key, keys, row);
    bool has_value = !goes && is_there(self->value, values, row);
    weir_buffer_append_byte(out, (uint8_t)((has_key ? HAS_KEY : 0) | (has_value ? HAS_VALUE : 0) |
                                           (times != NULL ? HAS_TIME : 0) | (headers != NULL ? HAS_HEADERS : 0) |
                                           (self->topic_column >= 0 ? HAS_TOPIC : 0)));
    if (has_key) {
        WEIR_TRY(append_half(self->key, keys, row, out, err));
    }
    if (has_value) {
        WEIR_TRY(append_half(self->value, values, row, out, err));
    }
    if (times != NULL) {
        weir_put_u64(out, (uint64_t)millis_at(times, row));
    }
    if (headers != NULL) {
        append_headers(headers, row, out);
    }
    return self->topic_column < 0 ? WEIR_OK
                                  : append_topic(self, metadata_at(batch, self->topic_column, row), row, out, err);
}

int weir_kafka_row_messages_append(weir_kafka_row_messages *self, const weir_batch *batch, weir_buffer *out,
                                   weir_error *err)
{
    const weir_batch keys = half_of(&self->options, &self->table->key, batch, self->key_columns);
    const weir_batch values = half_of(&self->options, &self->table->value, batch, self->value_columns);
    for (int64_t row = 0; row < batch->length; row++) {
        if (self->table->upsert && weir_batch_kind(batch, row) == WEIR_UPDATE_BEFORE) {
            continue;
        }
        WEIR_TRY(append_row(self, batch, &keys, &values, row, out, err));
    }
    return WEIR_OK;
}

weir_kafka_outgoing weir_kafka_take_outgoing(weir_byte_reader *reader)
{
    weir_kafka_outgoing message = {0};
    uint8_t flags = weir_take_u8(reader);
    if (flags & HAS_KEY) {
        message.key = weir_take_slice(reader);
    }
    if (flags & HAS_VALUE) {
        message.value = weir_take_slice(reader);
    }
    if (flags & HAS_TIME) {
        message.time_ms = weir_take_i64(reader);
    }
    if (flags & HAS_HEADERS) {
        message.header_count = weir_take_count(reader, 9);
        message.headers = reader->left;
        for (uint32_t i = 0; i < message.header_count; i++) {
            (void)weir_kafka_take_header(reader);
        }
    }
    if (flags & HAS_TOPIC) {
        message.topic = weir_take_slice(reader);
    }
    return message;
}

weir_kafka_header weir_kafka_take_header(weir_byte_reader *reader)
{
    weir_kafka_header header = {.name = weir_take_slice(reader)};
    bool is_there = weir_take_u8(reader) != 0;
    weir_slice value = weir_take_slice(reader);
    if (is_there) {
        header.value = value;
    }
    return header;
}
