/* Following which files stand in which bucket: see lookup_buckets.h. */
#include "table/lookup/lookup_buckets.h"

#include <stdlib.h>

#include "lsm/levels.h"
#include "lsm/lookup.h"

#define MOST_SNAPSHOTS 100 /* behind more than these the latest is read whole */

void weir_lookup_buckets_init(weir_lookup_buckets *buckets, const weir_table *table, int32_t bucket_count,
                              weir_lookup_cache *cache)
{
    *buckets = (weir_lookup_buckets){.table = table, .cache = cache, .bucket_count = bucket_count};
}

static void free_bucket(weir_lookup_buckets *self, weir_lookup_bucket *bucket)
{
    if (bucket == NULL) {
        return;
    }
    for (size_t i = 0; i < bucket->file_count && bucket->places != NULL; i++) {
        weir_lookup_cache_drop(self->cache, bucket->places[i].file->name);
    }
    weir_sort_keys_free(&bucket->bounds);
    weir_arena_free(&bucket->arena);
    free(bucket);
}

static void free_map(weir_lookup_buckets *self, weir_map *buckets)
{
    for (size_t i = 0; i < buckets->entry_count; i++) {
        free_bucket(self, buckets->entries[i].value);
    }
    weir_map_free(buckets);
}

void weir_lookup_buckets_free(weir_lookup_buckets *self)
{
    free_map(self, &self->buckets);
    free(self->delta_list);
    self->delta_list = NULL;
}

/* ---- one bucket ---- */

/* Files to runs, newest first, with their slots and bounds. */
static int arrange(weir_lookup_buckets *self, weir_lookup_bucket *bucket, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_bucket_levels levels;
    weir_sorted_run *runs = NULL;
    weir_bucket_levels_init(&levels, context->schema, 1, bucket->files, bucket->file_count);
    weir_bucket_levels_runs(&levels, &bucket->arena, &runs, &bucket->run_count);
    weir_bucket_levels_free(&levels);
    bucket->runs = WEIR_NEW_ARRAY(&bucket->arena, weir_lookup_run, bucket->run_count + 1);
    bucket->places = WEIR_NEW_ARRAY(&bucket->arena, weir_lookup_place, bucket->file_count + 1);
    int32_t at = 0;
    for (int32_t r = 0; r < bucket->run_count; r++) {
        bucket->runs[r] = (weir_lookup_run){.first = at, .count = runs[r].file_count};
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            weir_data_file *file = runs[r].files[f];
            bucket->places[at++] = (weir_lookup_place){file, weir_lookup_cache_take(self->cache, file->name)};
        }
    }
    WEIR_TRY(weir_bucket_path(&bucket->arena, &context->paths, context->schema, bucket->partition, bucket->bucket,
                              &bucket->path, err));
    return weir_lookup_bounds(context->schema, runs, bucket->run_count, &bucket->bounds, err);
}

/* Live files of a bucket on the way to a new arrangement. */
typedef struct draft {
    weir_lookup_bucket *old; /* NULL: none */
    weir_slice partition;
    int32_t bucket;
    weir_file_list files; /* borrowed */
} draft;

static int make_bucket(weir_lookup_buckets *self, const draft *from, weir_lookup_bucket **out, weir_error *err)
{
    weir_lookup_bucket *bucket = weir_alloc_zeroed(1, sizeof *bucket);
    weir_arena_init(&bucket->arena);
    bucket->partition = weir_slice_of(weir_arena_copy(&bucket->arena, from->partition.data, from->partition.size),
                                      from->partition.size);
    bucket->bucket = from->bucket;
    bucket->files = WEIR_NEW_ARRAY(&bucket->arena, weir_data_file *, from->files.count + 1);
    bucket->file_count = from->files.count;
    for (size_t i = 0; i < from->files.count; i++) {
        bucket->files[i] = weir_data_file_copy(&bucket->arena, from->files.files[i]);
    }
    int code = arrange(self, bucket, err);
    if (code != WEIR_OK) {
        free_bucket(self, bucket);
        return code;
    }
    *out = bucket;
    return WEIR_OK;
}

/* ---- drafts ---- */

typedef struct drafts {
    weir_map map; /* as that of buckets → draft */
    weir_buffer key;
} drafts;

static void free_drafts(drafts *all)
{
    for (size_t i = 0; i < all->map.entry_count; i++) {
        draft *one = all->map.entries[i].value;
        weir_file_list_free(&one->files);
        free(one);
    }
    weir_map_free(&all->map);
    weir_buffer_free(&all->key);
}

static int check_bucket_count(const weir_lookup_buckets *self, const weir_manifest_entry *entry, weir_error *err)
{
    if (entry->total_buckets == self->bucket_count || entry->total_buckets <= 0) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_UNSUPPORTED,
                     "%s: a partition was written with %d buckets, but the table's option now says %d; rows can't be "
                     "looked up by key until it is rewritten with INSERT OVERWRITE",
                     self->table->path, entry->total_buckets, self->bucket_count);
}

static draft *find_draft(const weir_lookup_buckets *self, drafts *all, const weir_manifest_entry *entry)
{
    weir_buffer_clear(&all->key);
    weir_buffer_append(&all->key, &entry->bucket, sizeof entry->bucket);
    weir_buffer_append(&all->key, entry->partition.data, entry->partition.size);
    draft *found = weir_map_get(&all->map, weir_buffer_slice(&all->key));
    if (found == NULL) {
        found = weir_alloc_zeroed(1, sizeof *found);
        found->partition = entry->partition;
        found->bucket = entry->bucket;
        found->old = weir_map_get(&self->buckets, weir_buffer_slice(&all->key));
        for (size_t i = 0; found->old != NULL && i < found->old->file_count; i++) {
            weir_file_list_append(&found->files, found->old->files[i]);
        }
        weir_map_put(&all->map, weir_buffer_slice(&all->key), found);
    }
    return found;
}

