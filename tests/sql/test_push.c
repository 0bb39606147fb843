/* What conditions say of a scan's columns: one predicate for each condition, as plans show it. */
#include "memory_table.h"

typedef struct push_case {
    const char *condition;
    const char *pushed; /* "": nothing */
} push_case;

typedef struct fixture {
    memory_table orders;
    memory_resolver resolver;
    weir_bind_context context;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    memory_table_start(&f->orders, "t",
                       "tiny TINYINT, i INT, big BIGINT, price DECIMAL(10, 2), f FLOAT, d DOUBLE, b BOOLEAN, s STRING, "
                       "day DATE, at TIMESTAMP(3), exact_at TIMESTAMP(6), instant TIMESTAMP_LTZ(3)");
    f->resolver = (memory_resolver){.resolver = {memory_resolve}, .tables = {&f->orders}};
    f->context = (weir_bind_context){.resolver = &f->resolver.resolver, .now_ms = 1700000000123};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    memory_table_free(&f->orders);
    free(f);
    return 0;
}

static weir_bound *bind(fixture *f, const char *query)
{
    weir_arena arena;
    weir_ast_statement *statement;
    weir_bound *bound = NULL;
    weir_error err = {0};
    weir_arena_init(&arena);
    int code = weir_parse_statement(query, &arena, &statement, &err);
    code = code == WEIR_OK ? weir_bind_query(&f->context, statement->query, &bound, &err) : code;
    weir_arena_free(&arena);
    if (code != WEIR_OK) {
        fail_msg("%s: %s", query, err.message);
    }
    return bound;
}

/* What the plan of a query shows behind "pushed: ", a scan after the other, joined by "; ". */
static void show_pushed(fixture *f, const char *query, weir_buffer *out)
{
    weir_bound *bound = bind(f, query);
    weir_buffer plan = {0};
    weir_plan_explain(bound->plan, &plan);
    weir_buffer_clear(out);
    for (const char *at = weir_buffer_text(&plan); (at = strstr(at, " pushed: ")) != NULL; at++) {
        const char *text = at + strlen(" pushed: ");
        weir_buffer_append_text(out, out->size > 0 ? "; " : "");
        weir_buffer_append(out, text, strcspn(text, "\n"));
    }
    weir_buffer_free(&plan);
    weir_bound_free(bound);
}

static void check_cases(fixture *f, const char *before, const push_case *cases, size_t count)
{
    weir_buffer pushed = {0};
    for (size_t i = 0; i < count; i++) {
        char query[1000];
        snprintf(query, sizeof query, "%s%s", before, cases[i].condition);
        show_pushed(f, query, &pushed);
        if (strcmp(weir_buffer_text(&pushed), cases[i].pushed) != 0) {
            fail_msg("%s\n  gives    %s\n  and not  %s", query, weir_buffer_text(&pushed), cases[i].pushed);
        }
    }
    weir_buffer_free(&pushed);
}

#define CHECK(state, before, cases) check_cases(*(state), before, cases, sizeof(cases) / sizeof *(cases))

static void comparisons_are_brought_below_casts_that_lose_nothing(void **state)
{
    static const push_case cases[] = {
        {"i > 1.5", "i > 1"},
        {"i >= 1.5", "i > 1"},
        {"i < 1.5", "i <= 1"},
        {"i <= 1.5", "i <= 1"},
        {"i < -1.5", "i <= -2"},
        {"i = 1.5", "()"},
        {"i <> 1.5", "i IS NOT NULL"},
        {"i > 5000000000", "()"},
        {"i < 5000000000", "i IS NOT NULL"},
        {"i > -5000000000", "i IS NOT NULL"},
        {"tiny <= 300", "tiny IS NOT NULL"},
        {"1.5 < i", "i > 1"},
        {"big > 1e0", "big > 1"},
        {"big > 1.5e0", "big > 1"},
        {"big > 1e300", ""},
        {"price > 1.234", "price > 1.23"},
        {"price >= 1.230", "price >= 1.23"},
        {"price = 5", "price = 5.00"},
        {"f > CAST(0.5 AS DOUBLE)", "f > 0.5"},
        {"f > CAST(0.1 AS DOUBLE)", ""},
        {"CAST(day AS TIMESTAMP(3)) > TIMESTAMP '2024-01-31 12:00:00'", "day > '2024-01-31'"},
        {"CAST(day AS TIMESTAMP(3)) < TIMESTAMP '2024-01-31 00:00:00'", "day < '2024-01-31'"},
        {"at >= TIMESTAMP '2024-01-31 12:00:00.0001'", "at > '2024-01-31 12:00:00.000'"},
        {"i IN (1, 2.5, 3)", "i IN 1, 3"},
        {"i IN (1.5, 2.5)", "()"},
        {"i NOT IN (1, 2.5)", "(i <> 1 AND i IS NOT NULL)"},
        {"CAST(s AS INT) = 1", ""},
        {"CAST(d AS INT) = 1", ""},
    };
    CHECK(state, "SELECT i FROM t WHERE ", cases);
}

