/* Subqueries in expressions: scalar ones, EXISTS, IN, and comparisons with ANY and ALL.
 *
 * EXISTS and IN that are conditions of their own filter by a SEMI or ANTI join. Elsewhere (under OR, in CASE, in a
 * select list) a join brings a column that says whether there was a match; unknown, which IN can be, is told by counts.
 */
#include "sql/bind/subquery.h"

/* --- Binding the query ----------------------------------------------------------------------------------------- */

bool weir_ast_has_subquery(const weir_ast_expression *ast)
{
    if (ast->query != NULL) {
        return true;
    }
    for (int32_t i = 0; i < ast->argument_count; i++) {
        if (weir_ast_has_subquery(ast->arguments[i])) {
            return true;
        }
    }
    return ast->call != NULL && ast->call->filter != NULL && weir_ast_has_subquery(ast->call->filter);
}

static int bind_query(weir_binder *binder, const weir_ast_expression *ast, weir_plan **out)
{
    if (binder->attachments == NULL) {
        return weir_binder_unsupported(binder, &ast->position,
                                       weir_arena_format(binder->arena, "a subquery in %s",
                                                         binder->clause == NULL ? "this place" : binder->clause));
    }
    return weir_bind_nested(binder, ast->query, binder->ctes, binder, out);
}

/* --- Rows and counts ------------------------------------------------------------------------------------------- */

/* Joins a plan of one row for every row around, and gives its fields as expressions. */
static int attach_row(weir_binder *binder, weir_plan *plan, const weir_position *at, weir_expression ***out)
{
    weir_decorrelated row;
    int32_t count = plan->field_count;
    bool may_miss = binder->context->streaming && weir_decorrelate_row(binder, plan, &row);
    if (!may_miss) {
        WEIR_TRY(weir_decorrelate(binder, plan, &row));
        may_miss = row.conjunct_count > 0;
    }
    WEIR_TRY(weir_attach(binder, may_miss ? WEIR_JOIN_LEFT : WEIR_JOIN_INNER, &row, count, at));
    *out = row.outputs;
    return WEIR_OK;
}

static weir_aggregate make_aggregate(weir_binder *binder, const weir_function *function, weir_expression *argument,
                                     const weir_type *type, const weir_position *at)
{
    weir_aggregate aggregate = {.function = function, .position = *at, .type = type};
    if (argument != NULL) {
        aggregate.arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1);
        aggregate.arguments[0] = argument;
        aggregate.argument_count = 1;
    }
    return aggregate;
}

static weir_expression *field_of(weir_binder *binder, const weir_plan *plan, int32_t field)
{
    return weir_expression_column(binder, field, plan->fields[field].type, &plan->position);
}

/* Whether a plan gives exactly one row: an aggregate over everything, or one row of VALUES. */
static bool is_one_row(const weir_plan *plan)
{
    while (plan->kind == WEIR_PLAN_PROJECT) {
        plan = plan->inputs[0];
    }
    return (plan->kind == WEIR_PLAN_AGGREGATE && plan->global) ||
           (plan->kind == WEIR_PLAN_VALUES && plan->row_count == 1);
}

int weir_bind_scalar_subquery(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_plan *plan;
    weir_expression **row;
    WEIR_TRY(bind_query(binder, ast, &plan));
    if (plan->field_count != 1) {
        return weir_binder_fail(binder, &ast->position,
                                "a subquery used as a value gives one column, but this one gives %d",
                                plan->field_count);
    }
    if (!is_one_row(plan)) {
        weir_aggregate *aggregate = WEIR_NEW(binder->arena, weir_aggregate);
        const weir_type *type = weir_binder_nullable(binder, plan->fields[0].type, true);
        *aggregate =
            make_aggregate(binder, weir_function_find("SINGLE_VALUE"), field_of(binder, plan, 0), type, &ast->position);
        plan = weir_plan_grouped(binder, plan, NULL, 0, aggregate, 1);
    }
    WEIR_TRY(attach_row(binder, plan, &ast->position, &row));
    return weir_binder_cast(binder, row[0], weir_binder_nullable(binder, row[0]->type, true), false, out);
}

/* --- EXISTS ---------------------------------------------------------------------------------------------------- */

