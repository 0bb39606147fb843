/* A query as a stream beside the same query over what the tables then hold: changes are made to tables in memory and
 * pushed through the query's operators in batches; what comes out must be a valid changelog, and what it adds up to the
 * query's rows. */
#ifndef WEIR_TESTS_QUERY_FIXTURE_H
#define WEIR_TESTS_QUERY_FIXTURE_H

#include "../sql/memory_table.h"
#include "random.h"
#include "stream/plan/graph.h"
#include "stream/state/state.h"

/* --- Tables that change ---------------------------------------------------------------------------------------- */

typedef struct changing_table {
    memory_table memory; /* what it holds now; first, so that its owner is this too */
    weir_batch waiting;  /* all changes so far */
    bool only_inserts;   /* and says so */
} changing_table;

static inline void changing_table_start(changing_table *table, const char *name, const char *columns)
{
    memory_table_start(&table->memory, name, columns);
    weir_field fields[16];
    for (int32_t i = 0; i < table->memory.table.column_count; i++) {
        const weir_sql_column *column = &table->memory.table.columns[i];
        fields[i] = (weir_field){.id = i, .name = column->name, .type = column->type};
    }
    weir_batch_init(&table->waiting, fields, table->memory.table.column_count);
}

static inline void changing_table_free(changing_table *table)
{
    weir_batch_free(&table->waiting);
    memory_table_free(&table->memory);
}

static inline void append_change(changing_table *table, const weir_batch *from, int64_t row, int8_t kind)
{
    weir_error err = {0};
    weir_batch_reserve_kinds(&table->waiting, table->waiting.length + 1);
    check_code(weir_batch_append_range(&table->waiting, from, row, 1, &err), &err);
    table->waiting.kinds[table->waiting.length - 1] = kind;
}

static inline void insert_json(changing_table *table, const char *json, int8_t kind)
{
    memory_table_add(&table->memory, json);
    append_change(table, &table->memory.rows, table->memory.rows.length - 1, kind);
}

static inline void delete_row(changing_table *table, int64_t row, int8_t kind)
{
    weir_error err = {0};
    weir_batch *rows = &table->memory.rows;
    append_change(table, rows, row, kind);
    uint32_t *kept = weir_alloc((size_t)rows->length * sizeof *kept);
    int64_t count = 0;
    for (int64_t i = 0; i < rows->length; i++) {
        if (i != row) {
            kept[count++] = (uint32_t)i;
        }
    }
    for (int32_t i = 0; i < rows->column_count; i++) {
        weir_vector copy;
        weir_vector_init(&copy, rows->columns[i].type);
        check_code(weir_vector_append_rows(&copy, &rows->columns[i], kept, count, &err), &err);
        weir_vector_free(&rows->columns[i]);
        rows->columns[i] = copy;
    }
    rows->length = count;
    free(kept);
}

/* --- Sources and sinks ----------------------------------------------------------------------------------------- */

typedef struct changing_source {
    weir_stream_source source;
    changing_table *table;
    int32_t columns[16];
    int64_t given;
} changing_source;

static inline int changing_next(weir_stream_source *self, weir_batch *out, weir_error *err)
{
    changing_source *source = (changing_source *)self;
    const weir_batch *waiting = &source->table->waiting;
    int64_t count = waiting->length - source->given;
    weir_batch_clear(out);
    if (count == 0) {
        return WEIR_IDLE;
    }
    for (int32_t i = 0; i < out->column_count; i++) {
        WEIR_TRY(weir_vector_append_range(&out->columns[i], &waiting->columns[source->columns[i]], source->given, count,
                                          err));
    }
    weir_batch_reserve_kinds(out, count);
    memcpy(out->kinds, waiting->kinds + source->given, (size_t)count);
    out->length = count;
    source->given += count;
    return WEIR_OK;
}

static inline void changing_close(weir_stream_source *self) { free(self); }

static inline int changing_open(weir_sql_table *self, const weir_scan_request *request, weir_stream_source **out,
                                weir_error *err)
{
    (void)err;
    changing_source *source = weir_alloc_zeroed(1, sizeof *source);
    source->source = (weir_stream_source){.next = changing_next, .close = changing_close, .description = self->name};
    source->table = self->owner;
    for (int32_t i = 0; i < request->column_count; i++) {
        source->columns[i] = request->columns[i];
    }
    *out = &source->source;
    return WEIR_OK;
}

/* What came out, as JSON rows, each as often as it is there. */
typedef struct result_rows {
    weir_stream_sink sink; /* first: its functions get it */
    char **rows;
    size_t count, capacity;
    weir_buffer changes; /* all of them, a line each */
} result_rows;

