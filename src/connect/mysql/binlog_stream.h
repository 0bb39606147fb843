/* The binlog as a server sends it: a connection that asks for it, and event after event.
 *
 * What libmariadb offers for this is not used: it refuses MySQL 5.6 and misreads rows. Threading: as connection.h. */
#ifndef WEIR_MYSQL_BINLOG_STREAM_H
#define WEIR_MYSQL_BINLOG_STREAM_H

#include "connect/mysql/connection.h"
#include "connect/mysql/event.h"
#include "connect/mysql/offset.h"

typedef struct weir_binlog_stream {
    weir_mysql_connection connection;
    weir_binlog_format format;
} weir_binlog_stream;

/* Asks for everything after `offset`, by global ids where it has them. `server_id`: no other reader may have the same.
 *
 * WEIR_RETRY: the server is away, or this number is in use. WEIR_NOT_FOUND: what is asked for is no longer there. */
int weir_binlog_stream_open(const weir_mysql_address *address, const weir_binlog_offset *offset, uint32_t server_id,
                            weir_binlog_stream *out, weir_error *err);
void weir_binlog_stream_close(weir_binlog_stream *stream);

/* Whether something came from the server within this time. (It may be that something is there even so.) */
bool weir_binlog_stream_wait(const weir_binlog_stream *stream, int wait_ms);

/* The next event, which is borrowed until the next call. Waits for it; a server that has nothing says so each second.
 */
int weir_binlog_stream_next(weir_binlog_stream *stream, weir_binlog_event *out, weir_error *err);

#endif
