/* What a plan computes, in words that are the same for the same computation: columns by their position, tables by their
 * full name, functions with their types. Names that a query gives to columns, and where things stand in its text, are
 * left out. State is kept under these words, and a job that goes on compares them. */
#include <stdlib.h>

#include "sql/function/function.h"
#include "sql/type.h"
#include "stream/plan/graph_internal.h"

/* --- Expressions ----------------------------------------------------------------------------------------------- */

static void describe_expression(const weir_expression *expression, weir_buffer *out);

static void describe_list(weir_expression *const *list, int32_t count, weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        describe_expression(list[i], out);
    }
}

static void describe_text(weir_slice text, weir_buffer *out)
{
    weir_buffer_append_byte(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        weir_buffer_append_text(out, text.data[i] == '\'' ? "'" : "");
        weir_buffer_append_byte(out, text.data[i]);
    }
    weir_buffer_append_byte(out, '\'');
}

static void describe_literal(const weir_expression *expression, weir_buffer *out)
{
    const weir_type *type = expression->type;
    if (expression->literal.is_null) {
        weir_buffer_append_text(out, "NULL");
    } else if (weir_type_is_interval(type)) {
        weir_buffer_append_format(out, "%" PRId64, expression->literal.integer);
    } else if (weir_type_is_text(type)) {
        describe_text(expression->literal.bytes, out);
    } else {
        weir_literal_to_text(type, &expression->literal, out);
    }
    weir_buffer_append_byte(out, ':');
    weir_sql_type_format(type, out);
}

static const char *name_of(const weir_expression *expression)
{
    static const char *const names[] = {
        [WEIR_EXPRESSION_AND] = "AND",
        [WEIR_EXPRESSION_OR] = "OR",
        [WEIR_EXPRESSION_NOT] = "NOT",
        [WEIR_EXPRESSION_EQUAL] = "=",
        [WEIR_EXPRESSION_NOT_EQUAL] = "<>",
        [WEIR_EXPRESSION_LESS] = "<",
        [WEIR_EXPRESSION_LESS_OR_EQUAL] = "<=",
        [WEIR_EXPRESSION_GREATER] = ">",
        [WEIR_EXPRESSION_GREATER_OR_EQUAL] = ">=",
        [WEIR_EXPRESSION_DISTINCT] = "IS DISTINCT FROM",
        [WEIR_EXPRESSION_NOT_DISTINCT] = "IS NOT DISTINCT FROM",
        [WEIR_EXPRESSION_IN] = "IN",
        [WEIR_EXPRESSION_IS_NULL] = "IS NULL",
        [WEIR_EXPRESSION_IS_NOT_NULL] = "IS NOT NULL",
        [WEIR_EXPRESSION_IS_TRUE] = "IS TRUE",
        [WEIR_EXPRESSION_IS_NOT_TRUE] = "IS NOT TRUE",
        [WEIR_EXPRESSION_IS_FALSE] = "IS FALSE",
        [WEIR_EXPRESSION_IS_NOT_FALSE] = "IS NOT FALSE",
        [WEIR_EXPRESSION_CASE] = "CASE",
        [WEIR_EXPRESSION_COALESCE] = "COALESCE",
        [WEIR_EXPRESSION_SAME] = "SAME",
        [WEIR_EXPRESSION_ROW] = "ROW",
        [WEIR_EXPRESSION_ARRAY] = "ARRAY",
        [WEIR_EXPRESSION_MAP] = "MAP",
        [WEIR_EXPRESSION_FIELD] = "FIELD",
        [WEIR_EXPRESSION_OUTER] = "OUTER",
    };
    return names[expression->kind];
}

/* Comparisons and logic have one type; other expressions are told apart by theirs too. */
static bool has_own_type(const weir_expression *expression)
{
    return expression->kind == WEIR_EXPRESSION_CALL || expression->kind >= WEIR_EXPRESSION_CASE;
}

