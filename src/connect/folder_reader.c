/* Files of a table in a folder to batches of the table. */
#include "connect/folder_reader.h"

#include <stdlib.h>

#include "connect/file_metadata.h"
#include "vector/literal.h"

#define DEFAULT_BATCH_ROWS 65536

int weir_file_columns_of(const weir_field *fields, int32_t field_count, const char *const *partition_keys,
                         int32_t partition_key_count, weir_arena *arena, weir_file_columns *out, weir_error *err)
{
    *out = (weir_file_columns){.fields = WEIR_NEW_ARRAY(arena, weir_field, field_count),
                               .columns = WEIR_NEW_ARRAY(arena, int32_t, field_count),
                               .partition_columns = WEIR_NEW_ARRAY(arena, int32_t, partition_key_count),
                               .partition_count = partition_key_count};
    for (int32_t i = 0; i < partition_key_count; i++) {
        out->partition_columns[i] = -1;
    }
    for (int32_t column = 0; column < field_count; column++) {
        bool is_partition = false;
        for (int32_t i = 0; i < partition_key_count; i++) {
            if (strcmp(fields[column].name, partition_keys[i]) == 0) {
                out->partition_columns[i] = column;
                is_partition = true;
            }
        }
        if (!is_partition) {
            out->fields[out->count] = fields[column];
            out->columns[out->count++] = column;
        }
    }
    for (int32_t i = 0; i < partition_key_count; i++) {
        if (out->partition_columns[i] < 0) {
            return weir_fail(err, WEIR_INVALID, "partition key '%s' is no column of the table", partition_keys[i]);
        }
    }
    return WEIR_OK;
}

/* ---- files ---- */

/* Flink unpacks text in files of these names. */
static int check_uncompressed(const char *path, weir_error *err)
{
    static const char *const endings[] = {".gz", ".gzip", ".deflate", ".bz2", ".xz", ".zst", ".zstd"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(path);
        size_t ending = strlen(endings[i]);
        if (size > ending && strcmp(path + size - ending, endings[i]) == 0) {
            return weir_fail(err, WEIR_UNSUPPORTED, "%s: compressed text is not read by this version; unpack the file",
                             path);
        }
    }
    return WEIR_OK;
}

int weir_folder_reader_open(weir_folder_reader *reader, const weir_folder_file *file, weir_file_position position,
                            bool may_grow, weir_error *err)
{
    weir_file *opened;
    if (reader->text_reader != NULL) {
        WEIR_TRY(check_uncompressed(file->path, err));
    }
    WEIR_TRY(weir_fs_open_file(reader->table.fs, file->path, &opened, err));
    reader->opened_size = opened->size;
    int code = reader->text_reader != NULL
                   ? weir_text_rows_open(opened, reader->text_reader, position, reader->budget, &reader->rows, err)
                   : weir_columnar_rows_open(reader->format->name, opened, reader->columns.fields,
                                             reader->columns.count, position, reader->budget, &reader->rows, err);
    if (code != WEIR_OK) {
        return weir_error_context(err, code, "format '%s'", reader->format->name);
    }
    reader->rows->may_grow = may_grow;
    reader->file = file;
    return WEIR_OK;
}

void weir_folder_reader_close_file(weir_folder_reader *reader)
{
    if (reader->rows != NULL) {
        reader->rows->close(reader->rows);
        reader->rows = NULL;
        reader->file = NULL;
    }
}

/* ---- batches ---- */

/* Appends the partition values of the current file for `count` rows. */
static int append_partition(weir_folder_reader *reader, int64_t count, weir_batch *batch, weir_error *err)
{
    const weir_folder_file *file = reader->file;
    for (int32_t i = 0; i < reader->columns.partition_count; i++) {
        int32_t column = reader->columns.partition_columns[i];
        weir_vector *vector = &batch->columns[column];
        if (file->partition[i] == NULL) {
            WEIR_TRY(weir_vector_append_nulls(vector, count, err));
            continue;
        }
        weir_literal value;
        WEIR_TRY_CTX(weir_literal_parse(reader->fields[column].type, weir_slice_text(file->partition[i]),
                                        &reader->arena, &value, err),
                     err, "%s: partition key '%s'", file->path, reader->fields[column].name);
        for (int64_t row = 0; row < count; row++) {
            WEIR_TRY(weir_vector_append_literal(vector, &value, err));
        }
    }
    return WEIR_OK;
}

/* Has the current file append rows to the columns of `batch` that it holds, by a batch of just these: their vectors are
 * lent to it and taken back. */
