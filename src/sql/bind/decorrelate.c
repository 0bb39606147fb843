/* Taking the columns of the query around out of a subquery's plan, the cheap way: conditions that name them rise to the
 * top, where the join to the query around tests them.
 *
 *   SELECT MAX(y) FROM r WHERE r.k = outer.k AND r.z > 0
 *     plan: Aggregate [MAX(y)] by [k] over Filter z > 0 over r;  outputs: MAX(y);  conjuncts: k = outer.k
 *
 * Conditions rise through an aggregation when they are equalities, whose side in the subquery becomes a group. What
 * can't rise (an inequality through an aggregation, a LIMIT, the far side of an outer join) goes the other way: see
 * decorrelate_values.c. */
#include "sql/bind/subquery.h"

static bool pull(weir_binder *binder, weir_plan *plan, weir_decorrelated *out);

/* --- Pieces ---------------------------------------------------------------------------------------------------- */

static void identity_outputs(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    out->plan = plan;
    out->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        out->outputs[i] = weir_expression_column(binder, i, plan->fields[i].type, &plan->position);
    }
}

static weir_expression *output_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    (void)binder;
    weir_expression *const *outputs = state;
    return leaf->kind == WEIR_EXPRESSION_COLUMN ? outputs[leaf->column] : (weir_expression *)leaf;
}

/* An expression over a node's input as one over what the input was decorrelated to. */
static weir_expression *over_outputs(weir_binder *binder, const weir_expression *expression,
                                     const weir_decorrelated *input)
{
    return weir_expression_rewrite(binder, expression, output_leaf, input->outputs);
}

static void add_conjunct(weir_binder *binder, weir_decorrelated *out, weir_expression *conjunct)
{
    weir_expression **grown = WEIR_NEW_ARRAY(binder->arena, weir_expression *, out->conjunct_count + 1);
    if (out->conjunct_count > 0) {
        memcpy(grown, out->conjuncts, sizeof *grown * (size_t)out->conjunct_count);
    }
    grown[out->conjunct_count++] = conjunct;
    out->conjuncts = grown;
}

static bool uses_columns(const weir_expression *expression)
{
    bool found = expression->kind == WEIR_EXPRESSION_COLUMN;
    for (int32_t i = 0; i < expression->argument_count && !found; i++) {
        found = uses_columns(expression->arguments[i]);
    }
    return found;
}

bool weir_split_key(const weir_expression *conjunct, weir_expression **inner, weir_expression **outer)
{
    if (conjunct->kind != WEIR_EXPRESSION_EQUAL && conjunct->kind != WEIR_EXPRESSION_NOT_DISTINCT) {
        return false;
    }
    bool first_is_outer = weir_expression_uses_outer(conjunct->arguments[0]);
    *inner = conjunct->arguments[first_is_outer];
    *outer = conjunct->arguments[!first_is_outer];
    return !weir_expression_uses_outer(*inner) && !uses_columns(*outer);
}

/* --- FILTER and PROJECT ---------------------------------------------------------------------------------------- */

typedef struct conjunct_list {
    weir_expression **items;
    int32_t count;
} conjunct_list;

/* Parts the conjuncts of a predicate: those that name columns around rise, the others stay. */
static void part_conjuncts(weir_binder *binder, const weir_expression *predicate, const weir_decorrelated *input,
                           weir_decorrelated *out, conjunct_list *staying)
{
    if (predicate->kind == WEIR_EXPRESSION_AND) {
        for (int32_t i = 0; i < predicate->argument_count; i++) {
            part_conjuncts(binder, predicate->arguments[i], input, out, staying);
        }
        return;
    }
    weir_expression *conjunct = over_outputs(binder, predicate, input);
    if (weir_expression_uses_outer(conjunct)) {
        add_conjunct(binder, out, conjunct);
        return;
    }
    weir_expression **grown = WEIR_NEW_ARRAY(binder->arena, weir_expression *, staying->count + 1);
    if (staying->count > 0) {
        memcpy(grown, staying->items, sizeof *grown * (size_t)staying->count);
    }
    grown[staying->count++] = conjunct;
    staying->items = grown;
}

