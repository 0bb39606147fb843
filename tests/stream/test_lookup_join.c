/* Lookup joins: rows meet what a table holds when they come, by its key or by another column, with conditions beside
 * the key, with a left input that takes rows back. */
#include <unistd.h>

#include "harness.h"
#include "random.h"

#define LEFT_ROWS "(SELECT *, PROCTIME() AS pt FROM o) AS o"

typedef struct fixture {
    harness *h;
    harness_table *orders, *names;
} fixture;

static void start_in(fixture *f, const char *temp_folder, harness_changes orders, harness_changes names,
                     const char *query)
{
    f->h = harness_open();
    f->h->context.temp_folder = temp_folder;
    f->orders = harness_add(f->h, "o", "id INT, k INT, v INT", orders);
    f->names = harness_add(
        f->h, "d", names == HARNESS_INSERTS ? "k INT, name STRING, w INT" : "k INT NOT NULL, name STRING, w INT",
        names);
    if (names != HARNESS_INSERTS) {
        harness_set_key(f->names, "k");
    }
    f->names->table.has_lookup = true;
    harness_start(f->h, query);
}

static void start(fixture *f, harness_changes orders, harness_changes names, const char *query)
{
    start_in(f, NULL, orders, names, query);
}

static void stop(fixture *f) { harness_close(f->h); }

static void a_row_meets_what_the_table_holds_when_it_comes(void **state)
{
    (void)state;
    static const harness_changes kinds[] = {HARNESS_CHANGES, HARNESS_UPSERTS};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        start(&f, HARNESS_INSERTS, kinds[i],
              "SELECT o.id, d.name FROM " LEFT_ROWS " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k");
        harness_table_add(f.names, "+I [1, 'ann', 0] +I [2, 'bob', 0]");
        harness_push(f.orders, "+I [10, 1, 0] +I [11, 3, 0] +I [12, null, 0]");
        harness_check(f.h, "+I [10, 'ann'] +I [11, null] +I [12, null]");
        harness_table_add(f.names, kinds[i] == HARNESS_CHANGES
                                       ? "-U [1, 'ann', 0] +U [1, 'eve', 0] +I [3, 'cy', 0] -D [2, 'bob', 0]"
                                       : "+U [1, 'eve', 0] +I [3, 'cy', 0] -D [2, null, null]");
        harness_check(f.h, ""); /* what was given stays */
        harness_push(f.orders, "+I [13, 1, 0] +I [14, 3, 0] +I [15, 2, 0]");
        harness_check(f.h, "+I [13, 'eve'] +I [14, 'cy'] +I [15, null]");
        stop(&f);
    }
}

static void jobs_may_look_up_the_same_at_once(void **state)
{
    (void)state;
    fixture jobs[2];
    for (int i = 0; i < 2; i++) {
        start_in(&jobs[i], "/tmp", HARNESS_INSERTS, HARNESS_UPSERTS,
                 "SELECT o.id, d.name FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k");
        harness_table_add(jobs[i].names, i == 0 ? "+I [1, 'ann', 0]" : "+I [1, 'eve', 0]");
    }
    for (int i = 0; i < 2; i++) {
        harness_push(jobs[i].orders, "+I [10, 1, 0]");
        harness_check(jobs[i].h, i == 0 ? "+I [10, 'ann']" : "+I [10, 'eve']");
        stop(&jobs[i]);
    }
}

