/* Types: construction, copying, comparison and their SQL text. Reading SQL text is in type_parse.c, the JSON of schema
 * files in type_json.c. */
#include "vector/type.h"

#include "base/text.h"

#define SIMPLE(type_id, default_precision)                                                                             \
    [type_id] = {                                                                                                      \
        {.id = type_id, .nullable = false, .precision = (default_precision)},                                          \
        {.id = type_id, .nullable = true, .precision = (default_precision)},                                           \
    }

/* By id, then by nullability. Nested ids stay zeroed and are never given out, but for VARIANT, which has no parameters.
 */
static const weir_type simple_types[][2] = {
    SIMPLE(WEIR_BOOLEAN, 0),   SIMPLE(WEIR_TINYINT, 0),
    SIMPLE(WEIR_SMALLINT, 0),  SIMPLE(WEIR_INT, 0),
    SIMPLE(WEIR_BIGINT, 0),    SIMPLE(WEIR_FLOAT, 0),
    SIMPLE(WEIR_DOUBLE, 0),    SIMPLE(WEIR_DECIMAL, 10),
    SIMPLE(WEIR_CHAR, 1),      SIMPLE(WEIR_VARCHAR, WEIR_MAX_LENGTH),
    SIMPLE(WEIR_BINARY, 1),    SIMPLE(WEIR_VARBINARY, WEIR_MAX_LENGTH),
    SIMPLE(WEIR_DATE, 0),      SIMPLE(WEIR_TIME, 0),
    SIMPLE(WEIR_TIMESTAMP, 6), SIMPLE(WEIR_TIMESTAMP_LTZ, 6),
    SIMPLE(WEIR_VARIANT, 0),   SIMPLE(WEIR_BLOB, 0),
    SIMPLE(WEIR_NULL, 0),
};

static bool has_parts(weir_type_id id)
{
    return id == WEIR_ARRAY || id == WEIR_MAP || id == WEIR_MULTISET || id == WEIR_ROW;
}

const weir_type *weir_type_simple(weir_type_id id, bool nullable)
{
    return has_parts(id) ? NULL : &simple_types[id][nullable ? 1 : 0];
}

weir_type *weir_type_new(weir_arena *arena, weir_type_id id, bool nullable)
{
    weir_type *type = WEIR_NEW(arena, weir_type);
    type->id = id;
    type->nullable = nullable;
    if (!has_parts(id)) {
        type->precision = simple_types[id][1].precision;
    }
    return type;
}

const weir_type *weir_type_decimal(weir_arena *arena, int precision, int scale, bool nullable)
{
    weir_type *type = weir_type_new(arena, WEIR_DECIMAL, nullable);
    type->precision = precision;
    type->scale = scale;
    return type;
}

const weir_type *weir_type_with_length(weir_arena *arena, weir_type_id id, int length_or_precision, bool nullable)
{
    weir_type *type = weir_type_new(arena, id, nullable);
    type->precision = length_or_precision;
    return type;
}

const weir_type *weir_type_array(weir_arena *arena, const weir_type *element, bool nullable)
{
    weir_type *type = weir_type_new(arena, WEIR_ARRAY, nullable);
    type->element = element;
    return type;
}

const weir_type *weir_type_map(weir_arena *arena, const weir_type *key, const weir_type *value, bool nullable)
{
    weir_type *type = weir_type_new(arena, WEIR_MAP, nullable);
    type->key = key;
    type->element = value;
    return type;
}

const weir_type *weir_type_multiset(weir_arena *arena, const weir_type *element, bool nullable)
{
    weir_type *type = weir_type_new(arena, WEIR_MULTISET, nullable);
    type->key = element;
    type->element = weir_type_simple(WEIR_INT, false);
    return type;
}

const weir_type *weir_type_row(weir_arena *arena, const weir_field *fields, int count, bool nullable)
{
    weir_type *type = weir_type_new(arena, WEIR_ROW, nullable);
    type->fields = fields;
    type->field_count = count;
    return type;
}

const weir_type *weir_type_nullable(weir_arena *arena, const weir_type *type, bool nullable)
{
    if (type->nullable == nullable) {
        return type;
    }
    weir_type *other = weir_arena_copy(arena, type, sizeof *type);
    other->nullable = nullable;
    return other;
}

const weir_type *weir_type_copy(weir_arena *arena, const weir_type *type)
{
    weir_type *copy = weir_arena_copy(arena, type, sizeof *type);
    if (type->key != NULL) {
        copy->key = weir_type_copy(arena, type->key);
    }
    if (type->element != NULL) {
        copy->element = weir_type_copy(arena, type->element);
    }
    if (type->field_count > 0) {
        weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, type->field_count);
        for (int32_t i = 0; i < type->field_count; i++) {
            fields[i].id = type->fields[i].id;
            fields[i].name = weir_arena_strdup(arena, type->fields[i].name);
            fields[i].type = weir_type_copy(arena, type->fields[i].type);
            fields[i].description = weir_arena_strdup(arena, type->fields[i].description);
            fields[i].default_value = weir_arena_strdup(arena, type->fields[i].default_value);
        }
        copy->fields = fields;
    }
    return copy;
}

static bool part_equal(const weir_type *a, const weir_type *b, bool ignore_nullability)
{
    return a == b || (a != NULL && b != NULL && weir_type_equal(a, b, ignore_nullability));
}

