/* Columns that spans of JSON are converted to: making them, NULLs, and nested types.
 *
 * A nested column first finds the spans of its children in all its values, then has each child converted as a column
 * of its own: no value is looked at through more than one call, however deep it lies. */
#include "format/json/column_convert.h"

#include <stdlib.h>

#include "base/map.h"
#include "format/json/text.h"

/* Up to so many keys of a map are compared with each other to find duplicates; beyond that they are hashed. */
#define FEW_KEYS 16

void weir_json_reject(weir_json_conversion *conversion, const weir_json_column *column, weir_json_span span)
{
    if (conversion->bad_column == NULL) {
        conversion->bad_column = column;
        conversion->bad_span = span;
    }
}

int weir_json_begin_values(weir_json_column *column, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_GROW(column->nulls, column->null_capacity, count);
    return weir_vector_reserve(out, count, err);
}

int weir_json_end_values(weir_json_column *column, int64_t count, int64_t null_count, weir_vector *out, weir_error *err)
{
    if (null_count > 0 || out->validity != NULL) {
        WEIR_TRY(weir_vector_reserve_validity(out, count, err));
        for (int64_t i = 0; i < count; i++) {
            if (column->nulls[i]) {
                weir_bit_clear(out->validity, out->length + i);
            } else {
                weir_bit_set(out->validity, out->length + i);
            }
        }
    }
    out->length += count;
    out->null_count += null_count;
    return WEIR_OK;
}

static weir_json_span *append_span(weir_json_span_list *list)
{
    WEIR_GROW(list->spans, list->capacity, list->count + 1);
    return &list->spans[list->count++];
}

static int check_list_size(int64_t elements, weir_error *err)
{
    if (elements > INT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "a column of one batch would pass 2^31 elements; use smaller batches");
    }
    return WEIR_OK;
}

/* ---- rows ---- */

static int convert_row(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                       int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    int64_t width = column->child_count;
    weir_json_span_list *members = &column->child_spans[0];
    WEIR_GROW(members->spans, members->capacity, count * width);
    int64_t null_count = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        column->nulls[i] = span.token != WEIR_JSON_OBJECT;
        if (span.token == WEIR_JSON_OBJECT) {
            weir_json_cursor cursor = weir_json_cursor_of(conversion->base, span);
            weir_json_take_members(&cursor, &column->names, members->spans + i * width);
            continue;
        }
        if (span.token > WEIR_JSON_NULL) {
            weir_json_reject(conversion, column, span);
        }
        null_count++;
        for (int64_t k = 0; k < width; k++) {
            members->spans[i * width + k] = (weir_json_span){.token = WEIR_JSON_NULL};
        }
    }
    for (int32_t k = 0; k < width; k++) {
        WEIR_TRY(weir_json_convert(conversion, &column->children[k], members->spans + k, width, count,
                                   &out->children[k], err));
    }
    return weir_json_end_values(column, count, null_count, out, err);
}

/* ---- arrays ---- */

static int convert_array(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                         int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    weir_json_span_list *elements = &column->child_spans[0];
    elements->count = 0;
    int64_t before = out->children[0].length;
    int64_t null_count = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        column->nulls[i] = span.token != WEIR_JSON_ARRAY;
        null_count += column->nulls[i];
        if (span.token == WEIR_JSON_ARRAY) {
            weir_json_cursor cursor = weir_json_cursor_of(conversion->base, span);
            for (bool more = weir_json_enter(&cursor, ']'); more; more = weir_json_next(&cursor, ']')) {
                weir_json_take_value(&cursor, append_span(elements));
            }
        } else if (span.token > WEIR_JSON_NULL) {
            weir_json_reject(conversion, column, span);
        }
        WEIR_TRY(check_list_size(before + elements->count, err));
        out->offsets[out->length + i + 1] = (int32_t)(before + elements->count);
    }
    WEIR_TRY(weir_json_convert(conversion, &column->children[0], elements->spans, 1, elements->count, &out->children[0],
                               err));
    return weir_json_end_values(column, count, null_count, out, err);
}

