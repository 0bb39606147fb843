/* Merging more runs than there is memory for: neighbouring runs are merged into temporary ones first, until few enough
 * are left. Used by merge_reader.c only. */
#ifndef WEIR_MERGE_MERGE_STEPS_H
#define WEIR_MERGE_MERGE_STEPS_H

#include "merge/spill.h"

/* What is merged; a step replaces it. */
typedef struct weir_merge_input {
    const weir_table_context *context;
    weir_slice partition;
    int32_t bucket;
    const weir_sorted_run *runs;
    int32_t run_count;
} weir_merge_input;

/* Makes `input` one of at most options->max_runs runs, which lie in *out_spill; the caller frees that after the merge.
 * `columns` are those that options->key_predicate speaks of. Runs in level 0 are not mixed with others where
 * options->want_previous asks for the difference; then one run of each kind is the least there can be. */
int weir_merge_steps(weir_merge_input *input, const int32_t *columns, const weir_merge_options *options,
                     weir_arena *arena, weir_spill **out_spill, weir_error *err);

#endif
