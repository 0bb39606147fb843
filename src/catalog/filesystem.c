/* The catalog that is a folder.
 *
 *   <warehouse>/<database>.db/<table>/schema/schema-0
 *
 * A database is a folder; its properties are not kept, as in Paimon's FileSystemCatalog. A folder is a table when it
 * has a schema: publishing schema-0 creates a table, atomically, and removing its folder drops it. */
#include <stdlib.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/table_folder.h"
#include "merge/merge_engine.h"

#define DATABASE_SUFFIX ".db"

typedef struct filesystem_catalog {
    weir_catalog base;
    weir_arena arena;
    bool owns_fs;
} filesystem_catalog;

/* ---- names and paths ---- */

static int check_name(const char *what, const char *name, weir_error *err)
{
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strchr(name, '/') != NULL) {
        return weir_fail(err, WEIR_INVALID, "'%s' cannot be the name of a %s, for it is that of a folder", name, what);
    }
    return WEIR_OK;
}

static int check_new_table_name(const char *name, weir_error *err)
{
    WEIR_TRY(check_name("table", name, err));
    if (strchr(name, '$') != NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "'%s' cannot be the name of a table: $ separates a table from its system "
                         "tables",
                         name);
    }
    return WEIR_OK;
}

static const char *database_path(const weir_catalog *catalog, weir_arena *arena, const char *database)
{
    return weir_arena_format(arena, "%s/%s" DATABASE_SUFFIX, catalog->warehouse, database);
}

static const char *path_of_table(const weir_catalog *catalog, weir_arena *arena, const char *database,
                                 const char *table)
{
    return weir_arena_format(arena, "%s/%s" DATABASE_SUFFIX "/%s", catalog->warehouse, database, table);
}

/* ---- databases ---- */

static int list_databases(weir_catalog *catalog, weir_arena *arena, const char ***out, size_t *out_count,
                          weir_error *err)
{
    weir_file_info *files = NULL;
    size_t file_count = 0;
    WEIR_TRY(weir_fs_list(catalog->fs, catalog->warehouse, arena, &files, &file_count, err));
    const char **names = WEIR_NEW_ARRAY(arena, const char *, file_count + 1);
    const char *missing = catalog->default_database;
    size_t count = 0;
    size_t suffix = strlen(DATABASE_SUFFIX);
    for (size_t i = 0; i < file_count; i++) {
        size_t size = strlen(files[i].name);
        if (files[i].is_directory && size > suffix && strcmp(files[i].name + size - suffix, DATABASE_SUFFIX) == 0) {
            names[count++] = weir_arena_strndup(arena, files[i].name, size - suffix);
            missing = missing != NULL && strcmp(missing, names[count - 1]) == 0 ? NULL : missing;
        }
    }
    if (missing != NULL) {
        size_t at = count++;
        for (; at > 0 && strcmp(names[at - 1], missing) > 0; at--) {
            names[at] = names[at - 1];
        }
        names[at] = weir_arena_strdup(arena, missing);
    }
    *out = names;
    *out_count = count;
    return WEIR_OK;
}

static int find_database(weir_catalog *catalog, const char *database, weir_arena *arena, bool *out, weir_error *err)
{
    const char *default_database = catalog->default_database;
    WEIR_TRY(check_name("database", database, err));
    if (default_database != NULL && strcmp(default_database, database) == 0) {
        *out = true;
        return WEIR_OK;
    }
    return weir_fs_folder_exists(catalog->fs, database_path(catalog, arena, database), out, err);
}

static int suggest(const char *what, const char *name, const char *const *names, size_t count, weir_error *err)
{
    const char *near = weir_suggest(name, names, count);
    if (near == NULL) {
        return weir_fail(err, WEIR_NOT_FOUND, "the %s '%s' does not exist", what, name);
    }
    return weir_fail(err, WEIR_NOT_FOUND, "the %s '%s' does not exist; did you mean '%s'?", what, name, near);
}

/* Fails when there is no such database. */
static int need_database(weir_catalog *catalog, const char *database, weir_arena *arena, weir_error *err)
{
    bool exists = false;
    WEIR_TRY(find_database(catalog, database, arena, &exists, err));
    if (exists) {
        return WEIR_OK;
    }
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(list_databases(catalog, arena, &names, &count, err));
    return suggest("database", database, names, count, err);
}

