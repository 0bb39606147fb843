/* CREATE CATALOG and DATABASE, DROP, USE. */
#include "session/state.h"

/* ---- CREATE ---- */

int weir_session_create_catalog(weir_session *session, const weir_ast_create *create, weir_result **out,
                                weir_error *err)
{
    const weir_ast_part *part = &create->name.parts[create->name.count - 1];
    if (create->name.count != 1) {
        return weir_fail_at(err, WEIR_INVALID, create->name.position.line, create->name.position.column,
                            "a catalog's name has one part");
    }
    if (weir_catalogs_find(&session->catalogs, part->text) != NULL) {
        if (create->if_not_exists) {
            *out = weir_result_done("Catalog '%s' exists already", part->text);
            return WEIR_OK;
        }
        return weir_fail_at(err, WEIR_EXISTS, part->position.line, part->position.column,
                            "there is a catalog '%s' already", part->text);
    }
    weir_arena arena;
    weir_options options = {0};
    weir_arena_init(&arena);
    weir_options_of_ast(&create->options, &arena, &options);
    int code = weir_catalogs_create(&session->catalogs, part->text, &options, create->comment, &create->options, err);
    weir_arena_free(&arena);
    WEIR_TRY(weir_error_at(err, code, part->position));
    *out = weir_result_done("Created catalog '%s'", part->text);
    return WEIR_OK;
}

int weir_session_create_database(weir_session *session, const weir_ast_create *create, weir_result **out,
                                 weir_error *err)
{
    weir_object_path path;
    bool exists = false;
    WEIR_TRY(weir_catalogs_database_path(&session->catalogs, &create->name, &path, err));
    WEIR_TRY(weir_session_catalog_has_database(path.catalog, path.database, &exists, err));
    if (exists && (create->if_not_exists || (path.catalog->paimon != NULL && weir_session_goes_on(session)))) {
        *out = weir_result_done("Database '%s' exists already", path.database);
        return WEIR_OK;
    }
    if (exists) {
        return weir_fail_at(err, WEIR_EXISTS, path.position.line, path.position.column,
                            "there is a database '%s' in catalog '%s' already", path.database, path.catalog->name);
    }
    if (path.catalog->paimon != NULL) {
        weir_catalog *catalog = path.catalog->paimon;
        WEIR_TRY(weir_error_at(err, catalog->ops->create_database(catalog, path.database, err), path.position));
    } else {
        weir_memory_database *database = weir_memory_catalog_create(&path.catalog->memory, path.database);
        database->comment = weir_arena_strdup(&database->arena, create->comment);
        weir_options_of_ast(&create->options, &database->arena, &database->options);
    }
    *out = weir_result_done("Created database '%s'", path.database);
    return WEIR_OK;
}

/* ---- ALTER DATABASE ---- */

int weir_session_alter_database(weir_session *session, const weir_ast_alter *alter, weir_result **out, weir_error *err)
{
    weir_object_path path;
    WEIR_TRY(weir_catalogs_database_path(&session->catalogs, &alter->name, &path, err));
    WEIR_TRY(weir_catalogs_check_database(&path, err));
    if (path.catalog->paimon != NULL) {
        return weir_fail_at(err, WEIR_INVALID, path.position.line, path.position.column,
                            "catalog '%s' is a folder of Paimon tables and keeps no properties of databases; set "
                            "options of tables, or 'table-default.…' of the catalog",
                            path.catalog->name);
    }
    weir_memory_database *database = weir_memory_catalog_database(&path.catalog->memory, path.database);
    weir_options_of_ast(&alter->options, &database->arena, &database->options);
    *out = weir_result_done("Altered database '%s'", path.database);
    return WEIR_OK;
}

/* ---- modules ----
 *
 * Flink takes its functions from modules; here they all belong to one, `core`. */

#define MODULE "core"

static int no_module(const weir_ast_part *part, weir_error *err)
{
    return weir_fail_at(err, WEIR_NOT_FOUND, part->position.line, part->position.column,
                        "there is no module '%s'; all functions belong to the module '" MODULE "'", part->text);
}

