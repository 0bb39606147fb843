/* Names for completion: of catalogs, databases, tables and columns. */
#include "session/names.h"

#include "session/state.h"

/* Adds a copy. */
static void add_name(weir_names *names, const char *name)
{
    if (names->count == names->capacity) {
        size_t capacity = names->capacity == 0 ? 32 : names->capacity * 2;
        const char **items = WEIR_NEW_ARRAY(names->arena, const char *, capacity);
        if (names->count > 0) {
            memcpy(items, names->items, sizeof *items * names->count);
        }
        names->items = items;
        names->capacity = capacity;
    }
    names->items[names->count++] = weir_arena_strdup(names->arena, name);
}

static void add_all(weir_names *names, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_name(names, items[i]);
    }
}

void weir_session_catalog_names(const weir_session *session, weir_names *out)
{
    const weir_map *catalogs = &session->catalogs.catalogs;
    for (size_t i = 0; i < catalogs->entry_count; i++) {
        const weir_session_catalog *catalog = catalogs->entries[i].value;
        if (catalog != NULL) {
            add_name(out, catalog->name);
        }
    }
}

static weir_session_catalog *find_catalog(const weir_session *session, const char *name)
{
    return weir_catalogs_find(&session->catalogs, name != NULL ? name : session->catalogs.current_catalog);
}

void weir_session_database_names(const weir_session *session, const char *catalog, weir_names *out)
{
    weir_session_catalog *found = find_catalog(session, catalog);
    const char **names = NULL;
    size_t count = 0;
    weir_error ignored = {0};
    if (found != NULL && weir_session_catalog_databases(found, out->arena, &names, &count, &ignored) == WEIR_OK) {
        add_all(out, names, count);
    }
}

void weir_session_table_names(const weir_session *session, const char *catalog, const char *database, weir_names *out)
{
    weir_object_path path = {.catalog = find_catalog(session, catalog)};
    const char **names = NULL;
    size_t count = 0;
    weir_error ignored = {0};
    if (path.catalog == NULL) {
        return;
    }
    path.database = database != NULL ? database : session->catalogs.current_database;
    if (weir_catalogs_check_database(&path, &ignored) == WEIR_OK &&
        weir_catalogs_list_tables(&session->catalogs, &path, out->arena, &names, &count, &ignored) == WEIR_OK) {
        add_all(out, names, count);
    }
}

void weir_session_column_names(weir_session *session, const char *const *parts, int32_t count, weir_names *out)
{
    weir_ast_part copies[3];
    weir_ast_name name = {.parts = copies, .count = count};
    weir_description description;
    weir_object_path path;
    bool is_temporary;
    weir_error ignored = {0};
    if (count < 1 || count > 3) {
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        copies[i] = (weir_ast_part){.text = parts[i]};
    }
    if (weir_session_describe(session, &name, out->arena, &description, &path, &is_temporary, NULL, &ignored) !=
        WEIR_OK) {
        return;
    }
    for (int32_t i = 0; i < description.columns.column_count; i++) {
        add_name(out, description.columns.columns[i].name);
    }
}
