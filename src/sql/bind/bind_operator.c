/* Operators: logic, comparison, arithmetic, BETWEEN, IN, LIKE, IS. */
#include "sql/bind/binder_internal.h"
#include "sql/function/kernels.h"

static const char *operator_text(weir_ast_operator operation)
{
    static const char *const texts[] = {"",  "OR", "AND", "NOT", "=", "<>", "<",        "<=",         ">",   ">=",
                                        "+", "-",  "*",   "/",   "%", "||", "OVERLAPS", "SIMILAR TO", "LIKE"};
    return texts[operation];
}

static int fail_types(weir_binder *binder, const weir_position *at, const char *operation, const weir_expression *a,
                      const weir_expression *b)
{
    return weir_binder_fail(binder, at, "%s does not take %s and %s; cast one of them", operation,
                            weir_sql_type_text(binder->arena, a->type), weir_sql_type_text(binder->arena, b->type));
}

/* --- Logic ----------------------------------------------------------------------------------------------------- */

static int bind_logic(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    bool is_and = ast->operation == WEIR_AST_AND;
    weir_expression *node = weir_expression_new(binder, is_and ? WEIR_EXPRESSION_AND : WEIR_EXPRESSION_OR, NULL,
                                                &ast->position, ast->argument_count);
    bool nullable = false;
    for (int32_t i = 0; i < ast->argument_count; i++) {
        WEIR_TRY(weir_bind_condition(binder, ast->arguments[i], is_and ? "AND" : "OR", &node->arguments[i]));
        nullable = nullable || node->arguments[i]->type->nullable;
    }
    node->type = weir_binder_boolean(nullable);
    *out = node;
    return WEIR_OK;
}

int weir_bind_not(weir_binder *binder, const weir_position *at, weir_expression *operand, weir_expression **out)
{
    weir_expression *node = weir_expression_new(binder, WEIR_EXPRESSION_NOT, operand->type, at, 1);
    node->arguments[0] = operand;
    *out = node;
    return WEIR_OK;
}

/* --- Comparison ------------------------------------------------------------------------------------------------ */

static bool is_equality(weir_expression_kind kind)
{
    return kind == WEIR_EXPRESSION_EQUAL || kind == WEIR_EXPRESSION_NOT_EQUAL || kind == WEIR_EXPRESSION_DISTINCT ||
           kind == WEIR_EXPRESSION_NOT_DISTINCT;
}

static const char *comparison_text(weir_expression_kind kind)
{
    switch (kind) {
    case WEIR_EXPRESSION_EQUAL:
        return "=";
    case WEIR_EXPRESSION_NOT_EQUAL:
        return "<>";
    case WEIR_EXPRESSION_LESS:
        return "<";
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
        return "<=";
    case WEIR_EXPRESSION_GREATER:
        return ">";
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        return ">=";
    default:
        return "IS DISTINCT FROM";
    }
}

static const weir_type *plain_type(weir_binder *binder, const weir_type *type, bool nullable)
{
    return weir_binder_nullable(binder, type, nullable);
}

static int cast_side(weir_binder *binder, weir_expression **side, const weir_type *type, bool try_cast)
{
    bool nullable = (*side)->type->nullable || try_cast;
    return weir_binder_cast(binder, *side, plain_type(binder, type, nullable), try_cast, side);
}

/* Text against something else: numbers only by order (Flink refuses = and <>), BOOLEAN by its lower-case word, dates
 * and times by reading the text (what can't be read equals nothing). */
static int bring_text(weir_binder *binder, weir_expression_kind kind, const weir_position *at, weir_expression **text,
                      weir_expression **other)
{
    const weir_type *type = (*other)->type;
    bool equality = is_equality(kind);
    if (weir_type_is_numeric(type)) {
        if (equality) {
            return weir_binder_fail(binder, at,
                                    "%s compares %s with %s, which Flink does not convert; cast one of them",
                                    comparison_text(kind), weir_sql_type_text(binder->arena, (*text)->type),
                                    weir_sql_type_text(binder->arena, type));
        }
        return cast_side(binder, text, type, false);
    }
    if (type->id == WEIR_BOOLEAN && equality) {
        weir_expression *node = weir_expression_new(binder, WEIR_EXPRESSION_CASE,
                                                    weir_type_with_length(binder->arena, WEIR_VARCHAR, 5, true), at, 5);
        const weir_type *word = weir_type_with_length(binder->arena, WEIR_VARCHAR, 5, false);
        weir_expression *no = weir_expression_new(binder, WEIR_EXPRESSION_NOT, type, at, 1);
        no->arguments[0] = *other;
        node->arguments[0] = *other;
        node->arguments[1] =
            weir_expression_literal(binder, word, (weir_literal){.bytes = weir_slice_text("true")}, at);
        node->arguments[2] = no;
        node->arguments[3] =
            weir_expression_literal(binder, word, (weir_literal){.bytes = weir_slice_text("false")}, at);
        node->arguments[4] = weir_expression_null(binder, word, at);
        *other = node;
        return WEIR_OK;
    }
    if (type->id == WEIR_BOOLEAN || weir_type_is_temporal(type)) {
        return cast_side(binder, text, type, equality);
    }
    return fail_types(binder, at, comparison_text(kind), *text, *other);
}