static bool pull_filter(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    conjunct_list staying = {0};
    if (!pull(binder, plan->inputs[0], out) || out->one_row) {
        return false;
    }
    const weir_decorrelated input = *out;
    part_conjuncts(binder, plan->predicate, &input, out, &staying);
    if (staying.count > 0) {
        out->plan =
            weir_plan_filter(binder, out->plan, weir_and(binder, staying.items, staying.count, &plan->position));
    }
    return true;
}

/* What depends on the subquery's columns alone is computed there; the rest where both meet. */
static bool pull_project(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    weir_decorrelated input = {0};
    if (!pull(binder, plan->inputs[0], &input)) {
        return false;
    }
    int32_t width = input.plan->field_count;
    int32_t count = width;
    weir_expression **expressions =
        WEIR_NEW_ARRAY(binder->arena, weir_expression *, width + plan->expression_count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, width + plan->expression_count + 1);
    *out = input;
    out->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, plan->expression_count + 1);
    for (int32_t i = 0; i < width; i++) {
        fields[i] = input.plan->fields[i];
        expressions[i] = weir_expression_column(binder, i, fields[i].type, &plan->position);
    }
    for (int32_t i = 0; i < plan->expression_count; i++) {
        weir_expression *output = over_outputs(binder, plan->expressions[i], &input);
        bool stays = input.one_row || output->kind == WEIR_EXPRESSION_COLUMN || weir_expression_uses_outer(output) ||
                     !uses_columns(output);
        out->outputs[i] = output;
        if (!stays) {
            expressions[count] = output;
            fields[count] = plan->fields[i];
            out->outputs[i] = weir_expression_column(binder, count++, output->type, &plan->position);
        }
    }
    if (count > width) {
        out->plan = weir_plan_project(binder, input.plan, expressions, fields, count);
    }
    return true;
}

/* --- DISTINCT and AGGREGATE ------------------------------------------------------------------------------------ */

/* Appends the subquery's side of all conjuncts to a list of expressions, and turns the conjuncts into ones over the
 * columns where these will stand. False when one of them is no equality. */
static bool add_keys(weir_binder *binder, weir_decorrelated *out, weir_expression **list, int32_t *count)
{
    weir_expression **conjuncts = WEIR_NEW_ARRAY(binder->arena, weir_expression *, out->conjunct_count + 1);
    for (int32_t i = 0; i < out->conjunct_count; i++) {
        weir_expression *inner;
        weir_expression *outer;
        if (!weir_split_key(out->conjuncts[i], &inner, &outer)) {
            return false;
        }
        int32_t place = 0;
        while (place < *count && !weir_expression_equal(list[place], inner)) {
            place++;
        }
        list[place] = inner;
        *count += place == *count;
        conjuncts[i] = weir_expression_two(binder, out->conjuncts[i]->kind, out->conjuncts[i]->type, &inner->position,
                                           weir_expression_column(binder, place, inner->type, &inner->position), outer);
    }
    out->conjuncts = conjuncts;
    return true;
}

static weir_field *fields_of(weir_binder *binder, weir_expression *const *expressions, int32_t count)
{
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        fields[i] =
            (weir_field){.id = -1, .name = weir_arena_format(binder->arena, "key%d", i), .type = expressions[i]->type};
    }
    return fields;
}

static bool pull_distinct(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    if (!pull(binder, plan->inputs[0], out)) {
        return false;
    }
    if (out->one_row) {
        return true;
    }
    int32_t count = plan->field_count;
    weir_expression **list = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + out->conjunct_count + 1);
    for (int32_t i = 0; i < count; i++) {
        if (weir_expression_uses_outer(out->outputs[i])) {
            return false;
        }
        list[i] = out->outputs[i];
    }
    if (!add_keys(binder, out, list, &count)) {
        return false;
    }
    weir_plan *project = weir_plan_project(binder, out->plan, list, fields_of(binder, list, count), count);
    weir_plan *distinct = weir_plan_new(binder, WEIR_PLAN_DISTINCT, &plan->position, project);
    conjunct_list kept = {out->conjuncts, out->conjunct_count};
    identity_outputs(binder, distinct, out);
    out->conjuncts = kept.items;
    return true;
}

