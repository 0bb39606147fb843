/* One chunk: begin a consistent snapshot, see where the binlog is, read rows, follow the binlog to there, give the rows
 * out. What capture.h says of the frontier is done here.
 *
 * The snapshot must not be older than the offset, or changes would be lost that were passed over as lying beyond the
 * frontier. A server writes a transaction to its binlog before it makes it visible, so this is made sure of: MariaDB
 * tells a snapshot's own place in the binlog, MySQL which transactions are committed. Where it keeps no global ids,
 * there is a pause. */
#include "connect/mysql/snapshot.h"

#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"

#define FIRST_CHUNK_ROWS 1024  /* of a table whose rows' size is not known yet */
#define WHOLE_TABLE_ROWS 65536 /* at most, of one that is read as a whole */
#define VISIBLE_TRIES    2000
#define VISIBLE_PAUSE_MS 5
#define COMMIT_PAUSE_MS  100 /* from the log to being visible, where nothing tells of it */
#define EXACT_TRIES      1000

void weir_snapshot_chunk_free(weir_snapshot_chunk *chunk)
{
    if (chunk != NULL) {
        weir_batch_free(&chunk->rows);
        weir_map_free(&chunk->by_key);
        weir_capture_key_free(&chunk->end);
        weir_binlog_offset_free(&chunk->until);
        free(chunk->is_gone);
        free(chunk);
    }
}

/* ---- rows of a chunk ---- */

static int add_row(weir_snapshot_chunk *chunk, weir_row_binding *binding, const weir_mysql_value *values,
                   weir_buffer *key, weir_error *err)
{
    int64_t row = chunk->rows.length;
    WEIR_TRY(weir_row_append(binding, values, chunk->rows.columns, err));
    WEIR_GROW(chunk->is_gone, chunk->gone_capacity, row + 1);
    chunk->is_gone[row] = 0;
    chunk->rows.length++;
    if (binding->key.count > 0) {
        weir_buffer_clear(key);
        WEIR_TRY(weir_row_append_texts(&binding->key, values, key, err));
        weir_map_put(&chunk->by_key, weir_buffer_slice(key), (void *)(uintptr_t)(row + 1));
    }
    return WEIR_OK;
}

int weir_snapshot_remove(weir_capture *capture, weir_row_binding *binding, const weir_mysql_value *values,
                         weir_error *err)
{
    weir_buffer *key = &capture->scratch[0];
    weir_snapshot_chunk *chunk = capture->chunk;
    weir_buffer_clear(key);
    WEIR_TRY(weir_row_append_texts(&binding->key, values, key, err));
    uintptr_t row = (uintptr_t)weir_map_remove(&chunk->by_key, weir_buffer_slice(key));
    if (row > 0) {
        chunk->is_gone[row - 1] = 1;
    }
    return WEIR_OK;
}

int weir_snapshot_put(weir_capture *capture, weir_row_binding *binding, const weir_mysql_value *values, weir_error *err)
{
    WEIR_TRY(weir_snapshot_remove(capture, binding, values, err));
    return add_row(capture->chunk, binding, values, &capture->scratch[0], err);
}

/* ---- the snapshot ---- */

/* Where the binlog was when the snapshot was made, of MariaDB. */
static int mariadb_snapshot_offset(weir_mysql_connection *connection, weir_binlog_offset *out, weir_error *err)
{
    MYSQL_RES *result;
    MYSQL_ROW row;
    WEIR_TRY(weir_mysql_query(connection, "SHOW STATUS LIKE 'binlog\\_snapshot\\_%'", &result, err));
    while ((row = connection->library->fetch_row(result)) != NULL) {
        if (strcasecmp(row[0], "Binlog_snapshot_file") == 0) {
            weir_binlog_offset_set_file(out, weir_slice_text(row[1]));
        } else if (strcasecmp(row[0], "Binlog_snapshot_position") == 0) {
            out->position = strtoull(row[1], NULL, 10);
        }
    }
    connection->library->free_result(result);
    return WEIR_OK;
}

