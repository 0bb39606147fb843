/* All operators, a file each; those that share more than that with others lie in folders:
 *
 *   aggregate/   groups without windows, and the accumulators that all aggregates keep
 *   window/      windows of time: assigning rows to them, and aggregates, joins and Top-N by them
 *   join/        joins of two streams, and of a stream with a table
 *   over/        OVER aggregates
 *   rank/        Top-N and deduplication
 *
 * A creator checks that the node is one it can run, and refuses what it cannot by name
 * (WEIR_UNSUPPORTED, with the node's position). The node's plan outlives the operator. */
#ifndef WEIR_STREAM_OPERATORS_H
#define WEIR_STREAM_OPERATORS_H

#include "stream/operator/operator.h"
#include "stream/plan/rank.h"
#include "stream/sink/sink.h"

/* PROJECTs and FILTERs as one; `node` is the uppermost of them. `flat` outlives the operator. */
int weir_project_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                 const weir_flat_plan *flat, weir_operator **out, weir_error *err);

int weir_union_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                               weir_error *err);

/* What writes the rows of a plan to the sink, which stays the caller's. `keys_move`: an update may leave the sink's key
 * where it was, so that its -U deletes. */
weir_operator *weir_sink_operator_create(const weir_plan *plan, weir_stream_sink *sink, bool keys_move);

/* AGGREGATE, and DISTINCT as an AGGREGATE of all fields without aggregates (aggregate/aggregate.c). */
int weir_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   weir_operator **out, weir_error *err);

/* UNNEST: kinds are kept (unnest.c). */
int weir_unnest_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                                weir_error *err);

/* Top-N: `node` is the WINDOW or the SORT (rank/rank.c). Over inserts alone: one row a partition (rank/deduplicate.c),
 * LIMIT without an order (limit.c). */
int weir_rank_operator_create(const weir_operator_context *context, const weir_stream_node *node, const weir_rank *what,
                              weir_operator **out, weir_error *err);
int weir_deduplicate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                     const weir_rank *what, weir_operator **out, weir_error *err);
int weir_limit_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                               const weir_rank *what, weir_operator **out, weir_error *err);

/* Upserts by `key`, fields of the node, become a whole changelog (normalize.c). */
int weir_normalize_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   const int32_t *key, int32_t key_count, weir_operator **out, weir_error *err);

/* Before a sink with this primary key, which several rows of the query may share (upsert_materialize.c). */
int weir_upsert_materialize_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                            const int32_t *key, int32_t key_count, weir_operator **out,
                                            weir_error *err);

/* WATERMARK (watermark.c). */
int weir_watermark_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   weir_operator **out, weir_error *err);

/* Adds the watermark to the rows: `bottom` has their fields and that one (watermark_column.c). */
weir_operator *weir_watermark_column_operator_create(const weir_plan *bottom);

/* ASSIGN (window/assign.c), of SESSION where rows have to wait for it (window/session_rows.c). */
int weir_assign_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                                weir_error *err);
int weir_session_rows_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                      weir_operator **out, weir_error *err);

/* What weir_stream_is_window_aggregate says of (window/window_aggregate.c); and AGGREGATE with an ASSIGN of SESSION
 * right below it as one, over the input of that (window/session_aggregate.c). */
int weir_window_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                          weir_operator **out, weir_error *err);
bool weir_plan_is_session_aggregate(const weir_plan *plan);
int weir_session_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                           weir_operator **out, weir_error *err);

/* The same with an ASSIGN of HOP or CUMULATE (window/slice_aggregate.c). */
bool weir_plan_is_slice_aggregate(const weir_plan *plan);
int weir_slice_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                         weir_operator **out, weir_error *err);

/* What weir_stream_is_window_rank says of (window/window_rank.c). */
int weir_window_rank_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                     weir_operator **out, weir_error *err);

/* What weir_stream_is_window_join says of (window/window_join.c). */
int weir_window_join_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                     weir_operator **out, weir_error *err);

/* SORT without LIMIT, by a time first (sort.c). */
int weir_sort_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err);

/* WINDOW in the order of a time (over/over.c). */
int weir_over_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err);

/* JOIN of two inputs, of whatever kind (join/join.c). */
int weir_join_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err);

/* INTERSECT and EXCEPT (set_operation.c). */
int weir_set_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                             weir_error *err);

#endif
