/* JOIN and LEFT JOIN of a stream with a table FOR SYSTEM_TIME AS OF its processing time: each row of the left input
 * meets what the table holds when it comes. What was given stays as it is, whatever becomes of the table.
 *
 * The table is followed by lookup_table.c: before each batch it takes in what is new. Where rows of the left input can
 * go again, what was given beside them is kept (given_rows.c), since the table may have changed in between.
 *
 * What the join asks for beyond equal keys is tested pair by pair: rows of the table that may match are gathered for
 * many changes, tested together, and then settled in order. Without such conditions each change is settled at once. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join/given_rows.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_pending.h"
#include "stream/operator/join/lookup_table.h"
#include "stream/state/row_codec.h"

#define OWN_ROW_BYTES 64 /* a guess of what a row of the left input takes */

typedef struct lookup_operator {
    weir_operator base;
    weir_arena arena;
    bool outer;
    weir_join_condition condition;
    weir_lookup_table *table;
    weir_join_keys *keys;
    weir_join_output output;
    bool keeps_given;
    weir_given_rows given;
    weir_buffer set; /* what is given beside the row at hand */
    weir_join_pending pending;
    const uint8_t *can_match;
} lookup_operator;

/* --- giving ------------------------------------------------------------------------------------------------------ */

static int give(lookup_operator *self, int8_t kind, int64_t own, uint32_t other, uint64_t times, size_t bytes,
                weir_error *err)
{
    for (uint64_t i = 0; i < times; i++) {
        WEIR_TRY(weir_join_output_row(&self->output, kind, (uint32_t)own, other, bytes + OWN_ROW_BYTES, err));
    }
    return WEIR_OK;
}

static int release(lookup_operator *self, weir_pending_change *change, weir_error *err)
{
    bool before = change->holds_before, after = change->holds_after;
    change->holds_before = change->holds_after = false;
    if (before) {
        int8_t kind = after ? WEIR_UPDATE_BEFORE : WEIR_DELETE;
        WEIR_TRY(give(self, kind, change->rows.before, change->beside_before, 1, 0, err));
    }
    return after ? give(self, before ? WEIR_UPDATE_AFTER : WEIR_INSERT, change->rows.after, change->beside_after, 1, 0,
                        err)
                 : WEIR_OK;
}

/* Decodes a row of the table. When there is no room, what is held must be let go first. */
static int decode(lookup_operator *self, weir_pending_change *change, weir_slice row, uint32_t *out, weir_error *err)
{
    if (!weir_join_output_has_room(&self->output, 1)) {
        WEIR_TRY(release(self, change, err));
        WEIR_TRY(weir_join_output_settle(&self->output, err));
    }
    return weir_join_output_decode(&self->output, row, out, err);
}

/* --- the row that goes ------------------------------------------------------------------------------------------- */

static int take_back(lookup_operator *self, weir_pending_change *change, weir_error *err)
{
    bool found;
    weir_slice row;
    WEIR_TRY(weir_given_rows_pop(&self->given, change->rows.before, &self->set, &found, err));
    weir_slice rest = weir_buffer_slice(&self->set);
    change->holds_before = found && rest.size == 0;
    change->beside_before = WEIR_JOIN_NO_ROW;
    for (bool first = true; weir_given_rows_take(&rest, &row); first = false) {
        uint32_t other;
        WEIR_TRY(decode(self, change, row, &other, err));
        if (first && rest.size == 0) {
            change->holds_before = true;
            change->beside_before = other;
        } else {
            WEIR_TRY(give(self, WEIR_DELETE, change->rows.before, other, 1, row.size, err));
        }
    }
    return WEIR_OK;
}

static int begin_change(lookup_operator *self, weir_pending_change *change, weir_error *err)
{
    int64_t gone = change->rows.before;
    if (gone < 0) {
        return WEIR_OK;
    }
    if (self->can_match[gone]) {
        return take_back(self, change, err);
    }
    change->holds_before = self->outer;
    change->beside_before = WEIR_JOIN_NO_ROW;
    return WEIR_OK;
}

/* --- the row that comes ------------------------------------------------------------------------------------------ */

static int match(lookup_operator *self, weir_pending_change *change, const weir_join_candidate *row, weir_slice bytes,
                 weir_error *err)
{
    for (uint64_t i = 0; self->keeps_given && i < row->count; i++) {
        weir_given_rows_append(&self->set, bytes);
    }
    bool held = change->matches_after == 0 && row->count == 1 && change->holds_before;
    change->matches_after += row->count;
    if (held) {
        change->holds_after = true;
        change->beside_after = row->pair;
        return WEIR_OK;
    }
    if (change->holds_before && change->holds_after) { /* more than one comes: no update */
        change->holds_before = false;
        WEIR_TRY(give(self, WEIR_DELETE, change->rows.before, change->beside_before, 1, 0, err));
    }
    WEIR_TRY(release(self, change, err));
    return give(self, WEIR_INSERT, change->rows.after, row->pair, row->count, row->size, err);
}

