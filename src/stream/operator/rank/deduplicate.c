/* The first row of each partition in its order, over inserts alone: Top-N for N = 1, and so deduplication.
 *
 * State, by partition:
 *
 *   | number of the last batch that changed it: 8 | which of that batch's changes: 4 | size of the order key: 4 |
 *   | order key (order_key.h) | row by row_codec.h |
 *
 * A batch's changes to one partition are told as one: what was there before the batch is decoded when its first row
 * comes that is to stand before it, and goes out with the row that stands there in the end. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/operators.h"
#include "stream/operator/order_key.h"
#include "stream/operator/rank/rank_keys.h"
#include "stream/state/row_codec.h"

enum { HEADER_SIZE = 16 };

typedef struct change {
    uint32_t row; /* of the batch, that stands there in the end */
    bool replaces;
} change;

typedef struct deduplicate {
    weir_operator base;
    weir_rank what;
    weir_rank_keys keys;
    weir_state_backend *backend;
    weir_value_state *state;
    weir_sort_keys partitions;
    weir_order_keys order;
    weir_state_slot *slots;
    size_t slot_capacity;
    uint64_t batch; /* its number */
    change *changes;
    size_t change_count, change_capacity;
    weir_batch before, after; /* rows of the changes; of those that replace, and of all */
    weir_buffer row;
    uint16_t *sources;
    uint32_t *rows;
    size_t source_capacity, row_capacity;
    weir_batch result;
} deduplicate;

/* --- Rows that come -------------------------------------------------------------------------------------------- */

/* Whether a row stands before the one that is kept. */
static bool wins(const deduplicate *self, weir_slice kept, weir_slice order)
{
    if (kept.size == 0) {
        return true;
    }
    weir_slice kept_order = weir_slice_of(kept.data + HEADER_SIZE, weir_load_le32(kept.data + 12));
    int compared = weir_slice_compare(order, kept_order);
    return compared < 0 || (compared == 0 && self->what.later_first);
}

/* Which change of this batch a partition's is. */
static int note_change(deduplicate *self, weir_slice kept, uint32_t row, uint32_t *out, weir_error *err)
{
    if (kept.size > 0 && weir_load_le64(kept.data) == self->batch) {
        *out = weir_load_le32(kept.data + 8);
        self->changes[*out].row = row;
        return WEIR_OK;
    }
    if (kept.size > 0) {
        size_t at = HEADER_SIZE + weir_load_le32(kept.data + 12);
        WEIR_TRY(weir_row_decode(weir_slice_of(kept.data + at, kept.size - at), &self->before, 0,
                                 self->before.column_count, err));
        self->before.length++;
    }
    WEIR_GROW(self->changes, self->change_capacity, self->change_count + 1);
    *out = (uint32_t)self->change_count;
    self->changes[self->change_count++] = (change){row, kept.size > 0};
    return WEIR_OK;
}

static int keep(deduplicate *self, weir_state_slot slot, uint32_t number, weir_slice order, weir_error *err)
{
    uint8_t *bytes;
    size_t at = HEADER_SIZE + order.size;
    WEIR_TRY(weir_value_state_edit(self->state, slot, at + self->row.size, &bytes, err));
    weir_store_le64(bytes, self->batch);
    weir_store_le32(bytes + 8, number);
    weir_store_le32(bytes + 12, (uint32_t)order.size);
    if (order.size > 0) {
        memcpy(bytes + HEADER_SIZE, order.data, order.size);
    }
    memcpy(bytes + at, self->row.data, self->row.size);
    return WEIR_OK;
}

static int take_rows(deduplicate *self, const weir_batch *batch, weir_error *err)
{
    for (int64_t row = 0; row < batch->length; row++) {
        uint32_t number;
        weir_slice order = weir_order_key(&self->order, row);
        weir_slice kept = weir_value_state_get(self->state, self->slots[row]);
        if (!wins(self, kept, order)) {
            continue;
        }
        weir_buffer_clear(&self->row);
        WEIR_TRY(weir_row_encode(batch, NULL, batch->column_count, row, &self->row, err));
        WEIR_TRY(note_change(self, kept, (uint32_t)row, &number, err));
        WEIR_TRY(keep(self, self->slots[row], number, order, err));
    }
    return WEIR_OK;
}

/* --- What goes out --------------------------------------------------------------------------------------------- */

