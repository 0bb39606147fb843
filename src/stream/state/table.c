/* The hash table: fetching the keys of a batch, and changing values.
 *
 * A batch is looked up in blocks: the buckets of a block are asked for before the first one is looked at, and then its
 * cells, so that a fetch costs two waits for memory a block rather than two a row. */
#include "stream/state/table.h"

#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/table_internal.h"

#define BLOCK_ROWS  64
#define HINT_BYTES  256
#define SWEEP_CELLS 64 /* looked at by each fetch for entries whose time has passed */

/* --- cells ------------------------------------------------------------------------------------------------------- */

static int take_memory(void *backend, int64_t bytes, weir_error *err)
{
    if (bytes < 0) {
        weir_state_give(backend, -bytes);
        return WEIR_OK;
    }
    return weir_state_take(backend, bytes, err);
}

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

/* The bucket that holds a cell. */
static weir_state_bucket *bucket_of(const weir_state_table *table, uint32_t cell)
{
    const weir_state_entry *entry = weir_state_entry_of(table, cell);
    weir_slice key = weir_slice_of(weir_state_entry_key(table, entry), entry->key_size);
    uint32_t hash = (uint32_t)(weir_state_hash(key) >> 32);
    weir_state_bucket *bucket = weir_state_index_home(&table->index, hash);
    while (bucket->cell != cell) {
        bucket = weir_state_index_next(&table->index, hash, bucket);
    }
    return bucket;
}

/* Takes an entry out of its bucket, and frees its cell. */
static void remove_entry(weir_state_table *table, uint32_t cell)
{
    weir_state_index_remove(&table->index, bucket_of(table, cell));
    weir_state_free_cell(table, cell);
}

