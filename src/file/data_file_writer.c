/* Rolling writers of data files; see the header.
 *
 * The columns of a file are, for key-value and changelog files:
 *
 *   _KEY_<k> for each column k of the trimmed primary key (not in thin mode) | _SEQUENCE_NUMBER | _VALUE_KIND | columns
 *
 * and the columns alone for append files. A file ends between two calls once it has reached its target size; row groups
 * end at their size, or earlier when the memory budget is short. Encoding is the format writer's business. */
#include "file/data_file_writer.h"

#include <stdlib.h>

#include "base/clock.h"
#include "file/data_file_reader.h"
#include "file/stats.h"
#include "file/writer_settings.h"

/* A batch is written in pieces of so many rows, so that its file can end in between. */
#define PIECE_ROWS 65536

struct weir_data_file_writer {
    const weir_table_context *context;
    const weir_schema *schema;
    weir_data_file_kind kind;
    int32_t level;
    weir_file_source source;
    weir_writer_settings settings;
    weir_arena arena;
    const char *bucket_path;
    bool folder_is_new;
    char uuid[WEIR_UUID_SIZE];
    int64_t next_number; /* of file names */
    int64_t next_sequence_number;

    weir_field *fields; /* of the files */
    int32_t field_count;
    int32_t key_field_count; /* _KEY_ fields */
    int32_t first_column;    /* position of the schema's first column in `fields` */

    /* The file being written. */
    weir_format_writer *format; /* NULL: none */
    weir_data_file *file;
    weir_batch first_key; /* one row each: keys of the file's first and last row */
    weir_batch last_key;
    int64_t group_bytes; /* uncompressed, since the last flush */
    uint64_t flushed_size;
    int64_t held_bytes; /* taken from the budget for what waits for a flush */

    weir_data_file **files; /* finished ones, and the one being written */
    size_t file_count;
    size_t file_capacity;
    bool finished;
};

static bool has_keys(const weir_data_file_writer *writer) { return writer->kind != WEIR_DATA_FILE_APPEND; }

/* Position of `column` in the trimmed primary key, or -1. */
static int32_t key_position(const weir_schema *schema, int32_t column)
{
    for (int32_t i = 0; i < schema->key_column_count; i++) {
        if (schema->key_columns[i] == column) {
            return i;
        }
    }
    return -1;
}

static void make_fields(weir_data_file_writer *writer)
{
    const weir_schema *schema = writer->schema;
    weir_arena *arena = &writer->arena;
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, schema->field_count + schema->key_column_count + 2);
    int32_t count = 0;
    if (has_keys(writer)) {
        writer->key_field_count = writer->settings.thin ? 0 : schema->key_column_count;
        for (int32_t i = 0; i < writer->key_field_count; i++) {
            const weir_field *column = &schema->fields[schema->key_columns[i]];
            fields[count++] = (weir_field){
                .id = WEIR_KEY_FIELD_ID_BASE + column->id,
                .name = weir_arena_format(arena, "%s%s", WEIR_KEY_FIELD_PREFIX, column->name),
                .type = weir_type_nullable(arena, column->type, false),
            };
        }
        fields[count++] = *weir_sequence_number_field();
        fields[count++] = *weir_value_kind_field();
    }
    writer->first_column = count;
    memcpy(fields + count, schema->fields, (size_t)schema->field_count * sizeof *fields);
    writer->fields = fields;
    writer->field_count = count + schema->field_count;
}

static void make_key_batches(weir_data_file_writer *writer)
{
    const weir_schema *schema = writer->schema;
    weir_field *keys = WEIR_NEW_ARRAY(&writer->arena, weir_field, schema->key_column_count + 1);
    for (int32_t i = 0; i < schema->key_column_count; i++) {
        keys[i] = schema->fields[schema->key_columns[i]];
    }
    int32_t count = has_keys(writer) ? schema->key_column_count : 0;
    weir_batch_init(&writer->first_key, keys, count);
    weir_batch_init(&writer->last_key, keys, count);
}

