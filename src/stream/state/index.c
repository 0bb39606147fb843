/* The index of cells by hash: growing, adding and removing. */
#include "stream/state/index.h"

#include <stdlib.h>

#define FIRST_BUCKETS 16
#define PART_BITS     6
#define WHOLE_LIMIT   32768 /* an index of more buckets is cut into parts */

static int add_part(weir_state_index *index, weir_state_part *part, uint32_t count, weir_slab_take take, void *owner,
                    weir_error *err)
{
    int64_t bytes = (int64_t)count * (int64_t)sizeof *part->buckets;
    WEIR_TRY(take(owner, bytes, err));
    part->buckets = weir_alloc_zeroed(count, sizeof *part->buckets);
    part->count = count;
    part->used = 0;
    index->memory_bytes += bytes;
    return WEIR_OK;
}

static int free_part(weir_state_index *index, weir_state_part *part, weir_slab_take take, void *owner)
{
    int64_t bytes = (int64_t)part->count * (int64_t)sizeof *part->buckets;
    free(part->buckets);
    part->buckets = NULL;
    index->memory_bytes -= bytes;
    return take(owner, -bytes, NULL);
}

static void put(weir_state_index *index, uint32_t hash, uint32_t cell)
{
    weir_state_bucket *bucket = weir_state_index_home(index, hash);
    while (bucket->cell != 0) {
        bucket = weir_state_index_next(index, hash, bucket);
    }
    *bucket = (weir_state_bucket){hash, cell};
    weir_state_part_of(index, hash)->used++;
}

static void put_all(weir_state_index *index, const weir_state_part *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->buckets[i].cell != 0) {
            put(index, from->buckets[i].hash, from->buckets[i].cell);
        }
    }
}

static int grow_part(weir_state_index *index, weir_state_part *part, weir_slab_take take, void *owner, weir_error *err)
{
    weir_state_part old = *part;
    uint64_t wanted = index->part_bits == 0 ? (uint64_t)old.count * 2 : (uint64_t)old.count * 3 / 2;
    if (wanted > UINT32_MAX) {
        return weir_fail(err, WEIR_NO_MEMORY, "more than 2^38 keys in memory");
    }
    int code = add_part(index, part, (uint32_t)wanted, take, owner, err);
    if (code != WEIR_OK) {
        *part = old;
        return code;
    }
    put_all(index, &old);
    index->resizes++;
    return free_part(index, &old, take, owner);
}

/* From one part to many. */
static int cut(weir_state_index *index, weir_slab_take take, void *owner, weir_error *err)
{
    weir_state_index many = {.part_bits = PART_BITS, .resizes = index->resizes + 1, .entry_count = index->entry_count};
    many.parts = weir_alloc_zeroed((size_t)1 << PART_BITS, sizeof *many.parts);
    for (uint32_t i = 0; i < 1u << PART_BITS; i++) {
        int code = add_part(&many, &many.parts[i], index->parts[0].count * 2 >> PART_BITS, take, owner, err);
        if (code != WEIR_OK) {
            for (uint32_t j = 0; j < i; j++) {
                (void)free_part(&many, &many.parts[j], take, owner);
            }
            free(many.parts);
            return code;
        }
    }
    for (uint32_t i = 0; i < index->parts[0].count; i++) {
        const weir_state_bucket *bucket = &index->parts[0].buckets[i];
        if (bucket->cell != 0) {
            int code = weir_state_index_reserve(&many, bucket->hash, take, owner, err);
            if (code != WEIR_OK) {
                for (uint32_t j = 0; j < 1u << PART_BITS; j++) {
                    (void)free_part(&many, &many.parts[j], take, owner);
                }
                free(many.parts);
                return code;
            }
            put(&many, bucket->hash, bucket->cell);
        }
    }
    (void)free_part(index, &index->parts[0], take, owner);
    free(index->parts);
    *index = many;
    return WEIR_OK;
}

int weir_state_index_reserve(weir_state_index *index, uint32_t hash, weir_slab_take take, void *owner, weir_error *err)
{
    if (index->parts == NULL) {
        index->parts = weir_alloc_zeroed(1, sizeof *index->parts);
        int code = add_part(index, index->parts, FIRST_BUCKETS, take, owner, err);
        if (code != WEIR_OK) {
            free(index->parts);
            index->parts = NULL;
            return code;
        }
        index->resizes++;
    }
    weir_state_part *part = weir_state_part_of(index, hash);
    if (part->used + 1 <= part->count / 4 * 3) {
        return WEIR_OK;
    }
    bool whole = index->part_bits == 0 && part->count >= WHOLE_LIMIT;
    int code = whole ? cut(index, take, owner, err) : grow_part(index, part, take, owner, err);
    part = weir_state_part_of(index, hash);
    bool enough = part->used + 1 <= part->count / 16 * 15;
    return code == WEIR_NO_MEMORY && enough ? WEIR_OK : code; /* slower, but right */
}

void weir_state_index_add(weir_state_index *index, weir_state_bucket *free_bucket, uint32_t hash, uint32_t cell)
{
    *free_bucket = (weir_state_bucket){hash, cell};
    weir_state_part_of(index, hash)->used++;
    index->entry_count++;
}

/* Closes the gap, so that every entry is still found from its home on. */
void weir_state_index_remove(weir_state_index *index, weir_state_bucket *bucket)
{
    weir_state_part *part = weir_state_part_of(index, bucket->hash);
    uint32_t count = part->count;
    uint32_t gap = (uint32_t)(bucket - part->buckets);
    for (uint32_t at = gap + 1 == count ? 0 : gap + 1; part->buckets[at].cell != 0; at = at + 1 == count ? 0 : at + 1) {
        uint32_t home = (uint32_t)(weir_state_index_home(index, part->buckets[at].hash) - part->buckets);
        uint32_t from_home = at >= home ? at - home : at + count - home;
        uint32_t from_gap = at >= gap ? at - gap : at + count - gap;
        if (from_home >= from_gap) {
            part->buckets[gap] = part->buckets[at];
            gap = at;
        }
    }
    part->buckets[gap] = (weir_state_bucket){0};
    part->used--;
    index->entry_count--;
}

void weir_state_index_free(weir_state_index *index)
{
    for (uint32_t i = 0; index->parts != NULL && i < 1u << index->part_bits; i++) {
        free(index->parts[i].buckets);
    }
    free(index->parts);
    *index = (weir_state_index){0};
}
