/* The generic in-memory catalog: two levels of maps. */
#include "session/catalog/memory_catalog.h"

#include <stdlib.h>

weir_memory_database *weir_memory_catalog_database(const weir_memory_catalog *catalog, const char *database)
{
    return weir_map_get(&catalog->databases, weir_slice_text(database));
}

static weir_map *tables_of(const weir_memory_catalog *catalog, const char *database)
{
    weir_memory_database *found = weir_memory_catalog_database(catalog, database);
    return found == NULL ? NULL : &found->tables;
}

static void free_database(weir_memory_database *database)
{
    for (size_t i = 0; database != NULL && i < database->tables.entry_count; i++) {
        weir_definition_free(database->tables.entries[i].value);
    }
    if (database != NULL) {
        weir_map_free(&database->tables);
        weir_arena_free(&database->arena);
        free(database);
    }
}

void weir_memory_catalog_free(weir_memory_catalog *catalog)
{
    for (size_t i = 0; i < catalog->databases.entry_count; i++) {
        free_database(catalog->databases.entries[i].value);
    }
    weir_map_free(&catalog->databases);
    *catalog = (weir_memory_catalog){0};
}

bool weir_memory_catalog_has(const weir_memory_catalog *catalog, const char *database)
{
    return weir_memory_catalog_database(catalog, database) != NULL;
}

weir_memory_database *weir_memory_catalog_create(weir_memory_catalog *catalog, const char *database)
{
    weir_memory_database *created = weir_alloc_zeroed(1, sizeof *created);
    weir_arena_init(&created->arena);
    weir_map_put(&catalog->databases, weir_slice_text(database), created);
    return created;
}

void weir_memory_catalog_drop(weir_memory_catalog *catalog, const char *database)
{
    free_database(weir_map_remove(&catalog->databases, weir_slice_text(database)));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void weir_map_names(const weir_map *map, weir_arena *arena, const char ***out, size_t *out_count)
{
    const char **names = WEIR_NEW_ARRAY(arena, const char *, map->size);
    size_t count = 0;
    for (size_t i = 0; i < map->entry_count; i++) {
        if (map->entries[i].value != NULL) {
            names[count++] =
                weir_arena_strndup(arena, (const char *)map->entries[i].key.data, map->entries[i].key.size);
        }
    }
    if (count > 1) {
        qsort(names, count, sizeof *names, compare_names);
    }
    *out = names;
    *out_count = count;
}

void weir_memory_catalog_databases(const weir_memory_catalog *catalog, weir_arena *arena, const char ***out,
                                   size_t *out_count)
{
    weir_map_names(&catalog->databases, arena, out, out_count);
}

void weir_memory_catalog_tables(const weir_memory_catalog *catalog, const char *database, weir_arena *arena,
                                const char ***out, size_t *out_count)
{
    static const weir_map none;
    const weir_map *tables = tables_of(catalog, database);
    weir_map_names(tables != NULL ? tables : &none, arena, out, out_count);
}

weir_definition *weir_memory_catalog_find(const weir_memory_catalog *catalog, const char *database, const char *table)
{
    const weir_map *tables = tables_of(catalog, database);
    return tables == NULL ? NULL : weir_map_get(tables, weir_slice_text(table));
}

void weir_memory_catalog_put(weir_memory_catalog *catalog, const char *database, weir_definition *definition)
{
    weir_map_put(tables_of(catalog, database), weir_slice_text(definition->name), definition);
}

weir_definition *weir_memory_catalog_take(weir_memory_catalog *catalog, const char *database, const char *table)
{
    weir_map *tables = tables_of(catalog, database);
    return tables == NULL ? NULL : weir_map_remove(tables, weir_slice_text(table));
}
