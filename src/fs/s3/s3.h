/* The file system of an S3 bucket. Used by the files of this folder, which are
 *
 *   config.h    endpoint and region, from settings, environment and profile files
 *   profile.h   AWS's profile files
 *   credentials.h  keys, from wherever there are some, renewed before they expire
 *   sign.h      signatures (SigV4)
 *   call.h      one call of S3's API over HTTP, its errors
 *   xml.h       answers in XML
 *   list.c      folders: keys below a prefix, page by page
 *   read.c      files: ranges, coalesced and in parallel
 *   write.c     new files: one request, or parts in parallel
 *   publish.c   files that appear once: the commit
 *   change.c    replacing, copying, renaming
 *   remove.c    removing
 *   s3.c        the table of all that
 *
 * A folder is a prefix that keys have; one without files is an empty object whose key ends in '/'. Threading: as fs.h
 * says. */
#ifndef WEIR_FS_S3_H
#define WEIR_FS_S3_H

#include <pthread.h>

#include "fs/fs.h"
#include "fs/s3/config.h"
#include "fs/s3/credentials.h"

typedef enum weir_s3_store {
    WEIR_S3_UNKNOWN,
    WEIR_S3_CONDITIONAL, /* honours If-None-Match */
    WEIR_S3_PLAIN        /* writes over what is there */
} weir_s3_store;

typedef struct weir_s3 {
    weir_fs fs;
    weir_arena arena;
    weir_s3_config config;
    weir_s3_credentials *credentials;
    pthread_mutex_t mutex;
    weir_s3_store store; /* under the mutex; found out before the first publication */
} weir_s3;

/* `root`: "s3://bucket", also with s3a, s3n and oss. */
int weir_s3_open(const char *root, const weir_fs_settings *settings, weir_fs **out, weir_error *err);

/* The key of a path: what follows the bucket, without a slash at its start. */
const char *weir_s3_key(const char *path);

int weir_s3_open_file(weir_fs *fs, const char *path, weir_file **out, weir_error *err);
int weir_s3_open_sized(weir_fs *fs, const char *path, uint64_t size, weir_file **out, weir_error *err);
int weir_s3_read_all(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err);
int weir_s3_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err);
int weir_s3_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err);
int weir_s3_replace(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err);
int weir_s3_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err);
int weir_s3_file_exists(weir_fs *fs, const char *path, bool *out, weir_error *err);
int weir_s3_folder_exists(weir_fs *fs, const char *path, bool *out, weir_error *err);
int weir_s3_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                 weir_error *err);
int weir_s3_make_directories(weir_fs *fs, const char *path, weir_error *err);
int weir_s3_remove(weir_fs *fs, const char *path, weir_error *err);
int weir_s3_remove_many(weir_fs *fs, const char *const *paths, size_t count, weir_error *err);
int weir_s3_remove_recursively(weir_fs *fs, const char *path, weir_error *err);
int weir_s3_copy(weir_fs *fs, const char *from, const char *to, weir_error *err);
int weir_s3_rename(weir_fs *fs, const char *from, const char *to, weir_error *err);

/* All keys that begin with `prefix`, in byte order, whole. */
int weir_s3_list_keys(weir_s3 *s3, const char *prefix, const char *path, weir_arena *arena, const char ***out_keys,
                      size_t *out_count, weir_error *err);

/* Removes all keys that can be removed, in requests of many; then the error of those that could not. A store that does
 * not answer at all ends it. `path` is for messages. */
int weir_s3_remove_keys(weir_s3 *s3, const char *const *keys, size_t count, const char *path, weir_error *err);

#endif
