/* The local disk.
 *
 * Whatever must be seen whole or not at all is written to a temporary file ".<name>.<uuid>.tmp" in the same folder and
 * then given its name. A name that must not replace another is given by renameat2(RENAME_NOREPLACE), or by link()
 * where the disk's file system does not know that (NFS).
 *
 * Folders are durable as soon as they are made; names in them when they are synced. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fs/fs.h"

/* Small writes are gathered up to this size. */
#define WRITE_BUFFER_SIZE ((size_t)64 << 10)

/* Ranges this close to each other are read by one call: copying a page costs as much as a system call. */
#define LARGEST_GAP ((size_t)4096)

/* Pieces of one such call. */
#define PARTS_OF_A_READ 64

/* --- paths ---------------------------------------------------------------------------------------------------- */

/* The folder of a path, allocated; "/" for what lies at the root. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash != path ? weir_strndup(path, (size_t)(slash - path)) : weir_strdup("/");
}

static char *temporary_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    return weir_format("%.*s.%.200s.%s.tmp", (int)(name - path), path, name, uuid);
}

/* --- folders -------------------------------------------------------------------------------------------------- */

static int sync_descriptor(int descriptor, const char *path, weir_error *err)
{
    /* Some file systems cannot sync a folder, and need not. */
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
        return weir_fail_errno(err, errno, "syncing", path);
    }
    return WEIR_OK;
}

static int local_sync_directory(weir_fs *fs, const char *path, weir_error *err)
{
    (void)fs;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return weir_fail_errno(err, errno, "opening the folder", path);
    }
    int code = sync_descriptor(descriptor, path, err);
    close(descriptor);
    return code;
}

static int sync_parent(weir_fs *fs, const char *path, weir_error *err)
{
    char *parent = parent_of(path);
    int code = local_sync_directory(fs, parent, err);
    free(parent);
    return code;
}

static int make_one_directory(weir_fs *fs, const char *path, weir_error *err)
{
    if (mkdir(path, 0777) == 0) {
        return sync_parent(fs, path, err);
    }
    if (errno != EEXIST) {
        return weir_fail_errno(err, errno, "making the folder", path);
    }
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
        return weir_fail(err, WEIR_EXISTS, "%s: a folder is needed here, but there is a file", path);
    }
    return WEIR_OK;
}

static int local_make_directories(weir_fs *fs, const char *path, weir_error *err)
{
    weir_error reason;
    int code = make_one_directory(fs, path, &reason);
    if (code == WEIR_NOT_FOUND && strcmp(path, "/") != 0) {
        char *parent = parent_of(path);
        code = local_make_directories(fs, parent, &reason);
        free(parent);
        if (code == WEIR_OK) {
            code = make_one_directory(fs, path, &reason);
        }
    }
    if (code != WEIR_OK && err) {
        *err = reason;
    }
    return code;
}

static int make_parents(weir_fs *fs, const char *path, weir_error *err)
{
    char *parent = parent_of(path);
    int code = local_make_directories(fs, parent, err);
    free(parent);
    return code;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

typedef struct local_file {
    weir_file file;
    int descriptor;
} local_file;

/* Fills the parts from `offset` on, going on after short reads. `parts` is used up. */
static int read_parts(const local_file *self, uint64_t offset, struct iovec *parts, int count, weir_error *err)
{
    while (count > 0) {
        ssize_t done = preadv(self->descriptor, parts, count, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return weir_fail_errno(err, errno, "reading", self->file.path);
        }
        if (done == 0) {
            return weir_fail(err, WEIR_CORRUPT,
                             "%s: the file ends at %" PRIu64 ", but had %" PRIu64
                             " bytes when it was opened; something cuts it off while it is in use",
                             self->file.path, offset, self->file.size);
        }
        offset += (uint64_t)done;
        size_t left = (size_t)done;
        while (count > 0 && left >= parts->iov_len) {
            left -= parts->iov_len;
            parts++;
            count--;
        }
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + left;
            parts->iov_len -= left;
        }
    }
    return WEIR_OK;
}

