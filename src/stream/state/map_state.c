/* Map state. A small map is a value of the hash table, a block of entries in order (map_block.h). One that grows becomes
 * a tree (map_tree.h), and its value in the table says which:
 *
 *   | kind 2: 1 | 0: 3 | index of the tree, where it is in memory: 4 | id of the map: 8 | */
#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/map_block.h"
#include "stream/state/map_tree.h"

#define TREE_KIND    2
#define TREE_BYTES   16
#define BLOCK_BYTES  2048  /* blocks of more bytes become trees, */
#define BLOCK_COUNT  4     /* when they have so many entries */
#define LARGE_BLOCK  65536 /* or are as large as this, and have two */

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
    uint64_t last_id;
    weir_map_cursor *spare_cursor;
};

int weir_map_state_open(weir_state_backend *backend, const weir_state_options *options, weir_map_state **out,
                        weir_error *err)
{
    (void)err;
    weir_map_state *state = weir_alloc_zeroed(1, sizeof *state);
    weir_state_table_init(&state->table, backend, options);
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
        weir_state_table_free(&state->table);
        free(state->spare_cursor);
        free(state);
    }
}

int weir_map_state_fetch(weir_map_state *state, const weir_sort_keys *keys, weir_state_slot *out_slots,
                         weir_error *err)
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

/* The tree of a map; NULL: it is a block. */
static weir_map_tree *tree_at(const weir_map_state *state, weir_state_slot slot)
{
    weir_slice value = weir_state_table_get(&state->table, slot);
    if (value.size != TREE_BYTES || value.data[0] != TREE_KIND) {
        return NULL;
    }
    return state->trees[weir_load_le32(value.data + 4)];
}

static size_t tree_index(weir_map_state *state)
{
    for (size_t i = 0; i < state->tree_count; i++) {
        if (state->trees[i] == NULL) {
            return i;
        }
    }
    WEIR_GROW(state->trees, state->tree_capacity, state->tree_count + 1);
    return state->tree_count++;
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
    WEIR_GO(weir_map_tree_create(state->table.backend, ++state->last_id, state->table.ttl_ms, true, &tree, err));
    WEIR_GO(fill_tree(state, slot, tree, err));
    WEIR_GO(weir_state_table_edit(&state->table, slot, TREE_BYTES, &value, err));
    size_t index = tree_index(state);
    memset(value, 0, TREE_BYTES);
    value[0] = TREE_KIND;
    weir_store_le32(value + 4, (uint32_t)index);
    weir_store_le64(value + 8, tree->id);
    weir_state_table_set_tree(&state->table, slot, true);
    state->trees[index] = tree;
    tree = NULL;
done:
    weir_map_tree_free(tree);
    return code;
}

static void drop_tree(weir_map_state *state, weir_state_slot slot)
{
    size_t index = weir_load_le32(weir_state_table_get(&state->table, slot).data + 4);
    weir_map_tree_free(state->trees[index]);
    state->trees[index] = NULL;
    weir_state_table_set_tree(&state->table, slot, false);
    weir_state_table_remove(&state->table, slot);
}

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
    weir_map_tree *tree = tree_at(state, slot);
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
    weir_map_tree *tree = tree_at(state, slot);
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
    weir_map_tree *tree = tree_at(state, slot);
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
    weir_map_tree *tree = tree_at(state, slot);
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
