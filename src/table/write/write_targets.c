/* The writers of the partitions and buckets that a table's writer has to do with: opened on the files of the latest
 * snapshot when the first row comes, and told when somebody else has changed those. */
#include <stdlib.h>

#include "table/commit/own_snapshots.h"
#include "table/write/postponed.h"
#include "table/write/table_write_internal.h"

void weir_write_target_measure(weir_table_write *write, weir_write_target *target)
{
    int64_t bytes = target->writer->ops->memory_bytes(target->writer);
    write->memory_bytes += bytes - target->memory_bytes;
    target->memory_bytes = bytes;
}

void weir_write_key_set(weir_table_write *write, weir_slice partition, int32_t bucket)
{
    weir_buffer_clear(&write->key);
    weir_buffer_append(&write->key, &bucket, sizeof bucket);
    weir_buffer_append(&write->key, partition.data, partition.size);
}

void weir_write_target_close(weir_table_write *write, weir_write_target *target)
{
    write->memory_bytes -= target->memory_bytes;
    target->writer->ops->close(target->writer);
    weir_write_key_set(write, target->partition, target->bucket);
    weir_map_remove(&write->targets, weir_buffer_slice(&write->key));
    free((void *)target->partition.data);
    free(target->rows);
    free(target);
}

/* A writer that compacts writes what it reads with its own schema: columns that were added since would be lost. */
static int check_schemas(const weir_table_write *write, const weir_file_list *files, weir_error *err)
{
    const weir_table *table = write->table;
    bool compacts = !write->write_only && (weir_table_has_primary_key(table) || write->bucket_count > 0);
    for (size_t i = 0; i < files->count && compacts; i++) {
        if (files->files[i]->schema_id > table->schema->id) {
            return weir_fail(err, WEIR_CONFLICT,
                             "%s: the table was altered while it was being written: %s has schema %" PRId64
                             ", this writer schema %" PRId64 "; open the table again",
                             table->path, files->files[i]->name, files->files[i]->schema_id, table->schema->id);
        }
    }
    return WEIR_OK;
}

static int read_bucket(weir_table_write *write, weir_slice partition, int32_t bucket, weir_file_list *out,
                       weir_error *err)
{
    if (write->options.overwrite) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_bucket_files_read(&write->files, err));
    write->known_snapshot = write->known_snapshot < 0 ? write->files.snapshot_id : write->known_snapshot;
    WEIR_TRY(weir_bucket_files_of(&write->files, partition, bucket, write->bucket_count, out, err));
    return check_schemas(write, out, err);
}

/* How many buckets the partition has, as its files tell it. */
static int count_of_partition(weir_table_write *write, weir_slice partition, int32_t *out, weir_error *err)
{
    *out = write->bucket_count;
    if (!write->settles) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_bucket_files_read(&write->files, err));
    return weir_postponed_bucket_count(write->table, &write->files, partition, out, err);
}

static int open_writer(weir_table_write *write, weir_slice partition, int32_t bucket, int32_t total_buckets,
                       weir_bucket_writer **out, weir_error *err)
{
    weir_file_list files = {0};
    int code = read_bucket(write, partition, bucket, &files, err);
    if (code == WEIR_OK) {
        weir_bucket_writer_options options = {
            .partition = partition,
            .bucket = bucket,
            .total_buckets = total_buckets,
            .restored_files = files.files,
            .restored_file_count = files.count,
            .write_only = write->write_only,
            .bears_lost_files = !write->options.compacts, /* whose caller is told */
            .write_buffer_bytes = write->buffer_bytes,
        };
        const char *user = write->options.commit_user != NULL ? write->options.commit_user : "unknown";
        code = write->postpones ? weir_postpone_writer_create(&write->table->context, &options, user, out, err)
               : weir_table_has_primary_key(write->table)
                   ? weir_merge_tree_writer_create(&write->table->context, &options, out, err)
                   : weir_append_writer_create(&write->table->context, &options, out, err);
    }
    weir_file_list_free(&files);
    return code;
}

int weir_write_target_find(weir_table_write *write, weir_write_target **out, weir_error *err)
{
    weir_write_target *target = weir_map_get(&write->targets, weir_buffer_slice(&write->key));
    if (target == NULL) {
        int32_t bucket = 0;
        memcpy(&bucket, write->key.data, sizeof bucket);
        size_t size = write->key.size - sizeof bucket;
        uint8_t *copy = weir_alloc(size);
        memcpy(copy, write->key.data + sizeof bucket, size);
        weir_slice partition = weir_slice_of(copy, size);
        weir_bucket_writer *writer = NULL;
        int32_t total_buckets = 0;
        int code = count_of_partition(write, partition, &total_buckets, err);
        if (code == WEIR_OK) {
            code = open_writer(write, partition, bucket, total_buckets, &writer, err);
        }
        if (code != WEIR_OK) {
            free(copy);
            return code;
        }
        target = weir_alloc_zeroed(1, sizeof *target);
        target->partition = partition;
        target->bucket = bucket;
        target->total_buckets = total_buckets;
        target->writer = writer;
        weir_map_put(&write->targets, weir_buffer_slice(&write->key), target);
    }
    *out = target;
    return WEIR_OK;
}

static int reload_target(weir_table_write *write, weir_write_target *target, weir_error *err)
{
    weir_file_list files = {0};
    int code = read_bucket(write, target->partition, target->bucket, &files, err);
    if (code == WEIR_OK) {
        target->writer->ops->reload(target->writer, files.files, files.count);
        target->awaits_full_compaction = true; /* what was dropped may have been a full one */
    }
    weir_file_list_free(&files);
    return code;
}

int weir_write_targets_reload(weir_table_write *write, weir_error *err)
{
    weir_bucket_files_forget(&write->files);
    write->known_snapshot = -1; /* the next to be read */
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        if (write->targets.entries[i].value != NULL) {
            WEIR_TRY(reload_target(write, write->targets.entries[i].value, err));
        }
    }
    return WEIR_OK;
}

int weir_write_targets_reload_outdated(weir_table_write *write, weir_error *err)
{
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        weir_write_target *target = write->targets.entries[i].value;
        const weir_bucket_writer_ops *ops = target != NULL ? target->writer->ops : NULL;
        if (ops != NULL && ops->is_outdated != NULL && ops->is_outdated(target->writer)) {
            WEIR_TRY(reload_target(write, target, err));
        }
    }
    return WEIR_OK;
}

/* Where compactions tell the changes of rows, they start from what there is: somebody else may have told some since. A
 * commit that meets others all the same drops its compaction (commit_changes.c). */
int weir_write_targets_follow_others(weir_table_write *write, weir_error *err)
{
    const weir_table_context *context = &write->table->context;
    int64_t latest = 0;
    bool all = false;
    if (!write->looks_up || write->known_snapshot < 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (write->options.commit_user != NULL) {
        WEIR_TRY(weir_own_snapshots_follow(write->table, write->options.commit_user, false, latest,
                                           &write->known_snapshot, &all, err));
    } else {
        all = write->known_snapshot == latest; /* no commit can be known for its own */
    }
    return all ? WEIR_OK : weir_write_targets_reload(write, err);
}
