/* The set of keys that were let go. */
#include "stream/state/filter.h"

#include <stdlib.h>

#define FIRST_BLOCKS   1024 /* 64 KB */
#define BLOCK_WORDS    8
#define KEYS_PER_BLOCK 42 /* of 512 bits */
#define BITS_PER_KEY   6

static uint64_t mix(uint32_t hash)
{
    uint64_t mixed = (uint64_t)hash * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}

static uint64_t *block_of(const weir_filter_level *level, uint32_t hash)
{
    return level->words + ((uint64_t)hash * level->blocks >> 32) * BLOCK_WORDS;
}

/* Each bit is one of a word of its own, nine bits of the mixed hash apart from the next. */
static bool has(const weir_filter_level *level, uint32_t hash)
{
    const uint64_t *block = block_of(level, hash);
    uint64_t bits = mix(hash);
    for (int i = 0; i < BITS_PER_KEY; i++, bits >>= 9) {
        if ((block[bits >> 6 & (BLOCK_WORDS - 1)] >> (bits & 63) & 1) == 0) {
            return false;
        }
    }
    return true;
}

bool weir_state_filter_may_have(const weir_state_filter *filter, uint32_t hash)
{
    for (int i = filter->level_count; i > 0; i--) {
        if (has(&filter->levels[i - 1], hash)) {
            return true;
        }
    }
    return false;
}

static bool add_level(weir_state_filter *filter, weir_slab_take take, void *owner)
{
    if (filter->level_count == WEIR_FILTER_LEVELS) {
        return false;
    }
    uint64_t blocks = (uint64_t)FIRST_BLOCKS << 2 * filter->level_count;
    int64_t bytes = (int64_t)(blocks * BLOCK_WORDS * sizeof(uint64_t));
    if (take(owner, bytes, NULL) != WEIR_OK) {
        return false;
    }
    filter->levels[filter->level_count++] =
        (weir_filter_level){weir_alloc_zeroed(blocks * BLOCK_WORDS, sizeof(uint64_t)), blocks, 0};
    filter->memory_bytes += bytes;
    return true;
}

bool weir_state_filter_add(weir_state_filter *filter, uint32_t hash, weir_slab_take take, void *owner)
{
    if (weir_state_filter_may_have(filter, hash)) {
        return true;
    }
    const weir_filter_level *last = filter->level_count == 0 ? NULL : &filter->levels[filter->level_count - 1];
    if ((last == NULL || last->keys >= last->blocks * KEYS_PER_BLOCK) && !add_level(filter, take, owner)) {
        return false;
    }
    weir_filter_level *level = &filter->levels[filter->level_count - 1];
    uint64_t *block = block_of(level, hash);
    uint64_t bits = mix(hash);
    for (int i = 0; i < BITS_PER_KEY; i++, bits >>= 9) {
        block[bits >> 6 & (BLOCK_WORDS - 1)] |= (uint64_t)1 << (bits & 63);
    }
    level->keys++;
    return true;
}

void weir_state_filter_free(weir_state_filter *filter)
{
    for (int i = 0; i < filter->level_count; i++) {
        free(filter->levels[i].words);
    }
    *filter = (weir_state_filter){0};
}
