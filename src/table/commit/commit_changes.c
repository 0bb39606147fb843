/* From commit messages to manifest entries, and the check for conflicts (org.apache.paimon.operation.commit
 * .ConflictDetection). */
#include "table/commit/commit_changes.h"

#include <stdlib.h>

#include "base/map.h"
#include "lsm/levels.h"
#include "merge/sorted_run.h"
#include "meta/partition.h"
#include "table/commit/own_snapshots.h"
#include "vector/compare.h"

void weir_commit_changes_free(weir_commit_changes *changes)
{
    weir_manifest_entries_free(&changes->files);
    weir_manifest_entries_free(&changes->changelog);
    weir_index_entries_free(&changes->indexes);
    weir_index_entries_free(&changes->relied);
    free(changes->seen);
    changes->seen = NULL;
    changes->seen_count = changes->seen_capacity = 0;
}

void weir_commit_changes_add_seen(weir_commit_changes *changes, weir_seen_levels seen)
{
    WEIR_GROW(changes->seen, changes->seen_capacity, changes->seen_count + 1);
    changes->seen[changes->seen_count++] = seen;
}

static weir_slice copy_slice(weir_arena *arena, weir_slice slice)
{
    return weir_slice_of(weir_arena_copy(arena, slice.data, slice.size), slice.size);
}

void weir_commit_changes_copy_files(const weir_manifest_entries *from, weir_arena *arena, weir_manifest_entries *out)
{
    for (size_t i = 0; i < from->count; i++) {
        weir_manifest_entry entry = from->items[i];
        if (arena != NULL) {
            entry.file = weir_data_file_copy(arena, entry.file);
            entry.partition = copy_slice(arena, entry.partition);
        }
        weir_manifest_entries_append(out, entry);
    }
}

void weir_commit_changes_copy_indexes(const weir_index_entries *from, weir_arena *arena, weir_index_entries *out)
{
    for (size_t i = 0; i < from->count; i++) {
        weir_index_entry entry = from->items[i];
        if (arena != NULL) {
            entry.file = weir_index_file_copy(arena, entry.file);
            entry.partition = copy_slice(arena, entry.partition);
        }
        weir_index_entries_append(out, entry);
    }
}

void weir_commit_changes_copy(const weir_commit_changes *from, weir_arena *arena, weir_commit_changes *out)
{
    out->kind = from->kind;
    out->places_keys = from->places_keys;
    out->keys_as_of = from->keys_as_of;
    weir_commit_changes_copy_files(&from->files, arena, &out->files);
    weir_commit_changes_copy_files(&from->changelog, arena, &out->changelog);
    weir_commit_changes_copy_indexes(&from->indexes, arena, &out->indexes);
    weir_commit_changes_copy_indexes(&from->relied, arena, &out->relied);
}

static void add_entries(weir_manifest_entries *out, weir_file_kind kind, const weir_commit_message *message,
                        const weir_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        weir_manifest_entries_append(out, (weir_manifest_entry){
                                              .kind = kind,
                                              .partition = message->partition,
                                              .bucket = message->bucket,
                                              .total_buckets = message->total_buckets,
                                              .file = list->files[i],
                                          });
    }
}

static void add_indexes(weir_index_entries *out, weir_file_kind kind, const weir_commit_message *message,
                        const weir_index_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        weir_index_entries_append(
            out, (weir_index_entry){
                     .kind = kind, .partition = message->partition, .bucket = message->bucket, .file = list->files[i]});
    }
}

/* Whether rows that were there are gone: deleted by name of their file, or by their place in it. */
static bool deletes_rows(const weir_commit_message *message)
{
    const weir_index_list *indexes = &message->new_index_files;
    for (size_t i = 0; i < indexes->count; i++) {
        if (strcmp(indexes->files[i]->type, WEIR_DELETION_VECTORS_INDEX) == 0) {
            return true;
        }
    }
    return message->deleted_files.count > 0;
}

