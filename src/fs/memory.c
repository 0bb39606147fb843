/* Everything in memory, for tests: a tree of folders and files under one lock.
 *
 * Each folder has its entries twice: as they are, and as they would be after a power loss (`durable`). Syncing a folder
 * makes the second like the first. A file remembers how many of its bytes were synced. Nodes are counted, since one may
 * be held by both kinds of entries and by those who have it open. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/map.h"
#include "fs/fault.h"
#include "fs/fs.h"

typedef struct node {
    int references;
    bool is_directory;
    int64_t modified_ms;
    weir_buffer bytes;
    size_t synced_size;
    weir_map entries; /* name → node */
    weir_map durable;
} node;

typedef struct memory_fs {
    weir_fs fs;
    pthread_rwlock_t lock; /* guards every node */
    node *root;
} memory_fs;

/* --- nodes ---------------------------------------------------------------------------------------------------- */

static node *new_node(bool is_directory)
{
    node *created = weir_alloc_zeroed(1, sizeof *created);
    created->references = 1;
    created->is_directory = is_directory;
    created->modified_ms = weir_now_ms();
    return created;
}

static node *hold(node *held)
{
    held->references++;
    return held;
}

static void release(node *held);

static void release_entries(weir_map *entries)
{
    for (size_t i = 0; i < entries->entry_count; i++) {
        if (entries->entries[i].value) {
            release(entries->entries[i].value);
        }
    }
    weir_map_free(entries);
}

static void release(node *held)
{
    if (--held->references > 0) {
        return;
    }
    release_entries(&held->entries);
    release_entries(&held->durable);
    weir_buffer_free(&held->bytes);
    free(held);
}

static void remove_entry(weir_map *entries, weir_slice name)
{
    node *removed = weir_map_remove(entries, name);
    if (removed) {
        release(removed);
    }
}

/* Puts a node under a name, in place of what was there. The map holds it. */
static void put_entry(weir_map *entries, weir_slice name, node *put)
{
    hold(put);
    remove_entry(entries, name);
    weir_map_put(entries, name, put);
}

static void copy_entries(const weir_map *from, weir_map *to)
{
    weir_map before = *to;
    *to = (weir_map){0};
    for (size_t i = 0; i < from->entry_count; i++) {
        if (from->entries[i].value) {
            put_entry(to, from->entries[i].key, from->entries[i].value);
        }
    }
    release_entries(&before);
}

/* --- paths ---------------------------------------------------------------------------------------------------- */

/* Takes the first component off *path; an empty one at the end. */
static weir_slice next_component(const char **path)
{
    const char *at = *path + strspn(*path, "/");
    size_t size = strcspn(at, "/");
    *path = at + size;
    return weir_slice_of(at, size);
}

/* The node at a path, or NULL. */
static node *find_node(const memory_fs *self, const char *path)
{
    node *at = self->root;
    for (weir_slice name = next_component(&path); name.size > 0 && at; name = next_component(&path)) {
        at = at->is_directory ? weir_map_get(&at->entries, name) : NULL;
    }
    return at;
}

/* The folder of a path and the last component. Missing folders are made (durably) when `make`. */
static int find_parent(memory_fs *self, const char *path, bool make, node **out_parent, weir_slice *out_name,
                       weir_error *err)
{
    const char *rest = path;
    node *at = self->root;
    weir_slice name = next_component(&rest);
    for (;;) {
        weir_slice next = next_component(&rest);
        if (next.size == 0) {
            break;
        }
        node *child = weir_map_get(&at->entries, name);
        if (!child) {
            if (!make) {
                return weir_fail_errno(err, ENOENT, "looking for its folder", path);
            }
            child = new_node(true);
            put_entry(&at->entries, name, child);
            put_entry(&at->durable, name, child);
            release(child);
        }
        if (!child->is_directory) {
            return weir_fail_errno(err, ENOTDIR, "looking for its folder", path);
        }
        at = child;
        name = next;
    }
    *out_parent = at;
    *out_name = name;
    return WEIR_OK;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

typedef struct memory_file {
    weir_file file;
    memory_fs *fs;
    node *node;
} memory_file;

static int memory_read_many(weir_file *file, const weir_read_range *ranges, size_t count, weir_error *err)
{
    memory_file *self = (memory_file *)file;
    int code = WEIR_OK;
    pthread_rwlock_rdlock(&self->fs->lock);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        if (ranges[i].offset + ranges[i].size > self->node->bytes.size) {
            code = weir_fail(err, WEIR_CORRUPT, "%s: the file was cut off while it is in use", file->path);
        } else if (ranges[i].size > 0) {
            memcpy(ranges[i].data, self->node->bytes.data + ranges[i].offset, ranges[i].size);
        }
    }
    pthread_rwlock_unlock(&self->fs->lock);
    return code;
}

