/* A stream's answer is the batch's: random queries over random changes, read in random batches, with checkpoints and
 * crashes anywhere. At each checkpoint what the sink holds is compared with what the same query answers in batch mode
 * over the changes that went in until then. The sink is strict: what is retracted must be there, an update's halves
 * stand together; half of the queries with a unique key end in a sink of upserts by it.
 *
 * WEIR_QUERIES says how many, WEIR_SEED repeats a run; a failure prints the seed of its query, which with
 * WEIR_QUERIES=1 is then the only one. */
#include <unistd.h>

#include "fs/fs.h"
#include "random_relation.h"
#include "random_tables.h"

enum { TABLES = 7, RUNS_AT_MOST = 40 };

/* --- The sink -------------------------------------------------------------------------------------------------- */

/* What a sink holds at a checkpoint. */
typedef struct snapshot {
    int64_t checkpoint;
    char *rows;
} snapshot;

/* Rows that are committed; it outlives the jobs that write it. */
typedef struct strict_table {
    harness_rows rows;
    int64_t committed; /* the last checkpoint */
    snapshot snapshots[RANDOM_CHECKPOINTS_AT_MOST];
    int32_t snapshot_count;
    bool upserts;
    int32_t key[8];
    int32_t key_count;
    random_reading *reading;
    int fail_commit; /* how many commits are left until one fails; 0: none will */
    bool fail_after; /* it fails after its work is done */
} strict_table;

typedef struct strict_sink {
    weir_stream_sink base;
    strict_table *table;
    weir_buffer written; /* kind, size, text; again */
} strict_sink;

/* Floating-point numbers are given with the digits that don't depend on the order of additions. */
static void write_value(const weir_vector *column, int64_t row, weir_buffer *out)
{
    bool is_float = column->layout == WEIR_LAYOUT_64 && column->type->id == WEIR_DOUBLE;
    if (is_float && !weir_vector_is_null(column, row)) {
        double value = WEIR_VALUES(column, double)[row];
        weir_buffer_append_format(out, "%.9g", value == 0 ? 0.0 : value);
    } else {
        weir_value_to_json(column, row, out);
    }
}

static void write_columns(const weir_batch *batch, int64_t row, const int32_t *columns, int32_t count, weir_buffer *out)
{
    weir_buffer_clear(out);
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "[" : ", ");
        write_value(&batch->columns[columns == NULL ? i : columns[i]], row, out);
    }
    weir_buffer_append_text(out, "]");
}

static int sink_write(weir_stream_sink *base, const weir_batch *batch, weir_error *err)
{
    strict_sink *self = (strict_sink *)base;
    weir_buffer row = {0};
    if (!self->table->upserts) {
        WEIR_TRY(harness_check_pairs(batch, err));
    }
    for (int64_t i = 0; i < batch->length; i++) {
        weir_buffer_append_byte(&self->written, (uint8_t)weir_batch_kind(batch, i));
        write_columns(batch, i, self->table->key, self->table->key_count, &row);
        weir_buffer_append_text(&self->written, weir_buffer_text(&row));
        weir_buffer_append_byte(&self->written, 0);
        write_columns(batch, i, NULL, batch->column_count, &row);
        weir_buffer_append_text(&self->written, weir_buffer_text(&row));
        weir_buffer_append_byte(&self->written, 0);
    }
    weir_buffer_free(&row);
    return WEIR_OK;
}

static int sink_prepare(weir_stream_sink *base, int64_t checkpoint, bool last, weir_buffer *out, weir_error *err)
{
    strict_sink *self = (strict_sink *)base;
    (void)last;
    (void)err;
    self->table->reading->checkpoint = checkpoint;
    weir_buffer_append_byte(out, 1);
    weir_buffer_append(out, self->written.data, self->written.size);
    weir_buffer_clear(&self->written);
    return WEIR_OK;
}

