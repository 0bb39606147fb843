/* Expiring snapshots (org.apache.paimon.operation.ExpireSnapshotsImpl and SnapshotDeletion).
 *
 * A data file is no longer needed when the snapshot that removed it becomes the oldest one: so the files that snapshots
 * begin + 1 … end removed go, unless a tag or a branch holds them.
 *
 * Snapshot files are first renamed to snapshot/expired-<id>, durably; only then does anything that they name go. So
 * nobody ever sees a snapshot whose files are missing, not even after a power loss, and what a crash leaves undone is
 * found under that name by the next expiry. Other programs look at snapshot-<id> only. */
#include "table/maintenance/expire.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "meta/numbered.h"
#include "table/maintenance/expire_keep.h"
#include "table/read/reader_hold.h"

typedef struct expiry_run {
    const weir_table *table;
    weir_arena arena; /* of one snapshot */
    weir_expire_keep keep;
    weir_removal removal;
} expiry_run;

/* The entries of one manifest list. What is gone already was handled by an earlier, interrupted expiry. */
static int read_entries(const weir_table *table, const char *list, weir_arena *arena, weir_manifest_entries *out,
                        weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_manifest_files files = {0};
    if (list == NULL) {
        return WEIR_OK;
    }
    int code = weir_manifest_list_read(context->fs, &context->paths, list, arena, &files, err);
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    for (size_t i = 0; i < files.count && code == WEIR_OK; i++) {
        code = weir_manifest_read(context->fs, &context->paths, files.items[i].name, &filter, arena, out, err);
        if (code == WEIR_NOT_FOUND) {
            code = WEIR_OK;
        }
    }
    weir_manifest_files_free(&files);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

/* Files that the snapshot removed and did not add again (under another level). */
static int remove_deleted_files(expiry_run *expiry, const weir_snapshot *snapshot, weir_error *err)
{
    weir_arena *arena = &expiry->arena;
    weir_manifest_entries entries = {0};
    weir_map removed = {0};
    int code = read_entries(expiry->table, snapshot->delta_manifest_list, arena, &entries, err);
    for (size_t i = 0; i < entries.count; i++) {
        weir_slice name = weir_slice_text(entries.items[i].file->name);
        if (entries.items[i].kind == WEIR_FILE_DELETE) {
            weir_map_put(&removed, name, &entries.items[i]);
        }
    }
    for (size_t i = 0; i < entries.count; i++) {
        if (entries.items[i].kind == WEIR_FILE_ADD) {
            weir_map_remove(&removed, weir_slice_text(entries.items[i].file->name));
        }
    }
    for (size_t i = 0; i < removed.entry_count && code == WEIR_OK; i++) {
        if (removed.entries[i].value != NULL) {
            weir_expire_remove_file(expiry->table, &expiry->keep, removed.entries[i].value, &expiry->removal);
        }
    }
    weir_map_free(&removed);
    weir_manifest_entries_free(&entries);
    return code;
}

static int remove_changelog_files(expiry_run *expiry, const weir_snapshot *snapshot, weir_error *err)
{
    weir_manifest_entries entries = {0};
    int code = read_entries(expiry->table, snapshot->changelog_manifest_list, &expiry->arena, &entries, err);
    for (size_t i = 0; i < entries.count && code == WEIR_OK; i++) {
        weir_expire_remove_file(expiry->table, &expiry->keep, &entries.items[i], &expiry->removal);
    }
    weir_manifest_entries_free(&entries);
    return code;
}

static const char *expired_path(const expiry_run *expiry, weir_arena *arena, int64_t id)
{
    return weir_arena_format(arena, "%s/snapshot/expired-%" PRId64, expiry->table->context.paths.root, id);
}

/* A snapshot that has been set aside, or else one that is still there. *out NULL: neither. */
static int read_set_aside(expiry_run *expiry, int64_t id, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &expiry->table->context;
    const char *path = expired_path(expiry, &expiry->arena, id);
    weir_buffer text = {0};
    *out = NULL;
    int code = weir_fs_read_all(context->fs, path, &text, err);
    if (code == WEIR_OK) {
        code = weir_snapshot_parse(weir_buffer_slice(&text), path, &expiry->arena, out, err);
    } else if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = weir_snapshot_read(context->fs, context->paths.root, id, &expiry->arena, out, err);
    }
    weir_buffer_free(&text);
    if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
    return code;
}

/* What is too damaged to be read cannot say which files it needed: they become orphans, and the expiry goes on, for it
 * would stop there every time. */
static int pass_over(const expiry_run *expiry, int code, weir_error *err)
{
    if (code != WEIR_CORRUPT) {
        return code;
    }
    weir_log(WEIR_LOG_WARN, "%s: files of an expired snapshot stay until orphans are removed: %s", expiry->table->path,
             err->message);
    weir_error_clear(err);
    return WEIR_OK;
}

