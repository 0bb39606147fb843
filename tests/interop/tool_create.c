/* create: a table from the description that the Java peer takes:
 *
 *   {"fields": [{"name", "type", "description"?}], "primaryKeys": [], "partitionKeys": [], "options": {}, "comment"?}
 */
#include <stdio.h>

#include "table_tool.h"

static int read_field(tool_call *call, const json_t *json, const char *path, weir_field *out, weir_error *err)
{
    const json_t *type = json_object_get(json, "type");
    WEIR_TRY(weir_json_get_string(json, "name", true, path, &out->name, err));
    WEIR_TRY(weir_json_get_string(json, "description", false, path, &out->description, err));
    out->id = -1;
    return json_is_string(type) ? weir_type_parse(json_string_value(type), &call->arena, &out->type, err)
                                : weir_type_from_json(type, path, &call->arena, &out->type, err);
}

static int read_fields(tool_call *call, const json_t *document, const char *path, weir_field **out, int32_t *out_count,
                       weir_error *err)
{
    json_t *list = NULL;
    WEIR_TRY(weir_json_get_array(document, "fields", true, path, &list, err));
    int32_t count = (int32_t)json_array_size(list);
    weir_field *fields = WEIR_NEW_ARRAY(&call->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(read_field(call, json_array_get(list, (size_t)i), path, &fields[i], err));
    }
    *out = fields;
    *out_count = count;
    return WEIR_OK;
}

static int read_names(tool_call *call, const json_t *document, const char *name, const char *path, const char ***out,
                      int32_t *out_count, weir_error *err)
{
    json_t *list = NULL;
    WEIR_TRY(weir_json_get_array(document, name, false, path, &list, err));
    *out_count = (int32_t)json_array_size(list);
    *out = WEIR_NEW_ARRAY(&call->arena, const char *, *out_count + 1);
    for (int32_t i = 0; i < *out_count; i++) {
        (*out)[i] = json_string_value(json_array_get(list, (size_t)i));
        if ((*out)[i] == NULL) {
            return weir_fail(err, WEIR_INVALID, "%s: %s must be a list of names", path, name);
        }
    }
    return WEIR_OK;
}

static int read_options(tool_call *call, json_t *document, const char *path, weir_options *out, weir_error *err)
{
    json_t *object = NULL, *value;
    const char *key;
    WEIR_TRY(weir_json_get_object(document, "options", false, path, &object, err));
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value)) {
            return weir_fail(err, WEIR_INVALID, "%s: option %s must be a string", path, key);
        }
        weir_options_set(out, &call->arena, key, json_string_value(value));
    }
    return WEIR_OK;
}

static int make_schema(tool_call *call, json_t *document, const char *path, weir_schema **out, weir_error *err)
{
    weir_field *fields = NULL;
    int32_t field_count = 0, key_count = 0, partition_count = 0;
    const char **keys = NULL, **partitions = NULL, *comment = NULL;
    weir_options options = {0};
    WEIR_TRY(read_fields(call, document, path, &fields, &field_count, err));
    WEIR_TRY(read_names(call, document, "primaryKeys", path, &keys, &key_count, err));
    WEIR_TRY(read_names(call, document, "partitionKeys", path, &partitions, &partition_count, err));
    WEIR_TRY(read_options(call, document, path, &options, err));
    WEIR_TRY(weir_json_get_string(document, "comment", false, path, &comment, err));
    return weir_schema_create(&call->arena, fields, field_count, keys, key_count, partitions, partition_count, &options,
                              comment, out, err);
}

int tool_create(tool_call *call, weir_error *err)
{
    const char *warehouse = NULL, *database = NULL, *name = NULL, *path = NULL;
    WEIR_TRY(tool_word(call, 0, "the warehouse", &warehouse, err));
    WEIR_TRY(tool_word(call, 1, "the database", &database, err));
    WEIR_TRY(tool_word(call, 2, "the table's name", &name, err));
    WEIR_TRY(tool_word(call, 3, "the file with the schema", &path, err));
    weir_buffer text = {0};
    json_t *document = NULL;
    weir_schema *schema = NULL;
    const char *root = weir_arena_format(&call->arena, "%s/%s.db/%s", warehouse, database, name);
    int code = WEIR_OK;
    WEIR_GO(weir_fs_read_all(weir_fs_local(), path, &text, err));
    WEIR_GO(weir_json_parse(weir_buffer_slice(&text), path, &document, err));
    WEIR_GO(make_schema(call, document, path, &schema, err));
    WEIR_GO(weir_schema_publish(weir_fs_local(), root, schema, err));
    printf("{\"path\":\"%s\"}\n", root);
done:
    json_decref(document);
    weir_buffer_free(&text);
    return code;
}
