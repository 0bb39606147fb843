/* One attempt of a request: what libcurl is told, and the callbacks by which it takes and gives bytes. */
#include "fs/http/transfer.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

#define LARGEST_BODY       ((size_t)64 << 20)
#define BUFFER_BYTES       (128L << 10)
#define DEFAULT_CONNECT_MS 10000

/* ---- what may be shown ---- */

void weir_http_append_shown(const char *url, bool host_only, weir_buffer *out)
{
    const char *host = strstr(url, "://");
    host = host == NULL ? url : host + 3;
    size_t host_size = strcspn(host, "/?#");
    const char *at = memchr(host, '@', host_size);
    if (at != NULL) { /* a user's name and password */
        host_size -= (size_t)(at + 1 - host);
        host = at + 1;
    }
    if (!host_only) {
        weir_buffer_append(out, url, (size_t)((strstr(url, "://") == NULL ? url : strstr(url, "://") + 3) - url));
        host_size += strcspn(host + host_size, "?#");
    }
    weir_buffer_append(out, host, host_size);
}

int weir_http_fail(const weir_http_transfer *transfer, const char *reason, weir_error *err)
{
    weir_buffer text = {0};
    const weir_http_request *request = &transfer->request;
    if (request->subject != NULL) {
        weir_buffer_append_text(&text, request->subject);
    } else {
        weir_http_append_shown(request->url, false, &text);
    }
    weir_buffer_append_format(&text, ": %s at ", request->method);
    weir_http_append_shown(request->url, true, &text);
    weir_buffer_append_format(&text, ": %s", reason);
    if (transfer->response.attempts > 1) {
        weir_buffer_append_format(&text, " (the last of %d attempts)", transfer->response.attempts);
    }
    int code = weir_fail(err, WEIR_IO, "%s", weir_buffer_text(&text));
    weir_buffer_free(&text);
    return code;
}

/* ---- callbacks ---- */

static void note_activity(weir_http_transfer *transfer)
{
    transfer->activity_ns = transfer->heard_ns = weir_monotonic_ns();
}

static bool is_success(const weir_http_transfer *transfer)
{
    return transfer->response.status >= 200 && transfer->response.status < 300;
}

static size_t largest_body(const weir_http_request *request)
{
    return request->largest_body > 0 ? request->largest_body : LARGEST_BODY;
}

static size_t take_body(char *data, size_t unit, size_t count, void *context)
{
    weir_http_transfer *transfer = context;
    weir_http_response *response = &transfer->response;
    const weir_http_request *request = &transfer->request;
    size_t size = unit * count;
    note_activity(transfer);
    if (request->into != NULL && is_success(transfer)) {
        size_t room = request->into_size - response->into_received;
        size_t taken = size < room ? size : room;
        memcpy(request->into + response->into_received, data, taken);
        response->into_received += taken;
        return size; /* what there is no room for was not asked for */
    }
    if (size > largest_body(request) - response->body.size) {
        transfer->body_too_large = true;
        return 0;
    }
    weir_buffer_append(&response->body, data, size);
    return size;
}

/* A status line begins an answer anew: one of "100 Continue" came before, or that of a proxy. */
static size_t take_header(char *data, size_t unit, size_t count, void *context)
{
    weir_http_transfer *transfer = context;
    weir_buffer *headers = &transfer->response.headers;
    size_t size = unit * count;
    size_t line = size;
    note_activity(transfer);
    if (size > 5 && memcmp(data, "HTTP/", 5) == 0) {
        const char *space = memchr(data, ' ', size);
        weir_buffer_clear(headers);
        transfer->response.status =
            space != NULL && size - (size_t)(space - data) > 3 ? (int)strtol(space, NULL, 10) : 0;
        return size;
    }
    while (line > 0 && isspace((unsigned char)data[line - 1])) {
        line--;
    }
    if (line == 0 || line > largest_body(&transfer->request) - headers->size) {
        return size;
    }
    const char *colon = memchr(data, ':', line);
    size_t start = headers->size;
    weir_buffer_append(headers, data, line);
    weir_buffer_append_byte(headers, '\n');
    for (size_t i = 0; colon != NULL && i < (size_t)(colon - data); i++) {
        headers->data[start + i] = (uint8_t)tolower(headers->data[start + i]);
    }
    return size;
}

/* From the queue that weir_http_write fills. */
static size_t give_streamed(weir_http_transfer *transfer, char *out, size_t room)
{
    pthread_mutex_lock(transfer->mutex);
    size_t size = transfer->queue.size - transfer->queue_start;
    size = size < room ? size : room;
    if (size > 0) {
        memcpy(out, transfer->queue.data + transfer->queue_start, size);
        transfer->queue_start += size;
    }
    if (transfer->queue_start == transfer->queue.size) {
        weir_buffer_clear(&transfer->queue);
        transfer->queue_start = 0;
    }
    transfer->is_paused = size == 0 && !transfer->queue_ended;
    bool is_paused = transfer->is_paused;
    pthread_cond_broadcast(&transfer->changed);
    pthread_mutex_unlock(transfer->mutex);
    return is_paused ? CURL_READFUNC_PAUSE : size;
}

