/* WINDOW in the order of a time. Rows of events wait until the watermark says that none will come before them, and come
 * out in the order of their time; rows of processing time come out at once. Late rows are dropped: those up to the
 * watermark, or with bounded frames those up to the last row of their key that has come out. */
#include <stdlib.h>

#include "stream/operator/byte_keys.h"
#include "stream/operator/closed_watermark.h"
#include "stream/operator/operators.h"
#include "stream/operator/over/over_frames.h"
#include "stream/operator/over/over_places.h"
#include "stream/operator/time_queue.h"
#include "stream/operator/window/window_clock.h"
#include "stream/state/row_codec.h"

typedef struct over_operator {
    weir_operator base;
    const weir_operator_context *context;
    const char *uid;
    const weir_plan *plan;
    weir_over over;
    weir_sql_compute *compute; /* what rows are partitioned by; NULL: nothing */
    weir_batch key_values;
    weir_over_places *places;
    weir_over_frames *frames;
    weir_time_queue *waiting;
    weir_value_state *came_out; /* of bounded frames: the time of each key's last row; NULL: none */
    int64_t closed;
    weir_sort_keys keys;
    weir_batch due;
    int64_t *times;
    weir_state_slot *slots;
    size_t times_capacity, slots_capacity;
    weir_batch result;
    weir_buffer bytes;
} over_operator;

/* --- Rows that are next ---------------------------------------------------------------------------------------- */

/* Sends the rows, whose keys and times are in place, with what the calls give for them. */
static int run(over_operator *self, const weir_batch *rows, weir_error *err)
{
    int32_t before = rows->column_count;
    weir_batch_clear(&self->result);
    for (int32_t i = 0; i < before; i++) {
        WEIR_TRY(weir_vector_append_range(&self->result.columns[i], &rows->columns[i], 0, rows->length, err));
    }
    if (self->places != NULL) {
        WEIR_TRY(weir_over_places_run(self->places, rows, &self->keys, self->times, &self->result, before, err));
    }
    if (self->frames != NULL) {
        WEIR_TRY(weir_over_frames_run(self->frames, rows, &self->keys, self->times, &self->result, before, err));
    }
    self->result.length = rows->length;
    return weir_output_send(&self->base, &self->result, err);
}

static int note_times(over_operator *self, weir_error *err)
{
    WEIR_GROW(self->slots, self->slots_capacity, self->keys.length);
    WEIR_TRY(weir_value_state_fetch(self->came_out, &self->keys, self->slots, err));
    for (int64_t i = 0; i < self->keys.length; i++) {
        uint8_t *bytes;
        WEIR_TRY(weir_value_state_edit(self->came_out, self->slots[i], 8, &bytes, err));
        weir_store_le64(bytes, (uint64_t)self->times[i]);
    }
    return WEIR_OK;
}

static int run_due(over_operator *self, int64_t moment, weir_error *err)
{
    const weir_time_entry *entries;
    int64_t count;
    for (;;) {
        WEIR_TRY(weir_time_queue_take(self->waiting, moment, &entries, &count, err));
        if (count == 0) {
            return WEIR_OK;
        }
        weir_batch_clear(&self->due);
        weir_sort_keys_clear(&self->keys);
        WEIR_GROW(self->times, self->times_capacity, count);
        for (int64_t i = 0; i < count; i++) {
            WEIR_TRY(weir_row_decode(entries[i].value, &self->due, 0, self->due.column_count, err));
            weir_byte_keys_add(&self->keys, weir_time_entry_row_key(&entries[i]));
            self->times[i] = entries[i].time;
        }
        self->due.length = count;
        WEIR_TRY(run(self, &self->due, err));
        WEIR_TRY(self->came_out != NULL ? note_times(self, err) : WEIR_OK);
    }
}

/* --- Rows that come -------------------------------------------------------------------------------------------- */

static int build_keys(over_operator *self, const weir_batch *batch, weir_error *err)
{
    weir_sort_keys_clear(&self->keys);
    if (self->compute != NULL) {
        WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->key_values, NULL, err));
    }
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer_clear(&self->bytes);
        if (self->compute != NULL) {
            WEIR_TRY(weir_row_encode(&self->key_values, NULL, 0, row, &self->bytes, err));
        }
        weir_byte_keys_add(&self->keys, weir_buffer_slice(&self->bytes));
    }
    return WEIR_OK;
}

static int run_now(over_operator *self, const weir_batch *batch, weir_error *err)
{
    int64_t now = self->context->clock_ms();
    WEIR_GROW(self->times, self->times_capacity, batch->length);
    for (int64_t row = 0; row < batch->length; row++) {
        self->times[row] = now;
    }
    return run(self, batch, err);
}

