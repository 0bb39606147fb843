/* Requests over HTTP against a server that misbehaves on purpose. */
#include "fs/http.h"

#include "fs/http/retry.h"
#include "support/http_server.h"

typedef struct script {
    test_server *server;
    int requests;
    int bad_ones; /* the first so many are answered as `bad` says */
    test_answer bad;
    test_request last;
    char url[64];
} script;

static void answer_as_scripted(void *context, const test_request *request, test_answer *answer)
{
    script *here = context;
    here->requests++;
    weir_buffer_free(&here->last.body);
    here->last = *request;
    here->last.body = (weir_buffer){0};
    weir_buffer_append(&here->last.body, request->body.data, request->body.size);
    weir_buffer_append_text(&answer->headers, "X-Kind: Test\r\n");
    weir_buffer_append_text(&answer->body, "0123456789");
    if (here->requests <= here->bad_ones) {
        weir_buffer body = answer->body;
        weir_buffer headers = answer->headers;
        *answer = here->bad;
        answer->body = body;
        answer->headers = headers;
    }
}

static int set_up(void **state)
{
    script *here = weir_alloc_zeroed(1, sizeof *here);
    here->server = test_server_start(answer_as_scripted, here);
    snprintf(here->url, sizeof here->url, "http://127.0.0.1:%d/a%%20b?secret=1", here->server->port);
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    script *here = *state;
    test_server_stop(here->server);
    weir_buffer_free(&here->last.body);
    free(here);
    return 0;
}

static int run(const weir_http_request *request, weir_http_response *response)
{
    weir_error err;
    int code = weir_http_run(request, response, &err);
    if (code != WEIR_OK) {
        print_message("%s\n", err.message);
    }
    return code;
}

static void an_answer_comes_with_status_headers_and_body(void **state)
{
    script *here = *state;
    weir_http_header header = {"X-Asks", "me"};
    weir_http_request request = {.method = "GET", .url = here->url, .headers = &header, .header_count = 1};
    weir_http_response response = {0};
    char value[16];
    assert_int_equal(run(&request, &response), WEIR_OK);
    assert_int_equal(response.status, 200);
    assert_string_equal(weir_buffer_text(&response.body), "0123456789");
    assert_true(weir_http_response_header(&response, "x-kind", value, sizeof value));
    assert_string_equal(value, "Test");
    assert_false(weir_http_response_header(&response, "x-kin", value, sizeof value));
    assert_string_equal(here->last.target, "/a%20b?secret=1");
    assert_string_equal(test_header(&here->last, "x-asks"), "me");
    weir_http_response_free(&response);
}

static void bodies_of_every_method_arrive_whole(void **state)
{
    script *here = *state;
    static const char *const methods[] = {"PUT", "POST", "DELETE"};
    size_t size = 300000;
    char *body = weir_alloc(size);
    for (size_t i = 0; i < size; i++) {
        body[i] = (char)(i * 7);
    }
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 2; j++) {
            weir_http_request request = {
                .method = methods[i], .url = here->url, .body = weir_slice_of(body, j == 0 ? size : 0)};
            weir_http_response response = {0};
            assert_int_equal(run(&request, &response), WEIR_OK);
            assert_string_equal(here->last.method, methods[i]);
            assert_true(weir_slice_equal(weir_buffer_slice(&here->last.body), request.body));
            weir_http_response_free(&response);
        }
    }
    free(body);
}

static void a_head_has_the_size_of_what_is_not_sent(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "HEAD", .url = here->url};
    weir_http_response response = {0};
    char size[16];
    assert_int_equal(run(&request, &response), WEIR_OK);
    assert_int_equal(response.body.size, 0);
    assert_true(weir_http_response_header(&response, "content-length", size, sizeof size));
    assert_string_equal(size, "10");
    weir_http_response_free(&response);
}

static void requests_share_a_connection(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "GET", .url = here->url};
    for (int i = 0; i < 20; i++) {
        weir_http_response response = {0};
        assert_int_equal(run(&request, &response), WEIR_OK);
        weir_http_response_free(&response);
    }
    assert_int_equal(here->server->connections, 1);
}

static void many_requests_run_abreast(void **state)
{
    script *here = *state;
    enum { COUNT = 100 };
    weir_http_transfer *transfers[COUNT];
    uint8_t into[COUNT][10];
    for (int i = 0; i < COUNT; i++) {
        weir_http_request request = {.method = "GET", .url = here->url, .into = into[i], .into_size = 10};
        assert_int_equal(weir_http_start(&request, &transfers[i], NULL), WEIR_OK);
    }
    for (int i = 0; i < COUNT; i++) {
        weir_http_response response = {0};
        assert_int_equal(weir_http_wait(transfers[i], &response, NULL), WEIR_OK);
        assert_int_equal(response.into_received, 10);
        assert_memory_equal(into[i], "0123456789", 10);
        weir_http_response_free(&response);
    }
    assert_in_range(here->server->connections, 2, 64);
}

