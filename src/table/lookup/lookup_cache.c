/* Local lookup files as many as the disk may hold: see lookup_cache.h. */
#include "table/lookup/lookup_cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"

struct weir_lookup_cache {
    const weir_table_context *context;
    int32_t *columns;
    int32_t column_count;
    const char *folder;
    int64_t disk_bytes;
    pthread_mutex_t mutex; /* over what follows */
    pthread_cond_t built;
    weir_map slots; /* name of the data file → weir_lookup_slot */
    int64_t bytes;
    weir_lookup_file **garbage;
    size_t garbage_capacity;
    atomic_size_t garbage_count;
    atomic_uint_least64_t clock;
};

weir_lookup_cache *weir_lookup_cache_create(const weir_table_context *context, const int32_t *columns,
                                            int32_t column_count, const char *folder, int64_t disk_bytes)
{
    weir_lookup_cache *cache = weir_alloc_zeroed(1, sizeof *cache);
    cache->context = context;
    cache->columns = weir_alloc(sizeof *columns * (size_t)(column_count + 1));
    if (column_count > 0) {
        memcpy(cache->columns, columns, sizeof *columns * (size_t)column_count);
    }
    cache->column_count = column_count;
    cache->folder = folder;
    cache->disk_bytes = disk_bytes;
    pthread_mutex_init(&cache->mutex, NULL);
    pthread_cond_init(&cache->built, NULL);
    return cache;
}

/* With the mutex held. */
static void throw_away(weir_lookup_cache *cache, weir_lookup_slot *slot)
{
    weir_lookup_file *file = atomic_exchange(&slot->file, NULL);
    if (file != NULL) {
        size_t count = atomic_load(&cache->garbage_count);
        cache->bytes -= weir_lookup_file_bytes(file);
        WEIR_GROW(cache->garbage, cache->garbage_capacity, count + 1);
        cache->garbage[count] = file;
        atomic_store(&cache->garbage_count, count + 1);
    }
}

bool weir_lookup_cache_has_garbage(weir_lookup_cache *cache) { return atomic_load(&cache->garbage_count) > 0; }

void weir_lookup_cache_sweep(weir_lookup_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    size_t count = atomic_exchange(&cache->garbage_count, 0);
    for (size_t i = 0; i < count; i++) {
        weir_lookup_file_close(cache->garbage[i]);
    }
    pthread_mutex_unlock(&cache->mutex);
}

void weir_lookup_cache_free(weir_lookup_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (size_t i = 0; i < cache->slots.entry_count; i++) {
        weir_lookup_slot *slot = cache->slots.entries[i].value;
        if (slot != NULL) {
            weir_lookup_file_close(atomic_load(&slot->file));
            free(slot);
        }
    }
    weir_lookup_cache_sweep(cache);
    weir_map_free(&cache->slots);
    pthread_mutex_destroy(&cache->mutex);
    pthread_cond_destroy(&cache->built);
    free(cache->garbage);
    free(cache->columns);
    free(cache);
}

weir_lookup_slot *weir_lookup_cache_take(weir_lookup_cache *cache, const char *file_name)
{
    pthread_mutex_lock(&cache->mutex);
    weir_lookup_slot *slot = weir_map_get(&cache->slots, weir_slice_text(file_name));
    if (slot == NULL) {
        slot = weir_alloc_zeroed(1, sizeof *slot);
        weir_map_put(&cache->slots, weir_slice_text(file_name), slot);
    }
    slot->users++;
    pthread_mutex_unlock(&cache->mutex);
    return slot;
}

void weir_lookup_cache_drop(weir_lookup_cache *cache, const char *file_name)
{
    pthread_mutex_lock(&cache->mutex);
    weir_lookup_slot *slot = weir_map_get(&cache->slots, weir_slice_text(file_name));
    if (slot != NULL && --slot->users == 0) {
        throw_away(cache, slot);
        weir_map_remove(&cache->slots, weir_slice_text(file_name));
        free(slot);
    }
    pthread_mutex_unlock(&cache->mutex);
}

/* With the mutex held: makes room, and keeps `newest` in any case. */
static void make_room(weir_lookup_cache *cache, const weir_lookup_slot *newest)
{
    while (cache->bytes > cache->disk_bytes) {
        weir_lookup_slot *oldest = NULL;
        for (size_t i = 0; i < cache->slots.entry_count; i++) {
            weir_lookup_slot *slot = cache->slots.entries[i].value;
            if (slot != NULL && slot != newest && atomic_load(&slot->file) != NULL &&
                (oldest == NULL || atomic_load(&slot->last_used) < atomic_load(&oldest->last_used))) {
                oldest = slot;
            }
        }
        if (oldest == NULL) {
            return;
        }
        throw_away(cache, oldest);
    }
}

/* Makes the file, or waits for the thread that makes it. */
static int build(weir_lookup_cache *cache, weir_lookup_slot *slot, const char *bucket_path, const weir_data_file *file,
                 weir_lookup_file **out, weir_error *err)
{
    pthread_mutex_lock(&cache->mutex);
    while (slot->is_building) {
        pthread_cond_wait(&cache->built, &cache->mutex);
    }
    weir_lookup_file *made = atomic_load(&slot->file);
    slot->is_building = made == NULL;
    pthread_mutex_unlock(&cache->mutex);
    int code = WEIR_OK;
    if (made == NULL) {
        code = weir_lookup_file_build(cache->context, bucket_path, file, cache->columns, cache->column_count,
                                      cache->folder, &made, err);
        pthread_mutex_lock(&cache->mutex);
        if (code == WEIR_OK) {
            cache->bytes += weir_lookup_file_bytes(made);
            atomic_store(&slot->file, made);
            make_room(cache, slot);
        }
        slot->is_building = false;
        pthread_cond_broadcast(&cache->built);
        pthread_mutex_unlock(&cache->mutex);
    }
    *out = made;
    return code;
}

int weir_lookup_cache_get(weir_lookup_cache *cache, weir_lookup_slot *slot, const char *bucket_path,
                          const weir_data_file *file, const weir_lookup_file **out, weir_error *err)
{
    weir_lookup_file *found = atomic_load_explicit(&slot->file, memory_order_acquire);
    if (found == NULL) {
        WEIR_TRY(build(cache, slot, bucket_path, file, &found, err));
    }
    atomic_store_explicit(&slot->last_used, atomic_fetch_add_explicit(&cache->clock, 1, memory_order_relaxed),
                          memory_order_relaxed);
    *out = found;
    return WEIR_OK;
}
