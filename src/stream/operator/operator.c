/* Batches and watermarks on their way from operator to operator. */
#include "stream/operator/operator.h"

#include <stdlib.h>

#include "base/alloc.h"

void weir_operator_init(weir_operator *self, const char *name, int32_t input_count)
{
    self->name = name;
    self->input_count = input_count;
    self->input_watermarks = weir_alloc_zeroed((size_t)input_count, sizeof *self->input_watermarks);
    self->input_idle = weir_alloc_zeroed((size_t)input_count, sizeof *self->input_idle);
    self->output_watermark = WEIR_WATERMARK_NONE;
    for (int32_t i = 0; i < input_count; i++) {
        self->input_watermarks[i] = WEIR_WATERMARK_NONE;
    }
}

void weir_operator_close(weir_operator *self)
{
    if (self != NULL) {
        free(self->input_watermarks);
        free(self->input_idle);
        self->close(self);
    }
}

int weir_operator_created(weir_operator *self, int code, weir_operator **out)
{
    if (code != WEIR_OK) {
        weir_operator_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
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

/* --- Watermarks ------------------------------------------------------------------------------------------------ */

static bool all_idle(const weir_operator *self)
{
    bool idle = true;
    for (int32_t i = 0; i < self->input_count && idle; i++) {
        idle = self->input_idle[i];
    }
    return idle;
}

static int64_t least_watermark(const weir_operator *self)
{
    int64_t least = INT64_MAX;
    bool none_active = all_idle(self);
    for (int32_t i = 0; i < self->input_count; i++) {
        bool counts = none_active || !self->input_idle[i];
        least = counts && self->input_watermarks[i] < least ? self->input_watermarks[i] : least;
    }
    return least;
}

int64_t weir_operator_note_watermark(weir_operator *self, int32_t input, int64_t watermark)
{
    if (watermark > self->input_watermarks[input]) {
        self->input_watermarks[input] = watermark;
    }
    return least_watermark(self);
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

static int take_watermark(weir_operator *to, int32_t input, int64_t watermark, weir_error *err)
{
    if (to->watermark != NULL) {
        return to->watermark(to, input, watermark, err);
    }
    return weir_output_watermark(to, weir_operator_note_watermark(to, input, watermark), err);
}

/* An input falls silent, or speaks again. The others may then be further on than the least one so far; where all are
 * silent the output is. */
static int set_idle(weir_operator *to, int32_t input, bool idle, weir_error *err)
{
    bool was_idle = all_idle(to);
    to->input_idle[input] = idle;
    bool is_idle = all_idle(to);
    if (was_idle != is_idle && to->output.to != NULL) {
        return weir_operator_watermark(to->output.to, to->output.input,
                                       is_idle ? WEIR_WATERMARK_IDLE : WEIR_WATERMARK_ACTIVE, err);
    }
    for (int32_t i = 0; i < to->input_count && idle && !is_idle; i++) {
        if (!to->input_idle[i] && to->input_watermarks[i] > to->output_watermark) {
            return take_watermark(to, i, to->input_watermarks[i], err);
        }
    }
    return WEIR_OK;
}

int weir_operator_watermark(weir_operator *to, int32_t input, int64_t watermark, weir_error *err)
{
    bool idle = watermark == WEIR_WATERMARK_IDLE;
    if (idle || watermark == WEIR_WATERMARK_ACTIVE) {
        return set_idle(to, input, idle, err);
    }
    return take_watermark(to, input, watermark, err);
}
