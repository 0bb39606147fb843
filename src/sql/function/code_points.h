/* Code points in UTF-8 that is known to be valid, for kernels over text. */
#ifndef WEIR_SQL_FUNCTION_CODE_POINTS_H
#define WEIR_SQL_FUNCTION_CODE_POINTS_H

#include "base/text.h"

static inline bool weir_is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* The bytes of the code point at an offset. */
static inline size_t weir_width_at(weir_slice text, size_t offset)
{
    size_t width = 1;
    while (offset + width < text.size && weir_is_continuation(text.data[offset + width])) {
        width++;
    }
    return width;
}

static inline uint32_t weir_decode_at(weir_slice text, size_t offset, size_t *width)
{
    *width = weir_width_at(text, offset);
    uint8_t first = text.data[offset];
    uint32_t code = *width == 1 ? first : first & (0xFFu >> (*width + 1));
    for (size_t i = 1; i < *width; i++) {
        code = (code << 6) | (text.data[offset + i] & 0x3Fu);
    }
    return code;
}

void weir_append_code_point(weir_buffer *out, uint32_t code);

/* Code points `first` .. `first + count - 1`, as far as they exist. */
static inline weir_slice weir_code_points(weir_slice text, int64_t first, int64_t count)
{
    size_t from = weir_utf8_prefix(text, (size_t)first);
    weir_slice rest = weir_slice_of(text.data + from, text.size - from);
    return weir_slice_of(rest.data, weir_utf8_prefix(rest, (size_t)count));
}

#endif
