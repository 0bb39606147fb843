/* Queries as streams over tables in memory, for tests of operators: changes go in, changes come out.
 *
 *   harness *h = harness_open();
 *   harness_table *orders = harness_add(h, "orders", "id INT NOT NULL, item STRING", HARNESS_CHANGES);
 *   harness_start(h, "SELECT item, COUNT(*) FROM orders GROUP BY item");
 *   harness_push(orders, "+I [1, 'apple'] +I [2, 'pear']");      // one batch; JSON with single quotes
 *   harness_check(h, "+I ['apple', 1] +I ['pear', 1]");          // what has come out since the last check
 *   harness_push(orders, "-D [1, 'apple']");
 *   harness_check(h, "-D ['apple', 1]");
 *   harness_check_rows(h, "['pear', 1]");                        // the result as it is now, its rows sorted
 *   harness_close(h);
 *
 * The sink applies the changes strictly: a row that is retracted and was not there, or an update whose halves are
 * apart, fails the test. harness_end() ends all tables (and their watermarks), harness_tick() gives the clock,
 * harness_restart() checkpoints, closes everything and goes on from the state, which then must lie in a folder
 * (harness_set_folder before the start). Keys and watermarks of tables: harness_set_key, harness_set_watermark. What a
 * query is refused with: harness_refusal. */
#ifndef WEIR_TESTS_STREAM_HARNESS_H
#define WEIR_TESTS_STREAM_HARNESS_H

#include <pthread.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "sql/sql.h"
#include "stream/stream.h"
#include "vector/literal.h"

static inline void harness_ok(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s (line %d, column %d)", err->message, err->line, err->column);
    }
}

/* --- Rows as text ---------------------------------------------------------------------------------------------- */

/* Appends the rows of a text such as "+I [1, 'a'] -D [2, null]" to a batch. */
static inline void harness_read_rows(const char *text, weir_batch *out)
{
    weir_error err = {0};
    char *json = weir_strdup(text);
    for (char *c = json; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    for (const char *at = json + strspn(json, " \n;"); *at != '\0'; at += strspn(at, " \n;")) {
        static const char kinds[][3] = {"+I", "-U", "+U", "-D"};
        int8_t kind = 0;
        while (kind < 4 && strncmp(at, kinds[kind], 2) != 0) {
            kind++;
        }
        at += 2 + strspn(at + 2, " ");
        json_error_t reason;
        json_t *row = kind < 4 ? json_loads(at, JSON_DISABLE_EOF_CHECK, &reason) : NULL;
        if (row == NULL || json_array_size(row) != (size_t)out->column_count) {
            fail_msg("not a kind and %d values: %s", out->column_count, at);
        }
        for (int32_t i = 0; i < out->column_count; i++) {
            harness_ok(weir_vector_append_json(&out->columns[i], json_array_get(row, (size_t)i), &err), &err);
        }
        weir_batch_reserve_kinds(out, out->length + 1);
        out->kinds[out->length++] = kind;
        at += reason.position;
        json_decref(row);
    }
    free(json);
}

/* Appends the values of a row as "[1, 'a']". */
static inline void harness_write_row(const weir_batch *batch, int64_t row, weir_buffer *out)
{
    size_t start = out->size;
    for (int32_t i = 0; i < batch->column_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "[" : ", ");
        weir_value_to_json(&batch->columns[i], row, out);
    }
    weir_buffer_append_text(out, batch->column_count == 0 ? "[]" : "]");
    for (size_t i = start; i < out->size; i++) {
        out->data[i] = out->data[i] == '"' ? '\'' : out->data[i];
    }
}

static inline void harness_write_change(const weir_batch *batch, int64_t row, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s%s ", out->size == 0 ? "" : " ", weir_row_kind_text(weir_batch_kind(batch, row)));
    harness_write_row(batch, row, out);
}

/* --- Tables ---------------------------------------------------------------------------------------------------- */

typedef enum harness_changes {
    HARNESS_INSERTS,
    HARNESS_CHANGES, /* -U before each +U */
    HARNESS_UPSERTS  /* by the key */
} harness_changes;

typedef struct harness harness;

