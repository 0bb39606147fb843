/* Marking partitions as complete: a file _SUCCESS in the partition's folder
 * (org.apache.paimon.partition.actions.SuccessFileMarkDoneAction). */
#ifndef WEIR_TABLE_PARTITION_DONE_H
#define WEIR_TABLE_PARTITION_DONE_H

#include "table/table.h"

/* `values`: a literal for each partition key. A partition that is marked already gets a new time of change. */
int weir_table_mark_partition_done(const weir_table *table, const weir_literal *values, weir_error *err);

#endif
