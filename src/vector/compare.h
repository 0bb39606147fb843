/* Comparing values by Paimon's order: numbers and times by value, -0.0 before 0.0 and NaN after everything (Java's
 * Double.compare), text and bytes by unsigned bytes, false before true. */
#ifndef WEIR_VECTOR_COMPARE_H
#define WEIR_VECTOR_COMPARE_H

#include "vector/literal.h"

/* <0, 0, >0. Not for nested types. Nulls: before every value, equal to each other. */
int weir_vector_compare(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b);
int weir_literal_compare(const weir_type *type, const weir_literal *a, const weir_literal *b);

/* Whether two values of any type (nested too) are the same, nulls equal to each other. */
bool weir_vector_values_equal(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b);

/* Widens [*min, *max] by values first .. first + count - 1, and adds their nulls to *null_count. *has_value says whether
 * min and max are set. Bytes stay borrowed from the vector. Not for nested types. Floats: NaN takes part as the
 * greatest. */
void weir_vector_min_max(const weir_vector *vector, int64_t first, int64_t count, weir_literal *min, weir_literal *max,
                         bool *has_value, int64_t *null_count);

#endif
