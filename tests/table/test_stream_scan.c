/* The streaming reader: where it starts, what it gives for each changelog producer, where it goes on. */
#include "cmocka_all.h"

#include "table/table_fixture.h"

/* Three commits: an insert of two keys, an update, a delete. */
static void fill(fixture *table)
{
    fixture_commit(table, "[[1, \"a\"], [2, \"b\"]]", "+I");
    fixture_commit(table, "[[1, \"aa\"]]", "+U");
    fixture_commit(table, "[[2, \"b\"]]", "-D");
}

static void create(fixture *table, const char *options)
{
    fixture_create(table, "k BIGINT NOT NULL, v STRING", "k", "", options);
}

static void each_producer_tells_the_changes_in_its_own_way(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *changes;
    } cases[] = {
        {"bucket=1;changelog-producer=none",
         "[1,\"+I\",1,\"a\"] [1,\"+I\",2,\"b\"] [2,\"+U\",1,\"aa\"] [3,\"-D\",2,\"b\"]"},
        {"bucket=1;changelog-producer=input",
         "[1,\"+I\",1,\"a\"] [1,\"+I\",2,\"b\"] [2,\"+U\",1,\"aa\"] [3,\"-D\",2,\"b\"]"},
        {"bucket=1;changelog-producer=lookup",
         "[2,\"+I\",1,\"a\"] [2,\"+I\",2,\"b\"] [4,\"+U\",1,\"aa\"] [4,\"-U\",1,\"a\"] [6,\"-D\",2,\"b\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        weir_stream_scan *scan = NULL;
        create(&table, cases[i].options);
        fill(&table);
        assert_string_equal(fixture_stream(&table, &scan, "scan.mode=from-snapshot;scan.snapshot-id=1"),
                            cases[i].changes);
        fixture_free(&table);
    }
}

static void the_start_mode_decides_what_comes_first(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *changes;
    } cases[] = {
        {"", "[3,\"+I\",1,\"aa\"]"},
        {"scan.mode=latest-full", "[3,\"+I\",1,\"aa\"]"},
        {"scan.mode=latest", ""},
        {"scan.mode=from-snapshot;scan.snapshot-id=3", "[3,\"-D\",2,\"b\"]"},
        {"scan.mode=from-snapshot-full;scan.snapshot-id=2",
         "[2,\"+I\",1,\"aa\"] [2,\"+I\",2,\"b\"] [3,\"-D\",2,\"b\"]"},
        {"scan.mode=from-timestamp;scan.timestamp-millis=0",
         "[1,\"+I\",1,\"a\"] [1,\"+I\",2,\"b\"] [2,\"+U\",1,\"aa\"] [3,\"-D\",2,\"b\"]"},
        {"scan.mode=from-timestamp;scan.timestamp-millis=99999999999999", ""},
        {"scan.timestamp=9999-12-31 00:00:00", ""},
        {"scan.mode=from-timestamp;scan.timestamp=1970-01-01 00:00:00",
         "[1,\"+I\",1,\"a\"] [1,\"+I\",2,\"b\"] [2,\"+U\",1,\"aa\"] [3,\"-D\",2,\"b\"]"},
    };
    fixture table;
    create(&table, "bucket=1");
    fill(&table);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_stream_scan *scan = NULL;
        assert_string_equal(fixture_stream(&table, &scan, cases[i].options), cases[i].changes);
    }
    fixture_free(&table);
}

/* Its batch reads do not see level 0, but the stream follows what writers put there. */
static void the_state_of_first_row_holds_what_the_stream_will_not_tell_again(void **state)
{
    (void)state;
    fixture table;
    weir_stream_scan *scan = NULL;
    create(&table, "bucket=1;merge-engine=first-row;write-only=true");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[1, \"b\"], [2, \"c\"]]", "+I");
    assert_string_equal(fixture_stream(&table, &scan, "scan.mode=latest-full"),
                        "[2,\"+I\",1,\"a\"] [2,\"+I\",2,\"c\"]");
    fixture_free(&table);
}

