/* A server for tests: it answers every request over HTTP by a function of the test, and misbehaves where that says so.
 * A thread for each connection; requests are handled one at a time. */
#ifndef WEIR_TESTS_HTTP_SERVER_H
#define WEIR_TESTS_HTTP_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "cmocka_all.h"

typedef struct test_request {
    char method[16];
    char target[2048];    /* path and query */
    char headers[8192];   /* lines as they came, each with "\r\n" */
    weir_buffer body;
} test_request;

typedef struct test_answer {
    int status;
    weir_buffer headers; /* lines with "\r\n", beside content-length */
    weir_buffer body;
    bool resets;          /* the connection, instead of answering */
    bool closes;          /* it, orderly, after answering, without saying so */
    size_t cut_after;     /* bytes of the body, then the connection ends; 0: never */
    int64_t silent_ms;    /* before answering */
    size_t claimed_size;  /* content-length where it is not that of the body; 0: it is (of HEAD) */
} test_answer;

typedef void (*test_handler)(void *context, const test_request *request, test_answer *answer);

typedef struct test_server {
    int listener;
    int port;
    pthread_t thread;
    pthread_mutex_t mutex; /* around the handler */
    test_handler handler;
    void *context;
    int connections; /* accepted */
    int open[1024];  /* sockets with a thread that serves them; 0: none */
} test_server;

typedef struct test_connection {
    test_server *server;
    int socket;
} test_connection;

