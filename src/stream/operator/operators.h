/* All operators, a file each. A creator checks that the node is one it can run, and refuses what it cannot by name
 * (WEIR_UNSUPPORTED, with the node's position). The node's plan outlives the operator. */
#ifndef WEIR_STREAM_OPERATORS_H
#define WEIR_STREAM_OPERATORS_H

#include "stream/operator/operator.h"

/* PROJECT and FILTER over one input, as one: `top` is the uppermost of them, `bottom` the input's plan. */
int weir_project_operator_create(const weir_operator_context *context, const weir_stream_node *top,
                                 const weir_plan *bottom, weir_operator **out, weir_error *err);

/* AGGREGATE, and DISTINCT as an AGGREGATE of all fields without aggregates (aggregate.c). */
int weir_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   weir_operator **out, weir_error *err);

/* UNNEST: kinds are kept (unnest.c). */
int weir_unnest_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                weir_operator **out, weir_error *err);

#endif