static void memory_close_file(weir_file *file)
{
    memory_file *self = (memory_file *)file;
    pthread_rwlock_wrlock(&self->fs->lock);
    release(self->node);
    pthread_rwlock_unlock(&self->fs->lock);
    free(file->path);
    free(self);
}

static int open_locked(memory_fs *self, const char *path, weir_file **out, weir_error *err)
{
    static const weir_file_ops ops = {.read_many = memory_read_many, .close = memory_close_file};
    node *found = find_node(self, path);
    if (!found) {
        return weir_fail_errno(err, ENOENT, "opening", path);
    }
    if (found->is_directory) {
        return weir_fail(err, WEIR_INVALID, "%s: a file is needed here, but this is a folder", path);
    }
    memory_file *file = weir_alloc_zeroed(1, sizeof *file);
    file->file = (weir_file){&ops, weir_strdup(path), found->bytes.size};
    file->fs = self;
    file->node = hold(found);
    *out = &file->file;
    return WEIR_OK;
}

static int memory_open(weir_fs *fs, const char *path, weir_file **out, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    pthread_rwlock_wrlock(&self->lock);
    int code = open_locked(self, path, out, err);
    pthread_rwlock_unlock(&self->lock);
    return code;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

typedef struct memory_output {
    weir_output output;
    memory_fs *fs;
    node *node;
} memory_output;

static int memory_write(weir_output *output, const void *data, size_t size, weir_error *err)
{
    (void)err;
    memory_output *self = (memory_output *)output;
    pthread_rwlock_wrlock(&self->fs->lock);
    weir_buffer_append(&self->node->bytes, data, size);
    self->node->modified_ms = weir_now_ms();
    pthread_rwlock_unlock(&self->fs->lock);
    return WEIR_OK;
}

static void free_output(memory_output *self)
{
    release(self->node);
    free(self->output.path);
    free(self);
}

static int memory_finish(weir_output *output, bool sync, weir_error *err)
{
    (void)err;
    memory_output *self = (memory_output *)output;
    memory_fs *fs = self->fs;
    pthread_rwlock_wrlock(&fs->lock);
    if (sync) {
        self->node->synced_size = self->node->bytes.size;
    }
    free_output(self);
    pthread_rwlock_unlock(&fs->lock);
    return WEIR_OK;
}

static void memory_abandon(weir_output *output)
{
    memory_output *self = (memory_output *)output;
    memory_fs *fs = self->fs;
    pthread_rwlock_wrlock(&fs->lock);
    node *parent;
    weir_slice name;
    if (find_node(fs, output->path) == self->node &&
        find_parent(fs, output->path, false, &parent, &name, NULL) == WEIR_OK) {
        remove_entry(&parent->entries, name);
    }
    free_output(self);
    pthread_rwlock_unlock(&fs->lock);
}

/* A new, empty file under a free name. */
static int add_file(memory_fs *self, const char *path, node **out, node **out_parent, weir_slice *out_name,
                    weir_error *err)
{
    WEIR_TRY(find_parent(self, path, true, out_parent, out_name, err));
    if (out_name->size == 0 || weir_map_get(&(*out_parent)->entries, *out_name)) {
        return weir_fail_errno(err, EEXIST, "creating", path);
    }
    node *created = new_node(false);
    put_entry(&(*out_parent)->entries, *out_name, created);
    release(created);
    *out = created;
    return WEIR_OK;
}

static int memory_create(weir_fs *fs, const char *path, weir_output **out, weir_error *err)
{
    static const weir_output_ops ops = {memory_write, memory_finish, memory_abandon};
    memory_fs *self = (memory_fs *)fs;
    node *created = NULL;
    node *parent = NULL;
    weir_slice name;
    pthread_rwlock_wrlock(&self->lock);
    int code = add_file(self, path, &created, &parent, &name, err);
    if (code == WEIR_OK) {
        memory_output *output = weir_alloc_zeroed(1, sizeof *output);
        output->output = (weir_output){&ops, weir_strdup(path), 0};
        output->fs = self;
        output->node = hold(created);
        *out = &output->output;
    }
    pthread_rwlock_unlock(&self->lock);
    return code;
}

static int memory_publish(weir_fs *fs, const char *path, weir_slice bytes, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    node *created = NULL;
    node *parent = NULL;
    weir_slice name;
    pthread_rwlock_wrlock(&self->lock);
    int code = add_file(self, path, &created, &parent, &name, err);
    if (code == WEIR_OK) {
        weir_buffer_append(&created->bytes, bytes.data, bytes.size);
        created->synced_size = bytes.size;
        put_entry(&parent->durable, name, created);
    }
    pthread_rwlock_unlock(&self->lock);
    return code;
}

/* A new node, so that those who have the old file open go on reading it, as on a disk. */
static int replace_locked(memory_fs *self, const char *path, weir_slice bytes, bool sync, weir_error *err)
{
    node *parent;
    weir_slice name;
    WEIR_TRY(find_parent(self, path, true, &parent, &name, err));
    const node *before = weir_map_get(&parent->entries, name);
    if (name.size == 0 || (before && before->is_directory)) {
        return weir_fail_errno(err, EISDIR, "replacing", path);
    }
    node *created = new_node(false);
    weir_buffer_append(&created->bytes, bytes.data, bytes.size);
    created->synced_size = sync ? bytes.size : 0;
    put_entry(&parent->entries, name, created);
    release(created);
    return WEIR_OK;
}

static int memory_replace(weir_fs *fs, const char *path, weir_slice bytes, bool sync, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    pthread_rwlock_wrlock(&self->lock);
    int code = replace_locked(self, path, bytes, sync, err);
    pthread_rwlock_unlock(&self->lock);
    return code;
}

/* --- names ---------------------------------------------------------------------------------------------------- */

static int memory_make_directories(weir_fs *fs, const char *path, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    node *parent;
    weir_slice name;
    char *inside = weir_format("%s/.", path); /* then `path` is a folder on the way */
    pthread_rwlock_wrlock(&self->lock);
    int code = find_parent(self, inside, true, &parent, &name, NULL);
    pthread_rwlock_unlock(&self->lock);
    free(inside);
    return code == WEIR_OK
               ? WEIR_OK
               : weir_fail(err, WEIR_EXISTS, "%s: a folder is needed here, but there is a file on the way", path);
}

static int remove_locked(memory_fs *self, const char *path, weir_error *err)
{
    node *found = find_node(self, path);
    if (!found) {
        return WEIR_OK;
    }
    if (found->is_directory && found->entries.size > 0) {
        return weir_fail_errno(err, ENOTEMPTY, "removing", path);
    }
    node *parent;
    weir_slice name;
    WEIR_TRY(find_parent(self, path, false, &parent, &name, err));
    remove_entry(&parent->entries, name);
    return WEIR_OK;
}

static int memory_remove(weir_fs *fs, const char *path, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    pthread_rwlock_wrlock(&self->lock);
    int code = remove_locked(self, path, err);
    pthread_rwlock_unlock(&self->lock);
    return code;
}

/* Whether `path` lies in the folder `folder`, or is it. */
static bool lies_in(const char *path, const char *folder)
{
    weir_slice name = next_component(&folder);
    for (; name.size > 0; name = next_component(&folder)) {
        if (!weir_slice_equal(name, next_component(&path))) {
            return false;
        }
    }
    return true;
}

static int rename_locked(memory_fs *self, const char *from, const char *to, weir_error *err)
{
    node *moved = find_node(self, from);
    if (!moved) {
        return weir_fail_errno(err, ENOENT, "renaming", from);
    }
    if (find_node(self, to)) {
        return weir_fail(err, WEIR_EXISTS, "%s: cannot be the new name of %s: it is taken", to, from);
    }
    if (lies_in(to, from)) {
        return weir_fail_errno(err, EINVAL, "renaming", from);
    }
    node *old_parent;
    node *new_parent;
    weir_slice old_name;
    weir_slice new_name;
    WEIR_TRY(find_parent(self, from, false, &old_parent, &old_name, err));
    WEIR_TRY(find_parent(self, to, true, &new_parent, &new_name, err));
    put_entry(&new_parent->entries, new_name, moved);
    remove_entry(&old_parent->entries, old_name);
    return WEIR_OK;
}

static int memory_rename(weir_fs *fs, const char *from, const char *to, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    pthread_rwlock_wrlock(&self->lock);
    int code = rename_locked(self, from, to, err);
    pthread_rwlock_unlock(&self->lock);
    return code;
}

static int memory_sync_directory(weir_fs *fs, const char *path, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    int code = WEIR_OK;
    pthread_rwlock_wrlock(&self->lock);
    node *folder = find_node(self, path);
    if (!folder || !folder->is_directory) {
        code = weir_fail_errno(err, folder ? ENOTDIR : ENOENT, "opening the folder", path);
    } else {
        copy_entries(&folder->entries, &folder->durable);
    }
    pthread_rwlock_unlock(&self->lock);
    return code;
}

/* --- looking -------------------------------------------------------------------------------------------------- */

static weir_file_info info_of(const node *seen)
{
    return (weir_file_info){
        .is_directory = seen->is_directory,
        .size_bytes = seen->bytes.size,
        .modified_ms = seen->modified_ms,
    };
}

static int memory_stat(weir_fs *fs, const char *path, weir_file_info *out, weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    pthread_rwlock_rdlock(&self->lock);
    const node *found = find_node(self, path);
    if (found) {
        *out = info_of(found);
    }
    pthread_rwlock_unlock(&self->lock);
    return found ? WEIR_OK : weir_fail_errno(err, ENOENT, "looking at", path);
}

static void list_entries(const weir_map *entries, weir_arena *arena, weir_file_info **out, size_t *out_count)
{
    *out = WEIR_NEW_ARRAY(arena, weir_file_info, entries->size);
    for (size_t i = 0; i < entries->entry_count; i++) {
        const weir_map_entry *entry = &entries->entries[i];
        if (entry->value) {
            weir_file_info info = info_of(entry->value);
            info.name = weir_arena_strndup(arena, (const char *)entry->key.data, entry->key.size);
            (*out)[(*out_count)++] = info;
        }
    }
}

static int memory_list(weir_fs *fs, const char *path, weir_arena *arena, weir_file_info **out, size_t *out_count,
                       weir_error *err)
{
    memory_fs *self = (memory_fs *)fs;
    *out = NULL;
    *out_count = 0;
    int code = WEIR_OK;
    pthread_rwlock_rdlock(&self->lock);
    const node *found = find_node(self, path);
    if (found && !found->is_directory) {
        code = weir_fail_errno(err, ENOTDIR, "listing", path);
    } else if (found) {
        list_entries(&found->entries, arena, out, out_count);
    }
    pthread_rwlock_unlock(&self->lock);
    return code;
}

/* --- the file system ------------------------------------------------------------------------------------------ */

static void memory_close(weir_fs *fs)
{
    memory_fs *self = (memory_fs *)fs;
    release(self->root);
    pthread_rwlock_destroy(&self->lock);
    free(self);
}

weir_fs *weir_fs_memory(void)
{
    static const weir_fs_ops ops = {
        .open = memory_open,
        .create = memory_create,
        .publish = memory_publish,
        .replace = memory_replace,
        .stat = memory_stat,
        .list = memory_list,
        .make_directories = memory_make_directories,
        .remove = memory_remove,
        .rename = memory_rename,
        .sync_directory = memory_sync_directory,
        .close = memory_close,
    };
    memory_fs *self = weir_alloc_zeroed(1, sizeof *self);
    self->fs = (weir_fs){.ops = &ops, .scheme = "memory"};
    pthread_rwlock_init(&self->lock, NULL);
    self->root = new_node(true);
    return &self->fs;
}

static void lose_unsynced_below(node *at)
{
    if (!at->is_directory) {
        at->bytes.size = at->synced_size;
        return;
    }
    copy_entries(&at->durable, &at->entries);
    for (size_t i = 0; i < at->entries.entry_count; i++) {
        lose_unsynced_below(at->entries.entries[i].value); /* a fresh copy has no removed entries */
    }
}

void weir_fs_memory_lose_unsynced(weir_fs *memory)
{
    memory_fs *self = (memory_fs *)memory;
    pthread_rwlock_wrlock(&self->lock);
    lose_unsynced_below(self->root);
    pthread_rwlock_unlock(&self->lock);
}
