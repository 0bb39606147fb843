/* Times in streams: which fields are times that watermarks or the clock speak of, and which rows belong to windows.
 * What a node is by these: an aggregation that closes with its windows, a join of windows, a ranking in each of them.
 */
#ifndef WEIR_STREAM_TIMES_H
#define WEIR_STREAM_TIMES_H

#include "stream/plan/traits.h"

/* Fills in what traits say of times and windows: `times`, `windowed` and all that begins with window_. WEIR_INVALID, in
 * Flink's words and with the line to add, for windows over a column that is no such time. */
int weir_stream_times_of(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_arena *arena,
                         weir_stream_traits *out, weir_error *err);

/* AGGREGATE or DISTINCT that groups rows of windows by these windows (among others), in every grouping set: it tells of
 * each window once, when it closes, and gives only inserts. */
bool weir_stream_is_window_aggregate(const weir_plan *plan, const weir_stream_traits *input);

/* JOIN of rows of two windows on equal bounds. */
bool weir_stream_is_window_join(const weir_plan *plan, const weir_stream_traits *left, const weir_stream_traits *right);

/* WINDOW of one call that partitions rows of windows by these windows: ROW_NUMBER and its like in each of them. */
bool weir_stream_is_window_rank(const weir_plan *plan, const weir_stream_traits *input);

#endif
