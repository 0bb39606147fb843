/* Leaves of large maps: finding, adding, changing and removing entries. Entries are appended as they come, only their
 * offsets are kept in order, so that adding one moves four bytes for each that follows. */
#include "stream/state/map_leaf.h"

#include <stdlib.h>

#define FIRST_BYTES   256
#define FIRST_OFFSETS 8
#define SIZE_MASK     (((uint32_t)1 << 29) - 1)

weir_map_leaf_entry weir_map_leaf_at(const weir_map_leaf *leaf, bool has_time, uint32_t position)
{
    const uint8_t *bytes = leaf->bytes + leaf->offsets[position];
    uint32_t subkey_size = weir_load_le32(bytes);
    uint32_t value_size = weir_load_le32(bytes + 4) & SIZE_MASK;
    weir_map_leaf_entry entry = {.flags = weir_load_le32(bytes + 4) >> 29};
    entry.time = has_time ? (int64_t)weir_load_le64(bytes + 8) : 0;
    entry.subkey = weir_slice_of(bytes + (has_time ? 16 : 8), subkey_size);
    entry.value = weir_slice_of(entry.subkey.data + subkey_size, value_size);
    entry.size = (has_time ? 16 : 8) + subkey_size + value_size;
    return entry;
}

void weir_map_leaf_set_flags(weir_map_leaf *leaf, uint32_t position, uint32_t flags)
{
    uint8_t *bytes = leaf->bytes + leaf->offsets[position];
    weir_store_le32(bytes + 4, (weir_load_le32(bytes + 4) & SIZE_MASK) | flags << 29);
}

