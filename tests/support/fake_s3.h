/* A bucket in memory behind the server of http_server.h: as much of S3 as the file system asks for, and faults. */
#ifndef WEIR_TESTS_FAKE_S3_H
#define WEIR_TESTS_FAKE_S3_H

#include "base/map.h"
#include "fs/fs.h"
#include "support/http_server.h"

typedef struct fake_object {
    char key[512]; /* of a part: "upload/number" */
    weir_buffer bytes;
    bool is_part;
} fake_object;

typedef struct fake_s3 {
    test_server *server;
    fake_object objects[4096]; /* in order of their keys; parts after all others */
    int count;
    int uploads;           /* begun: up1, up2, … */
    bool is_ended[64];     /* the upload of that number */
    int page; /* keys in an answer at most; 0: 1000 */

    int requests;
    int puts, gets, heads, lists, deletes, posts;
    bool ignores_conditions;
    int broken;               /* so many requests are answered as `fault` says, without being done */
    test_answer fault;
    const char *refused_keys;  /* those that begin so are not removed; NULL: none */
    const char *refused_code;  /* why */
    bool refuses_namelessly;   /* without saying of which key */
    int refusals;              /* so many keys at most */
    bool lacks_delete_many;
    bool encodes_keys;        /* in listings, as it is asked to */
    bool repeats_token;       /* of listings: the same page again and again */
    int late_errors;          /* so many completions and copies fail behind a status of success */
    int64_t clock_ahead_ms;   /* of the server's */
    bool lies_about_ranges;
    const char *fault_code;   /* of the error in its body; NULL: SlowDown */
    int lost;                 /* so many writes are done, and their answers lost by a reset */
    int broken_after_lost;    /* what `broken` is set to by a lost answer */
    int lose_every;           /* as well as that of every so-manieth one; 0: none */
    int writes;
    char last_authorization[512];
    char last_range[64];
} fake_s3;

/* As much of the texts, one after the other, as there is room for. */
static inline void fake_text(char *out, size_t size, const char *a, const char *b, const char *c)
{
    weir_buffer text = {0};
    weir_buffer_append_format(&text, "%s%s%s", a, b, c);
    assert_in_range(text.size, 0, size - 1);
    memcpy(out, weir_buffer_text(&text), text.size + 1);
    weir_buffer_free(&text);
}

/* ---- objects ---- */