static bool aggregates_over(weir_binder *binder, const weir_plan *plan, const weir_decorrelated *input,
                            weir_aggregate **out)
{
    weir_aggregate *aggregates = WEIR_NEW_ARRAY(binder->arena, weir_aggregate, plan->aggregate_count + 1);
    bool pure = true;
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_aggregate *aggregate = &aggregates[i];
        *aggregate = plan->aggregates[i];
        pure = pure && (!plan->global || weir_aggregate_has_empty(aggregate));
        weir_aggregate_rewrite(binder, aggregate, output_leaf, input->outputs);
        pure = pure && !weir_aggregate_uses_outer(aggregate);
    }
    *out = aggregates;
    return pure;
}

weir_expression *weir_or_empty(weir_binder *binder, weir_expression *column)
{
    if (column->type->nullable) {
        return column;
    }
    weir_expression *zero =
        weir_expression_literal(binder, column->type, (weir_literal){.integer = 0}, &column->position);
    weir_expression *counted = weir_expression_column(
        binder, column->column, weir_binder_nullable(binder, column->type, true), &column->position);
    return weir_expression_two(binder, WEIR_EXPRESSION_COALESCE, column->type, &column->position, counted, zero);
}

static bool pull_aggregate(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    weir_decorrelated input = {0};
    weir_aggregate *aggregates;
    if (plan->grouping_sets != NULL) { /* a key may be a group that some set leaves out */
        return false;
    }
    if (!pull(binder, plan->inputs[0], &input) || input.one_row ||
        !aggregates_over(binder, plan, &input, &aggregates)) {
        return false;
    }
    int32_t groups = plan->expression_count;
    weir_expression **list = WEIR_NEW_ARRAY(binder->arena, weir_expression *, groups + input.conjunct_count + 1);
    for (int32_t i = 0; i < groups; i++) {
        list[i] = over_outputs(binder, plan->expressions[i], &input);
        if (weir_expression_uses_outer(list[i])) {
            return false;
        }
    }
    *out = input;
    int32_t count = groups;
    if (!add_keys(binder, out, list, &count)) {
        return false;
    }
    weir_plan *grouped = weir_plan_grouped(binder, input.plan, list, count, aggregates, plan->aggregate_count);
    grouped->global = false;
    out->plan = grouped;
    out->one_row = plan->global;
    out->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        int32_t place = i < groups ? i : i - groups + count;
        out->outputs[i] = weir_expression_column(binder, place, grouped->fields[place].type, &plan->position);
        if (plan->global) {
            out->outputs[i] = weir_or_empty(binder, out->outputs[i]);
        }
    }
    return true;
}

/* --- JOIN and the rest ----------------------------------------------------------------------------------------- */

static weir_expression *shift_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    const int32_t *by = state;
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    copy->column += leaf->kind == WEIR_EXPRESSION_COLUMN ? *by : 0;
    return copy;
}

/* Outputs and conjuncts of both sides of a join, those of the right one after the left one's. */
static void put_side_by_side(weir_binder *binder, const weir_plan *plan, const weir_decorrelated *left,
                             const weir_decorrelated *right, weir_decorrelated *out)
{
    int32_t split = plan->inputs[0]->field_count;
    int32_t shift = left->plan->field_count;
    *out = *left;
    out->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, split + plan->inputs[1]->field_count + 1);
    memcpy(out->outputs, left->outputs, sizeof *left->outputs * (size_t)split);
    for (int32_t i = 0; i < plan->inputs[1]->field_count; i++) {
        out->outputs[split + i] = weir_expression_rewrite(binder, right->outputs[i], shift_leaf, &shift);
    }
    for (int32_t i = 0; i < right->conjunct_count; i++) {
        add_conjunct(binder, out, weir_expression_rewrite(binder, right->conjuncts[i], shift_leaf, &shift));
    }
}

