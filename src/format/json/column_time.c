/* DATE, TIME and timestamps: as text in the format that the table states, or, where the schema beside the event says
 * so, as numbers since 1970-01-01 or since midnight, and as text with an offset. */
#include "format/json/column_convert.h"
#include "format/json/number.h"
#include "format/json/time.h"
#include "vector/time_text.h"

/* A number that an encoding gives a meaning to. */
static bool read_number(const weir_json_conversion *conversion, const weir_json_column *column, weir_json_span span,
                        int64_t *out)
{
    return column->encoding >= WEIR_JSON_EPOCH_DAYS && column->encoding <= WEIR_JSON_EPOCH_NANOS &&
           span.token == WEIR_JSON_INTEGER && weir_json_int64(conversion->base + span.offset, span.size, out);
}

/* A number since 1970-01-01, or since midnight, as milliseconds and the nanoseconds within one. */
static bool widen(weir_json_encoding encoding, int64_t number, weir_timestamp_nanos *out)
{
    static const int64_t per_milli[] = {
        [WEIR_JSON_EPOCH_MILLIS] = 1, [WEIR_JSON_EPOCH_MICROS] = 1000, [WEIR_JSON_EPOCH_NANOS] = 1000000};
    *out = (weir_timestamp_nanos){0};
    if (encoding == WEIR_JSON_EPOCH_DAYS) {
        return !__builtin_mul_overflow(number, (int64_t)WEIR_MILLIS_PER_DAY, &out->millis);
    }
    int64_t unit = per_milli[encoding];
    out->millis = weir_floor_div(number, unit);
    out->nanos_of_milli = (int32_t)(weir_floor_mod(number, unit) * (1000000 / unit));
    return true;
}

/* ---- DATE and TIME ---- */

static weir_json_fit parse_date(const weir_json_conversion *conversion, const weir_json_column *column,
                                weir_json_span span, void *out)
{
    int64_t number;
    weir_timestamp_nanos instant;
    if (read_number(conversion, column, span, &number)) {
        if (!widen(column->encoding, number, &instant)) {
            return WEIR_JSON_MISFIT;
        }
        int64_t days = weir_floor_div(instant.millis, WEIR_MILLIS_PER_DAY);
        int32_t narrow = (int32_t)days;
        memcpy(out, &narrow, sizeof narrow);
        return narrow == days ? WEIR_JSON_FITS : WEIR_JSON_MISFIT;
    }
    weir_slice text = weir_json_plain_text(conversion, span);
    bool fits = span.token == WEIR_JSON_STRING && weir_json_date(text.data, text.size, out);
    if (!fits && column->encoding == WEIR_JSON_LOOSE_TEXT) {
        weir_timestamp_nanos loose;
        fits = text.size <= sizeof "yyyy-mm-dd" - 1 && weir_timestamp_parse(text, 0, &loose);
        int32_t days = fits ? (int32_t)weir_floor_div(loose.millis, WEIR_MILLIS_PER_DAY) : 0;
        memcpy(out, &days, sizeof days);
    }
    return fits ? WEIR_JSON_FITS : WEIR_JSON_MISFIT;
}

/* What is finer than the column's precision is cut off. */
static int32_t cut_millis(int32_t millis, int precision)
{
    static const int32_t units[] = {1000, 100, 10, 1};
    return precision < 3 ? millis - millis % units[precision] : millis;
}

