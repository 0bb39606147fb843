/* Going on after a stop, and after a failure at every step of a checkpoint. */
#include "job_fixture.h"

/* --- Going on -------------------------------------------------------------------------------------------------- */

static void use_folder(fixture *f) { f->options.state_folder = f->folder; }

static void a_stopped_job_goes_on_where_it_was(void **state)
{
    fixture *f = *state;
    use_folder(f);
    for (int run = 0; run < 3; run++) {
        char row[64];
        snprintf(row, sizeof row, "+I [%d, 'x']", run);
        harness_table_add(f->orders, row);
        start_copies(f);
        assert_int_equal(status_of(f).resumed, run > 0);
        wait_for_rows(f, 1);
        weir_job_stop(f->job, WEIR_JOB_STOP_CHECKPOINT, 0);
        check_ended(f, WEIR_JOB_STOPPED);
        assert_int_equal(status_of(f).last_checkpoint, run + 1);
        close_job(f);
    }
    check_rows(&f->a, "[0, 'x'] [1, 'x'] [2, 'x']");
}

static void what_was_not_checkpointed_is_read_again(void **state)
{
    fixture *f = *state;
    use_folder(f);
    harness_table_add(f->orders, "+I [1, 'apple']");
    start_copies(f);
    wait_for_rows(f, 1);
    weir_job_stop(f->job, WEIR_JOB_STOP_NOW, 0);
    check_ended(f, WEIR_JOB_STOPPED);
    check_rows(&f->a, "");
    close_job(f);
    start_copies(f);
    wait_for_rows(f, 1);
    weir_job_stop(f->job, WEIR_JOB_STOP_CHECKPOINT, 0);
    check_ended(f, WEIR_JOB_STOPPED);
    check_rows(&f->a, "[1, 'apple']");
}

/* A checkpoint fails at one of its steps, the second or the third time; the next run makes it whole. */
static void a_checkpoint_that_failed_anywhere_is_made_whole(void **state)
{
    (void)state;
    for (int step = 0; step < 8; step++) {
        for (int time = 1; time <= 3; time++) {
            void *own = NULL;
            set_up(&own);
            fixture *f = own;
            int *const counters[] = {&f->a.fail_prepare,      &f->b.fail_prepare,        &f->orders->fail_position,
                                     &f->a.fail_commit,       &f->b.fail_commit,         &f->a.fail_after_commit,
                                     &f->b.fail_after_commit, &f->orders->fail_committed};
            use_folder(f);
            f->options.checkpoint_rows = 1;
            *counters[step] = step == 2 ? time + 1 : time; /* positions are asked for at the start too */
            for (int i = 0; i < 5; i++) {
                char row[64];
                snprintf(row, sizeof row, "+I [%d, 'x'] +I [%d, 'y']", i, i);
                harness_table_add(f->orders, row);
                harness_table_add(f->users, row);
            }
            start_copies(f);
            check_ended(f, WEIR_JOB_FAILED);
            close_job(f);
            start_copies(f);
            weir_job_stop(f->job, WEIR_JOB_STOP_WHEN_IDLE, 20);
            check_ended(f, WEIR_JOB_STOPPED);
            check_rows(&f->a,
                       "[0, 'x'] [0, 'y'] [1, 'x'] [1, 'y'] [2, 'x'] [2, 'y'] [3, 'x'] [3, 'y'] [4, 'x'] [4, 'y']");
            check_rows(&f->b,
                       "[0, 'x'] [0, 'y'] [1, 'x'] [1, 'y'] [2, 'x'] [2, 'y'] [3, 'x'] [3, 'y'] [4, 'x'] [4, 'y']");
            tear_down(&own);
        }
    }
}

static void a_changed_plan_is_refused_with_the_difference(void **state)
{
    fixture *f = *state;
    weir_error err = {0};
    use_folder(f);
    create_job(f);
    harness_ok(add_insert(f, "INSERT INTO a SELECT id, item FROM orders WHERE id > 3", &f->a, &err), &err);
    harness_ok(weir_job_start(f->job, &err), &err);
    weir_job_stop(f->job, WEIR_JOB_STOP_CHECKPOINT, 0);
    check_ended(f, WEIR_JOB_STOPPED);
    close_job(f);
    create_job(f);
    harness_ok(add_insert(f, "INSERT INTO a SELECT id, item FROM orders WHERE id > 4", &f->a, &err), &err);
    assert_int_equal(weir_job_start(f->job, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message,
                           "the state was written by another computation (-: what it was, +: what it is now):\n"
                           "  Insert into default_catalog.default_database.a [id INT, item STRING]\n- "));
    assert_non_null(strstr(err.message, " Filter >($0, 3:INT NOT NULL)\n+ "));
    assert_non_null(strstr(err.message, " Filter >($0, 4:INT NOT NULL)"));
    close_job(f);
    create_job(f); /* the state is as it was */
    harness_ok(add_insert(f, "INSERT INTO a SELECT o.id, o.item FROM orders o WHERE id > 3", &f->a, &err), &err);
    harness_ok(weir_job_start(f->job, &err), &err);
}

static void the_difference_of_long_lines_is_shown(void **state)
{
    fixture *f = *state;
    weir_error err = {0};
    static const char format[] = "INSERT INTO a SELECT id, item FROM orders WHERE id IN (1001, 1002, 1003, 1004, 1005, "
                                 "1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 10%s)";
    char *was = weir_format(format, "16"), *is = weir_format(format, "77");
    use_folder(f);
    create_job(f);
    harness_ok(add_insert(f, was, &f->a, &err), &err);
    harness_ok(weir_job_start(f->job, &err), &err);
    weir_job_stop(f->job, WEIR_JOB_STOP_CHECKPOINT, 0);
    check_ended(f, WEIR_JOB_STOPPED);
    close_job(f);
    create_job(f);
    harness_ok(add_insert(f, is, &f->a, &err), &err);
    assert_int_equal(weir_job_start(f->job, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "1016"));
    assert_non_null(strstr(err.message, "1077"));
    free(was);
    free(is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stopped_job_goes_on_where_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_checkpointed_is_read_again, set_up, tear_down),
        cmocka_unit_test(a_checkpoint_that_failed_anywhere_is_made_whole),
        cmocka_unit_test_setup_teardown(a_changed_plan_is_refused_with_the_difference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_difference_of_long_lines_is_shown, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
