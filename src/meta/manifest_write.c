/* Writing manifests and manifest lists, and remembering what was written. */
#include <stdlib.h>

#include "base/clock.h"
#include "format/avro/avro.h"
#include "meta/manifest_record.h"
#include "meta/partition.h"
#include "vector/compare.h"

/* The size of a manifest is looked at after so many entries. */
enum { ENTRIES_A_BATCH = 1000 };

void weir_manifest_writer_init(weir_manifest_writer *writer, weir_fs *fs, const weir_table_paths *paths,
                               const weir_schema *schema, weir_arena *arena)
{
    *writer = (weir_manifest_writer){.fs = fs, .paths = paths, .schema = schema, .arena = arena};
    weir_uuid(writer->manifest_uuid);
    weir_uuid(writer->list_uuid);
}

void weir_manifest_writer_free(weir_manifest_writer *writer)
{
    free(writer->written);
    writer->written = NULL;
    writer->written_count = 0;
    writer->written_capacity = 0;
}

void weir_manifest_writer_abandon(weir_manifest_writer *writer)
{
    (void)weir_fs_remove_many(writer->fs, writer->written, writer->written_count, NULL);
    writer->written_count = 0;
}

int weir_manifest_writer_sync(weir_manifest_writer *writer, weir_error *err)
{
    return weir_fs_sync_directory(writer->fs, weir_arena_format(writer->arena, "%s/manifest", writer->paths->table),
                                  err);
}

/* How to write, by the options. */
static int write_options(const weir_manifest_writer *writer, weir_format_write_options *out, weir_error *err)
{
    const weir_options *options = &writer->schema->options;
    const char *format = NULL;
    int64_t level = 1;
    *out = (weir_format_write_options){.no_stats = true};
    WEIR_TRY(weir_options_text(options, "manifest.format", &format, err));
    if (strcmp(format, "avro") != 0) {
        return weir_fail(err, WEIR_UNSUPPORTED, "option 'manifest.format' = '%s': only 'avro' is supported", format);
    }
    WEIR_TRY(weir_options_text(options, "manifest.compression", &out->compression, err));
    WEIR_TRY(weir_options_int(options, "file.compression.zstd-level", &level, err));
    out->zstd_level = (int32_t)level;
    return WEIR_OK;
}

static void remember(weir_manifest_writer *writer, const char *path)
{
    WEIR_GROW(writer->written, writer->written_capacity, writer->written_count + 1);
    writer->written[writer->written_count++] = path;
}

int weir_manifest_writer_open_records(weir_manifest_writer *writer, const char *path, const weir_field *fields,
                                      int32_t field_count, weir_format_writer **out, weir_error *err)
{
    weir_format_write_options options;
    weir_output *output = NULL;
    WEIR_TRY(write_options(writer, &options, err));
    WEIR_TRY(weir_fs_create(writer->fs, path, &output, err));
    int code = weir_avro_open_writer(output, fields, field_count, &options, out, err);
    if (code != WEIR_OK) {
        weir_output_abandon(output);
        return code;
    }
    remember(writer, path);
    return WEIR_OK;
}

int weir_manifest_records_append(weir_format_writer *records, const weir_batch *batch, weir_error *err)
{
    for (int32_t i = 0; i < batch->column_count; i++) {
        WEIR_TRY(records->ops->append(records, i, &batch->columns[i], 0, batch->length, err));
    }
    return WEIR_OK;
}

/* ---- describing a manifest ---- */

/* Statistics over the partitions of the entries of one manifest. */
typedef struct partition_stats {
    const weir_type **types;
    weir_literal *min;
    weir_literal *max;
    bool *has_value;
    int64_t *null_counts;
    weir_literal *values; /* of the entry at hand */
    weir_slice last;      /* the partition that was added last: neighbours are mostly equal */
    int32_t count;
} partition_stats;

static void begin_stats(const weir_schema *schema, weir_arena *arena, partition_stats *stats)
{
    int32_t count = schema->partition_key_count;
    *stats = (partition_stats){.count = count};
    stats->types = WEIR_NEW_ARRAY(arena, const weir_type *, count);
    stats->min = WEIR_NEW_ARRAY(arena, weir_literal, count);
    stats->max = WEIR_NEW_ARRAY(arena, weir_literal, count);
    stats->has_value = WEIR_NEW_ARRAY(arena, bool, count);
    stats->null_counts = WEIR_NEW_ARRAY(arena, int64_t, count);
    stats->values = WEIR_NEW_ARRAY(arena, weir_literal, count);
    for (int32_t i = 0; i < count; i++) {
        stats->types[i] = schema->fields[schema->partition_columns[i]].type;
    }
}

