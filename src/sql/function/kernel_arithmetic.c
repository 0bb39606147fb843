/* Arithmetic as Flink does it: integers wrap, division by zero fails, decimals are exact in 256 bits and become NULL
 * when they don't fit their type.
 *
 * The integer and float loops are plain array loops over both arguments (about 1 ns a row). Both arguments have the
 * type of the loop: the binder casts them. */
#include "sql/function/kernel_decimal.h"
#include "sql/function/kernels.h"
#include "sql/function/wide.h"

#include <math.h>

/* --- Integers and floats --------------------------------------------------------------------------------------- */

#define DEFINE_LOOP(name, ctype, wide, expression)                                                                     \
    static int name(weir_kernel_call *call, weir_error *err)                                                           \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        const ctype *a = call->data[0];                                                                                \
        const ctype *b = call->data[1];                                                                                \
        ctype *result = call->result;                                                                                  \
        for (int64_t i = 0; i < call->length; i++) {                                                                   \
            wide x = (wide)a[i];                                                                                       \
            wide y = (wide)b[i];                                                                                       \
            result[i] = (ctype)(expression);                                                                           \
        }                                                                                                              \
        return WEIR_OK;                                                                                                \
    }

/* Unsigned, so that overflow wraps as in Java. */
#define DEFINE_INTEGER_LOOPS(suffix, ctype, wide)                                                                      \
    DEFINE_LOOP(add_##suffix, ctype, wide, x + y)                                                                      \
    DEFINE_LOOP(subtract_##suffix, ctype, wide, x - y)                                                                 \
    DEFINE_LOOP(multiply_##suffix, ctype, wide, x *y)

DEFINE_INTEGER_LOOPS(8, int8_t, uint32_t)
DEFINE_INTEGER_LOOPS(16, int16_t, uint32_t)
DEFINE_INTEGER_LOOPS(32, int32_t, uint32_t)
DEFINE_INTEGER_LOOPS(64, int64_t, uint64_t)

#define DEFINE_FLOAT_LOOPS(suffix, ctype)                                                                              \
    DEFINE_LOOP(add_##suffix, ctype, ctype, x + y)                                                                     \
    DEFINE_LOOP(subtract_##suffix, ctype, ctype, x - y)                                                                \
    DEFINE_LOOP(multiply_##suffix, ctype, ctype, x *y)                                                                 \
    DEFINE_LOOP(divide_##suffix, ctype, ctype, x / y)

DEFINE_FLOAT_LOOPS(float, float)
DEFINE_FLOAT_LOOPS(double, double)

static int fail_zero(weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "division by zero; guard the divisor with NULLIF(divisor, 0)");
}

/* -1 apart: the smallest number divided by it has no quotient, and Java's wraps to itself. */
static int divide_integers(weir_kernel_call *call, int64_t row, weir_error *err)
{
    int64_t a = weir_kernel_integer(call, 0, row);
    int64_t b = weir_kernel_integer(call, 1, row);
    if (b == 0) {
        return fail_zero(err);
    }
    return weir_kernel_put_integer(call, row, b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
}

static int modulo_integers(weir_kernel_call *call, int64_t row, weir_error *err)
{
    int64_t a = weir_kernel_integer(call, 0, row);
    int64_t b = weir_kernel_integer(call, 1, row);
    if (b == 0) {
        return fail_zero(err);
    }
    return weir_kernel_put_integer(call, row, b == -1 ? 0 : a % b);
}

/* --- Decimals -------------------------------------------------------------------------------------------------- */

static int put_wide(weir_kernel_call *call, int64_t row, weir_wide magnitude, bool negative)
{
    weir_uint128 limit = (weir_uint128)weir_power_of_ten(38);
    if (magnitude.high != 0 || magnitude.low >= limit) {
        return weir_kernel_put_null(call, row);
    }
    weir_int128 value = (weir_int128)magnitude.low;
    return weir_kernel_put_decimal(call, row, negative ? -value : value);
}

/* Brings a magnitude from one scale to another, rounding half up. */
static bool rescale(weir_wide value, int from, int to, weir_wide *out)
{
    if (to >= from) {
        return weir_wide_scale_up(value, to - from, out);
    }
    *out = weir_wide_scale_down(value, from - to);
    return true;
}

static int scale_of(const weir_type *type) { return type->id == WEIR_DECIMAL ? type->scale : 0; }

/* Whether results can neither be rounded nor overflow: the type was not cut to 38 digits. Then 128 bits are enough. */
static bool is_roomy(const weir_kernel_call *call, int scale)
{
    return call->type->scale == scale && call->type->precision < 38;
}

/* a + b or a - b, exact at the larger scale, then rounded to the result's. */
static int add_signed(weir_kernel_call *call, int64_t row, bool subtract)
{
    weir_int128 a = weir_kernel_decimal(call, 0, row);
    weir_int128 b = weir_kernel_decimal(call, 1, row);
    int scale_a = scale_of(call->types[0]);
    int scale_b = scale_of(call->types[1]);
    int scale = scale_a > scale_b ? scale_a : scale_b;
    if (is_roomy(call, scale)) {
        a = scale == scale_a ? a : a * weir_power_of_ten(scale - scale_a);
        b = scale == scale_b ? b : b * weir_power_of_ten(scale - scale_b);
        return weir_kernel_put_fitting_decimal(call, row, subtract ? a - b : a + b);
    }
    weir_wide x = {0, weir_magnitude(a)};
    weir_wide y = {0, weir_magnitude(b)};
    bool negative_b = subtract ? b > 0 : b < 0;
    bool fits = rescale(x, scale_a, scale, &x) && rescale(y, scale_b, scale, &y); /* at most 76 digits each */
    if (!fits) {
        return weir_kernel_put_null(call, row);
    }
    bool negative = a < 0;
    weir_wide sum;
    if (negative == negative_b) {
        sum = weir_wide_add(x, y);
    } else if (weir_wide_compare(x, y) >= 0) {
        sum = weir_wide_subtract(x, y);
    } else {
        sum = weir_wide_subtract(y, x);
        negative = negative_b;
    }
    return rescale(sum, scale, call->type->scale, &sum) ? put_wide(call, row, sum, negative)
                                                        : weir_kernel_put_null(call, row);
}

static int add_row(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return add_signed(call, row, false);
}

static int subtract_row(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return add_signed(call, row, true);
}

static int multiply_row(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_int128 a = weir_kernel_decimal(call, 0, row);
    weir_int128 b = weir_kernel_decimal(call, 1, row);
    int scale = scale_of(call->types[0]) + scale_of(call->types[1]);
    if (is_roomy(call, scale)) {
        return weir_kernel_put_fitting_decimal(call, row, a * b);
    }
    weir_wide product = weir_wide_multiply(weir_magnitude(a), weir_magnitude(b));
    bool fits = rescale(product, scale, call->type->scale, &product);
    return fits ? put_wide(call, row, product, (a < 0) != (b < 0)) : weir_kernel_put_null(call, row);
}

static int add_decimals(weir_kernel_call *call, weir_error *err)
{
    return weir_kernel_decimal_run(call, '+', add_row, err);
}

static int subtract_decimals(weir_kernel_call *call, weir_error *err)
{
    return weir_kernel_decimal_run(call, '-', subtract_row, err);
}

static int multiply_decimals(weir_kernel_call *call, weir_error *err)
{
    return weir_kernel_decimal_run(call, '*', multiply_row, err);
}

/* Quotients of up to 18 digits by an integer of 64 bits, such as averages: the digits that Java rounds first, behind
 * the 38th, are too far away to turn the last one (which would take a remainder nearer to a half than 1 / 2 divisor).
 */
static bool divide_narrow(weir_kernel_call *call, int64_t row, weir_int128 a, weir_int128 b)
{
    enum { most_shift = 18 };
    int shift = call->type->scale - scale_of(call->types[0]) + scale_of(call->types[1]);
    weir_uint128 dividend = weir_magnitude(a), divisor = weir_magnitude(b);
    if (shift < 0 || shift > most_shift || dividend >> 64 != 0 || divisor >> 63 != 0) {
        return false;
    }
    dividend *= (weir_uint128)weir_power_of_ten(shift);
    weir_uint128 quotient, rest;
    if (dividend >> 64 == 0) {
        quotient = (uint64_t)dividend / (uint64_t)divisor;
        rest = (uint64_t)dividend % (uint64_t)divisor;
    } else {
        quotient = dividend / divisor;
        rest = dividend - quotient * divisor;
    }
    quotient += rest * 2 >= divisor;
    if (quotient >= (weir_uint128)weir_power_of_ten(18)) {
        return false;
    }
    weir_int128 value = (weir_int128)quotient;
    weir_kernel_put_decimal(call, row, (a < 0) != (b < 0) ? -value : value);
    return true;
}

/* Java divides to 38 significant digits, half up, and rounds the result to its scale after that. Here the quotient is
 * computed with as many digits as 256 bits give, which are more than either rounding looks at. */
static int divide_decimals(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_int128 a = weir_kernel_decimal(call, 0, row);
    weir_int128 b = weir_kernel_decimal(call, 1, row);
    if (b == 0) {
        return fail_zero(err);
    }
    if (divide_narrow(call, row, a, b)) {
        return WEIR_OK;
    }
    weir_wide dividend = {0, weir_magnitude(a)};
    int exponent = 76 - weir_wide_digits(dividend); /* 10^76 fits into 256 bits */
    weir_wide scaled;
    if (a == 0 || !weir_wide_scale_up(dividend, exponent, &scaled)) {
        return weir_kernel_put_decimal(call, row, 0);
    }
    weir_uint128 remainder;
    weir_wide quotient = weir_wide_divide(scaled, weir_magnitude(b), &remainder);
    int scale = exponent + scale_of(call->types[0]) - scale_of(call->types[1]);
    int extra = weir_wide_digits(quotient) - 38;
    if (extra > 0) {
        quotient = weir_wide_scale_down(quotient, extra);
        scale -= extra;
    }
    int drop = scale - call->type->scale;
    if (drop > 76) {
        return weir_kernel_put_decimal(call, row, 0);
    }
    bool fits = true;
    if (drop >= 0) {
        quotient = weir_wide_scale_down(quotient, drop);
    } else {
        fits = weir_wide_scale_up(quotient, -drop, &quotient);
    }
    return fits ? put_wide(call, row, quotient, (a < 0) != (b < 0)) : weir_kernel_put_null(call, row);
}

/* The remainder has the sign of the dividend; computed at the larger scale. */
static int modulo_decimals(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_int128 a = weir_kernel_decimal(call, 0, row);
    weir_int128 b = weir_kernel_decimal(call, 1, row);
    if (b == 0) {
        return fail_zero(err);
    }
    int scale_a = scale_of(call->types[0]);
    int scale_b = scale_of(call->types[1]);
    int scale = scale_a > scale_b ? scale_a : scale_b;
    weir_wide x = {0, weir_magnitude(a)};
    weir_wide y = {0, weir_magnitude(b)};
    bool fits = rescale(x, scale_a, scale, &x) && rescale(y, scale_b, scale, &y);
    weir_uint128 remainder = 0;
    if (!fits) {
        return weir_kernel_put_null(call, row);
    }
    if (y.high != 0) { /* a divisor beyond 128 bits: the dividend is smaller unless it is as wide */
        while (weir_wide_compare(x, y) >= 0) {
            x = weir_wide_subtract(x, y);
        }
        fits = x.high == 0;
        remainder = x.low;
    } else {
        weir_wide_divide(x, y.low, &remainder);
    }
    weir_wide rest = {0, remainder};
    fits = fits && rescale(rest, scale, call->type->scale, &rest);
    return fits ? put_wide(call, row, rest, a < 0) : weir_kernel_put_null(call, row);
}

/* <0, 0, >0 of decimals whose common type would be wider than 38 digits. */
static int compare_decimals(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_int128 a = weir_kernel_decimal(call, 0, row);
    weir_int128 b = weir_kernel_decimal(call, 1, row);
    int scale_a = scale_of(call->types[0]);
    int scale_b = scale_of(call->types[1]);
    weir_wide x = {0, weir_magnitude(a)};
    weir_wide y = {0, weir_magnitude(b)};
    int scale = scale_a > scale_b ? scale_a : scale_b;
    rescale(x, scale_a, scale, &x);
    rescale(y, scale_b, scale, &y);
    int order = (a < 0) == (b < 0) ? weir_wide_compare(x, y) * (a < 0 ? -1 : 1) : (a < 0 ? -1 : 1);
    return weir_kernel_put_integer(call, row, order);
}

/* --- Sums of wide decimals ------------------------------------------------------------------------------------- */

enum { lower_digits = 19 };

static int upper_half(weir_kernel_call *call, weir_error *err)
{
    (void)err;
    return weir_kernel_decimal_half(call, true);
}

static int lower_half(weir_kernel_call *call, weir_error *err)
{
    (void)err;
    return weir_kernel_decimal_half(call, false);
}

/* The lower sum's carry goes up first, so that what fits 38 digits never passes 128 bits on the way. */
static int join_halves(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_int128 unit = weir_power_of_ten(lower_digits);
    weir_int128 lower = weir_kernel_decimal(call, 1, row);
    weir_int128 upper = weir_kernel_decimal(call, 0, row) + lower / unit;
    if (upper > unit || upper < -unit) {
        return weir_kernel_put_null(call, row);
    }
    return weir_kernel_put_decimal(call, row, upper * unit + lower % unit);
}

const weir_kernel weir_kernel_upper_digits = {.name = "upper_digits", .run = upper_half};
const weir_kernel weir_kernel_lower_digits = {.name = "lower_digits", .run = lower_half};
const weir_kernel weir_kernel_join_digits = {.name = "join_digits", .row = join_halves};

/* --- Signs ----------------------------------------------------------------------------------------------------- */

static int negate(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    const weir_type *type = call->type;
    if (type->id == WEIR_DECIMAL) {
        return weir_kernel_put_decimal(call, row, -weir_kernel_decimal(call, 0, row));
    }
    if (weir_type_is_approximate(type)) {
        return weir_kernel_put_double(call, row, -weir_kernel_double(call, 0, row));
    }
    return weir_kernel_put_integer(call, row, (int64_t)(0 - (uint64_t)weir_kernel_integer(call, 0, row)));
}

static int absolute(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    const weir_type *type = call->type;
    if (type->id == WEIR_DECIMAL) {
        weir_int128 value = weir_kernel_decimal(call, 0, row);
        return weir_kernel_put_decimal(call, row, value < 0 ? -value : value);
    }
    if (weir_type_is_approximate(type)) {
        return weir_kernel_put_double(call, row, fabs(weir_kernel_double(call, 0, row)));
    }
    int64_t value = weir_kernel_integer(call, 0, row);
    return weir_kernel_put_integer(call, row, value < 0 ? (int64_t)(0 - (uint64_t)value) : value);
}

/* --- Choosing -------------------------------------------------------------------------------------------------- */

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO };

static const weir_kernel kernels[][8] = {
    [ADD] = {{.name = "add", .run = add_8},
             {.name = "add", .run = add_16},
             {.name = "add", .run = add_32},
             {.name = "add", .run = add_64},
             {.name = "add", .run = add_float},
             {.name = "add", .run = add_double},
             {.name = "add", .run = add_decimals}},
    [SUBTRACT] = {{.name = "subtract", .run = subtract_8},
                  {.name = "subtract", .run = subtract_16},
                  {.name = "subtract", .run = subtract_32},
                  {.name = "subtract", .run = subtract_64},
                  {.name = "subtract", .run = subtract_float},
                  {.name = "subtract", .run = subtract_double},
                  {.name = "subtract", .run = subtract_decimals}},
    [MULTIPLY] = {{.name = "multiply", .run = multiply_8},
                  {.name = "multiply", .run = multiply_16},
                  {.name = "multiply", .run = multiply_32},
                  {.name = "multiply", .run = multiply_64},
                  {.name = "multiply", .run = multiply_float},
                  {.name = "multiply", .run = multiply_double},
                  {.name = "multiply", .run = multiply_decimals}},
    [DIVIDE] = {{.name = "divide", .row = divide_integers},
                {.name = "divide", .row = divide_integers},
                {.name = "divide", .row = divide_integers},
                {.name = "divide", .row = divide_integers},
                {.name = "divide", .run = divide_float},
                {.name = "divide", .run = divide_double},
                {.name = "divide", .row = divide_decimals}},
    [MODULO] = {{.name = "modulo", .row = modulo_integers},
                {.name = "modulo", .row = modulo_integers},
                {.name = "modulo", .row = modulo_integers},
                {.name = "modulo", .row = modulo_integers},
                {.name = NULL},
                {.name = NULL},
                {.name = "modulo", .row = modulo_decimals}},
};

const weir_kernel *weir_kernel_arithmetic(char operation, const weir_type *operand)
{
    int which = operation == '+'   ? ADD
                : operation == '-' ? SUBTRACT
                : operation == '*' ? MULTIPLY
                : operation == '/' ? DIVIDE
                                   : MODULO;
    switch ((int)operand->id) {
    case WEIR_TINYINT:
        return &kernels[which][0];
    case WEIR_SMALLINT:
        return &kernels[which][1];
    case WEIR_INTERVAL_MONTHS:
    case WEIR_INT:
        return &kernels[which][2];
    case WEIR_INTERVAL_MILLIS:
    case WEIR_BIGINT:
        return &kernels[which][3];
    case WEIR_FLOAT:
        return &kernels[which][4];
    case WEIR_DOUBLE:
        return &kernels[which][5];
    default:
        return &kernels[which][6];
    }
}

const weir_kernel weir_kernel_modulo_integers = {.name = "modulo", .row = modulo_integers};
const weir_kernel weir_kernel_compare_decimals = {.name = "compare", .row = compare_decimals};
const weir_kernel weir_kernel_negate = {.name = "negate", .row = negate};
const weir_kernel weir_kernel_absolute = {.name = "abs", .row = absolute};
