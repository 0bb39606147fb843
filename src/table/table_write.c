/* Rows to the writers of their partitions and buckets.
 *
 * A batch is cut by (partition, bucket) with a counting sort over small numbers given to the targets that occur in it,
 * so that each writer gets its rows in one call and in their order. When all buffers together pass the limit, the
 * largest is flushed. */
#include "table/table_write.h"

#include <stdlib.h>

#include "base/map.h"
#include "table/default_values.h"
#include "vector/bucket.h"

typedef struct bucket_target {
    weir_slice partition; /* owned by the write's arena */
    int32_t bucket;
    weir_bucket_writer *writer;
    bool written;                /* since the last prepare */
    bool awaits_full_compaction; /* written since the last one, where full-compaction.delta-commits asks for them */
    uint32_t *rows;              /* of the batch being cut */
    int64_t row_count;
    size_t row_capacity;
} bucket_target;

struct weir_table_write {
    const weir_table *table;
    weir_table_write_options options;
    weir_arena arena;
    int32_t bucket_count; /* by the option: -1 unaware */
    const int32_t *bucket_columns;
    int32_t bucket_column_count;
    weir_bucket_function bucket_function;
    weir_default_values defaults;
    uint8_t dropped_kinds; /* a bit a row kind that is not written */
    bool write_only;
    int64_t delta_commits; /* commits from one full compaction to the next; 0: none by number */
    int64_t commits_since_full;
    int64_t buffer_bytes; /* of all buckets together */
    int64_t held_bytes;   /* taken from the budget for them */
    weir_map targets;     /* partition and bucket → bucket_target */
    /* Live files of the latest snapshot, for the writers that are opened. */
    weir_arena restored_arena;
    weir_manifest_entries restored;
    int64_t restored_snapshot; /* -1: not read yet */
    int32_t *buckets;          /* of the batch being cut */
    size_t bucket_capacity;
    weir_buffer key; /* scratch */
};

static int check_buckets(weir_table_write *write, weir_error *err)
{
    const weir_table *table = write->table;
    WEIR_TRY(weir_table_bucket_count(table, &write->bucket_count, err));
    if (write->bucket_count > 0) {
        WEIR_TRY(
            weir_table_bucket_columns(table, &write->arena, &write->bucket_columns, &write->bucket_column_count, err));
        if (write->bucket_column_count == 0) {
            return weir_fail(err, WEIR_INVALID, "%s: bucket = %d needs a bucket-key or a primary key", table->path,
                             write->bucket_count);
        }
        return WEIR_OK;
    }
    return WEIR_OK;
}

static int read_dropped_kinds(weir_table_write *write, weir_error *err)
{
    const weir_options *set = &write->table->schema->options;
    bool ignore_delete = false, ignore_update_before = false;
    WEIR_TRY(weir_options_bool(set, "ignore-delete", &ignore_delete, err));
    WEIR_TRY(weir_options_bool(set, "ignore-update-before", &ignore_update_before, err));
    if (ignore_delete) {
        write->dropped_kinds = 1 << WEIR_UPDATE_BEFORE | 1 << WEIR_DELETE;
    } else if (ignore_update_before) {
        write->dropped_kinds = 1 << WEIR_UPDATE_BEFORE;
    }
    return WEIR_OK;
}

/* Takes the buffers' part of a limited budget at once, so that compactions cannot crowd it out and make flushes tiny.
 */
static void reserve_buffers(weir_table_write *write)
{
    weir_budget *budget = write->table->context.budget;
    if (weir_budget_limit(budget) == INT64_MAX) {
        return;
    }
    int64_t share = weir_budget_left(budget) / 4; /* the rest is for flushing and compacting */
    write->buffer_bytes = share < write->buffer_bytes ? share : write->buffer_bytes;
    if (weir_budget_try_take(budget, write->buffer_bytes)) {
        write->held_bytes = write->buffer_bytes;
    }
}