int weir_data_file_writer_create(const weir_table_context *context, const weir_data_file_writer_options *options,
                                 weir_data_file_writer **out, weir_error *err)
{
    weir_data_file_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->context = context;
    writer->schema = context->schema;
    writer->kind = options->kind;
    writer->level = options->level;
    writer->source = options->source;
    weir_arena_init(&writer->arena);
    weir_uuid(writer->uuid);
    int code;
    WEIR_GO(weir_writer_settings_read(context->schema, options->kind, options->level, &writer->arena, &writer->settings,
                                      err));
    WEIR_GO(weir_bucket_path(&writer->arena, &context->paths, context->schema, options->partition, options->bucket,
                             &writer->bucket_path, err));
    make_fields(writer);
    make_key_batches(writer);
    *out = writer;
    return WEIR_OK;
done:
    weir_data_file_writer_close(writer);
    return code;
}

/* --- files --- */

static int begin_file(weir_data_file_writer *writer, weir_error *err)
{
    if (writer->file_count == 0 && !writer->context->fs->is_object_store) {
        bool exists = false;
        WEIR_TRY(weir_fs_exists(writer->context->fs, writer->bucket_path, &exists, err));
        writer->folder_is_new = !exists;
    }
    weir_data_file *file = WEIR_NEW(&writer->arena, weir_data_file);
    file->name = weir_data_file_name(&writer->arena, writer->schema, writer->settings.prefix, writer->uuid,
                                     writer->next_number++, writer->settings.format,
                                     writer->settings.format_options.compression);
    file->min_sequence_number = INT64_MAX;
    file->max_sequence_number = INT64_MIN;
    file->schema_id = writer->schema->id;
    file->level = writer->level;
    file->file_source = writer->source;
    file->first_row_id = -1;
    const char *path = weir_data_file_path(&writer->arena, writer->bucket_path, file);
    weir_output *output = NULL;
    WEIR_TRY(weir_fs_create(writer->context->fs, path, &output, err));
    int code = weir_format_open_writer(writer->settings.format, output, writer->fields, writer->field_count,
                                       &writer->settings.format_options, &writer->format, err);
    if (code != WEIR_OK) {
        writer->format = NULL;
        weir_output_abandon(output);
        return code;
    }
    writer->file = file;
    writer->group_bytes = 0;
    writer->flushed_size = 0;
    WEIR_GROW(writer->files, writer->file_capacity, writer->file_count + 1);
    writer->files[writer->file_count++] = file;
    return WEIR_OK;
}

static void give_held_bytes(weir_data_file_writer *writer)
{
    weir_budget_give(writer->context->budget, writer->held_bytes);
    writer->held_bytes = 0;
}

static int flush_row_group(weir_data_file_writer *writer, weir_error *err)
{
    WEIR_TRY(writer->format->ops->flush(writer->format, err));
    writer->group_bytes = 0;
    writer->flushed_size = writer->format->ops->size(writer->format);
    give_held_bytes(writer);
    return WEIR_OK;
}

int64_t weir_data_file_writer_memory(const weir_data_file_writer *writer)
{
    return writer->format == NULL ? 0 : (int64_t)(writer->format->ops->size(writer->format) - writer->flushed_size);
}

/* Takes from the budget for what waits in a row group. A quarter of it is left to those who cannot do with less. */
static bool try_hold(weir_data_file_writer *writer, int64_t bytes)
{
    weir_budget *budget = writer->context->budget;
    int64_t limit = weir_budget_limit(budget);
    if (limit < INT64_MAX && weir_budget_left(budget) - bytes < limit / 4) {
        return false;
    }
    return weir_budget_try_take(budget, bytes);
}

/* A row group ends at its size, and where the budget has no room for what waits in it. */
static int bound_row_group(weir_data_file_writer *writer, weir_error *err)
{
    if (writer->group_bytes >= writer->settings.format_options.row_group_bytes) {
        return flush_row_group(writer, err);
    }
    int64_t waiting = weir_data_file_writer_memory(writer);
    int64_t more = waiting - writer->held_bytes;
    if (more <= 0) {
        return WEIR_OK;
    }
    if (!try_hold(writer, more)) {
        return flush_row_group(writer, err);
    }
    writer->held_bytes = waiting;
    return WEIR_OK;
}

