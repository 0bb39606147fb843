/* merge: many sorted runs as one.
 *
 *   sorted_run.h      files of one run in key order; cutting files into sections of overlapping key ranges
 *   merge_reader.h    merging in two phases: keys first, then column by column; cutting keys into ranges
 *   run_cursor.h      one run in a merge: its open files, and the keys of its rows in blocks
 *   key_range.h       the key ranges of data files, as sort keys
 *   loser_tree.h      choosing the least of many, branch-free
 *   key_groups.h      phase one: the rows of all runs in key order, grouped by key
 *   merge_engine.h    what becomes of the rows of one key: the engines, and what a table's options ask of them
 *   group_fold.h      engines that make a row of several, column by column: partial-update, aggregation
 *   aggregate.h       what their functions make of a column's values
 *   age_order.h       which of two rows is newer by sequence.field
 *   older_rows.h      rows that a compaction looked up in older levels, as one more run
 *   record_expire.h   rows that are too old to be kept
 *   selection.h       phase two: one column of the selected rows
 *   spill.h           sorted runs in temporary files
 *   merge_steps.h     merging more runs than there is memory for
 *
 * Phase one reads keys, sequence numbers and kinds of all runs and leaves a selection (run, row) for a window of output
 * rows. Phase two gathers one column after the other for that window. So the memory of a merge is that of its keys and
 * of one column, however many columns or runs there are.
 *
 * Threading: a merge reader belongs to one thread at a time; one section may be cut by key range among several readers.
 */
#ifndef WEIR_MERGE_H
#define WEIR_MERGE_H

#include "merge/merge_reader.h"
#include "merge/sorted_run.h"

#endif
