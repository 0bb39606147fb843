/* Collecting the names that must not be removed, and removing the others. */
#include "table/maintenance/expire_keep.h"

static void keep_name(weir_expire_keep *keep, const char *name)
{
    if (name != NULL) {
        weir_map_put(&keep->names, weir_slice_text(name), keep);
    }
}

void weir_expire_keep_free(weir_expire_keep *keep) { weir_map_free(&keep->names); }

static bool keeps(const weir_expire_keep *keep, const char *name)
{
    return weir_map_get(&keep->names, weir_slice_text(name)) != NULL;
}

static int keep_list(const weir_table *table, const char *list, weir_arena *arena, weir_expire_keep *keep,
                     weir_error *err)
{
    if (list == NULL) {
        return WEIR_OK;
    }
    keep_name(keep, list);
    weir_manifest_files files = {0};
    int code = weir_manifest_list_read(table->context.fs, &table->context.paths, list, arena, &files, err);
    for (size_t i = 0; i < files.count; i++) {
        keep_name(keep, files.items[i].name);
    }
    weir_manifest_files_free(&files);
    return code;
}

/* Index files are few: those of a snapshot that stays are all kept. */
static int keep_indexes(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                        weir_expire_keep *keep, weir_error *err)
{
    weir_index_entries entries = {0};
    if (snapshot->index_manifest == NULL) {
        return WEIR_OK;
    }
    keep_name(keep, snapshot->index_manifest);
    int code = weir_index_manifest_read(table->context.fs, &table->context.paths, snapshot->index_manifest, arena,
                                        &entries, err);
    for (size_t i = 0; i < entries.count; i++) {
        keep_name(keep, entries.items[i].file->name);
    }
    weir_index_entries_free(&entries);
    return code;
}

/* What makes the state of a snapshot. Its changelog is not among it: a tag does not keep that, and Java removes it. */
static int keep_state(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena, weir_expire_keep *keep,
                      weir_error *err)
{
    WEIR_TRY(keep_list(table, snapshot->base_manifest_list, arena, keep, err));
    WEIR_TRY(keep_list(table, snapshot->delta_manifest_list, arena, keep, err));
    WEIR_TRY(keep_indexes(table, snapshot, arena, keep, err));
    keep_name(keep, snapshot->statistics);
    return WEIR_OK;
}

/* A branch made from a tag begins with a snapshot whose changelog may be gone. */
static int keep_manifests(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                          weir_expire_keep *keep, weir_error *err)
{
    WEIR_TRY(keep_state(table, snapshot, arena, keep, err));
    int code = keep_list(table, snapshot->changelog_manifest_list, arena, keep, err);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

static int keep_data_files(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                           weir_expire_keep *keep, weir_error *err)
{
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    int code = weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, snapshot, &filter,
                                   table->context.pool, arena, &entries, err);
    for (size_t i = 0; i < entries.count; i++) {
        keep_name(keep, entries.items[i].file->name);
        for (int32_t j = 0; j < entries.items[i].file->extra_file_count; j++) {
            keep_name(keep, entries.items[i].file->extra_files[j]);
        }
    }
    weir_manifest_entries_free(&entries);
    return code;
}

static int keep_tag(const weir_table *table, const weir_snapshot *tag, weir_arena *arena, weir_expire_keep *keep,
                    weir_error *err)
{
    WEIR_TRY(keep_state(table, tag, arena, keep, err));
    return keep_data_files(table, tag, arena, keep, err);
}

/* Those tags of the table itself that matter to an expiry. */
static int keep_own_tags(const weir_table *table, int64_t first, int64_t end, weir_tag_ids *known,
                         weir_expire_keep *keep, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_snapshot **tags = NULL;
    size_t count = 0;
    int code = weir_tags_of_expiry(known, table, table->context.paths.root, first, end, &arena, &tags, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        code = keep_tag(table, tags[i], &arena, keep, err);
    }
    weir_arena_free(&arena);
    return code;
}

