/* SELECT: FROM, WHERE, groups and aggregates, HAVING, the select list, DISTINCT, ORDER BY, LIMIT. */
#include "base/text.h"
#include "sql/bind/subquery.h"

/* What one SELECT gathers while it is bound. */
typedef struct select_state {
    const weir_ast_select *select;
    weir_plan *plan;
    weir_scope scope;
    weir_grouping grouping;
    weir_windowing windowing;
    weir_attachments below; /* subqueries over the rows of FROM */
    weir_attachments above; /* subqueries of a select list over groups */
    bool grouped;
    weir_expression **expressions; /* the select list, then hidden sort keys */
    weir_field *fields;
    int32_t count;
    int32_t visible;
    int32_t capacity;
} select_state;

static void add_item(weir_binder *binder, select_state *state, weir_expression *expression, const char *name)
{
    if (state->count == state->capacity) {
        int32_t capacity = state->capacity == 0 ? 8 : state->capacity * 2;
        weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, capacity);
        weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, capacity);
        if (state->count > 0) {
            memcpy(expressions, state->expressions, sizeof *expressions * (size_t)state->count);
            memcpy(fields, state->fields, sizeof *fields * (size_t)state->count);
        }
        state->expressions = expressions;
        state->fields = fields;
        state->capacity = capacity;
    }
    state->expressions[state->count] = expression;
    state->fields[state->count++] = (weir_field){.id = -1, .name = name, .type = expression->type};
}

/* --- FROM and WHERE -------------------------------------------------------------------------------------------- */

static int bind_source(weir_binder *binder, select_state *state)
{
    const weir_ast_select *select = state->select;
    WEIR_TRY(weir_check_query_hints(binder, &select->hints, select->from));
    if (select->from == NULL) {
        state->plan = weir_plan_new(binder, WEIR_PLAN_VALUES, &select->position, NULL);
        state->plan->row_count = 1;
        state->plan->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1); /* none, of one row */
    } else {
        const weir_ast_hints *around = binder->hints;
        binder->hints = &select->hints;
        int code = weir_bind_from(binder, select->from, &state->plan, &state->scope);
        binder->hints = around;
        WEIR_TRY(code);
    }
    binder->scope = &state->scope;
    if (select->where == NULL) {
        return WEIR_OK;
    }
    weir_bound_filter filter;
    binder->clause = "WHERE";
    int code = weir_bind_filter(binder, select->where, "WHERE", &filter);
    binder->clause = NULL;
    WEIR_TRY(code);
    weir_plan_bound_filter(binder, &filter, &state->plan);
    return WEIR_OK;
}

/* --- Groups ---------------------------------------------------------------------------------------------------- */

static bool has_aggregates(const weir_ast_select *select, const weir_ast_query *query)
{
    if (select->having != NULL) {
        return true;
    }
    for (int32_t i = 0; i < select->item_count; i++) {
        if (weir_ast_has_aggregate(select->items[i].expression)) {
            return true;
        }
    }
    for (int32_t i = 0; i < query->order_by.count; i++) {
        if (weir_ast_has_aggregate(query->order_by.items[i].expression)) {
            return true;
        }
    }
    return false;
}

static int bind_grouping(weir_binder *binder, select_state *state, const weir_ast_query *query)
{
    const weir_ast_select *select = state->select;
    state->grouped = select->grouped || has_aggregates(select, query);
    WEIR_TRY(weir_bind_groups(binder, select, &state->grouping, &state->plan));
    binder->grouping = state->grouped ? &state->grouping : NULL;
    state->grouping.attachments = &state->below;
    binder->attachments = state->grouped ? &state->above : &state->below;
    return WEIR_OK;
}

/* Joins the subqueries in the arguments of aggregates. */
static void join_below(weir_binder *binder, select_state *state)
{
    weir_attachments_join(binder, &state->below, false, &state->plan);
    for (int32_t i = 0; i < state->grouping.aggregate_count; i++) {
        weir_attachments_resolve_call(binder, &state->below, &state->grouping.aggregates[i]);
    }
}

/* Joins the subqueries of the select list; its expressions then name their columns. */
static void join_items(weir_binder *binder, select_state *state, weir_plan **plan)
{
    const weir_attachments *attachments = state->grouped ? &state->above : &state->below;
    weir_attachments_join(binder, &state->above, false, plan);
    for (int32_t i = 0; i < state->count; i++) {
        state->expressions[i] = weir_attachments_resolve(binder, attachments, state->expressions[i]);
    }
    for (int32_t i = 0; i < state->windowing.call_count; i++) {
        weir_attachments_resolve_call(binder, attachments, &state->windowing.calls[i]);
    }
}

/* --- The select list ------------------------------------------------------------------------------------------- */

