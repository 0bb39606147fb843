/* Literals: taken from vectors, appended to them, copied, and read from text. */
#include "vector/literal.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "vector/decimal.h"
#include "vector/time_text.h"

weir_literal weir_literal_of(const weir_vector *vector, int64_t row)
{
    weir_literal literal = {.is_null = weir_vector_is_null(vector, row)};
    if (literal.is_null) {
        return literal;
    }
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        literal.boolean = weir_bit_get(vector->data, row);
        break;
    case WEIR_LAYOUT_8:
        literal.integer = WEIR_VALUES(vector, const int8_t)[row];
        break;
    case WEIR_LAYOUT_16:
        literal.integer = WEIR_VALUES(vector, const int16_t)[row];
        break;
    case WEIR_LAYOUT_32:
        if (vector->type->id == WEIR_FLOAT) {
            literal.float32 = WEIR_VALUES(vector, const float)[row];
        } else {
            literal.integer = WEIR_VALUES(vector, const int32_t)[row];
        }
        break;
    case WEIR_LAYOUT_64:
        if (vector->type->id == WEIR_DOUBLE) {
            literal.float64 = WEIR_VALUES(vector, const double)[row];
        } else {
            literal.integer = WEIR_VALUES(vector, const int64_t)[row];
        }
        break;
    case WEIR_LAYOUT_128:
        if (vector->type->id == WEIR_DECIMAL) {
            literal.decimal = WEIR_VALUES(vector, const weir_int128)[row];
        } else {
            literal.nanos = WEIR_VALUES(vector, const weir_timestamp_nanos)[row];
        }
        break;
    case WEIR_LAYOUT_BYTES:
        literal.bytes = weir_vector_bytes(vector, row);
        break;
    default:
        literal.is_null = true;
    }
    return literal;
}

int weir_vector_append_literal(weir_vector *vector, const weir_literal *literal, weir_error *err)
{
    if (literal->is_null) {
        return weir_vector_append_nulls(vector, 1, err);
    }
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT: {
        uint8_t value = literal->boolean;
        return weir_vector_append_raw(vector, &value, sizeof value, err);
    }
    case WEIR_LAYOUT_8: {
        int8_t value = (int8_t)literal->integer;
        return weir_vector_append_raw(vector, &value, sizeof value, err);
    }
    case WEIR_LAYOUT_16: {
        int16_t value = (int16_t)literal->integer;
        return weir_vector_append_raw(vector, &value, sizeof value, err);
    }
    case WEIR_LAYOUT_32: {
        if (vector->type->id == WEIR_FLOAT) {
            return weir_vector_append_raw(vector, &literal->float32, sizeof literal->float32, err);
        }
        int32_t value = (int32_t)literal->integer;
        return weir_vector_append_raw(vector, &value, sizeof value, err);
    }
    case WEIR_LAYOUT_64: /* a DOUBLE lies where an integer does */
        return weir_vector_append_raw(vector, &literal->integer, sizeof literal->integer, err);
    case WEIR_LAYOUT_128: /* as do these two */
        return weir_vector_append_raw(vector, &literal->decimal, sizeof literal->decimal, err);
    case WEIR_LAYOUT_BYTES:
        return weir_vector_append_raw(vector, literal->bytes.data, literal->bytes.size, err);
    default:
        return weir_fail(err, WEIR_INVALID, "a nested vector takes no literals but NULL");
    }
}

weir_literal weir_literal_copy(weir_arena *arena, const weir_type *type, const weir_literal *literal)
{
    weir_literal copy = *literal;
    if (!literal->is_null && weir_layout_of(type) == WEIR_LAYOUT_BYTES) {
        copy.bytes.data = weir_arena_copy(arena, literal->bytes.data, literal->bytes.size);
    }
    return copy;
}

/* ---- from text ---- */

static bool is_blank(uint8_t c) { return c <= ' '; }

static weir_slice trim(weir_slice text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text = weir_slice_of(text.data + 1, text.size - 1);
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

static bool is_word(weir_slice text, const char *word)
{
    return text.size == strlen(word) && strncasecmp((const char *)text.data, word, text.size) == 0;
}

static bool parse_boolean(weir_slice text, bool *out)
{
    static const char *const words[] = {"f", "t", "false", "true", "n", "y", "no", "yes", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_word(text, words[i])) {
            *out = i % 2 == 1;
            return true;
        }
    }
    return false;
}

