/* The filesystem source: the files of a folder, one after the other.
 *
 * Bounded: the files that are there when it is opened. A position names the files that are through and how far the
 * current one is, so it stays right when files come and go in between. */
#include <stdlib.h>

#include "connect/file_metadata.h"
#include "connect/file_rows.h"
#include "connect/filesystem.h"
#include "connect/folder_files.h"
#include "vector/literal.h"

#define DEFAULT_BATCH_ROWS 65536
#define BATCH_TEXT_BYTES   (16 << 20) /* a batch ends after so much text, however few rows it makes */

#define POSITION_VERSION 1

typedef struct filesystem_source {
    weir_source base;
    weir_arena arena;
    const weir_connect_kind *format;
    weir_budget *budget;
    int64_t batch_rows;
    weir_file_columns columns;
    const weir_field *fields; /* of the table */
    int32_t field_count;
    const weir_field *metadata; /* columns behind those */
    int32_t metadata_count;
    weir_field *known;      /* those of them that the format gives */
    int32_t *known_columns; /* their places in a batch */
    int32_t known_count;
    weir_folder_table table;
    weir_folder_file *files;
    bool *done; /* of each file */
    size_t file_count;
    int64_t finished_bytes;    /* of the files that are through */
    size_t current;            /* the file that is open, or the next one to look at */
    bool goes_back;            /* files before the current one may wait: they came after its position was taken */
    weir_row_reader *reader;   /* of text; NULL: the format is read column by column */
    weir_file_rows *rows;      /* of the current file; NULL: none is open */
    weir_file_position resume; /* where the current file is to be opened */
    weir_batch view;           /* the columns of a batch that are in the files */
} filesystem_source;

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

static int open_current(filesystem_source *source, weir_error *err)
{
    const char *path = source->files[source->current].path;
    weir_file *file;
    if (source->reader != NULL) {
        WEIR_TRY(check_uncompressed(path, err));
    }
    WEIR_TRY(weir_fs_open_file(source->table.fs, path, &file, err));
    int code = source->reader != NULL
                   ? weir_text_rows_open(file, source->reader, source->resume, source->budget, &source->rows, err)
                   : weir_columnar_rows_open(source->format->name, file, source->columns.fields, source->columns.count,
                                             source->resume, source->budget, &source->rows, err);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "format '%s'", source->format->name);
}

static void close_current(filesystem_source *source)
{
    if (source->rows != NULL) {
        source->rows->close(source->rows);
        source->rows = NULL;
    }
}

static void finish_current(filesystem_source *source)
{
    close_current(source);
    source->done[source->current] = true;
    source->finished_bytes += (int64_t)source->files[source->current].size;
    source->resume = WEIR_FILE_START;
    if (source->goes_back) {
        source->current = 0;
        source->goes_back = false;
    }
}

static int64_t count_done_bytes(const filesystem_source *source)
{
    bool is_in_text = source->rows != NULL && source->reader != NULL;
    return source->finished_bytes + (is_in_text ? (int64_t)source->rows->position.offset : 0);
}

/* ---- batches ---- */

/* Appends the partition values of the current file for `count` rows. */
static int append_partition(filesystem_source *source, int64_t count, weir_batch *batch, weir_error *err)
{
    const weir_folder_file *file = &source->files[source->current];
    for (int32_t i = 0; i < source->columns.partition_count; i++) {
        int32_t column = source->columns.partition_columns[i];
        weir_vector *vector = &batch->columns[column];
        if (file->partition[i] == NULL) {
            WEIR_TRY(weir_vector_append_nulls(vector, count, err));
            continue;
        }
        weir_literal value;
        WEIR_TRY_CTX(weir_literal_parse(source->fields[column].type, weir_slice_text(file->partition[i]),
                                        &source->arena, &value, err),
                     err, "%s: partition key '%s'", file->path, source->fields[column].name);
        for (int64_t row = 0; row < count; row++) {
            WEIR_TRY(weir_vector_append_literal(vector, &value, err));
        }
    }
    return WEIR_OK;
}

/* Has the current file append rows to the columns of `batch` that it holds, by a batch of just these: their vectors are
 * lent to it and taken back. */
static int append_rows(filesystem_source *source, weir_batch *batch, weir_error *err)
{
    weir_batch *view = &source->view;
    int64_t before = batch->length;
    weir_vector *known = view->columns + source->columns.count;
    for (int32_t i = 0; i < source->columns.count; i++) {
        view->columns[i] = batch->columns[source->columns.columns[i]];
    }
    for (int32_t i = 0; i < source->known_count; i++) {
        known[i] = batch->columns[source->known_columns[i]];
    }
    view->length = before;
    view->kinds = batch->kinds;
    view->kinds_capacity = batch->kinds_capacity;
    int code = source->rows->next(source->rows, source->batch_rows, view, err);
    for (int32_t i = 0; i < source->columns.count; i++) {
        batch->columns[source->columns.columns[i]] = view->columns[i];
    }
    for (int32_t i = 0; i < source->known_count; i++) {
        batch->columns[source->known_columns[i]] = known[i];
    }
    batch->length = view->length;
    batch->kinds = view->kinds;
    batch->kinds_capacity = view->kinds_capacity;
    if (code != WEIR_OK && code != WEIR_END) {
        return code;
    }
    WEIR_TRY(append_partition(source, batch->length - before, batch, err));
    for (int32_t i = 0; i < source->metadata_count; i++) {
        if (weir_file_metadata_type(source->metadata[i].name) != NULL) {
            WEIR_TRY(weir_file_metadata_append(&source->metadata[i], &source->files[source->current],
                                               batch->length - before, &batch->columns[source->field_count + i], err));
        }
    }
    return code;
}

