/* AGGREGATE by the sessions of an ASSIGN right below it, as one: what sessions are made of is kept as accumulators and
 * not as rows. A session's row is sent when the session closes.
 *
 * Only where the groups are the session's bounds and what sessions are kept apart by; otherwise rows are gathered first
 * (session_rows.c) and then aggregated as those of other windows are (window_aggregate.c). */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator.h"
#include "stream/operator/aggregate/existing_rows.h"
#include "stream/operator/byte_keys.h"
#include "stream/operator/operators.h"
#include "stream/operator/window/sessions.h"
#include "stream/operator/window/window_groups.h"
#include "stream/operator/window/window_operator.h"
#include "stream/state/row_codec.h"

typedef struct session_aggregate {
    weir_window_operator window;   /* first */
    weir_operator_context context; /* without table.exec.state.ttl: windows go when they close */
    const weir_plan *plan;
    const weir_assigner *assigner;
    weir_window_groups groups;
    weir_accumulators *accumulators;
    weir_sessions *sessions;
    weir_sort_keys keys; /* of rows that wait for the accumulators, */
    uint32_t *rows;      /* and which rows they are */
    size_t rows_capacity;
    weir_sort_keys merged, target;
    weir_buffer bytes;
    weir_batch result;
    weir_existing_rows existing;
} session_aggregate;

/* --- Rows that come -------------------------------------------------------------------------------------------- */

/* A session's accumulators are kept under its number and its key. */
static void add_key(session_aggregate *self, weir_sort_keys *keys, weir_slice key, int64_t number)
{
    uint8_t bytes[8];
    weir_store_le64(bytes, (uint64_t)number);
    weir_buffer_clear(&self->bytes);
    weir_buffer_append(&self->bytes, bytes, sizeof bytes);
    weir_buffer_append(&self->bytes, key.data, key.size);
    weir_byte_keys_add(keys, weir_buffer_slice(&self->bytes));
}

static int update(session_aggregate *self, weir_error *err)
{
    int code = self->keys.length == 0
                   ? WEIR_OK
                   : weir_accumulators_update(self->accumulators, &self->keys, self->rows, NULL, err);
    weir_sort_keys_clear(&self->keys);
    return code;
}

/* Sessions that became part of another: rows so far were of theirs. */
static int merge(session_aggregate *self, weir_slice key, const weir_session_window *into, const int64_t *merged,
                 int32_t count, weir_error *err)
{
    WEIR_TRY(update(self, err));
    weir_sort_keys_clear(&self->merged);
    weir_sort_keys_clear(&self->target);
    for (int32_t i = 0; i < count; i++) {
        add_key(self, &self->merged, key, merged[i]);
        add_key(self, &self->target, key, into->number);
    }
    WEIR_TRY(weir_accumulators_merge(self->accumulators, &self->merged, &self->target, err));
    return weir_accumulators_remove(self->accumulators, &self->merged, err);
}

static int add_row(session_aggregate *self, weir_slice key, int64_t row, int64_t time, weir_error *err)
{
    weir_session_window window;
    const int64_t *merged;
    int32_t merged_count;
    bool late;
    int64_t closed = self->window.by_clock ? INT64_MIN : self->window.closed;
    WEIR_TRY(weir_sessions_add(self->sessions, key, time, closed, &late, &window, &merged, &merged_count, err));
    if (late) {
        atomic_fetch_add(self->context.late_rows, 1);
        return WEIR_OK;
    }
    if (merged_count > 0) {
        WEIR_TRY(merge(self, key, &window, merged, merged_count, err));
    }
    WEIR_GROW(self->rows, self->rows_capacity, self->keys.length + 1);
    self->rows[self->keys.length] = (uint32_t)row;
    add_key(self, &self->keys, key, window.number);
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    session_aggregate *self = (session_aggregate *)base;
    const weir_vector *times = &batch->columns[self->assigner->column];
    const weir_batch *computed;
    int64_t now = self->window.by_clock ? self->context.clock_ms() : 0;
    weir_buffer key = {0};
    int code = WEIR_OK;
    (void)input;
    WEIR_GO(weir_accumulators_compute(self->accumulators, batch, &computed, err));
    for (int64_t row = 0; row < batch->length; row++) {
        if (!self->window.by_clock && weir_vector_is_null(times, row)) {
            continue;
        }
        weir_buffer_clear(&key);
        WEIR_GO(weir_row_encode(computed, self->groups.key_columns, self->groups.key_count, row, &key, err));
        int64_t instant = self->window.by_clock ? now : weir_time_millis(times, row);
        WEIR_GO(add_row(self, weir_buffer_slice(&key), row, weir_window_local(self->groups.zone, instant), err));
    }
    WEIR_GO(update(self, err));
done:
    weir_buffer_free(&key);
    return code;
}

