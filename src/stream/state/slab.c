/* Cells by size. Sizes are multiples of 8 bytes up to 256, and then eight to a doubling, so that at most an eighth of a
 * cell is lost; each chunk has a free list of its own, so that it can be given back when its last cell is free. */
#include "stream/state/slab.h"

#include <stdlib.h>

#define FIRST_BYTES 4096 /* of the first chunk for cells of a size; others have half of what there is, up to 64 KB */

static uint32_t units_for(uint32_t bytes)
{
    uint32_t units = (bytes + 7) / 8;
    if (units <= 32) {
        return units < 2 ? 2 : units;
    }
    uint32_t step = (1u << (31 - __builtin_clz(units - 1))) / 8;
    return (units + step - 1) / step * step;
}

static void list_chunk(weir_slab *slab, uint32_t index)
{
    weir_slab_chunk *chunk = &slab->chunks[index];
    uint32_t first = slab->with_space[chunk->cell_units];
    chunk->previous = 0;
    chunk->next = first;
    chunk->listed = true;
    if (first != 0) {
        slab->chunks[first - 1].previous = index + 1;
    }
    slab->with_space[chunk->cell_units] = index + 1;
}

static void unlist_chunk(weir_slab *slab, uint32_t index)
{
    weir_slab_chunk *chunk = &slab->chunks[index];
    if (chunk->previous != 0) {
        slab->chunks[chunk->previous - 1].next = chunk->next;
    } else {
        slab->with_space[chunk->cell_units] = chunk->next;
    }
    if (chunk->next != 0) {
        slab->chunks[chunk->next - 1].previous = chunk->previous;
    }
    chunk->listed = false;
}

static uint32_t chunk_index(weir_slab *slab)
{
    if (slab->spare_count > 0) {
        return slab->spare_chunks[--slab->spare_count];
    }
    if (slab->chunk_count == slab->chunk_capacity) {
        uint32_t capacity = slab->chunk_capacity == 0 ? 8 : slab->chunk_capacity * 2;
        slab->chunks = weir_realloc(slab->chunks, capacity * sizeof *slab->chunks);
        slab->memory = weir_realloc(slab->memory, capacity * sizeof *slab->memory);
        slab->chunk_capacity = capacity;
    }
    return slab->chunk_count++;
}

/* A multiple of the cell's size. */
static uint32_t chunk_bytes_for(const weir_slab *slab, uint32_t units)
{
    uint32_t wanted = slab->units_of[units] / 2;
    wanted = wanted < FIRST_BYTES / 8         ? FIRST_BYTES / 8
             : wanted > WEIR_SLAB_CHUNK_UNITS ? WEIR_SLAB_CHUNK_UNITS
                                              : wanted;
    uint32_t cells = wanted / units;
    return (cells < 2 ? 2 : cells) * units * 8;
}

static int add_chunk(weir_slab *slab, uint32_t units, weir_slab_take take, void *owner, weir_error *err)
{
    if (slab->spare_count == 0 && slab->chunk_count == UINT32_MAX >> WEIR_SLAB_UNIT_BITS) {
        return weir_fail(err, WEIR_NO_MEMORY, "one table of state would take more than 32 GB of memory");
    }
    uint32_t bytes = chunk_bytes_for(slab, units);
    WEIR_TRY(take(owner, bytes, err));
    uint32_t index = chunk_index(slab);
    slab->memory[index] = weir_alloc(bytes);
    slab->chunks[index] = (weir_slab_chunk){.cell_units = units, .cells = bytes / 8 / units};
    slab->chunk_bytes += bytes;
    slab->units_of[units] += bytes / 8;
    if (index == 0) {
        slab->chunks[0].next_unused = units; /* number 0 is no cell */
        slab->chunks[0].live = 1;
    }
    list_chunk(slab, index);
    return WEIR_OK;
}

static bool has_unused(const weir_slab_chunk *chunk) { return chunk->next_unused < chunk->cells * chunk->cell_units; }

