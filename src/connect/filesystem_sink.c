/* The filesystem sink: rows to files `part-<run>-<n>` in a folder, a folder a partition.
 *
 * Until the commit files have names that begin with '.', which no reader looks at. Preparing ends and syncs them; the
 * commit gives them their names, after it has removed what INSERT OVERWRITE replaces. A file ends at the size of the
 * rolling policy, and with every commit.
 *
 * A run is named by a uuid, behind a word for the job that it is of. Nobody else writes hidden files of a job: what a
 * run that died has left of them goes when the next one begins.
 *
 * What is prepared: | version: 1 | name of the run | folders: 4 | each: path | parts: 4 | the name of each |. */
#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/text.h"
#include "connect/filesystem.h"
#include "connect/folder_files.h"
#include "connect/row_format.h"
#include "format/format.h"
#include "vector/literal.h"

#define TEXT_BYTES ((size_t)256 << 10) /* text is handed to the file when there is so much of it */

#define PREPARED_VERSION 1

/* One partition's folder. */
typedef struct partition_folder {
    char *folder;
    char **parts; /* names of files not prepared yet: complete ones, and the open one last */
    size_t part_count;
    size_t part_capacity;
    weir_output *output;        /* of the open part, when it is text */
    weir_format_writer *writer; /* of the open part, when it is not */
    weir_buffer text;
} partition_folder;

typedef struct filesystem_sink {
    weir_sink base;
    weir_arena arena;
    const weir_connect_kind *format;
    weir_file_columns columns;
    const char *const *partition_keys;
    weir_fs *fs;
    const char *folder;
    const char *default_partition;
    const char *success_file; /* written into every partition with new files; NULL: none */
    const char *compression;
    uint64_t part_bytes;
    bool overwrite; /* and nothing has been committed yet */
    const char *run;   /* its name */
    const char *owner; /* the start of it that all runs of the job share; NULL: there are no others */
    bool is_clean;     /* what such runs have left is gone */
    int64_t part_number;
    weir_row_writer *row_writer; /* of text */
    weir_map partitions;         /* folder below the table's → partition_folder */
    weir_batch view;             /* the columns of a batch that go to files */
    weir_buffer name;
} filesystem_sink;

/* ---- parts ---- */

/* The path of a part until the commit. */
static char *hidden_path(const char *folder, const char *part) { return weir_format("%s/.%s.inprogress", folder, part); }

/* Removes what runs of the job that died were writing, in a folder and those in it. `start`: of the names. */
static int remove_hidden(filesystem_sink *sink, const char *folder, const char *start, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries = NULL;
    size_t count = 0;
    int code = weir_fs_list(sink->fs, folder, &arena, &entries, &count, err);
    for (size_t i = 0; code == WEIR_OK && i < count; i++) {
        const char *path = weir_arena_format(&arena, "%s/%s", folder, entries[i].name);
        if (entries[i].is_directory) {
            code = remove_hidden(sink, path, start, err);
        } else if (strncmp(entries[i].name, start, strlen(start)) == 0) {
            code = weir_fs_remove(sink->fs, path, err);
        }
    }
    weir_arena_free(&arena);
    return code;
}

/* `run`: the start of names of runs. A folder that is not there holds nothing. */
static int clean(filesystem_sink *sink, weir_slice run, weir_error *err)
{
    char *start = weir_format(".part-%.*s-", (int)run.size, (const char *)run.data);
    bool exists = false;
    int code = weir_fs_exists(sink->fs, sink->folder, &exists, err);
    if (code == WEIR_OK && exists) {
        code = remove_hidden(sink, sink->folder, start, err);
    }
    free(start);
    sink->is_clean = true;
    return code;
}

static int begin_part(filesystem_sink *sink, partition_folder *partition, weir_error *err)
{
    if (sink->owner != NULL && !sink->is_clean) {
        WEIR_TRY(clean(sink, weir_slice_text(sink->owner), err)); /* no run has come to a checkpoint */
    }
    WEIR_GROW(partition->parts, partition->part_capacity, partition->part_count + 1);
    char *part = weir_format("part-%s-%" PRId64, sink->run, sink->part_number++);
    partition->parts[partition->part_count++] = part;
    char *path = hidden_path(partition->folder, part);
    int code = weir_fs_create(sink->fs, path, &partition->output, err);
    free(path);
    WEIR_TRY(code);
    if (sink->row_writer != NULL) {
        return WEIR_OK;
    }
    weir_format_write_options options = {.compression = sink->compression, .no_stats = true};
    WEIR_TRY(weir_format_open_writer(sink->format->name, partition->output, sink->columns.fields, sink->columns.count,
                                     &options, &partition->writer, err));
    partition->output = NULL; /* the writer's */
    return WEIR_OK;
}