static void what_passes_is_tried_again(void **state)
{
    script *here = *state;
    static const test_answer bad[] = {
        {.status = 503}, {.status = 500}, {.status = 429}, {.resets = true}, {.status = 200, .cut_after = 4},
        {.status = 200, .silent_ms = 700},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_http_request request = {.method = "GET", .url = here->url, .is_idempotent = true, .stall_ms = 300};
        weir_http_response response = {0};
        here->requests = 0;
        here->bad_ones = 2;
        here->bad = bad[i];
        assert_int_equal(run(&request, &response), WEIR_OK);
        assert_int_equal(response.status, 200);
        assert_string_equal(weir_buffer_text(&response.body), "0123456789");
        assert_int_equal(here->requests, 3);
        assert_in_range(response.attempts, 2, 3); /* of a kept connection that was reset libcurl makes a new one itself */
        assert_int_equal(response.is_repeated, bad[i].status != 429);
        weir_http_response_free(&response);
    }
}

static void what_may_happen_once_is_not_repeated(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "POST", .url = here->url, .body = weir_slice_text("once")};
    weir_http_response response = {0};
    here->bad_ones = 1;
    here->bad = (test_answer){.status = 503};
    assert_int_equal(run(&request, &response), WEIR_OK);
    assert_int_equal(response.status, 503);
    assert_int_equal(here->requests, 1);
    here->requests = 0;
    here->bad = (test_answer){.status = 200, .cut_after = 3};
    weir_error err;
    assert_int_equal(weir_http_run(&request, &response, &err), WEIR_IO);
    assert_int_equal(here->requests, 1);
    weir_http_response_free(&response);
}

/* libcurl sends a request again by itself when a kept connection breaks before the answer: the server may have done it
 * twice. */
static void a_request_that_libcurl_sent_again_is_told(void **state)
{
    script *here = *state;
    static const char *const methods[] = {"PUT", "DELETE"};
    for (size_t i = 0; i < 2; i++) {
        weir_http_request request = {.method = methods[i], .url = here->url, .attempts = 1};
        weir_http_response response = {0};
        here->requests = 0;
        here->bad_ones = 0;
        assert_int_equal(run(&request, &response), WEIR_OK);
        assert_false(response.is_repeated);
        weir_http_response_free(&response);
        here->bad_ones = 2;
        here->bad = (test_answer){.resets = true};
        assert_int_equal(run(&request, &response), WEIR_OK);
        assert_int_equal(here->requests, 3);
        assert_true(response.is_repeated);
        weir_http_response_free(&response);
    }
}

static void giving_up_says_where_and_no_secrets(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "GET", .url = here->url, .is_idempotent = true, .attempts = 2};
    weir_http_response response = {0};
    weir_error err;
    here->bad_ones = 100;
    here->bad = (test_answer){.resets = true};
    assert_int_equal(weir_http_run(&request, &response, &err), WEIR_IO);
    char expected[128];
    snprintf(expected, sizeof expected, "http://127.0.0.1:%d/a%%20b: GET at 127.0.0.1:%d: ", here->server->port,
             here->server->port);
    assert_memory_equal(err.message, expected, strlen(expected));
    assert_non_null(strstr(err.message, "(the last of 2 attempts)"));
    assert_null(strstr(err.message, "secret"));
}

static void a_host_without_server_is_given_up_soon(void **state)
{
    script *here = *state;
    char url[64];
    weir_error err;
    weir_http_response response = {0};
    weir_http_request request = {.method = "GET", .url = url, .subject = "s3://b/k"};
    test_server *other = test_server_start(answer_as_scripted, here);
    snprintf(url, sizeof url, "http://user:geheim@127.0.0.1:%d/", other->port);
    test_server_stop(other);
    assert_int_equal(weir_http_run(&request, &response, &err), WEIR_IO);
    assert_int_equal(response.attempts, 4);
    assert_non_null(strstr(err.message, "s3://b/k: GET at 127.0.0.1:"));
    assert_null(strstr(err.message, "geheim"));
}

static void a_body_can_come_piece_by_piece(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "PUT", .url = here->url, .streams_body = true, .stall_ms = 200};
    weir_http_response response = {0};
    weir_http_transfer *transfer;
    weir_buffer expected = {0};
    char piece[100000];
    assert_int_equal(weir_http_start(&request, &transfer, NULL), WEIR_OK);
    for (int i = 0; i < 100; i++) {
        memset(piece, i, sizeof piece);
        weir_buffer_append(&expected, piece, sizeof piece);
        assert_int_equal(weir_http_write(transfer, piece, sizeof piece, NULL), WEIR_OK);
        if (i == 50) {
            weir_sleep_ms(400); /* a caller may take its time */
        }
    }
    assert_int_equal(weir_http_wait(transfer, &response, NULL), WEIR_OK);
    assert_int_equal(response.status, 200);
    assert_true(weir_slice_equal(weir_buffer_slice(&here->last.body), weir_buffer_slice(&expected)));
    weir_buffer_free(&expected);
    weir_http_response_free(&response);
}

