/* Views: CREATE, ALTER and DROP VIEW. The session keeps them, as temporary ones or in catalogs in memory; a Paimon
 * catalog in a folder has no place for them. */
#include "base/text.h"
#include "session/catalog/table_draft.h"
#include "session/state.h"
#include "sql/parser.h"

/* ---- making a view ---- */

static int check_columns(const weir_ast_names *names, const weir_ast_query *query, const weir_plan *plan,
                         weir_error *err)
{
    weir_position at = query->position;
    if (names->count > 0 && names->count != plan->field_count) {
        at = names->items[0].position;
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column, "the view names %d columns, but its query gives %d",
                            names->count, plan->field_count);
    }
    for (int32_t i = 0; i < plan->field_count; i++) {
        const char *name = names->count > 0 ? names->items[i].text : plan->fields[i].name;
        for (int32_t k = 0; k < i; k++) {
            const char *other = names->count > 0 ? names->items[k].text : plan->fields[k].name;
            if (strcmp(name, other) == 0) {
                at = names->count > 0 ? names->items[i].position : at;
                return weir_fail_at(err, WEIR_INVALID, at.line, at.column,
                                    "two columns of the view are named '%s'; give one another name with AS", name);
            }
        }
    }
    return WEIR_OK;
}

/* "SELECT * FROM (query) AS view (a, b)": how other queries see the view. */
static const char *query_with_names(const weir_definition *definition, weir_arena *arena)
{
    const weir_description *description = &definition->description;
    weir_buffer text = {0};
    weir_buffer_append_format(&text, "SELECT * FROM (\n%s\n) AS ", description->view_query);
    weir_sql_quote_name(definition->name, &text);
    for (int32_t i = 0; i < description->columns.column_count; i++) {
        weir_buffer_append_text(&text, i == 0 ? " (" : ", ");
        weir_sql_quote_name(description->columns.columns[i].name, &text);
    }
    weir_buffer_append_byte(&text, ')');
    const char *result = weir_arena_strdup(arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return result;
}

static void set_columns(const weir_ast_names *names, const weir_plan *plan, weir_definition *definition)
{
    weir_bound_columns *columns = &definition->description.columns;
    columns->columns = WEIR_NEW_ARRAY(&definition->arena, weir_sql_column, plan->field_count);
    columns->column_count = plan->field_count;
    columns->watermark_column = -1;
    for (int32_t i = 0; i < plan->field_count; i++) {
        columns->columns[i] = (weir_sql_column){
            .name = names->count > 0 ? names->items[i].text : plan->fields[i].name,
            .type = plan->fields[i].type,
        };
    }
    weir_definition_keep_columns(definition);
}

/* The query is bound once, for its columns and so that its errors are found now. */
static int define_view(weir_session *session, const char *name, const weir_ast_names *names,
                       const weir_ast_query *query, weir_position query_position, const char *comment,
                       weir_definition **out, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_definition *definition = weir_definition_create(name);
    weir_description *description = &definition->description;
    weir_expansions expansions = {.arena = &definition->arena};
    weir_bound *bound = NULL;
    int code = WEIR_OK;
    context.expansions = &expansions;
    WEIR_GO(weir_bind_query(&context, query, &bound, err));
    WEIR_GO(check_columns(names, query, bound->plan, err));
    set_columns(names, bound->plan, definition);
    description->view_query = weir_expand_text(&expansions, session->text, &query_position, &definition->arena);
    description->view_text = query_with_names(definition, &definition->arena);
    description->comment = weir_arena_strdup(&definition->arena, comment);
    *out = definition;
    definition = NULL;
done:
    weir_definition_free(definition);
    weir_bound_free(bound);
    return code;
}

/* ---- CREATE ---- */

static int fail_taken(const weir_object_path *path, bool is_view, weir_error *err)
{
    return weir_fail_at(err, WEIR_EXISTS, path->position.line, path->position.column,
                        "there is a %s '%s' in %s.%s already", is_view ? "view" : "table", path->name,
                        path->catalog->name, path->database);
}

/* What the name leads to among temporary or permanent objects; *out_taken: also a Paimon table. */
static int find_taken(weir_session *session, const weir_object_path *path, bool temporary, weir_definition **out,
                      bool *out_taken, weir_error *err)
{
    *out = temporary ? weir_catalogs_temporary(&session->catalogs, path) : NULL;
    if (!temporary) {
        WEIR_TRY(weir_catalogs_check_database(path, err));
        if (path->catalog->paimon == NULL) {
            *out = weir_memory_catalog_find(&path->catalog->memory, path->database, path->name);
        }
    }
    *out_taken = *out != NULL;
    return WEIR_OK;
}

static int check_catalog(const weir_object_path *path, bool temporary, weir_error *err)
{
    if (!temporary && path->catalog->paimon != NULL) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, path->position.line, path->position.column,
                            "catalog '%s' is a folder of Paimon tables and has no place for views; CREATE TEMPORARY "
                            "VIEW, or create it in default_catalog",
                            path->catalog->name);
    }
    return WEIR_OK;
}

