/* Messages as rows.
 *
 * A batch of messages is copied into one text for the values and one for the keys, so that formats read many at once.
 * Where the values hold all columns, they are read into the batch itself; otherwise rows of keys, of values and
 * metadata of messages are read apart, and gathered by number. */
#include "connect/kafka/message_rows.h"

#include <stdlib.h>

#include "connect/kafka/metadata.h"
#include "vector/cast.h"

/* Of one half of the messages. */
typedef struct half {
    weir_row_reader *reader; /* NULL: this half is not read */
    weir_buffer text;
    uint32_t *starts;
    uint8_t *is_null;
    int32_t *row_counts;
    size_t start_capacity;
    size_t null_capacity;
    size_t count_capacity;
    weir_batch rows;
    bool has_rows; /* `rows` was made */
} half;

/* Where each row that comes out is from. */
typedef struct origin_list {
    uint32_t *value_rows; /* of a tombstone: NO_ROW */
    uint32_t *key_rows;
    uint32_t *messages;
    size_t value_capacity;
    size_t key_capacity;
    size_t message_capacity;
    int64_t count;
    bool has_tombstones;
} origin_list;

#define NO_ROW UINT32_MAX

struct weir_kafka_message_rows {
    const weir_kafka_library *kafka;
    const weir_kafka_table *table;
    const weir_source_options *options;
    weir_arena arena;
    half key;
    half value;
    weir_field *value_metadata; /* metadata of the value's format, without the prefix "value." */
    int32_t value_metadata_count;
    int32_t *value_place; /* of each metadata column: its place among those; -1: it is Kafka's own */
    bool is_direct;       /* rows of values are those of the table */
    origin_list origins;
    rd_kafka_message_t *const *messages; /* those at hand */
    const char *half_name;               /* of the half at hand, for messages */
};

#define SHOWN_BYTES 60

/* ---- names of messages ---- */

static void append_shortened(const uint8_t *data, size_t size, weir_buffer *out)
{
    size_t shown = size;
    if (shown > SHOWN_BYTES) {
        for (shown = SHOWN_BYTES; shown > 0 && (data[shown] & 0xC0) == 0x80; shown--) {
        }
    }
    for (size_t i = 0; i < shown; i++) {
        weir_buffer_append_byte(out, data[i] < ' ' ? ' ' : data[i]);
    }
    weir_buffer_append_text(out, shown < size ? "…" : "");
}

static void append_name(void *owner, int64_t message, weir_buffer *out)
{
    const weir_kafka_message_rows *self = owner;
    const rd_kafka_message_t *at = self->messages[message];
    bool is_key = self->half_name != NULL;
    weir_buffer_append_format(out, "topic '%s', partition %d, offset %" PRId64 "%s%s, '",
                              self->kafka->topic_name(at->rkt), at->partition, at->offset, is_key ? ", " : "",
                              is_key ? self->half_name : "");
    append_shortened(is_key ? at->key : at->payload, is_key ? at->key_len : at->len, out);
    weir_buffer_append_byte(out, '\'');
}

/* ---- halves ---- */

/* Copies keys or values into one text, a zero after each. */
static void collect(half *self, rd_kafka_message_t *const *messages, int64_t count, bool keys)
{
    size_t items = (size_t)count;
    WEIR_GROW(self->starts, self->start_capacity, items + 1);
    WEIR_GROW(self->is_null, self->null_capacity, items + 1);
    WEIR_GROW(self->row_counts, self->count_capacity, items + 1);
    weir_buffer_clear(&self->text);
    for (size_t i = 0; i < items; i++) {
        const void *data = keys ? messages[i]->key : messages[i]->payload;
        size_t size = data == NULL ? 0 : keys ? messages[i]->key_len : messages[i]->len;
        self->starts[i] = (uint32_t)self->text.size;
        self->is_null[i] = data == NULL;
        weir_buffer_append(&self->text, data, size);
        weir_buffer_append_byte(&self->text, 0);
    }
    self->starts[items] = (uint32_t)self->text.size;
    weir_buffer_append_zeros(&self->text, WEIR_ROW_TEXT_PADDING);
}

static int read_half(weir_kafka_message_rows *self, half *from, int64_t count, bool keys, weir_batch *batch,
                     weir_error *err)
{
    collect(from, self->messages, count, keys);
    const weir_row_messages messages = {.data = from->text.data,
                                        .starts = from->starts,
                                        .is_null = from->is_null,
                                        .count = count,
                                        .row_counts = from->row_counts,
                                        .append_name = append_name,
                                        .owner = self};
    self->half_name = keys ? "its key" : NULL;
    return from->reader->read_messages(from->reader, &messages, batch, err);
}

/* ---- gathering ---- */

