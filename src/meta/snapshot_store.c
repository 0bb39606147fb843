/* Where snapshots, tags and changelogs lie: finding, reading and publishing them.
 *
 * The hint files LATEST and EARLIEST are advice only: a writer that dies after publishing a snapshot leaves LATEST one
 * behind, so a hint counts only when the folder agrees with it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "meta/numbered.h"
#include "meta/snapshot.h"

static const char *snapshot_path(weir_arena *arena, const char *root, int64_t id)
{
    return weir_arena_format(arena, "%s/snapshot/snapshot-%" PRId64, root, id);
}

static int read_snapshot_file(weir_fs *fs, const char *path, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    weir_buffer text = {0};
    int code = weir_fs_read_all(fs, path, &text, err);
    if (code == WEIR_OK) {
        code = weir_snapshot_parse(weir_buffer_slice(&text), path, arena, out, err);
    }
    weir_buffer_free(&text);
    return code;
}

int weir_snapshot_read(weir_fs *fs, const char *root, int64_t id, weir_arena *arena, weir_snapshot **out,
                       weir_error *err)
{
    return read_snapshot_file(fs, snapshot_path(arena, root, id), arena, out, err);
}

int weir_changelog_read(weir_fs *fs, const char *root, int64_t id, weir_arena *arena, weir_snapshot **out,
                        weir_error *err)
{
    const char *path = weir_arena_format(arena, "%s/changelog/changelog-%" PRId64, root, id);
    return read_snapshot_file(fs, path, arena, out, err);
}

int weir_tag_read(weir_fs *fs, const char *root, const char *name, weir_arena *arena, weir_snapshot **out,
                  weir_error *err)
{
    return read_snapshot_file(fs, weir_arena_format(arena, "%s/tag/tag-%s", root, name), arena, out, err);
}

int weir_tag_list(weir_fs *fs, const char *root, weir_arena *arena, const char ***out_names, size_t *out_count,
                  weir_error *err)
{
    weir_file_info *files = NULL;
    size_t file_count = 0;
    WEIR_TRY(weir_fs_list(fs, weir_arena_format(arena, "%s/tag", root), arena, &files, &file_count, err));
    const char **names = WEIR_NEW_ARRAY(arena, const char *, file_count);
    size_t count = 0;
    for (size_t i = 0; i < file_count; i++) {
        if (strncmp(files[i].name, "tag-", 4) == 0) {
            names[count++] = files[i].name + 4;
        }
    }
    *out_names = names;
    *out_count = count;
    return WEIR_OK;
}

int weir_branch_list(weir_fs *fs, const char *table_path, weir_arena *arena, const char ***out_names, size_t *out_count,
                     weir_error *err)
{
    weir_file_info *files = NULL;
    size_t file_count = 0, count = 0;
    WEIR_TRY(weir_fs_list(fs, weir_arena_format(arena, "%s/branch", table_path), arena, &files, &file_count, err));
    const char **names = WEIR_NEW_ARRAY(arena, const char *, file_count + 1);
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].is_directory && strncmp(files[i].name, "branch-", 7) == 0) {
            names[count++] = files[i].name + 7;
        }
    }
    *out_names = names;
    *out_count = count;
    return WEIR_OK;
}

/* ---- latest and earliest ---- */

/* The number in a hint file; 0 when there is none, or something else in it. */
static int64_t read_hint(weir_fs *fs, const char *path)
{
    weir_buffer text = {0};
    int64_t id = 0;
    if (weir_fs_read_all(fs, path, &text, NULL) != WEIR_OK || !weir_parse_int64(weir_buffer_slice(&text), &id) ||
        id < 0) {
        id = 0;
    }
    weir_buffer_free(&text);
    return id;
}

/* The least or greatest snapshot that the folder has; 0: none. */
static int scan_folder(weir_fs *fs, const char *root, bool greatest, weir_arena *arena, int64_t *out, weir_error *err)
{
    int64_t *ids = NULL;
    size_t count = 0, first = 0;
    const char *folder = weir_arena_format(arena, "%s/snapshot", root);
    WEIR_TRY(weir_numbered_list(fs, folder, "snapshot-", arena, &ids, &count, err));
    while (first < count && ids[first] <= 0) {
        first++;
    }
    *out = first == count ? 0 : ids[greatest ? count - 1 : first];
    return WEIR_OK;
}

static int find_latest(weir_fs *fs, const char *root, weir_arena *arena, int64_t *out, weir_error *err)
{
    int64_t hint = read_hint(fs, weir_arena_format(arena, "%s/snapshot/LATEST", root));
    bool exists = false;
    bool next_exists = false;
    if (hint > 0) {
        WEIR_TRY(weir_fs_file_exists(fs, snapshot_path(arena, root, hint + 1), &next_exists, err));
        WEIR_TRY(weir_fs_file_exists(fs, snapshot_path(arena, root, hint), &exists, err));
    }
    if (exists && !next_exists) {
        *out = hint;
        return WEIR_OK;
    }
    return scan_folder(fs, root, true, arena, out, err);
}

