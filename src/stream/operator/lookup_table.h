/* What a lookup join looks rows up in: a table as it is now, by the join's key, in memory with a folder below it.
 *
 * It is filled from the table's latest snapshot and then follows its changes. Nothing of it outlives the job. */
#ifndef WEIR_STREAM_LOOKUP_TABLE_H
#define WEIR_STREAM_LOOKUP_TABLE_H

#include "stream/operator/join_condition.h"

typedef struct weir_lookup_table weir_lookup_table;

/* `plan`: PROJECT and FILTER over a scan. `condition` is that of the join, whose left input has `left_count` fields;
 * equalities which go beyond the table's primary key become part of what is left of it. All of it outlives the table.
 */
int weir_lookup_table_open(const weir_operator_context *context, const weir_plan *plan, int32_t left_count,
                           const char *uid, weir_join_condition *condition, weir_lookup_table **out, weir_error *err);
void weir_lookup_table_close(weir_lookup_table *table); /* NULL is fine */

/* Takes in what the table has got since the last time: with the first call, all of it. */
int weir_lookup_table_refresh(weir_lookup_table *table, weir_error *err);

/* Finds the rows of these keys: where they are, for each key, until the next refresh or fetch. */
int weir_lookup_table_fetch(weir_lookup_table *table, const weir_sort_keys *keys, const weir_state_slot **out_slots,
                            weir_error *err);

/* Walks the rows of a place, from the one named `from` on (empty: the first). */
typedef struct weir_lookup_row {
    weir_slice name; /* tells the row from others of the key */
    weir_slice row;  /* as bytes, of the plan's fields */
    uint64_t count;
} weir_lookup_row;

int weir_lookup_table_walk(weir_lookup_table *table, weir_state_slot slot, weir_slice from, weir_map_cursor **out,
                           weir_error *err);
int weir_lookup_table_next(weir_lookup_table *table, weir_map_cursor *cursor, weir_lookup_row *out,
                           weir_error *err); /* WEIR_END after the last */

#endif
