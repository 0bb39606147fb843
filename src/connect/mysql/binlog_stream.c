#include "connect/mysql/binlog_stream.h"

#include <ma_pvio.h>
#include <poll.h>
#include <stdio.h>

#include "base/clock.h"

/* A server that has nothing to tell says so; one that does not is gone. */
#define HEARTBEAT_NS    "1000000000"
#define READ_TIMEOUT_S  30
#define FIRST_POSITION  4
#define MARIADB_ABILITY "4" /* global ids are understood */
#define THROUGH_GTID    4

enum { DUMP = 0x12, DUMP_GTID = 0x1E, PURGED_OR_IN_USE = 1236 };

/* ---- asking ---- */

static int set_up_session(weir_mysql_connection *connection, weir_error *err)
{
    char uuid[WEIR_UUID_SIZE];
    char sql[256];
    WEIR_TRY(weir_mysql_execute(connection,
                                "SET @master_binlog_checksum = @@global.binlog_checksum, "
                                "@source_binlog_checksum = @@global.binlog_checksum, "
                                "@master_heartbeat_period = " HEARTBEAT_NS ", "
                                "@source_heartbeat_period = " HEARTBEAT_NS,
                                err));
    if (connection->is_mariadb) {
        return weir_mysql_execute(connection,
                                  "SET @mariadb_slave_capability = " MARIADB_ABILITY ", @slave_gtid_strict_mode = 0, "
                                  "@slave_gtid_ignore_duplicates = 0",
                                  err);
    }
    weir_uuid(uuid);
    snprintf(sql, sizeof sql, "SET @slave_uuid = '%s', @replica_uuid = '%s'", uuid, uuid);
    return weir_mysql_execute(connection, sql, err);
}

static int send_command(weir_mysql_connection *connection, int command, const weir_buffer *request, weir_error *err)
{
    if (connection->handle->methods->db_command(connection->handle, (enum enum_server_command)command,
                                                (const char *)request->data, request->size, 1, NULL) != 0) {
        return weir_mysql_fail(connection, "asking for the binlog", err);
    }
    return WEIR_OK;
}

/* | position: 4 | flags: 2 | server id: 4 | file | */
static int dump_by_position(weir_mysql_connection *connection, const weir_binlog_offset *offset, uint32_t server_id,
                            weir_error *err)
{
    weir_buffer request = {0};
    uint64_t position = offset->position < FIRST_POSITION ? FIRST_POSITION : offset->position;
    if (position > UINT32_MAX) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "binlog file %s: a server sends what is beyond 4 GB of a file only by global transaction ids; "
                         "turn on gtid_mode",
                         offset->file);
    }
    weir_put_u32(&request, (uint32_t)position);
    weir_put_number(&request, 0, 2);
    weir_put_u32(&request, server_id);
    weir_buffer_append_text(&request, offset->file);
    int code = send_command(connection, DUMP, &request, err);
    weir_buffer_free(&request);
    return code;
}

/* | flags: 2 | server id: 4 | file's length: 4, none | position: 8 | size of the set: 4, the set | */
static int dump_by_gtids(weir_mysql_connection *connection, const weir_binlog_offset *offset, uint32_t server_id,
                         weir_error *err)
{
    weir_buffer request = {0};
    weir_buffer set = {0};
    weir_gtid_set_encode(&offset->gtids, &set);
    weir_put_number(&request, THROUGH_GTID, 2);
    weir_put_u32(&request, server_id);
    weir_put_u32(&request, 0);
    weir_put_u64(&request, FIRST_POSITION);
    weir_put_slice(&request, weir_buffer_slice(&set));
    int code = send_command(connection, DUMP_GTID, &request, err);
    weir_buffer_free(&request);
    weir_buffer_free(&set);
    return code;
}

/* MariaDB is told in a variable. */
static int dump_by_domains(weir_mysql_connection *connection, const weir_binlog_offset *offset, uint32_t server_id,
                           weir_error *err)
{
    weir_buffer sql = {0};
    const weir_binlog_offset start = {.position = FIRST_POSITION};
    weir_buffer_append_text(&sql, "SET @slave_connect_state = '");
    weir_gtid_set_format(&offset->gtids, &sql);
    weir_buffer_append_text(&sql, "'");
    int code = weir_mysql_execute(connection, weir_buffer_text(&sql), err);
    weir_buffer_free(&sql);
    return code != WEIR_OK ? code : dump_by_position(connection, &start, server_id, err);
}

