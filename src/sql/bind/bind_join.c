/* Joins: two relations side by side, ON, USING and NATURAL. */
#include "sql/bind/subquery.h"

weir_plan *weir_plan_join(weir_binder *binder, weir_join_kind kind, const weir_position *at, weir_plan *left,
                          weir_plan *right, weir_expression *predicate)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_JOIN, at, NULL);
    bool both = weir_join_keeps_both(kind);
    plan->join = kind;
    plan->predicate = predicate;
    plan->inputs = WEIR_NEW_ARRAY(binder->arena, weir_plan *, 2);
    plan->inputs[0] = left;
    plan->inputs[1] = right;
    plan->input_count = 2;
    plan->field_count = left->field_count + (both ? right->field_count : 0);
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        bool first = i < left->field_count;
        bool padded = first ? kind == WEIR_JOIN_RIGHT || kind == WEIR_JOIN_FULL
                            : kind == WEIR_JOIN_LEFT || kind == WEIR_JOIN_FULL;
        plan->fields[i] = first ? left->fields[i] : right->fields[i - left->field_count];
        plan->fields[i].type =
            weir_binder_nullable(binder, plan->fields[i].type, plan->fields[i].type->nullable || padded);
    }
    return plan;
}

/* --- Scopes ---------------------------------------------------------------------------------------------------- */

static bool has_relation(const weir_scope *scope, const char *name)
{
    for (int32_t i = 0; i < scope->count; i++) {
        if (scope->columns[i].relation != NULL && strcmp(scope->columns[i].relation, name) == 0) {
            return true;
        }
    }
    return false;
}

static int fail_same_name(weir_binder *binder, const weir_ast_from *from, const char *relation)
{
    return weir_binder_fail(binder, &from->position,
                            "FROM has two relations called '%s'; give one of them another name: %s AS …", relation,
                            relation);
}

/* Two relations of one name could not be told apart. */
static int check_relations(weir_binder *binder, const weir_ast_from *join, const weir_scope *left,
                           const weir_scope *right)
{
    for (int32_t i = 0; i < right->count; i++) {
        const char *relation = right->columns[i].relation;
        if (relation != NULL && has_relation(left, relation)) {
            return fail_same_name(binder, join->right, relation);
        }
    }
    return WEIR_OK;
}

static weir_scope join_scopes(weir_binder *binder, const weir_scope *left, const weir_scope *right,
                              const weir_plan *plan)
{
    weir_scope scope = {0};
    for (int32_t i = 0; i < left->count + right->count; i++) {
        const weir_scope_column *column = i < left->count ? &left->columns[i] : &right->columns[i - left->count];
        weir_scope_add(binder, &scope, column->relation, column->name, plan->fields[i].type);
        scope.columns[i].hidden = column->hidden;
    }
    return scope;
}

/* --- USING and NATURAL ----------------------------------------------------------------------------------------- */

typedef struct common_columns {
    int32_t *left;
    int32_t *right; /* positions in the right scope */
    int32_t count;
} common_columns;

/* The one column of a name that can be seen; -1: none, -2: several. */
static int32_t find_visible(const weir_scope *scope, const char *name)
{
    int32_t found = -1;
    for (int32_t i = 0; i < scope->count; i++) {
        if (!scope->columns[i].hidden && strcmp(scope->columns[i].name, name) == 0) {
            found = found == -1 ? i : -2;
        }
    }
    return found;
}

static int find_using(weir_binder *binder, const weir_ast_part *name, const weir_scope *scope, const char *side,
                      int32_t *out)
{
    *out = find_visible(scope, name->text);
    if (*out == -1) {
        return weir_binder_fail(binder, &name->position, "USING (%s): the %s side has no column of this name",
                                name->text, side);
    }
    if (*out == -2) {
        return weir_binder_fail(binder, &name->position, "USING (%s): the %s side has several columns of this name",
                                name->text, side);
    }
    return WEIR_OK;
}

