/* Tables of connectors: for queries one split, the source's batches with the columns asked for; for streams the source.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "session/table/sql_table.h"
#include "stream/source/connector_source.h"

#define IDLE_SLEEP_MS 5

typedef struct connector_scan {
    weir_sql_scan base; /* first */
    weir_session_table *table;
    weir_stream_source *source;
} connector_scan;

typedef struct connector_split {
    weir_sql_split base; /* first */
    const connector_scan *scan;
} connector_split;

/* ---- sources ---- */

/* Positions of the request count all columns, those of a source the physical ones and then the metadata columns. */
static const int32_t *map_columns(weir_session_table *table, const weir_scan_request *request)
{
    const weir_sql_table *base = &table->base;
    int32_t *places = WEIR_NEW_ARRAY(&table->arena, int32_t, base->column_count);
    int32_t *columns = WEIR_NEW_ARRAY(&table->arena, int32_t, request->column_count);
    int32_t next = 0;
    for (int32_t i = 0; i < base->column_count; i++) {
        places[i] = base->columns[i].kind == WEIR_SQL_PHYSICAL_COLUMN ? next++ : -1;
    }
    for (int32_t i = 0; i < base->column_count; i++) {
        places[i] = base->columns[i].kind == WEIR_SQL_METADATA_COLUMN ? next++ : places[i];
    }
    for (int32_t i = 0; i < request->column_count; i++) {
        columns[i] = places[request->columns[i]];
    }
    return columns;
}

/* What the source is opened with lives as long as the table. */
static int open_source(weir_session_table *table, const weir_scan_request *request, weir_stream_source **out,
                       weir_error *err)
{
    const weir_description *description = &table->description;
    const weir_bound_columns *columns = &description->columns;
    weir_arena *arena = &table->arena;
    weir_source_options *source = WEIR_NEW(arena, weir_source_options);
    *source = (weir_source_options){
        .options = &table->options,
        .partition_keys =
            weir_description_names(description, columns->partition_keys, columns->partition_key_count, arena),
        .partition_key_count = columns->partition_key_count,
        .primary_keys = weir_description_names(description, columns->primary_key, columns->primary_key_count, arena),
        .primary_key_count = columns->primary_key_count,
        .time_zone = weir_arena_strdup(arena, weir_session_setting(table->session, "table.local-time-zone")),
        .budget = &table->session->memory.sources,
        .batch_rows = table->session->batch_rows,
        .whole_changes = request->whole_changes,
    };
    source->fields = weir_description_fields(description, arena, &source->field_count);
    source->metadata = weir_description_metadata(description, arena, &source->metadata_count);
    weir_connector_source_options options = {
        .source = source,
        .columns = map_columns(table, request),
        .column_count = request->column_count,
        .description = table->base.name,
    };
    WEIR_TRY(weir_connector_source_open(&options, out, err));
    table->source = weir_connector_source_inner(*out);
    return WEIR_OK;
}

static int open_stream(weir_sql_table *self, const weir_scan_request *request, weir_stream_source **out,
                       weir_error *err)
{
    weir_session_table *table = self->owner;
    return weir_error_at(err, open_source(table, request, out, err), table->position);
}

/* ---- scans ---- */

/* A query can only wait for rows that are due later. */
static int next_batch(weir_sql_split *self, weir_batch *out, weir_error *err)
{
    const connector_scan *scan = ((connector_split *)self)->scan;
    const weir_session *session = scan->table->session;
    int code;
    while ((code = scan->source->next(scan->source, out, err)) == WEIR_IDLE) {
        WEIR_TRY(weir_session_check_cancelled(session, err));
        weir_sleep_ms(IDLE_SLEEP_MS);
    }
    return code;
}

static void close_split(weir_sql_split *self) { free(self); }

static int open_split(weir_sql_scan *self, int64_t number, weir_sql_split **out, weir_error *err)
{
    (void)number;
    (void)err;
    connector_split *split = weir_alloc_zeroed(1, sizeof *split);
    split->base.next = next_batch;
    split->base.close = close_split;
    split->scan = (const connector_scan *)self;
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
    free(scan);
}

