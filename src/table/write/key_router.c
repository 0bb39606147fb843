/* Rows to the partition and bucket that has their key (org.apache.paimon.crosspartition.GlobalIndexAssigner).
 *
 * Partitions are numbers here: a key's place is the number of its partition with a bucket. What a batch becomes is
 * first a list of rows (which row of it, with the partition columns of which partition, of what kind) and then, only
 * where it differs from the batch, columns. */
#include "table/write/key_router.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "index/key_places.h"
#include "merge/merge_engine.h"
#include "table/commit/own_snapshots.h"
#include "table/read/read.h"
#include "vector/binary_row.h"

#define OWN_PARTITION (-1)

typedef struct routed_partition {
    weir_slice partition; /* serialized, borrowed from the map */
    int64_t *key_counts;  /* by bucket; -1: there is no such bucket */
    int32_t bucket_limit;
    size_t bucket_capacity;
    int32_t first_open; /* all buckets before it are full */
} routed_partition;

/* A row to be written. */
typedef struct routed_row {
    uint32_t row;      /* of the batch */
    int32_t partition; /* whose columns it gets; OWN_PARTITION: those it has */
    int8_t kind;
} routed_row;

struct weir_key_router {
    const weir_table *table;
    weir_key_router_options options;
    weir_merge_engine_kind engine;
    int64_t target_rows;
    int64_t seen_snapshot; /* the keys are those of this one, and what was routed since; -1: not read yet */
    weir_key_places *places;
    weir_map numbers; /* serialized partition → number + 1 */
    routed_partition *partitions;
    size_t partition_count;
    size_t partition_capacity;
    weir_batch values; /* the partition columns of each partition */
    weir_field *value_fields;
    weir_buffer scratch;
    /* Of the batch at hand. */
    routed_row *rows;
    int32_t *buckets;
    size_t row_count;
    size_t row_capacity;
    size_t bucket_capacity;
    bool differs; /* the rows are not just those of the batch */
    weir_batch routed;
};

/* ---- opening and closing ---- */

static int read_options(weir_key_router *router, weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    weir_merge_engine engine;
    weir_arena arena;
    weir_arena_init(&arena);
    int code = weir_merge_engine_of(schema, &arena, &engine, err);
    weir_arena_free(&arena);
    WEIR_TRY(code);
    router->engine = engine.kind;
    WEIR_TRY(weir_options_int(&schema->options, "dynamic-bucket.target-row-num", &router->target_rows, err));
    if (engine.kind == WEIR_MERGE_DEDUPLICATE && engine.ignore_delete) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "'ignore-delete' = 'true' needs a primary key with all partition columns: a row that moves to "
                         "another partition is deleted where it was");
    }
    if (router->target_rows <= 0) {
        return weir_fail(err, WEIR_INVALID, "'dynamic-bucket.target-row-num' must be greater than 0");
    }
    return WEIR_OK;
}

int weir_key_router_open(const weir_table *table, const weir_key_router_options *options, weir_key_router **out,
                         weir_error *err)
{
    const weir_schema *schema = table->schema;
    weir_key_router *router = weir_alloc_zeroed(1, sizeof *router);
    router->table = table;
    router->options = *options;
    router->seen_snapshot = -1;
    router->value_fields = weir_alloc_zeroed((size_t)schema->partition_key_count, sizeof *router->value_fields);
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        router->value_fields[i] = schema->fields[schema->partition_columns[i]];
    }
    weir_batch_init(&router->values, router->value_fields, schema->partition_key_count);
    weir_batch_init(&router->routed, schema->fields, schema->field_count);
    int code = read_options(router, err);
    if (code != WEIR_OK) {
        weir_key_router_close(router);
        return code;
    }
    *out = router;
    return WEIR_OK;
}

void weir_key_router_reset(weir_key_router *router)
{
    for (size_t i = 0; i < router->partition_count; i++) {
        free(router->partitions[i].key_counts);
    }
    router->partition_count = 0;
    weir_map_free(&router->numbers);
    weir_batch_clear(&router->values);
    weir_key_places_free(router->places);
    router->places = NULL;
    router->seen_snapshot = -1;
}

