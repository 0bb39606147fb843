/* OVER: windows by name or in place, their frames, and the calls over them. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

/* --- The window as written ------------------------------------------------------------------------------------- */

static const weir_ast_window *find_window(const weir_ast_select *select, const char *name)
{
    for (int32_t i = 0; i < select->window_count; i++) {
        if (strcmp(select->windows[i].name, name) == 0) {
            return select->windows[i].window;
        }
    }
    return NULL;
}

static int fail_unknown_window(weir_binder *binder, const weir_ast_select *select, const weir_ast_window *ast)
{
    const char **names = WEIR_NEW_ARRAY(binder->arena, const char *, select->window_count + 1);
    for (int32_t i = 0; i < select->window_count; i++) {
        names[i] = select->windows[i].name;
    }
    const char *meant = weir_suggest(ast->reference, names, (size_t)select->window_count);
    return weir_binder_fail(binder, &ast->position, "there is no window '%s'%s%s%s", ast->reference,
                            meant != NULL ? "; did you mean '"
                            : select->window_count == 0
                                ? "; WINDOW name AS (…) after FROM, WHERE and GROUP BY defines one"
                                : "",
                            meant == NULL ? "" : meant, meant == NULL ? "" : "'?");
}

/* A window with what it takes over from the one that it names: (w ORDER BY x) is w, with an order. */
static int resolve_window(weir_binder *binder, const weir_ast_window *ast, int depth, weir_ast_window *out)
{
    enum { deepest = 32 };
    *out = *ast;
    if (ast->reference == NULL) {
        return WEIR_OK;
    }
    const weir_ast_select *select = binder->windowing->select;
    const weir_ast_window *base = find_window(select, ast->reference);
    if (base == NULL) {
        return fail_unknown_window(binder, select, ast);
    }
    if (depth >= deepest) {
        return weir_binder_fail(binder, &ast->position, "window '%s' is defined by itself", ast->reference);
    }
    weir_ast_window whole;
    WEIR_TRY(resolve_window(binder, base, depth + 1, &whole));
    bool adds = ast->partition_by.count > 0 || ast->order_by.count > 0 || ast->has_frame;
    if (ast->partition_by.count > 0) {
        return weir_binder_fail(binder, &ast->partition_by.items[0]->position,
                                "window '%s' says by itself how rows are partitioned", ast->reference);
    }
    if (ast->order_by.count > 0 && whole.order_by.count > 0) {
        return weir_binder_fail(binder, &ast->order_by.items[0].expression->position,
                                "window '%s' has an ORDER BY of its own", ast->reference);
    }
    if (adds && whole.has_frame) {
        return weir_binder_fail(binder, &ast->position, "window '%s' has a frame, and nothing can be added to it",
                                ast->reference);
    }
    out->partition_by = whole.partition_by;
    if (ast->order_by.count == 0) {
        out->order_by = whole.order_by;
    }
    if (whole.has_frame) {
        whole.position = ast->position;
        *out = whole;
    }
    return WEIR_OK;
}

/* --- Frames ---------------------------------------------------------------------------------------------------- */

static bool has_distance(weir_ast_bound_kind kind) { return kind == WEIR_AST_PRECEDING || kind == WEIR_AST_FOLLOWING; }

static int bind_rows_distance(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    WEIR_TRY(weir_binder_constant(binder, ast, NULL, out));
    if (!weir_type_is_integer((*out)->type) || (*out)->literal.is_null || (*out)->literal.integer < 0) {
        return weir_binder_fail(binder, &ast->position, "ROWS takes a whole number of rows that is not negative");
    }
    return weir_binder_cast(binder, *out, weir_type_simple(WEIR_BIGINT, false), false, out);
}

static bool is_negative(const weir_expression *literal)
{
    switch ((int)literal->type->id) {
    case WEIR_FLOAT:
        return literal->literal.float32 < 0;
    case WEIR_DOUBLE:
        return literal->literal.float64 < 0;
    case WEIR_DECIMAL:
        return literal->type->precision <= 18 ? literal->literal.integer < 0 : literal->literal.decimal < 0;
    default:
        return literal->literal.integer < 0;
    }
}