int weir_session_module(const weir_ast_statement *statement, weir_error *err)
{
    const weir_ast_part *part = &statement->module;
    if (strcmp(part->text, MODULE) != 0) {
        return no_module(part, err);
    }
    return statement->kind == WEIR_AST_LOAD_MODULE
               ? weir_fail_at(err, WEIR_EXISTS, part->position.line, part->position.column,
                              "the module '" MODULE "' is loaded already")
               : weir_fail_at(err, WEIR_INVALID, part->position.line, part->position.column,
                              "the module '" MODULE "' holds all functions and stays loaded");
}

static int use_modules(const weir_ast_names *modules, weir_result **out, weir_error *err)
{
    for (int32_t i = 0; i < modules->count; i++) {
        if (strcmp(modules->items[i].text, MODULE) != 0) {
            return no_module(&modules->items[i], err);
        }
        if (i > 0) {
            return weir_fail_at(err, WEIR_INVALID, modules->items[i].position.line, modules->items[i].position.column,
                                "the module '%s' is named twice", modules->items[i].text);
        }
    }
    *out = weir_result_done("Using module '" MODULE "'");
    return WEIR_OK;
}

/* ---- USE ---- */

int weir_session_use(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err)
{
    const weir_ast_name *name = &statement->use.name;
    if (statement->use.object == WEIR_AST_OBJECT_MODULES) {
        return use_modules(&statement->use.modules, out, err);
    }
    if (statement->use.object == WEIR_AST_OBJECT_CATALOG) {
        weir_session_catalog *catalog = NULL;
        WEIR_TRY(weir_catalogs_get(&session->catalogs, &name->parts[0], &catalog, err));
        weir_catalogs_use(&session->catalogs, catalog->name, catalog->default_database);
        *out = weir_result_done("Using %s.%s", catalog->name, catalog->default_database);
        return WEIR_OK;
    }
    weir_object_path path;
    WEIR_TRY(weir_catalogs_database_path(&session->catalogs, name, &path, err));
    WEIR_TRY(weir_catalogs_check_database(&path, err));
    weir_catalogs_use(&session->catalogs, path.catalog->name, path.database);
    *out = weir_result_done("Using %s.%s", path.catalog->name, path.database);
    return WEIR_OK;
}

/* ---- DROP ---- */

static int drop_catalog(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err)
{
    const weir_ast_part *part = &drop->name.parts[0];
    weir_session_catalog *catalog = weir_catalogs_find(&session->catalogs, part->text);
    if (catalog == NULL && drop->if_exists) {
        *out = weir_result_done("There is no catalog '%s'", part->text);
        return WEIR_OK;
    }
    WEIR_TRY(weir_catalogs_get(&session->catalogs, part, &catalog, err));
    if (strcmp(part->text, session->catalogs.current_catalog) == 0) {
        return weir_fail_at(err, WEIR_INVALID, part->position.line, part->position.column,
                            "catalog '%s' is in use; USE another one first", part->text);
    }
    weir_catalogs_drop(&session->catalogs, part->text);
    *out = weir_result_done("Dropped catalog '%s' from the session; its data stay", part->text);
    return WEIR_OK;
}