static void the_key_of_the_join_need_not_be_that_of_the_table(void **state)
{
    (void)state;
    fixture f;
    start(&f, HARNESS_INSERTS, HARNESS_UPSERTS,
          "SELECT o.id, d.k, d.name FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.w");
    harness_table_add(f.names, "+I [1, 'ann', 7] +I [2, 'bob', 7] +I [3, 'cy', 8] +I [4, 'dee', null]");
    harness_push(f.orders, "+I [10, 7, 0] +I [11, 8, 0] +I [12, 9, 0]");
    harness_check(f.h, "+I [10, 1, 'ann'] +I [10, 2, 'bob'] +I [11, 3, 'cy']");
    harness_table_add(f.names, "+U [2, 'bob', 8] -D [3, null, null] +U [1, 'al', 7]");
    harness_push(f.orders, "+I [13, 7, 0] +I [14, 8, 0]");
    harness_check(f.h, "+I [13, 1, 'al'] +I [14, 2, 'bob']");
    stop(&f);
}

static void a_table_without_key_gives_all_rows_of_the_key(void **state)
{
    (void)state;
    fixture f;
    start(&f, HARNESS_INSERTS, HARNESS_INSERTS,
          "SELECT o.id, d.name FROM " LEFT_ROWS " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k");
    harness_table_add(f.names, "+I [1, 'a', 0] +I [1, 'a', 0] +I [1, 'b', 0] +I [null, 'n', 0]");
    harness_push(f.orders, "+I [10, 1, 0] +I [11, null, 0]");
    harness_check(f.h, "+I [10, 'a'] +I [10, 'a'] +I [10, 'b'] +I [11, null]");
    stop(&f);
}

static void filters_and_conditions_of_the_table_follow_its_changes(void **state)
{
    (void)state;
    fixture f;
    start(&f, HARNESS_INSERTS, HARNESS_UPSERTS,
          "SELECT o.id, d.name FROM " LEFT_ROWS
          " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k AND d.name <> 'x' AND o.v < d.w AND o.v <> 5");
    harness_table_add(f.names, "+I [1, 'ann', 10] +I [2, 'x', 10]");
    harness_push(f.orders, "+I [10, 1, 3] +I [11, 1, 12] +I [12, 2, 3] +I [13, 1, 5]");
    harness_check(f.h, "+I [10, 'ann'] +I [11, null] +I [12, null] +I [13, null]");
    harness_table_add(f.names, "+U [1, 'x', 10] +U [2, 'bob', 10]");
    harness_push(f.orders, "+I [14, 1, 3] +I [15, 2, 3]");
    harness_check(f.h, "+I [14, null] +I [15, 'bob']");
    stop(&f);
}

static void more_equalities_than_the_key_are_tested(void **state)
{
    (void)state;
    fixture f;
    start(&f, HARNESS_INSERTS, HARNESS_CHANGES,
          "SELECT o.id, d.name FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.v = d.w AND o.k = d.k");
    harness_table_add(f.names, "+I [1, 'ann', 3] +I [2, 'bob', 4]");
    harness_push(f.orders, "+I [10, 1, 3] +I [11, 1, 4] +I [12, 2, 4]");
    harness_check(f.h, "+I [10, 'ann'] +I [12, 'bob']");
    stop(&f);
}

static void what_was_given_is_taken_back_as_it_was(void **state)
{
    (void)state;
    fixture f;
    start(&f, HARNESS_CHANGES, HARNESS_UPSERTS,
          "SELECT o.id, o.v, d.name FROM " LEFT_ROWS " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k");
    harness_table_add(f.names, "+I [1, 'ann', 0]");
    harness_push(f.orders, "+I [10, 1, 0] +I [11, 2, 0] +I [12, null, 0]");
    harness_check(f.h, "+I [10, 0, 'ann'] +I [11, 0, null] +I [12, 0, null]");
    harness_table_add(f.names, "+U [1, 'eve', 0] +I [2, 'bob', 0]");
    harness_push(f.orders, "-U [10, 1, 0] +U [10, 1, 9] -D [11, 2, 0] -U [12, null, 0] +U [12, 2, 0]");
    harness_check(f.h, "-U [10, 0, 'ann'] +U [10, 9, 'eve'] -D [11, 0, null] -D [12, 0, null] +I [12, 0, 'bob']");
    harness_push(f.orders, "-D [10, 1, 9] -D [12, 2, 0]");
    harness_check_rows(f.h, "");
    stop(&f);
}

