/* Parsing the schema of an Avro file's header.
 *
 * Knows names and namespaces, logical types and the limits that keep a hostile schema harmless. What the types mean for
 * Paimon's columns is decided in resolve.c. */
#include "format/avro/schema.h"

#include "base/json.h"
#include "base/map.h"

/* Deeper schemas, and schemas that unfold to more nodes, are not made by any table. */
enum { MAX_DEPTH = 320, MAX_WEIGHT = 100000, MAX_FIXED_BYTES = 1 << 24 };

typedef struct parser {
    const char *path;
    weir_arena *arena;
    weir_map named; /* full name → weir_avro_type, complete ones only: what is missing yet is recursive */
} parser;

static int parse_type(parser *state, const json_t *json, const char *space, int depth, const weir_avro_type **out,
                      weir_error *err);

static const char *const kind_names[] = {
    [WEIR_AVRO_NULL] = "null",   [WEIR_AVRO_BOOLEAN] = "boolean", [WEIR_AVRO_INT] = "int",
    [WEIR_AVRO_LONG] = "long",   [WEIR_AVRO_FLOAT] = "float",     [WEIR_AVRO_DOUBLE] = "double",
    [WEIR_AVRO_BYTES] = "bytes", [WEIR_AVRO_STRING] = "string",   [WEIR_AVRO_FIXED] = "fixed",
    [WEIR_AVRO_ENUM] = "enum",   [WEIR_AVRO_RECORD] = "record",   [WEIR_AVRO_ARRAY] = "array",
    [WEIR_AVRO_MAP] = "map",     [WEIR_AVRO_UNION] = "union",
};

static const uint8_t primitive_bytes[] = {
    [WEIR_AVRO_NULL] = 0,  [WEIR_AVRO_BOOLEAN] = 1, [WEIR_AVRO_INT] = 1,   [WEIR_AVRO_LONG] = 1,
    [WEIR_AVRO_FLOAT] = 4, [WEIR_AVRO_DOUBLE] = 8,  [WEIR_AVRO_BYTES] = 1, [WEIR_AVRO_STRING] = 1,
};

const char *weir_avro_kind_name(weir_avro_kind kind) { return kind_names[kind]; }

static weir_avro_type *new_type(parser *state, weir_avro_kind kind, uint64_t min_bytes)
{
    weir_avro_type *type = WEIR_NEW(state->arena, weir_avro_type);
    type->kind = kind;
    type->min_bytes = min_bytes;
    type->weight = 1;
    return type;
}

/* The name of a type in full: names with a dot are complete, others belong to the namespace around them. */
static const char *full_name(parser *state, const char *name, const char *space)
{
    if (strchr(name, '.') != NULL || space == NULL || space[0] == '\0') {
        return name;
    }
    return weir_arena_format(state->arena, "%s.%s", space, name);
}

/* The namespace that a full name puts its parts into. */
static const char *space_of(parser *state, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot == NULL ? "" : weir_arena_strndup(state->arena, name, (size_t)(dot - name));
}

/* A primitive type by its name, or a type that was defined before. */
static int parse_name(parser *state, const char *name, const char *space, const weir_avro_type **out, weir_error *err)
{
    for (int kind = WEIR_AVRO_NULL; kind <= WEIR_AVRO_STRING; kind++) {
        if (strcmp(name, kind_names[kind]) == 0) {
            *out = new_type(state, (weir_avro_kind)kind, primitive_bytes[kind]);
            return WEIR_OK;
        }
    }
    *out = weir_map_get(&state->named, weir_slice_text(full_name(state, name, space)));
    if (*out == NULL) {
        *out = weir_map_get(&state->named, weir_slice_text(name));
    }
    if (*out == NULL) {
        return weir_fail(err, WEIR_CORRUPT,
                         "%s: the Avro schema names the type '%s' before it has defined it (types "
                         "that hold themselves are not supported)",
                         state->path, name);
    }
    return WEIR_OK;
}

static int add_weight(parser *state, weir_avro_type *type, const weir_avro_type *child, weir_error *err)
{
    type->weight += child->weight;
    if (type->weight > MAX_WEIGHT) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: the Avro schema unfolds to more than %d types", state->path,
                         (int)MAX_WEIGHT);
    }
    return WEIR_OK;
}

static int parse_union(parser *state, const json_t *json, const char *space, int depth, const weir_avro_type **out,
                       weir_error *err)
{
    size_t count = json_array_size(json);
    if (count == 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the Avro schema has a union without branches", state->path);
    }
    weir_avro_type *type = new_type(state, WEIR_AVRO_UNION, 0);
    type->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_type *, count);
    type->count = (int32_t)count;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        WEIR_TRY(parse_type(state, json_array_get(json, i), space, depth, &type->children[i], err));
        WEIR_TRY(add_weight(state, type, type->children[i], err));
        if (type->children[i]->min_bytes < least) {
            least = type->children[i]->min_bytes;
        }
    }
    type->min_bytes = least + 1;
    *out = type;
    return WEIR_OK;
}

