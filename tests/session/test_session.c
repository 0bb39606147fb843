/* Sessions as programs use them: results, counters of changes, progress, cancelling. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"

typedef struct fixture {
    char warehouse[64];
    weir_session *session;
} fixture;

static int open_fixture(void **state)
{
    fixture *self = weir_alloc_zeroed(1, sizeof *self);
    snprintf(self->warehouse, sizeof self->warehouse, "/tmp/weir-session-XXXXXX");
    if (mkdtemp(self->warehouse) == NULL) {
        return -1;
    }
    weir_session_options options = {
        .warehouse = self->warehouse,
        .threads = 2,
        .memory_bytes = 256 << 20,
    };
    *state = self;
    return weir_session_create(&options, &self->session, NULL) == WEIR_OK ? 0 : -1;
}

static int close_fixture(void **state)
{
    fixture *self = *state;
    weir_session_free(self->session);
    weir_fs_remove_recursively(weir_fs_local(), self->warehouse, NULL);
    free(self);
    return 0;
}

static int execute(fixture *self, const char *text, weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_arena_init(&arena);
    int code = weir_parse_statement(text, &arena, &statement, err);
    if (code == WEIR_OK) {
        code = weir_session_execute(self->session, statement, text, out, err);
    }
    weir_arena_free(&arena);
    return code;
}

/* Runs a statement that must succeed and gives what it changed. */
static weir_change_summary change(fixture *self, const char *text)
{
    weir_result *result = NULL;
    weir_error err = {0};
    int code = execute(self, text, &result, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(code, WEIR_OK);
    weir_change_summary changes = result->changes;
    weir_result_free(result);
    return changes;
}

static void a_warehouse_option_makes_a_catalog_and_uses_it(void **state)
{
    fixture *self = *state;
    weir_result *result = NULL;
    weir_batch batch;
    assert_int_equal(execute(self, "SHOW CURRENT CATALOG", &result, NULL), WEIR_OK);
    weir_batch_init(&batch, result->fields, result->field_count);
    assert_int_equal(result->next(result, &batch, NULL), WEIR_OK);
    assert_int_equal(batch.length, 1);
    assert_true(weir_slice_equal(weir_vector_bytes(batch.columns, 0), weir_slice_text("paimon")));
    assert_int_equal(result->next(result, &batch, NULL), WEIR_END);
    weir_batch_free(&batch);
    weir_result_free(result);
}

static void an_insert_tells_its_rows_commits_snapshot_and_files(void **state)
{
    fixture *self = *state;
    change(self, "CREATE TABLE t (k INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1')");
    weir_change_summary changes = change(self, "INSERT INTO t VALUES (1), (2), (3)");
    assert_int_equal(changes.rows, 3);
    assert_int_equal(changes.commits, 1);
    assert_int_equal(changes.last_snapshot, 1);
    assert_int_equal(changes.files, 1);
    assert_true(changes.elapsed_ns > 0);
}

static void an_insert_of_nothing_makes_no_snapshot(void **state)
{
    fixture *self = *state;
    change(self, "CREATE TABLE t (k INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1')");
    change(self, "SET 'execution.runtime-mode' = 'batch'");
    weir_change_summary changes = change(self, "INSERT INTO t SELECT k FROM t");
    assert_int_equal(changes.rows, 0);
    assert_int_equal(changes.commits, 0);
    assert_int_equal(changes.last_snapshot, 0);
}

static const char *const numbers = "CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen', "
                                   "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000')";

static void an_insert_commits_after_the_rows_that_were_set(void **state)
{
    fixture *self = *state;
    change(self, numbers);
    change(self, "CREATE TABLE t (n INT, PRIMARY KEY (n) NOT ENFORCED) WITH ('bucket' = '1', 'write-only' = 'true')");
    change(self, "SET 'weir.commit-rows' = '300'");
    weir_change_summary changes = change(self, "INSERT INTO t SELECT n FROM numbers");
    assert_int_equal(changes.rows, 1000);
    assert_int_equal(changes.commits, 4);
    assert_int_equal(changes.last_snapshot, 4);
}

static void batch_mode_makes_one_commit(void **state)
{
    fixture *self = *state;
    change(self, numbers);
    change(self, "CREATE TABLE t (n INT, PRIMARY KEY (n) NOT ENFORCED) WITH ('bucket' = '1', 'write-only' = 'true')");
    change(self, "SET 'weir.commit-rows' = '300'");
    change(self, "SET 'execution.runtime-mode' = 'batch'");
    weir_change_summary changes = change(self, "INSERT INTO t SELECT n FROM numbers");
    assert_int_equal(changes.rows, 1000);
    assert_int_equal(changes.commits, 1);
}

/* Cancels once rows were written, from another thread. */
static void *cancel_when_it_runs(void *session)
{
    weir_progress progress = {0};
    while (progress.rows == 0) {
        weir_sleep_ms(1);
        weir_session_progress(session, &progress);
    }
    weir_session_cancel(session);
    return NULL;
}

/* Cancels once rows were read. */
static void *cancel_when_it_reads(void *session)
{
    weir_progress progress = {0};
    while (progress.read.rows == 0) {
        weir_sleep_ms(1);
        weir_session_progress(session, &progress);
    }
    weir_session_cancel(session);
    return NULL;
}

static void an_insert_that_takes_long_can_be_cancelled(void **state)
{
    fixture *self = *state;
    pthread_t thread;
    weir_result *result = NULL;
    weir_error err = {0};
    change(self, "CREATE TEMPORARY TABLE endless (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000', "
                 "'number-of-rows' = '1000000000')");
    change(self, "CREATE TEMPORARY TABLE nowhere (n INT) WITH ('connector' = 'blackhole')");
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_it_runs, self->session), 0);
    assert_int_equal(execute(self, "INSERT INTO nowhere SELECT n FROM endless", &result, &err), WEIR_CANCELLED);
    pthread_join(thread, NULL);
    /* The session goes on. */
    change(self, "INSERT INTO nowhere VALUES (1)");
}

