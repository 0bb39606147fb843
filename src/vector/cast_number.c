/* Casts among BOOLEAN, integers, floats and DECIMAL, with Java's meaning of a narrowing:
 *
 *   integer to integer    the low bits
 *   float to integer      towards zero; out of range the nearest INT (or BIGINT), NaN is 0; then the low bits
 *   decimal to integer    towards zero, then the low bits
 *   anything to decimal   half up; NULL where the precision is too small
 *   float to decimal      as the number that Java prints for the double
 *
 * Numbers that lie in one array go through blocks of int64 or double; decimals go one at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "vector/cast_rules.h"
#include "vector/decimal.h"

#define BLOCK_ROWS 1024

__extension__ typedef unsigned __int128 unsigned_int128;

/* --- blocks of integers and doubles --- */

static void load_integers(const weir_vector *from, int64_t first, int64_t count, int64_t *out)
{
    switch (from->layout) {
    case WEIR_LAYOUT_BIT:
        for (int64_t i = 0; i < count; i++) {
            out[i] = weir_bit_get(from->data, first + i);
        }
        break;
    case WEIR_LAYOUT_8:
        for (int64_t i = 0; i < count; i++) {
            out[i] = WEIR_VALUES(from, int8_t)[first + i];
        }
        break;
    case WEIR_LAYOUT_16:
        for (int64_t i = 0; i < count; i++) {
            out[i] = WEIR_VALUES(from, int16_t)[first + i];
        }
        break;
    case WEIR_LAYOUT_32:
        for (int64_t i = 0; i < count; i++) {
            out[i] = WEIR_VALUES(from, int32_t)[first + i];
        }
        break;
    default:
        memcpy(out, WEIR_VALUES(from, int64_t) + first, (size_t)count * sizeof *out);
        break;
    }
}

static void load_doubles(const weir_vector *from, int64_t first, int64_t count, double *out)
{
    if (from->type->id == WEIR_DOUBLE) {
        memcpy(out, WEIR_VALUES(from, double) + first, (size_t)count * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        out[i] = WEIR_VALUES(from, float)[first + i];
    }
}

static void store_booleans(weir_vector *out, int64_t first, const int64_t *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (values[i] != 0) {
            weir_bit_set(out->data, first + i);
        } else {
            weir_bit_clear(out->data, first + i);
        }
    }
}

static void store_integers(weir_vector *out, int64_t first, const int64_t *values, int64_t count)
{
    switch (out->type->id) {
    case WEIR_BOOLEAN:
        store_booleans(out, first, values, count);
        break;
    case WEIR_TINYINT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int8_t)[first + i] = (int8_t)values[i];
        }
        break;
    case WEIR_SMALLINT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int16_t)[first + i] = (int16_t)values[i];
        }
        break;
    case WEIR_INT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int32_t)[first + i] = (int32_t)values[i];
        }
        break;
    case WEIR_FLOAT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, float)[first + i] = (float)values[i];
        }
        break;
    case WEIR_DOUBLE:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, double)[first + i] = (double)values[i];
        }
        break;
    default:
        memcpy(WEIR_VALUES(out, int64_t) + first, values, (size_t)count * sizeof *values);
        break;
    }
}

static int32_t int_of_double(double value)
{
    if (isnan(value)) {
        return 0;
    }
    return value >= 2147483647.0 ? INT32_MAX : value <= -2147483648.0 ? INT32_MIN : (int32_t)value;
}

static int64_t long_of_double(double value)
{
    if (isnan(value)) {
        return 0;
    }
    return value >= 9223372036854775808.0 ? INT64_MAX : value <= -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

static void store_doubles(weir_vector *out, int64_t first, const double *values, int64_t count)
{
    switch (out->type->id) {
    case WEIR_TINYINT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int8_t)[first + i] = (int8_t)int_of_double(values[i]);
        }
        break;
    case WEIR_SMALLINT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int16_t)[first + i] = (int16_t)int_of_double(values[i]);
        }
        break;
    case WEIR_INT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int32_t)[first + i] = int_of_double(values[i]);
        }
        break;
    case WEIR_BIGINT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, int64_t)[first + i] = long_of_double(values[i]);
        }
        break;
    case WEIR_FLOAT:
        for (int64_t i = 0; i < count; i++) {
            WEIR_VALUES(out, float)[first + i] = (float)values[i];
        }
        break;
    default:
        memcpy(WEIR_VALUES(out, double) + first, values, (size_t)count * sizeof *values);
        break;
    }
}

static int cast_in_blocks(const weir_vector *from, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_cast_begin(from, out, err));
    for (int64_t first = 0; first < from->length; first += BLOCK_ROWS) {
        int64_t count = from->length - first < BLOCK_ROWS ? from->length - first : BLOCK_ROWS;
        if (weir_type_is_float(from->type)) {
            double values[BLOCK_ROWS];
            load_doubles(from, first, count, values);
            store_doubles(out, out->length + first, values, count);
        } else {
            int64_t values[BLOCK_ROWS];
            load_integers(from, first, count, values);
            store_integers(out, out->length + first, values, count);
        }
    }
    weir_cast_end(from, out);
    return WEIR_OK;
}

/* --- to decimals --- */

