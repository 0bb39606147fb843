/* Rows to the writers of their partitions and buckets.
 *
 * A batch is cut by (partition, bucket), so that each writer gets its rows in one call and in their order. When all
 * buffers together pass the limit, the largest is flushed.
 *
 * An error after rows were taken may have lost some of them. What is left must not be committed as if it were all, so
 * the writer refuses everything from then on until it is reset. */
#include "table/table_write.h"

#include <stdlib.h>

#include "base/map.h"
#include "lsm/lsm_options.h"
#include "table/bucket_assigner.h"
#include "table/bucket_files.h"
#include "table/commit_changes.h"
#include "table/default_values.h"
#include "table/full_compaction.h"
#include "table/key_router.h"
#include "table/postponed.h"
#include "table/row_kinds.h"
#include "vector/bucket.h"
#include "vector/compare.h"

typedef struct bucket_target {
    weir_slice partition; /* owned */
    int32_t bucket;
    weir_bucket_writer *writer;
    int64_t memory_bytes;        /* of the writer, as far as they are counted in the write's */
    bool written;                /* since the last prepare */
    int32_t total_buckets;
    bool awaits_full_compaction; /* written since the last one, where full-compaction.delta-commits asks for them */
    uint32_t *rows;              /* of the batch being cut */
    int64_t row_count;
    size_t row_capacity;
} bucket_target;

