/* COUNT, MIN and MAX of a whole table, or of some of its partitions, as the table's metadata tell them: such an
 * aggregate becomes VALUES before the query runs. */
#include "sql/bind/binder_internal.h"
#include "sql/engine/engine_internal.h"

/* The scan below an aggregate, what its rows are restricted to, and its columns as the aggregate sees them. */
typedef struct scanned {
    const weir_plan *scan;
    const weir_predicate *predicate; /* exact; NULL: none */
    int32_t *columns;                /* of the scan's fields, by the aggregate's input's fields; -1: computed */
} scanned;

static int32_t bare_column(const weir_expression *expression)
{
    expression = weir_expression_bare(expression);
    return expression->kind == WEIR_EXPRESSION_COLUMN ? expression->column : -1;
}

/* PROJECTs of columns, over at most one FILTER that a predicate says exactly, over a SCAN. */
static bool find_base(weir_arena *arena, const weir_plan *plan, scanned *out)
{
    const weir_plan *filter = NULL;
    out->columns = WEIR_NEW_ARRAY(arena, int32_t, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        out->columns[i] = i;
    }
    int32_t width = plan->field_count;
    while (plan->kind == WEIR_PLAN_PROJECT && filter == NULL) {
        for (int32_t i = 0; i < width; i++) {
            out->columns[i] = out->columns[i] < 0 ? -1 : bare_column(plan->expressions[out->columns[i]]);
        }
        plan = plan->inputs[0];
    }
    if (plan->kind == WEIR_PLAN_FILTER) {
        filter = plan;
        plan = plan->inputs[0];
    }
    out->scan = plan;
    if (plan->kind != WEIR_PLAN_SCAN || plan->table->summarize == NULL) {
        return false;
    }
    bool exact = true;
    out->predicate = filter == NULL ? NULL : weir_push_predicate(arena, filter->predicate, plan, &exact);
    return filter == NULL || (out->predicate != NULL && exact);
}

static bool summary_of(const weir_aggregate *aggregate, const scanned *base, weir_sql_summary *out)
{
    *out = (weir_sql_summary){.kind = WEIR_SQL_ROWS, .column = -1};
    if (aggregate->filter != NULL || aggregate->argument_count > 1) {
        return false;
    }
    if (aggregate->argument_count == 1) {
        int32_t field = bare_column(aggregate->arguments[0]);
        field = field < 0 ? -1 : base->columns[field];
        if (field < 0) {
            return false;
        }
        out->column = base->scan->columns[field];
    }
    switch ((int)aggregate->function->aggregate) {
    case WEIR_AGGREGATE_COUNT:
        out->kind = aggregate->argument_count == 0 ? WEIR_SQL_ROWS : WEIR_SQL_VALUES;
        return !aggregate->distinct;
    case WEIR_AGGREGATE_MIN:
    case WEIR_AGGREGATE_MAX:
        out->kind = aggregate->function->aggregate == WEIR_AGGREGATE_MIN ? WEIR_SQL_MIN : WEIR_SQL_MAX;
        return out->column >= 0;
    default:
        return false;
    }
}

/* One row of literals with the aggregate's fields. */
static const weir_plan *as_values(weir_arena *arena, const weir_plan *plan, const weir_sql_summary *summaries)
{
    weir_plan *values = weir_arena_copy(arena, plan, sizeof *plan);
    values->kind = WEIR_PLAN_VALUES;
    values->input_count = values->aggregate_count = 0;
    values->row_count = 1;
    values->expression_count = plan->aggregate_count;
    values->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, plan->aggregate_count + 1);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        values->expressions[i] = WEIR_NEW(arena, weir_expression);
        *values->expressions[i] = (weir_expression){.kind = WEIR_EXPRESSION_LITERAL,
                                                    .position = plan->aggregates[i].position,
                                                    .type = plan->aggregates[i].type,
                                                    .literal = summaries[i].value};
    }
    return values;
}

static int replace_aggregate(weir_arena *arena, const weir_plan *plan, const weir_plan **out, weir_error *err)
{
    scanned base;
    if (!plan->global || plan->expression_count > 0 || plan->grouping_sets != NULL || plan->aggregate_count == 0 ||
        !find_base(arena, plan->inputs[0], &base)) {
        return WEIR_OK;
    }
    weir_sql_summary *summaries = WEIR_NEW_ARRAY(arena, weir_sql_summary, plan->aggregate_count);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        if (!summary_of(&plan->aggregates[i], &base, &summaries[i])) {
            return WEIR_OK;
        }
    }
    bool known = false;
    weir_sql_table *table = base.scan->table;
    WEIR_TRY(table->summarize(table, base.predicate, summaries, plan->aggregate_count, &known, err));
    if (known) {
        *out = as_values(arena, plan, summaries);
    }
    return WEIR_OK;
}

/* SELECT COUNT(*) is a PROJECT of columns over the VALUES; as VALUES itself it needs no DuckDB. */
static const weir_plan *collapse(weir_arena *arena, const weir_plan *project)
{
    const weir_plan *values = project->inputs[0];
    if (values->kind != WEIR_PLAN_VALUES || values->row_count != 1) {
        return project;
    }
    weir_plan *collapsed = weir_arena_copy(arena, project, sizeof *project);
    collapsed->kind = WEIR_PLAN_VALUES;
    collapsed->row_count = 1;
    collapsed->input_count = 0;
    collapsed->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, project->expression_count + 1);
    for (int32_t i = 0; i < project->expression_count; i++) {
        if (project->expressions[i]->kind != WEIR_EXPRESSION_COLUMN) {
            return project;
        }
        collapsed->expressions[i] = values->expressions[project->expressions[i]->column];
    }
    return collapsed;
}

int weir_plan_use_summaries(weir_arena *arena, const weir_plan *plan, const weir_plan **out, weir_error *err)
{
    *out = plan;
    if (plan->kind == WEIR_PLAN_AGGREGATE) {
        WEIR_TRY(replace_aggregate(arena, plan, out, err));
    }
    if ((*out)->kind == WEIR_PLAN_VALUES) {
        return WEIR_OK;
    }
    weir_plan *copy = NULL; /* plans belong to the bound statement, which may run again: nodes are copied */
    for (int32_t i = 0; i < plan->input_count; i++) {
        const weir_plan *input;
        WEIR_TRY(weir_plan_use_summaries(arena, plan->inputs[i], &input, err));
        if (input != plan->inputs[i]) {
            if (copy == NULL) {
                copy = weir_arena_copy(arena, plan, sizeof *plan);
                copy->inputs = weir_arena_copy(arena, plan->inputs, sizeof *plan->inputs * (size_t)plan->input_count);
            }
            copy->inputs[i] = (weir_plan *)input;
        }
    }
    if (copy != NULL) {
        *out = copy->kind == WEIR_PLAN_PROJECT ? collapse(arena, copy) : copy;
    }
    return WEIR_OK;
}