void weir_commit_changes_append(const weir_commit_messages *messages, weir_commit_changes *out)
{
    *out = (weir_commit_changes){.kind = WEIR_COMMIT_APPEND};
    for (size_t i = 0; i < messages->count; i++) {
        const weir_commit_message *message = &messages->items[i];
        add_entries(&out->files, WEIR_FILE_ADD, message, &message->new_files);
        add_entries(&out->files, WEIR_FILE_DELETE, message, &message->deleted_files);
        add_entries(&out->changelog, WEIR_FILE_ADD, message, &message->changelog_files);
        add_indexes(&out->indexes, WEIR_FILE_DELETE, message, &message->deleted_index_files);
        add_indexes(&out->indexes, WEIR_FILE_ADD, message, &message->new_index_files);
        add_indexes(&out->relied, WEIR_FILE_ADD, message, &message->relied_index_files);
        if (deletes_rows(message)) {
            out->kind = WEIR_COMMIT_OVERWRITE;
        }
        if (message->places_keys && (!out->places_keys || message->keys_as_of < out->keys_as_of)) {
            out->places_keys = true;
            out->keys_as_of = message->keys_as_of;
        }
    }
}

void weir_commit_changes_compact(const weir_commit_messages *messages, weir_commit_changes *out)
{
    *out = (weir_commit_changes){.kind = WEIR_COMMIT_COMPACT};
    for (size_t i = 0; i < messages->count; i++) {
        const weir_commit_message *message = &messages->items[i];
        add_entries(&out->files, WEIR_FILE_DELETE, message, &message->compact_before);
        add_entries(&out->files, WEIR_FILE_ADD, message, &message->compact_after);
        add_entries(&out->changelog, WEIR_FILE_ADD, message, &message->compact_changelog_files);
        add_indexes(&out->indexes, WEIR_FILE_DELETE, message, &message->compact_deleted_index_files);
        add_indexes(&out->indexes, WEIR_FILE_ADD, message, &message->compact_new_index_files);
        if (message->seen_levels != 0 && message->compact_before.count + message->compact_after.count > 0) {
            weir_commit_changes_add_seen(
                out, (weir_seen_levels){message->partition, message->bucket, message->seen_levels});
        }
    }
}

void weir_commit_changes_remove_files(const weir_table *table, const weir_commit_changes *changes)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_map moved = {0};
    for (size_t i = 0; i < changes->files.count; i++) {
        if (changes->files.items[i].kind == WEIR_FILE_DELETE) {
            weir_map_put(&moved, weir_slice_text(changes->files.items[i].file->name), &moved);
        }
    }
    const weir_manifest_entries *lists[2] = {&changes->files, &changes->changelog};
    for (int l = 0; l < 2; l++) {
        for (size_t i = 0; i < lists[l]->count; i++) {
            const weir_manifest_entry *entry = &lists[l]->items[i];
            const char *bucket_path = NULL;
            if (entry->kind == WEIR_FILE_ADD && weir_map_get(&moved, weir_slice_text(entry->file->name)) == NULL &&
                weir_bucket_path(&arena, &table->context.paths, table->schema, entry->partition, entry->bucket,
                                 &bucket_path, NULL) == WEIR_OK) {
                weir_table_context_remove_file(&table->context, bucket_path, entry->file);
            }
        }
    }
    for (size_t i = 0; i < changes->indexes.count; i++) {
        const weir_index_entry *entry = &changes->indexes.items[i];
        const char *path = NULL;
        if (entry->kind == WEIR_FILE_ADD &&
            weir_index_file_path(&arena, &table->context.paths, table->schema, entry, &path, NULL) == WEIR_OK) {
            weir_fs_remove(table->context.fs, path, NULL);
        }
    }
    weir_map_free(&moved);
    weir_arena_free(&arena);
}

void weir_commit_changes_remove_files_of(const weir_table *table, const weir_commit_messages *messages)
{
    weir_commit_changes append, compact;
    weir_commit_changes_append(messages, &append);
    weir_commit_changes_compact(messages, &compact);
    /* A new file that was moved up is removed with the APPEND half. */
    weir_commit_changes_remove_files(table, &compact);
    weir_commit_changes_remove_files(table, &append);
    weir_commit_changes_free(&append);
    weir_commit_changes_free(&compact);
}

/* The partitions that some changes touch, serialized: each with an entry that lies there. */
typedef struct touched_partitions {
    const weir_schema *schema;
    weir_map map;
} touched_partitions;

static bool is_touched(void *context, weir_slice partition)
{
    const touched_partitions *touched = context;
    return weir_map_get(&touched->map, partition) != NULL;
}

