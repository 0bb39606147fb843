/* What large maps have to do with the database: leaves and entries are loaded when somebody asks for them, given up
 * where memory is short, and written at checkpoints. */
#include "stream/state/map_tree_internal.h"

/* --- loading ----------------------------------------------------------------------------------------------------- */

/* What the database has from `subkey` on is for a new leaf. */
static int cut_leaf(weir_map_tree *tree, uint32_t index, weir_slice subkey, weir_error *err)
{
    bool equal = false;
    weir_map_leaf *right = NULL;
    weir_map_leaf *leaf = tree->directory[index].leaf;
    uint32_t position = weir_map_leaf_find(leaf, weir_map_tree_has_time(tree), subkey, &equal);
    WEIR_TRY(weir_map_leaf_split(tree->table, leaf, weir_map_tree_has_time(tree), position, subkey, &right, err));
    right->complete = false;
    int code = weir_map_tree_insert(tree, index + 1, right, err);
    if (code != WEIR_OK) {
        weir_map_leaf_free(tree->table, right);
    }
    return code;
}

/* Adds what the database has of a leaf's range and memory lacks, up to about a leaf's bytes; what lies beyond becomes
 * a leaf of its own. */
static int load_from(weir_map_tree *tree, uint32_t index, weir_state_scan *scan, weir_error *err)
{
    size_t loaded = 0;
    for (;;) {
        bool equal = false;
        weir_slice key;
        weir_slice value;
        weir_state_record record;
        int code = weir_state_scan_next(scan, &key, &value, err);
        if (code == WEIR_END) {
            return WEIR_OK;
        }
        WEIR_TRY(code);
        weir_map_leaf *leaf = tree->directory[index].leaf;
        weir_slice subkey = weir_slice_of(key.data + tree->path.size, key.size - tree->path.size);
        if (index + 1 < tree->leaf_count && weir_slice_compare(subkey, tree->directory[index + 1].leaf->fence) >= 0) {
            return WEIR_OK;
        }
        if (loaded > WEIR_MAP_LEAF_BYTES) {
            return cut_leaf(tree, index, subkey, err);
        }
        WEIR_TRY_CTX(weir_state_record_read(value, &record, err), err, "%s", tree->table->name);
        uint32_t position = weir_map_leaf_find(leaf, weir_map_tree_has_time(tree), subkey, &equal);
        weir_map_leaf_entry entry = {.subkey = subkey,
                                     .value = record.bytes,
                                     .time = record.has_time ? record.time : tree->table->backend->now_ms,
                                     .flags = WEIR_LEAF_ENTRY_ON_DISK};
        loaded += key.size + value.size;
        if (!equal && !weir_map_tree_is_over(tree, &entry)) {
            WEIR_TRY(weir_map_leaf_set(tree->table, leaf, weir_map_tree_has_time(tree), position, false, &entry, err));
        }
    }
}

int weir_map_tree_load(weir_map_tree *tree, uint32_t index, weir_error *err)
{
    weir_state_scan *scan = NULL;
    weir_map_leaf *leaf = tree->directory[index].leaf;
    if (leaf->complete) {
        return WEIR_OK;
    }
    weir_buffer from = {0};
    weir_buffer_append(&from, tree->path.data, tree->path.size);
    weir_buffer_append(&from, leaf->fence.data, leaf->fence.size);
    int code = weir_state_scan_open(tree->table->backend->disk, weir_buffer_slice(&from),
                                    weir_buffer_slice(&tree->path), &scan, err);
    if (code == WEIR_OK) {
        code = load_from(tree, index, scan, err);
        leaf->complete = code == WEIR_OK;
    }
    weir_state_scan_close(scan);
    weir_buffer_free(&from);
    return code;
}

typedef struct wanted_entry {
    weir_map_tree *tree;
    weir_slice subkey;
    bool found;
} wanted_entry;

static int take_wanted(void *owner, size_t index, weir_slice value, weir_error *err)
{
    (void)index;
    wanted_entry *wanted = owner;
    weir_state_record record;
    WEIR_TRY_CTX(weir_state_record_read(value, &record, err), err, "%s", wanted->tree->table->name);
    weir_map_leaf_entry entry = {.subkey = wanted->subkey,
                                 .value = record.bytes,
                                 .time = record.has_time ? record.time : wanted->tree->table->backend->now_ms,
                                 .flags = WEIR_LEAF_ENTRY_ON_DISK};
    wanted->found = !weir_map_tree_is_over(wanted->tree, &entry);
    return wanted->found ? weir_map_tree_set(wanted->tree, &entry, err) : WEIR_OK;
}

