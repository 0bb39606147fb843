/* Sinks of a job: rows go in, and become visible in two steps, so that a checkpoint can stand between them.
 *
 *   prepare()   everything written so far goes to files that nothing names yet, synced; what names them is given as
 *               bytes (the job writes those bytes, with all its state, in one step)
 *   commit()    they become visible
 *
 * After a crash recover() gets the bytes of the last checkpoint, finds out whether commit() happened, and does it if
 * not. Sinks that cannot hold rows back (print) show them in commit() or, having none, at once: at least once.
 * paimon_sink.c and connector_sink.c make them. */
#ifndef WEIR_STREAM_SINK_H
#define WEIR_STREAM_SINK_H

#include "base/buffer.h"
#include "vector/vector.h"

typedef struct weir_stream_sink weir_stream_sink;

typedef enum weir_sink_changes {
    WEIR_SINK_INSERTS, /* +I alone */
    WEIR_SINK_UPSERTS, /* by its key: +U needs no -U, -D only the key */
    WEIR_SINK_ALL      /* every kind; -U is wanted */
} weir_sink_changes;

typedef struct weir_sink_summary {
    int64_t rows;
    int64_t commits;
    int64_t files;
    int64_t last_snapshot; /* 0: none */
} weir_sink_summary;

struct weir_stream_sink {
    int (*write)(weir_stream_sink *self, const weir_batch *batch, weir_error *err);

    /* `last`: nothing more will come. Nothing appended: there is nothing to commit. */
    int (*prepare)(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err);
    int (*commit)(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err);

    /* With the bytes of the last checkpoint of an earlier run of the job; before the first write. */
    int (*recover)(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err);

    /* What is not prepared is dropped; what is prepared and not committed stays as it is. */
    void (*close)(weir_stream_sink *self);

    /* Whether its buffers are so full that a checkpoint should be made before long. NULL: never. */
    bool (*is_full)(weir_stream_sink *self);

    /* Called some times a second, for what is due by the clock. NULL: nothing is. */
    int (*tick)(weir_stream_sink *self, weir_error *err);

    /* Whether something is still to come with a later checkpoint though nothing more is written, such as a changelog of
     * full compactions: then checkpoints go on. NULL: never. */
    bool (*awaits)(weir_stream_sink *self);

    weir_sink_changes takes;
    const int32_t *key; /* columns of the table's primary key; NULL: none */
    int32_t key_count;
    const char *description; /* for people: "lake.dws.user_stat" */
    const char *identity;    /* of the table that is written; NULL: none */
    int64_t watermark;       /* of the rows so far, in milliseconds; the job sets it before prepare(). INT64_MIN: none */
    weir_sink_summary summary;
};

#endif
