/* A library to be preloaded: on SIGUSR2 the process dies as in a power cut, and what it had not synced is lost.
 *
 *   LD_PRELOAD=…/liblost_writes.so LOST_WRITES_ROOT=<folder> LOST_WRITES_KEEP=<folder> LOST_WRITES_SEED=<n> program …
 *
 * Only what lies under ROOT is looked after. A file keeps the bytes it had at its last fsync or fdatasync, and perhaps
 * some of those after them. Names (files and folders made, renamed, linked and removed) are lost from some point on
 * that lies after the last fsync of their folder, in the order in which a journal would lose them. KEEP, a folder of
 * the same file system, takes what may have to come back.
 *
 * Bytes that are overwritten in place are not brought back: nothing here overwrites.
 *
 * Threading: every call that is looked after holds one mutex, so that the cut falls between two of them. The thread
 * that waits for the signal is made before all others, which inherit that the signal is blocked. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum change_kind { MADE_FILE, MADE_FOLDER, RENAMED, LINKED, REMOVED_FILE, REMOVED_FOLDER } change_kind;

/* One change of a name that no sync has made sure of. */
typedef struct change {
    change_kind kind;
    char *path;   /* what was made or removed; of RENAMED the new name */
    char *source; /* of RENAMED the old name */
    char *kept;   /* what stood under `path` before, linked into KEEP; NULL: nothing */
    bool synced;
} change;

/* How much of a file is sure. */
typedef struct tracked_file {
    dev_t device;
    ino_t inode;
    char *path; /* the last one known */
    off_t synced_bytes;
} tracked_file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *keep;
static size_t root_length;
static change *changes;
static size_t change_count, change_capacity;
static tracked_file *files;
static size_t file_count, file_capacity;
static uint64_t random_state;
static unsigned kept_count;

static uint64_t next_random(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return below == 0 ? 0 : (random_state >> 33) % below;
}

#define REAL(function) (__extension__((__typeof__(&function))dlsym(RTLD_NEXT, #function)))

/* ---- paths ---- */

/* The absolute path of `path` as seen from the folder `at`, if it lies under ROOT; malloc'd. */
static char *tracked_path(int at, const char *path)
{
    char full[PATH_MAX * 2];
    if (root == NULL || path == NULL) {
        return NULL;
    }
    if (path[0] == '/') {
        snprintf(full, sizeof full, "%s", path);
    } else {
        char base[PATH_MAX] = "";
        if (at == AT_FDCWD) {
            if (getcwd(base, sizeof base) == NULL) {
                return NULL;
            }
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t size = readlink(link, base, sizeof base - 1);
            base[size < 0 ? 0 : size] = '\0';
        }
        snprintf(full, sizeof full, "%s/%s", base, path);
    }
    return strncmp(full, root, root_length) == 0 ? strdup(full) : NULL;
}

static bool is_in_folder(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    return strlen(folder) == length && memcmp(path, folder, length) == 0;
}

/* ---- what is not sure ---- */

static char *keep_copy(const char *path)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%d-%u", keep, (int)getpid(), kept_count++);
    return REAL(link)(path, name) == 0 ? strdup(name) : NULL;
}

static void note_change(change_kind kind, char *path, char *source, char *kept)
{
    if (change_count == change_capacity) {
        change_capacity = change_capacity == 0 ? 1024 : change_capacity * 2;
        changes = realloc(changes, change_capacity * sizeof *changes);
    }
    changes[change_count++] = (change){.kind = kind, .path = path, .source = source, .kept = kept};
}

static tracked_file *find_file(const struct stat *info)
{
    for (size_t i = file_count; i-- > 0;) {
        if (files[i].inode == info->st_ino && files[i].device == info->st_dev) {
            return &files[i];
        }
    }
    return NULL;
}

static void note_file(const char *path, const struct stat *info, off_t synced_bytes)
{
    tracked_file *file = find_file(info);
    if (file == NULL) {
        if (file_count == file_capacity) {
            file_capacity = file_capacity == 0 ? 1024 : file_capacity * 2;
            files = realloc(files, file_capacity * sizeof *files);
        }
        file = &files[file_count++];
        *file = (tracked_file){.device = info->st_dev, .inode = info->st_ino};
    }
    free(file->path);
    file->path = strdup(path);
    file->synced_bytes = synced_bytes;
}

