/* DESCRIBE, SHOW COLUMNS and SHOW CREATE TABLE: what a table is, as Flink shows it. */
#include "session/state.h"
#include "sql/parser.h"
#include "sql/type.h"

/* ---- DESCRIBE ---- */

static const weir_field describe_fields[] = {
    {.name = "name"},   {.name = "type"},      {.name = "null"},    {.name = "key"},
    {.name = "extras"}, {.name = "watermark"}, {.name = "comment"},
};
enum { DESCRIBE_COLUMNS = 7, DESCRIBE_WITHOUT_COMMENT = 6 };

static bool has_comments(const weir_bound_columns *columns)
{
    for (int32_t i = 0; i < columns->column_count; i++) {
        if (columns->columns[i].comment != NULL) {
            return true;
        }
    }
    return false;
}

static const char *key_text(const weir_bound_columns *columns, int32_t position, weir_arena *arena)
{
    bool is_key = false;
    weir_buffer text = {0};
    weir_buffer_append_text(&text, "PRI(");
    for (int32_t i = 0; i < columns->primary_key_count; i++) {
        is_key = is_key || columns->primary_key[i] == position;
        weir_buffer_append_format(&text, "%s%s", i == 0 ? "" : ", ", columns->columns[columns->primary_key[i]].name);
    }
    weir_buffer_append_text(&text, ")");
    const char *result = is_key ? weir_arena_strdup(arena, weir_buffer_text(&text)) : NULL;
    weir_buffer_free(&text);
    return result;
}

static const char *extras_text(const weir_sql_column *column, weir_arena *arena)
{
    if (column->kind == WEIR_SQL_COMPUTED_COLUMN) {
        return weir_arena_format(arena, "AS %s", column->expression);
    }
    if (column->kind == WEIR_SQL_METADATA_COLUMN) {
        return column->is_virtual ? "METADATA VIRTUAL" : "METADATA";
    }
    return NULL;
}

static int append_text(weir_vector *column, const char *text, weir_error *err)
{
    return text == NULL ? weir_vector_append_nulls(column, 1, err)
                        : weir_vector_append_raw(column, text, strlen(text), err);
}

static int add_column(weir_batch *batch, const weir_bound_columns *columns, int32_t position, weir_arena *arena,
                      weir_error *err)
{
    const weir_sql_column *column = &columns->columns[position];
    const weir_type *type = weir_type_nullable(arena, column->type, true);
    uint8_t is_nullable = column->type->nullable;
    bool is_time = columns->watermark_column == position;
    WEIR_TRY(append_text(&batch->columns[0], column->name, err));
    WEIR_TRY(append_text(&batch->columns[1], weir_sql_type_text(arena, type), err));
    WEIR_TRY(weir_vector_append_raw(&batch->columns[2], &is_nullable, 1, err));
    WEIR_TRY(append_text(&batch->columns[3], key_text(columns, position, arena), err));
    WEIR_TRY(append_text(&batch->columns[4], extras_text(column, arena), err));
    WEIR_TRY(append_text(&batch->columns[5], is_time ? columns->watermark_expression : NULL, err));
    if (batch->column_count == DESCRIBE_COLUMNS) {
        WEIR_TRY(append_text(&batch->columns[6], column->comment, err));
    }
    batch->length++;
    return WEIR_OK;
}

static int describe_columns(const weir_bound_columns *columns, weir_result **out, weir_error *err)
{
    weir_field fields[DESCRIBE_COLUMNS];
    int32_t count = has_comments(columns) ? DESCRIBE_COLUMNS : DESCRIBE_WITHOUT_COMMENT;
    for (int32_t i = 0; i < count; i++) {
        fields[i] = describe_fields[i];
        fields[i].type = weir_type_simple(i == 2 ? WEIR_BOOLEAN : WEIR_VARCHAR, true);
    }
    weir_memory_result *result = weir_memory_result_create(fields, count);
    for (int32_t i = 0; i < columns->column_count; i++) {
        int code = add_column(&result->batch, columns, i, &result->result.arena, err);
        if (code != WEIR_OK) {
            weir_result_free(&result->result);
            return code;
        }
    }
    *out = &result->result;
    return WEIR_OK;
}

static int describe_table(weir_session *session, const weir_ast_name *name, weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_description description;
    weir_object_path path;
    bool is_temporary;
    weir_arena_init(&arena);
    int code = weir_session_describe(session, name, &arena, &description, &path, &is_temporary, NULL, err);
    if (code == WEIR_OK) {
        code = describe_columns(&description.columns, out, err);
    }
    weir_arena_free(&arena);
    return code;
}

int weir_session_show_columns(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err)
{
    if (show->like != NULL) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, show->name.position.line, show->name.position.column,
                            "SHOW COLUMNS … LIKE is not offered by this version");
    }
    return describe_table(session, &show->name, out, err);
}

int weir_session_describe_statement(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                                    weir_error *err)
{
    if (statement->describe.object != WEIR_AST_OBJECT_TABLE) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, statement->position.line, statement->position.column,
                            "DESCRIBE shows tables; of catalogs see SHOW CREATE CATALOG, of databases SHOW TABLES");
    }
    return describe_table(session, &statement->describe.name, out, err);
}

