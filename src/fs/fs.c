/* What all file systems share: checks, and the operations that are made of others. Opening one by URI is open.c. */
#include <stdlib.h>

#include "base/alloc.h"
#include "fs/cache.h"
#include "fs/shared.h"

/* Files read whole are metadata; one beyond this is not. */
#define LARGEST_WHOLE_FILE ((uint64_t)1 << 31)

void weir_fs_close(weir_fs *fs)
{
    if (fs != NULL && fs->shared != NULL) {
        weir_fs_release_shared(fs);
    } else if (fs != NULL) {
        fs->ops->close(fs);
    }
}

/* --- reading -------------------------------------------------------------------------------------------------- */

int weir_fs_open_file(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    return fs->ops->open(fs, path, out, err);
}

int weir_fs_open_sized_file(weir_fs *fs, const char *path, uint64_t size, weir_file **out, weir_error *err)
{
    return fs->ops->open_sized != NULL ? fs->ops->open_sized(fs, path, size, out, err)
                                       : fs->ops->open(fs, path, out, err);
}

int weir_file_read_many(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].offset > file->size || ranges[i].size > file->size - ranges[i].offset) {
            return weir_fail(err, WEIR_CORRUPT,
                             "%s: %zu bytes at %" PRIu64 " reach past the end of the file, which has %" PRIu64
                             " bytes; it is cut off, or what points into it is wrong",
                             file->path, ranges[i].size, ranges[i].offset, file->size);
        }
    }
    return count == 0 ? WEIR_OK : file->ops->read_many(file, ranges, count, err);
}

int weir_file_read_at(weir_file *file, uint64_t offset, void *data, size_t size, weir_error *err)
{
    weir_read_range range = {offset, size, data};
    return weir_file_read_many(file, &range, 1, err);
}

void weir_file_expect(weir_file *file, uint64_t offset, uint64_t size)
{
    if (file->ops->expect != NULL) {
        file->ops->expect(file, offset, size);
    }
}

void weir_file_close(weir_file *file)
{
    if (file) {
        file->ops->close(file);
    }
}

int weir_fs_read_all(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err)
{
    if (fs->ops->read_all != NULL) {
        return fs->ops->read_all(fs, path, out, err);
    }
    weir_file *file;
    WEIR_TRY(weir_fs_open_file(fs, path, &file, err));
    int code = WEIR_OK;
    if (file->size > LARGEST_WHOLE_FILE) {
        WEIR_GO(weir_fail(err, WEIR_UNSUPPORTED, "%s: %" PRIu64 " bytes are too many for a metadata file", path,
                          file->size));
    }
    size_t size = (size_t)file->size;
    weir_buffer_reserve(out, size);
    WEIR_GO(weir_file_read_at(file, 0, out->data + out->size, size, err));
    out->size += size;
done:
    weir_file_close(file);
    return code;
}

int weir_fs_read_unchanging(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err)
{
    size_t before = out->size;
    if (fs->cache != NULL && weir_fs_cache_get(fs->cache, path, out)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_fs_read_all(fs, path, out, err));
    if (fs->cache != NULL) {
        weir_fs_cache_put(fs->cache, path, weir_slice_of(out->data + before, out->size - before));
    }
    return WEIR_OK;
}

int weir_fs_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err)
{
    return fs->ops->stat(fs, path, out, err);
}

int weir_fs_exists(weir_fs *fs, const char *path, bool *out, weir_error *err)
{
    weir_file_info info;
    weir_error reason;
    int code = fs->ops->stat(fs, path, &info, &reason);
    if (code == WEIR_OK || code == WEIR_NOT_FOUND) {
        *out = code == WEIR_OK;
        return WEIR_OK;
    }
    if (err) {
        *err = reason;
    }
    return code;
}

int weir_fs_file_exists(weir_fs *fs, const char *path, bool *out, weir_error *err)
{
    return fs->ops->file_exists != NULL ? fs->ops->file_exists(fs, path, out, err) : weir_fs_exists(fs, path, out, err);
}

