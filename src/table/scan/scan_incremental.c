/* Planning incremental batch reads.
 *
 *   delta      the files that APPEND snapshots added
 *   changelog  the changelog files of the snapshots
 *   diff       the difference of two states: files that stand in both are left out on either side, the rest is merged
 *              and compared (primary key), or what is new is read (append)
 *   auto       changelog where the table makes one, otherwise delta; between two tags always diff
 *
 * The start is exclusive, the end inclusive. Source of truth: org.apache.paimon.table.source.snapshot.Incremental*. */
#include "table/scan/scan_incremental.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "lsm/lsm_options.h"
#include "table/scan/scan_deletions.h"
#include "table/scan/scan_filter.h"
#include "table/scan/split_builder.h"

bool weir_scan_is_incremental(const weir_table *table)
{
    return weir_options_get(&table->schema->options, "incremental-between") != NULL ||
           weir_options_get(&table->schema->options, "incremental-between-timestamp") != NULL;
}

typedef enum incremental_mode { MODE_DELTA, MODE_CHANGELOG, MODE_DIFF } incremental_mode;

/* What lies between: snapshot ids, and for a diff the two states. */
typedef struct incremental_range {
    int64_t from;
    int64_t to;
    weir_snapshot *before; /* NULL: nothing was there */
    weir_snapshot *after;
    bool between_tags;
    bool from_before_all; /* a time before the earliest snapshot, which `from` precedes: a diff starts with that one */
} incremental_range;

static int read_snapshot(const weir_table *table, int64_t id, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    int code = weir_snapshot_read(context->fs, context->paths.root, id, arena, out, err);
    if (code == WEIR_NOT_FOUND) {
        return weir_fail(err, WEIR_NOT_FOUND,
                         "%s: snapshot %" PRId64 " of the incremental read does not exist (any more)", table->path, id);
    }
    return code;
}

static int split_pair(const char *key, const char *text, weir_arena *arena, const char **out_first,
                      const char **out_second, weir_error *err)
{
    const char *comma = strchr(text, ',');
    if (comma == NULL || comma == text || comma[1] == '\0' || strchr(comma + 1, ',') != NULL) {
        return weir_fail(err, WEIR_INVALID, "option '%s' is '%s', but takes a start and an end, such as '5,20'", key,
                         text);
    }
    *out_first = weir_arena_strndup(arena, text, (size_t)(comma - text));
    *out_second = weir_arena_strdup(arena, comma + 1);
    return WEIR_OK;
}

static int resolve_between(const weir_table *table, const char *text, weir_arena *arena, incremental_range *range,
                           weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *first = NULL, *second = NULL;
    WEIR_TRY(split_pair("incremental-between", text, arena, &first, &second, err));
    weir_snapshot *start = NULL, *end = NULL;
    if (weir_tag_read(context->fs, context->paths.root, first, arena, &start, NULL) == WEIR_OK &&
        weir_tag_read(context->fs, context->paths.root, second, arena, &end, NULL) == WEIR_OK) {
        range->between_tags = true;
        range->before = start;
        range->after = end;
        range->from = start->id;
        range->to = end->id;
        return WEIR_OK;
    }
    if (!weir_parse_int64(weir_slice_text(first), &range->from) ||
        !weir_parse_int64(weir_slice_text(second), &range->to)) {
        return weir_fail(err, WEIR_NOT_FOUND,
                         "%s: incremental-between is '%s', but these are neither two snapshot ids nor two tags",
                         table->path, text);
    }
    return WEIR_OK;
}

static int resolve_between_times(const weir_table *table, const char *text, weir_arena *arena, incremental_range *range,
                                 weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *texts[2];
    int64_t ids[2] = {0, 0};
    bool starts_before_all = false;
    WEIR_TRY(split_pair("incremental-between-timestamp", text, arena, &texts[0], &texts[1], err));
    for (int i = 0; i < 2; i++) {
        int64_t time_ms = 0;
        if (!weir_parse_int64(weir_slice_text(texts[i]), &time_ms)) {
            const weir_type *type = weir_type_with_length(arena, WEIR_TIMESTAMP, 3, false);
            weir_literal literal;
            WEIR_TRY_CTX(weir_literal_parse(type, weir_slice_text(texts[i]), arena, &literal, err), err,
                         "incremental-between-timestamp");
            time_ms = literal.integer;
        }
        weir_snapshot *snapshot = NULL;
        WEIR_TRY(weir_snapshot_at_time(context->fs, context->paths.root, time_ms, false, arena, &snapshot, err));
        if (snapshot != NULL) {
            ids[i] = snapshot->id;
        } else {
            int64_t earliest = 0;
            WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
            ids[i] = earliest - 1;
            starts_before_all |= i == 0;
        }
    }
    range->from = ids[0];
    range->to = ids[1];
    range->from_before_all = starts_before_all;
    return WEIR_OK;
}