static void a_query_can_be_cancelled_before_its_first_rows(void **state)
{
    fixture *self = *state;
    pthread_t thread;
    weir_result *result = NULL;
    weir_batch batch;
    weir_error err = {0};
    /* A sum gives no rows before it has read all of these, which would take days. */
    change(self, "CREATE TEMPORARY TABLE many (n BIGINT) WITH ('connector' = 'datagen', "
                 "'number-of-rows' = '1000000000000')");
    assert_int_equal(execute(self, "SELECT SUM(n + 1) FROM many WHERE n > 5", &result, &err), WEIR_OK);
    weir_batch_init(&batch, result->fields, result->field_count);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_it_reads, self->session), 0);
    assert_int_equal(result->next(result, &batch, &err), WEIR_CANCELLED);
    pthread_join(thread, NULL);
    weir_batch_free(&batch);
    weir_result_free(result);
    change(self, "CREATE TABLE t (k INT)");
}

static void a_query_that_would_never_end_is_refused(void **state)
{
    fixture *self = *state;
    weir_result *result = NULL;
    weir_error err = {0};
    change(self, "CREATE TEMPORARY TABLE endless (n INT) WITH ('connector' = 'datagen')");
    assert_int_equal(execute(self, "SELECT n FROM endless", &result, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "never ends"));
    assert_int_equal(err.column, 15);
}

/* Whether the text of a plan, which is one value, says so. */
static void plan_says(fixture *self, const char *query, const char *expected)
{
    weir_result *result = NULL;
    weir_batch batch;
    weir_error err = {0};
    assert_int_equal(execute(self, query, &result, &err), WEIR_OK);
    weir_batch_init(&batch, result->fields, result->field_count);
    assert_int_equal(result->next(result, &batch, NULL), WEIR_OK);
    weir_slice text = weir_vector_bytes(&batch.columns[0], 0);
    if (memmem(text.data, text.size, expected, strlen(expected)) == NULL) {
        fail_msg("%s\nsays\n%.*s\nand not %s", query, (int)text.size, (const char *)text.data, expected);
    }
    weir_batch_free(&batch);
    weir_result_free(result);
}

