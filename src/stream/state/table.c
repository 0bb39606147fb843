/* The hash table: fetching the keys of a batch, and changing values.
 *
 * A batch is looked up in blocks: the buckets of a block are asked for before the first one is looked at, and then its
 * cells, so that a fetch costs two waits for memory a block rather than two a row. */
#include "stream/state/table.h"

#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/table_internal.h"

#define FIRST_BUCKETS 16
#define BLOCK_ROWS    64
#define HINT_BYTES    256
#define SWEEP_CELLS   64 /* looked at by each fetch for entries whose time has passed */

/* --- cells ------------------------------------------------------------------------------------------------------- */

static int take_memory(void *backend, int64_t bytes, weir_error *err) { return weir_state_take(backend, bytes, err); }

/* An entry of `bytes` in all, zeroed, with nothing set but that it is used. */
static int allocate_entry(weir_state_table *table, size_t bytes, uint32_t *out_cell, weir_error *err)
{
    if (bytes <= WEIR_SLAB_LARGEST) {
        WEIR_TRY(weir_slab_allocate(&table->slab, (uint32_t)bytes, take_memory, table->backend, out_cell, err));
        weir_state_entry_in_cell(table, *out_cell)->flags = WEIR_ENTRY_USED;
        return WEIR_OK;
    }
    size_t capacity = (bytes + bytes / 4 + 7) & ~(size_t)7;
    if (capacity > UINT32_MAX) {
        return weir_fail(err, WEIR_NO_MEMORY, "state %s: one entry would take %zu bytes; 4 GB is the limit",
                         table->name, bytes);
    }
    WEIR_TRY(weir_state_take(table->backend, (int64_t)capacity, err));
    int code = weir_slab_allocate(&table->slab, 16, take_memory, table->backend, out_cell, err);
    if (code != WEIR_OK) {
        weir_state_give(table->backend, (int64_t)capacity);
        return code;
    }
    table->outside_bytes += (int64_t)capacity;
    void *outside = weir_alloc_zeroed(1, capacity);
    uint8_t *memory = weir_slab_at(&table->slab, *out_cell);
    weir_state_entry_in_cell(table, *out_cell)->value_size = (uint32_t)capacity;
    weir_state_entry_in_cell(table, *out_cell)->flags = WEIR_ENTRY_USED | WEIR_ENTRY_OUTSIDE;
    memcpy(memory + 8, &outside, sizeof outside);
    return WEIR_OK;
}

static void free_outside(weir_state_table *table, uint32_t cell)
{
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    free(weir_state_entry_of(table, cell));
    table->outside_bytes -= in_cell->value_size;
    weir_state_give(table->backend, in_cell->value_size);
    in_cell->flags &= ~(uint32_t)WEIR_ENTRY_OUTSIDE & 0xff;
}

void weir_state_free_cell(weir_state_table *table, uint32_t cell)
{
    if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_OUTSIDE) {
        free_outside(table, cell);
    }
    weir_state_give(table->backend, weir_slab_release(&table->slab, cell));
}

static void list_cell(weir_cell_list *list, uint32_t cell)
{
    WEIR_GROW(list->cells, list->capacity, list->count + 1);
    list->cells[list->count++] = cell;
}

void weir_state_list_as_fresh(weir_state_table *table, uint32_t cell)
{
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    if (!(in_cell->flags & WEIR_ENTRY_FRESH)) {
        in_cell->flags |= WEIR_ENTRY_FRESH;
        list_cell(&table->fresh, cell);
    }
}

static void mark_dirty(weir_state_table *table, uint32_t cell)
{
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    in_cell->flags |= WEIR_ENTRY_RECENT;
    if (table->backend->disk != NULL && !(in_cell->flags & WEIR_ENTRY_DIRTY)) {
        in_cell->flags |= WEIR_ENTRY_DIRTY;
        list_cell(&table->dirty, cell);
        weir_state_add_dirty(table, (int64_t)weir_state_cell_capacity(table, cell));
    }
}

