/* Local lookup files of data files, made when they are first needed. Used by the files of table lookups only.
 *
 * When they take more disk than they may, those go that have not been used for the longest time. One that goes stays
 * mapped, and takes its disk, until no find is under way (weir_lookup_cache_sweep).
 *
 * Threading: slots may be asked for files by many threads at a time; slots are taken and dropped, and swept, by one
 * thread while no other is in. */
#ifndef WEIR_TABLE_LOOKUP_CACHE_H
#define WEIR_TABLE_LOOKUP_CACHE_H

#include <stdatomic.h>

#include "lsm/lookup_file.h"

/* Of one data file. */
typedef struct weir_lookup_slot {
    _Atomic(weir_lookup_file *) file; /* NULL: not there */
    atomic_uint_least64_t last_used;
    bool is_building;
    int32_t users; /* buckets that hold it: while a file moves between levels, two */
} weir_lookup_slot;

typedef struct weir_lookup_cache weir_lookup_cache;

/* All borrowed but the columns. */
weir_lookup_cache *weir_lookup_cache_create(const weir_table_context *context, const int32_t *columns,
                                            int32_t column_count, const char *folder, int64_t disk_bytes);
void weir_lookup_cache_free(weir_lookup_cache *cache);

/* The slot of a data file; to be dropped. */
weir_lookup_slot *weir_lookup_cache_take(weir_lookup_cache *cache, const char *file_name);
void weir_lookup_cache_drop(weir_lookup_cache *cache, const char *file_name);

/* The lookup file of a slot, made when it is not there. */
int weir_lookup_cache_get(weir_lookup_cache *cache, weir_lookup_slot *slot, const char *bucket_path,
                          const weir_data_file *file, const weir_lookup_file **out, weir_error *err);

/* Whether there is anything to be swept; by any thread. */
bool weir_lookup_cache_has_garbage(weir_lookup_cache *cache);
void weir_lookup_cache_sweep(weir_lookup_cache *cache);

#endif
