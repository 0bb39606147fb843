/* The tables of INSERTs as the sinks of a job. */
#ifndef WEIR_SESSION_STREAM_SINK_H
#define WEIR_SESSION_STREAM_SINK_H

#include "session/table/sql_table.h"
#include "stream/sink/sink.h"

typedef struct weir_stream_sinks_request {
    weir_session *session;
    weir_bound *const *bounds; /* the INSERTs; they and their tables must outlive the sinks */
    int32_t count;
    const char *job;      /* its name, for what tables keep of its commits */
    const char *place_id; /* of the job in the state folder: sinks are owned by it (weir_sink_options); NULL: none */
    weir_arena *arena;    /* lives as long as the job */
} weir_stream_sinks_request;

/* A sink for each INSERT, in their order. Refuses what cannot be written before anything is; then none is open. */
int weir_session_stream_sinks_open(const weir_stream_sinks_request *request, weir_stream_sink **out, weir_error *err);

#endif
