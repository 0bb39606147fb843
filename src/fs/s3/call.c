/* Calls of S3's API. */
#include "fs/s3/call.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "fs/s3/sign.h"
#include "fs/s3/xml.h"

#define MOST_SKEW_MINUTES 5 /* servers take up to 15 */

/* Of requests whose errors come with a status of success. */
#define MOST_TURNS     5
#define FIRST_PAUSE_MS 200

struct weir_s3_pending {
    weir_s3 *s3;
    weir_s3_call call;
    weir_s3_keys *keys;
    weir_http_transfer *transfer;
    weir_buffer url;
    weir_buffer path;  /* escaped */
    weir_buffer query; /* escaped */
    weir_http_header headers[WEIR_S3_HEADERS];
    char payload_hash[WEIR_SHA256_HEX_SIZE];
};

const char *weir_s3_key(const char *path)
{
    const char *key = weir_fs_path_within(path);
    return key + (*key == '/');
}

/* ---- signing ---- */

static int compare_headers(const void *a, const void *b)
{
    return strcmp(((const weir_s3_signed_header *)a)->name, ((const weir_s3_signed_header *)b)->name);
}

/* Signs anew for every attempt: a signature is good for minutes only. */
static int authorize(void *context, const weir_http_request *request, weir_http_headers *headers, weir_error *err)
{
    (void)err;
    weir_s3_pending *pending = context;
    const weir_s3_config *config = &pending->s3->config;
    const weir_s3_keys *keys = pending->keys;
    char now[17];
    weir_s3_time(weir_now_ms() / 1000, now);
    weir_s3_signed_header list[WEIR_S3_HEADERS + 4] = {{"host", config->host},
                                                       {"x-amz-content-sha256", pending->payload_hash},
                                                       {"x-amz-date", now}};
    size_t count = 3;
    if (keys->session_token != NULL) {
        list[count++] = (weir_s3_signed_header){"x-amz-security-token", keys->session_token};
    }
    for (size_t i = 1; i < count; i++) {
        weir_http_headers_add(headers, list[i].name, list[i].value);
    }
    if (keys->access_key == NULL) {
        return WEIR_OK;
    }
    for (size_t i = 0; i < request->header_count; i++) {
        if (strncmp(request->headers[i].name, "x-amz-", 6) == 0) {
            list[count++] = (weir_s3_signed_header){request->headers[i].name, request->headers[i].value};
        }
    }
    qsort(list, count, sizeof *list, compare_headers);
    weir_buffer value = {0};
    weir_s3_signing signing = {.method = request->method,
                               .path = weir_buffer_text(&pending->path),
                               .query = weir_buffer_text(&pending->query),
                               .headers = list,
                               .header_count = count,
                               .payload_hash = pending->payload_hash,
                               .time = now,
                               .region = config->region,
                               .service = "s3",
                               .access_key = keys->access_key,
                               .secret_key = keys->secret_key};
    weir_s3_sign(&signing, &value);
    weir_http_headers_add(headers, "Authorization", weir_buffer_text(&value));
    weir_buffer_free(&value);
    return WEIR_OK;
}

/* ---- requests ---- */

static void build_url(weir_s3_pending *pending)
{
    const weir_s3_config *config = &pending->s3->config;
    const weir_s3_call *call = &pending->call;
    const char *key = call->key != NULL ? call->key : weir_s3_key(call->path);
    weir_buffer_append_text(&pending->path, config->prefix);
    if (key[0] != '\0' || config->prefix[0] == '\0') {
        weir_buffer_append_byte(&pending->path, '/');
    }
    weir_http_append_escaped(weir_slice_text(key), true, &pending->path);
    for (size_t i = 0; i < WEIR_S3_PARAMETERS && call->parameters[i].name != NULL; i++) {
        weir_buffer_append_text(&pending->query, i == 0 ? "" : "&");
        weir_http_append_escaped(weir_slice_text(call->parameters[i].name), false, &pending->query);
        weir_buffer_append_byte(&pending->query, '=');
        weir_http_append_escaped(weir_slice_text(call->parameters[i].value), false, &pending->query);
    }
    weir_buffer_append_text(&pending->url, config->base);
    weir_buffer_append_text(&pending->url, weir_buffer_text(&pending->path) + strlen(config->prefix));
    if (pending->query.size > 0) {
        weir_buffer_append_format(&pending->url, "?%s", weir_buffer_text(&pending->query));
    }
}

static void free_pending(weir_s3_pending *pending)
{
    weir_s3_keys_release(pending->s3->credentials, pending->keys);
    weir_buffer_free(&pending->url);
    weir_buffer_free(&pending->path);
    weir_buffer_free(&pending->query);
    free(pending);
}

