/* Changing what is there: replacing, removing, copying. */
#include <nettle/base64.h>
#include <nettle/md5.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "fs/s3/call.h"
#include "fs/s3/xml.h"

#define MOST_REMOVED 1000 /* keys in a request */
#define MOST_COPIES  16   /* side by side */

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

/* ---- removing ---- */

static void append_md5(weir_slice bytes, char out[BASE64_ENCODE_RAW_LENGTH(MD5_DIGEST_SIZE) + 1])
{
    struct md5_ctx context;
    uint8_t digest[MD5_DIGEST_SIZE];
    md5_init(&context);
    md5_update(&context, bytes.size, bytes.data);
    md5_digest(&context, sizeof digest, digest);
    base64_encode_raw(out, sizeof digest, digest);
    out[BASE64_ENCODE_RAW_LENGTH(MD5_DIGEST_SIZE)] = '\0';
}

/* The first key that could not be removed. */
typedef struct removal_errors {
    char code[64];
    char key[512];
    char next_key[512];
} removal_errors;

static void take_removal(void *context, const char *path, weir_slice text)
{
    removal_errors *errors = context;
    if (strcmp(path, "DeleteResult/Error/Key") == 0) {
        snprintf(errors->next_key, sizeof errors->next_key, "%.*s", (int)(text.size < 512 ? text.size : 511),
                 (const char *)text.data);
    } else if (strcmp(path, "DeleteResult/Error/Code") == 0 && errors->code[0] == '\0' &&
               !weir_slice_equal(text, weir_slice_text("NoSuchKey"))) {
        snprintf(errors->code, sizeof errors->code, "%.*s", (int)(text.size < 64 ? text.size : 63),
                 (const char *)text.data);
    } else if (strcmp(path, "DeleteResult/Error") == 0 && errors->code[0] != '\0' && errors->key[0] == '\0') {
        memcpy(errors->key, errors->next_key, sizeof errors->key);
    }
}

static int remove_batch(weir_s3 *s3, const char *const *keys, size_t count, const char *path, weir_error *err)
{
    weir_buffer body = {0};
    weir_http_response response = {0};
    removal_errors errors = {0};
    char md5[BASE64_ENCODE_RAW_LENGTH(MD5_DIGEST_SIZE) + 1];
    int code = WEIR_OK;
    weir_buffer_append_text(&body, "<Delete><Quiet>true</Quiet>");
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_text(&body, "<Object><Key>");
        weir_xml_append_escaped(keys[i], &body);
        weir_buffer_append_text(&body, "</Key></Object>");
    }
    weir_buffer_append_text(&body, "</Delete>");
    append_md5(weir_buffer_slice(&body), md5);
    weir_s3_call call = {.method = "POST",
                         .path = path,
                         .key = "",
                         .parameters = {{"delete", ""}},
                         .headers = {{"content-md5", md5}},
                         .body = weir_buffer_slice(&body)};
    WEIR_GO(weir_s3_run(s3, &call, &response, err));
    WEIR_GO(weir_s3_check(s3, &response, path, false, err));
    WEIR_GO(weir_xml_read(weir_buffer_slice(&response.body), take_removal, NULL, &errors, err));
    if (errors.code[0] != '\0') {
        bool is_denied = strcmp(errors.code, "AccessDenied") == 0;
        WEIR_GO(weir_fail(err, is_denied ? WEIR_DENIED : WEIR_IO, "%s: removing '%s': %s answers %s", path, errors.key,
                          s3->config.host, errors.code));
    }
done:
    weir_buffer_free(&body);
    weir_http_response_free(&response);
    return code;
}

static int remove_keys(weir_s3 *s3, const char *const *keys, size_t count, const char *path, weir_error *err)
{
    for (size_t i = 0; i < count; i += MOST_REMOVED) {
        size_t left = count - i;
        WEIR_TRY(remove_batch(s3, keys + i, left < MOST_REMOVED ? left : MOST_REMOVED, path, err));
    }
    return WEIR_OK;
}

/* A file. The object of a folder goes with the folder's contents (weir_s3_remove_recursively): stores keep none that is
 * empty. */
