/* The life of a job: making it, starting its thread, asking it to end, telling how it is. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/temporary.h"
#include "stream/job/job_internal.h"

/* --- Making ---------------------------------------------------------------------------------------------------- */

static int make_engine(weir_job *job, weir_error *err)
{
    job->context.engine = job->options.engine;
    if (job->context.engine != NULL) {
        return WEIR_OK;
    }
    /* Batches are small: an eighth of the memory is enough for expressions over them. */
    enum { share = 8, least = 32 << 20 };
    int64_t memory = job->options.memory_bytes / share;
    memory = job->options.memory_bytes > 0 && memory < least ? least : memory;
    const weir_sql_engine_options options = {
        .threads = 1, .memory_limit_bytes = memory, .temp_directory = job->options.temp_folder};
    WEIR_TRY(weir_sql_engine_create(&options, &job->own_engine, err));
    job->context.engine = job->own_engine;
    return WEIR_OK;
}

static int open_state(weir_job *job, weir_error *err)
{
    const weir_job_options *options = &job->options;
    bool temporary = options->state_folder == NULL && options->temp_folder != NULL;
    int64_t limit = options->memory_bytes > 0 ? options->memory_bytes : INT64_MAX;
    weir_budget_init(&job->state_budget, "state", options->budget, limit);
    if (temporary) {
        WEIR_TRY(weir_temporary_make(options->temp_folder, "state", &job->temp_state_folder, err));
    }
    const weir_state_backend_options state_options = {
        .folder = temporary ? job->temp_state_folder : options->state_folder,
        .temporary = temporary,
        .budget = &job->state_budget};
    return weir_state_backend_open(&state_options, &job->state, err);
}

static void copy_options(weir_job *job, const weir_job_options *options)
{
    job->options = *options;
    job->options.name = weir_arena_strdup(&job->arena, options->name);
    job->options.state_folder = weir_arena_strdup(&job->arena, options->state_folder);
    job->options.temp_folder = weir_arena_strdup(&job->arena, options->temp_folder);
    job->options.time_zone = weir_arena_strdup(&job->arena, options->time_zone == NULL ? "UTC" : options->time_zone);
}

int weir_job_create(const weir_job_options *options, weir_job **out, weir_error *err)
{
    weir_job *job = weir_alloc_zeroed(1, sizeof *job);
    int code;
    weir_arena_init(&job->arena);
    pthread_mutex_init(&job->mutex, NULL);
    weir_condition_init(&job->changed);
    copy_options(job, options);
    job->status.watermark = WEIR_WATERMARK_NONE;
    job->status.lag_ms = job->status.latency_ms = -1;
    job->first_rows_ms = -1;
    WEIR_GO(make_engine(job, err));
    WEIR_GO(open_state(job, err));
    job->context = (weir_operator_context){.engine = job->context.engine,
                                           .state = job->state,
                                           .budget = options->budget,
                                           .time_zone = job->options.time_zone,
                                           .state_ttl_ms = options->state_ttl_ms,
                                           .upsert_materialize = options->upsert_materialize,
                                           .clock_ms = weir_now_ms,
                                           .temp_folder = job->options.temp_folder,
                                           .late_rows = &job->late_rows};
    *out = job;
    return WEIR_OK;
done:
    weir_job_free(job);
    return code;
}

int weir_job_add(weir_job *job, const weir_bound *bound, weir_stream_sink *sink, weir_error *err)
{
    weir_graph *graph = NULL;
    WEIR_TRY(weir_graph_create(&job->context, bound, sink, &job->uids, &graph, err));
    job->inserts = weir_realloc(job->inserts, sizeof *job->inserts * (size_t)(job->insert_count + 1));
    job->inserts[job->insert_count++] = (weir_job_insert){.bound = bound, .graph = graph};
    return WEIR_OK;
}

/* --- Running --------------------------------------------------------------------------------------------------- */

static bool has_ended(weir_job_phase phase) { return phase >= WEIR_JOB_FINISHED; }

/* Whether the end was asked for at once, rather than when it is idle. */
static bool is_stopping(const weir_job *job) { return job->stop_asked && job->stop_kind != WEIR_JOB_STOP_WHEN_IDLE; }

static void *run_thread(void *argument)
{
    weir_job *job = argument;
    weir_error error = {0};
    weir_job_phase phase = WEIR_JOB_FAILED;
    (void)weir_stop_enter(&job->stop);
    int code = weir_job_run(job, &phase, &error);
    if (code != WEIR_OK && weir_stop_is_raised(&job->stop)) {
        (void)weir_error_context(&error, code, "stopped without a last checkpoint");
    }
    pthread_mutex_lock(&job->mutex);
    if (code != WEIR_OK) {
        phase = WEIR_JOB_FAILED;
        job->error = error;
        job->error.code = code;
    }
    job->status.phase = phase;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->mutex);
    return NULL;
}

