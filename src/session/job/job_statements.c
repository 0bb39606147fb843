/* SHOW JOBS, DESCRIBE JOB and STOP JOB: Flink's columns, and more in DESCRIBE JOB. */
#include "session/job/job_log.h"
#include "session/job/jobs.h"

#define LOOK_INTERVAL_MS 20

static const weir_type time_type = {.id = WEIR_TIMESTAMP_LTZ, .precision = 3};
static const weir_type time_type_null = {.id = WEIR_TIMESTAMP_LTZ, .nullable = true, .precision = 3};

typedef enum job_column {
    COLUMN_ID,
    COLUMN_NAME,
    COLUMN_STATUS,
    COLUMN_START,
    SHOWN_COLUMNS, /* SHOW JOBS ends here */
    COLUMN_STATEMENT = SHOWN_COLUMNS,
    COLUMN_ROWS_IN,
    COLUMN_ROWS_OUT,
    COLUMN_LATE_ROWS,
    COLUMN_CHECKPOINTS,
    COLUMN_LAST_CHECKPOINT,
    COLUMN_CHECKPOINT_AGE,
    COLUMN_CHECKPOINT_TIME,
    COLUMN_STATE_MEMORY,
    COLUMN_STATE_DISK,
    COLUMN_LAG,
    COLUMN_WATERMARK,
    COLUMN_ERROR,
    COLUMN_COUNT
} job_column;

static weir_memory_result *create_result(int32_t count)
{
    static const char *const names[COLUMN_COUNT] = {
        "job id",          "job name",           "status",                 "start time",
        "statement",       "rows in",            "rows out",               "late rows",
        "checkpoints",     "last checkpoint",    "ms since checkpoint",    "ms of last checkpoint",
        "state in memory", "state on disk",      "lag in ms",              "watermark",
        "error"};
    weir_field fields[COLUMN_COUNT] = {{0}};
    for (int32_t i = 0; i < COLUMN_COUNT; i++) {
        bool is_text = i < COLUMN_START || i == COLUMN_STATEMENT || i == COLUMN_ERROR;
        fields[i] = (weir_field){.id = i, .name = names[i]};
        fields[i].type = i == COLUMN_START       ? &time_type
                         : i == COLUMN_WATERMARK ? &time_type_null
                                                 : weir_type_simple(is_text ? WEIR_VARCHAR : WEIR_BIGINT, true);
    }
    return weir_memory_result_create(fields, count);
}

static int append_text(weir_batch *batch, job_column column, const char *text, weir_error *err)
{
    return text == NULL ? weir_vector_append_nulls(&batch->columns[column], 1, err)
                        : weir_vector_append_raw(&batch->columns[column], text, strlen(text), err);
}

static int append_number(weir_batch *batch, job_column column, int64_t value, bool is_known, weir_error *err)
{
    return is_known ? weir_vector_append_raw(&batch->columns[column], &value, sizeof value, err)
                    : weir_vector_append_nulls(&batch->columns[column], 1, err);
}

static int append_shown(weir_batch *batch, const weir_job_info *info, weir_error *err)
{
    WEIR_TRY(append_text(batch, COLUMN_ID, info->id, err));
    WEIR_TRY(append_text(batch, COLUMN_NAME, info->name, err));
    WEIR_TRY(append_text(batch, COLUMN_STATUS, weir_job_phase_text(info->status.phase), err));
    WEIR_TRY(append_number(batch, COLUMN_START, info->status.started_ms, true, err));
    batch->length++;
    return WEIR_OK;
}

static int append_described(weir_batch *batch, const weir_job_info *info, const weir_error *failure, weir_error *err)
{
    const weir_job_status *status = &info->status;
    bool has_watermark = status->watermark != WEIR_WATERMARK_NONE && status->watermark != WEIR_WATERMARK_END;
    WEIR_TRY(append_text(batch, COLUMN_STATEMENT, info->what, err));
    WEIR_TRY(append_number(batch, COLUMN_ROWS_IN, status->rows_in, true, err));
    WEIR_TRY(append_number(batch, COLUMN_ROWS_OUT, status->rows_out, true, err));
    WEIR_TRY(append_number(batch, COLUMN_LATE_ROWS, status->late_rows, true, err));
    WEIR_TRY(append_number(batch, COLUMN_CHECKPOINTS, status->checkpoints, true, err));
    WEIR_TRY(append_number(batch, COLUMN_LAST_CHECKPOINT, status->last_checkpoint, status->last_checkpoint > 0, err));
    WEIR_TRY(append_number(batch, COLUMN_CHECKPOINT_AGE, status->checkpoint_age_ms, status->checkpoints > 0, err));
    WEIR_TRY(append_number(batch, COLUMN_CHECKPOINT_TIME, status->checkpoint_ms, status->checkpoints > 0, err));
    WEIR_TRY(append_number(batch, COLUMN_STATE_MEMORY, status->state_memory_bytes, true, err));
    WEIR_TRY(append_number(batch, COLUMN_STATE_DISK, status->state_disk_bytes, true, err));
    WEIR_TRY(append_number(batch, COLUMN_LAG, status->lag_ms, status->lag_ms >= 0, err));
    WEIR_TRY(append_number(batch, COLUMN_WATERMARK, status->watermark, has_watermark, err));
    WEIR_TRY(append_text(batch, COLUMN_ERROR, failure->code != WEIR_OK ? failure->message : NULL, err));
    return append_shown(batch, info, err);
}

