/* Committing what the writer of a table has prepared, and setting the writer right afterwards.
 *
 * A compaction that met somebody else's is dropped, and the writer goes on from what there is. Where compactions work
 * out the changes of rows (weir_table_write_tells_changes), those of the rows just committed are still to come: with the
 * bucket's next rows, of which there may be none. So these buckets are compacted once more, under the same identifier,
 * until nobody comes between. */
#ifndef WEIR_TABLE_PUBLISH_H
#define WEIR_TABLE_PUBLISH_H

#include "table/commit/commit.h"
#include "table/write/table_write.h"

/* What was committed, added up over calls. */
typedef struct weir_publish_summary {
    int64_t commits;
    int64_t files;
    int64_t last_snapshot; /* 0: none */
} weir_publish_summary;

/* Commits with weir_table_commit_run, or, after a crash, with weir_table_commit_recover. Both must have been opened for
 * one user. Nothing may have been written since the messages were prepared. WEIR_IO: as there; the rows may stand. */
int weir_table_publish(weir_table_write *write, weir_table_commit *commit, const weir_committable *committable,
                       weir_publish_summary *summary, weir_error *err);
int weir_table_publish_recovered(weir_table_write *write, weir_table_commit *commit,
                                 const weir_committable *committable, int64_t last_seen_snapshot,
                                 weir_publish_summary *summary, weir_error *err);

/* What follows a commit that was made otherwise, of what `write`, or another writer of the same user, has prepared.
 * `owes`: changes may be owed though no compaction was dropped. */
int weir_table_publish_settle(weir_table_write *write, weir_table_commit *commit, const weir_committable *committable,
                              bool owes, weir_publish_summary *summary, weir_error *err);

/* Counts a commit that was made otherwise. `snapshot_id` 0: it made none. */
void weir_publish_count(const weir_commit_messages *messages, int64_t snapshot_id, weir_publish_summary *summary);

#endif
