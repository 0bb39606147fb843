/* Checkpoints, in the steps that job.h numbers, and what follows from them after a crash.
 *
 * In the state backend, besides the operators' state: "plan" (the words of all INSERTs), "source/<uid>" (positions),
 * "sink/<number>" (what a sink prepared for this checkpoint). */
#include "stream/job/job_internal.h"

/* --- Names and words ------------------------------------------------------------------------------------------- */

static const char *sink_name(char name[32], int32_t number)
{
    snprintf(name, 32, "sink/%d", number);
    return name;
}

static const char *source_name(char name[64], const weir_graph_source *source)
{
    snprintf(name, 64, "source/%s", source->uid);
    return name;
}

static void describe_all(const weir_job *job, weir_buffer *out)
{
    for (int32_t i = 0; i < job->insert_count; i++) {
        const weir_job_insert *insert = &job->inserts[i];
        weir_graph_describe(insert->bound, weir_graph_keeps_sink_rows(insert->graph), out);
        weir_graph_describe_sink(insert->graph, out);
    }
}

int weir_job_insert_fail(const weir_job_insert *insert, int code, weir_error *err)
{
    const weir_sql_table *table = insert->bound->sink; /* NULL: a query's */
    return table == NULL
               ? code
               : weir_error_context(err, code, "INSERT INTO %s.%s.%s", table->catalog, table->database, table->name);
}

/* Whether a sink has something to do with the next checkpoint though no row comes. */
static bool sinks_await(const weir_job *job)
{
    bool any = false;
    for (int32_t i = 0; i < job->insert_count; i++) {
        weir_stream_sink *sink = weir_graph_sink(job->inserts[i].graph);
        any |= sink->awaits != NULL && sink->awaits(sink);
    }
    return any;
}

/* --- Steps 1 to 3 ---------------------------------------------------------------------------------------------- */

static int prepare(weir_job *job, int64_t id, bool last, weir_error *err)
{
    char name[32];
    for (int32_t i = 0; i < job->insert_count; i++) {
        weir_job_insert *insert = &job->inserts[i];
        weir_stream_sink *sink = weir_graph_sink(insert->graph);
        weir_buffer_clear(&insert->prepared);
        int code = weir_graph_barrier(insert->graph, err);
        sink->watermark = weir_graph_end(insert->graph)->input_watermarks[0];
        if (code == WEIR_OK) {
            code = sink->prepare(sink, id, last, &insert->prepared, err);
        }
        if (code != WEIR_OK) {
            return weir_job_insert_fail(insert, code, err);
        }
        if (insert->prepared.size == 0) {
            weir_state_backend_remove(job->state, sink_name(name, i));
        } else {
            WEIR_TRY(weir_state_backend_put(job->state, sink_name(name, i), weir_buffer_slice(&insert->prepared), err));
        }
    }
    return WEIR_OK;
}

/* Calls `visit` for each source with its position, a piece of job->positions. */
typedef int (*position_visitor)(weir_job *job, weir_graph_source *source, weir_slice position, weir_error *err);

static int visit_positions(weir_job *job, weir_buffer *positions, position_visitor visit, weir_error *err)
{
    const uint8_t *at = positions->data;
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        for (int32_t j = 0; j < count; j++) {
            weir_slice position = weir_slice_of(at + 4, weir_load_le32(at));
            WEIR_TRY(visit(job, &sources[j], position, err));
            at += 4 + position.size;
        }
    }
    return WEIR_OK;
}

static int append_position(weir_stream_source *source, weir_buffer *out, weir_error *err)
{
    size_t start = out->size;
    weir_buffer_append_zeros(out, 4);
    WEIR_TRY(source->position(source, out, err));
    weir_store_le32(out->data + start, (uint32_t)(out->size - start - 4));
    return WEIR_OK;
}

int weir_job_positions(weir_job *job, weir_buffer *out, weir_error *err)
{
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        for (int32_t j = 0; j < count; j++) {
            int code = append_position(sources[j].source, out, err);
            if (code != WEIR_OK) {
                return weir_job_insert_fail(&job->inserts[i], code, err);
            }
        }
    }
    return WEIR_OK;
}

static int put_position(weir_job *job, weir_graph_source *source, weir_slice position, weir_error *err)
{
    char name[64];
    return weir_state_backend_put(job->state, source_name(name, source), position, err);
}

static int tell_source(weir_job *job, weir_graph_source *source, weir_slice position, weir_error *err)
{
    (void)job;
    return source->source->committed == NULL ? WEIR_OK : source->source->committed(source->source, position, err);
}

static int commit(weir_job *job, int64_t id, weir_error *err)
{
    bool any = false;
    for (int32_t i = 0; i < job->insert_count; i++) {
        weir_job_insert *insert = &job->inserts[i];
        weir_stream_sink *sink = weir_graph_sink(insert->graph);
        if (insert->prepared.size > 0) {
            any = true;
            int code = sink->commit(sink, id, weir_buffer_slice(&insert->prepared), err);
            if (code != WEIR_OK) {
                return weir_job_insert_fail(insert, code, err);
            }
        }
    }
    if (any && job->options.on_commit != NULL) {
        job->options.on_commit(job->options.owner, job);
    }
    return WEIR_OK;
}

