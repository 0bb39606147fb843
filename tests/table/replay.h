/* Replaying what a streaming reader gives, strictly: +I only on an absent row, -U and -D only on an equal one. */
#ifndef WEIR_TESTS_REPLAY_H
#define WEIR_TESTS_REPLAY_H

#include "base/map.h"
#include "table/model.h"

/* Rows by key text; values are malloc'd lines. */
typedef struct replayed_rows {
    weir_map rows;
    bool strict; /* otherwise upserts: without a changelog producer readers get the newest rows only */
} replayed_rows;

static inline void replay_free(replayed_rows *replay)
{
    for (size_t i = 0; i < replay->rows.entry_count; i++) {
        free(replay->rows.entries[i].value);
    }
    weir_map_free(&replay->rows);
}

static inline void replay_row(replayed_rows *replay, const weir_batch *batch, int64_t row, int64_t snapshot_id)
{
    weir_buffer key = {0}, line = {0};
    weir_value_to_json(&batch->columns[0], row, &key);
    weir_buffer_append_byte(&key, '/');
    weir_value_to_json(&batch->columns[1], row, &key);
    row_to_json(batch, row, -1, false, &line);
    int8_t kind = weir_batch_kind(batch, row);
    char *present = weir_map_get(&replay->rows, weir_buffer_slice(&key));
    const char *text = weir_buffer_text(&line);
    if (replay->strict && !weir_row_kind_is_retract(kind) && present != NULL) {
        fail_msg("snapshot %lld: %s %s on a row that is there: %s", (long long)snapshot_id, weir_row_kind_text(kind),
                 text, present);
    }
    if (replay->strict && weir_row_kind_is_retract(kind) && (present == NULL || strcmp(present, text) != 0)) {
        fail_msg("snapshot %lld: %s %s, but the row is %s", (long long)snapshot_id, weir_row_kind_text(kind), text,
                 present != NULL ? present : "absent");
    }
    weir_map_remove(&replay->rows, weir_buffer_slice(&key));
    free(present);
    if (!weir_row_kind_is_retract(kind)) {
        weir_map_put(&replay->rows, weir_buffer_slice(&key), weir_strdup(text));
    }
    weir_buffer_free(&key);
    weir_buffer_free(&line);
}

static inline void replay_plan(replayed_rows *replay, const weir_table *table, const weir_table_plan *plan, bool is_state)
{
    weir_error err = {0};
    weir_read_options options = {.with_kinds = true};
    weir_batch batch;
    weir_batch_init(&batch, table->schema->fields, table->schema->field_count);
    for (size_t i = 0; i < plan->split_count; i++) {
        weir_split_reader *reader = NULL;
        int code = weir_split_open(table, &plan->splits[i], &options, &reader, &err);
        while (code == WEIR_OK && (code = weir_split_next(reader, &batch, &err)) == WEIR_OK) {
            for (int64_t r = 0; r < batch.length; r++) {
                if (is_state) {
                    weir_batch_reserve_kinds(&batch, batch.length);
                    batch.kinds[r] = WEIR_INSERT;
                }
                replay_row(replay, &batch, r, plan->snapshot_id);
            }
        }
        weir_split_close(reader);
        model_must(code == WEIR_END ? WEIR_OK : code, &err, "reading changes");
    }
    weir_batch_free(&batch);
}

static inline void replay_compare(const replayed_rows *replay, const table_model *model, int64_t snapshot_id)
{
    lines actual = {0};
    char what[64];
    for (size_t i = 0; i < replay->rows.entry_count; i++) {
        const char *line = replay->rows.entries[i].value;
        if (line != NULL) {
            lines_add(&actual, line, strlen(line));
        }
    }
    lines_sort(&actual);
    snprintf(what, sizeof what, "the changelog up to snapshot %lld", (long long)snapshot_id);
    model_compare(model, &model->history.states[snapshot_id], &actual, what);
    lines_free(&actual);
}

/* Reads the table as a stream from snapshot `start` on, full phase first, and compares after every snapshot at which the
 * changelog has caught up. */
static inline void model_check_stream(const table_model *model, int64_t start, int64_t latest)
{
    weir_error err = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    weir_options options = {0};
    weir_options_set(&options, &arena, "scan.mode", "from-snapshot-full");
    weir_options_set(&options, &arena, "scan.snapshot-id", weir_arena_format(&arena, "%lld", (long long)start));
    weir_table_open_options open_options = {.dynamic_options = &options, .for_stream = true};
    weir_table *table = NULL;
    weir_stream_scan *scan = NULL;
    model_must(weir_table_open(model->memory, MODEL_PATH, &open_options, &table, &err), &err, "opening for a stream");
    model_must(weir_stream_scan_open(table, NULL, &scan, &err), &err, "opening the stream");
    weir_stream_scan_set_end(scan, latest);

    replayed_rows replay = {.strict = strcmp(model->producer, "none") != 0};
    bool is_state = true;
    int64_t seen = start;
    for (;;) {
        weir_table_plan *plan = NULL;
        int code = weir_stream_scan_next(scan, &plan, &err);
        if (code == WEIR_END || code == WEIR_IDLE) {
            break;
        }
        model_must(code, &err, "the next changes");
        /* Changelogs that compactions make come with the COMPACT half: what was appended is told later. */
        replay_plan(&replay, table, plan, is_state && plan->snapshot_id == start);
        is_state = false;
        seen = plan->snapshot_id;
        if (strcmp(model->producer, "none") == 0 || strcmp(model->producer, "input") == 0) {
            replay_compare(&replay, model, seen);
        }
        weir_table_plan_free(plan);
    }
    replay_compare(&replay, model, latest);
    replay_free(&replay);
    weir_stream_scan_close(scan);
    weir_table_close(table);
    weir_arena_free(&arena);
}

#endif
