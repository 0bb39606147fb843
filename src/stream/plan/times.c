/* Times through plans, node by node. A time stays one as long as its column is passed on as it is; the windows of rows
 * are known as long as both their bounds are. Whether rows are inserts alone is up to traits.c. */
#include "stream/plan/times.h"

#include "stream/plan/interval.h"

#include "base/text.h"
#include "sql/function/function.h"
#include "sql/function/kernels.h"
#include "sql/type.h"

/* --- What nodes are -------------------------------------------------------------------------------------------- */

static bool is_column(const weir_expression *expression, int32_t column)
{
    const weir_expression *bare = weir_expression_bare(expression);
    return bare->kind == WEIR_EXPRESSION_COLUMN && bare->column == column;
}

/* Which of a list is that column as it is; -1: none. */
static int32_t find_column(weir_expression *const *expressions, int32_t count, int32_t column)
{
    for (int32_t i = 0; i < count && column >= 0; i++) {
        if (is_column(expressions[i], column)) {
            return i;
        }
    }
    return -1;
}

static bool in_all_sets(const weir_plan *plan, int32_t group)
{
    bool all = group >= 0;
    for (int32_t i = 0; i < plan->grouping_set_count && all; i++) {
        all = plan->grouping_sets[i] >> group & 1;
    }
    return all;
}

bool weir_stream_is_window_aggregate(const weir_plan *plan, const weir_stream_traits *input)
{
    if (!input->windowed || (plan->kind != WEIR_PLAN_AGGREGATE && plan->kind != WEIR_PLAN_DISTINCT)) {
        return false;
    }
    return plan->kind == WEIR_PLAN_DISTINCT ||
           (in_all_sets(plan, find_column(plan->expressions, plan->expression_count, input->window_start)) &&
            in_all_sets(plan, find_column(plan->expressions, plan->expression_count, input->window_end)));
}

/* Whether the condition has `left` = `right` among what must hold. */
static bool equates(const weir_expression *condition, int32_t left, int32_t right)
{
    if (condition == NULL) {
        return false;
    }
    if (condition->kind == WEIR_EXPRESSION_AND) {
        bool found = false;
        for (int32_t i = 0; i < condition->argument_count && !found; i++) {
            found = equates(condition->arguments[i], left, right);
        }
        return found;
    }
    return (condition->kind == WEIR_EXPRESSION_EQUAL || condition->kind == WEIR_EXPRESSION_NOT_DISTINCT) &&
           ((is_column(condition->arguments[0], left) && is_column(condition->arguments[1], right)) ||
            (is_column(condition->arguments[0], right) && is_column(condition->arguments[1], left)));
}

bool weir_stream_is_window_join(const weir_plan *plan, const weir_stream_traits *left, const weir_stream_traits *right)
{
    int32_t split = plan->kind == WEIR_PLAN_JOIN ? plan->inputs[0]->field_count : 0;
    return plan->kind == WEIR_PLAN_JOIN && left->windowed && right->windowed &&
           left->window_clock == right->window_clock &&
           equates(plan->predicate, left->window_start, split + right->window_start) &&
           equates(plan->predicate, left->window_end, split + right->window_end);
}

bool weir_stream_is_window_rank(const weir_plan *plan, const weir_stream_traits *input)
{
    if (plan->kind != WEIR_PLAN_WINDOW || !input->windowed || plan->aggregate_count != 1) {
        return false;
    }
    const weir_window *window = plan->aggregates[0].window;
    weir_aggregate_kind kind = plan->aggregates[0].function->aggregate;
    return kind >= WEIR_AGGREGATE_ROW_NUMBER && kind <= WEIR_AGGREGATE_DENSE_RANK &&
           find_column(window->partition_keys, window->partition_key_count, input->window_start) >= 0 &&
           find_column(window->partition_keys, window->partition_key_count, input->window_end) >= 0;
}

/* --- Windows over what is no time ------------------------------------------------------------------------------ */

/* The table that a field comes from as it is, and the field's name there; NULL: it is computed on the way. */
static const weir_sql_table *table_of(const weir_plan *plan, int32_t field, const char **out_name)
{
    for (;;) {
        switch (plan->kind) {
        case WEIR_PLAN_SCAN:
            *out_name = plan->fields[field].name;
            return plan->table;
        case WEIR_PLAN_FILTER:
        case WEIR_PLAN_SORT:
        case WEIR_PLAN_WATERMARK:
            break;
        case WEIR_PLAN_PROJECT: {
            const weir_expression *bare = weir_expression_bare(plan->expressions[field]);
            if (bare->kind != WEIR_EXPRESSION_COLUMN) {
                bool computed = plan->inputs[0]->kind == WEIR_PLAN_SCAN;
                *out_name = plan->fields[field].name;
                for (int32_t i = 0; computed && i < plan->inputs[0]->table->column_count; i++) {
                    if (strcmp(plan->inputs[0]->table->columns[i].name, *out_name) == 0) {
                        return plan->inputs[0]->table;
                    }
                }
                return NULL;
            }
            field = bare->column;
            break;
        }
        default:
            return NULL;
        }
        plan = plan->inputs[0];
    }
}

