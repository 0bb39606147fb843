/* The end of a session whose jobs still run. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"

enum { JOBS = 6 };

static void run(weir_session *session, const char *text)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_result *result = NULL;
    weir_error err = {0};
    weir_arena_init(&arena);
    int code = weir_parse_statement(text, &arena, &statement, &err);
    if (code == WEIR_OK) {
        code = weir_session_execute(session, statement, text, &result, &err);
    }
    if (code != WEIR_OK) {
        fail_msg("%s: %s", text, err.message);
    }
    weir_result_free(result);
    weir_arena_free(&arena);
}

/* The last checkpoint of each commits rows, which wakes the others. The first ones have few rows, and end first. */
static void a_session_ends_while_its_jobs_run(void **state)
{
    char folder[] = "/tmp/weir-jobs-XXXXXX";
    char text[256];
    weir_session *session = NULL;
    weir_error err = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    char *warehouse = weir_format("%s/lake", folder);
    weir_session_options options = {.warehouse = warehouse, .threads = 2, .memory_bytes = 512 << 20};
    assert_int_equal(weir_session_create(&options, &session, &err), WEIR_OK);
    weir_session_expect_jobs(session, JOBS);
    run(session, "SET 'execution.checkpointing.interval' = '1 h'");
    for (int i = 0; i < JOBS; i++) {
        snprintf(text, sizeof text,
                 "CREATE TEMPORARY TABLE s%d (id INT, v STRING) WITH ('connector' = 'datagen', "
                 "'rows-per-second' = '%d')",
                 i, i == 0 ? 10 : i * 20000);
        run(session, text);
        snprintf(text, sizeof text, "CREATE TABLE t%d (id INT, v STRING)", i);
        run(session, text);
        snprintf(text, sizeof text, "INSERT INTO t%d SELECT id, v FROM s%d", i, i);
        run(session, text);
    }
    weir_sleep_ms(300);
    assert_true(weir_session_has_jobs(session));
    weir_session_free(session);
    assert_int_equal(weir_fs_remove_recursively(weir_fs_local(), folder, NULL), WEIR_OK);
    free(warehouse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_ends_while_its_jobs_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
