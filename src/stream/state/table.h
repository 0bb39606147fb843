/* The hash table under both kinds of state: key -> bytes.
 *
 * Entries lie in cells (slab.h), which the index finds by hash; a cell's number is also the entry's slot. An entry that
 * outgrows its cell moves to another one, and the old one, which slots may name, says where it is until the next fetch.
 * A cell:
 *
 *   | value size: 4 | key size: 3 | flags: 1 | [time of the last write: 8, with a TTL] | key | 0 to 7 | value |
 *
 * The value begins at a multiple of 8. What is larger than a cell can be is allocated alone, and the cell points to it:
 *
 *   | bytes allocated: 4 | 0: 3 | flags, WEIR_ENTRY_OUTSIDE among them: 1 | pointer: 8 |
 *
 *   | 0: 4 | 0: 3 | flags, WEIR_ENTRY_MOVED among them: 1 | cell of the entry: 4 |
 *
 * Key bytes are those of the sort keys; a key that is whole in its prefix is its eight bytes. */
#ifndef WEIR_STREAM_TABLE_H
#define WEIR_STREAM_TABLE_H

#include <xxhash.h>

#include "stream/state/filter.h"
#include "stream/state/index.h"
#include "stream/state/state.h"

enum {
    WEIR_ENTRY_USED = 1,
    WEIR_ENTRY_OUTSIDE = 2,  /* the cell only points to the entry */
    WEIR_ENTRY_DIRTY = 4,    /* listed in table->dirty: to be written by the next checkpoint */
    WEIR_ENTRY_FRESH = 8,    /* listed in table->fresh: the next fetch frees it if it is empty */
    WEIR_ENTRY_MOVED = 16,   /* is in another cell now; this one is freed when no list names it */
    WEIR_ENTRY_RECENT = 32,  /* used since the sweep came by */
    WEIR_ENTRY_ON_DISK = 64, /* the database may have it */
    WEIR_ENTRY_TREE = 128    /* the value names a map_tree.h in memory: it stays, and has no time of its own */
};

typedef struct weir_state_entry {
    uint32_t value_size;
    uint32_t key_size : 24;
    uint32_t flags : 8;
} weir_state_entry;

#define WEIR_STATE_KEY_LIMIT ((1u << 24) - 1)

typedef struct weir_cell_list {
    uint32_t *cells;
    size_t count;
    size_t capacity;
} weir_cell_list;

typedef struct weir_state_table weir_state_table;

/* What map state adds to a table: its values may name trees, whose entries are in the database beside the table's. */
typedef struct weir_state_hooks {
    /* A value has come from the database. */
    void (*loaded)(weir_state_table *table, weir_state_slot slot);
    /* A sweep has come to an entry with a tree: gives up what it can of it; true when all of it is gone. */
    bool (*sweep)(weir_state_table *table, const weir_state_entry *entry);
    /* Frees what has passed its time in a tree. */
    void (*expire)(weir_state_table *table, const weir_state_entry *entry);
    /* A checkpoint writes the entries of trees, and is told when they are safe. */
    int (*write)(weir_state_table *table, weir_error *err);
    void (*written)(weir_state_table *table);
} weir_state_hooks;

struct weir_state_table {
    weir_state_backend *backend;
    const weir_state_hooks *hooks; /* NULL: none */
    weir_state_table *next;        /* of the backend's tables, whose ids ascend */
    char *name;                    /* uid and name, for people and for the database */
    uint32_t id;                   /* in the database; trees' entries are under the id that follows */
    bool complete;                 /* memory has all that the database has, */
    bool filtered;                 /* or what it lacks is in `gone` */
    int64_t ttl_ms;
    uint32_t header_bytes; /* before the key */
    uint32_t value_hint;   /* room that new entries get for their values */
    size_t last_size;      /* of a first value that had no room */
    weir_slab slab;
    weir_state_index index;
    weir_state_filter gone; /* keys that were let go */
    int64_t outside_bytes;
    int64_t tree_bytes;
    struct weir_map_tree *dirty_trees;
    weir_cell_list dirty;
    weir_cell_list fresh;
    int64_t dirty_bytes;
    uint32_t sweep_chunk; /* where the sweep goes on */
    uint32_t sweep_unit;
    uint32_t evict_chunk;             /* where letting go has got to */
    struct weir_state_misses *misses; /* keys of the fetch at hand that memory lacks; NULL: none */
};

