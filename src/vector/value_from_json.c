/* JSON values into vectors, in the notation of value_json.c. Numbers may also stand as strings. */
#include <stdlib.h>

#include "base/text.h"
#include "vector/literal.h"
#include "vector/time_text.h"
#include "vector/variant.h"

static int does_not_fit(const json_t *json, const weir_type *type, weir_error *err)
{
    weir_buffer name = {0};
    weir_type_format(type, &name);
    char *text = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
    int code = weir_fail(err, WEIR_INVALID, "the JSON value %.100s is not a value of type %.200s",
                         text != NULL ? text : "(not UTF-8)", weir_buffer_text(&name));
    free(text);
    weir_buffer_free(&name);
    return code;
}

static weir_slice string_of(const json_t *json)
{
    return weir_slice_of(json_string_value(json), json_string_length(json));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int append_hex(weir_vector *vector, const json_t *json, weir_error *err)
{
    size_t digits = json_string_length(json);
    const char *text = json_string_value(json);
    if (!json_is_string(json) || digits % 2 != 0) {
        return does_not_fit(json, vector->type, err);
    }
    weir_buffer bytes = {0};
    int code = WEIR_OK;
    for (size_t i = 0; i < digits; i += 2) {
        int high = hex_digit(text[i]);
        int low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) {
            code = does_not_fit(json, vector->type, err);
            goto done;
        }
        weir_buffer_append_byte(&bytes, (uint8_t)(high << 4 | low));
    }
    code = weir_vector_append_raw(vector, bytes.data, bytes.size, err);
done:
    weir_buffer_free(&bytes);
    return code;
}

/* The text of a number, as CAST reads it; a string as it is. */
static bool number_text(const json_t *json, weir_buffer *out)
{
    if (json_is_string(json)) {
        weir_buffer_append(out, json_string_value(json), json_string_length(json));
    } else if (json_is_integer(json)) {
        weir_buffer_append_format(out, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
    } else if (json_is_real(json)) {
        weir_format_double(json_real_value(json), out);
    } else {
        return false;
    }
    return true;
}

static int append_number(weir_vector *vector, const json_t *json, weir_error *err)
{
    const weir_type *type = vector->type;
    bool whole =
        type->id == WEIR_TINYINT || type->id == WEIR_SMALLINT || type->id == WEIR_INT || type->id == WEIR_BIGINT;
    weir_buffer text = {0};
    weir_arena arena;
    weir_literal literal;
    weir_arena_init(&arena);
    int code = WEIR_INVALID;
    if (!(whole && json_is_real(json)) && number_text(json, &text)) {
        code = weir_literal_parse(type, weir_buffer_slice(&text), &arena, &literal, NULL);
    }
    code = code == WEIR_OK ? weir_vector_append_literal(vector, &literal, err) : does_not_fit(json, type, err);
    weir_arena_free(&arena);
    weir_buffer_free(&text);
    return code;
}

static bool read_time(const weir_type *type, const json_t *json, weir_literal *literal)
{
    int32_t number = 0;
    weir_timestamp_nanos instant;
    weir_slice text = string_of(json);
    bool read = false;
    switch (type->id) {
    case WEIR_DATE:
        read = weir_iso_date_parse(text, &number);
        literal->integer = number;
        break;
    case WEIR_TIME:
        read = weir_time_parse(text, &number);
        literal->integer = number;
        break;
    default:
        if (text.size > 0 && text.data[text.size - 1] == 'Z') {
            text.size--;
        }
        read = weir_iso_timestamp_parse(text, type->precision, &instant);
        if (read && type->precision <= 6) {
            return weir_timestamp_narrow(instant, type->precision, &literal->integer);
        }
        literal->nanos = instant;
    }
    return read;
}

/* Dates and times are strings; days and milliseconds of the day may be numbers, too. */
static int append_time(weir_vector *vector, const json_t *json, weir_error *err)
{
    weir_literal literal = {.is_null = false};
    bool number = vector->layout == WEIR_LAYOUT_32 && json_is_integer(json) &&
                  json_integer_value(json) == (int32_t)json_integer_value(json);
    if (number) {
        literal.integer = json_integer_value(json);
    } else if (!json_is_string(json) || !read_time(vector->type, json, &literal)) {
        return does_not_fit(json, vector->type, err);
    }
    return weir_vector_append_literal(vector, &literal, err);
}

static int append_array(weir_vector *vector, const json_t *json, weir_error *err)
{
    for (size_t i = 0; i < json_array_size(json); i++) {
        WEIR_TRY(weir_vector_append_json(&vector->children[0], json_array_get(json, i), err));
    }
    return weir_vector_append_list(vector, err);
}

static int append_map(weir_vector *vector, const json_t *json, weir_error *err)
{
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *entry = json_array_get(json, i);
        if (!json_is_array(entry) || json_array_size(entry) != 2) {
            return does_not_fit(json, vector->type, err);
        }
        WEIR_TRY(weir_vector_append_json(&vector->children[0], json_array_get(entry, 0), err));
        WEIR_TRY(weir_vector_append_json(&vector->children[1], json_array_get(entry, 1), err));
    }
    return weir_vector_append_list(vector, err);
}