static inline int fake_find(const fake_s3 *s3, const char *key, bool is_part)
{
    for (int i = 0; i < s3->count; i++) {
        if (s3->objects[i].is_part == is_part && strcmp(s3->objects[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

static inline void fake_put(fake_s3 *s3, const char *key, weir_slice bytes, bool is_part)
{
    int at = fake_find(s3, key, is_part);
    if (at < 0) {
        assert_in_range(s3->count, 0, 4095);
        at = 0;
        while (at < s3->count && !s3->objects[at].is_part && (is_part || strcmp(s3->objects[at].key, key) < 0)) {
            at++;
        }
        memmove(&s3->objects[at + 1], &s3->objects[at], (size_t)(s3->count - at) * sizeof *s3->objects);
        s3->count++;
        s3->objects[at] = (fake_object){.is_part = is_part};
        fake_text(s3->objects[at].key, sizeof s3->objects[at].key, key, "", "");
    }
    weir_buffer_clear(&s3->objects[at].bytes);
    weir_buffer_append(&s3->objects[at].bytes, bytes.data, bytes.size);
}

static inline void fake_remove(fake_s3 *s3, int at)
{
    weir_buffer_free(&s3->objects[at].bytes);
    s3->count--;
    memmove(&s3->objects[at], &s3->objects[at + 1], (size_t)(s3->count - at) * sizeof *s3->objects);
}

static inline void fake_etag(const fake_object *object, char out[32])
{
    snprintf(out, 32, "\"%016llx\"", (unsigned long long)weir_hash_bytes(weir_buffer_slice(&object->bytes)));
}

/* ---- requests ---- */

static inline void fake_unescape(const char *text, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) {
        unsigned byte = (unsigned char)text[i];
        if (byte == '%') {
            assert_int_equal(sscanf(text + i + 1, "%2x", &byte), 1);
            i += 2;
        }
        *out++ = (char)byte;
    }
    *out = '\0';
}

/* The value of a parameter, unescaped (static buffer); NULL: not there. */
static inline const char *fake_parameter(const char *target, const char *name)
{
    static char value[1024];
    size_t size = strlen(name);
    const char *at = strchr(target, '?');
    while (at != NULL) {
        at++;
        if (strncmp(at, name, size) == 0 && at[size] == '=') {
            fake_unescape(at + size + 1, strcspn(at + size + 1, "&"), value);
            return value;
        }
        at = strchr(at, '&');
    }
    return NULL;
}

static inline void fake_error(test_answer *answer, int status, const char *code)
{
    answer->status = status;
    weir_buffer_append_format(&answer->body, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>so it is</Message></Error>",
                              code);
}

static inline void fake_escape_xml(const char *text, weir_buffer *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<') {
            weir_buffer_append_format(out, "&#%d;", *text);
        } else {
            weir_buffer_append_byte(out, (uint8_t)*text);
        }
    }
}

/* A key in a listing. */
static inline void fake_put_key(const fake_s3 *s3, const char *key, weir_buffer *out)
{
    for (const char *at = key; s3->encodes_keys && *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == ' ') {
            weir_buffer_append_byte(out, '+');
        } else if (byte >= 0x80 || strchr("+%&<>'\"", byte) != NULL) {
            weir_buffer_append_format(out, "%%%02X", byte);
        } else {
            weir_buffer_append_byte(out, byte);
        }
    }
    if (!s3->encodes_keys) {
        fake_escape_xml(key, out);
    }
}

static inline void fake_list(fake_s3 *s3, const char *target, test_answer *answer)
{
    char prefix[1024], after[1024], last[1024] = "";
    const char *parameter = fake_parameter(target, "prefix");
    snprintf(prefix, sizeof prefix, "%s", parameter == NULL ? "" : parameter);
    parameter = fake_parameter(target, "continuation-token");
    snprintf(after, sizeof after, "%s", parameter == NULL ? "" : parameter);
    parameter = fake_parameter(target, "max-keys");
    int most = parameter != NULL ? atoi(parameter) : s3->page > 0 ? s3->page : 1000;
    bool delimits = fake_parameter(target, "delimiter") != NULL;
    int given = 0;
    bool is_truncated = false;
    weir_buffer *out = &answer->body;
    weir_buffer_append_text(out, "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (int i = 0; i < s3->count && !is_truncated; i++) {
        const fake_object *object = &s3->objects[i];
        char item[1024];
        if (object->is_part || strncmp(object->key, prefix, strlen(prefix)) != 0) {
            continue;
        }
        const char *slash = delimits ? strchr(object->key + strlen(prefix), '/') : NULL;
        snprintf(item, sizeof item, "%.*s", slash != NULL ? (int)(slash + 1 - object->key) : 511, object->key);
        if (strcmp(item, after) <= 0 || strcmp(item, last) == 0) {
            continue;
        }
        is_truncated = given == most;
        if (is_truncated) {
            weir_buffer_append_text(out, "<NextContinuationToken>");
            fake_escape_xml(last, out);
            weir_buffer_append_text(out, "</NextContinuationToken>");
            break;
        }
        given++;
        snprintf(last, sizeof last, "%s", item);
        weir_buffer_append_text(out, slash != NULL ? "<CommonPrefixes><Prefix>" : "<Contents><Key>");
        fake_put_key(s3, item, out);
        if (slash != NULL) {
            weir_buffer_append_text(out, "</Prefix></CommonPrefixes>");
        } else {
            weir_buffer_append_format(out,
                                      "</Key><Size>%zu</Size><LastModified>2026-01-02T03:04:05.678Z</LastModified>"
                                      "</Contents>",
                                      object->bytes.size);
        }
    }
    if (s3->encodes_keys) {
        weir_buffer_append_text(out, "<EncodingType>url</EncodingType>");
    }
    if (s3->repeats_token) {
        weir_buffer_append_text(out, "<NextContinuationToken>same</NextContinuationToken>");
        is_truncated = true;
    }
    weir_buffer_append_format(out, "<IsTruncated>%s</IsTruncated></ListBucketResult>", is_truncated ? "true" : "false");
}

static inline void fake_get(const fake_s3 *s3, const char *key, const test_request *request, test_answer *answer)
{
    int at = fake_find(s3, key, false);
    unsigned long long start, end;
    char etag[32];
    if (at < 0) {
        fake_error(answer, 404, "NoSuchKey");
        return;
    }
    const fake_object *object = &s3->objects[at];
    fake_etag(object, etag);
    weir_buffer_append_format(&answer->headers, "ETag: %s\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n", etag);
    if (sscanf(test_header(request, "range"), "bytes=%llu-%llu", &start, &end) != 2) {
        weir_buffer_append(&answer->body, object->bytes.data, object->bytes.size);
    } else if (start >= object->bytes.size) {
        fake_error(answer, 416, "InvalidRange");
    } else {
        end = end < object->bytes.size ? end + 1 : object->bytes.size;
        answer->status = 206;
        weir_buffer_append_format(&answer->headers, "Content-Range: bytes %llu-%llu/%zu\r\n",
                                  start + s3->lies_about_ranges, end - 1, object->bytes.size);
        weir_buffer_append(&answer->body, object->bytes.data + start, end - start);
    }
}

/* A success, or an error behind the status of one. */
static inline void fake_succeed(fake_s3 *s3, const char *body, test_answer *answer)
{
    if (s3->late_errors > 0) {
        s3->late_errors--;
        body = "<?xml version=\"1.0\"?>\n  <Error><Code>InternalError</Code><Message>so it is</Message></Error>";
    }
    weir_buffer_append_text(&answer->body, body);
}

static inline int fake_upload(const test_request *request)
{
    int number = atoi(fake_parameter(request->target, "uploadId") + 2);
    assert_in_range(number, 1, 63);
    return number;
}

static inline void fake_write(fake_s3 *s3, const char *key, const test_request *request, test_answer *answer)
{
    const char *source = test_header(request, "x-amz-copy-source");
    char etag[32], name[1024];
    if (source[0] != '\0') {
        fake_unescape(strchr(source + 1, '/') + 1, strlen(strchr(source + 1, '/') + 1), name);
        int at = fake_find(s3, name, false);
        if (at < 0) {
            fake_error(answer, 404, "NoSuchKey");
            return;
        }
        weir_buffer copy = {0};
        weir_buffer_append(&copy, s3->objects[at].bytes.data, s3->objects[at].bytes.size);
        fake_put(s3, key, weir_buffer_slice(&copy), false);
        weir_buffer_free(&copy);
        fake_succeed(s3, "<CopyObjectResult><ETag>x</ETag></CopyObjectResult>", answer);
        return;
    }
    bool is_gone = fake_parameter(request->target, "uploadId") != NULL && s3->is_ended[fake_upload(request)];
    const char *part = fake_parameter(request->target, "partNumber");
    if (is_gone) {
        fake_error(answer, 404, "NoSuchUpload");
        return;
    }
    if (part != NULL) {
        char number[32];
        fake_text(number, sizeof number, part, "", "");
        fake_text(name, sizeof name, fake_parameter(request->target, "uploadId"), "/", number);
        fake_put(s3, name, weir_buffer_slice(&request->body), true);
        fake_etag(&s3->objects[fake_find(s3, name, true)], etag);
    } else if (strcmp(test_header(request, "if-none-match"), "*") == 0 && !s3->ignores_conditions &&
               fake_find(s3, key, false) >= 0) {
        fake_error(answer, 412, "PreconditionFailed");
        return;
    } else {
        fake_put(s3, key, weir_buffer_slice(&request->body), false);
        fake_etag(&s3->objects[fake_find(s3, key, false)], etag);
    }
    weir_buffer_append_format(&answer->headers, "ETag: %s\r\n", etag);
}

/* Every part that the request names, with the ETag that it had. */
static inline void fake_complete(fake_s3 *s3, const char *key, const test_request *request, test_answer *answer)
{
    char upload[256], name[1024], etag[32];
    weir_buffer bytes = {0};
    fake_text(upload, sizeof upload, fake_parameter(request->target, "uploadId"), "", "");
    const char *at = (const char *)request->body.data;
    const char *end = at + request->body.size;
    int number = 0;
    while ((at = memmem(at, (size_t)(end - at), "<PartNumber>", 12)) != NULL) {
        assert_int_equal(atoi(at + 12), ++number);
        snprintf(etag, sizeof etag, "%d", number);
        fake_text(name, sizeof name, upload, "/", etag);
        int part = fake_find(s3, name, true);
        if (part < 0) {
            weir_buffer_free(&bytes);
            fake_error(answer, 404, "NoSuchUpload");
            return;
        }
        fake_etag(&s3->objects[part], etag);
        const char *said = memmem(at, (size_t)(end - at), "<ETag>", 6);
        assert_memory_equal(said + 6, etag, strlen(etag));
        weir_buffer_append(&bytes, s3->objects[part].bytes.data, s3->objects[part].bytes.size);
        fake_remove(s3, part);
        at += 12;
    }
    s3->is_ended[fake_upload(request)] = true;
    fake_put(s3, key, weir_buffer_slice(&bytes), false);
    weir_buffer_free(&bytes);
    fake_succeed(s3, "<CompleteMultipartUploadResult/>", answer);
}

static inline void fake_unescape_xml(const char *text, size_t size, char *out)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;"};
    for (size_t i = 0; i < size; i++) {
        char byte = text[i];
        for (size_t k = 0; k < 3; k++) {
            if (size - i >= strlen(names[k]) && strncmp(text + i, names[k], strlen(names[k])) == 0) {
                byte = "&<>"[k];
                i += strlen(names[k]) - 1;
                break;
            }
        }
        *out++ = byte;
    }
    *out = '\0';
}

