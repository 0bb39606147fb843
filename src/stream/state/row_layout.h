/* What both sides of the row codec know: lengths, and values of a fixed width.
 *
 *   BOOLEAN                1 byte
 *   16-byte timestamps     12 bytes: milliseconds, nanoseconds of the millisecond
 *   all others             as they lie in a vector; all NaNs are one
 *   lengths                7 bits a byte, the least first, the high bit set on all but the last */
#ifndef WEIR_STREAM_ROW_LAYOUT_H
#define WEIR_STREAM_ROW_LAYOUT_H

#include "vector/vector.h"

#define WEIR_ROW_FORMAT_VERSION   1
#define WEIR_ROW_MAX_LENGTH_BYTES 5

static inline uint32_t weir_row_length_bytes(uint32_t length)
{
    return length < 1u << 7 ? 1 : length < 1u << 14 ? 2 : length < 1u << 21 ? 3 : length < 1u << 28 ? 4 : 5;
}

static inline uint8_t *weir_row_put_length(uint8_t *to, uint32_t length)
{
    while (length >= 0x80) {
        *to++ = (uint8_t)(length | 0x80);
        length >>= 7;
    }
    *to++ = (uint8_t)length;
    return to;
}

/* False when the bytes end too soon, or it is longer than it need be. */
static inline bool weir_row_take_length(weir_slice *from, uint32_t *out)
{
    uint64_t length = 0;
    for (size_t i = 0; i < WEIR_ROW_MAX_LENGTH_BYTES && i < from->size; i++) {
        length |= (uint64_t)(from->data[i] & 0x7f) << (7 * i);
        if (from->data[i] < 0x80) {
            if (length > UINT32_MAX || (i > 0 && from->data[i] == 0)) {
                return false;
            }
            *out = (uint32_t)length;
            *from = weir_slice_of(from->data + i + 1, from->size - i - 1);
            return true;
        }
    }
    return false;
}

/* Bytes of a value of a fixed width; 0 for those without one. */
static inline uint32_t weir_row_value_width(const weir_vector *vector)
{
    if (vector->layout == WEIR_LAYOUT_BIT) {
        return 1;
    }
    if (vector->layout == WEIR_LAYOUT_128 && vector->type->id != WEIR_DECIMAL) {
        return 12;
    }
    return (uint32_t)weir_layout_width(vector->layout);
}

static inline void weir_row_put_fixed(uint8_t *to, const weir_vector *vector, int64_t row)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        *to = weir_bit_get(vector->data, row);
        break;
    case WEIR_LAYOUT_8:
        *to = vector->data[row];
        break;
    case WEIR_LAYOUT_16:
        memcpy(to, &WEIR_VALUES(vector, uint16_t)[row], 2);
        break;
    case WEIR_LAYOUT_32: {
        float number = WEIR_VALUES(vector, float)[row];
        uint32_t bits = WEIR_VALUES(vector, uint32_t)[row];
        weir_store_le32(to, vector->type->id == WEIR_FLOAT && number != number ? 0x7fc00000u : bits);
        break;
    }
    case WEIR_LAYOUT_64: {
        double number = WEIR_VALUES(vector, double)[row];
        uint64_t bits = WEIR_VALUES(vector, uint64_t)[row];
        weir_store_le64(to, vector->type->id == WEIR_DOUBLE && number != number ? 0x7ff8000000000000u : bits);
        break;
    }
    default:
        memcpy(to, vector->data + (size_t)row * 16, weir_row_value_width(vector));
        break;
    }
}

#endif