/* Begins a snapshot. *until: no change that it sees is behind that. *exact: it sees all changes before. */
static int begin_snapshot(weir_capture *capture, weir_binlog_offset *until, bool *exact, weir_error *err)
{
    weir_mysql_connection *connection = &capture->query;
    weir_binlog_offset before = {0};
    int code = WEIR_OK;
    if (!connection->is_mariadb) {
        WEIR_TRY(weir_capture_server_offset(capture, &before, err));
    }
    WEIR_GO(weir_mysql_execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT", err));
    if (connection->is_mariadb) {
        WEIR_GO(mariadb_snapshot_offset(connection, until, err));
        *exact = true;
    } else {
        WEIR_GO(weir_capture_server_offset(capture, until, err));
        *exact = weir_binlog_offset_compare(&before, until) == 0 &&
                 weir_gtid_set_contains(&before.gtids, &until->gtids) &&
                 weir_gtid_set_contains(&until->gtids, &before.gtids);
    }
done:
    weir_binlog_offset_free(&before);
    return code;
}

/* Whether the snapshot that was begun sees every change before the offset. */
static bool sees_offset(const weir_capture *capture, const weir_binlog_offset *until)
{
    if (capture->query.is_mariadb) {
        return weir_binlog_offset_compare(until, &capture->offset) >= 0;
    }
    return !capture->offset.has_gtids || weir_gtid_set_contains(&until->gtids, &capture->offset.gtids);
}

/* Begins snapshots until one sees enough, and (`needs_exact`) nothing more than the offset that is returned. */
static int take_snapshot(weir_capture *capture, bool needs_exact, weir_binlog_offset *until, weir_error *err)
{
    if (!capture->query.is_mariadb && !capture->offset.has_gtids && capture->may_be_invisible) {
        weir_sleep_ms(COMMIT_PAUSE_MS);
    }
    capture->may_be_invisible = false;
    for (int i = 0; i < VISIBLE_TRIES; i++) {
        bool exact;
        WEIR_TRY(begin_snapshot(capture, until, &exact, err));
        if (sees_offset(capture, until) && (exact || !needs_exact || i > EXACT_TRIES)) {
            return exact || !needs_exact
                       ? WEIR_OK
                       : weir_fail(err, WEIR_UNSUPPORTED,
                                   "a table without a primary key cannot be read while so much is written: the server "
                                   "never stands still for a moment");
        }
        weir_binlog_offset_free(until);
        WEIR_TRY(weir_mysql_execute(&capture->query, "ROLLBACK", err));
        if (capture->sink.is_stopping(capture->sink.self)) {
            return weir_fail(err, WEIR_CANCELLED, "stopped");
        }
        weir_sleep_ms(VISIBLE_PAUSE_MS);
    }
    return weir_fail(err, WEIR_RETRY, "MySQL at %s:%u: changes of the binlog do not become visible",
                     capture->query.address->host, capture->query.address->port);
}

/* ---- reading rows ---- */

static bool is_wanted(const weir_row_binding *binding, uint32_t column)
{
    for (int32_t i = 0; i < binding->field_count; i++) {
        if (binding->sources[i] == (int32_t)column) {
            return true;
        }
    }
    for (uint32_t i = 0; i < binding->key.count; i++) {
        if (binding->key.places[i] == column) {
            return true;
        }
    }
    for (uint32_t i = 0; i < binding->order.count; i++) {
        if (binding->order.places[i] == column) {
            return true;
        }
    }
    return false;
}

/* NULL for columns that are not wanted, so that each is in its place. A FLOAT as it is printed has lost digits. */
static void append_columns(const weir_row_binding *binding, weir_buffer *sql)
{
    for (uint32_t i = 0; i < binding->column_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        if (!is_wanted(binding, i)) {
            weir_buffer_append_text(sql, "NULL");
            continue;
        }
        bool is_float = binding->columns[i].type == WEIR_MYSQL_FLOAT;
        weir_buffer_append_text(sql, is_float ? "(" : "");
        weir_mysql_append_name(binding->columns[i].name, sql);
        weir_buffer_append_text(sql, is_float ? " + 0e0)" : "");
    }
}

static void append_order(const weir_captured_table *table, weir_buffer *sql)
{
    for (uint32_t i = 0; i < table->order_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? " ORDER BY " : ", ");
        weir_mysql_append_name(table->definition.columns[table->order[i]].name, sql);
    }
}

