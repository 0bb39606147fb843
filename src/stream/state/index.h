/* From the hash of a key to the cells that may hold it: open addressing, linear probing, 32 bits of the hash beside
 * each cell's number.
 *
 * A bucket's home grows with its hash, so that growing copies from begin to end. A large index is made of parts by the
 * hash's first bits, each of which grows for itself: no more than a part is ever there twice. */
#ifndef WEIR_STREAM_INDEX_H
#define WEIR_STREAM_INDEX_H

#include "stream/state/slab.h"

typedef struct weir_state_bucket {
    uint32_t hash;
    uint32_t cell; /* 0: free */
} weir_state_bucket;

typedef struct weir_state_part {
    weir_state_bucket *buckets;
    uint32_t count;
    uint32_t used;
} weir_state_part;

typedef struct weir_state_index {
    weir_state_part *parts; /* NULL: empty, without memory */
    uint32_t part_bits;
    uint32_t resizes; /* how often buckets have been moved: pointers to them are bad after that */
    uint64_t entry_count;
    int64_t memory_bytes;
} weir_state_index; /* zero-initialized is empty */

static inline weir_state_part *weir_state_part_of(const weir_state_index *index, uint32_t hash)
{
    return &index->parts[(uint64_t)hash >> (32 - index->part_bits)];
}

static inline weir_state_bucket *weir_state_index_home(const weir_state_index *index, uint32_t hash)
{
    const weir_state_part *part = weir_state_part_of(index, hash);
    return part->buckets + ((uint64_t)(uint32_t)(hash << index->part_bits) * part->count >> 32);
}

static inline weir_state_bucket *weir_state_index_next(const weir_state_index *index, uint32_t hash,
                                                       weir_state_bucket *bucket)
{
    const weir_state_part *part = weir_state_part_of(index, hash);
    return bucket + 1 == part->buckets + part->count ? part->buckets : bucket + 1;
}

/* Makes room for one more entry with this hash: there is always a free bucket. */
int weir_state_index_reserve(weir_state_index *index, uint32_t hash, weir_slab_take take, void *owner, weir_error *err);
void weir_state_index_add(weir_state_index *index, weir_state_bucket *free_bucket, uint32_t hash, uint32_t cell);
void weir_state_index_remove(weir_state_index *index, weir_state_bucket *bucket);
void weir_state_index_free(weir_state_index *index);

#endif
