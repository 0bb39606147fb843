/* Databases and tables that live as long as the session: the generic in-memory catalog. Names are compared with case.
 */
#ifndef WEIR_SESSION_MEMORY_CATALOG_H
#define WEIR_SESSION_MEMORY_CATALOG_H

#include "base/map.h"
#include "session/catalog/description.h"

typedef struct weir_memory_database {
    weir_arena arena;
    weir_map tables; /* name → weir_definition */
    const char *comment;
    weir_options options;
} weir_memory_database;

typedef struct weir_memory_catalog {
    weir_map databases; /* name → weir_memory_database */
} weir_memory_catalog;

void weir_memory_catalog_free(weir_memory_catalog *catalog);

bool weir_memory_catalog_has(const weir_memory_catalog *catalog, const char *database);
weir_memory_database *weir_memory_catalog_database(const weir_memory_catalog *catalog, const char *database);
/* The name is free. */
weir_memory_database *weir_memory_catalog_create(weir_memory_catalog *catalog, const char *database);
void weir_memory_catalog_drop(weir_memory_catalog *catalog, const char *database);
/* Names in byte order, in `arena`. */
void weir_memory_catalog_databases(const weir_memory_catalog *catalog, weir_arena *arena, const char ***out,
                                   size_t *out_count);
void weir_memory_catalog_tables(const weir_memory_catalog *catalog, const char *database, weir_arena *arena,
                                const char ***out, size_t *out_count);

weir_definition *weir_memory_catalog_find(const weir_memory_catalog *catalog, const char *database, const char *table);
/* Takes the definition over. The database exists and has no such table. */
void weir_memory_catalog_put(weir_memory_catalog *catalog, const char *database, weir_definition *definition);
/* Gives it back; NULL: there was none. */
weir_definition *weir_memory_catalog_take(weir_memory_catalog *catalog, const char *database, const char *table);

/* The keys of a map as texts in byte order, in `arena`. */
void weir_map_names(const weir_map *map, weir_arena *arena, const char ***out, size_t *out_count);

#endif
