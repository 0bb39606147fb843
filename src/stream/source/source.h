/* Sources of a job: batches with kinds, positions, watermarks.
 *
 * A session makes one for a scan of a plan: connector_source.c over connect's sources, paimon_source.c over a Paimon
 * table, snapshot after snapshot. */
#ifndef WEIR_STREAM_SOURCE_H
#define WEIR_STREAM_SOURCE_H

#include "base/buffer.h"
#include "vector/vector.h"

typedef struct weir_stream_source weir_stream_source;

struct weir_stream_source {
    /* Fills `out` (made with the scan's fields) with at most 65 536 rows. Never waits: WEIR_IDLE: nothing now;
     * WEIR_END: bounded and through. */
    int (*next)(weir_stream_source *self, weir_batch *out, weir_error *err);

    /* Where it is: after everything given out so far. restore() is called before the first next(). */
    int (*position)(weir_stream_source *self, weir_buffer *out, weir_error *err);
    int (*restore)(weir_stream_source *self, weir_slice position, weir_error *err);

    /* A checkpoint with this position is complete: others may be told (a table's consumer). NULL: nobody is. */
    int (*committed)(weir_stream_source *self, weir_slice position, weir_error *err);

    /* How far behind the source is, in milliseconds; -1: unknown. NULL: not known. */
    int64_t (*lag_ms)(weir_stream_source *self);

    void (*close)(weir_stream_source *self);

    bool is_bounded;
    int64_t poll_interval_ms; /* after WEIR_IDLE it need not be asked earlier; 0: as often as one likes */
    bool is_waiting; /* by the last WEIR_IDLE: it has seen something that it gives before long though nothing is added */
    /* Which moment the rows of the last batch belong to: it grows when all rows of one have been given. Rows of a moment (a
     * snapshot of a table) came together and lie in no order of time, so that watermarks wait for its end. 0: rows come in
     * their order. */
    int64_t moment;
    const char *description;  /* for people: "lake.ods.orders" */
    const char *identity; /* of the table that is read, the same as weir_stream_sink.identity of a job that writes it;
                             NULL: none */
};

#endif
