/* Committing messages: as APPEND and COMPACT halves, as overwrite, as replay after a crash.
 *
 * How one snapshot is made stands in commit_attempt.c; what conflicts, in commit_changes.c. */
#include "table/commit/commit.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "table/commit/commit_attempt.h"
#include "table/commit/commit_figures.h"
#include "table/commit/commit_indexes.h"
#include "table/commit/commit_internal.h"
#include "table/commit/commit_search.h"
#include "table/maintenance/expire.h"
#include "table/write/overwrite_upgrade.h"
#include "vector/compare.h"

struct weir_table_commit {
    const weir_table *table;
    char *user;
    bool dropped_compaction;
    int64_t rows_snapshot; /* of the last commit; 0: it had no rows whose keys were placed */
    bool expires;          /* after each commit */
    bool force_create;
    weir_commit_guard last;      /* over the last commit */
    weir_tag_ids tags;           /* as the last expiry saw them */
    weir_commit_figures figures; /* of the commit that is being made */
};

int weir_table_commit_open(const weir_table *table, const char *commit_user, weir_table_commit **out, weir_error *err)
{
    bool write_only = false, force_create = false;
    WEIR_TRY(weir_options_bool(&table->schema->options, "write-only", &write_only, err));
    WEIR_TRY(weir_options_bool(&table->schema->options, "commit.force-create-snapshot", &force_create, err));
    weir_table_commit *commit = weir_alloc_zeroed(1, sizeof *commit);
    commit->table = table;
    commit->user = weir_strdup(commit_user);
    commit->expires = !write_only;
    commit->force_create = force_create;
    weir_commit_guard_init(&commit->last);
    *out = commit;
    return WEIR_OK;
}

void weir_table_commit_close(weir_table_commit *commit)
{
    if (commit != NULL) {
        weir_commit_guard_free(&commit->last);
        weir_tag_ids_free(&commit->tags);
        free(commit->user);
        free(commit);
    }
}

bool weir_table_commit_dropped_compaction(const weir_table_commit *commit) { return commit->dropped_compaction; }

int64_t weir_table_commit_rows_snapshot(const weir_table_commit *commit) { return commit->rows_snapshot; }

/* A source of changes that do not depend on the latest snapshot. */
static int fixed_changes(void *argument, const weir_snapshot *latest, weir_arena *arena, weir_commit_changes *out,
                         weir_error *err)
{
    const weir_commit_changes *changes = argument;
    (void)latest;
    (void)arena;
    (void)err;
    weir_commit_changes_copy(changes, NULL, out);
    for (size_t i = 0; i < changes->seen_count; i++) {
        weir_commit_changes_add_seen(out, changes->seen[i]);
    }
    return WEIR_OK;
}

static int commit_half(weir_table_commit *commit, const weir_committable *committable, weir_commit_changes *changes,
                       int64_t *snapshot_id, weir_error *err)
{
    weir_commit_request request = {
        .table = commit->table,
        .commit_user = commit->user,
        .committable = committable,
        .source = fixed_changes,
        .argument = changes,
    };
    weir_published published = {0};
    WEIR_TRY(weir_commit_attempt(&request, &published, err));
    *snapshot_id = published.snapshot_id;
    weir_commit_figures_add(&commit->figures, changes, &published);
    weir_commit_guard_remember(&commit->last, &published, committable->identifier, changes);
    return WEIR_OK;
}