/* ---- maps ---- */

static bool keys_equal(const uint8_t *base, weir_json_span a, weir_json_span b, weir_buffer *scratch)
{
    if (!a.has_escapes && !b.has_escapes) {
        return a.size == b.size && memcmp(base + a.offset, base + b.offset, a.size) == 0;
    }
    weir_buffer_clear(scratch);
    weir_json_text_append(base, a, scratch);
    size_t size = scratch->size;
    weir_json_text_append(base, b, scratch);
    return scratch->size == 2 * size && (size == 0 || memcmp(scratch->data, scratch->data + size, size) == 0);
}

static weir_slice key_text(weir_json_conversion *conversion, weir_json_span key)
{
    weir_buffer_clear(&conversion->scratch);
    weir_json_text_append(conversion->base, key, &conversion->scratch);
    return weir_buffer_slice(&conversion->scratch);
}

/* Where a key stands among those from `first` on, or -1. Where they are many, `seen` maps their texts to their
 * positions + 1. */
static int64_t find_key(weir_json_conversion *conversion, const weir_json_span_list *keys, int64_t first,
                        weir_json_span key, weir_map *seen)
{
    if (keys->count - first < FEW_KEYS) {
        for (int64_t i = first; i < keys->count; i++) {
            if (keys_equal(conversion->base, keys->spans[i], key, &conversion->scratch)) {
                return i;
            }
        }
        return -1;
    }
    for (int64_t i = first + (int64_t)seen->size; i < keys->count; i++) {
        weir_map_put(seen, key_text(conversion, keys->spans[i]), (void *)(uintptr_t)(i + 1));
    }
    return (int64_t)(uintptr_t)weir_map_get(seen, key_text(conversion, key)) - 1;
}

/* Appends the keys and values of one object; the last of several members with one name counts. */
static void take_entries(weir_json_conversion *conversion, weir_json_column *column, weir_json_span span)
{
    weir_json_span_list *keys = &column->child_spans[0];
    weir_json_span_list *values = &column->child_spans[1];
    weir_json_cursor cursor = weir_json_cursor_of(conversion->base, span);
    int64_t first = keys->count;
    weir_map seen = {0};
    for (bool more = weir_json_enter(&cursor, '}'); more; more = weir_json_next(&cursor, '}')) {
        weir_json_span key;
        weir_json_span value;
        weir_json_take_name(&cursor, &key);
        weir_json_take_value(&cursor, &value);
        int64_t known = find_key(conversion, keys, first, key, &seen);
        if (known >= 0) {
            values->spans[known] = value;
            continue;
        }
        *append_span(keys) = key;
        *append_span(values) = value;
    }
    weir_map_free(&seen);
}

static int convert_map(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                       int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    column->child_spans[0].count = 0;
    column->child_spans[1].count = 0;
    int64_t before = out->children[0].length;
    int64_t null_count = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        column->nulls[i] = span.token != WEIR_JSON_OBJECT;
        null_count += column->nulls[i];
        if (span.token == WEIR_JSON_OBJECT) {
            take_entries(conversion, column, span);
        } else if (span.token > WEIR_JSON_NULL) {
            weir_json_reject(conversion, column, span);
        }
        WEIR_TRY(check_list_size(before + column->child_spans[0].count, err));
        out->offsets[out->length + i + 1] = (int32_t)(before + column->child_spans[0].count);
    }
    for (int32_t k = 0; k < 2; k++) {
        WEIR_TRY(weir_json_convert(conversion, &column->children[k], column->child_spans[k].spans, 1,
                                   column->child_spans[k].count, &out->children[k], err));
    }
    return weir_json_end_values(column, count, null_count, out, err);
}

/* ---- all columns ---- */

