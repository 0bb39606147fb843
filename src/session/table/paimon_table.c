/* Paimon tables for queries: planned by the table room, read split by split.
 *
 * A request without columns is answered from the plan where that knows the number of rows exactly, and otherwise by
 * reading the column that costs least. t$audit_log puts the kind of each row before its columns. */
#include <stdlib.h>

#include "base/text.h"
#include "lsm/lsm_options.h"
#include "session/table/sql_table.h"
#include "stream/source/paimon_source.h"
#include "table/read/read.h"
#include "table/scan/measure.h"
#include "table/scan/scan_incremental.h"
#include "table/scan/split_divide.h"
#include "table/scan/summary.h"
#include "vector/time_text.h"

#define COUNT_BATCH_ROWS 16384 /* so that nobody is surprised by the length of a batch without columns */

typedef struct paimon_scan {
    weir_sql_scan base; /* first */
    weir_session_table *table;
    weir_arena arena;
    weir_table_plan *plan;
    weir_read_options read;   /* over the schema's columns */
    const weir_field *fields; /* of what is read */
    int32_t field_count;
    int32_t *sources; /* of each column asked for: its place among those read, or ROW_KIND */
    int32_t column_count;
    bool direct; /* what is read is what was asked for */
} paimon_scan;

enum { ROW_KIND = -1 };

typedef struct paimon_split {
    weir_sql_split base; /* first */
    const paimon_scan *scan;
    weir_split_reader *reader; /* NULL: only counted */
    int64_t rows_left;         /* to count */
    weir_batch inner;          /* when not direct */
} paimon_split;

/* ---- splits ---- */

static int append_kinds(const weir_batch *from, weir_vector *out, weir_error *err)
{
    weir_vector_clear(out);
    WEIR_TRY(weir_vector_reserve(out, from->length, err));
    for (int64_t i = 0; i < from->length; i++) {
        WEIR_TRY(weir_vector_append_raw(out, weir_row_kind_text(weir_batch_kind(from, i)), 2, err));
    }
    return WEIR_OK;
}

/* Moves the columns that were read to the places where they were asked for. */
static int rearrange(paimon_split *split, weir_batch *out, weir_error *err)
{
    const paimon_scan *scan = split->scan;
    weir_batch_clear(out);
    for (int32_t i = 0; i < scan->column_count; i++) {
        if (scan->sources[i] == ROW_KIND) {
            WEIR_TRY(append_kinds(&split->inner, &out->columns[i], err));
        } else {
            weir_vector column = out->columns[i];
            out->columns[i] = split->inner.columns[scan->sources[i]];
            split->inner.columns[scan->sources[i]] = column;
        }
    }
    out->length = split->inner.length;
    return WEIR_OK;
}

static int next_batch(weir_sql_split *self, weir_batch *out, weir_error *err)
{
    paimon_split *split = (paimon_split *)self;
    if (split->reader == NULL) {
        weir_batch_clear(out);
        if (split->rows_left == 0) {
            return WEIR_END;
        }
        out->length = split->rows_left < COUNT_BATCH_ROWS ? split->rows_left : COUNT_BATCH_ROWS;
        split->rows_left -= out->length;
        return WEIR_OK;
    }
    if (split->scan->direct) {
        return weir_split_next(split->reader, out, err);
    }
    WEIR_TRY(weir_split_next(split->reader, &split->inner, err));
    return rearrange(split, out, err);
}

static void close_split(weir_sql_split *self)
{
    paimon_split *split = (paimon_split *)self;
    if (split->reader != NULL) {
        weir_split_close(split->reader);
        weir_batch_free(&split->inner);
    }
    free(split);
}

