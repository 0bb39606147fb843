/* The tables of a server, followed: their rows chunk by chunk, and their changes from the binlog, as batches.
 *
 * There is one frontier: rows of keys up to it have been given out, as they were at the offset in the binlog; those
 * beyond it have not. A chunk moves the frontier: its rows are read while the offset stands still, then the binlog is
 * followed to where it was after that, changes within the chunk being made to its rows, changes before it given out,
 * changes beyond it passed over. So offset and frontier together say all there is to know, and what comes out is a
 * changelog: a row is inserted once, then changed. No table is locked.
 *
 * Everything here belongs to the thread that reads (reader.c). */
#ifndef WEIR_MYSQL_CAPTURE_H
#define WEIR_MYSQL_CAPTURE_H

#include "base/map.h"
#include "connect/mysql/binlog_stream.h"
#include "connect/mysql/settings.h"

typedef enum weir_capture_stage { WEIR_CAPTURE_WAITING, WEIR_CAPTURE_READING, WEIR_CAPTURE_DONE } weir_capture_stage;

/* Texts of a key's columns (or of the chunk column); NULL texts: before all of them. */
typedef struct weir_capture_key {
    weir_slice *texts; /* owned, as are their bytes */
    uint32_t count;
} weir_capture_key;

void weir_capture_key_free(weir_capture_key *key);

typedef struct weir_captured_table {
    weir_arena arena; /* of `definition` */
    weir_mysql_table definition;
    uint32_t *order; /* places of the columns that it is read in the order of */
    uint32_t order_count;
    bool is_stale; /* the server may have another definition now */
    weir_capture_stage stage;
    weir_capture_key frontier;

    weir_buffer map; /* body of the table map that `rows` was made for */
    weir_row_binding rows;
    bool has_rows;
} weir_captured_table;

/* What a thread that reads gives its batches to. */
typedef struct weir_capture_sink {
    /* Takes a batch and leaves an empty one; `position` is what to go on from. Waits until there is room.
     * WEIR_CANCELLED: the end. */
    int (*take)(void *self, weir_batch *batch, const weir_buffer *position, uint32_t last_change_s, weir_error *err);
    /* Whether to end. */
    bool (*is_stopping)(void *self);
    /* Another connection is waited for now; NULL: none. */
    void (*set_waiting)(void *self, const weir_mysql_connection *connection);
    /* Whether what comes out next is wanted at once. */
    bool (*is_hungry)(void *self);
    void *self;
} weir_capture_sink;

/* A statement further on in the binlog, after which a table has its columns at other places. */
typedef struct weir_capture_statement {
    const char *database;
    const char *table; /* NULL: all of the database */
    weir_binlog_offset after;
} weir_capture_statement;

typedef struct weir_capture_ahead {
    weir_arena arena;
    weir_capture_statement *statements;
    size_t count, capacity;
    weir_binlog_offset until; /* it was looked up to there; no file: not yet */
} weir_capture_ahead;

typedef struct weir_snapshot_chunk weir_snapshot_chunk;

typedef struct weir_capture {
    const weir_mysql_settings *settings;
    weir_capture_sink sink;
    weir_mysql_connection query; /* for everything but the binlog */
    weir_binlog_stream stream;
    bool has_gtid_mode; /* of MySQL */
    bool ignores_case;  /* of names of tables */
    bool tells_names;   /* maps have the names of columns */
    weir_capture_ahead ahead;

    weir_captured_table **tables;
    size_t table_count, table_capacity;
    weir_map table_ids; /* of the stream: 8 bytes to a table */
    bool *known_fields; /* whether any table has a column for it */

    weir_binlog_offset offset;           /* behind a whole transaction */
    char server[WEIR_MYSQL_SERVER_SIZE]; /* whose files the offset names; "": not known yet */
    bool is_placed;                      /* the offset's file and position are right, not only its global ids */
    weir_binlog_offset caught_up;        /* where the server was when the stream was opened */
    char stream_file[WEIR_BINLOG_NAME_SIZE];
    bool in_transaction;
    bool has_begun; /* by a BEGIN */
    bool has_gtid;
    weir_binlog_gtid gtid; /* of the transaction */
    uint32_t gtid_server;
    bool is_xa; /* … which may turn out to be only the first half of one */
    uint64_t rows_in_transaction;
    int64_t whole_rows;     /* of the batch: those of transactions that have ended */
    bool is_partly_given;   /* rows of the transaction are no longer in the batch */
    uint64_t next_position; /* of the event at hand, 64 bits */
    uint32_t change_s;      /* its time */
    int64_t skip_before_ms; /* changes before are passed over; 0: none */

    size_t reading;             /* the table that is read now, among `tables`; table_count: all are read */
    weir_snapshot_chunk *chunk; /* rows that wait for the binlog; NULL: none */
    int64_t chunk_rows;         /* to ask for next */

    bool may_be_invisible; /* a transaction was read since the last snapshot */

    weir_batch batch;
    int64_t batch_bytes; /* that its rows had in the binlog */
    uint32_t batch_change_s;
    int64_t batch_ns;         /* when its first row was there */
    int64_t pushed_ns;        /* when the last position was handed over */
    bool has_news;            /* the position is another one since */
    weir_mysql_value *values; /* of two rows */
    size_t value_capacity;
    weir_buffer scratch[4];
    weir_arena event_arena;
} weir_capture;

