/* Committing: commit messages become snapshots.
 *
 * The protocol is Paimon's (spec "Commit protocol"): a committable makes up to two snapshots with the same identifier,
 * APPEND (or OVERWRITE) and COMPACT; snapshot N + 1 is published atomically; when somebody else was faster, conflicts
 * are checked against what was committed since and the attempt is repeated. A COMPACT half that conflicts is dropped
 * with its files. Commit user and identifier make replays harmless. */
#ifndef WEIR_TABLE_COMMIT_H
#define WEIR_TABLE_COMMIT_H

#include "lsm/commit_message.h"
#include "table/table.h"

typedef struct weir_table_commit weir_table_commit;

typedef struct weir_committable {
    int64_t identifier; /* of the checkpoint; WEIR_BATCH_COMMIT_IDENTIFIER for batches */
    int64_t watermark;  /* WEIR_NO_WATERMARK: none */
    bool has_watermark;
    const char *const *property_keys;
    const char *const *property_values;
    int32_t property_count;
    const weir_commit_messages *messages;
} weir_committable;

int weir_table_commit_open(const weir_table *table, const char *commit_user, weir_table_commit **out, weir_error *err);

/* Commits. Without changes no snapshot is made (commit.force-create-snapshot: one is). *out_snapshot_id (may be NULL)
 * is the last snapshot made, or 0. Expires old snapshots afterwards as snapshot.* ask (not with write-only).
 *
 * WEIR_IO: it is not known how much of it stands; weir_table_commit_replay does the rest. After any other error nothing
 * was committed. */
int weir_table_commit_run(weir_table_commit *commit, const weir_committable *committable, int64_t *out_snapshot_id,
                          weir_error *err);

/* The snapshot that the last commit put rows into whose keys were placed (weir_commit_message); 0: it had none, and has
 * not looked for other writers. For weir_table_write_committed. */
int64_t weir_table_commit_rows_snapshot(const weir_table_commit *commit);

/* Whether the last commit had to drop its COMPACT half: the writer must then start anew (weir_table_write_reload). */
bool weir_table_commit_dropped_compaction(const weir_table_commit *commit);

/* Looks whether the last commit still stands (see commit_guard.h) and makes it again if not. Every commit does so for
 * the one before it; a job calls it at its end. */
int weir_table_commit_verify(weir_table_commit *commit, weir_error *err);

/* INSERT OVERWRITE: the messages' new files replace all files of the given partition (static: `partition_values` has a
 * literal or NULL a partition key; all NULL pointers: the whole table), or, with dynamic-partition-overwrite and no
 * static values, of the partitions that the messages touch. WEIR_INVALID when a new file lies outside of the given
 * partition. */
int weir_table_commit_overwrite(weir_table_commit *commit, const weir_committable *committable,
                                const weir_literal *const *partition_values, int64_t *out_snapshot_id, weir_error *err);

/* Whether this user's committable of that identifier has been committed already (its APPEND and its COMPACT half), as
 * far as the snapshots tell that have not expired. */
int weir_table_commit_find(weir_table_commit *commit, int64_t identifier, bool *out_append, bool *out_compact,
                           weir_error *err);

/* Commits what has not been committed yet: what recovery does with prepared messages. Where the snapshots that could
 * tell have expired, the files do: WEIR_NOT_FOUND when they are gone, too. */
int weir_table_commit_replay(weir_table_commit *commit, const weir_committable *committable, int64_t *out_snapshot_id,
                             weir_error *err);

/* The same for a job that remembers which snapshot was the latest when it prepared: only later ones are searched. The
 * job's user commits with ascending identifiers. WEIR_CONFLICT when the table has a later commit of this user, or has
 * lost the snapshot that was seen. Where snapshots have expired and the files do not prove that the commit happened,
 * nothing is committed: WEIR_NOT_FOUND. */
int weir_table_commit_recover(weir_table_commit *commit, const weir_committable *committable,
                              int64_t last_seen_snapshot, int64_t *out_snapshot_id, weir_error *err);

/* Removes the files of messages that will never be committed, except those that are in the table all the same. */
int weir_table_commit_abort(weir_table_commit *commit, const weir_commit_messages *messages, weir_error *err);

/* An empty table state (TRUNCATE): one OVERWRITE snapshot. */
int weir_table_commit_truncate(weir_table_commit *commit, int64_t identifier, int64_t *out_snapshot_id,
                               weir_error *err);

/* The partitions of `specs` become empty: one OVERWRITE snapshot. A spec has a literal or NULL (any value) for each
 * partition key. No snapshot is made when none of them has files. */
int weir_table_commit_drop_partitions(weir_table_commit *commit, const weir_literal *const *const *specs,
                                      int32_t spec_count, int64_t identifier, int64_t *out_snapshot_id,
                                      weir_error *err);

void weir_table_commit_close(weir_table_commit *commit);

#endif