static int open_split(weir_sql_scan *self, int64_t number, weir_sql_split **out, weir_error *err)
{
    const paimon_scan *scan = (const paimon_scan *)self;
    const weir_split *planned = &scan->plan->splits[number];
    paimon_split *split = weir_alloc_zeroed(1, sizeof *split);
    split->base.next = next_batch;
    split->base.close = close_split;
    split->scan = scan;
    split->rows_left = planned->row_count;
    if (scan->fields != NULL) {
        int code = weir_split_open(scan->table->table, planned, &scan->read, &split->reader, err);
        if (code != WEIR_OK) {
            free(split);
            return code;
        }
        weir_batch_init(&split->inner, scan->fields, scan->field_count);
    }
    *out = &split->base;
    return WEIR_OK;
}

/* ---- scans ---- */

static void close_scan(weir_sql_scan *self)
{
    paimon_scan *scan = (paimon_scan *)self;
    weir_table_plan_free(scan->plan);
    weir_arena_free(&scan->arena);
    free(scan);
}

/* The column that costs least to read: a fixed-width one before a text, a plain one before a nested one. */
static int32_t cheapest_column(const weir_schema *schema)
{
    int32_t best = 0, best_cost = INT32_MAX;
    for (int32_t i = 0; i < schema->field_count; i++) {
        const weir_type *type = schema->fields[i].type;
        weir_layout layout = weir_layout_of(type);
        int32_t cost = weir_type_is_nested(type)     ? 1000
                       : layout == WEIR_LAYOUT_BIT   ? 1
                       : layout == WEIR_LAYOUT_BYTES ? 100
                                                     : (int32_t)weir_layout_width(layout);
        if (cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}

int32_t *weir_session_schema_places(const weir_session_table *table, weir_arena *arena)
{
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, table->base.column_count + 1);
    int32_t next = 0;
    for (int32_t i = 0; i < table->base.column_count; i++) {
        bool is_stored = table->base.columns[i].kind == WEIR_SQL_PHYSICAL_COLUMN && !(table->audit_log && i == 0);
        places[i] = is_stored ? next++ : -1;
    }
    return places;
}

/* Which columns to read, and where each column asked for comes from. */
static void choose_columns(paimon_scan *scan, const weir_scan_request *request)
{
    const weir_schema *schema = scan->table->table->schema;
    const int32_t *places = weir_session_schema_places(scan->table, &scan->arena);
    int32_t *columns = WEIR_NEW_ARRAY(&scan->arena, int32_t, request->column_count + 1);
    int32_t count = 0;
    scan->sources = WEIR_NEW_ARRAY(&scan->arena, int32_t, request->column_count + 1);
    scan->column_count = request->column_count;
    for (int32_t i = 0; i < request->column_count; i++) {
        bool is_kind = scan->table->audit_log && request->columns[i] == 0;
        scan->sources[i] = is_kind ? ROW_KIND : count;
        if (!is_kind) {
            columns[count++] = places[request->columns[i]];
        }
    }
    scan->direct = count == request->column_count && count > 0;
    if (count == 0) {
        columns[count++] = cheapest_column(schema);
    }
    scan->read.columns = columns;
    scan->read.column_count = count;
}

/* The request's predicate over the schema's columns; what it says about other ones is left to the query. */
static const weir_predicate *table_predicate(paimon_scan *scan, const weir_predicate *predicate)
{
    if (predicate == NULL || scan->table->base.column_count == scan->table->table->schema->field_count) {
        return predicate;
    }
    return weir_predicate_map(&scan->arena, predicate, weir_session_schema_places(scan->table, &scan->arena));
}

static void estimate(paimon_scan *scan)
{
    scan->base.split_count = (int64_t)scan->plan->split_count;
    scan->base.exact_rows = scan->plan->exact_row_count >= 0;
    scan->base.estimated_rows = scan->plan->exact_row_count;
    if (!scan->base.exact_rows) {
        scan->base.estimated_rows = 0;
        for (size_t i = 0; i < scan->plan->split_count; i++) {
            scan->base.estimated_rows += scan->plan->splits[i].row_count;
        }
    }
}

/* What full compactions write to; tables without a key have one level. */
static int highest_level(const weir_schema *schema, int32_t *out, weir_error *err)
{
    weir_lsm_options options;
    if (schema->primary_key_count == 0) {
        *out = 0;
        return WEIR_OK;
    }
    WEIR_TRY(weir_lsm_options_read(schema, &options, err));
    *out = options.level_count - 1;
    return WEIR_OK;
}

static int check_request(const weir_session_table *table, const weir_scan_request *request, weir_error *err)
{
    for (int32_t i = 0; i < request->column_count; i++) {
        const weir_sql_column *column = &table->base.columns[request->columns[i]];
        if (column->kind == WEIR_SQL_METADATA_COLUMN) {
            return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                                "column '%s' of table '%s' is METADATA, and Paimon tables have none to read; name the "
                                "columns without it, or ALTER TABLE … DROP it",
                                column->name, table->base.name);
        }
    }
    return WEIR_OK;
}