/* Decimals whose common type is wider than 38 digits are compared in 256 bits. */
static bool too_wide(weir_arena *arena, const weir_type *a, const weir_type *b)
{
    if (!weir_type_is_exact(a) || !weir_type_is_exact(b)) {
        return false;
    }
    const weir_type *x = weir_sql_decimal_of(arena, a);
    const weir_type *y = weir_sql_decimal_of(arena, b);
    if (x->id != WEIR_DECIMAL || y->id != WEIR_DECIMAL) {
        return false;
    }
    int scale = x->scale > y->scale ? x->scale : y->scale;
    int whole = x->precision - x->scale > y->precision - y->scale ? x->precision - x->scale : y->precision - y->scale;
    return scale + whole > 38;
}

static int compare_wide(weir_binder *binder, const weir_position *at, weir_expression **a, weir_expression **b)
{
    weir_expression *both[2] = {*a, *b};
    bool nullable = both[0]->type->nullable || both[1]->type->nullable;
    *a = weir_expression_call(binder, &weir_kernel_compare_decimals, NULL, weir_type_simple(WEIR_INT, nullable), at,
                              both, 2);
    *b = weir_expression_literal(binder, weir_type_simple(WEIR_INT, false), (weir_literal){.integer = 0}, at);
    return WEIR_OK;
}

/* A number written beside a column takes the column's type when nothing is lost by it, so that the column is compared
 * as it is, and scans can use the comparison. */
static void fit_literal(weir_binder *binder, weir_expression **literal, const weir_expression *other)
{
    const weir_expression *value = *literal;
    const weir_type *type = other->type;
    bool exact = value->kind == WEIR_EXPRESSION_LITERAL && !value->literal.is_null && weir_type_is_exact(value->type) &&
                 other->kind != WEIR_EXPRESSION_LITERAL && weir_type_is_exact(type);
    if (!exact || weir_sql_type_equal(value->type, type, true)) {
        return;
    }
    weir_expression *there;
    weir_expression *back;
    const weir_type *target = weir_binder_nullable(binder, type, false);
    bool cast = weir_binder_cast(binder, *literal, target, false, &there) == WEIR_OK &&
                there->kind == WEIR_EXPRESSION_LITERAL && !there->literal.is_null &&
                weir_binder_cast(binder, there, value->type, false, &back) == WEIR_OK &&
                back->kind == WEIR_EXPRESSION_LITERAL && weir_expression_equal(back, value);
    if (cast) {
        *literal = there;
    }
}

/* An untyped NULL takes the type of the other side: the engine would take it for a BOOLEAN. */
static int type_null(weir_binder *binder, weir_expression **side, const weir_type *other)
{
    const weir_type *type = other->id == WEIR_NULL ? weir_binder_boolean(true) : other;
    return (*side)->type->id == WEIR_NULL ? cast_side(binder, side, type, false) : WEIR_OK;
}

