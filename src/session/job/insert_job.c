/* INSERTs as jobs: bound, given their sinks, started; over bounded input awaited.
 *
 * A job's place in the state folder is that of its pipeline.name, or of its statement's number among those that are
 * counted (remember.c). */
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/dml/change.h"
#include "session/dml/stream_sink.h"
#include "session/job/job_log.h"
#include "session/job/jobs.h"
#include "session/job/remember.h"

#define USUAL_JOBS                 2
#define LOOK_INTERVAL_MS           20
#define ENDLESS_COMMIT_INTERVAL_MS 1000  /* of input that never ends, where no interval is set */
#define USUAL_BATCH_ROWS           65536 /* of sources */

/* ---- what it is called ---- */

static const char *table_text(weir_arena *arena, const weir_sql_table *table)
{
    return weir_arena_format(arena, "%s.%s.%s", table->catalog, table->database, table->name);
}

/* As Flink names it: insert-into_catalog.database.table. */
static void set_names(weir_session_job *job, const weir_session *session, bool is_set)
{
    const char *given = weir_session_setting(session, "pipeline.name");
    weir_buffer tables = {0};
    char uuid[WEIR_UUID_SIZE];
    size_t size = 0;
    for (int32_t i = 0; i < job->bound_count; i++) {
        weir_buffer_append_format(&tables, "%sinsert-into_%s", i > 0 ? "," : "",
                                  table_text(&job->arena, job->bounds[i]->sink));
    }
    job->info.name = weir_arena_strdup(&job->arena, given != NULL ? given : weir_buffer_text(&tables));
    job->info.what =
        is_set ? "STATEMENT SET" : weir_arena_format(&job->arena, "INSERT INTO %s", job->bounds[0]->sink->name);
    weir_buffer_free(&tables);
    weir_uuid(uuid);
    for (const char *at = uuid; *at != '\0'; at++) {
        if (*at != '-') {
            job->info.id[size++] = *at;
        }
    }
}

/* ---- building ---- */

static int bind_all(weir_session_job *job, weir_session *session, weir_ast_insert *const *inserts, int32_t count,
                    weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    job->bounds = WEIR_NEW_ARRAY(&job->arena, weir_bound *, count);
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(weir_bind_insert(&context, inserts[i], &job->bounds[i], err));
        job->bound_count++;
    }
    return WEIR_OK;
}

static int take_place(weir_session_job *job, weir_session *session, const char *text, weir_error *err)
{
    weir_state_folder *state = NULL;
    WEIR_TRY(weir_session_state_folder(session, &state, err));
    if (state == NULL) {
        return WEIR_OK;
    }
    job->has_place = true;
    return weir_state_folder_job(state, session->job_key, text, &job->place, err);
}

static bool may_end(const weir_session_job *job)
{
    bool unbounded = false;
    for (int32_t i = 0; i < job->bound_count; i++) {
        for (int32_t t = 0; t < job->bounds[i]->table_count; t++) {
            const weir_sql_table *table = job->bounds[i]->tables[t];
            unbounded = unbounded || (table != job->bounds[i]->sink && table->unbounded);
        }
    }
    return !unbounded;
}

/* One that ends has what is left, since nothing is started before; others have equal parts. */
static int64_t memory_of(const weir_session_job *job, weir_session *session)
{
    int64_t share = weir_memory_share_with_jobs(&session->memory);
    int64_t left = weir_jobs_memory_left(&session->jobs, share);
    int64_t part = share / (session->expected_jobs > 0 ? session->expected_jobs : USUAL_JOBS);
    return may_end(job) && left > part ? left : part;
}

static weir_upsert_materialize materialize(const weir_session *session)
{
    const char *mode = weir_session_setting(session, "table.exec.sink.upsert-materialize");
    return weir_text_equal_ignore_case(mode, "none")    ? WEIR_MATERIALIZE_NONE
           : weir_text_equal_ignore_case(mode, "force") ? WEIR_MATERIALIZE_FORCE
                                                        : WEIR_MATERIALIZE_AUTO;
}