/* A table whose batches are pushed by the test, from any thread. They stay, so that a source can be set back. */
typedef struct harness_table {
    weir_sql_table table;
    harness *owner; /* NULL: pushing only adds to the batches */
    weir_arena arena;
    const weir_type *row;
    pthread_mutex_t mutex;
    weir_batch *batches;
    int32_t batch_count;
    bool bounded; /* once the batches are through, it has ended */
    bool ended;
    int64_t poll_interval_ms;
    int fail_position; /* position() fails once this has counted down to 0 */
    int fail_committed;
    int32_t committed_batches; /* that a complete checkpoint has */
    int32_t given;             /* of the last source that was opened */
} harness_table;

typedef struct harness_source {
    weir_stream_source source;
    harness_table *table;
    int32_t *columns;
    int32_t column_count;
    int32_t next;
} harness_source;

static inline int harness_source_next(weir_stream_source *self, weir_batch *out, weir_error *err)
{
    harness_source *source = (harness_source *)self;
    harness_table *table = source->table;
    int code = WEIR_OK;
    weir_batch_clear(out);
    pthread_mutex_lock(&table->mutex);
    if (source->next == table->batch_count) {
        code = table->ended ? WEIR_END : WEIR_IDLE;
    } else {
        const weir_batch *batch = &table->batches[source->next++];
        for (int32_t i = 0; i < source->column_count; i++) {
            weir_vector_append_range(&out->columns[i], &batch->columns[source->columns[i]], 0, batch->length, err);
        }
        if (table->table.has_row_kinds) {
            weir_batch_reserve_kinds(out, batch->length);
            memcpy(out->kinds, batch->kinds, (size_t)batch->length);
        }
        out->length = batch->length;
        table->given = source->next;
    }
    pthread_mutex_unlock(&table->mutex);
    return code;
}

static inline int harness_source_position(weir_stream_source *self, weir_buffer *out, weir_error *err)
{
    harness_source *source = (harness_source *)self;
    if (source->table->fail_position > 0 && --source->table->fail_position == 0) {
        return weir_fail(err, WEIR_IO, "the position can't be told");
    }
    weir_buffer_append(out, &source->next, sizeof source->next);
    return WEIR_OK;
}

static inline int harness_source_restore(weir_stream_source *self, weir_slice position, weir_error *err)
{
    harness_source *source = (harness_source *)self;
    (void)err;
    memcpy(&source->next, position.data, sizeof source->next);
    return WEIR_OK;
}

static inline int harness_source_committed(weir_stream_source *self, weir_slice position, weir_error *err)
{
    harness_source *source = (harness_source *)self;
    if (source->table->fail_committed > 0 && --source->table->fail_committed == 0) {
        return weir_fail(err, WEIR_IO, "nobody can be told");
    }
    memcpy(&source->table->committed_batches, position.data, sizeof source->table->committed_batches);
    return WEIR_OK;
}

static inline void harness_source_close(weir_stream_source *self)
{
    free(((harness_source *)self)->columns);
    free(self);
}

static inline int harness_open_stream(weir_sql_table *self, const weir_scan_request *request, weir_stream_source **out,
                                      weir_error *err)
{
    harness_source *source = weir_alloc_zeroed(1, sizeof *source);
    (void)err;
    source->table = self->owner;
    source->source = (weir_stream_source){.next = harness_source_next,
                                          .position = harness_source_position,
                                          .restore = harness_source_restore,
                                          .committed = harness_source_committed,
                                          .close = harness_source_close,
                                          .is_bounded = source->table->bounded,
                                          .poll_interval_ms = source->table->poll_interval_ms,
                                          .description = self->name,
                                          .identity = self->name};
    source->columns = weir_alloc_zeroed((size_t)request->column_count + 1, sizeof *source->columns);
    source->column_count = request->column_count;
    for (int32_t i = 0; i < request->column_count; i++) {
        source->columns[i] = request->columns[i];
    }
    *out = &source->source;
    return WEIR_OK;
}

