/* Rows as messages. In upsert-kafka a row that goes is a message with its key and no value, and -U is nothing. */
#include "connect/kafka/row_messages.h"

#include <stdlib.h>

enum { HAS_KEY = 1, HAS_VALUE = 2 };

struct weir_kafka_row_messages {
    const weir_kafka_table *table;
    weir_row_writer *key; /* NULL: messages have no key */
    weir_row_writer *value;
    weir_vector *key_columns; /* borrowed from the batch at hand */
    weir_vector *value_columns;
};

int weir_kafka_row_messages_open(const weir_kafka_table *table, weir_kafka_row_messages **out, weir_error *err)
{
    weir_kafka_row_messages *self = weir_alloc_zeroed(1, sizeof *self);
    const weir_kafka_part *key = &table->key;
    const weir_kafka_part *value = &table->value;
    self->table = table;
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
static weir_batch half_of(const weir_kafka_part *part, const weir_batch *batch, weir_vector *columns)
{
    for (int32_t i = 0; i < part->count; i++) {
        columns[i] = batch->columns[part->columns[i]];
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

static int append_row(weir_kafka_row_messages *self, const weir_batch *keys, const weir_batch *values, int64_t row,
                      weir_buffer *out, weir_error *err)
{
    bool goes = self->table->upsert && weir_row_kind_is_retract(weir_batch_kind(values, row));
    bool has_key = self->key != NULL && is_there(self->key, keys, row);
    bool has_value = !goes && is_there(self->value, values, row);
    weir_buffer_append_byte(out, (uint8_t)((has_key ? HAS_KEY : 0) | (has_value ? HAS_VALUE : 0)));
    if (has_key) {
        WEIR_TRY(append_half(self->key, keys, row, out, err));
    }
    return has_value ? append_half(self->value, values, row, out, err) : WEIR_OK;
}

int weir_kafka_row_messages_append(weir_kafka_row_messages *self, const weir_batch *batch, weir_buffer *out,
                                   weir_error *err)
{
    const weir_batch keys = half_of(&self->table->key, batch, self->key_columns);
    const weir_batch values = half_of(&self->table->value, batch, self->value_columns);
    for (int64_t row = 0; row < batch->length; row++) {
        if (self->table->upsert && weir_batch_kind(batch, row) == WEIR_UPDATE_BEFORE) {
            continue;
        }
        WEIR_TRY(append_row(self, &keys, &values, row, out, err));
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
    return message;
}