int weir_job_start(weir_job *job, weir_error *err)
{
    WEIR_TRY(weir_job_recover(job, err));
    pthread_mutex_lock(&job->mutex);
    int failed = pthread_create(&job->thread, NULL, run_thread, job);
    if (failed == 0) {
        job->has_thread = true;
        job->start_ms = job->changed_ms = job->rows_ms = weir_job_now();
        job->status.started_ms = weir_now_ms();
        job->status.phase = is_stopping(job) ? WEIR_JOB_STOPPING : WEIR_JOB_RUNNING;
    }
    pthread_mutex_unlock(&job->mutex);
    return failed == 0 ? WEIR_OK : weir_fail_errno(err, failed, "a thread can't be made", job->options.name);
}

void weir_job_stop(weir_job *job, weir_job_stop_kind kind, int64_t idle_ms)
{
    pthread_mutex_lock(&job->mutex);
    if (!is_stopping(job) || kind == WEIR_JOB_STOP_NOW) { /* what was asked for before is not weakened */
        job->stop_asked = true;
        job->stop_kind = kind;
        job->stop_idle_ms = idle_ms;
    }
    if (is_stopping(job)) {
        weir_stop_raise(&job->stop);
    }
    if (job->status.phase == WEIR_JOB_RUNNING && is_stopping(job)) {
        job->status.phase = WEIR_JOB_STOPPING;
    }
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->mutex);
}

void weir_job_wake(weir_job *job)
{
    pthread_mutex_lock(&job->mutex);
    job->woken = true;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->mutex);
}

bool weir_job_wait(weir_job *job, int64_t timeout_ms)
{
    int64_t until = timeout_ms < 0 ? 0 : weir_job_now() + timeout_ms;
    struct timespec at = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    int failed = 0;
    pthread_mutex_lock(&job->mutex);
    while (!has_ended(job->status.phase) && failed == 0) {
        failed = timeout_ms < 0 ? pthread_cond_wait(&job->changed, &job->mutex)
                                : pthread_cond_timedwait(&job->changed, &job->mutex, &at);
    }
    bool ended = has_ended(job->status.phase);
    pthread_mutex_unlock(&job->mutex);
    return ended;
}

void weir_job_free(weir_job *job)
{
    if (job == NULL) {
        return;
    }
    if (job->has_thread) {
        weir_job_stop(job, WEIR_JOB_STOP_NOW, 0);
        pthread_join(job->thread, NULL);
    }
    weir_stop_raise(&job->stop);
    weir_stop *before = weir_stop_enter(&job->stop);
    for (int32_t i = 0; i < job->insert_count; i++) {
        weir_graph_free(job->inserts[i].graph);
        weir_buffer_free(&job->inserts[i].prepared);
    }
    (void)weir_stop_enter(before);
    free(job->inserts);
    weir_state_backend_close(job->state);
    weir_temporary_remove(job->temp_state_folder);
    weir_sql_engine_free(job->own_engine);
    weir_map_free(&job->uids);
    weir_buffer_free(&job->positions);
    pthread_mutex_destroy(&job->mutex);
    pthread_cond_destroy(&job->changed);
    weir_arena_free(&job->arena);
    free(job);
}

/* --- Telling --------------------------------------------------------------------------------------------------- */

const char *weir_job_phase_text(weir_job_phase phase)
{
    static const char *const texts[] = {"CREATED", "RUNNING", "STOPPING", "FINISHED", "STOPPED", "FAILED"};
    return texts[phase];
}

void weir_job_status_of(const weir_job *job, weir_job_status *out)
{
    weir_job *locked = (weir_job *)job;
    int64_t now = weir_job_now();
    pthread_mutex_lock(&locked->mutex);
    *out = job->status;
    out->checkpoint_age_ms = job->has_thread ? now - job->changed_ms : 0;
    out->active_ms = job->rows_ms > job->start_ms ? job->rows_ms - job->start_ms : 0; /* the thread may be first */
    out->idle_ms = job->has_thread ? now - job->rows_ms : 0;
    pthread_mutex_unlock(&locked->mutex);
    out->late_rows = atomic_load(&locked->late_rows);
}

weir_error weir_job_error(const weir_job *job)
{
    weir_job *locked = (weir_job *)job;
    pthread_mutex_lock(&locked->mutex);
    weir_error error = job->error;
    pthread_mutex_unlock(&locked->mutex);
    return error;
}

/* What is asked of the sources' structs does not change once they are open. */
static bool any_source(const weir_job *job, bool (*test)(const weir_stream_source *source, const char *identity),
                       const char *identity)
{
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        const weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        for (int32_t j = 0; j < count; j++) {
            if (test(sources[j].source, identity)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_unbounded(const weir_stream_source *source, const char *identity)
{
    (void)identity;
    return !source->is_bounded;
}

static bool has_identity(const weir_stream_source *source, const char *identity)
{
    return source->identity != NULL && strcmp(source->identity, identity) == 0;
}

bool weir_job_is_bounded(const weir_job *job) { return !any_source(job, is_unbounded, NULL); }

bool weir_job_reads(const weir_job *job, const char *identity) { return any_source(job, has_identity, identity); }

const weir_stream_sink *weir_job_sink(const weir_job *job, int32_t number)
{
    return number < job->insert_count ? weir_graph_sink(job->inserts[number].graph) : NULL;
}