static void a_checkpoint_remembers_what_was_given(void **state)
{
    (void)state;
    char folder[] = "/tmp/weir-join-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    harness *h = harness_open();
    harness_table *orders = harness_add(h, "o", "id INT, k INT, v INT", HARNESS_CHANGES);
    harness_table *names = harness_add(h, "d", "k INT NOT NULL, name STRING", HARNESS_UPSERTS);
    harness_set_key(names, "k");
    names->table.has_lookup = true;
    harness_set_folder(h, folder);
    harness_start(h, "SELECT o.id, d.name FROM " LEFT_ROWS " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k");
    harness_table_add(names, "+I [1, 'ann']");
    harness_push(orders, "+I [10, 1, 0] +I [11, 2, 0]");
    harness_table_add(names, "+U [1, 'eve'] +I [2, 'bob']");
    harness_restart(h);
    harness_push(orders, "-D [10, 1, 0] -D [11, 2, 0] +I [12, 1, 0]");
    harness_check(h, "+I [10, 'ann'] +I [11, null] -D [10, 'ann'] -D [11, null] +I [12, 'eve']");
    harness_close(h);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void a_row_that_comes_twice_goes_twice(void **state)
{
    (void)state;
    fixture f;
    start(&f, HARNESS_CHANGES, HARNESS_UPSERTS,
          "SELECT o.id, d.name FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k");
    harness_table_add(f.names, "+I [1, 'ann', 0]");
    harness_push(f.orders, "+I [10, 1, 0]");
    harness_table_add(f.names, "+U [1, 'eve', 0]");
    harness_push(f.orders, "+I [10, 1, 0]");
    harness_check_rows(f.h, "[10, 'ann'] [10, 'eve']");
    harness_push(f.orders, "-D [10, 1, 0] -D [10, 1, 0]");
    harness_check_rows(f.h, "");
    stop(&f);
}

/* Whatever happens: taking all rows back leaves nothing (and the harness finds rows that were never given). */
static void random_changes_are_taken_back(const char *query, harness_changes names, random_state *random)
{
    fixture f;
    int live[64][3], count = 0;
    char text[200];
    start(&f, HARNESS_CHANGES, names, query);
    for (int step = 0; step < 150; step++) {
        int name = (int)random_below(random, 4), w = (int)random_below(random, 4);
        if (names == HARNESS_INSERTS) {
            snprintf(text, sizeof text, "+I [%d, 'n%d', %d]", name, step, w);
        } else if (random_below(random, 3) == 0) {
            snprintf(text, sizeof text, "-D [%d, null, null]", name);
        } else {
            snprintf(text, sizeof text, "+U [%d, 'n%d', %d]", name, step, w);
        }
        harness_table_add(f.names, text);
        int *row = live[count];
        row[0] = (int)random_below(random, 3), row[1] = (int)random_below(random, 5),
        row[2] = (int)random_below(random, 5);
        if (count < 60 && random_below(random, 5) < 3) {
            snprintf(text, sizeof text, "+I [%d, %d, %d]", row[0], row[1], row[2]);
            count++;
        } else if (count > 0) {
            int *old = live[random_below(random, (uint64_t)count)];
            bool update = random_below(random, 2) == 0;
            snprintf(text, sizeof text, update ? "-U [%d, %d, %d] +U [%d, %d, %d]" : "-D [%d, %d, %d]", old[0], old[1],
                     old[2], row[0], row[1], row[2]);
            memcpy(old, update ? row : live[count - 1], sizeof live[0]);
            count -= !update;
        } else {
            continue;
        }
        harness_push(f.orders, text);
    }
    while (count > 0) {
        int *row = live[--count];
        snprintf(text, sizeof text, "-D [%d, %d, %d]", row[0], row[1], row[2]);
        harness_push(f.orders, text);
    }
    harness_check_rows(f.h, "");
    stop(&f);
}

static void everything_given_can_be_taken_back(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "SELECT o.id, o.v, d.name FROM " LEFT_ROWS " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k",
        "SELECT o.id, o.v, d.name FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.w",
        "SELECT o.id, o.v, d.name FROM " LEFT_ROWS " LEFT JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.w AND o.v < d.k",
    };
    static const harness_changes kinds[] = {HARNESS_UPSERTS, HARNESS_INSERTS};
    random_state random = random_start();
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        for (size_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
            random_changes_are_taken_back(queries[i], kinds[j], &random);
        }
    }
}