static inline void fake_delete_many(fake_s3 *s3, const test_request *request, test_answer *answer)
{
    const char *at = (const char *)request->body.data;
    const char *end = at + request->body.size;
    assert_int_equal(strlen(test_header(request, "content-md5")), 24);
    if (s3->lacks_delete_many) {
        fake_error(answer, 501, "NotImplemented");
        return;
    }
    weir_buffer_append_text(&answer->body, "<DeleteResult>");
    while ((at = memmem(at, (size_t)(end - at), "<Key>", 5)) != NULL) {
        char key[512];
        const char *close = memmem(at, (size_t)(end - at), "</Key>", 6);
        fake_unescape_xml(at + 5, (size_t)(close - at - 5), key);
        int found = fake_find(s3, key, false);
        if (s3->refused_keys != NULL && strncmp(key, s3->refused_keys, strlen(s3->refused_keys)) == 0 &&
            s3->refusals-- > 0) {
            weir_buffer_append_text(&answer->body, "<Error>");
            if (!s3->refuses_namelessly) {
                weir_buffer_append_text(&answer->body, "<Key>");
                fake_escape_xml(key, &answer->body);
                weir_buffer_append_text(&answer->body, "</Key>");
            }
            weir_buffer_append_format(&answer->body, "<Code>%s</Code><Message>so it is</Message></Error>",
                                      s3->refused_code);
        } else if (found >= 0) {
            fake_remove(s3, found);
        }
        at = close;
    }
    weir_buffer_append_text(&answer->body, "</DeleteResult>");
}

