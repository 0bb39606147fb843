/* Joins whose condition says more than that keys are equal: it is tested pair by pair.
 *
 * While a batch of one side is at hand, the other side's rows stay as they are, so that the pairs which its rows could
 * make are gathered first, tested together, and then settled in order. Rows of an outer side, and of the left side of
 * SEMI and ANTI, are kept with the number of rows that match them: they are given beside NULLs, or as rows without a
 * match, while that number is 0. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join_kinds.h"
#include "stream/operator/join_pair_test.h"
#include "stream/operator/join_tested.h"

/* What comes and goes at one row of the batch, or two. */
typedef struct pending_change {
    weir_join_change rows;
    size_t candidates_end;                  /* in `candidates` */
    bool is_whole;                          /* all its candidates are there */
    bool has_begun;                         /* some of them are settled */
    uint64_t matches_before, matches_after; /* of its two rows; the latter so far */
} pending_change;

/* A row of the other side that a change may match: decoded once for each row of the change, the one that goes first. */
typedef struct candidate {
    uint32_t pair; /* number of the first such pair */
    size_t begin;  /* the row's bytes, in candidate_bytes */
    size_t size;
    uint64_t count; /* how often the row is there */
} candidate;

typedef struct tested_operator {
    weir_operator base;
    weir_arena arena;
    weir_join_kind kind;
    bool counted[2]; /* rows of this side are kept with their matches */
    bool defers;     /* rows without a match come when they are forgotten, and not before */
    weir_join_keys *keys[2];
    weir_join_rows rows[2];
    weir_encoded_rows encoded;
    weir_join_output output;

    weir_join_pair_test test;
    pending_change *changes;
    size_t change_count, change_capacity;
    candidate *candidates;
    size_t candidate_count, candidate_capacity;
    weir_buffer candidate_bytes;

    int32_t side; /* of the batch at hand */
    const weir_sort_keys *keys_of_batch;
    const uint8_t *can_match;
} tested_operator;

static int64_t any_row(const weir_join_change *change) { return change->before >= 0 ? change->before : change->after; }

static bool keeps_left(const tested_operator *self) { return !weir_join_keeps_both(self->kind); }

/* Whether a row of this side is given alone while it has so many matches: beside NULLs, or as all that SEMI and ANTI
 * give. */
static bool stands_alone(const tested_operator *self, int32_t side, uint64_t matches)
{
    return self->counted[side] && !self->defers && (matches > 0) == (self->kind == WEIR_JOIN_SEMI);
}

/* --- settling ---------------------------------------------------------------------------------------------------: the side of the change ---------------------------------------------------------------------------- */

static int give_alone(tested_operator *self, const pending_change *change, bool before, bool after, weir_error *err)
{
    weir_join_change alone = {before ? change->rows.before : -1, after ? change->rows.after : -1};
    int64_t row = any_row(&change->rows);
    return weir_join_output_change(&self->output, &alone, WEIR_JOIN_NO_ROW, 1,
                                   weir_encoded_row(&self->encoded, row).size, err);
}

/* The row that goes leaves the state and, where it stood beside NULLs, the result: before its successor is given. */
static int begin_change(tested_operator *self, pending_change *change, weir_error *err)
{
    int64_t gone = change->rows.before;
    weir_join_rows *rows = &self->rows[self->side];
    weir_join_entry entry;
    if (gone < 0) {
        return WEIR_OK;
    }
    weir_slice row = weir_encoded_row(&self->encoded, gone);
    WEIR_TRY(weir_join_rows_get(rows, rows->slots[gone], row, &entry, err));
    change->matches_before = entry.matches;
    if (entry.count > 0) {
        entry.count--;
        WEIR_TRY(weir_join_rows_set(rows, rows->slots[gone], row, &entry, err));
    }
    bool padded = !keeps_left(self) && stands_alone(self, self->side, entry.matches);
    return padded ? give_alone(self, change, true, false, err) : WEIR_OK;
}

static int end_change(tested_operator *self, const pending_change *change, weir_error *err)
{
    int64_t come = change->rows.after;
    weir_join_rows *rows = &self->rows[self->side];
    bool before =
        keeps_left(self) && change->rows.before >= 0 && stands_alone(self, self->side, change->matches_before);
    bool after = come >= 0 && stands_alone(self, self->side, change->matches_after);
    if (come >= 0) {
        uint64_t matches = self->counted[self->side] ? change->matches_after : 0;
        WEIR_TRY(weir_join_rows_add(rows, rows->slots[come], weir_encoded_row(&self->encoded, come), matches, err));
    }
    return before || after ? give_alone(self, change, before, after, err) : WEIR_OK;
}

/* --- settling ---------------------------------------------------------------------------------------------------: the other side ------------------------------------------------------------------------------------ */

