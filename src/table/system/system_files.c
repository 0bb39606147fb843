/* System tables of what a snapshot consists of: files, partitions, buckets, manifests. */
#include <stdlib.h>

#include "file/stats.h"
#include "table/scan/scan.h"
#include "table/system/system_rows.h"
#include "vector/cast.h"

/* The live files of the snapshot that the table's options name, by partition and bucket. */
typedef struct snapshot_files {
    weir_arena arena;
    weir_manifest_entries entries;
    const weir_snapshot *snapshot; /* NULL: the table is empty */
} snapshot_files;

static void free_files(snapshot_files *files)
{
    weir_manifest_entries_free(&files->entries);
    weir_arena_free(&files->arena);
}

static int read_files(const weir_table *table, bool without_stats, snapshot_files *out, weir_error *err)
{
    weir_snapshot *snapshot = NULL;
    *out = (snapshot_files){0};
    weir_arena_init(&out->arena);
    WEIR_TRY(weir_scan_snapshot(table, &out->arena, &snapshot, err));
    out->snapshot = snapshot;
    if (snapshot == NULL) {
        return WEIR_OK;
    }
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = without_stats};
    WEIR_TRY(weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, snapshot, &filter,
                                 table->context.pool, &out->arena, &out->entries, err));
    weir_manifest_entries_sort(&out->entries);
    return WEIR_OK;
}

/* ---- files ---- */

const weir_field weir_file_columns[] = {
    {.name = "partition", .type = &weir_system_text_null},
    {.name = "bucket", .type = &weir_system_int},
    {.name = "file_path", .type = &weir_system_text},
    {.name = "file_format", .type = &weir_system_text},
    {.name = "schema_id", .type = &weir_system_bigint},
    {.name = "level", .type = &weir_system_int},
    {.name = "record_count", .type = &weir_system_bigint},
    {.name = "file_size_in_bytes", .type = &weir_system_bigint},
    {.name = "min_key", .type = &weir_system_text_null},
    {.name = "max_key", .type = &weir_system_text_null},
    {.name = "null_value_counts", .type = &weir_system_text},
    {.name = "min_value_stats", .type = &weir_system_text},
    {.name = "max_value_stats", .type = &weir_system_text},
    {.name = "min_sequence_number", .type = &weir_system_bigint_null},
    {.name = "max_sequence_number", .type = &weir_system_bigint_null},
    {.name = "creation_time", .type = &weir_system_time_null},
    {.name = "deleteRowCount", .type = &weir_system_bigint_null},
    {.name = "file_source", .type = &weir_system_text_null},
    {.name = "first_row_id", .type = &weir_system_bigint_null},
    {.name = "write_cols", .type = &weir_system_texts_null},
};

