/* Types and fields as the JSON of Paimon's schema files: a string for a type without parts, an object for one with. */
#include "base/json.h"
#include "vector/type.h"

static int type_from_json(const json_t *json, const char *path, int depth, weir_arena *arena, const weir_type **out,
                          weir_error *err);

static int member_type(const json_t *json, const char *name, const char *path, int depth, weir_arena *arena,
                       const weir_type **out, weir_error *err)
{
    const json_t *member = json_object_get(json, name);
    if (member == NULL) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the member \"%s\" is missing from a type", path, name);
    }
    return type_from_json(member, path, depth + 1, arena, out, err);
}

static int field_from_json(const json_t *json, const char *path, int depth, weir_arena *arena, weir_field *out,
                           weir_error *err)
{
    int64_t id = -1;
    const char *name = NULL;
    const char *description = NULL;
    const char *default_value = NULL;
    const weir_type *type = NULL;
    WEIR_TRY(weir_json_get_int64(json, "id", false, path, &id, err));
    WEIR_TRY(weir_json_get_string(json, "name", true, path, &name, err));
    WEIR_TRY(weir_json_get_string(json, "description", false, path, &description, err));
    WEIR_TRY(weir_json_get_string(json, "defaultValue", false, path, &default_value, err));
    WEIR_TRY_CTX(member_type(json, "type", path, depth, arena, &type, err), err, "field \"%s\"", name);
    if (id < -1 || id > INT32_MAX) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the field \"%s\" has the id %" PRId64, path, name, id);
    }
    *out = (weir_field){
        .id = (int32_t)id,
        .name = weir_arena_strdup(arena, name),
        .type = type,
        .description = weir_arena_strdup(arena, description),
        .default_value = weir_arena_strdup(arena, default_value),
    };
    return WEIR_OK;
}

static int row_fields(const json_t *json, const char *path, int depth, weir_arena *arena, weir_type *type,
                      weir_error *err)
{
    json_t *array = NULL;
    WEIR_TRY(weir_json_get_array(json, "fields", true, path, &array, err));
    size_t count = json_array_size(array);
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, count);
    for (size_t i = 0; i < count; i++) {
        WEIR_TRY(field_from_json(json_array_get(array, i), path, depth + 1, arena, &fields[i], err));
    }
    type->fields = fields;
    type->field_count = (int32_t)count;
    return WEIR_OK;
}

/* Whether `text` is `name`, followed by nothing or by NOT NULL, which is told by *nullable. */
static bool is_nested_name(const char *text, const char *name, bool *nullable)
{
    size_t size = strlen(name);
    if (strncmp(text, name, size) != 0 || (text[size] != 0 && text[size] != ' ')) {
        return false;
    }
    *nullable = strstr(text + size, "NOT NULL") == NULL;
    return true;
}

static int object_from_json(const json_t *json, const char *path, int depth, weir_arena *arena, const weir_type **out,
                            weir_error *err)
{
    const char *name = NULL;
    bool nullable = true;
    WEIR_TRY(weir_json_get_string(json, "type", true, path, &name, err));
    weir_type *type = weir_type_new(arena, WEIR_ROW, true);
    if (is_nested_name(name, "ARRAY", &nullable)) {
        type->id = WEIR_ARRAY;
        WEIR_TRY(member_type(json, "element", path, depth, arena, &type->element, err));
    } else if (is_nested_name(name, "MULTISET", &nullable)) {
        type->id = WEIR_MULTISET;
        type->element = weir_type_simple(WEIR_INT, false);
        WEIR_TRY(member_type(json, "element", path, depth, arena, &type->key, err));
    } else if (is_nested_name(name, "MAP", &nullable)) {
        type->id = WEIR_MAP;
        WEIR_TRY(member_type(json, "key", path, depth, arena, &type->key, err));
        WEIR_TRY(member_type(json, "value", path, depth, arena, &type->element, err));
    } else if (is_nested_name(name, "ROW", &nullable)) {
        WEIR_TRY(row_fields(json, path, depth, arena, type, err));
    } else if (is_nested_name(name, "VECTOR", &nullable)) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: the type VECTOR is not supported", path);
    } else {
        return weir_fail(err, WEIR_CORRUPT, "%s: there is no nested type \"%s\"", path, name);
    }
    type->nullable = nullable;
    *out = type;
    return WEIR_OK;
}

static int type_from_json(const json_t *json, const char *path, int depth, weir_arena *arena, const weir_type **out,
                          weir_error *err)
{
    if (depth > WEIR_MAX_TYPE_DEPTH) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a type is nested more than %d deep", path, WEIR_MAX_TYPE_DEPTH);
    }
    if (json_is_string(json)) {
        int code = weir_type_parse(json_string_value(json), arena, out, err);
        if (code == WEIR_INVALID) { /* what is a mistake in SQL is damage in a file */
            code = WEIR_CORRUPT;
            if (err != NULL) {
                err->code = WEIR_CORRUPT;
            }
        }
        return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "%s", path);
    }
    if (json_is_object(json)) {
        return object_from_json(json, path, depth, arena, out, err);
    }
    return weir_fail(err, WEIR_CORRUPT, "%s: a type must be a string or an object", path);
}

int weir_type_from_json(const json_t *json, const char *path, weir_arena *arena, const weir_type **out, weir_error *err)
{
    return type_from_json(json, path, 1, arena, out, err);
}

int weir_field_from_json(const json_t *json, const char *path, weir_arena *arena, weir_field *out, weir_error *err)
{
    return field_from_json(json, path, 0, arena, out, err);
}

static json_t *nested_object(const weir_type *type, const char *name, const char *name_not_null)
{
    json_t *object = json_object();
    json_object_set_new(object, "type", json_string(type->nullable ? name : name_not_null));
    return object;
}

json_t *weir_type_to_json(const weir_type *type)
{
    json_t *json = NULL;
    switch (type->id) {
    case WEIR_ARRAY:
        json = nested_object(type, "ARRAY", "ARRAY NOT NULL");
        json_object_set_new(json, "element", weir_type_to_json(type->element));
        return json;
    case WEIR_MULTISET:
        json = nested_object(type, "MULTISET", "MULTISET NOT NULL");
        json_object_set_new(json, "element", weir_type_to_json(type->key));
        return json;
    case WEIR_MAP:
        json = nested_object(type, "MAP", "MAP NOT NULL");
        json_object_set_new(json, "key", weir_type_to_json(type->key));
        json_object_set_new(json, "value", weir_type_to_json(type->element));
        return json;
    case WEIR_ROW: {
        json_t *fields = json_array();
        for (int32_t i = 0; i < type->field_count; i++) {
            json_array_append_new(fields, weir_field_to_json(&type->fields[i]));
        }
        json = nested_object(type, "ROW", "ROW NOT NULL");
        json_object_set_new(json, "fields", fields);
        return json;
    }
    default: {
        weir_buffer text = {0};
        weir_type_format(type, &text);
        json = json_stringn((const char *)text.data, text.size);
        weir_buffer_free(&text);
        return json;
    }
    }
}

json_t *weir_field_to_json(const weir_field *field)
{
    json_t *json = json_object();
    json_object_set_new(json, "id", json_integer(field->id));
    json_object_set_new(json, "name", json_string(field->name));
    json_object_set_new(json, "type", weir_type_to_json(field->type));
    if (field->description != NULL) {
        json_object_set_new(json, "description", json_string(field->description));
    }
    if (field->default_value != NULL) {
        json_object_set_new(json, "defaultValue", json_string(field->default_value));
    }
    return json;
}
