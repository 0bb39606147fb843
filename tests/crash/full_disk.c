/* A library to be preloaded: below one folder the disk is full after so many bytes.
 *
 *   LD_PRELOAD=…/libfull_disk.so FULL_DISK_ROOT=<folder> FULL_DISK_BYTES=<n> program …
 *
 * Bytes that are written count, of all files below ROOT and for as long as the process lives; what is removed gives
 * none back. A write that does not fit writes what does, as the real thing, and the next one fails with ENOSPC. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(function) (__extension__((__typeof__(&function))dlsym(RTLD_NEXT, #function)))

static _Atomic int64_t left = INT64_MAX;
static char root[PATH_MAX];

__attribute__((constructor)) static void begin(void)
{
    const char *bytes = getenv("FULL_DISK_BYTES"), *folder = getenv("FULL_DISK_ROOT");
    if (bytes != NULL && folder != NULL) {
        snprintf(root, sizeof root, "%s/", folder);
        atomic_store(&left, strtoll(bytes, NULL, 10));
    }
}

static bool lies_below(int file)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = root[0] != '\0' ? readlink(link, path, sizeof path - 1) : 0;
    return size > 0 && (size_t)size > strlen(root) && memcmp(path, root, strlen(root)) == 0;
}

/* How much of a write fits; -1 with errno: nothing does. */
static ssize_t fit(int file, size_t size)
{
    if (size == 0 || !lies_below(file)) {
        return (ssize_t)size;
    }
    int64_t before = atomic_load(&left), taken;
    do {
        taken = before < (int64_t)size ? before : (int64_t)size;
    } while (!atomic_compare_exchange_weak(&left, &before, before - taken));
    if (taken == 0) {
        errno = ENOSPC;
        return -1;
    }
    return (ssize_t)taken;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    ssize_t fits = fit(file, size);
    return fits < 0 ? -1 : REAL(write)(file, bytes, (size_t)fits);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    ssize_t fits = fit(file, size);
    return fits < 0 ? -1 : REAL(pwrite)(file, bytes, (size_t)fits, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset) { return pwrite(file, bytes, size, offset); }

/* One piece at a time will do. */
ssize_t writev(int file, const struct iovec *pieces, int count)
{
    return count > 0 ? write(file, pieces[0].iov_base, pieces[0].iov_len) : 0;
}
