/* One task of a compaction: a key range of some runs, rewritten. Used by compaction.c only. */
#ifndef WEIR_LSM_COMPACTION_PIECE_H
#define WEIR_LSM_COMPACTION_PIECE_H

#include "lsm/commit_message.h"
#include "lsm/lookup.h"
#include "lsm/lsm_options.h"

typedef struct weir_compaction_piece {
    /* What to do. */
    const weir_table_context *context;
    const weir_lsm_options *options;
    weir_slice partition;
    int32_t bucket;
    const weir_sorted_run *runs;
    int32_t run_count;
    weir_slice lower_key; /* sort keys; empty: unbounded */
    weir_slice upper_key;
    int32_t output_level;
    bool drop_deletes;
    bool folds_lone_rows; /* see weir_merge_options */
    bool rewrites;        /* the data are written anew; otherwise only the changelog is made */
    bool makes_changelog; /* of the rows in levels below told_level against those from there on */
    int32_t told_level;
    /* Levels below the compaction, in which the older rows of what lies in level 0 are looked up; none: nowhere. */
    const weir_sorted_run *older_runs;
    int32_t older_run_count;
    int64_t exact_from; /* see weir_lookup_sequence_numbers */
    weir_key_index_cache *index_cache;
    /* What came out; descriptions live in `arena`. */
    weir_arena arena;
    weir_file_list data_files;
    weir_file_list changelog_files;
} weir_compaction_piece;

/* A task function: `argument` is a piece. On failure nothing is left on disk. */
int weir_compaction_piece_run(void *argument, weir_error *err);

#endif
