/* What changes plans give, by which keys, and what stands before sinks: normalization of upserts, and what is kept
 * where keys of the query meet on one key of the sink. */
#include "harness.h"

/* --- Upserts --------------------------------------------------------------------------------------------------- */

static harness_table *add_upserts(harness *h)
{
    harness_table *t = harness_add(h, "t", "k INT NOT NULL, v INT", HARNESS_UPSERTS);
    harness_set_key(t, "k");
    return t;
}

static void upserts_become_a_whole_changelog(void **state)
{
    harness *h = harness_open();
    harness_table *t = add_upserts(h);
    (void)state;
    harness_start(h, "SELECT k, v FROM t");
    harness_push(t, "+I [1, 10] +U [2, 20] +U [1, 11]");
    harness_check(h, "+I [1, 10] +I [2, 20] -U [1, 10] +U [1, 11]");
    harness_push(t, "+U [1, 11] +I [1, 11]");
    harness_check(h, "");
    harness_push(t, "-D [1, null] -D [3, null] +I [1, 12]");
    harness_check(h, "-D [1, 11] +I [1, 12]");
    harness_push(t, "-U [2, 20] +U [2, 21] -U [1, 12]");
    harness_check(h, "-U [2, 20] +U [2, 21] -D [1, 12]");
    harness_close(h);
}

static void the_key_of_upserts_is_read_though_nobody_asks_for_it(void **state)
{
    harness *h = harness_open();
    harness_table *t = add_upserts(h);
    (void)state;
    harness_start(h, "SELECT v + 1 FROM t WHERE v > 5");
    harness_push(t, "+I [1, 10] +I [2, 20]");
    harness_check(h, "+I [11] +I [21]");
    harness_push(t, "+U [1, 5] +U [2, 21]");
    harness_check(h, "-D [11] -U [21] +U [22]");
    harness_close(h);
}

static void upserts_go_through_to_a_sink_of_the_same_key(void **state)
{
    harness *h = harness_open();
    harness_table *t = add_upserts(h);
    (void)state;
    h->upserts = true;
    h->sink_takes = WEIR_SINK_UPSERTS;
    h->sink_key[0] = 1;
    h->sink_key_count = 1;
    harness_start(h, "SELECT v * 2, k FROM t");
    harness_push(t, "+I [1, 10] +U [1, 11] +U [1, 11] -D [1, null]");
    harness_check(h, "+I [20, 1] +U [22, 1] +U [22, 1] -D [null, 1]");
    harness_close(h);
}

/* --- Keys of the sink ------------------------------------------------------------------------------------------ */

static harness *open_sink(harness_table **out, weir_upsert_materialize mode, int32_t first_key, int32_t key_count)
{
    harness *h = harness_open();
    *out = harness_add(h, "t", "k INT NOT NULL, g INT, v INT", HARNESS_CHANGES);
    harness_set_key(*out, "k");
    h->upserts = true;
    h->sink_takes = WEIR_SINK_UPSERTS;
    for (int32_t i = 0; i < key_count; i++) {
        h->sink_key[i] = first_key + i;
    }
    h->sink_key_count = key_count;
    h->context.upsert_materialize = mode;
    return h;
}

static void updates_that_keep_their_key_are_sent_without_what_was_before(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_AUTO, 0, 1);
    (void)state;
    harness_start(h, "SELECT k, v FROM t");
    harness_push(t, "+I [1, 0, 1] -U [1, 0, 1] +U [1, 0, 2] -D [1, 0, 2]");
    harness_check(h, "+I [1, 1] +U [1, 2] -D [1, 2]");
    harness_close(h);
}

static void a_row_that_moves_to_another_key_is_deleted_at_the_old_one(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_AUTO, 0, 2);
    (void)state;
    harness_start(h, "SELECT k, v FROM t");
    harness_push(t, "+I [1, 0, 1] -U [1, 0, 1] +U [1, 0, 2]");
    harness_check(h, "+I [1, 1] -D [1, 1] +U [1, 2]");
    harness_close(h);
}