static int resolve_range(const weir_table *table, weir_arena *arena, incremental_range *range, weir_error *err)
{
    const weir_table_context *context = &table->context;
    const weir_options *set = &table->schema->options;
    const char *between = weir_options_get(set, "incremental-between");
    if (between != NULL) {
        WEIR_TRY(resolve_between(table, between, arena, range, err));
    } else {
        WEIR_TRY(
            resolve_between_times(table, weir_options_get(set, "incremental-between-timestamp"), arena, range, err));
    }
    if (range->between_tags) {
        return WEIR_OK;
    }
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (range->from > range->to) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: the incremental read starts at snapshot %" PRId64 ", after its end %" PRId64, table->path,
                         range->from, range->to);
    }
    if (range->from < earliest - 1 || range->to > latest) {
        return weir_fail(err, WEIR_NOT_FOUND,
                         "%s: the incremental read asks for snapshots %" PRId64 " to %" PRId64
                         ", but there are %" PRId64 " to %" PRId64,
                         table->path, range->from, range->to, earliest, latest);
    }
    return WEIR_OK;
}

static int resolve_mode(const weir_table *table, const incremental_range *range, incremental_mode *out, weir_error *err)
{
    const char *mode = NULL;
    weir_changelog_producer producer;
    WEIR_TRY(weir_options_text(&table->schema->options, "incremental-between-scan-mode", &mode, err));
    WEIR_TRY(weir_changelog_producer_of(table->schema, &producer, err));
    if (range->between_tags || (mode != NULL && strcmp(mode, "diff") == 0)) {
        *out = MODE_DIFF;
    } else if (mode != NULL && strcmp(mode, "delta") == 0) {
        *out = MODE_DELTA;
    } else if (mode != NULL && strcmp(mode, "changelog") == 0) {
        *out = MODE_CHANGELOG;
    } else {
        *out = producer == WEIR_CHANGELOG_NONE ? MODE_DELTA : MODE_CHANGELOG;
    }
    return WEIR_OK;
}

static int plan_changes(const weir_table *table, const incremental_range *range, bool changelog,
                        const weir_scan_options *options, weir_table_plan *plan, weir_error *err)
{
    for (int64_t id = range->from + 1; id <= range->to; id++) {
        weir_snapshot *snapshot = NULL;
        WEIR_TRY(read_snapshot(table, id, &plan->arena, &snapshot, err));
        if (changelog || snapshot->commit_kind == WEIR_COMMIT_APPEND) {
            WEIR_TRY(weir_scan_changes(table, snapshot, changelog, options, plan, err));
        }
    }
    return WEIR_OK;
}

/* The files of one bucket in the two states, without those that stand in both. */
typedef struct bucket_diff {
    weir_slice partition;
    int32_t bucket;
    weir_data_file **files[2];
    size_t count[2];
    size_t capacity[2];
} bucket_diff;

typedef struct state_diff {
    weir_map buckets; /* partition and bucket → bucket_diff */
    weir_buffer key;
    weir_arena *arena;
} state_diff;

static void free_diff(state_diff *diff)
{
    for (size_t i = 0; i < diff->buckets.entry_count; i++) {
        bucket_diff *bucket = diff->buckets.entries[i].value;
        free(bucket->files[0]);
        free(bucket->files[1]);
    }
    weir_map_free(&diff->buckets);
    weir_buffer_free(&diff->key);
}

static void add_to_diff(state_diff *diff, int side, const weir_manifest_entry *entry)
{
    weir_buffer_clear(&diff->key);
    weir_buffer_append(&diff->key, &entry->bucket, sizeof entry->bucket);
    weir_buffer_append(&diff->key, entry->partition.data, entry->partition.size);
    bucket_diff *bucket = weir_map_get(&diff->buckets, weir_buffer_slice(&diff->key));
    if (bucket == NULL) {
        bucket = WEIR_NEW(diff->arena, bucket_diff);
        bucket->partition = entry->partition;
        bucket->bucket = entry->bucket;
        weir_map_put(&diff->buckets, weir_buffer_slice(&diff->key), bucket);
    }
    WEIR_GROW(bucket->files[side], bucket->capacity[side], bucket->count[side] + 1);
    bucket->files[side][bucket->count[side]++] = entry->file;
}

