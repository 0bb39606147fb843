/* The binder's entrances: queries, DELETE and UPDATE, constants; what a bound statement owns. INSERT is in
 * bind_insert.c, CREATE TABLE in bind_create.c. */
#include "base/clock.h"
#include "sql/bind/binder_internal.h"
#include "sql/bind/subquery.h"

weir_bound *weir_bound_new(const weir_bind_context *context)
{
    weir_bound *bound = weir_alloc_zeroed(1, sizeof *bound);
    weir_arena_init(&bound->arena);
    const char *zone = context->time_zone == NULL ? "UTC" : context->time_zone;
    bound->time_zone = weir_arena_strdup(&bound->arena, zone);
    return bound;
}

weir_binder weir_binder_new(const weir_bind_context *context, weir_bound *bound, weir_error *err)
{
    return (weir_binder){.context = context,
                         .bound = bound,
                         .arena = &bound->arena,
                         .err = err,
                         .now_ms = context->now_ms != 0 ? context->now_ms : weir_now_ms()};
}

void weir_bound_free(weir_bound *bound)
{
    if (bound == NULL) {
        return;
    }
    for (int32_t i = 0; i < bound->table_count; i++) {
        if (bound->tables[i]->close != NULL) {
            bound->tables[i]->close(bound->tables[i]);
        }
    }
    weir_arena_free(&bound->arena);
    free(bound);
}

void weir_binder_finish(weir_binder *binder, weir_plan *plan)
{
    weir_bound *bound = binder->bound;
    plan = weir_collapse_values(binder, plan);
    plan = weir_move_filters(binder, plan);
    weir_push_down(&bound->arena, plan);
    weir_prune_columns(&bound->arena, plan);
    bound->plan = plan;
}