static int read_options(weir_table_write *write, weir_error *err)
{
    const weir_options *set = &write->table->schema->options;
    WEIR_TRY(read_dropped_kinds(write, err));
    WEIR_TRY(weir_default_values_init(write->table->schema, &write->arena, &write->defaults, err));
    WEIR_TRY(weir_options_bool(set, "write-only", &write->write_only, err));
    write->write_only |= write->options.ignore_compaction;
    if (weir_table_has_primary_key(write->table) && !write->write_only) {
        WEIR_TRY(weir_options_int(set, "full-compaction.delta-commits", &write->delta_commits, err));
    }
    WEIR_TRY(weir_options_size(set, "write-buffer-size", &write->buffer_bytes, err));
    reserve_buffers(write);
    const char *function = NULL;
    WEIR_TRY(weir_options_text(set, "bucket-function.type", &function, err));
    write->bucket_function = WEIR_BUCKET_DEFAULT;
    if (function != NULL && strcmp(function, "mod") == 0) {
        write->bucket_function = WEIR_BUCKET_MOD;
    } else if (function != NULL && strcmp(function, "hive") == 0) {
        write->bucket_function = WEIR_BUCKET_HIVE;
    }
    return WEIR_OK;
}

int weir_table_write_open(const weir_table *table, const weir_table_write_options *options, weir_table_write **out,
                          weir_error *err)
{
    WEIR_TRY_CTX(weir_schema_check_writable(table->schema, err), err, "%s", table->path);
    weir_table_write *write = weir_alloc_zeroed(1, sizeof *write);
    write->table = table;
    write->options = options != NULL ? *options : (weir_table_write_options){0};
    write->restored_snapshot = -1;
    weir_arena_init(&write->arena);
    weir_arena_init(&write->restored_arena);
    int code = check_buckets(write, err);
    if (code == WEIR_OK) {
        code = read_options(write, err);
    }
    if (code != WEIR_OK) {
        weir_table_write_close(write);
        return code;
    }
    *out = write;
    return WEIR_OK;
}

void weir_table_write_close(weir_table_write *write)
{
    if (write == NULL) {
        return;
    }
    weir_table_write_reset(write);
    weir_default_values_free(&write->defaults);
    weir_budget_give(write->table->context.budget, write->held_bytes);
    weir_map_free(&write->targets);
    weir_manifest_entries_free(&write->restored);
    weir_arena_free(&write->restored_arena);
    weir_arena_free(&write->arena);
    weir_buffer_free(&write->key);
    free(write->buckets);
    free(write);
}

static void close_target(weir_table_write *write, bucket_target *target)
{
    target->writer->ops->close(target->writer);
    weir_buffer_clear(&write->key);
    weir_buffer_append(&write->key, &target->bucket, sizeof target->bucket);
    weir_buffer_append(&write->key, target->partition.data, target->partition.size);
    weir_map_remove(&write->targets, weir_buffer_slice(&write->key));
    free((void *)target->partition.data);
    free(target->rows);
    free(target);
}

void weir_table_write_reset(weir_table_write *write)
{
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        if (write->targets.entries[i].value != NULL) {
            close_target(write, write->targets.entries[i].value);
        }
    }
    write->restored_snapshot = -1;
}

/* Reads the live files of the latest snapshot, unless they have been read already. */
static int restore_latest(weir_table_write *write, weir_error *err)
{
    const weir_table_context *context = &write->table->context;
    int64_t latest = 0;
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest == write->restored_snapshot) {
        return WEIR_OK;
    }
    write->restored.count = 0;
    weir_arena_free(&write->restored_arena);
    if (latest > 0) {
        weir_snapshot *snapshot = NULL;
        weir_manifest_filter filter = {.bucket = -1, .min_level = -1};
        WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, latest, &write->restored_arena, &snapshot, err));
        WEIR_TRY(weir_snapshot_files(context->fs, &context->paths, context->schema, snapshot, &filter, NULL,
                                     &write->restored_arena, &write->restored, err));
    }
    write->restored_snapshot = latest;
    return WEIR_OK;
}

