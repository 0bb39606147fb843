/* Value state: the hash table as it is. */
#include <stdlib.h>

#include "stream/state/backend.h"

struct weir_value_state {
    weir_state_table table;
};

int weir_value_state_open(weir_state_backend *backend, const weir_state_options *options, weir_value_state **out,
                          weir_error *err)
{
    weir_value_state *state = weir_alloc_zeroed(1, sizeof *state);
    int code = weir_state_table_init(&state->table, backend, options, NULL, err);
    if (code != WEIR_OK) {
        free(state);
        return code;
    }
    *out = state;
    return WEIR_OK;
}

void weir_value_state_close(weir_value_state *state)
{
    if (state != NULL) {
        weir_state_table_free(&state->table);
        free(state);
    }
}

int weir_value_state_fetch(weir_value_state *state, const weir_sort_keys *keys, weir_state_slot *out_slots,
                           weir_error *err)
{
    return weir_state_table_fetch(&state->table, keys, out_slots, err);
}

weir_slice weir_value_state_get(const weir_value_state *state, weir_state_slot slot)
{
    return weir_state_table_get(&state->table, slot);
}

int weir_value_state_edit(weir_value_state *state, weir_state_slot slot, size_t size, uint8_t **out_bytes,
                          weir_error *err)
{
    return weir_state_table_edit(&state->table, slot, size, out_bytes, err);
}

void weir_value_state_remove(weir_value_state *state, weir_state_slot slot)
{
    weir_state_table_remove(&state->table, slot);
}
