/* Dates and times as text, both ways, by Flink's rules. */
#ifndef WEIR_VECTOR_TIME_TEXT_H
#define WEIR_VECTOR_TIME_TEXT_H

#include "vector/vector.h"

#define WEIR_MILLIS_PER_DAY 86400000

/* The quotient rounded towards minus infinity; the remainder, which is not negative. `divisor` is positive. */
static inline int64_t weir_floor_div(int64_t value, int64_t divisor) { return value / divisor - (value % divisor < 0); }

static inline int64_t weir_floor_mod(int64_t value, int64_t divisor)
{
    int64_t rest = value % divisor;
    return rest < 0 ? rest + divisor : rest;
}

/* Timestamps of any precision as the widest form, and back as the integer of TIMESTAMP(precision <= 6): the fraction
 * beyond the precision's unit is cut off. The latter fails for microseconds beyond int64. */
weir_timestamp_nanos weir_timestamp_widen(int64_t value, int precision);
bool weir_timestamp_narrow(weir_timestamp_nanos value, int precision, int64_t *out);

/* Appends "2024-02-29" (years before 0 and after 9999 as Java's LocalDate prints them). */
void weir_date_format(int64_t days, weir_buffer *out);
/* Appends "12:34:56" and, of the milliseconds, `digits` (0..3). */
void weir_time_format(int32_t millis, int digits, weir_buffer *out);
/* Appends "2024-02-29 12:34:56" and, of the nanoseconds, `digits` (0..9). */
void weir_timestamp_format(weir_timestamp_nanos value, int digits, weir_buffer *out);

/* Reads `y[-m[-d]]`, years 0..9999; what follows a blank is not looked at. */
bool weir_date_parse(weir_slice text, int32_t *out_days);
/* Reads `h[:m[:s[.fraction]]]`, rounded to milliseconds. */
bool weir_time_parse(weir_slice text, int32_t *out_millis);
/* Reads `yyyy-m[m]-d[d][ h[h]:m[m]:s[s][.fraction]]`; what is beyond the precision is cut off. */
bool weir_timestamp_parse(weir_slice text, int precision, weir_timestamp_nanos *out);

/* The same by ISO 8601, as Java's LocalDate and LocalDateTime are read: any year, signed beyond 0000..9999, `T` or a
 * blank before the clock, seconds optional. */
bool weir_iso_date_parse(weir_slice text, int32_t *out_days);
bool weir_iso_timestamp_parse(weir_slice text, int precision, weir_timestamp_nanos *out);

#endif
