/* Rows as messages. In upsert-kafka a row that goes is a message with its key and no value, and -U is nothing. */
#include "connect/kafka/row_messages.h"

#include <stdlib.h>

#include "vector/time_text.h"

enum { HAS_KEY = 1, HAS_VALUE = 2, HAS_TIME = 4, HAS_HEADERS = 8 };

struct weir_kafka_row_messages {
    const weir_kafka_table *table;
    weir_sink_options options;
    int32_t time_column; /* among those of batches; -1: none says when messages were made */
    int32_t header_column;
    weir_row_writer *key; /* NULL: messages have no key */
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
    self->key_columns = weir_alloc_zeroed((size_t)key->count + 1, sizeof *self->key_columns);
    self->value_columns = weir_alloc_zeroed((size_t)value->count + 1, sizeof *self->value_columns);
    int code =
        weir_row_format_open_writer(value->format, &value->options, value->fields, value->count, &self->value, err);
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

static int append_row(weir_kafka_row_messages *self, const weir_batch *batch, const weir_batch *keys,
                      const weir_batch *values, int64_t row, weir_buffer *out, weir_error *err)
{
    const weir_vector *times = metadata_at(batch, self->time_column, row);
    const weir_vector *headers = metadata_at(batch, self->header_column, row);
    bool goes = self->table->upsert && weir_row_kind_is_retract(weir_batch_kind(values, row));
    bool has_key = self->key != NULL && is_there(self->key, keys, row);
    bool has_value = !goes && is_there(self->value, values, row);
    weir_buffer_append_byte(out, (uint8_t)((has_key ? HAS_KEY : 0) | (has_value ? HAS_VALUE : 0) |
                                           (times != NULL ? HAS_TIME : 0) | (headers != NULL ? HAS_HEADERS : 0)));
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
    return WEIR_OK;
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
