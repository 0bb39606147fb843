#include "connect/mysql/schema.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tables ---- */

int weir_mysql_list_tables(weir_mysql_connection *connection, weir_name_pattern *databases, weir_name_pattern *tables,
                           weir_arena *arena, weir_mysql_name **out, size_t *out_count, weir_error *err)
{
    MYSQL_RES *result;
    MYSQL_ROW row;
    size_t capacity = 0;
    weir_mysql_name *names = NULL;
    *out_count = 0;
    WEIR_TRY(weir_mysql_query(connection,
                              "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES "
                              "WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND TABLE_SCHEMA NOT IN "
                              "('mysql', 'information_schema', 'performance_schema', 'sys') ORDER BY 1, 2",
                              &result, err));
    while ((row = connection->library->fetch_row(result)) != NULL) {
        if (weir_name_pattern_matches(databases, weir_slice_text(row[0])) &&
            weir_name_pattern_matches(tables, weir_slice_text(row[1]))) {
            WEIR_GROW(names, capacity, *out_count + 1);
            names[(*out_count)++] =
                (weir_mysql_name){weir_arena_strdup(arena, row[0]), weir_arena_strdup(arena, row[1])};
        }
    }
    connection->library->free_result(result);
    *out = *out_count == 0 ? NULL : weir_arena_copy(arena, names, *out_count * sizeof *names);
    free(names);
    return WEIR_OK;
}

/* "SELECT … FROM information_schema.<view> WHERE <the table> …" */
static int query_view(weir_mysql_connection *connection, const char *columns, const char *view, weir_mysql_name name,
                      const char *rest, MYSQL_RES **out, weir_error *err)
{
    weir_buffer sql = {0};
    weir_buffer_append_format(&sql, "SELECT %s FROM information_schema.%s WHERE TABLE_SCHEMA = ", columns, view);
    weir_mysql_append_text(weir_slice_text(name.database), &sql);
    weir_buffer_append_text(&sql, " AND TABLE_NAME = ");
    weir_mysql_append_text(weir_slice_text(name.table), &sql);
    weir_buffer_append_format(&sql, " %s", rest);
    int code = weir_mysql_query(connection, weir_buffer_text(&sql), out, err);
    weir_buffer_free(&sql);
    return code;
}

static int load_columns(weir_mysql_connection *connection, weir_arena *arena, weir_mysql_table *table, weir_error *err)
{
    enum { NAME, DEFINITION, CHARSET, COLLATION, NULLABLE };
    MYSQL_RES *result;
    MYSQL_ROW row;
    size_t capacity = 0;
    weir_mysql_column *columns = NULL;
    WEIR_TRY(query_view(connection, "COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, IS_NULLABLE",
                        "COLUMNS", (weir_mysql_name){table->database, table->name}, "ORDER BY ORDINAL_POSITION",
                        &result, err));
    while ((row = connection->library->fetch_row(result)) != NULL) {
        WEIR_GROW(columns, capacity, table->column_count + 1);
        weir_mysql_column *column = &columns[table->column_count++];
        *column = (weir_mysql_column){
            .name = weir_arena_strdup(arena, row[NAME]),
            .charset = weir_arena_strdup(arena, row[CHARSET]),
            .collation = weir_arena_strdup(arena, row[COLLATION]),
            .is_nullable = strcmp(row[NULLABLE], "NO") != 0,
            .key_place = -1,
        };
        weir_mysql_column_define(arena, row[DEFINITION], column);
    }
    connection->library->free_result(result);
    if (table->column_count > 0) {
        table->columns = weir_arena_copy(arena, columns, table->column_count * sizeof *columns);
    }
    free(columns);
    return WEIR_OK;
}

static void set_key(weir_mysql_table *table, const uint32_t *key)
{
    table->key = key;
    for (uint32_t i = 0; i < table->key_count; i++) {
        table->columns[key[i]].key_place = (int32_t)i;
    }
}

