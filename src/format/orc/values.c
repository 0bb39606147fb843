/* Decoding the values of flat ORC columns but texts: booleans, numbers, decimals, dates and timestamps. */
#include "format/orc/column.h"
#include "vector/bits.h"
#include "vector/decimal.h"

int weir_orc_read_booleans(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    uint8_t bits[WEIR_ORC_PIECE];
    WEIR_TRY(weir_orc_bit_runs_read(&column->bits, bits, piece->present, err));
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    const uint8_t *next = bits;
    for (int64_t i = 0; i < piece->slots; i++) {
        if (piece->valid[i] && *next++) {
            weir_bit_set(out->data, out->length + i);
        } else {
            weir_bit_clear(out->data, out->length + i);
        }
    }
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}

/* ---- whole numbers ---- */

/* Each gives false when a number does not fit. Nulls become zeros. */
#define DEFINE_PLACE(name, ctype)                                                                                      \
    static bool name(const weir_orc_piece *piece, const int64_t *values, ctype *out)                                   \
    {                                                                                                                  \
        bool fits = true;                                                                                              \
        for (int64_t i = 0; i < piece->slots; i++) {                                                                   \
            int64_t value = piece->valid[i] ? *values++ : 0;                                                           \
            out[i] = (ctype)value;                                                                                     \
            fits &= out[i] == value;                                                                                   \
        }                                                                                                              \
        return fits;                                                                                                   \
    }

DEFINE_PLACE(place_8, int8_t)
DEFINE_PLACE(place_16, int16_t)
DEFINE_PLACE(place_32, int32_t)
DEFINE_PLACE(place_64, int64_t)

static bool place_numbers(const weir_orc_piece *piece, const int64_t *values, weir_vector *out)
{
    switch (out->layout) {
    case WEIR_LAYOUT_8:
        return place_8(piece, values, WEIR_VALUES(out, int8_t) + out->length);
    case WEIR_LAYOUT_16:
        return place_16(piece, values, WEIR_VALUES(out, int16_t) + out->length);
    case WEIR_LAYOUT_32:
        return place_32(piece, values, WEIR_VALUES(out, int32_t) + out->length);
    default:
        return place_64(piece, values, WEIR_VALUES(out, int64_t) + out->length);
    }
}

static int decode_numbers(weir_orc_column *column, int64_t count, int64_t *out, weir_error *err)
{
    uint8_t bytes[WEIR_ORC_PIECE];
    if (column->reading == WEIR_ORC_READ_INTEGERS) {
        return weir_orc_integers_read(column->data, out, count, err);
    }
    WEIR_TRY(weir_orc_byte_runs_read(&column->bytes, bytes, count, err));
    for (int64_t i = 0; i < count; i++) {
        out[i] = (int8_t)bytes[i];
    }
    return WEIR_OK;
}

int weir_orc_read_numbers(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    int64_t values[WEIR_ORC_PIECE];
    WEIR_TRY(decode_numbers(column, piece->present, values, err));
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    if (!place_numbers(piece, values, out)) {
        return weir_orc_stream_corrupt(&column->data_stream, "a number does not fit the column's type", err);
    }
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}

/* ---- floating point ---- */

int weir_orc_read_floats(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    uint8_t stored[WEIR_ORC_PIECE * 8];
    size_t stored_width = column->reading == WEIR_ORC_READ_FLOATS ? 4 : 8;
    size_t width = weir_layout_width(out->layout);
    WEIR_TRY(weir_orc_stream_read(&column->data_stream, stored, (size_t)piece->present * stored_width, err));
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    uint8_t *to = out->data + (size_t)out->length * width;
    const uint8_t *from = stored;
    for (int64_t i = 0; i < piece->slots; i++, to += width) {
        if (!piece->valid[i]) {
            memset(to, 0, width);
            continue;
        }
        if (width == stored_width) {
            memcpy(to, from, width);
        } else { /* a FLOAT that is read as DOUBLE */
            float narrow;
            memcpy(&narrow, from, sizeof narrow);
            double wide = narrow;
            memcpy(to, &wide, sizeof wide);
        }
        from += stored_width;
    }
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}

/* ---- decimals ---- */

/* A zigzag number of up to 128 bits. */
static int read_unscaled(weir_orc_column *column, weir_int128 *out, weir_error *err)
{
    __extension__ unsigned __int128 value = 0;
    for (int shift = 0; shift < 128; shift += 7) {
        uint8_t byte;
        WEIR_TRY(weir_orc_stream_byte(&column->data_stream, &byte, err));
        __extension__ unsigned __int128 bits = byte & 0x7F;
        value |= bits << shift;
        if (byte < 0x80) {
            *out = (weir_int128)(value >> 1) ^ -(weir_int128)(value & 1);
            return WEIR_OK;
        }
    }
    return weir_orc_stream_corrupt(&column->data_stream, "a decimal has more than 128 bits", err);
}

/* Brings a number to the column's scale, rounding half up; false when it does not fit the precision. Writers leave
 * trailing zeros out, so that every value has a scale of its own. */
static bool rescale(weir_int128 unscaled, int64_t scale, const weir_type *type, weir_int128 *out)
{
    if (scale < -WEIR_MAX_DECIMAL_PRECISION || scale > WEIR_MAX_DECIMAL_PRECISION) {
        return false;
    }
    int more = type->scale - (int)scale;
    if (more >= 0) {
        return more <= WEIR_MAX_DECIMAL_PRECISION && !__builtin_mul_overflow(unscaled, weir_power_of_ten(more), out) &&
               weir_decimal_fits(*out, type->precision);
    }
    weir_int128 unit = weir_power_of_ten(-more);
    weir_int128 rest = unscaled % unit;
    *out = unscaled / unit;
    if (rest >= unit - rest && rest > 0) {
        (*out)++;
    } else if (rest < 0 && -rest >= unit + rest) {
        (*out)--;
    }
    return weir_decimal_fits(*out, type->precision);
}

