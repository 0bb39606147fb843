/* Running plans: rows, values of all types both ways, changes batch by batch, errors, cancelling. */
#include <pthread.h>

#include "memory_table.h"
#include "random.h"
#include "sql/engine/engine_internal.h"

typedef struct fixture {
    memory_table orders;
    memory_table types;
    memory_resolver resolver;
    weir_bind_context context;
    weir_sql_engine *engine;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    weir_error err = {0};
    memset(&f, 0, sizeof f);
    memory_orders(&f.orders);
    f.orders.batch_rows = 2;
    memory_table_start(
        &f.types, "types",
        "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, d4 DECIMAL(4, 2), d9 DECIMAL(9, "
        "0), d18 DECIMAL(18, 6), d38 DECIMAL(38, 10), c CHAR(3), v VARCHAR(10), y BYTES, dt DATE, tm TIME(3), "
        "t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6), t9 TIMESTAMP(9), z3 TIMESTAMP_LTZ(3), a ARRAY<INT>, "
        "m MAP<STRING, INT>, r ROW<x INT, y STRING>, n ARRAY<ROW<k STRING, v ARRAY<BIGINT>>>");
    memory_table_add(
        &f.types,
        "[true, -128, 32767, 2147483647, -9223372036854775808, 1.5, -0.0, '99.99', '-123456789', '1.000001', "
        "'1234567890123456789012345678.0123456789', 'abc', 'text of more', '00ff', '2024-02-29', '23:59:59.999', "
        "'0001-01-01 00:00:00', '2024-02-29 12:34:56.789', '9999-12-31 23:59:59.999999', "
        "'9999-12-31 23:59:59.999999999', '1969-12-31 23:59:59.999Z', [1, null, 3], [['a', 1], ['b', null]], [7, 'x'], "
        "[['k', [1, 2]], null, ['l', []]]]");
    memory_table_add(&f.types,
                     "[null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, "
                     "null, null, null, null, null, null, null, null, null]");
    memory_table_add(&f.types,
                     "[false, 0, 0, 0, 0, 0.0, 0.0, '0.00', '0', '0.000000', '0.0000000000', 'x  ', '', '', "
                     "'1970-01-01', '00:00:00.000', '1970-01-01 00:00:00', '1970-01-01 00:00:00.000', "
                     "'1970-01-01 00:00:00.000000', '1970-01-01 00:00:00.000000000', '1970-01-01 00:00:00.000Z', "
                     "[], [], [null, null], []]");
    f.resolver = (memory_resolver){.resolver = {memory_resolve}, .tables = {&f.orders, &f.types}};
    f.context = (weir_bind_context){.resolver = &f.resolver.resolver};
    weir_sql_engine_options options = {.threads = 2};
    check_code(weir_sql_engine_create(&options, &f.engine, &err), &err);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    weir_sql_engine_free(f->engine);
    memory_table_free(&f->orders);
    memory_table_free(&f->types);
    return 0;
}

/* --- Queries --------------------------------------------------------------------------------------------------- */

static int bind(fixture *f, const char *text, weir_bound **out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_ast_statement *statement;
    memset(err, 0, sizeof *err);
    int code = weir_parse_statement(text, &arena, &statement, err);
    if (code == WEIR_OK) {
        code = weir_bind_query(&f->context, statement->query, out, err);
    }
    weir_arena_free(&arena);
    return code;
}

static void append_rows(const weir_batch *batch, weir_buffer *out)
{
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer_append_text(out, out->size == 0 ? "" : "\n");
        for (int32_t i = 0; i < batch->column_count; i++) {
            weir_buffer_append_text(out, i == 0 ? "" : " ");
            weir_value_to_json(&batch->columns[i], row, out);
        }
    }
}

/* All rows of a query, a line each; the error's message when it fails. */
static int run(fixture *f, const char *text, weir_buffer *out, weir_error *err)
{
    weir_bound *bound = NULL;
    weir_sql_result *result = NULL;
    weir_buffer_clear(out);
    int code = bind(f, text, &bound, err);
    if (code == WEIR_OK) {
        code = weir_sql_query_start(f->engine, bound, &result, err);
    }
    if (code == WEIR_OK) {
        int32_t count;
        const weir_field *fields = weir_sql_result_fields(result, &count);
        weir_batch batch;
        weir_batch_init(&batch, fields, count);
        while ((code = weir_sql_result_next(result, &batch, err)) == WEIR_OK) {
            append_rows(&batch, out);
        }
        weir_batch_free(&batch);
        code = code == WEIR_END ? WEIR_OK : code;
    }
    weir_sql_result_free(result);
    weir_bound_free(bound);
    return code;
}

