/* The order of ORDER BY as bytes: comparing the bytes of two rows compares the rows, whatever is descending and
 * wherever NULLs go. No key is the beginning of another, so that something may follow it. */
#ifndef WEIR_STREAM_ORDER_KEY_H
#define WEIR_STREAM_ORDER_KEY_H

#include "sql/plan.h"
#include "vector/sort_key.h"

typedef struct weir_order_keys {
    weir_buffer bytes;
    uint32_t *offsets; /* one more than rows */
    int64_t capacity;
} weir_order_keys; /* zero-initialized is empty */

/* The keys of all rows of a batch, instead of those before: sort key i orders by column first_column + i. */
int weir_order_keys_build(weir_order_keys *keys, const weir_batch *batch, int32_t first_column,
                          const weir_sort_key *sort_keys, int32_t sort_key_count, weir_error *err);
void weir_order_keys_free(weir_order_keys *keys);

static inline weir_slice weir_order_key(const weir_order_keys *keys, int64_t row)
{
    return weir_slice_of(keys->bytes.data + keys->offsets[row], keys->offsets[row + 1] - keys->offsets[row]);
}

#endif
