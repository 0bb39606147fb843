/* From physical values to values in the layout of the requested type: one loop a conversion, dispatched once a block.
 *
 * Range checks are gathered over the whole loop, so that it stays free of branches. */
#include "format/parquet/leaf.h"

/* The Julian day number of 1970-01-01, from which INT96 counts its days. */
#define JULIAN_EPOCH_DAY 2440588

#define MILLIS_PER_DAY  INT64_C(86400000)
#define NANOS_PER_MILLI INT64_C(1000000)

__extension__ typedef unsigned __int128 uint128;

static inline int32_t load_int32(const uint8_t *values, int64_t i) { return (int32_t)weir_load_le32(values + i * 4); }

static inline int64_t load_int64(const uint8_t *values, int64_t i) { return (int64_t)weir_load_le64(values + i * 8); }

static inline int64_t floor_divide(int64_t value, int64_t divisor) { return value / divisor - (value % divisor < 0); }

/* What floor_divide leaves: 0 .. divisor - 1. */
static inline int64_t floor_remainder(int64_t value, int64_t divisor)
{
    int64_t remainder = value % divisor;
    return remainder < 0 ? remainder + divisor : remainder;
}

static bool int32_to_8(const uint8_t *values, int64_t count, int8_t *out)
{
    uint32_t outside = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t value = load_int32(values, i);
        outside |= (uint32_t)(value ^ (int8_t)value);
        out[i] = (int8_t)value;
    }
    return outside == 0;
}

static bool int32_to_16(const uint8_t *values, int64_t count, int16_t *out)
{
    uint32_t outside = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t value = load_int32(values, i);
        outside |= (uint32_t)(value ^ (int16_t)value);
        out[i] = (int16_t)value;
    }
    return outside == 0;
}

static void int32_to_64(const uint8_t *values, int64_t count, int64_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = load_int32(values, i);
    }
}

static void uint32_to_64(const uint8_t *values, int64_t count, int64_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = (int64_t)weir_load_le32(values + i * 4);
    }
}

static void int32_to_128(const uint8_t *values, int64_t count, weir_int128 *out)
{
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = load_int32(values, i);
        memcpy(&out[i], &value, sizeof value);
    }
}

static void int64_to_128(const uint8_t *values, int64_t count, weir_int128 *out)
{
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = load_int64(values, i);
        memcpy(&out[i], &value, sizeof value);
    }
}

static void uint64_to_128(const uint8_t *values, int64_t count, weir_int128 *out)
{
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = (weir_int128)weir_load_le64(values + i * 8);
        memcpy(&out[i], &value, sizeof value);
    }
}

static bool int64_multiply(const uint8_t *values, int64_t count, int64_t factor, int64_t *out)
{
    int64_t limit = INT64_MAX / factor;
    bool outside = false;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = load_int64(values, i);
        outside |= value > limit || value < -limit;
        out[i] = (int64_t)((uint64_t)value * (uint64_t)factor);
    }
    return !outside;
}

static void int64_divide(const uint8_t *values, int64_t count, int64_t factor, int64_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = floor_divide(load_int64(values, i), factor);
    }
}

static bool int64_to_time(const uint8_t *values, int64_t count, int64_t factor, int32_t *out)
{
    bool outside = false;
    for (int64_t i = 0; i < count; i++) {
        int64_t millis = floor_divide(load_int64(values, i), factor);
        outside |= millis < 0 || millis >= MILLIS_PER_DAY;
        out[i] = (int32_t)millis;
    }
    return !outside;
}

static void int64_to_nanos(const uint8_t *values, int64_t count, int64_t per_milli, weir_timestamp_nanos *out)
{
    int64_t nanos_per_unit = NANOS_PER_MILLI / per_milli;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = load_int64(values, i);
        out[i].millis = floor_divide(value, per_milli);
        out[i].nanos_of_milli = (int32_t)(floor_remainder(value, per_milli) * nanos_per_unit);
        out[i].zero = 0;
    }
}

/* | nanoseconds of the day: 8 | Julian day: 4 |, little-endian. Java Paimon writes instants before 1970 with negative
 * nanoseconds, so they are taken as a signed distance from the day's begin. */
static weir_timestamp_nanos timestamp_of_int96(const uint8_t *value)
{
    int64_t nanos = (int64_t)weir_load_le64(value);
    int64_t day = (int64_t)(int32_t)weir_load_le32(value + 8) - JULIAN_EPOCH_DAY;
    return (weir_timestamp_nanos){.millis = day * MILLIS_PER_DAY + floor_divide(nanos, NANOS_PER_MILLI),
                                  .nanos_of_milli = (int32_t)floor_remainder(nanos, NANOS_PER_MILLI)};
}

static void int96_to_nanos(const uint8_t *values, int64_t count, weir_timestamp_nanos *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = timestamp_of_int96(values + i * 12);
    }
}

static bool int96_to_64(const uint8_t *values, int64_t count, int64_t nanos_per_unit, int64_t *out)
{
    int64_t units_per_milli = NANOS_PER_MILLI / nanos_per_unit;
    int64_t limit = INT64_MAX / units_per_milli - 1;
    bool outside = false;
    for (int64_t i = 0; i < count; i++) {
        weir_timestamp_nanos value = timestamp_of_int96(values + i * 12);
        outside |= value.millis > limit || value.millis < -limit;
        out[i] = (int64_t)((uint64_t)value.millis * (uint64_t)units_per_milli +
                           (uint64_t)(value.nanos_of_milli / nanos_per_unit));
    }
    return !outside;
}