static int parse_fields(parser *state, const json_t *json, const char *space, int depth, weir_avro_type *type,
                        weir_error *err)
{
    json_t *fields = NULL;
    WEIR_TRY(weir_json_get_array(json, "fields", true, state->path, &fields, err));
    size_t count = json_array_size(fields);
    type->names = WEIR_NEW_ARRAY(state->arena, const char *, count);
    type->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_type *, count);
    type->count = (int32_t)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *field = json_array_get(fields, i);
        const char *name = NULL;
        if (!json_is_object(field)) {
            return weir_fail(err, WEIR_CORRUPT, "%s: a field of a record in the Avro schema is no object", state->path);
        }
        WEIR_TRY(weir_json_get_string(field, "name", true, state->path, &name, err));
        type->names[i] = weir_arena_strdup(state->arena, name);
        WEIR_TRY(parse_type(state, json_object_get(field, "type"), space, depth, &type->children[i], err));
        WEIR_TRY(add_weight(state, type, type->children[i], err));
        type->min_bytes += type->children[i]->min_bytes;
    }
    return WEIR_OK;
}

static int parse_symbols(parser *state, const json_t *json, weir_avro_type *type, weir_error *err)
{
    json_t *symbols = NULL;
    WEIR_TRY(weir_json_get_array(json, "symbols", true, state->path, &symbols, err));
    size_t count = json_array_size(symbols);
    type->names = WEIR_NEW_ARRAY(state->arena, const char *, count);
    type->count = (int32_t)count;
    for (size_t i = 0; i < count; i++) {
        const char *symbol = json_string_value(json_array_get(symbols, i));
        if (symbol == NULL) {
            return weir_fail(err, WEIR_CORRUPT, "%s: a symbol of an enum in the Avro schema is no text", state->path);
        }
        type->names[i] = weir_arena_strdup(state->arena, symbol);
    }
    return WEIR_OK;
}

/* record, enum and fixed: they get a name, under which later parts of the schema may refer to them. */
static int parse_named(parser *state, const json_t *json, weir_avro_kind kind, const char *space, int depth,
                       const weir_avro_type **out, weir_error *err)
{
    const char *name = NULL;
    const char *own_space = NULL;
    WEIR_TRY(weir_json_get_string(json, "name", true, state->path, &name, err));
    WEIR_TRY(weir_json_get_string(json, "namespace", false, state->path, &own_space, err));
    const char *full = full_name(state, name, own_space != NULL ? own_space : space);
    weir_avro_type *type = new_type(state, kind, kind == WEIR_AVRO_ENUM ? 1 : 0);
    if (kind == WEIR_AVRO_RECORD) {
        WEIR_TRY(parse_fields(state, json, space_of(state, full), depth, type, err));
    } else if (kind == WEIR_AVRO_ENUM) {
        WEIR_TRY(parse_symbols(state, json, type, err));
    } else {
        WEIR_TRY(weir_json_get_int64(json, "size", true, state->path, &type->size, err));
        if (type->size < 0 || type->size > MAX_FIXED_BYTES) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the Avro type '%s' is fixed at %" PRId64 " bytes", state->path,
                             full, type->size);
        }
        type->min_bytes = (uint64_t)type->size;
    }
    if (weir_map_get(&state->named, weir_slice_text(full)) != NULL) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the Avro schema defines the type '%s' twice", state->path, full);
    }
    weir_map_put(&state->named, weir_slice_text(full), type);
    *out = type;
    return WEIR_OK;
}

static int parse_container(parser *state, const json_t *json, weir_avro_kind kind, const char *space, int depth,
                           const weir_avro_type **out, weir_error *err)
{
    weir_avro_type *type = new_type(state, kind, 1);
    type->children = WEIR_NEW_ARRAY(state->arena, const weir_avro_type *, 1);
    type->count = 1;
    const json_t *child = json_object_get(json, kind == WEIR_AVRO_ARRAY ? "items" : "values");
    WEIR_TRY(parse_type(state, child, space, depth, &type->children[0], err));
    WEIR_TRY(add_weight(state, type, type->children[0], err));
    *out = type;
    return WEIR_OK;
}

