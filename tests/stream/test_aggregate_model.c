/* Aggregates of random changes against a recomputation: after each batch the stream's result must be what the batch
 * engine gives over the rows that are left, in the order in which they came. */
#include "harness.h"
#include "random.h"
#include "sql/memory_table.h"

static const char *const columns = "id INT, k INT, s STRING, i INT, y TINYINT, b BIGINT NOT NULL, d DECIMAL(10,2), "
                                   "w DECIMAL(38,2), f DOUBLE, g FLOAT, t TIMESTAMP(3), u TIMESTAMP(9), o BOOLEAN, "
                                   "a ARRAY<INT>, x DATE";

static const char *const queries[] = {
    "SELECT k, COUNT(*), COUNT(i), COUNT(b), SUM(i), SUM(b), SUM(y) FROM t GROUP BY k",
    "SELECT COUNT(*), SUM(d), SUM(w), AVG(d), AVG(w) FROM t",
    "SELECT k, AVG(i), AVG(y), AVG(b), AVG(f), AVG(g), SUM(f), SUM(g) FROM t GROUP BY k",
    "SELECT k, MIN(i), MAX(i), MIN(y), MAX(b), MIN(s), MAX(s), MIN(d), MAX(w) FROM t GROUP BY k",
    "SELECT s, MIN(f), MAX(g), MIN(t), MAX(t), MIN(u), MAX(u), MIN(x), MAX(o), MIN(o) FROM t GROUP BY s",
    "SELECT MIN(s), MAX(s), MAX(u), MIN(w) FROM t WHERE i > -3 OR i IS NULL",
    "SELECT k, COUNT(DISTINCT i), SUM(DISTINCT i), AVG(DISTINCT d), COUNT(DISTINCT s), COUNT(DISTINCT f), "
    "MAX(DISTINCT i) FROM t GROUP BY k",
    "SELECT k, COUNT(*) FILTER (WHERE i > 2), SUM(i) FILTER (WHERE o), COUNT(DISTINCT s) FILTER (WHERE o), "
    "MIN(s) FILTER (WHERE i < 3), LISTAGG(CAST(id AS STRING)) FILTER (WHERE o) FROM t GROUP BY k",
    /* Of equal values the oldest is retracted, whichever row it was: so these differ from row to row. */
    "SELECT k, FIRST_VALUE(s || CAST(id AS STRING)), LAST_VALUE(s || CAST(id AS STRING)), FIRST_VALUE(id * 100 + i), "
    "LAST_VALUE(id), FIRST_VALUE(ARRAY[id]) FROM t GROUP BY k",
    "SELECT FIRST_VALUE(s) WITHIN GROUP (ORDER BY i, id), LAST_VALUE(a) WITHIN GROUP (ORDER BY d DESC, id) FROM t",
    "SELECT k, LISTAGG(s || CAST(id AS STRING), '-'), ARRAY_AGG(id), COLLECT(s) FROM t GROUP BY k",
    "SELECT k, ARRAY_AGG(s) WITHIN GROUP (ORDER BY i DESC, id), LISTAGG(s) WITHIN GROUP (ORDER BY t, id) FROM t "
    "GROUP BY k",
    "SELECT k, JSON_ARRAYAGG(id), JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE s), PERCENTILE(i, 0.3) FROM t GROUP BY k",
    "SELECT k, STDDEV_POP(d), VAR_SAMP(i), VAR_POP(b), STDDEV_SAMP(DISTINCT i) FROM t GROUP BY k",
    "SELECT id, SINGLE_VALUE(s) FROM t GROUP BY id",
    "SELECT k, s, GROUPING(k, s), GROUP_ID(), COUNT(*), SUM(i), COUNT(DISTINCT i) FROM t "
    "GROUP BY GROUPING SETS ((k, s), (k), (), (k))",
    "SELECT k, o, COUNT(*), MAX(s) FROM t GROUP BY CUBE (k, o)",
    "SELECT a, f, u, COUNT(*) FROM t GROUP BY a, f, u",
    "SELECT DISTINCT k, s, a FROM t",
    "SELECT n, COUNT(*), MAX(c) FROM (SELECT k, COUNT(*) AS n, SUM(i) AS c FROM t GROUP BY k) GROUP BY n",
    "SELECT k, COUNT(*) FROM t GROUP BY k HAVING SUM(i) > 3",
    "SELECT k, e, COUNT(*) FROM t CROSS JOIN UNNEST(a) AS r(e) GROUP BY k, e",
    "SELECT k + 1, SUM(i * 2), COUNT(DISTINCT UPPER(s)) FROM t WHERE d IS NOT NULL GROUP BY k + 1",
};

