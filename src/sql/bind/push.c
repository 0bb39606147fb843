/* Giving scans what they may use to read less: what conditions say of their columns, and limits.
 *
 * A pushed predicate is implied by the filter, which stays: a scan may use it fully, partly or not at all. What it is
 * made of is in push_predicate.c; this file brings conditions down the plan. */
#include "sql/bind/binder_internal.h"

/* --- conditions -------------------------------------------------------------------------------------------------- */

/* What the columns of a node are below it: expressions over an input, or NULL where it says nothing of them. */
typedef struct view {
    weir_expression **expressions;
    int32_t count;
} view;

/* An expression over a node as one over its input. Columns that the input knows nothing of become column -1, which no
 * predicate names. */
static weir_expression *see_through(weir_arena *arena, const weir_expression *expression, const view *node)
{
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        if (expression->column >= 0 && expression->column < node->count &&
            node->expressions[expression->column] != NULL) {
            return node->expressions[expression->column];
        }
        copy->column = -1;
        return copy;
    }
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, copy->argument_count + 1);
    for (int32_t i = 0; i < copy->argument_count; i++) {
        copy->arguments[i] = see_through(arena, expression->arguments[i], node);
    }
    return copy;
}

/* The groups that stand in every grouping set: where one is left out, its NULL says nothing of the rows below. */
static view groups_of_all_sets(weir_arena *arena, const weir_plan *plan)
{
    view groups = {NULL, plan->expression_count};
    groups.expressions = WEIR_NEW_ARRAY(arena, weir_expression *, groups.count + 1);
    for (int32_t i = 0; i < groups.count; i++) {
        bool everywhere = true;
        for (int32_t j = 0; j < plan->grouping_set_count; j++) {
            everywhere = everywhere && (plan->grouping_sets[j] >> i & 1);
        }
        groups.expressions[i] = everywhere ? plan->expressions[i] : NULL;
    }
    return groups;
}

static bool has_column(weir_expression *const *expressions, int32_t count, int32_t column)
{
    for (int32_t i = 0; i < count; i++) {
        if (expressions[i]->kind == WEIR_EXPRESSION_COLUMN && expressions[i]->column == column) {
            return true;
        }
    }
    return false;
}

/* Whether all rows that a node looks at together agree in a column. Windows of time other than sessions look at each
 * row alone. */
static bool parts_by(const weir_plan *plan, int32_t column)
{
    if (plan->kind == WEIR_PLAN_ASSIGN) {
        return plan->assigner->kind != WEIR_ASSIGN_SESSION ||
               has_column(plan->assigner->partition_keys, plan->assigner->partition_key_count, column);
    }
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        const weir_window *window = plan->aggregates[i].window;
        if (!has_column(window->partition_keys, window->partition_key_count, column)) {
            return false;
        }
    }
    return true;
}

/* The columns of WINDOW and ASSIGN by which whole partitions may be left out. */
static view columns_of_partitions(weir_arena *arena, const weir_plan *plan)
{
    const weir_plan *input = plan->inputs[0];
    view columns = {WEIR_NEW_ARRAY(arena, weir_expression *, input->field_count + 1), input->field_count};
    for (int32_t i = 0; i < input->field_count; i++) {
        if (parts_by(plan, i)) {
            columns.expressions[i] = WEIR_NEW(arena, weir_expression);
            *columns.expressions[i] =
                (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = input->fields[i].type, .column = i};
        }
    }
    return columns;
}

static void push_filter(weir_arena *arena, const weir_expression *predicate, weir_plan *plan);

/* What a condition over the fields of both inputs says of one of them. */
static void push_to_side(weir_arena *arena, const weir_expression *predicate, weir_plan *join, int side)
{
    weir_plan *below = join->inputs[side];
    int32_t first = side == 0 ? 0 : join->inputs[0]->field_count;
    view columns = {NULL, first + below->field_count};
    columns.expressions = WEIR_NEW_ARRAY(arena, weir_expression *, columns.count + 1);
    for (int32_t i = 0; i < below->field_count; i++) {
        weir_expression *column = WEIR_NEW(arena, weir_expression);
        *column = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = below->fields[i].type, .column = i};
        columns.expressions[first + i] = column;
    }
    push_filter(arena, see_through(arena, predicate, &columns), below);
}

