/* Windows of time in streams: what closes them, late rows, and that nothing depends on where batches are cut or where
 * everything is closed and opened again. */
#include "events.h"

#include "fs/fs.h"

#define TUMBLE_10 "TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
#define SESSION_6 "TABLE(SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '6' SECOND))"

/* Without those that are late: which rows are depends on which side of a join is read first. */
#define ALL_10      "(SELECT * FROM " TUMBLE_10 " WHERE id NOT IN (7, 8))"
#define SAME_WINDOW "L.window_start = R.window_start AND L.window_end = R.window_end"

/* Event 8, at 17, comes when windows up to 24 have closed; event 7, at 3, is late for all of its. */
#define HOP_SUMS                                                                                                       \
    "[:05, 'a', 1] [:10, 'a', 7] [:15, 'a', 2] [:15, 'b', 3] [:20, 'b', 3] [:25, 'a', 5] [:25, 'b', 8] "               \
    "[:30, 'a', 5] [:30, null, 6] [:35, null, 6] [:50, 'b', null] [:55, 'b', null]"

static const event_case cases[] = {
    {"SELECT window_start, window_end, k, SUM(v), COUNT(*) FROM " TUMBLE_10 " GROUP BY window_start, window_end, k",
     "[:00, :10, 'a', 7, 3] [:10, :20, 'b', 3, 1] [:20, :30, 'a', 5, 1] [:20, :30, null, 6, 1] "
     "[:40, :50, 'b', null, 1]"},

    {"SELECT window_start, k, COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '30' SECOND)) "
     "GROUP BY window_start, window_end, GROUPING SETS ((k), ())",
     "[:00, 'a', 5] [:00, 'b', 2] [:00, null, 1] [:00, null, 8] [:30, 'b', 1] [:30, null, 1]"},

    {"SELECT window_start, window_end, k, COUNT(*), SUM(v) FROM "
     "TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND)) "
     "WHERE id <> 9 GROUP BY window_start, window_end, k",
     "[:00, :05, 'a', 1, 1] [:00, :10, 'a', 3, 7] [:00, :15, 'a', 3, 7] [:00, :15, 'b', 1, 3] [:15, :25, 'a', 1, 5] "
     "[:15, :25, 'b', 1, 8] [:15, :30, 'a', 1, 5] [:15, :30, 'b', 1, 8] [:15, :30, null, 1, 6]"},

    {"SELECT window_start, window_end, k, COUNT(*), SUM(v) FROM "
     "TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND)) "
     "GROUP BY window_start, window_end, k",
     "[:00, :05, 'a', 1, 1] [:00, :10, 'a', 3, 7] [:00, :15, 'a', 3, 7] [:00, :15, 'b', 1, 3] [:15, :25, 'a', 1, 5] "
     "[:15, :25, 'b', 1, 8] [:15, :30, 'a', 1, 5] [:15, :30, 'b', 1, 8] [:15, :30, null, 1, 6] "
     "[:45, :50, 'b', 1, null] [:45, :55, 'b', 1, null] [:45, '2024-01-01 00:01:00.000', 'b', 1, null]"},

    {"SELECT window_end, k, SUM(v) FROM "
     "TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, "
     "window_end, k",
     HOP_SUMS},

    {"SELECT window_end, k, SUM(v) FROM "
     "TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) WHERE id > 0 "
     "GROUP BY window_start, window_end, k",
     HOP_SUMS},

    {"SELECT HOP_START(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND), COUNT(*) FROM e "
     "GROUP BY HOP(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND)",
     "['2023-12-31 23:59:52.000', 1] ['2023-12-31 23:59:56.000', 2] [:00, 3] [:04, 3] [:08, 2] [:12, 1] [:16, 2] "
     "[:20, 2] [:24, 1] [:28, 1] [:36, 1] [:40, 1] [:44, 1]"},

    {"SELECT SESSION_START(ts, INTERVAL '6' SECOND), SESSION_END(ts, INTERVAL '6' SECOND), k, COUNT(*) FROM e "
     "GROUP BY SESSION(ts, INTERVAL '6' SECOND), k",
     "[:01, :15.999, 'a', 3] [:10, :16, 'b', 1] [:21, :27, 'a', 1] [:29, :35, null, 1] [:45, :51, 'b', 1]"},

    {"SELECT id, window_start, window_end FROM " SESSION_6,
     "[1, :01, :15.999] [2, :01, :15.999] [3, :10, :16] [4, :01, :15.999] [5, :21, :27] [6, :29, :35] [9, :45, :51]"},

    {"SELECT window_start, window_end, MAX(n) FROM "
     "(SELECT window_start, window_end, k, COUNT(*) AS n FROM " SESSION_6 " GROUP BY window_start, window_end, k) "
     "GROUP BY window_start, window_end",
     "[:01, :15.999, 3] [:10, :16, 1] [:21, :27, 1] [:29, :35, 1] [:45, :51, 1]"},

    {"SELECT window_start, COUNT(*) FROM " SESSION_6 " WHERE id <> 2 GROUP BY window_start, window_end",
     "[:01, 2] [:10, 1] [:21, 1] [:29, 1] [:45, 1]"},

    {"SELECT window_start, window_end, COUNT(*) FROM "
     "(SELECT window_start, window_end, k, COUNT(*) FROM " TUMBLE_10 " GROUP BY window_start, window_end, k) "
     "GROUP BY window_start, window_end",
     "[:00, :10, 1] [:10, :20, 1] [:20, :30, 2] [:40, :50, 1]"},

    {"SELECT DISTINCT window_start, window_end, k FROM " TUMBLE_10,
     "[:00, :10, 'a'] [:10, :20, 'b'] [:20, :30, 'a'] [:20, :30, null] [:40, :50, 'b']"},

    {"SELECT window_start, SUM(c), COUNT(*) FROM TABLE(TUMBLE((SELECT window_time AS wt, COUNT(*) AS c FROM " TUMBLE_10
     " GROUP BY window_start, window_end, window_time), DESCRIPTOR(wt), INTERVAL '30' SECOND)) "
     "GROUP BY window_start, window_end",
     "[:00, 6, 3] [:30, 1, 1]"},

    {"SELECT TUMBLE_START(wt, INTERVAL '30' SECOND), SUM(c) FROM (SELECT TUMBLE_ROWTIME(ts, INTERVAL '10' SECOND) "
     "AS wt, COUNT(*) AS c FROM e GROUP BY TUMBLE(ts, INTERVAL '10' SECOND)) GROUP BY TUMBLE(wt, INTERVAL '30' SECOND)",
     "[:00, 6] [:30, 1]"},

    {"SELECT window_start, k, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY s "
     "DESC) AS rn FROM (SELECT window_start, window_end, k, SUM(v) AS s FROM " TUMBLE_10
     " GROUP BY window_start, window_end, k)) WHERE rn <= 1",
     "[:00, 'a', 7] [:10, 'b', 3] [:20, null, 6] [:40, 'b', null]"},

    {"SELECT id, rn FROM (SELECT *, RANK() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC) AS rn "
     "FROM " TUMBLE_10 ") WHERE rn <= 2",
     "[2, 2] [3, 1] [4, 1] [5, 1] [6, 1] [9, 1]"},

    {"SELECT L.id, R.id, L.window_start FROM " ALL_10 " L JOIN " ALL_10 " R ON L.k = R.k AND " SAME_WINDOW,
     "[1, 1, :00] [1, 2, :00] [1, 4, :00] [2, 1, :00] [2, 2, :00] [2, 4, :00] [3, 3, :10] [4, 1, :00] [4, 2, :00] "
     "[4, 4, :00] [5, 5, :20] [9, 9, :40]"},

    {"SELECT L.id, R.id FROM " ALL_10 " L LEFT JOIN " ALL_10 " R ON L.k = R.k AND " SAME_WINDOW " AND L.v < R.v",
     "[1, 2] [1, 4] [2, 4] [3, null] [4, null] [5, null] [6, null] [9, null]"},

    {"SELECT L.id, R.id FROM (SELECT * FROM " ALL_10 " WHERE id < 5) L FULL JOIN (SELECT * FROM " ALL_10
     " WHERE id > 2) R ON L.id = R.id AND " SAME_WINDOW,
     "[1, null] [2, null] [3, 3] [4, 4] [null, 5] [null, 6] [null, 9]"},

    {"SELECT L.id FROM " ALL_10 " L WHERE EXISTS (SELECT * FROM " ALL_10 " R WHERE R.v > L.v AND " SAME_WINDOW ")",
     "[1] [2] [5]"},

    {"SELECT L.id FROM " ALL_10 " L WHERE NOT EXISTS (SELECT * FROM " ALL_10 " R WHERE R.v > L.v AND " SAME_WINDOW ")",
     "[3] [4] [6] [9]"},

    {"SELECT L.window_start, COUNT(*) FROM " ALL_10 " L JOIN " ALL_10 " R ON L.k = R.k AND " SAME_WINDOW
     " GROUP BY L.window_start, L.window_end",
     "[:00, 9] [:10, 1] [:20, 1] [:40, 1]"},

    {"SELECT id, window_end FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) "
     "WHERE id = 7",
     "[7, :05] [7, :10]"},
};

