/* weir dump: the rows of a table, its changes between two snapshots, or what a streaming reader gets, as JSON lines.
 *
 * One JSON array a row, values as weir_value_to_json writes them. Sorting is by the bytes of the lines; streamed rows
 * are sorted within each snapshot. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "table/read/read.h"
#include "table/scan/stream_scan.h"
#include "vector/literal.h"

#define FLUSH_BYTES 65536

typedef struct dump_request {
    const char *path;
    bool sort;
    bool with_snapshot;
    const char *snapshot;
    const char *tag;
    const char *branch;
    const char *columns;
    const char *changelog[2]; /* NULL: no changelog */
    const char *stream[2];    /* NULL: no stream */
    weir_options options;
    weir_arena arena;
} dump_request;

/* Lines on their way out: kept until the end when they are to be sorted. */
typedef struct line_writer {
    bool sort;
    weir_buffer lines;
    size_t *starts;
    size_t count;
    size_t capacity;
} line_writer;

typedef struct line {
    const uint8_t *data;
    size_t size;
} line;

static int compare_lines(const void *a, const void *b)
{
    const line *left = a, *right = b;
    return weir_slice_compare(weir_slice_of(left->data, left->size), weir_slice_of(right->data, right->size));
}

static void print_sorted(const line_writer *writer)
{
    line *lines = weir_alloc_zeroed(writer->count, sizeof *lines);
    for (size_t i = 0; i < writer->count; i++) {
        size_t end = i + 1 < writer->count ? writer->starts[i + 1] : writer->lines.size;
        lines[i] = (line){writer->lines.data + writer->starts[i], end - writer->starts[i]};
    }
    if (writer->count > 1) {
        qsort(lines, writer->count, sizeof *lines, compare_lines);
    }
    for (size_t i = 0; i < writer->count; i++) {
        weir_output_put(stdout, lines[i].data, lines[i].size);
    }
    free(lines);
}

static void flush_lines(line_writer *writer)
{
    if (writer->sort) {
        print_sorted(writer);
    } else if (writer->lines.size > 0) {
        weir_output_put(stdout, writer->lines.data, writer->lines.size);
    }
    weir_buffer_clear(&writer->lines);
    writer->count = 0;
}

static void begin_line(line_writer *writer)
{
    if (!writer->sort) {
        if (writer->lines.size >= FLUSH_BYTES) {
            flush_lines(writer);
        }
        return;
    }
    WEIR_GROW(writer->starts, writer->capacity, writer->count + 1);
    writer->starts[writer->count++] = writer->lines.size;
}

static void free_lines(line_writer *writer)
{
    weir_buffer_free(&writer->lines);
    free(writer->starts);
}

/* `snapshot_id` < 0: rows do not begin with it. */
static void write_batch(line_writer *writer, const weir_batch *batch, bool with_kinds, int64_t snapshot_id)
{
    for (int64_t row = 0; row < batch->length; row++) {
        const char *separator = "";
        begin_line(writer);
        weir_buffer_append_byte(&writer->lines, '[');
        if (snapshot_id >= 0) {
            weir_buffer_append_format(&writer->lines, "%" PRId64, snapshot_id);
            separator = ",";
        }
        if (with_kinds) {
            weir_buffer_append_format(&writer->lines, "%s\"%s\"", separator,
                                      weir_row_kind_text(weir_batch_kind(batch, row)));
            separator = ",";
        }
        for (int32_t c = 0; c < batch->column_count; c++) {
            weir_buffer_append_text(&writer->lines, separator);
            weir_value_to_json(&batch->columns[c], row, &writer->lines);
            separator = ",";
        }
        weir_buffer_append_text(&writer->lines, "]\n");
    }
}