/* row.*: the fields of a column that is a ROW. False when the name is no such column. */
static bool expand_row(weir_binder *binder, select_state *state, const weir_ast_expression *star)
{
    weir_expression *row;
    weir_error *err = binder->err;
    weir_error ignored;
    binder->err = &ignored;
    int code = star->name.count == 0 ? WEIR_INVALID : weir_bind_name(binder, &star->name, &row);
    binder->err = err;
    if (code != WEIR_OK || row->type->id != WEIR_ROW) {
        return false;
    }
    for (int32_t i = 0; i < row->type->field_count; i++) {
        const weir_field *field = &row->type->fields[i];
        bool nullable = field->type->nullable || row->type->nullable;
        weir_expression *value = weir_expression_new(
            binder, WEIR_EXPRESSION_FIELD, weir_binder_nullable(binder, field->type, nullable), &star->position, 1);
        value->column = i;
        value->arguments[0] = row;
        add_item(binder, state, value, field->name);
    }
    return true;
}

static int expand_star(weir_binder *binder, select_state *state, const weir_ast_expression *star)
{
    int32_t before = state->count;
    const char *relation = star->name.count > 0 ? star->name.parts[star->name.count - 1].text : NULL;
    if (binder->grouping != NULL) {
        return weir_binder_fail(binder, &star->position,
                                "* can't stand beside aggregates or GROUP BY; name the columns");
    }
    bool *chosen = WEIR_NEW_ARRAY(binder->arena, bool, state->scope.count + 1);
    for (int32_t i = 0; i < state->scope.count; i++) {
        const weir_scope_column *column = &state->scope.columns[i];
        chosen[i] =
            relation == NULL ? !column->hidden : (column->relation != NULL && strcmp(column->relation, relation) == 0);
        if (chosen[i]) {
            add_item(binder, state, weir_expression_column(binder, i, column->type, &star->position), column->name);
        }
    }
    if (state->count == before && expand_row(binder, state, star)) {
        return WEIR_OK;
    }
    if (state->count == before) {
        return weir_binder_fail(binder, &star->position, relation == NULL ? "* needs a FROM%s" : "unknown table '%s'",
                                relation == NULL ? "" : relation);
    }
    weir_binder_expand_star(binder, star, &state->scope, chosen);
    return WEIR_OK;
}

static const char *item_name(weir_binder *binder, const weir_ast_item *item, int32_t index)
{
    if (item->alias.text != NULL) {
        return weir_arena_strdup(binder->arena, item->alias.text);
    }
    if (item->expression->kind == WEIR_AST_COLUMN) {
        return weir_arena_strdup(binder->arena, item->expression->name.parts[item->expression->name.count - 1].text);
    }
    return weir_arena_format(binder->arena, "EXPR$%d", index);
}

static int bind_items(weir_binder *binder, select_state *state)
{
    const weir_ast_select *select = state->select;
    for (int32_t i = 0; i < select->item_count; i++) {
        const weir_ast_item *item = &select->items[i];
        if (item->expression->kind == WEIR_AST_STAR) {
            WEIR_TRY(expand_star(binder, state, item->expression));
            continue;
        }
        weir_expression *expression;
        WEIR_TRY(weir_bind_expression(binder, item->expression, &expression));
        add_item(binder, state, expression, item_name(binder, item, i));
    }
    state->visible = state->count;
    return WEIR_OK;
}

/* --- ORDER BY -------------------------------------------------------------------------------------------------- */

/* The item that a sort key names: by number, by alias or column name, or by being the same expression. -1: none. */
static int find_item(weir_binder *binder, const select_state *state, const weir_ast_expression *key, int32_t *out)
{
    *out = -1;
    if (key->kind == WEIR_AST_NUMBER) {
        int64_t ordinal;
        bool valid =
            weir_parse_int64(weir_slice_text(key->text), &ordinal) && ordinal >= 1 && ordinal <= state->visible;
        if (!valid) {
            return weir_binder_fail(binder, &key->position, "ORDER BY %s names no column; there are %d", key->text,
                                    state->visible);
        }
        *out = (int32_t)ordinal - 1;
        return WEIR_OK;
    }
    if (key->kind == WEIR_AST_COLUMN && key->name.count == 1) {
        for (int32_t i = 0; i < state->visible; i++) {
            if (strcmp(state->fields[i].name, key->name.parts[0].text) == 0) {
                *out = i;
                return WEIR_OK;
            }
        }
    }
    return WEIR_OK;
}

static int bind_sort_key(weir_binder *binder, select_state *state, const weir_ast_expression *key, int32_t *out)
{
    WEIR_TRY(find_item(binder, state, key, out));
    if (*out >= 0) {
        return WEIR_OK;
    }
    weir_expression *expression;
    WEIR_TRY(weir_bind_expression(binder, key, &expression));
    for (int32_t i = 0; i < state->count; i++) {
        if (weir_expression_equal(state->expressions[i], expression)) {
            *out = i;
            return WEIR_OK;
        }
    }
    if (state->select->distinct) {
        return weir_binder_fail(binder, &key->position, "with SELECT DISTINCT only selected columns can be sorted by");
    }
    *out = state->count;
    const weir_ast_item hidden = {.expression = (weir_ast_expression *)key};
    add_item(binder, state, expression, item_name(binder, &hidden, state->count));
    return WEIR_OK;
}

