/* The mysql-cdc source: the rows of MySQL or MariaDB tables, and then their changes, by the rules of Flink CDC's. */
#ifndef WEIR_MYSQL_SOURCE_H
#define WEIR_MYSQL_SOURCE_H

#include "connect/source.h"

int weir_mysql_source_open(const weir_source_options *options, weir_source **out, weir_error *err);

/* Checks the options of a table, and the types of its columns. */
int weir_mysql_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err);

/* The types of METADATA columns; what source.h says of them. */
int weir_mysql_metadata_of(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                           weir_error *err);
extern const char *const weir_mysql_metadata_keys[]; /* NULL after the last */

bool weir_mysql_never_ends(const weir_options *options);
bool weir_mysql_gives_changes(const weir_options *options);

#endif
