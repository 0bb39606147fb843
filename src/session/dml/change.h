/* Running a statement that writes what its tables hold now: INSERT, DELETE and UPDATE share it. */
#ifndef WEIR_SESSION_CHANGE_H
#define WEIR_SESSION_CHANGE_H

#include "session/dml/row_writer.h"

typedef struct weir_change {
    const char *what; /* the statement in short */
    const weir_bound *bound;
    weir_session_table *table; /* written */
    int8_t kind;               /* WEIR_INSERT: as the rows come; otherwise what every row becomes */
    int32_t number;            /* among those of the statement */
} weir_change;

/* A change that runs in steps: reading is planned when it is opened; then all rows are written; at last comes the
 * commit, without which they are dropped. */
typedef struct weir_change_pump weir_change_pump;
int weir_change_open(weir_session *session, const weir_change *change, weir_change_pump **out, weir_error *err);
int weir_change_write(weir_change_pump *pump, weir_error *err);
int weir_change_finish(weir_change_pump *pump, weir_error *err);
const weir_change_summary *weir_change_summary_of(const weir_change_pump *pump);
void weir_change_close(weir_change_pump *pump); /* NULL is fine */

/* All of them. */
int weir_change_run(weir_session *session, const weir_change *change, weir_result **out, weir_error *err);

/* Binds an INSERT and says how it runs; `out_change` refers to *out_bound. */
int weir_session_bind_insert(weir_session *session, const weir_ast_insert *insert, weir_bound **out_bound,
                             weir_change *out_change, weir_error *err);

/* `what`: the statement in short, such as INSERT INTO. */
weir_result *weir_change_result(const char *what, const weir_session_table *table, const weir_change_summary *summary);

#endif