/* "[1, a]": the key as the schema of the file has it; NULL where there is none. */
static int key_text(const weir_schema *schema, weir_slice key, weir_arena *arena, const char **out, weir_error *err)
{
    int32_t count = schema->key_column_count;
    *out = NULL;
    if (count == 0 || key.size < 4 || weir_load_be32(key.data) == 0) {
        return WEIR_OK;
    }
    const weir_type **types = WEIR_NEW_ARRAY(arena, const weir_type *, count);
    weir_literal *values = WEIR_NEW_ARRAY(arena, weir_literal, count);
    for (int32_t i = 0; i < count; i++) {
        types[i] = schema->fields[schema->key_columns[i]].type;
    }
    WEIR_TRY(weir_binary_row_deserialize(key, types, count, "the key of a file", arena, values, err));
    weir_buffer text = {0};
    int code = WEIR_OK;
    weir_buffer_append_byte(&text, '[');
    for (int32_t i = 0; i < count && code == WEIR_OK; i++) {
        weir_buffer_append_text(&text, i > 0 ? ", " : "");
        code = weir_append_java_value(types[i], &values[i], &text, err);
    }
    weir_buffer_append_byte(&text, ']');
    *out = weir_arena_strdup(arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return code;
}

/* The statistics of a file seen through the table's schema: columns by name. */
typedef struct column_texts {
    const weir_schema *schema;
    int32_t *order;           /* columns by name */
    weir_column_stats *stats; /* of the table's columns */
} column_texts;

static int compare_names(const void *a, const void *b, void *context)
{
    const weir_field *fields = context;
    return strcmp(fields[*(const int32_t *)a].name, fields[*(const int32_t *)b].name);
}

/* A bound of an older version of the column, as the column is today; a value that has no such form is NULL. */
static void cast_bound(const weir_type *from, const weir_type *to, weir_arena *arena, weir_literal *bound)
{
    weir_vector before, after;
    weir_vector_init(&before, from);
    weir_vector_init(&after, to);
    bool is_cast = weir_cast_allowed(from, to) && weir_vector_append_literal(&before, bound, NULL) == WEIR_OK &&
                   weir_vector_cast(&before, &after, NULL) == WEIR_OK && !weir_vector_is_null(&after, 0);
    *bound = (weir_literal){.is_null = true};
    if (is_cast) {
        weir_literal cast = weir_literal_of(&after, 0);
        *bound = weir_literal_copy(arena, to, &cast);
    }
    weir_vector_free(&before);
    weir_vector_free(&after);
}

static int read_stats(const weir_table *table, const weir_data_file *file, weir_arena *arena, column_texts *out,
                      weir_error *err)
{
    const weir_schema *schema = table->schema, *written = NULL;
    weir_table_context as_written = table->context;
    WEIR_TRY(weir_table_context_schema(&table->context, file->schema_id, &written, err));
    as_written.schema = written;
    int32_t *columns = WEIR_NEW_ARRAY(arena, int32_t, written->field_count + 1);
    weir_column_stats *stats = WEIR_NEW_ARRAY(arena, weir_column_stats, written->field_count + 1);
    for (int32_t i = 0; i < written->field_count; i++) {
        columns[i] = i;
    }
    WEIR_TRY(weir_stats_decode(&as_written, file, columns, written->field_count, arena, stats, err));
    *out = (column_texts){.schema = schema,
                          .order = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count + 1),
                          .stats = WEIR_NEW_ARRAY(arena, weir_column_stats, schema->field_count + 1)};
    for (int32_t i = 0; i < schema->field_count; i++) {
        int32_t from = weir_schema_column_by_id(written, schema->fields[i].id);
        out->order[i] = i;
        out->stats[i] = from >= 0 ? stats[from] : (weir_column_stats){.null_count = file->row_count};
        if (from >= 0 && out->stats[i].has_min_max &&
            !weir_type_equal(written->fields[from].type, schema->fields[i].type, true)) {
            cast_bound(written->fields[from].type, schema->fields[i].type, arena, &out->stats[i].min);
            cast_bound(written->fields[from].type, schema->fields[i].type, arena, &out->stats[i].max);
        }
    }
    qsort_r(out->order, (size_t)schema->field_count, sizeof *out->order, compare_names, (void *)schema->fields);
    return WEIR_OK;
}

static void put_null_counts(weir_system_rows *rows, const column_texts *texts)
{
    weir_buffer text = {0};
    weir_buffer_append_byte(&text, '{');
    for (int32_t i = 0; i < texts->schema->field_count; i++) {
        int32_t column = texts->order[i];
        int64_t count = texts->stats[column].null_count;
        weir_buffer_append_format(&text, "%s%s=", i > 0 ? ", " : "", texts->schema->fields[column].name);
        if (count < 0) {
            weir_buffer_append_text(&text, "null");
        } else {
            weir_buffer_append_format(&text, "%" PRId64, count);
        }
    }
    weir_buffer_append_byte(&text, '}');
    weir_system_put_buffer(rows, &text);
    weir_buffer_free(&text);
}

static int put_bounds(weir_system_rows *rows, const column_texts *texts, bool greatest)
{
    weir_buffer text = {0};
    int code = WEIR_OK;
    weir_buffer_append_byte(&text, '{');
    for (int32_t i = 0; i < texts->schema->field_count && code == WEIR_OK; i++) {
        const weir_field *field = &texts->schema->fields[texts->order[i]];
        const weir_column_stats *stats = &texts->stats[texts->order[i]];
        const weir_literal *bound = greatest ? &stats->max : &stats->min;
        weir_buffer_append_format(&text, "%s%s=", i > 0 ? ", " : "", field->name);
        if (!stats->has_min_max || bound->is_null) {
            weir_buffer_append_text(&text, "null");
        } else {
            code = weir_append_java_value(field->type, bound, &text, rows->err);
        }
    }
    weir_buffer_append_byte(&text, '}');
    weir_system_put_buffer(rows, &text);
    weir_buffer_free(&text);
    return code;
}

static void put_file_origin(weir_system_rows *rows, const weir_data_file *file)
{
    static const char *const sources[] = {"APPEND", "COMPACT"};
    weir_system_put_bigint(rows, file->min_sequence_number);
    weir_system_put_bigint(rows, file->max_sequence_number);
    if (file->creation_time_ms == INT64_MIN) {
        weir_system_put_null(rows);
    } else {
        weir_system_put_time(rows, file->creation_time_ms);
    }
    weir_system_put_count(rows, file->delete_row_count);
    weir_system_put_text(rows, file->file_source == 0 || file->file_source == 1 ? sources[file->file_source] : NULL);
    weir_system_put_count(rows, file->first_row_id);
    if (file->has_write_columns) {
        weir_system_put_texts(rows, file->write_columns, file->write_column_count);
    } else {
        weir_system_put_null(rows);
    }
}

