/* Shares of one sink. All belong to the job's thread. */
#include "stream/sink/shared_sink.h"

#include <stdlib.h>

/* What the shares have in common. */
typedef struct common_sink {
    weir_stream_sink *sink;
    int32_t open_count;
    int64_t watermark; /* the least of the shares prepared so far; INT64_MAX: none is */
} common_sink;

typedef struct sink_share {
    weir_stream_sink base; /* first */
    common_sink *common;
    bool is_last;
} sink_share;

/* Commits are counted by the last share, rows by each. */
static void take_commits(sink_share *share)
{
    int64_t rows = share->base.summary.rows;
    share->base.summary = share->common->sink->summary;
    share->base.summary.rows = rows;
}

static int write_batch(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    weir_stream_sink *sink = ((sink_share *)self)->common->sink;
    int64_t before = sink->summary.rows;
    int code = sink->write(sink, batch, err);
    self->summary.rows += sink->summary.rows - before;
    return code;
}

/* Rows of all shares are complete up to the least of their watermarks. */
static int prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    sink_share *share = (sink_share *)self;
    common_sink *common = share->common;
    common->watermark = self->watermark < common->watermark ? self->watermark : common->watermark;
    if (!share->is_last) {
        return WEIR_OK;
    }
    common->sink->watermark = common->watermark;
    common->watermark = INT64_MAX;
    int code = common->sink->prepare(common->sink, checkpoint, last, out, err);
    take_commits(share);
    return code;
}

static int commit(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    sink_share *share = (sink_share *)self;
    int code = share->common->sink->commit(share->common->sink, checkpoint, prepared, err);
    take_commits(share);
    return code;
}

static int recover(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    sink_share *share = (sink_share *)self;
    if (!share->is_last) {
        return WEIR_OK;
    }
    int code = share->common->sink->recover(share->common->sink, checkpoint, prepared, err);
    take_commits(share);
    return code;
}

static bool is_full(weir_stream_sink *self)
{
    weir_stream_sink *sink = ((sink_share *)self)->common->sink;
    return sink->is_full(sink);
}

static bool awaits(weir_stream_sink *self)
{
    weir_stream_sink *sink = ((sink_share *)self)->common->sink;
    return sink->awaits(sink);
}

static int tick(weir_stream_sink *self, weir_error *err)
{
    weir_stream_sink *sink = ((sink_share *)self)->common->sink;
    return sink->tick(sink, err);
}

static void close_share(weir_stream_sink *self)
{
    common_sink *common = ((sink_share *)self)->common;
    free(self);
    if (--common->open_count == 0) {
        common->sink->close(common->sink);
        free(common);
    }
}

static weir_stream_sink *create_share(common_sink *common, bool is_last)
{
    sink_share *share = weir_alloc_zeroed(1, sizeof *share);
    share->base = *common->sink;
    share->base.write = write_batch;
    share->base.prepare = prepare;
    share->base.commit = commit;
    share->base.recover = recover;
    share->base.close = close_share;
    share->base.is_full = is_last && common->sink->is_full != NULL ? is_full : NULL;
    share->base.awaits = is_last && common->sink->awaits != NULL ? awaits : NULL;
    share->base.tick = is_last && common->sink->tick != NULL ? tick : NULL;
    share->common = common;
    share->is_last = is_last;
    return &share->base;
}

void weir_shared_sink_create(weir_stream_sink *sink, int32_t count, weir_stream_sink **out_shares)
{
    common_sink *common = weir_alloc_zeroed(1, sizeof *common);
    *common = (common_sink){.sink = sink, .open_count = count, .watermark = INT64_MAX};
    for (int32_t i = 0; i < count; i++) {
        out_shares[i] = create_share(common, i == count - 1);
    }
}
