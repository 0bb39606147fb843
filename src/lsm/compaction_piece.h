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
    bool rewrites;        /* the data are written anew; otherwise only the changelog is made */
    bool makes_changelog; /* the lookup changelog */
    bool may_be_outdated; /* rows of level 0 may be older than what stands below, for they came from several writers */
    const weir_sorted_run *older_runs; /* below the compaction, for the changelog */
    int32_t older_run_count;
    weir_key_index_cache *index_cache;
    /* What came out; descriptions live in `arena`. */
    weir_arena arena;
    weir_file_list data_files;
    weir_file_list changelog_files;
} weir_compaction_piece;

/* A task function: `argument` is a piece. On failure nothing is left on disk. */
int weir_compaction_piece_run(void *argument, weir_error *err);

#endif
