/* Loops over decimals that 64 or 128 bits hold. Used by kernel_arithmetic.c only. */
#ifndef WEIR_SQL_FUNCTION_KERNEL_DECIMAL_H
#define WEIR_SQL_FUNCTION_KERNEL_DECIMAL_H

#include "sql/function/kernel.h"

typedef int (*weir_decimal_row)(weir_kernel_call *call, int64_t row, weir_error *err);

/* a + b, a - b or a * b (`operation`) of all rows; those that need more than 128 bits, or rounding, are left to `row`.
 */
int weir_kernel_decimal_run(weir_kernel_call *call, char operation, weir_decimal_row row, weir_error *err);

/* value / 10^19 or value % 10^19 of all rows. */
int weir_kernel_decimal_half(weir_kernel_call *call, bool upper);

#endif