static int local_read_many(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err)
{
    uint8_t gap_bytes[LARGEST_GAP]; /* what lies between ranges is read to here and forgotten */
    size_t next = 0;
    while (next < count) {
        struct iovec parts[PARTS_OF_A_READ];
        int part_count = 0;
        uint64_t start = ranges[next].offset;
        uint64_t end = start;
        for (; next < count && part_count + 2 <= PARTS_OF_A_READ; next++) {
            const weir_read_range *range = &ranges[next];
            if (range->offset < end || range->offset - end > LARGEST_GAP) {
                break;
            }
            if (range->offset > end) {
                parts[part_count++] = (struct iovec){gap_bytes, (size_t)(range->offset - end)};
            }
            if (range->size > 0) {
                parts[part_count++] = (struct iovec){range->data, range->size};
            }
            end = range->offset + range->size;
        }
        WEIR_TRY(read_parts((local_file *)file, start, parts, part_count, err));
    }
    return WEIR_OK;
}

static void local_close_file(weir_file *file)
{
    close(((local_file *)file)->descriptor);
    free(file->path);
    free(file);
}

static int local_open(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    static const weir_file_ops ops = {.read_many = local_read_many, .close = local_close_file};
    (void)fs;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return weir_fail_errno(err, errno == ENOTDIR ? ENOENT : errno, "opening", path);
    }
    struct stat status;
    int code = WEIR_OK;
    if (fstat(descriptor, &status) != 0) {
        code = weir_fail_errno(err, errno, "looking at", path);
    } else if (!S_ISREG(status.st_mode)) {
        code = weir_fail(err, WEIR_INVALID, "%s: a file is needed here, but this is %s", path,
                         S_ISDIR(status.st_mode) ? "a folder" : "a device, pipe or socket");
    }
    if (code != WEIR_OK) {
        close(descriptor);
        return code;
    }
    local_file *self = weir_alloc_zeroed(1, sizeof *self);
    self->file = (weir_file){&ops, weir_strdup(path), (uint64_t)status.st_size};
    self->descriptor = descriptor;
    *out = &self->file;
    return WEIR_OK;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

typedef struct local_output {
    weir_output output;
    int descriptor;
    uint8_t *buffer; /* made at the first small write */
    size_t buffered;
} local_output;

static int write_fully(int descriptor, const char *path, const void *data, size_t size, weir_error *err)
{
    const uint8_t *at = data;
    while (size > 0) {
        ssize_t done = write(descriptor, at, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return weir_fail_errno(err, errno, "writing", path);
        }
        at += done;
        size -= (size_t)done;
    }
    return WEIR_OK;
}

static int flush_buffer(local_output *self, weir_error *err)
{
    size_t size = self->buffered;
    self->buffered = 0;
    return write_fully(self->descriptor, self->output.path, self->buffer, size, err);
}

static int local_write(weir_output *output, const void *data, size_t size, weir_error *err)
{
    local_output *self = (local_output *)output;
    if (size > WRITE_BUFFER_SIZE - self->buffered) {
        WEIR_TRY(flush_buffer(self, err));
    }
    if (size >= WRITE_BUFFER_SIZE) {
        return write_fully(self->descriptor, output->path, data, size, err);
    }
    if (!self->buffer) {
        self->buffer = weir_alloc(WRITE_BUFFER_SIZE);
    }
    memcpy(self->buffer + self->buffered, data, size);
    self->buffered += size;
    return WEIR_OK;
}

static void free_output(local_output *self)
{
    free(self->buffer);
    free(self->output.path);
    free(self);
}

static void local_abandon(weir_output *output)
{
    local_output *self = (local_output *)output;
    close(self->descriptor);
    unlink(output->path);
    free_output(self);
}

