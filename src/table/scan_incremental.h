/* Planning incremental batch reads: incremental-between and its kin. Used by scan.c only. */
#ifndef WEIR_TABLE_SCAN_INCREMENTAL_H
#define WEIR_TABLE_SCAN_INCREMENTAL_H

#include "table/scan.h"

/* Whether the table's options ask for an incremental read. */
bool weir_scan_is_incremental(const weir_table *table);

int weir_scan_plan_incremental(const weir_table *table, const weir_scan_options *options, weir_table_plan *plan,
                               weir_error *err);

#endif
