/* Formats of rows in text, by a table's options: json, csv, debezium-json, canal-json, maxwell-json. */
#ifndef WEIR_CONNECT_ROW_FORMAT_H
#define WEIR_CONNECT_ROW_FORMAT_H

#include "connect/connect_options.h"
#include "format/row_text.h"

/* Whether the format's files are text that is read row by row; parquet and avro are read column by column. */
bool weir_row_format_is_text(const weir_connect_kind *format);

/* The primary key of the table that change events are of. */
typedef struct weir_row_keys {
    const char *const *names;
    int32_t count;
    bool whole_changes; /* each update has to come with the row before it */
} weir_row_keys;

/* `keys` may be NULL. `metadata`: columns behind the fields, named by what the format knows beside them. */
int weir_row_format_open_reader(const weir_connect_kind *format, const weir_options *options, const weir_field *fields,
                                int32_t field_count, const weir_field *metadata, int32_t metadata_count,
                                const weir_row_keys *keys, weir_row_reader **out, weir_error *err);

/* The type of what the format knows under this key, or NULL; and the keys, of which there are fewer than 16. */
const weir_type *weir_row_format_metadata(const weir_connect_kind *format, const char *key);
size_t weir_row_format_metadata_keys(const weir_connect_kind *format, const char **out, size_t most);
int weir_row_format_open_writer(const weir_connect_kind *format, const weir_options *options, const weir_field *fields,
                                int32_t field_count, weir_row_writer **out, weir_error *err);

#endif
