/* Dedicated compaction of some tables, once or as long as somebody wants it: `weir compact`. */
#ifndef WEIR_SESSION_COMPACTION_JOB_H
#define WEIR_SESSION_COMPACTION_JOB_H

#include "session/session.h"
#include "table/write/compact.h"

typedef struct weir_compaction_job weir_compaction_job;

typedef struct weir_compaction_request {
    const char *catalog; /* NULL: the current one */
    /* "table" or "database.table". */
    const char *const *tables;
    size_t table_count;
    /* All tables of this database that can be written, those as well that are made later; NULL: none. */
    const char *database;
    bool is_lenient;             /* named tables that cannot be written are left alone as well */
    bool full;                   /* each bucket into one sorted run; otherwise as writers would do by themselves */
    const weir_options *options; /* of the tables, for this; NULL: none */
} weir_compaction_request;

/* What a turn did with a table; `failure` NULL: `round`. */
typedef struct weir_compaction_report {
    const char *table;
    const weir_compactor_round *round;
    const weir_error *failure;
} weir_compaction_report;

/* The request is borrowed. Names that lead nowhere are an error. */
int weir_compaction_job_open(weir_session *session, const weir_compaction_request *request, weir_compaction_job **out,
                             weir_error *err);

/* One turn: each table is looked at, and compacted where that is due. What fails is told and tried again with the next
 * turn; after some turns in which a table failed without end, its error is returned. Tables that are gone are left. */
int weir_compaction_job_run(weir_compaction_job *job,
                            void (*report)(void *context, const weir_compaction_report *report), void *context,
                            weir_error *err);
void weir_compaction_job_close(weir_compaction_job *job);

#endif
