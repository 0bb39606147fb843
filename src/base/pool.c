/* Worker threads over one queue, and groups of tasks.
 *
 * The queue is a ring that grows: submitting never waits, so tasks may submit others. Back-pressure is the business of
 * those who submit. */
#include "base/pool.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/stop.h"

#define NAME_SIZE 16 /* what the kernel keeps of a thread's name */

typedef struct task {
    weir_task_function function;
    void *argument;
    weir_task_group *group;
    weir_stop *stop; /* of who submitted it */
} task;

struct weir_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work; /* a task was queued, or the pool ends */
    task *ring;
    size_t capacity; /* a power of two */
    size_t first;
    size_t count;
    bool ending;
    int thread_count;
    pthread_t *threads;
    char name[NAME_SIZE];
};

/* --- groups --------------------------------------------------------------------------------------------------- */

void weir_task_group_init(weir_task_group *group, weir_pool *pool)
{
    group->pool = pool;
    pthread_mutex_init(&group->mutex, NULL);
    pthread_cond_init(&group->idle, NULL);
    group->running = 0;
    group->code = WEIR_OK;
    weir_error_clear(&group->error);
}

/* The last act of a task. After the unlock the group may be gone. */
static void finish_task(weir_task_group *group, int code, const weir_error *error)
{
    pthread_mutex_lock(&group->mutex);
    if (code != WEIR_OK && group->code == WEIR_OK) {
        group->code = code;
        group->error = *error;
    }
    if (--group->running == 0) {
        pthread_cond_broadcast(&group->idle);
    }
    pthread_mutex_unlock(&group->mutex);
}

static void run_task(const task *run)
{
    weir_error error;
    weir_error_clear(&error);
    weir_stop *before = weir_stop_enter(run->stop);
    int code = run->function(run->argument, &error);
    (void)weir_stop_enter(before);
    finish_task(run->group, code, &error);
}

bool weir_task_group_done(weir_task_group *group)
{
    pthread_mutex_lock(&group->mutex);
    bool done = group->running == 0;
    pthread_mutex_unlock(&group->mutex);
    return done;
}

int weir_task_group_wait(weir_task_group *group, weir_error *err)
{
    pthread_mutex_lock(&group->mutex);
    while (group->running > 0) {
        pthread_cond_wait(&group->idle, &group->mutex);
    }
    int code = group->code;
    if (code != WEIR_OK && err) {
        *err = group->error;
    }
    group->code = WEIR_OK;
    weir_error_clear(&group->error);
    pthread_mutex_unlock(&group->mutex);
    return code;
}

void weir_task_group_free(weir_task_group *group)
{
    if (!group) {
        return;
    }
    weir_task_group_wait(group, NULL);
    pthread_cond_destroy(&group->idle);
    pthread_mutex_destroy(&group->mutex);
}

/* --- the queue ------------------------------------------------------------------------------------------------ */

static void push_task(weir_pool *pool, task new_task)
{
    if (pool->count == pool->capacity) {
        size_t capacity = pool->capacity ? pool->capacity * 2 : 64;
        task *ring = weir_alloc_zeroed(capacity, sizeof *ring);
        for (size_t i = 0; i < pool->count; i++) {
            ring[i] = pool->ring[(pool->first + i) & (pool->capacity - 1)];
        }
        free(pool->ring);
        pool->ring = ring;
        pool->capacity = capacity;
        pool->first = 0;
    }
    pool->ring[(pool->first + pool->count) & (pool->capacity - 1)] = new_task;
    pool->count++;
}

static task pop_task(weir_pool *pool)
{
    task next = pool->ring[pool->first];
    pool->first = (pool->first + 1) & (pool->capacity - 1);
    pool->count--;
    return next;
}

void weir_task_group_run(weir_task_group *group, weir_task_function function, void *argument)
{
    pthread_mutex_lock(&group->mutex);
    group->running++;
    pthread_mutex_unlock(&group->mutex);
    task new_task = {function, argument, group, weir_stop_current()};
    weir_pool *pool = group->pool;
    if (!pool) {
        run_task(&new_task);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    push_task(pool, new_task);
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

/* --- the threads ---------------------------------------------------------------------------------------------- */

static void *work(void *argument)
{
    weir_pool *pool = argument;
    pthread_setname_np(pthread_self(), pool->name);
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->count == 0 && !pool->ending) {
            pthread_cond_wait(&pool->work, &pool->mutex);
        }
        if (pool->count == 0) {
            break;
        }
        task next = pop_task(pool);
        pthread_mutex_unlock(&pool->mutex);
        run_task(&next);
        pthread_mutex_lock(&pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static int processor_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return CPU_COUNT(&set);
    }
    return 1;
}

/* Signals are for the thread that owns the program: workers start with all of them blocked. */
static int start_threads(weir_pool *pool, int wanted)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = 0;
    while (pool->thread_count < wanted && failure == 0) {
        failure = pthread_create(&pool->threads[pool->thread_count], NULL, work, pool);
        pool->thread_count += failure == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

int weir_pool_create(int threads, const char *name, weir_pool **out, weir_error *err)
{
    int wanted = threads > 0 ? threads : processor_count();
    weir_pool *pool = weir_alloc_zeroed(1, sizeof *pool);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pool->threads = weir_alloc_zeroed((size_t)wanted, sizeof *pool->threads);
    strncpy(pool->name, name, NAME_SIZE - 1);
    int failure = start_threads(pool, wanted);
    if (failure != 0) {
        weir_fail_errno(err, failure, "starting a worker thread", name);
        weir_pool_free(pool);
        return weir_error_context(err, WEIR_IO, "%d threads were asked for", wanted);
    }
    *out = pool;
    return WEIR_OK;
}

void weir_pool_free(weir_pool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->thread_count; i++) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool->ring);
    free(pool);
}

int weir_pool_threads(const weir_pool *pool) { return pool->thread_count; }
