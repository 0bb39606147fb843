/* Older values of keys: finding the rows of given keys in the files of higher levels.
 *
 * The keys of a file are decoded once into sort keys and kept, so that finding a row is a binary search; the values of
 * found rows are gathered column by column, so that only pages with a found row are decoded.
 *
 * Threading: the index cache is shared by threads; a lookup belongs to one thread. */
#ifndef WEIR_LSM_LOOKUP_H
#define WEIR_LSM_LOOKUP_H

#include "merge/sorted_run.h"
#include "vector/sort_key.h"

/* Key indexes of the files of one bucket. They count in the budget (NULL: unbounded), of which they leave half to
 * others; what finds no room is dropped as soon as it is not in use. */
typedef struct weir_key_index_cache weir_key_index_cache;

/* Empty; the budget outlives it. */
weir_key_index_cache *weir_key_index_cache_create(weir_budget *budget);
void weir_key_index_cache_free(weir_key_index_cache *cache);
/* Bytes that it holds. */
int64_t weir_key_index_cache_memory(weir_key_index_cache *cache);
/* Drops what is not among these files, and, while it holds more than `limit_bytes`, also indexes of the rest. No lookup
 * may be at work. */
void weir_key_index_cache_retain(weir_key_index_cache *cache, const weir_sorted_run *runs, int32_t run_count,
                                 int64_t limit_bytes);

/* Appends the key ranges of the runs' files as sort keys, so that files without a wanted key are not touched: of each
 * file, run after run, its least key and then its greatest. */
int weir_lookup_bounds(const weir_schema *schema, const weir_sorted_run *runs, int32_t run_count, weir_sort_keys *out,
                       weir_error *err);

typedef struct weir_lookup weir_lookup;

/* `runs` from the newest to the oldest, each of one level above 0. All borrowed. */
int weir_lookup_open(const weir_table_context *context, weir_slice partition, int32_t bucket,
                     const weir_sorted_run *runs, int32_t run_count, weir_key_index_cache *cache, weir_lookup **out,
                     weir_error *err);

/* Looks up the keys at `wanted` (ascending positions into `keys`, which are in ascending order). found[i] tells whether
 * there is a row of key wanted[i], of whatever kind; what follows speaks of those, in order, until the next find. */
int weir_lookup_find(weir_lookup *lookup, const weir_sort_keys *keys, const uint32_t *wanted, int64_t count,
                     bool *found, weir_error *err);

/* Of each row found +I or, of a delete, -D. */
void weir_lookup_kinds(const weir_lookup *lookup, int8_t *out);

/* Their sequence numbers. Where those of a file are all below `exact_from`, its greatest stands for every one: then the
 * file need not be read for that. */
int weir_lookup_sequence_numbers(weir_lookup *lookup, int64_t exact_from, int64_t *out, weir_error *err);

/* Appends column `column` of the schema. */
int weir_lookup_column(weir_lookup *lookup, int32_t column, weir_vector *out, weir_error *err);

void weir_lookup_close(weir_lookup *lookup);

#endif
