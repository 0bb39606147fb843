/* SEMI and ANTI JOIN whose condition is their key (IN, EXISTS, NOT EXISTS): a row of the left side is given while the
 * right side has a row of its key, or while it has none.
 *
 * Of the right side only the number of rows of each key is kept. The left side's rows of a key change sides together,
 * when that number leaves 0 or comes back to it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join_kinds.h"
#include "stream/operator/join_output.h"

typedef struct semi_operator {
    weir_operator base;
    weir_arena arena;
    bool anti;
    weir_join_keys *keys[2];
    weir_join_rows rows[2]; /* of the right side only their number */
    weir_encoded_rows encoded;
    weir_join_output output;
    const uint8_t *can_match;
} semi_operator;

/* --- the left side ----------------------------------------------------------------------------------------------- */

static int keep_left(semi_operator *self, const weir_join_change *change, weir_state_slot slot, weir_error *err)
{
    if (change->before >= 0) {
        WEIR_TRY(weir_join_rows_remove(&self->rows[0], slot, weir_encoded_row(&self->encoded, change->before), err));
    }
    return change->after < 0
               ? WEIR_OK
               : weir_join_rows_add(&self->rows[0], slot, weir_encoded_row(&self->encoded, change->after), 0, err);
}

static int change_left(semi_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = change->before >= 0 ? change->before : change->after;
    uint64_t matches = 0;
    if (weir_join_change_is_none(change, &self->encoded)) {
        return WEIR_OK;
    }
    if (self->can_match[row]) { /* otherwise it stays as it is, whatever the right side does */
        WEIR_TRY(keep_left(self, change, self->rows[0].slots[row], err));
        WEIR_TRY(weir_join_rows_count(&self->rows[1], self->rows[1].slots[row], &matches, err));
    }
    size_t bytes = weir_encoded_row(&self->encoded, row).size;
    return (matches > 0) == self->anti
               ? WEIR_OK
               : weir_join_output_change(&self->output, change, WEIR_JOIN_NO_ROW, 1, bytes, err);
}

static int process_left(semi_operator *self, const weir_batch *batch, const weir_sort_keys *keys, weir_error *err)
{
    WEIR_TRY(weir_encoded_rows_fill(&self->encoded, batch, err));
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_next_change(batch, keys, self->can_match, &row);
        WEIR_TRY(change_left(self, &change, err));
    }
    return WEIR_OK;
}

/* --- the right side ---------------------------------------------------------------------------------------------- */

static int change_right(semi_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = change->before >= 0 ? change->before : change->after;
    bool comes = change->after >= 0;
    if (!self->can_match[row] || (change->before >= 0 && comes)) {
        return WEIR_OK; /* there is one as before */
    }
    uint64_t before, after;
    WEIR_TRY(weir_join_rows_count_change(&self->rows[1], self->rows[1].slots[row], comes, &before, &after, err));
    if ((before > 0) == (after > 0)) {
        return WEIR_OK;
    }
    int8_t kind = comes != self->anti ? WEIR_INSERT : WEIR_DELETE;
    return weir_join_output_all(&self->output, kind, &self->rows[0], self->rows[0].slots[row], err);
}

static int process_right(semi_operator *self, const weir_batch *batch, const weir_sort_keys *keys, weir_error *err)
{
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_next_change(batch, keys, self->can_match, &row);
        WEIR_TRY(change_right(self, &change, err));
    }
    return WEIR_OK;
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    semi_operator *self = (semi_operator *)base;
    const weir_sort_keys *keys;
    weir_join_output_begin(&self->output, input, batch);
    WEIR_TRY(weir_join_keys_run(self->keys[input], batch, &keys, &self->can_match, err));
    WEIR_TRY(weir_join_rows_fetch_pair(self->rows, keys, err));
    WEIR_TRY(input == 0 ? process_left(self, batch, keys, err) : process_right(self, batch, keys, err));
    return weir_join_output_settle(&self->output, err);
}

static void close_join(weir_operator *base)
{
    semi_operator *self = (semi_operator *)base;
    weir_join_keys_free(self->keys[0]);
    weir_join_keys_free(self->keys[1]);
    weir_join_rows_close_pair(self->rows);
    weir_encoded_rows_free(&self->encoded);
    weir_join_output_free(&self->output);
    weir_arena_free(&self->arena);
    free(self);
}

static int open_sides(semi_operator *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    weir_join_condition condition;
    weir_join_condition_split(node->plan, &self->arena, &condition);
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_join_keys_create(context->engine, &condition, i, node->plan->inputs[i], &self->keys[i], err));
    }
    return weir_join_rows_open_pair(self->rows, context, node, err);
}

int weir_join_semi_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                          weir_error *err)
{
    semi_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_join;
    self->anti = node->plan->join == WEIR_JOIN_ANTI;
    weir_arena_init(&self->arena);
    weir_operator_init(&self->base, "Join", 2);
    weir_join_output_init(&self->output, &self->base, node->plan);
    int code = open_sides(self, context, node, err);
    if (code != WEIR_OK) {
        weir_operator_close(&self->base);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}
