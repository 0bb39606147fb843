/* INSERT: columns, static partitions, and the casts that Flink adds by itself. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

static int fail_unknown(weir_binder *binder, const weir_ast_part *name)
{
    const weir_sql_table *sink = binder->bound->sink;
    const char **names = WEIR_NEW_ARRAY(binder->arena, const char *, sink->column_count + 1);
    for (int32_t i = 0; i < sink->column_count; i++) {
        names[i] = sink->columns[i].name;
        if (strcmp(names[i], name->text) == 0) {
            return weir_binder_fail(binder, &name->position, "column '%s' is computed and can't be inserted",
                                    name->text);
        }
    }
    const char *meant = weir_suggest(name->text, names, (size_t)sink->column_count);
    return weir_binder_fail(binder, &name->position, "table %s has no column '%s'%s%s%s", sink->name, name->text,
                            meant == NULL ? "" : "; did you mean '", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "'?");
}

static int find_column(weir_binder *binder, const weir_ast_part *name, int32_t *out)
{
    const weir_sql_table *sink = binder->bound->sink;
    for (int32_t i = 0; i < sink->column_count; i++) {
        if (strcmp(sink->columns[i].name, name->text) == 0 && weir_column_is_written(&sink->columns[i])) {
            *out = i;
            return WEIR_OK;
        }
    }
    return fail_unknown(binder, name);
}

/* --- PARTITION (k = v) ----------------------------------------------------------------------------------------- */

static bool is_partition_key(const weir_sql_table *sink, int32_t column)
{
    for (int32_t i = 0; i < sink->partition_key_count; i++) {
        if (sink->partition_keys[i] == column) {
            return true;
        }
    }
    return false;
}

/* sources[column] of static partition columns becomes their literal. */
static int bind_partition(weir_binder *binder, const weir_ast_insert *insert, weir_expression **sources)
{
    weir_bound *bound = binder->bound;
    bound->has_partition = insert->has_partition;
    bound->partition_columns = WEIR_NEW_ARRAY(binder->arena, int32_t, insert->partition_count + 1);
    bound->partition_values = WEIR_NEW_ARRAY(binder->arena, weir_literal, insert->partition_count + 1);
    for (int32_t i = 0; i < insert->partition_count; i++) {
        const weir_ast_part *name = &insert->partition_columns[i];
        int32_t column;
        WEIR_TRY(find_column(binder, name, &column));
        if (!is_partition_key(bound->sink, column)) {
            return weir_binder_fail(binder, &name->position, "column '%s' is no partition column of table %s",
                                    name->text, bound->sink->name);
        }
        if (sources[column] != NULL) {
            return weir_binder_fail(binder, &name->position, "column '%s' is given twice", name->text);
        }
        if (insert->partition_values[i] == NULL) {
            continue; /* a dynamic one: its value comes from the query */
        }
        WEIR_TRY(weir_binder_constant(binder, insert->partition_values[i], bound->sink->columns[column].type,
                                      &sources[column]));
        bound->partition_columns[bound->partition_count] = column;
        bound->partition_values[bound->partition_count++] = sources[column]->literal;
    }
    return WEIR_OK;
}

/* --- Columns --------------------------------------------------------------------------------------------------- */

/* The columns that the query's columns go to, in the query's order. */
static int find_targets(weir_binder *binder, const weir_ast_insert *insert, weir_expression **sources, int32_t **out,
                        int32_t *out_count)
{
    const weir_sql_table *sink = binder->bound->sink;
    int32_t *targets = WEIR_NEW_ARRAY(binder->arena, int32_t, sink->column_count + insert->columns.count + 1);
    bool *taken = WEIR_NEW_ARRAY(binder->arena, bool, sink->column_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < insert->columns.count; i++) {
        int32_t column;
        WEIR_TRY(find_column(binder, &insert->columns.items[i], &column));
        if (taken[column] || sources[column] != NULL) {
            return weir_binder_fail(binder, &insert->columns.items[i].position, "column '%s' is given twice",
                                    sink->columns[column].name);
        }
        taken[column] = true;
        targets[count++] = column;
    }
    for (int32_t i = 0; i < sink->column_count && !insert->has_columns; i++) {
        if (weir_column_is_written(&sink->columns[i]) && sources[i] == NULL) {
            targets[count++] = i;
        }
    }
    *out = targets;
    *out_count = count;
    return WEIR_OK;
}

static int fail_count(weir_binder *binder, const weir_ast_insert *insert, const weir_plan *plan, const int32_t *targets,
                      int32_t count)
{
    weir_buffer names = {0};
    for (int32_t i = 0; i < count && i < 12; i++) {
        weir_buffer_append_format(&names, "%s%s", i == 0 ? "" : ", ", binder->bound->sink->columns[targets[i]].name);
    }
    weir_binder_fail(binder, &insert->query->position, "table %s takes %d columns (%s%s), but the query gives %d",
                     binder->bound->sink->name, count, weir_buffer_text(&names), count > 12 ? ", …" : "",
                     plan->field_count);
    weir_buffer_free(&names);
    return WEIR_INVALID;
}