static void a_row_may_match_more_rows_than_are_tested_at_once(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "SELECT d.w FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k",
        "SELECT d.w FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k AND o.v < d.w",
    };
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        weir_buffer rows = {0};
        start(&f, HARNESS_CHANGES, HARNESS_INSERTS, queries[i]);
        for (int j = 0; j < 9000; j++) {
            weir_buffer_append_format(&rows, "+I [1, null, %d] ", j);
        }
        harness_table_add(f.names, weir_buffer_text(&rows));
        harness_push(f.orders, "+I [1, 1, 5]");
        assert_int_equal(f.h->rows.count, i == 0 ? 9000 : 8994);
        harness_push(f.orders, "-D [1, 1, 5]");
        harness_check_rows(f.h, "");
        weir_buffer_free(&rows);
        stop(&f);
    }
}

static void what_cannot_be_looked_up_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *query, *message;
    } cases[] = {
        {"SELECT o.id FROM " LEFT_ROWS " JOIN x FOR SYSTEM_TIME AS OF o.pt ON o.k = x.k",
         "Processing-time temporal join is not supported yet"},
        {"SELECT o.id FROM " LEFT_ROWS " JOIN d FOR SYSTEM_TIME AS OF o.pt ON TRUE",
         "Temporal table join requires an equality condition on fields of table [default_catalog.default_database.d]."},
        {"SELECT o.id FROM (SELECT *, CURRENT_TIMESTAMP AS pt FROM o) AS o "
         "JOIN d FOR SYSTEM_TIME AS OF o.pt ON o.k = d.k",
         "'FOR SYSTEM_TIME AS OF' left table's time attribute field"},
        {"SELECT o.id FROM o JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON o.k = d.k",
         "give the left table a column PROCTIME() AS p"},
    };
    harness *h = harness_open();
    harness_add(h, "o", "id INT, k INT, v INT", HARNESS_INSERTS);
    harness_add(h, "d", "k INT, name STRING", HARNESS_INSERTS)->table.has_lookup = true;
    harness_add(h, "x", "k INT, name STRING", HARNESS_INSERTS);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err = harness_refusal(h, cases[i].query);
        if (strstr(err.message, cases[i].message) == NULL || err.line != 1) {
            fail_msg("%s\n  gives %s", cases[i].query, err.message);
        }
    }
    harness_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_meets_what_the_table_holds_when_it_comes),
        cmocka_unit_test(jobs_may_look_up_the_same_at_once),
        cmocka_unit_test(the_key_of_the_join_need_not_be_that_of_the_table),
        cmocka_unit_test(a_table_without_key_gives_all_rows_of_the_key),
        cmocka_unit_test(filters_and_conditions_of_the_table_follow_its_changes),
        cmocka_unit_test(more_equalities_than_the_key_are_tested),
        cmocka_unit_test(what_was_given_is_taken_back_as_it_was),
        cmocka_unit_test(a_checkpoint_remembers_what_was_given),
        cmocka_unit_test(a_row_that_comes_twice_goes_twice),
        cmocka_unit_test(everything_given_can_be_taken_back),
        cmocka_unit_test(a_row_may_match_more_rows_than_are_tested_at_once),
        cmocka_unit_test(what_cannot_be_looked_up_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