/* Rows are kept as "key\trow" by tables of upserts. */
static int apply_upsert(strict_table *table, int8_t kind, const char *key, const char *row, weir_error *err)
{
    size_t size = strlen(key);
    int32_t at = table->rows.count - 1;
    while (at >= 0 && (strncmp(table->rows.items[at], key, size) != 0 || table->rows.items[at][size] != '\t')) {
        at--;
    }
    if (at >= 0) {
        free(table->rows.items[at]);
        table->rows.items[at] = table->rows.items[--table->rows.count];
    } else if (kind == WEIR_DELETE) {
        return weir_fail(err, WEIR_INVALID, "-D of a key that is not there: %s", key);
    }
    if (kind == WEIR_DELETE) {
        return WEIR_OK;
    }
    char *text = weir_format("%s\t%s", key, row);
    int code = harness_rows_apply(&table->rows, WEIR_INSERT, text, err);
    free(text);
    return code;
}

static int apply_all(strict_table *table, weir_slice prepared, weir_error *err)
{
    const char *at = (const char *)prepared.data + 1, *end = (const char *)prepared.data + prepared.size;
    while (at < end) {
        int8_t kind = (int8_t)*at;
        const char *key = at + 1;
        const char *row = key + strlen(key) + 1;
        WEIR_TRY(table->upserts ? apply_upsert(table, kind, key, row, err)
                                : harness_rows_apply(&table->rows, kind, row, err));
        at = row + strlen(row) + 1;
    }
    return WEIR_OK;
}

static void sort_rows(harness_rows *rows, bool upserts, weir_buffer *out)
{
    harness_rows plain = {.items = weir_alloc_zeroed((size_t)rows->count + 1, sizeof *plain.items),
                          .count = rows->count};
    for (int32_t i = 0; i < rows->count; i++) {
        plain.items[i] = upserts ? strchr(rows->items[i], '\t') + 1 : rows->items[i];
    }
    harness_rows_text(&plain, out);
    free(plain.items);
}

static int commit_once(strict_table *table, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    weir_buffer rows = {0};
    if (checkpoint <= table->committed) {
        return WEIR_OK;
    }
    WEIR_TRY(apply_all(table, prepared, err));
    table->committed = checkpoint;
    sort_rows(&table->rows, table->upserts, &rows);
    if (table->snapshot_count < RANDOM_CHECKPOINTS_AT_MOST) {
        table->snapshots[table->snapshot_count++] = (snapshot){checkpoint, weir_strdup(weir_buffer_text(&rows))};
    }
    weir_buffer_free(&rows);
    return WEIR_OK;
}

static int sink_commit(weir_stream_sink *base, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    strict_table *table = ((strict_sink *)base)->table;
    bool fails = table->fail_commit > 0 && --table->fail_commit == 0;
    if (!fails || table->fail_after) {
        WEIR_TRY(commit_once(table, checkpoint, prepared, err));
    }
    return fails ? weir_fail(err, WEIR_CANCELLED, "killed by the test") : WEIR_OK;
}

static int sink_recover(weir_stream_sink *base, int64_t checkpoint, weir_slice prepared, weir_error *err)
{
    return prepared.size == 0 ? WEIR_OK : commit_once(((strict_sink *)base)->table, checkpoint, prepared, err);
}

static void sink_close(weir_stream_sink *base)
{
    weir_buffer_free(&((strict_sink *)base)->written);
    free(base);
}

static weir_stream_sink *open_strict_sink(strict_table *table)
{
    strict_sink *self = weir_alloc_zeroed(1, sizeof *self);
    self->base = (weir_stream_sink){.write = sink_write,
                                    .prepare = sink_prepare,
                                    .commit = sink_commit,
                                    .recover = sink_recover,
                                    .close = sink_close,
                                    .takes = table->upserts ? WEIR_SINK_UPSERTS : WEIR_SINK_ALL,
                                    .key = table->upserts ? table->key : NULL,
                                    .key_count = table->upserts ? table->key_count : 0,
                                    .description = "result"};
    self->table = table;
    return &self->base;
}

static void strict_table_free(strict_table *table)
{
    harness_rows_free(&table->rows);
    for (int32_t i = 0; i < table->snapshot_count; i++) {
        free(table->snapshots[i].rows);
    }
    *table = (strict_table){0};
}

/* --- One query ------------------------------------------------------------------------------------------------- */

typedef struct fixture {
    random_state random;
    random_query query;
    random_reading reading;
    random_table tables[TABLES];
    weir_resolver resolver;
    weir_sql_engine *engine;
    strict_table result;
    weir_sql_table sink;
    uint64_t seed; /* of the query */
    bool many;     /* changes */
    bool is_timed; /* its rows come when time has passed: only the end is compared */
    int refused, run, checked;
} fixture;

