/* catalog: databases and tables by name.
 *
 *   filesystem.c   a catalog that is a folder: <warehouse>/<database>.db/<table>
 *
 * Names are used as they are (case counts). Codes tell callers what IF [NOT] EXISTS is about: WEIR_EXISTS when what is
 * to be created is there, WEIR_NOT_FOUND when a database or table is not; messages suggest near names.
 *
 * Threading: a catalog may be used by many threads at a time. */
#ifndef WEIR_CATALOG_H
#define WEIR_CATALOG_H

#include "fs/fs.h"
#include "meta/schema_change.h"

typedef struct weir_catalog weir_catalog;

/* Names are in byte order; results live in the caller's arena. */
typedef struct weir_catalog_ops {
    int (*list_databases)(weir_catalog *catalog, weir_arena *arena, const char ***out, size_t *out_count,
                          weir_error *err);
    int (*database_exists)(weir_catalog *catalog, const char *database, bool *out, weir_error *err);
    int (*create_database)(weir_catalog *catalog, const char *database, weir_error *err);
    /* A database with tables is WEIR_INVALID unless `cascade`, which drops them first. */
    int (*drop_database)(weir_catalog *catalog, const char *database, bool cascade, weir_error *err);

    int (*list_tables)(weir_catalog *catalog, const char *database, weir_arena *arena, const char ***out,
                       size_t *out_count, weir_error *err);
    int (*table_exists)(weir_catalog *catalog, const char *database, const char *table, bool *out, weir_error *err);
    /* The folder of a table, whether there is one or not. */
    int (*table_path)(weir_catalog *catalog, const char *database, const char *table, weir_arena *arena,
                      const char **out, weir_error *err);
    /* The latest schema. */
    int (*read_schema)(weir_catalog *catalog, const char *database, const char *table, weir_arena *arena,
                       weir_schema **out, weir_error *err);
    /* Publishes a schema made by weir_schema_create. */
    int (*create_table)(weir_catalog *catalog, const char *database, const char *table, const weir_schema *schema,
                        weir_error *err);
    int (*drop_table)(weir_catalog *catalog, const char *database, const char *table, weir_error *err);
    int (*rename_table)(weir_catalog *catalog, const char *database, const char *table, const char *new_name,
                        weir_error *err);
    /* Publishes the next version of the schema (weir_schema_alter). */
    int (*alter_table)(weir_catalog *catalog, const char *database, const char *table,
                       const weir_schema_change *changes, int32_t count, int32_t *out_failed, weir_error *err);
    void (*close)(weir_catalog *catalog);
} weir_catalog_ops;

struct weir_catalog {
    const weir_catalog_ops *ops;
    weir_fs *fs;           /* of the tables; borrowed from the catalog */
    const char *warehouse; /* its folder in `fs` */
    _Atomic(const char *) default_database; /* is there before anybody makes it; NULL: none */
};

/* Opens the catalog in a folder, given as a URI or a path. Nothing is made: a missing folder is an empty catalog, which
 * comes to be with its first database or table. `settings` are those of its file system (weir_fs_open). */
int weir_catalog_open_filesystem(const char *warehouse_uri, const weir_fs_settings *settings, weir_catalog **out,
                                 weir_error *err);

/* The same over a file system that stays the caller's. */
int weir_catalog_on_filesystem(weir_fs *fs, const char *warehouse, weir_catalog **out, weir_error *err);

void weir_catalog_close(weir_catalog *catalog); /* NULL is fine */

#endif
