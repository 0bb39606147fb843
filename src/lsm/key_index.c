/* Key indexes of data files, and the cache of them.
 *
 * An index is built outside of the lock: two threads that need the same one at the same time may both build it, and the
 * second result is dropped.
 *
 * Indexes count in the memory budget. For a new one those that nobody uses make room, the longest unused first. One that
 * finds none even so is used all the same, since there is no changelog without it, but it goes with its last user; the
 * keys of a lookup ascend, so that a file is mostly left for good. */
#include "lsm/key_index.h"

#include <pthread.h>
#include <stdlib.h>

#define BUILD_ROWS 65536

struct weir_key_index_cache {
    pthread_mutex_t mutex;
    weir_budget *budget;
    weir_key_index **indexes;
    size_t count;
    size_t capacity;
    int64_t memory_bytes;
    uint64_t clock;
};

weir_key_index_cache *weir_key_index_cache_create(weir_budget *budget)
{
    weir_key_index_cache *cache = weir_alloc_zeroed(1, sizeof *cache);
    cache->budget = budget;
    pthread_mutex_init(&cache->mutex, NULL);
    return cache;
}

static void free_index(weir_key_index *index)
{
    weir_sort_keys_free(&index->keys);
    free(index->is_delete);
    free(index->file_name);
    free(index);
}

static void drop(weir_key_index_cache *cache, size_t i)
{
    weir_key_index *index = cache->indexes[i];
    cache->memory_bytes -= index->memory_bytes;
    if (index->is_counted) {
        weir_budget_give(cache->budget, index->memory_bytes);
    }
    cache->indexes[i] = cache->indexes[--cache->count];
    free_index(index);
}

void weir_key_index_cache_free(weir_key_index_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    while (cache->count > 0) {
        drop(cache, cache->count - 1);
    }
    free(cache->indexes);
    pthread_mutex_destroy(&cache->mutex);
    free(cache);
}

int64_t weir_key_index_cache_memory(weir_key_index_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    int64_t bytes = cache->memory_bytes;
    pthread_mutex_unlock(&cache->mutex);
    return bytes;
}

/* Drops the index that has not been used for the longest time. False: all are in use. */
static bool drop_longest_unused(weir_key_index_cache *cache)
{
    size_t oldest = cache->count;
    for (size_t i = 0; i < cache->count; i++) {
        const weir_key_index *index = cache->indexes[i];
        if (index->users == 0 && (oldest == cache->count || index->last_used < cache->indexes[oldest]->last_used)) {
            oldest = i;
        }
    }
    if (oldest == cache->count) {
        return false;
    }
    drop(cache, oldest);
    return true;
}

static bool stands_in(const char *file_name, const weir_sorted_run *runs, int32_t run_count)
{
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            if (strcmp(runs[r].files[f]->name, file_name) == 0) {
                return true;
            }
        }
    }
    return false;
}

void weir_key_index_cache_retain(weir_key_index_cache *cache, const weir_sorted_run *runs, int32_t run_count,
                                 int64_t limit_bytes)
{
    pthread_mutex_lock(&cache->mutex);
    for (size_t i = cache->count; i > 0; i--) {
        if (!stands_in(cache->indexes[i - 1]->file_name, runs, run_count)) {
            drop(cache, i - 1);
        }
    }
    while (cache->memory_bytes > limit_bytes && drop_longest_unused(cache)) {
    }
    pthread_mutex_unlock(&cache->mutex);
}

static weir_key_index *find(weir_key_index_cache *cache, const char *file_name)
{
    for (size_t i = 0; i < cache->count; i++) {
        if (strcmp(cache->indexes[i]->file_name, file_name) == 0) {
            cache->indexes[i]->last_used = ++cache->clock;
            return cache->indexes[i];
        }
    }
    return NULL;
}

/* Reads keys and kinds of all rows. The reader's columns: the key columns, then the kind. */
static int read_index(weir_format_reader *reader, const weir_field *fields, int32_t key_count, weir_key_index *index,
                      weir_error *err)
{
    int code = WEIR_OK;
    int32_t *positions = weir_alloc(sizeof(int32_t) * (size_t)key_count);
    weir_batch batch;
    weir_vector kinds;
    weir_batch_init(&batch, fields, key_count);
    weir_vector_init(&kinds, fields[key_count].type);
    for (int32_t i = 0; i < key_count; i++) {
        positions[i] = i;
    }
    for (int64_t first = 0; first < reader->row_count; first += BUILD_ROWS) {
        int64_t count = reader->row_count - first < BUILD_ROWS ? reader->row_count - first : BUILD_ROWS;
        weir_batch_clear(&batch);
        weir_vector_clear(&kinds);
        for (int32_t i = 0; i < key_count; i++) {
            WEIR_GO(reader->ops->read(reader, i, first, count, &batch.columns[i], err));
        }
        batch.length = count;
        WEIR_GO(reader->ops->read(reader, key_count, first, count, &kinds, err));
        WEIR_GO(weir_sort_keys_append(&index->keys, &batch, positions, key_count, err));
        for (int64_t i = 0; i < count; i++) {
            if (weir_row_kind_is_retract(WEIR_VALUES(&kinds, int8_t)[i])) {
                if (index->is_delete == NULL) {
                    index->is_delete = weir_alloc_zeroed((size_t)(reader->row_count + 7) / 8, 1);
                }
                weir_bit_set(index->is_delete, first + i);
            }
        }
    }
done:
    free(positions);
    weir_batch_free(&batch);
    weir_vector_free(&kinds);
    return code;
}

