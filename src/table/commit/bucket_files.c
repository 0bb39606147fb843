/* Reading the live files of the latest snapshot and finding those of a bucket by binary search. */
#include "table/commit/bucket_files.h"

#include <stdlib.h>

void weir_bucket_files_init(weir_bucket_files *files, const weir_table *table)
{
    *files = (weir_bucket_files){.table = table, .snapshot_id = -1};
    weir_arena_init(&files->arena);
}

void weir_bucket_files_forget(weir_bucket_files *files)
{
    weir_manifest_entries_free(&files->entries);
    weir_arena_free(&files->arena);
    files->snapshot_id = -1;
}

void weir_bucket_files_free(weir_bucket_files *files) { weir_bucket_files_forget(files); }

static int compare_with(const weir_manifest_entry *entry, weir_slice partition, int32_t bucket)
{
    int order = weir_slice_compare(entry->partition, partition);
    return order != 0 ? order : (entry->bucket > bucket) - (entry->bucket < bucket);
}

static int read_entries(weir_bucket_files *files, int64_t id, weir_error *err)
{
    const weir_table_context *context = &files->table->context;
    weir_snapshot *snapshot = NULL;
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1};
    WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, id, &files->arena, &snapshot, err));
    /* Not in the pool: there the manifests would wait behind compactions. */
    WEIR_TRY(weir_snapshot_files(context->fs, &context->paths, context->schema, snapshot, &filter, NULL, &files->arena,
                                 &files->entries, err));
    weir_manifest_entries_sort(&files->entries);
    return WEIR_OK;
}

int weir_bucket_files_read(weir_bucket_files *files, weir_error *err)
{
    const weir_table_context *context = &files->table->context;
    for (int64_t latest = 0, before = -1;; before = latest) {
        WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
        if (latest == files->snapshot_id) {
            return WEIR_OK;
        }
        weir_bucket_files_forget(files);
        int code = latest > 0 ? read_entries(files, latest, err) : WEIR_OK;
        if (code == WEIR_NOT_FOUND && latest != before) {
            weir_error_clear(err); /* it may have expired while it was read: then there is a later one */
            continue;
        }
        WEIR_TRY(code);
        files->snapshot_id = latest;
        return WEIR_OK;
    }
}

/* The first entry that is not before the bucket. */
static size_t find_first(const weir_bucket_files *files, weir_slice partition, int32_t bucket)
{
    size_t low = 0, high = files->entries.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_with(&files->entries.items[middle], partition, bucket) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int check_bucket_count(const weir_bucket_files *files, const weir_manifest_entry *entry, int32_t bucket_count,
                              weir_error *err)
{
    if (entry->total_buckets == bucket_count) {
        return WEIR_OK;
    }
    const weir_table *table = files->table;
    weir_arena arena;
    weir_arena_init(&arena);
    const char *text = "";
    weir_partition_text(table->schema, entry->partition, &arena, &text, NULL);
    int code = weir_fail(err, WEIR_CONFLICT,
                         "%s%s%s: written with %d buckets, but the table's option now says %d; rewrite it with INSERT "
                         "OVERWRITE",
                         table->path, text[0] != '\0' ? ", partition " : "", text, entry->total_buckets, bucket_count);
    weir_arena_free(&arena);
    return code;
}

int weir_bucket_files_of(const weir_bucket_files *files, weir_slice partition, int32_t bucket, int32_t bucket_count,
                         weir_file_list *out, weir_error *err)
{
    const weir_manifest_entries *entries = &files->entries;
    size_t first = find_first(files, partition, INT32_MIN); /* one entry of a partition tells its number of buckets */
    if (bucket_count > 0 && first < entries->count && weir_slice_equal(entries->items[first].partition, partition)) {
        WEIR_TRY(check_bucket_count(files, &entries->items[first], bucket_count, err));
    }
    for (size_t i = find_first(files, partition, bucket);
         i < entries->count && compare_with(&entries->items[i], partition, bucket) == 0; i++) {
        weir_file_list_append(out, entries->items[i].file);
    }
    return WEIR_OK;
}

int32_t weir_bucket_files_total(const weir_bucket_files *files, weir_slice partition)
{
    size_t first = find_first(files, partition, 0);
    bool has_any = first < files->entries.count && weir_slice_equal(files->entries.items[first].partition, partition);
    return has_any ? files->entries.items[first].total_buckets : 0;
}
