/* Tables of connectors for queries: one split, the source's batches with the columns asked for. */
#include <stdlib.h>

#include "base/clock.h"
#include "session/sql_table.h"

#define IDLE_SLEEP_MS 5

typedef struct connector_scan {
    weir_sql_scan base; /* first */
    weir_session_table *table;
    weir_arena arena;
    weir_source *source;
    const weir_field *fields; /* the physical columns, then the metadata columns */
    int32_t field_count;
    int32_t *sources; /* of each column asked for: its place among the fields */
    int32_t column_count;
} connector_scan;

typedef struct connector_split {
    weir_sql_split base; /* first */
    const connector_scan *scan;
    weir_batch inner;
} connector_split;

/* Who feeds a sink looks after idle sources itself; a query can only wait for rows that are due later. */
static int next_inner(connector_split *split, weir_error *err)
{
    const weir_session *session = split->scan->table->session;
    weir_source *source = split->scan->source;
    int code;
    while ((code = source->next(source, &split->inner, err)) == WEIR_IDLE && !session->streaming_input) {
        WEIR_TRY(weir_session_check_cancelled(session, err));
        weir_sleep_ms(IDLE_SLEEP_MS);
    }
    return code;
}

static int next_batch(weir_sql_split *self, weir_batch *out, weir_error *err)
{
    connector_split *split = (connector_split *)self;
    WEIR_TRY(next_inner(split, err));
    weir_batch_clear(out);
    for (int32_t i = 0; i < split->scan->column_count; i++) {
        weir_vector column = out->columns[i];
        out->columns[i] = split->inner.columns[split->scan->sources[i]];
        split->inner.columns[split->scan->sources[i]] = column;
    }
    out->length = split->inner.length;
    if (split->inner.kinds != NULL && out->length > 0) {
        weir_batch_reserve_kinds(out, out->length);
        memcpy(out->kinds, split->inner.kinds, (size_t)out->length);
    }
    return WEIR_OK;
}

static void close_split(weir_sql_split *self)
{
    connector_split *split = (connector_split *)self;
    weir_batch_free(&split->inner);
    free(split);
}

static int open_split(weir_sql_scan *self, int64_t number, weir_sql_split **out, weir_error *err)
{
    const connector_scan *scan = (const connector_scan *)self;
    (void)number;
    (void)err;
    connector_split *split = weir_alloc_zeroed(1, sizeof *split);
    split->base.next = next_batch;
    split->base.close = close_split;
    split->scan = scan;
    weir_batch_init(&split->inner, scan->fields, scan->field_count);
    *out = &split->base;
    return WEIR_OK;
}

static void close_scan(weir_sql_scan *self)
{
    connector_scan *scan = (connector_scan *)self;
    if (scan->source != NULL) {
        scan->source->close(scan->source);
        scan->table->source = NULL;
    }
    weir_arena_free(&scan->arena);
    free(scan);
}

/* Positions of the request count all columns, those of fields the physical ones and then the metadata columns. */
static void map_columns(connector_scan *scan, const weir_scan_request *request)
{
    const weir_sql_table *table = &scan->table->base;
    int32_t *places = WEIR_NEW_ARRAY(&scan->arena, int32_t, table->column_count);
    int32_t next = 0;
    for (int32_t i = 0; i < table->column_count; i++) {
        places[i] = table->columns[i].kind == WEIR_SQL_PHYSICAL_COLUMN ? next++ : -1;
    }
    for (int32_t i = 0; i < table->column_count; i++) {
        places[i] = table->columns[i].kind == WEIR_SQL_METADATA_COLUMN ? next++ : places[i];
    }
    scan->sources = WEIR_NEW_ARRAY(&scan->arena, int32_t, request->column_count);
    scan->column_count = request->column_count;
    for (int32_t i = 0; i < request->column_count; i++) {
        scan->sources[i] = places[request->columns[i]];
    }
}

