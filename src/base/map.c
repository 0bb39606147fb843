/* The hash map: an array of entries in order of insertion, and open addressing over its indices.
 *
 * A slot holds an entry's index + 1; 0 is free. Removing an entry empties it in place (so indices stay valid and probe
 * chains unbroken); the emptied ones go when the slots are rebuilt, which happens when three quarters are taken. */
#include "base/map.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/alloc.h"

#define FIRST_SLOTS 16

void weir_map_free(weir_map *map)
{
    for (size_t i = 0; i < map->entry_count; i++) {
        free((void *)map->entries[i].key.data);
    }
    free(map->entries);
    free(map->slots);
    *map = (weir_map){0};
}

static weir_map_entry *find(const weir_map *map, weir_slice key, uint64_t hash)
{
    if (map->size == 0) {
        return NULL;
    }
    size_t mask = map->slot_count - 1;
    for (size_t slot = hash & mask; map->slots[slot]; slot = (slot + 1) & mask) {
        weir_map_entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->hash == hash && entry->value && weir_slice_equal(entry->key, key)) {
            return entry;
        }
    }
    return NULL;
}

static void take_slot(weir_map *map, size_t entry)
{
    size_t mask = map->slot_count - 1;
    size_t slot = map->entries[entry].hash & mask;
    while (map->slots[slot]) {
        slot = (slot + 1) & mask;
    }
    map->slots[slot] = (uint32_t)(entry + 1);
}

/* Closes the gaps that removed entries left, and makes the slots fit the live ones. */
static void rebuild(weir_map *map)
{
    size_t live = 0;
    for (size_t i = 0; i < map->entry_count; i++) {
        if (map->entries[i].value) {
            map->entries[live++] = map->entries[i];
        }
    }
    map->entry_count = live;
    size_t slots = FIRST_SLOTS;
    while (slots < live * 2 + 2) {
        slots *= 2;
    }
    free(map->slots);
    map->slots = weir_alloc_zeroed(slots, sizeof *map->slots);
    map->slot_count = slots;
    for (size_t i = 0; i < live; i++) {
        take_slot(map, i);
    }
}

uint64_t weir_hash_bytes(weir_slice bytes) { return XXH3_64bits(bytes.data, bytes.size); }

void *weir_map_get(const weir_map *map, weir_slice key)
{
    if (map->size == 0) {
        return NULL;
    }
    const weir_map_entry *entry = find(map, key, weir_hash_bytes(key));
    return entry ? entry->value : NULL;
}

void weir_map_put(weir_map *map, weir_slice key, void *value)
{
    uint64_t hash = weir_hash_bytes(key);
    weir_map_entry *entry = find(map, key, hash);
    if (entry) {
        entry->value = value;
        return;
    }
    if ((map->entry_count + 1) * 4 > map->slot_count * 3) {
        rebuild(map);
    }
    WEIR_GROW(map->entries, map->entry_capacity, map->entry_count + 1);
    weir_slice own = weir_slice_of(weir_strndup((const char *)key.data, key.size), key.size);
    map->entries[map->entry_count] = (weir_map_entry){own, value, hash};
    take_slot(map, map->entry_count);
    map->entry_count++;
    map->size++;
}

void *weir_map_remove(weir_map *map, weir_slice key)
{
    weir_map_entry *entry = find(map, key, weir_hash_bytes(key));
    if (!entry) {
        return NULL;
    }
    void *value = entry->value;
    free((void *)entry->key.data);
    entry->key = (weir_slice){0};
    entry->value = NULL;
    map->size--;
    return value;
}
