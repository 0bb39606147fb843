/* The files of one bucket by level: level 0 holds files that may overlap, newest first, each a sorted run of its own;
 * every higher level is one sorted run. */
#ifndef WEIR_LSM_LEVELS_H
#define WEIR_LSM_LEVELS_H

#include "lsm/commit_message.h"
#include "merge/sorted_run.h"

typedef struct weir_bucket_levels {
    const weir_schema *schema;
    weir_file_list *levels;
    int32_t level_count;
} weir_bucket_levels; /* files are borrowed */

/* With at least `level_count` levels, more when a file stands in a higher one. */
void weir_bucket_levels_init(weir_bucket_levels *levels, const weir_schema *schema, int32_t level_count,
                             weir_data_file *const *files, size_t file_count);
void weir_bucket_levels_free(weir_bucket_levels *levels);

void weir_bucket_levels_add(weir_bucket_levels *levels, weir_data_file *file); /* keeps the order of its level */
/* Takes out the files of `before` (found by name and level) and puts in those of `after`. */
void weir_bucket_levels_replace(weir_bucket_levels *levels, const weir_file_list *before, const weir_file_list *after);

/* Sorted runs: a file of level 0 is one, and so is each level above it that has files. */
int32_t weir_bucket_levels_run_count(const weir_bucket_levels *levels);
int32_t weir_bucket_levels_highest_nonempty(const weir_bucket_levels *levels);    /* -1: no files */
int64_t weir_bucket_levels_max_sequence_number(const weir_bucket_levels *levels); /* -1: no files */

/* A number that tells sets of files above level 0 apart; not 0. It is summed up file by file, in any order. */
#define WEIR_LEVELS_EMPTY ((uint64_t)1)
uint64_t weir_levels_add_file(uint64_t fingerprint, const weir_data_file *file); /* level 0: unchanged */
uint64_t weir_bucket_levels_fingerprint(const weir_bucket_levels *levels);

/* The sorted runs from the newest to the oldest: level-0 files one by one, then the levels. In `arena`. */
void weir_bucket_levels_runs(const weir_bucket_levels *levels, weir_arena *arena, weir_sorted_run **out,
                             int32_t *out_count);

#endif
