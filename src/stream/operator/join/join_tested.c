/* Joins whose condition says more than that keys are equal: it is tested pair by pair.
 *
 * While a batch of one side is at hand, the other side's rows stay as they are, so that the pairs which its rows could
 * make are gathered first, tested together, and then settled in order. Rows of an outer side, and of the left side of
 * SEMI and ANTI, are kept with the number of rows that match them: they are given beside NULLs, or as rows without a
 * match, while that number is 0. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_pending.h"
#include "stream/operator/join/join_sides.h"
#include "stream/operator/join/join_tested.h"

typedef struct tested_operator {
    weir_operator base;
    weir_join_kind kind;
    bool counted[2]; /* rows of this side are kept with their matches */
    bool defers;     /* rows without a match come when they are forgotten, and not before */
    weir_join_sides sides;
    weir_join_pending pending; /* of an update each candidate has two pairs: with the row that goes, then the other */
} tested_operator;

static bool keeps_left(const tested_operator *self) { return !weir_join_keeps_both(self->kind); }

/* Whether a row of this side is given alone while it has so many matches: beside NULLs, or as all that SEMI and ANTI
 * give. */
static bool stands_alone(const tested_operator *self, int32_t side, uint64_t matches)
{
    return self->counted[side] && !self->defers && (matches > 0) == (self->kind == WEIR_JOIN_SEMI);
}

/* --- settling: the side of the change ---------------------------------------------------------------------------- */

static int give_alone(tested_operator *self, const weir_pending_change *change, bool before, bool after,
                      weir_error *err)
{
    weir_join_change alone = {before ? change->rows.before : -1, after ? change->rows.after : -1};
    int64_t row = weir_join_change_row(&change->rows);
    return weir_join_output_change(&self->sides.output, &alone, WEIR_JOIN_NO_ROW, 1,
                                   weir_encoded_row(&self->sides.encoded, row).size, err);
}

/* The row that goes leaves the state and, where it stood beside NULLs, the result: before its successor is given. */
static int begin_change(tested_operator *self, weir_pending_change *change, weir_error *err)
{
    int64_t gone = change->rows.before;
    weir_join_rows *rows = &self->sides.rows[self->sides.side];
    weir_join_entry entry;
    if (gone < 0) {
        return WEIR_OK;
    }
    weir_slice row = weir_encoded_row(&self->sides.encoded, gone);
    WEIR_TRY(weir_join_rows_get(rows, rows->slots[gone], row, &entry, err));
    change->matches_before = entry.matches;
    if (entry.count > 0) {
        entry.count--;
        WEIR_TRY(weir_join_rows_set(rows, rows->slots[gone], row, &entry, err));
    }
    bool padded = !keeps_left(self) && stands_alone(self, self->sides.side, entry.matches);
    return padded ? give_alone(self, change, true, false, err) : WEIR_OK;
}

static int end_change(tested_operator *self, const weir_pending_change *change, weir_error *err)
{
    int64_t come = change->rows.after;
    weir_join_rows *rows = &self->sides.rows[self->sides.side];
    bool before =
        keeps_left(self) && change->rows.before >= 0 && stands_alone(self, self->sides.side, change->matches_before);
    bool after = come >= 0 && stands_alone(self, self->sides.side, change->matches_after);
    if (come >= 0) {
        uint64_t matches = self->counted[self->sides.side] ? change->matches_after : 0;
        WEIR_TRY(
            weir_join_rows_add(rows, rows->slots[come], weir_encoded_row(&self->sides.encoded, come), matches, err));
    }
    return before || after ? give_alone(self, change, before, after, err) : WEIR_OK;
}

/* --- settling: the other side ------------------------------------------------------------------------------------ */

/* Notes what the change makes of the matches of the other side's row. */
static int count_matches(tested_operator *self, const weir_pending_change *change, const weir_join_candidate *other,
                         bool before, bool after, uint64_t *out_then, uint64_t *out_now, weir_error *err)
{
    weir_join_rows *rows = &self->sides.rows[1 - self->sides.side];
    int64_t row = weir_join_change_row(&change->rows);
    weir_slice bytes = weir_join_candidate_row(&self->pending, other);
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_get(rows, rows->slots[row], bytes, &entry, err));
    *out_then = entry.matches;
    entry.matches += after;
    entry.matches -= before && entry.matches > 0;
    *out_now = entry.matches;
    return *out_then == *out_now ? WEIR_OK : weir_join_rows_set(rows, rows->slots[row], bytes, &entry, err);
}