static void windows_are_the_same_however_batches_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_event_case(&cases[i], false);
    }
}

static void windows_are_the_same_across_restarts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_event_case(&cases[i], true);
    }
}

static void a_window_comes_out_once_when_the_watermark_passes_its_end(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = add_events(h);
    harness_start(h, "SELECT window_start, COUNT(*) FROM " TUMBLE_10 " GROUP BY window_start, window_end");
    harness_push(table, "+I [1, 'a', 1, '2024-01-01 00:00:01.000'] +I [2, 'a', 1, '2024-01-01 00:00:14.998']");
    harness_check(h, "");
    harness_push(table, "+I [3, 'a', 1, '2024-01-01 00:00:14.999']");
    harness_check(h, "+I ['2024-01-01 00:00:00.000', 1]");
    assert_int_equal(h->late_rows, 0);
    harness_push(table, "+I [4, 'a', 1, '2024-01-01 00:00:09.999']");
    harness_check(h, "");
    assert_int_equal(h->late_rows, 1);
    harness_end(h);
    harness_check(h, "+I ['2024-01-01 00:00:10.000', 2]");
    harness_close(h);
}

/* As after STOP JOB … WITH DRAIN. */
static void a_job_whose_windows_were_closed_early_goes_on(void **state)
{
    (void)state;
    char folder[] = "/tmp/weir-window-XXXXXX";
    assert_non_null(mkdtemp(folder));
    harness *h = harness_open();
    harness_table *table = add_events(h);
    harness_set_folder(h, folder);
    harness_start(h, "SELECT window_start, COUNT(*) FROM " TUMBLE_10 " GROUP BY window_start, window_end");
    harness_push(table, "+I [1, 'a', 1, '2024-01-01 00:00:01.000'] +I [2, 'a', 1, '2024-01-01 00:00:14.999']");
    harness_check(h, "+I ['2024-01-01 00:00:00.000', 1]");
    harness_restart(h);
    harness_end(h);
    harness_check(h, "+I ['2024-01-01 00:00:10.000', 1]");
    harness_restart(h);
    table->ended = false;
    harness_push(table, "+I [3, 'a', 1, '2024-01-01 00:00:09.000'] +I [4, 'a', 1, '2024-01-01 00:00:31.000']");
    assert_int_equal(h->late_rows, 1);
    harness_end(h);
    harness_check(h, "+I ['2024-01-01 00:00:30.000', 1]");
    harness_close(h);
    assert_int_equal(weir_fs_remove_recursively(weir_fs_local(), folder, NULL), WEIR_OK);
}

