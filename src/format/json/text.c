/* The strings of JSON as text and as bytes. The tokenizer has checked the escapes. */
#include "format/json/text.h"

#include "base/json.h"

/* ---- escapes ---- */

static inline unsigned hex_value(uint8_t digit) { return (digit & 15u) + (digit > '9' ? 9u : 0u); }

static unsigned read_unit(const uint8_t *digits)
{
    return hex_value(digits[0]) << 12 | hex_value(digits[1]) << 8 | hex_value(digits[2]) << 4 | hex_value(digits[3]);
}

static uint8_t *write_code_point(unsigned code, uint8_t *out)
{
    if (code < 0x80) {
        *out++ = (uint8_t)code;
    } else if (code < 0x800) {
        *out++ = (uint8_t)(0xC0 | code >> 6);
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (uint8_t)(0xE0 | code >> 12);
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    } else {
        *out++ = (uint8_t)(0xF0 | code >> 18);
        *out++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (code & 0x3F));
    }
    return out;
}

/* Writes the \uXXXX whose digits are at `at`, with the second half of a surrogate pair after it; returns where the
 * text goes on. */
static const uint8_t *write_unit(const uint8_t *at, const uint8_t *end, uint8_t **out)
{
    unsigned code = read_unit(at);
    at += 4;
    if (code >= 0xD800 && code < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        unsigned low = read_unit(at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            *out = write_code_point(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), *out);
            return at + 6;
        }
    }
    *out = write_code_point(code >= 0xD800 && code < 0xE000 ? '?' : code, *out);
    return at;
}

static uint8_t short_escape(uint8_t letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return letter;
    }
}

size_t weir_json_text_write(const uint8_t *base, weir_json_span span, uint8_t *out)
{
    const uint8_t *at = base + span.offset;
    const uint8_t *end = at + span.size;
    if (!span.has_escapes) {
        memcpy(out, at, span.size);
        return span.size;
    }
    const uint8_t *start = out;
    while (at < end) {
        const uint8_t *backslash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((backslash == NULL ? end : backslash) - at);
        memcpy(out, at, plain);
        out += plain;
        at += plain;
        if (at == end) {
            break;
        }
        if (at[1] == 'u') {
            at = write_unit(at + 2, end, &out);
        } else {
            *out++ = short_escape(at[1]);
            at += 2;
        }
    }
    return (size_t)(out - start);
}

void weir_json_text_append(const uint8_t *base, weir_json_span span, weir_buffer *out)
{
    weir_buffer_reserve(out, span.size);
    if (span.size > 0) {
        out->size += weir_json_text_write(base, span, out->data + out->size);
    }
}

/* ---- values as text ---- */

static void compact_string(const uint8_t *base, weir_json_span span, weir_buffer *out)
{
    if (!span.has_escapes) {
        weir_json_write_string(weir_slice_of(base + span.offset, span.size), out);
        return;
    }
    weir_buffer text = {0};
    weir_json_text_append(base, span, &text);
    weir_json_write_string(weir_buffer_slice(&text), out);
    weir_buffer_free(&text);
}

static void compact_container(const uint8_t *base, weir_json_span span, weir_buffer *out)
{
    weir_json_cursor cursor = weir_json_cursor_of(base, span);
    char closing = span.token == WEIR_JSON_OBJECT ? '}' : ']';
    weir_buffer_append_byte(out, span.token == WEIR_JSON_OBJECT ? '{' : '[');
    bool first = true;
    for (bool more = weir_json_enter(&cursor, closing); more; more = weir_json_next(&cursor, closing)) {
        weir_json_span part;
        if (!first) {
            weir_buffer_append_byte(out, ',');
        }
        first = false;
        if (span.token == WEIR_JSON_OBJECT) {
            weir_json_take_name(&cursor, &part);
            compact_string(base, part, out);
            weir_buffer_append_byte(out, ':');
        }
        weir_json_take_value(&cursor, &part);
        weir_json_compact(base, part, out);
    }
    weir_buffer_append_byte(out, (uint8_t)closing);
}

void weir_json_compact(const uint8_t *base, weir_json_span span, weir_buffer *out)
{
    switch (span.token) {
    case WEIR_JSON_OBJECT:
    case WEIR_JSON_ARRAY:
        compact_container(base, span, out);
        break;
    case WEIR_JSON_STRING:
        compact_string(base, span, out);
        break;
    default:
        weir_buffer_append(out, base + span.offset, span.size);
    }
}

/* ---- base64 ---- */

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The value of a digit, or 64. */
static unsigned base64_value(uint8_t digit)
{
    if (digit >= 'A' && digit <= 'Z') {
        return digit - 'A';
    }
    if (digit >= 'a' && digit <= 'z') {
        return digit - 'a' + 26u;
    }
    if (digit >= '0' && digit <= '9') {
        return digit - '0' + 52u;
    }
    return digit == '+' ? 62 : digit == '/' ? 63 : 64;
}

bool weir_json_base64_decode(const uint8_t *text, size_t size, uint8_t *out, size_t *out_size)
{
    for (int padding = 0; padding < 2 && size > 0 && size % 4 == (size_t)(-padding & 3) && text[size - 1] == '=';
         padding++) {
        size--;
    }
    if (size % 4 == 1) {
        return false;
    }
    const uint8_t *start = out;
    unsigned bits = 0;
    int held = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned value = base64_value(text[i]);
        if (value == 64) {
            return false;
        }
        bits = bits << 6 | value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            *out++ = (uint8_t)(bits >> held);
        }
    }
    *out_size = (size_t)(out - start);
    return true;
}

void weir_json_base64_encode(weir_slice bytes, weir_buffer *out)
{
    for (size_t i = 0; i < bytes.size; i += 3) {
        size_t left = bytes.size - i;
        unsigned group = (unsigned)bytes.data[i] << 16 | (left > 1 ? (unsigned)bytes.data[i + 1] << 8 : 0) |
                         (left > 2 ? bytes.data[i + 2] : 0);
        char digits[4] = {base64_digits[group >> 18], base64_digits[group >> 12 & 63],
                          left > 1 ? base64_digits[group >> 6 & 63] : '=', left > 2 ? base64_digits[group & 63] : '='};
        weir_buffer_append(out, digits, 4);
    }
}
