/* NOT IN over values that may be NULL: a row of the left side is given while its value is known to be unlike all values
 * of the right side. One NULL there, and nothing is known; with no rows at all there, even NULL is unlike them.
 *
 *   value of the left row     given while
 *   not NULL                  the right side has no row of this value, and none of NULL
 *   NULL                      the right side has no rows
 *
 * Of the right side only the number of rows by value is kept, that of NULLs, and that of all. When the first NULL
 * comes, or the last goes, all rows go or come whose values the right side lacks: so the values of the left side that
 * the right side lacks are kept as a list too. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_sides.h"

typedef struct not_in_operator {
    weir_operator base;
    weir_join_sides sides;     /* of the right side's rows only their number is kept */
    weir_join_rows left_nulls; /* all under one key */
    weir_value_state *totals;  /* of the right side, under one key */
    weir_map_state *unmatched; /* under one key: values of the left side that the right side lacks -> nothing */
    weir_sort_keys one_key;    /* … that key */
    weir_state_slot total, list;
} not_in_operator;

typedef struct totals {
    uint64_t rows, nulls;
} totals;

static totals totals_of(const not_in_operator *self)
{
    totals result = {0, 0};
    weir_slice bytes = weir_value_state_get(self->totals, self->total);
    if (bytes.size == sizeof result) {
        memcpy(&result, bytes.data, sizeof result);
    }
    return result;
}

static int set_totals(not_in_operator *self, const totals *to, weir_error *err)
{
    uint8_t *bytes;
    WEIR_TRY(weir_value_state_edit(self->totals, self->total, sizeof *to, &bytes, err));
    memcpy(bytes, to, sizeof *to);
    return WEIR_OK;
}

/* Enters the value of a row into the list of those that the right side lacks, or takes it out. */
static int list_value(not_in_operator *self, int64_t row, bool enters, weir_error *err)
{
    uint8_t space[8];
    weir_slice value = weir_join_key_bytes(self->sides.batch_keys, row, space);
    return enters ? weir_map_state_put(self->unmatched, self->list, value, (weir_slice){0}, err)
                  : weir_map_state_remove(self->unmatched, self->list, value, err);
}

/* --- the left side ----------------------------------------------------------------------------------------------- */

/* A row of the left side whose value is not NULL; `out_unmatched`: the right side lacks it. */
static int keep_value(not_in_operator *self, const weir_join_change *change, int64_t row, bool *out_unmatched,
                      weir_error *err)
{
    weir_join_rows *left = &self->sides.rows[0], *right = &self->sides.rows[1];
    uint64_t matches;
    bool empty = false;
    WEIR_TRY(weir_join_rows_count(right, right->slots[row], &matches, err));
    bool unmatched = matches == 0;
    WEIR_TRY(weir_join_rows_apply(left, left->slots[row], change, &self->sides.encoded, err));
    if (unmatched && change->after < 0) {
        WEIR_TRY(weir_join_rows_is_empty(left, left->slots[row], &empty, err));
    }
    if (unmatched && (change->before < 0 || empty)) {
        WEIR_TRY(list_value(self, row, !empty, err));
    }
    *out_unmatched = unmatched;
    return WEIR_OK;
}

static int change_left(not_in_operator *self, const weir_join_change *change, weir_error *err)
{
    int64_t row = weir_join_change_row(change);
    totals right = totals_of(self);
    bool given, unmatched;
    if (weir_join_change_is_none(change, &self->sides.encoded)) {
        return WEIR_OK;
    }
    if (self->sides.can_match[row]) {
        WEIR_TRY(keep_value(self, change, row, &unmatched, err));
        given = unmatched && right.nulls == 0;
    } else {
        weir_join_rows *nulls = &self->left_nulls;
        WEIR_TRY(weir_join_rows_apply(nulls, nulls->slots[0], change, &self->sides.encoded, err));
        given = right.rows == 0;
    }
    size_t bytes = weir_encoded_row(&self->sides.encoded, row).size;
    return given ? weir_join_output_change(&self->sides.output, change, WEIR_JOIN_NO_ROW, 1, bytes, err) : WEIR_OK;
}

/* --- the right side ---------------------------------------------------------------------------------------------- */

