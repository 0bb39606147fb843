/* ALTER TABLE: finding the table, and what is done with those that the session keeps itself. */
#include "session/ddl/alter.h"

#include "connect/source.h"
#include "session/ddl/create_table.h"
#include "session/ddl/partitions.h"

/* ---- columns ---- */

static int bind_draft(weir_session *session, const weir_ast_create_table *draft, weir_definition *definition,
                      weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_bound_columns *columns = &definition->description.columns;
    WEIR_TRY(weir_bind_create_table(&context, draft, session->text, &definition->arena, columns, err));
    weir_definition_keep_columns(definition);
    return WEIR_OK;
}

/* The definition takes the place of the one that was there. */
static void replace_definition(const weir_object_path *path, weir_definition *definition)
{
    weir_definition_free(weir_memory_catalog_take(&path->catalog->memory, path->database, path->name));
    weir_memory_catalog_put(&path->catalog->memory, path->database, definition);
}

/* What the connector says of the columns of a table that the session keeps. */
static int check_kept_columns(const weir_object_path *path, const weir_ast_create_table *draft,
                              const weir_description *description, weir_arena *arena, weir_error *err)
{
    const char *connector = weir_options_get(&description->options, "connector");
    if (strcmp(connector, "paimon") == 0) {
        return WEIR_OK; /* compared with the table in the folder when it is used */
    }
    const weir_connector_schema schema =
        weir_description_connector_schema(description, weir_object_path_text(path, arena), arena);
    WEIR_TRY(weir_error_at(err, weir_connector_check(&description->options, &schema, err), path->position));
    return weir_check_metadata(draft, description, arena, err);
}

static int alter_columns(weir_session *session, const weir_object_path *path, const weir_ast_alter *alter,
                         const weir_description *old, weir_arena *arena, weir_error *err)
{
    weir_alter_draft self = {.arena = arena, .alter = alter};
    weir_definition *definition = weir_definition_create(path->name);
    weir_description *description = &definition->description;
    int code = WEIR_OK;
    WEIR_GO(weir_error_at(err, weir_table_draft(old, &alter->name, alter->column_count, arena, &self.draft, err),
                          path->position));
    WEIR_GO(weir_alter_columns(&self, err));
    WEIR_GO(bind_draft(session, self.draft, definition, err));
    if (path->catalog->paimon != NULL) {
        WEIR_GO(weir_alter_paimon(path, &self, old, &description->columns, err));
    } else {
        weir_options_merge(&definition->arena, &old->options, NULL, &description->options);
        description->comment = weir_arena_strdup(&definition->arena, old->comment);
        WEIR_GO(check_kept_columns(path, self.draft, description, arena, err));
        replace_definition(path, definition);
        definition = NULL;
    }
done:
    weir_definition_free(definition);
    return code;
}

/* ---- options ---- */

static int check_changed_options(const weir_object_path *path, const weir_ast_alter *alter,
                                 const weir_description *description, weir_arena *arena, weir_error *err)
{
    const weir_connector_schema schema =
        weir_description_connector_schema(description, weir_object_path_text(path, arena), arena);
    int code = weir_connector_check(&description->options, &schema, err);
    for (int32_t i = 0; code != WEIR_OK && i < alter->options.count; i++) {
        char quoted[160];
        snprintf(quoted, sizeof quoted, "'%.150s'", alter->options.items[i].key);
        if (strstr(err->message, quoted) != NULL) {
            return weir_error_at(err, code, alter->options.items[i].position);
        }
    }
    return weir_error_at(err, code, alter->name.position);
}

static int alter_kept_options(const weir_object_path *path, const weir_ast_alter *alter, weir_definition *definition,
                              weir_arena *arena, weir_error *err)
{
    weir_description *description = &definition->description;
    weir_description changed = *description;
    weir_options_merge(arena, &description->options, NULL, &changed.options);
    for (int32_t i = 0; i < alter->names.count; i++) {
        const weir_ast_part *key = &alter->names.items[i];
        if (strcmp(key->text, "connector") == 0) {
            return weir_fail_at(err, WEIR_INVALID, key->position.line, key->position.column,
                                "'connector' says what the table is and cannot be reset");
        }
        weir_options_unset(&changed.options, key->text);
    }
    weir_options_of_ast(&alter->options, arena, &changed.options);
    const char *connector = weir_options_get(&changed.options, "connector");
    if (connector != NULL && strcmp(connector, "paimon") != 0) {
        WEIR_TRY(check_changed_options(path, alter, &changed, arena, err));
    }
    weir_options_merge(&definition->arena, &changed.options, NULL, &description->options);
    return WEIR_OK;
}

static int alter_options(const weir_object_path *path, const weir_ast_alter *alter, weir_arena *arena, weir_error *err)
{
    if (path->catalog->paimon != NULL) {
        return weir_alter_paimon_options(path, alter, arena, err);
    }
    return alter_kept_options(path, alter, weir_memory_catalog_find(&path->catalog->memory, path->database, path->name),
                              arena, err);
}

/* ---- RENAME TO ---- */