static int add_file(const weir_table *table, const weir_manifest_entry *entry, weir_arena *arena,
                    weir_system_rows *rows)
{
    const weir_data_file *file = entry->file;
    const weir_schema *written = NULL;
    const char *partition = NULL, *bucket_path = NULL, *min_key = NULL, *max_key = NULL;
    column_texts texts;
    weir_error *err = rows->err;
    WEIR_TRY(weir_partition_row_text(table->schema, entry->partition, arena, &partition, err));
    WEIR_TRY(weir_bucket_path(arena, &table->context.paths, table->schema, entry->partition, entry->bucket,
                              &bucket_path, err));
    WEIR_TRY(weir_table_context_schema(&table->context, file->schema_id, &written, err));
    WEIR_TRY(key_text(written, file->min_key, arena, &min_key, err));
    WEIR_TRY(key_text(written, file->max_key, arena, &max_key, err));
    WEIR_TRY(read_stats(table, file, arena, &texts, err));
    weir_system_put_text(rows, partition);
    weir_system_put_int(rows, entry->bucket);
    weir_system_put_text(rows, weir_data_file_path(arena, bucket_path, file));
    weir_system_put_text(rows, weir_data_file_format(file->name));
    weir_system_put_bigint(rows, file->schema_id);
    weir_system_put_int(rows, file->level);
    weir_system_put_bigint(rows, file->row_count);
    weir_system_put_bigint(rows, file->size_bytes);
    weir_system_put_text(rows, min_key);
    weir_system_put_text(rows, max_key);
    put_null_counts(rows, &texts);
    WEIR_TRY(put_bounds(rows, &texts, false));
    WEIR_TRY(put_bounds(rows, &texts, true));
    put_file_origin(rows, file);
    return weir_system_end_row(rows);
}

int weir_system_read_files(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    snapshot_files files;
    int code = read_files(table, false, &files, err);
    for (size_t i = 0; i < files.entries.count && code == WEIR_OK; i++) {
        if (files.entries.items[i].bucket >= 0) { /* as in Java: postponed files are not seen */
            weir_arena arena;
            weir_arena_init(&arena);
            code = add_file(table, &files.entries.items[i], &arena, &rows);
            weir_arena_free(&arena);
        }
    }
    free_files(&files);
    return code;
}

/* ---- partitions and buckets ---- */

const weir_field weir_partition_columns[] = {
    {.name = "partition", .type = &weir_system_text_null},
    {.name = "record_count", .type = &weir_system_bigint},
    {.name = "file_size_in_bytes", .type = &weir_system_bigint},
    {.name = "file_count", .type = &weir_system_bigint},
    {.name = "last_update_time", .type = &weir_system_time_null},
    {.name = "created_at", .type = &weir_system_time_null},
    {.name = "created_by", .type = &weir_system_text_null},
    {.name = "updated_by", .type = &weir_system_text_null},
    {.name = "options", .type = &weir_system_text_null},
};

const weir_field weir_bucket_columns[] = {
    {.name = "partition", .type = &weir_system_text_null}, {.name = "bucket", .type = &weir_system_int},
    {.name = "record_count", .type = &weir_system_bigint}, {.name = "file_size_in_bytes", .type = &weir_system_bigint},
    {.name = "file_count", .type = &weir_system_bigint},   {.name = "last_update_time", .type = &weir_system_time_null},
};

/* The files of one partition or bucket, summed up. */
typedef struct file_sum {
    const char *partition;
    int32_t bucket;
    int64_t rows, bytes, files, last_ms;
} file_sum;

static int compare_sums(const void *a, const void *b)
{
    const file_sum *first = a, *second = b;
    int order = strcmp(first->partition, second->partition);
    return order != 0 ? order : (first->bucket > second->bucket) - (first->bucket < second->bucket);
}

typedef int (*partition_formatter)(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                                   weir_error *err);

/* Neighbours of one partition (and bucket) become one sum; the sums are in the order of their texts. */
static int sum_files(const weir_table *table, snapshot_files *files, bool by_bucket, partition_formatter format,
                     file_sum **out, size_t *out_count, weir_error *err)
{
    file_sum *sums = WEIR_NEW_ARRAY(&files->arena, file_sum, files->entries.count + 1);
    const weir_manifest_entry *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < files->entries.count; i++) {
        const weir_manifest_entry *entry = &files->entries.items[i];
        if (!by_bucket && entry->bucket < 0) {
            continue;
        }
        if (last == NULL || !weir_slice_equal(last->partition, entry->partition) ||
            (by_bucket && last->bucket != entry->bucket)) {
            file_sum *sum = &sums[count++];
            sum->bucket = by_bucket ? entry->bucket : 0;
            sum->last_ms = INT64_MIN;
            WEIR_TRY(format(table->schema, entry->partition, &files->arena, &sum->partition, err));
        }
        file_sum *sum = &sums[count - 1];
        sum->rows += entry->file->row_count;
        sum->bytes += entry->file->size_bytes;
        sum->files++;
        sum->last_ms = entry->file->creation_time_ms > sum->last_ms ? entry->file->creation_time_ms : sum->last_ms;
        last = entry;
    }
    if (count > 1) {
        qsort(sums, count, sizeof *sums, compare_sums);
    }
    *out = sums;
    *out_count = count;
    return WEIR_OK;
}

