/* Random queries with joins and nested, correlated subqueries over Paimon tables, compared with what DuckDB makes of
 * the same text over the same rows: its own way to undo correlation has nothing to do with ours. WEIR_SEED repeats a
 * run, WEIR_RANDOM_QUERIES says how many. */
#include "cmocka_all.h"

#include <duckdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "random.h"
#include "session/session.h"
#include "sql/parser.h"
#include "vector/literal.h"

typedef struct fixture {
    random_state random;
    int aliases;
    weir_buffer sql;
    char warehouse[64];
    weir_session *session;
    duckdb_database database;
    duckdb_connection connection;
} fixture;

/* Relations that a part of a query sees, one scope after the other. */
typedef struct scopes {
    int first[8]; /* alias numbers of a scope */
    int count[8];
    int depth;
} scopes;

static int pick(fixture *f, int below) { return (int)random_below(&f->random, (uint64_t)below); }

static bool chance(fixture *f, int percent) { return pick(f, 100) < percent; }

static const char *one_of(fixture *f, const char *const *texts, int count) { return texts[pick(f, count)]; }

static void put(fixture *f, const char *text) { weir_buffer_append_text(&f->sql, text); }

static void put_predicate(fixture *f, const scopes *around, int depth);
static void put_scalar(fixture *f, const scopes *around, int depth);

/* ---- pieces of a query ---- */

static void put_column(fixture *f, const scopes *around)
{
    int scope = chance(f, 60) ? around->depth - 1 : pick(f, around->depth);
    int alias = around->first[scope] + pick(f, around->count[scope]);
    weir_buffer_append_format(&f->sql, "t%d.%c", alias, "kv"[pick(f, 2)]);
}

static const char *table(fixture *f)
{
    static const char *const tables[] = {"a", "b", "c"};
    return one_of(f, tables, 3);
}

