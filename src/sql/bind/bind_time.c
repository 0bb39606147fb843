/* Arithmetic over dates, times and intervals. */
#include "sql/bind/binder_internal.h"
#include "sql/function/kernels.h"

static int fail_types(weir_binder *binder, const weir_position *at, char sign, const weir_expression *a,
                      const weir_expression *b)
{
    return weir_binder_fail(binder, at, "%c does not take %s and %s", sign, weir_sql_type_text(binder->arena, a->type),
                            weir_sql_type_text(binder->arena, b->type));
}

/* A date or timestamp moved by an interval keeps its type. */
static int bind_move(weir_binder *binder, const weir_position *at, bool subtract, weir_expression *time,
                     weir_expression *interval, weir_expression **out)
{
    if (subtract) {
        interval = weir_expression_call(binder, &weir_kernel_negate, NULL, interval->type, at, &interval, 1);
    }
    weir_expression *both[2] = {time, interval};
    const weir_type *type = weir_binder_nullable(binder, time->type, time->type->nullable || interval->type->nullable);
    const weir_kernel *kernel =
        interval->type->id == WEIR_INTERVAL_MONTHS ? &weir_kernel_add_months : &weir_kernel_add_millis;
    const char *option = time->type->id == WEIR_TIMESTAMP_LTZ ? binder->bound->time_zone : NULL;
    *out = weir_expression_call(binder, kernel, option, type, at, both, 2);
    return WEIR_OK;
}

/* An interval times a whole number. */
static int bind_scale(weir_binder *binder, const weir_position *at, weir_expression *interval, weir_expression *factor,
                      weir_expression **out)
{
    const weir_type *type =
        weir_binder_nullable(binder, interval->type, interval->type->nullable || factor->type->nullable);
    const weir_type *whole =
        weir_type_simple(type->id == WEIR_INTERVAL_MONTHS ? WEIR_INT : WEIR_BIGINT, factor->type->nullable);
    weir_expression *both[2] = {interval, factor};
    WEIR_TRY(weir_binder_cast(binder, factor, whole, false, &both[1]));
    *out = weir_expression_call(binder, weir_kernel_arithmetic('*', type), NULL, type, at, both, 2);
    return WEIR_OK;
}

int weir_bind_time_arithmetic(weir_binder *binder, weir_ast_operator operation, const weir_position *at,
                              weir_expression *a, weir_expression *b, weir_expression **out)
{
    bool interval_a = weir_type_is_interval(a->type);
    bool interval_b = weir_type_is_interval(b->type);
    char sign = operation == WEIR_AST_PLUS       ? '+'
                : operation == WEIR_AST_MINUS    ? '-'
                : operation == WEIR_AST_MULTIPLY ? '*'
                : operation == WEIR_AST_DIVIDE   ? '/'
                                                 : '%';
    bool sum = sign == '+' || sign == '-';
    if (sum && interval_b && weir_type_is_temporal(a->type)) {
        return bind_move(binder, at, sign == '-', a, b, out);
    }
    if (sign == '+' && interval_a && weir_type_is_temporal(b->type)) {
        return bind_move(binder, at, false, b, a, out);
    }
    if (sum && interval_a && interval_b && a->type->id == b->type->id) {
        weir_expression *both[2] = {a, b};
        const weir_type *type = weir_binder_nullable(binder, a->type, a->type->nullable || b->type->nullable);
        *out = weir_expression_call(binder, weir_kernel_arithmetic(sign, type), NULL, type, at, both, 2);
        return WEIR_OK;
    }
    if (sign == '*' && interval_a && weir_type_is_integer(b->type)) {
        return bind_scale(binder, at, a, b, out);
    }
    if (sign == '*' && interval_b && weir_type_is_integer(a->type)) {
        return bind_scale(binder, at, b, a, out);
    }
    return fail_types(binder, at, sign, a, b);
}
