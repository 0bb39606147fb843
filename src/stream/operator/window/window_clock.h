/* Times of rows, and the moments at which windows close. */
#ifndef WEIR_STREAM_WINDOW_CLOCK_H
#define WEIR_STREAM_WINDOW_CLOCK_H

#include "base/zone.h"
#include "vector/vector.h"

/* Milliseconds of a TIMESTAMP or TIMESTAMP_LTZ that is not NULL; the rest of finer ones is dropped. */
int64_t weir_time_millis(const weir_vector *times, int64_t row);
/* Appends a TIMESTAMP or TIMESTAMP_LTZ of any precision. */
int weir_time_append_millis(weir_vector *times, int64_t millis, weir_error *err);

/* The zone that windows are made in; NULL for none and for UTC. */
const weir_zone *weir_window_zone(const char *name);

/* An instant as the milliseconds that a clock of the zone shows. */
int64_t weir_window_local(const weir_zone *zone, int64_t instant);

/* The instant when a clock of the zone shows that time. As a value: of two the earlier one, of none that after the gap.
 * As the moment for something to be done: of two the later one, of none the end of the gap. */
int64_t weir_window_instant(const weir_zone *zone, int64_t local);
int64_t weir_window_due(const weir_zone *zone, int64_t local);

/* The start of the window of `size` around a time; windows begin at `offset` from the epoch. */
int64_t weir_window_start(int64_t time, int64_t size, int64_t offset);

#endif