int weir_fs_folder_exists(weir_fs *fs, const char *path, bool *out, weir_error *err)
{
    weir_file_info info;
    if (fs->ops->folder_exists != NULL) {
        return fs->ops->folder_exists(fs, path, out, err);
    }
    int code = weir_fs_stat(fs, path, &info, err);
    *out = code == WEIR_OK && info.is_directory;
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
    }
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const weir_file_info *)a)->name, ((const weir_file_info *)b)->name);
}

int weir_fs_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                 weir_error *err)
{
    WEIR_TRY(fs->ops->list(fs, path, arena, out, out_count, err));
    if (*out_count > 1) {
        qsort(*out, *out_count, sizeof **out, compare_names);
    }
    return WEIR_OK;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

int weir_fs_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err)
{
    return fs->ops->create(fs, path, out, err);
}

int weir_output_write(weir_output *output, const void *data, size_t size, weir_error *err)
{
    if (size == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(output->ops->write(output, data, size, err));
    output->size += size;
    return WEIR_OK;
}

int weir_output_finish(weir_output *output, bool sync, weir_error *err)
{
    return output->ops->finish(output, sync, err);
}

void weir_output_abandon(weir_output *output)
{
    if (output) {
        output->ops->abandon(output);
    }
}

int weir_fs_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    return fs->ops->publish(fs, path, bytes, err);
}

int weir_fs_replace(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    return fs->ops->replace(fs, path, bytes, false, err);
}

int weir_fs_replace_synced(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    return fs->ops->replace(fs, path, bytes, true, err);
}

int weir_fs_make_directories(weir_fs *fs, const char *path, weir_error *err)
{
    return fs->ops->make_directories(fs, path, err);
}

int weir_fs_rename(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    return fs->ops->rename(fs, from, to, err);
}

int weir_fs_copy(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    return fs->ops->copy != NULL ? fs->ops->copy(fs, from, to, err)
                                 : weir_fail(err, WEIR_UNSUPPORTED, "%s: files are not copied within '%s:'", from,
                                             fs->scheme);
}

int weir_fs_sync_directory(weir_fs *fs, const char *path, weir_error *err)
{
    return fs->ops->sync_directory(fs, path, err);
}

/* --- removing ------------------------------------------------------------------------------------------------- */

int weir_fs_remove(weir_fs *fs, const char *path, weir_error *err) { return fs->ops->remove(fs, path, err); }

int weir_fs_remove_many(weir_fs *fs, const char *const *paths, size_t count, weir_error *err)
{
    int code = WEIR_OK;
    if (fs->ops->remove_many != NULL) {
        return fs->ops->remove_many(fs, paths, count, err);
    }
    for (size_t i = 0; i < count; i++) {
        int removed = weir_fs_remove(fs, paths[i], code == WEIR_OK ? err : NULL);
        code = code == WEIR_OK ? removed : code;
    }
    return code;
}

static int remove_contents(weir_fs *fs, const char *path, const weir_file_info *entries, size_t count, weir_error *err)
{
    for (size_t i = 0; i < count; i++) {
        char *child = weir_format("%s/%s", path, entries[i].name);
        int code =
            entries[i].is_directory ? weir_fs_remove_recursively(fs, child, err) : weir_fs_remove(fs, child, err);
        free(child);
        WEIR_TRY(code);
    }
    return WEIR_OK;
}

/* Removes the path itself before it looks inside: that is all there is to do for a file, an empty folder, and a link
 * to a folder elsewhere, whose contents must stay. */
int weir_fs_remove_recursively(weir_fs *fs, const char *path, weir_error *err)
{
    if (fs->ops->remove_recursively != NULL) {
        return fs->ops->remove_recursively(fs, path, err);
    }
    weir_error reason;
    weir_error_clear(&reason);
    int code = weir_fs_remove(fs, path, &reason);
    if (code == WEIR_OK) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries;
    size_t count;
    WEIR_GO(weir_fs_list(fs, path, &arena, &entries, &count, err));
    if (count == 0) {
        if (err) {
            *err = reason;
        }
        WEIR_GO((int)reason.code);
    }
    WEIR_GO(remove_contents(fs, path, entries, count, err));
    WEIR_GO(weir_fs_remove(fs, path, err));
done:
    weir_arena_free(&arena);
    return code;
}