typedef struct query_case {
    const char *text;
    const char *rows;
} query_case;

static void check_queries(fixture *f, const query_case *cases, size_t count)
{
    weir_buffer rows = {0};
    for (size_t i = 0; i < count; i++) {
        weir_error err;
        if (run(f, cases[i].text, &rows, &err) != WEIR_OK) {
            fail_msg("%s\n%s", cases[i].text, err.message);
        }
        if (strcmp(weir_buffer_text(&rows), cases[i].rows) != 0) {
            fail_msg("%s\n%s", cases[i].text, weir_buffer_text(&rows));
        }
    }
    weir_buffer_free(&rows);
}

static void queries_give_flinks_rows(void **state)
{
    static const query_case cases[] = {
        {"SELECT 1, 'a', NULL IS NULL", "1 \"a\" true"},
        {"SELECT id, item FROM orders WHERE price < 2 ORDER BY id", "1 \"apple\"\n5 \"apple\""},
        {"SELECT id FROM orders WHERE NOT (price < 2) ORDER BY id", "2\n3"},
        {"SELECT id FROM orders ORDER BY user_id, id DESC", "4\n3\n1\n2\n5"},
        {"SELECT id FROM orders ORDER BY user_id DESC NULLS FIRST, 1", "4\n5\n2\n1\n3"},
        {"SELECT id FROM orders ORDER BY price * -1 LIMIT 2 OFFSET 1", "3\n2"},
        {"SELECT DISTINCT item FROM orders ORDER BY item",
         "null\n\"a rather long name of an item\"\n\"apple\"\n\"pear\""},
        {"SELECT COUNT(*), COUNT(item), COUNT(DISTINCT item), SUM(id), AVG(id) FROM orders", "5 4 3 15 3"},
        {"SELECT SUM(price), AVG(price), MIN(price), MAX(price) FROM orders",
         "\"103.76\" \"25.940000\" \"0.01\" \"100.00\""},
        {"SELECT MIN(item), MAX(item), MIN(at), MAX(day) FROM orders",
         "\"a rather long name of an item\" \"pear\" \"2024-01-01 10:00:00.000\" \"2024-02-29\""},
        {"SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id HAVING COUNT(*) > 1", "10 2"},
        {"SELECT user_id % 2 AS odd, SUM(id) FILTER (WHERE paid) FROM orders GROUP BY user_id % 2 ORDER BY odd",
         "null null\n0 4\n1 null"},
        {"SELECT COUNT(*) FROM orders WHERE FALSE", "0"},
        {"SELECT SUM(x), AVG(x) FROM (VALUES (CAST(100 AS TINYINT)), (100), (CAST(NULL AS TINYINT))) AS t (x)",
         "200 100"},
        {"SELECT SUM(x), AVG(x) FROM (SELECT CAST(100 AS TINYINT) AS x UNION ALL SELECT TRY_CAST('100' AS TINYINT)) AS "
         "t",
         "-56 -28"},
        {"SELECT AVG(x) FROM (SELECT CAST(100 AS TINYINT) AS x UNION ALL SELECT CAST(100 AS TINYINT)) AS t", "100"},
        {"SELECT SUM(x) FROM (VALUES (99999999999999999999999999999999999999.), (1.)) AS t (x)", "null"},
        {"SELECT SUM(x) FROM (VALUES (99999999999999999999999999999999999999.), (1.), (-2.)) AS t (x)",
         "\"99999999999999999999999999999999999998\""},
        {"SELECT SUM(x) FROM (VALUES (CAST(3.4E38 AS FLOAT)), (CAST(3.4E38 AS FLOAT))) AS t (x)", "\"Infinity\""},
        {"SELECT SUM(id), MAX(item) FROM orders WHERE id > 100", "null null"},
        {"SELECT x.item, n FROM (SELECT item, COUNT(*) AS n FROM orders GROUP BY item) AS x WHERE n > 1",
         "\"apple\" 2"},
        {"WITH a AS (SELECT id FROM orders WHERE id < 3) SELECT * FROM a UNION ALL SELECT id * 10 FROM a ORDER BY 1",
         "1\n2\n10\n20"},
        {"SELECT 1 UNION SELECT 1", "1"},
        {"VALUES (1, 'a'), (2, 'bcd')", "1 \"a\"\n2 \"bcd\""},
        {"SELECT CASE WHEN rate > 1 THEN 'high' WHEN rate > 0 THEN 'low' ELSE 'none' END FROM orders ORDER BY id",
         "\"low\"\n\"high\"\n\"none\"\n\"none\"\n\"none\""},
        {"SELECT CAST(at AS STRING), at + INTERVAL '1' DAY FROM orders WHERE id = 2",
         "\"2024-01-01 11:30:00.500\" \"2024-01-02 11:30:00.500\""},
        {"SELECT INTERVAL '1' DAY, INTERVAL '14' MONTH FROM orders WHERE id = 1", "\"+1 00:00:00.000\" \"+1-02\""},
        {"SELECT id FROM orders WHERE id IN (1, 4, 9) OR item LIKE 'p%' ORDER BY id", "1\n2\n4"},
        {"SELECT 2147483647 + 1, 2147483647 + id FROM orders WHERE id = 1", "-2147483648 -2147483648"},
        {"SELECT -7 / 2, -7 % 2, 7 / 2e0, 1.00 / 3", "-3 -1 3.5 \"0.3333333333333\""},
    };
    check_queries(*state, cases, sizeof cases / sizeof cases[0]);
}