static int next_batch(weir_source *self, weir_batch *batch, weir_error *err)
{
    filesystem_source *source = (filesystem_source *)self;
    int64_t bytes_before = self->done_bytes;
    weir_batch_clear(batch);
    while (batch->length < source->batch_rows && self->done_bytes - bytes_before < BATCH_TEXT_BYTES) {
        while (source->rows == NULL && source->current < source->file_count && source->done[source->current]) {
            source->current++;
        }
        if (source->current == source->file_count) {
            return batch->length > 0 ? WEIR_OK : WEIR_END;
        }
        if (source->rows == NULL) {
            WEIR_TRY(open_current(source, err));
        }
        int code = append_rows(source, batch, err);
        if (code == WEIR_END) {
            finish_current(source);
        } else if (code != WEIR_OK) {
            return code;
        }
        self->done_bytes = count_done_bytes(source);
    }
    return WEIR_OK;
}

/* ---- positions ----
 *
 * | version: 1 | files that are through: 4 | the name of each | name of the current file, may be empty | offset: 8 |
 * | line: 8 | state: 1 |, a name being | size: 4 | bytes |, numbers little-endian. */

static void append_number(weir_buffer *out, uint64_t number, size_t bytes)
{
    uint8_t encoded[8];
    weir_store_le64(encoded, number);
    weir_buffer_append(out, encoded, bytes);
}

static void append_name(weir_buffer *out, const char *name)
{
    append_number(out, strlen(name), 4);
    weir_buffer_append_text(out, name);
}

static int write_position(weir_source *self, weir_buffer *out, weir_error *err)
{
    const filesystem_source *source = (const filesystem_source *)self;
    (void)err;
    uint32_t done = 0;
    for (size_t i = 0; i < source->file_count; i++) {
        done += source->done[i];
    }
    weir_buffer_append_byte(out, POSITION_VERSION);
    append_number(out, done, 4);
    for (size_t i = 0; i < source->file_count; i++) {
        if (source->done[i]) {
            append_name(out, source->files[i].name);
        }
    }
    weir_file_position position = source->rows != NULL ? source->rows->position : source->resume;
    append_name(out, source->rows != NULL ? source->files[source->current].name : "");
    append_number(out, position.offset, 8);
    append_number(out, (uint64_t)position.line, 8);
    append_number(out, position.state, 1);
    return WEIR_OK;
}

/* A position being read. */
typedef struct position_reader {
    weir_slice left;
    bool failed;
} position_reader;

static weir_slice take_bytes(position_reader *reader, size_t size)
{
    if (reader->failed || reader->left.size < size) {
        reader->failed = true;
        return (weir_slice){0};
    }
    weir_slice bytes = weir_slice_of(reader->left.data, size);
    reader->left = weir_slice_of(reader->left.data + size, reader->left.size - size);
    return bytes;
}

static uint64_t take_number(position_reader *reader, size_t size)
{
    uint8_t encoded[8] = {0};
    weir_slice bytes = take_bytes(reader, size);
    memcpy(encoded, bytes.size > 0 ? bytes.data : encoded, bytes.size);
    return weir_load_le64(encoded);
}

static weir_slice take_name(position_reader *reader) { return take_bytes(reader, (size_t)take_number(reader, 4)); }

