/* Stops: a moment, and whether somebody has lost patience since. */
#include "base/stop.h"

#include <stddef.h>
#include <time.h>

#include "base/clock.h"

enum {
    PATIENCE_MS = 1500, /* without a sign of the server */
    NAP_MS = 20,
    SHORT_PAUSE_MS = 100, /* once there is no time */
    JOIN_MS = 50
};

static _Thread_local weir_stop *current;

void weir_stop_raise(weir_stop *stop)
{
    int64_t not_yet = 0;
    atomic_compare_exchange_strong(&stop->raised_ns, &not_yet, weir_monotonic_ns());
}

void weir_stop_lower(weir_stop *stop)
{
    atomic_store(&stop->raised_ns, 0);
    atomic_store(&stop->has_given_up, false);
}

bool weir_stop_is_raised(const weir_stop *stop) { return stop != NULL && atomic_load(&stop->raised_ns) != 0; }

bool weir_stop_gives_up(weir_stop *stop, int64_t quiet_since_ns)
{
    int64_t raised_ns = stop == NULL ? 0 : atomic_load(&stop->raised_ns);
    if (raised_ns == 0 || atomic_load(&stop->has_given_up)) {
        return raised_ns != 0;
    }
    int64_t since_ns = quiet_since_ns > raised_ns ? quiet_since_ns : raised_ns;
    if (weir_monotonic_ns() - since_ns < (int64_t)PATIENCE_MS * 1000000) {
        return false;
    }
    atomic_store(&stop->has_given_up, true);
    return true;
}

weir_stop *weir_stop_current(void) { return current; }

weir_stop *weir_stop_enter(weir_stop *stop)
{
    weir_stop *before = current;
    current = stop;
    return before;
}

void weir_stop_pause_ms(int64_t ms)
{
    int64_t left_ms = ms;
    for (int64_t slept_ms = 0; left_ms > 0; left_ms -= NAP_MS, slept_ms += NAP_MS) {
        if (slept_ms >= SHORT_PAUSE_MS && weir_stop_is_raised(current)) {
            return;
        }
        weir_sleep_ms(left_ms < NAP_MS ? left_ms : NAP_MS);
    }
}

bool weir_stop_join(pthread_t thread, int64_t most_ms)
{
    int64_t since_ns = weir_monotonic_ns();
    do {
        int64_t until_ms = weir_now_ms() + JOIN_MS;
        struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};
        if (pthread_timedjoin_np(thread, NULL, &until) == 0) {
            return true;
        }
    } while (weir_monotonic_ns() - since_ns < most_ms * 1000000 && !weir_stop_gives_up(current, since_ns));
    pthread_detach(thread);
    return false;
}