/* Gives back what was there before; NULL: nothing. */
static weir_definition *take(weir_session *session, const weir_object_path *path, bool temporary)
{
    return temporary ? weir_catalogs_take_temporary(&session->catalogs, path)
                     : weir_memory_catalog_take(&path->catalog->memory, path->database, path->name);
}

static void put(weir_session *session, const weir_object_path *path, bool temporary, weir_definition *definition)
{
    if (temporary) {
        weir_catalogs_put_temporary(&session->catalogs, path, definition);
    } else {
        weir_memory_catalog_put(&path->catalog->memory, path->database, definition);
    }
}

/* Puts a view in the place of another, unless it would then read itself, if only through others. */
static int replace(weir_session *session, const weir_object_path *path, bool temporary, weir_definition *definition,
                   const weir_ast_query *query, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_definition *old = take(session, path, temporary);
    weir_ast_query *again = NULL;
    weir_bound *bound = NULL;
    weir_arena arena;
    weir_arena_init(&arena);
    put(session, path, temporary, definition);
    int code = weir_parse_query(definition->description.view_text, &arena, &again, NULL);
    if (code == WEIR_OK) {
        code = weir_bind_query(&context, again, &bound, NULL);
    }
    weir_bound_free(bound);
    weir_arena_free(&arena);
    if (code == WEIR_OK) {
        weir_definition_free(old);
        return WEIR_OK;
    }
    weir_definition_free(take(session, path, temporary));
    put(session, path, temporary, old);
    return weir_fail_at(err, WEIR_INVALID, query->position.line, query->position.column,
                        "this query reads the view '%s' itself, if only through other views", path->name);
}

int weir_session_create_view(weir_session *session, const weir_ast_create *create, weir_result **out, weir_error *err)
{
    weir_object_path path;
    weir_definition *old = NULL;
    weir_definition *definition = NULL;
    bool taken = false;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &create->name, &path, err));
    WEIR_TRY(check_catalog(&path, create->temporary, err));
    WEIR_TRY(find_taken(session, &path, create->temporary, &old, &taken, err));
    bool is_view = old != NULL && old->description.view_query != NULL;
    if (taken && create->if_not_exists) {
        *out = weir_result_done("View '%s' exists already", path.name);
        return WEIR_OK;
    }
    if (taken && !(create->or_replace && is_view)) {
        return fail_taken(&path, is_view, err);
    }
    WEIR_TRY(define_view(session, path.name, &create->columns, create->query, create->query_position, create->comment,
                         &definition, err));
    if (taken) {
        WEIR_TRY(replace(session, &path, create->temporary, definition, create->query, err));
    } else {
        put(session, &path, create->temporary, definition);
    }
    *out = weir_result_done("Created %sview '%s'", create->temporary ? "temporary " : "", path.name);
    return WEIR_OK;
}

/* ---- ALTER ---- */

static int no_view(const weir_session *session, const weir_object_path *path, weir_error *err)
{
    weir_arena arena;
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_catalogs_check_database(path, err));
    weir_arena_init(&arena);
    int code = weir_catalogs_list_views(&session->catalogs, path, &arena, &names, &count, err);
    if (code == WEIR_OK) {
        const char *near = weir_suggest(path->name, names, count);
        code = weir_fail_at(err, WEIR_NOT_FOUND, path->position.line, path->position.column,
                            "there is no view '%s' in %s.%s%s%s%s", path->name, path->catalog->name, path->database,
                            near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
    }
    weir_arena_free(&arena);
    return code;
}

