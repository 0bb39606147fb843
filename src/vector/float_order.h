/* The order of floating-point numbers as that of integers: Java's Double.compare, -0.0 before 0.0 and NaN, of which
 * there is but one, after everything. A rank is turned back into its number. */
#ifndef WEIR_VECTOR_FLOAT_ORDER_H
#define WEIR_VECTOR_FLOAT_ORDER_H

#include <stdint.h>
#include <string.h>

static inline int32_t weir_float_rank(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = value != value ? 0x7fc00000 : bits;
    return bits ^ ((bits >> 31) & INT32_MAX);
}

static inline int64_t weir_double_rank(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = value != value ? 0x7ff8000000000000 : bits;
    return bits ^ ((bits >> 63) & INT64_MAX);
}

static inline float weir_float_of_rank(int32_t rank)
{
    int32_t bits = rank ^ ((rank >> 31) & INT32_MAX);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double weir_double_of_rank(int64_t rank)
{
    int64_t bits = rank ^ ((rank >> 63) & INT64_MAX);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
