/* BOOLEAN, whole numbers, FLOAT and DOUBLE, by the rules of Flink's JsonToRowDataConverters: text is read as well as
 * numbers. */
#include <strings.h>

#include "format/json/column_convert.h"
#include "format/json/number.h"
#include "vector/bits.h"

/* ---- BOOLEAN ---- */

/* Other than in Flink, 1 is TRUE: so MySQL's TINYINT(1) arrives, and nothing else can be meant. */
static weir_json_fit parse_boolean(const weir_json_conversion *conversion, weir_json_span span, bool *out)
{
    *out = span.token == WEIR_JSON_TRUE;
    if (weir_json_is_simple(span)) {
        weir_slice text = weir_json_plain_text(conversion, span);
        *out = (text.size == 4 && strncasecmp((const char *)text.data, "true", 4) == 0) ||
               (text.size == 1 && text.data[0] == '1');
    }
    return span.token < WEIR_JSON_OBJECT ? WEIR_JSON_FITS : WEIR_JSON_MISFIT;
}

int weir_json_convert_boolean(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                              int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    int64_t null_count = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        bool value = false;
        weir_json_fit fit = weir_json_is_null(span) ? WEIR_JSON_FITS_AS_NULL : parse_boolean(conversion, span, &value);
        if (fit == WEIR_JSON_MISFIT) {
            weir_json_reject(conversion, column, span);
        }
        weir_bits_fill(out->data, out->length + i, 1, value);
        column->nulls[i] = fit != WEIR_JSON_FITS;
        null_count += fit != WEIR_JSON_FITS;
    }
    return weir_json_end_values(column, count, null_count, out, err);
}

/* ---- whole numbers ---- */

/* INT and BIGINT cut off what a number (not a text) has after the point. */
static bool read_fraction(weir_slice text, int64_t *out)
{
    double value;
    if (!weir_json_double(text.data, text.size, &value) || !(value > -0x1p63 && value < 0x1p63)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

static inline __attribute__((always_inline)) bool parse_whole(const weir_json_conversion *conversion,
                                                              weir_json_span span, int64_t least, int64_t most,
                                                              bool cut_fractions, int64_t *out)
{
    if (!weir_json_is_simple(span)) {
        return false;
    }
    weir_slice text = weir_json_plain_text(conversion, span);
    bool read = cut_fractions && span.token == WEIR_JSON_NUMBER ? read_fraction(text, out)
                                                                : weir_json_int64(text.data, text.size, out);
    return read && *out >= least && *out <= most;
}

#define DEFINE_WHOLE(name, ctype, least, most, cut_fractions)                                                          \
    static weir_json_fit parse_##name(const weir_json_conversion *conversion, const weir_json_column *column,          \
                                      weir_json_span span, void *out)                                                  \
    {                                                                                                                  \
        (void)column;                                                                                                  \
        int64_t value;                                                                                                 \
        if (!parse_whole(conversion, span, least, most, cut_fractions, &value)) {                                      \
            return WEIR_JSON_MISFIT;                                                                                   \
        }                                                                                                              \
        ctype narrow = (ctype)value;                                                                                   \
        memcpy(out, &narrow, sizeof narrow);                                                                           \
        return WEIR_JSON_FITS;                                                                                         \
    }                                                                                                                  \
    WEIR_JSON_DEFINE_FIXED(weir_json_convert_##name, sizeof(ctype), parse_##name)

DEFINE_WHOLE(tinyint, int8_t, INT8_MIN, INT8_MAX, false)
DEFINE_WHOLE(smallint, int16_t, INT16_MIN, INT16_MAX, false)
DEFINE_WHOLE(int, int32_t, INT32_MIN, INT32_MAX, true)
DEFINE_WHOLE(bigint, int64_t, INT64_MIN, INT64_MAX, true)

/* ---- FLOAT and DOUBLE ---- */

static weir_json_fit parse_double(const weir_json_conversion *conversion, const weir_json_column *column,
                                  weir_json_span span, void *out)
{
    (void)column;
    weir_slice text = weir_json_plain_text(conversion, span);
    bool fits = weir_json_is_simple(span) && weir_json_double(text.data, text.size, out);
    return fits ? WEIR_JSON_FITS : WEIR_JSON_MISFIT;
}

static weir_json_fit parse_float(const weir_json_conversion *conversion, const weir_json_column *column,
                                 weir_json_span span, void *out)
{
    (void)column;
    weir_slice text = weir_json_plain_text(conversion, span);
    bool fits = weir_json_is_simple(span) && weir_json_float(text.data, text.size, out);
    return fits ? WEIR_JSON_FITS : WEIR_JSON_MISFIT;
}

WEIR_JSON_DEFINE_FIXED(weir_json_convert_double, sizeof(double), parse_double)
WEIR_JSON_DEFINE_FIXED(weir_json_convert_float, sizeof(float), parse_float)
