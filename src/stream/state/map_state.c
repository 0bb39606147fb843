/* Map state. A small map is a value of the hash table, a block of entries in order (map_block.h). One that grows
 * becomes a tree (map_tree.h), and its value in the table says which:
 *
 *   | kind 2: 1 | 0: 3 | index of the tree, where it is in memory: 4 | id of the map: 8 | */
#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/map_block.h"
#include "stream/state/map_tree.h"

#define TREE_KIND   2
#define TREE_BYTES  16
#define BLOCK_BYTES 2048  /* blocks of more bytes become trees, */
#define BLOCK_COUNT 4     /* when they have so many entries */
#define LARGE_BLOCK 65536 /* or are as large as this, and have two */

struct weir_map_cursor {
    weir_map_state *state;
    weir_state_slot slot;
    size_t at;
    weir_map_tree *tree; /* NULL: the map is a block */
    weir_map_place place;
};

struct weir_map_state {
    weir_state_table table;
    weir_map_tree **trees; /* some are NULL */
    size_t tree_count;
    size_t tree_capacity;
    uint32_t *spare_indices; /* of trees */
    size_t spare_count;
    size_t spare_capacity;
    weir_map_cursor *spare_cursor;
};

static const weir_state_hooks tree_hooks;

int weir_map_state_open(weir_state_backend *backend, const weir_state_options *options, weir_map_state **out,
                        weir_error *err)
{
    weir_map_state *state = weir_alloc_zeroed(1, sizeof *state);
    int code = weir_state_table_init(&state->table, backend, options, &tree_hooks, err);
    if (code != WEIR_OK) {
        free(state);
        return code;
    }
    *out = state;
    return WEIR_OK;
}

void weir_map_state_close(weir_map_state *state)
{
    if (state != NULL) {
        for (size_t i = 0; i < state->tree_count; i++) {
            weir_map_tree_free(state->trees[i]);
        }
        free(state->trees);
        free(state->spare_indices);
        weir_state_table_free(&state->table);
        free(state->spare_cursor);
        free(state);
    }
}

int weir_map_state_fetch(weir_map_state *state, const weir_sort_keys *keys, weir_state_slot *out_slots, weir_error *err)
{
    return weir_state_table_fetch(&state->table, keys, out_slots, err);
}

int weir_map_state_fetch_one(weir_map_state *state, weir_slice key, weir_state_slot *out_slot, weir_error *err)
{
    return weir_state_table_fetch_one(&state->table, key, out_slot, err);
}

static bool has_time(const weir_map_state *state) { return state->table.ttl_ms > 0; }

static bool is_over(const weir_map_state *state, const weir_map_block_entry *entry)
{
    return has_time(state) && state->table.backend->now_ms - entry->time >= state->table.ttl_ms;
}

/* --- trees ------------------------------------------------------------------------------------------------------- */

static weir_map_state *state_of(weir_state_table *table) { return (weir_map_state *)(void *)table; }

/* The tree that a value names, if it is in memory. */
static weir_map_tree *tree_in_memory(const weir_map_state *state, const uint8_t *value)
{
    uint32_t index = weir_load_le32(value + 4);
    weir_map_tree *tree = index < state->tree_count ? state->trees[index] : NULL;
    return tree != NULL && tree->id == weir_load_le64(value + 8) ? tree : NULL;
}

static uint32_t add_tree(weir_map_state *state, weir_map_tree *tree)
{
    uint32_t index = (uint32_t)state->tree_count;
    if (state->spare_count > 0) {
        index = state->spare_indices[--state->spare_count];
    } else {
        WEIR_GROW(state->trees, state->tree_capacity, state->tree_count + 1);
        state->tree_count++;
    }
    state->trees[index] = tree;
    tree->index = index;
    return index;
}

static void free_tree(weir_map_state *state, uint32_t index)
{
    weir_map_tree_free(state->trees[index]);
    state->trees[index] = NULL;
    WEIR_GROW(state->spare_indices, state->spare_capacity, state->spare_count + 1);
    state->spare_indices[state->spare_count++] = index;
}

static weir_slice key_at(const weir_map_state *state, weir_state_slot slot)
{
    const weir_state_entry *entry = weir_state_entry_of(&state->table, weir_state_cell(&state->table, slot));
    return weir_slice_of(weir_state_entry_key(&state->table, entry), entry->key_size);
}

