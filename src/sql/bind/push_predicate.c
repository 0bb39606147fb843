/* Conditions as predicates: what a comparison says of a column, under casts that keep the order too.
 *
 * A predicate is implied by its condition: every row for which the condition is true matches it. Where both hold for
 * the same rows it is exact. Comparisons are brought from the type in which they are made to that of the column
 * (push_comparison.c). */
#include "sql/bind/push_comparison.h"

/* NOT IN of more values than these leaves nothing out worth the test. */
#define MOST_UNWANTED 16

typedef struct pushing {
    weir_arena *arena;
    const weir_field *fields;
    bool *exact;
} pushing;

static const weir_predicate *push(const pushing *push_to, const weir_expression *expression, bool negated);

/* The column that an expression is, through casts that change nothing but nullability or length; or -1. */
static int32_t bare_column(const weir_expression *expression)
{
    expression = weir_expression_bare(expression);
    return expression->kind == WEIR_EXPRESSION_COLUMN ? expression->column : -1;
}

static const weir_type *column_type(const pushing *to, int32_t column) { return to->fields[column].type; }

static const weir_predicate *never(const pushing *to)
{
    return weir_predicate_combine(to->arena, WEIR_PREDICATE_OR, NULL, 0);
}

static const weir_predicate *both(const pushing *to, const weir_predicate *a, const weir_predicate *b)
{
    const weir_predicate *children[2] = {a, b};
    return a == NULL || b == NULL ? NULL : weir_predicate_combine(to->arena, WEIR_PREDICATE_AND, children, 2);
}

/* --- comparisons ------------------------------------------------------------------------------------------------- */

/* NaN is unlike everything in Flink and the greatest in statistics: comparisons of floats keep their filter but are
 * pushed only where both agree. */
static bool float_leaf_fits(const weir_type *type, const weir_comparison *comparison)
{
    double value = type->id == WEIR_FLOAT ? (double)comparison->literal.float32 : comparison->literal.float64;
    return value == value && value != 0 && comparison->kind != WEIR_PREDICATE_NOT_EQUAL;
}

static const weir_predicate *compare_column(const pushing *to, int32_t column, const weir_comparison *comparison)
{
    const weir_type *type = column_type(to, column);
    if (weir_type_is_approximate(type)) {
        *to->exact = false;
        if (!float_leaf_fits(type, comparison)) {
            return NULL;
        }
    }
    return weir_predicate_leaf(to->arena, comparison->kind, column, type, &comparison->literal, 1);
}

/* `side` <kind> literal, where the side is a column under any number of casts that keep the order. */
static const weir_predicate *compare(const pushing *to, const weir_expression *side, weir_comparison comparison)
{
    weir_comparison bounds[2];
    side = weir_expression_bare(side);
    int32_t column = bare_column(side);
    if (column >= 0 && weir_comparison_fits(column_type(to, column), comparison.type)) {
        return compare_column(to, column, &comparison);
    }
    const weir_expression *below = side->kind == WEIR_EXPRESSION_CALL ? side->arguments[0] : side;
    switch (weir_comparison_below(side, &comparison, bounds)) {
    case WEIR_COMPARISON_ONE:
        return compare(to, below, bounds[0]);
    case WEIR_COMPARISON_TWO:
        return both(to, compare(to, below, bounds[0]), compare(to, below, bounds[1]));
    case WEIR_COMPARISON_NEVER:
        return never(to);
    case WEIR_COMPARISON_IF_NOT_NULL:
        column = bare_column(below);
        return column < 0 ? NULL
                          : weir_predicate_leaf(to->arena, WEIR_PREDICATE_IS_NOT_NULL, column, column_type(to, column),
                                                NULL, 0);
    default:
        return NULL;
    }
}

static bool is_value(const weir_expression *expression)
{
    return expression->kind == WEIR_EXPRESSION_LITERAL && !expression->literal.is_null;
}

static const weir_predicate *push_comparison(const pushing *to, const weir_expression *expression, bool negated)
{
    const weir_expression *left = expression->arguments[0];
    const weir_expression *right = expression->arguments[1];
    bool mirrored = is_value(left);
    const weir_expression *side = mirrored ? right : left;
    const weir_expression *value = mirrored ? left : right;
    /* NOT of a comparison is the opposite one: both are unknown for the same rows. Not so of floats, because of NaN. */
    if (!is_value(value) || (negated && weir_type_is_approximate(value->type))) {
        return NULL;
    }
    weir_comparison comparison = {
        .kind = weir_comparison_kind(expression->kind, mirrored, negated),
        .type = value->type,
        .literal = value->literal,
    };
    return compare(to, side, comparison);
}