static void what_is_kept_for_the_sink_is_part_of_the_description(void **state)
{
    static const weir_upsert_materialize modes[] = {WEIR_MATERIALIZE_AUTO, WEIR_MATERIALIZE_FORCE};
    char *texts[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        harness_table *t;
        harness *h = open_sink(&t, modes[i], 0, 1);
        weir_buffer words = {0};
        harness_start(h, "SELECT k, v FROM t");
        weir_graph_describe_sink(h->graph, &words);
        texts[i] = weir_strdup(weir_buffer_text(&words));
        weir_buffer_free(&words);
        harness_close(h);
    }
    assert_string_not_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void rows_that_meet_on_a_key_of_the_sink_are_all_kept(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_AUTO, 0, 1);
    (void)state;
    harness_start(h, "SELECT g, v FROM t");
    harness_push(t, "+I [1, 7, 10] +I [2, 7, 20] +I [3, 8, 30]");
    harness_check(h, "+I [7, 10] +U [7, 20] +I [8, 30]");
    harness_push(t, "-D [2, 7, 20]");
    harness_check(h, "+U [7, 10]");
    harness_push(t, "-U [1, 7, 10] +U [1, 7, 11]");
    harness_check(h, "+U [7, 11]");
    harness_push(t, "-U [1, 7, 11] +U [1, 8, 11]");
    harness_check(h, "-D [7, 11] +U [8, 11]");
    harness_push(t, "-D [3, 8, 30]");
    harness_check(h, "");
    harness_push(t, "-D [1, 8, 11]");
    harness_check(h, "-D [8, 11]");
    harness_push(t, "-D [1, 8, 11]");
    harness_check(h, "");
    harness_close(h);
}

static void equal_rows_of_several_keys_go_one_by_one(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_AUTO, 0, 1);
    (void)state;
    harness_start(h, "SELECT g, v FROM t");
    harness_push(t, "+I [1, 7, 10] +I [2, 7, 20] +I [3, 7, 10] +I [4, 7, 30]");
    harness_check(h, "+I [7, 10] +U [7, 20] +U [7, 10] +U [7, 30]");
    harness_push(t, "-D [1, 7, 10] -D [4, 7, 30] -D [3, 7, 10] -D [2, 7, 20]");
    harness_check(h, "+U [7, 10] +U [7, 20] -D [7, 20]");
    harness_close(h);
}

static void a_sink_that_keeps_changes_sees_both_halves_of_those_of_its_rows(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_AUTO, 0, 1);
    (void)state;
    h->upserts = false;
    h->sink_takes = WEIR_SINK_ALL;
    harness_start(h, "SELECT g, v FROM t");
    harness_push(t, "+I [1, 7, 10] +I [2, 7, 20] +I [3, 7, 20]");
    harness_check(h, "+I [7, 10] -U [7, 10] +U [7, 20]");
    harness_push(t, "-U [1, 7, 10] +U [1, 7, 11]");
    harness_check(h, "-U [7, 20] +U [7, 11]");
    harness_push(t, "-D [1, 7, 11] -D [2, 7, 20] -D [3, 7, 20]");
    harness_check(h, "-U [7, 11] +U [7, 20] -D [7, 20]");
    harness_close(h);
}

static void without_materializing_rows_are_sent_as_they_come(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_NONE, 0, 1);
    (void)state;
    harness_start(h, "SELECT g, v FROM t");
    harness_push(t, "+I [1, 7, 10] +I [2, 7, 20] -U [1, 7, 10] +U [1, 8, 10] -D [2, 7, 20]");
    harness_check(h, "+I [7, 10] +I [7, 20] +U [8, 10] -D [7, 20]");
    harness_close(h);
}

static void forced_materializing_keeps_rows_whatever_their_keys(void **state)
{
    harness_table *t;
    harness *h = open_sink(&t, WEIR_MATERIALIZE_FORCE, 0, 1);
    (void)state;
    harness_start(h, "SELECT k, v FROM t");
    harness_push(t, "+I [1, 7, 10] -U [1, 7, 10] +U [1, 7, 20] -D [1, 7, 20]");
    harness_check(h, "+I [1, 10] +U [1, 20] -D [1, 20]");
    harness_close(h);
}

/* --- Traits ---------------------------------------------------------------------------------------------------- */