/* `columns` such as "id INT NOT NULL, name STRING". */
static inline harness_table *harness_table_new(const char *name, const char *columns, harness_changes changes)
{
    weir_error err = {0};
    harness_table *table = weir_alloc_zeroed(1, sizeof *table);
    weir_arena_init(&table->arena);
    pthread_mutex_init(&table->mutex, NULL);
    harness_ok(weir_parse_type(weir_arena_format(&table->arena, "ROW<%s>", columns), &table->arena, &table->row, &err),
               &err);
    weir_sql_column *list = WEIR_NEW_ARRAY(&table->arena, weir_sql_column, table->row->field_count);
    for (int32_t i = 0; i < table->row->field_count; i++) {
        list[i] = (weir_sql_column){.name = table->row->fields[i].name, .type = table->row->fields[i].type};
    }
    table->table = (weir_sql_table){.catalog = "default_catalog",
                                    .database = "default_database",
                                    .name = weir_arena_strdup(&table->arena, name),
                                    .columns = list,
                                    .column_count = table->row->field_count,
                                    .has_row_kinds = changes != HARNESS_INSERTS,
                                    .has_upserts = changes == HARNESS_UPSERTS,
                                    .unbounded = true,
                                    .watermark_column = -1,
                                    .owner = table,
                                    .open_stream = harness_open_stream};
    return table;
}

static inline void harness_table_free(harness_table *table)
{
    for (int32_t i = 0; i < table->batch_count; i++) {
        weir_batch_free(&table->batches[i]);
    }
    free(table->batches);
    pthread_mutex_destroy(&table->mutex);
    weir_arena_free(&table->arena);
    free(table);
}

static inline int32_t harness_column(const harness_table *table, const char *name, size_t size)
{
    int32_t i = 0;
    while (i < table->table.column_count &&
           (strlen(table->table.columns[i].name) != size || memcmp(table->table.columns[i].name, name, size) != 0)) {
        i++;
    }
    return i;
}

/* `names` such as "id, day". */
static inline void harness_set_key(harness_table *table, const char *names)
{
    int32_t *key = WEIR_NEW_ARRAY(&table->arena, int32_t, table->table.column_count);
    for (const char *at = names; *at != '\0'; at += strspn(at, ", ")) {
        size_t size = strcspn(at, ", ");
        key[table->table.primary_key_count++] = harness_column(table, at, size);
        at += size;
    }
    table->table.primary_key = key;
}

/* WATERMARK FOR column AS expression. */
static inline void harness_set_watermark(harness_table *table, const char *column, const char *expression)
{
    table->table.watermark_column = harness_column(table, column, strlen(column));
    table->table.watermark_expression = weir_arena_strdup(&table->arena, expression);
}

static inline void harness_table_add(harness_table *table, const char *rows)
{
    weir_batch batch;
    weir_batch_init(&batch, table->row->fields, table->row->field_count);
    harness_read_rows(rows, &batch);
    pthread_mutex_lock(&table->mutex);
    table->batches = weir_realloc(table->batches, sizeof *table->batches * (size_t)(table->batch_count + 1));
    table->batches[table->batch_count++] = batch;
    pthread_mutex_unlock(&table->mutex);
}

/* Resolves tables of a list by their last name. */
typedef struct harness_resolver {
    weir_resolver resolver;
    harness_table *tables[16];
    int32_t table_count;
} harness_resolver;