/* What doesn't change whether there are rows: the columns, duplicates, order. */
static weir_plan *only_existence(weir_plan *plan)
{
    for (;;) {
        bool limited = plan->kind == WEIR_PLAN_SORT && (plan->limit == 0 || plan->offset > 0);
        bool changes = plan->kind == WEIR_PLAN_PROJECT || plan->kind == WEIR_PLAN_DISTINCT ||
                       (plan->kind == WEIR_PLAN_SORT && !limited);
        if (!changes) {
            return plan;
        }
        plan = plan->inputs[0];
    }
}

/* One row is enough to know that there are some, unless columns of further queries decide which. */
static weir_plan *first_row(weir_binder *binder, weir_plan *plan)
{
    if (weir_plan_uses_any_outer(plan)) {
        return plan;
    }
    weir_plan *limit = weir_plan_new(binder, WEIR_PLAN_SORT, &plan->position, plan);
    limit->limit = 1;
    return limit;
}

/* Keeps the rows around for which the plan has a row, or none. */
static int attach_existence(weir_binder *binder, weir_plan *plan, bool negated, const weir_position *at)
{
    weir_decorrelated rows;
    WEIR_TRY(weir_decorrelate(binder, plan, &rows));
    if (rows.one_row) {
        WEIR_TRY(weir_decorrelate_by_values(binder, plan, &rows));
    }
    if (rows.conjunct_count == 0) {
        rows.plan = first_row(binder, rows.plan);
    }
    return weir_attach(binder, negated ? WEIR_JOIN_ANTI : WEIR_JOIN_SEMI, &rows, 0, at);
}

static weir_expression *count_literal(weir_binder *binder, int64_t value, const weir_position *at)
{
    return weir_expression_literal(binder, weir_type_simple(WEIR_BIGINT, false), (weir_literal){.integer = value}, at);
}

/* Whether a query without columns from around has rows: a count of at most one. */
static int count_first(weir_binder *binder, weir_plan *plan, const weir_position *at, weir_expression **out)
{
    weir_expression **row;
    weir_aggregate *count = WEIR_NEW(binder->arena, weir_aggregate);
    *count = make_aggregate(binder, weir_function_find("COUNT"), NULL, weir_type_simple(WEIR_BIGINT, false), at);
    plan = weir_plan_grouped(binder, first_row(binder, plan), NULL, 0, count, 1);
    WEIR_TRY(attach_row(binder, plan, at, &row));
    *out = weir_expression_two(binder, WEIR_EXPRESSION_GREATER, weir_binder_boolean(false), at, row[0],
                               count_literal(binder, 0, at));
    return WEIR_OK;
}

static bool all_keys(const weir_decorrelated *rows)
{
    weir_expression *inner;
    weir_expression *outer;
    for (int32_t i = 0; i < rows->conjunct_count; i++) {
        if (!weir_split_key(rows->conjuncts[i], &inner, &outer)) {
            return false;
        }
    }
    return true;
}

/* The distinct keys by which rows are found, and TRUE beside them. */
static void keep_keys(weir_binder *binder, weir_decorrelated *rows, const weir_position *at)
{
    int32_t count = rows->conjunct_count;
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        weir_expression *inner;
        weir_expression *outer;
        weir_expression *conjunct = rows->conjuncts[i];
        weir_split_key(conjunct, &inner, &outer);
        expressions[i] = inner;
        fields[i] = (weir_field){.id = -1, .name = "key", .type = inner->type};
        rows->conjuncts[i] = weir_expression_two(binder, conjunct->kind, conjunct->type, at,
                                                 weir_expression_column(binder, i, inner->type, at), outer);
    }
    weir_plan *keys = weir_plan_project(binder, rows->plan, expressions, fields, count);
    keys = weir_plan_new(binder, WEIR_PLAN_DISTINCT, at, keys);
    expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    for (int32_t i = 0; i < count; i++) {
        expressions[i] = weir_expression_column(binder, i, fields[i].type, at);
    }
    expressions[count] =
        weir_expression_literal(binder, weir_binder_boolean(false), (weir_literal){.boolean = true}, at);
    weir_field *marked = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    memcpy(marked, fields, sizeof *fields * (size_t)count);
    marked[count] = (weir_field){.id = -1, .name = "match", .type = expressions[count]->type};
    rows->plan = weir_plan_project(binder, keys, expressions, marked, count + 1);
    rows->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1);
    rows->outputs[0] = weir_expression_column(binder, count, expressions[count]->type, at);
}

