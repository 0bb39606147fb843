/* The changes of a table, snapshot after snapshot: the streaming reader.
 *
 * Start modes (scan.mode): latest-full, latest, from-snapshot, from-snapshot-full, from-timestamp, compacted-full. The
 * full phase gives the state of the start snapshot as +I; after it come the changes of each later snapshot: by the
 * changelog producer, its changelog files (input, lookup, full-compaction) or the delta of APPEND snapshots (none).
 * OVERWRITE snapshots are skipped unless streaming-read-overwrite or, of
 * tables without a key, streaming-read-append-overwrite. Source of truth: spec "Streaming read contract". */
#ifndef WEIR_TABLE_STREAM_SCAN_H
#define WEIR_TABLE_STREAM_SCAN_H

#include "table/read/read.h"

typedef struct weir_stream_scan weir_stream_scan;

int weir_stream_scan_open(const weir_table *table, const weir_scan_options *options, weir_stream_scan **out,
                          weir_error *err);

/* The splits of the next snapshot that has any, WEIR_IDLE when there is nothing new yet. A snapshot that has expired
 * meanwhile is WEIR_NOT_FOUND, saying so and naming consumer-id. */
int weir_stream_scan_next(weir_stream_scan *scan, weir_table_plan **out, weir_error *err);

/* The next snapshot to read: position to store, and to go on from. -1: the start is not decided yet. */
int64_t weir_stream_scan_position(const weir_stream_scan *scan);
int weir_stream_scan_restore(weir_stream_scan *scan, int64_t next_snapshot, weir_error *err);

/* Whether the last plan was the state of its snapshot, and not its changes. */
bool weir_stream_scan_gave_state(const weir_stream_scan *scan);
/* To go on in the midst of such a plan: the next one is the state of this snapshot, planned as before. */
int weir_stream_scan_restore_state(weir_stream_scan *scan, int64_t snapshot_id, weir_error *err);

/* Whether there may be something to plan, at the cost of one look for a file. */
int weir_stream_scan_may_have_next(const weir_stream_scan *scan, bool *out, weir_error *err);

/* Stop after this snapshot: next() gives WEIR_END then. */
void weir_stream_scan_set_end(weir_stream_scan *scan, int64_t last_snapshot);

void weir_stream_scan_close(weir_stream_scan *scan);

#endif