void weir_capture_init(weir_capture *capture, const weir_mysql_settings *settings, weir_capture_sink sink);
void weir_capture_free(weir_capture *capture);

/* capture_start.c: the server is looked at, tables are found, and where to start. The position (of weir_capture_encode)
 * is where an earlier capture was; empty: it begins. */
int weir_capture_start(weir_capture *capture, weir_slice position, weir_error *err);

/* Opens what is closed of the connections. */
int weir_capture_connect(weir_capture *capture, weir_error *err);
int weir_capture_connect_stream(weir_capture *capture, weir_error *err);
void weir_capture_disconnect(weir_capture *capture);

/* Where the server's binlog ends; and without global ids, which may take a while to find. */
int weir_capture_server_place(weir_capture *capture, weir_binlog_offset *out, weir_error *err);
int weir_capture_server_offset(weir_capture *capture, weir_binlog_offset *out, weir_error *err);
/* The files of its binlog, from the oldest on, in the arena. */
int weir_capture_list_files(weir_capture *capture, weir_arena *arena, const char ***out, size_t *out_count,
                            weir_error *err);

/* capture_prepared.c: to be called when the offset to begin at is known, and no row was read yet. */
int weir_capture_wait_for_prepared(weir_capture *capture, weir_error *err);

/* capture_failover.c: to be called when the server may be another one than before. WEIR_INVALID: the offset means
 * nothing there; WEIR_NOT_FOUND: it lacks transactions that were read, and does not get them within 'connect.timeout'.
 */
int weir_capture_meet_server(weir_capture *capture, weir_error *err);

/* capture_ahead.c: statements between here and the server's end that move columns of a table: its definition of now,
 * which was just loaded, is then not that of the rows at hand. *out_last: behind the last of them; no file: there is
 * none. */
int weir_capture_look_ahead(weir_capture *capture, const weir_captured_table *table, weir_binlog_offset *out_last,
                            weir_error *err);
int weir_capture_fail_ahead(const weir_captured_table *table, weir_error *err);
/* Forgets what was seen: it was another server's binlog. */
void weir_capture_ahead_free(weir_capture_ahead *ahead);

/* capture_tables.c */
bool weir_capture_wants(const weir_capture *capture, const char *database, const char *table);
bool weir_capture_is_name(const weir_capture *capture, const char *name, const char *written);
int weir_capture_find_tables(weir_capture *capture, weir_error *err);
int weir_capture_check_fields(weir_capture *capture, weir_error *err);
weir_captured_table *weir_capture_find(const weir_capture *capture, const char *database, const char *table);
weir_captured_table *weir_capture_add(weir_capture *capture);
int weir_capture_reload(weir_capture *capture, weir_captured_table *table, weir_error *err);
/* The table that a map speaks of, its rows bound; *out NULL: it is not wanted. */
int weir_capture_take_map(weir_capture *capture, const weir_binlog_event *event, weir_error *err);
int weir_capture_handle_ddl(weir_capture *capture, const weir_binlog_query *query, bool *out_ends, weir_error *err);

/* capture_rows.c: what an event with rows does. */
int weir_capture_take_rows(weir_capture *capture, const weir_binlog_event *event, weir_error *err);
/* Takes the rows of a transaction that has not ended out of the batch, as if it had not begun. False: some are given
 * out already. */
bool weir_capture_take_back(weir_capture *capture);
/* Fails: rows of the first half of an XA transaction are not known to stay. */
int weir_capture_refuse_xa(weir_error *err);
/* Appends a row that `columns` got already, and what is known of it beside. */
int weir_capture_finish_row(weir_capture *capture, const weir_captured_table *table, weir_row_kind kind,
                            uint32_t change_s, weir_batch *batch, weir_error *err);

/* capture_binlog.c: takes one event; flushes when there is enough. *out_idle: the server has nothing more now. */
int weir_capture_step(weir_capture *capture, bool *out_idle, weir_error *err);
bool weir_capture_is_caught_up(const weir_capture *capture);

/* snapshot.c: reads the next chunk; the last one makes capture->reading table_count. */
int weir_snapshot_step(weir_capture *capture, weir_error *err);

/* capture.c: hands over the batch, and the position. */
int weir_capture_flush(weir_capture *capture, weir_error *err);
void weir_capture_encode(const weir_capture *capture, weir_buffer *out);
int weir_capture_decode(weir_capture *capture, weir_slice position, weir_error *err);

/* " at binlog.000003:1234", added to what went wrong. */
int weir_capture_error_at(const weir_capture *capture, int code, weir_error *err);

#endif
