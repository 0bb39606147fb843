/* Casts from text to values, by the grammars of Paimon's schema evolution, which are wider than SQL's in places and
 * narrower in others: fractions of integers are dropped, numbers are read as days, milliseconds or units of a
 * timestamp's precision, dates may lack their month and day. Text that is no value is WEIR_INVALID with the text.
 *
 * Text with local time zone is read in UTC. Times of day outside of a day, which Paimon lets through, are refused. */
#include <stdlib.h>

#include "vector/cast_rules.h"
#include "vector/decimal.h"
#include "vector/time_text.h"

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

static weir_slice part(weir_slice text, size_t from, size_t to) { return weir_slice_of(text.data + from, to - from); }

/* As Java's String.trim. */
static weir_slice trim(weir_slice text)
{
    while (text.size > 0 && text.data[0] <= ' ') {
        text = part(text, 1, text.size);
    }
    while (text.size > 0 && text.data[text.size - 1] <= ' ') {
        text.size--;
    }
    return text;
}

/* --- integers --- */

/* [sign] digits [. digits], the fraction is dropped; within min .. max. */
static bool read_integer(weir_slice text, int64_t min, int64_t max, int64_t *out)
{
    bool negative = text.size > 0 && text.data[0] == '-';
    size_t i = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
    if (i == text.size) {
        return false;
    }
    int64_t value = 0; /* negative, as the range is wider there */
    for (; i < text.size && text.data[i] != '.'; i++) {
        if (!is_digit(text.data[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, text.data[i] - '0', &value)) {
            return false;
        }
    }
    for (i++; i < text.size; i++) {
        if (!is_digit(text.data[i])) {
            return false;
        }
    }
    if (!negative && __builtin_sub_overflow(0, value, &value)) {
        return false;
    }
    *out = value;
    return value >= min && value <= max;
}

/* Whether the text is digits alone, with a minus before them at most. */
static bool is_whole_number(weir_slice text)
{
    size_t i = text.size > 0 && text.data[0] == '-' ? 1 : 0;
    if (i == text.size) {
        return false;
    }
    for (; i < text.size; i++) {
        if (!is_digit(text.data[i])) {
            return false;
        }
    }
    return true;
}

/* --- floats --- */

/* Whether the text is [sign] digits [. digits] [e [sign] digits], with a digit before the exponent: what both Java's
 * BigDecimal and its Double read. */
static bool is_number_text(weir_slice text)
{
    size_t i = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
    bool any = false;
    bool after_point = false;
    for (; i < text.size && (is_digit(text.data[i]) || (text.data[i] == '.' && !after_point)); i++) {
        after_point = after_point || text.data[i] == '.';
        any = any || is_digit(text.data[i]);
    }
    if (any && i < text.size && (text.data[i] == 'e' || text.data[i] == 'E')) {
        i += i + 1 < text.size && (text.data[i + 1] == '-' || text.data[i + 1] == '+') ? 2 : 1;
        any = i < text.size && is_digit(text.data[i]);
        while (i < text.size && is_digit(text.data[i])) {
            i++;
        }
    }
    return any && i == text.size;
}

/* The two words that Double reads, with a sign or without. */
static bool is_number_word(weir_slice text)
{
    size_t sign = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
    weir_slice word = part(text, sign, text.size);
    return weir_slice_equal(word, weir_slice_text("NaN")) || weir_slice_equal(word, weir_slice_text("Infinity"));
}

static bool read_float(weir_slice text, bool is_double, weir_buffer *scratch, weir_literal *out)
{
    text = trim(text);
    if (text.size > 1 && memchr("fFdD", text.data[text.size - 1], 4) != NULL) {
        text.size--; /* 1.5f is a number in Java */
    }
    if (!is_number_text(text) && !is_number_word(text)) {
        return false;
    }
    weir_buffer_clear(scratch);
    weir_buffer_append(scratch, text.data, text.size);
    const char *number = weir_buffer_text(scratch);
    if (is_double) {
        out->float64 = strtod(number, NULL);
    } else {
        out->float32 = strtof(number, NULL);
    }
    return true;
}

/* --- booleans --- */

static bool is_one_of(weir_slice text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strlen(*words) == text.size && strncasecmp(*words, (const char *)text.data, text.size) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_boolean(weir_slice text, bool *out)
{
    static const char *const true_words[] = {"t", "true", "y", "yes", "1", NULL};
    static const char *const false_words[] = {"f", "false", "n", "no", "0", NULL};
    *out = is_one_of(text, true_words);
    return *out || is_one_of(text, false_words);
}

/* --- dates and times --- */

static bool read_date(weir_slice text, int64_t *out)
{
    if (is_whole_number(text)) {
        return read_integer(text, INT32_MIN, INT32_MAX, out);
    }
    int32_t days = 0;
    bool valid = weir_date_parse(text, &days);
    *out = days;
    return valid;
}

static bool read_time(weir_slice text, int64_t *out)
{
    if (is_whole_number(text)) {
        return read_integer(text, 0, WEIR_MILLIS_PER_DAY - 1, out);
    }
    int32_t millis = 0;
    bool valid = weir_time_parse(text, &millis);
    *out = millis;
    return valid;
}

/* A whole number counts the units of the type's precision. */
static bool read_timestamp_number(weir_slice text, int precision, weir_timestamp_nanos *out)
{
    int64_t value;
    if (!read_integer(text, INT64_MIN, INT64_MAX, &value)) {
        return false;
    }
    if (precision <= 3) {
        return !__builtin_mul_overflow(value, (int64_t)weir_power_of_ten(3 - precision), &out->millis);
    }
    int64_t units = (int64_t)weir_power_of_ten(precision - 3); /* in a millisecond */
    out->millis = weir_floor_div(value, units);
    out->nanos_of_milli = (int32_t)(weir_floor_mod(value, units) * (1000000 / units));
    return true;
}

static bool read_timestamp(const weir_type *type, weir_slice text, weir_literal *out)
{
    weir_timestamp_nanos value = {0};
    bool is_number = type->id == WEIR_TIMESTAMP && is_whole_number(text);
    if (is_number ? !read_timestamp_number(text, type->precision, &value)
                  : !weir_timestamp_parse(text, type->precision, &value)) {
        return false;
    }
    if (type->precision > 6) {
        out->nanos = value;
        return true;
    }
    return weir_timestamp_narrow(value, type->precision, &out->integer);
}

/* --- choosing --- */

static bool read_value(const weir_type *type, weir_slice text, weir_buffer *scratch, weir_literal *out)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        return read_boolean(text, &out->boolean);
    case WEIR_TINYINT:
        return read_integer(text, INT8_MIN, INT8_MAX, &out->integer);
    case WEIR_SMALLINT:
        return read_integer(text, INT16_MIN, INT16_MAX, &out->integer);
    case WEIR_INT:
        return read_integer(text, INT32_MIN, INT32_MAX, &out->integer);
    case WEIR_BIGINT:
        return read_integer(text, INT64_MIN, INT64_MAX, &out->integer);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return read_float(text, type->id == WEIR_DOUBLE, scratch, out);
    case WEIR_DATE:
        return read_date(text, &out->integer);
    case WEIR_TIME:
        return read_time(text, &out->integer);
    default:
        return read_timestamp(type, text, out);
    }
}

