/* Sessions: rows of one key of which none is further than the gap from the next. A row that comes begins one, makes one
 * longer, or makes one of several. */
#ifndef WEIR_STREAM_SESSIONS_H
#define WEIR_STREAM_SESSIONS_H

#include "stream/operator/time_queue.h"
#include "stream/operator/window/window_clock.h"

typedef struct weir_sessions weir_sessions;

/* From its first row to a gap after its last one, as the clock of the zone shows it. The number tells it from others of
 * the same key. */
typedef struct weir_session_window {
    int64_t start, end;
    int64_t number;
} weir_session_window;

typedef struct weir_sessions_options {
    const weir_operator_context *context;
    const char *uid;
    int64_t gap_ms;
    const weir_zone *zone;
} weir_sessions_options;

int weir_sessions_open(const weir_sessions_options *options, weir_sessions **out, weir_error *err);
void weir_sessions_close(weir_sessions *sessions); /* NULL is fine */

/* Finds the session of a row of a key at a time on the zone's clock. The row is late (*out_late) when it would be in a
 * session of its own that has closed with `closed`. Other sessions that become part of this one are no more; their
 * numbers are in merged[0 .. *out_merged - 1], good until the next call. */
int weir_sessions_add(weir_sessions *sessions, weir_slice key, int64_t time, int64_t closed, bool *out_late,
                      weir_session_window *out, const int64_t **merged, int32_t *out_merged, weir_error *err);

/* A session that has closed. */
typedef struct weir_closed_session {
    weir_slice key;
    weir_session_window window;
} weir_closed_session;

/* Takes sessions out that are due up to a moment, some at a time; none: there are no more. Good until the next call. */
int weir_sessions_take(weir_sessions *sessions, int64_t moment, const weir_closed_session **out, int64_t *out_count,
                       weir_error *err);

#endif