struct weir_table_write {
    const weir_table *table;
    weir_table_write_options options;
    weir_arena arena;
    int32_t bucket_count;           /* by the option: -1 unaware, or dynamic */
    weir_bucket_assigner *assigner; /* of dynamic buckets; NULL: there are none */
    weir_key_router *router;        /* of keys that may move between partitions; NULL: they may not */
    bool postpones;                 /* rows wait for their bucket */
    bool settles;                   /* … or, in a table of such, get one */
    const int32_t *bucket_columns;
    int32_t bucket_column_count;
    weir_bucket_function bucket_function;
    weir_default_values defaults;
    weir_row_kinds kinds;
    bool write_only;
    weir_full_compaction full; /* when it is due, and buckets that await it without having a target */
    bool full_is_due;          /* with the next prepare */
    bool looks_up; /* compactions look at what the levels hold, and so go on from what others have made of them */
    bool fully;    /* changelog-producer = full-compaction */
    int64_t known_snapshot;  /* up to this one the bucket writers know all files; -1: there are none yet */
    int64_t buffer_bytes;    /* that all buckets together may take */
    int64_t held_bytes;      /* taken from the budget for them */
    int64_t memory_bytes;    /* that they take */
    int64_t row_count;       /* taken so far */
    bool failed;             /* rows may have been lost */
    weir_map targets;        /* partition and bucket → bucket_target */
    weir_bucket_files files; /* for the writers that are opened */
    weir_buffer key;         /* scratch: bucket and partition of a row */
    /* Of the batch being cut. */
    int32_t *buckets;
    size_t bucket_capacity;
    bucket_target **touched;
    size_t touched_count;
    size_t touched_capacity;
    bucket_target **neighbours; /* one a bucket: targets of the partition of the row before */
    size_t neighbour_capacity;
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

/* postpone.batch-write-fixed-bucket: batches are written to buckets, for a compaction to merge them. */
static int choose_postponing(weir_table_write *write, weir_error *err)
{
    bool fixes = false;
    if (!weir_table_is_postponed(write->table)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_options_bool(&write->table->schema->options, "postpone.batch-write-fixed-bucket", &fixes, err));
    write->settles = write->options.compacts || (write->options.batch && fixes);
    write->postpones = !write->settles;
    write->write_only |= !write->options.compacts;
    return WEIR_OK;
}

/* What gives dynamic buckets to rows. */
static int open_assigner(weir_table_write *write, weir_error *err)
{
    const weir_table *table = write->table;
    if (write->bucket_count != -1 || !weir_table_has_primary_key(table)) {
        return WEIR_OK;
    }
    if (!weir_schema_is_cross_partition(table->schema)) {
        return weir_bucket_assigner_open(table, write->options.overwrite, &write->assigner, err);
    }
    weir_key_router_options options = {
        .overwrite = write->options.overwrite,
        .dropped_kinds = write->kinds.dropped,
        .commit_user = write->options.commit_user,
    };
    return weir_key_router_open(table, &options, &write->router, err);
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
    WEIR_TRY(weir_row_kinds_init(write->table, write->options.changes, &write->arena, &write->kinds, err));
    WEIR_TRY(weir_default_values_init(write->table->schema, &write->arena, &write->defaults, err));
    WEIR_TRY(weir_options_bool(set, "write-only", &write->write_only, err));
    write->write_only = !write->options.compacts && (write->write_only || write->options.ignore_compaction);
    WEIR_TRY(choose_postponing(write, err));
    if (weir_table_has_primary_key(write->table) && !write->write_only) {
        weir_lsm_options lsm;
        WEIR_TRY(weir_lsm_options_read(write->table->schema, &lsm, err));
        write->looks_up = lsm.looks_up && !write->options.overwrite && !write->options.compacts;
        write->fully = lsm.changelog_producer == WEIR_CHANGELOG_FULL_COMPACTION;
        WEIR_TRY(weir_full_compaction_read(write->table->schema, &write->full, err));
    }
    WEIR_TRY(weir_options_size(set, "write-buffer-size", &write->buffer_bytes, err));
    if (!write->options.compacts) {
        reserve_buffers(write);
    }
    return weir_table_bucket_function(write->table, &write->bucket_function, err);
}

int weir_table_write_open(const weir_table *table, const weir_table_write_options *options, weir_table_write **out,
                          weir_error *err)
{
    WEIR_TRY_CTX(weir_schema_check_writable(table->schema, err), err, "%s", table->path);
    weir_table_write *write = weir_alloc_zeroed(1, sizeof *write);
    write->table = table;
    write->options = options != NULL ? *options : (weir_table_write_options){0};
    write->known_snapshot = -1;
    weir_arena_init(&write->arena);
    weir_bucket_files_init(&write->files, table);
    int code = check_buckets(write, err);
    if (code == WEIR_OK) {
        code = read_options(write, err);
    }
    if (code == WEIR_OK) {
        code = open_assigner(write, err);
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
    weir_row_kinds_free(&write->kinds);
    weir_budget_give(write->table->context.budget, write->held_bytes);
    weir_map_free(&write->targets);
    weir_bucket_files_free(&write->files);
    weir_bucket_assigner_close(write->assigner);
    weir_key_router_close(write->router);
    weir_arena_free(&write->arena);
    weir_buffer_free(&write->key);
    weir_full_compaction_free(&write->full);
    free(write->buckets);
    free(write->touched);
    free(write->neighbours);
    free(write);
}

/* ---- targets ---- */

/* Brings the count of memory up to date after something was done with a writer. */
static void count_memory(weir_table_write *write, bucket_target *target)
{
    int64_t bytes = target->writer->ops->memory_bytes(target->writer);
    write->memory_bytes += bytes - target->memory_bytes;
    target->memory_bytes = bytes;
}

static void set_key(weir_table_write *write, weir_slice partition, int32_t bucket)
{
    weir_buffer_clear(&write->key);
    weir_buffer_append(&write->key, &bucket, sizeof bucket);
    weir_buffer_append(&write->key, partition.data, partition.size);
}

static void close_target(weir_table_write *write, bucket_target *target)
{
    write->memory_bytes -= target->memory_bytes;
    target->writer->ops->close(target->writer);
    set_key(write, target->partition, target->bucket);
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
    weir_bucket_files_forget(&write->files);
    weir_full_compaction_forget(&write->full);
    write->full_is_due = false;
    write->known_snapshot = -1;
    if (write->assigner != NULL) {
        weir_bucket_assigner_reset(write->assigner);
    }
    if (write->router != NULL) {
        weir_key_router_reset(write->router);
    }
    write->failed = false;
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

/* The target that write->key names. */
static int find_target(weir_table_write *write, bucket_target **out, weir_error *err)
{
    bucket_target *target = weir_map_get(&write->targets, weir_buffer_slice(&write->key));
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

/* Gives every writer the files of the latest snapshot. */
static int reload_targets(weir_table_write *write, weir_error *err)
{
    weir_bucket_files_forget(&write->files);
    write->known_snapshot = -1; /* the next to be read */
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target == NULL) {
            continue;
        }
        weir_file_list files = {0};
        int code = read_bucket(write, target->partition, target->bucket, &files, err);
        if (code == WEIR_OK) {
            target->writer->ops->reload(target->writer, files.files, files.count);
            target->awaits_full_compaction = true; /* what was dropped may have been a full one */
        }
        weir_file_list_free(&files);
        WEIR_TRY(code);
    }
    return WEIR_OK;
}

int weir_table_write_reload(weir_table_write *write, weir_error *err)
{
    int code = reload_targets(write, err);
    write->failed |= code != WEIR_OK;
    return code;
}

bool weir_table_write_tells_changes(const weir_table_write *write) { return write->looks_up || write->fully; }

bool weir_table_write_compacts_fully(const weir_table_write *write) { return write->fully; }

/* Whether a snapshot was made by this writer's committer. */
static int is_own(const weir_table_write *write, int64_t id, bool *out, weir_error *err)
{
    const weir_table_context *context = &write->table->context;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    int code = weir_snapshot_read(context->fs, context->paths.root, id, &arena, &snapshot, err);
    const char *user = write->options.commit_user;
    *out = code == WEIR_OK && user != NULL && strcmp(snapshot->commit_user, user) == 0;
    weir_arena_free(&arena);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code; /* expired: who knows */
}

/* Where compactions tell the changes of rows, they start from what there is: somebody else may have told some since. A
 * commit that meets others all the same drops its compaction (commit_changes.c). */
static int follow_others(weir_table_write *write, weir_error *err)
{
    const weir_table_context *context = &write->table->context;
    int64_t latest = 0;
    bool own = true;
    if (!write->looks_up || write->known_snapshot < 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest < write->known_snapshot) {
        own = false; /* rolled back */
    }
    while (own && write->known_snapshot < latest) {
        WEIR_TRY(is_own(write, write->known_snapshot + 1, &own, err));
        write->known_snapshot += own;
    }
    return own ? WEIR_OK : reload_targets(write, err);
}

/* ---- rows ---- */

/* NOT NULL columns are checked before any row is taken. */
static int check_batch(const weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    const weir_schema *schema = write->table->schema;
    for (int32_t c = 0; c < schema->field_count; c++) {
        if (!schema->fields[c].type->nullable && batch->columns[c].null_count > 0) {
            return weir_fail(err, WEIR_INVALID, "column '%s' of %s is NOT NULL, but a row to write has NULL there",
                             schema->fields[c].name, write->table->path);
        }
    }
    return WEIR_OK;
}

static int buckets_of(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    WEIR_GROW(write->buckets, write->bucket_capacity, batch->length + 1);
    if (write->assigner != NULL) {
        return weir_bucket_assigner_assign(write->assigner, batch, write->kinds.dropped, write->buckets, err);
    }
    if (write->settles) {
        WEIR_TRY(weir_bucket_files_read(&write->files, err));
        return weir_postponed_buckets(write->table, &write->files, batch, write->buckets, err);
    }
    if (write->bucket_count <= 1) {
        memset(write->buckets, 0, sizeof(int32_t) * (size_t)batch->length);
        return WEIR_OK;
    }
    return weir_batch_buckets(write->bucket_function, batch, write->bucket_columns, write->bucket_column_count,
                              write->bucket_count, write->buckets, err);
}

/* The rows to be written for those that came, and their buckets: the same ones, but where keys move. */
static int place_rows(weir_table_write *write, const weir_batch *batch, const weir_batch **out, weir_error *err)
{
    const int32_t *buckets = NULL;
    *out = batch;
    if (write->router == NULL) {
        return buckets_of(write, batch, err);
    }
    WEIR_TRY(weir_key_router_route(write->router, batch, out, &buckets, err));
    WEIR_GROW(write->buckets, write->bucket_capacity, (*out)->length + 1);
    if ((*out)->length > 0) {
        memcpy(write->buckets, buckets, sizeof *buckets * (size_t)(*out)->length);
    }
    return WEIR_OK;
}

static void add_row(weir_table_write *write, bucket_target *target, uint32_t row)
{
    if (target->row_count == 0) {
        WEIR_GROW(write->touched, write->touched_capacity, write->touched_count + 1);
        write->touched[write->touched_count++] = target;
    }
    WEIR_GROW(target->rows, target->row_capacity, target->row_count + 1);
    target->rows[target->row_count++] = row;
}

int64_t weir_table_write_row_count(const weir_table_write *write) { return write->row_count; }

/* Bucket and serialized partition of a row into write->key. */
static int set_key_of_row(weir_table_write *write, const weir_batch *batch, int64_t row, int32_t bucket,
                          weir_error *err)
{
    weir_buffer_clear(&write->key);
    weir_buffer_append(&write->key, &bucket, sizeof bucket);
    return weir_partition_append_row(write->table->schema, batch, row, &write->key, err);
}

/* How many buckets the rows of a batch may be in. */
static size_t count_buckets(const weir_table_write *write, const weir_batch *batch)
{
    int32_t last = write->bucket_count > 0 ? write->bucket_count - 1 : 0;
    for (int64_t i = 0; i < batch->length && write->bucket_count < 0; i++) {
        last = write->buckets[i] > last ? write->buckets[i] : last;
    }
    return (size_t)last + 1;
}

/* Gives each row to its target. Of neighbouring rows of one partition only the first in each bucket is looked up. */
static int cut_batch(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    const weir_schema *schema = write->table->schema;
    size_t buckets = count_buckets(write, batch);
    int64_t before = -1;
    WEIR_GROW(write->neighbours, write->neighbour_capacity, buckets);
    for (int64_t i = 0; i < batch->length; i++) {
        if (write->router == NULL && weir_row_kinds_drop(&write->kinds, batch, i)) {
            continue;
        }
        if (before < 0 || !weir_partition_rows_equal(schema, batch, before, i)) {
            memset(write->neighbours, 0, buckets * sizeof(bucket_target *));
        }
        before = i;
        bucket_target **target = &write->neighbours[write->buckets[i]];
        if (*target == NULL) {
            int32_t bucket = write->postpones ? WEIR_POSTPONED_BUCKET : write->buckets[i];
            WEIR_TRY(set_key_of_row(write, batch, i, bucket, err));
            WEIR_TRY(find_target(write, target, err));
        }
        add_row(write, *target, (uint32_t)i);
    }
    return WEIR_OK;
}

static int write_target(weir_table_write *write, const weir_batch *batch, bucket_target *target, weir_error *err)
{
    const uint32_t *rows = target->row_count == batch->length ? NULL : target->rows;
    target->written = true;
    target->awaits_full_compaction = true;
    int code = target->writer->ops->write(target->writer, batch, rows, target->row_count, err);
    count_memory(write, target);
    return code;
}

static bucket_target *largest_target(const weir_table_write *write)
{
    bucket_target *largest = NULL;
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target != NULL && (largest == NULL || target->memory_bytes > largest->memory_bytes)) {
            largest = target;
        }
    }
    return largest;
}

