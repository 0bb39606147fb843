/* Before a sink that keeps one row a key, where rows of several keys of the query may meet on one key of the sink: all
 * of them are kept in the order of their arrival, and the sink holds the last one. When it goes, the one before it
 * comes back; when none is left, the sink's row is deleted. What goes out is a changelog of the sink's rows, for sinks
 * that keep it.
 *
 * State, by key of the sink: | size of a row: 4 | row by row_codec.h | again, the oldest first. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/keyed_rows.h"
#include "stream/operator/operators.h"

typedef struct materialize {
    weir_operator base;
    weir_keyed_rows rows;
    weir_buffer before;
    weir_batch result;
} materialize;

static int add(materialize *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    uint8_t *bytes;
    size_t size = weir_value_state_get(self->rows.state, slot).size;
    WEIR_TRY(weir_value_state_edit(self->rows.state, slot, size + sizeof(uint32_t) + row.size, &bytes, err));
    weir_store_le32(bytes + size, (uint32_t)row.size);
    memcpy(bytes + size + sizeof(uint32_t), row.data, row.size);
    return WEIR_OK;
}

/* Where an equal row begins in the list. */
static bool find(weir_slice list, weir_slice row, size_t *out_at)
{
    for (size_t at = 0; at + sizeof(uint32_t) <= list.size;) {
        size_t size = weir_load_le32(list.data + at);
        if (weir_slice_equal(weir_slice_of(list.data + at + sizeof(uint32_t), size), row)) {
            *out_at = at;
            return true;
        }
        at += sizeof(uint32_t) + size;
    }
    return false;
}

static int take_out(materialize *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    size_t at;
    uint8_t *bytes;
    weir_slice list = weir_value_state_get(self->rows.state, slot);
    size_t entry = sizeof(uint32_t) + row.size;
    if (!find(list, row, &at)) {
        return WEIR_OK;
    }
    if (list.size == entry) {
        weir_value_state_remove(self->rows.state, slot);
        return WEIR_OK;
    }
    size_t rest = list.size - at - entry;
    WEIR_TRY(weir_value_state_edit(self->rows.state, slot, list.size, &bytes, err));
    memmove(bytes + at, bytes + at + entry, rest);
    return weir_value_state_edit(self->rows.state, slot, at + rest, &bytes, err);
}

/* --- What the sink holds --------------------------------------------------------------------------------------- */

/* The last row of the list; without bytes where there is none. */
static weir_slice held_row(const materialize *self, weir_state_slot slot)
{
    weir_slice list = weir_value_state_get(self->rows.state, slot);
    weir_slice last = {0};
    for (size_t at = 0; at + sizeof(uint32_t) <= list.size;) {
        last = weir_slice_of(list.data + at + sizeof(uint32_t), weir_load_le32(list.data + at));
        at += sizeof(uint32_t) + last.size;
    }
    return last;
}

static void note_held(materialize *self, weir_state_slot slot)
{
    weir_slice row = held_row(self, slot);
    weir_buffer_clear(&self->before);
    weir_buffer_append(&self->before, row.data, row.size);
}

/* Gives out how what the sink holds has changed since note_held(). */
static int give_change(materialize *self, weir_state_slot slot, weir_error *err)
{
    weir_slice before = weir_buffer_slice(&self->before);
    weir_slice now = held_row(self, slot);
    if (weir_slice_equal(before, now)) {
        return WEIR_OK;
    }
    if (before.size > 0) {
        int8_t kind = now.size > 0 ? WEIR_UPDATE_BEFORE : WEIR_DELETE;
        WEIR_TRY(weir_batch_append_encoded(&self->result, before, kind, err));
    }
    if (now.size > 0) {
        int8_t kind = before.size > 0 ? WEIR_UPDATE_AFTER : WEIR_INSERT;
        WEIR_TRY(weir_batch_append_encoded(&self->result, now, kind, err));
    }
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    materialize *self = (materialize *)base;
    bool is_second_half = false;
    (void)input;
    WEIR_TRY(weir_keyed_rows_take(&self->rows, batch, err));
    weir_batch_clear(&self->result);
    for (int64_t i = 0; i < batch->length; i++) {
        weir_state_slot slot = self->rows.slots[i];
        weir_slice row = weir_keyed_row(&self->rows, i);
        bool goes = weir_row_kind_is_retract(weir_batch_kind(batch, i));
        if (!is_second_half) {
            note_held(self, slot);
        }
        WEIR_TRY(goes ? take_out(self, slot, row, err) : add(self, slot, row, err));
        is_second_half = weir_keyed_rows_is_first_half(&self->rows, batch, i);
        if (!is_second_half) {
            WEIR_TRY(give_change(self, slot, err));
        }
    }
    return weir_output_send(base, &self->result, err);
}

static void close_materialize(weir_operator *base)
{
    materialize *self = (materialize *)base;
    weir_keyed_rows_free(&self->rows);
    weir_buffer_free(&self->before);
    weir_batch_free(&self->result);
    free(self);
}

int weir_upsert_materialize_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                            const int32_t *key, int32_t key_count, weir_operator **out, weir_error *err)
{
    materialize *self = weir_alloc_zeroed(1, sizeof *self);
    const weir_state_options options = {.uid = node->uid, .name = "sink", .ttl_ms = context->state_ttl_ms};
    self->base.process = process;
    self->base.close = close_materialize;
    weir_operator_init(&self->base, "SinkUpsertMaterializer", 1);
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    int code = weir_keyed_rows_open(&self->rows, context->state, &options, key, key_count, err);
    return weir_operator_created(&self->base, code, out);
}
