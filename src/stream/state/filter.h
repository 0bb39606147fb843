/* Which keys were let go: a set that may say yes to a few others, so that the database need not be asked for keys that
 * are new.
 *
 * Levels of blocked Bloom filters (12 bits a key, 6 of them set, all in one line of the cache), each four times as
 * large as the one before. Nothing can be removed. */
#ifndef WEIR_STREAM_FILTER_H
#define WEIR_STREAM_FILTER_H

#include "stream/state/slab.h"

#define WEIR_FILTER_LEVELS 8

typedef struct weir_filter_level {
    uint64_t *words; /* blocks of eight */
    uint64_t blocks;
    uint64_t keys;
} weir_filter_level;

typedef struct weir_state_filter {
    weir_filter_level levels[WEIR_FILTER_LEVELS];
    int level_count;
    int64_t memory_bytes;
} weir_state_filter; /* zero-initialized is empty */

bool weir_state_filter_may_have(const weir_state_filter *filter, uint32_t hash);
/* False when there is no memory for it: the filter is then of no use. */
bool weir_state_filter_add(weir_state_filter *filter, uint32_t hash, weir_slab_take take, void *owner);
void weir_state_filter_free(weir_state_filter *filter);

#endif
