/* Joins of changelogs: all kinds, with NULL keys, duplicates, conditions beside the key, and retractions on both sides,
 * against the same query over what the tables hold at the moment. */
#include <unistd.h>

#include "query_fixture.h"

typedef struct fixture {
    changing_table left, right;
    stream_query query;
} fixture;

static void start(fixture *f, const char *text, const char *folder)
{
    *f = (fixture){0};
    changing_table_start(&f->left, "l", "id INT, k INT, v INT, s STRING, d DOUBLE");
    changing_table_start(&f->right, "r", "id INT, k INT, v INT, s STRING, d DOUBLE");
    f->query.tables[0] = &f->left;
    f->query.tables[1] = &f->right;
    f->query.table_count = 2;
    start_query(&f->query, text, folder);
}

static void stop(fixture *f)
{
    stop_query(&f->query);
    changing_table_free(&f->left);
    changing_table_free(&f->right);
}

/* --- Random changes -------------------------------------------------------------------------------------------- */

static const char *random_row(random_state *random, char *space, size_t size)
{
    static const char *const keys[] = {"null", "0", "1", "2", "3"};
    static const char *const texts[] = {"null", "'a'", "'b'", "'a longer text, which takes more bytes'"};
    static const char *const doubles[] = {"null", "0.0", "-0.0", "1.5", "2.5"};
    snprintf(space, size, "[%d, %s, %s, %s, %s]", (int)random_below(random, 4), keys[random_below(random, 5)],
             keys[random_below(random, 5)], texts[random_below(random, 4)], doubles[random_below(random, 5)]);
    return space;
}

static void change_randomly(changing_table *table, random_state *random)
{
    char text[256];
    int64_t rows = table->memory.rows.length;
    int64_t row = rows == 0 ? 0 : (int64_t)random_below(random, (uint64_t)rows);
    switch (rows == 0 ? 0 : random_below(random, rows > 12 ? 6 : 4)) {
    case 0:
    case 1:
        insert_json(table, random_row(random, text, sizeof text), WEIR_INSERT);
        break;
    case 2:
        delete_row(table, row, WEIR_UPDATE_BEFORE);
        insert_json(table, random_row(random, text, sizeof text), WEIR_UPDATE_AFTER);
        break;
    default:
        delete_row(table, row, WEIR_DELETE);
        break;
    }
}

static void run_randomly(fixture *f, random_state *random, const char *folder, int steps)
{
    int64_t checkpoint = 0;
    for (int step = 0; step < steps; step++) {
        changing_table *table = random_below(random, 2) == 0 ? &f->left : &f->right;
        for (uint64_t count = random_below(random, 8); count > 0; count--) {
            change_randomly(table, random);
        }
        if (random_below(random, 3) == 0) {
            pull_all(&f->query);
            check_same(&f->query);
        } else if (random_below(random, 2) == 0) {
            pull_source(&f->query, (int32_t)random_below(random, (uint64_t)count_query_sources(&f->query)));
        }
        if (folder != NULL && random_below(random, 10) == 0) {
            restart_query(&f->query, folder, ++checkpoint);
        }
    }
    pull_all(&f->query);
    check_same(&f->query);
}

