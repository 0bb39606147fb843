/* Random queries over random tables: the rows are the same with and without pruning, with one thread and several, and
 * those of the same rows in a table of DuckDB's own, with which Flink's meaning agrees for what is asked here.
 *
 * Prints its seed; WEIR_SEED repeats a run. */
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

#define TABLES           10
#define QUERIES          300
#define LITERALS_IN_LIST 5

typedef struct fixture {
    random_state random;
    char warehouse[64];
    weir_session *pruning; /* two threads */
    weir_session *plain;   /* one thread, without pruning */
    duckdb_database database;
    duckdb_connection duckdb;
} fixture;

/* Columns of every table. `k` is the key where there is one, `p` the partition where there is one. */
typedef enum column_kind { WHOLE, EXACT, DOUBLE, TEXT, DAY, MOMENT, TRUTH } column_kind;

typedef struct column {
    const char *name;
    const char *type;
    column_kind kind;
    int values; /* how many different ones */
} column;

static const column columns[] = {
    {"k", "INT", WHOLE, 400},
    {"p", "INT", WHOLE, 4},
    {"tiny", "TINYINT", WHOLE, 20},
    {"big", "BIGINT", WHOLE, 1000},
    {"price", "DECIMAL(10, 2)", EXACT, 300},
    {"rate", "DOUBLE", DOUBLE, 100},
    {"name", "STRING", TEXT, 200},
    {"day", "DATE", DAY, 900},
    {"moment", "TIMESTAMP(3)", MOMENT, 900},
    {"truth", "BOOLEAN", TRUTH, 2},
};

enum { COLUMNS = sizeof columns / sizeof *columns, FIRST_VALUE = 2 };

static uint64_t below(fixture *f, uint64_t limit) { return random_below(&f->random, limit); }
static bool chance(fixture *f, uint64_t in) { return below(f, in) == 0; }
static const char *one_of(fixture *f, const char *const *words, size_t count) { return words[below(f, count)]; }
#define ONE_OF(f, ...)                                                                                                 \
    one_of(f, (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

/* --- running ----------------------------------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The lines of a text, sorted, as one text that the caller frees. */
static char *sorted(weir_buffer *text)
{
    char *copy = weir_strdup(weir_buffer_text(text));
    char **lines = NULL, *rest = NULL;
    size_t count = 0, capacity = 0;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        WEIR_GROW(lines, capacity, count + 1);
        lines[count++] = line;
    }
    if (count > 1) {
        qsort(lines, count, sizeof *lines, compare_lines);
    }
    weir_buffer all = {0};
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&all, "%s\n", lines[i]);
    }
    char *result = weir_strdup(weir_buffer_text(&all));
    weir_buffer_free(&all);
    free(lines);
    free(copy);
    return result;
}

/* A row as DuckDB's values print: without quotes, and fractions of whole seconds. */
static void append_row(const weir_batch *batch, int64_t row, weir_buffer *out)
{
    weir_buffer value = {0};
    for (int32_t c = 0; c < batch->column_count; c++) {
        weir_buffer_clear(&value);
        weir_value_to_json(&batch->columns[c], row, &value);
        const char *text = weir_buffer_text(&value);
        size_t size = value.size;
        if (text[0] == '"') {
            text++;
            size -= 2;
        }
        size -= size > 4 && memcmp(text + size - 4, ".000", 4) == 0 ? 4 : 0;
        weir_buffer_append_text(out, c == 0 ? "" : "|");
        weir_buffer_append(out, text, size);
    }
    weir_buffer_append_byte(out, '\n');
    weir_buffer_free(&value);
}

static char *run_weir(weir_session *session, const char *sql)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_result *result = NULL;
    weir_error err = {0};
    weir_buffer rows = {0};
    weir_arena_init(&arena);
    int code = weir_parse_statement(sql, &arena, &statement, &err);
    code = code == WEIR_OK ? weir_session_execute(session, statement, sql, &result, &err) : code;
    if (code == WEIR_OK && result->kind == WEIR_RESULT_ROWS) {
        weir_batch batch;
        weir_batch_init(&batch, result->fields, result->field_count);
        while ((code = result->next(result, &batch, &err)) == WEIR_OK) {
            for (int64_t row = 0; row < batch.length; row++) {
                append_row(&batch, row, &rows);
            }
        }
        weir_batch_free(&batch);
    }
    if (code != WEIR_OK && code != WEIR_END) {
        fail_msg("%s\n%.500s", err.message, sql);
    }
    char *text = sorted(&rows);
    weir_buffer_free(&rows);
    weir_result_free(result);
    weir_arena_free(&arena);
    return text;
}