static int append_row(weir_vector *vector, const json_t *json, weir_error *err)
{
    if (json_array_size(json) != (size_t)vector->child_count) {
        return does_not_fit(json, vector->type, err);
    }
    for (int32_t i = 0; i < vector->child_count; i++) {
        WEIR_TRY(weir_vector_append_json(&vector->children[i], json_array_get(json, (size_t)i), err));
    }
    return weir_vector_append_struct(vector, err);
}

/* A string or the member "json" of an object holds JSON text; anything else is the JSON itself. */
static int append_variant(weir_vector *vector, const json_t *json, weir_error *err)
{
    const json_t *member = json_object_get(json, "json");
    const json_t *text = json_is_string(member) ? member : json;
    char *dumped = NULL;
    weir_buffer value = {0};
    weir_buffer metadata = {0};
    int code = WEIR_OK;
    if (json_is_string(text)) {
        WEIR_GO(weir_variant_from_json(string_of(text), &value, &metadata, err));
    } else {
        dumped = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT);
        if (dumped == NULL) {
            return does_not_fit(json, vector->type, err);
        }
        WEIR_GO(weir_variant_from_json(weir_slice_text(dumped), &value, &metadata, err));
    }
    WEIR_GO(weir_vector_append_raw(&vector->children[0], value.data, value.size, err));
    WEIR_GO(weir_vector_append_raw(&vector->children[1], metadata.data, metadata.size, err));
    code = weir_vector_append_struct(vector, err);
done:
    free(dumped);
    weir_buffer_free(&value);
    weir_buffer_free(&metadata);
    return code;
}

int weir_vector_append_json(weir_vector *vector, const json_t *json, weir_error *err)
{
    if (json == NULL || json_is_null(json)) {
        return weir_vector_append_nulls(vector, 1, err);
    }
    weir_type_id id = vector->type->id;
    if ((id == WEIR_ARRAY || id == WEIR_MAP || id == WEIR_MULTISET || id == WEIR_ROW) && !json_is_array(json)) {
        return does_not_fit(json, vector->type, err);
    }
    switch (id) {
    case WEIR_BOOLEAN: {
        uint8_t value = json_is_true(json);
        return json_is_boolean(json) ? weir_vector_append_raw(vector, &value, 1, err)
                                     : does_not_fit(json, vector->type, err);
    }
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return json_is_string(json)
                   ? weir_vector_append_raw(vector, json_string_value(json), json_string_length(json), err)
                   : does_not_fit(json, vector->type, err);
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return append_hex(vector, json, err);
    case WEIR_DATE:
    case WEIR_TIME:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return append_time(vector, json, err);
    case WEIR_ARRAY:
        return append_array(vector, json, err);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return append_map(vector, json, err);
    case WEIR_ROW:
        return append_row(vector, json, err);
    case WEIR_VARIANT:
        return append_variant(vector, json, err);
    case WEIR_NULL:
        return does_not_fit(json, vector->type, err);
    default:
        return append_number(vector, json, err);
    }
}