/* Kinds of rows beside +I, then each unique key. */
static void put_traits(const weir_bound *bound, const weir_stream_traits *traits, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s%s", traits->updates ? "U" : "", traits->deletes ? "D" : "");
    for (int32_t i = 0; i < traits->unique_key_count; i++) {
        weir_buffer_append_text(out, " (");
        for (int32_t j = 0; j < traits->unique_keys[i].count; j++) {
            weir_buffer_append_format(out, "%s%s", j == 0 ? "" : " ",
                                      bound->plan->fields[traits->unique_keys[i].fields[j]].name);
        }
        weir_buffer_append_text(out, ")");
    }
}

static void changes_and_keys_of_plans_are_known(void **state)
{
    static const struct {
        const char *query, *traits;
    } cases[] = {
        {"SELECT a, b FROM i", ""},
        {"SELECT v, k FROM c", "UD (k)"},
        {"SELECT v FROM c", "UD"},
        {"SELECT k AS x, k + 1 AS y FROM c WHERE v > 3", "UD (x)"},
        {"SELECT a, COUNT(*) AS n FROM i GROUP BY a", "U (a)"},
        {"SELECT v, COUNT(*) AS n FROM c GROUP BY v", "UD (v)"},
        {"SELECT COUNT(*) AS n FROM i", "U ()"},
        {"SELECT a, b, COUNT(*) AS n FROM i GROUP BY ROLLUP (a, b)", "U"},
        {"SELECT DISTINCT a, b FROM i", " (a b)"},
        {"SELECT DISTINCT v, k FROM c", "D (v k)"},
        {"SELECT a FROM i UNION ALL SELECT k FROM c", "UD"},
        {"SELECT a FROM i INTERSECT SELECT b FROM i", " (a)"},
        {"SELECT a FROM i EXCEPT SELECT b FROM i", "UD (a)"},
        {"SELECT i.a, c.k FROM i JOIN c ON i.a = c.k", "UD"},
        {"SELECT c.k, d.k AS dk FROM c JOIN d ON c.v = d.k", "UD (k)"},
        {"SELECT c.k, d.k AS dk FROM c JOIN d ON c.k = d.k", "UD (k) (dk)"},
        {"SELECT c.k, d.k AS dk FROM c LEFT JOIN d ON c.k = d.k", "UD (k)"},
        {"SELECT c.k, d.k AS dk FROM c RIGHT JOIN d ON c.k = d.k", "UD (dk)"},
        {"SELECT c.k, d.k AS dk FROM c FULL JOIN d ON c.k = d.k", "UD (k dk)"},
        {"SELECT c.k, d.k AS dk FROM c JOIN d ON c.v = d.v", "UD (k dk)"},
        {"SELECT i.a, j.a AS ja FROM i LEFT JOIN i AS j ON i.a = j.b", "UD"},
        {"SELECT i.a, j.a AS ja FROM i JOIN i AS j ON i.a = j.b", ""},
        {"SELECT a FROM i WHERE a IN (SELECT b FROM i)", ""},
        {"SELECT k FROM c WHERE k NOT IN (SELECT a FROM i)", "UD (k)"},
        {"SELECT a, b FROM i ORDER BY b LIMIT 3", "UD"},
        {"SELECT a, b FROM i LIMIT 3", ""},
        {"SELECT k FROM c LIMIT 3", "UD (k)"},
        {"SELECT a, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn FROM i) WHERE rn < 3",
         "UD (a rn)"},
        {"SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn FROM i) WHERE rn < 3", "UD"},
        {"SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS rn FROM i) WHERE rn = 1", "UD (a)"},
        {"SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY v ORDER BY k) AS rn FROM c) WHERE rn < 3", "UD"},
        {"SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM c) WHERE rn < 3",
         "UD (k)"},
        {"SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY p) AS rn FROM (SELECT *, PROCTIME() AS p "
         "FROM i)) WHERE rn = 1",
         " (a)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness *h = harness_open();
        weir_error err = {0};
        const weir_stream_traits *traits;
        weir_buffer found = {0};
        harness_add(h, "i", "a INT, b INT", HARNESS_INSERTS);
        harness_set_key(harness_add(h, "c", "k INT NOT NULL, v INT", HARNESS_CHANGES), "k");
        harness_set_key(harness_add(h, "d", "k INT NOT NULL, v INT", HARNESS_CHANGES), "k");
        h->query = weir_strdup(cases[i].query);
        harness_ok(harness_bind(h, &err), &err);
        harness_ok(weir_stream_traits_of(h->bound->plan, &h->bound->arena, &traits, &err), &err);
        put_traits(h->bound, traits, &found);
        if (strcmp(weir_buffer_text(&found), cases[i].traits) != 0) {
            fail_msg("%s\n  gives \"%s\" and not \"%s\"", cases[i].query, weir_buffer_text(&found), cases[i].traits);
        }
        weir_buffer_free(&found);
        harness_close(h);
    }
}

static void sinks_of_inserts_refuse_what_changes_in_flinks_words(void **state)
{
    static const struct {
        const char *query, *message;
    } cases[] = {
        {"SELECT a, COUNT(*) FROM i GROUP BY a",
         "update changes which is produced by node GroupAggregate(groupBy=[a], select=[a, COUNT(*)])"},
        {"SELECT k FROM c WHERE v > 3",
         "update and delete changes which is produced by node TableSourceScan(table=[[default_catalog, "
         "default_database, c]], fields=[k, v])"},
        {"SELECT i.a FROM i LEFT JOIN i AS j ON i.a = j.b",
         "update and delete changes which is produced by node Join(joinType=[LeftOuterJoin], where=[(a = b)]"},
        {"SELECT k FROM u UNION ALL SELECT a FROM i",
         "update and delete changes which is produced by node ChangelogNormalize(key=[k])"},
        {"SELECT a, b FROM i ORDER BY b LIMIT 3",
         "update and delete changes which is produced by node SortLimit(orderBy=[b ASC], offset=[0], fetch=[3])"},
        {"SELECT k FROM c LIMIT 3", "update and delete changes which is produced by node Limit(offset=[0], fetch=[3])"},
        {"SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) AS rn FROM i) WHERE rn <= 3",
         "update and delete changes which is produced by node Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, "
         "rankEnd=3], partitionBy=[a], orderBy=[b DESC], select=[a, b])"},
        {"SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY p DESC) AS rn FROM (SELECT *, PROCTIME() "
         "AS p FROM i)) WHERE rn = 1",
         "update and delete changes which is produced by node Deduplicate(keep=[LastRow], key=[a], order=[PROCTIME])"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness *h = harness_open();
        harness_add(h, "i", "a INT, b INT", HARNESS_INSERTS);
        harness_set_key(harness_add(h, "c", "k INT NOT NULL, v INT", HARNESS_CHANGES), "k");
        harness_set_key(harness_add(h, "u", "k INT NOT NULL, v INT", HARNESS_UPSERTS), "k");
        h->sink_takes = WEIR_SINK_INSERTS;
        weir_error err = harness_refusal(h, cases[i].query);
        if (strstr(err.message, "Table sink 'default_catalog.default_database.result' doesn't support consuming") ==
                NULL ||
            strstr(err.message, cases[i].message) == NULL) {
            fail_msg("%s\n%s", cases[i].query, err.message);
        }
        harness_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upserts_become_a_whole_changelog),
        cmocka_unit_test(the_key_of_upserts_is_read_though_nobody_asks_for_it),
        cmocka_unit_test(upserts_go_through_to_a_sink_of_the_same_key),
        cmocka_unit_test(updates_that_keep_their_key_are_sent_without_what_was_before),
        cmocka_unit_test(a_row_that_moves_to_another_key_is_deleted_at_the_old_one),
        cmocka_unit_test(what_is_kept_for_the_sink_is_part_of_the_description),
        cmocka_unit_test(rows_that_meet_on_a_key_of_the_sink_are_all_kept),
        cmocka_unit_test(equal_rows_of_several_keys_go_one_by_one),
        cmocka_unit_test(a_sink_that_keeps_changes_sees_both_halves_of_those_of_its_rows),
        cmocka_unit_test(without_materializing_rows_are_sent_as_they_come),
        cmocka_unit_test(forced_materializing_keeps_rows_whatever_their_keys),
        cmocka_unit_test(changes_and_keys_of_plans_are_known),
        cmocka_unit_test(sinks_of_inserts_refuse_what_changes_in_flinks_words),
    };
    return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
