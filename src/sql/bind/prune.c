/* Reading only what is needed: columns that nothing above a scan looks at are left out of it, node by node from the top
 * down. */
#include "sql/bind/binder_internal.h"

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

/* Upserts can't be told apart without their table's key: its fields are read as well. */
static const bool *with_key(weir_arena *arena, const weir_plan *scan, const bool *used)
{
    if (!scan->table->has_upserts) {
        return used;
    }
    bool *needed = weir_arena_copy(arena, used, sizeof *used * (size_t)(scan->field_count + 1));
    for (int32_t i = 0; i < scan->field_count; i++) {
        for (int32_t j = 0; j < scan->table->primary_key_count; j++) {
            needed[i] = needed[i] || scan->columns[i] == scan->table->primary_key[j];
        }
    }
    return needed;
}

static int32_t *prune_scan(weir_arena *arena, weir_plan *plan, const bool *used)
{
    int32_t kept = 0;
    used = with_key(arena, plan, used);
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
            weir_expression_mark(plan->expressions[i], needed);
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
        weir_expression_mark(plan->predicate, needed);
    }
    for (int32_t i = 0; i < plan->sort_key_count; i++) {
        weir_expression_mark(plan->sort_keys[i].expression, needed);
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

static void mark_all(weir_expression *const *expressions, int32_t count, bool *used)
{
    for (int32_t i = 0; i < count; i++) {
        weir_expression_mark(expressions[i], used);
    }
}

static void mark_keys(const weir_sort_key *keys, int32_t count, bool *used)
{
    for (int32_t i = 0; i < count; i++) {
        weir_expression_mark(keys[i].expression, used);
    }
}

static void mark_aggregate(const weir_aggregate *aggregate, bool *used)
{
    mark_all(aggregate->arguments, aggregate->argument_count, used);
    mark_keys(aggregate->order, aggregate->order_count, used);
    if (aggregate->filter != NULL) {
        weir_expression_mark(aggregate->filter, used);
    }
    if (aggregate->window != NULL) {
        mark_all(aggregate->window->partition_keys, aggregate->window->partition_key_count, used);
        mark_keys(aggregate->window->sort_keys, aggregate->window->sort_key_count, used);
    }
}

static void renumber_keys(weir_arena *arena, weir_sort_key *keys, int32_t count, const int32_t *places)
{
    for (int32_t i = 0; i < count; i++) {
        keys[i].expression = renumber(arena, keys[i].expression, places);
    }
}

static void *own(weir_arena *arena, void *items, size_t size, int32_t count)
{
    return count == 0 ? items : weir_arena_copy(arena, items, size * (size_t)count);
}

/* Parts of one call may be shared with another (deviations are made of several over one window): all are copied. */
static void renumber_aggregate(weir_arena *arena, weir_aggregate *aggregate, const int32_t *places)
{
    aggregate->arguments = own(arena, aggregate->arguments, sizeof *aggregate->arguments, aggregate->argument_count);
    aggregate->order = own(arena, aggregate->order, sizeof *aggregate->order, aggregate->order_count);
    renumber_all(arena, aggregate->arguments, aggregate->argument_count, places);
    renumber_keys(arena, aggregate->order, aggregate->order_count, places);
    if (aggregate->filter != NULL) {
        aggregate->filter = renumber(arena, aggregate->filter, places);
    }
    if (aggregate->window != NULL) {
        weir_window *window = weir_arena_copy(arena, aggregate->window, sizeof *window);
        window->partition_keys =
            own(arena, window->partition_keys, sizeof *window->partition_keys, window->partition_key_count);
        window->sort_keys = own(arena, window->sort_keys, sizeof *window->sort_keys, window->sort_key_count);
        renumber_all(arena, window->partition_keys, window->partition_key_count, places);
        renumber_keys(arena, window->sort_keys, window->sort_key_count, places);
        aggregate->window = window;
    }
}

static int32_t *prune_aggregate(weir_arena *arena, weir_plan *plan)
{
    weir_plan *input = plan->inputs[0];
    bool *needed = WEIR_NEW_ARRAY(arena, bool, input->field_count + 1);
    mark_all(plan->expressions, plan->expression_count, needed);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        mark_aggregate(&plan->aggregates[i], needed);
    }
    const int32_t *places = prune(arena, input, needed);
    renumber_all(arena, plan->expressions, plan->expression_count, places);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        renumber_aggregate(arena, &plan->aggregates[i], places);
    }
    return keep_all(arena, plan->field_count);
}

