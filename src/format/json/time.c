/* Dates and times as JSON has them. */
#include "format/json/time.h"

#include "base/clock.h"
#include "vector/time_text.h"

/* Text that is read from the front. */
typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
} reader;

static inline bool take(reader *r, uint8_t byte)
{
    if (r->at < r->end && *r->at == byte) {
        r->at++;
        return true;
    }
    return false;
}

/* Exactly two digits. */
static inline bool take_two(reader *r, int *out)
{
    if (r->end - r->at < 2) {
        return false;
    }
    unsigned tens = r->at[0] - (unsigned)'0';
    unsigned ones = r->at[1] - (unsigned)'0';
    *out = (int)(tens * 10 + ones);
    r->at += 2;
    return tens < 10 && ones < 10;
}

static bool take_signed_year(reader *r, int64_t *out)
{
    bool negative = *r->at == '-';
    const uint8_t *first = ++r->at;
    int64_t year = 0;
    while (r->at < r->end && (uint8_t)(*r->at - '0') < 10 && r->at - first < 9) {
        year = year * 10 + (*r->at++ - '0');
    }
    *out = negative ? -year : year;
    return r->at - first >= 4;
}

static bool take_date(reader *r, int64_t *out_days)
{
    static const int8_t days_of_month[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year;
    int month;
    int day;
    if (r->at < r->end && (*r->at == '-' || *r->at == '+')) {
        if (!take_signed_year(r, &year)) {
            return false;
        }
    } else {
        int century;
        int of_century;
        if (!take_two(r, &century) || !take_two(r, &of_century)) {
            return false;
        }
        year = century * 100 + of_century;
    }
    if (!take(r, '-') || !take_two(r, &month) || !take(r, '-') || !take_two(r, &day) || month < 1 || month > 12 ||
        day < 1) {
        return false;
    }
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day > days_of_month[month] + (month == 2 && leap)) {
        return false;
    }
    *out_days = weir_days_from_civil(year, month, day);
    return true;
}

static bool take_clock(reader *r, bool seconds_optional, int32_t *out_seconds, int32_t *out_nanos)
{
    int hour;
    int minute;
    int second = 0;
    int64_t nanos = 0;
    if (!take_two(r, &hour) || !take(r, ':') || !take_two(r, &minute) || hour > 23 || minute > 59) {
        return false;
    }
    if (take(r, ':')) {
        if (!take_two(r, &second) || second > 59) {
            return false;
        }
        if (take(r, '.')) {
            int digits = 0;
            for (; r->at < r->end && (uint8_t)(*r->at - '0') < 10; r->at++, digits++) {
                nanos = nanos * 10 + (*r->at - '0');
                if (digits == 9) {
                    return false; /* Java has no finer ones */
                }
            }
            for (; digits < 9; digits++) {
                nanos *= 10;
            }
        }
    } else if (!seconds_optional) {
        return false;
    }
    *out_seconds = (hour * 60 + minute) * 60 + second;
    *out_nanos = (int32_t)nanos;
    return true;
}

/* `+08:00`, `+0800`, `+08` or `Z`. */
static bool take_offset(reader *r, int32_t *out_seconds)
{
    *out_seconds = 0;
    if (take(r, 'Z') || take(r, 'z')) {
        return true;
    }
    bool negative = take(r, '-');
    if (!negative && !take(r, '+')) {
        return false;
    }
    int hour;
    int minute = 0;
    if (!take_two(r, &hour) || hour > 18) {
        return false;
    }
    bool colon = take(r, ':');
    if ((colon || r->at < r->end) && (!take_two(r, &minute) || minute > 59)) {
        return false;
    }
    int32_t seconds = (hour * 60 + minute) * 60;
    *out_seconds = negative ? -seconds : seconds;
    return true;
}

bool weir_json_date(const uint8_t *text, size_t size, int32_t *out_days)
{
    reader r = {text, text + size};
    int64_t days;
    if (!take_date(&r, &days) || r.at != r.end || days != (int32_t)days) {
        return false;
    }
    *out_days = (int32_t)days;
    return true;
}

bool weir_json_time(const uint8_t *text, size_t size, int32_t *out_millis)
{
    reader r = {text, text + size};
    int32_t seconds;
    int32_t nanos;
    if (!take_clock(&r, false, &seconds, &nanos) || r.at != r.end) {
        return false;
    }
    *out_millis = seconds * 1000 + nanos / 1000000;
    return true;
}

bool weir_json_timestamp(const uint8_t *text, size_t size, weir_json_time_format format, weir_json_zone zone,
                         weir_timestamp_nanos *out)
{
    reader r = {text, text + size};
    bool iso = format != WEIR_JSON_TIME_SQL;
    int64_t days;
    int32_t seconds;
    int32_t nanos;
    int32_t offset = 0;
    if (!take_date(&r, &days) || !(iso ? take(&r, 'T') || take(&r, 't') : take(&r, ' ')) ||
        !take_clock(&r, iso, &seconds, &nanos)) {
        return false;
    }
    if (zone == WEIR_JSON_ZONE_Z && !take(&r, 'Z')) {
        return false;
    }
    if (zone == WEIR_JSON_ZONE_OPTIONAL && r.at < r.end && !take_offset(&r, &offset)) {
        return false;
    }
    if (r.at != r.end) {
        return false;
    }
    *out = (weir_timestamp_nanos){.millis =
                                      days * WEIR_MILLIS_PER_DAY + (int64_t)(seconds - offset) * 1000 + nanos / 1000000,
                                  .nanos_of_milli = nanos % 1000000};
    return true;
}
