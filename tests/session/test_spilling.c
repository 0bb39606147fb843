/* Queries over more rows than memory holds: they spill and give the right rows, or say that they need more. */
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"
#include "vector/literal.h"

#define ROWS 400000

typedef struct fixture {
    char folder[64]; /* for temporary files */
    weir_session *session;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/weir-spilling-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    setenv("TMPDIR", f->folder, 1);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    weir_fs_remove_recursively(weir_fs_local(), f->folder, NULL);
    free(f);
    return 0;
}

/* Runs a statement; of a query, the number of rows and the first value of the last one. */
static int run(fixture *f, const char *sql, int64_t *out_rows, weir_buffer *out_last, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_result *result = NULL;
    weir_arena_init(&arena);
    *out_rows = 0;
    int code = weir_parse_statement(sql, &arena, &statement, err);
    code = code == WEIR_OK ? weir_session_execute(f->session, statement, sql, &result, err) : code;
    if (code == WEIR_OK && result->kind == WEIR_RESULT_ROWS) {
        weir_batch batch;
        weir_batch_init(&batch, result->fields, result->field_count);
        while ((code = result->next(result, &batch, err)) == WEIR_OK) {
            *out_rows += batch.length;
            weir_buffer_clear(out_last);
            weir_value_to_json(&batch.columns[0], batch.length - 1, out_last);
        }
        weir_batch_free(&batch);
    }
    weir_result_free(result);
    weir_arena_free(&arena);
    return code == WEIR_END ? WEIR_OK : code;
}

static bool is_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    int entries = 0;
    while (folder != NULL && readdir(folder) != NULL) {
        entries++;
    }
    closedir(folder);
    return entries == 2;
}

/* With so much memory, each query gives its answer, or fails for want of memory where that is allowed. */
static void check_with(fixture *f, int64_t memory_bytes, bool may_fail)
{
    static const struct {
        const char *sql;
        int64_t rows;
        const char *last; /* NULL: any */
    } cases[] = {
        {"SELECT SUM(n) FROM (SELECT k, s, COUNT(*) AS n FROM rows_of_text GROUP BY k, s) AS g", 1, "400000"},
        {"SELECT COUNT(*) FROM (SELECT DISTINCT s, k FROM rows_of_text) AS d", 1, "400000"},
        {"SELECT COUNT(*) FROM rows_of_text AS a JOIN rows_of_text AS b ON a.k = b.k WHERE a.s <> b.s", 1, "400000"},
        {"SELECT k, s FROM rows_of_text ORDER BY k DESC, s", ROWS, "1"},
        {"SELECT ROW_NUMBER() OVER (ORDER BY s), s FROM rows_of_text", ROWS, NULL},
    };
    weir_session_options options = {.threads = 2, .memory_bytes = memory_bytes};
    weir_buffer last = {0};
    weir_error err = {0};
    int64_t rows;
    assert_int_equal(weir_session_create(&options, &f->session, NULL), WEIR_OK);
    assert_int_equal(run(f,
                         "CREATE TEMPORARY TABLE rows_of_text (k BIGINT, s STRING) WITH ('connector' = 'datagen', "
                         "'number-of-rows' = '400000', 'rows-per-second' = '100000000', 'fields.k.kind' = 'sequence', "
                         "'fields.k.start' = '1', "
                         "'fields.k.end' = '400000', 'fields.s.length' = '100')",
                         &rows, &last, &err),
                     WEIR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = run(f, cases[i].sql, &rows, &last, &err);
        if (code == WEIR_NO_MEMORY && may_fail) {
            assert_non_null(strstr(err.message, "--memory"));
            continue;
        }
        if (code != WEIR_OK || rows != cases[i].rows ||
            (cases[i].last != NULL && strcmp(weir_buffer_text(&last), cases[i].last) != 0)) {
            fail_msg("%s\ngives %lld rows, the last %s; %s", cases[i].sql, (long long)rows, weir_buffer_text(&last),
                     code != WEIR_OK ? err.message : "");
        }
    }
    weir_session_free(f->session);
    weir_buffer_free(&last);
    assert_true(is_empty_folder(f->folder));
}

static void queries_spill_what_memory_does_not_hold(void **state) { check_with(*state, 128 << 20, false); }

static void with_too_little_memory_they_say_so(void **state) { check_with(*state, 32 << 20, true); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queries_spill_what_memory_does_not_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(with_too_little_memory_they_say_so, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