static weir_int128 divide_half_up(weir_int128 value, int32_t digits)
{
    if (digits > WEIR_MAX_DECIMAL_PRECISION) {
        return 0;
    }
    weir_int128 divisor = weir_power_of_ten(digits);
    weir_int128 quotient = value / divisor;
    weir_int128 rest = value % divisor;
    rest = rest < 0 ? -rest : rest;
    if (rest >= divisor - rest) {
        quotient += value < 0 ? -1 : 1;
    }
    return quotient;
}

/* The value with another scale; false where it has more digits than `precision` then. */
static bool rescale(weir_int128 *value, int32_t from_scale, int32_t to_scale, int32_t precision)
{
    if (*value == 0) {
        return true;
    }
    int32_t more = to_scale - from_scale;
    if (more > 0) {
        if (more >= precision || !weir_decimal_fits(*value, precision - more)) {
            return false;
        }
        *value *= weir_power_of_ten(more);
        return true;
    }
    *value = more < 0 ? divide_half_up(*value, -more) : *value;
    return weir_decimal_fits(*value, precision);
}

int weir_cast_append_decimal(weir_vector *out, weir_int128 unscaled, int32_t scale, weir_error *err)
{
    weir_int128 value = unscaled;
    if (!rescale(&value, scale, out->type->scale, out->type->precision)) {
        return weir_vector_append_nulls(out, 1, err);
    }
    if (out->layout == WEIR_LAYOUT_128) {
        return weir_vector_append_raw(out, &value, sizeof value, err);
    }
    int64_t small = (int64_t)value;
    return weir_vector_append_raw(out, &small, sizeof small, err);
}

static int append_double_as_decimal(weir_vector *out, double value, weir_buffer *scratch, weir_error *err)
{
    weir_buffer_clear(scratch);
    weir_format_double(value, scratch);
    if (!isfinite(value)) {
        return weir_fail(err, WEIR_INVALID, "%s is no decimal number", weir_buffer_text(scratch));
    }
    weir_int128 unscaled;
    bool fits = weir_decimal_parse(weir_buffer_slice(scratch), out->type->precision, out->type->scale, &unscaled);
    return fits ? weir_cast_append_decimal(out, unscaled, out->type->scale, err)
                : weir_vector_append_nulls(out, 1, err);
}

/* --- from decimals --- */

static weir_int128 decimal_at(const weir_vector *from, int64_t row)
{
    return from->layout == WEIR_LAYOUT_128 ? WEIR_VALUES(from, weir_int128)[row] : WEIR_VALUES(from, int64_t)[row];
}

/* Exactly rounded: small ones by one division of exact doubles, others through text. */
static double decimal_to_double(weir_int128 value, int32_t scale)
{
    if (scale <= 22 && weir_decimal_fits(value, 15)) {
        return (double)(int64_t)value / (double)weir_power_of_ten(scale);
    }
    char text[64];
    unsigned_int128 magnitude = value < 0 ? 0 - (unsigned_int128)value : (unsigned_int128)value;
    uint64_t high = (uint64_t)(magnitude / 10000000000000000000ull);
    uint64_t low = (uint64_t)(magnitude % 10000000000000000000ull);
    snprintf(text, sizeof text, "%s%" PRIu64 "%019" PRIu64 "e-%d", value < 0 ? "-" : "", high, low, (int)scale);
    return strtod(text, NULL);
}

static int append_decimal_as_primitive(weir_vector *out, weir_int128 value, int32_t scale, weir_error *err)
{
    weir_literal literal = {0};
    if (out->type->id == WEIR_DOUBLE) {
        literal.float64 = decimal_to_double(value, scale);
    } else if (out->type->id == WEIR_FLOAT) {
        literal.float32 = (float)decimal_to_double(value, scale);
    } else {
        uint64_t bits = (uint64_t)(value / weir_power_of_ten(scale));
        switch (out->type->id) {
        case WEIR_TINYINT:
            literal.integer = (int8_t)bits;
            break;
        case WEIR_SMALLINT:
            literal.integer = (int16_t)bits;
            break;
        case WEIR_INT:
            literal.integer = (int32_t)bits;
            break;
        default:
            literal.integer = (int64_t)bits;
            break;
        }
    }
    return weir_vector_append_literal(out, &literal, err);
}

/* --- one value at a time --- */

static int append_value(const weir_vector *from, int64_t row, weir_vector *out, weir_buffer *scratch, weir_error *err)
{
    if (from->type->id == WEIR_DECIMAL) {
        weir_int128 value = decimal_at(from, row);
        return out->type->id == WEIR_DECIMAL ? weir_cast_append_decimal(out, value, from->type->scale, err)
                                             : append_decimal_as_primitive(out, value, from->type->scale, err);
    }
    if (weir_type_is_float(from->type)) {
        double value;
        load_doubles(from, row, 1, &value);
        return append_double_as_decimal(out, value, scratch, err);
    }
    int64_t value;
    load_integers(from, row, 1, &value);
    return weir_cast_append_decimal(out, value, 0, err);
}

int weir_cast_numbers(const weir_vector *from, weir_vector *out, weir_error *err)
{
    if (from->type->id != WEIR_DECIMAL && out->type->id != WEIR_DECIMAL) {
        return cast_in_blocks(from, out, err);
    }
    weir_buffer scratch = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < from->length; i++) {
        WEIR_GO(weir_vector_is_null(from, i) ? weir_vector_append_nulls(out, 1, err)
                                             : append_value(from, i, out, &scratch, err));
    }
done:
    weir_buffer_free(&scratch);
    return code;
}
