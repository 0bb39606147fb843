/* The writer of one bucket of a primary-key table: a write buffer above an LSM tree.
 *
 * Flushes make level-0 files; each flush looks whether a compaction is due and starts it in the pool. When too many
 * sorted runs have piled up, writing waits for the running compaction. Increments are kept apart: what was written is
 * committed as APPEND, what was compacted as COMPACT. Source of truth: org.apache.paimon.mergetree.MergeTreeWriter and
 * MergeTreeCompactManager. */
#include <stdlib.h>

#include "base/clock.h"
#include "lsm/bucket_writer.h"
#include "lsm/compaction.h"
#include "lsm/expired_files.h"
#include "lsm/file_arena.h"
#include "lsm/universal_compaction.h"
#include "lsm/write_buffer.h"

/* Key indexes for the lookup changelog are kept across compactions up to this size a bucket. */
#define KEY_INDEX_BYTES ((int64_t)64 << 20)

/* A column of text cannot pass 2 GB, so a buffer stays well below it whatever the options say. */
#define MOST_BUFFER_BYTES ((int64_t)1 << 30)

typedef struct merge_tree_writer {
    weir_bucket_writer base;
    const weir_table_context *context;
    weir_lsm_options options;
    weir_slice partition;
    int32_t bucket;
    int32_t total_buckets;
    bool write_only;
    int64_t write_buffer_bytes;
    int64_t next_sequence;
    int64_t last_full_ms; /* when everything was compacted last, by the local clock; 0: never */
    const char *bucket_path;
    weir_arena names;      /* what lives as long as the writer */
    weir_file_arena files; /* descriptions of them */
    weir_lost_compactions lost;
    weir_bucket_levels levels;
    weir_write_buffer buffer;
    weir_key_index_cache *index_cache;
    weir_compaction *compaction; /* NULL: none runs */
    /* Increments since the last prepare_commit. */
    weir_file_list new_files;
    weir_file_list changelog_files;
    weir_file_list compact_before;
    weir_file_list compact_after;
    weir_file_list compact_changelog;
    uint64_t seen_levels; /* what these compactions started from; 0: does not matter */
} merge_tree_writer;

static bool take_file(weir_file_list *list, const weir_data_file *file)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->files[i]->level == file->level && strcmp(list->files[i]->name, file->name) == 0) {
            list->files[i] = list->files[--list->count];
            return true;
        }
    }
    return false;
}

/* Adds a compaction's result to the increment. A file that an earlier compaction of the same increment made and this
 * one used up was never seen by anybody and goes at once, unless it is a committed file under another level. */
static void add_compaction_result(merge_tree_writer *writer, const weir_compaction_result *result)
{
    for (size_t i = 0; i < result->before.count; i++) {
        weir_data_file *file = result->before.files[i];
        if (!take_file(&writer->compact_after, file)) {
            weir_file_list_append(&writer->compact_before, file);
        } else if (!weir_file_list_has(&writer->compact_before, file->name) &&
                   !weir_file_list_has(&result->after, file->name)) {
            weir_table_context_remove_file(writer->context, writer->bucket_path, file);
        }
    }
    for (size_t i = 0; i < result->after.count; i++) {
        weir_file_list_append(&writer->compact_after, result->after.files[i]);
    }
    for (size_t i = 0; i < result->changelog.count; i++) {
        weir_file_list_append(&writer->compact_changelog, result->changelog.files[i]);
    }
}

/* Takes the result of the running compaction, if it is done or `wait` says so. */
static int sync_compaction(merge_tree_writer *writer, bool wait, weir_error *err)
{
    if (writer->compaction == NULL || (!wait && !weir_compaction_is_done(writer->compaction))) {
        return WEIR_OK;
    }
    weir_compaction *compaction = writer->compaction;
    writer->compaction = NULL;
    weir_compaction_result result = {0};
    int code = weir_compaction_finish(compaction, writer->files.arena, &result, err);
    WEIR_TRY(weir_lost_compactions_take(&writer->lost, code, writer->bucket_path, err));
    if (code != WEIR_OK) {
        return WEIR_OK;
    }
    weir_bucket_levels_replace(&writer->levels, &result.before, &result.after);
    add_compaction_result(writer, &result);
    weir_compaction_result_free(&result);
    return WEIR_OK;
}

