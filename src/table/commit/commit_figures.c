/* What a commit did, for the table's metrics: files, rows and sizes of its snapshots, partitions, buckets, and time. */
#include "table/commit/commit_figures.h"

#include "base/clock.h"
#include "base/map.h"

void weir_commit_figures_begin(weir_commit_figures *figures)
{
    *figures = (weir_commit_figures){.started_ns = weir_monotonic_ns()};
}

static void count_file(weir_commit_figures *figures, const weir_manifest_entry *entry, bool compacts)
{
    int64_t *values = figures->values;
    bool is_added = entry->kind == WEIR_FILE_ADD;
    values[is_added ? WEIR_TABLE_LAST_TABLE_FILES_ADDED : WEIR_TABLE_LAST_TABLE_FILES_DELETED]++;
    if (compacts) {
        values[WEIR_TABLE_LAST_TABLE_FILES_COMPACTED]++;
        values[WEIR_TABLE_LAST_DELTA_RECORDS_COMPACTED] += entry->file->row_count;
        values[is_added ? WEIR_TABLE_LAST_COMPACTION_OUTPUT : WEIR_TABLE_LAST_COMPACTION_INPUT] +=
            entry->file->size_bytes;
    } else {
        values[WEIR_TABLE_LAST_TABLE_FILES_APPENDED]++;
        values[WEIR_TABLE_LAST_DELTA_RECORDS_APPENDED] += entry->file->row_count;
    }
}

/* Entries of one partition, and of one bucket in it, stand together or nearly so; a set tells the rest. */
static void count_places(weir_commit_figures *figures, const weir_manifest_entries *entries)
{
    weir_map partitions = {0}, buckets = {0};
    weir_buffer key = {0};
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *entry = &entries->items[i];
        weir_buffer_clear(&key);
        weir_buffer_append(&key, &entry->bucket, sizeof entry->bucket);
        weir_buffer_append(&key, entry->partition.data, entry->partition.size);
        weir_map_put(&partitions, entry->partition, figures);
        weir_map_put(&buckets, weir_buffer_slice(&key), figures);
    }
    int64_t *values = figures->values;
    if ((int64_t)buckets.size > values[WEIR_TABLE_LAST_BUCKETS_WRITTEN]) {
        /* Both halves write the same buckets, or the second fewer. */
        values[WEIR_TABLE_LAST_BUCKETS_WRITTEN] = (int64_t)buckets.size;
        values[WEIR_TABLE_LAST_PARTITIONS_WRITTEN] = (int64_t)partitions.size;
    }
    weir_map_free(&partitions);
    weir_map_free(&buckets);
    weir_buffer_free(&key);
}

void weir_commit_figures_add(weir_commit_figures *figures, const weir_commit_changes *changes,
                             const weir_published *published)
{
    bool compacts = changes->kind == WEIR_COMMIT_COMPACT;
    for (size_t i = 0; i < changes->files.count; i++) {
        count_file(figures, &changes->files.items[i], compacts);
    }
    int64_t *values = figures->values;
    for (size_t i = 0; i < changes->changelog.count; i++) {
        values[compacts ? WEIR_TABLE_LAST_CHANGELOG_FILES_COMPACTED : WEIR_TABLE_LAST_CHANGELOG_FILES_APPENDED]++;
        values[compacts ? WEIR_TABLE_LAST_CHANGELOG_RECORDS_COMPACTED : WEIR_TABLE_LAST_CHANGELOG_RECORDS_APPENDED] +=
            changes->changelog.items[i].file->row_count;
    }
    count_places(figures, &changes->files);
    values[WEIR_TABLE_LAST_COMMIT_ATTEMPTS] += published->attempts;
    figures->snapshots++;
    figures->published = *published;
}

void weir_commit_figures_report(const weir_commit_figures *figures, weir_table_metrics *metrics)
{
    if (metrics == NULL || figures->snapshots == 0) {
        return;
    }
    int64_t duration_ms = (weir_monotonic_ns() - figures->started_ns) / 1000000;
    for (int metric = WEIR_TABLE_LAST_COMMIT_ATTEMPTS; metric <= WEIR_TABLE_LAST_COMPACTION_OUTPUT; metric++) {
        weir_table_metrics_set(metrics, (weir_table_metric)metric, figures->values[metric]);
    }
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_GENERATED_SNAPSHOTS, figures->snapshots);
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_COMMITTED_SNAPSHOT, figures->published.snapshot_id);
    weir_table_metrics_set(metrics, WEIR_TABLE_CURRENT_SNAPSHOT, figures->published.snapshot_id);
    weir_table_metrics_set(metrics, WEIR_TABLE_FILE_COUNT, figures->published.live_files);
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_COMMIT_DURATION, duration_ms);
    weir_table_metrics_time(metrics, WEIR_TABLE_COMMIT_DURATION, duration_ms);
    weir_table_metrics_add(metrics, WEIR_TABLE_COMMITS, 1);
}
