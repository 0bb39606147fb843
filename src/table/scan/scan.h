/* Planning: from a table to the splits that a batch read needs.
 *
 * Which snapshot is read follows from the table's options: scan.mode, scan.snapshot-id, scan.tag-name,
 * scan.timestamp-millis, scan.timestamp, scan.watermark, scan.version, incremental-between and -timestamp,
 * incremental-between-scan-mode. */
#ifndef WEIR_TABLE_SCAN_H
#define WEIR_TABLE_SCAN_H

#include "base/map.h"
#include "merge/sorted_run.h"
#include "table/table.h"

typedef enum weir_split_kind {
    WEIR_SPLIT_RAW,       /* rows of the files as they are, one file after the other (append tables, merged files) */
    WEIR_SPLIT_MERGE,     /* a section: runs to merge */
    WEIR_SPLIT_COLUMNS,   /* rows whose columns stand in several files (data evolution) */
    WEIR_SPLIT_CHANGELOG, /* rows of the files with their kinds, in file order (changelog or delta files) */
    WEIR_SPLIT_DIFF       /* the difference of two states of one bucket: `before` and `runs` */
} weir_split_kind;

typedef struct weir_split {
    weir_split_kind kind;
    int64_t snapshot_id;
    weir_slice partition;
    int32_t bucket;
    weir_data_file **files; /* RAW, COLUMNS, CHANGELOG */
    int32_t file_count;
    int64_t first_row;    /* RAW, a piece of one file: … */
    int64_t row_limit;    /* … so many rows of it; 0: the split is all rows of all its files */
    weir_slice lower_key; /* MERGE, a piece: the keys in [lower, upper), as in merge_reader.h; empty: unbounded */
    weir_slice upper_key;
    weir_sorted_run *runs; /* MERGE, DIFF (after) */
    int32_t run_count;
    weir_sorted_run *before; /* DIFF */
    int32_t before_count;
    bool with_before;  /* DIFF: a -U comes before each +U, and -D stand for deletes; otherwise newer rows as they are */
    int64_t row_count; /* physical rows, an estimate of the rows that come out */
    int64_t size_bytes;
    const weir_table *table; /* whose files these are: the fallback branch's; NULL: the planned table's */
} weir_split;

typedef struct weir_table_plan {
    weir_arena arena;
    int64_t snapshot_id;           /* that was planned; 0: the table is empty */
    const weir_snapshot *snapshot; /* NULL: none */
    weir_split *splits;
    size_t split_count;
    /* For EXPLAIN and counters. */
    int64_t manifests; /* of the snapshot */
    int64_t manifests_read;
    int64_t files_in_snapshot; /* live ones, pruned or not */
    int64_t files_total;       /* live files of the snapshot that were looked at */
    int64_t files_kept;
    /* The exact number of rows, where the splits tell it without reading (all RAW, no predicate); otherwise -1. */
    int64_t exact_row_count;
    bool has_uncounted; /* files of which nothing tells how many rows are deleted */
    /* scan.fallback-branch: what its splits, which are among `splits`, stand on. NULL: none. */
    weir_table *fallback_table;
    struct weir_table_plan *fallback;
} weir_table_plan;

typedef struct weir_scan_options {
    const weir_predicate *predicate; /* over the schema's columns; used for pruning only. NULL: none */
    int64_t limit;                   /* rows wanted; -1: all */
    bool with_kinds;                 /* incremental reads: keep rows of every kind (audit log); otherwise deletes go */
    const weir_map *without_partitions; /* serialized partitions whose files are left out. NULL: none */
    int32_t min_level;                  /* files of lower levels are left out; 0: none are */
    bool with_stats;                    /* entries keep value statistics though no predicate needs them */
    bool without_postponed;             /* changes in files that have no bucket yet are left out */
} weir_scan_options;

/* Refuses, by name, options under which the files of a table do not mean what a reader of its changes makes of them. */
int weir_scan_check_changes_readable(const weir_table *table, weir_error *err);

/* Plans a batch read. `options` NULL: everything. The caller frees the plan; splits stay valid until then. */
int weir_scan_plan(const weir_table *table, const weir_scan_options *options, weir_table_plan **out, weir_error *err);
void weir_table_plan_free(weir_table_plan *plan);

/* The snapshot that the table's options name (see above); *out NULL when the table is empty. In `arena`. */
int weir_scan_snapshot(const weir_table *table, weir_arena *arena, weir_snapshot **out, weir_error *err);

/* Refuses, by name, what would change the rows and is not followed: UNREAD options, and starts by the times at which
 * files were made. */
int weir_scan_check_options(const weir_table *table, weir_error *err);
/* scan.timestamp-millis or scan.timestamp. */
int weir_scan_start_time(const weir_table *table, bool *out_given, int64_t *out_ms, weir_error *err);

/* The newest snapshot that a compaction made; *out NULL: there is none. In `arena`. */
int weir_scan_compacted_snapshot(const weir_table *table, weir_arena *arena, weir_snapshot **out, weir_error *err);

/* Whether reads of a state leave level 0 out. Of first-row tables it is not seen: which of its rows are the first shows
 * when they are compacted; nor of those with deletion vectors (but for deletion-vectors.merge-on-read), which a
 * compaction makes. */
bool weir_scan_skips_level_zero(const weir_table *table);

/* The splits of one snapshot's state (all levels, or only those above `min_level`), or of its delta or changelog files.
 * The stream scan is made of these. Appended to the plan. */
int weir_scan_state(const weir_table *table, const weir_snapshot *snapshot, int32_t min_level,
                    const weir_scan_options *options, weir_table_plan *plan, weir_error *err);
int weir_scan_changes(const weir_table *table, const weir_snapshot *snapshot, bool changelog,
                      const weir_scan_options *options, weir_table_plan *plan, weir_error *err);

#endif
