/* Making and mapping predicates, and testing them against statistics.
 *
 * IN's literals are kept sorted and without NULLs, so that both tests can search them; nested ANDs and ORs are
 * flattened. Testing against rows is in predicate_select.c. */
#include "vector/predicate.h"

#include <stdlib.h>

#include "vector/predicate_order.h"

static int compare_literals(const void *a, const void *b, void *type) { return weir_predicate_order(type, a, b); }

static int32_t drop_nulls(weir_literal *literals, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!literals[i].is_null) {
            literals[kept++] = literals[i];
        }
    }
    return kept;
}

const weir_predicate *weir_predicate_leaf(weir_arena *arena, weir_predicate_kind kind, int32_t column,
                                          const weir_type *type, const weir_literal *literals, int32_t literal_count)
{
    weir_predicate *leaf = WEIR_NEW(arena, weir_predicate);
    *leaf = (weir_predicate){.kind = kind, .column = column, .type = type, .literal_count = literal_count};
    if (literal_count > 0) {
        leaf->literals = WEIR_NEW_ARRAY(arena, weir_literal, literal_count);
        for (int32_t i = 0; i < literal_count; i++) {
            leaf->literals[i] = weir_literal_copy(arena, type, &literals[i]);
        }
    }
    if (kind == WEIR_PREDICATE_IN && literal_count > 0) {
        /* x IN (1, NULL) is true for 1 and else unknown: NULLs decide nothing. */
        leaf->literal_count = drop_nulls(leaf->literals, literal_count);
        qsort_r(leaf->literals, (size_t)leaf->literal_count, sizeof *leaf->literals, compare_literals, (void *)type);
    }
    return leaf;
}

const weir_predicate *weir_predicate_combine(weir_arena *arena, weir_predicate_kind and_or,
                                             const weir_predicate *const *children, int32_t child_count)
{
    if (child_count == 1) {
        return children[0];
    }
    int32_t count = 0;
    for (int32_t i = 0; i < child_count; i++) {
        count += children[i]->kind == and_or ? children[i]->child_count : 1;
    }
    weir_predicate *node = WEIR_NEW(arena, weir_predicate);
    *node = (weir_predicate){.kind = and_or, .column = -1, .child_count = count};
    node->children = WEIR_NEW_ARRAY(arena, const weir_predicate *, count);
    int32_t used = 0;
    for (int32_t i = 0; i < child_count; i++) {
        if (children[i]->kind != and_or) {
            node->children[used++] = children[i];
            continue;
        }
        for (int32_t j = 0; j < children[i]->child_count; j++) {
            node->children[used++] = children[i]->children[j];
        }
    }
    return node;
}

static const weir_predicate *map_children(weir_arena *arena, const weir_predicate *predicate, const int32_t *columns)
{
    const weir_predicate **kept = WEIR_NEW_ARRAY(arena, const weir_predicate *, predicate->child_count);
    int32_t count = 0;
    for (int32_t i = 0; i < predicate->child_count; i++) {
        const weir_predicate *child = weir_predicate_map(arena, predicate->children[i], columns);
        if (child != NULL) {
            kept[count++] = child;
        } else if (predicate->kind == WEIR_PREDICATE_OR) {
            return NULL;
        }
    }
    /* An OR of nothing is false, and stays so; an AND of nothing says nothing. */
    if (count == 0 && predicate->kind == WEIR_PREDICATE_AND) {
        return NULL;
    }
    return weir_predicate_combine(arena, predicate->kind, kept, count);
}

const weir_predicate *weir_predicate_map(weir_arena *arena, const weir_predicate *predicate, const int32_t *columns)
{
    if (predicate == NULL) {
        return NULL;
    }
    if (predicate->kind == WEIR_PREDICATE_AND || predicate->kind == WEIR_PREDICATE_OR) {
        return map_children(arena, predicate, columns);
    }
    int32_t column = columns[predicate->column];
    if (column < 0) {
        return NULL;
    }
    weir_predicate *leaf = WEIR_NEW(arena, weir_predicate);
    *leaf = *predicate;
    leaf->column = column;
    return leaf;
}