/* Whether the plan has a row for the row around, as a value. */
static int mark_existence(weir_binder *binder, weir_plan *plan, const weir_position *at, weir_expression **out)
{
    weir_decorrelated rows;
    if (!weir_plan_uses_outer(plan)) {
        return count_first(binder, plan, at, out);
    }
    WEIR_TRY(weir_decorrelate(binder, plan, &rows));
    if (rows.one_row || !all_keys(&rows)) {
        WEIR_TRY(weir_decorrelate_by_values(binder, plan, &rows));
    }
    keep_keys(binder, &rows, at);
    WEIR_TRY(weir_attach(binder, WEIR_JOIN_LEFT, &rows, 1, at));
    *out = weir_expression_new(binder, WEIR_EXPRESSION_IS_NOT_NULL, weir_binder_boolean(false), at, 1);
    (*out)->arguments[0] = rows.outputs[0];
    return WEIR_OK;
}

int weir_bind_exists(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_plan *plan;
    WEIR_TRY(bind_query(binder, ast, &plan));
    return mark_existence(binder, only_existence(plan), &ast->position, out);
}

/* --- IN -------------------------------------------------------------------------------------------------------- */

typedef struct in_query {
    weir_plan *plan;
    weir_expression **values; /* left of IN, as seen from inside of the query */
    int32_t count;
    weir_expression **equalities;
    bool nullable; /* some equality may be unknown */
} in_query;

/* An expression of the query around as the subquery sees it. */
static weir_expression *outer_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    (void)state;
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    copy->level += leaf->kind == WEIR_EXPRESSION_OUTER;
    if (leaf->kind == WEIR_EXPRESSION_COLUMN) {
        copy->kind = WEIR_EXPRESSION_OUTER;
        copy->level = 1;
    }
    return copy;
}

static int bind_in_query(weir_binder *binder, const weir_ast_expression *ast, in_query *out)
{
    const weir_ast_expression *value = ast->arguments[0];
    bool is_row = value->kind == WEIR_AST_ROW;
    out->count = is_row ? value->argument_count : 1;
    out->values = WEIR_NEW_ARRAY(binder->arena, weir_expression *, out->count + 1);
    out->equalities = WEIR_NEW_ARRAY(binder->arena, weir_expression *, out->count + 1);
    WEIR_TRY(bind_query(binder, ast, &out->plan));
    if (out->plan->field_count != out->count) {
        return weir_binder_fail(binder, &ast->position, "IN compares %d value%s with a query of %d column%s",
                                out->count, out->count == 1 ? "" : "s", out->plan->field_count,
                                out->plan->field_count == 1 ? "" : "s");
    }
    for (int32_t i = 0; i < out->count; i++) {
        weir_expression *bound;
        WEIR_TRY(weir_bind_expression(binder, is_row ? value->arguments[i] : value, &bound));
        out->values[i] = weir_expression_rewrite(binder, bound, outer_leaf, NULL);
        WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_EQUAL, &ast->position, out->values[i],
                                      field_of(binder, out->plan, i), &out->equalities[i]));
        out->nullable = out->nullable || out->equalities[i]->type->nullable;
    }
    return WEIR_OK;
}

static weir_expression *is_null(weir_binder *binder, weir_expression *operand)
{
    weir_expression *test =
        weir_expression_new(binder, WEIR_EXPRESSION_IS_NULL, weir_binder_boolean(false), &operand->position, 1);
    test->arguments[0] = operand;
    return test;
}

/* Rows of the query that match; or, for NOT IN, that are not known to be unlike. */
static weir_plan *matching(weir_binder *binder, const in_query *in, bool or_unknown, const weir_position *at)
{
    weir_expression **conjuncts = WEIR_NEW_ARRAY(binder->arena, weir_expression *, in->count + 1);
    for (int32_t i = 0; i < in->count; i++) {
        conjuncts[i] = in->equalities[i];
        if (or_unknown && conjuncts[i]->type->nullable) {
            conjuncts[i] = weir_expression_new(binder, WEIR_EXPRESSION_OR, weir_binder_boolean(true), at, 3);
            conjuncts[i]->arguments[0] = in->equalities[i];
            conjuncts[i]->arguments[1] = is_null(binder, in->values[i]);
            conjuncts[i]->arguments[2] = is_null(binder, field_of(binder, in->plan, i));
        }
    }
    return weir_plan_filter(binder, in->plan, weir_and(binder, conjuncts, in->count, at));
}

