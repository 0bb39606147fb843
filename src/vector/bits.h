/* Ranges of bits in bitmaps, least significant bit first, as validity and BOOLEAN vectors hold them. Bits outside of
 * the range that is written stay as they are; bytes outside of it are not touched. */
#ifndef WEIR_VECTOR_BITS_H
#define WEIR_VECTOR_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t weir_bits_size(int64_t bits) { return ((size_t)bits + 7) / 8; }

void weir_bits_fill(uint8_t *bits, int64_t first, int64_t count, bool value);
void weir_bits_copy(uint8_t *to, int64_t to_first, const uint8_t *from, int64_t from_first, int64_t count);
int64_t weir_bits_count(const uint8_t *bits, int64_t first, int64_t count); /* how many are set */

/* Bits from[rows[0]] .. from[rows[count - 1]]; returns how many of them are set. */
int64_t weir_bits_gather(uint8_t *to, int64_t to_first, const uint8_t *from, const uint32_t *rows, int64_t count);

#endif
