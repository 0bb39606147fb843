/* Functions over numbers whose result type depends on the values of their arguments' types: MOD, ROUND, CEIL, TRIM's
 * words. */
#include "base/text.h"
#include "sql/bind/rules.h"
#include "sql/function/kernels.h"

static int fail_number(weir_binder *binder, const weir_ast_expression *call, const weir_expression *argument)
{
    return weir_binder_fail(binder, &argument->position, "%s does not take %s", call->text,
                            weir_sql_type_text(binder->arena, argument->type));
}

WEIR_BIND_RULE(weir_rule_mod)
{
    (void)count;
    return weir_bind_arithmetic(binder, WEIR_AST_MODULO, &call->position, arguments[0], arguments[1], out);
}

/* The type of a DECIMAL rounded to `places`: one more digit before the point when digits are lost. */
static const weir_type *rounded_type(weir_binder *binder, const weir_type *type, int64_t places, bool nullable)
{
    if (type->id != WEIR_DECIMAL) {
        return weir_binder_nullable(binder, type, nullable);
    }
    if (places >= type->scale) {
        return weir_type_decimal(binder->arena, type->precision, type->scale, nullable);
    }
    int kept = places < 0 ? 0 : (int)places;
    int precision = type->precision - type->scale + 1 + kept;
    return weir_type_decimal(binder->arena, precision > 38 ? 38 : precision, kept, nullable);
}

static int bind_rounding(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                         int32_t count, const weir_kernel *kernel, weir_expression **out)
{
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    if (!weir_type_is_numeric(arguments[0]->type)) {
        return fail_number(binder, call, arguments[0]);
    }
    bool nullable = arguments[0]->type->nullable;
    const weir_type *type = rounded_type(binder, arguments[0]->type, 0, nullable);
    if (count > 1) {
        WEIR_TRY(weir_binder_typed(binder, arguments[1]));
        if (!weir_type_is_integer(arguments[1]->type)) {
            return fail_number(binder, call, arguments[1]);
        }
        nullable = nullable || arguments[1]->type->nullable;
        bool known = arguments[1]->kind == WEIR_EXPRESSION_LITERAL && !arguments[1]->literal.is_null;
        type = known ? rounded_type(binder, arguments[0]->type, arguments[1]->literal.integer, nullable)
                     : weir_binder_nullable(binder, arguments[0]->type, nullable);
    }
    *out = weir_expression_call(binder, kernel, NULL, type, &call->position, arguments, count);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_round) { return bind_rounding(binder, call, arguments, count, &weir_kernel_round, out); }

WEIR_BIND_RULE(weir_rule_truncate) { return bind_rounding(binder, call, arguments, count, &weir_kernel_truncate, out); }

/* CEIL(x) and FLOOR(x), and those of times: CEIL(t TO DAY). */
static int bind_whole(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments, int32_t count,
                      const weir_kernel *number, const weir_kernel *time, weir_expression **out)
{
    const weir_type *type = arguments[0]->type;
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    if (count == 2 && call->arguments[1]->kind == WEIR_AST_UNIT) {
        if (!weir_type_is_temporal(type)) {
            return fail_number(binder, call, arguments[0]);
        }
        const char *option =
            weir_arena_format(binder->arena, "%s:%s", call->arguments[1]->text, binder->bound->time_zone);
        *out = weir_expression_call(binder, time, option, type, &call->position, arguments, 1);
        return WEIR_OK;
    }
    if (count != 1 || !weir_type_is_numeric(type)) {
        return fail_number(binder, call, arguments[count - 1]);
    }
    if (type->id == WEIR_DECIMAL) {
        type = weir_type_decimal(
            binder->arena,
            type->precision - type->scale < 38 && type->scale > 0 ? type->precision - type->scale + 1 : type->precision,
            0, type->nullable);
    }
    *out = weir_expression_call(binder, number, NULL, type, &call->position, arguments, 1);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_ceil)
{
    return bind_whole(binder, call, arguments, count, &weir_kernel_ceil, &weir_kernel_ceil_time, out);
}

WEIR_BIND_RULE(weir_rule_floor)
{
    return bind_whole(binder, call, arguments, count, &weir_kernel_floor, &weir_kernel_floor_time, out);
}

WEIR_BIND_RULE(weir_rule_hex)
{
    (void)count;
    const weir_type *type = arguments[0]->type;
    bool text = weir_type_is_text(type) || weir_type_is_bytes(type);
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    if (!text && !weir_type_is_integer(type)) {
        return fail_number(binder, call, arguments[0]);
    }
    *out = weir_expression_call(binder, text ? &weir_kernel_hex_text : &weir_kernel_hex_number, NULL,
                                weir_type_simple(WEIR_VARCHAR, type->nullable), &call->position, arguments, 1);
    return WEIR_OK;
}

/* TRIM: the side is a word; then the characters, if any, and the text; LTRIM and RTRIM have text first. */
WEIR_BIND_RULE(weir_rule_trim)
{
    bool special = call->arguments[0]->kind == WEIR_AST_UNIT;
    const char *side = special ? call->arguments[0]->text : call->text;
    weir_expression *ordered[2] = {arguments[count - 1], NULL};
    int32_t used = special ? count - 1 : count;
    if (used == 2) {
        ordered[0] = special ? arguments[2] : arguments[0];
        ordered[1] = arguments[1];
    }
    bool nullable = false;
    for (int32_t i = 0; i < used; i++) {
        WEIR_TRY(weir_binder_typed(binder, ordered[i]));
        if (!weir_type_is_text(ordered[i]->type)) {
            return fail_number(binder, call, ordered[i]);
        }
        nullable = nullable || ordered[i]->type->nullable;
    }
    const weir_kernel *kernel = &weir_kernel_trim_both;
    if (strcmp(side, "LEADING") == 0 || weir_text_equal_ignore_case(side, "LTRIM")) {
        kernel = &weir_kernel_trim_leading;
    } else if (strcmp(side, "TRAILING") == 0 || weir_text_equal_ignore_case(side, "RTRIM")) {
        kernel = &weir_kernel_trim_trailing;
    }
    weir_type *type = weir_type_new(binder->arena, WEIR_VARCHAR, nullable);
    type->precision = ordered[0]->type->precision;
    *out = weir_expression_call(binder, kernel, NULL, type, &call->position, ordered, used);
    return WEIR_OK;
}
