/* STATE_TTL: how long single queries and sides of joins remember rows. */
#include "cmocka_all.h"

#include "stream/harness.h"

static void a_hint_says_how_long_the_groups_of_one_query_are_kept(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *t = harness_add(h, "t", "k INT, v INT", HARNESS_CHANGES);
    harness_now_ms = 1000;
    harness_start(h, "SELECT /*+ STATE_TTL('t' = '1 s') */ k, SUM(v) FROM t GROUP BY k");
    harness_push(t, "+I [1, 9]");
    harness_check(h, "+I [1, 9]");
    harness_tick(h, 2500);
    harness_push(t, "+I [1, 3]");
    harness_check(h, "+I [1, 3]");
    harness_close(h);
    harness_now_ms = 1000;
}

/* Rows of one side are forgotten, those of the other are not. */
static void check_sides(const char *join, const char *options, const char *first, const char *second,
                        const char *third)
{
    harness *h = harness_open();
    harness_table *l = harness_add(h, "l", "k INT, a STRING", HARNESS_CHANGES);
    harness_table *r = harness_add(h, "r", "k INT, b STRING", HARNESS_CHANGES);
    harness_now_ms = 1000;
    char *query = weir_format("SELECT /*+ STATE_TTL(%s) */ l.k, a, b FROM l %s r ON l.k = r.k", options, join);
    harness_start(h, query);
    harness_push(l, "+I [1, 'x']");
    harness_push(r, "+I [1, 'y']");
    harness_check(h, first);
    harness_tick(h, 2500);
    harness_push(r, "+I [1, 'z']");
    harness_check(h, second);
    harness_push(l, "+I [1, 'w']");
    harness_check(h, third);
    harness_close(h);
    free(query);
    harness_now_ms = 1000;
}

static void each_side_of_a_join_has_its_own_time(void **state)
{
    (void)state;
    check_sides("JOIN", "'l' = '1 s', 'r' = '1 min'", "+I [1, 'x', 'y']", "", "+I [1, 'w', 'y'] +I [1, 'w', 'z']");
    check_sides("JOIN", "'l' = '1 s'", "+I [1, 'x', 'y']", "", "+I [1, 'w', 'y'] +I [1, 'w', 'z']");
    check_sides("JOIN", "'r' = '1 s'", "+I [1, 'x', 'y']", "+I [1, 'x', 'z']", "+I [1, 'w', 'z']");
    check_sides("JOIN", "'l' = '1 s', 'r' = '1 s'", "+I [1, 'x', 'y']", "", "+I [1, 'w', 'z']");
}

static void a_hint_of_another_relation_does_not_concern_a_join(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *l = harness_add(h, "l", "k INT, a STRING", HARNESS_CHANGES);
    harness_table *r = harness_add(h, "r", "k INT, b STRING", HARNESS_CHANGES);
    harness_now_ms = 1000;
    harness_start(h, "SELECT /*+ STATE_TTL('q' = '1 s') */ k, COUNT(*) FROM (SELECT l.k AS k FROM l JOIN r ON l.k = r.k) q "
                     "GROUP BY k");
    harness_push(l, "+I [1, 'x']");
    harness_push(r, "+I [1, 'y']");
    harness_check(h, "+I [1, 1]");
    harness_tick(h, 2500);
    harness_push(r, "+I [1, 'z']");
    harness_check(h, "+I [1, 1]"); /* the join has it, the group is begun anew */
    harness_close(h);
    harness_now_ms = 1000;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hint_says_how_long_the_groups_of_one_query_are_kept),
        cmocka_unit_test(each_side_of_a_join_has_its_own_time),
        cmocka_unit_test(a_hint_of_another_relation_does_not_concern_a_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
