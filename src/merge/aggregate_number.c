/* sum and product.
 *
 * Numbers overflow as Java's do: whole numbers wrap around, and a decimal of up to 18 digits may grow beyond its
 * precision as long as 64 bits hold it. A greater decimal that has more digits than its type becomes NULL, with which
 * the key begins anew. */
#include <stdlib.h>

#include "merge/aggregate_fold.h"
#include "vector/decimal.h"

/* What an operation leaves: a value, NULL, or an error. */
typedef enum outcome { VALUE, NO_VALUE, BY_ZERO, INEXACT } outcome;

/* --- whole numbers and floats --- */

#define WRAPPING(suffix, type)                                                                                         \
    static inline outcome add_##suffix(int scale, int precision, type *a, type b)                                      \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a = (type)((uint64_t)*a + (uint64_t)b);                                                                       \
        return VALUE;                                                                                                  \
    }                                                                                                                  \
    static inline outcome subtract_##suffix(int scale, int precision, type *a, type b)                                 \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a = (type)((uint64_t)*a - (uint64_t)b);                                                                       \
        return VALUE;                                                                                                  \
    }                                                                                                                  \
    static inline outcome multiply_##suffix(int scale, int precision, type *a, type b)                                 \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a = (type)((uint64_t)*a * (uint64_t)b);                                                                       \
        return VALUE;                                                                                                  \
    }                                                                                                                  \
    static inline outcome divide_##suffix(int scale, int precision, type *a, type b)                                   \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        if (b == 0) {                                                                                                  \
            return BY_ZERO;                                                                                            \
        }                                                                                                              \
        *a = b == -1 ? (type)(0 - (uint64_t)*a) : (type)(*a / b);                                                      \
        return VALUE;                                                                                                  \
    }

#define FLOATING(suffix, type)                                                                                         \
    static inline outcome add_##suffix(int scale, int precision, type *a, type b)                                      \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a += b;                                                                                                       \
        return VALUE;                                                                                                  \
    }                                                                                                                  \
    static inline outcome subtract_##suffix(int scale, int precision, type *a, type b)                                 \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a -= b;                                                                                                       \
        return VALUE;                                                                                                  \
    }                                                                                                                  \
    static inline outcome multiply_##suffix(int scale, int precision, type *a, type b)                                 \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a *= b;                                                                                                       \
        return VALUE;                                                                                                  \
    }                                                                                                                  \
    static inline outcome divide_##suffix(int scale, int precision, type *a, type b)                                   \
    {                                                                                                                  \
        (void)scale, (void)precision;                                                                                  \
        *a /= b;                                                                                                       \
        return VALUE;                                                                                                  \
    }

WRAPPING(i8, int8_t)
WRAPPING(i16, int16_t)
WRAPPING(i32, int32_t)
WRAPPING(i64, int64_t)
FLOATING(f32, float)
FLOATING(f64, double)

/* --- decimals --- */

__extension__ typedef unsigned __int128 wide;

static inline wide magnitude(weir_int128 value) { return value < 0 ? (wide)0 - (wide)value : (wide)value; }

/* Gives `unscaled` its sign if it has no more than `precision` digits. */
static outcome fit(wide unscaled, bool negative, int precision, weir_int128 *out)
{
    if (unscaled >= (wide)weir_power_of_ten(precision)) {
        return NO_VALUE;
    }
    *out = negative ? -(weir_int128)unscaled : (weir_int128)unscaled;
    return VALUE;
}

static inline outcome add_d128(int scale, int precision, weir_int128 *a, weir_int128 b)
{
    (void)scale;
    return __builtin_add_overflow(*a, b, a) || !weir_decimal_fits(*a, precision) ? NO_VALUE : VALUE;
}

static inline outcome subtract_d128(int scale, int precision, weir_int128 *a, weir_int128 b)
{
    (void)scale;
    return __builtin_sub_overflow(*a, b, a) || !weir_decimal_fits(*a, precision) ? NO_VALUE : VALUE;
}

#define LIMBS 8 /* of 32 bits, the least first */

static void multiply_limbs(wide a, wide b, uint32_t *out)
{
    memset(out, 0, LIMBS * sizeof *out);
    for (int i = 0; i < LIMBS / 2; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < LIMBS / 2; k++) {
            uint64_t sum = (uint64_t)(uint32_t)(a >> 32 * i) * (uint32_t)(b >> 32 * k) + out[i + k] + carry;
            out[i + k] = (uint32_t)sum;
            carry = sum >> 32;
        }
        out[i + LIMBS / 2] = (uint32_t)carry;
    }
}

