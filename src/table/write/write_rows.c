/* Rows to the writers of their partitions and buckets.
 *
 * A batch is cut by (partition, bucket), so that each writer gets its rows in one call and in their order. When all
 * buffers together pass the limit, the largest is flushed. What opens the writers is write_targets.c; dynamic buckets
 * are chosen by bucket_assigner.c, partitions of keys that may move by key_router.c. */
#include <stdlib.h>

#include "table/write/postponed.h"
#include "table/write/table_write_internal.h"
#include "vector/bucket.h"
#include "vector/compare.h"

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

static void add_row(weir_table_write *write, weir_write_target *target, uint32_t row)
{
    if (target->row_count == 0) {
        WEIR_GROW(write->touched, write->touched_capacity, write->touched_count + 1);
        write->touched[write->touched_count++] = target;
    }
    WEIR_GROW(target->rows, target->row_capacity, target->row_count + 1);
    target->rows[target->row_count++] = row;
}

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
            memset(write->neighbours, 0, buckets * sizeof(weir_write_target *));
        }
        before = i;
        weir_write_target **target = &write->neighbours[write->buckets[i]];
        if (*target == NULL) {
            int32_t bucket = write->postpones ? WEIR_POSTPONED_BUCKET : write->buckets[i];
            WEIR_TRY(set_key_of_row(write, batch, i, bucket, err));
            WEIR_TRY(weir_write_target_find(write, target, err));
        }
        add_row(write, *target, (uint32_t)i);
    }
    return WEIR_OK;
}

static int write_target(weir_table_write *write, const weir_batch *batch, weir_write_target *target, weir_error *err)
{
    const uint32_t *rows = target->row_count == batch->length ? NULL : target->rows;
    target->written = true;
    target->awaits_full_compaction = true;
    int code = target->writer->ops->write(target->writer, batch, rows, target->row_count, err);
    weir_write_target_measure(write, target);
    return code;
}

static weir_write_target *largest_target(const weir_table_write *write)
{
    weir_write_target *largest = NULL;
    for (size_t i = 0; i < write->targets.entry_count; i++) {
        weir_write_target *target = write->targets.entries[i].value;
        if (target != NULL && (largest == NULL || target->memory_bytes > largest->memory_bytes)) {
            largest = target;
        }
    }
    return largest;
}

static int flush_the_largest(weir_table_write *write, weir_error *err)
{
    while (write->memory_bytes > write->buffer_bytes) {
        weir_write_target *largest = largest_target(write);
        if (largest == NULL || largest->memory_bytes == 0) {
            break;
        }
        WEIR_TRY(largest->writer->ops->flush(largest->writer, err));
        weir_table_metrics_add(write->table->context.metrics, WEIR_TABLE_BUFFER_PREEMPTIONS, 1);
        weir_write_target_measure(write, largest);
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

int weir_table_write_batch(weir_table_write *write, const weir_batch *batch, weir_error *err)
{
    WEIR_TRY(weir_write_check(write, err));
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
    weir_write_report_buffers(write);
    return code;
}
