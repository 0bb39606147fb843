/* Where a capture begins: what the server is like, and how far its binlog is. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "connect/mysql/snapshot.h"

#define QUERY_TIMEOUT_S 600
#define FIRST_POSITION  4

/* ---- the server ---- */

static int fail_setting(const weir_capture *capture, const char *name, const char *value, const char *needed,
                        weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "MySQL at %s:%u has %s = %s, and needs %s = %s for its changes to be read",
                     capture->settings->address.host, capture->settings->address.port, name, value, name, needed);
}

static int check_variable(weir_capture *capture, const char *name, const char *value, weir_error *err)
{
    static const struct {
        const char *name;
        const char *needed;
    } needs[] = {{"log_bin", "ON"}, {"binlog_format", "ROW"}, {"binlog_row_image", "FULL"}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (strcmp(name, needs[i].name) == 0 && !weir_text_equal_ignore_case(value, needs[i].needed)) {
            return fail_setting(capture, name, value, needs[i].needed, err);
        }
    }
    if (strcmp(name, "binlog_row_value_options") == 0 && *value != '\0') {
        return fail_setting(capture, name, value, "''", err);
    }
    if (strcmp(name, "binlog_row_metadata") == 0) {
        capture->tells_names = weir_text_equal_ignore_case(value, "FULL");
    }
    if (strcmp(name, "lower_case_table_names") == 0) {
        capture->ignores_case = strcmp(value, "0") != 0;
    }
    if (strcmp(name, "gtid_mode") == 0) {
        capture->has_gtid_mode = weir_text_equal_ignore_case(value, "ON");
    }
    return WEIR_OK;
}

static int check_server(weir_capture *capture, weir_error *err)
{
    MYSQL_RES *result;
    MYSQL_ROW row;
    int code = WEIR_OK;
    capture->has_gtid_mode = capture->query.is_mariadb;
    capture->tells_names = false; /* unless it is said */
    WEIR_TRY(weir_mysql_query(&capture->query,
                              "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', "
                              "'binlog_row_image', 'binlog_row_value_options', 'gtid_mode', "
                              "'lower_case_table_names', 'binlog_row_metadata')",
                              &result, err));
    while (code == WEIR_OK && (row = capture->query.library->fetch_row(result)) != NULL) {
        code = check_variable(capture, row[0], row[1], err);
    }
    capture->query.library->free_result(result);
    return code;
}

/* ---- connections ---- */