/* The time up to which a row of a key is late. */
static int64_t late_up_to(const over_operator *self, int64_t row)
{
    if (self->came_out == NULL) {
        return self->closed;
    }
    weir_slice last = weir_value_state_get(self->came_out, self->slots[row]);
    return last.size == 8 ? (int64_t)weir_load_le64(last.data) : INT64_MIN;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    over_operator *self = (over_operator *)base;
    const weir_vector *times = &batch->columns[self->over.time_column];
    int64_t late = 0;
    (void)input;
    WEIR_TRY(build_keys(self, batch, err));
    if (self->over.by_clock) {
        return run_now(self, batch, err);
    }
    if (self->came_out != NULL) {
        WEIR_GROW(self->slots, self->slots_capacity, self->keys.length);
        WEIR_TRY(weir_value_state_fetch(self->came_out, &self->keys, self->slots, err));
    }
    for (int64_t row = 0; row < batch->length; row++) {
        int64_t time = weir_vector_is_null(times, row) ? INT64_MIN : weir_time_millis(times, row);
        if (time <= late_up_to(self, row)) {
            late++;
            continue;
        }
        WEIR_TRY(weir_time_queue_put_row(self->waiting, time, weir_byte_key(&self->keys, row), batch, row, err));
    }
    atomic_fetch_add(self->context->late_rows, late);
    return WEIR_OK;
}

static int take_watermark(weir_operator *base, int32_t input, int64_t moment, weir_error *err)
{
    over_operator *self = (over_operator *)base;
    moment = weir_operator_note_watermark(base, input, moment);
    if (moment > self->closed) {
        self->closed = moment;
        WEIR_TRY(self->over.by_clock ? WEIR_OK : run_due(self, moment, err));
    }
    return weir_output_watermark(base, moment, err);
}

static int barrier(weir_operator *base, weir_error *err)
{
    over_operator *self = (over_operator *)base;
    return weir_closed_watermark_keep(self->context, self->uid, self->closed, err);
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static void close_operator(weir_operator *base)
{
    over_operator *self = (over_operator *)base;
    weir_sql_compute_free(self->compute);
    weir_over_places_free(self->places);
    weir_over_frames_free(self->frames);
    weir_time_queue_close(self->waiting);
    if (self->came_out != NULL) {
        weir_value_state_close(self->came_out);
    }
    weir_batch_free(&self->key_values);
    weir_batch_free(&self->due);
    weir_batch_free(&self->result);
    weir_sort_keys_free(&self->keys);
    weir_buffer_free(&self->bytes);
    free(self->times);
    free(self->slots);
    free(self);
}

static int open_keys(over_operator *self, weir_error *err)
{
    const weir_window *window = self->over.window;
    const weir_plan *input = self->plan->inputs[0];
    const weir_sql_compute_options options = {.fields = input->fields,
                                              .field_count = input->field_count,
                                              .expressions = window->partition_keys,
                                              .expression_count = window->partition_key_count};
    weir_field *fields = weir_alloc_zeroed((size_t)window->partition_key_count + 1, sizeof *fields);
    for (int32_t i = 0; i < window->partition_key_count; i++) {
        fields[i].type = window->partition_keys[i]->type;
    }
    weir_batch_init(&self->key_values, fields, window->partition_key_count);
    free(fields);
    return window->partition_key_count == 0
               ? WEIR_OK
               : weir_sql_compute_create(self->context->engine, &options, &self->compute, err);
}

static int open_state(over_operator *self, const weir_stream_node *node, weir_error *err)
{
    const weir_state_options came_out = {.uid = node->uid, .name = "came out", .ttl_ms = self->context->state_ttl_ms};
    WEIR_TRY(open_keys(self, err));
    WEIR_TRY(weir_over_places_create(self->context, node, &self->places, err));
    WEIR_TRY(weir_over_frames_create(self->context, node, &self->over, &self->frames, err));
    if (self->over.by_clock) {
        return WEIR_OK;
    }
    if (self->over.frame != WEIR_OVER_ALL_BEFORE) {
        WEIR_TRY(weir_value_state_open(self->context->state, &came_out, &self->came_out, err));
    }
    WEIR_TRY(weir_time_queue_open(self->context, node->uid, "waiting", &self->waiting, err));
    return weir_closed_watermark_restore(self->context, node->uid, &self->closed, err);
}

int weir_over_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err)
{
    const weir_plan *plan = node->plan;
    weir_over over;
    WEIR_TRY(weir_over_of(plan, node->inputs[0], &over, err));
    over_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.watermark = take_watermark;
    self->base.barrier = barrier;
    self->base.close = close_operator;
    weir_operator_init(&self->base, "OverAggregate", 1);
    self->context = context;
    self->uid = node->uid;
    self->plan = plan;
    self->over = over;
    self->closed = WEIR_WATERMARK_NONE;
    weir_batch_init(&self->due, plan->inputs[0]->fields, plan->inputs[0]->field_count);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    int code = open_state(self, node, err);
    return weir_operator_created(&self->base, code, out);
}