void weir_state_let_go(weir_state_table *table, uint32_t cell)
{
    weir_state_bucket *bucket = bucket_of(table, cell);
    table->complete = false;
    if (table->filtered && !weir_state_filter_add(&table->gone, bucket->hash, take_memory, table->backend)) {
        weir_state_give(table->backend, table->gone.memory_bytes);
        weir_state_filter_free(&table->gone);
        table->filtered = false;
    }
    weir_state_index_remove(&table->index, bucket);
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
    weir_state_bucket *bucket = bucket_of(table, cell);
    (void)weir_slab_allocate(&table->slab, bytes, take_memory, table->backend, &to, NULL); /* was reserved */
    memcpy(weir_slab_at(&table->slab, to), weir_slab_at(&table->slab, cell), bytes);
    bucket->cell = to;
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

static weir_state_bucket *first_free(const weir_state_table *table, uint32_t hash)
{
    weir_state_bucket *bucket = weir_state_index_home(&table->index, hash);
    while (bucket->cell != 0) {
        bucket = weir_state_index_next(&table->index, hash, bucket);
    }
    return bucket;
}

static int add_entry(weir_state_table *table, uint32_t hash, weir_slice key, uint32_t *out_cell, weir_error *err)
{
    if (key.size > WEIR_STATE_KEY_LIMIT) {
        return weir_fail(err, WEIR_UNSUPPORTED, "state %s: a key of %zu bytes; 16 MB is the limit", table->name,
                         key.size);
    }
    uint32_t cell = 0;
    size_t value_offset = weir_state_value_offset(table, (uint32_t)key.size);
    WEIR_TRY_CTX(weir_state_index_reserve(&table->index, hash, take_memory, table->backend, err), err, "state %s",
                 table->name);
    WEIR_TRY(allocate_entry(table, value_offset + table->value_hint, &cell, err));
    weir_state_entry *entry = weir_state_entry_of(table, cell);
    entry->key_size = (uint32_t)key.size & WEIR_STATE_KEY_LIMIT;
    if (key.size > 0) {
        memcpy((uint8_t *)entry + table->header_bytes, key.data, key.size);
    }
    weir_state_set_entry_time(table, entry, table->backend->now_ms);
    weir_state_index_add(&table->index, first_free(table, hash), hash, cell);
    weir_state_list_as_fresh(table, cell);
    if (!table->complete && (!table->filtered || weir_state_filter_may_have(&table->gone, hash))) {
        weir_state_miss(table, cell);
    }
    *out_cell = cell;
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

/* The first bucket from a key's home on that is free or has its hash; NULL: there are no buckets. */
static weir_state_bucket *first_candidate(const weir_state_table *table, uint32_t hash)
{
    if (table->index.parts == NULL) {
        return NULL;
    }
    weir_state_bucket *bucket = weir_state_index_home(&table->index, hash);
    while (bucket->cell != 0 && bucket->hash != hash) {
        bucket = weir_state_index_next(&table->index, hash, bucket);
    }
    return bucket;
}

/* Finds or makes the entry of a key, looking from its first candidate on. */
static int find(weir_state_table *table, weir_state_bucket *bucket, uint32_t hash, weir_slice key,
                weir_state_slot *out_slot, weir_error *err)
{
    for (; bucket != NULL && bucket->cell != 0; bucket = weir_state_index_next(&table->index, hash, bucket)) {
        if (bucket->hash == hash && is_key(table, bucket->cell, key)) {
            uint32_t cell = bucket->cell;
            weir_state_entry_in_cell(table, cell)->flags |= WEIR_ENTRY_RECENT;
            if (table->ttl_ms > 0) {
                expire(table, cell);
            }
            *out_slot = cell;
            return WEIR_OK;
        }
    }
    return add_entry(table, hash, key, out_slot, err);
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
    weir_state_bucket *buckets[BLOCK_ROWS];
    uint32_t resizes = table->index.resizes;
    hash_keys(keys, first, count, hashes);
    for (int64_t i = 0; table->index.parts != NULL && i < count; i++) {
        __builtin_prefetch(weir_state_index_home(&table->index, hashes[i]));
    }
    for (int64_t i = 0; i < count; i++) {
        buckets[i] = first_candidate(table, hashes[i]);
        if (buckets[i] != NULL && buckets[i]->cell != 0) {
            __builtin_prefetch(weir_slab_at(&table->slab, buckets[i]->cell));
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
        weir_state_bucket *from = resizes == table->index.resizes ? buckets[i] : first_candidate(table, hashes[i]);
        WEIR_TRY(find(table, from, hashes[i], key, &out_slots[first + i], err));
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
            remove_entry(table, cell);
        }
    }
    table->fresh.count = 0;
}

/* The next used cell of a round through all; 0 after looking at `*looks` cells. */
static uint32_t sweep_next(weir_state_table *table, int64_t *looks)
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
    for (uint32_t cell = sweep_next(table, &looks); cell != 0; cell = sweep_next(table, &looks)) {
        if (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_TREE) {
            table->hooks->expire(table, weir_state_entry_of(table, cell));
        }
        expire(table, cell);
    }
}

/* --- for others -------------------------------------------------------------------------------------------------- */

static void begin_fetch(weir_state_table *table, uint64_t count)
{
    weir_state_free_empty(table);
    if (table->ttl_ms > 0) {
        sweep_expired(table);
        weir_state_free_empty(table);
    }
    if (table->backend->disk != NULL) {
        weir_state_make_room(table, count);
    }
}

int weir_state_table_fetch(weir_state_table *table, const weir_sort_keys *keys, weir_state_slot *out_slots,
                           weir_error *err)
{
    begin_fetch(table, (uint64_t)keys->length);
    for (int64_t first = 0; first < keys->length; first += BLOCK_ROWS) {
        int64_t count = keys->length - first < BLOCK_ROWS ? keys->length - first : BLOCK_ROWS;
        WEIR_TRY(fetch_block(table, keys, first, count, out_slots, err));
    }
    return weir_state_load_misses(table, err);
}

int weir_state_table_fetch_one(weir_state_table *table, weir_slice key, weir_state_slot *out_slot, weir_error *err)
{
    begin_fetch(table, 1);
    uint32_t hash = (uint32_t)(weir_state_hash(key) >> 32);
    WEIR_TRY(find(table, first_candidate(table, hash), hash, key, out_slot, err));
    return weir_state_load_misses(table, err);
}

/* Gives an entry room for a value of `size` bytes. Its old cell stays while slots and lists may name it. */
static int move_entry(weir_state_table *table, uint32_t from, size_t size, uint32_t *out_cell, weir_error *err)
{
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
    bucket_of(table, from)->cell = to;
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, from);
    weir_state_entry_in_cell(table, to)->flags |=
        in_cell->flags & (WEIR_ENTRY_RECENT | WEIR_ENTRY_ON_DISK | WEIR_ENTRY_TREE);
    if (in_cell->flags & WEIR_ENTRY_OUTSIDE) {
        free_outside(table, from);
    }
    if (in_cell->flags & WEIR_ENTRY_DIRTY) {
        mark_dirty(table, to);
    }
    weir_state_list_as_fresh(table, from);
    in_cell->flags |= WEIR_ENTRY_MOVED;
    memcpy((uint8_t *)in_cell + sizeof *in_cell, &to, sizeof to);
    *out_cell = to;
    return WEIR_OK;
}

