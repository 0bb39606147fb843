/* Queries: WITH, VALUES, UNION and its like, and what stands around a SELECT. */
#include "base/text.h"
#include "sql/bind/subquery.h"

static int bind_row_count(weir_binder *binder, const weir_ast_expression *ast, const char *clause, int64_t *out)
{
    int64_t value;
    if (ast->kind != WEIR_AST_NUMBER || !weir_parse_int64(weir_slice_text(ast->text), &value)) {
        return weir_binder_fail(binder, &ast->position, "%s takes a whole number that is not negative", clause);
    }
    *out = value;
    return WEIR_OK;
}

/* --- VALUES ---------------------------------------------------------------------------------------------------- */

static int bind_row(weir_binder *binder, const weir_ast_expressions *row, weir_attachments *attachments,
                    weir_expression **out)
{
    weir_binder inner = *binder;
    inner.clause = "VALUES";
    inner.attachments = attachments;
    for (int32_t i = 0; i < row->count; i++) {
        WEIR_TRY(weir_bind_expression(&inner, row->items[i], &out[i]));
    }
    return WEIR_OK;
}

/* Rows with subqueries: each is a projection over what its subqueries give. */
static weir_plan *join_rows(weir_binder *binder, const weir_plan *values, weir_attachments *gathered)
{
    weir_plan *all = weir_plan_new(binder, WEIR_PLAN_UNION, &values->position, NULL);
    all->fields = values->fields;
    all->field_count = values->field_count;
    all->inputs = WEIR_NEW_ARRAY(binder->arena, weir_plan *, values->row_count);
    for (int64_t row = 0; row < values->row_count; row++) {
        weir_plan *one = weir_plan_new(binder, WEIR_PLAN_VALUES, &values->position, NULL);
        weir_expression **expressions = values->expressions + row * values->field_count;
        one->row_count = 1;
        one->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1); /* none, of one row */
        weir_attachments_join(binder, &gathered[row], false, &one);
        for (int32_t i = 0; i < values->field_count; i++) {
            expressions[i] = weir_attachments_resolve(binder, &gathered[row], expressions[i]);
        }
        all->inputs[all->input_count++] =
            weir_plan_project(binder, one, expressions, values->fields, values->field_count);
    }
    return all;
}

static int bind_values(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    int32_t width = query->rows[0].count;
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_VALUES, &query->position, NULL);
    plan->row_count = query->row_count;
    plan->field_count = width;
    plan->expression_count = width * query->row_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, width);
    plan->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, (size_t)width * (size_t)query->row_count);
    weir_attachments *gathered = WEIR_NEW_ARRAY(binder->arena, weir_attachments, query->row_count);
    bool joined = false;
    for (int32_t row = 0; row < query->row_count; row++) {
        if (query->rows[row].count != width) {
            return weir_binder_fail(binder, &query->rows[row].items[0]->position,
                                    "row %d of VALUES has %d values, but the first has %d", row + 1,
                                    query->rows[row].count, width);
        }
        WEIR_TRY(bind_row(binder, &query->rows[row], &gathered[row], &plan->expressions[row * width]));
        joined = joined || gathered[row].count > 0;
    }
    weir_expression **column = WEIR_NEW_ARRAY(binder->arena, weir_expression *, query->row_count);
    for (int32_t i = 0; i < width; i++) {
        for (int32_t row = 0; row < query->row_count; row++) {
            column[row] = plan->expressions[row * width + i];
        }
        const weir_type *common;
        WEIR_TRY(weir_binder_common(binder, &query->rows[0].items[i]->position, "the rows of VALUES", column,
                                    query->row_count, &common));
        for (int32_t row = 0; row < query->row_count; row++) {
            plan->expressions[row * width + i] = column[row];
        }
        plan->fields[i] =
            (weir_field){.id = -1, .name = weir_arena_format(binder->arena, "EXPR$%d", i), .type = common};
    }
    *out = joined ? join_rows(binder, plan, gathered) : plan;
    return WEIR_OK;
}