static inline int harness_resolve(weir_resolver *self, const weir_ast_name *name, const weir_ast_options *hints,
                                  weir_arena *arena, weir_sql_table **out, const char **out_view, weir_error *err)
{
    harness_resolver *resolver = (harness_resolver *)self;
    const char *last = name->parts[name->count - 1].text;
    (void)arena;
    (void)hints;
    (void)out_view;
    for (int32_t i = 0; i < resolver->table_count; i++) {
        if (strcmp(resolver->tables[i]->table.name, last) == 0) {
            *out = &resolver->tables[i]->table;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_NOT_FOUND, "table '%s' does not exist", last);
}

/* --- What comes out -------------------------------------------------------------------------------------------- */

/* Rows as texts, as often as they are there. */
typedef struct harness_rows {
    char **items;
    int32_t count;
} harness_rows;

static inline int32_t harness_rows_find(const harness_rows *rows, const char *text)
{
    int32_t i = rows->count - 1;
    while (i >= 0 && strcmp(rows->items[i], text) != 0) {
        i--;
    }
    return i;
}

static inline void harness_rows_free(harness_rows *rows)
{
    for (int32_t i = 0; i < rows->count; i++) {
        free(rows->items[i]);
    }
    free(rows->items);
    *rows = (harness_rows){0};
}

/* Applies a change strictly; WEIR_INVALID when it can't be. */
static inline int harness_rows_apply(harness_rows *rows, int8_t kind, const char *text, weir_error *err)
{
    if (!weir_row_kind_is_retract(kind)) {
        rows->items = weir_realloc(rows->items, sizeof *rows->items * (size_t)(rows->count + 1));
        rows->items[rows->count++] = weir_strdup(text);
        return WEIR_OK;
    }
    int32_t at = harness_rows_find(rows, text);
    if (at < 0) {
        return weir_fail(err, WEIR_INVALID, "%s retracts a row that is not there: %s", weir_row_kind_text(kind), text);
    }
    free(rows->items[at]);
    rows->items[at] = rows->items[--rows->count];
    return WEIR_OK;
}

/* Halves of updates stand together, the old one first. */
static inline int harness_check_pairs(const weir_batch *batch, weir_error *err)
{
    for (int64_t i = 0; i < batch->length; i++) {
        int8_t kind = weir_batch_kind(batch, i);
        bool paired = true;
        if (kind == WEIR_UPDATE_BEFORE) {
            paired = i + 1 < batch->length && weir_batch_kind(batch, i + 1) == WEIR_UPDATE_AFTER;
        } else if (kind == WEIR_UPDATE_AFTER) {
            paired = i > 0 && weir_batch_kind(batch, i - 1) == WEIR_UPDATE_BEFORE;
        }
        if (!paired) {
            return weir_fail(err, WEIR_INVALID, "row %d of a batch, %s, has not its other half beside it", (int)i,
                             weir_row_kind_text(kind));
        }
    }
    return WEIR_OK;
}

static inline int harness_compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void harness_rows_text(harness_rows *rows, weir_buffer *out)
{
    if (rows->count > 0) {
        qsort(rows->items, (size_t)rows->count, sizeof *rows->items, harness_compare_texts);
    }
    weir_buffer_clear(out);
    for (int32_t i = 0; i < rows->count; i++) {
        weir_buffer_append_format(out, "%s%s", i == 0 ? "" : " ", rows->items[i]);
    }
}

/* --- A query --------------------------------------------------------------------------------------------------- */

typedef struct harness_sink {
    weir_stream_sink sink;
    harness *owner;
} harness_sink;

struct harness {
    harness_resolver resolver;
    weir_bind_context bind;
    weir_sql_engine *engine;
    weir_state_backend *state;
    char *folder; /* NULL: state in memory */
    _Atomic int64_t late_rows;
    weir_operator_context context;
    char *query;
    weir_bound *bound;
    weir_sql_table result; /* what the query is inserted into */
    weir_graph *graph;
    weir_map uids;
    weir_buffer changes;
    harness_rows rows;
    bool upserts;                 /* the result is upserts by a key: they are not applied strictly */
    weir_sink_changes sink_takes; /* harness_open: ALL */
    int32_t sink_key[4];
    int32_t sink_key_count;
};

/* Processing time, which a test sets by harness_tick. */
static int64_t harness_now_ms = 1000;
static inline int64_t harness_clock(void) { return harness_now_ms; }

static inline int harness_write(weir_stream_sink *self, const weir_batch *batch, weir_error *err)
{
    harness *h = ((harness_sink *)self)->owner;
    weir_buffer row = {0};
    int code = h->upserts ? WEIR_OK : harness_check_pairs(batch, err);
    for (int64_t i = 0; i < batch->length && code == WEIR_OK; i++) {
        harness_write_change(batch, i, &h->changes);
        weir_buffer_clear(&row);
        harness_write_row(batch, i, &row);
        if (!h->upserts) {
            code = harness_rows_apply(&h->rows, weir_batch_kind(batch, i), weir_buffer_text(&row), err);
        }
    }
    weir_buffer_free(&row);
    return code;
}

static inline void harness_close_sink(weir_stream_sink *self) { free(self); }

static inline harness *harness_open(void)
{
    weir_error err = {0};
    harness *h = weir_alloc_zeroed(1, sizeof *h);
    h->resolver.resolver.resolve = harness_resolve;
    h->bind = (weir_bind_context){.resolver = &h->resolver.resolver, .streaming = true};
    h->sink_takes = WEIR_SINK_ALL;
    const weir_sql_engine_options options = {.threads = 1};
    harness_ok(weir_sql_engine_create(&options, &h->engine, &err), &err);
    return h;
}

static inline harness_table *harness_add(harness *h, const char *name, const char *columns, harness_changes changes)
{
    harness_table *table = harness_table_new(name, columns, changes);
    table->owner = h;
    h->resolver.tables[h->resolver.table_count++] = table;
    return table;
}

static inline void harness_set_folder(harness *h, const char *folder) { h->folder = weir_strdup(folder); }

static inline int harness_bind(harness *h, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement;
    weir_arena_init(&arena);
    int code = weir_parse_statement(h->query, &arena, &statement, err);
    code = code == WEIR_OK ? weir_bind_query(&h->bind, statement->query, &h->bound, err) : code;
    weir_arena_free(&arena);
    if (code != WEIR_OK) {
        return code;
    }
    const weir_plan *plan = h->bound->plan;
    weir_sql_column *columns = WEIR_NEW_ARRAY(&h->bound->arena, weir_sql_column, plan->field_count + 1);
    int32_t *places = WEIR_NEW_ARRAY(&h->bound->arena, int32_t, plan->field_count + 1);
    bool *assigned = WEIR_NEW_ARRAY(&h->bound->arena, bool, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        columns[i] = (weir_sql_column){.name = plan->fields[i].name, .type = plan->fields[i].type};
        places[i] = i;
        assigned[i] = true;
    }
    h->result = (weir_sql_table){.catalog = "default_catalog",
                                 .database = "default_database",
                                 .name = "result",
                                 .columns = columns,
                                 .column_count = plan->field_count};
    h->bound->sink = &h->result;
    h->bound->sink_columns = places;
    h->bound->assigned = assigned;
    h->bound->sink_column_count = plan->field_count;
    return WEIR_OK;
}

static inline int harness_build(harness *h, weir_error *err)
{
    const weir_state_backend_options options = {.folder = h->folder};
    WEIR_TRY(weir_state_backend_open(&options, &h->state, err));
    weir_state_backend_set_time(h->state, harness_now_ms);
    h->context.engine = h->engine;
    h->context.state = h->state;
    h->context.time_zone = h->bind.time_zone == NULL ? "UTC" : h->bind.time_zone;
    h->context.clock_ms = harness_clock;
    h->context.late_rows = &h->late_rows;
    harness_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->sink = (weir_stream_sink){.write = harness_write,
                                    .close = harness_close_sink,
                                    .takes = h->sink_takes,
                                    .key = h->sink_key_count > 0 ? h->sink_key : NULL,
                                    .key_count = h->sink_key_count};
    sink->owner = h;
    return weir_graph_create(&h->context, h->bound, &sink->sink, &h->uids, &h->graph, err);
}

/* Makes the query's graph. Before it, h->bind.time_zone and h->context.state_ttl_ms may be set. */
static inline void harness_start(harness *h, const char *query)
{
    weir_error err = {0};
    h->query = weir_strdup(query);
    harness_ok(harness_bind(h, &err), &err);
    harness_ok(harness_build(h, &err), &err);
}

/* Asks all sources until none has anything. */
static inline int harness_pump(harness *h, weir_error *err)
{
    int32_t count;
    weir_graph_source *sources = weir_graph_sources(h->graph, &count);
    for (bool gave = true; gave;) {
        gave = false;
        for (int32_t i = 0; i < count; i++) {
            weir_graph_source *source = &sources[i];
            int code = source->ended ? WEIR_IDLE : source->source->next(source->source, &source->batch, err);
            if (code == WEIR_END) {
                source->ended = true;
                code = weir_operator_watermark(source->output.to, source->output.input, WEIR_WATERMARK_END, err);
            } else if (code == WEIR_OK) {
                code = weir_operator_process(source->output.to, source->output.input, &source->batch, err);
                gave = true;
            }
            if (code != WEIR_OK && code != WEIR_IDLE) {
                return code;
            }
        }
    }
    return WEIR_OK;
}

/* One batch; every change that follows from it is there afterwards. */
static inline void harness_push(harness_table *table, const char *rows)
{
    weir_error err = {0};
    harness_table_add(table, rows);
    harness_ok(harness_pump(table->owner, &err), &err);
}

static inline void harness_tick(harness *h, int64_t now_ms)
{
    weir_error err = {0};
    harness_now_ms = now_ms;
    weir_state_backend_set_time(h->state, now_ms);
    harness_ok(weir_graph_tick(h->graph, now_ms, &err), &err);
}

static inline void harness_end(harness *h)
{
    weir_error err = {0};
    for (int32_t i = 0; i < h->resolver.table_count; i++) {
        h->resolver.tables[i]->ended = true;
    }
    harness_ok(harness_pump(h, &err), &err);
}

static inline void harness_check(harness *h, const char *changes)
{
    if (strcmp(weir_buffer_text(&h->changes), changes) != 0) {
        fail_msg("%s\n  gives    %s\n  and not  %s", h->query, weir_buffer_text(&h->changes), changes);
    }
    weir_buffer_clear(&h->changes);
}

static inline void harness_check_rows(harness *h, const char *rows)
{
    weir_buffer text = {0};
    harness_rows_text(&h->rows, &text);
    if (strcmp(weir_buffer_text(&text), rows) != 0) {
        fail_msg("%s\n  holds    %s\n  and not  %s", h->query, weir_buffer_text(&text), rows);
    }
    weir_buffer_free(&text);
}

static inline void harness_take_down(harness *h)
{
    weir_graph_free(h->graph);
    if (h->state != NULL) {
        weir_state_backend_close(h->state);
    }
    weir_map_free(&h->uids);
    h->graph = NULL;
    h->state = NULL;
}

/* A checkpoint, and everything made anew over its state. */
static inline void harness_restart(harness *h)
{
    weir_error err = {0};
    int32_t count;
    weir_graph_source *sources = weir_graph_sources(h->graph, &count);
    weir_buffer *positions = weir_alloc_zeroed((size_t)count + 1, sizeof *positions);
    assert_non_null(h->folder);
    harness_ok(weir_graph_barrier(h->graph, &err), &err);
    for (int32_t i = 0; i < count; i++) {
        harness_ok(sources[i].source->position(sources[i].source, &positions[i], &err), &err);
    }
    harness_ok(weir_state_backend_checkpoint(h->state, weir_state_backend_last_checkpoint(h->state) + 1, &err), &err);
    harness_take_down(h);
    harness_ok(harness_build(h, &err), &err);
    sources = weir_graph_sources(h->graph, &count);
    for (int32_t i = 0; i < count; i++) {
        harness_ok(sources[i].source->restore(sources[i].source, weir_buffer_slice(&positions[i]), &err), &err);
        weir_buffer_free(&positions[i]);
    }
    free(positions);
}

static inline void harness_close(harness *h)
{
    harness_take_down(h);
    weir_bound_free(h->bound);
    for (int32_t i = 0; i < h->resolver.table_count; i++) {
        harness_table_free(h->resolver.tables[i]);
    }
    weir_sql_engine_free(h->engine);
    harness_rows_free(&h->rows);
    weir_buffer_free(&h->changes);
    free(h->folder);
    free(h->query);
    free(h);
}

/* What a query is refused with. */
static inline weir_error harness_refusal(harness *h, const char *query)
{
    weir_error err = {0};
    free(h->query);
    h->query = weir_strdup(query);
    int code = harness_bind(h, &err);
    if (code == WEIR_OK) {
        code = harness_build(h, &err);
        harness_take_down(h);
        weir_bound_free(h->bound);
        h->bound = NULL;
    }
    if (code == WEIR_OK) {
        fail_msg("%s is not refused", query);
    }
    return err;
}

#endif
