/* Rolling back: an older state becomes the latest one again; what came after it goes
 * (org.apache.paimon.table.RollbackHelper). */
#ifndef WEIR_TABLE_ROLLBACK_H
#define WEIR_TABLE_ROLLBACK_H

#include "table/table.h"

/* Snapshots, changelogs and tags younger than the snapshot go, and the files that only they name. WEIR_NOT_FOUND when
 * there is no such snapshot. A crash leaves one of the states between the two, and orphans. No writer may be at work on
 * the table: it would commit what it knows to be lost again. */
int weir_table_rollback_to_snapshot(const weir_table *table, int64_t snapshot_id, weir_error *err);

/* The same for the snapshot of a tag, which comes back when it has expired. */
int weir_table_rollback_to_tag(const weir_table *table, const char *tag, int64_t *out_snapshot_id, weir_error *err);

/* The latest snapshot at or before a moment. WEIR_NOT_FOUND: all are younger. */
int weir_table_rollback_to_time(const weir_table *table, int64_t time_ms, int64_t *out_snapshot_id, weir_error *err);

#endif
