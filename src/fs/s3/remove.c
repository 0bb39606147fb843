/* Removing: many keys by one request. What a store has no time for is asked for again; what it refuses is told when all
 * else is gone. */
#include <nettle/base64.h>
#include <nettle/md5.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fs/s3/call.h"
#include "fs/s3/xml.h"

#define MOST_REMOVED 1000 /* keys in a request */

/* Of keys that a store had no time for. */
#define MOST_TURNS     4
#define FIRST_PAUSE_MS 200

/* ---- a request for many keys ---- */

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

/* Keys that could not be removed. */
typedef struct failed_key {
    const char *key;
    const char *code;
    const char *message;
} failed_key;

typedef struct removal {
    weir_s3 *s3;
    const char *path; /* for messages */
    weir_arena arena;
    failed_key current; /* of the element that is being read */
    failed_key *failed;
    size_t failed_count;
    size_t failed_capacity;
} removal;

static void take_removal(void *context, const char *path, weir_slice text)
{
    removal *self = context;
    const char *name = strncmp(path, "DeleteResult/Error", 18) == 0 ? path + 18 : "no";
    const char *value = weir_arena_strndup(&self->arena, (const char *)text.data, text.size);
    if (strcmp(name, "/Key") == 0) {
        self->current.key = value;
    } else if (strcmp(name, "/Code") == 0) {
        self->current.code = value;
    } else if (strcmp(name, "/Message") == 0) {
        self->current.message = value;
    } else if (name[0] == '\0') {
        if (self->current.code == NULL || strcmp(self->current.code, "NoSuchKey") != 0) {
            WEIR_GROW(self->failed, self->failed_capacity, self->failed_count + 1);
            self->failed[self->failed_count++] = self->current;
        }
        self->current = (failed_key){0};
    }
}

static void append_request(const char *const *keys, size_t count, weir_buffer *out)
{
    weir_buffer_append_text(out, "<Delete><Quiet>true</Quiet>");
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, "<Object><Key>");
        weir_xml_append_escaped(keys[i], out);
        weir_buffer_append_text(out, "</Key></Object>");
    }
    weir_buffer_append_text(out, "</Delete>");
}

static int remove_key(weir_s3 *s3, const char *key, const char *path, weir_error *err)
{
    weir_s3_call call = {.method = "DELETE", .path = path, .key = key};
    int code = weir_s3_do(s3, &call, err);
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        return WEIR_OK;
    }
    return code;
}

/* For stores that do not know the request for many. */
static int remove_each(weir_s3 *s3, const char *const *keys, size_t count, const char *path, weir_error *err)
{
    int code = WEIR_OK;
    for (size_t i = 0; i < count; i++) {
        int removed = remove_key(s3, keys[i], path, code == WEIR_OK ? err : NULL);
        code = code == WEIR_OK ? removed : code;
    }
    return code;
}

/* One request; keys that it refuses are added to `self`. */
static int remove_batch(removal *self, const char *const *keys, size_t count, weir_error *err)
{
    weir_buffer body = {0};
    weir_http_response response = {0};
    char md5[BASE64_ENCODE_RAW_LENGTH(MD5_DIGEST_SIZE) + 1];
    int code = WEIR_OK;
    append_request(keys, count, &body);
    append_md5(weir_buffer_slice(&body), md5);
    weir_s3_call call = {.method = "POST",
                         .path = self->path,
                         .key = "",
                         .parameters = {{"delete", ""}},
                         .headers = {{"content-md5", md5}},
                         .body = weir_buffer_slice(&body)};
    WEIR_GO(weir_s3_run(self->s3, &call, &response, err));
    if (response.status == 501 || response.status == 405) {
        WEIR_GO(remove_each(self->s3, keys, count, self->path, err));
        goto done;
    }
    WEIR_GO(weir_s3_check(self->s3, &response, self->path, true, err));
    if (response.body.size == 0) { /* nothing to say */
        goto done;
    }
    WEIR_GO(weir_xml_read(weir_buffer_slice(&response.body), take_removal, NULL, self, err));
done:
    weir_buffer_free(&body);
    weir_http_response_free(&response);
    return code;
}

/* ---- keys that were refused ---- */

static bool passes(const failed_key *failed)
{
    return failed->key != NULL && failed->code != NULL && weir_s3_error_passes(failed->code);
}

/* Tries those again that a store had no time for. */
static int remove_again(removal *self, weir_error *err)
{
    size_t count = 0, kept = 0;
    const char **keys = WEIR_NEW_ARRAY(&self->arena, const char *, self->failed_count + 1);
    for (size_t i = 0; i < self->failed_count; i++) {
        if (passes(&self->failed[i])) {
            keys[count++] = self->failed[i].key;
        } else {
            self->failed[kept++] = self->failed[i];
        }
    }
    self->failed_count = kept;
    for (size_t i = 0; i < count; i += MOST_REMOVED) {
        WEIR_TRY(remove_batch(self, keys + i, count - i < MOST_REMOVED ? count - i : MOST_REMOVED, err));
    }
    return WEIR_OK;
}

static bool any_passes(const removal *self)
{
    bool any = false;
    for (size_t i = 0; i < self->failed_count; i++) {
        any |= passes(&self->failed[i]);
    }
    return any;
}

static int fail_for_keys(const removal *self, size_t count, weir_error *err)
{
    const failed_key *first = &self->failed[0];
    bool is_denied = first->code != NULL && strcmp(first->code, "AccessDenied") == 0;
    return weir_fail(err, is_denied ? WEIR_DENIED : WEIR_IO,
                     "%s: %zu of %zu files were not removed; of '%s' %s says %s%s%.200s",
                     self->path, self->failed_count, count, first->key != NULL ? first->key : "?",
                     self->s3->config.host, first->code != NULL ? first->code : "nothing more",
                     first->message != NULL ? ": " : "", first->message != NULL ? first->message : "");
}

int weir_s3_remove_keys(weir_s3 *s3, const char *const *keys, size_t count, const char *path, weir_error *err)
{
    removal self = {.s3 = s3, .path = path};
    int code = WEIR_OK;
    weir_arena_init(&self.arena);
    for (size_t i = 0; i < count; i += MOST_REMOVED) {
        WEIR_GO(remove_batch(&self, keys + i, count - i < MOST_REMOVED ? count - i : MOST_REMOVED, err));
    }
    for (int turn = 0; turn < MOST_TURNS && any_passes(&self); turn++) {
        weir_sleep_ms(FIRST_PAUSE_MS << turn);
        WEIR_GO(remove_again(&self, err));
    }
    if (self.failed_count > 0) {
        code = fail_for_keys(&self, count, err);
    }
done:
    free(self.failed);
    weir_arena_free(&self.arena);
    return code;
}

/* ---- files and folders ---- */

/* A file. The object of a folder goes with the folder's contents (weir_s3_remove_recursively): stores keep none that is
 * empty. */
int weir_s3_remove(weir_fs *fs, const char *path, weir_error *err)
{
    return remove_key((weir_s3 *)fs, weir_s3_key(path), path, err);
}

int weir_s3_remove_many(weir_fs *fs, const char *const *paths, size_t count, weir_error *err)
{
    const char **keys = weir_alloc(count * sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        keys[i] = weir_s3_key(paths[i]);
    }
    int code = count == 0 ? WEIR_OK : weir_s3_remove_keys((weir_s3 *)fs, keys, count, paths[0], err);
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
        code = weir_s3_remove_keys(s3, list.keys, list.count, path, err);
    }
    free(list.keys);
    weir_arena_free(&arena);
    return code;
}
