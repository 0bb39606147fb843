/* The hash table and the database: loading what memory lacks, and writing what has changed. Letting go of entries is in
 * table_evict.c.
 *
 * A fetch collects the keys that it had to make entries for, and asks the database for all of them at once, in order.
 * While memory has all of a table (nothing was ever let go, and nothing was there when it was opened), nothing is
 * asked. */
#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/table_internal.h"

#define AHEAD 8 /* entries that are asked for before they are needed */

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
        append_key(table, weir_state_entry_of(table, misses->slots[i]), &misses->keys);
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
    weir_state_entry_in_cell(table, slot)->flags |= WEIR_ENTRY_ON_DISK;
    if (table->ttl_ms > 0 && table->backend->now_ms - time >= table->ttl_ms) {
        return WEIR_OK;
    }
    uint8_t *bytes = NULL;
    WEIR_TRY(weir_state_resize(table, slot, record.bytes.size, &bytes, err));
    memcpy(bytes, record.bytes.data, record.bytes.size);
    weir_state_set_entry_time(table, weir_state_entry_of(table, weir_state_cell(table, slot)), time);
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

static weir_slice key_in_cell(const weir_state_table *table, uint32_t cell)
{
    const weir_state_entry *entry = weir_state_entry_of(table, cell);
    return weir_slice_of(weir_state_entry_key(table, entry), entry->key_size);
}

static int compare_keys(const void *a, const void *b, void *table)
{
    return weir_slice_compare(key_in_cell(table, *(const uint32_t *)a), key_in_cell(table, *(const uint32_t *)b));
}

/* The dirty entries' cells, the first bytes of their keys, and their key groups; returns how many they are. */
static size_t collect_dirty(const weir_state_table *table, uint32_t *cells, uint64_t *prefixes, uint8_t *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < table->dirty.count; i++) {
        uint32_t cell = table->dirty.cells[i];
        if (i + AHEAD < table->dirty.count) {
            __builtin_prefetch(weir_slab_at(&table->slab, table->dirty.cells[i + AHEAD]));
        }
        if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_MOVED) {
            continue;
        }
        weir_slice key = key_in_cell(table, cell);
        uint8_t prefix[8] = {0};
        memcpy(prefix, key.data, key.size < sizeof prefix ? key.size : sizeof prefix);
        prefixes[count] = weir_load_be64(prefix);
        groups[count] = weir_state_key_group(key);
        cells[count++] = cell;
    }
    return count;
}

/* The cells in the order of their groups, within a group in that of their prefixes, and where these are equal, in that
 * of their keys. */
static void order_cells(weir_state_table *table, const uint32_t *cells, const uint32_t *by_prefix,
                        const uint64_t *prefixes, const uint8_t *groups, size_t count, uint32_t *out)
{
    size_t ends[WEIR_STATE_KEY_GROUPS + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        ends[groups[i] + 1]++;
    }
    for (size_t g = 0; g < WEIR_STATE_KEY_GROUPS; g++) {
        ends[g + 1] += ends[g];
    }
    uint32_t *rows = weir_alloc(count * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        rows[ends[groups[by_prefix[i]]]++] = by_prefix[i];
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = cells[rows[i]];
    }
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && groups[rows[end]] == groups[rows[first]] &&
               prefixes[rows[end]] == prefixes[rows[first]]) {
            end++;
        }
        if (end - first > 1) {
            qsort_r(out + first, end - first, sizeof *out, compare_keys, table);
        }
        first = end;
    }
    free(rows);
}

/* The cells of dirty entries in the order of the database; freed by the caller. */
static int order_dirty(weir_state_table *table, uint32_t **out_cells, size_t *out_count, weir_error *err)
{
    size_t most = table->dirty.count;
    uint32_t *cells = weir_alloc(most * sizeof *cells);
    uint32_t *by_prefix = weir_alloc(most * sizeof *by_prefix);
    uint32_t *ordered = weir_alloc(most * sizeof *ordered);
    uint64_t *prefixes = weir_alloc(most * sizeof *prefixes);
    uint8_t *groups = weir_alloc(most);
    weir_sort_keys keys = {.whole = true, .prefixes = prefixes};
    keys.length = (int64_t)collect_dirty(table, cells, prefixes, groups);
    int code = weir_sort_keys_order(&keys, by_prefix, err);
    if (code == WEIR_OK) {
        order_cells(table, cells, by_prefix, prefixes, groups, (size_t)keys.length, ordered);
        *out_cells = ordered;
        *out_count = (size_t)keys.length;
        ordered = NULL;
    }
    free(cells);
    free(by_prefix);
    free(ordered);
    free(prefixes);
    free(groups);
    return code;
}

static int write_entry(weir_state_table *table, uint32_t cell, weir_buffer *key, weir_buffer *value, weir_error *err)
{
    const weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    const weir_state_entry *entry = weir_state_entry_of(table, cell);
    weir_state_disk *disk = table->backend->disk;
    weir_buffer_clear(key);
    append_key(table, entry, key);
    if (entry->value_size == 0) {
        return in_cell->flags & WEIR_ENTRY_ON_DISK ? weir_state_disk_remove(disk, weir_buffer_slice(key), err)
                                                   : WEIR_OK;
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
    uint32_t *cells = NULL;
    size_t count = 0;
    WEIR_GO(order_dirty(table, &cells, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(weir_slab_at(&table->slab, cells[i + AHEAD]));
        }
        WEIR_GO(write_entry(table, cells[i], &key, &value, err));
    }
    if (table->hooks != NULL) {
        WEIR_GO(table->hooks->write(table, err));
    }
done:
    free(cells);
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
