/* A session: making it, what is opened on first use, and which statement goes where. */
#include "session/session.h"

#include <stdlib.h>

#include "session/job/jobs.h"
#include "session/job/remember.h"
#include "sql/parser.h"

int weir_session_create(const weir_session_options *options, weir_session **out, weir_error *err)
{
    if (options->memory_bytes > 0 && options->memory_bytes < WEIR_LEAST_MEMORY) {
        return weir_fail(err, WEIR_INVALID, "%" PRId64 " bytes of memory are too few; give at least 16MB",
                         options->memory_bytes);
    }
    weir_session *session = weir_alloc_zeroed(1, sizeof *session);
    session->options = *options;
    session->options.print_to = options->print_to != NULL ? options->print_to : stdout;
    pthread_mutex_init(&session->running_mutex, NULL);
    weir_jobs_init(&session->jobs);
    weir_arena_init(&session->statement_arena);
    weir_memory_init(&session->memory, options->memory_bytes);
    session->metrics = weir_metrics_registry_create();
    weir_catalogs_init(&session->catalogs);
    if (options->warehouse != NULL) {
        weir_arena arena;
        weir_options pairs = {0};
        weir_arena_init(&arena);
        weir_options_set(&pairs, &arena, "type", "paimon");
        weir_options_set(&pairs, &arena, "warehouse", options->warehouse);
        int code = weir_catalogs_create(&session->catalogs, "paimon", &pairs, NULL, NULL, err);
        weir_arena_free(&arena);
        if (code == WEIR_OK && options->needs_warehouse) {
            code = weir_catalogs_check_warehouse(weir_catalogs_find(&session->catalogs, "paimon"), err);
        }
        if (code != WEIR_OK) {
            weir_session_free(session);
            return code;
        }
        weir_catalogs_use(&session->catalogs, "paimon", "default");
    }
    *out = session;
    return WEIR_OK;
}

void weir_session_free(weir_session *session)
{
    if (session == NULL) {
        return;
    }
    weir_jobs_free(&session->jobs);
    weir_state_folder_close(session->state);
    weir_sql_engine_free(session->engine);
    weir_sql_engine_free(session->stream_engine);
    weir_catalogs_free(&session->catalogs);
    weir_settings_free(&session->settings);
    weir_pool_free(session->pool);
    weir_metrics_registry_free(session->metrics);
    pthread_mutex_destroy(&session->running_mutex);
    for (int32_t i = 0; i < session->used_name_count; i++) {
        free(session->used_names[i]);
    }
    free(session->used_names);
    weir_arena_free(&session->statement_arena);
    free(session);
}

weir_metrics_registry *weir_session_metrics(weir_session *session) { return session->metrics; }

const char *weir_session_setting(const weir_session *session, const char *key)
{
    return weir_settings_get(&session->settings, key);
}

weir_runtime_mode weir_session_mode(const weir_session *session)
{
    const char *mode = weir_settings_get(&session->settings, "execution.runtime-mode");
    if (mode == NULL) {
        return WEIR_RUNTIME_UNSET;
    }
    return mode[0] == 'b' || mode[0] == 'B' ? WEIR_RUNTIME_BATCH : WEIR_RUNTIME_STREAMING;
}

/* ---- opened on first use ---- */

int weir_session_pool(weir_session *session, weir_pool **out, weir_error *err)
{
    if (session->pool == NULL) {
        WEIR_TRY(weir_pool_create(session->options.threads, "weir", &session->pool, err));
    }
    *out = session->pool;
    return WEIR_OK;
}

int weir_session_engine(weir_session *session, bool queries, weir_sql_engine **out, weir_error *err)
{
    if (session->engine == NULL) {
        const char *temporary = getenv("TMPDIR");
        weir_memory with_engine = session->memory;
        weir_sql_engine_options options = {
            .threads = session->options.threads,
            .memory_limit_bytes = weir_memory_share_with_engine(&with_engine),
            .temp_directory = temporary != NULL ? temporary : "/tmp",
        };
        WEIR_TRY(weir_sql_engine_create(&options, &session->engine, err));
    }
    if (queries && !session->memory.with_engine) {
        weir_memory_share_with_engine(&session->memory);
    }
    *out = session->engine;
    return WEIR_OK;
}

/* Jobs run expressions over batches in their own threads: others of DuckDB's would only be woken for nothing. */
int weir_session_stream_engine(weir_session *session, weir_sql_engine **out, weir_error *err)
{
    enum { share = 16, least = 64 << 20 };
    if (session->stream_engine == NULL) {
        int64_t memory_bytes = session->memory.total_bytes / share;
        weir_sql_engine_options options = {.threads = 1,
                                           .memory_limit_bytes = memory_bytes > least ? memory_bytes : least};
        WEIR_TRY(weir_sql_engine_create(&options, &session->stream_engine, err));
    }
    *out = session->stream_engine;
    return WEIR_OK;
}

/* ---- cancelling ---- */

void weir_session_set_running(weir_session *session, weir_sql_result *result)
{
    pthread_mutex_lock(&session->running_mutex);
    session->running = result;
    pthread_mutex_unlock(&session->running_mutex);
}

void weir_session_cancel(weir_session *session)
{
    weir_stop_raise(&session->stop);
    pthread_mutex_lock(&session->running_mutex);
    if (session->running != NULL) {
        weir_sql_result_cancel(session->running);
    }
    pthread_mutex_unlock(&session->running_mutex);
}

