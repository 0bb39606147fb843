/* Ranges of bits: whole words in the middle, single bits at the ends. */
#include "vector/bits.h"

#include <string.h>

static inline bool get_bit(const uint8_t *bits, int64_t i) { return (bits[i >> 3] >> (i & 7)) & 1; }

static inline void put_bit(uint8_t *bits, int64_t i, bool value)
{
    uint8_t mask = (uint8_t)(1u << (i & 7));
    bits[i >> 3] = (uint8_t)((bits[i >> 3] & ~mask) | (value ? mask : 0));
}

/* How many bits from `first` on come before the next byte begins, at most `count`. */
static inline int64_t bits_to_byte(int64_t first, int64_t count)
{
    int64_t bits = -first & 7;
    return bits < count ? bits : count;
}

void weir_bits_fill(uint8_t *bits, int64_t first, int64_t count, bool value)
{
    int64_t end = first + count;
    int64_t i = first;
    for (int64_t stop = first + bits_to_byte(first, count); i < stop; i++) {
        put_bit(bits, i, value);
    }
    if (i < end) {
        memset(bits + i / 8, value ? 0xff : 0, (size_t)(end - i) / 8);
        i += (end - i) / 8 * 8;
    }
    for (; i < end; i++) {
        put_bit(bits, i, value);
    }
}

/* Eight bits from position `first`, which need not begin a byte; both bytes they lie in are within the range read. */
static inline uint8_t load_byte(const uint8_t *bits, int64_t first)
{
    const uint8_t *byte = bits + (first >> 3);
    int shift = (int)(first & 7);
    return shift == 0 ? byte[0] : (uint8_t)((byte[0] >> shift) | (byte[1] << (8 - shift)));
}

void weir_bits_copy(uint8_t *to, int64_t to_first, const uint8_t *from, int64_t from_first, int64_t count)
{
    int64_t i = 0;
    for (int64_t head = bits_to_byte(to_first, count); i < head; i++) {
        put_bit(to, to_first + i, get_bit(from, from_first + i));
    }
    if (((from_first + i) & 7) == 0) {
        int64_t bytes = (count - i) / 8;
        if (bytes > 0) {
            memcpy(to + (to_first + i) / 8, from + (from_first + i) / 8, (size_t)bytes);
        }
        i += bytes * 8;
    }
    for (; i + 8 <= count; i += 8) {
        to[(to_first + i) / 8] = load_byte(from, from_first + i);
    }
    for (; i < count; i++) {
        put_bit(to, to_first + i, get_bit(from, from_first + i));
    }
}

int64_t weir_bits_count(const uint8_t *bits, int64_t first, int64_t count)
{
    int64_t end = first + count;
    int64_t set = 0;
    int64_t i = first;
    for (int64_t stop = first + bits_to_byte(first, count); i < stop; i++) {
        set += get_bit(bits, i);
    }
    for (; i + 64 <= end; i += 64) {
        uint64_t word;
        memcpy(&word, bits + i / 8, sizeof word);
        set += __builtin_popcountll(word);
    }
    for (; i < end; i++) {
        set += get_bit(bits, i);
    }
    return set;
}

int64_t weir_bits_gather(uint8_t *to, int64_t to_first, const uint8_t *from, const uint32_t *rows, int64_t count)
{
    int64_t set = 0;
    int64_t i = 0;
    for (int64_t head = bits_to_byte(to_first, count); i < head; i++) {
        bool bit = get_bit(from, rows[i]);
        put_bit(to, to_first + i, bit);
        set += bit;
    }
    for (; i + 8 <= count; i += 8) {
        unsigned byte = 0;
        for (int j = 0; j < 8; j++) {
            uint32_t row = rows[i + j];
            byte |= (unsigned)((from[row >> 3] >> (row & 7)) & 1) << j;
        }
        to[(to_first + i) / 8] = (uint8_t)byte;
        set += __builtin_popcount(byte);
    }
    for (; i < count; i++) {
        bool bit = get_bit(from, rows[i]);
        put_bit(to, to_first + i, bit);
        set += bit;
    }
    return set;
}
