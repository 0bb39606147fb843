/* The hash index of tables with dynamic buckets: the hashes of all keys that a bucket has, one file a bucket.
 *
 * Format: spec "Index files: HASH"; source of truth org.apache.paimon.index.HashIndexFile. */
#ifndef WEIR_INDEX_HASH_INDEX_H
#define WEIR_INDEX_HASH_INDEX_H

#include "base/base.h"
#include "base/budget.h"
#include "fs/fs.h"

/* Buckets of a partition are numbered from 0 to below this. */
#define WEIR_MOST_DYNAMIC_BUCKETS 32767

/* From hashes to buckets: a table with open addressing. Zero-initialized (but for the budget) is empty. */
typedef struct weir_hash_buckets {
    int32_t *hashes;
    int16_t *buckets; /* of each slot; -1: free */
    size_t slot_count;
    size_t size;
    weir_budget *budget; /* NULL: unbounded */
} weir_hash_buckets;

/* The bucket, or -1 where the hash has none. */
int32_t weir_hash_buckets_get(const weir_hash_buckets *map, int32_t hash);
/* Adds a hash that is not there yet. WEIR_NO_MEMORY when the budget does not allow for it. */
int weir_hash_buckets_add(weir_hash_buckets *map, int32_t hash, int32_t bucket, weir_error *err);
void weir_hash_buckets_free(weir_hash_buckets *map); /* gives its bytes back to the budget */

/* Appends the hashes of a file, as it holds them (4 bytes each, big-endian), to `out`. */
int weir_hash_index_read(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err);
/* Makes a file of such bytes, synced; its folder is for the caller to sync. */
int weir_hash_index_write(weir_fs *fs, const char *path, weir_slice hashes, weir_error *err);

#endif
