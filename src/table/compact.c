/* One compaction of a table: its buckets' compactions run beside each other in the pool. */
#include "table/compact.h"

#include "table/bucket_files.h"

/* Asks for the compaction of every bucket that is chosen. */
static int compact_buckets(weir_table_write *write, const weir_bucket_files *files, bool full,
                           const weir_compact_choice *choice, weir_error *err)
{
    const weir_manifest_entries *entries = &files->entries;
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *entry = &entries->items[i];
        bool same =
            i > 0 && entry[-1].bucket == entry->bucket && weir_slice_equal(entry[-1].partition, entry->partition);
        if (!same && entry->bucket >= 0 && (choice == NULL || choice->takes(choice->context, entry->partition))) {
            WEIR_TRY(weir_table_write_compact(write, entry->partition, entry->bucket, full, err));
        }
    }
    return WEIR_OK;
}

int weir_table_compact(const weir_table *table, bool full, const weir_compact_choice *choice, weir_arena *arena,
                       weir_commit_messages *out, weir_error *err)
{
    const weir_table_write_options options = {.compacts = true};
    weir_table_write *write = NULL;
    weir_bucket_files files;
    int code;
    weir_bucket_files_init(&files, table);
    WEIR_GO(weir_table_write_open(table, &options, &write, err));
    WEIR_GO(weir_bucket_files_read(&files, err));
    WEIR_GO(compact_buckets(write, &files, full, choice, err));
    WEIR_GO(weir_table_write_prepare(write, true, arena, out, err));
done:
    weir_table_write_close(write);
    weir_bucket_files_free(&files);
    return code;
}
