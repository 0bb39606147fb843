/* Event after event of the binlog: transactions, files, and what else is not rows. */
#include <stdlib.h>

#include "base/clock.h"
#include "connect/mysql/snapshot.h"

#define FIRST_POSITION 4
#define BATCH_WAIT_MS  2                       /* for more rows, when some are there */
#define BATCH_AGE_NS   ((int64_t)20 * 1000000) /* after which they are given to one who has none */

/* ---- positions ---- */

static void end_transaction(weir_capture *capture)
{
    weir_binlog_offset *offset = &capture->offset;
    if (capture->has_gtid && offset->has_gtids) {
        if (capture->stream.connection.is_mariadb) {
            weir_gtid_set_add_domain(&offset->gtids, (weir_gtid_domain){.domain = capture->gtid.domain,
                                                                        .server_id = capture->gtid_server,
                                                                        .sequence = capture->gtid.number});
        } else {
            weir_gtid_set_add(&offset->gtids, capture->gtid.uuid, capture->gtid.number);
        }
    } else if (offset->has_gtids) { /* a transaction without an id: from here on files and positions tell */
        weir_gtid_set_free(&offset->gtids);
        offset->has_gtids = false;
    }
    memcpy(offset->file, capture->stream_file, sizeof offset->file);
    offset->position = capture->next_position;
    offset->skip_rows = 0;
    capture->is_placed = true;
    capture->rows_in_transaction = 0;
    capture->whole_rows = capture->batch.length;
    capture->in_transaction = capture->has_begun = capture->has_gtid = capture->is_xa = false;
    capture->is_partly_given = false;
    capture->may_be_invisible = true;
    capture->has_news = true;
}

/* Between transactions the server tells how far it is. */
static void move_to(weir_capture *capture, const char *file, uint64_t position)
{
    weir_binlog_offset reached = {.position = position};
    weir_binlog_offset_set_file(&reached, weir_slice_text(file));
    if (!capture->in_transaction && weir_binlog_offset_compare(&reached, &capture->offset) > 0) {
        memcpy(capture->offset.file, reached.file, sizeof reached.file);
        capture->offset.position = position;
        capture->has_news = true;
    }
}

/* A server that crashed may have left the beginning of a transaction at the end of a file. It does not have it. */
static int forget_transaction(weir_capture *capture, weir_error *err)
{
    if (!weir_capture_take_back(capture)) {
        return weir_fail(err, WEIR_CORRUPT,
                         "the server has not finished writing a transaction of which %" PRIu64
                         " rows were given out; start over with --fresh",
                         capture->rows_in_transaction);
    }
    weir_snapshot_chunk_free(capture->chunk); /* it may have changes of it */
    capture->chunk = NULL;
    capture->rows_in_transaction = 0;
    capture->in_transaction = capture->has_begun = capture->has_gtid = capture->is_xa = false;
    return WEIR_OK;
}

static int take_rotate(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    weir_slice file;
    uint64_t position;
    weir_binlog_offset named = {0};
    WEIR_TRY(weir_binlog_parse_rotate(event, &file, &position, err));
    if (capture->in_transaction) {
        WEIR_TRY(forget_transaction(capture, err));
    }
    if (!weir_binlog_offset_set_file(&named, file)) {
        return weir_fail(err, WEIR_CORRUPT, "binlog: a file's name has %zu bytes", file.size);
    }
    memcpy(capture->stream_file, named.file, sizeof named.file);
    bool is_known = event->timestamp_s == 0 && strcmp(named.file, capture->offset.file) == 0;
    capture->next_position = is_known && position < capture->offset.position ? capture->offset.position : position;
    weir_map_free(&capture->table_ids);
    capture->table_ids = (weir_map){0};
    bool is_first = capture->offset.file[0] == '\0';
    if (is_first || event->timestamp_s != 0) { /* not what only names the file at the start of a stream */
        move_to(capture, capture->stream_file, position);
    }
    return WEIR_OK;
}

