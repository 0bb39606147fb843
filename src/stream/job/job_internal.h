/* What the files of a job share. job.c: its life; loop.c: what its thread does; checkpoint.c: steps 1 to 3, recovery;
 * plan_change.c: telling how two plans differ. */
#ifndef WEIR_STREAM_JOB_INTERNAL_H
#define WEIR_STREAM_JOB_INTERNAL_H

#include <pthread.h>

#include "base/clock.h"
#include "base/stop.h"
#include "stream/job/job.h"
#include "stream/job/latency.h"

typedef struct weir_job_insert {
    const weir_bound *bound;
    weir_graph *graph;
    weir_buffer prepared; /* by the sink, for the checkpoint at hand */
} weir_job_insert;

struct weir_job {
    weir_job_options options; /* texts in the arena */
    weir_arena arena;
    weir_sql_engine *own_engine; /* NULL: one was given */
    weir_budget state_budget;
    weir_state_backend *state;
    char *temp_state_folder; /* NULL: the state is to outlive the job, or lies in memory alone */
    weir_operator_context context;
    weir_map uids;
    weir_job_insert *inserts;
    int32_t insert_count;
    _Atomic int64_t late_rows;

    pthread_t thread;
    bool has_thread;
    weir_stop stop; /* of what the thread does: raised when the end is asked for */

    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    weir_job_status status;
    int64_t start_ms;
    int64_t changed_ms; /* monotonic times: of the last checkpoint's end, or the start */
    int64_t rows_ms;    /* …and of the last rows */
    weir_error error;
    bool stop_asked;
    weir_job_stop_kind stop_kind;
    int64_t stop_idle_ms;
    bool woken;

    /* Of the thread alone; monotonic milliseconds. */
    bool moved; /* something has happened since the last checkpoint */
    int64_t rows_since_checkpoint;
    int64_t next_checkpoint_ms;
    int64_t next_position_check_ms;
    int64_t next_tick_ms;
    int64_t rows_in;
    int64_t first_rows_ms; /* when the first rows since the last checkpoint were read; -1: there were none */
    weir_latencies latencies;
    weir_buffer positions; /* of all sources, as the last checkpoint has them */
};

/* Monotonic milliseconds. */
static inline int64_t weir_job_now(void) { return weir_monotonic_ns() / 1000000; }

/* An error of an INSERT says which one. */
int weir_job_insert_fail(const weir_job_insert *insert, int code, weir_error *err);

/* What the thread does until the end; *out_phase: which one, when it did not fail. */
int weir_job_run(weir_job *job, weir_job_phase *out_phase, weir_error *err);

/* Before the start: compares plans, recovers sinks, restores positions. */
int weir_job_recover(weir_job *job, weir_error *err);

int weir_job_checkpoint(weir_job *job, bool last, weir_error *err);
/* Appends the positions of all sources. Equal bytes: nothing has moved. */
int weir_job_positions(weir_job *job, weir_buffer *out, weir_error *err);

/* Fails with the lines in which two descriptions differ. */
int weir_job_fail_changed(const char *stored, const char *wanted, weir_error *err);

#endif
