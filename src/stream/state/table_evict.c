/* Letting entries of a table go, so that memory goes back to the budget.
 *
 * A hand goes round the chunks of cells. Of a chunk it lets go the clean entries that were not used since it came by
 * last. Where half of the cells or more are free after that, the entries that stay are moved to other chunks, and the
 * chunk is given back: with entries of many sizes, and with some that are dirty in every chunk, no chunk would ever
 * become free by itself. */
#include <stdlib.h>

#include "stream/state/backend.h"
#include "stream/state/table_internal.h"

#define BLOCK_CELLS 64
#define USUAL_BYTES 64 /* of an entry, when there is none to judge by */

/* Where the entry of a cell that is about to be given back lies now; 0: it is not needed any more. */
static uint32_t forward_of(const weir_state_table *table, uint32_t cell)
{
    uint32_t forward = 0;
    memcpy(&forward, weir_slab_at(&table->slab, cell) + 8, sizeof forward);
    return forward;
}

static void set_forward(weir_state_table *table, uint32_t cell, uint32_t forward)
{
    memcpy(weir_slab_at(&table->slab, cell) + 8, &forward, sizeof forward);
}

/* Whether an entry may go now, and notes that the hand was here. */
static bool may_go(weir_state_table *table, uint32_t cell)
{
    weir_state_entry *in_cell = weir_state_entry_in_cell(table, cell);
    if ((in_cell->flags & WEIR_ENTRY_TREE) && !table->hooks->sweep(table, weir_state_entry_of(table, cell))) {
        return false;
    }
    if (in_cell->flags & (WEIR_ENTRY_DIRTY | WEIR_ENTRY_FRESH | WEIR_ENTRY_MOVED)) {
        return false;
    }
    bool recent = in_cell->flags & WEIR_ENTRY_RECENT;
    in_cell->flags &= ~(uint32_t)WEIR_ENTRY_RECENT & 0xff;
    return !recent;
}

static bool is_used(const weir_state_table *table, uint32_t cell)
{
    return cell != 0 && (weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_USED);
}

/* Their buckets are asked for before the first one is looked at. */
static void let_go(weir_state_table *table, const uint32_t *cells, int count)
{
    for (int i = 0; i < count; i++) {
        const weir_state_entry *entry = weir_state_entry_of(table, cells[i]);
        weir_slice key = weir_slice_of(weir_state_entry_key(table, entry), entry->key_size);
        __builtin_prefetch(weir_state_index_home(&table->index, (uint32_t)(weir_state_hash(key) >> 32)));
    }
    for (int i = 0; i < count; i++) {
        weir_state_let_go(table, cells[i]);
    }
}

static void let_go_of_entries(weir_state_table *table, uint32_t chunk)
{
    uint32_t cells[BLOCK_CELLS];
    int count = 0;
    uint32_t units = table->slab.chunks[chunk].cell_units;
    uint32_t end = table->slab.chunks[chunk].next_unused;
    for (uint32_t unit = 0; unit + units <= end; unit += units) {
        uint32_t cell = chunk << WEIR_SLAB_UNIT_BITS | unit;
        if (is_used(table, cell) && may_go(table, cell)) {
            cells[count++] = cell;
        }
        if (count == BLOCK_CELLS) {
            let_go(table, cells, count);
            count = 0;
        }
    }
    let_go(table, cells, count);
}

/* Moves what a chunk still holds to other chunks, of which one more is made where they are full. False when there is no
 * memory for that; nothing was moved then. */
static bool move_entries(weir_state_table *table, uint32_t chunk)
{
    uint32_t units = table->slab.chunks[chunk].cell_units;
    uint32_t end = table->slab.chunks[chunk].next_unused;
    if (!weir_state_reserve_cells(table, units, table->slab.chunks[chunk].live)) {
        return false;
    }
    for (uint32_t unit = 0; unit + units <= end; unit += units) {
        uint32_t cell = chunk << WEIR_SLAB_UNIT_BITS | unit;
        if (!is_used(table, cell)) {
            continue;
        }
        bool moved = weir_state_entry_in_cell(table, cell)->flags & WEIR_ENTRY_MOVED;
        set_forward(table, cell, moved ? 0 : weir_state_move_cell(table, cell));
    }
    return true;
}

/* Makes the list of dirty cells name those that entries were moved to. */
static void follow_moves(weir_state_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->dirty.count; i++) {
        uint32_t cell = table->dirty.cells[i];
        while (cell != 0 && table->slab.chunks[cell >> WEIR_SLAB_UNIT_BITS].held) {
            cell = forward_of(table, cell); /* some were moved twice */
        }
        if (cell != 0) {
            table->dirty.cells[kept++] = cell;
        }
    }
    table->dirty.count = kept;
}

/* Gives chunks back whose entries were moved. */
static void give_back(weir_state_table *table, const weir_cell_list *held)
{
    follow_moves(table);
    for (size_t i = 0; i < held->count; i++) {
        weir_state_give(table->backend, weir_slab_drop(&table->slab, held->cells[i]));
    }
    free(held->cells);
}

static uint32_t next_chunk(weir_state_table *table)
{
    table->evict_chunk = table->evict_chunk + 1 < table->slab.chunk_count ? table->evict_chunk + 1 : 0;
    return table->evict_chunk;
}

int64_t weir_state_table_evict(weir_state_table *table, int64_t bytes)
{
    weir_state_free_empty(table);
    int64_t before = table->backend->memory_bytes;
    int64_t freed = 0;
    int64_t held_bytes = 0;
    weir_cell_list held = {0};
    for (uint32_t looks = 2 * table->slab.chunk_count; looks > 0 && freed < bytes; looks--) {
        uint32_t index = next_chunk(table);
        if (table->slab.chunks[index].cell_units == 0 || table->slab.chunks[index].held) {
            continue;
        }
        weir_slab_hold(&table->slab, index);
        let_go_of_entries(table, index);
        weir_slab_chunk chunk = table->slab.chunks[index];
        if (chunk.live * 2 > chunk.cells || index == 0 || !move_entries(table, index)) {
            weir_slab_unhold(&table->slab, index);
        } else {
            WEIR_GROW(held.cells, held.capacity, held.count + 1);
            held.cells[held.count++] = index;
            held_bytes += (int64_t)chunk.cells * chunk.cell_units * 8;
        }
        freed = before - table->backend->memory_bytes + held_bytes;
    }
    give_back(table, &held);
    return before - table->backend->memory_bytes;
}

int64_t weir_state_table_used_bytes(const weir_state_table *table)
{
    return table->slab.live_bytes + table->outside_bytes + table->tree_bytes;
}

void weir_state_make_room(weir_state_table *table, uint64_t count)
{
    int64_t usual =
        table->index.entry_count == 0 ? USUAL_BYTES : table->slab.live_bytes / (int64_t)table->index.entry_count + 16;
    int64_t wanted = (int64_t)count * usual;
    int64_t left = weir_budget_left(table->backend->budget);
    if (left < wanted) {
        weir_state_table_evict(table, wanted - left);
    }
}