/* --- buckets ----------------------------------------------------------------------------------------------------- */

static inline uint64_t home_of(uint32_t hash, uint64_t bucket_count) { return (uint64_t)hash * bucket_count >> 32; }

static inline uint64_t after(uint64_t bucket, uint64_t bucket_count)
{
    return bucket + 1 == bucket_count ? 0 : bucket + 1;
}

/* Entries come out in the order of their homes, and go in so: the new array is filled from its begin to its end. */
static int resize(weir_state_table *table, uint64_t bucket_count, weir_error *err)
{
    weir_state_bucket *buckets = NULL;
    WEIR_TRY(weir_state_take(table->backend, (int64_t)(bucket_count * sizeof *buckets), err));
    int code = weir_alloc_checked(bucket_count, sizeof *buckets, (void **)&buckets, err);
    if (code != WEIR_OK) {
        weir_state_give(table->backend, (int64_t)(bucket_count * sizeof *buckets));
        return code;
    }
    memset(buckets, 0, bucket_count * sizeof *buckets);
    for (uint64_t i = 0; i < table->bucket_count; i++) {
        if (table->buckets[i].cell == 0) {
            continue;
        }
        uint64_t to = home_of(table->buckets[i].hash, bucket_count);
        while (buckets[to].cell != 0) {
            to = after(to, bucket_count);
        }
        buckets[to] = table->buckets[i];
    }
    free(table->buckets);
    weir_state_give(table->backend, (int64_t)(table->bucket_count * sizeof *buckets));
    table->buckets = buckets;
    table->bucket_count = bucket_count;
    return WEIR_OK;
}

/* Buckets for `more` entries, at most three quarters of them taken. */
static int reserve_buckets(weir_state_table *table, uint64_t more, weir_error *err)
{
    uint64_t needed = (table->entry_count + more) * 4 / 3 + 1;
    if (needed <= table->bucket_count) {
        return WEIR_OK;
    }
    uint64_t wanted = table->bucket_count * 3 / 2;
    wanted = wanted > needed ? wanted : needed;
    wanted = wanted > FIRST_BUCKETS ? wanted : FIRST_BUCKETS;
    if (wanted > UINT32_MAX) {
        return weir_fail(err, WEIR_NO_MEMORY, "state %s: more than 2^32 keys in memory", table->name);
    }
    return resize(table, wanted, err);
}

/* Frees a bucket and closes the gap, so that every entry is still found from its home on. */
static void clear_bucket(weir_state_table *table, uint64_t gap)
{
    uint64_t count = table->bucket_count;
    for (uint64_t at = after(gap, count); table->buckets[at].cell != 0; at = after(at, count)) {
        uint64_t home = home_of(table->buckets[at].hash, count);
        uint64_t from_home = at >= home ? at - home : at + count - home;
        uint64_t from_gap = at >= gap ? at - gap : at + count - gap;
        if (from_home >= from_gap) {
            table->buckets[gap] = table->buckets[at];
            gap = at;
        }
    }
    table->buckets[gap] = (weir_state_bucket){0};
    table->entry_count--;
}

/* The bucket that holds a cell. */
static uint64_t bucket_of(const weir_state_table *table, uint32_t cell)
{
    const weir_state_entry *entry = weir_state_entry_of(table, cell);
    weir_slice key = weir_slice_of(weir_state_entry_key(table, entry), entry->key_size);
    uint64_t bucket = home_of((uint32_t)(weir_state_hash(key) >> 32), table->bucket_count);
    while (table->buckets[bucket].cell != cell) {
        bucket = after(bucket, table->bucket_count);
    }
    return bucket;
}

void weir_state_remove_entry(weir_state_table *table, uint32_t cell)
{
    clear_bucket(table, bucket_of(table, cell));
    weir_state_free_cell(table, cell);
}

bool weir_state_reserve_cells(weir_state_table *table, uint32_t units, uint32_t count)
{
    return weir_slab_reserve(&table->slab, units, count, take_memory, table->backend, NULL) == WEIR_OK;
}

