/* Files that nothing names: left by writers that were killed, and by what crashed while it removed files. */
#ifndef WEIR_TABLE_ORPHAN_FILES_H
#define WEIR_TABLE_ORPHAN_FILES_H

#include "table/table.h"

#define WEIR_ORPHAN_AGE_MS 86400000 /* the usual age: a day */

typedef struct weir_orphans {
    const char **paths; /* in the arena given, in byte order a folder */
    size_t count;
    int64_t bytes;
} weir_orphans;

/* Removes the files in the folders of manifests, statistics and buckets, and temporary files of snapshots, that no
 * snapshot, tag, branch or changelog names and that were last changed before `older_than_ms`. What is younger may
 * belong to a commit that is being made. `dry_run`: only tells them. */
int weir_table_remove_orphans(const weir_table *table, int64_t older_than_ms, bool dry_run, weir_arena *arena,
                              weir_orphans *out, weir_error *err);

#endif
