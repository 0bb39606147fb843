/* DESCRIBE, SHOW COLUMNS and SHOW CREATE TABLE: what a table is, as Flink shows it. */
#include "base/text.h"
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
        bool has_key = strcmp(column->expression, column->name) != 0;
        return weir_arena_format(arena, "METADATA%s%s%s%s", has_key ? " FROM '" : "", has_key ? column->expression : "",
                                 has_key ? "'" : "", column->is_virtual ? " VIRTUAL" : "");
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

/* `show`: only the columns that its LIKE lets through; NULL: all. */
static int describe_columns(const weir_bound_columns *columns, const weir_ast_show *show, weir_result **out,
                            weir_error *err)
{
    weir_field fields[DESCRIBE_COLUMNS];
    int32_t count = has_comments(columns) ? DESCRIBE_COLUMNS : DESCRIBE_WITHOUT_COMMENT;
    for (int32_t i = 0; i < count; i++) {
        fields[i] = describe_fields[i];
        fields[i].type = weir_type_simple(i == 2 ? WEIR_BOOLEAN : WEIR_VARCHAR, true);
    }
    weir_memory_result *result = weir_memory_result_create(fields, count);
    for (int32_t i = 0; i < columns->column_count; i++) {
        if (show != NULL && !weir_show_lets(show, columns->columns[i].name)) {
            continue;
        }
        int code = add_column(&result->batch, columns, i, &result->result.arena, err);
        if (code != WEIR_OK) {
            weir_result_free(&result->result);
            return code;
        }
    }
    *out = &result->result;
    return WEIR_OK;
}

static int describe_table(weir_session *session, const weir_ast_name *name, const weir_ast_show *show,
                          weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_description description;
    weir_object_path path;
    bool is_temporary;
    weir_arena_init(&arena);
    int code = weir_session_describe(session, name, &arena, &description, &path, &is_temporary, NULL, err);
    if (code == WEIR_OK) {
        code = describe_columns(&description.columns, show, out, err);
    }
    weir_arena_free(&arena);
    return code;
}

int weir_session_show_columns(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err)
{
    return describe_table(session, &show->name, show, out, err);
}

/* ---- DESCRIBE CATALOG and DATABASE ---- */

static int add_info(weir_memory_result *result, const char *name, const char *value, weir_error *err)
{
    const char *row[] = {name, value};
    return weir_text_result_add(result, row, err);
}

static int fill_catalog(const weir_session_catalog *catalog, bool extended, weir_memory_result *result, weir_error *err)
{
    WEIR_TRY(add_info(result, "name", catalog->name, err));
    WEIR_TRY(add_info(result, "type", weir_options_get(&catalog->options, "type"), err));
    WEIR_TRY(add_info(result, "comment", catalog->comment, err));
    for (size_t i = 0; extended && i < catalog->options.count; i++) {
        if (strcmp(catalog->options.keys[i], "type") != 0) {
            const char *key = catalog->options.keys[i];
            const char *name = weir_arena_format(&result->result.arena, "option:%s", key);
            WEIR_TRY(add_info(result, name, weir_option_shown(key, catalog->options.values[i]), err));
        }
    }
    return WEIR_OK;
}

static int fill_database(const weir_object_path *path, bool extended, weir_memory_result *result, weir_error *err)
{
    const weir_memory_database *kept =
        path->catalog->paimon == NULL ? weir_memory_catalog_database(&path->catalog->memory, path->database) : NULL;
    WEIR_TRY(add_info(result, "name", path->database, err));
    WEIR_TRY(add_info(result, "comment", kept == NULL ? NULL : kept->comment, err));
    if (extended && path->catalog->paimon != NULL) {
        WEIR_TRY(add_info(
            result, "option:location",
            weir_arena_format(&result->result.arena, "%s/%s.db", path->catalog->paimon->warehouse, path->database),
            err));
    }
    for (size_t i = 0; extended && kept != NULL && i < kept->options.count; i++) {
        const char *name = weir_arena_format(&result->result.arena, "option:%s", kept->options.keys[i]);
        WEIR_TRY(add_info(result, name, weir_option_shown(kept->options.keys[i], kept->options.values[i]), err));
    }
    return WEIR_OK;
}

static int describe_container(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                              weir_error *err)
{
    static const char *const titles[] = {"info name", "info value"};
    const weir_ast_name *name = &statement->describe.name;
    weir_session_catalog *catalog = NULL;
    weir_object_path path;
    bool is_catalog = statement->describe.object == WEIR_AST_OBJECT_CATALOG;
    if (is_catalog) {
        WEIR_TRY(weir_catalogs_get(&session->catalogs, &name->parts[0], &catalog, err));
    } else {
        WEIR_TRY(weir_catalogs_database_path(&session->catalogs, name, &path, err));
        WEIR_TRY(weir_catalogs_check_database(&path, err));
    }
    weir_memory_result *result = weir_text_result_create(titles, 2);
    int code = is_catalog ? fill_catalog(catalog, statement->describe.extended, result, err)
                          : fill_database(&path, statement->describe.extended, result, err);
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    *out = &result->result;
    return WEIR_OK;
}

int weir_session_describe_statement(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                                    weir_error *err)
{
    return statement->describe.object == WEIR_AST_OBJECT_TABLE
               ? describe_table(session, &statement->describe.name, NULL, out, err)
               : describe_container(session, statement, out, err);
}