/* What another program has written over is committed again; a compaction that was lost is just dropped. */
int weir_table_commit_verify(weir_table_commit *commit, weir_error *err)
{
    bool lost = false;
    WEIR_TRY(weir_commit_guard_is_lost(&commit->last, commit->table, &lost, err));
    if (!lost) {
        return WEIR_OK;
    }
    if (commit->last.changes.kind == WEIR_COMMIT_OVERWRITE) {
        int64_t id = commit->last.published.snapshot_id;
        weir_commit_guard_free(&commit->last); /* said once */
        return weir_fail(err, WEIR_CONFLICT,
                         "%s: snapshot %" PRId64 ", an overwrite, was written over by a program that does not publish "
                         "atomically; run the overwrite again",
                         commit->table->path, id);
    }
    weir_log(WEIR_LOG_WARN,
             "%s: snapshot %" PRId64 " was written over by a program that does not publish atomically; its changes "
             "are committed again",
             commit->table->path, commit->last.published.snapshot_id);
    weir_commit_guard lost_commit = commit->last;
    weir_commit_guard_init(&commit->last);
    int code = WEIR_OK;
    if (lost_commit.changes.kind == WEIR_COMMIT_COMPACT) {
        commit->dropped_compaction = true;
    } else {
        int64_t snapshot_id = 0;
        weir_commit_messages none = {0};
        weir_committable committable = {
            .identifier = lost_commit.identifier, .watermark = WEIR_NO_WATERMARK, .messages = &none};
        code = commit_half(commit, &committable, &lost_commit.changes, &snapshot_id, err);
    }
    if (code != WEIR_OK) {
        weir_commit_guard_free(&commit->last);
        commit->last = lost_commit; /* still to be done */
        return code;
    }
    weir_commit_guard_free(&lost_commit);
    return WEIR_OK;
}

/* Changelog files that will not be committed. */
static void discard_changelog(const weir_table *table, weir_commit_changes *changes)
{
    weir_commit_changes only_changelog = {.changelog = changes->changelog};
    weir_commit_changes_remove_files(table, &only_changelog);
    changes->changelog.count = 0;
}

/* What a call commits. */
enum { APPEND_HALF = 1, COMPACT_HALF = 2 };

/* The COMPACT half is disposable: on a conflict it is dropped, and the rows are still where they were. */
static int commit_compaction(weir_table_commit *commit, const weir_committable *committable, bool with_changelog,
                             int64_t *snapshot_id, weir_error *err)
{
    bool rows_stand = *snapshot_id > 0;
    weir_commit_changes changes;
    weir_commit_changes_compact(committable->messages, &changes);
    int code = WEIR_OK;
    if (!with_changelog) {
        discard_changelog(commit->table, &changes);
    }
    bool is_empty = weir_commit_changes_are_empty(&changes);
    if (!is_empty && rows_stand) {
        code = weir_table_commit_verify(commit, err); /* still */
        rows_stand = code != WEIR_CONFLICT;
    }
    if (!is_empty && code == WEIR_OK) {
        code = commit_half(commit, committable, &changes, snapshot_id, err);
        if (code == WEIR_CONFLICT) {
            weir_log(WEIR_LOG_INFO, "%s: a compaction was dropped: %s", commit->table->path,
                     err != NULL ? err->message : "conflict");
            weir_commit_changes_remove_files(commit->table, &changes);
            commit->dropped_compaction = true;
            weir_error_clear(err);
            code = WEIR_OK;
        }
    }
    weir_commit_changes_free(&changes);
    /* Whatever went wrong: a caller must not take the whole for failed, but replay it. */
    return code != WEIR_OK && rows_stand
               ? weir_error_context(err, WEIR_IO, "the rows are committed, their compaction is not")
               : code;
}

static int commit_rows(weir_table_commit *commit, const weir_committable *committable, int64_t *snapshot_id,
                       weir_error *err)
{
    weir_commit_changes changes;
    weir_commit_changes_append(committable->messages, &changes);
    int code = WEIR_OK;
    if (!weir_commit_changes_are_empty(&changes) || commit->force_create) {
        code = commit_half(commit, committable, &changes, snapshot_id, err);
        commit->rows_snapshot = changes.places_keys ? *snapshot_id : 0;
    }
    weir_commit_changes_free(&changes);
    return code;
}

