/* Opening a file system by URI: which kind it is, where in it the path points, and sharing of those that hold
 * connections. */
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "fs/hdfs/hdfs.h"
#include "fs/s3/s3.h"
#include "fs/shared.h"

/* A kind of file system that is reached over a network, by the schemes of its URIs. */
typedef struct fs_kind {
    const char *scheme;
    int (*open)(const char *root, const weir_fs_settings *settings, weir_fs **out, weir_error *err);
} fs_kind;

/* The schemes, in the order in which they are named to users. */
static const fs_kind kinds[] = {
    {"s3", weir_s3_open},
    {"s3a", weir_s3_open},
    {"s3n", weir_s3_open},
    {"oss", weir_s3_open},
    {"hdfs", weir_fs_hdfs_open},
    {"webhdfs", weir_fs_hdfs_open},
    {"swebhdfs", weir_fs_hdfs_open},
    {NULL, NULL},
};

/* ---- URIs ---- */

/* The size of the scheme of "scheme:/…"; 0 when `uri` is a plain path. */
static size_t scheme_size(const char *uri)
{
    size_t size = 0;
    while (isalnum((unsigned char)uri[size]) || (size > 0 && strchr("+-.", uri[size]) && uri[size])) {
        size++;
    }
    return size > 0 && isalpha((unsigned char)uri[0]) && uri[size] == ':' && uri[size + 1] == '/' ? size : 0;
}

/* Takes away doubled slashes, "." components and the slash at the end, in place. */
static void tidy_path(char *path)
{
    char *end = path;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        if (size > 0 && !(size == 1 && at[0] == '.')) {
            *end++ = '/';
            memmove(end, at, size);
            end += size;
        }
        at += size;
        at += *at == '/';
    }
    if (end == path) {
        *end++ = '/';
    }
    *end = 0;
}

static int absolute_path(const char *path, weir_arena *arena, const char **out, weir_error *err)
{
    if (path[0] == 0) {
        return weir_fail(err, WEIR_INVALID, "a path is empty");
    }
    if (strncmp(path, "file:", 5) == 0) {
        return weir_fail(err, WEIR_INVALID, "%s: expected file:///path, or the path alone", path);
    }
    if (path[0] == '~' && (path[1] == '/' || path[1] == 0)) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: only shells know ~ as your folder; write it out (./~ is a folder of that name)", path);
    }
    char *absolute;
    if (path[0] == '/') {
        absolute = weir_arena_strdup(arena, path);
    } else {
        char *folder = getcwd(NULL, 0);
        if (!folder) {
            return weir_fail(err, WEIR_IO, "%s: the current folder, which it is relative to, is gone", path);
        }
        absolute = weir_arena_format(arena, "%s/%s", folder, path);
        free(folder);
    }
    tidy_path(absolute);
    *out = absolute;
    return WEIR_OK;
}

/* The path in "file:/a", "file:///a" or "file://localhost/a". */
static int local_path_of_uri(const char *uri, const char *rest, const char **out, weir_error *err)
{
    if (strncmp(rest, "//", 2) != 0) {
        *out = rest;
        return WEIR_OK;
    }
    const char *host = rest + 2;
    size_t host_size = strcspn(host, "/");
    if (host_size != 0 && !(host_size == 9 && strncmp(host, "localhost", 9) == 0)) {
        return weir_fail(err, WEIR_INVALID, "%s: files of another host cannot be opened; write file:///path", uri);
    }
    *out = host[host_size] ? host + host_size : "/";
    return WEIR_OK;
}

const char *weir_fs_path_within(const char *path)
{
    size_t scheme = scheme_size(path);
    if (scheme == 0 || strncmp(path + scheme, "://", 3) != 0) {
        return path;
    }
    const char *authority = path + scheme + 3;
    return authority + strcspn(authority, "/");
}

/* ---- shared ones ---- */

/* Opened file systems with connections, each once for its root and settings. One that nobody uses keeps its connections
 * for the next statement; of those the ones that were used longest ago go when there are too many. */
#define MOST_IDLE 8

typedef struct shared_fs {
    struct shared_fs *next; /* the most recently opened first */
    weir_buffer identity;
    weir_fs *fs;
    int users;
} shared_fs;

static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;
static shared_fs *shared_list;

/* The root and the settings that can matter. */
static void append_identity(const char *root, const weir_fs_settings *settings, weir_buffer *out)
{
    weir_buffer_append(out, root, strlen(root) + 1);
    for (size_t i = 0; settings != NULL && i < settings->count; i++) {
        if (weir_fs_is_setting(settings->keys[i])) {
            weir_buffer_append(out, settings->keys[i], strlen(settings->keys[i]) + 1);
            weir_buffer_append(out, settings->values[i], strlen(settings->values[i]) + 1);
        }
    }
}

static void free_shared(shared_fs *shared)
{
    shared->fs->ops->close(shared->fs);
    weir_buffer_free(&shared->identity);
    free(shared);
}

