/* The first rows of a partition (top_list.h).
 *
 * While a list is open its entries are the beginning of what state holds: an insert goes into both, a removal leaves a
 * shorter beginning, and settling reads on from its end. Without `keeps_rest` state holds no more than the entries. */
#include "stream/operator/rank/top_list.h"

#include <stdlib.h>

#include "base/alloc.h"

static const uint8_t limit_subkey[] = {0};
static const uint8_t first_subkey[] = {1};

static const size_t arrival_size = 8;

void weir_top_list_free(weir_top_list *list)
{
    weir_buffer_free(&list->bytes);
    weir_buffer_free(&list->limit);
    weir_buffer_free(&list->found);
    free(list->entries);
    free(list->before);
}

int weir_top_list_open(weir_top_list *list, weir_state_slot slot, weir_error *err)
{
    weir_slice limit;
    list->slot = slot;
    list->count = list->before_count = 0;
    list->is_loaded = list->is_whole = list->is_full = false;
    weir_buffer_clear(&list->bytes);
    weir_buffer_clear(&list->limit);
    if (list->expires) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_map_state_get(list->state, slot, weir_slice_of(limit_subkey, 1), &list->is_full, &limit, err));
    if (list->is_full) {
        weir_buffer_append(&list->limit, limit.data, limit.size);
    }
    return WEIR_OK;
}

/* --- Entries --------------------------------------------------------------------------------------------------- */

static weir_top_entry keep(weir_top_list *list, weir_slice subkey, weir_slice row)
{
    weir_top_entry entry = {list->bytes.size, subkey.size, list->bytes.size + subkey.size, row.size};
    weir_buffer_append(&list->bytes, subkey.data, subkey.size);
    weir_buffer_append(&list->bytes, row.data, row.size);
    return entry;
}

