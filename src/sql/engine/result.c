/* Queries and their results. The one place that uses DuckDB's streaming execution, which its header calls deprecated
 * without naming another way to pull rows. */
#include <stdatomic.h>
#include <time.h>

#include "sql/engine/bridge.h"
#include "sql/engine/engine_internal.h"
#include "sql/function/kernels.h"

struct weir_sql_result {
    weir_sql_engine *engine;
    const weir_plan *plan;
    weir_field *fields; /* intervals as STRING */
    weir_running *running;
    duckdb_connection connection;
    duckdb_prepared_statement statement;
    duckdb_result result;
    duckdb_pending_result pending; /* prepared, not run yet */
    bool has_pending;
    bool has_result;
    bool literal;
    bool ended;
    int64_t literal_row;
    weir_arena arena;
    pthread_mutex_t mutex; /* guards `connection` against cancel() */
    _Atomic bool cancelled;
};

enum { batch_rows = 16384 };

/* --- Before it runs -------------------------------------------------------------------------------------------- */

/* Tables whose rows are changes give wrong answers when their rows are taken for values. */
static int refuse_changes(const weir_plan *plan, weir_error *err)
{
    if (plan->kind == WEIR_PLAN_SCAN && plan->table->has_row_kinds) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, plan->position.line, plan->position.column,
                            "table %s gives changes (updates and deletes), which a query can't read yet; INSERT INTO a "
                            "table SELECT … FROM it, and query that table",
                            plan->table->name);
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        WEIR_TRY(refuse_changes(plan->inputs[i], err));
    }
    return WEIR_OK;
}

/* Intervals leave as text: a projection on top casts them. */
static const weir_plan *show_intervals(weir_sql_result *result, const weir_plan *plan)
{
    result->fields = weir_arena_copy(&result->arena, plan->fields, sizeof *plan->fields * (size_t)plan->field_count);
    bool any = false;
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (weir_type_is_interval(plan->fields[i].type)) {
            any = true;
            result->fields[i].type = weir_type_simple(WEIR_VARCHAR, plan->fields[i].type->nullable);
        }
    }
    if (!any) {
        return plan;
    }
    weir_arena *arena = &result->arena;
    weir_plan *project = WEIR_NEW(arena, weir_plan);
    project->kind = WEIR_PLAN_PROJECT;
    project->inputs = WEIR_NEW(arena, weir_plan *);
    project->inputs[0] = (weir_plan *)plan;
    project->input_count = 1;
    project->fields = result->fields;
    project->field_count = plan->field_count;
    project->expression_count = plan->field_count;
    project->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        bool needs_zone;
        weir_expression *column = WEIR_NEW(arena, weir_expression);
        *column = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = plan->fields[i].type, .column = i};
        project->expressions[i] = column;
        if (weir_type_is_interval(column->type)) {
            weir_expression *text = WEIR_NEW(arena, weir_expression);
            *text =
                (weir_expression){.kind = WEIR_EXPRESSION_CALL, .type = result->fields[i].type, .argument_count = 1};
            text->kernel = weir_kernel_cast_to_text(column->type, &needs_zone);
            text->arguments = WEIR_NEW(arena, weir_expression *);
            text->arguments[0] = column;
            project->expressions[i] = text;
        }
    }
    return project;
}

/* Helps DuckDB's threads until there are rows, and sleeps while there is nothing to help with: duckdb_execute_pending
 * would ask for work without a pause, at the cost of a processor for the whole query. The pauses grow, so that a short
 * query is not kept waiting. */
static int run_pending(weir_sql_result *result, weir_error *err)
{
    enum { shortest_pause = 20000, longest_pause = 1000000 }; /* nanoseconds */
    struct timespec pause = {.tv_nsec = shortest_pause};
    while (!result->cancelled) {
        duckdb_pending_state state = duckdb_pending_execute_task(result->pending);
        if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE) {
            nanosleep(&pause, NULL);
            pause.tv_nsec = pause.tv_nsec * 3 / 2 < longest_pause ? pause.tv_nsec * 3 / 2 : longest_pause;
        } else if (state == DUCKDB_PENDING_RESULT_NOT_READY) {
            pause.tv_nsec = shortest_pause;
        } else {
            return state == DUCKDB_PENDING_ERROR
                       ? weir_engine_fail(result->running, duckdb_pending_error(result->pending), err)
                       : WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_CANCELLED, "the query was cancelled");
}

static int prepare(weir_sql_result *result, const char *sql, weir_error *err)
{
    if (duckdb_connect(result->engine->database, &result->connection) != DuckDBSuccess) {
        return weir_fail(err, WEIR_IO, "DuckDB takes no connection");
    }
    if (duckdb_prepare(result->connection, sql, &result->statement) != DuckDBSuccess) {
        return weir_engine_fail(result->running, duckdb_prepare_error(result->statement), err);
    }
    duckdb_state state = duckdb_pending_prepared_streaming(result->statement, &result->pending);
    result->has_pending = true;
    return state == DuckDBSuccess ? WEIR_OK
                                  : weir_engine_fail(result->running, duckdb_pending_error(result->pending), err);
}

/* Runs until the first rows are there. That can take long, and so is left to the first next(): by then others can reach
 * the result to cancel it. */
static int execute(weir_sql_result *result, weir_error *err)
{
    WEIR_TRY(run_pending(result, err));
    duckdb_state state = duckdb_execute_pending(result->pending, &result->result);
    duckdb_destroy_pending(&result->pending);
    result->has_pending = false;
    result->has_result = true;
    return state == DuckDBSuccess ? WEIR_OK
                                  : weir_engine_fail(result->running, duckdb_result_error(&result->result), err);
}

