/* Scripts that go on: what is passed over, what is done again, what is found committed although the journal does not
 * know. A run is a session over the same state folder. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"

typedef struct fixture {
    char folder[64];
    char warehouse[96], state[96];
    weir_session *session;
} fixture;

static int set_up(void **state)
{
    fixture *self = weir_alloc_zeroed(1, sizeof *self);
    snprintf(self->folder, sizeof self->folder, "/tmp/weir-resume-XXXXXX");
    *state = self;
    if (mkdtemp(self->folder) == NULL) {
        return -1;
    }
    snprintf(self->warehouse, sizeof self->warehouse, "%s/lake", self->folder);
    snprintf(self->state, sizeof self->state, "%s/state", self->folder);
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    weir_session_free(self->session);
    int code = weir_fs_remove_recursively(weir_fs_local(), self->folder, NULL);
    free(self);
    return code == WEIR_OK ? 0 : -1;
}

/* ---- runs ---- */

static void begin_run(fixture *self)
{
    weir_error err = {0};
    weir_session_options options = {
        .warehouse = self->warehouse, .threads = 2, .memory_bytes = 256 << 20, .state_folder = self->state};
    if (weir_session_create(&options, &self->session, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
}

/* As a crash would, as far as the journal goes: what it says stands there already. */
static void leave_run(fixture *self)
{
    weir_session_free(self->session);
    self->session = NULL;
}

static int execute(fixture *self, const char *text, char *shown, size_t size, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_result *result = NULL;
    weir_arena_init(&arena);
    int code = weir_parse_statement(text, &arena, &statement, err);
    if (code == WEIR_OK) {
        code = weir_session_execute(self->session, statement, text, &result, err);
    }
    if (code == WEIR_OK) {
        snprintf(shown, size, "%s", result->message == NULL ? "" : result->message);
    }
    weir_result_free(result);
    weir_arena_free(&arena);
    return code;
}

static void run(fixture *self, const char *text)
{
    char shown[256];
    weir_error err = {0};
    if (execute(self, text, shown, sizeof shown, &err) != WEIR_OK) {
        fail_msg("%s: %s", text, err.message);
    }
}

static void expect_passed_over(fixture *self, const char *text)
{
    char shown[256] = "";
    weir_error err = {0};
    assert_int_equal(execute(self, text, shown, sizeof shown, &err), WEIR_OK);
    assert_non_null(strstr(shown, "done by an earlier run"));
}

static int64_t count_rows(fixture *self, const char *table)
{
    char *text = weir_format("SELECT COUNT(*) FROM %s", table);
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_result *result = NULL;
    weir_batch batch;
    int64_t count = -1;
    weir_arena_init(&arena);
    assert_int_equal(weir_parse_statement(text, &arena, &statement, NULL), WEIR_OK);
    assert_int_equal(weir_session_execute(self->session, statement, text, &result, NULL), WEIR_OK);
    weir_batch_init(&batch, result->fields, result->field_count);
    assert_int_equal(result->next(result, &batch, NULL), WEIR_OK);
    memcpy(&count, batch.columns[0].data, sizeof count);
    weir_batch_free(&batch);
    weir_result_free(result);
    weir_arena_free(&arena);
    free(text);
    return count;
}

/* The journal loses its last line, as if the process had died before writing it. */
static void lose_last_line(fixture *self)
{
    char *path = weir_format("%s/journal.jsonl", self->state);
    weir_buffer text = {0};
    assert_int_equal(weir_fs_read_all(weir_fs_local(), path, &text, NULL), WEIR_OK);
    size_t size = text.size - 1;
    while (size > 0 && text.data[size - 1] != '\n') {
        size--;
    }
    assert_int_equal(truncate(path, (off_t)size), 0);
    weir_buffer_free(&text);
    free(path);
}

static const char *const batch = "SET 'execution.runtime-mode' = 'batch'";
static const char *const create = "CREATE TABLE t (k INT, v INT)";

/* ---- tests ---- */

static void what_is_done_is_passed_over(void **state)
{
    fixture *self = *state;
    begin_run(self);
    run(self, create);
    run(self, "INSERT INTO t VALUES (1, 1)");
    leave_run(self);

    begin_run(self);
    expect_passed_over(self, create);
    expect_passed_over(self, "INSERT INTO t\n   VALUES (1, 1)");
    run(self, "INSERT INTO t VALUES (2, 2)");
    assert_int_equal(count_rows(self, "t"), 2);
}

static void a_commit_that_the_journal_does_not_know_is_found(void **state)
{
    fixture *self = *state;
    const char *inserts[] = {
        "INSERT INTO t VALUES (1, 1)", "UPDATE p SET v = v + 1 WHERE k > 0",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO t VALUES (5, 5); INSERT INTO t VALUES (6, 6); END"};
    begin_run(self);
    run(self, batch);
    run(self, create);
    run(self, "CREATE TABLE p (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1')");
    run(self, "INSERT INTO p VALUES (1, 1)");
    for (size_t i = 0; i < sizeof inserts / sizeof *inserts; i++) {
        run(self, inserts[i]);
        leave_run(self);
        lose_last_line(self);

        begin_run(self);
        run(self, batch);
        expect_passed_over(self, create);
        expect_passed_over(self, "CREATE TABLE p (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('bucket' = '1')");
        expect_passed_over(self, "INSERT INTO p VALUES (1, 1)");
        for (size_t j = 0; j < i; j++) {
            expect_passed_over(self, inserts[j]);
        }
        run(self, inserts[i]);
    }
    assert_int_equal(count_rows(self, "t"), 3);
    assert_int_equal(count_rows(self, "p WHERE v = 2"), 1);
}

static void another_statement_in_the_place_of_an_interrupted_one_runs(void **state)
{
    fixture *self = *state;
    begin_run(self);
    run(self, batch);
    run(self, create);
    run(self, "INSERT INTO t VALUES (1, 1)");
    leave_run(self);
    lose_last_line(self);

    begin_run(self);
    run(self, batch);
    expect_passed_over(self, create);
    run(self, "INSERT INTO t VALUES (2, 2)");
    assert_int_equal(count_rows(self, "t"), 2);
    assert_int_equal(count_rows(self, "t WHERE k = 2"), 1);
}

static void a_create_that_the_journal_does_not_know_finds_the_same_table(void **state)
{
    fixture *self = *state;
    char shown[256];
    weir_error err = {0};
    begin_run(self);
    run(self, "CREATE DATABASE d");
    leave_run(self);
    lose_last_line(self);

    begin_run(self);
    run(self, "CREATE DATABASE d");
    run(self, create);
    leave_run(self);
    lose_last_line(self);

    begin_run(self);
    expect_passed_over(self, "CREATE DATABASE d");
    run(self, create);
    leave_run(self);
    lose_last_line(self);

    begin_run(self);
    expect_passed_over(self, "CREATE DATABASE d");
    assert_int_equal(execute(self, "CREATE TABLE t (k INT, v BIGINT)", shown, sizeof shown, &err), WEIR_EXISTS);
    assert_non_null(strstr(err.message, "with another definition"));
}

static void a_table_that_was_made_and_not_filled_is_filled(void **state)
{
    fixture *self = *state;
    const char *text = "CREATE TABLE filled AS SELECT k, v FROM (VALUES (1, 2), (3, 4)) AS s(k, v)";
    begin_run(self);
    run(self, text);
    leave_run(self);
    lose_last_line(self);

    begin_run(self); /* its commit is found */
    run(self, text);
    assert_int_equal(count_rows(self, "filled"), 2);
}

static void what_belongs_to_the_session_is_made_again(void **state)
{
    fixture *self = *state;
    for (int i = 0; i < 2; i++) {
        begin_run(self);
        run(self, "CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '10')");
        run(self, "SET 'pipeline.name' = 'filling'");
        run(self, "CREATE TABLE IF NOT EXISTS t (n INT)");
        run(self, "INSERT INTO t SELECT n FROM numbers");
        run(self, "INSERT INTO t SELECT n FROM numbers");
        assert_int_equal(count_rows(self, "t"), 20);
        leave_run(self);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_is_done_is_passed_over),
        TEST(a_commit_that_the_journal_does_not_know_is_found),
        TEST(another_statement_in_the_place_of_an_interrupted_one_runs),
        TEST(a_create_that_the_journal_does_not_know_finds_the_same_table),
        TEST(a_table_that_was_made_and_not_filled_is_filled),
        TEST(what_belongs_to_the_session_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