/* The first entry whose subkey is not below. */
static size_t find_entry(const weir_top_list *list, weir_slice subkey)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (weir_slice_compare(weir_top_subkey(list, &list->entries[middle]), subkey) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Reads entries from the state's subkey `from` on until the list is full. */
static int read_entries(weir_top_list *list, weir_slice from, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey, row;
    int code = WEIR_OK;
    WEIR_TRY(weir_map_cursor_open(list->state, list->slot, from, &cursor, err));
    while ((int64_t)list->count < list->last && (code = weir_map_cursor_next(cursor, &subkey, &row, err)) == WEIR_OK) {
        WEIR_GROW(list->entries, list->capacity, list->count + 1);
        list->entries[list->count++] = keep(list, subkey, row);
    }
    weir_map_cursor_close(cursor);
    list->is_whole = code == WEIR_END || !list->keeps_rest;
    return code == WEIR_END ? WEIR_OK : code;
}

static int load(weir_top_list *list, weir_error *err)
{
    if (list->is_loaded) {
        return WEIR_OK;
    }
    WEIR_TRY(read_entries(list, weir_slice_of(first_subkey, 1), err));
    WEIR_GROW(list->before, list->before_capacity, list->count + 1);
    if (list->count > 0) {
        memcpy(list->before, list->entries, list->count * sizeof *list->entries);
    }
    list->before_count = list->count;
    list->is_loaded = true;
    return WEIR_OK;
}

/* Whether a row lies behind a list that is known to be full, though it is not loaded. */
static bool is_behind_limit(const weir_top_list *list, weir_slice subkey)
{
    return !list->is_loaded && list->is_full && weir_slice_compare(subkey, weir_buffer_slice(&list->limit)) > 0;
}

/* --- Rows come and go ------------------------------------------------------------------------------------------ */

static int put(weir_top_list *list, weir_slice subkey, weir_slice row, weir_error *err)
{
    return weir_map_state_put(list->state, list->slot, subkey, row, err);
}

static int drop_last(weir_top_list *list, weir_error *err)
{
    list->count--;
    if (list->keeps_rest) {
        list->is_whole = false;
        return WEIR_OK;
    }
    return weir_map_state_remove(list->state, list->slot, weir_top_subkey(list, &list->entries[list->count]), err);
}

int weir_top_list_insert(weir_top_list *list, weir_slice subkey, weir_slice row, weir_error *err)
{
    if (is_behind_limit(list, subkey)) {
        return list->keeps_rest ? put(list, subkey, row, err) : WEIR_OK;
    }
    WEIR_TRY(load(list, err));
    size_t at = find_entry(list, subkey);
    if (at == list->count && ((int64_t)at == list->last || !list->is_whole)) {
        list->is_whole = list->is_whole && !list->keeps_rest;
        return list->keeps_rest ? put(list, subkey, row, err) : WEIR_OK;
    }
    WEIR_TRY(put(list, subkey, row, err));
    WEIR_GROW(list->entries, list->capacity, list->count + 1);
    memmove(list->entries + at + 1, list->entries + at, (list->count - at) * sizeof *list->entries);
    list->entries[at] = keep(list, subkey, row);
    list->count++;
    return (int64_t)list->count > list->last ? drop_last(list, err) : WEIR_OK;
}

/* Puts the subkey of the row to be removed into list->found; leaves it empty when there is none. */
static int find_row(weir_top_list *list, weir_slice order, weir_slice row, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey, value;
    int code;
    weir_buffer_clear(&list->found);
    WEIR_TRY(weir_map_cursor_open(list->state, list->slot, order, &cursor, err));
    while ((code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK) {
        if (subkey.size != order.size + arrival_size || memcmp(subkey.data, order.data, order.size) != 0) {
            break;
        }
        if (weir_slice_equal(value, row)) {
            weir_buffer_append(&list->found, subkey.data, subkey.size);
            break;
        }
    }
    weir_map_cursor_close(cursor);
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_top_list_remove(weir_top_list *list, weir_slice order, weir_slice row, weir_error *err)
{
    WEIR_TRY(find_row(list, order, row, err));
    weir_slice subkey = weir_buffer_slice(&list->found);
    if (subkey.size == 0) {
        return WEIR_OK;
    }
    if (!is_behind_limit(list, subkey)) {
        WEIR_TRY(load(list, err));
        size_t at = find_entry(list, subkey);
        if (at < list->count && weir_slice_equal(weir_top_subkey(list, &list->entries[at]), subkey)) {
            list->count--;
            memmove(list->entries + at, list->entries + at + 1, (list->count - at) * sizeof *list->entries);
        }
    }
    return weir_map_state_remove(list->state, list->slot, subkey, err);
}

/* --- Settling -------------------------------------------------------------------------------------------------- */

/* Reads on behind the last entry. */
static int refill(weir_top_list *list, weir_error *err)
{
    weir_buffer from = {0};
    if (list->count > 0) {
        weir_slice last = weir_top_subkey(list, &list->entries[list->count - 1]);
        weir_buffer_append(&from, last.data, last.size);
        weir_buffer_append_byte(&from, 0);
    } else {
        weir_buffer_append(&from, first_subkey, 1);
    }
    int code = read_entries(list, weir_buffer_slice(&from), err);
    weir_buffer_free(&from);
    return code;
}

static int keep_limit(weir_top_list *list, weir_error *err)
{
    weir_slice key = weir_slice_of(limit_subkey, 1);
    if (list->expires) {
        return WEIR_OK;
    }
    if ((int64_t)list->count < list->last) {
        return list->is_full ? weir_map_state_remove(list->state, list->slot, key, err) : WEIR_OK;
    }
    weir_slice limit = weir_top_subkey(list, &list->entries[list->count - 1]);
    if (list->is_full && weir_slice_equal(limit, weir_buffer_slice(&list->limit))) {
        return WEIR_OK;
    }
    return put(list, key, limit, err);
}

int weir_top_list_settle(weir_top_list *list, bool *out_changed, weir_error *err)
{
    *out_changed = list->is_loaded;
    if (!list->is_loaded) {
        return WEIR_OK;
    }
    if ((int64_t)list->count < list->last && !list->is_whole) {
        WEIR_TRY(refill(list, err));
    }
    return keep_limit(list, err);
}
