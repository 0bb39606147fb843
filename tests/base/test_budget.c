/* Memory budgets: a tree, one limit after the other, and many threads at once. */
#include "base/budget.h"

#include "base/pool.h"
#include "cmocka_all.h"
#include "random.h"

static void a_child_counts_in_its_ancestors(void **state)
{
    (void)state;
    weir_budget job, sort, cache;
    weir_budget_init(&job, "job", NULL, 100);
    weir_budget_init(&sort, "sort", &job, INT64_MAX);
    weir_budget_init(&cache, "cache", &job, 30);
    assert_int_equal(weir_budget_take(&sort, 60, NULL), WEIR_OK);
    assert_int_equal(weir_budget_take(&cache, 30, NULL), WEIR_OK);
    assert_int_equal(job.used_bytes, 90);
    assert_int_equal(weir_budget_left(&sort), 10);
    assert_int_equal(weir_budget_left(&cache), 0);
    weir_budget_give(&cache, 30);
    assert_int_equal(job.used_bytes, 60);
    assert_int_equal(weir_budget_left(&cache), 30);
    assert_int_equal(job.peak_bytes, 90);
    assert_int_equal(cache.peak_bytes, 30);
}

static void a_refusal_names_the_full_budget_and_takes_nothing(void **state)
{
    (void)state;
    weir_budget job, sort;
    weir_budget_init(&job, "job", NULL, 100);
    weir_budget_init(&sort, "sort", &job, 1000);
    weir_error err;
    assert_int_equal(weir_budget_take(&sort, 101, &err), WEIR_NO_MEMORY);
    assert_non_null(strstr(err.message, "'job'"));
    assert_int_equal(weir_budget_take(&sort, 1001, &err), WEIR_NO_MEMORY);
    assert_non_null(strstr(err.message, "'sort'"));
    assert_false(weir_budget_try_take(&sort, INT64_MAX));
    assert_int_equal(sort.used_bytes, 0);
    assert_int_equal(job.used_bytes, 0);
    assert_int_equal(sort.peak_bytes, 0);
    assert_true(weir_budget_try_take(&sort, 100));
    assert_false(weir_budget_try_take(&sort, 1));
    assert_true(weir_budget_try_take(&sort, 0));
}

static void no_budget_always_allows(void **state)
{
    (void)state;
    assert_int_equal(weir_budget_take(NULL, INT64_MAX, NULL), WEIR_OK);
    assert_true(weir_budget_try_take(NULL, 1));
    weir_budget_give(NULL, 1);
    assert_int_equal(weir_budget_left(NULL), INT64_MAX);
}

static void an_unlimited_budget_does_not_overflow(void **state)
{
    (void)state;
    weir_budget all;
    weir_budget_init(&all, "all", NULL, INT64_MAX);
    assert_true(weir_budget_try_take(&all, INT64_MAX));
    assert_false(weir_budget_try_take(&all, INT64_MAX));
}

static void the_least_limit_on_the_way_up_counts(void **state)
{
    (void)state;
    weir_budget all, job, sort;
    weir_budget_init(&all, "all", NULL, 100);
    weir_budget_init(&job, "job", &all, INT64_MAX);
    weir_budget_init(&sort, "sort", &job, 70);
    assert_int_equal(weir_budget_limit(&sort), 70);
    assert_int_equal(weir_budget_limit(&job), 100);
    assert_int_equal(weir_budget_limit(NULL), INT64_MAX);
}

typedef struct consumer {
    weir_budget *budget;
    uint64_t seed;
} consumer;

static int take_and_give(void *argument, weir_error *err)
{
    const consumer *self = argument;
    random_state random = {self->seed};
    for (int i = 0; i < 5000; i++) {
        int64_t bytes = (int64_t)random_below(&random, 50);
        if (weir_budget_try_take(self->budget, bytes)) {
            if (self->budget->parent->used_bytes > self->budget->parent->limit_bytes) {
                return weir_fail(err, WEIR_INVALID, "the limit was passed");
            }
            weir_budget_give(self->budget, bytes);
        }
    }
    return WEIR_OK;
}

static void many_threads_never_pass_the_limit(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_budget job;
    weir_budget children[4];
    consumer consumers[4];
    weir_budget_init(&job, "job", NULL, 100);
    weir_pool *pool;
    weir_error err;
    assert_int_equal(weir_pool_create(4, "test", &pool, &err), WEIR_OK);
    weir_task_group group;
    weir_task_group_init(&group, pool);
    for (int i = 0; i < 4; i++) {
        weir_budget_init(&children[i], "child", &job, 60);
        consumers[i] = (consumer){&children[i], random_next(&random)};
        weir_task_group_run(&group, take_and_give, &consumers[i]);
    }
    assert_int_equal(weir_task_group_wait(&group, &err), WEIR_OK);
    weir_task_group_free(&group);
    weir_pool_free(pool);
    assert_int_equal(job.used_bytes, 0);
    assert_true(job.peak_bytes <= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_counts_in_its_ancestors),
        cmocka_unit_test(a_refusal_names_the_full_budget_and_takes_nothing),
        cmocka_unit_test(no_budget_always_allows),
        cmocka_unit_test(an_unlimited_budget_does_not_overflow),
        cmocka_unit_test(the_least_limit_on_the_way_up_counts),
        cmocka_unit_test(many_threads_never_pass_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