/* A position that the server has reached. */
static int take_heartbeat(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    weir_slice file;
    uint64_t position;
    weir_binlog_offset named = {0};
    WEIR_TRY(weir_binlog_parse_heartbeat(event, &file, &position, err));
    if (weir_binlog_offset_set_file(&named, file) && named.file[0] != '\0' && position > 0) {
        move_to(capture, named.file, position);
        capture->is_placed = capture->is_placed || !capture->in_transaction;
    }
    return WEIR_OK;
}

/* At the start of a file the server tells which transactions were before. */
static int take_earlier_gtids(weir_capture *capture, const weir_binlog_event *event, bool is_mariadb, weir_error *err)
{
    weir_gtid_set earlier;
    if (capture->offset.has_gtids || strcmp(capture->offset.file, capture->stream_file) != 0 ||
        capture->offset.position > FIRST_POSITION || (event->flags & WEIR_BINLOG_ARTIFICIAL) != 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_gtid_set_parse_event(event->body, is_mariadb, &earlier, err));
    if (weir_gtid_set_is_empty(&earlier) && !capture->has_gtid_mode) {
        return WEIR_OK;
    }
    weir_gtid_set_free(&capture->offset.gtids);
    capture->offset.gtids = earlier;
    capture->offset.has_gtids = true;
    return WEIR_OK;
}

static int take_gtid(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    WEIR_TRY(weir_binlog_parse_gtid(event, &capture->gtid, err));
    capture->has_gtid = true;
    capture->gtid_server = event->server_id;
    capture->in_transaction = true;
    capture->is_xa = capture->gtid.is_prepared;
    return WEIR_OK;
}

/* ---- statements ---- */

static int take_query(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    weir_binlog_query query;
    bool ends;
    WEIR_TRY(weir_binlog_parse_query(event, &capture->scratch[1], &query, err));
    /* Transactions begin with this one, nearly all of them. */
    if (query.text.size == 5 && memcmp(query.text.data, "BEGIN", 5) == 0) {
        capture->in_transaction = capture->has_begun = true;
        return WEIR_OK;
    }
    capture->is_xa = capture->is_xa || (query.text.size > 9 && memcmp(query.text.data, "XA START ", 9) == 0);
    WEIR_TRY(weir_capture_handle_ddl(capture, &query, &ends, err));
    if (ends) {
        end_transaction(capture);
    }
    return WEIR_OK;
}

static int refuse(const char *what, const char *advice, weir_error *err)
{
    return weir_fail(err, WEIR_UNSUPPORTED, "the binlog has %s, which this version does not read; %s", what, advice);
}

static int take_prepare(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    bool commits = false;
    if (!capture->stream.connection.is_mariadb) {
        WEIR_TRY(weir_binlog_parse_xa_prepare(event, &commits, err));
    }
    if (!commits && capture->rows_in_transaction > 0) {
        return weir_capture_refuse_xa(err);
    }
    end_transaction(capture);
    return WEIR_OK;
}

static int take_event(weir_capture *capture, const weir_binlog_event *event, weir_error *err);

static int take_payload(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    weir_buffer unpacked = {0};
    weir_binlog_event inner;
    int code = weir_binlog_unpack_transaction(event, &unpacked, err);
    weir_slice left = weir_buffer_slice(&unpacked);
    while (code == WEIR_OK && left.size > 0) {
        code = weir_binlog_next_packed(&left, &inner, err);
        if (code == WEIR_OK && inner.type == WEIR_BINLOG_TRANSACTION_PAYLOAD) {
            code = weir_fail(err, WEIR_CORRUPT, "binlog: a compressed transaction in another");
        }
        if (code == WEIR_OK) {
            code = take_event(capture, &inner, err);
        }
    }
    weir_buffer_free(&unpacked);
    return code;
}