int weir_job_checkpoint(weir_job *job, bool last, weir_error *err)
{
    int64_t id = weir_state_backend_last_checkpoint(job->state) + 1;
    int64_t started = weir_job_now();
    WEIR_TRY(prepare(job, id, last, err));
    weir_buffer_clear(&job->positions);
    WEIR_TRY(weir_job_positions(job, &job->positions, err));
    WEIR_TRY(visit_positions(job, &job->positions, put_position, err));
    WEIR_TRY(weir_state_backend_checkpoint(job->state, id, err));
    WEIR_TRY(commit(job, id, err));
    WEIR_TRY(visit_positions(job, &job->positions, tell_source, err));
    int64_t now = weir_job_now();
    int64_t disk_bytes = weir_state_backend_disk_bytes(job->state);
    if (job->first_rows_ms >= 0) {
        weir_latencies_note(&job->latencies, now - job->first_rows_ms);
        job->first_rows_ms = -1;
    }
    int64_t latency_ms = weir_latencies_median(&job->latencies);
    pthread_mutex_lock(&job->mutex);
    job->status.checkpoints++;
    job->status.last_checkpoint = id;
    job->status.checkpoint_ms = now - started;
    job->status.latency_ms = latency_ms;
    job->status.state_disk_bytes = disk_bytes;
    job->changed_ms = now;
    pthread_mutex_unlock(&job->mutex);
    job->moved = sinks_await(job);
    job->rows_since_checkpoint = 0;
    /* Where a checkpoint takes longer than the interval, half of the time is left for rows. */
    int64_t by_interval = started + job->options.checkpoint_interval_ms;
    int64_t by_length = now + (now - started);
    job->next_checkpoint_ms = by_interval > by_length ? by_interval : by_length;
    return WEIR_OK;
}

/* --- Recovery -------------------------------------------------------------------------------------------------- */

static int recover_sinks(weir_job *job, int64_t id, weir_error *err)
{
    char name[32];
    for (int32_t i = 0; i < job->insert_count; i++) {
        weir_job_insert *insert = &job->inserts[i];
        weir_stream_sink *sink = weir_graph_sink(insert->graph);
        weir_buffer_clear(&insert->prepared);
        int code = weir_state_backend_get(job->state, sink_name(name, i), &insert->prepared, err);
        if (code == WEIR_OK || code == WEIR_NOT_FOUND) {
            code = sink->recover(sink, id, weir_buffer_slice(&insert->prepared), err);
        }
        if (code != WEIR_OK) {
            return weir_job_insert_fail(insert, code, err);
        }
    }
    job->moved = sinks_await(job);
    return WEIR_OK;
}

static int restore_source(weir_job *job, weir_graph_source *source, weir_buffer *position, weir_error *err)
{
    char name[64];
    weir_buffer_clear(position);
    int code = weir_state_backend_get(job->state, source_name(name, source), position, err);
    if (code == WEIR_NOT_FOUND) {
        return weir_fail(err, WEIR_CORRUPT, "the state has no position for %s", source->source->description);
    }
    return code != WEIR_OK ? code : source->source->restore(source->source, weir_buffer_slice(position), err);
}

static int restore_sources(weir_job *job, weir_error *err)
{
    weir_buffer position = {0};
    int code = WEIR_OK;
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        for (int32_t j = 0; j < count && code == WEIR_OK; j++) {
            code = restore_source(job, &sources[j], &position, err);
        }
        if (code != WEIR_OK) {
            weir_job_insert_fail(&job->inserts[i], code, err);
            break;
        }
    }
    weir_buffer_free(&position);
    return code;
}

/* The plan's words must be those that are stored. */
static int check_plan(weir_job *job, weir_error *err)
{
    weir_buffer words = {0};
    weir_buffer stored = {0};
    describe_all(job, &words);
    int code = weir_state_backend_get(job->state, "plan", &stored, err);
    if (code == WEIR_NOT_FOUND) {
        code = weir_state_backend_put(job->state, "plan", weir_buffer_slice(&words), err);
    } else if (code == WEIR_OK && !weir_slice_equal(weir_buffer_slice(&words), weir_buffer_slice(&stored))) {
        code = weir_job_fail_changed(weir_buffer_text(&stored), weir_buffer_text(&words), err);
    }
    weir_buffer_free(&words);
    weir_buffer_free(&stored);
    return code;
}

int weir_job_recover(weir_job *job, weir_error *err)
{
    int64_t id = weir_state_backend_last_checkpoint(job->state);
    WEIR_TRY(check_plan(job, err));
    job->status.last_checkpoint = id;
    job->status.resumed = id > 0;
    if (id > 0) {
        WEIR_TRY(recover_sinks(job, id, err));
        WEIR_TRY(restore_sources(job, err));
    }
    return weir_job_positions(job, &job->positions, err);
}