static void a_stream_refuses_starts_that_it_does_not_offer(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        const char *value;
        const char *message;
    } cases[] = {
        {"scan.tag-name", "t", "cannot start by 'scan.tag-name'"},
        {"scan.watermark", "1", "cannot start by 'scan.watermark'"},
        {"scan.version", "1", "cannot start by 'scan.version'"},
        {"scan.mode", "from-creation-timestamp", "'from-creation-timestamp' is not supported"},
        {"scan.creation-time-millis", "0", "'scan.creation-time-millis' = '0' changes which rows a read gives"},
        {"scan.mode", "from-timestamp", "needs scan.snapshot-id, scan.timestamp-millis or scan.timestamp"},
    };
    fixture table;
    create(&table, "bucket=1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        weir_options options = {0};
        weir_table *opened = NULL;
        weir_stream_scan *scan = NULL;
        weir_options_set(&options, &table.arena, cases[i].option, cases[i].value);
        weir_table_open_options open_options = {.dynamic_options = &options, .for_stream = true};
        must(weir_table_open(table.fs, FIXTURE_PATH, &open_options, &opened, &err), &err, "opening for a stream");
        assert_int_not_equal(weir_stream_scan_open(opened, NULL, &scan, &err), WEIR_OK);
        assert_non_null(strstr(err.message, cases[i].message));
        weir_table_close(opened);
    }
    fixture_free(&table);
}

static void a_stream_on_an_empty_table_waits_and_then_gives_everything(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_stream_scan *scan = NULL;
    weir_table_plan *plan = NULL;
    create(&table, "bucket=1");
    must(weir_stream_scan_open(table.table, NULL, &scan, &err), &err, "opening a stream");
    assert_int_equal(weir_stream_scan_next(scan, &plan, &err), WEIR_IDLE);
    fill(&table);
    must(weir_stream_scan_next(scan, &plan, &err), &err, "the full phase");
    assert_int_equal(plan->snapshot_id, 3);
    weir_table_plan_free(plan);
    assert_int_equal(weir_stream_scan_next(scan, &plan, &err), WEIR_IDLE);
    assert_int_equal(weir_stream_scan_position(scan), 4);
    weir_stream_scan_close(scan);
    fixture_free(&table);
}

static void a_restored_stream_goes_on_where_it_was(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_stream_scan *scan = NULL;
    weir_table_plan *plan = NULL;
    create(&table, "bucket=1");
    fill(&table);
    must(weir_stream_scan_open(table.table, NULL, &scan, &err), &err, "opening a stream");
    must(weir_stream_scan_restore(scan, 2, &err), &err, "restoring");
    weir_stream_scan_set_end(scan, 2);
    must(weir_stream_scan_next(scan, &plan, &err), &err, "the next changes");
    assert_int_equal(plan->snapshot_id, 2);
    weir_table_plan_free(plan);
    assert_int_equal(weir_stream_scan_next(scan, &plan, &err), WEIR_END);
    weir_stream_scan_close(scan);
    fixture_free(&table);
}

static void an_expired_snapshot_is_an_error_that_names_the_remedy(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_stream_scan *scan = NULL;
    weir_table_plan *plan = NULL;
    int64_t expired = 0;
    create(&table, "bucket=1");
    fill(&table);
    weir_expire_options options = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MIN};
    must(weir_table_expire(table.table, &options, &expired, &err), &err, "expiring");
    assert_int_equal(expired, 2);
    must(weir_stream_scan_open(table.table, NULL, &scan, &err), &err, "opening a stream");
    must(weir_stream_scan_restore(scan, 1, &err), &err, "restoring");
    assert_int_equal(weir_stream_scan_next(scan, &plan, &err), WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "consumer-id"));
    weir_stream_scan_close(scan);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_producer_tells_the_changes_in_its_own_way),
        cmocka_unit_test(the_start_mode_decides_what_comes_first),
        cmocka_unit_test(the_state_of_first_row_holds_what_the_stream_will_not_tell_again),
        cmocka_unit_test(a_stream_refuses_starts_that_it_does_not_offer),
        cmocka_unit_test(a_stream_on_an_empty_table_waits_and_then_gives_everything),
        cmocka_unit_test(a_restored_stream_goes_on_where_it_was),
        cmocka_unit_test(an_expired_snapshot_is_an_error_that_names_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
