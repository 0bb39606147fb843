/* Text as other text or bytes: Base64, hexadecimal digits, character sets, URLs' percent signs. */
#include <strings.h>

#include "base/text.h"
#include "format/json/text.h"
#include "sql/function/code_points.h"
#include "sql/function/kernels.h"
#include "vector/java_text.h"

/* --- Base64 and hexadecimal digits ----------------------------------------------------------------------------- */

static int to_base64(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_json_base64_encode(weir_kernel_text(call, 0, row), &call->scratch);
    return weir_kernel_put_scratch(call, row);
}

static int from_base64(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_buffer bytes = {0};
    size_t size = 0;
    weir_buffer_reserve(&bytes, text.size / 4 * 3 + 3);
    bool valid = weir_json_base64_decode(text.data, text.size, bytes.data, &size);
    if (valid) {
        weir_java_text_append(weir_slice_of(bytes.data, size), &call->scratch);
    }
    weir_buffer_free(&bytes);
    if (!valid) {
        return weir_fail(err, WEIR_INVALID, "FROM_BASE64 takes Base64, not '%.*s'", (int)weir_utf8_prefix(text, 60),
                         (const char *)text.data);
    }
    return weir_kernel_put_scratch(call, row);
}

static int hex_value(uint8_t digit)
{
    uint8_t lower = digit | 0x20;
    return digit >= '0' && digit <= '9' ? digit - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Digits in pairs; of an odd number the first stands alone. What is none makes NULL. */
static int unhex(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    int high = 0;
    for (size_t i = 0; i < text.size; i++) {
        int value = hex_value(text.data[i]);
        if (value < 0) {
            weir_buffer_clear(&call->scratch);
            return weir_kernel_put_null(call, row);
        }
        if ((text.size - i) % 2 == 1) {
            weir_buffer_append_byte(&call->scratch, (uint8_t)(high * 16 + value));
            high = 0;
        } else {
            high = value;
        }
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_to_base64 = {.name = "to_base64", .row = to_base64};
const weir_kernel weir_kernel_from_base64 = {.name = "from_base64", .row = from_base64};
const weir_kernel weir_kernel_unhex = {.name = "unhex", .row = unhex};

/* --- Character sets -------------------------------------------------------------------------------------------- */

typedef enum charset {
    CHARSET_ASCII,
    CHARSET_LATIN1,
    CHARSET_UTF8,
    CHARSET_UTF16, /* big-endian; a mark at the beginning is written, and read */
    CHARSET_UTF16BE,
    CHARSET_UTF16LE
} charset;

static int find_charset(weir_slice name, charset *out, weir_error *err)
{
    static const struct {
        const char *name;
        charset set;
    } names[] = {
        {"US-ASCII", CHARSET_ASCII},   {"ASCII", CHARSET_ASCII},      {"ISO-8859-1", CHARSET_LATIN1},
        {"ISO8859_1", CHARSET_LATIN1}, {"LATIN1", CHARSET_LATIN1},    {"UTF-8", CHARSET_UTF8},
        {"UTF8", CHARSET_UTF8},        {"UTF-16", CHARSET_UTF16},     {"UTF16", CHARSET_UTF16},
        {"UTF-16BE", CHARSET_UTF16BE}, {"UTF-16LE", CHARSET_UTF16LE},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (name.size == strlen(names[i].name) && strncasecmp((const char *)name.data, names[i].name, name.size) == 0) {
            *out = names[i].set;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_INVALID,
                     "'%.*s' is no character set here; there are US-ASCII, ISO-8859-1, UTF-8, UTF-16, UTF-16BE and "
                     "UTF-16LE",
                     (int)weir_utf8_prefix(name, 60), (const char *)name.data);
}

static void append_unit(weir_buffer *out, uint32_t unit, bool little_endian)
{
    weir_buffer_append_byte(out, (uint8_t)(little_endian ? unit : unit >> 8));
    weir_buffer_append_byte(out, (uint8_t)(little_endian ? unit >> 8 : unit));
}

static void encode_utf16(weir_buffer *out, uint32_t code, bool little_endian)
{
    if (code < 0x10000) {
        append_unit(out, code, little_endian);
    } else {
        append_unit(out, 0xD800 + ((code - 0x10000) >> 10), little_endian);
        append_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF), little_endian);
    }
}

static int encode(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice text = weir_kernel_text(call, 0, row);
    charset set;
    WEIR_TRY(find_charset(weir_kernel_text(call, 1, row), &set, err));
    if (set == CHARSET_UTF8) {
        return weir_kernel_put_text(call, row, text);
    }
    if (set == CHARSET_UTF16 && text.size > 0) {
        append_unit(&call->scratch, 0xFEFF, false);
    }
    size_t width;
    for (size_t i = 0; i < text.size; i += width) {
        uint32_t code = weir_decode_at(text, i, &width);
        if (set == CHARSET_ASCII || set == CHARSET_LATIN1) {
            uint32_t highest = set == CHARSET_ASCII ? 0x7F : 0xFF;
            weir_buffer_append_byte(&call->scratch, code <= highest ? (uint8_t)code : '?');
        } else {
            encode_utf16(&call->scratch, code, set == CHARSET_UTF16LE);
        }
    }
    return weir_kernel_put_scratch(call, row);
}

static void decode_utf16(weir_slice bytes, charset set, weir_buffer *out)
{
    bool little_endian = set == CHARSET_UTF16LE;
    size_t i = 0;
    if (set == CHARSET_UTF16 && bytes.size >= 2) {
        uint16_t mark = weir_load_be16(bytes.data);
        little_endian = mark == 0xFFFE;
        i = mark == 0xFEFF || mark == 0xFFFE ? 2 : 0;
    }
    uint32_t high = 0; /* a first half that waits for its second one */
    for (; i + 1 < bytes.size; i += 2) {
        uint32_t unit = little_endian ? weir_load_le16(bytes.data + i) : weir_load_be16(bytes.data + i);
        bool second = unit >= 0xDC00 && unit < 0xE000;
        if (high != 0) {
            weir_append_code_point(out, second ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD);
            bool used = second;
            high = 0;
            if (used) {
                continue;
            }
        }
        if (unit >= 0xD800 && unit < 0xDC00) {
            high = unit;
        } else {
            weir_append_code_point(out, second ? 0xFFFD : unit);
        }
    }
    if (high != 0 || i < bytes.size) {
        weir_append_code_point(out, 0xFFFD);
    }
}

static int decode(weir_kernel_call *call, int64_t row, weir_error *err)
{
    weir_slice bytes = weir_kernel_text(call, 0, row);
    charset set;
    WEIR_TRY(find_charset(weir_kernel_text(call, 1, row), &set, err));
    if (set == CHARSET_UTF8) {
        weir_java_text_append(bytes, &call->scratch);
    } else if (set == CHARSET_ASCII || set == CHARSET_LATIN1) {
        for (size_t i = 0; i < bytes.size; i++) {
            bool foreign = set == CHARSET_ASCII && bytes.data[i] > 0x7F;
            weir_append_code_point(&call->scratch, foreign ? 0xFFFD : bytes.data[i]);
        }
    } else {
        decode_utf16(bytes, set, &call->scratch);
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_encode = {.name = "encode", .row = encode};
const weir_kernel weir_kernel_decode = {.name = "decode", .row = decode};

/* --- URLs ------------------------------------------------------------------------------------------------------ */

/* As forms are sent: a blank is +, letters, digits and .-*_ stay. */
static int url_encode(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        uint8_t lower = c | 0x20;
        bool plain =
            (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '.' || c == '-' || c == '*' || c == '_';
        if (plain || c == ' ') {
            weir_buffer_append_byte(&call->scratch, plain ? c : '+');
        } else {
            weir_buffer_append_format(&call->scratch, "%%%02X", c);
        }
    }
    return weir_kernel_put_scratch(call, row);
}

/* NULL when a percent sign has no two digits after it. */
static int url_decode(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_buffer bytes = {0};
    bool valid = true;
    for (size_t i = 0; i < text.size && valid; i++) {
        uint8_t c = text.data[i];
        if (c == '%') {
            valid = i + 2 < text.size && hex_value(text.data[i + 1]) >= 0 && hex_value(text.data[i + 2]) >= 0;
            c = valid ? (uint8_t)(hex_value(text.data[i + 1]) * 16 + hex_value(text.data[i + 2])) : c;
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        weir_buffer_append_byte(&bytes, c);
    }
    if (valid) {
        weir_java_text_append(weir_buffer_slice(&bytes), &call->scratch);
    }
    weir_buffer_free(&bytes);
    return valid ? weir_kernel_put_scratch(call, row) : weir_kernel_put_null(call, row);
}

const weir_kernel weir_kernel_url_encode = {.name = "url_encode", .row = url_encode};
const weir_kernel weir_kernel_url_decode = {.name = "url_decode", .row = url_decode};