static int end_change(lookup_operator *self, weir_pending_change *change, weir_error *err)
{
    int64_t come = change->rows.after;
    if (come >= 0 && change->matches_after == 0 && self->outer) {
        change->holds_after = true;
        change->beside_after = WEIR_JOIN_NO_ROW;
    }
    WEIR_TRY(release(self, change, err));
    bool keeps = come >= 0 && self->keeps_given && self->can_match[come] && (change->matches_after > 0 || self->outer);
    return keeps ? weir_given_rows_push(&self->given, come, weir_buffer_slice(&self->set), err) : WEIR_OK;
}

/* --- settling --------------------------------------------------------------------------------------------------- */

/* Settles what has gathered of a change (weir_join_settle). */
static int settle_change(void *owner, weir_pending_change *change, size_t first, weir_error *err)
{
    lookup_operator *self = owner;
    if (!change->has_begun) {
        weir_buffer_clear(&self->set);
        change->has_begun = true;
    }
    for (size_t i = first; i < change->candidates_end; i++) {
        const weir_join_candidate *row = &self->pending.candidates[i];
        if (self->pending.test.passes[row->pair]) {
            WEIR_TRY(match(self, change, row, weir_join_candidate_row(&self->pending, row), err));
        }
    }
    return change->is_whole ? end_change(self, change, err) : release(self, change, err);
}

static int settle_all(lookup_operator *self, weir_error *err)
{
    return weir_join_pending_settle(&self->pending, &self->output, settle_change, self, err);
}

/* Gathers candidates from `from` on, as many as there is room for. WEIR_END: that was all; otherwise `from` becomes
 * where to go on. */
static int gather_some(lookup_operator *self, int64_t own, weir_buffer *from, weir_error *err)
{
    const weir_join_change tested = {-1, own};
    weir_lookup_cursor cursor;
    weir_lookup_row row;
    WEIR_TRY(weir_lookup_table_walk(self->table, own, weir_buffer_slice(from), &cursor, err));
    int code;
    while ((code = weir_lookup_table_next(self->table, &cursor, &row, err)) == WEIR_OK) {
        if (!weir_join_output_has_room(&self->output, 1)) {
            weir_buffer_clear(from);
            weir_buffer_append(from, row.name.data, row.name.size);
            break;
        }
        WEIR_GO(weir_join_pending_add_candidate(&self->pending, &self->output, &tested, row.row, row.count, err));
    }
done:
    weir_lookup_cursor_close(&cursor);
    return code;
}

