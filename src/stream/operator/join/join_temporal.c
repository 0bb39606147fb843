/* JOIN and LEFT JOIN of a stream with a table FOR SYSTEM_TIME AS OF the time of its events: each row of the left input
 * meets the version that the table had then.
 *
 * Rows of the left input wait for the watermark of both inputs to pass their time. Of the table all versions of a key
 * are kept by their time, the latest first, down to the one that was valid at the watermark:
 *
 *   join key -> | time, descending as bytes: 8 | -> | 1: there is a row, 0: it was deleted | row |
 *
 * The join's key is the table's: what the condition asks for beyond it is tested. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/byte_keys.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_pair_test.h"
#include "stream/operator/time_queue.h"
#include "stream/operator/window/window_clock.h"
#include "stream/state/row_codec.h"

#define ROWS_AT_ONCE 2048

typedef struct temporal_join {
    weir_operator base;
    weir_arena arena;
    bool outer;
    int32_t times[2]; /* fields of both inputs */
    weir_join_condition condition;
    weir_join_keys *keys[2];
    weir_time_queue *waiting; /* rows of the left input */
    weir_join_rows versions;  /* whose map is used alone */
    weir_encoded_rows encoded;
    weir_buffer version;
    weir_buffer stale; /* subkeys of versions that are not needed any more */
    weir_sort_keys due_keys;
    weir_batch due; /* rows whose time has come */
    weir_join_output output;
    weir_join_pair_test test; /* of rows of `due` and decoded versions */
    uint32_t *matches;        /* of `due`: the decoded version, or none */
    int64_t watermark;
} temporal_join;

enum { time_size = 8 };

static void store_time(uint8_t *to, int64_t time) { weir_store_be64(to, ~((uint64_t)time ^ (UINT64_C(1) << 63))); }

/* --- the table --------------------------------------------------------------------------------------------------- */