static void add_origin(origin_list *origins, uint32_t value_row, uint32_t key_row, uint32_t message)
{
    size_t count = (size_t)origins->count++;
    WEIR_GROW(origins->value_rows, origins->value_capacity, count + 1);
    WEIR_GROW(origins->key_rows, origins->key_capacity, count + 1);
    WEIR_GROW(origins->messages, origins->message_capacity, count + 1);
    origins->value_rows[count] = value_row;
    origins->key_rows[count] = key_row;
    origins->messages[count] = message;
    origins->has_tombstones = origins->has_tombstones || value_row == NO_ROW;
}

/* Each row of a message's value with each of its key; with a key that is not there, none. */
static void list_origins(weir_kafka_message_rows *self, int64_t count)
{
    uint32_t value_row = 0;
    uint32_t key_row = 0;
    self->origins.count = 0;
    self->origins.has_tombstones = false;
    for (int64_t i = 0; i < count; i++) {
        uint32_t values = (uint32_t)self->value.row_counts[i];
        uint32_t keys = self->key.reader == NULL ? 1 : (uint32_t)self->key.row_counts[i];
        bool is_tombstone = self->table->upsert && self->value.is_null[i];
        for (uint32_t v = 0; v < (is_tombstone ? 1 : values); v++) {
            for (uint32_t k = 0; k < keys; k++) {
                add_origin(&self->origins, is_tombstone ? NO_ROW : value_row + v, key_row + k, (uint32_t)i);
            }
        }
        value_row += values;
        key_row += self->key.reader == NULL ? 0 : keys;
    }
}

/* The rows `rows`, of which NO_ROW is a NULL, or what `instead` has under its own rows. */
static int gather(weir_vector *out, const weir_vector *from, const uint32_t *rows, int64_t count,
                  const weir_vector *instead, const uint32_t *instead_rows, weir_error *err)
{
    for (int64_t at = 0; at < count;) {
        int64_t first = at;
        bool is_missing = rows[at] == NO_ROW;
        while (at < count && (rows[at] == NO_ROW) == is_missing) {
            at++;
        }
        if (!is_missing) {
            WEIR_TRY(weir_vector_append_rows(out, from, rows + first, at - first, err));
        } else if (instead != NULL) {
            WEIR_TRY(weir_vector_append_rows(out, instead, instead_rows + first, at - first, err));
        } else {
            WEIR_TRY(weir_vector_append_nulls(out, at - first, err));
        }
    }
    return WEIR_OK;
}

static int32_t place_of(const weir_kafka_part *part, int32_t column)
{
    for (int32_t i = 0; i < part->count; i++) {
        if (part->columns[i] == column) {
            return i;
        }
    }
    return -1;
}

static int gather_columns(weir_kafka_message_rows *self, weir_batch *batch, weir_error *err)
{
    const origin_list *origins = &self->origins;
    for (int32_t i = 0; i < self->options->field_count; i++) {
        int32_t value = place_of(&self->table->value, i);
        int32_t key = self->key.reader == NULL ? -1 : place_of(&self->table->key, i);
        const weir_vector *keys = key < 0 ? NULL : &self->key.rows.columns[key];
        WEIR_TRY(value >= 0 ? gather(&batch->columns[i], &self->value.rows.columns[value], origins->value_rows,
                                     origins->count, keys, origins->key_rows, err)
                            : gather(&batch->columns[i], keys, origins->key_rows, origins->count, NULL, NULL, err));
    }
    return WEIR_OK;
}

/* Kafka's own metadata: one value a message, cast to the column's type, then by row. */
static int gather_own(weir_kafka_message_rows *self, const weir_field *field, int64_t count, weir_vector *out,
                      weir_error *err)
{
    const weir_type *type = weir_kafka_metadata_type(field->name);
    weir_vector native;
    weir_vector cast;
    weir_vector_init(&native, type);
    weir_vector_init(&cast, field->type);
    bool is_same = weir_type_equal(type, field->type, true);
    int code = weir_kafka_metadata_append(self->kafka, field->name, self->messages, count, &native, err);
    if (code == WEIR_OK && !is_same) {
        code = weir_vector_cast(&native, &cast, err);
    }
    if (code == WEIR_OK) {
        code =
            weir_vector_append_rows(out, is_same ? &native : &cast, self->origins.messages, self->origins.count, err);
    }
    weir_vector_free(&native);
    weir_vector_free(&cast);
    return code;
}

static int gather_metadata(weir_kafka_message_rows *self, int64_t count, weir_batch *batch, weir_error *err)
{
    for (int32_t i = 0; i < self->options->metadata_count; i++) {
        weir_vector *out = &batch->columns[self->options->field_count + i];
        int32_t place = self->value_place[i];
        WEIR_TRY(place < 0 ? gather_own(self, &self->options->metadata[i], count, out, err)
                           : gather(out, &self->value.rows.columns[self->table->value.count + place],
                                    self->origins.value_rows, self->origins.count, NULL, NULL, err));
    }
    return WEIR_OK;
}