static void a_value_of_a_coarser_type_is_a_range(void **state)
{
    static const push_case cases[] = {
        {"CAST(at AS DATE) = DATE '2024-01-31'",
         "(at >= '2024-01-31 00:00:00.000' AND at < '2024-02-01 00:00:00.000')"},
        {"CAST(at AS DATE) > DATE '2024-01-31'", "at >= '2024-02-01 00:00:00.000'"},
        {"CAST(at AS DATE) <= DATE '2024-01-31'", "at < '2024-02-01 00:00:00.000'"},
        {"CAST(at AS DATE) < DATE '2024-01-31'", "at < '2024-01-31 00:00:00.000'"},
        {"CAST(at AS DATE) <> DATE '2024-01-31'", ""},
        {"CAST(exact_at AS TIMESTAMP(0)) = TIMESTAMP '2024-01-31 00:00:01'",
         "(exact_at >= '2024-01-31 00:00:01.000000' AND exact_at < '2024-01-31 00:00:02.000000')"},
        {"EXTRACT(YEAR FROM day) = 1995", "(day >= '1995-01-01' AND day < '1996-01-01')"},
        {"YEAR(at) >= 1995", "at >= '1995-01-01 00:00:00.000'"},
        {"EXTRACT(MONTH FROM day) = 2", ""},
        {"CAST(instant AS DATE) = DATE '2024-01-31'", ""}, /* depends on the session's zone */
    };
    CHECK(state, "SELECT i FROM t WHERE ", cases);
}

static void texts_are_searched_by_what_they_begin_with(void **state)
{
    static const push_case cases[] = {
        {"s LIKE 'ab%'", "s STARTS WITH 'ab'"},
        {"s LIKE 'ab%c'", "s STARTS WITH 'ab'"},
        {"s LIKE 'a_'", "s STARTS WITH 'a'"},
        {"s LIKE 'ab'", "s = 'ab'"},
        {"s LIKE '%ab'", ""},
        {"s NOT LIKE 'ab%'", ""},
        {"s LIKE 'a|%%' ESCAPE '|'", ""},
        {"s > 'm'", "s > 'm'"},
        {"s BETWEEN 'a' AND 'b'", "(s >= 'a' AND s <= 'b')"},
    };
    CHECK(state, "SELECT i FROM t WHERE ", cases);
}

static void logic_is_followed_as_far_as_it_goes(void **state)
{
    static const push_case cases[] = {
        {"b", "b = TRUE"},
        {"NOT b", "b = FALSE"},
        {"b IS TRUE", "b = TRUE"},
        {"b IS FALSE", "b = FALSE"},
        {"b IS NOT TRUE", ""},
        {"NOT (i = 1 OR big = 2)", "(i <> 1 AND big <> 2)"},
        {"NOT (i = 1 AND big = 2)", "(i <> 1 OR big <> 2)"},
        {"NOT (d > 1)", ""}, /* NaN */
        {"(i = 1 AND CHAR_LENGTH(s) = 2) OR (i = 3 AND b)", "(i = 1 OR (i = 3 AND b = TRUE))"},
        {"i IS NOT DISTINCT FROM 4", "i = 4"},
        {"i IS DISTINCT FROM 4", ""},
        {"i IS NULL OR i > 3", "(i IS NULL OR i > 3)"},
        {"FALSE", "()"},
        {"i = 1 AND FALSE", "(i = 1 AND ())"},
    };
    CHECK(state, "SELECT i FROM t WHERE ", cases);
}

static void conditions_go_down_through_what_keeps_rows_together(void **state)
{
    static const push_case cases[] = {
        {"SELECT * FROM (SELECT i + 0 AS x, day AS y FROM t) WHERE y = DATE '2024-01-31' AND x = 1",
         "day = '2024-01-31'"},
        {"SELECT day, COUNT(*) FROM t GROUP BY day HAVING day > DATE '2024-01-31' AND COUNT(*) > 3",
         "day > '2024-01-31'"},
        {"SELECT * FROM (SELECT DISTINCT i, s FROM t) WHERE i = 3", "i = 3"},
        {"SELECT * FROM (SELECT i FROM t UNION ALL SELECT CAST(tiny AS INT) FROM t) WHERE i = 3", "i = 3; tiny = 3"},
        {"SELECT * FROM (SELECT i FROM t ORDER BY i LIMIT 3) WHERE i = 3", ""},
        {"SELECT * FROM (SELECT COUNT(i) AS n FROM t) WHERE n = 3", ""},
        {"SELECT * FROM (SELECT CAST(at AS DATE) AS dt FROM t) WHERE dt >= DATE '2024-01-31'",
         "at >= '2024-01-31 00:00:00.000'"},
    };
    CHECK(state, "", cases);
}

