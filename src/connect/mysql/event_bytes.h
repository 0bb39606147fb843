/* Reading numbers as the binlog and the protocol pack them. */
#ifndef WEIR_MYSQL_EVENT_BYTES_H
#define WEIR_MYSQL_EVENT_BYTES_H

#include "base/byte_reader.h"

/* One byte up to 250, or a mark and 2, 3 or 8 bytes. */
static inline uint64_t weir_take_packed(weir_byte_reader *reader)
{
    uint8_t first = weir_take_u8(reader);
    switch (first) {
    case 252:
        return weir_take_number(reader, 2);
    case 253:
        return weir_take_number(reader, 3);
    case 254:
        return weir_take_number(reader, 8);
    default:
        reader->failed = reader->failed || first > 250;
        return first;
    }
}

/* A packed length and as many bytes. */
static inline weir_slice weir_take_packed_bytes(weir_byte_reader *reader)
{
    uint64_t size = weir_take_packed(reader);
    if (size > reader->left.size) {
        weir_byte_reader_fail(reader);
        return (weir_slice){0};
    }
    return weir_take_bytes(reader, (size_t)size);
}

/* Big-endian, `size` up to 8 bytes. */
static inline uint64_t weir_take_big(weir_byte_reader *reader, size_t size)
{
    weir_slice bytes = weir_take_bytes(reader, size);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        number = number << 8 | bytes.data[i];
    }
    return number;
}

#endif
