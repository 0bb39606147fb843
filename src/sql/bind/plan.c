/* Looking at plans: which of them run row by row, and showing them. */
#include "sql/plan.h"

#include "sql/function/function.h"
#include "sql/type.h"

const weir_plan *weir_plan_row_wise_scan(const weir_plan *plan)
{
    while (plan->kind == WEIR_PLAN_PROJECT || plan->kind == WEIR_PLAN_FILTER) {
        plan = plan->inputs[0];
    }
    return plan->kind == WEIR_PLAN_SCAN ? plan : NULL;
}

/* --- EXPLAIN --------------------------------------------------------------------------------------------------- */

static void show_literal(const weir_expression *expression, weir_buffer *out)
{
    const weir_type *type = expression->type;
    if (expression->literal.is_null) {
        weir_buffer_append_text(out, "NULL");
    } else if (weir_type_is_interval(type)) {
        weir_buffer_append_format(out, "INTERVAL %" PRId64 " %s", expression->literal.integer,
                                  type->id == WEIR_INTERVAL_MONTHS ? "months" : "ms");
    } else {
        weir_vector value;
        weir_error ignored;
        bool quoted = weir_type_is_text(type) || weir_type_is_temporal(type);
        weir_vector_init(&value, type);
        weir_buffer_append_text(out, quoted ? "'" : "");
        if (weir_vector_append_literal(&value, &expression->literal, &ignored) == WEIR_OK) {
            weir_value_to_text(&value, 0, out);
        }
        weir_buffer_append_text(out, quoted ? "'" : "");
        weir_vector_free(&value);
    }
}

/* The sign of an arithmetic kernel; NULL: it is none. */
static const char *arithmetic_sign(const weir_expression *expression)
{
    static const char *const signs[][2] = {
        {"add", " + "}, {"subtract", " - "}, {"multiply", " * "}, {"divide", " / "}, {"modulo", " % "}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0] && expression->argument_count == 2; i++) {
        if (strcmp(expression->kernel->name, signs[i][0]) == 0) {
            return signs[i][1];
        }
    }
    return NULL;
}

static const char *infix(const weir_expression *expression)
{
    static const char *const texts[] = {
        [WEIR_EXPRESSION_AND] = " AND ",
        [WEIR_EXPRESSION_OR] = " OR ",
        [WEIR_EXPRESSION_EQUAL] = " = ",
        [WEIR_EXPRESSION_NOT_EQUAL] = " <> ",
        [WEIR_EXPRESSION_LESS] = " < ",
        [WEIR_EXPRESSION_LESS_OR_EQUAL] = " <= ",
        [WEIR_EXPRESSION_GREATER] = " > ",
        [WEIR_EXPRESSION_GREATER_OR_EQUAL] = " >= ",
        [WEIR_EXPRESSION_DISTINCT] = " IS DISTINCT FROM ",
        [WEIR_EXPRESSION_NOT_DISTINCT] = " IS NOT DISTINCT FROM ",
        [WEIR_EXPRESSION_CALL] = NULL,
    };
    return expression->kind == WEIR_EXPRESSION_CALL ? arithmetic_sign(expression) : texts[expression->kind];
}

static const char *function_name(const weir_expression *expression)
{
    switch (expression->kind) {
    case WEIR_EXPRESSION_NOT:
        return "NOT";
    case WEIR_EXPRESSION_IN:
        return "IN";
    case WEIR_EXPRESSION_IS_NULL:
        return "IS NULL";
    case WEIR_EXPRESSION_IS_NOT_NULL:
        return "IS NOT NULL";
    case WEIR_EXPRESSION_IS_TRUE:
        return "IS TRUE";
    case WEIR_EXPRESSION_IS_NOT_TRUE:
        return "IS NOT TRUE";
    case WEIR_EXPRESSION_IS_FALSE:
        return "IS FALSE";
    case WEIR_EXPRESSION_IS_NOT_FALSE:
        return "IS NOT FALSE";
    case WEIR_EXPRESSION_CASE:
        return "CASE";
    case WEIR_EXPRESSION_COALESCE:
        return "COALESCE";
    case WEIR_EXPRESSION_ROW:
        return "ROW";
    case WEIR_EXPRESSION_ARRAY:
        return "ARRAY";
    case WEIR_EXPRESSION_MAP:
        return "MAP";
    case WEIR_EXPRESSION_FIELD:
        return "FIELD";
    default:
        return expression->kernel->name;
    }
}