/* Notes what the change makes of the matches of the other side's row. */
static int count_matches(tested_operator *self, const pending_change *change, const candidate *other, bool before,
                         bool after, uint64_t *out_then, uint64_t *out_now, weir_error *err)
{
    weir_join_rows *rows = &self->rows[1 - self->side];
    int64_t row = any_row(&change->rows);
    weir_slice bytes = weir_slice_of(self->candidate_bytes.data + other->begin, other->size);
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_get(rows, rows->slots[row], bytes, &entry, err));
    *out_then = entry.matches;
    entry.matches += after;
    entry.matches -= before && entry.matches > 0;
    *out_now = entry.matches;
    return *out_then == *out_now ? WEIR_OK : weir_join_rows_set(rows, rows->slots[row], bytes, &entry, err);
}

static int settle_candidate(tested_operator *self, pending_change *change, const candidate *other, weir_error *err)
{
    bool goes = change->rows.before >= 0;
    bool before = goes && self->test.passes[other->pair];
    bool after = change->rows.after >= 0 && self->test.passes[other->pair + goes];
    uint64_t then = 1, now = 1; /* matches of the other side's row, where they are counted */
    if (!before && !after) {
        return WEIR_OK;
    }
    change->matches_after += after ? other->count : 0;
    if (self->counted[1 - self->side]) {
        WEIR_TRY(count_matches(self, change, other, before, after, &then, &now, err));
    }
    bool alone_then = stands_alone(self, 1 - self->side, then), alone_now = stands_alone(self, 1 - self->side, now);
    weir_join_output *output = &self->output;
    if (alone_then && !alone_now) {
        WEIR_TRY(weir_join_output_other(output, WEIR_DELETE, other->pair, other->count, other->size, err));
    }
    if (!keeps_left(self)) {
        weir_join_change given = {before ? change->rows.before : -1, after ? change->rows.after : -1};
        size_t bytes = other->size + weir_encoded_row(&self->encoded, any_row(&given)).size;
        WEIR_TRY(weir_join_output_change(output, &given, other->pair, other->count, bytes, err));
    }
    return alone_now && !alone_then
               ? weir_join_output_other(output, WEIR_INSERT, other->pair, other->count, other->size, err)
               : WEIR_OK;
}

/* --- settling --------------------------------------------------------------------------------------------------- */

static int settle_change(tested_operator *self, pending_change *change, size_t first, weir_error *err)
{
    if (!self->can_match[any_row(&change->rows)]) { /* and is not kept: it stands alone for ever, or never */
        bool alone = self->counted[self->side] && self->kind != WEIR_JOIN_SEMI;
        return alone ? give_alone(self, change, true, true, err) : WEIR_OK;
    }
    if (!change->has_begun) {
        change->has_begun = true;
        WEIR_TRY(begin_change(self, change, err));
    }
    for (size_t i = first; i < change->candidates_end; i++) {
        WEIR_TRY(settle_candidate(self, change, &self->candidates[i], err));
    }
    return change->is_whole ? end_change(self, change, err) : WEIR_OK;
}

/* Tests and settles what has gathered. Of the changes only one that is not whole is left. */
static int settle_all(tested_operator *self, weir_error *err)
{
    size_t first = 0;
    if (self->candidate_count > 0) {
        WEIR_TRY(weir_join_pair_test_run(&self->test, &self->output, err));
    }
    for (size_t i = 0; i < self->change_count; i++) {
        WEIR_TRY(settle_change(self, &self->changes[i], first, err));
        first = self->changes[i].candidates_end;
    }
    bool goes_on = self->change_count > 0 && !self->changes[self->change_count - 1].is_whole;
    if (goes_on) {
        self->changes[0] = self->changes[self->change_count - 1];
    }
    self->change_count = goes_on ? 1 : 0;
    self->candidate_count = 0;
    weir_buffer_clear(&self->candidate_bytes);
    return weir_join_output_settle(&self->output, err);
}

/* --- gathering --------------------------------------------------------------------------------------------------- */

static int add_candidate(tested_operator *self, const weir_join_change *change, weir_slice row, uint64_t count,
                         weir_error *err)
{
    const int64_t rows[2] = {change->before, change->after};
    uint32_t first = (uint32_t)self->output.others[1 - self->side].length;
    for (int i = 0; i < 2; i++) {
        uint32_t pair;
        if (rows[i] >= 0) {
            WEIR_TRY(weir_join_output_decode(&self->output, row, &pair, err));
            weir_join_pair_test_pair(&self->test, pair, rows[i]);
        }
    }
    WEIR_GROW(self->candidates, self->candidate_capacity, self->candidate_count + 1);
    self->candidates[self->candidate_count++] = (candidate){first, self->candidate_bytes.size, row.size, count};
    weir_buffer_append(&self->candidate_bytes, row.data, row.size);
    return WEIR_OK;
}

/* Gathers the other side's rows of the change's key from `from` on, as many as there is room for. WEIR_END: that was
 * all; otherwise `from` becomes where to go on. */
