/* Projections, filters, unions and VALUES as streams; what describes a plan. */
#include "base/clock.h"
#include "harness.h"

static void rows_are_computed_and_their_kinds_kept(void **state)
{
    harness *h = harness_open();
    harness_table *orders = harness_add(h, "orders", "id INT NOT NULL, item STRING, price INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT id, UPPER(item), price * 2 FROM orders WHERE price > 10");
    harness_push(orders, "+I [1, 'apple', 20] +I [2, 'pear', 5] -U [1, 'apple', 20] +U [1, 'apple', 30]");
    harness_check(h, "+I [1, 'APPLE', 40] -U [1, 'APPLE', 40] +U [1, 'APPLE', 60]");
    harness_push(orders, "-D [2, 'pear', 5] -D [1, 'apple', 30]");
    harness_check(h, "-D [1, 'APPLE', 60]");
    harness_check_rows(h, "");
    harness_close(h);
}

static void an_update_that_loses_a_half_becomes_an_insert_or_a_delete(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"+I [1, 20] +I [2, 5]", "+I [1, 20]"},
        {"-U [1, 20] +U [1, 7]", "-D [1, 20]"},
        {"-U [1, 7] +U [1, 30]", "+I [1, 30]"},
        {"-U [1, 30] +U [1, 31] -U [2, 5] +U [2, 50]", "-U [1, 30] +U [1, 31] +I [2, 50]"},
        {"-U [2, 50] +U [2, 6] -U [1, 31] +U [1, 32]", "-D [2, 50] -U [1, 31] +U [1, 32]"},
        /* The halves come in two batches. */
        {"-U [1, 32]", "-D [1, 32]"},
        {"+U [1, 33] +I [3, 40]", "+I [1, 33] +I [3, 40]"},
        {"-U [3, 40]", "-D [3, 40]"},
        {"+U [3, 1]", ""},
    };
    harness *h = harness_open();
    harness_table *orders = harness_add(h, "orders", "id INT NOT NULL, price INT", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT id, price FROM orders WHERE price > 10");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness_push(orders, cases[i].in);
        harness_check(h, cases[i].out);
    }
    harness_check_rows(h, "[1, 33]");
    harness_close(h);
}

static void a_volatile_column_has_one_value_wherever_it_is_named(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "id INT", HARNESS_INSERTS);
    (void)state;
    harness_start(h, "SELECT r = s, r > 0.5 FROM (SELECT r, r AS s FROM (SELECT RAND() AS r FROM t) WHERE r > 0.5)");
    for (int i = 0; i < 50; i++) {
        harness_push(t, "+I [1]");
    }
    for (int32_t i = 0; i < h->rows.count; i++) {
        assert_string_equal(h->rows.items[i], "[true, true]");
    }
    harness_close(h);
}

static void unions_give_what_comes_on_any_side(void **state)
{
    harness *h = harness_open();
    harness_table *a = harness_add(h, "a", "id INT, x STRING", HARNESS_INSERTS);
    harness_table *b = harness_add(h, "b", "id INT, x STRING", HARNESS_CHANGES);
    (void)state;
    harness_start(h, "SELECT id, x FROM a UNION ALL SELECT id + 100, x FROM b UNION ALL VALUES (7, 'seven')");
    harness_push(a, "+I [1, 'a']");
    harness_check(h, "+I [1, 'a'] +I [7, 'seven']");
    harness_push(b, "+I [1, 'b'] -U [1, 'b'] +U [1, 'c']");
    harness_check(h, "+I [101, 'b'] -U [101, 'b'] +U [101, 'c']");
    harness_push(a, "+I [1, 'a']");
    harness_check_rows(h, "[1, 'a'] [1, 'a'] [101, 'c'] [7, 'seven']");
    harness_close(h);
}

static void values_come_once(void **state)
{
    harness *h = harness_open();
    (void)state;
    harness_start(h, "SELECT * FROM (VALUES (1, ARRAY['a', 'b']), (2, ARRAY[UPPER('c')])) AS t(id, list) WHERE id < 9");
    harness_end(h);
    harness_check(h, "+I [1, ['a','b']] +I [2, ['C']]");
    harness_end(h);
    harness_check(h, "");
    harness_close(h);
}

static void the_clock_goes_on(void **state)
{
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "id INT", HARNESS_INSERTS);
    (void)state;
    harness_start(h, "SELECT CURRENT_TIMESTAMP FROM t");
    harness_push(t, "+I [1]");
    weir_sleep_ms(3);
    harness_push(t, "+I [1]");
    assert_int_equal(h->rows.count, 2);
    assert_string_not_equal(h->rows.items[0], h->rows.items[1]);
    harness_close(h);
}