static int add_partition(const weir_schema *schema, weir_slice partition, weir_arena *arena, partition_stats *stats,
                         weir_error *err)
{
    bool repeated = stats->last.data != NULL && weir_slice_equal(stats->last, partition);
    if (!repeated) {
        WEIR_TRY(weir_partition_decode(schema, partition, arena, stats->values, err));
        stats->last = partition;
    }
    for (int32_t i = 0; i < stats->count; i++) {
        const weir_literal *value = &stats->values[i];
        if (value->is_null) {
            stats->null_counts[i]++;
            continue;
        }
        if (repeated || weir_type_is_bytes(stats->types[i])) { /* Java does not order bytes here */
            continue;
        }
        if (!stats->has_value[i] || weir_literal_compare(stats->types[i], value, &stats->min[i]) < 0) {
            stats->min[i] = *value;
        }
        if (!stats->has_value[i] || weir_literal_compare(stats->types[i], value, &stats->max[i]) > 0) {
            stats->max[i] = *value;
        }
        stats->has_value[i] = true;
    }
    return WEIR_OK;
}

static weir_slice serialize(const partition_stats *stats, const weir_literal *values, weir_arena *arena)
{
    weir_buffer row = {0};
    weir_binary_row_serialize(stats->types, values, stats->count, &row);
    weir_slice copy = weir_slice_of(weir_arena_copy(arena, row.data, row.size), row.size);
    weir_buffer_free(&row);
    return copy;
}

static weir_stats_row end_stats(const partition_stats *stats, weir_arena *arena)
{
    for (int32_t i = 0; i < stats->count; i++) {
        stats->min[i].is_null = !stats->has_value[i];
        stats->max[i].is_null = !stats->has_value[i];
    }
    weir_stats_row row = {.min_values = serialize(stats, stats->min, arena),
                          .max_values = serialize(stats, stats->max, arena),
                          .null_count_length = stats->count};
    row.null_counts = weir_arena_copy(arena, stats->null_counts, sizeof *stats->null_counts * (size_t)stats->count);
    return row;
}

static void add_row_ids(const weir_data_file *file, bool *all_given, weir_manifest_file *out)
{
    if (file->first_row_id < 0) {
        *all_given = false;
        return;
    }
    int64_t last = file->first_row_id + file->row_count - 1;
    if (out->min_row_id < 0 || file->first_row_id < out->min_row_id) {
        out->min_row_id = file->first_row_id;
    }
    if (last > out->max_row_id) {
        out->max_row_id = last;
    }
}

static int describe(const weir_schema *schema, const weir_manifest_entry *entries, size_t count, weir_arena *arena,
                    weir_manifest_file *out, weir_error *err)
{
    partition_stats stats;
    bool all_row_ids = true;
    weir_arena scratch;
    int code = WEIR_OK;
    weir_arena_init(&scratch);
    begin_stats(schema, &scratch, &stats);
    *out = (weir_manifest_file){.min_bucket = INT32_MAX,
                                .max_bucket = INT32_MIN,
                                .min_level = INT32_MAX,
                                .max_level = INT32_MIN,
                                .has_buckets = true,
                                .has_levels = true,
                                .min_row_id = -1,
                                .max_row_id = -1};
    for (size_t i = 0; i < count; i++) {
        const weir_manifest_entry *entry = &entries[i];
        const weir_data_file *file = entry->file;
        out->added_files += entry->kind == WEIR_FILE_ADD;
        out->deleted_files += entry->kind == WEIR_FILE_DELETE;
        out->schema_id = file->schema_id > out->schema_id ? file->schema_id : out->schema_id;
        out->min_bucket = entry->bucket < out->min_bucket ? entry->bucket : out->min_bucket;
        out->max_bucket = entry->bucket > out->max_bucket ? entry->bucket : out->max_bucket;
        out->min_level = file->level < out->min_level ? file->level : out->min_level;
        out->max_level = file->level > out->max_level ? file->level : out->max_level;
        add_row_ids(file, &all_row_ids, out);
        WEIR_GO(add_partition(schema, entry->partition, &scratch, &stats, err));
    }
    if (!all_row_ids) {
        out->min_row_id = -1;
        out->max_row_id = -1;
    }
    out->partition_stats = end_stats(&stats, arena);
done:
    weir_arena_free(&scratch);
    return code;
}

/* ---- writing ---- */

/* What is written: the options that decide it, read once. */
typedef struct entry_options {
    int64_t target_bytes;
    bool drop_stats; /* of deleted files: nobody reads them */
} entry_options;

static int append_entry(const weir_manifest_entry *entry, const entry_options *options, weir_batch *batch,
                        weir_error *err)
{
    if (entry->kind != WEIR_FILE_DELETE || !options->drop_stats) {
        return weir_entry_append(entry, batch, err);
    }
    weir_data_file lean_file = *entry->file;
    weir_manifest_entry lean = *entry;
    lean_file.value_stats = (weir_stats_row){0};
    lean_file.has_value_stats_columns = true;
    lean_file.value_stats_column_count = 0;
    lean.file = &lean_file;
    return weir_entry_append(&lean, batch, err);
}