/* The serialized row (arity first) of the one key in `batch`. */
static int serialize_key(weir_data_file_writer *writer, const weir_batch *batch, weir_slice *out, weir_error *err)
{
    int32_t count = batch->column_count;
    int32_t *columns = WEIR_NEW_ARRAY(&writer->arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        columns[i] = i;
    }
    weir_buffer bytes = {0};
    weir_buffer_append_zeros(&bytes, 4);
    weir_store_be32(bytes.data, (uint32_t)count);
    int code = weir_binary_row_write(batch, columns, count, 0, &bytes, err);
    if (code == WEIR_OK) {
        *out = weir_slice_of(weir_arena_copy(&writer->arena, bytes.data, bytes.size), bytes.size);
    }
    weir_buffer_free(&bytes);
    return code;
}

static void describe_no_keys(weir_data_file *file)
{
    weir_slice none = weir_partition_none(); /* a row of arity 0 */
    file->min_key = none;
    file->max_key = none;
    file->key_stats = (weir_stats_row){.min_values = none, .max_values = none};
}

static int describe_keys(weir_data_file_writer *writer, const weir_written_stats *stats, weir_error *err)
{
    const weir_schema *schema = writer->schema;
    weir_data_file *file = writer->file;
    WEIR_TRY(serialize_key(writer, &writer->first_key, &file->min_key, err));
    WEIR_TRY(serialize_key(writer, &writer->last_key, &file->max_key, err));
    weir_written_stats *key_stats = WEIR_NEW_ARRAY(&writer->arena, weir_written_stats, schema->key_column_count + 1);
    for (int32_t i = 0; i < schema->key_column_count; i++) {
        key_stats[i] = stats[writer->first_column + schema->key_columns[i]];
    }
    return weir_stats_encode_keys(schema, key_stats, &writer->arena, file, err);
}

static int end_file(weir_data_file_writer *writer, weir_error *err)
{
    weir_data_file *file = writer->file;
    weir_written_stats *stats = weir_alloc_zeroed((size_t)writer->field_count, sizeof *stats);
    int code;
    WEIR_GO(writer->format->ops->finish(writer->format, true, stats, err));
    file->size_bytes = (int64_t)writer->format->ops->size(writer->format);
    file->creation_time_ms = weir_local_now_ms();
    if (has_keys(writer)) {
        WEIR_GO(describe_keys(writer, stats, err));
    } else {
        describe_no_keys(file);
    }
    WEIR_GO(weir_stats_encode_values(writer->schema, writer->settings.stats_mode, writer->schema->fields,
                                     writer->schema->field_count, stats + writer->first_column, &writer->arena, file,
                                     err));
    writer->format->ops->close(writer->format);
    writer->format = NULL;
    writer->file = NULL;
    give_held_bytes(writer);
done:
    free(stats);
    return code;
}

/* --- rows --- */

/* Before rows are written: ends a file that is large enough and begins one where there is none. */
static int prepare_file(weir_data_file_writer *writer, weir_error *err)
{
    if (writer->format != NULL &&
        (int64_t)writer->format->ops->size(writer->format) >= writer->settings.target_file_bytes) {
        WEIR_TRY(end_file(writer, err));
    }
    return writer->format == NULL ? begin_file(writer, err) : WEIR_OK;
}

static int append_field(weir_data_file_writer *writer, int32_t field, const weir_vector *values, int64_t first,
                        int64_t count, weir_error *err)
{
    writer->group_bytes += weir_vector_range_bytes(values, first, count);
    return writer->format->ops->append(writer->format, field, values, first, count, err);
}