/* a IS NOT DISTINCT FROM value. */
static const weir_predicate *push_same(const pushing *to, const weir_expression *expression)
{
    const weir_expression *value = expression->arguments[is_value(expression->arguments[0]) ? 0 : 1];
    const weir_expression *side = expression->arguments[is_value(expression->arguments[0]) ? 1 : 0];
    weir_comparison comparison = {WEIR_PREDICATE_EQUAL, value->type, value->literal};
    return is_value(value) ? compare(to, side, comparison) : NULL;
}

/* --- lists and texts --------------------------------------------------------------------------------------------- */

static const weir_predicate *push_not_in(const pushing *to, const weir_expression *expression)
{
    int32_t count = expression->argument_count - 1;
    const weir_predicate **children = WEIR_NEW_ARRAY(to->arena, const weir_predicate *, count + 1);
    if (count > MOST_UNWANTED) {
        return NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        const weir_expression *value = expression->arguments[i + 1];
        if (value->kind == WEIR_EXPRESSION_LITERAL && value->literal.is_null) {
            return never(to); /* unknown at best */
        }
        weir_comparison comparison = {WEIR_PREDICATE_NOT_EQUAL, value->type, value->literal};
        children[i] = is_value(value) ? compare(to, expression->arguments[0], comparison) : NULL;
        if (children[i] == NULL) {
            return NULL;
        }
    }
    return weir_predicate_combine(to->arena, WEIR_PREDICATE_AND, children, count);
}

/* The values that are left once each is brought to the column's type. */
static const weir_predicate *push_in(const pushing *to, const weir_expression *expression)
{
    int32_t count = expression->argument_count - 1;
    weir_literal *literals = WEIR_NEW_ARRAY(to->arena, weir_literal, count + 1);
    int32_t kept = 0, column = -1;
    for (int32_t i = 0; i < count; i++) {
        const weir_expression *value = expression->arguments[i + 1];
        if (value->kind == WEIR_EXPRESSION_LITERAL && value->literal.is_null) {
            continue; /* never equal to anything */
        }
        weir_comparison comparison = {WEIR_PREDICATE_EQUAL, value->type, value->literal};
        const weir_predicate *one = is_value(value) ? compare(to, expression->arguments[0], comparison) : NULL;
        bool absent = one != NULL && one->kind == WEIR_PREDICATE_OR;
        if (one == NULL || (!absent && one->kind != WEIR_PREDICATE_EQUAL)) {
            return NULL;
        }
        if (!absent) {
            column = one->column;
            literals[kept++] = one->literals[0];
        }
    }
    return kept == 0
               ? never(to)
               : weir_predicate_leaf(to->arena, WEIR_PREDICATE_IN, column, column_type(to, column), literals, kept);
}

/* LIKE 'abc%': what stands before the first wildcard. */
static const weir_predicate *push_like(const pushing *to, const weir_expression *call)
{
    if (call->argument_count != 2 || !is_value(call->arguments[1])) {
        return NULL;
    }
    int32_t column = bare_column(call->arguments[0]);
    weir_slice pattern = call->arguments[1]->literal.bytes;
    weir_slice prefix = pattern;
    prefix.size = 0;
    while (prefix.size < pattern.size && pattern.data[prefix.size] != '%' && pattern.data[prefix.size] != '_') {
        prefix.size++;
    }
    size_t rest = prefix.size;
    while (rest < pattern.size && pattern.data[rest] == '%') {
        rest++;
    }
    if (column < 0 || !weir_type_is_text(column_type(to, column)) || (prefix.size == 0 && pattern.size > 0)) {
        return NULL;
    }
    if (rest < pattern.size) {
        *to->exact = false;
    }
    weir_literal literal = {.bytes = prefix};
    weir_predicate_kind kind = prefix.size == pattern.size ? WEIR_PREDICATE_EQUAL : WEIR_PREDICATE_STARTS_WITH;
    return weir_predicate_leaf(to->arena, kind, column, column_type(to, column), &literal, 1);
}

static const weir_predicate *push_starts_with(const pushing *to, const weir_expression *call)
{
    int32_t column = bare_column(call->arguments[0]);
    if (column < 0 || !is_value(call->arguments[1]) || !weir_type_is_text(column_type(to, column)) ||
        !weir_type_is_text(call->arguments[1]->type)) {
        return NULL;
    }
    return weir_predicate_leaf(to->arena, WEIR_PREDICATE_STARTS_WITH, column, column_type(to, column),
                               &call->arguments[1]->literal, 1);
}