/* --- UNION, INTERSECT, EXCEPT ---------------------------------------------------------------------------------- */

/* A side with its columns cast to the common types. */
static int cast_columns(weir_binder *binder, weir_plan **plan, const weir_field *fields)
{
    int32_t count = (*plan)->field_count;
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count);
    weir_field *cast = WEIR_NEW_ARRAY(binder->arena, weir_field, count);
    bool same = true;
    for (int32_t i = 0; i < count; i++) {
        weir_expression *column = weir_expression_column(binder, i, (*plan)->fields[i].type, &(*plan)->position);
        const weir_type *type = weir_binder_nullable(binder, fields[i].type, column->type->nullable);
        WEIR_TRY(weir_binder_cast(binder, column, type, false, &expressions[i]));
        same = same && expressions[i] == column;
        cast[i] = (weir_field){.id = -1, .name = fields[i].name, .type = expressions[i]->type};
    }
    if (!same) {
        *plan = weir_plan_project(binder, *plan, expressions, cast, count);
    }
    return WEIR_OK;
}

static const char *set_text(weir_ast_set_operator operator)
{
    static const char *const names[] = {"UNION", "INTERSECT", "EXCEPT"};
    return names[operator];
}

/* The fields of both sides' common types, under the names of the first. */
static int bring_sides(weir_binder *binder, const weir_ast_query *query, weir_plan *plan)
{
    const char *name = set_text(query->set_operator);
    weir_plan **sides = plan->inputs;
    if (sides[0]->field_count != sides[1]->field_count) {
        return weir_binder_fail(binder, &query->position, "%s of %d and %d columns", name, sides[0]->field_count,
                                sides[1]->field_count);
    }
    plan->field_count = sides[0]->field_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        const weir_type *types[2] = {sides[0]->fields[i].type, sides[1]->fields[i].type};
        const weir_type *common = weir_sql_common_type(binder->arena, types, 2);
        if (common == NULL) {
            return weir_binder_fail(binder, &query->position,
                                    "column %d of %s, '%s', is %s on one side and %s on the other; cast one of them",
                                    i + 1, name, sides[0]->fields[i].name, weir_sql_type_text(binder->arena, types[0]),
                                    weir_sql_type_text(binder->arena, types[1]));
        }
        plan->fields[i] = sides[0]->fields[i];
        plan->fields[i].type = common;
    }
    WEIR_TRY(cast_columns(binder, &sides[0], plan->fields));
    return cast_columns(binder, &sides[1], plan->fields);
}

static int bind_set(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    static const weir_plan_kind kinds[] = {WEIR_PLAN_UNION, WEIR_PLAN_INTERSECT, WEIR_PLAN_EXCEPT};
    weir_plan *plan = weir_plan_new(binder, kinds[query->set_operator], &query->position, NULL);
    plan->inputs = WEIR_NEW_ARRAY(binder->arena, weir_plan *, 2);
    plan->input_count = 2;
    plan->all = query->all;
    WEIR_TRY(weir_bind_plan(binder, query->left, &plan->inputs[0]));
    WEIR_TRY(weir_bind_plan(binder, query->right, &plan->inputs[1]));
    WEIR_TRY(bring_sides(binder, query, plan));
    bool distinct = plan->kind == WEIR_PLAN_UNION && !query->all;
    *out = distinct ? weir_plan_new(binder, WEIR_PLAN_DISTINCT, &query->position, plan) : plan;
    return WEIR_OK;
}

/* --- ORDER BY and LIMIT around all but SELECT ------------------------------------------------------------------ */