int weir_map_tree_load_entry(weir_map_tree *tree, weir_slice subkey, bool *out_found, weir_error *err)
{
    weir_buffer bytes = {0};
    wanted_entry wanted = {tree, subkey, false};
    weir_buffer_append(&bytes, tree->path.data, tree->path.size);
    weir_buffer_append(&bytes, subkey.data, subkey.size);
    weir_slice key = weir_buffer_slice(&bytes);
    int code = weir_state_disk_get(tree->table->backend->disk, &key, 1, take_wanted, &wanted, err);
    weir_buffer_free(&bytes);
    *out_found = wanted.found;
    return code;
}

/* --- giving up --------------------------------------------------------------------------------------------------- */

bool weir_map_tree_give_up(weir_map_tree *tree, uint32_t first, uint32_t end)
{
    int64_t before = tree->table->tree_bytes;
    for (uint32_t i = first; i < end && tree->table->backend->disk != NULL; i++) {
        weir_map_leaf *leaf = tree->directory[i].leaf;
        if (!leaf->dirty && leaf->count > 0) {
            weir_map_leaf_empty(tree->table, leaf);
            leaf->complete = false;
        }
    }
    return tree->table->tree_bytes < before;
}

bool weir_map_tree_evict(weir_map_tree *tree)
{
    bool gone = true;
    for (uint32_t i = tree->leaf_count; i > 0; i--) {
        weir_map_leaf *leaf = tree->directory[i - 1].leaf;
        if (leaf->recent || leaf->dirty) {
            leaf->recent = false;
            gone = false;
            continue;
        }
        weir_map_leaf_empty(tree->table, leaf);
        leaf->complete = false;
        weir_map_leaf *next = i < tree->leaf_count ? tree->directory[i].leaf : NULL;
        if (next != NULL && next->count == 0 && !next->complete) {
            weir_map_tree_take_out(tree, i, false);
        }
    }
    return gone;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

void weir_map_tree_mark_dirty(weir_map_tree *tree, weir_map_leaf *leaf)
{
    leaf->dirty = true;
    if (!tree->dirty && tree->table->backend->disk != NULL) {
        tree->dirty = true;
        tree->next_dirty = tree->table->dirty_trees;
        tree->dirty_link = &tree->table->dirty_trees;
        if (tree->next_dirty != NULL) {
            tree->next_dirty->dirty_link = &tree->next_dirty;
        }
        tree->table->dirty_trees = tree;
    }
}

void weir_map_tree_unmark_dirty(weir_map_tree *tree)
{
    if (tree->dirty) {
        *tree->dirty_link = tree->next_dirty;
        if (tree->next_dirty != NULL) {
            tree->next_dirty->dirty_link = tree->dirty_link;
        }
        tree->dirty = false;
    }
}

int weir_map_tree_write(weir_map_tree *tree, weir_error *err)
{
    int code = WEIR_OK;
    weir_buffer key = {0};
    weir_buffer value = {0};
    weir_buffer_append(&key, tree->path.data, tree->path.size);
    for (uint32_t l = 0; l < tree->leaf_count; l++) {
        const weir_map_leaf *leaf = tree->directory[l].leaf;
        for (uint32_t i = 0; leaf->dirty && i < leaf->count; i++) {
            weir_map_leaf_entry entry = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), i);
            if (!(entry.flags & WEIR_LEAF_ENTRY_DIRTY)) {
                continue;
            }
            key.size = tree->path.size;
            weir_buffer_append(&key, entry.subkey.data, entry.subkey.size);
            if (entry.flags & WEIR_LEAF_ENTRY_REMOVED) {
                WEIR_GO(weir_state_disk_remove(tree->table->backend->disk, weir_buffer_slice(&key), err));
                continue;
            }
            weir_buffer_clear(&value);
            weir_state_record_begin(&value, weir_map_tree_has_time(tree), entry.time);
            weir_buffer_append(&value, entry.value.data, entry.value.size);
            WEIR_GO(weir_state_disk_put(tree->table->backend->disk, weir_buffer_slice(&key), weir_buffer_slice(&value),
                                        err));
        }
    }
done:
    weir_buffer_free(&key);
    weir_buffer_free(&value);
    return code;
}

void weir_map_tree_written(weir_map_tree *tree)
{
    weir_map_tree_unmark_dirty(tree);
    for (uint32_t l = tree->leaf_count; l > 0; l--) {
        weir_map_leaf *leaf = tree->directory[l - 1].leaf;
        if (!leaf->dirty) {
            continue;
        }
        leaf->dirty = false;
        for (uint32_t i = leaf->count; i > 0; i--) {
            uint32_t flags = weir_map_leaf_at(leaf, weir_map_tree_has_time(tree), i - 1).flags;
            if (flags & WEIR_LEAF_ENTRY_REMOVED) {
                weir_map_leaf_drop(leaf, weir_map_tree_has_time(tree), i - 1);
            } else {
                weir_map_leaf_set_flags(leaf, i - 1, flags & WEIR_LEAF_ENTRY_DIRTY ? WEIR_LEAF_ENTRY_ON_DISK : flags);
            }
        }
        weir_map_tree_join(tree, l - 1);
    }
}