int weir_state_table_init(weir_state_table *table, weir_state_backend *backend, const weir_state_options *options,
                          const weir_state_hooks *hooks, weir_error *err);
void weir_state_table_free(weir_state_table *table);

int weir_state_table_fetch(weir_state_table *table, const weir_sort_keys *keys, weir_state_slot *out_slots,
                           weir_error *err);
int weir_state_table_fetch_one(weir_state_table *table, weir_slice key, weir_state_slot *out_slot, weir_error *err);

/* What a checkpoint does with a table: writes what has changed to what was begun; then, when that is safe, notes it. */
int weir_state_table_write(weir_state_table *table, weir_error *err);
void weir_state_table_written(weir_state_table *table);

/* Lets clean entries go until about so many bytes went back to the budget, and returns how many did. Slots are bad
 * after that. */
int64_t weir_state_table_evict(weir_state_table *table, int64_t bytes);
int64_t weir_state_table_used_bytes(const weir_state_table *table);

/* As weir_value_state_edit and _remove. */
int weir_state_table_edit(weir_state_table *table, weir_state_slot slot, size_t size, uint8_t **out_bytes,
                          weir_error *err);
void weir_state_table_remove(weir_state_table *table, weir_state_slot slot);
void weir_state_table_drop(weir_state_table *table, weir_slice key); /* remove() by key, if memory has it */

/* The same key always has the same hash, in this run and in others. */
static inline uint64_t weir_state_hash_number(uint64_t key)
{
    key ^= key >> 32;
    key *= 0xd6e8feb86659fd93u;
    key ^= key >> 32;
    key *= 0xd6e8feb86659fd93u;
    return key ^ key >> 32;
}

static inline uint64_t weir_state_hash(weir_slice key)
{
    return key.size == 8 ? weir_state_hash_number(weir_load_be64(key.data)) : XXH3_64bits(key.data, key.size);
}

static inline weir_state_entry *weir_state_entry_of(const weir_state_table *table, uint32_t cell)
{
    uint8_t *memory = weir_slab_at(&table->slab, cell);
    weir_state_entry *entry = (weir_state_entry *)(void *)memory;
    if (entry->flags & WEIR_ENTRY_OUTSIDE) {
        memcpy(&entry, memory + 8, sizeof entry);
    }
    return entry;
}

static inline const uint8_t *weir_state_entry_key(const weir_state_table *table, const weir_state_entry *entry)
{
    return (const uint8_t *)entry + table->header_bytes;
}

static inline uint32_t weir_state_value_offset(const weir_state_table *table, uint32_t key_size)
{
    return (table->header_bytes + key_size + 7) & ~7u;
}

static inline weir_state_entry *weir_state_entry_in_cell(const weir_state_table *table, uint32_t cell)
{
    return (weir_state_entry *)(void *)weir_slab_at(&table->slab, cell);
}

/* The cell that a slot means now. */
static inline uint32_t weir_state_cell(const weir_state_table *table, weir_state_slot slot)
{
    const uint8_t *memory = weir_slab_at(&table->slab, slot);
    while (((const weir_state_entry *)(const void *)memory)->flags & WEIR_ENTRY_MOVED) {
        memcpy(&slot, memory + 8, sizeof slot);
        memory = weir_slab_at(&table->slab, slot);
    }
    return slot;
}

/* Marks an entry as the name of a tree, or not. */
static inline void weir_state_table_set_tree(weir_state_table *table, weir_state_slot slot, bool is_tree)
{
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, weir_state_cell(table, slot));
    in_cell->flags = (in_cell->flags & ~(uint32_t)WEIR_ENTRY_TREE & 0xff) | (is_tree ? WEIR_ENTRY_TREE : 0);
}

static inline weir_slice weir_state_table_get(const weir_state_table *table, weir_state_slot slot)
{
    const weir_state_entry *entry = weir_state_entry_of(table, weir_state_cell(table, slot));
    return weir_slice_of((const uint8_t *)entry + weir_state_value_offset(table, entry->key_size), entry->value_size);
}

#endif