static int local_finish(weir_output *output, bool sync, weir_error *err)
{
    local_output *self = (local_output *)output;
    int code = flush_buffer(self, err);
    if (code == WEIR_OK && sync && fdatasync(self->descriptor) != 0) {
        code = weir_fail_errno(err, errno, "syncing", output->path);
    }
    if (code != WEIR_OK) {
        local_abandon(output);
        return code;
    }
    if (close(self->descriptor) != 0 && errno != EINTR) { /* NFS reports late writes here */
        code = weir_fail_errno(err, errno, "closing", output->path);
        unlink(output->path);
    }
    free_output(self);
    return code;
}

/* Opens a new file, making its folders when they are missing. */
static int open_new(weir_fs *fs, const char *path, int *out, weir_error *err)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    int descriptor = open(path, flags, 0666);
    if (descriptor < 0 && errno == ENOENT) {
        WEIR_TRY(make_parents(fs, path, err));
        descriptor = open(path, flags, 0666);
    }
    if (descriptor < 0) {
        return weir_fail_errno(err, errno, "creating", path);
    }
    *out = descriptor;
    return WEIR_OK;
}

static int local_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err)
{
    static const weir_output_ops ops = {local_write, local_finish, local_abandon};
    int descriptor = -1;
    WEIR_TRY(open_new(fs, path, &descriptor, err));
    local_output *self = weir_alloc_zeroed(1, sizeof *self);
    self->output = (weir_output){&ops, weir_strdup(path), 0};
    self->descriptor = descriptor;
    *out = &self->output;
    return WEIR_OK;
}

/* A temporary file beside `path` with these bytes. On success the caller frees *out. */
static int write_temporary(weir_fs *fs, const char *path, weir_slice bytes, bool sync, char **out, weir_error *err)
{
    char *temporary = temporary_path(path);
    weir_output *output;
    int code = local_create(fs, temporary, &output, err);
    if (code == WEIR_OK) {
        code = weir_output_write(output, bytes.data, bytes.size, err);
        if (code != WEIR_OK) {
            local_abandon(output);
        } else {
            code = local_finish(output, sync, err);
        }
    }
    if (code != WEIR_OK) {
        free(temporary);
        return code;
    }
    *out = temporary;
    return WEIR_OK;
}

/* --- names ---------------------------------------------------------------------------------------------------- */

static bool no_such_call(int errno_value)
{
    return errno_value == EINVAL || errno_value == ENOSYS || errno_value == ENOTSUP || errno_value == EPERM;
}

/* Gives a file or folder another name, which must be free: 0 or an errno value. */
static int rename_to_free_name(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (!no_such_call(errno)) {
        return errno;
    }
    struct stat status;
    if (lstat(from, &status) != 0) {
        return errno;
    }
    if (!S_ISDIR(status.st_mode)) {
        return link(from, to) != 0 || unlink(from) != 0 ? errno : 0;
    }
    /* A folder cannot be linked. Should two take the name at the same time, rename() lets the second one through only
     * while the first is empty. */
    if (lstat(to, &status) == 0) {
        return EEXIST;
    }
    return rename(from, to) != 0 ? errno : 0;
}

static int local_rename(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    int failure = rename_to_free_name(from, to);
    struct stat status;
    if (failure == ENOENT && lstat(from, &status) == 0) { /* then it is the folder of `to` that is missing */
        WEIR_TRY(make_parents(fs, to, err));
        failure = rename_to_free_name(from, to);
    }
    if (failure == EEXIST) {
        return weir_fail(err, WEIR_EXISTS, "%s: cannot be the new name of %s: it is taken", to, from);
    }
    return failure ? weir_fail_errno(err, failure, "renaming", from) : WEIR_OK;
}

/* Asks first whether the name is taken: the loser of a race then writes nothing. The answer that counts is that of the
 * rename. */
