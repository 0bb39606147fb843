/* DECIMAL: from numbers and text, exactly, and from what Debezium's connectors make of decimals by default.
 *
 * As in Flink, a number with more digits than its column has becomes NULL, and is no error. */
#include "base/text.h"
#include "format/json/column_convert.h"
#include "format/json/number.h"
#include "format/json/text.h"
#include "vector/decimal.h"

#define MAX_DECIMAL_BYTES 64 /* of a number in base64, far more than 38 digits need */

/* Takes an unscaled number with `scale` digits after the point to the scale of the column. */
static weir_json_fit rescale(weir_int128 unscaled, int64_t scale, const weir_type *type, weir_int128 *out)
{
    int64_t more = type->scale - scale;
    if (more < -WEIR_MAX_DECIMAL_PRECISION) {
        unscaled = 0;
    } else if (more < 0) {
        weir_int128 divisor = weir_power_of_ten((int)-more);
        weir_int128 rest = unscaled % divisor;
        unscaled /= divisor;
        if (rest >= divisor - rest) { /* half up, away from zero */
            unscaled++;
        } else if (-rest >= divisor + rest) {
            unscaled--;
        }
    } else if (unscaled != 0) {
        if (more > WEIR_MAX_DECIMAL_PRECISION ||
            __builtin_mul_overflow(unscaled, weir_power_of_ten((int)more), &unscaled)) {
            return WEIR_JSON_FITS_AS_NULL;
        }
    }
    *out = unscaled;
    return weir_decimal_fits(unscaled, type->precision) ? WEIR_JSON_FITS : WEIR_JSON_FITS_AS_NULL;
}

/* base64 of a big-endian two's complement number of any length. */
static weir_json_fit decode_bytes(const weir_json_conversion *conversion, weir_json_span span, int64_t scale,
                                  const weir_type *type, weir_int128 *out)
{
    uint8_t bytes[MAX_DECIMAL_BYTES];
    size_t size;
    if (span.token != WEIR_JSON_STRING || span.size > sizeof bytes ||
        !weir_json_base64_decode(conversion->base + span.offset, span.size, bytes, &size)) {
        return WEIR_JSON_MISFIT;
    }
    bool negative = size > 0 && bytes[0] >= 0x80;
    uint64_t sign = negative ? UINT64_MAX : 0;
    uint64_t high = sign;
    uint64_t low = sign;
    for (size_t i = 0; i < size; i++) {
        bool is_lost = size - i > 16 && bytes[i] != (uint8_t)sign;
        if (is_lost) {
            return WEIR_JSON_FITS_AS_NULL;
        }
        high = high << 8 | low >> 56;
        low = low << 8 | bytes[i];
    }
    if (high >> 63 != sign >> 63) {
        return WEIR_JSON_FITS_AS_NULL;
    }
    weir_int128 value = (weir_int128)(int64_t)high * ((weir_int128)1 << 64) + low;
    return rescale(value, scale, type, out);
}

/* {"scale": 2, "value": "…"}: each number has its own scale. */
static weir_json_fit decode_variable(const weir_json_conversion *conversion, weir_json_span span, const weir_type *type,
                                     weir_int128 *out)
{
    static const char *const texts[] = {"scale", "value"};
    weir_json_names names;
    weir_json_span members[2];
    weir_json_names_init(&names, texts, 2);
    weir_json_cursor cursor = weir_json_cursor_of(conversion->base, span);
    weir_json_take_members(&cursor, &names, members);
    weir_json_names_free(&names);
    int64_t scale;
    if (members[0].token != WEIR_JSON_INTEGER ||
        !weir_json_int64(conversion->base + members[0].offset, members[0].size, &scale) || scale != (int32_t)scale) {
        return WEIR_JSON_MISFIT;
    }
    return decode_bytes(conversion, members[1], scale, type, out);
}

static weir_json_fit parse_any(const weir_json_conversion *conversion, const weir_json_column *column,
                               weir_json_span span, weir_int128 *out)
{
    if (column->encoding == WEIR_JSON_DECIMAL_BYTES) {
        return decode_bytes(conversion, span, column->encoding_scale, column->type, out);
    }
    if (column->encoding == WEIR_JSON_DECIMAL_VARIABLE && span.token == WEIR_JSON_OBJECT) {
        return decode_variable(conversion, span, column->type, out);
    }
    if (!weir_json_is_simple(span)) {
        return WEIR_JSON_MISFIT;
    }
    weir_slice text = weir_json_plain_text(conversion, span);
    if (weir_decimal_parse(text, column->type->precision, column->type->scale, out)) {
        return WEIR_JSON_FITS;
    }
    double approximate;
    bool is_number = text.size > 0 && (text.data[text.size - 1] | 0x20) < 'a' && /* not NaN, not Infinity */
                     weir_json_double(text.data, text.size, &approximate);
    return is_number ? WEIR_JSON_FITS_AS_NULL : WEIR_JSON_MISFIT;
}

static inline bool is_encoded(const weir_json_column *column)
{
    return column->encoding == WEIR_JSON_DECIMAL_BYTES || column->encoding == WEIR_JSON_DECIMAL_VARIABLE;
}

static weir_json_fit parse_narrow(const weir_json_conversion *conversion, const weir_json_column *column,
                                  weir_json_span span, void *out)
{
    int64_t narrow;
    if (!is_encoded(column) && weir_json_is_simple(span) &&
        weir_json_plain_decimal(conversion->base + span.offset, span.size, column->type->scale, &narrow)) {
        int64_t limit = (int64_t)weir_powers_of_ten[column->type->precision];
        memcpy(out, &narrow, sizeof narrow);
        return narrow < limit && narrow > -limit ? WEIR_JSON_FITS : WEIR_JSON_FITS_AS_NULL;
    }
    weir_int128 value;
    weir_json_fit fit = parse_any(conversion, column, span, &value);
    if (fit == WEIR_JSON_FITS) {
        narrow = (int64_t)value;
        memcpy(out, &narrow, sizeof narrow);
    }
    return fit;
}

static weir_json_fit parse_wide(const weir_json_conversion *conversion, const weir_json_column *column,
                                weir_json_span span, void *out)
{
    weir_int128 value;
    weir_json_fit fit = parse_any(conversion, column, span, &value);
    if (fit == WEIR_JSON_FITS) {
        memcpy(out, &value, sizeof value);
    }
    return fit;
}

WEIR_JSON_DEFINE_FIXED(weir_json_convert_decimal, sizeof(int64_t), parse_narrow)
WEIR_JSON_DEFINE_FIXED(weir_json_convert_wide_decimal, sizeof(weir_int128), parse_wide)
