/* How rows of a table at the server become rows of the table here: which of its columns is which of ours, and how they
 * are converted. Made anew when the server's table has changed. */
#ifndef WEIR_MYSQL_ROW_BINDING_H
#define WEIR_MYSQL_ROW_BINDING_H

#include "connect/mysql/converter.h"
#include "connect/mysql/schema.h"

/* Columns that are wanted as texts. */
typedef struct weir_row_texts {
    uint32_t *places;
    weir_mysql_converter *converters;
    uint32_t count; /* 0: there are none, or not all of them are in the rows */
} weir_row_texts;

typedef struct weir_row_binding {
    weir_arena arena;
    weir_mysql_column *columns; /* as rows have them, in their order */
    weir_row_column *row_columns;
    uint32_t column_count;

    int32_t *sources;                 /* of each field the place among the columns; -1: none, NULLs */
    weir_mysql_converter *converters; /* of each field */
    int32_t field_count;

    weir_row_texts key;   /* the primary key */
    weir_row_texts order; /* the columns that a table is read in the order of */
} weir_row_binding;

typedef struct weir_row_fields {
    const weir_field *fields;
    int32_t count;
    const weir_mysql_conversion *conversion;
    const char *order_column; /* NULL: the primary key */
} weir_row_fields;

/* Bindings borrow from the definition, not from the map.
 *
 * Binds rows of queries, which have all columns of the definition. */
int weir_row_binding_of_query(const weir_mysql_table *table, const weir_row_fields *fields, weir_row_binding *out,
                              weir_error *err);

/* Binds rows of events. `table` is the definition as far as it is known, and may be an older or newer one: what the map
 * itself tells goes first. WEIR_CONFLICT: they do not go together, and the map does not tell enough. `connection` is
 * asked for collations that only have numbers; NULL: such texts are taken for UTF-8. */
int weir_row_binding_of_map(const weir_mysql_table *table, const weir_table_map *map, const weir_row_fields *fields,
                            weir_mysql_connection *connection, weir_row_binding *out, weir_error *err);

void weir_row_binding_free(weir_row_binding *binding);

/* Takes a row off the reader: a value for each column. Texts are borrowed from the reader's bytes and from `scratch`,
 * which is cleared first. */
int weir_row_take(weir_byte_reader *reader, const weir_row_binding *binding, weir_buffer *scratch,
                  weir_mysql_value *values, weir_error *err);

/* Appends a row to the columns of the fields. */
int weir_row_append(weir_row_binding *binding, const weir_mysql_value *values, weir_vector *columns, weir_error *err);

/* Appends these columns' texts (of weir_mysql_converter_key), each with its length before it. */
int weir_row_append_texts(weir_row_texts *texts, const weir_mysql_value *values, weir_buffer *out, weir_error *err);

#endif
