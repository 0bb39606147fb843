/* Decimals: 128-bit whole numbers whose scale the type tells. */
#ifndef WEIR_VECTOR_DECIMAL_H
#define WEIR_VECTOR_DECIMAL_H

#include "vector/vector.h"

#define WEIR_MAX_DECIMAL_PRECISION 38

extern const weir_int128 weir_decimal_units[WEIR_MAX_DECIMAL_PRECISION + 1];

static inline weir_int128 weir_power_of_ten(int exponent) { return weir_decimal_units[exponent]; } /* 0 .. 38 */

static inline bool weir_decimal_fits(weir_int128 unscaled, int precision)
{
    weir_int128 limit = weir_power_of_ten(precision);
    return unscaled < limit && unscaled > -limit;
}

/* Appends the number with all digits of its scale and without exponent, as Java's BigDecimal.toPlainString. */
void weir_decimal_format(weir_int128 unscaled, int scale, weir_buffer *out);

/* Reads `[+-]digits[.digits][e[+-]digits]`, rounding half up (away from zero) to the scale. False when it is no number
 * or does not fit the precision. */
bool weir_decimal_parse(weir_slice text, int precision, int scale, weir_int128 *out);

#endif
