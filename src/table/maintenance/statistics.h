/* Statistics of a table, as ANALYZE TABLE finds them: a file that a snapshot of kind ANALYZE names
 * (org.apache.paimon.stats.Statistics). Later snapshots carry it on until the schema changes. */
#ifndef WEIR_TABLE_STATISTICS_H
#define WEIR_TABLE_STATISTICS_H

#include "table/commit/commit.h"

typedef struct weir_column_statistics {
    int32_t column;         /* position in the table's schema */
    int64_t distinct_count; /* -1: not told; the others likewise */
    int64_t null_count;
    int64_t average_length;
    int64_t greatest_length;
    bool has_bounds;
    weir_literal min, max; /* of the column's type */
} weir_column_statistics;

typedef struct weir_table_statistics {
    int64_t snapshot_id; /* whose rows were looked at */
    int64_t row_count;
    const weir_column_statistics *columns;
    int32_t column_count;
} weir_table_statistics;

/* Whether Java reads bounds of such a column. */
bool weir_statistics_have_bounds(const weir_type *type);

/* Writes the file and makes the snapshot. */
int weir_table_commit_statistics(weir_table_commit *commit, const weir_table_statistics *statistics,
                                 int64_t *out_snapshot_id, weir_error *err);

#endif