static int rename_table(weir_session *session, const weir_object_path *path, const weir_ast_alter *alter,
                        weir_error *err)
{
    weir_object_path target;
    bool taken = false;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &alter->new_name, &target, err));
    if (alter->new_name.count == 1) {
        target.catalog = path->catalog;
        target.database = path->database;
    }
    weir_position at = target.position;
    if (target.catalog != path->catalog || strcmp(target.database, path->database) != 0) {
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column,
                            "RENAME keeps a table in its database, which is %s.%s", path->catalog->name,
                            path->database);
    }
    WEIR_TRY(weir_session_catalog_has_table(target.catalog, target.database, target.name, &taken, err));
    if (taken) {
        return weir_fail_at(err, WEIR_EXISTS, at.line, at.column, "there is a table '%s' in %s.%s already", target.name,
                            path->catalog->name, path->database);
    }
    weir_catalog *catalog = path->catalog->paimon;
    if (catalog != NULL) {
        return weir_error_at(err, catalog->ops->rename_table(catalog, path->database, path->name, target.name, err),
                             at);
    }
    weir_definition *definition = weir_memory_catalog_take(&path->catalog->memory, path->database, path->name);
    definition->name = weir_arena_strdup(&definition->arena, target.name);
    weir_memory_catalog_put(&path->catalog->memory, path->database, definition);
    return WEIR_OK;
}

/* ---- partitions ---- */

static int drop_partition(const weir_session_table *table, const weir_ast_alter *alter, const weir_ast_options *wanted,
                          weir_arena *arena, weir_error *err)
{
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_partitions_list(table, wanted, arena, &names, &count, err));
    if (count > 0) {
        return weir_partitions_drop(table, wanted, err);
    }
    if (alter->if_exists) {
        return WEIR_OK;
    }
    return weir_fail_at(err, WEIR_NOT_FOUND, wanted->items[0].position.line, wanted->items[0].position.column,
                        "table '%s' has no such partition; SHOW PARTITIONS lists them", table->base.name);
}

static int alter_partitions(weir_session *session, const weir_ast_alter *alter, weir_arena *arena, weir_error *err)
{
    weir_sql_table *table = NULL;
    int code = WEIR_OK;
    WEIR_TRY(weir_session_open_table(session, &alter->name, arena, &table, err));
    for (int32_t i = 0; i < alter->partition_count; i++) {
        const char **names = NULL;
        size_t count = 0;
        if (alter->kind == WEIR_AST_ALTER_DROP_PARTITIONS) {
            WEIR_GO(drop_partition(table->owner, alter, &alter->partitions[i], arena, err));
        } else {
            /* A partition is there as soon as it has rows: nothing is to be made, but its values are checked. */
            WEIR_GO(weir_partitions_list(table->owner, &alter->partitions[i], arena, &names, &count, err));
        }
    }
done:
    table->close(table);
    return code;
}

/* ---- the statement ---- */

static int check_alterable(const weir_object_path *path, bool is_temporary, weir_error *err)
{
    weir_position at = path->position;
    if (is_temporary) {
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column,
                            "'%s' is a temporary table, which ALTER TABLE does not change; DROP TEMPORARY TABLE and "
                            "CREATE it anew",
                            path->name);
    }
    if (path->catalog->paimon != NULL && strchr(path->name, '$') != NULL) {
        return weir_fail_at(err, WEIR_INVALID, at.line, at.column, "'%s' is a system table and cannot be altered",
                            path->name);
    }
    return WEIR_OK;
}

static int alter_table(weir_session *session, const weir_object_path *path, const weir_ast_alter *alter,
                       const weir_description *old, weir_arena *arena, weir_error *err)
{
    switch (alter->kind) {
    case WEIR_AST_ALTER_SET_OPTIONS:
    case WEIR_AST_ALTER_RESET_OPTIONS:
        return alter_options(path, alter, arena, err);
    case WEIR_AST_ALTER_RENAME_TABLE:
        return rename_table(session, path, alter, err);
    case WEIR_AST_ALTER_ADD_PARTITIONS:
    case WEIR_AST_ALTER_DROP_PARTITIONS:
        return alter_partitions(session, alter, arena, err);
    default:
        return alter_columns(session, path, alter, old, arena, err);
    }
}

int weir_session_alter_table(weir_session *session, const weir_ast_alter *alter, weir_result **out, weir_error *err)
{
    weir_object_path path;
    weir_arena arena;
    weir_description old;
    bool is_temporary = false;
    weir_arena_init(&arena);
    int code = WEIR_OK;
    WEIR_GO(weir_catalogs_table_path(&session->catalogs, &alter->name, &path, err));
    const weir_definition *temporary = weir_catalogs_temporary(&session->catalogs, &path);
    WEIR_GO(check_alterable(&path, temporary != NULL && temporary->description.view_query == NULL, err));
    code = weir_session_describe(session, &alter->name, &arena, &old, &path, &is_temporary, NULL, err);
    bool is_drop_partition = alter->kind == WEIR_AST_ALTER_DROP_PARTITIONS;
    if (code == WEIR_NOT_FOUND && alter->if_exists && !is_drop_partition) {
        weir_error_clear(err);
        code = WEIR_OK;
        *out = weir_result_done("There is no table '%s'", path.name);
        goto done;
    }
    WEIR_GO(code);
    if (old.view_query != NULL) {
        WEIR_GO(weir_fail_at(err, WEIR_INVALID, path.position.line, path.position.column,
                             "'%s' is a view; ALTER VIEW changes its query and its name", path.name));
    }
    WEIR_GO(alter_table(session, &path, alter, &old, &arena, err));
    *out = weir_result_done("Altered table '%s'", path.name);
done:
    weir_arena_free(&arena);
    return code;
}
