/* The sink of a connector as the sink of a job: files appear exactly once, printed rows at least once. */
#include "stream/sink/connector_sink.h"

#include <stdlib.h>

typedef struct connector_sink {
    weir_stream_sink base; /* first */
    weir_sink *sink;
    int64_t rows_shown;
} connector_sink;

static int write_batch(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    connector_sink *sink = (connector_sink *)self;
    WEIR_TRY(sink->sink->write(sink->sink, batch, err));
    self->summary.rows += batch->length;
    return WEIR_OK;
}

static void count_commit(connector_sink *sink)
{
    weir_sink_summary *summary = &sink->base.summary;
    if (summary->rows > sink->rows_shown) {
        summary->commits++;
        sink->rows_shown = summary->rows;
    }
}

/* Rows of a sink that prepares nothing are where they belong by then. */
static int prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    connector_sink *sink = (connector_sink *)self;
    size_t before = out->size;
    (void)checkpoint;
    (void)last;
    WEIR_TRY(sink->sink->prepare(sink->sink, out, err));
    if (out->size == before) {
        count_commit(sink);
    }
    return WEIR_OK;
}

static int commit(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    connector_sink *sink = (connector_sink *)self;
    (void)checkpoint;
    WEIR_TRY(sink->sink->commit(sink->sink, prepared, err));
    count_commit(sink);
    return WEIR_OK;
}

static int recover(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    connector_sink *sink = (connector_sink *)self;
    (void)checkpoint;
    return prepared.size > 0 ? sink->sink->recover(sink->sink, prepared, err) : WEIR_OK;
}

static bool is_full(weir_stream_sink *self)
{
    connector_sink *sink = (connector_sink *)self;
    return sink->sink->is_full != NULL && sink->sink->is_full(sink->sink);
}

static int tick(weir_stream_sink *self, weir_error *err)
{
    connector_sink *sink = (connector_sink *)self;
    return sink->sink->tick == NULL ? WEIR_OK : sink->sink->tick(sink->sink, err);
}

static void close_sink(weir_stream_sink *self)
{
    connector_sink *sink = (connector_sink *)self;
    sink->sink->close(sink->sink);
    free(sink);
}

int weir_connector_sink_open(const weir_connector_sink_options *options, weir_stream_sink **out, weir_error *err)
{
    weir_sink_options open = options->sink;
    weir_sink *inner = NULL;
    open.holds_back = true;
    WEIR_TRY(weir_sink_open(&open, &inner, err));
    connector_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->sink = inner;
    sink->base = (weir_stream_sink){
        .write = write_batch,
        .prepare = prepare,
        .commit = commit,
        .recover = recover,
        .close = close_sink,
        .is_full = is_full,
        .tick = tick,
        .takes = inner->takes_upserts   ? WEIR_SINK_UPSERTS
                 : inner->takes_changes ? WEIR_SINK_ALL
                                        : WEIR_SINK_INSERTS,
        .key = options->key,
        .key_count = options->key_count,
        .description = options->description,
        .identity = options->identity,
        .watermark = INT64_MIN,
    };
    *out = &sink->base;
    return WEIR_OK;
}
