/* The blackhole sink: takes rows and forgets them. */
#include <stdlib.h>

#include "connect/print.h"

static int write_batch(weir_sink *self, const weir_batch *batch, weir_error *err)
{
    (void)self;
    (void)batch;
    (void)err;
    return WEIR_OK;
}

static int prepare(weir_sink *self, weir_buffer *out, weir_error *err)
{
    (void)self;
    (void)out;
    (void)err;
    return WEIR_OK;
}

static int commit(weir_sink *self, weir_slice prepared, weir_error *err)
{
    (void)self;
    (void)prepared;
    (void)err;
    return WEIR_OK;
}

static void close_sink(weir_sink *self) { free(self); }

int weir_blackhole_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err)
{
    (void)options;
    (void)err;
    weir_sink *sink = weir_alloc(sizeof *sink);
    *sink = (weir_sink){.write = write_batch,
                        .prepare = prepare,
                        .commit = commit,
                        .recover = commit,
                        .close = close_sink,
                        .takes_changes = true};
    *out = sink;
    return WEIR_OK;
}
