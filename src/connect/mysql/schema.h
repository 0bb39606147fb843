/* Definitions of tables, from information_schema, and as bytes in a stored position. */
#ifndef WEIR_MYSQL_SCHEMA_H
#define WEIR_MYSQL_SCHEMA_H

#include "base/byte_reader.h"
#include "connect/mysql/column.h"
#include "connect/mysql/connection.h"
#include "format/name_pattern.h"

typedef struct weir_mysql_name {
    const char *database;
    const char *table;
} weir_mysql_name;

/* The tables that match, by name; those of the server itself are left out. In the arena. */
int weir_mysql_list_tables(weir_mysql_connection *connection, weir_name_pattern *databases, weir_name_pattern *tables,
                           weir_arena *arena, weir_mysql_name **out, size_t *out_count, weir_error *err);

/* The definition of a table as it is now. WEIR_NOT_FOUND: there is no such table, or it may not be seen. */
int weir_mysql_load_table(weir_mysql_connection *connection, weir_mysql_name name, weir_arena *arena,
                          weir_mysql_table *out, weir_error *err);

/* The character set of a collation by its number; NULL: unknown, or binary. */
int weir_mysql_collation_charset(weir_mysql_connection *connection, uint32_t collation, weir_arena *arena,
                                 const char **out, weir_error *err);

void weir_mysql_table_encode(const weir_mysql_table *table, weir_buffer *out);
/* What is damaged leaves the reader failed. */
void weir_mysql_table_decode(weir_byte_reader *reader, weir_arena *arena, weir_mysql_table *out);

#endif
