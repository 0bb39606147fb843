/* EXECUTE STATEMENT SET: several INSERTs as one; in streaming mode as one job.
 *
 * In batch mode all of them are bound, and their reading is planned, before the first row is written, so that none sees
 * what another one writes. Rows of all are written before the first commit; where a table is written twice, the first
 * INSERT is committed before the second begins. */
#include <stdlib.h>

#include "base/clock.h"
#include "session/dml/change.h"
#include "session/job/jobs.h"

typedef struct statement_set {
    weir_session *session;
    int32_t count;
    weir_bound **bounds;
    weir_change *changes;
    weir_change_pump **pumps;
} statement_set;

static int bind_all(statement_set *self, weir_ast_insert *const *inserts, weir_error *err)
{
    for (int32_t i = 0; i < self->count; i++) {
        WEIR_TRY(weir_session_bind_insert(self->session, inserts[i], &self->bounds[i], &self->changes[i], err));
        self->changes[i].number = i;
    }
    return WEIR_OK;
}

static bool is_same_table(const weir_sql_table *a, const weir_sql_table *b)
{
    return strcmp(a->catalog, b->catalog) == 0 && strcmp(a->database, b->database) == 0 &&
           strcmp(a->name, b->name) == 0;
}

static bool is_written_later(const statement_set *self, int32_t number)
{
    for (int32_t i = number + 1; i < self->count; i++) {
        if (is_same_table(self->bounds[i]->sink, self->bounds[number]->sink)) {
            return true;
        }
    }
    return false;
}

static int run_all(statement_set *self, weir_error *err)
{
    for (int32_t i = 0; i < self->count; i++) {
        WEIR_TRY(weir_change_open(self->session, &self->changes[i], &self->pumps[i], err));
    }
    for (int32_t i = 0; i < self->count; i++) {
        WEIR_TRY(weir_change_write(self->pumps[i], err));
        if (is_written_later(self, i)) {
            WEIR_TRY(weir_change_finish(self->pumps[i], err));
        }
    }
    for (int32_t i = 0; i < self->count; i++) {
        if (!is_written_later(self, i)) {
            WEIR_TRY(weir_change_finish(self->pumps[i], err));
        }
    }
    return WEIR_OK;
}

/* What was committed before a failure stays: the message says so. */
static int add_what_stands(const statement_set *self, int code, weir_error *err)
{
    int32_t stand = 0;
    for (int32_t i = 0; i < self->count; i++) {
        stand += self->pumps[i] != NULL && weir_change_summary_of(self->pumps[i])->commits > 0;
    }
    return code == WEIR_OK || stand == 0
               ? code
               : weir_error_context(err, code, "%d of %d INSERTs of the statement set have commits, which stand",
                                    (int)stand, (int)self->count);
}

static void make_result(const statement_set *self, int64_t elapsed_ns, weir_result **out)
{
    weir_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_buffer text = {0};
    weir_result_init(result, WEIR_RESULT_CHANGES);
    weir_buffer_append_text(&text, "STATEMENT SET");
    for (int32_t i = 0; i < self->count; i++) {
        const weir_change_summary *summary = weir_change_summary_of(self->pumps[i]);
        weir_buffer_append_format(&text, "%s %s (%" PRId64 " %s)", i > 0 ? "," : "", self->bounds[i]->sink->name,
                                  summary->rows, summary->rows == 1 ? "row" : "rows");
        result->changes.rows += summary->rows;
        result->changes.commits += summary->commits;
        result->changes.files += summary->files;
    }
    result->changes.elapsed_ns = elapsed_ns;
    result->message = weir_arena_strdup(&result->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    *out = result;
}

static int run_batch(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err)
{
    int32_t count = statement->statement_set.count;
    int64_t start = weir_monotonic_ns();
    statement_set self = {
        .session = session,
        .count = count,
        .bounds = weir_alloc_zeroed((size_t)count + 1, sizeof *self.bounds),
        .changes = weir_alloc_zeroed((size_t)count + 1, sizeof *self.changes),
        .pumps = weir_alloc_zeroed((size_t)count + 1, sizeof *self.pumps),
    };
    int code;
    WEIR_GO(bind_all(&self, statement->statement_set.items, err));
    code = run_all(&self, err);
    WEIR_GO(add_what_stands(&self, code, err));
    make_result(&self, weir_monotonic_ns() - start, out);
done:
    for (int32_t i = 0; i < count; i++) {
        weir_change_close(self.pumps[i]);
        weir_bound_free(self.bounds[i]);
    }
    free(self.bounds);
    free(self.changes);
    free(self.pumps);
    return code;
}

/* A job writes as it goes, which replacing does not. */
static int check_no_overwrite(const weir_ast_statement *statement, weir_error *err)
{
    for (int32_t i = 0; i < statement->statement_set.count; i++) {
        const weir_ast_insert *insert = statement->statement_set.items[i];
        if (insert->overwrite) {
            return weir_fail_at(err, WEIR_INVALID, insert->position.line, insert->position.column,
                                "INSERT OVERWRITE in a statement set runs in batch mode only: SET "
                                "'execution.runtime-mode' = 'batch'");
        }
    }
    return WEIR_OK;
}

int weir_session_statement_set(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                               weir_error *err)
{
    if (weir_session_mode(session) == WEIR_RUNTIME_BATCH) {
        return run_batch(session, statement, out, err);
    }
    WEIR_TRY(check_no_overwrite(statement, err));
    return weir_session_run_job(session, statement, statement->statement_set.items, statement->statement_set.count, out,
                                err);
}