static weir_compaction_pick pick(const merge_tree_writer *writer, bool full, const weir_sorted_run *runs,
                                 int32_t run_count)
{
    int32_t level_count = writer->levels.level_count;
    if (full) {
        return weir_full_pick(level_count, runs, run_count);
    }
    int64_t now_ms = weir_local_now_ms();
    weir_compaction_pick early =
        weir_early_full_pick(&writer->options, level_count, runs, run_count, writer->last_full_ms, now_ms);
    if (early.run_count > 0) {
        return early;
    }
    weir_lsm_options options = writer->options;
    options.size_ratio_percent += weir_off_peak_ratio(&options, (int32_t)(now_ms / 3600000 % 24));
    return options.always_lift ? weir_universal_pick_level_zero(&options, level_count, runs, run_count)
                               : weir_universal_pick(&options, level_count, runs, run_count);
}

/* When the highest level was written last, by the local clock that files tell; 0: never. */
static int64_t last_full_ms(const weir_bucket_levels *levels)
{
    const weir_file_list *highest = &levels->levels[levels->level_count - 1];
    int64_t last = 0;
    for (size_t i = 0; i < highest->count; i++) {
        last = highest->files[i]->creation_time_ms > last ? highest->files[i]->creation_time_ms : last;
    }
    return last;
}

static bool is_worth_it(const weir_sorted_run *runs, weir_compaction_pick picked)
{
    int32_t files = 0;
    for (int32_t i = 0; i < picked.run_count; i++) {
        files += runs[i].file_count;
    }
    return files > 1 || (files == 1 && runs[0].level != picked.output_level);
}

/* What a full compaction still has to do where all is in the highest level: rows may have expired there. */
static int pick_expired(const merge_tree_writer *writer, const weir_sorted_run *runs, int32_t run_count,
                        weir_compaction_pick *out, weir_error *err)
{
    bool has_expired = false;
    int32_t highest = writer->levels.level_count - 1;
    if (run_count == 1 && runs[0].level == highest) {
        WEIR_TRY(weir_run_has_expired_rows(writer->context, &runs[0], &has_expired, err));
    }
    if (has_expired) {
        *out = (weir_compaction_pick){1, highest};
    }
    return WEIR_OK;
}