static int open_scan(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err)
{
    weir_session_table *table = self->owner;
    WEIR_TRY(check_request(table, request, err));
    paimon_scan *scan = weir_alloc_zeroed(1, sizeof *scan);
    scan->table = table;
    weir_arena_init(&scan->arena);
    scan->base.open_split = open_split;
    scan->base.close = close_scan;
    weir_scan_request everything = *request;
    if (table->session->options.without_pruning) {
        everything.predicate = NULL;
        everything.limit = -1;
        request = &everything;
    }
    choose_columns(scan, request);
    scan->read.predicate = table_predicate(scan, request->predicate);
    scan->read.with_kinds = table->audit_log;
    scan->read.with_stored_kinds = table->audit_log;
    scan->read.batch_rows = table->session->batch_rows;
    weir_scan_options options = {
        .predicate = scan->read.predicate,
        .limit = request->predicate == NULL ? request->limit : -1,
        .with_kinds = table->audit_log,
    };
    int code = table->read_optimized ? highest_level(table->table->schema, &options.min_level, err) : WEIR_OK;
    if (code == WEIR_OK) {
        code = weir_scan_plan(table->table, &options, &scan->plan, err);
    }
    if (code == WEIR_OK && request->parallel) {
        code = weir_table_plan_divide(table->table, scan->read.predicate, weir_pool_threads(table->session->pool),
                                      scan->plan, err);
    }
    if (code != WEIR_OK) {
        close_scan(&scan->base);
        return weir_error_at(err, code, table->position);
    }
    estimate(scan);
    if (request->column_count > 0 || !scan->base.exact_rows) {
        scan->fields = weir_read_fields(table->table, &scan->read, &scan->arena, &scan->field_count);
    }
    *out = &scan->base;
    return WEIR_OK;
}

/* What the table's metadata tell of its columns; of the kinds of rows they tell nothing. */
static int summarize(weir_sql_table *self, const weir_predicate *predicate, weir_sql_summary *summaries, int32_t count,
                     bool *out_known, weir_error *err)
{
    static const weir_summary_kind kinds[] = {
        [WEIR_SQL_ROWS] = WEIR_SUMMARY_ROWS,
        [WEIR_SQL_VALUES] = WEIR_SUMMARY_VALUES,
        [WEIR_SQL_MIN] = WEIR_SUMMARY_MIN,
        [WEIR_SQL_MAX] = WEIR_SUMMARY_MAX,
    };
    weir_session_table *table = self->owner;
    *out_known = false;
    if (table->audit_log || table->read_optimized || table->session->options.without_pruning) {
        return WEIR_OK;
    }
    weir_summary *asked = weir_alloc_zeroed((size_t)count + 1, sizeof *asked);
    for (int32_t i = 0; i < count; i++) {
        asked[i] = (weir_summary){.kind = kinds[summaries[i].kind], .column = summaries[i].column};
    }
    int code = weir_table_summarize(table->table, predicate, asked, count, out_known, err);
    for (int32_t i = 0; i < count && code == WEIR_OK; i++) {
        summaries[i].value = asked[i].value;
    }
    free(asked);
    return weir_error_at(err, code, table->position);
}

