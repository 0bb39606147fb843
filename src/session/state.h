/* What the files of this room share: the session itself and what statements use of it. */
#ifndef WEIR_SESSION_STATE_H
#define WEIR_SESSION_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "base/stop.h"
#include "session/catalog/catalogs.h"
#include "session/memory.h"
#include "session/session.h"
#include "session/settings/settings.h"
#include "sql/engine.h"

/* What the statement that runs has done, for other threads to look at. */
typedef struct weir_session_counters {
    _Atomic int64_t rows_read, total_rows;
    _Atomic int64_t splits_read, total_splits;
    _Atomic int64_t done_bytes, total_bytes;
    _Atomic int64_t rows_written, commits;
} weir_session_counters;

typedef struct weir_session_job weir_session_job;
typedef struct weir_state_folder weir_state_folder;

typedef struct weir_jobs {
    pthread_mutex_t mutex;
    weir_session_job **items; /* in order of their numbers */
    int32_t count;
    size_t capacity;
} weir_jobs;

struct weir_session {
    weir_session_options options;
    weir_catalogs catalogs;
    weir_settings settings;
    weir_memory memory;
    weir_metrics_registry *metrics;
    weir_pool *pool;                /* NULL until a table is opened */
    weir_sql_engine *engine;        /* NULL until an expression or a query is run */
    weir_sql_engine *stream_engine; /* for the expressions of jobs, all of which share it; NULL until there is one */
    const char *text;               /* of the statement that runs */
    bool streams;                   /* the statement that runs is bound for a job: its tables are read as streams */
    int64_t batch_rows;             /* most rows of a batch that it reads, so that it commits when it should; 0: any */
    weir_stop stop; /* of the statement that runs: raised when it is cancelled */
    weir_session_counters counters;
    weir_jobs jobs;
    weir_state_folder *state; /* NULL: not opened yet, or there is none */
    bool has_no_state;        /* it can't be opened, and the session does without */
    int32_t expected_jobs;    /* 0: unknown */
    bool said_interval;       /* how often jobs commit where nothing is set */
    /* Of scripts that are remembered (job/remember.c). */
    int32_t statement_number; /* how many were counted */
    const char *commit_user;  /* under which the statement that runs commits; NULL: a new one */
    bool was_interrupted;     /* it may have been committed under that user already */
    const char *job_key;      /* of its job in the state folder; NULL: none */
    char **used_names;        /* values of pipeline.name so far */
    int32_t used_name_count;
    size_t used_name_capacity;
    weir_arena statement_arena; /* emptied with each statement */
    pthread_mutex_t running_mutex;
    weir_sql_result *running; /* the query that pulls now; for weir_session_cancel */
};

int weir_session_pool(weir_session *session, weir_pool **out, weir_error *err);

/* The engine; `queries`: for a whole query, for which it gets its share of the memory. */
int weir_session_engine(weir_session *session, bool queries, weir_sql_engine **out, weir_error *err);
int weir_session_stream_engine(weir_session *session, weir_sql_engine **out, weir_error *err);

/* What the query that runs now is; NULL: none. */
void weir_session_set_running(weir_session *session, weir_sql_result *result);

/* WEIR_CANCELLED when somebody asked for it. */
int weir_session_check_cancelled(const weir_session *session, weir_error *err);

typedef enum weir_runtime_mode { WEIR_RUNTIME_UNSET, WEIR_RUNTIME_STREAMING, WEIR_RUNTIME_BATCH } weir_runtime_mode;
weir_runtime_mode weir_session_mode(const weir_session *session);

/* A resolver over the session's catalogs, and what binding needs besides. */
typedef struct weir_session_resolver {
    weir_resolver base;
    weir_session *session;
} weir_session_resolver;

void weir_session_resolver_init(weir_session_resolver *resolver, weir_session *session);
weir_bind_context weir_session_bind_context(weir_session *session, weir_session_resolver *resolver);

/* The table of a name, to be closed by its close(); a view is refused. */
int weir_session_open_table(weir_session *session, const weir_ast_name *name, weir_arena *arena, weir_sql_table **out,
                            weir_error *err);

/* The description of a table or view, in `arena`; *out_temporary: it is a temporary one. *out_table_path (may be NULL):
 * the folder of a table of a Paimon catalog, otherwise NULL. WEIR_NOT_FOUND with a suggestion. */
int weir_session_describe(weir_session *session, const weir_ast_name *name, weir_arena *arena, weir_description *out,
                          weir_object_path *out_path, bool *out_temporary, const char **out_table_path,
                          weir_error *err);

/* Whether a script goes on where an earlier run has left off, so that it may find what that one has made. */
bool weir_session_goes_on(const weir_session *session);

/* Executes a statement, whatever was done before. */
int weir_session_dispatch(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                          weir_error *err);

/* The statements, one kind a file. */
int weir_session_query(weir_session *session, const weir_ast_query *query, weir_result **out, weir_error *err);
int weir_session_insert(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err);
/* What its tables hold now, in one commit, whatever the mode. */
int weir_session_insert_batch(weir_session *session, const weir_ast_insert *insert, weir_result **out, weir_error *err);
int weir_session_statement_set(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                               weir_error *err);
int weir_session_delete(weir_session *session, const weir_ast_modify *modify, weir_result **out, weir_error *err);
int weir_session_update(weir_session *session, const weir_ast_modify *modify, weir_result **out, weir_error *err);
int weir_session_analyze(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                         weir_error *err);
int weir_session_call(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err);
int weir_session_truncate(weir_session *session, const weir_ast_name *name, weir_result **out, weir_error *err);
int weir_session_explain(weir_session *session, const weir_ast_statement *explain, weir_result **out, weir_error *err);
int weir_session_create_catalog(weir_session *session, const weir_ast_create *create, weir_result **out,
                                weir_error *err);
int weir_session_create_database(weir_session *session, const weir_ast_create *create, weir_result **out,
                                 weir_error *err);
int weir_session_create_table(weir_session *session, const weir_ast_create_table *create, weir_result **out,
                              weir_error *err);
int weir_session_alter_table(weir_session *session, const weir_ast_alter *alter, weir_result **out, weir_error *err);
int weir_session_create_view(weir_session *session, const weir_ast_create *create, weir_result **out, weir_error *err);
int weir_session_alter_view(weir_session *session, const weir_ast_alter *alter, weir_result **out, weir_error *err);
int weir_session_drop_view(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err);
int weir_session_alter_database(weir_session *session, const weir_ast_alter *alter, weir_result **out, weir_error *err);
int weir_session_drop(weir_session *session, const weir_ast_drop *drop, weir_result **out, weir_error *err);
int weir_session_use(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err);
int weir_session_module(const weir_ast_statement *statement, weir_error *err);
int weir_session_show(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err);
int weir_session_describe_statement(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                                    weir_error *err);
int weir_session_show_create(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err);
int weir_session_show_columns(weir_session *session, const weir_ast_show *show, weir_result **out, weir_error *err);
/* Whether the statement's [NOT] LIKE lets a name through. */
bool weir_show_lets(const weir_ast_show *show, const char *name);
int weir_session_set(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err);

/* Gives an error that has no place yet this one. */
int weir_error_at(weir_error *err, int code, weir_position position);

#endif
