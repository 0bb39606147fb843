/* Text on a terminal: widths, cutting, padding. */
#include "cli/display.h"

/* The code point at `at`; *size its bytes. What is no UTF-8 counts byte by byte. */
static uint32_t decode(weir_slice text, size_t at, size_t *size)
{
    uint8_t first = text.data[at];
    size_t wanted = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    if (wanted == 1 || at + wanted > text.size) {
        *size = 1;
        return first;
    }
    uint32_t code = first & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; i++) {
        code = code << 6 | (text.data[at + i] & 0x3f);
    }
    *size = wanted;
    return code;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool is_in(uint32_t code, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

static int width_of(uint32_t code)
{
    static const range combining[] = {{0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const range wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
    };
    if (code < 0x300) {
        return 1;
    }
    if (is_in(code, combining, sizeof combining / sizeof *combining)) {
        return 0;
    }
    return is_in(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

int weir_display_width(weir_slice text)
{
    int width = 0;
    for (size_t at = 0, size; at < text.size; at += size) {
        width += width_of(decode(text, at, &size));
    }
    return width;
}

/* Bytes of the longest beginning that is at most `width` wide; *out_width how wide that is. */
static size_t fitting_prefix(weir_slice text, int width, int *out_width)
{
    size_t at = 0;
    *out_width = 0;
    while (at < text.size) {
        size_t size;
        int more = width_of(decode(text, at, &size));
        if (*out_width + more > width) {
            break;
        }
        *out_width += more;
        at += size;
    }
    return at;
}

void weir_display_pad(weir_slice text, int width, bool align_right, weir_buffer *out)
{
    int actual = 0;
    size_t size = fitting_prefix(text, width, &actual);
    bool is_cut = size < text.size;
    if (is_cut) {
        size = fitting_prefix(text, width - 1, &actual);
        actual++;
    }
    if (align_right) {
        weir_buffer_append_format(out, "%*s", width - actual, "");
    }
    weir_buffer_append(out, text.data, size);
    weir_buffer_append_text(out, is_cut ? "…" : "");
    if (!align_right) {
        weir_buffer_append_format(out, "%*s", width - actual, "");
    }
}

void weir_display_escape(weir_slice text, weir_buffer *out)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c == '\n') {
            weir_buffer_append_text(out, "\\n");
        } else if (c == '\t') {
            weir_buffer_append_text(out, "\\t");
        } else if (c == '\r') {
            weir_buffer_append_text(out, "\\r");
        } else if (c < 0x20 || c == 0x7f) {
            weir_buffer_append_format(out, "\\x%02x", c);
        } else {
            weir_buffer_append_byte(out, c);
        }
    }
}