static int gather_some(tested_operator *self, const weir_join_change *change, weir_state_slot slot, weir_buffer *from,
                       weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice row;
    weir_join_entry entry;
    weir_join_rows *others = &self->rows[1 - self->side];
    WEIR_TRY(weir_join_rows_walk(others, slot, weir_buffer_slice(from), &cursor, err));
    int code;
    while ((code = weir_join_rows_next(others, cursor, &row, &entry, err)) == WEIR_OK) {
        if (!weir_join_output_has_room(&self->output, 2)) {
            weir_buffer_clear(from);
            weir_buffer_append(from, row.data, row.size);
            break;
        }
        WEIR_GO(add_candidate(self, change, row, entry.count, err));
    }
done:
    weir_map_cursor_close(cursor);
    return code;
}

static int gather(tested_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = any_row(change);
    weir_state_slot slot = self->rows[1 - self->side].slots[row];
    weir_buffer from = {0};
    int code = WEIR_END;
    WEIR_GROW(self->changes, self->change_capacity, self->change_count + 1);
    self->changes[self->change_count++] = (pending_change){.rows = *change};
    while (self->can_match[row] && (code = gather_some(self, change, slot, &from, err)) == WEIR_OK) {
        self->changes[self->change_count - 1].candidates_end = self->candidate_count;
        WEIR_GO(settle_all(self, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
    self->changes[self->change_count - 1].candidates_end = self->candidate_count;
    self->changes[self->change_count - 1].is_whole = true;
done:
    weir_buffer_free(&from);
    return code;
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    tested_operator *self = (tested_operator *)base;
    self->side = input;
    weir_join_output_begin(&self->output, input, batch);
    WEIR_TRY(weir_join_keys_run(self->keys[input], batch, &self->keys_of_batch, &self->can_match, err));
    WEIR_TRY(weir_encoded_rows_fill(&self->encoded, batch, err));
    WEIR_TRY(weir_join_rows_fetch_pair(self->rows, self->keys_of_batch, err));
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_next_change(batch, self->keys_of_batch, self->can_match, &row);
        if (weir_join_change_is_none(&change, &self->encoded)) {
            continue;
        }
        WEIR_TRY(gather(self, &change, err));
    }
    return settle_all(self, err);
}

static void close_join(weir_operator *base)
{
    tested_operator *self = (tested_operator *)base;
    for (int i = 0; i < 2; i++) {
        weir_join_keys_free(self->keys[i]);
    }
    weir_join_pair_test_free(&self->test);
    weir_join_rows_close_pair(self->rows);
    weir_encoded_rows_free(&self->encoded);
    weir_join_output_free(&self->output);
    free(self->changes);
    free(self->candidates);
    weir_buffer_free(&self->candidate_bytes);
    weir_arena_free(&self->arena);
    free(self);
}

static int open_sides(tested_operator *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    weir_join_condition condition;
    weir_join_condition_split(node->plan, &self->arena, &condition);
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_join_keys_create(context->engine, &condition, i, node->plan->inputs[i], &self->keys[i], err));
    }
    WEIR_TRY(weir_join_rows_open_pair(self->rows, context, node, err));
    return weir_join_pair_test_open(&self->test, context->engine, node->plan, &condition, &self->arena, err);
}

/* --- for joins of rows near each other --------------------------------------------------------------------------- */

void weir_join_tested_defer(weir_operator *base) { ((tested_operator *)base)->defers = true; }

const weir_sort_keys *weir_join_tested_keys(const weir_operator *base, const uint8_t **out_can_match)
{
    const tested_operator *self = (const tested_operator *)base;
    *out_can_match = self->can_match;
    return self->keys_of_batch;
}

/* One that matched nothing comes alone. */
static int forget_row(tested_operator *self, int32_t side, weir_state_slot slot, weir_slice row, weir_error *err)
{
    weir_join_entry entry;
    uint32_t alone;
    WEIR_TRY(weir_join_rows_get(&self->rows[side], slot, row, &entry, err));
    if (entry.count == 0) {
        return WEIR_OK;
    }
    if (self->counted[side] && entry.matches == 0) {
        WEIR_TRY(weir_join_output_decode(&self->output, row, &alone, err));
        WEIR_TRY(weir_join_output_other(&self->output, WEIR_INSERT, alone, 1, row.size, err));
    }
    entry.count--;
    return weir_join_rows_set(&self->rows[side], slot, row, &entry, err);
}

int weir_join_tested_forget(weir_operator *base, int32_t side, const weir_sort_keys *keys, const weir_time_entry *rows,
                            weir_error *err)
{
    tested_operator *self = (tested_operator *)base;
    weir_batch_clear(&self->test.own[1 - side]);
    weir_join_output_begin(&self->output, 1 - side, &self->test.own[1 - side]);
    WEIR_TRY(weir_join_rows_fetch_pair(self->rows, keys, err));
    for (int64_t i = 0; i < keys->length; i++) {
        WEIR_TRY(forget_row(self, side, self->rows[side].slots[i], rows[i].value, err));
    }
    return weir_join_output_settle(&self->output, err);
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
    weir_arena_init(&self->arena);
    weir_operator_init(&self->base, "Join", 2);
    weir_join_output_init(&self->output, &self->base, plan);
    weir_join_pair_test_init(&self->test, plan);
    int code = open_sides(self, context, node, err);
    if (code != WEIR_OK) {
        weir_operator_close(&self->base);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}