uint32_t weir_state_move_cell(weir_state_table *table, uint32_t cell)
{
    uint32_t to = 0;
    uint32_t bytes = weir_slab_cell_bytes(&table->slab, cell);
    uint64_t bucket = bucket_of(table, cell);
    (void)weir_slab_allocate(&table->slab, bytes, take_memory, table->backend, &to, NULL); /* was reserved */
    memcpy(weir_slab_at(&table->slab, to), weir_slab_at(&table->slab, cell), bytes);
    table->buckets[bucket].cell = to;
    return to;
}

/* --- looking up -------------------------------------------------------------------------------------------------- */

static bool is_key(const weir_state_table *table, uint32_t cell, weir_slice key)
{
    const weir_state_entry *entry = weir_state_entry_of(table, cell);
    if (entry->key_size != key.size) {
        return false;
    }
    const uint8_t *bytes = weir_state_entry_key(table, entry);
    if (key.size == 8) {
        return weir_load_le64(bytes) == weir_load_le64(key.data);
    }
    return key.size == 0 || memcmp(bytes, key.data, key.size) == 0;
}

static int add_entry(weir_state_table *table, uint64_t bucket, uint32_t hash, weir_slice key, weir_error *err)
{
    if (key.size > WEIR_STATE_KEY_LIMIT) {
        return weir_fail(err, WEIR_UNSUPPORTED, "state %s: a key of %zu bytes; 16 MB is the limit", table->name,
                         key.size);
    }
    uint32_t cell = 0;
    size_t value_offset = weir_state_value_offset(table, (uint32_t)key.size);
    WEIR_TRY(allocate_entry(table, value_offset + table->value_hint, &cell, err));
    weir_state_entry *entry = weir_state_entry_of(table, cell);
    entry->key_size = (uint32_t)key.size & WEIR_STATE_KEY_LIMIT;
    if (key.size > 0) {
        memcpy((uint8_t *)entry + table->header_bytes, key.data, key.size);
    }
    weir_state_set_entry_time(table, entry, table->backend->now_ms);
    table->buckets[bucket] = (weir_state_bucket){hash, cell};
    table->entry_count++;
    weir_state_list_as_fresh(table, cell);
    if (!table->complete) {
        weir_state_miss(table, (weir_state_slot)bucket);
    }
    return WEIR_OK;
}

/* An entry whose time has passed is found empty. */
static void expire(weir_state_table *table, uint32_t cell)
{
    weir_state_entry *entry = weir_state_entry_of(table, cell);
    if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_TREE) {
        return;
    }
    if (table->backend->now_ms - weir_state_entry_time(table, entry) >= table->ttl_ms && entry->value_size > 0) {
        entry->value_size = 0;
        weir_state_list_as_fresh(table, cell);
    }
}

/* Finds or makes the entry of a key, looking from `bucket` on. */
static int find(weir_state_table *table, uint64_t bucket, uint32_t hash, weir_slice key, weir_state_slot *out_slot,
                weir_error *err)
{
    for (;; bucket = after(bucket, table->bucket_count)) {
        uint32_t cell = table->buckets[bucket].cell;
        if (cell == 0) {
            WEIR_TRY(add_entry(table, bucket, hash, key, err));
            break;
        }
        if (table->buckets[bucket].hash == hash && is_key(table, cell, key)) {
            weir_state_entry_in_cell(table, cell)->flags |= WEIR_ENTRY_RECENT;
            if (table->ttl_ms > 0) {
                expire(table, cell);
            }
            break;
        }
    }
    *out_slot = (weir_state_slot)bucket;
    return WEIR_OK;
}

/* The first bucket from a key's home on that is free or has its hash. */
static uint64_t first_candidate(const weir_state_table *table, uint32_t hash)
{
    uint64_t bucket = home_of(hash, table->bucket_count);
    while (table->buckets[bucket].cell != 0 && table->buckets[bucket].hash != hash) {
        bucket = after(bucket, table->bucket_count);
    }
    return bucket;
}