static int hand_over_text(partition_folder *partition, weir_error *err)
{
    if (partition->text.size > 0) {
        WEIR_TRY(weir_output_write(partition->output, partition->text.data, partition->text.size, err));
        weir_buffer_clear(&partition->text);
    }
    return WEIR_OK;
}

static bool has_open_part(const partition_folder *partition)
{
    return partition->output != NULL || partition->writer != NULL;
}

static int end_part(filesystem_sink *sink, partition_folder *partition, weir_error *err)
{
    if (partition->writer != NULL) {
        weir_format_writer *writer = partition->writer;
        weir_written_stats *stats = weir_alloc_zeroed((size_t)sink->columns.count, sizeof *stats);
        int code = writer->ops->finish(writer, true, stats, err);
        writer->ops->close(writer);
        partition->writer = NULL;
        free(stats);
        return code;
    }
    WEIR_TRY(hand_over_text(partition, err));
    weir_output *output = partition->output;
    partition->output = NULL;
    return weir_output_finish(output, true, err);
}

static uint64_t open_part_bytes(const partition_folder *partition)
{
    return partition->writer != NULL ? partition->writer->ops->size(partition->writer)
                                     : partition->output->size + partition->text.size;
}

/* ---- partitions ---- */

/* The folder of row `row` below the table's: `key=value/…/`, in sink->name. */
static void name_partition(filesystem_sink *sink, const weir_batch *batch, int64_t row)
{
    weir_buffer_clear(&sink->name);
    weir_buffer text = {0};
    for (int32_t i = 0; i < sink->columns.partition_count; i++) {
        const weir_vector *vector = &batch->columns[sink->columns.partition_columns[i]];
        weir_buffer_clear(&text);
        if (!weir_vector_is_null(vector, row)) {
            weir_value_to_text(vector, row, &text);
        }
        weir_buffer_append_format(&sink->name, "/%s=", sink->partition_keys[i]);
        if (text.size == 0) {
            weir_buffer_append_text(&sink->name, sink->default_partition);
        } else {
            weir_partition_value_escape(weir_buffer_slice(&text), &sink->name);
        }
    }
    weir_buffer_free(&text);
}

static partition_folder *find_partition(filesystem_sink *sink)
{
    partition_folder *found = weir_map_get(&sink->partitions, weir_buffer_slice(&sink->name));
    if (found == NULL) {
        found = weir_alloc_zeroed(1, sizeof *found);
        found->folder = weir_format("%s%s", sink->folder, weir_buffer_text(&sink->name));
        weir_map_put(&sink->partitions, weir_buffer_slice(&sink->name), found);
    }
    return found;
}

/* Whether two rows lie in one partition. */
static bool same_partition(const filesystem_sink *sink, const weir_batch *batch, int64_t a, int64_t b)
{
    for (int32_t i = 0; i < sink->columns.partition_count; i++) {
        const weir_vector *vector = &batch->columns[sink->columns.partition_columns[i]];
        bool is_null = weir_vector_is_null(vector, a);
        if (is_null != weir_vector_is_null(vector, b)) {
            return false;
        }
        if (is_null) {
            continue;
        }
        weir_literal left = weir_literal_of(vector, a);
        weir_literal right = weir_literal_of(vector, b);
        bool equal = vector->layout == WEIR_LAYOUT_BYTES ? weir_slice_equal(left.bytes, right.bytes)
                     : vector->layout == WEIR_LAYOUT_BIT
                         ? left.boolean == right.boolean
                         : memcmp(vector->data + (size_t)a * weir_layout_width(vector->layout),
                                  vector->data + (size_t)b * weir_layout_width(vector->layout),
                                  weir_layout_width(vector->layout)) == 0;
        if (!equal) {
            return false;
        }
    }
    return true;
}

/* ---- writing ---- */

static int write_to_part(filesystem_sink *sink, partition_folder *partition, const weir_batch *view, int64_t first,
                         int64_t count, weir_error *err)
{
    if (partition->writer != NULL) {
        for (int32_t i = 0; i < view->column_count; i++) {
            WEIR_TRY(partition->writer->ops->append(partition->writer, i, &view->columns[i], first, count, err));
        }
        return WEIR_OK;
    }
    WEIR_TRY(sink->row_writer->write(sink->row_writer, view, first, count, &partition->text, err));
    return partition->text.size >= TEXT_BYTES ? hand_over_text(partition, err) : WEIR_OK;
}

