/* What the files of the graph share. */
#ifndef WEIR_STREAM_GRAPH_INTERNAL_H
#define WEIR_STREAM_GRAPH_INTERNAL_H

#include "stream/plan/graph.h"

/* Appends a plan's words, a node a line, inputs indented (describe.c). */
void weir_graph_describe_plan(const weir_plan *plan, int32_t depth, weir_buffer *out);
uint64_t weir_graph_hash(weir_slice bytes);

#endif
