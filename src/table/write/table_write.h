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
    bool compacts;           /* a dedicated compaction: what write-only tables wait for; no rows come */
    bool batch;              /* all rows come at once: those of tables that postpone buckets get one right away */
    bool changes;            /* the rows are a query's changes: -U are left out unless the table keeps the changelog of
                                its input, since merging by key needs only the newer row */
} weir_table_write_options;

/* Refuses tables that this version would write wrongly (options marked REFUSED), naming the option. */
int weir_table_write_open(const weir_table *table, const weir_table_write_options *options, weir_table_write **out,
                          weir_error *err);

/* Takes all rows of a batch that has the schema's columns; kinds as given, or as rowkind.field tells. NULL in a NOT NULL column is WEIR_INVALID
 * naming the column, and no row has been taken. Append tables take +I only.
 *
 * After most other errors, of this and of the functions below, rows may be lost: the writer refuses to go on until it
 * is reset. */
int weir_table_write_batch(weir_table_write *write, const weir_batch *batch, weir_error *err);

/* Rows taken so far, without those that were left out by their kind. */
int64_t weir_table_write_row_count(const weir_table_write *write);

/* Asks for a compaction of one bucket (see compact.h). */
int weir_table_write_compact(weir_table_write *write, weir_slice partition, int32_t bucket, bool full, weir_error *err);
/* Full compaction of every bucket that was written since the open. */
int weir_table_write_compact_written(weir_table_write *write, weir_error *err);

/* Full compactions of the buckets that were written, by full-compaction.delta-commits: with each commit whose identifier
 * it divides, and with WEIR_BATCH_COMMIT_IDENTIFIER (changelog-producer.compaction-interval: when its time is over). To
 * be called before the prepare of every commit that may be such a one; that waits for the compactions. */
void weir_table_write_compact_due(weir_table_write *write, int64_t identifier);
/* Whether any is still to come. */
bool weir_table_write_awaits(const weir_table_write *write);
/* The buckets whose full compaction is still to come, each as a message without files, added to `out`; and what makes
 * them await it again, after a restart. */
void weir_table_write_list_awaiting(const weir_table_write *write, weir_arena *arena, weir_commit_messages *out);
void weir_table_write_await(weir_table_write *write, weir_slice partition, int32_t bucket);

/* Flushes everything and hands out what happened since the last call. Writers of buckets that had nothing to do since
 * then are closed, so what a call gives must be committed before the next one. On failure nothing is handed out, and
 * files that were written are removed. */
int weir_table_write_prepare(weir_table_write *write, bool wait_compaction, weir_arena *arena,
                             weir_commit_messages *out, weir_error *err);

/* Tells that what the last prepare gave has been committed (weir_table_commit_rows_snapshot; 0: without rows). Where
 * keys may move between partitions, that commit has made sure that nobody else had written before. */
void weir_table_write_committed(weir_table_write *write, int64_t snapshot_id);

/* Tells that the commit of it was refused (WEIR_CONFLICT). What the writer knows builds on files that are in no table
 * now: it takes nothing more until it is reset. */
void weir_table_write_refused(weir_table_write *write);

/* Makes all bucket writers start from the latest snapshot: after a compaction of theirs was dropped on a conflict
 * (weir_table_commit_dropped_compaction). Rows not yet handed out by prepare stay. */
int weir_table_write_reload(weir_table_write *write, weir_error *err);

/* Whether compactions of this writer work out the changes of rows (changelog-producer = lookup or full-compaction), or
 * look at what the levels hold of their keys (merge-engine = first-row). In a writer that looks at the levels, neither
 * write-only nor an overwrite, each prepare goes on from the latest snapshot, when others have committed since. */
bool weir_table_write_tells_changes(const weir_table_write *write);
bool weir_table_write_compacts_fully(const weir_table_write *write); /* changelog-producer = full-compaction */

/* Closes all bucket writers. Rows not yet handed out by prepare are lost. */
void weir_table_write_reset(weir_table_write *write);

void weir_table_write_close(weir_table_write *write);

#endif
