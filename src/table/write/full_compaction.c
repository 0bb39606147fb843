/* full-compaction.delta-commits and its older form, changelog-producer.compaction-interval. Source of truth:
 * org.apache.paimon.flink.sink.StoreSinkWrite and GlobalFullCompactionSinkWrite. */
#include "table/write/full_compaction.h"

#include "base/clock.h"
#include "lsm/lsm_options.h"

int weir_full_compaction_read(const weir_schema *schema, weir_full_compaction *out, weir_error *err)
{
    static const char commits[] = "full-compaction.delta-commits";
    static const char interval[] = "changelog-producer.compaction-interval";
    const weir_options *set = &schema->options;
    weir_changelog_producer producer = WEIR_CHANGELOG_NONE;
    WEIR_TRY(weir_changelog_producer_of(schema, &producer, err));
    if (weir_options_get(set, commits) != NULL) {
        WEIR_TRY(weir_options_int(set, commits, &out->delta_commits, err));
        out->delta_commits = out->delta_commits < 1 ? 1 : out->delta_commits;
    } else if (weir_options_get(set, interval) != NULL) {
        WEIR_TRY(weir_options_duration(set, interval, &out->interval_ms, err));
    }
    if (!weir_full_compaction_is_made(out) && producer == WEIR_CHANGELOG_FULL_COMPACTION) {
        out->delta_commits = 1;
    }
    out->last_ns = weir_monotonic_ns();
    return WEIR_OK;
}

void weir_full_compaction_free(weir_full_compaction *full)
{
    weir_commit_messages_free(&full->waiting);
    weir_arena_free(&full->arena);
}

bool weir_full_compaction_is_made(const weir_full_compaction *full)
{
    return full->delta_commits > 0 || full->interval_ms > 0;
}

bool weir_full_compaction_divides(const weir_full_compaction *full, int64_t identifier)
{
    return full->delta_commits == 0 || identifier == WEIR_BATCH_COMMIT_IDENTIFIER ||
           identifier % full->delta_commits == 0;
}

bool weir_full_compaction_is_due(weir_full_compaction *full, int64_t identifier)
{
    if (!weir_full_compaction_is_made(full)) {
        return false;
    }
    int64_t now_ns = weir_monotonic_ns();
    bool is_over = full->interval_ms > 0 && (now_ns - full->last_ns) / 1000000 >= full->interval_ms;
    bool is_numbered = full->delta_commits > 0 || identifier == WEIR_BATCH_COMMIT_IDENTIFIER;
    if (!is_over && !(is_numbered && weir_full_compaction_divides(full, identifier))) {
        return false;
    }
    full->last_ns = now_ns;
    return true;
}

void weir_full_compaction_await(weir_full_compaction *full, weir_slice partition, int32_t bucket)
{
    const void *copy = weir_arena_copy(&full->arena, partition.data, partition.size);
    weir_commit_messages_add(&full->waiting, weir_slice_of(copy, partition.size), bucket, 0);
}

void weir_full_compaction_forget(weir_full_compaction *full)
{
    weir_commit_messages_free(&full->waiting);
    weir_arena_free(&full->arena);
    full->waiting = (weir_commit_messages){0};
}
