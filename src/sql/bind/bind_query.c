/* Queries: WITH, VALUES, UNION, and what stands around a SELECT. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

int weir_bind_row_count(weir_binder *binder, const weir_ast_expression *ast, const char *clause, int64_t *out)
{
    int64_t value;
    if (ast->kind != WEIR_AST_NUMBER || !weir_parse_int64(weir_slice_text(ast->text), &value)) {
        return weir_binder_fail(binder, &ast->position, "%s takes a whole number that is not negative", clause);
    }
    *out = value;
    return WEIR_OK;
}

/* --- VALUES ---------------------------------------------------------------------------------------------------- */

static int bind_values(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    int32_t width = query->rows[0].count;
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_VALUES, &query->position, NULL);
    plan->row_count = query->row_count;
    plan->field_count = width;
    plan->expression_count = width * query->row_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, width);
    plan->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, (size_t)width * (size_t)query->row_count);
    for (int32_t row = 0; row < query->row_count; row++) {
        if (query->rows[row].count != width) {
            return weir_binder_fail(binder, &query->rows[row].items[0]->position,
                                    "row %d of VALUES has %d values, but the first has %d", row + 1,
                                    query->rows[row].count, width);
        }
        for (int32_t i = 0; i < width; i++) {
            WEIR_TRY(weir_bind_expression(binder, query->rows[row].items[i], &plan->expressions[row * width + i]));
        }
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
    *out = plan;
    return WEIR_OK;
}

/* --- UNION ----------------------------------------------------------------------------------------------------- */

/* A side of UNION with its columns cast to the common types. */
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

static int bind_union(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    static const char *const names[] = {"UNION", "INTERSECT", "EXCEPT"};
    if (query->set_operator != WEIR_AST_UNION) {
        return weir_binder_unsupported(binder, &query->position, names[query->set_operator]);
    }
    weir_plan *left;
    weir_plan *right;
    WEIR_TRY(weir_bind_plan(binder, query->left, &left));
    WEIR_TRY(weir_bind_plan(binder, query->right, &right));
    if (left->field_count != right->field_count) {
        return weir_binder_fail(binder, &query->position, "UNION of %d and %d columns", left->field_count,
                                right->field_count);
    }
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_UNION, &query->position, NULL);
    plan->field_count = left->field_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, left->field_count);
    for (int32_t i = 0; i < left->field_count; i++) {
        const weir_type *types[2] = {left->fields[i].type, right->fields[i].type};
        const weir_type *common = weir_sql_common_type(binder->arena, types, 2);
        if (common == NULL) {
            return weir_binder_fail(
                binder, &query->position, "column %d of UNION is %s on one side and %s on the other", i + 1,
                weir_sql_type_text(binder->arena, types[0]), weir_sql_type_text(binder->arena, types[1]));
        }
        plan->fields[i] = left->fields[i];
        plan->fields[i].type = common;
    }
    WEIR_TRY(cast_columns(binder, &left, plan->fields));
    WEIR_TRY(cast_columns(binder, &right, plan->fields));
    plan->inputs = WEIR_NEW_ARRAY(binder->arena, weir_plan *, 2);
    plan->inputs[0] = left;
    plan->inputs[1] = right;
    plan->input_count = 2;
    *out = query->all ? plan : weir_plan_new(binder, WEIR_PLAN_DISTINCT, &query->position, plan);
    return WEIR_OK;
}

/* --- ORDER BY and LIMIT around all but SELECT ------------------------------------------------------------------ */

static int find_field(weir_binder *binder, const weir_plan *plan, const weir_ast_expression *key, int32_t *out)
{
    int64_t ordinal;
    if (key->kind == WEIR_AST_NUMBER && weir_parse_int64(weir_slice_text(key->text), &ordinal) && ordinal >= 1 &&
        ordinal <= plan->field_count) {
        *out = (int32_t)ordinal - 1;
        return WEIR_OK;
    }
    for (int32_t i = 0; key->kind == WEIR_AST_COLUMN && i < plan->field_count; i++) {
        if (strcmp(plan->fields[i].name, key->name.parts[key->name.count - 1].text) == 0) {
            *out = i;
            return WEIR_OK;
        }
    }
    return weir_binder_fail(binder, &key->position,
                            "ORDER BY around UNION or VALUES takes a result column's name or number");
}

static int plan_order(weir_binder *binder, const weir_ast_query *query, weir_plan **plan)
{
    if (query->order_by.count == 0 && query->limit == NULL && query->offset == NULL) {
        return WEIR_OK;
    }
    weir_plan *sort = weir_plan_new(binder, WEIR_PLAN_SORT, &query->position, *plan);
    sort->sort_key_count = query->order_by.count;
    sort->sort_keys = WEIR_NEW_ARRAY(binder->arena, weir_sort_key, query->order_by.count + 1);
    for (int32_t i = 0; i < query->order_by.count; i++) {
        const weir_ast_sort_key *key = &query->order_by.items[i];
        int32_t column;
        WEIR_TRY(find_field(binder, *plan, key->expression, &column));
        sort->sort_keys[i] =
            (weir_sort_key){.expression = weir_expression_column(binder, column, (*plan)->fields[column].type,
                                                                 &key->expression->position),
                            .descending = key->descending,
                            .nulls_first = key->nulls == 0 ? !key->descending : key->nulls == 1};
    }
    if (query->limit != NULL) {
        WEIR_TRY(weir_bind_row_count(binder, query->limit, "LIMIT", &sort->limit));
    }
    if (query->offset != NULL) {
        WEIR_TRY(weir_bind_row_count(binder, query->offset, "OFFSET", &sort->offset));
    }
    *plan = sort;
    return WEIR_OK;
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
        WEIR_TRY(bind_union(binder, query, out));
        break;
    default:
        WEIR_TRY(weir_bind_plan(binder, query->left, out));
        break;
    }
    return plan_order(binder, query, out);
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
