/* All operators, a file each. A creator checks that the node is one it can run, and refuses what it cannot by name
 * (WEIR_UNSUPPORTED, with the node's position). The node's plan outlives the operator. */
#ifndef WEIR_STREAM_OPERATORS_H
#define WEIR_STREAM_OPERATORS_H

#include "stream/operator/operator.h"
#include "stream/sink/sink.h"

/* PROJECTs and FILTERs as one; `node` is the uppermost of them. `flat` outlives the operator. */
int weir_project_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                 const weir_flat_plan *flat, weir_operator **out, weir_error *err);

int weir_union_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                               weir_error *err);

/* What writes the rows of a plan to the sink, which stays the caller's. */
weir_operator *weir_sink_operator_create(const weir_plan *plan, weir_stream_sink *sink);

/* AGGREGATE, and DISTINCT as an AGGREGATE of all fields without aggregates (aggregate.c). */
int weir_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   weir_operator **out, weir_error *err);

/* UNNEST: kinds are kept (unnest.c). */
int weir_unnest_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                                weir_error *err);

#endif
