/* Joins with what a table was at the time of an event. */
#include <unistd.h>

#include "harness.h"

typedef struct fixture {
    harness *h;
    harness_table *orders, *rates;
} fixture;

static void prepare(fixture *f)
{
    f->h = harness_open();
    f->orders = harness_add(f->h, "o", "id INT, cur STRING, amt INT, ts TIMESTAMP(3)", HARNESS_INSERTS);
    f->rates = harness_add(f->h, "r", "cur STRING NOT NULL, rate INT, ts TIMESTAMP(3)", HARNESS_CHANGES);
    harness_set_key(f->rates, "cur");
    harness_set_watermark(f->orders, "ts", "ts");
    harness_set_watermark(f->rates, "ts", "ts");
}

#define AT(seconds) "'2024-01-01 00:00:" seconds ".000'"
#define RATES                                                                                                          \
    "+I ['USD', 100, " AT("02") "] +I ['EUR', 110, " AT("05") "] "                                                     \
                                                              "-U ['USD', 100, " AT("02") "] +U ['USD', 101, " AT(     \
                                                                  "10") "] -D ['EUR', 110, " AT("18") "]"

static void each_row_meets_the_version_of_its_time(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    harness_start(f.h, "SELECT o.id, r.rate FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.cur = r.cur");
    harness_push(f.rates, RATES);
    harness_push(f.orders,
                 "+I [1, 'USD', 1, " AT("00") "] +I [2, 'USD', 2, " AT("05") "] +I [3, 'EUR', 3, " AT(
                     "05") "] "
                           "+I [4, 'USD', 4, " AT("10") "] +I [5, 'USD', 5, " AT("15") "] +I [6, 'EUR', 6, " AT(
                               "20") "] "
                                     "+I [7, null, 7, " AT("21") "] +I [8, 'GBP', 8, " AT("21") "]");
    harness_end(f.h);
    harness_check_rows(f.h, "[1, null] [2, 100] [3, 110] [4, 101] [5, 101] [6, null] [7, null] [8, null]");
    harness_close(f.h);
}

static void a_row_waits_until_the_table_has_come_as_far(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    harness_start(f.h, "SELECT o.id, r.rate FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.cur = r.cur");
    harness_push(f.rates, "+I ['USD', 1, " AT("01") "]");
    harness_push(f.orders, "+I [1, 'USD', 1, " AT("05") "] +I [2, 'USD', 1, " AT("08") "]");
    harness_push(f.orders, "+I [3, 'USD', 1, " AT("20") "]");
    harness_check(f.h, "");
    harness_push(f.rates, "-U ['USD', 1, " AT("01") "] +U ['USD', 2, " AT("07") "]");
    harness_check(f.h, "+I [1, 1]");
    harness_push(f.rates, "-U ['USD', 2, " AT("07") "] +U ['USD', 3, " AT("09") "]");
    harness_check(f.h, "+I [2, 2]");
    harness_end(f.h);
    harness_check(f.h, "+I [3, 3]");
    harness_close(f.h);
}

static void a_checkpoint_keeps_versions_and_rows_that_wait(void **state)
{
    (void)state;
    fixture f;
    char folder[] = "/tmp/weir-join-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    prepare(&f);
    harness_set_folder(f.h, folder);
    harness_start(f.h, "SELECT o.id, r.rate FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.cur = r.cur");
    harness_push(f.rates, "+I ['USD', 1, " AT("01") "] -U ['USD', 1, " AT("01") "] +U ['USD', 2, " AT("07") "]");
    harness_push(f.orders, "+I [1, 'USD', 1, " AT("05") "] +I [2, 'USD', 1, " AT("08") "]");
    harness_restart(f.h);
    harness_push(f.orders, "+I [3, 'USD', 1, " AT("20") "]");
    harness_push(f.rates, "-U ['USD', 2, " AT("07") "] +U ['USD', 3, " AT("19") "]");
    harness_end(f.h);
    harness_check_rows(f.h, "[1, 1] [2, 2] [3, 3]");
    harness_close(f.h);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void conditions_beside_the_key_are_tested(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    harness_start(f.h, "SELECT o.id, r.rate FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ts "
                       "ON r.rate = o.amt AND o.cur = r.cur AND o.id < 9");
    harness_push(f.rates, RATES);
    harness_push(f.orders,
                 "+I [1, 'USD', 100, " AT("05") "] +I [2, 'USD', 101, " AT("05") "] "
                                                                                 "+I [9, 'USD', 100, " AT("05") "]");
    harness_end(f.h);
    harness_check_rows(f.h, "[1, 100] [2, null] [9, null]");
    harness_close(f.h);
}

static void old_versions_are_dropped(void **state)
{
    (void)state;
    fixture f;
    char row[200];
    int64_t early = 0;
    prepare(&f);
    harness_start(f.h, "SELECT o.id, r.rate FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.cur = r.cur");
    for (int i = 0; i < 2000; i++) {
        snprintf(row, sizeof row, "+I ['USD', %d, '2024-01-01 00:%02d:%02d.000']", i, i / 60, i % 60);
        harness_push(f.rates, row);
        snprintf(row, sizeof row, "+I [%d, 'USD', 1, '2024-01-01 00:%02d:%02d.000']", i, i / 60, i % 60);
        harness_push(f.orders, row);
        early = i == 100 ? weir_state_backend_memory(f.h->state) : early;
    }
    harness_end(f.h);
    assert_int_equal(f.h->rows.count, 2000);
    assert_true(weir_state_backend_memory(f.h->state) < early * 2 + 50000);
    harness_close(f.h);
}

static void what_is_no_versioned_table_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *query, *message;
    } cases[] = {
        {"SELECT o.id FROM o JOIN nokey FOR SYSTEM_TIME AS OF o.ts ON o.cur = nokey.cur", "requires primary key"},
        {"SELECT o.id FROM o JOIN notime FOR SYSTEM_TIME AS OF o.ts ON o.cur = notime.cur", "row time attribute"},
        {"SELECT o.id, r.cur FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.amt = r.rate", "must be included"},
    };
    fixture f;
    prepare(&f);
    harness_set_watermark(harness_add(f.h, "nokey", "cur STRING, ts TIMESTAMP(3)", HARNESS_INSERTS), "ts", "ts");
    harness_set_key(harness_add(f.h, "notime", "cur STRING NOT NULL, rate INT", HARNESS_CHANGES), "cur");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_error err = harness_refusal(f.h, cases[i].query);
        if (strstr(err.message, cases[i].message) == NULL || err.line != 1) {
            fail_msg("%s\n  gives %s", cases[i].query, err.message);
        }
    }
    harness_close(f.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_meets_the_version_of_its_time),
        cmocka_unit_test(a_row_waits_until_the_table_has_come_as_far),
        cmocka_unit_test(a_checkpoint_keeps_versions_and_rows_that_wait),
        cmocka_unit_test(conditions_beside_the_key_are_tested),
        cmocka_unit_test(old_versions_are_dropped),
        cmocka_unit_test(what_is_no_versioned_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