/* Versions before the one that is valid at the watermark will not be asked for. */
static int drop_stale(temporal_join *self, weir_state_slot slot, weir_error *err)
{
    uint8_t from[time_size];
    weir_map_cursor *cursor;
    weir_slice subkey, value;
    if (self->watermark == WEIR_WATERMARK_NONE) {
        return WEIR_OK;
    }
    store_time(from, self->watermark - 1);
    weir_buffer_clear(&self->stale);
    WEIR_TRY(weir_map_cursor_open(self->versions.map, slot, weir_slice_of(from, sizeof from), &cursor, err));
    int code = weir_map_cursor_next(cursor, &subkey, &value, err); /* the valid one */
    while (code == WEIR_OK && (code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK) {
        weir_buffer_append(&self->stale, subkey.data, subkey.size);
    }
    weir_map_cursor_close(cursor);
    code = code == WEIR_END ? WEIR_OK : code;
    for (size_t i = 0; i + time_size <= self->stale.size && code == WEIR_OK; i += time_size) {
        code = weir_map_state_remove(self->versions.map, slot, weir_slice_of(self->stale.data + i, time_size), err);
    }
    return code;
}

static int take_version(temporal_join *self, const weir_batch *batch, int64_t row, weir_error *err)
{
    uint8_t subkey[time_size];
    int8_t kind = weir_batch_kind(batch, row);
    weir_state_slot slot = self->versions.slots[row];
    weir_slice bytes = weir_encoded_row(&self->encoded, row);
    store_time(subkey, weir_time_millis(&batch->columns[self->times[1]], row));
    weir_buffer_clear(&self->version);
    weir_buffer_append_byte(&self->version, kind != WEIR_DELETE);
    weir_buffer_append(&self->version, bytes.data, bytes.size);
    WEIR_TRY(weir_map_state_put(self->versions.map, slot, weir_slice_of(subkey, sizeof subkey),
                                weir_buffer_slice(&self->version), err));
    return drop_stale(self, slot, err);
}

static int process_right(temporal_join *self, const weir_batch *batch, weir_error *err)
{
    const weir_sort_keys *keys;
    const uint8_t *can_match;
    const weir_vector *times = &batch->columns[self->times[1]];
    WEIR_TRY(weir_join_keys_run(self->keys[1], batch, &keys, &can_match, err));
    WEIR_TRY(weir_encoded_rows_fill(&self->encoded, batch, err));
    WEIR_TRY(weir_join_rows_fetch(&self->versions, keys, err));
    for (int64_t row = 0; row < batch->length; row++) {
        /* what was before an update is a version of its own already */
        if (can_match[row] && weir_batch_kind(batch, row) != WEIR_UPDATE_BEFORE && !weir_vector_is_null(times, row)) {
            WEIR_TRY(take_version(self, batch, row, err));
        }
    }
    return WEIR_OK;
}

/* The row that was valid at a time; empty: none. */
static int find_version(temporal_join *self, weir_state_slot slot, int64_t time, weir_slice *out, weir_error *err)
{
    uint8_t from[time_size];
    weir_map_cursor *cursor;
    weir_slice subkey, value = {0};
    store_time(from, time);
    WEIR_TRY(weir_map_cursor_open(self->versions.map, slot, weir_slice_of(from, sizeof from), &cursor, err));
    int code = weir_map_cursor_next(cursor, &subkey, &value, err);
    weir_map_cursor_close(cursor);
    bool found = code == WEIR_OK && value.size > 0 && value.data[0] != 0;
    *out = found ? weir_slice_of(value.data + 1, value.size - 1) : (weir_slice){0};
    return code == WEIR_END ? WEIR_OK : code;
}

/* --- the stream -------------------------------------------------------------------------------------------------- */

static int process_left(temporal_join *self, const weir_batch *batch, weir_error *err)
{
    const weir_sort_keys *keys;
    const uint8_t *can_match;
    const weir_vector *times = &batch->columns[self->times[0]];
    WEIR_TRY(weir_join_keys_run(self->keys[0], batch, &keys, &can_match, err));
    weir_join_output_begin(&self->output, 0, batch);
    for (int64_t row = 0; row < batch->length; row++) {
        uint8_t space[8];
        if (can_match[row] && !weir_vector_is_null(times, row)) {
            weir_slice key = weir_join_key_bytes(keys, row, space);
            WEIR_TRY(weir_time_queue_put_row(self->waiting, weir_time_millis(times, row), key, batch, row, err));
        } else if (self->outer) { /* it can match nothing */
            WEIR_TRY(weir_join_output_row(&self->output, WEIR_INSERT, (uint32_t)row, WEIR_JOIN_NO_ROW, 0, err));
        }
    }
    return weir_join_output_settle(&self->output, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    temporal_join *self = (temporal_join *)base;
    return input == WEIR_JOIN_LEFT_SIDE ? process_left(self, batch, err) : process_right(self, batch, err);
}

/* --- rows whose time has come ------------------------------------------------------------------------------------ */

/* Decodes rows and the versions that were valid at their times. */
static int find_versions(temporal_join *self, const weir_time_entry *entries, int64_t count, weir_error *err)
{
    weir_batch_clear(&self->due);
    weir_sort_keys_clear(&self->due_keys);
    for (int64_t i = 0; i < count; i++) {
        WEIR_TRY(weir_row_decode(entries[i].value, &self->due, 0, self->due.column_count, err));
        weir_byte_keys_add(&self->due_keys, weir_time_entry_row_key(&entries[i]));
    }
    self->due.length = count;
    weir_join_output_begin(&self->output, 0, &self->due);
    return weir_join_rows_fetch(&self->versions, &self->due_keys, err);
}

static int match_version(temporal_join *self, int64_t row, int64_t time, weir_error *err)
{
    weir_slice version;
    self->matches[row] = WEIR_JOIN_NO_ROW;
    WEIR_TRY(find_version(self, self->versions.slots[row], time, &version, err));
    if (version.size == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_join_output_decode(&self->output, version, &self->matches[row], err));
    weir_join_pair_test_pair(&self->test, self->matches[row], row);
    return WEIR_OK;
}

static int give_matches(temporal_join *self, int64_t first, int64_t end, weir_error *err)
{
    if (self->test.compute != NULL && self->output.others[1].length > 0) {
        WEIR_TRY(weir_join_pair_test_run(&self->test, &self->output, err));
    }
    for (int64_t row = first; row < end; row++) {
        uint32_t version = self->matches[row];
        bool matches = version != WEIR_JOIN_NO_ROW && (self->test.compute == NULL || self->test.passes[version]);
        if (matches || self->outer) {
            WEIR_TRY(weir_join_output_row(&self->output, WEIR_INSERT, (uint32_t)row,
                                          matches ? version : WEIR_JOIN_NO_ROW, 0, err));
        }
    }
    return weir_join_output_settle(&self->output, err);
}

static int join_due(temporal_join *self, const weir_time_entry *entries, int64_t count, weir_error *err)
{
    int64_t given = 0;
    WEIR_TRY(find_versions(self, entries, count, err));
    for (int64_t row = 0; row < count; row++) {
        if (!weir_join_output_has_room(&self->output, 1)) {
            WEIR_TRY(give_matches(self, given, row, err));
            given = row;
        }
        WEIR_TRY(match_version(self, row, entries[row].time, err));
    }
    return give_matches(self, given, count, err);
}

static int take_watermark(weir_operator *base, int32_t input, int64_t watermark, weir_error *err)
{
    temporal_join *self = (temporal_join *)base;
    const weir_time_entry *entries;
    int64_t count;
    watermark = weir_operator_note_watermark(base, input, watermark);
    if (watermark <= self->watermark) {
        return WEIR_OK;
    }
    int64_t last = watermark == WEIR_WATERMARK_END ? watermark : watermark - 1;
    for (;;) {
        WEIR_TRY(weir_time_queue_take(self->waiting, last, &entries, &count, err));
        if (count == 0) {
            break;
        }
        for (int64_t i = 0; i < count; i += ROWS_AT_ONCE) {
            WEIR_TRY(join_due(self, entries + i, count - i < ROWS_AT_ONCE ? count - i : ROWS_AT_ONCE, err));
        }
    }
    self->watermark = watermark;
    return weir_output_watermark(base, watermark, err);
}

/* --- the operator ------------------------------------------------------------------------------------------------ */

static void close_join(weir_operator *base)
{
    temporal_join *self = (temporal_join *)base;
    weir_join_keys_free(self->keys[0]);
    weir_join_keys_free(self->keys[1]);
    weir_time_queue_close(self->waiting);
    weir_join_rows_close(&self->versions);
    weir_encoded_rows_free(&self->encoded);
    weir_buffer_free(&self->version);
    weir_buffer_free(&self->stale);
    weir_sort_keys_free(&self->due_keys);
    weir_join_output_free(&self->output);
    weir_join_pair_test_free(&self->test);
    weir_batch_free(&self->due);
    weir_arena_free(&self->arena);
    free(self);
}

/* Keeps as keys those that are the table's unique key. */
static bool choose_keys(temporal_join *self, const weir_stream_traits *right, int32_t split)
{
    weir_join_condition *condition = &self->condition;
    int32_t *kept = WEIR_NEW_ARRAY(&self->arena, int32_t, condition->key_count + 1);
    for (int32_t i = 0; i < right->unique_key_count; i++) {
        const weir_unique_key *unique = &right->unique_keys[i];
        int32_t count = 0;
        for (int32_t j = 0; j < unique->count && count == j; j++) {
            for (int32_t k = 0; k < condition->key_count && count == j; k++) {
                const weir_expression *key = weir_expression_bare(condition->keys[1][k]);
                if (key->kind == WEIR_EXPRESSION_COLUMN && key->column == unique->fields[j]) {
                    kept[count++] = k;
                }
            }
        }
        if (count == unique->count) {
            weir_join_condition_keep_keys(condition, &self->arena, split, kept, count);
            return true;
        }
    }
    return false;
}

static int check_inputs(temporal_join *self, const weir_stream_node *node, weir_error *err)
{
    const weir_plan *plan = node->plan;
    const weir_stream_traits *right = node->inputs[1];
    int line = (int)plan->as_of->position.line, column = (int)plan->as_of->position.column;
    self->times[0] = plan->as_of->column;
    self->times[1] = -1;
    for (int32_t i = 0; i < plan->inputs[1]->field_count && self->times[1] < 0; i++) {
        self->times[1] = right->times[i] == WEIR_TIME_ROWTIME ? i : -1;
    }
    if (node->inputs[0]->updates || node->inputs[0]->deletes) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, line, column,
                            "a join FOR SYSTEM_TIME AS OF the time of events whose left input has updates or deletes, "
                            "which come from %s",
                            node->inputs[0]->changes_from);
    }
    if (right->unique_key_count == 0) {
        return weir_fail_at(err, WEIR_INVALID, line, column,
                            "Temporal Table Join requires primary key in versioned table, but no primary key can be "
                            "found. Give the table a PRIMARY KEY");
    }
    if (self->times[1] < 0) {
        return weir_fail_at(err, WEIR_INVALID, line, column,
                            "Event-Time Temporal Table Join requires both primary key and row time attribute in "
                            "versioned table, but no row time attribute can be found. Give the table a WATERMARK");
    }
    if (!choose_keys(self, right, plan->inputs[0]->field_count)) {
        return weir_fail_at(err, WEIR_INVALID, line, column,
                            "Temporal table's primary key must be included in the equivalence condition of temporal "
                            "join");
    }
    return WEIR_OK;
}

