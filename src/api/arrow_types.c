/* Arrow formats as Paimon's types: the way back of what a table's schema is exported as. */
#include "api/arrow_types.h"

#include <stdio.h>

static int type_of(const struct ArrowSchema *schema, int depth, weir_arena *arena, const weir_type **out,
                   weir_error *err);

static int unsupported(const struct ArrowSchema *schema, const char *advice, weir_error *err)
{
    return weir_fail(err, WEIR_UNSUPPORTED, "column \"%s\": Paimon has no type for the Arrow format \"%s\"; %s",
                     schema->name != NULL ? schema->name : "", schema->format, advice);
}

static int malformed(const struct ArrowSchema *schema, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "column \"%s\": the Arrow format \"%s\" is malformed",
                     schema->name != NULL ? schema->name : "", schema->format != NULL ? schema->format : "(none)");
}

/* Formats that stand for one type. */
static const struct {
    const char *format;
    weir_type_id id;
} plain_formats[] = {
    {"b", WEIR_BOOLEAN}, {"c", WEIR_TINYINT},   {"s", WEIR_SMALLINT},  {"i", WEIR_INT},
    {"l", WEIR_BIGINT},  {"f", WEIR_FLOAT},     {"g", WEIR_DOUBLE},    {"u", WEIR_VARCHAR},
    {"U", WEIR_VARCHAR}, {"z", WEIR_VARBINARY}, {"Z", WEIR_VARBINARY}, {"tdD", WEIR_DATE},
};

static bool plain_type(const char *format, bool nullable, const weir_type **out)
{
    for (size_t i = 0; i < sizeof plain_formats / sizeof *plain_formats; i++) {
        if (strcmp(format, plain_formats[i].format) == 0) {
            *out = weir_type_simple(plain_formats[i].id, nullable);
            return true;
        }
    }
    return false;
}

/* d:precision,scale with 128 bits. */
static int decimal_type(const struct ArrowSchema *schema, bool nullable, weir_arena *arena, const weir_type **out,
                        weir_error *err)
{
    int precision = 0, scale = -1, bits = 128;
    if (sscanf(schema->format, "d:%d,%d,%d", &precision, &scale, &bits) < 2) {
        return malformed(schema, err);
    }
    if (bits != 128 || precision < 1 || precision > 38 || scale < 0 || scale > precision) {
        return unsupported(schema, "use decimal128 with a precision of 1 to 38 and a scale of 0 to the precision", err);
    }
    *out = weir_type_decimal(arena, precision, scale, nullable);
    return WEIR_OK;
}

/* tt and ts: the unit is the precision. */
static int time_type(const struct ArrowSchema *schema, bool nullable, weir_arena *arena, const weir_type **out,
                     weir_error *err)
{
    static const char units[] = "smun";
    const char *format = schema->format;
    const char *unit = format[2] != '\0' ? strchr(units, format[2]) : NULL;
    if (unit == NULL) {
        return malformed(schema, err);
    }
    int precision = 3 * (int)(unit - units);
    if (format[1] == 't') {
        if (precision > 3) {
            return unsupported(schema, "its TIME is stored in milliseconds: use time32", err);
        }
        *out = weir_type_with_length(arena, WEIR_TIME, precision, nullable);
        return WEIR_OK;
    }
    if (format[3] != ':') {
        return malformed(schema, err);
    }
    *out = weir_type_with_length(arena, format[4] != '\0' ? WEIR_TIMESTAMP_LTZ : WEIR_TIMESTAMP, precision, nullable);
    return WEIR_OK;
}

static int check_children(const struct ArrowSchema *schema, int64_t count, weir_error *err)
{
    return schema->n_children == count && schema->children != NULL ? WEIR_OK : malformed(schema, err);
}

static int list_type(const struct ArrowSchema *schema, int depth, bool nullable, weir_arena *arena,
                     const weir_type **out, weir_error *err)
{
    const weir_type *element = NULL;
    WEIR_TRY(check_children(schema, 1, err));
    WEIR_TRY(type_of(schema->children[0], depth, arena, &element, err));
    *out = weir_type_array(arena, element, nullable);
    return WEIR_OK;
}