int weir_capture_connect(weir_capture *capture, weir_error *err)
{
    if (capture->query.handle != NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_mysql_connect(&capture->settings->address, QUERY_TIMEOUT_S, &capture->query, err));
    int code = weir_mysql_execute(&capture->query, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", err);
    if (code == WEIR_OK) {
        code = check_server(capture, err);
    }
    if (code == WEIR_OK) {
        code = weir_capture_meet_server(capture, err);
    }
    if (code != WEIR_OK) {
        weir_mysql_disconnect(&capture->query);
    }
    return code;
}

/* A transaction that was cut off comes again: what was given out of it is passed over then. */
int weir_capture_connect_stream(weir_capture *capture, weir_error *err)
{
    if (capture->stream.connection.handle != NULL) {
        return WEIR_OK;
    }
    uint64_t taken = capture->rows_in_transaction;
    if (!weir_capture_take_back(capture)) {
        capture->offset.skip_rows = taken > capture->offset.skip_rows ? taken : capture->offset.skip_rows;
    }
    capture->rows_in_transaction = 0;
    capture->in_transaction = capture->has_begun = capture->has_gtid = capture->is_xa = false;
    weir_map_free(&capture->table_ids);
    capture->table_ids = (weir_map){0};
    memcpy(capture->stream_file, capture->offset.file, sizeof capture->stream_file);
    capture->next_position = capture->offset.position;
    weir_binlog_offset_free(&capture->caught_up);
    WEIR_TRY(weir_capture_server_offset(capture, &capture->caught_up, err));
    WEIR_TRY(weir_binlog_stream_open(&capture->settings->address, &capture->offset, capture->settings->server_id,
                                     &capture->stream, err));
    if (strcmp(capture->stream.connection.server, capture->server) != 0) {
        weir_binlog_stream_close(&capture->stream);
        return weir_fail(err, WEIR_RETRY, "two servers answer at %s:%u", capture->settings->address.host,
                         capture->settings->address.port);
    }
    return WEIR_OK;
}

void weir_capture_disconnect(weir_capture *capture)
{
    if (capture->stream.connection.handle != NULL) {
        weir_binlog_stream_close(&capture->stream);
    }
    weir_mysql_disconnect(&capture->query);
}

/* ---- offsets ---- */

/* MySQL tells its committed transactions in the same row; MariaDB is asked for those before a place. */
static int read_gtids(weir_capture *capture, const char *mysql_gtids, weir_binlog_offset *out, weir_error *err)
{
    weir_arena arena;
    const char *text = mysql_gtids;
    if (!capture->has_gtid_mode) {
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    int code = WEIR_OK;
    if (capture->query.is_mariadb) {
        weir_buffer sql = {0};
        weir_buffer_append_format(&sql, "SELECT BINLOG_GTID_POS('%s', %" PRIu64 ")", out->file, out->position);
        code = weir_mysql_query_text(&capture->query, weir_buffer_text(&sql), &arena, &text, err);
        weir_buffer_free(&sql);
    }
    if (code == WEIR_OK && text != NULL) {
        code = weir_gtid_set_parse(text, capture->query.is_mariadb, &out->gtids, err);
        out->has_gtids = code == WEIR_OK;
    }
    weir_arena_free(&arena);
    return code;
}

/* With `gtids`, of MySQL, in the arena; NULL: not asked for. */
static int read_place(weir_capture *capture, weir_binlog_offset *out, weir_arena *arena, const char **gtids,
                      weir_error *err)
{
    enum { FILE_NAME = 0, POSITION = 1, GTIDS = 4 };
    weir_mysql_connection *connection = &capture->query;
    const char *sql =
        !connection->is_mariadb && connection->version >= 80200 ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS";
    MYSQL_RES *result;
    *out = (weir_binlog_offset){0};
    WEIR_TRY(weir_mysql_query(connection, sql, &result, err));
    MYSQL_ROW row = connection->library->fetch_row(result);
    int code = WEIR_OK;
    if (row == NULL || !weir_binlog_offset_set_file(out, weir_slice_text(row[FILE_NAME]))) {
        code = weir_fail(err, WEIR_INVALID, "MySQL at %s:%u keeps no binlog: start it with log_bin",
                         connection->address->host, connection->address->port);
    } else {
        out->position = strtoull(row[POSITION], NULL, 10);
        if (gtids != NULL) {
            *gtids = connection->library->field_count(result) > GTIDS ? weir_arena_strdup(arena, row[GTIDS]) : NULL;
        }
    }
    connection->library->free_result(result);
    return code;
}

int weir_capture_server_place(weir_capture *capture, weir_binlog_offset *out, weir_error *err)
{
    return read_place(capture, out, NULL, NULL, err);
}

int weir_capture_server_offset(weir_capture *capture, weir_binlog_offset *out, weir_error *err)
{
    weir_arena arena;
    const char *gtids = NULL;
    weir_arena_init(&arena);
    int code = read_place(capture, out, &arena, &gtids, err);
    code = code == WEIR_OK ? read_gtids(capture, gtids, out, err) : code;
    weir_arena_free(&arena);
    return code;
}

static int offset_of_option(weir_capture *capture, weir_error *err)
{
    const weir_mysql_settings *settings = capture->settings;
    weir_binlog_offset *offset = &capture->offset;
    if (!weir_binlog_offset_set_file(offset, weir_slice_text(settings->start_file))) {
        return weir_fail(err, WEIR_INVALID, "'scan.startup.specific-offset.file': no file of a binlog has such a name");
    }
    offset->position = settings->start_position;
    offset->skip_rows = settings->start_skip_rows;
    if (settings->start_gtids == NULL) {
        return WEIR_OK;
    }
    if (!capture->has_gtid_mode) {
        return weir_fail(
            err, WEIR_INVALID,
            "'scan.startup.specific-offset.gtid-set': MySQL at %s:%u has gtid_mode = OFF; say where to start "
            "by 'scan.startup.specific-offset.file' and 'scan.startup.specific-offset.pos'",
            settings->address.host, settings->address.port);
    }
    offset->has_gtids = true;
    return weir_gtid_set_parse(settings->start_gtids, capture->query.is_mariadb, &offset->gtids, err);
}

/* When a file was begun. */
static int time_of_file(weir_capture *capture, const char *file, int64_t *out_ms, weir_error *err)
{
    weir_binlog_stream stream;
    weir_binlog_event event;
    weir_binlog_offset offset = {.position = FIRST_POSITION};
    weir_binlog_offset_set_file(&offset, weir_slice_text(file));
    WEIR_TRY(weir_binlog_stream_open(&capture->settings->address, &offset, capture->settings->server_id, &stream, err));
    *out_ms = 0;
    int code = WEIR_OK;
    while (code == WEIR_OK && *out_ms == 0) {
        code = weir_binlog_stream_next(&stream, &event, err);
        if (code == WEIR_OK && event.type != WEIR_BINLOG_ROTATE) {
            *out_ms = (int64_t)event.timestamp_s * 1000;
        }
    }
    weir_binlog_stream_close(&stream);
    return code;
}

int weir_capture_list_files(weir_capture *capture, weir_arena *arena, const char ***out, size_t *out_count,
                            weir_error *err)
{
    MYSQL_RES *result;
    MYSQL_ROW row;
    size_t capacity = 0;
    const char **files = NULL;
    *out_count = 0;
    WEIR_TRY(weir_mysql_query(&capture->query, "SHOW BINARY LOGS", &result, err));
    while ((row = capture->query.library->fetch_row(result)) != NULL) {
        WEIR_GROW(files, capacity, *out_count + 1);
        files[(*out_count)++] = weir_arena_strdup(arena, row[0]);
    }
    capture->query.library->free_result(result);
    *out = *out_count == 0 ? NULL : weir_arena_copy(arena, files, *out_count * sizeof *files);
    free(files);
    return WEIR_OK;
}

/* The last file that was begun before the time, or the first one there is. */
static int offset_of_time(weir_capture *capture, weir_error *err)
{
    weir_arena arena;
    const char **files;
    size_t count;
    weir_arena_init(&arena);
    capture->skip_before_ms = capture->settings->start_ms;
    capture->offset.position = FIRST_POSITION;
    int code = weir_capture_list_files(capture, &arena, &files, &count, err);
    size_t from = 0;
    while (code == WEIR_OK && count > 1) {
        int64_t begun_ms;
        size_t half = count / 2;
        code = time_of_file(capture, files[from + half], &begun_ms, err);
        if (begun_ms < capture->settings->start_ms) {
            from += half;
            count -= half;
        } else {
            count = half;
        }
    }
    if (code == WEIR_OK && count > 0) {
        weir_binlog_offset_set_file(&capture->offset, weir_slice_text(files[from]));
    }
    weir_arena_free(&arena);
    return code;
}

static int find_offset(weir_capture *capture, weir_error *err)
{
    switch (capture->settings->startup) {
    case WEIR_MYSQL_FROM_EARLIEST:
        capture->offset.position = FIRST_POSITION;
        return WEIR_OK;
    case WEIR_MYSQL_FROM_OFFSET:
        return offset_of_option(capture, err);
    case WEIR_MYSQL_FROM_TIME:
        return offset_of_time(capture, err);
    default:
        return weir_capture_server_offset(capture, &capture->offset, err);
    }
}

/* The clock that TIMESTAMPs are shown by should be the server's. */
static int check_zone(weir_capture *capture, weir_error *err)
{
    weir_arena arena;
    const char *seconds;
    weir_arena_init(&arena);
    int code =
        weir_mysql_query_text(&capture->query,
                              "SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', "
                              "@@global.time_zone))",
                              &arena, &seconds, err);
    if (code == WEIR_OK && seconds != NULL && capture->settings->conversion.zone != NULL) {
        int64_t now_s = weir_now_ms() / 1000;
        long offset = strtol(seconds, NULL, 10);
        if (offset != weir_zone_offset(capture->settings->conversion.zone, now_s)) {
            weir_log(
                WEIR_LOG_WARN,
                "MySQL at %s:%u is %ld seconds ahead of UTC, 'server-time-zone' another number: TIMESTAMPs are shown "
                "by the latter",
                capture->settings->address.host, capture->settings->address.port, offset);
        }
    }
    weir_arena_free(&arena);
    return code;
}

int weir_capture_start(weir_capture *capture, weir_slice position, weir_error *err)
{
    WEIR_TRY(weir_capture_connect(capture, err));
    if (position.size > 0) {
        if (capture->table_count == 0) {
            WEIR_TRY(weir_capture_decode(capture, position, err));
            WEIR_TRY(weir_capture_meet_server(capture, err));
        }
        return weir_capture_check_fields(capture, err);
    }
    WEIR_TRY(check_zone(capture, err));
    WEIR_TRY(find_offset(capture, err));
    if (weir_mysql_reads_rows(capture->settings)) {
        WEIR_TRY(weir_capture_wait_for_prepared(capture, err));
    }
    WEIR_TRY(weir_capture_find_tables(capture, err));
    WEIR_TRY(weir_capture_check_fields(capture, err));
    for (size_t i = 0; i < capture->table_count; i++) {
        capture->tables[i]->is_stale = true; /* it may be changed before its first row is read */
    }
    capture->has_news = true;
    return WEIR_OK;
}
