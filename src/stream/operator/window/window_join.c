/* JOIN of the rows of two windows: rows of both sides wait until their window closes, and are joined then. What comes
 * out never changes. Rows of windows that have closed are late, and dropped.
 *
 * Both sides wait in queues in one order, so that joining is merging them:
 *
 *   when the window is due | 1, or 0 where the row can match nothing | key, of which the window is part | number */
#include <stdlib.h>

#include "stream/operator/byte_keys.h"
#include "stream/operator/join/join_condition.h"
#include "stream/operator/operators.h"
#include "stream/operator/time_queue.h"
#include "stream/operator/window/window_clock.h"
#include "stream/operator/window/window_operator.h"
#include "stream/state/row_codec.h"

enum { most_pairs = 16384 };

/* One side: what waits, and the rows of the window that is being joined. */
typedef struct join_side {
    weir_join_keys *keys;
    weir_time_queue *waiting;
    int32_t window_end; /* field of the input */
    const weir_time_entry *entries;
    int64_t count;
    weir_batch rows;
    bool *matched;
    size_t matched_capacity;
    uint32_t *pairs; /* rows that may match those of the other side */
} join_side;

typedef struct window_join {
    weir_window_operator window; /* first */
    const weir_plan *plan;
    weir_arena arena;
    weir_join_condition condition;
    join_side sides[2];
    const weir_zone *zone;
    weir_sql_compute *rest; /* what else the condition says of two rows; NULL: nothing */
    int64_t pair_count;
    weir_batch candidates; /* rows of both sides beside each other */
    weir_batch survivors;
    weir_batch result;
    uint32_t *chosen;
    size_t chosen_capacity;
    weir_buffer key;
} window_join;

/* --- Rows that come -------------------------------------------------------------------------------------------- */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    window_join *self = (window_join *)base;
    join_side *side = &self->sides[input];
    const weir_vector *ends = &batch->columns[side->window_end];
    const weir_sort_keys *keys;
    const uint8_t *can_match;
    int64_t late = 0;
    WEIR_TRY(weir_join_keys_run(side->keys, batch, &keys, &can_match, err));
    for (int64_t row = 0; row < batch->length; row++) {
        int64_t due = weir_window_due(self->zone, weir_time_millis(ends, row) - 1);
        if (!self->window.by_clock && due <= self->window.closed) {
            late++;
            continue;
        }
        weir_slice key = weir_byte_key(keys, row);
        weir_buffer_clear(&self->key);
        weir_buffer_append_byte(&self->key, can_match[row] != 0);
        weir_buffer_append(&self->key, key.data, key.size);
        WEIR_TRY(weir_time_queue_put_row(side->waiting, due, weir_buffer_slice(&self->key), batch, row, err));
    }
    atomic_fetch_add(self->window.context->late_rows, late);
    return WEIR_OK;
}

/* --- Rows that meet -------------------------------------------------------------------------------------------- */

static int append_pairs(window_join *self, weir_error *err)
{
    int32_t split = self->plan->inputs[0]->field_count;
    weir_batch_clear(&self->candidates);
    for (int32_t i = 0; i < self->candidates.column_count; i++) {
        const join_side *side = &self->sides[i < split ? 0 : 1];
        WEIR_TRY(weir_vector_append_rows(&self->candidates.columns[i], &side->rows.columns[i < split ? i : i - split],
                                         side->pairs, self->pair_count, err));
    }
    self->candidates.length = self->pair_count;
    return WEIR_OK;
}

