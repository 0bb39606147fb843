/* Functions over numbers: rounding as BigDecimal does it, and the mathematical ones of Java's Math. */
#include <math.h>

#include "base/text.h"
#include "sql/function/kernels.h"
#include "sql/function/wide.h"

/* --- Rounding -------------------------------------------------------------------------------------------------- */

/* A whole number rounded or cut to 10^digits, digits > 0. */
static weir_int128 round_whole(weir_int128 value, int digits, bool cut)
{
    if (digits > 38) {
        return 0;
    }
    weir_int128 unit = weir_power_of_ten(digits);
    weir_int128 rest = value % unit;
    value -= rest;
    bool up = !cut && weir_magnitude(rest) * 2 >= (weir_uint128)unit;
    return up ? value + (rest < 0 ? -unit : unit) : value;
}

/* A double goes through its shortest text, as BigDecimal.valueOf does: 2.675 rounds to 2.68. */
static int round_double(weir_kernel_call *call, int64_t row, double value, int64_t places, bool cut, weir_error *err)
{
    if (!isfinite(value)) {
        return weir_fail(err, WEIR_INVALID, "%s can't be rounded", isnan(value) ? "NaN" : "Infinity");
    }
    weir_buffer *text = &call->scratch;
    if (call->type->id == WEIR_FLOAT) {
        weir_format_float((float)value, text);
    } else {
        weir_format_double(value, text);
    }
    int kept = places < -38 ? -38 : places > 37 ? 37 : (int)places;
    weir_int128 unscaled;
    bool small = fabs(value) < 1e37 && weir_decimal_parse(weir_buffer_slice(text), 38, 0, &unscaled);
    int whole_digits = 1;
    for (double rest = fabs(value); rest >= 10; rest /= 10) {
        whole_digits++;
    }
    int scale = kept < 0 ? 0 : kept;
    if (cut) { /* all digits, so that cutting sees them */
        scale = 37 - whole_digits > 0 ? 37 - whole_digits : 0;
    }
    if (!small || scale + whole_digits > 38 || !weir_decimal_parse(weir_buffer_slice(text), 38, scale, &unscaled)) {
        weir_buffer_clear(text);
        return weir_kernel_put_double(call, row, value); /* no digits as far right as asked for */
    }
    weir_buffer_clear(text);
    if (scale > kept) {
        unscaled = round_whole(unscaled, scale - kept, cut);
    }
    weir_decimal_format(unscaled, scale, text);
    double rounded = strtod(weir_buffer_text(text), NULL);
    weir_buffer_clear(text);
    return weir_kernel_put_double(call, row, rounded);
}

static int round_exact(weir_kernel_call *call, int64_t row, int64_t places, bool cut)
{
    const weir_type *from = call->types[0];
    weir_int128 value = weir_kernel_decimal(call, 0, row);
    int scale = from->id == WEIR_DECIMAL ? from->scale : 0;
    int64_t digits = scale - places;
    if (digits > 0) {
        value = round_whole(value, digits > 99 ? 99 : (int)digits, cut);
    }
    if (from->id != WEIR_DECIMAL) {
        return weir_kernel_put_integer(call, row, (int64_t)(uint64_t)value);
    }
    int change = call->type->scale - scale; /* the result has fewer digits, all zeros by now */
    value = change < 0 ? value / weir_power_of_ten(-change) : value * weir_power_of_ten(change);
    return weir_kernel_put_decimal(call, row, value);
}

static int round_number(weir_kernel_call *call, int64_t row, bool cut, weir_error *err)
{
    int64_t places = call->argument_count > 1 ? weir_kernel_integer(call, 1, row) : 0;
    if (weir_type_is_approximate(call->types[0])) {
        return round_double(call, row, weir_kernel_double(call, 0, row), places, cut, err);
    }
    return round_exact(call, row, places, cut);
}

static int round_half_up(weir_kernel_call *call, int64_t row, weir_error *err)
{
    return round_number(call, row, false, err);
}

static int truncate_number(weir_kernel_call *call, int64_t row, weir_error *err)
{
    return round_number(call, row, true, err);
}

