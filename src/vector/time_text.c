/* Dates and times as text, both ways. All arithmetic is on the proleptic Gregorian calendar, as in Java's java.time. */
#include "vector/time_text.h"

#include "base/clock.h"

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

bool weir_timestamp_parse(weir_slice text, int precision, weir_timestamp_nanos *out)
{
    reader r = {text.data, text.data + text.size};
    int year;
    int month;
    int day;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int nanos = 0;
    if (!take_number(&r, 4, 4, &year) || !take(&r, '-') || !take_number(&r, 1, 2, &month) || !take(&r, '-') ||
        !take_number(&r, 1, 2, &day) || year < 1 || !is_date(year, month, day)) {
        return false;
    }
    if (r.next < r.end) {
        if (!take(&r, ' ') || !take_number(&r, 1, 2, &hour) || !take(&r, ':') || !take_number(&r, 1, 2, &minute) ||
            !take(&r, ':') || !take_number(&r, 1, 2, &second) || !is_clock(hour, minute, second)) {
            return false;
        }
        if (take(&r, '.')) {
            nanos = take_fraction(&r);
        }
    }
    if (r.next != r.end) {
        return false;
    }
    nanos -= nanos % powers_of_ten[9 - precision];
    out->millis = weir_days_from_civil(year, month, day) * WEIR_MILLIS_PER_DAY +
                  (int64_t)((hour * 60 + minute) * 60 + second) * 1000 + nanos / 1000000;
    out->nanos_of_milli = nanos % 1000000;
    out->zero = 0;
    return true;
}