int weir_s3_start(weir_s3 *s3, const weir_s3_call *call, weir_s3_pending **out, weir_error *err)
{
    weir_s3_keys *keys = NULL;
    WEIR_TRY_CTX(weir_s3_credentials_acquire(s3->credentials, &keys, err), err, "%s", call->path);
    weir_s3_pending *pending = weir_alloc_zeroed(1, sizeof *pending);
    size_t header_count = 0;
    pending->s3 = s3;
    pending->call = *call;
    pending->keys = keys;
    build_url(pending);
    weir_sha256_hex(call->body, pending->payload_hash);
    while (header_count < WEIR_S3_HEADERS && call->headers[header_count].name != NULL) {
        pending->headers[header_count] = call->headers[header_count];
        header_count++;
    }
    weir_http_request request = {.method = call->method,
                                 .url = weir_buffer_text(&pending->url),
                                 .subject = call->path,
                                 .headers = pending->headers,
                                 .header_count = header_count,
                                 .body = call->body,
                                 .into = call->into,
                                 .into_size = call->into_size,
                                 .largest_body = SIZE_MAX / 2,
                                 .is_idempotent = !call->is_unsafe,
                                 .attempts = call->attempts,
                                 .authorize = authorize,
                                 .authorize_context = pending};
    int code = weir_http_start(&request, &pending->transfer, err);
    if (code != WEIR_OK) {
        free_pending(pending);
        return code;
    }
    *out = pending;
    return WEIR_OK;
}

int weir_s3_wait(weir_s3_pending *pending, weir_http_response *out, weir_error *err)
{
    int code = weir_http_wait(pending->transfer, out, err);
    free_pending(pending);
    return code;
}

void weir_s3_cancel(weir_s3_pending *pending)
{
    if (pending != NULL) {
        weir_http_cancel(pending->transfer);
        free_pending(pending);
    }
}

int weir_s3_run(weir_s3 *s3, const weir_s3_call *call, weir_http_response *out, weir_error *err)
{
    weir_s3_pending *pending;
    WEIR_TRY(weir_s3_start(s3, call, &pending, err));
    return weir_s3_wait(pending, out, err);
}

int weir_s3_do(weir_s3 *s3, const weir_s3_call *call, weir_error *err)
{
    weir_http_response response = {0};
    int code = weir_s3_run(s3, call, &response, err);
    if (code == WEIR_OK) {
        code = weir_s3_check(s3, &response, call->path, false, err);
    }
    weir_http_response_free(&response);
    return code;
}

/* ---- errors ---- */

typedef struct s3_error {
    char code[64];
    char message[256];
} s3_error;

static void take_error_element(void *context, const char *path, weir_slice text)
{
    s3_error *error = context;
    char *target = strcmp(path, "Error/Code") == 0      ? error->code
                   : strcmp(path, "Error/Message") == 0 ? error->message
                                                        : NULL;
    size_t room = target == error->code ? sizeof error->code : sizeof error->message;
    if (target != NULL && text.size > 0) {
        size_t size = text.size < room - 1 ? text.size : room - 1;
        memcpy(target, text.data, size);
        target[size] = '\0';
    }
}

static s3_error read_error(const weir_http_response *response)
{
    s3_error error = {0};
    if (response->body.size > 0) {
        (void)weir_xml_read(weir_buffer_slice(&response->body), take_error_element, NULL, &error, NULL);
    }
    return error;
}

void weir_s3_error_code(const weir_http_response *response, char *out, size_t size)
{
    s3_error error = read_error(response);
    snprintf(out, size, "%s", error.code);
}

bool weir_s3_error_passes(const char *name)
{
    static const char *const names[] = {"InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted",
                                        "RequestTimeout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

int weir_s3_settle(weir_s3 *s3, const weir_s3_call *call, weir_http_response *response, weir_error *err)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        s3_error error = read_error(response);
        if (response->status >= 300 || !weir_s3_error_passes(error.code)) {
            break;
        }
        weir_sleep_ms(FIRST_PAUSE_MS << turn);
        WEIR_TRY(weir_s3_run(s3, call, response, err));
        response->is_repeated = true;
    }
    return WEIR_OK;
}

/* Errors by their names, which say more than the status. */
static const struct {
    const char *name;
    weir_code code;
    const char *advice;
} known_errors[] = {
    {"NoSuchKey", WEIR_NOT_FOUND, ""},
    {"NoSuchBucket", WEIR_NOT_FOUND, "; create the bucket, or check its name and the endpoint"},
    {"InvalidAccessKeyId", WEIR_DENIED, "; check 's3.access-key'"},
    {"SignatureDoesNotMatch", WEIR_DENIED, "; check 's3.secret-key'"},
    {"AuthorizationHeaderMalformed", WEIR_DENIED, "; check 's3.region'"},
    {"RequestTimeTooSkewed", WEIR_DENIED, ""},
    {"ExpiredToken", WEIR_DENIED, "; get new keys and a new session token"},
    {"InvalidToken", WEIR_DENIED, "; check the session token"},
    {"AccessDenied", WEIR_DENIED, ""},
    {"PreconditionFailed", WEIR_EXISTS, ""},
    {"PermanentRedirect", WEIR_INVALID, "; set 's3.region' or 's3.endpoint' to the bucket's"},
};

