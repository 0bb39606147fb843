/* Rolling back, in an order that leaves a whole table at every step:
 *
 *   1. what the snapshots that go have added is remembered
 *   2. the LATEST hint goes, so that until the end the youngest snapshot that is there is the latest one
 *   3. the snapshot of a tag is put back where it has expired
 *   4. snapshots go, the youngest first; then changelogs and tags; LATEST points to what stays
 *   5. of what was remembered goes what nothing names any more */
#include "table/maintenance/rollback.h"

#include <stdlib.h>

#include "base/text.h"
#include "fs/removal.h"
#include "meta/numbered.h"
#include "table/maintenance/used_files.h"

typedef struct rollback {
    const weir_table *table;
    int64_t target;
    weir_arena arena;
    const char **paths; /* data files and manifests that may go */
    size_t path_count;
    size_t path_capacity;
    int64_t *doomed; /* ids, ascending */
    size_t doomed_count;
} rollback;

static void may_go(rollback *self, const char *path)
{
    WEIR_GROW(self->paths, self->path_capacity, self->path_count + 1);
    self->paths[self->path_count++] = path;
}

/* ---- 1: what has been added ---- */

static int remember_entry(rollback *self, const weir_manifest_entry *entry, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const char *bucket_path = NULL;
    if (entry->kind != WEIR_FILE_ADD) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_bucket_path(&self->arena, &context->paths, context->schema, entry->partition, entry->bucket,
                              &bucket_path, err));
    may_go(self, weir_data_file_path(&self->arena, bucket_path, entry->file));
    for (int32_t i = 0; i < entry->file->extra_file_count; i++) {
        may_go(self, weir_arena_format(&self->arena, "%s/%s", bucket_path, entry->file->extra_files[i]));
    }
    return WEIR_OK;
}

/* What is gone already, or too damaged to say what it has added, does not keep a table in its state: rolling back is the
 * way out of damage. Files that nobody can name any more are orphans. */
static int pass_over(int code, weir_error *err)
{
    if (code != WEIR_NOT_FOUND && code != WEIR_CORRUPT) {
        return code;
    }
    weir_error_clear(err);
    return WEIR_OK;
}

/* The list and its manifests; with_files: also the files that these add. */
static int remember_list(rollback *self, const char *list, bool with_files, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_manifest_files files = {0};
    weir_manifest_entries entries = {0};
    if (list == NULL) {
        return WEIR_OK;
    }
    int code = weir_manifest_list_read(context->fs, &context->paths, list, &self->arena, &files, err);
    for (size_t i = 0; i < files.count && code == WEIR_OK; i++) {
        may_go(self, weir_manifest_path(&self->arena, &context->paths, files.items[i].name));
        if (with_files) {
            code = weir_manifest_read(context->fs, &context->paths, files.items[i].name, &filter, &self->arena,
                                      &entries, err);
        }
    }
    for (size_t i = 0; i < entries.count && code == WEIR_OK; i++) {
        code = remember_entry(self, &entries.items[i], err);
    }
    may_go(self, weir_manifest_path(&self->arena, &context->paths, list));
    weir_manifest_files_free(&files);
    weir_manifest_entries_free(&entries);
    return pass_over(code, err);
}

static int remember_indexes(rollback *self, const char *name, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_index_entries entries = {0};
    if (name == NULL) {
        return WEIR_OK;
    }
    int code = weir_index_manifest_read(context->fs, &context->paths, name, &self->arena, &entries, err);
    for (size_t i = 0; i < entries.count && code == WEIR_OK; i++) {
        const char *path = NULL;
        code = weir_index_file_path(&self->arena, &context->paths, context->schema, &entries.items[i], &path, err);
        if (code == WEIR_OK) {
            may_go(self, path);
        }
    }
    weir_index_entries_free(&entries);
    may_go(self, weir_manifest_path(&self->arena, &context->paths, name));
    return pass_over(code, err);
}

