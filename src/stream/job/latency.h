/* How long rows wait in a job: from being read to being visible. */
#ifndef WEIR_STREAM_LATENCY_H
#define WEIR_STREAM_LATENCY_H

#include <stdint.h>

/* The last checkpoints' longest waits. Zero-initialized is empty. */
typedef struct weir_latencies {
    int64_t milliseconds[256]; /* a ring */
    int64_t count;             /* of all that were noted */
} weir_latencies;

void weir_latencies_note(weir_latencies *latencies, int64_t milliseconds);
int64_t weir_latencies_median(const weir_latencies *latencies); /* -1: there are none */

#endif