static inline int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static inline char *row_text(const weir_batch *batch, int64_t row)
{
    weir_buffer text = {0};
    for (int32_t i = 0; i < batch->column_count; i++) {
        weir_buffer_append_text(&text, i == 0 ? "" : " ");
        weir_value_to_json(&batch->columns[i], row, &text);
    }
    weir_buffer_text(&text);
    return (char *)text.data;
}

static inline void add_row(result_rows *rows, char *text)
{
    WEIR_GROW(rows->rows, rows->capacity, rows->count + 1);
    rows->rows[rows->count++] = text;
}

static inline void take_row_back(result_rows *rows, char *text, const char *kind)
{
    size_t at = rows->count;
    while (at > 0 && strcmp(rows->rows[at - 1], text) != 0) {
        at--;
    }
    if (at == 0) {
        fail_msg("a row is taken back that is not there: %s %s", kind, text);
    }
    free(rows->rows[at - 1]);
    rows->rows[at - 1] = rows->rows[--rows->count];
    free(text);
}

static inline void check_pair(const weir_batch *batch, int64_t row)
{
    int8_t before = row == 0 ? (int8_t)WEIR_INSERT : weir_batch_kind(batch, row - 1);
    int8_t kind = weir_batch_kind(batch, row);
    int8_t after = row + 1 == batch->length ? (int8_t)WEIR_INSERT : weir_batch_kind(batch, row + 1);
    if ((kind == WEIR_UPDATE_BEFORE && after != WEIR_UPDATE_AFTER) ||
        (kind == WEIR_UPDATE_AFTER && before != WEIR_UPDATE_BEFORE)) {
        fail_msg("half an update: %s", row_text(batch, row));
    }
}

static inline int take_changes(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    result_rows *rows = (result_rows *)self;
    (void)err;
    for (int64_t row = 0; row < batch->length; row++) {
        char *text = row_text(batch, row);
        int8_t kind = weir_batch_kind(batch, row);
        weir_buffer_append_format(&rows->changes, "%s %s\n", weir_row_kind_text(kind), text);
        check_pair(batch, row);
        if (weir_row_kind_is_retract(kind)) {
            take_row_back(rows, text, weir_row_kind_text(kind));
        } else {
            add_row(rows, text);
        }
    }
    return WEIR_OK;
}

static inline void keep_open(weir_stream_sink *self) { (void)self; }

static inline void free_rows(result_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->rows[i]);
    }
    free(rows->rows);
    weir_buffer_free(&rows->changes);
    *rows = (result_rows){0};
}

/* --- The query ------------------------------------------------------------------------------------------------- */

typedef struct stream_query {
    changing_table *tables[4];
    int32_t table_count;
    memory_resolver resolver;
    weir_sql_engine *engine;
    weir_state_backend *state;
    const char *text;
    weir_bound *bound;
    weir_graph *graph;
    weir_map uids;
    _Atomic int64_t late_rows;
    result_rows result;
} stream_query;

/* Queries of the engine see rows, streams see changes. */
static inline void set_tables(stream_query *query, bool streaming)
{
    for (int32_t i = 0; i < query->table_count; i++) {
        query->tables[i]->memory.table.has_row_kinds = streaming && !query->tables[i]->only_inserts;
    }
}

/* NULL when it is refused. */
static inline weir_bound *bind_text(stream_query *query, const char *text, bool streaming, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement;
    weir_bound *bound = NULL;
    weir_bind_context context = {.resolver = &query->resolver.resolver, .streaming = streaming};
    weir_arena_init(&arena);
    set_tables(query, streaming);
    for (int32_t i = 0; i < query->table_count; i++) {
        query->tables[i]->memory.table.open_stream = changing_open;
        query->resolver.tables[i] = &query->tables[i]->memory;
    }
    query->resolver.resolver.resolve = memory_resolve;
    check_code(weir_parse_statement(text, &arena, &statement, err), err);
    int code = weir_bind_query(&context, statement->query, &bound, err);
    weir_arena_free(&arena);
    return code == WEIR_OK ? bound : NULL;
}

static inline int64_t clock_at_zero(void) { return 0; }

/* Makes the query's operators over query->state. */
static inline void build_graph(stream_query *query)
{
    weir_error err = {0};
    query->result.sink = (weir_stream_sink){.write = take_changes, .close = keep_open, .takes = WEIR_SINK_ALL};
    weir_operator_context context = {.engine = query->engine,
                                     .state = query->state,
                                     .time_zone = "UTC",
                                     .clock_ms = clock_at_zero,
                                     .late_rows = &query->late_rows};
    set_tables(query, true);
    check_code(weir_graph_create(&context, query->bound, &query->result.sink, &query->uids, &query->graph, &err), &err);
}

