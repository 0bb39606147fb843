/* What becomes of a snapshot's index files with a commit (org.apache.paimon.manifest.IndexManifestFileHandler).
 *
 * A bucket has one file of each kind, which a commit replaces whole. Java lets the last one win, whatever it was made
 * from; here a writer names the file that it went on from, and is refused when that is not the current one: keys that
 * another writer has added since would have no bucket, and come into a second one. So would keys that an overwrite has
 * taken out of the index while a writer still knew their bucket. */
#include "table/commit/commit_indexes.h"

#include "base/map.h"
#include "index/hash_index.h"

int weir_snapshot_indexes(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                          weir_index_entries *out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    if (snapshot == NULL || snapshot->index_manifest == NULL) {
        return WEIR_OK;
    }
    return weir_index_manifest_read(context->fs, &context->paths, snapshot->index_manifest, arena, out, err);
}

/* Whether buckets have one file of this kind each. */
static int has_one_a_bucket(const weir_table *table, const char *type, bool *out, weir_error *err)
{
    int32_t buckets = 0;
    WEIR_TRY(weir_table_bucket_count(table, &buckets, err));
    bool is_unaware = !weir_table_has_primary_key(table) && buckets == -1;
    *out = strcmp(type, WEIR_HASH_INDEX) == 0 || (strcmp(type, WEIR_DELETION_VECTORS_INDEX) == 0 && !is_unaware);
    return WEIR_OK;
}

/* What may be there once only: the bucket with the kind, or the file. */
static void set_place(const weir_index_entry *entry, bool by_bucket, weir_buffer *out)
{
    weir_buffer_clear(out);
    weir_buffer_append_byte(out, by_bucket);
    if (!by_bucket) {
        weir_buffer_append_text(out, entry->file->name);
        return;
    }
    weir_buffer_append(out, &entry->bucket, sizeof entry->bucket);
    weir_buffer_append_text(out, entry->file->type);
    weir_buffer_append_byte(out, 0);
    weir_buffer_append(out, entry->partition.data, entry->partition.size);
}

static int fail_changed(const weir_table *table, const weir_index_entry *change, weir_error *err)
{
    if (strcmp(change->file->type, WEIR_HASH_INDEX) == 0) {
        return weir_fail(
            err, WEIR_CONFLICT,
            "%s: another job has changed the keys of bucket %d meanwhile. A table with dynamic buckets has one "
            "writing job at a time, for its index of keys cannot be shared; stop the other one and run "
            "this again",
            table->path, change->bucket);
    }
    return weir_fail(err, WEIR_CONFLICT, "%s: another job has changed the deleted rows of bucket %d meanwhile",
                     table->path, change->bucket);
}

/* Takes the DELETE entries away from the current ones. */
static int delete_entries(const weir_table *table, const weir_index_entries *changes, weir_index_entries *current,
                          weir_error *err)
{
    weir_map deleted = {0};
    size_t kept = 0;
    int code = WEIR_OK;
    for (size_t i = 0; i < changes->count; i++) {
        weir_index_entry *change = &changes->items[i];
        if (change->kind == WEIR_FILE_DELETE) {
            weir_map_put(&deleted, weir_slice_text(change->file->name), change);
        }
    }
    for (size_t i = 0; i < current->count; i++) {
        if (weir_map_remove(&deleted, weir_slice_text(current->items[i].file->name)) == NULL) {
            current->items[kept++] = current->items[i];
        }
    }
    current->count = kept;
    for (size_t i = 0; i < deleted.entry_count && code == WEIR_OK; i++) {
        if (deleted.entries[i].value != NULL) {
            code = fail_changed(table, deleted.entries[i].value, err);
        }
    }
    weir_map_free(&deleted);
    return code;
}