static int resolve(weir_resolver *self, const weir_ast_name *name, const weir_ast_options *hints, weir_arena *arena,
                   weir_sql_table **out, const char **out_view, weir_error *err)
{
    fixture *f = (fixture *)((char *)self - offsetof(fixture, resolver));
    const char *last = name->parts[name->count - 1].text;
    (void)hints;
    (void)arena;
    (void)out_view;
    for (int32_t i = 0; i < TABLES; i++) {
        if (strcmp(f->tables[i].table.name, last) == 0) {
            *out = &f->tables[i].table;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_NOT_FOUND, "table '%s' does not exist", last);
}

static int bind(fixture *f, bool streaming, weir_bound **out, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement;
    const weir_bind_context context = {.resolver = &f->resolver, .streaming = streaming};
    for (int32_t i = 0; i < TABLES; i++) {
        random_table_set_mode(&f->tables[i], streaming);
    }
    weir_arena_init(&arena);
    int code = weir_parse_statement(weir_buffer_text(&f->query.sql), &arena, &statement, err);
    code = code == WEIR_OK ? weir_bind_query(&context, statement->query, out, err) : code;
    weir_arena_free(&arena);
    return code;
}

static void explain_failure(fixture *f, int64_t checkpoint, const char *what)
{
    weir_buffer tables = {0};
    for (int32_t i = 0; i < TABLES; i++) {
        int32_t batches = checkpoint < 0 ? f->tables[i].batch_count : f->tables[i].noted[checkpoint];
        if (f->tables[i].noted_for >= 0) {
            random_table_write(&f->tables[i], batches, &tables);
        }
    }
    fprintf(stderr, "WEIR_SEED=%llu WEIR_QUERIES=1\n%s\n%s%s\n", (unsigned long long)f->seed,
            weir_buffer_text(&f->query.sql), weir_buffer_text(&tables), what);
    weir_buffer_free(&tables);
    fail();
}

/* The batch's answer over what its tables show. */
static void answer(fixture *f, const weir_bound *bound, weir_buffer *out)
{
    weir_error err = {0};
    weir_sql_result *result;
    weir_batch batch;
    harness_rows rows = {0};
    weir_buffer row = {0};
    int32_t count;
    int code = weir_sql_query_start(f->engine, bound, &result, &err);
    if (code != WEIR_OK) {
        explain_failure(f, -1, err.message);
    }
    const weir_field *fields = weir_sql_result_fields(result, &count);
    weir_batch_init(&batch, fields, count);
    while ((code = weir_sql_result_next(result, &batch, &err)) == WEIR_OK) {
        for (int64_t i = 0; i < batch.length; i++) {
            write_columns(&batch, i, NULL, batch.column_count, &row);
            harness_rows_apply(&rows, WEIR_INSERT, weir_buffer_text(&row), NULL);
        }
    }
    if (code != WEIR_END) {
        explain_failure(f, -1, err.message);
    }
    harness_rows_text(&rows, out);
    weir_batch_free(&batch);
    weir_sql_result_free(result);
    harness_rows_free(&rows);
    weir_buffer_free(&row);
}

/* Shows the tables as the sources had given them; false: two sources of one table differed. */
static bool show_tables(fixture *f, int64_t checkpoint)
{
    bool known = checkpoint < RANDOM_CHECKPOINTS_AT_MOST;
    for (int32_t i = 0; i < TABLES && known; i++) {
        if (f->tables[i].noted_for >= 0) {
            known = f->tables[i].noted[checkpoint] >= 0;
            f->tables[i].shown = known ? f->tables[i].noted[checkpoint] : 0;
        }
    }
    return known;
}

static void compare_snapshots(fixture *f)
{
    weir_error err = {0};
    weir_bound *bound;
    weir_buffer expected = {0};
    harness_ok(bind(f, false, &bound, &err), &err);
    for (int32_t i = 0; i < f->result.snapshot_count; i++) {
        const snapshot *found = &f->result.snapshots[i];
        if ((f->is_timed && i < f->result.snapshot_count - 1) || !show_tables(f, found->checkpoint)) {
            continue;
        }
        answer(f, bound, &expected);
        if (strcmp(weir_buffer_text(&expected), found->rows) != 0) {
            char *what =
                weir_format("checkpoint %d, %s:\n  gives    %s\n  and not  %s", (int)found->checkpoint,
                            f->result.upserts ? "upserts" : "changes", found->rows, weir_buffer_text(&expected));
            explain_failure(f, found->checkpoint, what);
        }
        f->checked++;
    }
    weir_buffer_free(&expected);
    weir_bound_free(bound);
}

/* --- Running it ------------------------------------------------------------------------------------------------ */

static void make_sink_table(fixture *f, weir_bound *bound)
{
    int32_t count = bound->plan->field_count;
    weir_sql_column *columns = WEIR_NEW_ARRAY(&bound->arena, weir_sql_column, count + 1);
    bound->sink_columns = WEIR_NEW_ARRAY(&bound->arena, int32_t, count + 1);
    bound->assigned = WEIR_NEW_ARRAY(&bound->arena, bool, count + 1);
    for (int32_t i = 0; i < count; i++) {
        columns[i] = (weir_sql_column){.name = bound->plan->fields[i].name, .type = bound->plan->fields[i].type};
        bound->sink_columns[i] = i;
        bound->assigned[i] = true;
    }
    f->sink = (weir_sql_table){.catalog = "default_catalog",
                               .database = "default_database",
                               .name = "result",
                               .columns = columns,
                               .column_count = count};
    bound->sink = &f->sink;
    bound->sink_column_count = count;
}

/* A sink of upserts where the query has a key, by chance. */
static void choose_sink(fixture *f, weir_bound *bound)
{
    const weir_stream_traits *traits;
    f->result = (strict_table){.reading = &f->reading};
    if (weir_stream_traits_of(bound->plan, &bound->arena, &traits, NULL) != WEIR_OK || traits->key_count < 1 ||
        traits->key_count > 8 || random_below(&f->random, 2) == 0) {
        return;
    }
    const weir_unique_key *key = &traits->unique_keys[random_below(&f->random, (uint64_t)traits->unique_key_count)];
    f->result.upserts = true;
    f->result.key_count = key->count > 8 ? 0 : key->count;
    memcpy(f->result.key, key->fields, sizeof *key->fields * (size_t)f->result.key_count);
    f->result.upserts = f->result.key_count > 0;
}

static void plan_crashes(fixture *f, int run)
{
    uint64_t kind = run < 4 ? random_below(&f->random, 5) : 4;
    f->reading.asks_left = kind < 2 ? 1 + (int32_t)random_below(&f->random, 20) : -1;
    f->result.fail_commit = kind == 2 ? 1 + (int)random_below(&f->random, 4) : 0;
    f->result.fail_after = random_below(&f->random, 2) == 0;
}

/* One run of the job; WEIR_CANCELLED: it was killed. */
static int run_once(fixture *f, const weir_bound *bound, const char *folder, weir_error *err)
{
    weir_job *job;
    const weir_job_options options = {.name = "test",
                                      .state_folder = folder,
                                      .memory_bytes = 64 << 20,
                                      .checkpoint_interval_ms = -1,
                                      .checkpoint_rows = 1 + (int64_t)random_below(&f->random, f->many ? 400 : 12)};
    f->reading.checkpoint = -1;
    WEIR_TRY(weir_job_create(&options, &job, err));
    int code = weir_job_add(job, bound, open_strict_sink(&f->result), err);
    code = code == WEIR_OK ? weir_job_start(job, err) : code;
    if (code == WEIR_OK) {
        weir_job_status status;
        weir_job_wait(job, -1);
        weir_job_status_of(job, &status);
        if (status.phase != WEIR_JOB_FINISHED) {
            *err = weir_job_error(job);
            code = err->code;
        }
    }
    weir_job_free(job);
    return code;
}

/* Runs until the end of its input, however often it is killed. False: the query can't run as a stream. */
static bool run_to_the_end(fixture *f, const weir_bound *bound, const char *folder)
{
    for (int run = 0; run < RUNS_AT_MOST; run++) {
        weir_error err = {0};
        plan_crashes(f, run);
        int code = run_once(f, bound, folder, &err);
        if (code == WEIR_OK) {
            return true;
        }
        if (code == WEIR_UNSUPPORTED && run == 0) {
            return false;
        }
        if (code != WEIR_CANCELLED) {
            explain_failure(f, -1, err.message);
        }
    }
    explain_failure(f, -1, "the job does not come to its end");
    return false;
}

static void try_query(fixture *f)
{
    char folder[64];
    snprintf(folder, sizeof folder, "%s/weir-equals-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    weir_error err = {0};
    weir_bound *bound = NULL;
    uint64_t many = random_below(&f->random, 40);
    int32_t changes = 3 + (int32_t)random_below(&f->random, many == 0 ? 1000 : many < 20 ? 10 : 60);
    f->many = changes > 100;
    for (int32_t i = 0; i < TABLES; i++) {
        random_table_fill(&f->tables[i], changes);
    }
    f->is_timed = random_below(&f->random, 8) == 0;
    if (f->is_timed) {
        relation_make_timed(&f->query);
    } else {
        relation_make(&f->query);
    }
    int code = bind(f, true, &bound, &err);
    if (code == WEIR_UNSUPPORTED) {
        f->refused++;
        return;
    }
    harness_ok(code, &err);
    make_sink_table(f, bound);
    choose_sink(f, bound);
    assert_non_null(mkdtemp(folder));
    if (run_to_the_end(f, bound, folder)) {
        f->run++;
        compare_snapshots(f);
    } else {
        f->refused++;
    }
    strict_table_free(&f->result);
    weir_bound_free(bound);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
}

static void open_tables(fixture *f)
{
    static const char p_columns[] = "id INT NOT NULL, k INT, v INT, s STRING, d DECIMAL(10, 2), f DOUBLE, "
                                    "t TIMESTAMP(3), o BOOLEAN";
    static const int32_t key[] = {0};
    random_reading *reading = &f->reading;
    reading->random = &f->random;
    random_table_init(&f->tables[0], reading, "a", "k INT, v INT", HARNESS_CHANGES);
    random_table_init(&f->tables[1], reading, "b", "k INT, v INT", HARNESS_CHANGES);
    random_table_init(&f->tables[2], reading, "c", "k INT, v INT", HARNESS_CHANGES);
    random_table_init(&f->tables[3], reading, "p", p_columns, HARNESS_CHANGES);
    random_table_init(&f->tables[4], reading, "u", "id INT NOT NULL, k INT, v INT", HARNESS_UPSERTS);
    random_table_init(&f->tables[5], reading, "i", "k INT, v INT", HARNESS_INSERTS);
    random_table_init(&f->tables[6], reading, "w", "k INT, v INT, ts TIMESTAMP(3)", HARNESS_INSERTS);
    f->tables[6].time_column = 2;
    for (int32_t i = 3; i < 5; i++) {
        f->tables[i].table.primary_key = key;
        f->tables[i].table.primary_key_count = 1;
    }
}

static void at_each_checkpoint_a_stream_holds_what_the_batch_answers(void **state)
{
    const char *wanted = getenv("WEIR_QUERIES");
    int queries = wanted == NULL ? 400 : atoi(wanted);
    fixture f = {.resolver = {.resolve = resolve}};
    weir_error err = {0};
    const weir_sql_engine_options options = {.threads = 1};
    (void)state;
    f.random = random_start();
    f.query.random = &f.random;
    f.query.for_streams = true;
    harness_ok(weir_sql_engine_create(&options, &f.engine, &err), &err);
    open_tables(&f);
    uint64_t first = f.random.state;
    for (int i = 0; i < queries; i++) {
        f.seed = first + (uint64_t)i * 1000;
        f.random.state = f.seed;
        try_query(&f);
    }
    printf("%d queries ran, %d were refused; %d checkpoints compared\n", f.run, f.refused, f.checked);
    for (int32_t i = 0; i < TABLES; i++) {
        random_table_free(&f.tables[i]);
    }
    weir_buffer_free(&f.query.sql);
    weir_sql_engine_free(f.engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_each_checkpoint_a_stream_holds_what_the_batch_answers),
    };
    return cmocka_run_group_tests_name("stream equals batch", tests, NULL, NULL);
}