/* A file that moves to another level goes from one and comes to the other. */
static void remove_file(weir_file_list *files, const weir_data_file *gone)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->files[i]->level == gone->level && strcmp(files->files[i]->name, gone->name) == 0) {
            files->files[i] = files->files[--files->count];
            return;
        }
    }
}

static int take_entries(const weir_lookup_buckets *self, const weir_manifest_entries *entries, drafts *all,
                        weir_error *err)
{
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *entry = &entries->items[i];
        draft *of = find_draft(self, all, entry);
        if (entry->kind == WEIR_FILE_DELETE) {
            remove_file(&of->files, entry->file);
        } else {
            WEIR_TRY(check_bucket_count(self, entry, err));
            weir_file_list_append(&of->files, entry->file);
        }
    }
    return WEIR_OK;
}

/* Puts arranged drafts in the place of the buckets that they change. */
static int settle(weir_lookup_buckets *self, drafts *all, weir_error *err)
{
    weir_lookup_bucket **made = weir_alloc_zeroed(all->map.entry_count + 1, sizeof *made);
    int code = WEIR_OK;
    for (size_t i = 0; i < all->map.entry_count && code == WEIR_OK; i++) {
        code = make_bucket(self, all->map.entries[i].value, &made[i], err);
    }
    for (size_t i = 0; i < all->map.entry_count; i++) {
        const draft *one = all->map.entries[i].value;
        if (code == WEIR_OK) {
            weir_map_put(&self->buckets, all->map.entries[i].key, made[i]);
            free_bucket(self, one->old); /* after the new one has taken its slots */
        } else {
            free_bucket(self, made[i]);
        }
    }
    free(made);
    return code;
}

/* ---- snapshots ---- */

/* From now on the files are those of this snapshot. */
static void remember(weir_lookup_buckets *self, const weir_snapshot *snapshot)
{
    self->snapshot_id = snapshot->id;
    free(self->delta_list);
    self->delta_list = weir_strdup(snapshot->delta_manifest_list);
}

static int read_changes(const weir_lookup_buckets *self, const weir_snapshot *snapshot, weir_arena *arena,
                        weir_manifest_entries *out, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_manifest_files manifests = {0};
    int code =
        weir_manifest_list_read(context->fs, &context->paths, snapshot->delta_manifest_list, arena, &manifests, err);
    for (size_t i = 0; i < manifests.count && code == WEIR_OK; i++) {
        code = weir_manifest_read(context->fs, &context->paths, manifests.items[i].name, &filter, arena, out, err);
    }
    weir_manifest_files_free(&manifests);
    return code;
}

static int follow(weir_lookup_buckets *self, int64_t latest, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    drafts all = {0};
    int code = WEIR_OK;
    weir_arena_init(&arena);
    for (int64_t id = self->snapshot_id + 1; id <= latest && code == WEIR_OK; id++) {
        weir_manifest_entries entries = {0};
        code = weir_snapshot_read(context->fs, context->paths.root, id, &arena, &snapshot, err);
        code = code == WEIR_OK ? read_changes(self, snapshot, &arena, &entries, err) : code;
        code = code == WEIR_OK ? take_entries(self, &entries, &all, err) : code;
        weir_manifest_entries_free(&entries);
    }
    code = code == WEIR_OK ? settle(self, &all, err) : code;
    if (code == WEIR_OK) {
        remember(self, snapshot);
    }
    free_drafts(&all);
    weir_arena_free(&arena);
    return code;
}

static int read_whole(weir_lookup_buckets *self, int64_t latest, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_manifest_entries entries = {0};
    drafts all = {0};
    weir_map before = self->buckets;
    self->buckets = (weir_map){0};
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(weir_snapshot_read(context->fs, context->paths.root, latest, &arena, &snapshot, err));
    WEIR_GO(weir_snapshot_files(context->fs, &context->paths, context->schema, snapshot, &filter, context->pool, &arena,
                                &entries, err));
    WEIR_GO(take_entries(self, &entries, &all, err));
    WEIR_GO(settle(self, &all, err));
    remember(self, snapshot);
done:
    if (code == WEIR_OK) {
        free_map(self, &before); /* after the new ones have taken their slots */
    } else {
        free_map(self, &self->buckets);
        self->buckets = before;
    }
    free_drafts(&all);
    weir_manifest_entries_free(&entries);
    weir_arena_free(&arena);
    return code;
}

/* Whether later snapshots stand on the one whose files are known: after a rollback others have its number. */
static bool goes_on(const weir_lookup_buckets *self, int64_t latest)
{
    if (self->snapshot_id == 0 || latest < self->snapshot_id || latest - self->snapshot_id > MOST_SNAPSHOTS) {
        return false;
    }
    const weir_table_context *context = &self->table->context;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    bool same =
        weir_snapshot_read(context->fs, context->paths.root, self->snapshot_id, &arena, &snapshot, NULL) == WEIR_OK &&
        strcmp(snapshot->delta_manifest_list, self->delta_list) == 0;
    weir_arena_free(&arena);
    return same;
}

int weir_lookup_buckets_refresh(weir_lookup_buckets *self, int64_t latest, weir_error *err)
{
    if (latest == self->snapshot_id) {
        return WEIR_OK;
    }
    int code = goes_on(self, latest) ? follow(self, latest, err) : WEIR_NOT_FOUND;
    if (code == WEIR_NOT_FOUND) { /* snapshots between are gone, or it went back */
        weir_error_clear(err);
        code = read_whole(self, latest, err);
    }
    return code;
}
