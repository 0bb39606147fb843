/* Jobs over tables in memory, into ledgers: sinks whose tables outlive their jobs, and which fail when they are told
 * to. */
#ifndef WEIR_TESTS_STREAM_JOB_FIXTURE_H
#define WEIR_TESTS_STREAM_JOB_FIXTURE_H

#include "base/clock.h"
#include "harness.h"

/* --- Sinks whose tables outlive their jobs --------------------------------------------------------------------- */

typedef struct ledger {
    harness_table *table; /* its columns */
    harness_rows rows;    /* visible */
    int64_t ids[1000];    /* checkpoints that were committed */
    int32_t id_count;
    bool full;
    int awaited; /* checkpoints that it wants though no row comes */
    bool saw_last;
    /* The n-th call fails. */
    int fail_write, fail_prepare, fail_commit, fail_after_commit;
} ledger;

typedef struct ledger_sink {
    weir_stream_sink sink;
    ledger *ledger;
    weir_buffer pending;
} ledger_sink;

static inline bool fails(int *countdown) { return *countdown > 0 && --*countdown == 0; }

static inline int ledger_write(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    ledger_sink *sink = (ledger_sink *)self;
    if (fails(&sink->ledger->fail_write)) {
        return weir_fail(err, WEIR_IO, "the disk is gone");
    }
    for (int64_t i = 0; i < batch->length; i++) {
        harness_write_change(batch, i, &sink->pending);
    }
    return WEIR_OK;
}

static inline int ledger_prepare(weir_stream_sink *self, int64_t checkpoint, bool last, weir_buffer *out,
                                 weir_error *err)
{
    ledger_sink *sink = (ledger_sink *)self;
    (void)checkpoint;
    if (fails(&sink->ledger->fail_prepare)) {
        return weir_fail(err, WEIR_IO, "no space for files");
    }
    sink->ledger->saw_last = sink->ledger->saw_last || last;
    sink->ledger->awaited -= sink->ledger->awaited > 0;
    weir_buffer_append(out, sink->pending.data, sink->pending.size);
    weir_buffer_clear(&sink->pending);
    return WEIR_OK;
}

static inline int apply(ledger *to, weir_slice prepared, weir_error *err)
{
    weir_batch batch;
    weir_buffer row = {0};
    char *text = weir_strndup((const char *)prepared.data, prepared.size);
    weir_batch_init(&batch, to->table->row->fields, to->table->row->field_count);
    harness_read_rows(text, &batch);
    int code = WEIR_OK;
    for (int64_t i = 0; i < batch.length && code == WEIR_OK; i++) {
        weir_buffer_clear(&row);
        harness_write_row(&batch, i, &row);
        code = harness_rows_apply(&to->rows, weir_batch_kind(&batch, i), weir_buffer_text(&row), err);
    }
    weir_batch_free(&batch);
    weir_buffer_free(&row);
    free(text);
    return code;
}

static inline int ledger_commit(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    ledger *to = ((ledger_sink *)self)->ledger;
    if (fails(&to->fail_commit)) {
        return weir_fail(err, WEIR_IO, "the snapshot can't be written");
    }
    to->ids[to->id_count++] = checkpoint;
    WEIR_TRY(apply(to, prepared, err));
    return fails(&to->fail_after_commit) ? weir_fail(err, WEIR_IO, "no answer") : WEIR_OK;
}

static inline int ledger_recover(weir_stream_sink *self, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    ledger *to = ((ledger_sink *)self)->ledger;
    for (int32_t i = 0; i < to->id_count; i++) {
        if (to->ids[i] == checkpoint) {
            return WEIR_OK;
        }
    }
    return prepared.size == 0 ? WEIR_OK : ledger_commit(self, checkpoint, prepared, err);
}

static inline bool ledger_awaits(weir_stream_sink *self) { return ((ledger_sink *)self)->ledger->awaited > 0; }

static inline bool ledger_is_full(weir_stream_sink *self)
{
    return ((ledger_sink *)self)->ledger->full && ((ledger_sink *)self)->pending.size > 0;
}

static inline void ledger_close(weir_stream_sink *self)
{
    weir_buffer_free(&((ledger_sink *)self)->pending);
    free(self);
}

static inline weir_stream_sink *open_ledger(ledger *to)
{
    ledger_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->sink = (weir_stream_sink){.write = ledger_write,
                                    .prepare = ledger_prepare,
                                    .commit = ledger_commit,
                                    .recover = ledger_recover,
                                    .close = ledger_close,
                                    .is_full = ledger_is_full,
                                    .awaits = ledger_awaits,
                                    .takes = WEIR_SINK_ALL,
                                    .description = to->table->table.name,
                                    .identity = to->table->table.name};
    sink->ledger = to;
    return &sink->sink;
}