static void conditions_go_to_the_sides_of_joins(void **state)
{
    static const push_case cases[] = {
        {"SELECT * FROM t AS a, t AS b WHERE a.i = b.i AND a.big > 1 AND b.s = 'x'", "big > 1; s = 'x'"},
        {"SELECT * FROM t AS a LEFT JOIN t AS b ON a.i = b.i AND a.big > 1 AND b.s = 'x' WHERE a.tiny = 2",
         "tiny = 2; s = 'x'"},
        {"SELECT * FROM t AS a LEFT JOIN t AS b ON a.i = b.i WHERE b.s IS NULL", ""},
        {"SELECT * FROM t AS a RIGHT JOIN t AS b ON a.i = b.i AND a.big > 1 AND b.s = 'x' WHERE b.tiny = 2",
         "big > 1; tiny = 2"},
        {"SELECT * FROM t AS a FULL JOIN t AS b ON a.i = b.i AND a.big > 1 WHERE a.tiny = 2", "tiny = 2"},
        {"SELECT * FROM t AS a, t AS b WHERE (a.i = 1 AND b.s = 'x') OR (a.i = 2 AND b.s = 'y')",
         "(i = 1 OR i = 2); (s = 'x' OR s = 'y')"},
        {"SELECT * FROM t AS a JOIN t AS b ON a.i = b.i AND a.i + b.i > 2", ""},
        {"SELECT * FROM t AS a JOIN t AS b ON a.i = b.i JOIN t AS c ON b.i = c.i WHERE a.i = 5", "i = 5; i = 5; i = 5"},
        {"SELECT * FROM t AS a LEFT JOIN t AS b ON a.i = b.i WHERE a.i > 5", "i > 5; i > 5"},
        {"SELECT * FROM t AS a LEFT JOIN t AS b ON a.i = b.i WHERE b.big = 5", "big = 5"},
        {"SELECT * FROM t AS a RIGHT JOIN t AS b ON a.i = b.i WHERE b.i IN (1, 2)", "i IN 1, 2; i IN 1, 2"},
        {"SELECT * FROM t AS a FULL JOIN t AS b ON a.i = b.i WHERE a.i > 1 AND b.big > 1",
         "i > 1; (big > 1 AND i > 1)"},
        {"SELECT * FROM t AS a WHERE i > 1 AND EXISTS (SELECT 1 FROM t AS b WHERE b.i = a.i AND b.s = 'x')",
         "i > 1; (i > 1 AND s = 'x')"},
        {"SELECT * FROM t AS a WHERE i > 1 AND NOT EXISTS (SELECT 1 FROM t AS b WHERE b.i = a.i AND a.big > 1)",
         "i > 1; i > 1"},
        {"SELECT * FROM t AS a WHERE i > 1 AND i NOT IN (SELECT i FROM t AS b WHERE b.s = 'x')", "i > 1; s = 'x'"},
        {"SELECT i, (SELECT MAX(big) FROM t AS b WHERE b.i = a.i) FROM t AS a WHERE i = 7", "i = 7; i = 7"},
        {"SELECT * FROM (SELECT i, COUNT(*) AS c FROM t AS a JOIN t AS b USING (i) GROUP BY i) AS g WHERE i = 7 AND c "
         "> 1",
         "i = 7; i = 7"},
        {"SELECT * FROM t AS a, t AS b WHERE a.i = b.i AND a.tiny = 1 OR a.i = b.i AND a.tiny = 2",
         "(tiny = 1 OR tiny = 2)"},
    };
    CHECK(state, "", cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_are_brought_below_casts_that_lose_nothing),
        cmocka_unit_test(a_value_of_a_coarser_type_is_a_range),
        cmocka_unit_test(texts_are_searched_by_what_they_begin_with),
        cmocka_unit_test(logic_is_followed_as_far_as_it_goes),
        cmocka_unit_test(conditions_go_down_through_what_keeps_rows_together),
        cmocka_unit_test(conditions_go_to_the_sides_of_joins),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