static int dump_split(const weir_table *table, const weir_split *split, const weir_read_options *options,
                      int64_t snapshot_id, line_writer *writer, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int32_t count = 0;
    const weir_field *fields = weir_read_fields(table, options, &arena, &count);
    weir_split_reader *reader = NULL;
    weir_batch batch;
    weir_batch_init(&batch, fields, count);
    int code = weir_split_open(table, split, options, &reader, err);
    while (code == WEIR_OK) {
        code = weir_split_next(reader, &batch, err);
        if (code == WEIR_OK) {
            write_batch(writer, &batch, options->with_kinds, snapshot_id);
            code = weir_output_check(stdout, err);
        }
    }
    weir_split_close(reader);
    weir_batch_free(&batch);
    weir_arena_free(&arena);
    return code == WEIR_END ? WEIR_OK : code;
}

/* `columns` is a list separated by commas; NULL: all. */
static int choose_columns(const weir_table *table, const char *columns, weir_arena *arena, weir_read_options *out,
                          weir_error *err)
{
    if (columns == NULL) {
        return WEIR_OK;
    }
    int32_t *positions = WEIR_NEW_ARRAY(arena, int32_t, strlen(columns) + 1);
    int32_t count = 0;
    for (const char *at = columns;; at++) {
        size_t size = strcspn(at, ",");
        const char *name = weir_arena_strndup(arena, at, size);
        int32_t position = weir_schema_column(table->schema, name);
        if (position < 0) {
            return weir_fail(err, WEIR_NOT_FOUND, "%s has no column '%s'", table->path, name);
        }
        positions[count++] = position;
        at += size;
        if (*at == '\0') {
            break;
        }
    }
    out->columns = positions;
    out->column_count = count;
    return WEIR_OK;
}

static int dump_plan(const weir_table *table, const dump_request *request, bool with_kinds, line_writer *writer,
                     weir_error *err)
{
    weir_read_options read = {.with_kinds = with_kinds};
    weir_scan_options scan = {.limit = -1, .with_kinds = with_kinds};
    weir_table_plan *plan = NULL;
    weir_arena arena;
    weir_arena_init(&arena);
    int code = WEIR_OK;
    if (!with_kinds) {
        WEIR_GO(choose_columns(table, request->columns, &arena, &read, err));
    }
    WEIR_GO(weir_scan_plan(table, &scan, &plan, err));
    for (size_t i = 0; i < plan->split_count; i++) {
        WEIR_GO(dump_split(table, &plan->splits[i], &read, -1, writer, err));
    }
done:
    weir_table_plan_free(plan);
    weir_arena_free(&arena);
    return code;
}

static int parse_snapshot(const char *text, int64_t *out, weir_error *err)
{
    if (!weir_parse_int64(weir_slice_text(text), out)) {
        return weir_fail(err, WEIR_INVALID, "'%s': expected the number of a snapshot, or '-'", text);
    }
    return WEIR_OK;
}

static int dump_snapshot_changes(const weir_table *table, const weir_table_plan *plan, bool with_snapshot, int64_t end,
                                 line_writer *writer, weir_error *err)
{
    weir_read_options read = {.with_kinds = true};
    for (size_t i = 0; i < plan->split_count; i++) {
        const weir_split *split = &plan->splits[i];
        if (split->snapshot_id > end) {
            continue;
        }
        if (i > 0 && plan->splits[i - 1].snapshot_id != split->snapshot_id) {
            flush_lines(writer);
        }
        WEIR_TRY(dump_split(table, split, &read, with_snapshot ? split->snapshot_id : -1, writer, err));
    }
    flush_lines(writer);
    return WEIR_OK;
}

/* The start goes into the options of the opened table: given when opening, it would choose an older schema, as a batch
 * read wants it, while a stream has the latest one throughout. */
static void start_stream_at(weir_table *table, const char *snapshot, weir_arena *arena)
{
    weir_schema *schema = weir_arena_copy(arena, table->schema, sizeof *schema);
    weir_options_merge(arena, &table->schema->options, NULL, &schema->options);
    weir_options_set(&schema->options, arena, "scan.mode", "from-snapshot");
    weir_options_set(&schema->options, arena, "scan.snapshot-id", snapshot);
    table->schema = schema;
    table->context.schema = schema;
}