static int build(const weir_table_context *context, const char *bucket_path, const weir_data_file *file,
                 weir_key_index **out, weir_error *err)
{
    const weir_schema *schema = context->schema;
    weir_field *fields = weir_alloc(sizeof(weir_field) * (size_t)(schema->key_column_count + 1));
    for (int32_t i = 0; i < schema->key_column_count; i++) {
        fields[i] = schema->fields[schema->key_columns[i]];
    }
    fields[schema->key_column_count] = *weir_value_kind_field();
    weir_key_index *index = weir_alloc_zeroed(1, sizeof *index);
    index->file_name = weir_strdup(file->name);
    weir_format_reader *reader = NULL;
    int code = weir_data_file_open(context, bucket_path, file, fields, schema->key_column_count + 1, &reader, err);
    if (code == WEIR_OK) {
        code = read_index(reader, fields, schema->key_column_count, index, err);
        reader->ops->close(reader);
    }
    free(fields);
    if (code != WEIR_OK) {
        free_index(index);
        return code;
    }
    index->memory_bytes = (int64_t)weir_sort_keys_memory(&index->keys) +
                          (index->is_delete != NULL ? (index->keys.length + 7) / 8 : 0);
    *out = index;
    return WEIR_OK;
}

static bool try_to_count(weir_budget *budget, int64_t bytes)
{
    int64_t limit = weir_budget_limit(budget);
    return (limit == INT64_MAX || weir_budget_left(budget) - bytes >= limit / 2) && weir_budget_try_take(budget, bytes);
}

/* Adds an index that is in use, and makes room for it in the budget where that can be. */
static void insert(weir_key_index_cache *cache, weir_key_index *index)
{
    WEIR_GROW(cache->indexes, cache->capacity, cache->count + 1);
    cache->indexes[cache->count++] = index;
    cache->memory_bytes += index->memory_bytes;
    do {
        index->is_counted = try_to_count(cache->budget, index->memory_bytes);
    } while (!index->is_counted && drop_longest_unused(cache));
}

int weir_key_index_get(weir_key_index_cache *cache, const weir_table_context *context, const char *bucket_path,
                       const weir_data_file *file, const weir_key_index **out, weir_error *err)
{
    pthread_mutex_lock(&cache->mutex);
    weir_key_index *index = find(cache, file->name);
    if (index != NULL) {
        index->users++;
    }
    pthread_mutex_unlock(&cache->mutex);
    if (index == NULL) {
        weir_key_index *built = NULL;
        WEIR_TRY_CTX(build(context, bucket_path, file, &built, err), err, "indexing the keys of %s", file->name);
        pthread_mutex_lock(&cache->mutex);
        index = find(cache, file->name);
        if (index == NULL) {
            index = built;
            built = NULL;
            index->last_used = ++cache->clock;
            index->users++;
            insert(cache, index);
        } else {
            index->users++;
        }
        pthread_mutex_unlock(&cache->mutex);
        if (built != NULL) {
            free_index(built);
        }
    }
    *out = index;
    return WEIR_OK;
}

void weir_key_index_release(weir_key_index_cache *cache, const weir_key_index *index)
{
    pthread_mutex_lock(&cache->mutex);
    for (size_t i = 0; i < cache->count; i++) {
        if (cache->indexes[i] == index) {
            if (--cache->indexes[i]->users == 0 && !index->is_counted) {
                drop(cache, i);
            }
            break;
        }
    }
    pthread_mutex_unlock(&cache->mutex);
}

int64_t weir_key_index_seek(const weir_key_index *index, int64_t from, const weir_sort_keys *keys, int64_t k)
{
    /* Gallop: the keys asked for are often near each other. */
    int64_t step = 1, low = from, high = from;
    while (high < index->keys.length && weir_sort_keys_compare(&index->keys, high, keys, k) < 0) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    if (high > index->keys.length) {
        high = index->keys.length;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (weir_sort_keys_compare(&index->keys, middle, keys, k) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
