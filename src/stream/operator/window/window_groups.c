/* Groups of windows: which are bounds, which are keys, and both as columns again. */
#include "stream/operator/window/window_groups.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "stream/state/row_codec.h"

/* Whether an expression over the rows of ASSIGN names only what was there before it. */
static bool is_below(const weir_expression *expression, int32_t before)
{
    bool below = expression->kind != WEIR_EXPRESSION_COLUMN || expression->column < before;
    for (int32_t i = 0; i < expression->argument_count && below; i++) {
        below = is_below(expression->arguments[i], before);
    }
    return below;
}

static bool call_is_below(const weir_aggregate *call, int32_t before)
{
    bool below = call->filter == NULL || is_below(call->filter, before);
    for (int32_t i = 0; i < call->argument_count && below; i++) {
        below = is_below(call->arguments[i], before);
    }
    for (int32_t i = 0; i < call->order_count && below; i++) {
        below = is_below(call->order[i].expression, before);
    }
    return below;
}

/* Which bound a group is; -1: none. */
static int32_t bound_of(const weir_expression *group, int32_t before)
{
    const weir_expression *bare = weir_expression_bare(group);
    return bare->kind == WEIR_EXPRESSION_COLUMN && bare->column >= before ? bare->column - before : -1;
}

bool weir_window_groups_fit(const weir_plan *plan)
{
    if (plan->kind != WEIR_PLAN_AGGREGATE || plan->inputs[0]->kind != WEIR_PLAN_ASSIGN || plan->grouping_sets != NULL) {
        return false;
    }
    int32_t before = plan->inputs[0]->inputs[0]->field_count;
    bool bounds[3] = {false, false, false};
    for (int32_t i = 0; i < plan->expression_count; i++) {
        int32_t bound = bound_of(plan->expressions[i], before);
        if (bound >= 0) {
            bounds[bound] = true;
        } else if (!is_below(plan->expressions[i], before)) {
            return false;
        }
    }
    bool below = bounds[0] && bounds[1];
    for (int32_t i = 0; i < plan->aggregate_count && below; i++) {
        below = call_is_below(&plan->aggregates[i], before);
    }
    return below;
}

void weir_window_groups_init(weir_window_groups *self, const weir_plan *plan)
{
    const weir_plan *assign = plan->inputs[0];
    int32_t count = plan->expression_count;
    weir_field *fields = weir_alloc_zeroed((size_t)count + 1, sizeof *fields);
    self->keys = weir_alloc_zeroed((size_t)count + 1, sizeof(weir_expression *));
    self->key_columns = weir_alloc_zeroed((size_t)count + 1, sizeof *self->key_columns);
    self->sources = weir_alloc_zeroed((size_t)count + 1, sizeof *self->sources);
    self->group_count = count;
    for (int32_t i = 0; i < count; i++) {
        int32_t bound = bound_of(plan->expressions[i], assign->inputs[0]->field_count);
        self->sources[i] = bound >= 0 ? -1 - bound : self->key_count;
        if (bound < 0) {
            fields[self->key_count].type = plan->expressions[i]->type;
            self->key_columns[self->key_count] = self->key_count;
            self->keys[self->key_count++] = plan->expressions[i];
        }
    }
    self->zone = weir_window_zone(assign->assigner->zone);
    self->instants = assign->assigner->zone != NULL;
    weir_batch_init(&self->key_values, fields, self->key_count);
    free(fields);
}

void weir_window_groups_free(weir_window_groups *self)
{
    weir_batch_free(&self->key_values);
    free(self->keys);
    free(self->key_columns);
    free(self->sources);
}

int weir_window_groups_accumulators(const weir_window_groups *self, const weir_operator_context *context,
                                    const weir_stream_node *node, weir_accumulators **out, weir_error *err)
{
    const weir_plan *below = node->plan->inputs[0]->inputs[0];
    const weir_accumulators_options options = {.context = context,
                                               .uid = node->uid,
                                               .fields = below->fields,
                                               .field_count = below->field_count,
                                               .expressions = self->keys,
                                               .expression_count = self->key_count,
                                               .aggregates = node->plan->aggregates,
                                               .aggregate_count = node->plan->aggregate_count,
                                               .retracts = node->inputs[0]->updates || node->inputs[0]->deletes,
                                               .merges = true};
    return weir_accumulators_create(&options, out, err);
}

void weir_window_groups_clear(weir_window_groups *self) { weir_batch_clear(&self->key_values); }

int weir_window_groups_add(weir_window_groups *self, weir_slice key, int64_t start, int64_t end, weir_batch *result,
                           weir_error *err)
{
    int64_t bounds[3] = {start, end, self->instants ? weir_window_instant(self->zone, end - 1) : end - 1};
    WEIR_TRY(weir_row_decode(key, &self->key_values, 0, self->key_count, err));
    self->key_values.length++;
    for (int32_t i = 0; i < self->group_count; i++) {
        if (self->sources[i] < 0) {
            WEIR_TRY(weir_time_append_millis(&result->columns[i], bounds[-1 - self->sources[i]], err));
        }
    }
    return WEIR_OK;
}

int weir_window_groups_finish(weir_window_groups *self, weir_batch *result, weir_error *err)
{
    for (int32_t i = 0; i < self->group_count; i++) {
        if (self->sources[i] >= 0) {
            WEIR_TRY(weir_vector_append_range(&result->columns[i], &self->key_values.columns[self->sources[i]], 0,
                                              self->key_values.length, err));
        }
    }
    return WEIR_OK;
}