static int flush_the_largest(weir_table_write *write, weir_error *err)
{
    while (write->memory_bytes > write->buffer_bytes) {
        bucket_target *largest = largest_target(write);
        if (largest == NULL || largest->memory_bytes == 0) {
            break;
        }
        WEIR_TRY(largest->writer->ops->flush(largest->writer, err));
        weir_table_metrics_add(write->table->context.metrics, WEIR_TABLE_BUFFER_PREEMPTIONS, 1);
        count_memory(write, largest);
    }
    return WEIR_OK;
}

/* Cuts a batch and hands each writer its rows. */
static int write_targets(weir_table_write *write, const weir_batch *given, weir_error *err)
{
    const weir_batch *batch = NULL;
    WEIR_TRY(place_rows(write, given, &batch, err));
    write->touched_count = 0;
    int code = cut_batch(write, batch, err);
    bool takes_rows = code == WEIR_OK;
    for (int64_t i = 0; i < given->length && takes_rows; i++) {
        write->row_count += !weir_row_kinds_drop(&write->kinds, given, i);
    }
    for (size_t i = 0; i < write->touched_count; i++) {
        if (code == WEIR_OK) {
            code = write_target(write, batch, write->touched[i], err);
        }
        write->touched[i]->row_count = 0;
    }
    if (code == WEIR_OK) {
        code = flush_the_largest(write, err);
    }
    write->failed = takes_rows && code != WEIR_OK;
    return code;
}