/* ---- SHOW CREATE TABLE and VIEW ---- */

static void append_name_list(const weir_bound_columns *columns, const int32_t *positions, int32_t count,
                             weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_append_quoted(columns->columns[positions[i]].name, '`', out);
    }
}

static void append_metadata(const weir_sql_column *column, weir_buffer *out)
{
    weir_buffer_append_text(out, " METADATA");
    if (strcmp(column->expression, column->name) != 0) {
        weir_buffer_append_text(out, " FROM ");
        weir_sql_quote_string(column->expression, out);
    }
    weir_buffer_append_text(out, column->is_virtual ? " VIRTUAL" : "");
}

static void append_columns(const weir_bound_columns *columns, weir_buffer *out)
{
    for (int32_t i = 0; i < columns->column_count; i++) {
        const weir_sql_column *column = &columns->columns[i];
        weir_buffer_append_text(out, i == 0 ? "  " : ",\n  ");
        weir_append_quoted(column->name, '`', out);
        weir_buffer_append_byte(out, ' ');
        if (column->kind == WEIR_SQL_COMPUTED_COLUMN) {
            weir_buffer_append_format(out, "AS %s", column->expression);
        } else {
            weir_sql_type_format(column->type, out);
        }
        if (column->kind == WEIR_SQL_METADATA_COLUMN) {
            append_metadata(column, out);
        }
        if (column->comment != NULL) {
            weir_buffer_append_text(out, " COMMENT ");
            weir_sql_quote_string(column->comment, out);
        }
    }
    if (columns->watermark_column >= 0) {
        weir_buffer_append_text(out, ",\n  WATERMARK FOR ");
        weir_append_quoted(columns->columns[columns->watermark_column].name, '`', out);
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
        weir_sql_quote_string(weir_option_shown(options->keys[i], options->values[i]), out);
        separator = ",\n  ";
    }
    if (path != NULL && weir_options_get(options, "path") == NULL) {
        weir_buffer_append_format(out, "%s'path' = ", separator);
        weir_sql_quote_string(path, out);
    }
    weir_buffer_append_text(out, "\n)\n");
}

static void append_path(const weir_object_path *path, weir_buffer *out)
{
    weir_append_quoted(path->catalog->name, '`', out);
    weir_buffer_append_byte(out, '.');
    weir_append_quoted(path->database, '`', out);
    weir_buffer_append_byte(out, '.');
    weir_append_quoted(path->name, '`', out);
}

/* `folder`: of a table in a Paimon catalog, which is shown as its path; NULL: none. */
static void append_create_table(const weir_description *description, const weir_object_path *path, bool is_temporary,
                                const char *folder, weir_buffer *out)
{
    const weir_bound_columns *columns = &description->columns;
    weir_buffer_append_format(out, "CREATE %sTABLE ", is_temporary ? "TEMPORARY " : "");
    append_path(path, out);
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
        weir_buffer_append_format(out, "%sPARTITIONED BY (", separator);
        append_name_list(columns, columns->partition_keys, columns->partition_key_count, out);
        weir_buffer_append_text(out, ")");
        separator = "\n";
    }
    weir_buffer_append_text(out, separator);
    append_options(&description->options, folder, out);
}

static void append_create_view(const weir_description *description, const weir_object_path *path, bool is_temporary,
                               weir_buffer *out)
{
    const weir_bound_columns *columns = &description->columns;
    weir_buffer_append_format(out, "CREATE %sVIEW ", is_temporary ? "TEMPORARY " : "");
    append_path(path, out);
    weir_buffer_append_byte(out, '(');
    for (int32_t i = 0; i < columns->column_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_append_quoted(columns->columns[i].name, '`', out);
    }
    weir_buffer_append_byte(out, ')');
    if (description->comment != NULL) {
        weir_buffer_append_text(out, " COMMENT ");
        weir_sql_quote_string(description->comment, out);
    }
    weir_buffer_append_text(out, " as\n");
    weir_sql_append_without_secrets(weir_slice_text(description->view_query), false, out);
}

static int check_view(const weir_description *description, const weir_object_path *path, bool wants_view,
                      weir_error *err)
{
    bool is_view = description->view_query != NULL;
    if (path->catalog->paimon != NULL && strchr(path->name, '$') != NULL) {
        return weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                            "'%s' is a system table, which nobody creates; DESCRIBE shows its columns", path->name);
    }
    if (is_view == wants_view) {
        return WEIR_OK;
    }
    return weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                        "'%s' is a %s; say SHOW CREATE %s", path->name, is_view ? "view" : "table",
                        is_view ? "VIEW" : "TABLE");
}

int weir_session_show_create(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err)
{
    const char *folder = NULL;
    bool wants_view = show->kind == WEIR_AST_SHOW_CREATE_VIEW;
    weir_arena arena;
    weir_description description;
    weir_object_path path;
    bool is_temporary;
    weir_buffer text = {0};
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(weir_session_describe(session, &show->name, &arena, &description, &path, &is_temporary, &folder, err));
    WEIR_GO(check_view(&description, &path, wants_view, err));
    if (wants_view) {
        append_create_view(&description, &path, is_temporary, &text);
    } else {
        append_create_table(&description, &path, is_temporary, folder, &text);
    }
    WEIR_GO(weir_page_result_create(weir_buffer_text(&text), out, err));
done:
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}
