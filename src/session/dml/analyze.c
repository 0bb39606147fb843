/* ANALYZE TABLE: counts and bounds of a Paimon table by a query over the snapshot, committed as its statistics. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/dml/row_feed.h"
#include "session/table/sql_table.h"
#include "sql/parser.h"
#include "table/maintenance/statistics.h"
#include "table/scan/scan.h"

typedef struct analysis {
    weir_session *session;
    weir_session_table *table;
    weir_arena arena;
    int32_t *columns; /* to be looked at */
    int32_t column_count;
    int64_t snapshot_id;
} analysis;

/* ---- what to look at ---- */

static int fail_column(const analysis *self, const weir_ast_part *name, weir_error *err)
{
    const weir_schema *schema = self->table->table->schema;
    const char **names = weir_alloc_zeroed((size_t)schema->field_count + 1, sizeof *names);
    for (int32_t i = 0; i < schema->field_count; i++) {
        names[i] = schema->fields[i].name;
    }
    const char *meant = weir_suggest(name->text, names, (size_t)schema->field_count);
    weir_fail_at(err, WEIR_NOT_FOUND, name->position.line, name->position.column, "table %s has no column '%s'%s%s%s",
                 self->table->base.name, name->text, meant != NULL ? "; did you mean '" : "",
                 meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    free(names);
    return WEIR_NOT_FOUND;
}

static int choose_columns(analysis *self, const weir_ast_statement *statement, weir_error *err)
{
    const weir_schema *schema = self->table->table->schema;
    const weir_ast_names *names = &statement->analyze.columns;
    self->columns = WEIR_NEW_ARRAY(&self->arena, int32_t, schema->field_count + names->count + 1);
    for (int32_t i = 0; statement->analyze.all_columns && i < schema->field_count; i++) {
        self->columns[self->column_count++] = i;
    }
    for (int32_t i = 0; i < names->count; i++) {
        int32_t column = weir_schema_column(schema, names->items[i].text);
        if (column < 0) {
            return fail_column(self, &names->items[i], err);
        }
        self->columns[self->column_count++] = column;
    }
    return WEIR_OK;
}

static int open_table(analysis *self, const weir_ast_name *name, weir_error *err)
{
    weir_session_resolver resolver;
    weir_ast_options none = {0};
    weir_sql_table *table = NULL;
    const char *view = NULL;
    weir_session_resolver_init(&resolver, self->session);
    WEIR_TRY(resolver.base.resolve(&resolver.base, name, &none, &self->arena, &table, &view, err));
    self->table = view == NULL ? table->owner : NULL;
    if (self->table == NULL || !weir_session_table_is_plain(self->table)) {
        return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                            "ANALYZE TABLE works on Paimon tables, and '%s' is none",
                            name->parts[name->count - 1].text);
    }
    weir_snapshot *snapshot = NULL;
    WEIR_TRY(weir_scan_snapshot(self->table->table, &self->arena, &snapshot, err));
    if (snapshot == NULL) {
        return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                            "table '%s' has no snapshot yet, so there is nothing to analyze", self->table->base.name);
    }
    self->snapshot_id = snapshot->id;
    return WEIR_OK;
}

/* ---- the query ---- */

static bool is_counted(const weir_type *type) { return !weir_type_is_nested(type) && type->id != WEIR_BLOB; }

static void append_call(const char *before, const char *name, const char *after, weir_buffer *out)
{
    weir_buffer_append_text(out, before);
    weir_append_quoted(name, '`', out);
    weir_buffer_append_text(out, after);
}

/* COUNT(*), and of each column: COUNT; COUNT DISTINCT; MIN and MAX; average and greatest length; in this order, as far
 * as its type has them. */
static void make_query(const analysis *self, weir_buffer *out)
{
    const weir_schema *schema = self->table->table->schema;
    weir_buffer_append_text(out, "SELECT COUNT(*)");
    for (int32_t i = 0; i < self->column_count; i++) {
        const weir_field *field = &schema->fields[self->columns[i]];
        append_call(", COUNT(", field->name, ")", out);
        if (is_counted(field->type)) {
            append_call(", COUNT(DISTINCT ", field->name, ")", out);
        }
        if (weir_statistics_have_bounds(field->type)) {
            append_call(", MIN(", field->name, ")", out);
            append_call(", MAX(", field->name, ")", out);
        }
        if (weir_type_is_text(field->type)) {
            append_call(", CAST(AVG(CAST(CHAR_LENGTH(", field->name, ") AS DOUBLE)) AS BIGINT)", out);
            append_call(", CAST(MAX(CHAR_LENGTH(", field->name, ")) AS BIGINT)", out);
        }
    }
    weir_buffer_append_text(out, " FROM ");
    weir_append_quoted(self->table->base.catalog, '`', out);
    append_call(".", self->table->base.database, ".", out);
    weir_append_quoted(self->table->base.name, '`', out);
    weir_buffer_append_format(out, " /*+ OPTIONS('scan.snapshot-id' = '%" PRId64 "') */", self->snapshot_id);
}