/* Sessions of one key at 0–6 and 10–16 become one by a row at 5, which reaches to 11. */
static void a_row_between_two_sessions_makes_one_of_them(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "SELECT window_start, window_end, k, COUNT(*), MAX(v) FROM " SESSION_6 " GROUP BY window_start, window_end, k",
        "SELECT window_start, window_end, k, COUNT(*), MAX(v) FROM (SELECT * FROM " SESSION_6
        " WHERE v > 0) GROUP BY window_start, window_end, k"};
    for (size_t i = 0; i < 2; i++) {
        harness *h = harness_open();
        harness_table *table = add_events(h);
        weir_buffer text = {0};
        harness_start(h, queries[i]);
        harness_push(table, "+I [1, 'a', 1, '2024-01-01 00:00:00.000'] +I [2, 'a', 2, '2024-01-01 00:00:10.000'] "
                            "+I [3, 'b', 5, '2024-01-01 00:00:07.000'] +I [4, 'a', 3, '2024-01-01 00:00:05.000']");
        harness_end(h);
        harness_rows_text(&h->rows, &text);
        check_short(h, &text, "[:00, :16, 'a', 3, 3] [:07, :13, 'b', 1, 5]");
        weir_buffer_free(&text);
        harness_close(h);
    }
}

static void windows_of_the_clock_close_by_it(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = harness_add(h, "t", "id INT, k STRING", HARNESS_INSERTS);
    harness_now_ms = 1000;
    harness_start(h, "SELECT window_start, k, COUNT(*) FROM TABLE(TUMBLE((SELECT *, PROCTIME() AS pt FROM t), "
                     "DESCRIPTOR(pt), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k");
    harness_push(table, "+I [1, 'a'] +I [2, 'a'] +I [3, 'b']");
    harness_tick(h, 9998);
    harness_check(h, "");
    harness_tick(h, 9999);
    harness_check_rows(h, "['1970-01-01 00:00:00.000', 'a', 2] ['1970-01-01 00:00:00.000', 'b', 1]");
    harness_tick(h, 10001);
    harness_push(table, "+I [4, 'a']");
    harness_end(h);
    harness_check_rows(h, "['1970-01-01 00:00:00.000', 'a', 2] ['1970-01-01 00:00:00.000', 'b', 1] "
                          "['1970-01-01 00:00:10.000', 'a', 1]");
    harness_close(h);
}