static size_t give_body(char *out, size_t unit, size_t count, void *context)
{
    weir_http_transfer *transfer = context;
    size_t room = unit * count;
    note_activity(transfer);
    if (transfer->request.streams_body) {
        return give_streamed(transfer, out, room);
    }
    size_t left = transfer->request.body.size - transfer->body_sent;
    size_t size = left < room ? left : room;
    if (size > 0) {
        memcpy(out, transfer->request.body.data + transfer->body_sent, size);
        transfer->body_sent += size;
    }
    return size;
}

/* Called whenever the request is about to be sent. libcurl sends it again by itself where a kept connection turned out
 * to be closed; the server may have taken it all the same. */
static int note_sending(void *context, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
    weir_http_transfer *transfer = context;
    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    transfer->was_resent = transfer->was_sent;
    transfer->was_sent = true;
    return CURL_PREREQFUNC_OK;
}

static int rewind_body(void *context, curl_off_t offset, int origin)
{
    weir_http_transfer *transfer = context;
    if (transfer->request.streams_body || origin != SEEK_SET || offset != 0) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    transfer->body_sent = 0;
    return CURL_SEEKFUNC_OK;
}

/* ---- attempts ---- */

static struct curl_slist *make_headers(const weir_curl *curl, const weir_http_request *request,
                                       const weir_http_headers *more)
{
    struct curl_slist *list = curl->slist_append(NULL, "Expect:"); /* don't wait for "100 Continue" */
    for (size_t i = 0; i < request->header_count; i++) {
        char *line = weir_format("%s: %s", request->headers[i].name, request->headers[i].value);
        list = curl->slist_append(list, line);
        free(line);
    }
    for (size_t i = 0; i < more->count; i++) {
        list = curl->slist_append(list, more->lines[i]);
    }
    return list;
}

static void set_body(const weir_curl *curl, weir_http_transfer *transfer)
{
    const weir_http_request *request = &transfer->request;
    bool posts = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
    if (request->body.size > 0 || request->streams_body || posts) {
        curl_off_t size = request->streams_body ? -1 : (curl_off_t)request->body.size;
        curl->easy_setopt(transfer->easy, CURLOPT_UPLOAD, 1L);
        curl->easy_setopt(transfer->easy, CURLOPT_INFILESIZE_LARGE, size);
        curl->easy_setopt(transfer->easy, CURLOPT_READFUNCTION, give_body);
        curl->easy_setopt(transfer->easy, CURLOPT_READDATA, transfer);
        curl->easy_setopt(transfer->easy, CURLOPT_SEEKFUNCTION, rewind_body);
        curl->easy_setopt(transfer->easy, CURLOPT_SEEKDATA, transfer);
        curl->easy_setopt(transfer->easy, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_BYTES);
    }
    curl->easy_setopt(transfer->easy, CURLOPT_PREREQFUNCTION, note_sending);
    curl->easy_setopt(transfer->easy, CURLOPT_PREREQDATA, transfer);
    if (strcmp(request->method, "HEAD") == 0) {
        curl->easy_setopt(transfer->easy, CURLOPT_NOBODY, 1L);
    } else if (strcmp(request->method, "GET") != 0) {
        curl->easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, request->method);
    }
}

static void set_options(const weir_curl *curl, weir_http_transfer *transfer)
{
    const weir_http_request *request = &transfer->request;
    CURL *easy = transfer->easy;
    curl->easy_setopt(easy, CURLOPT_URL, request->url);
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl->easy_setopt(easy, CURLOPT_HTTP_VERSION,
                      (long)CURL_HTTP_VERSION_1_1); /* a connection each: they run abreast */
    curl->easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->reason);
    curl->easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl->easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->header_list);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl->easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl->easy_setopt(easy, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
    curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                      (long)(request->connect_ms > 0 ? request->connect_ms : DEFAULT_CONNECT_MS));
    if (request->avoids_proxy) {
        curl->easy_setopt(easy, CURLOPT_NOPROXY, "*");
    }
    set_body(curl, transfer);
}

int weir_http_begin_attempt(const weir_curl *curl, weir_http_transfer *transfer, weir_error *err)
{
    weir_http_headers more = {0};
    weir_http_response *response = &transfer->response;
    response->attempts++;
    response->status = 0;
    response->into_received = 0;
    weir_buffer_clear(&response->headers);
    weir_buffer_clear(&response->body);
    transfer->reason[0] = '\0';
    transfer->body_sent = 0;
    transfer->was_sent = false;
    transfer->was_resent = false;
    int code = WEIR_OK;
    if (transfer->request.authorize != NULL) {
        WEIR_GO(transfer->request.authorize(transfer->request.authorize_context, &transfer->request, &more, err));
    }
    transfer->easy = curl->easy_init();
    if (transfer->easy == NULL) {
        WEIR_GO(weir_http_fail(transfer, "libcurl has no memory for a request", err));
    }
    transfer->header_list = make_headers(curl, &transfer->request, &more);
    set_options(curl, transfer);
    transfer->attempt_ns = transfer->activity_ns = weir_monotonic_ns();
done:
    weir_http_headers_free(&more);
    return code;
}

void weir_http_end_attempt(const weir_curl *curl, weir_http_transfer *transfer)
{
    curl->easy_cleanup(transfer->easy);
    curl->slist_free_all(transfer->header_list);
    transfer->easy = NULL;
    transfer->header_list = NULL;
}
