/* Collecting the names of all files in use. Each manifest is read once, however many snapshots name it.
 *
 * While it is read, a tag may get another name, or a branch become the table and go; so the folders are listed again
 * until they show nothing new. */
#include "table/maintenance/used_files.h"

#include "base/text.h"

#define MOST_ROUNDS 10 /* others may commit all the time; that names nothing old anew */

typedef struct collector {
    const weir_table *table;
    weir_used_files *used;
    weir_map seen; /* paths of snapshots, tags and changelogs */
} collector;

void weir_used_files_free(weir_used_files *used) { weir_map_free(&used->names); }

static void use(collector *self, const char *name)
{
    if (name != NULL) {
        weir_map_put(&self->used->names, weir_slice_text(name), self);
    }
}

static int use_manifest(collector *self, const char *name, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_manifest_entries entries = {0};
    weir_arena arena;
    if (weir_used_files_have(self->used, name)) {
        return WEIR_OK;
    }
    weir_arena_init(&arena);
    int code = weir_manifest_read(context->fs, &context->paths, name, &filter, &arena, &entries, err);
    for (size_t i = 0; i < entries.count && code == WEIR_OK; i++) {
        use(self, entries.items[i].file->name);
        for (int32_t e = 0; e < entries.items[i].file->extra_file_count; e++) {
            use(self, entries.items[i].file->extra_files[e]);
        }
    }
    if (code == WEIR_OK) {
        use(self, name);
    }
    weir_manifest_entries_free(&entries);
    weir_arena_free(&arena);
    return code;
}

/* A list with its manifests and what they name. With `may_be_gone`: as much of it as is left. */
static int use_list(collector *self, const char *list, bool may_be_gone, weir_arena *arena, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_manifest_files files = {0};
    bool whole = true;
    if (list == NULL || weir_used_files_have(self->used, list)) {
        return WEIR_OK;
    }
    int code = weir_manifest_list_read(context->fs, &context->paths, list, arena, &files, err);
    for (size_t i = 0; i < files.count && code == WEIR_OK; i++) {
        code = use_manifest(self, files.items[i].name, err);
        if (code == WEIR_NOT_FOUND && may_be_gone) {
            weir_error_clear(err);
            code = WEIR_OK;
            whole = false;
        }
    }
    weir_manifest_files_free(&files);
    if (code == WEIR_OK && whole) {
        use(self, list);
    } else if (code == WEIR_NOT_FOUND && may_be_gone) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
    return code;
}

/* An index manifest with the index files that it names. */
static int use_indexes(collector *self, const char *name, weir_arena *arena, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_index_entries entries = {0};
    if (name == NULL || weir_used_files_have(self->used, name)) {
        return WEIR_OK;
    }
    int code = weir_index_manifest_read(context->fs, &context->paths, name, arena, &entries, err);
    for (size_t i = 0; i < entries.count; i++) {
        use(self, entries.items[i].file->name);
    }
    weir_index_entries_free(&entries);
    if (code == WEIR_OK) {
        use(self, name);
    }
    return code;
}

static int use_snapshot(collector *self, const weir_snapshot *snapshot, weir_arena *arena, weir_error *err)
{
    WEIR_TRY(use_list(self, snapshot->base_manifest_list, false, arena, err));
    WEIR_TRY(use_list(self, snapshot->delta_manifest_list, false, arena, err));
    /* A tag, and the first snapshot of a branch that was made from one, may have outlived its changelog. */
    WEIR_TRY(use_list(self, snapshot->changelog_manifest_list, true, arena, err));
    WEIR_TRY(use_indexes(self, snapshot->index_manifest, arena, err));
    use(self, snapshot->statistics);
    return WEIR_OK;
}

/* What a stream reads of a changelog that has outlived its snapshot: of a table without a changelog producer, what the
 * snapshot added. */
static int use_changes(collector *self, const weir_snapshot *changelog, weir_arena *arena, weir_error *err)
{
    WEIR_TRY(use_list(self, changelog->delta_manifest_list, true, arena, err));
    return use_list(self, changelog->changelog_manifest_list, true, arena, err);
}

/* All that is left of it; Paimon, too, looks into the base list when such a changelog expires. */
static int use_changelog(collector *self, const weir_snapshot *changelog, weir_arena *arena, weir_error *err)
{
    WEIR_TRY(use_list(self, changelog->base_manifest_list, true, arena, err));
    return use_changes(self, changelog, arena, err);
}