/* CEIL and FLOOR. */
static int to_whole(weir_kernel_call *call, int64_t row, bool up)
{
    const weir_type *from = call->types[0];
    if (weir_type_is_approximate(from)) {
        double value = weir_kernel_double(call, 0, row);
        return weir_kernel_put_double(call, row, up ? ceil(value) : floor(value));
    }
    if (from->id != WEIR_DECIMAL) {
        return weir_kernel_put_integer(call, row, weir_kernel_integer(call, 0, row));
    }
    weir_int128 value = weir_kernel_decimal(call, 0, row);
    weir_int128 unit = weir_power_of_ten(from->scale);
    weir_int128 whole = value / unit;
    weir_int128 rest = value % unit;
    whole += up ? rest > 0 : -(rest < 0);
    return weir_kernel_put_decimal(call, row, whole);
}

static int ceil_number(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return to_whole(call, row, true);
}

static int floor_number(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return to_whole(call, row, false);
}

static int sign(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    const weir_type *type = call->type;
    if (weir_type_is_approximate(type)) {
        double value = weir_kernel_double(call, 0, row);
        return weir_kernel_put_double(call, row, value > 0 ? 1.0 : value < 0 ? -1.0 : value);
    }
    weir_int128 value = weir_kernel_decimal(call, 0, row);
    int result = (value > 0) - (value < 0);
    if (type->id == WEIR_DECIMAL) {
        return weir_kernel_put_decimal(call, row, result * weir_power_of_ten(type->scale));
    }
    return weir_kernel_put_integer(call, row, result);
}

const weir_kernel weir_kernel_round = {.name = "round", .row = round_half_up};
const weir_kernel weir_kernel_truncate = {.name = "truncate", .row = truncate_number};
const weir_kernel weir_kernel_ceil = {.name = "ceil", .row = ceil_number};
const weir_kernel weir_kernel_floor = {.name = "floor", .row = floor_number};
const weir_kernel weir_kernel_sign = {.name = "sign", .row = sign};

/* --- Mathematical functions: DOUBLE in, DOUBLE out ------------------------------------------------------------- */

#define DEFINE_MATH(which, expression)                                                                                 \
    static int math_##which(weir_kernel_call *call, weir_error *err)                                                   \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        const double *values = call->data[0];                                                                          \
        double *result = call->result;                                                                                 \
        for (int64_t i = 0; i < call->length; i++) {                                                                   \
            double x = values[i];                                                                                      \
            result[i] = (expression);                                                                                  \
        }                                                                                                              \
        return WEIR_OK;                                                                                                \
    }                                                                                                                  \
    const weir_kernel weir_kernel_##which = {.name = #which, .run = math_##which};

DEFINE_MATH(sqrt, sqrt(x))
DEFINE_MATH(exp, exp(x))
DEFINE_MATH(ln, log(x))
DEFINE_MATH(log10, log10(x))
DEFINE_MATH(log2, log(x) / log(2.0))
DEFINE_MATH(sin, sin(x))
DEFINE_MATH(cos, cos(x))
DEFINE_MATH(tan, tan(x))
DEFINE_MATH(cot, 1.0 / tan(x))
DEFINE_MATH(asin, asin(x))
DEFINE_MATH(acos, acos(x))
DEFINE_MATH(atan, atan(x))
DEFINE_MATH(sinh, sinh(x))
DEFINE_MATH(cosh, cosh(x))
DEFINE_MATH(tanh, tanh(x))
DEFINE_MATH(degrees, x * (180.0 / M_PI))
DEFINE_MATH(radians, x *(M_PI / 180.0))

/* LOG(x) is the natural one, LOG(base, x) that of a base. */
static int logarithm(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    double first = log(weir_kernel_double(call, 0, row));
    return weir_kernel_put_double(call, row,
                                  call->argument_count == 1 ? first : log(weir_kernel_double(call, 1, row)) / first);
}

static int power(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_double(call, row, pow(weir_kernel_double(call, 0, row), weir_kernel_double(call, 1, row)));
}

