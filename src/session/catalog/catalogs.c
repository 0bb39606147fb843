/* Catalogs of a session: making and finding them, and resolving names of statements to places in them. */
#include "session/catalog/catalogs.h"

#include <stdlib.h>

#include "base/text.h"

#define DEFAULT_CATALOG  "default_catalog"
#define DEFAULT_DATABASE "default_database"

/* ---- making and freeing ---- */

static void free_catalog(weir_session_catalog *catalog)
{
    if (catalog != NULL) {
        weir_catalog_close(catalog->paimon);
        weir_memory_catalog_free(&catalog->memory);
        weir_arena_free(&catalog->arena);
        free(catalog);
    }
}

static weir_session_catalog *new_catalog(const char *name, const weir_options *options, const char *comment)
{
    weir_session_catalog *catalog = weir_alloc_zeroed(1, sizeof *catalog);
    weir_arena_init(&catalog->arena);
    catalog->name = weir_arena_strdup(&catalog->arena, name);
    catalog->comment = weir_arena_strdup(&catalog->arena, comment);
    weir_options_merge(&catalog->arena, options, NULL, &catalog->options);
    return catalog;
}

void weir_catalogs_init(weir_catalogs *catalogs)
{
    weir_options none = {0};
    *catalogs = (weir_catalogs){0};
    weir_session_catalog *catalog = new_catalog(DEFAULT_CATALOG, &none, NULL);
    weir_options_set(&catalog->options, &catalog->arena, "type", "generic_in_memory");
    catalog->default_database = DEFAULT_DATABASE;
    weir_memory_catalog_create(&catalog->memory, DEFAULT_DATABASE);
    weir_map_put(&catalogs->catalogs, weir_slice_text(DEFAULT_CATALOG), catalog);
    weir_catalogs_use(catalogs, DEFAULT_CATALOG, DEFAULT_DATABASE);
}

void weir_catalogs_free(weir_catalogs *catalogs)
{
    for (size_t i = 0; i < catalogs->catalogs.entry_count; i++) {
        free_catalog(catalogs->catalogs.entries[i].value);
    }
    for (size_t i = 0; i < catalogs->temporaries.entry_count; i++) {
        weir_definition_free(catalogs->temporaries.entries[i].value);
    }
    weir_map_free(&catalogs->catalogs);
    weir_map_free(&catalogs->temporaries);
    free(catalogs->current_catalog);
    free(catalogs->current_database);
    *catalogs = (weir_catalogs){0};
}

/* ---- CREATE CATALOG ---- */

typedef enum option_part { OPTION_KEY, OPTION_VALUE } option_part;

/* An error at a pair of the WITH clause, or without a place where there is none. */
static int fail_option(const weir_ast_options *positions, const char *key, option_part part, weir_code code,
                       const char *message, weir_error *err)
{
    for (int32_t i = 0; positions != NULL && i < positions->count; i++) {
        if (strcmp(positions->items[i].key, key) == 0) {
            weir_position at = part == OPTION_KEY ? positions->items[i].position : positions->items[i].value_position;
            return weir_fail_at(err, code, at.line, at.column, "%s", message);
        }
    }
    return weir_fail(err, code, "%s", message);
}

static const char *const catalog_keys[] = {"type", "warehouse", "metastore", "default-database"};