/* Starts a compaction where one is due. With `full` a running one is waited for first. */
static int trigger_compaction(merge_tree_writer *writer, bool full, weir_error *err)
{
    if (full) {
        WEIR_TRY(sync_compaction(writer, true, err));
    }
    if (writer->compaction != NULL || (writer->write_only && !full) || writer->lost.is_outdated) {
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_sorted_run *runs = NULL;
    int32_t run_count = 0;
    weir_bucket_levels_runs(&writer->levels, &arena, &runs, &run_count);
    weir_compaction_pick picked = pick(writer, full, runs, run_count);
    bool start = is_worth_it(runs, picked);
    if (full && !start) {
        int code = pick_expired(writer, runs, run_count, &picked, err);
        if (code != WEIR_OK) {
            weir_arena_free(&arena);
            return code;
        }
        start = picked.run_count > 0;
    }
    if (start && picked.run_count == run_count) {
        writer->last_full_ms = weir_local_now_ms();
    }
    weir_key_index_cache_retain(writer->index_cache, runs, run_count, KEY_INDEX_BYTES);
    weir_arena_free(&arena);
    if (!start) {
        return WEIR_OK;
    }
    weir_compaction_request request = {
        .partition = writer->partition,
        .bucket = writer->bucket,
        .options = &writer->options,
        .levels = &writer->levels,
        .run_count = picked.run_count,
        .output_level = picked.output_level,
        .drop_deletes = !writer->options.keeps_retractions && picked.output_level != 0 &&
                        picked.output_level >= weir_bucket_levels_highest_nonempty(&writer->levels),
        .index_cache = writer->index_cache,
    };
    return weir_compaction_start(writer->context, &request, &writer->compaction, err);
}

static int create_file_writer(const merge_tree_writer *writer, weir_data_file_kind kind, weir_data_file_writer **out,
                              weir_error *err)
{
    weir_data_file_writer_options options = {
        .kind = kind,
        .partition = writer->partition,
        .bucket = writer->bucket,
        .level = 0,
        .source = WEIR_FILE_SOURCE_APPEND,
    };
    return weir_data_file_writer_create(writer->context, &options, out, err);
}

static int finish_file_writer(const merge_tree_writer *writer, weir_data_file_writer *file, weir_file_list *out,
                              weir_error *err)
{
    return weir_data_file_writer_finish(file, writer->files.arena, &out->files, &out->count, &out->capacity, err);
}

/* Removes the files of a list from position `first` on, on disk and in the list. */
static void discard_from(const merge_tree_writer *writer, weir_file_list *list, size_t first)
{
    for (size_t i = first; i < list->count; i++) {
        weir_table_context_remove_file(writer->context, writer->bucket_path, list->files[i]);
    }
    list->count = first < list->count ? first : list->count;
}

/* Writes the buffer to level 0, and for the input changelog every row of it to a changelog file. On failure the rows
 * are still in the buffer, and no file is left. */
static int write_level_zero(merge_tree_writer *writer, weir_error *err)
{
    int code = WEIR_OK;
    weir_data_file_writer *data = NULL, *changelog = NULL;
    size_t first_new = writer->new_files.count, first_changelog = writer->changelog_files.count;
    WEIR_GO(create_file_writer(writer, WEIR_DATA_FILE_KEY_VALUE, &data, err));
    if (writer->options.changelog_producer == WEIR_CHANGELOG_INPUT) {
        WEIR_GO(create_file_writer(writer, WEIR_DATA_FILE_CHANGELOG, &changelog, err));
    }
    WEIR_GO(weir_write_buffer_flush(&writer->buffer, data, changelog, err));
    if (changelog != NULL) {
        WEIR_GO(finish_file_writer(writer, changelog, &writer->changelog_files, err));
    }
    WEIR_GO(finish_file_writer(writer, data, &writer->new_files, err));
    for (size_t i = first_new; i < writer->new_files.count; i++) {
        weir_bucket_levels_add(&writer->levels, writer->new_files.files[i]);
    }
    weir_write_buffer_clear(&writer->buffer);
done:
    weir_data_file_writer_close(data);
    weir_data_file_writer_close(changelog);
    if (code != WEIR_OK) {
        discard_from(writer, &writer->changelog_files, first_changelog);
        return weir_error_context(err, code, "writing to %s", writer->bucket_path);
    }
    return WEIR_OK;
}

/* The back-pressure: with too many runs, what is written next waits for the compaction. Where memory is short, the
 * buffer's is given back, for compactions and other buckets; otherwise it waits for the next rows. */
static int flush_buffer(merge_tree_writer *writer, bool wait, bool is_short, weir_error *err)
{
    if (!weir_write_buffer_is_empty(&writer->buffer)) {
        wait |= weir_bucket_levels_run_count(&writer->levels) > writer->options.stop_trigger;
        WEIR_TRY(write_level_zero(writer, err));
        if (is_short) {
            weir_write_buffer_release(&writer->buffer);
        }
    }
    WEIR_TRY(sync_compaction(writer, wait, err));
    return trigger_compaction(writer, false, err);
}

static int write_rows(weir_bucket_writer *base, const weir_batch *batch, const uint32_t *rows, int64_t count,
                      weir_error *err)
{
    merge_tree_writer *writer = (merge_tree_writer *)base;
    WEIR_TRY(weir_write_buffer_append(&writer->buffer, batch, rows, count, &writer->next_sequence, err));
    if (weir_write_buffer_bytes(&writer->buffer) < writer->write_buffer_bytes) {
        return WEIR_OK;
    }
    return base->ops->flush(base, err);
}

static int flush(weir_bucket_writer *base, weir_error *err)
{
    merge_tree_writer *writer = (merge_tree_writer *)base;
    if (writer->options.spillable && writer->options.changelog_producer != WEIR_CHANGELOG_INPUT &&
        weir_write_buffer_can_spill(&writer->buffer)) {
        WEIR_TRY(weir_write_buffer_spill(&writer->buffer, err));
        weir_write_buffer_release(&writer->buffer);
        return WEIR_OK;
    }
    return flush_buffer(writer, false, true, err);
}

static int compact(weir_bucket_writer *base, bool full, weir_error *err)
{
    merge_tree_writer *writer = (merge_tree_writer *)base;
    if (!weir_write_buffer_is_empty(&writer->buffer)) {
        WEIR_TRY(write_level_zero(writer, err));
    }
    return trigger_compaction(writer, full, err);
}

/* After what the levels hold now, the next increment begins. */
static void note_levels(merge_tree_writer *writer)
{
    writer->seen_levels = writer->options.looks_up ? weir_bucket_levels_fingerprint(&writer->levels) : 0;
}

static int prepare_commit(weir_bucket_writer *base, bool wait, weir_arena *arena, weir_commit_message *out,
                          weir_error *err)
{
    merge_tree_writer *writer = (merge_tree_writer *)base;
    bool changelog_waits = writer->options.looks_up && writer->options.lookup_wait;
    /* A compaction that has been running does not know the rows flushed since: for their changelog it must end before
     * the one that takes them in can start. */
    WEIR_TRY(flush_buffer(writer, wait || changelog_waits, false, err));
    wait |= changelog_waits || writer->options.always_wait ||
            weir_bucket_levels_run_count(&writer->levels) > writer->options.stop_trigger + 1;
    WEIR_TRY(sync_compaction(writer, wait, err));
    out->partition =
        weir_slice_of(weir_arena_copy(arena, writer->partition.data, writer->partition.size), writer->partition.size);
    out->bucket = writer->bucket;
    out->total_buckets = writer->total_buckets;
    out->seen_levels = writer->seen_levels;
    weir_file_list_hand_over(&writer->new_files, arena, &out->new_files);
    weir_file_list_hand_over(&writer->changelog_files, arena, &out->changelog_files);
    weir_file_list_hand_over(&writer->compact_before, arena, &out->compact_before);
    weir_file_list_hand_over(&writer->compact_after, arena, &out->compact_after);
    weir_file_list_hand_over(&writer->compact_changelog, arena, &out->compact_changelog_files);
    note_levels(writer);
    if (writer->compaction == NULL) { /* which knows its files by these descriptions */
        weir_file_arena_shed(&writer->files, writer->levels.levels, writer->levels.level_count);
    }
    return WEIR_OK;
}

static bool is_outdated(const weir_bucket_writer *base) { return ((const merge_tree_writer *)base)->lost.is_outdated; }

static bool is_busy(const weir_bucket_writer *base)
{
    const merge_tree_writer *writer = (const merge_tree_writer *)base;
    return writer->compaction != NULL || writer->compact_before.count > 0 || writer->compact_after.count > 0;
}

static int64_t memory_bytes(const weir_bucket_writer *base)
{
    return weir_write_buffer_bytes(&((const merge_tree_writer *)base)->buffer);
}

/* Drops what was compacted since the last prepare_commit, with the files it made; files that only moved stay. */
static void discard_compactions(merge_tree_writer *writer)
{
    sync_compaction(writer, true, NULL);
    for (size_t i = 0; i < writer->compact_after.count; i++) {
        if (!weir_file_list_has(&writer->compact_before, writer->compact_after.files[i]->name)) {
            weir_table_context_remove_file(writer->context, writer->bucket_path, writer->compact_after.files[i]);
        }
    }
    writer->compact_after.count = 0;
    writer->compact_before.count = 0;
    discard_from(writer, &writer->compact_changelog, 0);
}

/* Rows to come are newer than all that is in files, those in the buffer as well. */
static void number_on(merge_tree_writer *writer)
{
    int64_t next = weir_bucket_levels_max_sequence_number(&writer->levels) + 1;
    int64_t first = writer->next_sequence - writer->buffer.rows.length;
    if (next > first) {
        writer->next_sequence = next;
        weir_write_buffer_renumber(&writer->buffer, &writer->next_sequence);
    }
}

/* The levels from files of the table, and those that were written but not handed out yet. */
static void fill_levels(merge_tree_writer *writer, weir_data_file *const *files, size_t count)
{
    weir_file_list all = {0};
    for (size_t i = 0; i < count; i++) {
        weir_file_list_append(&all, weir_data_file_copy(writer->files.arena, files[i]));
    }
    for (size_t i = 0; i < writer->new_files.count; i++) {
        weir_file_list_append(&all, writer->new_files.files[i]);
    }
    weir_bucket_levels_free(&writer->levels);
    weir_bucket_levels_init(&writer->levels, writer->context->schema, writer->options.level_count, all.files,
                            all.count);
    weir_file_list_free(&all);
    note_levels(writer);
    number_on(writer);
}

static void reload(weir_bucket_writer *base, weir_data_file *const *files, size_t count)
{
    merge_tree_writer *writer = (merge_tree_writer *)base;
    discard_compactions(writer);
    writer->lost.is_outdated = false;
    fill_levels(writer, files, count);
}

static void close_writer(weir_bucket_writer *base)
{
    merge_tree_writer *writer = (merge_tree_writer *)base;
    discard_compactions(writer);
    discard_from(writer, &writer->new_files, 0);
    discard_from(writer, &writer->changelog_files, 0);
    weir_file_list_free(&writer->new_files);
    weir_file_list_free(&writer->changelog_files);
    weir_file_list_free(&writer->compact_before);
    weir_file_list_free(&writer->compact_after);
    weir_file_list_free(&writer->compact_changelog);
    weir_write_buffer_free(&writer->buffer);
    weir_key_index_cache_free(writer->index_cache);
    weir_bucket_levels_free(&writer->levels);
    weir_file_arena_free(&writer->files);
    weir_arena_free(&writer->names);
    free(writer);
}

static const weir_bucket_writer_ops merge_tree_writer_ops = {
    .write = write_rows,
    .flush = flush,
    .compact = compact,
    .prepare_commit = prepare_commit,
    .is_outdated = is_outdated,
    .is_busy = is_busy,
    .memory_bytes = memory_bytes,
    .reload = reload,
    .close = close_writer,
};

int weir_merge_tree_writer_create(const weir_table_context *context, const weir_bucket_writer_options *options,
                                  weir_bucket_writer **out, weir_error *err)
{
    merge_tree_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.ops = &merge_tree_writer_ops;
    writer->context = context;
    writer->bucket = options->bucket;
    writer->total_buckets = options->total_buckets;
    writer->write_only = options->write_only;
    writer->write_buffer_bytes =
        options->write_buffer_bytes < MOST_BUFFER_BYTES ? options->write_buffer_bytes : MOST_BUFFER_BYTES;
    weir_arena_init(&writer->names);
    weir_file_arena_init(&writer->files);
    writer->partition = weir_slice_of(weir_arena_copy(&writer->names, options->partition.data, options->partition.size),
                                      options->partition.size);
    writer->index_cache = weir_key_index_cache_create(context->budget);
    int code = weir_write_buffer_init(&writer->buffer, context, err);
    if (code == WEIR_OK) {
        code = weir_lsm_options_read(context->schema, &writer->options, err);
    }
    bool tells_changes = /* which nobody else would */
        writer->options.looks_up || writer->options.changelog_producer == WEIR_CHANGELOG_FULL_COMPACTION;
    writer->lost.may_drop = options->bears_lost_files && !tells_changes;
    fill_levels(writer, options->restored_files, options->restored_file_count);
    writer->last_full_ms = last_full_ms(&writer->levels);
    if (code == WEIR_OK) {
        code = weir_bucket_path(&writer->names, &context->paths, context->schema, writer->partition, writer->bucket,
                                &writer->bucket_path, err);
    }
    if (code != WEIR_OK) {
        close_writer(&writer->base);
        return code;
    }
    *out = &writer->base;
    return WEIR_OK;
}
