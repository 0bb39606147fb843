/* DELTA_BINARY_PACKED:
 *
 *   | values a block | miniblocks a block | values in all | first value: zigzag |        varints
 *
 * and then blocks until all values but the first are there
 *
 *   | least delta: zigzag varint | a width for each miniblock: a byte each | miniblocks |
 *
 * A miniblock is its deltas less the least one, packed. Miniblocks behind the last value are left out, though their
 * widths are there. Sums wrap around, so that 64 bits serve for INT32 too. */
#include "format/parquet/encoding_delta.h"

#include "format/parquet/bit_unpack.h"

/* Writers use 128 and 4; what is beyond these is damage. */
#define MAX_BLOCK_VALUES (1u << 20)
#define MAX_MINIBLOCKS   (1u << 12)

static bool read_varint(weir_parquet_delta *delta, uint64_t *out)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && delta->next < delta->end; shift += 7) {
        uint8_t byte = *delta->next++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

static bool read_zigzag(weir_parquet_delta *delta, uint64_t *out)
{
    uint64_t value;
    if (!read_varint(delta, &value)) {
        return false;
    }
    *out = value >> 1 ^ (0 - (value & 1));
    return true;
}

bool weir_parquet_delta_init(weir_parquet_delta *delta, weir_slice bytes)
{
    uint64_t block_values;
    uint64_t miniblocks;
    *delta = (weir_parquet_delta){.next = bytes.data, .end = bytes.data + bytes.size, .first = true};
    if (!read_varint(delta, &block_values) || !read_varint(delta, &miniblocks) || !read_varint(delta, &delta->left) ||
        !read_zigzag(delta, &delta->last)) {
        return false;
    }
    if (block_values == 0 || block_values > MAX_BLOCK_VALUES || miniblocks == 0 || miniblocks > MAX_MINIBLOCKS ||
        block_values % miniblocks != 0 || block_values / miniblocks % WEIR_PARQUET_DELTA_STEP != 0) {
        return false;
    }
    delta->miniblocks = (uint32_t)miniblocks;
    delta->miniblock = delta->miniblocks; /* the first block is still to be entered */
    delta->miniblock_values = (uint32_t)(block_values / miniblocks);
    return true;
}

static bool enter_block(weir_parquet_delta *delta)
{
    if (!read_zigzag(delta, &delta->min_delta) || (size_t)(delta->end - delta->next) < delta->miniblocks) {
        return false;
    }
    delta->widths = delta->next;
    delta->next += delta->miniblocks;
    delta->miniblock = 0;
    return true;
}

/* Enters the next miniblock, in which `wanted` values (at most a whole one) are still to come. */
static bool enter_miniblock(weir_parquet_delta *delta, uint64_t wanted)
{
    if (delta->miniblock == delta->miniblocks && !enter_block(delta)) {
        return false;
    }
    delta->width = delta->widths[delta->miniblock++];
    delta->packed = delta->next;
    delta->packed_left = delta->miniblock_values;
    size_t bytes_left = (size_t)(delta->end - delta->next);
    size_t bytes = (size_t)delta->miniblock_values / 8 * delta->width;
    if (delta->width > 64) {
        return false;
    }
    if (bytes > bytes_left) { /* some writers do not pad the last miniblock */
        uint64_t needed =
            ((wanted < delta->miniblock_values ? wanted : delta->miniblock_values) * delta->width + 7) / 8;
        if (needed > bytes_left) {
            return false;
        }
        bytes = bytes_left;
    }
    delta->next += bytes;
    return true;
}

/* Decodes 32 values into `out`: all that a step has, though fewer may be left. */
static bool decode_step(weir_parquet_delta *delta, uint64_t left, uint64_t *out)
{
    if (delta->packed_left == 0 && !enter_miniblock(delta, left)) {
        return false;
    }
    const uint8_t *from = delta->packed;
    size_t offset = (size_t)(delta->miniblock_values - delta->packed_left) / 8 * delta->width;
    size_t bytes = (size_t)(delta->end - delta->packed);
    size_t step_bytes = (size_t)WEIR_PARQUET_DELTA_STEP / 8 * delta->width;
    uint8_t tail[WEIR_PARQUET_DELTA_STEP * 8 + 16] = {0};
    if (offset + step_bytes <= bytes) {
        from += offset;
    } else { /* an unpadded miniblock: what it lacks belongs to none of the values that are left */
        memcpy(tail, offset < bytes ? from + offset : from, offset < bytes ? bytes - offset : 0);
        from = tail;
    }
    weir_parquet_unpack_64(from, delta->width, out);
    uint64_t last = delta->last;
    uint64_t min_delta = delta->min_delta;
    for (uint32_t i = 0; i < WEIR_PARQUET_DELTA_STEP; i++) {
        last += out[i] + min_delta;
        out[i] = last;
    }
    delta->last = last;
    delta->packed_left -= WEIR_PARQUET_DELTA_STEP;
    return true;
}

static int64_t give_buffered(weir_parquet_delta *delta, int64_t count, uint64_t *out)
{
    int64_t given = 0;
    if (delta->first && count > 0) {
        delta->first = false;
        out[given++] = delta->last;
    }
    while (given < count && delta->step_position < delta->step_count) {
        out[given++] = delta->step[delta->step_position++];
    }
    return given;
}

bool weir_parquet_delta_read(weir_parquet_delta *delta, int64_t count, uint64_t *out)
{
    if ((uint64_t)count > delta->left) {
        return false;
    }
    uint64_t left_after = delta->left - (uint64_t)count;
    int64_t given = give_buffered(delta, count, out);
    while (count - given >= WEIR_PARQUET_DELTA_STEP) {
        if (!decode_step(delta, left_after + (uint64_t)(count - given), out + given)) {
            return false;
        }
        given += WEIR_PARQUET_DELTA_STEP;
    }
    if (given < count) {
        if (!decode_step(delta, left_after + (uint64_t)(count - given), delta->step)) {
            return false;
        }
        delta->step_count = WEIR_PARQUET_DELTA_STEP;
        delta->step_position = 0;
        give_buffered(delta, count - given, out + given);
    }
    delta->left = left_after;
    return true;
}

bool weir_parquet_delta_read_32(weir_parquet_delta *delta, int64_t count, uint32_t *out)
{
    uint64_t block[8 * WEIR_PARQUET_DELTA_STEP];
    while (count > 0) {
        int64_t size =
            count < (int64_t)(sizeof block / sizeof *block) ? count : (int64_t)(sizeof block / sizeof *block);
        if (!weir_parquet_delta_read(delta, size, block)) {
            return false;
        }
        for (int64_t i = 0; i < size; i++) {
            out[i] = (uint32_t)block[i];
        }
        out += size;
        count -= size;
    }
    return true;
}

bool weir_parquet_delta_skip(weir_parquet_delta *delta, int64_t count)
{
    uint64_t block[8 * WEIR_PARQUET_DELTA_STEP];
    while (count > 0) {
        int64_t size =
            count < (int64_t)(sizeof block / sizeof *block) ? count : (int64_t)(sizeof block / sizeof *block);
        if (!weir_parquet_delta_read(delta, size, block)) {
            return false;
        }
        count -= size;
    }
    return true;
}

bool weir_parquet_delta_find_end(const weir_parquet_delta *delta, const uint8_t **out)
{
    weir_parquet_delta walker = *delta;
    uint64_t left = delta->left > 0 ? delta->left - 1 : 0; /* the first value is in the header */
    while (left > 0) {
        if (!enter_miniblock(&walker, left)) {
            return false;
        }
        left -= left < walker.miniblock_values ? left : walker.miniblock_values;
    }
    *out = walker.next;
    return true;
}