/* --- Rows ------------------------------------------------------------------------------------------------------ */

static const char *maybe_null(random_state *random, const char *text)
{
    return random_below(random, 6) == 0 ? "null" : text;
}

static const char *const texts[] = {"''", "'a'", "'b'", "'a rather long text of its own'", "'B'", "'ab'"};
static const char *const floats[] = {"0.5", "-0.25", "1e300", "-1e300", "3.0", "1e-300", "0.1", "0.2"};
static const char *const times[] = {"'2024-01-01 00:00:00.000'", "'1969-12-31 23:59:59.999'",
                                    "'2024-02-29 12:00:00.500'"};
static const char *const nanos[] = {"'2024-01-01 00:00:00.000000001'", "'1969-12-31 23:59:59.999999999'",
                                    "'2024-01-01 00:00:00.000000002'"};
static const char *const wides[] = {"'1.00'", "'-123456789012345678901234567890.12'",
                                    "'123456789012345678901234567890.12'", "'0.05'"};
static const char *const arrays[] = {"[]", "[1]", "[1,2]", "[null]", "[2,2,null]"};

#define ANY(list) maybe_null(random, list[random_below(random, sizeof list / sizeof *list)])
#define NUMBER(from, to)                                                                                               \
    maybe_null(random,                                                                                                 \
               weir_arena_format(arena, "%d", (from) + (int)random_below(random, (uint64_t)((to) - (from) + 1))))

static const char *random_row(random_state *random, weir_arena *arena, int id)
{
    return weir_arena_format(arena, "[%d, %s, %s, %s, %s, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s]", id, NUMBER(1, 3),
                             ANY(texts), NUMBER(-2, 5), NUMBER(60, 120), (int)random_below(random, 4),
                             maybe_null(random, random_below(random, 2) ? "'1.25'" : "'-2.10'"), ANY(wides),
                             ANY(floats), maybe_null(random, random_below(random, 2) ? "1.5" : "-0.5"), ANY(times),
                             ANY(nanos), maybe_null(random, random_below(random, 2) ? "true" : "false"), ANY(arrays),
                             maybe_null(random, random_below(random, 2) ? "'2024-02-29'" : "'1969-01-01'"));
}

/* --- The result in batch --------------------------------------------------------------------------------------- */

static void append_result(weir_sql_result *result, harness_rows *rows)
{
    weir_error err = {0};
    weir_batch batch;
    int32_t count;
    weir_buffer text = {0};
    const weir_field *fields = weir_sql_result_fields(result, &count);
    weir_batch_init(&batch, fields, count);
    int code;
    while ((code = weir_sql_result_next(result, &batch, &err)) == WEIR_OK) {
        for (int64_t i = 0; i < batch.length; i++) {
            weir_buffer_clear(&text);
            harness_write_row(&batch, i, &text);
            check_code(harness_rows_apply(rows, WEIR_INSERT, weir_buffer_text(&text), &err), &err);
        }
    }
    assert_int_equal(code, WEIR_END);
    weir_buffer_free(&text);
    weir_batch_free(&batch);
}

static void batch_result(weir_sql_engine *engine, const char *query, char *const *items, int count, weir_buffer *out)
{
    weir_error err = {0};
    weir_arena arena;
    memory_table table;
    memory_resolver resolver = {.resolver.resolve = memory_resolve, .tables = {&table}};
    weir_bind_context context = {.resolver = &resolver.resolver};
    weir_ast_statement *statement;
    weir_bound *bound;
    weir_sql_result *result;
    harness_rows rows = {0};
    weir_arena_init(&arena);
    memory_table_start(&table, "t", columns);
    for (int i = 0; i < count; i++) {
        memory_table_add(&table, items[i]);
    }
    check_code(weir_parse_statement(query, &arena, &statement, &err), &err);
    check_code(weir_bind_query(&context, statement->query, &bound, &err), &err);
    check_code(weir_sql_query_start(engine, bound, &result, &err), &err);
    append_result(result, &rows);
    harness_rows_text(&rows, out);
    harness_rows_free(&rows);
    weir_sql_result_free(result);
    weir_bound_free(bound);
    memory_table_free(&table);
    weir_arena_free(&arena);
}

/* --- The run --------------------------------------------------------------------------------------------------- */

typedef struct survivors {
    char *items[256];
    int count;
    int next_id;
} survivors;

/* Of equal rows the first goes. */
static void remove_row(survivors *rows, const char *text)
{
    int i = 0;
    while (strcmp(rows->items[i], text) != 0) {
        i++;
    }
    free(rows->items[i]);
    rows->count--;
    memmove(&rows->items[i], &rows->items[i + 1], sizeof *rows->items * (size_t)(rows->count - i));
}

