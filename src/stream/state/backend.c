/* The backend: what its tables share, small things by name, and checkpoints.
 *
 * Its own entries in the database are those of table 0:
 *
 *   c                last checkpoint: 8 | last id of a large map: 8 | next id of a table: 4
 *   n <name>         what was put under a name
 *   t <uid>/<name>   id of a table: 4 */
#include "stream/state/backend.h"

#include <stdlib.h>

#define OWN_TABLE       0
#define CHECKPOINT_KEY  "c"
#define CHECKPOINT_SIZE 20
#define USUAL_ROOM      ((int64_t)32 << 20)
#define ROOM_BYTES      ((int64_t)4 << 20) /* that are freed at a time, beyond what is needed */

typedef struct named {
    weir_buffer bytes;
    bool removed;
    bool dirty;
    bool on_disk;
} named;

typedef struct known_table {
    uint32_t id;
    bool open;
    bool on_disk;
} known_table;

int weir_state_take(weir_state_backend *backend, int64_t bytes, weir_error *err)
{
    WEIR_TRY_CTX(weir_budget_take(backend->budget, bytes, err), err,
                 "state of %" PRId64 " bytes, of which %" PRId64 " wait for a checkpoint", backend->memory_bytes,
                 backend->dirty_bytes);
    backend->memory_bytes += bytes;
    return WEIR_OK;
}