static int write_run(filesystem_sink *sink, const weir_batch *batch, int64_t first, int64_t count, weir_error *err)
{
    name_partition(sink, batch, first);
    partition_folder *partition = find_partition(sink);
    if (!has_open_part(partition)) {
        WEIR_TRY(begin_part(sink, partition, err));
    }
    WEIR_TRY(write_to_part(sink, partition, &sink->view, first, count, err));
    return open_part_bytes(partition) >= sink->part_bytes ? end_part(sink, partition, err) : WEIR_OK;
}

static int write_batch(weir_sink *self, const weir_batch *batch, weir_error *err)
{
    filesystem_sink *sink = (filesystem_sink *)self;
    for (int32_t i = 0; i < sink->columns.count; i++) {
        sink->view.columns[i] = batch->columns[sink->columns.columns[i]]; /* borrowed */
    }
    sink->view.length = batch->length;
    sink->view.kinds = batch->kinds;
    for (int64_t first = 0; first < batch->length;) {
        int64_t end = first + 1;
        while (end < batch->length && same_partition(sink, batch, first, end)) {
            end++;
        }
        WEIR_TRY(write_run(sink, batch, first, end - first, err));
        first = end;
    }
    return WEIR_OK;
}

/* ---- committing ---- */

/* Removes the files of a folder that readers see, and with `deep` those of the folders in it. */
static int remove_files(filesystem_sink *sink, const char *folder, bool deep, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries = NULL;
    size_t count = 0, file_count = 0;
    int code = weir_fs_list(sink->fs, folder, &arena, &entries, &count, err);
    const char **files = WEIR_NEW_ARRAY(&arena, const char *, count + 1);
    for (size_t i = 0; code == WEIR_OK && i < count; i++) {
        const char *path = weir_arena_format(&arena, "%s/%s", folder, entries[i].name);
        if (entries[i].name[0] == '.' || (entries[i].is_directory && !deep)) {
            continue;
        }
        if (entries[i].is_directory) {
            code = remove_files(sink, path, deep, err);
        } else {
            files[file_count++] = path;
        }
    }
    if (code == WEIR_OK) {
        code = weir_fs_remove_many(sink->fs, files, file_count, err);
    }
    weir_arena_free(&arena);
    return code;
}

/* An unpartitioned table is replaced as a whole, of a partitioned one the partitions with new rows, as in Flink. */
static int remove_overwritten(filesystem_sink *sink, weir_error *err)
{
    if (sink->columns.partition_count == 0) {
        return remove_files(sink, sink->folder, true, err);
    }
    for (size_t i = 0; i < sink->partitions.entry_count; i++) {
        const partition_folder *partition = sink->partitions.entries[i].value;
        WEIR_TRY(remove_files(sink, partition->folder, true, err));
    }
    return WEIR_OK;
}

static void forget_parts(partition_folder *partition)
{
    for (size_t i = 0; i < partition->part_count; i++) {
        free(partition->parts[i]);
    }
    partition->part_count = 0;
}

/* Ends the open parts of all partitions. */
static int end_parts(filesystem_sink *sink, uint32_t *out_folders, weir_error *err)
{
    *out_folders = 0;
    for (size_t i = 0; i < sink->partitions.entry_count; i++) {
        partition_folder *partition = sink->partitions.entries[i].value;
        if (has_open_part(partition)) {
            WEIR_TRY(end_part(sink, partition, err));
        }
        if (partition->part_count > 0) {
            WEIR_TRY(weir_fs_sync_directory(sink->fs, partition->folder, err));
            (*out_folders)++;
        }
    }
    return WEIR_OK;
}

static int prepare(weir_sink *self, weir_buffer *out, weir_error *err)
{
    filesystem_sink *sink = (filesystem_sink *)self;
    uint32_t folders = 0;
    WEIR_TRY(end_parts(sink, &folders, err));
    weir_put_u8(out, PREPARED_VERSION);
    weir_put_slice(out, weir_slice_text(sink->run));
    weir_put_u32(out, folders);
    for (size_t i = 0; i < sink->partitions.entry_count; i++) {
        partition_folder *partition = sink->partitions.entries[i].value;
        if (partition->part_count == 0) {
            continue;
        }
        weir_put_slice(out, weir_slice_text(partition->folder));
        weir_put_u32(out, (uint32_t)partition->part_count);
        for (size_t part = 0; part < partition->part_count; part++) {
            weir_put_slice(out, weir_slice_text(partition->parts[part]));
        }
        forget_parts(partition);
    }
    return WEIR_OK;
}

