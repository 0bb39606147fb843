/* The index files of a snapshot to be. Used by the files of committing. */
#ifndef WEIR_TABLE_COMMIT_INDEXES_H
#define WEIR_TABLE_COMMIT_INDEXES_H

#include "table/table.h"

/* Appends the index files of `snapshot` (NULL, or one without any: none). */
int weir_snapshot_indexes(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                          weir_index_entries *out, weir_error *err);

/* Whether the hash indexes that rows were given their bucket by still say so: WEIR_CONFLICT where a bucket's current
 * index lacks keys that `relied` has. Others may have added some. */
int weir_commit_indexes_check(const weir_table *table, const weir_index_entries *relied,
                              const weir_index_entries *current, weir_error *err);

/* Changes the index files of a snapshot: DELETE entries first, then ADD. WEIR_CONFLICT when a file to be deleted is not
 * among them any more, or a bucket would have two: somebody else has changed the bucket meanwhile. */
int weir_commit_indexes_apply(const weir_table *table, const weir_index_entries *changes, weir_index_entries *current,
                              weir_error *err);

#endif
