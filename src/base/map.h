/* A hash map from byte strings to pointers. Keys are copied; values are the caller's. Iterates in order of insertion. */
#ifndef WEIR_BASE_MAP_H
#define WEIR_BASE_MAP_H

#include "base/buffer.h"

typedef struct weir_map_entry {
    weir_slice key; /* owned by the map */
    void *value;    /* NULL when the entry was removed */
    uint64_t hash;
} weir_map_entry;

typedef struct weir_map {
    weir_map_entry *entries; /* in order of insertion, removed ones included (value NULL) */
    size_t entry_count;
    size_t entry_capacity;
    size_t size; /* live entries */
    uint32_t *slots;
    size_t slot_count;
} weir_map; /* zero-initialized is empty */

/* Of good quality, and the same in all runs and programs. */
uint64_t weir_hash_bytes(weir_slice bytes);

void weir_map_free(weir_map *map); /* the keys, not the values */
void *weir_map_get(const weir_map *map, weir_slice key);
void weir_map_put(weir_map *map, weir_slice key, void *value); /* value must not be NULL; replaces */
void *weir_map_remove(weir_map *map, weir_slice key);          /* returns the value, NULL when absent */

#endif