static void hash_keys(const weir_sort_keys *keys, int64_t first, int64_t count, uint32_t *hashes)
{
    if (keys->whole) {
        for (int64_t i = 0; i < count; i++) {
            hashes[i] = (uint32_t)(weir_state_hash_number(keys->prefixes[first + i]) >> 32);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const uint64_t *offset = &keys->offsets[first + i];
        hashes[i] = (uint32_t)(weir_state_hash(weir_slice_of(keys->bytes + offset[0], offset[1] - offset[0])) >> 32);
    }
}

static int fetch_block(weir_state_table *table, const weir_sort_keys *keys, int64_t first, int64_t count,
                       weir_state_slot *out_slots, weir_error *err)
{
    uint32_t hashes[BLOCK_ROWS];
    uint64_t buckets[BLOCK_ROWS];
    hash_keys(keys, first, count, hashes);
    for (int64_t i = 0; i < count; i++) {
        __builtin_prefetch(&table->buckets[home_of(hashes[i], table->bucket_count)]);
    }
    for (int64_t i = 0; i < count; i++) {
        buckets[i] = first_candidate(table, hashes[i]);
        uint32_t cell = table->buckets[buckets[i]].cell;
        if (cell != 0) {
            __builtin_prefetch(weir_slab_at(&table->slab, cell));
        }
    }
    for (int64_t i = 0; i < count; i++) {
        uint8_t whole[8];
        weir_slice key = weir_slice_of(whole, sizeof whole);
        if (keys->whole) {
            weir_store_be64(whole, keys->prefixes[first + i]);
        } else {
            const uint64_t *offset = &keys->offsets[first + i];
            key = weir_slice_of(keys->bytes + offset[0], offset[1] - offset[0]);
        }
        WEIR_TRY(find(table, buckets[i], hashes[i], key, &out_slots[first + i], err));
    }
    return WEIR_OK;
}

/* --- what is no longer needed ------------------------------------------------------------------------------------ */

/* Frees the entries that the last batch made or left without bytes, but for those that are to be removed from the
 * database, too. */
void weir_state_free_empty(weir_state_table *table)
{
    for (size_t i = 0; i < table->fresh.count; i++) {
        uint32_t cell = table->fresh.cells[i];
        weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
        in_cell->flags &= ~(uint32_t)WEIR_ENTRY_FRESH & 0xff;
        if (in_cell->flags & WEIR_ENTRY_DIRTY) {
            continue;
        }
        if (in_cell->flags & WEIR_ENTRY_MOVED) {
            weir_state_free_cell(table, cell);
        } else if (weir_state_entry_of(table, cell)->value_size == 0) {
            weir_state_remove_entry(table, cell);
        }
    }
    table->fresh.count = 0;
}

/* The next used cell of a round through all; 0 after looking at `*looks` cells. */
uint32_t weir_state_sweep_next(weir_state_table *table, int64_t *looks)
{
    while (*looks > 0 && table->slab.chunk_count > 0) {
        --*looks;
        if (table->sweep_chunk >= table->slab.chunk_count) {
            table->sweep_chunk = 0;
        }
        const weir_slab_chunk *chunk = &table->slab.chunks[table->sweep_chunk];
        if (chunk->cell_units == 0 || table->sweep_unit + chunk->cell_units > chunk->next_unused) {
            table->sweep_chunk++;
            table->sweep_unit = 0;
            continue;
        }
        if (table->sweep_unit % chunk->cell_units != 0) {
            table->sweep_unit = 0; /* another chunk has come in its place */
        }
        uint32_t cell = table->sweep_chunk << WEIR_SLAB_UNIT_BITS | table->sweep_unit;
        table->sweep_unit += chunk->cell_units;
        if (cell != 0 && (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_USED) &&
            !(weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_MOVED)) {
            return cell;
        }
    }
    return 0;
}

/* Looks at some cells for entries whose time has passed. */
static void sweep_expired(weir_state_table *table)
{
    int64_t looks = SWEEP_CELLS;
    for (uint32_t cell = weir_state_sweep_next(table, &looks); cell != 0; cell = weir_state_sweep_next(table, &looks)) {
        if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_TREE) {
            table->hooks->expire(table, weir_state_entry_of(table, cell));
        }
        expire(table, cell);
    }
}

