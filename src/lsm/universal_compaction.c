/* Universal compaction: runs are compared by size, newest first.
 *
 *   1. size amplification: all newer runs together exceed a share of the oldest one → compact everything
 *   2. size ratio: the newest runs, taken together, are about as large as the next one → compact them
 *   3. number of runs: more than the trigger → compact the surplus (and what the ratio adds) */
#include "lsm/universal_compaction.h"

static int64_t run_bytes(const weir_sorted_run *run)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < run->file_count; i++) {
        bytes += run->files[i]->size_bytes;
    }
    return bytes;
}

/* The output level of the first `count` runs: just below the next run's, but never 0, since level 0 is for fresh files. */
static weir_compaction_pick pick_of(const weir_sorted_run *runs, int32_t run_count, int32_t count, int32_t max_level)
{
    int32_t level = max_level;
    if (count < run_count) {
        level = runs[count].level > 0 ? runs[count].level - 1 : 0;
    }
    if (level == 0) {
        while (count < run_count) {
            const weir_sorted_run *next = &runs[count++];
            if (next->level != 0) {
                level = next->level;
                break;
            }
        }
    }
    if (count == run_count) {
        level = max_level;
    }
    return (weir_compaction_pick){count, level};
}

static weir_compaction_pick pick_for_amplification(const weir_lsm_options *options, int32_t max_level,
                                                   const weir_sorted_run *runs, int32_t run_count)
{
    if (run_count < options->compaction_trigger || run_count == 0) {
        return (weir_compaction_pick){0};
    }
    int64_t newer_bytes = 0;
    for (int32_t i = 0; i < run_count - 1; i++) {
        newer_bytes += run_bytes(&runs[i]);
    }
    int64_t oldest_bytes = run_bytes(&runs[run_count - 1]);
    if ((double)newer_bytes * 100.0 > (double)options->max_size_amplification_percent * (double)oldest_bytes) {
        return (weir_compaction_pick){run_count, max_level};
    }
    return (weir_compaction_pick){0};
}

static weir_compaction_pick pick_for_ratio(const weir_lsm_options *options, int32_t max_level,
                                           const weir_sorted_run *runs, int32_t run_count, int32_t candidates,
                                           bool force)
{
    double bytes = 0;
    for (int32_t i = 0; i < candidates; i++) {
        bytes += (double)run_bytes(&runs[i]);
    }
    int32_t count = candidates;
    while (count < run_count) {
        double next_bytes = (double)run_bytes(&runs[count]);
        if (bytes * (100.0 + options->size_ratio_percent) / 100.0 < next_bytes) {
            break;
        }
        bytes += next_bytes;
        count++;
    }
    if (force || count > 1) {
        return pick_of(runs, run_count, count, max_level);
    }
    return (weir_compaction_pick){0};
}

weir_compaction_pick weir_universal_pick(const weir_lsm_options *options, int32_t level_count,
                                         const weir_sorted_run *runs, int32_t run_count)
{
    int32_t max_level = level_count - 1;
    weir_compaction_pick pick = pick_for_amplification(options, max_level, runs, run_count);
    if (pick.run_count > 0) {
        return pick;
    }
    if (run_count >= options->compaction_trigger && run_count > 0) {
        pick = pick_for_ratio(options, max_level, runs, run_count, 1, false);
        if (pick.run_count > 0) {
            return pick;
        }
    }
    if (run_count > options->compaction_trigger) {
        int32_t surplus = run_count - options->compaction_trigger + 1;
        return pick_for_ratio(options, max_level, runs, run_count, surplus, false);
    }
    return (weir_compaction_pick){0};
}

weir_compaction_pick weir_universal_pick_level_zero(const weir_lsm_options *options, int32_t level_count,
                                                    const weir_sorted_run *runs, int32_t run_count)
{
    weir_compaction_pick pick = weir_universal_pick(options, level_count, runs, run_count);
    if (pick.run_count > 0) {
        return pick;
    }
    int32_t level_zero = 0;
    while (level_zero < run_count && runs[level_zero].level == 0) {
        level_zero++;
    }
    if (level_zero == 0) {
        return pick;
    }
    return pick_for_ratio(options, level_count - 1, runs, run_count, level_zero, true);
}

weir_compaction_pick weir_early_full_pick(const weir_lsm_options *options, int32_t level_count,
                                          const weir_sorted_run *runs, int32_t run_count, int64_t last_full_ms,
                                          int64_t now_ms)
{
    int64_t total = 0, incremental = 0;
    if (run_count < 2) {
        return (weir_compaction_pick){0};
    }
    for (int32_t i = 0; i < run_count; i++) {
        total += run_bytes(&runs[i]);
        incremental += runs[i].level != level_count - 1 ? run_bytes(&runs[i]) : 0;
    }
    bool by_time = options->full_interval_ms > 0 && now_ms - last_full_ms > options->full_interval_ms;
    bool by_total = options->full_below_bytes > 0 && total < options->full_below_bytes;
    bool by_increment = options->full_incremental_bytes > 0 && incremental > options->full_incremental_bytes;
    return by_time || by_total || by_increment ? (weir_compaction_pick){run_count, level_count - 1}
                                               : (weir_compaction_pick){0};
}

int32_t weir_off_peak_ratio(const weir_lsm_options *options, int32_t hour)
{
    int32_t start = options->off_peak_start, end = options->off_peak_end;
    bool is_off_peak = start < end ? start <= hour && hour < end : start > end && (hour < end || start <= hour);
    return is_off_peak && (start >= 0 || end >= 0) ? options->off_peak_ratio_percent : 0;
}

weir_compaction_pick weir_full_pick(int32_t level_count, const weir_sorted_run *runs, int32_t run_count)
{
    int32_t max_level = level_count - 1;
    if (run_count == 0 || (run_count == 1 && runs[0].level == max_level)) {
        return (weir_compaction_pick){0};
    }
    return (weir_compaction_pick){run_count, max_level};
}