static int check_not_failed(const weir_table_write *write, weir_error *err)
{
    if (write->failed) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: an earlier error of this writer may have lost rows; close it, or reset it and write all "
                         "rows since the last commit again",
                         write->table->path);
    }
    return WEIR_OK;
}

static void report_buffers(const weir_table_write *write)
{
    weir_table_metrics *metrics = write->table->context.metrics;
    weir_table_metrics_set(metrics, WEIR_TABLE_WRITERS, (int64_t)write->targets.size);
    weir_table_metrics_set(metrics, WEIR_TABLE_USED_WRITE_BUFFER, write->memory_bytes);
    weir_table_metrics_set(metrics, WEIR_TABLE_TOTAL_WRITE_BUFFER, write->buffer_bytes);
}

int weir_table_write_batch(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    WEIR_TRY(check_not_failed(write, err));
    if (batch->length == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(check_batch(write, batch, err));
    weir_vector *columns = weir_alloc((size_t)batch->column_count * sizeof *columns);
    weir_batch filled;
    int code = weir_default_values_fill(&write->defaults, batch, columns, &filled, err);
    if (code == WEIR_OK) {
        code = weir_row_kinds_settle(&write->kinds, &filled, err);
    }
    if (code == WEIR_OK) {
        code = write_targets(write, &filled, err);
    }
    free(columns);
    report_buffers(write);
    return code;
}

/* ---- compaction ---- */

static int compact_target(weir_table_write *write, bucket_target *target, bool full, weir_error *err)
{
    int code = target->writer->ops->compact(target->writer, full, err);
    count_memory(write, target);
    write->failed |= code != WEIR_OK;
    return code;
}

int weir_table_write_compact(weir_table_write *write, weir_slice partition, int32_t bucket, bool full, weir_error *err)
{
    bucket_target *target = NULL;
    WEIR_TRY(check_not_failed(write, err));
    set_key(write, partition, bucket);
    WEIR_TRY(find_target(write, &target, err));
    target->written = true;
    target->awaits_full_compaction |= write->options.compacts && !full;
    return compact_target(write, target, full, err);
}

int weir_table_write_compact_written(weir_table_write *write, weir_error *err)
{
    WEIR_TRY(check_not_failed(write, err));
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target != NULL && target->written) {
            WEIR_TRY(compact_target(write, target, true, err));
        }
    }
    return WEIR_OK;
}

