/* A histogram of durations, added to by many threads without locks. */
#ifndef WEIR_BASE_HISTOGRAM_H
#define WEIR_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#define WEIR_HISTOGRAM_BUCKETS 14

/* Upper bounds in milliseconds, ascending; what is longer than the last counts in `count` alone. */
extern const int64_t weir_histogram_bounds_ms[WEIR_HISTOGRAM_BUCKETS];

/* All zero: empty. */
typedef struct weir_histogram {
    atomic_int_least64_t buckets[WEIR_HISTOGRAM_BUCKETS]; /* of each bound alone, not cumulative */
    atomic_int_least64_t count;
    atomic_int_least64_t sum_ms;
} weir_histogram;

/* Counts one duration in milliseconds. */
void weir_histogram_add(weir_histogram *histogram, int64_t ms);

#endif
