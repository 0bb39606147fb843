/* fs: one interface over the places where files live.
 *
 *   local.c   the local disk
 *   memory.c  everything in memory, for tests
 *   fault.c   another file system with faults: stop at the n-th operation, torn last writes
 *   temporary.h  folders that go with the process
 *   removal.h   files that go together
 *   http.h    requests over HTTP, for the file systems that are servers
 *   s3/       S3 and what speaks its API
 *   hdfs/     HDFS
 *
 * Paths are what weir_fs_open() gave, or that and '/' and names below it. On the local disk and in memory they are
 * absolute and without a scheme: weir_fs_open() makes "/a/b" of "file:///a/b". Elsewhere they are whole URIs,
 * "s3://bucket/a/b", so that messages and SHOW say where a file is; weir_fs_path_within() gives the rest of one.
 *
 * Threading: a weir_fs is thread-safe; a weir_file may be read by many threads at a time; a weir_output belongs to one
 * thread. */
#ifndef WEIR_FS_H
#define WEIR_FS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "fs/settings.h"

typedef struct weir_fs weir_fs;
typedef struct weir_file weir_file;
typedef struct weir_output weir_output;

typedef struct weir_file_info {
    const char *name; /* last component */
    bool is_directory;
    uint64_t size_bytes;
    int64_t modified_ms; /* since 1970-01-01 UTC */
} weir_file_info;

/* One piece of a read_many: `data` has room for `size` bytes. */
typedef struct weir_read_range {
    uint64_t offset;
    size_t size;
    uint8_t *data;
} weir_read_range;

/* What a file system implements. Callers use the functions below. */
typedef struct weir_fs_ops {
    int (*open)(weir_fs *fs, const char *path, weir_file **out, weir_error *err);
    int (*create)(weir_fs *fs, const char *path, weir_output **out, weir_error *err);
    int (*publish)(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err);
    int (*replace)(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err);
    int (*stat)(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err);
    int (*list)(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                weir_error *err);
    int (*make_directories)(weir_fs *fs, const char *path, weir_error *err);
    int (*remove)(weir_fs *fs, const char *path, weir_error *err);
    int (*rename)(weir_fs *fs, const char *from, const char *to, weir_error *err);
    int (*sync_directory)(weir_fs *fs, const char *path, weir_error *err);
    void (*close)(weir_fs *fs);
    /* What a store may do better than by the above; NULL: it does not. */
    int (*open_sized)(weir_fs *fs, const char *path, uint64_t size, weir_file **out, weir_error *err);
    int (*read_all)(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err);
    int (*file_exists)(weir_fs *fs, const char *path, bool *out, weir_error *err);
    int (*folder_exists)(weir_fs *fs, const char *path, bool *out, weir_error *err);
    int (*remove_many)(weir_fs *fs, const char *const *paths, size_t count, weir_error *err);
    int (*remove_recursively)(weir_fs *fs, const char *path, weir_error *err);
    int (*copy)(weir_fs *fs, const char *from, const char *to, weir_error *err);
} weir_fs_ops;

struct weir_fs {
    const weir_fs_ops *ops;
    const char *scheme; /* "file", "memory", … */
    bool is_object_store; /* folders are prefixes of names: they need not be made, and renaming one copies its files */
    struct weir_fs_cache *cache; /* of small files that never change (cache.h); NULL: none is needed */
    struct shared_fs *shared; /* of open.c; NULL: not shared */
};

typedef struct weir_file_ops {
    int (*read_many)(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err);
    void (*close)(weir_file *file);
    void (*expect)(weir_file *file, uint64_t offset, uint64_t size); /* NULL: hints are of no use */
} weir_file_ops;

struct weir_file {
    const weir_file_ops *ops;
    char *path; /* for messages */
    uint64_t size;
};

typedef struct weir_output_ops {
    int (*write)(weir_output *output, const void *data, size_t size, weir_error *err);
    int (*finish)(weir_output *output, bool sync, weir_error *err);
    void (*abandon)(weir_output *output);
} weir_output_ops;

struct weir_output {
    const weir_output_ops *ops;
    char *path;
    uint64_t size; /* written so far */
};

/* The file system of a URI and the path in it (in `arena`).
 *
 * `settings` say how a store is reached; NULL: none. Whoever opens the same store with the same settings gets the same
 * object; it is closed with weir_fs_close() as often as it was opened. The local file system is one shared object;
 * closing it does nothing. Opening does not touch the network: whether the store answers is seen at the first use. An
 * unknown scheme is WEIR_UNSUPPORTED, naming those there are. */