/* ---- in words ---- */

static void describe_snapshot(const paimon_scan *scan, weir_buffer *out)
{
    const weir_snapshot *snapshot = scan->plan->snapshot;
    if (snapshot == NULL) {
        weir_buffer_append_text(out, weir_scan_is_incremental(scan->table->table) ? "changes between snapshots"
                                                                                  : "no snapshot yet");
        return;
    }
    weir_timestamp_nanos time = {.millis = snapshot->time_ms};
    weir_buffer_append_format(out, "snapshot %" PRId64 " (%s, ", snapshot->id,
                              weir_commit_kind_name(snapshot->commit_kind));
    weir_timestamp_format(time, 3, out);
    weir_buffer_append_text(out, " UTC)");
}

/* What row groups and pages leave of the files that are read as they are. */
static int describe_pages(const paimon_scan *scan, weir_buffer *out, weir_error *err)
{
    weir_scan_counts counts;
    if (scan->read.predicate == NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_table_plan_measure(scan->table->table, scan->plan, &scan->read, &counts, err));
    if (counts.row_groups > 0) {
        weir_buffer_append_format(
            out, "%" PRId64 " of %" PRId64 " row groups; %" PRId64 " of %" PRId64 " rows are in pages that may match\n",
            counts.row_groups_kept, counts.row_groups, counts.rows_kept, counts.rows);
    }
    return WEIR_OK;
}

static int describe(weir_sql_table *self, const weir_scan_request *request, weir_buffer *out, int64_t *out_rows,
                    weir_error *err)
{
    weir_sql_scan *opened = NULL;
    WEIR_TRY(open_scan(self, request, &opened, err));
    const paimon_scan *scan = (const paimon_scan *)opened;
    const weir_table_plan *plan = scan->plan;
    *out_rows = opened->estimated_rows;
    describe_snapshot(scan, out);
    if (plan->snapshot != NULL) {
        weir_buffer_append_format(out, "; %" PRId64 " of %" PRId64 " files, %" PRId64 " of %" PRId64 " manifests read",
                                  plan->files_kept, plan->files_in_snapshot, plan->manifests_read, plan->manifests);
    } else if (plan->files_kept > 0) {
        weir_buffer_append_format(out, "; %" PRId64 " files", plan->files_kept);
    }
    weir_buffer_append_format(out, "\n%zu %s; %s%" PRId64 " rows%s\n", plan->split_count,
                              plan->split_count == 1 ? "split" : "splits", opened->exact_rows ? "" : "at most ",
                              opened->estimated_rows,
                              request->column_count == 0 && opened->exact_rows ? ", counted without reading" : "");
    int code = describe_pages(scan, out, err);
    opened->close(opened);
    return code;
}

/* ---- streams ---- */

static int open_stream(weir_sql_table *self, const weir_scan_request *request, weir_stream_source **out,
                       weir_error *err)
{
    weir_session_table *table = self->owner;
    WEIR_TRY(check_request(table, request, err));
    const int32_t *places = weir_session_schema_places(table, &table->arena);
    int32_t *columns = WEIR_NEW_ARRAY(&table->arena, int32_t, request->column_count);
    for (int32_t i = 0; i < request->column_count; i++) {
        bool is_kind = table->audit_log && request->columns[i] == 0;
        columns[i] = is_kind ? WEIR_KIND_COLUMN : places[request->columns[i]];
    }
    bool prunes = request->predicate != NULL && !table->session->options.without_pruning;
    weir_paimon_source_options options = {
        .columns = columns,
        .column_count = request->column_count,
        .audit_log = table->audit_log,
        .predicate = prunes ? weir_predicate_map(&table->arena, request->predicate, places) : NULL,
        .batch_rows = table->session->batch_rows,
        .description = weir_arena_format(&table->arena, "%s.%s.%s", self->catalog, self->database, self->name),
    };
    int code = weir_paimon_source_open(table->table, &options, out, err);
    return weir_error_at(err, code, table->position);
}

