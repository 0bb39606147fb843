/* RLE / bit-packing hybrid:
 *
 *   | run length << 1: varint | value: the width's whole bytes, little-endian |     a run of equal values
 *   | groups << 1 | 1: varint | groups * width bytes |                              groups of eight packed values
 *
 * The last packed run may have fewer bytes than its groups say, and more values than there are. */
#include "format/parquet/encoding_rle.h"

#include "format/parquet/bit_unpack.h"
#include "vector/bits.h"

/* Values unpacked at a time on the way to narrower results. */
#define BLOCK 256

void weir_parquet_rle_init(weir_parquet_rle *rle, weir_slice bytes, uint32_t width)
{
    *rle = (weir_parquet_rle){.next = bytes.data, .end = bytes.data + bytes.size, .width = width};
}

static bool read_run_head(weir_parquet_rle *rle, uint64_t *out)
{
    uint64_t head = 0;
    for (int shift = 0; shift < 63 && rle->next < rle->end; shift += 7) {
        uint8_t byte = *rle->next++;
        head |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = head;
            return true;
        }
    }
    return false;
}

static bool start_packed_run(weir_parquet_rle *rle, uint64_t groups)
{
    uint64_t bytes_left = (uint64_t)(rle->end - rle->next);
    uint64_t bytes = groups * rle->width; /* groups are at most 2^32 */
    rle->packed = true;
    rle->packed_bytes = rle->next;
    rle->packed_position = 0;
    rle->left = groups * 8;
    if (bytes > bytes_left) { /* cut short: what is there counts */
        bytes = bytes_left;
        rle->left = bytes_left * 8 / rle->width;
    }
    rle->next += bytes;
    return rle->left > 0;
}

static bool start_equal_run(weir_parquet_rle *rle, uint64_t length)
{
    uint32_t value_bytes = (rle->width + 7) / 8;
    if ((size_t)(rle->end - rle->next) < value_bytes || length == 0) {
        return false;
    }
    rle->packed = false;
    rle->left = length;
    rle->value = 0;
    memcpy(&rle->value, rle->next, value_bytes);
    rle->next += value_bytes;
    return true;
}

/* Moves on to the next run; false at the end of the bytes. */
static bool next_run(weir_parquet_rle *rle)
{
    uint64_t head;
    if (!read_run_head(rle, &head) || head >> 1 > UINT32_MAX) {
        return false;
    }
    return head & 1 ? start_packed_run(rle, head >> 1) : start_equal_run(rle, head >> 1);
}

/* How many of `count` values the current run gives; 0 when there are none left. */
static int64_t take(weir_parquet_rle *rle, int64_t count)
{
    if (rle->left == 0 && !next_run(rle)) {
        return 0;
    }
    return (uint64_t)count < rle->left ? count : (int64_t)rle->left;
}

static void advance(weir_parquet_rle *rle, int64_t count)
{
    rle->left -= (uint64_t)count;
    rle->packed_position += (uint64_t)count;
}

bool weir_parquet_rle_read(weir_parquet_rle *rle, int64_t count, uint32_t *out)
{
    while (count > 0) {
        int64_t taken = take(rle, count);
        if (taken == 0) {
            return false;
        }
        if (rle->packed) {
            weir_parquet_unpack_32(rle->packed_bytes, rle->width, rle->packed_position, (size_t)taken, out);
        } else {
            uint32_t value = rle->value;
            for (int64_t i = 0; i < taken; i++) {
                out[i] = value;
            }
        }
        advance(rle, taken);
        out += taken;
        count -= taken;
    }
    return true;
}

static void unpack_bytes(const weir_parquet_rle *rle, int64_t count, uint8_t *out)
{
    uint32_t block[BLOCK];
    for (int64_t from = 0; from < count; from += BLOCK) {
        int64_t size = count - from < BLOCK ? count - from : BLOCK;
        weir_parquet_unpack_32(rle->packed_bytes, rle->width, rle->packed_position + (uint64_t)from, (size_t)size,
                               block);
        for (int64_t i = 0; i < size; i++) {
            out[from + i] = (uint8_t)block[i];
        }
    }
}

bool weir_parquet_rle_read_bytes(weir_parquet_rle *rle, int64_t count, uint8_t *out)
{
    while (count > 0) {
        int64_t taken = take(rle, count);
        if (taken == 0) {
            return false;
        }
        if (rle->packed) {
            unpack_bytes(rle, taken, out);
        } else {
            memset(out, (int)rle->value, (size_t)taken);
        }
        advance(rle, taken);
        out += taken;
        count -= taken;
    }
    return true;
}

bool weir_parquet_rle_read_bits(weir_parquet_rle *rle, int64_t count, uint8_t *bits, int64_t first, int64_t *ones)
{
    while (count > 0) {
        int64_t taken = take(rle, count);
        if (taken == 0) {
            return false;
        }
        if (rle->packed) {
            weir_bits_copy(bits, first, rle->packed_bytes, (int64_t)rle->packed_position, taken);
            *ones += weir_bits_count(rle->packed_bytes, (int64_t)rle->packed_position, taken);
        } else {
            weir_bits_fill(bits, first, taken, rle->value & 1);
            *ones += rle->value & 1 ? taken : 0;
        }
        advance(rle, taken);
        first += taken;
        count -= taken;
    }
    return true;
}

bool weir_parquet_rle_skip(weir_parquet_rle *rle, int64_t count)
{
    while (count > 0) {
        int64_t taken = take(rle, count);
        if (taken == 0) {
            return false;
        }
        advance(rle, taken);
        count -= taken;
    }
    return true;
}

bool weir_parquet_rle_skip_bits(weir_parquet_rle *rle, int64_t count, int64_t *ones)
{
    while (count > 0) {
        int64_t taken = take(rle, count);
        if (taken == 0) {
            return false;
        }
        if (rle->packed) {
            *ones += weir_bits_count(rle->packed_bytes, (int64_t)rle->packed_position, taken);
        } else {
            *ones += rle->value & 1 ? taken : 0;
        }
        advance(rle, taken);
        count -= taken;
    }
    return true;
}

bool weir_parquet_rle_is_run(const weir_parquet_rle *rle, int64_t count, uint32_t value)
{
    weir_parquet_rle copy = *rle;
    return take(&copy, count) == count && !copy.packed && copy.value == value;
}
