/* Whether a table's folder holds a file that no snapshot needs: for tests without crashes, after which there may be
 * some.
 *
 * Include cmocka_all.h first. */
#ifndef WEIR_TESTS_TABLE_FILES_H
#define WEIR_TESTS_TABLE_FILES_H

#include "base/map.h"
#include "meta/meta.h"

typedef struct needed_files {
    weir_fs *fs;
    weir_table_paths paths;
    weir_arena arena;
    weir_map names; /* carry UUIDs, so that a name alone tells a file */
} needed_files;

static inline void needed_files_must(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("listing what snapshots need: %s", err->message);
    }
}

static inline void needed_files_add(needed_files *needed, const char *name)
{
    if (name != NULL) {
        weir_map_put(&needed->names, weir_slice_text(name), needed);
    }
}

/* A manifest list with its manifests; their files too when `with_files`. */
static inline void needed_files_add_list(needed_files *needed, const char *list, bool with_files)
{
    weir_error err = {0};
    weir_manifest_files manifests = {0};
    weir_manifest_entries entries = {0};
    if (list == NULL) {
        return;
    }
    needed_files_add(needed, list);
    needed_files_must(weir_manifest_list_read(needed->fs, &needed->paths, list, &needed->arena, &manifests, &err),
                      &err);
    for (size_t i = 0; i < manifests.count; i++) {
        needed_files_add(needed, manifests.items[i].name);
        if (with_files) {
            needed_files_must(weir_manifest_read(needed->fs, &needed->paths, manifests.items[i].name, NULL,
                                                 &needed->arena, &entries, &err),
                              &err);
        }
    }
    for (size_t i = 0; i < entries.count; i++) {
        needed_files_add(needed, entries.items[i].file->name);
    }
    weir_manifest_entries_free(&entries);
    weir_manifest_files_free(&manifests);
}

/* An index manifest with its index files. */
static inline void needed_files_add_indexes(needed_files *needed, const char *name)
{
    weir_error err = {0};
    weir_index_entries entries = {0};
    if (name == NULL) {
        return;
    }
    needed_files_add(needed, name);
    needed_files_must(weir_index_manifest_read(needed->fs, &needed->paths, name, &needed->arena, &entries, &err), &err);
    for (size_t i = 0; i < entries.count; i++) {
        bool stands = false;
        needed_files_add(needed, entries.items[i].file->name);
        needed_files_must(weir_fs_exists(needed->fs,
                                         weir_arena_format(&needed->arena, "%s/index/%s", needed->paths.table,
                                                           entries.items[i].file->name),
                                         &stands, &err),
                          &err);
        if (!stands) {
            fail_msg("index file %s is gone, but a snapshot needs it", entries.items[i].file->name);
        }
    }
    weir_index_entries_free(&entries);
}

static inline void needed_files_add_snapshot(needed_files *needed, const weir_schema *schema, int64_t id)
{
    weir_error err = {0};
    weir_snapshot *snapshot = NULL;
    weir_manifest_entries entries = {0};
    needed_files_must(weir_snapshot_read(needed->fs, needed->paths.root, id, &needed->arena, &snapshot, &err), &err);
    needed_files_add_list(needed, snapshot->base_manifest_list, false);
    needed_files_add_list(needed, snapshot->delta_manifest_list, false);
    needed_files_add_list(needed, snapshot->changelog_manifest_list, true);
    needed_files_add_indexes(needed, snapshot->index_manifest);
    needed_files_must(
        weir_snapshot_files(needed->fs, &needed->paths, schema, snapshot, NULL, NULL, &needed->arena, &entries, &err),
        &err);
    for (size_t i = 0; i < entries.count; i++) {
        needed_files_add(needed, entries.items[i].file->name);
    }
    weir_manifest_entries_free(&entries);
}

static inline void needed_files_check_folder(needed_files *needed, const char *folder)
{
    weir_error err = {0};
    weir_file_info *entries = NULL;
    size_t count = 0;
    needed_files_must(weir_fs_list(needed->fs, folder, &needed->arena, &entries, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        const char *name = entries[i].name;
        const char *path = weir_arena_format(&needed->arena, "%s/%s", folder, name);
        bool is_root = strcmp(folder, needed->paths.table) == 0;
        if (is_root && (strcmp(name, "schema") == 0 || strcmp(name, "snapshot") == 0)) {
            continue;
        }
        if (entries[i].is_directory) {
            needed_files_check_folder(needed, path);
        } else if (weir_map_get(&needed->names, weir_slice_text(name)) == NULL) {
            fail_msg("%s is needed by no snapshot", path);
        }
    }
}

/* Not for tables with tags, branches or files outside of their folder. */
static inline void check_no_file_is_left_over(weir_fs *fs, const char *table_path, const weir_schema *schema)
{
    weir_error err = {0};
    needed_files needed = {.fs = fs};
    int64_t earliest = 0, latest = 0;
    weir_arena_init(&needed.arena);
    needed.paths = weir_table_paths_of(&needed.arena, table_path, NULL);
    needed_files_must(weir_snapshot_earliest_id(fs, table_path, &earliest, &err), &err);
    needed_files_must(weir_snapshot_latest_id(fs, table_path, &latest, &err), &err);
    for (int64_t id = earliest; id > 0 && id <= latest; id++) {
        needed_files_add_snapshot(&needed, schema, id);
    }
    needed_files_check_folder(&needed, table_path);
    weir_map_free(&needed.names);
    weir_arena_free(&needed.arena);
}

#endif
