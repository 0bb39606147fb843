/* Reading the primitives of Avro's binary encoding from bytes in memory. Nothing reads past `end`. */
#ifndef WEIR_FORMAT_AVRO_CURSOR_H
#define WEIR_FORMAT_AVRO_CURSOR_H

#include "base/base.h"

typedef struct weir_avro_cursor {
    const uint8_t *next;
    const uint8_t *end;
    const char *path; /* for messages */
} weir_avro_cursor;

static inline size_t weir_avro_left(const weir_avro_cursor *cursor) { return (size_t)(cursor->end - cursor->next); }

/* A zigzag number of at most ten bytes, seven bits each, the lowest first. False: cut off, or too long. */
static inline bool weir_avro_read_long(weir_avro_cursor *cursor, int64_t *out)
{
    const uint8_t *next = cursor->next;
    size_t left = weir_avro_left(cursor);
    size_t limit = left < 10 ? left : 10;
    uint64_t value = 0;
    for (size_t i = 0; i < limit; i++) {
        value |= (uint64_t)(next[i] & 0x7F) << (7 * i);
        if (next[i] < 0x80) {
            if (i == 9 && next[i] > 1) {
                return false; /* more than 64 bits */
            }
            cursor->next = next + i + 1;
            *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return true;
        }
    }
    return false;
}

/* Bytes preceded by their number, borrowed. */
static inline bool weir_avro_read_bytes(weir_avro_cursor *cursor, weir_slice *out)
{
    int64_t size;
    if (!weir_avro_read_long(cursor, &size) || size < 0 || (uint64_t)size > weir_avro_left(cursor)) {
        return false;
    }
    *out = weir_slice_of(cursor->next, (size_t)size);
    cursor->next += size;
    return true;
}

static inline bool weir_avro_skip(weir_avro_cursor *cursor, size_t size)
{
    if (size > weir_avro_left(cursor)) {
        return false;
    }
    cursor->next += size;
    return true;
}

#endif
