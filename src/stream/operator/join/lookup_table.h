/* What a lookup join looks rows up in: a table as it is now, by the join's key.
 *
 * Either all of it is taken in, in memory with a folder below it: filled from the table's latest snapshot, it then
 * follows the table's changes. Or, where the table is large and the key is its primary key, rows are fetched as they
 * are asked for (lookup_on_demand.h). Nothing of it outlives the job. */
#ifndef WEIR_STREAM_LOOKUP_TABLE_H
#define WEIR_STREAM_LOOKUP_TABLE_H

#include "stream/operator/join/join_condition.h"

typedef struct weir_lookup_table weir_lookup_table;

/* `plan`: PROJECT and FILTER over a scan. `condition` is that of the join, whose left input has `left_count` fields;
 * equalities which go beyond the table's primary key become part of what is left of it. All of it outlives the table.
 */
int weir_lookup_table_open(const weir_operator_context *context, const weir_plan *plan, int32_t left_count,
                           const char *uid, weir_join_condition *condition, weir_lookup_table **out, weir_error *err);
void weir_lookup_table_close(weir_lookup_table *table); /* NULL is fine */

/* Goes on to what the table holds now. */
int weir_lookup_table_refresh(weir_lookup_table *table, weir_error *err);

/* Finds the rows of the keys of the last run of `join_keys`, until the next refresh or fetch. */
int weir_lookup_table_fetch(weir_lookup_table *table, const weir_join_keys *join_keys, const weir_sort_keys *keys,
                            weir_error *err);

/* Walks the rows of a key, from the one named `from` on (empty: the first). */
typedef struct weir_lookup_row {
    weir_slice name; /* tells the row from others of the key */
    weir_slice row;  /* as bytes, of the plan's fields */
    uint64_t count;
} weir_lookup_row;

typedef struct weir_lookup_cursor {
    weir_map_cursor *map; /* NULL: rows are fetched as they are asked for */
    int64_t key;          /* then: the one whose row comes next; -1: none does */
} weir_lookup_cursor;

int weir_lookup_table_walk(weir_lookup_table *table, int64_t key, weir_slice from, weir_lookup_cursor *out,
                           weir_error *err);
int weir_lookup_table_next(weir_lookup_table *table, weir_lookup_cursor *cursor, weir_lookup_row *out,
                           weir_error *err); /* WEIR_END after the last */
void weir_lookup_cursor_close(weir_lookup_cursor *cursor);

#endif
