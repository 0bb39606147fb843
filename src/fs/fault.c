/* A file system that fails on purpose: counts the operations that go through to another one, and stops at one of them.
 *
 * After its death nothing reaches the inner file system any more. What was open for writing stays there as it was: a
 * dead program neither finishes nor removes its files. */
#include "fs/fault.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

typedef struct fault_fs {
    weir_fs fs;
    weir_fs *inner;
    pthread_mutex_t mutex;
    weir_fault_options options;
    uint64_t operations;
    bool dead;
} fault_fs;

/* --- counting ------------------------------------------------------------------------------------------------- */

static int fail_simulated(weir_error *err, const char *what, const char *path)
{
    return weir_fail(err, WEIR_IO, "%s: %s: simulated crash", path, what);
}

/* Whether the operation happens: OK, or the simulated failure. *out_stop (may be NULL): how the machine stops, at the
 * operation at which it does, and empty at all others. */
static int count_operation(fault_fs *self, bool reads, const char *what, const char *path, weir_fault_options *out_stop,
                           weir_error *err)
{
    weir_fault_options stop = {0};
    pthread_mutex_lock(&self->mutex);
    bool failed = self->dead;
    if (!failed && (!reads || self->options.reads_count) && ++self->operations == self->options.stop_at) {
        failed = true;
        stop = self->options;
        self->dead = !stop.fail_once;
    }
    pthread_mutex_unlock(&self->mutex);
    if (out_stop) {
        *out_stop = stop;
    }
    return failed ? fail_simulated(err, what, path) : WEIR_OK;
}

static int count_change(fault_fs *self, const char *what, const char *path, weir_error *err)
{
    return count_operation(self, false, what, path, NULL, err);
}

static int count_read(fault_fs *self, const char *what, const char *path, weir_error *err)
{
    return count_operation(self, true, what, path, NULL, err);
}

static bool is_dead(fault_fs *self)
{
    pthread_mutex_lock(&self->mutex);
    bool dead = self->dead;
    pthread_mutex_unlock(&self->mutex);
    return dead;
}

/* --- files ---------------------------------------------------------------------------------------------------- */

typedef struct fault_file {
    weir_file file;
    fault_fs *fs;
    weir_file *inner;
} fault_file;

static int fault_read_many(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err)
{
    fault_file *self = (fault_file *)file;
    WEIR_TRY(count_read(self->fs, "reading", file->path, err));
    return weir_file_read_many(self->inner, ranges, count, err);
}

static void fault_close_file(weir_file *file)
{
    weir_file_close(((fault_file *)file)->inner);
    free(file->path);
    free(file);
}

static int fault_open(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    static const weir_file_ops ops = {.read_many = fault_read_many, .close = fault_close_file};
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_read(self, "opening", path, err));
    weir_file *inner;
    WEIR_TRY(weir_fs_open_file(self->inner, path, &inner, err));
    fault_file *file = weir_alloc_zeroed(1, sizeof *file);
    file->file = (weir_file){&ops, weir_strdup(path), inner->size};
    file->fs = self;
    file->inner = inner;
    *out = &file->file;
    return WEIR_OK;
}

/* --- outputs -------------------------------------------------------------------------------------------------- */

typedef struct fault_output {
    weir_output output;
    fault_fs *fs;
    weir_output *inner;
} fault_output;

static int fault_write(weir_output *output, const void *data, size_t size, weir_error *err)
{
    fault_output *self = (fault_output *)output;
    weir_fault_options stop;
    int code = count_operation(self->fs, false, "writing", output->path, &stop, err);
    if (code == WEIR_OK) {
        return weir_output_write(self->inner, data, size, err);
    }
    if (stop.torn) {
        weir_output_write(self->inner, data, size / 2, NULL);
    }
    return code;
}

static void fault_abandon(weir_output *output)
{
    fault_output *self = (fault_output *)output;
    if (is_dead(self->fs)) {
        weir_output_finish(self->inner, false, NULL);
    } else {
        weir_output_abandon(self->inner);
    }
    free(output->path);
    free(self);
}

