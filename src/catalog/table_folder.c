/* Finding, removing and moving the folders of tables.
 *
 * Renaming in a store of objects is a copy, and then the end of the source. The copy is no table before its schemas
 * come, which are last; the source stays one until it is gone. A file in the copy says whose it is, so that a second try
 * knows what the first one has left from what is somebody else's. */
#include "catalog/table_folder.h"

#include "base/buffer.h"

int weir_catalog_is_table(weir_fs *fs, const char *path, weir_arena *arena, bool *out, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t count = 0;
    *out = false;
    WEIR_TRY(weir_fs_list(fs, weir_arena_format(arena, "%s/schema", path), arena, &files, &count, err));
    for (size_t i = 0; i < count && !*out; i++) {
        *out = strncmp(files[i].name, "schema-", 7) == 0;
    }
    return WEIR_OK;
}

int weir_catalog_remove_table(weir_fs *fs, const char *path, weir_arena *arena, weir_error *err)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_remove_recursively(fs, weir_arena_format(arena, "%s/snapshot", path), err));
    WEIR_TRY(weir_fs_list(fs, path, arena, &entries, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, "schema") != 0) {
            const char *entry = weir_arena_format(arena, "%s/%s", path, entries[i].name);
            WEIR_TRY(weir_fs_remove_recursively(fs, entry, err));
        }
    }
    return weir_fs_remove_recursively(fs, path, err);
}

/* ---- moving ---- */

#define MARK ".renamed-from"

/* Whether `to` was begun as a copy of `from`. */
static bool is_begun(weir_fs *fs, const char *from, const char *to, weir_arena *arena)
{
    weir_buffer text = {0};
    bool is_begun = weir_fs_read_all(fs, weir_arena_format(arena, "%s/" MARK, to), &text, NULL) == WEIR_OK &&
                    weir_slice_equal(weir_buffer_slice(&text), weir_slice_text(from));
    weir_buffer_free(&text);
    return is_begun;
}

static int begin(weir_fs *fs, const char *from, const char *to, weir_arena *arena, weir_error *err)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(fs, to, arena, &entries, &count, err));
    if (count > 0) {
        return weir_fail(err, WEIR_INVALID, "%s: there are files here that belong to no table; remove them first", to);
    }
    return weir_fs_replace(fs, weir_arena_format(arena, "%s/" MARK, to), weir_slice_text(from), err);
}

static int copy_all(weir_fs *fs, const char *from, const char *to, weir_arena *arena, weir_error *err)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    WEIR_TRY(weir_fs_list(fs, from, arena, &entries, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, "schema") != 0) {
            WEIR_TRY(weir_fs_copy(fs, weir_arena_format(arena, "%s/%s", from, entries[i].name),
                                  weir_arena_format(arena, "%s/%s", to, entries[i].name), err));
        }
    }
    return weir_fs_copy(fs, weir_arena_format(arena, "%s/schema", from), weir_arena_format(arena, "%s/schema", to),
                        err);
}

int weir_catalog_move_table(weir_fs *fs, const char *from, const char *to, weir_arena *arena, weir_error *err)
{
    bool is_there = false;
    bool goes_on = is_begun(fs, from, to, arena);
    WEIR_TRY(weir_catalog_is_table(fs, to, arena, &is_there, err));
    if (is_there && !goes_on) {
        return WEIR_EXISTS;
    }
    if (!is_there) {
        WEIR_TRY(goes_on ? WEIR_OK : begin(fs, from, to, arena, err));
        WEIR_TRY(copy_all(fs, from, to, arena, err));
    }
    WEIR_TRY(weir_catalog_remove_table(fs, from, arena, err));
    return weir_fs_remove(fs, weir_arena_format(arena, "%s/" MARK, to), err);
}
