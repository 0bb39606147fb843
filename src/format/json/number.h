/* Numbers in text. The text is followed by at least 8 readable bytes. */
#ifndef WEIR_FORMAT_JSON_NUMBER_H
#define WEIR_FORMAT_JSON_NUMBER_H

#include "base/buffer.h"

/* `[+-]digits`, all of the text, within int64. */
bool weir_json_int64(const uint8_t *text, size_t size, int64_t *out);

/* `[+-]digits[.digits][e[+-]digits]` with digits before or after the point, and what Java reads beside it: NaN and
 * Infinity with a sign or without. Correctly rounded. */
bool weir_json_double(const uint8_t *text, size_t size, double *out);
bool weir_json_float(const uint8_t *text, size_t size, float *out);

/* An unscaled decimal of at most 18 digits when the text is plain (no exponent) and loses nothing by the scale; false
 * also for numbers that are right but not so simple. */
bool weir_json_plain_decimal(const uint8_t *text, size_t size, int scale, int64_t *out);

#endif