/* What would make a time of the column. */
static void advise(const weir_plan *input, int32_t column, weir_buffer *out)
{
    const char *name = NULL;
    const weir_sql_table *table = table_of(input, column, &name);
    const weir_type *type = input->fields[column].type;
    if (table == NULL) {
        weir_buffer_append_text(out, "A time attribute is a column with a WATERMARK, or of PROCTIME(), that comes here "
                                     "unchanged; joins, aggregations and expressions make plain columns of it");
        return;
    }
    if (table->watermark_column >= 0) {
        weir_buffer_append_format(out, "The time attribute of %s is ", table->name);
        weir_append_quoted(table->columns[table->watermark_column].name, '`', out);
        return;
    }
    const char *zoned = type->id == WEIR_TIMESTAMP_LTZ ? "_LTZ" : "";
    bool computed = type->precision != 3; /* watermarks are of milliseconds */
    weir_buffer line = {0};
    weir_append_quoted(name, '`', &line);
    const char *quoted = weir_buffer_text(&line);
    weir_buffer_append_format(out, "Add to CREATE TABLE %s: ", table->name);
    if (computed) {
        weir_buffer_append_format(out, "event_time AS CAST(%s AS TIMESTAMP%s(3)), ", quoted, zoned);
    }
    weir_buffer_append_format(out, "WATERMARK FOR %s AS %s - INTERVAL '5' SECOND", computed ? "event_time" : quoted,
                              computed ? "event_time" : quoted);
    weir_buffer_free(&line);
}

static int fail_no_time(const weir_plan *plan, int32_t column, const char *before, const char *after, weir_error *err)
{
    weir_buffer advice = {0};
    weir_buffer type = {0};
    weir_sql_type_format(plan->inputs[0]->fields[column].type, &type);
    advise(plan->inputs[0], column, &advice);
    int code = weir_fail_at(err, WEIR_INVALID, plan->position.line, plan->position.column, "%s%s%s %s", before,
                            weir_buffer_text(&type), after, weir_buffer_text(&advice));
    weir_buffer_free(&advice);
    weir_buffer_free(&type);
    return code;
}

static int check_assigned_time(const weir_plan *plan, const weir_stream_traits *input, weir_error *err)
{
    const weir_assigner *assigner = plan->assigner;
    if (input->times[assigner->column] != WEIR_TIME_NONE) {
        return WEIR_OK;
    }
    return assigner->of_group_by
               ? fail_no_time(plan, assigner->column,
                              "Window aggregate can only be defined over a time attribute column, but ",
                              " encountered.", err)
               : fail_no_time(plan, assigner->column,
                              "The window function requires the timecol is a time attribute type, but is ", ".", err);
}

/* --- Node by node ---------------------------------------------------------------------------------------------- */

static void set_windows(weir_stream_traits *out, const weir_stream_traits *input, int32_t start, int32_t end,
                        int32_t time)
{
    out->windowed = input->windowed && start >= 0 && end >= 0;
    out->window_start = start;
    out->window_end = end;
    out->window_time = time;
    out->window_clock = input->window_clock;
    out->window_zone = input->window_zone;
}

/* The fields of the first input, in their places. */
static void pass_on(const weir_plan *plan, const weir_stream_traits *input, weir_stream_traits *out)
{
    int32_t count = plan->inputs[0]->field_count < plan->field_count ? plan->inputs[0]->field_count : plan->field_count;
    for (int32_t i = 0; i < count; i++) {
        out->times[i] = input->times[i];
    }
    set_windows(out, input, input->window_start, input->window_end, input->window_time);
}

/* PROJECT, and the groups of an aggregation that closes with its windows. */
static void pass_expressions(const weir_plan *plan, const weir_stream_traits *input, weir_stream_traits *out)
{
    weir_expression *const *expressions = plan->expressions;
    int32_t count = plan->expression_count;
    for (int32_t i = 0; i < count; i++) {
        const weir_expression *bare = weir_expression_bare(expressions[i]);
        if (bare->kind == WEIR_EXPRESSION_COLUMN) {
            out->times[i] = input->times[bare->column];
        } else if (bare->kind == WEIR_EXPRESSION_CALL && bare->kernel == &weir_kernel_proctime) {
            out->times[i] = WEIR_TIME_PROCTIME;
        }
    }
    set_windows(out, input, find_column(expressions, count, input->window_start),
                find_column(expressions, count, input->window_end),
                find_column(expressions, count, input->window_time));
}