static void values_of_all_types_go_in_and_come_out(void **state)
{
    fixture *f = *state;
    weir_buffer wanted = {0};
    weir_buffer rows = {0};
    weir_error err;
    append_rows(&f->types.rows, &wanted);
    check_code(run(f, "SELECT * FROM types", &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), weir_buffer_text(&wanted));
    /* Through operators that keep rows, too. */
    weir_buffer_clear(&wanted);
    weir_batch reversed;
    weir_field fields[32];
    for (int32_t i = 0; i < f->types.rows.column_count; i++) {
        fields[i] = (weir_field){.name = "x", .type = f->types.rows.columns[i].type};
    }
    weir_batch_init(&reversed, fields, f->types.rows.column_count);
    static const uint32_t order[] = {1, 0, 2};
    check_code(weir_batch_append_rows(&reversed, &f->types.rows, order, 3, &err), &err);
    append_rows(&reversed, &wanted);
    check_code(run(f, "SELECT * FROM types ORDER BY i DESC NULLS FIRST", &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), weir_buffer_text(&wanted));
    weir_batch_free(&reversed);
    weir_buffer_free(&wanted);
    weir_buffer_free(&rows);
}

static void columns_that_differ_in_case_alone_are_told_apart(void **state)
{
    static const query_case cases[] = {
        {"SELECT a, A FROM (SELECT 1 AS a, 2 AS A UNION ALL SELECT 3, 4) AS t WHERE A > 2", "3 4"},
    };
    check_queries(*state, cases, 1);
}

static void many_splits_give_every_row_once(void **state)
{
    fixture *f = *state;
    memory_table big;
    memory_table_start(&big, "big", "k INT, v STRING");
    weir_error err = {0};
    enum { rows = 50000 };
    for (int32_t i = 0; i < rows; i++) {
        char text[40];
        int size = snprintf(text, sizeof text, "value number %d", i % 1000);
        check_code(weir_vector_append_raw(&big.rows.columns[0], &i, sizeof i, &err), &err);
        check_code(weir_vector_append_raw(&big.rows.columns[1], text, (size_t)size, &err), &err);
    }
    big.rows.length = rows;
    big.batch_rows = 3001;
    big.split_count = 7;
    f->resolver.tables[2] = &big;
    static const query_case cases[] = {
        {"SELECT COUNT(*), COUNT(DISTINCT k), SUM(CAST(k AS BIGINT)), COUNT(DISTINCT v) FROM big",
         "50000 50000 1249975000 1000"},
        {"SELECT v, COUNT(*) AS n FROM big GROUP BY v ORDER BY n, v LIMIT 1", "\"value number 0\" 50"},
        {"SELECT COUNT(*) FROM big", "50000"},
        {"SELECT k, v FROM big ORDER BY k DESC LIMIT 1", "49999 \"value number 999\""},
        {"SELECT COUNT(*) FROM (SELECT v FROM big WHERE k % 2 = 0) AS t", "25000"},
    };
    check_queries(f, cases, sizeof cases / sizeof cases[0]);
    f->resolver.tables[2] = NULL;
    memory_table_free(&big);
}

