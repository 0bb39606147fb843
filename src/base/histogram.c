/* A histogram of durations: see histogram.h. */
#include "base/histogram.h"

const int64_t weir_histogram_bounds_ms[WEIR_HISTOGRAM_BUCKETS] = {1,   2,   5,    10,   25,    50,    100,
                                                                  250, 500, 1000, 2500, 10000, 30000, 120000};

void weir_histogram_add(weir_histogram *histogram, int64_t ms)
{
    for (int i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        if (ms <= weir_histogram_bounds_ms[i]) {
            atomic_fetch_add_explicit(&histogram->buckets[i], 1, memory_order_relaxed);
            break;
        }
    }
    atomic_fetch_add_explicit(&histogram->sum_ms, ms, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->count, 1, memory_order_relaxed);
}
