/* Keeping the number of manifests small: the base list of the next snapshot.
 *
 * A full merge rewrites all manifests that are small or hold deletions, once they are large enough together to be worth
 * it. Otherwise neighbours are joined whenever they reach the target size. Source of truth:
 * org.apache.paimon.operation.ManifestFileMerger. */
#include "meta/manifest.h"

typedef struct merge_options {
    int64_t target_bytes;
    int64_t full_threshold_bytes;
    int64_t min_count;
} merge_options;

static int read_options(const weir_options *options, merge_options *out, weir_error *err)
{
    WEIR_TRY(weir_options_size(options, "manifest.target-file-size", &out->target_bytes, err));
    WEIR_TRY(weir_options_size(options, "manifest.full-compaction-threshold-size", &out->full_threshold_bytes, err));
    return weir_options_int(options, "manifest.merge-min-count", &out->min_count, err);
}

static bool must_change(const weir_manifest_file *manifest, const merge_options *options)
{
    return manifest->deleted_files > 0 || manifest->size_bytes < options->target_bytes;
}

/* Appends the entries of a manifest. */
static int read_manifest(weir_manifest_writer *writer, const weir_manifest_file *manifest, weir_arena *arena,
                         weir_manifest_entries *out, weir_error *err)
{
    return weir_manifest_read(writer->fs, writer->paths, manifest->name, NULL, arena, out, err);
}

/* ---- full ---- */

/* Whether the bucket of some deletion lies in a manifest's range. */
static bool may_hold_deleted(const weir_manifest_file *manifest, const weir_manifest_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *entry = &entries->items[i];
        if (entry->kind == WEIR_FILE_DELETE && (!manifest->has_buckets || (entry->bucket >= manifest->min_bucket &&
                                                                           entry->bucket <= manifest->max_bucket))) {
            return true;
        }
    }
    return false;
}

static size_t count_deletes(const weir_manifest_entries *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < entries->count; i++) {
        count += entries->items[i].kind == WEIR_FILE_DELETE;
    }
    return count;
}

/* Folds a large manifest that may hold what `changes` delete into them. It is kept as it is when nothing of it goes. */
static int settle_large(weir_manifest_writer *writer, const weir_manifest_file *manifest, weir_arena *arena,
                        weir_manifest_entries *changes, weir_manifest_files *out, weir_error *err)
{
    weir_manifest_entries both = {0};
    int code;
    WEIR_GO(read_manifest(writer, manifest, arena, &both, err));
    size_t before = both.count + changes->count;
    for (size_t i = 0; i < changes->count; i++) {
        weir_manifest_entries_append(&both, changes->items[i]);
    }
    WEIR_GO(weir_manifest_entries_fold(&both, true, err));
    if (both.count == before) {
        weir_manifest_files_append(out, *manifest);
    } else {
        weir_manifest_entries old = *changes;
        *changes = both;
        both = old;
    }
done:
    weir_manifest_entries_free(&both);
    return code;
}

static int merge_fully(weir_manifest_writer *writer, const weir_manifest_files *previous, const merge_options *options,
                       weir_arena *arena, weir_manifest_files *out, weir_error *err)
{
    weir_manifest_entries changes = {0};
    int code = WEIR_OK;
    for (size_t i = 0; i < previous->count; i++) {
        if (must_change(&previous->items[i], options)) {
            WEIR_GO(read_manifest(writer, &previous->items[i], arena, &changes, err));
        }
    }
    WEIR_GO(weir_manifest_entries_fold(&changes, true, err));
    for (size_t i = 0; i < previous->count; i++) {
        const weir_manifest_file *manifest = &previous->items[i];
        if (must_change(manifest, options)) {
            continue;
        }
        if (may_hold_deleted(manifest, &changes)) {
            WEIR_GO(settle_large(writer, manifest, arena, &changes, out, err));
        } else {
            weir_manifest_files_append(out, *manifest);
        }
    }
    if (count_deletes(&changes) > 0) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: its manifests delete %zu files that they never added",
                         writer->paths->table, count_deletes(&changes));
        goto done;
    }
    WEIR_GO(weir_manifest_writer_write(writer, changes.items, changes.count, out, err));
done:
    weir_manifest_entries_free(&changes);
    return code;
}

/* ---- neighbours ---- */

/* Joins manifests first .. first + count - 1 into new ones. */
static int join(weir_manifest_writer *writer, const weir_manifest_file *manifests, size_t count, weir_arena *arena,
                weir_manifest_files *out, weir_error *err)
{
    weir_manifest_entries entries = {0};
    int code = WEIR_OK;
    if (count == 1) {
        weir_manifest_files_append(out, manifests[0]);
        return WEIR_OK;
    }
    for (size_t i = 0; i < count; i++) {
        WEIR_GO(read_manifest(writer, &manifests[i], arena, &entries, err));
    }
    WEIR_GO(weir_manifest_entries_fold(&entries, true, err));
    WEIR_GO(weir_manifest_writer_write(writer, entries.items, entries.count, out, err));
done:
    weir_manifest_entries_free(&entries);
    return code;
}

static int merge_neighbours(weir_manifest_writer *writer, const weir_manifest_files *previous,
                            const merge_options *options, weir_arena *arena, weir_manifest_files *out, weir_error *err)
{
    size_t first = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < previous->count; i++) {
        bytes += previous->items[i].size_bytes;
        if (bytes >= options->target_bytes) {
            WEIR_TRY(join(writer, previous->items + first, i + 1 - first, arena, out, err));
            first = i + 1;
            bytes = 0;
        }
    }
    size_t rest = previous->count - first;
    if (rest > 0 && (int64_t)rest >= options->min_count) {
        return join(writer, previous->items + first, rest, arena, out, err);
    }
    for (size_t i = first; i < previous->count; i++) {
        weir_manifest_files_append(out, previous->items[i]);
    }
    return WEIR_OK;
}

int weir_manifest_merge(weir_manifest_writer *writer, const weir_manifest_files *previous, weir_manifest_files *out,
                        weir_error *err)
{
    merge_options options = {0};
    int64_t changing_bytes = 0;
    weir_arena arena; /* the entries of rewritten manifests, which only their description outlives */
    WEIR_TRY(read_options(&writer->schema->options, &options, err));
    for (size_t i = 0; i < previous->count; i++) {
        if (must_change(&previous->items[i], &options)) {
            changing_bytes += previous->items[i].size_bytes;
        }
    }
    weir_arena_init(&arena);
    int code = changing_bytes >= options.full_threshold_bytes
                   ? merge_fully(writer, previous, &options, &arena, out, err)
                   : merge_neighbours(writer, previous, &options, &arena, out, err);
    weir_arena_free(&arena);
    return code;
}
