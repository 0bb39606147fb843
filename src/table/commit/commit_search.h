/* Whether a commit has happened already: what recovery asks before it commits again. Used by commit.c only. */
#ifndef WEIR_TABLE_COMMIT_SEARCH_H
#define WEIR_TABLE_COMMIT_SEARCH_H

#include "lsm/commit_message.h"
#include "table/table.h"

typedef struct weir_commit_search {
    bool append;  /* its APPEND (or OVERWRITE) half stands */
    bool compact; /* its COMPACT half */
    bool settled; /* otherwise it may have stood in a snapshot that has expired */
    int64_t later_identifier; /* of a commit of this user that came after it; 0: there is none */
} weir_commit_search;

/* Looks through the snapshots after `after` that there are, the newest first. */
int weir_commit_search_snapshots(const weir_table *table, const char *user, int64_t identifier, int64_t after,
                                 weir_commit_search *out, weir_error *err);

/* Where snapshots do not settle it: a file that is or was in the table proves the commit. WEIR_NOT_FOUND when files are
 * gone, so that nothing can be told. Files that nobody names and that are still there were never committed, unless
 * `strict`: an expiry that was stopped may have left them, and that is WEIR_NOT_FOUND, too. */
int weir_commit_search_files(const weir_table *table, const weir_commit_messages *messages, bool strict,
                             weir_commit_search *out, weir_error *err);

/* Removes the files of messages that are not in the table. */
int weir_commit_search_remove(const weir_table *table, const weir_commit_messages *messages, weir_error *err);

#endif