/* A condition above a join is fulfilled or not by a row of a side that is kept as it is, whatever it is joined with. A
 * side whose columns the join may fill with NULLs decides nothing. */
static void push_above_join(weir_arena *arena, const weir_expression *predicate, weir_plan *join)
{
    if (join->join != WEIR_JOIN_RIGHT && join->join != WEIR_JOIN_FULL) {
        push_to_side(arena, predicate, join, 0);
    }
    if (join->join == WEIR_JOIN_INNER || join->join == WEIR_JOIN_RIGHT) {
        push_to_side(arena, predicate, join, 1);
    }
}

/* Brings what a condition over the node's rows says down to the scans below it: rows that do not fulfil it may be left
 * out wherever they come from. */
static void push_filter(weir_arena *arena, const weir_expression *predicate, weir_plan *plan)
{
    switch (plan->kind) {
    case WEIR_PLAN_SCAN: {
        bool exact = true;
        const weir_predicate *pushed = weir_push_predicate(arena, predicate, plan, &exact);
        if (pushed != NULL && plan->pushed != NULL) {
            const weir_predicate *both[2] = {plan->pushed, pushed};
            pushed = weir_predicate_combine(arena, WEIR_PREDICATE_AND, both, 2);
        }
        plan->pushed = pushed != NULL ? pushed : plan->pushed;
        break;
    }
    case WEIR_PLAN_PROJECT: {
        view below = {plan->expressions, plan->expression_count};
        push_filter(arena, see_through(arena, predicate, &below), plan->inputs[0]);
        break;
    }
    case WEIR_PLAN_AGGREGATE: { /* the rows of a group are left out together */
        view groups = groups_of_all_sets(arena, plan);
        if (!plan->global) {
            push_filter(arena, see_through(arena, predicate, &groups), plan->inputs[0]);
        }
        break;
    }
    case WEIR_PLAN_WINDOW:
    case WEIR_PLAN_ASSIGN: {
        view columns = columns_of_partitions(arena, plan);
        push_filter(arena, see_through(arena, predicate, &columns), plan->inputs[0]);
        break;
    }
    case WEIR_PLAN_JOIN:
        push_above_join(arena, predicate, plan);
        break;
    case WEIR_PLAN_SORT:
        if (plan->limit >= 0 || plan->offset > 0) {
            break;
        }
        push_filter(arena, predicate, plan->inputs[0]);
        break;
    case WEIR_PLAN_FILTER:
    case WEIR_PLAN_DISTINCT:
    case WEIR_PLAN_UNION:
        for (int32_t i = 0; i < plan->input_count; i++) {
            push_filter(arena, predicate, plan->inputs[i]);
        }
        break;
    default:
        break;
    }
}

/* --- limits ------------------------------------------------------------------------------------------------------ */

/* A limit without order reaches the scan when nothing between drops rows. */
static void push_limit(int64_t rows, weir_plan *plan)
{
    while (plan->kind == WEIR_PLAN_PROJECT) {
        plan = plan->inputs[0];
    }
    if (plan->kind == WEIR_PLAN_SCAN) {
        plan->scan_limit = rows;
    }
}

void weir_push_down(weir_arena *arena, weir_plan *plan)
{
    if (plan->kind == WEIR_PLAN_FILTER) {
        push_filter(arena, plan->predicate, plan->inputs[0]);
    }
    if (plan->kind == WEIR_PLAN_SORT && plan->sort_key_count == 0 && plan->limit >= 0 &&
        plan->limit <= INT64_MAX - plan->offset) {
        push_limit(plan->limit + plan->offset, plan->inputs[0]);
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        weir_push_down(arena, plan->inputs[i]);
    }
}
