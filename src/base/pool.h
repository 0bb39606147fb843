/* Worker threads.
 *
 * A pool runs tasks in the order of submission. Tasks never wait for other tasks; only the thread that owns a group
 * waits for it. A group remembers the first error of its tasks.
 *
 *   weir_task_group group;
 *   weir_task_group_init(&group, pool);          // pool NULL: tasks run at once, in the submitting thread
 *   weir_task_group_run(&group, read_split, &arguments[i]);  ...
 *   WEIR_TRY(weir_task_group_wait(&group, err)); // after it the group is as after init
 */
#ifndef WEIR_BASE_POOL_H
#define WEIR_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"

typedef struct weir_pool weir_pool;

/* A task's function: returns a code and fills the error of its group. */
typedef int (*weir_task_function)(void *argument, weir_error *err);

/* A pool of `threads` threads (0: one per processor). `name` shows in debuggers (at most 15 characters). */
int weir_pool_create(int threads, const char *name, weir_pool **out, weir_error *err);
void weir_pool_free(weir_pool *pool); /* finishes the queued tasks first */
int weir_pool_threads(const weir_pool *pool);

typedef struct weir_task_group {
    weir_pool *pool;
    pthread_mutex_t mutex;
    pthread_cond_t idle;
    int running; /* submitted and not finished */
    int code;    /* of the first task that failed */
    weir_error error;
} weir_task_group;

void weir_task_group_init(weir_task_group *group, weir_pool *pool);
/* Has the pool run a function once; `argument` outlives that. */
void weir_task_group_run(weir_task_group *group, weir_task_function function, void *argument);
bool weir_task_group_done(weir_task_group *group);                 /* does not wait */
int weir_task_group_wait(weir_task_group *group, weir_error *err); /* the first error, once */
void weir_task_group_free(weir_task_group *group);                 /* waits for running tasks */

#endif