static int open_parts(temporal_join *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    const weir_plan *plan = node->plan;
    weir_join_condition_split(plan, &self->arena, &self->condition);
    WEIR_TRY(check_inputs(self, node, err));
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(weir_join_keys_create(context->engine, &self->condition, i, plan->inputs[i], &self->keys[i], err));
    }
    WEIR_TRY(weir_time_queue_open(context, node->uid, "waiting", &self->waiting, err));
    WEIR_TRY(weir_join_rows_open(&self->versions, context, node->uid, "versions", err));
    self->matches = WEIR_NEW_ARRAY(&self->arena, uint32_t, ROWS_AT_ONCE);
    return self->condition.rest_count == 0
               ? WEIR_OK
               : weir_join_pair_test_open(&self->test, context->engine, plan, &self->condition, &self->arena, err);
}

int weir_join_temporal_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err)
{
    const weir_plan *plan = node->plan;
    temporal_join *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.watermark = take_watermark;
    self->base.close = close_join;
    self->outer = plan->join == WEIR_JOIN_LEFT;
    self->watermark = WEIR_WATERMARK_NONE;
    weir_arena_init(&self->arena);
    weir_operator_init(&self->base, "TemporalJoin", 2);
    weir_join_output_init(&self->output, &self->base, plan);
    weir_batch_init(&self->due, plan->inputs[0]->fields, plan->inputs[0]->field_count);
    weir_join_pair_test_init(&self->test, plan);
    int code = open_parts(self, context, node, err);
    return weir_operator_created(&self->base, code, out);
}
