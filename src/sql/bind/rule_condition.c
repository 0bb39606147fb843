/* COALESCE, NULLIF, IF, GREATEST and LEAST, TYPEOF: functions that choose among their arguments. */
#include "base/text.h"
#include "sql/bind/rules.h"

/* IFNULL and COALESCE: not NULL as soon as one argument can't be. */
WEIR_BIND_RULE(weir_rule_coalesce)
{
    const weir_type *common;
    bool nullable = true;
    for (int32_t i = 0; i < count; i++) {
        nullable = nullable && arguments[i]->type->nullable;
    }
    WEIR_TRY(weir_binder_common(binder, &call->position, "the arguments of COALESCE", arguments, count, &common));
    if (common->id == WEIR_NULL) {
        return weir_binder_typed(binder, arguments[0]);
    }
    *out = weir_expression_new(binder, WEIR_EXPRESSION_COALESCE, weir_binder_nullable(binder, common, nullable),
                               &call->position, count);
    memcpy((*out)->arguments, arguments, sizeof *arguments * (size_t)count);
    return WEIR_OK;
}

static weir_expression *new_case(weir_binder *binder, const weir_position *at, const weir_type *type,
                                 weir_expression *when, weir_expression *then, weir_expression *otherwise)
{
    weir_expression *node = weir_expression_new(binder, WEIR_EXPRESSION_CASE, type, at, 3);
    node->arguments[0] = when;
    node->arguments[1] = then;
    node->arguments[2] = otherwise;
    return node;
}

/* NULLIF(a, b) is NULL where a = b, and else a. */
WEIR_BIND_RULE(weir_rule_nullif)
{
    (void)count;
    weir_expression *equal;
    WEIR_TRY(weir_binder_typed(binder, arguments[0]));
    WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_EQUAL, &call->position, arguments[0], arguments[1], &equal));
    const weir_type *type = weir_binder_nullable(binder, arguments[0]->type, true);
    *out = new_case(binder, &call->position, type, equal, weir_expression_null(binder, type, &call->position),
                    arguments[0]);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_if)
{
    (void)count;
    const weir_type *common;
    if (arguments[0]->type->id != WEIR_BOOLEAN) {
        return weir_binder_fail(binder, &call->arguments[0]->position, "IF takes a condition first, but this is %s",
                                weir_sql_type_text(binder->arena, arguments[0]->type));
    }
    WEIR_TRY(weir_binder_typed(binder, arguments[1]));
    WEIR_TRY(weir_binder_typed(binder, arguments[2]));
    WEIR_TRY(weir_binder_common(binder, &call->position, "the branches of IF", arguments + 1, 2, &common));
    common = weir_binder_nullable(binder, common, common->nullable || arguments[0]->type->nullable);
    *out = new_case(binder, &call->position, common, arguments[0], arguments[1], arguments[2]);
    return WEIR_OK;
}

/* GREATEST and LEAST are NULL as soon as one argument is: CASE over comparisons, taken pair by pair. The later one wins
 * only by being better, so that a NaN in front stays. */
static int bind_extreme(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                        int32_t count, weir_expression_kind kind, weir_expression **out)
{
    const weir_type *common;
    WEIR_TRY(weir_binder_common(binder, &call->position, "the arguments", arguments, count, &common));
    if (common->id == WEIR_NULL || weir_type_is_nested(common)) {
        return weir_binder_fail(binder, &call->position, "%s does not take %s", call->text,
                                weir_sql_type_text(binder->arena, common));
    }
    weir_expression *best = arguments[0];
    for (int32_t i = 1; i < count; i++) {
        weir_expression *better;
        bool nullable = best->type->nullable || arguments[i]->type->nullable;
        const weir_type *type = weir_binder_nullable(binder, common, nullable);
        WEIR_TRY(weir_bind_comparison(binder, kind, &call->position, arguments[i], best, &better));
        weir_expression *node = weir_expression_new(binder, WEIR_EXPRESSION_CASE, type, &call->position, 5);
        weir_expression *unknown =
            weir_expression_new(binder, WEIR_EXPRESSION_IS_NULL, weir_binder_boolean(false), &call->position, 1);
        unknown->arguments[0] = better;
        node->arguments[0] = unknown;
        node->arguments[1] = weir_expression_null(binder, type, &call->position);
        node->arguments[2] = better;
        node->arguments[3] = arguments[i];
        node->arguments[4] = best;
        best = nullable ? node : new_case(binder, &call->position, type, better, arguments[i], best);
    }
    *out = best;
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_greatest)
{
    return bind_extreme(binder, call, arguments, count, WEIR_EXPRESSION_GREATER, out);
}

WEIR_BIND_RULE(weir_rule_least) { return bind_extreme(binder, call, arguments, count, WEIR_EXPRESSION_LESS, out); }

static weir_expression *text_literal(weir_binder *binder, const weir_position *at, const char *text, bool nullable)
{
    const char *copy = weir_arena_strdup(binder->arena, text);
    return weir_expression_literal(binder, weir_type_simple(WEIR_VARCHAR, nullable),
                                   (weir_literal){.bytes = weir_slice_text(copy)}, at);
}

/* TYPEOF(x): the type as text; TYPEOF(x, TRUE) writes STRING and BYTES out. */
WEIR_BIND_RULE(weir_rule_typeof)
{
    const char *text = weir_sql_type_text(binder->arena, arguments[0]->type);
    bool full = count > 1 && arguments[1]->kind == WEIR_EXPRESSION_LITERAL && arguments[1]->literal.boolean;
    if (full && strncmp(text, "STRING", 6) == 0) {
        text = weir_arena_format(binder->arena, "VARCHAR(2147483647)%s", text + 6);
    } else if (full && strncmp(text, "BYTES", 5) == 0) {
        text = weir_arena_format(binder->arena, "VARBINARY(2147483647)%s", text + 5);
    }
    *out = text_literal(binder, &call->position, text, true);
    return WEIR_OK;
}

WEIR_BIND_RULE(weir_rule_current_database)
{
    (void)arguments;
    (void)count;
    const char *name = binder->context->current_database;
    *out = text_literal(binder, &call->position, name == NULL ? "default_database" : name, false);
    return WEIR_OK;
}