/* ---- full compactions ---- */

void weir_table_write_compact_due(weir_table_write *write, int64_t identifier)
{
    write->full_is_due |= weir_full_compaction_is_due(&write->full, identifier);
}

void weir_table_write_await(weir_table_write *write, weir_slice partition, int32_t bucket)
{
    if (weir_full_compaction_is_made(&write->full)) {
        weir_full_compaction_await(&write->full, partition, bucket);
    }
}

static void add_name(weir_commit_messages *out, weir_arena *arena, weir_slice partition, int32_t bucket)
{
    const void *copy = weir_arena_copy(arena, partition.data, partition.size);
    weir_commit_messages_add(out, weir_slice_of(copy, partition.size), bucket, 0);
}

void weir_table_write_list_awaiting(const weir_table_write *write, weir_arena *arena, weir_commit_messages *out)
{
    const weir_commit_messages *waiting = &write->full.waiting;
    for (size_t i = 0; i < waiting->count; i++) {
        add_name(out, arena, waiting->items[i].partition, waiting->items[i].bucket);
    }
    for (size_t i = 0; i < write->targets.entry_count && weir_full_compaction_is_made(&write->full); i++) {
        const bucket_target *target = write->targets.entries[i].value;
        if (target != NULL && target->awaits_full_compaction) {
            add_name(out, arena, target->partition, target->bucket);
        }
    }
}