void weir_session_progress(weir_session *session, weir_progress *out)
{
    weir_session_counters *counters = &session->counters;
    *out = (weir_progress){
        .read = {.rows = atomic_load(&counters->rows_read),
                 .total_rows = atomic_load(&counters->total_rows),
                 .splits = atomic_load(&counters->splits_read),
                 .total_splits = atomic_load(&counters->total_splits)},
        .done_bytes = atomic_load(&counters->done_bytes),
        .total_bytes = atomic_load(&counters->total_bytes),
        .rows = atomic_load(&counters->rows_written),
        .commits = atomic_load(&counters->commits),
    };
    pthread_mutex_lock(&session->running_mutex);
    if (session->running != NULL) {
        weir_sql_result_progress(session->running, &out->read);
    }
    pthread_mutex_unlock(&session->running_mutex);
}

static void reset_counters(weir_session_counters *counters)
{
    _Atomic int64_t *const all[] = {&counters->rows_read,    &counters->total_rows, &counters->splits_read,
                                    &counters->total_splits, &counters->done_bytes, &counters->total_bytes,
                                    &counters->rows_written, &counters->commits};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        atomic_store(all[i], 0);
    }
}

int weir_session_check_cancelled(const weir_session *session, weir_error *err)
{
    return weir_stop_is_raised(&session->stop) ? weir_fail(err, WEIR_CANCELLED, "cancelled") : WEIR_OK;
}

/* ---- executing ---- */

int weir_error_at(weir_error *err, int code, weir_position position)
{
    if (code != WEIR_OK && err != NULL && err->line == 0) {
        err->line = position.line;
        err->column = position.column;
    }
    return code;
}

static int not_offered(const weir_ast_statement *statement, const char *what, weir_error *err)
{
    return weir_fail_at(err, WEIR_UNSUPPORTED, statement->position.line, statement->position.column,
                        "%s is not offered by this version", what);
}

int weir_session_dispatch(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                          weir_error *err)
{
    switch (statement->kind) {
    case WEIR_AST_QUERY:
        return weir_session_query(session, statement->query, out, err);
    case WEIR_AST_INSERT:
        return weir_session_insert(session, statement, out, err);
    case WEIR_AST_DELETE:
        return weir_session_delete(session, statement->modify, out, err);
    case WEIR_AST_UPDATE:
        return weir_session_update(session, statement->modify, out, err);
    case WEIR_AST_TRUNCATE:
        return weir_session_truncate(session, &statement->truncate, out, err);
    case WEIR_AST_CREATE_CATALOG:
        return weir_session_create_catalog(session, statement->create, out, err);
    case WEIR_AST_CREATE_DATABASE:
        return weir_session_create_database(session, statement->create, out, err);
    case WEIR_AST_CREATE_TABLE:
        return weir_session_create_table(session, statement->create_table, out, err);
    case WEIR_AST_DROP:
        return weir_session_drop(session, statement->drop, out, err);
    case WEIR_AST_USE:
        return weir_session_use(session, statement, out, err);
    case WEIR_AST_SHOW:
        return weir_session_show(session, statement->show, out, err);
    case WEIR_AST_DESCRIBE:
        return weir_session_describe_statement(session, statement, out, err);
    case WEIR_AST_EXPLAIN:
        return weir_session_explain(session, statement, out, err);
    case WEIR_AST_SET:
    case WEIR_AST_RESET:
        return weir_session_set(session, statement, out, err);
    case WEIR_AST_STATEMENT_SET:
        return weir_session_statement_set(session, statement, out, err);
    case WEIR_AST_CREATE_VIEW:
        return weir_session_create_view(session, statement->create, out, err);
    case WEIR_AST_CREATE_FUNCTION:
        return not_offered(statement, "CREATE FUNCTION", err);
    case WEIR_AST_ALTER_TABLE:
        return weir_session_alter_table(session, statement->alter, out, err);
    case WEIR_AST_ALTER_VIEW:
        return weir_session_alter_view(session, statement->alter, out, err);
    case WEIR_AST_ALTER_DATABASE:
        return weir_session_alter_database(session, statement->alter, out, err);
    case WEIR_AST_CALL_PROCEDURE:
        return weir_session_call(session, statement, out, err);
    case WEIR_AST_ANALYZE:
        return weir_session_analyze(session, statement, out, err);
    case WEIR_AST_STOP_JOB:
        return weir_session_stop_job(session, statement, out, err);
    case WEIR_AST_DESCRIBE_JOB:
        return weir_session_describe_job(session, statement, out, err);
    case WEIR_AST_ADD_JAR:
        *out =
            weir_result_done("JARs hold code for Java, which nothing here runs: '%s' is passed over", statement->jar);
        return WEIR_OK;
    case WEIR_AST_LOAD_MODULE:
    case WEIR_AST_UNLOAD_MODULE:
        return weir_session_module(statement, err);
    }
    return not_offered(statement, "this statement", err);
}

int weir_session_execute(weir_session *session, const weir_ast_statement *statement, const char *text,
                         weir_result **out, weir_error *err)
{
    weir_stop_lower(&session->stop);
    reset_counters(&session->counters);
    session->text = text;
    session->streams = false;
    session->batch_rows = 0;
    session->job_key = NULL;
    weir_arena_free(&session->statement_arena);
    weir_stop *before = weir_stop_enter(&session->stop);
    int code = weir_session_remember(session, statement, out, err);
    (void)weir_stop_enter(before);
    return code;
}
