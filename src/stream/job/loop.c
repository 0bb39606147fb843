/* What a job's thread does: it asks the sources in turn, a batch each, and never waits for one of them; between batches
 * it makes checkpoints, and sleeps when nobody has anything. */
#include "stream/job/job_internal.h"

enum {
    TICK_MS = 100,           /* how often operators see the clock */
    LONGEST_NAP_MS = 4,      /* of sources that may have something at any moment */
    POSITION_CHECK_MS = 1000 /* how often silent sources are asked whether they have moved */
};

/* --- What others ask for --------------------------------------------------------------------------------------- */

typedef struct wish {
    bool woken;
    bool stop;
    weir_job_stop_kind kind;
    int64_t idle_ms;
} wish;

static wish read_wish(weir_job *job)
{
    pthread_mutex_lock(&job->mutex);
    wish asked = {job->woken, job->stop_asked, job->stop_kind, job->stop_idle_ms};
    job->woken = false;
    pthread_mutex_unlock(&job->mutex);
    return asked;
}

static bool wants(const wish *asked, weir_job_stop_kind kind) { return asked->stop && asked->kind == kind; }

/* --- Status ---------------------------------------------------------------------------------------------------- */

static int64_t lag_of(const weir_graph_source *source)
{
    return source->ended || source->source->lag_ms == NULL ? -1 : source->source->lag_ms(source->source);
}

static void publish(weir_job *job, int64_t rows_ms)
{
    int64_t lag_ms = -1;
    int64_t watermark = INT64_MAX;
    int64_t rows_out = 0;
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        const weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        const weir_operator *end = weir_graph_end(job->inserts[i].graph);
        for (int32_t j = 0; j < count; j++) {
            int64_t lag = lag_of(&sources[j]);
            lag_ms = lag > lag_ms ? lag : lag_ms;
        }
        watermark = end->input_watermarks[0] < watermark ? end->input_watermarks[0] : watermark;
        rows_out += end->rows_out;
    }
    int64_t memory = weir_state_backend_memory(job->state);
    pthread_mutex_lock(&job->mutex);
    job->status.rows_in = job->rows_in;
    job->status.rows_out = rows_out;
    job->status.lag_ms = lag_ms;
    job->status.watermark = watermark;
    job->status.state_memory_bytes = memory;
    job->rows_ms = rows_ms;
    pthread_mutex_unlock(&job->mutex);
}

/* --- Checkpoints between batches ------------------------------------------------------------------------------- */

static bool is_full(const weir_job *job)
{
    bool full = weir_state_backend_is_full(job->state) ||
                (job->options.checkpoint_rows > 0 && job->rows_since_checkpoint >= job->options.checkpoint_rows);
    for (int32_t i = 0; i < job->insert_count && !full; i++) {
        weir_stream_sink *sink = weir_graph_sink(job->inserts[i].graph);
        full = sink->is_full != NULL && sink->is_full(sink);
    }
    return full;
}

/* Sources may move on without giving rows, past snapshots that changed nothing. */
static int note_silent_moves(weir_job *job, int64_t now, weir_error *err)
{
    if (job->moved || now < job->next_position_check_ms) {
        return WEIR_OK;
    }
    weir_buffer positions = {0};
    int code = weir_job_positions(job, &positions, err);
    job->moved = !weir_slice_equal(weir_buffer_slice(&positions), weir_buffer_slice(&job->positions));
    job->next_position_check_ms = now + POSITION_CHECK_MS;
    weir_buffer_free(&positions);
    return code;
}

static int checkpoint_if_due(weir_job *job, int64_t now, weir_error *err)
{
    bool due = job->options.checkpoint_interval_ms >= 0 && now >= job->next_checkpoint_ms;
    if (due) {
        WEIR_TRY(note_silent_moves(job, now, err));
    }
    return job->moved && (due || is_full(job)) ? weir_job_checkpoint(job, false, err) : WEIR_OK;
}

/* --- Sources --------------------------------------------------------------------------------------------------- */

