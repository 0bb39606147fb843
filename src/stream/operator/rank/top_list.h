/* The first rows of one partition in their order, over a map of state that holds them by the bytes of that order.
 *
 *   | 1 | order key | arrival: 8, big-endian |   ->   the row by row_codec.h
 *   | 0 |                                      ->   the subkey of the last row of a full list
 *
 * A list is opened for a partition, told of rows that come and go, and settled: `before` then holds the list as it was,
 * `entries` as it is. What a row that lies behind a full list costs is one comparison. */
#ifndef WEIR_STREAM_TOP_LIST_H
#define WEIR_STREAM_TOP_LIST_H

#include "stream/state/state.h"

typedef struct weir_top_entry { /* places in weir_top_list.bytes */
    size_t subkey_at, subkey_size;
    size_t row_at, row_size;
} weir_top_entry;

typedef struct weir_top_list {
    weir_map_state *state;
    int64_t last;    /* as many rows as it holds at most; at least 1 */
    bool keeps_rest; /* rows behind it stay in state, because rows may go */
    bool expires;    /* entries of state vanish by themselves: nothing is known without looking */

    weir_state_slot slot; /* of the partition that is open */
    weir_buffer bytes;
    weir_top_entry *entries, *before;
    size_t count, before_count;
    size_t capacity, before_capacity;
    bool is_loaded;
    bool is_whole; /* nothing in state lies behind the entries */
    bool is_full;  /* before it is loaded: `limit` is the last entry's subkey */
    weir_buffer limit;
    weir_buffer found;
} weir_top_list;

void weir_top_list_free(weir_top_list *list); /* but for its state */

int weir_top_list_open(weir_top_list *list, weir_state_slot slot, weir_error *err);
int weir_top_list_insert(weir_top_list *list, weir_slice subkey, weir_slice row, weir_error *err);
/* Takes out the first row of this order (a subkey without arrival) that equals `row`; does nothing when there is none.
 */
int weir_top_list_remove(weir_top_list *list, weir_slice order, weir_slice row, weir_error *err);
/* False: nothing has changed in the list. */
int weir_top_list_settle(weir_top_list *list, bool *out_changed, weir_error *err);

static inline weir_slice weir_top_subkey(const weir_top_list *list, const weir_top_entry *entry)
{
    return weir_slice_of(list->bytes.data + entry->subkey_at, entry->subkey_size);
}

static inline weir_slice weir_top_row(const weir_top_list *list, const weir_top_entry *entry)
{
    return weir_slice_of(list->bytes.data + entry->row_at, entry->row_size);
}

#endif
