/* Requests over HTTP: for the file systems that are servers.
 *
 * One thread of the process does all transfers, many at a time, over connections that are kept open; callers start
 * requests and wait for them. libcurl is opened at the first request, so that programs that need none do not load it.
 *
 *   weir_http_request request = {.method = "GET", .url = url, .is_idempotent = true};
 *   weir_http_response response = {0};
 *   WEIR_TRY(weir_http_run(&request, &response, err));    // any status is a success here
 *   ...
 *   weir_http_response_free(&response);
 *
 * What failed in passing is tried again, with pauses that grow and are jittered: answers 408, 429, 500, 502, 503, 504,
 * connections that were reset or went silent, answers that were cut off. Redirects are answers like others.
 *
 * Threading: all functions may be called by all threads; a transfer belongs to one thread at a time. */
#ifndef WEIR_FS_HTTP_H
#define WEIR_FS_HTTP_H

#include "base/buffer.h"
#include "base/error.h"

typedef struct weir_http_header {
    const char *name;
    const char *value;
} weir_http_header;

/* Header lines, which own their bytes. Zero-initialized is empty. */
typedef struct weir_http_headers {
    char **lines; /* "name: value" */
    size_t count;
    size_t capacity;
} weir_http_headers;

/* Adds a header; both texts are copied. */
void weir_http_headers_add(weir_http_headers *headers, const char *name, const char *value);
void weir_http_headers_free(weir_http_headers *headers);

struct weir_http_request;

/* Adds the headers that prove who asks; called before every attempt, in the thread of the transfers: it must not wait.
 */
typedef int (*weir_http_authorize)(void *context, const struct weir_http_request *request, weir_http_headers *headers,
                                   weir_error *err);

/* A request, with all that it points to, stays as it is until weir_http_wait or weir_http_cancel returns. */
typedef struct weir_http_request {
    const char *method;  /* "GET", "PUT", "POST", "DELETE", "HEAD" */
    const char *url;     /* whole and escaped */
    const char *subject; /* what messages are about, such as the path of a file; NULL: the URL without its query */
    const weir_http_header *headers;
    size_t header_count;
    weir_slice body;
    bool streams_body; /* the body comes by weir_http_write; such a request is sent once */

    uint8_t *into; /* where the body of a 2xx answer goes, as far as there is room; NULL: into the response */
    size_t into_size;
    size_t largest_body; /* of bytes in the response; 0: 64 MiB. More is WEIR_CORRUPT */

    bool is_idempotent; /* may be sent again when it is not known whether the server has done it */
    int attempts;       /* at most; 0: 10 */
    int64_t connect_ms; /* for a connection, with its handshake; 0: 10 s */
    int64_t stall_ms;   /* without a byte in either direction; 0: 30 s */
    bool avoids_proxy;  /* of the environment: the server is near */

    weir_http_authorize authorize; /* NULL: no more headers */
    void *authorize_context;
} weir_http_request;

/* Zero-initialized is empty; freed with weir_http_response_free. */
typedef struct weir_http_response {
    int status;
    weir_buffer headers;  /* the lines of the last attempt, names in lower case, each with a newline */
    weir_buffer body;     /* what did not go to `into` */
    size_t into_received; /* bytes in `into`; fewer than wanted when the answer was shorter */
    int attempts;
    bool is_repeated; /* an earlier attempt may have been done by the server, though it gave no such answer */
} weir_http_response;

void weir_http_response_free(weir_http_response *response);

/* The value of a header, by its name in lower case, copied into `out`; false when there is none (or it is longer). */
bool weir_http_response_header(const weir_http_response *response, const char *name, char *out, size_t size);

typedef struct weir_http_transfer weir_http_transfer;

/* Begins a request. WEIR_UNSUPPORTED: libcurl is not there. */
int weir_http_start(const weir_http_request *request, weir_http_transfer **out, weir_error *err);

/* More of a streamed body; waits while much of what was given before has not been sent. A failure is also told by
 * weir_http_wait, whose response may say why. */
int weir_http_write(weir_http_transfer *transfer, const void *data, size_t size, weir_error *err);

/* Waits for the answer, of whatever status, and frees the transfer; a streamed body ends here. WEIR_IO: no whole answer
 * came in all attempts; the message says the subject, the method and the host, and no secrets. `out` holds no more than
 * `is_repeated` and `attempts` then. */
int weir_http_wait(weir_http_transfer *transfer, weir_http_response *out, weir_error *err);

/* Ends a transfer wherever it is and frees it. NULL is fine. */
void weir_http_cancel(weir_http_transfer *transfer);

/* Start and wait. */
int weir_http_run(const weir_http_request *request, weir_http_response *out, weir_error *err);

/* Appends `text` as part of a URL: all but letters, digits and -._~ as %XX; '/' stays where `keeps_slashes`. */
void weir_http_append_escaped(weir_slice text, bool keeps_slashes, weir_buffer *out);

#endif
