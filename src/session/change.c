/* Rows from a plan into a table, in commits as they go or in a single one.
 *
 * As they go: a commit is made when execution.checkpointing.interval has passed or after weir.commit-rows rows, and one
 * at the end. */
#include "session/change.h"

#include <stdlib.h>

#include "base/clock.h"
#include "session/enforcer.h"
#include "session/row_feed.h"

#define IDLE_SLEEP_MS              5
#define ENDLESS_COMMIT_INTERVAL_MS 1000  /* of input that never ends, where no interval is set */
#define USUAL_BATCH_ROWS           65536 /* of sources; smaller commits need smaller batches */

/* A statement that writes: from where, to where, and when to commit. */
struct weir_change_pump {
    weir_session *session;
    const weir_change *change;
    weir_row_feed *feed;
    weir_row_writer *writer;     /* opened with the first row, so that it sees what was committed before */
    weir_change_summary summary; /* of a writer that is closed */
    weir_enforcer enforcer;
    weir_batch batch;
    bool has_batch;
    int64_t commit_rows;        /* INT64_MAX: at the end only */
    int64_t commit_interval_ms; /* -1: none */
    int64_t committed_rows;
    int64_t start_ns;
    int64_t commit_ns; /* of the last commit */
};

static void note_progress(weir_change_pump *pump)
{
    atomic_store(&pump->session->counters.rows_written, pump->writer->summary.rows);
    atomic_store(&pump->session->counters.commits, pump->writer->summary.commits);
}

static int commit_when_due(weir_change_pump *pump, weir_error *err)
{
    int64_t rows = pump->writer->summary.rows - pump->committed_rows;
    int64_t now = weir_monotonic_ns();
    bool is_late = pump->commit_interval_ms >= 0 && now - pump->commit_ns >= pump->commit_interval_ms * 1000000;
    if (rows == 0 || (rows < pump->commit_rows && !is_late)) {
        return WEIR_OK;
    }
    WEIR_TRY(pump->writer->commit(pump->writer, false, err));
    pump->committed_rows = pump->writer->summary.rows;
    pump->commit_ns = weir_monotonic_ns();
    return WEIR_OK;
}

static void set_kinds(weir_batch *batch, int8_t kind)
{
    weir_batch_reserve_kinds(batch, batch->length);
    memset(batch->kinds, kind, (size_t)batch->length);
}

static int take_batch(weir_change_pump *pump, weir_error *err)
{
    if (pump->change->kind != WEIR_INSERT && pump->batch.length > 0) {
        set_kinds(&pump->batch, pump->change->kind);
    }
    WEIR_TRY(weir_enforcer_apply(&pump->enforcer, &pump->batch, err));
    return pump->writer->write(pump->writer, &pump->batch, err);
}

static int write_all(weir_change_pump *pump, weir_error *err)
{
    for (;;) {
        int code = weir_row_feed_next(pump->feed, &pump->batch, err);
        if (code == WEIR_END) {
            return WEIR_OK;
        }
        if (code == WEIR_IDLE) {
            weir_sleep_ms(IDLE_SLEEP_MS);
        } else {
            WEIR_TRY(code);
            WEIR_TRY(take_batch(pump, err));
        }
        WEIR_TRY(commit_when_due(pump, err));
        note_progress(pump);
    }
}

/* What was committed before stays: the message says so. */
static int add_what_stands(const weir_change_pump *pump, int code, weir_error *err)
{
    if (code == WEIR_OK || pump->committed_rows == 0) {
        return code;
    }
    return weir_error_context(err, code, "after %" PRId64 " rows in %" PRId64 " commits, which stand",
                              pump->committed_rows, pump->writer->summary.commits);
}

static void set_commit_policy(weir_change_pump *pump)
{
    const weir_settings *settings = &pump->session->settings;
    pump->commit_rows = INT64_MAX;
    pump->commit_interval_ms = -1;
    if (!pump->change->one_commit) {
        pump->commit_rows = weir_settings_int(settings, "weir.commit-rows");
        pump->commit_interval_ms = weir_settings_duration_ms(settings, "execution.checkpointing.interval");
        pump->session->batch_rows = pump->commit_rows < USUAL_BATCH_ROWS ? pump->commit_rows : 0;
    }
    pump->start_ns = pump->commit_ns = weir_monotonic_ns();
}

int weir_change_open(weir_session *session, const weir_change *change, weir_change_pump **out, weir_error *err)
{
    weir_change_pump *pump = weir_alloc_zeroed(1, sizeof *pump);
    int32_t count = 0;
    pump->session = session;
    pump->change = change;
    set_commit_policy(pump);
    int code = weir_row_feed_open(session, change->bound, &pump->feed, err);
    if (code != WEIR_OK) {
        weir_change_close(pump);
        return code;
    }
    if (pump->commit_interval_ms < 0 && !weir_row_feed_is_bounded(pump->feed)) {
        pump->commit_interval_ms = ENDLESS_COMMIT_INTERVAL_MS;
    }
    const weir_field *fields = weir_row_feed_fields(pump->feed, &count);
    weir_batch_init(&pump->batch, fields, count);
    weir_enforcer_init(&pump->enforcer, session, change->bound, fields, count);
    pump->has_batch = true;
    *out = pump;
    return WEIR_OK;
}

int weir_change_write(weir_change_pump *pump, weir_error *err)
{
    const weir_change *change = pump->change;
    weir_row_writer_options options = {
        .bound = change->bound,
        .one_commit = change->one_commit,
        .takes_changes = weir_plan_changes_table(change->bound->plan) != NULL || change->kind != WEIR_INSERT,
    };
    WEIR_TRY(weir_row_writer_open(change->table, &options, &pump->writer, err));
    return add_what_stands(pump, write_all(pump, err), err);
}

int weir_change_finish(weir_change_pump *pump, weir_error *err)
{
    int code = pump->writer->commit(pump->writer, true, err);
    WEIR_TRY(add_what_stands(pump, code, err));
    pump->writer->summary.elapsed_ns = weir_monotonic_ns() - pump->start_ns;
    pump->summary = pump->writer->summary;
    pump->writer->close(pump->writer);
    pump->writer = NULL;
    return WEIR_OK;
}

const weir_change_summary *weir_change_summary_of(const weir_change_pump *pump)
{
    return pump->writer != NULL ? &pump->writer->summary : &pump->summary;
}

void weir_change_close(weir_change_pump *pump)
{
    if (pump == NULL) {
        return;
    }
    if (pump->has_batch) {
        weir_batch_free(&pump->batch);
        weir_enforcer_free(&pump->enforcer);
    }
    weir_row_feed_close(pump->feed);
    if (pump->writer != NULL) {
        pump->writer->close(pump->writer);
    }
    free(pump);
}

int weir_change_run(weir_session *session, const weir_change *change, weir_result **out, weir_error *err)
{
    weir_change_pump *pump = NULL;
    int code;
    WEIR_GO(weir_change_open(session, change, &pump, err));
    WEIR_GO(weir_change_write(pump, err));
    WEIR_GO(weir_change_finish(pump, err));
    *out = weir_change_result(change->what, change->table, weir_change_summary_of(pump));
done:
    weir_change_close(pump);
    return code;
}

weir_result *weir_change_result(const char *what, const weir_session_table *table, const weir_change_summary *summary)
{
    weir_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_result_init(result, WEIR_RESULT_CHANGES);
    result->message = weir_arena_format(&result->arena, "%s %s", what, table->base.name);
    result->changes = *summary;
    return result;
}