static int find_common(weir_binder *binder, const weir_ast_from *join, const weir_scope *left, const weir_scope *right,
                       common_columns *out)
{
    int32_t most = join->natural ? left->count : join->using.count;
    out->left = WEIR_NEW_ARRAY(binder->arena, int32_t, most + 1);
    out->right = WEIR_NEW_ARRAY(binder->arena, int32_t, most + 1);
    for (int32_t i = 0; !join->natural && i < join->using.count; i++) {
        WEIR_TRY(find_using(binder, &join->using.items[i], left, "left", &out->left[i]));
        WEIR_TRY(find_using(binder, &join->using.items[i], right, "right", &out->right[i]));
        out->count++;
    }
    for (int32_t i = 0; join->natural && i < left->count; i++) {
        int32_t place = left->columns[i].hidden ? -1 : find_visible(right, left->columns[i].name);
        if (place == -2 || (place >= 0 && find_visible(left, left->columns[i].name) == -2)) {
            return weir_binder_fail(binder, &join->position, "NATURAL JOIN: a side has several columns called '%s'",
                                    left->columns[i].name);
        }
        if (place >= 0) {
            out->left[out->count] = i;
            out->right[out->count++] = place;
        }
    }
    return WEIR_OK;
}

static int equate_common(weir_binder *binder, const weir_ast_from *join, const common_columns *common,
                         const weir_scope *left, const weir_scope *right, weir_expression **out)
{
    weir_expression *all = weir_expression_new(binder, WEIR_EXPRESSION_AND, NULL, &join->position, common->count);
    bool nullable = false;
    for (int32_t i = 0; i < common->count; i++) {
        const weir_position *at = join->natural ? &join->position : &join->using.items[i].position;
        weir_expression *a = weir_expression_column(binder, common->left[i], left->columns[common->left[i]].type, at);
        weir_expression *b =
            weir_expression_column(binder, left->count + common->right[i], right->columns[common->right[i]].type, at);
        WEIR_TRY(weir_bind_comparison(binder, WEIR_EXPRESSION_EQUAL, at, a, b, &all->arguments[i]));
        nullable = nullable || all->arguments[i]->type->nullable;
    }
    all->type = weir_binder_boolean(nullable);
    *out = common->count == 0 ? NULL : common->count == 1 ? all->arguments[0] : all;
    return WEIR_OK;
}

/* A common column once: the one that is not NULL. */
static int merge_column(weir_binder *binder, const weir_plan *plan, int32_t left, int32_t right, weir_expression **out)
{
    weir_expression *both[2] = {
        weir_expression_column(binder, left, plan->fields[left].type, &plan->position),
        weir_expression_column(binder, right, plan->fields[right].type, &plan->position),
    };
    if (plan->join != WEIR_JOIN_FULL) {
        *out = both[plan->join == WEIR_JOIN_RIGHT];
        return WEIR_OK;
    }
    const weir_type *type;
    WEIR_TRY(weir_binder_common(binder, &plan->position, "common columns", both, 2, &type));
    *out = weir_expression_two(binder, WEIR_EXPRESSION_COALESCE, type, &plan->position, both[0], both[1]);
    return WEIR_OK;
}

/* Common columns come first and stand for both; those of the sides can be seen by their tables' names only. */
static int merge_common(weir_binder *binder, const common_columns *common, int32_t split, weir_plan **plan,
                        weir_scope *scope)
{
    int32_t count = common->count + (*plan)->field_count;
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    weir_scope merged = {0};
    for (int32_t i = 0; i < common->count; i++) {
        const char *name = scope->columns[common->left[i]].name;
        WEIR_TRY(merge_column(binder, *plan, common->left[i], split + common->right[i], &expressions[i]));
        fields[i] = (weir_field){.id = -1, .name = name, .type = expressions[i]->type};
        weir_scope_add(binder, &merged, NULL, name, expressions[i]->type);
        scope->columns[common->left[i]].hidden = true;
        scope->columns[split + common->right[i]].hidden = true;
    }
    for (int32_t i = 0; i < (*plan)->field_count; i++) {
        expressions[common->count + i] = weir_expression_column(binder, i, (*plan)->fields[i].type, &(*plan)->position);
        fields[common->count + i] = (*plan)->fields[i];
        weir_scope_add(binder, &merged, scope->columns[i].relation, scope->columns[i].name, scope->columns[i].type);
        merged.columns[common->count + i].hidden = scope->columns[i].hidden;
    }
    *plan = weir_plan_project(binder, *plan, expressions, fields, count);
    *scope = merged;
    return WEIR_OK;
}

