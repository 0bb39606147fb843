/* A bound plan becomes operators: one for each node, or one for several. Sources and the sink stand at its ends. */
#ifndef WEIR_STREAM_GRAPH_H
#define WEIR_STREAM_GRAPH_H

#include "base/map.h"
#include "stream/operator/operator.h"
#include "stream/sink/sink.h"
#include "stream/source/source.h"

typedef struct weir_graph weir_graph;

/* A scan or VALUES of the plan and what reads it. The first operator above it gets its batches. */
typedef struct weir_graph_source {
    const weir_plan *scan;
    weir_stream_source *source; /* owned by the graph */
    weir_operator_output output;
    const char *uid; /* under which its position is kept: what is read, not where it stands in the plan */
    weir_batch batch;
    bool ended;           /* it has given WEIR_END */
    bool idle;            /* silent for so long that it holds back no watermark */
    int64_t next_poll_ms; /* when to ask again; the clock's */
    int64_t last_rows_ms; /* when it gave rows last, or was opened */
} weir_graph_source;

/* Makes the operators of bound->plan, opens the sources of its scans (weir_sql_table.open_stream), and ends in `sink`,
 * which it then owns, also after a failure. `context` is copied; what it points to outlives the graph. `uids` tells
 * apart the equal parts of all graphs over one state. Refuses what cannot run as a stream, or what the sink cannot
 * take, with Flink's words and a place. */
int weir_graph_create(const weir_operator_context *context, const weir_bound *bound, weir_stream_sink *sink,
                      weir_map *uids, weir_graph **out, weir_error *err);
void weir_graph_free(weir_graph *graph); /* NULL is fine */

weir_graph_source *weir_graph_sources(weir_graph *graph, int32_t *out_count);
weir_stream_sink *weir_graph_sink(weir_graph *graph);
const weir_operator *weir_graph_end(const weir_graph *graph); /* what writes to the sink */

/* All operators: their tick() and barrier(). */
int weir_graph_tick(weir_graph *graph, int64_t now_ms, weir_error *err);
int weir_graph_barrier(weir_graph *graph, weir_error *err);

/* Whether rows as the sink gets them are kept as state (SinkMaterializer). */
bool weir_graph_keeps_sink_rows(const weir_graph *graph);

/* What is computed, in words, a node a line: the same for the same computation over the same tables. Plans of two runs
 * are compared by it. Columns of the sink that are filled up with NULL are left out unless rows with them are kept. */
void weir_graph_describe(const weir_bound *bound, bool keeps_rows, weir_buffer *out);
/* The same of what is kept because of the sink, and of settings for it. */
void weir_graph_describe_sink(const weir_graph *graph, weir_buffer *out);

#endif
