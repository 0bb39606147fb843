/* Joins of rows near each other in time: all that come out are inserts, and rows are forgotten when the watermark says
 * that nothing near them comes any more. */
#include <unistd.h>

#include "harness.h"

typedef struct fixture {
    harness *h;
    harness_table *a, *b;
} fixture;

static void start_in(fixture *f, const char *query, const char *folder)
{
    f->h = harness_open();
    if (folder != NULL) {
        harness_set_folder(f->h, folder);
    }
    f->a = harness_add(f->h, "a", "id INT, k INT, ts TIMESTAMP(3)", HARNESS_INSERTS);
    f->b = harness_add(f->h, "b", "id INT, k INT, ts TIMESTAMP(3)", HARNESS_INSERTS);
    harness_set_watermark(f->a, "ts", "ts - INTERVAL '1' SECOND");
    harness_set_watermark(f->b, "ts", "ts - INTERVAL '1' SECOND");
    harness_start(f->h, query);
}

static int64_t state_bytes(const fixture *f) { return weir_state_backend_memory(f->h->state); }

static void start(fixture *f, const char *query) { start_in(f, query, NULL); }

#define AT(seconds) "'2024-01-01 00:00:" seconds ".000'"

static void both_bounds_are_inclusive(void **state)
{
    (void)state;
    static const char *const conditions[] = {
        "b.ts BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND",
        "b.ts >= a.ts AND a.ts >= b.ts - INTERVAL '5' SECOND",
        "a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts",
        "a.ts <= b.ts AND b.ts - INTERVAL '2' SECOND <= a.ts + INTERVAL '3' SECOND",
    };
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        fixture f;
        char query[400];
        snprintf(query, sizeof query, "SELECT a.id, b.id FROM a JOIN b ON a.k = b.k AND %s", conditions[i]);
        start(&f, query);
        harness_push(f.a, "+I [1, 7, " AT("10") "] +I [2, 7, " AT("14") "]");
        harness_push(f.b, "+I [11, 7, " AT("09") "] +I [12, 7, " AT("10") "] +I [13, 7, " AT(
                              "15") "] "
                                    "+I [14, 7, " AT("16") "] +I [15, 8, " AT("12") "]");
        harness_end(f.h);
        harness_check_rows(f.h, "[1, 12] [1, 13] [2, 13] [2, 14]");
        harness_close(f.h);
    }
}

static void rows_of_an_outer_side_come_alone_when_nothing_can_match_them(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT a.id, b.id FROM a FULL JOIN b ON a.k = b.k "
              "AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '1' SECOND");
    harness_push(f.a, "+I [1, 7, " AT("10") "] +I [2, null, " AT("10") "] +I [4, 9, " AT("10") "]");
    harness_check(f.h, "+I [2, null]"); /* at once: it can match nothing */
    harness_push(f.b, "+I [11, 7, " AT("11") "] +I [12, 8, " AT("11") "]");
    harness_check(f.h, "+I [1, 11]");
    harness_push(f.a, "+I [5, 7, " AT("20") "]");
    harness_check(f.h, "");
    harness_push(f.b, "+I [13, 7, " AT("20") "]");
    harness_check(f.h, "+I [5, 13] +I [4, null] +I [null, 12]");
    harness_end(f.h);
    harness_check(f.h, "");
    harness_close(f.h);
}

static void a_checkpoint_keeps_rows_and_when_they_go(void **state)
{
    (void)state;
    fixture f = {0};
    char folder[] = "/tmp/weir-join-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    start_in(&f,
             "SELECT a.id, b.id FROM a LEFT JOIN b ON a.k = b.k "
             "AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '1' SECOND",
             folder);
    harness_push(f.a, "+I [1, 7, " AT("10") "] +I [2, 8, " AT("10") "]");
    harness_push(f.b, "+I [11, 7, " AT("10") "]");
    harness_restart(f.h);
    harness_push(f.b, "+I [12, 7, " AT("11") "]");
    harness_end(f.h);
    harness_check_rows(f.h, "[1, 11] [1, 12] [2, null]");
    harness_close(f.h);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void duplicates_count(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT a.id, b.id FROM a LEFT JOIN b ON a.k = b.k AND b.ts = a.ts");
    harness_push(f.a,
                 "+I [1, 7, " AT("10") "] +I [1, 7, " AT("10") "] +I [2, 8, " AT("10") "] +I [2, 8, " AT("10") "]");
    harness_push(f.b, "+I [11, 7, " AT("10") "]");
    harness_end(f.h);
    harness_check_rows(f.h, "[1, 11] [1, 11] [2, null] [2, null]");
    harness_close(f.h);
}

static void state_stays_small_while_time_goes_on(void **state)
{
    (void)state;
    fixture f;
    char row[64];
    int64_t early = 0;
    start(&f, "SELECT a.id, b.id FROM a JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL '1' SECOND AND a.ts");
    for (int i = 0; i < 3000; i++) {
        snprintf(row, sizeof row, "+I [%d, %d, '2024-01-01 %02d:%02d:%02d.000']", i, i, i / 3600, i / 60 % 60, i % 60);
        harness_push(f.a, row);
        harness_push(f.b, row);
        early = i == 100 ? state_bytes(&f) : early;
    }
    assert_int_equal(f.h->rows.count, 3000);
    assert_true(state_bytes(&f) < early * 2 + 100000);
    harness_close(f.h);
}

static void windows_can_be_made_of_what_comes_out(void **state)
{
    (void)state;
    fixture f;
    start(&f, "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE((SELECT a.ts, b.id FROM a LEFT JOIN b ON a.k = b.k "
              "AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND), DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
              "GROUP BY window_start, window_end");
    harness_push(f.a, "+I [1, 7, " AT("09") "] +I [2, 8, " AT("11") "]");
    harness_push(f.b, "+I [11, 7, " AT("13") "]"); /* in the first window, after its end */
    harness_push(f.a, "+I [3, 9, " AT("15") "]");
    harness_push(f.b, "+I [12, 7, " AT("14") "]");
    harness_check(f.h, "");
    harness_end(f.h);
    harness_check(f.h, "+I ['2024-01-01 00:00:00.000', 2] +I ['2024-01-01 00:00:10.000', 2]");
    harness_close(f.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_bounds_are_inclusive),
        cmocka_unit_test(rows_of_an_outer_side_come_alone_when_nothing_can_match_them),
        cmocka_unit_test(a_checkpoint_keeps_rows_and_when_they_go),
        cmocka_unit_test(duplicates_count),
        cmocka_unit_test(state_stays_small_while_time_goes_on),
        cmocka_unit_test(windows_can_be_made_of_what_comes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
