/* SHOW: names in catalogs, partitions, functions, and definitions as statements. */
#include "session/ddl/partitions.h"
#include "session/job/jobs.h"
#include "session/procedure/procedure.h"
#include "sql/parser.h"

/* LIKE with % and _; a backslash takes the next character as it is. */
static bool matches_like(const char *text, const char *pattern, bool ignore_case)
{
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '%') {
            for (const char *rest = text;; rest++) {
                if (matches_like(rest, pattern + 1, ignore_case)) {
                    return true;
                }
                if (*rest == '\0') {
                    return false;
                }
            }
        }
        if (*text == '\0') {
            return false;
        }
        bool is_any = *pattern == '_';
        pattern += *pattern == '\\' && pattern[1] != '\0';
        char a = *text, b = *pattern;
        if (ignore_case) {
            a = (char)(a >= 'A' && a <= 'Z' ? a + 32 : a);
            b = (char)(b >= 'A' && b <= 'Z' ? b + 32 : b);
        }
        if (!is_any && a != b) {
            return false;
        }
        text++;
    }
    return *text == '\0';
}

bool weir_show_lets(const weir_ast_show *show, const char *name)
{
    return show->like == NULL || matches_like(name, show->like, show->ignore_case) != show->negated;
}

/* One column of names. */
static int name_result(const weir_ast_show *show, const char *title, const char *const *names, size_t count,
                       weir_result **out, weir_error *err)
{
    weir_memory_result *result = weir_text_result_create(&title, 1);
    for (size_t i = 0; i < count; i++) {
        int code = weir_show_lets(show, names[i]) ? weir_text_result_add(result, &names[i], err) : WEIR_OK;
        if (code != WEIR_OK) {
            weir_result_free(&result->result);
            return code;
        }
    }
    *out = &result->result;
    return WEIR_OK;
}

static int show_databases(weir_session *session, const weir_ast_show *show, weir_arena *arena, weir_result **out,
                          weir_error *err)
{
    weir_session_catalog *catalog = weir_catalogs_find(&session->catalogs, session->catalogs.current_catalog);
    const char **names = NULL;
    size_t count = 0;
    if (show->name.count > 0) {
        WEIR_TRY(weir_catalogs_get(&session->catalogs, &show->name.parts[0], &catalog, err));
    }
    WEIR_TRY(weir_session_catalog_databases(catalog, arena, &names, &count, err));
    return name_result(show, "database name", names, count, out, err);
}

static int show_tables(weir_session *session, const weir_ast_show *show, weir_arena *arena, weir_result **out,
                       weir_error *err)
{
    bool views_only = show->kind == WEIR_AST_SHOW_VIEWS;
    weir_object_path path;
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_catalogs_database_path(&session->catalogs, &show->name, &path, err));
    WEIR_TRY(weir_catalogs_check_database(&path, err));
    if (views_only) {
        WEIR_TRY(weir_catalogs_list_views(&session->catalogs, &path, arena, &names, &count, err));
    } else {
        WEIR_TRY(weir_catalogs_list_tables(&session->catalogs, &path, arena, &names, &count, err));
    }
    return name_result(show, views_only ? "view name" : "table name", names, count, out, err);
}

static int show_functions(const weir_ast_show *show, weir_arena *arena, weir_result **out, weir_error *err)
{
    size_t count = show->user ? 0 : weir_sql_function_count(); /* there are none of users */
    const char **names = WEIR_NEW_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = weir_sql_function_name(i);
    }
    return name_result(show, "function name", names, count, out, err);
}

static int show_procedures(const weir_ast_show *show, weir_arena *arena, weir_result **out, weir_error *err)
{
    const char **names = WEIR_NEW_ARRAY(arena, const char *, weir_procedure_count);
    for (size_t i = 0; i < weir_procedure_count; i++) {
        names[i] = weir_procedures[i].name;
    }
    return name_result(show, "procedure name", names, weir_procedure_count, out, err);
}

/* ---- SHOW PARTITIONS ---- */

static int show_partitions(weir_session *session, const weir_ast_show *show, weir_arena *arena, weir_result **out,
                           weir_error *err)
{
    weir_sql_table *table = NULL;
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_session_open_table(session, &show->name, arena, &table, err));
    int code = weir_partitions_list(table->owner, &show->partition, arena, &names, &count, err);
    if (code == WEIR_OK) {
        code = name_result(show, "partition name", names, count, out, err);
    }
    table->close(table);
    return code;
}

