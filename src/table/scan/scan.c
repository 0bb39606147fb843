/* Planning: live files become splits.
 *
 * Files of a primary-key bucket are cut into sections of overlapping key ranges: a section of one run without deletes
 * is read as it is, the others are merged. Incremental reads are planned in scan_incremental.c. */
#include "table/scan/scan.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "merge/merge_engine.h"
#include "table/scan/scan_deletions.h"
#include "table/scan/scan_fallback.h"
#include "table/scan/scan_filter.h"
#include "table/scan/scan_incremental.h"
#include "table/scan/split_builder.h"

void weir_table_plan_free(weir_table_plan *plan)
{
    if (plan != NULL) {
        weir_table_plan_free(plan->fallback);
        weir_table_close(plan->fallback_table);
        free(plan->splits);
        weir_arena_free(&plan->arena);
        free(plan);
    }
}

/* Refuses, by name, options under which the files of a table do not mean what a plain read or a merge makes of them. */
static int check_readable(const weir_table *table, weir_error *err)
{
    static const struct {
        const char *key;
        const char *plain; /* the value that is fine; NULL: unset is */
    } options[] = {
        {"chain-table.enabled", "false"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *value = weir_options_get(&table->schema->options, options[i].key);
        if (value != NULL && (options[i].plain == NULL || !weir_text_equal_ignore_case(value, options[i].plain))) {
            return weir_fail(err, WEIR_UNSUPPORTED, "%s: tables with '%s' = '%s' cannot be read yet", table->path,
                             options[i].key, value);
        }
    }
    if (!weir_table_has_primary_key(table)) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_merge_engine engine;
    weir_arena_init(&arena);
    int code = weir_merge_engine_of(table->schema, &arena, &engine, err);
    weir_arena_free(&arena);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "%s", table->path);
}

static bool is_set(const weir_table *table, const char *key)
{
    bool value = false;
    return weir_options_bool(&table->schema->options, key, &value, NULL) == WEIR_OK && value;
}

/* Above level 0 each key has one row that is not deleted, whatever files overlap. */
static bool stands_unmerged(const weir_table *table)
{
    return weir_table_has_primary_key(table) && is_set(table, "deletion-vectors.enabled") &&
           !is_set(table, "deletion-vectors.merge-on-read");
}

bool weir_scan_skips_level_zero(const weir_table *table)
{
    const char *engine = weir_options_get(&table->schema->options, "merge-engine");
    return (engine != NULL && weir_text_equal_ignore_case(engine, "first-row")) || stands_unmerged(table);
}

int weir_scan_check_changes_readable(const weir_table *table, weir_error *err)
{
    bool evolves = false;
    WEIR_TRY(check_readable(table, err));
    WEIR_TRY(weir_options_bool(&table->schema->options, "data-evolution.enabled", &evolves, err));
    if (evolves) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: the changes of tables with 'data-evolution.enabled' = 'true' cannot be read yet",
                         table->path);
    }
    return WEIR_OK;
}

/* A run that needs no merging: nothing overlaps it, and no row in it is a delete. */
static bool is_plain_run(const weir_section *section)
{
    if (section->run_count != 1) {
        return false;
    }
    for (int32_t i = 0; i < section->runs[0].file_count; i++) {
        if (section->runs[0].files[i]->delete_row_count != 0) {
            return false;
        }
    }
    return true;
}

/* The rows of a plain run stand alone, so value statistics may leave files out. */
static int add_plain_files(weir_split_builder *builder, const weir_scan_filter *filter, weir_data_file *const *files,
                           int32_t count, weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        bool matches = true;
        WEIR_TRY(weir_scan_filter_values(filter, files[i], &matches, err));
        if (matches) {
            weir_split_builder_add_file(builder, WEIR_SPLIT_RAW, files[i]);
        }
    }
    return WEIR_OK;
}

/* Files above level 0 of a table with deletion vectors, none of which holds a delete. */
static bool all_stand_unmerged(const weir_table *table, weir_data_file *const *files, size_t count)
{
    bool unmerged = stands_unmerged(table);
    for (size_t i = 0; i < count && unmerged; i++) {
        unmerged = files[i]->level > 0 && files[i]->delete_row_count <= 0;
    }
    return unmerged;
}