static int local_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    struct stat status;
    if (lstat(path, &status) == 0) {
        return weir_fail_errno(err, EEXIST, "publishing", path);
    }
    char *temporary;
    WEIR_TRY(write_temporary(fs, path, bytes, true, &temporary, err));
    int failure = rename_to_free_name(temporary, path);
    if (failure) {
        unlink(temporary);
    }
    free(temporary);
    return failure ? weir_fail_errno(err, failure, "publishing", path) : sync_parent(fs, path, err);
}

static int local_replace(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err)
{
    char *temporary;
    WEIR_TRY(write_temporary(fs, path, bytes, sync, &temporary, err));
    int code = WEIR_OK;
    if (rename(temporary, path) != 0) {
        code = weir_fail_errno(err, errno, "replacing", path);
        unlink(temporary);
    }
    free(temporary);
    return code;
}

static int local_remove(weir_fs *fs, const char *path, weir_error *err)
{
    (void)fs;
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR) {
        return WEIR_OK;
    }
    int failure = errno;
    if (failure == EISDIR || failure == EPERM) { /* Linux says the one, POSIX the other of a folder */
        if (rmdir(path) == 0 || errno == ENOENT) {
            return WEIR_OK;
        }
        failure = errno == ENOTDIR ? failure : errno;
    }
    return weir_fail_errno(err, failure, "removing", path);
}

/* --- looking -------------------------------------------------------------------------------------------------- */

static void fill_info(const struct stat *status, weir_file_info *out)
{
    out->is_directory = S_ISDIR(status->st_mode);
    out->size_bytes = out->is_directory ? 0 : (uint64_t)status->st_size;
    out->modified_ms = (int64_t)status->st_mtim.tv_sec * 1000 + status->st_mtim.tv_nsec / 1000000;
}

static int local_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err)
{
    (void)fs;
    struct stat status;
    if (stat(path, &status) != 0) {
        return weir_fail_errno(err, errno == ENOTDIR ? ENOENT : errno, "looking at", path);
    }
    *out = (weir_file_info){0};
    fill_info(&status, out);
    return WEIR_OK;
}

/* Follows links, but shows one that leads nowhere as a file, so that it can be removed. False: gone meanwhile. */
static bool look_at_entry(DIR *folder, const char *name, weir_file_info *out)
{
    struct stat status;
    if (fstatat(dirfd(folder), name, &status, 0) != 0 &&
        fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return false;
    }
    fill_info(&status, out);
    return true;
}

static int read_entries(DIR *folder, const char *path, weir_arena *arena, weir_file_info **entries, size_t *count,
                        weir_error *err)
{
    size_t capacity = 0;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry) {
            return errno ? weir_fail_errno(err, errno, "listing", path) : WEIR_OK;
        }
        weir_file_info info = {0};
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            !look_at_entry(folder, entry->d_name, &info)) {
            continue;
        }
        info.name = weir_arena_strdup(arena, entry->d_name);
        WEIR_GROW(*entries, capacity, *count + 1);
        (*entries)[(*count)++] = info;
    }
}

static int local_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                      weir_error *err)
{
    (void)fs;
    *out = NULL;
    *out_count = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        return errno == ENOENT ? WEIR_OK : weir_fail_errno(err, errno, "listing", path);
    }
    weir_file_info *entries = NULL;
    size_t count = 0;
    int code = read_entries(folder, path, arena, &entries, &count, err);
    closedir(folder);
    if (code == WEIR_OK && count > 0) {
        *out = weir_arena_copy(arena, entries, count * sizeof *entries);
        *out_count = count;
    }
    free(entries);
    return code;
}

static void local_close(weir_fs *fs) { (void)fs; }

weir_fs *weir_fs_local(void)
{
    static const weir_fs_ops ops = {
        .open = local_open,
        .create = local_create,
        .publish = local_publish,
        .replace = local_replace,
        .stat = local_stat,
        .list = local_list,
        .make_directories = local_make_directories,
        .remove = local_remove,
        .rename = local_rename,
        .sync_directory = local_sync_directory,
        .close = local_close,
    };
    static weir_fs local = {.ops = &ops, .scheme = "file"};
    return &local;
}