static int gather(lookup_operator *self, const weir_join_change *rows, weir_error *err)
{
    weir_buffer from = {0};
    int code = WEIR_OK;
    if (rows->before >= 0) { /* what was given beside it may be among what has gathered */
        WEIR_TRY(settle_all(self, err));
    }
    WEIR_TRY(begin_change(self, weir_join_pending_add(&self->pending, rows), err));
    if (rows->before >= 0) {
        for (int64_t i = 0; i < self->output.others[1].length; i++) { /* decoded to be taken back, not to be tested */
            weir_join_pair_test_pair(&self->pending.test, (uint32_t)i, rows->before);
        }
    }
    while (rows->after >= 0 && self->can_match[rows->after] &&
           (code = gather_some(self, rows->after, &from, err)) == WEIR_OK) {
        weir_join_pending_end_candidates(&self->pending, false);
        WEIR_GO(settle_all(self, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
    weir_join_pending_end_candidates(&self->pending, true);
done:
    weir_buffer_free(&from);
    return code;
}

/* --- without a test ---------------------------------------------------------------------------------------------- */

static int match_all(lookup_operator *self, weir_pending_change *change, weir_error *err)
{
    weir_lookup_cursor cursor;
    weir_lookup_row row;
    WEIR_TRY(weir_lookup_table_walk(self->table, change->rows.after, (weir_slice){0}, &cursor, err));
    int code;
    while ((code = weir_lookup_table_next(self->table, &cursor, &row, err)) == WEIR_OK) {
        weir_join_candidate found = {.size = row.row.size, .count = row.count};
        WEIR_GO(decode(self, change, row.row, &found.pair, err));
        WEIR_GO(match(self, change, &found, row.row, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
done:
    weir_lookup_cursor_close(&cursor);
    return code;
}

static int look_up(lookup_operator *self, const weir_join_change *rows, weir_error *err)
{
    weir_pending_change change = {.rows = *rows};
    WEIR_TRY(begin_change(self, &change, err));
    weir_buffer_clear(&self->set);
    if (rows->after >= 0 && self->can_match[rows->after]) {
        WEIR_TRY(match_all(self, &change, err));
    }
    return end_change(self, &change, err);
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    lookup_operator *self = (lookup_operator *)base;
    const weir_sort_keys *keys;
    weir_join_output_begin(&self->output, input, batch);
    WEIR_TRY(weir_lookup_table_refresh(self->table, err));
    WEIR_TRY(weir_join_keys_run(self->keys, batch, &keys, &self->can_match, err));
    WEIR_TRY(weir_lookup_table_fetch(self->table, self->keys, keys, err));
    if (self->keeps_given) {
        WEIR_TRY(weir_given_rows_fetch(&self->given, batch, err));
    }
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_next_change(batch, keys, self->can_match, &row);
        WEIR_TRY(self->pending.test.compute != NULL ? gather(self, &change, err) : look_up(self, &change, err));
    }
    return settle_all(self, err);
}

static void close_join(weir_operator *base)
{
    lookup_operator *self = (lookup_operator *)base;
    weir_lookup_table_close(self->table);
    weir_join_keys_free(self->keys);
    weir_join_output_free(&self->output);
    weir_given_rows_close(&self->given);
    weir_join_pending_free(&self->pending);
    weir_buffer_free(&self->set);
    weir_arena_free(&self->arena);
    free(self);
}

/* Watermarks of the table say nothing to those who look it up. */
static weir_plan *without_watermarks(weir_arena *arena, const weir_plan *plan)
{
    if (plan->kind == WEIR_PLAN_WATERMARK) {
        return without_watermarks(arena, plan->inputs[0]);
    }
    weir_plan *copy = weir_arena_copy(arena, plan, sizeof *plan);
    copy->inputs = WEIR_NEW_ARRAY(arena, weir_plan *, plan->input_count + 1);
    for (int32_t i = 0; i < plan->input_count; i++) {
        copy->inputs[i] = without_watermarks(arena, plan->inputs[i]);
    }
    return copy;
}

static int fail_at(const weir_plan *join, weir_code code, weir_error *err, const char *message)
{
    return weir_fail_at(err, code, (int)join->as_of->position.line, (int)join->as_of->position.column, "%s", message);
}

static int check_table(const weir_plan *join, const weir_plan *right, const weir_join_condition *condition,
                       weir_error *err)
{
    const weir_plan *scan = weir_plan_row_wise_scan(right);
    if (scan == NULL) {
        return fail_at(
            join, WEIR_UNSUPPORTED, err,
            "a lookup join (FOR SYSTEM_TIME AS OF a processing time) with anything but a table, or a view of "
            "projections and filters over one");
    }
    if (!scan->table->has_lookup) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, (int)join->as_of->position.line, (int)join->as_of->position.column,
                            "Processing-time temporal join is not supported yet: table '%s.%s.%s' can't be looked up "
                            "row by row (Paimon tables can)",
                            scan->table->catalog, scan->table->database, scan->table->name);
    }
    if (condition->key_count == 0 && right->kind != WEIR_PLAN_FILTER) {
        return weir_fail_at(err, WEIR_INVALID, (int)join->position.line, (int)join->position.column,
                            "Temporal table join requires an equality condition on fields of table [%s.%s.%s].",
                            scan->table->catalog, scan->table->database, scan->table->name);
    }
    return WEIR_OK;
}

static int open_parts(lookup_operator *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    const weir_plan *plan = node->plan;
    const weir_plan *right = without_watermarks(&self->arena, plan->inputs[1]);
    weir_join_condition_split(plan, &self->arena, &self->condition);
    WEIR_TRY(check_table(plan, right, &self->condition, err));
    WEIR_TRY(weir_lookup_table_open(context, right, plan->inputs[0]->field_count, node->uid, &self->condition,
                                    &self->table, err));
    WEIR_TRY(weir_join_keys_create(context->engine, &self->condition, WEIR_JOIN_LEFT_SIDE, plan->inputs[0], &self->keys,
                                   err));
    self->keeps_given = node->inputs[0]->updates || node->inputs[0]->deletes;
    if (self->keeps_given) {
        WEIR_TRY(weir_given_rows_open(&self->given, context, node, &self->arena, err));
    }
    return self->condition.rest_count == 0 ? WEIR_OK
                                           : weir_join_pair_test_open(&self->pending.test, context->engine, plan,
                                                                      &self->condition, &self->arena, err);
}

int weir_lookup_join_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                            weir_error *err)
{
    const weir_plan *plan = node->plan;
    lookup_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_join;
    self->outer = plan->join == WEIR_JOIN_LEFT;
    weir_arena_init(&self->arena);
    weir_operator_init(&self->base, "LookupJoin", 1);
    weir_join_output_init(&self->output, &self->base, plan);
    weir_join_pair_test_init(&self->pending.test, plan);
    int code = open_parts(self, context, node, err);
    return weir_operator_created(&self->base, code, out);
}
