/* Testing predicates against rows.
 *
 * A predicate is evaluated over blocks of rows into one byte a row, 1 where it is true. Predicates have no NOT, so
 * unknown may count as false from the leaves on. Comparing a column is one loop over its array per type and
 * operator; the kernels below are those loops. */
#include "vector/float_order.h"
#include "vector/predicate.h"
#include "vector/predicate_order.h"

#define BLOCK_ROWS 1024

/* So many texts are compared one by one: most differ in their length or first bytes. */
#define FEW_TEXTS 8

/* mask[i] = values[i] <kind> literal. NULL slots hold zeros and are masked out later. */
#define COMPARE_KERNEL(name, ctype)                                                                                    \
    static void name(weir_predicate_kind kind, const ctype *values, ctype literal, int64_t count, uint8_t *mask)       \
    {                                                                                                                  \
        switch (kind) {                                                                                                \
        case WEIR_PREDICATE_EQUAL:                                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                mask[i] = values[i] == literal;                                                                        \
            }                                                                                                          \
            break;                                                                                                     \
        case WEIR_PREDICATE_NOT_EQUAL:                                                                                 \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                mask[i] = values[i] != literal;                                                                        \
            }                                                                                                          \
            break;                                                                                                     \
        case WEIR_PREDICATE_LESS:                                                                                      \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                mask[i] = values[i] < literal;                                                                         \
            }                                                                                                          \
            break;                                                                                                     \
        case WEIR_PREDICATE_LESS_OR_EQUAL:                                                                             \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                mask[i] = values[i] <= literal;                                                                        \
            }                                                                                                          \
            break;                                                                                                     \
        case WEIR_PREDICATE_GREATER:                                                                                   \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                mask[i] = values[i] > literal;                                                                         \
            }                                                                                                          \
            break;                                                                                                     \
        default:                                                                                                       \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                mask[i] = values[i] >= literal;                                                                        \
            }                                                                                                          \
            break;                                                                                                     \
        }                                                                                                              \
    }

COMPARE_KERNEL(compare_8, int8_t)
COMPARE_KERNEL(compare_16, int16_t)
COMPARE_KERNEL(compare_32, int32_t)
COMPARE_KERNEL(compare_64, int64_t)
COMPARE_KERNEL(compare_128, weir_int128)