/* A part that has its name already was committed before the crash; one that has neither was taken away since. */
static int publish_part(filesystem_sink *sink, const char *folder, const char *part, bool recovers, weir_error *err)
{
    char *hidden = hidden_path(folder, part);
    char *path = weir_format("%s/%s", folder, part);
    bool exists = true;
    int code = recovers ? weir_fs_file_exists(sink->fs, hidden, &exists, err) : WEIR_OK;
    if (code == WEIR_OK && exists) {
        code = weir_fs_rename(sink->fs, hidden, path, err);
    }
    free(hidden);
    free(path);
    return code;
}

static int mark_success(filesystem_sink *sink, const char *folder, weir_error *err)
{
    if (sink->success_file == NULL) {
        return WEIR_OK;
    }
    char *path = weir_format("%s/%s", folder, sink->success_file);
    int code = weir_fs_replace(sink->fs, path, (weir_slice){0}, err);
    free(path);
    return code;
}

static char *take_text(weir_byte_reader *reader)
{
    weir_slice text = weir_take_slice(reader);
    return weir_strndup((const char *)text.data, text.size);
}

static int publish_folder(filesystem_sink *sink, weir_byte_reader *reader, bool recovers, weir_error *err)
{
    char *folder = take_text(reader);
    uint32_t parts = weir_take_count(reader, 4);
    int code = WEIR_OK;
    for (uint32_t i = 0; i < parts && !reader->failed && code == WEIR_OK; i++) {
        char *part = take_text(reader);
        if (!reader->failed) {
            code = publish_part(sink, folder, part, recovers, err);
        }
        free(part);
    }
    if (code == WEIR_OK && !reader->failed) {
        code = mark_success(sink, folder, err);
    }
    if (code == WEIR_OK && !reader->failed) {
        code = weir_fs_sync_directory(sink->fs, folder, err);
    }
    free(folder);
    return code;
}

static int publish(filesystem_sink *sink, weir_slice prepared, bool recovers, weir_slice *out_run, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(prepared);
    bool known = weir_take_u8(&reader) == PREPARED_VERSION;
    *out_run = weir_take_slice(&reader);
    uint32_t folders = known ? weir_take_count(&reader, 8) : 0;
    for (uint32_t i = 0; i < folders && !reader.failed; i++) {
        WEIR_TRY(publish_folder(sink, &reader, recovers, err));
    }
    return known && weir_byte_reader_is_done(&reader)
               ? WEIR_OK
               : weir_fail(err, WEIR_CORRUPT, "%s: what was kept of the files to commit is damaged", sink->folder);
}

static int commit(weir_sink *self, weir_slice prepared, weir_error *err)
{
    filesystem_sink *sink = (filesystem_sink *)self;
    if (sink->overwrite) {
        WEIR_TRY(remove_overwritten(sink, err));
        sink->overwrite = false;
    }
    weir_slice run;
    return publish(sink, prepared, false, &run, err);
}

static int recover(weir_sink *self, weir_slice prepared, weir_error *err)
{
    filesystem_sink *sink = (filesystem_sink *)self;
    weir_slice run;
    WEIR_TRY(publish(sink, prepared, true, &run, err));
    return clean(sink, sink->owner != NULL ? weir_slice_text(sink->owner) : run, err);
}

/* ---- opening and closing ---- */

static void name_run(filesystem_sink *sink, const char *owner)
{
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    sink->owner = weir_arena_strdup(&sink->arena, owner);
    sink->run = owner != NULL ? weir_arena_format(&sink->arena, "%s-%s", owner, uuid)
                              : weir_arena_strdup(&sink->arena, uuid);
}

static void drop_partition(filesystem_sink *sink, partition_folder *partition)
{
    if (partition->writer != NULL) {
        partition->writer->ops->close(partition->writer); /* removes the file */
    }
    if (partition->output != NULL) {
        weir_output_abandon(partition->output);
    }
    for (size_t i = 0; i < partition->part_count; i++) {
        char *path = hidden_path(partition->folder, partition->parts[i]);
        weir_fs_remove(sink->fs, path, NULL); /* best effort: hidden in any case */
        free(path);
    }
    forget_parts(partition);
    free(partition->parts);
    free(partition->folder);
    weir_buffer_free(&partition->text);
    free(partition);
}