/* The file of this name, or file_count. Names are in order. */
static size_t find_file(const filesystem_source *source, weir_slice name)
{
    size_t low = 0;
    size_t high = source->file_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = weir_slice_compare(weir_slice_text(source->files[middle].name), name);
        if (order == 0) {
            return middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return source->file_count;
}

static int restore_position(weir_source *self, weir_slice position, weir_error *err)
{
    filesystem_source *source = (filesystem_source *)self;
    position_reader reader = {.left = position};
    if (take_number(&reader, 1) != POSITION_VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the stored position is of another version", source->table.path);
    }
    memset(source->done, 0, source->file_count);
    source->finished_bytes = 0;
    for (uint64_t left = take_number(&reader, 4); left > 0 && !reader.failed; left--) {
        size_t file = find_file(source, take_name(&reader));
        if (file < source->file_count) { /* others were removed since */
            source->done[file] = true;
            source->finished_bytes += (int64_t)source->files[file].size;
        }
    }
    weir_slice name = take_name(&reader);
    source->resume = (weir_file_position){.offset = take_number(&reader, 8)};
    source->resume.line = (int64_t)take_number(&reader, 8);
    source->resume.state = (uint8_t)take_number(&reader, 1);
    if (reader.failed || reader.left.size > 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the stored position is damaged", source->table.path);
    }
    close_current(source);
    source->current = 0;
    if (name.size > 0) {
        source->current = find_file(source, name);
        if (source->current == source->file_count) {
            return weir_fail(err, WEIR_NOT_FOUND, "%s/%.*s: the file that was being read is gone", source->table.path,
                             (int)name.size, (const char *)name.data);
        }
        source->goes_back = true;
        WEIR_TRY(open_current(source, err));
    }
    self->done_bytes = count_done_bytes(source);
    return WEIR_OK;
}

/* ---- opening and closing ---- */

static void close_source(weir_source *self)
{
    if (self == NULL) {
        return;
    }
    filesystem_source *source = (filesystem_source *)self;
    close_current(source);
    if (source->reader != NULL) {
        source->reader->close(source->reader);
    }
    weir_name_pattern_free(source->table.pattern);
    free(source->view.columns);
    weir_arena_free(&source->arena);
    free(source);
}

static int list_files(filesystem_source *source, const weir_source_options *options, const weir_connect_kind *connector,
                      weir_error *err)
{
    const char *uri = weir_connect_text(connector, options->options, "path");
    const char *pattern = weir_connect_text(connector, options->options, "source.path.regex-pattern");
    source->table.partition_keys = options->partition_keys;
    source->table.partition_key_count = options->partition_key_count;
    source->table.default_partition = weir_connect_text(connector, options->options, "partition.default-name");
    if (pattern != NULL) {
        WEIR_TRY(weir_name_pattern_compile(pattern, "source.path.regex-pattern", &source->table.pattern, err));
    }
    WEIR_TRY_CTX(weir_fs_open(uri, &source->arena, &source->table.fs, &source->table.path, err), err, "option 'path'");
    WEIR_TRY(weir_folder_files_list(&source->table, &source->arena, &source->files, &source->file_count, err));
    source->done = WEIR_NEW_ARRAY(&source->arena, bool, source->file_count);
    for (size_t i = 0; i < source->file_count; i++) {
        source->base.total_bytes += (int64_t)source->files[i].size;
    }
    return WEIR_OK;
}

/* Metadata that is no file's is the format's. */
static void find_known(filesystem_source *source)
{
    source->known = WEIR_NEW_ARRAY(&source->arena, weir_field, source->metadata_count);
    source->known_columns = WEIR_NEW_ARRAY(&source->arena, int32_t, source->metadata_count);
    for (int32_t i = 0; i < source->metadata_count; i++) {
        if (weir_file_metadata_type(source->metadata[i].name) == NULL) {
            source->known_columns[source->known_count] = source->field_count + i;
            source->known[source->known_count++] = source->metadata[i];
        }
    }
}

static int open_source(filesystem_source *source, const weir_source_options *options, weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    WEIR_TRY(weir_format_of(options->options, &source->format, err));
    WEIR_TRY(weir_file_columns_of(options->fields, options->field_count, options->partition_keys,
                                  options->partition_key_count, &source->arena, &source->columns, err));
    find_known(source);
    source->view.column_count = source->columns.count + source->known_count;
    source->view.columns = weir_alloc_zeroed((size_t)source->view.column_count, sizeof *source->view.columns);
    if (weir_row_format_is_text(source->format)) {
        WEIR_TRY(weir_row_format_open_reader(source->format, options->options, source->columns.fields,
                                             source->columns.count, source->known, source->known_count,
                                             options->primary_keys, options->primary_key_count, &source->reader, err));
    }
    return list_files(source, options, connector, err);
}

int weir_filesystem_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    filesystem_source *source = weir_alloc_zeroed(1, sizeof *source);
    source->base = (weir_source){.next = next_batch,
                                 .position = write_position,
                                 .restore = restore_position,
                                 .close = close_source,
                                 .is_bounded = true};
    weir_arena_init(&source->arena);
    source->budget = options->budget;
    source->batch_rows = options->batch_rows > 0 ? options->batch_rows : DEFAULT_BATCH_ROWS;
    source->fields = options->fields;
    source->field_count = options->field_count;
    source->metadata = options->metadata;
    source->metadata_count = options->metadata_count;
    source->resume = WEIR_FILE_START;
    int code = open_source(source, options, err);
    if (code != WEIR_OK) {
        close_source(&source->base);
        return code;
    }
    *out = &source->base;
    return WEIR_OK;
}

int weir_filesystem_check(const weir_options *options, const weir_connect_kind *format, const weir_field *fields,
                          int32_t field_count, weir_error *err)
{
    const char *path = weir_options_get(options, "path");
    if (path == NULL || path[0] == '\0') {
        return weir_fail(err, WEIR_INVALID, "option 'path' is missing: it names the file or folder");
    }
    if (!weir_row_format_is_text(format)) {
        return WEIR_OK;
    }
    weir_row_reader *reader;
    WEIR_TRY(weir_row_format_open_reader(format, options, fields, field_count, NULL, 0, NULL, 0, &reader, err));
    reader->close(reader);
    weir_row_writer *writer;
    WEIR_TRY(weir_row_format_open_writer(format, options, fields, field_count, &writer, err));
    writer->close(writer);
    return WEIR_OK;
}