/* The files of one bucket. A partition that was written with another number of buckets cannot be added to. */
static int restored_files(weir_table_write *write, weir_slice partition, int32_t bucket, weir_file_list *out,
                          weir_error *err)
{
    for (size_t i = 0; i < write->restored.count; i++) {
        const weir_manifest_entry *entry = &write->restored.items[i];
        if (!weir_slice_equal(entry->partition, partition)) {
            continue;
        }
        if (write->bucket_count > 0 && entry->total_buckets != write->bucket_count && !write->options.overwrite) {
            const char *text = "";
            weir_partition_text(write->table->schema, partition, &write->restored_arena, &text, NULL);
            return weir_fail(err, WEIR_CONFLICT,
                             "%s%s%s: written with %d buckets, but the table's option now says %d; rewrite it with "
                             "INSERT OVERWRITE",
                             write->table->path, text[0] != '\0' ? ", partition " : "", text, entry->total_buckets,
                             write->bucket_count);
        }
        if (entry->bucket == bucket) {
            weir_file_list_append(out, entry->file);
        }
    }
    return WEIR_OK;
}

static int open_writer(weir_table_write *write, weir_slice partition, int32_t bucket, weir_bucket_writer **out,
                       weir_error *err)
{
    weir_file_list files = {0};
    if (!write->options.overwrite) {
        WEIR_TRY(restore_latest(write, err));
        int code = restored_files(write, partition, bucket, &files, err);
        if (code != WEIR_OK) {
            weir_file_list_free(&files);
            return code;
        }
    }
    weir_bucket_writer_options options = {
        .partition = partition,
        .bucket = bucket,
        .total_buckets = write->bucket_count,
        .restored_files = files.files,
        .restored_file_count = files.count,
        .ignore_previous_files = write->options.overwrite,
        .write_only = write->write_only,
        .write_buffer_bytes = write->buffer_bytes,
    };
    int code = weir_table_has_primary_key(write->table)
                   ? weir_merge_tree_writer_create(&write->table->context, &options, out, err)
                   : weir_append_writer_create(&write->table->context, &options, out, err);
    weir_file_list_free(&files);
    return code;
}

static int target_of(weir_table_write *write, weir_slice partition, int32_t bucket, bucket_target **out,
                     weir_error *err)
{
    weir_buffer_clear(&write->key);
    weir_buffer_append(&write->key, &bucket, sizeof bucket);
    weir_buffer_append(&write->key, partition.data, partition.size);
    bucket_target *target = weir_map_get(&write->targets, weir_buffer_slice(&write->key));
    if (target == NULL) {
        weir_bucket_writer *writer = NULL;
        WEIR_TRY(open_writer(write, partition, bucket, &writer, err));
        target = weir_alloc_zeroed(1, sizeof *target);
        uint8_t *copy = weir_alloc(partition.size);
        memcpy(copy, partition.data, partition.size);
        target->partition = weir_slice_of(copy, partition.size);
        target->bucket = bucket;
        target->writer = writer;
        weir_map_put(&write->targets, weir_buffer_slice(&write->key), target);
    }
    *out = target;
    return WEIR_OK;
}

/* NOT NULL columns and row kinds are checked before any row is taken. */
static int check_batch(const weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    const weir_schema *schema = write->table->schema;
    for (int32_t c = 0; c < schema->field_count; c++) {
        if (!schema->fields[c].type->nullable && batch->columns[c].null_count > 0) {
            return weir_fail(err, WEIR_INVALID, "column '%s' of %s is NOT NULL, but a row to write has NULL there",
                             schema->fields[c].name, write->table->path);
        }
    }
    if (weir_table_has_primary_key(write->table) || batch->kinds == NULL) {
        return WEIR_OK;
    }
    for (int64_t i = 0; i < batch->length; i++) {
        if (batch->kinds[i] != WEIR_INSERT) {
            return weir_fail(err, WEIR_INVALID,
                             "%s has no primary key and takes inserts only, but a row of kind %s came",
                             write->table->path, weir_row_kind_text(batch->kinds[i]));
        }
    }
    return WEIR_OK;
}

