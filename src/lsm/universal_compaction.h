/* Which runs to compact, as Paimon picks them (org.apache.paimon.mergetree.compact.UniversalCompaction). */
#ifndef WEIR_LSM_UNIVERSAL_COMPACTION_H
#define WEIR_LSM_UNIVERSAL_COMPACTION_H

#include "lsm/lsm_options.h"
#include "merge/sorted_run.h"

/* The first `run_count` of the runs go to `output_level`; run_count 0: nothing to do. */
typedef struct weir_compaction_pick {
    int32_t run_count;
    int32_t output_level;
} weir_compaction_pick;

/* `runs` from the newest to the oldest (weir_bucket_levels_runs); the highest level is level_count - 1. */
weir_compaction_pick weir_universal_pick(const weir_lsm_options *options, int32_t level_count,
                                         const weir_sorted_run *runs, int32_t run_count);

/* Everything, where the table's options ask for that earlier than the rules: `last_full_ms` is when that was done last
 * (0: never), by the same clock as `now_ms`. */
weir_compaction_pick weir_early_full_pick(const weir_lsm_options *options, int32_t level_count,
                                          const weir_sorted_run *runs, int32_t run_count, int64_t last_full_ms,
                                          int64_t now_ms);

/* What is added to size_ratio_percent at an hour of the day. */
int32_t weir_off_peak_ratio(const weir_lsm_options *options, int32_t hour);

/* As weir_universal_pick, but when nothing else is due all level-0 runs go up: the lookup changelog needs level 0 empty. */
weir_compaction_pick weir_universal_pick_level_zero(const weir_lsm_options *options, int32_t level_count,
                                                    const weir_sorted_run *runs, int32_t run_count);

/* Everything into the highest level, unless it is there already. */
weir_compaction_pick weir_full_pick(int32_t level_count, const weir_sorted_run *runs, int32_t run_count);

#endif
