/* Time and identity: clocks, UUIDs, and the civil calendar. */
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

int64_t weir_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t weir_local_ms(int64_t utc_ms)
{
    time_t seconds = (time_t)(utc_ms / 1000);
    struct tm fields;
    localtime_r(&seconds, &fields);
    return utc_ms + (int64_t)fields.tm_gmtoff * 1000;
}

int64_t weir_utc_ms(int64_t local_ms)
{
    /* The offset near by, and then the one at the moment that it leads to: they differ where clocks are changed. */
    int64_t guess = local_ms - (weir_local_ms(local_ms) - local_ms);
    return local_ms - (weir_local_ms(guess) - guess);
}

int64_t weir_local_now_ms(void) { return weir_local_ms(weir_now_ms()); }

int64_t weir_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void weir_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void weir_sleep_ms(int64_t ms)
{
    if (ms <= 0) {
        return;
    }
    struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* A random UUID of version 4: xxxxxxxx-xxxx-4xxx-[89ab]xxx-xxxxxxxxxxxx. */
void weir_uuid(char out[WEIR_UUID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    arc4random_buf(bytes, sizeof bytes);
    bytes[6] = (uint8_t)((bytes[6] & 0x0F) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3F) | 0x80);
    char *at = out;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *at++ = '-';
        }
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    *at = 0;
}

/* Years are counted from March here, so that the leap day ends a year; 400 of them (an era) have 146097 days, and
 * 0000-03-01 lies 719468 days before 1970-01-01. */
#define DAYS_OF_ERA      146097
#define DAYS_BEFORE_1970 719468

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

int64_t weir_days_from_civil(int64_t year, int month, int day)
{
    int64_t march_year = year - (month <= 2);
    int march_month = (month + 9) % 12; /* March is 0 */
    int64_t era = floor_divide(march_year, 400);
    int64_t year_of_era = march_year - era * 400;
    int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_OF_ERA + day_of_era - DAYS_BEFORE_1970;
}

void weir_civil_from_days(int64_t days, int64_t *year, int *month, int *day)
{
    int64_t shifted = days + DAYS_BEFORE_1970;
    int64_t era = floor_divide(shifted, DAYS_OF_ERA);
    int64_t day_of_era = shifted - era * DAYS_OF_ERA;
    int64_t leap_days = day_of_era / 1460 - day_of_era / 36524 + day_of_era / 146096;
    int64_t year_of_era = (day_of_era - leap_days) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    *day = (int)(day_of_year - (153 * march_month + 2) / 5 + 1);
    *month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}
