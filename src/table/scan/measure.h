/* What a planned read leaves out, counted without reading: for EXPLAIN. */
#ifndef WEIR_TABLE_MEASURE_H
#define WEIR_TABLE_MEASURE_H

#include "table/read/read.h"

typedef struct weir_scan_counts {
    int64_t snapshot_id; /* 0: the table is empty, or the read is an incremental one */
    int64_t files;       /* of the snapshot that were looked at … */
    int64_t files_kept;  /* … and may hold matching rows */
    int64_t splits;
    int64_t merges; /* splits whose rows are merged */
    /* Of the files that are read as they are, by what they say of their own rows: */
    int64_t row_groups;
    int64_t row_groups_kept;
    int64_t rows;
    int64_t rows_kept; /* in pages that may match */
} weir_scan_counts;

/* Opens the files that are read as they are. */
int weir_table_plan_measure(const weir_table *table, const weir_table_plan *plan, const weir_read_options *options,
                            weir_scan_counts *out, weir_error *err);

#endif