/* What RANGE adds to the sort key: an interval for times, a number of the key's type for numbers. */
static int bind_range_distance(weir_binder *binder, const weir_ast_expression *ast, const weir_type *key,
                               weir_expression **out)
{
    WEIR_TRY(weir_binder_constant(binder, ast, NULL, out));
    bool number = weir_type_is_numeric(key) && weir_type_is_numeric((*out)->type);
    bool time = weir_type_is_temporal(key) && weir_type_is_interval((*out)->type);
    if (!weir_type_is_numeric(key) && !weir_type_is_temporal(key)) {
        return weir_binder_fail(binder, &ast->position, "RANGE over %s takes no distance; ROWS counts rows",
                                weir_sql_type_text(binder->arena, key));
    }
    if (!number && !time) {
        return weir_binder_fail(binder, &ast->position, "RANGE over %s takes %s, but this is %s",
                                weir_sql_type_text(binder->arena, key),
                                weir_type_is_temporal(key) ? "an interval such as INTERVAL '1' HOUR" : "a number",
                                weir_sql_type_text(binder->arena, (*out)->type));
    }
    bool as_number = key->id == WEIR_TIME || (weir_type_is_timestamp(key) && key->precision > 6);
    if (as_number && (*out)->type->id == WEIR_INTERVAL_MONTHS) {
        return weir_binder_unsupported(
            binder, &ast->position,
            weir_arena_format(binder->arena, "RANGE of months over %s", weir_sql_type_text(binder->arena, key)));
    }
    if ((*out)->literal.is_null || is_negative(*out)) {
        return weir_binder_fail(binder, &ast->position, "the distance of a frame can't be NULL or negative");
    }
    if (number && weir_type_is_integer(key) && !weir_type_is_integer((*out)->type)) {
        return weir_binder_fail(binder, &ast->position, "RANGE over %s takes a whole number",
                                weir_sql_type_text(binder->arena, key));
    }
    return number ? weir_binder_cast(binder, *out, weir_binder_nullable(binder, key, false), false, out) : WEIR_OK;
}

static int bind_bound(weir_binder *binder, const weir_ast_window *ast, const weir_window *window,
                      const weir_ast_expression *value, weir_frame_bound *bound)
{
    if (!has_distance(bound->kind)) {
        return WEIR_OK;
    }
    if (window->rows) {
        return bind_rows_distance(binder, value, &bound->distance);
    }
    if (window->sort_key_count != 1) {
        return weir_binder_fail(binder, &value->position,
                                "RANGE with a distance needs ORDER BY with one key, and here %s",
                                ast->order_by.count == 0 ? "is none" : "are several; ROWS counts rows instead");
    }
    return bind_range_distance(binder, value, window->sort_keys[0].expression->type, &bound->distance);
}

static int bind_frame(weir_binder *binder, const weir_ast_window *ast, weir_window *window)
{
    window->lower.kind = WEIR_AST_UNBOUNDED_PRECEDING;
    window->upper.kind = ast->order_by.count > 0 ? WEIR_AST_CURRENT_ROW : WEIR_AST_UNBOUNDED_FOLLOWING;
    if (!ast->has_frame) {
        return WEIR_OK;
    }
    window->rows = ast->rows;
    window->lower.kind = ast->lower;
    window->upper.kind = ast->upper;
    if (ast->lower == WEIR_AST_UNBOUNDED_FOLLOWING || ast->upper == WEIR_AST_UNBOUNDED_PRECEDING ||
        ast->lower > ast->upper) {
        static const char *const names[] = {"UNBOUNDED PRECEDING", "n PRECEDING", "CURRENT ROW", "n FOLLOWING",
                                            "UNBOUNDED FOLLOWING"};
        return weir_binder_fail(binder, &ast->position, "a frame can't begin at %s and end at %s", names[ast->lower],
                                names[ast->upper]);
    }
    WEIR_TRY(bind_bound(binder, ast, window, ast->lower_value, &window->lower));
    return bind_bound(binder, ast, window, ast->upper_value, &window->upper);
}

/* Whether there are rows for which the frame holds none. */
static bool may_be_empty(const weir_window *window)
{
    return window->lower.kind > WEIR_AST_CURRENT_ROW || window->upper.kind < WEIR_AST_CURRENT_ROW;
}

