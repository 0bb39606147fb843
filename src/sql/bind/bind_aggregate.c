/* Aggregates: where they may stand, and the types they give. How they are computed is the engine's business, but for
 * the deviations, which Flink computes by its arithmetic of the argument's type: those become expressions over sums. */
#include "sql/bind/binder_internal.h"
#include "sql/function/kernels.h"

/* --- Finding aggregates in the text ---------------------------------------------------------------------------- */

static bool list_has_aggregate(const weir_ast_expressions *list)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (weir_ast_has_aggregate(list->items[i])) {
            return true;
        }
    }
    return false;
}

static bool window_has_aggregate(const weir_ast_window *window)
{
    for (int32_t i = 0; i < window->order_by.count; i++) {
        if (weir_ast_has_aggregate(window->order_by.items[i].expression)) {
            return true;
        }
    }
    return list_has_aggregate(&window->partition_by);
}

bool weir_ast_has_aggregate(const weir_ast_expression *ast)
{
    if (ast->kind == WEIR_AST_CALL) {
        const weir_function *function = weir_function_find(ast->text);
        bool over = ast->call->over != NULL;
        if (!over && function != NULL && function->kind == WEIR_FUNCTION_AGGREGATE) {
            return true;
        }
        if (over && window_has_aggregate(ast->call->over)) {
            return true;
        }
    }
    for (int32_t i = 0; i < ast->argument_count; i++) {
        if (weir_ast_has_aggregate(ast->arguments[i])) {
            return true;
        }
    }
    return false;
}

bool weir_ast_has_over(const weir_ast_expression *ast)
{
    bool found = ast->kind == WEIR_AST_CALL && ast->call->over != NULL;
    for (int32_t i = 0; i < ast->argument_count && !found; i++) {
        found = weir_ast_has_over(ast->arguments[i]);
    }
    return found;
}

/* --- Types ----------------------------------------------------------------------------------------------------- */

/* SUM and AVG keep the width of integers, as in Flink; decimals widen to 38 digits. */
static const weir_type *number_result(weir_binder *binder, weir_aggregate_kind kind, const weir_type *type,
                                      bool nullable)
{
    if (type->id == WEIR_DECIMAL) {
        int scale = kind != WEIR_AGGREGATE_SUM && type->scale < 6 ? 6 : type->scale;
        return weir_type_decimal(binder->arena, 38, scale, nullable);
    }
    return weir_binder_nullable(binder, type, nullable);
}

static bool is_deviation(weir_aggregate_kind kind)
{
    return kind >= WEIR_AGGREGATE_STDDEV_POP && kind <= WEIR_AGGREGATE_VAR_SAMP;
}

static bool takes(weir_aggregate_kind kind, const weir_type *type)
{
    switch (kind) {
    case WEIR_AGGREGATE_SUM:
    case WEIR_AGGREGATE_AVG:
    case WEIR_AGGREGATE_STDDEV_POP:
    case WEIR_AGGREGATE_STDDEV_SAMP:
    case WEIR_AGGREGATE_VAR_POP:
    case WEIR_AGGREGATE_VAR_SAMP:
    case WEIR_AGGREGATE_PERCENTILE:
        return weir_type_is_numeric(type);
    case WEIR_AGGREGATE_MIN:
    case WEIR_AGGREGATE_MAX:
        return !weir_type_is_nested(type) && !weir_type_is_bytes(type);
    case WEIR_AGGREGATE_COLLECT:
        return !weir_type_is_nested(type);
    case WEIR_AGGREGATE_LISTAGG:
        return weir_type_is_text(type);
    default:
        return true;
    }
}

