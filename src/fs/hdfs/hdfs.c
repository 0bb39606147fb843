/* HDFS as a file system.
 *
 * Whatever must be seen whole or not at all is written to a temporary file ".<name>.<uuid>.tmp" in the same folder and
 * then given its name, as Java Paimon does: the name node gives a name to one of those who want it, whether they are
 * Weir's or Java's. A rename whose answer was lost is asked for again; when there is nothing left to rename, it was
 * carried out, for nobody else renames a temporary file of ours. */
#include "fs/hdfs/hdfs.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "fs/hdfs/webhdfs.h"

static weir_hdfs *hdfs_of(weir_fs *fs) { return (weir_hdfs *)fs; }

/* ---- looking ---- */

static int fill_info(const json_t *status, const char *path, weir_file_info *out, weir_error *err)
{
    const char *type;
    int64_t size = 0, modified_ms = 0;
    WEIR_TRY(weir_json_get_string(status, "type", true, path, &type, err));
    WEIR_TRY(weir_json_get_int64(status, "length", true, path, &size, err));
    WEIR_TRY(weir_json_get_int64(status, "modificationTime", false, path, &modified_ms, err));
    out->is_directory = strcmp(type, "DIRECTORY") == 0;
    out->size_bytes = size < 0 ? 0 : (uint64_t)size;
    out->modified_ms = modified_ms;
    return WEIR_OK;
}

/* A path below a file is not there, as on other file systems. */
static int get_status(weir_hdfs *self, const char *path, weir_file_info *out, int64_t *out_block_size, weir_error *err)
{
    weir_hdfs_call call = {"GET", "GETFILESTATUS", path, NULL, false};
    weir_hdfs_answer answer = {0};
    weir_file_info info = {0};
    int64_t block_size = 0;
    json_t *status;
    int code = weir_hdfs_ask(self, &call, &answer, err);
    if (code == WEIR_EXISTS) {
        code = weir_error_context(err, WEIR_NOT_FOUND, "looking at %s", path);
    }
    WEIR_GO(code);
    WEIR_GO(weir_json_get_object(answer.document, "FileStatus", true, path, &status, err));
    WEIR_GO(fill_info(status, path, &info, err));
    WEIR_GO(weir_json_get_int64(status, "blockSize", false, path, &block_size, err));
    *out = info;
    if (out_block_size != NULL) {
        *out_block_size = block_size;
    }
done:
    weir_hdfs_answer_free(&answer);
    return code;
}

static int hdfs_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err)
{
    return get_status(hdfs_of(fs), path, out, NULL, err);
}

static int hdfs_open(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    weir_file_info info;
    int64_t block_size;
    WEIR_TRY(get_status(hdfs_of(fs), path, &info, &block_size, err));
    if (info.is_directory) {
        return weir_fail(err, WEIR_INVALID, "%s: a file is needed here, but this is a folder", path);
    }
    *out = weir_hdfs_open_file(hdfs_of(fs), path, info.size_bytes, block_size < 0 ? 0 : (uint64_t)block_size);
    return WEIR_OK;
}

static int hdfs_read_all(weir_fs *fs, const char *path, weir_buffer *out, weir_error *err)
{
    return weir_hdfs_read_all(hdfs_of(fs), path, out, err);
}

/* ---- listing ---- */

typedef struct entries {
    weir_file_info *items;
    size_t count;
    size_t capacity;
} entries;

static int add_entries(const json_t *statuses, const char *path, weir_arena *arena, entries *out, weir_error *err)
{
    json_t *list;
    WEIR_TRY(weir_json_get_array(statuses, "FileStatus", true, path, &list, err));
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        const json_t *status = json_array_get(list, i);
        const char *name;
        weir_file_info info = {0};
        WEIR_TRY(weir_json_get_string(status, "pathSuffix", true, path, &name, err));
        WEIR_TRY(fill_info(status, path, &info, err));
        if (*name == '\0') { /* the status of the path itself */
            return weir_fail(err, WEIR_IO, "%s: listing: this is a file, not a folder", path);
        }
        info.name = weir_arena_strdup(arena, name);
        WEIR_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = info;
    }
    return WEIR_OK;
}

