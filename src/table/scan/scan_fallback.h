/* The fallback branch (scan.fallback-branch): partitions that a table lacks are read from another of its branches.
 * Used by scan.c and read.c only. */
#ifndef WEIR_TABLE_SCAN_FALLBACK_H
#define WEIR_TABLE_SCAN_FALLBACK_H

#include "table/scan/scan.h"

/* Adds the splits of the fallback branch to a plan of the table's own state. Nothing to do without the option. */
int weir_scan_plan_fallback(const weir_table *table, const weir_scan_options *options, weir_table_plan *plan,
                            weir_error *err);

/* For each column of `table` its position in `fallback`, by name, in `arena`. WEIR_INVALID when the branch lacks one or
 * has it with another type. */
int weir_fallback_columns(const weir_table *table, const weir_table *fallback, weir_arena *arena, int32_t **out,
                          weir_error *err);

#endif
