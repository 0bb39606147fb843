/* Looking for a commit by its user and identifier, and where snapshots have expired, by its files.
 *
 * A file leaves the disk when nothing names it any more. So a file that was committed and is still on the disk is named
 * by a snapshot, a tag, a branch or a changelog. */
#include "table/commit/commit_search.h"

#include "base/map.h"
#include "table/commit/commit_changes.h"
#include "table/maintenance/used_files.h"

/* Takes one snapshot into account; returns whether older ones tell nothing more. */
static bool look_at(const weir_snapshot *snapshot, const char *user, int64_t identifier, weir_commit_search *out)
{
    if (strcmp(snapshot->commit_user, user) != 0) {
        return false;
    }
    out->settled = true;
    if (snapshot->commit_identifier > identifier) {
        out->append = out->compact = true; /* identifiers ascend: it is history */
        out->later_identifier = snapshot->commit_identifier;
        return true;
    }
    if (snapshot->commit_identifier == identifier) {
        out->append = true; /* the APPEND half comes first, where there is one */
        out->compact |= snapshot->commit_kind == WEIR_COMMIT_COMPACT;
    }
    return snapshot->commit_identifier < identifier;
}

int weir_commit_search_snapshots(const weir_table *table, const char *user, int64_t identifier, int64_t after,
                                 weir_commit_search *out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    int64_t latest = 0, id = 0;
    *out = (weir_commit_search){0};
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    bool done = false;
    for (id = latest; id > after && !done; id--) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_snapshot *snapshot = NULL;
        int code = weir_snapshot_read(context->fs, context->paths.root, id, &arena, &snapshot, err);
        done = code == WEIR_OK && look_at(snapshot, user, identifier, out);
        weir_arena_free(&arena);
        if (code == WEIR_NOT_FOUND) {
            return WEIR_OK; /* this one and those before have expired */
        }
        WEIR_TRY(code);
    }
    out->settled = true;
    return WEIR_OK;
}

/* ---- files ---- */

typedef struct file_search {
    const weir_table *table;
    weir_arena arena;
    weir_map latest;      /* names of the files of the latest snapshot → the file */
    weir_used_files used; /* of everything there is */
} file_search;

static void free_search(file_search *search)
{
    weir_map_free(&search->latest);
    weir_used_files_free(&search->used);
    weir_arena_free(&search->arena);
}

static int read_latest(file_search *search, weir_error *err)
{
    const weir_table_context *context = &search->table->context;
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_snapshot *snapshot = NULL;
    int64_t id = 0;
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &id, err));
    if (id == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, id, &search->arena, &snapshot, err));
    int code = weir_snapshot_files(context->fs, &context->paths, search->table->schema, snapshot, &filter,
                                   context->pool, &search->arena, &entries, err);
    for (size_t i = 0; i < entries.count; i++) {
        weir_map_put(&search->latest, weir_slice_text(entries.items[i].file->name), entries.items[i].file);
    }
    weir_manifest_entries_free(&entries);
    return code;
}

static int collect_files(file_search *search, weir_error *err)
{
    WEIR_TRY(read_latest(search, err));
    return weir_used_files_read(search->table, &search->used, err);
}

static bool is_known(const file_search *search, const weir_data_file *file)
{
    return weir_used_files_have(&search->used, file->name);
}

