/* Making, removing and renaming tags. */
#include "table/maintenance/tag.h"

#include "base/clock.h"
#include "base/text.h"
#include "table/maintenance/expire_keep.h"
#include "table/maintenance/used_files.h"

/* A name is part of a file's name. */
static int check_name(const char *name, weir_error *err)
{
    int64_t number;
    bool blank = true;
    for (const char *c = name; *c != '\0'; c++) {
        blank = blank && (*c == ' ' || *c == '\t');
        if (*c == '/' || (unsigned char)*c < 32) {
            return weir_fail(err, WEIR_INVALID, "the tag name '%s' holds a character that names of files have not",
                             name);
        }
    }
    if (blank) {
        return weir_fail(err, WEIR_INVALID, "a tag's name is not blank");
    }
    if (weir_parse_int64(weir_slice_text(name), &number)) {
        return weir_fail(err, WEIR_INVALID, "the tag name '%s' is a number, which scan.version takes for a snapshot",
                         name);
    }
    return WEIR_OK;
}

static int no_such_tag(const weir_table *table, const char *name, weir_arena *arena, weir_error *err)
{
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_tag_list(table->context.fs, table->context.paths.root, arena, &names, &count, err));
    const char *near = weir_suggest(name, names, count);
    return weir_fail(err, WEIR_NOT_FOUND, "%s has no tag '%s'%s%s%s", table->path, name, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

static int check_exists(const weir_table *table, const char *name, weir_arena *arena, weir_error *err)
{
    bool exists = false;
    const char *path = weir_tag_path(arena, table->context.paths.root, name);
    WEIR_TRY(weir_fs_file_exists(table->context.fs, path, &exists, err));
    return exists ? WEIR_OK : no_such_tag(table, name, arena, err);
}

/* The file of the snapshot to be tagged: of a tag that exists where the snapshot itself has expired. */
static int choose_file(const weir_table *table, int64_t wanted, weir_arena *arena, const char **out, int64_t *out_id,
                       weir_error *err)
{
    weir_fs *fs = table->context.fs;
    const char *root = table->context.paths.root;
    int64_t id = wanted;
    if (id == 0) {
        WEIR_TRY(weir_snapshot_latest_id(fs, root, &id, err));
    }
    if (id == 0) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot yet, so there is nothing to tag", table->path);
    }
    *out_id = id;
    *out = weir_arena_format(arena, "%s/snapshot/snapshot-%" PRId64, root, id);
    bool exists = false;
    WEIR_TRY(weir_fs_file_exists(fs, *out, &exists, err));
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_tag_list(fs, root, arena, &names, &count, err));
    for (size_t i = 0; i < count && !exists; i++) {
        weir_snapshot *tagged = NULL;
        WEIR_TRY(weir_tag_read(fs, root, names[i], arena, &tagged, err));
        if (tagged->id == id) {
            *out = weir_tag_path(arena, root, names[i]);
            return WEIR_OK;
        }
    }
    if (exists) {
        return WEIR_OK;
    }
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(weir_snapshot_earliest_id(fs, root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(fs, root, &latest, err));
    return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot %" PRId64 ": there are %" PRId64 " to %" PRId64,
                     table->path, id, earliest, latest);
}

static int read_lifetime(const weir_table *table, int64_t retained_ms, weir_tag_lifetime *out, weir_error *err)
{
    if (retained_ms < 0 && weir_options_get(&table->schema->options, "tag.default-time-retained") != NULL) {
        WEIR_TRY(weir_options_duration(&table->schema->options, "tag.default-time-retained", &retained_ms, err));
    }
    *out = (weir_tag_lifetime){
        .is_given = retained_ms >= 0, .created_local_ms = weir_local_now_ms(), .retained_ms = retained_ms};
    return WEIR_OK;
}

/* ---- removing ---- */

/* A changelog that has outlived its snapshot shares the lists of a tag on it. */
static int keep_changelogs(const weir_table *table, weir_expire_keep *keep, weir_error *err)
{
    weir_used_files used;
    WEIR_TRY(weir_used_files_of_changelogs(table, &used, err));
    for (size_t i = 0; i < used.names.entry_count; i++) {
        weir_map_put(&keep->names, used.names.entries[i].key, keep);
    }
    weir_used_files_free(&used);
    return WEIR_OK;
}

