/* What rows must be before a table takes them: table.exec.sink.not-null-enforcer and type-length-enforcer, for sinks of
 * every kind. */
#ifndef WEIR_SESSION_ENFORCER_H
#define WEIR_SESSION_ENFORCER_H

#include "session/state.h"
#include "stream/sink/sink.h"

typedef struct weir_enforcer {
    const weir_sql_table *sink;
    const int32_t *columns; /* position in the sink's columns of each column of a batch */
    int32_t column_count;
    bool drops_nulls;  /* a row with NULL in a NOT NULL column is left out; otherwise it fails */
    bool fits_lengths; /* longer values are cut, shorter ones of CHAR and BINARY filled up */
    weir_batch kept;   /* rows of a batch that lost some */
} weir_enforcer;

void weir_enforcer_init(weir_enforcer *enforcer, const weir_session *session, const weir_bound *bound,
                        const weir_field *fields, int32_t field_count);
void weir_enforcer_free(weir_enforcer *enforcer);

/* Whether all rows of `batch` are as they must be. */
bool weir_enforcer_is_content(const weir_enforcer *enforcer, const weir_batch *batch);

/* Enforces the rules upon `batch`: values are changed in place, dropped rows are gone. */
int weir_enforcer_apply(weir_enforcer *enforcer, weir_batch *batch, weir_error *err);

/* A sink before another one, which it owns and for whose rows it enforces the rules. */
weir_stream_sink *weir_enforcing_sink_create(const weir_session *session, const weir_bound *bound,
                                             weir_stream_sink *sink);

#endif
