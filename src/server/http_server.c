/* A small HTTP listener: see http_server.h. The library is opened when one is started. */
#include "server/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/library.h"
#include "base/text.h"

#define MOST_CONNECTIONS 32
#define IDLE_SECONDS     30

static struct MHD_Daemon *(*start_daemon)(unsigned int, uint16_t, MHD_AcceptPolicyCallback, void *,
                                          MHD_AccessHandlerCallback, void *, ...);
static void (*stop_daemon)(struct MHD_Daemon *);
static struct MHD_Response *(*create_response)(size_t, void *, enum MHD_ResponseMemoryMode);
static enum MHD_Result (*add_response_header)(struct MHD_Response *, const char *, const char *);
static enum MHD_Result (*queue_response)(struct MHD_Connection *, unsigned int, struct MHD_Response *);
static void (*destroy_response)(struct MHD_Response *);

static const weir_library_function functions[] = {
    {"MHD_start_daemon", &start_daemon},
    {"MHD_stop_daemon", &stop_daemon},
    {"MHD_create_response_from_buffer", &create_response},
    {"MHD_add_response_header", &add_response_header},
    {"MHD_queue_response", &queue_response},
    {"MHD_destroy_response", &destroy_response},
};

static weir_library library = {
    .file = "libmicrohttpd.so.12",
    .package = "libmicrohttpd12",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

struct weir_http_server {
    struct MHD_Daemon *daemon;
    const weir_http_page *pages;
    size_t page_count;
    int port;
};

/* ---- answers ---- */

static enum MHD_Result answer_with(struct MHD_Connection *connection, unsigned int status, const char *content_type,
                                   const void *body, size_t size)
{
    struct MHD_Response *response = create_response(size, (void *)body, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) {
        return MHD_NO;
    }
    add_response_header(response, "Content-Type", content_type);
    add_response_header(response, "Cache-Control", "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) {
        add_response_header(response, "Allow", "GET, HEAD");
    }
    enum MHD_Result queued = queue_response(connection, status, response);
    destroy_response(response);
    return queued;
}

static enum MHD_Result answer_with_text(struct MHD_Connection *connection, unsigned int status, const char *text)
{
    return answer_with(connection, status, "text/plain; charset=utf-8", text, strlen(text));
}

static enum MHD_Result answer_with_page(struct MHD_Connection *connection, const weir_http_page *page)
{
    weir_buffer body = {0};
    page->write(page->context, &body);
    enum MHD_Result answered = answer_with(connection, MHD_HTTP_OK, page->content_type, body.data, body.size);
    weir_buffer_free(&body);
    return answered;
}

static enum MHD_Result not_found(const weir_http_server *server, struct MHD_Connection *connection)
{
    weir_buffer text = {0};
    weir_buffer_append_text(&text, "There is no such page. There are:\n");
    for (size_t i = 0; i < server->page_count; i++) {
        weir_buffer_append_text(&text, server->pages[i].path);
        weir_buffer_append_text(&text, "\n");
    }
    enum MHD_Result answered =
        answer_with(connection, MHD_HTTP_NOT_FOUND, "text/plain; charset=utf-8", text.data, text.size);
    weir_buffer_free(&text);
    return answered;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **of_request)
{
    const weir_http_server *server = context;
    static const char seen = 0;
    (void)version;
    (void)upload;
    if (*of_request == NULL) { /* headers alone: the body comes with the next calls */
        *of_request = (void *)&seen;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0; /* read over */
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return answer_with_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered here.\n");
    }
    for (size_t i = 0; i < server->page_count; i++) {
        if (strcmp(url, server->pages[i].path) == 0) {
            return answer_with_page(connection, &server->pages[i]);
        }
    }
    return not_found(server, connection);
}

/* ---- the socket ---- */

/* "HOST:PORT", "[HOST]:PORT" or "PORT" as their parts. */
static bool split_address(const char *address, char *host, size_t host_size, const char **out_port)
{
    const char *colon = strrchr(address, ':');
    snprintf(host, host_size, "127.0.0.1");
    *out_port = address;
    if (colon != NULL) {
        const char *from = address, *end = colon;
        if (end - from >= 2 && from[0] == '[' && end[-1] == ']') {
            from++;
            end--;
        }
        if (end == from || (size_t)(end - from) >= host_size) {
            return false;
        }
        memcpy(host, from, (size_t)(end - from));
        host[end - from] = '\0';
        *out_port = colon + 1;
    }
    int64_t port = 0;
    return weir_parse_int64(weir_slice_text(*out_port), &port) && port >= 0 && port <= 65535;
}

static int bind_socket(const struct addrinfo *found, const char *address, int *out, weir_error *err)
{
    int reuse = 1;
    int listener = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) != 0 ||
        bind(listener, found->ai_addr, found->ai_addrlen) != 0 || listen(listener, MOST_CONNECTIONS) != 0) {
        int reason = errno;
        if (listener >= 0) {
            close(listener);
        }
        return weir_fail(err, WEIR_IO, "%s can't be listened on: %s", address, strerror(reason));
    }
    *out = listener;
    return WEIR_OK;
}

static int open_socket(const char *address, int *out, weir_error *err)
{
    char host[256];
    const char *port = NULL;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found = NULL;
    if (!split_address(address, host, sizeof host, &port)) {
        return weir_fail(err, WEIR_INVALID,
                         "'%s' is no address; give a port such as 9249, or an address with one such as "
                         "0.0.0.0:9249",
                         address);
    }
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed != 0) {
        return weir_fail(err, WEIR_INVALID, "%s: %s", address, gai_strerror(failed));
    }
    int code = bind_socket(found, address, out, err);
    freeaddrinfo(found);
    return code;
}

static int port_of(int listener)
{
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    if (getsockname(listener, (struct sockaddr *)&name, &size) != 0) {
        return 0;
    }
    return ntohs(name.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&name)->sin6_port
                                            : ((struct sockaddr_in *)&name)->sin_port);
}

int weir_http_server_start(const char *address, const weir_http_page *pages, size_t page_count, weir_http_server **out,
                           weir_error *err)
{
    int listener = -1;
    WEIR_TRY(weir_library_open(&library, err));
    WEIR_TRY(open_socket(address, &listener, err));
    weir_http_server *server = weir_alloc_zeroed(1, sizeof *server);
    server->pages = pages;
    server->page_count = page_count;
    server->port = port_of(listener);
    server->daemon =
        start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, answer, server,
                     MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MOST_CONNECTIONS,
                     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS, MHD_OPTION_END);
    if (server->daemon == NULL) {
        close(listener);
        free(server);
        return weir_fail(err, WEIR_IO, "%s can't be listened on: no thread could be started", address);
    }
    *out = server;
    return WEIR_OK;
}

int weir_http_server_port(const weir_http_server *server) { return server->port; }

void weir_http_server_stop(weir_http_server *server)
{
    if (server != NULL) {
        stop_daemon(server->daemon);
        free(server);
    }
}
