/* FROM: tables by name, hints, computed columns, queries in parentheses, WITH. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"
#include "sql/parser.h"

/* --- Scopes and plan nodes ------------------------------------------------------------------------------------- */

void weir_scope_add(weir_binder *binder, weir_scope *scope, const char *relation, const char *name,
                    const weir_type *type)
{
    bool full = (scope->count & (scope->count - 1)) == 0;
    if (full) {
        weir_scope_column *grown =
            WEIR_NEW_ARRAY(binder->arena, weir_scope_column, scope->count == 0 ? 1 : scope->count * 2);
        if (scope->count > 0) {
            memcpy(grown, scope->columns, sizeof *grown * (size_t)scope->count);
        }
        scope->columns = grown;
    }
    scope->columns[scope->count++] = (weir_scope_column){.relation = relation, .name = name, .type = type};
}

weir_scope weir_scope_of_fields(weir_binder *binder, const char *relation, const weir_plan *plan)
{
    weir_scope scope = {0};
    for (int32_t i = 0; i < plan->field_count; i++) {
        weir_scope_add(binder, &scope, relation, plan->fields[i].name, plan->fields[i].type);
    }
    return scope;
}

weir_plan *weir_plan_new(weir_binder *binder, weir_plan_kind kind, const weir_position *at, weir_plan *input)
{
    weir_plan *plan = WEIR_NEW(binder->arena, weir_plan);
    plan->kind = kind;
    plan->position = *at;
    plan->scan_limit = -1;
    plan->limit = -1;
    if (input != NULL) {
        plan->inputs = WEIR_NEW(binder->arena, weir_plan *);
        plan->inputs[0] = input;
        plan->input_count = 1;
        plan->fields = input->fields;
        plan->field_count = input->field_count;
    }
    return plan;
}

weir_plan *weir_plan_project(weir_binder *binder, weir_plan *input, weir_expression **expressions, weir_field *fields,
                             int32_t count)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_PROJECT, &input->position, input);
    plan->expressions = expressions;
    plan->expression_count = count;
    plan->fields = fields;
    plan->field_count = count;
    return plan;
}

weir_plan *weir_plan_filter(weir_binder *binder, weir_plan *input, weir_expression *predicate)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_FILTER, &predicate->position, input);
    plan->predicate = predicate;
    return plan;
}

/* --- Tables ---------------------------------------------------------------------------------------------------- */

/* The pairs of all OPTIONS hints, a later one winning over an earlier one of the same key. */
static weir_ast_options hint_options(weir_binder *binder, const weir_ast_hints *hints)
{
    int32_t most = 0;
    for (int32_t i = 0; i < hints->count; i++) {
        most += hints->items[i].options.count;
    }
    weir_ast_options all = {.items = WEIR_NEW_ARRAY(binder->arena, weir_ast_option, most + 1)};
    for (int32_t i = 0; i < hints->count; i++) {
        if (strcmp(hints->items[i].name, "OPTIONS") != 0) {
            continue;
        }
        for (int32_t j = 0; j < hints->items[i].options.count; j++) {
            const weir_ast_option *option = &hints->items[i].options.items[j];
            int32_t place = 0;
            while (place < all.count && strcmp(all.items[place].key, option->key) != 0) {
                place++;
            }
            all.items[place] = *option;
            all.count += place == all.count;
        }
    }
    return all;
}

static void keep_table(weir_binder *binder, weir_sql_table *table)
{
    weir_bound *bound = binder->bound;
    weir_sql_table **grown = WEIR_NEW_ARRAY(binder->arena, weir_sql_table *, bound->table_count + 1);
    if (bound->table_count > 0) {
        memcpy(grown, bound->tables, sizeof *grown * (size_t)bound->table_count);
    }
    grown[bound->table_count++] = table;
    bound->tables = grown;
}

int weir_bind_table(weir_binder *binder, const weir_ast_name *name, const weir_ast_hints *hints, weir_sql_table **out,
                    const char **out_view)
{
    WEIR_TRY(weir_check_table_hints(binder, hints));
    weir_ast_options options = hint_options(binder, hints);
    weir_resolver *resolver = binder->context->resolver;
    weir_sql_table *table = NULL;
    *out_view = NULL;
    if (resolver == NULL) {
        return weir_binder_fail(binder, &name->position, "there are no tables here");
    }
    int code = resolver->resolve(resolver, name, &options, binder->arena, &table, out_view, binder->err);
    if (code != WEIR_OK) {
        if (binder->err != NULL && binder->err->line == 0) {
            binder->err->line = name->position.line;
            binder->err->column = name->position.column;
        }
        return code;
    }
    weir_binder_expand_name(binder, name);
    if (*out_view == NULL) {
        keep_table(binder, table);
    }
    *out = table;
    return WEIR_OK;
}

/* An expression of the table's definition over the columns of `scope`, as a value of `type`. `what` names it in errors.
 */