int weir_s3_remove(weir_fs *fs, const char *path, weir_error *err)
{
    weir_s3_call call = {.method = "DELETE", .path = path};
    int code = weir_s3_do((weir_s3 *)fs, &call, err);
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        return WEIR_OK;
    }
    return code;
}

int weir_s3_remove_many(weir_fs *fs, const char *const *paths, size_t count, weir_error *err)
{
    const char **keys = weir_alloc(count * sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        keys[i] = weir_s3_key(paths[i]);
    }
    int code = count == 0 ? WEIR_OK : remove_keys((weir_s3 *)fs, keys, count, paths[0], err);
    free(keys);
    return code;
}

/* Keys, and the folders that they lie in from `prefix_size` bytes on. Servers that keep files in real folders go on to list
 * empty ones; to others it is all the same when a key that is not there is removed. */
typedef struct removal_list {
    const char **keys;
    size_t count;
    size_t capacity;
} removal_list;

static void add_key(removal_list *list, const char *key)
{
    WEIR_GROW(list->keys, list->capacity, list->count + 1);
    list->keys[list->count++] = key;
}

/* `previous`: the key before, in whose folders it may lie; "": none. */
static void add_with_folders(removal_list *list, const char *key, const char *previous, size_t prefix_size,
                             weir_arena *arena)
{
    size_t common = 0;
    while (key[common] != '\0' && key[common] == previous[common]) {
        common++;
    }
    for (size_t i = prefix_size > 0 ? prefix_size - 1 : 0; key[i] != '\0'; i++) {
        if (key[i] == '/' && key[i + 1] != '\0' && i >= common) {
            add_key(list, weir_arena_strndup(arena, key, i + 1));
        }
    }
    add_key(list, key);
}

static int compare_descending(const void *a, const void *b) { return strcmp(*(char *const *)b, *(char *const *)a); }

int weir_s3_remove_recursively(weir_fs *fs, const char *path, weir_error *err)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    weir_arena arena;
    removal_list list = {0};
    const char **keys;
    size_t count;
    weir_arena_init(&arena);
    const char *key = weir_s3_key(path);
    const char *prefix = weir_arena_format(&arena, "%s%s", key, key[0] == '\0' ? "" : "/");
    int code = weir_s3_list_keys(s3, prefix, path, &arena, &keys, &count, err);
    for (size_t i = 0; code == WEIR_OK && i < count; i++) {
        add_with_folders(&list, keys[i], i == 0 ? "" : keys[i - 1], strlen(prefix), &arena);
    }
    if (code == WEIR_OK && key[0] != '\0' && count == 0) {
        add_key(&list, key); /* perhaps a file */
    }
    if (code == WEIR_OK && list.count > 0) {
        qsort(list.keys, list.count, sizeof *list.keys, compare_descending); /* what is in a folder before the folder */
        code = remove_keys(s3, list.keys, list.count, path, err);
    }
    free(list.keys);
    weir_arena_free(&arena);
    return code;
}

/* ---- copying ---- */

typedef struct s3_copy {
    char *source; /* "/bucket/key", escaped */
    char *target; /* key */
    weir_s3_pending *pending;
} s3_copy;

static int start_copy(weir_s3 *s3, const char *from_key, const char *to_key, const char *path, s3_copy *copy,
                      weir_error *err)
{
    weir_buffer source = {0};
    weir_buffer_append_format(&source, "/%s/", s3->config.bucket);
    weir_http_append_escaped(weir_slice_text(from_key), true, &source);
    copy->source = weir_strdup(weir_buffer_text(&source));
    copy->target = weir_strdup(to_key);
    weir_buffer_free(&source);
    weir_s3_call call = {.method = "PUT",
                         .path = path,
                         .key = copy->target,
                         .headers = {{"x-amz-copy-source", copy->source}}};
    return weir_s3_start(s3, &call, &copy->pending, err);
}

static int wait_copy(weir_s3 *s3, s3_copy *copy, const char *path, weir_error *err)
{
    weir_http_response response = {0};
    int code = weir_s3_wait(copy->pending, &response, err);
    copy->pending = NULL;
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
    WEIR_GO(remove_keys(s3, keys, count, from, err));
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
