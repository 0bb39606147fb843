/* SEMI and ANTI JOIN whose condition is their key (IN, EXISTS, NOT EXISTS): a row of the left side is given while the
 * right side has a row of its key, or while it has none.
 *
 * Of the right side only the number of rows of each key is kept. The left side's rows of a key change sides together,
 * when that number leaves 0 or comes back to it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_sides.h"

typedef struct semi_operator {
    weir_operator base;
    bool anti;
    weir_join_sides sides; /* of the right side's rows only their number is kept */
} semi_operator;

/* --- the left side ----------------------------------------------------------------------------------------------- */

static int change_left(semi_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = weir_join_change_row(change);
    uint64_t matches = 0;
    if (weir_join_change_is_none(change, &self->sides.encoded)) {
        return WEIR_OK;
    }
    if (self->sides.can_match[row]) { /* otherwise it stays as it is, whatever the right side does */
        weir_join_rows *rows = self->sides.rows;
        WEIR_TRY(weir_join_rows_apply(&rows[0], rows[0].slots[row], change, &self->sides.encoded, err));
        WEIR_TRY(weir_join_rows_count(&rows[1], rows[1].slots[row], &matches, err));
    }
    size_t bytes = weir_encoded_row(&self->sides.encoded, row).size;
    return (matches > 0) == self->anti
               ? WEIR_OK
               : weir_join_output_change(&self->sides.output, change, WEIR_JOIN_NO_ROW, 1, bytes, err);
}

/* --- the right side ---------------------------------------------------------------------------------------------- */

static int change_right(semi_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = weir_join_change_row(change);
    bool comes = change->after >= 0;
    if (!self->sides.can_match[row] || (change->before >= 0 && comes)) {
        return WEIR_OK; /* there is one as before */
    }
    uint64_t before, after;
    WEIR_TRY(
        weir_join_rows_count_change(&self->sides.rows[1], self->sides.rows[1].slots[row], comes, &before, &after, err));
    if ((before > 0) == (after > 0)) {
        return WEIR_OK;
    }
    int8_t kind = comes != self->anti ? WEIR_INSERT : WEIR_DELETE;
    return weir_join_output_all(&self->sides.output, kind, &self->sides.rows[0], self->sides.rows[0].slots[row], err);
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    semi_operator *self = (semi_operator *)base;
    WEIR_TRY(weir_join_sides_begin(&self->sides, input, batch, err));
    if (input == WEIR_JOIN_LEFT_SIDE) {
        WEIR_TRY(weir_encoded_rows_fill(&self->sides.encoded, batch, err));
    }
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_sides_next_change(&self->sides, batch, &row);
        WEIR_TRY(input == WEIR_JOIN_LEFT_SIDE ? change_left(self, &change, err) : change_right(self, &change, err));
    }
    return weir_join_output_settle(&self->sides.output, err);
}

static void close_join(weir_operator *base)
{
    semi_operator *self = (semi_operator *)base;
    weir_join_sides_free(&self->sides);
    free(self);
}

int weir_join_semi_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                          weir_error *err)
{
    semi_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_join;
    self->anti = node->plan->join == WEIR_JOIN_ANTI;
    weir_operator_init(&self->base, "Join", 2);
    weir_join_sides_init(&self->sides, &self->base, node->plan);
    return weir_operator_created(&self->base, weir_join_sides_open(&self->sides, context, node, err), out);
}
