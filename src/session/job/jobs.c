/* The list of a session's jobs: adding, looking, ending. */
#include "session/job/jobs.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/job/job_log.h"

/* ---- one job ---- */

static void add_written(weir_session_job *job)
{
    weir_sink_summary sum = {0};
    const weir_stream_sink *sink;
    for (int32_t i = 0; (sink = weir_job_sink(job->job, i)) != NULL; i++) {
        sum.rows += sink->summary.rows;
        sum.commits += sink->summary.commits;
        sum.files += sink->summary.files;
        sum.last_snapshot = sink->summary.last_snapshot;
    }
    job->info.written = sum;
}

void weir_session_job_refresh(weir_session_job *job)
{
    if (job->job != NULL) {
        weir_job_status_of(job->job, &job->info.status);
    }
    if (job->ended_ns == 0 && job->info.status.phase >= WEIR_JOB_FINISHED) {
        job->ended_ns = weir_monotonic_ns();
    }
}

void weir_session_job_settle(weir_session_job *job)
{
    if (job->job == NULL) {
        return;
    }
    weir_session_job_refresh(job);
    if (job->info.status.phase == WEIR_JOB_RUNNING || job->info.status.phase == WEIR_JOB_STOPPING) {
        weir_job_stop(job->job, WEIR_JOB_STOP_NOW, 0); /* what it has written stands only then */
        weir_job_wait(job->job, -1);
        weir_session_job_refresh(job);
    }
    if (job->info.status.phase == WEIR_JOB_FAILED) {
        job->err = weir_job_error(job->job);
    }
    add_written(job);
    weir_job_free(job->job);
    job->job = NULL;
    for (int32_t i = 0; i < job->bound_count; i++) {
        weir_bound_free(job->bounds[i]);
    }
    job->bound_count = 0;
}

void weir_session_job_free(weir_session_job *job)
{
    if (job == NULL) {
        return;
    }
    weir_session_job_settle(job);
    weir_arena_free(&job->arena);
    free(job);
}

static bool has_ended(const weir_session_job *job)
{
    return job->job == NULL || job->info.status.phase >= WEIR_JOB_FINISHED;
}

/* ---- the list ---- */

void weir_jobs_init(weir_jobs *jobs) { pthread_mutex_init(&jobs->mutex, NULL); }

static void note_written(weir_session_job *job)
{
    const weir_stream_sink *sink;
    job->written = WEIR_NEW_ARRAY(&job->arena, const char *, job->bound_count);
    for (int32_t i = 0; i < job->bound_count && (sink = weir_job_sink(job->job, i)) != NULL; i++) {
        job->written[job->written_count++] = weir_arena_strdup(&job->arena, sink->identity);
    }
}

void weir_jobs_add(weir_jobs *jobs, weir_session_job *job)
{
    note_written(job);
    pthread_mutex_lock(&jobs->mutex);
    WEIR_GROW(jobs->items, jobs->capacity, jobs->count + 1);
    jobs->items[jobs->count++] = job;
    pthread_mutex_unlock(&jobs->mutex);
}

weir_session_job *weir_jobs_find(const weir_jobs *jobs, const char *name)
{
    weir_session_job *named = NULL;
    int64_t number = 0;
    bool is_number = weir_parse_int64(weir_slice_text(name), &number);
    for (int32_t i = 0; i < jobs->count; i++) {
        weir_session_job *job = jobs->items[i];
        if (weir_text_equal_ignore_case(job->info.id, name) || (is_number && job->info.number == number)) {
            return job;
        }
        if (strcmp(job->info.name, name) == 0) {
            named = job; /* the latest one */
        }
    }
    return named;
}

int32_t weir_session_job_count(weir_session *session)
{
    pthread_mutex_lock(&session->jobs.mutex);
    int32_t count = session->jobs.count;
    pthread_mutex_unlock(&session->jobs.mutex);
    return count;
}

bool weir_session_job_info(weir_session *session, int32_t place, weir_job_info *out)
{
    weir_jobs *jobs = &session->jobs;
    pthread_mutex_lock(&jobs->mutex);
    bool exists = place < jobs->count;
    if (exists) {
        weir_session_job_refresh(jobs->items[place]);
        *out = jobs->items[place]->info;
    }
    pthread_mutex_unlock(&jobs->mutex);
    return exists;
}

static bool reads_from(const weir_session_job *reader, const weir_job *writer)
{
    const weir_stream_sink *sink;
    bool reads = false;
    for (int32_t i = 0; (sink = weir_job_sink(writer, i)) != NULL && reader->job != NULL && !reads; i++) {
        reads = sink->identity != NULL && weir_job_reads(reader->job, sink->identity);
    }
    return reads;
}

void weir_jobs_wake_readers(void *owner, const weir_job *writer)
{
    weir_jobs *jobs = owner;
    pthread_mutex_lock(&jobs->mutex);
    for (int32_t i = 0; i < jobs->count; i++) {
        if (reads_from(jobs->items[i], writer)) {
            weir_job_wake(jobs->items[i]->job);
        }
    }
    pthread_mutex_unlock(&jobs->mutex);
}

void weir_session_expect_jobs(weir_session *session, int32_t count)
{
    session->expected_jobs = count > session->expected_jobs ? count : session->expected_jobs;
}