/* A view over a table with times of events: which of its fields is the time of a version is not known here. */
static bool is_versioned(const weir_plan *right)
{
    bool found = false;
    for (int32_t i = 0; i < right->input_count && !found; i++) {
        found = right->inputs[i]->kind == WEIR_PLAN_WATERMARK || is_versioned(right->inputs[i]);
    }
    return found;
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
        weir_expression_mark(plan->predicate, needed);
    }
    if (plan->as_of != NULL) {
        weir_expression_mark(plan->as_of, needed);
        for (int32_t i = split; i < count && is_versioned(right); i++) {
            needed[i] = true;
        }
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
    if (plan->as_of != NULL) {
        plan->as_of = renumber(arena, plan->as_of, places);
    }
    plan->fields = fields;
    plan->field_count = left->field_count + (weir_join_keeps_both(plan->join) ? right->field_count : 0);
    return places;
}

/* The new fields of a node that passes on its input's and adds `added` of its own, of which those used before are kept.
 */
static int32_t *append_fields(weir_arena *arena, weir_plan *plan, int32_t before, const int32_t *places,
                              const bool *kept)
{
    const weir_plan *input = plan->inputs[0];
    int32_t *all = WEIR_NEW_ARRAY(arena, int32_t, plan->field_count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, input->field_count + plan->field_count - before + 1);
    int32_t count = input->field_count;
    for (int32_t i = 0; i < count; i++) {
        fields[i] = input->fields[i];
    }
    for (int32_t i = 0; i < plan->field_count; i++) {
        all[i] = i < before ? places[i] : kept[i] ? count : -1;
        if (i >= before && kept[i]) {
            fields[count++] = plan->fields[i];
        }
    }
    plan->fields = fields;
    plan->field_count = count;
    return all;
}

/* WINDOW: calls that nobody asks for are not computed. */
static int32_t *prune_window(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *input = plan->inputs[0];
    int32_t before = input->field_count;
    bool *needed = WEIR_NEW_ARRAY(arena, bool, before + 1);
    int32_t kept = 0;
    for (int32_t i = 0; i < before; i++) {
        needed[i] = used[i];
    }
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        if (used[before + i]) {
            mark_aggregate(&plan->aggregates[i], needed);
            plan->aggregates[kept++] = plan->aggregates[i];
        }
    }
    plan->aggregate_count = kept;
    const int32_t *places = prune(arena, input, needed);
    for (int32_t i = 0; i < kept; i++) {
        renumber_aggregate(arena, &plan->aggregates[i], places);
    }
    return append_fields(arena, plan, before, places, used);
}

static int32_t *prune_assign(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *input = plan->inputs[0];
    weir_assigner *assigner = plan->assigner;
    int32_t before = input->field_count;
    bool *needed = WEIR_NEW_ARRAY(arena, bool, before + 1);
    bool *all = WEIR_NEW_ARRAY(arena, bool, plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        all[i] = true;
    }
    memcpy(needed, used, sizeof *needed * (size_t)before);
    needed[assigner->column] = true;
    mark_all(assigner->partition_keys, assigner->partition_key_count, needed);
    const int32_t *places = prune(arena, input, needed);
    assigner->column = places[assigner->column];
    renumber_all(arena, assigner->partition_keys, assigner->partition_key_count, places);
    return append_fields(arena, plan, before, places, all);
}

/* The time column stays, whoever asks for it: watermarks are made of it. */
static int32_t *prune_watermark(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *input = plan->inputs[0];
    bool *needed = weir_arena_copy(arena, used, sizeof *used * (size_t)(plan->field_count + 1));
    needed[plan->time_column] = true;
    mark_all(plan->expressions, plan->expression_count, needed);
    int32_t *places = prune(arena, input, needed);
    renumber_all(arena, plan->expressions, plan->expression_count, places);
    plan->time_column = places[plan->time_column];
    plan->fields = input->fields;
    plan->field_count = input->field_count;
    return places;
}

static int32_t *prune_unnest(weir_arena *arena, weir_plan *plan, const bool *used)
{
    weir_plan *input = plan->inputs[0];
    int32_t before = input->field_count;
    bool *needed = WEIR_NEW_ARRAY(arena, bool, before + 1);
    bool *all = WEIR_NEW_ARRAY(arena, bool, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        all[i] = true;
    }
    memcpy(needed, used, sizeof *needed * (size_t)before);
    mark_all(plan->expressions, plan->expression_count, needed);
    const int32_t *places = prune(arena, input, needed);
    renumber_all(arena, plan->expressions, plan->expression_count, places);
    return append_fields(arena, plan, before, places, all);
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
    case WEIR_PLAN_WINDOW:
        return prune_window(arena, plan, used);
    case WEIR_PLAN_WATERMARK:
        return prune_watermark(arena, plan, used);
    case WEIR_PLAN_ASSIGN:
        return prune_assign(arena, plan, used);
    case WEIR_PLAN_UNNEST:
        return prune_unnest(arena, plan, used);
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