static void show_arguments(const weir_expression *expression, const weir_plan *input, const char *between,
                           weir_buffer *out)
{
    weir_buffer_append_byte(out, '(');
    for (int32_t i = 0; i < expression->argument_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : between);
        weir_expression_show(expression->arguments[i], input, out);
    }
    weir_buffer_append_byte(out, ')');
}

void weir_expression_show(const weir_expression *expression, const weir_plan *input, weir_buffer *out)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        weir_buffer_append_text(out, input->fields[expression->column].name);
    } else if (expression->kind == WEIR_EXPRESSION_LITERAL) {
        show_literal(expression, out);
    } else if (expression->kind == WEIR_EXPRESSION_SAME) {
        weir_expression_show(expression->arguments[0], input, out);
    } else if (infix(expression) != NULL) {
        show_arguments(expression, input, infix(expression), out);
    } else {
        weir_buffer_append_text(out, function_name(expression));
        show_arguments(expression, input, ", ", out);
    }
}

static void show_predicate(const weir_predicate *predicate, const weir_sql_table *table, weir_buffer *out)
{
    static const char *const texts[] = {" AND ", " OR ", " = ",  " <> ",     " < ",          " <= ",
                                        " > ",   " >= ", " IN ", " IS NULL", " IS NOT NULL", " STARTS WITH "};
    if (predicate->kind == WEIR_PREDICATE_AND || predicate->kind == WEIR_PREDICATE_OR) {
        weir_buffer_append_byte(out, '(');
        for (int32_t i = 0; i < predicate->child_count; i++) {
            weir_buffer_append_text(out, i == 0 ? "" : texts[predicate->kind]);
            show_predicate(predicate->children[i], table, out);
        }
        weir_buffer_append_byte(out, ')');
        return;
    }
    weir_buffer_append_format(out, "%s%s", table->columns[predicate->column].name, texts[predicate->kind]);
    for (int32_t i = 0; i < predicate->literal_count; i++) {
        weir_expression literal = {.type = predicate->type, .literal = predicate->literals[i]};
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        show_literal(&literal, out);
    }
}

static void show_expressions(weir_expression **expressions, int32_t count, const weir_plan *input, weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_expression_show(expressions[i], input, out);
    }
}

static void show_scan(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_format(out, "Scan %s [", plan->table->name);
    for (int32_t i = 0; i < plan->field_count; i++) {
        weir_buffer_append_format(out, "%s%s", i == 0 ? "" : ", ", plan->fields[i].name);
    }
    weir_buffer_append_byte(out, ']');
    if (plan->pushed != NULL) {
        weir_buffer_append_text(out, " pushed: ");
        show_predicate(plan->pushed, plan->table, out);
    }
    if (plan->scan_limit >= 0) {
        weir_buffer_append_format(out, " limit: %" PRId64, plan->scan_limit);
    }
}

static void show_keys(const weir_sort_key *keys, int32_t count, const weir_plan *input, weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_expression_show(keys[i].expression, input, out);
        weir_buffer_append_text(out, keys[i].descending ? " DESC" : "");
        weir_buffer_append_text(
            out, keys[i].nulls_first == keys[i].descending ? keys[i].nulls_first ? " NULLS FIRST" : " NULLS LAST" : "");
    }
}

static void show_bound(const weir_frame_bound *bound, const weir_plan *input, weir_buffer *out)
{
    static const char *const texts[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW", " FOLLOWING",
                                        "UNBOUNDED FOLLOWING"};
    if (bound->distance != NULL) {
        weir_expression_show(bound->distance, input, out);
    }
    weir_buffer_append_text(out, texts[bound->kind]);
}

static void show_over(const weir_window *window, const weir_plan *input, weir_buffer *out)
{
    weir_buffer_append_text(out, " OVER (");
    if (window->partition_key_count > 0) {
        weir_buffer_append_text(out, "PARTITION BY ");
        show_expressions(window->partition_keys, window->partition_key_count, input, out);
    }
    if (window->sort_key_count > 0) {
        weir_buffer_append_text(out, window->partition_key_count > 0 ? " ORDER BY " : "ORDER BY ");
        show_keys(window->sort_keys, window->sort_key_count, input, out);
        weir_buffer_append_text(out, window->rows ? " ROWS " : " RANGE ");
        show_bound(&window->lower, input, out);
        weir_buffer_append_text(out, " TO ");
        show_bound(&window->upper, input, out);
    }
    weir_buffer_append_byte(out, ')');
}

