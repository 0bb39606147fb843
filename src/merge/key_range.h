/* The key ranges of data files, as sort keys. */
#ifndef WEIR_MERGE_KEY_RANGE_H
#define WEIR_MERGE_KEY_RANGE_H

#include "merge/run_cursor.h"

/* Appends the least and the greatest key of a file. */
int weir_key_range_of_file(const weir_merge_source *source, const weir_data_file *file, weir_sort_keys *out,
                           weir_error *err);

/* Finds the bytes that all keys of the runs begin with, and puts them into the source, in `arena`. */
int weir_key_range_find_shared(weir_merge_source *source, const weir_sorted_run *runs, int32_t run_count,
                               weir_arena *arena, weir_error *err);

#endif
