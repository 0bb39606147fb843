/* Map state: small maps are values of the hash table, blocks of entries in order (map_block.h). */
#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/map_block.h"

struct weir_map_cursor {
    weir_map_state *state;
    weir_state_slot slot;
    size_t at;
};

struct weir_map_state {
    weir_state_table table;
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
    if (subkey.size + value.size > UINT32_MAX / 2) {
        return weir_fail(err, WEIR_UNSUPPORTED, "state %s: an entry of %zu bytes; 2 GB is the limit", state->table.name,
                         subkey.size + value.size);
    }
    WEIR_TRY(find(state, slot, subkey, &entry, &equal, err));
    size_t end = equal ? entry.end : entry.begin;
    uint8_t *to = NULL;
    size_t size = weir_map_block_entry_bytes(subkey, value, has_time(state));
    WEIR_TRY(resize_entry(state, slot, entry.begin, end, size, &to, err));
    weir_map_block_write(to, subkey, value, has_time(state), state->table.backend->now_ms);
    return WEIR_OK;
}

int weir_map_state_remove(weir_map_state *state, weir_state_slot slot, weir_slice subkey, weir_error *err)
{
    bool equal = false;
    weir_map_block_entry entry;
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
    weir_map_block_entry entry;
    WEIR_TRY(find(state, slot, from, &entry, &equal, err));
    weir_map_cursor *cursor = state->spare_cursor != NULL ? state->spare_cursor : weir_alloc(sizeof *cursor);
    state->spare_cursor = NULL;
    *cursor = (weir_map_cursor){state, slot, entry.begin};
    *out = cursor;
    return WEIR_OK;
}

int weir_map_cursor_next(weir_map_cursor *cursor, weir_slice *out_subkey, weir_slice *out_value, weir_error *err)
{
    const weir_map_state *state = cursor->state;
    weir_map_block_entry entry;
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