static inline void fake_remove_upload(fake_s3 *s3, const char *upload)
{
    char prefix[256];
    fake_text(prefix, sizeof prefix, upload, "/", "");
    for (int i = s3->count; i-- > 0;) {
        if (s3->objects[i].is_part && strncmp(s3->objects[i].key, prefix, strlen(prefix)) == 0) {
            fake_remove(s3, i);
        }
    }
}

static inline void fake_do(fake_s3 *s3, const char *key, const test_request *request, test_answer *answer)
{
    if (strcmp(request->method, "PUT") == 0) {
        s3->puts++;
        fake_write(s3, key, request, answer);
    } else if (strcmp(request->method, "POST") == 0 && fake_parameter(request->target, "delete") != NULL) {
        s3->posts++;
        fake_delete_many(s3, request, answer);
    } else if (strcmp(request->method, "POST") == 0 && fake_parameter(request->target, "uploads") != NULL) {
        s3->posts++;
        weir_buffer_append_format(&answer->body,
                                  "<InitiateMultipartUploadResult><UploadId>up%d</UploadId>"
                                  "</InitiateMultipartUploadResult>",
                                  ++s3->uploads);
    } else if (strcmp(request->method, "POST") == 0) {
        s3->posts++;
        fake_complete(s3, key, request, answer);
    } else if (strcmp(request->method, "DELETE") == 0) {
        s3->deletes++;
        answer->status = 204;
        const char *upload = fake_parameter(request->target, "uploadId");
        int at = fake_find(s3, key, false);
        if (upload != NULL) {
            fake_remove_upload(s3, upload);
            s3->is_ended[fake_upload(request)] = true;
        } else if (at >= 0) {
            fake_remove(s3, at);
        }
    } else if (strcmp(request->method, "HEAD") == 0) {
        s3->heads++;
        fake_get(s3, key, request, answer);
    } else if (fake_parameter(request->target, "list-type") != NULL) {
        s3->lists++;
        fake_list(s3, request->target, answer);
    } else {
        s3->gets++;
        fake_get(s3, key, request, answer);
    }
}