static int add_entries(const weir_table *table, const weir_index_entries *changes, weir_index_entries *current,
                       weir_error *err)
{
    weir_map places = {0};
    weir_buffer place = {0};
    bool by_bucket = false;
    int code = WEIR_OK;
    for (size_t i = 0; i < current->count; i++) {
        WEIR_GO(has_one_a_bucket(table, current->items[i].file->type, &by_bucket, err));
        set_place(&current->items[i], by_bucket, &place);
        weir_map_put(&places, weir_buffer_slice(&place), &places);
    }
    for (size_t i = 0; i < changes->count; i++) {
        const weir_index_entry *change = &changes->items[i];
        if (change->kind != WEIR_FILE_ADD) {
            continue;
        }
        WEIR_GO(has_one_a_bucket(table, change->file->type, &by_bucket, err));
        set_place(change, by_bucket, &place);
        if (weir_map_get(&places, weir_buffer_slice(&place)) != NULL) {
            code = fail_changed(table, change, err);
            goto done;
        }
        weir_map_put(&places, weir_buffer_slice(&place), &places);
        weir_index_entries_append(current, *change);
    }
done:
    weir_map_free(&places);
    weir_buffer_free(&place);
    return code;
}

int weir_commit_indexes_apply(const weir_table *table, const weir_index_entries *changes, weir_index_entries *current,
                              weir_error *err)
{
    WEIR_TRY(delete_entries(table, changes, current, err));
    return add_entries(table, changes, current, err);
}

/* ---- keys that must stand ---- */

static int read_hashes(const weir_table *table, const weir_index_entry *entry, weir_buffer *out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    weir_arena arena;
    const char *path = NULL;
    weir_arena_init(&arena);
    int code = weir_index_file_path(&arena, &context->paths, context->schema, entry, &path, err);
    if (code == WEIR_OK) {
        code = weir_hash_index_read(context->fs, path, out, err);
    }
    weir_arena_free(&arena);
    return code;
}

/* Whether `current` has all hashes of `relied`. */
static int has_all(const weir_table *table, weir_slice relied, weir_slice current, bool *out, weir_error *err)
{
    weir_hash_buckets present = {.budget = table->context.budget};
    int code = WEIR_OK;
    for (size_t at = 0; at < current.size && code == WEIR_OK; at += sizeof(int32_t)) {
        code = weir_hash_buckets_add(&present, (int32_t)weir_load_be32(current.data + at), 0, err);
    }
    *out = true;
    for (size_t at = 0; at < relied.size && code == WEIR_OK && *out; at += sizeof(int32_t)) {
        *out = weir_hash_buckets_get(&present, (int32_t)weir_load_be32(relied.data + at)) >= 0;
    }
    weir_hash_buckets_free(&present);
    return code;
}

/* One that has been replaced meanwhile. Where it is gone, nobody can tell what it held. */
static int check_replaced(const weir_table *table, const weir_index_entry *relied, const weir_index_entry *current,
                          weir_error *err)
{
    weir_buffer before = {0}, now = {0};
    bool stands = false;
    int code = read_hashes(table, relied, &before, err);
    if (code == WEIR_OK) {
        WEIR_GO(read_hashes(table, current, &now, err));
        WEIR_GO(has_all(table, weir_buffer_slice(&before), weir_buffer_slice(&now), &stands, err));
    } else if (code == WEIR_NOT_FOUND) {
        weir_error_clear(err);
        code = WEIR_OK;
    }
done:
    weir_buffer_free(&before);
    weir_buffer_free(&now);
    return code != WEIR_OK || stands ? code : fail_changed(table, relied, err);
}

int weir_commit_indexes_check(const weir_table *table, const weir_index_entries *relied,
                              const weir_index_entries *current, weir_error *err)
{
    weir_map places = {0}; /* bucket and kind → its entry */
    weir_buffer place = {0};
    int code = WEIR_OK;
    for (size_t i = 0; i < current->count && relied->count > 0; i++) {
        if (strcmp(current->items[i].file->type, WEIR_HASH_INDEX) == 0) {
            set_place(&current->items[i], true, &place);
            weir_map_put(&places, weir_buffer_slice(&place), &current->items[i]);
        }
    }
    for (size_t i = 0; i < relied->count && code == WEIR_OK; i++) {
        set_place(&relied->items[i], true, &place);
        const weir_index_entry *now = weir_map_get(&places, weir_buffer_slice(&place));
        if (now == NULL) {
            code = fail_changed(table, &relied->items[i], err);
        } else if (strcmp(now->file->name, relied->items[i].file->name) != 0) {
            code = check_replaced(table, &relied->items[i], now, err);
        }
    }
    weir_map_free(&places);
    weir_buffer_free(&place);
    return code;
}