/* Expires old snapshots after a new one (0: there is none), and hands out its id. */
static void finish_commit(weir_table_commit *commit, int64_t snapshot_id, int64_t *out_snapshot_id)
{
    weir_commit_figures_report(&commit->figures, commit->table->context.metrics);
    int64_t expired = 0;
    weir_error reason = {0};
    /* The commit stands; what cannot be cleaned up now will be the next time. */
    if (snapshot_id > 0 && commit->expires &&
        weir_table_expire_knowing(commit->table, NULL, &commit->tags, &expired, &reason) != WEIR_OK) {
        weir_log(WEIR_LOG_WARN, "%s: expiring snapshots: %s", commit->table->path, reason.message);
    }
    if (out_snapshot_id != NULL) {
        *out_snapshot_id = snapshot_id;
    }
}

static int commit_halves(weir_table_commit *commit, const weir_committable *committable, int parts,
                         int64_t *out_snapshot_id, weir_error *err)
{
    int64_t snapshot_id = 0;
    commit->dropped_compaction = false;
    commit->rows_snapshot = 0;
    weir_commit_figures_begin(&commit->figures);
    WEIR_TRY(weir_table_commit_verify(commit, err));
    if (parts & APPEND_HALF) {
        WEIR_TRY(commit_rows(commit, committable, &snapshot_id, err));
    }
    if (parts & COMPACT_HALF) {
        WEIR_TRY(commit_compaction(commit, committable, true, &snapshot_id, err));
    }
    finish_commit(commit, snapshot_id, out_snapshot_id);
    return WEIR_OK;
}

int weir_table_commit_run(weir_table_commit *commit, const weir_committable *committable, int64_t *out_snapshot_id,
                          weir_error *err)
{
    return commit_halves(commit, committable, APPEND_HALF | COMPACT_HALF, out_snapshot_id, err);
}

int weir_table_commit_find(weir_table_commit *commit, int64_t identifier, bool *out_append, bool *out_compact,
                           weir_error *err)
{
    weir_commit_search found;
    WEIR_TRY(weir_commit_search_snapshots(commit->table, commit->user, identifier, 0, &found, err));
    *out_append = found.append;
    *out_compact = found.compact;
    return WEIR_OK;
}

int weir_table_commit_replay(weir_table_commit *commit, const weir_committable *committable, int64_t *out_snapshot_id,
                             weir_error *err)
{
    weir_commit_search found;
    WEIR_TRY(weir_commit_search_snapshots(commit->table, commit->user, committable->identifier, 0, &found, err));
    if (!found.settled) {
        WEIR_TRY(weir_commit_search_files(commit->table, committable->messages, false, &found, err));
    }
    int parts = (found.append ? 0 : APPEND_HALF) | (found.compact ? 0 : COMPACT_HALF);
    return commit_halves(commit, committable, parts, out_snapshot_id, err);
}

/* Between the snapshot that was seen and now, the table must have gone on, not back. */
static int check_seen(const weir_table_commit *commit, int64_t last_seen_snapshot, weir_error *err)
{
    const weir_table_context *context = &commit->table->context;
    int64_t latest = 0;
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest < last_seen_snapshot) {
        return weir_fail(err, WEIR_CONFLICT,
                         "%s: the table's latest snapshot is %" PRId64 ", but %" PRId64
                         " had been seen when the state was kept that is to be gone on from: the table was rolled back "
                         "or made anew; start over",
                         commit->table->path, latest, last_seen_snapshot);
    }
    return WEIR_OK;
}

