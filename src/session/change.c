/* Rows from a plan into a table, in commits as they go or in a single one.
 *
 * As they go: a commit is made when execution.checkpointing.interval has passed or after weir.commit-rows rows, and one
 * at the end. */
#include "session/change.h"

#include "base/clock.h"
#include "session/row_feed.h"

#define IDLE_SLEEP_MS              5
#define ENDLESS_COMMIT_INTERVAL_MS 1000  /* of input that never ends, where no interval is set */
#define USUAL_BATCH_ROWS           65536 /* of sources; smaller commits need smaller batches */

/* A statement that writes: from where, to where, and when to commit. */
typedef struct change_pump {
    weir_session *session;
    const weir_change *change;
    weir_row_feed *feed;
    weir_row_writer *writer;
    weir_batch batch;
    int64_t commit_rows;        /* INT64_MAX: at the end only */
    int64_t commit_interval_ms; /* -1: none */
    int64_t committed_rows;
    int64_t start_ns;
    int64_t commit_ns;   /* of the last commit */
} change_pump;

static void note_progress(change_pump *pump)
{
    atomic_store(&pump->session->counters.rows_written, pump->writer->summary.rows);
    atomic_store(&pump->session->counters.commits, pump->writer->summary.commits);
}

static int commit_when_due(change_pump *pump, weir_error *err)
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

static int run_pump(change_pump *pump, weir_error *err)
{
    for (;;) {
        int code = weir_row_feed_next(pump->feed, &pump->batch, err);
        if (code == WEIR_END) {
            break;
        }
        if (code == WEIR_IDLE) {
            weir_sleep_ms(IDLE_SLEEP_MS);
        } else {
            WEIR_TRY(code);
            if (pump->change->kind != WEIR_INSERT && pump->batch.length > 0) {
                set_kinds(&pump->batch, pump->change->kind);
            }
            WEIR_TRY(pump->writer->write(pump->writer, &pump->batch, err));
        }
        WEIR_TRY(commit_when_due(pump, err));
        note_progress(pump);
    }
    return pump->writer->commit(pump->writer, true, err);
}

/* What was committed before stays: the message says so. */
static int add_what_stands(const change_pump *pump, int code, weir_error *err)
{
    if (code == WEIR_OK || pump->committed_rows == 0) {
        return code;
    }
    return weir_error_context(err, code, "after %" PRId64 " rows in %" PRId64 " commits, which stand",
                              pump->committed_rows, pump->writer->summary.commits);
}

static void set_commit_policy(change_pump *pump)
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

int weir_change_run(weir_session *session, const weir_change *change, weir_result **out, weir_error *err)
{
    change_pump pump = {.session = session, .change = change};
    int32_t count = 0;
    bool has_batch = false;
    int code = WEIR_OK;
    const char *nulls = weir_session_setting(session, "table.exec.sink.not-null-enforcer");
    weir_row_writer_options options = {
        .bound = change->bound,
        .one_commit = change->one_commit,
        .drop_nulls = nulls[0] == 'd' || nulls[0] == 'D',
        .takes_changes = weir_plan_changes_table(change->bound->plan) != NULL || change->kind != WEIR_INSERT,
    };
    set_commit_policy(&pump);
    WEIR_GO(weir_row_feed_open(session, change->bound, &pump.feed, err));
    if (pump.commit_interval_ms < 0 && !weir_row_feed_is_bounded(pump.feed)) {
        pump.commit_interval_ms = ENDLESS_COMMIT_INTERVAL_MS;
    }
    WEIR_GO(weir_row_writer_open(change->table, &options, &pump.writer, err));
    const weir_field *fields = weir_row_feed_fields(pump.feed, &count);
    weir_batch_init(&pump.batch, fields, count);
    has_batch = true;
    code = run_pump(&pump, err);
    WEIR_GO(add_what_stands(&pump, code, err));
    pump.writer->summary.elapsed_ns = weir_monotonic_ns() - pump.start_ns;
    *out = weir_change_result(change->what, change->table, &pump.writer->summary);
done:
    if (has_batch) {
        weir_batch_free(&pump.batch);
    }
    weir_row_feed_close(pump.feed);
    if (pump.writer != NULL) {
        pump.writer->close(pump.writer);
    }
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