static bool lies_in(const weir_schema *schema, const weir_literal *values, const weir_column_stats *bounds)
{
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        const weir_type *type = schema->fields[schema->partition_columns[i]].type;
        bool fits = values[i].is_null
                        ? bounds[i].null_count != 0
                        : !bounds[i].has_min_max || (weir_literal_compare(type, &values[i], &bounds[i].min) >= 0 &&
                                                     weir_literal_compare(type, &values[i], &bounds[i].max) <= 0);
        if (!fits) {
            return false;
        }
    }
    return true;
}

/* Whether one of the touched partitions lies in the bounds of a manifest. */
static bool manifest_is_touched(void *context, const weir_column_stats *bounds)
{
    const touched_partitions *touched = context;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_literal *values = WEIR_NEW_ARRAY(&arena, weir_literal, touched->schema->partition_key_count);
    bool found = false;
    for (size_t i = 0; i < touched->map.entry_count && !found; i++) {
        found = weir_partition_decode(touched->schema, touched->map.entries[i].key, &arena, values, NULL) != WEIR_OK ||
                lies_in(touched->schema, values, bounds);
    }
    weir_arena_free(&arena);
    return found;
}

static bool needs_current_files(const weir_commit_changes *changes)
{
    for (size_t i = 0; i < changes->files.count; i++) {
        if (changes->files.items[i].kind == WEIR_FILE_DELETE || changes->files.items[i].file->level > 0) {
            return true;
        }
    }
    return false;
}

static weir_slice bucket_key(weir_buffer *scratch, weir_slice partition, int32_t bucket)
{
    weir_buffer_clear(scratch);
    weir_buffer_append(scratch, &bucket, sizeof bucket);
    weir_buffer_append(scratch, partition.data, partition.size);
    return weir_buffer_slice(scratch);
}

/* Whether each bucket still has the levels that its compaction has seen. `all` are the table's current files. */
static int check_seen(const weir_table *table, const weir_manifest_entries *all, const weir_commit_changes *changes,
                      weir_error *err)
{
    int code = WEIR_OK;
    weir_map current = {0}; /* bucket → its fingerprint */
    weir_buffer key = {0};
    uint64_t *fingerprints = weir_alloc(sizeof *fingerprints * (changes->seen_count + 1));
    for (size_t i = 0; i < changes->seen_count; i++) {
        fingerprints[i] = WEIR_LEVELS_EMPTY;
        weir_map_put(&current, bucket_key(&key, changes->seen[i].partition, changes->seen[i].bucket), &fingerprints[i]);
    }
    for (size_t i = 0; i < all->count && changes->seen_count > 0; i++) {
        const weir_manifest_entry *entry = &all->items[i];
        uint64_t *fingerprint = weir_map_get(&current, bucket_key(&key, entry->partition, entry->bucket));
        if (fingerprint != NULL) {
            *fingerprint = weir_levels_add_file(*fingerprint, entry->file);
        }
    }
    for (size_t i = 0; i < changes->seen_count && code == WEIR_OK; i++) {
        const weir_seen_levels *seen = &changes->seen[i];
        const uint64_t *fingerprint = weir_map_get(&current, bucket_key(&key, seen->partition, seen->bucket));
        if (*fingerprint != seen->fingerprint) {
            code = weir_fail(err, WEIR_CONFLICT,
                             "%s: another job has compacted bucket %d while the changes of its rows were worked out",
                             table->path, seen->bucket);
        }
    }
    free(fingerprints);
    weir_buffer_free(&key);
    weir_map_free(&current);
    return code;
}

static int check_deletes(const weir_table *table, weir_manifest_entries *all, weir_error *err)
{
    weir_error reason = {0};
    if (weir_manifest_entries_fold(all, false, &reason) != WEIR_OK) {
        return weir_fail(err, WEIR_CONFLICT,
                         "%s: a file that this commit removes is not in the table any more (%s); another job has "
                         "compacted or overwritten it",
                         table->path, reason.message);
    }
    return WEIR_OK;
}

static int compare_by_place(const void *a, const void *b, void *context)
{
    const weir_manifest_entry *first = a, *second = b;
    int order = weir_slice_compare(first->partition, second->partition);
    if (order == 0) {
        order = (first->bucket > second->bucket) - (first->bucket < second->bucket);
    }
    if (order == 0) {
        order = (first->file->level > second->file->level) - (first->file->level < second->file->level);
    }
    if (order == 0 && first->file->level > 0) {
        order = weir_key_compare(context, first->file->min_key, second->file->min_key);
    }
    return order;
}

