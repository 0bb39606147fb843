/* Exact sums: two doubles by error-free additions (Knuth's), and the long form by integers. */
#include "sql/function/exact_sum.h"

#include <math.h>
#include <stddef.h>

#define DIGIT_BITS   32
#define LOWEST_POWER 1088 /* digit 0 stands for 2^-1088, below the least double, 2^-1074 */
#define LAST         (WEIR_LONG_SUM_DIGITS - 1)

/* --- Two doubles ----------------------------------------------------------------------------------------------- */

/* a + b = *sum + *rest, exactly, unless it overflows. */
static inline void add_exactly(double a, double b, double *sum, double *rest)
{
    double whole = a + b;
    double of_b = whole - a;
    *rest = (a - (whole - of_b)) + (b - of_b);
    *sum = whole;
}

bool weir_short_sum_add(weir_short_sum *sum, double value)
{
    const double large = 0x1p1000; /* far from overflow */
    double high, middle, low, rest;
    if (!(fabs(value) < large && fabs(sum->high) < large)) {
        return false;
    }
    add_exactly(sum->high, value, &high, &middle);
    add_exactly(sum->low, middle, &middle, &low);
    add_exactly(high, middle, &high, &middle);
    if (low != 0) {
        add_exactly(middle, low, &middle, &rest);
        if (rest != 0) {
            return false;
        }
        add_exactly(high, middle, &high, &middle);
    }
    sum->high = high;
    sum->low = middle;
    return true;
}

/* --- The long form --------------------------------------------------------------------------------------------- */

/* Brings all digits but the last within 0 .. 2^32 - 1. */
static void carry(weir_long_sum *sum)
{
    for (int i = 0; i < LAST; i++) {
        int64_t over = sum->digits[i] >> DIGIT_BITS;
        sum->digits[i] -= over * ((int64_t)1 << DIGIT_BITS);
        sum->digits[i + 1] += over;
    }
}

static void add_finite(weir_long_sum *sum, double value, int64_t sign)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* value = fraction * 2^exponent, fraction within 0.5 .. 1 */
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    int place = exponent - 53 + LOWEST_POWER;
    if (place < 0) { /* of a small one, whose last bits are zero */
        mantissa >>= -place;
        place = 0;
    }
    int digit = place / DIGIT_BITS;
    int shift = place % DIGIT_BITS;
    uint64_t low = mantissa << shift;
    uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
    sign = value < 0 ? -sign : sign;
    sum->digits[digit] += sign * (int64_t)(low & UINT32_MAX);
    sum->digits[digit + 1] += sign * (int64_t)(low >> DIGIT_BITS);
    sum->digits[digit + 2] += sign * (int64_t)high;
    carry(sum);
}

void weir_long_sum_add(weir_long_sum *sum, double value, int64_t times)
{
    if (value != value) {
        sum->nans += times;
    } else if (isinf(value)) {
        *(value > 0 ? &sum->infinities : &sum->negative_infinities) += times;
    } else if (value != 0) {
        for (int64_t i = 0; i < times; i++) {
            add_finite(sum, value, 1);
        }
        for (int64_t i = 0; i > times; i--) {
            add_finite(sum, value, -1);
        }
    }
}

void weir_long_sum_add_long(weir_long_sum *sum, const weir_long_sum *other)
{
    sum->nans += other->nans;
    sum->infinities += other->infinities;
    sum->negative_infinities += other->negative_infinities;
    for (int i = 0; i < WEIR_LONG_SUM_DIGITS; i++) {
        sum->digits[i] += other->digits[i];
    }
    carry(sum);
}

/* The finite part without its sign, all digits within 0 .. 2^32 - 1. */
static bool magnitude_of(const weir_long_sum *sum, weir_long_sum *out)
{
    bool negative = sum->digits[LAST] < 0;
    *out = *sum;
    if (negative) {
        for (int i = 0; i < WEIR_LONG_SUM_DIGITS; i++) {
            out->digits[i] = -out->digits[i];
        }
        carry(out);
    }
    return negative;
}

static bool any_below(const weir_long_sum *sum, int64_t bit)
{
    for (int i = 0; i < bit / DIGIT_BITS; i++) {
        if (sum->digits[i] != 0) {
            return true;
        }
    }
    uint64_t below = ((uint64_t)1 << bit % DIGIT_BITS) - 1;
    return bit >= 0 && ((uint64_t)sum->digits[bit / DIGIT_BITS] & below) != 0;
}