int weir_folder_reader_append(weir_folder_reader *reader, weir_batch *batch, weir_error *err)
{
    weir_batch *view = &reader->view;
    int64_t before = batch->length;
    weir_vector *known = view->columns + reader->columns.count;
    for (int32_t i = 0; i < reader->columns.count; i++) {
        view->columns[i] = batch->columns[reader->columns.columns[i]];
    }
    for (int32_t i = 0; i < reader->known_count; i++) {
        known[i] = batch->columns[reader->known_columns[i]];
    }
    view->length = before;
    view->kinds = batch->kinds;
    view->kinds_capacity = batch->kinds_capacity;
    int code = reader->rows->next(reader->rows, reader->batch_rows, view, err);
    for (int32_t i = 0; i < reader->columns.count; i++) {
        batch->columns[reader->columns.columns[i]] = view->columns[i];
    }
    for (int32_t i = 0; i < reader->known_count; i++) {
        batch->columns[reader->known_columns[i]] = known[i];
    }
    batch->length = view->length;
    batch->kinds = view->kinds;
    batch->kinds_capacity = view->kinds_capacity;
    if (code != WEIR_OK && code != WEIR_END) {
        return code;
    }
    WEIR_TRY(append_partition(reader, batch->length - before, batch, err));
    for (int32_t i = 0; i < reader->metadata_count; i++) {
        if (weir_file_metadata_type(reader->metadata[i].name) != NULL) {
            WEIR_TRY(weir_file_metadata_append(&reader->metadata[i], reader->file,
                                               batch->length - before, &batch->columns[reader->field_count + i], err));
        }
    }
    return code;
}

/* ---- opening and closing ---- */

/* Metadata that is no file's is the format's. */
static void find_known(weir_folder_reader *reader)
{
    reader->known = WEIR_NEW_ARRAY(&reader->arena, weir_field, reader->metadata_count);
    reader->known_columns = WEIR_NEW_ARRAY(&reader->arena, int32_t, reader->metadata_count);
    for (int32_t i = 0; i < reader->metadata_count; i++) {
        if (weir_file_metadata_type(reader->metadata[i].name) == NULL) {
            reader->known_columns[reader->known_count] = reader->field_count + i;
            reader->known[reader->known_count++] = reader->metadata[i];
        }
    }
}

static int open_folder(weir_folder_reader *reader, const weir_source_options *options, weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    const char *uri = weir_connect_text(connector, options->options, "path");
    const char *pattern = weir_connect_text(connector, options->options, "source.path.regex-pattern");
    reader->table.partition_keys = options->partition_keys;
    reader->table.partition_key_count = options->partition_key_count;
    reader->table.default_partition = weir_connect_text(connector, options->options, "partition.default-name");
    if (pattern != NULL) {
        WEIR_TRY(weir_name_pattern_compile(pattern, "source.path.regex-pattern", &reader->table.pattern, err));
    }
    weir_fs_settings settings = weir_options_fs_settings(options->options);
    WEIR_TRY_CTX(weir_fs_open(uri, &settings, &reader->arena, &reader->table.fs, &reader->table.path, err), err, "option 'path'");
    return WEIR_OK;
}

int weir_folder_reader_init(weir_folder_reader *reader, const weir_source_options *options, weir_error *err)
{
    *reader = (weir_folder_reader){
        .budget = options->budget,
        .batch_rows = options->batch_rows > 0 ? options->batch_rows : DEFAULT_BATCH_ROWS,
        .fields = options->fields,
        .field_count = options->field_count,
        .metadata = options->metadata,
        .metadata_count = options->metadata_count,
    };
    weir_arena_init(&reader->arena);
    WEIR_TRY(weir_format_of(options->options, &reader->format, err));
    WEIR_TRY(weir_file_columns_of(options->fields, options->field_count, options->partition_keys,
                                  options->partition_key_count, &reader->arena, &reader->columns, err));
    find_known(reader);
    reader->view.column_count = reader->columns.count + reader->known_count;
    reader->view.columns = weir_alloc_zeroed((size_t)reader->view.column_count + 1, sizeof *reader->view.columns);
    if (weir_row_format_is_text(reader->format)) {
        weir_row_keys keys = {options->primary_keys, options->primary_key_count, options->whole_changes};
        WEIR_TRY(weir_row_format_open_reader(reader->format, options->options, reader->columns.fields,
                                             reader->columns.count, reader->known, reader->known_count,
                                             &keys, &reader->text_reader, err));
    }
    return open_folder(reader, options, err);
}

void weir_folder_reader_free(weir_folder_reader *reader)
{
    weir_folder_reader_close_file(reader);
    if (reader->text_reader != NULL) {
        reader->text_reader->close(reader->text_reader);
    }
    weir_name_pattern_free(reader->table.pattern);
    free(reader->view.columns);
    weir_arena_free(&reader->arena);
}