int weir_table_commit_recover(weir_table_commit *commit, const weir_committable *committable,
                              int64_t last_seen_snapshot, int64_t *out_snapshot_id, weir_error *err)
{
    weir_commit_search found;
    WEIR_TRY(check_seen(commit, last_seen_snapshot, err));
    WEIR_TRY(weir_commit_search_snapshots(commit->table, commit->user, committable->identifier, last_seen_snapshot,
                                          &found, err));
    if (found.later_identifier > 0) {
        return weir_fail(err, WEIR_CONFLICT,
                         "%s: checkpoint %" PRId64 " of this job is in the table already, and the state that is to be "
                         "gone on from is of checkpoint %" PRId64 ": it is an old copy; take the newest, or start over",
                         commit->table->path, found.later_identifier, committable->identifier);
    }
    if (!found.settled && committable->messages->count > 0) {
        WEIR_TRY(weir_commit_search_files(commit->table, committable->messages, true, &found, err));
    }
    int parts = (found.append ? 0 : APPEND_HALF) | (found.compact ? 0 : COMPACT_HALF);
    int code = commit_halves(commit, committable, parts, out_snapshot_id, err);
    return code == WEIR_CONFLICT
               ? weir_error_context(
                     err, code, "the table has changed since, so that this cannot be committed any more; start over")
               : code;
}

int weir_table_commit_abort(weir_table_commit *commit, const weir_commit_messages *messages, weir_error *err)
{
    return weir_commit_search_remove(commit->table, messages, err);
}

/* INSERT OVERWRITE and TRUNCATE. */
typedef struct overwrite {
    const weir_table *table;
    const weir_commit_changes *added;
    const weir_literal *const *partition_values; /* NULL: no static values */
    const weir_literal *const *const *specs;     /* of partitions that are dropped; NULL: none are */
    int32_t spec_count;
    bool dynamic; /* only partitions that `added` touches */
    weir_map touched;
} overwrite;

static bool matches_static_values(const overwrite *request, weir_slice partition)
{
    const weir_schema *schema = request->table->schema;
    for (int32_t i = 0; i < request->spec_count; i++) {
        if (weir_partition_matches(schema, request->specs[i], partition)) {
            return true;
        }
    }
    return request->specs == NULL &&
           (request->partition_values == NULL || weir_partition_matches(schema, request->partition_values, partition));
}

/* Whether the files of a partition are to be replaced. */
static bool is_overwritten(void *context, weir_slice partition)
{
    const overwrite *request = context;
    return request->dynamic ? weir_map_get(&request->touched, partition) != NULL
                            : matches_static_values(request, partition);
}

/* The index files of the partitions that are replaced go with their data files. */
static int delete_indexes(overwrite *request, const weir_snapshot *latest, weir_arena *arena, weir_index_entries *out,
                          weir_error *err)
{
    size_t kept = 0;
    WEIR_TRY(weir_snapshot_indexes(request->table, latest, arena, out, err));
    for (size_t i = 0; i < out->count; i++) {
        if (is_overwritten(request, out->items[i].partition)) {
            out->items[kept] = out->items[i];
            out->items[kept++].kind = WEIR_FILE_DELETE;
        }
    }
    out->count = kept;
    return WEIR_OK;
}

static int overwrite_changes(void *argument, const weir_snapshot *latest, weir_arena *arena, weir_commit_changes *out,
                             weir_error *err)
{
    overwrite *request = argument;
    const weir_table *table = request->table;
    out->kind = WEIR_COMMIT_OVERWRITE;
    if (latest != NULL) {
        weir_manifest_filter filter = {
            .bucket = -1, .min_level = -1, .partition_matches = is_overwritten, .partition_context = request};
        WEIR_TRY(weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, latest, &filter,
                                     table->context.pool, arena, &out->files, err));
        for (size_t i = 0; i < out->files.count; i++) {
            out->files.items[i].kind = WEIR_FILE_DELETE;
        }
        WEIR_TRY(delete_indexes(request, latest, arena, &out->indexes, err));
    }
    if (request->added != NULL) {
        weir_commit_changes_copy_files(&request->added->files, NULL, &out->files);
        weir_commit_changes_copy_indexes(&request->added->indexes, NULL, &out->indexes);
    }
    return WEIR_OK;
}

/* One OVERWRITE snapshot. Should another program write over it, there is nothing that could be committed again: it
 * would have to be made anew. */
