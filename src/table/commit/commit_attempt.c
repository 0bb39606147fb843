/* Making a snapshot: manifests first, then the snapshot file, which is published atomically or not at all.
 *
 * Whoever publishes snapshot N + 1 first has won; the others check their changes against it and try N + 2. */
#include "table/commit/commit_attempt.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "table/commit/commit_indexes.h"

typedef struct retry_policy {
    int64_t max_retries;
    int64_t min_wait_ms;
    int64_t max_wait_ms;
    int64_t timeout_ms; /* INT64_MAX: none */
} retry_policy;

static int read_retry_policy(const weir_table *table, retry_policy *out, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    out->timeout_ms = INT64_MAX;
    WEIR_TRY(weir_options_int(set, "commit.max-retries", &out->max_retries, err));
    WEIR_TRY(weir_options_duration(set, "commit.min-retry-wait", &out->min_wait_ms, err));
    WEIR_TRY(weir_options_duration(set, "commit.max-retry-wait", &out->max_wait_ms, err));
    if (weir_options_get(set, "commit.timeout") != NULL) {
        WEIR_TRY(weir_options_duration(set, "commit.timeout", &out->timeout_ms, err));
    }
    return WEIR_OK;
}

static int read_latest(const weir_table *table, weir_arena *arena, int64_t *out_id, weir_snapshot **out,
                       weir_error *err)
{
    *out = NULL;
    WEIR_TRY(weir_snapshot_latest_id(table->context.fs, table->context.paths.root, out_id, err));
    if (*out_id == 0) {
        return WEIR_OK;
    }
    return weir_snapshot_read(table->context.fs, table->context.paths.root, *out_id, arena, out, err);
}

/* Whether others have gone on since the attempt began. What it could not find may have expired with the snapshot that
 * it began from; and the id of its own may be free again, though it is long taken. */
static bool is_overtaken(const weir_table *table, int64_t latest_id)
{
    int64_t id = 0;
    return weir_snapshot_latest_id(table->context.fs, table->context.paths.root, &id, NULL) == WEIR_OK &&
           id > latest_id;
}

static int64_t count_rows(const weir_manifest_entries *entries)
{
    int64_t rows = 0;
    for (size_t i = 0; i < entries->count; i++) {
        int64_t count = entries->items[i].file->row_count;
        rows += entries->items[i].kind == WEIR_FILE_ADD ? count : -count;
    }
    return rows;
}

/* Writes entries as manifests and their list. */
static int write_list(weir_manifest_writer *writer, const weir_manifest_entries *entries, const char **out_name,
                      int64_t *out_size, weir_error *err)
{
    weir_manifest_files files = {0};
    int code = WEIR_OK;
    if (entries->count > 0) {
        WEIR_GO(weir_manifest_writer_write(writer, entries->items, entries->count, &files, err));
    }
    WEIR_GO(weir_manifest_writer_write_list(writer, &files, out_name, out_size, err));
done:
    weir_manifest_files_free(&files);
    return code;
}

/* The base list of the next snapshot: everything up to `latest`, merged where that is due. */
static int write_base_list(weir_manifest_writer *writer, const weir_snapshot *latest, weir_snapshot *next,
                           int64_t *out_live_files, weir_error *err)
{
    weir_manifest_files previous = {0}, merged = {0};
    int code = WEIR_OK;
    if (latest != NULL) {
        WEIR_GO(weir_manifest_list_read(writer->fs, writer->paths, latest->base_manifest_list, writer->arena, &previous,
                                        err));
        WEIR_GO(weir_manifest_list_read(writer->fs, writer->paths, latest->delta_manifest_list, writer->arena,
                                        &previous, err));
        WEIR_GO(weir_manifest_merge(writer, &previous, &merged, err));
    }
    *out_live_files = 0;
    for (size_t i = 0; i < merged.count; i++) {
        *out_live_files += merged.items[i].added_files - merged.items[i].deleted_files;
    }
    WEIR_GO(weir_manifest_writer_write_list(writer, &merged, &next->base_manifest_list, &next->base_manifest_list_size,
                                            err));
done:
    weir_manifest_files_free(&previous);
    weir_manifest_files_free(&merged);
    return code;
}