static int dump_stream(weir_table *table, dump_request *request, line_writer *writer, weir_error *err)
{
    weir_stream_scan *scan = NULL;
    int64_t end = 0, start = 0;
    int code = WEIR_OK;
    if (strcmp(request->stream[0], "-") != 0) {
        WEIR_TRY(parse_snapshot(request->stream[0], &start, err));
        start_stream_at(table, request->stream[0], &request->arena);
    }
    if (strcmp(request->stream[1], "-") == 0) {
        WEIR_TRY(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &end, err));
    } else {
        WEIR_TRY(parse_snapshot(request->stream[1], &end, err));
    }
    weir_scan_options options = {.limit = -1, .with_kinds = true};
    WEIR_TRY(weir_stream_scan_open(table, &options, &scan, err));
    weir_stream_scan_set_end(scan, end);
    for (;;) {
        weir_table_plan *plan = NULL;
        WEIR_GO(weir_stream_scan_next(scan, &plan, err));
        code = dump_snapshot_changes(table, plan, request->with_snapshot, end, writer, err);
        weir_table_plan_free(plan);
        WEIR_GO(code);
    }
done:
    weir_stream_scan_close(scan);
    return code == WEIR_END || code == WEIR_IDLE ? WEIR_OK : code;
}

static void add_travel_options(dump_request *request)
{
    if (request->snapshot != NULL) {
        weir_options_set(&request->options, &request->arena, "scan.snapshot-id", request->snapshot);
    }
    if (request->tag != NULL) {
        weir_options_set(&request->options, &request->arena, "scan.tag-name", request->tag);
    }
    if (request->changelog[0] != NULL) {
        weir_options_set(&request->options, &request->arena, "incremental-between",
                         weir_arena_format(&request->arena, "%s,%s", request->changelog[0], request->changelog[1]));
    }
}

/* Where the folder is a warehouse or a database, what a table's path goes on with is said, too. */
static int fail_no_table(weir_fs *fs, const char *path, weir_arena *arena, weir_error *err)
{
    enum { SHOWN = 10 };
    weir_file_info *entries = NULL;
    size_t count = 0, found = 0;
    weir_buffer names = {0};
    weir_error ignored = {0};
    int code = weir_fs_list(fs, path, arena, &entries, &count, &ignored);
    for (size_t i = 0; code == WEIR_OK && i < count && found < SHOWN; i++) {
        const char *name = entries[i].name;
        size_t size = strlen(name);
        bool is_database = size > 3 && strcmp(name + size - 3, ".db") == 0;
        bool is_table = false;
        if (entries[i].is_directory && !is_database) {
            const char *schemas = weir_arena_format(arena, "%s/%s/schema", path, name);
            code = weir_fs_folder_exists(fs, schemas, &is_table, &ignored);
        }
        if (entries[i].is_directory && (is_database || is_table)) {
            weir_buffer_append_format(&names, "%s%s%s", found++ == 0 ? "" : ", ", name, is_database ? "/TABLE" : "");
        }
    }
    if (found > 0) {
        (void)weir_fail(err, WEIR_NOT_FOUND, "%s: no table here, but below it: %s%s", path, weir_buffer_text(&names),
                        found == SHOWN ? ", …" : "");
    }
    weir_buffer_free(&names);
    return WEIR_NOT_FOUND;
}

