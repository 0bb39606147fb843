/* Running bound plans.
 *
 * One engine is one DuckDB instance: no external access, no extensions, configuration locked. It is opened on first use
 * (22 ms). Results are pulled; scans are read by DuckDB's threads, one split a thread. */
#ifndef WEIR_SQL_ENGINE_H
#define WEIR_SQL_ENGINE_H

#include "sql/binder.h"

typedef struct weir_sql_engine weir_sql_engine;
typedef struct weir_sql_result weir_sql_result;

typedef struct weir_sql_engine_options {
    int threads;                /* 0: one per processor */
    int64_t memory_limit_bytes; /* 0: DuckDB's own choice */
    const char *temp_directory; /* where to spill; NULL: nowhere */
} weir_sql_engine_options;

int weir_sql_engine_create(const weir_sql_engine_options *options, weir_sql_engine **out, weir_error *err);
void weir_sql_engine_free(weir_sql_engine *engine); /* after all its results and computations */

/* Prepares a query; it runs while its rows are pulled by weir_sql_result_next. `bound` must outlive the result. A plan
 * over a table with row kinds is refused here: it runs as a stream. */
int weir_sql_query_start(weir_sql_engine *engine, const weir_bound *bound, weir_sql_result **out, weir_error *err);

/* Fills `out` with the next rows, or gives WEIR_END. `out` must have been made by weir_batch_init with
 * weir_sql_result_fields (interval columns of the plan are STRING there). */
int weir_sql_result_next(weir_sql_result *result, weir_batch *out, weir_error *err);
const weir_field *weir_sql_result_fields(const weir_sql_result *result, int32_t *out_count);
void weir_sql_result_free(weir_sql_result *result);

/* How much of its tables a query has read. May be called from another thread. */
typedef struct weir_scan_progress {
    int64_t rows, total_rows; /* the total after pruning, as far as it is known */
    int64_t splits, total_splits;
} weir_scan_progress;

void weir_sql_result_progress(const weir_sql_result *result, weir_scan_progress *out);

/* Stops a running query from another thread: its next() gives WEIR_CANCELLED. Does nothing when it has ended. */
void weir_sql_result_cancel(weir_sql_result *result);

/* Conditions and expressions over rows of given fields, prepared once and run batch by batch. Bare columns, constants,
 * and comparisons of columns with constants run without DuckDB; `engine` is touched only when they need more.
 * Everything but the engine is borrowed while the computation is made and must outlive it. */
typedef struct weir_sql_compute weir_sql_compute;

typedef struct weir_sql_compute_options {
    const weir_field *fields; /* of the input */
    int32_t field_count;
    weir_expression *const *conditions; /* all must hold */
    int32_t condition_count;
    weir_expression *const *expressions; /* over the input's fields */
    int32_t expression_count;
} weir_sql_compute_options;

int weir_sql_compute_create(weir_sql_engine *engine, const weir_sql_compute_options *options, weir_sql_compute **out,
                            weir_error *err);

/* Computes the expressions of the rows of `in` that meet the conditions into `out` (made with the expressions' types;
 * cleared first), kinds carried over: an update may lose one of its halves. *out_rows (may be NULL): which rows of `in`
 * they are; good until the next run. */
int weir_sql_compute_run(weir_sql_compute *compute, const weir_batch *in, weir_batch *out, const uint32_t **out_rows,
                         weir_error *err);
void weir_sql_compute_free(weir_sql_compute *compute); /* NULL is fine */

#endif
