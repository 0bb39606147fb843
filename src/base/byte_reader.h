/* Small binary documents that programs of ours write and read again: numbers little-endian, text with its length.
 *
 * A reader never goes past its bytes: what is asked for beyond them is zero, and `failed` says so once and for all.
 * Nothing is left of one that has failed, so that what goes on to the end of the bytes ends. */
#ifndef WEIR_BASE_BYTE_READER_H
#define WEIR_BASE_BYTE_READER_H

#include "base/buffer.h"

typedef struct weir_byte_reader {
    weir_slice left;
    bool failed;
} weir_byte_reader;

static inline weir_byte_reader weir_byte_reader_of(weir_slice bytes) { return (weir_byte_reader){.left = bytes}; }

/* Whether everything was read, and nothing was missing. */
static inline bool weir_byte_reader_is_done(const weir_byte_reader *reader)
{
    return !reader->failed && reader->left.size == 0;
}

/* For those who find that what they have read can't be. */
static inline void weir_byte_reader_fail(weir_byte_reader *reader)
{
    reader->failed = true;
    reader->left = (weir_slice){0};
}

static inline weir_slice weir_take_bytes(weir_byte_reader *reader, size_t size)
{
    if (reader->failed || reader->left.size < size) {
        weir_byte_reader_fail(reader);
        return (weir_slice){0};
    }
    weir_slice bytes = weir_slice_of(reader->left.data, size);
    reader->left = weir_slice_of(reader->left.data + size, reader->left.size - size);
    return bytes;
}

static inline uint64_t weir_take_number(weir_byte_reader *reader, size_t size)
{
    uint8_t encoded[8] = {0};
    weir_slice bytes = weir_take_bytes(reader, size);
    if (bytes.size > 0) {
        memcpy(encoded, bytes.data, bytes.size);
    }
    return weir_load_le64(encoded);
}

static inline uint8_t weir_take_u8(weir_byte_reader *reader) { return (uint8_t)weir_take_number(reader, 1); }
static inline uint32_t weir_take_u32(weir_byte_reader *reader) { return (uint32_t)weir_take_number(reader, 4); }
static inline uint64_t weir_take_u64(weir_byte_reader *reader) { return weir_take_number(reader, 8); }
static inline int32_t weir_take_i32(weir_byte_reader *reader) { return (int32_t)weir_take_u32(reader); }
static inline int64_t weir_take_i64(weir_byte_reader *reader) { return (int64_t)weir_take_u64(reader); }

/* How many things of at least `least_bytes` each follow: never more than the bytes can hold. */
static inline uint32_t weir_take_count(weir_byte_reader *reader, size_t least_bytes)
{
    uint32_t count = weir_take_u32(reader);
    if (reader->failed || count > reader->left.size / least_bytes) {
        weir_byte_reader_fail(reader);
        return 0;
    }
    return count;
}

static inline weir_slice weir_take_slice(weir_byte_reader *reader)
{
    return weir_take_bytes(reader, weir_take_u32(reader));
}

static inline void weir_put_number(weir_buffer *out, uint64_t number, size_t size)
{
    uint8_t encoded[8];
    weir_store_le64(encoded, number);
    weir_buffer_append(out, encoded, size);
}

static inline void weir_put_u8(weir_buffer *out, uint8_t number) { weir_buffer_append_byte(out, number); }
static inline void weir_put_u32(weir_buffer *out, uint32_t number) { weir_put_number(out, number, 4); }
static inline void weir_put_u64(weir_buffer *out, uint64_t number) { weir_put_number(out, number, 8); }

static inline void weir_put_slice(weir_buffer *out, weir_slice bytes)
{
    weir_put_u32(out, (uint32_t)bytes.size);
    weir_buffer_append(out, bytes.data, bytes.size);
}

#endif