/* The same file is another one when other rows of it are deleted, or when it lies in another level, where it merges with
 * other files. */
static bool is_same(const weir_data_file *a, const weir_data_file *b)
{
    const weir_deletion *first = a->deletion, *second = b->deletion;
    if (a->level != b->level) {
        return false;
    }
    if (first == NULL || second == NULL) {
        return first == second;
    }
    return first->offset == second->offset && strcmp(first->path, second->path) == 0;
}

static void collect_diff(const weir_manifest_entries *before, const weir_manifest_entries *after, state_diff *diff)
{
    const weir_manifest_entries *sides[2] = {before, after};
    for (int side = 0; side < 2; side++) {
        weir_map others = {0};
        const weir_manifest_entries *other = sides[1 - side];
        for (size_t i = 0; i < other->count; i++) {
            weir_map_put(&others, weir_slice_text(other->items[i].file->name), other->items[i].file);
        }
        for (size_t i = 0; i < sides[side]->count; i++) {
            const weir_manifest_entry *entry = &sides[side]->items[i];
            const weir_data_file *same = weir_map_get(&others, weir_slice_text(entry->file->name));
            if (entry->bucket >= 0 && (same == NULL || !is_same(same, entry->file))) {
                add_to_diff(diff, side, entry);
            }
        }
        weir_map_free(&others);
    }
}

/* All sections of one side joined into the fewest runs. */
static int runs_of(const weir_table *table, weir_data_file *const *files, size_t count, weir_arena *arena,
                   weir_sorted_run **out, int32_t *out_count, weir_error *err)
{
    weir_table_plan scratch = {0};
    weir_split_builder builder = {.plan = &scratch, .target_bytes = INT64_MAX};
    weir_section *sections = NULL;
    size_t section_count = 0;
    weir_arena_init(&scratch.arena);
    int code = weir_sections_of(table->schema, files, count, arena, &sections, &section_count, err);
    for (size_t i = 0; i < section_count && code == WEIR_OK; i++) {
        weir_split_builder_add_section(&builder, &sections[i]);
    }
    int32_t run_count = builder.open.run_count;
    weir_sorted_run *runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, run_count);
    for (int32_t i = 0; i < run_count; i++) {
        runs[i] = builder.open.runs[i];
        runs[i].files = weir_arena_copy(arena, runs[i].files, sizeof(*runs[i].files) * (size_t)runs[i].file_count);
    }
    weir_arena_free(&scratch.arena);
    *out = runs;
    *out_count = run_count;
    return code;
}

static int add_diff_splits(const weir_table *table, state_diff *diff, int64_t snapshot_id, bool with_before,
                           weir_table_plan *plan, weir_error *err)
{
    weir_split_builder builder;
    WEIR_TRY(weir_split_builder_init(&builder, table, plan, err));
    for (size_t i = 0; i < diff->buckets.entry_count; i++) {
        bucket_diff *bucket = diff->buckets.entries[i].value;
        if (!weir_table_has_primary_key(table)) {
            weir_split_builder_begin(&builder, snapshot_id, bucket->partition, bucket->bucket);
            for (size_t f = 0; f < bucket->count[1]; f++) {
                weir_split_builder_add_file(&builder, WEIR_SPLIT_CHANGELOG, bucket->files[1][f]);
            }
            weir_split_builder_end(&builder);
            continue;
        }
        weir_split split = {
            .kind = WEIR_SPLIT_DIFF,
            .snapshot_id = snapshot_id,
            .partition = bucket->partition,
            .bucket = bucket->bucket,
            .with_before = with_before,
        };
        WEIR_TRY(
            runs_of(table, bucket->files[0], bucket->count[0], &plan->arena, &split.before, &split.before_count, err));
        WEIR_TRY(runs_of(table, bucket->files[1], bucket->count[1], &plan->arena, &split.runs, &split.run_count, err));
        for (size_t f = 0; f < bucket->count[1]; f++) {
            split.row_count += bucket->files[1][f]->row_count;
            split.size_bytes += bucket->files[1][f]->size_bytes;
        }
        plan->splits = weir_realloc(plan->splits, sizeof(weir_split) * (plan->split_count + 1));
        plan->splits[plan->split_count++] = split;
    }
    return WEIR_OK;
}