static char *run_duckdb(fixture *f, const char *sql)
{
    duckdb_result result;
    weir_buffer rows = {0};
    if (duckdb_query(f->duckdb, sql, &result) != DuckDBSuccess) {
        fail_msg("DuckDB: %s\n%s", sql, duckdb_result_error(&result));
    }
    for (idx_t row = 0; row < duckdb_row_count(&result); row++) {
        for (idx_t c = 0; c < duckdb_column_count(&result); c++) {
            char *text = duckdb_value_varchar(&result, c, row);
            weir_buffer_append_format(&rows, "%s%s", c == 0 ? "" : "|", text == NULL ? "null" : text);
            duckdb_free(text);
        }
        weir_buffer_append_byte(&rows, '\n');
    }
    duckdb_destroy_result(&result);
    char *text = sorted(&rows);
    weir_buffer_free(&rows);
    return text;
}

/* Changes both, in statements of their own dialects. */
static void change(fixture *f, const char *flink, const char *duckdb)
{
    free(run_weir(f->pruning, flink));
    free(run_duckdb(f, duckdb));
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static void append_literal(const column *of, int64_t value, weir_buffer *out)
{
    switch (of->kind) {
    case WHOLE:
        weir_buffer_append_format(out, "%lld", (long long)value - of->values / 4);
        break;
    case EXACT:
        weir_buffer_append_format(out, "%lld.%02lld", (long long)value / 4, (long long)value % 4 * 25);
        break;
    case DOUBLE:
        weir_buffer_append_format(out, "CAST(%lld.%02lld AS DOUBLE)", (long long)value, (long long)value % 4 * 25);
        break;
    case TEXT:
        weir_buffer_append_format(out, "'%c%c%lld'", (char)('a' + value % 7), (char)('a' + value % 3),
                                  (long long)value);
        break;
    case DAY:
        weir_buffer_append_format(out, "DATE '%04lld-%02lld-%02lld'", 2022 + (long long)value / 336,
                                  (long long)value / 28 % 12 + 1, (long long)value % 28 + 1);
        break;
    case MOMENT:
        weir_buffer_append_format(out, "TIMESTAMP '%04lld-%02lld-%02lld %02lld:00:%02lld'",
                                  2022 + (long long)value / 336, (long long)value / 28 % 12 + 1,
                                  (long long)value % 28 + 1, (long long)value % 24, (long long)value % 60);
        break;
    case TRUTH:
        weir_buffer_append_text(out, value == 0 ? "FALSE" : "TRUE");
        break;
    }
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static void create_table(fixture *f, int number, bool keyed, bool partitioned)
{
    weir_buffer flink = {0}, duckdb = {0};
    weir_buffer_append_format(&flink, "CREATE TABLE t%d (", number);
    weir_buffer_append_format(&duckdb, "CREATE TABLE t%d (", number);
    for (int c = 0; c < COLUMNS; c++) {
        const char *end = c < FIRST_VALUE ? " NOT NULL" : "";
        weir_buffer_append_format(&flink, "%s%s %s%s", c == 0 ? "" : ", ", columns[c].name, columns[c].type, end);
        weir_buffer_append_format(&duckdb, "%s%s %s%s", c == 0 ? "" : ", ", columns[c].name,
                                  columns[c].kind == MOMENT ? "TIMESTAMP" : columns[c].type, end);
    }
    if (keyed) {
        weir_buffer_append_format(&flink, ", PRIMARY KEY (k%s) NOT ENFORCED", partitioned ? ", p" : "");
        weir_buffer_append_format(&duckdb, ", PRIMARY KEY (k%s)", partitioned ? ", p" : "");
    }
    weir_buffer_append_format(&flink, ")%s WITH ('file.format' = '%s', 'file.block-size' = '%s'",
                              partitioned ? " PARTITIONED BY (p)" : "", ONE_OF(f, "parquet", "parquet", "avro"),
                              ONE_OF(f, "1 kb", "8 kb", "128 mb"));
    if (keyed) {
        weir_buffer_append_format(&flink, ", 'bucket' = '%s', 'write-only' = '%s', 'target-file-size' = '%s'",
                                  ONE_OF(f, "1", "2", "5"), ONE_OF(f, "true", "false"), ONE_OF(f, "4 kb", "128 mb"));
        weir_buffer_append_text(&flink, ", 'num-sorted-run.compaction-trigger' = '2'");
    } else {
        weir_buffer_append_format(&flink, "%s", ONE_OF(f, "", ", 'bucket' = '3', 'bucket-key' = 'k'"));
    }
    weir_buffer_append_text(&flink, ")");
    weir_buffer_append_text(&duckdb, ")");
    change(f, weir_buffer_text(&flink), weir_buffer_text(&duckdb));
    weir_buffer_free(&flink);
    weir_buffer_free(&duckdb);
}

/* Rows of different keys, which lie together or apart. */
static void insert_rows(fixture *f, int number, bool keyed)
{
    weir_buffer values = {0}, flink = {0}, duckdb = {0};
    int64_t count = 1 + (int64_t)below(f, 120), step = chance(f, 2) ? 1 : 3;
    int64_t key = (int64_t)below(f, 400);
    for (int64_t i = 0; i < count; i++, key += step) {
        weir_buffer_append_text(&values, i == 0 ? "(" : ", (");
        for (int c = 0; c < COLUMNS; c++) {
            int64_t value = c == 0 ? key % 400 : (int64_t)below(f, (uint64_t)columns[c].values);
            weir_buffer_append_text(&values, c == 0 ? "" : ", ");
            weir_buffer_append_text(&values, "CAST(");
            if (c >= FIRST_VALUE && chance(f, 6)) {
                weir_buffer_append_text(&values, "NULL");
            } else {
                append_literal(&columns[c], columns[c].kind == DAY ? (value + key) % 900 : value, &values);
            }
            weir_buffer_append_format(&values, " AS %s)", columns[c].type);
        }
        weir_buffer_append_text(&values, ")");
    }
    weir_buffer_append_format(&flink, "INSERT INTO t%d VALUES %s", number, weir_buffer_text(&values));
    weir_buffer_append_format(&duckdb, "INSERT %sINTO t%d VALUES %s", keyed ? "OR REPLACE " : "", number,
                              weir_buffer_text(&values));
    change(f, weir_buffer_text(&flink), weir_buffer_text(&duckdb));
    weir_buffer_free(&values);
    weir_buffer_free(&flink);
    weir_buffer_free(&duckdb);
}

static void make_table(fixture *f, int number)
{
    bool keyed = !chance(f, 3), partitioned = chance(f, 2);
    create_table(f, number, keyed, partitioned);
    for (uint64_t commits = below(f, 6); commits > 0; commits--) {
        insert_rows(f, number, keyed);
        if (keyed && chance(f, 3)) {
            char sql[200];
            snprintf(sql, sizeof sql, "DELETE FROM t%d WHERE k BETWEEN %d AND %d", number, (int)below(f, 300) - 100,
                     (int)below(f, 300) - 50);
            change(f, sql, sql);
        }
    }
}

/* --- conditions -------------------------------------------------------------------------------------------------- */

static const column *any_column(fixture *f) { return &columns[below(f, COLUMNS)]; }

/* A literal of the column's type, now and then beyond its values, or a number between them. */
static void append_compared(fixture *f, const column *of, weir_buffer *out)
{
    if (of->kind == WHOLE && chance(f, 6)) {
        weir_buffer_append_text(out, ONE_OF(f, "1.5", "-3.25", "3000000000", "0.0", "70000"));
        return;
    }
    append_literal(of, (int64_t)below(f, (uint64_t)of->values + (of->kind == TRUTH ? 0 : 5)), out);
}

static void append_column(const char *alias, const column *of, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s%s%s", alias, alias[0] == '\0' ? "" : ".", of->name);
}

static void append_list(fixture *f, const column *of, weir_buffer *out)
{
    for (uint64_t i = 0, count = 1 + below(f, LITERALS_IN_LIST); i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "(" : ", ");
        append_compared(f, of, out);
    }
    weir_buffer_append_text(out, ")");
}

static void append_special(fixture *f, const char *alias, const column *of, weir_buffer *out)
{
    static const column day = {"", "DATE", DAY, 900};
    switch ((int)of->kind) {
    case TEXT:
        append_column(alias, of, out);
        weir_buffer_append_format(out, " LIKE '%s'", ONE_OF(f, "a%", "bb%", "%1", "c_1%", "aa7", "g%9"));
        break;
    case DAY:
        weir_buffer_append_text(out, "EXTRACT(YEAR FROM ");
        append_column(alias, of, out);
        weir_buffer_append_format(out, ") %s %d", ONE_OF(f, "=", "<", ">=", "<>"), 2021 + (int)below(f, 5));
        break;
    case MOMENT:
        weir_buffer_append_text(out, "CAST(");
        append_column(alias, of, out);
        weir_buffer_append_format(out, " AS DATE) %s ", ONE_OF(f, "=", "<", "<=", ">", ">=", "<>"));
        append_literal(&day, (int64_t)below(f, 900), out);
        break;
    case TRUTH:
        weir_buffer_append_text(out, ONE_OF(f, "NOT ", ""));
        append_column(alias, of, out);
        break;
    default:
        append_column(alias, of, out);
        weir_buffer_append_text(out, " IS NOT DISTINCT FROM ");
        append_compared(f, of, out);
        break;
    }
}

static void append_leaf_of(fixture *f, const char *alias, const column *of, weir_buffer *out)
{
    switch (below(f, 7)) {
    case 0:
        append_column(alias, of, out);
        weir_buffer_append_text(out, ONE_OF(f, " IS NULL", " IS NOT NULL"));
        break;
    case 1:
        append_column(alias, of, out);
        weir_buffer_append_text(out, ONE_OF(f, " IN ", " IN ", " NOT IN "));
        append_list(f, of, out);
        break;
    case 2:
        append_column(alias, of, out);
        weir_buffer_append_text(out, ONE_OF(f, " BETWEEN ", " BETWEEN ", " NOT BETWEEN "));
        append_compared(f, of, out);
        weir_buffer_append_text(out, " AND ");
        append_compared(f, of, out);
        break;
    case 3:
        append_special(f, alias, of, out);
        break;
    default:
        append_column(alias, of, out);
        weir_buffer_append_format(out, " %s ", ONE_OF(f, "=", "<>", "<", "<=", ">", ">="));
        append_compared(f, of, out);
        break;
    }
}

static void append_leaf(fixture *f, const char *alias, weir_buffer *out)
{
    append_leaf_of(f, alias, any_column(f), out);
}

static void append_condition(fixture *f, const char *alias, int depth, weir_buffer *out)
{
    if (depth == 0 || chance(f, 3)) {
        append_leaf(f, alias, out);
        return;
    }
    weir_buffer_append_text(out, ONE_OF(f, "(", "(", "(", "NOT ("));
    append_condition(f, alias, depth - 1, out);
    weir_buffer_append_text(out, ONE_OF(f, " AND ", " AND ", " OR "));
    append_condition(f, alias, depth - 1, out);
    weir_buffer_append_text(out, ")");
}

static void append_where(fixture *f, const char *alias, weir_buffer *out)
{
    if (!chance(f, 5)) {
        weir_buffer_append_text(out, " WHERE ");
        append_condition(f, alias, 2, out);
    }
}

/* --- queries ----------------------------------------------------------------------------------------------------- */

static void append_aggregates(fixture *f, const char *alias, weir_buffer *out)
{
    weir_buffer_append_text(out, "COUNT(*)");
    for (uint64_t i = below(f, 4); i > 0; i--) {
        const column *of = any_column(f);
        weir_buffer_append_format(out, ", %s(", of->kind == TRUTH ? "COUNT" : ONE_OF(f, "COUNT", "MIN", "MAX"));
        append_column(alias, of, out);
        weir_buffer_append_text(out, ")");
    }
    weir_buffer_append_text(out, ", SUM(");
    append_column(alias, &columns[below(f, 2) == 0 ? 3 : 4], out);
    weir_buffer_append_text(out, ")");
}

static void append_joined(fixture *f, weir_buffer *out)
{
    const char *key = ONE_OF(f, "k", "k", "tiny", "name", "day");
    int left = (int)below(f, TABLES), right = (int)below(f, TABLES);
    weir_buffer_append_format(out, "SELECT a.k, a.name, b.big, b.day FROM t%d AS a %s t%d AS b ON a.%s = b.%s", left,
                              ONE_OF(f, "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"), right, key, key);
    if (chance(f, 3)) {
        weir_buffer_append_text(out, " AND ");
        append_condition(f, ONE_OF(f, "a", "b"), 1, out);
    }
    weir_buffer_append_text(out, " WHERE ");
    append_condition(f, "a", 1, out);
    weir_buffer_append_text(out, ONE_OF(f, " AND ", " OR "));
    append_condition(f, "b", 1, out);
}

/* Groups by several sets, and a condition around them on what some sets leave out. (Of no rows DuckDB makes the group
 * of (), and Flink does not.) */
static void append_grouping_sets(fixture *f, weir_buffer *out)
{
    const column *a = any_column(f);
    const column *b = any_column(f);
    while (b == a) {
        b = any_column(f);
    }
    weir_buffer_append_format(out, "SELECT * FROM (SELECT %s, %s, GROUPING(%s, %s) AS sets, ", a->name, b->name,
                              b->name, a->name);
    append_aggregates(f, "", out);
    weir_buffer_append_format(out, " FROM t%d", (int)below(f, TABLES));
    append_where(f, "", out);
    weir_buffer_append_format(out,
                              ONE_OF(f, " GROUP BY ROLLUP (%s, %s)", " GROUP BY CUBE (%s, %s)",
                                     " GROUP BY %s, ROLLUP (%s)", " GROUP BY GROUPING SETS ((%s), (%s), ())"),
                              a->name, b->name);
    weir_buffer_append_text(out, " HAVING COUNT(*) > 0) AS q WHERE ");
    append_leaf_of(f, "", chance(f, 2) ? a : b, out);
    weir_buffer_append_text(out, ONE_OF(f, " OR sets > 1", " AND sets >= 0", ""));
}

/* A call over a window, with conditions below it and around it. Rows that are alike see the same. */
static void append_window(fixture *f, weir_buffer *out)
{
    const char *part = any_column(f)->name;
    weir_buffer_append_text(out, "SELECT k, w FROM (SELECT *, ");
    const column *of = any_column(f);
    switch (below(f, 4)) {
    case 0:
        weir_buffer_append_text(out, ONE_OF(f, "RANK()", "DENSE_RANK()"));
        break;
    case 1:
        weir_buffer_append_format(out, "SUM(%s)", ONE_OF(f, "big", "price"));
        break;
    default:
        weir_buffer_append_format(out, "%s(%s)", of->kind == TRUTH ? "COUNT" : ONE_OF(f, "COUNT", "MIN", "MAX"),
                                  of->name);
        break;
    }
    weir_buffer_append_format(out, " OVER (PARTITION BY %s ORDER BY %s %s) AS w FROM t%d", part, any_column(f)->name,
                              ONE_OF(f, "ASC NULLS FIRST", "DESC NULLS LAST", "ASC NULLS LAST"), (int)below(f, TABLES));
    append_where(f, "", out);
    weir_buffer_append_text(out, ") AS q");
    append_where(f, "", out);
    weir_buffer_append_format(out, ONE_OF(f, "%s", "%s AND w IS NOT NULL"),
                              strstr(weir_buffer_text(out), ") AS q WHERE ") == NULL ? " WHERE k > 3" : "");
}

static void append_query(fixture *f, weir_buffer *out)
{
    int table = (int)below(f, TABLES);
    const column *of = any_column(f);
    switch (below(f, 10)) {
    case 0:
        weir_buffer_append_text(out, "SELECT ");
        append_aggregates(f, "", out);
        weir_buffer_append_format(out, " FROM t%d", table);
        append_where(f, "", out);
        break;
    case 1:
        weir_buffer_append_format(out, "SELECT %s, ", of->name);
        append_aggregates(f, "", out);
        weir_buffer_append_format(out, " FROM t%d", table);
        append_where(f, "", out);
        weir_buffer_append_format(out, " GROUP BY %s", of->name);
        if (chance(f, 2)) {
            weir_buffer_append_format(out, " HAVING COUNT(*) > 1 AND %s IS NOT NULL", of->name);
        }
        break;
    case 2:
        weir_buffer_append_format(out, "SELECT DISTINCT %s FROM t%d", of->name, table);
        append_where(f, "", out);
        break;
    case 3:
        append_joined(f, out);
        break;
    case 4:
        weir_buffer_append_format(out, "SELECT k, name FROM (SELECT * FROM t%d UNION ALL SELECT * FROM t%d) AS u",
                                  table, (int)below(f, TABLES));
        append_where(f, "", out);
        break;
    case 5:
        weir_buffer_append_format(out, "SELECT COUNT(*) FROM (SELECT k FROM t%d LIMIT %d) AS few", table,
                                  (int)below(f, 300));
        break;
    case 6:
        append_grouping_sets(f, out);
        break;
    case 7:
        append_window(f, out);
        break;
    default:
        weir_buffer_append_format(out, "SELECT k, %s, %s, %s FROM t%d", any_column(f)->name, of->name,
                                  any_column(f)->name, table);
        append_where(f, "", out);
        break;
    }
}

/* Names the first row that only one side has. */
static void compare(const char *sql, const char *what, const char *expected, const char *found)
{
    while (*expected != '\0' && strcspn(expected, "\n") == strcspn(found, "\n") &&
           strncmp(expected, found, strcspn(expected, "\n")) == 0) {
        found += strcspn(expected, "\n") + 1;
        expected += strcspn(expected, "\n") + 1;
    }
    if (*expected != '\0' || *found != '\0') {
        fail_msg("%s\n%s: found    %.*s\nexpected %.*s", sql, what, (int)strcspn(found, "\n"), found,
                 (int)strcspn(expected, "\n"), expected);
    }
}

static void all_ways_to_run_a_query_give_the_same_rows(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < TABLES; i++) {
        make_table(f, i);
    }
    for (int i = 0; i < QUERIES; i++) {
        weir_buffer sql = {0};
        append_query(f, &sql);
        const char *text = weir_buffer_text(&sql);
        char *expected = run_duckdb(f, text);
        char *plain = run_weir(f->plain, text);
        char *pruning = run_weir(f->pruning, text);
        compare(text, "Weir with one thread and without pruning", expected, plain);
        compare(text, "Weir with two threads and pruning", expected, pruning);
        free(expected);
        free(plain);
        free(pruning);
        weir_buffer_free(&sql);
    }
}

/* --- fixture ----------------------------------------------------------------------------------------------------- */

static weir_session *open_session(const fixture *f, int threads, bool prunes)
{
    weir_session_options options = {
        .warehouse = f->warehouse, .threads = threads, .memory_bytes = 512 << 20, .without_pruning = !prunes};
    weir_session *session = NULL;
    assert_int_equal(weir_session_create(&options, &session, NULL), WEIR_OK);
    free(run_weir(session, "SET 'execution.runtime-mode' = 'batch'"));
    return session;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->random = random_start();
    snprintf(f->warehouse, sizeof f->warehouse, "/tmp/weir-random-XXXXXX");
    assert_non_null(mkdtemp(f->warehouse));
    f->pruning = open_session(f, 2, true);
    f->plain = open_session(f, 1, false);
    assert_int_equal(duckdb_open(NULL, &f->database), DuckDBSuccess);
    assert_int_equal(duckdb_connect(f->database, &f->duckdb), DuckDBSuccess);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    weir_session_free(f->pruning);
    weir_session_free(f->plain);
    duckdb_disconnect(&f->duckdb);
    duckdb_close(&f->database);
    weir_fs_remove_recursively(weir_fs_local(), f->warehouse, NULL);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_to_run_a_query_give_the_same_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
