/* What the converters of all types share. Only for the files column*.c. */
#ifndef WEIR_FORMAT_JSON_COLUMN_CONVERT_H
#define WEIR_FORMAT_JSON_COLUMN_CONVERT_H

#include "format/json/column.h"

/* What became of one value. */
typedef enum weir_json_fit { WEIR_JSON_FITS, WEIR_JSON_FITS_AS_NULL, WEIR_JSON_MISFIT } weir_json_fit;

/* Notes that a value does not fit. */
void weir_json_reject(weir_json_conversion *conversion, const weir_json_column *column, weir_json_span span);

/* Room for `count` values in `out` and in column->nulls. */
int weir_json_begin_values(weir_json_column *column, int64_t count, weir_vector *out, weir_error *err);

/* Counts `count` values that were written to the arrays of `out`, column->nulls telling which of them are NULL. */
int weir_json_end_values(weir_json_column *column, int64_t count, int64_t null_count, weir_vector *out,
                         weir_error *err);

static inline bool weir_json_is_null(weir_json_span span) { return span.token <= WEIR_JSON_NULL; }

/* Text or a number: what numbers and times are read from. */
static inline bool weir_json_is_simple(weir_json_span span)
{
    return span.token == WEIR_JSON_STRING || span.token == WEIR_JSON_INTEGER || span.token == WEIR_JSON_NUMBER;
}

/* The text of a string without the blanks around it, or of a number. Nobody writes numbers and times with escapes. */
static inline weir_slice weir_json_plain_text(const weir_json_conversion *conversion, weir_json_span span)
{
    const uint8_t *text = conversion->base + span.offset;
    size_t size = span.size;
    if (span.token == WEIR_JSON_STRING) {
        for (; size > 0 && *text <= ' '; text++) {
            size--;
        }
        while (size > 0 && text[size - 1] <= ' ') {
            size--;
        }
    }
    return weir_slice_of(text, size);
}

/* A span to a value of the column's layout. */
typedef weir_json_fit weir_json_parse_function(const weir_json_conversion *conversion, const weir_json_column *column,
                                               weir_json_span span, void *out);

/* The loop over values of a fixed width, compiled once around each function that parses one. */
static inline __attribute__((always_inline)) int
weir_json_convert_fixed(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                        int64_t stride, int64_t count, weir_vector *out, size_t width, weir_json_parse_function *parse,
                        weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    uint8_t *values = out->data + (size_t)out->length * width;
    int64_t null_count = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        uint8_t *value = values + (size_t)i * width;
        weir_json_fit fit = weir_json_is_null(span) ? WEIR_JSON_FITS_AS_NULL : parse(conversion, column, span, value);
        if (fit == WEIR_JSON_MISFIT) {
            weir_json_reject(conversion, column, span);
        }
        if (fit != WEIR_JSON_FITS) {
            memset(value, 0, width);
        }
        column->nulls[i] = fit != WEIR_JSON_FITS;
        null_count += fit != WEIR_JSON_FITS;
    }
    return weir_json_end_values(column, count, null_count, out, err);
}

#define WEIR_JSON_DEFINE_FIXED(name, width, parse)                                                                     \
    int name(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans, int64_t stride,  \
             int64_t count, weir_vector *out, weir_error *err)                                                         \
    {                                                                                                                  \
        return weir_json_convert_fixed(conversion, column, spans, stride, count, out, width, parse, err);              \
    }

/* column_number.c */
weir_json_convert_function weir_json_convert_boolean;
weir_json_convert_function weir_json_convert_tinyint;
weir_json_convert_function weir_json_convert_smallint;
weir_json_convert_function weir_json_convert_int;
weir_json_convert_function weir_json_convert_bigint;
weir_json_convert_function weir_json_convert_float;
weir_json_convert_function weir_json_convert_double;

/* column_decimal.c */
weir_json_convert_function weir_json_convert_decimal;
weir_json_convert_function weir_json_convert_wide_decimal; /* more than 18 digits */

/* column_time.c */
weir_json_convert_function weir_json_convert_date;
weir_json_convert_function weir_json_convert_time;
weir_json_convert_function weir_json_convert_timestamp;
weir_json_convert_function weir_json_convert_nano_timestamp; /* finer than microseconds */

/* column_text.c */
weir_json_convert_function weir_json_convert_text;
weir_json_convert_function weir_json_convert_bytes;

#endif