/* Writes entries until the file has reached its target size; *out_count says how many. A target may be less than a file
 * without entries takes, so a first batch is always written. */
static int write_entries(weir_format_writer *records, const weir_manifest_entry *entries, size_t count,
                         const entry_options *options, size_t *out_count, weir_error *err)
{
    weir_batch batch;
    size_t done_count = 0;
    int code = WEIR_OK;
    weir_batch_init(&batch, weir_entry_fields, WEIR_ENTRY_COLUMNS);
    while (done_count == 0 || (done_count < count && (int64_t)records->ops->size(records) < options->target_bytes)) {
        weir_batch_clear(&batch);
        for (int i = 0; i < ENTRIES_A_BATCH && done_count < count; i++) {
            WEIR_GO(append_entry(&entries[done_count++], options, &batch, err));
        }
        WEIR_GO(weir_manifest_records_append(records, &batch, err));
    }
    *out_count = done_count;
done:
    weir_batch_free(&batch);
    return code;
}

/* Writes one manifest of as many entries as fit, and describes it. */
static int write_manifest(weir_manifest_writer *writer, const weir_manifest_entry *entries, size_t count,
                          const entry_options *options, size_t *out_count, weir_manifest_file *out, weir_error *err)
{
    weir_written_stats stats[WEIR_ENTRY_COLUMNS];
    weir_format_writer *records = NULL;
    const char *name =
        weir_arena_format(writer->arena, "manifest-%s-%" PRId32, writer->manifest_uuid, writer->manifest_count++);
    const char *path = weir_manifest_path(writer->arena, writer->paths, name);
    int code;
    WEIR_TRY(weir_manifest_writer_open_records(writer, path, weir_entry_fields, WEIR_ENTRY_COLUMNS, &records, err));
    WEIR_GO(write_entries(records, entries, count, options, out_count, err));
    WEIR_GO(records->ops->finish(records, true, stats, err));
    WEIR_GO(describe(writer->schema, entries, *out_count, writer->arena, out, err));
    out->name = name;
    out->size_bytes = (int64_t)records->ops->size(records);
done:
    records->ops->close(records);
    return code;
}

int weir_manifest_writer_write(weir_manifest_writer *writer, const weir_manifest_entry *entries, size_t count,
                               weir_manifest_files *out, weir_error *err)
{
    entry_options options = {0};
    WEIR_TRY(weir_options_size(&writer->schema->options, "manifest.target-file-size", &options.target_bytes, err));
    WEIR_TRY(weir_options_bool(&writer->schema->options, "manifest.delete-file-drop-stats", &options.drop_stats, err));
    if (options.target_bytes <= 0) {
        return weir_fail(err, WEIR_INVALID, "option 'manifest.target-file-size' must be greater than 0");
    }
    for (size_t first = 0; first < count;) {
        size_t written = 0;
        weir_manifest_file file;
        WEIR_TRY(write_manifest(writer, entries + first, count - first, &options, &written, &file, err));
        weir_manifest_files_append(out, file);
        first += written;
    }
    return WEIR_OK;
}

static int write_list(weir_format_writer *records, const weir_manifest_files *files, weir_error *err)
{
    weir_batch batch;
    int code = WEIR_OK;
    weir_batch_init(&batch, weir_list_fields, WEIR_LIST_COLUMNS);
    for (size_t i = 0; i < files->count; i++) {
        WEIR_GO(weir_manifest_file_append(&files->items[i], &batch, err));
    }
    WEIR_GO(weir_manifest_records_append(records, &batch, err));
done:
    weir_batch_free(&batch);
    return code;
}

int weir_manifest_writer_write_list(weir_manifest_writer *writer, const weir_manifest_files *files,
                                    const char **out_name, int64_t *out_size, weir_error *err)
{
    weir_written_stats stats[WEIR_LIST_COLUMNS];
    weir_format_writer *records = NULL;
    const char *name =
        weir_arena_format(writer->arena, "manifest-list-%s-%" PRId32, writer->list_uuid, writer->list_count++);
    const char *path = weir_manifest_path(writer->arena, writer->paths, name);
    int code;
    WEIR_TRY(weir_manifest_writer_open_records(writer, path, weir_list_fields, WEIR_LIST_COLUMNS, &records, err));
    WEIR_GO(write_list(records, files, err));
    WEIR_GO(records->ops->finish(records, true, stats, err));
    *out_name = name;
    *out_size = (int64_t)records->ops->size(records);
done:
    records->ops->close(records);
    return code;
}
