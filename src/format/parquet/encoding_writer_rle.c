/* The RLE/bit-packing hybrid, for levels and dictionary indices.
 *
 *   repeated   | count << 1, varint | the number in (width + 7) / 8 bytes, little-endian |
 *   packed     | groups << 1 | 1, varint | groups * 8 numbers of `width` bits, least significant bit first |
 *
 * A run of at least 16 equal numbers that begins where a group would is written as repeated, all else as packed. */
#include "format/parquet/encoding_writer.h"

#define GROUP       8
#define LEAST_RUN   (2 * GROUP)
#define VARINT_ROOM 10

int weir_rle_width(uint32_t greatest) { return greatest == 0 ? 1 : 32 - __builtin_clz(greatest); }

static uint8_t *put_varint(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

static uint8_t *put_run(uint8_t *out, uint32_t value, size_t count, int width)
{
    out = put_varint(out, (uint64_t)count << 1);
    weir_store_le32(out, value);
    return out + (width + 7) / 8;
}

/* Packs numbers, the last group filled with zeros. Writes up to 8 bytes behind its end. */
static uint8_t *put_packed(uint8_t *out, const uint32_t *values, size_t count, int width)
{
    size_t groups = (count + GROUP - 1) / GROUP;
    out = put_varint(out, (uint64_t)groups << 1 | 1);
    uint8_t *end = out + groups * (size_t)width;
    uint64_t bits = 0;
    int filled = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= (uint64_t)values[i] << filled;
        filled += width;
        if (filled >= 32) {
            weir_store_le32(out, (uint32_t)bits);
            out += 4;
            bits >>= 32;
            filled -= 32;
        }
    }
    if (out < end) {
        weir_store_le64(out, bits);
        out += 8;
    }
    if (out < end) {
        memset(out, 0, (size_t)(end - out));
    }
    return end;
}

static inline bool begins_run(const uint32_t *values)
{
    uint32_t difference = 0;
    for (int i = 1; i < LEAST_RUN; i++) {
        difference |= values[i] ^ values[0];
    }
    return difference == 0;
}

void weir_rle_append(const uint32_t *values, size_t count, int width, weir_buffer *out)
{
    size_t runs = count / LEAST_RUN + 2; /* of either kind */
    weir_buffer_reserve(out, (count / GROUP + 1) * (size_t)width + runs * 2 * (VARINT_ROOM + 4) + 8);
    uint8_t *end = out->data + out->size;
    size_t packed_from = 0;
    size_t i = 0;
    while (i + LEAST_RUN <= count) {
        if (!begins_run(values + i)) {
            i += GROUP;
            continue;
        }
        size_t run_from = i;
        i += LEAST_RUN;
        while (i < count && values[i] == values[run_from]) {
            i++;
        }
        if (run_from > packed_from) {
            end = put_packed(end, values + packed_from, run_from - packed_from, width);
        }
        end = put_run(end, values[run_from], i - run_from, width);
        packed_from = i;
    }
    if (count > packed_from) {
        end = put_packed(end, values + packed_from, count - packed_from, width);
    }
    out->size = (size_t)(end - out->data);
}

void weir_rle_append_run(uint32_t value, size_t count, int width, weir_buffer *out)
{
    if (count == 0) {
        return;
    }
    weir_buffer_reserve(out, VARINT_ROOM + 4);
    uint8_t *end = put_run(out->data + out->size, value, count, width);
    out->size = (size_t)(end - out->data);
}

static void append_packed_bytes(const uint8_t *bits, size_t bytes, weir_buffer *out)
{
    if (bytes == 0) {
        return;
    }
    weir_buffer_reserve(out, VARINT_ROOM + bytes);
    uint8_t *end = put_varint(out->data + out->size, (uint64_t)bytes << 1 | 1);
    memcpy(end, bits, bytes);
    out->size = (size_t)(end + bytes - out->data);
}

/* 64 equal bits from a byte's first on make a repeated run; packed bits are the bitmap's own bytes. */
void weir_rle_append_bits(const uint8_t *bits, size_t count, weir_buffer *out)
{
    size_t whole_bytes = count / 8;
    size_t packed_from = 0;
    size_t i = 0;
    while (i + 8 <= whole_bytes) {
        uint64_t word = weir_load_le64(bits + i);
        if (word != 0 && word != UINT64_MAX) {
            i++;
            continue;
        }
        size_t run_end = i + 8;
        while (run_end < whole_bytes && bits[run_end] == (uint8_t)word) {
            run_end++;
        }
        append_packed_bytes(bits + packed_from, i - packed_from, out);
        weir_rle_append_run((uint32_t)(word & 1), (run_end - i) * 8, 1, out);
        packed_from = i = run_end;
    }
    append_packed_bytes(bits + packed_from, (count + 7) / 8 - packed_from, out);
}