void weir_key_router_close(weir_key_router *router)
{
    if (router == NULL) {
        return;
    }
    weir_key_router_reset(router);
    weir_batch_free(&router->values);
    weir_batch_free(&router->routed);
    weir_buffer_free(&router->scratch);
    free(router->value_fields);
    free(router->partitions);
    free(router->rows);
    free(router->buckets);
    free(router);
}

/* ---- partitions and their buckets ---- */

/* The number of the partition in router->scratch; *out_is_new: its values are still to be added. */
static int32_t number_partition(weir_key_router *router, bool *out_is_new)
{
    weir_slice partition = weir_buffer_slice(&router->scratch);
    uintptr_t number = (uintptr_t)weir_map_get(&router->numbers, partition);
    *out_is_new = number == 0;
    if (number != 0) {
        return (int32_t)(number - 1);
    }
    WEIR_GROW(router->partitions, router->partition_capacity, router->partition_count + 1);
    router->partitions[router->partition_count++] = (routed_partition){0};
    weir_map_put(&router->numbers, partition, (void *)(uintptr_t)router->partition_count);
    router->partitions[router->partition_count - 1].partition =
        router->numbers.entries[router->numbers.entry_count - 1].key;
    return (int32_t)router->partition_count - 1;
}

static int partition_of_row(weir_key_router *router, const weir_batch *batch, int64_t row, int32_t *out,
                            weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    bool is_new = false;
    weir_buffer_clear(&router->scratch);
    WEIR_TRY(weir_partition_append_row(schema, batch, row, &router->scratch, err));
    *out = number_partition(router, &is_new);
    for (int32_t i = 0; i < schema->partition_key_count && is_new; i++) {
        const weir_vector *column = &batch->columns[schema->partition_columns[i]];
        WEIR_TRY(weir_vector_append_range(&router->values.columns[i], column, row, 1, err));
    }
    router->values.length += is_new;
    return WEIR_OK;
}

static int partition_of_bytes(weir_key_router *router, weir_slice partition, weir_arena *arena, int32_t *out,
                              weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    bool is_new = false;
    weir_buffer_clear(&router->scratch);
    weir_buffer_append(&router->scratch, partition.data, partition.size);
    *out = number_partition(router, &is_new);
    if (!is_new) {
        return WEIR_OK;
    }
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, schema->partition_key_count);
    WEIR_TRY(weir_partition_decode(schema, partition, arena, values, err));
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        WEIR_TRY(weir_vector_append_literal(&router->values.columns[i], &values[i], err));
    }
    router->values.length++;
    return WEIR_OK;
}

static int64_t *count_of(routed_partition *partition, int32_t bucket)
{
    if (bucket >= partition->bucket_limit) {
        WEIR_GROW(partition->key_counts, partition->bucket_capacity, bucket + 1);
        for (int32_t i = partition->bucket_limit; i <= bucket; i++) {
            partition->key_counts[i] = -1;
        }
        partition->bucket_limit = bucket + 1;
    }
    return &partition->key_counts[bucket];
}

static void add_key(routed_partition *partition, int32_t bucket)
{
    int64_t *count = count_of(partition, bucket);
    *count = *count < 0 ? 1 : *count + 1;
}

static void remove_key(routed_partition *partition, int32_t bucket)
{
    int64_t *count = count_of(partition, bucket);
    *count = *count > 0 ? *count - 1 : 0;
    partition->first_open = bucket < partition->first_open ? bucket : partition->first_open;
}

/* The first bucket with room for a key, or a new one where all are full. */
static int32_t choose_bucket(const weir_key_router *router, routed_partition *partition)
{
    int32_t bucket = partition->first_open;
    while (bucket < partition->bucket_limit && partition->key_counts[bucket] >= router->target_rows) {
        bucket++;
    }
    partition->first_open = bucket;
    add_key(partition, bucket);
    return bucket;
}

/* ---- reading the keys that are there ---- */

