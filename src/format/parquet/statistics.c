/* Reading statistics, and judging which of them can be relied on.
 *
 * Old writers compared everything as signed bytes and wrote the deprecated fields min and max; those are good for
 * signed numbers only. Of floats, a NaN bound says nothing; zeros may have lost their sign, and NaNs are not counted.
 */
#include "format/parquet/statistics.h"

#include <math.h>

void weir_parquet_statistics_read(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_statistics *out)
{
    weir_thrift_field field = {0};
    *out = (weir_parquet_statistics){.null_count = -1};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->old_max = weir_thrift_binary(reader, field);
            out->has_old_max = true;
            break;
        case 2:
            out->old_min = weir_thrift_binary(reader, field);
            out->has_old_min = true;
            break;
        case 3:
            out->null_count = weir_thrift_i64(reader, field);
            break;
        case 5:
            out->max = weir_thrift_binary(reader, field);
            out->has_max = true;
            break;
        case 6:
            out->min = weir_thrift_binary(reader, field);
            out->has_min = true;
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

/* Whether signed comparison of the plain-encoded value is the order of the type. */
static bool old_order_fits(const weir_parquet_leaf *leaf)
{
    switch (leaf->physical) {
    case WEIR_PARQUET_BOOLEAN:
    case WEIR_PARQUET_FLOAT:
    case WEIR_PARQUET_DOUBLE:
        return true;
    case WEIR_PARQUET_INT32:
    case WEIR_PARQUET_INT64:
        return !leaf->is_unsigned;
    case WEIR_PARQUET_INT96:
    case WEIR_PARQUET_BYTE_ARRAY:
    case WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY:
        break;
    }
    return false;
}

/* The order of INT96 was never defined, and halves are not worth the code. */
static bool has_order(const weir_parquet_leaf *leaf)
{
    return leaf->physical != WEIR_PARQUET_INT96 && leaf->conversion != WEIR_PARQUET_CONVERT_HALF_TO_FLOAT;
}

static bool literal_of_float(const weir_parquet_leaf *leaf, const uint8_t *value, bool is_min, weir_literal *out)
{
    if (leaf->layout == WEIR_LAYOUT_32) {
        memcpy(&out->float32, value, sizeof out->float32);
        if (out->float32 == 0) {
            out->float32 = is_min ? -0.0f : 0.0f;
        }
        return !isnan(out->float32);
    }
    memcpy(&out->float64, value, sizeof out->float64);
    if (out->float64 == 0) {
        out->float64 = is_min ? -0.0 : 0.0;
    }
    return !isnan(out->float64);
}

static bool literal_of_value(const weir_parquet_leaf *leaf, const uint8_t *value, bool is_min, weir_literal *out)
{
    int8_t narrow;
    int16_t small;
    int32_t integer;
    if (leaf->type->id == WEIR_FLOAT || leaf->type->id == WEIR_DOUBLE) {
        return literal_of_float(leaf, value, is_min, out);
    }
    switch (leaf->layout) {
    case WEIR_LAYOUT_8:
        memcpy(&narrow, value, sizeof narrow);
        out->integer = narrow;
        return true;
    case WEIR_LAYOUT_16:
        memcpy(&small, value, sizeof small);
        out->integer = small;
        return true;
    case WEIR_LAYOUT_32:
        memcpy(&integer, value, sizeof integer);
        out->integer = integer;
        return true;
    case WEIR_LAYOUT_64:
        memcpy(&out->integer, value, sizeof out->integer);
        return true;
    case WEIR_LAYOUT_128:
        if (leaf->type->id == WEIR_DECIMAL) {
            memcpy(&out->decimal, value, sizeof out->decimal);
        } else {
            memcpy(&out->nanos, value, sizeof out->nanos);
        }
        return true;
    default:
        return false;
    }
}

/* A plain-encoded bound as a literal of the leaf's type. */
static bool literal_of_bound(const weir_parquet_leaf *leaf, weir_slice bound, bool is_min, weir_literal *out)
{
    _Alignas(16) uint8_t value[16] = {0};
    *out = (weir_literal){0};
    if (leaf->physical == WEIR_PARQUET_BOOLEAN) {
        out->boolean = bound.size == 1 && bound.data[0] != 0;
        return bound.size == 1;
    }
    if (leaf->conversion == WEIR_PARQUET_CONVERT_BYTES) {
        /* A decimal that is read as bytes is ordered as a number, not as bytes. */
        out->bytes = bound;
        return !leaf->is_decimal;
    }
    if (weir_parquet_leaf_is_bytes(leaf)) {
        /* Those of variable length may be truncated, which makes another number of them. */
        weir_parquet_view view = {bound.data, (uint32_t)bound.size};
        return leaf->width > 0 && bound.size == (size_t)leaf->width &&
               weir_parquet_convert_views(leaf, &view, 1, value, "", NULL) == WEIR_OK &&
               literal_of_value(leaf, value, is_min, out);
    }
    if (bound.size != (size_t)leaf->width) {
        return false;
    }
    if (leaf->conversion == WEIR_PARQUET_CONVERT_NONE) {
        memcpy(value, bound.data, bound.size);
    } else if (weir_parquet_convert(leaf, bound.data, 1, value, "", NULL) != WEIR_OK) {
        return false;
    }
    return literal_of_value(leaf, value, is_min, out);
}

/* Floats: NaN is above every maximum that is written down, for writers leave NaNs out. */
static void widen_for_nan(const weir_parquet_leaf *leaf, weir_literal *max)
{
    if (leaf->type->id == WEIR_FLOAT) {
        max->float32 = NAN;
    } else if (leaf->type->id == WEIR_DOUBLE) {
        max->float64 = (double)NAN;
    }
}

weir_column_stats weir_parquet_column_stats(const weir_parquet_leaf *leaf, const weir_parquet_statistics *statistics,
                                            int64_t row_count)
{
    weir_column_stats stats = {.null_count = statistics->null_count, .row_count = row_count};
    if (stats.null_count < 0 || stats.null_count > row_count) {
        stats.null_count = -1;
    }
    if (!has_order(leaf)) {
        return stats;
    }
    if (statistics->has_min && statistics->has_max) {
        stats.has_min_max = literal_of_bound(leaf, statistics->min, true, &stats.min) &&
                            literal_of_bound(leaf, statistics->max, false, &stats.max);
    } else if (statistics->has_old_min && statistics->has_old_max && old_order_fits(leaf)) {
        stats.has_min_max = literal_of_bound(leaf, statistics->old_min, true, &stats.min) &&
                            literal_of_bound(leaf, statistics->old_max, false, &stats.max);
    }
    if (stats.has_min_max) {
        widen_for_nan(leaf, &stats.max);
    }
    return stats;
}