/* All tags of a branch. */
static int keep_tags(const weir_table *table, const char *root, weir_expire_keep *keep, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    const char **names = NULL;
    size_t count = 0;
    int code = weir_tag_list(table->context.fs, root, &arena, &names, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        weir_snapshot *tag = NULL;
        code = weir_tag_read(table->context.fs, root, names[i], &arena, &tag, err);
        if (code == WEIR_OK) {
            code = keep_tag(table, tag, &arena, keep, err);
        }
    }
    weir_arena_free(&arena);
    return code;
}

/* All snapshots of a branch: they may still name files that came from the main one. */
static int keep_branch_snapshots(const weir_table *table, const char *root, weir_expire_keep *keep, weir_error *err)
{
    int64_t latest = 0, earliest = 0;
    WEIR_TRY(weir_snapshot_latest_id(table->context.fs, root, &latest, err));
    WEIR_TRY(weir_snapshot_earliest_id(table->context.fs, root, &earliest, err));
    int code = WEIR_OK;
    for (int64_t id = earliest; id > 0 && id <= latest && code == WEIR_OK; id++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_snapshot *snapshot = NULL;
        code = weir_snapshot_read(table->context.fs, root, id, &arena, &snapshot, err);
        if (code == WEIR_OK) {
            code = keep_manifests(table, snapshot, &arena, keep, err);
        }
        if (code == WEIR_OK) {
            code = keep_data_files(table, snapshot, &arena, keep, err);
        }
        weir_arena_free(&arena);
        if (code == WEIR_NOT_FOUND) {
            code = WEIR_OK;
        }
    }
    return code;
}

/* Everything that does not belong to the table's own line: other branches, and for a branch the main line. */
static int keep_branches(const weir_table *table, weir_expire_keep *keep, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries = NULL;
    size_t count = 0;
    const char *folder = weir_arena_format(&arena, "%s/branch", table->context.paths.table);
    int code = weir_fs_list(table->context.fs, folder, &arena, &entries, &count, err);
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        const char *root = weir_arena_format(&arena, "%s/%s", folder, entries[i].name);
        if (!entries[i].is_directory || strcmp(root, table->context.paths.root) == 0) {
            continue;
        }
        code = keep_tags(table, root, keep, err);
        if (code == WEIR_OK) {
            code = keep_branch_snapshots(table, root, keep, err);
        }
    }
    if (code == WEIR_OK && table->branch != NULL) {
        code = keep_tags(table, table->context.paths.table, keep, err);
        if (code == WEIR_OK) {
            code = keep_branch_snapshots(table, table->context.paths.table, keep, err);
        }
    }
    weir_arena_free(&arena);
    return code;
}

static int keep_manifests_of(const weir_table *table, int64_t snapshot_id, weir_expire_keep *keep, weir_error *err)
{
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    int code = weir_snapshot_read(table->context.fs, table->context.paths.root, snapshot_id, &arena, &snapshot, err);
    if (code == WEIR_OK) {
        code = keep_manifests(table, snapshot, &arena, keep, err);
    }
    weir_arena_free(&arena);
    return code;
}

int weir_expire_keep_read(const weir_table *table, int64_t end, weir_expire_keep *out, weir_error *err)
{
    *out = (weir_expire_keep){0};
    WEIR_TRY(keep_manifests_of(table, end, out, err));
    WEIR_TRY(keep_tags(table, table->context.paths.root, out, err));
    return keep_branches(table, out, err);
}

int weir_expire_keep_read_for(const weir_table *table, int64_t first, int64_t end, weir_tag_ids *known,
                              weir_expire_keep *out, weir_error *err)
{
    *out = (weir_expire_keep){0};
    WEIR_TRY(keep_manifests_of(table, end, out, err));
    WEIR_TRY(keep_own_tags(table, first, end, known, out, err));
    return keep_branches(table, out, err);
}

int weir_expire_keep_data(const weir_table *table, int64_t snapshot_id, weir_expire_keep *keep, weir_error *err)
{
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_arena_init(&arena);
    int code = weir_snapshot_read(table->context.fs, table->context.paths.root, snapshot_id, &arena, &snapshot, err);
    if (code == WEIR_OK) {
        code = keep_data_files(table, snapshot, &arena, keep, err);
    }
    weir_arena_free(&arena);
    return code;
}