/* A folder was synced: the names in it are sure. */
static void sync_folder(const char *folder)
{
    for (size_t i = 0; i < change_count; i++) {
        change *one = &changes[i];
        if (is_in_folder(one->path, folder) || (one->source != NULL && is_in_folder(one->source, folder))) {
            one->synced = true;
        }
    }
}

/* ---- the cut ---- */

static void undo(const change *one)
{
    switch (one->kind) {
    case MADE_FILE:
    case LINKED:
        REAL(unlink)(one->path);
        break;
    case MADE_FOLDER:
        REAL(rmdir)(one->path); /* what is left in it was sure, and so the folder is */
        break;
    case RENAMED:
        REAL(rename)(one->path, one->source);
        break;
    case REMOVED_FILE:
        break;
    case REMOVED_FOLDER:
        REAL(mkdir)(one->path, 0777);
        break;
    }
    if (one->kept != NULL) {
        REAL(link)(one->kept, one->path);
    }
}

static void cut_power(void)
{
    for (size_t i = 0; i < file_count; i++) {
        struct stat info;
        char found[PATH_MAX];
        snprintf(found, sizeof found, "%s", files[i].path);
        if (stat(found, &info) == 0 && info.st_ino == files[i].inode && info.st_size > files[i].synced_bytes) {
            off_t more = info.st_size - files[i].synced_bytes;
            off_t left = next_random(2) == 0 ? 0 : (off_t)next_random((uint64_t)more);
            truncate(found, files[i].synced_bytes + left);
        }
    }
    size_t first = 0; /* of the changes that are not sure; a journal keeps some of them, from the front */
    size_t unsure = 0;
    for (size_t i = 0; i < change_count; i++) {
        unsure += !changes[i].synced;
    }
    size_t kept = next_random(2) == 0 ? 0 : (size_t)next_random(unsure + 1);
    for (size_t i = 0; i < change_count && kept > 0; i++) {
        kept -= !changes[i].synced;
        first = i + 1;
    }
    for (size_t i = change_count; i-- > first;) {
        if (!changes[i].synced) {
            undo(&changes[i]);
        }
    }
}

static void *wait_for_cut(void *argument)
{
    int signal_number;
    sigwait(argument, &signal_number);
    pthread_mutex_lock(&mutex); /* never unlocked: nobody does anything any more */
    cut_power();
    kill(getpid(), SIGKILL);
    return NULL;
}

__attribute__((constructor)) static void begin(void)
{
    static sigset_t signals;
    pthread_t thread;
    root = getenv("LOST_WRITES_ROOT");
    keep = getenv("LOST_WRITES_KEEP");
    random_state = strtoull(getenv("LOST_WRITES_SEED") == NULL ? "1" : getenv("LOST_WRITES_SEED"), NULL, 10);
    if (root == NULL || keep == NULL) {
        root = NULL;
        return;
    }
    root_length = strlen(root);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&thread, NULL, wait_for_cut, &signals);
}

/* ---- calls that are looked after ---- */

static int open_tracked(int at, const char *path, int flags, mode_t mode)
{
    char *full = (flags & (O_CREAT | O_TRUNC)) != 0 && (flags & O_TMPFILE) != O_TMPFILE ? tracked_path(at, path) : NULL;
    if (full == NULL) {
        return REAL(openat)(at, path, flags, mode);
    }
    struct stat info;
    pthread_mutex_lock(&mutex);
    bool existed = stat(full, &info) == 0;
    int fd = REAL(openat)(at, path, flags, mode);
    int error = errno;
    if (fd >= 0 && !existed && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        note_file(full, &info, 0);
        note_change(MADE_FILE, full, NULL, NULL);
        full = NULL;
    }
    pthread_mutex_unlock(&mutex);
    free(full);
    errno = error;
    return fd;
}

#define OPENS(flags) (((flags) & (O_CREAT | O_TMPFILE)) != 0)

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = OPENS(flags) ? va_arg(arguments, mode_t) : 0;                                                    \
        va_end(arguments);                                                                                             \
        return open_tracked(AT_FDCWD, path, flags, mode);                                                              \
    }