/* What was needed by a tag alone. What is left is an orphan, not an error. */
static int remove_files_of(const weir_table *table, const weir_snapshot *tagged, weir_arena *arena, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_expire_keep keep = {0};
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_removal removal;
    int64_t earliest = 0;
    int code;
    weir_removal_init(&removal, context->fs);
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    if (earliest == 0 || tagged->id >= earliest) {
        return WEIR_OK; /* its snapshot is there, or nothing can tell what is needed */
    }
    WEIR_GO(weir_expire_keep_read(table, earliest, &keep, err));
    WEIR_GO(weir_expire_keep_data(table, earliest, &keep, err));
    WEIR_GO(keep_changelogs(table, &keep, err));
    WEIR_GO(weir_snapshot_files(context->fs, &context->paths, context->schema, tagged, &filter, context->pool, arena,
                                &entries, err));
    for (size_t i = 0; i < entries.count; i++) {
        weir_expire_remove_file(table, &keep, &entries.items[i], &removal);
    }
    WEIR_GO(weir_expire_remove_lists(table, &keep, tagged, &removal, err));
done:
    weir_removal_free(&removal);
    weir_manifest_entries_free(&entries);
    weir_expire_keep_free(&keep);
    return code;
}

static int delete_tag(const weir_table *table, const char *name, weir_arena *arena, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_snapshot *tagged = NULL;
    int code = weir_tag_read(context->fs, context->paths.root, name, arena, &tagged, err);
    if (code == WEIR_NOT_FOUND) {
        return no_such_tag(table, name, arena, err);
    }
    WEIR_TRY(code);
    /* The name goes first: nobody may read a tag whose files are missing. */
    WEIR_TRY(weir_fs_remove(context->fs, weir_tag_path(arena, context->paths.root, name), err));
    WEIR_TRY(weir_fs_sync_directory(context->fs, weir_arena_format(arena, "%s/tag", context->paths.root), err));
    return remove_files_of(table, tagged, arena, err);
}

int weir_table_delete_tag(const weir_table *table, const char *name, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = delete_tag(table, name, &arena, err);
    weir_arena_free(&arena);
    return code;
}

/* ---- making ---- */

/* An expiry takes a snapshot out of sight before it looks for tags. So a tag on a snapshot that is still in sight holds
 * its files; otherwise they may be gone. */
static int check_in_time(const weir_table *table, const char *name, const char *file, weir_arena *arena,
                         weir_error *err)
{
    const weir_table_context *context = &table->context;
    bool exists = false;
    WEIR_TRY(weir_fs_file_exists(context->fs, file, &exists, err));
    if (exists) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_fs_remove(context->fs, weir_tag_path(arena, context->paths.root, name), err));
    return weir_fail(err, WEIR_CONFLICT, "%s: what was to be tagged '%s' has expired meanwhile; tag a younger snapshot",
                     table->path, name);
}

static int create_tag(const weir_table *table, const char *name, const weir_tag_options *options, weir_arena *arena,
                      int64_t *out_snapshot_id, weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *file = NULL;
    int64_t id = 0;
    weir_tag_lifetime lifetime;
    weir_snapshot *replaced = NULL;
    WEIR_TRY(check_name(name, err));
    if (options->replace) {
        WEIR_TRY(check_exists(table, name, arena, err));
        WEIR_TRY(weir_tag_read(context->fs, context->paths.root, name, arena, &replaced, err));
    }
    WEIR_TRY(choose_file(table, options->snapshot_id, arena, &file, &id, err));
    WEIR_TRY(read_lifetime(table, options->retained_ms, &lifetime, err));
    int code = weir_tag_publish(context->fs, context->paths.root, name, file, &lifetime, options->replace, err);
    if (code == WEIR_EXISTS) {
        return weir_fail(err, WEIR_EXISTS, "%s has a tag '%s' already; replace_tag makes it anew", table->path, name);
    }
    WEIR_TRY(code);
    WEIR_TRY(check_in_time(table, name, file, arena, err));
    if (out_snapshot_id != NULL) {
        *out_snapshot_id = id;
    }
    /* Files go last: the new tag may need what the old one held. */
    return replaced != NULL && replaced->id != id ? remove_files_of(table, replaced, arena, err) : WEIR_OK;
}

int weir_table_create_tag(const weir_table *table, const char *name, const weir_tag_options *options,
                          int64_t *out_snapshot_id, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = create_tag(table, name, options, &arena, out_snapshot_id, err);
    weir_arena_free(&arena);
    return code;
}

/* ---- renaming ---- */

static int rename_tag(const weir_table *table, const char *name, const char *new_name, weir_arena *arena,
                      weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *root = context->paths.root;
    WEIR_TRY(check_name(new_name, err));
    WEIR_TRY(check_exists(table, name, arena, err));
    int code = weir_fs_rename(context->fs, weir_tag_path(arena, root, name), weir_tag_path(arena, root, new_name), err);
    if (code == WEIR_EXISTS) {
        return weir_fail(err, WEIR_EXISTS, "%s has a tag '%s' already", table->path, new_name);
    }
    WEIR_TRY(code);
    return weir_fs_sync_directory(context->fs, weir_arena_format(arena, "%s/tag", root), err);
}

int weir_table_rename_tag(const weir_table *table, const char *name, const char *new_name, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = rename_tag(table, name, new_name, &arena, err);
    weir_arena_free(&arena);
    return code;
}