/* Notes the key values of the first and last row of a key column. */
static int note_key(weir_data_file_writer *writer, int32_t position, const weir_vector *values, int64_t first,
                    int64_t count, weir_error *err)
{
    if (writer->file->row_count == 0) {
        weir_vector_clear(&writer->first_key.columns[position]);
        WEIR_TRY(weir_vector_append_range(&writer->first_key.columns[position], values, first, 1, err));
        writer->first_key.length = 1;
    }
    weir_vector_clear(&writer->last_key.columns[position]);
    WEIR_TRY(weir_vector_append_range(&writer->last_key.columns[position], values, first + count - 1, 1, err));
    writer->last_key.length = 1;
    return WEIR_OK;
}

static int write_column(weir_data_file_writer *writer, int32_t column, const weir_vector *values, int64_t first,
                        int64_t count, weir_error *err)
{
    int32_t position = has_keys(writer) ? key_position(writer->schema, column) : -1;
    if (position >= 0) {
        WEIR_TRY(note_key(writer, position, values, first, count, err));
        if (position < writer->key_field_count) {
            WEIR_TRY(append_field(writer, position, values, first, count, err));
        }
    }
    return append_field(writer, writer->first_column + column, values, first, count, err);
}

/* A vector that borrows an array. */
static weir_vector borrowed_vector(const weir_field *field, const void *data, int64_t count)
{
    weir_vector vector;
    weir_vector_init(&vector, field->type);
    vector.data = (uint8_t *)(uintptr_t)data;
    vector.length = count;
    return vector;
}

static int write_system_columns(weir_data_file_writer *writer, int64_t count, const int64_t *sequence_numbers,
                                const int8_t *kinds, weir_error *err)
{
    if (sequence_numbers == NULL) {
        return weir_fail(err, WEIR_INVALID, "%s: key-value files need sequence numbers", writer->bucket_path);
    }
    int8_t *inserts = kinds == NULL ? weir_alloc_zeroed((size_t)count, 1) : NULL;
    weir_vector sequences = borrowed_vector(weir_sequence_number_field(), sequence_numbers, count);
    weir_vector kind_values = borrowed_vector(weir_value_kind_field(), kinds == NULL ? inserts : kinds, count);
    int32_t field = writer->key_field_count;
    int code;
    WEIR_GO(append_field(writer, field, &sequences, 0, count, err));
    WEIR_GO(append_field(writer, field + 1, &kind_values, 0, count, err));
done:
    free(inserts);
    return code;
}

static void count_rows(weir_data_file_writer *writer, int64_t count, const int64_t *sequence_numbers,
                       const int8_t *kinds)
{
    weir_data_file *file = writer->file;
    int64_t least = file->min_sequence_number;
    int64_t greatest = file->max_sequence_number;
    if (sequence_numbers == NULL) {
        least = writer->next_sequence_number < least ? writer->next_sequence_number : least;
        writer->next_sequence_number += count;
        greatest = writer->next_sequence_number - 1;
    }
    for (int64_t i = 0; sequence_numbers != NULL && i < count; i++) {
        least = sequence_numbers[i] < least ? sequence_numbers[i] : least;
        greatest = sequence_numbers[i] > greatest ? sequence_numbers[i] : greatest;
    }
    int64_t deletes = 0;
    for (int64_t i = 0; kinds != NULL && i < count; i++) {
        deletes += kinds[i] & 1; /* -U and -D are the odd ones */
    }
    file->min_sequence_number = least;
    file->max_sequence_number = greatest;
    file->delete_row_count += deletes;
    file->row_count += count;
}

/* What comes after the columns of some rows. */
static int end_rows(weir_data_file_writer *writer, int64_t count, const int64_t *sequence_numbers, const int8_t *kinds,
                    weir_error *err)
{
    if (has_keys(writer)) {
        WEIR_TRY(write_system_columns(writer, count, sequence_numbers, kinds, err));
    }
    count_rows(writer, count, sequence_numbers, kinds);
    return bound_row_group(writer, err);
}