static void set_watermark(const weir_snapshot *latest, const weir_committable *committable, weir_snapshot *next)
{
    next->watermark = WEIR_NO_WATERMARK;
    if (latest != NULL && latest->has_watermark) {
        next->has_watermark = true;
        next->watermark = latest->watermark;
    }
    if (committable->has_watermark && (!next->has_watermark || committable->watermark > next->watermark)) {
        next->has_watermark = true;
        next->watermark = committable->watermark;
    }
}

/* Another job may have altered the table since it was opened; a snapshot names the newest schema. */
static int set_schema(const weir_table *table, const weir_snapshot *latest, weir_arena *arena, weir_snapshot *next,
                      weir_error *err)
{
    weir_schema *newest = NULL;
    WEIR_TRY(weir_schema_read_latest(table->context.fs, table->context.paths.root, arena, &newest, err));
    next->schema_id = newest->id;
    next->statistics = latest != NULL && latest->schema_id == newest->id ? latest->statistics : NULL;
    return WEIR_OK;
}

/* An index manifest is complete: with a change all of it is written anew. */
static int write_indexes(const weir_commit_request *request, const weir_snapshot *latest,
                         const weir_commit_changes *changes, weir_manifest_writer *writer, weir_snapshot *next,
                         weir_error *err)
{
    weir_index_entries current = {0};
    int code = WEIR_OK;
    next->index_manifest = latest != NULL ? latest->index_manifest : NULL;
    if (changes->indexes.count + changes->relied.count > 0) {
        WEIR_GO(weir_snapshot_indexes(request->table, latest, writer->arena, &current, err));
        WEIR_GO(weir_commit_indexes_check(request->table, &changes->relied, &current, err));
    }
    if (changes->indexes.count > 0) {
        WEIR_GO(weir_commit_indexes_apply(request->table, &changes->indexes, &current, err));
        WEIR_GO(weir_manifest_writer_write_index(writer, &current, &next->index_manifest, err));
    }
done:
    weir_index_entries_free(&current);
    return code;
}

static int build_snapshot(const weir_commit_request *request, const weir_snapshot *latest,
                          const weir_commit_changes *changes, weir_manifest_writer *writer, weir_snapshot *next,
                          int64_t *out_live_files, weir_error *err)
{
    const weir_committable *committable = request->committable;
    int64_t delta = count_rows(&changes->files);
    *next = (weir_snapshot){
        .id = latest != NULL ? latest->id + 1 : 1,
        .changelog_manifest_list_size = -1,
        .commit_user = request->commit_user,
        .commit_identifier = committable->identifier,
        .commit_kind = changes->kind,
        .time_ms = weir_now_ms(),
        .total_record_count = (latest != NULL ? latest->total_record_count : 0) + delta,
        .delta_record_count = delta,
        .changelog_record_count = -1,
        .property_keys = (const char **)committable->property_keys,
        .property_values = (const char **)committable->property_values,
        .property_count = committable->property_count,
        .next_row_id = latest != NULL && latest->next_row_id > 0 ? latest->next_row_id : 0,
    };
    set_watermark(latest, committable, next);
    WEIR_TRY(set_schema(request->table, latest, writer->arena, next, err));
    next->statistics = request->statistics != NULL ? request->statistics : next->statistics;
    WEIR_TRY(write_indexes(request, latest, changes, writer, next, err));
    WEIR_TRY(write_base_list(writer, latest, next, out_live_files, err));
    for (size_t i = 0; i < changes->files.count; i++) {
        *out_live_files += changes->files.items[i].kind == WEIR_FILE_ADD ? 1 : -1;
    }
    WEIR_TRY(write_list(writer, &changes->files, &next->delta_manifest_list, &next->delta_manifest_list_size, err));
    if (changes->changelog.count > 0) {
        WEIR_TRY(write_list(writer, &changes->changelog, &next->changelog_manifest_list,
                            &next->changelog_manifest_list_size, err));
        next->changelog_record_count = count_rows(&changes->changelog);
    }
    return weir_manifest_writer_sync(writer, err);
}

/* After a publish that failed, whether the snapshot that stands there is ours all the same: the answer of the store may
 * have been lost. Names of manifest lists are unique. */