int weir_slab_allocate(weir_slab *slab, uint32_t bytes, weir_slab_take take, void *owner, uint32_t *out_cell,
                       weir_error *err)
{
    uint32_t units = units_for(bytes);
    if (slab->with_space[units] == 0) {
        WEIR_TRY(add_chunk(slab, units, take, owner, err));
    }
    uint32_t index = slab->with_space[units] - 1;
    weir_slab_chunk *chunk = &slab->chunks[index];
    uint32_t cell = chunk->free_head;
    if (cell != 0) {
        memcpy(&chunk->free_head, weir_slab_at(slab, cell) + 8, sizeof chunk->free_head);
    } else {
        cell = index << WEIR_SLAB_UNIT_BITS | chunk->next_unused;
        chunk->next_unused += units;
    }
    chunk->live++;
    slab->live_bytes += (int64_t)units * 8;
    if (chunk->free_head == 0 && !has_unused(chunk)) {
        unlist_chunk(slab, index);
    }
    memset(weir_slab_at(slab, cell), 0, (size_t)units * 8);
    *out_cell = cell;
    return WEIR_OK;
}

int weir_slab_reserve(weir_slab *slab, uint32_t units, uint32_t count, weir_slab_take take, void *owner,
                      weir_error *err)
{
    uint32_t found = 0;
    for (uint32_t index = slab->with_space[units]; index != 0 && found < count; index = slab->chunks[index - 1].next) {
        found += slab->chunks[index - 1].cells - slab->chunks[index - 1].live;
    }
    while (found < count) {
        WEIR_TRY(add_chunk(slab, units, take, owner, err));
        found += slab->chunks[slab->with_space[units] - 1].cells;
    }
    return WEIR_OK;
}

static int64_t free_chunk(weir_slab *slab, uint32_t index)
{
    weir_slab_chunk *chunk = &slab->chunks[index];
    int64_t bytes = (int64_t)chunk->cells * chunk->cell_units * 8;
    free(slab->memory[index]);
    slab->memory[index] = NULL;
    slab->chunk_bytes -= bytes;
    slab->units_of[chunk->cell_units] -= chunk->cells * chunk->cell_units;
    chunk->cell_units = 0;
    WEIR_GROW(slab->spare_chunks, slab->spare_capacity, slab->spare_count + 1);
    slab->spare_chunks[slab->spare_count++] = index;
    return bytes;
}

int64_t weir_slab_release(weir_slab *slab, uint32_t cell)
{
    uint32_t index = cell >> WEIR_SLAB_UNIT_BITS;
    weir_slab_chunk *chunk = &slab->chunks[index];
    uint8_t *memory = weir_slab_at(slab, cell);
    memset(memory, 0, 8);
    memcpy(memory + 8, &chunk->free_head, sizeof chunk->free_head);
    chunk->free_head = cell;
    chunk->live--;
    slab->live_bytes -= (int64_t)chunk->cell_units * 8;
    if (chunk->held) {
        return 0;
    }
    if (!chunk->listed) {
        list_chunk(slab, index);
    }
    if (chunk->live > 0) {
        return 0;
    }
    unlist_chunk(slab, index);
    return free_chunk(slab, index);
}

void weir_slab_hold(weir_slab *slab, uint32_t chunk)
{
    if (slab->chunks[chunk].listed) {
        unlist_chunk(slab, chunk);
    }
    slab->chunks[chunk].held = true;
}

int64_t weir_slab_drop(weir_slab *slab, uint32_t chunk)
{
    slab->live_bytes -= (int64_t)slab->chunks[chunk].live * slab->chunks[chunk].cell_units * 8;
    return free_chunk(slab, chunk);
}

void weir_slab_unhold(weir_slab *slab, uint32_t chunk)
{
    slab->chunks[chunk].held = false;
    if (slab->chunks[chunk].free_head != 0 || has_unused(&slab->chunks[chunk])) {
        list_chunk(slab, chunk);
    }
}

void weir_slab_free(weir_slab *slab)
{
    for (uint32_t i = 0; i < slab->chunk_count; i++) {
        free(slab->memory[i]);
    }
    free(slab->memory);
    free(slab->chunks);
    free(slab->spare_chunks);
    *slab = (weir_slab){0};
}