bool weir_type_equal(const weir_type *a, const weir_type *b, bool ignore_nullability)
{
    if (a->id != b->id || a->precision != b->precision || a->scale != b->scale || a->field_count != b->field_count ||
        (!ignore_nullability && a->nullable != b->nullable) || !part_equal(a->key, b->key, ignore_nullability) ||
        !part_equal(a->element, b->element, ignore_nullability)) {
        return false;
    }
    for (int32_t i = 0; i < a->field_count; i++) {
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
            !weir_type_equal(a->fields[i].type, b->fields[i].type, ignore_nullability)) {
            return false;
        }
    }
    return true;
}

/* Stops at the limit, however deep the type is. */
static bool is_deeper_than(const weir_type *type, int32_t limit)
{
    if (type == NULL) {
        return false;
    }
    if (limit == 0 || is_deeper_than(type->key, limit - 1) || is_deeper_than(type->element, limit - 1)) {
        return true;
    }
    for (int32_t i = 0; i < type->field_count; i++) {
        if (is_deeper_than(type->fields[i].type, limit - 1)) {
            return true;
        }
    }
    return false;
}

bool weir_type_is_too_deep(const weir_type *type) { return is_deeper_than(type, WEIR_MAX_TYPE_DEPTH); }

static void format_fields(const weir_type *type, weir_buffer *out)
{
    weir_buffer_append_text(out, "ROW<");
    for (int32_t i = 0; i < type->field_count; i++) {
        const weir_field *field = &type->fields[i];
        if (i > 0) {
            weir_buffer_append_text(out, ", ");
        }
        weir_append_quoted(field->name, '`', out);
        weir_buffer_append_byte(out, ' ');
        weir_type_format(field->type, out);
        if (field->description != NULL) {
            weir_buffer_append_byte(out, ' ');
            weir_append_quoted(field->description, '\'', out);
        }
    }
    weir_buffer_append_byte(out, '>');
}

/* `unbounded` is the name of the type whose length is WEIR_MAX_LENGTH. */
static void format_length(const char *name, const char *unbounded, const weir_type *type, weir_buffer *out)
{
    if (type->precision == WEIR_MAX_LENGTH && unbounded != NULL) {
        weir_buffer_append_text(out, unbounded);
    } else {
        weir_buffer_append_format(out, "%s(%d)", name, type->precision);
    }
}

static const char *const plain_names[] = {
    [WEIR_BOOLEAN] = "BOOLEAN", [WEIR_TINYINT] = "TINYINT", [WEIR_SMALLINT] = "SMALLINT", [WEIR_INT] = "INT",
    [WEIR_BIGINT] = "BIGINT",   [WEIR_FLOAT] = "FLOAT",     [WEIR_DOUBLE] = "DOUBLE",     [WEIR_DATE] = "DATE",
    [WEIR_VARIANT] = "VARIANT", [WEIR_BLOB] = "BLOB",       [WEIR_NULL] = "NULL",
};

static void format_without_nullability(const weir_type *type, weir_buffer *out)
{
    switch (type->id) {
    case WEIR_DECIMAL:
        weir_buffer_append_format(out, "DECIMAL(%d, %d)", type->precision, type->scale);
        break;
    case WEIR_CHAR:
        format_length("CHAR", NULL, type, out);
        break;
    case WEIR_VARCHAR:
        format_length("VARCHAR", "STRING", type, out);
        break;
    case WEIR_BINARY:
        format_length("BINARY", NULL, type, out);
        break;
    case WEIR_VARBINARY:
        format_length("VARBINARY", "BYTES", type, out);
        break;
    case WEIR_TIME:
        weir_buffer_append_format(out, "TIME(%d)", type->precision);
        break;
    case WEIR_TIMESTAMP:
        weir_buffer_append_format(out, "TIMESTAMP(%d)", type->precision);
        break;
    case WEIR_TIMESTAMP_LTZ:
        weir_buffer_append_format(out, "TIMESTAMP(%d) WITH LOCAL TIME ZONE", type->precision);
        break;
    case WEIR_ARRAY:
        weir_buffer_append_text(out, "ARRAY<");
        weir_type_format(type->element, out);
        weir_buffer_append_byte(out, '>');
        break;
    case WEIR_MAP:
        weir_buffer_append_text(out, "MAP<");
        weir_type_format(type->key, out);
        weir_buffer_append_text(out, ", ");
        weir_type_format(type->element, out);
        weir_buffer_append_byte(out, '>');
        break;
    case WEIR_MULTISET:
        weir_buffer_append_text(out, "MULTISET<");
        weir_type_format(type->key, out);
        weir_buffer_append_byte(out, '>');
        break;
    case WEIR_ROW:
        format_fields(type, out);
        break;
    default:
        weir_buffer_append_text(out, plain_names[type->id]);
    }
}

void weir_type_format(const weir_type *type, weir_buffer *out)
{
    format_without_nullability(type, out);
    if (!type->nullable) {
        weir_buffer_append_text(out, " NOT NULL");
    }
}

const char *weir_type_text(weir_arena *arena, const weir_type *type)
{
    weir_buffer text = {0};
    weir_type_format(type, &text);
    const char *copy = weir_arena_strndup(arena, (const char *)text.data, text.size);
    weir_buffer_free(&text);
    return copy;
}