static int fail_twice(weir_key_router *router, int32_t first, int32_t second, weir_error *err)
{
    const weir_table *table = router->table;
    weir_arena arena;
    const char *texts[2] = {"", ""};
    weir_arena_init(&arena);
    weir_partition_text(table->schema, router->partitions[first].partition, &arena, &texts[0], NULL);
    weir_partition_text(table->schema, router->partitions[second].partition, &arena, &texts[1], NULL);
    int code = weir_fail(err, WEIR_CONFLICT,
                         "%s: a key is in two places (partitions %s and %s): several jobs have written to the table at "
                         "a time, which a table whose primary key lacks a partition column does not allow",
                         table->path, texts[0], texts[1]);
    weir_arena_free(&arena);
    return code;
}

static int add_keys(weir_key_router *router, const weir_batch *batch, const int32_t *columns, int32_t partition,
                    int32_t bucket, weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    for (int64_t i = 0; i < batch->length; i++) {
        int32_t other_partition = 0, other_bucket = 0;
        weir_buffer_clear(&router->scratch);
        WEIR_TRY(weir_binary_row_write(batch, columns, schema->primary_key_count, i, &router->scratch, err));
        weir_key_fingerprint key = weir_key_fingerprint_of(weir_buffer_slice(&router->scratch));
        if (weir_key_places_get(router->places, key, &other_partition, &other_bucket)) {
            return fail_twice(router, other_partition, partition, err);
        }
        WEIR_TRY(weir_key_places_put(router->places, key, partition, bucket, err));
        add_key(&router->partitions[partition], bucket);
    }
    return WEIR_OK;
}

static int read_split(weir_key_router *router, const weir_split *split, weir_arena *arena, weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    weir_read_options options = {.columns = schema->primary_columns, .column_count = schema->primary_key_count};
    weir_split_reader *reader = NULL;
    weir_batch batch;
    int32_t partition = 0, field_count = 0;
    int32_t *columns = WEIR_NEW_ARRAY(arena, int32_t, schema->primary_key_count);
    for (int32_t i = 0; i < schema->primary_key_count; i++) {
        columns[i] = i;
    }
    WEIR_TRY(partition_of_bytes(router, split->partition, arena, &partition, err));
    const weir_field *fields = weir_read_fields(router->table, &options, arena, &field_count);
    weir_batch_init(&batch, fields, field_count);
    int code = weir_split_open(router->table, split, &options, &reader, err);
    while (code == WEIR_OK && (code = weir_split_next(reader, &batch, err)) == WEIR_OK) {
        code = add_keys(router, &batch, columns, partition, split->bucket, err);
    }
    weir_split_close(reader);
    weir_batch_free(&batch);
    return code == WEIR_END ? WEIR_OK : code;
}

/* cross-partition-upsert.index-ttl: keys of files that are older than that are as good as gone. */
static int oldest_kept_ms(const weir_key_router *router, int64_t *out, weir_error *err)
{
    const weir_options *set = &router->table->schema->options;
    int64_t ttl_ms = 0;
    *out = INT64_MIN;
    if (weir_options_get(set, "cross-partition-upsert.index-ttl") != NULL) {
        WEIR_TRY(weir_options_duration(set, "cross-partition-upsert.index-ttl", &ttl_ms, err));
        *out = weir_local_now_ms() - ttl_ms;
    }
    return WEIR_OK;
}

static bool is_young(weir_data_file *const *files, int32_t count, int64_t oldest_ms)
{
    for (int32_t i = 0; i < count; i++) {
        if (files[i]->creation_time_ms >= oldest_ms) {
            return true;
        }
    }
    return false;
}

static bool is_kept(const weir_split *split, int64_t oldest_ms)
{
    bool kept = oldest_ms == INT64_MIN || is_young(split->files, split->file_count, oldest_ms);
    for (int32_t i = 0; i < split->run_count && !kept; i++) {
        kept = is_young(split->runs[i].files, split->runs[i].file_count, oldest_ms);
    }
    return kept;
}