static int settle_candidate(tested_operator *self, weir_pending_change *change, const weir_join_candidate *other,
                            weir_error *err)
{
    bool goes = change->rows.before >= 0;
    bool before = goes && self->pending.test.passes[other->pair];
    bool after = change->rows.after >= 0 && self->pending.test.passes[other->pair + goes];
    uint64_t then = 1, now = 1; /* matches of the other side's row, where they are counted */
    if (!before && !after) {
        return WEIR_OK;
    }
    change->matches_after += after ? other->count : 0;
    if (self->counted[1 - self->sides.side]) {
        WEIR_TRY(count_matches(self, change, other, before, after, &then, &now, err));
    }
    bool alone_then = stands_alone(self, 1 - self->sides.side, then),
         alone_now = stands_alone(self, 1 - self->sides.side, now);
    weir_join_output *output = &self->sides.output;
    if (alone_then && !alone_now) {
        WEIR_TRY(weir_join_output_other(output, WEIR_DELETE, other->pair, other->count, other->size, err));
    }
    if (!keeps_left(self)) {
        weir_join_change given = {before ? change->rows.before : -1, after ? change->rows.after : -1};
        size_t bytes = other->size + weir_encoded_row(&self->sides.encoded, weir_join_change_row(&given)).size;
        WEIR_TRY(weir_join_output_change(output, &given, other->pair, other->count, bytes, err));
    }
    return alone_now && !alone_then
               ? weir_join_output_other(output, WEIR_INSERT, other->pair, other->count, other->size, err)
               : WEIR_OK;
}

/* --- settling --------------------------------------------------------------------------------------------------- */

/* Settles what has gathered of a change (weir_join_settle). */
static int settle_change(void *owner, weir_pending_change *change, size_t first, weir_error *err)
{
    tested_operator *self = owner;
    int64_t row = weir_join_change_row(&change->rows);
    if (!self->sides.can_match[row]) { /* and is not kept: it stands alone for ever, or never */
        bool alone = self->counted[self->sides.side] && self->kind != WEIR_JOIN_SEMI;
        return alone ? give_alone(self, change, true, true, err) : WEIR_OK;
    }
    if (!change->has_begun) {
        change->has_begun = true;
        WEIR_TRY(begin_change(self, change, err));
    }
    for (size_t i = first; i < change->candidates_end; i++) {
        WEIR_TRY(settle_candidate(self, change, &self->pending.candidates[i], err));
    }
    return change->is_whole ? end_change(self, change, err) : WEIR_OK;
}

static int settle_all(tested_operator *self, weir_error *err)
{
    return weir_join_pending_settle(&self->pending, &self->sides.output, settle_change, self, err);
}

/* --- gathering --------------------------------------------------------------------------------------------------- */

/* Gathers the other side's rows of the change's key from `from` on, as many as there is room for. WEIR_END: that was
 * all; otherwise `from` becomes where to go on. */
static int gather_some(tested_operator *self, const weir_join_change *change, weir_state_slot slot, weir_buffer *from,
                       weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice row;
    weir_join_entry entry;
    weir_join_rows *others = &self->sides.rows[1 - self->sides.side];
    WEIR_TRY(weir_join_rows_walk(others, slot, weir_buffer_slice(from), &cursor, err));
    int code;
    while ((code = weir_join_rows_next(others, cursor, &row, &entry, err)) == WEIR_OK) {
        if (!weir_join_output_has_room(&self->sides.output, 2)) {
            weir_buffer_clear(from);
            weir_buffer_append(from, row.data, row.size);
            break;
        }
        WEIR_GO(weir_join_pending_add_candidate(&self->pending, &self->sides.output, change, row, entry.count, err));
    }
done:
    weir_map_cursor_close(cursor);
    return code;
}