uint32_t weir_map_leaf_find(const weir_map_leaf *leaf, bool has_time, weir_slice subkey, bool *out_equal)
{
    uint32_t low = 0;
    uint32_t high = leaf->count;
    *out_equal = false;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = weir_slice_compare(weir_map_leaf_at(leaf, has_time, middle).subkey, subkey);
        if (order == 0) {
            *out_equal = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

int weir_map_leaf_create(weir_state_table *table, weir_slice fence, bool complete, weir_map_leaf **out, weir_error *err)
{
    WEIR_TRY(weir_state_take_for(table, (int64_t)(sizeof(weir_map_leaf) + fence.size), err));
    weir_map_leaf *leaf = weir_alloc_zeroed(1, sizeof *leaf);
    leaf->fence = weir_slice_of(weir_strndup((const char *)fence.data, fence.size), fence.size);
    leaf->complete = complete;
    leaf->recent = true;
    *out = leaf;
    return WEIR_OK;
}

static int64_t leaf_memory(const weir_map_leaf *leaf)
{
    return (int64_t)(sizeof *leaf + leaf->fence.size + leaf->byte_capacity +
                     leaf->offset_capacity * sizeof *leaf->offsets);
}

void weir_map_leaf_free(weir_state_table *table, weir_map_leaf *leaf)
{
    weir_state_give_for(table, leaf_memory(leaf));
    free((void *)leaf->fence.data);
    free(leaf->bytes);
    free(leaf->offsets);
    free(leaf);
}

/* Gives the entries an array of `capacity` bytes, without garbage. */
static int rewrite(weir_state_table *table, weir_map_leaf *leaf, bool has_time, size_t capacity, weir_error *err)
{
    if (capacity > UINT32_MAX) {
        return weir_fail(err, WEIR_NO_MEMORY, "entries of one map in state would take more than 4 GB");
    }
    WEIR_TRY(weir_state_take_for(table, (int64_t)capacity, err));
    uint8_t *bytes = weir_alloc(capacity);
    uint32_t used = 0;
    for (uint32_t i = 0; i < leaf->count; i++) {
        uint32_t size = weir_map_leaf_at(leaf, has_time, i).size;
        memcpy(bytes + used, leaf->bytes + leaf->offsets[i], size);
        leaf->offsets[i] = used;
        used += size;
    }
    free(leaf->bytes);
    weir_state_give_for(table, leaf->byte_capacity);
    leaf->bytes = bytes;
    leaf->byte_capacity = (uint32_t)capacity;
    leaf->used = used;
    leaf->garbage = 0;
    return WEIR_OK;
}

static int reserve(weir_state_table *table, weir_map_leaf *leaf, bool has_time, size_t bytes, weir_error *err)
{
    if (leaf->count == leaf->offset_capacity) {
        uint32_t more = leaf->offset_capacity == 0 ? FIRST_OFFSETS : leaf->offset_capacity / 2;
        WEIR_TRY(weir_state_take_for(table, (int64_t)(more * sizeof *leaf->offsets), err));
        leaf->offset_capacity += more;
        leaf->offsets = weir_realloc(leaf->offsets, leaf->offset_capacity * sizeof *leaf->offsets);
    }
    if (leaf->used + bytes <= leaf->byte_capacity) {
        return WEIR_OK;
    }
    size_t live = leaf->used - leaf->garbage + bytes;
    size_t wanted = live + live / 2;
    return rewrite(table, leaf, has_time, wanted < FIRST_BYTES ? FIRST_BYTES : wanted, err);
}

static uint32_t is_removed(const weir_map_leaf_entry *entry) { return entry->flags & WEIR_LEAF_ENTRY_REMOVED ? 1 : 0; }

/* --- changes ----------------------------------------------------------------------------------------------------- */

static void write_entry(uint8_t *to, bool has_time, const weir_map_leaf_entry *entry)
{
    weir_store_le32(to, (uint32_t)entry->subkey.size);
    weir_store_le32(to + 4, (uint32_t)entry->value.size | entry->flags << 29);
    if (has_time) {
        weir_store_le64(to + 8, (uint64_t)entry->time);
    }
    to += has_time ? 16 : 8;
    if (entry->subkey.size > 0) {
        memmove(to, entry->subkey.data, entry->subkey.size);
    }
    if (entry->value.size > 0) {
        memmove(to + entry->subkey.size, entry->value.data, entry->value.size);
    }
}

int weir_map_leaf_set(weir_state_table *table, weir_map_leaf *leaf, bool has_time, uint32_t position, bool equal,
                      const weir_map_leaf_entry *entry, weir_error *err)
{
    size_t size = (has_time ? 16 : 8) + entry->subkey.size + entry->value.size;
    if (equal) {
        weir_map_leaf_entry old = weir_map_leaf_at(leaf, has_time, position);
        if (old.size == size) {
            leaf->removed += is_removed(entry) - is_removed(&old);
            write_entry(leaf->bytes + leaf->offsets[position], has_time, entry);
            return WEIR_OK;
        }
    }
    WEIR_TRY(reserve(table, leaf, has_time, size, err));
    if (equal) {
        weir_map_leaf_entry old = weir_map_leaf_at(leaf, has_time, position);
        leaf->garbage += old.size;
        leaf->removed -= is_removed(&old);
    } else {
        memmove(leaf->offsets + position + 1, leaf->offsets + position,
                (leaf->count - position) * sizeof *leaf->offsets);
        leaf->count++;
    }
    leaf->removed += is_removed(entry);
    leaf->offsets[position] = leaf->used;
    write_entry(leaf->bytes + leaf->used, has_time, entry);
    leaf->used += (uint32_t)size;
    return WEIR_OK;
}

void weir_map_leaf_drop(weir_map_leaf *leaf, bool has_time, uint32_t position)
{
    weir_map_leaf_entry entry = weir_map_leaf_at(leaf, has_time, position);
    leaf->garbage += entry.size;
    leaf->removed -= is_removed(&entry);
    memmove(leaf->offsets + position, leaf->offsets + position + 1,
            (leaf->count - position - 1) * sizeof *leaf->offsets);
    leaf->count--;
    if (leaf->count == 0) {
        leaf->used = 0;
        leaf->garbage = 0;
    }
}

int weir_map_leaf_split(weir_state_table *table, weir_map_leaf *leaf, bool has_time, uint32_t position,
                        weir_slice fence, weir_map_leaf **out, weir_error *err)
{
    weir_map_leaf *right = NULL;
    WEIR_TRY(weir_map_leaf_create(table, fence, leaf->complete, &right, err));
    for (uint32_t i = position; i < leaf->count; i++) {
        weir_map_leaf_entry entry = weir_map_leaf_at(leaf, has_time, i);
        int code = weir_map_leaf_set(table, right, has_time, right->count, false, &entry, err);
        if (code != WEIR_OK) {
            weir_map_leaf_free(table, right);
            return code;
        }
    }
    right->dirty = leaf->dirty;
    for (uint32_t i = position; i < leaf->count; i++) {
        leaf->garbage += weir_map_leaf_at(leaf, has_time, i).size;
    }
    leaf->removed -= right->removed;
    leaf->count = position;
    *out = right;
    return WEIR_OK;
}

void weir_map_leaf_empty(weir_state_table *table, weir_map_leaf *leaf)
{
    weir_state_give_for(table, (int64_t)(leaf->byte_capacity + leaf->offset_capacity * sizeof *leaf->offsets));
    free(leaf->bytes);
    free(leaf->offsets);
    leaf->bytes = NULL;
    leaf->offsets = NULL;
    leaf->count = leaf->offset_capacity = leaf->used = leaf->byte_capacity = leaf->garbage = leaf->removed = 0;
}
