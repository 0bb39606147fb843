/* Large maps in memory: which leaf is responsible, and what happens between leaves: splitting and joining. What they
 * have to do with the database is in map_tree_disk.c. */
#include <stdlib.h>

#include "stream/state/map_tree_internal.h"

#define SMALL_BYTES 512 /* leaves that have no more together are joined */

/* --- the directory ----------------------------------------------------------------------------------------------- */

static uint64_t prefix_of(weir_slice subkey)
{
    uint8_t bytes[8] = {0};
    if (subkey.size > 0) {
        memcpy(bytes, subkey.data, subkey.size < sizeof bytes ? subkey.size : sizeof bytes);
    }
    return weir_load_be64(bytes);
}

/* The last leaf whose fence is not above. */
uint32_t weir_map_tree_find(const weir_map_tree *tree, weir_slice subkey)
{
    uint64_t prefix = prefix_of(subkey);
    uint32_t low = 0;
    uint32_t high = tree->leaf_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const weir_map_directory_entry *entry = &tree->directory[middle];
        bool above =
            entry->prefix != prefix ? entry->prefix > prefix : weir_slice_compare(entry->leaf->fence, subkey) > 0;
        if (above) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

int weir_map_tree_insert(weir_map_tree *tree, uint32_t index, weir_map_leaf *leaf, weir_error *err)
{
    if (tree->leaf_count == tree->leaf_capacity) {
        uint32_t more = tree->leaf_capacity == 0 ? 1 : tree->leaf_capacity < 16 ? 8 : tree->leaf_capacity / 2;
        WEIR_TRY(weir_state_take_for(tree->table, (int64_t)(more * sizeof *tree->directory), err));
        tree->leaf_capacity += more;
        tree->directory = weir_realloc(tree->directory, tree->leaf_capacity * sizeof *tree->directory);
    }
    memmove(tree->directory + index + 1, tree->directory + index, (tree->leaf_count - index) * sizeof *tree->directory);
    tree->directory[index] = (weir_map_directory_entry){prefix_of(leaf->fence), leaf};
    tree->leaf_count++;
    tree->changes++;
    return WEIR_OK;
}

void weir_map_tree_take_out(weir_map_tree *tree, uint32_t index, bool into_next)
{
    weir_map_leaf *leaf = tree->directory[index].leaf;
    if (into_next) {
        weir_map_leaf *next = tree->directory[index + 1].leaf;
        weir_slice fence = next->fence;
        next->fence = leaf->fence;
        leaf->fence = fence;
        tree->directory[index + 1].prefix = tree->directory[index].prefix;
    }
    memmove(tree->directory + index, tree->directory + index + 1,
            (tree->leaf_count - index - 1) * sizeof *tree->directory);
    tree->leaf_count--;
    tree->changes++;
    weir_map_leaf_free(tree->table, leaf);
}

int weir_map_tree_create(weir_state_table *table, weir_slice key, uint64_t id, bool complete, weir_map_tree **out,
                         weir_error *err)
{
    uint8_t id_bytes[8];
    weir_map_leaf *leaf = NULL;
    WEIR_TRY(weir_state_take_for(table, (int64_t)(sizeof(weir_map_tree) + 2 * key.size), err));
    weir_map_tree *tree = weir_alloc_zeroed(1, sizeof *tree);
    tree->table = table;
    tree->id = id;
    weir_buffer_append(&tree->key, key.data, key.size);
    weir_store_be64(id_bytes, id);
    weir_state_append_key(&tree->path, table->id + 1, weir_state_key_group(key), weir_slice_of(id_bytes, 8));
    int code = weir_map_leaf_create(table, weir_slice_of(NULL, 0), complete, &leaf, err);
    if (code == WEIR_OK) {
        code = weir_map_tree_insert(tree, 0, leaf, err);
    }
    if (code != WEIR_OK) {
        if (leaf != NULL) {
            weir_map_leaf_free(table, leaf);
        }
        weir_map_tree_free(tree);
        return code;
    }
    *out = tree;
    return WEIR_OK;
}

void weir_map_tree_free(weir_map_tree *tree)
{
    if (tree == NULL) {
        return;
    }
    weir_map_tree_unmark_dirty(tree);
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        weir_map_leaf_free(tree->table, tree->directory[i].leaf);
    }
    weir_state_give_for(tree->table,
                        (int64_t)(sizeof *tree + 2 * tree->key.size + tree->leaf_capacity * sizeof *tree->directory));
    weir_buffer_free(&tree->key);
    weir_buffer_free(&tree->path);
    free(tree->directory);
    free(tree);
}

