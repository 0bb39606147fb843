/* stream: continuous queries. Changes of tables flow through operators that cost what has changed, and into tables.
 *
 *   job/job.h            a job: sources, operators and sinks, one thread, checkpoints, recovery
 *   plan/graph.h         a bound plan becomes operators
 *   plan/traits.h        what changes a plan gives: inserts alone or updates too, by which key, which column is a time
 *   operator/operator.h  the interface of operators; operator/operators.h lists them all
 *   source/source.h      where batches come from: connectors, and Paimon tables snapshot after snapshot
 *   sink/sink.h          where they go, in two steps: prepared files, then a commit
 *   state/state.h        keyed state: hash tables over RocksDB, written at checkpoints
 *   state/row_codec.h    rows as bytes
 *
 * What flows is batches of rows with kinds (+I, -U, +U, -D) and, between them, watermarks and barriers. A checkpoint is
 * a barrier between batches: sinks flush to files that nothing names yet; state, positions and what is to be committed
 * are written to RocksDB at once; then the tables are committed. So after a crash everything goes on from one point.
 *
 * Threading: a job belongs to its thread; only what job.h says may be called from others. */
#ifndef WEIR_STREAM_H
#define WEIR_STREAM_H

#include "stream/job/job.h"
#include "stream/plan/graph.h"

#endif
