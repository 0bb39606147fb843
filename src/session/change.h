/* Running a statement that writes: INSERT, DELETE and UPDATE share it. */
#ifndef WEIR_SESSION_CHANGE_H
#define WEIR_SESSION_CHANGE_H

#include "session/row_writer.h"

typedef struct weir_change {
    const char *what; /* the statement in short */
    const weir_bound *bound;
    weir_session_table *table; /* written */
    int8_t kind;               /* WEIR_INSERT: as the rows come; otherwise what every row becomes */
    bool one_commit;
} weir_change;

int weir_change_run(weir_session *session, const weir_change *change, weir_result **out, weir_error *err);

/* `what`: the statement in short, such as INSERT INTO. */
weir_result *weir_change_result(const char *what, const weir_session_table *table, const weir_change_summary *summary);

#endif