static int bring_together(weir_binder *binder, weir_expression_kind kind, const weir_position *at, weir_expression **a,
                          weir_expression **b)
{
    WEIR_TRY(type_null(binder, a, (*b)->type));
    WEIR_TRY(type_null(binder, b, (*a)->type));
    const weir_type *x = (*a)->type;
    const weir_type *y = (*b)->type;
    if (weir_type_is_text(x) && !weir_type_is_text(y)) {
        return bring_text(binder, kind, at, a, b);
    }
    if (weir_type_is_text(y) && !weir_type_is_text(x)) {
        return bring_text(binder, kind, at, b, a);
    }
    fit_literal(binder, a, *b);
    fit_literal(binder, b, *a);
    x = (*a)->type;
    y = (*b)->type;
    if (too_wide(binder->arena, x, y)) {
        return compare_wide(binder, at, a, b);
    }
    const weir_type *types[2] = {x, y};
    const weir_type *common = weir_sql_common_type(binder->arena, types, 2);
    bool one_clock = weir_type_is_timestamp(x) && weir_type_is_timestamp(y);
    if (common == NULL || (one_clock && !is_equality(kind) && x->id != y->id)) {
        return fail_types(binder, at, comparison_text(kind), *a, *b);
    }
    if (weir_type_is_approximate(common)) {
        common = weir_type_simple(x->id == WEIR_FLOAT && y->id == WEIR_FLOAT ? WEIR_FLOAT : WEIR_DOUBLE, true);
    }
    if (weir_type_is_nested(common) && !is_equality(kind)) {
        return weir_binder_fail(binder, at, "values of type %s have no order", weir_sql_type_text(binder->arena, x));
    }
    if (weir_type_is_text(common) || weir_type_is_bytes(common)) {
        return WEIR_OK; /* carried alike, whatever their lengths */
    }
    WEIR_TRY(cast_side(binder, a, common, false));
    return cast_side(binder, b, common, false);
}

/* Rows that are written out are compared field by field, so that NULL fields leave it open as SQL has it. */
static int compare_fields(weir_binder *binder, weir_expression_kind kind, const weir_position *at, weir_expression *a,
                          weir_expression *b, weir_expression **out)
{
    bool equal = kind == WEIR_EXPRESSION_EQUAL;
    weir_expression *node =
        weir_expression_new(binder, equal ? WEIR_EXPRESSION_AND : WEIR_EXPRESSION_OR, NULL, at, a->argument_count);
    bool nullable = false;
    for (int32_t i = 0; i < a->argument_count; i++) {
        WEIR_TRY(weir_bind_comparison(binder, kind, at, a->arguments[i], b->arguments[i], &node->arguments[i]));
        nullable = nullable || node->arguments[i]->type->nullable;
    }
    node->type = weir_binder_boolean(nullable);
    *out = node;
    return WEIR_OK;
}

int weir_bind_comparison(weir_binder *binder, weir_expression_kind kind, const weir_position *at, weir_expression *a,
                         weir_expression *b, weir_expression **out)
{
    bool written = a->kind == WEIR_EXPRESSION_ROW && b->kind == WEIR_EXPRESSION_ROW &&
                   a->argument_count == b->argument_count && a->argument_count > 1;
    if (written && (kind == WEIR_EXPRESSION_EQUAL || kind == WEIR_EXPRESSION_NOT_EQUAL)) {
        return compare_fields(binder, kind, at, a, b, out);
    }
    bool distinct = kind == WEIR_EXPRESSION_DISTINCT || kind == WEIR_EXPRESSION_NOT_DISTINCT;
    bool nullable = !distinct && (a->type->nullable || b->type->nullable);
    WEIR_TRY(bring_together(binder, kind, at, &a, &b));
    *out = weir_expression_two(binder, kind, weir_binder_boolean(nullable), at, a, b);
    return WEIR_OK;
}

weir_expression_kind weir_operator_kind(weir_ast_operator operation)
{
    switch (operation) {
    case WEIR_AST_EQUAL:
        return WEIR_EXPRESSION_EQUAL;
    case WEIR_AST_NOT_EQUAL:
        return WEIR_EXPRESSION_NOT_EQUAL;
    case WEIR_AST_LESS:
        return WEIR_EXPRESSION_LESS;
    case WEIR_AST_LESS_OR_EQUAL:
        return WEIR_EXPRESSION_LESS_OR_EQUAL;
    case WEIR_AST_GREATER:
        return WEIR_EXPRESSION_GREATER;
    default:
        return WEIR_EXPRESSION_GREATER_OR_EQUAL;
    }
}

/* --- Arithmetic ------------------------------------------------------------------------------------------------ */

static char sign_of(weir_ast_operator operation)
{
    switch (operation) {
    case WEIR_AST_PLUS:
        return '+';
    case WEIR_AST_MINUS:
        return '-';
    case WEIR_AST_MULTIPLY:
        return '*';
    case WEIR_AST_DIVIDE:
        return '/';
    default:
        return '%';
    }
}