static int fail_on_text(const weir_type *type, weir_slice text, weir_error *err)
{
    weir_buffer name = {0};
    weir_type_format(type, &name);
    int shown = text.size > 100 ? 100 : (int)text.size;
    int code = weir_fail(err, WEIR_INVALID, "'%.*s' cannot be read as %s", shown, (const char *)text.data,
                         weir_buffer_text(&name));
    weir_buffer_free(&name);
    return code;
}

static int append_decimal(weir_vector *out, weir_slice text, weir_error *err)
{
    if (!is_number_text(text)) {
        return fail_on_text(out->type, text, err);
    }
    weir_int128 unscaled;
    bool fits = weir_decimal_parse(text, out->type->precision, out->type->scale, &unscaled);
    return fits ? weir_cast_append_decimal(out, unscaled, out->type->scale, err)
                : weir_vector_append_nulls(out, 1, err);
}

static int append_value(weir_vector *out, weir_slice text, weir_buffer *scratch, weir_error *err)
{
    if (out->type->id == WEIR_DECIMAL) {
        return append_decimal(out, text, err);
    }
    weir_literal value = {0};
    bool valid = read_value(out->type, text, scratch, &value);
    return valid ? weir_vector_append_literal(out, &value, err) : fail_on_text(out->type, text, err);
}

int weir_cast_from_text(const weir_vector *from, weir_vector *out, weir_error *err)
{
    weir_buffer scratch = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < from->length; i++) {
        WEIR_GO(weir_vector_is_null(from, i) ? weir_vector_append_nulls(out, 1, err)
                                             : append_value(out, weir_vector_bytes(from, i), &scratch, err));
    }
done:
    weir_buffer_free(&scratch);
    return code;
}
