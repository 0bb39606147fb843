/* Numbers in text.
 *
 * Floating point is correctly rounded, in one of three ways:
 *   - A mantissa and a power of ten that are both exact as floats take one multiplication or division (2 ns).
 *   - Up to 19 digits and exponents from -27 to 27 are worked out in whole numbers of 128 bits, whose remainder says
 *     how to round (10 to 40 ns): that is what programs print that print all digits.
 *   - All others go through strtod. */
#include "format/json/number.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static inline bool is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

bool weir_json_int64(const uint8_t *text, size_t size, int64_t *out)
{
    const uint8_t *end = text + size;
    bool negative = size > 0 && *text == '-';
    text += size > 0 && (*text == '-' || *text == '+');
    if (text == end) {
        return false;
    }
    if (end - text > 18) { /* close to the limits: with overflow in mind */
        int64_t value = 0;
        for (; text < end; text++) {
            int digit = *text - '0';
            if (!is_digit(*text) || __builtin_mul_overflow(value, 10, &value) ||
                __builtin_sub_overflow(value, digit, &value)) {
                return false;
            }
        }
        if (!negative && value == INT64_MIN) {
            return false;
        }
        *out = negative ? value : -value;
        return true;
    }
    int64_t value = 0;
    for (; text < end; text++) {
        if (!is_digit(*text)) {
            return false;
        }
        value = value * 10 + (*text - '0');
    }
    *out = negative ? -value : value;
    return true;
}

bool weir_json_plain_decimal(const uint8_t *text, size_t size, int scale, int64_t *out)
{
    const uint8_t *end = text + size;
    bool negative = size > 0 && *text == '-';
    text += negative;
    if (end - text > 18 || text == end) {
        return false;
    }
    int64_t value = 0;
    int digits = 0;
    for (; text < end && is_digit(*text); text++, digits++) {
        value = value * 10 + (*text - '0');
    }
    int left = scale;
    if (text < end && *text == '.') {
        for (text++; text < end && is_digit(*text) && left > 0; text++, left--, digits++) {
            value = value * 10 + (*text - '0');
        }
    }
    if (text < end || digits == 0 || digits + left > 18) {
        return false;
    }
    for (; left > 0; left--) {
        value *= 10;
    }
    *out = negative ? -value : value;
    return true;
}

/* ---- floating point ---- */

/* A number in text: mantissa * 10^exponent, exact when the digits are at most 19. */
typedef struct float_text {
    uint64_t mantissa;
    int64_t exponent;
    int digits; /* without leading zeros */
    bool negative;
} float_text;

static const uint8_t *read_digits(const uint8_t *text, const uint8_t *end, int64_t point, float_text *number)
{
    for (; text < end && is_digit(*text); text++) {
        number->digits += number->digits > 0 || *text != '0';
        if (number->digits <= 19) {
            number->mantissa = number->mantissa * 10 + (uint64_t)(*text - '0');
            number->exponent -= point;
        } else {
            number->exponent += 1 - point;
        }
    }
    return text;
}

static bool read_exponent(const uint8_t *text, const uint8_t *end, float_text *number)
{
    bool negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    if (text == end) {
        return false;
    }
    int64_t exponent = 0;
    for (; text < end; text++) {
        if (!is_digit(*text)) {
            return false;
        }
        exponent = exponent < 100000 ? exponent * 10 + (*text - '0') : exponent;
    }
    number->exponent += negative ? -exponent : exponent;
    return true;
}

static bool read_float(const uint8_t *text, size_t size, float_text *number)
{
    const uint8_t *end = text + size;
    *number = (float_text){.negative = size > 0 && *text == '-'};
    text += size > 0 && (*text == '-' || *text == '+');
    const uint8_t *whole = text;
    text = read_digits(text, end, 0, number);
    bool any = text > whole;
    if (text < end && *text == '.') {
        const uint8_t *fraction = ++text;
        text = read_digits(text, end, 1, number);
        any = any || text > fraction;
    }
    if (!any) {
        return false;
    }
    return text == end || ((*text | 0x20) == 'e' && read_exponent(text + 1, end, number));
}

/* NaN and Infinity, as Java's Double.parseDouble takes them. */
static bool read_word(const uint8_t *text, size_t size, double *out)
{
    bool negative = size > 0 && *text == '-';
    size_t sign = size > 0 && (*text == '-' || *text == '+');
    weir_slice word = weir_slice_of(text + sign, size - sign);
    if (weir_slice_equal(word, weir_slice_text("NaN"))) {
        *out = __builtin_nan("");
        return true;
    }
    if (weir_slice_equal(word, weir_slice_text("Infinity"))) {
        *out = negative ? -__builtin_inf() : __builtin_inf();
        return true;
    }
    return false;
}

