/* Which buckets a dedicated compaction asks for, and its commits. Buckets are compacted beside each other in the pool. */
#include "table/write/compact.h"

#include "base/clock.h"
#include "lsm/lsm_options.h"
#include "table/commit/bucket_files.h"
#include "table/commit/commit.h"
#include "table/write/postponed.h"

struct weir_compactor {
    const weir_table *table;
    weir_compactor_options options;
    char user[WEIR_UUID_SIZE];
    weir_table_write *write;
    weir_table_commit *commit;
    weir_bucket_files files;
    int64_t seen_snapshot; /* up to which there is nothing to do; -1: not known */
    int64_t identifier;    /* of the last run */
    bool awaits;
};

/* ---- asking ---- */

/* The end of the entries of the bucket that entry `first` is of. */
static size_t end_of_bucket(const weir_manifest_entries *entries, size_t first)
{
    const weir_manifest_entry *bucket = &entries->items[first];
    size_t end = first + 1;
    while (end < entries->count && entries->items[end].bucket == bucket->bucket &&
           weir_slice_equal(entries->items[end].partition, bucket->partition)) {
        end++;
    }
    return end;
}

/* Whether a bucket may have something to compact: files in level 0, or several of an append table. */
static bool may_be_due(const weir_table *table, const weir_manifest_entry *entries, size_t count)
{
    bool has_key = weir_table_has_primary_key(table);
    for (size_t i = 0; i < count && has_key; i++) {
        if (entries[i].file->level == 0) {
            return true;
        }
    }
    return !has_key && count > 1;
}

/* Asks for the compaction of every bucket that is chosen; with `full` of each, otherwise where it may be due. */
static int ask(const weir_table *table, weir_table_write *write, const weir_bucket_files *files, bool full,
               bool only_due, const weir_compact_choice *choice, weir_error *err)
{
    const weir_manifest_entries *entries = &files->entries;
    for (size_t first = 0, end; first < entries->count; first = end) {
        const weir_manifest_entry *bucket = &entries->items[first];
        end = end_of_bucket(entries, first);
        if (bucket->bucket < 0 || (choice != NULL && !choice->takes(choice->context, bucket->partition)) ||
            (only_due && !may_be_due(table, bucket, end - first))) {
            continue;
        }
        WEIR_TRY(weir_table_write_compact(write, bucket->partition, bucket->bucket, full, err));
    }
    return WEIR_OK;
}

/* Buckets that have just got their first rows are in no snapshot yet. */
static int compact_written(weir_table_write *write, bool full, weir_error *err)
{
    return full ? weir_table_write_compact_written(write, err) : WEIR_OK;
}

int weir_table_compact(const weir_table *table, bool full, const weir_compact_choice *choice, weir_arena *arena,
                       weir_commit_messages *out, weir_error *err)
{
    const weir_table_write_options options = {.compacts = true};
    weir_table_write *write = NULL;
    weir_bucket_files files;
    bool waits = false;
    int code;
    weir_bucket_files_init(&files, table);
    WEIR_GO(weir_table_write_open(table, &options, &write, err));
    WEIR_GO(weir_bucket_files_read(&files, err));
    WEIR_GO(weir_postponed_rows_write(table, &files, choice, write, &waits, err));
    WEIR_GO(ask(table, write, &files, full, false, choice, err));
    WEIR_GO(compact_written(write, waits && full, err));
    WEIR_GO(weir_table_write_prepare(write, true, arena, out, err));
    WEIR_GO(waits ? weir_postponed_rows_finish(table, &files, choice, arena, out, err) : WEIR_OK);
done:
    weir_table_write_close(write);
    weir_bucket_files_free(&files);
    return code;
}

/* ---- again and again ---- */

int weir_compactor_open(const weir_table *table, const weir_compactor_options *options, weir_compactor **out,
                        weir_error *err)
{
    weir_compactor *compactor = weir_alloc_zeroed(1, sizeof *compactor);
    compactor->table = table;
    compactor->options = *options;
    compactor->seen_snapshot = -1;
    weir_uuid(compactor->user);
    weir_bucket_files_init(&compactor->files, table);
    const weir_table_write_options write = {.commit_user = compactor->user, .compacts = true};
    int code = weir_table_write_open(table, &write, &compactor->write, err);
    if (code == WEIR_OK) {
        code = weir_table_commit_open(table, compactor->user, &compactor->commit, err);
    }
    if (code != WEIR_OK) {
        weir_compactor_close(compactor);
        return code;
    }
    *out = compactor;
    return WEIR_OK;
}