static weir_json_fit parse_time(const weir_json_conversion *conversion, const weir_json_column *column,
                                weir_json_span span, void *out)
{
    int32_t millis;
    int64_t number;
    weir_timestamp_nanos of_day;
    if (read_number(conversion, column, span, &number)) {
        if (!widen(column->encoding, number, &of_day) || of_day.millis < 0 || of_day.millis >= WEIR_MILLIS_PER_DAY) {
            return WEIR_JSON_MISFIT;
        }
        millis = (int32_t)of_day.millis;
    } else {
        weir_slice text = weir_json_plain_text(conversion, span);
        if (column->encoding == WEIR_JSON_ZONED_TEXT && text.size > 0 && text.data[text.size - 1] == 'Z') {
            text.size--; /* Debezium's ZonedTime is in UTC */
        }
        if (span.token != WEIR_JSON_STRING || !weir_json_time(text.data, text.size, &millis)) {
            return WEIR_JSON_MISFIT;
        }
    }
    millis = cut_millis(millis, column->type->precision);
    memcpy(out, &millis, sizeof millis);
    return WEIR_JSON_FITS;
}

WEIR_JSON_DEFINE_FIXED(weir_json_convert_date, sizeof(int32_t), parse_date)
WEIR_JSON_DEFINE_FIXED(weir_json_convert_time, sizeof(int32_t), parse_time)

/* ---- timestamps ---- */

static weir_timestamp_nanos cut_timestamp(weir_timestamp_nanos value, int precision)
{
    static const int32_t units[] = {1000, 100, 10, 1000000, 100000, 10000, 1000, 100, 10, 1};
    if (precision < 3) {
        value.millis -= weir_floor_mod(value.millis, units[precision]);
        value.nanos_of_milli = 0;
    } else {
        value.nanos_of_milli -= value.nanos_of_milli % units[precision];
    }
    return value;
}

static bool read_timestamp(const weir_json_conversion *conversion, const weir_json_column *column, weir_json_span span,
                           weir_timestamp_nanos *out)
{
    int64_t number;
    if (read_number(conversion, column, span, &number)) {
        return widen(column->encoding, number, out);
    }
    if (span.token != WEIR_JSON_STRING) {
        return false;
    }
    weir_slice text = weir_json_plain_text(conversion, span);
    if (column->encoding == WEIR_JSON_ZONED_TEXT) {
        return weir_json_timestamp(text.data, text.size, WEIR_JSON_TIME_ISO_8601, WEIR_JSON_ZONE_OPTIONAL, out);
    }
    weir_json_time_format format = conversion->options->time_format;
    if (column->encoding == WEIR_JSON_LOOSE_TEXT && column->type->id == WEIR_TIMESTAMP) {
        return weir_timestamp_parse(text, 9, out);
    }
    weir_json_zone zone = format == WEIR_JSON_TIME_ISO_8601_OFFSET ? WEIR_JSON_ZONE_OPTIONAL
                          : column->type->id == WEIR_TIMESTAMP_LTZ ? WEIR_JSON_ZONE_Z
                                                                   : WEIR_JSON_ZONE_NONE;
    return weir_json_timestamp(text.data, text.size, format, zone, out);
}

static weir_json_fit parse_timestamp(const weir_json_conversion *conversion, const weir_json_column *column,
                                     weir_json_span span, void *out)
{
    weir_timestamp_nanos value;
    int64_t narrow;
    if (!read_timestamp(conversion, column, span, &value) ||
        !weir_timestamp_narrow(cut_timestamp(value, column->type->precision), column->type->precision, &narrow)) {
        return WEIR_JSON_MISFIT;
    }
    memcpy(out, &narrow, sizeof narrow);
    return WEIR_JSON_FITS;
}

static weir_json_fit parse_nano_timestamp(const weir_json_conversion *conversion, const weir_json_column *column,
                                          weir_json_span span, void *out)
{
    weir_timestamp_nanos value;
    if (!read_timestamp(conversion, column, span, &value)) {
        return WEIR_JSON_MISFIT;
    }
    value = cut_timestamp(value, column->type->precision);
    memcpy(out, &value, sizeof value);
    return WEIR_JSON_FITS;
}

WEIR_JSON_DEFINE_FIXED(weir_json_convert_timestamp, sizeof(int64_t), parse_timestamp)
WEIR_JSON_DEFINE_FIXED(weir_json_convert_nano_timestamp, sizeof(weir_timestamp_nanos), parse_nano_timestamp)
