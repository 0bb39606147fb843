/* Bytes as sort keys: they lie one after the other, eight bytes of slack after the last (sort_key.h). */
#include "stream/operator/byte_keys.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { slack = 8 };

static void reserve(weir_sort_keys *keys, size_t size)
{
    size_t used = (size_t)keys->length;
    if (keys->offsets == NULL || used + 1 > keys->length_capacity) {
        size_t wanted = keys->length_capacity == 0 ? 64 : keys->length_capacity * 2;
        bool first = keys->offsets == NULL;
        keys->prefixes = weir_realloc(keys->prefixes, wanted * sizeof *keys->prefixes);
        keys->offsets = weir_realloc(keys->offsets, (wanted + 1) * sizeof *keys->offsets);
        keys->offsets[used] = first ? 0 : keys->offsets[used];
        keys->length_capacity = wanted;
    }
    size_t needed = (size_t)keys->offsets[used] + size + slack;
    if (needed > keys->bytes_capacity) {
        keys->bytes_capacity = needed > 2 * keys->bytes_capacity ? needed : 2 * keys->bytes_capacity;
        keys->bytes = weir_realloc(keys->bytes, keys->bytes_capacity);
    }
}

void weir_byte_keys_add(weir_sort_keys *keys, weir_slice bytes)
{
    reserve(keys, bytes.size);
    uint8_t *place = keys->bytes + keys->offsets[keys->length];
    if (bytes.size > 0) {
        memcpy(place, bytes.data, bytes.size);
    }
    memset(place + bytes.size, 0, slack);
    keys->prefixes[keys->length] = weir_load_be64(place); /* zeros after the last byte */
    keys->offsets[keys->length + 1] = keys->offsets[keys->length] + bytes.size;
    keys->length++;
}
