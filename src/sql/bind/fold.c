/* Computing what depends on literals alone, so that scans can prune by it and plans need no engine for it.
 *
 * A call that fails is left as it is: it fails when it runs, if it runs at all. */
#include "sql/bind/binder_internal.h"
#include "sql/function/carried.h"

static weir_expression *as_literal(weir_binder *binder, const weir_expression *expression, const weir_type *type,
                                   weir_literal literal)
{
    return weir_expression_literal(binder, type, literal, &expression->position);
}

static weir_expression *fold_call(weir_binder *binder, weir_expression *call, weir_error *reason)
{
    const weir_kernel *kernel = call->kernel;
    bool foldable = !kernel->is_volatile && kernel->nested == NULL && weir_carried_width(call->type) > 0;
    for (int32_t i = 0; i < call->argument_count && foldable; i++) {
        const weir_expression *argument = call->arguments[i];
        foldable = argument->kind == WEIR_EXPRESSION_LITERAL && weir_carried_width(argument->type) > 0;
    }
    if (!foldable) {
        return call;
    }
    const weir_type **types = WEIR_NEW_ARRAY(binder->arena, const weir_type *, call->argument_count + 1);
    weir_literal *literals = WEIR_NEW_ARRAY(binder->arena, weir_literal, call->argument_count + 1);
    for (int32_t i = 0; i < call->argument_count; i++) {
        types[i] = call->arguments[i]->type;
        literals[i] = call->arguments[i]->literal;
    }
    weir_literal result;
    int code = weir_kernel_run_literals(kernel, call->kernel_option, types, literals, call->argument_count, call->type,
                                        binder->arena, &result, reason);
    return code == WEIR_OK ? as_literal(binder, call, call->type, result) : call;
}

weir_expression *weir_fold(weir_binder *binder, weir_expression *expression, weir_error *reason)
{
    if (expression->kind == WEIR_EXPRESSION_CALL) {
        return fold_call(binder, expression, reason);
    }
    if (expression->kind == WEIR_EXPRESSION_SAME && expression->arguments[0]->kind == WEIR_EXPRESSION_LITERAL) {
        const weir_expression *argument = expression->arguments[0];
        if (argument->literal.is_null || weir_carried_width(argument->type) == 0) {
            return as_literal(binder, expression, expression->type, argument->literal);
        }
        _Alignas(16) uint8_t carried[16];
        weir_carried_from_literal(argument->type, &argument->literal, carried);
        return as_literal(binder, expression, expression->type,
                          weir_carried_to_literal(expression->type, carried, binder->arena));
    }
    return expression;
}
