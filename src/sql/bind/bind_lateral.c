/* What stands in FROM and sees the relations before it: UNNEST, and LATERAL (query). */
#include "sql/bind/subquery.h"

/* --- UNNEST ----------------------------------------------------------------------------------------------------- */

typedef struct element_columns {
    weir_field fields[3];
    weir_field *list; /* of a ROW: its own fields; NULL: `fields` */
    int32_t count;
} element_columns;

/* The columns that an element becomes, named as in Flink where no alias names them. */
static int element_fields(weir_binder *binder, const weir_ast_from *from, const weir_type *type, element_columns *out)
{
    const weir_type *item = type->id == WEIR_MULTISET ? type->key : type->element;
    *out = (element_columns){0};
    if (type->id == WEIR_MAP) {
        out->fields[out->count++] = (weir_field){.id = -1, .name = "KEY", .type = type->key};
        out->fields[out->count++] = (weir_field){.id = -1, .name = "VALUE", .type = type->element};
    } else if (type->id != WEIR_ARRAY && type->id != WEIR_MULTISET) {
        return weir_binder_fail(binder, &from->expression->position, "UNNEST takes an ARRAY, MAP or MULTISET, not %s",
                                weir_sql_type_text(binder->arena, type));
    } else if (item->id == WEIR_ROW) {
        out->count = item->field_count;
        out->list = WEIR_NEW_ARRAY(binder->arena, weir_field, item->field_count + 2);
        for (int32_t i = 0; i < item->field_count; i++) {
            out->list[i] = item->fields[i];
            out->list[i].type =
                weir_binder_nullable(binder, item->fields[i].type, item->fields[i].type->nullable || item->nullable);
        }
    } else {
        out->fields[out->count++] = (weir_field){.id = -1, .name = "EXPR$0", .type = item};
    }
    weir_field *fields = out->list != NULL ? out->list : out->fields;
    if (from->ordinality) {
        fields[out->count++] = (weir_field){.id = -1, .name = "ORDINALITY", .type = weir_type_simple(WEIR_INT, false)};
    }
    return WEIR_OK;
}

static int name_elements(weir_binder *binder, const weir_ast_from *from, weir_field *fields, int32_t count)
{
    const weir_ast_names *names = &from->alias.columns;
    if (names->count > 0 && names->count != count) {
        return weir_binder_fail(binder, &names->items[0].position,
                                "%d column names for UNNEST, which gives %d column%s", names->count, count,
                                count == 1 ? "" : "s");
    }
    for (int32_t i = 0; i < names->count; i++) {
        fields[i].name = weir_arena_strdup(binder->arena, names->items[i].text);
    }
    return WEIR_OK;
}

int weir_bind_unnest(weir_binder *binder, const weir_ast_from *from, bool outer, weir_plan **plan, weir_scope *scope)
{
    weir_expression *list;
    element_columns element;
    weir_binder inner = *binder;
    inner.scope = scope;
    inner.grouping = NULL;
    inner.attachments = NULL;
    inner.clause = "UNNEST";
    WEIR_TRY(weir_bind_expression(&inner, from->expression, &list));
    WEIR_TRY(element_fields(binder, from, list->type, &element));
    weir_field *added = element.list != NULL ? element.list : element.fields;
    WEIR_TRY(name_elements(binder, from, added, element.count));
    weir_plan *unnest = weir_plan_new(binder, WEIR_PLAN_UNNEST, &from->position, *plan);
    int32_t before = unnest->field_count;
    unnest->outer = outer;
    unnest->ordinality = from->ordinality;
    unnest->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1);
    unnest->expressions[0] = list;
    unnest->expression_count = 1;
    unnest->field_count += element.count;
    unnest->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, unnest->field_count + 1);
    for (int32_t i = 0; i < unnest->field_count; i++) {
        unnest->fields[i] = i < before ? (*plan)->fields[i] : added[i - before];
        if (i >= before && outer) {
            unnest->fields[i].type = weir_binder_nullable(binder, unnest->fields[i].type, true);
        }
        if (i >= before) {
            weir_scope_add(binder, scope, from->alias.name, unnest->fields[i].name, unnest->fields[i].type);
        }
    }
    *plan = unnest;
    return WEIR_OK;
}

/* --- LATERAL (query) -------------------------------------------------------------------------------------------- */

static bool only_columns(const weir_decorrelated *rows, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (rows->outputs[i]->kind != WEIR_EXPRESSION_COLUMN) {
            return false;
        }
    }
    return true;
}

int weir_bind_lateral(weir_binder *binder, const weir_ast_from *from, bool outer, weir_plan **plan, weir_scope *scope)
{
    weir_plan *query;
    weir_decorrelated rows;
    weir_attachments attachments = {0};
    weir_binder around = *binder;
    around.scope = scope;
    around.grouping = NULL;
    around.attachments = &attachments;
    WEIR_TRY(weir_bind_nested(&around, from->query, binder->ctes, &around, &query));
    WEIR_TRY(weir_rename_columns(binder, &from->alias.columns, query));
    int32_t width = (*plan)->field_count;
    int32_t count = query->field_count;
    WEIR_TRY(weir_decorrelate(&around, query, &rows));
    if (outer && !rows.one_row && !only_columns(&rows, count)) {
        WEIR_TRY(weir_decorrelate_by_values(&around, query, &rows));
    }
    WEIR_TRY(
        weir_attach(&around, outer || rows.one_row ? WEIR_JOIN_LEFT : WEIR_JOIN_INNER, &rows, count, &from->position));
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, width + count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, width + count + 1);
    for (int32_t i = 0; i < width; i++) {
        fields[i] = (*plan)->fields[i];
        expressions[i] = weir_expression_column(binder, i, fields[i].type, &from->position);
    }
    weir_attachments_join(binder, &attachments, false, plan);
    for (int32_t i = 0; i < count; i++) {
        expressions[width + i] = weir_attachments_resolve(binder, &attachments, rows.outputs[i]);
        fields[width + i] = query->fields[i];
        fields[width + i].type = expressions[width + i]->type;
        weir_scope_add(binder, scope, from->alias.name, fields[width + i].name, fields[width + i].type);
    }
    *plan = weir_plan_project(binder, *plan, expressions, fields, width + count);
    return WEIR_OK;
}