void weir_aggregate_show(const weir_aggregate *aggregate, const weir_plan *input, weir_buffer *out)
{
    bool star = aggregate->argument_count == 0 && aggregate->function->aggregate == WEIR_AGGREGATE_COUNT;
    weir_buffer_append_format(out, "%s(%s", aggregate->function->name,
                              aggregate->distinct ? "DISTINCT "
                              : star              ? "*"
                                                  : "");
    show_expressions(aggregate->arguments, aggregate->argument_count, input, out);
    weir_buffer_append_byte(out, ')');
    if (aggregate->order_count > 0) {
        weir_buffer_append_text(out, " WITHIN GROUP (ORDER BY ");
        show_keys(aggregate->order, aggregate->order_count, input, out);
        weir_buffer_append_byte(out, ')');
    }
    if (aggregate->filter != NULL) {
        weir_buffer_append_text(out, " FILTER (WHERE ");
        weir_expression_show(aggregate->filter, input, out);
        weir_buffer_append_byte(out, ')');
    }
    if (aggregate->window != NULL) {
        show_over(aggregate->window, input, out);
    }
}

static void show_calls(const weir_plan *plan, const char *name, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s [", name);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_aggregate_show(&plan->aggregates[i], plan->inputs[0], out);
    }
    weir_buffer_append_byte(out, ']');
}

static void show_aggregate(const weir_plan *plan, weir_buffer *out)
{
    show_calls(plan, "Aggregate", out);
    weir_buffer_append_text(out, " by [");
    show_expressions(plan->expressions, plan->expression_count, plan->inputs[0], out);
    weir_buffer_append_byte(out, ']');
    for (int32_t i = 0; i < plan->grouping_set_count; i++) {
        weir_buffer_append_text(out, i == 0 ? " sets [(" : ", (");
        bool first = true;
        for (int32_t j = 0; j < plan->expression_count; j++) {
            if (plan->grouping_sets[i] >> j & 1) {
                weir_buffer_append_text(out, first ? "" : ", ");
                weir_expression_show(plan->expressions[j], plan->inputs[0], out);
                first = false;
            }
        }
        weir_buffer_append_text(out, i == plan->grouping_set_count - 1 ? ")]" : ")");
    }
}

static void show_assign(const weir_plan *plan, weir_buffer *out)
{
    static const char *const names[] = {"tumble", "hop", "cumulate", "session"};
    const weir_assigner *assigner = plan->assigner;
    weir_buffer_append_format(out, "Windows %s of %s, size %" PRId64 " ms", names[assigner->kind],
                              plan->inputs[0]->fields[assigner->column].name, assigner->size);
    if (assigner->step > 0) {
        weir_buffer_append_format(out, ", step %" PRId64 " ms", assigner->step);
    }
    if (assigner->offset != 0) {
        weir_buffer_append_format(out, ", offset %" PRId64 " ms", assigner->offset);
    }
    if (assigner->zone != NULL) {
        weir_buffer_append_format(out, ", zone %s", assigner->zone);
    }
    if (assigner->partition_key_count > 0) {
        weir_buffer_append_text(out, " by [");
        show_expressions(assigner->partition_keys, assigner->partition_key_count, plan->inputs[0], out);
        weir_buffer_append_byte(out, ']');
    }
}

static void show_watermark(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_format(out, "Watermark for %s as ", plan->fields[plan->time_column].name);
    weir_expression_show(plan->expressions[0], plan->inputs[0], out);
}

static void show_sort(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_text(out, plan->sort_key_count > 0 ? "Sort [" : "Limit");
    show_keys(plan->sort_keys, plan->sort_key_count, plan->inputs[0], out);
    weir_buffer_append_text(out, plan->sort_key_count > 0 ? "]" : "");
    if (plan->limit >= 0) {
        weir_buffer_append_format(out, "%s %" PRId64, plan->sort_key_count > 0 ? " limit" : "", plan->limit);
    }
    if (plan->offset > 0) {
        weir_buffer_append_format(out, " offset %" PRId64, plan->offset);
    }
}