/* ---- SHOW CREATE CATALOG ---- */

static int show_create_catalog(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err)
{
    weir_session_catalog *catalog = NULL;
    weir_buffer text = {0};
    WEIR_TRY(weir_catalogs_get(&session->catalogs, &show->name.parts[0], &catalog, err));
    weir_buffer_append_format(&text, "CREATE CATALOG `%s`", catalog->name);
    if (catalog->comment != NULL) {
        weir_buffer_append_text(&text, " COMMENT ");
        weir_sql_quote_string(catalog->comment, &text);
    }
    weir_buffer_append_text(&text, " WITH (\n");
    for (size_t i = 0; i < catalog->options.count; i++) {
        weir_buffer_append_text(&text, i == 0 ? "  " : ",\n  ");
        weir_sql_quote_string(catalog->options.keys[i], &text);
        weir_buffer_append_text(&text, " = ");
        weir_sql_quote_string(weir_option_shown(catalog->options.keys[i], catalog->options.values[i]), &text);
    }
    weir_buffer_append_text(&text, "\n)\n");
    int code = weir_page_result_create(weir_buffer_text(&text), out, err);
    weir_buffer_free(&text);
    return code;
}

/* ---- SHOW MODULES ---- */

static int show_modules(const weir_ast_show *show, weir_result **out, weir_error *err)
{
    const weir_field fields[] = {{.name = "module name", .type = weir_type_simple(WEIR_VARCHAR, true)},
                                 {.name = "used", .type = weir_type_simple(WEIR_BOOLEAN, true)}};
    const uint8_t used = 1;
    weir_memory_result *result = weir_memory_result_create(fields, show->full ? 2 : 1);
    int code = weir_vector_append_raw(&result->batch.columns[0], "core", 4, err);
    if (code == WEIR_OK && show->full) {
        code = weir_vector_append_raw(&result->batch.columns[1], &used, 1, err);
    }
    result->batch.length = 1;
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    *out = &result->result;
    return WEIR_OK;
}

/* ---- the statement ---- */

static int show_names(weir_session *session, const weir_ast_show *show, weir_arena *arena, weir_result **out,
                      weir_error *err)
{
    const weir_catalogs *catalogs = &session->catalogs;
    const char **names = NULL;
    const char *current = NULL;
    size_t count = 0;
    switch (show->kind) {
    case WEIR_AST_SHOW_CATALOGS:
        weir_map_names(&catalogs->catalogs, arena, &names, &count);
        return name_result(show, "catalog name", names, count, out, err);
    case WEIR_AST_SHOW_CURRENT_CATALOG:
        current = catalogs->current_catalog;
        return name_result(show, "current catalog name", &current, 1, out, err);
    case WEIR_AST_SHOW_CURRENT_DATABASE:
        current = catalogs->current_database;
        return name_result(show, "current database name", &current, 1, out, err);
    case WEIR_AST_SHOW_DATABASES:
        return show_databases(session, show, arena, out, err);
    case WEIR_AST_SHOW_TABLES:
    case WEIR_AST_SHOW_VIEWS:
        return show_tables(session, show, arena, out, err);
    case WEIR_AST_SHOW_FUNCTIONS:
        return show_functions(show, arena, out, err);
    case WEIR_AST_SHOW_PARTITIONS:
        return show_partitions(session, show, arena, out, err);
    case WEIR_AST_SHOW_COLUMNS:
        return weir_session_show_columns(session, show, out, err);
    case WEIR_AST_SHOW_CREATE_TABLE:
    case WEIR_AST_SHOW_CREATE_VIEW:
        return weir_session_show_create(session, show, out, err);
    case WEIR_AST_SHOW_CREATE_CATALOG:
        return show_create_catalog(session, show, out, err);
    case WEIR_AST_SHOW_JARS:
        return name_result(show, "jars", NULL, 0, out, err);
    case WEIR_AST_SHOW_PROCEDURES:
        return show_procedures(show, arena, out, err);
    case WEIR_AST_SHOW_JOBS:
        return weir_session_show_jobs(session, out, err);
    case WEIR_AST_SHOW_MODULES:
        return show_modules(show, out, err);
    }
    return weir_fail(err, WEIR_INVALID, "there is no such SHOW statement");
}

int weir_session_show(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = show_names(session, show, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}