static int remember_snapshot(rollback *self, int64_t id, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    weir_snapshot *snapshot = NULL;
    int code = weir_snapshot_read(context->fs, context->paths.root, id, &self->arena, &snapshot, err);
    if (code != WEIR_OK) {
        return pass_over(code, err);
    }
    WEIR_TRY(remember_list(self, snapshot->base_manifest_list, false, err));
    WEIR_TRY(remember_list(self, snapshot->delta_manifest_list, true, err));
    WEIR_TRY(remember_list(self, snapshot->changelog_manifest_list, true, err));
    WEIR_TRY(remember_indexes(self, snapshot->index_manifest, err));
    if (snapshot->statistics != NULL) {
        may_go(self, weir_arena_format(&self->arena, "%s/statistics/%s", self->table->path, snapshot->statistics));
    }
    return WEIR_OK;
}

/* The ids from `first` on of files <prefix><id> in a folder, ascending. */
static int list_from(rollback *self, const char *folder, const char *prefix, int64_t first, int64_t **out,
                     size_t *out_count, weir_error *err)
{
    int64_t *ids = NULL;
    size_t count = 0, below = 0;
    WEIR_TRY(weir_numbered_list(self->table->context.fs, folder, prefix, &self->arena, &ids, &count, err));
    while (below < count && ids[below] < first) {
        below++;
    }
    *out = ids + below;
    *out_count = count - below;
    return WEIR_OK;
}

/* ---- 2 to 4: what is visible ---- */

static int target_exists(rollback *self, bool *out, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const char *path =
        weir_arena_format(&self->arena, "%s/snapshot/snapshot-%" PRId64, context->paths.root, self->target);
    return weir_fs_file_exists(context->fs, path, out, err);
}

/* A tag's snapshot that has expired is a snapshot again, the earliest one. Without a hint: the younger ones, which are
 * still there, do not follow it without a gap. */
static int restore_snapshot(rollback *self, const char *tag, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const char *root = context->paths.root;
    weir_snapshot *snapshot = NULL;
    weir_buffer text = {0};
    WEIR_TRY(weir_tag_read(context->fs, root, tag, &self->arena, &snapshot, err));
    weir_snapshot_format(snapshot, &text);
    const char *path = weir_arena_format(&self->arena, "%s/snapshot/snapshot-%" PRId64, root, self->target);
    int code = weir_fs_publish(context->fs, path, weir_buffer_slice(&text), err);
    weir_buffer_free(&text);
    WEIR_TRY(code);
    return weir_snapshot_write_hint(context->fs, root, "EARLIEST", self->target, err);
}

static int remove_from(rollback *self, const char *folder, const char *prefix, int64_t first, weir_error *err)
{
    weir_fs *fs = self->table->context.fs;
    const char *path = weir_arena_format(&self->arena, "%s/%s", self->table->context.paths.root, folder);
    int64_t *ids = NULL;
    size_t count = 0;
    WEIR_TRY(list_from(self, path, prefix, first, &ids, &count, err));
    for (size_t i = count; i > 0; i--) {
        WEIR_TRY(weir_fs_remove(fs, weir_arena_format(&self->arena, "%s/%s%" PRId64, path, prefix, ids[i - 1]), err));
    }
    return count > 0 ? weir_fs_sync_directory(fs, path, err) : WEIR_OK;
}

static int remove_younger_tags(rollback *self, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const char *root = context->paths.root;
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_tag_list(context->fs, root, &self->arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        weir_snapshot *tagged = NULL;
        WEIR_TRY(weir_tag_read(context->fs, root, names[i], &self->arena, &tagged, err));
        if (tagged->id > self->target) {
            WEIR_TRY(weir_fs_remove(context->fs, weir_tag_path(&self->arena, root, names[i]), err));
        }
    }
    return WEIR_OK;
}

/* ---- 5: files ---- */

static int remove_unused(rollback *self, weir_error *err)
{
    weir_used_files used;
    weir_removal removal;
    WEIR_TRY(weir_used_files_read(self->table, &used, err));
    weir_removal_init(&removal, self->table->context.fs);
    for (size_t i = 0; i < self->path_count; i++) {
        if (!weir_used_files_have(&used, strrchr(self->paths[i], '/') + 1)) {
            weir_removal_add(&removal, self->paths[i]);
        }
    }
    weir_removal_run(&removal);
    weir_removal_free(&removal);
    weir_used_files_free(&used);
    return WEIR_OK;
}

