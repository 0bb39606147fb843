/* Reading manifests and manifest lists, and all live files of a snapshot. */
#include <stdlib.h>

#include "base/pool.h"
#include "format/orc/orc.h"
#include "meta/manifest_record.h"
#include "meta/partition.h"

/* The bytes tell the format, whatever names and options say. Of ORC manifests no record is left out: a choice saves
 * work, nothing else. */
int weir_manifest_records_read(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                               const weir_avro_choice *choice, weir_batch *out, weir_error *err)
{
    if (bytes.size >= 3 && memcmp(bytes.data, "ORC", 3) == 0) {
        return weir_orc_read_all(bytes, path, fields, field_count, out, err);
    }
    return weir_avro_read_chosen(bytes, path, fields, field_count, choice, out, err);
}

/* Appends the records of a file that `choice` keeps (NULL: all) to `out`, a batch of the given fields. */
static int read_records(weir_fs *fs, const char *path, const weir_field *fields, int32_t field_count,
                        const weir_avro_choice *choice, weir_batch *out, weir_error *err)
{
    weir_buffer bytes = {0};
    int code;
    WEIR_GO(weir_fs_read_unchanging(fs, path, &bytes, err));
    WEIR_GO(weir_manifest_records_read(weir_buffer_slice(&bytes), path, fields, field_count, choice, out, err));
done:
    weir_buffer_free(&bytes);
    return code;
}

int weir_manifest_list_read(weir_fs *fs, const weir_table_paths *paths, const char *name, weir_arena *arena,
                            weir_manifest_files *out, weir_error *err)
{
    const char *path = weir_manifest_path(arena, paths, name);
    weir_batch batch;
    weir_batch_init(&batch, weir_list_fields, WEIR_LIST_COLUMNS);
    int code = read_records(fs, path, weir_list_fields, WEIR_LIST_COLUMNS, NULL, &batch, err);
    if (code == WEIR_OK) {
        code = weir_manifest_files_from_batch(&batch, path, arena, out, err);
    }
    weir_batch_free(&batch);
    return code;
}

static const weir_field *fields_for(const weir_manifest_filter *filter)
{
    return weir_entry_fields_to_read(filter != NULL && filter->without_stats);
}

/* The choice among entries by what stands before their files. The answer for the last partition is kept, since
 * neighbours are mostly of one. */
typedef struct entry_choice {
    const weir_manifest_filter *filter;
    weir_buffer last_partition;
    bool has_last;
    bool last_matches;
} entry_choice;

static bool partition_passes(entry_choice *choice, weir_slice partition)
{
    const weir_manifest_filter *filter = choice->filter;
    if (filter->partition_matches == NULL) {
        return true;
    }
    if (!choice->has_last || !weir_slice_equal(weir_buffer_slice(&choice->last_partition), partition)) {
        choice->has_last = true;
        choice->last_matches = filter->partition_matches(filter->partition_context, partition);
        weir_buffer_clear(&choice->last_partition);
        weir_buffer_append(&choice->last_partition, partition.data, partition.size);
    }
    return choice->last_matches;
}

/* Entries of an unknown version are kept for weir_entries_from_batch to refuse. */
static bool keeps_entry(void *context, const weir_vector *columns, int64_t row)
{
    entry_choice *choice = context;
    const int32_t *versions = WEIR_VALUES(&columns[WEIR_ENTRY_VERSION], int32_t);
    const int32_t *buckets = WEIR_VALUES(&columns[WEIR_ENTRY_BUCKET], int32_t);
    const int32_t *totals = WEIR_VALUES(&columns[WEIR_ENTRY_TOTAL_BUCKETS], int32_t);
    if (versions[row] != WEIR_MANIFEST_VERSION) {
        return true;
    }
    return weir_manifest_filter_bucket_passes(choice->filter, buckets[row], totals[row]) &&
           partition_passes(choice, weir_vector_bytes(&columns[WEIR_ENTRY_PARTITION], row));
}

/* Decodes a manifest into a batch of the filter's fields, without most of what the filter leaves out. */
static int read_entry_records(weir_fs *fs, const char *path, const weir_manifest_filter *filter, weir_batch *out,
                              weir_error *err)
{
    entry_choice context = {.filter = filter};
    weir_avro_choice choice = {.leading = WEIR_ENTRY_FILE, .keeps = keeps_entry, .context = &context};
    bool chooses = filter != NULL && (filter->bucket >= 0 || filter->partition_matches != NULL);
    int code = read_records(fs, path, fields_for(filter), WEIR_ENTRY_COLUMNS, chooses ? &choice : NULL, out, err);
    weir_buffer_free(&context.last_partition);
    return code;
}

int weir_manifest_read(weir_fs *fs, const weir_table_paths *paths, const char *name, const weir_manifest_filter *filter,
                       weir_arena *arena, weir_manifest_entries *out, weir_error *err)
{
    const char *path = weir_manifest_path(arena, paths, name);
    weir_batch batch;
    weir_batch_init(&batch, fields_for(filter), WEIR_ENTRY_COLUMNS);
    int code = read_entry_records(fs, path, filter, &batch, err);
    if (code == WEIR_OK) {
        code = weir_entries_from_batch(&batch, filter, path, arena, out, err);
    }
    weir_batch_free(&batch);
    return code;
}

/* ---- the files of a snapshot ---- */

/* One manifest on its way into a batch, in a thread of the pool. */
typedef struct manifest_task {
    weir_fs *fs;
    const char *path;
    const weir_manifest_filter *filter;
    weir_batch batch;
} manifest_task;