static void gather_kinds(weir_kafka_message_rows *self, weir_batch *batch)
{
    const origin_list *origins = &self->origins;
    const int8_t *kinds = self->value.rows.kinds;
    if (!self->table->upsert && kinds == NULL) {
        return;
    }
    weir_batch_reserve_kinds(batch, batch->length + origins->count);
    for (int64_t i = 0; i < origins->count; i++) {
        uint32_t row = origins->value_rows[i];
        batch->kinds[batch->length + i] = row == NO_ROW         ? (int8_t)WEIR_DELETE
                                          : self->table->upsert ? (int8_t)WEIR_UPDATE_AFTER
                                                                : kinds[row];
    }
}

int weir_kafka_message_rows_append(weir_kafka_message_rows *self, rd_kafka_message_t *const *messages, int64_t count,
                                   weir_batch *batch, weir_error *err)
{
    self->messages = messages;
    if (self->is_direct) {
        return read_half(self, &self->value, count, false, batch, err);
    }
    weir_batch_clear(&self->value.rows);
    WEIR_TRY(read_half(self, &self->value, count, false, &self->value.rows, err));
    if (self->key.reader != NULL) {
        weir_batch_clear(&self->key.rows);
        WEIR_TRY(read_half(self, &self->key, count, true, &self->key.rows, err));
    }
    list_origins(self, count);
    WEIR_TRY(gather_columns(self, batch, err));
    WEIR_TRY(gather_metadata(self, count, batch, err));
    gather_kinds(self, batch);
    batch->length += self->origins.count;
    return WEIR_OK;
}

/* ---- opening and closing ---- */

static void split_metadata(weir_kafka_message_rows *self)
{
    static const char prefix[] = "value.";
    const weir_source_options *options = self->options;
    self->value_metadata = WEIR_NEW_ARRAY(&self->arena, weir_field, options->metadata_count + 1);
    self->value_place = WEIR_NEW_ARRAY(&self->arena, int32_t, options->metadata_count + 1);
    for (int32_t i = 0; i < options->metadata_count; i++) {
        const weir_field *field = &options->metadata[i];
        bool is_value = strncmp(field->name, prefix, sizeof prefix - 1) == 0;
        self->value_place[i] = is_value ? self->value_metadata_count : -1;
        if (is_value) {
            self->value_metadata[self->value_metadata_count] = *field;
            self->value_metadata[self->value_metadata_count++].name = field->name + sizeof prefix - 1;
        }
    }
}

static int open_half(weir_kafka_message_rows *self, half *into, const weir_kafka_part *part, const weir_row_keys *keys,
                     weir_error *err)
{
    bool is_value = into == &self->value;
    int32_t metadata_count = is_value ? self->value_metadata_count : 0;
    weir_field *fields = WEIR_NEW_ARRAY(&self->arena, weir_field, part->count + metadata_count + 1);
    memcpy(fields, part->fields, (size_t)part->count * sizeof *fields);
    memcpy(fields + part->count, self->value_metadata, (size_t)metadata_count * sizeof *fields);
    weir_batch_init(&into->rows, fields, part->count + metadata_count);
    into->has_rows = true;
    return weir_row_format_open_reader(part->format, &part->options, part->fields, part->count,
                                       is_value ? self->value_metadata : NULL, metadata_count, keys, &into->reader,
                                       err);
}

static int open_halves(weir_kafka_message_rows *self, weir_error *err)
{
    const weir_source_options *options = self->options;
    const weir_row_keys keys = {options->primary_keys, options->primary_key_count, options->whole_changes};
    split_metadata(self);
    WEIR_TRY(open_half(self, &self->value, &self->table->value, &keys, err));
    if (self->table->key.format != NULL) {
        WEIR_TRY(open_half(self, &self->key, &self->table->key, NULL, err));
    }
    self->is_direct = self->table->key.format == NULL && self->value_metadata_count == options->metadata_count;
    return WEIR_OK;
}

int weir_kafka_message_rows_open(const weir_kafka_library *kafka, const weir_kafka_table *table,
                                 const weir_source_options *options, weir_kafka_message_rows **out, weir_error *err)
{
    weir_kafka_message_rows *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    self->kafka = kafka;
    self->table = table;
    self->options = options;
    int code = open_halves(self, err);
    if (code != WEIR_OK) {
        weir_kafka_message_rows_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

static void free_half(half *self)
{
    if (self->reader != NULL) {
        self->reader->close(self->reader);
    }
    if (self->has_rows) {
        weir_batch_free(&self->rows);
    }
    weir_buffer_free(&self->text);
    free(self->starts);
    free(self->is_null);
    free(self->row_counts);
}

void weir_kafka_message_rows_close(weir_kafka_message_rows *self)
{
    if (self == NULL) {
        return;
    }
    free_half(&self->key);
    free_half(&self->value);
    free(self->origins.value_rows);
    free(self->origins.key_rows);
    free(self->origins.messages);
    weir_arena_free(&self->arena);
    free(self);
}