/* --- Errors ---------------------------------------------------------------------------------------------------- */

static void a_failing_row_fails_the_query_with_the_kernels_words(void **state)
{
    static const query_case cases[] = {
        {"SELECT 1 / 0", "division by zero; guard the divisor with NULLIF(divisor, 0)"},
        {"SELECT 10 / (id - 3) FROM orders", "division by zero; guard the divisor with NULLIF(divisor, 0)"},
        {"SELECT CAST(item AS INT) FROM orders", "'apple' can't be cast to INT; TRY_CAST gives NULL instead"},
    };
    fixture *f = *state;
    weir_buffer rows = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err;
        assert_int_equal(run(f, cases[i].text, &rows, &err), WEIR_INVALID);
        assert_string_equal(err.message, cases[i].rows);
    }
    weir_buffer_free(&rows);
}

static void a_scans_error_is_passed_on_as_it_was(void **state)
{
    fixture *f = *state;
    weir_buffer rows = {0};
    weir_error err;
    f->orders.fail_after = 1;
    assert_int_equal(run(f, "SELECT SUM(id) FROM orders", &rows, &err), WEIR_CORRUPT);
    assert_string_equal(err.message, "the file orders-7 ends too early");
    f->orders.fail_after = -1;
    weir_buffer_free(&rows);
}

static void tables_of_changes_are_refused_in_queries(void **state)
{
    fixture *f = *state;
    weir_buffer rows = {0};
    weir_error err;
    f->orders.table.has_row_kinds = true;
    assert_int_equal(run(f, "SELECT SUM(id) FROM orders", &rows, &err), WEIR_UNSUPPORTED);
    f->orders.table.has_row_kinds = false;
    weir_buffer_free(&rows);
}

static void *cancel_soon(void *result)
{
    struct timespec wait = {.tv_nsec = 50000000};
    nanosleep(&wait, NULL);
    weir_sql_result_cancel(result);
    return NULL;
}

static int endless_next(weir_sql_split *self, weir_batch *out, weir_error *err)
{
    (void)self;
    weir_batch_clear(out);
    int32_t value = 1;
    for (int i = 0; i < 1000; i++) {
        WEIR_TRY(weir_vector_append_raw(&out->columns[0], &value, sizeof value, err));
    }
    out->length = 1000;
    return WEIR_OK;
}

static int endless_split(weir_sql_scan *self, int64_t number, weir_sql_split **out, weir_error *err)
{
    WEIR_TRY(memory_open_split(self, number, out, err));
    (*out)->next = endless_next;
    return WEIR_OK;
}

static int endless_open(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err)
{
    WEIR_TRY(memory_open(self, request, out, err));
    (*out)->open_split = endless_split;
    return WEIR_OK;
}

static void a_running_query_can_be_cancelled(void **state)
{
    fixture *f = *state;
    weir_bound *bound;
    weir_error err = {0};
    check_code(bind(f, "SELECT id FROM orders", &bound, &err), &err);
    f->orders.table.open = endless_open;
    weir_sql_result *result;
    check_code(weir_sql_query_start(f->engine, bound, &result, &err), &err);
    int32_t count;
    weir_batch batch;
    weir_batch_init(&batch, weir_sql_result_fields(result, &count), 1);
    pthread_t thread;
    pthread_create(&thread, NULL, cancel_soon, result);
    int code;
    while ((code = weir_sql_result_next(result, &batch, &err)) == WEIR_OK) {
    }
    pthread_join(thread, NULL);
    assert_int_equal(code, WEIR_CANCELLED);
    weir_batch_free(&batch);
    weir_sql_result_free(result);
    weir_bound_free(bound);
    f->orders.table.open = memory_open;
}

static void a_result_may_be_freed_before_its_end(void **state)
{
    fixture *f = *state;
    weir_bound *bound;
    weir_error err = {0};
    check_code(bind(f, "SELECT id FROM orders", &bound, &err), &err);
    f->orders.table.open = endless_open;
    weir_sql_result *result;
    check_code(weir_sql_query_start(f->engine, bound, &result, &err), &err);
    weir_sql_result_free(result);
    weir_bound_free(bound);
    f->orders.table.open = memory_open;
}

/* --- Batch by batch -------------------------------------------------------------------------------------------- */