static int run_task(void *argument, weir_error *err)
{
    manifest_task *task = argument;
    return read_entry_records(task->fs, task->path, task->filter, &task->batch, err);
}

static bool decode_bounds(const weir_schema *schema, const weir_manifest_file *manifest, weir_arena *arena,
                          weir_column_stats *out)
{
    const weir_stats_row *stats = &manifest->partition_stats;
    int32_t count = schema->partition_key_count;
    weir_literal *min = WEIR_NEW_ARRAY(arena, weir_literal, count);
    weir_literal *max = WEIR_NEW_ARRAY(arena, weir_literal, count);
    if (weir_partition_decode(schema, stats->min_values, arena, min, NULL) != WEIR_OK ||
        weir_partition_decode(schema, stats->max_values, arena, max, NULL) != WEIR_OK) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        out[i] = (weir_column_stats){
            .has_min_max = !min[i].is_null && !max[i].is_null,
            .min = min[i],
            .max = max[i],
            .null_count = i < stats->null_count_length ? stats->null_counts[i] : -1,
            .row_count = manifest->added_files + manifest->deleted_files,
        };
    }
    return true;
}

/* Bounds that cannot be decoded leave nothing out: reading the manifest tells what is wrong, if anything is. */
static bool partitions_may_pass(const weir_schema *schema, const weir_manifest_file *manifest,
                                const weir_manifest_filter *filter)
{
    if (filter->manifest_matches == NULL || schema->partition_key_count == 0) {
        return true;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_column_stats *bounds = WEIR_NEW_ARRAY(&arena, weir_column_stats, schema->partition_key_count);
    bool passes =
        !decode_bounds(schema, manifest, &arena, bounds) || filter->manifest_matches(filter->partition_context, bounds);
    weir_arena_free(&arena);
    return passes;
}

/* Whether a manifest may hold entries that the filter lets pass, by its description. */
static bool may_pass(const weir_schema *schema, const weir_manifest_file *manifest, const weir_manifest_filter *filter)
{
    if (filter == NULL) {
        return true;
    }
    if (filter->bucket >= 0 && filter->total_buckets == 0 && manifest->has_buckets &&
        (filter->bucket < manifest->min_bucket || filter->bucket > manifest->max_bucket)) {
        return false;
    }
    if (filter->min_level >= 0 && manifest->has_levels && manifest->max_level < filter->min_level) {
        return false;
    }
    return partitions_may_pass(schema, manifest, filter);
}

/* Reads and decodes in parallel; the entries are then made one manifest after the other, because the arena belongs to
 * one thread and their order counts. */
static int read_entries(weir_fs *fs, const weir_table_paths *paths, const weir_schema *schema,
                        const weir_manifest_files *manifests, const weir_manifest_filter *filter, weir_pool *pool,
                        weir_arena *arena, weir_manifest_entries *out, weir_error *err)
{
    manifest_task *tasks = weir_alloc_zeroed(manifests->count, sizeof *tasks);
    size_t count = 0;
    weir_task_group group;
    weir_task_group_init(&group, pool);
    for (size_t i = 0; i < manifests->count; i++) {
        if (!may_pass(schema, &manifests->items[i], filter)) {
            continue;
        }
        if (filter != NULL && filter->counts != NULL) {
            filter->counts->manifests_read++;
        }
        manifest_task *task = &tasks[count++];
        task->fs = fs;
        task->path = weir_manifest_path(arena, paths, manifests->items[i].name);
        task->filter = filter;
        weir_batch_init(&task->batch, fields_for(filter), WEIR_ENTRY_COLUMNS);
        weir_task_group_run(&group, run_task, task);
    }
    int code = weir_task_group_wait(&group, err);
    for (size_t i = 0; i < count; i++) {
        if (code == WEIR_OK) {
            code = weir_entries_from_batch(&tasks[i].batch, filter, tasks[i].path, arena, out, err);
        }
        weir_batch_free(&tasks[i].batch);
    }
    weir_task_group_free(&group);
    free(tasks);
    return code;
}

static void count_files(const weir_manifest_files *manifests, weir_manifest_counts *counts)
{
    counts->manifests += (int64_t)manifests->count;
    for (size_t i = 0; i < manifests->count; i++) {
        counts->files += manifests->items[i].added_files - manifests->items[i].deleted_files;
    }
}

int weir_snapshot_files(weir_fs *fs, const weir_table_paths *paths, const weir_schema *schema,
                        const weir_snapshot *snapshot, const weir_manifest_filter *filter, struct weir_pool *pool,
                        weir_arena *arena, weir_manifest_entries *out, weir_error *err)
{
    weir_manifest_files manifests = {0};
    weir_manifest_entries entries = {0};
    int code;
    WEIR_GO(weir_manifest_list_read(fs, paths, snapshot->base_manifest_list, arena, &manifests, err));
    WEIR_GO(weir_manifest_list_read(fs, paths, snapshot->delta_manifest_list, arena, &manifests, err));
    if (filter != NULL && filter->counts != NULL) {
        count_files(&manifests, filter->counts);
    }
    WEIR_GO(read_entries(fs, paths, schema, &manifests, filter, pool, arena, &entries, err));
    WEIR_GO(weir_manifest_entries_fold(&entries, false, err));
    for (size_t i = 0; i < entries.count; i++) {
        weir_manifest_entries_append(out, entries.items[i]);
    }
done:
    if (code != WEIR_OK) {
        weir_error_context(err, code, "reading the files of snapshot %" PRId64, snapshot->id);
    }
    weir_manifest_entries_free(&entries);
    weir_manifest_files_free(&manifests);
    return code;
}