/* A sort key is a result column's number, or an expression over result columns. */
static int bind_key(weir_binder *binder, const weir_plan *plan, const weir_ast_expression *key, weir_expression **out)
{
    int64_t ordinal;
    if (key->kind == WEIR_AST_NUMBER) {
        bool fits =
            weir_parse_int64(weir_slice_text(key->text), &ordinal) && ordinal >= 1 && ordinal <= plan->field_count;
        if (!fits) {
            return weir_binder_fail(binder, &key->position, "ORDER BY %s names no column; there are %d", key->text,
                                    plan->field_count);
        }
        *out = weir_expression_column(binder, (int32_t)ordinal - 1, plan->fields[ordinal - 1].type, &key->position);
    } else {
        weir_scope scope = weir_scope_of_fields(binder, NULL, plan);
        weir_binder inner = *binder;
        inner.scope = &scope;
        inner.clause = "ORDER BY";
        WEIR_TRY(weir_bind_expression(&inner, key, out));
    }
    return weir_check_order(binder, &key->position, (*out)->type);
}

int weir_check_order(weir_binder *binder, const weir_position *at, const weir_type *type)
{
    return weir_type_is_nested(type) ? weir_binder_fail(binder, at, "values of type %s have no order",
                                                        weir_sql_type_text(binder->arena, type))
                                     : WEIR_OK;
}

/* NULLs are the lowest values, so that they come first going up and last going down. */
weir_sort_key weir_sort_key_of(const weir_ast_sort_key *key, weir_expression *expression)
{
    return (weir_sort_key){.expression = expression,
                           .descending = key->descending,
                           .nulls_first = key->nulls == 0 ? !key->descending : key->nulls == 1};
}

int weir_plan_order(weir_binder *binder, const weir_ast_query *query, weir_expression *const *expressions,
                    weir_plan **plan)
{
    if (query->order_by.count == 0 && query->limit == NULL && query->offset == NULL) {
        return WEIR_OK;
    }
    weir_plan *sort = weir_plan_new(binder, WEIR_PLAN_SORT, &query->position, *plan);
    sort->sort_key_count = query->order_by.count;
    sort->sort_keys = WEIR_NEW_ARRAY(binder->arena, weir_sort_key, query->order_by.count + 1);
    for (int32_t i = 0; i < query->order_by.count; i++) {
        sort->sort_keys[i] = weir_sort_key_of(&query->order_by.items[i], expressions[i]);
    }
    if (query->limit != NULL) {
        WEIR_TRY(bind_row_count(binder, query->limit, "LIMIT", &sort->limit));
    }
    if (query->offset != NULL) {
        WEIR_TRY(bind_row_count(binder, query->offset, "OFFSET", &sort->offset));
    }
    *plan = sort;
    return WEIR_OK;
}

/* Of a query that is no SELECT: its keys are bound over what it gives. */
static int bind_order(weir_binder *binder, const weir_ast_query *query, weir_plan **plan)
{
    weir_expression **keys = WEIR_NEW_ARRAY(binder->arena, weir_expression *, query->order_by.count + 1);
    for (int32_t i = 0; i < query->order_by.count; i++) {
        WEIR_TRY(bind_key(binder, *plan, query->order_by.items[i].expression, &keys[i]));
    }
    return weir_plan_order(binder, query, keys, plan);
}

static int bind_body(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    switch (query->kind) {
    case WEIR_AST_SELECT:
        return weir_bind_select(binder, query, out);
    case WEIR_AST_VALUES:
        WEIR_TRY(bind_values(binder, query, out));
        break;
    case WEIR_AST_SET_OPERATION:
        WEIR_TRY(bind_set(binder, query, out));
        break;
    default:
        WEIR_TRY(weir_bind_plan(binder, query->left, out));
        break;
    }
    return bind_order(binder, query, out);
}

int weir_bind_plan(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    weir_cte_scope *ctes = binder->ctes;
    weir_windowing *windowing = binder->windowing;
    binder->windowing = NULL;
    for (int32_t i = 0; i < query->cte_count; i++) {
        weir_cte_scope *scope = WEIR_NEW(binder->arena, weir_cte_scope);
        *scope = (weir_cte_scope){&query->ctes[i], binder->ctes};
        binder->ctes = scope;
    }
    int code = bind_body(binder, query, out);
    binder->ctes = ctes;
    binder->windowing = windowing;
    return code;
}
