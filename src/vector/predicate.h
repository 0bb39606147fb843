/* Predicates: what a reader may use to leave out files, row groups, pages and rows.
 *
 * Values compare as in compare.h, but for 0.0 and -0.0, which are equal here; NaN equals itself and is the greatest.
 *
 * A predicate is a tree in an arena. Testing it against statistics answers "may any row match"; a yes is always
 * allowed. Testing it against rows is exact, by SQL's three-valued logic (unknown is no). */
#ifndef WEIR_VECTOR_PREDICATE_H
#define WEIR_VECTOR_PREDICATE_H

#include "vector/literal.h"

typedef enum weir_predicate_kind {
    WEIR_PREDICATE_AND,
    WEIR_PREDICATE_OR,
    WEIR_PREDICATE_EQUAL,
    WEIR_PREDICATE_NOT_EQUAL,
    WEIR_PREDICATE_LESS,
    WEIR_PREDICATE_LESS_OR_EQUAL,
    WEIR_PREDICATE_GREATER,
    WEIR_PREDICATE_GREATER_OR_EQUAL,
    WEIR_PREDICATE_IN,
    WEIR_PREDICATE_IS_NULL,
    WEIR_PREDICATE_IS_NOT_NULL,
    WEIR_PREDICATE_STARTS_WITH
} weir_predicate_kind;

typedef struct weir_predicate {
    weir_predicate_kind kind;
    int32_t column;         /* of leaves: position in the fields it was made for */
    const weir_type *type;  /* of leaves: the column's type; literals are of this type */
    weir_literal *literals; /* one, or many of IN */
    int32_t literal_count;
    const struct weir_predicate **children; /* of AND and OR */
    int32_t child_count;
} weir_predicate;

/* Statistics of one column over some rows. */
typedef struct weir_column_stats {
    bool has_min_max; /* min and max bound all values that are not null (they may be truncated: still bounds) */
    weir_literal min;
    weir_literal max;
    int64_t null_count; /* -1: unknown */
    int64_t row_count;  /* -1: unknown */
} weir_column_stats;

/* Predicates are made by these two alone: a leaf copies its literals and keeps those of IN sorted and without NULLs; a
 * node takes over the children of children of its own kind. */
const weir_predicate *weir_predicate_leaf(weir_arena *arena, weir_predicate_kind kind, int32_t column,
                                          const weir_type *type, const weir_literal *literals, int32_t literal_count);
const weir_predicate *weir_predicate_combine(weir_arena *arena, weir_predicate_kind and_or,
                                             const weir_predicate *const *children, int32_t child_count);

/* A copy with every leaf's column replaced by columns[column]. A leaf whose entry is negative is dropped from an AND
 * (the result is weaker); an OR with such a leaf is dropped whole. NULL when nothing is left. */
const weir_predicate *weir_predicate_map(weir_arena *arena, const weir_predicate *predicate, const int32_t *columns);

/* Sets named[column] for every column that the predicate names; NULL names none. */
void weir_predicate_columns(const weir_predicate *predicate, bool *named);

/* May any row match? `stats[column]` for every column the predicate names. */
bool weir_predicate_may_match(const weir_predicate *predicate, const weir_column_stats *stats);

/* Writes the rows of the batch that match into `out_rows` (room for batch->length) and returns their number.
 * A NULL predicate matches all. */
int64_t weir_predicate_select(const weir_predicate *predicate, const weir_batch *batch, uint32_t *out_rows);

#endif
