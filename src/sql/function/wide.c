/* 256-bit whole numbers over pairs of 128-bit ones. */
#include "sql/function/wide.h"

#include "vector/decimal.h"

weir_wide weir_wide_multiply(weir_uint128 a, weir_uint128 b)
{
    weir_uint128 a_low = (uint64_t)a;
    weir_uint128 a_high = a >> 64;
    weir_uint128 b_low = (uint64_t)b;
    weir_uint128 b_high = b >> 64;
    weir_uint128 low = a_low * b_low;
    weir_uint128 middle = a_high * b_low + (low >> 64);
    weir_uint128 cross = a_low * b_high + (uint64_t)middle;
    return (weir_wide){a_high * b_high + (middle >> 64) + (cross >> 64), (cross << 64) | (uint64_t)low};
}

int weir_wide_compare(weir_wide a, weir_wide b)
{
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    return (a.low > b.low) - (a.low < b.low);
}

weir_wide weir_wide_add(weir_wide a, weir_wide b)
{
    weir_uint128 low = a.low + b.low;
    return (weir_wide){a.high + b.high + (low < a.low), low};
}

weir_wide weir_wide_subtract(weir_wide a, weir_wide b)
{
    return (weir_wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

/* Divides digit by digit of 32 bits, when the divisor is that short. */
static weir_wide divide_short(weir_wide dividend, uint32_t divisor, weir_uint128 *out_remainder)
{
    weir_uint128 parts[2] = {dividend.high, dividend.low};
    uint64_t remainder = 0;
    for (int part = 0; part < 2; part++) {
        weir_uint128 quotient = 0;
        for (int shift = 96; shift >= 0; shift -= 32) {
            uint64_t digit = (remainder << 32) | (uint32_t)(parts[part] >> shift);
            quotient |= (weir_uint128)(digit / divisor) << shift;
            remainder = digit % divisor;
        }
        parts[part] = quotient;
    }
    *out_remainder = remainder;
    return (weir_wide){parts[0], parts[1]};
}

weir_wide weir_wide_divide(weir_wide dividend, weir_uint128 divisor, weir_uint128 *out_remainder)
{
    if (dividend.high == 0) {
        *out_remainder = dividend.low % divisor;
        return (weir_wide){0, dividend.low / divisor};
    }
    if (divisor <= UINT32_MAX) {
        return divide_short(dividend, (uint32_t)divisor, out_remainder);
    }
    /* Bit by bit: this is the rare case of more than 38 digits by more than 9. */
    weir_uint128 remainder = 0;
    weir_wide quotient = {0, 0};
    for (int bit = 255; bit >= 0; bit--) {
        bool carry = remainder >> 127;
        weir_uint128 next = bit >= 128 ? dividend.high >> (bit - 128) : dividend.low >> bit;
        remainder = (remainder << 1) | (next & 1);
        if (carry || remainder >= divisor) {
            remainder -= divisor;
            if (bit >= 128) {
                quotient.high |= (weir_uint128)1 << (bit - 128);
            } else {
                quotient.low |= (weir_uint128)1 << bit;
            }
        }
    }
    *out_remainder = remainder;
    return quotient;
}

bool weir_wide_scale_up(weir_wide value, int exponent, weir_wide *out)
{
    while (exponent > 0) {
        int step = exponent > 38 ? 38 : exponent;
        weir_uint128 factor = (weir_uint128)weir_power_of_ten(step);
        weir_wide low = weir_wide_multiply(value.low, factor);
        weir_wide high = weir_wide_multiply(value.high, factor);
        if (high.high != 0 || low.high + high.low < low.high) {
            return false;
        }
        value = (weir_wide){low.high + high.low, low.low};
        exponent -= step;
    }
    *out = value;
    return true;
}

weir_wide weir_wide_scale_down(weir_wide value, int exponent)
{
    if (exponent == 0) {
        return value;
    }
    weir_uint128 remainder = 0;
    while (exponent > 38) { /* what is cut here can't decide a half: the last step sees at least 38 digits */
        value = weir_wide_divide(value, (weir_uint128)weir_power_of_ten(exponent - 38), &remainder);
        exponent = 38;
    }
    weir_uint128 divisor = (weir_uint128)weir_power_of_ten(exponent);
    value = weir_wide_divide(value, divisor, &remainder);
    bool up = remainder >= divisor - remainder;
    return up ? weir_wide_add(value, (weir_wide){0, 1}) : value;
}

int weir_wide_digits(weir_wide value)
{
    int digits = 0;
    weir_uint128 remainder;
    while (value.high != 0) {
        value = weir_wide_divide(value, 1000000000, &remainder);
        digits += 9;
    }
    for (weir_uint128 rest = value.low; rest != 0; rest /= 10) {
        digits++;
    }
    return digits;
}
