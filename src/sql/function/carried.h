/* Single values between literals and the carried form that kernels take (kernel.h). */
#ifndef WEIR_SQL_FUNCTION_CARRIED_H
#define WEIR_SQL_FUNCTION_CARRIED_H

#include "sql/function/kernel.h"
#include "vector/literal.h"

/* Bytes of one carried value; 0 for nested types. */
size_t weir_carried_width(const weir_type *type);

/* Writes a literal that is not NULL to `out` (16 bytes); text stays borrowed. */
void weir_carried_from_literal(const weir_type *type, const weir_literal *literal, void *out);

/* Reads a carried value; text is copied into `arena`. */
weir_literal weir_carried_to_literal(const weir_type *type, const void *carried, weir_arena *arena);

/* Runs a kernel (of the run or row form) over one row of literals. */
int weir_kernel_run_literals(const weir_kernel *kernel, const char *option, const weir_type *const *types,
                             const weir_literal *arguments, int32_t count, const weir_type *type, weir_arena *arena,
                             weir_literal *out, weir_error *err);

/* Runs a kernel's run or row form over a prepared call: NULLs, failing rows. */
int weir_kernel_run(const weir_kernel *kernel, weir_kernel_call *call, weir_error *err);

#endif