static bool names_tree(weir_slice value) { return value.size == TREE_BYTES && value.data[0] == TREE_KIND; }

/* The tree of a map, whose entries may all be in the database; NULL: the map is a block. */
static int tree_at(weir_map_state *state, weir_state_slot slot, weir_map_tree **out, weir_error *err)
{
    weir_slice value = weir_state_table_get(&state->table, slot);
    *out = NULL;
    if (!names_tree(value)) {
        return WEIR_OK;
    }
    *out = tree_in_memory(state, value.data);
    if (*out == NULL) {
        uint64_t id = weir_load_le64(value.data + 8);
        WEIR_TRY(weir_map_tree_create(&state->table, key_at(state, slot), id, false, out, err));
        weir_store_le32((uint8_t *)value.data + 4, add_tree(state, *out));
    }
    return WEIR_OK;
}

static int fill_tree(const weir_map_state *state, weir_state_slot slot, weir_map_tree *tree, weir_error *err)
{
    weir_slice block = weir_state_table_get(&state->table, slot);
    weir_map_block_entry entry = {.end = 1};
    for (;;) {
        int code = weir_map_block_read(block, entry.end, has_time(state), &entry, err);
        if (code == WEIR_END) {
            return WEIR_OK;
        }
        if (code == WEIR_OK && !is_over(state, &entry)) {
            code = weir_map_tree_add(tree, entry.subkey, entry.value, entry.time, err);
        }
        WEIR_TRY(code);
    }
}

static int make_tree(weir_map_state *state, weir_state_slot slot, weir_error *err)
{
    int code = WEIR_OK;
    weir_map_tree *tree = NULL;
    uint8_t *value = NULL;
    uint64_t id = ++state->table.backend->last_map_id;
    WEIR_GO(weir_map_tree_create(&state->table, key_at(state, slot), id, true, &tree, err));
    WEIR_GO(fill_tree(state, slot, tree, err));
    WEIR_GO(weir_state_table_edit(&state->table, slot, TREE_BYTES, &value, err));
    memset(value, 0, TREE_BYTES);
    value[0] = TREE_KIND;
    weir_store_le32(value + 4, add_tree(state, tree));
    weir_store_le64(value + 8, id);
    weir_state_table_set_tree(&state->table, slot, true);
    tree = NULL;
done:
    weir_map_tree_free(tree);
    return code;
}

/* A map that has lost its last entry. */
static void drop_tree(weir_map_state *state, weir_state_slot slot)
{
    free_tree(state, weir_load_le32(weir_state_table_get(&state->table, slot).data + 4));
    weir_state_table_set_tree(&state->table, slot, false);
    weir_state_table_remove(&state->table, slot);
}

static weir_map_tree *tree_of_entry(weir_state_table *table, const weir_state_entry *entry, uint32_t *out_index)
{
    const uint8_t *value = (const uint8_t *)entry + weir_state_value_offset(table, entry->key_size);
    *out_index = weir_load_le32(value + 4);
    return tree_in_memory(state_of(table), value);
}

static void tree_loaded(weir_state_table *table, weir_state_slot slot)
{
    if (names_tree(weir_state_table_get(table, slot))) {
        weir_state_table_set_tree(table, slot, true);
    }
}

static bool sweep_tree(weir_state_table *table, const weir_state_entry *entry)
{
    uint32_t index = 0;
    weir_map_tree *tree = tree_of_entry(table, entry, &index);
    if (tree == NULL) {
        return true;
    }
    if (!weir_map_tree_evict(tree)) {
        return false;
    }
    free_tree(state_of(table), index);
    return true;
}

static void expire_tree(weir_state_table *table, const weir_state_entry *entry)
{
    uint32_t index = 0;
    weir_map_tree *tree = tree_of_entry(table, entry, &index);
    if (tree == NULL) {
        return;
    }
    weir_map_tree_expire(tree);
    if (weir_map_tree_is_empty(tree)) {
        weir_state_table_drop(table, weir_buffer_slice(&tree->key));
        free_tree(state_of(table), index);
    }
}

