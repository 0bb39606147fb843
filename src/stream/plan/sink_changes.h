/* A query's changes and the sink that takes them: whether it can, and how their keys go together. */
#ifndef WEIR_STREAM_SINK_CHANGES_H
#define WEIR_STREAM_SINK_CHANGES_H

#include "sql/binder.h"
#include "stream/operator/operator.h"
#include "stream/sink/sink.h"

/* WEIR_INVALID in Flink's words when the sink can't take what the query gives. */
int weir_sink_check(const weir_bound *bound, const weir_stream_sink *sink, weir_arena *arena, weir_error *err);

typedef enum weir_sink_keys {
    WEIR_SINK_KEYS_AGREE, /* an update stays at its key of the sink, or the sink has none */
    WEIR_SINK_KEYS_MOVE,  /* it may go from one to another; each belongs to one key of the query */
    WEIR_SINK_KEYS_MEET   /* rows of several keys of the query may come to the same one */
} weir_sink_keys;

weir_sink_keys weir_sink_keys_of(const weir_stream_traits *query, const weir_stream_sink *sink,
                                 weir_upsert_materialize mode);

/* The one scan of a query whose upserts can go to the sink as they are, since nothing in between needs to know what was
 * before; NULL: there is none. */
const weir_plan *weir_sink_upserts_scan(const weir_plan *plan, const weir_stream_sink *sink, weir_arena *arena,
                                        weir_upsert_materialize mode);

#endif