/* Whether a file that the message made is known. Files that its compaction only moved may have been there before. */
static bool is_message_known(const file_search *search, const weir_commit_message *message)
{
    for (size_t i = 0; i < message->new_files.count; i++) {
        if (is_known(search, message->new_files.files[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < message->compact_after.count; i++) {
        const weir_data_file *file = message->compact_after.files[i];
        if (is_known(search, file) && !weir_file_list_has(&message->compact_before, file->name)) {
            return true;
        }
    }
    return false;
}

/* The first file of the list that is not on the disk, or NULL. */
static int find_missing(file_search *search, const weir_commit_message *message, const weir_file_list *list,
                        const weir_data_file **out, weir_error *err)
{
    const weir_table_context *context = &search->table->context;
    const char *bucket_path = NULL;
    *out = NULL;
    WEIR_TRY(weir_bucket_path(&search->arena, &context->paths, context->schema, message->partition, message->bucket,
                              &bucket_path, err));
    for (size_t i = 0; i < list->count && *out == NULL; i++) {
        bool exists = false;
        WEIR_TRY(weir_fs_file_exists(context->fs, weir_data_file_path(&search->arena, bucket_path, list->files[i]), &exists,
                                err));
        *out = exists ? NULL : list->files[i];
    }
    return WEIR_OK;
}

static int search_append(file_search *search, const weir_commit_messages *messages, bool strict, bool *out,
                         weir_error *err)
{
    for (size_t i = 0; i < messages->count && !*out; i++) {
        *out = is_message_known(search, &messages->items[i]);
    }
    for (size_t i = 0; i < messages->count && !*out; i++) {
        const weir_commit_message *message = &messages->items[i];
        const weir_data_file *missing = NULL;
        WEIR_TRY(find_missing(search, message, &message->new_files, &missing, err));
        if (missing != NULL) {
            return weir_fail(err, WEIR_NOT_FOUND,
                             "%s: whether this commit has happened already cannot be told any more: the snapshots of "
                             "that time have expired, and its file %s is gone; look whether its rows are in the table, "
                             "and start over from what is there",
                             search->table->path, missing->name);
        }
        if (strict && message->new_files.count > 0 && !*out) {
            return weir_fail(err, WEIR_NOT_FOUND,
                             "%s: whether this commit has happened already cannot be told any more: the snapshots of "
                             "that time have expired, and no snapshot names its file %s; look whether its rows are in "
                             "the table, and start over from what is there. A longer snapshot.time-retained avoids this",
                             search->table->path, message->new_files.files[0]->name);
        }
    }
    return WEIR_OK;
}

/* Whether a compaction can still be committed: what it read is there as it was, and what it wrote is on the disk, but
 * not in the table. */
static int may_compact(file_search *search, const weir_commit_message *message, bool *out, weir_error *err)
{
    const weir_file_list *before = &message->compact_before, *after = &message->compact_after;
    const weir_data_file *missing = NULL;
    for (size_t i = 0; i < before->count && *out; i++) {
        const weir_data_file *file = weir_map_get(&search->latest, weir_slice_text(before->files[i]->name));
        *out = file != NULL && file->level == before->files[i]->level;
    }
    WEIR_TRY(find_missing(search, message, after, &missing, err));
    *out = *out && missing == NULL;
    return WEIR_OK;
}

int weir_commit_search_files(const weir_table *table, const weir_commit_messages *messages, bool strict,
                             weir_commit_search *out, weir_error *err)
{
    file_search search = {.table = table};
    bool append = false, has_rows = false, may_be_compacted = true;
    int code;
    weir_arena_init(&search.arena);
    WEIR_GO(collect_files(&search, err));
    WEIR_GO(search_append(&search, messages, strict, &append, err));
    for (size_t i = 0; i < messages->count && may_be_compacted; i++) {
        WEIR_GO(may_compact(&search, &messages->items[i], &may_be_compacted, err));
        has_rows |= messages->items[i].new_files.count > 0;
    }
    out->append = append;
    out->compact = (append || !has_rows) && !may_be_compacted;
done:
    free_search(&search);
    return code;
}

/* ---- removing ---- */

static bool any_message_is_known(const file_search *search, const weir_commit_messages *messages)
{
    for (size_t i = 0; i < messages->count; i++) {
        if (is_message_known(search, &messages->items[i])) {
            return true;
        }
    }
    return false;
}

/* The rows stand: only files of the compaction that are in no snapshot may go. Of its changelog nothing is known, and
 * it stays. */
static int remove_compacted(file_search *search, const weir_commit_message *message, weir_error *err)
{
    const weir_table_context *context = &search->table->context;
    const char *bucket_path = NULL;
    WEIR_TRY(weir_bucket_path(&search->arena, &context->paths, context->schema, message->partition, message->bucket,
                              &bucket_path, err));
    for (size_t i = 0; i < message->compact_after.count; i++) {
        const weir_data_file *file = message->compact_after.files[i];
        if (!is_known(search, file) && !weir_file_list_has(&message->compact_before, file->name)) {
            weir_table_context_remove_file(context, bucket_path, file);
        }
    }
    return WEIR_OK;
}

int weir_commit_search_remove(const weir_table *table, const weir_commit_messages *messages, weir_error *err)
{
    file_search search = {.table = table};
    int code;
    weir_arena_init(&search.arena);
    WEIR_GO(collect_files(&search, err));
    if (!any_message_is_known(&search, messages)) {
        weir_commit_changes_remove_files_of(table, messages);
        goto done;
    }
    for (size_t i = 0; i < messages->count; i++) {
        WEIR_GO(remove_compacted(&search, &messages->items[i], err));
    }
done:
    free_search(&search);
    return code;
}
