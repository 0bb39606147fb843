/* Planning incremental batch reads: incremental-between and its kin. Used by scan.c only. */
#ifndef WEIR_TABLE_SCAN_INCREMENTAL_H
#define WEIR_TABLE_SCAN_INCREMENTAL_H

#include "table/scan/scan.h"

/* Whether the table's options ask for an incremental read. */
bool weir_scan_is_incremental(const weir_table *table);

int weir_scan_plan_incremental(const weir_table *table, const weir_scan_options *options, weir_table_plan *plan,
                               weir_error *err);

/* What an OVERWRITE snapshot changed, for streams: of tables with a key the difference between the files that it removed
 * and those that it added, `with_before` as in weir_split; of others the rows that it added. Appended to the plan. */
int weir_scan_overwrite(const weir_table *table, const weir_snapshot *snapshot, bool with_before,
                        const weir_scan_options *options, weir_table_plan *plan, weir_error *err);

#endif