static inline bool test_send(int socket, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* The value of a header, or "" (static buffer of the thread). */
static inline const char *test_header(const test_request *request, const char *name)
{
    static _Thread_local char value[4096];
    size_t size = strlen(name);
    value[0] = '\0';
    for (const char *at = request->headers; *at != '\0';) {
        const char *end = strstr(at, "\r\n");
        if (strncasecmp(at, name, size) == 0 && at[size] == ':') {
            const char *start = at + size + 1 + strspn(at + size + 1, " ");
            snprintf(value, sizeof value, "%.*s", (int)(end - start), start);
        }
        at = end + 2;
    }
    return value;
}

/* More bytes into `in`, until it holds at least `size`. */
static inline bool test_receive(int socket, weir_buffer *in, size_t size)
{
    while (in->size < size) {
        char block[65536];
        ssize_t got = recv(socket, block, sizeof block, 0);
        if (got <= 0) {
            return false;
        }
        weir_buffer_append(in, block, (size_t)got);
    }
    return true;
}

static inline void test_consume(weir_buffer *in, size_t size)
{
    memmove(in->data, in->data + size, in->size - size);
    in->size -= size;
}

static inline bool test_read_chunked(int socket, weir_buffer *in, weir_buffer *body)
{
    for (;;) {
        while (in->size == 0 || memchr(in->data, '\n', in->size) == NULL) {
            if (!test_receive(socket, in, in->size + 1)) {
                return false;
            }
        }
        size_t line = (size_t)((uint8_t *)memchr(in->data, '\n', in->size) - in->data) + 1;
        size_t size = strtoul((const char *)in->data, NULL, 16);
        if (!test_receive(socket, in, line + size + 2)) {
            return false;
        }
        weir_buffer_append(body, in->data + line, size);
        test_consume(in, line + size + 2);
        if (size == 0) {
            return true;
        }
    }
}

static inline bool test_read_request(int socket, weir_buffer *in, test_request *out)
{
    const char *end;
    while ((end = strstr(weir_buffer_text(in), "\r\n\r\n")) == NULL) {
        if (!test_receive(socket, in, in->size + 1)) {
            return false;
        }
    }
    const char *line_end = strstr((const char *)in->data, "\r\n");
    size_t head = (size_t)(end + 4 - (const char *)in->data);
    weir_buffer_clear(&out->body);
    assert_int_equal(sscanf((const char *)in->data, "%15s %2047s", out->method, out->target), 2);
    snprintf(out->headers, sizeof out->headers, "%.*s", (int)(end + 2 - (line_end + 2)), line_end + 2);
    test_consume(in, head);
    if (strcasecmp(test_header(out, "Transfer-Encoding"), "chunked") == 0) {
        return test_read_chunked(socket, in, &out->body);
    }
    size_t size = strtoul(test_header(out, "Content-Length"), NULL, 10);
    if (!test_receive(socket, in, size)) {
        return false;
    }
    weir_buffer_append(&out->body, in->data, size);
    test_consume(in, size);
    return true;
}

static inline bool test_send_answer(int socket, const test_request *request, test_answer *answer)
{
    if (answer->silent_ms > 0) {
        weir_sleep_ms(answer->silent_ms);
    }
    if (answer->resets) {
        struct linger linger = {1, 0};
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
        return false;
    }
    bool is_head = strcmp(request->method, "HEAD") == 0;
    size_t size = answer->claimed_size > 0 ? answer->claimed_size : answer->body.size;
    weir_buffer out = {0};
    weir_buffer_append_format(&out, "HTTP/1.1 %d Answer\r\n%sContent-Length: %zu\r\n\r\n", answer->status,
                              weir_buffer_text(&answer->headers), size);
    if (!is_head) {
        bool cuts = answer->cut_after > 0 && answer->cut_after < answer->body.size;
        weir_buffer_append(&out, answer->body.data, cuts ? answer->cut_after : answer->body.size);
    }
    bool goes_on = test_send(socket, out.data, out.size) && answer->cut_after == 0 && !answer->closes;
    weir_buffer_free(&out);
    return goes_on;
}

static inline void *test_serve(void *argument)
{
    test_connection *connection = argument;
    test_server *server = connection->server;
    test_request *request = weir_alloc_zeroed(1, sizeof *request);
    weir_buffer in = {0};
    bool goes_on = true;
    while (goes_on && test_read_request(connection->socket, &in, request)) {
        test_answer answer = {.status = 200};
        pthread_mutex_lock(&server->mutex);
        server->handler(server->context, request, &answer);
        pthread_mutex_unlock(&server->mutex);
        goes_on = test_send_answer(connection->socket, request, &answer);
        weir_buffer_free(&answer.headers);
        weir_buffer_free(&answer.body);
    }
    weir_buffer_free(&in);
    weir_buffer_free(&request->body);
    free(request);
    pthread_mutex_lock(&server->mutex);
    close(connection->socket);
    server->open[connection->socket] = 0;
    pthread_mutex_unlock(&server->mutex);
    free(connection);
    return NULL;
}

static inline void *test_accept(void *argument)
{
    test_server *server = argument;
    for (;;) {
        int socket = accept(server->listener, NULL, NULL);
        if (socket < 0) {
            return NULL;
        }
        test_connection *connection = weir_alloc_zeroed(1, sizeof *connection);
        *connection = (test_connection){server, socket};
        pthread_mutex_lock(&server->mutex);
        server->connections++;
        server->open[socket] = socket;
        pthread_mutex_unlock(&server->mutex);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, test_serve, connection), 0);
        pthread_detach(thread);
    }
}

static inline test_server *test_server_start(test_handler handler, void *context)
{
    test_server *server = weir_alloc_zeroed(1, sizeof *server);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    server->handler = handler;
    server->context = context;
    pthread_mutex_init(&server->mutex, NULL);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, 64), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, test_accept, server), 0);
    return server;
}

static inline bool test_server_hangs_up(test_server *server)
{
    bool any = false;
    pthread_mutex_lock(&server->mutex);
    for (int i = 0; i < 1024; i++) {
        any |= server->open[i] != 0;
        if (server->open[i] != 0) {
            shutdown(server->open[i], SHUT_RDWR);
        }
    }
    pthread_mutex_unlock(&server->mutex);
    return any;
}

static inline void test_server_stop(test_server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    close(server->listener);
    pthread_join(server->thread, NULL);
    while (test_server_hangs_up(server)) {
        weir_sleep_ms(1);
    }
    pthread_mutex_destroy(&server->mutex);
    free(server);
}

#endif
