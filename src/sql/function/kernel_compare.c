/* Comparing FLOAT and DOUBLE as Java does: NaN is neither less nor greater than anything, nor equal to itself. (DuckDB
 * takes it for the greatest value.) */
#include "sql/function/kernels.h"

#define DEFINE_COMPARE(name, ctype, sign)                                                                              \
    static int name(weir_kernel_call *call, weir_error *err)                                                           \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        const ctype *a = call->data[0];                                                                                \
        const ctype *b = call->data[1];                                                                                \
        uint8_t *result = call->result;                                                                                \
        for (int64_t i = 0; i < call->length; i++) {                                                                   \
            result[i] = a[i] sign b[i];                                                                                \
        }                                                                                                              \
        return WEIR_OK;                                                                                                \
    }

DEFINE_COMPARE(equal_float, float, ==)
DEFINE_COMPARE(not_equal_float, float, !=)
DEFINE_COMPARE(less_float, float, <)
DEFINE_COMPARE(less_or_equal_float, float, <=)
DEFINE_COMPARE(equal_double, double, ==)
DEFINE_COMPARE(not_equal_double, double, !=)
DEFINE_COMPARE(less_double, double, <)
DEFINE_COMPARE(less_or_equal_double, double, <=)

static const weir_kernel of_float[] = {{.name = "equal", .run = equal_float},
                                       {.name = "not_equal", .run = not_equal_float},
                                       {.name = "less", .run = less_float},
                                       {.name = "less_or_equal", .run = less_or_equal_float}};
static const weir_kernel of_double[] = {{.name = "equal", .run = equal_double},
                                        {.name = "not_equal", .run = not_equal_double},
                                        {.name = "less", .run = less_double},
                                        {.name = "less_or_equal", .run = less_or_equal_double}};

const weir_kernel *weir_kernel_compare_floats(weir_expression_kind kind, const weir_type *operand, bool *out_swapped)
{
    const weir_kernel *kernels = operand->id == WEIR_FLOAT ? of_float : of_double;
    *out_swapped = kind == WEIR_EXPRESSION_GREATER || kind == WEIR_EXPRESSION_GREATER_OR_EQUAL;
    switch (kind) {
    case WEIR_EXPRESSION_EQUAL:
        return &kernels[0];
    case WEIR_EXPRESSION_NOT_EQUAL:
        return &kernels[1];
    case WEIR_EXPRESSION_LESS:
    case WEIR_EXPRESSION_GREATER:
        return &kernels[2];
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        return &kernels[3];
    default:
        return NULL;
    }
}