static weir_code code_of_status(int status)
{
    switch (status) {
    case 401:
    case 403:
        return WEIR_DENIED;
    case 301:
    case 307:
        return WEIR_INVALID;
    case 404:
        return WEIR_NOT_FOUND;
    case 412:
        return WEIR_EXISTS;
    default:
        return WEIR_IO;
    }
}

/* How much further this machine's clock is than the server's. */
static int64_t minutes_ahead(const weir_http_response *response)
{
    char date[64];
    int64_t there_ms =
        weir_http_response_header(response, "date", date, sizeof date) ? weir_s3_http_time(date) : 0;
    return there_ms == 0 ? 0 : (weir_now_ms() - there_ms) / 60000;
}

static int fail(const weir_s3 *s3, const weir_http_response *response, const char *path, const s3_error *error,
                weir_error *err)
{
    weir_code code = code_of_status(response->status);
    const char *advice = "";
    char region[64];
    for (size_t i = 0; i < sizeof known_errors / sizeof *known_errors; i++) {
        if (strcmp(known_errors[i].name, error->code) == 0) {
            code = known_errors[i].code;
            advice = known_errors[i].advice;
        }
    }
    if (response->status == 301 || response->status == 307) { /* HEAD has no body that names the error */
        advice = "; set 's3.region' or 's3.endpoint' to the bucket's";
    }
    bool tells_region = weir_http_response_header(response, "x-amz-bucket-region", region, sizeof region) &&
                        strcmp(region, s3->config.region) != 0;
    if (code == WEIR_NOT_FOUND && strcmp(error->code, "NoSuchBucket") != 0) {
        return weir_fail(err, code, "%s: there is no such file", path);
    }
    int64_t clock_minutes = response->status == 403 ? minutes_ahead(response) : 0;
    char clock[128] = "";
    if (clock_minutes > MOST_SKEW_MINUTES || clock_minutes < -MOST_SKEW_MINUTES) {
        snprintf(clock, sizeof clock, "; this machine's clock is %" PRId64 " minutes %s the server's",
                 clock_minutes > 0 ? clock_minutes : -clock_minutes, clock_minutes > 0 ? "ahead of" : "behind");
    }
    return weir_fail(err, code, "%s: %s answers %d%s%s%s%s%s%s%s%s%s", path, s3->config.host, response->status,
                     error->code[0] != '\0' ? " " : "", error->code, error->message[0] != '\0' ? " (" : "",
                     error->message, error->message[0] != '\0' ? ")" : "", advice,
                     tells_region ? "; the bucket is in region " : "", tells_region ? region : "", clock);
}

int weir_s3_check(const weir_s3 *s3, const weir_http_response *response, const char *path, bool checks_body,
                  weir_error *err)
{
    bool succeeds = response->status >= 200 && response->status < 300;
    if (succeeds && !checks_body) {
        return WEIR_OK;
    }
    s3_error error = read_error(response);
    return succeeds && error.code[0] == '\0' ? WEIR_OK : fail(s3, response, path, &error, err);
}

/* ---- headers ---- */

int64_t weir_s3_http_time(const char *text)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int day, year, hour, minute, second;
    char month[4];
    if (sscanf(text, "%*3s, %2d %3s %4d %2d:%2d:%2d", &day, month, &year, &hour, &minute, &second) != 6) {
        return 0;
    }
    for (int i = 0; i < 12; i++) {
        if (strcmp(months[i], month) == 0) {
            int64_t days = weir_days_from_civil(year, i + 1, day);
            return ((days * 24 + hour) * 60 + minute) * 60000 + (int64_t)second * 1000;
        }
    }
    return 0;
}

int64_t weir_s3_iso_time(const char *text)
{
    int year, month, day, hour, minute, second, milliseconds = 0;
    int count = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &year, &month, &day, &hour, &minute, &second, &milliseconds);
    if (count < 6 || month < 1 || month > 12) {
        return 0;
    }
    int64_t days = weir_days_from_civil(year, month, day);
    return ((days * 24 + hour) * 60 + minute) * 60000 + (int64_t)second * 1000 + (count == 7 ? milliseconds : 0);
}

bool weir_s3_file_info(const weir_http_response *response, weir_file_info *out)
{
    char text[64];
    int64_t size;
    *out = (weir_file_info){0};
    if (!weir_http_response_header(response, "content-length", text, sizeof text) ||
        !weir_parse_int64(weir_slice_text(text), &size) || size < 0) {
        return false;
    }
    out->size_bytes = (uint64_t)size;
    if (weir_http_response_header(response, "last-modified", text, sizeof text)) {
        out->modified_ms = weir_s3_http_time(text);
    }
    return true;
}
