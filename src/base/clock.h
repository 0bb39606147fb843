/* Time and identity. */
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>

int64_t weir_now_ms(void);           /* wall clock, milliseconds since 1970-01-01 UTC */
int64_t weir_local_ms(int64_t utc_ms); /* the local wall clock's fields at that moment, read as if they were UTC */
int64_t weir_utc_ms(int64_t local_ms); /* the moment at which the local wall clock shows these fields */
int64_t weir_local_now_ms(void);       /* the same now */
int64_t weir_monotonic_ns(void);
void weir_sleep_ms(int64_t ms);
void weir_condition_init(pthread_cond_t *condition); /* whose timed waits go by weir_monotonic_ns */

#define WEIR_UUID_SIZE 37
void weir_uuid(char out[WEIR_UUID_SIZE]); /* random, lower-case, with its NUL */

/* Days since 1970-01-01 in the proleptic Gregorian calendar, and back. */
int64_t weir_days_from_civil(int64_t year, int month, int day);
void weir_civil_from_days(int64_t days, int64_t *year, int *month, int *day);

#endif