static int find_earliest(weir_fs *fs, const char *root, weir_arena *arena, int64_t *out, weir_error *err)
{
    int64_t hint = read_hint(fs, weir_arena_format(arena, "%s/snapshot/EARLIEST", root));
    bool exists = false;
    bool previous_exists = false;
    if (hint > 0) {
        WEIR_TRY(weir_fs_file_exists(fs, snapshot_path(arena, root, hint), &exists, err));
    }
    if (exists && hint > 1) {
        WEIR_TRY(weir_fs_file_exists(fs, snapshot_path(arena, root, hint - 1), &previous_exists, err));
    }
    if (exists && !previous_exists) {
        *out = hint;
        return WEIR_OK;
    }
    if (hint == 0) { /* nothing has expired yet, most likely */
        WEIR_TRY(weir_fs_file_exists(fs, snapshot_path(arena, root, 1), &exists, err));
        if (exists) {
            *out = 1;
            return WEIR_OK;
        }
    }
    return scan_folder(fs, root, false, arena, out, err);
}

int weir_snapshot_latest_id(weir_fs *fs, const char *root, int64_t *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = find_latest(fs, root, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}

int weir_snapshot_earliest_id(weir_fs *fs, const char *root, int64_t *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = find_earliest(fs, root, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}

/* ---- publishing ---- */

int weir_snapshot_write_hint(weir_fs *fs, const char *root, const char *hint, int64_t id, weir_error *err)
{
    char text[32];
    weir_arena arena;
    weir_arena_init(&arena);
    int size = snprintf(text, sizeof text, "%" PRId64, id);
    int code = weir_fs_replace(fs, weir_arena_format(&arena, "%s/snapshot/%s", root, hint),
                               weir_slice_of(text, (size_t)size), err);
    weir_arena_free(&arena);
    return code;
}

int weir_snapshot_publish(weir_fs *fs, const char *root, const weir_snapshot *snapshot, weir_error *err)
{
    weir_arena arena;
    weir_buffer text = {0};
    weir_arena_init(&arena);
    weir_snapshot_format(snapshot, &text);
    int code = weir_fs_publish(fs, snapshot_path(&arena, root, snapshot->id), weir_buffer_slice(&text), err);
    if (code == WEIR_OK) {
        /* The commit has happened; without its hint it is only found more slowly. */
        (void)weir_snapshot_write_hint(fs, root, "LATEST", snapshot->id, NULL);
    }
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}

int weir_snapshot_greatest_id(weir_fs *fs, const char *root, int64_t *out, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = scan_folder(fs, root, true, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}

void weir_snapshot_withdraw(weir_fs *fs, const char *root, int64_t id, int64_t greatest)
{
    weir_arena arena;
    weir_arena_init(&arena);
    (void)weir_fs_remove(fs, snapshot_path(&arena, root, id), NULL);
    (void)weir_snapshot_write_hint(fs, root, "LATEST", greatest, NULL);
    weir_arena_free(&arena);
}

/* ---- by time ---- */

/* Reads the snapshot `id` or the first one after it that still exists: the oldest may be removed meanwhile. */
static int read_first_left(weir_fs *fs, const char *root, int64_t id, int64_t latest, weir_arena *arena,
                           weir_snapshot **out, weir_error *err)
{
    int code = WEIR_NOT_FOUND;
    for (; id <= latest && code == WEIR_NOT_FOUND; id++) {
        code = weir_snapshot_read(fs, root, id, arena, out, err);
    }
    return code;
}

int weir_snapshot_at_time(weir_fs *fs, const char *root, int64_t time_ms, bool later, weir_arena *arena,
                          weir_snapshot **out, weir_error *err)
{
    int64_t low;
    int64_t high;
    weir_snapshot *before = NULL; /* the latest known at or before the time */
    weir_snapshot *after = NULL;  /* the earliest known after it */
    WEIR_TRY(weir_snapshot_latest_id(fs, root, &high, err));
    WEIR_TRY(weir_snapshot_earliest_id(fs, root, &low, err));
    int64_t latest = high;
    while (low > 0 && low <= high) {
        int64_t middle = low + (high - low) / 2;
        weir_snapshot *snapshot = NULL;
        int code = read_first_left(fs, root, middle, latest, arena, &snapshot, err);
        if (code == WEIR_NOT_FOUND) {
            break;
        }
        WEIR_TRY(code);
        if (snapshot->time_ms <= time_ms) {
            before = snapshot;
            low = snapshot->id + 1;
        } else {
            after = snapshot;
            high = middle - 1;
        }
    }
    weir_error_clear(err);
    *out = later ? after : before;
    return WEIR_OK;
}