static bool is_ours(const weir_table *table, const weir_snapshot *next, weir_arena *arena)
{
    weir_snapshot *found = NULL;
    return weir_snapshot_read(table->context.fs, table->context.paths.root, next->id, arena, &found, NULL) == WEIR_OK &&
           strcmp(found->commit_user, next->commit_user) == 0 && found->commit_identifier == next->commit_identifier &&
           strcmp(found->delta_manifest_list, next->delta_manifest_list) == 0;
}

static int manifests_of(const weir_table *table, const char *list, weir_arena *arena, weir_manifest_files *out)
{
    return weir_manifest_list_read(table->context.fs, &table->context.paths, list, arena, out, NULL);
}

/* Whether files that a manifest of `delta` adds are among those of `base`. Where that cannot be told, or it adds none,
 * they are taken for such. */
static bool have_its_files(const weir_table *table, const weir_manifest_files *base, const weir_manifest_files *delta,
                           weir_arena *arena)
{
    const weir_table_context *context = &table->context;
    const weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_manifest_entries added = {0}, there = {0};
    const char *name = NULL;
    int code = WEIR_OK;
    for (size_t i = 0; i < delta->count && code == WEIR_OK; i++) {
        code = weir_manifest_read(context->fs, &context->paths, delta->items[i].name, &filter, arena, &added, NULL);
    }
    for (size_t i = 0; i < added.count && name == NULL; i++) {
        name = added.items[i].kind == WEIR_FILE_ADD ? added.items[i].file->name : NULL;
    }
    for (size_t i = 0; i < base->count && code == WEIR_OK && name != NULL; i++) {
        code = weir_manifest_read(context->fs, &context->paths, base->items[i].name, &filter, arena, &there, NULL);
    }
    bool have = code != WEIR_OK || name == NULL;
    for (size_t i = 0; i < there.count && !have; i++) {
        have = strcmp(there.items[i].file->name, name) == 0;
    }
    weir_manifest_entries_free(&added);
    weir_manifest_entries_free(&there);
    return have;
}

/* Whether the snapshot after `next` was built on it: it has its manifests, or, where those have been merged, what they
 * come to. */
static bool stands_on(const weir_table *table, const weir_snapshot *after, const weir_snapshot *next, weir_arena *arena)
{
    weir_manifest_files base = {0}, delta = {0};
    bool has_same = false, has_files = true;
    if (manifests_of(table, after->base_manifest_list, arena, &base) == WEIR_OK &&
        manifests_of(table, next->delta_manifest_list, arena, &delta) == WEIR_OK) {
        for (size_t i = 0; i < base.count * delta.count && !has_same; i++) {
            has_same = strcmp(base.items[i / delta.count].name, delta.items[i % delta.count].name) == 0;
        }
        has_files = has_same || have_its_files(table, &base, &delta, arena);
    }
    weir_manifest_files_free(&base);
    weir_manifest_files_free(&delta);
    int64_t rows_before = after->total_record_count - after->delta_record_count;
    return has_same || (has_files && rows_before == next->total_record_count);
}

static bool has_expired(const weir_table *table, int64_t id, weir_arena *arena)
{
    weir_snapshot *found = NULL;
    return weir_snapshot_read(table->context.fs, table->context.paths.root, id, arena, &found, NULL) == WEIR_NOT_FOUND;
}

/* Takes the snapshot just published back where others lie ahead that do not stand on it: while it was made, so many
 * were committed and expired that its id was free again, and nobody would find what it has. That can only be where the
 * one that it was built on has expired. Returns whether it was so. */
static bool withdraw_passed(const weir_table *table, int64_t latest_id, const weir_snapshot *next, weir_arena *arena)
{
    const weir_table_context *context = &table->context;
    int64_t greatest = 0;
    weir_snapshot *found = NULL;
    if (latest_id == 0 || !has_expired(table, latest_id, arena) ||
        weir_snapshot_greatest_id(context->fs, context->paths.root, &greatest, NULL) != WEIR_OK ||
        greatest <= next->id) {
        return false;
    }
    /* Where it is gone together with the one after it, others have taken it for theirs and expired both since. */
    int code = weir_snapshot_read(context->fs, context->paths.root, next->id + 1, arena, &found, NULL);
    bool passed = code == WEIR_NOT_FOUND ? is_ours(table, next, arena)
                                         : code == WEIR_OK && !stands_on(table, found, next, arena);
    if (passed) {
        weir_snapshot_withdraw(context->fs, context->paths.root, next->id, greatest);
    }
    return passed;
}

