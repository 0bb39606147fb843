/* Events of the binlog as bytes: headers, checksums, and the fields of the kinds that matter. Pure functions over bytes
 * that come from a server or a file; nothing is trusted. What is in rows is read by value.h.
 *
 * Slices are borrowed from the event. */
#ifndef WEIR_MYSQL_EVENT_H
#define WEIR_MYSQL_EVENT_H

#include "base/base.h"

typedef enum weir_binlog_event_type {
    WEIR_BINLOG_QUERY = 2,
    WEIR_BINLOG_STOP = 3,
    WEIR_BINLOG_ROTATE = 4,
    WEIR_BINLOG_FORMAT = 15,
    WEIR_BINLOG_XID = 16,
    WEIR_BINLOG_LOAD_QUERY = 18,
    WEIR_BINLOG_TABLE_MAP = 19,
    WEIR_BINLOG_WRITE_ROWS_0 = 20,
    WEIR_BINLOG_DELETE_ROWS_0 = 22,
    WEIR_BINLOG_WRITE_ROWS_1 = 23,
    WEIR_BINLOG_UPDATE_ROWS_1 = 24,
    WEIR_BINLOG_DELETE_ROWS_1 = 25,
    WEIR_BINLOG_INCIDENT = 26,
    WEIR_BINLOG_HEARTBEAT = 27,
    WEIR_BINLOG_WRITE_ROWS_2 = 30,
    WEIR_BINLOG_UPDATE_ROWS_2 = 31,
    WEIR_BINLOG_DELETE_ROWS_2 = 32,
    WEIR_BINLOG_GTID = 33,
    WEIR_BINLOG_ANONYMOUS_GTID = 34,
    WEIR_BINLOG_PREVIOUS_GTIDS = 35,
    WEIR_BINLOG_XA_PREPARE = 38,
    WEIR_BINLOG_PARTIAL_UPDATE_ROWS = 39,
    WEIR_BINLOG_TRANSACTION_PAYLOAD = 40,
    WEIR_BINLOG_HEARTBEAT_2 = 41,
    WEIR_BINLOG_GTID_TAGGED = 42,
    WEIR_BINLOG_MARIADB_CHECKPOINT = 161,
    WEIR_BINLOG_MARIADB_GTID = 162,
    WEIR_BINLOG_MARIADB_GTID_LIST = 163,
    WEIR_BINLOG_MARIADB_ENCRYPTION = 164,
    WEIR_BINLOG_MARIADB_QUERY_COMPRESSED = 165,
    WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_1 = 166,
    WEIR_BINLOG_MARIADB_UPDATE_ROWS_COMPRESSED_1 = 167,
    WEIR_BINLOG_MARIADB_DELETE_ROWS_COMPRESSED_1 = 168,
    WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_2 = 169,
    WEIR_BINLOG_MARIADB_UPDATE_ROWS_COMPRESSED_2 = 170,
    WEIR_BINLOG_MARIADB_DELETE_ROWS_COMPRESSED_2 = 171
} weir_binlog_event_type;

/* What events look like from here on, as a format description says. Zero-initialized: without checksums. */
typedef struct weir_binlog_format {
    bool has_checksums;
    bool is_mariadb;
    uint8_t fixed_sizes[256]; /* of the fixed part after the header, by type; 0: not told */
} weir_binlog_format;

/* | timestamp: 4 | type: 1 | server: 4 | size: 4 | next position: 4 | flags: 2 | body | crc32: 4, where the format has
 * it | */
typedef struct weir_binlog_event {
    uint32_t timestamp_s; /* when the statement began; 0: not an event of the log */
    uint8_t type;
    uint32_t server_id;
    uint32_t next_position; /* the low half of it; 0: not an event of the log */
    uint16_t flags;
    weir_slice body; /* without header and checksum */
} weir_binlog_event;

#define WEIR_BINLOG_ARTIFICIAL 0x20 /* among flags: made up for us, not in the log */

/* Takes an event apart and checks its checksum. */
int weir_binlog_event_parse(weir_slice bytes, const weir_binlog_format *format, weir_binlog_event *out,
                            weir_error *err);

/* The position behind an event, where the one before it was at `position`: events have 32 bits of it, and files may be
 * longer. Events that are not of transactions leave it as it is: they may have been sent from the beginning of the
 * file. */
uint64_t weir_binlog_position_after(const weir_binlog_event *event, uint64_t position);

int weir_binlog_parse_format(const weir_binlog_event *event, weir_binlog_format *out, weir_error *err);

/* The file that goes on, and where in it. */
int weir_binlog_parse_rotate(const weir_binlog_event *event, weir_slice *out_file, uint64_t *out_position,
                             weir_error *err);

/* The position that the server has reached, of both kinds of heartbeats. */
int weir_binlog_parse_heartbeat(const weir_binlog_event *event, weir_slice *out_file, uint64_t *out_position,
                                weir_error *err);

typedef struct weir_binlog_gtid {
    uint8_t uuid[16]; /* MySQL */
    uint64_t number;
    uint32_t domain;  /* MariaDB */
    bool is_alone;    /* MariaDB: one statement, without a commit after it */
    bool is_prepared; /* MariaDB: the first half of an XA transaction, which may be taken back by the second */
} weir_binlog_gtid;

int weir_binlog_parse_gtid(const weir_binlog_event *event, weir_binlog_gtid *out, weir_error *err);

/* What ends the first half of an XA transaction of MySQL: *out_commits, when there is no second one. */
int weir_binlog_parse_xa_prepare(const weir_binlog_event *event, bool *out_commits, weir_error *err);

typedef struct weir_binlog_query {
    weir_slice database;
    weir_slice text;
    uint32_t collation; /* of the text, which tells its character set; 0: not told */
} weir_binlog_query;

/* `scratch` takes the text of a compressed one. */
int weir_binlog_parse_query(const weir_binlog_event *event, weir_buffer *scratch, weir_binlog_query *out,
                            weir_error *err);

typedef enum weir_binlog_change { WEIR_BINLOG_INSERT, WEIR_BINLOG_UPDATE, WEIR_BINLOG_DELETE } weir_binlog_change;

typedef struct weir_binlog_rows {
    weir_binlog_change change;
    uint32_t column_count;
    weir_slice rows; /* row after row; of updates the old and the new one */
} weir_binlog_rows;

/* Whether it is an event with rows, of a version that is read. */
bool weir_binlog_is_rows(uint8_t type);

/* The number of the table that they belong to: all that is asked of tables that are not wanted. */
int weir_binlog_parse_rows_table(const weir_binlog_event *event, const weir_binlog_format *format, uint64_t *out,
                                 weir_error *err);

/* Rows that lack columns are refused. `scratch` takes those of a compressed event. */
int weir_binlog_parse_rows(const weir_binlog_event *event, const weir_binlog_format *format, weir_buffer *scratch,
                           weir_binlog_rows *out, weir_error *err);

/* The events of a compressed transaction, one after the other, appended. */
int weir_binlog_unpack_transaction(const weir_binlog_event *event, weir_buffer *out, weir_error *err);

/* Takes the next of them off *events. */
int weir_binlog_next_packed(weir_slice *events, weir_binlog_event *out, weir_error *err);

#endif