/* --- for others -------------------------------------------------------------------------------------------------- */

static int begin_fetch(weir_state_table *table, uint64_t count, weir_error *err)
{
    weir_state_free_empty(table);
    if (table->ttl_ms > 0) {
        sweep_expired(table);
        weir_state_free_empty(table);
    }
    if (table->backend->disk != NULL) {
        weir_state_make_room(table, count);
    }
    return reserve_buckets(table, count, err);
}

int weir_state_table_fetch(weir_state_table *table, const weir_sort_keys *keys, weir_state_slot *out_slots,
                           weir_error *err)
{
    WEIR_TRY(begin_fetch(table, (uint64_t)keys->length, err));
    for (int64_t first = 0; first < keys->length; first += BLOCK_ROWS) {
        int64_t count = keys->length - first < BLOCK_ROWS ? keys->length - first : BLOCK_ROWS;
        WEIR_TRY(fetch_block(table, keys, first, count, out_slots, err));
    }
    return weir_state_load_misses(table, err);
}

int weir_state_table_fetch_one(weir_state_table *table, weir_slice key, weir_state_slot *out_slot, weir_error *err)
{
    WEIR_TRY(begin_fetch(table, 1, err));
    uint32_t hash = (uint32_t)(weir_state_hash(key) >> 32);
    WEIR_TRY(find(table, first_candidate(table, hash), hash, key, out_slot, err));
    return weir_state_load_misses(table, err);
}

/* Gives an entry room for a value of `size` bytes. Its cell may still be in a list, so it stays until that is seen. */
static int move_entry(weir_state_table *table, weir_state_slot slot, size_t size, weir_error *err)
{
    uint32_t from = table->buckets[slot].cell;
    uint32_t to = 0;
    const weir_state_entry *old = weir_state_entry_of(table, from);
    size_t value_offset = weir_state_value_offset(table, old->key_size);
    size_t grown = old->value_size == 0 ? size : size + size / 8;
    WEIR_TRY(allocate_entry(table, value_offset + (grown > UINT32_MAX / 2 ? size : grown), &to, err));
    weir_state_entry *new = weir_state_entry_of(table, to);
    memcpy((uint8_t *)new + sizeof *new, (const uint8_t *)old + sizeof *old,
           value_offset + old->value_size - sizeof *new);
    new->value_size = old->value_size;
    new->key_size = old->key_size;
    table->buckets[slot].cell = to;
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, from);
    weir_state_entry_in_cell(table, to)->flags |=
        in_cell->flags & (WEIR_ENTRY_RECENT | WEIR_ENTRY_ON_DISK | WEIR_ENTRY_TREE);
    bool was_dirty = in_cell->flags & WEIR_ENTRY_DIRTY;
    if (in_cell->flags & (WEIR_ENTRY_FRESH | WEIR_ENTRY_DIRTY)) {
        if (in_cell->flags & WEIR_ENTRY_OUTSIDE) {
            free_outside(table, from);
        }
        in_cell->flags |= WEIR_ENTRY_MOVED;
    } else {
        weir_state_free_cell(table, from);
    }
    if (was_dirty) {
        mark_dirty(table, to);
    }
    return WEIR_OK;
}

/* Where two values in a row have one size, the next one is likely to have it, too. */
static void note_size(weir_state_table *table, size_t size)
{
    table->value_hint = size == table->last_size && size <= HINT_BYTES ? (uint32_t)size : 0;
    table->last_size = size;
}