int weir_orc_read_decimals(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    int64_t scales[WEIR_ORC_PIECE];
    WEIR_TRY(weir_orc_integers_read(column->secondary, scales, piece->present, err));
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    const int64_t *scale = scales;
    for (int64_t i = 0; i < piece->slots; i++) {
        weir_int128 value = 0;
        if (piece->valid[i]) {
            WEIR_TRY(read_unscaled(column, &value, err));
            if (!rescale(value, *scale++, column->type, &value)) {
                return weir_orc_stream_corrupt(&column->data_stream, "a decimal does not fit the column's type", err);
            }
        }
        if (out->layout == WEIR_LAYOUT_64) {
            WEIR_VALUES(out, int64_t)[out->length + i] = (int64_t)value;
        } else {
            WEIR_VALUES(out, weir_int128)[out->length + i] = value;
        }
    }
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}

/* ---- timestamps ---- */

/* Nanoseconds are stored without their trailing zeros: the three lowest bits tell how many there were, less one. */
static bool decode_nanos(int64_t stored, int64_t *out)
{
    static const int64_t units[] = {1, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    int64_t digits = (int64_t)((uint64_t)stored >> 3);
    if (digits > 999999999) {
        return false;
    }
    *out = digits * units[stored & 7];
    return *out <= 999999999;
}

static int64_t floor_seconds(int64_t millis) { return millis / 1000 - (millis % 1000 < 0); }

/* The offset of a zone as java.util.TimeZone has it, by which writers go: before 1900 it knows no changes, and takes
 * the standard time of today. */
static int64_t java_offset(const weir_zone *zone, int64_t seconds)
{
    enum { WINTER_OF_2024 = 1705276800, SUMMER_OF_2024 = 1721001600 };
    if (seconds >= INT64_C(-2208988800)) {
        return weir_zone_offset(zone, seconds);
    }
    int32_t winter = weir_zone_offset(zone, WINTER_OF_2024);
    int32_t summer = weir_zone_offset(zone, SUMMER_OF_2024);
    return winter < summer ? winter : summer;
}

/* The milliseconds of a timestamp. Writers cut seconds off towards zero, so that one before 1970 with a fraction is a
 * second lower than it says; that the last second before 1970 cannot be told from the first one after is the format's
 * known defect, and Java reads it so. */
static bool decode_millis(const weir_orc_column *column, int64_t seconds, int64_t nanos, int64_t *out)
{
    int64_t millis;
    if (__builtin_add_overflow(seconds, column->epoch, &seconds) || __builtin_mul_overflow(seconds, 1000, &millis) ||
        __builtin_add_overflow(millis, nanos / 1000000, &millis) || millis < INT64_MIN / 2 || millis > INT64_MAX / 2) {
        return false;
    }
    if (millis < 0 && nanos > 999999) {
        millis -= 1000;
    }
    if (column->zone != NULL) {
        millis += java_offset(column->zone, floor_seconds(millis)) * 1000;
    }
    *out = millis;
    return true;
}

static bool place_timestamp(const weir_orc_column *column, int64_t millis, int64_t nanos, weir_vector *out, int64_t row)
{
    int64_t nanos_of_milli = nanos % 1000000;
    if (column->type->precision > 6) {
        WEIR_VALUES(out, weir_timestamp_nanos)
        [row] = (weir_timestamp_nanos){.millis = millis, .nanos_of_milli = (int32_t)nanos_of_milli};
        return true;
    }
    if (column->type->precision <= 3) {
        WEIR_VALUES(out, int64_t)[row] = millis;
        return true;
    }
    int64_t micros;
    if (__builtin_mul_overflow(millis, 1000, &micros) ||
        __builtin_add_overflow(micros, nanos_of_milli / 1000, &micros)) {
        return false;
    }
    WEIR_VALUES(out, int64_t)[row] = micros;
    return true;
}

int weir_orc_read_timestamps(weir_orc_column *column, const weir_orc_piece *piece, weir_vector *out, weir_error *err)
{
    int64_t seconds[WEIR_ORC_PIECE];
    int64_t fractions[WEIR_ORC_PIECE];
    WEIR_TRY(weir_orc_integers_read(column->data, seconds, piece->present, err));
    WEIR_TRY(weir_orc_integers_read(column->secondary, fractions, piece->present, err));
    WEIR_TRY(weir_orc_piece_begin(piece, out, err));
    int64_t next = 0;
    for (int64_t i = 0; i < piece->slots; i++) {
        int64_t millis = 0;
        int64_t nanos = 0;
        if (piece->valid[i]) {
            if (!decode_nanos(fractions[next], &nanos) || !decode_millis(column, seconds[next], nanos, &millis)) {
                return weir_orc_stream_corrupt(&column->data_stream, "a timestamp is out of range", err);
            }
            next++;
        }
        if (!place_timestamp(column, millis, nanos, out, out->length + i)) {
            return weir_orc_stream_corrupt(&column->data_stream, "a timestamp is out of range", err);
        }
    }
    weir_orc_piece_end(piece, out);
    return WEIR_OK;
}