static int write_from_source(weir_data_file_writer *writer, int32_t column, int64_t count, weir_column_source source,
                             void *argument, weir_error *err)
{
    const weir_field *field = &writer->schema->fields[column];
    weir_vector values;
    weir_vector_init(&values, field->type);
    int code;
    WEIR_GO(source(argument, column, &values, err));
    if (values.length != count) {
        code = weir_fail(err, WEIR_INVALID, "column '%s': %" PRId64 " values were given for %" PRId64 " rows",
                         field->name, values.length, count);
        goto done;
    }
    WEIR_GO(write_column(writer, column, &values, 0, count, err));
done:
    weir_vector_free(&values);
    return code;
}

int weir_data_file_writer_write_columns(weir_data_file_writer *writer, int64_t count, const int64_t *sequence_numbers,
                                        const int8_t *kinds, weir_column_source source, void *argument, weir_error *err)
{
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(prepare_file(writer, err));
    for (int32_t i = 0; i < writer->schema->field_count; i++) {
        WEIR_TRY(write_from_source(writer, i, count, source, argument, err));
    }
    return end_rows(writer, count, sequence_numbers, kinds, err);
}

int weir_data_file_writer_write_batch(weir_data_file_writer *writer, const weir_batch *batch, int64_t first,
                                      int64_t count, const int64_t *sequence_numbers, const int8_t *kinds,
                                      weir_error *err)
{
    for (int64_t done = 0; done < count;) {
        int64_t piece = count - done < PIECE_ROWS ? count - done : PIECE_ROWS;
        WEIR_TRY(prepare_file(writer, err));
        for (int32_t i = 0; i < writer->schema->field_count; i++) {
            WEIR_TRY(write_column(writer, i, &batch->columns[i], first + done, piece, err));
        }
        WEIR_TRY(end_rows(writer, piece, sequence_numbers == NULL ? NULL : sequence_numbers + done,
                          kinds == NULL ? NULL : kinds + done, err));
        done += piece;
    }
    return WEIR_OK;
}

void weir_data_file_writer_set_sequence(weir_data_file_writer *writer, int64_t next)
{
    writer->next_sequence_number = next;
}

/* --- the end --- */

/* A new folder's name lives in the folder above it, so those up to the table's are synced as well. */
static int sync_folders(weir_data_file_writer *writer, weir_error *err)
{
    weir_fs *fs = writer->context->fs;
    WEIR_TRY(weir_fs_sync_directory(fs, writer->bucket_path, err));
    size_t table_size = strlen(writer->context->paths.table);
    char *folder = weir_arena_strdup(&writer->arena, writer->bucket_path);
    while (writer->folder_is_new && strlen(folder) > table_size) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder) {
            break;
        }
        *slash = 0;
        WEIR_TRY(weir_fs_sync_directory(fs, folder, err));
    }
    return WEIR_OK;
}

int weir_data_file_writer_finish(weir_data_file_writer *writer, weir_arena *arena, weir_data_file ***files,
                                 size_t *file_count, size_t *file_capacity, weir_error *err)
{
    if (writer->format != NULL) {
        WEIR_TRY(end_file(writer, err));
    }
    if (writer->file_count > 0) {
        WEIR_TRY(sync_folders(writer, err));
    }
    WEIR_GROW(*files, *file_capacity, *file_count + writer->file_count);
    for (size_t i = 0; i < writer->file_count; i++) {
        (*files)[(*file_count)++] = weir_data_file_copy(arena, writer->files[i]);
    }
    writer->finished = true;
    return WEIR_OK;
}

static void remove_files(weir_data_file_writer *writer)
{
    for (size_t i = 0; i < writer->file_count; i++) {
        const char *path = weir_data_file_path(&writer->arena, writer->bucket_path, writer->files[i]);
        weir_fs_remove(writer->context->fs, path, NULL);
    }
}

void weir_data_file_writer_close(weir_data_file_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    if (writer->format != NULL) {
        writer->format->ops->close(writer->format);
    }
    if (!writer->finished) {
        remove_files(writer);
    }
    give_held_bytes(writer);
    weir_batch_free(&writer->first_key);
    weir_batch_free(&writer->last_key);
    free(writer->files);
    weir_arena_free(&writer->arena);
    free(writer);
}