/* The projection of a query over the orders, with kinds given to them, as "kind values" lines. */
static void project(fixture *f, const char *text, weir_buffer *out)
{
    weir_bound *bound;
    weir_arena arena;
    weir_flat_plan flat;
    weir_sql_compute *compute;
    weir_error err = {0};
    weir_arena_init(&arena);
    check_code(bind(f, text, &bound, &err), &err);
    weir_plan_flatten(bound->plan, &arena, &flat);
    const weir_plan *scan = flat.bottom;
    assert_int_equal(scan->kind, WEIR_PLAN_SCAN);
    weir_sql_compute_options options = {scan->fields,         scan->field_count, flat.conditions,
                                        flat.condition_count, flat.expressions,  flat.expression_count};
    check_code(weir_sql_compute_create(f->engine, &options, &compute, &err), &err);
    weir_batch in;
    weir_batch result;
    weir_batch_init(&in, scan->fields, scan->field_count);
    weir_batch_init(&result, bound->plan->fields, bound->plan->field_count);
    for (int32_t i = 0; i < scan->field_count; i++) {
        check_code(weir_vector_append_range(&in.columns[i], &f->orders.rows.columns[scan->columns[i]], 0, 5, &err),
                   &err);
    }
    in.length = 5;
    weir_batch_reserve_kinds(&in, 5);
    static const int8_t kinds[] = {WEIR_INSERT, WEIR_UPDATE_BEFORE, WEIR_UPDATE_AFTER, WEIR_DELETE, WEIR_INSERT};
    memcpy(in.kinds, kinds, sizeof kinds);
    weir_buffer_clear(out);
    for (int round = 0; round < 2; round++) { /* a computation is used again and again */
        const uint32_t *rows;
        check_code(weir_sql_compute_run(compute, &in, &result, &rows, &err), &err);
        for (int64_t row = 0; row < result.length; row++) {
            assert_int_equal(weir_batch_kind(&result, row), kinds[rows[row]]);
            weir_buffer_append_format(out, "%s%s", out->size == 0 ? "" : "\n",
                                      weir_row_kind_text(weir_batch_kind(&result, row)));
            for (int32_t i = 0; i < result.column_count; i++) {
                weir_buffer_append_byte(out, ' ');
                weir_value_to_json(&result.columns[i], row, out);
            }
        }
        weir_buffer_append_text(out, round == 0 ? "\n--" : "");
    }
    weir_batch_free(&in);
    weir_batch_free(&result);
    weir_sql_compute_free(compute);
    weir_arena_free(&arena);
    weir_bound_free(bound);
}

static void computations_keep_row_kinds(void **state)
{
    static const query_case cases[] = {
        {"SELECT id, item FROM orders WHERE id < 4",
         "+I 1 \"apple\"\n-U 2 \"pear\"\n+U 3 \"a rather long name of an item\"\n--\n"
         "+I 1 \"apple\"\n-U 2 \"pear\"\n+U 3 \"a rather long name of an item\""},
        {"SELECT id FROM orders", "+I 1\n-U 2\n+U 3\n-D 4\n+I 5\n--\n+I 1\n-U 2\n+U 3\n-D 4\n+I 5"},
        {"SELECT 7, id * 10, UPPER(item) FROM orders WHERE CHAR_LENGTH(item) = 5",
         "+I 7 10 \"APPLE\"\n+I 7 50 \"APPLE\"\n--\n+I 7 10 \"APPLE\"\n+I 7 50 \"APPLE\""},
        {"SELECT id FROM orders WHERE FALSE", "\n--"},
        {"SELECT 60 / (id - 3) FROM orders WHERE id > 3 AND id <> 100", "-D 60\n+I 30\n--\n-D 60\n+I 30"},
        {"SELECT x.y FROM (SELECT id + 1 AS y FROM orders WHERE paid) AS x WHERE x.y > 2", "+U 4\n--\n+U 4"},
    };
    weir_buffer out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        project(*state, cases[i].text, &out);
        if (strcmp(weir_buffer_text(&out), cases[i].rows) != 0) {
            fail_msg("%s\n%s", cases[i].text, weir_buffer_text(&out));
        }
    }
    weir_buffer_free(&out);
}

