/* The hash table and the database: loading what memory lacks, and writing what has changed. Letting go of entries is in
 * table_evict.c.
 *
 * A fetch collects the keys that it had to make entries for, and asks the database for all of them at once, in order.
 * While memory has all of a table (nothing was ever let go, and nothing was there when it was opened), nothing is
 * asked. */
#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/table_internal.h"

typedef struct miss {
    weir_slice key; /* in the database */
    weir_state_slot slot;
} miss;

typedef struct weir_state_misses {
    weir_state_slot *slots;
    size_t count;
    size_t capacity;
    weir_buffer keys;
    miss *ordered;
    weir_slice *ordered_keys;
    size_t ordered_capacity;
    weir_state_table *table; /* while they are loaded */
} weir_state_misses;

/* --- keys -------------------------------------------------------------------------------------------------------- */

static void append_key(const weir_state_table *table, const weir_state_entry *entry, weir_buffer *out)
{
    weir_slice key = weir_slice_of(weir_state_entry_key(table, entry), entry->key_size);
    weir_state_append_key(out, table->id, weir_state_key_group(key), key);
}

/* --- loading ----------------------------------------------------------------------------------------------------- */

void weir_state_miss(weir_state_table *table, weir_state_slot slot)
{
    if (table->misses == NULL) {
        table->misses = weir_alloc_zeroed(1, sizeof *table->misses);
    }
    weir_state_misses *misses = table->misses;
    WEIR_GROW(misses->slots, misses->capacity, misses->count + 1);
    misses->slots[misses->count++] = slot;
}

static int compare_misses(const void *a, const void *b)
{
    return weir_slice_compare(((const miss *)a)->key, ((const miss *)b)->key);
}

static void order_misses(weir_state_table *table, weir_state_misses *misses)
{
    size_t begin = 0;
    weir_buffer_clear(&misses->keys);
    if (misses->ordered_capacity < misses->count) {
        misses->ordered_capacity = misses->capacity;
        misses->ordered = weir_realloc(misses->ordered, misses->capacity * sizeof *misses->ordered);
        misses->ordered_keys = weir_realloc(misses->ordered_keys, misses->capacity * sizeof *misses->ordered_keys);
    }
    for (size_t i = 0; i < misses->count; i++) {
        append_key(table, weir_state_entry_of(table, table->buckets[misses->slots[i]].cell), &misses->keys);
        misses->ordered[i] = (miss){weir_slice_of(NULL, misses->keys.size - begin), misses->slots[i]};
        begin = misses->keys.size;
    }
    begin = 0;
    for (size_t i = 0; i < misses->count; i++) {
        misses->ordered[i].key.data = misses->keys.data + begin;
        begin += misses->ordered[i].key.size;
    }
    qsort(misses->ordered, misses->count, sizeof *misses->ordered, compare_misses);
    for (size_t i = 0; i < misses->count; i++) {
        misses->ordered_keys[i] = misses->ordered[i].key;
    }
}

static int take_loaded(void *owner, size_t index, weir_slice value, weir_error *err)
{
    weir_state_misses *misses = owner;
    weir_state_table *table = misses->table;
    weir_state_slot slot = misses->ordered[index].slot;
    weir_state_record record;
    WEIR_TRY_CTX(weir_state_record_read(value, &record, err), err, "%s", table->name);
    int64_t time = record.has_time ? record.time : table->backend->now_ms;
    weir_state_entry_in_cell(table, table->buckets[slot].cell)->flags |= WEIR_ENTRY_ON_DISK;
    if (table->ttl_ms > 0 && table->backend->now_ms - time >= table->ttl_ms) {
        return WEIR_OK;
    }
    uint8_t *bytes = NULL;
    WEIR_TRY(weir_state_resize(table, slot, record.bytes.size, &bytes, err));
    memcpy(bytes, record.bytes.data, record.bytes.size);
    weir_state_set_entry_time(table, weir_state_entry_of(table, table->buckets[slot].cell), time);
    if (table->hooks != NULL) {
        table->hooks->loaded(table, slot);
    }
    return WEIR_OK;
}

int weir_state_load_misses(weir_state_table *table, weir_error *err)
{
    weir_state_misses *misses = table->misses;
    if (misses == NULL || misses->count == 0) {
        return WEIR_OK;
    }
    order_misses(table, misses);
    misses->table = table;
    size_t count = misses->count;
    misses->count = 0;
    return weir_state_disk_get(table->backend->disk, misses->ordered_keys, count, take_loaded, misses, err);
}