static const weir_type *result_type(weir_binder *binder, const weir_aggregate *aggregate, bool nullable)
{
    const weir_type *type = aggregate->arguments[0]->type;
    weir_aggregate_kind kind = aggregate->function->aggregate;
    switch (kind) {
    case WEIR_AGGREGATE_SUM:
    case WEIR_AGGREGATE_AVG:
    case WEIR_AGGREGATE_STDDEV_POP:
    case WEIR_AGGREGATE_STDDEV_SAMP:
    case WEIR_AGGREGATE_VAR_POP:
    case WEIR_AGGREGATE_VAR_SAMP:
        return number_result(binder, kind, type, nullable);
    case WEIR_AGGREGATE_LISTAGG:
        return weir_type_simple(WEIR_VARCHAR, nullable);
    case WEIR_AGGREGATE_COLLECT:
        return weir_type_multiset(binder->arena, type, false);
    case WEIR_AGGREGATE_ARRAY_AGG:
        return weir_type_array(binder->arena, type, nullable);
    case WEIR_AGGREGATE_JSON_ARRAYAGG:
    case WEIR_AGGREGATE_JSON_OBJECTAGG:
        return weir_type_with_length(binder->arena, WEIR_VARCHAR, 2000, false);
    case WEIR_AGGREGATE_PERCENTILE:
        return weir_type_simple(WEIR_DOUBLE, nullable);
    default:
        return weir_binder_nullable(binder, type, nullable);
    }
}

static bool is_count(weir_aggregate_kind kind)
{
    return kind == WEIR_AGGREGATE_COUNT || kind == WEIR_AGGREGATE_APPROX_COUNT_DISTINCT;
}

int weir_type_aggregate(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate,
                        bool may_be_empty)
{
    const weir_function *function = aggregate->function;
    if (is_count(function->aggregate)) {
        aggregate->type = weir_type_simple(WEIR_BIGINT, false);
        return WEIR_OK;
    }
    const weir_type *type = aggregate->arguments[0]->type;
    WEIR_TRY(weir_binder_typed(binder, aggregate->arguments[0]));
    if (!takes(function->aggregate, type)) {
        return weir_binder_fail(binder, &ast->arguments[0]->position, "%s does not take %s; it is %s%s", function->name,
                                weir_sql_type_text(binder->arena, type), function->signature,
                                function->aggregate == WEIR_AGGREGATE_LISTAGG ? "; CAST the value to STRING" : "");
    }
    /* With GROUP BY every group has a row, so that only NULLs in it (or a FILTER) can make NULL. A deviation of one row
     * is NULL too. */
    bool sample = function->aggregate == WEIR_AGGREGATE_STDDEV_SAMP || function->aggregate == WEIR_AGGREGATE_VAR_SAMP;
    bool nullable = type->nullable || aggregate->filter != NULL || may_be_empty || sample;
    aggregate->type = result_type(binder, aggregate, nullable);
    return WEIR_OK;
}

/* --- Gathering ------------------------------------------------------------------------------------------------- */

static bool same_order(const weir_aggregate *a, const weir_aggregate *b)
{
    if (a->order_count != b->order_count) {
        return false;
    }
    for (int32_t i = 0; i < a->order_count; i++) {
        if (a->order[i].descending != b->order[i].descending || a->order[i].nulls_first != b->order[i].nulls_first ||
            !weir_expression_equal(a->order[i].expression, b->order[i].expression)) {
            return false;
        }
    }
    return true;
}

static bool same_aggregate(const weir_aggregate *a, const weir_aggregate *b)
{
    bool filters = (a->filter == NULL) == (b->filter == NULL) &&
                   (a->filter == NULL || weir_expression_equal(a->filter, b->filter));
    if (a->function->aggregate != b->function->aggregate || a->distinct != b->distinct || !filters ||
        a->argument_count != b->argument_count || !same_order(a, b)) {
        return false;
    }
    for (int32_t i = 0; i < a->argument_count; i++) {
        if (!weir_expression_equal(a->arguments[i], b->arguments[i])) {
            return false;
        }
    }
    return true;
}

static void append(weir_binder *binder, weir_aggregate **items, int32_t *count, const weir_aggregate *aggregate)
{
    weir_aggregate *grown = WEIR_NEW_ARRAY(binder->arena, weir_aggregate, *count + 1);
    if (*count > 0) {
        memcpy(grown, *items, sizeof *grown * (size_t)*count);
    }
    grown[(*count)++] = *aggregate;
    *items = grown;
}