static int attach_not_in(weir_binder *binder, const in_query *in, const weir_position *at)
{
    bool plain = in->count == 1 && !weir_plan_uses_outer(in->plan) &&
                 in->equalities[0]->kind == WEIR_EXPRESSION_EQUAL && in->nullable;
    if (!plain) {
        return attach_existence(binder, matching(binder, in, true, at), true, at);
    }
    weir_decorrelated rows;
    WEIR_TRY(weir_decorrelate(binder, matching(binder, in, false, at), &rows));
    bool keyed = rows.conjunct_count == 1 && all_keys(&rows);
    return keyed ? weir_attach(binder, WEIR_JOIN_ANTI_NULL_AWARE, &rows, 0, at)
                 : attach_existence(binder, matching(binder, in, true, at), true, at);
}

/* COUNT(*) of the query, and of its values that are not NULL. */
static int attach_counts(weir_binder *binder, const in_query *in, const weir_position *at, weir_expression ***out)
{
    weir_hole *holes = NULL;
    const weir_type *bigint = weir_type_simple(WEIR_BIGINT, false);
    weir_plan *plan = weir_plan_copy(binder, in->plan, &holes);
    weir_aggregate *counts = WEIR_NEW_ARRAY(binder->arena, weir_aggregate, 2);
    counts[0] = make_aggregate(binder, weir_function_find("COUNT"), NULL, bigint, at);
    counts[1] = make_aggregate(binder, weir_function_find("COUNT"), field_of(binder, plan, 0), bigint, at);
    return attach_row(binder, weir_plan_grouped(binder, plan, NULL, 0, counts, 2), at, out);
}

static weir_expression *boolean_literal(weir_binder *binder, bool value, const weir_position *at)
{
    return weir_expression_literal(binder, weir_binder_boolean(false), (weir_literal){.boolean = value}, at);
}

static weir_expression *inner_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    (void)state;
    weir_expression *copy = weir_arena_copy(binder->arena, leaf, sizeof *leaf);
    bool here = leaf->kind == WEIR_EXPRESSION_OUTER && leaf->level == 1;
    copy->kind = here ? WEIR_EXPRESSION_COLUMN : leaf->kind;
    copy->level = here ? 0 : leaf->level - (leaf->kind == WEIR_EXPRESSION_OUTER);
    return copy;
}

/* Of rows, some columns can be unlike while others are unknown, which counts don't tell:
 * CASE WHEN found THEN TRUE WHEN a row may be alike THEN NULL ELSE FALSE END */
static int mark_row_in(weir_binder *binder, const in_query *in, const weir_position *at, weir_expression **out)
{
    weir_expression *found;
    weir_expression *possible;
    weir_hole *holes = NULL;
    in_query copy = *in;
    copy.plan = weir_plan_copy(binder, in->plan, &holes);
    WEIR_TRY(mark_existence(binder, matching(binder, in, false, at), at, &found));
    WEIR_TRY(mark_existence(binder, matching(binder, &copy, true, at), at, &possible));
    *out = weir_expression_new(binder, WEIR_EXPRESSION_CASE, weir_binder_boolean(true), at, 5);
    (*out)->arguments[0] = found;
    (*out)->arguments[1] = boolean_literal(binder, true, at);
    (*out)->arguments[2] = possible;
    (*out)->arguments[3] = weir_expression_null(binder, weir_binder_boolean(true), at);
    (*out)->arguments[4] = boolean_literal(binder, false, at);
    return WEIR_OK;
}

/* CASE WHEN found THEN TRUE WHEN rows = 0 THEN FALSE WHEN value IS NULL OR known < rows THEN NULL ELSE FALSE END */
static int mark_in(weir_binder *binder, const in_query *in, const weir_position *at, weir_expression **out)
{
    weir_expression **counts;
    weir_expression *found;
    if (in->nullable && in->count > 1) {
        return mark_row_in(binder, in, at, out);
    }
    WEIR_TRY(in->nullable ? attach_counts(binder, in, at, &counts) : WEIR_OK);
    WEIR_TRY(mark_existence(binder, matching(binder, in, false, at), at, &found));
    if (!in->nullable) {
        *out = found;
        return WEIR_OK;
    }
    const weir_type *boolean = weir_binder_boolean(false);
    weir_expression *unknown =
        weir_expression_two(binder, WEIR_EXPRESSION_OR, boolean, at,
                            is_null(binder, weir_expression_rewrite(binder, in->values[0], inner_leaf, NULL)),
                            weir_expression_two(binder, WEIR_EXPRESSION_LESS, boolean, at, counts[1], counts[0]));
    *out = weir_expression_new(binder, WEIR_EXPRESSION_CASE, weir_binder_boolean(true), at, 7);
    (*out)->arguments[0] = found;
    (*out)->arguments[1] = boolean_literal(binder, true, at);
    (*out)->arguments[2] =
        weir_expression_two(binder, WEIR_EXPRESSION_EQUAL, boolean, at, counts[0], count_literal(binder, 0, at));
    (*out)->arguments[3] = boolean_literal(binder, false, at);
    (*out)->arguments[4] = unknown;
    (*out)->arguments[5] = weir_expression_null(binder, weir_binder_boolean(true), at);
    (*out)->arguments[6] = boolean_literal(binder, false, at);
    return WEIR_OK;
}