static bool fulfils(weir_predicate_kind kind, int order)
{
    switch (kind) {
    case WEIR_PREDICATE_EQUAL:
        return order == 0;
    case WEIR_PREDICATE_NOT_EQUAL:
        return order != 0;
    case WEIR_PREDICATE_LESS:
        return order < 0;
    case WEIR_PREDICATE_LESS_OR_EQUAL:
        return order <= 0;
    case WEIR_PREDICATE_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* FLOAT widens to DOUBLE without loss. Adding 0.0 turns -0.0 into 0.0, and changes nothing else. */
static void compare_doubles(const weir_predicate *leaf, const weir_vector *column, int64_t first, int64_t count,
                            uint8_t *mask)
{
    int64_t ranks[BLOCK_ROWS];
    bool is_float = leaf->type->id == WEIR_FLOAT;
    for (int64_t i = 0; i < count; i++) {
        double value =
            is_float ? (double)WEIR_VALUES(column, float)[first + i] : WEIR_VALUES(column, double)[first + i];
        ranks[i] = weir_double_rank(value + 0.0);
    }
    double literal = is_float ? (double)leaf->literals[0].float32 : leaf->literals[0].float64;
    compare_64(leaf->kind, ranks, weir_double_rank(literal + 0.0), count, mask);
}

static void compare_texts(const weir_predicate *leaf, const weir_vector *column, int64_t first, int64_t count,
                          uint8_t *mask)
{
    weir_slice literal = leaf->literals[0].bytes;
    if (leaf->kind == WEIR_PREDICATE_EQUAL || leaf->kind == WEIR_PREDICATE_NOT_EQUAL) {
        uint8_t when_equal = leaf->kind == WEIR_PREDICATE_EQUAL;
        for (int64_t i = 0; i < count; i++) {
            mask[i] = weir_slice_equal(weir_vector_bytes(column, first + i), literal) == when_equal;
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        mask[i] = fulfils(leaf->kind, weir_slice_compare(weir_vector_bytes(column, first + i), literal));
    }
}

static void match_prefixes(weir_slice prefix, const weir_vector *column, int64_t first, int64_t count, uint8_t *mask)
{
    for (int64_t i = 0; i < count; i++) {
        weir_slice text = weir_vector_bytes(column, first + i);
        text.size = text.size < prefix.size ? text.size : prefix.size;
        mask[i] = weir_slice_equal(text, prefix);
    }
}

/* Any type that is not nested, a value at a time. */
static void compare_literals(const weir_predicate *leaf, const weir_vector *column, int64_t first, int64_t count,
                             uint8_t *mask)
{
    for (int64_t i = 0; i < count; i++) {
        weir_literal value = weir_literal_of(column, first + i);
        mask[i] = !value.is_null && fulfils(leaf->kind, weir_predicate_order(leaf->type, &value, &leaf->literals[0]));
    }
}

static bool is_among(const weir_predicate *leaf, const weir_literal *value)
{
    int32_t low = 0;
    int32_t high = leaf->literal_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = weir_predicate_order(leaf->type, &leaf->literals[middle], value);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* The same for whole numbers, without a branch a step: the place of the last literal that is not greater. */
static inline bool is_among_integers(const weir_literal *literals, int32_t count, int64_t value)
{
    const weir_literal *base = literals;
    while (count > 1) {
        int32_t half = count / 2;
        base += base[half].integer <= value ? half : 0;
        count -= half;
    }
    return base->integer == value;
}

#define MATCH_KERNEL(name, ctype)                                                                                      \
    static void name(const weir_predicate *leaf, const ctype *values, int64_t count, uint8_t *mask)                    \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            mask[i] = is_among_integers(leaf->literals, leaf->literal_count, values[i]);                               \
        }                                                                                                              \
    }

MATCH_KERNEL(match_8, int8_t)
MATCH_KERNEL(match_16, int16_t)
MATCH_KERNEL(match_32, int32_t)
MATCH_KERNEL(match_64, int64_t)

static void match_texts(const weir_predicate *leaf, const weir_vector *column, int64_t first, int64_t count,
                        uint8_t *mask)
{
    for (int64_t i = 0; i < count; i++) {
        weir_slice text = weir_vector_bytes(column, first + i);
        bool found = false;
        for (int32_t l = 0; l < leaf->literal_count && !found; l++) {
            found = weir_slice_equal(text, leaf->literals[l].bytes);
        }
        mask[i] = found;
    }
}

static void match_any(const weir_predicate *leaf, const weir_vector *column, int64_t first, int64_t count,
                      uint8_t *mask)
{
    if (leaf->type->id != WEIR_FLOAT && leaf->type->id != WEIR_DOUBLE) {
        switch (column->layout) {
        case WEIR_LAYOUT_8:
            match_8(leaf, WEIR_VALUES(column, int8_t) + first, count, mask);
            return;
        case WEIR_LAYOUT_16:
            match_16(leaf, WEIR_VALUES(column, int16_t) + first, count, mask);
            return;
        case WEIR_LAYOUT_32:
            match_32(leaf, WEIR_VALUES(column, int32_t) + first, count, mask);
            return;
        case WEIR_LAYOUT_64:
            match_64(leaf, WEIR_VALUES(column, int64_t) + first, count, mask);
            return;
        case WEIR_LAYOUT_BYTES:
            if (leaf->literal_count <= FEW_TEXTS) {
                match_texts(leaf, column, first, count, mask);
                return;
            }
            break;
        default:
            break;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        weir_literal value = weir_literal_of(column, first + i);
        mask[i] = !value.is_null && is_among(leaf, &value);
    }
}

static void compare_column(const weir_predicate *leaf, const weir_vector *column, int64_t first, int64_t count,
                           uint8_t *mask)
{
    const weir_literal *literal = &leaf->literals[0];
    if (leaf->type->id == WEIR_FLOAT || leaf->type->id == WEIR_DOUBLE) {
        compare_doubles(leaf, column, first, count, mask);
        return;
    }
    switch (column->layout) {
    case WEIR_LAYOUT_8:
        compare_8(leaf->kind, WEIR_VALUES(column, int8_t) + first, (int8_t)literal->integer, count, mask);
        break;
    case WEIR_LAYOUT_16:
        compare_16(leaf->kind, WEIR_VALUES(column, int16_t) + first, (int16_t)literal->integer, count, mask);
        break;
    case WEIR_LAYOUT_32:
        compare_32(leaf->kind, WEIR_VALUES(column, int32_t) + first, (int32_t)literal->integer, count, mask);
        break;
    case WEIR_LAYOUT_64:
        compare_64(leaf->kind, WEIR_VALUES(column, int64_t) + first, literal->integer, count, mask);
        break;
    case WEIR_LAYOUT_128:
        if (leaf->type->id == WEIR_DECIMAL) {
            compare_128(leaf->kind, WEIR_VALUES(column, weir_int128) + first, literal->decimal, count, mask);
        } else {
            compare_literals(leaf, column, first, count, mask);
        }
        break;
    case WEIR_LAYOUT_BYTES:
        compare_texts(leaf, column, first, count, mask);
        break;
    default:
        compare_literals(leaf, column, first, count, mask);
        break;
    }
}

static void mask_nulls(const weir_vector *column, int64_t first, int64_t count, bool want_null, uint8_t *mask)
{
    if (column->validity == NULL) {
        for (int64_t i = 0; want_null && i < count; i++) {
            mask[i] = column->layout == WEIR_LAYOUT_NONE;
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        mask[i] &= (uint8_t)(weir_bit_get(column->validity, first + i) != want_null);
    }
}

static void evaluate_leaf(const weir_predicate *leaf, const weir_batch *batch, int64_t first, int64_t count,
                          uint8_t *mask)
{
    const weir_vector *column = &batch->columns[leaf->column];
    bool is_null_test = leaf->kind == WEIR_PREDICATE_IS_NULL || leaf->kind == WEIR_PREDICATE_IS_NOT_NULL;
    bool has_no_literal = leaf->literal_count == 0 || leaf->literals[0].is_null;
    if (is_null_test) {
        memset(mask, column->layout != WEIR_LAYOUT_NONE || leaf->kind == WEIR_PREDICATE_IS_NULL, (size_t)count);
    } else if (has_no_literal || column->layout == WEIR_LAYOUT_NONE) {
        memset(mask, 0, (size_t)count);
    } else if (leaf->kind == WEIR_PREDICATE_IN) {
        match_any(leaf, column, first, count, mask);
    } else if (leaf->kind == WEIR_PREDICATE_STARTS_WITH) {
        match_prefixes(leaf->literals[0].bytes, column, first, count, mask);
    } else {
        compare_column(leaf, column, first, count, mask);
    }
    mask_nulls(column, first, count, leaf->kind == WEIR_PREDICATE_IS_NULL, mask);
}

static void evaluate(const weir_predicate *predicate, const weir_batch *batch, int64_t first, int64_t count,
                     uint8_t *mask)
{
    bool is_and = predicate->kind == WEIR_PREDICATE_AND;
    if (!is_and && predicate->kind != WEIR_PREDICATE_OR) {
        evaluate_leaf(predicate, batch, first, count, mask);
        return;
    }
    uint8_t of_child[BLOCK_ROWS];
    memset(mask, is_and, (size_t)count);
    for (int32_t c = 0; c < predicate->child_count; c++) {
        evaluate(predicate->children[c], batch, first, count, of_child);
        for (int64_t i = 0; i < count; i++) {
            mask[i] = is_and ? mask[i] & of_child[i] : mask[i] | of_child[i];
        }
        if (memchr(mask, is_and, (size_t)count) == NULL) {
            return; /* decided for every row */
        }
    }
}

int64_t weir_predicate_select(const weir_predicate *predicate, const weir_batch *batch, uint32_t *out_rows)
{
    int64_t selected = 0;
    uint8_t mask[BLOCK_ROWS];
    for (int64_t first = 0; first < batch->length; first += BLOCK_ROWS) {
        int64_t count = batch->length - first < BLOCK_ROWS ? batch->length - first : BLOCK_ROWS;
        if (predicate == NULL) {
            memset(mask, 1, (size_t)count);
        } else {
            evaluate(predicate, batch, first, count, mask);
        }
        for (int64_t i = 0; i < count; i++) {
            out_rows[selected] = (uint32_t)(first + i); /* one too many never: selected <= first + i */
            selected += mask[i];
        }
    }
    return selected;
}
