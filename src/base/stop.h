/* Ending what waits for servers.
 *
 * A job has a stop, and a session has one for the statement that runs. Raising it ends nothing by itself: it takes away
 * patience. Who waits for a server goes on while the server answers, so that a last commit can be made; after one and a
 * half seconds without a sign of it he gives up, and with him, at once, all who wait under the same stop.
 *
 * A thread works under one stop at a time; tasks of a pool work under that of the thread that submitted them. */
#ifndef WEIR_BASE_STOP_H
#define WEIR_BASE_STOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialized is not raised. All functions may be called by all threads. */
typedef struct weir_stop {
    _Atomic int64_t raised_ns; /* weir_monotonic_ns; 0: it is not */
    _Atomic bool has_given_up;
} weir_stop;

/* Raises the stop, once: the moment of the first time counts; and lowers it for what is run next. */
void weir_stop_raise(weir_stop *stop);
void weir_stop_lower(weir_stop *stop);
bool weir_stop_is_raised(const weir_stop *stop); /* NULL: never */

/* Whether to give up a server that nothing came from since then (weir_monotonic_ns, or when waiting began). NULL:
 * never.
 */
bool weir_stop_gives_up(weir_stop *stop, int64_t quiet_since_ns);

/* The stop that this thread works under; NULL: none. It has to live as long as what is begun under it. */
weir_stop *weir_stop_current(void);

/* Lets the thread work under another one (NULL: none), and returns the one before, to be put back after. */
weir_stop *weir_stop_enter(weir_stop *stop);

/* A pause before trying again; a short one when this thread's stop is raised. */
void weir_stop_pause_ms(int64_t ms);

/* Joins a thread that should end soon, in so long at most, or as long as there is patience. False: it hangs, as those
 * of clients' libraries do at times, and is detached. */
bool weir_stop_join(pthread_t thread, int64_t most_ms);

#endif
