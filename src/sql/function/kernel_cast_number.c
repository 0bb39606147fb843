/* Casts between BOOLEAN and numbers: whole numbers wrap as in Java, floats saturate, decimals round half up and are
 * NULL when they don't fit. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "sql/function/kernels.h"
#include "sql/function/wide.h"

/* --- To integers ----------------------------------------------------------------------------------------------- */

static int integer_to_integer(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_integer(call, row, weir_kernel_integer(call, 0, row));
}

/* (int) of a double saturates and makes NaN 0; narrower types are cut from the int. */
static int double_to_integer(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    double value = weir_kernel_double(call, 0, row);
    bool wide = call->type->id == WEIR_BIGINT;
    int64_t lowest = wide ? INT64_MIN : INT32_MIN;
    int64_t highest = wide ? INT64_MAX : INT32_MAX;
    int64_t whole;
    if (isnan(value)) {
        whole = 0;
    } else if (value >= (double)highest) {
        whole = highest;
    } else if (value <= (double)lowest) {
        whole = lowest;
    } else {
        whole = (int64_t)value;
    }
    return weir_kernel_put_integer(call, row, whole);
}

/* BigDecimal.longValue: the fraction is cut off and the low bits kept. */
static int decimal_to_integer(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_int128 whole = weir_kernel_decimal(call, 0, row) / weir_power_of_ten(call->types[0]->scale);
    return weir_kernel_put_integer(call, row, (int64_t)(uint64_t)whole);
}

static int boolean_to_integer(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_integer(call, row, weir_kernel_boolean(call, 0, row));
}

/* --- To floats ------------------------------------------------------------------------------------------------- */

static int integer_to_double(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    int64_t value = weir_kernel_integer(call, 0, row);
    if (call->type->id == WEIR_FLOAT) {
        ((float *)call->result)[row] = (float)value; /* not by way of a double, which would round twice */
        return WEIR_OK;
    }
    return weir_kernel_put_double(call, row, (double)value);
}

static int double_to_double(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_double(call, row, weir_kernel_double(call, 0, row));
}

static int decimal_to_double(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    weir_int128 unscaled = weir_kernel_decimal(call, 0, row);
    int scale = call->types[0]->scale;
    weir_uint128 magnitude = weir_magnitude(unscaled);
    if (call->type->id == WEIR_DOUBLE && magnitude < ((weir_uint128)1 << 53) && scale <= 22) {
        return weir_kernel_put_double(call, row,
                                      (double)(int64_t)unscaled / powers[scale]); /* both exact: rounds once */
    }
    weir_decimal_format(unscaled, scale, &call->scratch);
    const char *text = weir_buffer_text(&call->scratch);
    if (call->type->id == WEIR_FLOAT) {
        ((float *)call->result)[row] = strtof(text, NULL);
    } else {
        ((double *)call->result)[row] = strtod(text, NULL);
    }
    weir_buffer_clear(&call->scratch);
    return WEIR_OK;
}

static int boolean_to_double(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_double(call, row, weir_kernel_boolean(call, 0, row) ? 1.0 : 0.0);
}

/* --- To decimals ----------------------------------------------------------------------------------------------- */

static int put_scaled(weir_kernel_call *call, int64_t row, weir_int128 unscaled, int scale)
{
    weir_wide value = {0, weir_magnitude(unscaled)};
    int target = call->type->scale;
    bool fits = true;
    if (target >= scale) {
        fits = weir_wide_scale_up(value, target - scale, &value);
    } else {
        value = weir_wide_scale_down(value, scale - target);
    }
    if (!fits || value.high != 0 || value.low >> 127) {
        return weir_kernel_put_null(call, row);
    }
    weir_int128 result = (weir_int128)value.low;
    return weir_kernel_put_decimal(call, row, unscaled < 0 ? -result : result);
}

static int exact_to_decimal(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    const weir_type *from = call->types[0];
    return put_scaled(call, row, weir_kernel_decimal(call, 0, row), from->id == WEIR_DECIMAL ? from->scale : 0);
}

/* BigDecimal.valueOf reads what Double.toString writes, so that 1.005e0 becomes 1.01. */
static int double_to_decimal(weir_kernel_call *call, int64_t row, weir_error *err)
{
    double value = weir_kernel_double(call, 0, row);
    if (!isfinite(value)) {
        return weir_fail(err, WEIR_INVALID, "%s can't be cast to DECIMAL", isnan(value) ? "NaN" : "Infinity");
    }
    weir_format_double(value, &call->scratch);
    weir_int128 unscaled;
    bool fits =
        weir_decimal_parse(weir_buffer_slice(&call->scratch), call->type->precision, call->type->scale, &unscaled);
    weir_buffer_clear(&call->scratch);
    return fits ? weir_kernel_put_decimal(call, row, unscaled) : weir_kernel_put_null(call, row);
}

static int boolean_to_decimal(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return put_scaled(call, row, weir_kernel_boolean(call, 0, row), 0);
}