weir_job_options weir_session_job_options(weir_session_job *job, weir_session *session)
{
    const weir_settings *settings = &session->settings;
    const char *temporary = getenv("TMPDIR");
    int64_t memory_bytes = memory_of(job, session);
    int64_t interval_ms = weir_settings_duration_ms(settings, "execution.checkpointing.interval");
    int64_t idle_ms = weir_settings_duration_ms(settings, "table.exec.source.idle-timeout");
    bool by_rows = interval_ms < 0 || weir_settings_has(settings, "weir.commit-rows");
    weir_budget_init(&job->budget, "a job (a part of --memory)", &session->memory.jobs, memory_bytes);
    return (weir_job_options){
        .name = job->info.name,
        .state_folder = job->has_place ? job->place.state_folder : NULL,
        .temp_folder = temporary != NULL ? temporary : "/tmp",
        .memory_bytes = memory_bytes,
        .budget = &job->budget,
        .checkpoint_interval_ms = interval_ms < 0 && !may_end(job) ? ENDLESS_COMMIT_INTERVAL_MS : interval_ms,
        .checkpoint_rows = by_rows ? weir_settings_int(settings, "weir.commit-rows") : 0,
        .state_ttl_ms = weir_settings_duration_ms(settings, "table.exec.state.ttl"),
        .source_idle_timeout_ms = idle_ms < 0 ? 0 : idle_ms,
        .time_zone = weir_arena_strdup(&job->arena, weir_session_setting(session, "table.local-time-zone")),
        .upsert_materialize = materialize(session),
        .on_commit = weir_jobs_wake_readers,
        .owner = &session->jobs,
    };
}

static int add_inserts(weir_session_job *job, weir_session *session, weir_error *err)
{
    weir_stream_sinks_request request = {
        .session = session,
        .bounds = job->bounds,
        .count = job->bound_count,
        .job = job->info.name,
        .place_id = job->place.id,
        .arena = &job->arena,
    };
    weir_stream_sink **sinks = WEIR_NEW_ARRAY(&job->arena, weir_stream_sink *, job->bound_count);
    WEIR_TRY(weir_session_stream_sinks_open(&request, sinks, err));
    int code = WEIR_OK;
    for (int32_t i = 0; i < job->bound_count; i++) {
        if (code == WEIR_OK) {
            code = weir_job_add(job->job, job->bounds[i], sinks[i], err); /* which closes it when it fails */
        } else {
            sinks[i]->close(sinks[i]);
        }
    }
    return code;
}

/* A checkpoint after so many rows needs batches that are no larger. */
static int64_t batch_rows(const weir_job_options *options)
{
    return options->checkpoint_rows > 0 && options->checkpoint_rows < USUAL_BATCH_ROWS ? options->checkpoint_rows : 0;
}

static int build(weir_session_job *job, weir_session *session, const weir_ast_statement *statement,
                 weir_ast_insert *const *inserts, int32_t count, weir_error *err)
{
    const char *text = weir_session_statement_text(session, statement, &job->arena);
    WEIR_TRY(bind_all(job, session, inserts, count, err));
    set_names(job, session, statement->kind == WEIR_AST_STATEMENT_SET);
    WEIR_TRY(take_place(job, session, text, err));
    weir_job_options options = weir_session_job_options(job, session);
    WEIR_TRY(weir_session_stream_engine(session, &options.engine, err));
    session->batch_rows = batch_rows(&options);
    WEIR_TRY(weir_job_create(&options, &job->job, err));
    return add_inserts(job, session, err);
}

/* ---- running ---- */

static void note_progress(weir_session *session, const weir_session_job *job)
{
    const weir_job_status *status = &job->info.status;
    atomic_store(&session->counters.rows_read, status->rows_in);
    atomic_store(&session->counters.rows_written, status->rows_out);
    atomic_store(&session->counters.commits, status->checkpoints);
}