void weir_compactor_close(weir_compactor *compactor)
{
    if (compactor == NULL) {
        return;
    }
    weir_table_write_close(compactor->write);
    weir_table_commit_close(compactor->commit);
    weir_bucket_files_free(&compactor->files);
    free(compactor);
}

static void count_messages(const weir_commit_messages *messages, weir_compactor_round *out)
{
    for (size_t m = 0; m < messages->count; m++) {
        const weir_commit_message *message = &messages->items[m];
        out->buckets++;
        out->files_before += (int64_t)message->compact_before.count;
        out->files_after += (int64_t)message->compact_after.count;
        out->changelog_files += (int64_t)message->compact_changelog_files.count;
        for (size_t f = 0; f < message->compact_before.count; f++) {
            out->bytes_before += message->compact_before.files[f]->size_bytes;
        }
        for (size_t f = 0; f < message->compact_after.count; f++) {
            out->bytes_after += message->compact_after.files[f]->size_bytes;
        }
    }
}

static int commit_messages(weir_compactor *compactor, const weir_commit_messages *messages, weir_compactor_round *out,
                           weir_error *err)
{
    weir_committable committable = {
        .identifier = compactor->options.full ? WEIR_BATCH_COMMIT_IDENTIFIER : compactor->identifier,
        .watermark = WEIR_NO_WATERMARK,
        .messages = messages,
    };
    if (messages->count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_table_commit_run(compactor->commit, &committable, &out->snapshot_id, err));
    out->dropped = weir_table_commit_dropped_compaction(compactor->commit);
    if (!out->dropped) {
        count_messages(messages, out);
    }
    return WEIR_OK;
}

/* What is to be done about the snapshot that was read. */
static int compact_snapshot(weir_compactor *compactor, weir_compactor_round *out, weir_error *err)
{
    bool full = compactor->options.full, waits = false;
    const weir_compact_choice *choice = compactor->options.choice;
    weir_arena arena;
    weir_commit_messages messages = {0};
    int code;
    weir_arena_init(&arena);
    WEIR_GO(weir_table_write_reload(compactor->write, err));
    WEIR_GO(weir_postponed_rows_write(compactor->table, &compactor->files, choice, compactor->write, &waits, err));
    WEIR_GO(ask(compactor->table, compactor->write, &compactor->files, full, !full, choice, err));
    WEIR_GO(compact_written(compactor->write, waits && full, err));
    compactor->identifier++;
    weir_table_write_compact_due(compactor->write, compactor->identifier);
    WEIR_GO(weir_table_write_prepare(compactor->write, true, &arena, &messages, err));
    WEIR_GO(waits ? weir_postponed_rows_finish(compactor->table, &compactor->files, choice, &arena, &messages, err)
                  : WEIR_OK);
    WEIR_GO(commit_messages(compactor, &messages, out, err));
    compactor->awaits = weir_table_write_awaits(compactor->write);
done:
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

int weir_compactor_run(weir_compactor *compactor, weir_compactor_round *out, weir_error *err)
{
    weir_bucket_files *files = &compactor->files;
    int64_t started_ns = weir_monotonic_ns();
    *out = (weir_compactor_round){0};
    WEIR_TRY(weir_bucket_files_read(files, err));
    int64_t snapshot = files->snapshot_id;
    int code = WEIR_OK;
    if (snapshot > 0 && (snapshot != compactor->seen_snapshot || compactor->awaits)) {
        code = compact_snapshot(compactor, out, err);
    }
    weir_bucket_files_forget(files);
    if (code != WEIR_OK) {
        compactor->seen_snapshot = -1;
        weir_table_write_reset(compactor->write);
        return code;
    }
    bool own_next = out->snapshot_id == snapshot + 1;
    compactor->seen_snapshot = out->dropped ? -1 : own_next ? out->snapshot_id : snapshot;
    out->awaits = compactor->awaits;
    out->duration_ms = (weir_monotonic_ns() - started_ns) / 1000000;
    return WEIR_OK;
}
