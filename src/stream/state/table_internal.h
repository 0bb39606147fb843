/* What the files of the hash table share: table.c is the table in memory, table_disk.c how it is read from the database
 * and written to it. */
#ifndef WEIR_STREAM_TABLE_INTERNAL_H
#define WEIR_STREAM_TABLE_INTERNAL_H

#include "stream/state/table.h"

/* --- table.c --- */

void weir_state_free_cell(weir_state_table *table, uint32_t cell);
/* Takes an entry that the database has out of its bucket, and frees its cell. */
void weir_state_let_go(weir_state_table *table, uint32_t cell);
void weir_state_list_as_fresh(weir_state_table *table, uint32_t cell);
void weir_state_free_empty(weir_state_table *table); /* what the last fetch made and nobody filled */
/* Room for `count` cells of a size; then moves an entry to another cell of that size, which is returned. */
bool weir_state_reserve_cells(weir_state_table *table, uint32_t units, uint32_t count);
uint32_t weir_state_move_cell(weir_state_table *table, uint32_t cell);
/* weir_state_table_edit for a value that is not changed by that. */
int weir_state_resize(weir_state_table *table, weir_state_slot slot, size_t size, uint8_t **out_bytes, weir_error *err);

/* --- table_disk.c --- */

/* The entry in this slot was just made: the database is asked for it by weir_state_load_misses. */
void weir_state_miss(weir_state_table *table, weir_state_slot slot);
int weir_state_load_misses(weir_state_table *table, weir_error *err);
void weir_state_free_misses(weir_state_table *table);

/* --- table_evict.c --- */

/* Lets clean entries go until a fetch of `count` keys is likely to fit. */
void weir_state_make_room(weir_state_table *table, uint64_t count);

static inline size_t weir_state_cell_capacity(const weir_state_table *table, uint32_t cell)
{
    const weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    return in_cell->flags & WEIR_ENTRY_OUTSIDE ? in_cell->value_size : weir_slab_cell_bytes(&table->slab, cell);
}

static inline int64_t weir_state_entry_time(const weir_state_table *table, const weir_state_entry *entry)
{
    int64_t time = 0;
    if (table->ttl_ms > 0) {
        memcpy(&time, (const uint8_t *)entry + sizeof *entry, sizeof time);
    }
    return time;
}

static inline void weir_state_set_entry_time(const weir_state_table *table, weir_state_entry *entry, int64_t time)
{
    if (table->ttl_ms > 0) {
        memcpy((uint8_t *)entry + sizeof *entry, &time, sizeof time);
    }
}

#endif