static void float_to_double(const uint8_t *values, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, values + i * 4, sizeof value);
        out[i] = (double)value;
    }
}

static int outside_of_type(const weir_parquet_leaf *leaf, const char *path, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: column %s holds a value that its type cannot hold", path, leaf->name);
}

int weir_parquet_convert(const weir_parquet_leaf *leaf, const uint8_t *values, int64_t count, void *out,
                         const char *path, weir_error *err)
{
    bool fits = true;
    switch (leaf->conversion) {
    case WEIR_PARQUET_CONVERT_INT32_TO_8:
        fits = int32_to_8(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_INT32_TO_16:
        fits = int32_to_16(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_INT32_TO_64:
        int32_to_64(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_UINT32_TO_64:
        uint32_to_64(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_INT32_TO_128:
        int32_to_128(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_INT64_TO_128:
        int64_to_128(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_UINT64_TO_128:
        uint64_to_128(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_INT64_MULTIPLY:
        fits = int64_multiply(values, count, leaf->factor, out);
        break;
    case WEIR_PARQUET_CONVERT_INT64_DIVIDE:
        int64_divide(values, count, leaf->factor, out);
        break;
    case WEIR_PARQUET_CONVERT_INT64_TO_TIME:
        fits = int64_to_time(values, count, leaf->factor, out);
        break;
    case WEIR_PARQUET_CONVERT_INT64_TO_NANOS:
        int64_to_nanos(values, count, leaf->factor, out);
        break;
    case WEIR_PARQUET_CONVERT_INT96_TO_64:
        fits = int96_to_64(values, count, leaf->factor, out);
        break;
    case WEIR_PARQUET_CONVERT_INT96_TO_NANOS:
        int96_to_nanos(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_FLOAT_TO_DOUBLE:
        float_to_double(values, count, out);
        break;
    case WEIR_PARQUET_CONVERT_NONE:
    case WEIR_PARQUET_CONVERT_BITS:
    case WEIR_PARQUET_CONVERT_HALF_TO_FLOAT:
    case WEIR_PARQUET_CONVERT_BYTES_TO_64:
    case WEIR_PARQUET_CONVERT_BYTES_TO_128:
    case WEIR_PARQUET_CONVERT_BYTES:
        return weir_fail(err, WEIR_INVALID, "%s: not a conversion of numbers", path);
    }
    return fits ? WEIR_OK : outside_of_type(leaf, path, err);
}

/* A big-endian two's complement number of any length. False when it takes more than 128 bits. */
static bool load_decimal(weir_parquet_view view, weir_int128 *out)
{
    const uint8_t *bytes = view.data;
    size_t size = view.size;
    if (size == 0) {
        *out = 0;
        return true;
    }
    uint8_t sign = bytes[0] & 0x80 ? 0xff : 0;
    while (size > sizeof *out) {
        if (*bytes++ != sign) {
            return false;
        }
        size--;
    }
    if (((bytes[0] ^ sign) & 0x80) != 0) {
        return false; /* bytes were cut off, and the first of the rest changes the sign */
    }
    uint128 value = sign ? ~(uint128)0 : 0;
    for (size_t i = 0; i < size; i++) {
        value = value << 8 | bytes[i];
    }
    *out = (weir_int128)value;
    return true;
}

static bool views_to_128(const weir_parquet_view *values, int64_t count, weir_int128 *out)
{
    bool fits = true;
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = 0;
        if (values[i].size == 16) { /* precision 38, the most common of the long ones */
            value = (weir_int128)((uint128)weir_load_be64(values[i].data) << 64 | weir_load_be64(values[i].data + 8));
        } else {
            fits &= load_decimal(values[i], &value);
        }
        memcpy(&out[i], &value, sizeof value);
    }
    return fits;
}

static bool views_to_64(const weir_parquet_view *values, int64_t count, int64_t *out)
{
    bool fits = true;
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = 0;
        fits &= load_decimal(values[i], &value);
        fits &= value == (int64_t)value;
        out[i] = (int64_t)value;
    }
    return fits;
}

/* IEEE 754 binary16: 1 sign bit, 5 of exponent, 10 of fraction. */
static float float_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = (half >> 10) & 0x1f;
    uint32_t fraction = half & 0x3ff;
    uint32_t bits;
    float value;
    if (exponent == 0) {
        value = (float)fraction / 16777216.0f; /* subnormal: fraction * 2^-24 */
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    } else {
        bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool views_to_float(const weir_parquet_view *values, int64_t count, float *out)
{
    bool fits = true;
    for (int64_t i = 0; i < count; i++) {
        fits &= values[i].size == 2;
        out[i] = values[i].size == 2 ? float_of_half(weir_load_le16(values[i].data)) : 0;
    }
    return fits;
}

int weir_parquet_convert_views(const weir_parquet_leaf *leaf, const weir_parquet_view *values, int64_t count, void *out,
                               const char *path, weir_error *err)
{
    bool fits = false;
    if (leaf->conversion == WEIR_PARQUET_CONVERT_BYTES_TO_64) {
        fits = views_to_64(values, count, out);
    } else if (leaf->conversion == WEIR_PARQUET_CONVERT_BYTES_TO_128) {
        fits = views_to_128(values, count, out);
    } else if (leaf->conversion == WEIR_PARQUET_CONVERT_HALF_TO_FLOAT) {
        fits = views_to_float(values, count, out);
    }
    return fits ? WEIR_OK : outside_of_type(leaf, path, err);
}