static int bind_window(weir_binder *binder, const weir_ast_window *ast, weir_window **out)
{
    weir_ast_window whole;
    WEIR_TRY(resolve_window(binder, ast, 0, &whole));
    weir_window *window = WEIR_NEW(binder->arena, weir_window);
    window->partition_key_count = whole.partition_by.count;
    window->partition_keys = WEIR_NEW_ARRAY(binder->arena, weir_expression *, whole.partition_by.count + 1);
    for (int32_t i = 0; i < whole.partition_by.count; i++) {
        WEIR_TRY(weir_bind_expression(binder, whole.partition_by.items[i], &window->partition_keys[i]));
        WEIR_TRY(weir_binder_typed(binder, window->partition_keys[i]));
    }
    window->sort_key_count = whole.order_by.count;
    WEIR_TRY(weir_bind_sort_keys(binder, &whole.order_by, &window->sort_keys));
    WEIR_TRY(bind_frame(binder, &whole, window));
    *out = window;
    return WEIR_OK;
}

/* --- Calls ----------------------------------------------------------------------------------------------------- */

static int check_place(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function)
{
    if (binder->windowing == NULL) {
        const char *clause = binder->clause == NULL ? "this place" : binder->clause;
        bool filter = strcmp(clause, "WHERE") == 0 || strcmp(clause, "HAVING") == 0;
        return weir_binder_fail(binder, &ast->position, "%s(…) OVER can't stand in %s%s", function->name, clause,
                                filter ? "; give it a name in a subquery, and filter around that" : "");
    }
    if (binder->windowing->inside) {
        return weir_binder_fail(binder, &ast->position, "%s(…) OVER can't stand inside of another OVER; use a subquery",
                                function->name);
    }
    if (function->kind != WEIR_FUNCTION_AGGREGATE && function->kind != WEIR_FUNCTION_WINDOW) {
        return weir_binder_fail(binder, &ast->position, "%s is no aggregate and no window function: it takes no OVER",
                                function->name);
    }
    return WEIR_OK;
}

static bool is_rank(weir_aggregate_kind kind)
{
    return kind >= WEIR_AGGREGATE_ROW_NUMBER && kind <= WEIR_AGGREGATE_NTILE;
}

static int check_rank(weir_binder *binder, const weir_ast_expression *ast, const weir_aggregate *aggregate)
{
    if (ast->call->filter != NULL || ast->call->distinct) {
        return weir_binder_fail(binder, &ast->position, "%s takes no DISTINCT and no FILTER",
                                aggregate->function->name);
    }
    if (is_rank(aggregate->function->aggregate) && aggregate->window->sort_key_count == 0) {
        return weir_binder_fail(binder, &ast->position, "%s needs ORDER BY in OVER (…)", aggregate->function->name);
    }
    return WEIR_OK;
}

/* The number of NTILE, and how far LAG and LEAD look, are constants. */
static int bind_count(weir_binder *binder, const weir_ast_expression *ast, const char *name, int64_t least,
                      weir_expression **out)
{
    WEIR_TRY(weir_binder_constant(binder, ast, NULL, out));
    bool fits = weir_type_is_integer((*out)->type) && !(*out)->literal.is_null && (*out)->literal.integer >= least;
    return fits ? weir_binder_cast(binder, *out, weir_type_simple(WEIR_BIGINT, false), false, out)
                : weir_binder_fail(binder, &ast->position, "%s takes a whole number from %" PRId64 " on here", name,
                                   least);
}

/* LAG(value[, distance[, otherwise]]): value and otherwise are of one type. */
static int type_shift(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    weir_expression **arguments = aggregate->arguments;
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    aggregate->ignore_nulls = ast->call->nulls == 1;
    aggregate->type = weir_binder_nullable(binder, arguments[0]->type, true);
    if (aggregate->argument_count > 1) {
        WEIR_TRY(bind_count(binder, ast->arguments[1], aggregate->function->name, 0, &arguments[1]));
    }
    if (aggregate->argument_count > 2) {
        weir_expression *both[2] = {arguments[0], arguments[2]};
        const weir_type *common;
        WEIR_TRY(weir_binder_common(
            binder, &ast->arguments[2]->position,
            weir_arena_format(binder->arena, "the value and the default of %s", aggregate->function->name), both, 2,
            &common));
        arguments[0] = both[0];
        arguments[2] = both[1];
        aggregate->type = common;
    }
    return WEIR_OK;
}