static void describe_expression(const weir_expression *expression, weir_buffer *out)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        weir_buffer_append_format(out, "$%d", expression->column);
        return;
    }
    if (expression->kind == WEIR_EXPRESSION_LITERAL) {
        describe_literal(expression, out);
        return;
    }
    if (expression->kind == WEIR_EXPRESSION_CALL) {
        weir_buffer_append_text(out, expression->kernel->name);
        if (expression->kernel_option != NULL) {
            weir_buffer_append_format(out, "[%s]", expression->kernel_option);
        }
    } else {
        weir_buffer_append_text(out, name_of(expression));
    }
    if (expression->kind == WEIR_EXPRESSION_FIELD) {
        weir_buffer_append_format(out, "[%d]", expression->column);
    }
    weir_buffer_append_byte(out, '(');
    describe_list(expression->arguments, expression->argument_count, out);
    weir_buffer_append_byte(out, ')');
    if (has_own_type(expression)) {
        weir_buffer_append_byte(out, ':');
        weir_sql_type_format(expression->type, out);
    }
}

static void describe_keys(const weir_sort_key *keys, int32_t count, weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        describe_expression(keys[i].expression, out);
        weir_buffer_append_text(out, keys[i].descending ? " DESC" : "");
        weir_buffer_append_text(out, keys[i].nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}

/* --- Aggregates and windows ------------------------------------------------------------------------------------ */

static void describe_bound(const weir_frame_bound *bound, weir_buffer *out)
{
    static const char *const texts[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW", " FOLLOWING",
                                        "UNBOUNDED FOLLOWING"};
    if (bound->distance != NULL) {
        describe_expression(bound->distance, out);
    }
    weir_buffer_append_text(out, texts[bound->kind]);
}

static void describe_window(const weir_window *window, weir_buffer *out)
{
    weir_buffer_append_text(out, " OVER (PARTITION BY ");
    describe_list(window->partition_keys, window->partition_key_count, out);
    weir_buffer_append_text(out, " ORDER BY ");
    describe_keys(window->sort_keys, window->sort_key_count, out);
    weir_buffer_append_text(out, window->rows ? " ROWS " : " RANGE ");
    describe_bound(&window->lower, out);
    weir_buffer_append_text(out, " TO ");
    describe_bound(&window->upper, out);
    weir_buffer_append_byte(out, ')');
}

static void describe_aggregate(const weir_aggregate *aggregate, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s(%s", aggregate->function->name, aggregate->distinct ? "DISTINCT " : "");
    describe_list(aggregate->arguments, aggregate->argument_count, out);
    weir_buffer_append_byte(out, ')');
    weir_buffer_append_text(out, aggregate->ignore_nulls ? " IGNORE NULLS" : "");
    if (aggregate->order_count > 0) {
        weir_buffer_append_text(out, " WITHIN GROUP (");
        describe_keys(aggregate->order, aggregate->order_count, out);
        weir_buffer_append_byte(out, ')');
    }
    if (aggregate->filter != NULL) {
        weir_buffer_append_text(out, " FILTER (");
        describe_expression(aggregate->filter, out);
        weir_buffer_append_byte(out, ')');
    }
    if (aggregate->window != NULL) {
        describe_window(aggregate->window, out);
    }
    weir_buffer_append_byte(out, ':');
    weir_sql_type_format(aggregate->type, out);
}

static void describe_aggregates(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_text(out, " [");
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        describe_aggregate(&plan->aggregates[i], out);
    }
    weir_buffer_append_byte(out, ']');
}

static void describe_groups(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_text(out, plan->global ? " of all" : " by [");
    describe_list(plan->expressions, plan->expression_count, out);
    weir_buffer_append_text(out, plan->global ? "" : "]");
    for (int32_t i = 0; i < plan->grouping_set_count; i++) {
        weir_buffer_append_format(out, "%s%" PRIx64, i == 0 ? " sets " : ",", plan->grouping_sets[i]);
    }
}

static void describe_assigner(const weir_assigner *assigner, weir_buffer *out)
{
    static const char *const names[] = {"tumble", "hop", "cumulate", "session"};
    weir_buffer_append_format(out, " %s of $%d, size %" PRId64 ", step %" PRId64 ", offset %" PRId64 ", zone %s by [",
                              names[assigner->kind], assigner->column, assigner->size, assigner->step, assigner->offset,
                              assigner->zone == NULL ? "none" : assigner->zone);
    describe_list(assigner->partition_keys, assigner->partition_key_count, out);
    weir_buffer_append_byte(out, ']');
}

static void describe_state_ttls(const weir_plan *plan, weir_buffer *out)
{
    for (int32_t i = 0; plan->state_ttls_ms != NULL && i < plan->input_count; i++) {
        weir_buffer_append_text(out, i == 0 ? " kept for " : ", ");
        if (plan->state_ttls_ms[i] < 0) {
            weir_buffer_append_text(out, "as long as is set");
        } else {
            weir_buffer_append_format(out, "%" PRId64 " ms", plan->state_ttls_ms[i]);
        }
    }
}

/* --- Nodes ----------------------------------------------------------------------------------------------------- */

/* `left_out`: columns of a sink that are not told; NULL: the table is read. Of columns that are read it is told which
 * they are: state holds what came from them. */
static void describe_table(const weir_sql_table *table, const int32_t *columns, int32_t count, const bool *left_out,
                           weir_buffer *out)
{
    const char *separator = "";
    weir_buffer_append_format(out, " %s.%s.%s [", table->catalog, table->database, table->name);
    for (int32_t i = 0; i < count; i++) {
        if (left_out == NULL || !left_out[i]) {
            const weir_sql_column *column = &table->columns[columns[i]];
            weir_buffer_append_format(out, "%s%s ", separator, column->name);
            weir_sql_type_format(column->type, out);
            if (left_out == NULL && column->identity != 0) {
                weir_buffer_append_format(out, " #%" PRIu64, column->identity);
            }
            separator = ", ";
        }
    }
    weir_buffer_append_byte(out, ']');
    if (table->origin != NULL) {
        weir_buffer_append_format(out, " of %s", table->origin);
    }
}

/* What kinds of changes a table gives, and by which key: operators above it keep what goes with them. */
static void describe_changes(const weir_sql_table *table, weir_buffer *out)
{
    if (!table->has_upserts) {
        weir_buffer_append_text(out, table->has_row_kinds ? " all changes" : "");
        return;
    }
    weir_buffer_append_text(out, " upserts by [");
    for (int32_t i = 0; i < table->primary_key_count; i++) {
        weir_buffer_append_format(out, "%s%s", i == 0 ? "" : ", ", table->columns[table->primary_key[i]].name);
    }
    weir_buffer_append_byte(out, ']');
}

/* Many rows are told apart by a hash of their words. */
static void describe_values(const weir_plan *plan, weir_buffer *out)
{
    enum { shown = 100 };
    weir_buffer words = {0};
    describe_list(plan->expressions, plan->expression_count, &words);
    weir_buffer_append_format(out, " of %" PRId64 " rows [", plan->row_count);
    if (plan->expression_count <= shown) {
        weir_buffer_append(out, words.data, words.size);
    } else {
        weir_buffer_append_format(out, "%016" PRIx64, weir_graph_hash(weir_buffer_slice(&words)));
    }
    weir_buffer_append_byte(out, ']');
    weir_buffer_free(&words);
}

static void describe_sort(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_text(out, " [");
    describe_keys(plan->sort_keys, plan->sort_key_count, out);
    weir_buffer_append_format(out, "] limit %" PRId64 " offset %" PRId64, plan->limit, plan->offset);
}

static void describe_join(const weir_plan *plan, weir_buffer *out)
{
    static const char *const names[] = {"inner", "left", "right", "full", "semi", "anti", "null-aware anti"};
    weir_buffer_append_format(out, " %s", names[plan->join]);
    if (plan->predicate != NULL) {
        weir_buffer_append_text(out, " on ");
        describe_expression(plan->predicate, out);
    }
    if (plan->as_of != NULL) {
        weir_buffer_append_text(out, " as of ");
        describe_expression(plan->as_of, out);
    }
}

static const char *kind_name(weir_plan_kind kind)
{
    static const char *const names[] = {
        [WEIR_PLAN_SCAN] = "Scan",           [WEIR_PLAN_VALUES] = "Values",       [WEIR_PLAN_PROJECT] = "Project",
        [WEIR_PLAN_FILTER] = "Filter",       [WEIR_PLAN_AGGREGATE] = "Aggregate", [WEIR_PLAN_WINDOW] = "Over",
        [WEIR_PLAN_WATERMARK] = "Watermark", [WEIR_PLAN_ASSIGN] = "Windows",      [WEIR_PLAN_DISTINCT] = "Distinct",
        [WEIR_PLAN_SORT] = "Sort",           [WEIR_PLAN_UNION] = "Union",         [WEIR_PLAN_INTERSECT] = "Intersect",
        [WEIR_PLAN_EXCEPT] = "Except",       [WEIR_PLAN_UNNEST] = "Unnest",       [WEIR_PLAN_JOIN] = "Join",
    };
    return names[kind];
}

static void describe_node(const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_text(out, kind_name(plan->kind));
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
        describe_table(plan->table, plan->columns, plan->field_count, NULL, out);
        describe_changes(plan->table, out);
        break;
    case WEIR_PLAN_FILTER:
        weir_buffer_append_byte(out, ' ');
        describe_expression(plan->predicate, out);
        break;
    case WEIR_PLAN_AGGREGATE:
        describe_aggregates(plan, out);
        describe_groups(plan, out);
        describe_state_ttls(plan, out);
        break;
    case WEIR_PLAN_WINDOW:
        describe_aggregates(plan, out);
        break;
    case WEIR_PLAN_WATERMARK:
        weir_buffer_append_format(out, " for $%d as ", plan->time_column);
        describe_list(plan->expressions, plan->expression_count, out);
        break;
    case WEIR_PLAN_ASSIGN:
        describe_assigner(plan->assigner, out);
        break;
    case WEIR_PLAN_SORT:
        describe_sort(plan, out);
        break;
    case WEIR_PLAN_JOIN:
        describe_join(plan, out);
        describe_state_ttls(plan, out);
        break;
    case WEIR_PLAN_VALUES:
        describe_values(plan, out);
        break;
    default: /* PROJECT, UNNEST; INTERSECT and EXCEPT */
        weir_buffer_append_text(out, plan->all ? " all" : "");
        weir_buffer_append_text(out, plan->outer ? " outer" : "");
        weir_buffer_append_text(out, plan->ordinality ? " with ordinality" : "");
        if (plan->expression_count > 0) {
            weir_buffer_append_text(out, " [");
            describe_list(plan->expressions, plan->expression_count, out);
            weir_buffer_append_byte(out, ']');
        }
        break;
    }
}

