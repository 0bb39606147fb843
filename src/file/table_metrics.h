/* Figures of one table at work: what its last commit, its last scan, its compactions and its write buffers did.
 *
 * The list below is all there is: a figure is named once, here, with Paimon's name for it; whoever does the work sets
 * it, and the metrics endpoint writes what the list says. Figures that Paimon keeps a bucket are summed up over the
 * buckets here: a table of thousands of buckets would otherwise give tens of thousands of time series.
 *
 * Source of truth for names and meanings: Paimon's documentation, "Metrics" (org.apache.paimon.operation.metrics).
 *
 * Threading: everything may be set, added to and read by many threads at a time. */
#ifndef WEIR_FILE_TABLE_METRICS_H
#define WEIR_FILE_TABLE_METRICS_H

#include "base/histogram.h"
#include "base/map.h"

typedef enum weir_metric_kind { WEIR_METRIC_GAUGE, WEIR_METRIC_COUNTER, WEIR_METRIC_HISTOGRAM } weir_metric_kind;

typedef enum weir_metric_unit {
    WEIR_METRIC_NONE,
    WEIR_METRIC_BYTES,
    WEIR_METRIC_MS /* shown in seconds */
} weir_metric_unit;

/* X(identifier, name, kind, unit, Paimon's name, help) */
#define WEIR_TABLE_METRICS(X)                                                                                          \
    X(LAST_COMMIT_DURATION, "last_commit_duration", GAUGE, MS, "lastCommitDuration", "Time the last commit took.")     \
    X(LAST_COMMIT_ATTEMPTS, "last_commit_attempts", GAUGE, NONE, "lastCommitAttempts",                                 \
      "Attempts of the last commit; more than one a snapshot: somebody else was faster.")                              \
    X(LAST_TABLE_FILES_ADDED, "last_table_files_added", GAUGE, NONE, "lastTableFilesAdded",                            \
      "Data files added by the last commit, by rows and by compaction.")                                               \
    X(LAST_TABLE_FILES_DELETED, "last_table_files_deleted", GAUGE, NONE, "lastTableFilesDeleted",                      \
      "Data files deleted by the last commit.")                                                                        \
    X(LAST_TABLE_FILES_APPENDED, "last_table_files_appended", GAUGE, NONE, "lastTableFilesAppended",                   \
      "Data files of new rows in the last commit.")                                                                    \
    X(LAST_TABLE_FILES_COMPACTED, "last_table_files_commit_compacted", GAUGE, NONE, "lastTableFilesCommitCompacted",   \
      "Data files that the last commit's compaction replaced or made.")                                                \
    X(LAST_CHANGELOG_FILES_APPENDED, "last_changelog_files_appended", GAUGE, NONE, "lastChangelogFilesAppended",       \
      "Changelog files of new rows in the last commit.")                                                               \
    X(LAST_CHANGELOG_FILES_COMPACTED, "last_changelog_files_commit_compacted", GAUGE, NONE,                            \
      "lastChangelogFilesCommitCompacted", "Changelog files made by the last commit's compaction.")                    \
    X(LAST_GENERATED_SNAPSHOTS, "last_generated_snapshots", GAUGE, NONE, "lastGeneratedSnapshots",                     \
      "Snapshots that the last commit made.")                                                                          \
    X(LAST_DELTA_RECORDS_APPENDED, "last_delta_records_appended", GAUGE, NONE, "lastDeltaRecordsAppended",             \
      "Rows in the data files of new rows in the last commit.")                                                        \
    X(LAST_CHANGELOG_RECORDS_APPENDED, "last_changelog_records_appended", GAUGE, NONE, "lastChangelogRecordsAppended", \
      "Rows in the changelog files of new rows in the last commit.")                                                   \
    X(LAST_DELTA_RECORDS_COMPACTED, "last_delta_records_commit_compacted", GAUGE, NONE,                                \
      "lastDeltaRecordsCommitCompacted", "Rows in the data files that the last commit's compaction replaced or made.") \
    X(LAST_CHANGELOG_RECORDS_COMPACTED, "last_changelog_records_commit_compacted", GAUGE, NONE,                        \
      "lastChangelogRecordsCommitCompacted", "Rows in the changelog files made by the last commit's compaction.")      \
    X(LAST_PARTITIONS_WRITTEN, "last_partitions_written", GAUGE, NONE, "lastPartitionsWritten",                        \
      "Partitions with files in the last commit.")                                                                     \
    X(LAST_BUCKETS_WRITTEN, "last_buckets_written", GAUGE, NONE, "lastBucketsWritten",                                 \
      "Buckets with files in the last commit.")                                                                        \
    X(LAST_COMPACTION_INPUT, "last_compaction_input_file_size", GAUGE, BYTES, "lastCompactionInputFileSize",           \
      "Size of the files that the last commit's compaction replaced.")                                                 \
    X(LAST_COMPACTION_OUTPUT, "last_compaction_output_file_size", GAUGE, BYTES, "lastCompactionOutputFileSize",        \
      "Size of the files that the last commit's compaction made.")                                                     \
    X(LAST_COMMITTED_SNAPSHOT, "last_committed_snapshot_id", GAUGE, NONE, "lastCommittedSnapshotId",                   \
      "The last snapshot that this process committed.")                                                                \
    X(COMMITS, "commits", COUNTER, NONE, NULL, "Commits since the start.")                                             \
    X(COMMIT_DURATION, "commit_duration", HISTOGRAM, MS, "commitDuration", "How long commits took.")                   \
    X(CURRENT_SNAPSHOT, "current_snapshot_id", GAUGE, NONE, "currentSnapshotId",                                       \
      "The newest snapshot that this process has committed or read.")                                                  \
    X(FILE_COUNT, "live_files", GAUGE, NONE, "fileCount",                                                              \
      "Live data files of the table, as of the last commit or scan of this process.")                                  \
    X(LAST_SCAN_DURATION, "last_scan_duration", GAUGE, MS, "lastScanDuration", "Time the last plan took.")             \
    X(LAST_SCANNED_SNAPSHOT, "last_scanned_snapshot_id", GAUGE, NONE, "lastScannedSnapshotId",                         \
      "The snapshot of the last plan.")                                                                                \
    X(LAST_SCANNED_MANIFESTS, "last_scanned_manifests", GAUGE, NONE, "lastScannedManifests",                           \
      "Manifests that the last plan read.")                                                                            \
    X(LAST_SCAN_SKIPPED_FILES, "last_scan_skipped_table_files", GAUGE, NONE, "lastScanSkippedTableFiles",              \
      "Data files that the last plan left out.")                                                                       \
    X(LAST_SCAN_RESULTED_FILES, "last_scan_resulted_table_files", GAUGE, NONE, "lastScanResultedTableFiles",           \
      "Data files that the last plan kept.")                                                                           \
    X(SCAN_DURATION, "scan_duration", HISTOGRAM, MS, "scanDuration", "How long plans took.")                           \
    X(COMPACTIONS_COMPLETED, "compactions_completed", COUNTER, NONE, "compactionCompletedCount",                       \
      "Compactions that have ended.")                                                                                  \
    X(COMPACTIONS_RUNNING, "compactions_running", GAUGE, NONE, "compactionThreadBusy",                                 \
      "Buckets that are being compacted now.")                                                                         \
    X(COMPACTION_INPUT, "compaction_input_bytes", COUNTER, NONE, "avgCompactionInputSize",                             \
      "Bytes that compactions have replaced.")                                                                         \
    X(COMPACTION_OUTPUT, "compaction_output_bytes", COUNTER, NONE, "avgCompactionOutputSize",                          \
      "Bytes that compactions have made.")                                                                             \
    X(COMPACTION_DURATION, "compaction_duration", HISTOGRAM, MS, "avgCompactionTime",                                  \
      "How long compactions of a bucket took.")                                                                        \
    X(WRITERS, "writers", GAUGE, NONE, "numWriters", "Buckets that are being written.")                                \
    X(BUFFER_PREEMPTIONS, "buffer_preemptions", COUNTER, NONE, "bufferPreemptCount",                                   \
      "Buffers that were flushed or spilled early, because all of them together were full.")                           \
    X(USED_WRITE_BUFFER, "used_write_buffer", GAUGE, BYTES, "usedWriteBufferSizeByte",                                 \
      "Memory of rows that are in no file yet.")                                                                       \
    X(TOTAL_WRITE_BUFFER, "total_write_buffer", GAUGE, BYTES, "totalWriteBufferSizeByte",                              \
      "Memory that write buffers may take together.")