/* One answer of LISTSTATUS_BATCH, from the entry after the last one that is known. `left`: there are more. */
static int list_batch(weir_hdfs *self, const char *path, weir_arena *arena, entries *out, bool *left, weir_error *err)
{
    weir_buffer parameters = {0};
    weir_hdfs_answer answer = {0};
    weir_hdfs_call call = {"GET", "LISTSTATUS_BATCH", path, NULL, false};
    json_t *listing, *partial, *statuses;
    int64_t remaining = 0;
    size_t known = out->count;
    int code = WEIR_OK;
    if (known > 0) {
        weir_buffer_append_text(&parameters, "startAfter=");
        weir_http_append_escaped(weir_slice_text(out->items[known - 1].name), false, &parameters);
        call.parameters = weir_buffer_text(&parameters);
    }
    WEIR_GO(weir_hdfs_ask(self, &call, &answer, err));
    WEIR_GO(weir_json_get_object(answer.document, "DirectoryListing", true, path, &listing, err));
    WEIR_GO(weir_json_get_object(listing, "partialListing", true, path, &partial, err));
    WEIR_GO(weir_json_get_object(partial, "FileStatuses", true, path, &statuses, err));
    WEIR_GO(add_entries(statuses, path, arena, out, err));
    WEIR_GO(weir_json_get_int64(listing, "remainingEntries", false, path, &remaining, err));
    *left = remaining > 0 && out->count > known;
done:
    weir_hdfs_answer_free(&answer);
    weir_buffer_free(&parameters);
    return code;
}

/* What name nodes older than Hadoop 2.9 know: all at once. */
static int list_whole(weir_hdfs *self, const char *path, weir_arena *arena, entries *out, weir_error *err)
{
    weir_hdfs_call call = {"GET", "LISTSTATUS", path, NULL, false};
    weir_hdfs_answer answer = {0};
    json_t *statuses;
    int code = WEIR_OK;
    WEIR_GO(weir_hdfs_ask(self, &call, &answer, err));
    WEIR_GO(weir_json_get_object(answer.document, "FileStatuses", true, path, &statuses, err));
    WEIR_GO(add_entries(statuses, path, arena, out, err));
done:
    weir_hdfs_answer_free(&answer);
    return code;
}

/* A folder that is removed while it is listed has no more entries. */
static int hdfs_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                     weir_error *err)
{
    entries found = {0};
    weir_error reason;
    int code = WEIR_OK;
    *out = NULL;
    *out_count = 0;
    for (bool left = true; left && code == WEIR_OK;) {
        code = list_batch(hdfs_of(fs), path, arena, &found, &left, &reason);
    }
    if (code == WEIR_INVALID && found.count == 0) {
        code = list_whole(hdfs_of(fs), path, arena, &found, &reason);
    }
    if (code == WEIR_NOT_FOUND) {
        code = WEIR_OK;
    }
    if (code == WEIR_OK && found.count > 0) {
        *out = weir_arena_copy(arena, found.items, found.count * sizeof *found.items);
        *out_count = found.count;
    } else if (code != WEIR_OK && err != NULL) {
        *err = reason;
    }
    free(found.items);
    return code;
}

/* ---- folders, removing ---- */

static int hdfs_make_directories(weir_fs *fs, const char *path, weir_error *err)
{
    weir_hdfs_call call = {"PUT", "MKDIRS", path, NULL, false};
    weir_hdfs_answer answer = {0};
    int code = weir_hdfs_ask(hdfs_of(fs), &call, &answer, err);
    if (code == WEIR_OK && !json_is_true(json_object_get(answer.document, "boolean"))) {
        code = weir_fail(err, WEIR_IO, "%s: MKDIRS: the name node did not make the folder", path);
    }
    weir_hdfs_answer_free(&answer);
    return code;
}

int weir_hdfs_delete(weir_hdfs *self, const char *path, bool recursive, weir_error *err)
{
    weir_hdfs_call call = {"DELETE", "DELETE", path, recursive ? "recursive=true" : "recursive=false", false};
    weir_hdfs_answer answer = {0};
    int code = weir_hdfs_ask(self, &call, &answer, err);
    weir_hdfs_answer_free(&answer);
    /* What lies below a file is not there either. */
    return code == WEIR_NOT_FOUND || code == WEIR_EXISTS ? WEIR_OK : code;
}

static int hdfs_remove(weir_fs *fs, const char *path, weir_error *err)
{
    return weir_hdfs_delete(hdfs_of(fs), path, false, err);
}

static int hdfs_remove_recursively(weir_fs *fs, const char *path, weir_error *err)
{
    return weir_hdfs_delete(hdfs_of(fs), path, true, err);
}

/* ---- names ---- */

/* `option`: NONE (the name must be free) or OVERWRITE. `is_repeated`: see weir_hdfs_answer. */
static int rename_with(weir_hdfs *self, const char *from, const char *to, const char *option, bool *is_repeated,
                       weir_error *err)
{
    weir_buffer parameters = {0};
    weir_hdfs_answer answer = {0};
    weir_buffer_append_format(&parameters, "renameoptions=%s", option);
    weir_hdfs_append_parameter(&parameters, "destination", weir_fs_path_within(to));
    weir_hdfs_call call = {"PUT", "RENAME", from, weir_buffer_text(&parameters), false};
    int code = weir_hdfs_ask(self, &call, &answer, err);
    *is_repeated = answer.is_repeated;
    weir_hdfs_answer_free(&answer);
    weir_buffer_free(&parameters);
    return code;
}