static uint32_t divide_limbs_by_ten(uint32_t *limbs)
{
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return (uint32_t)rest;
}

/* Rounds half away from zero. */
static outcome multiply_d128(int scale, int precision, weir_int128 *a, weir_int128 b)
{
    bool negative = (*a < 0) != (b < 0);
    uint32_t limbs[LIMBS];
    multiply_limbs(magnitude(*a), magnitude(b), limbs);
    uint32_t last_digit = 0;
    for (int i = 0; i < scale; i++) {
        last_digit = divide_limbs_by_ten(limbs);
    }
    for (int i = LIMBS / 2; i < LIMBS; i++) {
        if (limbs[i] != 0) {
            return NO_VALUE;
        }
    }
    wide product = 0;
    for (int i = LIMBS / 2 - 1; i >= 0; i--) {
        product = product << 32 | limbs[i];
    }
    if (product >= (wide)weir_power_of_ten(WEIR_MAX_DECIMAL_PRECISION)) {
        return NO_VALUE;
    }
    return fit(product + (last_digit >= 5), negative, precision, a);
}

static wide common_divisor(wide a, wide b)
{
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The quotient must end, as for Java's BigDecimal; then it is rounded half away from zero. */
static outcome divide_d128(int scale, int precision, weir_int128 *a, weir_int128 b)
{
    if (b == 0) {
        return BY_ZERO;
    }
    bool negative = (*a < 0) != (b < 0);
    wide dividend = magnitude(*a);
    wide divisor = magnitude(b);
    wide shared = common_divisor(dividend, divisor);
    dividend /= shared;
    divisor /= shared;
    wide primes = divisor;
    while (primes % 2 == 0) {
        primes /= 2;
    }
    while (primes % 5 == 0) {
        primes /= 5;
    }
    if (primes != 1 || divisor >= (wide)weir_power_of_ten(WEIR_MAX_DECIMAL_PRECISION - 1)) {
        return INEXACT;
    }
    wide quotient = dividend / divisor;
    wide rest = dividend % divisor;
    for (int i = 0; i < scale; i++) {
        if (quotient >= (wide)weir_power_of_ten(WEIR_MAX_DECIMAL_PRECISION - 1)) {
            return NO_VALUE;
        }
        quotient = quotient * 10 + rest * 10 / divisor;
        rest = rest * 10 % divisor;
    }
    return fit(quotient + (rest * 2 >= divisor), negative, precision, a);
}

/* Decimals of up to 18 digits are checked against 64 bits alone, but products against their precision. */
static inline outcome add_d64(int scale, int precision, int64_t *a, int64_t b)
{
    (void)scale, (void)precision;
    return __builtin_add_overflow(*a, b, a) ? NO_VALUE : VALUE;
}

static inline outcome subtract_d64(int scale, int precision, int64_t *a, int64_t b)
{
    (void)scale, (void)precision;
    return __builtin_sub_overflow(*a, b, a) ? NO_VALUE : VALUE;
}

static outcome multiply_d64(int scale, int precision, int64_t *a, int64_t b)
{
    weir_int128 product = *a;
    outcome result = multiply_d128(scale, precision, &product, b);
    *a = (int64_t)product;
    return result;
}

static outcome divide_d64(int scale, int precision, int64_t *a, int64_t b)
{
    weir_int128 quotient = *a;
    outcome result = divide_d128(scale, precision, &quotient, b);
    *a = (int64_t)quotient;
    return result;
}

/* --- folding --- */

static int fail(outcome result, const weir_type *type, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "product cannot take a value back: %s",
                     result != BY_ZERO          ? "the quotient has no end as a decimal"
                     : type->id == WEIR_DECIMAL ? "division by zero"
                                                : "/ by zero");
}

