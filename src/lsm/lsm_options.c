/* Reading the options that bucket writers follow. Defaults that depend on other options are settled here, as
 * org.apache.paimon.CoreOptions does. */
#include "lsm/lsm_options.h"

int weir_changelog_producer_of(const weir_schema *schema, weir_changelog_producer *out, weir_error *err)
{
    static const char *const names[] = {"none", "input", "lookup", "full-compaction"};
    const char *name = NULL;
    WEIR_TRY(weir_options_text(&schema->options, "changelog-producer", &name, err));
    for (int i = 0; name != NULL && i < 4; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (weir_changelog_producer)i;
            return WEIR_OK;
        }
    }
    *out = WEIR_CHANGELOG_NONE;
    return WEIR_OK;
}

/* An integer option whose default depends on others. */
static int int_or(const weir_schema *schema, const char *key, int64_t fallback, int32_t *out, weir_error *err)
{
    int64_t value = fallback;
    if (weir_options_get(&schema->options, key) != NULL) {
        WEIR_TRY(weir_options_int(&schema->options, key, &value, err));
    }
    *out = (int32_t)value;
    return WEIR_OK;
}

static int require_at_least(const char *key, int32_t value, int32_t least, weir_error *err)
{
    if (value < least) {
        return weir_fail(err, WEIR_INVALID, "option '%s' is %d, but must be at least %d", key, value, least);
    }
    return WEIR_OK;
}

/* What merging asks of compactions. */
static int read_merging(const weir_schema *schema, weir_lsm_options *options, weir_error *err)
{
    const char *engine = NULL;
    bool forced = false;
    bool removes = false;
    WEIR_TRY(weir_options_text(&schema->options, "merge-engine", &engine, err));
    WEIR_TRY(weir_options_bool(&schema->options, "aggregation.remove-record-on-delete", &removes, err));
    WEIR_TRY(weir_options_bool(&schema->options, "force-lookup", &forced, err));
    options->keeps_first = strcmp(engine, "first-row") == 0;
    options->looks_up = options->changelog_producer == WEIR_CHANGELOG_LOOKUP || options->keeps_first || forced;
    options->keeps_newest = strcmp(engine, "deduplicate") == 0 &&
                            weir_options_get(&schema->options, "sequence.field") == NULL;
    options->folds_rows = strcmp(engine, "partial-update") == 0 || strcmp(engine, "aggregation") == 0;
    options->keeps_retractions = strcmp(engine, "aggregation") == 0 && !removes;
    return WEIR_OK;
}

/* Where target-file-size is unset, tables with a primary key have smaller files than those without. */
static int target_file_bytes(const weir_schema *schema, int64_t *out, weir_error *err)
{
    if (weir_options_get(&schema->options, "target-file-size") == NULL) {
        *out = schema->primary_key_count > 0 ? (int64_t)128 << 20 : (int64_t)256 << 20;
        return WEIR_OK;
    }
    return weir_options_size(&schema->options, "target-file-size", out, err);
}

static int size_or_none(const weir_schema *schema, const char *key, int64_t *out, weir_error *err)
{
    return weir_options_get(&schema->options, key) == NULL ? WEIR_OK
                                                           : weir_options_size(&schema->options, key, out, err);
}

/* compaction.* beyond the three rules of universal_compaction.c. */
static int read_full_rules(const weir_schema *schema, weir_lsm_options *options, weir_error *err)
{
    static const char interval[] = "compaction.optimization-interval";
    if (weir_options_get(&schema->options, interval) != NULL) {
        WEIR_TRY(weir_options_duration(&schema->options, interval, &options->full_interval_ms, err));
    }
    WEIR_TRY(size_or_none(schema, "compaction.total-size-threshold", &options->full_below_bytes, err));
    WEIR_TRY(size_or_none(schema, "compaction.incremental-size-threshold", &options->full_incremental_bytes, err));
    WEIR_TRY(int_or(schema, "compaction.offpeak.start.hour", -1, &options->off_peak_start, err));
    WEIR_TRY(int_or(schema, "compaction.offpeak.end.hour", -1, &options->off_peak_end, err));
    return int_or(schema, "compaction.offpeak-ratio", 0, &options->off_peak_ratio_percent, err);
}

int weir_lsm_options_read(const weir_schema *schema, weir_lsm_options *out, weir_error *err)
{
    weir_lsm_options options = {0};
    const weir_options *set = &schema->options;
    WEIR_TRY(weir_changelog_producer_of(schema, &options.changelog_producer, err));
    WEIR_TRY(weir_options_bool(set, "lookup-wait", &options.lookup_wait, err));
    WEIR_TRY(weir_options_bool(set, "changelog-producer.row-deduplicate", &options.row_deduplicate, err));
    options.row_deduplicate_ignored = weir_options_get(set, "changelog-producer.row-deduplicate-ignore-fields");
    WEIR_TRY(weir_options_bool(set, "commit.force-compact", &options.always_wait, err));
    WEIR_TRY(weir_options_bool(set, "compaction.force-up-level-0", &options.always_lift, err));
    WEIR_TRY(read_merging(schema, &options, err));
    options.always_lift |= options.looks_up;
    WEIR_TRY(int_or(schema, "num-sorted-run.compaction-trigger", 5, &options.compaction_trigger, err));
    WEIR_TRY(require_at_least("num-sorted-run.compaction-trigger", options.compaction_trigger, 1, err));
    WEIR_TRY(int_or(schema, "num-sorted-run.stop-trigger", (int64_t)options.compaction_trigger + 3,
                    &options.stop_trigger, err));
    if (options.stop_trigger < options.compaction_trigger) {
        options.stop_trigger = options.compaction_trigger;
    }
    WEIR_TRY(int_or(schema, "num-levels", (int64_t)options.compaction_trigger + 1, &options.level_count, err));
    WEIR_TRY(require_at_least("num-levels", options.level_count, 2, err));
    WEIR_TRY(int_or(schema, "compaction.size-ratio", 1, &options.size_ratio_percent, err));
    WEIR_TRY(int_or(schema, "compaction.max-size-amplification-percent", 200, &options.max_size_amplification_percent,
                    err));
    WEIR_TRY(read_full_rules(schema, &options, err));
    WEIR_TRY(int_or(schema, "compaction.min.file-num", 5, &options.append_min_file_count, err));
    WEIR_TRY(target_file_bytes(schema, &options.target_file_bytes, err));
    options.small_file_bytes = options.target_file_bytes / 10 * 7;
    if (weir_options_get(set, "write-buffer-spillable") != NULL) {
        WEIR_TRY(weir_options_bool(set, "write-buffer-spillable", &options.spillable, err));
    }
    *out = options;
    return WEIR_OK;
}
