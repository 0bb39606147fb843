/* The sink of a connector as the sink of a job. */
#ifndef WEIR_STREAM_CONNECTOR_SINK_H
#define WEIR_STREAM_CONNECTOR_SINK_H

#include "connect/sink.h"
#include "stream/sink/sink.h"

typedef struct weir_connector_sink_options {
    weir_sink_options sink; /* holds_back is set here */
    const int32_t *key;     /* columns of the declared primary key; NULL: none */
    int32_t key_count;
    const char *description; /* for people */
    const char *identity;    /* NULL: none */
} weir_connector_sink_options;

/* All of `options` is borrowed for the lifetime of the sink. */
int weir_connector_sink_open(const weir_connector_sink_options *options, weir_stream_sink **out, weir_error *err);

#endif