static int read_keys_of(weir_key_router *router, const weir_snapshot *snapshot, weir_table_plan *plan, weir_error *err)
{
    int64_t oldest_ms = 0;
    WEIR_TRY(oldest_kept_ms(router, &oldest_ms, err));
    WEIR_TRY(weir_scan_state(router->table, snapshot, 0, NULL, plan, err)); /* level 0 too, whatever readers see */
    for (size_t i = 0; i < plan->split_count; i++) {
        if (is_kept(&plan->splits[i], oldest_ms)) {
            WEIR_TRY(read_split(router, &plan->splits[i], &plan->arena, err));
        }
    }
    return WEIR_OK;
}

/* The places of all keys in the latest snapshot. */
static int read_keys(weir_key_router *router, weir_error *err)
{
    const weir_table_context *context = &router->table->context;
    int64_t latest = 0;
    weir_snapshot *snapshot = NULL;
    weir_key_router_reset(router); /* of what an attempt that failed has left */
    router->places = weir_key_places_create(context->budget);
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest > 0 && !router->options.overwrite) {
        weir_table_plan *plan = weir_alloc_zeroed(1, sizeof *plan);
        weir_arena_init(&plan->arena);
        int code = weir_snapshot_read(context->fs, context->paths.root, latest, &plan->arena, &snapshot, err);
        if (code == WEIR_OK) {
            code = read_keys_of(router, snapshot, plan, err);
        }
        weir_table_plan_free(plan);
        WEIR_TRY_CTX(code, err, "reading the keys of %s", router->table->path);
    }
    router->seen_snapshot = latest;
    return WEIR_OK;
}

/* ---- routing ---- */

static void emit(weir_key_router *router, int64_t row, int32_t partition, int8_t kind, int32_t bucket)
{
    WEIR_GROW(router->rows, router->row_capacity, router->row_count + 1);
    WEIR_GROW(router->buckets, router->bucket_capacity, router->row_count + 1);
    router->rows[router->row_count] = (routed_row){(uint32_t)row, partition, kind};
    router->buckets[router->row_count++] = bucket;
    router->differs |= partition != OWN_PARTITION || router->row_count != (size_t)row + 1;
}

static int put_new(weir_key_router *router, int64_t row, int8_t kind, weir_key_fingerprint key, int32_t partition,
                   weir_error *err)
{
    int32_t bucket = choose_bucket(router, &router->partitions[partition]);
    WEIR_TRY(weir_key_places_put(router->places, key, partition, bucket, err));
    emit(router, row, OWN_PARTITION, kind, bucket);
    return WEIR_OK;
}

/* The key is in another partition. */
static int move_row(weir_key_router *router, int64_t row, int8_t kind, weir_key_fingerprint key, int32_t partition,
                    int32_t old_partition, int32_t old_bucket, weir_error *err)
{
    switch (router->engine) {
    case WEIR_MERGE_DEDUPLICATE:
        emit(router, row, old_partition, WEIR_DELETE, old_bucket);
        remove_key(&router->partitions[old_partition], old_bucket);
        return put_new(router, row, kind, key, partition, err);
    case WEIR_MERGE_PARTIAL_UPDATE:
    case WEIR_MERGE_AGGREGATION:
        emit(router, row, old_partition, kind, old_bucket);
        return WEIR_OK;
    default: /* first-row */
        router->differs = true;
        return WEIR_OK;
    }
}

static int route_row(weir_key_router *router, const weir_batch *batch, int64_t row, int32_t partition, weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    int32_t old_partition = 0, old_bucket = 0;
    int8_t kind = weir_batch_kind(batch, row);
    weir_buffer_clear(&router->scratch);
    WEIR_TRY(
        weir_binary_row_write(batch, schema->primary_columns, schema->primary_key_count, row, &router->scratch, err));
    weir_key_fingerprint key = weir_key_fingerprint_of(weir_buffer_slice(&router->scratch));
    if (!weir_key_places_get(router->places, key, &old_partition, &old_bucket)) {
        return put_new(router, row, kind, key, partition, err);
    }
    if (old_partition == partition) {
        emit(router, row, OWN_PARTITION, kind, old_bucket);
        return WEIR_OK;
    }
    return move_row(router, row, kind, key, partition, old_partition, old_bucket, err);
}

