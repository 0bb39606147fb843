/* Dates and times as text, both ways. All arithmetic is on the proleptic Gregorian calendar, as in Java's java.time. */
#include "vector/time_text.h"

#include "base/clock.h"

/* Whose milliseconds fit int64. */
#define MAX_DAYS (INT64_MAX / WEIR_MILLIS_PER_DAY)

static const int32_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

weir_timestamp_nanos weir_timestamp_widen(int64_t value, int precision)
{
    if (precision <= 3) {
        return (weir_timestamp_nanos){.millis = value};
    }
    return (weir_timestamp_nanos){.millis = weir_floor_div(value, 1000),
                                  .nanos_of_milli = (int32_t)weir_floor_mod(value, 1000) * 1000};
}

bool weir_timestamp_narrow(weir_timestamp_nanos value, int precision, int64_t *out)
{
    if (precision <= 3) {
        *out = value.millis;
        return true;
    }
    return !__builtin_mul_overflow(value.millis, 1000, out) &&
           !__builtin_add_overflow(*out, value.nanos_of_milli / 1000, out);
}

/* ---- to text ---- */

static void append_digits(weir_buffer *out, int64_t value, int digits)
{
    char text[20];
    for (int i = digits; i-- > 0; value /= 10) {
        text[i] = (char)('0' + (int)(value % 10));
    }
    weir_buffer_append(out, text, (size_t)digits);
}

void weir_date_format(int64_t days, weir_buffer *out)
{
    int64_t year;
    int month;
    int day;
    weir_civil_from_days(days, &year, &month, &day);
    if (year >= 0 && year <= 9999) {
        append_digits(out, year, 4);
    } else {
        weir_buffer_append_format(out, "%+05" PRId64, year);
    }
    weir_buffer_append_byte(out, '-');
    append_digits(out, month, 2);
    weir_buffer_append_byte(out, '-');
    append_digits(out, day, 2);
}

static void append_clock(weir_buffer *out, int64_t seconds)
{
    append_digits(out, seconds / 3600, 2);
    weir_buffer_append_byte(out, ':');
    append_digits(out, seconds / 60 % 60, 2);
    weir_buffer_append_byte(out, ':');
    append_digits(out, seconds % 60, 2);
}

void weir_time_format(int32_t millis, int digits, weir_buffer *out)
{
    int32_t of_day = (int32_t)weir_floor_mod(millis, WEIR_MILLIS_PER_DAY);
    append_clock(out, of_day / 1000);
    if (digits > 0) {
        weir_buffer_append_byte(out, '.');
        append_digits(out, of_day % 1000 / powers_of_ten[3 - digits], digits);
    }
}

void weir_timestamp_format(weir_timestamp_nanos value, int digits, weir_buffer *out)
{
    int64_t of_day = weir_floor_mod(value.millis, WEIR_MILLIS_PER_DAY);
    weir_date_format(weir_floor_div(value.millis, WEIR_MILLIS_PER_DAY), out);
    weir_buffer_append_byte(out, ' ');
    append_clock(out, of_day / 1000);
    if (digits > 0) {
        int64_t nanos = of_day % 1000 * 1000000 + value.nanos_of_milli;
        weir_buffer_append_byte(out, '.');
        append_digits(out, nanos / powers_of_ten[9 - digits], digits);
    }
}

/* ---- from text ---- */

/* Text that is read from the front. */
typedef struct reader {
    const uint8_t *next;
    const uint8_t *end;
} reader;

static void skip_blanks(reader *r)
{
    while (r->next < r->end && *r->next == ' ') {
        r->next++;
    }
}

static bool take(reader *r, uint8_t byte)
{
    if (r->next < r->end && *r->next == byte) {
        r->next++;
        return true;
    }
    return false;
}

/* A number of `least` to `most` digits. */
static bool take_number(reader *r, int least, int most, int *out)
{
    int value = 0;
    int digits = 0;
    while (digits < most && r->next < r->end && *r->next >= '0' && *r->next <= '9') {
        value = value * 10 + (*r->next++ - '0');
        digits++;
    }
    *out = value;
    return digits >= least;
}

/* The same with blanks around it. */
static bool take_padded(reader *r, int most, int *out)
{
    skip_blanks(r);
    bool taken = take_number(r, 1, most, out);
    skip_blanks(r);
    return taken;
}

/* The digits after a point, at most nine of which count, as nanoseconds. */
static int take_fraction(reader *r)
{
    int nanos = 0;
    int digits = 0;
    while (r->next < r->end && *r->next >= '0' && *r->next <= '9') {
        if (digits < 9) {
            nanos = nanos * 10 + (*r->next - '0');
            digits++;
        }
        r->next++;
    }
    return nanos * powers_of_ten[9 - digits];
}

static bool is_date(int year, int month, int day)
{
    static const int days_of_month[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1) {
        return false;
    }
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days_of_month[month - 1] + (month == 2 && leap);
}

static bool is_clock(int hour, int minute, int second) { return hour < 24 && minute < 60 && second < 60; }