/* Where two values in a row have one size, the next one is likely to have it, too. */
static void note_size(weir_state_table *table, size_t size)
{
    table->value_hint = size == table->last_size && size <= HINT_BYTES ? (uint32_t)size : 0;
    table->last_size = size;
}

/* The entry in a cell with a value of that size; `*cell` is where it is then. */
static int resize_value(weir_state_table *table, uint32_t *cell, size_t size, weir_state_entry **out, weir_error *err)
{
    weir_state_entry *entry = weir_state_entry_of(table, *cell);
    if (size > entry->value_size) {
        uint32_t value_offset = weir_state_value_offset(table, entry->key_size);
        if (value_offset + size > weir_state_cell_capacity(table, *cell)) {
            if (entry->value_size == 0) {
                note_size(table, size);
            }
            WEIR_TRY(move_entry(table, *cell, size, cell, err));
            entry = weir_state_entry_of(table, *cell);
        }
        memset((uint8_t *)entry + value_offset + entry->value_size, 0, size - entry->value_size);
    }
    entry->value_size = (uint32_t)size;
    *out = entry;
    return WEIR_OK;
}

int weir_state_resize(weir_state_table *table, weir_state_slot slot, size_t size, uint8_t **out_bytes, weir_error *err)
{
    weir_state_entry *entry = NULL;
    uint32_t cell = weir_state_cell(table, slot);
    WEIR_TRY(resize_value(table, &cell, size, &entry, err));
    *out_bytes = (uint8_t *)entry + weir_state_value_offset(table, entry->key_size);
    return WEIR_OK;
}

int weir_state_table_edit(weir_state_table *table, weir_state_slot slot, size_t size, uint8_t **out_bytes,
                          weir_error *err)
{
    weir_state_entry *entry = NULL;
    uint32_t cell = weir_state_cell(table, slot);
    WEIR_TRY(resize_value(table, &cell, size, &entry, err));
    *out_bytes = (uint8_t *)entry + weir_state_value_offset(table, entry->key_size);
    weir_state_set_entry_time(table, entry, table->backend->now_ms);
    mark_dirty(table, cell);
    if (size == 0) {
        weir_state_list_as_fresh(table, cell);
    }
    return WEIR_OK;
}

void weir_state_table_remove(weir_state_table *table, weir_state_slot slot)
{
    uint32_t cell = weir_state_cell(table, slot);
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
    weir_state_bucket *bucket = first_candidate(table, hash);
    while (bucket != NULL && bucket->cell != 0 && !(bucket->hash == hash && is_key(table, bucket->cell, key))) {
        bucket = weir_state_index_next(&table->index, hash, bucket);
    }
    return bucket == NULL ? 0 : bucket->cell;
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

static void free_all_outside(weir_state_table *table)
{
    const weir_state_index *index = &table->index;
    for (uint32_t p = 0; table->outside_bytes > 0 && p < 1u << index->part_bits; p++) {
        for (uint32_t i = 0; i < index->parts[p].count; i++) {
            uint32_t cell = index->parts[p].buckets[i].cell;
            if (cell != 0 && (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_OUTSIDE)) {
                free_outside(table, cell);
            }
        }
    }
}

void weir_state_table_free(weir_state_table *table)
{
    weir_state_unregister(table->backend, table);
    free_all_outside(table);
    weir_state_give(table->backend, table->slab.chunk_bytes + table->index.memory_bytes + table->gone.memory_bytes);
    weir_state_filter_free(&table->gone);
    weir_state_index_free(&table->index);
    weir_state_add_dirty(table, -table->dirty_bytes);
    weir_slab_free(&table->slab);
    weir_state_free_misses(table);
    free(table->dirty.cells);
    free(table->fresh.cells);
    free(table->name);
}
