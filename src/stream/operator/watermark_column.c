/* For CURRENT_WATERMARK: adds a column with the watermark that has come before a row; NULL as long as there is none. */
#include <stdlib.h>

#include "stream/operator/operators.h"
#include "stream/operator/window/window_clock.h"

typedef struct watermark_column {
    weir_operator base;
    weir_batch result;
} watermark_column;

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    watermark_column *self = (watermark_column *)base;
    weir_batch *out = &self->result;
    weir_vector *added = &out->columns[batch->column_count];
    int64_t watermark = base->input_watermarks[input];
    weir_batch_clear(out);
    for (int32_t i = 0; i < batch->column_count; i++) {
        WEIR_TRY(weir_vector_append_range(&out->columns[i], &batch->columns[i], 0, batch->length, err));
    }
    if (watermark == WEIR_WATERMARK_NONE || watermark == WEIR_WATERMARK_END) {
        WEIR_TRY(weir_vector_append_nulls(added, batch->length, err));
    } else {
        for (int64_t row = 0; row < batch->length; row++) {
            WEIR_TRY(weir_time_append_millis(added, watermark, err));
        }
    }
    if (batch->kinds != NULL && batch->length > 0) {
        weir_batch_reserve_kinds(out, batch->length);
        memcpy(out->kinds, batch->kinds, (size_t)batch->length);
    }
    out->length = batch->length;
    return weir_output_send(base, out, err);
}

static void close_operator(weir_operator *base)
{
    watermark_column *self = (watermark_column *)base;
    weir_batch_free(&self->result);
    free(self);
}

weir_operator *weir_watermark_column_operator_create(const weir_plan *bottom)
{
    watermark_column *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_operator;
    weir_operator_init(&self->base, "CurrentWatermark", 1);
    weir_batch_init(&self->result, bottom->fields, bottom->field_count);
    return &self->base;
}
