/* Large maps: which leaf is responsible, and what happens between leaves: splitting, joining, loading and giving up. */
#include "stream/state/map_tree.h"

#include <stdlib.h>

#include "stream/state/map_leaf.h"

#define LEAF_BYTES  4096 /* a leaf with more is split */
#define SMALL_BYTES 512  /* leaves that have no more together are joined */

static bool has_time(const weir_map_tree *tree) { return tree->ttl_ms > 0; }

static bool is_over(const weir_map_tree *tree, const weir_map_leaf_entry *entry)
{
    return tree->ttl_ms > 0 && tree->backend->now_ms - entry->time >= tree->ttl_ms;
}

/* --- the directory ----------------------------------------------------------------------------------------------- */

static uint64_t prefix_of(weir_slice subkey)
{
    uint8_t bytes[8] = {0};
    if (subkey.size > 0) {
        memcpy(bytes, subkey.data, subkey.size < sizeof bytes ? subkey.size : sizeof bytes);
    }
    return weir_load_be64(bytes);
}

/* The leaf that is responsible for a subkey: the last whose fence is not above. */
static uint32_t find_leaf(const weir_map_tree *tree, weir_slice subkey)
{
    uint64_t prefix = prefix_of(subkey);
    uint32_t low = 0;
    uint32_t high = tree->leaf_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const weir_map_directory_entry *entry = &tree->directory[middle];
        bool above = entry->prefix != prefix ? entry->prefix > prefix
                                             : weir_slice_compare(entry->leaf->fence, subkey) > 0;
        if (above) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

static int insert_leaf(weir_map_tree *tree, uint32_t index, weir_map_leaf *leaf, weir_error *err)
{
    if (tree->leaf_count == tree->leaf_capacity) {
        uint32_t more = tree->leaf_capacity == 0 ? 1 : tree->leaf_capacity < 16 ? 8 : tree->leaf_capacity / 2;
        WEIR_TRY(weir_state_take(tree->backend, (int64_t)(more * sizeof *tree->directory), err));
        tree->leaf_capacity += more;
        tree->directory = weir_realloc(tree->directory, tree->leaf_capacity * sizeof *tree->directory);
    }
    memmove(tree->directory + index + 1, tree->directory + index,
            (tree->leaf_count - index) * sizeof *tree->directory);
    tree->directory[index] = (weir_map_directory_entry){prefix_of(leaf->fence), leaf};
    tree->leaf_count++;
    return WEIR_OK;
}

/* Takes a leaf out; its neighbour is responsible for its range from now on. */
static void remove_leaf(weir_map_tree *tree, uint32_t index)
{
    weir_map_leaf *leaf = tree->directory[index].leaf;
    if (index == 0) {
        weir_map_leaf *next = tree->directory[1].leaf;
        weir_slice fence = next->fence;
        next->fence = leaf->fence;
        leaf->fence = fence;
        tree->directory[1].prefix = tree->directory[0].prefix;
    }
    memmove(tree->directory + index, tree->directory + index + 1,
            (tree->leaf_count - index - 1) * sizeof *tree->directory);
    tree->leaf_count--;
    weir_map_leaf_free(tree->backend, leaf);
}

int weir_map_tree_create(weir_state_backend *backend, uint64_t id, int64_t ttl_ms, bool complete, weir_map_tree **out,
                         weir_error *err)
{
    weir_map_leaf *leaf = NULL;
    WEIR_TRY(weir_state_take(backend, (int64_t)sizeof(weir_map_tree), err));
    weir_map_tree *tree = weir_alloc_zeroed(1, sizeof *tree);
    tree->backend = backend;
    tree->id = id;
    tree->ttl_ms = ttl_ms;
    int code = weir_map_leaf_create(backend, weir_slice_of(NULL, 0), complete, &leaf, err);
    if (code == WEIR_OK) {
        code = insert_leaf(tree, 0, leaf, err);
    }
    if (code != WEIR_OK) {
        if (leaf != NULL) {
            weir_map_leaf_free(backend, leaf);
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
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        weir_map_leaf_free(tree->backend, tree->directory[i].leaf);
    }
    weir_state_give(tree->backend, (int64_t)(sizeof *tree + tree->leaf_capacity * sizeof *tree->directory));
    free(tree->directory);
    free(tree);
}

bool weir_map_tree_is_empty(const weir_map_tree *tree)
{
    return tree->leaf_count == 1 && tree->directory[0].leaf->count == 0 && tree->directory[0].leaf->complete;
}

/* --- changes ----------------------------------------------------------------------------------------------------- */

static void mark_dirty(weir_map_tree *tree, weir_map_leaf *leaf)
{
    leaf->dirty = true;
    tree->dirty = true;
}

static void drop_expired(weir_map_tree *tree, weir_map_leaf *leaf)
{
    for (uint32_t i = leaf->count; has_time(tree) && i > 0; i--) {
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, true, i - 1);
        if (is_over(tree, &entry)) {
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
    WEIR_TRY(weir_map_leaf_split(tree->backend, leaf, has_time(tree), middle, &right, err));
    int code = insert_leaf(tree, index + 1, right, err);
    if (code != WEIR_OK) {
        for (uint32_t i = 0; i < right->count && code == WEIR_OK; i++) {
            weir_map_leaf_entry entry = weir_map_leaf_at(right, has_time(tree), i);
            (void)weir_map_leaf_set(tree->backend, leaf, has_time(tree), leaf->count, false, &entry, err);
        }
        weir_map_leaf_free(tree->backend, right);
    }
    return code;
}

static int set_entry(weir_map_tree *tree, const weir_map_leaf_entry *entry, weir_error *err)
{
    bool equal = false;
    uint32_t index = find_leaf(tree, entry->subkey);
    weir_map_leaf *leaf = tree->directory[index].leaf;
    uint32_t position = weir_map_leaf_find(leaf, has_time(tree), entry->subkey, &equal);
    size_t size = entry->subkey.size + entry->value.size + 16;
    if (!equal && leaf->count >= 2 && weir_map_leaf_live_bytes(leaf) + size > LEAF_BYTES) {
        uint32_t before = leaf->count;
        drop_expired(tree, leaf);
        if (leaf->count == before) {
            WEIR_TRY(split_leaf(tree, index, position, err));
        }
        return set_entry(tree, entry, err);
    }
    weir_map_leaf_entry set = *entry;
    if (equal) {
        set.flags |= weir_map_leaf_at(leaf, has_time(tree), position).flags & WEIR_LEAF_ENTRY_ON_DISK;
    } else if (!leaf->complete) {
        set.flags |= WEIR_LEAF_ENTRY_ON_DISK;
    }
    WEIR_TRY(weir_map_leaf_set(tree->backend, leaf, has_time(tree), position, equal, &set, err));
    leaf->recent = true;
    if (set.flags & WEIR_LEAF_ENTRY_DIRTY) {
        mark_dirty(tree, leaf);
    }
    return WEIR_OK;
}

int weir_map_tree_add(weir_map_tree *tree, weir_slice subkey, weir_slice value, int64_t time, weir_error *err)
{
    weir_map_leaf_entry entry = {.subkey = subkey, .value = value, .time = time, .flags = WEIR_LEAF_ENTRY_DIRTY};
    return set_entry(tree, &entry, err);
}

int weir_map_tree_put(weir_map_tree *tree, weir_slice subkey, weir_slice value, weir_error *err)
{
    return weir_map_tree_add(tree, subkey, value, tree->backend->now_ms, err);
}

/* Joins a leaf that has become small with the one after or before it. */
static void join_leaf(weir_map_tree *tree, uint32_t index)
{
    weir_map_leaf *leaf = tree->directory[index].leaf;
    if (tree->leaf_count > 1 && leaf->count == 0 && leaf->complete) {
        remove_leaf(tree, index);
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
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, has_time(tree), i);
        if (weir_map_leaf_set(tree->backend, left, has_time(tree), left->count, false, &entry, NULL) != WEIR_OK) {
            while (left->count > before) { /* no memory to join them: they stay as they are */
                weir_map_leaf_drop(left, has_time(tree), left->count - 1);
            }
            return;
        }
    }
    left->dirty = left->dirty || leaf->dirty;
    remove_leaf(tree, index);
}

int weir_map_tree_remove(weir_map_tree *tree, weir_slice subkey, weir_error *err)
{
    bool equal = false;
    uint32_t index = find_leaf(tree, subkey);
    weir_map_leaf *leaf = tree->directory[index].leaf;
    uint32_t position = weir_map_leaf_find(leaf, has_time(tree), subkey, &equal);
    uint32_t flags = equal ? weir_map_leaf_at(leaf, has_time(tree), position).flags : 0;
    if (leaf->complete && !(flags & WEIR_LEAF_ENTRY_ON_DISK)) {
        if (equal) {
            weir_map_leaf_drop(leaf, has_time(tree), position);
            join_leaf(tree, index);
        }
        return WEIR_OK;
    }
    weir_map_leaf_entry tombstone = {.subkey = subkey,
                                     .time = tree->backend->now_ms,
                                     .flags = WEIR_LEAF_ENTRY_DIRTY | WEIR_LEAF_ENTRY_REMOVED};
    return set_entry(tree, &tombstone, err);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

int weir_map_tree_get(weir_map_tree *tree, weir_slice subkey, bool *out_found, weir_slice *out_value, weir_error *err)
{
    (void)err;
    weir_map_leaf *leaf = tree->directory[find_leaf(tree, subkey)].leaf;
    uint32_t position = weir_map_leaf_find(leaf, has_time(tree), subkey, out_found);
    leaf->recent = true;
    if (*out_found) {
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, has_time(tree), position);
        *out_found = !(entry.flags & WEIR_LEAF_ENTRY_REMOVED) && !is_over(tree, &entry);
        *out_value = entry.value;
    }
    if (!*out_found) {
        *out_value = weir_slice_of(NULL, 0);
    }
    return WEIR_OK;
}

int weir_map_tree_seek(weir_map_tree *tree, weir_slice subkey, weir_map_place *out, weir_error *err)
{
    (void)err;
    bool equal = false;
    out->leaf = find_leaf(tree, subkey);
    out->position = weir_map_leaf_find(tree->directory[out->leaf].leaf, has_time(tree), subkey, &equal);
    return WEIR_OK;
}

int weir_map_tree_next(weir_map_tree *tree, weir_map_place *place, weir_map_leaf_entry *out, weir_error *err)
{
    (void)err;
    for (; place->leaf < tree->leaf_count; place->leaf++, place->position = 0) {
        weir_map_leaf *leaf = tree->directory[place->leaf].leaf;
        leaf->recent = true;
        while (place->position < leaf->count) {
            *out = weir_map_leaf_at(leaf, has_time(tree), place->position++);
            if (!(out->flags & WEIR_LEAF_ENTRY_REMOVED) && !is_over(tree, out)) {
                return WEIR_OK;
            }
        }
    }
    return WEIR_END;
}
