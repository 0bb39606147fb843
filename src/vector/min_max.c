/* Minima and maxima of vectors, for statistics.
 *
 * Numbers and times are compared as integers of their own width (floats by their ranks), so that one loop a width
 * serves all types; without nulls it has no branches and vectorizes. With nulls their slots give way to the loop's own
 * bounds. */
#include "vector/bits.h"
#include "vector/compare.h"
#include "vector/float_order.h"

#define SAME(value) (value)

#define DEFINE_RANGE(name, ctype, rank_type, least, greatest, rank_of)                                                 \
    static void name(const ctype *restrict values, const uint8_t *restrict validity, int64_t first, int64_t count,     \
                     rank_type *low, rank_type *high)                                                                  \
    {                                                                                                                  \
        rank_type lowest = (greatest);                                                                                 \
        rank_type highest = (least);                                                                                   \
        if (validity == NULL) {                                                                                        \
            for (int64_t i = first; i < first + count; i++) {                                                          \
                rank_type rank = (rank_type)rank_of(values[i]);                                                        \
                lowest = rank < lowest ? rank : lowest;                                                                \
                highest = rank > highest ? rank : highest;                                                             \
            }                                                                                                          \
        } else {                                                                                                       \
            for (int64_t i = first; i < first + count; i++) {                                                          \
                bool valid = weir_bit_get(validity, i);                                                                \
                rank_type rank = (rank_type)rank_of(values[i]);                                                        \
                rank_type low_rank = valid ? rank : lowest;                                                            \
                rank_type high_rank = valid ? rank : highest;                                                          \
                lowest = low_rank < lowest ? low_rank : lowest;                                                        \
                highest = high_rank > highest ? high_rank : highest;                                                   \
            }                                                                                                          \
        }                                                                                                              \
        *low = lowest;                                                                                                 \
        *high = highest;                                                                                               \
    }

static inline weir_int128 nanos_rank(weir_timestamp_nanos value)
{
    return (weir_int128)value.millis * ((int64_t)1 << 32) + value.nanos_of_milli;
}

static inline weir_timestamp_nanos nanos_of_rank(weir_int128 rank)
{
    return (weir_timestamp_nanos){.millis = (int64_t)(rank >> 32), .nanos_of_milli = (int32_t)(rank & UINT32_MAX)};
}

#define INT128_GREATEST ((((weir_int128)1 << 126) - 1) * 2 + 1)
#define INT128_LEAST    (-INT128_GREATEST - 1)

DEFINE_RANGE(range_8, int8_t, int8_t, INT8_MIN, INT8_MAX, SAME)
DEFINE_RANGE(range_16, int16_t, int16_t, INT16_MIN, INT16_MAX, SAME)
DEFINE_RANGE(range_32, int32_t, int32_t, INT32_MIN, INT32_MAX, SAME)
DEFINE_RANGE(range_64, int64_t, int64_t, INT64_MIN, INT64_MAX, SAME)
DEFINE_RANGE(range_float, float, int32_t, INT32_MIN, INT32_MAX, weir_float_rank)
DEFINE_RANGE(range_double, double, int64_t, INT64_MIN, INT64_MAX, weir_double_rank)
DEFINE_RANGE(range_decimal, weir_int128, weir_int128, INT128_LEAST, INT128_GREATEST, SAME)
DEFINE_RANGE(range_nanos, weir_timestamp_nanos, weir_int128, INT128_LEAST, INT128_GREATEST, nanos_rank)

/* The first eight bytes as a number that compares as they do; shorter texts are filled up with zeros. */
static uint64_t text_prefix(weir_slice text)
{
    if (text.size >= 8) {
        return weir_load_be64(text.data);
    }
    uint64_t prefix = 0;
    for (size_t i = 0; i < text.size; i++) {
        prefix |= (uint64_t)text.data[i] << (56 - 8 * i);
    }
    return prefix;
}

/* Most texts differ from the extremes within their prefix, which spares a call of memcmp. */
static void range_text(const weir_vector *vector, int64_t first, int64_t count, weir_slice *low, weir_slice *high)
{
    bool some = false;
    uint64_t low_prefix = 0;
    uint64_t high_prefix = 0;
    for (int64_t i = first; i < first + count; i++) {
        if (weir_vector_is_null(vector, i)) {
            continue;
        }
        weir_slice text = weir_vector_bytes(vector, i);
        uint64_t prefix = text_prefix(text);
        if (!some || prefix < low_prefix || (prefix == low_prefix && weir_slice_compare(text, *low) < 0)) {
            *low = text;
            low_prefix = prefix;
        }
        if (!some || prefix > high_prefix || (prefix == high_prefix && weir_slice_compare(text, *high) > 0)) {
            *high = text;
            high_prefix = prefix;
        }
        some = true;
    }
}

