/* Making JSON of values: JSON_OBJECT, JSON_ARRAY, JSON_STRING; JSON_QUOTE and JSON_UNQUOTE.
 *
 * Objects have their members in the order of their names, as Flink's writer has them; of equal names the last wins. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "format/json/text.h"
#include "sql/function/json_dom.h"
#include "sql/function/kernels.h"
#include "vector/java_text.h"
#include "vector/literal.h"

static weir_dom_node *text_node(weir_arena *arena, weir_dom_kind kind, weir_slice text)
{
    weir_dom_node *node = WEIR_NEW(arena, weir_dom_node);
    node->kind = kind;
    node->text =
        weir_slice_of(weir_arena_strndup(arena, text.size == 0 ? "" : (const char *)text.data, text.size), text.size);
    return node;
}

static weir_dom_node *buffer_node(weir_arena *arena, weir_dom_kind kind, weir_buffer *text)
{
    weir_dom_node *node = text_node(arena, kind, weir_buffer_slice(text));
    weir_buffer_free(text);
    return node;
}

/* --- Scalars --------------------------------------------------------------------------------------------------- */

/* Without trailing zeros, as BigDecimal.toString prints what is left: 1.5, 1E+2, 1E-7. */
static void format_decimal(weir_int128 value, int scale, weir_buffer *out)
{
    weir_buffer digits = {0};
    while (value != 0 && value % 10 == 0) {
        value /= 10;
        scale--;
    }
    scale = value == 0 ? 0 : scale;
    bool negative = value < 0;
    weir_decimal_format(negative ? -value : value, 0, &digits);
    int exponent = (int)digits.size - 1 - scale;
    if (scale >= 0 && exponent >= -6) {
        weir_decimal_format(value, scale, out);
    } else {
        weir_buffer_append_format(out, "%s%c%s%.*s", negative ? "-" : "", digits.data[0], digits.size > 1 ? "." : "",
                                  (int)digits.size - 1, (const char *)digits.data + 1);
        weir_buffer_append_format(out, "E%+d", exponent);
    }
    weir_buffer_free(&digits);
}

static weir_dom_node *float_node(weir_arena *arena, double value, bool single)
{
    weir_buffer text = {0};
    if (single) {
        weir_format_float((float)value, &text);
    } else {
        weir_format_double(value, &text);
    }
    return buffer_node(arena, isfinite(value) ? WEIR_DOM_RAW : WEIR_DOM_STRING, &text);
}

/* ISO 8601, with the digits of the fraction that aren't trailing zeros. */
static weir_dom_node *timestamp_node(weir_arena *arena, const weir_type *type, const weir_literal *literal)
{
    weir_timestamp_nanos value =
        type->precision > 6 ? literal->nanos : weir_timestamp_widen(literal->integer, type->precision);
    weir_buffer text = {0};
    weir_timestamp_format(value, 9, &text);
    uint8_t *blank = memchr(text.data, ' ', text.size);
    if (blank != NULL) {
        *blank = 'T';
    }
    while (text.size > 0 && text.data[text.size - 1] == '0') {
        text.size--;
    }
    text.size -= text.size > 0 && text.data[text.size - 1] == '.';
    if (type->id == WEIR_TIMESTAMP_LTZ) {
        weir_buffer_append_byte(&text, 'Z');
    }
    return buffer_node(arena, WEIR_DOM_STRING, &text);
}

static weir_dom_node *scalar_node(weir_arena *arena, const weir_vector *vector, int64_t row)
{
    const weir_type *type = vector->type;
    weir_literal literal = weir_literal_of(vector, row);
    weir_buffer text = {0};
    switch (type->id) {
    case WEIR_BOOLEAN: {
        weir_dom_node *node = WEIR_NEW(arena, weir_dom_node);
        node->kind = WEIR_DOM_BOOLEAN;
        node->boolean = literal.boolean;
        return node;
    }
    case WEIR_FLOAT:
        return float_node(arena, (double)literal.float32, true);
    case WEIR_DOUBLE:
        return float_node(arena, literal.float64, false);
    case WEIR_DECIMAL:
        format_decimal(type->precision <= 18 ? literal.integer : literal.decimal, type->scale, &text);
        return buffer_node(arena, WEIR_DOM_RAW, &text);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return text_node(arena, WEIR_DOM_STRING, literal.bytes);
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        weir_json_base64_encode(literal.bytes, &text);
        return buffer_node(arena, WEIR_DOM_STRING, &text);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return timestamp_node(arena, type, &literal);
    default:
        weir_buffer_append_format(&text, "%" PRId64, literal.integer);
        return buffer_node(arena, WEIR_DOM_RAW, &text);
    }
}