static int buckets_of(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    WEIR_GROW(write->buckets, write->bucket_capacity, batch->length + 1);
    if (write->bucket_count <= 1) {
        memset(write->buckets, 0, sizeof(int32_t) * (size_t)batch->length);
        return WEIR_OK;
    }
    return weir_batch_buckets(write->bucket_function, batch, write->bucket_columns, write->bucket_column_count,
                              write->bucket_count, write->buckets, err);
}

static bool drops_row(const weir_table_write *write, const weir_batch *batch, int64_t row)
{
    return write->dropped_kinds != 0 && (write->dropped_kinds >> weir_batch_kind(batch, row) & 1) != 0;
}

static void add_row(bucket_target *target, uint32_t row)
{
    WEIR_GROW(target->rows, target->row_capacity, target->row_count + 1);
    target->rows[target->row_count++] = row;
}

/* Gives each row to its target. Neighbouring rows of the same partition are recognised without encoding it again. */
static int cut_partitioned(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    const weir_schema *schema = write->table->schema;
    weir_literal values[64];
    if (schema->partition_key_count > 64) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: more than 64 partition keys", write->table->path);
    }
    weir_buffer partition = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < batch->length; i++) {
        if (drops_row(write, batch, i)) {
            continue;
        }
        for (int32_t p = 0; p < schema->partition_key_count; p++) {
            values[p] = weir_literal_of(&batch->columns[schema->partition_columns[p]], i);
        }
        weir_buffer_clear(&partition);
        weir_partition_encode(schema, values, &partition);
        bucket_target *target = NULL;
        WEIR_GO(target_of(write, weir_buffer_slice(&partition), write->buckets[i], &target, err));
        add_row(target, (uint32_t)i);
    }
done:
    weir_buffer_free(&partition);
    return code;
}

static int cut_unpartitioned(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    bucket_target **targets =
        weir_alloc_zeroed((size_t)(write->bucket_count > 0 ? write->bucket_count : 1), sizeof *targets);
    int code = WEIR_OK;
    for (int64_t i = 0; i < batch->length; i++) {
        int32_t bucket = write->buckets[i];
        if (drops_row(write, batch, i)) {
            continue;
        }
        if (targets[bucket] == NULL) {
            WEIR_GO(target_of(write, weir_partition_none(), bucket, &targets[bucket], err));
        }
        add_row(targets[bucket], (uint32_t)i);
    }
done:
    free(targets);
    return code;
}

static int write_target(const weir_batch *batch, bucket_target *target, weir_error *err)
{
    const uint32_t *rows = target->row_count == batch->length ? NULL : target->rows;
    int64_t count = target->row_count;
    target->row_count = 0;
    target->written = true;
    target->awaits_full_compaction = true;
    return target->writer->ops->write(target->writer, batch, rows, count, err);
}

static int flush_the_largest(weir_table_write *write, weir_error *err)
{
    for (;;) {
        int64_t total = 0, most = 0;
        bucket_target *largest = NULL;
        for (size_t i = 0; i < write->targets.entry_count; i++) {
            bucket_target *target = write->targets.entries[i].value;
            int64_t bytes = target != NULL ? target->writer->ops->memory_bytes(target->writer) : 0;
            total += bytes;
            if (bytes > most) {
                most = bytes;
                largest = target;
            }
        }
        if (total <= write->buffer_bytes || largest == NULL) {
            return WEIR_OK;
        }
        WEIR_TRY(largest->writer->ops->flush(largest->writer, err));
        if (largest->writer->ops->memory_bytes(largest->writer) >= most) {
            return WEIR_OK; /* what is left is memory kept for reuse */
        }
    }
}

/* Cuts a batch and hands each writer its rows. */
static int write_targets(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    WEIR_TRY(buckets_of(write, batch, err));
    int code = write->table->schema->partition_key_count > 0 ? cut_partitioned(write, batch, err)
                                                             : cut_unpartitioned(write, batch, err);
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target == NULL || target->row_count == 0) {
            continue;
        }
        if (code == WEIR_OK) {
            code = write_target(batch, target, err);
        } else {
            target->row_count = 0;
        }
    }
    return code;
}

