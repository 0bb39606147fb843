/* Tables as DuckDB sees them: weir_scan(query, scan) finds the running query's scan by number, and each of DuckDB's
 * threads reads one split after the other. */
#include <stdatomic.h>

#include "sql/engine/bridge.h"
#include "sql/engine/engine_internal.h"

/* --- Running queries ------------------------------------------------------------------------------------------- */

int weir_running_create(weir_sql_engine *engine, weir_running **out, weir_error *err)
{
    (void)err;
    weir_running *running = weir_alloc_zeroed(1, sizeof *running);
    running->stop = weir_stop_current();
    pthread_mutex_init(&running->mutex, NULL);
    weir_arena_init(&running->arena);
    pthread_mutex_lock(&engine->mutex);
    running->id = ++engine->next_id;
    running->next = engine->running;
    engine->running = running;
    pthread_mutex_unlock(&engine->mutex);
    *out = running;
    return WEIR_OK;
}

static weir_running *find_running(weir_sql_engine *engine, int64_t id)
{
    pthread_mutex_lock(&engine->mutex);
    weir_running *running = engine->running;
    while (running != NULL && running->id != id) {
        running = running->next;
    }
    pthread_mutex_unlock(&engine->mutex);
    return running;
}

int weir_running_open_scan(weir_running_scan *scan, weir_error *err)
{
    const weir_plan *plan = scan->plan;
    weir_scan_request request = {.columns = plan->columns,
                                 .column_count = plan->field_count,
                                 .predicate = scan->predicate,
                                 .limit = plan->scan_limit,
                                 .parallel = true};
    return plan->table->open(plan->table, &request, &scan->scan, err);
}

static int open_scan(weir_running *running, weir_running_scan *scan, const weir_plan *plan, weir_error *err)
{
    scan->plan = plan;
    scan->predicate = plan->pushed;
    scan->running = running;
    scan->fields = weir_arena_copy(&running->arena, plan->fields, sizeof *plan->fields * (size_t)plan->field_count);
    return weir_running_open_scan(scan, err);
}

int weir_running_open_scans(weir_running *running, const weir_generated *generated, weir_error *err)
{
    running->scans = weir_alloc_zeroed((size_t)generated->scan_count + 1, sizeof *running->scans);
    running->scan_count = generated->scan_count;
    for (int32_t i = 0; i < generated->scan_count; i++) {
        if (generated->scans[i] != NULL) {
            WEIR_TRY(open_scan(running, &running->scans[i], generated->scans[i], err));
        }
    }
    return WEIR_OK;
}

void weir_running_free(weir_sql_engine *engine, weir_running *running)
{
    if (running == NULL) {
        return;
    }
    pthread_mutex_lock(&engine->mutex);
    weir_running **link = &engine->running;
    while (*link != running) {
        link = &(*link)->next;
    }
    *link = running->next;
    pthread_mutex_unlock(&engine->mutex);
    for (int32_t i = 0; i < running->scan_count; i++) {
        if (running->scans[i].scan != NULL) {
            running->scans[i].scan->close(running->scans[i].scan);
        }
    }
    free(running->scans);
    weir_arena_free(&running->arena);
    pthread_mutex_destroy(&running->mutex);
    free(running);
}

static void fail_running(weir_running *running, const weir_error *error)
{
    pthread_mutex_lock(&running->mutex);
    if (running->error.code == WEIR_OK) {
        running->error = *error;
    }
    pthread_mutex_unlock(&running->mutex);
}

/* --- Binding --------------------------------------------------------------------------------------------------- */

static int64_t take_number(duckdb_bind_info info, idx_t index)
{
    duckdb_value value = duckdb_bind_get_parameter(info, index);
    int64_t number = duckdb_get_int64(value);
    duckdb_destroy_value(&value);
    return number;
}

static void bind_scan(duckdb_bind_info info)
{
    weir_sql_engine *engine = duckdb_bind_get_extra_info(info);
    weir_running *running = find_running(engine, take_number(info, 0));
    int64_t index = take_number(info, 1);
    if (running == NULL || index < 0 || index >= running->scan_count || running->scans[index].plan == NULL) {
        duckdb_bind_set_error(info, "the scan is not part of a running query");
        return;
    }
    weir_running_scan *scan = &running->scans[index];
    for (int32_t i = 0; i < scan->plan->field_count; i++) {
        char name[16];
        duckdb_logical_type type = weir_bridge_type(scan->fields[i].type);
        snprintf(name, sizeof name, "c%d", i);
        duckdb_bind_add_result_column(info, name, type);
        duckdb_destroy_logical_type(&type);
    }
    if (scan->plan->field_count == 0) { /* only rows are counted, but DuckDB wants a column */
        duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
        duckdb_bind_add_result_column(info, "c0", type);
        duckdb_destroy_logical_type(&type);
    }
    if (!scan->is_direct && scan->scan->estimated_rows >= 0) {
        duckdb_bind_set_cardinality(info, (idx_t)scan->scan->estimated_rows, scan->scan->exact_rows);
    }
    duckdb_bind_set_bind_data(info, scan, NULL);
}

/* What the threads of one reading of a scan share. (DuckDB's plan may read a scan more than once.) */
typedef struct reading {
    _Atomic int64_t next_split;
} reading;

static void init_scan(duckdb_init_info info)
{
    weir_running_scan *scan = duckdb_init_get_bind_data(info);
    int64_t splits = scan->is_direct ? 1 : scan->scan->split_count;
    duckdb_init_set_init_data(info, weir_alloc_zeroed(1, sizeof(reading)), free);
    duckdb_init_set_max_threads(info, (idx_t)(splits < 1 ? 1 : splits));
}

