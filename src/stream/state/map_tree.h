/* Large maps: leaves of some KB in the order of their subkeys, each of them responsible for a range.
 *
 *   directory: | first 8 bytes of a fence, leaf | ... |      a fence: the least subkey that may lie in a leaf
 *   leaf:      offsets of entries in the order of their subkeys, and entries as they came
 *   entry:     | subkey size: 4 | value size: 29 bits, flags: 3 bits | [time of the last write: 8, with a TTL] | subkey
 *              | value |
 *
 * A leaf is complete when memory has all that the database has of its range; one that is not is loaded when somebody
 * walks over it, and asked for single subkeys until then. What was changed is marked entry by entry, and what was
 * removed stays as a tombstone until a checkpoint has written it. */
#ifndef WEIR_STREAM_MAP_TREE_H
#define WEIR_STREAM_MAP_TREE_H

#include "stream/state/backend.h"

enum {
    WEIR_LEAF_ENTRY_DIRTY = 1,   /* the next checkpoint writes it */
    WEIR_LEAF_ENTRY_REMOVED = 2, /* a tombstone */
    WEIR_LEAF_ENTRY_ON_DISK = 4  /* the database may have the subkey */
};

#define WEIR_MAP_ENTRY_LIMIT ((size_t)1 << 28)

typedef struct weir_map_leaf {
    weir_slice fence; /* owned */
    uint8_t *bytes;
    uint32_t *offsets;
    uint32_t count, offset_capacity;
    uint32_t removed; /* tombstones among them */
    uint32_t used, byte_capacity;
    uint32_t garbage; /* bytes of `used` that no offset names */
    bool complete;
    bool dirty;  /* has dirty entries */
    bool recent; /* used since the sweep came by */
} weir_map_leaf;

typedef struct weir_map_directory_entry {
    uint64_t prefix;
    weir_map_leaf *leaf;
} weir_map_directory_entry;

typedef struct weir_map_tree weir_map_tree;
struct weir_map_tree {
    weir_state_table *table;
    weir_buffer key;  /* of the map in the table */
    weir_buffer path; /* what the keys of its entries in the database begin with */
    uint64_t id;
    uint32_t index;                      /* among the trees in memory; for its owner */
    weir_map_directory_entry *directory; /* at least one leaf; the fence of the first is empty */
    uint32_t leaf_count, leaf_capacity;
    uint64_t changes;            /* of the directory */
    uint32_t first_live;         /* leaves before this one hold nothing but tombstones, */
    uint64_t first_live_changes; /* if the directory is as it was then */
    bool dirty;                  /* some leaf is; listed in table->dirty_trees */
    weir_map_tree *next_dirty;
    weir_map_tree **dirty_link; /* what points to it in that list */
};

typedef struct weir_map_leaf_entry {
    weir_slice subkey;
    weir_slice value;
    int64_t time;
    uint32_t flags;
    uint32_t size; /* of all of it */
} weir_map_leaf_entry;

/* The map of that key without entries in memory; `complete`: the database has none either. */
int weir_map_tree_create(weir_state_table *table, weir_slice key, uint64_t id, bool complete, weir_map_tree **out,
                         weir_error *err);
void weir_map_tree_free(weir_map_tree *tree);

/* As weir_map_state_get, put and remove (state.h) on one map. */
int weir_map_tree_get(weir_map_tree *tree, weir_slice subkey, bool *out_found, weir_slice *out_value, weir_error *err);
int weir_map_tree_put(weir_map_tree *tree, weir_slice subkey, weir_slice value, weir_error *err);
int weir_map_tree_add(weir_map_tree *tree, weir_slice subkey, weir_slice value, int64_t time,
                      weir_error *err); /* put with a time that has passed */
int weir_map_tree_remove(weir_map_tree *tree, weir_slice subkey, weir_error *err);

/* Whether nothing is in it, in memory or in the database. */
bool weir_map_tree_is_empty(const weir_map_tree *tree);

/* Frees entries whose time has passed. */
void weir_map_tree_expire(weir_map_tree *tree);

/* Lets go of leaves without changes that were not used since the last call; true when none has entries any more. */
bool weir_map_tree_evict(weir_map_tree *tree);

/* Writes what has changed to what was begun; notes that it is safe. */
int weir_map_tree_write(weir_map_tree *tree, weir_error *err);
void weir_map_tree_written(weir_map_tree *tree);

/* A place in a tree, good while the map is not changed. (Reading may load other leaves, and so move the one at hand.)
 */
typedef struct weir_map_place {
    uint32_t leaf;
    uint32_t position;
    const weir_map_leaf *at;
    uint64_t changes;
} weir_map_place;

/* The place of the first subkey that is not below. next() gives what is there and goes on; WEIR_END after the last. */
int weir_map_tree_seek(weir_map_tree *tree, weir_slice subkey, weir_map_place *out, weir_error *err);
int weir_map_tree_next(weir_map_tree *tree, weir_map_place *place, weir_map_leaf_entry *out, weir_error *err);

#endif