/* What a query is flattened to: where it stops, and how many conditions and expressions there are. */
/* Each level would double what is above it. */
static void flattening_stops_where_expressions_would_grow_without_end(void **state)
{
    fixture *f = *state;
    weir_buffer text = {0};
    weir_bound *bound;
    weir_arena arena;
    weir_flat_plan flat;
    weir_error err = {0};
    weir_buffer_append_text(&text, "SELECT id + id AS id FROM ");
    for (int i = 0; i < 24; i++) {
        weir_buffer_append_text(&text, "(SELECT id + id AS id FROM ");
    }
    weir_buffer_append_text(&text, "orders");
    for (int i = 0; i < 24; i++) {
        weir_buffer_append_text(&text, ")");
    }
    weir_arena_init(&arena);
    check_code(bind(f, weir_buffer_text(&text), &bound, &err), &err);
    weir_plan_flatten(bound->plan, &arena, &flat);
    assert_int_equal(flat.bottom->kind, WEIR_PLAN_PROJECT);
    assert_true(arena.total_bytes < 32 << 20);
    weir_arena_free(&arena);
    weir_bound_free(bound);
    weir_buffer_free(&text);
}

static void flattening_stops_where_a_volatile_column_is_named_twice(void **state)
{
    static const struct {
        const char *text;
        weir_plan_kind bottom;
        int32_t conditions, expressions;
    } cases[] = {
        {"SELECT id FROM orders WHERE id > 1 AND item = 'a' AND paid", WEIR_PLAN_SCAN, 3, 1},
        {"SELECT y, y + 1 FROM (SELECT id + 1 AS y FROM orders WHERE paid) WHERE y > 2", WEIR_PLAN_SCAN, 2, 2},
        {"SELECT COUNT(*) FROM orders", WEIR_PLAN_AGGREGATE, 0, 1},
        {"SELECT r FROM (SELECT RAND() AS r FROM orders)", WEIR_PLAN_SCAN, 0, 1},
        {"SELECT r, r FROM (SELECT RAND() AS r FROM orders)", WEIR_PLAN_PROJECT, 0, 2},
        {"SELECT r FROM (SELECT RAND() AS r FROM orders) WHERE r > 0.5", WEIR_PLAN_PROJECT, 1, 1},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_bound *bound;
        weir_arena arena;
        weir_flat_plan flat;
        weir_error err = {0};
        weir_arena_init(&arena);
        check_code(bind(f, cases[i].text, &bound, &err), &err);
        weir_plan_flatten(bound->plan, &arena, &flat);
        if (flat.bottom->kind != cases[i].bottom || flat.condition_count != cases[i].conditions ||
            flat.expression_count != cases[i].expressions) {
            fail_msg("%s: down to %d, %d conditions, %d expressions", cases[i].text, (int)flat.bottom->kind,
                     flat.condition_count, flat.expression_count);
        }
        weir_arena_free(&arena);
        weir_bound_free(bound);
    }
}

/* --- What DuckDB says ------------------------------------------------------------------------------------------ */

static void duckdbs_excerpt_of_generated_sql_is_not_shown(void **state)
{
    static const struct {
        const char *said, *shown;
    } cases[] = {
        {"Binder Error: Cannot compare values\n\nLINE 1: SELECT t0.c1 < ...\n                     ^",
         "Cannot compare values"},
        {"Conversion Error: one line\nanother\n\nLINE 12: SELECT t0.c1", "one line\nanother"},
        {"Invalid Input Error: nothing to cut", "nothing to cut"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err = {0};
        assert_int_equal(weir_engine_fail(NULL, cases[i].said, &err), WEIR_INVALID);
        assert_string_equal(err.message, cases[i].shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_give_flinks_rows),
        cmocka_unit_test(values_of_all_types_go_in_and_come_out),
        cmocka_unit_test(columns_that_differ_in_case_alone_are_told_apart),
        cmocka_unit_test(many_splits_give_every_row_once),
        cmocka_unit_test(a_failing_row_fails_the_query_with_the_kernels_words),
        cmocka_unit_test(a_scans_error_is_passed_on_as_it_was),
        cmocka_unit_test(tables_of_changes_are_refused_in_queries),
        cmocka_unit_test(a_running_query_can_be_cancelled),
        cmocka_unit_test(a_result_may_be_freed_before_its_end),
        cmocka_unit_test(computations_keep_row_kinds),
        cmocka_unit_test(flattening_stops_where_expressions_would_grow_without_end),
        cmocka_unit_test(flattening_stops_where_a_volatile_column_is_named_twice),
        cmocka_unit_test(duckdbs_excerpt_of_generated_sql_is_not_shown),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
