/* Looking ahead: rows whose columns have no names are read by the places of columns in a definition that the server
 * gives as it is now. Where statements lie between the rows and now, it may be the definition of later rows. They are
 * looked for by SHOW BINLOG EVENTS, each part of the binlog once. */
#include <stdlib.h>

#include "connect/mysql/ddl.h"
#include "connect/mysql/snapshot.h"

void weir_capture_ahead_free(weir_capture_ahead *ahead)
{
    free(ahead->statements);
    weir_arena_free(&ahead->arena);
    *ahead = (weir_capture_ahead){0};
}

/* ---- statements ---- */

static void add_statement(weir_capture *capture, const weir_ddl_table *named, const char *default_database,
                          const weir_binlog_offset *after)
{
    weir_capture_ahead *ahead = &capture->ahead;
    const char *database = named->database != NULL ? named->database : default_database;
    if (named->table != NULL && !weir_capture_wants(capture, database, named->table)) {
        return;
    }
    WEIR_GROW(ahead->statements, ahead->capacity, ahead->count + 1);
    ahead->statements[ahead->count++] =
        (weir_capture_statement){.database = weir_arena_strdup(&ahead->arena, database),
                                 .table = weir_arena_strdup(&ahead->arena, named->table),
                                 .after = *after};
}

/* "use `d`; ALTER …": *out_database "" where it is not there. */
static weir_slice split_statement(weir_slice text, weir_arena *arena, const char **out_database)
{
    static const char before[] = "use `";
    weir_buffer name = {0};
    size_t at = sizeof before - 1;
    *out_database = "";
    if (text.size < at || memcmp(text.data, before, at) != 0) {
        return text;
    }
    for (; at < text.size && (text.data[at] != '`' || (at + 1 < text.size && text.data[at + 1] == '`')); at++) {
        at += text.data[at] == '`';
        weir_buffer_append_byte(&name, text.data[at]);
    }
    *out_database = weir_arena_strdup(arena, weir_buffer_text(&name));
    weir_buffer_free(&name);
    at = at + 3 < text.size ? at + 3 : text.size; /* `; and a blank */
    return weir_slice_of(text.data + at, text.size - at);
}

static bool changes_places(const weir_ddl *ddl)
{
    return ddl->kind == WEIR_DDL_ALTER
               ? ddl->moves_columns
               : ddl->kind == WEIR_DDL_DROP || ddl->kind == WEIR_DDL_RENAME || ddl->kind == WEIR_DDL_DROP_DATABASE;
}

static void take_statement(weir_capture *capture, weir_slice text, const weir_binlog_offset *after)
{
    weir_arena arena;
    weir_ddl ddl;
    const char *database;
    weir_arena_init(&arena);
    weir_slice statement = split_statement(text, &arena, &database);
    weir_ddl_parse(statement, &arena, &ddl);
    for (size_t i = 0; changes_places(&ddl) && i < ddl.table_count; i++) {
        add_statement(capture, &ddl.tables[i], database, after);
    }
    weir_arena_free(&arena);
}

/* ---- the binlog ---- */