/* A day of 23 hours: New York puts its clocks forward. */
static void windows_of_instants_follow_the_clock_of_the_session(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = harness_add(h, "t", "v INT, ts TIMESTAMP_LTZ(3)", HARNESS_INSERTS);
    harness_set_watermark(table, "ts", "ts");
    h->bind.time_zone = "America/New_York";
    harness_start(h, "SELECT window_start, window_end, SUM(v) FROM "
                     "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end");
    harness_push(table, "+I [1, '2024-03-10 05:00:00.000Z'] +I [2, '2024-03-11 03:59:59.998Z']");
    harness_check(h, "");
    harness_push(table, "+I [4, '2024-03-11 03:59:59.999Z']");
    harness_check(h, "+I ['2024-03-10 00:00:00.000', '2024-03-11 00:00:00.000', 7]");
    harness_push(table, "+I [8, '2024-03-11 04:00:00.000Z']");
    harness_end(h);
    harness_check(h, "+I ['2024-03-11 00:00:00.000', '2024-03-12 00:00:00.000', 8]");
    harness_close(h);
}

static void changes_of_a_window_come_out_as_what_is_left_when_it_closes(void **state)
{
    (void)state;
    harness *h = harness_open();
    harness_table *table = harness_add(h, "e", "id INT, v INT, ts TIMESTAMP(3)", HARNESS_CHANGES);
    harness_set_watermark(table, "ts", "ts");
    harness_start(h, "SELECT window_start, SUM(v), COUNT(*) FROM " TUMBLE_10 " GROUP BY window_start, window_end");
    harness_push(table, "+I [1, 1, '2024-01-01 00:00:01.000'] +I [2, 2, '2024-01-01 00:00:02.000'] "
                        "-U [1, 1, '2024-01-01 00:00:01.000'] +U [1, 5, '2024-01-01 00:00:03.000'] "
                        "-D [2, 2, '2024-01-01 00:00:02.000'] +I [3, 3, '2024-01-01 00:00:11.000'] "
                        "-D [3, 3, '2024-01-01 00:00:11.000']");
    harness_end(h);
    harness_check(h, "+I ['2024-01-01 00:00:00.000', 5, 1]");
    harness_close(h);
}

