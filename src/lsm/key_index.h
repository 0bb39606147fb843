/* The keys of one data file in memory, for lookups. Used by lookup.c and key_index.c only. */
#ifndef WEIR_LSM_KEY_INDEX_H
#define WEIR_LSM_KEY_INDEX_H

#include "lsm/lookup.h"

typedef struct weir_key_index {
    char *file_name;
    weir_sort_keys keys; /* of all rows, ascending */
    uint8_t *is_delete;  /* one bit a row; NULL: none is */
    int64_t memory_bytes;
    uint64_t last_used;
    int32_t users;   /* who have got it and not released it yet */
    bool is_counted; /* in the memory budget */
} weir_key_index;

/* The index of a file, built when it is not cached; to be released. */
int weir_key_index_get(weir_key_index_cache *cache, const weir_table_context *context, const char *bucket_path,
                       const weir_data_file *file, const weir_key_index **out, weir_error *err);

/* Ends the use of an index that was got. */
void weir_key_index_release(weir_key_index_cache *cache, const weir_key_index *index);

/* The first row at or after `from` whose key is not less than key `k` of `keys`, found by galloping. */
int64_t weir_key_index_seek(const weir_key_index *index, int64_t from, const weir_sort_keys *keys, int64_t k);

#endif