static const char *const queries[] = {
    "SELECT l.id, l.s, r.id, r.s FROM l JOIN r ON l.k = r.k",
    "SELECT l.id, l.s, r.id, r.s FROM l LEFT JOIN r ON l.k = r.k",
    "SELECT l.id, l.s, r.id, r.s FROM l RIGHT JOIN r ON l.k = r.k",
    "SELECT l.id, l.s, r.id, r.s FROM l FULL JOIN r ON l.k = r.k",
    "SELECT * FROM l JOIN r ON l.k = r.k AND l.s = r.s",
    "SELECT * FROM l FULL JOIN r ON l.s = r.s",
    "SELECT l.id, r.id FROM l JOIN r ON l.k IS NOT DISTINCT FROM r.k",
    "SELECT l.id, r.id FROM l FULL JOIN r ON l.k IS NOT DISTINCT FROM r.k AND l.v = r.v",
    "SELECT l.id, l.d, r.id, r.d FROM l FULL JOIN r ON l.d = r.d",
    "SELECT l.id, r.id FROM l FULL JOIN r ON l.k + 1 = r.v",
    "SELECT l.id, r.id FROM l FULL JOIN r ON l.k = CHAR_LENGTH(r.s)",
    "SELECT l.id, l.s, r.id, r.s FROM l JOIN r ON l.k = r.k AND l.v < r.v",
    "SELECT l.id, l.v, r.id, r.v FROM l LEFT JOIN r ON l.k = r.k AND l.v < r.v",
    "SELECT l.id, l.v, r.id, r.v FROM l RIGHT JOIN r ON l.k = r.k AND l.v < r.v",
    "SELECT l.id, l.v, r.id, r.v FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v",
    "SELECT l.id, l.v, r.id, r.v FROM l FULL JOIN r ON l.v < r.v",
    "SELECT l.id, l.v, r.id, r.v FROM l LEFT JOIN r ON l.v + r.v = 3",
    "SELECT l.id, r.id FROM l LEFT JOIN r ON l.k = r.k AND l.v > 1",
    "SELECT l.id, r.id FROM l FULL JOIN r ON l.k = r.k AND l.v > 1 AND r.v < 2",
    "SELECT l.id, r.id FROM l FULL JOIN r ON l.k = r.k AND 1 = 2",
    "SELECT l.id, r.id FROM l CROSS JOIN r",
    "SELECT l.id, r.id FROM l LEFT JOIN r ON TRUE",
    "SELECT id, s FROM l WHERE k IN (SELECT k FROM r)",
    "SELECT id, s FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k)",
    "SELECT id, s FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k)",
    "SELECT id, s FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v > l.v)",
    "SELECT id, s FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v > l.v)",
    "SELECT id, s FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.v > l.v)",
    "SELECT id, k, s FROM l WHERE k NOT IN (SELECT k FROM r)",
    "SELECT id, k, s FROM l WHERE k NOT IN (SELECT k FROM r WHERE k IS NOT NULL)",
    "SELECT id, k, s FROM l WHERE s NOT IN (SELECT s FROM r WHERE v = 1)",
    "SELECT id, k, s FROM l WHERE (k, v) NOT IN (SELECT k, v FROM r)",
    "SELECT id, k FROM l WHERE k NOT IN (SELECT k FROM r WHERE r.v = l.v)",
    "SELECT l.id, r.id, m.id FROM l JOIN r ON l.k = r.k LEFT JOIN l AS m ON m.v = r.v",
    "SELECT a.id, b.id FROM l AS a JOIN l AS b ON a.k = b.k",
    "SELECT k, s FROM l INTERSECT SELECT k, s FROM r",
    "SELECT k, s FROM l INTERSECT ALL SELECT k, s FROM r",
    "SELECT k, s FROM l EXCEPT SELECT k, s FROM r",
    "SELECT k, s FROM l EXCEPT ALL SELECT k, s FROM r",
};

static void run_queries(random_state *random, const char *folder, int steps)
{
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        fixture f;
        start(&f, queries[i], folder);
        run_randomly(&f, random, folder, steps);
        stop(&f);
        if (folder != NULL) {
            char command[128];
            snprintf(command, sizeof command, "rm -rf '%s'", folder);
            assert_int_equal(system(command), 0);
        }
    }
}

static void every_join_follows_its_tables(void **state)
{
    (void)state;
    random_state random = random_start();
    run_queries(&random, NULL, 60);
}

static void a_join_goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    random_state random = random_start();
    char folder[] = "/tmp/weir-join-XXXXXX";
    assert_non_null(mkdtemp(folder));
    run_queries(&random, folder, 30);
}

/* --- Single changes -------------------------------------------------------------------------------------------- */

static void check_changes(stream_query *query, const char *expected)
{
    pull_all(query);
    assert_string_equal(weir_buffer_text(&query->result.changes), expected);
    weir_buffer_clear(&query->result.changes);
}