/* One that was asked for before is not computed twice. */
weir_expression *weir_add_aggregate(weir_binder *binder, const weir_aggregate *aggregate)
{
    if (aggregate->window != NULL) {
        weir_windowing *windowing = binder->windowing;
        append(binder, &windowing->calls, &windowing->call_count, aggregate);
        return weir_expression_column(binder, WEIR_WINDOW_COLUMN + windowing->call_count - 1, aggregate->type,
                                      &aggregate->position);
    }
    weir_grouping *grouping = binder->grouping;
    int32_t index = 0;
    while (index < grouping->aggregate_count && !same_aggregate(&grouping->aggregates[index], aggregate)) {
        index++;
    }
    if (index == grouping->aggregate_count) {
        append(binder, &grouping->aggregates, &grouping->aggregate_count, aggregate);
    }
    return weir_expression_column(binder, grouping->group_count + index, aggregate->type, &aggregate->position);
}

/* --- Deviations ------------------------------------------------------------------------------------------------ */

/* Another aggregate over the same rows. */
static int add_part(weir_binder *binder, const weir_ast_expression *ast, const weir_aggregate *whole, const char *name,
                    weir_expression *argument, weir_expression **out)
{
    weir_aggregate part = *whole;
    part.function = weir_function_find(name);
    part.arguments = WEIR_NEW(binder->arena, weir_expression *);
    part.arguments[0] = argument;
    part.argument_count = 1;
    WEIR_TRY(weir_type_aggregate(binder, ast, &part, true));
    *out = weir_add_aggregate(binder, &part);
    return WEIR_OK;
}

static int combine(weir_binder *binder, const weir_ast_expression *ast, weir_ast_operator operation, weir_expression *a,
                   weir_expression *b, weir_expression **out)
{
    return weir_bind_arithmetic(binder, operation, &ast->position, a, b, out);
}

/* The number of values, or one less; NULL where that would be none. */
static int bind_denominator(weir_binder *binder, const weir_ast_expression *ast, bool sample, weir_expression *count,
                            weir_expression **out)
{
    *out = count;
    if (!sample) {
        return WEIR_OK;
    }
    const weir_type *bigint = weir_type_simple(WEIR_BIGINT, false);
    weir_expression *one = weir_expression_literal(binder, bigint, (weir_literal){.integer = 1}, &ast->position);
    weir_expression *choice =
        weir_expression_new(binder, WEIR_EXPRESSION_CASE, weir_type_simple(WEIR_BIGINT, true), &ast->position, 3);
    choice->arguments[0] =
        weir_expression_two(binder, WEIR_EXPRESSION_EQUAL, weir_binder_boolean(false), &ast->position, count, one);
    choice->arguments[1] = weir_expression_null(binder, bigint, &ast->position);
    WEIR_TRY(combine(binder, ast, WEIR_AST_MINUS, count, one, &choice->arguments[2]));
    *out = choice;
    return WEIR_OK;
}

/* The sum of the squares of the values on one side of zero, 0 when there are none. */
static int bind_squares_of(weir_binder *binder, const weir_ast_expression *ast, const weir_aggregate *aggregate,
                           bool negative, weir_expression *square, weir_expression **out)
{
    weir_aggregate part = *aggregate;
    weir_expression *x = aggregate->arguments[0];
    weir_expression *zero = weir_expression_literal(binder, weir_type_simple(WEIR_INT, false),
                                                    (weir_literal){.integer = 0}, &ast->position);
    WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_LESS, &ast->position, x, zero, &part.filter));
    if (!negative) {
        WEIR_TRY(weir_bind_not(binder, &ast->position, part.filter, &part.filter));
    }
    if (aggregate->filter != NULL) {
        part.filter = weir_expression_two(binder, WEIR_EXPRESSION_AND, weir_binder_boolean(true), &ast->position,
                                          aggregate->filter, part.filter);
    }
    WEIR_TRY(add_part(binder, ast, &part, "SUM", square, &x));
    const weir_type *type = weir_binder_nullable(binder, x->type, false);
    WEIR_TRY(weir_binder_cast(binder, zero, type, false, &zero));
    *out = weir_expression_two(binder, WEIR_EXPRESSION_COALESCE, type, &ast->position, x, zero);
    return WEIR_OK;
}

