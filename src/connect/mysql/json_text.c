/* | type: 1 | value |. Objects and arrays, small ones with offsets of 2 bytes, large ones of 4, all from their start:
 *
 *   | elements | size in bytes | of each key: offset, length: 2 | of each value: type: 1, offset or the value itself |
 *   | keys | values |
 */
#include "connect/mysql/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "connect/mysql/value.h"
#include "vector/decimal.h"

#define MOST_DEPTH 101

enum {
    SMALL_OBJECT = 0,
    LARGE_OBJECT = 1,
    SMALL_ARRAY = 2,
    LARGE_ARRAY = 3,
    LITERAL = 4,
    INT16 = 5,
    UINT16 = 6,
    INT32 = 7,
    UINT32 = 8,
    INT64 = 9,
    UINT64 = 10,
    DOUBLE = 11,
    STRING = 12,
    OPAQUE = 15
};

/* Damaged offsets may name one value many times: a document has at most as many values as bytes, and its text is at
 * most so many times as long. */
#define MOST_GROWTH 16

typedef struct json_writer {
    weir_buffer *out;
    size_t values_left;
    size_t most_size;
    const char *comma;
    const char *colon;
} json_writer;

static bool write_value(json_writer *writer, uint8_t type, weir_slice value, int depth);

static weir_slice slice_from(weir_slice bytes, size_t offset)
{
    return offset > bytes.size ? (weir_slice){0} : weir_slice_of(bytes.data + offset, bytes.size - offset);
}

/* ---- scalars ---- */

static void write_string(json_writer *writer, weir_slice text)
{
    static const char *const short_forms[32] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};
    weir_buffer_append_byte(writer->out, '"');
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte == '"' || byte == '\\') {
            weir_buffer_append_byte(writer->out, '\\');
            weir_buffer_append_byte(writer->out, byte);
        } else if (byte >= 32) {
            weir_buffer_append_byte(writer->out, byte);
        } else if (short_forms[byte] != NULL) {
            weir_buffer_append_text(writer->out, short_forms[byte]);
        } else {
            weir_buffer_append_format(writer->out, "\\u%04x", byte);
        }
    }
    weir_buffer_append_byte(writer->out, '"');
}

void weir_mysql_real_format(double number, weir_buffer *out)
{
    char text[40];
    int size = 0;
    for (int digits = 15; digits <= 17; digits++) {
        size = snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    for (int i = 0; i < size; i++) {
        if (text[i] != '+') {
            weir_buffer_append_byte(out, (uint8_t)text[i]);
        }
    }
}

static bool write_double(json_writer *writer, weir_byte_reader *reader)
{
    uint64_t bits = weir_take_u64(reader);
    double number;
    memcpy(&number, &bits, sizeof number);
    if (reader->failed || !isfinite(number)) {
        return false;
    }
    size_t start = writer->out->size;
    weir_mysql_real_format(number, writer->out);
    bool is_whole = true;
    for (size_t i = start; i < writer->out->size; i++) {
        is_whole = is_whole && writer->out->data[i] != '.' && writer->out->data[i] != 'e';
    }
    weir_buffer_append_text(writer->out, is_whole ? ".0" : "");
    return true;
}

/* Seven bits a byte, the lowest first; the highest bit says that another byte follows. */
static weir_slice take_string(weir_byte_reader *reader)
{
    uint64_t size = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        uint8_t byte = weir_take_u8(reader);
        size |= (uint64_t)(byte & 127) << shift;
        if ((byte & 128) == 0) {
            return weir_take_bytes(reader, (size_t)size);
        }
    }
    weir_byte_reader_fail(reader);
    return (weir_slice){0};
}

