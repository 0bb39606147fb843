/* Casts to and from text and bytes, as Flink prints and reads values. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/text.h"
#include "base/zone.h"
#include "sql/function/kernels.h"
#include "vector/java_text.h"
#include "vector/literal.h"

/* --- To text --------------------------------------------------------------------------------------------------- */

/* What is in scratch, cut or padded to CHAR(n), cut to VARCHAR(n); lengths are in code points. */
static int put_fitted(weir_kernel_call *call, int64_t row)
{
    size_t length = (size_t)call->type->precision;
    weir_buffer *text = &call->scratch;
    if (call->type->precision != WEIR_MAX_LENGTH && (text->size > length || call->type->id == WEIR_CHAR)) {
        text->size = weir_utf8_prefix(weir_buffer_slice(text), length);
        if (call->type->id == WEIR_CHAR) {
            for (size_t have = weir_utf8_length(weir_buffer_slice(text)); have < length; have++) {
                weir_buffer_append_byte(text, ' ');
            }
        }
    }
    return weir_kernel_put_scratch(call, row);
}

static int integer_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_buffer_append_format(&call->scratch, "%" PRId64, weir_kernel_integer(call, 0, row));
    return put_fitted(call, row);
}

static int float_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_format_float(((const float *)call->data[0])[row], &call->scratch);
    return put_fitted(call, row);
}

static int double_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_format_double(((const double *)call->data[0])[row], &call->scratch);
    return put_fitted(call, row);
}

static int decimal_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_decimal_format(weir_kernel_decimal(call, 0, row), call->types[0]->scale, &call->scratch);
    return put_fitted(call, row);
}

static int boolean_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_buffer_append_text(&call->scratch, weir_kernel_boolean(call, 0, row) ? "TRUE" : "FALSE");
    return put_fitted(call, row);
}

static int text_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_buffer_append(&call->scratch, text.data, text.size);
    return put_fitted(call, row);
}

static int bytes_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_java_text_append(weir_kernel_text(call, 0, row), &call->scratch);
    return put_fitted(call, row);
}

static int date_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_date_format(weir_kernel_integer(call, 0, row), &call->scratch);
    return put_fitted(call, row);
}

/* Flink prints no fraction, whatever the precision. */
static int time_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_time_format((int32_t)weir_kernel_integer(call, 0, row), 0, &call->scratch);
    return put_fitted(call, row);
}

static int timestamp_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_timestamp_format(weir_kernel_timestamp(call, 0, row), call->types[0]->precision, &call->scratch);
    return put_fitted(call, row);
}

static int instant_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    weir_timestamp_nanos local = weir_kernel_to_local(zone, weir_kernel_timestamp(call, 0, row));
    weir_timestamp_format(local, call->types[0]->precision, &call->scratch);
    return put_fitted(call, row);
}

static int months_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t months = weir_kernel_integer(call, 0, row);
    int64_t magnitude = months < 0 ? -months : months;
    weir_buffer_append_format(&call->scratch, "%c%" PRId64 "-%02" PRId64, months < 0 ? '-' : '+', magnitude / 12,
                              magnitude % 12);
    return put_fitted(call, row);
}

static int millis_to_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t millis = weir_kernel_integer(call, 0, row);
    uint64_t rest = millis < 0 ? 0 - (uint64_t)millis : (uint64_t)millis;
    weir_buffer_append_format(&call->scratch, "%c%" PRIu64 " %02d:%02d:%02d.%03d", millis < 0 ? '-' : '+',
                              rest / WEIR_MILLIS_PER_DAY, (int)(rest / 3600000 % 24), (int)(rest / 60000 % 60),
                              (int)(rest / 1000 % 60), (int)(rest % 1000));
    return put_fitted(call, row);
}