void weir_state_give(weir_state_backend *backend, int64_t bytes)
{
    weir_budget_give(backend->budget, bytes);
    backend->memory_bytes -= bytes;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static int open_disk(weir_state_backend *backend, const weir_state_backend_options *options, weir_error *err)
{
    int64_t limit = weir_budget_limit(backend->budget);
    weir_state_disk_options disk = {.folder = options->folder,
                                    .temporary = options->temporary,
                                    .cache_bytes = between(limit / 16, (int64_t)256 << 10, (int64_t)64 << 20),
                                    .write_buffer_bytes = between(limit / 64, (int64_t)256 << 10, (int64_t)16 << 20)};
    int64_t reserved = disk.cache_bytes + disk.write_buffer_bytes;
    WEIR_TRY_CTX(weir_budget_take(backend->budget, reserved, err), err, "opening the state in %s", options->folder);
    backend->reserved_bytes = reserved;
    backend->limit_bytes = limit == INT64_MAX ? limit : limit - reserved;
    return weir_state_disk_open(&disk, &backend->disk, err);
}

static known_table *add_known(weir_state_backend *backend, weir_slice name, uint32_t id)
{
    known_table *known = weir_alloc_zeroed(1, sizeof *known);
    known->id = id;
    weir_map_put(&backend->known, name, known);
    return known;
}

static named *named_of(weir_state_backend *backend, weir_slice name)
{
    named *found = weir_map_get(&backend->named, name);
    if (found == NULL) {
        found = weir_alloc_zeroed(1, sizeof *found);
        weir_map_put(&backend->named, name, found);
    }
    return found;
}

/* One of the backend's own entries, as the database has it. */
static int take_own(weir_state_backend *backend, weir_slice key, weir_slice value, weir_error *err)
{
    weir_state_record record;
    WEIR_TRY(weir_state_record_read(value, &record, err));
    weir_slice name = weir_slice_of(key.data + 6, key.size - 6);
    if (key.data[5] == 'c' && record.bytes.size == CHECKPOINT_SIZE) {
        backend->last_checkpoint = (int64_t)weir_load_le64(record.bytes.data);
        backend->last_map_id = weir_load_le64(record.bytes.data + 8);
        backend->next_table = weir_load_le32(record.bytes.data + 16);
        return WEIR_OK;
    }
    if (key.data[5] == 'n') {
        named *found = named_of(backend, name);
        weir_buffer_append(&found->bytes, record.bytes.data, record.bytes.size);
        found->on_disk = true;
        return WEIR_OK;
    }
    if (key.data[5] == 't' && record.bytes.size == 4) {
        add_known(backend, name, weir_load_le32(record.bytes.data))->on_disk = true;
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_CORRUPT, "an entry that no version of this program wrote");
}

static int read_own(weir_state_backend *backend, weir_error *err)
{
    static const uint8_t prefix[5] = {0};
    weir_state_scan *scan = NULL;
    weir_slice own = weir_slice_of(prefix, sizeof prefix);
    WEIR_TRY(weir_state_scan_open(backend->disk, own, own, &scan, err));
    int code = WEIR_OK;
    while (code == WEIR_OK) {
        weir_slice key;
        weir_slice value;
        code = weir_state_scan_next(scan, &key, &value, err);
        if (code == WEIR_OK) {
            code = key.size < 6 ? weir_fail(err, WEIR_CORRUPT, "a key without a name")
                                : take_own(backend, key, value, err);
        }
    }
    weir_state_scan_close(scan);
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_state_backend_open(const weir_state_backend_options *options, weir_state_backend **out, weir_error *err)
{
    int code = WEIR_OK;
    weir_state_backend *backend = weir_alloc_zeroed(1, sizeof *backend);
    backend->budget = options->budget;
    backend->limit_bytes = INT64_MAX;
    backend->next_table = 1;
    if (options->folder != NULL) {
        WEIR_GO(open_disk(backend, options, err));
        code = read_own(backend, err);
        if (code == WEIR_CORRUPT) {
            weir_error_context(err, code, "state in %s is damaged; --fresh starts over without it", options->folder);
            goto done;
        }
        WEIR_GO(code);
    }
    *out = backend;
    backend = NULL;
done:
    weir_state_backend_close(backend);
    return code;
}

void weir_state_backend_close(weir_state_backend *backend)
{
    if (backend == NULL) {
        return;
    }
    for (size_t i = 0; i < backend->named.entry_count; i++) {
        named *found = backend->named.entries[i].value;
        if (found != NULL) {
            weir_buffer_free(&found->bytes);
            free(found);
        }
    }
    for (size_t i = 0; i < backend->known.entry_count; i++) {
        free(backend->known.entries[i].value);
    }
    weir_map_free(&backend->named);
    weir_map_free(&backend->known);
    weir_state_disk_close(backend->disk);
    weir_budget_give(backend->budget, backend->reserved_bytes);
    free(backend);
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

/* Whether the database has an entry of the table. */
static int is_stored(weir_state_backend *backend, const weir_state_table *table, bool *out, weir_error *err)
{
    uint8_t prefix[4];
    weir_state_scan *scan = NULL;
    weir_slice key;
    weir_slice value;
    weir_store_be32(prefix, table->id);
    weir_slice begin = weir_slice_of(prefix, sizeof prefix);
    WEIR_TRY(weir_state_scan_open(backend->disk, begin, begin, &scan, err));
    int code = weir_state_scan_next(scan, &key, &value, err);
    weir_state_scan_close(scan);
    *out = code == WEIR_OK;
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_state_register(weir_state_backend *backend, weir_state_table *table, weir_error *err)
{
    weir_slice name = weir_slice_text(table->name);
    known_table *known = weir_map_get(&backend->known, name);
    if (known != NULL && known->open) {
        return weir_fail(err, WEIR_EXISTS, "state %s is open already", table->name);
    }
    if (known == NULL) {
        known = add_known(backend, name, backend->next_table);
        backend->next_table += 2;
    }
    table->id = known->id;
    if (backend->disk != NULL) {
        bool stored = false;
        WEIR_TRY(is_stored(backend, table, &stored, err));
        table->complete = !stored;
        table->filtered = !stored;
        weir_state_disk_set_ttl(backend->disk, table->id, table->ttl_ms);
        weir_state_disk_set_ttl(backend->disk, table->id + 1, table->ttl_ms);
    }
    known->open = true;
    weir_state_table **link = &backend->tables;
    while (*link != NULL && (*link)->id < table->id) {
        link = &(*link)->next;
    }
    table->next = *link;
    *link = table;
    return WEIR_OK;
}

void weir_state_unregister(weir_state_backend *backend, weir_state_table *table)
{
    weir_state_table **link = &backend->tables;
    while (*link != table) {
        link = &(*link)->next;
    }
    *link = table->next;
    known_table *known = weir_map_get(&backend->known, weir_slice_text(table->name));
    known->open = false;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

int weir_state_backend_put(weir_state_backend *backend, const char *name, weir_slice bytes, weir_error *err)
{
    (void)err;
    named *found = named_of(backend, weir_slice_text(name));
    weir_buffer_clear(&found->bytes);
    weir_buffer_append(&found->bytes, bytes.data, bytes.size);
    found->removed = false;
    found->dirty = true;
    return WEIR_OK;
}

int weir_state_backend_get(weir_state_backend *backend, const char *name, weir_buffer *out, weir_error *err)
{
    (void)err;
    const named *found = weir_map_get(&backend->named, weir_slice_text(name));
    if (found == NULL || found->removed) {
        return WEIR_NOT_FOUND;
    }
    weir_buffer_append(out, found->bytes.data, found->bytes.size);
    return WEIR_OK;
}

void weir_state_backend_remove(weir_state_backend *backend, const char *name)
{
    named *found = weir_map_get(&backend->named, weir_slice_text(name));
    if (found != NULL) {
        weir_buffer_clear(&found->bytes);
        found->removed = true;
        found->dirty = true;
    }
}

/* --- checkpoints ------------------------------------------------------------------------------------------------- */

static void own_key(weir_buffer *out, char kind, weir_slice name)
{
    weir_buffer_clear(out);
    weir_state_append_key(out, OWN_TABLE, 0, weir_slice_of(&kind, 1));
    weir_buffer_append(out, name.data, name.size);
}

static int write_own(weir_state_backend *backend, char kind, weir_slice name, weir_slice bytes, weir_error *err)
{
    weir_buffer key = {0};
    weir_buffer value = {0};
    own_key(&key, kind, name);
    weir_state_record_begin(&value, false, 0);
    weir_buffer_append(&value, bytes.data, bytes.size);
    int code = weir_state_disk_put(backend->disk, weir_buffer_slice(&key), weir_buffer_slice(&value), err);
    weir_buffer_free(&key);
    weir_buffer_free(&value);
    return code;
}

static int compare_names(const void *a, const void *b)
{
    return weir_slice_compare((*(const weir_map_entry *const *)a)->key, (*(const weir_map_entry *const *)b)->key);
}

/* The entries of a map in the order of their names; freed by the caller. */
static const weir_map_entry **in_order(const weir_map *map, size_t *out_count)
{
    size_t count = 0;
    const weir_map_entry **entries = weir_alloc(map->entry_count * sizeof *entries);
    for (size_t i = 0; i < map->entry_count; i++) {
        if (map->entries[i].value != NULL) {
            entries[count++] = &map->entries[i];
        }
    }
    qsort(entries, count, sizeof *entries, compare_names);
    *out_count = count;
    return entries;
}

static int write_names(weir_state_backend *backend, weir_error *err)
{
    int code = WEIR_OK;
    size_t count = 0;
    weir_buffer key = {0};
    const weir_map_entry **entries = in_order(&backend->named, &count);
    for (size_t i = 0; i < count; i++) {
        const named *found = entries[i]->value;
        if (found->dirty && !found->removed) {
            WEIR_GO(write_own(backend, 'n', entries[i]->key, weir_buffer_slice(&found->bytes), err));
        } else if (found->dirty && found->on_disk) {
            own_key(&key, 'n', entries[i]->key);
            WEIR_GO(weir_state_disk_remove(backend->disk, weir_buffer_slice(&key), err));
        }
    }
done:
    free(entries);
    weir_buffer_free(&key);
    return code;
}

static int write_known(weir_state_backend *backend, weir_error *err)
{
    int code = WEIR_OK;
    size_t count = 0;
    const weir_map_entry **entries = in_order(&backend->known, &count);
    for (size_t i = 0; i < count; i++) {
        const known_table *known = entries[i]->value;
        uint8_t id[4];
        weir_store_le32(id, known->id);
        if (!known->on_disk) {
            WEIR_GO(write_own(backend, 't', entries[i]->key, weir_slice_of(id, sizeof id), err));
        }
    }
done:
    free(entries);
    return code;
}

static int write_all(weir_state_backend *backend, int64_t id, weir_error *err)
{
    uint8_t bytes[CHECKPOINT_SIZE];
    weir_store_le64(bytes, (uint64_t)id);
    weir_store_le64(bytes + 8, backend->last_map_id);
    weir_store_le32(bytes + 16, backend->next_table);
    WEIR_TRY(write_own(backend, 'c', weir_slice_of(NULL, 0), weir_slice_of(bytes, sizeof bytes), err));
    WEIR_TRY(write_names(backend, err));
    WEIR_TRY(write_known(backend, err));
    for (weir_state_table *table = backend->tables; table != NULL; table = table->next) {
        WEIR_TRY(weir_state_table_write(table, err));
    }
    return WEIR_OK;
}

static void note_written(weir_state_backend *backend)
{
    for (weir_state_table *table = backend->tables; table != NULL; table = table->next) {
        weir_state_table_written(table);
    }
    for (size_t i = 0; i < backend->named.entry_count; i++) {
        named *found = backend->named.entries[i].value;
        found->dirty = false;
        found->on_disk = !found->removed;
    }
    for (size_t i = 0; i < backend->known.entry_count; i++) {
        known_table *known = backend->known.entries[i].value;
        if (known != NULL) {
            known->on_disk = true;
        }
    }
}

int weir_state_backend_checkpoint(weir_state_backend *backend, int64_t id, weir_error *err)
{
    if (id <= backend->last_checkpoint) {
        return weir_fail(err, WEIR_INVALID, "checkpoint %" PRId64 " after checkpoint %" PRId64, id,
                         backend->last_checkpoint);
    }
    if (backend->disk != NULL) {
        WEIR_TRY(weir_state_disk_begin(backend->disk, err));
        int code = write_all(backend, id, err);
        if (code != WEIR_OK) {
            weir_state_disk_abandon(backend->disk);
            return code;
        }
        WEIR_TRY(weir_state_disk_commit(backend->disk, err));
        note_written(backend);
    }
    backend->last_checkpoint = id;
    return WEIR_OK;
}

int64_t weir_state_backend_last_checkpoint(const weir_state_backend *backend) { return backend->last_checkpoint; }

/* --- memory and time --------------------------------------------------------------------------------------------- */

/* A dirty entry can't be let go: when they have a quarter of the memory, or a part of it and little is left. */
bool weir_state_backend_is_full(const weir_state_backend *backend)
{
    if (backend->disk == NULL || backend->limit_bytes == INT64_MAX) {
        return false;
    }
    return backend->dirty_bytes > backend->limit_bytes / 4 ||
           (backend->dirty_bytes > backend->limit_bytes / 16 &&
            weir_budget_left(backend->budget) < backend->limit_bytes / 32);
}

int64_t weir_state_backend_memory(const weir_state_backend *backend) { return backend->memory_bytes; }

int64_t weir_state_backend_disk_bytes(const weir_state_backend *backend)
{
    return backend->disk == NULL ? 0 : weir_state_disk_bytes(backend->disk);
}

/* What the next batch may take: an eighth of all (of much, less), or twice what the last ones took. */
static int64_t room_for_batch(weir_state_backend *backend)
{
    int64_t growth = backend->memory_bytes - backend->memory_before;
    backend->growth = growth > backend->growth ? growth : backend->growth - backend->growth / 8;
    int64_t usual = backend->limit_bytes / 8 < USUAL_ROOM ? backend->limit_bytes / 8 : USUAL_ROOM;
    return between(2 * backend->growth, usual, backend->limit_bytes / 2);
}

/* Between batches nobody holds slots, so tables can let go: each what is its share by size. */
static void make_room(weir_state_backend *backend)
{
    int64_t reserve = room_for_batch(backend);
    int64_t left = weir_budget_left(backend->budget);
    if (left >= reserve) {
        return;
    }
    int64_t all = 0;
    int64_t short_of = reserve - left + (reserve / 2 < ROOM_BYTES ? reserve / 2 : ROOM_BYTES);
    for (const weir_state_table *table = backend->tables; table != NULL; table = table->next) {
        all += weir_state_table_used_bytes(table);
    }
    for (weir_state_table *table = backend->tables; all > 0 && table != NULL; table = table->next) {
        double share = (double)weir_state_table_used_bytes(table) / (double)all;
        weir_state_table_evict(table, (int64_t)((double)short_of * share) + 1);
    }
}

void weir_state_backend_set_time(weir_state_backend *backend, int64_t now_ms)
{
    backend->now_ms = now_ms;
    if (backend->disk != NULL) {
        weir_state_disk_set_time(backend->disk, now_ms);
        if (backend->limit_bytes != INT64_MAX) {
            make_room(backend);
            backend->memory_before = backend->memory_bytes;
        }
    }
}
