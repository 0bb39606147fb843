/* Which of two rows of a key is newer by the table's sequence.field. */
#ifndef WEIR_MERGE_AGE_ORDER_H
#define WEIR_MERGE_AGE_ORDER_H

#include "meta/schema.h"
#include "vector/compare.h"

typedef struct weir_age_order {
    const int32_t *columns; /* of the schema, in the order in which they count; none: sequence numbers alone tell */
    int32_t count;
    bool descending; /* sequence.field.sort-order: lesser values are newer */
} weir_age_order;

/* In `arena`. WEIR_INVALID when sequence.field names no column of the table. */
int weir_age_order_of(const weir_schema *schema, weir_arena *arena, weir_age_order *out, weir_error *err);

/* By one of the columns: <0: `a` is older. NULL is older than every value, whichever way the values go. */
static inline int weir_age_order_compare(const weir_age_order *order, const weir_vector *a, int64_t row_a,
                                         const weir_vector *b, int64_t row_b)
{
    int by_value = weir_vector_compare(a, row_a, b, row_b);
    if (by_value != 0 && order->descending && !weir_vector_is_null(a, row_a) && !weir_vector_is_null(b, row_b)) {
        return -by_value;
    }
    return by_value;
}

#endif
