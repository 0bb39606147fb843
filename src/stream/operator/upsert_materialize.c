/* Before a sink that keeps one row a key, where rows of several keys of the query may meet on one key of the sink: all
 * of them are kept in the order of their arrival, and the sink holds the last one. When it goes, the one before it
 * comes back; when none is left, the sink's row is deleted.
 *
 * State, by key of the sink: | size of a row: 4 | row by row_codec.h | again, the oldest first. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/keyed_rows.h"
#include "stream/operator/operators.h"

typedef struct materialize {
    weir_operator base;
    weir_value_state *state;
    int32_t *key;
    int32_t key_count;
    weir_keyed_rows rows;
    weir_buffer last;
    weir_batch result;
} materialize;

static int add(materialize *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    uint8_t *bytes;
    size_t size = weir_value_state_get(self->state, slot).size;
    WEIR_TRY(weir_value_state_edit(self->state, slot, size + sizeof(uint32_t) + row.size, &bytes, err));
    weir_store_le32(bytes + size, (uint32_t)row.size);
    memcpy(bytes + size + sizeof(uint32_t), row.data, row.size);
    return WEIR_OK;
}

/* Where an equal row begins in the list, and where the row before it does. */
static bool find(weir_slice list, weir_slice row, size_t *out_at, size_t *out_before)
{
    size_t before = 0;
    for (size_t at = 0; at + sizeof(uint32_t) <= list.size;) {
        size_t size = weir_load_le32(list.data + at);
        if (weir_slice_equal(weir_slice_of(list.data + at + sizeof(uint32_t), size), row)) {
            *out_at = at;
            *out_before = before;
            return true;
        }
        before = at;
        at += sizeof(uint32_t) + size;
    }
    return false;
}

/* Takes a row out of the list; the row that is last then, if another one was, is *out_last. */
static int take_out(materialize *self, weir_state_slot slot, weir_slice row, bool *out_found, weir_buffer *out_last,
                    weir_error *err)
{
    size_t at, before;
    uint8_t *bytes;
    weir_slice list = weir_value_state_get(self->state, slot);
    size_t entry = sizeof(uint32_t) + row.size;
    weir_buffer_clear(out_last);
    *out_found = find(list, row, &at, &before);
    if (!*out_found) {
        return WEIR_OK;
    }
    if (list.size == entry) {
        weir_value_state_remove(self->state, slot);
        return WEIR_OK;
    }
    size_t rest = list.size - at - entry;
    if (rest == 0) {
        weir_buffer_append(out_last, list.data + before + sizeof(uint32_t), at - before - sizeof(uint32_t));
    }
    WEIR_TRY(weir_value_state_edit(self->state, slot, list.size, &bytes, err));
    memmove(bytes + at, bytes + at + entry, rest);
    return weir_value_state_edit(self->state, slot, at + rest, &bytes, err);
}

static int take_insert(materialize *self, weir_state_slot slot, weir_slice row, bool replaces, weir_error *err)
{
    bool is_first = weir_value_state_get(self->state, slot).size == 0 && !replaces;
    WEIR_TRY(add(self, slot, row, err));
    return weir_batch_append_encoded(&self->result, row, is_first ? WEIR_INSERT : WEIR_UPDATE_AFTER, err);
}

static int take_delete(materialize *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    bool found;
    WEIR_TRY(take_out(self, slot, row, &found, &self->last, err));
    if (found && self->last.size > 0) {
        return weir_batch_append_encoded(&self->result, weir_buffer_slice(&self->last), WEIR_UPDATE_AFTER, err);
    }
    bool is_gone = found && weir_value_state_get(self->state, slot).size == 0;
    return is_gone ? weir_batch_append_encoded(&self->result, row, WEIR_DELETE, err) : WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    materialize *self = (materialize *)base;
    bool replaces = false;
    (void)input;
    WEIR_TRY(weir_keyed_rows_find(&self->rows, self->state, batch, self->key, self->key_count, err));
    weir_batch_clear(&self->result);
    for (int64_t i = 0; i < batch->length; i++) {
        weir_state_slot slot = self->rows.slots[i];
        weir_slice row = weir_keyed_row(&self->rows, i);
        if (weir_keyed_rows_is_first_half(&self->rows, batch, i)) {
            WEIR_TRY(take_out(self, slot, row, &replaces, &self->last, err));
            continue;
        }
        bool goes = weir_row_kind_is_retract(weir_batch_kind(batch, i));
        WEIR_TRY(goes ? take_delete(self, slot, row, err) : take_insert(self, slot, row, replaces, err));
        replaces = false;
    }
    return weir_output_send(base, &self->result, err);
}

static void close_materialize(weir_operator *base)
{
    materialize *self = (materialize *)base;
    if (self->state != NULL) {
        weir_value_state_close(self->state);
    }
    weir_keyed_rows_free(&self->rows);
    weir_buffer_free(&self->last);
    weir_batch_free(&self->result);
    free(self->key);
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
    self->key = weir_alloc((size_t)key_count * sizeof *key);
    memcpy(self->key, key, (size_t)key_count * sizeof *key);
    self->key_count = key_count;
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    int code = weir_value_state_open(context->state, &options, &self->state, err);
    if (code != WEIR_OK) {
        weir_operator_close(&self->base);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}
