/* What the files of the engine share. */
#ifndef WEIR_SQL_ENGINE_INTERNAL_H
#define WEIR_SQL_ENGINE_INTERNAL_H

#include <duckdb.h>
#include <pthread.h>

#include "base/map.h"
#include "base/stop.h"
#include "sql/engine.h"
#include "sql/generate/generate.h"

/* One scan of a running query. */
typedef struct weir_running_scan {
    const weir_plan *plan;           /* NULL: the plan has no scan of this number */
    const weir_predicate *predicate; /* what it is opened with: the plan's, and keys of joins */
    weir_field *fields;              /* of the request */
    weir_sql_scan *scan;
    _Atomic int64_t splits_read, rows_read;
    struct weir_running *running;
    /* Instead of `scan`: the rows of one batch, then a last column of row numbers (compute.c). */
    bool is_direct;
    const weir_batch *direct;    /* columns in the order of the plan's fields */
    const uint32_t *direct_rows; /* the row numbers; NULL: 0, 1, 2 … */
} weir_running_scan;

/* A running query as the scan function finds it, by its number. */
typedef struct weir_running {
    int64_t id;
    weir_running_scan *scans;
    int32_t scan_count;
    weir_arena arena;
    weir_stop *stop;       /* of the thread that began it: its threads work under that, too */
    pthread_mutex_t mutex; /* of `error` */
    weir_error error;      /* the first one of a scan or a kernel */
    struct weir_running *next;
} weir_running;

struct weir_sql_engine {
    pthread_mutex_t mutex;
    weir_sql_engine_options options;
    char *temp_directory;
    char *temp_folder; /* this engine's own in it; NULL until DuckDB is opened */
    bool open;
    duckdb_database database;
    duckdb_connection connection; /* for registering functions */
    weir_map functions;           /* names of registered kernels */
    weir_arena arena;             /* what they need */
    weir_running *running;
    int64_t next_id;
};

/* Opens DuckDB if that has not happened yet. */
int weir_engine_open(weir_sql_engine *engine, weir_error *err);

/* Makes the kernels of a generated statement callable (kernel_function.c). */
int weir_engine_register(weir_sql_engine *engine, const weir_generated *generated, weir_error *err);

/* The function weir_scan(query, scan) (scan_function.c). */
int weir_engine_register_scan(weir_sql_engine *engine, weir_error *err);

/* The aggregates weir_sum and weir_avg over DOUBLE (exact_aggregate.c). */
int weir_engine_register_aggregates(weir_sql_engine *engine, weir_error *err);
int weir_running_create(weir_sql_engine *engine, weir_running **out, weir_error *err);
int weir_running_open_scans(weir_running *running, const weir_generated *generated, weir_error *err);
int weir_running_open_scan(weir_running_scan *scan, weir_error *err);
/* Opens scans of large sides of joins again with the keys of small ones (join_keys.c). */
int weir_running_pass_join_keys(weir_sql_engine *engine, weir_running *running, const weir_plan *plan, weir_error *err);
void weir_running_free(weir_sql_engine *engine, weir_running *running);

/* Turns DuckDB's message into an error: what our own code said is passed on as it was. */
int weir_engine_fail(weir_running *running, const char *message, weir_error *err);

/* The plan with VALUES in place of aggregates that metadata tell (summary.c); the same plan where there are none. */
int weir_plan_use_summaries(weir_arena *arena, const weir_plan *plan, const weir_plan **out, weir_error *err);

/* Results whose rows are all literals need no DuckDB (literal_result.c). */
bool weir_plan_is_literal(const weir_plan *plan);
int weir_literal_rows(const weir_plan *plan, int64_t first, int64_t count, weir_batch *out, weir_error *err);

#endif