/* One key. Without a value before it, sum takes a row back by beginning with its negative, product leaves it. */
#define FOLD(name, suffix, number, forward, backward, begins_negative)                                                 \
    static int name##_##suffix(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,                      \
                               const weir_vector *values, uint8_t *has_value, void *results, weir_error *err)          \
    {                                                                                                                  \
        const number *in = WEIR_VALUES(values, number);                                                                \
        number *out = results;                                                                                         \
        int scale = values->type->scale;                                                                               \
        int precision = values->type->precision;                                                                       \
        for (int64_t g = 0; g < rows->group_count; g++) {                                                              \
            number folded = 0;                                                                                         \
            bool has = false;                                                                                          \
            for (int64_t row = rows->group_starts[g]; row < rows->group_starts[g + 1]; row++) {                        \
                weir_fold_step step = rows->only_adds ? WEIR_STEP_ADD : (weir_fold_step)rows->steps[row];              \
                bool begins = step == WEIR_STEP_SET || step == WEIR_STEP_SET_RETRACT;                                  \
                bool retracts = step >= WEIR_STEP_RETRACT && !aggregate->ignore_retract;                               \
                bool is_null = weir_vector_is_null(values, row);                                                       \
                if (begins) {                                                                                          \
                    folded = in[row];                                                                                  \
                    has = !is_null;                                                                                    \
                }                                                                                                      \
                if (is_null || step == WEIR_STEP_NONE || step == WEIR_STEP_SET ||                                      \
                    (step >= WEIR_STEP_RETRACT && !retracts)) {                                                        \
                    continue;                                                                                          \
                }                                                                                                      \
                outcome result = VALUE;                                                                                \
                if (retracts && (has || (begins_negative))) {                                                          \
                    folded = has ? folded : 0;                                                                         \
                    result = backward##_##suffix(scale, precision, &folded, in[row]);                                  \
                } else if (!retracts && has) {                                                                         \
                    result = forward##_##suffix(scale, precision, &folded, in[row]);                                   \
                } else if (!retracts) {                                                                                \
                    folded = in[row];                                                                                  \
                } else {                                                                                               \
                    result = NO_VALUE;                                                                                 \
                }                                                                                                      \
                has = result == VALUE;                                                                                 \
                if (result > NO_VALUE) {                                                                               \
                    return fail(result, values->type, err);                                                            \
                }                                                                                                      \
            }                                                                                                          \
            out[g] = has ? folded : 0;                                                                                 \
            has_value[g] = has;                                                                                        \
        }                                                                                                              \
        return WEIR_OK;                                                                                                \
    }

#define FOLDS(suffix, number)                                                                                          \
    FOLD(sum, suffix, number, add, subtract, true)                                                                     \
    FOLD(product, suffix, number, multiply, divide, false)

FOLDS(i8, int8_t)
FOLDS(i16, int16_t)
FOLDS(i32, int32_t)
FOLDS(i64, int64_t)
FOLDS(f32, float)
FOLDS(f64, double)
FOLDS(d64, int64_t)
FOLDS(d128, weir_int128)

typedef int (*fold_function)(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                             const weir_vector *values, uint8_t *has_value, void *results, weir_error *err);

static fold_function function_of(weir_field_aggregate_kind kind, const weir_vector *values)
{
    bool is_sum = kind == WEIR_FIELD_SUM;
    switch (values->type->id) {
    case WEIR_TINYINT:
        return is_sum ? sum_i8 : product_i8;
    case WEIR_SMALLINT:
        return is_sum ? sum_i16 : product_i16;
    case WEIR_INT:
        return is_sum ? sum_i32 : product_i32;
    case WEIR_BIGINT:
        return is_sum ? sum_i64 : product_i64;
    case WEIR_FLOAT:
        return is_sum ? sum_f32 : product_f32;
    case WEIR_DOUBLE:
        return is_sum ? sum_f64 : product_f64;
    default:
        if (values->layout == WEIR_LAYOUT_64) {
            return is_sum ? sum_d64 : product_d64;
        }
        return is_sum ? sum_d128 : product_d128;
    }
}

static int append(const uint8_t *has_value, const void *results, int64_t count, weir_vector *out, weir_error *err)
{
    size_t width = weir_layout_width(out->layout);
    WEIR_TRY(weir_vector_reserve(out, count, err));
    WEIR_TRY(weir_vector_reserve_validity(out, count, err));
    memcpy(out->data + (size_t)out->length * width, results, (size_t)count * width);
    for (int64_t g = 0; g < count; g++) {
        if (has_value[g]) {
            weir_bit_set(out->validity, out->length + g);
        } else {
            weir_bit_clear(out->validity, out->length + g);
            out->null_count++;
        }
    }
    out->length += count;
    if (out->null_count == 0) {
        weir_vector_drop_validity(out);
    }
    return WEIR_OK;
}

int weir_field_aggregate_fold_numbers(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                      const weir_vector *values, weir_vector *out, weir_error *err)
{
    uint8_t *has_value = NULL;
    void *results = NULL;
    int code = WEIR_OK;
    WEIR_GO(weir_alloc_checked((size_t)rows->group_count + 1, 1, (void **)&has_value, err));
    WEIR_GO(weir_alloc_checked((size_t)rows->group_count + 1, weir_layout_width(out->layout), &results, err));
    WEIR_GO(function_of(aggregate->kind, values)(aggregate, rows, values, has_value, results, err));
    WEIR_GO(append(has_value, results, rows->group_count, out, err));
done:
    free(has_value);
    free(results);
    return code;
}