static int add_key_bucket(weir_split_builder *builder, const weir_scan_filter *filter, weir_data_file *const *files,
                          size_t count, weir_error *err)
{
    weir_section *sections = NULL;
    size_t section_count = 0;
    if (all_stand_unmerged(filter->table, files, count)) {
        return add_plain_files(builder, filter, files, (int32_t)count, err);
    }
    WEIR_TRY(
        weir_sections_of(filter->table->schema, files, count, &builder->plan->arena, &sections, &section_count, err));
    for (size_t i = 0; i < section_count; i++) {
        if (is_plain_run(&sections[i])) {
            WEIR_TRY(add_plain_files(builder, filter, sections[i].runs[0].files, sections[i].runs[0].file_count, err));
        } else {
            weir_split_builder_add_section(builder, &sections[i]);
        }
    }
    return WEIR_OK;
}

static int compare_by_row_id(const void *a, const void *b)
{
    const weir_data_file *first = *(weir_data_file *const *)a, *second = *(weir_data_file *const *)b;
    if (first->first_row_id != second->first_row_id) {
        return first->first_row_id < second->first_row_id ? -1 : 1;
    }
    return (first->max_sequence_number < second->max_sequence_number) -
           (first->max_sequence_number > second->max_sequence_number);
}

/* Data evolution: files that begin at the same row id hold different columns of the same rows. */
static int add_column_groups(weir_split_builder *builder, const weir_scan_filter *filter, weir_data_file **files,
                             size_t count, weir_error *err)
{
    if (count > 1) {
        qsort(files, count, sizeof *files, compare_by_row_id);
    }
    for (size_t i = 0; i < count; i++) {
        if (files[i]->deletion != NULL) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "%s: %s has deleted rows; tables with 'data-evolution.enabled' = 'true' cannot be read "
                             "with them yet",
                             filter->table->path, files[i]->name);
        }
    }
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        int64_t row_end = files[first]->first_row_id + files[first]->row_count;
        while (end < count && files[first]->first_row_id >= 0 && files[end]->first_row_id < row_end) {
            if (files[end]->first_row_id != files[first]->first_row_id ||
                files[end]->row_count != files[first]->row_count) {
                return weir_fail(err, WEIR_UNSUPPORTED,
                                 "%s: %s and %s hold columns of overlapping, but not of the same rows; such files "
                                 "cannot be read yet",
                                 filter->table->path, files[first]->name, files[end]->name);
            }
            end++;
        }
        weir_split_builder_add_column_group(builder, files + first, (int32_t)(end - first));
        first = end;
    }
    return WEIR_OK;
}

/* The entries of one bucket: those whose keys may match. */
static int add_bucket(weir_split_builder *builder, const weir_scan_filter *filter, const weir_manifest_entry *entries,
                      size_t count, weir_error *err)
{
    bool has_key = weir_table_has_primary_key(filter->table);
    weir_data_file **files = WEIR_NEW_ARRAY(&builder->plan->arena, weir_data_file *, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool matches = true;
        if (has_key) {
            WEIR_TRY(weir_scan_filter_keys(filter, entries[i].file, &matches, err));
        }
        if (matches) {
            files[kept++] = entries[i].file;
        }
    }
    if (has_key) {
        return add_key_bucket(builder, filter, files, kept, err);
    }
    bool evolves = false;
    WEIR_TRY(weir_options_bool(&filter->table->schema->options, "data-evolution.enabled", &evolves, err));
    return evolves ? add_column_groups(builder, filter, files, kept, err)
                   : add_plain_files(builder, filter, files, (int32_t)kept, err);
}

static bool is_whole_filter_absent(const weir_scan_options *options)
{
    return options == NULL || options->predicate == NULL;
}

