/* AGGREGATE (and DISTINCT) of rows that carry their windows, by these windows: one row a window and group, when the
 * window closes, and nothing of it is kept afterwards. Rows of windows that have closed are late, and dropped.
 *
 * Windows close when the watermark reaches their last moment; those of processing time when the clock does. Each window
 * and group waits until it is due; its key is the group as an encoded row, after the number of its grouping set. What
 * its aggregates are made of is kept by the accumulators under the same key. */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator.h"
#include "stream/operator/aggregate/existing_rows.h"
#include "stream/operator/byte_keys.h"
#include "stream/operator/operators.h"
#include "stream/operator/window/due_list.h"
#include "stream/operator/window/window_clock.h"
#include "stream/operator/window/window_operator.h"
#include "stream/plan/times.h"
#include "stream/state/row_codec.h"

enum { set_size = 4 };

typedef struct window_aggregate {
    weir_window_operator window;   /* first */
    weir_operator_context context; /* without table.exec.state.ttl: windows go when they close */
    const weir_plan *plan;
    weir_arena arena;
    weir_accumulators *accumulators;
    weir_due_list *waiting;
    weir_value_state *known; /* a byte for each window and group that waits */
    const weir_zone *zone;
    int32_t window_end; /* which group */
    int32_t group_count;
    weir_batch groups;
    weir_batch result;
    weir_existing_rows existing;
    weir_sort_keys keys;
    weir_buffer key;
    uint32_t *rows; /* of the batch at hand that are not late, */
    int64_t *due;   /* and when their windows close */
    weir_state_slot *slots;
    size_t rows_capacity, due_capacity, slots_capacity;
} window_aggregate;

static int32_t set_count(const window_aggregate *self)
{
    return self->plan->grouping_set_count == 0 ? 1 : self->plan->grouping_set_count;
}

static void use_set(window_aggregate *self, int32_t set)
{
    if (self->plan->grouping_set_count > 0) {
        weir_accumulators_use_set(self->accumulators, self->plan, set);
    }
}

static bool groups_by(const window_aggregate *self, int32_t set, int32_t group)
{
    return self->plan->grouping_set_count == 0 || (self->plan->grouping_sets[set] >> group & 1);
}

/* --- Rows that come -------------------------------------------------------------------------------------------- */

/* The rows whose windows are open, and when these are due. Rows of one window mostly follow each other. */
static int64_t choose_rows(window_aggregate *self, const weir_batch *computed)
{
    const weir_vector *ends = &computed->columns[self->window_end];
    int64_t count = 0;
    int64_t end = INT64_MIN;
    int64_t due = 0;
    WEIR_GROW(self->rows, self->rows_capacity, computed->length);
    WEIR_GROW(self->due, self->due_capacity, computed->length);
    for (int64_t row = 0; row < computed->length; row++) {
        int64_t end_of_row = weir_time_millis(ends, row);
        if (end_of_row != end) {
            end = end_of_row;
            due = weir_window_due(self->zone, end - 1);
        }
        if (self->window.by_clock || due > self->window.closed) {
            self->rows[count] = (uint32_t)row;
            self->due[count++] = due;
        }
    }
    atomic_fetch_add(self->context.late_rows, computed->length - count);
    return count;
}

/* The groups of the chosen rows in one set, as keys. */
static int build_keys(window_aggregate *self, const weir_batch *computed, int64_t count, int32_t set, weir_error *err)
{
    weir_batch_clear(&self->groups);
    weir_sort_keys_clear(&self->keys);
    for (int32_t i = 0; i < self->group_count; i++) {
        weir_vector *group = &self->groups.columns[i];
        WEIR_TRY(groups_by(self, set, i) ? weir_vector_append_rows(group, &computed->columns[i], self->rows, count, err)
                                         : weir_vector_append_nulls(group, count, err));
    }
    self->groups.length = count;
    uint8_t number[set_size];
    weir_store_le32(number, (uint32_t)set);
    for (int64_t row = 0; row < count; row++) {
        weir_buffer_clear(&self->key);
        weir_buffer_append(&self->key, number, sizeof number);
        WEIR_TRY(weir_row_encode(&self->groups, NULL, 0, row, &self->key, err));
        weir_byte_keys_add(&self->keys, weir_buffer_slice(&self->key));
    }
    return WEIR_OK;
}