static void range_32_bits(const weir_vector *vector, const uint8_t *validity, int64_t first, int64_t count,
                          weir_literal *low, weir_literal *high)
{
    int32_t lowest;
    int32_t highest;
    if (vector->type->id == WEIR_FLOAT) {
        range_float(WEIR_VALUES(vector, const float), validity, first, count, &lowest, &highest);
        low->float32 = weir_float_of_rank(lowest);
        high->float32 = weir_float_of_rank(highest);
    } else {
        range_32(WEIR_VALUES(vector, const int32_t), validity, first, count, &lowest, &highest);
        low->integer = lowest;
        high->integer = highest;
    }
}

static void range_64_bits(const weir_vector *vector, const uint8_t *validity, int64_t first, int64_t count,
                          weir_literal *low, weir_literal *high)
{
    if (vector->type->id == WEIR_DOUBLE) {
        int64_t lowest;
        int64_t highest;
        range_double(WEIR_VALUES(vector, const double), validity, first, count, &lowest, &highest);
        low->float64 = weir_double_of_rank(lowest);
        high->float64 = weir_double_of_rank(highest);
    } else {
        range_64(WEIR_VALUES(vector, const int64_t), validity, first, count, &low->integer, &high->integer);
    }
}

static void range_128_bits(const weir_vector *vector, const uint8_t *validity, int64_t first, int64_t count,
                           weir_literal *low, weir_literal *high)
{
    weir_int128 lowest;
    weir_int128 highest;
    if (vector->type->id == WEIR_DECIMAL) {
        range_decimal(WEIR_VALUES(vector, const weir_int128), validity, first, count, &lowest, &highest);
        low->decimal = lowest;
        high->decimal = highest;
    } else {
        range_nanos(WEIR_VALUES(vector, const weir_timestamp_nanos), validity, first, count, &lowest, &highest);
        low->nanos = nanos_of_rank(lowest);
        high->nanos = nanos_of_rank(highest);
    }
}

/* The extremes of rows of which at least one is not null. */
static void range_of(const weir_vector *vector, const uint8_t *validity, int64_t first, int64_t count, int64_t nulls,
                     weir_literal *low, weir_literal *high)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT: {
        int64_t set = weir_bits_count(vector->data, first, count); /* none of them in a null's slot */
        low->boolean = set == count - nulls;
        high->boolean = set > 0;
        break;
    }
    case WEIR_LAYOUT_8: {
        int8_t lowest;
        int8_t highest;
        range_8(WEIR_VALUES(vector, const int8_t), validity, first, count, &lowest, &highest);
        low->integer = lowest;
        high->integer = highest;
        break;
    }
    case WEIR_LAYOUT_16: {
        int16_t lowest;
        int16_t highest;
        range_16(WEIR_VALUES(vector, const int16_t), validity, first, count, &lowest, &highest);
        low->integer = lowest;
        high->integer = highest;
        break;
    }
    case WEIR_LAYOUT_32:
        range_32_bits(vector, validity, first, count, low, high);
        break;
    case WEIR_LAYOUT_64:
        range_64_bits(vector, validity, first, count, low, high);
        break;
    case WEIR_LAYOUT_128:
        range_128_bits(vector, validity, first, count, low, high);
        break;
    default:
        range_text(vector, first, count, &low->bytes, &high->bytes);
    }
}

void weir_vector_min_max(const weir_vector *vector, int64_t first, int64_t count, weir_literal *min, weir_literal *max,
                         bool *has_value, int64_t *null_count)
{
    int64_t nulls = 0;
    if (vector->layout == WEIR_LAYOUT_NONE) {
        nulls = count;
    } else if (vector->validity != NULL) {
        nulls = count - weir_bits_count(vector->validity, first, count);
    }
    *null_count += nulls;
    if (nulls == count || vector->layout == WEIR_LAYOUT_LIST || vector->layout == WEIR_LAYOUT_STRUCT) {
        return;
    }
    weir_literal low = {.is_null = false};
    weir_literal high = {.is_null = false};
    range_of(vector, nulls > 0 ? vector->validity : NULL, first, count, nulls, &low, &high);
    if (!*has_value || weir_literal_compare(vector->type, &low, min) < 0) {
        *min = low;
    }
    if (!*has_value || weir_literal_compare(vector->type, &high, max) > 0) {
        *max = high;
    }
    *has_value = true;
}