static int compare_trees(const void *a, const void *b)
{
    const weir_map_tree *first = *(weir_map_tree *const *)a;
    const weir_map_tree *second = *(weir_map_tree *const *)b;
    return weir_slice_compare(weir_buffer_slice(&first->path), weir_buffer_slice(&second->path));
}

static int write_trees(weir_state_table *table, weir_error *err)
{
    size_t count = 0;
    for (const weir_map_tree *tree = table->dirty_trees; tree != NULL; tree = tree->next_dirty) {
        count++;
    }
    weir_map_tree **trees = weir_alloc(count * sizeof *trees);
    size_t filled = 0;
    for (weir_map_tree *tree = table->dirty_trees; tree != NULL; tree = tree->next_dirty) {
        trees[filled++] = tree;
    }
    qsort(trees, count, sizeof *trees, compare_trees);
    int code = WEIR_OK;
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        code = weir_map_tree_write(trees[i], err);
    }
    free(trees);
    return code;
}

/* Lets go of a tree whose last entries a checkpoint has removed. */
static void drop_written(weir_map_state *state, weir_map_tree *tree)
{
    weir_state_table_drop(&state->table, weir_buffer_slice(&tree->key));
    free_tree(state, tree->index);
}

static void trees_written(weir_state_table *table)
{
    while (table->dirty_trees != NULL) {
        weir_map_tree *tree = table->dirty_trees;
        weir_map_tree_written(tree);
        if (weir_map_tree_is_empty(tree)) {
            drop_written(state_of(table), tree);
        }
    }
}

static const weir_state_hooks tree_hooks = {tree_loaded, sweep_tree, expire_tree, write_trees, trees_written};

/* Whether a block is better off as a tree. */
static bool is_large(const weir_map_state *state, weir_slice block)
{
    if (block.size <= BLOCK_BYTES) {
        return false;
    }
    int count = 0;
    weir_map_block_entry entry = {.end = 1};
    while (count < BLOCK_COUNT && weir_map_block_read(block, entry.end, has_time(state), &entry, NULL) == WEIR_OK) {
        count++;
    }
    return count >= BLOCK_COUNT || (count > 1 && block.size > LARGE_BLOCK);
}

/* --- entries ----------------------------------------------------------------------------------------------------- */