/* Sends the pairs that have gathered and fulfil the condition, where pairs are what the join gives. */
static int flush_pairs(window_join *self, weir_error *err)
{
    const uint32_t *kept = NULL;
    const weir_batch *met = &self->candidates;
    if (self->pair_count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(append_pairs(self, err));
    if (self->rest != NULL) {
        WEIR_TRY(weir_sql_compute_run(self->rest, &self->candidates, &self->survivors, &kept, err));
        met = &self->survivors;
    }
    for (int64_t i = 0; i < met->length; i++) {
        uint32_t pair = kept == NULL ? (uint32_t)i : kept[i];
        self->sides[0].matched[self->sides[0].pairs[pair]] = true;
        self->sides[1].matched[self->sides[1].pairs[pair]] = true;
    }
    self->pair_count = 0;
    return weir_join_keeps_both(self->plan->join) ? weir_output_send(&self->window.base, met, err) : WEIR_OK;
}

/* All rows of one key of the left side with all of the right one. */
static int pair_up(window_join *self, int64_t left, int64_t left_end, int64_t right, int64_t right_end, weir_error *err)
{
    for (int64_t i = left; i < left_end; i++) {
        for (int64_t j = right; j < right_end; j++) {
            self->sides[0].pairs[self->pair_count] = (uint32_t)i;
            self->sides[1].pairs[self->pair_count++] = (uint32_t)j;
            WEIR_TRY(self->pair_count == most_pairs ? flush_pairs(self, err) : WEIR_OK);
        }
    }
    return WEIR_OK;
}

static int64_t end_of_key(const join_side *side, int64_t first)
{
    weir_slice key = weir_time_entry_row_key(&side->entries[first]);
    int64_t end = first + 1;
    while (end < side->count && weir_slice_equal(weir_time_entry_row_key(&side->entries[end]), key)) {
        end++;
    }
    return end;
}

static int merge_sides(window_join *self, weir_error *err)
{
    const join_side *left = &self->sides[0];
    const join_side *right = &self->sides[1];
    int64_t i = 0;
    int64_t j = 0;
    while (i < left->count && j < right->count) {
        weir_slice key = weir_time_entry_row_key(&left->entries[i]);
        int order = weir_slice_compare(key, weir_time_entry_row_key(&right->entries[j]));
        int64_t left_end = order <= 0 ? end_of_key(left, i) : i;
        int64_t right_end = order >= 0 ? end_of_key(right, j) : j;
        if (order == 0 && key.data[0] != 0) {
            WEIR_TRY(pair_up(self, i, left_end, j, right_end, err));
        }
        i = left_end;
        j = right_end;
    }
    return flush_pairs(self, err);
}

/* Sends the rows of a side that have found a match, or that have not; with NULLs for the other side where the join has
 * its columns. */
static int send_side(window_join *self, int32_t number, bool matched, weir_error *err)
{
    const join_side *side = &self->sides[number];
    int32_t split = self->plan->inputs[0]->field_count;
    int64_t count = 0;
    WEIR_GROW(self->chosen, self->chosen_capacity, side->count);
    for (int64_t i = 0; i < side->count; i++) {
        self->chosen[count] = (uint32_t)i;
        count += side->matched[i] == matched;
    }
    weir_batch_clear(&self->result);
    for (int32_t i = 0; i < self->result.column_count; i++) {
        bool own = (i < split) == (number == 0);
        WEIR_TRY(own ? weir_vector_append_rows(&self->result.columns[i],
                                               &side->rows.columns[number == 0 ? i : i - split], self->chosen, count,
                                               err)
                     : weir_vector_append_nulls(&self->result.columns[i], count, err));
    }
    self->result.length = count;
    return weir_output_send(&self->window.base, &self->result, err);
}

static int send_lonely(window_join *self, weir_error *err)
{
    switch (self->plan->join) {
    case WEIR_JOIN_LEFT:
        return send_side(self, 0, false, err);
    case WEIR_JOIN_RIGHT:
        return send_side(self, 1, false, err);
    case WEIR_JOIN_FULL:
        WEIR_TRY(send_side(self, 0, false, err));
        return send_side(self, 1, false, err);
    case WEIR_JOIN_SEMI:
        return send_side(self, 0, true, err);
    case WEIR_JOIN_ANTI:
        return send_side(self, 0, false, err);
    default:
        return WEIR_OK;
    }
}

/* --- Windows that close ---------------------------------------------------------------------------------------- */

static int take_rows(join_side *side, int64_t moment, weir_error *err)
{
    WEIR_TRY(weir_time_queue_take(side->waiting, moment, &side->entries, &side->count, err));
    weir_batch_clear(&side->rows);
    WEIR_GROW(side->matched, side->matched_capacity, side->count);
    for (int64_t i = 0; i < side->count; i++) {
        WEIR_TRY(weir_row_decode(side->entries[i].value, &side->rows, 0, side->rows.column_count, err));
        side->matched[i] = false;
    }
    side->rows.length = side->count;
    return WEIR_OK;
}

static int close_due(weir_window_operator *base, int64_t moment, weir_error *err)
{
    window_join *self = (window_join *)base;
    for (;;) {
        int64_t next[2];
        for (int32_t i = 0; i < 2; i++) {
            WEIR_TRY(weir_time_queue_first(self->sides[i].waiting, moment, &next[i], err));
        }
        int64_t first = next[0] < next[1] ? next[0] : next[1];
        if (first > moment || first == INT64_MAX) {
            return WEIR_OK;
        }
        WEIR_TRY(take_rows(&self->sides[0], first, err));
        WEIR_TRY(take_rows(&self->sides[1], first, err));
        WEIR_TRY(merge_sides(self, err));
        WEIR_TRY(send_lonely(self, err));
    }
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static void close_operator(weir_operator *base)
{
    window_join *self = (window_join *)base;
    for (int32_t i = 0; i < 2; i++) {
        weir_join_keys_free(self->sides[i].keys);
        weir_time_queue_close(self->sides[i].waiting);
        weir_batch_free(&self->sides[i].rows);
        free(self->sides[i].matched);
        free(self->sides[i].pairs);
    }
    weir_sql_compute_free(self->rest);
    weir_batch_free(&self->candidates);
    weir_batch_free(&self->survivors);
    weir_batch_free(&self->result);
    weir_buffer_free(&self->key);
    weir_arena_free(&self->arena);
    free(self->chosen);
    free(self);
}

/* The fields of both inputs, of SEMI and ANTI as well. */
static weir_field *joined_fields(window_join *self, int32_t *out_count)
{
    const weir_plan *left = self->plan->inputs[0];
    const weir_plan *right = self->plan->inputs[1];
    int32_t count = left->field_count + right->field_count;
    weir_field *fields = WEIR_NEW_ARRAY(&self->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        fields[i] = i < left->field_count ? left->fields[i] : right->fields[i - left->field_count];
    }
    *out_count = count;
    return fields;
}

static int open_rest(window_join *self, weir_error *err)
{
    int32_t count;
    weir_field *fields = joined_fields(self, &count);
    weir_expression **columns = WEIR_NEW_ARRAY(&self->arena, weir_expression *, count + 1);
    weir_batch_init(&self->candidates, fields, count);
    weir_batch_init(&self->survivors, fields, count);
    if (self->condition.rest_count == 0) {
        return WEIR_OK;
    }
    for (int32_t i = 0; i < count; i++) {
        columns[i] = WEIR_NEW(&self->arena, weir_expression);
        *columns[i] = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .column = i, .type = fields[i].type};
    }
    const weir_sql_compute_options options = {.fields = fields,
                                              .field_count = count,
                                              .conditions = self->condition.rest,
                                              .condition_count = self->condition.rest_count,
                                              .expressions = columns,
                                              .expression_count = count};
    return weir_sql_compute_create(self->window.context->engine, &options, &self->rest, err);
}

static int open_side(window_join *self, int32_t number, const weir_stream_node *node, weir_error *err)
{
    join_side *side = &self->sides[number];
    const weir_plan *input = self->plan->inputs[number];
    side->window_end = node->inputs[number]->window_end;
    side->pairs = weir_alloc_zeroed(most_pairs, sizeof *side->pairs);
    weir_batch_init(&side->rows, input->fields, input->field_count);
    WEIR_TRY(weir_join_keys_create(self->window.context->engine, &self->condition, number, input, &side->keys, err));
    return weir_time_queue_open(self->window.context, self->window.uid, number == 0 ? "left" : "right", &side->waiting,
                                err);
}

int weir_window_join_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                     weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    int code = WEIR_OK;
    if (plan->join == WEIR_JOIN_ANTI_NULL_AWARE) {
        return weir_fail_at(
            err, WEIR_UNSUPPORTED, plan->position.line, plan->position.column,
            "NOT IN over the rows of windows does not run as a stream in this version; write NOT EXISTS");
    }
    window_join *self = weir_alloc_zeroed(1, sizeof *self);
    self->window.base.process = process;
    self->window.base.close = close_operator;
    self->window.close_due = close_due;
    weir_window_operator_init(&self->window, "WindowJoin", 2, context, node->uid, node->inputs[0]->window_clock);
    weir_arena_init(&self->arena);
    self->plan = plan;
    self->zone = weir_window_zone(node->inputs[0]->window_zone);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    weir_join_condition_split(plan, &self->arena, &self->condition);
    WEIR_GO(open_rest(self, err));
    WEIR_GO(open_side(self, 0, node, err));
    WEIR_GO(open_side(self, 1, node, err));
    WEIR_GO(weir_window_operator_restore(&self->window, err));
done:
    return weir_operator_created(&self->window.base, code, out);
}