static int arc_tangent(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_double(call, row, atan2(weir_kernel_double(call, 0, row), weir_kernel_double(call, 1, row)));
}

static int pi(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_double(call, row, M_PI);
}

static int euler(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_double(call, row, M_E);
}

const weir_kernel weir_kernel_log = {.name = "log", .row = logarithm};
const weir_kernel weir_kernel_power = {.name = "power", .row = power};
const weir_kernel weir_kernel_atan2 = {.name = "atan2", .row = arc_tangent};
const weir_kernel weir_kernel_pi = {.name = "pi", .row = pi};
const weir_kernel weir_kernel_e = {.name = "e", .row = euler};

/* --- Numbers as digits ----------------------------------------------------------------------------------------- */

static int bin(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    uint64_t value = (uint64_t)weir_kernel_integer(call, 0, row);
    char digits[64];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + (value & 1));
        value >>= 1;
    } while (value != 0);
    return weir_kernel_put_text(call, row, weir_slice_of(digits + sizeof digits - count, count));
}

static int hex_number(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_buffer_append_format(&call->scratch, "%" PRIX64, (uint64_t)weir_kernel_integer(call, 0, row));
    return weir_kernel_put_scratch(call, row);
}

static int hex_text(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    for (size_t i = 0; i < text.size; i++) {
        weir_buffer_append_format(&call->scratch, "%02X", text.data[i]);
    }
    return weir_kernel_put_scratch(call, row);
}

/* The number at the beginning of a text in a base, as 64 bits; one that is too large is the largest. */
static uint64_t read_in_base(weir_slice text, unsigned base)
{
    size_t i = 0;
    while (i < text.size && text.data[i] == ' ') {
        i++;
    }
    bool negative = i < text.size && text.data[i] == '-';
    weir_int128 value = 0;
    for (i += negative; i < text.size; i++) {
        uint8_t lower = text.data[i] | 0x20;
        bool decimal = text.data[i] >= '0' && text.data[i] <= '9';
        unsigned digit = decimal ? text.data[i] - (unsigned)'0' : lower - (unsigned)'a' + 10;
        if ((!decimal && (lower < 'a' || lower > 'z')) || digit >= base) {
            break;
        }
        value = value * base + digit;
        if (value > UINT64_MAX) {
            return UINT64_MAX;
        }
    }
    return negative ? 0 - (uint64_t)value : (uint64_t)value;
}

/* CONV(number, from, to): of 2 to 36; a negative `to` writes a sign, others the 64 bits. NULL of other bases. */
static int conv(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int64_t from = weir_kernel_integer(call, 1, row);
    int64_t to = weir_kernel_integer(call, 2, row);
    int64_t base = to < 0 ? -to : to;
    if (from < 2 || from > 36 || base < 2 || base > 36) {
        return weir_kernel_put_null(call, row);
    }
    char text[80];
    size_t at = sizeof text;
    weir_slice number;
    if (weir_type_is_text(call->types[0])) {
        number = weir_kernel_text(call, 0, row);
    } else { /* its decimal digits, read in the base */
        number = weir_slice_of(text, (size_t)snprintf(text, sizeof text, "%" PRId64, weir_kernel_integer(call, 0, row)));
    }
    if (number.size == 0) {
        return weir_kernel_put_null(call, row);
    }
    uint64_t value = read_in_base(number, (unsigned)from);
    bool negative = to < 0 && (int64_t)value < 0;
    value = negative ? 0 - value : value;
    do {
        text[--at] = digits[value % (uint64_t)base];
        value /= (uint64_t)base;
    } while (value != 0);
    if (negative) {
        text[--at] = '-';
    }
    return weir_kernel_put_text(call, row, weir_slice_of(text + at, sizeof text - at));
}

const weir_kernel weir_kernel_conv = {.name = "conv", .row = conv};
const weir_kernel weir_kernel_bin = {.name = "bin", .row = bin};
const weir_kernel weir_kernel_hex_number = {.name = "hex", .row = hex_number};
const weir_kernel weir_kernel_hex_text = {.name = "hex", .row = hex_text};