#define OPENAT(name)                                                                                                   \
    int name(int at, const char *path, int flags, ...)                                                                 \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = OPENS(flags) ? va_arg(arguments, mode_t) : 0;                                                    \
        va_end(arguments);                                                                                             \
        return open_tracked(at, path, flags, mode);                                                                    \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

static int sync_tracked(int fd, int (*real)(int))
{
    pthread_mutex_lock(&mutex);
    int code = real(fd);
    int error = errno;
    char link[64], path[PATH_MAX];
    struct stat info;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (code == 0 && root != NULL && size > 0 && fstat(fd, &info) == 0) {
        path[size] = '\0';
        if (strncmp(path, root, root_length) == 0 && S_ISDIR(info.st_mode)) {
            sync_folder(path);
        } else if (strncmp(path, root, root_length) == 0) {
            note_file(path, &info, info.st_size);
        }
    }
    pthread_mutex_unlock(&mutex);
    errno = error;
    return code;
}

int fsync(int fd) { return sync_tracked(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_tracked(fd, REAL(fdatasync)); }

/* A name that is about to be changed by `call`: what stands under `target` is kept if it is to come back. */
typedef struct name_change {
    char *source, *target, *kept;
} name_change;

static void begin_change(name_change *self, int source_at, const char *source, int target_at, const char *target)
{
    pthread_mutex_lock(&mutex);
    self->source = source == NULL ? NULL : tracked_path(source_at, source);
    self->target = tracked_path(target_at, target);
    self->kept = self->target != NULL ? keep_copy(self->target) : NULL;
}

static int end_change(name_change *self, change_kind kind, int code)
{
    int error = errno;
    if (code == 0 && self->target != NULL) {
        struct stat info;
        tracked_file *file = stat(self->target, &info) == 0 ? find_file(&info) : NULL;
        if (file != NULL) {
            free(file->path);
            file->path = strdup(self->target);
        }
        note_change(kind, self->target, self->source, self->kept);
    } else {
        free(self->target);
        free(self->source);
        free(self->kept);
    }
    pthread_mutex_unlock(&mutex);
    errno = error;
    return code;
}

int rename(const char *source, const char *target)
{
    name_change self;
    begin_change(&self, AT_FDCWD, source, AT_FDCWD, target);
    return end_change(&self, RENAMED, REAL(rename)(source, target));
}

int renameat2(int source_at, const char *source, int target_at, const char *target, unsigned flags)
{
    name_change self;
    begin_change(&self, source_at, source, target_at, target);
    return end_change(&self, RENAMED, REAL(renameat2)(source_at, source, target_at, target, flags));
}

int renameat(int source_at, const char *source, int target_at, const char *target)
{
    return renameat2(source_at, source, target_at, target, 0);
}

int link(const char *source, const char *target)
{
    name_change self;
    begin_change(&self, AT_FDCWD, NULL, AT_FDCWD, target);
    return end_change(&self, LINKED, REAL(link)(source, target));
}

int linkat(int source_at, const char *source, int target_at, const char *target, int flags)
{
    name_change self;
    begin_change(&self, AT_FDCWD, NULL, target_at, target);
    return end_change(&self, LINKED, REAL(linkat)(source_at, source, target_at, target, flags));
}

int unlink(const char *path)
{
    name_change self;
    begin_change(&self, AT_FDCWD, NULL, AT_FDCWD, path);
    return end_change(&self, REMOVED_FILE, REAL(unlink)(path));
}

int unlinkat(int at, const char *path, int flags)
{
    name_change self;
    begin_change(&self, AT_FDCWD, NULL, at, path);
    return end_change(&self, (flags & AT_REMOVEDIR) != 0 ? REMOVED_FOLDER : REMOVED_FILE,
                      REAL(unlinkat)(at, path, flags));
}

int remove(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? rmdir(path) : unlink(path);
}

int mkdir(const char *path, mode_t mode)
{
    name_change self;
    begin_change(&self, AT_FDCWD, NULL, AT_FDCWD, path);
    return end_change(&self, MADE_FOLDER, REAL(mkdir)(path, mode));
}

int rmdir(const char *path)
{
    name_change self;
    begin_change(&self, AT_FDCWD, NULL, AT_FDCWD, path);
    return end_change(&self, REMOVED_FOLDER, REAL(rmdir)(path));
}
