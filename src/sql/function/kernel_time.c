/* Moving, rounding, taking apart and comparing dates, times and timestamps.
 *
 * A DATE moved by a day-time interval moves by its whole days; a TIME stays within its day. Months clamp to the last
 * day of a month. LTZ values move and are taken apart on the session's clock. */
#include "base/clock.h"
#include "base/zone.h"
#include "sql/function/kernels.h"

/* --- Civil time ------------------------------------------------------------------------------------------------ */

typedef struct civil {
    int64_t year;
    int month, day;
    int64_t days;       /* since the epoch */
    int64_t day_millis; /* within the day */
    int32_t nanos_of_milli;
} civil;

static civil civil_of(weir_timestamp_nanos value)
{
    civil result = {.days = weir_floor_div(value.millis, WEIR_MILLIS_PER_DAY),
                    .day_millis = weir_floor_mod(value.millis, WEIR_MILLIS_PER_DAY),
                    .nanos_of_milli = value.nanos_of_milli};
    weir_civil_from_days(result.days, &result.year, &result.month, &result.day);
    return result;
}

static int days_in_month(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static int64_t add_months_to_days(int64_t days, int64_t months)
{
    int64_t year;
    int month;
    int day;
    weir_civil_from_days(days, &year, &month, &day);
    int64_t all = year * 12 + (month - 1) + months;
    year = weir_floor_div(all, 12);
    month = (int)weir_floor_mod(all, 12) + 1;
    int last = days_in_month(year, month);
    return weir_days_from_civil(year, month, day < last ? day : last);
}

/* Any temporal argument as a local timestamp. */
static int local_value(weir_kernel_call *call, int32_t argument, int64_t row, weir_timestamp_nanos *out,
                       weir_error *err)
{
    switch (call->types[argument]->id) {
    case WEIR_DATE:
        *out = (weir_timestamp_nanos){weir_kernel_integer(call, argument, row) * WEIR_MILLIS_PER_DAY, 0, 0};
        return WEIR_OK;
    case WEIR_TIME:
        *out = (weir_timestamp_nanos){weir_kernel_integer(call, argument, row), 0, 0};
        return WEIR_OK;
    case WEIR_TIMESTAMP_LTZ: {
        const weir_zone *zone;
        WEIR_TRY(weir_kernel_zone(call, &zone, err));
        *out = weir_kernel_to_local(zone, weir_kernel_timestamp(call, argument, row));
        return WEIR_OK;
    }
    default:
        *out = weir_kernel_timestamp(call, argument, row);
        return WEIR_OK;
    }
}

static int put_local(weir_kernel_call *call, int64_t row, weir_timestamp_nanos value, weir_error *err)
{
    switch (call->type->id) {
    case WEIR_DATE:
        return weir_kernel_put_integer(call, row, weir_floor_div(value.millis, WEIR_MILLIS_PER_DAY));
    case WEIR_TIME:
        return weir_kernel_put_integer(call, row, weir_floor_mod(value.millis, WEIR_MILLIS_PER_DAY));
    case WEIR_TIMESTAMP_LTZ: {
        const weir_zone *zone;
        WEIR_TRY(weir_kernel_zone(call, &zone, err));
        return weir_kernel_put_timestamp(call, row, weir_kernel_to_instant(zone, value));
    }
    default:
        return weir_kernel_put_timestamp(call, row, value);
    }
}

/* --- Moving ---------------------------------------------------------------------------------------------------- */

static int add_months(weir_kernel_call *call, int64_t row, weir_error *err)
{
    int64_t months = weir_kernel_integer(call, 1, row);
    if (call->type->id == WEIR_TIME) {
        return weir_kernel_put_integer(call, row, weir_kernel_integer(call, 0, row));
    }
    weir_timestamp_nanos value;
    WEIR_TRY(local_value(call, 0, row, &value, err));
    int64_t days = weir_floor_div(value.millis, WEIR_MILLIS_PER_DAY);
    value.millis += (add_months_to_days(days, months) - days) * WEIR_MILLIS_PER_DAY;
    return put_local(call, row, value, err);
}

static int add_millis(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t millis = weir_kernel_integer(call, 1, row);
    if (call->type->id == WEIR_DATE) {
        return weir_kernel_put_integer(call, row, weir_kernel_integer(call, 0, row) + millis / WEIR_MILLIS_PER_DAY);
    }
    if (call->type->id == WEIR_TIME) {
        return weir_kernel_put_integer(
            call, row,
            weir_floor_mod(weir_kernel_integer(call, 0, row) + millis % WEIR_MILLIS_PER_DAY, WEIR_MILLIS_PER_DAY));
    }
    weir_timestamp_nanos value = weir_kernel_timestamp(call, 0, row);
    value.millis = (int64_t)((uint64_t)value.millis +
                             (uint64_t)millis); /* an instant moves by time that passes, not by the clock */
    return weir_kernel_put_timestamp(call, row, value);
}

const weir_kernel weir_kernel_add_months = {.name = "add_months", .row = add_months};
const weir_kernel weir_kernel_add_millis = {.name = "add_millis", .row = add_millis};

/* --- Taking apart ---------------------------------------------------------------------------------------------- */

/* The unit is what the option begins with; the zone follows after a colon. */
static bool unit_is(const weir_kernel_call *call, const char *unit)
{
    size_t size = strlen(unit);
    return strncmp(call->option, unit, size) == 0 && (call->option[size] == ':' || call->option[size] == '\0');
}

static int use_zone_of_option(weir_kernel_call *call)
{
    const char *colon = strchr(call->option, ':');
    if (call->cache == NULL && colon != NULL) {
        call->cache = weir_zone_find(colon + 1);
    }
    return WEIR_OK;
}

static void iso_week(const civil *value, int64_t *week, int64_t *week_year)
{
    int64_t weekday = weir_floor_mod(value->days + 3, 7); /* Monday is 0 */
    int64_t thursday = value->days - weekday + 3;
    int64_t year;
    int month;
    int day;
    weir_civil_from_days(thursday, &year, &month, &day);
    *week = (thursday - weir_days_from_civil(year, 1, 1)) / 7 + 1;
    *week_year = year;
}

static int64_t extract_date_part(const weir_kernel_call *call, const civil *value, bool *found)
{
    int64_t week;
    int64_t week_year;
    *found = true;
    iso_week(value, &week, &week_year);
    if (unit_is(call, "YEAR")) {
        return value->year;
    }
    if (unit_is(call, "QUARTER")) {
        return (value->month + 2) / 3;
    }
    if (unit_is(call, "MONTH")) {
        return value->month;
    }
    if (unit_is(call, "WEEK")) {
        return week;
    }
    if (unit_is(call, "ISOYEAR")) {
        return week_year;
    }
    if (unit_is(call, "DAY")) {
        return value->day;
    }
    if (unit_is(call, "DOY")) {
        return value->days - weir_days_from_civil(value->year, 1, 1) + 1;
    }
    if (unit_is(call, "DOW")) {
        return weir_floor_mod(value->days + 4, 7) + 1; /* Sunday is 1 */
    }
    if (unit_is(call, "ISODOW")) {
        return weir_floor_mod(value->days + 3, 7) + 1;
    }
    if (unit_is(call, "DECADE")) {
        return weir_floor_div(value->year, 10);
    }
    if (unit_is(call, "CENTURY")) {
        return value->year > 0 ? (value->year + 99) / 100 : (value->year - 99) / 100;
    }
    if (unit_is(call, "MILLENNIUM")) {
        return value->year > 0 ? (value->year + 999) / 1000 : (value->year - 999) / 1000;
    }
    *found = false;
    return 0;
}

static int64_t extract_time_part(const weir_kernel_call *call, int64_t day_millis, int32_t nanos_of_milli)
{
    if (unit_is(call, "HOUR")) {
        return day_millis / 3600000;
    }
    if (unit_is(call, "MINUTE")) {
        return day_millis / 60000 % 60;
    }
    if (unit_is(call, "SECOND")) {
        return day_millis / 1000 % 60;
    }
    if (unit_is(call, "MILLISECOND")) {
        return day_millis % 1000;
    }
    if (unit_is(call, "MICROSECOND")) {
        return day_millis % 1000 * 1000 + nanos_of_milli / 1000;
    }
    return day_millis % 1000 * 1000000 + nanos_of_milli;
}

static int64_t extract_from_interval(const weir_kernel_call *call, int64_t value)
{
    if (call->types[0]->id == WEIR_INTERVAL_MONTHS) {
        return unit_is(call, "YEAR") ? value / 12 : unit_is(call, "QUARTER") ? value % 12 / 3 + 1 : value % 12;
    }
    if (unit_is(call, "DAY")) {
        return value / WEIR_MILLIS_PER_DAY;
    }
    return unit_is(call, "EPOCH") ? value / 1000 : extract_time_part(call, value % WEIR_MILLIS_PER_DAY, 0);
}

static int extract(weir_kernel_call *call, int64_t row, weir_error *err)
{
    if (weir_type_is_interval(call->types[0])) {
        return weir_kernel_put_integer(call, row, extract_from_interval(call, weir_kernel_integer(call, 0, row)));
    }
    WEIR_TRY(use_zone_of_option(call));
    weir_timestamp_nanos value;
    WEIR_TRY(local_value(call, 0, row, &value, err));
    if (unit_is(call, "EPOCH")) {
        bool instant = call->types[0]->id == WEIR_TIMESTAMP_LTZ;
        int64_t millis = instant ? weir_kernel_timestamp(call, 0, row).millis : value.millis;
        return weir_kernel_put_integer(call, row, weir_floor_div(millis, 1000));
    }
    civil parts = civil_of(value);
    bool found;
    int64_t part = extract_date_part(call, &parts, &found);
    return weir_kernel_put_integer(call, row,
                                   found ? part : extract_time_part(call, parts.day_millis, parts.nanos_of_milli));
}

const weir_kernel weir_kernel_extract = {.name = "extract", .row = extract};

/* --- Rounding -------------------------------------------------------------------------------------------------- */

/* The first day of the unit that a day lies in. Weeks begin on Sunday here. */
static int64_t floor_day(const weir_kernel_call *call, const civil *value, bool *found)
{
    int64_t year = value->year;
    *found = true;
    if (unit_is(call, "DAY")) {
        return value->days;
    }
    if (unit_is(call, "WEEK")) {
        return value->days - weir_floor_mod(value->days + 4, 7);
    }
    if (unit_is(call, "MONTH")) {
        return weir_days_from_civil(year, value->month, 1);
    }
    if (unit_is(call, "QUARTER")) {
        return weir_days_from_civil(year, (value->month - 1) / 3 * 3 + 1, 1);
    }
    if (unit_is(call, "YEAR")) {
        return weir_days_from_civil(year, 1, 1);
    }
    if (unit_is(call, "DECADE")) {
        return weir_days_from_civil(weir_floor_div(year, 10) * 10, 1, 1);
    }
    if (unit_is(call, "CENTURY")) {
        return weir_days_from_civil(weir_floor_div(year - 1, 100) * 100 + 1, 1, 1);
    }
    if (unit_is(call, "MILLENNIUM")) {
        return weir_days_from_civil(weir_floor_div(year - 1, 1000) * 1000 + 1, 1, 1);
    }
    *found = false;
    return 0;
}

static int64_t unit_millis(const weir_kernel_call *call)
{
    return unit_is(call, "HOUR") ? 3600000 : unit_is(call, "MINUTE") ? 60000 : unit_is(call, "SECOND") ? 1000 : 1;
}

static weir_timestamp_nanos floor_to_unit(const weir_kernel_call *call, weir_timestamp_nanos value)
{
    civil parts = civil_of(value);
    bool found;
    int64_t day = floor_day(call, &parts, &found);
    if (found) {
        return (weir_timestamp_nanos){day * WEIR_MILLIS_PER_DAY, 0, 0};
    }
    int64_t unit = unit_millis(call);
    return (weir_timestamp_nanos){weir_floor_div(value.millis, unit) * unit, 0, 0};
}

/* The beginning of the unit after the one that `start` begins. */
static weir_timestamp_nanos next_unit(const weir_kernel_call *call, weir_timestamp_nanos start)
{
    int64_t days = weir_floor_div(start.millis, WEIR_MILLIS_PER_DAY);
    static const struct {
        const char *unit;
        int months;
    } by_months[] = {{"MONTH", 1},    {"QUARTER", 3},    {"YEAR", 12},
                     {"DECADE", 120}, {"CENTURY", 1200}, {"MILLENNIUM", 12000}};
    for (size_t i = 0; i < sizeof by_months / sizeof by_months[0]; i++) {
        if (unit_is(call, by_months[i].unit)) {
            return (weir_timestamp_nanos){add_months_to_days(days, by_months[i].months) * WEIR_MILLIS_PER_DAY, 0, 0};
        }
    }
    int64_t step = unit_is(call, "WEEK")  ? 7 * (int64_t)WEIR_MILLIS_PER_DAY
                   : unit_is(call, "DAY") ? WEIR_MILLIS_PER_DAY
                                          : unit_millis(call);
    return (weir_timestamp_nanos){start.millis + step, 0, 0};
}

static int round_time(weir_kernel_call *call, int64_t row, bool up, weir_error *err)
{
    WEIR_TRY(use_zone_of_option(call));
    weir_timestamp_nanos value;
    WEIR_TRY(local_value(call, 0, row, &value, err));
    weir_timestamp_nanos start = floor_to_unit(call, value);
    bool whole = start.millis == value.millis && value.nanos_of_milli == 0;
    return put_local(call, row, up && !whole ? next_unit(call, start) : start, err);
}

static int floor_time(weir_kernel_call *call, int64_t row, weir_error *err)
{
    return round_time(call, row, false, err);
}

static int ceil_time(weir_kernel_call *call, int64_t row, weir_error *err) { return round_time(call, row, true, err); }

const weir_kernel weir_kernel_floor_time = {.name = "floor", .row = floor_time};
const weir_kernel weir_kernel_ceil_time = {.name = "ceil", .row = ceil_time};

/* --- Differences ----------------------------------------------------------------------------------------------- */

/* Whole months from a to b, towards zero: a month is whole when the later one has reached the day and time of day. */
static int64_t months_between(weir_timestamp_nanos a, weir_timestamp_nanos b)
{
    civil from = civil_of(a);
    civil to = civil_of(b);
    int64_t months = (to.year - from.year) * 12 + to.month - from.month;
    int64_t moved = add_months_to_days(from.days, months) * WEIR_MILLIS_PER_DAY + from.day_millis;
    if (months > 0 && moved > b.millis) {
        months--;
    } else if (months < 0 && moved < b.millis) {
        months++;
    }
    return months;
}

static int difference(weir_kernel_call *call, int64_t row, weir_error *err)
{
    WEIR_TRY(use_zone_of_option(call));
    weir_timestamp_nanos a;
    weir_timestamp_nanos b;
    WEIR_TRY(local_value(call, 0, row, &a, err));
    WEIR_TRY(local_value(call, 1, row, &b, err));
    int64_t result;
    if (unit_is(call, "MONTH")) {
        result = months_between(a, b);
    } else if (unit_is(call, "QUARTER")) {
        result = months_between(a, b) / 3;
    } else if (unit_is(call, "YEAR")) {
        result = months_between(a, b) / 12;
    } else {
        int64_t unit = unit_is(call, "WEEK")  ? 7 * (int64_t)WEIR_MILLIS_PER_DAY
                       : unit_is(call, "DAY") ? WEIR_MILLIS_PER_DAY
                                              : unit_millis(call);
        result = (b.millis - a.millis) / unit;
    }
    return weir_kernel_put_integer(call, row, result);
}

const weir_kernel weir_kernel_difference = {.name = "difference", .row = difference};