/* The remainder has the type of the divisor; of floats there is none. */
static int bind_modulo(weir_binder *binder, const weir_position *at, weir_expression *a, weir_expression *b,
                       weir_expression **out)
{
    weir_expression *both[2] = {a, b};
    bool nullable = a->type->nullable || b->type->nullable;
    if (!weir_type_is_exact(a->type) || !weir_type_is_exact(b->type)) {
        return fail_types(binder, at, "%", a, b);
    }
    if (weir_type_is_integer(a->type) && weir_type_is_integer(b->type)) {
        *out = weir_expression_call(binder, &weir_kernel_modulo_integers, NULL, weir_type_simple(b->type->id, nullable),
                                    at, both, 2);
        return WEIR_OK;
    }
    const weir_type *x = weir_sql_decimal_of(binder->arena, a->type);
    const weir_type *y = weir_sql_decimal_of(binder->arena, b->type);
    const weir_type *type = weir_sql_decimal_result(binder->arena, '%', x, y, nullable);
    *out = weir_expression_call(binder, weir_kernel_arithmetic('%', type), NULL, type, at, both, 2);
    return WEIR_OK;
}

int weir_bind_arithmetic(weir_binder *binder, weir_ast_operator operation, const weir_position *at, weir_expression *a,
                         weir_expression *b, weir_expression **out)
{
    WEIR_TRY(weir_binder_typed(binder, a));
    WEIR_TRY(weir_binder_typed(binder, b));
    if (weir_type_is_interval(a->type) || weir_type_is_interval(b->type) || weir_type_is_temporal(a->type) ||
        weir_type_is_temporal(b->type)) {
        return weir_bind_time_arithmetic(binder, operation, at, a, b, out);
    }
    if (!weir_type_is_numeric(a->type) || !weir_type_is_numeric(b->type)) {
        return fail_types(binder, at, operator_text(operation), a, b);
    }
    if (operation == WEIR_AST_MODULO) {
        return bind_modulo(binder, at, a, b, out);
    }
    weir_expression *both[2] = {a, b};
    bool nullable = a->type->nullable || b->type->nullable;
    char sign = sign_of(operation);
    const weir_type *type;
    const weir_type *pair[2] = {a->type, b->type};
    const weir_type *common = weir_sql_common_type(binder->arena, pair, 2);
    if (weir_type_is_exact(common) && (a->type->id == WEIR_DECIMAL || b->type->id == WEIR_DECIMAL)) {
        const weir_type *x = weir_sql_decimal_of(binder->arena, a->type);
        const weir_type *y = weir_sql_decimal_of(binder->arena, b->type);
        type = weir_sql_decimal_result(binder->arena, sign, x, y, nullable);
    } else {
        type = plain_type(binder, common, nullable);
        WEIR_TRY(cast_side(binder, &both[0], type, false));
        WEIR_TRY(cast_side(binder, &both[1], type, false));
    }
    *out = weir_expression_call(binder, weir_kernel_arithmetic(sign, type), NULL, type, at, both, 2);
    return WEIR_OK;
}

int weir_bind_unary(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    const weir_ast_expression *inner = ast->arguments[0];
    if (ast->operation == WEIR_AST_NOT) {
        weir_expression *operand;
        WEIR_TRY(weir_bind_condition(binder, inner, "NOT", &operand));
        return weir_bind_not(binder, &ast->position, operand, out);
    }
    bool negative = ast->operation == WEIR_AST_MINUS;
    bool twice = inner->kind == WEIR_AST_UNARY && inner->operation == WEIR_AST_MINUS &&
                 inner->arguments[0]->kind == WEIR_AST_NUMBER;
    if (negative && inner->kind == WEIR_AST_NUMBER) {
        return weir_bind_literal(binder, inner, true, out); /* so that -9223372036854775808 is in range */
    }
    if (negative && twice) {
        return weir_bind_literal(binder, inner->arguments[0], false, out); /* -(-2147483648) is a BIGINT */
    }
    weir_expression *operand;
    WEIR_TRY(weir_bind_expression(binder, inner, &operand));
    WEIR_TRY(weir_binder_typed(binder, operand));
    if (!weir_type_is_numeric(operand->type) && !weir_type_is_interval(operand->type)) {
        return weir_binder_fail(binder, &ast->position, "%s does not take %s", negative ? "-" : "+",
                                weir_sql_type_text(binder->arena, operand->type));
    }
    *out = operand;
    if (negative) {
        *out = weir_expression_call(binder, &weir_kernel_negate, NULL, operand->type, &ast->position, &operand, 1);
    }
    return WEIR_OK;
}