/* `folder`: of the state; NULL: in memory alone. The tables are set before. */
static inline void start_query(stream_query *query, const char *text, const char *folder)
{
    weir_error err = {0};
    weir_sql_engine_options options = {.threads = 1};
    weir_state_backend_options state = {.folder = folder};
    query->text = text;
    check_code(weir_sql_engine_create(&options, &query->engine, &err), &err);
    check_code(weir_state_backend_open(&state, &query->state, &err), &err);
    query->bound = bind_text(query, text, true, &err);
    if (query->bound == NULL) {
        fail_msg("%s\n%s", text, err.message);
    }
    build_graph(query);
}

static inline void stop_query(stream_query *query)
{
    weir_graph_free(query->graph);
    weir_map_free(&query->uids);
    weir_bound_free(query->bound);
    weir_state_backend_close(query->state);
    weir_sql_engine_free(query->engine);
    free_rows(&query->result);
}

/* A checkpoint, then everything again from the folder; sources go on where they were. */
static inline void restart_query(stream_query *query, const char *folder, int64_t checkpoint)
{
    weir_error err = {0};
    int64_t given[16];
    int32_t count;
    weir_graph_source *sources = weir_graph_sources(query->graph, &count);
    for (int32_t i = 0; i < count; i++) {
        given[i] = ((changing_source *)sources[i].source)->given;
    }
    check_code(weir_graph_barrier(query->graph, &err), &err);
    check_code(weir_state_backend_checkpoint(query->state, checkpoint, &err), &err);
    weir_graph_free(query->graph);
    weir_map_free(&query->uids);
    query->uids = (weir_map){0};
    weir_state_backend_close(query->state);
    weir_state_backend_options state = {.folder = folder};
    check_code(weir_state_backend_open(&state, &query->state, &err), &err);
    build_graph(query);
    sources = weir_graph_sources(query->graph, &count);
    for (int32_t i = 0; i < count; i++) {
        ((changing_source *)sources[i].source)->given = given[i];
    }
}

static inline int32_t count_query_sources(stream_query *query)
{
    int32_t count;
    weir_graph_sources(query->graph, &count);
    return count;
}

/* Gives what one of the sources has. */
static inline void pull_source(stream_query *query, int32_t number)
{
    weir_error err = {0};
    int32_t count;
    weir_graph_source *source = weir_graph_sources(query->graph, &count) + number;
    if (source->source->next(source->source, &source->batch, &err) == WEIR_OK) {
        check_code(weir_operator_process(source->output.to, source->output.input, &source->batch, &err), &err);
    }
}

static inline void pull_all(stream_query *query)
{
    for (int32_t i = 0; i < count_query_sources(query); i++) {
        pull_source(query, i);
    }
}

/* All sources have ended. */
static inline void end_all(stream_query *query)
{
    weir_error err = {0};
    int32_t count;
    weir_graph_source *sources = weir_graph_sources(query->graph, &count);
    for (int32_t i = 0; i < count; i++) {
        check_code(weir_operator_watermark(sources[i].output.to, sources[i].output.input, WEIR_WATERMARK_END, &err),
                   &err);
    }
}

static inline void read_batch_rows(stream_query *query, result_rows *out)
{
    weir_error err = {0};
    weir_bound *bound = bind_text(query, query->text, false, &err);
    weir_sql_result *result;
    int32_t count;
    weir_batch batch;
    check_code(weir_sql_query_start(query->engine, bound, &result, &err), &err);
    const weir_field *fields = weir_sql_result_fields(result, &count);
    weir_batch_init(&batch, fields, count);
    int code;
    while ((code = weir_sql_result_next(result, &batch, &err)) == WEIR_OK) {
        for (int64_t row = 0; row < batch.length; row++) {
            add_row(out, row_text(&batch, row));
        }
    }
    check_code(code == WEIR_END ? WEIR_OK : code, &err);
    weir_batch_free(&batch);
    weir_sql_result_free(result);
    weir_bound_free(bound);
}

static inline void print_rows(const char *title, const result_rows *rows)
{
    print_error("%s\n", title);
    for (size_t i = 0; i < rows->count; i++) {
        print_error("  %s\n", rows->rows[i]);
    }
}

/* What the stream's changes add up to is what the query gives over the tables as they are. */
static inline void check_same(stream_query *query)
{
    result_rows expected = {0}, *result = &query->result;
    read_batch_rows(query, &expected);
    if (expected.count > 0 && result->count > 0) {
        qsort(expected.rows, expected.count, sizeof *expected.rows, compare_texts);
        qsort(result->rows, result->count, sizeof *result->rows, compare_texts);
    }
    bool same = expected.count == result->count;
    for (size_t i = 0; same && i < expected.count; i++) {
        same = strcmp(expected.rows[i], result->rows[i]) == 0;
    }
    if (!same) {
        print_rows("the stream has", result);
        print_rows("the query gives", &expected);
        print_error("changes were\n%s", weir_buffer_text(&result->changes));
        fail_msg("%s", query->text);
    }
    free_rows(&expected);
}

#endif
