/* Whole numbers of 256 bits, as far as decimal arithmetic needs them: products of two 128-bit numbers, and dividing and
 * rounding those. Signs are kept apart: magnitudes here are unsigned. */
#ifndef WEIR_SQL_FUNCTION_WIDE_H
#define WEIR_SQL_FUNCTION_WIDE_H

#include "vector/vector.h"

__extension__ typedef unsigned __int128 weir_uint128;

typedef struct weir_wide {
    weir_uint128 high;
    weir_uint128 low;
} weir_wide;

weir_wide weir_wide_multiply(weir_uint128 a, weir_uint128 b);
int weir_wide_compare(weir_wide a, weir_wide b);
weir_wide weir_wide_add(weir_wide a, weir_wide b);
weir_wide weir_wide_subtract(weir_wide a, weir_wide b); /* a >= b */

/* Quotient and remainder; the divisor is not 0. */
weir_wide weir_wide_divide(weir_wide dividend, weir_uint128 divisor, weir_uint128 *out_remainder);

/* value * 10^exponent, exponent 0 .. 76; false on overflow of 256 bits. */
bool weir_wide_scale_up(weir_wide value, int exponent, weir_wide *out);

/* value / 10^exponent rounded half up, exponent 0 .. 76. */
weir_wide weir_wide_scale_down(weir_wide value, int exponent);

/* How many decimal digits it has; 0 for 0. */
int weir_wide_digits(weir_wide value);

static inline weir_uint128 weir_magnitude(weir_int128 value)
{
    return value < 0 ? -(weir_uint128)value : (weir_uint128)value;
}

#endif
