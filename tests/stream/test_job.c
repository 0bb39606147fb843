/* The life of jobs: how they end, when they make checkpoints. */
#include "job_fixture.h"

/* --- Its life -------------------------------------------------------------------------------------------------- */

static void a_job_over_bounded_input_finishes(void **state)
{
    fixture *f = *state;
    f->orders->bounded = f->orders->ended = f->users->bounded = f->users->ended = true;
    harness_table_add(f->orders, "+I [1, 'apple'] +I [2, 'pear']");
    harness_table_add(f->orders, "+I [3, 'fig']");
    harness_table_add(f->users, "+I [1, 'ann'] -U [1, 'ann'] +U [1, 'anna']");
    start_copies(f);
    assert_true(weir_job_is_bounded(f->job));
    check_ended(f, WEIR_JOB_FINISHED);
    check_rows(&f->a, "[1, 'apple'] [2, 'pear'] [3, 'fig']");
    check_rows(&f->b, "[1, 'anna']");
    weir_job_status status = status_of(f);
    assert_int_equal(status.rows_in, 6);
    assert_int_equal(status.rows_out, 6);
    assert_int_equal(status.checkpoints, 1);
    assert_int_equal(status.watermark, WEIR_WATERMARK_END);
    assert_true(f->a.saw_last && f->b.saw_last);
    assert_false(status.resumed);
}

static void a_job_without_rows_makes_no_checkpoints(void **state)
{
    fixture *f = *state;
    f->options.checkpoint_interval_ms = 1;
    start_copies(f);
    assert_false(weir_job_is_bounded(f->job));
    weir_sleep_ms(50);
    assert_int_equal(status_of(f).checkpoints, 0);
    assert_int_equal(status_of(f).phase, WEIR_JOB_RUNNING);
    harness_table_add(f->orders, "+I [1, 'apple']");
    wait_for_checkpoints(f, 1);
    weir_sleep_ms(50);
    assert_int_equal(status_of(f).checkpoints, 1);
    assert_int_equal(f->orders->committed_batches, 1);
}

static void checkpoints_go_on_while_a_sink_awaits_them(void **state)
{
    fixture *f = *state;
    f->options.checkpoint_interval_ms = 1;
    f->a.awaited = 4;
    start_copies(f);
    harness_table_add(f->orders, "+I [1, 'apple']");
    wait_for_checkpoints(f, 4);
    weir_sleep_ms(50);
    assert_int_equal(status_of(f).checkpoints, 4);
}

static void checkpoints_come_by_time_by_rows_and_when_a_sink_is_full(void **state)
{
    fixture *f = *state;
    f->options.checkpoint_rows = 3;
    start_copies(f);
    harness_table_add(f->orders, "+I [1, 'apple'] +I [2, 'pear']");
    wait_for_rows(f, 2);
    assert_int_equal(status_of(f).checkpoints, 0);
    harness_table_add(f->users, "+I [3, 'eve']");
    wait_for_checkpoints(f, 1);
    f->a.full = true;
    harness_table_add(f->orders, "+I [4, 'fig']");
    wait_for_checkpoints(f, 2);
    weir_job_stop(f->job, WEIR_JOB_STOP_NOW, 0);
    check_ended(f, WEIR_JOB_STOPPED);
    check_rows(&f->a, "[1, 'apple'] [2, 'pear'] [4, 'fig']");
    check_rows(&f->b, "[3, 'eve']");
}

