/* Columns that a Paimon table does not store, and its watermark, as Flink keeps them among the table's options:
 *
 *   schema.<position>.name, .data-type, .expr           a computed column
 *   schema.<position>.name, .data-type, .metadata, .virtual   a metadata column
 *   schema.<position>.comment
 *   schema.watermark.0.rowtime, .strategy.expr, .strategy.data-type
 *
 * Positions count all columns of the table. The storage knows nothing of it. */
#ifndef WEIR_SESSION_SCHEMA_OPTIONS_H
#define WEIR_SESSION_SCHEMA_OPTIONS_H

#include "session/catalog/description.h"

bool weir_is_schema_option(const char *key);

/* The columns of a table from its stored ones and its options. In `arena`; texts and types of stored columns are
 * borrowed. Options that make no sense are WEIR_CORRUPT. */
int weir_schema_options_read(const weir_schema *schema, weir_arena *arena, weir_bound_columns *out, weir_error *err);

/* The other way: adds the options of these columns to `out`. */
void weir_schema_options_write(const weir_bound_columns *columns, weir_arena *arena, weir_options *out);

#endif
