/* What writing and reading BinaryRow have in common: how wide the parts of a row or an array are.
 *
 * Only for binary_row_write.c, binary_row_read.c, row_hash.c and bucket.c. */
#ifndef WEIR_VECTOR_BINARY_ROW_LAYOUT_H
#define WEIR_VECTOR_BINARY_ROW_LAYOUT_H

#include "vector/vector.h"

#define WEIR_ROW_HEADER_BITS 8u    /* the row kind stands before the null bits */
#define WEIR_INLINE_BYTES    7u    /* text up to this length stands in the slot itself */
#define WEIR_INLINE_MARK     0x80u /* in the slot's last byte: the text is inline, the low bits are its length */

static inline size_t weir_row_null_bytes(int32_t arity)
{
    return (((size_t)arity + 63 + WEIR_ROW_HEADER_BITS) / 64) * 8;
}

static inline size_t weir_row_fixed_bytes(int32_t arity) { return weir_row_null_bytes(arity) + (size_t)arity * 8; }

/* Element count and null bits, in words of four bytes. */
static inline size_t weir_array_header_bytes(size_t count) { return 4 + (count + 31) / 32 * 4; }

static inline size_t weir_round_to_word(size_t size) { return (size + 7) & ~(size_t)7; }

/* The bits of a float in its slot. NaN has one bit pattern in Java, and hashes of equal rows must be equal. */
static inline uint32_t weir_row_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7fc00000u : bits;
}

static inline uint64_t weir_row_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7ff8000000000000u : bits;
}

/* Bytes of one array element of this type; row slots are always eight bytes. */
static inline size_t weir_array_element_bytes(const weir_type *type)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
    case WEIR_TINYINT:
        return 1;
    case WEIR_SMALLINT:
        return 2;
    case WEIR_INT:
    case WEIR_FLOAT:
    case WEIR_DATE:
    case WEIR_TIME:
        return 4;
    default:
        return 8;
    }
}

/* Bytes that a value of this type reserves in the variable part of a row even when it is NULL. */
static inline size_t weir_row_reserved_bytes(const weir_type *type)
{
    switch (type->id) {
    case WEIR_DECIMAL:
        return type->precision > 18 ? 16 : 0;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return type->precision > 3 ? 8 : 0;
    default:
        return 0;
    }
}

#endif
