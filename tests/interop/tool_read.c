/* dump, snapshots, files: what a table holds, as the Java peer prints it. */
#include <stdio.h>

#include "support/table_rows.h"
#include "table_tool.h"

static void print_lines(lines *list, bool sort)
{
    if (sort) {
        lines_sort(list);
    }
    for (size_t i = 0; i < list->count; i++) {
        puts(list->items[i]);
    }
}

static int dump_batch(tool_call *call, const weir_options *options, bool with_kinds, weir_error *err)
{
    weir_table *table = NULL;
    weir_table_plan *plan = NULL;
    weir_scan_options scan = {.limit = -1, .with_kinds = with_kinds};
    weir_read_options read = {.with_kinds = with_kinds};
    lines rows = {0};
    int code = WEIR_OK;
    WEIR_GO(tool_open_table(call, options, false, &table, err));
    WEIR_GO(weir_scan_plan(table, &scan, &plan, err));
    WEIR_GO(plan_rows(table, plan, &read, false, &rows, err));
    print_lines(&rows, tool_has(call, "sort"));
done:
    lines_free(&rows);
    weir_table_plan_free(plan);
    weir_table_close(table);
    return code;
}

/* Plan after plan up to snapshot `end`; rows are sorted within each. */
static int dump_plans(tool_call *call, const weir_table *table, weir_stream_scan *scan, weir_error *err)
{
    weir_read_options read = {.with_kinds = true};
    for (;;) {
        weir_table_plan *plan = NULL;
        lines rows = {0};
        int code = weir_stream_scan_next(scan, &plan, err);
        if (code == WEIR_OK) {
            code = plan_rows(table, plan, &read, tool_has(call, "with-snapshot"), &rows, err);
        }
        if (code == WEIR_OK) {
            print_lines(&rows, tool_has(call, "sort"));
        }
        lines_free(&rows);
        weir_table_plan_free(plan);
        if (code != WEIR_OK) {
            return code == WEIR_END || code == WEIR_IDLE ? WEIR_OK : code;
        }
    }
}

/* --stream FROM TO: "-" is the table's own start, or the latest snapshot. */
static int dump_stream(tool_call *call, const char *from, weir_error *err)
{
    weir_options options = {0};
    weir_table *table = NULL;
    weir_stream_scan *scan = NULL;
    int64_t end = 0;
    int code = WEIR_OK;
    if (strcmp(from, "-") != 0) {
        weir_options_set(&options, &call->arena, "scan.mode", "from-snapshot");
        weir_options_set(&options, &call->arena, "scan.snapshot-id", from);
    }
    WEIR_GO(tool_open_table(call, &options, true, &table, err));
    WEIR_GO(weir_stream_scan_open(table, NULL, &scan, err));
    if (strcmp(tool_option(call, "stream"), "-") == 0) {
        WEIR_GO(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &end, err));
    } else {
        WEIR_GO(tool_number(call, "stream", &end, err));
    }
    weir_stream_scan_set_end(scan, end);
    WEIR_GO(dump_plans(call, table, scan, err));
done:
    weir_stream_scan_close(scan);
    weir_table_close(table);
    return code;
}

/* The first of an option's two values; the second is what tool_option gives. */
static const char *first_value(const tool_call *call, const char *name)
{
    for (size_t i = 0; i < call->option_count; i++) {
        if (strcmp(call->names[i], name) == 0) {
            return call->values[i];
        }
    }
    return NULL;
}

int tool_dump(tool_call *call, weir_error *err)
{
    weir_options options = {0};
    const char *value;
    if (tool_has(call, "stream")) {
        return dump_stream(call, first_value(call, "stream"), err);
    }
    if (tool_has(call, "changelog")) {
        value =
            weir_arena_format(&call->arena, "%s,%s", first_value(call, "changelog"), tool_option(call, "changelog"));
        weir_options_set(&options, &call->arena, "incremental-between", value);
        return dump_batch(call, &options, true, err);
    }
    if ((value = tool_option(call, "snapshot")) != NULL) {
        weir_options_set(&options, &call->arena, "scan.snapshot-id", value);
    }
    if ((value = tool_option(call, "tag")) != NULL) {
        weir_options_set(&options, &call->arena, "scan.tag-name", value);
    }
    return dump_batch(call, &options, false, err);
}

static int print_snapshot(tool_call *call, const weir_table *table, int64_t id, weir_error *err)
{
    weir_snapshot *snapshot = NULL;
    weir_buffer text = {0};
    json_t *document = NULL;
    int code = WEIR_OK;
    WEIR_GO(weir_snapshot_read(table->context.fs, table->context.paths.root, id, &call->arena, &snapshot, err));
    weir_snapshot_format(snapshot, &text);
    WEIR_GO(weir_json_parse(weir_buffer_slice(&text), "the snapshot", &document, err));
    json_dumpf(document, stdout, JSON_COMPACT);
    putchar('\n');
done:
    json_decref(document);
    weir_buffer_free(&text);
    return code;
}

int tool_snapshots(tool_call *call, weir_error *err)
{
    weir_table *table = NULL;
    int64_t earliest = 0, latest = 0;
    int code = WEIR_OK;
    WEIR_GO(tool_open_table(call, NULL, true, &table, err));
    WEIR_GO(weir_snapshot_earliest_id(table->context.fs, table->context.paths.root, &earliest, err));
    WEIR_GO(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &latest, err));
    for (int64_t id = earliest; id > 0 && id <= latest; id++) {
        WEIR_GO(print_snapshot(call, table, id, err));
    }
done:
    weir_table_close(table);
    return code;
}

static void print_file(const char *bucket_path, const weir_data_file *file)
{
    printf("{\"bucketPath\":\"%s\",\"file\":\"%s\",\"level\":%d,\"rows\":%" PRId64 ",\"size\":%" PRId64
           ",\"minSeq\":%" PRId64 ",\"maxSeq\":%" PRId64 ",\"schemaId\":%" PRId64 ",\"extra\":%d}\n",
           bucket_path, file->name, file->level, file->row_count, file->size_bytes, file->min_sequence_number,
           file->max_sequence_number, file->schema_id, file->extra_file_count);
}

int tool_files(tool_call *call, weir_error *err)
{
    weir_options options = {0};
    weir_table *table = NULL;
    weir_snapshot *snapshot = NULL;
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1};
    int code = WEIR_OK;
    if (tool_has(call, "snapshot")) {
        weir_options_set(&options, &call->arena, "scan.snapshot-id", tool_option(call, "snapshot"));
    }
    WEIR_GO(tool_open_table(call, &options, false, &table, err));
    const weir_table_context *context = &table->context;
    WEIR_GO(weir_scan_snapshot(table, &call->arena, &snapshot, err));
    if (snapshot != NULL) {
        WEIR_GO(weir_snapshot_files(context->fs, &context->paths, table->schema, snapshot, &filter, context->pool,
                                    &call->arena, &entries, err));
    }
    for (size_t i = 0; i < entries.count; i++) {
        const char *bucket_path = NULL;
        WEIR_GO(weir_bucket_path(&call->arena, &context->paths, table->schema, entries.items[i].partition,
                                 entries.items[i].bucket, &bucket_path, err));
        print_file(bucket_path, entries.items[i].file);
    }
done:
    weir_manifest_entries_free(&entries);
    weir_table_close(table);
    return code;
}