/* Nested values: the vector room prints them; length is fitted as for all text. */
static int nested_to_text(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    weir_buffer text = {0};
    int code = WEIR_OK;
    for (int64_t row = 0; row < call->length && code == WEIR_OK; row++) {
        if (weir_vector_is_null(&arguments[0], row)) {
            code = weir_vector_append_nulls(out, 1, err);
            continue;
        }
        weir_buffer_clear(&text);
        weir_value_to_text(&arguments[0], row, &text);
        size_t length = (size_t)call->type->precision;
        if (call->type->precision != WEIR_MAX_LENGTH) {
            text.size = weir_utf8_prefix(weir_buffer_slice(&text), length);
        }
        for (size_t have = weir_utf8_length(weir_buffer_slice(&text)); call->type->id == WEIR_CHAR && have < length;
             have++) {
            weir_buffer_append_byte(&text, ' ');
        }
        code = weir_vector_append_raw(out, text.data == NULL ? (const void *)"" : text.data, text.size, err);
    }
    weir_buffer_free(&text);
    return code;
}

static const weir_kernel from_integer = {.name = "to_text", .row = integer_to_text};
static const weir_kernel from_float = {.name = "to_text", .row = float_to_text};
static const weir_kernel from_double = {.name = "to_text", .row = double_to_text};
static const weir_kernel from_decimal = {.name = "to_text", .row = decimal_to_text};
static const weir_kernel from_boolean = {.name = "to_text", .row = boolean_to_text};
static const weir_kernel from_text = {.name = "to_text", .row = text_to_text};
static const weir_kernel from_bytes = {.name = "to_text", .row = bytes_to_text};
static const weir_kernel from_date = {.name = "to_text", .row = date_to_text};
static const weir_kernel from_time = {.name = "to_text", .row = time_to_text};
static const weir_kernel from_timestamp = {.name = "to_text", .row = timestamp_to_text};
static const weir_kernel from_instant = {.name = "to_text", .row = instant_to_text};
static const weir_kernel from_months = {.name = "to_text_months", .row = months_to_text};
static const weir_kernel from_millis = {.name = "to_text_millis", .row = millis_to_text};
static const weir_kernel from_nested = {.name = "to_text", .nested = nested_to_text, .sees_nulls = true};

const weir_kernel *weir_kernel_cast_to_text(const weir_type *from, bool *out_needs_zone)
{
    switch ((int)from->id) {
    case WEIR_BOOLEAN:
        return &from_boolean;
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
        return &from_integer;
    case WEIR_FLOAT:
        return &from_float;
    case WEIR_DOUBLE:
        return &from_double;
    case WEIR_DECIMAL:
        return &from_decimal;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return &from_text;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return &from_bytes;
    case WEIR_DATE:
        return &from_date;
    case WEIR_TIME:
        return &from_time;
    case WEIR_TIMESTAMP:
        return &from_timestamp;
    case WEIR_TIMESTAMP_LTZ:
        *out_needs_zone = true;
        return &from_instant;
    case WEIR_INTERVAL_MONTHS:
        return &from_months;
    case WEIR_INTERVAL_MILLIS:
        return &from_millis;
    default:
        return &from_nested;
    }
}

/* --- From text ------------------------------------------------------------------------------------------------- */

static weir_slice trim(weir_slice text)
{
    while (text.size > 0 && text.data[0] <= ' ') {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && text.data[text.size - 1] <= ' ') {
        text.size--;
    }
    return text;
}

static int fail_text(weir_kernel_call *call, weir_slice text, weir_error *err)
{
    weir_buffer type = {0};
    weir_sql_type_format(call->type, &type);
    int shown = (int)weir_utf8_prefix(text, 60);
    weir_fail(err, WEIR_INVALID, "'%.*s' can't be cast to %s; TRY_CAST gives NULL instead", shown,
              (const char *)text.data, weir_buffer_text(&type));
    weir_buffer_free(&type);
    return WEIR_INVALID;
}

/* [+-]digits[.digits]: the fraction is cut off. */
static bool parse_integer(weir_slice text, int64_t lowest, int64_t highest, int64_t *out)
{
    size_t i = 0;
    bool negative = text.size > 0 && text.data[0] == '-';
    if (text.size > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        i = 1;
    }
    if (i == text.size) {
        return false;
    }
    weir_int128 value = 0;
    for (; i < text.size && text.data[i] != '.'; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || value > INT64_MAX) {
            return false;
        }
        value = value * 10 + (text.data[i] - '0');
    }
    for (i++; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    value = negative ? -value : value;
    *out = (int64_t)value;
    return value >= lowest && value <= highest;
}