/* SUM(x * x) over different x: as x and -x have one square, those below zero are summed apart, and small integers
 * are squared as BIGINT, which cuts nothing off. */
static int bind_distinct_squares(weir_binder *binder, const weir_ast_expression *ast, const weir_aggregate *aggregate,
                                 weir_expression *wide, weir_expression **out)
{
    weir_expression *square = wide;
    weir_expression *below;
    weir_expression *above;
    const weir_type *type = aggregate->type;
    if (weir_type_is_integer(wide->type)) {
        WEIR_TRY(weir_binder_cast(binder, wide, weir_type_simple(WEIR_BIGINT, wide->type->nullable), false, &square));
    }
    WEIR_TRY(combine(binder, ast, WEIR_AST_MULTIPLY, square, square, &square));
    WEIR_TRY(bind_squares_of(binder, ast, aggregate, true, square, &below));
    WEIR_TRY(bind_squares_of(binder, ast, aggregate, false, square, &above));
    WEIR_TRY(combine(binder, ast, WEIR_AST_PLUS, below, above, out));
    return weir_type_is_integer(type)
               ? weir_binder_cast(binder, *out, weir_binder_nullable(binder, type, false), false, out)
               : WEIR_OK;
}

static int bind_squares(weir_binder *binder, const weir_ast_expression *ast, const weir_aggregate *aggregate,
                        weir_expression *wide, weir_expression **out)
{
    weir_expression *square;
    if (aggregate->distinct) {
        return bind_distinct_squares(binder, ast, aggregate, wide, out);
    }
    WEIR_TRY(combine(binder, ast, WEIR_AST_MULTIPLY, wide, wide, &square));
    return add_part(binder, ast, aggregate, "SUM", square, out);
}

/* VAR: (SUM(x * x) - SUM(x) * SUM(x) / COUNT(x)) / COUNT(x), or COUNT(x) - 1 of a sample; STDDEV: its root. All in the
 * arithmetic of x's type, in which integers wrap and divisions truncate: so does Flink. */
static int expand_deviation(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate,
                            weir_expression **out)
{
    weir_aggregate_kind kind = aggregate->function->aggregate;
    bool sample = kind == WEIR_AGGREGATE_STDDEV_SAMP || kind == WEIR_AGGREGATE_VAR_SAMP;
    bool root = kind == WEIR_AGGREGATE_STDDEV_POP || kind == WEIR_AGGREGATE_STDDEV_SAMP;
    weir_expression *x = aggregate->arguments[0];
    weir_expression *wide;
    weir_expression *squares;
    weir_expression *sum;
    weir_expression *count;
    weir_expression *denominator;
    const weir_type *type = aggregate->type;
    WEIR_TRY(weir_binder_cast(binder, x, weir_binder_nullable(binder, type, x->type->nullable), false, &wide));
    WEIR_TRY(bind_squares(binder, ast, aggregate, wide, &squares));
    WEIR_TRY(add_part(binder, ast, aggregate, "SUM", x, &sum));
    WEIR_TRY(add_part(binder, ast, aggregate, "COUNT", x, &count));
    WEIR_TRY(weir_binder_cast(binder, sum, weir_binder_nullable(binder, type, true), false, &sum));
    WEIR_TRY(combine(binder, ast, WEIR_AST_MULTIPLY, sum, sum, &sum));
    WEIR_TRY(combine(binder, ast, WEIR_AST_DIVIDE, sum, count, &sum));
    WEIR_TRY(combine(binder, ast, WEIR_AST_MINUS, squares, sum, out));
    WEIR_TRY(bind_denominator(binder, ast, sample, count, &denominator));
    WEIR_TRY(combine(binder, ast, WEIR_AST_DIVIDE, *out, denominator, out));
    if (root) {
        const weir_type *floating = weir_type_simple(WEIR_DOUBLE, true);
        weir_expression *both[2];
        WEIR_TRY(weir_binder_cast(binder, *out, floating, false, &both[0]));
        both[1] = weir_expression_literal(binder, weir_type_simple(WEIR_DOUBLE, false), (weir_literal){.float64 = 0.5},
                                          &ast->position);
        *out = weir_expression_call(binder, &weir_kernel_power, NULL, floating, &ast->position, both, 2);
    }
    return weir_binder_cast(binder, *out, type, false, out);
}