static int start(weir_sql_result *result, const weir_plan *plan, weir_error *err)
{
    WEIR_TRY(weir_engine_open(result->engine, err));
    WEIR_TRY(weir_running_create(result->engine, &result->running, err));
    char source[64];
    snprintf(source, sizeof source, "weir_scan(%" PRId64 ", ", result->running->id);
    weir_generated generated;
    WEIR_TRY(weir_generate(plan, source, &generated, err));
    int code;
    WEIR_GO(weir_running_open_scans(result->running, &generated, err));
    WEIR_GO(weir_running_pass_join_keys(result->engine, result->running, plan, err));
    WEIR_GO(weir_engine_register(result->engine, &generated, err));
    WEIR_GO(prepare(result, weir_buffer_text(&generated.sql), err));
done:
    weir_generated_free(&generated);
    return code;
}

int weir_sql_query_start(weir_sql_engine *engine, const weir_bound *bound, weir_sql_result **out, weir_error *err)
{
    WEIR_TRY(refuse_changes(bound->plan, err));
    weir_sql_result *result = weir_alloc_zeroed(1, sizeof *result);
    result->engine = engine;
    pthread_mutex_init(&result->mutex, NULL);
    weir_arena_init(&result->arena);
    const weir_plan *plan = bound->plan;
    int code = weir_plan_use_summaries(&result->arena, bound->plan, &plan, err);
    if (code == WEIR_OK) {
        result->plan = show_intervals(result, plan);
        result->literal = weir_plan_is_literal(result->plan);
        code = result->literal ? WEIR_OK : start(result, result->plan, err);
    }
    if (code != WEIR_OK) {
        weir_sql_result_free(result);
        return code;
    }
    *out = result;
    return WEIR_OK;
}

/* --- Rows ------------------------------------------------------------------------------------------------------ */

static int next_literals(weir_sql_result *result, weir_batch *out, weir_error *err)
{
    int64_t left = result->plan->row_count - result->literal_row;
    int64_t rows = left < batch_rows ? left : batch_rows;
    if (rows == 0) {
        return WEIR_END;
    }
    WEIR_TRY(weir_literal_rows(result->plan, result->literal_row, rows, out, err));
    result->literal_row += rows;
    return WEIR_OK;
}

static int append_chunk(duckdb_data_chunk chunk, weir_batch *out, weir_error *err)
{
    int64_t rows = (int64_t)duckdb_data_chunk_get_size(chunk);
    for (int32_t i = 0; i < out->column_count; i++) {
        WEIR_TRY(weir_bridge_append(duckdb_data_chunk_get_vector(chunk, (idx_t)i), rows, &out->columns[i], err));
    }
    out->length += rows;
    return WEIR_OK;
}

int weir_sql_result_next(weir_sql_result *result, weir_batch *out, weir_error *err)
{
    weir_batch_clear(out);
    if (result->literal) {
        return next_literals(result, out, err);
    }
    if (result->has_pending) {
        WEIR_TRY(execute(result, err));
    }
    while (!result->ended && out->length < batch_rows) {
        duckdb_data_chunk chunk = duckdb_fetch_chunk(result->result);
        if (chunk == NULL) {
            result->ended = true;
            const char *message = duckdb_result_error(&result->result);
            if (message != NULL && message[0] != '\0') {
                return weir_engine_fail(result->running, message, err);
            }
            if (result->running->error.code != WEIR_OK) {
                return weir_engine_fail(result->running, NULL, err);
            }
            break;
        }
        int code = append_chunk(chunk, out, err);
        duckdb_destroy_data_chunk(&chunk);
        WEIR_TRY(code);
    }
    return out->length > 0 ? WEIR_OK : WEIR_END;
}

const weir_field *weir_sql_result_fields(const weir_sql_result *result, int32_t *out_count)
{
    *out_count = result->plan->field_count;
    return result->fields;
}

void weir_sql_result_cancel(weir_sql_result *result)
{
    result->cancelled = true;
    pthread_mutex_lock(&result->mutex);
    if (result->connection != NULL) {
        duckdb_interrupt(result->connection);
    }
    pthread_mutex_unlock(&result->mutex);
}

void weir_sql_result_progress(const weir_sql_result *result, weir_scan_progress *out)
{
    *out = (weir_scan_progress){0};
    for (int32_t i = 0; result->running != NULL && i < result->running->scan_count; i++) {
        const weir_running_scan *scan = &result->running->scans[i];
        if (scan->scan != NULL) {
            out->rows += atomic_load(&scan->rows_read);
            out->splits += atomic_load(&scan->splits_read);
            out->total_splits += scan->scan->split_count;
            out->total_rows += scan->scan->estimated_rows > 0 ? scan->scan->estimated_rows : 0;
        }
    }
}

void weir_sql_result_free(weir_sql_result *result)
{
    if (result == NULL) {
        return;
    }
    if (result->has_pending) {
        duckdb_destroy_pending(&result->pending);
    }
    if (result->has_result) {
        duckdb_destroy_result(&result->result);
    }
    if (result->statement != NULL) {
        duckdb_destroy_prepare(&result->statement);
    }
    pthread_mutex_lock(&result->mutex);
    if (result->connection != NULL) {
        duckdb_disconnect(&result->connection);
    }
    pthread_mutex_unlock(&result->mutex);
    weir_running_free(result->engine, result->running);
    weir_arena_free(&result->arena);
    pthread_mutex_destroy(&result->mutex);
    free(result);
}
