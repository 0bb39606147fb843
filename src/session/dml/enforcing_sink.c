/* Rows of a job on their way to its sink, as the sink's table demands them. Batches that are as they must be pass
 * through; others are copied and changed. All else is the inner sink's. */
#include <stdlib.h>

#include "session/dml/enforcer.h"

typedef struct enforcing_sink {
    weir_stream_sink base; /* first */
    weir_stream_sink *sink;
    weir_enforcer enforcer;
    weir_batch changed;
} enforcing_sink;

static int write_batch(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    enforcing_sink *sink = (enforcing_sink *)self;
    int code = WEIR_OK;
    if (weir_enforcer_is_content(&sink->enforcer, batch)) {
        code = sink->sink->write(sink->sink, batch, err);
    } else {
        weir_batch_clear(&sink->changed);
        WEIR_TRY(weir_batch_append_range(&sink->changed, batch, 0, batch->length, err));
        WEIR_TRY(weir_enforcer_apply(&sink->enforcer, &sink->changed, err));
        code = sink->sink->write(sink->sink, &sink->changed, err);
    }
    self->summary = sink->sink->summary;
    return code;
}

static int prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    enforcing_sink *sink = (enforcing_sink *)self;
    sink->sink->watermark = self->watermark;
    int code = sink->sink->prepare(sink->sink, checkpoint, last, out, err);
    self->summary = sink->sink->summary;
    return code;
}

static int commit(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    enforcing_sink *sink = (enforcing_sink *)self;
    int code = sink->sink->commit(sink->sink, checkpoint, prepared, err);
    self->summary = sink->sink->summary;
    return code;
}

static int recover(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    enforcing_sink *sink = (enforcing_sink *)self;
    int code = sink->sink->recover(sink->sink, checkpoint, prepared, err);
    self->summary = sink->sink->summary;
    return code;
}

static bool is_full(weir_stream_sink *self)
{
    weir_stream_sink *sink = ((enforcing_sink *)self)->sink;
    return sink->is_full != NULL && sink->is_full(sink);
}

static bool awaits(weir_stream_sink *self)
{
    weir_stream_sink *sink = ((enforcing_sink *)self)->sink;
    return sink->awaits != NULL && sink->awaits(sink);
}

static int tick(weir_stream_sink *self, weir_error *err)
{
    weir_stream_sink *sink = ((enforcing_sink *)self)->sink;
    return sink->tick == NULL ? WEIR_OK : sink->tick(sink, err);
}

static void close_sink(weir_stream_sink *self)
{
    enforcing_sink *sink = (enforcing_sink *)self;
    sink->sink->close(sink->sink);
    weir_enforcer_free(&sink->enforcer);
    weir_batch_free(&sink->changed);
    free(sink);
}

weir_stream_sink *weir_enforcing_sink_create(const weir_session *session, const weir_bound *bound,
                                             weir_stream_sink *inner)
{
    const weir_field *fields = bound->plan->fields;
    enforcing_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->sink = inner;
    sink->base = *inner;
    sink->base.write = write_batch;
    sink->base.prepare = prepare;
    sink->base.commit = commit;
    sink->base.recover = recover;
    sink->base.is_full = is_full;
    sink->base.awaits = awaits;
    sink->base.tick = tick;
    sink->base.close = close_sink;
    weir_enforcer_init(&sink->enforcer, session, bound, fields, bound->plan->field_count);
    weir_batch_init(&sink->changed, fields, bound->plan->field_count);
    return &sink->base;
}