static void a_plan_tells_what_its_scans_leave_out(void **state)
{
    fixture *self = *state;
    change(self, "SET 'execution.runtime-mode' = 'batch'");
    change(self, "CREATE TEMPORARY TABLE many (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000', "
                 "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '60000')");
    change(self, "CREATE TABLE paged (n INT, p INT) PARTITIONED BY (p) WITH ('bucket' = '-1')");
    change(self, "INSERT INTO paged SELECT n, 1 FROM many");
    change(self, "INSERT INTO paged VALUES (7, 2), (8, 3)");
    plan_says(self, "EXPLAIN SELECT n FROM paged WHERE p = 2", "1 of 3 files");
    plan_says(self, "EXPLAIN SELECT n FROM paged WHERE p > 1", "2 of 3 files");
    plan_says(self, "EXPLAIN SELECT n FROM paged WHERE n = 30000", "1 of 3 files");
    plan_says(self, "EXPLAIN SELECT n FROM paged WHERE n = 30000",
              "1 of 1 row groups; 20000 of 60000 rows are in pages that may match");
    plan_says(self, "EXPLAIN SELECT n FROM paged WHERE CAST(n AS DECIMAL(12, 2)) < 100.5 AND p = 1",
              "20000 of 60000 rows");
    plan_says(self, "EXPLAIN SELECT n FROM paged WHERE n < 0", "0 of 3 files");
    plan_says(self, "EXPLAIN SELECT n FROM paged LIMIT 2", "1 split");
    plan_says(self, "EXPLAIN SELECT a.n FROM paged AS a JOIN paged AS b ON a.n = b.n WHERE a.p = 2 AND b.n > 59999",
              "0 of 3 files"); /* a.n is beyond 59999 too */
}

/* The number of rows of a query, or the code of its failure. */
static int64_t count_rows(fixture *self, const char *query)
{
    weir_result *result = NULL;
    weir_batch batch;
    int64_t rows = 0;
    int code = execute(self, query, &result, NULL);
    if (code != WEIR_OK) {
        return -code;
    }
    weir_batch_init(&batch, result->fields, result->field_count);
    while ((code = result->next(result, &batch, NULL)) == WEIR_OK) {
        rows += batch.length;
    }
    weir_batch_free(&batch);
    weir_result_free(result);
    return code == WEIR_END ? rows : -code;
}

/* In how many of the four buckets of `large` a join looks: without their files it fails. */
static int buckets_read(fixture *self, const char *query, int64_t rows)
{
    int needed = 0;
    for (int bucket = 0; bucket < 4; bucket++) {
        char there[200], away[200];
        snprintf(there, sizeof there, "%s/default.db/large/bucket-%d", self->warehouse, bucket);
        snprintf(away, sizeof away, "%s/away", self->warehouse);
        assert_int_equal(rename(there, away), 0);
        needed += count_rows(self, query) != rows;
        assert_int_equal(rename(away, there), 0);
    }
    assert_int_equal(count_rows(self, query), rows);
    return needed;
}

static void keys_of_a_small_side_leave_out_buckets_of_a_large_one(void **state)
{
    fixture *self = *state;
    change(self, "SET 'execution.runtime-mode' = 'batch'");
    change(self, "CREATE TEMPORARY TABLE many (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000', "
                 "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '60000')");
    change(self, "CREATE TABLE large (n INT, v INT, PRIMARY KEY (n) NOT ENFORCED) WITH ('bucket' = '4')");
    change(self, "CREATE TABLE small (n INT, v INT) WITH ('bucket' = '-1')");
    change(self, "INSERT INTO large SELECT n, n FROM many");
    change(self, "INSERT INTO small VALUES (7, 1), (7, 2), (70000, 3), (CAST(NULL AS INT), 4)");
    assert_int_equal(buckets_read(self, "SELECT l.v FROM large AS l JOIN small AS s ON l.n = s.n WHERE s.v < 3", 2), 1);
    assert_in_range(buckets_read(self, "SELECT l.v FROM small AS s LEFT JOIN large AS l ON l.n = s.n", 4), 1, 2);
    assert_int_equal(buckets_read(self, "SELECT l.v FROM large AS l WHERE l.n IN (SELECT n FROM small WHERE v = 1)", 1),
                     1);
    assert_int_equal(buckets_read(self, "SELECT l.v FROM large AS l JOIN small AS s ON l.n = s.n WHERE s.v > 9", 0), 0);
    assert_int_equal(buckets_read(self, "SELECT l.v FROM large AS l LEFT JOIN small AS s ON l.n = s.n", 60001), 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(a_warehouse_option_makes_a_catalog_and_uses_it),
        TEST(an_insert_tells_its_rows_commits_snapshot_and_files),
        TEST(an_insert_of_nothing_makes_no_snapshot),
        TEST(an_insert_commits_after_the_rows_that_were_set),
        TEST(batch_mode_makes_one_commit),
        TEST(an_insert_that_takes_long_can_be_cancelled),
        TEST(a_query_can_be_cancelled_before_its_first_rows),
        TEST(a_query_that_would_never_end_is_refused),
        TEST(a_plan_tells_what_its_scans_leave_out),
        TEST(keys_of_a_small_side_leave_out_buckets_of_a_large_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