/* FROM: adds a scope with what it names. */
static void put_from(fixture *f, scopes *inner, int depth)
{
    static const char *const joins[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
    static const char *const sets[] = {"UNION", "UNION ALL", "INTERSECT", "EXCEPT"};
    int first = f->aliases++;
    int kind = pick(f, 10);
    inner->first[inner->depth] = first;
    inner->count[inner->depth] = 1;
    if (kind < 3) {
        f->aliases++;
        inner->count[inner->depth] = 2;
        weir_buffer_append_format(&f->sql, "%s AS t%d %s %s AS t%d ON t%d.k = t%d.%c", table(f), first,
                                  one_of(f, joins, 4), table(f), first + 1, first, first + 1, "kv"[pick(f, 2)]);
    } else if (kind == 3 && depth > 0) {
        weir_buffer_append_format(&f->sql, "(SELECT k, COUNT(*) AS v FROM %s GROUP BY k) AS t%d", table(f), first);
    } else if (kind == 4) {
        weir_buffer_append_format(&f->sql, "(SELECT k, v FROM %s %s SELECT v, k FROM %s) AS t%d", table(f),
                                  one_of(f, sets, 4), table(f), first);
    } else {
        weir_buffer_append_format(&f->sql, "%s AS t%d", table(f), first);
    }
    inner->depth++;
}

/* FROM and maybe WHERE of a subquery, in whose scopes the caller goes on. */
static void put_from_and_where(fixture *f, scopes *inner, int depth)
{
    put(f, " FROM ");
    put_from(f, inner, depth);
    if (chance(f, 85)) {
        put(f, " WHERE ");
        put_predicate(f, inner, depth - 1);
    }
}

static void put_scalar(fixture *f, const scopes *around, int depth)
{
    static const char *const aggregates[] = {"(SELECT MAX(", "(SELECT MIN(", "(SELECT COUNT(", "(SELECT SUM("};
    scopes inner = *around;
    put(f, one_of(f, aggregates, 4));
    weir_buffer_append_format(&f->sql, "t%d.v)%s", f->aliases, chance(f, 20) ? " + 1" : "");
    put_from_and_where(f, &inner, depth);
    put(f, chance(f, 10) ? " HAVING COUNT(*) > 1)" : ")");
}

static void put_operand(fixture *f, const scopes *around, int depth)
{
    if (chance(f, 25)) {
        weir_buffer_append_format(&f->sql, "%d", pick(f, 5));
    } else if (depth > 0 && around->depth < 6 && chance(f, 30)) {
        put_scalar(f, around, depth - 1);
    } else {
        put_column(f, around);
    }
}

static void put_comparison(fixture *f, const scopes *around, int depth)
{
    static const char *const signs[] = {" = ", " = ", " < ", " > ", " <> ", " <= ", " >= "};
    put_column(f, around);
    put(f, one_of(f, signs, 7));
    put_operand(f, around, depth);
}

/* EXISTS, IN, ANY and ALL. (Not rows IN a query: this DuckDB takes rows with NULLs to be unknown altogether.) */
static void put_subquery_predicate(fixture *f, const scopes *around, int depth)
{
    static const char *const quantifiers[] = {" < ANY ", " >= ALL ", " = ANY ", " <> ALL "};
    scopes inner = *around;
    int kind = pick(f, 10);
    if (kind < 3) {
        put(f, chance(f, 50) ? "EXISTS (SELECT 1" : "NOT EXISTS (SELECT 1");
    } else {
        put_column(f, around);
        put(f, kind < 7 ? " IN " : kind < 9 ? " NOT IN " : one_of(f, quantifiers, 4));
        weir_buffer_append_format(&f->sql, "(SELECT t%d.%c", f->aliases, "kv"[pick(f, 2)]);
    }
    put_from_and_where(f, &inner, depth);
    put(f, ")");
}

static void put_predicate(fixture *f, const scopes *around, int depth)
{
    int kind = depth <= 0 ? 0 : pick(f, 10);
    if (kind < 4) {
        put_comparison(f, around, depth - 1);
    } else if (kind == 4) {
        put_column(f, around);
        put(f, chance(f, 50) ? " IS NULL" : " IS NOT NULL");
    } else if (kind < 7) {
        put(f, chance(f, 20) ? "NOT (" : "(");
        put_predicate(f, around, depth - 1);
        put(f, chance(f, 60) ? " AND " : " OR ");
        put_predicate(f, around, depth - 1);
        put(f, ")");
    } else if (around->depth < 6) {
        put_subquery_predicate(f, around, depth - 1);
    } else {
        put_comparison(f, around, 0);
    }
}

/* The select list comes first in the text, but what it names is known after FROM: it is made there and moved. */
static void make_query(fixture *f)
{
    scopes all = {0};
    weir_buffer rest = {0};
    f->aliases = 0;
    weir_buffer_clear(&f->sql);
    put_from_and_where(f, &all, 3);
    rest = f->sql;
    f->sql = (weir_buffer){0};
    put(f, "SELECT ");
    put_column(f, &all);
    put(f, ", ");
    put_operand(f, &all, 2);
    if (chance(f, 30)) {
        put(f, ", ");
        put_predicate(f, &all, 2);
    }
    weir_buffer_append_text(&f->sql, weir_buffer_text(&rest));
    weir_buffer_free(&rest);
}

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
    const char *sql = weir_buffer_text(&f->sql);
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
        weir_buffer_clear(&f->sql);
        weir_buffer_append_format(&f->sql, "CREATE TABLE %c (k INT, v INT); INSERT INTO %c VALUES ", *name, *name);
        for (int row = 3 + pick(f, 6); row > 0; row--) {
            put(f, "(");
            for (int c = 0; c < 2; c++) {
                put(f, c == 0 ? "" : ", ");
                if (chance(f, 20)) {
                    put(f, "CAST(NULL AS INT)");
                } else {
                    weir_buffer_append_format(&f->sql, "%d", pick(f, 5));
                }
            }
            put(f, row == 1 ? ")" : "), ");
        }
        assert_true(run_duckdb(f, weir_buffer_text(&f->sql), &ignored));
        assert_int_equal(run_weir(f, weir_buffer_text(&f->sql), &ignored, &err), WEIR_OK);
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
    assert_non_null(mkdtemp(f.warehouse));
    assert_int_equal(weir_session_create(&options, &f.session, &err), WEIR_OK);
    assert_int_equal(duckdb_open(NULL, &f.database), DuckDBSuccess);
    assert_int_equal(duckdb_connect(f.database, &f.connection), DuckDBSuccess);
    snprintf(sql, sizeof sql, "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '%s'); USE CATALOG lake",
             f.warehouse);
    assert_int_equal(run_weir(&f, sql, &ignored, &err), WEIR_OK);
    make_tables(&f);
    for (int i = count == NULL ? 300 : atoi(count); i > 0; i--) {
        make_query(&f);
        compare(&f);
    }
    weir_buffer_free(&f.sql);
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
