/* One attempt after the other to make a snapshot of some changes. Used by the files of committing. */
#ifndef WEIR_TABLE_COMMIT_ATTEMPT_H
#define WEIR_TABLE_COMMIT_ATTEMPT_H

#include "table/commit/commit.h"
#include "table/commit/commit_changes.h"
#include "table/commit/commit_guard.h"

/* Gives the changes for the table's latest snapshot (NULL: none yet): INSERT OVERWRITE deletes what is there by then.
 * Entries may live in `arena`. */
typedef int (*weir_changes_source)(void *argument, const weir_snapshot *latest, weir_arena *arena,
                                   weir_commit_changes *out, weir_error *err);

typedef struct weir_commit_request {
    const weir_table *table;
    const char *commit_user;
    const weir_committable *committable;
    weir_changes_source source;
    void *argument;
    const char *statistics; /* the file that the snapshot names; NULL: as before */
} weir_commit_request;

/* *out is the snapshot made. Nothing is left behind when it fails, except where it is not known whether the
 * snapshot became visible (WEIR_IO while publishing). */
int weir_commit_attempt(const weir_commit_request *request, weir_published *out, weir_error *err);

#endif