typedef enum weir_table_metric {
#define WEIR_TABLE_METRIC_NAME(identifier, name, kind, unit, paimon, help) WEIR_TABLE_##identifier,
    WEIR_TABLE_METRICS(WEIR_TABLE_METRIC_NAME)
#undef WEIR_TABLE_METRIC_NAME
        WEIR_TABLE_METRIC_COUNT
} weir_table_metric;

typedef struct weir_metric_description {
    const char *name; /* without prefix and unit */
    weir_metric_kind kind;
    weir_metric_unit unit;
    const char *paimon_name; /* NULL: Paimon has none */
    const char *help;
} weir_metric_description;

extern const weir_metric_description weir_table_metric_descriptions[WEIR_TABLE_METRIC_COUNT];

typedef struct weir_table_metrics {
    char *table;                                          /* as people call it */
    atomic_bool is_set[WEIR_TABLE_METRIC_COUNT];          /* what was never set is not shown */
    atomic_int_least64_t values[WEIR_TABLE_METRIC_COUNT]; /* of gauges and counters */
    weir_histogram histograms[WEIR_TABLE_METRIC_COUNT];   /* of histograms; the others stay empty */
} weir_table_metrics;

/* All of them do nothing where `metrics` is NULL: nobody wants to know. */
void weir_table_metrics_set(weir_table_metrics *metrics, weir_table_metric metric, int64_t value);
void weir_table_metrics_add(weir_table_metrics *metrics, weir_table_metric metric, int64_t value);
void weir_table_metrics_time(weir_table_metrics *metrics, weir_table_metric metric, int64_t ms);

/* The figures of all tables of a process, or of a session. */
typedef struct weir_metrics_registry weir_metrics_registry;

/* Without tables; the caller frees it. */
weir_metrics_registry *weir_metrics_registry_create(void);
void weir_metrics_registry_free(weir_metrics_registry *registry); /* NULL is fine. After all tables */

/* Those of the table of this name, made on first use. They live as long as the registry. */
weir_table_metrics *weir_metrics_registry_table(weir_metrics_registry *registry, const char *table);

/* The n-th table, in the order in which they came; NULL after the last. */
weir_table_metrics *weir_metrics_registry_at(weir_metrics_registry *registry, size_t n);

#endif