/* --- Objects --------------------------------------------------------------------------------------------------- */

typedef struct member {
    weir_dom_node *node;
    int32_t index;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *x = a;
    const member *y = b;
    int order = weir_java_text_compare(x->node->name, y->node->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static weir_dom_node *object_node(weir_arena *arena, member *members, int32_t count)
{
    weir_dom_node *object = WEIR_NEW(arena, weir_dom_node);
    weir_dom_node *last = NULL;
    object->kind = WEIR_DOM_OBJECT;
    if (count > 1) {
        qsort(members, (size_t)count, sizeof *members, compare_members);
    }
    for (int32_t i = 0; i < count; i++) {
        bool repeated = i + 1 < count && weir_slice_equal(members[i].node->name, members[i + 1].node->name);
        if (!repeated) {
            weir_dom_add(object, &last, members[i].node);
        }
    }
    return object;
}

static weir_dom_node *value_node(weir_arena *arena, const weir_vector *vector, int64_t row);

static weir_dom_node *map_node(weir_arena *arena, const weir_vector *vector, int64_t row)
{
    int32_t first = vector->offsets[row];
    int32_t count = vector->offsets[row + 1] - first;
    member *members = WEIR_NEW_ARRAY(arena, member, count + 1);
    for (int32_t i = 0; i < count; i++) {
        members[i] = (member){value_node(arena, &vector->children[1], first + i), i};
        bool null = weir_vector_is_null(&vector->children[0], first + i);
        members[i].node->name =
            null ? weir_slice_text("null")
                 : text_node(arena, WEIR_DOM_STRING, weir_vector_bytes(&vector->children[0], first + i))->text;
    }
    return object_node(arena, members, count);
}

static weir_dom_node *row_node(weir_arena *arena, const weir_vector *vector, int64_t row)
{
    member *members = WEIR_NEW_ARRAY(arena, member, vector->child_count + 1);
    for (int32_t i = 0; i < vector->child_count; i++) {
        members[i] = (member){value_node(arena, &vector->children[i], row), i};
        members[i].node->name = weir_slice_text(vector->type->fields[i].name);
    }
    return object_node(arena, members, vector->child_count);
}

static weir_dom_node *array_node(weir_arena *arena, const weir_vector *vector, int64_t row)
{
    weir_dom_node *array = WEIR_NEW(arena, weir_dom_node);
    weir_dom_node *last = NULL;
    array->kind = WEIR_DOM_ARRAY;
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        weir_dom_add(array, &last, value_node(arena, &vector->children[0], i));
    }
    return array;
}

static weir_dom_node *value_node(weir_arena *arena, const weir_vector *vector, int64_t row)
{
    if (weir_vector_is_null(vector, row)) {
        return WEIR_NEW(arena, weir_dom_node);
    }
    switch (vector->type->id) {
    case WEIR_ARRAY:
        return array_node(arena, vector, row);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return map_node(arena, vector, row);
    case WEIR_ROW:
        return row_node(arena, vector, row);
    default:
        return scalar_node(arena, vector, row);
    }
}

/* Whether argument i is JSON already, made by another of these functions: the option has a letter for each. */
static weir_dom_node *argument_node(const weir_kernel_call *call, weir_arena *arena, const weir_vector *arguments,
                                    int32_t i, int64_t row)
{
    bool made = call->option != NULL && call->option[1 + i] == 'j' && !weir_vector_is_null(&arguments[i], row);
    return made ? text_node(arena, WEIR_DOM_RAW, weir_vector_bytes(&arguments[i], row))
                : value_node(arena, &arguments[i], row);
}

/* --- Functions ------------------------------------------------------------------------------------------------- */

typedef int (*make_node)(const weir_kernel_call *call, weir_arena *arena, const weir_vector *arguments, int64_t row,
                         weir_dom_node **out, weir_error *err);

/* Appends for every row the JSON that `make` gives, NULL where it gives none. */
static int make_rows(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, make_node make,
                     weir_error *err)
{
    int code = WEIR_OK;
    weir_buffer text = {0};
    for (int64_t row = 0; row < call->length && code == WEIR_OK; row++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_dom_node *node = NULL;
        weir_buffer_clear(&text);
        code = make(call, &arena, arguments, row, &node, err);
        if (code == WEIR_OK && node == NULL) {
            code = weir_vector_append_nulls(out, 1, err);
        } else if (code == WEIR_OK) {
            weir_dom_write(node, &text);
            code = weir_vector_append_raw(out, text.data, text.size, err);
        }
        weir_arena_free(&arena);
    }
    weir_buffer_free(&text);
    return code;
}

static int make_string(const weir_kernel_call *call, weir_arena *arena, const weir_vector *arguments, int64_t row,
                       weir_dom_node **out, weir_error *err)
{
    (void)call;
    (void)err;
    *out = weir_vector_is_null(&arguments[0], row) ? NULL : value_node(arena, &arguments[0], row);
    return WEIR_OK;
}

static int make_array(const weir_kernel_call *call, weir_arena *arena, const weir_vector *arguments, int64_t row,
                      weir_dom_node **out, weir_error *err)
{
    (void)err;
    *out = WEIR_NEW(arena, weir_dom_node);
    (*out)->kind = WEIR_DOM_ARRAY;
    weir_dom_node *last = NULL;
    for (int32_t i = 0; i < call->argument_count; i++) {
        if (call->option[0] == 'a' && weir_vector_is_null(&arguments[i], row)) {
            continue;
        }
        weir_dom_add(*out, &last, argument_node(call, arena, arguments, i, row));
    }
    return WEIR_OK;
}

static int make_object(const weir_kernel_call *call, weir_arena *arena, const weir_vector *arguments, int64_t row,
                       weir_dom_node **out, weir_error *err)
{
    member *members = WEIR_NEW_ARRAY(arena, member, call->argument_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i + 1 < call->argument_count; i += 2) {
        if (weir_vector_is_null(&arguments[i], row)) {
            return weir_fail(err, WEIR_INVALID, "JSON_OBJECT takes no NULL as a key");
        }
        if (call->option[0] == 'a' && weir_vector_is_null(&arguments[i + 1], row)) {
            continue;
        }
        members[count] = (member){argument_node(call, arena, arguments, i + 1, row), i};
        members[count++].node->name = weir_vector_bytes(&arguments[i], row);
    }
    *out = object_node(arena, members, count);
    return WEIR_OK;
}

static int string_kernel(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    return make_rows(call, arguments, out, make_string, err);
}

static int array_kernel(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    return make_rows(call, arguments, out, make_array, err);
}

static int object_kernel(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    return make_rows(call, arguments, out, make_object, err);
}

static int json_quote(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_dom_write_text(weir_kernel_text(call, 0, row), &call->scratch);
    return weir_kernel_put_scratch(call, row);
}

/* The text of a JSON string; what is none stays as it is. */
static int json_unquote(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    bool quoted = text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"';
    weir_arena arena;
    weir_arena_init(&arena);
    weir_dom_node *node;
    if (quoted && weir_dom_parse(text, &arena, &node)) {
        text = node->text;
    }
    int code = weir_kernel_put_text(call, row, text);
    weir_arena_free(&arena);
    return code;
}

const weir_kernel weir_kernel_json_string = {.name = "json_string", .nested = string_kernel, .sees_nulls = true};
const weir_kernel weir_kernel_json_array = {.name = "json_array", .nested = array_kernel, .sees_nulls = true};
const weir_kernel weir_kernel_json_object = {.name = "json_object", .nested = object_kernel, .sees_nulls = true};
const weir_kernel weir_kernel_json_quote = {.name = "json_quote", .row = json_quote};
const weir_kernel weir_kernel_json_unquote = {.name = "json_unquote", .row = json_unquote};
