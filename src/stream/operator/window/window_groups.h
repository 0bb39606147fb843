/* AGGREGATE with the ASSIGN right below it as one: rows are aggregated before they are told apart by windows. The
 * groups are then bounds of windows, and keys: what is computed of rows without knowing their windows. */
#ifndef WEIR_STREAM_WINDOW_GROUPS_H
#define WEIR_STREAM_WINDOW_GROUPS_H

#include "stream/operator/aggregate/accumulator.h"
#include "stream/operator/window/window_clock.h"

typedef struct weir_window_groups {
    weir_expression **keys; /* over the input of the ASSIGN */
    int32_t key_count;
    int32_t *key_columns; /* 0, 1, …: where they are among what accumulators compute */
    int32_t *sources;     /* of each group: which key, or -1 - which bound: start, end, time */
    int32_t group_count;
    const weir_zone *zone;
    bool instants; /* the windows' time is a TIMESTAMP_LTZ */
    weir_batch key_values;
} weir_window_groups;

/* Whether an AGGREGATE can be taken together with its input: an ASSIGN whose bounds stand in its groups, and in nothing
 * else that it computes. */
bool weir_window_groups_fit(const weir_plan *plan);

void weir_window_groups_init(weir_window_groups *self, const weir_plan *plan);
void weir_window_groups_free(weir_window_groups *self);

/* Accumulators of the AGGREGATE `node` over the input of its ASSIGN, which compute the keys too and can be merged. All
 * that is given outlives them; the caller frees them. */
int weir_window_groups_accumulators(const weir_window_groups *self, const weir_operator_context *context,
                                    const weir_stream_node *node, weir_accumulators **out, weir_error *err);

/* Adds a row's groups to the result, whose length is left alone: the key as row_codec.h encodes it, and the window on
 * the zone's clock. finish() adds the keys of all rows since the clear. */
void weir_window_groups_clear(weir_window_groups *self);
int weir_window_groups_add(weir_window_groups *self, weir_slice key, int64_t start, int64_t end, weir_batch *result,
                           weir_error *err);
int weir_window_groups_finish(weir_window_groups *self, weir_batch *result, weir_error *err);

#endif