/* --- To BOOLEAN ------------------------------------------------------------------------------------------------ */

static int exact_to_boolean(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_boolean(call, row, weir_kernel_decimal(call, 0, row) != 0);
}

static int double_to_boolean(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return weir_kernel_put_boolean(call, row, weir_kernel_double(call, 0, row) != 0);
}

/* --- Whole columns: the widening casts that every mixed comparison and sum makes ------------------------------- */

#define DEFINE_WIDEN(name, from, to)                                                                                   \
    static int name(weir_kernel_call *call, weir_error *err)                                                           \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        const from *values = call->data[0];                                                                            \
        to *result = call->result;                                                                                     \
        for (int64_t i = 0; i < call->length; i++) {                                                                   \
            result[i] = (to)values[i];                                                                                 \
        }                                                                                                              \
        return WEIR_OK;                                                                                                \
    }

DEFINE_WIDEN(int_to_bigint, int32_t, int64_t)
DEFINE_WIDEN(bigint_to_int, int64_t, int32_t)
DEFINE_WIDEN(int_to_double, int32_t, double)
DEFINE_WIDEN(bigint_to_double, int64_t, double)
DEFINE_WIDEN(float_to_double, float, double)

typedef struct wide_cast {
    weir_type_id from, to;
    weir_kernel kernel;
} wide_cast;

static const wide_cast wide_casts[] = {
    {WEIR_INT, WEIR_BIGINT, {.name = "cast", .run = int_to_bigint}},
    {WEIR_BIGINT, WEIR_INT, {.name = "cast", .run = bigint_to_int}},
    {WEIR_INT, WEIR_DOUBLE, {.name = "cast", .run = int_to_double}},
    {WEIR_BIGINT, WEIR_DOUBLE, {.name = "cast", .run = bigint_to_double}},
    {WEIR_FLOAT, WEIR_DOUBLE, {.name = "cast", .run = float_to_double}},
};

/* --- Choosing -------------------------------------------------------------------------------------------------- */

enum { FROM_BOOLEAN, FROM_INTEGER, FROM_DOUBLE, FROM_DECIMAL, FROM_COUNT };
enum { TO_BOOLEAN, TO_INTEGER, TO_DOUBLE, TO_DECIMAL, TO_COUNT };

static const weir_kernel kernels[TO_COUNT][FROM_COUNT] = {
    [TO_BOOLEAN] = {[FROM_INTEGER] = {.name = "cast", .row = exact_to_boolean},
                    [FROM_DOUBLE] = {.name = "cast", .row = double_to_boolean},
                    [FROM_DECIMAL] = {.name = "cast", .row = exact_to_boolean}},
    [TO_INTEGER] = {[FROM_BOOLEAN] = {.name = "cast", .row = boolean_to_integer},
                    [FROM_INTEGER] = {.name = "cast", .row = integer_to_integer},
                    [FROM_DOUBLE] = {.name = "cast", .row = double_to_integer},
                    [FROM_DECIMAL] = {.name = "cast", .row = decimal_to_integer}},
    [TO_DOUBLE] = {[FROM_BOOLEAN] = {.name = "cast", .row = boolean_to_double},
                   [FROM_INTEGER] = {.name = "cast", .row = integer_to_double},
                   [FROM_DOUBLE] = {.name = "cast", .row = double_to_double},
                   [FROM_DECIMAL] = {.name = "cast", .row = decimal_to_double}},
    [TO_DECIMAL] = {[FROM_BOOLEAN] = {.name = "cast", .row = boolean_to_decimal},
                    [FROM_INTEGER] = {.name = "cast", .row = exact_to_decimal},
                    [FROM_DOUBLE] = {.name = "cast", .row = double_to_decimal},
                    [FROM_DECIMAL] = {.name = "cast", .row = exact_to_decimal}},
};

static const weir_kernel try_double_to_decimal = {.name = "try_cast", .row = double_to_decimal, .null_on_error = true};

const weir_kernel *weir_kernel_cast_number(const weir_type *from, const weir_type *to, bool try_cast)
{
    for (size_t i = 0; i < sizeof wide_casts / sizeof wide_casts[0]; i++) {
        if (wide_casts[i].from == from->id && wide_casts[i].to == to->id) {
            return &wide_casts[i].kernel;
        }
    }
    int source = from->id == WEIR_BOOLEAN         ? FROM_BOOLEAN
                 : from->id == WEIR_DECIMAL       ? FROM_DECIMAL
                 : weir_type_is_approximate(from) ? FROM_DOUBLE
                                                  : FROM_INTEGER;
    int target = to->id == WEIR_BOOLEAN         ? TO_BOOLEAN
                 : to->id == WEIR_DECIMAL       ? TO_DECIMAL
                 : weir_type_is_approximate(to) ? TO_DOUBLE
                                                : TO_INTEGER;
    if (source == FROM_DOUBLE && target == TO_DECIMAL && try_cast) {
        return &try_double_to_decimal;
    }
    return &kernels[target][source];
}
