/* A small HTTP listener: GET and HEAD of a few pages, over libmicrohttpd. */
#ifndef WEIR_SERVER_HTTP_SERVER_H
#define WEIR_SERVER_HTTP_SERVER_H

#include "base/buffer.h"
#include "base/error.h"

typedef struct weir_http_server weir_http_server;

typedef struct weir_http_page {
    const char *path; /* "/metrics" */
    const char *content_type;
    /* Appends the page's body; called by the listener's thread. */
    void (*write)(void *context, weir_buffer *out);
    void *context;
} weir_http_page;

/* Listens. `address`: "9249" or "127.0.0.1:9249" (this machine alone), "0.0.0.0:9249", "[::]:9249"; port 0: any free
 * one. `pages` is borrowed. WEIR_INVALID: no such address; WEIR_IO: it can't be listened on. */
int weir_http_server_start(const char *address, const weir_http_page *pages, size_t page_count, weir_http_server **out,
                           weir_error *err);
int weir_http_server_port(const weir_http_server *server);

/* Returns when no page is being made any more. NULL is fine. */
void weir_http_server_stop(weir_http_server *server);

#endif