/* --- Sessions that close --------------------------------------------------------------------------------------- */

static int build_result(session_aggregate *self, const weir_closed_session *closed, int64_t count, weir_error *err)
{
    weir_batch_clear(&self->result);
    weir_window_groups_clear(&self->groups);
    for (int64_t i = 0; i < count; i++) {
        const weir_session_window *window = &closed[i].window;
        WEIR_TRY(weir_window_groups_add(&self->groups, closed[i].key, window->start, window->end, &self->result, err));
    }
    WEIR_TRY(weir_window_groups_finish(&self->groups, &self->result, err));
    self->result.length = count;
    return WEIR_OK;
}

static int close_due(weir_window_operator *base, int64_t moment, weir_error *err)
{
    session_aggregate *self = (session_aggregate *)base;
    const weir_closed_session *closed;
    int64_t count;
    for (;;) {
        WEIR_TRY(weir_sessions_take(self->sessions, moment, &closed, &count, err));
        if (count == 0) {
            return WEIR_OK;
        }
        weir_sort_keys_clear(&self->target);
        for (int64_t i = 0; i < count; i++) {
            add_key(self, &self->target, closed[i].key, closed[i].window.number);
        }
        WEIR_TRY(build_result(self, closed, count, err));
        weir_existing_rows_reserve(&self->existing, count);
        WEIR_TRY(weir_accumulators_values(self->accumulators, &self->target, &self->result, self->groups.group_count,
                                          self->existing.exists, err));
        WEIR_TRY(weir_existing_rows_send(&self->existing, &self->window.base, &self->result, err));
        WEIR_TRY(weir_accumulators_remove(self->accumulators, &self->target, err));
    }
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

bool weir_plan_is_session_aggregate(const weir_plan *plan)
{
    if (!weir_window_groups_fit(plan) || plan->inputs[0]->assigner->kind != WEIR_ASSIGN_SESSION) {
        return false;
    }
    const weir_assigner *assigner = plan->inputs[0]->assigner;
    int32_t before = plan->inputs[0]->inputs[0]->field_count;
    int32_t keys = 0;
    for (int32_t i = 0; i < plan->expression_count; i++) {
        const weir_expression *bare = weir_expression_bare(plan->expressions[i]);
        bool found = bare->kind == WEIR_EXPRESSION_COLUMN && bare->column >= before;
        for (int32_t j = 0; j < assigner->partition_key_count && !found; j++) {
            found = weir_expression_equal(plan->expressions[i], assigner->partition_keys[j]);
            keys += found;
        }
        if (!found) {
            return false;
        }
    }
    return keys == assigner->partition_key_count;
}

static int open_state(session_aggregate *self, const weir_stream_node *node, weir_error *err)
{
    const weir_sessions_options sessions = {
        .context = &self->context, .uid = node->uid, .gap_ms = self->assigner->size, .zone = self->groups.zone};
    WEIR_TRY(weir_window_groups_accumulators(&self->groups, &self->context, node, &self->accumulators, err));
    WEIR_TRY(weir_sessions_open(&sessions, &self->sessions, err));
    return weir_window_operator_restore(&self->window, err);
}

static void close_operator(weir_operator *base)
{
    session_aggregate *self = (session_aggregate *)base;
    weir_accumulators_free(self->accumulators);
    weir_sessions_close(self->sessions);
    weir_sort_keys_free(&self->keys);
    weir_sort_keys_free(&self->merged);
    weir_sort_keys_free(&self->target);
    weir_buffer_free(&self->bytes);
    weir_window_groups_free(&self->groups);
    weir_batch_free(&self->result);
    weir_existing_rows_free(&self->existing);
    free(self->rows);
    free(self);
}

int weir_session_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                           weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    session_aggregate *self = weir_alloc_zeroed(1, sizeof *self);
    self->window.base.process = process;
    self->window.base.close = close_operator;
    self->window.close_due = close_due;
    weir_window_operator_init(&self->window, "SessionAggregate", 1, context, node->uid, node->inputs[0]->window_clock);
    self->context = *context;
    self->context.state_ttl_ms = 0;
    self->plan = plan;
    self->assigner = plan->inputs[0]->assigner;
    weir_window_groups_init(&self->groups, plan);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    weir_existing_rows_init(&self->existing, plan);
    int code = open_state(self, node, err);
    return weir_operator_created(&self->window.base, code, out);
}
