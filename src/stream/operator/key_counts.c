/* Counts by key: eight bytes each; a count of 0 is not kept. */
#include "stream/operator/key_counts.h"

#include <stdlib.h>

#include "base/alloc.h"

int weir_key_counts_open(weir_key_counts *self, const weir_operator_context *context, const char *uid, const char *name,
                         weir_error *err)
{
    weir_state_options options = {.uid = uid, .name = name, .ttl_ms = context->state_ttl_ms};
    return weir_value_state_open(context->state, &options, &self->counts, err);
}

void weir_key_counts_close(weir_key_counts *self)
{
    if (self->counts != NULL) {
        weir_value_state_close(self->counts);
    }
    free(self->slots);
}

int weir_key_counts_fetch(weir_key_counts *self, const weir_sort_keys *keys, weir_error *err)
{
    WEIR_GROW(self->slots, self->capacity, keys->length);
    return weir_value_state_fetch(self->counts, keys, self->slots, err);
}

uint64_t weir_key_counts_get(const weir_key_counts *self, weir_state_slot slot)
{
    weir_slice bytes = weir_value_state_get(self->counts, slot);
    return bytes.size < sizeof(uint64_t) ? 0 : weir_load_le64(bytes.data);
}

int weir_key_counts_add(weir_key_counts *self, weir_state_slot slot, int64_t by, uint64_t *out_after, weir_error *err)
{
    uint64_t count = weir_key_counts_get(self, slot);
    uint8_t *bytes;
    *out_after = by < 0 && count < (uint64_t)-by ? 0 : count + (uint64_t)by;
    if (*out_after == 0) {
        weir_value_state_remove(self->counts, slot);
        return WEIR_OK;
    }
    WEIR_TRY(weir_value_state_edit(self->counts, slot, sizeof(uint64_t), &bytes, err));
    weir_store_le64(bytes, *out_after);
    return WEIR_OK;
}