static void append_table(const weir_captured_table *table, weir_buffer *sql)
{
    weir_buffer_append_text(sql, " FROM ");
    weir_mysql_append_name(table->definition.database, sql);
    weir_buffer_append_text(sql, ".");
    weir_mysql_append_name(table->definition.name, sql);
}

/* Whether one row more tells where the chunk ends: keys are not unique then, and all rows of the last one belong to it.
 */
static bool has_ties(const weir_capture *capture) { return capture->settings->chunk_column != NULL; }

/* The last value of the chunk column that belongs to the chunk; *end stays empty when all rows do. */
static int find_last_value(weir_capture *capture, const weir_captured_table *table, weir_row_binding *binding,
                           weir_capture_key *end, weir_error *err)
{
    weir_mysql_connection *connection = &capture->query;
    MYSQL_RES *result;
    weir_buffer sql = {0};
    weir_buffer_append_text(&sql, "SELECT ");
    weir_mysql_append_name(table->definition.columns[table->order[0]].name, &sql);
    append_table(table, &sql);
    if (table->frontier.texts != NULL) {
        weir_buffer_append_text(&sql, " WHERE ");
        weir_snapshot_append_after(table, &table->frontier, &sql);
    }
    append_order(table, &sql);
    weir_buffer_append_format(&sql, " LIMIT 1 OFFSET %" PRId64, capture->chunk_rows - 1);
    int code = weir_mysql_query(connection, weir_buffer_text(&sql), &result, err);
    weir_buffer_free(&sql);
    WEIR_TRY(code);
    MYSQL_ROW row = connection->library->fetch_row(result);
    if (row != NULL && row[0] != NULL) {
        weir_mysql_value value;
        weir_buffer text = {0};
        weir_buffer packed = {0};
        unsigned long *sizes = connection->library->fetch_lengths(result);
        if (!weir_mysql_value_parse(weir_slice_of(row[0], sizes[0]), &table->definition.columns[table->order[0]],
                                    &value)) {
            code = weir_fail(err, WEIR_CORRUPT, "the chunk column has the value %.100s", row[0]);
        } else {
            code = weir_mysql_converter_key(&binding->order.converters[0], &value, &text, err);
            weir_put_slice(&packed, weir_buffer_slice(&text));
            weir_capture_key_set(end, weir_buffer_slice(&packed), 1);
        }
        weir_buffer_free(&text);
        weir_buffer_free(&packed);
    }
    connection->library->free_result(result);
    return code;
}

static void build_select(const weir_capture *capture, const weir_snapshot_chunk *chunk, const weir_row_binding *binding,
                         int64_t most_rows, weir_buffer *sql)
{
    const weir_captured_table *table = chunk->table;
    weir_buffer_append_text(sql, "SELECT ");
    append_columns(binding, sql);
    append_table(table, sql);
    if (table->frontier.texts != NULL) {
        weir_buffer_append_text(sql, " WHERE ");
        weir_snapshot_append_after(table, &table->frontier, sql);
    }
    if (has_ties(capture)) {
        if (chunk->end.texts != NULL) {
            weir_buffer_append_text(sql, table->frontier.texts != NULL ? " AND " : " WHERE ");
            weir_snapshot_append_up_to(table, &chunk->end, sql);
        }
        return;
    }
    append_order(table, sql);
    weir_buffer_append_format(sql, " LIMIT %" PRId64, most_rows);
}

/* Texts of a result to the values of a row. */
static int parse_row(const weir_captured_table *table, const weir_row_binding *binding, MYSQL_ROW row,
                     const unsigned long *sizes, weir_mysql_value *values, weir_error *err)
{
    for (uint32_t i = 0; i < binding->column_count; i++) {
        if (row[i] == NULL) {
            values[i].kind = WEIR_MYSQL_NULL;
        } else if (!weir_mysql_value_parse(weir_slice_of(row[i], sizes[i]), &binding->columns[i], &values[i])) {
            return weir_fail(err, WEIR_CORRUPT, "column %s of table %s.%s: '%.100s' is no value of a column %s",
                             binding->columns[i].name, table->definition.database, table->definition.name, row[i],
                             binding->columns[i].definition);
        }
    }
    return WEIR_OK;
}

