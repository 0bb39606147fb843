/* Schema files: schema/schema-<id>, read, written and found. Making a new schema is schema_create.c. */
#include "meta/schema.h"

#include "base/json.h"
#include "base/text.h"
#include "meta/numbered.h"

static int32_t find_column(const weir_field *fields, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t weir_schema_column(const weir_schema *schema, const char *name)
{
    return find_column(schema->fields, schema->field_count, name);
}

int32_t weir_schema_column_by_id(const weir_schema *schema, int32_t field_id)
{
    for (int32_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].id == field_id) {
            return i;
        }
    }
    return -1;
}

static bool is_one_of(const char *const *names, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int locate_keys(const weir_schema *schema, const char *const *keys, int32_t count, const char *path,
                       weir_arena *arena, int32_t **out, weir_error *err)
{
    int32_t *columns = WEIR_NEW_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        columns[i] = weir_schema_column(schema, keys[i]);
        if (columns[i] < 0) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the key '%s' is not a column", path, keys[i]);
        }
    }
    *out = columns;
    return WEIR_OK;
}

int weir_schema_derive(weir_schema *schema, const char *path, weir_arena *arena, weir_error *err)
{
    WEIR_TRY(locate_keys(schema, schema->partition_keys, schema->partition_key_count, path, arena,
                         &schema->partition_columns, err));
    WEIR_TRY(locate_keys(schema, schema->primary_keys, schema->primary_key_count, path, arena, &schema->primary_columns,
                         err));
    schema->key_columns = WEIR_NEW_ARRAY(arena, int32_t, schema->primary_key_count);
    schema->key_column_count = 0;
    for (int32_t i = 0; i < schema->primary_key_count; i++) {
        if (!is_one_of(schema->partition_keys, schema->partition_key_count, schema->primary_keys[i])) {
            schema->key_columns[schema->key_column_count++] = schema->primary_columns[i];
        }
    }
    return WEIR_OK;
}

/* ---- reading ---- */

static int parse_fields(const json_t *document, const char *path, weir_arena *arena, weir_schema *schema,
                        weir_error *err)
{
    json_t *array = NULL;
    WEIR_TRY(weir_json_get_array(document, "fields", true, path, &array, err));
    int32_t count = (int32_t)json_array_size(array);
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, count);
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(weir_field_from_json(json_array_get(array, (size_t)i), path, arena, &fields[i], err));
        if (find_column(fields, i, fields[i].name) >= 0) {
            return weir_fail(err, WEIR_CORRUPT, "%s: two columns are named '%s'", path, fields[i].name);
        }
    }
    schema->fields = fields;
    schema->field_count = count;
    return WEIR_OK;
}

static int parse_names(const json_t *document, const char *member, const char *path, weir_arena *arena,
                       const char ***out, int32_t *out_count, weir_error *err)
{
    json_t *array = NULL;
    WEIR_TRY(weir_json_get_array(document, member, false, path, &array, err));
    int32_t count = (int32_t)json_array_size(array);
    const char **names = WEIR_NEW_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(array, (size_t)i));
        if (name == NULL) {
            return weir_fail(err, WEIR_CORRUPT, "%s: '%s' holds something that is no name", path, member);
        }
        names[i] = weir_arena_strdup(arena, name);
    }
    *out = names;
    *out_count = count;
    return WEIR_OK;
}

static int parse_options(const json_t *document, const char *path, weir_arena *arena, weir_options *out,
                         weir_error *err)
{
    json_t *object = NULL;
    const char *key;
    json_t *value;
    WEIR_TRY(weir_json_get_object(document, "options", false, path, &object, err));
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value)) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the option '%s' is no text", path, key);
        }
        weir_options_set(out, arena, key, json_string_value(value));
    }
    return WEIR_OK;
}

/* What older versions meant by an option that is not set. */
static void fill_old_defaults(int64_t version, weir_arena *arena, weir_options *options)
{
    if (version <= 1 && weir_options_get(options, "bucket") == NULL) {
        weir_options_set(options, arena, "bucket", "1");
    }
    if (version <= 2 && weir_options_get(options, "file.format") == NULL) {
        weir_options_set(options, arena, "file.format", "orc");
    }
}