void weir_state_free_misses(weir_state_table *table)
{
    weir_state_misses *misses = table->misses;
    if (misses != NULL) {
        free(misses->slots);
        free(misses->ordered);
        free(misses->ordered_keys);
        weir_buffer_free(&misses->keys);
        free(misses);
        table->misses = NULL;
    }
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

typedef struct dirty_entry {
    uint64_t order; /* key group and the key's first bytes */
    uint32_t cell;
} dirty_entry;

static int compare_dirty(const void *a, const void *b, void *state)
{
    const weir_state_table *table = state;
    const dirty_entry *first = a;
    const dirty_entry *second = b;
    if (first->order != second->order) {
        return first->order < second->order ? -1 : 1;
    }
    const weir_state_entry *entry = weir_state_entry_of(table, first->cell);
    const weir_state_entry *other = weir_state_entry_of(table, second->cell);
    return weir_slice_compare(weir_slice_of(weir_state_entry_key(table, entry), entry->key_size),
                              weir_slice_of(weir_state_entry_key(table, other), other->key_size));
}

static size_t order_dirty(weir_state_table *table, dirty_entry *out)
{
    size_t count = 0;
    for (size_t i = 0; i < table->dirty.count; i++) {
        uint32_t cell = table->dirty.cells[i];
        if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_MOVED) {
            continue;
        }
        const weir_state_entry *entry = weir_state_entry_of(table, cell);
        weir_slice key = weir_slice_of(weir_state_entry_key(table, entry), entry->key_size);
        uint8_t prefix[8] = {0};
        memcpy(prefix, key.data, key.size < sizeof prefix ? key.size : sizeof prefix);
        out[count++] =
            (dirty_entry){(uint64_t)weir_state_key_group(key) << 56 | weir_load_be64(prefix) >> 8, cell};
    }
    qsort_r(out, count, sizeof *out, compare_dirty, table);
    return count;
}

static int write_entry(weir_state_table *table, uint32_t cell, weir_buffer *key, weir_buffer *value, weir_error *err)
{
    const weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    const weir_state_entry *entry = weir_state_entry_of(table, cell);
    weir_state_disk *disk = table->backend->disk;
    weir_buffer_clear(key);
    append_key(table, entry, key);
    if (entry->value_size == 0) {
        return in_cell->flags & WEIR_ENTRY_ON_DISK ? weir_state_disk_remove(disk, weir_buffer_slice(key), err) : WEIR_OK;
    }
    bool has_time = table->ttl_ms > 0 && !(in_cell->flags & WEIR_ENTRY_TREE);
    weir_buffer_clear(value);
    weir_state_record_begin(value, has_time, weir_state_entry_time(table, entry));
    weir_buffer_append(value, (const uint8_t *)entry + weir_state_value_offset(table, entry->key_size),
                       entry->value_size);
    return weir_state_disk_put(disk, weir_buffer_slice(key), weir_buffer_slice(value), err);
}

int weir_state_table_write(weir_state_table *table, weir_error *err)
{
    int code = WEIR_OK;
    weir_buffer key = {0};
    weir_buffer value = {0};
    dirty_entry *entries = weir_alloc(table->dirty.count * sizeof *entries);
    size_t count = order_dirty(table, entries);
    for (size_t i = 0; i < count; i++) {
        WEIR_GO(write_entry(table, entries[i].cell, &key, &value, err));
    }
    if (table->hooks != NULL) {
        WEIR_GO(table->hooks->write(table, err));
    }
done:
    free(entries);
    weir_buffer_free(&key);
    weir_buffer_free(&value);
    return code;
}

void weir_state_table_written(weir_state_table *table)
{
    for (size_t i = 0; i < table->dirty.count; i++) {
        uint32_t cell = table->dirty.cells[i];
        weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
        in_cell->flags &= ~(uint32_t)WEIR_ENTRY_DIRTY & 0xff;
        if (in_cell->flags & WEIR_ENTRY_MOVED) {
            if (!(in_cell->flags & WEIR_ENTRY_FRESH)) {
                weir_state_free_cell(table, cell);
            }
        } else if (weir_state_entry_of(table, cell)->value_size > 0) {
            in_cell->flags |= WEIR_ENTRY_ON_DISK;
        } else {
            in_cell->flags &= ~(uint32_t)WEIR_ENTRY_ON_DISK & 0xff;
            weir_state_list_as_fresh(table, cell);
        }
    }
    table->dirty.count = 0;
    weir_state_add_dirty(table, -table->dirty_bytes);
    if (table->hooks != NULL) {
        table->hooks->written(table);
    }
}