/* Where a fetch of rows is. */
typedef struct row_fetch {
    int64_t rows;
    int64_t bytes;
    bool is_cut; /* there was too much: rows from here on are left for the next chunk */
} row_fetch;

static int fail_large(const weir_capture *capture, const weir_captured_table *table, weir_error *err)
{
    return weir_fail(
        err, WEIR_UNSUPPORTED,
        "table %s.%s: the rows that have to be read at once take more than %" PRId64
        " MB; name %s NOT NULL column that is never changed: 'scan.incremental.snapshot.chunk.key-column', or "
        "give more '--memory'",
        table->definition.database, table->definition.name, capture->settings->whole_bytes >> 20,
        has_ties(capture) ? "another column, of which fewer rows have the same value: a" : "a");
}

static int fetch_rows(weir_capture *capture, MYSQL_RES *result, weir_row_binding *binding, bool may_cut, row_fetch *out,
                      weir_error *err)
{
    const weir_mysql_library *library = capture->query.library;
    weir_snapshot_chunk *chunk = capture->chunk;
    weir_buffer *order = &capture->scratch[1];
    MYSQL_ROW row;
    while ((row = library->fetch_row(result)) != NULL) {
        unsigned long *sizes = library->fetch_lengths(result);
        out->is_cut = out->is_cut || (may_cut && out->bytes > capture->settings->batch_bytes);
        if (!may_cut && out->bytes > capture->settings->whole_bytes) {
            return fail_large(capture, chunk->table, err);
        }
        if (out->is_cut) {
            continue; /* to the end of the result, which cannot be left */
        }
        for (uint32_t i = 0; i < binding->column_count; i++) {
            out->bytes += (int64_t)sizes[i];
        }
        out->rows++;
        WEIR_TRY(parse_row(chunk->table, binding, row, sizes, capture->values, err));
        WEIR_TRY_CTX(add_row(chunk, binding, capture->values, &capture->scratch[0], err), err, "table %s.%s",
                     chunk->table->definition.database, chunk->table->definition.name);
        if (may_cut) {
            weir_buffer_clear(order);
            WEIR_TRY(weir_row_append_texts(&binding->order, capture->values, order, err));
        }
    }
    return library->error_number(capture->query.handle) == 0 ? WEIR_OK
                                                             : weir_mysql_fail(&capture->query, "reading a table", err);
}

static void set_next_size(weir_capture *capture, const row_fetch *fetch)
{
    int64_t most = capture->settings->chunk_rows;
    int64_t rows =
        fetch->rows > 0 && fetch->bytes > 0 ? capture->settings->batch_bytes / (fetch->bytes / fetch->rows + 1) : most;
    rows = rows < capture->chunk_rows * 4 ? rows : capture->chunk_rows * 4;
    capture->chunk_rows = rows < 1 ? 1 : rows > most ? most : rows;
}

static int read_rows(weir_capture *capture, weir_row_binding *binding, weir_error *err)
{
    weir_snapshot_chunk *chunk = capture->chunk;
    weir_captured_table *table = chunk->table;
    bool is_whole = table->order_count == 0;
    bool may_cut = !is_whole && !has_ties(capture);
    int64_t most_rows = is_whole ? WHOLE_TABLE_ROWS + 1 : capture->chunk_rows;
    row_fetch fetch = {0};
    weir_buffer sql = {0};
    if (!is_whole && has_ties(capture)) {
        WEIR_TRY(find_last_value(capture, table, binding, &chunk->end, err));
    }
    build_select(capture, chunk, binding, most_rows, &sql);
    capture->sink.set_waiting(capture->sink.self, &capture->query);
    int failed =
        capture->query.library->real_query(capture->query.handle, (const char *)sql.data, (unsigned long)sql.size);
    weir_buffer_free(&sql);
    MYSQL_RES *result = failed != 0 ? NULL : capture->query.library->use_result(capture->query.handle);
    int code = result == NULL ? weir_mysql_fail(&capture->query, "reading a table", err)
                              : fetch_rows(capture, result, binding, may_cut, &fetch, err);
    if (result != NULL) {
        capture->query.library->free_result(result);
    }
    capture->sink.set_waiting(capture->sink.self, NULL);
    WEIR_TRY(code);
    if (is_whole && fetch.rows > WHOLE_TABLE_ROWS) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "table %s.%s has more than %d rows, and no primary key that they can be read in the order of; "
                         "name a NOT NULL column that is never changed: 'scan.incremental.snapshot.chunk.key-column'",
                         table->definition.database, table->definition.name, WHOLE_TABLE_ROWS);
    }
    if (may_cut && (fetch.rows >= most_rows || fetch.is_cut)) {
        weir_capture_key_set(&chunk->end, weir_buffer_slice(&capture->scratch[1]), table->order_count);
    }
    set_next_size(capture, &fetch);
    return WEIR_OK;
}

