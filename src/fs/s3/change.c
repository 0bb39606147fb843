/* Changing what is there: replacing, copying, renaming. Removing is remove.c. */
#include <stdlib.h>

#include "base/alloc.h"
#include "fs/s3/call.h"

#define MOST_COPIES 16 /* side by side */

int weir_s3_replace(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err)
{
    (void)sync;
    weir_s3_call call = {.method = "PUT", .path = path, .body = bytes};
    return weir_s3_do((weir_s3 *)fs, &call, err);
}

/* Only the folder itself gets an object: those above it are there because it is. */
int weir_s3_make_directories(weir_fs *fs, const char *path, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    weir_file_info info;
    int code = weir_s3_stat(fs, path, &info, err);
    if (code == WEIR_OK) {
        return info.is_directory ? WEIR_OK : weir_fail(err, WEIR_EXISTS, "%s: exists already, as a file", path);
    }
    if (code != WEIR_NOT_FOUND) {
        return code;
    }
    weir_error_clear(err);
    char *key = weir_format("%s/", weir_s3_key(path));
    weir_s3_call call = {.method = "PUT", .path = path, .key = key};
    code = weir_s3_do(s3, &call, err);
    free(key);
    return code;
}

/* ---- copying ---- */

typedef struct s3_copy {
    char *source; /* "/bucket/key", escaped */
    char *target; /* key */
    weir_s3_pending *pending;
} s3_copy;

static weir_s3_call call_of_copy(const s3_copy *copy, const char *path)
{
    return (weir_s3_call){.method = "PUT",
                          .path = path,
                          .key = copy->target,
                          .headers = {{"x-amz-copy-source", copy->source}}};
}

static int start_copy(weir_s3 *s3, const char *from_key, const char *to_key, const char *path, s3_copy *copy,
                      weir_error *err)
{
    weir_buffer source = {0};
    weir_buffer_append_format(&source, "/%s/", s3->config.bucket);
    weir_http_append_escaped(weir_slice_text(from_key), true, &source);
    copy->source = weir_strdup(weir_buffer_text(&source));
    copy->target = weir_strdup(to_key);
    weir_buffer_free(&source);
    weir_s3_call call = call_of_copy(copy, path);
    return weir_s3_start(s3, &call, &copy->pending, err);
}

static int wait_copy(weir_s3 *s3, s3_copy *copy, const char *path, weir_error *err)
{
    weir_http_response response = {0};
    int code = weir_s3_wait(copy->pending, &response, err);
    copy->pending = NULL;
    weir_s3_call call = call_of_copy(copy, path);
    if (code == WEIR_OK) {
        code = weir_s3_settle(s3, &call, &response, err);
    }
    if (code == WEIR_OK) {
        code = weir_s3_check(s3, &response, path, true, err);
    }
    weir_http_response_free(&response);
    return code;
}

/* Every key with the prefix `to` in place of the first `from_size` bytes. */
static int copy_keys(weir_s3 *s3, const char *const *keys, size_t count, size_t from_size, const char *to,
                     const char *path, weir_error *err)
{
    s3_copy copies[MOST_COPIES] = {0};
    int code = WEIR_OK;
    size_t started = 0;
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        for (; started < count && started < i + MOST_COPIES && code == WEIR_OK; started++) {
            s3_copy *copy = &copies[started % MOST_COPIES];
            char *target = weir_format("%s%s", to, keys[started] + from_size);
            free(copy->source);
            free(copy->target);
            *copy = (s3_copy){0};
            code = start_copy(s3, keys[started], target, path, copy, err);
            free(target);
        }
        if (code == WEIR_OK) {
            code = wait_copy(s3, &copies[i % MOST_COPIES], path, err);
        }
    }
    for (size_t i = 0; i < MOST_COPIES; i++) {
        weir_s3_cancel(copies[i].pending);
        free(copies[i].source);
        free(copies[i].target);
    }
    return code;
}