int64_t weir_jobs_memory_left(weir_jobs *jobs, int64_t share)
{
    pthread_mutex_lock(&jobs->mutex);
    for (int32_t i = 0; i < jobs->count; i++) {
        share -= has_ended(jobs->items[i]) ? 0 : jobs->items[i]->budget.limit_bytes;
    }
    pthread_mutex_unlock(&jobs->mutex);
    return share;
}

/* ---- ending ---- */

void weir_session_stop_jobs(weir_session *session, weir_job_stop_kind kind)
{
    weir_jobs *jobs = &session->jobs;
    pthread_mutex_lock(&jobs->mutex);
    for (int32_t i = 0; i < jobs->count; i++) {
        if (jobs->items[i]->job != NULL) {
            weir_job_stop(jobs->items[i]->job, kind, 0);
        }
    }
    pthread_mutex_unlock(&jobs->mutex);
}

bool weir_session_has_jobs(weir_session *session)
{
    weir_jobs *jobs = &session->jobs;
    bool found = false;
    pthread_mutex_lock(&jobs->mutex);
    for (int32_t i = 0; i < jobs->count; i++) {
        weir_session_job_refresh(jobs->items[i]);
        found = found || !has_ended(jobs->items[i]);
    }
    pthread_mutex_unlock(&jobs->mutex);
    return found;
}

static bool reads_what_is_written(const weir_session_job *reader, const weir_session_job *writer)
{
    bool reads = false;
    for (int32_t i = 0; i < writer->written_count && reader->job != NULL && !reads; i++) {
        reads = writer->written[i] != NULL && weir_job_reads(reader->job, writer->written[i]);
    }
    return reads;
}

/* Whether it still runs, or has ended so lately that others may not have seen its last snapshot. */
static bool may_be_read(const weir_session_job *writer, int64_t idle_ms)
{
    return !has_ended(writer) || weir_monotonic_ns() - writer->ended_ns < idle_ms * 1000000;
}

/* Whether something may still come from a job that writes what this one reads. Of two that read each other the later
 * one doesn't hold back the earlier. */
static bool has_writer(const weir_jobs *jobs, const weir_session_job *reader, int64_t idle_ms)
{
    for (int32_t i = 0; i < jobs->count; i++) {
        const weir_session_job *writer = jobs->items[i];
        if (writer == reader || !may_be_read(writer, idle_ms) || !reads_what_is_written(reader, writer)) {
            continue;
        }
        if (writer->info.number < reader->info.number || !reads_what_is_written(writer, reader)) {
            return true;
        }
    }
    return false;
}

void weir_session_stop_idle_jobs(weir_session *session, int64_t idle_ms)
{
    weir_jobs *jobs = &session->jobs;
    pthread_mutex_lock(&jobs->mutex);
    for (int32_t i = 0; i < jobs->count; i++) {
        weir_session_job_refresh(jobs->items[i]);
    }
    for (int32_t i = 0; i < jobs->count; i++) {
        weir_session_job *job = jobs->items[i];
        if (!has_ended(job) && !job->stops_when_idle && !has_writer(jobs, job, idle_ms)) {
            job->stops_when_idle = true;
            weir_job_stop(job->job, WEIR_JOB_STOP_WHEN_IDLE, idle_ms);
        }
    }
    pthread_mutex_unlock(&jobs->mutex);
}

/* What is to be logged of an end; the error is empty unless it failed. */
static void log_end(weir_session *session, const weir_session_job *job)
{
    const weir_job_info *info = &job->info;
    if (info->status.phase == WEIR_JOB_FAILED) {
        weir_job_log(session, "job %d '%s' failed: %s", (int)info->number, info->name, job->err.message);
    } else {
        weir_job_log(session, "job %d '%s' %s: %" PRId64 " rows in, %" PRId64 " out, %" PRId64 " checkpoints",
                     (int)info->number, info->name,
                     info->status.phase == WEIR_JOB_FINISHED ? "has ended" : "is stopped", info->status.rows_in,
                     info->status.rows_out, info->status.checkpoints);
    }
}

bool weir_session_take_ended_job(weir_session *session, weir_job_info *out, weir_error *out_err)
{
    weir_jobs *jobs = &session->jobs;
    bool found = false;
    pthread_mutex_lock(&jobs->mutex);
    for (int32_t i = 0; i < jobs->count && !found; i++) {
        weir_session_job *job = jobs->items[i];
        weir_session_job_refresh(job);
        if (has_ended(job) && !job->is_taken) {
            weir_session_job_settle(job);
            job->is_taken = true;
            log_end(session, job);
            *out = job->info;
            *out_err = job->err;
            found = true;
        }
    }
    pthread_mutex_unlock(&jobs->mutex);
    return found;
}

int weir_session_end_script(weir_session *session, weir_error *err)
{
    return session->state != NULL ? weir_journal_end(session->state->journal, err) : WEIR_OK;
}

void weir_jobs_free(weir_jobs *jobs)
{
    for (int32_t i = 0; i < jobs->count; i++) {
        if (jobs->items[i]->job != NULL) {
            weir_job_stop(jobs->items[i]->job, WEIR_JOB_STOP_CHECKPOINT, 0);
        }
    }
    /* Until the last one has ended they look through the list, to wake each other. */
    for (int32_t i = 0; i < jobs->count; i++) {
        if (jobs->items[i]->job != NULL) {
            weir_job_wait(jobs->items[i]->job, -1);
        }
    }
    for (int32_t i = 0; i < jobs->count; i++) {
        weir_session_job_free(jobs->items[i]);
    }
    free(jobs->items);
    pthread_mutex_destroy(&jobs->mutex);
}