static int check_bucket_counts(const weir_table *table, const weir_manifest_entries *all,
                               const touched_partitions *touched, weir_error *err)
{
    for (size_t i = 0; i < all->count; i++) {
        const weir_manifest_entry *entry = &all->items[i], *change = weir_map_get(&touched->map, entry->partition);
        bool is_fixed = entry->total_buckets > 0 && change != NULL && change->total_buckets > 0;
        if (is_fixed && entry->total_buckets != change->total_buckets) {
            return weir_fail(err, WEIR_CONFLICT,
                             "%s: a partition has files written with %d buckets and with %d; rewrite it with INSERT "
                             "OVERWRITE",
                             table->path, entry->total_buckets, change->total_buckets);
        }
    }
    return WEIR_OK;
}

/* Leaves of the folded entries those in buckets to which a file above level 0 is added. */
static void keep_changed_buckets(const weir_commit_changes *changes, weir_manifest_entries *all)
{
    weir_map changed = {0};
    weir_buffer key = {0};
    size_t kept = 0;
    for (size_t i = 0; i < changes->files.count + all->count; i++) {
        bool is_change = i < changes->files.count;
        const weir_manifest_entry *entry = is_change ? &changes->files.items[i] : &all->items[i - changes->files.count];
        weir_slice place = bucket_key(&key, entry->partition, entry->bucket);
        if (!is_change && weir_map_get(&changed, place) != NULL) {
            all->items[kept++] = *entry;
        } else if (is_change && entry->kind == WEIR_FILE_ADD && entry->file->level > 0) {
            weir_map_put(&changed, place, &changed);
        }
    }
    all->count = kept;
    weir_map_free(&changed);
    weir_buffer_free(&key);
}

/* Sorts entries by place: neighbours of one level must not overlap. */
static int check_neighbours(const weir_table *table, weir_manifest_entries *all, weir_error *err)
{
    if (all->count < 2) {
        return WEIR_OK;
    }
    qsort_r(all->items, all->count, sizeof *all->items, compare_by_place, (void *)table->schema);
    for (size_t i = 1; i < all->count; i++) {
        const weir_manifest_entry *left = &all->items[i - 1], *right = &all->items[i];
        bool same_level = weir_slice_equal(left->partition, right->partition) && left->bucket == right->bucket &&
                          left->file->level == right->file->level;
        if (same_level && right->file->level > 0 &&
            weir_key_compare(table->schema, left->file->max_key, right->file->min_key) >= 0) {
            return weir_fail(
                err, WEIR_CONFLICT,
                "%s: %s and %s would overlap in level %d of bucket %d; another job compacts the same table",
                table->path, left->file->name, right->file->name, right->file->level, right->bucket);
        }
    }
    return WEIR_OK;
}

int weir_commit_changes_check(const weir_table *table, const char *commit_user, const weir_snapshot *latest,
                              const weir_commit_changes *changes, weir_error *err)
{
    int64_t known = changes->keys_as_of;
    if (changes->places_keys) {
        WEIR_TRY(weir_own_snapshots_check_keys(table, commit_user, latest != NULL ? latest->id : 0, &known, err));
    }
    if (!needs_current_files(changes)) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    touched_partitions touched = {.schema = table->schema};
    weir_manifest_entries all = {0};
    int code = WEIR_OK;
    for (size_t i = 0; i < changes->files.count; i++) {
        weir_map_put(&touched.map, changes->files.items[i].partition, &changes->files.items[i]);
    }
    weir_manifest_filter filter = {
        .bucket = -1,
        .min_level = -1,
        .partition_matches = is_touched,
        .manifest_matches = manifest_is_touched,
        .partition_context = &touched,
        .without_stats = true,
    };
    if (latest != NULL) {
        WEIR_GO(weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, latest, &filter,
                                    table->context.pool, &arena, &all, err));
    }
    WEIR_GO(check_seen(table, &all, changes, err));
    for (size_t i = 0; i < changes->files.count; i++) {
        weir_manifest_entries_append(&all, changes->files.items[i]);
    }
    WEIR_GO(check_deletes(table, &all, err));
    if (changes->kind != WEIR_COMMIT_OVERWRITE) {
        WEIR_GO(check_bucket_counts(table, &all, &touched, err));
    }
    keep_changed_buckets(changes, &all);
    WEIR_GO(check_neighbours(table, &all, err));
done:
    weir_manifest_entries_free(&all);
    weir_map_free(&touched.map);
    weir_arena_free(&arena);
    return code;
}
