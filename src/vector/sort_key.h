/* Memcmp-comparable keys: the key columns of a row as bytes whose unsigned order is the order of the rows.
 *
 * Each key also has its first eight bytes as a big-endian number, the prefix. Where a whole key fits into it (one
 * integer column, say) `whole` is set: comparing prefixes is comparing keys, and no bytes are kept. */
#ifndef WEIR_VECTOR_SORT_KEY_H
#define WEIR_VECTOR_SORT_KEY_H

#include "vector/vector.h"

typedef struct weir_sort_keys {
    int64_t length;
    bool whole;
    uint64_t *prefixes;
    uint64_t *offsets; /* length + 1, into bytes; unused when whole */
    uint8_t *bytes;
    size_t length_capacity;
    size_t bytes_capacity;
} weir_sort_keys; /* zero-initialized is empty */

/* Appends the keys of rows 0 .. batch->length - 1: the columns listed in `columns`, none of them nested. Nulls sort
 * first. `whole` depends on the columns' types alone. */
int weir_sort_keys_append(weir_sort_keys *keys, const weir_batch *batch, const int32_t *columns, int32_t column_count,
                          weir_error *err);
void weir_sort_keys_clear(weir_sort_keys *keys);
void weir_sort_keys_free(weir_sort_keys *keys);
size_t weir_sort_keys_memory(const weir_sort_keys *keys);

static inline int weir_sort_keys_compare(const weir_sort_keys *a, int64_t i, const weir_sort_keys *b, int64_t j)
{
    if (a->prefixes[i] != b->prefixes[j]) {
        return a->prefixes[i] < b->prefixes[j] ? -1 : 1;
    }
    if (a->whole) {
        return 0;
    }
    size_t size_a = (size_t)(a->offsets[i + 1] - a->offsets[i]);
    size_t size_b = (size_t)(b->offsets[j + 1] - b->offsets[j]);
    int order = memcmp(a->bytes + a->offsets[i], b->bytes + b->offsets[j], size_a < size_b ? size_a : size_b);
    return order != 0 ? order : (size_a > size_b) - (size_a < size_b);
}

/* Sorts the numbers 0 .. length - 1 into `out_order` by key; equal keys keep their order. Radix sort on the prefixes.
 */
int weir_sort_keys_order(const weir_sort_keys *keys, uint32_t *out_order, weir_error *err);

#endif
