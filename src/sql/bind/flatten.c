/* Projections and filters one over the other become one list of conditions and one of expressions. */
#include "sql/plan.h"

static weir_expression *substitute(weir_arena *arena, const weir_expression *expression,
                                   weir_expression *const *columns)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return columns[expression->column];
    }
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, expression->argument_count + 1);
    for (int32_t i = 0; i < expression->argument_count; i++) {
        copy->arguments[i] = substitute(arena, expression->arguments[i], columns);
    }
    return copy;
}

static void count_uses(const weir_expression *expression, int32_t *uses)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        uses[expression->column]++;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        count_uses(expression->arguments[i], uses);
    }
}

static int64_t count_parts(const weir_expression *expression)
{
    int64_t count = 1;
    for (int32_t i = 0; i < expression->argument_count; i++) {
        count += count_parts(expression->arguments[i]);
    }
    return count;
}

/* Whether what is above a projection may compute its expressions itself. Volatile ones must give the same value
 * wherever they are named, and give it to the rows of the filters above; and sums of sums of sums would grow without
 * end. */
static bool may_see_through(weir_arena *arena, const weir_plan *project, const weir_flat_plan *above)
{
    enum { most_parts = 10000 };
    int64_t parts = 0;
    int32_t *uses = WEIR_NEW_ARRAY(arena, int32_t, project->expression_count + 1);
    for (int32_t i = 0; i < above->expression_count; i++) {
        count_uses(above->expressions[i], uses);
    }
    for (int32_t i = 0; i < above->condition_count; i++) {
        count_uses(above->conditions[i], uses);
    }
    for (int32_t i = 0; i < project->expression_count; i++) {
        if (uses[i] > 1 && weir_expression_is_volatile(project->expressions[i])) {
            return false;
        }
        parts += uses[i] > 1 ? uses[i] * count_parts(project->expressions[i]) : 0;
    }
    return parts <= most_parts;
}

static void see_through(weir_arena *arena, const weir_plan *project, weir_flat_plan *flat)
{
    for (int32_t i = 0; i < flat->expression_count; i++) {
        flat->expressions[i] = substitute(arena, flat->expressions[i], project->expressions);
    }
    for (int32_t i = 0; i < flat->condition_count; i++) {
        flat->conditions[i] = substitute(arena, flat->conditions[i], project->expressions);
    }
}

static int32_t count_conjuncts(const weir_expression *condition)
{
    int32_t count = condition->kind != WEIR_EXPRESSION_AND;
    for (int32_t i = 0; i < condition->argument_count && condition->kind == WEIR_EXPRESSION_AND; i++) {
        count += count_conjuncts(condition->arguments[i]);
    }
    return count;
}

static weir_expression **put_conjuncts(weir_expression *condition, weir_expression **to)
{
    if (condition->kind != WEIR_EXPRESSION_AND) {
        *to = condition;
        return to + 1;
    }
    for (int32_t i = 0; i < condition->argument_count; i++) {
        to = put_conjuncts(condition->arguments[i], to);
    }
    return to;
}

/* What a lower filter asks for stands first: it may guard what is above. */
static void add_filter(weir_arena *arena, const weir_plan *filter, weir_flat_plan *flat)
{
    int32_t added = count_conjuncts(filter->predicate);
    weir_expression **all = WEIR_NEW_ARRAY(arena, weir_expression *, added + flat->condition_count + 1);
    weir_expression **rest = put_conjuncts(filter->predicate, all);
    for (int32_t i = 0; i < flat->condition_count; i++) {
        rest[i] = flat->conditions[i];
    }
    flat->conditions = all;
    flat->condition_count += added;
}

static void start_with_fields(weir_arena *arena, const weir_plan *plan, weir_flat_plan *out)
{
    out->expression_count = plan->field_count;
    out->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        out->expressions[i] = WEIR_NEW(arena, weir_expression);
        *out->expressions[i] =
            (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = plan->fields[i].type, .column = i};
    }
}

void weir_plan_flatten(const weir_plan *plan, weir_arena *arena, weir_flat_plan *out)
{
    *out = (weir_flat_plan){0};
    start_with_fields(arena, plan, out);
    for (;;) {
        if (plan->kind == WEIR_PLAN_PROJECT && may_see_through(arena, plan, out)) {
            see_through(arena, plan, out);
        } else if (plan->kind == WEIR_PLAN_FILTER) {
            add_filter(arena, plan, out);
        } else {
            break;
        }
        plan = plan->inputs[0];
    }
    out->bottom = plan;
}
