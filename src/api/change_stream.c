/* The changes of a table, snapshot after snapshot, as Arrow streams. */
#include <stdlib.h>

#include "api/read_plan.h"
#include "table/scan/stream_scan.h"

struct weir_change_stream {
    weir_lake_table *table; /* opened for streaming */
    weir_arena arena;       /* the request, copied: a plan resolves it anew */
    weir_read_request request;
    weir_resolved_request resolved;
    weir_scan_options options;
    weir_stream_scan *scan;
    int64_t last_snapshot;
};

static const char **copy_texts(weir_arena *arena, const char *const *texts, int32_t count)
{
    const char **copies = WEIR_NEW_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        copies[i] = weir_arena_strdup(arena, texts[i]);
    }
    return copies;
}

static void copy_request(weir_change_stream *stream, const weir_read_request *request)
{
    weir_arena *arena = &stream->arena;
    if (request != NULL) {
        stream->request = *request;
        if (request->columns != NULL) {
            stream->request.columns = copy_texts(arena, request->columns, request->column_count);
        }
        weir_condition *conditions = WEIR_NEW_ARRAY(arena, weir_condition, request->condition_count);
        for (int32_t i = 0; i < request->condition_count; i++) {
            conditions[i] = request->conditions[i];
            conditions[i].column = weir_arena_strdup(arena, conditions[i].column);
            conditions[i].values = copy_texts(arena, conditions[i].values, conditions[i].value_count);
        }
        stream->request.conditions = conditions;
    }
    stream->request.with_kinds = true;
}

/* Replaces the scan by one that has not begun. */
static int open_scan(weir_change_stream *stream, weir_error *err)
{
    weir_stream_scan *scan = NULL;
    WEIR_TRY(weir_stream_scan_open(stream->table->table, &stream->options, &scan, err));
    weir_stream_scan_set_end(scan, stream->last_snapshot);
    weir_stream_scan_close(stream->scan);
    stream->scan = scan;
    return WEIR_OK;
}

int weir_change_stream_open(const weir_lake_table *table, const weir_read_request *request, weir_change_stream **out,
                            weir_error *err)
{
    weir_change_stream *stream = weir_alloc_zeroed(1, sizeof *stream);
    int code = WEIR_OK;
    weir_arena_init(&stream->arena);
    stream->last_snapshot = INT64_MAX;
    WEIR_GO(weir_lake_table_reopen_latest(table, &stream->table, err));
    WEIR_GO(weir_read_request_resolve(stream->table->table->schema, request, &stream->arena, &stream->resolved, err));
    copy_request(stream, request);
    stream->options = (weir_scan_options){
        .predicate = stream->resolved.predicate,
        .limit = -1,
        .with_kinds = true,
    };
    WEIR_GO(open_scan(stream, err));
    *out = stream;
done:
    if (code != WEIR_OK) {
        weir_change_stream_close(stream);
    }
    return code;
}

void weir_change_stream_close(weir_change_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    weir_stream_scan_close(stream->scan);
    weir_lake_table_release(stream->table);
    weir_arena_free(&stream->arena);
    free(stream);
}

int weir_change_stream_next(weir_change_stream *stream, struct ArrowArrayStream *out, int64_t *out_snapshot_id,
                            weir_error *err)
{
    weir_read_plan *plan = NULL;
    WEIR_TRY(weir_read_plan_new(stream->table, &stream->request, &plan, err));
    int code = weir_stream_scan_next(stream->scan, &plan->plan, err);
    if (code == WEIR_OK) {
        if (out_snapshot_id != NULL) {
            *out_snapshot_id = plan->plan->snapshot_id;
        }
        weir_read_stream_init(plan, 0, plan->plan->split_count, out);
    }
    weir_read_plan_release(plan);
    return code;
}

int64_t weir_change_stream_position(const weir_change_stream *stream)
{
    return weir_stream_scan_position(stream->scan);
}

int weir_change_stream_restore(weir_change_stream *stream, int64_t position, weir_error *err)
{
    if (position != -1) {
        return weir_stream_scan_restore(stream->scan, position, err);
    }
    return open_scan(stream, err);
}

void weir_change_stream_stop_after(weir_change_stream *stream, int64_t snapshot_id)
{
    stream->last_snapshot = snapshot_id;
    weir_stream_scan_set_end(stream->scan, snapshot_id);
}
