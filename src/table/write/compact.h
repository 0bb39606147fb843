/* Dedicated compaction: of a table that others write to, who may leave compaction to it (write-only).
 *
 *   weir_compactor_open(table, &options, &compactor, err);
 *   weir_compactor_run(compactor, &round, err);   // once, or again and again: each looks at what has been committed
 *   weir_compactor_close(compactor);
 *
 * A compaction that meets another one, or an overwrite, is dropped with its files: nothing is lost, and the next run
 * starts from what there is. A compactor that is killed leaves files that no snapshot names. */
#ifndef WEIR_TABLE_COMPACT_H
#define WEIR_TABLE_COMPACT_H

#include "table/write/table_write.h"

/* Some partitions of a table. */
typedef struct weir_compact_choice {
    bool (*takes)(void *context, weir_slice partition);
    void *context;
} weir_compact_choice;

typedef struct weir_compactor_options {
    const weir_compact_choice *choice; /* NULL: all partitions. Borrowed */
    /* Each bucket into one sorted run; otherwise as writers would do by themselves, with full compactions by
     * full-compaction.delta-commits, a run counting as a commit. */
    bool full;
} weir_compactor_options;

/* What a run did. */
typedef struct weir_compactor_round {
    int64_t buckets;      /* that were compacted */
    int64_t files_before; /* that were compacted, and what became of them */
    int64_t files_after;
    int64_t changelog_files;
    int64_t bytes_before, bytes_after;
    int64_t duration_ms;
    int64_t snapshot_id; /* 0: none was made */
    bool dropped;        /* somebody else was faster; the next run tries again */
    bool awaits;         /* full compactions are to come though nothing more is written */
} weir_compactor_round;

typedef struct weir_compactor weir_compactor;

/* The table is borrowed. It should be opened with write-only = false, so that snapshots expire with the commits. */
int weir_compactor_open(const weir_table *table, const weir_compactor_options *options, weir_compactor **out,
                        weir_error *err);
/* WEIR_CONFLICT: the table was altered; open it, and a compactor, again. */
int weir_compactor_run(weir_compactor *compactor, weir_compactor_round *out, weir_error *err);
void weir_compactor_close(weir_compactor *compactor);

/* Compacts once and gives the messages to commit. On failure there are none. */
int weir_table_compact(const weir_table *table, bool full, const weir_compact_choice *choice, weir_arena *arena,
                       weir_commit_messages *out, weir_error *err);

#endif
