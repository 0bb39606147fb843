/* Joins of streams whose rows match only near each other in time, so that old rows can be forgotten. */
#ifndef WEIR_STREAM_INTERVAL_H
#define WEIR_STREAM_INTERVAL_H

#include "stream/plan/traits.h"

/* Row l of the left input and row r of the right one match only if low <= r.time - l.time <= high, in milliseconds. */
typedef struct weir_stream_interval {
    int32_t left, right; /* the times, fields of each input */
    int64_t low, high;
} weir_stream_interval;

/* Whether a JOIN is so: of inputs that only insert, INNER or outer, with both bounds in its condition. Its result only
 * inserts too: rows of an outer side come alone when nothing can match them any more. */
bool weir_stream_interval_of(const weir_plan *plan, const weir_stream_traits *left, const weir_stream_traits *right,
                             weir_stream_interval *out);

#endif
