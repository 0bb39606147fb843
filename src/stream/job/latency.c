/* The median of what was noted last: of few enough values to be sorted each time. */
#include "stream/job/latency.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = sizeof((weir_latencies *)0)->milliseconds / sizeof(int64_t) };

void weir_latencies_note(weir_latencies *latencies, int64_t milliseconds)
{
    latencies->milliseconds[latencies->count++ % MOST] = milliseconds;
}

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

int64_t weir_latencies_median(const weir_latencies *latencies)
{
    int64_t sorted[MOST];
    size_t count = (size_t)(latencies->count < MOST ? latencies->count : MOST);
    if (count == 0) {
        return -1;
    }
    memcpy(sorted, latencies->milliseconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted[count / 2];
}