int weir_scan_state(const weir_table *table, const weir_snapshot *snapshot, int32_t min_level,
                    const weir_scan_options *options, weir_table_plan *plan, weir_error *err)
{
    weir_scan_filter filter;
    weir_split_builder builder;
    weir_manifest_entries entries = {0};
    weir_manifest_counts counts = {0};
    int code = WEIR_OK;
    WEIR_GO(weir_scan_filter_init(&filter, table, options, &plan->arena, err));
    WEIR_GO(weir_split_builder_init(&builder, table, plan, err));
    weir_manifest_filter manifest_filter = {
        .counts = &counts,
        .bucket = filter.bucket,
        .total_buckets = filter.total_buckets,
        .min_level = min_level,
        .without_stats = filter.values == NULL && (options == NULL || !options->with_stats),
    };
    weir_scan_filter_set_partitions(&filter, &manifest_filter);
    WEIR_GO(weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, snapshot, &manifest_filter,
                                table->context.pool, &plan->arena, &entries, err));
    WEIR_GO(weir_scan_set_deletions(table, snapshot, &plan->arena, &entries, err));
    weir_manifest_entries_sort(&entries);
    plan->files_total += (int64_t)entries.count;
    plan->manifests += counts.manifests;
    plan->manifests_read += counts.manifests_read;
    plan->files_in_snapshot += counts.files;
    for (size_t first = 0; first < entries.count;) {
        const weir_manifest_entry *entry = &entries.items[first];
        size_t end = first + 1;
        while (end < entries.count && entries.items[end].bucket == entry->bucket &&
               weir_slice_equal(entries.items[end].partition, entry->partition)) {
            end++;
        }
        if (entry->bucket >= 0 &&
            weir_scan_filter_bucket(&filter,
                                    entry)) { /* postponed files are seen once a compaction has given them buckets */
            weir_split_builder_begin(&builder, snapshot->id, entry->partition, entry->bucket);
            WEIR_GO(add_bucket(&builder, &filter, entry, end - first, err));
            weir_split_builder_end(&builder);
        }
        first = end;
    }
done:
    weir_manifest_entries_free(&entries);
    return code;
}

/* The files that were added, one split or more for each bucket. */
static void add_changes(weir_split_builder *builder, int64_t snapshot_id, const weir_manifest_entries *sorted,
                        bool without_postponed)
{
    const weir_manifest_entry *last = NULL; /* that was taken */
    for (size_t i = 0; i < sorted->count; i++) {
        const weir_manifest_entry *entry = &sorted->items[i];
        if (entry->kind != WEIR_FILE_ADD || (without_postponed && entry->bucket < 0)) {
            continue;
        }
        if (last == NULL || last->bucket != entry->bucket || !weir_slice_equal(last->partition, entry->partition)) {
            weir_split_builder_begin(builder, snapshot_id, entry->partition, entry->bucket);
        }
        weir_split_builder_add_file(builder, WEIR_SPLIT_CHANGELOG, entry->file);
        builder->plan->files_total++;
        last = entry;
    }
    weir_split_builder_end(builder);
}

int weir_scan_changes(const weir_table *table, const weir_snapshot *snapshot, bool changelog,
                      const weir_scan_options *options, weir_table_plan *plan, weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *list = changelog ? snapshot->changelog_manifest_list : snapshot->delta_manifest_list;
    weir_scan_filter filter;
    weir_split_builder builder;
    weir_manifest_entries entries = {0};
    weir_manifest_files manifests = {0};
    int code = WEIR_OK;
    if (list == NULL) {
        return WEIR_OK;
    }
    WEIR_GO(weir_scan_filter_init(&filter, table, options, &plan->arena, err));
    WEIR_GO(weir_split_builder_init(&builder, table, plan, err));
    weir_manifest_filter manifest_filter = {
        .bucket = filter.bucket,
        .total_buckets = filter.total_buckets,
        .min_level = options != NULL && options->min_level > 0 ? options->min_level : -1,
        .without_stats = true,
    };
    weir_scan_filter_set_partitions(&filter, &manifest_filter);
    WEIR_GO(weir_manifest_list_read(context->fs, &context->paths, list, &plan->arena, &manifests, err));
    for (size_t i = 0; i < manifests.count; i++) {
        WEIR_GO(weir_manifest_read(context->fs, &context->paths, manifests.items[i].name, &manifest_filter,
                                   &plan->arena, &entries, err));
    }
    if (changelog) {
        /* Several compactions of one commit tell one change after the other; numbers of rows do not say which is first.
         */
        weir_manifest_entries_group(&entries);
    } else {
        weir_manifest_entries_sort(&entries);
    }
    add_changes(&builder, snapshot->id, &entries, options != NULL && options->without_postponed);
done:
    weir_manifest_files_free(&manifests);
    weir_manifest_entries_free(&entries);
    return code;
}

