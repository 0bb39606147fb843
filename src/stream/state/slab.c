/* Cells by size. Sizes are multiples of 8 bytes up to 256, and then eight to a doubling, so that at most an eighth of a
 * cell is lost; each chunk has a free list of its own, so that it can be given back when its last cell is free. */
#include "stream/state/slab.h"

#include <stdlib.h>

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

static int add_chunk(weir_slab *slab, uint32_t units, weir_slab_take take, void *owner, weir_error *err)
{
    if (slab->spare_count == 0 && slab->chunk_count == UINT32_MAX >> WEIR_SLAB_UNIT_BITS) {
        return weir_fail(err, WEIR_NO_MEMORY, "one table of state would take more than 32 GB of memory");
    }
    WEIR_TRY(take(owner, WEIR_SLAB_CHUNK_BYTES, err));
    uint32_t index = chunk_index(slab);
    slab->memory[index] = weir_alloc(WEIR_SLAB_CHUNK_BYTES);
    /* Number 0 is no cell, so the first chunk does not begin at its first unit. */
    slab->chunks[index] = (weir_slab_chunk){.cell_units = units, .next_unused = index == 0 ? units : 0};
    list_chunk(slab, index);
    return WEIR_OK;
}

static bool has_unused(const weir_slab_chunk *chunk)
{
    return chunk->next_unused + chunk->cell_units <= WEIR_SLAB_CHUNK_UNITS;
}

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
    if (chunk->free_head == 0 && !has_unused(chunk)) {
        unlist_chunk(slab, index);
    }
    memset(weir_slab_at(slab, cell), 0, (size_t)units * 8);
    *out_cell = cell;
    return WEIR_OK;
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
    if (!chunk->listed) {
        list_chunk(slab, index);
    }
    if (chunk->live > 0) {
        return 0;
    }
    unlist_chunk(slab, index);
    free(slab->memory[index]);
    slab->memory[index] = NULL;
    chunk->cell_units = 0;
    WEIR_GROW(slab->spare_chunks, slab->spare_capacity, slab->spare_count + 1);
    slab->spare_chunks[slab->spare_count++] = index;
    return WEIR_SLAB_CHUNK_BYTES;
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