static int create_database_in(weir_catalog *catalog, const char *database, weir_arena *arena, weir_error *err)
{
    bool exists = false;
    WEIR_TRY(find_database(catalog, database, arena, &exists, err));
    if (strcmp(database, "sys") == 0) {
        return weir_fail(err, WEIR_INVALID, "the database name 'sys' is reserved for system tables and procedures");
    }
    if (exists) {
        return weir_fail(err, WEIR_EXISTS, "the database '%s' exists already", database);
    }
    return weir_fs_make_directories(catalog->fs, database_path(catalog, arena, database), err);
}

/* ---- tables ---- */

static int list_tables_in(weir_catalog *catalog, const char *database, weir_arena *arena, const char ***out,
                          size_t *out_count, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t file_count = 0;
    WEIR_TRY(need_database(catalog, database, arena, err));
    WEIR_TRY(weir_fs_list(catalog->fs, database_path(catalog, arena, database), arena, &files, &file_count, err));
    const char **names = WEIR_NEW_ARRAY(arena, const char *, file_count);
    size_t count = 0;
    for (size_t i = 0; i < file_count; i++) {
        bool found = false;
        if (files[i].is_directory) {
            WEIR_TRY(weir_catalog_is_table(catalog->fs,
                                           path_of_table(catalog, arena, database, files[i].name), arena, &found, err));
        }
        if (found) {
            names[count++] = files[i].name;
        }
    }
    *out = names;
    *out_count = count;
    return WEIR_OK;
}

static int find_table(weir_catalog *catalog, const char *database, const char *table, weir_arena *arena, bool *out,
                      weir_error *err)
{
    WEIR_TRY(check_name("database", database, err));
    WEIR_TRY(check_name("table", table, err));
    return weir_catalog_is_table(catalog->fs, path_of_table(catalog, arena, database, table), arena, out, err);
}

/* Fails when there is no such table. */
static int need_table(weir_catalog *catalog, const char *database, const char *table, weir_arena *arena,
                      weir_error *err)
{
    bool exists = false;
    WEIR_TRY(find_table(catalog, database, table, arena, &exists, err));
    if (exists) {
        return WEIR_OK;
    }
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(list_tables_in(catalog, database, arena, &names, &count, err));
    const char *qualified = weir_arena_format(arena, "%s.%s", database, table);
    for (size_t i = 0; i < count; i++) {
        names[i] = weir_arena_format(arena, "%s.%s", database, names[i]);
    }
    return suggest("table", qualified, names, count, err);
}

static int create_table_in(weir_catalog *catalog, const char *database, const char *table, const weir_schema *schema,
                           weir_arena *arena, weir_error *err)
{
    bool exists = false;
    WEIR_TRY(need_database(catalog, database, arena, err));
    WEIR_TRY(check_new_table_name(table, err));
    WEIR_TRY(weir_merge_check_options(schema, err));
    WEIR_TRY(find_table(catalog, database, table, arena, &exists, err));
    const char *path = path_of_table(catalog, arena, database, table);
    int code = exists ? WEIR_EXISTS : WEIR_OK;
    if (code == WEIR_OK && !catalog->fs->is_object_store) {
        code = weir_fs_make_directories(catalog->fs, weir_arena_format(arena, "%s/schema", path), err);
    }
    if (code == WEIR_OK) {
        code = weir_schema_publish(catalog->fs, path, schema, err);
    }
    if (code == WEIR_EXISTS) {
        return weir_fail(err, WEIR_EXISTS, "the table '%s.%s' exists already", database, table);
    }
    return code;
}

static int rename_table_in(weir_catalog *catalog, const char *database, const char *table, const char *new_name,
                           weir_arena *arena, weir_error *err)
{
    WEIR_TRY(need_table(catalog, database, table, arena, err));
    WEIR_TRY(check_new_table_name(new_name, err));
    const char *from = path_of_table(catalog, arena, database, table);
    const char *to = path_of_table(catalog, arena, database, new_name);
    int code = catalog->fs->is_object_store ? weir_catalog_move_table(catalog->fs, from, to, arena, err)
                                            : weir_fs_rename(catalog->fs, from, to, err);
    if (code == WEIR_EXISTS) {
        return weir_fail(err, WEIR_EXISTS, "the table '%s.%s' exists already", database, new_name);
    }
    return code;
}