/* Where in the text the i-th column of a query is written, as far as that can be told. */
static const weir_position *place_of(const weir_ast_query *query, int32_t index)
{
    while (query->kind == WEIR_AST_NESTED || query->kind == WEIR_AST_SET_OPERATION) {
        query = query->left;
    }
    if (query->kind == WEIR_AST_VALUES && index < query->rows[0].count) {
        return &query->rows[0].items[index]->position;
    }
    if (query->kind == WEIR_AST_SELECT && index < query->select->item_count) {
        bool stars = false;
        for (int32_t i = 0; i <= index; i++) {
            stars = stars || query->select->items[i].expression->kind == WEIR_AST_STAR;
        }
        return stars ? &query->position : &query->select->items[index].expression->position;
    }
    return &query->position;
}

static int cast_to_target(weir_binder *binder, const weir_ast_insert *insert, const weir_plan *plan, int32_t index,
                          const weir_sql_column *target, weir_expression **out)
{
    const weir_type *from = plan->fields[index].type;
    const weir_position *place = place_of(insert->query, index);
    weir_cast_rule rule = weir_sql_cast_rule(from, target->type);
    if (rule != WEIR_CAST_IMPLICIT) {
        return weir_binder_fail(binder, place, "column '%s' of table %s is %s, but the query gives %s%s", target->name,
                                binder->bound->sink->name, weir_sql_type_text(binder->arena, target->type),
                                weir_sql_type_text(binder->arena, from),
                                rule == WEIR_CAST_EXPLICIT ? "; write a CAST" : "");
    }
    if (from->id == WEIR_NULL && !target->type->nullable) {
        return weir_binder_fail(binder, place, "column '%s' of table %s is NOT NULL, but NULL is inserted",
                                target->name, binder->bound->sink->name);
    }
    weir_expression *column = weir_expression_column(binder, index, from, place);
    return weir_binder_cast(binder, column, target->type, false, out);
}

/* The sink's written columns in order; what nobody gives is NULL. */
static int plan_insert(weir_binder *binder, const weir_ast_insert *insert, weir_plan *input, weir_expression **sources,
                       const int32_t *targets, int32_t target_count, weir_plan **out)
{
    weir_bound *bound = binder->bound;
    const weir_sql_table *sink = bound->sink;
    for (int32_t i = 0; i < target_count; i++) {
        WEIR_TRY(cast_to_target(binder, insert, input, i, &sink->columns[targets[i]], &sources[targets[i]]));
    }
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, sink->column_count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, sink->column_count + 1);
    bound->sink_columns = WEIR_NEW_ARRAY(binder->arena, int32_t, sink->column_count + 1);
    bound->assigned = WEIR_NEW_ARRAY(binder->arena, bool, sink->column_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < sink->column_count; i++) {
        const weir_sql_column *column = &sink->columns[i];
        if (!weir_column_is_written(column)) {
            continue;
        }
        if (sources[i] == NULL && !column->type->nullable) {
            return weir_binder_fail(binder, &insert->position, "column '%s' of table %s is NOT NULL and gets no value",
                                    column->name, sink->name);
        }
        bound->assigned[count] = sources[i] != NULL;
        expressions[count] =
            sources[i] != NULL ? sources[i] : weir_expression_null(binder, column->type, &insert->position);
        fields[count] = (weir_field){.id = -1, .name = column->name, .type = column->type};
        bound->sink_columns[count++] = i;
    }
    bound->sink_column_count = count;
    *out = weir_plan_project(binder, input, expressions, fields, count);
    return WEIR_OK;
}

static int bind_insert(weir_binder *binder, const weir_ast_insert *insert, weir_plan **out)
{
    const char *view;
    weir_bound *bound = binder->bound;
    WEIR_TRY(weir_bind_table(binder, &insert->table, &insert->hints, &bound->sink, &view));
    if (view != NULL) {
        return weir_binder_fail(binder, &insert->table.position, "%s is a view; rows go into tables",
                                insert->table.parts[insert->table.count - 1].text);
    }
    bound->overwrite = insert->overwrite;
    weir_expression **sources = WEIR_NEW_ARRAY(binder->arena, weir_expression *, bound->sink->column_count + 1);
    WEIR_TRY(bind_partition(binder, insert, sources));
    weir_plan *input;
    WEIR_TRY(weir_bind_plan(binder, insert->query, &input));
    int32_t *targets;
    int32_t count;
    WEIR_TRY(find_targets(binder, insert, sources, &targets, &count));
    if (count != input->field_count) {
        return fail_count(binder, insert, input, targets, count);
    }
    return plan_insert(binder, insert, input, sources, targets, count, out);
}

int weir_bind_insert(const weir_bind_context *context, const weir_ast_insert *insert, weir_bound **out, weir_error *err)
{
    weir_bound *bound = weir_bound_new(context);
    weir_binder binder = weir_binder_new(context, bound, err);
    weir_plan *plan;
    int code;
    WEIR_GO(bind_insert(&binder, insert, &plan));
    if (!context->streaming && bound->sink->primary_key_count > 0) {
        plan = weir_keep_order(&binder, plan);
    }
    weir_binder_finish(&binder, plan);
    *out = bound;
    bound = NULL;
done:
    weir_bound_free(bound);
    return code;
}