/* ---- which table it is ---- */

/* The ids of a column and of the columns nested in it, as one number. */
static uint64_t identity_of(uint64_t identity, const weir_type *type)
{
    for (int32_t i = 0; i < type->field_count; i++) {
        identity = identity * 1000003 + (uint64_t)type->fields[i].id + 1;
        identity = identity_of(identity, type->fields[i].type);
    }
    identity = type->key != NULL ? identity_of(identity, type->key) : identity;
    return type->element != NULL ? identity_of(identity, type->element) : identity;
}

static void identify_columns(weir_session_table *table)
{
    const weir_schema *schema = table->table->schema;
    int32_t *places = weir_session_schema_places(table, &table->arena);
    for (int32_t i = 0; i < table->base.column_count; i++) {
        if (places[i] >= 0) {
            const weir_field *field = &schema->fields[places[i]];
            table->description.columns.columns[i].identity = identity_of((uint64_t)field->id + 1, field->type);
        }
    }
}

/* Where it lies and when it was made, by its first schema: a job goes on from its snapshots, which are those of no
 * other table. */
static int identify(weir_session_table *table, weir_error *err)
{
    const weir_table *opened = table->table;
    weir_arena arena;
    weir_schema *first = NULL;
    weir_buffer origin = {0};
    weir_arena_init(&arena);
    int code = weir_schema_read(opened->context.fs, opened->path, 0, &arena, &first, err);
    if (code == WEIR_OK || code == WEIR_NOT_FOUND) {
        weir_buffer_append_format(&origin, "'%s'", opened->path);
        if (opened->branch != NULL) {
            weir_buffer_append_format(&origin, ", branch '%s',", opened->branch);
        }
        if (code == WEIR_OK) {
            weir_buffer_append_text(&origin, " made ");
            weir_timestamp_format(weir_timestamp_widen(first->time_ms, 3), 3, &origin);
        }
        table->base.origin = weir_arena_strdup(&table->arena, weir_buffer_text(&origin));
        identify_columns(table);
        weir_error_clear(err);
        code = WEIR_OK;
    }
    weir_buffer_free(&origin);
    weir_arena_free(&arena);
    return code;
}

/* What streams make of the table: its changes, without an end. */
static int set_changes(weir_session_table *table, weir_error *err)
{
    WEIR_TRY(identify(table, err));
    weir_paimon_changes changes;
    WEIR_TRY(weir_paimon_changes_of(table->table, &changes, err));
    table->base.open_stream = open_stream;
    table->base.has_lookup = true;
    table->base.open_lookup = weir_paimon_lookup_open;
    table->base.has_row_kinds = changes.has_row_kinds && !table->audit_log;
    table->base.has_upserts = changes.has_upserts && !table->audit_log;
    table->base.unbounded = !changes.is_bounded;
    return WEIR_OK;
}

/* ---- tables ---- */

static void close_table(weir_sql_table *self)
{
    weir_session_table *table = self->owner;
    weir_table_close(table->table);
    weir_fs_close(table->owned_fs);
    weir_arena_free(&table->arena);
    free(table);
}

/* The kind as first column. */
static void add_kind_column(weir_session_table *table)
{
    weir_bound_columns *columns = &table->description.columns;
    weir_sql_column *with_kind = WEIR_NEW_ARRAY(&table->arena, weir_sql_column, columns->column_count + 1);
    with_kind[0] = (weir_sql_column){.name = "rowkind", .type = weir_type_simple(WEIR_VARCHAR, true)};
    memcpy(with_kind + 1, columns->columns, sizeof *with_kind * (size_t)columns->column_count);
    columns->columns = with_kind;
    columns->column_count++;
    columns->primary_key_count = 0;
    columns->partition_key_count = 0;
    columns->watermark_column = -1;
}

