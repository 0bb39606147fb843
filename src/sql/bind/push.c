/* Giving scans what they may use to read less: conjuncts that compare a column with constants, and limits.
 *
 * A pushed predicate is implied by the filter, which stays: a scan may use it fully, partly or not at all. */
#include "sql/bind/binder_internal.h"

/* The scan's column under an expression: through casts that change nothing but nullability or length. */
static bool bare_column(const weir_expression *expression, int32_t *column)
{
    while (expression->kind == WEIR_EXPRESSION_SAME) {
        expression = expression->arguments[0];
    }
    *column = expression->column;
    return expression->kind == WEIR_EXPRESSION_COLUMN;
}

/* Whether literals of one type can be taken for literals of the column's type as they are. */
static bool same_literals(const weir_type *column, const weir_type *literal)
{
    if (weir_type_is_nested(column) || column->id != literal->id) {
        return weir_type_is_text(column) && weir_type_is_text(literal);
    }
    switch (column->id) {
    case WEIR_DECIMAL:
        return column->scale == literal->scale && (column->precision <= 18) == (literal->precision <= 18);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return (column->precision <= 3) == (literal->precision <= 3) &&
               (column->precision <= 6) == (literal->precision <= 6);
    default:
        return true;
    }
}

/* An integer column compared at a wider type: the literal is brought back when it fits. */
static bool narrow_literal(const weir_type *column, const weir_expression *expression, weir_literal *out)
{
    static const int64_t highest[] = {INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX};
    if (!weir_type_is_integer(column) || !weir_type_is_integer(expression->type)) {
        return false;
    }
    int64_t limit = highest[column->id - WEIR_TINYINT];
    int64_t value = expression->literal.integer;
    *out = expression->literal;
    return value >= -limit - 1 && value <= limit;
}

/* The column on one side of a comparison and the literal on the other, seen from the column. Text compared with CHAR is
 * compared as it is, without blanks. */
static bool column_and_literal(const weir_plan *scan, const weir_expression *side, const weir_expression *other,
                               int32_t *column, weir_literal *literal)
{
    int32_t field;
    if (other->kind != WEIR_EXPRESSION_LITERAL || other->literal.is_null) {
        return false;
    }
    const weir_expression *inner = side;
    bool widened = side->kind == WEIR_EXPRESSION_CALL && side->argument_count == 1 &&
                   weir_type_is_integer(side->type) && weir_type_is_integer(side->arguments[0]->type) &&
                   side->arguments[0]->type->id < side->type->id;
    if (widened) {
        inner = side->arguments[0];
    }
    if (!bare_column(inner, &field)) {
        return false;
    }
    const weir_type *type = scan->fields[field].type;
    *column = scan->columns[field];
    if (widened) {
        return narrow_literal(type, other, literal);
    }
    *literal = other->literal;
    return same_literals(type, other->type);
}

static weir_predicate_kind leaf_kind(weir_expression_kind kind, bool mirrored)
{
    switch (kind) {
    case WEIR_EXPRESSION_EQUAL:
        return WEIR_PREDICATE_EQUAL;
    case WEIR_EXPRESSION_NOT_EQUAL:
        return WEIR_PREDICATE_NOT_EQUAL;
    case WEIR_EXPRESSION_LESS:
        return mirrored ? WEIR_PREDICATE_GREATER : WEIR_PREDICATE_LESS;
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
        return mirrored ? WEIR_PREDICATE_GREATER_OR_EQUAL : WEIR_PREDICATE_LESS_OR_EQUAL;
    case WEIR_EXPRESSION_GREATER:
        return mirrored ? WEIR_PREDICATE_LESS : WEIR_PREDICATE_GREATER;
    default:
        return mirrored ? WEIR_PREDICATE_LESS_OR_EQUAL : WEIR_PREDICATE_GREATER_OR_EQUAL;
    }
}

/* NaN is unlike everything in Flink and the greatest in statistics: comparisons of floats keep their filter but are
 * pushed only where both agree. */
static bool float_leaf_fits(const weir_type *type, weir_predicate_kind kind, const weir_literal *literal)
{
    if (!weir_type_is_approximate(type)) {
        return true;
    }
    double value = type->id == WEIR_FLOAT ? (double)literal->float32 : literal->float64;
    return value == value && value != 0 && kind != WEIR_PREDICATE_NOT_EQUAL;
}