static int find(const weir_map_state *state, weir_state_slot slot, weir_slice subkey, weir_map_block_entry *out,
                bool *out_equal, weir_error *err)
{
    weir_slice block = weir_state_table_get(&state->table, slot);
    int code = weir_map_block_find(block, subkey, has_time(state), out, out_equal, err);
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_map_state_get(weir_map_state *state, weir_state_slot slot, weir_slice subkey, bool *out_found,
                       weir_slice *out_value, weir_error *err)
{
    weir_map_tree *tree = NULL;
    WEIR_TRY(tree_at(state, slot, &tree, err));
    if (tree != NULL) {
        return weir_map_tree_get(tree, subkey, out_found, out_value, err);
    }
    weir_map_block_entry entry;
    WEIR_TRY(find(state, slot, subkey, &entry, out_found, err));
    *out_found = *out_found && !is_over(state, &entry);
    *out_value = *out_found ? entry.value : (weir_slice){0};
    return WEIR_OK;
}

/* Makes begin .. end of a map's block `size` bytes, and gives their place. */
static int resize_entry(weir_map_state *state, weir_state_slot slot, size_t begin, size_t end, size_t size,
                        uint8_t **out, weir_error *err)
{
    uint8_t *block = NULL;
    size_t old = weir_state_table_get(&state->table, slot).size;
    old = old == 0 ? 1 : old;
    size_t wanted = old - (end - begin) + size;
    WEIR_TRY(weir_state_table_edit(&state->table, slot, wanted > old ? wanted : old, &block, err));
    block[0] = WEIR_MAP_BLOCK_KIND;
    memmove(block + begin + size, block + end, old - end);
    *out = block + begin;
    return wanted < old ? weir_state_table_edit(&state->table, slot, wanted, &block, err) : WEIR_OK;
}

int weir_map_state_put(weir_map_state *state, weir_state_slot slot, weir_slice subkey, weir_slice value,
                       weir_error *err)
{
    bool equal = false;
    weir_map_block_entry entry;
    if (subkey.size > WEIR_MAP_ENTRY_LIMIT || value.size > WEIR_MAP_ENTRY_LIMIT) {
        return weir_fail(err, WEIR_UNSUPPORTED, "state %s: an entry of %zu bytes; 256 MB is the limit",
                         state->table.name, subkey.size + value.size);
    }
    weir_map_tree *tree = NULL;
    WEIR_TRY(tree_at(state, slot, &tree, err));
    if (tree != NULL) {
        return weir_map_tree_put(tree, subkey, value, err);
    }
    WEIR_TRY(find(state, slot, subkey, &entry, &equal, err));
    size_t end = equal ? entry.end : entry.begin;
    uint8_t *to = NULL;
    size_t size = weir_map_block_entry_bytes(subkey, value, has_time(state));
    WEIR_TRY(resize_entry(state, slot, entry.begin, end, size, &to, err));
    weir_map_block_write(to, subkey, value, has_time(state), state->table.backend->now_ms);
    return is_large(state, weir_state_table_get(&state->table, slot)) ? make_tree(state, slot, err) : WEIR_OK;
}

int weir_map_state_remove(weir_map_state *state, weir_state_slot slot, weir_slice subkey, weir_error *err)
{
    bool equal = false;
    weir_map_block_entry entry;
    weir_map_tree *tree = NULL;
    WEIR_TRY(tree_at(state, slot, &tree, err));
    if (tree != NULL) {
        WEIR_TRY(weir_map_tree_remove(tree, subkey, err));
        if (weir_map_tree_is_empty(tree)) {
            drop_tree(state, slot);
        }
        return WEIR_OK;
    }
    WEIR_TRY(find(state, slot, subkey, &entry, &equal, err));
    if (!equal) {
        return WEIR_OK;
    }
    if (entry.begin == 1 && entry.end == weir_state_table_get(&state->table, slot).size) {
        weir_state_table_remove(&state->table, slot);
        return WEIR_OK;
    }
    uint8_t *to = NULL;
    return resize_entry(state, slot, entry.begin, entry.end, 0, &to, err);
}

int weir_map_cursor_open(weir_map_state *state, weir_state_slot slot, weir_slice from, weir_map_cursor **out,
                         weir_error *err)
{
    bool equal = false;
    weir_map_block_entry entry = {0};
    weir_map_place place = {0};
    weir_map_tree *tree = NULL;
    WEIR_TRY(tree_at(state, slot, &tree, err));
    if (tree != NULL) {
        WEIR_TRY(weir_map_tree_seek(tree, from, &place, err));
    } else {
        WEIR_TRY(find(state, slot, from, &entry, &equal, err));
    }
    weir_map_cursor *cursor = state->spare_cursor != NULL ? state->spare_cursor : weir_alloc(sizeof *cursor);
    state->spare_cursor = NULL;
    *cursor = (weir_map_cursor){state, slot, entry.begin, tree, place};
    *out = cursor;
    return WEIR_OK;
}

int weir_map_cursor_next(weir_map_cursor *cursor, weir_slice *out_subkey, weir_slice *out_value, weir_error *err)
{
    const weir_map_state *state = cursor->state;
    weir_map_block_entry entry;
    if (cursor->tree != NULL) {
        weir_map_leaf_entry leaf_entry;
        WEIR_TRY(weir_map_tree_next(cursor->tree, &cursor->place, &leaf_entry, err));
        *out_subkey = leaf_entry.subkey;
        *out_value = leaf_entry.value;
        return WEIR_OK;
    }
    do {
        weir_slice block = weir_state_table_get(&state->table, cursor->slot);
        WEIR_TRY(weir_map_block_read(block, cursor->at, has_time(state), &entry, err));
        cursor->at = entry.end;
    } while (is_over(state, &entry));
    *out_subkey = entry.subkey;
    *out_value = entry.value;
    return WEIR_OK;
}

void weir_map_cursor_close(weir_map_cursor *cursor)
{
    if (cursor == NULL) {
        return;
    }
    weir_map_state *state = cursor->state;
    if (state->spare_cursor == NULL) {
        state->spare_cursor = cursor;
    } else {
        free(cursor);
    }
}
