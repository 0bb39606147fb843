/* Commits of a kind of their own. Used by the files of committing. */
#ifndef WEIR_TABLE_COMMIT_INTERNAL_H
#define WEIR_TABLE_COMMIT_INTERNAL_H

#include "table/commit/commit.h"

const weir_table *weir_table_commit_table(const weir_table_commit *commit);

/* A snapshot of kind ANALYZE that changes no files and names the statistics file. */
int weir_table_commit_analyze(weir_table_commit *commit, const char *statistics, int64_t *out_snapshot_id,
                              weir_error *err);

#endif
