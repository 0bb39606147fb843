/* Definitions of tables as drafts of CREATE TABLE. */
#include "session/catalog/table_draft.h"

#include "sql/parser.h"

static weir_ast_names names_at(const weir_bound_columns *columns, const int32_t *positions, int32_t count,
                               weir_position position, weir_arena *arena)
{
    weir_ast_names names = {.items = WEIR_NEW_ARRAY(arena, weir_ast_part, count + 1), .count = count};
    for (int32_t i = 0; i < count; i++) {
        names.items[i] = (weir_ast_part){.position = position, .text = columns->columns[positions[i]].name};
    }
    return names;
}

static int draft_column(const weir_sql_column *column, weir_position position, weir_arena *arena, weir_ast_column *out,
                        weir_error *err)
{
    static const weir_ast_column_kind kinds[] = {
        [WEIR_SQL_PHYSICAL_COLUMN] = WEIR_AST_PHYSICAL_COLUMN,
        [WEIR_SQL_METADATA_COLUMN] = WEIR_AST_METADATA_COLUMN,
        [WEIR_SQL_COMPUTED_COLUMN] = WEIR_AST_COMPUTED_COLUMN,
    };
    *out = (weir_ast_column){
        .kind = kinds[column->kind],
        .name = {.position = position, .text = column->name},
        .type_position = position,
        .comment = column->comment,
        .is_virtual = column->is_virtual,
    };
    if (column->kind == WEIR_SQL_COMPUTED_COLUMN) {
        out->expression_text = column->expression;
        return weir_parse_expression(column->expression, arena, &out->expression, err);
    }
    out->type = column->type;
    out->metadata_key = column->kind == WEIR_SQL_METADATA_COLUMN ? column->expression : NULL;
    return WEIR_OK;
}

static int draft_watermark(const weir_bound_columns *columns, weir_position position, weir_arena *arena,
                           weir_ast_watermark **out, weir_error *err)
{
    weir_ast_watermark *watermark = WEIR_NEW(arena, weir_ast_watermark);
    weir_ast_part *part = WEIR_NEW(arena, weir_ast_part);
    *part = (weir_ast_part){.position = position, .text = columns->columns[columns->watermark_column].name};
    watermark->position = position;
    watermark->column = (weir_ast_name){.position = position, .parts = part, .count = 1};
    watermark->expression_text = columns->watermark_expression;
    *out = watermark;
    return weir_parse_expression(columns->watermark_expression, arena, &watermark->expression, err);
}

int weir_table_draft(const weir_description *description, const weir_ast_name *name, int32_t more, weir_arena *arena,
                     weir_ast_create_table **out, weir_error *err)
{
    const weir_bound_columns *columns = &description->columns;
    weir_ast_create_table *draft = WEIR_NEW(arena, weir_ast_create_table);
    weir_position position = name->position;
    draft->name = *name;
    draft->columns = WEIR_NEW_ARRAY(arena, weir_ast_column, columns->column_count + more + 1);
    draft->column_count = columns->column_count;
    for (int32_t i = 0; i < columns->column_count; i++) {
        WEIR_TRY_CTX(draft_column(&columns->columns[i], position, arena, &draft->columns[i], err), err,
                     "computed column '%s'", columns->columns[i].name);
    }
    if (columns->watermark_column >= 0) {
        WEIR_TRY_CTX(draft_watermark(columns, position, arena, &draft->watermark, err), err, "WATERMARK");
    }
    draft->has_primary_key = columns->primary_key_count > 0;
    draft->primary_key_position = position;
    draft->primary_key = names_at(columns, columns->primary_key, columns->primary_key_count, position, arena);
    draft->partitioned_by = names_at(columns, columns->partition_keys, columns->partition_key_count, position, arena);
    *out = draft;
    return WEIR_OK;
}

int32_t weir_draft_find(const weir_ast_create_table *draft, const char *column)
{
    for (int32_t i = 0; i < draft->column_count; i++) {
        if (strcmp(draft->columns[i].name.text, column) == 0) {
            return i;
        }
    }
    return -1;
}

void weir_draft_insert(weir_ast_create_table *draft, int32_t place, const weir_ast_column *column)
{
    memmove(&draft->columns[place + 1], &draft->columns[place],
            (size_t)(draft->column_count - place) * sizeof *draft->columns);
    draft->columns[place] = *column;
    draft->column_count++;
}

void weir_draft_remove(weir_ast_create_table *draft, int32_t place)
{
    draft->column_count--;
    memmove(&draft->columns[place], &draft->columns[place + 1],
            (size_t)(draft->column_count - place) * sizeof *draft->columns);
}

bool weir_names_hold(const weir_ast_names *names, const char *name)
{
    for (int32_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i].text, name) == 0) {
            return true;
        }
    }
    return false;
}

bool weir_expression_names(const weir_ast_expression *expression, const char *column)
{
    if (expression->kind == WEIR_AST_COLUMN && strcmp(expression->name.parts[0].text, column) == 0) {
        return true;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        if (weir_expression_names(expression->arguments[i], column)) {
            return true;
        }
    }
    return false;
}

void weir_definition_keep_columns(weir_definition *definition)
{
    weir_arena *arena = &definition->arena;
    weir_bound_columns *columns = &definition->description.columns;
    for (int32_t i = 0; i < columns->column_count; i++) {
        weir_sql_column *column = &columns->columns[i];
        column->name = weir_arena_strdup(arena, column->name);
        column->comment = weir_arena_strdup(arena, column->comment);
        column->expression = weir_arena_strdup(arena, column->expression);
        column->type = weir_type_copy(arena, column->type);
    }
    columns->watermark_expression = weir_arena_strdup(arena, columns->watermark_expression);
}