static uint64_t bit_at(const weir_long_sum *sum, int64_t bit)
{
    return (uint64_t)sum->digits[bit / DIGIT_BITS] >> bit % DIGIT_BITS & 1;
}

/* The highest bit that is set, -1: none. The last digit may have more than 32 bits. */
static int64_t highest_bit(const weir_long_sum *sum)
{
    for (int i = LAST; i >= 0; i--) {
        if (sum->digits[i] != 0) {
            return (int64_t)i * DIGIT_BITS + 63 - __builtin_clzll((uint64_t)sum->digits[i]);
        }
    }
    return -1;
}

/* Rounded to the nearest double, ties to even. */
static double finite_value(const weir_long_sum *sum)
{
    const int64_t lowest = LOWEST_POWER - 1074; /* the bit of the least double */
    weir_long_sum magnitude;
    bool negative = magnitude_of(sum, &magnitude);
    int64_t top = highest_bit(&magnitude);
    if (top < 0) {
        return 0;
    }
    if (top >= (int64_t)LAST * DIGIT_BITS) { /* 2^1056 and more */
        return negative ? -(double)INFINITY : (double)INFINITY;
    }
    int64_t last = top - 52 > lowest ? top - 52 : lowest; /* the last bit that stays */
    uint64_t mantissa = 0;
    for (int64_t bit = top; bit >= last; bit--) {
        mantissa = mantissa << 1 | bit_at(&magnitude, bit);
    }
    bool half = bit_at(&magnitude, last - 1);
    if (half && (any_below(&magnitude, last - 1) || (mantissa & 1))) {
        mantissa++;
    }
    double value = ldexp((double)mantissa, (int)(last - LOWEST_POWER));
    return negative ? -value : value;
}

double weir_long_sum_value(const weir_long_sum *sum)
{
    if (sum->nans > 0 || (sum->infinities > 0 && sum->negative_infinities > 0)) {
        return (double)NAN;
    }
    if (sum->infinities > 0 || sum->negative_infinities > 0) {
        return sum->infinities > 0 ? (double)INFINITY : -(double)INFINITY;
    }
    return finite_value(sum);
}

bool weir_long_sum_shorten(const weir_long_sum *sum, weir_short_sum *out)
{
    weir_long_sum rest = *sum;
    weir_short_sum two;
    if (sum->nans != 0 || sum->infinities != 0 || sum->negative_infinities != 0) {
        return false;
    }
    two.high = finite_value(&rest);
    if (isinf(two.high)) {
        return false;
    }
    weir_long_sum_add(&rest, two.high, -1);
    two.low = finite_value(&rest);
    weir_long_sum_add(&rest, two.low, -1);
    if (highest_bit(&rest) >= 0) {
        return false;
    }
    *out = two;
    return true;
}

/* --- Bytes ----------------------------------------------------------------------------------------------------- */

void weir_long_sum_encode(const weir_long_sum *sum, weir_buffer *out)
{
    uint32_t first = 0;
    uint32_t end = WEIR_LONG_SUM_DIGITS;
    while (first < end && sum->digits[first] == 0) {
        first++;
    }
    while (end > first && sum->digits[end - 1] == 0) {
        end--;
    }
    weir_buffer_append(out, sum, offsetof(weir_long_sum, digits));
    weir_buffer_append(out, &first, sizeof first);
    weir_buffer_append(out, sum->digits + first, (end - first) * sizeof *sum->digits);
}

int weir_long_sum_decode(weir_slice bytes, weir_long_sum *out, weir_error *err)
{
    const size_t head = offsetof(weir_long_sum, digits);
    *out = (weir_long_sum){0};
    uint32_t first = bytes.size < head + 4 ? WEIR_LONG_SUM_DIGITS : weir_load_le32(bytes.data + head);
    size_t rest = bytes.size < head + 4 ? 1 : bytes.size - head - 4;
    if (first > WEIR_LONG_SUM_DIGITS || rest % 8 != 0 || rest / 8 > WEIR_LONG_SUM_DIGITS - first) {
        return weir_fail(err, WEIR_CORRUPT, "state of a SUM: %zu bytes are no exact sum", bytes.size);
    }
    memcpy(out, bytes.data, head);
    memcpy(out->digits + first, bytes.data + head + 4, rest);
    return WEIR_OK;
}