static int bind_definition(weir_binder *binder, const char *text, const char *what, const weir_type *type,
                           const weir_scope *scope, const weir_position *at, weir_expression **out)
{
    weir_ast_expression *ast;
    weir_error reason = {0};
    int code = weir_parse_expression(text, binder->arena, &ast, &reason);
    weir_binder inner = *binder;
    inner.scope = scope;
    inner.grouping = NULL;
    inner.err = &reason;
    inner.clause = "the definition of a table";
    if (code == WEIR_OK) {
        code = weir_bind_expression(&inner, ast, out);
    }
    if (code == WEIR_OK && !weir_sql_type_equal((*out)->type, type, true)) {
        code = weir_binder_cast(&inner, *out, type, false, out);
    }
    if (code != WEIR_OK) {
        return weir_fail_at(binder->err, reason.code, at->line, at->column, "%s AS %s: %s", what, text, reason.message);
    }
    return WEIR_OK;
}

/* A computed column's expression over the table's read columns, which the scope lists by their plan positions. */
static int bind_computed(weir_binder *binder, const weir_sql_column *column, const weir_scope *scope,
                         const weir_position *at, weir_expression **out)
{
    const char *what = weir_arena_format(binder->arena, "computed column '%s'", column->name);
    return bind_definition(binder, column->expression, what, column->type, scope, at, out);
}

/* In a stream the time of events carries its watermarks from where the table has computed it. */
static int bind_watermark(weir_binder *binder, const weir_sql_table *table, const weir_position *at, weir_plan **plan)
{
    int32_t column = table->watermark_column;
    if (!binder->context->streaming || column < 0 || table->watermark_expression == NULL) {
        return WEIR_OK;
    }
    weir_plan *node = weir_plan_new(binder, WEIR_PLAN_WATERMARK, at, *plan);
    weir_scope scope = weir_scope_of_fields(binder, NULL, *plan);
    const char *what = weir_arena_format(binder->arena, "WATERMARK FOR %s", table->columns[column].name);
    node->time_column = column;
    node->expression_count = 1;
    node->expressions = WEIR_NEW(binder->arena, weir_expression *);
    WEIR_TRY(bind_definition(binder, table->watermark_expression, what,
                             weir_binder_nullable(binder, table->columns[column].type, true), &scope, at,
                             &node->expressions[0]));
    *plan = node;
    return WEIR_OK;
}

static weir_plan *new_scan(weir_binder *binder, weir_sql_table *table, const weir_position *at)
{
    weir_plan *scan = weir_plan_new(binder, WEIR_PLAN_SCAN, at, NULL);
    scan->table = table;
    scan->columns = WEIR_NEW_ARRAY(binder->arena, int32_t, table->column_count + 1);
    scan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, table->column_count + 1);
    for (int32_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].kind != WEIR_SQL_COMPUTED_COLUMN) {
            scan->columns[scan->field_count] = i;
            scan->fields[scan->field_count++] =
                (weir_field){.id = -1, .name = table->columns[i].name, .type = table->columns[i].type};
        }
    }
    scan->scan_index = binder->bound->scan_count++;
    return scan;
}

int weir_bind_scan(weir_binder *binder, weir_sql_table *table, const weir_position *at, weir_plan **out)
{
    if (table->open == NULL && (table->open_stream == NULL || !binder->context->streaming)) {
        return weir_binder_fail(binder, at, "table %s can only be written, not read", table->name);
    }
    weir_plan *scan = new_scan(binder, table, at);
    *out = scan;
    if (scan->field_count == table->column_count) {
        return bind_watermark(binder, table, at, out);
    }
    weir_scope read = weir_scope_of_fields(binder, NULL, scan);
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, table->column_count);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, table->column_count);
    int32_t position = 0;
    for (int32_t i = 0; i < table->column_count; i++) {
        const weir_sql_column *column = &table->columns[i];
        if (column->kind == WEIR_SQL_COMPUTED_COLUMN) {
            WEIR_TRY(bind_computed(binder, column, &read, at, &expressions[i]));
        } else {
            expressions[i] = weir_expression_column(binder, position++, column->type, at);
        }
        fields[i] = (weir_field){.id = -1, .name = column->name, .type = expressions[i]->type};
    }
    *out = weir_plan_project(binder, scan, expressions, fields, table->column_count);
    return bind_watermark(binder, table, at, out);
}

/* --- Names of WITH, and views ---------------------------------------------------------------------------------- */

int weir_rename_columns(weir_binder *binder, const weir_ast_names *names, weir_plan *plan)
{
    if (names->count == 0) {
        return WEIR_OK;
    }
    if (names->count != plan->field_count) {
        return weir_binder_fail(binder, &names->items[0].position, "%d column names for a query of %d columns",
                                names->count, plan->field_count);
    }
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        fields[i] = plan->fields[i];
        fields[i].name = weir_arena_strdup(binder->arena, names->items[i].text);
    }
    plan->fields = fields;
    return WEIR_OK;
}

