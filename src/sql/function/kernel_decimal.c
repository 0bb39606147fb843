/* Sums, differences and products of decimals as array loops, where the types say that nothing can overflow or is
 * rounded: about 1 ns a row in 64 bits, 2 ns in 128. */
#include "sql/function/kernel_decimal.h"

#define BLOCK_ROWS    1024
#define WIDEST_IN_64  18
#define HALF_EXPONENT 19

static int scale_of(const weir_type *type) { return type->id == WEIR_DECIMAL ? type->scale : 0; }

static bool is_narrow(const weir_type *type) { return type->id != WEIR_DECIMAL || type->precision <= WIDEST_IN_64; }

static bool fits_64(weir_int128 value) { return (int64_t)value == value; }

/* --- loading and storing ----------------------------------------------------------------------------------------- */

#define LOAD_LOOP(ctype)                                                                                               \
    for (int64_t i = 0; i < count; i++) {                                                                              \
        out[i] = ((const ctype *)data)[first + i];                                                                     \
    }

/* Rows of an integer or narrow decimal argument. */
static void load_64(const weir_kernel_call *call, int32_t argument, int64_t first, int64_t count, int64_t *out)
{
    const weir_type *type = call->types[argument];
    const void *data = call->data[argument];
    bool is_decimal = type->id == WEIR_DECIMAL;
    if (type->id == WEIR_TINYINT) {
        LOAD_LOOP(int8_t)
    } else if (type->id == WEIR_SMALLINT || (is_decimal && type->precision <= 4)) {
        LOAD_LOOP(int16_t)
    } else if (type->id == WEIR_INT || (is_decimal && type->precision <= 9)) {
        LOAD_LOOP(int32_t)
    } else {
        LOAD_LOOP(int64_t)
    }
}

#define STORE_LOOP(ctype)                                                                                              \
    for (int64_t i = 0; i < count; i++) {                                                                              \
        ((ctype *)call->result)[first + i] = (ctype)values[i];                                                         \
    }

static void store_64(weir_kernel_call *call, int64_t first, int64_t count, const int64_t *values)
{
    if (call->type->precision <= 4) {
        STORE_LOOP(int16_t)
    } else if (call->type->precision <= 9) {
        STORE_LOOP(int32_t)
    } else {
        STORE_LOOP(int64_t)
    }
}

/* --- both arguments in 64 bits ----------------------------------------------------------------------------------- */

/* Values under NULLs may be anything: unsigned, so that they may overflow. */
static void compute_64(char operation, const int64_t *a, const int64_t *b, uint64_t unit_a, uint64_t unit_b,
                       int64_t count, int64_t *out)
{
    for (int64_t i = 0; i < count && operation == '+'; i++) {
        out[i] = (int64_t)((uint64_t)a[i] * unit_a + (uint64_t)b[i] * unit_b);
    }
    for (int64_t i = 0; i < count && operation == '-'; i++) {
        out[i] = (int64_t)((uint64_t)a[i] * unit_a - (uint64_t)b[i] * unit_b);
    }
    for (int64_t i = 0; i < count && operation == '*'; i++) {
        out[i] = (int64_t)((uint64_t)a[i] * (uint64_t)b[i]);
    }
}

static void compute_128(char operation, const int64_t *a, const int64_t *b, weir_int128 unit_a, weir_int128 unit_b,
                        int64_t count, char *out)
{
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = operation == '*'   ? (weir_int128)a[i] * b[i]
                            : operation == '+' ? a[i] * unit_a + b[i] * unit_b
                                               : a[i] * unit_a - b[i] * unit_b;
        memcpy(out + i * 16, &value, 16);
    }
}

static void run_narrow(weir_kernel_call *call, char operation)
{
    int64_t a[BLOCK_ROWS], b[BLOCK_ROWS], values[BLOCK_ROWS];
    int scale_a = scale_of(call->types[0]), scale_b = scale_of(call->types[1]);
    int scale = operation == '*' ? 0 : call->type->scale;
    weir_int128 unit_a = weir_power_of_ten(operation == '*' ? 0 : scale - scale_a);
    weir_int128 unit_b = weir_power_of_ten(operation == '*' ? 0 : scale - scale_b);
    for (int64_t first = 0; first < call->length; first += BLOCK_ROWS) {
        int64_t count = call->length - first < BLOCK_ROWS ? call->length - first : BLOCK_ROWS;
        load_64(call, 0, first, count, a);
        load_64(call, 1, first, count, b);
        if (call->type->precision <= WIDEST_IN_64) {
            compute_64(operation, a, b, (uint64_t)unit_a, (uint64_t)unit_b, count, values);
            store_64(call, first, count, values);
        } else {
            compute_128(operation, a, b, unit_a, unit_b, count, (char *)call->result + first * 16);
        }
    }
}

/* --- wider arguments --------------------------------------------------------------------------------------------- */

/* Products whose type was cut to 38 digits but not in its scale: those of two numbers in 64 bits fit for sure. */
static int run_products(weir_kernel_call *call, weir_decimal_row row, weir_error *err)
{
    for (int64_t i = 0; i < call->length; i++) {
        weir_int128 a = weir_kernel_decimal(call, 0, i);
        weir_int128 b = weir_kernel_decimal(call, 1, i);
        if (fits_64(a) && fits_64(b)) {
            weir_int128 value = a * b;
            memcpy((char *)call->result + i * 16, &value, 16);
        } else {
            WEIR_TRY(row(call, i, err));
        }
    }
    return WEIR_OK;
}

int weir_kernel_decimal_run(weir_kernel_call *call, char operation, weir_decimal_row row, weir_error *err)
{
    int scale_a = scale_of(call->types[0]), scale_b = scale_of(call->types[1]);
    int exact = operation == '*' ? scale_a + scale_b : scale_a > scale_b ? scale_a : scale_b;
    bool is_exact = call->type->scale == exact;
    if (is_exact && call->type->precision < 38 && is_narrow(call->types[0]) && is_narrow(call->types[1])) {
        run_narrow(call, operation);
        return WEIR_OK;
    }
    if (is_exact && operation == '*' && call->type->precision == 38) {
        return run_products(call, row, err);
    }
    for (int64_t i = 0; i < call->length; i++) {
        WEIR_TRY(row(call, i, err));
    }
    return WEIR_OK;
}

/* Most values are narrow whatever their type: the upper digits of those are zero. */
int weir_kernel_decimal_half(weir_kernel_call *call, bool upper)
{
    weir_int128 unit = weir_power_of_ten(HALF_EXPONENT);
    for (int64_t i = 0; i < call->length; i++) {
        weir_int128 value = weir_kernel_decimal(call, 0, i);
        weir_int128 half = fits_64(value) ? (upper ? 0 : value) : upper ? value / unit : value % unit;
        memcpy((char *)call->result + i * 16, &half, 16);
    }
    return WEIR_OK;
}
