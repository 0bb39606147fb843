/* One folder a process below each base, with a lock; see the header.
 *
 * A folder gets its name when its lock is held, so that whoever finds one that can be locked knows that nobody uses it.
 * Where the disk has no locks, there is no lock file, and such folders are left alone. */
#include "fs/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "fs/fs.h"

#define PREFIX "weir-"

/* The process's folder below one base. */
typedef struct process_folder {
    struct process_folder *next;
    char *base;
    char *path; /* NULL: there is none now */
    int lock;   /* -1: the disk has none */
    int32_t users;
    int64_t next_number;
    bool has_cleaned;
} process_folder;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static process_folder *process_folders; /* a few, for as long as the process lives */

const char *weir_temporary_base(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] == '/' ? folder : "/tmp";
}

/* ---- what others have left ---- */

/* The lock of a folder that nobody holds, or -1. */
static int lock_of_dead(const char *folder)
{
    char *path = weir_format("%s/lock", folder);
    int lock = open(path, O_RDWR | O_CLOEXEC);
    free(path);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        close(lock);
        return -1;
    }
    return lock;
}

/* Whether it can be the name of a process's folder. What else lies in a folder of everybody's is not even looked at: there
 * can be thousands. */
static bool is_process_folder(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && strlen(name) == strlen(PREFIX) + WEIR_UUID_SIZE - 1;
}

static void remove_left_over(const char *base)
{
    DIR *entries = opendir(base);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (!is_process_folder(entry->d_name)) {
            continue;
        }
        char *path = weir_format("%s/%s", base, entry->d_name);
        int lock = lock_of_dead(path);
        if (lock >= 0) {
            (void)weir_fs_remove_recursively(weir_fs_local(), path, NULL);
            close(lock);
        }
        free(path);
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

/* ---- the process's own ---- */

static process_folder *find_base(const char *base)
{
    process_folder *folder = process_folders;
    while (folder != NULL && strcmp(folder->base, base) != 0) {
        folder = folder->next;
    }
    if (folder == NULL) {
        folder = weir_alloc_zeroed(1, sizeof *folder);
        folder->base = weir_strdup(base);
        folder->lock = -1;
        folder->next = process_folders;
        process_folders = folder;
    }
    return folder;
}

static int take_lock(const char *folder)
{
    char *path = weir_format("%s/lock", folder);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        unlink(path);
        close(lock);
        lock = -1;
    }
    free(path);
    return lock;
}

static int make_process_folder(process_folder *folder, weir_error *err)
{
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    char *unnamed = weir_format("%s/.%s%s", folder->base, PREFIX, uuid);
    char *path = weir_format("%s/%s%s", folder->base, PREFIX, uuid);
    int code = weir_fs_make_directories(weir_fs_local(), folder->base, err);
    if (code == WEIR_OK && mkdir(unnamed, 0700) != 0) { /* what is in it is nobody else's business */
        code = weir_fail_errno(err, errno, "it can't be made", unnamed);
    }
    if (code == WEIR_OK) {
        folder->lock = take_lock(unnamed);
        code = rename(unnamed, path) == 0 ? WEIR_OK : weir_fail_errno(err, errno, "it can't be renamed", unnamed);
    }
    free(unnamed);
    if (code != WEIR_OK) {
        free(path);
        return weir_error_context(err, code, "making a folder for temporary files (TMPDIR says where)");
    }
    folder->path = path;
    if (!folder->has_cleaned) {
        folder->has_cleaned = true;
        remove_left_over(folder->base);
    }
    return WEIR_OK;
}

static int make(process_folder *folder, const char *purpose, char **out, weir_error *err)
{
    if (folder->path == NULL) {
        WEIR_TRY(make_process_folder(folder, err));
    }
    char *path = weir_format("%s/%s-%" PRId64, folder->path, purpose, folder->next_number++);
    int code = weir_fs_make_directories(weir_fs_local(), path, err);
    if (code != WEIR_OK) {
        free(path);
        return code;
    }
    folder->users++;
    *out = path;
    return WEIR_OK;
}

static void close_process_folder(process_folder *folder)
{
    (void)weir_fs_remove_recursively(weir_fs_local(), folder->path, NULL);
    if (folder->lock >= 0) {
        close(folder->lock);
    }
    free(folder->path);
    folder->path = NULL;
    folder->lock = -1;
}

int weir_temporary_make(const char *base, const char *purpose, char **out, weir_error *err)
{
    pthread_mutex_lock(&mutex);
    int code = make(find_base(base != NULL ? base : weir_temporary_base()), purpose, out, err);
    pthread_mutex_unlock(&mutex);
    return code;
}

static bool lies_in(const process_folder *folder, const char *path)
{
    size_t size = folder->path != NULL ? strlen(folder->path) : 0;
    return size > 0 && strncmp(path, folder->path, size) == 0 && path[size] == '/';
}

void weir_temporary_remove(char *path)
{
    if (path == NULL) {
        return;
    }
    (void)weir_fs_remove_recursively(weir_fs_local(), path, NULL);
    pthread_mutex_lock(&mutex);
    for (process_folder *folder = process_folders; folder != NULL; folder = folder->next) {
        if (lies_in(folder, path) && --folder->users == 0) {
            close_process_folder(folder);
        }
    }
    pthread_mutex_unlock(&mutex);
    free(path);
}