static int gather(tested_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = weir_join_change_row(change);
    weir_state_slot slot = self->sides.rows[1 - self->sides.side].slots[row];
    weir_buffer from = {0};
    int code = WEIR_END;
    weir_join_pending_add(&self->pending, change);
    while (self->sides.can_match[row] && (code = gather_some(self, change, slot, &from, err)) == WEIR_OK) {
        weir_join_pending_end_candidates(&self->pending, false);
        WEIR_GO(settle_all(self, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
    weir_join_pending_end_candidates(&self->pending, true);
done:
    weir_buffer_free(&from);
    return code;
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    tested_operator *self = (tested_operator *)base;
    WEIR_TRY(weir_join_sides_begin(&self->sides, input, batch, err));
    WEIR_TRY(weir_encoded_rows_fill(&self->sides.encoded, batch, err));
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_sides_next_change(&self->sides, batch, &row);
        if (!weir_join_change_is_none(&change, &self->sides.encoded)) {
            WEIR_TRY(gather(self, &change, err));
        }
    }
    return settle_all(self, err);
}

static void close_join(weir_operator *base)
{
    tested_operator *self = (tested_operator *)base;
    weir_join_pending_free(&self->pending);
    weir_join_sides_free(&self->sides);
    free(self);
}

static int open_parts(tested_operator *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    weir_join_sides *sides = &self->sides;
    WEIR_TRY(weir_join_sides_open(sides, context, node, err));
    return weir_join_pair_test_open(&self->pending.test, context->engine, node->plan, &sides->condition, &sides->arena,
                                    err);
}

/* --- for joins of rows near each other --------------------------------------------------------------------------- */

void weir_join_tested_defer(weir_operator *base) { ((tested_operator *)base)->defers = true; }

const weir_sort_keys *weir_join_tested_keys(const weir_operator *base, const uint8_t **out_can_match)
{
    const tested_operator *self = (const tested_operator *)base;
    *out_can_match = self->sides.can_match;
    return self->sides.batch_keys;
}

/* One that matched nothing comes alone. */
static int forget_row(tested_operator *self, int32_t side, weir_state_slot slot, weir_slice row, weir_error *err)
{
    weir_join_entry entry;
    uint32_t alone;
    WEIR_TRY(weir_join_rows_get(&self->sides.rows[side], slot, row, &entry, err));
    if (entry.count == 0) {
        return WEIR_OK;
    }
    if (self->counted[side] && entry.matches == 0) {
        WEIR_TRY(weir_join_output_decode(&self->sides.output, row, &alone, err));
        WEIR_TRY(weir_join_output_other(&self->sides.output, WEIR_INSERT, alone, 1, row.size, err));
    }
    entry.count--;
    return weir_join_rows_set(&self->sides.rows[side], slot, row, &entry, err);
}

int weir_join_tested_forget(weir_operator *base, int32_t side, const weir_sort_keys *keys, const weir_time_entry *rows,
                            weir_error *err)
{
    tested_operator *self = (tested_operator *)base;
    weir_batch *none = &self->pending.test.own[1 - side]; /* the rows that come are the other side's alone */
    weir_batch_clear(none);
    weir_join_output_begin(&self->sides.output, 1 - side, none);
    WEIR_TRY(weir_join_rows_fetch_pair(self->sides.rows, keys, err));
    for (int64_t i = 0; i < keys->length; i++) {
        WEIR_TRY(forget_row(self, side, self->sides.rows[side].slots[i], rows[i].value, err));
    }
    return weir_join_output_settle(&self->sides.output, err);
}

int weir_join_tested_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                            weir_error *err)
{
    const weir_plan *plan = node->plan;
    tested_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_join;
    self->kind = plan->join;
    self->counted[0] = plan->join != WEIR_JOIN_INNER && plan->join != WEIR_JOIN_RIGHT;
    self->counted[1] = plan->join == WEIR_JOIN_RIGHT || plan->join == WEIR_JOIN_FULL;
    weir_operator_init(&self->base, "Join", 2);
    weir_join_sides_init(&self->sides, &self->base, plan);
    weir_join_pair_test_init(&self->pending.test, plan);
    return weir_operator_created(&self->base, open_parts(self, context, node, err), out);
}
