/* Batches and watermarks on their way from operator to operator. */
#include "stream/operator/operator.h"

#include <stdlib.h>

#include "base/alloc.h"

void weir_operator_init(weir_operator *self, const char *name, int32_t input_count)
{
    self->name = name;
    self->input_count = input_count;
    self->input_watermarks = weir_alloc_zeroed((size_t)input_count, sizeof *self->input_watermarks);
    self->output_watermark = WEIR_WATERMARK_NONE;
    for (int32_t i = 0; i < input_count; i++) {
        self->input_watermarks[i] = WEIR_WATERMARK_NONE;
    }
}

void weir_operator_close(weir_operator *self)
{
    if (self != NULL) {
        free(self->input_watermarks);
        self->close(self);
    }
}

int weir_operator_process(weir_operator *to, int32_t input, const weir_batch *batch, weir_error *err)
{
    to->rows_in += batch->length;
    return to->process(to, input, batch, err);
}

int weir_output_send(weir_operator *self, const weir_batch *batch, weir_error *err)
{
    if (batch->length == 0 || self->output.to == NULL) {
        return WEIR_OK;
    }
    self->rows_out += batch->length;
    return weir_operator_process(self->output.to, self->output.input, batch, err);
}

int64_t weir_operator_note_watermark(weir_operator *self, int32_t input, int64_t watermark)
{
    int64_t least = INT64_MAX;
    if (watermark > self->input_watermarks[input]) {
        self->input_watermarks[input] = watermark;
    }
    for (int32_t i = 0; i < self->input_count; i++) {
        least = self->input_watermarks[i] < least ? self->input_watermarks[i] : least;
    }
    return least;
}

int weir_output_watermark(weir_operator *self, int64_t watermark, weir_error *err)
{
    if (watermark <= self->output_watermark) {
        return WEIR_OK;
    }
    self->output_watermark = watermark;
    return self->output.to == NULL ? WEIR_OK
                                   : weir_operator_watermark(self->output.to, self->output.input, watermark, err);
}

int weir_operator_watermark(weir_operator *to, int32_t input, int64_t watermark, weir_error *err)
{
    if (to->watermark != NULL) {
        return to->watermark(to, input, watermark, err);
    }
    return weir_output_watermark(to, weir_operator_note_watermark(to, input, watermark), err);
}