/* Kinds of the result, and where each of its rows comes from: 0 before, 1 after. */
static int64_t lay_out(deduplicate *self)
{
    int64_t length = 0;
    size_t count = self->change_count;
    WEIR_GROW(self->sources, self->source_capacity, 2 * count + 1);
    WEIR_GROW(self->rows, self->row_capacity, count + 1);
    weir_batch_reserve_kinds(&self->result, (int64_t)(2 * count + 1));
    for (size_t i = 0; i < count; i++) {
        self->rows[i] = self->changes[i].row;
        if (self->changes[i].replaces) {
            self->result.kinds[length] = WEIR_UPDATE_BEFORE;
            self->sources[length++] = 0;
        }
        self->result.kinds[length] = self->changes[i].replaces ? WEIR_UPDATE_AFTER : WEIR_INSERT;
        self->sources[length++] = 1;
    }
    return length;
}

/* The number of the one row, for a WINDOW. */
static int number_rows(deduplicate *self, int64_t length, weir_error *err)
{
    weir_vector *numbers = &self->result.columns[self->before.column_count];
    WEIR_TRY(weir_vector_reserve(numbers, length, err));
    for (int64_t i = 0; i < length; i++) {
        WEIR_VALUES(numbers, int64_t)[i] = 1;
    }
    numbers->length = length;
    return WEIR_OK;
}

static int send_changes(deduplicate *self, const weir_batch *batch, weir_error *err)
{
    weir_batch_clear(&self->result);
    weir_batch_clear(&self->after);
    int64_t length = lay_out(self);
    WEIR_TRY(weir_batch_append_rows(&self->after, batch, self->rows, (int64_t)self->change_count, err));
    for (int32_t i = 0; i < self->before.column_count; i++) {
        weir_vector *const sources[] = {&self->before.columns[i], &self->after.columns[i]};
        int64_t cursors[] = {0, 0};
        WEIR_TRY(weir_vector_interleave(&self->result.columns[i], sources, cursors, self->sources, length, err));
    }
    if (self->result.column_count > self->before.column_count) {
        WEIR_TRY(number_rows(self, length, err));
    }
    self->result.length = length;
    return weir_output_send(&self->base, &self->result, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    deduplicate *self = (deduplicate *)base;
    (void)input;
    self->batch++;
    self->change_count = 0;
    weir_batch_clear(&self->before);
    WEIR_GROW(self->slots, self->slot_capacity, batch->length + 1);
    weir_sort_keys_clear(&self->partitions);
    WEIR_TRY(weir_rank_keys_compute(&self->keys, batch, err));
    WEIR_TRY(weir_state_keys_append(&self->partitions, &self->keys.values, self->keys.columns,
                                    self->what.partition_key_count, err));
    WEIR_TRY(weir_value_state_fetch(self->state, &self->partitions, self->slots, err));
    WEIR_TRY(weir_order_keys_build(&self->order, &self->keys.values, self->what.partition_key_count,
                                   self->what.sort_keys, self->what.sort_key_count, err));
    WEIR_TRY(take_rows(self, batch, err));
    return self->change_count == 0 ? WEIR_OK : send_changes(self, batch, err);
}

static int barrier(weir_operator *base, weir_error *err)
{
    deduplicate *self = (deduplicate *)base;
    return weir_rank_counter_keep(self->backend, &self->keys, self->batch, err);
}

/* --- Making one ------------------------------------------------------------------------------------------------ */

static void close_deduplicate(weir_operator *base)
{
    deduplicate *self = (deduplicate *)base;
    weir_rank_keys_close(&self->keys);
    if (self->state != NULL) {
        weir_value_state_close(self->state);
    }
    weir_sort_keys_free(&self->partitions);
    weir_order_keys_free(&self->order);
    weir_batch_free(&self->before);
    weir_batch_free(&self->after);
    weir_batch_free(&self->result);
    weir_buffer_free(&self->row);
    free(self->slots);
    free(self->changes);
    free(self->sources);
    free(self->rows);
    free(self);
}

int weir_deduplicate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                     const weir_rank *what, weir_operator **out, weir_error *err)
{
    deduplicate *self = weir_alloc_zeroed(1, sizeof *self);
    const weir_plan *input = node->plan->inputs[0];
    const weir_state_options options = {.uid = node->uid, .name = "rows", .ttl_ms = context->state_ttl_ms};
    self->base.process = process;
    self->base.barrier = barrier;
    self->base.close = close_deduplicate;
    weir_operator_init(&self->base, "Deduplicate", 1);
    self->what = *what;
    self->backend = context->state;
    weir_batch_init(&self->before, input->fields, input->field_count);
    weir_batch_init(&self->after, input->fields, input->field_count);
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    int code = weir_rank_keys_open(context, what, node->uid, &self->keys, &self->batch, err);
    code = code != WEIR_OK ? code : weir_value_state_open(context->state, &options, &self->state, err);
    return weir_operator_created(&self->base, code, out);
}
