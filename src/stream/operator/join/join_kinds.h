/* The kinds of joins, a file each; join.c chooses among them. */
#ifndef WEIR_STREAM_JOIN_KINDS_H
#define WEIR_STREAM_JOIN_KINDS_H

#include "stream/operator/operator.h"
#include "stream/plan/interval.h"

/* INNER, LEFT, RIGHT, FULL whose condition is their key (join_pairs.c). */
int weir_join_pairs_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                           weir_error *err);

/* SEMI and ANTI whose condition is their key (join_semi.c). */
int weir_join_semi_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                          weir_error *err);

/* NOT IN over values that may be NULL (join_not_in.c). */
int weir_join_not_in_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                            weir_error *err);

/* JOIN and LEFT JOIN with a table as it is when a row comes (lookup_join.c). Only the first input is an operator's. */
int weir_lookup_join_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                            weir_error *err);

/* Of rows that match only near each other in time (join_interval.c). */
int weir_join_interval_create(const weir_operator_context *context, const weir_stream_node *node,
                              const weir_stream_interval *interval, weir_operator **out, weir_error *err);

/* JOIN and LEFT JOIN with a table as it was at the time of a row's event (join_temporal.c). */
int weir_join_temporal_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err);

/* All kinds but NOT IN, with a condition that has to be tested pair by pair (join_tested.c). */
int weir_join_tested_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                            weir_error *err);

#endif