/* | sign | year * 13 + month: 17 bits | day: 5 | hour: 5, or of TIME 10 | minute: 6 | second: 6 | micros: 24 | */
static bool write_time(json_writer *writer, uint8_t type, weir_slice value)
{
    if (value.size != 8) {
        return false;
    }
    int64_t packed = (int64_t)weir_load_le64(value.data);
    uint64_t size = packed < 0 ? -(uint64_t)packed : (uint64_t)packed;
    uint64_t whole = size >> 24;
    unsigned micros = (unsigned)(size & 0xFFFFFF) % 1000000;
    unsigned minute = whole >> 6 & 63, second = whole & 63;
    if (type == WEIR_BINLOG_TIME) {
        weir_buffer_append_format(writer->out, "\"%s%02u:%02u:%02u.%06u\"", packed < 0 ? "-" : "",
                                  (unsigned)(whole >> 12 & 1023), minute, second, micros);
        return true;
    }
    unsigned month = whole >> 22 & 0x1FFFF, day = whole >> 17 & 31, hour = whole >> 12 & 31;
    weir_buffer_append_format(writer->out, "\"%04u-%02u-%02u", month / 13, month % 13, day);
    if (type != WEIR_BINLOG_DATE) {
        weir_buffer_append_format(writer->out, " %02u:%02u:%02u.%06u", hour, minute, second, micros);
    }
    weir_buffer_append_byte(writer->out, '"');
    return true;
}

static bool write_decimal(json_writer *writer, weir_slice value)
{
    weir_int128 number;
    weir_byte_reader reader = weir_byte_reader_of(value);
    int precision = weir_take_u8(&reader);
    int scale = weir_take_u8(&reader);
    if (!weir_take_decimal(&reader, precision, scale, &number)) {
        return false;
    }
    weir_decimal_format(number, scale, writer->out);
    return true;
}

void weir_mysql_base64_append(weir_slice bytes, weir_buffer *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint32_t three = (uint32_t)bytes.data[i] << 16;
        three |= i + 1 < bytes.size ? (uint32_t)bytes.data[i + 1] << 8 : 0;
        three |= i + 2 < bytes.size ? bytes.data[i + 2] : 0;
        weir_buffer_append_byte(out, (uint8_t)digits[three >> 18]);
        weir_buffer_append_byte(out, (uint8_t)digits[three >> 12 & 63]);
        weir_buffer_append_byte(out, (uint8_t)(i + 1 < bytes.size ? digits[three >> 6 & 63] : '='));
        weir_buffer_append_byte(out, (uint8_t)(i + 2 < bytes.size ? digits[three & 63] : '='));
    }
}

static void write_base64(json_writer *writer, uint8_t type, weir_slice value)
{
    weir_buffer_append_format(writer->out, "\"base64:type%u:", type);
    weir_mysql_base64_append(value, writer->out);
    weir_buffer_append_byte(writer->out, '"');
}

/* A value of another type of the server, such as a DECIMAL. */
static bool write_opaque(json_writer *writer, weir_byte_reader *reader)
{
    uint8_t type = weir_take_u8(reader);
    weir_slice value = take_string(reader);
    if (reader->failed) {
        return false;
    }
    switch (type) {
    case WEIR_BINLOG_DECIMAL:
        return write_decimal(writer, value);
    case WEIR_BINLOG_DATE:
    case WEIR_BINLOG_TIME:
    case WEIR_BINLOG_DATETIME:
    case WEIR_BINLOG_TIMESTAMP:
        return write_time(writer, type, value);
    default:
        write_base64(writer, type, value);
        return true;
    }
}

static bool write_literal(json_writer *writer, uint64_t number)
{
    static const char *const names[] = {"null", "true", "false"};
    if (number > 2) {
        return false;
    }
    weir_buffer_append_text(writer->out, names[number]);
    return true;
}

static bool write_scalar(json_writer *writer, uint8_t type, weir_slice value)
{
    static const uint8_t sizes[] = {[INT16] = 2, [UINT16] = 2, [INT32] = 4, [UINT32] = 4, [INT64] = 8, [UINT64] = 8};
    weir_byte_reader reader = weir_byte_reader_of(value);
    switch (type) {
    case LITERAL:
        return write_literal(writer, weir_take_u8(&reader)) && !reader.failed;
    case INT16:
    case INT32:
    case INT64: {
        int unused = 64 - sizes[type] * 8;
        int64_t number = (int64_t)(weir_take_number(&reader, sizes[type]) << unused) >> unused;
        weir_buffer_append_format(writer->out, "%" PRId64, number);
        return !reader.failed;
    }
    case UINT16:
    case UINT32:
    case UINT64:
        weir_buffer_append_format(writer->out, "%" PRIu64, weir_take_number(&reader, sizes[type]));
        return !reader.failed;
    case DOUBLE:
        return write_double(writer, &reader);
    case STRING: {
        weir_slice text = take_string(&reader);
        write_string(writer, text);
        return !reader.failed;
    }
    case OPAQUE:
        return write_opaque(writer, &reader);
    default:
        return false;
    }
}

