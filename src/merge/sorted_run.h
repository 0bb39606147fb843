/* Sorted runs, and sections of files whose key ranges overlap. */
#ifndef WEIR_MERGE_SORTED_RUN_H
#define WEIR_MERGE_SORTED_RUN_H

#include "file/file.h"

/* Files whose key ranges do not overlap, in key order. */
typedef struct weir_sorted_run {
    weir_data_file **files;
    int32_t file_count;
    int32_t level; /* of all its files, or -1 when mixed */
} weir_sorted_run;

/* Files that overlap with each other but with no file of another section, as the fewest runs. */
typedef struct weir_section {
    weir_sorted_run *runs;
    int32_t run_count;
} weir_section;

/* Compares two serialized keys (min_key, max_key of data files) of the schema's trimmed primary key. */
int weir_key_compare(const weir_schema *schema, weir_slice a, weir_slice b);

/* Cuts files into sections in key order (org.apache.paimon.mergetree.compact.IntervalPartition). In `arena`. */
int weir_sections_of(const weir_schema *schema, weir_data_file *const *files, size_t count, weir_arena *arena,
                     weir_section **out, size_t *out_count, weir_error *err);

#endif
