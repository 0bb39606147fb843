/* The encoding PLAIN.
 *
 *   BOOLEAN                 bits, least significant first
 *   INT32, INT64, FLOAT, DOUBLE  little-endian
 *   INT96                   | nanoseconds of the day: 8 | Julian day: 4 |, little-endian
 *   FIXED_LEN_BYTE_ARRAY    big-endian two's complement
 *   BYTE_ARRAY              | size: 4 | bytes | */
#include "format/parquet/encoding_writer.h"

#include "vector/bits.h"

#define MILLIS_OF_DAY      INT64_C(86400000)
#define JULIAN_DAY_OF_1970 INT64_C(2440588)
#define SHORT_TEXT         16

void weir_plain_encode_int128(const weir_int128 *values, size_t count, size_t width, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[16];
        weir_store_be64(bytes, (uint64_t)(values[i] >> 64));
        weir_store_be64(bytes + 8, (uint64_t)values[i]);
        memcpy(out + i * width, bytes + 16 - width, width);
    }
}

void weir_plain_encode_int96(const weir_timestamp_nanos *values, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        int64_t millis = values[i].millis;
        int64_t day = millis / MILLIS_OF_DAY - (millis % MILLIS_OF_DAY < 0);
        int64_t nanos = (millis - day * MILLIS_OF_DAY) * 1000000 + values[i].nanos_of_milli;
        weir_store_le64(out + 12 * i, (uint64_t)nanos);
        weir_store_le32(out + 12 * i + 8, (uint32_t)(day + JULIAN_DAY_OF_1970));
    }
}

/* Short text is copied as 16 bytes, which is faster than copying what it has; the next value overwrites the rest. So
 * `out` needs SHORT_TEXT bytes of room behind the last. */
static uint8_t *encode_bytes(const weir_dense_values *values, uint8_t *out)
{
    for (size_t i = 0; i < values->count; i++) {
        weir_bytes_ref ref = values->refs[i];
        weir_store_le32(out, ref.size);
        out += sizeof(uint32_t);
        if (ref.size <= SHORT_TEXT && (size_t)ref.from + SHORT_TEXT <= values->bytes_size) {
            memcpy(out, values->bytes + ref.from, SHORT_TEXT);
        } else if (ref.size > 0) {
            memcpy(out, values->bytes + ref.from, ref.size);
        }
        out += ref.size;
    }
    return out;
}

static void append_bits(const weir_dense_values *values, size_t bit_count, weir_buffer *out)
{
    size_t size = weir_bits_size((int64_t)(bit_count + values->count));
    if (size > out->size) {
        weir_buffer_append_zeros(out, size - out->size);
    }
    weir_bits_copy(out->data, (int64_t)bit_count, values->fixed, 0, (int64_t)values->count);
}

void weir_plain_append(const weir_write_leaf *leaf, const weir_dense_values *values, size_t bit_count, weir_buffer *out)
{
    if (values->count == 0) {
        return;
    }
    if (values->form == WEIR_FORM_BOOLEAN) {
        append_bits(values, bit_count, out);
        return;
    }
    weir_buffer_reserve(out, values->plain_size + SHORT_TEXT);
    uint8_t *end = out->data + out->size;
    switch (values->form) {
    case WEIR_FORM_BYTES:
        encode_bytes(values, end);
        break;
    case WEIR_FORM_INT128:
        weir_plain_encode_int128(values->fixed, values->count, (size_t)leaf->type_length, end);
        break;
    case WEIR_FORM_NANOS:
        weir_plain_encode_int96(values->fixed, values->count, end);
        break;
    default:
        memcpy(end, values->fixed, values->plain_size);
        break;
    }
    out->size += values->plain_size;
}