uint64_t weir_graph_hash(weir_slice bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes.size; i++) {
        hash = (hash ^ bytes.data[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

void weir_graph_describe_plan(const weir_plan *plan, int32_t depth, weir_buffer *out)
{
    for (int32_t i = 0; i < depth; i++) {
        weir_buffer_append_text(out, "  ");
    }
    describe_node(plan, out);
    weir_buffer_append_byte(out, '\n');
    for (int32_t i = 0; i < plan->input_count; i++) {
        weir_graph_describe_plan(plan->inputs[i], depth + 1, out);
    }
}

/* Columns of the sink that the statement does not name are NULL: they may come and go. Returns whether there are any. */
static bool find_filled(const weir_bound *bound, bool *filled)
{
    const weir_plan *top = bound->plan;
    bool any = false;
    for (int32_t i = 0; i < bound->sink_column_count && top->kind == WEIR_PLAN_PROJECT; i++) {
        const weir_expression *value = top->expressions[i];
        filled[i] = !bound->assigned[i] && value->kind == WEIR_EXPRESSION_LITERAL && value->literal.is_null;
        any |= filled[i];
    }
    return any;
}

/* The projection at the top without the columns that are filled up. */
static void describe_given(const weir_bound *bound, const bool *filled, weir_buffer *out)
{
    const weir_plan *top = bound->plan;
    weir_plan given = *top;
    given.expressions = weir_alloc_zeroed((size_t)top->expression_count + 1, sizeof(weir_expression *));
    given.expression_count = 0;
    for (int32_t i = 0; i < top->expression_count; i++) {
        if (!filled[i]) {
            given.expressions[given.expression_count++] = top->expressions[i];
        }
    }
    weir_graph_describe_plan(&given, 1, out);
    free(given.expressions);
}

void weir_graph_describe(const weir_bound *bound, bool keeps_rows, weir_buffer *out)
{
    bool *filled = weir_alloc_zeroed((size_t)bound->sink_column_count + 1, sizeof *filled);
    bool any = bound->sink != NULL && !keeps_rows && find_filled(bound, filled);
    if (bound->sink != NULL) {
        weir_buffer_append_text(out, "Insert into");
        describe_table(bound->sink, bound->sink_columns, bound->sink_column_count, filled, out);
    } else {
        weir_buffer_append_text(out, "Select");
    }
    weir_buffer_append_byte(out, '\n');
    if (any) {
        describe_given(bound, filled, out);
    } else {
        weir_graph_describe_plan(bound->plan, 1, out);
    }
    free(filled);
}
