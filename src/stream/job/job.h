/* A job: one or several INSERTs that run on, with one thread and common checkpoints.
 *
 * The thread asks its sources in turn, pushes what they give through the operators into the sinks, and makes a
 * checkpoint when the interval has passed, when state or sinks are full, or after so many rows. A checkpoint has three
 * steps:
 *   1 sinks prepare: files that no snapshot names yet, synced
 *   2 state, positions, and what the sinks prepared are written to RocksDB in one synced step
 *   3 the sinks commit
 * A job that is opened over the state of an earlier run first lets its sinks recover what step 2 wrote, then restores
 * its positions, and goes on.
 *
 * Threading: weir_job_status_of, weir_job_error, weir_job_stop, weir_job_wake and weir_job_wait may be called from any
 * thread. */
#ifndef WEIR_STREAM_JOB_H
#define WEIR_STREAM_JOB_H

#include "stream/plan/graph.h"

typedef struct weir_job weir_job;

typedef struct weir_job_options {
    const char *name;         /* for people */
    const char *state_folder; /* NULL: nothing outlives the job */
    const char *temp_folder;  /* NULL: nowhere */
    weir_sql_engine *engine;  /* for expressions; jobs may share one, best of one thread. NULL: one of its own */
    int64_t memory_bytes;     /* for state, and for an engine of its own */
    weir_budget *budget;
    int64_t checkpoint_interval_ms; /* -1: only when it must be, and at the end */
    int64_t checkpoint_rows;        /* also after so many rows; 0: no */
    int64_t state_ttl_ms;           /* 0: kept for ever */
    int64_t source_idle_timeout_ms; /* table.exec.source.idle-timeout: sources silent for so long don't hold back
                                       watermarks; 0: they do */
    const char *time_zone;          /* NULL: UTC */
    weir_upsert_materialize upsert_materialize;

    /* Called by the job's thread when its tables have new rows, so that their readers can be woken. NULL: nobody is
     * told. */
    void (*on_commit)(void *owner, const weir_job *job);
    void *owner;
} weir_job_options;

/* A job without anything to do yet. */
int weir_job_create(const weir_job_options *options, weir_job **out, weir_error *err);

/* Adds an INSERT. `bound` must outlive the job; the sink becomes the job's, also after a failure. */
int weir_job_add(weir_job *job, const weir_bound *bound, weir_stream_sink *sink, weir_error *err);

bool weir_job_is_bounded(const weir_job *job); /* it ends by itself */

/* Recovers, and starts the thread. The job opened over another computation's state is refused with WEIR_INVALID, naming
 * the difference. */
int weir_job_start(weir_job *job, weir_error *err);

typedef enum weir_job_stop_kind {
    WEIR_JOB_STOP_CHECKPOINT, /* a last checkpoint, then the end; it can go on later */
    WEIR_JOB_STOP_DRAIN,      /* sources end: windows close, then a last checkpoint */
    WEIR_JOB_STOP_WHEN_IDLE,  /* once all its sources had nothing for a while: as CHECKPOINT */
    WEIR_JOB_STOP_NOW         /* without a checkpoint, as a crash would */
} weir_job_stop_kind;

/* Asks for the end; does not wait. `idle_ms`: of WHEN_IDLE. */
void weir_job_stop(weir_job *job, weir_job_stop_kind kind, int64_t idle_ms);

/* Something may be there to read: all sources are asked at once, whatever their interval. */
void weir_job_wake(weir_job *job);

typedef enum weir_job_phase {
    WEIR_JOB_CREATED,
    WEIR_JOB_RUNNING,
    WEIR_JOB_STOPPING,
    WEIR_JOB_FINISHED, /* its input has ended */
    WEIR_JOB_STOPPED,  /* somebody asked for it */
    WEIR_JOB_FAILED
} weir_job_phase;

const char *weir_job_phase_text(weir_job_phase phase); /* RUNNING, FINISHED, STOPPED, FAILED, … */

typedef struct weir_job_status {
    weir_job_phase phase;
    int64_t rows_in, rows_out; /* of this run; what sources gave, what sinks took */
    int64_t late_rows;
    int64_t checkpoints;       /* of this run */
    int64_t last_checkpoint;   /* its id */
    int64_t checkpoint_age_ms; /* since the last one, or since the start */
    int64_t checkpoint_ms;     /* how long the last one took */
    int64_t latency_ms; /* the median of the last checkpoints: how long the first row of each had waited, from being
                           read to being visible; -1: unknown */
    int64_t state_memory_bytes, state_disk_bytes;
    int64_t lag_ms;     /* of the source that is most behind; -1: unknown */
    int64_t active_ms;  /* from the start to the last rows */
    int64_t idle_ms;    /* since when no source has given anything */
    int64_t watermark;  /* the least of its sources; WEIR_WATERMARK_NONE: none */
    int64_t started_ms; /* the clock's, since 1970 */
    bool resumed;       /* over the state of an earlier run */
} weir_job_status;

void weir_job_status_of(const weir_job *job, weir_job_status *out);
weir_error weir_job_error(const weir_job *job); /* of a job that FAILED */

/* Waits until the job has ended, at most `timeout_ms` (-1: for ever). False: it has not. */
bool weir_job_wait(weir_job *job, int64_t timeout_ms);

/* Identities of the tables that are read and written: which jobs follow which. */
bool weir_job_reads(const weir_job *job, const char *identity);
const weir_stream_sink *weir_job_sink(const weir_job *job, int32_t number); /* NULL after the last */

void weir_job_free(weir_job *job); /* stops it NOW if it still runs, and waits */

#endif