static const weir_predicate *push_comparison(weir_arena *arena, const weir_expression *expression,
                                             const weir_plan *scan, bool *exact)
{
    int32_t column;
    weir_literal literal;
    bool mirrored = false;
    if (!column_and_literal(scan, expression->arguments[0], expression->arguments[1], &column, &literal)) {
        mirrored = true;
        if (!column_and_literal(scan, expression->arguments[1], expression->arguments[0], &column, &literal)) {
            return NULL;
        }
    }
    const weir_type *type = scan->table->columns[column].type;
    weir_predicate_kind kind = leaf_kind(expression->kind, mirrored);
    if (!float_leaf_fits(type, kind, &literal)) {
        return NULL;
    }
    if (weir_type_is_approximate(type)) {
        *exact = false;
    }
    return weir_predicate_leaf(arena, kind, column, type, &literal, 1);
}

static const weir_predicate *push_in(weir_arena *arena, const weir_expression *expression, const weir_plan *scan,
                                     bool *exact)
{
    int32_t count = expression->argument_count - 1;
    weir_literal *literals = WEIR_NEW_ARRAY(arena, weir_literal, count + 1);
    int32_t column = -1;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        const weir_expression *value = expression->arguments[i + 1];
        if (value->kind == WEIR_EXPRESSION_LITERAL && value->literal.is_null) {
            continue; /* never equal to anything */
        }
        if (!column_and_literal(scan, expression->arguments[0], value, &column, &literals[kept])) {
            return NULL;
        }
        kept++;
    }
    if (kept == 0) {
        return NULL;
    }
    const weir_type *type = scan->table->columns[column].type;
    if (weir_type_is_approximate(type)) {
        *exact = false;
        return NULL;
    }
    return weir_predicate_leaf(arena, WEIR_PREDICATE_IN, column, type, literals, kept);
}

static const weir_predicate *push_null_test(weir_arena *arena, const weir_expression *expression, const weir_plan *scan)
{
    int32_t field;
    if (!bare_column(expression->arguments[0], &field)) {
        return NULL;
    }
    int32_t column = scan->columns[field];
    weir_predicate_kind kind =
        expression->kind == WEIR_EXPRESSION_IS_NULL ? WEIR_PREDICATE_IS_NULL : WEIR_PREDICATE_IS_NOT_NULL;
    return weir_predicate_leaf(arena, kind, column, scan->table->columns[column].type, NULL, 0);
}

/* AND is as good as the parts that can be pushed; OR needs all of them. */
static const weir_predicate *push_logic(weir_arena *arena, const weir_expression *expression, const weir_plan *scan,
                                        bool *exact)
{
    bool is_and = expression->kind == WEIR_EXPRESSION_AND;
    const weir_predicate **children = WEIR_NEW_ARRAY(arena, const weir_predicate *, expression->argument_count);
    int32_t count = 0;
    for (int32_t i = 0; i < expression->argument_count; i++) {
        const weir_predicate *child = weir_push_predicate(arena, expression->arguments[i], scan, exact);
        if (child != NULL) {
            children[count++] = child;
        } else if (!is_and) {
            *exact = false;
            return NULL;
        }
    }
    if (count == 0) {
        return NULL;
    }
    return count == 1 && is_and
               ? children[0]
               : weir_predicate_combine(arena, is_and ? WEIR_PREDICATE_AND : WEIR_PREDICATE_OR, children, count);
}

static bool mirrored_complement(weir_expression_kind kind, weir_expression_kind *out)
{
    switch (kind) {
    case WEIR_EXPRESSION_EQUAL:
        *out = WEIR_EXPRESSION_NOT_EQUAL;
        return true;
    case WEIR_EXPRESSION_NOT_EQUAL:
        *out = WEIR_EXPRESSION_EQUAL;
        return true;
    case WEIR_EXPRESSION_IS_NULL:
        *out = WEIR_EXPRESSION_IS_NOT_NULL;
        return true;
    case WEIR_EXPRESSION_IS_NOT_NULL:
        *out = WEIR_EXPRESSION_IS_NULL;
        return true;
    case WEIR_EXPRESSION_LESS:
        *out = WEIR_EXPRESSION_GREATER_OR_EQUAL;
        return true;
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
        *out = WEIR_EXPRESSION_GREATER;
        return true;
    case WEIR_EXPRESSION_GREATER:
        *out = WEIR_EXPRESSION_LESS_OR_EQUAL;
        return true;
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        *out = WEIR_EXPRESSION_LESS;
        return true;
    default:
        return false;
    }
}