/* What becomes visible, in steps 2 to 4. */
static int show_target(rollback *self, const char *tag, weir_error *err)
{
    const weir_table_context *context = &self->table->context;
    const char *root = context->paths.root;
    const char *folder = weir_arena_format(&self->arena, "%s/snapshot", root);
    bool exists = false;
    WEIR_TRY(target_exists(self, &exists, err));
    if (!exists && tag == NULL) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot %" PRId64 " to roll back to", self->table->path,
                         self->target);
    }
    WEIR_TRY(weir_fs_remove(context->fs, weir_arena_format(&self->arena, "%s/LATEST", folder), err));
    WEIR_TRY(weir_fs_sync_directory(context->fs, folder, err));
    /* An expiry that was stopped would take these ids up again, which stand for other snapshots from now on. */
    WEIR_TRY(remove_from(self, "snapshot", "expired-", self->target, err));
    if (!exists) {
        WEIR_TRY(restore_snapshot(self, tag, err));
    }
    WEIR_TRY(remove_from(self, "snapshot", "snapshot-", self->target + 1, err));
    WEIR_TRY(remove_from(self, "changelog", "changelog-", self->target + 1, err));
    WEIR_TRY(remove_younger_tags(self, err));
    return weir_snapshot_write_hint(context->fs, root, "LATEST", self->target, err);
}

static int run(rollback *self, const char *tag, weir_error *err)
{
    const char *folder = weir_arena_format(&self->arena, "%s/snapshot", self->table->context.paths.root);
    WEIR_TRY(list_from(self, folder, "snapshot-", self->target + 1, &self->doomed, &self->doomed_count, err));
    for (size_t i = 0; i < self->doomed_count; i++) {
        WEIR_TRY(remember_snapshot(self, self->doomed[i], err));
    }
    WEIR_TRY(show_target(self, tag, err));
    return remove_unused(self, err);
}

static int roll_back(const weir_table *table, int64_t target, const char *tag, weir_error *err)
{
    rollback self = {.table = table, .target = target};
    weir_arena_init(&self.arena);
    int code = run(&self, tag, err);
    free(self.paths);
    weir_arena_free(&self.arena);
    return code == WEIR_OK ? code
                           : weir_error_context(err, code, "rolling back %s to snapshot %" PRId64, table->path, target);
}

int weir_table_rollback_to_snapshot(const weir_table *table, int64_t snapshot_id, weir_error *err)
{
    weir_fs *fs = table->context.fs;
    const char *root = table->context.paths.root;
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(weir_snapshot_earliest_id(fs, root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(fs, root, &latest, err));
    if (latest == 0) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot yet to roll back to", table->path);
    }
    if (snapshot_id < earliest || snapshot_id > latest) {
        return weir_fail(err, WEIR_NOT_FOUND,
                         "%s has no snapshot %" PRId64 " to roll back to: there are %" PRId64 " to %" PRId64,
                         table->path, snapshot_id, earliest, latest);
    }
    return roll_back(table, snapshot_id, NULL, err);
}

int weir_table_rollback_to_tag(const weir_table *table, const char *tag, int64_t *out_snapshot_id, weir_error *err)
{
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    const char **names = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    int code = weir_tag_read(table->context.fs, table->context.paths.root, tag, &arena, &snapshot, err);
    if (code == WEIR_NOT_FOUND &&
        weir_tag_list(table->context.fs, table->context.paths.root, &arena, &names, &count, NULL) == WEIR_OK) {
        const char *near = weir_suggest(tag, names, count);
        code = weir_fail(err, WEIR_NOT_FOUND, "%s has no tag '%s' to roll back to%s%s%s", table->path, tag,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (code == WEIR_OK) {
        code = roll_back(table, snapshot->id, tag, err);
        *out_snapshot_id = snapshot->id;
    }
    weir_arena_free(&arena);
    return code;
}

int weir_table_rollback_to_time(const weir_table *table, int64_t time_ms, int64_t *out_snapshot_id, weir_error *err)
{
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    int code =
        weir_snapshot_at_time(table->context.fs, table->context.paths.root, time_ms, false, &arena, &snapshot, err);
    if (code == WEIR_OK && snapshot == NULL) {
        code = weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot from before that time to roll back to", table->path);
    }
    if (code == WEIR_OK) {
        *out_snapshot_id = snapshot->id;
        code = roll_back(table, snapshot->id, NULL, err);
    }
    weir_arena_free(&arena);
    return code;
}
