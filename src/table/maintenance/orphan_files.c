/* Finding orphans: first the old files are listed, then what is in use is read, so that what a commit makes visible
 * between the two is seen as used. */
#include "table/maintenance/orphan_files.h"

#include "base/clock.h"
#include "table/maintenance/used_files.h"

typedef struct search {
    const weir_table *table;
    int64_t older_than_ms;
    weir_arena *arena;
    weir_file_info *files; /* `name` is the whole path */
    size_t count;
    size_t capacity;
} search;

static int add_old_files(search *self, const char *folder, bool (*is_meant)(const char *name), weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(self->table->context.fs, folder, self->arena, &files, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (!files[i].is_directory && files[i].modified_ms < self->older_than_ms &&
            (is_meant == NULL || is_meant(files[i].name))) {
            WEIR_GROW(self->files, self->capacity, self->count + 1);
            self->files[self->count] = files[i];
            self->files[self->count++].name = weir_arena_format(self->arena, "%s/%s", folder, files[i].name);
        }
    }
    return WEIR_OK;
}

/* A snapshot that was being written: .snapshot-7.<uuid>.tmp and the like. */
static bool is_temporary(const char *name)
{
    size_t size = strlen(name);
    return name[0] == '.' && size > 5 && strcmp(name + size - 4, ".tmp") == 0;
}

static int add_bucket_folders(search *self, const char *folder, int32_t partition_levels, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(self->table->context.fs, folder, self->arena, &files, &count, err));
    for (size_t i = 0; i < count; i++) {
        const char *name = files[i].name;
        const char *path = weir_arena_format(self->arena, "%s/%s", folder, name);
        if (!files[i].is_directory) {
            continue;
        }
        if (partition_levels == 0 && strncmp(name, "bucket-", 7) == 0) {
            WEIR_TRY(add_old_files(self, path, NULL, err));
        } else if (partition_levels > 0 && strchr(name, '=') != NULL) {
            WEIR_TRY(add_bucket_folders(self, path, partition_levels - 1, err));
        }
    }
    return WEIR_OK;
}

static int list_old_files(search *self, weir_error *err)
{
    const weir_table *table = self->table;
    const char *path = table->path, *data = NULL;
    const char **branches = NULL;
    size_t count = 0;
    WEIR_TRY(add_old_files(self, weir_arena_format(self->arena, "%s/manifest", path), NULL, err));
    WEIR_TRY(add_old_files(self, weir_arena_format(self->arena, "%s/index", path), NULL, err));
    WEIR_TRY(add_old_files(self, weir_arena_format(self->arena, "%s/statistics", path), NULL, err));
    WEIR_TRY(add_old_files(self, weir_arena_format(self->arena, "%s/snapshot", path), is_temporary, err));
    WEIR_TRY(weir_branch_list(table->context.fs, path, self->arena, &branches, &count, err));
    for (size_t i = 0; i < count; i++) {
        const char *folder = weir_arena_format(self->arena, "%s/branch/branch-%s/snapshot", path, branches[i]);
        WEIR_TRY(add_old_files(self, folder, is_temporary, err));
    }
    WEIR_TRY(weir_options_text(&table->schema->options, "data-file.path-directory", &data, err));
    if (data != NULL && data[0] != '\0') {
        path = weir_arena_format(self->arena, "%s/%s", path, data);
    }
    return add_bucket_folders(self, path, table->schema->partition_key_count, err);
}

static bool is_orphan(const weir_used_files *used, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return !weir_used_files_have(used, name);
}

static int remove_files(search *self, bool dry_run, weir_orphans *out, weir_error *err)
{
    weir_used_files used;
    WEIR_TRY(weir_used_files_read(self->table, &used, err));
    out->paths = WEIR_NEW_ARRAY(self->arena, const char *, self->count + 1);
    for (size_t i = 0; i < self->count; i++) {
        const weir_file_info *file = &self->files[i];
        if (!is_orphan(&used, file->name)) {
            continue;
        }
        out->paths[out->count++] = file->name;
        out->bytes += (int64_t)file->size_bytes;
    }
    int code = dry_run ? WEIR_OK : weir_fs_remove_many(self->table->context.fs, out->paths, out->count, err);
    weir_used_files_free(&used);
    return code;
}

int weir_table_remove_orphans(const weir_table *table, int64_t older_than_ms, bool dry_run, weir_arena *arena,
                              weir_orphans *out, weir_error *err)
{
    search self = {.table = table, .older_than_ms = older_than_ms, .arena = arena};
    *out = (weir_orphans){0};
    if (older_than_ms > weir_now_ms()) {
        return weir_fail(err, WEIR_INVALID,
                         "files younger than now may belong to a commit that is being made; older_than must not lie in "
                         "the future");
    }
    int code = list_old_files(&self, err);
    if (code == WEIR_OK) {
        code = remove_files(&self, dry_run, out, err);
    }
    free(self.files);
    return code;
}
