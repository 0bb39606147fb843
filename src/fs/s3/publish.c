/* Files that appear only if nothing is there: PUT with If-None-Match: *.
 *
 * Two things are not obvious. Stores that don't know the header write over what is there; so one object is put twice
 * before the first publication, and where the second one succeeds, nothing is published. And an answer may be lost: the
 * request is sent again, and "it exists" then speaks of what we wrote ourselves. So the file is read back before that is
 * believed. */
#include "base/clock.h"
#include "fs/s3/call.h"

#define MOST_CONFLICTS 8 /* answers 409: another request for the same key is under way */

static int put_if_absent(weir_s3 *s3, const char *path, weir_slice bytes, weir_http_response *response, weir_error *err)
{
    weir_s3_call call = {.method = "PUT", .path = path, .body = bytes, .headers = {{"if-none-match", "*"}}};
    return weir_s3_run(s3, &call, response, err);
}

/* ---- does the store honour it? ---- */

/* Whether a store refuses the header, and nothing else of the request. Other refusals (of keys, of a region, of a clock)
 * say nothing of it. */
static bool refuses_header(const weir_http_response *response)
{
    static const char *const names[] = {"NotImplemented", "InvalidArgument", "UnsupportedHeader"};
    char name[64];
    if (response->status < 400 || response->status == 412) {
        return false;
    }
    weir_s3_error_code(response, name, sizeof name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return response->status == 501;
}

static int probe(weir_s3 *s3, const char *path, weir_s3_store *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_http_response response = {0};
    char uuid[WEIR_UUID_SIZE];
    int code = WEIR_OK;
    weir_uuid(uuid);
    const char *object = weir_arena_format(&arena, "%.*s/.weir-probe-%s", (int)(strrchr(path, '/') - path), path, uuid);
    weir_slice bytes = weir_slice_text("Does this store honour If-None-Match?\n");
    weir_s3_call removal = {.method = "DELETE", .path = object};
    WEIR_GO(put_if_absent(s3, object, bytes, &response, err));
    bool knows_header = !refuses_header(&response);
    if (knows_header && response.status != 412) {
        WEIR_GO(weir_s3_check(s3, &response, object, false, err));
    }
    if (knows_header) {
        WEIR_GO(put_if_absent(s3, object, bytes, &response, err));
        (void)weir_s3_do(s3, &removal, NULL);
    }
    if (knows_header && response.status != 200 && response.status != 412 && response.status != 409) {
        WEIR_GO(weir_s3_check(s3, &response, object, false, err));
    }
    *out = knows_header && response.status != 200 ? WEIR_S3_CONDITIONAL : WEIR_S3_PLAIN;
done:
    weir_http_response_free(&response);
    weir_arena_free(&arena);
    return code;
}

static int find_store(weir_s3 *s3, const char *path, weir_s3_store *out, weir_error *err)
{
    pthread_mutex_lock(&s3->mutex);
    int code = s3->store != WEIR_S3_UNKNOWN ? WEIR_OK : probe(s3, path, &s3->store, err);
    *out = s3->store;
    pthread_mutex_unlock(&s3->mutex);
    return code;
}

/* ---- publishing ---- */

/* Whether what stands there is what we wanted to publish. */
static int compare_with(weir_s3 *s3, const char *path, weir_slice bytes, bool *out_equal, weir_error *err)
{
    weir_buffer there = {0};
    int code = weir_s3_read_all(&s3->fs, path, &there, err);
    *out_equal = code == WEIR_OK && weir_slice_equal(weir_buffer_slice(&there), bytes);
    weir_buffer_free(&there);
    return code;
}

static int taken(const char *path, weir_error *err)
{
    return weir_fail(err, WEIR_EXISTS, "%s: exists already", path);
}

/* After no answer at all: the file is ours, another's, or not there (yet). */
static int settle_unknown(weir_s3 *s3, const char *path, weir_slice bytes, weir_error *err)
{
    bool is_equal = false;
    weir_error reason;
    int code = compare_with(s3, path, bytes, &is_equal, &reason);
    if (code == WEIR_OK) {
        return is_equal ? WEIR_OK : taken(path, err);
    }
    return WEIR_IO; /* `err` says why there was no answer */
}

static int publish_conditionally(weir_s3 *s3, const char *path, weir_slice bytes, weir_error *err)
{
    weir_http_response response = {0};
    bool is_equal = false;
    bool is_repeated = false;
    int code = WEIR_OK;
    for (int i = 0; i < MOST_CONFLICTS; i++) {
        code = put_if_absent(s3, path, bytes, &response, err);
        is_repeated |= response.is_repeated;
        if (code != WEIR_OK || response.status != 409) {
            break;
        }
        weir_sleep_ms(20 << i);
    }
    if (code == WEIR_IO) {
        weir_http_response_free(&response);
        return settle_unknown(s3, path, bytes, err);
    }
    WEIR_GO(code);
    if (response.status == 412 && is_repeated) {
        WEIR_GO(compare_with(s3, path, bytes, &is_equal, err));
        code = is_equal ? WEIR_OK : taken(path, err);
    } else if (response.status == 412) {
        code = taken(path, err);
    } else {
        code = weir_s3_check(s3, &response, path, false, err);
    }
    if (code != WEIR_OK && code != WEIR_EXISTS && is_repeated) { /* a refusal says nothing of the attempts before it */
        code = weir_error_context(err, WEIR_IO, "an earlier attempt may have been carried out");
    }
done:
    weir_http_response_free(&response);
    return code;
}

static int publish_alone(weir_s3 *s3, const char *path, weir_slice bytes, weir_error *err)
{
    bool exists = false;
    WEIR_TRY(weir_s3_file_exists(&s3->fs, path, &exists, err));
    return exists ? taken(path, err) : weir_s3_replace(&s3->fs, path, bytes, true, err);
}

int weir_s3_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    weir_s3_store store = WEIR_S3_CONDITIONAL;
    if (s3->config.commit == WEIR_S3_COMMIT_SINGLE_WRITER) {
        return publish_alone(s3, path, bytes, err);
    }
    if (s3->config.commit == WEIR_S3_COMMIT_PROBED) {
        WEIR_TRY(find_store(s3, path, &store, err));
    }
    if (store == WEIR_S3_PLAIN) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: this store does not honour If-None-Match, so that two writers could commit over each "
                         "other; if there is never more than one, set 's3.conditional-writes' = 'single-writer'",
                         path);
    }
    return publish_conditionally(s3, path, bytes, err);
}
