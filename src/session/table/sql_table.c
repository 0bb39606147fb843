/* The part that tables of all kinds share. */
#include "session/table/sql_table.h"

weir_session_table *weir_session_table_new(weir_session *session, weir_session_table_kind kind,
                                           const weir_object_path *path)
{
    weir_session_table *table = weir_alloc_zeroed(1, sizeof *table);
    table->kind = kind;
    table->session = session;
    table->position = path->position;
    weir_arena_init(&table->arena);
    table->base.catalog = weir_arena_strdup(&table->arena, path->catalog->name);
    table->base.database = weir_arena_strdup(&table->arena, path->database);
    table->base.name = weir_arena_strdup(&table->arena, path->name);
    table->base.owner = table;
    return table;
}

void weir_session_table_set_columns(weir_session_table *table)
{
    const weir_bound_columns *columns = &table->description.columns;
    table->base.columns = columns->columns;
    table->base.column_count = columns->column_count;
    table->base.primary_key = columns->primary_key_count > 0 ? columns->primary_key : NULL;
    table->base.primary_key_count = columns->primary_key_count;
    table->base.partition_keys = columns->partition_key_count > 0 ? columns->partition_keys : NULL;
    table->base.partition_key_count = columns->partition_key_count;
    table->base.watermark_column = columns->watermark_column;
    table->base.watermark_expression = columns->watermark_expression;
}