static bool pull_join(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    weir_decorrelated left = {0};
    weir_decorrelated right = {0};
    conjunct_list staying = {0};
    bool inner = plan->join == WEIR_JOIN_INNER;
    bool fits = inner || (plan->join != WEIR_JOIN_RIGHT && plan->join != WEIR_JOIN_FULL &&
                          !weir_plan_uses_outer(plan->inputs[1]) &&
                          (plan->predicate == NULL || !weir_expression_uses_outer(plan->predicate)));
    if (!fits || plan->as_of != NULL || !pull(binder, plan->inputs[0], &left) ||
        !pull(binder, plan->inputs[1], &right) || left.one_row || right.one_row) {
        return false;
    }
    put_side_by_side(binder, plan, &left, &right, out);
    const weir_decorrelated both = *out;
    if (plan->predicate != NULL) {
        part_conjuncts(binder, plan->predicate, &both, out, &staying);
    }
    if (!inner && out->conjunct_count > both.conjunct_count) {
        return false; /* the left side itself gives a column around, which the predicate names */
    }
    out->plan = weir_plan_join(binder, plan->join, &plan->position, left.plan, right.plan,
                               weir_and(binder, staying.items, staying.count, &plan->position));
    out->plan->state_ttls_ms = plan->state_ttls_ms;
    return true;
}

/* One row of expressions is no more than these. */
static bool pull_values(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    if (plan->row_count != 1) {
        return false;
    }
    out->outputs = plan->expressions;
    out->plan = weir_plan_new(binder, WEIR_PLAN_VALUES, &plan->position, NULL);
    out->plan->row_count = 1;
    out->plan->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1);
    return true;
}

static bool pull(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    *out = (weir_decorrelated){0};
    if (!weir_plan_uses_outer(plan)) {
        identity_outputs(binder, plan, out);
        return true;
    }
    switch (plan->kind) {
    case WEIR_PLAN_FILTER:
        return pull_filter(binder, plan, out);
    case WEIR_PLAN_PROJECT:
        return pull_project(binder, plan, out);
    case WEIR_PLAN_DISTINCT:
        return pull_distinct(binder, plan, out);
    case WEIR_PLAN_AGGREGATE:
        return pull_aggregate(binder, plan, out);
    case WEIR_PLAN_JOIN:
        return pull_join(binder, plan, out);
    case WEIR_PLAN_VALUES:
        return pull_values(binder, plan, out);
    case WEIR_PLAN_SORT:
        return plan->limit < 0 && plan->offset == 0 && pull(binder, plan->inputs[0], out);
    default:
        return false;
    }
}

int weir_decorrelate(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    return pull(binder, plan, out) ? WEIR_OK : weir_decorrelate_by_values(binder, plan, out);
}

bool weir_decorrelate_row(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    *out = (weir_decorrelated){0};
    if (plan->kind == WEIR_PLAN_PROJECT) {
        weir_decorrelated input;
        if (!weir_decorrelate_row(binder, plan->inputs[0], &input)) {
            return false;
        }
        *out = input;
        out->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, plan->expression_count + 1);
        for (int32_t i = 0; i < plan->expression_count; i++) {
            out->outputs[i] = over_outputs(binder, plan->expressions[i], &input);
        }
        return true;
    }
    if (plan->kind != WEIR_PLAN_AGGREGATE || !plan->global || plan->expression_count > 0 ||
        weir_plan_uses_outer(plan)) {
        return false;
    }
    identity_outputs(binder, plan, out);
    out->one_row = true;
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        if (!weir_aggregate_has_empty(&plan->aggregates[i])) {
            return false;
        }
        out->outputs[i] = weir_or_empty(binder, out->outputs[i]);
    }
    return true;
}
