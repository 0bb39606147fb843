/* CREATE OR REPLACE TABLE … AS SELECT over a file system that fails: the table is the old one or the new one. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <unistd.h>

#include "fs/fault.h"
#include "session/state.h"
#include "sql/parser.h"

typedef struct fixture {
    weir_fs *memory, *fs;
    weir_session *session;
} fixture;

static int execute(weir_session *session, const char *text, weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_arena_init(&arena);
    int code = weir_parse_statement(text, &arena, &statement, err);
    if (code == WEIR_OK) {
        code = weir_session_execute(session, statement, text, out, err);
    }
    weir_arena_free(&arena);
    return code;
}

static void run(fixture *self, const char *text)
{
    weir_result *result = NULL;
    weir_error err = {0};
    int code = execute(self->session, text, &result, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(code, WEIR_OK);
    weir_result_free(result);
}

/* A catalog over the failing file system, in place of one that the statement makes. */
static void begin(fixture *self)
{
    char folder[] = "/tmp/weir-replace-XXXXXX", text[160];
    weir_session_options options = {.threads = 1, .memory_bytes = 256 << 20};
    assert_non_null(mkdtemp(folder));
    self->memory = weir_fs_memory();
    self->fs = weir_fs_fault(self->memory, (weir_fault_options){0});
    assert_int_equal(weir_session_create(&options, &self->session, NULL), WEIR_OK);
    snprintf(text, sizeof text, "CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '%s')", folder);
    run(self, text);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
    weir_session_catalog *catalog = weir_catalogs_find(&self->session->catalogs, "c");
    weir_catalog_close(catalog->paimon);
    assert_int_equal(weir_catalog_on_filesystem(self->fs, "/w", &catalog->paimon, NULL), WEIR_OK);
    run(self, "USE CATALOG c");
    run(self, "CREATE DATABASE d");
    run(self, "USE d");
    run(self, "SET 'execution.runtime-mode' = 'batch'");
    run(self, "CREATE TABLE t AS SELECT 1 AS x");
}

static void end(fixture *self)
{
    weir_session_free(self->session);
    weir_fs_close(self->fs);
    weir_fs_close(self->memory);
}

static int64_t read_only_row(fixture *self, const char *when)
{
    weir_result *result = NULL;
    weir_error err = {0};
    weir_batch batch;
    if (execute(self->session, "SELECT SUM(x) FROM t", &result, &err) != WEIR_OK) {
        fail_msg("%s: %s", when, err.message);
    }
    weir_batch_init(&batch, result->fields, result->field_count);
    if (result->next(result, &batch, &err) != WEIR_OK) {
        fail_msg("%s: %s", when, err.message);
    }
    int64_t value = batch.columns[0].null_count > 0 ? 0 : weir_literal_of(&batch.columns[0], 0).integer;
    weir_batch_free(&batch);
    weir_result_free(result);
    return value;
}

static void a_table_is_the_old_or_the_new_one_whatever_fails(void **state)
{
    (void)state;
    bool failed = true;
    for (uint64_t point = 1; failed; point++) {
        fixture self;
        weir_result *result = NULL;
        weir_error err = {0};
        char when[64];
        begin(&self);
        snprintf(when, sizeof when, "operation %" PRIu64 " failed", point);
        weir_fs_fault_set_options(self.fs, (weir_fault_options){.stop_at = point, .fail_once = true});
        int code = execute(self.session, "CREATE OR REPLACE TABLE t AS SELECT x + 1 AS x FROM t", &result, &err);
        failed = weir_fs_fault_operations(self.fs) >= point;
        weir_fs_fault_set_options(self.fs, (weir_fault_options){0});
        weir_result_free(result);
        int64_t value = read_only_row(&self, when);
        assert_int_equal(value, code == WEIR_OK ? 2 : 1);
        run(&self, "CREATE OR REPLACE TABLE t AS SELECT x + 1 AS x FROM t");
        assert_int_equal(read_only_row(&self, when), value + 1);
        end(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_the_old_or_the_new_one_whatever_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