int weir_state_resize(weir_state_table *table, weir_state_slot slot, size_t size, uint8_t **out_bytes, weir_error *err)
{
    uint32_t cell = table->buckets[slot].cell;
    weir_state_entry *entry = weir_state_entry_of(table, cell);
    uint32_t value_offset = weir_state_value_offset(table, entry->key_size);
    if (value_offset + size > weir_state_cell_capacity(table, cell)) {
        if (entry->value_size == 0) {
            note_size(table, size);
        }
        WEIR_TRY(move_entry(table, slot, size, err));
        cell = table->buckets[slot].cell;
        entry = weir_state_entry_of(table, cell);
    }
    uint8_t *value = (uint8_t *)entry + value_offset;
    if (size > entry->value_size) {
        memset(value + entry->value_size, 0, size - entry->value_size);
    }
    entry->value_size = (uint32_t)size;
    *out_bytes = value;
    return WEIR_OK;
}

int weir_state_table_edit(weir_state_table *table, weir_state_slot slot, size_t size, uint8_t **out_bytes,
                          weir_error *err)
{
    WEIR_TRY(weir_state_resize(table, slot, size, out_bytes, err));
    uint32_t cell = table->buckets[slot].cell;
    weir_state_set_entry_time(table, weir_state_entry_of(table, cell), table->backend->now_ms);
    mark_dirty(table, cell);
    if (size == 0) {
        weir_state_list_as_fresh(table, cell);
    }
    return WEIR_OK;
}

void weir_state_table_remove(weir_state_table *table, weir_state_slot slot)
{
    uint32_t cell = table->buckets[slot].cell;
    weir_state_entry_of(table, cell)->value_size = 0;
    if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_ON_DISK) {
        mark_dirty(table, cell);
    }
    weir_state_list_as_fresh(table, cell);
}

/* The cell of a key in memory; 0: there is none. */
static uint32_t cell_of(const weir_state_table *table, weir_slice key)
{
    uint32_t hash = (uint32_t)(weir_state_hash(key) >> 32);
    uint64_t bucket = home_of(hash, table->bucket_count);
    while (table->buckets[bucket].cell != 0) {
        if (table->buckets[bucket].hash == hash && is_key(table, table->buckets[bucket].cell, key)) {
            return table->buckets[bucket].cell;
        }
        bucket = after(bucket, table->bucket_count);
    }
    return 0;
}

void weir_state_table_drop(weir_state_table *table, weir_slice key)
{
    uint32_t cell = cell_of(table, key);
    if (cell != 0) {
        weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
        in_cell->flags &= ~(uint32_t)WEIR_ENTRY_TREE & 0xff;
        weir_state_entry_of(table, cell)->value_size = 0;
        if (in_cell->flags & WEIR_ENTRY_ON_DISK) {
            mark_dirty(table, cell);
        }
        weir_state_list_as_fresh(table, cell);
    }
}

int weir_state_table_init(weir_state_table *table, weir_state_backend *backend, const weir_state_options *options,
                          const weir_state_hooks *hooks, weir_error *err)
{
    *table = (weir_state_table){.backend = backend,
                                .name = weir_format("%s/%s", options->uid, options->name),
                                .hooks = hooks,
                                .ttl_ms = options->ttl_ms > 0 ? options->ttl_ms : 0,
                                .complete = true};
    table->header_bytes = (uint32_t)(sizeof(weir_state_entry) + (table->ttl_ms > 0 ? 8 : 0));
    int code = weir_state_register(backend, table, err);
    if (code != WEIR_OK) {
        free(table->name);
    }
    return code;
}

void weir_state_table_free(weir_state_table *table)
{
    weir_state_unregister(table->backend, table);
    for (uint64_t i = 0; table->outside_bytes > 0 && i < table->bucket_count; i++) {
        uint32_t cell = table->buckets[i].cell;
        if (cell != 0 && (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_OUTSIDE)) {
            free_outside(table, cell);
        }
    }
    weir_state_give(table->backend, table->slab.chunk_bytes + (int64_t)(table->bucket_count * sizeof *table->buckets));
    weir_state_add_dirty(table, -table->dirty_bytes);
    weir_slab_free(&table->slab);
    weir_state_free_misses(table);
    free(table->buckets);
    free(table->dirty.cells);
    free(table->fresh.cells);
    free(table->name);
}