static int check_chunk_column(const weir_capture *capture, const weir_captured_table *table, weir_error *err)
{
    const char *name = capture->settings->chunk_column;
    if (name != NULL && (table->order_count == 0 || table->definition.columns[table->order[0]].is_nullable)) {
        return weir_fail(
            err, WEIR_INVALID,
            "'scan.incremental.snapshot.chunk.key-column' = '%s': table %s.%s has no such column that is NOT "
            "NULL and of a type with an order",
            name, table->definition.database, table->definition.name);
    }
    return WEIR_OK;
}

static int read_chunk(weir_capture *capture, weir_captured_table *table, weir_error *err)
{
    weir_row_binding binding;
    bool needs_exact = table->definition.key_count == 0;
    WEIR_TRY(check_chunk_column(capture, table, err));
    weir_snapshot_chunk *chunk = weir_alloc_zeroed(1, sizeof *chunk);
    chunk->table = table;
    weir_batch_init(&chunk->rows, capture->settings->fields.fields, capture->settings->fields.count);
    capture->chunk = chunk;
    WEIR_TRY(take_snapshot(capture, needs_exact, &chunk->until, err));
    chunk->is_exact = needs_exact;
    WEIR_TRY(weir_row_binding_of_query(&table->definition, &capture->settings->fields, &binding, err));
    WEIR_GROW(capture->values, capture->value_capacity, binding.column_count * 2);
    int code = read_rows(capture, &binding, err);
    weir_row_binding_free(&binding);
    WEIR_TRY(code);
    return weir_mysql_execute(&capture->query, "COMMIT", err);
}

/* ---- giving it out ---- */

static bool has_reached(const weir_capture *capture)
{
    return !capture->in_transaction && weir_binlog_offset_compare(&capture->offset, &capture->chunk->until) >= 0;
}

static int give_rows(weir_capture *capture, weir_error *err)
{
    weir_snapshot_chunk *chunk = capture->chunk;
    weir_batch *batch = &capture->batch;
    uint32_t *rows = weir_alloc(((size_t)chunk->rows.length + 1) * sizeof *rows);
    int64_t count = 0;
    int code = WEIR_OK;
    for (int64_t i = 0; i < chunk->rows.length; i++) {
        rows[count] = (uint32_t)i;
        count += !chunk->is_gone[i];
    }
    for (int32_t i = 0; i < chunk->rows.column_count && code == WEIR_OK; i++) {
        code = weir_vector_append_rows(&batch->columns[i], &chunk->rows.columns[i], rows, count, err);
    }
    for (int64_t i = 0; i < count && code == WEIR_OK; i++) {
        code = weir_capture_finish_row(capture, chunk->table, WEIR_INSERT, 0, batch, err);
    }
    free(rows);
    return code;
}

static int finish_chunk(weir_capture *capture, weir_error *err)
{
    weir_snapshot_chunk *chunk = capture->chunk;
    weir_captured_table *table = chunk->table;
    if (capture->batch.length + chunk->rows.length > capture->settings->batch_rows) {
        WEIR_TRY(weir_capture_flush(capture, err));
    }
    WEIR_TRY(give_rows(capture, err));
    weir_capture_key_free(&table->frontier);
    table->frontier = chunk->end;
    chunk->end = (weir_capture_key){0};
    if (table->frontier.texts == NULL) {
        table->stage = WEIR_CAPTURE_DONE;
    }
    capture->chunk = NULL;
    weir_snapshot_chunk_free(chunk);
    return weir_capture_flush(capture, err);
}