bool weir_map_tree_is_empty(const weir_map_tree *tree)
{
    return tree->leaf_count == 1 && tree->directory[0].leaf->count == 0 && tree->directory[0].leaf->complete;
}

/* --- changes ----------------------------------------------------------------------------------------------------- */

static void drop_expired(weir_map_tree *tree, weir_map_leaf *leaf)
{
    for (uint32_t i = leaf->count; weir_map_tree_has_time(tree) && i > 0; i--) {
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, true, i - 1);
        if (weir_map_tree_is_over(tree, &entry)) {
            weir_map_leaf_drop(leaf, true, i - 1);
        }
    }
}

/* Splits a leaf that an entry before `position` would make too large: in the middle, or for entries that come in
 * order, at its end. */
static int split_leaf(weir_map_tree *tree, uint32_t index, uint32_t position, weir_error *err)
{
    weir_map_leaf *leaf = tree->directory[index].leaf;
    weir_map_leaf *right = NULL;
    bool at_end = position >= leaf->count && index + 1 == tree->leaf_count;
    uint32_t middle = at_end ? leaf->count - 1 : leaf->count / 2;
    weir_slice fence = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), middle).subkey;
    WEIR_TRY(weir_map_leaf_split(tree->table, leaf, weir_map_tree_has_time(tree), middle, fence, &right, err));
    int code = weir_map_tree_insert(tree, index + 1, right, err);
    if (code != WEIR_OK) {
        for (uint32_t i = 0; i < right->count && code == WEIR_OK; i++) {
            weir_map_leaf_entry entry = weir_map_leaf_at(right, weir_map_tree_has_time(tree), i);
            (void)weir_map_leaf_set(tree->table, leaf, weir_map_tree_has_time(tree), leaf->count, false, &entry, err);
        }
        weir_map_leaf_free(tree->table, right);
    }
    return code;
}

static int try_set_entry(weir_map_tree *tree, const weir_map_leaf_entry *entry, weir_error *err)
{
    bool equal = false;
    uint32_t index = weir_map_tree_find(tree, entry->subkey);
    weir_map_leaf *leaf = tree->directory[index].leaf;
    uint32_t position = weir_map_leaf_find(leaf, weir_map_tree_has_time(tree), entry->subkey, &equal);
    size_t size = entry->subkey.size + entry->value.size + 16;
    if (!equal && leaf->count >= 2 && weir_map_leaf_live_bytes(leaf) + size > WEIR_MAP_LEAF_BYTES) {
        uint32_t before = leaf->count;
        drop_expired(tree, leaf);
        if (leaf->count == before) {
            WEIR_TRY(split_leaf(tree, index, position, err));
        }
        return try_set_entry(tree, entry, err);
    }
    weir_map_leaf_entry set = *entry;
    int64_t dirty_bytes = entry->flags & WEIR_LEAF_ENTRY_DIRTY ? (int64_t)size : 0;
    if (equal) {
        weir_map_leaf_entry old = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), position);
        set.flags |= old.flags & WEIR_LEAF_ENTRY_ON_DISK;
        dirty_bytes -= old.flags & WEIR_LEAF_ENTRY_DIRTY ? (int64_t)(old.subkey.size + old.value.size + 16) : 0;
    } else if (!leaf->complete) {
        set.flags |= WEIR_LEAF_ENTRY_ON_DISK;
    }
    WEIR_TRY(weir_map_leaf_set(tree->table, leaf, weir_map_tree_has_time(tree), position, equal, &set, err));
    leaf->recent = true;
    tree->first_live = index < tree->first_live ? index : tree->first_live;
    if (set.flags & WEIR_LEAF_ENTRY_DIRTY) {
        weir_map_tree_mark_dirty(tree, leaf);
    }
    if (tree->table->backend->disk != NULL) {
        weir_state_add_dirty(tree->table, dirty_bytes);
    }
    return WEIR_OK;
}

