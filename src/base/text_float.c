/* DOUBLE and FLOAT as Java (19 and later) prints them: the shortest decimal that reads back as the same number, and
 * among those the nearest to it; at least two digits are looked at, so the smallest double is 4.9E-324.
 *
 * Three ways, the fastest first:
 *   - Most numbers in tables have few digits, so the decimal is sought by scaling with an exact power of ten. That
 *     proves itself: when the whole number r and 10^k are exact and r / 10^k gives the number back, r * 10^-k reads
 *     back as it, and below 10^15 (FLOAT: 10^6) no other decimal of that length does.
 *   - The others of common size are found among the few longest decimals in whole numbers of 128 bits.
 *   - The very large and very small are found by asking the C library's exact conversions, with a binary search for
 *     the number of digits. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

/* A number without its sign: digits d1 d2 … dn stand for 0.d1d2…dn * 10^point. */
typedef struct decimal {
    char digits[24];
    int count;
    int point;
} decimal;

static void strip_trailing_zeros(decimal *number)
{
    while (number->count > 1 && number->digits[number->count - 1] == '0') {
        number->count--;
    }
}

static void set_whole(decimal *number, uint64_t value, int exponent)
{
    number->count = snprintf(number->digits, sizeof number->digits, "%llu", (unsigned long long)value);
    number->point = number->count + exponent;
    strip_trailing_zeros(number);
}

/* --- by scaling ----------------------------------------------------------------------------------------------- */

static bool scale_double(double value, decimal *out)
{
    double power = 1;
    for (int k = 0; k <= 18; k++, power *= 10) {
        double scaled = nearbyint(value * power);
        if (!(scaled < 1e15)) {
            return false;
        }
        if (scaled >= 1 && scaled / power == value) {
            set_whole(out, (uint64_t)scaled, -k);
            return true;
        }
    }
    return false;
}

static bool scale_float(float value, decimal *out)
{
    float power = 1;
    for (int k = 0; k <= 10; k++, power *= 10) {
        float scaled = nearbyintf(value * power);
        if (!(scaled < 1e6F)) {
            return false;
        }
        if (scaled >= 1 && scaled / power == value) {
            set_whole(out, (uint64_t)scaled, -k);
            return true;
        }
    }
    return false;
}

const uint64_t weir_powers_of_ten[20] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000U,
};

/* --- in whole numbers ----------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

/* The decimals around a number, all times 10^scale * 2^shift. */
typedef struct surroundings {
    wide value;
    wide lowest; /* the ends of what reads back as the number: half way to its neighbours */
    wide highest;
    bool ends_read_back; /* ties go to the even mantissa */
    int shift;
} surroundings;

/* Of the multiples of `unit` next to the value the one that reads back and is nearer; false when none reads back. */
static bool pick_multiple(const surroundings *around, uint64_t unit, uint64_t *out)
{
    uint64_t below = (uint64_t)(around->value >> around->shift) / unit * unit;
    wide below_wide = (wide)below << around->shift;
    wide above_wide = (wide)(below + unit) << around->shift;
    bool below_fits = below_wide > around->lowest || (below_wide == around->lowest && around->ends_read_back);
    bool above_fits = above_wide < around->highest || (above_wide == around->highest && around->ends_read_back);
    if (!below_fits && !above_fits) {
        return false;
    }
    wide to_below = around->value - below_wide;
    wide to_above = above_wide - around->value;
    bool below_is_nearer = to_below < to_above || (to_below == to_above && below / unit % 2 == 0);
    *out = below_fits && (below_is_nearer || !above_fits) ? below : below + unit;
    return true;
}

/* The decimal for mantissa * 2^-shift, looked for at most `fewer` digits short of `scale` decimal places, where one
 * always reads back. The mantissa has all its bits; quarters are counted, since the neighbour below a power of two is
 * half as far away as the one above. */
static void search_in_whole_numbers(uint64_t mantissa, int mantissa_bits, int shift, int scale, int fewer, decimal *out)
{
    wide quarter = weir_powers_of_ten[scale];
    bool is_power_of_two = mantissa == (uint64_t)1 << (mantissa_bits - 1);
    surroundings around = {
        .value = 4 * quarter * mantissa,
        .ends_read_back = mantissa % 2 == 0,
        .shift = shift + 2,
    };
    around.lowest = around.value - (is_power_of_two ? quarter : 2 * quarter);
    around.highest = around.value + 2 * quarter;
    uint64_t found = 0;
    while (!pick_multiple(&around, weir_powers_of_ten[fewer], &found) && fewer > 0) {
        fewer--;
    }
    set_whole(out, found, -scale);
}

/* How many decimal places make `digits` digits of a number of 10^-3 or more. */
static int places_for(double magnitude, int digits)
{
    int places = digits + 2;
    for (double power = 1e-2; magnitude >= power; power *= 10) {
        places--;
    }
    return places;
}

/* --- by trying numbers of digits ------------------------------------------------------------------------------ */

typedef bool (*reads_back)(const char *text, double value);

