/* Lifting what an overwrite wrote: below it lies nothing, so a bucket whose new files stand apart is compacted already.
 * Source of truth: tryUpgrade of org.apache.paimon.operation.FileStoreCommitImpl. */
#include "table/write/overwrite_upgrade.h"

#include <stdlib.h>

#include "lsm/lsm_options.h"
#include "merge/sorted_run.h"

static int compare_buckets(const weir_manifest_entry *a, const weir_manifest_entry *b)
{
    int order = weir_slice_compare(a->partition, b->partition);
    return order != 0 ? order : (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

static int compare_entries(const void *a, const void *b, void *schema)
{
    const weir_manifest_entry *first = a, *second = b;
    int order = compare_buckets(first, second);
    return order != 0 ? order : weir_key_compare(schema, first->file->min_key, second->file->min_key);
}

static bool can_be_lifted(const weir_manifest_entries *files)
{
    for (size_t i = 0; i < files->count; i++) {
        const weir_manifest_entry *entry = &files->items[i];
        if (entry->kind != WEIR_FILE_ADD || entry->bucket < 0 || entry->file->level > 0) {
            return false;
        }
    }
    return true;
}

/* The entries of one bucket, in the order of their keys. */
static void lift_bucket(const weir_schema *schema, weir_manifest_entry *entries, size_t count, int32_t level,
                        weir_arena *arena)
{
    for (size_t i = 1; i < count; i++) {
        if (weir_key_compare(schema, entries[i - 1].file->max_key, entries[i].file->min_key) >= 0) {
            return;
        }
    }
    for (size_t i = 0; i < count; i++) {
        entries[i].file = weir_data_file_copy(arena, entries[i].file);
        entries[i].file->level = level;
    }
}

int weir_overwrite_upgrade(const weir_table *table, weir_commit_changes *added, weir_arena *arena, weir_error *err)
{
    const weir_schema *schema = table->schema;
    weir_manifest_entries *files = &added->files;
    weir_lsm_options options;
    bool upgrade = false;
    WEIR_TRY(weir_options_bool(&schema->options, "overwrite-upgrade", &upgrade, err));
    if (!upgrade || schema->primary_key_count == 0 || !can_be_lifted(files)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_lsm_options_read(schema, &options, err));
    if (files->count > 1) {
        qsort_r(files->items, files->count, sizeof *files->items, compare_entries, (void *)schema);
    }
    for (size_t first = 0, end; first < files->count; first = end) {
        end = first + 1;
        while (end < files->count && compare_buckets(&files->items[first], &files->items[end]) == 0) {
            end++;
        }
        lift_bucket(schema, files->items + first, end - first, options.level_count - 1, arena);
    }
    return WEIR_OK;
}