static bool is_there(weir_hdfs *self, const char *path)
{
    weir_file_info info;
    return get_status(self, path, &info, NULL, NULL) == WEIR_OK;
}

static int make_parents(weir_fs *fs, const char *path, weir_error *err)
{
    char *parent = weir_strndup(path, (size_t)(strrchr(path, '/') - path));
    int code = hdfs_make_directories(fs, parent, err);
    free(parent);
    return code;
}

/* "Not found" is what is to be renamed, or the folder of its new name. */
static int hdfs_rename(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    weir_hdfs *self = hdfs_of(fs);
    weir_error reason;
    bool is_repeated;
    int code = rename_with(self, from, to, "NONE", &is_repeated, &reason);
    if (code == WEIR_NOT_FOUND && is_there(self, from)) {
        WEIR_TRY(make_parents(fs, to, err));
        code = rename_with(self, from, to, "NONE", &is_repeated, &reason);
    }
    if (code == WEIR_NOT_FOUND && is_repeated && is_there(self, to)) {
        code = WEIR_OK;
    }
    if (code != WEIR_OK && err != NULL) {
        *err = reason;
    }
    return code;
}

static char *temporary_path(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    return weir_format("%.*s.%.150s.%s.tmp", (int)(name - path), path, name, uuid);
}

/* Makes a file appear all at once. */
static int appear(weir_hdfs *self, const char *path, weir_slice bytes, const char *option, weir_error *err)
{
    char *temporary = temporary_path(path);
    bool is_repeated;
    int code = WEIR_OK;
    WEIR_GO(weir_hdfs_write_new(self, temporary, bytes, err));
    code = rename_with(self, temporary, path, option, &is_repeated, err);
    if (code == WEIR_NOT_FOUND && is_repeated) {
        code = WEIR_OK;
    } else if (code != WEIR_OK && code != WEIR_EXISTS && is_repeated) {
        code = weir_error_context(err, WEIR_IO, "an earlier attempt may have been carried out");
    }
done:
    if (code != WEIR_OK) {
        (void)weir_hdfs_delete(self, temporary, false, NULL);
    }
    free(temporary);
    return code;
}

static int hdfs_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    return appear(hdfs_of(fs), path, bytes, "NONE", err);
}

static int hdfs_replace(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err)
{
    (void)sync;
    return appear(hdfs_of(fs), path, bytes, "OVERWRITE", err);
}

/* ---- the file system ---- */

static int hdfs_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err)
{
    weir_file_info info;
    weir_error reason;
    int code = get_status(hdfs_of(fs), path, &info, NULL, &reason);
    if (code == WEIR_OK) {
        return weir_fail(err, WEIR_EXISTS, "%s: creating: it is there already", path);
    }
    if (code != WEIR_NOT_FOUND) {
        if (err != NULL) {
            *err = reason;
        }
        return code;
    }
    *out = weir_hdfs_new_output(hdfs_of(fs), path);
    return WEIR_OK;
}

/* Names are durable as soon as the name node has answered. */
static int hdfs_sync_directory(weir_fs *fs, const char *path, weir_error *err)
{
    (void)fs;
    (void)path;
    (void)err;
    return WEIR_OK;
}

static void hdfs_close(weir_fs *fs)
{
    weir_arena_free(&hdfs_of(fs)->arena);
    free(fs);
}

int weir_fs_hdfs_open(const char *root, const weir_fs_settings *settings, weir_fs **out, weir_error *err)
{
    static const weir_fs_ops ops = {
        .open = hdfs_open,
        .create = hdfs_create,
        .publish = hdfs_publish,
        .replace = hdfs_replace,
        .stat = hdfs_stat,
        .list = hdfs_list,
        .make_directories = hdfs_make_directories,
        .remove = hdfs_remove,
        .rename = hdfs_rename,
        .sync_directory = hdfs_sync_directory,
        .close = hdfs_close,
        .read_all = hdfs_read_all,
        .remove_recursively = hdfs_remove_recursively,
    };
    weir_hdfs *self = weir_alloc_zeroed(1, sizeof *self);
    self->fs.ops = &ops;
    self->fs.scheme = "hdfs";
    weir_arena_init(&self->arena);
    int code = weir_name_nodes_resolve(root, settings, &self->arena, &self->nodes, err);
    if (code != WEIR_OK) {
        hdfs_close(&self->fs);
        return code;
    }
    *out = &self->fs;
    return WEIR_OK;
}
