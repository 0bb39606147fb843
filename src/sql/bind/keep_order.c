/* The order of rows where it matters: of several rows with one key the last that is written stays. A batch join with
 * the state of a table (FOR SYSTEM_TIME AS OF a processing time) looks each row up as it comes, so the rows leave in
 * the order in which they came. DuckDB's joins keep none: here the rows are numbered before such a join, and sorted
 * behind it.
 *
 * Other joins, and everything that groups, give their rows in no order, in Flink as well. */
#include "sql/bind/subquery.h"

static const weir_type *number_type(void) { return weir_type_simple(WEIR_BIGINT, false); }

/* ROW_NUMBER() over all rows, as they come, becomes their last field. */
static weir_plan *numbered(weir_binder *binder, weir_plan *input)
{
    weir_window *window = WEIR_NEW(binder->arena, weir_window);
    window->rows = true;
    window->upper.kind = WEIR_AST_CURRENT_ROW;
    weir_aggregate *number = WEIR_NEW(binder->arena, weir_aggregate);
    *number = (weir_aggregate){.function = weir_function_find("ROW_NUMBER"),
                               .position = input->position,
                               .type = number_type(),
                               .arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1),
                               .window = window};
    weir_windowing windowing = {.calls = number, .call_count = 1};
    return weir_plan_window(binder, &windowing, &input->position, input);
}

/* Columns of the second input stand one further on. */
static weir_expression *behind_number(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    const int32_t *width = state;
    copy->column += leaf->kind == WEIR_EXPRESSION_COLUMN && leaf->column >= *width;
    return copy;
}

static weir_plan *sorted_by(weir_binder *binder, weir_plan *input, int32_t column)
{
    weir_plan *sort = weir_plan_new(binder, WEIR_PLAN_SORT, &input->position, input);
    sort->sort_key_count = 1;
    sort->sort_keys = WEIR_NEW(binder->arena, weir_sort_key);
    sort->sort_keys->expression = weir_expression_column(binder, column, number_type(), &input->position);
    return sort;
}

static weir_plan *in_order(weir_binder *binder, const weir_plan *join)
{
    weir_plan *first = join->inputs[0];
    int32_t width = first->field_count;
    weir_expression *predicate =
        join->predicate == NULL ? NULL : weir_expression_rewrite(binder, join->predicate, behind_number, &width);
    weir_plan *ordered =
        weir_plan_join(binder, join->join, &join->position, numbered(binder, first), join->inputs[1], predicate);
    int32_t *columns = WEIR_NEW_ARRAY(binder->arena, int32_t, join->field_count + 1);
    for (int32_t i = 0; i < join->field_count; i++) {
        columns[i] = i + (i >= width);
    }
    ordered = sorted_by(binder, ordered, width);
    ordered = weir_plan_columns(binder, ordered, columns, join->field_count);
    ordered->fields = join->fields;
    return ordered;
}

weir_plan *weir_keep_order(weir_binder *binder, weir_plan *plan)
{
    switch (plan->kind) {
    case WEIR_PLAN_PROJECT:
    case WEIR_PLAN_FILTER:
    case WEIR_PLAN_UNNEST:
        plan->inputs[0] = weir_keep_order(binder, plan->inputs[0]);
        return plan;
    case WEIR_PLAN_UNION:
        for (int32_t i = 0; i < plan->input_count; i++) {
            plan->inputs[i] = weir_keep_order(binder, plan->inputs[i]);
        }
        return plan;
    case WEIR_PLAN_JOIN:
        if (!plan->looks_up) {
            return plan;
        }
        plan->inputs[0] = weir_keep_order(binder, plan->inputs[0]);
        return in_order(binder, plan);
    default:
        return plan;
    }
}
