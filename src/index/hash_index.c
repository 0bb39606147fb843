/* Hashes of keys and their buckets, in memory and in files.
 *
 * A file is nothing but numbers, so that adding to one is appending to its bytes. */
#include "index/hash_index.h"

#include <stdlib.h>

#define FIRST_SLOTS 64
#define SLOT_BYTES  (sizeof(int32_t) + sizeof(int16_t))

/* Hashes of keys are of good quality but for their use here: the same bits choose assigners. */
static size_t first_slot(const weir_hash_buckets *map, int32_t hash)
{
    uint64_t mixed = (uint64_t)(uint32_t)hash * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) & (map->slot_count - 1);
}

/* The slot of a hash, or the free one where it would be. */
static size_t find_slot(const weir_hash_buckets *map, int32_t hash)
{
    size_t slot = first_slot(map, hash);
    while (map->buckets[slot] >= 0 && map->hashes[slot] != hash) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return slot;
}

int32_t weir_hash_buckets_get(const weir_hash_buckets *map, int32_t hash)
{
    return map->slot_count == 0 ? -1 : map->buckets[find_slot(map, hash)];
}

static int grow(weir_hash_buckets *map, weir_error *err)
{
    weir_hash_buckets larger = {.budget = map->budget};
    larger.slot_count = map->slot_count == 0 ? FIRST_SLOTS : map->slot_count * 2;
    WEIR_TRY_CTX(weir_budget_take(map->budget, (int64_t)(larger.slot_count * SLOT_BYTES), err), err,
                 "the index of %zu keys of a partition", map->size);
    larger.hashes = weir_alloc_zeroed(larger.slot_count, sizeof *larger.hashes);
    larger.buckets = weir_alloc(larger.slot_count * sizeof *larger.buckets);
    memset(larger.buckets, 0xFF, larger.slot_count * sizeof *larger.buckets);
    for (size_t i = 0; i < map->slot_count; i++) {
        if (map->buckets[i] >= 0) {
            size_t slot = find_slot(&larger, map->hashes[i]);
            larger.hashes[slot] = map->hashes[i];
            larger.buckets[slot] = map->buckets[i];
        }
    }
    larger.size = map->size;
    weir_hash_buckets_free(map);
    *map = larger;
    return WEIR_OK;
}

int weir_hash_buckets_add(weir_hash_buckets *map, int32_t hash, int32_t bucket, weir_error *err)
{
    if (map->size + 1 > map->slot_count - map->slot_count / 4) {
        WEIR_TRY(grow(map, err));
    }
    size_t slot = find_slot(map, hash);
    map->size += map->buckets[slot] < 0;
    map->hashes[slot] = hash;
    map->buckets[slot] = (int16_t)bucket;
    return WEIR_OK;
}

void weir_hash_buckets_free(weir_hash_buckets *map)
{
    weir_budget_give(map->budget, (int64_t)(map->slot_count * SLOT_BYTES));
    free(map->hashes);
    free(map->buckets);
    *map = (weir_hash_buckets){.budget = map->budget};
}

int weir_hash_index_read(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err)
{
    size_t before = out->size;
    WEIR_TRY(weir_fs_read_all(fs, path, out, err));
    if ((out->size - before) % sizeof(int32_t) != 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes are no whole number of hashes of 4 bytes", path,
                         out->size - before);
    }
    return WEIR_OK;
}

int weir_hash_index_write(weir_fs *fs, const char *path, weir_slice hashes, weir_error *err)
{
    weir_output *output = NULL;
    WEIR_TRY(weir_fs_create(fs, path, &output, err));
    int code = weir_output_write(output, hashes.data, hashes.size, err);
    if (code != WEIR_OK) {
        weir_output_abandon(output);
        return code;
    }
    return weir_output_finish(output, true, err);
}
