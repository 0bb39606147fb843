/* The life of a table's writer: opened by the table's options, asked for what is to be committed, reset, closed.
 *
 * Rows come in by write_rows.c, go to the writers that write_targets.c holds, and are compacted as write_compactions.c
 * asks.
 *
 * An error after rows were taken may have lost some of them. What is left must not be committed as if it were all, so
 * the writer refuses everything from then on until it is reset. */
#include "table/write/table_write.h"

#include <stdlib.h>

#include "lsm/lsm_options.h"
#include "table/commit/commit_changes.h"
#include "table/write/postponed.h"
#include "table/write/table_write_internal.h"

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

/* Counters are there from the start, at 0: of one that appears with its first event, Prometheus can't tell the
 * increase. */
static void show_counters(weir_table_metrics *metrics)
{
    static const weir_table_metric counters[] = {WEIR_TABLE_COMMITS, WEIR_TABLE_COMPACTIONS_COMPLETED,
                                                 WEIR_TABLE_COMPACTION_INPUT, WEIR_TABLE_COMPACTION_OUTPUT,
                                                 WEIR_TABLE_BUFFER_PREEMPTIONS};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        weir_table_metrics_add(metrics, counters[i], 0);
    }
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
    show_counters(table->context.metrics);
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

void weir_table_write_reset(weir_table_write *write)
{
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        if (write->targets.entries[i].value != NULL) {
            weir_write_target_close(write, write->targets.entries[i].value);
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

bool weir_table_write_tells_changes(const weir_table_write *write) { return write->looks_up || write->fully; }

bool weir_table_write_compacts_fully(const weir_table_write *write) { return write->fully; }

int64_t weir_table_write_row_count(const weir_table_write *write) { return write->row_count; }

int weir_write_check(const weir_table_write *write, weir_error *err)
{
    if (write->failed) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: an earlier error of this writer may have lost rows; close it, or reset it and write all "
                         "rows since the last commit again",
                         write->table->path);
    }
    return WEIR_OK;
}

void weir_write_report_buffers(const weir_table_write *write)
{
    weir_table_metrics *metrics = write->table->context.metrics;
    weir_table_metrics_set(metrics, WEIR_TABLE_WRITERS, (int64_t)write->targets.size);
    weir_table_metrics_set(metrics, WEIR_TABLE_USED_WRITE_BUFFER, write->memory_bytes);
    weir_table_metrics_set(metrics, WEIR_TABLE_TOTAL_WRITE_BUFFER, write->buffer_bytes);
}

void weir_table_write_committed(weir_table_write *write, int64_t snapshot_id)
{
    if (write->router != NULL) {
        weir_key_router_committed(write->router, snapshot_id);
    }
}

void weir_table_write_refused(weir_table_write *write) { write->failed = true; }

int weir_table_write_reload(weir_table_write *write, weir_error *err)
{
    int code = weir_write_targets_reload(write, err);
    write->failed |= code != WEIR_OK;
    return code;
}

/* One bucket's increment into `out`; a writer that had nothing to do since the last time is closed. */
static int prepare_target(weir_table_write *write, weir_write_target *target, bool wait, weir_arena *arena,
                          weir_commit_messages *out, weir_error *err)
{
    weir_slice partition =
        weir_slice_of(weir_arena_copy(arena, target->partition.data, target->partition.size), target->partition.size);
    weir_commit_message *message = weir_commit_messages_add(out, partition, target->bucket, target->total_buckets);
    WEIR_TRY(target->writer->ops->prepare_commit(target->writer, wait, arena, message, err));
    weir_write_target_measure(write, target);
    bool is_empty = weir_commit_message_is_empty(message);
    if (is_empty) {
        out->count--;
    }
    bool idle = !target->written && is_empty && !target->writer->ops->is_busy(target->writer) &&
                !(weir_full_compaction_is_made(&write->full) && target->awaits_full_compaction);
    target->written = false;
    if (idle) {
        weir_write_target_close(write, target);
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
    WEIR_TRY(weir_write_compact_fully(write, err));
    write->full_is_due = false;
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        weir_write_target *target = write->targets.entries[i].value;
        if (target != NULL) {
            WEIR_TRY(prepare_target(write, target, wait, arena, out, err));
        }
    }
    if (write->router != NULL) {
        weir_key_router_stamp(write->router, out, first);
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
    WEIR_TRY(weir_write_check(write, err));
    size_t first = out->count;
    weir_bucket_files_forget(&write->files);
    int code = weir_write_targets_follow_others(write, err);
    if (code == WEIR_OK) {
        code = weir_write_targets_reload_outdated(write, err);
    }
    if (code == WEIR_OK) {
        code = prepare_targets(write, wait_compaction, arena, out, err);
    }
    weir_bucket_files_forget(&write->files);
    if (code != WEIR_OK) {
        discard_messages(write, out, first);
        write->failed = true;
    }
    weir_write_report_buffers(write);
    return code;
}
