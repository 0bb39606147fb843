/* From the index manifest to the files of a scan: names of data files carry UUIDs, so that a name alone tells a file.
 */
#include "table/scan/scan_deletions.h"

#include "base/map.h"
#include "table/commit/commit_indexes.h"

static int add_ranges(const weir_table *table, const weir_index_entry *entry, weir_arena *arena, weir_map *out,
                      weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *path = NULL;
    if (strcmp(entry->file->type, WEIR_DELETION_VECTORS_INDEX) != 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_index_file_path(arena, &context->paths, context->schema, entry, &path, err));
    for (int32_t i = 0; i < entry->file->range_count; i++) {
        const weir_deletion_range *range = &entry->file->ranges[i];
        weir_deletion *deletion = WEIR_NEW(arena, weir_deletion);
        *deletion = (weir_deletion){path, range->offset, range->length, range->cardinality};
        weir_map_put(out, weir_slice_text(range->data_file), deletion);
    }
    return WEIR_OK;
}

int weir_scan_set_deletions(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                            weir_manifest_entries *entries, weir_error *err)
{
    bool enabled = false;
    weir_index_entries indexes = {0};
    weir_map deletions = {0};
    int code;
    WEIR_TRY(weir_options_bool(&table->schema->options, "deletion-vectors.enabled", &enabled, err));
    if (!enabled) {
        return WEIR_OK;
    }
    WEIR_GO(weir_snapshot_indexes(table, snapshot, arena, &indexes, err));
    for (size_t i = 0; i < indexes.count; i++) {
        WEIR_GO(add_ranges(table, &indexes.items[i], arena, &deletions, err));
    }
    for (size_t i = 0; i < entries->count; i++) {
        weir_data_file *file = entries->items[i].file;
        file->deletion = weir_map_get(&deletions, weir_slice_text(file->name));
    }
done:
    weir_index_entries_free(&indexes);
    weir_map_free(&deletions);
    return code;
}
