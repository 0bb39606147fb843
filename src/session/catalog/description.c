/* Descriptions of tables: from Paimon's schemas, and their parts as other rooms want them. */
#include "session/catalog/description.h"

#include <stdlib.h>

#include "session/catalog/schema_options.h"

weir_definition *weir_definition_create(const char *name)
{
    weir_definition *definition = weir_alloc_zeroed(1, sizeof *definition);
    weir_arena_init(&definition->arena);
    definition->name = weir_arena_strdup(&definition->arena, name);
    definition->users = 1;
    return definition;
}

weir_definition *weir_definition_keep(weir_definition *definition)
{
    definition->users++;
    return definition;
}

void weir_definition_free(weir_definition *definition)
{
    if (definition != NULL && --definition->users == 0) {
        weir_arena_free(&definition->arena);
        free(definition);
    }
}

int weir_description_of_schema(const weir_schema *schema, weir_arena *arena, weir_description *out, weir_error *err)
{
    *out = (weir_description){.comment = schema->comment};
    for (size_t i = 0; i < schema->options.count; i++) {
        if (!weir_is_schema_option(schema->options.keys[i])) {
            weir_options_set(&out->options, arena, schema->options.keys[i], schema->options.values[i]);
        }
    }
    return weir_schema_options_read(schema, arena, &out->columns, err);
}

const weir_field *weir_description_fields(const weir_description *description, weir_arena *arena, int32_t *out_count)
{
    const weir_bound_columns *columns = &description->columns;
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, columns->column_count);
    int32_t count = 0;
    for (int32_t i = 0; i < columns->column_count; i++) {
        if (columns->columns[i].kind == WEIR_SQL_PHYSICAL_COLUMN) {
            fields[count] = (weir_field){
                .id = count,
                .name = columns->columns[i].name,
                .type = columns->columns[i].type,
                .description = columns->columns[i].comment,
            };
            count++;
        }
    }
    *out_count = count;
    return fields;
}

const weir_field *weir_description_metadata(const weir_description *description, weir_arena *arena, int32_t *out_count)
{
    const weir_bound_columns *columns = &description->columns;
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, columns->column_count);
    int32_t count = 0;
    for (int32_t i = 0; i < columns->column_count; i++) {
        const weir_sql_column *column = &columns->columns[i];
        if (column->kind == WEIR_SQL_METADATA_COLUMN) {
            fields[count++] = (weir_field){.id = -1, .name = column->expression, .type = column->type};
        }
    }
    *out_count = count;
    return fields;
}

weir_connector_schema weir_description_connector_schema(const weir_description *description, const char *name,
                                                        weir_arena *arena)
{
    const weir_bound_columns *columns = &description->columns;
    weir_connector_schema schema = {
        .table = name,
        .primary_keys = weir_description_names(description, columns->primary_key, columns->primary_key_count, arena),
        .primary_key_count = columns->primary_key_count};
    schema.fields = weir_description_fields(description, arena, &schema.field_count);
    return schema;
}

const char **weir_description_names(const weir_description *description, const int32_t *positions, int32_t count,
                                    weir_arena *arena)
{
    const char **names = WEIR_NEW_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        names[i] = description->columns.columns[positions[i]].name;
    }
    return names;
}

void weir_options_of_ast(const weir_ast_options *pairs, weir_arena *arena, weir_options *out)
{
    for (int32_t i = 0; i < pairs->count; i++) {
        weir_options_set(out, arena, pairs->items[i].key, pairs->items[i].value);
    }
}
