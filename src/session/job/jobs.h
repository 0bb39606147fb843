/* The jobs of a session: INSERTs that run on the streaming engine (stream/job/job.h).
 *
 *   insert_job.c       an INSERT or a statement set becomes a job; over bounded input it is awaited
 *   stream_query.c     a SELECT becomes a job; collector.h, table_view.c: its rows
 *   jobs.c             the list of them: what others see, stopping
 *   job_statements.c   SHOW JOBS, DESCRIBE JOB, STOP JOB
 *   job_log.h          lines about them in the state folder
 *   state_folder.h     what outlives the process;  journal.h  which statements are done;  remember.c  which are passed
 *                      over
 *
 * Threading: jobs are started, settled and removed by the session's thread; the list and what stands in it may be read
 * by others under its mutex, which weir_session_job_info and its like take. */
#ifndef WEIR_SESSION_JOBS_H
#define WEIR_SESSION_JOBS_H

#include "session/job/state_folder.h"
#include "session/table/sql_table.h"
#include "stream/stream.h"

/* A job, from its making until the session ends. When it has ended it is settled: what others want to know stays, the
 * rest is freed. */
typedef struct weir_session_job {
    weir_arena arena;
    weir_job_info info;
    weir_job *job;       /* NULL: settled */
    weir_bound **bounds; /* of its INSERTs */
    int32_t bound_count;
    const char **written; /* identities of the tables that it writes; NULL: one that has none */
    int32_t written_count;
    weir_budget budget;
    weir_job_place place; /* in the state folder */
    bool has_place;
    bool stops_when_idle; /* it has been asked to */
    int64_t ended_ns;     /* when it was first seen to have ended; 0: it has not been */
    bool is_taken;        /* somebody was told of its end */
    weir_error err;       /* of one that failed */
} weir_session_job;

void weir_jobs_init(weir_jobs *jobs);

/* Stops what still runs, with a last checkpoint, and frees everything. */
void weir_jobs_free(weir_jobs *jobs);

/* Adds a job that has been started. */
void weir_jobs_add(weir_jobs *jobs, weir_session_job *job);

/* Wakes those that read what `writer` has committed: on_commit of weir_job_options, from any job's thread. */
void weir_jobs_wake_readers(void *jobs, const weir_job *writer);

/* What those that run have left of the share of all jobs. */
int64_t weir_jobs_memory_left(weir_jobs *jobs, int64_t share);

/* The one with this id, number or name; NULL: none. */
weir_session_job *weir_jobs_find(const weir_jobs *jobs, const char *name);

/* Takes what is to be known of a job from the engine. */
void weir_session_job_refresh(weir_session_job *job);

/* Frees an ended job's operators and tables. */
void weir_session_job_settle(weir_session_job *job);
void weir_session_job_free(weir_session_job *job); /* NULL is fine */

/* Runs INSERTs as one job. Over bounded input this returns when it has ended; otherwise it is added to the list. */
int weir_session_run_job(weir_session *session, const weir_ast_statement *statement, weir_ast_insert *const *inserts,
                         int32_t count, weir_result **out, weir_error *err);

/* What a job of these bounds is made with; sets its budget. */
weir_job_options weir_session_job_options(weir_session_job *job, weir_session *session);

/* SELECT as a job whose rows are pulled: the final rows where they end, otherwise, and where the setting
 * sql-client.execution.result-mode is not `table`, all changes. */
int weir_session_stream_query(weir_session *session, const weir_ast_query *query, weir_result **out, weir_error *err);

/* SHOW JOBS, DESCRIBE JOB and STOP JOB: results are the caller's. WEIR_INVALID, at the statement: there is no such job,
 * or it cannot be stopped in that way. */
int weir_session_show_jobs(weir_session *session, weir_result **out, weir_error *err);
int weir_session_describe_job(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                              weir_error *err);
int weir_session_stop_job(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                          weir_error *err);

#endif