static void put_sum(weir_system_rows *rows, const file_sum *sum)
{
    weir_system_put_bigint(rows, sum->rows);
    weir_system_put_bigint(rows, sum->bytes);
    weir_system_put_bigint(rows, sum->files);
    if (sum->last_ms == INT64_MIN) {
        weir_system_put_null(rows);
    } else {
        weir_system_put_time(rows, sum->last_ms);
    }
}

static int add_sum(weir_system_rows *rows, const file_sum *sum, bool by_bucket)
{
    weir_system_put_text(rows, sum->partition);
    if (by_bucket) {
        weir_system_put_int(rows, sum->bucket);
    }
    put_sum(rows, sum);
    for (int32_t unknown = 0; unknown < 4 && !by_bucket; unknown++) {
        weir_system_put_null(rows); /* what only catalogs with a server know of partitions */
    }
    return weir_system_end_row(rows);
}

static int read_sums(const weir_table *table, bool by_bucket, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    snapshot_files files;
    file_sum *sums = NULL;
    size_t count = 0;
    int code;
    WEIR_GO(read_files(table, true, &files, err));
    WEIR_GO(sum_files(table, &files, by_bucket, by_bucket ? weir_partition_row_text : weir_partition_spec_text, &sums,
                      &count, err));
    for (size_t i = 0; i < count; i++) {
        WEIR_GO(add_sum(&rows, &sums[i], by_bucket));
    }
done:
    free_files(&files);
    return code;
}

int weir_system_read_partitions(const weir_table *table, weir_batch *out, weir_error *err)
{
    return read_sums(table, false, out, err);
}

int weir_system_read_buckets(const weir_table *table, weir_batch *out, weir_error *err)
{
    return read_sums(table, true, out, err);
}

/* ---- manifests ---- */

const weir_field weir_manifest_columns[] = {
    {.name = "file_name", .type = &weir_system_text},
    {.name = "file_size", .type = &weir_system_bigint},
    {.name = "num_added_files", .type = &weir_system_bigint},
    {.name = "num_deleted_files", .type = &weir_system_bigint},
    {.name = "schema_id", .type = &weir_system_bigint},
    {.name = "min_partition_stats", .type = &weir_system_text_null},
    {.name = "max_partition_stats", .type = &weir_system_text_null},
    {.name = "min_row_id", .type = &weir_system_bigint_null},
    {.name = "max_row_id", .type = &weir_system_bigint_null},
};

static int add_manifest(const weir_table *table, const weir_manifest_file *file, weir_arena *arena,
                        weir_system_rows *rows)
{
    const char *least = NULL, *greatest = NULL;
    WEIR_TRY(weir_partition_row_text(table->schema, file->partition_stats.min_values, arena, &least, rows->err));
    WEIR_TRY(weir_partition_row_text(table->schema, file->partition_stats.max_values, arena, &greatest, rows->err));
    weir_system_put_text(rows, file->name);
    weir_system_put_bigint(rows, file->size_bytes);
    weir_system_put_bigint(rows, file->added_files);
    weir_system_put_bigint(rows, file->deleted_files);
    weir_system_put_bigint(rows, file->schema_id);
    weir_system_put_text(rows, least);
    weir_system_put_text(rows, greatest);
    weir_system_put_count(rows, file->min_row_id);
    weir_system_put_count(rows, file->max_row_id);
    return weir_system_end_row(rows);
}

/* Of the base list, the delta and the changelog. */
int weir_system_read_manifests(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    const weir_table_context *context = &table->context;
    weir_manifest_files manifests = {0};
    weir_snapshot *snapshot = NULL;
    weir_arena arena;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(weir_scan_snapshot(table, &arena, &snapshot, err));
    if (snapshot != NULL) {
        const char *const lists[] = {snapshot->base_manifest_list, snapshot->delta_manifest_list,
                                     snapshot->changelog_manifest_list};
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
            if (lists[i] != NULL) {
                WEIR_GO(weir_manifest_list_read(context->fs, &context->paths, lists[i], &arena, &manifests, err));
            }
        }
    }
    for (size_t i = 0; i < manifests.count; i++) {
        WEIR_GO(add_manifest(table, &manifests.items[i], &arena, &rows));
    }
done:
    weir_manifest_files_free(&manifests);
    weir_arena_free(&arena);
    return code;
}
