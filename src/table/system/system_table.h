/* System tables: what a table tells about itself, as rows. Columns, types and values are those of Java Paimon 1.4
 * (org.apache.paimon.table.system.*); rows come in the order of their keys.
 *
 *   system_history.c  snapshots, tags, branches, consumers, statistics
 *   system_schema.c   schemas, options, aggregation_fields
 *   system_files.c    files, partitions, buckets, manifests
 *
 * $audit_log and $ro show the table's own rows; the session makes them of a scan. */
#ifndef WEIR_TABLE_SYSTEM_TABLE_H
#define WEIR_TABLE_SYSTEM_TABLE_H

#include "table/table.h"

typedef struct weir_system_table {
    const char *name; /* what comes after the $ */
    const weir_field *fields;
    int32_t field_count;
    /* Appends all rows to `out`, which was made with the fields. Options that name a snapshot are followed where the
     * rows are of one (files, partitions, buckets, manifests, statistics). */
    int (*read)(const weir_table *table, weir_batch *out, weir_error *err);
} weir_system_table;

extern const weir_system_table weir_system_tables[];
extern const size_t weir_system_table_count;

const weir_system_table *weir_system_table_find(const char *name); /* NULL: there is none */

#endif