/* What a query can keep late rows apart by. */
static void current_watermark_is_what_came_before_a_row(void **state)
{
    (void)state;
    static const event_case late = {
        "SELECT id FROM e WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)",
        "[1] [2] [3] [5] [6] [9]"};
    check_event_case(&late, false);
    static const event_case early = {"SELECT id FROM e WHERE ts <= CURRENT_WATERMARK(ts)", "[4] [7] [8]"};
    check_event_case(&early, false);
    harness *h = harness_open();
    harness_add(h, "t", "ts TIMESTAMP(3)", HARNESS_INSERTS);
    weir_error err = harness_refusal(h, "SELECT CURRENT_WATERMARK(ts) FROM t");
    assert_string_equal(err.message,
                        "The argument of CURRENT_WATERMARK() must be a rowtime attribute, but was 'TIMESTAMP(3)'.");
    harness_close(h);
}

static void windows_over_what_is_no_time_say_which_line_to_add(void **state)
{
    (void)state;
    static const struct {
        const char *query, *message;
    } refusals[] = {
        {"SELECT TUMBLE_START(ts, INTERVAL '1' MINUTE), SUM(v) FROM t GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)",
         "Window aggregate can only be defined over a time attribute column, but TIMESTAMP(3) encountered. Add to "
         "CREATE TABLE t: WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND"},
        {"SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(fine), INTERVAL '1' MINUTE)) "
         "GROUP BY window_start, window_end",
         "The window function requires the timecol is a time attribute type, but is TIMESTAMP(6). Add to CREATE TABLE "
         "t: event_time AS CAST(`fine` AS TIMESTAMP(3)), WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND"},
        {"SELECT * FROM TABLE(TUMBLE((SELECT MAX(ts) AS m FROM t), DESCRIPTOR(m), INTERVAL '1' MINUTE))",
         "The window function requires the timecol is a time attribute type, but is TIMESTAMP(3). A time attribute is "
         "a "
         "column with a WATERMARK, or of PROCTIME(), that comes here unchanged; joins, aggregations and expressions "
         "make plain columns of it"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        harness *h = harness_open();
        harness_add(h, "t", "v INT, ts TIMESTAMP(3), fine TIMESTAMP(6)", HARNESS_INSERTS);
        weir_error err = harness_refusal(h, refusals[i].query);
        assert_string_equal(err.message, refusals[i].message);
        assert_true(err.line > 0);
        harness_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_the_same_however_batches_are_cut),
        cmocka_unit_test(windows_are_the_same_across_restarts),
        cmocka_unit_test(a_window_comes_out_once_when_the_watermark_passes_its_end),
        cmocka_unit_test(a_job_whose_windows_were_closed_early_goes_on),
        cmocka_unit_test(a_row_between_two_sessions_makes_one_of_them),
        cmocka_unit_test(windows_of_the_clock_close_by_it),
        cmocka_unit_test(windows_of_instants_follow_the_clock_of_the_session),
        cmocka_unit_test(changes_of_a_window_come_out_as_what_is_left_when_it_closes),
        cmocka_unit_test(current_watermark_is_what_came_before_a_row),
        cmocka_unit_test(windows_over_what_is_no_time_say_which_line_to_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