static int drop_database_in(weir_catalog *catalog, const char *database, bool cascade, weir_arena *arena,
                            weir_error *err)
{
    const char **tables = NULL;
    size_t count = 0;
    WEIR_TRY(list_tables_in(catalog, database, arena, &tables, &count, err));
    if (count > 0 && !cascade) {
        return weir_fail(err, WEIR_INVALID, "the database '%s' has %zu %s ('%s'%s); drop them first, or use CASCADE",
                         database, count, count == 1 ? "table" : "tables", tables[0], count == 1 ? "" : ", …");
    }
    for (size_t i = 0; i < count; i++) {
        WEIR_TRY(weir_catalog_remove_table(catalog->fs, path_of_table(catalog, arena, database, tables[i]), arena, err));
    }
    WEIR_TRY(weir_fs_remove_recursively(catalog->fs, database_path(catalog, arena, database), err));
    const char *default_database = catalog->default_database;
    if (default_database != NULL && strcmp(default_database, database) == 0) {
        catalog->default_database = NULL;
    }
    return WEIR_OK;
}

/* ---- operations: each with an arena of its own for what it looks up ---- */

static int catalog_database_exists(weir_catalog *catalog, const char *database, bool *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = find_database(catalog, database, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}

static int catalog_create_database(weir_catalog *catalog, const char *database, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = create_database_in(catalog, database, &arena, err);
    weir_arena_free(&arena);
    return code;
}

static int catalog_drop_database(weir_catalog *catalog, const char *database, bool cascade, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = drop_database_in(catalog, database, cascade, &arena, err);
    weir_arena_free(&arena);
    return code;
}

static int catalog_table_exists(weir_catalog *catalog, const char *database, const char *table, bool *out,
                                weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = find_table(catalog, database, table, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}

static int catalog_table_path(weir_catalog *catalog, const char *database, const char *table, weir_arena *arena,
                              const char **out, weir_error *err)
{
    WEIR_TRY(check_name("database", database, err));
    WEIR_TRY(check_name("table", table, err));
    *out = path_of_table(catalog, arena, database, table);
    return WEIR_OK;
}

static int catalog_read_schema(weir_catalog *catalog, const char *database, const char *table, weir_arena *arena,
                               weir_schema **out, weir_error *err)
{
    WEIR_TRY(check_name("database", database, err));
    WEIR_TRY(check_name("table", table, err));
    int code = weir_schema_read_latest(catalog->fs, path_of_table(catalog, arena, database, table), arena, out, err);
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        WEIR_TRY(need_table(catalog, database, table, arena, err)); /* says what there is */
        return WEIR_NOT_FOUND;
    }
    return code;
}

static int catalog_create_table(weir_catalog *catalog, const char *database, const char *table,
                                const weir_schema *schema, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = create_table_in(catalog, database, table, schema, &arena, err);
    weir_arena_free(&arena);
    return code;
}

static int catalog_drop_table(weir_catalog *catalog, const char *database, const char *table, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = need_table(catalog, database, table, &arena, err);
    if (code == WEIR_OK) {
        code = weir_catalog_remove_table(catalog->fs, path_of_table(catalog, &arena, database, table), &arena, err);
    }
    weir_arena_free(&arena);
    return code;
}

static int catalog_rename_table(weir_catalog *catalog, const char *database, const char *table, const char *new_name,
                                weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = rename_table_in(catalog, database, table, new_name, &arena, err);
    weir_arena_free(&arena);
    return code;
}

/* What only merging knows of options and columns is checked on what the newest version would become. */
static int check_altered(weir_catalog *catalog, const char *path, const weir_schema_change *changes, int32_t count,
                         weir_arena *arena, weir_error *err)
{
    weir_schema *before = NULL;
    weir_schema *after = NULL;
    int32_t failed = -1;
    WEIR_TRY(weir_schema_read_latest(catalog->fs, path, arena, &before, err));
    if (weir_schema_apply(before, changes, count, false, arena, &after, &failed, NULL) != WEIR_OK) {
        return WEIR_OK; /* altering will say why */
    }
    return weir_merge_check_options(after, err);
}

static int catalog_alter_table(weir_catalog *catalog, const char *database, const char *table,
                               const weir_schema_change *changes, int32_t count, int32_t *out_failed, weir_error *err)
{
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    *out_failed = -1;
    const char *path = path_of_table(catalog, &arena, database, table);
    int code = need_table(catalog, database, table, &arena, err);
    if (code == WEIR_OK) {
        code = check_altered(catalog, path, changes, count, &arena, err);
    }
    if (code == WEIR_OK) {
        code = weir_schema_alter(catalog->fs, path, changes, count, &arena, &schema, out_failed, err);
    }
    weir_arena_free(&arena);
    return code;
}

static void catalog_close(weir_catalog *catalog)
{
    filesystem_catalog *self = (filesystem_catalog *)catalog;
    if (self->owns_fs) {
        weir_fs_close(catalog->fs);
    }
    weir_arena_free(&self->arena);
    free(self);
}

static const weir_catalog_ops filesystem_ops = {
    .list_databases = list_databases,
    .database_exists = catalog_database_exists,
    .create_database = catalog_create_database,
    .drop_database = catalog_drop_database,
    .list_tables = list_tables_in,
    .table_exists = catalog_table_exists,
    .table_path = catalog_table_path,
    .read_schema = catalog_read_schema,
    .create_table = catalog_create_table,
    .drop_table = catalog_drop_table,
    .rename_table = catalog_rename_table,
    .alter_table = catalog_alter_table,
    .close = catalog_close,
};

static filesystem_catalog *new_catalog(void)
{
    filesystem_catalog *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    self->base.ops = &filesystem_ops;
    return self;
}

/* Looks at the folder, or the nearest one above it that is there, so that a file in the way is known at once. */
static int check_warehouse(weir_fs *fs, const char *warehouse, weir_error *err)
{
    weir_arena arena;
    weir_file_info info;
    if (fs->is_object_store) { /* nothing is in the way there */
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    char *path = weir_arena_strdup(&arena, warehouse);
    char *within = path + (weir_fs_path_within(path) - path);
    int code = weir_fs_stat(fs, path, &info, err);
    for (char *slash = strrchr(within, '/'); code == WEIR_NOT_FOUND && slash != NULL && within[1] != '\0';
         slash = strrchr(within, '/')) {
        slash[slash == within] = '\0';
        code = weir_fs_stat(fs, path, &info, err);
    }
    if (code == WEIR_OK && !info.is_directory) {
        code = weir_fail(err, WEIR_IO, "%s: a warehouse is a folder, and '%s' is a file", warehouse, path);
    } else if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
    weir_arena_free(&arena);
    return code;
}

/* The warehouse without slashes at its end, but for the root. */
static int begin(filesystem_catalog *self, weir_fs *fs, const char *warehouse, weir_error *err)
{
    size_t size = strlen(warehouse);
    while (size > 1 && warehouse[size - 1] == '/') {
        size--;
    }
    self->base.fs = fs;
    self->base.warehouse = weir_arena_strndup(&self->arena, warehouse, size);
    return check_warehouse(fs, self->base.warehouse, err);
}

int weir_catalog_on_filesystem(weir_fs *fs, const char *warehouse, weir_catalog **out, weir_error *err)
{
    filesystem_catalog *self = new_catalog();
    int code = begin(self, fs, warehouse, err);
    if (code != WEIR_OK) {
        catalog_close(&self->base);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}

int weir_catalog_open_filesystem(const char *warehouse_uri, const weir_fs_settings *settings, weir_catalog **out,
                                 weir_error *err)
{
    filesystem_catalog *self = new_catalog();
    weir_fs *fs = NULL;
    const char *path = NULL;
    int code = weir_fs_open(warehouse_uri, settings, &self->arena, &fs, &path, err);
    if (code == WEIR_OK) {
        self->owns_fs = true;
        code = begin(self, fs, path, err);
    }
    if (code != WEIR_OK) {
        catalog_close(&self->base);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}

void weir_catalog_close(weir_catalog *catalog)
{
    if (catalog != NULL) {
        catalog->ops->close(catalog);
    }
}