static int drop_memory_database(const weir_object_path *path, bool cascade, weir_error *err)
{
    weir_arena arena;
    const char **names;
    size_t count;
    weir_arena_init(&arena);
    weir_memory_catalog_tables(&path->catalog->memory, path->database, &arena, &names, &count);
    weir_arena_free(&arena);
    if (count > 0 && !cascade) {
        return weir_fail(err, WEIR_INVALID, "database '%s' has %zu table%s; drop %s first, or say CASCADE",
                         path->database, count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
    }
    weir_memory_catalog_drop(&path->catalog->memory, path->database);
    return WEIR_OK;
}

static int drop_database(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err)
{
    weir_object_path path;
    bool exists = false;
    WEIR_TRY(weir_catalogs_database_path(&session->catalogs, &drop->name, &path, err));
    WEIR_TRY(weir_session_catalog_has_database(path.catalog, path.database, &exists, err));
    if (!exists && drop->if_exists) {
        *out = weir_result_done("There is no database '%s'", path.database);
        return WEIR_OK;
    }
    WEIR_TRY(weir_catalogs_check_database(&path, err));
    if (strcmp(path.catalog->name, session->catalogs.current_catalog) == 0 &&
        strcmp(path.database, session->catalogs.current_database) == 0) {
        return weir_fail_at(err, WEIR_INVALID, path.position.line, path.position.column,
                            "database '%s' is in use; USE another one first", path.database);
    }
    weir_catalog *catalog = path.catalog->paimon;
    int code = catalog != NULL ? catalog->ops->drop_database(catalog, path.database, drop->cascade, err)
                               : drop_memory_database(&path, drop->cascade, err);
    WEIR_TRY(weir_error_at(err, code, path.position));
    *out = weir_result_done("Dropped database '%s'", path.database);
    return WEIR_OK;
}

static int drop_permanent(const weir_object_path *path, bool *out_dropped, weir_error *err)
{
    bool exists = false;
    *out_dropped = false;
    if (path->catalog->paimon == NULL) {
        weir_definition *definition = weir_memory_catalog_take(&path->catalog->memory, path->database, path->name);
        *out_dropped = definition != NULL;
        weir_definition_free(definition);
        return WEIR_OK;
    }
    weir_catalog *catalog = path->catalog->paimon;
    WEIR_TRY(catalog->ops->table_exists(catalog, path->database, path->name, &exists, err));
    if (exists) {
        WEIR_TRY(catalog->ops->drop_table(catalog, path->database, path->name, err));
        *out_dropped = true;
    }
    return WEIR_OK;
}

static int check_no_view(const weir_session *session, const weir_object_path *path, weir_error *err)
{
    const weir_definition *definition = weir_catalogs_temporary(&session->catalogs, path);
    bool is_temporary = definition != NULL;
    if (!is_temporary && path->catalog->paimon == NULL) {
        definition = weir_memory_catalog_find(&path->catalog->memory, path->database, path->name);
    }
    if (definition != NULL && definition->description.view_query != NULL) {
        return weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                            "'%s' is a view; say DROP %sVIEW", path->name, is_temporary ? "TEMPORARY " : "");
    }
    return WEIR_OK;
}

static int drop_table(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err)
{
    weir_object_path path;
    bool dropped = false;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &drop->name, &path, err));
    WEIR_TRY(check_no_view(session, &path, err));
    bool has_temporary = weir_catalogs_temporary(&session->catalogs, &path) != NULL;
    if (has_temporary && !drop->temporary) {
        return weir_fail_at(err, WEIR_INVALID, path.position.line, path.position.column,
                            "'%s' is a temporary table, which hides any other of that name; say DROP TEMPORARY TABLE",
                            path.name);
    }
    if (has_temporary) {
        weir_definition_free(weir_catalogs_take_temporary(&session->catalogs, &path));
        dropped = true;
    } else if (!drop->temporary) {
        WEIR_TRY(weir_error_at(err, drop_permanent(&path, &dropped, err), path.position));
    }
    if (!dropped && drop->if_exists) {
        *out = weir_result_done("There is no table '%s'", path.name);
        return WEIR_OK;
    }
    if (!dropped && drop->temporary) {
        return weir_fail_at(err, WEIR_NOT_FOUND, path.position.line, path.position.column,
                            "there is no temporary table '%s' in %s.%s", path.name, path.catalog->name, path.database);
    }
    if (!dropped) {
        return weir_catalogs_no_table(&session->catalogs, &path, err);
    }
    *out = weir_result_done("Dropped table '%s'", path.name);
    return WEIR_OK;
}

int weir_session_drop(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err)
{
    switch (drop->object) {
    case WEIR_AST_OBJECT_CATALOG:
        return drop_catalog(session, drop, out, err);
    case WEIR_AST_OBJECT_DATABASE:
        return drop_database(session, drop, out, err);
    case WEIR_AST_OBJECT_TABLE:
        return drop_table(session, drop, out, err);
    case WEIR_AST_OBJECT_VIEW:
        return weir_session_drop_view(session, drop, out, err);
    case WEIR_AST_OBJECT_FUNCTION:
    case WEIR_AST_OBJECT_MODULES:
        break;
    }
    return weir_fail_at(err, WEIR_UNSUPPORTED, drop->name.position.line, drop->name.position.column,
                        "functions of one's own are not offered by this version");
}
