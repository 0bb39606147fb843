/* Catalogs by name, which of them is current, and temporary tables. */
#ifndef WEIR_SESSION_CATALOGS_H
#define WEIR_SESSION_CATALOGS_H

#include "catalog/catalog.h"
#include "session/catalog/memory_catalog.h"

/* One catalog: of Paimon tables, or in memory. */
typedef struct weir_session_catalog {
    weir_arena arena;
    const char *name;
    weir_options options; /* as given to CREATE CATALOG */
    const char *comment;
    const char *default_database;
    weir_catalog *paimon; /* NULL: in memory */
    weir_memory_catalog memory;
} weir_session_catalog;

typedef struct weir_catalogs {
    weir_map catalogs;    /* name → weir_session_catalog */
    weir_map temporaries; /* catalog, database and table → weir_definition; they hide tables of the same name */
    char *current_catalog;
    char *current_database;
} weir_catalogs;

/* Begins with default_catalog.default_database. */
void weir_catalogs_init(weir_catalogs *catalogs);
void weir_catalogs_free(weir_catalogs *catalogs);

weir_session_catalog *weir_catalogs_find(const weir_catalogs *catalogs, const char *name); /* NULL: none */
/* The catalog that a statement names; WEIR_NOT_FOUND suggests a near name. */
int weir_catalogs_get(const weir_catalogs *catalogs, const weir_ast_part *part, weir_session_catalog **out,
                      weir_error *err);

/* By its options: type, and warehouse for Paimon. `positions` are those of the WITH clause, for errors; NULL: none. The
 * name must be free. */
int weir_catalogs_create(weir_catalogs *catalogs, const char *name, const weir_options *options, const char *comment,
                         const weir_ast_options *positions, weir_error *err);
void weir_catalogs_drop(weir_catalogs *catalogs, const char *name);

/* The catalog with its default database, or one database. Both exist. */
void weir_catalogs_use(weir_catalogs *catalogs, const char *catalog, const char *database);

/* Databases and permanent tables of both kinds of catalogs. */
int weir_session_catalog_databases(weir_session_catalog *catalog, weir_arena *arena, const char ***out,
                                   size_t *out_count, weir_error *err);
int weir_session_catalog_has_database(weir_session_catalog *catalog, const char *database, bool *out, weir_error *err);
int weir_session_catalog_tables(weir_session_catalog *catalog, const char *database, weir_arena *arena,
                                const char ***out, size_t *out_count, weir_error *err);
int weir_session_catalog_has_table(weir_session_catalog *catalog, const char *database, const char *table, bool *out,
                                   weir_error *err);

/* Where a name of one to three parts (to two, of a database) leads. Says nothing about whether it is there. */
typedef struct weir_object_path {
    weir_session_catalog *catalog;
    const char *database;
    const char *name; /* of the table; NULL in the path of a database */
    weir_position position;
} weir_object_path;

/* "catalog.database.name", in `arena`. */
const char *weir_object_path_text(const weir_object_path *path, weir_arena *arena);

int weir_catalogs_table_path(const weir_catalogs *catalogs, const weir_ast_name *name, weir_object_path *out,
                             weir_error *err);
/* `name` without parts: the current database. */
int weir_catalogs_database_path(const weir_catalogs *catalogs, const weir_ast_name *name, weir_object_path *out,
                                weir_error *err);

/* WEIR_NOT_FOUND, at the path's position, unless the database is there; near names are suggested. */
int weir_catalogs_check_database(const weir_object_path *path, weir_error *err);
/* WEIR_NOT_FOUND when the folder of a Paimon catalog has not been made. */
int weir_catalogs_check_warehouse(const weir_session_catalog *catalog, weir_error *err);
/* WEIR_NOT_FOUND with a suggestion, for a table that is not there. */
int weir_catalogs_no_table(const weir_catalogs *catalogs, const weir_object_path *path, weir_error *err);

weir_definition *weir_catalogs_temporary(const weir_catalogs *catalogs, const weir_object_path *path); /* NULL: none */
void weir_catalogs_put_temporary(weir_catalogs *catalogs, const weir_object_path *path, weir_definition *definition);
weir_definition *weir_catalogs_take_temporary(weir_catalogs *catalogs, const weir_object_path *path);
/* The views among them. */
int weir_catalogs_list_views(const weir_catalogs *catalogs, const weir_object_path *database, weir_arena *arena,
                             const char ***out, size_t *out_count, weir_error *err);
/* All tables and views that SHOW TABLES lists: permanent and temporary ones, in byte order. */
int weir_catalogs_list_tables(const weir_catalogs *catalogs, const weir_object_path *database, weir_arena *arena,
                              const char ***out, size_t *out_count, weir_error *err);

#endif