static void jobs_are_stopped_in_four_ways(void **state)
{
    static const struct {
        weir_job_stop_kind kind;
        const char *rows;
        int64_t watermark;
    } cases[] = {
        {WEIR_JOB_STOP_CHECKPOINT, "[1, 'apple']", WEIR_WATERMARK_NONE},
        {WEIR_JOB_STOP_DRAIN, "[1, 'apple']", WEIR_WATERMARK_END},
        {WEIR_JOB_STOP_WHEN_IDLE, "[1, 'apple']", WEIR_WATERMARK_NONE},
        {WEIR_JOB_STOP_NOW, "", WEIR_WATERMARK_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        void *own = NULL;
        (void)state;
        set_up(&own);
        fixture *f = own;
        harness_table_add(f->orders, "+I [1, 'apple']");
        start_copies(f);
        wait_for_rows(f, 1);
        weir_job_stop(f->job, cases[i].kind, 10);
        check_ended(f, WEIR_JOB_STOPPED);
        check_rows(&f->a, cases[i].rows);
        assert_int_equal(f->a.saw_last, cases[i].kind != WEIR_JOB_STOP_NOW);
        tear_down(&own);
    }
}

static void an_idle_stop_waits_for_rows_that_still_come(void **state)
{
    fixture *f = *state;
    char row[64];
    start_copies(f);
    weir_job_stop(f->job, WEIR_JOB_STOP_WHEN_IDLE, 300);
    for (int i = 0; i < 10; i++) {
        snprintf(row, sizeof row, "+I [%d, 'x']", i);
        harness_table_add(f->orders, row);
        weir_sleep_ms(10);
    }
    check_ended(f, WEIR_JOB_STOPPED);
    assert_int_equal(f->a.rows.count, 10);
}

static void note_commit(void *owner, const weir_job *job)
{
    (void)job;
    atomic_fetch_add((_Atomic int *)owner, 1);
}

static void others_are_told_of_commits_and_wake_their_jobs(void **state)
{
    fixture *f = *state;
    _Atomic int commits = 0;
    f->orders->poll_interval_ms = f->users->poll_interval_ms = 3600000;
    f->options.on_commit = note_commit;
    f->options.owner = &commits;
    f->options.checkpoint_interval_ms = 1;
    start_copies(f);
    for (int i = 1; i <= 3; i++) {
        weir_sleep_ms(5); /* the sources have been asked */
        harness_table_add(f->orders, "+I [1, 'x']");
        weir_job_wake(f->job);
        wait_for_checkpoints(f, i);
    }
    assert_int_equal(commits, 3);
    weir_job_stop(f->job, WEIR_JOB_STOP_NOW, 0);
    check_ended(f, WEIR_JOB_STOPPED);
}

static void a_job_that_never_started_is_freed(void **state)
{
    fixture *f = *state;
    weir_error err = {0};
    create_job(f);
    harness_ok(add_insert(f, "INSERT INTO a SELECT id, item FROM orders", &f->a, &err), &err);
    assert_true(weir_job_reads(f->job, "orders"));
    assert_false(weir_job_reads(f->job, "users"));
    assert_string_equal(weir_job_sink(f->job, 0)->identity, "a");
    assert_null(weir_job_sink(f->job, 1));
    assert_int_equal(status_of(f).phase, WEIR_JOB_CREATED);
}

static void a_failing_operator_fails_the_job_and_nothing_is_half_done(void **state)
{
    fixture *f = *state;
    weir_error err = {0};
    create_job(f);
    harness_ok(add_insert(f, "INSERT INTO a SELECT 10 / id, item FROM orders", &f->a, &err), &err);
    harness_ok(weir_job_start(f->job, &err), &err);
    harness_table_add(f->orders, "+I [1, 'apple']");
    harness_table_add(f->orders, "+I [0, 'pear']");
    check_ended(f, WEIR_JOB_FAILED);
    weir_error error = weir_job_error(f->job);
    assert_string_equal(error.message, "INSERT INTO default_catalog.default_database.a: division by zero; "
                                       "guard the divisor with NULLIF(divisor, 0)");
    check_rows(&f->a, "");
}

static void a_failing_sink_fails_the_job_and_is_named(void **state)
{
    fixture *f = *state;
    f->b.fail_write = 1;
    start_copies(f);
    harness_table_add(f->users, "+I [1, 'ann']");
    check_ended(f, WEIR_JOB_FAILED);
    weir_error error = weir_job_error(f->job);
    assert_string_equal(error.message, "INSERT INTO default_catalog.default_database.b: the disk is gone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_job_over_bounded_input_finishes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_job_without_rows_makes_no_checkpoints, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checkpoints_go_on_while_a_sink_awaits_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checkpoints_come_by_time_by_rows_and_when_a_sink_is_full, set_up, tear_down),
        cmocka_unit_test(jobs_are_stopped_in_four_ways),
        cmocka_unit_test_setup_teardown(an_idle_stop_waits_for_rows_that_still_come, set_up, tear_down),
        cmocka_unit_test_setup_teardown(others_are_told_of_commits_and_wake_their_jobs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_job_that_never_started_is_freed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failing_operator_fails_the_job_and_nothing_is_half_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failing_sink_fails_the_job_and_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