static int parse_document(const json_t *document, const char *path, weir_arena *arena, weir_schema *schema,
                          weir_error *err)
{
    int64_t version = 1;
    int64_t highest = 0;
    const char *comment = NULL;
    WEIR_TRY(weir_json_get_int64(document, "version", false, path, &version, err));
    if (version > 3) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: a schema of version %" PRId64 "; versions up to 3 are known", path,
                         version);
    }
    WEIR_TRY(weir_json_get_int64(document, "id", true, path, &schema->id, err));
    WEIR_TRY(parse_fields(document, path, arena, schema, err));
    WEIR_TRY(weir_json_get_int64(document, "highestFieldId", false, path, &highest, err));
    schema->highest_field_id = (int32_t)highest;
    WEIR_TRY(parse_names(document, "partitionKeys", path, arena, &schema->partition_keys, &schema->partition_key_count,
                         err));
    WEIR_TRY(parse_names(document, "primaryKeys", path, arena, &schema->primary_keys, &schema->primary_key_count, err));
    WEIR_TRY(parse_options(document, path, arena, &schema->options, err));
    fill_old_defaults(version, arena, &schema->options);
    WEIR_TRY(weir_json_get_string(document, "comment", false, path, &comment, err));
    schema->comment = weir_arena_strdup(arena, comment);
    WEIR_TRY(weir_json_get_int64(document, "timeMillis", false, path, &schema->time_ms, err));
    return weir_schema_derive(schema, path, arena, err);
}

int weir_schema_parse(weir_slice text, const char *path, weir_arena *arena, weir_schema **out, weir_error *err)
{
    json_t *document = NULL;
    WEIR_TRY(weir_json_parse(text, path, &document, err));
    weir_schema *schema = WEIR_NEW(arena, weir_schema);
    int code = parse_document(document, path, arena, schema, err);
    json_decref(document);
    if (code == WEIR_OK) {
        *out = schema;
    }
    return code;
}

static const char *schema_path(weir_arena *arena, const char *root, int64_t id)
{
    return weir_arena_format(arena, "%s/schema/schema-%" PRId64, root, id);
}

int weir_schema_read(weir_fs *fs, const char *root, int64_t id, weir_arena *arena, weir_schema **out, weir_error *err)
{
    const char *path = schema_path(arena, root, id);
    weir_buffer text = {0};
    int code;
    WEIR_GO(weir_fs_read_all(fs, path, &text, err));
    WEIR_GO(weir_schema_parse(weir_buffer_slice(&text), path, arena, out, err));
    if ((*out)->id != id) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: holds the schema %" PRId64, path, (*out)->id);
    }
done:
    weir_buffer_free(&text);
    return code;
}

int weir_schema_read_latest(weir_fs *fs, const char *root, weir_arena *arena, weir_schema **out, weir_error *err)
{
    int64_t *ids = NULL;
    size_t count = 0;
    const char *folder = weir_arena_format(arena, "%s/schema", root);
    WEIR_TRY(weir_numbered_list(fs, folder, "schema-", arena, &ids, &count, err));
    if (count == 0 || ids[count - 1] < 0) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s: no table here (it has no schema)", root);
    }
    return weir_schema_read(fs, root, ids[count - 1], arena, out, err);
}

/* ---- writing ---- */

static json_t *names_to_json(const char *const *names, int32_t count)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < count; i++) {
        json_array_append_new(array, json_string(names[i]));
    }
    return array;
}

json_t *weir_schema_to_json(const weir_schema *schema)
{
    json_t *document = json_object();
    json_t *fields = json_array();
    json_t *options = json_object();
    for (int32_t i = 0; i < schema->field_count; i++) {
        json_array_append_new(fields, weir_field_to_json(&schema->fields[i]));
    }
    for (size_t i = 0; i < schema->options.count; i++) {
        json_object_set_new(options, schema->options.keys[i], json_string(schema->options.values[i]));
    }
    json_object_set_new(document, "version", json_integer(3));
    json_object_set_new(document, "id", json_integer(schema->id));
    json_object_set_new(document, "fields", fields);
    json_object_set_new(document, "highestFieldId", json_integer(schema->highest_field_id));
    json_object_set_new(document, "partitionKeys", names_to_json(schema->partition_keys, schema->partition_key_count));
    json_object_set_new(document, "primaryKeys", names_to_json(schema->primary_keys, schema->primary_key_count));
    json_object_set_new(document, "options", options);
    if (schema->comment != NULL) {
        json_object_set_new(document, "comment", json_string(schema->comment));
    }
    json_object_set_new(document, "timeMillis", json_integer(schema->time_ms));
    return document;
}

void weir_schema_format(const weir_schema *schema, weir_buffer *out)
{
    json_t *document = weir_schema_to_json(schema);
    weir_json_write_pretty(document, out);
    json_decref(document);
}

int weir_schema_publish(weir_fs *fs, const char *root, const weir_schema *schema, weir_error *err)
{
    weir_arena arena;
    weir_buffer text = {0};
    weir_arena_init(&arena);
    weir_schema_format(schema, &text);
    int code = weir_fs_publish(fs, schema_path(&arena, root, schema->id), weir_buffer_slice(&text), err);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}