static int plan_diff(const weir_table *table, incremental_range *range, const weir_scan_options *options,
                     weir_table_plan *plan, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_scan_filter filter;
    weir_manifest_entries before = {0}, after = {0};
    state_diff diff = {.arena = &plan->arena};
    int code = WEIR_OK;
    range->from += range->from_before_all;
    if (!range->between_tags && range->from > 0) {
        WEIR_GO(read_snapshot(table, range->from, &plan->arena, &range->before, err));
    }
    if (!range->between_tags && range->to > 0) {
        WEIR_GO(read_snapshot(table, range->to, &plan->arena, &range->after, err));
    }
    WEIR_GO(weir_scan_filter_init(&filter, table, options, &plan->arena, err));
    weir_manifest_filter manifest_filter = {
        .bucket = filter.bucket,
        .total_buckets = filter.total_buckets,
        .min_level = weir_scan_skips_level_zero(table) ? 1 : -1,
        .without_stats = true,
    };
    weir_scan_filter_set_partitions(&filter, &manifest_filter);
    if (range->before != NULL) {
        WEIR_GO(weir_snapshot_files(context->fs, &context->paths, table->schema, range->before, &manifest_filter,
                                    context->pool, &plan->arena, &before, err));
        WEIR_GO(weir_scan_set_deletions(table, range->before, &plan->arena, &before, err));
    }
    if (range->after != NULL) {
        WEIR_GO(weir_snapshot_files(context->fs, &context->paths, table->schema, range->after, &manifest_filter,
                                    context->pool, &plan->arena, &after, err));
        WEIR_GO(weir_scan_set_deletions(table, range->after, &plan->arena, &after, err));
    }
    collect_diff(&before, &after, &diff);
    WEIR_GO(add_diff_splits(table, &diff, range->to, false, plan, err));
done:
    free_diff(&diff);
    weir_manifest_entries_free(&before);
    weir_manifest_entries_free(&after);
    return code;
}

int weir_scan_overwrite(const weir_table *table, const weir_snapshot *snapshot, bool with_before,
                        const weir_scan_options *options, weir_table_plan *plan, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_scan_filter filter;
    weir_manifest_files manifests = {0};
    weir_manifest_entries entries = {0};
    state_diff diff = {.arena = &plan->arena};
    int code = WEIR_OK;
    WEIR_GO(weir_scan_filter_init(&filter, table, options, &plan->arena, err));
    weir_manifest_filter manifest_filter = {
        .bucket = filter.bucket, .total_buckets = filter.total_buckets, .min_level = -1, .without_stats = true};
    weir_scan_filter_set_partitions(&filter, &manifest_filter);
    WEIR_GO(weir_manifest_list_read(context->fs, &context->paths, snapshot->delta_manifest_list, &plan->arena,
                                    &manifests, err));
    for (size_t i = 0; i < manifests.count; i++) {
        WEIR_GO(weir_manifest_read(context->fs, &context->paths, manifests.items[i].name, &manifest_filter,
                                   &plan->arena, &entries, err));
    }
    weir_manifest_entries_sort(&entries);
    for (size_t i = 0; i < entries.count; i++) {
        bool is_added = entries.items[i].kind == WEIR_FILE_ADD;
        if (entries.items[i].bucket >= 0) {
            add_to_diff(&diff, is_added ? 1 : 0, &entries.items[i]);
        }
    }
    WEIR_GO(add_diff_splits(table, &diff, snapshot->id, with_before, plan, err));
done:
    free_diff(&diff);
    weir_manifest_files_free(&manifests);
    weir_manifest_entries_free(&entries);
    return code;
}

int weir_scan_plan_incremental(const weir_table *table, const weir_scan_options *options, weir_table_plan *plan,
                               weir_error *err)
{
    incremental_range range = {0};
    incremental_mode mode;
    WEIR_TRY(weir_scan_check_changes_readable(table, err));
    WEIR_TRY(resolve_range(table, &plan->arena, &range, err));
    WEIR_TRY(resolve_mode(table, &range, &mode, err));
    plan->snapshot_id = range.to;
    if (range.from == range.to) {
        return WEIR_OK;
    }
    if (mode == MODE_DIFF) {
        return plan_diff(table, &range, options, plan, err);
    }
    weir_scan_options changes = options != NULL ? *options : (weir_scan_options){.limit = -1};
    changes.without_postponed = true;
    if (mode == MODE_DELTA && weir_scan_skips_level_zero(table)) {
        changes.min_level = 1;
    }
    return plan_changes(table, &range, mode == MODE_CHANGELOG, &changes, plan, err);
}