/* Of the groups only the window's own time is one afterwards: others have no order. */
static void pass_groups(const weir_plan *plan, const weir_stream_traits *input, weir_stream_traits *out)
{
    pass_expressions(plan, input, out);
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (i != out->window_time) {
            out->times[i] = WEIR_TIME_NONE;
        }
    }
}

static void pass_assigned(const weir_plan *plan, const weir_stream_traits *input, weir_stream_traits *out)
{
    int32_t before = plan->inputs[0]->field_count;
    weir_field_time clock = input->times[plan->assigner->column];
    pass_on(plan, input, out);
    out->times[before + 2] = clock;
    out->windowed = true;
    out->window_start = before;
    out->window_end = before + 1;
    out->window_time = before + 2;
    out->window_clock = clock;
    out->window_zone = plan->assigner->zone;
}

/* Rows that are near each other in time, as are those that come out. Where a side may be missing its times are plain
 * columns. */
static void pass_near(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_stream_traits *out)
{
    int32_t split = plan->inputs[0]->field_count;
    bool left = plan->join == WEIR_JOIN_INNER || plan->join == WEIR_JOIN_LEFT;
    bool right = plan->join == WEIR_JOIN_INNER || plan->join == WEIR_JOIN_RIGHT;
    for (int32_t i = 0; i < plan->field_count; i++) {
        bool kept = i < split ? left : right;
        weir_field_time time = i < split ? inputs[0]->times[i] : inputs[1]->times[i - split];
        out->times[i] = kept ? time : WEIR_TIME_NONE;
    }
}

/* Rows that meet in a window keep it, and its time; others lose theirs: the row that came first is long gone. */
static void pass_joined(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_stream_traits *out)
{
    weir_stream_interval interval;
    if (plan->as_of != NULL) { /* rows of the first input, with something beside them */
        pass_on(plan, inputs[0], out);
        return;
    }
    if (weir_stream_interval_of(plan, inputs[0], inputs[1], &interval)) {
        pass_near(plan, inputs, out);
        return;
    }
    if (!weir_stream_is_window_join(plan, inputs[0], inputs[1])) {
        return;
    }
    int32_t split = plan->inputs[0]->field_count;
    set_windows(out, inputs[0], inputs[0]->window_start, inputs[0]->window_end, inputs[0]->window_time);
    for (int32_t side = 0; side < 2; side++) {
        int32_t field = inputs[side]->window_time + side * split;
        if (inputs[side]->window_time >= 0 && field < plan->field_count) {
            out->times[field] = inputs[side]->window_clock;
        }
    }
    if (plan->join == WEIR_JOIN_RIGHT || plan->join == WEIR_JOIN_FULL) {
        bool right = plan->join == WEIR_JOIN_RIGHT;
        set_windows(out, inputs[1], right ? inputs[1]->window_start + split : -1, inputs[1]->window_end + split,
                    inputs[1]->window_time < 0 ? -1 : inputs[1]->window_time + split);
    }
}

/* What all inputs agree in. */
static void pass_united(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_stream_traits *out)
{
    pass_on(plan, inputs[0], out);
    out->windowed = false;
    for (int32_t i = 1; i < plan->input_count; i++) {
        for (int32_t field = 0; field < plan->field_count; field++) {
            out->times[field] = inputs[i]->times[field] == out->times[field] ? out->times[field] : WEIR_TIME_NONE;
        }
    }
}

int weir_stream_times_of(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_arena *arena,
                         weir_stream_traits *out, weir_error *err)
{
    out->times = WEIR_NEW_ARRAY(arena, weir_field_time, plan->field_count + 1);
    out->windowed = false;
    out->window_start = out->window_end = out->window_time = -1;
    switch (plan->kind) {
    case WEIR_PLAN_WATERMARK:
        pass_on(plan, inputs[0], out);
        out->times[plan->time_column] = WEIR_TIME_ROWTIME;
        break;
    case WEIR_PLAN_PROJECT:
        pass_expressions(plan, inputs[0], out);
        break;
    case WEIR_PLAN_FILTER:
    case WEIR_PLAN_SORT:
    case WEIR_PLAN_WINDOW:
    case WEIR_PLAN_UNNEST:
        pass_on(plan, inputs[0], out);
        break;
    case WEIR_PLAN_DISTINCT:
        if (inputs[0]->windowed) {
            pass_on(plan, inputs[0], out);
        }
        break;
    case WEIR_PLAN_AGGREGATE:
        if (weir_stream_is_window_aggregate(plan, inputs[0])) {
            pass_groups(plan, inputs[0], out);
        }
        break;
    case WEIR_PLAN_ASSIGN:
        WEIR_TRY(check_assigned_time(plan, inputs[0], err));
        pass_assigned(plan, inputs[0], out);
        break;
    case WEIR_PLAN_JOIN:
        pass_joined(plan, inputs, out);
        break;
    case WEIR_PLAN_UNION:
        pass_united(plan, inputs, out);
        break;
    default:
        break;
    }
    return WEIR_OK;
}
