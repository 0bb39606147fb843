/* Text on a terminal: widths, cutting, padding. */
#include "base/display.h"

/* The code point at `at`; *size its bytes. What is no UTF-8 counts byte by byte, as INVALID. */
#define INVALID 0xffffffffu

static uint32_t decode(weir_slice text, size_t at, size_t *size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = text.data[at];
    size_t wanted = first < 0x80    ? 1
                    : first >= 0xf8 ? 0
                    : first >= 0xf0 ? 4
                    : first >= 0xe0 ? 3
                    : first >= 0xc0 ? 2
                                    : 0;
    *size = 1;
    if (wanted == 1) {
        return first;
    }
    if (wanted == 0 || at + wanted > text.size) {
        return INVALID;
    }
    uint32_t code = first & (0x7fu >> wanted);
    for (size_t i = 1; i < wanted; i++) {
        if ((text.data[at + i] & 0xc0) != 0x80) {
            return INVALID;
        }
        code = code << 6 | (text.data[at + i] & 0x3f);
    }
    if (code < least[wanted] || code > 0x10ffff) {
        return INVALID;
    }
    *size = wanted;
    return code;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool is_in(uint32_t code, const range *ranges, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code > ranges[middle].last) {
            low = middle + 1;
        } else if (code < ranges[middle].first) {
            high = middle;
        } else {
            return true;
        }
    }
    return false;
}

/* Ascending. Marks of the scripts that are written with them, joiners, variation selectors, skin tones. */
static const range combining[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2}, {0x05c4, 0x05c5},
    {0x05c7, 0x05c7},   {0x0610, 0x061a},   {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06dc}, {0x06df, 0x06e4},
    {0x06e7, 0x06e8},   {0x06ea, 0x06ed},   {0x0711, 0x0711}, {0x0730, 0x074a}, {0x07a6, 0x07b0}, {0x07eb, 0x07f3},
    {0x0900, 0x0902},   {0x093a, 0x093a},   {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0951, 0x0957},
    {0x0962, 0x0963},   {0x0981, 0x0981},   {0x09bc, 0x09bc}, {0x09c1, 0x09c4}, {0x09cd, 0x09cd}, {0x0a01, 0x0a02},
    {0x0a3c, 0x0a3c},   {0x0a41, 0x0a51},   {0x0a81, 0x0a82}, {0x0abc, 0x0abc}, {0x0ac1, 0x0ac8}, {0x0acd, 0x0acd},
    {0x0b3c, 0x0b3c},   {0x0b4d, 0x0b4d},   {0x0bcd, 0x0bcd}, {0x0c4d, 0x0c4d}, {0x0ccd, 0x0ccd}, {0x0d4d, 0x0d4d},
    {0x0e31, 0x0e31},   {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e}, {0x0eb1, 0x0eb1}, {0x0eb4, 0x0ebc}, {0x0ec8, 0x0ece},
    {0x0f71, 0x0f84},   {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2069},
    {0x20d0, 0x20f0},   {0x302a, 0x302d},   {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
    {0x1f3fb, 0x1f3ff}, {0xe0001, 0xe01ef},
};

/* Ascending. East Asian characters of full width, and emoji. */
static const range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567},
    {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5},
    {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb},
    {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

static int width_of(uint32_t code)
{
    if (code < 0x300 || code == INVALID) {
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

/* Controls, and what turns the direction of the text around it. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void weir_display_escape(weir_slice text, weir_buffer *out)
{
    for (size_t at = 0, size; at < text.size; at += size) {
        uint32_t code = decode(text, at, &size);
        if (code == INVALID) {
            weir_buffer_append_format(out, "\\x%02x", text.data[at]);
        } else if (!is_control(code)) {
            weir_buffer_append(out, text.data + at, size);
        } else if (code == '\n' || code == '\t' || code == '\r') {
            weir_buffer_append_text(out, code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r");
        } else {
            weir_buffer_append_format(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
        }
    }
}