int weir_fs_open(const char *uri, const weir_fs_settings *settings, weir_arena *arena, weir_fs **out_fs,
                 const char **out_path, weir_error *err);

/* The part of a path that follows "scheme://authority": "/a/b", or "" at the root. A path without a scheme as it is. */
const char *weir_fs_path_within(const char *path);

weir_fs *weir_fs_local(void);  /* shared, never freed */
weir_fs *weir_fs_memory(void); /* a new, empty one; weir_fs_close() frees it with its files */
void weir_fs_close(weir_fs *fs);

/* Opens for random reads. WEIR_NOT_FOUND when absent. */
int weir_fs_open_file(weir_fs *fs, const char *path, weir_file **out, weir_error *err);
/* The same for a file whose size is known from elsewhere, which saves stores a question. If there is no such file, or
 * it is shorter, that may be seen only when it is read. */
int weir_fs_open_sized_file(weir_fs *fs, const char *path, uint64_t size, weir_file **out, weir_error *err);
int weir_file_read_at(weir_file *file, uint64_t offset, void *data, size_t size, weir_error *err);
/* Reads all ranges, coalesced and in parallel where the store gains from it. A range past the end is WEIR_CORRUPT. */
int weir_file_read_many(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err);
/* A hint: these bytes are one part of the file, which is read in order as far as it is read. */
void weir_file_expect(weir_file *file, uint64_t offset, uint64_t size);
void weir_file_close(weir_file *file);

/* Reads a small file whole (metadata); appends to `out`. */
int weir_fs_read_all(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err);

/* The same for a file that no program ever changes, and whose name no other file will have: stores may keep it. */
int weir_fs_read_unchanging(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err);

/* Creates a new file, with its parent folders; WEIR_EXISTS when the path is taken. The file is there for others at the
 * latest after finish. `sync`: its bytes survive a power loss when finish has returned (its name does after
 * weir_fs_sync_directory). finish and abandon free the output; abandon also removes what was written. */
int weir_fs_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err);
int weir_output_write(weir_output *output, const void *data, size_t size, weir_error *err);
int weir_output_finish(weir_output *output, bool sync, weir_error *err);
void weir_output_abandon(weir_output *output);

/* Makes `path` appear with exactly `bytes`, all at once, durably, and only if nothing is there: otherwise WEIR_EXISTS.
 * After WEIR_IO it may be there all the same, or appear later; after any other error this call has left nothing. The
 * commit of a snapshot rests on this. */
int weir_fs_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err);

/* Writes a small file whole, replacing what is there; readers never see a part of it. After a power loss it may be
 * torn: only for what is checked when it is read (hint files). */
int weir_fs_replace(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err);
/* The same; after a power loss there is what was before or what is now, whole. */
int weir_fs_replace_synced(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err);

int weir_fs_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err); /* WEIR_NOT_FOUND when absent;
                                                                                           name is not set */
int weir_fs_exists(weir_fs *fs, const char *path, bool *out, weir_error *err); /* a file or a folder */
/* The same for what can only be a file, or only a folder: stores need not look for both. */
int weir_fs_file_exists(weir_fs *fs, const char *path, bool *out, weir_error *err);
int weir_fs_folder_exists(weir_fs *fs, const char *path, bool *out, weir_error *err);

/* The entries of a folder in byte order of their names, without '.' and '..'. A missing folder is empty. */
int weir_fs_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                 weir_error *err);

/* Folders, those that weir_fs_create and others make on the way included, survive a power loss as soon as they are
 * made. */
int weir_fs_make_directories(weir_fs *fs, const char *path, weir_error *err);
int weir_fs_remove(weir_fs *fs, const char *path, weir_error *err); /* a file or empty folder; absent is OK */
/* Files, all of them even if some cannot be removed; then the first error. Absent ones are OK. */
int weir_fs_remove_many(weir_fs *fs, const char *const *paths, size_t count, weir_error *err);
int weir_fs_remove_recursively(weir_fs *fs, const char *path, weir_error *err);     /* absent is OK */
int weir_fs_rename(weir_fs *fs, const char *from, const char *to, weir_error *err); /* WEIR_EXISTS when `to` is taken */
/* Of an object store: a file, or all that is below a folder, over what is there. */
int weir_fs_copy(weir_fs *fs, const char *from, const char *to, weir_error *err);
int weir_fs_sync_directory(weir_fs *fs, const char *path, weir_error *err);

#endif