static int text_to_integer(weir_kernel_call *call, int64_t row, weir_error *err)
{
    static const int64_t highest[] = {INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX};
    int64_t high = highest[call->type->id - WEIR_TINYINT];
    weir_slice text = weir_kernel_text(call, 0, row);
    int64_t value;
    if (!parse_integer(trim(text), -high - 1, high, &value)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_integer(call, row, value);
}

/* What Double.parseDouble takes: also 1d, 0x1p3, NaN, Infinity, but none of C's other words. */
static bool parse_double(weir_slice text, bool single, double *out)
{
    char copy[512];
    if (text.size == 0 || text.size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    const char *unsigned_text = copy[0] == '-' || copy[0] == '+' ? copy + 1 : copy;
    if (strcmp(unsigned_text, "NaN") == 0 || strcmp(unsigned_text, "Infinity") == 0) {
        double value = unsigned_text[0] == 'N' ? NAN : INFINITY;
        *out = copy[0] == '-' ? -value : value;
        return true;
    }
    char last = copy[text.size - 1];
    bool hexadecimal = strncasecmp(unsigned_text, "0x", 2) == 0;
    if (last == 'd' || last == 'D' || last == 'f' || last == 'F') {
        if (!hexadecimal || strpbrk(copy, "pP") != NULL) {
            copy[text.size - 1] = '\0';
        }
    }
    bool starts = (*unsigned_text >= '0' && *unsigned_text <= '9') || *unsigned_text == '.';
    if (!starts || (hexadecimal && strpbrk(copy, "pP") == NULL)) {
        return false;
    }
    char *end;
    *out = single ? (double)strtof(copy, &end) : strtod(copy, &end);
    return *end == '\0' && end > unsigned_text;
}

static int text_to_double(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    double value;
    if (!parse_double(trim(text), call->type->id == WEIR_FLOAT, &value)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_double(call, row, value);
}

static int text_to_decimal(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_int128 value;
    if (!weir_decimal_parse(trim(text), call->type->precision, call->type->scale, &value)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_decimal(call, row, value);
}

static int text_to_boolean(weir_kernel_call *call, int64_t row, weir_error *err)
{
    static const char *const words[] = {"t", "true", "y", "yes", "1", "f", "false", "n", "no", "0"};
    weir_slice text = weir_kernel_text(call, 0, row);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (text.size == strlen(words[i]) && strncasecmp((const char *)text.data, words[i], text.size) == 0) {
            return weir_kernel_put_boolean(call, row, i < 5);
        }
    }
    return fail_text(call, text, err);
}

static int text_to_date(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    int32_t days;
    if (!weir_date_parse(trim(text), &days)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_integer(call, row, days);
}

static int text_to_time(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    int32_t millis;
    if (!weir_time_parse(trim(text), &millis)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_integer(call, row, millis);
}

/* A day that its month lacks, up to the 31st, is the month's last one (Java's smart resolving). */
static bool parse_timestamp(weir_slice text, int precision, weir_timestamp_nanos *out)
{
    if (weir_timestamp_parse(text, precision, out)) {
        return true;
    }
    char copy[64];
    if (text.size >= sizeof copy || text.size < 8) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    char *month = strchr(copy, '-');
    char *day = month == NULL ? NULL : strchr(month + 1, '-');
    if (day == NULL || (day[1] != '2' && day[1] != '3') || day[2] < '0' || day[2] > '1' + 8 * (day[1] == '2')) {
        return false;
    }
    for (int tries = 0; tries < 3; tries++) {
        day[2] = day[2] == '0' ? '9' : (char)(day[2] - 1);
        day[1] = day[2] == '9' ? '2' : day[1];
        if (weir_timestamp_parse(weir_slice_of(copy, text.size), precision, out)) {
            return true;
        }
    }
    return false;
}

static int text_to_timestamp(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_timestamp_nanos value;
    if (!parse_timestamp(text, call->type->precision, &value)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_timestamp(call, row, value);
}

static int text_to_instant(weir_kernel_call *call, int64_t row, weir_error *err)
{
    const weir_zone *zone;
    WEIR_TRY(weir_kernel_zone(call, &zone, err));
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_timestamp_nanos value;
    if (!parse_timestamp(text, call->type->precision, &value)) {
        return fail_text(call, text, err);
    }
    return weir_kernel_put_timestamp(call, row, weir_kernel_to_instant(zone, value));
}

/* Text and bytes to bytes: cut, and padded with zeros for BINARY(n). */
static int bytes_to_bytes(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice bytes = weir_kernel_text(call, 0, row);
    size_t length = (size_t)call->type->precision;
    weir_buffer_append(&call->scratch, bytes.data, bytes.size < length ? bytes.size : length);
    if (call->type->id == WEIR_BINARY && call->scratch.size < length) {
        weir_buffer_append_zeros(&call->scratch, length - call->scratch.size);
    }
    return weir_kernel_put_scratch(call, row);
}

enum { AS_INTEGER, AS_DOUBLE, AS_DECIMAL, AS_BOOLEAN, AS_DATE, AS_TIME, AS_TIMESTAMP, AS_INSTANT, AS_BYTES, AS_COUNT };

static const weir_kernel strict[AS_COUNT] = {
    [AS_INTEGER] = {.name = "cast", .row = text_to_integer},
    [AS_DOUBLE] = {.name = "cast", .row = text_to_double},
    [AS_DECIMAL] = {.name = "cast", .row = text_to_decimal},
    [AS_BOOLEAN] = {.name = "cast", .row = text_to_boolean},
    [AS_DATE] = {.name = "cast", .row = text_to_date},
    [AS_TIME] = {.name = "cast", .row = text_to_time},
    [AS_TIMESTAMP] = {.name = "cast", .row = text_to_timestamp},
    [AS_INSTANT] = {.name = "cast", .row = text_to_instant},
    [AS_BYTES] = {.name = "cast", .row = bytes_to_bytes},
};

static const weir_kernel lenient[AS_COUNT] = {
    [AS_INTEGER] = {.name = "try_cast", .row = text_to_integer, .null_on_error = true},
    [AS_DOUBLE] = {.name = "try_cast", .row = text_to_double, .null_on_error = true},
    [AS_DECIMAL] = {.name = "try_cast", .row = text_to_decimal, .null_on_error = true},
    [AS_BOOLEAN] = {.name = "try_cast", .row = text_to_boolean, .null_on_error = true},
    [AS_DATE] = {.name = "try_cast", .row = text_to_date, .null_on_error = true},
    [AS_TIME] = {.name = "try_cast", .row = text_to_time, .null_on_error = true},
    [AS_TIMESTAMP] = {.name = "try_cast", .row = text_to_timestamp, .null_on_error = true},
    [AS_INSTANT] = {.name = "try_cast", .row = text_to_instant, .null_on_error = true},
    [AS_BYTES] = {.name = "try_cast", .row = bytes_to_bytes, .null_on_error = true},
};

const weir_kernel *weir_kernel_cast_from_text(const weir_type *to, bool try_cast, bool *out_needs_zone)
{
    const weir_kernel *kernels = try_cast ? lenient : strict;
    switch (to->id) {
    case WEIR_BOOLEAN:
        return &kernels[AS_BOOLEAN];
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
        return &kernels[AS_INTEGER];
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return &kernels[AS_DOUBLE];
    case WEIR_DECIMAL:
        return &kernels[AS_DECIMAL];
    case WEIR_DATE:
        return &kernels[AS_DATE];
    case WEIR_TIME:
        return &kernels[AS_TIME];
    case WEIR_TIMESTAMP:
        return &kernels[AS_TIMESTAMP];
    case WEIR_TIMESTAMP_LTZ:
        *out_needs_zone = true;
        return &kernels[AS_INSTANT];
    default:
        return &kernels[AS_BYTES];
    }
}