/* --- BETWEEN, IN, LIKE, IS ------------------------------------------------------------------------------------- */

static int bind_between_bounds(weir_binder *binder, const weir_ast_expression *ast, int32_t low, int32_t high,
                               weir_expression **out)
{
    weir_expression *parts[3];
    weir_expression *both[2];
    for (int32_t i = 0; i < 3; i++) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &parts[i]));
    }
    WEIR_TRY(
        weir_bind_comparison(binder, WEIR_EXPRESSION_GREATER_OR_EQUAL, &ast->position, parts[0], parts[low], &both[0]));
    WEIR_TRY(
        weir_bind_comparison(binder, WEIR_EXPRESSION_LESS_OR_EQUAL, &ast->position, parts[0], parts[high], &both[1]));
    bool nullable = both[0]->type->nullable || both[1]->type->nullable;
    *out = weir_expression_two(binder, WEIR_EXPRESSION_AND, weir_binder_boolean(nullable), &ast->position, both[0],
                               both[1]);
    return WEIR_OK;
}

static int bind_between(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    WEIR_TRY(bind_between_bounds(binder, ast, 1, 2, out));
    if (ast->operation == 1) { /* SYMMETRIC: either order of the bounds */
        weir_expression *other;
        WEIR_TRY(bind_between_bounds(binder, ast, 2, 1, &other));
        bool nullable = (*out)->type->nullable || other->type->nullable;
        *out =
            weir_expression_two(binder, WEIR_EXPRESSION_OR, weir_binder_boolean(nullable), &ast->position, *out, other);
    }
    return ast->negated ? weir_bind_not(binder, &ast->position, *out, out) : WEIR_OK;
}

static int bind_in(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    if (ast->query != NULL) {
        return weir_bind_in_subquery(binder, ast, out);
    }
    int32_t count = ast->argument_count;
    weir_expression **values = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count);
    const weir_type *number = NULL; /* that text is compared with */
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &values[i]));
        if (number == NULL && weir_type_is_text(values[0]->type) && weir_type_is_numeric(values[i]->type)) {
            number = values[i]->type;
        }
    }
    bool temporal = weir_type_is_temporal(values[0]->type);
    for (int32_t i = 1; i < count; i++) {
        bool read = weir_type_is_text(values[i]->type) && (temporal || weir_type_is_numeric(values[0]->type));
        fit_literal(binder, &values[i], values[0]);
        if (read) { /* literals of dates, times and numbers written as text */
            WEIR_TRY(cast_side(binder, &values[i], values[0]->type, false));
        }
    }
    if (number != NULL) {
        WEIR_TRY(cast_side(binder, &values[0], number, false));
    }
    const weir_type *common;
    WEIR_TRY(weir_binder_common(binder, &ast->position, "the values of IN", values, count, &common));
    weir_expression *node =
        weir_expression_new(binder, WEIR_EXPRESSION_IN, weir_binder_boolean(common->nullable), &ast->position, count);
    memcpy(node->arguments, values, sizeof *values * (size_t)count);
    *out = node;
    return ast->negated ? weir_bind_not(binder, &ast->position, node, out) : WEIR_OK;
}

static int bind_like(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    const char *what = operator_text((weir_ast_operator)ast->operation);
    weir_expression *arguments[3];
    bool nullable = false;
    for (int32_t i = 0; i < ast->argument_count; i++) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[i], &arguments[i]));
        WEIR_TRY(weir_binder_typed(binder, arguments[i]));
        if (!weir_type_is_text(arguments[i]->type)) {
            return weir_binder_fail(binder, &ast->arguments[i]->position, "%s takes text, but this is %s", what,
                                    weir_sql_type_text(binder->arena, arguments[i]->type));
        }
        nullable = nullable || arguments[i]->type->nullable;
    }
    const weir_kernel *kernel = ast->operation == WEIR_AST_SIMILAR ? &weir_kernel_similar : &weir_kernel_like;
    *out = weir_expression_call(binder, kernel, NULL, weir_binder_boolean(nullable), &ast->position, arguments,
                                ast->argument_count);
    return ast->negated ? weir_bind_not(binder, &ast->position, *out, out) : WEIR_OK;
}