/* A whole number; a fraction is cut off, as CAST does. */
static bool parse_integer(weir_slice text, int bits, int64_t *out)
{
    size_t at = 0;
    bool negative = text.size > 0 && text.data[0] == '-';
    at += negative || (text.size > 0 && text.data[0] == '+');
    if (at == text.size) {
        return false;
    }
    int64_t value = 0; /* gathered below zero, where there is one number more */
    for (; at < text.size && text.data[at] != '.'; at++) {
        unsigned digit = (unsigned)text.data[at] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, (int64_t)digit, &value)) {
            return false;
        }
    }
    for (at++; at < text.size; at++) {
        if (text.data[at] < '0' || text.data[at] > '9') {
            return false;
        }
    }
    int64_t least = INT64_MIN >> (64 - bits);
    if (value < least || (!negative && value < -(INT64_MAX >> (64 - bits)))) {
        return false;
    }
    *out = negative ? value : -value;
    return true;
}

/* Java's parseDouble and parseFloat, but for hexadecimal numbers: strtod and strtof take more than those do, so that
 * the characters are looked at first. */
static bool parse_float(weir_slice text, weir_arena *arena, const weir_type *type, weir_literal *out)
{
    weir_slice body = text;
    if (body.size > 0 && (body.data[0] == '-' || body.data[0] == '+')) {
        body = weir_slice_of(body.data + 1, body.size - 1);
    }
    if (!weir_slice_equal(body, weir_slice_text("NaN")) && !weir_slice_equal(body, weir_slice_text("Infinity"))) {
        for (size_t i = 0; i < body.size; i++) {
            if (strchr("0123456789.eE+-", body.data[i]) == NULL || body.data[i] == 0) {
                if (i == 0 || i + 1 < body.size || strchr("dDfF", body.data[i]) == NULL) {
                    return false;
                }
                text.size--; /* 1.5d and 1.5f */
            }
        }
    }
    const char *copy = weir_arena_strndup(arena, (const char *)text.data, text.size);
    char *end = NULL;
    if (type->id == WEIR_FLOAT) {
        out->float32 = strtof(copy, &end);
    } else {
        out->float64 = strtod(copy, &end);
    }
    return text.size > 0 && end == copy + text.size;
}

static bool parse_decimal(weir_slice text, const weir_type *type, weir_literal *out)
{
    weir_int128 unscaled;
    if (!weir_decimal_parse(text, type->precision, type->scale, &unscaled)) {
        return false;
    }
    if (type->precision <= 18) {
        out->integer = (int64_t)unscaled;
    } else {
        out->decimal = unscaled;
    }
    return true;
}

static bool parse_timestamp(weir_slice text, const weir_type *type, weir_literal *out)
{
    weir_timestamp_nanos value;
    if (!weir_timestamp_parse(text, type->precision, &value)) {
        return false;
    }
    if (type->precision <= 6) {
        return weir_timestamp_narrow(value, type->precision, &out->integer);
    }
    out->nanos = value;
    return true;
}

static bool parse_date(weir_slice text, weir_literal *out)
{
    int32_t days;
    if (!weir_date_parse(text, &days)) {
        return false;
    }
    out->integer = days;
    return true;
}

static bool parse_time(weir_slice text, const weir_type *type, weir_literal *out)
{
    static const int32_t units[] = {1000, 100, 10, 1};
    int32_t millis;
    if (!weir_time_parse(text, &millis)) {
        return false;
    }
    out->integer = millis - millis % units[type->precision < 3 ? type->precision : 3];
    return true;
}

static bool parse_value(const weir_type *type, weir_slice text, weir_arena *arena, weir_literal *out)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        return parse_boolean(text, &out->boolean);
    case WEIR_TINYINT:
        return parse_integer(trim(text), 8, &out->integer);
    case WEIR_SMALLINT:
        return parse_integer(trim(text), 16, &out->integer);
    case WEIR_INT:
        return parse_integer(trim(text), 32, &out->integer);
    case WEIR_BIGINT:
        return parse_integer(trim(text), 64, &out->integer);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return parse_float(trim(text), arena, type, out);
    case WEIR_DECIMAL:
        return parse_decimal(trim(text), type, out);
    case WEIR_DATE:
        return parse_date(text, out);
    case WEIR_TIME:
        return parse_time(text, type, out);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return parse_timestamp(text, type, out);
    default:
        out->bytes = weir_slice_of(weir_arena_copy(arena, text.data, text.size), text.size);
        return true;
    }
}

int weir_literal_parse(const weir_type *type, weir_slice text, weir_arena *arena, weir_literal *out, weir_error *err)
{
    weir_literal literal = {.is_null = false};
    if (weir_layout_of(type) >= WEIR_LAYOUT_LIST) {
        return weir_fail(err, WEIR_UNSUPPORTED, "text cannot be read as %s", weir_type_text(arena, type));
    }
    if (!parse_value(type, text, arena, &literal)) {
        return weir_fail(err, WEIR_INVALID, "'%.*s' is not a value of type %s",
                         (int)(text.size < 100 ? text.size : 100), (const char *)text.data,
                         weir_type_text(arena, weir_type_nullable(arena, type, true)));
    }
    *out = literal;
    return WEIR_OK;
}
