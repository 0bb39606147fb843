/* The end of a graph: batches are written to the sink.
 *
 * A sink that takes upserts is not shown the halves of updates that say what was before. Where an update may move a row
 * from one key of the sink to another, they are shown as deletes. */
#include <stdlib.h>

#include "stream/operator/operators.h"

typedef struct sink_end {
    weir_operator base;
    weir_stream_sink *sink;
    bool keys_move;
    weir_batch kept;
    uint32_t *rows;
    size_t row_capacity;
} sink_end;

static int64_t select_without_before(sink_end *self, const weir_batch *batch)
{
    int64_t count = 0;
    WEIR_GROW(self->rows, self->row_capacity, batch->length + 1);
    for (int64_t i = 0; i < batch->length; i++) {
        self->rows[count] = (uint32_t)i;
        count += batch->kinds[i] != WEIR_UPDATE_BEFORE;
    }
    return count;
}

static int delete_before(sink_end *self, const weir_batch *batch, weir_error *err)
{
    weir_batch_clear(&self->kept);
    WEIR_TRY(weir_batch_append_range(&self->kept, batch, 0, batch->length, err));
    for (int64_t i = 0; i < batch->length; i++) {
        if (batch->kinds[i] == WEIR_UPDATE_BEFORE) {
            self->kept.kinds[i] = WEIR_DELETE;
        }
    }
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    sink_end *self = (sink_end *)base;
    (void)input;
    if (self->sink->takes == WEIR_SINK_UPSERTS && batch->kinds != NULL && self->keys_move) {
        WEIR_TRY(delete_before(self, batch, err));
        batch = &self->kept;
    } else if (self->sink->takes == WEIR_SINK_UPSERTS && batch->kinds != NULL) {
        int64_t count = select_without_before(self, batch);
        if (count < batch->length) {
            weir_batch_clear(&self->kept);
            WEIR_TRY(weir_batch_append_rows(&self->kept, batch, self->rows, count, err));
            batch = &self->kept;
        }
    }
    if (batch->length == 0) {
        return WEIR_OK;
    }
    base->rows_out += batch->length;
    return self->sink->write(self->sink, batch, err);
}

static int tick(weir_operator *base, int64_t now_ms, weir_error *err)
{
    weir_stream_sink *sink = ((sink_end *)base)->sink;
    (void)now_ms;
    return sink->tick == NULL ? WEIR_OK : sink->tick(sink, err);
}

static void close_sink_end(weir_operator *base)
{
    sink_end *self = (sink_end *)base;
    weir_batch_free(&self->kept);
    free(self->rows);
    free(self);
}

weir_operator *weir_sink_operator_create(const weir_plan *plan, weir_stream_sink *sink, bool keys_move)
{
    sink_end *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.tick = tick;
    self->base.close = close_sink_end;
    weir_operator_init(&self->base, "Sink", 1);
    self->sink = sink;
    self->keys_move = keys_move;
    weir_batch_init(&self->kept, plan->fields, plan->field_count);
    return &self->base;
}
