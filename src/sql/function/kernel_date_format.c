/* DATE_FORMAT, TO_TIMESTAMP and their like: times to text and back by Java's patterns. */
#include <math.h>

#include "base/clock.h"
#include "base/zone.h"
#include "sql/function/date_pattern.h"
#include "sql/function/kernels.h"

static const char *const default_pattern = "yyyy-MM-dd HH:mm:ss";

static weir_slice pattern_of(const weir_kernel_call *call, int32_t argument, int64_t row)
{
    return call->argument_count > argument ? weir_kernel_text(call, argument, row) : weir_slice_text(default_pattern);
}

static int fail_pattern(weir_slice pattern, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "the date pattern '%.*s' is none of Java's; one is 'yyyy-MM-dd HH:mm:ss.SSS'",
                     (int)(pattern.size < 100 ? pattern.size : 100), (const char *)pattern.data);
}

/* An instant in seconds as the zone's clock shows it. */
static weir_local_time local_time(const weir_zone *zone, int64_t millis)
{
    int32_t offset = weir_zone_offset(zone, weir_floor_div(millis, 1000));
    weir_local_time time = weir_local_time_of(millis + (int64_t)offset * 1000, 0);
    time.offset_seconds = offset;
    return time;
}

static int64_t instant_of(const weir_zone *zone, const weir_parsed_time *parsed)
{
    int32_t offset = parsed->has_offset ? parsed->offset_seconds
                                        : weir_zone_local_offset(zone, weir_floor_div(parsed->millis, 1000));
    return parsed->millis - (int64_t)offset * 1000;
}

/* --- To text --------------------------------------------------------------------------------------------------- */

/* DATE_FORMAT(timestamp, pattern), in DateTimeFormatter's patterns. */
static int format_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_timestamp_nanos value = weir_kernel_timestamp(call, 0, row);
    weir_slice pattern = weir_kernel_text(call, 1, row);
    if (call->types[0]->id == WEIR_TIMESTAMP_LTZ) {
        const weir_zone *zone;
        WEIR_TRY(weir_kernel_zone(call, &zone, err));
        value = weir_kernel_to_local(zone, value);
    }
    weir_local_time time = weir_local_time_of(value.millis, value.nanos_of_milli);
    if (!weir_date_pattern_format(WEIR_PATTERN_FORMATTER, pattern, &time, &call->scratch)) {
        return fail_pattern(pattern, err);
    }
    return weir_kernel_put_scratch(call, row);
}

/* DATE_FORMAT(text, pattern): the text is read by the default pattern; NULL when it does not fit. */
static int format_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_parsed_time parsed;
    weir_slice pattern = weir_kernel_text(call, 1, row);
    if (!weir_date_pattern_parse(WEIR_PATTERN_SIMPLE, weir_slice_text(default_pattern), weir_kernel_text(call, 0, row),
                                 &parsed)) {
        return weir_kernel_put_null(call, row);
    }
    weir_local_time time = weir_local_time_of(parsed.millis, 0);
    if (!weir_date_pattern_format(WEIR_PATTERN_SIMPLE, pattern, &time, &call->scratch)) {
        return fail_pattern(pattern, err);
    }
    return weir_kernel_put_scratch(call, row);
}

/* FROM_UNIXTIME(seconds[, pattern]), on the session's clock. */
static int from_unixtime(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    weir_slice pattern = pattern_of(call, 1, row);
    int64_t seconds = weir_kernel_integer(call, 0, row);
    int64_t millis = (int64_t)((uint64_t)seconds * 1000);
    weir_local_time time = local_time(zone, millis);
    if (!weir_date_pattern_format(WEIR_PATTERN_SIMPLE, pattern, &time, &call->scratch)) {
        return fail_pattern(pattern, err);
    }
    return weir_kernel_put_scratch(call, row);
}

