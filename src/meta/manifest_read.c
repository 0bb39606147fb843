/* Reading manifests and manifest lists, and all live files of a snapshot. */
#include <stdlib.h>

#include "base/pool.h"
#include "format/avro/avro.h"
#include "meta/manifest_record.h"

/* Manifests are Avro whatever their names say, but for tables with manifest.format = orc. */
static int check_format(weir_slice bytes, const char *path, weir_error *err)
{
    if (bytes.size >= 3 && memcmp(bytes.data, "ORC", 3) == 0) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: an ORC manifest (option 'manifest.format' = 'orc'); only 'avro' is "
                         "supported",
                         path);
    }
    return WEIR_OK;
}

/* Appends the records of a file to `out`, a batch of the given fields. */
static int read_records(weir_fs *fs, const char *path, const weir_field *fields, int32_t field_count, weir_batch *out,
                        weir_error *err)
{
    weir_buffer bytes = {0};
    int code;
    WEIR_GO(weir_fs_read_all(fs, path, &bytes, err));
    WEIR_GO(check_format(weir_buffer_slice(&bytes), path, err));
    WEIR_GO(weir_avro_read_all(weir_buffer_slice(&bytes), path, fields, field_count, out, err));
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
    int code = read_records(fs, path, weir_list_fields, WEIR_LIST_COLUMNS, &batch, err);
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

int weir_manifest_read(weir_fs *fs, const weir_table_paths *paths, const char *name, const weir_manifest_filter *filter,
                       weir_arena *arena, weir_manifest_entries *out, weir_error *err)
{
    const weir_field *fields = fields_for(filter);
    const char *path = weir_manifest_path(arena, paths, name);
    weir_batch batch;
    weir_batch_init(&batch, fields, WEIR_ENTRY_COLUMNS);
    int code = read_records(fs, path, fields, WEIR_ENTRY_COLUMNS, &batch, err);
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
    const weir_field *fields;
    weir_batch batch;
} manifest_task;

static int run_task(void *argument, weir_error *err)
{
    manifest_task *task = argument;
    return read_records(task->fs, task->path, task->fields, WEIR_ENTRY_COLUMNS, &task->batch, err);
}

/* Whether a manifest may hold entries that the filter lets pass, by its description. */
static bool may_pass(const weir_manifest_file *manifest, const weir_manifest_filter *filter)
{
    if (filter == NULL) {
        return true;
    }
    if (filter->bucket >= 0 && manifest->has_buckets &&
        (filter->bucket < manifest->min_bucket || filter->bucket > manifest->max_bucket)) {
        return false;
    }
    return filter->min_level < 0 || !manifest->has_levels || manifest->max_level >= filter->min_level;
}

/* Reads and decodes in parallel; the entries are then made one manifest after the other, because the arena belongs to
 * one thread and their order counts. */
static int read_entries(weir_fs *fs, const weir_table_paths *paths, const weir_manifest_files *manifests,
                        const weir_manifest_filter *filter, weir_pool *pool, weir_arena *arena,
                        weir_manifest_entries *out, weir_error *err)
{
    manifest_task *tasks = weir_alloc_zeroed(manifests->count, sizeof *tasks);
    size_t count = 0;
    weir_task_group group;
    weir_task_group_init(&group, pool);
    for (size_t i = 0; i < manifests->count; i++) {
        if (!may_pass(&manifests->items[i], filter)) {
            continue;
        }
        manifest_task *task = &tasks[count++];
        task->fs = fs;
        task->path = weir_manifest_path(arena, paths, manifests->items[i].name);
        task->fields = fields_for(filter);
        weir_batch_init(&task->batch, task->fields, WEIR_ENTRY_COLUMNS);
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

int weir_snapshot_files(weir_fs *fs, const weir_table_paths *paths, const weir_schema *schema,
                        const weir_snapshot *snapshot, const weir_manifest_filter *filter, struct weir_pool *pool,
                        weir_arena *arena, weir_manifest_entries *out, weir_error *err)
{
    (void)schema; /* entries are self-contained; a filter on partitions has the schema in its context */
    weir_manifest_files manifests = {0};
    weir_manifest_entries entries = {0};
    int code;
    WEIR_GO(weir_manifest_list_read(fs, paths, snapshot->base_manifest_list, arena, &manifests, err));
    WEIR_GO(weir_manifest_list_read(fs, paths, snapshot->delta_manifest_list, arena, &manifests, err));
    WEIR_GO(read_entries(fs, paths, &manifests, filter, pool, arena, &entries, err));
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
