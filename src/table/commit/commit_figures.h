/* What a commit did, for the table's metrics. Used by commit.c only. */
#ifndef WEIR_TABLE_COMMIT_FIGURES_H
#define WEIR_TABLE_COMMIT_FIGURES_H

#include "table/commit/commit_changes.h"
#include "table/commit/commit_guard.h"

typedef struct weir_commit_figures {
    int64_t started_ns;
    int64_t values[WEIR_TABLE_METRIC_COUNT]; /* of the WEIR_TABLE_LAST_… of commits */
    int64_t snapshots;
    weir_published published; /* the last */
} weir_commit_figures;

void weir_commit_figures_begin(weir_commit_figures *figures);

/* Counts one snapshot that was made. */
void weir_commit_figures_add(weir_commit_figures *figures, const weir_commit_changes *changes,
                             const weir_published *published);

/* Tells `metrics` (NULL: nobody); nothing where no snapshot was made. */
void weir_commit_figures_report(const weir_commit_figures *figures, weir_table_metrics *metrics);

#endif