static void an_outer_row_loses_its_nulls_and_gets_them_back(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT l.id, r.id FROM l LEFT JOIN r ON l.k = r.k", NULL);
    insert_json(&f.left, "[1, 7, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "+I 1 null\n");
    insert_json(&f.right, "[5, 7, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "-D 1 null\n+I 1 5\n");
    insert_json(&f.right, "[6, 7, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "+I 1 6\n");
    delete_row(&f.right, 0, WEIR_DELETE);
    check_changes(&f.query, "-D 1 5\n");
    delete_row(&f.right, 0, WEIR_DELETE);
    check_changes(&f.query, "-D 1 6\n+I 1 null\n");
    stop(&f);
}

static void an_update_that_keeps_its_key_stays_an_update(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT l.id, l.s, r.id FROM l FULL JOIN r ON l.k = r.k", NULL);
    insert_json(&f.left, "[1, 7, 0, 'a', 0.0]", WEIR_INSERT);
    insert_json(&f.right, "[5, 7, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "+I 1 \"a\" null\n-D 1 \"a\" null\n+I 1 \"a\" 5\n");
    delete_row(&f.left, 0, WEIR_UPDATE_BEFORE);
    insert_json(&f.left, "[1, 7, 0, 'b', 0.0]", WEIR_UPDATE_AFTER);
    check_changes(&f.query, "-U 1 \"a\" 5\n+U 1 \"b\" 5\n");
    delete_row(&f.left, 0, WEIR_UPDATE_BEFORE);
    insert_json(&f.left, "[1, 7, 9, 'b', 0.0]", WEIR_UPDATE_AFTER); /* of a column that nobody reads */
    check_changes(&f.query, "");
    delete_row(&f.left, 0, WEIR_UPDATE_BEFORE);
    insert_json(&f.left, "[1, 8, 0, 'b', 0.0]", WEIR_UPDATE_AFTER);
    check_changes(&f.query, "-D 1 \"b\" 5\n+I null null 5\n+I 1 \"b\" null\n");
    stop(&f);
}

static void a_second_match_changes_nothing_of_a_semi_join(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT id FROM l WHERE k IN (SELECT k FROM r)", NULL);
    insert_json(&f.left, "[1, 7, 0, 'a', 0.0]", WEIR_INSERT);
    insert_json(&f.left, "[1, 7, 0, 'a', 0.0]", WEIR_INSERT);
    insert_json(&f.right, "[5, 7, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "+I 1\n+I 1\n");
    insert_json(&f.right, "[6, 7, 0, 'a', 0.0]", WEIR_INSERT);
    delete_row(&f.right, 0, WEIR_DELETE);
    check_changes(&f.query, "");
    delete_row(&f.right, 0, WEIR_DELETE);
    check_changes(&f.query, "-D 1\n-D 1\n");
    stop(&f);
}

static void a_null_makes_all_of_not_in_unknown(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT id FROM l WHERE k NOT IN (SELECT k FROM r)", NULL);
    insert_json(&f.left, "[1, 7, 0, 'a', 0.0]", WEIR_INSERT);
    insert_json(&f.left, "[2, null, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "+I 1\n+I 2\n");
    insert_json(&f.right, "[5, null, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "-D 1\n-D 2\n");
    delete_row(&f.right, 0, WEIR_DELETE);
    insert_json(&f.right, "[6, 8, 0, 'a', 0.0]", WEIR_INSERT);
    check_changes(&f.query, "+I 1\n+I 2\n-D 2\n");
    stop(&f);
}

/* --- Many rows ------------------------------------------------------------------------------------------------- */

/* More pairs than are tested or sent at once. */
static void join_one_row_with_many(const char *text)
{
    fixture f;
    char row[128];
    start(&f, text, NULL);
    for (int i = 0; i < 5000; i++) {
        snprintf(row, sizeof row, "[%d, 1, %d, 'x', null]", i, i % 100);
        insert_json(&f.right, row, WEIR_INSERT);
    }
    insert_json(&f.left, "[1, 1, 50, 'a', 0.0]", WEIR_INSERT);
    insert_json(&f.left, "[2, 1, 99, 'b', 0.0]", WEIR_INSERT);
    pull_source(&f.query, 1);
    pull_source(&f.query, 0);
    check_same(&f.query);
    delete_row(&f.left, 0, WEIR_UPDATE_BEFORE);
    insert_json(&f.left, "[1, 1, 20, 'c', 0.0]", WEIR_UPDATE_AFTER);
    delete_row(&f.left, 0, WEIR_DELETE);
    pull_all(&f.query);
    check_same(&f.query);
    stop(&f);
}

static void a_row_may_match_more_rows_than_are_sent_at_once(void **state)
{
    (void)state;
    join_one_row_with_many("SELECT l.s, r.id FROM l FULL JOIN r ON l.k = r.k");
    join_one_row_with_many("SELECT l.s, r.id FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v");
    join_one_row_with_many("SELECT l.s FROM l WHERE EXISTS (SELECT 1 FROM r WHERE l.k = r.k AND l.v < r.v)");
}

/* The other side's rows that an update meets are decoded twice: also where they take more than is gathered at once. */
static void an_update_may_match_rows_of_many_bytes(void **state)
{
    (void)state;
    enum { row_bytes = 1500000 };
    fixture f;
    char *row = malloc(row_bytes + 64);
    start(&f, "SELECT l.s, r.id, r.s FROM l LEFT JOIN r ON l.k = r.k AND l.v < r.v", NULL);
    for (int i = 0; i < 5; i++) {
        snprintf(row, row_bytes + 64, "[%d, 1, %d, '%0*d', null]", i, i, row_bytes, i);
        insert_json(&f.right, row, WEIR_INSERT);
    }
    insert_json(&f.left, "[1, 1, 1, 'a', 0.0]", WEIR_INSERT);
    pull_source(&f.query, 1);
    pull_source(&f.query, 0);
    check_same(&f.query);
    delete_row(&f.left, 0, WEIR_UPDATE_BEFORE);
    insert_json(&f.left, "[1, 1, 3, 'b', 0.0]", WEIR_UPDATE_AFTER);
    pull_all(&f.query);
    check_same(&f.query);
    stop(&f);
    free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outer_row_loses_its_nulls_and_gets_them_back),
        cmocka_unit_test(an_update_that_keeps_its_key_stays_an_update),
        cmocka_unit_test(a_second_match_changes_nothing_of_a_semi_join),
        cmocka_unit_test(a_null_makes_all_of_not_in_unknown),
        cmocka_unit_test(every_join_follows_its_tables),
        cmocka_unit_test(a_join_goes_on_from_a_checkpoint),
        cmocka_unit_test(a_row_may_match_more_rows_than_are_sent_at_once),
        cmocka_unit_test(an_update_may_match_rows_of_many_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
