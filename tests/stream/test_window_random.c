/* Random windows over random events that are never late, in batches of random sizes, with restarts between them: the
 * stream gives what the query gives over all of them. */
#include "query_fixture.h"

enum { rounds = 60, most_events = 60 };

/* Times and keys are few, so that there are equal ones, empty windows and sessions that meet. `distinct`: no two times
 * are equal. */
static void add_event(changing_table *table, random_state *random, int64_t *front, int32_t id, bool distinct)
{
    static const char *const keys[] = {"'a'", "'b'", "'c'", "null"};
    *front += (int64_t)random_below(random, 4) * 500;
    int64_t time = *front - (int64_t)random_below(random, 5) * 900; /* the watermark is five seconds behind */
    char value[16] = "null";
    char json[160];
    if (random_below(random, 6) > 0) {
        snprintf(value, sizeof value, "%d", (int)random_below(random, 9) - 2);
    }
    time += distinct ? id : 0;
    snprintf(json, sizeof json, "[%d, %s, %s, '2024-01-01 00:%02d:%02d.%03d']", id, keys[random_below(random, 4)],
             value, (int)(time / 60000 % 60), (int)(time / 1000 % 60), (int)(time % 1000));
    insert_json(table, json, WEIR_INSERT);
}

/* Appends a query; %d in it become lengths in seconds. */
static void choose_query(random_state *random, weir_buffer *out)
{
    static const char *const queries[] = {
        "SELECT window_start, window_end, k, %A FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '%N' SECOND)) "
        "GROUP BY window_start, window_end, k",
        "SELECT window_end, %A FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '7' SECOND, INTERVAL '%N' SECOND)) "
        "WHERE v > 0 GROUP BY window_start, window_end",
        "SELECT window_start, k, %A FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '3' SECOND, INTERVAL '9' SECOND)) "
        "GROUP BY window_start, window_end, k",
        "SELECT window_start, window_end, %A FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL "
        "'10' SECOND, INTERVAL '%N' SECOND)) GROUP BY GROUPING SETS ((window_start, window_end, k), (window_start, "
        "window_end))",
        "SELECT window_start, window_end, window_time, %A FROM TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '3' "
        "SECOND, INTERVAL '12' SECOND)) GROUP BY window_start, window_end, window_time",
        "SELECT window_start, window_end, k, %A FROM TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '2' "
        "SECOND, INTERVAL '8' SECOND, INTERVAL '-%N' SECOND)) GROUP BY window_start, window_end, k",
        "SELECT window_start, window_end, k, %A FROM TABLE(SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL "
        "'%N' SECOND)) GROUP BY window_start, window_end, k",
        "SELECT window_start, window_end, %A FROM TABLE(SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '%N' "
        "SECOND)) WHERE v IS NOT NULL GROUP BY window_start, window_end",
        "SELECT SESSION_START(ts, INTERVAL '%N' SECOND), %A FROM e GROUP BY SESSION(ts, INTERVAL '%N' SECOND)",
        "SELECT HOP_END(ts, INTERVAL '3' SECOND, INTERVAL '7' SECOND), k, %A FROM e GROUP BY k, HOP(ts, INTERVAL '3' "
        "SECOND, INTERVAL '7' SECOND)",
        "SELECT id, window_start, window_end FROM TABLE(SESSION(TABLE e PARTITION BY k, DESCRIPTOR(ts), INTERVAL '%N' "
        "SECOND))",
        "SELECT * FROM (SELECT id, RANK() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC) AS n FROM "
        "TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '%N' SECOND))) WHERE n <= 2",
        "SELECT l.id, r.id FROM (SELECT * FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '%N' SECOND))) l LEFT "
        "JOIN (SELECT * FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '%N' SECOND))) r ON l.v = r.v AND "
        "l.window_start = r.window_start AND l.window_end = r.window_end AND l.id <> r.id",
        "SELECT id, %O (PARTITION BY k ORDER BY ts) FROM e",
        "SELECT id, %O (ORDER BY ts ROWS BETWEEN %N PRECEDING AND CURRENT ROW) FROM e",
        "SELECT id, %O (PARTITION BY k ORDER BY ts ROWS UNBOUNDED PRECEDING) FROM e",
        "SELECT id, %O (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '%N' SECOND PRECEDING AND CURRENT ROW) "
        "FROM e",
        "SELECT id, LAG(v, 2) OVER (PARTITION BY k ORDER BY ts), ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) FROM e",
    };
    static const char *const aggregates[] = {"COUNT(*), SUM(v)", "MIN(v), MAX(v), COUNT(v)",
                                             "COUNT(DISTINCT v), AVG(v)",
                                             "SUM(v) FILTER (WHERE v > 2), COUNT(DISTINCT k), STDDEV_POP(v)"};
    static const char *const overs[] = {"COUNT(*) OVER", "SUM(v) OVER", "MAX(v) OVER", "AVG(v) OVER", "COUNT(v) OVER"};
    const char *query = queries[random_below(random, sizeof queries / sizeof queries[0])];
    int length = 1 + (int)random_below(random, 7);
    for (; *query != '\0'; query++) {
        if (*query != '%') {
            weir_buffer_append_byte(out, (uint8_t)*query);
            continue;
        }
        query++;
        if (*query == 'N') {
            weir_buffer_append_format(out, "%d", length);
        } else {
            weir_buffer_append_text(out, *query == 'A' ? aggregates[random_below(random, 4)]
                                                       : overs[random_below(random, 5)]);
        }
    }
}

static void run_round(random_state *random, const char *folder)
{
    changing_table table = {0};
    weir_buffer text = {0};
    stream_query query = {.tables = {&table}, .table_count = 1};
    int32_t events = (int32_t)random_below(random, most_events);
    int64_t front = 10000;
    int64_t checkpoint = 1;
    choose_query(random, &text);
    changing_table_start(&table, "e", "id INT, k STRING, v INT, ts TIMESTAMP(3)");
    table.only_inserts = true;
    table.memory.table.watermark_column = 3;
    table.memory.table.watermark_expression = "ts - INTERVAL '5' SECOND";
    start_query(&query, weir_buffer_text(&text), folder);
    bool distinct = strstr(query.text, "ROWS") != NULL || strstr(query.text, "LAG") != NULL;
    for (int32_t i = 0; i < events; i++) {
        add_event(&table, random, &front, i, distinct);
        if (random_below(random, 5) == 0) {
            pull_all(&query);
        }
        if (folder != NULL && random_below(random, 12) == 0) {
            restart_query(&query, folder, checkpoint++);
        }
    }
    pull_all(&query);
    end_all(&query);
    assert_int_equal(query.late_rows, 0);
    check_same(&query);
    stop_query(&query);
    changing_table_free(&table);
    weir_buffer_free(&text);
}

static void windows_over_events_in_time_are_those_of_batch(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int32_t i = 0; i < rounds; i++) {
        run_round(&random, NULL);
    }
}

static void windows_outlive_restarts(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int32_t i = 0; i < rounds / 2; i++) {
        char folder[] = "/tmp/weir-windows-XXXXXX";
        assert_non_null(mkdtemp(folder));
        run_round(&random, folder);
        char *command = weir_format("rm -rf '%s'", folder);
        assert_int_equal(system(command), 0);
        free(command);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_over_events_in_time_are_those_of_batch),
        cmocka_unit_test(windows_outlive_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