/* NOT of a comparison is the opposite one: both are unknown for the same rows. Not so of floats, because of NaN. */
static const weir_predicate *push_not(weir_arena *arena, const weir_expression *expression, const weir_plan *scan,
                                      bool *exact)
{
    weir_expression opposite = *expression->arguments[0];
    bool null_test = opposite.kind == WEIR_EXPRESSION_IS_NULL || opposite.kind == WEIR_EXPRESSION_IS_NOT_NULL;
    bool floats = opposite.argument_count > 0 && weir_type_is_approximate(opposite.arguments[0]->type) && !null_test;
    if (floats || !mirrored_complement(opposite.kind, &opposite.kind)) {
        return NULL;
    }
    return weir_push_predicate(arena, &opposite, scan, exact);
}

const weir_predicate *weir_push_predicate(weir_arena *arena, const weir_expression *expression, const weir_plan *scan,
                                          bool *out_exact)
{
    const weir_predicate *pushed = NULL;
    switch (expression->kind) {
    case WEIR_EXPRESSION_AND:
    case WEIR_EXPRESSION_OR:
        pushed = push_logic(arena, expression, scan, out_exact);
        break;
    case WEIR_EXPRESSION_NOT:
        pushed = push_not(arena, expression, scan, out_exact);
        break;
    case WEIR_EXPRESSION_EQUAL:
    case WEIR_EXPRESSION_NOT_EQUAL:
    case WEIR_EXPRESSION_LESS:
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
    case WEIR_EXPRESSION_GREATER:
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        pushed = push_comparison(arena, expression, scan, out_exact);
        break;
    case WEIR_EXPRESSION_IN:
        pushed = push_in(arena, expression, scan, out_exact);
        break;
    case WEIR_EXPRESSION_IS_NULL:
    case WEIR_EXPRESSION_IS_NOT_NULL:
        pushed = push_null_test(arena, expression, scan);
        break;
    default:
        break;
    }
    if (pushed == NULL) {
        *out_exact = false;
    }
    return pushed;
}

/* --- Walking the plan ------------------------------------------------------------------------------------------ */

/* An expression over a PROJECT's output as one over its input; NULL when it would compute something twice. */
static weir_expression *through_project(weir_arena *arena, const weir_expression *expression, const weir_plan *project)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return project->expressions[expression->column];
    }
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, copy->argument_count + 1);
    for (int32_t i = 0; i < copy->argument_count; i++) {
        copy->arguments[i] = through_project(arena, expression->arguments[i], project);
    }
    return copy;
}

/* Brings a filter's condition down to the scan below it, through projections and other filters. */
static void push_filter(weir_arena *arena, const weir_expression *predicate, weir_plan *plan)
{
    switch (plan->kind) {
    case WEIR_PLAN_SCAN: {
        bool exact = true;
        const weir_predicate *pushed = weir_push_predicate(arena, predicate, plan, &exact);
        if (pushed != NULL && plan->pushed != NULL) {
            const weir_predicate *both[2] = {plan->pushed, pushed};
            pushed = weir_predicate_combine(arena, WEIR_PREDICATE_AND, both, 2);
        }
        plan->pushed = pushed != NULL ? pushed : plan->pushed;
        break;
    }
    case WEIR_PLAN_FILTER:
        push_filter(arena, predicate, plan->inputs[0]);
        break;
    case WEIR_PLAN_PROJECT:
        push_filter(arena, through_project(arena, predicate, plan), plan->inputs[0]);
        break;
    default:
        break;
    }
}

/* A limit without order reaches the scan when nothing between drops rows. */
static void push_limit(int64_t rows, weir_plan *plan)
{
    while (plan->kind == WEIR_PLAN_PROJECT) {
        plan = plan->inputs[0];
    }
    if (plan->kind == WEIR_PLAN_SCAN) {
        plan->scan_limit = rows;
    }
}

void weir_push_down(weir_arena *arena, weir_plan *plan)
{
    if (plan->kind == WEIR_PLAN_FILTER) {
        push_filter(arena, plan->predicate, plan->inputs[0]);
    }
    if (plan->kind == WEIR_PLAN_SORT && plan->sort_key_count == 0 && plan->limit >= 0 &&
        plan->limit <= INT64_MAX - plan->offset) {
        push_limit(plan->limit + plan->offset, plan->inputs[0]);
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        weir_push_down(arena, plan->inputs[i]);
    }
}