static const weir_predicate *push_call(const pushing *to, const weir_expression *call)
{
    if (weir_comparison_is_like(call)) {
        return push_like(to, call);
    }
    return weir_comparison_is_starts_with(call) ? push_starts_with(to, call) : NULL;
}

/* --- logic ------------------------------------------------------------------------------------------------------- */

static const weir_predicate *push_null_test(const pushing *to, const weir_expression *expression, bool is_null)
{
    int32_t column = bare_column(expression->arguments[0]);
    return column < 0 ? NULL
                      : weir_predicate_leaf(to->arena, is_null ? WEIR_PREDICATE_IS_NULL : WEIR_PREDICATE_IS_NOT_NULL,
                                            column, column_type(to, column), NULL, 0);
}

/* A BOOLEAN column by itself. */
static const weir_predicate *push_boolean(const pushing *to, const weir_expression *expression, bool value)
{
    int32_t column = bare_column(expression);
    weir_literal literal = {.boolean = value};
    return column < 0 || column_type(to, column)->id != WEIR_BOOLEAN
               ? NULL
               : weir_predicate_leaf(to->arena, WEIR_PREDICATE_EQUAL, column, column_type(to, column), &literal, 1);
}

/* AND is as good as the parts that can be pushed; OR needs all of them. NOT turns one into the other. */
static const weir_predicate *push_logic(const pushing *to, const weir_expression *expression, bool negated)
{
    bool is_and = (expression->kind == WEIR_EXPRESSION_AND) != negated;
    const weir_predicate **children = WEIR_NEW_ARRAY(to->arena, const weir_predicate *, expression->argument_count);
    int32_t count = 0;
    for (int32_t i = 0; i < expression->argument_count; i++) {
        const weir_predicate *child = push(to, expression->arguments[i], negated);
        if (child != NULL) {
            children[count++] = child;
        } else if (!is_and) {
            return NULL;
        }
    }
    return count == 0
               ? NULL
               : weir_predicate_combine(to->arena, is_and ? WEIR_PREDICATE_AND : WEIR_PREDICATE_OR, children, count);
}

static const weir_predicate *push_one(const pushing *to, const weir_expression *expression, bool negated)
{
    switch (expression->kind) {
    case WEIR_EXPRESSION_AND:
    case WEIR_EXPRESSION_OR:
        return push_logic(to, expression, negated);
    case WEIR_EXPRESSION_NOT:
        return push(to, expression->arguments[0], !negated);
    case WEIR_EXPRESSION_EQUAL:
    case WEIR_EXPRESSION_NOT_EQUAL:
    case WEIR_EXPRESSION_LESS:
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
    case WEIR_EXPRESSION_GREATER:
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        return push_comparison(to, expression, negated);
    case WEIR_EXPRESSION_NOT_DISTINCT:
        return negated ? NULL : push_same(to, expression);
    case WEIR_EXPRESSION_IN:
        return negated ? push_not_in(to, expression) : push_in(to, expression);
    case WEIR_EXPRESSION_IS_NULL:
    case WEIR_EXPRESSION_IS_NOT_NULL:
        return push_null_test(to, expression, (expression->kind == WEIR_EXPRESSION_IS_NULL) != negated);
    case WEIR_EXPRESSION_IS_TRUE:
        return negated ? NULL : push(to, expression->arguments[0], false);
    case WEIR_EXPRESSION_IS_FALSE:
        return negated ? NULL : push(to, expression->arguments[0], true);
    case WEIR_EXPRESSION_CALL:
        return negated ? NULL : push_call(to, expression);
    case WEIR_EXPRESSION_LITERAL:
        return expression->literal.is_null || expression->literal.boolean == negated ? never(to) : NULL;
    case WEIR_EXPRESSION_COLUMN:
    case WEIR_EXPRESSION_SAME:
        return push_boolean(to, expression, !negated);
    default:
        return NULL;
    }
}

static const weir_predicate *push(const pushing *push_to, const weir_expression *expression, bool negated)
{
    const weir_predicate *pushed = push_one(push_to, expression, negated);
    if (pushed == NULL) {
        *push_to->exact = false;
    }
    return pushed;
}

const weir_predicate *weir_condition_predicate(weir_arena *arena, const weir_expression *condition,
                                               const weir_field *fields, bool *out_exact)
{
    pushing to = {.arena = arena, .fields = fields, .exact = out_exact};
    return push(&to, condition, false);
}

const weir_predicate *weir_push_predicate(weir_arena *arena, const weir_expression *condition, const weir_plan *scan,
                                          bool *out_exact)
{
    const weir_predicate *predicate = weir_condition_predicate(arena, condition, scan->fields, out_exact);
    return weir_predicate_map(arena, predicate, scan->columns);
}
