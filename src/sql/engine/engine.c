/* One DuckDB instance: closed to files, extensions and changes of its settings; opened when the first statement needs
 * it. */
#include "sql/engine/engine_internal.h"

#include <stdlib.h>

#include "base/text.h"
#include "fs/temporary.h"

int weir_sql_engine_create(const weir_sql_engine_options *options, weir_sql_engine **out, weir_error *err)
{
    (void)err;
    weir_sql_engine *engine = weir_alloc_zeroed(1, sizeof *engine);
    pthread_mutex_init(&engine->mutex, NULL);
    weir_arena_init(&engine->arena);
    if (options != NULL) {
        engine->options = *options;
        if (options->temp_directory != NULL) {
            engine->temp_directory = weir_strdup(options->temp_directory);
        }
    }
    *out = engine;
    return WEIR_OK;
}

void weir_sql_engine_free(weir_sql_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    if (engine->open) {
        duckdb_disconnect(&engine->connection);
        duckdb_close(&engine->database);
    }
    weir_temporary_remove(engine->temp_folder);
    weir_map_free(&engine->functions);
    weir_arena_free(&engine->arena);
    pthread_mutex_destroy(&engine->mutex);
    free(engine->temp_directory);
    free(engine);
}

static void configure(const weir_sql_engine *engine, duckdb_config config)
{
    char number[64];
    if (engine->options.threads > 0) {
        snprintf(number, sizeof number, "%d", engine->options.threads);
        duckdb_set_config(config, "threads", number);
    }
    if (engine->options.memory_limit_bytes > 0) {
        snprintf(number, sizeof number, "%" PRId64 "B", engine->options.memory_limit_bytes);
        duckdb_set_config(config, "memory_limit", number);
    }
    duckdb_set_config(config, "autoinstall_known_extensions", "false");
    duckdb_set_config(config, "autoload_known_extensions", "false");
    duckdb_set_config(config, "preserve_insertion_order", "false"); /* so that scans run on all threads */
    /* It would read a table twice rather than keep the rows of SUM(x) OVER (PARTITION BY y). */
    duckdb_set_config(config, "disabled_optimizers", "window_self_join");
}

static int run(const weir_sql_engine *engine, const char *sql, weir_error *err)
{
    duckdb_result result;
    int code = duckdb_query(engine->connection, sql, &result) == DuckDBSuccess
                   ? WEIR_OK
                   : weir_fail(err, WEIR_IO, "DuckDB can't be closed to the world: %s", duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    return code;
}

/* From here on DuckDB may touch nothing but a folder of this engine's own, in which it makes and removes another one
 * when it spills. (What lies in an allowed folder may be accessed, the folder itself may not.) */
static int close_to_the_world(const weir_sql_engine *engine, weir_error *err)
{
    weir_buffer sql = {0};
    int code = WEIR_OK;
    weir_buffer_append_text(&sql, "SET temp_directory = ''");
    if (engine->temp_folder != NULL) {
        char *spill = weir_format("%s/spill", engine->temp_folder);
        weir_buffer_clear(&sql);
        weir_buffer_append_text(&sql, "SET temp_directory = ");
        weir_append_quoted(spill, '\'', &sql);
        weir_buffer_append_text(&sql, "; SET allowed_directories = [");
        weir_append_quoted(engine->temp_folder, '\'', &sql);
        weir_buffer_append_byte(&sql, ']');
        free(spill);
    }
    code = run(engine, weir_buffer_text(&sql), err);
    weir_buffer_free(&sql);
    return code != WEIR_OK ? code
                           : run(engine, "SET enable_external_access = false; SET lock_configuration = true", err);
}

static int make_temp_folder(weir_sql_engine *engine, weir_error *err)
{
    if (engine->temp_directory == NULL || engine->temp_folder != NULL) {
        return WEIR_OK;
    }
    return weir_temporary_make(engine->temp_directory, "query", &engine->temp_folder, err);
}

static int open_database(weir_sql_engine *engine, weir_error *err)
{
    duckdb_config config;
    char *message = NULL;
    WEIR_TRY(make_temp_folder(engine, err));
    if (duckdb_create_config(&config) != DuckDBSuccess) {
        return weir_fail(err, WEIR_NO_MEMORY, "DuckDB can't be configured");
    }
    configure(engine, config);
    duckdb_state state = duckdb_open_ext(NULL, &engine->database, config, &message);
    duckdb_destroy_config(&config);
    if (state != DuckDBSuccess) {
        weir_fail(err, WEIR_IO, "DuckDB can't be opened: %s", message == NULL ? "no reason given" : message);
        duckdb_free(message);
        return WEIR_IO;
    }
    if (duckdb_connect(engine->database, &engine->connection) != DuckDBSuccess) {
        duckdb_close(&engine->database);
        return weir_fail(err, WEIR_IO, "DuckDB takes no connection");
    }
    engine->open = true;
    WEIR_TRY(close_to_the_world(engine, err));
    WEIR_TRY(weir_engine_register_aggregates(engine, err));
    return weir_engine_register_scan(engine, err);
}

int weir_engine_open(weir_sql_engine *engine, weir_error *err)
{
    pthread_mutex_lock(&engine->mutex);
    int code = engine->open ? WEIR_OK : open_database(engine, err);
    pthread_mutex_unlock(&engine->mutex);
    return code;
}

/* "Invalid Input Error: message" without the kind that DuckDB puts in front. */
static const char *after_kind(const char *message)
{
    const char *colon = strstr(message, ": ");
    return colon != NULL && colon - message < 40 ? colon + 2 : message;
}

int weir_engine_fail(weir_running *running, const char *message, weir_error *err)
{
    if (running != NULL) {
        pthread_mutex_lock(&running->mutex);
        bool ours = running->error.code != WEIR_OK;
        if (ours && err != NULL) {
            *err = running->error;
        }
        int code = running->error.code;
        pthread_mutex_unlock(&running->mutex);
        if (ours) {
            return code;
        }
    }
    if (message == NULL) {
        return weir_fail(err, WEIR_IO, "the query failed without a reason");
    }
    if (strncmp(message, "INTERRUPT", 9) == 0) {
        return weir_fail(err, WEIR_CANCELLED, "the query was cancelled");
    }
    if (strncmp(message, "Out of Memory", 13) == 0) { /* its advice is about settings that are not ours */
        const char *reason = after_kind(message);
        return weir_fail(
            err, WEIR_NO_MEMORY,
            "the query needs more memory than it may have, though it spilled what it could: %.*s; give more "
            "with --memory, or fewer --threads",
            (int)strcspn(reason, "\n"), reason);
    }
    const char *reason = after_kind(message);
    const char *excerpt = strstr(reason, "\n\nLINE "); /* of SQL that nobody wrote: we generated it */
    return weir_fail(err, WEIR_INVALID, "%.*s", (int)(excerpt == NULL ? strlen(reason) : (size_t)(excerpt - reason)),
                     reason);
}
