/* Sorted runs set aside on the local disk: what a write buffer has no room for, and the steps of merges that are too
 * wide for the memory there is. Key-value files of the table's own kind in a temporary folder, compressed lightly. */
#ifndef WEIR_MERGE_SPILL_H
#define WEIR_MERGE_SPILL_H

#include "merge/merge_reader.h"

typedef struct weir_spill weir_spill;

int weir_spill_create(const weir_table_context *context, weir_spill **out, weir_error *err);
void weir_spill_free(weir_spill *spill); /* removes its folder */

/* A writer for the next run; when it is full, weir_spill_add finishes and closes it. The run counts as one of `level`.
 */
int weir_spill_writer(weir_spill *spill, weir_data_file_writer **out, weir_error *err);
int weir_spill_add(weir_spill *spill, weir_data_file_writer *writer, int32_t level, weir_error *err);

/* To read the runs with; they are of no partition and bucket 0. Runs without rows are left out; those that there are
 * lie in the spill. */
const weir_table_context *weir_spill_context(const weir_spill *spill);
int32_t weir_spill_runs(weir_spill *spill, weir_sorted_run **out);

/* Merges all runs into `data`, deletes included. */
int weir_spill_merge(weir_spill *spill, weir_data_file_writer *data, weir_error *err);

/* Writes all rows that a merge of all columns gives. */
int weir_merge_write(weir_merge_reader *merge, weir_data_file_writer *writer, weir_error *err);

#endif
