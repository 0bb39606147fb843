/* Aggregates: where they may stand, and the types they give. How they are computed is the engine's business. */
#include "sql/bind/binder_internal.h"

bool weir_ast_has_aggregate(const weir_ast_expression *ast)
{
    if (ast->kind == WEIR_AST_CALL && ast->call->over == NULL) {
        const weir_function *function = weir_function_find(ast->text);
        if (function != NULL && function->kind == WEIR_FUNCTION_AGGREGATE) {
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

/* SUM and AVG keep the width of integers, as in Flink; decimals widen to 38 digits. */
static const weir_type *number_result(weir_binder *binder, weir_aggregate_kind kind, const weir_type *type,
                                      bool nullable)
{
    if (type->id == WEIR_DECIMAL) {
        int scale = kind == WEIR_AGGREGATE_AVG && type->scale < 6 ? 6 : type->scale;
        return weir_type_decimal(binder->arena, 38, scale, nullable);
    }
    return weir_binder_nullable(binder, type, nullable);
}

static bool takes_numbers(weir_aggregate_kind kind)
{
    return kind != WEIR_AGGREGATE_COUNT && kind != WEIR_AGGREGATE_MIN && kind != WEIR_AGGREGATE_MAX;
}

static bool is_deviation(weir_aggregate_kind kind) { return kind >= WEIR_AGGREGATE_STDDEV_POP; }

static int type_aggregate(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                          weir_aggregate *aggregate)
{
    weir_aggregate_kind kind = function->aggregate;
    if (kind == WEIR_AGGREGATE_COUNT) {
        aggregate->type = weir_type_simple(WEIR_BIGINT, false);
        return WEIR_OK;
    }
    const weir_type *type = aggregate->arguments[0]->type;
    WEIR_TRY(weir_binder_typed(binder, aggregate->arguments[0]));
    bool fits =
        takes_numbers(kind) ? weir_type_is_numeric(type) : !weir_type_is_nested(type) && !weir_type_is_bytes(type);
    if (!fits) {
        return weir_binder_fail(binder, &ast->arguments[0]->position, "%s does not take %s; it is %s", function->name,
                                weir_sql_type_text(binder->arena, type), function->signature);
    }
    if (is_deviation(kind) && weir_type_is_exact(type)) {
        return weir_binder_unsupported(binder, &ast->position,
                                       weir_arena_format(binder->arena, "%s of %s (a CAST to DOUBLE helps)",
                                                         function->name, weir_sql_type_text(binder->arena, type)));
    }
    /* With GROUP BY every group has a row, so that only NULLs in it (or a FILTER) can make NULL. */
    bool nullable = type->nullable || aggregate->filter != NULL || binder->grouping->group_count == 0;
    aggregate->type = is_deviation(kind) || kind == WEIR_AGGREGATE_SUM || kind == WEIR_AGGREGATE_AVG
                          ? number_result(binder, kind, type, nullable)
                          : weir_binder_nullable(binder, type, nullable);
    return WEIR_OK;
}

static bool same_aggregate(const weir_aggregate *a, const weir_aggregate *b)
{
    bool filters = (a->filter == NULL) == (b->filter == NULL) &&
                   (a->filter == NULL || weir_expression_equal(a->filter, b->filter));
    if (a->function != b->function || a->distinct != b->distinct || !filters ||
        a->argument_count != b->argument_count) {
        return false;
    }
    for (int32_t i = 0; i < a->argument_count; i++) {
        if (!weir_expression_equal(a->arguments[i], b->arguments[i])) {
            return false;
        }
    }
    return true;
}

/* The column of an aggregate after grouping; one that was asked for before is not computed twice. */
static weir_expression *add_aggregate(weir_binder *binder, const weir_ast_expression *ast,
                                      const weir_aggregate *aggregate)
{
    weir_grouping *grouping = binder->grouping;
    int32_t index = 0;
    while (index < grouping->aggregate_count && !same_aggregate(&grouping->aggregates[index], aggregate)) {
        index++;
    }
    if (index == grouping->aggregate_count) {
        weir_aggregate *grown = WEIR_NEW_ARRAY(binder->arena, weir_aggregate, grouping->aggregate_count + 1);
        if (index > 0) {
            memcpy(grown, grouping->aggregates, sizeof *grown * (size_t)index);
        }
        grown[index] = *aggregate;
        grouping->aggregates = grown;
        grouping->aggregate_count++;
    }
    return weir_expression_column(binder, grouping->group_count + index, aggregate->type, &ast->position);
}

static int check_place(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function)
{
    if (binder->grouping == NULL) {
        return weir_binder_fail(binder, &ast->position, "the aggregate %s can't stand in %s", function->name,
                                binder->clause == NULL ? "this place" : binder->clause);
    }
    if (binder->grouping->binding_argument) {
        return weir_binder_fail(binder, &ast->position, "the aggregate %s can't stand inside of another aggregate",
                                function->name);
    }
    bool count = function->aggregate == WEIR_AGGREGATE_COUNT;
    if (ast->call->star && !count) {
        return weir_binder_fail(binder, &ast->position, "* is for COUNT(*) only; %s is %s", function->name,
                                function->signature);
    }
    if (!ast->call->star && ast->argument_count != 1) {
        return weir_binder_fail(binder, &ast->position, "%s does not take %d arguments; it is %s", function->name,
                                ast->argument_count, function->signature);
    }
    if (ast->call->within_group.count > 0) {
        return weir_binder_unsupported(binder, &ast->position, "WITHIN GROUP");
    }
    return WEIR_OK;
}

static int bind_parts(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate)
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
    return WEIR_OK;
}

int weir_bind_aggregate(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                        weir_expression **out)
{
    WEIR_TRY(check_place(binder, ast, function));
    weir_aggregate aggregate = {.function = function, .position = ast->position};
    binder->grouping->binding_argument = true;
    int code = bind_parts(binder, ast, &aggregate);
    binder->grouping->binding_argument = false;
    WEIR_TRY(code);
    WEIR_TRY(type_aggregate(binder, ast, function, &aggregate));
    *out = add_aggregate(binder, ast, &aggregate);
    return WEIR_OK;
}