/* The definition that a name leads to, which must be a view. Temporary ones hide others. */
static int need_view(const weir_session *session, const weir_object_path *path, weir_definition **out,
                     bool *out_temporary, weir_error *err)
{
    bool is_table = false;
    weir_definition *definition = weir_catalogs_temporary(&session->catalogs, path);
    *out_temporary = definition != NULL;
    if (definition == NULL && path->catalog->paimon == NULL) {
        definition = weir_memory_catalog_find(&path->catalog->memory, path->database, path->name);
    }
    if (definition == NULL) {
        WEIR_TRY(weir_session_catalog_has_table(path->catalog, path->database, path->name, &is_table, err));
    } else {
        is_table = definition->description.view_query == NULL;
    }
    if (is_table) {
        return weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                            "'%s' is a table, not a view", path->name);
    }
    *out = definition;
    return definition != NULL ? WEIR_OK : no_view(session, path, err);
}

static int rename_view(weir_session *session, const weir_object_path *path, const weir_ast_alter *alter, bool temporary,
                       weir_error *err)
{
    weir_object_path target;
    weir_definition *other = NULL;
    bool taken = false;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &alter->new_name, &target, err));
    if (alter->new_name.count == 1) {
        target.catalog = path->catalog;
        target.database = path->database;
    }
    if (target.catalog != path->catalog || strcmp(target.database, path->database) != 0) {
        return weir_fail_at(err, WEIR_INVALID, target.position.line, target.position.column,
                            "RENAME keeps a view in its database, which is %s.%s", path->catalog->name, path->database);
    }
    WEIR_TRY(find_taken(session, &target, temporary, &other, &taken, err));
    if (taken) {
        return fail_taken(&target, other->description.view_query != NULL, err);
    }
    weir_definition *definition = take(session, path, temporary);
    definition->name = weir_arena_strdup(&definition->arena, target.name);
    put(session, &target, temporary, definition);
    return WEIR_OK;
}

int weir_session_alter_view(weir_session *session, const weir_ast_alter *alter, weir_result **out, weir_error *err)
{
    static const weir_ast_names no_names;
    weir_object_path path;
    weir_definition *old = NULL;
    weir_definition *definition = NULL;
    bool temporary = false;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &alter->name, &path, err));
    WEIR_TRY(need_view(session, &path, &old, &temporary, err));
    if (alter->kind == WEIR_AST_ALTER_RENAME_TABLE) {
        WEIR_TRY(rename_view(session, &path, alter, temporary, err));
    } else {
        WEIR_TRY(define_view(session, path.name, &no_names, alter->query, alter->query_position,
                             old->description.comment, &definition, err));
        WEIR_TRY(replace(session, &path, temporary, definition, alter->query, err));
    }
    *out = weir_result_done("Altered view '%s'", path.name);
    return WEIR_OK;
}

/* ---- DROP ---- */

int weir_session_drop_view(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err)
{
    weir_object_path path;
    weir_definition *definition = NULL;
    bool temporary = false;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &drop->name, &path, err));
    int code = need_view(session, &path, &definition, &temporary, err);
    if (code == WEIR_NOT_FOUND && drop->if_exists) {
        weir_error_clear(err);
        *out = weir_result_done("There is no view '%s'", path.name);
        return WEIR_OK;
    }
    WEIR_TRY(code);
    if (temporary && !drop->temporary) {
        return weir_fail_at(err, WEIR_INVALID, path.position.line, path.position.column,
                            "'%s' is a temporary view; say DROP TEMPORARY VIEW", path.name);
    }
    if (!temporary && drop->temporary) {
        return weir_fail_at(err, WEIR_INVALID, path.position.line, path.position.column,
                            "'%s' is not a temporary view; say DROP VIEW", path.name);
    }
    weir_definition_free(take(session, &path, temporary));
    *out = weir_result_done("Dropped view '%s'", path.name);
    return WEIR_OK;
}
