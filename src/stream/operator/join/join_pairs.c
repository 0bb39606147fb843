/* INNER, LEFT, RIGHT and FULL JOIN whose condition is their key: all rows of one key on both sides match.
 *
 * So whether a row of an outer side is beside NULLs depends on whether the other side has any row of its key, and no
 * counts are kept. What a row of the one side changes:
 *
 *   it comes    where its side is outer and nothing matches, it is given beside NULLs
 *               where the other side is outer and it is the first of its key, the other's rows beside NULLs go
 *               then it is given with each row of the other side
 *   it goes     the same the other way around
 *
 * Rows that can match nothing are not kept: an outer side gives them beside NULLs, an inner one drops them. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_sides.h"

typedef struct join_operator {
    weir_operator base;
    bool outer[2]; /* rows of this side are given beside NULLs when nothing matches */
    weir_join_sides sides;
} join_operator;

static size_t size_of(const join_operator *self, const weir_join_change *change)
{
    return weir_encoded_row(&self->sides.encoded, weir_join_change_row(change)).size;
}

static int give_alone(join_operator *self, const weir_join_change *change, weir_error *err)
{
    return weir_join_output_change(&self->sides.output, change, WEIR_JOIN_NO_ROW, 1, size_of(self, change), err);
}

/* Which rows of the other side's outer rows lose their NULLs or get them back. */
typedef enum other_padding { PADDING_STAYS, PADDING_GOES, PADDING_COMES } other_padding;

/* Brings the change into the state of its side. */
static int keep(join_operator *self, const weir_join_change *change, weir_state_slot slot, other_padding *out,
                weir_error *err)
{
    weir_join_rows *rows = &self->sides.rows[self->sides.side];
    bool outer = self->outer[1 - self->sides.side], was_empty = false, is_empty = false;
    if (outer && change->before < 0) {
        WEIR_TRY(weir_join_rows_is_empty(rows, slot, &was_empty, err));
    }
    WEIR_TRY(weir_join_rows_apply(rows, slot, change, &self->sides.encoded, err));
    if (outer && change->after < 0) {
        WEIR_TRY(weir_join_rows_is_empty(rows, slot, &is_empty, err));
    }
    *out = was_empty ? PADDING_GOES : is_empty ? PADDING_COMES : PADDING_STAYS;
    return WEIR_OK;
}

/* Gives the change with one row of the other side, which is there `times` times. */
static int give_pair(join_operator *self, const weir_join_change *change, other_padding padding, weir_slice row,
                     uint64_t times, weir_error *err)
{
    uint32_t other;
    size_t bytes = size_of(self, change) + row.size;
    WEIR_TRY(weir_join_output_decode(&self->sides.output, row, &other, err));
    if (padding == PADDING_GOES) {
        WEIR_TRY(weir_join_output_other(&self->sides.output, WEIR_DELETE, other, times, bytes, err));
    }
    WEIR_TRY(weir_join_output_change(&self->sides.output, change, other, times, bytes, err));
    if (padding == PADDING_COMES) {
        WEIR_TRY(weir_join_output_other(&self->sides.output, WEIR_INSERT, other, times, bytes, err));
    }
    return WEIR_OK;
}

static int give_pairs(join_operator *self, const weir_join_change *change, other_padding padding, weir_state_slot slot,
                      bool *out_any, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice row;
    weir_join_entry entry;
    weir_join_rows *others = &self->sides.rows[1 - self->sides.side];
    WEIR_TRY(weir_join_rows_walk(others, slot, (weir_slice){0}, &cursor, err));
    int code;
    while ((code = weir_join_rows_next(others, cursor, &row, &entry, err)) == WEIR_OK) {
        *out_any = true;
        WEIR_GO(give_pair(self, change, padding, row, entry.count, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
done:
    weir_map_cursor_close(cursor);
    return code;
}

static int apply(join_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = weir_join_change_row(change);
    bool any = false;
    if (weir_join_change_is_none(change, &self->sides.encoded)) {
        return WEIR_OK;
    }
    if (self->sides.can_match[row]) {
        other_padding padding;
        WEIR_TRY(keep(self, change, self->sides.rows[self->sides.side].slots[row], &padding, err));
        WEIR_TRY(give_pairs(self, change, padding, self->sides.rows[1 - self->sides.side].slots[row], &any, err));
    }
    return any || !self->outer[self->sides.side] ? WEIR_OK : give_alone(self, change, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    join_operator *self = (join_operator *)base;
    WEIR_TRY(weir_join_sides_begin(&self->sides, input, batch, err));
    WEIR_TRY(weir_encoded_rows_fill(&self->sides.encoded, batch, err));
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_sides_next_change(&self->sides, batch, &row);
        WEIR_TRY(apply(self, &change, err));
    }
    return weir_join_output_settle(&self->sides.output, err);
}

static void close_join(weir_operator *base)
{
    join_operator *self = (join_operator *)base;
    weir_join_sides_free(&self->sides);
    free(self);
}

int weir_join_pairs_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                           weir_error *err)
{
    const weir_plan *plan = node->plan;
    join_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_join;
    self->outer[0] = plan->join == WEIR_JOIN_LEFT || plan->join == WEIR_JOIN_FULL;
    self->outer[1] = plan->join == WEIR_JOIN_RIGHT || plan->join == WEIR_JOIN_FULL;
    weir_operator_init(&self->base, "Join", 2);
    weir_join_sides_init(&self->sides, &self->base, plan);
    return weir_operator_created(&self->base, weir_join_sides_open(&self->sides, context, node, err), out);
}
