/* Watermarks, the clock and barriers for operators that close windows (window_operator.h). */
#include "stream/operator/window/window_operator.h"

#include "stream/operator/closed_watermark.h"

static int take_watermark(weir_operator *base, int32_t input, int64_t moment, weir_error *err)
{
    weir_window_operator *self = (weir_window_operator *)base;
    moment = weir_operator_note_watermark(base, input, moment);
    if (moment > self->closed) {
        self->closed = moment;
        if (!self->by_clock || moment == WEIR_WATERMARK_END) {
            WEIR_TRY(self->close_due(self, moment, err));
        }
    }
    return weir_output_watermark(base, moment, err);
}

static int tick(weir_operator *base, int64_t now_ms, weir_error *err)
{
    weir_window_operator *self = (weir_window_operator *)base;
    return self->by_clock ? self->close_due(self, now_ms, err) : WEIR_OK;
}

static int barrier(weir_operator *base, weir_error *err)
{
    const weir_window_operator *self = (const weir_window_operator *)base;
    return weir_closed_watermark_keep(self->context, self->uid, self->closed, err);
}

void weir_window_operator_init(weir_window_operator *self, const char *name, int32_t input_count,
                               const weir_operator_context *context, const char *uid, weir_field_time time)
{
    self->base.watermark = take_watermark;
    self->base.tick = tick;
    self->base.barrier = barrier;
    weir_operator_init(&self->base, name, input_count);
    self->context = context;
    self->uid = uid;
    self->by_clock = time == WEIR_TIME_PROCTIME;
}

int weir_window_operator_restore(weir_window_operator *self, weir_error *err)
{
    return weir_closed_watermark_restore(self->context, self->uid, &self->closed, err);
}
