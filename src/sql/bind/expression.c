/* Building and comparing bound expressions. */
#include "sql/bind/binder_internal.h"
#include "vector/compare.h"

weir_expression *weir_expression_new(weir_binder *binder, weir_expression_kind kind, const weir_type *type,
                                     const weir_position *at, int32_t argument_count)
{
    weir_expression *expression = WEIR_NEW(binder->arena, weir_expression);
    expression->kind = kind;
    expression->type = type;
    expression->position = *at;
    expression->arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, argument_count + 1);
    expression->argument_count = argument_count;
    return expression;
}

weir_expression *weir_expression_column(weir_binder *binder, int32_t column, const weir_type *type,
                                        const weir_position *at)
{
    weir_expression *expression = weir_expression_new(binder, WEIR_EXPRESSION_COLUMN, type, at, 0);
    expression->column = column;
    return expression;
}

weir_expression *weir_expression_literal(weir_binder *binder, const weir_type *type, weir_literal literal,
                                         const weir_position *at)
{
    weir_expression *expression = weir_expression_new(binder, WEIR_EXPRESSION_LITERAL, type, at, 0);
    expression->literal = literal;
    return expression;
}

weir_expression *weir_expression_null(weir_binder *binder, const weir_type *type, const weir_position *at)
{
    return weir_expression_literal(binder, weir_binder_nullable(binder, type, true), (weir_literal){.is_null = true},
                                   at);
}

weir_expression *weir_expression_call(weir_binder *binder, const weir_kernel *kernel, const char *option,
                                      const weir_type *type, const weir_position *at, weir_expression **arguments,
                                      int32_t argument_count)
{
    weir_expression *call = weir_expression_new(binder, WEIR_EXPRESSION_CALL, type, at, argument_count);
    call->kernel = kernel;
    call->kernel_option = option;
    for (int32_t i = 0; i < argument_count; i++) {
        call->arguments[i] = arguments[i];
    }
    return weir_fold(binder, call, NULL);
}

weir_expression *weir_expression_two(weir_binder *binder, weir_expression_kind kind, const weir_type *type,
                                     const weir_position *at, weir_expression *a, weir_expression *b)
{
    weir_expression *expression = weir_expression_new(binder, kind, type, at, 2);
    expression->arguments[0] = a;
    expression->arguments[1] = b;
    return expression;
}

static bool same_text(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static bool same_literal(const weir_expression *a, const weir_expression *b)
{
    if (a->literal.is_null || b->literal.is_null) {
        return a->literal.is_null && b->literal.is_null;
    }
    return weir_type_is_interval(a->type) ? a->literal.integer == b->literal.integer
                                          : weir_literal_compare(a->type, &a->literal, &b->literal) == 0;
}

bool weir_expression_equal(const weir_expression *a, const weir_expression *b)
{
    if (a->kind != b->kind || a->argument_count != b->argument_count || a->column != b->column ||
        a->level != b->level || a->kernel != b->kernel || !same_text(a->kernel_option, b->kernel_option) ||
        !weir_sql_type_equal(a->type, b->type, false)) {
        return false;
    }
    if (a->kernel != NULL && a->kernel->is_volatile) {
        return false;
    }
    if (a->kind == WEIR_EXPRESSION_LITERAL && !same_literal(a, b)) {
        return false;
    }
    for (int32_t i = 0; i < a->argument_count; i++) {
        if (!weir_expression_equal(a->arguments[i], b->arguments[i])) {
            return false;
        }
    }
    return true;
}

bool weir_expression_constant(const weir_expression *expression)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return false;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        if (!weir_expression_constant(expression->arguments[i])) {
            return false;
        }
    }
    return true;
}

const weir_type *weir_binder_boolean(bool nullable) { return weir_type_simple(WEIR_BOOLEAN, nullable); }

const weir_type *weir_binder_nullable(weir_binder *binder, const weir_type *type, bool nullable)
{
    if (type->nullable == nullable) {
        return type;
    }
    weir_type *copy = weir_arena_copy(binder->arena, type, sizeof *type);
    copy->nullable = nullable;
    return copy;
}

void weir_expression_mark(const weir_expression *expression, bool *used)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        used[expression->column] = true;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        weir_expression_mark(expression->arguments[i], used);
    }
}

const weir_expression *weir_expression_bare(const weir_expression *expression)
{
    while (expression->kind == WEIR_EXPRESSION_SAME) {
        expression = expression->arguments[0];
    }
    return expression;
}

bool weir_expression_is_volatile(const weir_expression *expression)
{
    bool found = expression->kind == WEIR_EXPRESSION_CALL && expression->kernel->is_volatile;
    for (int32_t i = 0; i < expression->argument_count && !found; i++) {
        found = weir_expression_is_volatile(expression->arguments[i]);
    }
    return found;
}
