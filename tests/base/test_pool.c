/* Worker threads: order, errors, and groups that come and go. */
#include "base/pool.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "cmocka_all.h"

static weir_pool *new_pool(int threads)
{
    weir_pool *pool = NULL;
    weir_error err;
    assert_int_equal(weir_pool_create(threads, "a name that is far too long", &pool, &err), WEIR_OK);
    return pool;
}

static int add_one(void *argument, weir_error *err)
{
    (void)err;
    atomic_fetch_add((_Atomic int *)argument, 1);
    return WEIR_OK;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        weir_pool *pool = new_pool(threads);
        assert_int_equal(weir_pool_threads(pool), threads);
        weir_task_group group;
        weir_task_group_init(&group, pool);
        _Atomic int count = 0;
        for (int round = 1; round <= 3; round++) {
            for (int i = 0; i < 1000; i++) {
                weir_task_group_run(&group, add_one, &count);
            }
            assert_int_equal(weir_task_group_wait(&group, NULL), WEIR_OK);
            assert_int_equal(count, round * 1000);
            assert_true(weir_task_group_done(&group));
        }
        weir_task_group_free(&group);
        weir_pool_free(pool);
    }
}

typedef struct numbered {
    int number;
    int *log;
    int *logged;
} numbered;

static int log_number(void *argument, weir_error *err)
{
    (void)err;
    const numbered *self = argument;
    self->log[(*self->logged)++] = self->number;
    return WEIR_OK;
}

static void one_thread_runs_tasks_in_the_order_of_submission(void **state)
{
    (void)state;
    weir_pool *pool = new_pool(1);
    weir_task_group group;
    weir_task_group_init(&group, pool);
    static int log[500];
    static numbered tasks[500];
    int logged = 0;
    for (int i = 0; i < 500; i++) {
        tasks[i] = (numbered){i, log, &logged};
        weir_task_group_run(&group, log_number, &tasks[i]);
    }
    weir_task_group_wait(&group, NULL);
    assert_int_equal(logged, 500);
    for (int i = 0; i < 500; i++) {
        assert_int_equal(log[i], i);
    }
    weir_task_group_free(&group);
    weir_pool_free(pool);
}

static int fail_with_number(void *argument, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "task %d", *(int *)argument);
}

static void the_first_error_is_kept_and_told_once(void **state)
{
    (void)state;
    weir_pool *pool = new_pool(1);
    weir_pool *pools[] = {NULL, pool};
    for (int i = 0; i < 2; i++) {
        weir_task_group group;
        weir_task_group_init(&group, pools[i]);
        _Atomic int count = 0;
        int numbers[] = {1, 2};
        weir_task_group_run(&group, add_one, &count);
        weir_task_group_run(&group, fail_with_number, &numbers[0]);
        weir_task_group_run(&group, fail_with_number, &numbers[1]);
        weir_task_group_run(&group, add_one, &count);
        weir_error err;
        assert_int_equal(weir_task_group_wait(&group, &err), WEIR_CORRUPT);
        assert_string_equal(err.message, "task 1");
        assert_int_equal(count, 2);
        assert_int_equal(weir_task_group_wait(&group, &err), WEIR_OK);
        weir_task_group_free(&group);
    }
    weir_pool_free(pool);
}

static int wait_for_go(void *argument, weir_error *err)
{
    (void)err;
    while (!atomic_load((_Atomic int *)argument)) {
        weir_sleep_ms(1);
    }
    return WEIR_OK;
}

static void done_tells_without_waiting(void **state)
{
    (void)state;
    weir_pool *pool = new_pool(2);
    weir_task_group slow, fast;
    weir_task_group_init(&slow, pool);
    weir_task_group_init(&fast, pool);
    _Atomic int go = 0;
    _Atomic int count = 0;
    assert_true(weir_task_group_done(&slow));
    weir_task_group_run(&slow, wait_for_go, &go);
    weir_task_group_run(&fast, add_one, &count);
    weir_task_group_wait(&fast, NULL); /* groups do not wait for each other's tasks */
    assert_false(weir_task_group_done(&slow));
    go = 1;
    weir_task_group_free(&slow); /* waits */
    weir_task_group_free(&fast);
    weir_pool_free(pool);
}

typedef struct spawner {
    weir_task_group *group;
    _Atomic int *count;
} spawner;

static int spawn_more(void *argument, weir_error *err)
{
    (void)err;
    const spawner *self = argument;
    for (int i = 0; i < 100; i++) {
        weir_task_group_run(self->group, add_one, self->count);
    }
    return WEIR_OK;
}

static void a_task_may_submit_others(void **state)
{
    (void)state;
    weir_pool *pool = new_pool(2);
    weir_task_group group;
    weir_task_group_init(&group, pool);
    _Atomic int count = 0;
    spawner argument = {&group, &count};
    for (int i = 0; i < 10; i++) {
        weir_task_group_run(&group, spawn_more, &argument);
    }
    weir_task_group_wait(&group, NULL);
    assert_int_equal(count, 1000);
    weir_task_group_free(&group);
    weir_pool_free(pool);
}

static void freeing_a_pool_finishes_what_is_queued(void **state)
{
    (void)state;
    weir_pool *pool = new_pool(2);
    weir_task_group group;
    weir_task_group_init(&group, pool);
    _Atomic int count = 0;
    for (int i = 0; i < 500; i++) {
        weir_task_group_run(&group, add_one, &count);
    }
    weir_pool_free(pool);
    assert_int_equal(count, 500);
    weir_task_group_free(&group);
    weir_pool_free(NULL);
    weir_task_group_free(NULL);
}

static int use_a_group(void *argument, weir_error *err)
{
    weir_task_group group;
    weir_task_group_init(&group, *(weir_pool **)argument);
    _Atomic int count = 0;
    for (int i = 0; i < 20; i++) {
        weir_task_group_run(&group, add_one, &count);
    }
    int code = weir_task_group_wait(&group, err);
    weir_task_group_free(&group);
    return code == WEIR_OK && count == 20 ? WEIR_OK : weir_fail(err, WEIR_INVALID, "%d tasks ran", count);
}

static void many_owners_share_a_pool(void **state)
{
    (void)state;
    weir_pool *owners = new_pool(4);
    weir_pool *workers = new_pool(3);
    weir_task_group group;
    weir_task_group_init(&group, owners);
    for (int i = 0; i < 400; i++) {
        weir_task_group_run(&group, use_a_group, &workers);
    }
    weir_error err;
    assert_int_equal(weir_task_group_wait(&group, &err), WEIR_OK);
    weir_task_group_free(&group);
    weir_pool_free(owners);
    weir_pool_free(workers);
}

static void no_thread_count_means_one_per_processor(void **state)
{
    (void)state;
    weir_pool *pool = new_pool(0);
    assert_true(weir_pool_threads(pool) >= 1);
    weir_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(one_thread_runs_tasks_in_the_order_of_submission),
        cmocka_unit_test(the_first_error_is_kept_and_told_once),
        cmocka_unit_test(done_tells_without_waiting),
        cmocka_unit_test(a_task_may_submit_others),
        cmocka_unit_test(freeing_a_pool_finishes_what_is_queued),
        cmocka_unit_test(many_owners_share_a_pool),
        cmocka_unit_test(no_thread_count_means_one_per_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