static int commit_overwrite(weir_table_commit *commit, const weir_committable *committable, overwrite *request,
                            int64_t *snapshot_id, weir_error *err)
{
    static const weir_commit_changes nothing_to_repeat = {.kind = WEIR_COMMIT_OVERWRITE};
    weir_commit_request attempt = {
        .table = commit->table,
        .commit_user = commit->user,
        .committable = committable,
        .source = overwrite_changes,
        .argument = request,
    };
    weir_published published = {0};
    commit->dropped_compaction = false;
    weir_commit_figures_begin(&commit->figures);
    WEIR_TRY(weir_table_commit_verify(commit, err));
    WEIR_TRY(weir_commit_attempt(&attempt, &published, err));
    *snapshot_id = published.snapshot_id;
    weir_commit_figures_add(&commit->figures, request->added != NULL ? request->added : &nothing_to_repeat, &published);
    weir_commit_guard_remember(&commit->last, &published, committable->identifier, &nothing_to_repeat);
    return WEIR_OK;
}

/* What is written must lie in what is replaced: elsewhere rows from before would be newer than it. */
static int check_added(const overwrite *request, weir_error *err)
{
    const weir_table *table = request->table;
    for (size_t i = 0; i < request->added->files.count; i++) {
        weir_slice partition = request->added->files.items[i].partition;
        if (!matches_static_values(request, partition)) {
            weir_arena arena;
            weir_arena_init(&arena);
            const char *text = "";
            weir_partition_text(table->schema, partition, &arena, &text, NULL);
            int code = weir_fail(err, WEIR_INVALID,
                                 "%s: rows of partition %s were written, which is not among those to be overwritten",
                                 table->path, text);
            weir_arena_free(&arena);
            return code;
        }
    }
    return WEIR_OK;
}

/* A key that stays in another partition would be there twice. */
static int check_whole(const overwrite *request, weir_error *err)
{
    const weir_schema *schema = request->table->schema;
    bool whole = !request->dynamic;
    for (int32_t i = 0; i < schema->partition_key_count && request->partition_values != NULL; i++) {
        whole = whole && request->partition_values[i] == NULL;
    }
    if (weir_schema_is_cross_partition(schema) && !whole) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: its primary key lacks a partition column, so partitions cannot be overwritten by "
                         "themselves; overwrite the whole table ('dynamic-partition-overwrite' = 'false', no "
                         "PARTITION), or delete rows and insert",
                         request->table->path);
    }
    return WEIR_OK;
}

static int run_overwrite(weir_table_commit *commit, const weir_committable *committable, overwrite *request,
                         int64_t *snapshot_id, weir_error *err)
{
    WEIR_TRY(check_whole(request, err));
    WEIR_TRY(check_added(request, err));
    if (request->dynamic && request->added->files.count == 0) {
        return WEIR_OK; /* no partition is touched */
    }
    return commit_overwrite(commit, committable, request, snapshot_id, err);
}

int weir_table_commit_overwrite(weir_table_commit *commit, const weir_committable *committable,
                                const weir_literal *const *partition_values, int64_t *out_snapshot_id, weir_error *err)
{
    const weir_schema *schema = commit->table->schema;
    bool dynamic = false;
    WEIR_TRY(weir_options_bool(&schema->options, "dynamic-partition-overwrite", &dynamic, err));
    bool has_compact = false;
    weir_commit_changes added;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_changes_append(committable->messages, &added);
    discard_changelog(commit->table, &added); /* an overwrite is no change to a stream, in Paimon too */
    overwrite request = {
        .table = commit->table,
        .added = &added,
        .partition_values = partition_values,
        .dynamic = dynamic && partition_values == NULL && schema->partition_key_count > 0,
    };
    for (size_t i = 0; i < added.files.count; i++) {
        weir_map_put(&request.touched, added.files.items[i].partition, &request);
    }
    int64_t snapshot_id = 0;
    for (size_t i = 0; i < committable->messages->count; i++) {
        const weir_commit_message *message = &committable->messages->items[i];
        has_compact |= message->compact_before.count > 0 || message->compact_after.count > 0;
    }
    int code = has_compact ? WEIR_OK : weir_overwrite_upgrade(commit->table, &added, &arena, err);
    if (code == WEIR_OK) {
        code = run_overwrite(commit, committable, &request, &snapshot_id, err);
    }
    weir_map_free(&request.touched);
    weir_commit_changes_free(&added);
    weir_arena_free(&arena);
    WEIR_TRY(code);
    WEIR_TRY(commit_compaction(commit, committable, false, &snapshot_id, err));
    finish_commit(commit, snapshot_id, out_snapshot_id);
    return WEIR_OK;
}

