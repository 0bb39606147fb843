/* Lists of conditions that all must hold, and what can be said of them. */
#ifndef WEIR_SQL_BIND_CONJUNCTS_H
#define WEIR_SQL_BIND_CONJUNCTS_H

#include "sql/bind/binder_internal.h"

typedef struct weir_conjuncts {
    weir_expression **items;
    int32_t count;
} weir_conjuncts;

/* Which of a join's inputs an expression names columns of. */
enum { WEIR_SIDE_LEFT = 1, WEIR_SIDE_RIGHT = 2, WEIR_SIDE_BOTH = 3 };
int weir_expression_sides(const weir_expression *expression, int32_t split);

/* Adds a condition to those that are to hold together. */
void weir_conjuncts_add(weir_binder *binder, weir_conjuncts *list, weir_expression *conjunct);
/* The parts of a condition: of AND its parts, of OR also what all of its branches share. NULL has none. */
void weir_conjuncts_split(weir_binder *binder, weir_expression *condition, weir_conjuncts *out);
weir_expression *weir_conjuncts_join(weir_binder *binder, const weir_conjuncts *list); /* NULL of none */

/* What a condition on both sides says of one of them: (l.a = 1 AND r.b = 2) OR (l.a = 3 AND r.b = 4) says l.a = 1 OR
 * l.a = 3. NULL: nothing. */
weir_expression *weir_conjunct_of_side(weir_binder *binder, weir_expression *conjunct, int side, int32_t split);

/* Conditions on one column also hold for columns that are equal to it: adds them. */
void weir_conjuncts_derive(weir_binder *binder, weir_conjuncts *list);
/* The same from conditions on one side to the other, by the equalities of `keys`. */
void weir_conjuncts_carry_over(weir_binder *binder, const weir_conjuncts *keys, int32_t split, int from,
                               const weir_conjuncts *conditions, weir_conjuncts *out);

/* Whether a row whose columns of a side are all NULL can't fulfil the condition. */
bool weir_conjunct_rejects_nulls(const weir_expression *conjunct, int side, int32_t split);

/* An expression with `by` added to its columns. */
weir_expression *weir_expression_shift(weir_binder *binder, const weir_expression *expression, int32_t by);

#endif
