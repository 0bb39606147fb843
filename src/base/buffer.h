/* Byte buffers that grow, slices that borrow, and numbers in bytes. */
#ifndef WEIR_BASE_BUFFER_H
#define WEIR_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes. */
typedef struct weir_slice {
    const uint8_t *data;
    size_t size;
} weir_slice;

static inline weir_slice weir_slice_of(const void *data, size_t size)
{
    return (weir_slice){(const uint8_t *)data, size};
}

static inline weir_slice weir_slice_text(const char *text)
{
    return weir_slice_of(text, strlen(text));
}

static inline bool weir_slice_equal(weir_slice a, weir_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Unsigned byte order, the shorter first when one is a prefix of the other. */
int weir_slice_compare(weir_slice a, weir_slice b);

/* Owned bytes. Zero-initialized is empty. */
typedef struct weir_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
} weir_buffer;

void weir_buffer_free(weir_buffer *buffer);
void weir_buffer_reserve(weir_buffer *buffer, size_t extra); /* room for `extra` more bytes */
void weir_buffer_append(weir_buffer *buffer, const void *data, size_t size);
void weir_buffer_append_byte(weir_buffer *buffer, uint8_t byte);
void weir_buffer_append_text(weir_buffer *buffer, const char *text);
void weir_buffer_append_format(weir_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_buffer_append_zeros(weir_buffer *buffer, size_t size);
const char *weir_buffer_text(weir_buffer *buffer); /* NUL-terminated view; the NUL is not counted in size */

static inline void weir_buffer_clear(weir_buffer *buffer)
{
    buffer->size = 0;
}

static inline weir_slice weir_buffer_slice(const weir_buffer *buffer)
{
    return weir_slice_of(buffer->data, buffer->size);
}

/* Unaligned loads and stores. The host is little-endian (checked by the build). */
static inline uint16_t weir_load_le16(const void *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static inline uint32_t weir_load_le32(const void *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline uint64_t weir_load_le64(const void *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline uint16_t weir_load_be16(const void *p) { return __builtin_bswap16(weir_load_le16(p)); }
static inline uint32_t weir_load_be32(const void *p) { return __builtin_bswap32(weir_load_le32(p)); }
static inline uint64_t weir_load_be64(const void *p) { return __builtin_bswap64(weir_load_le64(p)); }
static inline void weir_store_le16(void *p, uint16_t v) { memcpy(p, &v, 2); }
static inline void weir_store_le32(void *p, uint32_t v) { memcpy(p, &v, 4); }
static inline void weir_store_le64(void *p, uint64_t v) { memcpy(p, &v, 8); }
static inline void weir_store_be16(void *p, uint16_t v) { weir_store_le16(p, __builtin_bswap16(v)); }
static inline void weir_store_be32(void *p, uint32_t v) { weir_store_le32(p, __builtin_bswap32(v)); }
static inline void weir_store_be64(void *p, uint64_t v) { weir_store_le64(p, __builtin_bswap64(v)); }

#endif
