/* The leaves of large maps; see map_tree.h for what they look like. */
#ifndef WEIR_STREAM_MAP_LEAF_H
#define WEIR_STREAM_MAP_LEAF_H

#include "stream/state/map_tree.h"

/* An empty leaf, whose memory counts for the table; the fence is copied. `complete`: the database has nothing of its
 * range. */
int weir_map_leaf_create(weir_state_table *table, weir_slice fence, bool complete, weir_map_leaf **out,
                         weir_error *err);
void weir_map_leaf_free(weir_state_table *table, weir_map_leaf *leaf);

static inline uint32_t weir_map_leaf_live_bytes(const weir_map_leaf *leaf) { return leaf->used - leaf->garbage; }

/* The entry at a position; borrowed until the leaf is changed. */
weir_map_leaf_entry weir_map_leaf_at(const weir_map_leaf *leaf, bool has_time, uint32_t position);
void weir_map_leaf_set_flags(weir_map_leaf *leaf, uint32_t position, uint32_t flags);

/* The position of the first entry whose subkey is not below. */
uint32_t weir_map_leaf_find(const weir_map_leaf *leaf, bool has_time, weir_slice subkey, bool *out_equal);

/* Adds an entry before the position, or (`equal`) puts it in the place of the one there. */
int weir_map_leaf_set(weir_state_table *table, weir_map_leaf *leaf, bool has_time, uint32_t position, bool equal,
                      const weir_map_leaf_entry *entry, weir_error *err);
void weir_map_leaf_drop(weir_map_leaf *leaf, bool has_time, uint32_t position);

/* Moves the entries from the position on to a new leaf with that fence. */
int weir_map_leaf_split(weir_state_table *table, weir_map_leaf *leaf, bool has_time, uint32_t position,
                        weir_slice fence, weir_map_leaf **out, weir_error *err);

/* Lets go of all entries and their memory. */
void weir_map_leaf_empty(weir_state_table *table, weir_map_leaf *leaf);

#endif