typedef int (*use_function)(collector *self, const weir_snapshot *snapshot, weir_arena *arena, weir_error *err);

/* A file of a snapshot. Gone since it was listed: nothing. */
static int use_snapshot_file(collector *self, const char *path, use_function use_it, weir_error *err)
{
    weir_arena arena;
    weir_buffer text = {0};
    weir_snapshot *snapshot = NULL;
    int code;
    weir_arena_init(&arena);
    code = weir_fs_read_all(self->table->context.fs, path, &text, err);
    if (code == WEIR_OK) {
        code = weir_snapshot_parse(weir_buffer_slice(&text), path, &arena, &snapshot, err);
        if (code == WEIR_OK) {
            code = use_it(self, snapshot, &arena, err);
        }
        bool stands = true;
        if (code == WEIR_NOT_FOUND && weir_fs_file_exists(self->table->context.fs, path, &stands, NULL) == WEIR_OK &&
            !stands) {
            weir_error_clear(err);
            code = WEIR_OK;
        }
    } else if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code == WEIR_OK ? code : weir_error_context(err, code, "%s", path);
}

static int use_folder(collector *self, const char *folder, const char *prefix, use_function use_it, weir_arena *arena,
                      weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(self->table->context.fs, folder, arena, &files, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (!files[i].is_directory && strncmp(files[i].name, prefix, strlen(prefix)) == 0) {
            const char *path = weir_arena_format(arena, "%s/%s", folder, files[i].name);
            if (weir_map_get(&self->seen, weir_slice_text(path)) == NULL) {
                WEIR_TRY(use_snapshot_file(self, path, use_it, err));
                weir_map_put(&self->seen, weir_slice_text(path), self);
            }
        }
    }
    return WEIR_OK;
}

/* Everything of the main line, or of a branch. */
static int use_line(collector *self, const char *root, weir_arena *arena, weir_error *err)
{
    WEIR_TRY(use_folder(self, weir_arena_format(arena, "%s/snapshot", root), "snapshot-", use_snapshot, arena, err));
    WEIR_TRY(use_folder(self, weir_arena_format(arena, "%s/tag", root), "tag-", use_snapshot, arena, err));
    return use_folder(self, weir_arena_format(arena, "%s/changelog", root), "changelog-", use_changelog, arena, err);
}

static int use_all(collector *self, weir_arena *arena, weir_error *err)
{
    const char *table_path = self->table->path;
    const char **branches = NULL;
    size_t count = 0;
    WEIR_TRY(use_line(self, table_path, arena, err));
    WEIR_TRY(weir_branch_list(self->table->context.fs, table_path, arena, &branches, &count, err));
    for (size_t i = 0; i < count; i++) {
        const char *root = weir_arena_format(arena, "%s/branch/branch-%s", table_path, branches[i]);
        WEIR_TRY(use_line(self, root, arena, err));
    }
    return WEIR_OK;
}

static int finish(collector *self, weir_arena *arena, int code, weir_error *err)
{
    weir_map_free(&self->seen);
    weir_arena_free(arena);
    if (code != WEIR_OK) {
        weir_used_files_free(self->used);
        return weir_error_context(err, code, "looking which files are in use");
    }
    return WEIR_OK;
}

int weir_used_files_read(const weir_table *table, weir_used_files *out, weir_error *err)
{
    *out = (weir_used_files){0};
    collector self = {.table = table, .used = out};
    weir_arena arena;
    weir_arena_init(&arena);
    int code = WEIR_OK;
    size_t before = SIZE_MAX;
    for (int round = 0; round < MOST_ROUNDS && code == WEIR_OK && self.seen.entry_count != before; round++) {
        before = self.seen.entry_count;
        code = use_all(&self, &arena, err);
    }
    return finish(&self, &arena, code, err);
}

int weir_used_files_of_changelogs(const weir_table *table, weir_used_files *out, weir_error *err)
{
    *out = (weir_used_files){0};
    collector self = {.table = table, .used = out};
    weir_arena arena;
    weir_arena_init(&arena);
    const char *folder = weir_arena_format(&arena, "%s/changelog", table->context.paths.root);
    return finish(&self, &arena, use_folder(&self, folder, "changelog-", use_changes, &arena, err), err);
}