/* CONVERT_TZ(text, from, to); unknown zones are GMT, as Java has it. */
static int convert_zone(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    const weir_zone *zones[2];
    for (int32_t i = 0; i < 2; i++) {
        weir_slice name = weir_kernel_text(call, i + 1, row);
        char copy[64];
        snprintf(copy, sizeof copy, "%.*s", (int)(name.size < 63 ? name.size : 63), (const char *)name.data);
        bool custom = copy[0] == '+' || copy[0] == '-'; /* Java wants GMT before these */
        zones[i] = custom ? NULL : weir_zone_find(copy);
        zones[i] = zones[i] == NULL ? weir_zone_find("UTC") : zones[i];
    }
    weir_parsed_time parsed;
    weir_slice pattern = weir_slice_text(default_pattern);
    if (!weir_date_pattern_parse(WEIR_PATTERN_SIMPLE, pattern, weir_kernel_text(call, 0, row), &parsed)) {
        return weir_kernel_put_null(call, row);
    }
    /* Of a local time that occurs twice SimpleDateFormat takes the later instant. */
    int64_t instant = instant_of(zones[0], &parsed);
    int32_t later = weir_zone_offset(zones[0], weir_floor_div(instant, 1000) + 3600);
    int64_t candidate = parsed.millis - (int64_t)later * 1000;
    if (weir_zone_offset(zones[0], weir_floor_div(candidate, 1000)) == later && candidate > instant) {
        instant = candidate;
    }
    weir_local_time time = local_time(zones[1], instant);
    weir_date_pattern_format(WEIR_PATTERN_SIMPLE, pattern, &time, &call->scratch);
    return weir_kernel_put_scratch(call, row);
}

/* --- From text ------------------------------------------------------------------------------------------------- */

/* y-m-d[ h:m:s[.fraction]] with short numbers, which is tried where the pattern does not fit. */
static bool parse_loosely(weir_slice text, weir_parsed_time *out)
{
    weir_slice pattern = weir_slice_text(memchr(text.data, ' ', text.size) != NULL ? "y-M-d H:m:s" : "y-M-d");
    const uint8_t *point = text.size == 0 ? NULL : memchr(text.data, '.', text.size);
    weir_slice whole = weir_slice_of(text.data, point == NULL ? text.size : (size_t)(point - text.data));
    if (!weir_date_pattern_parse(WEIR_PATTERN_FORMATTER, pattern, whole, out)) {
        return false;
    }
    int64_t unit = 100000000;
    int64_t nanos = 0;
    size_t digits = point == NULL ? 0 : text.size - whole.size - 1;
    for (size_t i = 0; i < digits; i++, unit /= 10) {
        if (point[1 + i] < '0' || point[1 + i] > '9' || digits > 9) {
            return false;
        }
        nanos += (point[1 + i] - '0') * unit;
    }
    out->millis += nanos / 1000000;
    out->nanos_of_milli = (int32_t)(nanos % 1000000);
    return point == NULL || digits > 0;
}

/* TO_TIMESTAMP(text[, pattern]). */
static int to_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_parsed_time parsed;
    weir_slice text = weir_kernel_text(call, 0, row);
    bool fits = weir_date_pattern_parse(WEIR_PATTERN_FORMATTER, pattern_of(call, 1, row), text, &parsed) ||
                parse_loosely(text, &parsed);
    if (!fits) {
        return weir_kernel_put_null(call, row);
    }
    return weir_kernel_put_timestamp(call, row, (weir_timestamp_nanos){parsed.millis, parsed.nanos_of_milli, 0});
}

/* TO_DATE(text[, pattern]). */
static int to_date(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    int32_t days;
    if (call->argument_count == 1) {
        return weir_date_parse(text, &days) ? weir_kernel_put_integer(call, row, days)
                                            : weir_kernel_put_null(call, row);
    }
    weir_parsed_time parsed;
    if (!weir_date_pattern_parse(WEIR_PATTERN_SIMPLE, weir_kernel_text(call, 1, row), text, &parsed)) {
        return weir_kernel_put_null(call, row);
    }
    return weir_kernel_put_integer(call, row, weir_floor_div(parsed.millis, WEIR_MILLIS_PER_DAY));
}

