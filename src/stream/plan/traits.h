/* What is known of the changes that a plan gives as a stream, node by node: which kinds of rows, by which key, and
 * which of its fields are times. The graph is built by it, and sinks are checked against it. */
#ifndef WEIR_STREAM_TRAITS_H
#define WEIR_STREAM_TRAITS_H

#include "sql/plan.h"

typedef enum weir_field_time {
    WEIR_TIME_NONE,
    WEIR_TIME_ROWTIME, /* the time of events: watermarks speak of it */
    WEIR_TIME_PROCTIME /* the clock's */
} weir_field_time;

/* Fields that no two rows of a result share. None at all: there is at most one row. */
typedef struct weir_unique_key {
    const int32_t *fields;
    int32_t count;
} weir_unique_key;

typedef struct weir_stream_traits {
    bool updates;    /* +U may come */
    bool deletes;    /* -D may come */
    bool has_before; /* each +U has its -U before it, and -D holds the whole row. Upserts of a source are made so by a
                        ChangelogNormalize above it */
    bool unbounded;  /* some source below may not end */
    const char *changes_from;           /* the node that makes updates or deletes, in Flink's words such as
                                           "GroupAggregate(groupBy=[k], select=[…])"; NULL: there are only inserts */
    const weir_unique_key *unique_keys; /* those that are known */
    int32_t unique_key_count;
    const int32_t *key; /* the first of them; NULL: none is known */
    int32_t key_count;
    weir_field_time *times; /* one a field */
    bool windowed; /* rows belong to windows of an ASSIGN below, whose bounds are fields; what tells of a window comes
                      before the watermark that closes it */
    int32_t window_start, window_end, window_time; /* fields that hold them; -1: gone */
    weir_field_time window_clock;                  /* what closes the windows */
    const char *window_zone; /* whose clock the bounds are of; NULL: that of TIMESTAMP, which is nobody's */
} weir_stream_traits;

/* The traits of a plan, in `arena`. WEIR_UNSUPPORTED or WEIR_INVALID with the place of what cannot run as a stream. */
int weir_stream_traits_of(const weir_plan *plan, weir_arena *arena, const weir_stream_traits **out, weir_error *err);

/* "update", "delete" or both, for messages; there are such changes. */
const char *weir_stream_changes_text(const weir_stream_traits *traits);

#endif