/* Options of file systems, of tables, and of other engines' clients. */
static bool is_further_key(const char *key)
{
    static const char *const prefixes[] = {"cache",
                                           "lock.",
                                           "client-pool",
                                           "table-default.",
                                           "sync-all-properties",
                                           "property-version",
                                           "table.type",
                                           "format-table.",
                                           "allow-upper-case",
                                           "locations",
                                           "uri",
                                           "token"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static int check_catalog_keys(const weir_options *options, const weir_ast_options *positions, weir_error *err)
{
    size_t known = sizeof catalog_keys / sizeof *catalog_keys;
    for (size_t i = 0; i < options->count; i++) {
        weir_error reason;
        if (weir_fs_is_setting(options->keys[i])) {
            if (weir_fs_check_setting(options->keys[i], &reason) != WEIR_OK) {
                return fail_option(positions, options->keys[i], OPTION_KEY, WEIR_INVALID, reason.message, err);
            }
            continue;
        }
        bool found = is_further_key(options->keys[i]);
        for (size_t j = 0; j < known; j++) {
            found = found || strcmp(catalog_keys[j], options->keys[i]) == 0;
        }
        if (!found) {
            char message[256];
            const char *near = weir_suggest(options->keys[i], catalog_keys, known);
            snprintf(message, sizeof message, "there is no catalog option '%.100s'%s%s%s", options->keys[i],
                     near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
            return fail_option(positions, options->keys[i], OPTION_KEY, WEIR_INVALID, message, err);
        }
    }
    return WEIR_OK;
}

/* A new warehouse is not made within a table: its path was given in place of that of its warehouse. */
static int refuse_table(weir_session_catalog *catalog, weir_error *err)
{
    const char *folder = catalog->paimon->warehouse;
    weir_schema *schema = NULL;
    if (weir_schema_read_latest(catalog->paimon->fs, folder, &catalog->arena, &schema, NULL) != WEIR_OK) {
        return WEIR_OK;
    }
    int size = (int)strlen(folder); /* of WAREHOUSE/DATABASE.db/TABLE, without the last two */
    for (int slashes = 0; slashes < 2 && size > 0; size--) {
        slashes += folder[size - 1] == '/';
    }
    return weir_fail(err, WEIR_INVALID,
                     "%s: this is a table; the warehouse is the folder of the folder of its database: %.*s", folder,
                     size, folder);
}

static int open_paimon(weir_session_catalog *catalog, const weir_ast_options *positions, weir_error *err)
{
    const char *warehouse = weir_options_get(&catalog->options, "warehouse");
    const char *metastore = weir_options_get(&catalog->options, "metastore");
    if (metastore != NULL && strcmp(metastore, "filesystem") != 0) {
        return fail_option(positions, "metastore", OPTION_VALUE, WEIR_UNSUPPORTED,
                           "of the kinds of 'metastore' only 'filesystem' is offered by this version", err);
    }
    if (warehouse == NULL) {
        return fail_option(positions, "type", OPTION_KEY, WEIR_INVALID,
                           "a Paimon catalog needs 'warehouse', the folder of its tables", err);
    }
    weir_fs_settings settings = weir_options_fs_settings(&catalog->options);
    WEIR_TRY(weir_catalog_open_filesystem(warehouse, &settings, &catalog->paimon, err));
    bool exists = false;
    WEIR_TRY(catalog->paimon->ops->database_exists(catalog->paimon, catalog->default_database, &exists, err));
    if (!exists) {
        WEIR_TRY(refuse_table(catalog, err));
    }
    catalog->paimon->default_database = catalog->default_database;
    return WEIR_OK;
}

static int open_catalog(weir_session_catalog *catalog, const weir_ast_options *positions, weir_error *err)
{
    const char *type = weir_options_get(&catalog->options, "type");
    const char *database = weir_options_get(&catalog->options, "default-database");
    catalog->default_database = database != NULL ? database : "default";
    if (type == NULL) {
        return weir_fail(err, WEIR_INVALID, "a catalog needs 'type': 'paimon' or 'generic_in_memory'");
    }
    if (strcmp(type, "paimon") == 0) {
        return open_paimon(catalog, positions, err);
    }
    if (strcmp(type, "generic_in_memory") == 0) {
        weir_memory_catalog_create(&catalog->memory, catalog->default_database);
        return WEIR_OK;
    }
    static const char *const types[] = {"paimon", "generic_in_memory"};
    const char *near = weir_suggest(type, types, 2);
    char message[256];
    snprintf(message, sizeof message, "there is no catalog type '%.100s'; %s%s%s", type,
             near == NULL ? "those there are: 'paimon', 'generic_in_memory'" : "did you mean '",
             near == NULL ? "" : near, near == NULL ? "" : "'?");
    return fail_option(positions, "type", OPTION_VALUE, WEIR_INVALID, message, err);
}

int weir_catalogs_create(weir_catalogs *catalogs, const char *name, const weir_options *options, const char *comment,
                         const weir_ast_options *positions, weir_error *err)
{
    WEIR_TRY(check_catalog_keys(options, positions, err));
    weir_session_catalog *catalog = new_catalog(name, options, comment);
    int code = open_catalog(catalog, positions, err);
    if (code != WEIR_OK) {
        free_catalog(catalog);
        return code;
    }
    weir_map_put(&catalogs->catalogs, weir_slice_text(name), catalog);
    return WEIR_OK;
}

void weir_catalogs_drop(weir_catalogs *catalogs, const char *name)
{
    free_catalog(weir_map_remove(&catalogs->catalogs, weir_slice_text(name)));
}

/* ---- finding ---- */

void weir_catalogs_use(weir_catalogs *catalogs, const char *catalog, const char *database)
{
    /* The names may be the current ones. */
    char *catalog_copy = weir_strdup(catalog);
    char *database_copy = weir_strdup(database);
    free(catalogs->current_catalog);
    free(catalogs->current_database);
    catalogs->current_catalog = catalog_copy;
    catalogs->current_database = database_copy;
}

weir_session_catalog *weir_catalogs_find(const weir_catalogs *catalogs, const char *name)
{
    return weir_map_get(&catalogs->catalogs, weir_slice_text(name));
}

/* "; did you mean 'x'?" for an unknown name, in `out`. */
static const char *suggestion(const char *word, const char *const *names, size_t count, char *out, size_t size)
{
    const char *near = weir_suggest(word, names, count);
    out[0] = '\0';
    if (near != NULL) {
        snprintf(out, size, "; did you mean '%s'?", near);
    }
    return out;
}

/* "; its warehouse … is not there (yet)" of a catalog that is a folder which nobody has made: its name is wrong,
 * perhaps. */
static const char *no_warehouse(const weir_session_catalog *catalog, char *out, size_t size)
{
    weir_catalog *paimon = catalog->paimon;
    bool exists = true;
    out[0] = '\0';
    if (paimon != NULL && weir_fs_folder_exists(paimon->fs, paimon->warehouse, &exists, NULL) == WEIR_OK && !exists) {
        snprintf(out, size, "; its warehouse '%s' is not there (yet)", paimon->warehouse);
    }
    return out;
}

int weir_catalogs_check_warehouse(const weir_session_catalog *catalog, weir_error *err)
{
    char text[512];
    return no_warehouse(catalog, text, sizeof text)[0] == '\0'
               ? WEIR_OK
               : weir_fail(err, WEIR_NOT_FOUND, "%s; is its name right?", text + strlen("; its "));
}

int weir_catalogs_get(const weir_catalogs *catalogs, const weir_ast_part *part, weir_session_catalog **out,
                      weir_error *err)
{
    *out = weir_catalogs_find(catalogs, part->text);
    if (*out != NULL) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    const char **names;
    size_t count;
    char near[256];
    weir_map_names(&catalogs->catalogs, &arena, &names, &count);
    const char *what_to_do = suggestion(part->text, names, count, near, sizeof near);
    int code = weir_fail_at(err, WEIR_NOT_FOUND, part->position.line, part->position.column,
                            "there is no catalog '%s'%s", part->text,
                            *what_to_do != '\0' ? what_to_do : "; CREATE CATALOG makes one, SHOW CATALOGS lists them");
    weir_arena_free(&arena);
    return code;
}

const char *weir_object_path_text(const weir_object_path *path, weir_arena *arena)
{
    return weir_arena_format(arena, "%s.%s.%s", path->catalog->name, path->database, path->name);
}

int weir_catalogs_table_path(const weir_catalogs *catalogs, const weir_ast_name *name, weir_object_path *out,
                             weir_error *err)
{
    if (name->count < 1 || name->count > 3) {
        return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                            "a table's name has one to three parts: catalog.database.table");
    }
    *out = (weir_object_path){
        .name = name->parts[name->count - 1].text,
        .database = name->count > 1 ? name->parts[name->count - 2].text : catalogs->current_database,
        .position = name->position,
    };
    if (name->count == 3) {
        return weir_catalogs_get(catalogs, &name->parts[0], &out->catalog, err);
    }
    out->catalog = weir_catalogs_find(catalogs, catalogs->current_catalog);
    return WEIR_OK;
}

int weir_catalogs_database_path(const weir_catalogs *catalogs, const weir_ast_name *name, weir_object_path *out,
                                weir_error *err)
{
    if (name->count > 2) {
        return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                            "a database's name has one or two parts: catalog.database");
    }
    *out = (weir_object_path){
        .database = name->count > 0 ? name->parts[name->count - 1].text : catalogs->current_database,
        .position = name->position,
    };
    if (name->count == 2) {
        return weir_catalogs_get(catalogs, &name->parts[0], &out->catalog, err);
    }
    out->catalog = weir_catalogs_find(catalogs, catalogs->current_catalog);
    return WEIR_OK;
}

/* A path with a slip in it leads to a new warehouse. "; its warehouse '…' holds no tables" where that may be what has
 * happened, otherwise nothing, in `out`. */
static const char *note_of_empty(weir_session_catalog *catalog, char *out, size_t size)
{
    const char **names = NULL;
    size_t databases = 0, tables = 0;
    weir_arena arena;
    if (no_warehouse(catalog, out, size)[0] != '\0') {
        return out;
    }
    weir_arena_init(&arena);
    bool is_empty =
        catalog->paimon != NULL &&
        weir_session_catalog_databases(catalog, &arena, &names, &databases, NULL) == WEIR_OK && databases == 1 &&
        weir_session_catalog_tables(catalog, names[0], &arena, &names, &tables, NULL) == WEIR_OK && tables == 0;
    if (is_empty) {
        snprintf(out, size, "; its warehouse '%s' holds no tables", catalog->paimon->warehouse);
    }
    weir_arena_free(&arena);
    return out;
}

int weir_catalogs_check_database(const weir_object_path *path, weir_error *err)
{
    bool exists = false;
    WEIR_TRY(weir_session_catalog_has_database(path->catalog, path->database, &exists, err));
    if (exists) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    const char **names = NULL;
    size_t count = 0;
    char near[256], note[512];
    int code = weir_session_catalog_databases(path->catalog, &arena, &names, &count, err);
    if (code == WEIR_OK) {
        const char *what_to_do = suggestion(path->database, names, count, near, sizeof near);
        what_to_do = *what_to_do != '\0' ? what_to_do : note_of_empty(path->catalog, note, sizeof note);
        code = weir_fail_at(err, WEIR_NOT_FOUND, path->position.line, path->position.column,
                            "there is no database '%s' in catalog '%s'%s", path->database, path->catalog->name,
                            *what_to_do != '\0' ? what_to_do : "; CREATE DATABASE makes one");
    }
    weir_arena_free(&arena);
    return code;
}

int weir_catalogs_no_table(const weir_catalogs *catalogs, const weir_object_path *path, weir_error *err)
{
    WEIR_TRY(weir_catalogs_check_database(path, err));
    weir_arena arena;
    weir_arena_init(&arena);
    const char **names = NULL;
    size_t count = 0;
    char near[256], note[512];
    int code = weir_catalogs_list_tables(catalogs, path, &arena, &names, &count, err);
    if (code == WEIR_OK) {
        code = weir_fail_at(err, WEIR_NOT_FOUND, path->position.line, path->position.column,
                            "there is no table '%s' in %s.%s%s%s", path->name, path->catalog->name, path->database,
                            suggestion(path->name, names, count, near, sizeof near),
                            count == 0 ? note_of_empty(path->catalog, note, sizeof note) : "");
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- both kinds of catalogs ---- */

int weir_session_catalog_databases(weir_session_catalog *catalog, weir_arena *arena, const char ***out,
                                   size_t *out_count, weir_error *err)
{
    if (catalog->paimon != NULL) {
        return catalog->paimon->ops->list_databases(catalog->paimon, arena, out, out_count, err);
    }
    weir_memory_catalog_databases(&catalog->memory, arena, out, out_count);
    return WEIR_OK;
}

int weir_session_catalog_has_database(weir_session_catalog *catalog, const char *database, bool *out, weir_error *err)
{
    if (catalog->paimon != NULL) {
        return catalog->paimon->ops->database_exists(catalog->paimon, database, out, err);
    }
    *out = weir_memory_catalog_has(&catalog->memory, database);
    return WEIR_OK;
}

int weir_session_catalog_tables(weir_session_catalog *catalog, const char *database, weir_arena *arena,
                                const char ***out, size_t *out_count, weir_error *err)
{
    if (catalog->paimon != NULL) {
        return catalog->paimon->ops->list_tables(catalog->paimon, database, arena, out, out_count, err);
    }
    weir_memory_catalog_tables(&catalog->memory, database, arena, out, out_count);
    return WEIR_OK;
}

int weir_session_catalog_has_table(weir_session_catalog *catalog, const char *database, const char *table, bool *out,
                                   weir_error *err)
{
    if (catalog->paimon != NULL) {
        return catalog->paimon->ops->table_exists(catalog->paimon, database, table, out, err);
    }
    *out = weir_memory_catalog_find(&catalog->memory, database, table) != NULL;
    return WEIR_OK;
}

/* ---- temporary tables ---- */

/* Catalog, database and table, each with its NUL. */
static void append_key(const weir_object_path *path, weir_buffer *out)
{
    const char *parts[] = {path->catalog->name, path->database, path->name};
    for (int i = 0; i < 3; i++) {
        if (parts[i] != NULL) {
            weir_buffer_append(out, parts[i], strlen(parts[i]) + 1);
        }
    }
}

weir_definition *weir_catalogs_temporary(const weir_catalogs *catalogs, const weir_object_path *path)
{
    weir_buffer key = {0};
    append_key(path, &key);
    weir_definition *definition = weir_map_get(&catalogs->temporaries, weir_buffer_slice(&key));
    weir_buffer_free(&key);
    return definition;
}

void weir_catalogs_put_temporary(weir_catalogs *catalogs, const weir_object_path *path, weir_definition *definition)
{
    weir_buffer key = {0};
    append_key(path, &key);
    weir_map_put(&catalogs->temporaries, weir_buffer_slice(&key), definition);
    weir_buffer_free(&key);
}

weir_definition *weir_catalogs_take_temporary(weir_catalogs *catalogs, const weir_object_path *path)
{
    weir_buffer key = {0};
    append_key(path, &key);
    weir_definition *definition = weir_map_remove(&catalogs->temporaries, weir_buffer_slice(&key));
    weir_buffer_free(&key);
    return definition;
}

/* The temporary definitions of a database, added to `names`. */
static void add_temporaries(const weir_catalogs *catalogs, const weir_object_path *database, bool views_only,
                            weir_map *names)
{
    weir_buffer prefix = {0};
    weir_object_path folder = {.catalog = database->catalog, .database = database->database};
    append_key(&folder, &prefix);
    for (size_t i = 0; i < catalogs->temporaries.entry_count; i++) {
        const weir_map_entry *entry = &catalogs->temporaries.entries[i];
        const weir_definition *definition = entry->value;
        if (definition != NULL && entry->key.size > prefix.size &&
            memcmp(entry->key.data, prefix.data, prefix.size) == 0 &&
            (!views_only || definition->description.view_query != NULL)) {
            weir_map_put(names, weir_slice_text(definition->name), names);
        }
    }
    weir_buffer_free(&prefix);
}

int weir_catalogs_list_views(const weir_catalogs *catalogs, const weir_object_path *database, weir_arena *arena,
                             const char ***out, size_t *out_count, weir_error *err)
{
    const char **permanent = NULL;
    size_t count = 0;
    weir_map names = {0};
    weir_session_catalog *catalog = database->catalog;
    if (catalog->paimon == NULL) {
        WEIR_TRY(weir_session_catalog_tables(catalog, database->database, arena, &permanent, &count, err));
    }
    for (size_t i = 0; i < count; i++) {
        const weir_definition *definition =
            weir_memory_catalog_find(&catalog->memory, database->database, permanent[i]);
        if (definition->description.view_query != NULL) {
            weir_map_put(&names, weir_slice_text(permanent[i]), &names);
        }
    }
    add_temporaries(catalogs, database, true, &names);
    weir_map_names(&names, arena, out, out_count);
    weir_map_free(&names);
    return WEIR_OK;
}

int weir_catalogs_list_tables(const weir_catalogs *catalogs, const weir_object_path *database, weir_arena *arena,
                              const char ***out, size_t *out_count, weir_error *err)
{
    const char **permanent = NULL;
    size_t count = 0;
    weir_map names = {0};
    WEIR_TRY(weir_session_catalog_tables(database->catalog, database->database, arena, &permanent, &count, err));
    for (size_t i = 0; i < count; i++) {
        weir_map_put(&names, weir_slice_text(permanent[i]), &names);
    }
    add_temporaries(catalogs, database, false, &names);
    weir_map_names(&names, arena, out, out_count);
    weir_map_free(&names);
    return WEIR_OK;
}
