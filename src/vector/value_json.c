/* Values as JSON, byte by byte as the Java tool prints them beside which this is tested: what is read back by
 * value_from_json.c. */
#include <stdlib.h>

#include "base/text.h"
#include "vector/decimal.h"
#include "vector/java_text.h"
#include "vector/literal.h"
#include "vector/time_text.h"
#include "vector/variant.h"

static void append_escape(uint8_t byte, weir_buffer *out)
{
    switch (byte) {
    case '"':
        weir_buffer_append_text(out, "\\\"");
        break;
    case '\\':
        weir_buffer_append_text(out, "\\\\");
        break;
    case '\n':
        weir_buffer_append_text(out, "\\n");
        break;
    case '\r':
        weir_buffer_append_text(out, "\\r");
        break;
    case '\t':
        weir_buffer_append_text(out, "\\t");
        break;
    default:
        weir_buffer_append_format(out, "\\u%04x", byte);
    }
}

static void append_valid_text(weir_slice text, weir_buffer *out)
{
    weir_buffer_append_byte(out, '"');
    size_t plain = 0; /* where the run of bytes that need no escape began */
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte < 32 || byte == '"' || byte == '\\' || byte == 127) {
            weir_buffer_append(out, text.data + plain, i - plain);
            append_escape(byte, out);
            plain = i + 1;
        }
    }
    if (plain < text.size) {
        weir_buffer_append(out, text.data + plain, text.size - plain);
    }
    weir_buffer_append_byte(out, '"');
}

static void append_text(weir_slice text, weir_buffer *out)
{
    if (weir_utf8_valid(text)) {
        append_valid_text(text, out);
        return;
    }
    weir_buffer valid = {0};
    weir_java_text_append(text, &valid);
    append_valid_text(weir_buffer_slice(&valid), out);
    weir_buffer_free(&valid);
}

static void append_hex(weir_slice bytes, weir_buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    weir_buffer_reserve(out, bytes.size * 2 + 2);
    uint8_t *next = out->data + out->size;
    *next++ = '"';
    for (size_t i = 0; i < bytes.size; i++) {
        *next++ = (uint8_t)digits[bytes.data[i] >> 4];
        *next++ = (uint8_t)digits[bytes.data[i] & 15];
    }
    *next = '"';
    out->size += bytes.size * 2 + 2;
}

/* NaN and the infinities are strings, for JSON has no numbers for them. */
static void append_float(const weir_type *type, const weir_literal *literal, weir_buffer *out)
{
    double value = type->id == WEIR_FLOAT ? literal->float32 : literal->float64;
    const char *quote = value - value == 0 ? "" : "\"";
    weir_buffer_append_text(out, quote);
    weir_literal_to_text(type, literal, out);
    weir_buffer_append_text(out, quote);
}

static void append_scalar(const weir_type *type, const weir_literal *literal, weir_buffer *out)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        weir_buffer_append_text(out, literal->boolean ? "true" : "false");
        break;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        append_float(type, literal, out);
        break;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        append_text(literal->bytes, out);
        break;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        append_hex(literal->bytes, out);
        break;
    case WEIR_TIME:
        weir_buffer_append_byte(out, '"');
        weir_time_format((int32_t)literal->integer, 3, out);
        weir_buffer_append_byte(out, '"');
        break;
    case WEIR_DECIMAL:
    case WEIR_DATE:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        weir_buffer_append_byte(out, '"');
        weir_literal_to_text(type, literal, out);
        weir_buffer_append_text(out, type->id == WEIR_TIMESTAMP_LTZ ? "Z\"" : "\"");
        break;
    default:
        weir_literal_to_text(type, literal, out);
    }
}

static void append_array(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        if (i > vector->offsets[row]) {
            weir_buffer_append_byte(out, ',');
        }
        weir_value_to_json(&vector->children[0], i, out);
    }
    weir_buffer_append_byte(out, ']');
}

static int compare_entries(const void *a, const void *b)
{
    return weir_java_text_compare(*(const weir_slice *)a, *(const weir_slice *)b);
}

/* All entries' texts are written one after the other into scratch memory, then brought into order. */
static void append_map(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    int32_t first = vector->offsets[row];
    int32_t count = vector->offsets[row + 1] - first;
    weir_buffer texts = {0};
    weir_slice *entries = weir_alloc((size_t)count * sizeof *entries);
    for (int32_t i = 0; i < count; i++) {
        size_t begin = texts.size;
        weir_buffer_append_byte(&texts, '[');
        weir_value_to_json(&vector->children[0], first + i, &texts);
        weir_buffer_append_byte(&texts, ',');
        weir_value_to_json(&vector->children[1], first + i, &texts);
        weir_buffer_append_byte(&texts, ']');
        entries[i].size = texts.size - begin;
    }
    const uint8_t *next = texts.data;
    for (int32_t i = 0; i < count; i++) {
        entries[i].data = next;
        next += entries[i].size;
    }
    if (count > 1) {
        qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    }
    weir_buffer_append_byte(out, '[');
    for (int32_t i = 0; i < count; i++) {
        if (i > 0) {
            weir_buffer_append_byte(out, ',');
        }
        weir_buffer_append(out, entries[i].data, entries[i].size);
    }
    weir_buffer_append_byte(out, ']');
    free(entries);
    weir_buffer_free(&texts);
}

static void append_row(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    for (int32_t i = 0; i < vector->child_count; i++) {
        if (i > 0) {
            weir_buffer_append_byte(out, ',');
        }
        weir_value_to_json(&vector->children[i], row, out);
    }
    weir_buffer_append_byte(out, ']');
}

/* A damaged variant has no JSON: null stands for it, beside its bytes. */
static void append_variant(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_slice value = weir_vector_bytes(&vector->children[0], row);
    weir_slice metadata = weir_vector_bytes(&vector->children[1], row);
    weir_buffer json = {0};
    weir_buffer_append_text(out, "{\"json\":");
    if (weir_variant_to_json(value, metadata, &json, NULL) == WEIR_OK) {
        append_text(weir_buffer_slice(&json), out);
    } else {
        weir_buffer_append_text(out, "null");
    }
    weir_buffer_append_text(out, ",\"value\":");
    append_hex(value, out);
    weir_buffer_append_text(out, ",\"metadata\":");
    append_hex(metadata, out);
    weir_buffer_append_byte(out, '}');
    weir_buffer_free(&json);
}

void weir_value_to_json(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(vector, row)) {
        weir_buffer_append_text(out, "null");
        return;
    }
    switch (vector->type->id) {
    case WEIR_ARRAY:
        append_array(vector, row, out);
        break;
    case WEIR_MAP:
    case WEIR_MULTISET:
        append_map(vector, row, out);
        break;
    case WEIR_ROW:
        append_row(vector, row, out);
        break;
    case WEIR_VARIANT:
        append_variant(vector, row, out);
        break;
    default: {
        weir_literal literal = weir_literal_of(vector, row);
        append_scalar(vector->type, &literal, out);
    }
    }
}
