/* A Paimon table as the sink of a job. */
#ifndef WEIR_STREAM_PAIMON_SINK_H
#define WEIR_STREAM_PAIMON_SINK_H

#include "stream/sink/sink.h"
#include "table/table.h"

/* Borrowed until the sink is closed, as is the table. */
typedef struct weir_paimon_sink_options {
    const char *job;         /* its name; stands in the snapshots' properties. NULL: none */
    const char *description; /* for people */
} weir_paimon_sink_options;

/* Refuses tables that cannot be written. The commit user is made anew, or that of the earlier run which is recovered. */
int weir_paimon_sink_open(const weir_table *table, const weir_paimon_sink_options *options, weir_stream_sink **out,
                          weir_error *err);

#endif