/* --- A job over tables in memory ------------------------------------------------------------------------------- */

enum { MOST_INSERTS = 4 };

typedef struct fixture {
    harness_resolver resolver;
    weir_bind_context bind;
    harness_table *orders, *users;
    ledger a, b;
    weir_job_options options;
    weir_job *job;
    weir_bound *bound[MOST_INSERTS];
    int32_t bound_count;
    char folder[64];
} fixture;

static inline harness_table *add_table(fixture *f, const char *name, const char *columns, harness_changes changes)
{
    harness_table *table = harness_table_new(name, columns, changes);
    f->resolver.tables[f->resolver.table_count++] = table;
    return table;
}

static inline int set_up(void **state)
{
    fixture *f = weir_alloc_zeroed(1, sizeof *f);
    f->resolver.resolver.resolve = harness_resolve;
    f->bind = (weir_bind_context){.resolver = &f->resolver.resolver, .streaming = true};
    f->orders = add_table(f, "orders", "id INT, item STRING", HARNESS_INSERTS);
    f->users = add_table(f, "users", "id INT, name STRING", HARNESS_CHANGES);
    f->a.table = add_table(f, "a", "id INT, item STRING", HARNESS_INSERTS);
    f->b.table = add_table(f, "b", "id INT, item STRING", HARNESS_INSERTS);
    snprintf(f->folder, sizeof f->folder, "/tmp/weir-job-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->options = (weir_job_options){.name = "test", .checkpoint_interval_ms = -1};
    *state = f;
    return 0;
}

static inline void close_job(fixture *f)
{
    weir_job_free(f->job);
    f->job = NULL;
    for (int32_t i = 0; i < f->bound_count; i++) {
        weir_bound_free(f->bound[i]);
    }
    f->bound_count = 0;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    close_job(f);
    for (int32_t i = 0; i < f->resolver.table_count; i++) {
        harness_table_free(f->resolver.tables[i]);
    }
    harness_rows_free(&f->a.rows);
    harness_rows_free(&f->b.rows);
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static inline int add_insert(fixture *f, const char *text, ledger *to, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement;
    weir_arena_init(&arena);
    int code = weir_parse_statement(text, &arena, &statement, err);
    code = code == WEIR_OK ? weir_bind_insert(&f->bind, statement->insert, &f->bound[f->bound_count], err) : code;
    weir_arena_free(&arena);
    harness_ok(code, err);
    return weir_job_add(f->job, f->bound[f->bound_count++], open_ledger(to), err);
}

static inline void create_job(fixture *f)
{
    weir_error err = {0};
    harness_ok(weir_job_create(&f->options, &f->job, &err), &err);
}

/* A job that inserts the orders into `a`, and the users into `b`, as they are. */
static inline void start_copies(fixture *f)
{
    weir_error err = {0};
    create_job(f);
    harness_ok(add_insert(f, "INSERT INTO a SELECT id, item FROM orders", &f->a, &err), &err);
    harness_ok(add_insert(f, "INSERT INTO b SELECT id, name FROM users", &f->b, &err), &err);
    harness_ok(weir_job_start(f->job, &err), &err);
}

static inline weir_job_status status_of(fixture *f)
{
    weir_job_status status;
    weir_job_status_of(f->job, &status);
    return status;
}

static inline void wait_for_rows(fixture *f, int64_t rows_in)
{
    for (int i = 0; i < 5000 && status_of(f).rows_in < rows_in; i++) {
        weir_sleep_ms(1);
    }
    assert_int_equal(status_of(f).rows_in, rows_in);
}

static inline void wait_for_checkpoints(fixture *f, int64_t count)
{
    for (int i = 0; i < 5000 && status_of(f).checkpoints < count; i++) {
        weir_sleep_ms(1);
    }
    assert_true(status_of(f).checkpoints >= count);
}

static inline void check_ended(fixture *f, weir_job_phase phase)
{
    assert_true(weir_job_wait(f->job, 20000));
    weir_error error = weir_job_error(f->job);
    if (status_of(f).phase != phase) {
        fail_msg("%s: %s", weir_job_phase_text(status_of(f).phase), error.message);
    }
}

static inline void check_rows(ledger *of, const char *rows)
{
    weir_buffer text = {0};
    harness_rows_text(&of->rows, &text);
    assert_string_equal(weir_buffer_text(&text), rows);
    weir_buffer_free(&text);
}

#endif
