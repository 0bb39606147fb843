/* Pruning by partition, bucket, key range and statistics. */
#include "table/scan_filter.h"

#include "vector/bucket.h"

/* Maps schema columns to positions in `columns`; others to -1. */
static const weir_predicate *restrict_to(const weir_table *table, const weir_predicate *predicate,
                                         const int32_t *columns, int32_t count, weir_arena *arena)
{
    int32_t *positions = WEIR_NEW_ARRAY(arena, int32_t, table->schema->field_count);
    for (int32_t i = 0; i < table->schema->field_count; i++) {
        positions[i] = -1;
    }
    for (int32_t i = 0; i < count; i++) {
        positions[columns[i]] = i;
    }
    return weir_predicate_map(arena, predicate, positions);
}

/* The literal that an AND of leaves fixes a column to, or NULL. */
static const weir_literal *fixed_value(const weir_predicate *predicate, int32_t column)
{
    if (predicate->kind == WEIR_PREDICATE_EQUAL && predicate->column == column && !predicate->literals[0].is_null) {
        return &predicate->literals[0];
    }
    if (predicate->kind == WEIR_PREDICATE_AND) {
        for (int32_t i = 0; i < predicate->child_count; i++) {
            const weir_literal *found = fixed_value(predicate->children[i], column);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

/* The one bucket that rows with these key values are in. */
static int find_bucket(weir_scan_filter *filter, const weir_predicate *predicate, weir_error *err)
{
    const weir_table *table = filter->table;
    const int32_t *columns = NULL;
    int32_t column_count = 0, bucket_count = 0;
    const char *function = NULL;
    WEIR_TRY(weir_table_bucket_count(table, &bucket_count, err));
    WEIR_TRY(weir_options_text(&table->schema->options, "bucket-function.type", &function, err));
    if (bucket_count < 2 || (function != NULL && strcmp(function, "default") != 0)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_table_bucket_columns(table, filter->arena, &columns, &column_count, err));
    weir_field *fields = WEIR_NEW_ARRAY(filter->arena, weir_field, column_count);
    int32_t *positions = WEIR_NEW_ARRAY(filter->arena, int32_t, column_count);
    for (int32_t i = 0; i < column_count; i++) {
        fields[i] = table->schema->fields[columns[i]];
        positions[i] = i;
    }
    weir_batch row;
    int code = WEIR_OK;
    bool complete = column_count > 0;
    weir_batch_init(&row, fields, column_count);
    for (int32_t i = 0; i < column_count && complete; i++) {
        const weir_literal *value = fixed_value(predicate, columns[i]);
        complete = value != NULL;
        if (complete) {
            WEIR_GO(weir_vector_append_literal(&row.columns[i], value, err));
        }
    }
    row.length = 1;
    filter->total_buckets = bucket_count;
    if (complete) {
        WEIR_GO(
            weir_batch_buckets(WEIR_BUCKET_DEFAULT, &row, positions, column_count, bucket_count, &filter->bucket, err));
    }
done:
    weir_batch_free(&row);
    return code;
}

int weir_scan_filter_init(weir_scan_filter *filter, const weir_table *table, const weir_scan_options *options,
                          weir_arena *arena, weir_error *err)
{
    const weir_schema *schema = table->schema;
    const weir_predicate *predicate = options != NULL ? options->predicate : NULL;
    *filter = (weir_scan_filter){.table = table, .arena = arena, .bucket = -1};
    filter->without_partitions = options != NULL ? options->without_partitions : NULL;
    if (predicate == NULL) {
        return WEIR_OK;
    }
    bool *named = WEIR_NEW_ARRAY(arena, bool, schema->field_count);
    int32_t *columns = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count);
    weir_predicate_columns(predicate, named);
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (named[i]) {
            columns[filter->column_count++] = i;
        }
    }
    filter->columns = columns;
    filter->values = restrict_to(table, predicate, columns, filter->column_count, arena);
    filter->partition = restrict_to(table, predicate, schema->partition_columns, schema->partition_key_count, arena);
    filter->key = restrict_to(table, predicate, schema->key_columns, schema->key_column_count, arena);
    return find_bucket(filter, predicate, err);
}

static weir_column_stats exactly(const weir_literal *value)
{
    weir_column_stats stats = {.null_count = value->is_null ? 1 : 0, .row_count = 1};
    if (!value->is_null) {
        stats.has_min_max = true;
        stats.min = *value;
        stats.max = *value;
    }
    return stats;
}

static bool partition_matches(void *argument, weir_slice partition)
{
    const weir_scan_filter *filter = argument;
    if (filter->without_partitions != NULL && weir_map_get(filter->without_partitions, partition) != NULL) {
        return false;
    }
    if (filter->partition == NULL) {
        return true;
    }
    int32_t count = filter->table->schema->partition_key_count;
    weir_arena arena; /* manifests are read by many threads at a time */
    weir_arena_init(&arena);
    weir_literal *values = WEIR_NEW_ARRAY(&arena, weir_literal, count);
    weir_column_stats *stats = WEIR_NEW_ARRAY(&arena, weir_column_stats, count);
    bool matches = true;
    if (weir_partition_decode(filter->table->schema, partition, &arena, values, NULL) == WEIR_OK) {
        for (int32_t i = 0; i < count; i++) {
            stats[i] = exactly(&values[i]);
        }
        matches = weir_predicate_may_match(filter->partition, stats);
    }
    weir_arena_free(&arena);
    return matches;
}

static bool manifest_matches(void *argument, const weir_column_stats *partitions)
{
    const weir_scan_filter *filter = argument;
    return weir_predicate_may_match(filter->partition, partitions);
}

void weir_scan_filter_set_partitions(weir_scan_filter *filter, weir_manifest_filter *out)
{
    out->partition_context = filter;
    if (filter->partition != NULL || filter->without_partitions != NULL) {
        out->partition_matches = partition_matches;
    }
    if (filter->partition != NULL) {
        out->manifest_matches = manifest_matches;
    }
}

int weir_scan_filter_keys(const weir_scan_filter *filter, const weir_data_file *file, bool *out, weir_error *err)
{
    *out = true;
    if (filter->key == NULL) {
        return WEIR_OK;
    }
    weir_arena arena; /* a plan keeps nothing of the statistics */
    weir_arena_init(&arena);
    weir_column_stats *stats = WEIR_NEW_ARRAY(&arena, weir_column_stats, filter->table->schema->key_column_count);
    int code = weir_stats_decode_keys(&filter->table->context, file, &arena, stats, err);
    if (code == WEIR_OK) {
        *out = weir_predicate_may_match(filter->key, stats);
    }
    weir_arena_free(&arena);
    return code;
}

int weir_scan_filter_values(const weir_scan_filter *filter, const weir_data_file *file, bool *out, weir_error *err)
{
    *out = true;
    if (filter->values == NULL) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_column_stats *stats = WEIR_NEW_ARRAY(&arena, weir_column_stats, filter->column_count);
    int code = weir_stats_decode(&filter->table->context, file, filter->columns, filter->column_count, &arena, stats,
                                 err);
    if (code == WEIR_OK) {
        *out = weir_predicate_may_match(filter->values, stats);
    }
    weir_arena_free(&arena);
    return code;
}
