/* Readers of this process that still need snapshots of a table: expiry leaves these alone, as those of consumers.
 *
 * Threading: any. */
#ifndef WEIR_TABLE_READER_HOLD_H
#define WEIR_TABLE_READER_HOLD_H

#include "table/table.h"

typedef struct weir_reader_hold weir_reader_hold;

/* Keeps snapshots from `snapshot` on until the hold is moved or released. */
weir_reader_hold *weir_reader_hold_take(const weir_table *table, int64_t snapshot);
void weir_reader_hold_move(weir_reader_hold *hold, int64_t snapshot);
void weir_reader_hold_release(weir_reader_hold *hold); /* NULL is fine */

/* The first snapshot that somebody needs, or -1. */
int64_t weir_reader_hold_least(const weir_table *table);

#endif