/* --- The join -------------------------------------------------------------------------------------------------- */

static weir_join_kind kind_of(weir_ast_join join)
{
    switch (join) {
    case WEIR_AST_JOIN_LEFT:
        return WEIR_JOIN_LEFT;
    case WEIR_AST_JOIN_RIGHT:
        return WEIR_JOIN_RIGHT;
    case WEIR_AST_JOIN_FULL:
        return WEIR_JOIN_FULL;
    default:
        return WEIR_JOIN_INNER;
    }
}

static weir_binder binder_of_on(const weir_binder *binder, const weir_scope *scope)
{
    weir_binder inner = *binder;
    inner.scope = scope;
    inner.grouping = NULL;
    inner.attachments = NULL;
    inner.clause = "ON";
    return inner;
}

/* ON of an inner join filters, so that subqueries can stand in it. */
static int filter_on(weir_binder *binder, const weir_ast_from *join, weir_plan **plan, const weir_scope *scope)
{
    weir_bound_filter filter;
    weir_binder inner = binder_of_on(binder, scope);
    int32_t width = (*plan)->field_count;
    WEIR_TRY(weir_bind_filter(&inner, join->condition, "ON", &filter));
    weir_plan_bound_filter(&inner, &filter, plan);
    if ((*plan)->field_count > width) { /* columns that its subqueries left */
        int32_t *columns = WEIR_NEW_ARRAY(binder->arena, int32_t, width + 1);
        for (int32_t i = 0; i < width; i++) {
            columns[i] = i;
        }
        *plan = weir_plan_columns(binder, *plan, columns, width);
    }
    return WEIR_OK;
}

static int bind_on(weir_binder *binder, const weir_ast_from *join, weir_plan **plan, const weir_scope *scope)
{
    if (join->condition == NULL) {
        return WEIR_OK;
    }
    if ((*plan)->join == WEIR_JOIN_INNER && weir_ast_has_subquery(join->condition)) {
        return filter_on(binder, join, plan, scope);
    }
    weir_binder inner = binder_of_on(binder, scope);
    return weir_bind_condition(&inner, join->condition, "ON", &(*plan)->predicate);
}

/* UNNEST and LATERAL read the left side row by row: there is no join of two relations. */
static int bind_dependent(weir_binder *binder, const weir_ast_from *join, weir_plan **plan, weir_scope *scope)
{
    const weir_ast_from *right = join->right;
    bool unnest = right->kind == WEIR_AST_FROM_UNNEST;
    const char *name = unnest ? "UNNEST" : "LATERAL";
    bool outer = join->join == WEIR_AST_JOIN_LEFT;
    const weir_ast_expression *condition = join->condition;
    bool always = condition == NULL || (condition->kind == WEIR_AST_BOOLEAN && condition->operation == 1);
    if (join->join == WEIR_AST_JOIN_RIGHT || join->join == WEIR_AST_JOIN_FULL || join->natural ||
        join->using.count > 0) {
        return weir_binder_fail(binder, &join->position, "%s joins by CROSS JOIN, or by LEFT JOIN … ON TRUE", name);
    }
    if (outer && !always) {
        return weir_binder_unsupported(
            binder, &condition->position,
            weir_arena_format(binder->arena, "LEFT JOIN %s on a condition other than TRUE", name));
    }
    WEIR_TRY(weir_bind_from(binder, join->left, plan, scope));
    if (right->alias.name != NULL && has_relation(scope, right->alias.name)) {
        return fail_same_name(binder, right, right->alias.name);
    }
    WEIR_TRY(unnest ? weir_bind_unnest(binder, right, outer, plan, scope)
                    : weir_bind_lateral(binder, right, outer, plan, scope));
    return always ? WEIR_OK : filter_on(binder, join, plan, scope);
}