/* ---- objects and arrays ---- */

static bool is_inline(uint8_t type, bool is_large)
{
    return type == LITERAL || type == INT16 || type == UINT16 || (is_large && (type == INT32 || type == UINT32));
}

static bool write_container(json_writer *writer, uint8_t type, weir_slice bytes, int depth)
{
    bool is_object = type <= LARGE_OBJECT;
    bool is_large = type == LARGE_OBJECT || type == LARGE_ARRAY;
    size_t width = is_large ? 4 : 2;
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    uint64_t count = weir_take_number(&reader, width);
    uint64_t size = weir_take_number(&reader, width);
    if (reader.failed || size > bytes.size || size < width * 2) {
        return false;
    }
    bytes.size = (size_t)size;
    weir_byte_reader keys = weir_byte_reader_of(slice_from(bytes, width * 2));
    weir_byte_reader values = keys;
    if (is_object) {
        if (count > values.left.size / (width + 2)) {
            return false;
        }
        weir_take_bytes(&values, (size_t)count * (width + 2));
    }
    weir_buffer_append_byte(writer->out, is_object ? '{' : '[');
    for (uint64_t i = 0; i < count; i++) {
        weir_buffer_append_text(writer->out, i == 0 ? "" : writer->comma);
        if (is_object) {
            weir_byte_reader key = weir_byte_reader_of(slice_from(bytes, (size_t)weir_take_number(&keys, width)));
            write_string(writer, weir_take_bytes(&key, (size_t)weir_take_number(&keys, 2)));
            weir_buffer_append_text(writer->out, writer->colon);
            if (key.failed || keys.failed) {
                return false;
            }
        }
        uint8_t value_type = weir_take_u8(&values);
        weir_slice place = weir_take_bytes(&values, width);
        if (values.failed) {
            return false;
        }
        weir_byte_reader offset = weir_byte_reader_of(place);
        weir_slice value =
            is_inline(value_type, is_large) ? place : slice_from(bytes, (size_t)weir_take_number(&offset, width));
        if (!write_value(writer, value_type, value, depth + 1)) {
            return false;
        }
    }
    weir_buffer_append_byte(writer->out, is_object ? '}' : ']');
    return true;
}

static bool write_value(json_writer *writer, uint8_t type, weir_slice value, int depth)
{
    if (writer->values_left-- == 0 || writer->out->size > writer->most_size) {
        return false;
    }
    if (type > LARGE_ARRAY) {
        return write_scalar(writer, type, value);
    }
    return depth < MOST_DEPTH && write_container(writer, type, value, depth);
}

int weir_mysql_json_format(weir_slice document, bool has_blanks, weir_buffer *out, weir_error *err)
{
    json_writer writer = {.out = out,
                          .values_left = document.size,
                          .most_size = out->size + document.size * MOST_GROWTH,
                          .comma = has_blanks ? ", " : ",",
                          .colon = has_blanks ? ": " : ":"};
    if (document.size == 0) {
        weir_buffer_append_text(out, "null");
        return WEIR_OK;
    }
    if (!write_value(&writer, document.data[0], slice_from(document, 1), 0)) {
        return weir_fail(err, WEIR_CORRUPT, "a JSON document of %zu bytes is damaged", document.size);
    }
    return WEIR_OK;
}

void weir_mysql_json_compact(weir_slice text, weir_buffer *out)
{
    bool in_string = false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (in_string && byte == '\\' && i + 1 < text.size) {
            weir_buffer_append_byte(out, byte);
            byte = text.data[++i];
        } else if (byte == '"') {
            in_string = !in_string;
        }
        if (in_string || byte != ' ') {
            weir_buffer_append_byte(out, byte);
        }
    }
}