static int bind_order(weir_binder *binder, select_state *state, const weir_ast_query *query, int32_t **out)
{
    int32_t *keys = WEIR_NEW_ARRAY(binder->arena, int32_t, query->order_by.count + 1);
    for (int32_t i = 0; i < query->order_by.count; i++) {
        const weir_ast_expression *key = query->order_by.items[i].expression;
        WEIR_TRY(bind_sort_key(binder, state, key, &keys[i]));
        WEIR_TRY(weir_check_order(binder, &key->position, state->fields[keys[i]].type));
    }
    *out = keys;
    return WEIR_OK;
}

/* `keys`: which of the columns below the sort each key is. */
static int plan_sort(weir_binder *binder, const weir_ast_query *query, const int32_t *keys, weir_plan **plan)
{
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, query->order_by.count + 1);
    for (int32_t i = 0; i < query->order_by.count; i++) {
        expressions[i] = weir_expression_column(binder, keys[i], (*plan)->fields[keys[i]].type,
                                                &query->order_by.items[i].expression->position);
    }
    return weir_plan_order(binder, query, expressions, plan);
}

static int drop_hidden(weir_binder *binder, const select_state *state, weir_plan **plan)
{
    if (state->visible == state->count) {
        return WEIR_OK;
    }
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, state->visible);
    for (int32_t i = 0; i < state->visible; i++) {
        expressions[i] = weir_expression_column(binder, i, state->fields[i].type, &(*plan)->position);
    }
    *plan = weir_plan_project(binder, *plan, expressions, state->fields, state->visible);
    return WEIR_OK;
}

/* --- All of it ------------------------------------------------------------------------------------------------- */

static int refuse_qualify(weir_binder *binder, const weir_ast_select *select)
{
    return select->qualify == NULL
               ? WEIR_OK
               : weir_binder_fail(binder, &select->qualify->position,
                                  "Flink's SQL has no QUALIFY; give the OVER call a name in a subquery, and filter "
                                  "around that with WHERE");
}

static int bind_having(weir_binder *binder, const weir_ast_select *select, weir_bound_filter *out)
{
    if (select->having == NULL) {
        return WEIR_OK;
    }
    binder->clause = "HAVING";
    int code = weir_bind_filter(binder, select->having, "HAVING", out);
    binder->clause = NULL;
    return code;
}

/* A hint may say how long groups of the rows of one relation are kept. */
static void state_ttls(weir_binder *binder, const weir_ast_select *select, weir_plan *plan)
{
    const weir_ast_hints *around = binder->hints;
    binder->hints = &select->hints;
    plan->state_ttls_ms = weir_hinted_state_ttls(binder, select->from, NULL);
    binder->hints = around;
}

/* What stands between FROM … WHERE and the select list: groups, HAVING, subqueries, windows. */
static weir_plan *plan_groups_and_windows(weir_binder *binder, select_state *state, const weir_bound_filter *having)
{
    const weir_position *at = &state->select->position;
    join_below(binder, state);
    weir_plan *plan = state->plan;
    if (state->grouped) {
        plan = weir_plan_aggregate(binder, &state->grouping, at, plan);
        state_ttls(binder, state->select, plan);
    }
    if (state->select->having != NULL) {
        weir_plan_bound_filter(binder, having, &plan);
    }
    join_items(binder, state, &plan);
    if (state->windowing.call_count > 0) {
        for (int32_t i = 0; i < state->count; i++) {
            weir_place_window_columns(state->expressions[i], plan->field_count);
        }
        plan = weir_plan_window(binder, &state->windowing, at, plan);
    }
    return plan;
}

static int bind_select_inner(weir_binder *binder, const weir_ast_query *query, select_state *state, weir_plan **out)
{
    int32_t *keys;
    weir_bound_filter having;
    WEIR_TRY(refuse_qualify(binder, state->select));
    WEIR_TRY(bind_source(binder, state));
    WEIR_TRY(bind_grouping(binder, state, query));
    WEIR_TRY(bind_having(binder, state->select, &having));
    state->windowing.select = state->select;
    binder->windowing = &state->windowing;
    WEIR_TRY(bind_items(binder, state));
    WEIR_TRY(bind_order(binder, state, query, &keys));
    weir_plan *plan = plan_groups_and_windows(binder, state, &having);
    plan = weir_plan_project(binder, plan, state->expressions, state->fields, state->count);
    if (state->select->distinct) {
        plan = weir_plan_new(binder, WEIR_PLAN_DISTINCT, &state->select->position, plan);
    }
    WEIR_TRY(plan_sort(binder, query, keys, &plan));
    WEIR_TRY(drop_hidden(binder, state, &plan));
    *out = plan;
    return WEIR_OK;
}

int weir_bind_select(weir_binder *binder, const weir_ast_query *query, weir_plan **out)
{
    select_state state = {.select = query->select};
    const weir_scope *scope = binder->scope;
    weir_grouping *grouping = binder->grouping;
    weir_windowing *windowing = binder->windowing;
    weir_attachments *attachments = binder->attachments;
    binder->windowing = NULL;
    int code = bind_select_inner(binder, query, &state, out);
    binder->scope = scope;
    binder->grouping = grouping;
    binder->windowing = windowing;
    binder->attachments = attachments;
    return code;
}