static int type_call(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    switch (aggregate->function->aggregate) {
    case WEIR_AGGREGATE_ROW_NUMBER:
    case WEIR_AGGREGATE_RANK:
    case WEIR_AGGREGATE_DENSE_RANK:
        aggregate->type = weir_type_simple(WEIR_BIGINT, false);
        return WEIR_OK;
    case WEIR_AGGREGATE_PERCENT_RANK:
    case WEIR_AGGREGATE_CUME_DIST:
        aggregate->type = weir_type_simple(WEIR_DOUBLE, false);
        return WEIR_OK;
    case WEIR_AGGREGATE_NTILE:
        aggregate->type = weir_type_simple(WEIR_BIGINT, false);
        return bind_count(binder, ast->arguments[0], "NTILE", 1, &aggregate->arguments[0]);
    case WEIR_AGGREGATE_LAG:
    case WEIR_AGGREGATE_LEAD:
        return type_shift(binder, ast, aggregate);
    default:
        return weir_type_aggregate(binder, ast, aggregate, may_be_empty(aggregate->window));
    }
}

static int bind_parts(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    weir_window *window;
    weir_aggregate_kind kind = aggregate->function->aggregate;
    WEIR_TRY(bind_window(binder, ast->call->over, &window));
    aggregate->window = window;
    WEIR_TRY(weir_bind_aggregate_parts(binder, ast, aggregate));
    if (aggregate->function->kind == WEIR_FUNCTION_WINDOW) {
        WEIR_TRY(check_rank(binder, ast, aggregate));
        if (ast->call->over->has_frame && is_rank(kind)) {
            return weir_binder_fail(binder, &ast->call->over->position, "%s looks at all rows: it takes no %s frame",
                                    aggregate->function->name, window->rows ? "ROWS" : "RANGE");
        }
    }
    bool shift = kind == WEIR_AGGREGATE_LAG || kind == WEIR_AGGREGATE_LEAD;
    if (ast->call->nulls != 0 && !shift) {
        bool values = kind == WEIR_AGGREGATE_FIRST_VALUE || kind == WEIR_AGGREGATE_LAST_VALUE;
        return weir_binder_fail(binder, &ast->position, "%s takes no IGNORE NULLS or RESPECT NULLS%s",
                                aggregate->function->name, values ? "; it ignores them always" : "");
    }
    return type_call(binder, ast, aggregate);
}

int weir_bind_over(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                   weir_expression **out)
{
    WEIR_TRY(check_place(binder, ast, function));
    WEIR_TRY(weir_check_aggregate(binder, ast, function));
    weir_aggregate aggregate = {.function = function, .position = ast->position};
    binder->windowing->inside = true;
    int code = bind_parts(binder, ast, &aggregate);
    binder->windowing->inside = false;
    WEIR_TRY(code);
    return weir_finish_aggregate(binder, ast, &aggregate, out);
}

/* --- The plan node, once all calls are known ------------------------------------------------------------------- */

weir_plan *weir_plan_window(weir_binder *binder, const weir_windowing *windowing, const weir_position *at,
                            weir_plan *input)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_WINDOW, at, input);
    plan->aggregates = windowing->calls;
    plan->aggregate_count = windowing->call_count;
    plan->field_count = input->field_count + windowing->call_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (i < input->field_count) {
            plan->fields[i] = input->fields[i];
        } else {
            const char *name = weir_arena_format(binder->arena, "window%d", i - input->field_count);
            plan->fields[i] =
                (weir_field){.id = -1, .name = name, .type = windowing->calls[i - input->field_count].type};
        }
    }
    return plan;
}

/* Columns of calls get their final number. An expression that is met twice is right already. */
void weir_place_window_columns(weir_expression *expression, int32_t first)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN && expression->column >= WEIR_WINDOW_COLUMN) {
        expression->column += first - WEIR_WINDOW_COLUMN;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        weir_place_window_columns(expression->arguments[i], first);
    }
}