static bool is_taken(const weir_field *fields, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

void weir_bound_number_names(weir_bound *bound)
{
    weir_plan *plan = bound->plan;
    weir_field *fields = weir_arena_copy(&bound->arena, plan->fields, sizeof *fields * (size_t)plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        const char *name = fields[i].name;
        for (int32_t number = 0; is_taken(fields, i, fields[i].name); number++) {
            fields[i].name = weir_arena_format(&bound->arena, "%s%d", name, number);
        }
    }
    plan->fields = fields;
}

int weir_bind_query(const weir_bind_context *context, const weir_ast_query *query, weir_bound **out, weir_error *err)
{
    weir_bound *bound = weir_bound_new(context);
    weir_binder binder = weir_binder_new(context, bound, err);
    weir_plan *plan;
    int code = weir_bind_plan(&binder, query, &plan);
    if (code != WEIR_OK) {
        weir_bound_free(bound);
        return code;
    }
    weir_binder_finish(&binder, plan);
    *out = bound;
    return WEIR_OK;
}

/* --- DELETE and UPDATE ----------------------------------------------------------------------------------------- */

/* The scan of the table, filtered by WHERE; columns in scope under the table's name or alias. */
static int bind_target(weir_binder *binder, const weir_ast_modify *modify, weir_plan **plan, weir_scope *scope)
{
    const char *view;
    weir_bound *bound = binder->bound;
    WEIR_TRY(weir_bind_table(binder, &modify->table, &modify->hints, &bound->sink, &view));
    if (view != NULL) {
        return weir_binder_fail(binder, &modify->table.position, "a view can't be changed");
    }
    WEIR_TRY(weir_bind_scan(binder, bound->sink, &modify->table.position, plan));
    const char *relation =
        modify->alias.name != NULL ? modify->alias.name : modify->table.parts[modify->table.count - 1].text;
    *scope = weir_scope_of_fields(binder, relation, *plan);
    binder->scope = scope;
    bound->whole_table = modify->where == NULL;
    if (modify->where == NULL) {
        return WEIR_OK;
    }
    weir_bound_filter filter;
    binder->clause = "WHERE";
    WEIR_TRY(weir_bind_filter(binder, modify->where, "WHERE", &filter));
    binder->clause = NULL;
    weir_plan_bound_filter(binder, &filter, plan);
    return WEIR_OK;
}

static int find_sink_column(weir_binder *binder, const weir_ast_part *name, int32_t *out)
{
    const weir_sql_table *sink = binder->bound->sink;
    for (int32_t i = 0; i < sink->column_count; i++) {
        if (strcmp(sink->columns[i].name, name->text) == 0) {
            if (!weir_column_is_written(&sink->columns[i])) {
                return weir_binder_fail(binder, &name->position, "column '%s' is computed and can't be set",
                                        name->text);
            }
            *out = i;
            return WEIR_OK;
        }
    }
    weir_expression *ignored;
    weir_ast_name as_name = {.position = name->position, .parts = (weir_ast_part *)name, .count = 1};
    WEIR_TRY(weir_bind_name(binder, &as_name, &ignored)); /* says which one was meant */
    return weir_binder_fail(binder, &name->position, "column '%s' can't be set", name->text);
}

static int bind_new_value(weir_binder *binder, const weir_ast_expression *ast, const weir_sql_column *column,
                          weir_expression **out)
{
    weir_expression *value;
    WEIR_TRY(weir_bind_expression(binder, ast, &value));
    weir_cast_rule rule = weir_sql_cast_rule(value->type, column->type);
    if (rule != WEIR_CAST_IMPLICIT) {
        return weir_binder_fail(binder, &ast->position, "column '%s' is %s, but the value is %s%s", column->name,
                                weir_sql_type_text(binder->arena, column->type),
                                weir_sql_type_text(binder->arena, value->type),
                                rule == WEIR_CAST_EXPLICIT ? "; write a CAST" : "");
    }
    return weir_binder_cast(binder, value, column->type, false, out);
}

static bool is_key(const weir_sql_table *table, int32_t column)
{
    for (int32_t i = 0; i < table->primary_key_count; i++) {
        if (table->primary_key[i] == column) {
            return true;
        }
    }
    return false;
}

static int bind_assignments(weir_binder *binder, const weir_ast_modify *modify, const weir_ast_expression **values)
{
    const weir_sql_table *sink = binder->bound->sink;
    for (int32_t i = 0; i < modify->column_count; i++) {
        int32_t column;
        WEIR_TRY(find_sink_column(binder, &modify->columns[i], &column));
        if (values[column] != NULL) {
            return weir_binder_fail(binder, &modify->columns[i].position, "column '%s' is set twice",
                                    sink->columns[column].name);
        }
        if (is_key(sink, column)) {
            return weir_binder_fail(binder, &modify->columns[i].position,
                                    "column '%s' belongs to the primary key and can't be updated",
                                    sink->columns[column].name);
        }
        values[column] = modify->values[i];
    }
    return WEIR_OK;
}

/* All written columns of the target, with new values where they are set. */
static int plan_rows(weir_binder *binder, const weir_ast_modify *modify, weir_plan *input, weir_plan **out)
{
    weir_bound *bound = binder->bound;
    const weir_sql_table *sink = bound->sink;
    const weir_ast_expression **values =
        WEIR_NEW_ARRAY(binder->arena, const weir_ast_expression *, sink->column_count + 1);
    WEIR_TRY(bind_assignments(binder, modify, values));
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, sink->column_count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, sink->column_count + 1);
    bound->sink_columns = WEIR_NEW_ARRAY(binder->arena, int32_t, sink->column_count + 1);
    bound->assigned = WEIR_NEW_ARRAY(binder->arena, bool, sink->column_count + 1);
    int32_t count = 0;
    weir_attachments *subqueries = WEIR_NEW(binder->arena, weir_attachments);
    binder->attachments = subqueries;
    for (int32_t i = 0; i < sink->column_count; i++) {
        const weir_sql_column *column = &sink->columns[i];
        if (!weir_column_is_written(column)) {
            continue;
        }
        if (values[i] != NULL) {
            WEIR_TRY(bind_new_value(binder, values[i], column, &expressions[count]));
        } else {
            expressions[count] = weir_expression_column(binder, i, column->type, &modify->table.position);
        }
        fields[count] = (weir_field){.id = -1, .name = column->name, .type = column->type};
        bound->sink_columns[count] = i;
        bound->assigned[count] = values[i] != NULL;
        count++;
    }
    binder->attachments = NULL;
    bound->sink_column_count = count;
    weir_attachments_join(binder, subqueries, false, &input);
    for (int32_t i = 0; i < count; i++) {
        expressions[i] = weir_attachments_resolve(binder, subqueries, expressions[i]);
    }
    weir_attachments_join(binder, subqueries, true, &input);
    *out = weir_plan_project(binder, input, expressions, fields, count);
    return WEIR_OK;
}

