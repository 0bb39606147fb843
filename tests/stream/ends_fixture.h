/* A table in memory with a job's sink at its one end and a job's source at the other.
 *
 * Include cmocka_all.h first. */
#ifndef WEIR_TESTS_ENDS_FIXTURE_H
#define WEIR_TESTS_ENDS_FIXTURE_H

#include "stream/sink/paimon_sink.h"
#include "stream/source/paimon_source.h"
#include "table/table_fixture.h"

/* ---- sinks ---- */

typedef struct sink_end {
    weir_table *table;
    weir_stream_sink *sink;
} sink_end;

static inline int sink_end_try_open(weir_fs *fs, sink_end *end, weir_error *err)
{
    weir_paimon_sink_options options = {.job = "job", .description = "t"};
    *end = (sink_end){0};
    WEIR_TRY(weir_table_open(fs, FIXTURE_PATH, NULL, &end->table, err));
    return weir_paimon_sink_open(end->table, &options, &end->sink, err);
}

static inline void sink_end_open(weir_fs *fs, sink_end *end)
{
    weir_error err = {0};
    must(sink_end_try_open(fs, end, &err), &err, "opening a sink");
}

static inline void sink_end_close(sink_end *end)
{
    if (end->sink != NULL) {
        end->sink->close(end->sink);
    }
    weir_table_close(end->table);
    *end = (sink_end){0};
}

static inline int sink_end_try_write(sink_end *end, const char *rows, const char *kind, weir_error *err)
{
    fixture as_table = {.table = end->table};
    weir_batch batch;
    fixture_batch(&as_table, rows, kind, &batch);
    int code = end->sink->write(end->sink, &batch, err);
    weir_batch_free(&batch);
    return code;
}

static inline void sink_end_write(sink_end *end, const char *rows, const char *kind)
{
    weir_error err = {0};
    must(sink_end_try_write(end, rows, kind, &err), &err, "writing");
}

static inline void sink_end_prepare(sink_end *end, int64_t checkpoint, weir_buffer *out)
{
    weir_error err = {0};
    must(end->sink->prepare(end->sink, checkpoint, false, out, &err), &err, "preparing");
}

static inline void sink_end_commit(sink_end *end, int64_t checkpoint, const weir_buffer *prepared)
{
    weir_error err = {0};
    must(end->sink->commit(end->sink, checkpoint, weir_buffer_slice(prepared), &err), &err, "committing");
}

/* All in one: what a job does with rows of one checkpoint. */
static inline void sink_end_checkpoint(sink_end *end, int64_t checkpoint, const char *rows, const char *kind)
{
    weir_buffer prepared = {0};
    sink_end_write(end, rows, kind);
    sink_end_prepare(end, checkpoint, &prepared);
    sink_end_commit(end, checkpoint, &prepared);
    weir_buffer_free(&prepared);
}

static inline int sink_end_recover(sink_end *end, int64_t checkpoint, const weir_buffer *prepared, weir_error *err)
{
    return end->sink->recover(end->sink, checkpoint, weir_buffer_slice(prepared), err);
}

/* ---- sources ---- */

typedef struct source_end {
    weir_arena arena;
    weir_table *table;
    weir_stream_source *source;
    int32_t columns[16];
    weir_batch batch;
} source_end;

/* All columns; `options`: "scan.mode=latest;…". */
static inline int source_end_try_open(weir_fs *fs, const char *options, int64_t batch_rows, source_end *end,
                                      weir_error *err)
{
    *end = (source_end){0};
    weir_arena_init(&end->arena);
    weir_options dynamic = {0};
    fixture_options(&end->arena, options, &dynamic);
    weir_table_open_options open = {.dynamic_options = &dynamic, .for_stream = true};
    WEIR_TRY(weir_table_open(fs, FIXTURE_PATH, &open, &end->table, err));
    const weir_schema *schema = end->table->schema;
    for (int32_t i = 0; i < schema->field_count; i++) {
        end->columns[i] = i;
    }
    weir_paimon_source_options source = {
        .columns = end->columns,
        .column_count = schema->field_count,
        .batch_rows = batch_rows,
        .description = "t",
    };
    weir_batch_init(&end->batch, schema->fields, schema->field_count);
    return weir_paimon_source_open(end->table, &source, &end->source, err);
}

static inline void source_end_open(weir_fs *fs, const char *options, int64_t batch_rows, source_end *end)
{
    weir_error err = {0};
    must(source_end_try_open(fs, options, batch_rows, end, &err), &err, "opening a source");
}

static inline void source_end_close(source_end *end)
{
    if (end->source != NULL) {
        end->source->close(end->source);
    }
    weir_batch_free(&end->batch);
    weir_table_close(end->table);
    weir_arena_free(&end->arena);
}

/* Appends the rows of the next batch, `+I[1,"a"]`, each with a blank before it; WEIR_IDLE and WEIR_END pass through. */
static inline int source_end_next(source_end *end, weir_buffer *out, weir_error *err)
{
    WEIR_TRY(end->source->next(end->source, &end->batch, err));
    for (int64_t row = 0; row < end->batch.length; row++) {
        weir_buffer_append_format(out, " %s[", weir_row_kind_text(weir_batch_kind(&end->batch, row)));
        for (int32_t c = 0; c < end->batch.column_count; c++) {
            weir_buffer_append_text(out, c > 0 ? "," : "");
            weir_value_to_json(&end->batch.columns[c], row, out);
        }
        weir_buffer_append_byte(out, ']');
    }
    return WEIR_OK;
}

/* All rows until there are none for now; arena text. "error: …" at its end when it failed, "end" when it ended. */
static inline const char *source_end_rows(source_end *end)
{
    weir_buffer text = {0};
    weir_error err = {0};
    int code;
    while ((code = source_end_next(end, &text, &err)) == WEIR_OK) {
    }
    if (code != WEIR_IDLE) {
        weir_buffer_append_format(&text, " %s", code == WEIR_END ? "end" : err.message);
    }
    const char *rows = weir_arena_strdup(&end->arena, text.size > 0 ? weir_buffer_text(&text) + 1 : "");
    weir_buffer_free(&text);
    return rows;
}

static inline void source_end_position(source_end *end, weir_buffer *out)
{
    weir_error err = {0};
    weir_buffer_clear(out);
    must(end->source->position(end->source, out, &err), &err, "asking for the position");
}

static inline int source_end_restore(source_end *end, const weir_buffer *position, weir_error *err)
{
    return end->source->restore(end->source, weir_buffer_slice(position), err);
}

#endif
