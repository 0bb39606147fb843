/* Random queries with joins and nested, correlated subqueries over Paimon tables, compared with what DuckDB makes of
 * the same text over the same rows: its own way to undo correlation has nothing to do with ours. WEIR_SEED repeats a
 * run, WEIR_RANDOM_QUERIES says how many. */
#include "cmocka_all.h"

#include <duckdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "random_query.h"
#include "session/session.h"
#include "sql/parser.h"
#include "vector/literal.h"

typedef struct fixture {
    random_state random;
    random_query query;
    char warehouse[64];
    weir_session *session;
    duckdb_database database;
    duckdb_connection connection;
} fixture;

static int pick(fixture *f, int below) { return query_pick(&f->query, below); }

/* ---- running it ---- */

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Rows in byte order, so that those of both engines can be compared. */
static char *sorted(weir_buffer *rows)
{
    char *lines[8192];
    size_t count = 0;
    weir_buffer all = {0};
    char *copy = weir_strdup(weir_buffer_text(rows));
    for (char *rest = NULL, *line = strtok_r(copy, "\n", &rest); line != NULL && count < 8192;
         line = strtok_r(NULL, "\n", &rest)) {
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&all, "%s\n", lines[i]);
    }
    char *text = weir_strdup(weir_buffer_text(&all));
    weir_buffer_free(&all);
    free(copy);
    return text;
}

static int run_weir(fixture *f, const char *sql, weir_buffer *out, weir_error *err)
{
    weir_script script;
    int code = WEIR_OK;
    weir_script_init(&script, sql, strlen(sql));
    while (code == WEIR_OK) {
        weir_arena arena;
        weir_ast_statement *statement = NULL;
        weir_result *result = NULL;
        weir_batch batch;
        weir_arena_init(&arena);
        code = weir_script_next(&script, &arena, &statement, err);
        code = code != WEIR_OK ? code : weir_session_execute(f->session, statement, sql, &result, err);
        if (code == WEIR_OK && result->kind == WEIR_RESULT_ROWS) {
            weir_batch_init(&batch, result->fields, result->field_count);
            while ((code = result->next(result, &batch, err)) == WEIR_OK) {
                for (int64_t row = 0; row < batch.length; row++) {
                    for (int32_t c = 0; c < batch.column_count; c++) {
                        weir_buffer_append_text(out, c == 0 ? "" : " ");
                        weir_value_to_json(&batch.columns[c], row, out);
                    }
                    weir_buffer_append_text(out, "\n");
                }
            }
            weir_batch_free(&batch);
            code = code == WEIR_END ? WEIR_OK : code;
        }
        weir_result_free(result);
        weir_arena_free(&arena);
    }
    return code == WEIR_END ? WEIR_OK : code;
}

/* False when DuckDB does not take the query. */
static bool run_duckdb(fixture *f, const char *sql, weir_buffer *out)
{
    duckdb_result result;
    bool fine = duckdb_query(f->connection, sql, &result) == DuckDBSuccess;
    for (idx_t row = 0; fine && row < duckdb_row_count(&result); row++) {
        for (idx_t c = 0; c < duckdb_column_count(&result); c++) {
            char *value = duckdb_value_varchar(&result, c, row);
            weir_buffer_append_format(out, "%s%s", c == 0 ? "" : " ", value == NULL ? "null" : value);
            duckdb_free(value);
        }
        weir_buffer_append_text(out, "\n");
    }
    duckdb_destroy_result(&result);
    return fine;
}

static void compare(fixture *f)
{
    weir_buffer expected = {0}, found = {0};
    weir_error err = {0};
    const char *sql = weir_buffer_text(&f->query.sql);
    if (run_duckdb(f, sql, &expected)) {
        if (run_weir(f, sql, &found, &err) != WEIR_OK) {
            fail_msg("%s\n%s", sql, err.message);
        }
        char *a = sorted(&expected);
        char *b = sorted(&found);
        if (strcmp(a, b) != 0) {
            fail_msg("%s\ngives\n%sand not\n%s", sql, b, a);
        }
        free(a);
        free(b);
    }
    weir_buffer_free(&expected);
    weir_buffer_free(&found);
}

/* ---- tables ---- */

static void make_tables(fixture *f)
{
    weir_error err = {0};
    weir_buffer ignored = {0};
    for (const char *name = "abc"; *name != '\0'; name++) {
        weir_buffer_clear(&f->query.sql);
        weir_buffer_append_format(&f->query.sql, "CREATE TABLE %c (k INT, v INT); INSERT INTO %c VALUES ", *name,
                                  *name);
        for (int row = 3 + pick(f, 6); row > 0; row--) {
            query_put(&f->query, "(");
            for (int c = 0; c < 2; c++) {
                query_put(&f->query, c == 0 ? "" : ", ");
                if (query_chance(&f->query, 20)) {
                    query_put(&f->query, "CAST(NULL AS INT)");
                } else {
                    weir_buffer_append_format(&f->query.sql, "%d", pick(f, 5));
                }
            }
            query_put(&f->query, row == 1 ? ")" : "), ");
        }
        assert_true(run_duckdb(f, weir_buffer_text(&f->query.sql), &ignored));
        assert_int_equal(run_weir(f, weir_buffer_text(&f->query.sql), &ignored, &err), WEIR_OK);
    }
    weir_buffer_free(&ignored);
}

static void subqueries_and_joins_are_as_in_duckdb(void **state)
{
    (void)state;
    fixture f = {.warehouse = "/tmp/weir-random-XXXXXX"};
    const char *count = getenv("WEIR_RANDOM_QUERIES");
    char sql[256];
    weir_buffer ignored = {0};
    weir_error err = {0};
    weir_session_options options = {.threads = 2, .memory_bytes = 512 << 20};
    f.random = random_start();
    f.query.random = &f.random;
    assert_non_null(mkdtemp(f.warehouse));
    assert_int_equal(weir_session_create(&options, &f.session, &err), WEIR_OK);
    assert_int_equal(duckdb_open(NULL, &f.database), DuckDBSuccess);
    assert_int_equal(duckdb_connect(f.database, &f.connection), DuckDBSuccess);
    snprintf(sql, sizeof sql, "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '%s'); USE CATALOG lake",
             f.warehouse);
    assert_int_equal(run_weir(&f, sql, &ignored, &err), WEIR_OK);
    make_tables(&f);
    for (int i = count == NULL ? 300 : atoi(count); i > 0; i--) {
        query_make_nested(&f.query, 3);
        compare(&f);
    }
    weir_buffer_free(&f.query.sql);
    weir_buffer_free(&ignored);
    duckdb_disconnect(&f.connection);
    duckdb_close(&f.database);
    weir_session_free(f.session);
    weir_fs_remove_recursively(weir_fs_local(), f.warehouse, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(subqueries_and_joins_are_as_in_duckdb)};
    return cmocka_run_group_tests_name("random queries", tests, NULL, NULL);
}