static int dump(dump_request *request, weir_error *err)
{
    weir_fs *fs = NULL;
    const char *path = NULL;
    weir_options store = {0};
    weir_table *table = NULL;
    line_writer writer = {.sort = request->sort};
    int code = WEIR_OK;
    add_travel_options(request);
    weir_options_split_settings(&request->options, &request->arena, &store);
    weir_fs_settings settings = weir_options_fs_settings(&store);
    WEIR_TRY(weir_fs_open(request->path, &settings, &request->arena, &fs, &path, err));
    weir_table_open_options open = {.dynamic_options = &request->options, .branch = request->branch};
    code = weir_table_open(fs, path, &open, &table, err);
    if (code == WEIR_NOT_FOUND && request->branch == NULL) {
        code = fail_no_table(fs, path, &request->arena, err);
    }
    WEIR_GO(code);
    if (request->changelog[0] != NULL) {
        WEIR_GO(dump_plan(table, request, true, &writer, err));
    } else if (request->stream[0] != NULL) {
        WEIR_GO(dump_stream(table, request, &writer, err));
    } else {
        WEIR_GO(dump_plan(table, request, false, &writer, err));
    }
    flush_lines(&writer);
    code = weir_output_flush(stdout, err);
done:
    free_lines(&writer);
    weir_table_close(table);
    weir_fs_close(fs);
    return code;
}

/* What a request says must all have an effect. */
static int check_request(const dump_request *request, size_t paths, weir_error *err)
{
    const struct {
        const char *name;
        bool is_given;
    } moments[] = {{"--snapshot", request->snapshot != NULL},
                   {"--tag", request->tag != NULL},
                   {"--changelog", request->changelog[0] != NULL},
                   {"--stream", request->stream[0] != NULL}};
    const char *moment = NULL;
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        if (moments[i].is_given && moment != NULL) {
            return weir_fail(err, WEIR_INVALID, "%s and %s exclude each other", moment, moments[i].name);
        }
        moment = moments[i].is_given ? moments[i].name : moment;
    }
    bool has_changes = request->changelog[0] != NULL || request->stream[0] != NULL;
    if (request->columns != NULL && has_changes) {
        return weir_fail(err, WEIR_INVALID, "--columns is for rows; changes come whole");
    }
    if (request->with_snapshot && request->stream[0] == NULL) {
        return weir_fail(err, WEIR_INVALID, "--with-snapshot goes with --stream");
    }
    return paths == 1 ? WEIR_OK : weir_fail(err, WEIR_INVALID, "one table's path is needed, %zu were given", paths);
}

int weir_cli_dump(const weir_cli_command *command, int count, char **words)
{
    dump_request request = {0};
    const weir_cli_option options[] = {
        {"--sort", NULL, WEIR_CLI_FLAG, &request.sort},
        {"--with-snapshot", NULL, WEIR_CLI_FLAG, &request.with_snapshot},
        {"--snapshot", NULL, WEIR_CLI_TEXT, &request.snapshot},
        {"--tag", NULL, WEIR_CLI_TEXT, &request.tag},
        {"--branch", NULL, WEIR_CLI_TEXT, &request.branch},
        {"--columns", NULL, WEIR_CLI_TEXT, &request.columns},
        {"--changelog", NULL, WEIR_CLI_TWO, request.changelog},
        {"--stream", NULL, WEIR_CLI_TWO, request.stream},
        {"--option", NULL, WEIR_CLI_PAIRS, &request.options},
    };
    weir_error err = {0};
    weir_cli_texts operands = {0};
    int status = WEIR_CLI_DONE;
    weir_arena_init(&request.arena);
    int code = weir_cli_parse(count, words, options, sizeof options / sizeof *options, &request.arena, &operands, &err);
    code = code == WEIR_OK ? check_request(&request, operands.count, &err) : code;
    if (code != WEIR_OK) {
        status = weir_cli_usage_error(command, &err);
    } else {
        request.path = operands.items[0];
        if (dump(&request, &err) != WEIR_OK) {
            fflush(stdout);
            fprintf(stderr, "weir dump: %s\n", err.message);
            status = WEIR_CLI_FAILED;
        }
    }
    free(operands.items);
    weir_arena_free(&request.arena);
    return status;
}
