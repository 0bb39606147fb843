/* SELECT in streaming mode: a job that nobody else sees, whose rows are pulled. */
#include <stdlib.h>

#include "base/text.h"
#include "session/job/collector.h"
#include "session/job/jobs.h"

#define WAIT_MS 20 /* between looks at whether somebody has cancelled */

typedef struct stream_result {
    weir_result base; /* first */
    weir_session *session;
    weir_session_job *job;
    weir_collector *collector;
    weir_table_view *view; /* NULL: changes are shown */
    bool is_through;       /* all rows are in the view */
    int64_t rows_left;     /* of a LIMIT over rows that stay; -1: as many as come */
    weir_batch batch;
} stream_result;

/* ---- pulling ---- */

/* The next batch of changes; WEIR_END after the last one. */
static int take(stream_result *self, weir_error *err)
{
    for (;;) {
        WEIR_TRY(weir_session_check_cancelled(self->session, err));
        if (weir_collector_take(self->collector, WAIT_MS, &self->batch)) {
            return WEIR_OK;
        }
        weir_session_job_refresh(self->job);
        atomic_store(&self->session->counters.rows_read, self->job->info.status.rows_in);
        if (self->job->info.status.phase < WEIR_JOB_FINISHED) {
            continue;
        }
        if (weir_collector_take(self->collector, 0, &self->batch)) { /* it came between the two looks */
            return WEIR_OK;
        }
        if (self->job->info.status.phase == WEIR_JOB_FAILED) {
            *err = weir_job_error(self->job->job);
            return (int)err->code;
        }
        return WEIR_END;
    }
}

static int fill_view(stream_result *self, weir_error *err)
{
    int code;
    while ((code = take(self, err)) == WEIR_OK) {
        WEIR_TRY(weir_table_view_apply(self->view, &self->batch, err));
        if ((int64_t)weir_table_view_memory(self->view) > self->session->memory.tables.limit_bytes) {
            return weir_fail(err, WEIR_NO_MEMORY,
                             "the rows of the result do not fit into memory; see them as they come with SET "
                             "'sql-client.execution.result-mode' = 'changelog', or give more with --memory");
        }
    }
    self->is_through = code == WEIR_END;
    return code == WEIR_END ? WEIR_OK : code;
}

static int next_final(weir_result *base, weir_batch *out, weir_error *err)
{
    stream_result *self = (stream_result *)base;
    if (!self->is_through) {
        WEIR_TRY(fill_view(self, err));
    }
    return weir_table_view_next(self->view, out, err);
}

static int append_kinds(const weir_batch *from, weir_vector *out, weir_error *err)
{
    for (int64_t i = 0; i < from->length; i++) {
        WEIR_TRY(weir_vector_append_raw(out, weir_row_kind_text(weir_batch_kind(from, i)), 2, err));
    }
    return WEIR_OK;
}

static int next_changes(weir_result *base, weir_batch *out, weir_error *err)
{
    stream_result *self = (stream_result *)base;
    weir_batch_clear(out);
    if (self->rows_left == 0) {
        return WEIR_END;
    }
    WEIR_TRY(take(self, err));
    WEIR_TRY(append_kinds(&self->batch, &out->columns[0], err));
    for (int32_t i = 0; i < self->batch.column_count; i++) {
        weir_vector column = out->columns[i + 1];
        out->columns[i + 1] = self->batch.columns[i];
        self->batch.columns[i] = column;
    }
    out->length = self->batch.length;
    self->rows_left -= self->rows_left > 0 ? self->batch.length : 0;
    return WEIR_OK;
}

static void close_result(weir_result *base)
{
    stream_result *self = (stream_result *)base;
    if (self->collector != NULL) {
        weir_collector_leave(self->collector);
    }
    weir_session_job_free(self->job);
    weir_collector_free(self->collector);
    weir_table_view_free(self->view);
    weir_batch_free(&self->batch);
}

/* ---- starting ---- */

/* The kind of each change comes before its columns. */
static void set_fields(stream_result *self, const weir_plan *plan, bool with_kinds)
{
    int32_t count = plan->field_count;
    weir_field *fields = WEIR_NEW_ARRAY(&self->base.arena, weir_field, count + 1);
    fields[0] = (weir_field){.name = "op", .type = weir_type_simple(WEIR_VARCHAR, false)};
    memcpy(fields + 1, plan->fields, sizeof *fields * (size_t)count);
    self->base.fields = with_kinds ? fields : fields + 1;
    self->base.field_count = with_kinds ? count + 1 : count;
    weir_batch_init(&self->batch, fields + 1, count);
}

/* Rows that stay need no more than the LIMIT says; others may still be replaced. */
static int64_t rows_wanted(const weir_plan *plan)
{
    weir_arena arena;
    const weir_stream_traits *traits = NULL;
    int64_t wanted = -1;
    weir_arena_init(&arena);
    if (plan->kind == WEIR_PLAN_SORT && plan->sort_key_count == 0 && plan->limit >= 0 &&
        weir_stream_traits_of(plan->inputs[0], &arena, &traits, NULL) == WEIR_OK && !traits->updates &&
        !traits->deletes) {
        wanted = plan->limit;
    }
    weir_arena_free(&arena);
    return wanted;
}

static int bind(stream_result *self, const weir_ast_query *query, weir_error *err)
{
    weir_session_resolver resolver;
    weir_session_job *job = self->job;
    weir_bind_context context = weir_session_bind_context(self->session, &resolver);
    job->bounds = WEIR_NEW_ARRAY(&job->arena, weir_bound *, 1);
    WEIR_TRY(weir_bind_query(&context, query, &job->bounds[0], err));
    job->bound_count = 1;
    weir_bound_number_names(job->bounds[0]);
    self->base.time_zone = weir_arena_strdup(&self->base.arena, job->bounds[0]->time_zone);
    return WEIR_OK;
}

static int start(stream_result *self, const weir_ast_query *query, weir_error *err)
{
    weir_session_job *job = self->job;
    WEIR_TRY(bind(self, query, err));
    const weir_plan *plan = job->bounds[0]->plan;
    job->info.name = "SELECT";
    weir_job_options options = weir_session_job_options(job, self->session);
    WEIR_TRY(weir_session_stream_engine(self->session, &options.engine, err));
    options.on_commit = NULL;
    WEIR_TRY(weir_job_create(&options, &job->job, err));
    self->collector = weir_collector_create(plan->fields, plan->field_count);
    WEIR_TRY(weir_job_add(job->job, job->bounds[0], weir_collector_sink(self->collector), err));
    const char *mode = weir_session_setting(self->session, "sql-client.execution.result-mode");
    bool with_kinds = !weir_text_equal_ignore_case(mode, "table") || !weir_job_is_bounded(job->job);
    set_fields(self, plan, with_kinds);
    self->rows_left = rows_wanted(plan);
    self->base.comes_slowly = with_kinds;
    self->base.next = with_kinds ? next_changes : next_final;
    self->view = with_kinds ? NULL : weir_table_view_create(plan->fields, plan->field_count);
    return weir_job_start(job->job, err);
}

int weir_session_stream_query(weir_session *session, const weir_ast_query *query, weir_result **out, weir_error *err)
{
    stream_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_result_init(&result->base, WEIR_RESULT_ROWS);
    result->base.close = close_result;
    result->session = session;
    result->job = weir_alloc_zeroed(1, sizeof *result->job);
    weir_arena_init(&result->job->arena);
    session->streams = true;
    int code = start(result, query, err);
    if (code != WEIR_OK) {
        weir_result_free(&result->base);
        return code;
    }
    *out = &result->base;
    return WEIR_OK;
}