/* UNIX_TIMESTAMP(text[, pattern]): what does not fit is the smallest BIGINT. */
static int unix_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    weir_parsed_time parsed;
    if (!weir_date_pattern_parse(WEIR_PATTERN_SIMPLE, pattern_of(call, 1, row), weir_kernel_text(call, 0, row),
                                 &parsed)) {
        return weir_kernel_put_integer(call, row, INT64_MIN);
    }
    return weir_kernel_put_integer(call, row, instant_of(zone, &parsed) / 1000);
}

/* TO_TIMESTAMP_LTZ(number, 0 for seconds or 3 for milliseconds); NULL outside of the years 1 to 9999. */
static int to_instant(weir_kernel_call *call, int64_t row, weir_error *err)
{
    int64_t precision = call->argument_count > 1 ? weir_kernel_integer(call, 1, row) : 3;
    if (precision != 0 && precision != 3) {
        return weir_fail(err, WEIR_INVALID,
                         "TO_TIMESTAMP_LTZ takes 0 (seconds) or 3 (milliseconds) as its precision, not %" PRId64,
                         precision);
    }
    double scale = precision == 0 ? 1000.0 : 1.0;
    const weir_type *type = call->types[0];
    int64_t millis;
    if (weir_type_is_approximate(type)) {
        double value = weir_kernel_double(call, 0, row) * scale;
        if (!(fabs(value) < 1e18)) {
            return weir_kernel_put_null(call, row);
        }
        millis = (int64_t)value;
    } else {
        weir_int128 value = weir_kernel_decimal(call, 0, row) * (precision == 0 ? 1000 : 1);
        value /= weir_power_of_ten(type->id == WEIR_DECIMAL ? type->scale : 0);
        if (value > INT64_C(253402300799999) || value < INT64_C(-62135596800000)) {
            return weir_kernel_put_null(call, row);
        }
        millis = (int64_t)value;
    }
    bool fits = millis <= INT64_C(253402300799999) && millis >= INT64_C(-62135596800000);
    return fits ? weir_kernel_put_timestamp(call, row, (weir_timestamp_nanos){millis, 0, 0})
                : weir_kernel_put_null(call, row);
}

/* TO_TIMESTAMP_LTZ(text[, pattern[, zone]]): on the clock of UTC when no zone is given. NULL for what does not fit. */
static int to_instant_of_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    bool given = call->argument_count > 1;
    weir_slice pattern = given ? weir_kernel_text(call, 1, row) : weir_slice_text("yyyy-MM-dd HH:mm:ss.SSS");
    char name[64] = "UTC";
    if (call->argument_count > 2) {
        weir_slice zone_name = weir_kernel_text(call, 2, row);
        snprintf(name, sizeof name, "%.*s", (int)(zone_name.size < 63 ? zone_name.size : 63),
                 (const char *)zone_name.data);
    }
    const weir_zone *zone = weir_zone_find(name);
    weir_parsed_time parsed;
    bool fits = weir_date_pattern_parse(WEIR_PATTERN_FORMATTER, pattern, text, &parsed) || parse_loosely(text, &parsed);
    if (zone == NULL || !fits) {
        return weir_kernel_put_null(call, row);
    }
    return weir_kernel_put_timestamp(call, row,
                                     (weir_timestamp_nanos){instant_of(zone, &parsed), parsed.nanos_of_milli, 0});
}

const weir_kernel weir_kernel_format_timestamp = {.name = "date_format", .row = format_timestamp};
const weir_kernel weir_kernel_format_text = {.name = "date_format", .row = format_text};
const weir_kernel weir_kernel_from_unixtime = {.name = "from_unixtime", .row = from_unixtime};
const weir_kernel weir_kernel_convert_zone = {.name = "convert_tz", .row = convert_zone};
const weir_kernel weir_kernel_to_timestamp = {.name = "to_timestamp", .row = to_timestamp};
const weir_kernel weir_kernel_to_date = {.name = "to_date", .row = to_date};
const weir_kernel weir_kernel_unix_timestamp = {.name = "unix_timestamp", .row = unix_timestamp};
const weir_kernel weir_kernel_to_instant_text = {.name = "to_timestamp_ltz", .row = to_instant_of_text};
const weir_kernel weir_kernel_to_instant_number = {.name = "to_timestamp_ltz", .row = to_instant};