static int fault_finish(weir_output *output, bool sync, weir_error *err)
{
    fault_output *self = (fault_output *)output;
    int code = count_change(self->fs, "finishing", output->path, err);
    if (code != WEIR_OK) {
        fault_abandon(output);
        return code;
    }
    code = weir_output_finish(self->inner, sync, err);
    free(output->path);
    free(self);
    return code;
}

static int fault_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err)
{
    static const weir_output_ops ops = {fault_write, fault_finish, fault_abandon};
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_change(self, "creating", path, err));
    weir_output *inner;
    WEIR_TRY(weir_fs_create(self->inner, path, &inner, err));
    fault_output *output = weir_alloc_zeroed(1, sizeof *output);
    output->output = (weir_output){&ops, weir_strdup(path), 0};
    output->fs = self;
    output->inner = inner;
    *out = &output->output;
    return WEIR_OK;
}

/* --- everything else ------------------------------------------------------------------------------------------ */

static int fault_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    weir_fault_options stop;
    int code = count_operation(self, false, "publishing", path, &stop, err);
    if (code == WEIR_OK) {
        return weir_fs_publish(self->inner, path, bytes, err);
    }
    if (stop.answer_lost) {
        weir_fs_publish(self->inner, path, bytes, NULL);
    }
    return code;
}

static int fault_replace(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_change(self, "replacing", path, err));
    return self->inner->ops->replace(self->inner, path, bytes, sync, err);
}

static int fault_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_read(self, "looking at", path, err));
    return weir_fs_stat(self->inner, path, out, err);
}

static int fault_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                      weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_read(self, "listing", path, err));
    return weir_fs_list(self->inner, path, arena, out, out_count, err);
}

static int fault_make_directories(weir_fs *fs, const char *path, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_change(self, "making the folder", path, err));
    return weir_fs_make_directories(self->inner, path, err);
}

static int fault_remove(weir_fs *fs, const char *path, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_change(self, "removing", path, err));
    return weir_fs_remove(self->inner, path, err);
}

static int fault_rename(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_change(self, "renaming", from, err));
    return weir_fs_rename(self->inner, from, to, err);
}

static int fault_sync_directory(weir_fs *fs, const char *path, weir_error *err)
{
    fault_fs *self = (fault_fs *)fs;
    WEIR_TRY(count_change(self, "syncing", path, err));
    return weir_fs_sync_directory(self->inner, path, err);
}

static void fault_close(weir_fs *fs)
{
    fault_fs *self = (fault_fs *)fs;
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

weir_fs *weir_fs_fault(weir_fs *inner, weir_fault_options options)
{
    static const weir_fs_ops ops = {
        .open = fault_open,
        .create = fault_create,
        .publish = fault_publish,
        .replace = fault_replace,
        .stat = fault_stat,
        .list = fault_list,
        .make_directories = fault_make_directories,
        .remove = fault_remove,
        .rename = fault_rename,
        .sync_directory = fault_sync_directory,
        .close = fault_close,
    };
    fault_fs *self = weir_alloc_zeroed(1, sizeof *self);
    self->fs = (weir_fs){.ops = &ops, .scheme = inner->scheme};
    self->inner = inner;
    self->options = options;
    pthread_mutex_init(&self->mutex, NULL);
    return &self->fs;
}

uint64_t weir_fs_fault_operations(const weir_fs *fs)
{
    fault_fs *self = (fault_fs *)fs;
    pthread_mutex_lock(&self->mutex);
    uint64_t operations = self->operations;
    pthread_mutex_unlock(&self->mutex);
    return operations;
}

void weir_fs_fault_set_options(weir_fs *fs, weir_fault_options options)
{
    fault_fs *self = (fault_fs *)fs;
    pthread_mutex_lock(&self->mutex);
    self->options = options;
    self->operations = 0;
    self->dead = false;
    pthread_mutex_unlock(&self->mutex);
}
