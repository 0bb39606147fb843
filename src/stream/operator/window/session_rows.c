/* ASSIGN of SESSION by itself: rows wait until their session closes, and go out with its bounds, their kinds kept.
 *
 * The rows of a session are a map of state under its number and key; where sessions become one, their rows are moved.
 */
#include <stdlib.h>

#include "stream/operator/operators.h"
#include "stream/operator/window/sessions.h"
#include "stream/operator/window/window_operator.h"
#include "stream/state/row_codec.h"

enum { most_rows = 16384 };

typedef struct session_rows {
    weir_window_operator window; /* first */
    const weir_plan *plan;
    const weir_assigner *assigner;
    weir_sql_compute *compute; /* the keys; NULL: there are none */
    weir_batch key_values;
    weir_sessions *sessions;
    weir_map_state *rows;
    uint64_t number; /* of the next row */
    const weir_zone *zone;
    weir_batch result;
    weir_buffer key, bytes, row;
} session_rows;

/* --- The rows of a session ------------------------------------------------------------------------------------- */

static int fetch_rows(session_rows *self, weir_slice key, int64_t number, weir_state_slot *out, weir_error *err)
{
    uint8_t bytes[8];
    weir_store_le64(bytes, (uint64_t)number);
    weir_buffer_clear(&self->bytes);
    weir_buffer_append(&self->bytes, bytes, sizeof bytes);
    weir_buffer_append(&self->bytes, key.data, key.size);
    return weir_map_state_fetch_one(self->rows, weir_buffer_slice(&self->bytes), out, err);
}

static int add_row(session_rows *self, weir_slice key, int64_t number, const weir_batch *batch, int64_t row,
                   weir_error *err)
{
    weir_state_slot slot;
    uint8_t order[8];
    WEIR_TRY(fetch_rows(self, key, number, &slot, err));
    weir_store_be64(order, self->number++);
    weir_buffer_clear(&self->row);
    weir_buffer_append_byte(&self->row, (uint8_t)weir_batch_kind(batch, row));
    WEIR_TRY(weir_row_encode(batch, NULL, 0, row, &self->row, err));
    return weir_map_state_put(self->rows, slot, weir_slice_of(order, sizeof order), weir_buffer_slice(&self->row), err);
}

/* Appends | size of subkey: 4 | size of value: 4 | subkey | value | for each row, and removes them. */
static int take_rows(session_rows *self, weir_slice key, int64_t number, weir_buffer *out, weir_error *err)
{
    weir_state_slot slot;
    weir_map_cursor *cursor;
    weir_slice subkey;
    weir_slice value;
    int code;
    WEIR_TRY(fetch_rows(self, key, number, &slot, err));
    WEIR_TRY(weir_map_cursor_open(self->rows, slot, weir_slice_of(NULL, 0), &cursor, err));
    while ((code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK) {
        uint8_t sizes[8];
        weir_store_le32(sizes, (uint32_t)subkey.size);
        weir_store_le32(sizes + 4, (uint32_t)value.size);
        weir_buffer_append(out, sizes, sizeof sizes);
        weir_buffer_append(out, subkey.data, subkey.size);
        weir_buffer_append(out, value.data, value.size);
    }
    weir_map_cursor_close(cursor);
    if (code != WEIR_END) {
        return code;
    }
    for (size_t at = 0; at < out->size;) {
        size_t subkey_size = weir_load_le32(out->data + at);
        size_t value_size = weir_load_le32(out->data + at + 4);
        WEIR_TRY(weir_map_state_remove(self->rows, slot, weir_slice_of(out->data + at + 8, subkey_size), err));
        at += 8 + subkey_size + value_size;
    }
    return WEIR_OK;
}

static int move_rows(session_rows *self, weir_slice key, int64_t from, int64_t to, weir_error *err)
{
    weir_buffer taken = {0};
    weir_state_slot slot;
    int code = WEIR_OK;
    WEIR_GO(take_rows(self, key, from, &taken, err));
    WEIR_GO(fetch_rows(self, key, to, &slot, err));
    for (size_t at = 0; at < taken.size;) {
        size_t subkey_size = weir_load_le32(taken.data + at);
        size_t value_size = weir_load_le32(taken.data + at + 4);
        const uint8_t *subkey = taken.data + at + 8;
        WEIR_GO(weir_map_state_put(self->rows, slot, weir_slice_of(subkey, subkey_size),
                                   weir_slice_of(subkey + subkey_size, value_size), err));
        at += 8 + subkey_size + value_size;
    }
done:
    weir_buffer_free(&taken);
    return code;
}

/* --- Rows that come -------------------------------------------------------------------------------------------- */

static int take_row(session_rows *self, const weir_batch *batch, int64_t row, int64_t instant, weir_error *err)
{
    weir_session_window window;
    const int64_t *merged;
    int32_t merged_count;
    bool late;
    weir_slice key = weir_buffer_slice(&self->key);
    WEIR_TRY(weir_sessions_add(self->sessions, key, weir_window_local(self->zone, instant),
                               self->window.by_clock ? INT64_MIN : self->window.closed, &late, &window, &merged,
                               &merged_count, err));
    if (late) {
        atomic_fetch_add(self->window.context->late_rows, 1);
        return WEIR_OK;
    }
    for (int32_t i = 0; i < merged_count; i++) {
        WEIR_TRY(move_rows(self, key, merged[i], window.number, err));
    }
    return add_row(self, key, window.number, batch, row, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    session_rows *self = (session_rows *)base;
    const weir_vector *times = &batch->columns[self->assigner->column];
    int64_t now = self->window.by_clock ? self->window.context->clock_ms() : 0;
    (void)input;
    if (self->compute != NULL) {
        WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->key_values, NULL, err));
    }
    for (int64_t row = 0; row < batch->length; row++) {
        if (!self->window.by_clock && weir_vector_is_null(times, row)) {
            continue;
        }
        weir_buffer_clear(&self->key);
        if (self->compute != NULL) {
            WEIR_TRY(weir_row_encode(&self->key_values, NULL, 0, row, &self->key, err));
        }
        WEIR_TRY(take_row(self, batch, row, self->window.by_clock ? now : weir_time_millis(times, row), err));
    }
    return WEIR_OK;
}

