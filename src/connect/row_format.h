/* Formats of rows in text, by a table's options: json, csv, debezium-json, canal-json, maxwell-json. */
#ifndef WEIR_CONNECT_ROW_FORMAT_H
#define WEIR_CONNECT_ROW_FORMAT_H

#include "connect/connect_options.h"
#include "format/row_text.h"

/* Whether the format's files are text that is read row by row; parquet and avro are read column by column. */
bool weir_row_format_is_text(const weir_connect_kind *format);

int weir_row_format_open_reader(const weir_connect_kind *format, const weir_options *options, const weir_field *fields,
                                int32_t field_count, const char *const *primary_keys, int32_t primary_key_count,
                                weir_row_reader **out, weir_error *err);
int weir_row_format_open_writer(const weir_connect_kind *format, const weir_options *options, const weir_field *fields,
                                int32_t field_count, weir_row_writer **out, weir_error *err);

#endif