/* The fields that a join's predicate is over: those of both inputs, of SEMI and ANTI as well. */
static weir_plan joined_fields(const weir_plan *join, weir_field *fields)
{
    int32_t count = 0;
    for (int32_t i = 0; i < join->input_count; i++) {
        for (int32_t j = 0; j < join->inputs[i]->field_count; j++) {
            fields[count++] = join->inputs[i]->fields[j];
        }
    }
    return (weir_plan){.fields = fields, .field_count = count};
}

void weir_join_predicate_show(const weir_plan *join, weir_buffer *out)
{
    if (join->predicate != NULL) {
        int32_t count = join->inputs[0]->field_count + join->inputs[1]->field_count;
        weir_field *fields = weir_alloc_zeroed((size_t)count + 1, sizeof *fields);
        weir_plan both = joined_fields(join, fields);
        weir_expression_show(join->predicate, &both, out);
        free(fields);
    }
}

static void show_join(const weir_plan *plan, weir_buffer *out)
{
    static const char *const names[] = {"Inner", "Left", "Right", "Full", "Semi", "Anti", "Null-aware anti"};
    weir_buffer_append_format(out, "%s join",
                              plan->predicate == NULL && plan->join == WEIR_JOIN_INNER ? "Cross" : names[plan->join]);
    weir_buffer_append_text(out, plan->predicate == NULL ? "" : " on ");
    weir_join_predicate_show(plan, out);
    if (plan->as_of != NULL) {
        weir_buffer_append_text(out, " as of ");
        weir_expression_show(plan->as_of, plan->inputs[0], out);
    }
}

void weir_plan_show_node(const weir_plan *plan, weir_buffer *out)
{
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
        show_scan(plan, out);
        break;
    case WEIR_PLAN_VALUES:
        weir_buffer_append_format(out, "Values of %" PRId64 " %s", plan->row_count,
                                  plan->row_count == 1 ? "row" : "rows");
        break;
    case WEIR_PLAN_PROJECT:
        weir_buffer_append_text(out, "Project [");
        show_expressions(plan->expressions, plan->expression_count, plan->inputs[0], out);
        weir_buffer_append_byte(out, ']');
        break;
    case WEIR_PLAN_FILTER:
        weir_buffer_append_text(out, "Filter ");
        weir_expression_show(plan->predicate, plan->inputs[0], out);
        break;
    case WEIR_PLAN_AGGREGATE:
        show_aggregate(plan, out);
        break;
    case WEIR_PLAN_WINDOW:
        show_calls(plan, "Window", out);
        break;
    case WEIR_PLAN_WATERMARK:
        show_watermark(plan, out);
        break;
    case WEIR_PLAN_ASSIGN:
        show_assign(plan, out);
        break;
    case WEIR_PLAN_DISTINCT:
        weir_buffer_append_text(out, "Distinct");
        break;
    case WEIR_PLAN_SORT:
        show_sort(plan, out);
        break;
    case WEIR_PLAN_UNION:
        weir_buffer_append_text(out, "Union all");
        break;
    case WEIR_PLAN_UNNEST:
        weir_buffer_append_text(out, plan->outer ? "Unnest, outer, " : "Unnest ");
        weir_expression_show(plan->expressions[0], plan->inputs[0], out);
        weir_buffer_append_text(out, plan->ordinality ? " with ordinality" : "");
        break;
    case WEIR_PLAN_INTERSECT:
        weir_buffer_append_text(out, plan->all ? "Intersect all" : "Intersect");
        break;
    case WEIR_PLAN_EXCEPT:
        weir_buffer_append_text(out, plan->all ? "Except all" : "Except");
        break;
    case WEIR_PLAN_JOIN:
        show_join(plan, out);
        break;
    }
}

static void show_plan(const weir_plan *plan, int depth, weir_buffer *out)
{
    for (int i = 0; i < depth; i++) {
        weir_buffer_append_text(out, "  ");
    }
    weir_plan_show_node(plan, out);
    weir_buffer_append_byte(out, '\n');
    for (int32_t i = 0; i < plan->input_count; i++) {
        show_plan(plan->inputs[i], depth + 1, out);
    }
}

void weir_plan_explain(const weir_plan *plan, weir_buffer *out) { show_plan(plan, 0, out); }