int weir_json_convert(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                      int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    if (conversion->options->fail_on_missing_field) {
        for (int64_t i = 0; i < count; i++) {
            if (spans[i * stride].token == WEIR_JSON_MISSING) {
                weir_json_reject(conversion, column, spans[i * stride]);
            }
        }
    }
    return column->convert(conversion, column, spans, stride, count, out, err);
}

static void make_children(weir_json_column *column, int32_t count)
{
    column->child_count = count;
    column->children = weir_alloc_zeroed((size_t)count, sizeof *column->children);
}

static int init_map(weir_json_column *column, const char *name, const weir_type *type, weir_error *err)
{
    if (!weir_type_is_text(type->key)) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "column '%s': the keys of JSON objects are text, so a MAP or MULTISET needs STRING there",
                         name);
    }
    column->convert = convert_map;
    make_children(column, 2);
    WEIR_TRY(weir_json_column_init(&column->children[0], name, type->key, err));
    return weir_json_column_init(&column->children[1], name, type->element, err);
}

static int init_row(weir_json_column *column, const weir_type *type, weir_error *err)
{
    column->convert = convert_row;
    make_children(column, type->field_count);
    weir_json_names_of_fields(&column->names, type->fields, type->field_count);
    for (int32_t i = 0; i < type->field_count; i++) {
        WEIR_TRY(weir_json_column_init(&column->children[i], type->fields[i].name, type->fields[i].type, err));
    }
    return WEIR_OK;
}

/* The converter of a type that is not nested; NULL when there is none. */
static weir_json_convert_function *value_converter(const weir_type *type)
{
    static weir_json_convert_function *const converters[] = {
        [WEIR_BOOLEAN] = weir_json_convert_boolean,     [WEIR_TINYINT] = weir_json_convert_tinyint,
        [WEIR_SMALLINT] = weir_json_convert_smallint,   [WEIR_INT] = weir_json_convert_int,
        [WEIR_BIGINT] = weir_json_convert_bigint,       [WEIR_FLOAT] = weir_json_convert_float,
        [WEIR_DOUBLE] = weir_json_convert_double,       [WEIR_DECIMAL] = weir_json_convert_decimal,
        [WEIR_CHAR] = weir_json_convert_text,           [WEIR_VARCHAR] = weir_json_convert_text,
        [WEIR_BINARY] = weir_json_convert_bytes,        [WEIR_VARBINARY] = weir_json_convert_bytes,
        [WEIR_DATE] = weir_json_convert_date,           [WEIR_TIME] = weir_json_convert_time,
        [WEIR_TIMESTAMP] = weir_json_convert_timestamp, [WEIR_TIMESTAMP_LTZ] = weir_json_convert_timestamp,
        [WEIR_BLOB] = weir_json_convert_bytes,          [WEIR_NULL] = NULL,
    };
    if (weir_layout_of(type) == WEIR_LAYOUT_128) {
        return type->id == WEIR_DECIMAL ? weir_json_convert_wide_decimal : weir_json_convert_nano_timestamp;
    }
    return converters[type->id];
}

int weir_json_column_init(weir_json_column *column, const char *name, const weir_type *type, weir_error *err)
{
    *column = (weir_json_column){.name = name, .type = type};
    switch (type->id) {
    case WEIR_ARRAY:
        column->convert = convert_array;
        make_children(column, 1);
        return weir_json_column_init(&column->children[0], name, type->element, err);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return init_map(column, name, type, err);
    case WEIR_ROW:
        return init_row(column, type, err);
    default:
        column->convert = value_converter(type);
        if (column->convert == NULL) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "column '%s': values of this type cannot be read from JSON; declare it as STRING", name);
        }
        return WEIR_OK;
    }
}

void weir_json_column_free(weir_json_column *column)
{
    for (int32_t i = 0; i < column->child_count; i++) {
        weir_json_column_free(&column->children[i]);
    }
    free(column->children);
    free(column->child_spans[0].spans);
    free(column->child_spans[1].spans);
    free(column->nulls);
    if (column->names.slots != NULL) {
        weir_json_names_free(&column->names);
    }
    *column = (weir_json_column){0};
}