int weir_map_tree_set(weir_map_tree *tree, const weir_map_leaf_entry *entry, weir_error *err)
{
    int code = try_set_entry(tree, entry, err);
    if (code != WEIR_NO_MEMORY) {
        return code;
    }
    uint32_t index = weir_map_tree_find(tree, entry->subkey);
    bool before = weir_map_tree_give_up(tree, 0, index);
    bool after = weir_map_tree_give_up(tree, index + 1, tree->leaf_count);
    return before || after ? try_set_entry(tree, entry, err) : code;
}

int weir_map_tree_add(weir_map_tree *tree, weir_slice subkey, weir_slice value, int64_t time, weir_error *err)
{
    weir_map_leaf_entry entry = {.subkey = subkey, .value = value, .time = time, .flags = WEIR_LEAF_ENTRY_DIRTY};
    return weir_map_tree_set(tree, &entry, err);
}

int weir_map_tree_put(weir_map_tree *tree, weir_slice subkey, weir_slice value, weir_error *err)
{
    return weir_map_tree_add(tree, subkey, value, tree->table->backend->now_ms, err);
}

void weir_map_tree_join(weir_map_tree *tree, uint32_t index)
{
    weir_map_leaf *leaf = tree->directory[index].leaf;
    if (leaf->count == 0 && leaf->complete) {
        /* What is known to be empty is not given to a leaf of which less is known. */
        if (index > 0 && tree->directory[index - 1].leaf->complete) {
            weir_map_tree_take_out(tree, index, false);
        } else if (index + 1 < tree->leaf_count && tree->directory[index + 1].leaf->complete) {
            weir_map_tree_take_out(tree, index, true);
        }
        return;
    }
    if (index == 0 || weir_map_leaf_live_bytes(leaf) > SMALL_BYTES) {
        return;
    }
    weir_map_leaf *left = tree->directory[index - 1].leaf;
    if (!left->complete || !leaf->complete ||
        weir_map_leaf_live_bytes(left) + weir_map_leaf_live_bytes(leaf) > SMALL_BYTES) {
        return;
    }
    uint32_t before = left->count;
    for (uint32_t i = 0; i < leaf->count; i++) {
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), i);
        if (weir_map_leaf_set(tree->table, left, weir_map_tree_has_time(tree), left->count, false, &entry, NULL) !=
            WEIR_OK) {
            while (left->count > before) { /* no memory to join them: they stay as they are */
                weir_map_leaf_drop(left, weir_map_tree_has_time(tree), left->count - 1);
            }
            return;
        }
    }
    left->dirty = left->dirty || leaf->dirty;
    weir_map_tree_take_out(tree, index, false);
}

int weir_map_tree_remove(weir_map_tree *tree, weir_slice subkey, weir_error *err)
{
    bool equal = false;
    uint32_t index = weir_map_tree_find(tree, subkey);
    weir_map_leaf *leaf = tree->directory[index].leaf;
    uint32_t position = weir_map_leaf_find(leaf, weir_map_tree_has_time(tree), subkey, &equal);
    uint32_t flags = equal ? weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), position).flags : 0;
    if (leaf->complete && !(flags & WEIR_LEAF_ENTRY_ON_DISK)) {
        if (equal) {
            weir_map_leaf_drop(leaf, weir_map_tree_has_time(tree), position);
            weir_map_tree_join(tree, index);
        }
        return WEIR_OK;
    }
    weir_map_leaf_entry tombstone = {.subkey = subkey,
                                     .time = tree->table->backend->now_ms,
                                     .flags = WEIR_LEAF_ENTRY_DIRTY | WEIR_LEAF_ENTRY_REMOVED};
    return weir_map_tree_set(tree, &tombstone, err);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