static int map_type(const struct ArrowSchema *schema, int depth, bool nullable, weir_arena *arena,
                    const weir_type **out, weir_error *err)
{
    const weir_type *key = NULL, *value = NULL;
    WEIR_TRY(check_children(schema, 1, err));
    WEIR_TRY(check_children(schema->children[0], 2, err));
    WEIR_TRY(type_of(schema->children[0]->children[0], depth, arena, &key, err));
    WEIR_TRY(type_of(schema->children[0]->children[1], depth, arena, &value, err));
    *out = weir_type_map(arena, key, value, nullable);
    return WEIR_OK;
}

static int struct_fields(const struct ArrowSchema *schema, int depth, weir_arena *arena, weir_field **out,
                         int32_t *out_count, weir_error *err)
{
    if (schema->n_children < 0 || schema->n_children > INT32_MAX) {
        return malformed(schema, err);
    }
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, schema->n_children);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        if (child->name == NULL) {
            return weir_fail(err, WEIR_INVALID, "field %d of \"%s\" has no name", (int)i + 1,
                             schema->name != NULL ? schema->name : "");
        }
        fields[i] = (weir_field){.id = -1, .name = weir_arena_strdup(arena, child->name)};
        WEIR_TRY(type_of(child, depth, arena, &fields[i].type, err));
    }
    *out = fields;
    *out_count = (int32_t)schema->n_children;
    return WEIR_OK;
}

static int struct_type(const struct ArrowSchema *schema, int depth, bool nullable, weir_arena *arena,
                       const weir_type **out, weir_error *err)
{
    weir_field *fields = NULL;
    int32_t count = 0;
    WEIR_TRY(struct_fields(schema, depth, arena, &fields, &count, err));
    *out = weir_type_row(arena, fields, count, nullable);
    return WEIR_OK;
}

/* What is left: formats that Paimon has no type for. */
static int refuse(const struct ArrowSchema *schema, weir_error *err)
{
    switch (schema->format[0]) {
    case 'C':
    case 'S':
    case 'I':
    case 'L':
        return unsupported(schema, "use a signed integer of the next size", err);
    case 'e':
        return unsupported(schema, "use float32", err);
    case 'v':
        return unsupported(schema, "cast views to utf8 or binary", err);
    case 't':
        return unsupported(schema, "use date32, time32 or a timestamp", err);
    default:
        return unsupported(schema, "cast the column to a type that docs/compatibility.md names", err);
    }
}

static int type_of(const struct ArrowSchema *schema, int depth, weir_arena *arena, const weir_type **out,
                   weir_error *err)
{
    bool nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0;
    const char *format = schema->format;
    if (format == NULL || format[0] == '\0' || depth > WEIR_MAX_TYPE_DEPTH) {
        return malformed(schema, err);
    }
    if (schema->dictionary != NULL) {
        return type_of(schema->dictionary, depth + 1, arena, out, err);
    }
    if (plain_type(format, nullable, out)) {
        return WEIR_OK;
    }
    if (strncmp(format, "d:", 2) == 0) {
        return decimal_type(schema, nullable, arena, out, err);
    }
    if (strncmp(format, "w:", 2) == 0) {
        int size = 0;
        if (sscanf(format, "w:%d", &size) != 1 || size < 1) {
            return malformed(schema, err);
        }
        *out = weir_type_with_length(arena, WEIR_BINARY, size, nullable);
        return WEIR_OK;
    }
    if (strncmp(format, "tt", 2) == 0 || strncmp(format, "ts", 2) == 0) {
        return time_type(schema, nullable, arena, out, err);
    }
    if (strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0) {
        return list_type(schema, depth + 1, nullable, arena, out, err);
    }
    if (strcmp(format, "+m") == 0) {
        return map_type(schema, depth + 1, nullable, arena, out, err);
    }
    if (strcmp(format, "+s") == 0) {
        return struct_type(schema, depth + 1, nullable, arena, out, err);
    }
    return refuse(schema, err);
}

int weir_fields_from_arrow(const struct ArrowSchema *columns, weir_arena *arena, weir_field **out, int32_t *out_count,
                           weir_error *err)
{
    if (columns == NULL || columns->format == NULL || strcmp(columns->format, "+s") != 0) {
        return weir_fail(err, WEIR_INVALID, "the columns of a table must come as an Arrow struct");
    }
    return struct_fields(columns, 0, arena, out, out_count, err);
}