static int request_binlog(weir_mysql_connection *connection, const weir_binlog_offset *offset, uint32_t server_id,
                          weir_error *err)
{
    WEIR_TRY(set_up_session(connection, err));
    if (!offset->has_gtids || weir_gtid_set_is_empty(&offset->gtids)) {
        return dump_by_position(connection, offset, server_id, err);
    }
    return connection->is_mariadb ? dump_by_domains(connection, offset, server_id, err)
                                  : dump_by_gtids(connection, offset, server_id, err);
}

int weir_binlog_stream_open(const weir_mysql_address *address, const weir_binlog_offset *offset, uint32_t server_id,
                            weir_binlog_stream *out, weir_error *err)
{
    *out = (weir_binlog_stream){0};
    WEIR_TRY(weir_mysql_connect(address, READ_TIMEOUT_S, &out->connection, err));
    int code = request_binlog(&out->connection, offset, server_id, err);
    if (code != WEIR_OK) {
        weir_binlog_stream_close(out);
    }
    return code;
}

/* Without the farewell, for which the server would not listen. */
void weir_binlog_stream_close(weir_binlog_stream *stream)
{
    weir_mysql_interrupt(&stream->connection);
    weir_mysql_disconnect(&stream->connection);
}

/* ---- events ---- */

bool weir_binlog_stream_wait(const weir_binlog_stream *stream, int wait_ms)
{
    const MARIADB_PVIO *buffered = stream->connection.handle->net.pvio;
    if (buffered->cache != NULL && buffered->cache_pos < buffered->cache + buffered->cache_size) {
        return true;
    }
    struct pollfd poll_for = {.fd = stream->connection.library->socket(stream->connection.handle), .events = POLLIN};
    return poll(&poll_for, 1, wait_ms) > 0;
}

/* One number of errors stands for most that a server has to say of its binlog. */
static int fail_from_server(const weir_binlog_stream *stream, weir_error *err)
{
    const weir_mysql_connection *connection = &stream->connection;
    unsigned number = connection->library->error_number(connection->handle);
    const char *text = connection->library->error_text(connection->handle);
    if (number != PURGED_OR_IN_USE) {
        return weir_mysql_fail(connection, "reading the binlog", err);
    }
    bool is_purged = strstr(text, "purged") != NULL || strstr(text, "Could not find") != NULL ||
                     strstr(text, "could not find") != NULL || strstr(text, "not in the master's binlog") != NULL ||
                     strstr(text, "missing") != NULL;
    if (is_purged) {
        return weir_fail(
            err, WEIR_NOT_FOUND,
            "MySQL at %s:%u no longer has the binlog from where this job stopped, and changes are lost (%s); "
            "start over with --fresh, and let the server keep its binlog longer "
            "(binlog_expire_logs_seconds, expire_logs_days)",
            connection->address->host, connection->address->port, text);
    }
    bool is_taken = strstr(text, "same server") != NULL || strstr(text, "same server_uuid") != NULL;
    return (weir_fail)(err, is_taken ? WEIR_RETRY : WEIR_IO, "MySQL at %s:%u: reading the binlog: %s (error %u)%s",
                       connection->address->host, connection->address->port, text, number,
                       is_taken ? "; give each reader a 'server-id' of its own" : "");
}

int weir_binlog_stream_next(weir_binlog_stream *stream, weir_binlog_event *out, weir_error *err)
{
    weir_mysql_connection *connection = &stream->connection;
    unsigned long size = connection->library->read_packet(connection->handle);
    if (size == packet_error) {
        return fail_from_server(stream, err);
    }
    const uint8_t *packet = connection->handle->net.read_pos;
    if (size == 0 || packet[0] != 0) {
        return weir_fail(err, WEIR_RETRY, "MySQL at %s:%u has ended the binlog", connection->address->host,
                         connection->address->port);
    }
    WEIR_TRY(weir_binlog_event_parse(weir_slice_of(packet + 1, size - 1), &stream->format, out, err));
    if (out->type == WEIR_BINLOG_FORMAT) {
        return weir_binlog_parse_format(out, &stream->format, err);
    }
    return WEIR_OK;
}
