/* Walking over the expressions of plans: replacing columns, copying plans. */
#include "sql/bind/subquery.h"

/* --- Expressions ----------------------------------------------------------------------------------------------- */

weir_expression *weir_expression_rewrite(weir_binder *binder, const weir_expression *expression, weir_leaf_rule rule,
                                         const void *state)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN || expression->kind == WEIR_EXPRESSION_OUTER) {
        return rule(binder, expression, state);
    }
    weir_expression *copy = weir_arena_copy(binder->arena, expression, sizeof *expression);
    copy->arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, copy->argument_count + 1);
    for (int32_t i = 0; i < copy->argument_count; i++) {
        copy->arguments[i] = weir_expression_rewrite(binder, expression->arguments[i], rule, state);
    }
    return copy;
}

static bool uses_level(const weir_expression *expression, int32_t most)
{
    if (expression->kind == WEIR_EXPRESSION_OUTER) {
        return expression->level <= most;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        if (uses_level(expression->arguments[i], most)) {
            return true;
        }
    }
    return false;
}

bool weir_expression_uses_outer(const weir_expression *expression) { return uses_level(expression, 1); }

weir_expression *weir_and(weir_binder *binder, weir_expression *const *conjuncts, int32_t count,
                          const weir_position *at)
{
    if (count <= 1) {
        return count == 0 ? NULL : conjuncts[0];
    }
    bool nullable = false;
    for (int32_t i = 0; i < count; i++) {
        nullable = nullable || conjuncts[i]->type->nullable;
    }
    weir_expression *all = weir_expression_new(binder, WEIR_EXPRESSION_AND, weir_binder_boolean(nullable), at, count);
    memcpy(all->arguments, conjuncts, sizeof *conjuncts * (size_t)count);
    return all;
}

/* --- All expressions of a node --------------------------------------------------------------------------------- */

typedef void (*slot_visitor)(weir_expression **slot, void *state);

static void visit_list(weir_expression **list, int32_t count, slot_visitor visit, void *state)
{
    for (int32_t i = 0; i < count; i++) {
        visit(&list[i], state);
    }
}

static void visit_keys(weir_sort_key *keys, int32_t count, slot_visitor visit, void *state)
{
    for (int32_t i = 0; i < count; i++) {
        visit(&keys[i].expression, state);
    }
}

static void visit_call(weir_aggregate *call, slot_visitor visit, void *state)
{
    visit_list(call->arguments, call->argument_count, visit, state);
    visit_keys(call->order, call->order_count, visit, state);
    if (call->filter != NULL) {
        visit(&call->filter, state);
    }
    if (call->window != NULL) {
        visit_list(call->window->partition_keys, call->window->partition_key_count, visit, state);
        visit_keys(call->window->sort_keys, call->window->sort_key_count, visit, state);
    }
}

static void visit_plan(weir_plan *plan, slot_visitor visit, void *state)
{
    visit_list(plan->expressions, plan->expression_count, visit, state);
    visit_keys(plan->sort_keys, plan->sort_key_count, visit, state);
    if (plan->predicate != NULL) {
        visit(&plan->predicate, state);
    }
    if (plan->as_of != NULL) {
        visit(&plan->as_of, state);
    }
    if (plan->assigner != NULL) {
        visit_list(plan->assigner->partition_keys, plan->assigner->partition_key_count, visit, state);
    }
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        visit_call(&plan->aggregates[i], visit, state);
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        if (plan->inputs[i] != NULL) {
            visit_plan(plan->inputs[i], visit, state);
        }
    }
}

typedef struct outer_search {
    int32_t most;
    bool found;
} outer_search;

static void note_outer(weir_expression **slot, void *state)
{
    outer_search *search = state;
    search->found = search->found || uses_level(*slot, search->most);
}

bool weir_aggregate_uses_outer(const weir_aggregate *call)
{
    outer_search search = {1, false};
    visit_call((weir_aggregate *)call, note_outer, &search); /* which changes nothing */
    return search.found;
}

static bool plan_uses_level(const weir_plan *plan, int32_t most)
{
    outer_search search = {most, false};
    visit_plan((weir_plan *)plan, note_outer, &search); /* which changes nothing */
    return search.found;
}

bool weir_plan_uses_outer(const weir_plan *plan) { return plan_uses_level(plan, 1); }

bool weir_plan_uses_any_outer(const weir_plan *plan) { return plan_uses_level(plan, INT32_MAX); }

typedef struct rewriting {
    weir_binder *binder;
    weir_leaf_rule rule;
    const void *state;
} rewriting;

static void rewrite_slot(weir_expression **slot, void *state)
{
    const rewriting *self = state;
    *slot = weir_expression_rewrite(self->binder, *slot, self->rule, self->state);
}

static void *copy_array(weir_arena *arena, void *items, size_t size, int32_t count)
{
    return count == 0 ? items : weir_arena_copy(arena, items, size * (size_t)count);
}