void weir_predicate_columns(const weir_predicate *predicate, bool *named)
{
    if (predicate == NULL) {
        return;
    }
    if (predicate->kind != WEIR_PREDICATE_AND && predicate->kind != WEIR_PREDICATE_OR) {
        named[predicate->column] = true;
        return;
    }
    for (int32_t i = 0; i < predicate->child_count; i++) {
        weir_predicate_columns(predicate->children[i], named);
    }
}

/* Whether a text that begins with `prefix` may lie between min and max. */
static bool prefix_may_lie(const weir_column_stats *stats, weir_slice prefix)
{
    weir_slice min = stats->min.bytes;
    min.size = min.size < prefix.size ? min.size : prefix.size;
    return weir_slice_compare(min, prefix) <= 0 && weir_slice_compare(stats->max.bytes, prefix) >= 0;
}

static bool any_may_lie(const weir_predicate *leaf, const weir_column_stats *stats)
{
    for (int32_t i = 0; i < leaf->literal_count; i++) {
        if (weir_predicate_order(leaf->type, &leaf->literals[i], &stats->min) >= 0) {
            /* the first that is large enough, so the smallest of those */
            return weir_predicate_order(leaf->type, &leaf->literals[i], &stats->max) <= 0;
        }
    }
    return false;
}

/* A comparison with literals, over values that are not all NULL. */
static bool comparison_may_match(const weir_predicate *leaf, const weir_column_stats *stats)
{
    if (leaf->kind == WEIR_PREDICATE_IN) {
        return leaf->literal_count > 0 && (!stats->has_min_max || any_may_lie(leaf, stats));
    }
    const weir_literal *literal = &leaf->literals[0];
    if (leaf->literal_count == 0 || literal->is_null) {
        return false; /* comparing with NULL is never true */
    }
    if (!stats->has_min_max) {
        return true;
    }
    if (leaf->kind == WEIR_PREDICATE_STARTS_WITH) {
        return prefix_may_lie(stats, literal->bytes);
    }
    int min = weir_predicate_order(leaf->type, &stats->min, literal);
    int max = weir_predicate_order(leaf->type, &stats->max, literal);
    switch (leaf->kind) {
    case WEIR_PREDICATE_EQUAL:
        return min <= 0 && max >= 0;
    case WEIR_PREDICATE_NOT_EQUAL:
        return min != 0 || max != 0;
    case WEIR_PREDICATE_LESS:
        return min < 0;
    case WEIR_PREDICATE_LESS_OR_EQUAL:
        return min <= 0;
    case WEIR_PREDICATE_GREATER:
        return max > 0;
    case WEIR_PREDICATE_GREATER_OR_EQUAL:
        return max >= 0;
    default:
        return true;
    }
}

static bool leaf_may_match(const weir_predicate *leaf, const weir_column_stats *stats)
{
    bool nulls_known = stats->null_count >= 0;
    bool rows_known = stats->row_count >= 0;
    if (stats->row_count == 0) {
        return false;
    }
    if (leaf->kind == WEIR_PREDICATE_IS_NULL) {
        return !nulls_known || stats->null_count > 0;
    }
    if (nulls_known && rows_known && stats->null_count >= stats->row_count) {
        return false; /* all are NULL: IS NOT NULL is false, comparisons are unknown */
    }
    return leaf->kind == WEIR_PREDICATE_IS_NOT_NULL || comparison_may_match(leaf, stats);
}

bool weir_predicate_may_match(const weir_predicate *predicate, const weir_column_stats *stats)
{
    if (predicate == NULL) {
        return true;
    }
    bool is_and = predicate->kind == WEIR_PREDICATE_AND;
    if (!is_and && predicate->kind != WEIR_PREDICATE_OR) {
        return leaf_may_match(predicate, &stats[predicate->column]);
    }
    for (int32_t i = 0; i < predicate->child_count; i++) {
        if (weir_predicate_may_match(predicate->children[i], stats) != is_and) {
            return !is_and;
        }
    }
    return is_and;
}