/* Removes what only this snapshot needed: what the next one deleted, its changelog, its manifests, at last itself. */
static int finish_one(expiry_run *expiry, int64_t id, weir_error *err)
{
    weir_snapshot *snapshot = NULL, *next = NULL;
    WEIR_TRY(pass_over(expiry, read_set_aside(expiry, id + 1, &next, err), err));
    WEIR_TRY(pass_over(expiry, read_set_aside(expiry, id, &snapshot, err), err));
    if (next != NULL) {
        WEIR_TRY(pass_over(expiry, remove_deleted_files(expiry, next, err), err));
    }
    if (snapshot != NULL) {
        WEIR_TRY(pass_over(expiry, remove_changelog_files(expiry, snapshot, err), err));
        int code = weir_expire_remove_lists(expiry->table, &expiry->keep, snapshot, &expiry->removal, err);
        WEIR_TRY(pass_over(expiry, code, err));
    }
    weir_removal_run(&expiry->removal);
    weir_removal_add(&expiry->removal, expired_path(expiry, &expiry->arena, id));
    return WEIR_OK;
}

/* Whether another expiry is further on, so that the snapshot which was to stay is gone: that one finishes all of it. */
static bool is_overtaken(const weir_table *table, int64_t end, weir_arena *arena)
{
    const weir_table_context *context = &table->context;
    const char *path = weir_arena_format(arena, "%s/snapshot/snapshot-%" PRId64, context->paths.root, end);
    bool exists = true;
    return weir_fs_file_exists(context->fs, path, &exists, NULL) == WEIR_OK && !exists;
}

/* Finishes the expiry of everything that has been set aside; `end` is the oldest snapshot that stays. */
static int finish_set_aside(const weir_table *table, int64_t end, weir_tag_ids *known, weir_error *err)
{
    weir_arena arena;
    expiry_run expiry = {.table = table};
    int64_t *ids = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    weir_arena_init(&expiry.arena);
    weir_removal_init(&expiry.removal, table->context.fs);
    const char *folder = weir_arena_format(&arena, "%s/snapshot", table->context.paths.root);
    int code = weir_numbered_list(table->context.fs, folder, "expired-", &arena, &ids, &count, err);
    if (code == WEIR_OK && count > 0) {
        code = weir_expire_keep_read_for(table, ids[0], end, known, &expiry.keep, err);
        if (code == WEIR_NOT_FOUND && is_overtaken(table, end, &arena)) {
            weir_error_clear(err);
            count = 0;
            code = WEIR_OK;
        }
    }
    /* What is not older than `end` may have been set aside only half (by a store that renames by copying): it is still
     * seen, and goes when its time has come. */
    for (size_t i = 0; i < count && ids[i] < end && code == WEIR_OK; i++) {
        code = finish_one(&expiry, ids[i], err);
        weir_arena_free(&expiry.arena);
        if (code != WEIR_OK) {
            code = weir_error_context(err, code, "expiring snapshot %" PRId64 " of %s", ids[i], table->path);
        }
    }
    if (code == WEIR_OK) {
        weir_removal_run(&expiry.removal);
    }
    weir_removal_free(&expiry.removal);
    weir_expire_keep_free(&expiry.keep);
    weir_arena_free(&expiry.arena);
    weir_arena_free(&arena);
    return code;
}

/* Takes the snapshots out of sight, durably. */
static int set_aside(const weir_table *table, int64_t begin, int64_t end, weir_error *err)
{
    const weir_table_context *context = &table->context;
    expiry_run expiry = {.table = table};
    weir_arena_init(&expiry.arena);
    int code = WEIR_OK;
    for (int64_t id = begin; id < end && code == WEIR_OK; id++) {
        const char *from = weir_arena_format(&expiry.arena, "%s/snapshot/snapshot-%" PRId64, context->paths.root, id);
        code = weir_fs_rename(context->fs, from, expired_path(&expiry, &expiry.arena, id), err);
        if (code == WEIR_NOT_FOUND) {
            weir_error_clear(err);
            code = WEIR_OK;
        }
    }
    if (code == WEIR_OK) {
        code = weir_snapshot_write_hint(context->fs, context->paths.root, "EARLIEST", end, err);
    }
    if (code == WEIR_OK) {
        code = weir_fs_sync_directory(context->fs, weir_arena_format(&expiry.arena, "%s/snapshot", context->paths.root),
                                      err);
    }
    weir_arena_free(&expiry.arena);
    return code;
}

typedef struct retention {
    int64_t retain_min;
    int64_t retain_max;
    int64_t older_than_ms;
    int64_t limit; /* of one call */
} retention;