static void drop_oldest_idle(void)
{
    int idle = 0;
    for (shared_fs **at = &shared_list; *at != NULL;) {
        shared_fs *shared = *at;
        idle += shared->users == 0;
        if (shared->users == 0 && idle > MOST_IDLE) {
            *at = shared->next;
            free_shared(shared);
        } else {
            at = &shared->next;
        }
    }
}

void weir_fs_release_shared(weir_fs *fs)
{
    pthread_mutex_lock(&shared_mutex);
    fs->shared->users--;
    drop_oldest_idle();
    pthread_mutex_unlock(&shared_mutex);
}

static shared_fs *take_from_list(weir_slice identity)
{
    for (shared_fs **at = &shared_list; *at != NULL; at = &(*at)->next) {
        shared_fs *shared = *at;
        if (weir_slice_equal(weir_buffer_slice(&shared->identity), identity)) {
            *at = shared->next;
            return shared;
        }
    }
    return NULL;
}

/* Opening does not wait for the network, so that it may happen under the lock. */
static int open_shared(const fs_kind *kind, const char *root, const weir_fs_settings *settings, weir_fs **out,
                       weir_error *err)
{
    weir_buffer identity = {0};
    int code = WEIR_OK;
    append_identity(root, settings, &identity);
    pthread_mutex_lock(&shared_mutex);
    shared_fs *shared = take_from_list(weir_buffer_slice(&identity));
    if (shared == NULL) {
        weir_fs *fs = NULL;
        WEIR_GO(kind->open(root, settings, &fs, err));
        shared = weir_alloc_zeroed(1, sizeof *shared);
        shared->fs = fs;
        shared->identity = identity;
        identity = (weir_buffer){0};
        fs->shared = shared;
    }
    shared->users++;
    shared->next = shared_list;
    shared_list = shared;
    *out = shared->fs;
done:
    pthread_mutex_unlock(&shared_mutex);
    weir_buffer_free(&identity);
    return code;
}

/* ---- opening ---- */

static const fs_kind *find_kind(const char *uri, size_t scheme)
{
    for (const fs_kind *kind = kinds; kind->scheme != NULL; kind++) {
        if (strlen(kind->scheme) == scheme && strncmp(kind->scheme, uri, scheme) == 0) {
            return kind;
        }
    }
    return NULL;
}

static int no_such_kind(const char *uri, size_t scheme, weir_error *err)
{
    weir_buffer names = {0};
    for (const fs_kind *kind = kinds; kind->scheme != NULL; kind++) {
        weir_buffer_append_format(&names, "%s, ", kind->scheme);
    }
    int code = weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: there is no file system for '%.*s:'; there is: %sfile (and paths without a scheme)", uri,
                         (int)scheme, uri, weir_buffer_text(&names));
    weir_buffer_free(&names);
    return code;
}

static int check_settings(const weir_fs_settings *settings, weir_error *err)
{
    for (size_t i = 0; settings != NULL && i < settings->count; i++) {
        if (weir_fs_is_setting(settings->keys[i])) {
            WEIR_TRY(weir_fs_check_setting(settings->keys[i], err));
        }
    }
    return WEIR_OK;
}

/* "scheme://authority/path". */
static int open_remote(const fs_kind *kind, const char *uri, size_t scheme, const weir_fs_settings *settings,
                       weir_arena *arena, weir_fs **out_fs, const char **out_path, weir_error *err)
{
    if (strncmp(uri + scheme, "://", 3) != 0) {
        return weir_fail(err, WEIR_INVALID, "%s: expected '%s://', a name, and a path", uri, kind->scheme);
    }
    WEIR_TRY(check_settings(settings, err));
    const char *within = weir_fs_path_within(uri);
    char *path = weir_arena_strdup(arena, within);
    tidy_path(path);
    const char *root = weir_arena_strndup(arena, uri, (size_t)(within - uri));
    WEIR_TRY(open_shared(kind, root, settings, out_fs, err));
    *out_path = weir_arena_format(arena, "%s%s", root, strcmp(path, "/") == 0 ? "" : path);
    return WEIR_OK;
}

int weir_fs_open(const char *uri, const weir_fs_settings *settings, weir_arena *arena, weir_fs **out_fs,
                 const char **out_path, weir_error *err)
{
    const char *path = uri;
    size_t scheme = scheme_size(uri);
    const fs_kind *kind = scheme == 0 ? NULL : find_kind(uri, scheme);
    if (kind != NULL) {
        return open_remote(kind, uri, scheme, settings, arena, out_fs, out_path, err);
    }
    if (scheme > 0) {
        if (scheme != 4 || strncmp(uri, "file", 4) != 0) {
            return no_such_kind(uri, scheme, err);
        }
        WEIR_TRY(local_path_of_uri(uri, uri + scheme + 1, &path, err));
    }
    WEIR_TRY(absolute_path(path, arena, out_path, err));
    *out_fs = weir_fs_local();
    return WEIR_OK;
}