/* strtod wants a NUL after the number; the program never leaves the C locale. */
static char *terminated(const uint8_t *text, size_t size, char *small, size_t small_size)
{
    char *copy = size < small_size ? small : weir_alloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

/* ---- in whole numbers ---- */

__extension__ typedef unsigned __int128 wide;

#define LARGEST_FIVE 27 /* 5^27 is below 2^63 */

static uint64_t power_of_five(int exponent)
{
    uint64_t power = 1;
    for (; exponent >= 3; exponent -= 3) {
        power *= 125;
    }
    return exponent == 0 ? power : exponent == 1 ? power * 5 : power * 25;
}

/* value * 2^exponent, and a little more when `rest`, with `bits` of mantissa: half to even. */
static double round_wide(wide value, int exponent, bool rest, int bits)
{
    uint64_t high = (uint64_t)(value >> 64);
    int size = high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)value);
    int dropped = size - bits;
    if (dropped <= 0) {
        return ldexp((double)(uint64_t)value, exponent);
    }
    uint64_t mantissa = (uint64_t)(value >> dropped);
    wide below = value & (((wide)1 << dropped) - 1);
    wide half = (wide)1 << (dropped - 1);
    if (below > half || (below == half && (rest || (mantissa & 1) != 0))) {
        mantissa++;
    }
    return ldexp((double)mantissa, exponent + dropped);
}

/* The number rounded to `bits` of mantissa; false: its digits or its exponent are too many. */
static bool convert_exactly(const float_text *number, int bits, double *out)
{
    if (number->digits > 19 || number->exponent < -LARGEST_FIVE || number->exponent > LARGEST_FIVE) {
        return false;
    }
    int exponent = (int)number->exponent;
    if (number->mantissa == 0) {
        *out = 0;
    } else if (exponent >= 0) {
        *out = round_wide((wide)number->mantissa * power_of_five(exponent), exponent, false, bits);
    } else {
        int shift = 64 + __builtin_clzll(number->mantissa); /* so that the quotient has more than 64 bits */
        wide dividend = (wide)number->mantissa << shift;
        uint64_t divisor = power_of_five(-exponent);
        wide quotient = dividend / divisor;
        *out = round_wide(quotient, exponent - shift, quotient * divisor != dividend, bits);
    }
    return true;
}

/* ---- all numbers ---- */

bool weir_json_double(const uint8_t *text, size_t size, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    float_text number;
    if (!read_float(text, size, &number)) {
        return read_word(text, size, out);
    }
    if (number.mantissa < (UINT64_C(1) << 53) && number.digits <= 19 && number.exponent >= -22 &&
        number.exponent <= 22) {
        double value = (double)number.mantissa;
        value = number.exponent < 0 ? value / powers[-number.exponent] : value * powers[number.exponent];
        *out = number.negative ? -value : value;
        return true;
    }
    double exact;
    if (convert_exactly(&number, 53, &exact)) {
        *out = number.negative ? -exact : exact;
        return true;
    }
    char small[64];
    char *copy = terminated(text, size, small, sizeof small);
    *out = strtod(copy, NULL);
    if (copy != small) {
        free(copy);
    }
    return true;
}

bool weir_json_float(const uint8_t *text, size_t size, float *out)
{
    static const float powers[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
    float_text number;
    if (!read_float(text, size, &number)) {
        double word;
        if (!read_word(text, size, &word)) {
            return false;
        }
        *out = (float)word;
        return true;
    }
    if (number.mantissa < (UINT64_C(1) << 24) && number.digits <= 19 && number.exponent >= -10 &&
        number.exponent <= 10) {
        float value = (float)number.mantissa;
        value = number.exponent < 0 ? value / powers[-number.exponent] : value * powers[number.exponent];
        *out = number.negative ? -value : value;
        return true;
    }
    double exact;
    if (convert_exactly(&number, 24, &exact)) {
        *out = (float)(number.negative ? -exact : exact); /* it has no more than 24 bits */
        return true;
    }
    char small[64];
    char *copy = terminated(text, size, small, sizeof small);
    *out = strtof(copy, NULL);
    if (copy != small) {
        free(copy);
    }
    return true;
}
