/* The listener: pages, other paths and methods, addresses, several requests at a time. */
#include "cmocka_all.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http_server.h"

static void write_page(void *context, weir_buffer *out) { weir_buffer_append_text(out, context); }

static const weir_http_page pages[] = {
    {"/one", "text/plain", write_page, (void *)"the first"},
    {"/two", "text/html", write_page, (void *)""},
};

static weir_http_server *start(const char *address)
{
    weir_http_server *server = NULL;
    weir_error err = {0};
    if (weir_http_server_start(address, pages, 2, &server, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    assert_true(weir_http_server_port(server) > 0);
    return server;
}

/* Sends some bytes and gives all that comes back until the end. */
static const char *ask(const weir_http_server *server, const char *request)
{
    static char answer[4096];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)weir_http_server_port(server))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(connection, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(connection, request, strlen(request)), strlen(request));
    size_t size = 0;
    ssize_t got;
    while (size + 1 < sizeof answer && (got = read(connection, answer + size, sizeof answer - 1 - size)) > 0) {
        size += (size_t)got;
    }
    close(connection);
    answer[size] = '\0';
    return answer;
}

static void pages_are_given_with_their_content_type(void **state)
{
    (void)state;
    weir_http_server *server = start("0");
    const char *answer = ask(server, "GET /one HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(answer, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(answer, "Content-Type: text/plain\r\n"));
    assert_non_null(strstr(answer, "\r\n\r\nthe first"));
    answer = ask(server, "GET /two HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(answer, "Content-Length: 0\r\n"));
    answer = ask(server, "HEAD /one HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(answer, "HTTP/1.1 200 OK\r\n"));
    assert_null(strstr(answer, "the first"));
    weir_http_server_stop(server);
}

static void other_paths_and_methods_are_refused(void **state)
{
    (void)state;
    weir_http_server *server = start("127.0.0.1:0");
    const char *answer = ask(server, "GET /none HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    assert_non_null(strstr(answer, "HTTP/1.1 404 "));
    assert_non_null(strstr(answer, "/one\n/two\n"));
    answer = ask(server, "POST /one HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc");
    assert_non_null(strstr(answer, "HTTP/1.1 405 "));
    assert_non_null(strstr(answer, "Allow: GET, HEAD\r\n"));
    weir_http_server_stop(server);
}

static void an_address_that_cannot_be_listened_on_is_said(void **state)
{
    (void)state;
    weir_http_server *server = start("0"), *second = NULL;
    weir_error err = {0};
    char taken[32];
    snprintf(taken, sizeof taken, "127.0.0.1:%d", weir_http_server_port(server));
    assert_int_equal(weir_http_server_start(taken, pages, 2, &second, &err), WEIR_IO);
    assert_non_null(strstr(err.message, taken));
    static const char *const wrong[] = {"", "x", "70000", "-1", ":9", "[]:9", "host:", "1.2.3.4:x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weir_error_clear(&err);
        assert_int_equal(weir_http_server_start(wrong[i], pages, 2, &second, &err), WEIR_INVALID);
    }
    weir_http_server_stop(server);
    weir_http_server_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_given_with_their_content_type),
        cmocka_unit_test(other_paths_and_methods_are_refused),
        cmocka_unit_test(an_address_that_cannot_be_listened_on_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
