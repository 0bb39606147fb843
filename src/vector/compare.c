/* Comparing values, and whether two are the same. Minima and maxima are in min_max.c. */
#include "vector/compare.h"

#include "vector/float_order.h"

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_nanos(weir_timestamp_nanos a, weir_timestamp_nanos b)
{
    return a.millis != b.millis ? order_of(a.millis, b.millis) : order_of(a.nanos_of_milli, b.nanos_of_milli);
}

int weir_literal_compare(const weir_type *type, const weir_literal *a, const weir_literal *b)
{
    if (a->is_null || b->is_null) {
        return b->is_null - a->is_null;
    }
    switch (weir_layout_of(type)) {
    case WEIR_LAYOUT_BIT:
        return a->boolean - b->boolean;
    case WEIR_LAYOUT_BYTES:
        return weir_slice_compare(a->bytes, b->bytes);
    case WEIR_LAYOUT_128:
        if (type->id == WEIR_DECIMAL) {
            return (a->decimal > b->decimal) - (a->decimal < b->decimal);
        }
        return compare_nanos(a->nanos, b->nanos);
    default:
        if (type->id == WEIR_FLOAT) {
            return order_of(weir_float_rank(a->float32), weir_float_rank(b->float32));
        }
        if (type->id == WEIR_DOUBLE) {
            return order_of(weir_double_rank(a->float64), weir_double_rank(b->float64));
        }
        return order_of(a->integer, b->integer);
    }
}

int weir_vector_compare(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b)
{
    weir_literal x = weir_literal_of(a, row_a);
    weir_literal y = weir_literal_of(b, row_b);
    return weir_literal_compare(a->type, &x, &y);
}

static int64_t length_of(const weir_vector *list, int64_t row) { return list->offsets[row + 1] - list->offsets[row]; }

static bool lists_equal(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b)
{
    int64_t first_a = a->offsets[row_a], first_b = b->offsets[row_b], count = length_of(a, row_a);
    if (count != length_of(b, row_b)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        if (!weir_vector_values_equal(&a->children[0], first_a + i, &b->children[0], first_b + i)) {
            return false;
        }
    }
    return true;
}

static bool has_entry(const weir_vector *map, int64_t row, const weir_vector *from, int64_t entry)
{
    for (int64_t i = map->offsets[row]; i < map->offsets[row + 1]; i++) {
        if (weir_vector_values_equal(&map->children[0], i, &from->children[0], entry)) {
            return weir_vector_values_equal(&map->children[1], i, &from->children[1], entry);
        }
    }
    return false;
}

/* Entries have no order, but mostly come in the same one: each is first looked for at its own place. */
static bool maps_equal(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b)
{
    int64_t first_a = a->offsets[row_a], first_b = b->offsets[row_b], count = length_of(a, row_a);
    if (count != length_of(b, row_b)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        bool same_place = weir_vector_values_equal(&a->children[0], first_a + i, &b->children[0], first_b + i);
        bool found = same_place ? weir_vector_values_equal(&a->children[1], first_a + i, &b->children[1], first_b + i)
                                : has_entry(b, row_b, a, first_a + i);
        if (!found) {
            return false;
        }
    }
    return true;
}

static bool structs_equal(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b)
{
    for (int32_t i = 0; i < a->child_count; i++) {
        if (!weir_vector_values_equal(&a->children[i], row_a, &b->children[i], row_b)) {
            return false;
        }
    }
    return true;
}

bool weir_vector_values_equal(const weir_vector *a, int64_t row_a, const weir_vector *b, int64_t row_b)
{
    bool null_a = weir_vector_is_null(a, row_a);
    bool null_b = weir_vector_is_null(b, row_b);
    if (null_a || null_b) {
        return null_a == null_b;
    }
    switch (a->layout) {
    case WEIR_LAYOUT_LIST:
        return a->child_count == 2 ? maps_equal(a, row_a, b, row_b) : lists_equal(a, row_a, b, row_b);
    case WEIR_LAYOUT_STRUCT:
        return structs_equal(a, row_a, b, row_b);
    case WEIR_LAYOUT_BYTES:
        return weir_slice_equal(weir_vector_bytes(a, row_a), weir_vector_bytes(b, row_b));
    default:
        return weir_vector_compare(a, row_a, b, row_b) == 0;
    }
}