int weir_table_commit_truncate(weir_table_commit *commit, int64_t identifier, int64_t *out_snapshot_id, weir_error *err)
{
    weir_commit_messages none = {0};
    weir_committable committable = {.identifier = identifier, .watermark = WEIR_NO_WATERMARK, .messages = &none};
    overwrite request = {.table = commit->table};
    int64_t snapshot_id = 0;
    WEIR_TRY(commit_overwrite(commit, &committable, &request, &snapshot_id, err));
    finish_commit(commit, snapshot_id, out_snapshot_id);
    return WEIR_OK;
}

static int has_files(const overwrite *request, bool *out, weir_error *err)
{
    const weir_table_context *context = &request->table->context;
    weir_snapshot *latest = NULL;
    weir_commit_changes changes = {0};
    weir_arena arena;
    int64_t id = 0;
    int code;
    weir_arena_init(&arena);
    *out = false;
    WEIR_GO(weir_snapshot_latest_id(context->fs, context->paths.root, &id, err));
    if (id > 0) {
        WEIR_GO(weir_snapshot_read(context->fs, context->paths.root, id, &arena, &latest, err));
        WEIR_GO(overwrite_changes((void *)request, latest, &arena, &changes, err));
        *out = changes.files.count > 0;
    }
done:
    weir_commit_changes_free(&changes);
    weir_arena_free(&arena);
    return code;
}

int weir_table_commit_drop_partitions(weir_table_commit *commit, const weir_literal *const *const *specs,
                                      int32_t spec_count, int64_t identifier, int64_t *out_snapshot_id, weir_error *err)
{
    weir_commit_messages none = {0};
    weir_committable committable = {.identifier = identifier, .watermark = WEIR_NO_WATERMARK, .messages = &none};
    overwrite request = {.table = commit->table, .specs = specs, .spec_count = spec_count};
    int64_t snapshot_id = 0;
    bool any = false;
    WEIR_TRY(has_files(&request, &any, err));
    if (any) {
        WEIR_TRY(commit_overwrite(commit, &committable, &request, &snapshot_id, err));
    }
    finish_commit(commit, snapshot_id, out_snapshot_id);
    return WEIR_OK;
}

const weir_table *weir_table_commit_table(const weir_table_commit *commit) { return commit->table; }

int weir_table_commit_analyze(weir_table_commit *commit, const char *statistics, int64_t *out_snapshot_id,
                              weir_error *err)
{
    static const weir_commit_changes nothing = {.kind = WEIR_COMMIT_ANALYZE};
    weir_commit_messages none = {0};
    weir_committable committable = {
        .identifier = WEIR_BATCH_COMMIT_IDENTIFIER, .watermark = WEIR_NO_WATERMARK, .messages = &none};
    weir_commit_request request = {
        .table = commit->table,
        .commit_user = commit->user,
        .committable = &committable,
        .source = fixed_changes,
        .argument = (void *)&nothing,
        .statistics = statistics,
    };
    weir_published published = {0};
    WEIR_TRY(weir_table_commit_verify(commit, err));
    WEIR_TRY(weir_commit_attempt(&request, &published, err));
    finish_commit(commit, published.snapshot_id, out_snapshot_id);
    return WEIR_OK;
}
