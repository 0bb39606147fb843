/* A map from paths to bytes. There are two generations: what is used in the old one moves to the new one, and when the
 * new one has half of all bytes it becomes the old one, whose files go. */
#include "fs/cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"

typedef struct generation {
    weir_map files; /* path → weir_buffer */
    size_t bytes;
} generation;

struct weir_fs_cache {
    pthread_mutex_t mutex;
    size_t most_bytes;
    generation young, old;
};

weir_fs_cache *weir_fs_cache_create(size_t most_bytes)
{
    weir_fs_cache *cache = weir_alloc_zeroed(1, sizeof *cache);
    pthread_mutex_init(&cache->mutex, NULL);
    cache->most_bytes = most_bytes;
    return cache;
}

static void free_file(weir_buffer *file)
{
    if (file != NULL) {
        weir_buffer_free(file);
        free(file);
    }
}

static void empty(generation *files)
{
    for (size_t i = 0; i < files->files.entry_count; i++) {
        free_file(files->files.entries[i].value);
    }
    weir_map_free(&files->files);
    *files = (generation){0};
}

void weir_fs_cache_free(weir_fs_cache *cache)
{
    if (cache != NULL) {
        empty(&cache->young);
        empty(&cache->old);
        pthread_mutex_destroy(&cache->mutex);
        free(cache);
    }
}

static void add(weir_fs_cache *cache, weir_slice path, weir_buffer *file)
{
    if (cache->young.bytes + file->size > cache->most_bytes / 2) {
        empty(&cache->old);
        cache->old = cache->young;
        cache->young = (generation){0};
    }
    weir_map_put(&cache->young.files, path, file);
    cache->young.bytes += file->size;
}

bool weir_fs_cache_get(weir_fs_cache *cache, const char *path, weir_buffer *out)
{
    weir_slice name = weir_slice_text(path);
    pthread_mutex_lock(&cache->mutex);
    weir_buffer *file = weir_map_get(&cache->young.files, name);
    if (file == NULL) {
        file = weir_map_remove(&cache->old.files, name);
        if (file != NULL) {
            cache->old.bytes -= file->size;
            add(cache, name, file);
        }
    }
    if (file != NULL) {
        weir_buffer_append(out, file->data, file->size);
    }
    pthread_mutex_unlock(&cache->mutex);
    return file != NULL;
}

void weir_fs_cache_put(weir_fs_cache *cache, const char *path, weir_slice bytes)
{
    weir_slice name = weir_slice_text(path);
    if (bytes.size > cache->most_bytes / 16) {
        return;
    }
    weir_buffer *file = weir_alloc_zeroed(1, sizeof *file);
    weir_buffer_append(file, bytes.data, bytes.size);
    pthread_mutex_lock(&cache->mutex);
    if (weir_map_get(&cache->young.files, name) == NULL && weir_map_get(&cache->old.files, name) == NULL) {
        add(cache, name, file);
        file = NULL;
    }
    pthread_mutex_unlock(&cache->mutex);
    free_file(file);
}