/* All rows whose values the right side lacks come or go. */
static int give_unmatched(not_in_operator *self, int8_t kind, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice value, nothing;
    WEIR_TRY(weir_map_cursor_open(self->unmatched, self->list, (weir_slice){0}, &cursor, err));
    int code;
    while ((code = weir_map_cursor_next(cursor, &value, &nothing, err)) == WEIR_OK) {
        weir_state_slot slot;
        WEIR_GO(weir_map_state_fetch_one(self->sides.rows[0].map, value, &slot, err));
        WEIR_GO(weir_join_output_all(&self->sides.output, kind, &self->sides.rows[0], slot, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
done:
    weir_map_cursor_close(cursor);
    /* which has made the places of this batch's keys invalid */
    return code != WEIR_OK ? code : weir_join_rows_fetch_pair(self->sides.rows, self->sides.batch_keys, err);
}

static int change_value(not_in_operator *self, int64_t row, bool comes, bool known, weir_error *err)
{
    uint64_t before, after;
    bool empty;
    WEIR_TRY(
        weir_join_rows_count_change(&self->sides.rows[1], self->sides.rows[1].slots[row], comes, &before, &after, err));
    if ((before > 0) == (after > 0)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_join_rows_is_empty(&self->sides.rows[0], self->sides.rows[0].slots[row], &empty, err));
    if (empty) {
        return WEIR_OK;
    }
    WEIR_TRY(list_value(self, row, !comes, err));
    int8_t kind = comes ? WEIR_DELETE : WEIR_INSERT;
    return known ? weir_join_output_all(&self->sides.output, kind, &self->sides.rows[0], self->sides.rows[0].slots[row],
                                        err)
                 : WEIR_OK;
}

/* One row of the right side comes or goes. */
static int change_right(not_in_operator *self, int64_t row, bool comes, weir_error *err)
{
    totals before = totals_of(self), after = before;
    int8_t kind = comes ? WEIR_DELETE : WEIR_INSERT;
    bool is_null = !self->sides.can_match[row];
    if (!comes && (before.rows == 0 || (is_null && before.nulls == 0))) {
        return WEIR_OK; /* forgotten */
    }
    after.rows += comes ? 1 : UINT64_MAX;
    after.nulls += !is_null ? 0 : comes ? 1 : UINT64_MAX;
    WEIR_TRY(set_totals(self, &after, err));
    if (!is_null) {
        WEIR_TRY(change_value(self, row, comes, before.nulls == 0, err));
    } else if ((before.nulls == 0) != (after.nulls == 0)) {
        WEIR_TRY(give_unmatched(self, kind, err));
    }
    if ((before.rows == 0) != (after.rows == 0)) {
        WEIR_TRY(weir_join_output_all(&self->sides.output, kind, &self->left_nulls, self->left_nulls.slots[0], err));
    }
    return WEIR_OK;
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static int apply(not_in_operator *self, int32_t input, const weir_join_change *change, weir_error *err)
{
    if (input == WEIR_JOIN_LEFT_SIDE) {
        return change_left(self, change, err);
    }
    if (change->before >= 0 && change->after >= 0) {
        return WEIR_OK; /* there is one of the value as before */
    }
    return change_right(self, change->after >= 0 ? change->after : change->before, change->after >= 0, err);
}

/* What is kept for the operator as a whole. */
static int fetch_totals(not_in_operator *self, weir_error *err)
{
    WEIR_TRY(weir_join_rows_fetch(&self->left_nulls, &self->one_key, err));
    WEIR_TRY(weir_value_state_fetch(self->totals, &self->one_key, &self->total, err));
    return weir_map_state_fetch(self->unmatched, &self->one_key, &self->list, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    not_in_operator *self = (not_in_operator *)base;
    WEIR_TRY(weir_join_sides_begin(&self->sides, input, batch, err));
    WEIR_TRY(fetch_totals(self, err));
    if (input == WEIR_JOIN_LEFT_SIDE) {
        WEIR_TRY(weir_encoded_rows_fill(&self->sides.encoded, batch, err));
    }
    for (int64_t row = 0; row < batch->length;) {
        weir_join_change change = weir_join_sides_next_change(&self->sides, batch, &row);
        WEIR_TRY(apply(self, input, &change, err));
    }
    return weir_join_output_settle(&self->sides.output, err);
}

static void close_join(weir_operator *base)
{
    not_in_operator *self = (not_in_operator *)base;
    weir_join_sides_free(&self->sides);
    weir_join_rows_close(&self->left_nulls);
    if (self->totals != NULL) {
        weir_value_state_close(self->totals);
    }
    if (self->unmatched != NULL) {
        weir_map_state_close(self->unmatched);
    }
    weir_sort_keys_free(&self->one_key);
    free(self);
}

static int open_state(not_in_operator *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    weir_state_options sums = {.uid = node->uid, .name = "totals"};
    weir_state_options unmatched = {.uid = node->uid, .name = "unmatched", .ttl_ms = context->state_ttl_ms};
    WEIR_TRY(weir_join_sides_open(&self->sides, context, node, err));
    WEIR_TRY(weir_join_rows_open(&self->left_nulls, context, node->uid, "left-nulls", err));
    WEIR_TRY(weir_value_state_open(context->state, &sums, &self->totals, err));
    WEIR_TRY(weir_map_state_open(context->state, &unmatched, &self->unmatched, err));
    weir_batch one = {.length = 1};
    return weir_state_keys_append(&self->one_key, &one, NULL, 0, err);
}

static int check_condition(const weir_join_condition *condition, const weir_plan *plan, weir_error *err)
{
    int32_t others = condition->rest_count + condition->own_count[0] + condition->own_count[1];
    return condition->key_count == 1 && others == 0
               ? WEIR_OK
               : weir_fail_at(err, WEIR_UNSUPPORTED, (int)plan->position.line, (int)plan->position.column,
                              "NOT IN over values of this type can't run as a stream yet");
}

int weir_join_not_in_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                            weir_error *err)
{
    not_in_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_join;
    weir_operator_init(&self->base, "Join", 2);
    weir_join_sides_init(&self->sides, &self->base, node->plan);
    int code = check_condition(&self->sides.condition, node->plan, err);
    code = code != WEIR_OK ? code : open_state(self, context, node, err);
    return weir_operator_created(&self->base, code, out);
}
