/* Sets of given rows as one value of state, the last one at its end:
 *
 *   | set: its rows | size of them: 4 | set | size | …          a row: | size: 4 | bytes | */
#include "stream/operator/join/given_rows.h"

#include <stdlib.h>

#include "base/alloc.h"

static void choose_columns(weir_given_rows *self, const weir_stream_node *node, weir_arena *arena)
{
    const weir_stream_traits *left = node->inputs[0];
    int32_t count = node->plan->inputs[0]->field_count;
    self->columns = WEIR_NEW_ARRAY(arena, int32_t, count + 1);
    bool keyed = left->key_count > 0;
    for (int32_t i = 0; i < left->key_count; i++) {
        self->columns[self->column_count++] = left->key[i];
        keyed = keyed && left->times[left->key[i]] != WEIR_TIME_PROCTIME;
    }
    if (keyed) {
        return;
    }
    self->column_count = 0;
    for (int32_t i = 0; i < count; i++) {
        if (left->times[i] != WEIR_TIME_PROCTIME) {
            self->columns[self->column_count++] = i;
        }
    }
}

int weir_given_rows_open(weir_given_rows *self, const weir_operator_context *context, const weir_stream_node *node,
                         weir_arena *arena, weir_error *err)
{
    weir_state_options options = {.uid = node->uid, .name = "given", .ttl_ms = context->state_ttl_ms};
    choose_columns(self, node, arena);
    return weir_value_state_open(context->state, &options, &self->sets, err);
}

void weir_given_rows_close(weir_given_rows *self)
{
    if (self->sets != NULL) {
        weir_value_state_close(self->sets);
    }
    weir_sort_keys_free(&self->keys);
    free(self->slots);
}

int weir_given_rows_fetch(weir_given_rows *self, const weir_batch *batch, weir_error *err)
{
    WEIR_GROW(self->slots, self->capacity, batch->length);
    weir_sort_keys_clear(&self->keys);
    WEIR_TRY(weir_state_keys_append(&self->keys, batch, self->columns, self->column_count, err));
    return weir_value_state_fetch(self->sets, &self->keys, self->slots, err);
}

void weir_given_rows_append(weir_buffer *set, weir_slice row)
{
    uint32_t size = (uint32_t)row.size;
    weir_buffer_append(set, &size, sizeof size);
    weir_buffer_append(set, row.data, row.size);
}

int weir_given_rows_push(weir_given_rows *self, int64_t row, weir_slice set, weir_error *err)
{
    size_t old = weir_value_state_get(self->sets, self->slots[row]).size;
    size_t size = old + set.size + sizeof(uint32_t);
    uint8_t *bytes;
    if (size > UINT32_MAX / 2) {
        return weir_fail(err, WEIR_UNSUPPORTED, "a lookup join gave %zu bytes beside one row; 2 GB is the limit", size);
    }
    WEIR_TRY(weir_value_state_edit(self->sets, self->slots[row], size, &bytes, err));
    if (set.size > 0) {
        memcpy(bytes + old, set.data, set.size);
    }
    weir_store_le32(bytes + old + set.size, (uint32_t)set.size);
    return WEIR_OK;
}

int weir_given_rows_pop(weir_given_rows *self, int64_t row, weir_buffer *out_set, bool *out_found, weir_error *err)
{
    weir_slice sets = weir_value_state_get(self->sets, self->slots[row]);
    uint8_t *bytes;
    weir_buffer_clear(out_set);
    *out_found = sets.size >= sizeof(uint32_t);
    if (!*out_found) {
        return WEIR_OK;
    }
    size_t end = sets.size - sizeof(uint32_t);
    size_t size = weir_load_le32(sets.data + end);
    if (size > end) {
        return weir_fail(err, WEIR_CORRUPT, "the state of a lookup join is damaged");
    }
    weir_buffer_append(out_set, sets.data + end - size, size);
    if (size == end) {
        weir_value_state_remove(self->sets, self->slots[row]);
        return WEIR_OK;
    }
    return weir_value_state_edit(self->sets, self->slots[row], end - size, &bytes, err);
}

bool weir_given_rows_take(weir_slice *set, weir_slice *out)
{
    if (set->size < sizeof(uint32_t)) {
        return false;
    }
    size_t size = weir_load_le32(set->data);
    size_t left = set->size - sizeof(uint32_t);
    size = size < left ? size : left;
    *out = weir_slice_of(set->data + sizeof(uint32_t), size);
    *set = weir_slice_of(out->data + size, left - size);
    return true;
}