int weir_table_write_batch(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    if (batch->length == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(check_batch(write, batch, err));
    weir_vector *columns = weir_alloc((size_t)batch->column_count * sizeof *columns);
    weir_batch filled;
    int code = weir_default_values_fill(&write->defaults, batch, columns, &filled, err);
    if (code == WEIR_OK) {
        code = write_targets(write, &filled, err);
    }
    free(columns);
    WEIR_TRY(code);
    return flush_the_largest(write, err);
}

int weir_table_write_compact(weir_table_write *write, weir_slice partition, int32_t bucket, bool full, weir_error *err)
{
    bucket_target *target = NULL;
    WEIR_TRY(target_of(write, partition, bucket, &target, err));
    target->written = true;
    return target->writer->ops->compact(target->writer, full, err);
}

int weir_table_write_compact_written(weir_table_write *write, weir_error *err)
{
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target != NULL && target->written) {
            WEIR_TRY(target->writer->ops->compact(target->writer, true, err));
        }
    }
    return WEIR_OK;
}

/* full-compaction.delta-commits: with every so many commits, the buckets written since are compacted in full. */
static int compact_by_number(weir_table_write *write, bool *out_compacts, weir_error *err)
{
    *out_compacts = write->delta_commits > 0 && ++write->commits_since_full >= write->delta_commits;
    if (!*out_compacts) {
        return WEIR_OK;
    }
    write->commits_since_full = 0;
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target != NULL && target->awaits_full_compaction) {
            target->awaits_full_compaction = false;
            WEIR_TRY(target->writer->ops->compact(target->writer, true, err));
        }
    }
    return WEIR_OK;
}

int weir_table_write_prepare(weir_table_write *write, bool wait_compaction, weir_arena *arena,
                             weir_commit_messages *out, weir_error *err)
{
    bool compacts = false;
    WEIR_TRY(compact_by_number(write, &compacts, err));
    wait_compaction |= compacts;
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target == NULL) {
            continue;
        }
        weir_commit_message *message =
            weir_commit_messages_add(out, target->partition, target->bucket, write->bucket_count);
        WEIR_TRY(target->writer->ops->prepare_commit(target->writer, wait_compaction, arena, message, err));
        bool idle = !target->written && weir_commit_message_is_empty(message) &&
                    !target->writer->ops->is_busy(target->writer) &&
                    (write->delta_commits == 0 || !target->awaits_full_compaction);
        if (weir_commit_message_is_empty(message)) {
            out->count--;
        }
        target->written = false;
        if (idle) {
            close_target(write, target);
        }
    }
    return WEIR_OK;
}

/* One bucket after the other; what is compacted is in `out` before the next one starts. */
int weir_table_compact(const weir_table *table, bool full, weir_arena *arena, weir_commit_messages *out,
                       weir_error *err)
{
    weir_table_write *write = NULL;
    WEIR_TRY(weir_table_write_open(table, NULL, &write, err));
    write->write_only = false; /* a dedicated compaction is what write-only tables wait for */
    int code = WEIR_OK;
    weir_map seen = {0};
    weir_buffer key = {0};
    WEIR_GO(restore_latest(write, err));
    for (size_t i = 0; i < write->restored.count; i++) {
        const weir_manifest_entry *entry = &write->restored.items[i];
        weir_buffer_clear(&key);
        weir_buffer_append(&key, &entry->bucket, sizeof entry->bucket);
        weir_buffer_append(&key, entry->partition.data, entry->partition.size);
        if (entry->bucket < 0 || weir_map_get(&seen, weir_buffer_slice(&key)) != NULL) {
            continue;
        }
        weir_map_put(&seen, weir_buffer_slice(&key), write);
        WEIR_GO(weir_table_write_compact(write, entry->partition, entry->bucket, full, err));
    }
    WEIR_GO(weir_table_write_prepare(write, true, arena, out, err));
done:
    weir_map_free(&seen);
    weir_buffer_free(&key);
    weir_table_write_close(write);
    return code;
}
