/* XA transactions that are prepared when a capture begins: their rows are in the binlog before that, and in no snapshot
 * before they are committed. They are waited for. */
#include <mysqld_error.h>
#include <stdlib.h>

#include "base/clock.h"
#include "connect/mysql/capture.h"

#define LOOK_PAUSE_MS 200

/* Their ids, one after the other, each with its length. A server that does not tell them has none for us. */
static int list_prepared(weir_capture *capture, weir_buffer *out, weir_error *err)
{
    weir_mysql_connection *connection = &capture->query;
    const weir_mysql_library *library = connection->library;
    MYSQL_ROW row;
    MYSQL_RES *result;
    int code = weir_mysql_query(connection, "XA RECOVER", &result, err);
    if (code != WEIR_OK) {
        bool is_denied = code == WEIR_DENIED || library->error_number(connection->handle) == ER_XAER_RMERR;
        if (is_denied) { /* MySQL 8: without XA_RECOVER_ADMIN */
            weir_error_clear(err);
        }
        return is_denied ? WEIR_OK : code;
    }
    while ((row = library->fetch_row(result)) != NULL) {
        enum { ID = 3 };
        weir_put_slice(out, weir_slice_of(row[ID], library->fetch_lengths(result)[ID]));
    }
    library->free_result(result);
    return WEIR_OK;
}

static size_t count_both(const weir_buffer *before, const weir_buffer *now)
{
    size_t count = 0;
    weir_byte_reader left = weir_byte_reader_of(weir_buffer_slice(before));
    while (left.left.size > 0) {
        weir_slice id = weir_take_slice(&left);
        weir_byte_reader right = weir_byte_reader_of(weir_buffer_slice(now));
        bool is_there = false;
        while (right.left.size > 0 && !is_there) {
            is_there = weir_slice_equal(weir_take_slice(&right), id);
        }
        count += is_there;
    }
    return count;
}

static int wait_for(weir_capture *capture, const weir_buffer *before, weir_error *err)
{
    int64_t waited_ms = 0;
    for (;;) {
        weir_buffer now = {0};
        int code = list_prepared(capture, &now, err);
        size_t count = count_both(before, &now);
        weir_buffer_free(&now);
        if (code != WEIR_OK || count == 0) {
            return code;
        }
        if (waited_ms >= capture->settings->address.timeout_ms) {
            return weir_fail(
                err, WEIR_INVALID,
                "MySQL at %s:%u has %zu XA transactions that are prepared, whose rows would be missed: commit "
                "them or roll them back (XA RECOVER lists them), and run this again",
                capture->settings->address.host, capture->settings->address.port, count);
        }
        if (capture->sink.is_stopping(capture->sink.self)) {
            return weir_fail(err, WEIR_CANCELLED, "stopped");
        }
        weir_sleep_ms(LOOK_PAUSE_MS);
        waited_ms += LOOK_PAUSE_MS;
    }
}

int weir_capture_wait_for_prepared(weir_capture *capture, weir_error *err)
{
    weir_buffer before = {0};
    int code = list_prepared(capture, &before, err);
    if (code == WEIR_OK && before.size > 0) {
        code = wait_for(capture, &before, err);
    }
    weir_buffer_free(&before);
    return code;
}