static int bind_modify(const weir_bind_context *context, const weir_ast_modify *modify, weir_bound **out,
                       weir_error *err)
{
    weir_bound *bound = weir_bound_new(context);
    weir_binder binder = weir_binder_new(context, bound, err);
    weir_plan *input;
    weir_plan *plan;
    weir_scope scope;
    int code;
    WEIR_GO(bind_target(&binder, modify, &input, &scope));
    WEIR_GO(plan_rows(&binder, modify, input, &plan));
    weir_binder_finish(&binder, plan);
    const weir_plan *scan = weir_plan_row_wise_scan(plan);
    bound->pushed = scan != NULL ? scan->pushed : NULL;
    *out = bound;
    bound = NULL;
done:
    weir_bound_free(bound);
    return code;
}

int weir_bind_delete(const weir_bind_context *context, const weir_ast_modify *modify, weir_bound **out, weir_error *err)
{
    return bind_modify(context, modify, out, err);
}

int weir_bind_update(const weir_bind_context *context, const weir_ast_modify *modify, weir_bound **out, weir_error *err)
{
    return bind_modify(context, modify, out, err);
}

/* --- Constants ------------------------------------------------------------------------------------------------- */

int weir_binder_constant(weir_binder *binder, const weir_ast_expression *ast, const weir_type *type,
                         weir_expression **out)
{
    weir_expression *value;
    WEIR_TRY(weir_bind_expression(binder, ast, &value));
    if (type != NULL) {
        bool text = value->kind == WEIR_EXPRESSION_LITERAL && weir_type_is_text(value->type);
        bool fits = weir_sql_cast_rule(value->type, type) == WEIR_CAST_IMPLICIT ||
                    (text && weir_sql_cast_rule(value->type, type) == WEIR_CAST_EXPLICIT);
        if (!fits) {
            return weir_binder_fail(binder, &ast->position, "%s is expected here, but this is %s",
                                    weir_sql_type_text(binder->arena, type),
                                    weir_sql_type_text(binder->arena, value->type));
        }
        WEIR_TRY(weir_binder_cast(binder, value, type, false, &value));
    }
    weir_error reason = {0};
    value = weir_fold(binder, value, &reason);
    if (value->kind != WEIR_EXPRESSION_LITERAL) {
        return weir_binder_fail(binder, &ast->position, reason.code != WEIR_OK ? "%s" : "a constant is expected here%s",
                                reason.code != WEIR_OK ? reason.message : "");
    }
    *out = value;
    return WEIR_OK;
}

int weir_bind_constant(const weir_bind_context *context, const weir_ast_expression *expression, const weir_type *type,
                       weir_arena *arena, const weir_type **out_type, weir_literal *out, weir_error *err)
{
    weir_bound *bound = weir_bound_new(context);
    weir_binder binder = weir_binder_new(context, bound, err);
    weir_expression *value;
    int code;
    WEIR_GO(weir_binder_constant(&binder, expression, type, &value));
    const weir_type *kept = type;
    if (kept == NULL) {
        if (weir_type_is_interval(value->type)) {
            WEIR_GO(weir_binder_unsupported(&binder, &expression->position, "an INTERVAL as an argument"));
        }
        kept = weir_type_copy(arena, value->type);
    }
    *out = value->literal.is_null ? value->literal : weir_literal_copy(arena, kept, &value->literal);
    *out_type = kept;
done:
    weir_bound_free(bound);
    return code;
}