int weir_s3_copy(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    weir_arena arena;
    const char **keys;
    size_t count;
    weir_arena_init(&arena);
    const char *key = weir_s3_key(from);
    const char *prefix = weir_arena_format(&arena, "%s/", key);
    int code = weir_s3_list_keys(s3, prefix, from, &arena, &keys, &count, err);
    if (code == WEIR_OK && count > 0) {
        code = copy_keys(s3, keys, count, strlen(key), weir_s3_key(to), from, err);
    } else if (code == WEIR_OK) {
        code = copy_keys(s3, &key, 1, strlen(key), weir_s3_key(to), from, err);
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- renaming ---- */

typedef struct s3_head {
    int status;
    char etag[128];
    weir_file_info info;
} s3_head;

static int head(weir_s3 *s3, const char *path, s3_head *out, weir_error *err)
{
    weir_s3_call call = {.method = "HEAD", .path = path};
    weir_http_response response = {0};
    *out = (s3_head){0};
    int code = weir_s3_run(s3, &call, &response, err);
    if (code == WEIR_OK && response.status != 404) {
        code = weir_s3_check(s3, &response, path, false, err);
    }
    out->status = response.status;
    if (code == WEIR_OK && response.status == 200) {
        (void)weir_s3_file_info(&response, &out->info);
        (void)weir_http_response_header(&response, "etag", out->etag, sizeof out->etag);
    }
    weir_http_response_free(&response);
    return code;
}

/* A copy, and then the end of the source. Whoever was stopped in between does it again: the same file at both places is
 * a copy that was made already. */
static int rename_file(weir_s3 *s3, const char *from, const char *to, const s3_head *source, weir_error *err)
{
    s3_head target;
    const char *key = weir_s3_key(from);
    WEIR_TRY(head(s3, to, &target, err));
    bool is_copied = target.status == 200 && target.info.size_bytes == source->info.size_bytes &&
                     target.etag[0] != '\0' && strcmp(target.etag, source->etag) == 0;
    if (target.status == 200 && !is_copied) {
        return weir_fail(err, WEIR_EXISTS, "%s: exists already", to);
    }
    if (!is_copied) {
        WEIR_TRY(copy_keys(s3, &key, 1, strlen(key), weir_s3_key(to), from, err));
    }
    return weir_s3_remove(&s3->fs, from, err);
}

static int rename_folder(weir_s3 *s3, const char *from, const char *to, weir_error *err)
{
    weir_arena arena;
    const char **keys;
    const char **there;
    size_t count, there_count;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    const char *from_prefix = weir_arena_format(&arena, "%s/", weir_s3_key(from));
    const char *to_prefix = weir_arena_format(&arena, "%s/", weir_s3_key(to));
    WEIR_GO(weir_s3_list_keys(s3, from_prefix, from, &arena, &keys, &count, err));
    if (count == 0) {
        WEIR_GO(weir_fail(err, WEIR_NOT_FOUND, "%s: there is no such file", from));
    }
    WEIR_GO(weir_s3_list_keys(s3, to_prefix, to, &arena, &there, &there_count, err));
    if (there_count > 0) {
        WEIR_GO(weir_fail(err, WEIR_EXISTS, "%s: exists already", to));
    }
    WEIR_GO(copy_keys(s3, keys, count, strlen(from_prefix), to_prefix, from, err));
    WEIR_GO(weir_s3_remove_keys(s3, keys, count, from, err));
done:
    weir_arena_free(&arena);
    return code;
}

int weir_s3_rename(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    s3_head source;
    if (strncmp(to, from, strlen(from)) == 0 && to[strlen(from)] == '/') {
        return weir_fail(err, WEIR_INVALID, "%s: cannot be moved into itself", from);
    }
    WEIR_TRY(head(s3, from, &source, err));
    return source.status == 200 ? rename_file(s3, from, to, &source, err) : rename_folder(s3, from, to, err);
}