/* Makes the snapshot that was built on `latest_id` visible. WEIR_EXISTS: somebody else was faster. */
static int publish(const weir_table *table, int64_t latest_id, const weir_snapshot *next, weir_arena *arena,
                   weir_error *err)
{
    const weir_table_context *context = &table->context;
    /* Elsewhere an id that is taken is not free: then publishing tells, and one look is enough. */
    if ((latest_id == 0 || has_expired(table, latest_id, arena)) && is_overtaken(table, latest_id)) {
        return WEIR_EXISTS;
    }
    int code = weir_snapshot_publish(context->fs, context->paths.root, next, err);
    if (code != WEIR_OK && !is_ours(table, next, arena)) {
        return code;
    }
    return withdraw_passed(table, latest_id, next, arena) ? WEIR_EXISTS : WEIR_OK;
}

/* One attempt. WEIR_RETRY: somebody else was faster. */
static int attempt(const weir_commit_request *request, weir_arena *arena, weir_published *out, weir_error *err)
{
    const weir_table *table = request->table;
    int64_t latest_id = 0;
    weir_snapshot *latest = NULL;
    weir_snapshot next;
    weir_commit_changes changes = {0};
    weir_manifest_writer writer;
    weir_manifest_writer_init(&writer, table->context.fs, &table->context.paths, table->schema, arena);
    bool may_be_visible = false;
    int code = WEIR_OK;

    WEIR_GO(read_latest(table, arena, &latest_id, &latest, err));
    WEIR_GO(request->source(request->argument, latest, arena, &changes, err));
    WEIR_GO(weir_commit_changes_check(table, request->commit_user, latest, &changes, err));
    WEIR_GO(build_snapshot(request, latest, &changes, &writer, &next, &out->live_files, err));
    code = publish(table, latest_id, &next, arena, err);
    may_be_visible = code != WEIR_EXISTS;
    if (code == WEIR_EXISTS) {
        code = weir_fail(err, WEIR_RETRY, "%s: snapshot %" PRId64 " was committed by somebody else meanwhile",
                         table->path, next.id);
    }
    if (code == WEIR_OK) {
        out->snapshot_id = next.id;
        snprintf(out->delta_list, sizeof out->delta_list, "%s", next.delta_manifest_list);
    }
done:
    if (code == WEIR_NOT_FOUND && !may_be_visible && is_overtaken(table, latest_id)) {
        code = weir_error_context(err, WEIR_RETRY, "snapshot %" PRId64 " has expired meanwhile", latest_id);
    }
    if (code != WEIR_OK && !may_be_visible) {
        weir_manifest_writer_abandon(&writer);
    }
    weir_manifest_writer_free(&writer);
    /* The arrays are ours; what the entries point to is the messages' or the arena's. */
    weir_commit_changes_free(&changes);
    return code;
}

int weir_commit_attempt(const weir_commit_request *request, weir_published *out, weir_error *err)
{
    retry_policy policy;
    WEIR_TRY(read_retry_policy(request->table, &policy, err));
    int64_t started_ns = weir_monotonic_ns(), wait_ms = policy.min_wait_ms;
    for (int64_t tries = 0;; tries++) {
        weir_arena arena;
        weir_arena_init(&arena);
        int code = attempt(request, &arena, out, err);
        weir_arena_free(&arena);
        if (code != WEIR_RETRY) {
            out->attempts = tries + 1;
            return code;
        }
        int64_t elapsed_ms = (weir_monotonic_ns() - started_ns) / 1000000;
        if (tries >= policy.max_retries || elapsed_ms > policy.timeout_ms) {
            return weir_error_context(err, WEIR_CONFLICT, "gave up after %" PRId64 " attempts (commit.max-retries)",
                                      tries + 1);
        }
        weir_stop_pause_ms(wait_ms);
        wait_ms = wait_ms * 2 < policy.max_wait_ms ? wait_ms * 2 : policy.max_wait_ms;
    }
}
