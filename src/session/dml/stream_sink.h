/* The table of an INSERT as the sink of a job. */
#ifndef WEIR_SESSION_STREAM_SINK_H
#define WEIR_SESSION_STREAM_SINK_H

#include "session/table/sql_table.h"
#include "stream/sink/sink.h"

/* Refuses what cannot be written before anything is. `bound` and its table must outlive the sink; `job`: its name, for
 * what the table keeps of its commits; `owner`: see weir_sink_options, NULL: none. */
int weir_session_stream_sink_open(weir_session *session, const weir_bound *bound, const char *job, const char *owner,
                                  weir_stream_sink **out, weir_error *err);

#endif
