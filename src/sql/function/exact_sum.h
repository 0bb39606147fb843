/* Sums of floating-point numbers without error: whatever the order of the numbers, and whichever were taken out again,
 * the sum is the exact one rounded once. NaN and the infinities are counted apart, so that they too can be taken out.
 *
 * A sum lies in two doubles as long as it fits there (106 bits or so, which is nearly always); otherwise in its long
 * form: a fixed-point number as wide as doubles reach, of which the bytes keep the digits in use. */
#ifndef WEIR_SQL_FUNCTION_EXACT_SUM_H
#define WEIR_SQL_FUNCTION_EXACT_SUM_H

#include "base/base.h"

/* The sum is high + low, and `high` that rounded to a double. All zeros is 0. */
typedef struct weir_short_sum {
    double high, low;
} weir_short_sum;

/* Adds a number; false when the sum would not fit, and is left as it was. */
bool weir_short_sum_add(weir_short_sum *sum, double value);

#define WEIR_LONG_SUM_DIGITS 68

typedef struct weir_long_sum {
    int64_t nans, infinities, negative_infinities;
    /* Digit i stands for digits[i] * 2^(32 * i - 1088). Those are within 0 .. 2^32 - 1, but for the last, which has the
     * sign. */
    int64_t digits[WEIR_LONG_SUM_DIGITS];
} weir_long_sum;

/* Adds a number `times` times, -1: takes it out. */
void weir_long_sum_add(weir_long_sum *sum, double value, int64_t times);
void weir_long_sum_add_long(weir_long_sum *sum, const weir_long_sum *other);
double weir_long_sum_value(const weir_long_sum *sum);

/* Whether it fits two doubles again. */
bool weir_long_sum_shorten(const weir_long_sum *sum, weir_short_sum *out);

/* As bytes, and back: | nans: 8 | infinities: 8 | negative ones: 8 | first digit: 4 | digits: 8 each | */
void weir_long_sum_encode(const weir_long_sum *sum, weir_buffer *out);
int weir_long_sum_decode(weir_slice bytes, weir_long_sum *out, weir_error *err);

#endif