int weir_bind_in_subquery(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    in_query in = {0};
    WEIR_TRY(bind_in_query(binder, ast, &in));
    WEIR_TRY(mark_in(binder, &in, &ast->position, out));
    return ast->negated ? weir_bind_not(binder, &ast->position, *out, out) : WEIR_OK;
}

/* --- ANY and ALL ------------------------------------------------------------------------------------------------ */

/* COUNT(*), COUNT, MIN and MAX of a query's one column: what comparing with all of its rows comes down to. */
static int attach_extremes(weir_binder *binder, weir_plan *plan, const weir_position *at, weir_expression ***out)
{
    static const char *const names[] = {"COUNT", "COUNT", "MIN", "MAX"};
    const weir_type *bigint = weir_type_simple(WEIR_BIGINT, false);
    weir_aggregate *aggregates = WEIR_NEW_ARRAY(binder->arena, weir_aggregate, 4);
    for (int32_t i = 0; i < 4; i++) {
        const weir_type *type = i < 2 ? bigint : weir_binder_nullable(binder, plan->fields[0].type, true);
        aggregates[i] =
            make_aggregate(binder, weir_function_find(names[i]), i == 0 ? NULL : field_of(binder, plan, 0), type, at);
    }
    return attach_row(binder, weir_plan_grouped(binder, plan, NULL, 0, aggregates, 4), at, out);
}

/* value op MIN, op MAX, or both: what decides first. */
static int compare_extremes(weir_binder *binder, const weir_ast_expression *ast, weir_expression *value,
                            weir_expression *const *extremes, weir_expression **out)
{
    weir_expression_kind kind = weir_operator_kind((weir_ast_operator)ast->operation);
    bool greater = kind == WEIR_EXPRESSION_GREATER || kind == WEIR_EXPRESSION_GREATER_OR_EQUAL;
    if (kind != WEIR_EXPRESSION_EQUAL && kind != WEIR_EXPRESSION_NOT_EQUAL) {
        return weir_bind_comparison(binder, kind, &ast->position, value, extremes[greater == ast->negated ? 1 : 0],
                                    out);
    }
    weir_expression *both[2];
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_bind_comparison(binder, kind, &ast->position, value, extremes[i], &both[i]));
    }
    *out = weir_expression_two(binder, ast->negated ? WEIR_EXPRESSION_AND : WEIR_EXPRESSION_OR,
                               weir_binder_boolean(true), &ast->position, both[0], both[1]);
    return WEIR_OK;
}

/* ANY: CASE WHEN found THEN TRUE WHEN rows = 0 THEN FALSE WHEN value IS NULL OR known < rows THEN NULL ELSE FALSE END;
 * ALL is the opposite. */