int weir_map_tree_get(weir_map_tree *tree, weir_slice subkey, bool *out_found, weir_slice *out_value, weir_error *err)
{
    bool equal = false;
    *out_found = false;
    *out_value = weir_slice_of(NULL, 0);
    weir_map_leaf *leaf = tree->directory[weir_map_tree_find(tree, subkey)].leaf;
    uint32_t position = weir_map_leaf_find(leaf, weir_map_tree_has_time(tree), subkey, &equal);
    if (!equal && !leaf->complete) {
        WEIR_TRY(weir_map_tree_load_entry(tree, subkey, &equal, err));
        leaf = tree->directory[weir_map_tree_find(tree, subkey)].leaf;
        position = weir_map_leaf_find(leaf, weir_map_tree_has_time(tree), subkey, &equal);
    }
    leaf->recent = true;
    if (equal) {
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), position);
        *out_found = !(entry.flags & WEIR_LEAF_ENTRY_REMOVED) && !weir_map_tree_is_over(tree, &entry);
        *out_value = *out_found ? entry.value : *out_value;
    }
    return WEIR_OK;
}

/* Whether a leaf has nothing to show: all that its range had was removed. */
static bool is_bare(const weir_map_leaf *leaf) { return leaf->complete && leaf->removed == leaf->count; }

/* The first leaf from `index` on that is not bare: those at the front of a queue are found once. */
static uint32_t skip_bare(weir_map_tree *tree, uint32_t index)
{
    if (tree->first_live_changes != tree->changes) {
        tree->first_live = 0;
        tree->first_live_changes = tree->changes;
    }
    bool from_front = index <= tree->first_live;
    index = from_front ? tree->first_live : index;
    while (index + 1 < tree->leaf_count && is_bare(tree->directory[index].leaf)) {
        index++;
    }
    tree->first_live = from_front ? index : tree->first_live;
    return index;
}

int weir_map_tree_seek(weir_map_tree *tree, weir_slice subkey, weir_map_place *out, weir_error *err)
{
    bool equal = false;
    out->leaf = weir_map_tree_find(tree, subkey);
    while (!tree->directory[out->leaf].leaf->complete) {
        WEIR_TRY(weir_map_tree_load(tree, out->leaf, err));
        out->leaf = weir_map_tree_find(tree, subkey);
    }
    out->at = tree->directory[out->leaf].leaf;
    out->position = weir_map_leaf_find(out->at, weir_map_tree_has_time(tree), subkey, &equal);
    out->changes = tree->changes;
    uint32_t live = skip_bare(tree, out->leaf);
    if (live != out->leaf) {
        *out = (weir_map_place){live, 0, tree->directory[live].leaf, tree->changes};
    }
    return WEIR_OK;
}

/* Finds the leaf at hand again where others have come before it. */
static void find_place(const weir_map_tree *tree, weir_map_place *place)
{
    for (place->leaf = 0; tree->directory[place->leaf].leaf != place->at;) {
        place->leaf++;
    }
    place->changes = tree->changes;
}

int weir_map_tree_next(weir_map_tree *tree, weir_map_place *place, weir_map_leaf_entry *out, weir_error *err)
{
    if (place->changes != tree->changes) {
        find_place(tree, place);
    }
    for (; place->leaf < tree->leaf_count; place->leaf++, place->position = 0) {
        int code = weir_map_tree_load(tree, place->leaf, err);
        if (code == WEIR_NO_MEMORY && weir_map_tree_give_up(tree, 0, place->leaf)) {
            code = weir_map_tree_load(tree, place->leaf, err);
        }
        WEIR_TRY(code);
        weir_map_leaf *leaf = tree->directory[place->leaf].leaf;
        place->at = leaf;
        place->changes = tree->changes;
        leaf->recent = true;
        while (place->position < leaf->count) {
            *out = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), place->position++);
            if (!(out->flags & WEIR_LEAF_ENTRY_REMOVED) && !weir_map_tree_is_over(tree, out)) {
                return WEIR_OK;
            }
        }
    }
    place->leaf = tree->leaf_count - 1; /* past the last entry of the last leaf */
    place->position = UINT32_MAX;
    return WEIR_END;
}

/* --- what is no longer needed ----------------------------------------------------------------------------------- */

void weir_map_tree_expire(weir_map_tree *tree)
{
    for (uint32_t i = tree->leaf_count; i > 0; i--) {
        drop_expired(tree, tree->directory[i - 1].leaf);
        weir_map_tree_join(tree, i - 1);
    }
}
