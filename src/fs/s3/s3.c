/* Opening a bucket. */
#include "fs/s3/s3.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "fs/cache.h"

#define CACHE_BYTES ((size_t)16 << 20)

/* Folders are prefixes: there is nothing to sync. */
static int sync_directory(weir_fs *fs, const char *path, weir_error *err)
{
    (void)fs;
    (void)path;
    (void)err;
    return WEIR_OK;
}

static void close_s3(weir_fs *fs)
{
    weir_s3 *s3 = (weir_s3 *)fs;
    weir_fs_cache_free(s3->fs.cache);
    weir_s3_credentials_free(s3->credentials);
    pthread_mutex_destroy(&s3->mutex);
    weir_arena_free(&s3->arena);
    free(s3);
}

static const weir_fs_ops ops = {
    .open = weir_s3_open_file,
    .open_sized = weir_s3_open_sized,
    .read_all = weir_s3_read_all,
    .create = weir_s3_create,
    .publish = weir_s3_publish,
    .replace = weir_s3_replace,
    .stat = weir_s3_stat,
    .file_exists = weir_s3_file_exists,
    .folder_exists = weir_s3_folder_exists,
    .list = weir_s3_list,
    .make_directories = weir_s3_make_directories,
    .remove = weir_s3_remove,
    .remove_many = weir_s3_remove_many,
    .remove_recursively = weir_s3_remove_recursively,
    .rename = weir_s3_rename,
    .copy = weir_s3_copy,
    .sync_directory = sync_directory,
    .close = close_s3,
};

int weir_s3_open(const char *root, const weir_fs_settings *settings, weir_fs **out, weir_error *err)
{
    weir_s3 *s3 = weir_alloc_zeroed(1, sizeof *s3);
    s3->fs = (weir_fs){.ops = &ops, .scheme = "s3", .is_object_store = true};
    s3->fs.cache = weir_fs_cache_create(CACHE_BYTES);
    pthread_mutex_init(&s3->mutex, NULL);
    weir_arena_init(&s3->arena);
    s3->credentials = weir_s3_credentials_create(&s3->config);
    int code = weir_s3_config_read(root, settings, &s3->arena, &s3->config, err);
    if (code != WEIR_OK) {
        close_s3(&s3->fs);
        return code;
    }
    *out = &s3->fs;
    return WEIR_OK;
}