int weir_bind_quantified(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    const weir_type *boolean = weir_binder_boolean(false);
    const weir_position *at = &ast->position;
    weir_plan *plan;
    weir_expression *value;
    weir_expression **row;
    weir_expression *decides;
    WEIR_TRY(bind_query(binder, ast, &plan));
    if (plan->field_count != 1) {
        return weir_binder_fail(binder, at, "ANY and ALL take a query of one column, but this one gives %d",
                                plan->field_count);
    }
    WEIR_TRY(weir_bind_expression(binder, ast->arguments[0], &value));
    WEIR_TRY(attach_extremes(binder, plan, at, &row));
    WEIR_TRY(compare_extremes(binder, ast, value, row + 2, &decides));
    weir_expression *decided =
        weir_expression_new(binder, ast->negated ? WEIR_EXPRESSION_IS_FALSE : WEIR_EXPRESSION_IS_TRUE, boolean, at, 1);
    decided->arguments[0] = decides;
    *out = weir_expression_new(binder, WEIR_EXPRESSION_CASE, weir_binder_boolean(true), at, 7);
    (*out)->arguments[0] = decided;
    (*out)->arguments[1] = boolean_literal(binder, !ast->negated, at);
    (*out)->arguments[2] =
        weir_expression_two(binder, WEIR_EXPRESSION_EQUAL, boolean, at, row[0], count_literal(binder, 0, at));
    (*out)->arguments[3] = boolean_literal(binder, ast->negated, at);
    (*out)->arguments[4] =
        weir_expression_two(binder, WEIR_EXPRESSION_OR, boolean, at, is_null(binder, value),
                            weir_expression_two(binder, WEIR_EXPRESSION_LESS, boolean, at, row[1], row[0]));
    (*out)->arguments[5] = weir_expression_null(binder, weir_binder_boolean(true), at);
    (*out)->arguments[6] = boolean_literal(binder, ast->negated, at);
    return WEIR_OK;
}

/* --- Conditions ------------------------------------------------------------------------------------------------ */

/* The EXISTS or IN that a condition is, through NOT. */
static const weir_ast_expression *as_filter(const weir_ast_expression *ast, bool *negated)
{
    *negated = false;
    while (ast->kind == WEIR_AST_UNARY && ast->operation == WEIR_AST_NOT) {
        *negated = !*negated;
        ast = ast->arguments[0];
    }
    bool filters = ast->query != NULL && (ast->kind == WEIR_AST_EXISTS || ast->kind == WEIR_AST_IN);
    *negated = *negated != (filters && ast->negated);
    return filters ? ast : NULL;
}

static int attach_filter(weir_binder *binder, const weir_ast_expression *ast, bool negated)
{
    if (ast->kind == WEIR_AST_EXISTS) {
        weir_plan *plan;
        WEIR_TRY(bind_query(binder, ast, &plan));
        return attach_existence(binder, only_existence(plan), negated, &ast->position);
    }
    in_query in = {0};
    WEIR_TRY(bind_in_query(binder, ast, &in));
    return negated ? attach_not_in(binder, &in, &ast->position)
                   : attach_existence(binder, matching(binder, &in, false, &ast->position), false, &ast->position);
}

static int bind_conjunct(weir_binder *binder, const weir_ast_expression *ast, const char *clause,
                         weir_bound_filter *out)
{
    bool negated;
    if (ast->kind == WEIR_AST_BINARY && ast->operation == WEIR_AST_AND) {
        for (int32_t i = 0; i < ast->argument_count; i++) {
            WEIR_TRY(bind_conjunct(binder, ast->arguments[i], clause, out));
        }
        return WEIR_OK;
    }
    const weir_ast_expression *filter = as_filter(ast, &negated);
    if (filter != NULL) {
        return attach_filter(binder, filter, negated);
    }
    weir_expression *conjunct;
    WEIR_TRY(weir_bind_condition(binder, ast, clause, &conjunct));
    weir_expression *both[2] = {out->predicate, conjunct};
    out->predicate = out->predicate == NULL ? conjunct : weir_and(binder, both, 2, &ast->position);
    return WEIR_OK;
}

int weir_bind_filter(weir_binder *binder, const weir_ast_expression *ast, const char *clause, weir_bound_filter *out)
{
    *out = (weir_bound_filter){.attachments = WEIR_NEW(binder->arena, weir_attachments)};
    weir_attachments *outer = binder->attachments;
    const char *outer_clause = binder->clause;
    binder->attachments = out->attachments;
    int code = weir_ast_has_subquery(ast) ? bind_conjunct(binder, ast, clause, out)
                                          : weir_bind_condition(binder, ast, clause, &out->predicate);
    binder->attachments = outer;
    binder->clause = outer_clause;
    return code;
}

void weir_plan_bound_filter(weir_binder *binder, const weir_bound_filter *filter, weir_plan **plan)
{
    weir_attachments_join(binder, filter->attachments, false, plan);
    if (filter->predicate != NULL) {
        *plan =
            weir_plan_filter(binder, *plan, weir_attachments_resolve(binder, filter->attachments, filter->predicate));
    }
    weir_attachments_join(binder, filter->attachments, true, plan);
}
