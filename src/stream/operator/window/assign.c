/* ASSIGN of TUMBLE, HOP and CUMULATE: each row once for each window that its time falls into. Kinds are kept. Rows
 * without a time are in no window. */
#include <stdlib.h>

#include "stream/operator/operators.h"
#include "stream/operator/window/window_clock.h"

enum { most_rows = 16384 };

typedef struct assign {
    weir_operator base;
    const weir_assigner *assigner;
    const weir_zone *zone;
    int64_t (*clock_ms)(void); /* windows of processing time: the clock, at each batch; NULL: the column */
    bool instants;             /* the time is a TIMESTAMP_LTZ */
    weir_batch result;
    uint32_t rows[most_rows]; /* of the batch at hand */
    int64_t starts[most_rows];
    int64_t ends[most_rows]; /* as the clock shows them */
    int64_t count;
} assign;

/* Sends the rows that have gathered. */
static int flush(assign *self, const weir_batch *batch, weir_error *err)
{
    weir_batch *out = &self->result;
    weir_vector *added = &out->columns[batch->column_count];
    weir_batch_clear(out);
    for (int32_t i = 0; i < batch->column_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&out->columns[i], &batch->columns[i], self->rows, self->count, err));
    }
    for (int64_t i = 0; i < self->count; i++) {
        int64_t last = self->ends[i] - 1;
        WEIR_TRY(weir_time_append_millis(&added[0], self->starts[i], err));
        WEIR_TRY(weir_time_append_millis(&added[1], self->ends[i], err));
        WEIR_TRY(
            weir_time_append_millis(&added[2], self->instants ? weir_window_instant(self->zone, last) : last, err));
    }
    out->length = self->count;
    if (batch->kinds != NULL) {
        weir_batch_reserve_kinds(out, out->length);
        for (int64_t i = 0; i < self->count; i++) {
            out->kinds[i] = batch->kinds[self->rows[i]];
        }
    }
    self->count = 0;
    return weir_output_send(&self->base, out, err);
}

static int add(assign *self, const weir_batch *batch, int64_t row, int64_t start, int64_t end, weir_error *err)
{
    if (self->count == most_rows) {
        WEIR_TRY(flush(self, batch, err));
    }
    self->rows[self->count] = (uint32_t)row;
    self->starts[self->count] = start;
    self->ends[self->count++] = end;
    return WEIR_OK;
}

/* All windows around a time, the latest first, or of CUMULATE the shortest. */
static int add_windows(assign *self, const weir_batch *batch, int64_t row, int64_t time, weir_error *err)
{
    const weir_assigner *assigner = self->assigner;
    bool hop = assigner->kind == WEIR_ASSIGN_HOP;
    int64_t start = weir_window_start(time, hop ? assigner->step : assigner->size, assigner->offset);
    if (assigner->kind == WEIR_ASSIGN_TUMBLE) {
        return add(self, batch, row, start, start + assigner->size, err);
    }
    for (; hop && start > time - assigner->size; start -= assigner->step) {
        WEIR_TRY(add(self, batch, row, start, start + assigner->size, err));
    }
    int64_t end = weir_window_start(time, assigner->step, start) + assigner->step;
    for (; !hop && end <= start + assigner->size; end += assigner->step) {
        WEIR_TRY(add(self, batch, row, start, end, err));
    }
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    assign *self = (assign *)base;
    const weir_vector *times = &batch->columns[self->assigner->column];
    int64_t now = self->clock_ms == NULL ? 0 : self->clock_ms();
    (void)input;
    for (int64_t row = 0; row < batch->length; row++) {
        if (self->clock_ms == NULL && weir_vector_is_null(times, row)) {
            continue;
        }
        int64_t instant = self->clock_ms == NULL ? weir_time_millis(times, row) : now;
        WEIR_TRY(add_windows(self, batch, row, weir_window_local(self->zone, instant), err));
    }
    return flush(self, batch, err);
}

static void close_assign(weir_operator *base)
{
    assign *self = (assign *)base;
    weir_batch_free(&self->result);
    free(self);
}

int weir_assign_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                                weir_error *err)
{
    const weir_plan *plan = node->plan;
    if (plan->assigner->kind == WEIR_ASSIGN_SESSION) {
        return weir_session_rows_operator_create(context, node, out, err);
    }
    assign *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_assign;
    weir_operator_init(&self->base, "WindowTableFunction", 1);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    self->assigner = plan->assigner;
    self->zone = weir_window_zone(plan->assigner->zone);
    self->instants = plan->assigner->zone != NULL;
    self->clock_ms = node->output->window_clock == WEIR_TIME_PROCTIME ? context->clock_ms : NULL;
    *out = &self->base;
    return WEIR_OK;
}
