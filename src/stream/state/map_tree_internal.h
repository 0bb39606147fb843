/* What map_tree.c and map_tree_disk.c have of each other. */
#ifndef WEIR_STREAM_MAP_TREE_INTERNAL_H
#define WEIR_STREAM_MAP_TREE_INTERNAL_H

#include "stream/state/map_leaf.h"

#define WEIR_MAP_LEAF_BYTES 4096 /* a leaf with more is split */

static inline bool weir_map_tree_has_time(const weir_map_tree *tree) { return tree->table->ttl_ms > 0; }

static inline bool weir_map_tree_is_over(const weir_map_tree *tree, const weir_map_leaf_entry *entry)
{
    return tree->table->ttl_ms > 0 && tree->table->backend->now_ms - entry->time >= tree->table->ttl_ms;
}

/* --- map_tree.c -------------------------------------------------------------------------------------------------- */

/* The number of the leaf that is responsible for a subkey. */
uint32_t weir_map_tree_find(const weir_map_tree *tree, weir_slice subkey);

/* Puts a leaf before leaf `index`, and owns it then. WEIR_NO_MEMORY: the directory can't grow. */
int weir_map_tree_insert(weir_map_tree *tree, uint32_t index, weir_map_leaf *leaf, weir_error *err);

/* Takes a leaf out and frees it; the one after it, or the one before it, is responsible for its range from now on. */
void weir_map_tree_take_out(weir_map_tree *tree, uint32_t index, bool into_next);

/* Puts an entry where it belongs, in the place of one of the same subkey. Where memory is short, other leaves of the
 * tree give theirs; WEIR_NO_MEMORY where that does not help. */
int weir_map_tree_set(weir_map_tree *tree, const weir_map_leaf_entry *entry, weir_error *err);

/* Joins a leaf that has become small with the one after or before it. */
void weir_map_tree_join(weir_map_tree *tree, uint32_t index);

/* --- map_tree_disk.c --------------------------------------------------------------------------------------------- */

/* Makes a leaf complete: adds what the database has of its range and memory lacks. What does not fit into one leaf
 * becomes a leaf of its own after it, which is not complete. */
int weir_map_tree_load(weir_map_tree *tree, uint32_t index, weir_error *err);

/* Asks the database for one entry, and adds it where it is there and its time is not over. */
int weir_map_tree_load_entry(weir_map_tree *tree, weir_slice subkey, bool *out_found, weir_error *err);

/* Lets go of what leaves first .. end - 1 hold without changes; leaves and their numbers stay. Whether that freed any
 * memory. */
bool weir_map_tree_give_up(weir_map_tree *tree, uint32_t first, uint32_t end);

/* Notes that a leaf has changes for the next checkpoint; forgets that any has. */
void weir_map_tree_mark_dirty(weir_map_tree *tree, weir_map_leaf *leaf);
void weir_map_tree_unmark_dirty(weir_map_tree *tree);

#endif