/* One file from a position on, or from its beginning (0). */
static int scan_file(weir_capture *capture, const char *file, uint64_t position, weir_error *err)
{
    enum { TYPE = 2, END = 4, INFO = 5 };
    weir_mysql_connection *connection = &capture->query;
    weir_buffer sql = {0};
    weir_binlog_offset after = {0};
    MYSQL_ROW row;
    weir_binlog_offset_set_file(&after, weir_slice_text(file));
    weir_buffer_append_format(&sql, "SHOW BINLOG EVENTS IN '%s'", file);
    if (position > 0) {
        weir_buffer_append_format(&sql, " FROM %" PRIu64, position);
    }
    capture->sink.set_waiting(capture->sink.self, connection);
    int failed = connection->library->real_query(connection->handle, (const char *)sql.data, (unsigned long)sql.size);
    weir_buffer_free(&sql);
    MYSQL_RES *result = failed != 0 ? NULL : connection->library->use_result(connection->handle);
    while (result != NULL && (row = connection->library->fetch_row(result)) != NULL) {
        if (row[TYPE] != NULL && strncmp(row[TYPE], "Query", 5) == 0 && row[INFO] != NULL) {
            after.position = strtoull(row[END], NULL, 10);
            take_statement(capture, weir_slice_text(row[INFO]), &after);
        }
    }
    capture->sink.set_waiting(capture->sink.self, NULL);
    failed = connection->library->error_number(connection->handle) != 0;
    if (result != NULL) {
        connection->library->free_result(result);
    }
    return failed ? weir_mysql_fail(connection, "SHOW BINLOG EVENTS", err) : WEIR_OK;
}

/* From a place to the server's end. */
static int scan(weir_capture *capture, const weir_binlog_offset *from, const weir_binlog_offset *to, weir_error *err)
{
    weir_arena arena;
    const char **files = NULL;
    size_t count = 0;
    if (strcmp(from->file, to->file) == 0) {
        return scan_file(capture, from->file, from->position, err);
    }
    weir_arena_init(&arena);
    int code = weir_capture_list_files(capture, &arena, &files, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        weir_binlog_offset file = {0};
        weir_binlog_offset_set_file(&file, weir_slice_text(files[i]));
        bool is_first = strcmp(file.file, from->file) == 0;
        if (is_first || weir_binlog_offset_compare(&file, from) > 0) {
            code = scan_file(capture, files[i], is_first ? from->position : 0, err);
        }
    }
    weir_arena_free(&arena);
    return code;
}

/* Where rows come from next. */
static void set_here(const weir_capture *capture, weir_binlog_offset *out)
{
    bool is_reading = capture->stream.connection.handle != NULL;
    weir_binlog_offset_set_file(out, weir_slice_text(is_reading ? capture->stream_file : capture->offset.file));
    out->position = is_reading ? capture->next_position : capture->offset.position;
}

static bool concerns(const weir_capture *capture, const weir_capture_statement *statement,
                     const weir_mysql_table *definition)
{
    return weir_capture_is_name(capture, definition->database, statement->database) &&
           (statement->table == NULL || weir_capture_is_name(capture, definition->name, statement->table));
}

int weir_capture_look_ahead(weir_capture *capture, const weir_captured_table *table, weir_binlog_offset *out_last,
                            weir_error *err)
{
    weir_capture_ahead *ahead = &capture->ahead;
    weir_binlog_offset here = {0};
    weir_binlog_offset server = {0};
    *out_last = (weir_binlog_offset){0};
    if (capture->tells_names) {
        return WEIR_OK;
    }
    set_here(capture, &here);
    WEIR_TRY(weir_capture_server_place(capture, &server, err));
    const weir_binlog_offset *from = weir_binlog_offset_compare(&ahead->until, &here) > 0 ? &ahead->until : &here;
    if (weir_binlog_offset_compare(&server, from) > 0) {
        WEIR_TRY(scan(capture, from, &server, err));
        ahead->until = server;
    }
    for (size_t i = 0; i < ahead->count; i++) {
        const weir_capture_statement *statement = &ahead->statements[i];
        if (weir_binlog_offset_compare(&statement->after, &here) > 0 &&
            concerns(capture, statement, &table->definition)) {
            *out_last = statement->after;
        }
    }
    return WEIR_OK;
}

int weir_capture_fail_ahead(const weir_captured_table *table, weir_error *err)
{
    return weir_fail(
        err, WEIR_UNSUPPORTED,
        "table %s.%s was changed again before its rows were read, so that the places of their columns are not "
        "known; set binlog_row_metadata = FULL at the server, so that the binlog tells names, and start over "
        "with --fresh",
        table->definition.database, table->definition.name);
}