static void add_change(survivors *rows, random_state *random, weir_arena *arena, bool retracts, weir_buffer *changes)
{
    uint64_t choice = retracts && rows->count > 0 ? random_below(random, 10) : 9;
    if (choice > 4 || rows->count < 3) {
        const char *row = random_row(random, arena, rows->next_id++);
        weir_buffer_append_format(changes, " +I %s", row);
        rows->items[rows->count++] = weir_strdup(row);
        return;
    }
    const char *old = weir_arena_strdup(arena, rows->items[random_below(random, (uint64_t)rows->count)]);
    remove_row(rows, old);
    if (choice > 1) {
        weir_buffer_append_format(changes, " -D %s", old);
        return;
    }
    const char *new = random_row(random, arena, rows->next_id++);
    weir_buffer_append_format(changes, " -U %s +U %s", old, new);
    rows->items[rows->count++] = weir_strdup(new);
}

static void compare(harness *h, weir_sql_engine *engine, const survivors *rows, int step)
{
    weir_buffer stream = {0};
    weir_buffer batch = {0};
    harness_rows_text(&h->rows, &stream);
    if (rows->count > 0) { /* without rows, a stream has none either */
        batch_result(engine, h->query, rows->items, rows->count, &batch);
    }
    if (strcmp(weir_buffer_text(&stream), weir_buffer_text(&batch)) != 0) {
        fail_msg("%s\n  after %d batches\n  stream %s\n  batch  %s\n  last changes %s", h->query, step,
                 weir_buffer_text(&stream), weir_buffer_text(&batch), weir_buffer_text(&h->changes));
    }
    weir_buffer_free(&stream);
    weir_buffer_free(&batch);
}

/* All runs share one engine, which is opened once. */
static void run(weir_sql_engine *engine, const char *query, random_state *random, bool retracts, const char *folder)
{
    harness *h = harness_open();
    weir_sql_engine *own = h->engine;
    h->engine = engine;
    harness_table *t = harness_add(h, "t", columns, retracts ? HARNESS_CHANGES : HARNESS_INSERTS);
    survivors rows = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    if (folder != NULL) {
        harness_set_folder(h, folder);
    }
    harness_start(h, query);
    for (int step = 1; step <= 24 && rows.count < 200; step++) {
        weir_buffer changes = {0};
        uint64_t count = 1 + random_below(random, step % 5 == 0 ? 12 : 4);
        for (uint64_t i = 0; i < count; i++) {
            add_change(&rows, random, &arena, retracts, &changes);
        }
        weir_buffer_clear(&h->changes);
        harness_push(t, weir_buffer_text(&changes));
        weir_buffer_free(&changes);
        if (folder != NULL && random_below(random, 5) == 0) {
            harness_restart(h);
        }
        if (step % 4 == 0) {
            compare(h, h->engine, &rows, step);
        }
    }
    while (rows.count > 0) {
        free(rows.items[--rows.count]);
    }
    weir_arena_free(&arena);
    harness_take_down(h);
    h->engine = own;
    harness_close(h);
}

static void remove_folder(const char *folder)
{
    char *command = weir_format("rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    free(command);
}

static void run_all(bool retracts, bool restarts)
{
    random_state random = random_start();
    const char *only = getenv("WEIR_QUERY");
    weir_error err = {0};
    weir_sql_engine *engine;
    check_code(weir_sql_engine_create(&(weir_sql_engine_options){.threads = 1}, &engine, &err), &err);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char folder[] = "/tmp/weir-aggregate-XXXXXX";
        if (only != NULL && (size_t)atoi(only) != i) {
            continue;
        }
        if (restarts) {
            assert_non_null(mkdtemp(folder));
        }
        run(engine, queries[i], &random, retracts, restarts ? folder : NULL);
        if (restarts) {
            remove_folder(folder);
        }
    }
    weir_sql_engine_free(engine);
}

static void streams_of_inserts_give_what_batch_gives(void **state)
{
    (void)state;
    run_all(false, false);
}

static void streams_of_changes_give_what_batch_gives_over_the_rows_that_are_left(void **state)
{
    (void)state;
    run_all(true, false);
}

static void they_go_on_from_their_state(void **state)
{
    (void)state;
    run_all(false, true);
    run_all(true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_inserts_give_what_batch_gives),
        cmocka_unit_test(streams_of_changes_give_what_batch_gives_over_the_rows_that_are_left),
        cmocka_unit_test(they_go_on_from_their_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