/* Windows and groups that were not there yet begin to wait. */
static int let_wait(window_aggregate *self, weir_error *err)
{
    WEIR_GROW(self->slots, self->slots_capacity, self->keys.length);
    WEIR_TRY(weir_value_state_fetch(self->known, &self->keys, self->slots, err));
    for (int64_t i = 0; i < self->keys.length; i++) {
        uint8_t *mark;
        if (weir_value_state_get(self->known, self->slots[i]).size > 0) {
            continue;
        }
        WEIR_TRY(weir_value_state_edit(self->known, self->slots[i], 1, &mark, err));
        *mark = 1;
        weir_due_list_add(self->waiting, self->due[i], weir_byte_key(&self->keys, i));
    }
    return weir_due_list_flush(self->waiting, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    window_aggregate *self = (window_aggregate *)base;
    const weir_batch *computed;
    (void)input;
    WEIR_TRY(weir_accumulators_compute(self->accumulators, batch, &computed, err));
    int64_t count = choose_rows(self, computed);
    for (int32_t set = 0; set < set_count(self) && count > 0; set++) {
        WEIR_TRY(build_keys(self, computed, count, set, err));
        use_set(self, set);
        WEIR_TRY(weir_accumulators_update(self->accumulators, &self->keys, self->rows, NULL, err));
        WEIR_TRY(let_wait(self, err));
    }
    return WEIR_OK;
}

/* --- Windows that close ---------------------------------------------------------------------------------------- */

static int forget(window_aggregate *self, weir_error *err)
{
    WEIR_TRY(weir_accumulators_remove(self->accumulators, &self->keys, err));
    WEIR_GROW(self->slots, self->slots_capacity, self->keys.length);
    WEIR_TRY(weir_value_state_fetch(self->known, &self->keys, self->slots, err));
    for (int64_t i = 0; i < self->keys.length; i++) {
        weir_value_state_remove(self->known, self->slots[i]);
    }
    return WEIR_OK;
}

/* Closes those of the windows and groups that are of one set. */
static int close_set(window_aggregate *self, const weir_slice *keys, int64_t count, int32_t set, weir_error *err)
{
    weir_batch_clear(&self->result);
    weir_sort_keys_clear(&self->keys);
    for (int64_t i = 0; i < count; i++) {
        if (weir_load_le32(keys[i].data) != (uint32_t)set) {
            continue;
        }
        weir_byte_keys_add(&self->keys, keys[i]);
        weir_slice group = weir_slice_of(keys[i].data + set_size, keys[i].size - set_size);
        WEIR_TRY(weir_row_decode(group, &self->result, 0, self->group_count, err));
        self->result.length++;
    }
    if (self->result.length == 0) {
        return WEIR_OK;
    }
    weir_existing_rows_reserve(&self->existing, self->result.length);
    use_set(self, set);
    WEIR_TRY(weir_accumulators_values(self->accumulators, &self->keys, &self->result, self->group_count,
                                      self->existing.exists, err));
    WEIR_TRY(weir_existing_rows_send(&self->existing, &self->window.base, &self->result, err));
    return forget(self, err);
}

static int close_due(weir_window_operator *base, int64_t moment, weir_error *err)
{
    window_aggregate *self = (window_aggregate *)base;
    const weir_slice *keys;
    int64_t count;
    do {
        WEIR_TRY(weir_due_list_take(self->waiting, moment, &keys, &count, err));
        for (int32_t set = 0; set < set_count(self) && count > 0; set++) {
            WEIR_TRY(close_set(self, keys, count, set, err));
        }
    } while (count > 0);
    return WEIR_OK;
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static void close_operator(weir_operator *base)
{
    window_aggregate *self = (window_aggregate *)base;
    weir_accumulators_free(self->accumulators);
    weir_due_list_close(self->waiting);
    weir_value_state_close(self->known);
    weir_batch_free(&self->groups);
    weir_batch_free(&self->result);
    weir_existing_rows_free(&self->existing);
    weir_sort_keys_free(&self->keys);
    weir_buffer_free(&self->key);
    weir_arena_free(&self->arena);
    free(self->rows);
    free(self->due);
    free(self->slots);
    free(self);
}

/* The groups; of DISTINCT all fields. */
static weir_expression **groups_of(window_aggregate *self)
{
    const weir_plan *plan = self->plan;
    if (plan->kind == WEIR_PLAN_AGGREGATE) {
        return plan->expressions;
    }
    weir_expression **groups = WEIR_NEW_ARRAY(&self->arena, weir_expression *, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        groups[i] = WEIR_NEW(&self->arena, weir_expression);
        *groups[i] = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .column = i, .type = plan->fields[i].type};
    }
    return groups;
}

static int32_t find_group(weir_expression *const *groups, int32_t count, int32_t column)
{
    int32_t i = 0;
    while (i < count && (weir_expression_bare(groups[i])->kind != WEIR_EXPRESSION_COLUMN ||
                         weir_expression_bare(groups[i])->column != column)) {
        i++;
    }
    return i;
}

static int open_state(window_aggregate *self, const weir_stream_node *node, weir_expression **groups, weir_error *err)
{
    const weir_plan *input = node->plan->inputs[0];
    const weir_accumulators_options options = {.context = &self->context,
                                               .uid = node->uid,
                                               .fields = input->fields,
                                               .field_count = input->field_count,
                                               .expressions = groups,
                                               .expression_count = self->group_count,
                                               .aggregates = node->plan->aggregates,
                                               .aggregate_count = node->plan->aggregate_count,
                                               .retracts = node->inputs[0]->updates || node->inputs[0]->deletes};
    const weir_state_options known = {.uid = node->uid, .name = "known"};
    WEIR_TRY(weir_accumulators_create(&options, &self->accumulators, err));
    WEIR_TRY(weir_value_state_open(self->context.state, &known, &self->known, err));
    WEIR_TRY(weir_due_list_open(&self->context, node->uid, &self->waiting, err));
    return weir_window_operator_restore(&self->window, err);
}

int weir_window_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                          weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    window_aggregate *self = weir_alloc_zeroed(1, sizeof *self);
    self->window.base.process = process;
    self->window.base.close = close_operator;
    self->window.close_due = close_due;
    weir_window_operator_init(&self->window, "WindowAggregate", 1, context, node->uid, node->inputs[0]->window_clock);
    weir_arena_init(&self->arena);
    self->context = *context;
    self->context.state_ttl_ms = 0;
    self->plan = plan;
    self->group_count = plan->field_count - plan->aggregate_count;
    self->zone = weir_window_zone(node->inputs[0]->window_zone);
    weir_expression **groups = groups_of(self);
    self->window_end = find_group(groups, self->group_count, node->inputs[0]->window_end);
    weir_batch_init(&self->groups, plan->fields, self->group_count);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    weir_existing_rows_init(&self->existing, plan);
    int code = open_state(self, node, groups, err);
    return weir_operator_created(&self->window.base, code, out);
}