/* --- One call -------------------------------------------------------------------------------------------------- */

int weir_finish_aggregate(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate,
                          weir_expression **out)
{
    if (is_deviation(aggregate->function->aggregate)) {
        return expand_deviation(binder, ast, aggregate, out);
    }
    *out = weir_add_aggregate(binder, aggregate);
    return WEIR_OK;
}

static int check_place(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function)
{
    if (binder->grouping == NULL) {
        bool where = binder->clause != NULL && strcmp(binder->clause, "WHERE") == 0;
        return weir_binder_fail(binder, &ast->position, "the aggregate %s can't stand in %s%s", function->name,
                                binder->clause == NULL ? "this place" : binder->clause,
                                where ? "; conditions over groups go into HAVING" : "");
    }
    if (binder->grouping->binding_argument) {
        return weir_binder_fail(binder, &ast->position, "the aggregate %s can't stand inside of another aggregate",
                                function->name);
    }
    return WEIR_OK;
}

/* WITHIN GROUP (ORDER BY …) */
static int check_order(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function)
{
    weir_aggregate_kind kind = function->aggregate;
    bool ordered = kind == WEIR_AGGREGATE_LISTAGG || kind == WEIR_AGGREGATE_ARRAY_AGG ||
                   kind == WEIR_AGGREGATE_FIRST_VALUE || kind == WEIR_AGGREGATE_LAST_VALUE;
    if (!ordered) {
        return weir_binder_fail(binder, &ast->position,
                                "%s takes no ORDER BY of its rows; LISTAGG, ARRAY_AGG, FIRST_VALUE and LAST_VALUE do",
                                function->name);
    }
    return ast->call->over == NULL
               ? WEIR_OK
               : weir_binder_fail(binder, &ast->call->over->position,
                                  "with OVER, the order of the rows of %s is that of the window", function->name);
}

int weir_check_aggregate(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function)
{
    bool count = function->aggregate == WEIR_AGGREGATE_COUNT;
    if (ast->call->star && !count) {
        return weir_binder_fail(binder, &ast->position, "* is for COUNT(*) only; %s is %s", function->name,
                                function->signature);
    }
    bool fits =
        ast->call->star || (ast->argument_count > 0 && weir_function_takes(function->parameters, ast->argument_count));
    if (function->kind == WEIR_FUNCTION_WINDOW) {
        fits = weir_function_takes(function->parameters, ast->argument_count);
    }
    if (!fits) {
        return weir_binder_fail(binder, &ast->position, "%s does not take %d argument%s; it is %s", function->name,
                                ast->argument_count, ast->argument_count == 1 ? "" : "s", function->signature);
    }
    if (ast->call->nulls != 0 && ast->call->over == NULL) {
        return weir_binder_fail(binder, &ast->position, "%s takes no IGNORE NULLS or RESPECT NULLS", function->name);
    }
    return ast->call->within_group.count > 0 ? check_order(binder, ast, function) : WEIR_OK;
}

