/* Writing: rows to the writers of their partitions and buckets. */
#ifndef WEIR_TABLE_WRITE_H
#define WEIR_TABLE_WRITE_H

#include "lsm/lsm.h"
#include "table/table.h"

typedef struct weir_table_write weir_table_write;

typedef struct weir_table_write_options {
    const char *commit_user; /* the same as the committer's */
    bool overwrite;          /* previous files are not looked at: INSERT OVERWRITE */
    bool ignore_compaction;  /* as write-only */
    bool changes;            /* the rows are a query's changes: -U are left out unless the table keeps the changelog of
                                its input, since merging by key needs only the newer row */
} weir_table_write_options;

/* Refuses tables that this version would write wrongly (options marked REFUSED), naming the option. */
int weir_table_write_open(const weir_table *table, const weir_table_write_options *options, weir_table_write **out,
                          weir_error *err);

/* Takes all rows of a batch that has the schema's columns; kinds as given. NULL in a NOT NULL column is WEIR_INVALID
 * naming the column, and no row has been taken. Append tables take +I only.
 *
 * After most other errors, of this and of the functions below, rows may be lost: the writer refuses to go on until it
 * is reset. */
int weir_table_write_batch(weir_table_write *write, const weir_batch *batch, weir_error *err);

/* Rows taken so far, without those that were left out by their kind. */
int64_t weir_table_write_row_count(const weir_table_write *write);

/* Asks for a compaction of one bucket (for tests and weir_table_compact). */
int weir_table_write_compact(weir_table_write *write, weir_slice partition, int32_t bucket, bool full, weir_error *err);
/* Full compaction of every bucket that was written since the open. */
int weir_table_write_compact_written(weir_table_write *write, weir_error *err);

/* Flushes everything and hands out what happened since the last call. Writers of buckets that had nothing to do since
 * then are closed, so what a call gives must be committed before the next one. On failure nothing is handed out, and
 * files that were written are removed. */
int weir_table_write_prepare(weir_table_write *write, bool wait_compaction, weir_arena *arena,
                             weir_commit_messages *out, weir_error *err);

/* Makes all bucket writers start from the latest snapshot: after a compaction of theirs was dropped on a conflict
 * (weir_table_commit_dropped_compaction). Rows not yet handed out by prepare stay. */
int weir_table_write_reload(weir_table_write *write, weir_error *err);

/* Whether compactions of this writer work out the changes of rows from what the levels hold (changelog-producer =
 * lookup, and neither write-only nor an overwrite). Such a writer also goes on from the latest snapshot at each prepare,
 * when others have committed since. */
bool weir_table_write_tells_changes(const weir_table_write *write);

/* Closes all bucket writers. Rows not yet handed out by prepare are lost. */
void weir_table_write_reset(weir_table_write *write);

void weir_table_write_close(weir_table_write *write);

/* Compacts every bucket of the table (or small files of an append table) and gives the messages to commit. On failure
 * there are none. */
int weir_table_compact(const weir_table *table, bool full, weir_arena *arena, weir_commit_messages *out,
                       weir_error *err);

/* The same of some partitions. */
typedef struct weir_compact_choice {
    bool (*takes)(void *context, weir_slice partition);
    void *context;
} weir_compact_choice;
int weir_table_compact_partitions(const weir_table *table, bool full, const weir_compact_choice *choice,
                                  weir_arena *arena, weir_commit_messages *out, weir_error *err);

#endif