/* Calls may share what they are made of: each gets its own. */
static void own_parts(weir_arena *arena, weir_aggregate *call)
{
    call->arguments = copy_array(arena, call->arguments, sizeof *call->arguments, call->argument_count);
    call->order = copy_array(arena, call->order, sizeof *call->order, call->order_count);
    if (call->window != NULL) {
        weir_window *window = weir_arena_copy(arena, call->window, sizeof *window);
        window->partition_keys =
            copy_array(arena, window->partition_keys, sizeof *window->partition_keys, window->partition_key_count);
        window->sort_keys = copy_array(arena, window->sort_keys, sizeof *window->sort_keys, window->sort_key_count);
        call->window = window;
    }
}

void weir_aggregate_rewrite(weir_binder *binder, weir_aggregate *call, weir_leaf_rule rule, const void *state)
{
    rewriting self = {binder, rule, state};
    own_parts(binder->arena, call);
    visit_call(call, rewrite_slot, &self);
}

/* Arrays that later steps change in place are copied; expressions are never changed in place. */
static void own_arrays(weir_arena *arena, weir_plan *plan)
{
    plan->expressions = copy_array(arena, plan->expressions, sizeof *plan->expressions, plan->expression_count);
    plan->sort_keys = copy_array(arena, plan->sort_keys, sizeof *plan->sort_keys, plan->sort_key_count);
    plan->aggregates = copy_array(arena, plan->aggregates, sizeof *plan->aggregates, plan->aggregate_count);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        own_parts(arena, &plan->aggregates[i]);
    }
    if (plan->assigner != NULL) {
        plan->assigner = weir_arena_copy(arena, plan->assigner, sizeof *plan->assigner);
        plan->assigner->partition_keys =
            copy_array(arena, plan->assigner->partition_keys, sizeof *plan->assigner->partition_keys,
                       plan->assigner->partition_key_count);
    }
}

static void own_all(weir_arena *arena, weir_plan *plan)
{
    own_arrays(arena, plan);
    for (int32_t i = 0; i < plan->input_count; i++) {
        if (plan->inputs[i] != NULL) {
            own_all(arena, plan->inputs[i]);
        }
    }
}

void weir_plan_rewrite(weir_binder *binder, weir_plan *plan, weir_leaf_rule rule, const void *state)
{
    rewriting self = {binder, rule, state};
    own_all(binder->arena, plan);
    visit_plan(plan, rewrite_slot, &self);
}

/* --- Copies ---------------------------------------------------------------------------------------------------- */

static weir_plan *copy_node(weir_binder *binder, const weir_plan *plan)
{
    weir_arena *arena = binder->arena;
    weir_plan *copy = weir_arena_copy(arena, plan, sizeof *plan);
    if (plan->kind == WEIR_PLAN_SCAN) {
        copy->columns = copy_array(arena, plan->columns, sizeof *plan->columns, plan->field_count);
        copy->scan_index = binder->bound->scan_count++;
    }
    own_arrays(arena, copy);
    copy->inputs = WEIR_NEW_ARRAY(arena, weir_plan *, plan->input_count + 1);
    return copy;
}

weir_plan *weir_plan_copy(weir_binder *binder, const weir_plan *plan, weir_hole **holes)
{
    weir_plan *copy = copy_node(binder, plan);
    for (int32_t i = 0; i < plan->input_count; i++) {
        if (plan->inputs[i] != NULL) {
            copy->inputs[i] = weir_plan_copy(binder, plan->inputs[i], holes);
            continue;
        }
        weir_hole *hole = WEIR_NEW(binder->arena, weir_hole);
        *hole = (weir_hole){copy, *holes};
        *holes = hole;
    }
    return copy;
}

weir_plan *weir_plan_columns(weir_binder *binder, weir_plan *plan, const int32_t *columns, int32_t count)
{
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        fields[i] = plan->fields[columns[i]];
        expressions[i] = weir_expression_column(binder, columns[i], fields[i].type, &plan->position);
    }
    return weir_plan_project(binder, plan, expressions, fields, count);
}

weir_plan *weir_plan_grouped(weir_binder *binder, weir_plan *input, weir_expression **groups, int32_t group_count,
                             weir_aggregate *aggregates, int32_t aggregate_count)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_AGGREGATE, &input->position, input);
    plan->expressions = groups;
    plan->expression_count = group_count;
    plan->aggregates = aggregates;
    plan->aggregate_count = aggregate_count;
    plan->global = group_count == 0;
    plan->field_count = group_count + aggregate_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        bool group = i < group_count;
        plan->fields[i] = (weir_field){.id = -1,
                                       .name = weir_arena_format(binder->arena, group ? "group%d" : "aggregate%d", i),
                                       .type = group ? groups[i]->type : aggregates[i - group_count].type};
    }
    return plan;
}
