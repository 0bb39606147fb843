/* Decimals as text, both ways. */
#include "vector/decimal.h"

#include "base/text.h"

/* No literal is wider than 64 bits. */
#define ONE       ((weir_int128)1)
#define E6        (ONE * 1000000)
#define E18       (E6 * E6 * E6)
#define SIX(unit) (unit), (unit) * 10, (unit) * 100, (unit) * 1000, (unit) * 10000, (unit) * 100000

const weir_int128 weir_decimal_units[] = {SIX(ONE),         SIX(E6),  SIX(E6 *E6),   SIX(E18),      SIX(E18 *E6),
                                          SIX(E18 *E6 *E6), E18 *E18, E18 *E18 * 10, E18 *E18 * 100};

__extension__ typedef unsigned __int128 uint128;

/* Writes the digits of a number, at least `least` of them, so that they end before `end`; returns the first. Division
 * of 128 bits is slow and seldom needed. */
static char *write_digits(uint128 value, int least, char *end)
{
    char *first = end;
    for (; value > UINT64_MAX; value /= 10) {
        *--first = (char)('0' + (int)(value % 10));
    }
    for (uint64_t rest = (uint64_t)value; rest > 0; rest /= 10) {
        *--first = (char)('0' + (int)(rest % 10));
    }
    while (end - first < least) {
        *--first = '0';
    }
    return first;
}

void weir_decimal_format(weir_int128 unscaled, int scale, weir_buffer *out)
{
    char digits[48];
    char *end = digits + sizeof digits;
    const char *first = write_digits(unscaled < 0 ? -(uint128)unscaled : (uint128)unscaled, scale + 1, end);
    if (unscaled < 0) {
        weir_buffer_append_byte(out, '-');
    }
    weir_buffer_append(out, first, (size_t)(end - first - scale));
    if (scale > 0) {
        weir_buffer_append_byte(out, '.');
        weir_buffer_append(out, end - scale, (size_t)scale);
    }
}

/* A number in text: its significant digits, of which the last stands for 10^exponent. */
typedef struct number_text {
    bool negative;
    uint8_t
        digits[WEIR_MAX_DECIMAL_PRECISION * 2]; /* more cannot fit any precision and scale, but for a rounded tail */
    int64_t count;                              /* of digits, those beyond the array too */
    int64_t exponent;
} number_text;

/* Leading zeros are no digits; returns the position after the mantissa. */
static size_t read_mantissa(weir_slice text, size_t at, number_text *number)
{
    bool point = false;
    for (; at < text.size; at++) {
        uint8_t c = text.data[at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') {
            break;
        }
        number->exponent -= point;
        if (number->count > 0 || c != '0') {
            if (number->count < (int64_t)sizeof number->digits) {
                number->digits[number->count] = (uint8_t)(c - '0');
            }
            number->count++;
        }
    }
    return at;
}

static bool read_exponent(weir_slice text, size_t at, number_text *number)
{
    bool negative = at < text.size && text.data[at] == '-';
    at += negative || (at < text.size && text.data[at] == '+');
    int64_t exponent = 0;
    for (; at < text.size; at++) {
        uint8_t c = text.data[at];
        if (c < '0' || c > '9') {
            return false;
        }
        if (exponent < INT32_MAX) { /* beyond it nothing but zero fits anyway */
            exponent = exponent * 10 + (c - '0');
        }
    }
    number->exponent += negative ? -exponent : exponent;
    return true;
}

static bool read_number(weir_slice text, number_text *number)
{
    *number = (number_text){0};
    size_t at = 0;
    if (text.size > 0 && (text.data[0] == '-' || text.data[0] == '+')) {
        number->negative = text.data[0] == '-';
        at = 1;
    }
    size_t end = read_mantissa(text, at, number);
    if (end == at) {
        return false;
    }
    if (end < text.size) {
        return (text.data[end] == 'e' || text.data[end] == 'E') && read_exponent(text, end + 1, number);
    }
    return true;
}

bool weir_decimal_parse(weir_slice text, int precision, int scale, weir_int128 *out)
{
    number_text number;
    if (!read_number(text, &number)) {
        return false;
    }
    int64_t kept = number.count + number.exponent + scale; /* digits before the place that is rounded to */
    if (number.count == 0 || kept < 0) {
        *out = 0;
        return true;
    }
    if (kept > precision) {
        return false;
    }
    weir_int128 value = 0;
    for (int64_t i = 0; i < kept; i++) {
        value = value * 10 + (i < number.count ? number.digits[i] : 0);
    }
    value += kept < number.count && number.digits[kept] >= 5;
    if (!weir_decimal_fits(value, precision)) {
        return false;
    }
    *out = number.negative ? -value : value;
    return true;
}