/* --- Sessions that close --------------------------------------------------------------------------------------- */

static int send(session_rows *self, weir_error *err)
{
    int code = weir_output_send(&self->window.base, &self->result, err);
    weir_batch_clear(&self->result);
    return code;
}

static int append_row(session_rows *self, weir_slice value, const weir_session_window *window, weir_error *err)
{
    int32_t before = self->plan->inputs[0]->field_count;
    weir_batch *out = &self->result;
    int64_t last = window->end - 1;
    int64_t last_instant = self->assigner->zone == NULL ? last : weir_window_instant(self->zone, last);
    WEIR_TRY(weir_row_decode(weir_slice_of(value.data + 1, value.size - 1), out, 0, before, err));
    WEIR_TRY(weir_time_append_millis(&out->columns[before], window->start, err));
    WEIR_TRY(weir_time_append_millis(&out->columns[before + 1], window->end, err));
    WEIR_TRY(weir_time_append_millis(&out->columns[before + 2], last_instant, err));
    weir_batch_reserve_kinds(out, out->length + 1);
    out->kinds[out->length++] = (int8_t)value.data[0];
    return out->length < most_rows ? WEIR_OK : send(self, err);
}

static int close_session(session_rows *self, const weir_closed_session *closed, weir_error *err)
{
    weir_buffer taken = {0};
    int code = WEIR_OK;
    WEIR_GO(take_rows(self, closed->key, closed->window.number, &taken, err));
    for (size_t at = 0; at < taken.size;) {
        size_t subkey_size = weir_load_le32(taken.data + at);
        size_t value_size = weir_load_le32(taken.data + at + 4);
        WEIR_GO(append_row(self, weir_slice_of(taken.data + at + 8 + subkey_size, value_size), &closed->window, err));
        at += 8 + subkey_size + value_size;
    }
done:
    weir_buffer_free(&taken);
    return code;
}

static int close_due(weir_window_operator *base, int64_t moment, weir_error *err)
{
    session_rows *self = (session_rows *)base;
    const weir_closed_session *closed;
    int64_t count;
    do {
        WEIR_TRY(weir_sessions_take(self->sessions, moment, &closed, &count, err));
        for (int64_t i = 0; i < count; i++) {
            WEIR_TRY(close_session(self, &closed[i], err));
        }
    } while (count > 0);
    return send(self, err);
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static void close_operator(weir_operator *base)
{
    session_rows *self = (session_rows *)base;
    weir_sql_compute_free(self->compute);
    weir_sessions_close(self->sessions);
    weir_map_state_close(self->rows);
    weir_batch_free(&self->key_values);
    weir_batch_free(&self->result);
    weir_buffer_free(&self->key);
    weir_buffer_free(&self->bytes);
    weir_buffer_free(&self->row);
    free(self);
}

static int open_state(session_rows *self, weir_error *err)
{
    const weir_plan *input = self->plan->inputs[0];
    const weir_state_options rows = {.uid = self->window.uid, .name = "rows"};
    const weir_sessions_options sessions = {
        .context = self->window.context, .uid = self->window.uid, .gap_ms = self->assigner->size, .zone = self->zone};
    const weir_sql_compute_options keys = {.fields = input->fields,
                                           .field_count = input->field_count,
                                           .expressions = self->assigner->partition_keys,
                                           .expression_count = self->assigner->partition_key_count};
    WEIR_TRY(weir_map_state_open(self->window.context->state, &rows, &self->rows, err));
    WEIR_TRY(weir_sessions_open(&sessions, &self->sessions, err));
    if (keys.expression_count > 0) {
        WEIR_TRY(weir_sql_compute_create(self->window.context->engine, &keys, &self->compute, err));
    }
    self->number = (uint64_t)weir_state_backend_last_checkpoint(self->window.context->state) << 32;
    return weir_window_operator_restore(&self->window, err);
}

int weir_session_rows_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                      weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    int32_t keys = plan->assigner->partition_key_count;
    session_rows *self = weir_alloc_zeroed(1, sizeof *self);
    self->window.base.process = process;
    self->window.base.close = close_operator;
    self->window.close_due = close_due;
    weir_window_operator_init(&self->window, "SessionWindow", 1, context, node->uid, node->output->window_clock);
    self->plan = plan;
    self->assigner = plan->assigner;
    self->zone = weir_window_zone(plan->assigner->zone);
    weir_field *fields = weir_alloc_zeroed((size_t)keys + 1, sizeof *fields);
    for (int32_t i = 0; i < keys; i++) {
        fields[i].type = plan->assigner->partition_keys[i]->type;
    }
    weir_batch_init(&self->key_values, fields, keys);
    free(fields);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    int code = open_state(self, err);
    return weir_operator_created(&self->window.base, code, out);
}
