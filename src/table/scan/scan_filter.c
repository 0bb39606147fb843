/* Pruning by partition, bucket, key range and statistics. */
#include "table/scan/scan_filter.h"

#include "vector/bucket.h"

/* More keys than these are not looked up one by one. */
#define MOST_KEYS 1000

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

/* The literals one of which an AND of leaves fixes a column to, by = or IN; NULL: any value may match. */
static const weir_predicate *fixed_values(const weir_predicate *predicate, int32_t column)
{
    bool fixes = predicate->kind == WEIR_PREDICATE_EQUAL || predicate->kind == WEIR_PREDICATE_IN;
    if (fixes && predicate->column == column && predicate->literal_count > 0 && !predicate->literals[0].is_null) {
        return predicate;
    }
    if (predicate->kind == WEIR_PREDICATE_AND) {
        for (int32_t i = 0; i < predicate->child_count; i++) {
            const weir_predicate *found = fixed_values(predicate->children[i], column);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

/* All combinations of the values that the bucket columns are fixed to, as rows; none where there are too many. */
static int combine_values(const weir_predicate *const *values, int32_t column_count, weir_batch *rows, weir_error *err)
{
    int64_t count = 1;
    for (int32_t i = 0; i < column_count; i++) {
        count = count > MOST_KEYS ? count : count * values[i]->literal_count;
    }
    for (int64_t row = 0; row < count && count <= MOST_KEYS; row++) {
        int64_t rest = row;
        for (int32_t i = 0; i < column_count; i++) {
            const weir_literal *value = &values[i]->literals[rest % values[i]->literal_count];
            WEIR_TRY(weir_vector_append_literal(&rows->columns[i], value, err));
            rest /= values[i]->literal_count;
        }
        rows->length++;
    }
    return WEIR_OK;
}

/* Which buckets the rows are in. */
static int mark_buckets(weir_scan_filter *filter, const weir_batch *rows, int32_t bucket_count, weir_error *err)
{
    int32_t *positions = WEIR_NEW_ARRAY(filter->arena, int32_t, rows->column_count + 1);
    int32_t *buckets = WEIR_NEW_ARRAY(filter->arena, int32_t, rows->length + 1);
    for (int32_t i = 0; i < rows->column_count; i++) {
        positions[i] = i;
    }
    WEIR_TRY(weir_batch_buckets(WEIR_BUCKET_DEFAULT, rows, positions, rows->column_count, bucket_count, buckets, err));
    filter->buckets = WEIR_NEW_ARRAY(filter->arena, bool, bucket_count);
    bool one = true;
    for (int64_t i = 0; i < rows->length; i++) {
        filter->buckets[buckets[i]] = true;
        one = one && buckets[i] == buckets[0];
    }
    filter->bucket = one ? buckets[0] : -1;
    return WEIR_OK;
}

/* The buckets that rows with these key values are in. */
static int find_buckets(weir_scan_filter *filter, const weir_predicate *predicate, weir_error *err)
{
    const weir_table *table = filter->table;
    const int32_t *columns = NULL;
    int32_t column_count = 0, bucket_count = 0;
    weir_bucket_function function = WEIR_BUCKET_DEFAULT;
    WEIR_TRY(weir_table_bucket_count(table, &bucket_count, err));
    WEIR_TRY(weir_table_bucket_function(table, &function, err));
    if (bucket_count < 2 || function != WEIR_BUCKET_DEFAULT) {
        return WEIR_OK;
    }
    filter->total_buckets = bucket_count;
    WEIR_TRY(weir_table_bucket_columns(table, filter->arena, &columns, &column_count, err));
    const weir_predicate **values = WEIR_NEW_ARRAY(filter->arena, const weir_predicate *, column_count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(filter->arena, weir_field, column_count + 1);
    for (int32_t i = 0; i < column_count; i++) {
        fields[i] = table->schema->fields[columns[i]];
        values[i] = fixed_values(predicate, columns[i]);
        if (values[i] == NULL) {
            return WEIR_OK;
        }
    }
    weir_batch rows;
    weir_batch_init(&rows, fields, column_count);
    int code = column_count > 0 ? combine_values(values, column_count, &rows, err) : WEIR_OK;
    if (code == WEIR_OK && rows.length > 0) {
        code = mark_buckets(filter, &rows, bucket_count, err);
    }
    weir_batch_free(&rows);
    return code;
}

bool weir_scan_filter_bucket(const weir_scan_filter *filter, const weir_manifest_entry *entry)
{
    return filter->buckets == NULL || entry->total_buckets != filter->total_buckets || entry->bucket < 0 ||
           entry->bucket >= filter->total_buckets || filter->buckets[entry->bucket];
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
    return find_buckets(filter, predicate, err);
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
    int code =
        weir_stats_decode(&filter->table->context, file, filter->columns, filter->column_count, &arena, stats, err);
    if (code == WEIR_OK) {
        *out = weir_predicate_may_match(filter->values, stats);
    }
    weir_arena_free(&arena);
    return code;
}
