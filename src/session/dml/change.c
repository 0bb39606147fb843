/* Rows from a plan into a table, in one commit.
 *
 * A statement of a script that was interrupted may have been committed all the same: then its rows are not written
 * again (job/remember.c). */
#include "session/dml/change.h"

#include <stdlib.h>

#include "base/clock.h"
#include "session/dml/enforcer.h"
#include "session/dml/row_feed.h"

/* A statement that writes: from where, to where. */
struct weir_change_pump {
    weir_session *session;
    const weir_change *change;
    weir_row_feed *feed;
    weir_row_writer *writer;     /* opened with the first row, so that it sees what was committed before */
    weir_change_summary summary; /* of a writer that is closed */
    weir_enforcer enforcer;
    weir_batch batch;
    bool has_batch;
    bool is_committed; /* by a run that was interrupted */
    int64_t start_ns;
};

static void note_progress(weir_change_pump *pump)
{
    atomic_store(&pump->session->counters.rows_written, pump->writer->summary.rows);
    atomic_store(&pump->session->counters.commits, pump->writer->summary.commits);
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
        WEIR_TRY(code);
        WEIR_TRY(take_batch(pump, err));
        note_progress(pump);
    }
}

int weir_change_open(weir_session *session, const weir_change *change, weir_change_pump **out, weir_error *err)
{
    weir_change_pump *pump = weir_alloc_zeroed(1, sizeof *pump);
    int32_t count = 0;
    pump->session = session;
    pump->change = change;
    pump->start_ns = weir_monotonic_ns();
    int code = weir_row_feed_open(session, change->bound, &pump->feed, err);
    if (code != WEIR_OK) {
        weir_change_close(pump);
        return code;
    }
    const weir_field *fields = weir_row_feed_fields(pump->feed, &count);
    weir_batch_init(&pump->batch, fields, count);
    weir_enforcer_init(&pump->enforcer, session, change->bound, fields, count);
    pump->has_batch = true;
    *out = pump;
    return WEIR_OK;
}

/* INSERTs of one statement have users of their own. */
static const char *commit_user(const weir_change_pump *pump)
{
    weir_session *session = pump->session;
    return session->commit_user == NULL || pump->change->number == 0
               ? session->commit_user
               : weir_arena_format(&session->statement_arena, "%s-%d", session->commit_user, (int)pump->change->number);
}

int weir_change_write(weir_change_pump *pump, weir_error *err)
{
    const weir_change *change = pump->change;
    weir_row_writer_options options = {
        .bound = change->bound,
        .commit_user = commit_user(pump),
        .takes_changes = weir_plan_changes_table(change->bound->plan) != NULL || change->kind != WEIR_INSERT,
    };
    WEIR_TRY(weir_row_writer_open(change->table, &options, &pump->writer, err));
    if (pump->session->was_interrupted && pump->writer->find_commit != NULL) {
        WEIR_TRY(pump->writer->find_commit(pump->writer, &pump->is_committed, err));
    }
    return pump->is_committed ? WEIR_OK : write_all(pump, err);
}

int weir_change_finish(weir_change_pump *pump, weir_error *err)
{
    if (!pump->is_committed) {
        WEIR_TRY(pump->writer->commit(pump->writer, true, err));
    }
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