static bool reads_back_as_double(const char *text, double value) { return strtod(text, NULL) == value; }
static bool reads_back_as_float(const char *text, double value) { return strtof(text, NULL) == (float)value; }

static bool decimal_reads_back(const decimal *number, double value, reads_back check)
{
    char text[40]; /* digits as a whole number, and the exponent: no decimal point, which depends on the locale */
    snprintf(text, sizeof text, "%.*se%d", number->count, number->digits, number->point - number->count);
    return check(text, value);
}

/* One more in the last digit. */
static void step_up(decimal *number)
{
    int i = number->count - 1;
    while (i >= 0 && number->digits[i] == '9') {
        number->digits[i--] = '0';
    }
    if (i >= 0) {
        number->digits[i]++;
        return;
    }
    number->digits[0] = '1';
    number->point++;
}

/* The decimal of `count` digits that reads back as `value`. */
static bool try_digits(double value, int count, reads_back check, decimal *out)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    out->digits[0] = text[0];
    memcpy(out->digits + 1, text + 2, (size_t)(count - 1));
    out->count = count;
    out->point = atoi(strchr(text, 'e') + 1) + 1;
    if (decimal_reads_back(out, value, check)) {
        return true;
    }
    /* Above a power of two numbers lie twice as far apart as below it: there the next decimal upwards may read back
     * where the nearest one, which is below, does not. */
    step_up(out);
    return decimal_reads_back(out, value, check);
}

/* Java looks at two digits at least. */
static void search_digits(double value, int most, reads_back check, decimal *out)
{
    int low = 2, high = most; /* `most` always reads back, and where n digits do, more do too */
    while (low < high) {
        int middle = (low + high) / 2;
        if (try_digits(value, middle, check, out)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    try_digits(value, high, check, out);
    strip_trailing_zeros(out);
}

/* --- Java's layout -------------------------------------------------------------------------------------------- */

static void append_digits(const decimal *number, int from, int to, weir_buffer *out)
{
    if (from >= number->count) {
        weir_buffer_append_byte(out, '0');
        return;
    }
    to = to < number->count ? to : number->count;
    weir_buffer_append(out, number->digits + from, (size_t)(to - from));
}

static void append_decimal(const decimal *number, weir_buffer *out)
{
    int point = number->point;
    if (point >= 1 && point <= 7) { /* 1 <= x < 10^7 */
        append_digits(number, 0, point, out);
        for (int i = number->count; i < point; i++) {
            weir_buffer_append_byte(out, '0');
        }
        weir_buffer_append_byte(out, '.');
        append_digits(number, point, number->count, out);
    } else if (point <= 0 && point >= -2) { /* 10^-3 <= x < 1 */
        weir_buffer_append_text(out, "0.");
        weir_buffer_append(out, "00", (size_t)-point);
        append_digits(number, 0, number->count, out);
    } else {
        append_digits(number, 0, 1, out);
        weir_buffer_append_byte(out, '.');
        append_digits(number, 1, number->count, out);
        weir_buffer_append_format(out, "E%d", point - 1);
    }
}

/* Signs, zeros and what is not a number: true when that was all. */
static bool append_special(double value, weir_buffer *out)
{
    if (isnan(value)) {
        weir_buffer_append_text(out, "NaN");
        return true;
    }
    if (signbit(value)) {
        weir_buffer_append_byte(out, '-');
    }
    if (isinf(value) || value == 0) {
        weir_buffer_append_text(out, value == 0 ? "0.0" : "Infinity");
        return true;
    }
    return false;
}

void weir_format_double(double value, weir_buffer *out)
{
    if (append_special(value, out)) {
        return;
    }
    decimal number;
    double magnitude = fabs(value);
    if (!(magnitude >= 1e-3 && magnitude < 1e15)) {
        search_digits(magnitude, DBL_DECIMAL_DIG, reads_back_as_double, &number);
    } else if (!scale_double(magnitude, &number)) {
        int exponent;
        double fraction = frexp(magnitude, &exponent);
        search_in_whole_numbers((uint64_t)ldexp(fraction, DBL_MANT_DIG), DBL_MANT_DIG, DBL_MANT_DIG - exponent,
                                places_for(magnitude, DBL_DECIMAL_DIG), DBL_DECIMAL_DIG - DBL_DIG - 1, &number);
    }
    append_decimal(&number, out);
}

void weir_format_float(float value, weir_buffer *out)
{
    if (append_special((double)value, out)) {
        return;
    }
    decimal number;
    float magnitude = fabsf(value);
    if (!(magnitude >= 1e-3F && magnitude < 1e6F)) {
        search_digits((double)magnitude, FLT_DECIMAL_DIG, reads_back_as_float, &number);
    } else if (!scale_float(magnitude, &number)) {
        int exponent;
        float fraction = frexpf(magnitude, &exponent);
        search_in_whole_numbers((uint64_t)ldexpf(fraction, FLT_MANT_DIG), FLT_MANT_DIG, FLT_MANT_DIG - exponent,
                                places_for((double)magnitude, FLT_DECIMAL_DIG), FLT_DECIMAL_DIG - FLT_DIG - 1, &number);
    }
    append_decimal(&number, out);
}