bool weir_table_write_awaits(const weir_table_write *write)
{
    bool any = write->full.waiting.count > 0;
    for (size_t i = 0; i < write->targets.entry_count && !any && weir_full_compaction_is_made(&write->full); i++) {
        const bucket_target *target = write->targets.entries[i].value;
        any = target != NULL && target->awaits_full_compaction;
    }
    return any;
}

/* Opens the writers of the buckets that weir_table_write_await named. */
static int open_waiting(weir_table_write *write, weir_error *err)
{
    weir_commit_messages *waiting = &write->full.waiting;
    for (size_t i = 0; i < waiting->count; i++) {
        bucket_target *target = NULL;
        set_key(write, waiting->items[i].partition, waiting->items[i].bucket);
        WEIR_TRY(find_target(write, &target, err));
        target->awaits_full_compaction = true;
    }
    weir_full_compaction_forget(&write->full);
    return WEIR_OK;
}

/* Where a full compaction is due, asks for that of the buckets written since the last one. */
static int compact_fully(weir_table_write *write, weir_error *err)
{
    if (!write->full_is_due) {
        return WEIR_OK;
    }
    WEIR_TRY(open_waiting(write, err));
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target != NULL && target->awaits_full_compaction) {
            target->awaits_full_compaction = false;
            WEIR_TRY(compact_target(write, target, true, err));
        }
    }
    return WEIR_OK;
}

/* ---- commits ---- */

/* One bucket's increment into `out`; a writer that had nothing to do since the last time is closed. */
static int prepare_target(weir_table_write *write, bucket_target *target, bool wait, weir_arena *arena,
                          weir_commit_messages *out, weir_error *err)
{
    weir_slice partition =
        weir_slice_of(weir_arena_copy(arena, target->partition.data, target->partition.size), target->partition.size);
    weir_commit_message *message = weir_commit_messages_add(out, partition, target->bucket, target->total_buckets);
    WEIR_TRY(target->writer->ops->prepare_commit(target->writer, wait, arena, message, err));
    count_memory(write, target);
    bool is_empty = weir_commit_message_is_empty(message);
    if (is_empty) {
        out->count--;
    }
    bool idle = !target->written && is_empty && !target->writer->ops->is_busy(target->writer) &&
                !(weir_full_compaction_is_made(&write->full) && target->awaits_full_compaction);
    target->written = false;
    if (idle) {
        close_target(write, target);
    }
    return WEIR_OK;
}

static int prepare_targets(weir_table_write *write, bool wait, weir_arena *arena, weir_commit_messages *out,
                           weir_error *err)
{
    size_t first = out->count;
    if (write->router != NULL) {
        WEIR_TRY(weir_key_router_check(write->router, err));
    }
    wait |= write->full_is_due;
    WEIR_TRY(compact_fully(write, err));
    write->full_is_due = false;
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        bucket_target *target = write->targets.entries[i].value;
        if (target != NULL) {
            WEIR_TRY(prepare_target(write, target, wait, arena, out, err));
        }
    }
    return write->assigner == NULL ? WEIR_OK : weir_bucket_assigner_prepare(write->assigner, arena, out, first, err);
}

/* Removes the messages from position `first` on, with their files. */
static void discard_messages(const weir_table_write *write, weir_commit_messages *messages, size_t first)
{
    weir_commit_messages discarded = {.items = messages->items + first, .count = messages->count - first};
    weir_commit_changes_remove_files_of(write->table, &discarded);
    while (messages->count > first) {
        weir_commit_message_free(&messages->items[--messages->count]);
    }
}

int weir_table_write_prepare(weir_table_write *write, bool wait_compaction, weir_arena *arena,
                             weir_commit_messages *out, weir_error *err)
{
    WEIR_TRY(check_not_failed(write, err));
    size_t first = out->count;
    weir_bucket_files_forget(&write->files);
    int code = follow_others(write, err);
    if (code == WEIR_OK) {
        code = prepare_targets(write, wait_compaction, arena, out, err);
    }
    weir_bucket_files_forget(&write->files);
    if (code != WEIR_OK) {
        discard_messages(write, out, first);
        write->failed = true;
    }
    report_buffers(write);
    return code;
}