static int load_key(weir_mysql_connection *connection, weir_arena *arena, weir_mysql_table *table, weir_error *err)
{
    MYSQL_RES *result;
    MYSQL_ROW row;
    uint32_t *key = WEIR_NEW_ARRAY(arena, uint32_t, table->column_count);
    WEIR_TRY(query_view(connection, "COLUMN_NAME, SUB_PART", "STATISTICS",
                        (weir_mysql_name){table->database, table->name},
                        "AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX", &result, err));
    while ((row = connection->library->fetch_row(result)) != NULL) {
        int32_t place = weir_mysql_table_find(table, row[0]);
        if (place >= 0 && table->key_count < table->column_count) {
            key[table->key_count++] = (uint32_t)place;
            table->key_has_prefixes = table->key_has_prefixes || row[1] != NULL;
        }
    }
    connection->library->free_result(result);
    set_key(table, key);
    return WEIR_OK;
}

int weir_mysql_load_table(weir_mysql_connection *connection, weir_mysql_name name, weir_arena *arena,
                          weir_mysql_table *out, weir_error *err)
{
    *out = (weir_mysql_table){.database = weir_arena_strdup(arena, name.database),
                              .name = weir_arena_strdup(arena, name.table)};
    WEIR_TRY(load_columns(connection, arena, out, err));
    if (out->column_count == 0) {
        return weir_fail(err, WEIR_NOT_FOUND, "MySQL at %s:%u: there is no table %s.%s, or the user may not see it",
                         connection->address->host, connection->address->port, name.database, name.table);
    }
    return load_key(connection, arena, out, err);
}

int weir_mysql_collation_charset(weir_mysql_connection *connection, uint32_t collation, weir_arena *arena,
                                 const char **out, weir_error *err)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT CHARACTER_SET_NAME FROM information_schema.COLLATIONS WHERE ID = %u", collation);
    return weir_mysql_query_text(connection, sql, arena, out, err);
}

/* ---- bytes ---- */

static void put_text(weir_buffer *out, const char *text)
{
    weir_put_u8(out, text != NULL);
    weir_put_slice(out, weir_slice_text(text == NULL ? "" : text));
}

static const char *take_text(weir_byte_reader *reader, weir_arena *arena)
{
    bool is_there = weir_take_u8(reader) != 0;
    weir_slice text = weir_take_slice(reader);
    return is_there && !reader->failed ? weir_arena_strndup(arena, (const char *)text.data, text.size) : NULL;
}

void weir_mysql_table_encode(const weir_mysql_table *table, weir_buffer *out)
{
    put_text(out, table->database);
    put_text(out, table->name);
    weir_put_u32(out, table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const weir_mysql_column *column = &table->columns[i];
        put_text(out, column->name);
        put_text(out, column->definition);
        put_text(out, column->charset);
        put_text(out, column->collation);
        weir_put_u8(out, column->is_nullable);
    }
    weir_put_u32(out, table->key_count);
    for (uint32_t i = 0; i < table->key_count; i++) {
        weir_put_u32(out, table->key[i]);
    }
    weir_put_u8(out, table->key_has_prefixes);
}

static const char *take_needed_text(weir_byte_reader *reader, weir_arena *arena)
{
    const char *text = take_text(reader, arena);
    reader->failed = reader->failed || text == NULL;
    return text == NULL ? "" : text;
}

void weir_mysql_table_decode(weir_byte_reader *reader, weir_arena *arena, weir_mysql_table *out)
{
    *out = (weir_mysql_table){.database = take_needed_text(reader, arena), .name = take_needed_text(reader, arena)};
    out->column_count = weir_take_count(reader, 21);
    out->columns = WEIR_NEW_ARRAY(arena, weir_mysql_column, out->column_count);
    for (uint32_t i = 0; i < out->column_count; i++) {
        weir_mysql_column *column = &out->columns[i];
        column->name = take_needed_text(reader, arena);
        weir_mysql_column_define(arena, take_needed_text(reader, arena), column);
        column->charset = take_text(reader, arena);
        column->collation = take_text(reader, arena);
        column->is_nullable = weir_take_u8(reader) != 0;
        column->key_place = -1;
    }
    out->key_count = weir_take_count(reader, 4);
    uint32_t *key = WEIR_NEW_ARRAY(arena, uint32_t, out->key_count);
    for (uint32_t i = 0; i < out->key_count; i++) {
        key[i] = weir_take_u32(reader);
        if (key[i] >= out->column_count) {
            weir_byte_reader_fail(reader);
            out->key_count = 0;
        }
    }
    out->key_has_prefixes = weir_take_u8(reader) != 0;
    set_key(out, key);
}