static void close_sink(weir_sink *self)
{
    if (self == NULL) {
        return;
    }
    filesystem_sink *sink = (filesystem_sink *)self;
    for (size_t i = 0; i < sink->partitions.entry_count; i++) {
        drop_partition(sink, sink->partitions.entries[i].value);
    }
    weir_map_free(&sink->partitions);
    if (sink->row_writer != NULL) {
        sink->row_writer->close(sink->row_writer);
    }
    free(sink->view.columns);
    weir_buffer_free(&sink->name);
    weir_arena_free(&sink->arena);
    free(sink);
}

static int check_path(const filesystem_sink *sink, weir_error *err)
{
    weir_file_info info;
    int code = weir_fs_stat(sink->fs, sink->folder, &info, err);
    if (code == WEIR_OK && !info.is_directory) {
        return weir_fail(err, WEIR_INVALID, "%s: rows are written to a folder, and this is a file; change 'path'",
                         sink->folder);
    }
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        return WEIR_OK;
    }
    return code;
}

static const char *compression_of(const filesystem_sink *sink, const weir_options *options)
{
    bool is_avro = strcmp(sink->format->name, "avro") == 0;
    return weir_connect_format_text(sink->format, options, is_avro ? "codec" : "compression");
}

/* Partitions are marked with every commit; in streams that would be too early for these. (A table that is written in
 * one go pays no heed to them, in Flink either.) */
static int check_trigger(const weir_connect_kind *connector, const weir_options *options, weir_error *err)
{
    const char *trigger = weir_connect_text(connector, options, "sink.partition-commit.trigger");
    bool marks = weir_connect_text(connector, options, "sink.partition-commit.policy.kind") != NULL;
    bool waits = weir_connect_duration_ms(connector, options, "sink.partition-commit.delay") > 0;
    if (marks && (waits || !weir_text_equal_ignore_case(trigger, "process-time"))) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "in streams, partitions are marked as complete with each commit that adds files to them; "
                         "sink.partition-commit.trigger 'partition-time' and sink.partition-commit.delay are not "
                         "offered there");
    }
    return WEIR_OK;
}

static int open_sink(filesystem_sink *sink, const weir_sink_options *options, weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    if (options->holds_back) {
        WEIR_TRY(check_trigger(connector, options->options, err));
    }
    WEIR_TRY(weir_format_of(options->options, &sink->format, err));
    WEIR_TRY(weir_file_columns_of(options->fields, options->field_count, options->partition_keys,
                                  options->partition_key_count, &sink->arena, &sink->columns, err));
    sink->view.columns = weir_alloc_zeroed((size_t)sink->columns.count, sizeof *sink->view.columns);
    sink->view.column_count = sink->columns.count;
    sink->default_partition = weir_connect_text(connector, options->options, "partition.default-name");
    sink->part_bytes = (uint64_t)weir_connect_size(connector, options->options, "sink.rolling-policy.file-size");
    if (weir_connect_text(connector, options->options, "sink.partition-commit.policy.kind") != NULL) {
        sink->success_file = weir_connect_text(connector, options->options, "sink.partition-commit.success-file.name");
    }
    if (weir_row_format_is_text(sink->format)) {
        WEIR_TRY(weir_row_format_open_writer(sink->format, options->options, sink->columns.fields, sink->columns.count,
                                             &sink->row_writer, err));
        sink->base.takes_changes = sink->row_writer->takes_changes;
    } else {
        sink->compression = compression_of(sink, options->options);
    }
    const char *uri = weir_connect_text(connector, options->options, "path");
    weir_fs_settings settings = weir_options_fs_settings(options->options);
    WEIR_TRY_CTX(weir_fs_open(uri, &settings, &sink->arena, &sink->fs, &sink->folder, err), err, "option 'path'");
    return check_path(sink, err);
}

int weir_filesystem_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err)
{
    filesystem_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->base = (weir_sink){
        .write = write_batch, .prepare = prepare, .commit = commit, .recover = recover, .close = close_sink};
    weir_arena_init(&sink->arena);
    sink->partition_keys = options->partition_keys;
    sink->overwrite = options->overwrite;
    name_run(sink, options->owner);
    int code = open_sink(sink, options, err);
    if (code != WEIR_OK) {
        close_sink(&sink->base);
        return code;
    }
    *out = &sink->base;
    return WEIR_OK;
}
