/* Casts to CHAR, VARCHAR, BINARY and VARBINARY.
 *
 * Values read as weir_value_to_text gives them, with Paimon's own notation where schema evolution differs from SQL:
 * true and false in lower case, TIME without the last zeros of its fraction, ROW and MAP in braces. CHAR(n) is padded
 * with blanks and BINARY(n) with zeros; what is longer than its type is cut. */
#include "base/text.h"
#include "vector/cast_rules.h"

static void append_time(const weir_vector *from, int64_t row, weir_buffer *out)
{
    int32_t millis = WEIR_VALUES(from, int32_t)[row];
    weir_buffer_append_format(out, "%02d:%02d:%02d", millis / 3600000, millis / 60000 % 60, millis / 1000 % 60);
    if (from->type->precision <= 0) {
        return;
    }
    weir_buffer_append_byte(out, '.');
    int32_t rest = millis % 1000;
    for (int32_t digit = 0; digit < from->type->precision; digit++) {
        weir_buffer_append_byte(out, (uint8_t)('0' + rest / 100));
        rest = rest % 100 * 10;
        if (rest == 0) {
            break;
        }
    }
}

static void append_value(const weir_vector *from, int64_t row, weir_buffer *out);

static void append_array(const weir_vector *from, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    for (int32_t i = from->offsets[row]; i < from->offsets[row + 1]; i++) {
        weir_buffer_append_text(out, i == from->offsets[row] ? "" : ", ");
        append_value(&from->children[0], i, out);
    }
    weir_buffer_append_byte(out, ']');
}

static void append_map(const weir_vector *from, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '{');
    for (int32_t i = from->offsets[row]; i < from->offsets[row + 1]; i++) {
        weir_buffer_append_text(out, i == from->offsets[row] ? "" : ", ");
        append_value(&from->children[0], i, out);
        weir_buffer_append_text(out, " -> ");
        append_value(&from->children[1], i, out);
    }
    weir_buffer_append_byte(out, '}');
}

static void append_row(const weir_vector *from, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '{');
    for (int32_t i = 0; i < from->child_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        append_value(&from->children[i], row, out);
    }
    weir_buffer_append_byte(out, '}');
}

static void append_value(const weir_vector *from, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(from, row)) {
        weir_buffer_append_text(out, "null");
        return;
    }
    switch (from->type->id) {
    case WEIR_BOOLEAN:
        weir_buffer_append_text(out, weir_bit_get(from->data, row) ? "true" : "false");
        break;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY: {
        weir_slice bytes = weir_vector_bytes(from, row);
        weir_buffer_append(out, bytes.data, bytes.size);
        break;
    }
    case WEIR_TIME:
        append_time(from, row, out);
        break;
    case WEIR_ARRAY:
        append_array(from, row, out);
        break;
    case WEIR_MAP:
        append_map(from, row, out);
        break;
    case WEIR_ROW:
        append_row(from, row, out);
        break;
    default:
        weir_value_to_text(from, row, out);
        break;
    }
}

/* Cuts or pads text to the length, in characters, of its type. */
static void fit_text(const weir_type *type, weir_buffer *text)
{
    size_t length = (size_t)type->precision;
    if (type->id == WEIR_VARCHAR && text->size <= length) {
        return; /* no character is shorter than a byte */
    }
    size_t characters = weir_utf8_length(weir_buffer_slice(text));
    if (characters > length) {
        text->size = weir_utf8_prefix(weir_buffer_slice(text), length);
        return;
    }
    for (; type->id == WEIR_CHAR && characters < length; characters++) {
        weir_buffer_append_byte(text, ' ');
    }
}

static void fit_bytes(const weir_type *type, weir_buffer *bytes)
{
    size_t length = (size_t)type->precision;
    if (bytes->size > length) {
        bytes->size = length;
    } else if (type->id == WEIR_BINARY) {
        weir_buffer_append_zeros(bytes, length - bytes->size);
    }
}

/* Whether every value of `from` is one of `to` as it is. */
static bool fits_always(const weir_type *from, const weir_type *to)
{
    bool text_to_text = weir_type_is_text(from) && weir_type_is_text(to);
    bool bytes_to_bytes = weir_type_is_bytes(from) && weir_type_is_bytes(to);
    bool to_longer = (text_to_text || bytes_to_bytes) && to->precision >= from->precision;
    bool unlimited = weir_type_is_text(from) || weir_type_is_bytes(from) ? to->precision == WEIR_MAX_LENGTH : false;
    return to->id != WEIR_CHAR && to->id != WEIR_BINARY && (to_longer || unlimited);
}

static int cast_values(const weir_vector *from, weir_vector *out, void (*fit)(const weir_type *, weir_buffer *),
                       weir_error *err)
{
    if (fits_always(from->type, out->type)) {
        return weir_vector_append_range(out, from, 0, from->length, err);
    }
    weir_buffer text = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < from->length; i++) {
        if (weir_vector_is_null(from, i)) {
            WEIR_GO(weir_vector_append_nulls(out, 1, err));
            continue;
        }
        weir_buffer_clear(&text);
        append_value(from, i, &text);
        if (fit != NULL) {
            fit(out->type, &text);
        }
        WEIR_GO(weir_vector_append_raw(out, text.data, text.size, err));
    }
done:
    weir_buffer_free(&text);
    return code;
}

int weir_cast_to_text(const weir_vector *from, weir_vector *out, weir_error *err)
{
    /* Bytes become text as they are, whatever its length, and so do arrays, maps and rows. */
    bool as_is = weir_type_is_bytes(from->type) || weir_type_is_nested(from->type);
    return cast_values(from, out, as_is ? NULL : fit_text, err);
}

int weir_cast_to_bytes(const weir_vector *from, weir_vector *out, weir_error *err)
{
    return cast_values(from, out, fit_bytes, err);
}
