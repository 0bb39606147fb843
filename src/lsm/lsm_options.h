/* The options of a table that its bucket writers follow, read once. */
#ifndef WEIR_LSM_OPTIONS_H
#define WEIR_LSM_OPTIONS_H

#include "meta/schema.h"

typedef enum weir_changelog_producer {
    WEIR_CHANGELOG_NONE,
    WEIR_CHANGELOG_INPUT,
    WEIR_CHANGELOG_LOOKUP,
    WEIR_CHANGELOG_FULL_COMPACTION
} weir_changelog_producer;

typedef struct weir_lsm_options {
    weir_changelog_producer changelog_producer;
    bool keeps_first; /* merge-engine first-row */
    bool looks_up; /* compactions look at the older rows of what lies in level 0: for the lookup changelog, first-row,
                      and force-lookup */
    bool keeps_newest; /* of rows with one key the newest by sequence number is all that counts: deduplicate without
                          sequence.field */
    bool folds_rows;   /* the rows of a key become one, column by column: partial-update, aggregation */
    bool keeps_retractions; /* a -U or -D without older rows still waits for what it takes back: aggregation */
    bool lookup_wait;       /* a commit waits for the compaction that makes its changelog */
    bool row_deduplicate;   /* an update that changes nothing makes no changelog */
    const char *row_deduplicate_ignored; /* columns that do not count there, separated by commas; NULL: none. Borrowed
                                            from the schema */
    bool always_wait;                    /* commit.force-compact: every commit waits for running compactions */
    bool always_lift;           /* compaction.force-up-level-0: level 0 goes up even when no rule asks for it */
    int32_t level_count;        /* num-levels */
    int32_t compaction_trigger; /* sorted runs that start a compaction */
    int32_t stop_trigger;       /* sorted runs that make writing wait */
    int32_t size_ratio_percent;
    int32_t max_size_amplification_percent;
    /* When everything is compacted though no rule asks for it; 0: never for that reason. */
    int64_t full_interval_ms;       /* compaction.optimization-interval since the last time */
    int64_t full_below_bytes;       /* compaction.total-size-threshold: a bucket so small */
    int64_t full_incremental_bytes; /* compaction.incremental-size-threshold: so much outside of the highest level */
    /* From one hour of the day (local time) until another, size_ratio_percent is so much greater; equal: never. */
    int32_t off_peak_start, off_peak_end, off_peak_ratio_percent;
    int64_t target_file_bytes;
    int64_t small_file_bytes;      /* smaller ones are rewritten with their neighbours */
    int32_t append_min_file_count; /* compaction.min.file-num: small append files that make a compaction */
    bool spillable;
} weir_lsm_options;

/* Reads the options of a schema. WEIR_INVALID, WEIR_UNSUPPORTED: one has a value that is wrong, or not followed. */
int weir_lsm_options_read(const weir_schema *schema, weir_lsm_options *out, weir_error *err);

/* The changelog producer alone. */
int weir_changelog_producer_of(const weir_schema *schema, weir_changelog_producer *out, weir_error *err);

#endif