static void what_is_not_there_is_refused_by_name(void **state)
{
    static const struct {
        const char *query;
        weir_code code;
        const char *message;
    } cases[] = {
        {"SELECT id FROM silent", WEIR_INVALID, "table silent can only be written, not read"},
        {"SELECT COUNT(*) FROM (SELECT INTERVAL '1' DAY * n AS i FROM times) GROUP BY i", WEIR_UNSUPPORTED,
         "columns of intervals do not run as a stream in this version"},
    };
    harness *h = harness_open();
    harness_add(h, "times", "n INT", HARNESS_INSERTS);
    harness_add(h, "silent", "id INT", HARNESS_INSERTS)->table.open_stream = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err = harness_refusal(h, cases[i].query);
        assert_int_equal(err.code, cases[i].code);
        assert_string_equal(err.message, cases[i].message);
    }
    harness_close(h);
}

/* --- Descriptions ---------------------------------------------------------------------------------------------- */

static char *describe(harness *h, const char *query)
{
    weir_error err = {0};
    weir_buffer words = {0};
    free(h->query);
    weir_bound_free(h->bound);
    h->query = weir_strdup(query);
    harness_ok(harness_bind(h, &err), &err);
    weir_graph_describe(h->bound, false, &words);
    char *text = weir_strdup(weir_buffer_text(&words));
    weir_buffer_free(&words);
    return text;
}

static void a_description_is_of_what_is_computed(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"SELECT id + 1 AS x FROM t WHERE id > 3", "select (q.id + 1)  as  x from t as q where q.id > 3", true},
        {"SELECT id + 1 AS x FROM t WHERE id > 3", "SELECT id + 1 AS x FROM t WHERE id > 4", false},
        {"SELECT id + 1 AS x FROM t WHERE id > 3", "SELECT id + 2 AS x FROM t WHERE id > 3", false},
        {"SELECT id AS x FROM t", "SELECT id AS x FROM u", false},
        {"SELECT name, COUNT(*) AS c FROM t GROUP BY name", "SELECT z.name, COUNT(*) AS c FROM t z GROUP BY z.name",
         true},
        {"SELECT name, COUNT(id) AS c FROM t GROUP BY name",
         "SELECT name, COUNT(DISTINCT id) AS c FROM t GROUP BY name", false},
        {"SELECT name, SUM(id) AS c FROM t GROUP BY name",
         "SELECT name, SUM(id) FILTER (WHERE id > 0) AS c FROM t GROUP BY name", false},
        {"SELECT t.id FROM t JOIN u ON t.id = u.id", "SELECT t.id FROM t LEFT JOIN u ON t.id = u.id", false},
        {"SELECT 'a''b' AS x FROM t", "SELECT 'a' AS x FROM t", false},
        {"SELECT CAST(id AS BIGINT) AS x FROM t", "SELECT CAST(CAST(id AS SMALLINT) AS BIGINT) AS x FROM t", false},
    };
    harness *h = harness_open();
    harness_add(h, "t", "id INT, name STRING", HARNESS_INSERTS);
    harness_add(h, "u", "id INT, name STRING", HARNESS_INSERTS);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *a = describe(h, cases[i].a);
        char *b = describe(h, cases[i].b);
        if ((strcmp(a, b) == 0) != cases[i].same) {
            fail_msg("%s\n%s%s\n%s", cases[i].a, a, cases[i].b, b);
        }
        free(a);
        free(b);
    }
    harness_close(h);
}

static void a_description_says_what_changes_a_table_gives(void **state)
{
    static const harness_changes kinds[] = {HARNESS_INSERTS, HARNESS_CHANGES, HARNESS_UPSERTS};
    char *texts[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        harness *h = harness_open();
        harness_table *t = harness_add(h, "t", "id INT NOT NULL, n INT", kinds[i]);
        harness_set_key(t, "id");
        texts[i] = describe(h, "SELECT id, n FROM t");
        harness_close(h);
    }
    assert_string_not_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[1], texts[2]);
    for (int i = 0; i < 3; i++) {
        free(texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_computed_and_their_kinds_kept),
        cmocka_unit_test(an_update_that_loses_a_half_becomes_an_insert_or_a_delete),
        cmocka_unit_test(a_volatile_column_has_one_value_wherever_it_is_named),
        cmocka_unit_test(unions_give_what_comes_on_any_side),
        cmocka_unit_test(values_come_once),
        cmocka_unit_test(the_clock_goes_on),
        cmocka_unit_test(what_is_not_there_is_refused_by_name),
        cmocka_unit_test(a_description_is_of_what_is_computed),
        cmocka_unit_test(a_description_says_what_changes_a_table_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