static inline void fake_answer(void *context, const test_request *request, test_answer *answer)
{
    fake_s3 *s3 = context;
    char key[1024];
    const char *slash = strchr(request->target + 1, '/');
    size_t size = slash == NULL ? 0 : strcspn(slash + 1, "?");
    fake_unescape(slash == NULL ? "" : slash + 1, size, key);
    s3->requests++;
    fake_text(s3->last_authorization, sizeof s3->last_authorization, test_header(request, "authorization"), "", "");
    fake_text(s3->last_range, sizeof s3->last_range, test_header(request, "range"), "", "");
    if (strncmp(request->target, "/bucket", 7) != 0) {
        fake_error(answer, 404, "NoSuchBucket");
        return;
    }
    if (s3->clock_ahead_ms != 0) {
        time_t there = (time_t)((weir_now_ms() + s3->clock_ahead_ms) / 1000);
        struct tm parts;
        char date[64];
        gmtime_r(&there, &parts);
        strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
        fake_error(answer, 403, "RequestTimeTooSkewed");
        weir_buffer_append_format(&answer->headers, "Date: %s\r\n", date);
        return;
    }
    if (s3->broken > 0) {
        s3->broken--;
        *answer = s3->fault;
        if (s3->fault.status >= 300) {
            fake_error(answer, s3->fault.status, s3->fault_code != NULL ? s3->fault_code : "SlowDown");
        } else if (!s3->fault.resets) {
            fake_do(s3, key, request, answer);
        }
        return;
    }
    bool writes = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
    fake_do(s3, key, request, answer);
    s3->writes += writes;
    if (writes && (s3->lost > 0 || (s3->lose_every > 0 && s3->writes % s3->lose_every == 0))) {
        s3->lost -= s3->lost > 0;
        s3->broken = s3->broken_after_lost;
        answer->resets = true;
    }
}

static inline fake_s3 *fake_s3_start(void)
{
    fake_s3 *s3 = weir_alloc_zeroed(1, sizeof *s3);
    s3->server = test_server_start(fake_answer, s3);
    return s3;
}

static inline void fake_s3_stop(fake_s3 *s3)
{
    test_server_stop(s3->server);
    while (s3->count > 0) {
        fake_remove(s3, s3->count - 1);
    }
    free(s3);
}

/* The bucket's file system. */
static inline weir_fs *fake_s3_open(const fake_s3 *s3)
{
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", s3->server->port);
    const char *keys[] = {"s3.endpoint", "s3.access-key", "s3.secret-key"};
    const char *values[] = {endpoint, "somebody", "geheim"};
    weir_fs_settings settings = {keys, values, 3};
    weir_arena arena;
    weir_fs *fs = NULL;
    const char *path = NULL;
    weir_arena_init(&arena);
    assert_int_equal(weir_fs_open("s3://bucket/", &settings, &arena, &fs, &path, NULL), WEIR_OK);
    assert_string_equal(path, "s3://bucket");
    weir_arena_free(&arena);
    return fs;
}

#endif
