/* Computed columns and watermarks of Paimon tables: to and from the table's options, as Flink does it. */
#include "session/catalog/schema_options.h"

#include "base/text.h"
#include "sql/type.h"

#define PREFIX           "schema."
#define WATERMARK_COLUMN "schema.watermark.0.rowtime"
#define WATERMARK_TEXT   "schema.watermark.0.strategy.expr"
#define WATERMARK_TYPE   "schema.watermark.0.strategy.data-type"

bool weir_is_schema_option(const char *key) { return strncmp(key, PREFIX, sizeof PREFIX - 1) == 0; }

/* ---- reading ---- */

static const char *part_of(const weir_schema *schema, int32_t position, const char *part)
{
    char key[64];
    snprintf(key, sizeof key, PREFIX "%d.%s", position, part);
    return weir_options_get(&schema->options, key);
}

/* How many columns there are in the options beside the stored ones. Earlier versions of Flink wrote stored ones there
 * as well. */
static int32_t count_others(const weir_schema *schema)
{
    int32_t count = 0;
    for (size_t i = 0; i < schema->options.count; i++) {
        const char *key = schema->options.keys[i];
        size_t size = strlen(key);
        bool is_name = weir_is_schema_option(key) && size > 5 && strcmp(key + size - 5, ".name") == 0;
        count += is_name && weir_schema_column(schema, schema->options.values[i]) < 0;
    }
    return count;
}

static void add_stored(const weir_schema *schema, int32_t field, weir_bound_columns *out)
{
    out->columns[out->column_count++] = (weir_sql_column){
        .kind = WEIR_SQL_PHYSICAL_COLUMN,
        .name = schema->fields[field].name,
        .type = schema->fields[field].type,
        .comment = schema->fields[field].description,
    };
}

static int add_other(const weir_schema *schema, int32_t position, weir_arena *arena, weir_bound_columns *out,
                     weir_error *err)
{
    const char *type = part_of(schema, position, "data-type");
    const char *computed = part_of(schema, position, "expr");
    const char *metadata = part_of(schema, position, "metadata");
    const char *is_virtual = part_of(schema, position, "virtual");
    weir_sql_column column = {
        .kind = computed != NULL ? WEIR_SQL_COMPUTED_COLUMN : WEIR_SQL_METADATA_COLUMN,
        .name = part_of(schema, position, "name"),
        .comment = part_of(schema, position, "comment"),
        .expression = computed != NULL ? computed : metadata,
        .is_virtual = is_virtual != NULL && weir_text_equal_ignore_case(is_virtual, "true"),
    };
    if (type == NULL || column.expression == NULL) {
        return weir_fail(err, WEIR_CORRUPT,
                         "the options of column '%s' lack its type or expression; RESET ('schema.%d.name')",
                         column.name, position);
    }
    WEIR_TRY_CTX(weir_type_parse(type, arena, &column.type, err), err, "the type of column '%s'", column.name);
    out->columns[out->column_count++] = column;
    return WEIR_OK;
}

static int32_t *map_keys(const weir_bound_columns *columns, const char *const *keys, int32_t count, weir_arena *arena)
{
    int32_t *positions = WEIR_NEW_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        positions[i] = weir_bound_columns_find(columns, keys[i]);
    }
    return positions;
}

static void read_watermark(const weir_schema *schema, weir_bound_columns *out)
{
    const char *column = weir_options_get(&schema->options, WATERMARK_COLUMN);
    out->watermark_expression = weir_options_get(&schema->options, WATERMARK_TEXT);
    out->watermark_column =
        column == NULL || out->watermark_expression == NULL ? -1 : weir_bound_columns_find(out, column);
}

int weir_schema_options_read(const weir_schema *schema, weir_arena *arena, weir_bound_columns *out, weir_error *err)
{
    int32_t others = count_others(schema);
    int32_t stored = 0;
    *out = (weir_bound_columns){.columns = WEIR_NEW_ARRAY(arena, weir_sql_column, schema->field_count + others)};
    for (int32_t i = 0; i < schema->field_count + others; i++) {
        const char *name = others == 0 ? NULL : part_of(schema, i, "name");
        if (name != NULL && weir_schema_column(schema, name) < 0) {
            WEIR_TRY(add_other(schema, i, arena, out, err));
        } else if (stored < schema->field_count) {
            add_stored(schema, stored++, out);
        }
    }
    while (stored < schema->field_count) {
        add_stored(schema, stored++, out);
    }
    out->primary_key = map_keys(out, schema->primary_keys, schema->primary_key_count, arena);
    out->primary_key_count = schema->primary_key_count;
    out->partition_keys = map_keys(out, schema->partition_keys, schema->partition_key_count, arena);
    out->partition_key_count = schema->partition_key_count;
    read_watermark(schema, out);
    return WEIR_OK;
}

/* ---- writing ---- */

static void set_part(weir_options *out, weir_arena *arena, int32_t position, const char *part, const char *value)
{
    weir_options_set(out, arena, weir_arena_format(arena, PREFIX "%d.%s", position, part), value);
}

void weir_schema_options_write(const weir_bound_columns *columns, weir_arena *arena, weir_options *out)
{
    for (int32_t i = 0; i < columns->column_count; i++) {
        const weir_sql_column *column = &columns->columns[i];
        if (column->kind == WEIR_SQL_PHYSICAL_COLUMN) {
            continue;
        }
        set_part(out, arena, i, "name", column->name);
        set_part(out, arena, i, "data-type", weir_sql_type_text(arena, column->type));
        if (column->kind == WEIR_SQL_COMPUTED_COLUMN) {
            set_part(out, arena, i, "expr", column->expression);
        } else {
            set_part(out, arena, i, "metadata", column->expression);
            set_part(out, arena, i, "virtual", column->is_virtual ? "true" : "false");
        }
        if (column->comment != NULL) {
            set_part(out, arena, i, "comment", column->comment);
        }
    }
    if (columns->watermark_column >= 0) {
        const weir_sql_column *column = &columns->columns[columns->watermark_column];
        weir_options_set(out, arena, WATERMARK_COLUMN, column->name);
        weir_options_set(out, arena, WATERMARK_TEXT, columns->watermark_expression);
        weir_options_set(out, arena, WATERMARK_TYPE, weir_sql_type_text(arena, column->type));
    }
}