int weir_paimon_table_open(weir_session *session, const weir_object_path *path, const weir_paimon_open *open,
                           weir_session_table **out, weir_error *err)
{
    weir_session_table *table = weir_session_table_new(session, WEIR_SESSION_PAIMON_TABLE, path);
    int code = WEIR_OK;
    table->owned_fs = open->owns_fs ? open->fs : NULL;
    table->audit_log = open->name.audit_log;
    table->read_optimized = open->name.read_optimized;
    table->base.open = open_scan;
    table->base.summarize = summarize;
    table->base.describe = describe;
    table->base.close = close_table;
    weir_table_open_options options = {
        .dynamic_options = open->options,
        .branch = open->name.branch,
        .budget = &session->memory.tables,
        .for_stream = session->streams,
        .metrics = weir_metrics_registry_table(
            session->metrics, weir_arena_format(&table->arena, "%s.%s.%s%s%s", path->catalog->name, path->database,
                                                open->name.table, open->name.branch != NULL ? "$branch_" : "",
                                                open->name.branch != NULL ? open->name.branch : "")),
    };
    WEIR_GO(weir_session_pool(session, &options.pool, err));
    WEIR_GO(weir_table_open(open->fs, open->folder, &options, &table->table, err));
    WEIR_GO(weir_description_of_schema(table->table->schema, &table->arena, &table->description, err));
    if (table->audit_log) {
        add_kind_column(table);
    }
    if (open->name.system != NULL) {
        weir_session_table_make_system(table, open->name.system);
    }
    weir_session_table_set_columns(table);
    if (session->streams && open->name.system == NULL && !table->read_optimized) {
        WEIR_GO(set_changes(table, err));
    }
    *out = table;
done:
    if (code != WEIR_OK) {
        close_table(&table->base);
        weir_error_at(err, code, path->position);
    }
    return code;
}

static int unknown_system_table(const weir_object_path *path, const char *name, weir_error *err)
{
    const char *names[32] = {"audit_log", "ro"};
    weir_buffer list = {0};
    size_t count = 2;
    for (size_t i = 0; i < weir_system_table_count && count < sizeof names / sizeof names[0]; i++) {
        names[count++] = weir_system_tables[i].name;
    }
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&list, "$%s, ", names[i]);
    }
    const char *meant = weir_suggest(name, names, count);
    weir_fail_at(err, WEIR_NOT_FOUND, path->position.line, path->position.column,
                 "there is no system table '$%s'; %s%s%s", name, meant != NULL ? "did you mean '$" : "there are ",
                 meant != NULL ? meant : weir_buffer_text(&list), meant != NULL ? "'?" : "and $branch_<name>");
    weir_buffer_free(&list);
    return WEIR_NOT_FOUND;
}

int weir_paimon_name_parse(const weir_object_path *path, weir_arena *arena, weir_paimon_name *out, weir_error *err)
{
    const char *dollar = strchr(path->name, '$');
    *out = (weir_paimon_name){.table = path->name};
    if (dollar == NULL) {
        return WEIR_OK;
    }
    out->table = weir_arena_strndup(arena, path->name, (size_t)(dollar - path->name));
    while (dollar != NULL) {
        const char *part = dollar + 1;
        dollar = strchr(part, '$');
        const char *name = weir_arena_strndup(arena, part, dollar != NULL ? (size_t)(dollar - part) : strlen(part));
        out->system = dollar == NULL ? weir_system_table_find(name) : NULL;
        out->audit_log = dollar == NULL && strcmp(name, "audit_log") == 0;
        out->read_optimized = dollar == NULL && strcmp(name, "ro") == 0;
        if (strncmp(name, "branch_", 7) == 0 && name[7] != '\0' && out->branch == NULL) {
            out->branch = name + 7;
        } else if (out->system == NULL && !out->audit_log && !out->read_optimized) {
            return unknown_system_table(path, name, err);
        }
    }
    return WEIR_OK;
}
