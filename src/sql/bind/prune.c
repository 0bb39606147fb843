/* Reading only what is needed: columns that nothing above a scan looks at are left out of it, node by node from the top
 * down. */
#include "sql/bind/binder_internal.h"

static void mark(const weir_expression *expression, bool *used)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        used[expression->column] = true;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        mark(expression->arguments[i], used);
    }
}

/* Expressions may be shared between nodes of the plan, so that renumbering makes new ones. */
static weir_expression *renumber(weir_arena *arena, const weir_expression *expression, const int32_t *places)
{
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    if (copy->kind == WEIR_EXPRESSION_COLUMN) {
        copy->column = places[copy->column];
    }
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, copy->argument_count + 1);
    for (int32_t i = 0; i < copy->argument_count; i++) {
        copy->arguments[i] = renumber(arena, expression->arguments[i], places);
    }
    return copy;
}

static void renumber_all(weir_arena *arena, weir_expression **expressions, int32_t count, const int32_t *places)
{
    for (int32_t i = 0; i < count; i++) {
        expressions[i] = renumber(arena, expressions[i], places);
    }
}

/* Keeps the fields that are used; places[old] is the new position, or -1. */
static int32_t *keep_fields(weir_arena *arena, weir_plan *plan, const bool *used)
{
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, plan->field_count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, plan->field_count + 1);
    int32_t kept = 0;
    for (int32_t i = 0; i < plan->field_count; i++) {
        places[i] = used[i] ? kept : -1;
        if (used[i]) {
            fields[kept++] = plan->fields[i];
        }
    }
    plan->fields = fields;
    plan->field_count = kept;
    return places;
}

static int32_t *prune(weir_arena *arena, weir_plan *plan, const bool *used);

static int32_t *prune_scan(weir_arena *arena, weir_plan *plan, const bool *used)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (used[i]) {
            plan->columns[kept++] = plan->columns[i];
        }
    }
    return keep_fields(arena, plan, used);
}

static int32_t *prune_project(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *input = plan->inputs[0];
    bool *needed = WEIR_NEW_ARRAY(arena, bool, input->field_count + 1);
    weir_expression **expressions = WEIR_NEW_ARRAY(arena, weir_expression *, plan->expression_count + 1);
    int32_t kept = 0;
    for (int32_t i = 0; i < plan->expression_count; i++) {
        if (used[i]) {
            mark(plan->expressions[i], needed);
            expressions[kept++] = plan->expressions[i];
        }
    }
    const int32_t *places = prune(arena, input, needed);
    renumber_all(arena, expressions, kept, places);
    plan->expressions = expressions;
    plan->expression_count = kept;
    return keep_fields(arena, plan, used);
}

/* FILTER and SORT pass their input's columns on, and need some of their own. */
static int32_t *prune_passing(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *input = plan->inputs[0];
    bool *needed = weir_arena_copy(arena, used, sizeof *used * (size_t)(plan->field_count + 1));
    if (plan->predicate != NULL) {
        mark(plan->predicate, needed);
    }
    for (int32_t i = 0; i < plan->sort_key_count; i++) {
        mark(plan->sort_keys[i].expression, needed);
    }
    int32_t *places = prune(arena, input, needed);
    if (plan->predicate != NULL) {
        plan->predicate = renumber(arena, plan->predicate, places);
    }
    for (int32_t i = 0; i < plan->sort_key_count; i++) {
        plan->sort_keys[i].expression = renumber(arena, plan->sort_keys[i].expression, places);
    }
    plan->fields = input->fields;
    plan->field_count = input->field_count;
    return places;
}

static int32_t *keep_all(weir_arena *arena, int32_t count)
{
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        places[i] = i;
    }
    return places;
}

static int32_t *prune_aggregate(weir_arena *arena, weir_plan *plan)
{
    weir_plan *input = plan->inputs[0];
    bool *needed = WEIR_NEW_ARRAY(arena, bool, input->field_count + 1);
    for (int32_t i = 0; i < plan->expression_count; i++) {
        mark(plan->expressions[i], needed);
    }
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        for (int32_t j = 0; j < plan->aggregates[i].argument_count; j++) {
            mark(plan->aggregates[i].arguments[j], needed);
        }
        if (plan->aggregates[i].filter != NULL) {
            mark(plan->aggregates[i].filter, needed);
        }
    }
    const int32_t *places = prune(arena, input, needed);
    renumber_all(arena, plan->expressions, plan->expression_count, places);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        renumber_all(arena, plan->aggregates[i].arguments, plan->aggregates[i].argument_count, places);
        if (plan->aggregates[i].filter != NULL) {
            plan->aggregates[i].filter = renumber(arena, plan->aggregates[i].filter, places);
        }
    }
    return keep_all(arena, plan->field_count);
}

/* Both inputs give what is used above and what the predicate needs. */
static int32_t *prune_join(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *left = plan->inputs[0];
    weir_plan *right = plan->inputs[1];
    int32_t split = left->field_count;
    int32_t count = split + right->field_count;
    bool *needed = WEIR_NEW_ARRAY(arena, bool, count + 1);
    memcpy(needed, used, sizeof *used * (size_t)plan->field_count);
    if (plan->predicate != NULL) {
        mark(plan->predicate, needed);
    }
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, count + 1);
    int32_t *left_places = prune(arena, left, needed);
    int32_t *right_places = prune(arena, right, needed + split);
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        int32_t place = i < split ? left_places[i] : right_places[i - split];
        places[i] = place < 0 || i < split ? place : place + left->field_count;
        if (places[i] >= 0 && i < plan->field_count) {
            fields[places[i]] = plan->fields[i];
        }
    }
    if (plan->predicate != NULL) {
        plan->predicate = renumber(arena, plan->predicate, places);
    }
    plan->fields = fields;
    plan->field_count = left->field_count + (weir_join_keeps_both(plan->join) ? right->field_count : 0);
    return places;
}

/* Inputs whose columns all count: DISTINCT, UNION. */
static int32_t *prune_none(weir_arena *arena, weir_plan *plan)
{
    for (int32_t i = 0; i < plan->input_count; i++) {
        bool *needed = WEIR_NEW_ARRAY(arena, bool, plan->inputs[i]->field_count + 1);
        for (int32_t j = 0; j < plan->inputs[i]->field_count; j++) {
            needed[j] = true;
        }
        prune(arena, plan->inputs[i], needed);
    }
    return keep_all(arena, plan->field_count);
}

static int32_t *prune(weir_arena *arena, weir_plan *plan, const bool *used)
{
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
        return prune_scan(arena, plan, used);
    case WEIR_PLAN_PROJECT:
        return prune_project(arena, plan, used);
    case WEIR_PLAN_FILTER:
    case WEIR_PLAN_SORT:
        return prune_passing(arena, plan, used);
    case WEIR_PLAN_AGGREGATE:
        return prune_aggregate(arena, plan);
    case WEIR_PLAN_JOIN:
        return prune_join(arena, plan, used);
    default:
        return prune_none(arena, plan);
    }
}

void weir_prune_columns(weir_arena *arena, weir_plan *plan)
{
    bool *used = WEIR_NEW_ARRAY(arena, bool, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        used[i] = true;
    }
    prune(arena, plan, used);
}
