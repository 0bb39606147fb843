/* Cells of memory by size, addressed by 32-bit numbers: where the entries of a table lie.
 *
 * Chunks of up to 64 KB are cut into cells of one size each; the first ones of a size are smaller. A cell's number
 * counts units of 8 bytes through all chunks as if they were of 64 KB, so 32 bits reach 32 GB; 0 is no cell. A chunk
 * whose cells are all free goes back to the budget. */
#ifndef WEIR_STREAM_SLAB_H
#define WEIR_STREAM_SLAB_H

#include "base/base.h"

#define WEIR_SLAB_CHUNK_BYTES 65536
#define WEIR_SLAB_CHUNK_UNITS (WEIR_SLAB_CHUNK_BYTES / 8)
#define WEIR_SLAB_UNIT_BITS   13
#define WEIR_SLAB_LARGEST     4096 /* larger things lie elsewhere */

typedef struct weir_slab_chunk {
    uint32_t cell_units; /* 0: the chunk is not there */
    uint32_t cells;
    uint32_t live;
    uint32_t free_head;      /* cell numbers, linked through their second word; 0: none */
    uint32_t next_unused;    /* unit of the first cell that was never given out */
    uint32_t next, previous; /* chunks of the same size with a free cell; index + 1, 0: none */
    bool listed;
    bool held; /* no cell of it is given out any more */
} weir_slab_chunk;

typedef struct weir_slab {
    uint8_t **memory; /* of each chunk */
    weir_slab_chunk *chunks;
    uint32_t chunk_count;
    uint32_t chunk_capacity;
    uint32_t *spare_chunks; /* indices that may be used again */
    size_t spare_count;
    size_t spare_capacity;
    int64_t chunk_bytes;
    int64_t live_bytes;                             /* of cells that are given out */
    uint32_t units_of[WEIR_SLAB_LARGEST / 8 + 1];   /* by cell units: in chunks of such cells */
    uint32_t with_space[WEIR_SLAB_LARGEST / 8 + 1]; /* by cell units: index + 1 of a chunk with a free cell */
} weir_slab;                                        /* zero-initialized is empty */

/* Takes memory from whoever counts it, or with negative `bytes` gives it back; see weir_slab_allocate. */
typedef int (*weir_slab_take)(void *owner, int64_t bytes, weir_error *err);

static inline uint8_t *weir_slab_at(const weir_slab *slab, uint32_t cell)
{
    return slab->memory[cell >> WEIR_SLAB_UNIT_BITS] + (size_t)(cell & (WEIR_SLAB_CHUNK_UNITS - 1)) * 8;
}

static inline uint32_t weir_slab_cell_bytes(const weir_slab *slab, uint32_t cell)
{
    return slab->chunks[cell >> WEIR_SLAB_UNIT_BITS].cell_units * 8;
}

/* A zeroed cell of at least `bytes` (16 .. WEIR_SLAB_LARGEST). `take` is asked for the memory of a new chunk. */
int weir_slab_allocate(weir_slab *slab, uint32_t bytes, weir_slab_take take, void *owner, uint32_t *out_cell,
                       weir_error *err);
/* Makes sure that `count` cells of so many units, at most a chunk's, can be given out without asking. */
int weir_slab_reserve(weir_slab *slab, uint32_t units, uint32_t count, weir_slab_take take, void *owner,
                      weir_error *err);
/* Returns how many bytes were given back to the system: a chunk or nothing. The first word of a free cell is zero. */
int64_t weir_slab_release(weir_slab *slab, uint32_t cell);
/* Lets no more cells of a chunk be given out; then frees it with all of its cells, or lets it go on. */
void weir_slab_hold(weir_slab *slab, uint32_t chunk);
int64_t weir_slab_drop(weir_slab *slab, uint32_t chunk); /* returns the bytes given back */
void weir_slab_unhold(weir_slab *slab, uint32_t chunk);
void weir_slab_free(weir_slab *slab);

#endif
