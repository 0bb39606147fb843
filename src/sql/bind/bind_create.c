/* CREATE TABLE: the columns that a table will have. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

/* The text of an expression of the statement, or (`kept`) of one that was there before it. */
static const char *quote_source(weir_arena *arena, const char *text, const weir_position *position, const char *kept)
{
    return kept != NULL ? weir_arena_strdup(arena, kept)
                        : weir_arena_strndup(arena, text + position->begin, position->end - position->begin);
}

/* Binds such an expression. One that was there before is no part of the statement's text: an error stands at `place`,
 * and quotes it. */
static int bind_source(weir_binder *binder, const weir_ast_expression *ast, const char *kept,
                       const weir_position *place, const char *what, weir_expression **out)
{
    weir_error reason = {0};
    weir_binder inner = *binder;
    if (kept == NULL) {
        return weir_bind_expression(binder, ast, out);
    }
    inner.err = &reason;
    int code = weir_bind_expression(&inner, ast, out);
    if (code != WEIR_OK) {
        return weir_fail_at(binder->err, code, place->line, place->column, "%s AS %s: %s", what, kept, reason.message);
    }
    return WEIR_OK;
}

int32_t weir_bound_columns_find(const weir_bound_columns *columns, const char *name)
{
    for (int32_t i = 0; i < columns->column_count; i++) {
        if (strcmp(columns->columns[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int fail_unknown(weir_binder *binder, const weir_bound_columns *columns, const weir_ast_part *name,
                        const char *where)
{
    const char **names = WEIR_NEW_ARRAY(binder->arena, const char *, columns->column_count + 1);
    for (int32_t i = 0; i < columns->column_count; i++) {
        names[i] = columns->columns[i].name;
    }
    const char *meant = weir_suggest(name->text, names, (size_t)columns->column_count);
    return weir_binder_fail(binder, &name->position, "%s names '%s', which is no column of the table%s%s%s", where,
                            name->text, meant == NULL ? "" : "; did you mean '", meant == NULL ? "" : meant,
                            meant == NULL ? "" : "'?");
}

/* --- Columns --------------------------------------------------------------------------------------------------- */

static int add_column(weir_binder *binder, const weir_ast_column *ast, weir_arena *arena, weir_bound_columns *out)
{
    if (weir_bound_columns_find(out, ast->name.text) >= 0) {
        return weir_binder_fail(binder, &ast->name.position, "column '%s' is defined twice", ast->name.text);
    }
    if (ast->kind != WEIR_AST_COMPUTED_COLUMN && weir_type_is_interval(ast->type)) {
        return weir_binder_fail(binder, &ast->type_position, "a table can't store intervals; use BIGINT milliseconds");
    }
    if (ast->type != NULL && weir_type_is_too_deep(ast->type)) {
        return weir_binder_fail(binder, &ast->type_position,
                                "the type of column '%s' is nested more than %d deep; a table can't store it",
                                ast->name.text, WEIR_MAX_TYPE_DEPTH);
    }
    weir_sql_column column = {.name = weir_arena_strdup(arena, ast->name.text),
                              .comment = ast->comment == NULL ? NULL : weir_arena_strdup(arena, ast->comment),
                              .is_virtual = ast->is_virtual};
    if (ast->kind == WEIR_AST_METADATA_COLUMN) {
        column.kind = WEIR_SQL_METADATA_COLUMN;
        column.expression = ast->metadata_key == NULL ? column.name : weir_arena_strdup(arena, ast->metadata_key);
    } else if (ast->kind == WEIR_AST_COMPUTED_COLUMN) {
        column.kind = WEIR_SQL_COMPUTED_COLUMN;
    }
    if (ast->type != NULL) {
        column.type = weir_type_copy(arena, ast->type);
    }
    out->columns[out->column_count++] = column;
    return WEIR_OK;
}

/* Computed columns see all that are not computed. */
static int type_computed(weir_binder *binder, const weir_ast_create_table *create, const char *text, weir_arena *arena,
                         weir_bound_columns *out)
{
    weir_scope scope = {0};
    const char *relation = create->name.parts[create->name.count - 1].text;
    for (int32_t i = 0; i < out->column_count; i++) {
        if (out->columns[i].kind != WEIR_SQL_COMPUTED_COLUMN) {
            weir_scope_add(binder, &scope, relation, out->columns[i].name, out->columns[i].type);
        }
    }
    binder->scope = &scope;
    binder->clause = "a computed column";
    for (int32_t i = 0; i < out->column_count; i++) {
        if (out->columns[i].kind != WEIR_SQL_COMPUTED_COLUMN) {
            continue;
        }
        const weir_ast_column *ast = &create->columns[i];
        const char *what = weir_arena_format(binder->arena, "computed column '%s'", ast->name.text);
        weir_expression *expression;
        WEIR_TRY(bind_source(binder, ast->expression, ast->expression_text, &ast->name.position, what, &expression));
        WEIR_TRY(weir_binder_typed(binder, expression));
        if (weir_type_is_interval(expression->type)) {
            return weir_binder_fail(binder, &expression->position, "a column can't hold an interval");
        }
        out->columns[i].type = weir_type_copy(arena, expression->type);
        out->columns[i].expression = quote_source(arena, text, &ast->expression->position, ast->expression_text);
    }
    binder->clause = NULL;
    return WEIR_OK;
}

/* --- Keys, partitions, watermark ------------------------------------------------------------------------------- */

static int find_names(weir_binder *binder, const weir_ast_names *names, const char *where,
                      const weir_bound_columns *columns, weir_arena *arena, int32_t **out, int32_t *out_count)
{
    int32_t *positions = WEIR_NEW_ARRAY(arena, int32_t, names->count + 1);
    for (int32_t i = 0; i < names->count; i++) {
        const weir_ast_part *name = &names->items[i];
        int position = weir_bound_columns_find(columns, name->text);
        if (position < 0) {
            return fail_unknown(binder, columns, name, where);
        }
        if (columns->columns[position].kind != WEIR_SQL_PHYSICAL_COLUMN) {
            return weir_binder_fail(binder, &name->position, "%s names '%s', which is not stored in the table", where,
                                    name->text);
        }
        if (weir_type_is_nested(columns->columns[position].type)) {
            return weir_binder_fail(binder, &name->position,
                                    "%s names '%s', which is %s; nested types are not allowed there", where, name->text,
                                    weir_sql_type_text(binder->arena, columns->columns[position].type));
        }
        for (int32_t j = 0; j < i; j++) {
            if (positions[j] == position) {
                return weir_binder_fail(binder, &name->position, "%s names '%s' twice", where, name->text);
            }
        }
        positions[i] = position;
    }
    *out = positions;
    *out_count = names->count;
    return WEIR_OK;
}

/* What belongs to the key is not NULL. */
static void make_key_not_null(weir_arena *arena, weir_bound_columns *out)
{
    for (int32_t i = 0; i < out->primary_key_count; i++) {
        weir_sql_column *column = &out->columns[out->primary_key[i]];
        column->type = weir_type_nullable(arena, column->type, false);
    }
}

static int bind_watermark(weir_binder *binder, const weir_ast_create_table *create, const char *text, weir_arena *arena,
                          weir_bound_columns *out)
{
    const weir_ast_watermark *watermark = create->watermark;
    out->watermark_column = -1;
    if (watermark == NULL) {
        return WEIR_OK;
    }
    const weir_ast_part *name = &watermark->column.parts[watermark->column.count - 1];
    int position = weir_bound_columns_find(out, name->text);
    if (position < 0) {
        return fail_unknown(binder, out, name, "WATERMARK");
    }
    const weir_type *type = out->columns[position].type;
    if (!weir_type_is_timestamp(type) || type->precision > 3) {
        return weir_binder_fail(binder, &name->position,
                                "the time column '%s' of WATERMARK is %s; it must be TIMESTAMP(3) or TIMESTAMP_LTZ(3)",
                                name->text, weir_sql_type_text(binder->arena, type));
    }
    weir_scope scope = {0};
    for (int32_t i = 0; i < out->column_count; i++) {
        weir_scope_add(binder, &scope, NULL, out->columns[i].name, out->columns[i].type);
    }
    binder->scope = &scope;
    binder->clause = "WATERMARK";
    weir_expression *expression;
    WEIR_TRY(bind_source(binder, watermark->expression, watermark->expression_text, &watermark->position, "WATERMARK",
                         &expression));
    if (expression->type->id != type->id) {
        return weir_binder_fail(
            binder, &watermark->expression->position, "the watermark is %s, but the time column is %s",
            weir_sql_type_text(binder->arena, expression->type), weir_sql_type_text(binder->arena, type));
    }
    out->watermark_column = position;
    out->watermark_expression = quote_source(arena, text, &watermark->expression->position, watermark->expression_text);
    return WEIR_OK;
}

static int bind_columns(weir_binder *binder, const weir_ast_create_table *create, const char *text, weir_arena *arena,
                        weir_bound_columns *out)
{
    out->columns = WEIR_NEW_ARRAY(arena, weir_sql_column, create->column_count + 1);
    for (int32_t i = 0; i < create->column_count; i++) {
        WEIR_TRY(add_column(binder, &create->columns[i], arena, out));
    }
    WEIR_TRY(find_names(binder, &create->primary_key, "the PRIMARY KEY", out, arena, &out->primary_key,
                        &out->primary_key_count));
    WEIR_TRY(find_names(binder, &create->partitioned_by, "PARTITIONED BY", out, arena, &out->partition_keys,
                        &out->partition_key_count));
    make_key_not_null(arena, out);
    WEIR_TRY(type_computed(binder, create, text, arena, out));
    return bind_watermark(binder, create, text, arena, out);
}

int weir_bind_create_table(const weir_bind_context *context, const weir_ast_create_table *create, const char *text,
                           weir_arena *arena, weir_bound_columns *out, weir_error *err)
{
    weir_bound *bound = weir_bound_new(context);
    weir_binder binder = weir_binder_new(context, bound, err);
    weir_bound_columns columns = {0};
    int code = bind_columns(&binder, create, text, arena, &columns);
    weir_bound_free(bound);
    if (code == WEIR_OK) {
        *out = columns;
    }
    return code;
}
