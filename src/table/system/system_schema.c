/* System tables of what a table is: schemas, options, aggregation_fields. */
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "table/system/system_rows.h"

/* ---- schemas ---- */

const weir_field weir_schema_columns[] = {
    {.name = "schema_id", .type = &weir_system_bigint},    {.name = "fields", .type = &weir_system_text},
    {.name = "partition_keys", .type = &weir_system_text}, {.name = "primary_keys", .type = &weir_system_text},
    {.name = "options", .type = &weir_system_text},        {.name = "comment", .type = &weir_system_text_null},
    {.name = "update_time", .type = &weir_system_time},
};

/* As Jackson writes it without blanks. */
static void put_json(weir_system_rows *rows, const json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY);
    weir_system_put_text(rows, text != NULL ? text : "");
    free(text);
}

/* Java keeps the secrets of a store with a table that was created with them. */
static void hide_secrets(json_t *options)
{
    const char *key;
    json_t *value;
    json_object_foreach(options, key, value)
    {
        const char *shown = weir_option_shown(key, json_string_value(value));
        if (shown != json_string_value(value)) {
            json_string_set(value, shown);
        }
    }
}

static int add_schema(weir_system_rows *rows, const weir_schema *schema)
{
    json_t *document = weir_schema_to_json(schema);
    hide_secrets(json_object_get(document, "options"));
    weir_system_put_bigint(rows, schema->id);
    put_json(rows, json_object_get(document, "fields"));
    put_json(rows, json_object_get(document, "partitionKeys"));
    put_json(rows, json_object_get(document, "primaryKeys"));
    put_json(rows, json_object_get(document, "options"));
    weir_system_put_text(rows, schema->comment);
    weir_system_put_time(rows, weir_local_ms(schema->time_ms));
    json_decref(document);
    return weir_system_end_row(rows);
}

int weir_system_read_schemas(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    int code = WEIR_OK;
    for (int64_t id = 0; id <= table->latest_schema_id && code == WEIR_OK; id++) {
        weir_arena arena;
        weir_schema *schema = NULL;
        weir_arena_init(&arena);
        code = weir_schema_read(table->context.fs, table->context.paths.root, id, &arena, &schema, err);
        if (code == WEIR_OK) {
            code = add_schema(&rows, schema);
        } else if (code == WEIR_NOT_FOUND) { /* a branch begins with the schema of its tag */
            weir_error_clear(err);
            code = WEIR_OK;
        }
        weir_arena_free(&arena);
    }
    return code;
}

/* ---- options ---- */

const weir_field weir_option_columns[] = {
    {.name = "key", .type = &weir_system_text},
    {.name = "value", .type = &weir_system_text},
};

static int read_stored(const weir_table *table, weir_arena *arena, weir_schema **out, weir_error *err)
{
    return weir_schema_read(table->context.fs, table->context.paths.root, table->latest_schema_id, arena, out, err);
}

int weir_system_read_options(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    int code = read_stored(table, &arena, &schema, err);
    for (size_t i = 0; code == WEIR_OK && i < schema->options.count; i++) {
        weir_system_put_text(&rows, schema->options.keys[i]);
        weir_system_put_text(&rows, weir_option_shown(schema->options.keys[i], schema->options.values[i]));
        code = weir_system_end_row(&rows);
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- aggregation_fields ---- */

const weir_field weir_aggregation_columns[] = {
    {.name = "field_name", .type = &weir_system_text},    {.name = "field_type", .type = &weir_system_text},
    {.name = "function", .type = &weir_system_text_null}, {.name = "function_options", .type = &weir_system_text_null},
    {.name = "comment", .type = &weir_system_text_null},
};

/* Whether `key` is fields.<name>.<something>. */
static bool is_option_of(const char *key, const char *name)
{
    size_t size = strlen(name);
    return strncmp(key, "fields.", 7) == 0 && strncmp(key + 7, name, size) == 0 && key[7 + size] == '.';
}

/* "[a, b]": the values, or the keys, of the options of one field. */
static void put_options_of(weir_system_rows *rows, const weir_options *options, const char *name, bool keys)
{
    weir_buffer text = {0};
    weir_buffer_append_byte(&text, '[');
    for (size_t i = 0; i < options->count; i++) {
        if (is_option_of(options->keys[i], name)) {
            weir_buffer_append_format(&text, "%s%s", text.size > 1 ? ", " : "",
                                      keys ? options->keys[i] : options->values[i]);
        }
    }
    weir_buffer_append_byte(&text, ']');
    weir_system_put_buffer(rows, &text);
    weir_buffer_free(&text);
}

int weir_system_read_aggregation_fields(const weir_table *table, weir_batch *out, weir_error *err)
{
    weir_system_rows rows = weir_system_rows_of(out, err);
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_arena_init(&arena);
    int code = read_stored(table, &arena, &schema, err);
    for (int32_t i = 0; code == WEIR_OK && i < schema->field_count; i++) {
        const weir_field *field = &schema->fields[i];
        weir_system_put_text(&rows, field->name);
        weir_system_put_text(&rows, weir_type_text(&arena, field->type));
        put_options_of(&rows, &schema->options, field->name, false);
        put_options_of(&rows, &schema->options, field->name, true);
        weir_system_put_text(&rows, field->description);
        code = weir_system_end_row(&rows);
    }
    weir_arena_free(&arena);
    return code;
}