static int take_event(weir_capture *capture, const weir_binlog_event *event, weir_error *err)
{
    capture->change_s = event->timestamp_s != 0 ? event->timestamp_s : capture->change_s;
    if (weir_binlog_is_rows(event->type)) {
        return weir_capture_take_rows(capture, event, err);
    }
    switch (event->type) {
    case WEIR_BINLOG_TABLE_MAP:
        return weir_capture_take_map(capture, event, err);
    case WEIR_BINLOG_GTID:
    case WEIR_BINLOG_MARIADB_GTID:
        return take_gtid(capture, event, err);
    case WEIR_BINLOG_ANONYMOUS_GTID:
        capture->in_transaction = true;
        return WEIR_OK;
    case WEIR_BINLOG_QUERY:
    case WEIR_BINLOG_LOAD_QUERY:
    case WEIR_BINLOG_MARIADB_QUERY_COMPRESSED:
        return take_query(capture, event, err);
    case WEIR_BINLOG_XID:
        end_transaction(capture);
        return WEIR_OK;
    case WEIR_BINLOG_ROTATE:
        return take_rotate(capture, event, err);
    case WEIR_BINLOG_HEARTBEAT:
    case WEIR_BINLOG_HEARTBEAT_2:
        return take_heartbeat(capture, event, err);
    case WEIR_BINLOG_PREVIOUS_GTIDS:
        return take_earlier_gtids(capture, event, false, err);
    case WEIR_BINLOG_MARIADB_GTID_LIST:
        return take_earlier_gtids(capture, event, true, err);
    case WEIR_BINLOG_TRANSACTION_PAYLOAD:
        return take_payload(capture, event, err);
    case WEIR_BINLOG_XA_PREPARE:
        return take_prepare(capture, event, err);
    case WEIR_BINLOG_PARTIAL_UPDATE_ROWS:
        return refuse("updates of parts of JSON documents",
                      "take PARTIAL_JSON out of binlog_row_value_options at the server, and start over", err);
    case WEIR_BINLOG_GTID_TAGGED:
        return refuse("transactions with tagged ids", "write without tags in gtid_next, and start over", err);
    case WEIR_BINLOG_INCIDENT:
        return weir_fail(err, WEIR_IO, "the server has lost changes before they came to its binlog; start over");
    default:
        return event->type >= WEIR_BINLOG_WRITE_ROWS_0 && event->type <= WEIR_BINLOG_DELETE_ROWS_0
                   ? refuse("rows as MySQL 5.1 wrote them", "set log_bin_use_v1_row_events = OFF, and start over", err)
                   : WEIR_OK;
    }
}

/* ---- the loop ---- */

bool weir_capture_is_caught_up(const weir_capture *capture)
{
    return weir_binlog_offset_compare(&capture->offset, &capture->caught_up) >= 0;
}

/* Rows go out when nothing follows them at once, or when whoever wants them has waited for a while; but with the end of
 * their transaction, which the server has whole. */
static int flush_in_time(weir_capture *capture, bool *out_idle, weir_error *err)
{
    if (capture->in_transaction) {
        return WEIR_OK;
    }
    if (capture->batch.length == 0) {
        capture->batch_ns = 0;
        return WEIR_OK;
    }
    int64_t now = weir_monotonic_ns();
    capture->batch_ns = capture->batch_ns == 0 ? now : capture->batch_ns;
    bool is_old = now - capture->batch_ns > BATCH_AGE_NS && capture->sink.is_hungry(capture->sink.self);
    if (!is_old && weir_binlog_stream_wait(&capture->stream, BATCH_WAIT_MS)) {
        return WEIR_OK;
    }
    *out_idle = !is_old;
    return weir_capture_flush(capture, err);
}

int weir_capture_step(weir_capture *capture, bool *out_idle, weir_error *err)
{
    weir_binlog_event event;
    *out_idle = false;
    WEIR_TRY(weir_capture_connect(capture, err));
    WEIR_TRY(weir_capture_connect_stream(capture, err));
    WEIR_TRY(flush_in_time(capture, out_idle, err));
    capture->sink.set_waiting(capture->sink.self, &capture->stream.connection);
    int code = weir_binlog_stream_next(&capture->stream, &event, err);
    capture->sink.set_waiting(capture->sink.self, NULL);
    WEIR_TRY(code);
    capture->next_position = weir_binlog_position_after(&event, capture->next_position);
    code = take_event(capture, &event, err);
    if (code != WEIR_OK && code != WEIR_CANCELLED) {
        return weir_capture_error_at(capture, code, err);
    }
    if (event.type == WEIR_BINLOG_HEARTBEAT || event.type == WEIR_BINLOG_HEARTBEAT_2) {
        *out_idle = true;
    }
    return code;
}