int weir_session_show_jobs(weir_session *session, weir_result **out, weir_error *err)
{
    weir_memory_result *result = create_result(SHOWN_COLUMNS);
    weir_job_info info;
    int code = WEIR_OK;
    for (int32_t i = 0; code == WEIR_OK && weir_session_job_info(session, i, &info); i++) {
        code = append_shown(&result->batch, &info, err);
    }
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    result->result.time_zone =
        weir_arena_strdup(&result->result.arena, weir_session_setting(session, "table.local-time-zone"));
    *out = &result->result;
    return WEIR_OK;
}

static void refresh(weir_session *session, weir_session_job *job)
{
    pthread_mutex_lock(&session->jobs.mutex);
    weir_session_job_refresh(job);
    pthread_mutex_unlock(&session->jobs.mutex);
}

static int find_job(weir_session *session, const weir_ast_statement *statement, weir_session_job **out,
                    weir_error *err)
{
    *out = weir_jobs_find(&session->jobs, statement->job.id);
    if (*out == NULL) {
        return weir_fail_at(err, WEIR_NOT_FOUND, statement->position.line, statement->position.column,
                            "there is no job '%s'; SHOW JOBS lists them", statement->job.id);
    }
    refresh(session, *out);
    return WEIR_OK;
}

int weir_session_describe_job(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                              weir_error *err)
{
    weir_session_job *job = NULL;
    WEIR_TRY(find_job(session, statement, &job, err));
    weir_error failure = job->err;
    if (job->job != NULL && job->info.status.phase == WEIR_JOB_FAILED) {
        failure = weir_job_error(job->job);
    }
    weir_memory_result *result = create_result(COLUMN_COUNT);
    int code = append_described(&result->batch, &job->info, &failure, err);
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    result->result.time_zone =
        weir_arena_strdup(&result->result.arena, weir_session_setting(session, "table.local-time-zone"));
    *out = &result->result;
    return WEIR_OK;
}

/* Every stop makes a last checkpoint; WITH SAVEPOINT it says where that is. */
static int check_stop(const weir_session_job *job, const weir_ast_statement *statement, weir_error *err)
{
    if (statement->job.with_drain && !statement->job.with_savepoint) {
        return weir_fail_at(err, WEIR_INVALID, statement->position.line, statement->position.column,
                            "WITH DRAIN comes after WITH SAVEPOINT");
    }
    if (statement->job.with_savepoint && !job->has_place) {
        return weir_fail_at(err, WEIR_INVALID, statement->position.line, statement->position.column,
                            "job '%s' has no state that outlives this session: weir run keeps one, beside the script "
                            "or where --state says",
                            job->info.name);
    }
    if (job->info.status.phase >= WEIR_JOB_FINISHED) {
        return weir_fail_at(err, WEIR_INVALID, statement->position.line, statement->position.column,
                            "job '%s' is not running: it is %s", job->info.name,
                            weir_job_phase_text(job->info.status.phase));
    }
    return WEIR_OK;
}

static int await_end(weir_session *session, weir_session_job *job, weir_error *err)
{
    while (!weir_job_wait(job->job, LOOK_INTERVAL_MS)) {
        WEIR_TRY(weir_session_check_cancelled(session, err));
    }
    refresh(session, job);
    if (job->info.status.phase != WEIR_JOB_FAILED) {
        return WEIR_OK;
    }
    *err = weir_job_error(job->job);
    return (int)err->code;
}

static int savepoint_result(const weir_session_job *job, weir_result **out, weir_error *err)
{
    static const char *const names[] = {"savepoint path"};
    weir_memory_result *result = weir_text_result_create(names, 1);
    int code = weir_text_result_add(result, &job->place.folder, err);
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    *out = &result->result;
    return WEIR_OK;
}

int weir_session_stop_job(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                          weir_error *err)
{
    weir_session_job *job = NULL;
    WEIR_TRY(find_job(session, statement, &job, err));
    WEIR_TRY(check_stop(job, statement, err));
    weir_job_stop(job->job, statement->job.with_drain ? WEIR_JOB_STOP_DRAIN : WEIR_JOB_STOP_CHECKPOINT, 0);
    WEIR_TRY(await_end(session, job, err));
    weir_job_log(session, "job %d '%s' was stopped by STOP JOB", (int)job->info.number, job->info.name);
    if (statement->job.with_savepoint) {
        return savepoint_result(job, out, err);
    }
    *out = weir_result_done("Job %d '%s' is stopped", (int)job->info.number, job->info.name);
    return WEIR_OK;
}
