/* Keys to rows: see table_lookup.h.
 *
 * Many threads find under the read lock; refreshing, and throwing away lookup files that nobody searches any more,
 * takes the write lock. */
#include "table/lookup/table_lookup.h"

#include <pthread.h>
#include <stdlib.h>

#include "table/lookup/lookup_buckets.h"
#include "vector/binary_row.h"
#include "vector/bucket.h"

#define MOST_TRIES 5 /* while files go away under a find: somebody expires snapshots */

struct weir_table_lookup {
    const weir_table *table;
    weir_arena arena;
    const char *folder;
    weir_batch row; /* for its columns: what is found has them */
    weir_lookup_cache *cache;
    pthread_rwlock_t lock; /* over what follows */
    weir_lookup_buckets buckets;

    /* Where columns stand in a batch of keys. */
    int32_t bucket_count;
    weir_bucket_function bucket_function;
    int32_t *bucket_columns;
    int32_t bucket_column_count;
    int32_t *partition_columns;
    int32_t *key_columns;   /* those of the primary key that are no partition columns */
    weir_field *key_fields; /* of the primary key */
};

/* ---- opening ---- */

int weir_table_lookup_check(const weir_table *table, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    const char *engine = weir_options_get(set, "merge-engine");
    const char *reason = NULL;
    bool deletes = false;
    int32_t buckets = 0;
    WEIR_TRY(weir_table_bucket_count(table, &buckets, err));
    WEIR_TRY(weir_options_bool(set, "deletion-vectors.enabled", &deletes, err));
    if (!weir_table_has_primary_key(table)) {
        reason = "it has no primary key";
    } else if (buckets <= 0) {
        reason = "its buckets are not fixed";
    } else if (engine != NULL && strcmp(engine, "deduplicate") != 0) {
        reason = "its merge-engine makes a row of several";
    } else if (weir_options_get(set, "sequence.field") != NULL) {
        reason = "its newest row is told by a sequence.field";
    } else if (weir_options_get(set, "record-level.expire-time") != NULL) {
        reason = "its rows expire";
    } else if (deletes) {
        reason = "it has deletion vectors";
    } else if (weir_options_get(set, "scan.fallback-branch") != NULL) {
        reason = "it has a fallback branch";
    }
    return reason == NULL
               ? WEIR_OK
               : weir_fail(err, WEIR_UNSUPPORTED, "%s: rows can't be looked up by key: %s", table->path, reason);
}

/* Positions in the primary key of columns of the schema. */
static int32_t *places_in_key(weir_table_lookup *self, const int32_t *columns, int32_t count)
{
    const weir_schema *schema = self->table->schema;
    int32_t *places = WEIR_NEW_ARRAY(&self->arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < schema->primary_key_count; k++) {
            if (strcmp(schema->primary_keys[k], schema->fields[columns[i]].name) == 0) {
                places[i] = k;
            }
        }
    }
    return places;
}

static int find_columns(weir_table_lookup *self, weir_error *err)
{
    const weir_schema *schema = self->table->schema;
    const int32_t *columns = NULL;
    WEIR_TRY(weir_table_bucket_count(self->table, &self->bucket_count, err));
    WEIR_TRY(weir_table_bucket_columns(self->table, &self->arena, &columns, &self->bucket_column_count, err));
    WEIR_TRY(weir_table_bucket_function(self->table, &self->bucket_function, err));
    self->bucket_columns = places_in_key(self, columns, self->bucket_column_count);
    self->partition_columns = places_in_key(self, schema->partition_columns, schema->partition_key_count);
    self->key_columns = places_in_key(self, schema->key_columns, schema->key_column_count);
    self->key_fields = WEIR_NEW_ARRAY(&self->arena, weir_field, schema->primary_key_count + 1);
    for (int32_t k = 0; k < schema->primary_key_count; k++) {
        self->key_fields[k] = schema->fields[weir_schema_column(schema, schema->primary_keys[k])];
    }
    return WEIR_OK;
}

static void choose_row(weir_table_lookup *self, const weir_table_lookup_options *options)
{
    const weir_schema *schema = self->table->schema;
    weir_field *fields = WEIR_NEW_ARRAY(&self->arena, weir_field, options->column_count + 1);
    for (int32_t i = 0; i < options->column_count; i++) {
        fields[i] = schema->fields[options->columns[i]];
    }
    weir_batch_init(&self->row, fields, options->column_count);
}