/* LISTAGG's separator and PERCENTILE's share are constants. */
static int check_constants(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    weir_aggregate_kind kind = aggregate->function->aggregate;
    if (kind == WEIR_AGGREGATE_LISTAGG && aggregate->argument_count == 2) {
        const weir_expression *separator = aggregate->arguments[1];
        if (separator->kind != WEIR_EXPRESSION_LITERAL || separator->literal.is_null ||
            !weir_type_is_text(separator->type)) {
            return weir_binder_fail(binder, &ast->arguments[1]->position,
                                    "the separator of LISTAGG is a text such as ', ' and no column or NULL");
        }
    }
    if (kind == WEIR_AGGREGATE_PERCENTILE) {
        const weir_type *floating = weir_type_simple(WEIR_DOUBLE, false);
        WEIR_TRY(weir_binder_constant(binder, ast->arguments[1], NULL, &aggregate->arguments[1]));
        bool number = weir_type_is_numeric(aggregate->arguments[1]->type) && !aggregate->arguments[1]->literal.is_null;
        if (number) {
            WEIR_TRY(weir_binder_cast(binder, aggregate->arguments[1], floating, false, &aggregate->arguments[1]));
        }
        double share = number ? aggregate->arguments[1]->literal.float64 : -1;
        if (!(share >= 0 && share <= 1)) {
            return weir_binder_fail(binder, &ast->arguments[1]->position,
                                    "PERCENTILE takes a share between 0.0 and 1.0, such as 0.5 for the median");
        }
    }
    return WEIR_OK;
}

int weir_bind_sort_keys(weir_binder *binder, const weir_ast_sort_keys *keys, weir_sort_key **out)
{
    weir_sort_key *bound = WEIR_NEW_ARRAY(binder->arena, weir_sort_key, keys->count + 1);
    for (int32_t i = 0; i < keys->count; i++) {
        const weir_ast_sort_key *key = &keys->items[i];
        weir_expression *expression;
        WEIR_TRY(weir_bind_expression(binder, key->expression, &expression));
        WEIR_TRY(weir_check_order(binder, &key->expression->position, expression->type));
        bound[i] = weir_sort_key_of(key, expression);
    }
    *out = bound;
    return WEIR_OK;
}

int weir_bind_aggregate_parts(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
{
    aggregate->arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, ast->argument_count + 1);
    aggregate->argument_count = ast->argument_count;
    aggregate->distinct = ast->call->distinct;
    for (int32_t i = 0; i < ast->argument_count; i++) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &aggregate->arguments[i]));
    }
    if (ast->call->filter != NULL) {
        WEIR_TRY(weir_bind_condition(binder, ast->call->filter, "FILTER", &aggregate->filter));
    }
    /* Counting what is never NULL is counting rows. */
    bool certain = aggregate->function->aggregate == WEIR_AGGREGATE_COUNT && aggregate->argument_count == 1 &&
                   !aggregate->distinct && !aggregate->arguments[0]->type->nullable;
    aggregate->argument_count -= certain;
    aggregate->order_count = ast->call->within_group.count;
    WEIR_TRY(weir_bind_sort_keys(binder, &ast->call->within_group, &aggregate->order));
    for (int32_t i = 0; i < aggregate->order_count && aggregate->distinct; i++) {
        if (!weir_expression_equal(aggregate->order[i].expression, aggregate->arguments[0])) {
            return weir_binder_fail(binder, &ast->call->within_group.items[i].expression->position,
                                    "with DISTINCT the values can be ordered by themselves only");
        }
    }
    WEIR_TRY(check_constants(binder, ast, aggregate));
    return weir_bind_json_aggregate(binder, ast, aggregate);
}

int weir_bind_aggregate(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                        weir_expression **out)
{
    WEIR_TRY(check_place(binder, ast, function));
    WEIR_TRY(weir_check_aggregate(binder, ast, function));
    weir_aggregate aggregate = {.function = function, .position = ast->position};
    weir_windowing *windowing = binder->windowing;
    weir_attachments *attachments = binder->attachments;
    const char *clause = binder->clause;
    binder->grouping->binding_argument = true;
    binder->windowing = NULL;
    binder->attachments = binder->grouping->attachments;
    binder->clause = "an aggregate";
    int code = weir_bind_aggregate_parts(binder, ast, &aggregate);
    binder->attachments = attachments;
    binder->grouping->binding_argument = false;
    binder->windowing = windowing;
    binder->clause = clause;
    WEIR_TRY(code);
    WEIR_TRY(weir_type_aggregate(binder, ast, &aggregate, binder->grouping->group_count == 0));
    return weir_finish_aggregate(binder, ast, &aggregate, out);
}
