/* Upserts by a key become a whole changelog: the last row of each key is kept, an update shows what was before, a
 * delete holds the whole row, and what changes nothing is dropped. Deletes of keys that are not there are dropped as
 * well. Rows that repeat (a source that may send changes twice) come out once. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/keyed_rows.h"
#include "stream/operator/operators.h"

typedef struct normalize {
    weir_operator base;
    weir_keyed_rows rows; /* whose state is: key -> row by row_codec.h */
    weir_batch result;
} normalize;

static int put(normalize *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    uint8_t *bytes;
    WEIR_TRY(weir_value_state_edit(self->rows.state, slot, row.size, &bytes, err));
    memcpy(bytes, row.data, row.size);
    return WEIR_OK;
}

static int take_upsert(normalize *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    weir_slice before = weir_value_state_get(self->rows.state, slot);
    if (weir_slice_equal(before, row)) {
        return WEIR_OK;
    }
    if (before.size == 0) {
        WEIR_TRY(weir_batch_append_encoded(&self->result, row, WEIR_INSERT, err));
    } else {
        WEIR_TRY(weir_batch_append_encoded(&self->result, before, WEIR_UPDATE_BEFORE, err));
        WEIR_TRY(weir_batch_append_encoded(&self->result, row, WEIR_UPDATE_AFTER, err));
    }
    return put(self, slot, row, err);
}

static int take_delete(normalize *self, weir_state_slot slot, weir_error *err)
{
    weir_slice before = weir_value_state_get(self->rows.state, slot);
    if (before.size == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_batch_append_encoded(&self->result, before, WEIR_DELETE, err));
    weir_value_state_remove(self->rows.state, slot);
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    normalize *self = (normalize *)base;
    (void)input;
    WEIR_TRY(weir_keyed_rows_take(&self->rows, batch, err));
    weir_batch_clear(&self->result);
    for (int64_t row = 0; row < batch->length; row++) {
        if (weir_keyed_rows_is_first_half(&self->rows, batch, row)) {
            continue; /* it says nothing that state does not know */
        }
        if (weir_row_kind_is_retract(weir_batch_kind(batch, row))) {
            WEIR_TRY(take_delete(self, self->rows.slots[row], err));
        } else {
            WEIR_TRY(take_upsert(self, self->rows.slots[row], weir_keyed_row(&self->rows, row), err));
        }
    }
    return weir_output_send(base, &self->result, err);
}

static void close_normalize(weir_operator *base)
{
    normalize *self = (normalize *)base;
    weir_keyed_rows_free(&self->rows);
    weir_batch_free(&self->result);
    free(self);
}

int weir_normalize_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   const int32_t *key, int32_t key_count, weir_operator **out, weir_error *err)
{
    normalize *self = weir_alloc_zeroed(1, sizeof *self);
    const weir_state_options options = {.uid = node->uid, .name = "normalize", .ttl_ms = context->state_ttl_ms};
    self->base.process = process;
    self->base.close = close_normalize;
    weir_operator_init(&self->base, "ChangelogNormalize", 1);
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    int code = weir_keyed_rows_open(&self->rows, context->state, &options, key, key_count, err);
    return weir_operator_created(&self->base, code, out);
}