/* Until it has ended. Somebody who cancels gets a last checkpoint, where there is a state folder to go on from. */
static int await(weir_session *session, weir_session_job *job, weir_error *err)
{
    bool cancelled = false;
    while (!weir_job_wait(job->job, LOOK_INTERVAL_MS)) {
        weir_session_job_refresh(job);
        note_progress(session, job);
        if (!cancelled && weir_stop_is_raised(&session->stop)) {
            cancelled = true;
            weir_job_stop(job->job, job->has_place ? WEIR_JOB_STOP_CHECKPOINT : WEIR_JOB_STOP_NOW, 0);
        }
    }
    weir_session_job_settle(job);
    const weir_sink_summary *written = &job->info.written;
    if (job->info.status.phase == WEIR_JOB_STOPPED) {
        return weir_fail(err, WEIR_CANCELLED, "cancelled");
    }
    if (job->info.status.phase != WEIR_JOB_FAILED) {
        return WEIR_OK;
    }
    *err = job->err;
    if (written->commits > 0) {
        (void)(weir_error_context)(err, err->code, "after %" PRId64 " rows in %" PRId64 " commits, which stand",
                                   written->rows, written->commits);
    }
    return (int)err->code;
}

static weir_result *changes_result(const weir_session_job *job, int64_t elapsed_ns)
{
    weir_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_result_init(result, WEIR_RESULT_CHANGES);
    result->message = weir_arena_strdup(&result->arena, job->info.what);
    result->changes = (weir_change_summary){
        .rows = job->info.written.rows,
        .commits = job->info.written.commits,
        .last_snapshot = job->info.written.last_snapshot,
        .files = job->info.written.files,
        .elapsed_ns = elapsed_ns,
    };
    return result;
}

static weir_result *job_result(const weir_session_job *job, bool says_interval)
{
    weir_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_result_init(result, WEIR_RESULT_JOB);
    result->message = weir_arena_format(
        &result->arena, "%s: job %d '%s' %s%s", job->info.what, (int)job->info.number, job->info.name,
        job->place.is_resumed ? "goes on" : "runs",
        says_interval ? "; it commits every second (SET 'execution.checkpointing.interval' changes that)" : "");
    return result;
}

/* It runs beside what follows. */
static void let_run(weir_session *session, weir_session_job *job, weir_result **out)
{
    bool says_interval =
        !session->said_interval && !weir_settings_has(&session->settings, "execution.checkpointing.interval");
    session->said_interval |= says_interval;
    *out = job_result(job, says_interval);
    weir_job_log(session, "job %d '%s' %s", (int)job->info.number, job->info.name,
                 job->place.is_resumed ? "goes on" : "runs");
    weir_jobs_add(&session->jobs, job);
}

/* A job whose query has changed can't go on. */
static int start_job(const weir_session *session, weir_session_job *job, weir_error *err)
{
    int code = weir_job_start(job->job, err);
    if (code == WEIR_INVALID && job->place.is_resumed) {
        return (weir_error_context)(err, code,
                                    "job '%s' can't go on from its state in '%s'; put back what has changed, or give "
                                    "--fresh to begin anew",
                                    job->info.name, session->state->path);
    }
    return code;
}

int weir_session_run_job(weir_session *session, const weir_ast_statement *statement, weir_ast_insert *const *inserts,
                         int32_t count, weir_result **out, weir_error *err)
{
    weir_session_job *job = weir_alloc_zeroed(1, sizeof *job);
    int64_t start = weir_monotonic_ns();
    int code;
    weir_arena_init(&job->arena);
    session->streams = true;
    WEIR_GO(build(job, session, statement, inserts, count, err));
    WEIR_GO(start_job(session, job, err));
    if (!weir_job_is_bounded(job->job)) {
        job->info.number = weir_session_job_count(session) + 1;
        let_run(session, job, out);
        return WEIR_OK;
    }
    WEIR_GO(await(session, job, err));
    *out = changes_result(job, weir_monotonic_ns() - start);
done:
    weir_session_job_free(job);
    return code;
}