int weir_bind_nested(weir_binder *binder, const weir_ast_query *query, weir_cte_scope *ctes, const weir_binder *outer,
                     weir_plan **out)
{
    if (binder->depth > 500) {
        return weir_binder_fail(binder, &query->position, "queries are nested too deeply, or a view refers to itself");
    }
    weir_binder inner = *binder;
    inner.scope = NULL;
    inner.grouping = NULL;
    inner.windowing = NULL;
    inner.clause = NULL;
    inner.attachments = NULL;
    inner.ctes = ctes;
    inner.outer = outer;
    inner.depth += 20;
    return weir_bind_plan(&inner, query, out);
}

static weir_cte_scope *find_cte(weir_binder *binder, const weir_ast_name *name)
{
    for (weir_cte_scope *scope = binder->ctes; scope != NULL && name->count == 1; scope = scope->outer) {
        if (strcmp(scope->cte->name.text, name->parts[0].text) == 0) {
            return scope;
        }
    }
    return NULL;
}

static int bind_view(weir_binder *binder, const char *text, const weir_ast_name *name, weir_plan **out)
{
    weir_ast_query *query;
    weir_error reason = {0};
    weir_binder inner = *binder;
    weir_bind_context context = *binder->context;
    context.expansions = NULL; /* the view's text is another one */
    inner.context = &context;
    inner.err = &reason;
    int code = weir_parse_query(text, binder->arena, &query, &reason);
    if (code == WEIR_OK) {
        code = weir_bind_nested(&inner, query, NULL, NULL, out);
    }
    if (code != WEIR_OK) {
        return weir_fail_at(binder->err, reason.code, name->position.line, name->position.column, "view %s: %s",
                            name->parts[name->count - 1].text, reason.message);
    }
    return WEIR_OK;
}

static int bind_named(weir_binder *binder, const weir_ast_from *from, weir_plan **out)
{
    weir_cte_scope *cte = find_cte(binder, &from->name);
    weir_ast_hints hints = from->hints;
    if (from->system_time != NULL) {
        WEIR_TRY(weir_bind_system_time(binder, from, &hints));
    }
    if (cte != NULL && from->system_time != NULL) {
        return weir_binder_fail(binder, &from->name.position,
                                "FOR SYSTEM_TIME AS OF reads older states of tables, and '%s' is a query of WITH",
                                cte->cte->name.text);
    }
    if (cte != NULL) {
        WEIR_TRY(weir_bind_nested(binder, cte->cte->query, cte->outer, NULL, out));
        return weir_rename_columns(binder, &cte->cte->columns, *out);
    }
    weir_sql_table *table;
    const char *view;
    WEIR_TRY(weir_bind_table(binder, &from->name, &hints, &table, &view));
    if (view != NULL && from->system_time != NULL) {
        return weir_binder_fail(binder, &from->name.position,
                                "FOR SYSTEM_TIME AS OF reads older states of tables, and '%s' is a view",
                                from->name.parts[from->name.count - 1].text);
    }
    return view != NULL ? bind_view(binder, view, &from->name, out)
                        : weir_bind_scan(binder, table, &from->name.position, out);
}

/* --- FROM ------------------------------------------------------------------------------------------------------ */

/* UNNEST with nothing before it: over one row without columns. */
static int bind_first_unnest(weir_binder *binder, const weir_ast_from *from, weir_plan **out, weir_scope *scope)
{
    *scope = (weir_scope){0};
    *out = weir_plan_new(binder, WEIR_PLAN_VALUES, &from->position, NULL);
    (*out)->row_count = 1;
    (*out)->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1);
    return weir_bind_unnest(binder, from, false, out, scope);
}

int weir_bind_from(weir_binder *binder, const weir_ast_from *from, weir_plan **out, weir_scope *scope)
{
    if (from->sample != NULL) {
        return weir_binder_unsupported(binder, &from->position, "TABLESAMPLE");
    }
    if (from->kind == WEIR_AST_FROM_JOIN) {
        return weir_bind_join(binder, from, out, scope);
    }
    const char *relation = from->alias.name;
    if (from->kind == WEIR_AST_FROM_TABLE) {
        WEIR_TRY(bind_named(binder, from, out));
        relation = relation == NULL ? from->name.parts[from->name.count - 1].text : relation;
    } else if (from->kind == WEIR_AST_FROM_QUERY) {
        WEIR_TRY(weir_bind_nested(binder, from->query, binder->ctes, binder->outer, out));
    } else if (from->kind == WEIR_AST_FROM_FUNCTION) {
        WEIR_TRY(weir_bind_window_table(binder, from, out));
    } else if (from->kind == WEIR_AST_FROM_UNNEST) {
        return bind_first_unnest(binder, from, out, scope);
    } else {
        return weir_binder_unsupported(binder, &from->position, "MATCH_RECOGNIZE");
    }
    WEIR_TRY(weir_rename_columns(binder, &from->alias.columns, *out));
    *scope = weir_scope_of_fields(binder, relation, *out);
    return WEIR_OK;
}