static int set_idle(const weir_job *job, weir_graph_source *source, int64_t now, weir_error *err)
{
    int64_t timeout = job->options.source_idle_timeout_ms;
    bool idle = timeout > 0 && now - source->last_rows_ms >= timeout;
    if (idle == source->idle || source->output.to == NULL) {
        return WEIR_OK;
    }
    source->idle = idle;
    return weir_operator_watermark(source->output.to, source->output.input,
                                   idle ? WEIR_WATERMARK_IDLE : WEIR_WATERMARK_ACTIVE, err);
}

static int end_source(weir_job *job, weir_graph_source *source, weir_error *err)
{
    source->ended = true;
    job->moved = true;
    if (source->idle) {
        source->idle = false;
        WEIR_TRY(weir_operator_watermark(source->output.to, source->output.input, WEIR_WATERMARK_ACTIVE, err));
    }
    return weir_operator_watermark(source->output.to, source->output.input, WEIR_WATERMARK_END, err);
}

static int take_batch(weir_job *job, weir_graph_source *source, int64_t now, weir_error *err)
{
    job->moved = true;
    job->rows_in += source->batch.length;
    job->rows_since_checkpoint += source->batch.length;
    if (source->batch.length == 0) {
        return WEIR_OK;
    }
    source->last_rows_ms = now;
    job->first_rows_ms = job->first_rows_ms < 0 ? now : job->first_rows_ms;
    WEIR_TRY(set_idle(job, source, now, err));
    return weir_operator_process(source->output.to, source->output.input, &source->batch, err);
}

/* Asks one source. *gave: it had something, or has ended. */
static int ask(weir_job *job, weir_graph_source *source, int64_t now, bool *gave, weir_error *err)
{
    int code = source->source->next(source->source, &source->batch, err);
    if (code == WEIR_IDLE) {
        source->next_poll_ms = now + source->source->poll_interval_ms;
        return set_idle(job, source, now, err);
    }
    *gave = true;
    if (code == WEIR_END) {
        return end_source(job, source, err);
    }
    return code != WEIR_OK ? code : take_batch(job, source, now, err);
}

/* What a turn over all sources has found. */
typedef struct turn {
    bool gave;            /* some source had something */
    bool waiting;         /* some source is about to have something */
    bool ended;           /* all have ended */
    int64_t next_poll_ms; /* when the next one wants to be asked */
} turn;

/* A source whose job is to stop when it is idle is asked in time for that. */
static bool is_due(const weir_graph_source *source, const wish *asked, int64_t now)
{
    bool hurried = wants(asked, WEIR_JOB_STOP_WHEN_IDLE) &&
                   now >= source->next_poll_ms - source->source->poll_interval_ms + asked->idle_ms / 2;
    return asked->woken || hurried || now >= source->next_poll_ms;
}

static int ask_all(weir_job *job, const wish *asked, turn *out, weir_error *err)
{
    *out = (turn){.ended = true, .next_poll_ms = INT64_MAX};
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        for (int32_t j = 0; j < count; j++) {
            int64_t now = weir_job_now();
            if (!sources[j].ended && is_due(&sources[j], asked, now)) {
                weir_state_backend_set_time(job->state, weir_now_ms());
                int code = ask(job, &sources[j], now, &out->gave, err);
                if (code != WEIR_OK) {
                    return weir_job_insert_fail(&job->inserts[i], code, err);
                }
                WEIR_TRY(checkpoint_if_due(job, now, err));
            }
            if (!sources[j].ended) {
                out->ended = false;
                out->waiting = out->waiting || sources[j].source->is_waiting;
                out->next_poll_ms =
                    sources[j].next_poll_ms < out->next_poll_ms ? sources[j].next_poll_ms : out->next_poll_ms;
            }
        }
    }
    return WEIR_OK;
}

