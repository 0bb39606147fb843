/* Several INSERTs of a job into one table: a sink for each of them, and one writer behind.
 *
 * Two writers would get in each other's way at every checkpoint: each would give keys buckets and partitions that the
 * other does not know of, and compact what the other compacts. */
#ifndef WEIR_STREAM_SHARED_SINK_H
#define WEIR_STREAM_SHARED_SINK_H

#include "stream/sink/sink.h"

/* Takes `sink` over, which is closed with the last of the `count` sinks made of it. A checkpoint prepares them in their
 * order: the last prepares and commits what all of them have written, the others nothing; and so they recover. */
void weir_shared_sink_create(weir_stream_sink *sink, int32_t count, weir_stream_sink **out_shares);

#endif