bool weir_date_parse(weir_slice text, int32_t *out_days)
{
    reader r = {text.data, text.data + text.size};
    int year = 0;
    int month = 1;
    int day = 1;
    skip_blanks(&r);
    if (!take_number(&r, 1, 4, &year)) {
        return false;
    }
    if (take(&r, '-')) {
        if (!take_number(&r, 1, 2, &month) || (take(&r, '-') && !take_number(&r, 1, 2, &day))) {
            return false;
        }
    }
    if ((r.next < r.end && *r.next != ' ') || !is_date(year, month, day)) {
        return false;
    }
    *out_days = (int32_t)weir_days_from_civil(year, month, day);
    return true;
}

bool weir_time_parse(weir_slice text, int32_t *out_millis)
{
    reader r = {text.data, text.data + text.size};
    int hour = 0;
    int minute = 0;
    int second = 0;
    int nanos = 0;
    if (!take_padded(&r, 2, &hour)) {
        return false;
    }
    if (take(&r, ':')) {
        if (!take_padded(&r, 2, &minute)) {
            return false;
        }
        if (take(&r, ':')) {
            if (!take_padded(&r, 2, &second)) {
                return false;
            }
            if (take(&r, '.')) {
                nanos = take_fraction(&r);
                skip_blanks(&r);
            }
        }
    }
    if (r.next != r.end || !is_clock(hour, minute, second)) {
        return false;
    }
    *out_millis = ((hour * 60 + minute) * 60 + second) * 1000 + (nanos + 500000) / 1000000;
    if (*out_millis == WEIR_MILLIS_PER_DAY) { /* 23:59:59.9995 and later: the day has no more milliseconds */
        *out_millis -= 1;
    }
    return true;
}

/* A time of day that has been read. */
typedef struct clock_time {
    int hour;
    int minute;
    int second;
    int nanos;
} clock_time;

/* `h[h]:m[m]:s[s][.fraction]` up to the end of the text. */
static bool take_clock(reader *r, bool seconds_optional, clock_time *out)
{
    if (!take_number(r, 1, 2, &out->hour) || !take(r, ':') || !take_number(r, 1, 2, &out->minute)) {
        return false;
    }
    if (take(r, ':')) {
        if (!take_number(r, 1, 2, &out->second)) {
            return false;
        }
        if (take(r, '.')) {
            out->nanos = take_fraction(r);
        }
    } else if (!seconds_optional) {
        return false;
    }
    return r->next == r->end && is_clock(out->hour, out->minute, out->second);
}

static weir_timestamp_nanos join(int64_t days, clock_time clock, int precision)
{
    int nanos = clock.nanos - clock.nanos % powers_of_ten[9 - precision];
    int64_t seconds = (clock.hour * 60 + clock.minute) * 60 + clock.second;
    return (weir_timestamp_nanos){.millis = days * WEIR_MILLIS_PER_DAY + seconds * 1000 + nanos / 1000000,
                                  .nanos_of_milli = nanos % 1000000};
}

bool weir_timestamp_parse(weir_slice text, int precision, weir_timestamp_nanos *out)
{
    reader r = {text.data, text.data + text.size};
    int year;
    int month;
    int day;
    clock_time clock = {0};
    if (!take_number(&r, 4, 4, &year) || !take(&r, '-') || !take_number(&r, 1, 2, &month) || !take(&r, '-') ||
        !take_number(&r, 1, 2, &day) || year < 1 || !is_date(year, month, day)) {
        return false;
    }
    if (r.next < r.end && (!take(&r, ' ') || !take_clock(&r, false, &clock))) {
        return false;
    }
    *out = join(weir_days_from_civil(year, month, day), clock, precision);
    return true;
}

static bool take_iso_date(reader *r, int64_t *out_days)
{
    bool negative = take(r, '-');
    bool signed_year = negative || take(r, '+');
    int year;
    int month;
    int day;
    if (!take_number(r, 4, signed_year ? 9 : 4, &year) || !take(r, '-') || !take_number(r, 2, 2, &month) ||
        !take(r, '-') || !take_number(r, 2, 2, &day)) {
        return false;
    }
    year = negative ? -year : year;
    if (!is_date(year, month, day)) {
        return false;
    }
    *out_days = weir_days_from_civil(year, month, day);
    return true;
}

bool weir_iso_date_parse(weir_slice text, int32_t *out_days)
{
    reader r = {text.data, text.data + text.size};
    int64_t days;
    if (!take_iso_date(&r, &days) || r.next != r.end || days != (int32_t)days) {
        return false;
    }
    *out_days = (int32_t)days;
    return true;
}

bool weir_iso_timestamp_parse(weir_slice text, int precision, weir_timestamp_nanos *out)
{
    reader r = {text.data, text.data + text.size};
    int64_t days;
    clock_time clock = {0};
    if (!take_iso_date(&r, &days) || !(take(&r, ' ') || take(&r, 'T')) || !take_clock(&r, true, &clock)) {
        return false;
    }
    if (days >= MAX_DAYS || days <= -MAX_DAYS) {
        return false;
    }
    *out = join(days, clock, precision);
    return true;
}