static void drop_chunk(weir_capture *capture)
{
    weir_snapshot_chunk_free(capture->chunk);
    capture->chunk = NULL;
}

/* Rows as of an offset must be of all transactions before it; that of one is only known when its id was read. */
static bool missed_some(const weir_capture *capture)
{
    const weir_snapshot_chunk *chunk = capture->chunk;
    return chunk->is_exact && !capture->query.is_mariadb && capture->offset.has_gtids &&
           !weir_gtid_set_contains(&chunk->until.gtids, &capture->offset.gtids);
}

static int follow_to(weir_capture *capture, const weir_binlog_offset *until, weir_error *err)
{
    bool idle;
    while (weir_binlog_offset_compare(&capture->offset, until) < 0) {
        WEIR_TRY(weir_capture_step(capture, &idle, err));
        if (capture->sink.is_stopping(capture->sink.self)) {
            return weir_fail(err, WEIR_CANCELLED, "stopped");
        }
    }
    return WEIR_OK;
}

/* The definition of now. Where rows of one before it are still to come, the binlog is read on first, and they are
 * passed over. */
static int load_for_chunk(weir_capture *capture, weir_captured_table *table, weir_error *err)
{
    weir_binlog_offset last;
    for (;;) {
        WEIR_TRY(weir_capture_reload(capture, table, err));
        WEIR_TRY(weir_capture_look_ahead(capture, table, &last, err));
        if (last.file[0] == '\0') {
            return WEIR_OK;
        }
        table->is_stale = true;
        if (table->frontier.texts != NULL) {
            return weir_capture_fail_ahead(table, err);
        }
        table->stage = WEIR_CAPTURE_WAITING;
        WEIR_TRY(follow_to(capture, &last, err));
        table->stage = WEIR_CAPTURE_READING;
    }
}

/* Begins the next chunk of a table. One that cannot be read because a column is gone is looked at again. */
static int begin_chunk(weir_capture *capture, weir_captured_table *table, weir_error *err)
{
    if (table->is_stale) {
        WEIR_TRY(load_for_chunk(capture, table, err));
    }
    int code = read_chunk(capture, table, err);
    if (code != WEIR_OK) {
        drop_chunk(capture);
    }
    if (code == WEIR_CONFLICT) {
        weir_error_clear(err);
        WEIR_TRY(weir_mysql_execute(&capture->query, "ROLLBACK", err));
        return weir_capture_reload(capture, table, err);
    }
    return code;
}

static void next_table(weir_capture *capture)
{
    int64_t rows = capture->settings->chunk_rows;
    capture->reading++;
    capture->chunk_rows = rows < FIRST_CHUNK_ROWS ? rows : FIRST_CHUNK_ROWS;
}

int weir_snapshot_step(weir_capture *capture, weir_error *err)
{
    bool idle;
    weir_captured_table *table = capture->tables[capture->reading];
    if (table->stage == WEIR_CAPTURE_DONE) {
        next_table(capture);
        return WEIR_OK;
    }
    /* First to the end of a transaction that was cut off, or to any place. */
    if (capture->chunk == NULL && (capture->offset.skip_rows > 0 || !capture->is_placed)) {
        return weir_capture_step(capture, &idle, err);
    }
    if (capture->chunk == NULL) {
        table->stage = WEIR_CAPTURE_READING;
        WEIR_TRY(begin_chunk(capture, table, err));
        if (capture->chunk == NULL) {
            return WEIR_OK;
        }
    }
    while (capture->chunk != NULL && !has_reached(capture)) {
        WEIR_TRY(weir_capture_step(capture, &idle, err));
        if (capture->sink.is_stopping(capture->sink.self)) {
            return weir_fail(err, WEIR_CANCELLED, "stopped");
        }
    }
    if (capture->chunk == NULL) {
        return WEIR_OK; /* the binlog had what the server does not */
    }
    if (missed_some(capture)) {
        drop_chunk(capture);
        return WEIR_OK;
    }
    return finish_chunk(capture, err);
}
