/* Single rows of a table by their primary key, without reading the rest of it.
 *
 *   table_lookup.c     keys to rows
 *   lookup_buckets.h   which files stand in which bucket, snapshot after snapshot
 *   lookup_cache.h     local lookup files (lsm/lookup_file.h) of those that were asked for, as many as the disk may
 * hold
 *
 * A data file is fetched whole when the first key is looked for in it; what it holds is then found in microseconds.
 * Java's counterpart is org.apache.paimon.table.query.LocalTableQuery.
 *
 * Threading: many threads may find at a time, also while one refreshes. */
#ifndef WEIR_TABLE_TABLE_LOOKUP_H
#define WEIR_TABLE_TABLE_LOOKUP_H

#include "table/table.h"

typedef struct weir_table_lookup weir_table_lookup;

typedef struct weir_table_lookup_options {
    const int32_t *columns; /* of the schema, that are wanted; copied */
    int32_t column_count;
    const char *folder; /* local, for lookup files */
    int64_t disk_bytes; /* they may take about so much; 0: as the table's lookup.cache-max-disk-size says */
} weir_table_lookup_options;

/* Whether single rows of the table can be found by key: WEIR_UNSUPPORTED says why not. They can where the newest row of
 * a key is the one in the newest file: fixed buckets, merge-engine deduplicate, no sequence.field. */
int weir_table_lookup_check(const weir_table *table, weir_error *err);

/* Opens it at the latest snapshot. The table must outlive it. */
int weir_table_lookup_open(const weir_table *table, const weir_table_lookup_options *options, weir_table_lookup **out,
                           weir_error *err);
void weir_table_lookup_close(weir_table_lookup *lookup); /* NULL is fine */

/* Goes on to the latest snapshot. */
int weir_table_lookup_refresh(weir_table_lookup *lookup, weir_error *err);
int64_t weir_table_lookup_snapshot(weir_table_lookup *lookup); /* where it is; 0: the table is empty */

/* Finds the rows of keys: `keys` has the columns of the primary key, in its order. `out`, made for the wanted
 * columns, gets the rows that there are instead of those it had; out_rows[i] is the row of key i there, or -1. A key
 * with a NULL has no row. */
int weir_table_lookup_find(weir_table_lookup *lookup, const weir_batch *keys, int64_t *out_rows, weir_batch *out,
                           weir_error *err);

#endif