static int tick_all(weir_job *job, int64_t now, weir_error *err)
{
    if (now < job->next_tick_ms) {
        return WEIR_OK;
    }
    int64_t rows_out = 0;
    int64_t rows_before = 0;
    job->next_tick_ms = now + TICK_MS;
    weir_state_backend_set_time(job->state, weir_now_ms());
    for (int32_t i = 0; i < job->insert_count; i++) {
        const weir_operator *end = weir_graph_end(job->inserts[i].graph);
        rows_before += end->rows_out;
        int code = weir_graph_tick(job->inserts[i].graph, weir_now_ms(), err);
        if (code != WEIR_OK) {
            return weir_job_insert_fail(&job->inserts[i], code, err);
        }
        rows_out += end->rows_out;
    }
    job->moved = job->moved || rows_out > rows_before;
    return WEIR_OK;
}

static int end_all(weir_job *job, weir_error *err)
{
    for (int32_t i = 0; i < job->insert_count; i++) {
        int32_t count;
        weir_graph_source *sources = weir_graph_sources(job->inserts[i].graph, &count);
        for (int32_t j = 0; j < count; j++) {
            int code = sources[j].ended ? WEIR_OK : end_source(job, &sources[j], err);
            if (code != WEIR_OK) {
                return weir_job_insert_fail(&job->inserts[i], code, err);
            }
        }
    }
    return WEIR_OK;
}

/* --- The loop -------------------------------------------------------------------------------------------------- */

/* Until the next source wants to be asked, a checkpoint or a tick is due, or somebody asks for the end. */
static void sleep_until_due(weir_job *job, const turn *last, const wish *asked, int64_t *nap_ms)
{
    int64_t now = weir_job_now();
    int64_t until = now + *nap_ms;
    *nap_ms = *nap_ms * 2 < LONGEST_NAP_MS ? *nap_ms * 2 : LONGEST_NAP_MS;
    if (last->next_poll_ms > until && !wants(asked, WEIR_JOB_STOP_WHEN_IDLE)) {
        until = last->next_poll_ms < job->next_tick_ms ? last->next_poll_ms : job->next_tick_ms;
        if (job->moved && job->options.checkpoint_interval_ms >= 0 && job->next_checkpoint_ms < until) {
            until = job->next_checkpoint_ms;
        }
    }
    struct timespec at = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    pthread_mutex_lock(&job->mutex);
    bool same = job->stop_asked == asked->stop && job->stop_kind == asked->kind;
    if (same && !job->woken && until > now) {
        pthread_cond_timedwait(&job->changed, &job->mutex, &at);
    }
    pthread_mutex_unlock(&job->mutex);
}

static bool is_idle_for(int64_t rows_ms, int64_t now, const wish *asked)
{
    return wants(asked, WEIR_JOB_STOP_WHEN_IDLE) && now - rows_ms >= asked->idle_ms;
}

int weir_job_run(weir_job *job, weir_job_phase *out_phase, weir_error *err)
{
    int64_t rows_ms = weir_job_now();
    int64_t nap_ms = 1;
    job->next_checkpoint_ms = rows_ms + job->options.checkpoint_interval_ms;
    for (;;) {
        wish asked = read_wish(job);
        turn last;
        *out_phase = WEIR_JOB_STOPPED;
        if (wants(&asked, WEIR_JOB_STOP_NOW)) {
            return WEIR_OK;
        }
        if (wants(&asked, WEIR_JOB_STOP_CHECKPOINT)) {
            return weir_job_checkpoint(job, true, err);
        }
        if (wants(&asked, WEIR_JOB_STOP_DRAIN)) {
            WEIR_TRY(end_all(job, err));
            return weir_job_checkpoint(job, true, err);
        }
        WEIR_TRY(ask_all(job, &asked, &last, err));
        int64_t now = weir_job_now();
        WEIR_TRY(tick_all(job, now, err));
        rows_ms = last.gave || last.waiting ? now : rows_ms;
        publish(job, rows_ms);
        if (last.ended) {
            *out_phase = WEIR_JOB_FINISHED;
            return weir_job_checkpoint(job, true, err);
        }
        if (is_idle_for(rows_ms, now, &asked)) {
            return weir_job_checkpoint(job, true, err);
        }
        if (last.gave) {
            nap_ms = 1;
        } else {
            WEIR_TRY(checkpoint_if_due(job, now, err));
            sleep_until_due(job, &last, &asked, &nap_ms);
        }
    }
}