static void a_transfer_can_be_cancelled(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "GET", .url = here->url};
    weir_http_transfer *transfer;
    here->bad_ones = 1;
    here->bad = (test_answer){.status = 200, .silent_ms = 300};
    assert_int_equal(weir_http_start(&request, &transfer, NULL), WEIR_OK);
    weir_http_cancel(transfer);
    weir_http_response response = {0};
    assert_int_equal(run(&request, &response), WEIR_OK);
    weir_http_response_free(&response);
}

static void a_body_larger_than_expected_is_an_error(void **state)
{
    script *here = *state;
    weir_http_request request = {.method = "GET", .url = here->url, .largest_body = 9, .is_idempotent = true};
    weir_http_response response = {0};
    weir_error err;
    assert_int_equal(weir_http_run(&request, &response, &err), WEIR_IO);
    assert_non_null(strstr(err.message, "larger than"));
    assert_int_equal(here->requests, 1);
}

static int sign(void *context, const weir_http_request *request, weir_http_headers *headers, weir_error *err)
{
    int *count = context;
    char value[16];
    assert_string_equal(request->method, "GET");
    if (++*count == 3) {
        return weir_fail(err, WEIR_DENIED, "no more");
    }
    snprintf(value, sizeof value, "try %d", *count);
    weir_http_headers_add(headers, "Authorization", value);
    return WEIR_OK;
}

static void every_attempt_is_authorized_anew(void **state)
{
    script *here = *state;
    int count = 0;
    weir_error err;
    weir_http_response response = {0};
    weir_http_request request = {.method = "GET",
                                 .url = here->url,
                                 .is_idempotent = true,
                                 .authorize = sign,
                                 .authorize_context = &count};
    here->bad_ones = 1;
    here->bad = (test_answer){.status = 503};
    assert_int_equal(run(&request, &response), WEIR_OK);
    assert_string_equal(test_header(&here->last, "authorization"), "try 2");
    assert_int_equal(weir_http_run(&request, &response, &err), WEIR_DENIED);
    assert_string_equal(err.message, "no more");
    weir_http_response_free(&response);
}

static void pauses_grow_are_jittered_and_bounded(void **state)
{
    (void)state;
    static const int64_t longest[] = {100, 200, 400, 800, 1600, 3200, 6400, 8000, 8000};
    for (int i = 0; i < 9; i++) {
        for (uint64_t random = 0; random < 20000; random += 7) {
            assert_in_range(weir_http_pause_ms(i + 1, 0, random), longest[i] / 4, longest[i]);
        }
    }
    assert_in_range(weir_http_pause_ms(1, 2, 12345), 2000, 2100);
    assert_in_range(weir_http_pause_ms(1, 86400, 12345), 30000, 30100);
}

static void text_is_escaped_for_urls(void **state)
{
    (void)state;
    weir_buffer out = {0};
    weir_http_append_escaped(weir_slice_text("a/b c=ä+~"), true, &out);
    weir_http_append_escaped(weir_slice_text("/&"), false, &out);
    assert_string_equal(weir_buffer_text(&out), "a/b%20c%3D%C3%A4%2B~%2F%26");
    weir_buffer_free(&out);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(an_answer_comes_with_status_headers_and_body),
        WITH_SERVER(bodies_of_every_method_arrive_whole),
        WITH_SERVER(a_head_has_the_size_of_what_is_not_sent),
        WITH_SERVER(requests_share_a_connection),
        WITH_SERVER(many_requests_run_abreast),
        WITH_SERVER(what_passes_is_tried_again),
        WITH_SERVER(what_may_happen_once_is_not_repeated),
        WITH_SERVER(a_request_that_libcurl_sent_again_is_told),
        WITH_SERVER(giving_up_says_where_and_no_secrets),
        WITH_SERVER(a_host_without_server_is_given_up_soon),
        WITH_SERVER(a_body_can_come_piece_by_piece),
        WITH_SERVER(a_transfer_can_be_cancelled),
        WITH_SERVER(a_body_larger_than_expected_is_an_error),
        WITH_SERVER(every_attempt_is_authorized_anew),
        cmocka_unit_test(pauses_grow_are_jittered_and_bounded),
        cmocka_unit_test(text_is_escaped_for_urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
