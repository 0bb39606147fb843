/* session: one user's conversation: catalogs in use, settings, and the execution of every statement.
 *
 *   session.h    the interface (this file); state.h: what the files of this room share
 *   result.h     what a statement gives: rows to pull, or a message with counters
 *   memory.h     one number for memory, split by one table
 *   query.c      SELECT; explain.c: EXPLAIN; names.c: names for completion
 *   settings/    SET and RESET: keys that are known, their types and defaults
 *   catalog/     catalogs by name, databases and tables that live as long as the session, what a table is, of whatever
 *                kind, and its definition as CREATE TABLE would say it
 *   table/       tables as queries see them, and names to tables
 *   ddl/         CREATE, ALTER, DROP, USE, SHOW, DESCRIBE
 *   dml/         INSERT, DELETE, UPDATE, ANALYZE: batches of a plan to tables and sinks, what sinks demand of rows,
 *                commits
 *   procedure/   what CALL runs, and tables that take turns at being compacted
 *   job/         INSERTs that run as jobs, and what of a script outlives the process
 *
 * The command line, servers and tests share it. Threading: a session is used by one thread at a time; only
 * weir_session_cancel and weir_session_progress may be called from another one. */
#ifndef WEIR_SESSION_H
#define WEIR_SESSION_H

#include <stdio.h>

#include "file/table_metrics.h"
#include "session/result.h"
#include "sql/ast.h"
#include "sql/engine.h"
#include "stream/job/job.h"

typedef struct weir_session weir_session;

/* How far a running statement is. Totals of 0: unknown. */
typedef struct weir_progress {
    weir_scan_progress read; /* of the tables that it reads */
    int64_t done_bytes;      /* of files that are read as text */
    int64_t total_bytes;
    int64_t rows; /* written */
    int64_t commits;
} weir_progress;

typedef struct weir_session_options {
    int64_t memory_bytes;  /* 0: half of the machine; otherwise at least 16 MB */
    int threads;           /* 0: one per processor */
    const char *warehouse; /* a Paimon catalog `paimon` over this folder is made and used; NULL: none */
    bool needs_warehouse;  /* it is an error when the folder is not there */
    bool without_pruning;  /* scans read all there is: for tests that compare */
    FILE *print_to;        /* where print sinks print; NULL: standard output */
    /* Where a script's run keeps what the next one goes on from (job/state_folder.h), made when the first statement
     * needs it; NULL: nothing outlives the session. `optional_state`: when the folder can't be made, without it. */
    const char *state_folder;
    bool optional_state;
    bool fresh; /* what an earlier run has left there goes */
} weir_session_options;

/* Opens a session with nothing set but what the options say; the caller frees it. */
int weir_session_create(const weir_session_options *options, weir_session **out, weir_error *err);
void weir_session_free(weir_session *session); /* after all its results */

/* Executes a statement. `text` is the source that the statement's positions count in. INSERT, DELETE and definitions
 * are done when this returns; queries run while their rows are pulled. Errors of statements carry their place in the
 * text. */
int weir_session_execute(weir_session *session, const weir_ast_statement *statement, const char *text,
                         weir_result **out, weir_error *err);

/* Makes the statement that runs now fail with WEIR_CANCELLED. */
void weir_session_cancel(weir_session *session);

/* How far the statement is that runs now. */
void weir_session_progress(weir_session *session, weir_progress *out);

/* ---- jobs ---- */

#define WEIR_JOB_ID_SIZE 33 /* hex digits and a NUL */

/* A job of the session. Texts live as long as the session. */
typedef struct weir_job_info {
    int32_t number; /* from 1 */
    char id[WEIR_JOB_ID_SIZE];
    const char *name;
    const char *what; /* the statement in short: "INSERT INTO lake.dws.user_stat" */
    weir_job_status status;
    weir_sink_summary written; /* of one that has ended */
} weir_job_info;

/* Jobs that run beside statements, also those that have ended: from any thread. */
int32_t weir_session_job_count(weir_session *session);
bool weir_session_job_info(weir_session *session, int32_t place, weir_job_info *out); /* false: there are fewer */
void weir_session_stop_jobs(weir_session *session, weir_job_stop_kind kind);

/* About how many jobs will run at a time: memory is divided among them. */
void weir_session_expect_jobs(weir_session *session, int32_t count);

/* Whether any still runs. */
bool weir_session_has_jobs(weir_session *session);

/* Asks those to end that have had nothing to do for `idle_ms`: a job that reads what another one writes after that one.
 * To be called again until none runs. */
void weir_session_stop_idle_jobs(weir_session *session, int64_t idle_ms);

/* The next job that has ended and was not taken yet; false: there is none now. *out_err is empty unless it failed. */
bool weir_session_take_ended_job(weir_session *session, weir_job_info *out, weir_error *out_err);

/* The script is through, with all its jobs: a later run over the same state folder begins with its first statement. */
int weir_session_end_script(weir_session *session, weir_error *err);

/* Figures of the tables that the session has opened (file/table_metrics.h). They live as long as the session. */
weir_metrics_registry *weir_session_metrics(weir_session *session);

/* The value of a setting, or its default; NULL when there is neither. Borrowed until the setting changes. */
const char *weir_session_setting(const weir_session *session, const char *key);

#endif
