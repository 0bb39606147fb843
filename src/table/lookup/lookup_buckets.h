/* Which files stand in which bucket, snapshot after snapshot. Used by table_lookup.c only.
 *
 * A new snapshot is taken in by what it has changed; where snapshots between are gone, the latest is read whole.
 *
 * Threading: refreshed by one thread while no other is in. */
#ifndef WEIR_TABLE_LOOKUP_BUCKETS_H
#define WEIR_TABLE_LOOKUP_BUCKETS_H

#include "base/map.h"
#include "merge/sorted_run.h"
#include "table/lookup/lookup_cache.h"
#include "table/table.h"

/* A data file in a bucket. */
typedef struct weir_lookup_place {
    weir_data_file *file;
    weir_lookup_slot *slot;
} weir_lookup_place;

/* Files whose key ranges don't overlap, in key order. */
typedef struct weir_lookup_run {
    int32_t first; /* in places */
    int32_t count;
} weir_lookup_run;

typedef struct weir_lookup_bucket {
    weir_arena arena; /* of all that follows */
    const char *path;
    weir_slice partition;
    int32_t bucket;
    weir_data_file **files; /* in no order */
    size_t file_count;
    weir_lookup_place *places; /* of all runs, one run after the other */
    weir_lookup_run *runs;     /* the newest first */
    int32_t run_count;
    weir_sort_keys bounds; /* of place i: its least key at 2i, its greatest at 2i + 1 */
} weir_lookup_bucket;

typedef struct weir_lookup_buckets {
    const weir_table *table;
    weir_lookup_cache *cache;
    int32_t bucket_count;
    weir_map buckets; /* bucket (4 bytes), serialized partition → weir_lookup_bucket */
    int64_t snapshot_id;
    char *delta_list; /* that the snapshot names: whether it is the same one still */
} weir_lookup_buckets;

void weir_lookup_buckets_init(weir_lookup_buckets *buckets, const weir_table *table, int32_t bucket_count,
                              weir_lookup_cache *cache);
void weir_lookup_buckets_free(weir_lookup_buckets *buckets);

/* Goes on to snapshot `latest`. WEIR_NOT_FOUND: it is gone itself. After a failure nothing has changed. */
int weir_lookup_buckets_refresh(weir_lookup_buckets *buckets, int64_t latest, weir_error *err);

#endif