/* --- Reading --------------------------------------------------------------------------------------------------- */

/* What one thread is reading. The batch lives until the next call, because DuckDB's vectors point into it. */
typedef struct reader {
    weir_sql_split *split;
    weir_batch batch;
    bool has_batch; /* the batch was made */
    int64_t offset; /* rows of the batch that were given */
} reader;

static void free_reader(void *data)
{
    reader *self = data;
    if (self->split != NULL) {
        self->split->close(self->split);
    }
    if (self->has_batch) {
        weir_batch_free(&self->batch);
    }
    free(self);
}

static void init_reader(duckdb_init_info info)
{
    duckdb_init_set_init_data(info, weir_alloc_zeroed(1, sizeof(reader)), free_reader);
}

/* Makes the next rows current: of the split, or of the next split that nobody reads. WEIR_END when there is none. */
static int advance(reader *self, weir_running_scan *scan, reading *shared, weir_error *err)
{
    for (;;) {
        if (self->split == NULL) {
            int64_t number = atomic_fetch_add(&shared->next_split, 1);
            if (number >= scan->scan->split_count) {
                return WEIR_END;
            }
            WEIR_TRY(scan->scan->open_split(scan->scan, number, &self->split, err));
        }
        int code = self->split->next(self->split, &self->batch, err);
        self->offset = 0;
        if (code == WEIR_OK && self->batch.length > 0) {
            return WEIR_OK;
        }
        if (code == WEIR_END) {
            self->split->close(self->split);
            self->split = NULL;
            atomic_fetch_add(&scan->splits_read, 1);
        } else if (code != WEIR_OK) {
            return code;
        }
    }
}

static int give_rows(reader *self, weir_running_scan *scan, reading *shared, duckdb_data_chunk output, weir_error *err)
{
    if (!self->has_batch) {
        weir_batch_init(&self->batch, scan->fields, scan->plan->field_count);
        self->has_batch = true;
    }
    if (self->offset >= self->batch.length) {
        int code = advance(self, scan, shared, err);
        if (code != WEIR_OK) {
            duckdb_data_chunk_set_size(output, 0);
            return code == WEIR_END ? WEIR_OK : code;
        }
    }
    int64_t rows = self->batch.length - self->offset;
    int64_t most = (int64_t)duckdb_vector_size();
    rows = rows < most ? rows : most;
    for (int32_t i = 0; i < scan->plan->field_count; i++) {
        WEIR_TRY(weir_bridge_fill(&self->batch.columns[i], self->offset, rows,
                                  duckdb_data_chunk_get_vector(output, (idx_t)i), err));
    }
    if (scan->plan->field_count == 0) {
        memset(duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, 0)), 0, (size_t)rows);
    }
    duckdb_data_chunk_set_size(output, (idx_t)rows);
    self->offset += rows;
    atomic_fetch_add(&scan->rows_read, rows);
    return WEIR_OK;
}

/* Rows of the one batch that a projection runs over, and their numbers. */
static int give_direct(reader *self, const weir_running_scan *scan, duckdb_data_chunk output, weir_error *err)
{
    int64_t rows = scan->direct->length - self->offset;
    int64_t most = (int64_t)duckdb_vector_size();
    int32_t columns = scan->plan->field_count - 1;
    rows = rows < most ? rows : most;
    for (int32_t i = 0; i < columns && rows > 0; i++) {
        WEIR_TRY(weir_bridge_fill(&scan->direct->columns[i], self->offset, rows,
                                  duckdb_data_chunk_get_vector(output, (idx_t)i), err));
    }
    int64_t *numbers = duckdb_vector_get_data(duckdb_data_chunk_get_vector(output, (idx_t)columns));
    for (int64_t i = 0; i < rows; i++) {
        numbers[i] = scan->direct_rows == NULL ? self->offset + i : scan->direct_rows[self->offset + i];
    }
    duckdb_data_chunk_set_size(output, (idx_t)rows);
    self->offset += rows;
    return WEIR_OK;
}

static void read_scan(duckdb_function_info info, duckdb_data_chunk output)
{
    weir_running_scan *scan = duckdb_function_get_bind_data(info);
    reader *self = duckdb_function_get_local_init_data(info);
    weir_error err = {0};
    reading *shared = duckdb_function_get_init_data(info);
    weir_stop *before = weir_stop_enter(scan->running->stop);
    int code = scan->is_direct ? give_direct(self, scan, output, &err) : give_rows(self, scan, shared, output, &err);
    (void)weir_stop_enter(before);
    if (code != WEIR_OK) {
        err.code = code;
        fail_running(scan->running, &err);
        duckdb_function_set_error(info, err.message);
    }
}

int weir_engine_register_scan(weir_sql_engine *engine, weir_error *err)
{
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    duckdb_table_function_set_name(function, "weir_scan");
    duckdb_table_function_add_parameter(function, number);
    duckdb_table_function_add_parameter(function, number);
    duckdb_destroy_logical_type(&number);
    duckdb_table_function_set_extra_info(function, engine, NULL);
    duckdb_table_function_set_bind(function, bind_scan);
    duckdb_table_function_set_init(function, init_scan);
    duckdb_table_function_set_local_init(function, init_reader);
    duckdb_table_function_set_function(function, read_scan);
    duckdb_state state = duckdb_register_table_function(engine->connection, function);
    duckdb_destroy_table_function(&function);
    return state == DuckDBSuccess ? WEIR_OK : weir_fail(err, WEIR_IO, "the scan function can't be registered");
}
