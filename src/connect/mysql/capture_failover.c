/* Another server behind the same address, or another address: a replica that took over. Its files of the binlog are not
 * those of the server before; where to go on, global transaction ids tell. */
#include "base/clock.h"
#include "base/log.h"
#include "connect/mysql/snapshot.h"

#define LOOK_PAUSE_MS 200

static int fail_without_ids(const weir_capture *capture, weir_error *err)
{
    weir_buffer place = {0};
    weir_binlog_offset_format(&capture->offset, &place);
    int code =
        weir_fail(err, WEIR_INVALID,
                  "MySQL at %s:%u is another server (%s) than the one that was read (%s), and its binlog has no place "
                  "%s; that needs global transaction ids (gtid_mode = ON): go back to that server, or start over "
                  "with --fresh",
                  capture->settings->address.host, capture->settings->address.port, capture->query.server,
                  capture->server, weir_buffer_text(&place));
    weir_buffer_free(&place);
    return code;
}

/* From here on the ids tell where the offset is, until a transaction or the server itself does. Rows that wait for the
 * binlog of the server before are read again. */
static int change_server(weir_capture *capture, weir_error *err)
{
    if (!capture->offset.has_gtids) {
        return fail_without_ids(capture, err);
    }
    weir_log(WEIR_LOG_WARN, "MySQL at %s:%u is another server than before; going on by global transaction ids",
             capture->settings->address.host, capture->settings->address.port);
    capture->offset.file[0] = '\0';
    capture->offset.position = 0;
    capture->is_placed = false;
    weir_capture_ahead_free(&capture->ahead);
    weir_snapshot_chunk_free(capture->chunk);
    capture->chunk = NULL;
    return WEIR_OK;
}

static int has_transactions(weir_capture *capture, bool *out, weir_error *err)
{
    weir_arena arena;
    const char *text;
    weir_gtid_set there = {0};
    bool is_mariadb = capture->query.is_mariadb;
    weir_arena_init(&arena);
    int code = weir_mysql_query_text(&capture->query,
                                     is_mariadb ? "SELECT @@global.gtid_binlog_pos" : "SELECT @@global.gtid_executed",
                                     &arena, &text, err);
    if (code == WEIR_OK) {
        code = weir_gtid_set_parse(text == NULL ? "" : text, is_mariadb, &there, err);
    }
    *out = code == WEIR_OK && weir_gtid_set_contains(&there, &capture->offset.gtids);
    weir_gtid_set_free(&there);
    weir_arena_free(&arena);
    return code;
}

static int fail_behind(const weir_capture *capture, weir_error *err)
{
    weir_buffer set = {0};
    weir_gtid_set_format(&capture->offset.gtids, &set);
    int code =
        weir_fail(err, WEIR_NOT_FOUND,
                  "MySQL at %s:%u lacks transactions that were read, which go up to %.300s: a replica that is behind, "
                  "that keeps none of them in its binlog (log_slave_updates, log_replica_updates), or that never "
                  "got them; go back to the server before, or start over with --fresh",
                  capture->settings->address.host, capture->settings->address.port, weir_buffer_text(&set));
    weir_buffer_free(&set);
    return code;
}

/* A replica may still be catching up. */
static int wait_for_transactions(weir_capture *capture, weir_error *err)
{
    int64_t waited_ms = 0;
    bool has_all = false;
    for (;;) {
        WEIR_TRY(has_transactions(capture, &has_all, err));
        if (has_all) {
            return WEIR_OK;
        }
        if (waited_ms >= capture->settings->address.timeout_ms) {
            return fail_behind(capture, err);
        }
        if (capture->sink.is_stopping(capture->sink.self)) {
            return weir_fail(err, WEIR_CANCELLED, "stopped");
        }
        weir_sleep_ms(LOOK_PAUSE_MS);
        waited_ms += LOOK_PAUSE_MS;
    }
}

int weir_capture_meet_server(weir_capture *capture, weir_error *err)
{
    if (capture->server[0] == '\0') {
        capture->is_placed = true;
    } else if (strcmp(capture->server, capture->query.server) != 0) {
        WEIR_TRY(change_server(capture, err));
    }
    memcpy(capture->server, capture->query.server, sizeof capture->server);
    return capture->offset.has_gtids ? wait_for_transactions(capture, err) : WEIR_OK;
}