static int open_source(connector_scan *scan, weir_error *err)
{
    weir_session_table *table = scan->table;
    const weir_description *description = &table->description;
    int32_t physical = 0;
    int32_t metadata = 0;
    const weir_field *fields = weir_description_fields(description, &scan->arena, &physical);
    const weir_field *known = weir_description_metadata(description, &scan->arena, &metadata);
    weir_field *all = WEIR_NEW_ARRAY(&scan->arena, weir_field, physical + metadata);
    memcpy(all, fields, (size_t)physical * sizeof *all);
    memcpy(all + physical, known, (size_t)metadata * sizeof *all);
    scan->fields = all;
    scan->field_count = physical + metadata;
    weir_source_options options = {
        .options = &table->options,
        .fields = fields,
        .field_count = physical,
        .metadata = known,
        .metadata_count = metadata,
        .partition_keys = weir_description_names(description, description->columns.partition_keys,
                                                 description->columns.partition_key_count, &scan->arena),
        .partition_key_count = description->columns.partition_key_count,
        .primary_keys = weir_description_names(description, description->columns.primary_key,
                                               description->columns.primary_key_count, &scan->arena),
        .primary_key_count = description->columns.primary_key_count,
        .time_zone = weir_session_setting(table->session, "table.local-time-zone"),
        .budget = &table->session->memory.sources,
        .batch_rows = table->session->batch_rows,
    };
    WEIR_TRY(weir_source_open(&options, &scan->source, err));
    table->source = scan->source;
    return WEIR_OK;
}

static int open_scan(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err)
{
    weir_session_table *table = self->owner;
    connector_scan *scan = weir_alloc_zeroed(1, sizeof *scan);
    scan->table = table;
    weir_arena_init(&scan->arena);
    scan->base.split_count = 1;
    scan->base.estimated_rows = -1;
    scan->base.open_split = open_split;
    scan->base.close = close_scan;
    map_columns(scan, request);
    int code = open_source(scan, err);
    if (code == WEIR_OK && !scan->source->is_bounded && !table->session->streaming_input && request->limit < 0) {
        code = weir_fail(err, WEIR_UNSUPPORTED,
                         "table '%s' never ends, and so would this query; limit the rows of its source, or write it to "
                         "a table with INSERT INTO",
                         self->name);
    }
    if (code != WEIR_OK) {
        close_scan(&scan->base);
        return weir_error_at(err, code, table->position);
    }
    *out = &scan->base;
    return WEIR_OK;
}

static void close_table(weir_sql_table *self)
{
    weir_session_table *table = self->owner;
    weir_arena_free(&table->arena);
    free(table);
}

/* The options that say where the rows come from. */
static int describe(weir_sql_table *self, const weir_scan_request *request, weir_buffer *out, int64_t *out_rows,
                    weir_error *err)
{
    static const char *const keys[] = {"connector", "path", "format"};
    const weir_session_table *table = self->owner;
    (void)request;
    (void)err;
    *out_rows = -1;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = weir_options_get(&table->options, keys[i]);
        if (value != NULL) {
            weir_buffer_append_format(out, "%s'%s' = '%s'", i > 0 ? ", " : "", keys[i], value);
        }
    }
    weir_buffer_append_byte(out, '\n');
    return WEIR_OK;
}

int weir_connector_table_open(weir_session *session, const weir_object_path *path, const weir_description *description,
                              const weir_options *hints, weir_session_table **out, weir_error *err)
{
    weir_session_table *table = weir_session_table_new(session, WEIR_SESSION_CONNECTOR_TABLE, path);
    table->base.open = open_scan;
    table->base.describe = describe;
    table->base.close = close_table;
    table->description = *description; /* the definition outlives the statement */
    weir_options_merge(&table->arena, &description->options, hints, &table->options);
    if (hints->count > 0) {
        int32_t count = 0;
        const weir_field *fields = weir_description_fields(description, &table->arena, &count);
        int code = weir_connector_check(&table->options, fields, count, err);
        if (code != WEIR_OK) {
            close_table(&table->base);
            return weir_error_at(err, code, path->position);
        }
    }
    table->base.has_row_kinds = weir_source_gives_changes(&table->options);
    weir_session_table_set_columns(table);
    *out = table;
    return WEIR_OK;
}
