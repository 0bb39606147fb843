/* A new table's schema: field ids, and keys from the statement or from options. What must hold of it is in
 * schema_check.c. */
#include "base/clock.h"
#include "meta/schema_check.h"

typedef struct creation {
    weir_arena *arena;
    weir_schema *schema;
    weir_field *fields;
    int32_t last_id;
} creation;

/* ---- field ids ---- */

/* Ids inside a ROW: a field's own nested fields come before it. Columns of the table are the other way round; both are
 * what Java does, and files of other engines find nested columns by these ids. */
static const weir_type *row_with_ids(weir_arena *arena, const weir_type *type, int32_t *last_id)
{
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, type->field_count);
    for (int32_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].name = weir_arena_strdup(arena, fields[i].name);
        fields[i].description = weir_arena_strdup(arena, fields[i].description);
        fields[i].default_value = weir_arena_strdup(arena, fields[i].default_value);
        fields[i].type = weir_type_with_ids(arena, fields[i].type, last_id);
        fields[i].id = ++*last_id;
    }
    return weir_type_row(arena, fields, type->field_count, type->nullable);
}

const weir_type *weir_type_with_ids(weir_arena *arena, const weir_type *type, int32_t *last_id)
{
    switch (type->id) {
    case WEIR_ARRAY:
        return weir_type_array(arena, weir_type_with_ids(arena, type->element, last_id), type->nullable);
    case WEIR_MULTISET:
        return weir_type_multiset(arena, weir_type_with_ids(arena, type->key, last_id), type->nullable);
    case WEIR_MAP: {
        const weir_type *key = weir_type_with_ids(arena, type->key, last_id);
        return weir_type_map(arena, key, weir_type_with_ids(arena, type->element, last_id), type->nullable);
    }
    case WEIR_ROW:
        return row_with_ids(arena, type, last_id);
    default:
        return weir_type_copy(arena, type);
    }
}

/* ---- columns ---- */

static void create_fields(creation *self, const weir_field *fields, int32_t count)
{
    self->fields = WEIR_NEW_ARRAY(self->arena, weir_field, count);
    for (int32_t i = 0; i < count; i++) {
        weir_field *field = &self->fields[i];
        field->id = ++self->last_id;
        field->name = weir_arena_strdup(self->arena, fields[i].name);
        field->description = weir_arena_strdup(self->arena, fields[i].description);
        field->default_value = weir_arena_strdup(self->arena, fields[i].default_value);
        field->type = weir_type_with_ids(self->arena, fields[i].type, &self->last_id);
    }
    self->schema->fields = self->fields;
    self->schema->field_count = count;
    self->schema->highest_field_id = self->last_id;
}

/* ---- keys ---- */

/* Keys come from the statement or from an option, not from both; the option does not stay. */
static int take_keys(creation *self, const char *const *keys, int32_t count, const char *option, const char *what,
                     const char ***out, int32_t *out_count, weir_error *err)
{
    const char *text = weir_options_get(&self->schema->options, option);
    if (text != NULL && count > 0) {
        return weir_fail(err, WEIR_INVALID, "the %s is given twice: by the statement and by the option '%s'", what,
                         option);
    }
    const char **names = WEIR_NEW_ARRAY(self->arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        names[i] = weir_arena_strdup(self->arena, keys[i]);
    }
    if (text != NULL) {
        names = weir_split_names(self->arena, text, &count);
        weir_options_unset(&self->schema->options, option);
    }
    for (int32_t i = 0; i < count; i++) {
        if (weir_schema_column(self->schema, names[i]) < 0) {
            return weir_schema_unknown_column(self->schema, what, names[i], self->arena, err);
        }
        if (weir_names_have(names, i, names[i])) {
            return weir_fail(err, WEIR_INVALID, "the %s names '%s' twice", what, names[i]);
        }
    }
    *out = names;
    *out_count = count;
    return WEIR_OK;
}

static int create_keys(creation *self, const char *const *primary_keys, int32_t primary_count,
                       const char *const *partition_keys, int32_t partition_count, weir_error *err)
{
    weir_schema *schema = self->schema;
    WEIR_TRY(take_keys(self, primary_keys, primary_count, "primary-key", "primary key", &schema->primary_keys,
                       &schema->primary_key_count, err));
    WEIR_TRY(take_keys(self, partition_keys, partition_count, "partition", "partitioning", &schema->partition_keys,
                       &schema->partition_key_count, err));
    for (int32_t i = 0; i < schema->primary_key_count; i++) {
        weir_field *field = &self->fields[weir_schema_column(schema, schema->primary_keys[i])];
        field->type = weir_type_nullable(self->arena, field->type, false);
    }
    return weir_schema_derive(schema, "the new table", self->arena, err);
}

int weir_schema_create(weir_arena *arena, const weir_field *fields, int32_t field_count,
                       const char *const *primary_keys, int32_t primary_key_count, const char *const *partition_keys,
                       int32_t partition_key_count, const weir_options *options, const char *comment, weir_schema **out,
                       weir_error *err)
{
    static const weir_options no_options;
    weir_schema *schema = WEIR_NEW(arena, weir_schema);
    creation self = {.arena = arena, .schema = schema, .last_id = -1};
    weir_options_merge(arena, options == NULL ? &no_options : options, NULL, &schema->options);
    for (size_t i = 0; i < schema->options.count; i++) {
        WEIR_TRY(weir_option_check(schema->options.keys[i], schema->options.values[i], err));
    }
    create_fields(&self, fields, field_count);
    WEIR_TRY(create_keys(&self, primary_keys, primary_key_count, partition_keys, partition_key_count, err));
    WEIR_TRY(weir_schema_check(schema, NULL, arena, err));
    schema->comment = weir_arena_strdup(arena, comment);
    schema->time_ms = weir_now_ms();
    *out = schema;
    return WEIR_OK;
}