/* ---- removing ---- */

void weir_expire_remove_file(const weir_table *table, const weir_expire_keep *keep, const weir_manifest_entry *entry,
                             weir_removal *removal)
{
    const weir_table_context *context = &table->context;
    const char *bucket_path = NULL;
    weir_arena arena;
    if (keeps(keep, entry->file->name)) {
        return;
    }
    weir_arena_init(&arena);
    if (weir_bucket_path(&arena, &context->paths, context->schema, entry->partition, entry->bucket, &bucket_path,
                         NULL) == WEIR_OK) {
        weir_removal_add(removal, weir_data_file_path(&arena, bucket_path, entry->file));
        for (int32_t i = 0; i < entry->file->extra_file_count; i++) {
            weir_removal_add(removal, weir_arena_format(&arena, "%s/%s", bucket_path, entry->file->extra_files[i]));
        }
    }
    weir_arena_free(&arena);
}

/* A manifest, list or index manifest. */
static void remove_manifest(const weir_table *table, const weir_expire_keep *keep, const char *name, weir_arena *arena,
                            weir_removal *removal)
{
    if (name != NULL && !keeps(keep, name)) {
        weir_removal_add(removal, weir_manifest_path(arena, &table->context.paths, name));
    }
}

/* The manifests of a list that nothing else needs. */
static int remove_manifests(const weir_table *table, const weir_expire_keep *keep, const char *list, weir_arena *arena,
                            weir_removal *removal, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_manifest_files files = {0};
    if (list == NULL || keeps(keep, list)) {
        return WEIR_OK;
    }
    int code = weir_manifest_list_read(context->fs, &context->paths, list, arena, &files, err);
    for (size_t i = 0; i < files.count && code == WEIR_OK; i++) {
        remove_manifest(table, keep, files.items[i].name, arena, removal);
    }
    weir_manifest_files_free(&files);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

/* The index files of an index manifest that nothing else needs. */
static int remove_indexes(const weir_table *table, const weir_expire_keep *keep, const char *name, weir_arena *arena,
                          weir_removal *removal, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_index_entries entries = {0};
    if (name == NULL || keeps(keep, name)) {
        return WEIR_OK;
    }
    int code = weir_index_manifest_read(context->fs, &context->paths, name, arena, &entries, err);
    for (size_t i = 0; i < entries.count && code == WEIR_OK; i++) {
        const char *path = NULL;
        if (!keeps(keep, entries.items[i].file->name) &&
            weir_index_file_path(arena, &context->paths, context->schema, &entries.items[i], &path, NULL) == WEIR_OK) {
            weir_removal_add(removal, path);
        }
    }
    weir_index_entries_free(&entries);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

int weir_expire_remove_lists(const weir_table *table, const weir_expire_keep *keep, const weir_snapshot *snapshot,
                             weir_removal *removal, weir_error *err)
{
    const char *const lists[] = {snapshot->base_manifest_list, snapshot->delta_manifest_list,
                                 snapshot->changelog_manifest_list};
    weir_arena arena;
    int code;
    weir_arena_init(&arena);
    weir_removal_run(removal);
    for (size_t i = 0; i < 3; i++) {
        WEIR_GO(remove_manifests(table, keep, lists[i], &arena, removal, err));
    }
    WEIR_GO(remove_indexes(table, keep, snapshot->index_manifest, &arena, removal, err));
    if (snapshot->statistics != NULL && !keeps(keep, snapshot->statistics)) {
        weir_removal_add(
            removal, weir_arena_format(&arena, "%s/statistics/%s", table->context.paths.table, snapshot->statistics));
    }
    weir_removal_run(removal);
    for (size_t i = 0; i < 3; i++) {
        remove_manifest(table, keep, lists[i], &arena, removal);
    }
    remove_manifest(table, keep, snapshot->index_manifest, &arena, removal);
    weir_removal_run(removal);
done:
    weir_arena_free(&arena);
    return code;
}
