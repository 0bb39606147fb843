/* The source of a connector as the source of a job, with the columns asked for. */
#ifndef WEIR_STREAM_CONNECTOR_SOURCE_H
#define WEIR_STREAM_CONNECTOR_SOURCE_H

#include "connect/source.h"
#include "stream/source/source.h"

/* All of it is borrowed until the source is closed. */
typedef struct weir_connector_source_options {
    const weir_source_options *source;
    const int32_t *columns; /* places among the fields and, after them, the metadata, in the order of the batches */
    int32_t column_count;
    const char *description; /* for people */
} weir_connector_source_options;

int weir_connector_source_open(const weir_connector_source_options *options, weir_stream_source **out, weir_error *err);

/* What it reads from; for progress. */
const weir_source *weir_connector_source_inner(const weir_stream_source *source);

#endif
