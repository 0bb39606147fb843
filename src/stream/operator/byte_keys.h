/* Keys of state that are bytes of the operator's own making, such as encoded rows, which can be read back. */
#ifndef WEIR_STREAM_BYTE_KEYS_H
#define WEIR_STREAM_BYTE_KEYS_H

#include "vector/sort_key.h"

/* Appends a key. Only such keys may be in `keys`. */
void weir_byte_keys_add(weir_sort_keys *keys, weir_slice bytes);

/* Key i as it was added; good until the next one is. */
static inline weir_slice weir_byte_key(const weir_sort_keys *keys, int64_t i)
{
    return weir_slice_of(keys->bytes + keys->offsets[i], (size_t)(keys->offsets[i + 1] - keys->offsets[i]));
}

#endif