static int route_rows(weir_key_router *router, const weir_batch *batch, weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    int64_t before = -1;
    int32_t partition = 0;
    router->row_count = 0;
    router->differs = false;
    for (int64_t i = 0; i < batch->length; i++) {
        if (router->options.dropped_kinds >> weir_batch_kind(batch, i) & 1) {
            router->differs = true;
            continue;
        }
        if (before < 0 || !weir_partition_rows_equal(schema, batch, before, i)) {
            WEIR_TRY(partition_of_row(router, batch, i, &partition, err));
        }
        before = i;
        WEIR_TRY(route_row(router, batch, i, partition, err));
    }
    return WEIR_OK;
}

/* One column of the rows; `of_partition`: the same column of the partitions, or NULL. */
static int route_column(const weir_key_router *router, const weir_vector *from, const weir_vector *of_partition,
                        weir_vector *to, weir_error *err)
{
    for (size_t i = 0; i < router->row_count; i++) {
        const routed_row *row = &router->rows[i];
        bool own = of_partition == NULL || row->partition == OWN_PARTITION;
        WEIR_TRY(own ? weir_vector_append_range(to, from, row->row, 1, err)
                     : weir_vector_append_range(to, of_partition, row->partition, 1, err));
    }
    return WEIR_OK;
}

static int fill_routed(weir_key_router *router, const weir_batch *batch, weir_error *err)
{
    const weir_schema *schema = router->table->schema;
    weir_batch *routed = &router->routed;
    weir_batch_clear(routed);
    for (int32_t c = 0; c < schema->field_count; c++) {
        const weir_vector *of_partition = NULL;
        for (int32_t p = 0; p < schema->partition_key_count; p++) {
            of_partition = schema->partition_columns[p] == c ? &router->values.columns[p] : of_partition;
        }
        WEIR_TRY(route_column(router, &batch->columns[c], of_partition, &routed->columns[c], err));
    }
    weir_batch_reserve_kinds(routed, (int64_t)router->row_count);
    for (size_t i = 0; i < router->row_count; i++) {
        routed->kinds[i] = router->rows[i].kind;
    }
    routed->length = (int64_t)router->row_count;
    return WEIR_OK;
}

int weir_key_router_route(weir_key_router *router, const weir_batch *batch, const weir_batch **out,
                          const int32_t **out_buckets, weir_error *err)
{
    if (router->seen_snapshot < 0) {
        WEIR_TRY(read_keys(router, err));
    }
    WEIR_TRY(route_rows(router, batch, err));
    if (router->differs) {
        WEIR_TRY(fill_routed(router, batch, err));
    }
    *out = router->differs ? &router->routed : batch;
    *out_buckets = router->buckets;
    return WEIR_OK;
}

/* ---- others ---- */

int weir_key_router_check(weir_key_router *router, weir_error *err)
{
    const weir_table_context *context = &router->table->context;
    int64_t latest = 0;
    if (router->seen_snapshot < 0 || router->options.commit_user == NULL || router->options.overwrite) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    return weir_own_snapshots_check_keys(router->table, router->options.commit_user, latest, &router->seen_snapshot,
                                         err);
}

void weir_key_router_stamp(const weir_key_router *router, weir_commit_messages *messages, size_t first)
{
    for (size_t i = first; i < messages->count && router->seen_snapshot >= 0 && !router->options.overwrite; i++) {
        messages->items[i].places_keys = messages->items[i].new_files.count > 0;
        messages->items[i].keys_as_of = router->seen_snapshot;
    }
}

void weir_key_router_committed(weir_key_router *router, int64_t snapshot_id)
{
    if (router->seen_snapshot >= 0 && router->seen_snapshot < snapshot_id) {
        router->seen_snapshot = snapshot_id;
    }
}
