/* The schema versions of a table, read when they are first needed and kept.
 *
 * A table has few versions and a version never changes, so a short list under one lock does. */
#include "file/table_context.h"

#include <pthread.h>
#include <stdlib.h>

struct weir_schema_cache {
    weir_fs *fs;
    char *root;
    pthread_mutex_t mutex;
    weir_arena arena;
    weir_schema **schemas;
    size_t count;
    size_t capacity;
};

weir_schema_cache *weir_schema_cache_create(weir_fs *fs, const char *root)
{
    weir_schema_cache *cache = weir_alloc_zeroed(1, sizeof *cache);
    cache->fs = fs;
    cache->root = weir_strdup(root);
    pthread_mutex_init(&cache->mutex, NULL);
    weir_arena_init(&cache->arena);
    return cache;
}

void weir_schema_cache_free(weir_schema_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    weir_arena_free(&cache->arena);
    pthread_mutex_destroy(&cache->mutex);
    free(cache->schemas);
    free(cache->root);
    free(cache);
}

static int find_or_read(weir_schema_cache *cache, int64_t id, const weir_schema **out, weir_error *err)
{
    for (size_t i = 0; i < cache->count; i++) {
        if (cache->schemas[i]->id == id) {
            *out = cache->schemas[i];
            return WEIR_OK;
        }
    }
    weir_schema *schema = NULL;
    WEIR_TRY(weir_schema_read(cache->fs, cache->root, id, &cache->arena, &schema, err));
    WEIR_GROW(cache->schemas, cache->capacity, cache->count + 1);
    cache->schemas[cache->count++] = schema;
    *out = schema;
    return WEIR_OK;
}

int weir_schema_cache_get(weir_schema_cache *cache, int64_t id, const weir_schema **out, weir_error *err)
{
    pthread_mutex_lock(&cache->mutex);
    int code = find_or_read(cache, id, out, err);
    pthread_mutex_unlock(&cache->mutex);
    return code;
}

int weir_table_context_schema(const weir_table_context *context, int64_t id, const weir_schema **out, weir_error *err)
{
    if (id == context->schema->id) {
        *out = context->schema;
        return WEIR_OK;
    }
    return weir_schema_cache_get(context->schemas, id, out, err);
}

void weir_table_context_remove_file(const weir_table_context *context, const char *bucket_path,
                                    const weir_data_file *file)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_fs_remove(context->fs, weir_data_file_path(&arena, bucket_path, file), NULL);
    weir_arena_free(&arena);
}
