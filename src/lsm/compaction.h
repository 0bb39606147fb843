/* Running one compaction of a primary-key bucket.
 *
 * A compaction is cut into pieces: files that only move to another level, and key ranges that are rewritten. Pieces run
 * as tasks in the pool, several at a time, so that one bucket uses all cores; the owner of the bucket collects the
 * result when all are done. Source of truth for what is moved and what is rewritten:
 * org.apache.paimon.mergetree.compact.MergeTreeCompactTask and LookupChangelogMergeFunctionWrapper. */
#ifndef WEIR_LSM_COMPACTION_H
#define WEIR_LSM_COMPACTION_H

#include "lsm/levels.h"
#include "lsm/lookup.h"
#include "lsm/lsm_options.h"

typedef struct weir_compaction weir_compaction;

typedef struct weir_compaction_request {
    weir_slice partition;
    int32_t bucket;
    const weir_lsm_options *options;
    const weir_bucket_levels *levels;
    int32_t run_count; /* the newest runs of the levels … */
    int32_t output_level;
    bool drop_deletes; /* nothing older lies below: deletes have done their work */
    weir_key_index_cache *index_cache; /* for the lookup changelog */
} weir_compaction_request;

typedef struct weir_compaction_result {
    weir_file_list before;
    weir_file_list after;
    weir_file_list changelog;
} weir_compaction_result; /* files live in the arena given to finish */

/* Starts it: plans the pieces in this thread and gives them to the context's pool. Levels may change meanwhile. */
int weir_compaction_start(const weir_table_context *context, const weir_compaction_request *request,
                          weir_compaction **out, weir_error *err);
bool weir_compaction_is_done(weir_compaction *compaction);

/* Waits for the pieces, moves the descriptions of files into `arena` and frees the compaction, also on failure (then the
 * files it wrote are removed). */
int weir_compaction_finish(weir_compaction *compaction, weir_arena *arena, weir_compaction_result *out,
                           weir_error *err);
/* Counts a compaction that has ended, of whatever kind of table, in the table's metrics. */
void weir_compaction_report(const weir_table_context *context, int64_t started_ns, weir_data_file *const *before,
                            size_t before_count, const weir_file_list *after);

void weir_compaction_result_free(weir_compaction_result *result);

#endif