int weir_table_lookup_open(const weir_table *table, const weir_table_lookup_options *options, weir_table_lookup **out,
                           weir_error *err)
{
    WEIR_TRY(weir_table_lookup_check(table, err));
    int64_t disk_bytes = options->disk_bytes;
    if (disk_bytes == 0) {
        WEIR_TRY(weir_options_size(&table->schema->options, "lookup.cache-max-disk-size", &disk_bytes, err));
    }
    weir_table_lookup *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    pthread_rwlock_init(&self->lock, NULL);
    self->table = table;
    self->folder = weir_arena_strdup(&self->arena, options->folder);
    choose_row(self, options);
    int code = find_columns(self, err);
    if (code == WEIR_OK) {
        self->cache = weir_lookup_cache_create(&table->context, options->columns, options->column_count, self->folder,
                                               disk_bytes);
        weir_lookup_buckets_init(&self->buckets, table, self->bucket_count, self->cache);
        code = weir_table_lookup_refresh(self, err);
    }
    if (code != WEIR_OK) {
        weir_table_lookup_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_table_lookup_close(weir_table_lookup *self)
{
    if (self == NULL) {
        return;
    }
    weir_lookup_buckets_free(&self->buckets);
    weir_lookup_cache_free(self->cache);
    weir_batch_free(&self->row);
    pthread_rwlock_destroy(&self->lock);
    weir_arena_free(&self->arena);
    free(self);
}

/* ---- following the table ---- */

int weir_table_lookup_refresh(weir_table_lookup *self, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    int64_t latest = 0;
    int code = WEIR_NOT_FOUND;
    for (int tries = 0; tries < MOST_TRIES && code == WEIR_NOT_FOUND; tries++) {
        weir_error_clear(err);
        WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
        pthread_rwlock_wrlock(&self->lock);
        code = latest == 0 ? WEIR_OK : weir_lookup_buckets_refresh(&self->buckets, latest, err);
        weir_lookup_cache_sweep(self->cache);
        pthread_rwlock_unlock(&self->lock);
    }
    return code;
}

int64_t weir_table_lookup_snapshot(weir_table_lookup *self)
{
    pthread_rwlock_rdlock(&self->lock);
    int64_t id = self->buckets.snapshot_id;
    pthread_rwlock_unlock(&self->lock);
    return id;
}

/* ---- finding ---- */

typedef struct finder {
    weir_table_lookup *lookup;
    weir_batch keys;
    uint32_t *asked; /* which of those that were asked for they are */
    weir_sort_keys sort_keys;
    int32_t *buckets;  /* of the keys */
    weir_buffer place; /* bucket and partition of the key at hand */
    const weir_lookup_bucket *bucket;
} finder;

static bool has_null(const weir_batch *keys, int64_t row)
{
    for (int32_t c = 0; c < keys->column_count; c++) {
        if (weir_vector_is_null(&keys->columns[c], row)) {
            return true;
        }
    }
    return false;
}

/* The bucket of a key; NULL: it has no files. */
static int find_bucket(finder *self, int64_t row, weir_error *err)
{
    const weir_schema *schema = self->lookup->table->schema;
    weir_buffer_clear(&self->place);
    weir_buffer_append(&self->place, &self->buckets[row], sizeof(int32_t));
    weir_buffer_append_zeros(&self->place, sizeof(uint32_t));
    weir_store_be32(self->place.data + sizeof(int32_t), (uint32_t)schema->partition_key_count);
    WEIR_TRY(weir_binary_row_write(&self->keys, self->lookup->partition_columns, schema->partition_key_count, row,
                                   &self->place, err));
    self->bucket = weir_map_get(&self->lookup->buckets.buckets, weir_buffer_slice(&self->place));
    return WEIR_OK;
}

static int compare_bound(const finder *self, int64_t bound, int64_t row)
{
    return weir_sort_keys_compare(&self->bucket->bounds, bound, &self->sort_keys, row);
}

/* The file of a run whose key range holds the key; -1: none. */
static int32_t find_place(const finder *self, const weir_lookup_run *run, int64_t row)
{
    int32_t low = run->first, high = run->first + run->count;
    while (low < high) { /* the first that does not end before the key */
        int32_t middle = low + (high - low) / 2;
        if (compare_bound(self, 2 * (int64_t)middle + 1, row) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < run->first + run->count && compare_bound(self, 2 * (int64_t)low, row) <= 0 ? low : -1;
}

/* The newest file that says something of a key decides. */
static int find_row(finder *self, int64_t row, int64_t *out_row, weir_batch *out, weir_error *err)
{
    for (int32_t r = 0; r < self->bucket->run_count; r++) {
        int32_t place = find_place(self, &self->bucket->runs[r], row);
        if (place < 0) {
            continue;
        }
        const weir_lookup_place *in = &self->bucket->places[place];
        const weir_lookup_file *file = NULL;
        weir_slice bytes;
        WEIR_TRY(weir_lookup_cache_get(self->lookup->cache, in->slot, self->bucket->path, in->file, &file, err));
        weir_lookup_answer answer = weir_lookup_file_find(file, &self->sort_keys, row, &bytes);
        if (answer == WEIR_LOOKUP_ROW) {
            *out_row = out->length;
            return weir_binary_row_read(bytes, out, in->file->name, err);
        }
        if (answer == WEIR_LOOKUP_DELETED) {
            return WEIR_OK;
        }
    }
    return WEIR_OK;
}

/* Lookup files that had to make room go when no find is under way. Many keys may need more files than there is room for,
 * so a find steps aside for this after each key that has made one. */
static void step_aside(weir_table_lookup *self)
{
    pthread_rwlock_unlock(&self->lock);
    pthread_rwlock_wrlock(&self->lock);
    weir_lookup_cache_sweep(self->cache);
    pthread_rwlock_unlock(&self->lock);
    pthread_rwlock_rdlock(&self->lock);
}

static int find_rows(finder *self, int64_t *out_rows, weir_batch *out, weir_error *err)
{
    for (int64_t i = 0; i < self->keys.length; i++) {
        WEIR_TRY(find_bucket(self, i, err));
        if (self->bucket != NULL) {
            WEIR_TRY(find_row(self, i, &out_rows[self->asked[i]], out, err));
        }
        if (weir_lookup_cache_has_garbage(self->lookup->cache)) {
            step_aside(self->lookup);
        }
    }
    return WEIR_OK;
}

/* The keys that have no NULL, in the types of the table's columns, on which the bytes of a key depend: NOT NULL columns
 * have no byte for NULL. */
static int take_keys(finder *self, const weir_batch *keys, weir_error *err)
{
    const weir_table_lookup *lookup = self->lookup;
    int64_t count = 0;
    self->asked = weir_alloc(sizeof *self->asked * (size_t)(keys->length + 1));
    for (int64_t i = 0; i < keys->length; i++) {
        if (!has_null(keys, i)) {
            self->asked[count++] = (uint32_t)i;
        }
    }
    weir_batch_init(&self->keys, lookup->key_fields, keys->column_count);
    for (int32_t c = 0; c < keys->column_count && count > 0; c++) {
        weir_vector column = keys->columns[c];
        column.type = lookup->key_fields[c].type;
        WEIR_TRY(weir_vector_append_rows(&self->keys.columns[c], &column, self->asked, count, err));
    }
    self->keys.length = count;
    return WEIR_OK;
}

static int prepare(finder *self, const weir_batch *keys, weir_error *err)
{
    const weir_table_lookup *lookup = self->lookup;
    WEIR_TRY(take_keys(self, keys, err));
    self->buckets = weir_alloc(sizeof *self->buckets * (size_t)(keys->length + 1));
    WEIR_TRY(weir_sort_keys_append(&self->sort_keys, &self->keys, lookup->key_columns,
                                   lookup->table->schema->key_column_count, err));
    return weir_batch_buckets(lookup->bucket_function, &self->keys, lookup->bucket_columns, lookup->bucket_column_count,
                              lookup->bucket_count, self->buckets, err);
}

int weir_table_lookup_find(weir_table_lookup *self, const weir_batch *keys, int64_t *out_rows, weir_batch *out,
                           weir_error *err)
{
    finder search = {.lookup = self};
    int code = prepare(&search, keys, err);
    for (int tries = 0; code == WEIR_OK; tries++) {
        pthread_rwlock_rdlock(&self->lock);
        weir_batch_clear(out);
        for (int64_t i = 0; i < keys->length; i++) {
            out_rows[i] = -1;
        }
        code = find_rows(&search, out_rows, out, err);
        pthread_rwlock_unlock(&self->lock);
        if (code != WEIR_NOT_FOUND || tries == MOST_TRIES) {
            break;
        }
        /* A data file is gone: somebody has compacted and expired since. */
        weir_error_clear(err);
        code = weir_table_lookup_refresh(self, err);
    }
    weir_sort_keys_free(&search.sort_keys);
    weir_buffer_free(&search.place);
    weir_batch_free(&search.keys);
    free(search.asked);
    free(search.buckets);
    return code;
}
