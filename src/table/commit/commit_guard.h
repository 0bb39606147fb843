/* Watching over the last commit: not every writer publishes atomically.
 *
 * Some programs check on local disks and S3 that a snapshot's name is free, and then write over whatever is there by
 * then. So the committer looks again, before it builds the next snapshot and at the end, whether its last one still
 * holds what it published, and tells what was lost, so that it can be committed again. */
#ifndef WEIR_TABLE_COMMIT_GUARD_H
#define WEIR_TABLE_COMMIT_GUARD_H

#include "table/commit/commit_changes.h"

#define WEIR_DELTA_LIST_SIZE 128

/* A snapshot that was published. */
typedef struct weir_published {
    int64_t snapshot_id; /* 0: none */
    char delta_list[WEIR_DELTA_LIST_SIZE];
    int64_t attempts;   /* that it took */
    int64_t live_files; /* of the table after it */
} weir_published;

typedef struct weir_commit_guard {
    weir_arena arena;
    weir_published published;
    int64_t identifier;
    weir_commit_changes changes; /* deep copies */
} weir_commit_guard;

void weir_commit_guard_init(weir_commit_guard *guard);
void weir_commit_guard_free(weir_commit_guard *guard);

/* Remembers what was published, in place of what it knew. */
void weir_commit_guard_remember(weir_commit_guard *guard, const weir_published *published, int64_t identifier,
                                const weir_commit_changes *changes);

/* Whether the snapshot that was published last holds other content now. One that has expired is not lost. */
int weir_commit_guard_is_lost(const weir_commit_guard *guard, const weir_table *table, bool *out, weir_error *err);

#endif
