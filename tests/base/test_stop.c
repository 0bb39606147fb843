/* Stops: who gives up, and when. */
#include "base/stop.h"

#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "cmocka_all.h"

#define SECOND_NS INT64_C(1000000000)

static void nobody_gives_up_before_it_is_raised(void **state)
{
    (void)state;
    weir_stop stop = {0};
    assert_false(weir_stop_is_raised(&stop));
    assert_false(weir_stop_gives_up(&stop, weir_monotonic_ns() - 100 * SECOND_NS));
    assert_false(weir_stop_is_raised(NULL));
    assert_false(weir_stop_gives_up(NULL, 0));
}

static void a_server_that_was_silent_before_has_a_moment_still(void **state)
{
    (void)state;
    weir_stop stop = {0};
    weir_stop_raise(&stop);
    assert_true(weir_stop_is_raised(&stop));
    assert_false(weir_stop_gives_up(&stop, weir_monotonic_ns() - 100 * SECOND_NS));
}

static void a_server_that_answers_is_waited_for(void **state)
{
    (void)state;
    weir_stop stop = {.raised_ns = weir_monotonic_ns() - 100 * SECOND_NS};
    assert_false(weir_stop_gives_up(&stop, weir_monotonic_ns()));
}

static void all_give_up_with_the_first(void **state)
{
    (void)state;
    weir_stop stop = {.raised_ns = weir_monotonic_ns() - 100 * SECOND_NS};
    assert_true(weir_stop_gives_up(&stop, weir_monotonic_ns() - 10 * SECOND_NS));
    assert_true(weir_stop_gives_up(&stop, weir_monotonic_ns()));
    weir_stop_lower(&stop);
    assert_false(weir_stop_is_raised(&stop));
    weir_stop_raise(&stop);
    assert_false(weir_stop_gives_up(&stop, 0));
}

static void raising_it_again_changes_nothing(void **state)
{
    (void)state;
    weir_stop stop = {.raised_ns = weir_monotonic_ns() - 100 * SECOND_NS};
    weir_stop_raise(&stop);
    assert_true(weir_stop_gives_up(&stop, 0));
}

static int note_current(void *argument, weir_error *err)
{
    weir_stop **out = argument;
    (void)err;
    *out = weir_stop_current();
    return WEIR_OK;
}

static void tasks_work_under_the_stop_of_who_submitted_them(void **state)
{
    (void)state;
    weir_stop stop = {0};
    weir_stop *found[8];
    weir_pool *pool;
    weir_task_group group;
    assert_int_equal(weir_pool_create(2, "test", &pool, NULL), WEIR_OK);
    weir_task_group_init(&group, pool);
    weir_stop *before = weir_stop_enter(&stop);
    assert_null(before);
    for (int i = 0; i < 8; i++) {
        (void)weir_stop_enter(i % 2 == 0 ? &stop : NULL);
        weir_task_group_run(&group, note_current, &found[i]);
    }
    (void)weir_stop_enter(before);
    assert_int_equal(weir_task_group_wait(&group, NULL), WEIR_OK);
    for (int i = 0; i < 8; i++) {
        assert_ptr_equal(found[i], i % 2 == 0 ? &stop : NULL);
    }
    weir_task_group_free(&group);
    weir_pool_free(pool);
}

static void a_pause_ends_with_the_stop(void **state)
{
    (void)state;
    weir_stop stop = {.raised_ns = 1};
    weir_stop *before = weir_stop_enter(&stop);
    weir_stop_pause_ms(INT64_C(3600000)); /* the test would not come to its end */
    (void)weir_stop_enter(before);
}

static void *end_at_once(void *argument) { return argument; }

static void *wait_for_lock(void *argument)
{
    pthread_mutex_lock(argument);
    pthread_mutex_unlock(argument);
    return NULL;
}

static void a_thread_that_hangs_is_not_waited_for(void **state)
{
    (void)state;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the thread outlives the test */
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, end_at_once, NULL), 0);
    assert_true(weir_stop_join(thread, 60000));
    pthread_mutex_lock(&mutex);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &mutex), 0);
    assert_false(weir_stop_join(thread, 100));
    weir_stop stop = {.raised_ns = 1, .has_given_up = true};
    weir_stop *before = weir_stop_enter(&stop);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &mutex), 0);
    assert_false(weir_stop_join(thread, INT64_C(3600000))); /* the test would not come to its end */
    (void)weir_stop_enter(before);
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_gives_up_before_it_is_raised),
        cmocka_unit_test(a_server_that_was_silent_before_has_a_moment_still),
        cmocka_unit_test(a_server_that_answers_is_waited_for),
        cmocka_unit_test(all_give_up_with_the_first),
        cmocka_unit_test(raising_it_again_changes_nothing),
        cmocka_unit_test(tasks_work_under_the_stop_of_who_submitted_them),
        cmocka_unit_test(a_pause_ends_with_the_stop),
        cmocka_unit_test(a_thread_that_hangs_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