/* Where nothing is filtered or merged, the manifests tell how many rows there are. */
static int64_t count_rows_exactly(const weir_table_plan *plan, const weir_scan_options *options)
{
    int64_t rows = 0;
    for (size_t i = 0; i < plan->split_count; i++) {
        if (plan->splits[i].kind != WEIR_SPLIT_RAW || plan->has_uncounted) {
            return -1;
        }
        rows += plan->splits[i].row_count;
    }
    return is_whole_filter_absent(options) ? rows : -1;
}

/* Rows that are not wanted need not be planned: where splits tell exactly how many rows they give, those that hold the
 * limit are enough. */
static void cut_to_limit(weir_table_plan *plan, const weir_scan_options *options)
{
    int64_t rows = 0;
    if (!is_whole_filter_absent(options) || options == NULL || options->limit < 0 || plan->has_uncounted) {
        return;
    }
    for (size_t i = 0; i < plan->split_count && plan->splits[i].kind == WEIR_SPLIT_RAW; i++) {
        if (rows >= options->limit) {
            plan->split_count = i;
            break;
        }
        rows += plan->splits[i].row_count;
    }
}

static void report_plan(const weir_table *table, const weir_table_plan *plan, int64_t duration_ms)
{
    weir_table_metrics *metrics = table->context.metrics;
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_SCAN_DURATION, duration_ms);
    weir_table_metrics_time(metrics, WEIR_TABLE_SCAN_DURATION, duration_ms);
    if (metrics != NULL && plan->snapshot_id > atomic_load(&metrics->values[WEIR_TABLE_CURRENT_SNAPSHOT])) {
        weir_table_metrics_set(metrics, WEIR_TABLE_CURRENT_SNAPSHOT, plan->snapshot_id);
        weir_table_metrics_set(metrics, WEIR_TABLE_FILE_COUNT, plan->files_in_snapshot);
    }
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_SCANNED_SNAPSHOT, plan->snapshot_id);
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_SCANNED_MANIFESTS, plan->manifests_read);
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_SCAN_SKIPPED_FILES, plan->files_in_snapshot - plan->files_kept);
    weir_table_metrics_set(metrics, WEIR_TABLE_LAST_SCAN_RESULTED_FILES, plan->files_kept);
}

/* The least level whose files are read; -1: all are. */
static int32_t least_level(const weir_table *table, const weir_scan_options *options)
{
    if (options != NULL && options->min_level > 0) {
        return options->min_level;
    }
    return weir_scan_skips_level_zero(table) ? 1 : -1;
}

int weir_scan_plan(const weir_table *table, const weir_scan_options *options, weir_table_plan **out, weir_error *err)
{
    WEIR_TRY(check_readable(table, err));
    int64_t started_ns = weir_monotonic_ns();
    weir_table_plan *plan = weir_alloc_zeroed(1, sizeof *plan);
    weir_arena_init(&plan->arena);
    plan->exact_row_count = -1;
    weir_snapshot *snapshot = NULL;
    int code = WEIR_OK;
    if (weir_scan_is_incremental(table)) {
        WEIR_GO(weir_scan_check_options(table, err));
        WEIR_GO(weir_scan_plan_incremental(table, options, plan, err));
    } else {
        WEIR_GO(weir_scan_snapshot(table, &plan->arena, &snapshot, err));
        if (snapshot != NULL) {
            plan->snapshot = snapshot;
            plan->snapshot_id = snapshot->id;
            WEIR_GO(weir_scan_state(table, snapshot, least_level(table, options), options, plan, err));
        }
        WEIR_GO(weir_scan_plan_fallback(table, options, plan, err));
        cut_to_limit(plan, options);
        plan->exact_row_count = count_rows_exactly(plan, options);
    }
done:
    if (code != WEIR_OK) {
        weir_table_plan_free(plan);
        return weir_error_context(err, code, "planning %s", table->path);
    }
    report_plan(table, plan, (weir_monotonic_ns() - started_ns) / 1000000);
    *out = plan;
    return WEIR_OK;
}