static int bind_is(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    static const struct {
        weir_ast_is is;
        weir_expression_kind kind, negated;
    } kinds[] = {
        {WEIR_AST_IS_NULL, WEIR_EXPRESSION_IS_NULL, WEIR_EXPRESSION_IS_NOT_NULL},
        {WEIR_AST_IS_TRUE, WEIR_EXPRESSION_IS_TRUE, WEIR_EXPRESSION_IS_NOT_TRUE},
        {WEIR_AST_IS_FALSE, WEIR_EXPRESSION_IS_FALSE, WEIR_EXPRESSION_IS_NOT_FALSE},
        {WEIR_AST_IS_UNKNOWN, WEIR_EXPRESSION_IS_NULL, WEIR_EXPRESSION_IS_NOT_NULL},
    };
    if (ast->operation >= WEIR_AST_IS_JSON) {
        return weir_bind_is_json(binder, ast, out);
    }
    weir_expression *operand;
    if (ast->operation == WEIR_AST_IS_DISTINCT_FROM) {
        weir_expression *other;
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &operand));
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[1], &other));
        return weir_bind_comparison(binder, ast->negated ? WEIR_EXPRESSION_NOT_DISTINCT : WEIR_EXPRESSION_DISTINCT,
                                    &ast->position, operand, other, out);
    }
    if (ast->operation == WEIR_AST_IS_NULL) {
        WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &operand));
    } else {
        WEIR_TRY(weir_bind_condition(binder, ast->arguments[0], "IS", &operand));
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].is == (weir_ast_is)ast->operation) {
            *out = weir_expression_new(binder, ast->negated ? kinds[i].negated : kinds[i].kind,
                                       weir_binder_boolean(false), &ast->position, 1);
            (*out)->arguments[0] = operand;
        }
    }
    return WEIR_OK;
}

/* --- Concatenation and dispatch -------------------------------------------------------------------------------- */

/* CHAR || CHAR is CHAR of both lengths; as soon as one varies, the result does. */
static int bind_concat(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_expression *both[2];
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &both[0]));
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[1], &both[1]));
    WEIR_TRY(weir_binder_typed(binder, both[0]));
    WEIR_TRY(weir_binder_typed(binder, both[1]));
    const weir_type *a = both[0]->type;
    const weir_type *b = both[1]->type;
    bool text = weir_type_is_text(a) && weir_type_is_text(b);
    if (!text && !(weir_type_is_bytes(a) && weir_type_is_bytes(b))) {
        return fail_types(binder, &ast->position, "||", both[0], both[1]);
    }
    bool fixed = (a->id == WEIR_CHAR && b->id == WEIR_CHAR) || (a->id == WEIR_BINARY && b->id == WEIR_BINARY);
    int64_t length = (int64_t)a->precision + b->precision;
    weir_type_id id = text ? (fixed ? WEIR_CHAR : WEIR_VARCHAR) : (fixed ? WEIR_BINARY : WEIR_VARBINARY);
    weir_type *type = weir_type_new(binder->arena, id, a->nullable || b->nullable);
    type->precision = length > WEIR_MAX_LENGTH ? WEIR_MAX_LENGTH : (int32_t)length;
    *out = weir_expression_call(binder, &weir_kernel_concat, NULL, type, &ast->position, both, 2);
    return WEIR_OK;
}

int weir_bind_binary(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    switch (ast->kind) {
    case WEIR_AST_BETWEEN:
        return bind_between(binder, ast, out);
    case WEIR_AST_IN:
        return bind_in(binder, ast, out);
    case WEIR_AST_LIKE:
        return bind_like(binder, ast, out);
    case WEIR_AST_IS:
        return bind_is(binder, ast, out);
    default:
        break;
    }
    weir_ast_operator operation = (weir_ast_operator)ast->operation;
    if (operation == WEIR_AST_AND || operation == WEIR_AST_OR) {
        return bind_logic(binder, ast, out);
    }
    if (operation == WEIR_AST_CONCAT) {
        return bind_concat(binder, ast, out);
    }
    if (operation == WEIR_AST_OVERLAPS) {
        return weir_bind_overlaps(binder, ast, out);
    }
    if (ast->interval.from != NULL) {
        return weir_bind_difference(binder, ast, out);
    }
    weir_expression *a;
    weir_expression *b;
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &a));
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[1], &b));
    if (operation >= WEIR_AST_EQUAL && operation <= WEIR_AST_GREATER_OR_EQUAL) {
        return weir_bind_comparison(binder, weir_operator_kind(operation), &ast->position, a, b, out);
    }
    return weir_bind_arithmetic(binder, operation, &ast->position, a, b, out);
}
