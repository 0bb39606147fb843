/* The order in which predicates compare: that of compare.h, but 0.0 and -0.0 are equal, as SQL has it.
 *
 * Only for predicate.c and predicate_select.c. */
#ifndef WEIR_VECTOR_PREDICATE_ORDER_H
#define WEIR_VECTOR_PREDICATE_ORDER_H

#include "vector/compare.h"

static inline int weir_predicate_order(const weir_type *type, const weir_literal *a, const weir_literal *b)
{
    if (type->id == WEIR_DOUBLE && a->float64 == b->float64) {
        return 0;
    }
    if (type->id == WEIR_FLOAT && a->float32 == b->float32) {
        return 0;
    }
    return weir_literal_compare(type, a, b);
}

#endif
