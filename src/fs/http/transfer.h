/* One transfer: a request with its attempts. Used by the files of this folder.
 *
 * Threading: what is under `mutex of the client` says so; all else belongs to the thread of the transfers from start
 * until `is_done`, and to the caller afterwards. */
#ifndef WEIR_FS_HTTP_TRANSFER_H
#define WEIR_FS_HTTP_TRANSFER_H

#include <pthread.h>

#include "base/stop.h"
#include "fs/http.h"
#include "fs/http/curl.h"

struct weir_http_transfer {
    weir_http_transfer *next;
    weir_http_request request;
    weir_http_response response;
    weir_error error;
    int code;
    weir_stop *stop; /* that the caller works under; NULL: none */

    CURL *easy; /* NULL: no attempt runs */
    struct curl_slist *header_list;
    char reason[CURL_ERROR_SIZE];
    size_t body_sent;
    bool was_sent;   /* in this attempt */
    bool was_resent; /* libcurl sent it again by itself, over a new connection */
    bool body_too_large;
    int64_t next_try_ns; /* when the next attempt is due, while none runs */
    int64_t activity_ns; /* of the last byte, or of the attempt's start */
    int64_t heard_ns;    /* of the last byte of any attempt, or of the transfer's start */
    int64_t attempt_ns;  /* the attempt's start */

    /* Under the client's mutex. */
    pthread_mutex_t *mutex;
    pthread_cond_t changed; /* is_done, or room in the queue */
    bool is_done;
    bool is_cancelled;
    weir_buffer queue; /* of a streamed body: what has not been sent */
    size_t queue_start;
    bool queue_ended;
    bool is_paused; /* libcurl waits for more of it */
};

/* Readies `easy` for the next attempt. */
int weir_http_begin_attempt(const weir_curl *curl, weir_http_transfer *transfer, weir_error *err);

/* Frees what belongs to the attempt; `easy` has left the multi handle. */
void weir_http_end_attempt(const weir_curl *curl, weir_http_transfer *transfer);

/* The message of an attempt without an answer. */
int weir_http_fail(const weir_http_transfer *transfer, const char *reason, weir_error *err);

/* "host:port" and the path of a URL: what of it may be shown. */
void weir_http_append_shown(const char *url, bool host_only, weir_buffer *out);

#endif