/* Logical types that stand on another type than they should are ignored, as the specification has it. */
static weir_avro_logical logical_of(const char *name, weir_avro_kind kind)
{
    static const struct {
        const char *name;
        weir_avro_logical logical;
        weir_avro_kind kind;
    } table[] = {
        {"date", WEIR_AVRO_DATE, WEIR_AVRO_INT},
        {"time-millis", WEIR_AVRO_MILLIS, WEIR_AVRO_INT},
        {"time-micros", WEIR_AVRO_MICROS, WEIR_AVRO_LONG},
        {"timestamp-millis", WEIR_AVRO_MILLIS, WEIR_AVRO_LONG},
        {"timestamp-micros", WEIR_AVRO_MICROS, WEIR_AVRO_LONG},
        {"timestamp-nanos", WEIR_AVRO_NANOS, WEIR_AVRO_LONG},
        {"local-timestamp-millis", WEIR_AVRO_MILLIS, WEIR_AVRO_LONG},
        {"local-timestamp-micros", WEIR_AVRO_MICROS, WEIR_AVRO_LONG},
        {"local-timestamp-nanos", WEIR_AVRO_NANOS, WEIR_AVRO_LONG},
        {"decimal", WEIR_AVRO_DECIMAL, WEIR_AVRO_BYTES},
        {"decimal", WEIR_AVRO_DECIMAL, WEIR_AVRO_FIXED},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].kind == kind && strcmp(table[i].name, name) == 0) {
            return table[i].logical;
        }
    }
    return WEIR_AVRO_PLAIN;
}

static int parse_logical(parser *state, const json_t *json, const weir_avro_type **type, weir_error *err)
{
    const char *name = NULL;
    WEIR_TRY(weir_json_get_string(json, "logicalType", false, state->path, &name, err));
    if (name == NULL) {
        return WEIR_OK;
    }
    weir_avro_logical logical = logical_of(name, (*type)->kind);
    if (logical == WEIR_AVRO_PLAIN) {
        return WEIR_OK;
    }
    /* A copy, for `{"type": "Name", "logicalType": …}` must not change the named type at its other uses. */
    weir_avro_type *copy = weir_arena_copy(state->arena, *type, sizeof **type);
    copy->logical = logical;
    if (logical == WEIR_AVRO_DECIMAL) {
        int64_t scale = 0;
        WEIR_TRY(weir_json_get_int64(json, "scale", false, state->path, &scale, err));
        if (scale < 0 || scale > INT32_MAX) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the Avro schema has a decimal of scale %" PRId64, state->path,
                             scale);
        }
        copy->scale = (int32_t)scale;
    }
    *type = copy;
    return WEIR_OK;
}

static int parse_object(parser *state, const json_t *json, const char *space, int depth, const weir_avro_type **out,
                        weir_error *err)
{
    static const struct {
        const char *name;
        weir_avro_kind kind;
    } named[] = {{"record", WEIR_AVRO_RECORD}, {"error", WEIR_AVRO_RECORD}, {"enum", WEIR_AVRO_ENUM},
                 {"fixed", WEIR_AVRO_FIXED},   {"array", WEIR_AVRO_ARRAY},  {"map", WEIR_AVRO_MAP}};
    const json_t *inner = json_object_get(json, "type");
    const char *name = json_string_value(inner);
    for (size_t i = 0; name != NULL && i < sizeof named / sizeof named[0]; i++) {
        if (strcmp(name, named[i].name) != 0) {
            continue;
        }
        if (named[i].kind == WEIR_AVRO_ARRAY || named[i].kind == WEIR_AVRO_MAP) {
            return parse_container(state, json, named[i].kind, space, depth, out, err);
        }
        WEIR_TRY(parse_named(state, json, named[i].kind, space, depth, out, err));
        return parse_logical(state, json, out, err);
    }
    WEIR_TRY(parse_type(state, inner, space, depth, out, err));
    return parse_logical(state, json, out, err);
}

static int parse_type(parser *state, const json_t *json, const char *space, int depth, const weir_avro_type **out,
                      weir_error *err)
{
    if (depth > MAX_DEPTH) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: the Avro schema is nested deeper than %d levels", state->path,
                         (int)MAX_DEPTH);
    }
    if (json_is_string(json)) {
        return parse_name(state, json_string_value(json), space, out, err);
    }
    if (json_is_array(json)) {
        return parse_union(state, json, space, depth + 1, out, err);
    }
    if (json_is_object(json)) {
        return parse_object(state, json, space, depth + 1, out, err);
    }
    return weir_fail(err, WEIR_CORRUPT, "%s: the Avro schema has a type that is neither a name, an object nor a union",
                     state->path);
}

int weir_avro_schema_parse(weir_slice json, const char *path, weir_arena *arena, const weir_avro_type **out,
                           weir_error *err)
{
    json_t *document = NULL;
    WEIR_TRY(weir_json_parse(json, path, &document, err));
    parser state = {.path = path, .arena = arena};
    const weir_avro_type *type = NULL;
    int code = parse_type(&state, document, NULL, 0, &type, err);
    weir_map_free(&state.named);
    json_decref(document);
    if (code == WEIR_OK) {
        *out = type;
    }
    return code;
}
