/* merge: many sorted runs as one.
 *
 *   loser_tree.h      choosing the least of many, branch-free
 *   sorted_run.h      files of one run in key order; cutting files into sections of overlapping key ranges
 *   merge_engine.h    what becomes of the rows of one key: deduplicate (others come here: partial-update, …)
 *   merge_reader.h    merging in two phases: keys first, then column by column
 *
 * Phase one reads keys, sequence numbers and kinds of all runs and leaves a selection (run, row) for a window of output
 * rows. Phase two gathers one column after the other for that window. So the memory of a merge is that of its keys and of
 * one column, however many columns or runs there are.
 *
 * Threading: a merge reader belongs to one thread at a time; one section may be cut by key range among several readers. */
#ifndef WEIR_MERGE_H
#define WEIR_MERGE_H

#include "merge/merge_reader.h"
#include "merge/sorted_run.h"

#endif
