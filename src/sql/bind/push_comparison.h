/* Comparisons with a literal, seen from below a cast. Used by push_predicate.c only. */
#ifndef WEIR_SQL_BIND_PUSH_COMPARISON_H
#define WEIR_SQL_BIND_PUSH_COMPARISON_H

#include "sql/bind/binder_internal.h"

/* Something of type `type` <kind> literal. */
typedef struct weir_comparison {
    weir_predicate_kind kind; /* EQUAL … GREATER_OR_EQUAL */
    const weir_type *type;
    weir_literal literal;
} weir_comparison;

typedef enum weir_comparison_result {
    WEIR_COMPARISON_UNKNOWN,
    WEIR_COMPARISON_ONE,        /* the same as out[0] of the argument */
    WEIR_COMPARISON_TWO,        /* the same as out[0] and out[1] of it */
    WEIR_COMPARISON_NEVER,      /* true for no value */
    WEIR_COMPARISON_IF_NOT_NULL /* true for every value but NULL */
} weir_comparison_result;

/* The predicate's kind of a comparison whose literal stands on the left (`mirrored`), or that stands under NOT. */
weir_predicate_kind weir_comparison_kind(weir_expression_kind kind, bool mirrored, bool negated);

/* Whether literals of one type can be taken for literals of the column's type as they are. */
bool weir_comparison_fits(const weir_type *column, const weir_type *literal);

/* What a comparison of `side` says of the first argument of that call, where it is a cast or a unit of time that keeps
 * the order; of a column in its own type, where that is not the literal's. */
weir_comparison_result weir_comparison_below(const weir_expression *side, const weir_comparison *comparison,
                                             weir_comparison out[2]);

bool weir_comparison_is_like(const weir_expression *call);
bool weir_comparison_is_starts_with(const weir_expression *call); /* of text or bytes */

#endif