static int read_retention(const weir_table *table, const weir_expire_options *options, retention *out, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    int64_t retained_ms = 0;
    WEIR_TRY(weir_options_int(set, "snapshot.num-retained.min", &out->retain_min, err));
    WEIR_TRY(weir_options_int(set, "snapshot.num-retained.max", &out->retain_max, err));
    WEIR_TRY(weir_options_duration(set, "snapshot.time-retained", &retained_ms, err));
    WEIR_TRY(weir_options_int(set, "snapshot.expire.limit", &out->limit, err));
    out->older_than_ms = weir_now_ms() - retained_ms;
    if (options != NULL) {
        out->retain_min = options->retain_min >= 0 ? options->retain_min : out->retain_min;
        out->retain_max = options->retain_max >= 0 ? options->retain_max : out->retain_max;
        out->older_than_ms = options->older_than_ms != INT64_MIN ? options->older_than_ms : out->older_than_ms;
        out->limit = options->limit > 0 ? options->limit : out->limit;
    }
    if (out->retain_min < 1 || out->retain_max < out->retain_min) {
        return weir_fail(err, WEIR_INVALID,
                         "snapshot.num-retained.min is %" PRId64 " and .max %" PRId64
                         ": at least one must stay, and max must not be below min; a call says retain_min and "
                         "retain_max of its own",
                         out->retain_min, out->retain_max);
    }
    return WEIR_OK;
}

/* The first snapshot that stays. */
static int choose_end(const weir_table *table, const retention *rules, int64_t earliest, int64_t latest, int64_t *out,
                      weir_error *err)
{
    const weir_table_context *context = &table->context;
    int64_t must_go = latest - rules->retain_max + 1; /* what lies before goes, young or not */
    int64_t end = latest - rules->retain_min + 1;
    int64_t needed = -1;
    WEIR_TRY(weir_consumer_least_next_snapshot(context->fs, context->paths.root, &needed, err));
    int64_t held = weir_reader_hold_least(table);
    if (needed >= 0 && needed < end) {
        end = needed;
    }
    if (held >= 0 && held < end) {
        end = held;
    }
    if (earliest + rules->limit < end) {
        end = earliest + rules->limit;
    }
    *out = must_go > earliest ? must_go : earliest;
    *out = *out < end ? *out : end;
    for (int64_t id = *out; id < end; id++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_snapshot *snapshot = NULL;
        int code = weir_snapshot_read(context->fs, context->paths.root, id, &arena, &snapshot, err);
        bool young = code == WEIR_OK && snapshot->time_ms >= rules->older_than_ms;
        weir_arena_free(&arena);
        if (code == WEIR_CORRUPT) { /* of whatever age: it goes with the next that is old */
            weir_error_clear(err);
            continue;
        }
        if (code != WEIR_OK && code != WEIR_NOT_FOUND) {
            return code;
        }
        weir_error_clear(err);
        if (young) {
            break;
        }
        *out = id + 1;
    }
    return WEIR_OK;
}

/* Tables whose changelogs outlive their snapshots need more than is done here: their snapshots are left alone. */
static bool changelogs_outlive_snapshots(const weir_table *table)
{
    const weir_options *set = &table->schema->options;
    return weir_options_get(set, "changelog.num-retained.min") != NULL ||
           weir_options_get(set, "changelog.num-retained.max") != NULL ||
           weir_options_get(set, "changelog.time-retained") != NULL;
}

int weir_table_expire(const weir_table *table, const weir_expire_options *options, int64_t *out_expired,
                      weir_error *err)
{
    weir_tag_ids known = {0};
    int code = weir_table_expire_knowing(table, options, &known, out_expired, err);
    weir_tag_ids_free(&known);
    return code;
}

int weir_table_expire_knowing(const weir_table *table, const weir_expire_options *options, weir_tag_ids *known,
                              int64_t *out_expired, weir_error *err)
{
    const weir_table_context *context = &table->context;
    retention rules;
    int64_t earliest = 0, latest = 0, end = 0;
    *out_expired = 0;
    if (changelogs_outlive_snapshots(table)) {
        return WEIR_OK;
    }
    WEIR_TRY(read_retention(table, options, &rules, err));
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    if (latest == 0 || latest - earliest + 1 <= rules.retain_min) {
        return WEIR_OK;
    }
    WEIR_TRY(choose_end(table, &rules, earliest, latest, &end, err));
    if (end <= earliest) {
        return WEIR_OK;
    }
    WEIR_TRY(set_aside(table, earliest, end, err));
    WEIR_TRY(finish_set_aside(table, end, known, err));
    *out_expired = end - earliest;
    return WEIR_OK;
}
