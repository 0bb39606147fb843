/* Growing byte buffers. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

#define FIRST_CAPACITY 64

int weir_slice_compare(weir_slice a, weir_slice b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.data, b.data, shared) : 0;
    if (order != 0) {
        return order < 0 ? -1 : 1;
    }
    return (a.size > b.size) - (a.size < b.size);
}

void weir_buffer_free(weir_buffer *buffer)
{
    if (buffer) {
        free(buffer->data);
        *buffer = (weir_buffer){0};
    }
}

void weir_buffer_reserve(weir_buffer *buffer, size_t extra)
{
    if (extra <= buffer->capacity - buffer->size) {
        return;
    }
    size_t needed;
    if (__builtin_add_overflow(buffer->size, extra, &needed)) {
        needed = SIZE_MAX; /* the allocation below ends the process */
    }
    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
    while (capacity < needed) {
        capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
    }
    buffer->data = weir_realloc(buffer->data, capacity);
    buffer->capacity = capacity;
}

void weir_buffer_append(weir_buffer *buffer, const void *data, size_t size)
{
    if (size == 0) {
        return;
    }
    weir_buffer_reserve(buffer, size);
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

void weir_buffer_append_byte(weir_buffer *buffer, uint8_t byte)
{
    weir_buffer_reserve(buffer, 1);
    buffer->data[buffer->size++] = byte;
}

void weir_buffer_append_text(weir_buffer *buffer, const char *text) { weir_buffer_append(buffer, text, strlen(text)); }

void weir_buffer_append_format(weir_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    weir_buffer_reserve(buffer, FIRST_CAPACITY);
    size_t room = buffer->capacity - buffer->size;
    int size = vsnprintf((char *)buffer->data + buffer->size, room, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size >= room) {
        weir_buffer_reserve(buffer, (size_t)size + 1);
        vsnprintf((char *)buffer->data + buffer->size, (size_t)size + 1, format, again);
    }
    va_end(again);
    if (size > 0) {
        buffer->size += (size_t)size;
    }
}

void weir_buffer_append_zeros(weir_buffer *buffer, size_t size)
{
    if (size == 0) {
        return;
    }
    weir_buffer_reserve(buffer, size);
    memset(buffer->data + buffer->size, 0, size);
    buffer->size += size;
}

const char *weir_buffer_text(weir_buffer *buffer)
{
    weir_buffer_reserve(buffer, 1);
    buffer->data[buffer->size] = 0;
    return (const char *)buffer->data;
}