/* A number of the one row; -1: it is NULL. */
static int64_t take_number(const weir_batch *row, int32_t *position)
{
    weir_literal value = weir_literal_of(&row->columns[(*position)++], 0);
    return value.is_null ? -1 : value.integer;
}

static void take_column(const analysis *self, const weir_batch *row, int32_t column, int32_t *position,
                        int64_t row_count, weir_column_statistics *out)
{
    const weir_type *type = self->table->table->schema->fields[column].type;
    *out =
        (weir_column_statistics){.column = column, .distinct_count = -1, .average_length = -1, .greatest_length = -1};
    out->null_count = row_count - take_number(row, position);
    if (is_counted(type)) {
        out->distinct_count = take_number(row, position);
    }
    if (weir_statistics_have_bounds(type)) {
        out->min = weir_literal_of(&row->columns[(*position)++], 0);
        out->max = weir_literal_of(&row->columns[(*position)++], 0);
        out->has_bounds = !out->min.is_null;
    }
    if (weir_type_is_text(type)) {
        out->average_length = take_number(row, position);
        out->greatest_length = take_number(row, position);
    }
}

static int commit_row(analysis *self, const weir_batch *row, weir_table_statistics *statistics, weir_error *err)
{
    char user[WEIR_UUID_SIZE];
    weir_table_commit *commit = NULL;
    int32_t position = 0;
    weir_column_statistics *columns = WEIR_NEW_ARRAY(&self->arena, weir_column_statistics, self->column_count + 1);
    statistics->snapshot_id = self->snapshot_id;
    statistics->row_count = take_number(row, &position);
    for (int32_t i = 0; i < self->column_count; i++) {
        take_column(self, row, self->columns[i], &position, statistics->row_count, &columns[i]);
    }
    statistics->columns = columns;
    statistics->column_count = self->column_count;
    weir_uuid(user);
    WEIR_TRY(weir_table_commit_open(self->table->table, user, &commit, err));
    int code = weir_table_commit_statistics(commit, statistics, &self->snapshot_id, err);
    weir_table_commit_close(commit);
    return code;
}

static int run_query(analysis *self, const weir_ast_query *query, weir_table_statistics *statistics, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(self->session, &resolver);
    weir_bound *bound = NULL;
    weir_row_feed *feed = NULL;
    weir_batch row;
    bool has_row = false;
    int32_t count = 0;
    int code;
    WEIR_GO(weir_bind_query(&context, query, &bound, err));
    WEIR_GO(weir_row_feed_open(self->session, bound, &feed, err));
    const weir_field *fields = weir_row_feed_fields(feed, &count);
    weir_batch_init(&row, fields, count);
    has_row = true;
    do {
        WEIR_GO(weir_row_feed_next(feed, &row, err));
    } while (row.length == 0);
    WEIR_GO(commit_row(self, &row, statistics, err));
done:
    if (has_row) {
        weir_batch_free(&row);
    }
    weir_row_feed_close(feed);
    weir_bound_free(bound);
    return code;
}

int weir_session_analyze(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err)
{
    analysis self = {.session = session};
    weir_table_statistics statistics;
    weir_buffer text = {0};
    weir_ast_query *query = NULL;
    int code;
    weir_arena_init(&self.arena);
    if (statement->analyze.has_partition) {
        code = weir_fail_at(err, WEIR_UNSUPPORTED, statement->analyze.table.position.line,
                            statement->analyze.table.position.column,
                            "ANALYZE TABLE … PARTITION is not offered: Paimon keeps statistics of whole tables; leave "
                            "PARTITION out");
        goto done;
    }
    WEIR_GO(open_table(&self, &statement->analyze.table, err));
    WEIR_GO(weir_schema_check_writable(self.table->table->schema, err));
    WEIR_GO(choose_columns(&self, statement, err));
    make_query(&self, &text);
    WEIR_GO(weir_parse_query(weir_buffer_text(&text), &self.arena, &query, err));
    WEIR_GO(run_query(&self, query, &statistics, err));
    *out =
        weir_result_done("statistics of %s: %" PRId64 " rows, %d columns, in snapshot %" PRId64, self.table->base.name,
                         statistics.row_count, (int)statistics.column_count, self.snapshot_id);
done:
    if (self.table != NULL) {
        self.table->base.close(&self.table->base);
    }
    weir_buffer_free(&text);
    weir_arena_free(&self.arena);
    return weir_error_at(err, code, statement->analyze.table.position);
}
