/* Cutting splits into smaller ones, so that every thread of a read has work. */
#ifndef WEIR_TABLE_SPLIT_DIVIDE_H
#define WEIR_TABLE_SPLIT_DIVIDE_H

#include "table/scan/scan.h"

/* Cuts splits that are large beside a thread's share: plain files by rows, merges by key range. The rows are the same,
 * and those of one split come in the order in which its pieces stand. `predicate`: as it was planned with. */
int weir_table_plan_divide(const weir_table *table, const weir_predicate *predicate, int32_t threads,
                           weir_table_plan *plan, weir_error *err);

#endif