static int open_scan(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err)
{
    weir_session_table *table = self->owner;
    connector_scan *scan = weir_alloc_zeroed(1, sizeof *scan);
    scan->table = table;
    scan->base.split_count = 1;
    scan->base.estimated_rows = -1;
    scan->base.open_split = open_split;
    scan->base.close = close_scan;
    int code = open_source(table, request, &scan->source, err);
    if (code == WEIR_OK && !scan->source->is_bounded && request->limit < 0) {
        code = weir_fail(err, WEIR_UNSUPPORTED,
                         "table '%s' never ends, and so would this query; limit the rows of its source, or write it to "
                         "a table with INSERT INTO in streaming mode (SET 'execution.runtime-mode' = 'streaming')",
                         self->name);
    }
    if (code != WEIR_OK) {
        close_scan(&scan->base);
        return weir_error_at(err, code, table->position);
    }
    *out = &scan->base;
    return WEIR_OK;
}

/* ---- tables ---- */

static void close_table(weir_sql_table *self)
{
    weir_session_table *table = self->owner;
    weir_definition_free(table->definition);
    weir_arena_free(&table->arena);
    free(table);
}

/* Names of files and numbers of rows, which positions hold, mean something only here. */
static const char *origin_of(weir_session_table *table)
{
    const char *connector = weir_options_get(&table->options, "connector");
    static const char *const keys[] = {"path", "topic", "topic-pattern"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = weir_options_get(&table->options, keys[i]);
        if (value != NULL) {
            return weir_arena_format(&table->arena, "%s '%s'", connector, value);
        }
    }
    const char *database = weir_options_get(&table->options, "database-name");
    const char *name = weir_options_get(&table->options, "table-name");
    return database != NULL && name != NULL ? weir_arena_format(&table->arena, "%s '%s.%s'", connector, database, name)
                                            : connector;
}

/* The options that say where the rows come from. */
static int describe(weir_sql_table *self, const weir_scan_request *request, weir_buffer *out, int64_t *out_rows,
                    weir_error *err)
{
    static const char *const keys[] = {"connector",    "path",     "topic",         "topic-pattern", "format",
                                       "value.format", "hostname", "database-name", "table-name"};
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

/* Changes that may come twice are made a changelog again by the table's key, as upserts are. */
static int set_duplicates(weir_session_table *table, const weir_object_path *path, weir_error *err)
{
    const weir_session *session = table->session;
    if (!session->streams || !table->base.has_row_kinds ||
        !weir_settings_bool(&session->settings, "table.exec.source.cdc-events-duplicate")) {
        return WEIR_OK;
    }
    if (table->base.primary_key_count == 0) {
        int code = weir_fail(err, WEIR_INVALID,
                             "Configuration 'table.exec.source.cdc-events-duplicate' is enabled which requires the "
                             "changelog sources to define a PRIMARY KEY. However, table '%s.%s.%s' doesn't have a "
                             "primary key.",
                             table->base.catalog, table->base.database, table->base.name);
        return weir_error_at(err, code, path->position);
    }
    table->base.has_upserts = true;
    return WEIR_OK;
}

int weir_connector_table_open(weir_session *session, const weir_object_path *path, weir_definition *definition,
                              const weir_options *hints, weir_session_table **out, weir_error *err)
{
    const weir_description *description = &definition->description;
    weir_session_table *table = weir_session_table_new(session, WEIR_SESSION_CONNECTOR_TABLE, path);
    table->base.open = open_scan;
    table->base.open_stream = open_stream;
    table->base.describe = describe;
    table->base.close = close_table;
    table->definition = weir_definition_keep(definition);
    table->description = *description;
    weir_options_merge(&table->arena, &description->options, hints, &table->options);
    if (hints->count > 0) {
        const weir_connector_schema schema =
            weir_description_connector_schema(description, weir_object_path_text(path, &table->arena), &table->arena);
        int code = weir_connector_check(&table->options, &schema, err);
        if (code != WEIR_OK) {
            close_table(&table->base);
            return weir_error_at(err, code, path->position);
        }
    }
    table->base.origin = origin_of(table);
    table->base.has_row_kinds = weir_source_gives_changes(&table->options);
    table->base.has_upserts = weir_source_gives_upserts(&table->options);
    table->base.unbounded = weir_source_never_ends(&table->options);
    weir_session_table_set_columns(table);
    int code = set_duplicates(table, path, err);
    if (code != WEIR_OK) {
        close_table(&table->base);
        return code;
    }
    *out = table;
    return WEIR_OK;
}
