/* Projections over VALUES become VALUES: INSERT's casts are computed here, and SELECT 1 needs no engine. */
#include "sql/bind/binder_internal.h"

/* An expression over a row of VALUES, with the row's values in place of columns. */
static weir_expression *over_row(weir_binder *binder, const weir_expression *expression, weir_expression *const *row)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return row[expression->column];
    }
    weir_expression *copy = weir_arena_copy(binder->arena, expression, sizeof *expression);
    copy->arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, expression->argument_count + 1);
    for (int32_t i = 0; i < expression->argument_count; i++) {
        copy->arguments[i] = over_row(binder, expression->arguments[i], row);
    }
    return weir_fold(binder, copy, NULL);
}

static weir_plan *collapse_project(weir_binder *binder, weir_plan *project)
{
    const weir_plan *values = project->inputs[0];
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_VALUES, &project->position, NULL);
    int64_t rows = values->row_count;
    int32_t width = project->expression_count;
    plan->fields = project->fields;
    plan->field_count = width;
    plan->row_count = rows;
    plan->expression_count = (int32_t)(rows * width);
    plan->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, rows * width + 1);
    for (int64_t row = 0; row < rows; row++) {
        for (int32_t i = 0; i < width; i++) {
            plan->expressions[row * width + i] =
                over_row(binder, project->expressions[i], values->expressions + row * values->field_count);
        }
    }
    return plan;
}

/* Volatile functions keep their projection: they are computed once a row, not once a mention. */
static bool can_collapse(const weir_plan *plan)
{
    enum { most = 10000000 };
    if (plan->kind != WEIR_PLAN_PROJECT || plan->inputs[0]->kind != WEIR_PLAN_VALUES) {
        return false;
    }
    const weir_plan *values = plan->inputs[0];
    bool constant = values->row_count * plan->expression_count <= most;
    for (int32_t i = 0; i < values->expression_count && constant; i++) {
        constant = !weir_expression_is_volatile(values->expressions[i]);
    }
    return constant;
}

weir_plan *weir_collapse_values(weir_binder *binder, weir_plan *plan)
{
    for (int32_t i = 0; i < plan->input_count; i++) {
        plan->inputs[i] = weir_collapse_values(binder, plan->inputs[i]);
    }
    return can_collapse(plan) ? collapse_project(binder, plan) : plan;
}
