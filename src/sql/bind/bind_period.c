/* Periods: (a, b) OVERLAPS (c, d), differences of times as intervals, (a - b) DAY, and intervals as numbers of their
 * unit. */
#include "sql/bind/binder_internal.h"
#include "sql/function/kernels.h"

/* --- Differences ----------------------------------------------------------------------------------------------- */

/* (a - b) unit: whole months of YEAR and MONTH, milliseconds of all other units. */
int weir_bind_difference(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression *both[2]; /* from, to */
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[1], &both[0]));
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &both[1]));
    bool instants[2];
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_binder_typed(binder, both[i]));
        instants[i] = both[i]->type->id == WEIR_TIMESTAMP_LTZ;
    }
    bool clocks = both[0]->type->id == WEIR_TIME && both[1]->type->id == WEIR_TIME;
    bool dates = both[0]->type->id != WEIR_TIME && both[1]->type->id != WEIR_TIME &&
                 weir_type_is_temporal(both[0]->type) && weir_type_is_temporal(both[1]->type);
    if ((!clocks && !dates) || instants[0] != instants[1]) {
        return weir_binder_fail(binder, &ast->position, "(a - b) %s does not take %s and %s", ast->interval.from,
                                weir_sql_type_text(binder->arena, both[1]->type),
                                weir_sql_type_text(binder->arena, both[0]->type));
    }
    bool months = strcmp(ast->interval.from, "YEAR") == 0 || strcmp(ast->interval.from, "MONTH") == 0 ||
                  strcmp(ast->interval.from, "QUARTER") == 0;
    bool nullable = both[0]->type->nullable || both[1]->type->nullable;
    weir_type *type = weir_type_new(binder->arena, months ? WEIR_INT : WEIR_BIGINT, nullable);
    type->id = months ? WEIR_INTERVAL_MONTHS : WEIR_INTERVAL_MILLIS;
    const char *option =
        weir_arena_format(binder->arena, "%s:%s", months ? "MONTH" : "MILLISECOND", binder->bound->time_zone);
    *out = weir_expression_call(binder, &weir_kernel_difference, option, type, &ast->position, both, 2);
    return WEIR_OK;
}

/* --- Intervals and numbers ------------------------------------------------------------------------------------- */

/* The number that an interval is inside: months as INT, milliseconds as BIGINT; and the other way round. */
static weir_expression *read_as(weir_binder *binder, weir_expression *value, const weir_type *type)
{
    weir_expression *same = weir_expression_new(
        binder, WEIR_EXPRESSION_SAME, weir_binder_nullable(binder, type, value->type->nullable), &value->position, 1);
    same->arguments[0] = value;
    return weir_fold(binder, same, NULL);
}

/* CAST(INTERVAL '5' DAY AS INT) is 5, and back: only intervals that are written with one unit say which it is. */
int weir_bind_interval_cast(weir_binder *binder, const weir_ast_expression *ast, weir_expression *operand,
                            const weir_type *type, weir_expression **out)
{
    bool to_number = weir_type_is_interval(operand->type);
    const weir_ast_interval *units = to_number ? &ast->arguments[0]->interval : &ast->interval;
    bool months = false;
    int64_t worth = units->from == NULL || units->to != NULL ? 0 : weir_unit_worth(units->from, &months);
    if (worth == 0) {
        return weir_binder_fail(
            binder, &ast->position,
            "an interval and a number are cast to each other by one unit, such as INTERVAL '5' DAY; "
            "this one has none");
    }
    bool nullable = operand->type->nullable;
    const weir_type *inside = weir_type_simple(months ? WEIR_INT : WEIR_BIGINT, nullable);
    weir_expression *both[2] = {operand, NULL};
    both[1] = weir_expression_literal(binder, weir_binder_nullable(binder, inside, false),
                                      (weir_literal){.integer = worth}, &ast->position);
    if (to_number) {
        both[0] = read_as(binder, operand, inside);
        WEIR_TRY(weir_bind_arithmetic(binder, WEIR_AST_DIVIDE, &ast->position, both[0], both[1], out));
        return weir_binder_cast(binder, *out, weir_binder_nullable(binder, type, nullable), false, out);
    }
    WEIR_TRY(weir_bind_arithmetic(binder, WEIR_AST_MULTIPLY, &ast->position, both[0], both[1], out));
    WEIR_TRY(weir_binder_cast(binder, *out, inside, false, out));
    *out = read_as(binder, *out, type);
    return WEIR_OK;
}

/* --- OVERLAPS -------------------------------------------------------------------------------------------------- */

typedef struct period {
    weir_expression *start, *end;
} period;

static weir_expression *choose(weir_binder *binder, const weir_position *at, weir_expression *condition,
                               weir_expression *a, weir_expression *b)
{
    bool nullable = a->type->nullable || b->type->nullable;
    weir_expression *node =
        weir_expression_new(binder, WEIR_EXPRESSION_CASE, weir_binder_nullable(binder, a->type, nullable), at, 3);
    node->arguments[0] = condition;
    node->arguments[1] = a;
    node->arguments[2] = b;
    return node;
}

/* (start, end) or (start, interval); the earlier of both is the start. */
static int bind_one_period(weir_binder *binder, const weir_ast_expression *ast, period *out)
{
    weir_expression *both[2];
    weir_expression *in_order;
    const weir_type *common;
    if (ast->kind != WEIR_AST_ROW || ast->argument_count != 2) {
        return weir_binder_fail(binder, &ast->position,
                                "OVERLAPS stands between periods: (start, end) or (start, interval)");
    }
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &both[i]));
        WEIR_TRY(weir_binder_typed(binder, both[i]));
    }
    if (weir_type_is_interval(both[1]->type)) {
        WEIR_TRY(weir_bind_time_arithmetic(binder, WEIR_AST_PLUS, &ast->position, both[0], both[1], &both[1]));
    }
    if (!weir_type_is_temporal(both[0]->type)) {
        return weir_binder_fail(binder, &ast->arguments[0]->position, "a period is of dates or times, and this is %s",
                                weir_sql_type_text(binder->arena, both[0]->type));
    }
    WEIR_TRY(weir_binder_common(binder, &ast->position, "the ends of a period", both, 2, &common));
    WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_LESS_OR_EQUAL, &ast->position, both[0], both[1], &in_order));
    out->start = choose(binder, &ast->position, in_order, both[0], both[1]);
    out->end = choose(binder, &ast->position, in_order, both[1], both[0]);
    return WEIR_OK;
}

/* Each period begins when the other has not ended yet, or just then. */
int weir_bind_overlaps(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    period periods[2];
    weir_expression *reaches[2];
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(bind_one_period(binder, ast->arguments[i], &periods[i]));
    }
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_GREATER_OR_EQUAL, &ast->position, periods[i].end,
                                      periods[1 - i].start, &reaches[i]));
    }
    bool nullable = reaches[0]->type->nullable || reaches[1]->type->nullable;
    *out = weir_expression_two(binder, WEIR_EXPRESSION_AND, weir_binder_boolean(nullable), &ast->position, reaches[0],
                               reaches[1]);
    return WEIR_OK;
}