/* ---- SHOW CREATE TABLE ---- */

static void append_quoted(const char *name, weir_buffer *out)
{
    weir_buffer_append_byte(out, '`');
    for (; *name != '\0'; name++) {
        weir_buffer_append_text(out, *name == '`' ? "``" : "");
        if (*name != '`') {
            weir_buffer_append_byte(out, (uint8_t)*name);
        }
    }
    weir_buffer_append_byte(out, '`');
}

static void append_name_list(const weir_bound_columns *columns, const int32_t *positions, int32_t count,
                             weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        append_quoted(columns->columns[positions[i]].name, out);
    }
}

static void append_columns(const weir_bound_columns *columns, weir_buffer *out)
{
    for (int32_t i = 0; i < columns->column_count; i++) {
        const weir_sql_column *column = &columns->columns[i];
        weir_buffer_append_text(out, i == 0 ? "  " : ",\n  ");
        append_quoted(column->name, out);
        weir_buffer_append_byte(out, ' ');
        if (column->kind == WEIR_SQL_COMPUTED_COLUMN) {
            weir_buffer_append_format(out, "AS %s", column->expression);
        } else {
            weir_sql_type_format(column->type, out);
        }
        if (column->comment != NULL) {
            weir_buffer_append_text(out, " COMMENT ");
            weir_sql_quote_string(column->comment, out);
        }
    }
    if (columns->watermark_column >= 0) {
        weir_buffer_append_text(out, ",\n  WATERMARK FOR ");
        append_quoted(columns->columns[columns->watermark_column].name, out);
        weir_buffer_append_format(out, " AS %s", columns->watermark_expression);
    }
    if (columns->primary_key_count > 0) {
        weir_buffer_append_text(out, ",\n  CONSTRAINT `PK");
        for (int32_t i = 0; i < columns->primary_key_count; i++) {
            weir_buffer_append_format(out, "_%s", columns->columns[columns->primary_key[i]].name);
        }
        weir_buffer_append_text(out, "` PRIMARY KEY (");
        append_name_list(columns, columns->primary_key, columns->primary_key_count, out);
        weir_buffer_append_text(out, ") NOT ENFORCED");
    }
}

static void append_options(const weir_options *options, const char *path, weir_buffer *out)
{
    const char *separator = "  ";
    weir_buffer_append_text(out, "WITH (\n");
    for (size_t i = 0; i < options->count; i++) {
        weir_buffer_append_text(out, separator);
        weir_sql_quote_string(options->keys[i], out);
        weir_buffer_append_text(out, " = ");
        weir_sql_quote_string(options->values[i], out);
        separator = ",\n  ";
    }
    if (path != NULL && weir_options_get(options, "path") == NULL) {
        weir_buffer_append_format(out, "%s'path' = ", separator);
        weir_sql_quote_string(path, out);
    }
    weir_buffer_append_text(out, "\n)\n");
}

/* `folder`: of a table in a Paimon catalog, which is shown as its path; NULL: none. */
static void append_create_table(const weir_description *description, const weir_object_path *path, bool is_temporary,
                                const char *folder, weir_buffer *out)
{
    const weir_bound_columns *columns = &description->columns;
    weir_buffer_append_format(out, "CREATE %sTABLE ", is_temporary ? "TEMPORARY " : "");
    append_quoted(path->catalog->name, out);
    weir_buffer_append_byte(out, '.');
    append_quoted(path->database, out);
    weir_buffer_append_byte(out, '.');
    append_quoted(path->name, out);
    weir_buffer_append_text(out, " (\n");
    append_columns(columns, out);
    weir_buffer_append_text(out, "\n)");
    const char *separator = " ";
    if (description->comment != NULL && description->comment[0] != '\0') {
        weir_buffer_append_text(out, " COMMENT ");
        weir_sql_quote_string(description->comment, out);
        separator = "\n";
    }
    if (columns->partition_key_count > 0) {
        weir_buffer_append_text(out, "\nPARTITIONED BY (");
        append_name_list(columns, columns->partition_keys, columns->partition_key_count, out);
        weir_buffer_append_text(out, ")");
        separator = "\n";
    }
    weir_buffer_append_text(out, separator);
    append_options(&description->options, folder, out);
}

int weir_session_show_create_table(weir_session *session, const weir_ast_name *name, weir_result **out, weir_error *err)
{
    const char *title = "result";
    const char *folder = NULL;
    weir_arena arena;
    weir_description description;
    weir_object_path path;
    bool is_temporary;
    weir_buffer text = {0};
    weir_memory_result *result = NULL;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(weir_session_describe(session, name, &arena, &description, &path, &is_temporary, &folder, err));
    append_create_table(&description, &path, is_temporary, folder, &text);
    const char *line = weir_buffer_text(&text);
    result = weir_text_result_create(&title, 1);
    WEIR_GO(weir_text_result_add(result, &line, err));
    *out = &result->result;
    result = NULL;
done:
    if (result != NULL) {
        weir_result_free(&result->result);
    }
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}