static bool is_time_of_rows(const weir_binder *binder, const weir_type *type)
{
    return type->id == WEIR_TIMESTAMP_LTZ || (binder->context->streaming && type->id == WEIR_TIMESTAMP);
}

/* d FOR SYSTEM_TIME AS OF l.time: each row with what d holds when it is joined, or at the time of its event. Over
 * bounded data, which has no other time than that of the query, this is d as it is now; streams keep the time. */
static int bind_right(weir_binder *binder, const weir_ast_from *join, weir_scope *left_scope, weir_plan **out,
                      weir_scope *scope, weir_expression **out_as_of)
{
    weir_ast_from right = *join->right;
    *out_as_of = NULL;
    if (right.kind != WEIR_AST_FROM_TABLE || right.system_time == NULL || right.system_time->kind != WEIR_AST_COLUMN) {
        return weir_bind_from(binder, join->right, out, scope);
    }
    weir_expression *time;
    weir_binder inner = *binder;
    inner.scope = left_scope;
    inner.grouping = NULL;
    WEIR_TRY(weir_bind_expression(&inner, right.system_time, &time));
    if (!is_time_of_rows(binder, time->type)) {
        return weir_binder_unsupported(binder, &right.system_time->position,
                                       "FOR SYSTEM_TIME AS OF a column that is no processing time (PROCTIME())");
    }
    if (join->join == WEIR_AST_JOIN_RIGHT || join->join == WEIR_AST_JOIN_FULL) {
        return weir_binder_fail(binder, &join->position,
                                "a table FOR SYSTEM_TIME AS OF a column joins by JOIN or LEFT JOIN");
    }
    right.system_time = NULL;
    *out_as_of = time;
    return weir_bind_from(binder, &right, out, scope);
}

int weir_bind_join(weir_binder *binder, const weir_ast_from *join, weir_plan **out, weir_scope *scope)
{
    weir_plan *left;
    weir_plan *right;
    weir_scope left_scope = {0};
    weir_scope right_scope = {0};
    common_columns common = {0};
    weir_expression *predicate = NULL;
    weir_expression *as_of;
    if (join->right->kind == WEIR_AST_FROM_UNNEST ||
        (join->right->kind == WEIR_AST_FROM_QUERY && join->right->lateral)) {
        return bind_dependent(binder, join, out, scope);
    }
    WEIR_TRY(weir_bind_from(binder, join->left, &left, &left_scope));
    WEIR_TRY(bind_right(binder, join, &left_scope, &right, &right_scope, &as_of));
    WEIR_TRY(check_relations(binder, join, &left_scope, &right_scope));
    if (join->natural || join->using.count > 0) {
        WEIR_TRY(find_common(binder, join, &left_scope, &right_scope, &common));
        WEIR_TRY(equate_common(binder, join, &common, &left_scope, &right_scope, &predicate));
    }
    *out = weir_plan_join(binder, kind_of(join->join), &join->position, left, right, predicate);
    (*out)->as_of = binder->context->streaming ? as_of : NULL;
    (*out)->looks_up = as_of != NULL && !binder->context->streaming;
    (*out)->state_ttls_ms = as_of == NULL ? weir_hinted_state_ttls(binder, join->left, join->right) : NULL;
    *scope = join_scopes(binder, &left_scope, &right_scope, *out);
    WEIR_TRY(bind_on(binder, join, out, scope));
    return common.count == 0 ? WEIR_OK : merge_common(binder, &common, left_scope.count, out, scope);
}
