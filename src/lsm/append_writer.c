/* The writer of one bucket of a table without a primary key: rows go straight into a file, in the order of arrival.
 *
 * Buckets of a fixed number are compacted here, when a commit is prepared, like Paimon's; tables without buckets are
 * compacted on request only. */
#include <stdlib.h>

#include "lsm/append_compaction.h"
#include "lsm/bucket_writer.h"
#include "lsm/lsm_options.h"

typedef struct append_writer {
    weir_bucket_writer base;
    const weir_table_context *context;
    weir_lsm_options options;
    weir_slice partition;
    int32_t bucket;
    int32_t total_buckets;
    bool compacts_by_itself;
    bool full_compaction_asked;
    bool compaction_asked;
    int64_t next_sequence;
    const char *bucket_path;
    weir_arena names;
    weir_arena files;             /* descriptions; append buckets are reopened often enough to be let alone */
    weir_file_list all_files;     /* in order */
    weir_data_file_writer *open;  /* NULL: no row since the last flush */
    weir_batch scratch;           /* rows of one call that go to this bucket */
    weir_file_list new_files;
    weir_file_list compact_before;
    weir_file_list compact_after;
} append_writer;

static int open_file(append_writer *writer, weir_error *err)
{
    weir_data_file_writer_options options = {
        .kind = WEIR_DATA_FILE_APPEND,
        .partition = writer->partition,
        .bucket = writer->bucket,
        .source = WEIR_FILE_SOURCE_APPEND,
    };
    WEIR_TRY(weir_data_file_writer_create(writer->context, &options, &writer->open, err));
    weir_data_file_writer_set_sequence(writer->open, writer->next_sequence);
    return WEIR_OK;
}

static int write_rows(weir_bucket_writer *base, const weir_batch *batch, const uint32_t *rows, int64_t count,
                      weir_error *err)
{
    append_writer *writer = (append_writer *)base;
    if (count == 0) {
        return WEIR_OK;
    }
    if (writer->open == NULL) {
        WEIR_TRY(open_file(writer, err));
    }
    const weir_batch *from = batch;
    if (rows != NULL) {
        weir_batch_clear(&writer->scratch);
        WEIR_TRY(weir_batch_append_rows(&writer->scratch, batch, rows, count, err));
        from = &writer->scratch;
    }
    writer->next_sequence += count;
    return weir_data_file_writer_write_batch(writer->open, from, 0, count, NULL, NULL, err);
}

static int flush(weir_bucket_writer *base, weir_error *err)
{
    append_writer *writer = (append_writer *)base;
    if (writer->open == NULL) {
        return WEIR_OK;
    }
    weir_file_list *list = &writer->new_files;
    size_t first_new = list->count;
    int code = weir_data_file_writer_finish(writer->open, &writer->files, &list->files, &list->count, &list->capacity,
                                            err);
    weir_data_file_writer_close(writer->open);
    writer->open = NULL;
    WEIR_TRY_CTX(code, err, "writing to %s", writer->bucket_path);
    for (size_t i = first_new; i < list->count; i++) {
        weir_file_list_append(&writer->all_files, list->files[i]);
    }
    return WEIR_OK;
}

static int compact(weir_bucket_writer *base, bool full, weir_error *err)
{
    append_writer *writer = (append_writer *)base;
    writer->compaction_asked = true;
    writer->full_compaction_asked |= full;
    return flush(base, err);
}

static bool take_file(weir_file_list *list, const weir_data_file *file)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->files[i] == file) {
            list->files[i] = list->files[--list->count];
            return true;
        }
    }
    return false;
}

/* Joins files first .. first + count - 1 and puts the result in their place. */
static int join_files(append_writer *writer, size_t first, size_t count, weir_error *err)
{
    weir_file_list joined = {0};
    weir_file_list *all = &writer->all_files;
    int code = weir_append_rewrite(writer->context, writer->partition, writer->bucket, all->files + first, count,
                                   &writer->files, &joined, err);
    if (code != WEIR_OK) {
        weir_file_list_free(&joined);
        return code;
    }
    for (size_t i = first; i < first + count; i++) {
        if (take_file(&writer->compact_after, all->files[i])) {
            /* Made and used up between two commits. */
            weir_table_context_remove_file(writer->context, writer->bucket_path, all->files[i]);
        } else {
            weir_file_list_append(&writer->compact_before, all->files[i]);
        }
    }
    for (size_t i = 0; i < joined.count; i++) {
        weir_file_list_append(&writer->compact_after, joined.files[i]);
        weir_file_list_append(all, joined.files[i]);
    }
    memmove(all->files + first, all->files + first + count, sizeof(*all->files) * (all->count - first - count));
    all->count -= count;
    weir_append_sort(all->files, all->count);
    weir_file_list_free(&joined);
    return WEIR_OK;
}

static int run_compaction(append_writer *writer, weir_error *err)
{
    bool full = writer->full_compaction_asked;
    if (!writer->compaction_asked && !writer->compacts_by_itself) {
        return WEIR_OK;
    }
    writer->compaction_asked = writer->full_compaction_asked = false;
    for (;;) {
        size_t first = 0, count = 0, before = writer->all_files.count;
        weir_append_pick(&writer->options, writer->all_files.files, writer->all_files.count, full, &first, &count);
        if (count == 0) {
            return WEIR_OK;
        }
        WEIR_TRY(join_files(writer, first, count, err));
        if (writer->all_files.count >= before) {
            return WEIR_OK; /* what rolls into as many files again is not worth another round */
        }
    }
}

static int prepare_commit(weir_bucket_writer *base, bool wait, weir_arena *arena, weir_commit_message *out,
                          weir_error *err)
{
    append_writer *writer = (append_writer *)base;
    (void)wait; /* compaction is done within this call */
    WEIR_TRY(flush(base, err));
    WEIR_TRY(run_compaction(writer, err));
    out->partition = weir_slice_of(weir_arena_copy(arena, writer->partition.data, writer->partition.size),
                                   writer->partition.size);
    out->bucket = writer->bucket;
    out->total_buckets = writer->total_buckets;
    weir_file_list_hand_over(&writer->new_files, arena, &out->new_files);
    weir_file_list_hand_over(&writer->compact_before, arena, &out->compact_before);
    weir_file_list_hand_over(&writer->compact_after, arena, &out->compact_after);
    return WEIR_OK;
}

static bool is_busy(const weir_bucket_writer *base)
{
    return ((const append_writer *)base)->compaction_asked;
}

static int64_t memory_bytes(const weir_bucket_writer *base)
{
    const append_writer *writer = (const append_writer *)base;
    return (int64_t)weir_batch_memory(&writer->scratch);
}

static void discard(const append_writer *writer, weir_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        weir_table_context_remove_file(writer->context, writer->bucket_path, list->files[i]);
    }
    weir_file_list_free(list);
}

static void close_writer(weir_bucket_writer *base)
{
    append_writer *writer = (append_writer *)base;
    weir_data_file_writer_close(writer->open);
    discard(writer, &writer->new_files);
    discard(writer, &writer->compact_after);
    weir_file_list_free(&writer->compact_before);
    weir_file_list_free(&writer->all_files);
    weir_batch_free(&writer->scratch);
    weir_arena_free(&writer->files);
    weir_arena_free(&writer->names);
    free(writer);
}

static const weir_bucket_writer_ops append_writer_ops = {
    .write = write_rows,
    .flush = flush,
    .compact = compact,
    .prepare_commit = prepare_commit,
    .is_busy = is_busy,
    .memory_bytes = memory_bytes,
    .close = close_writer,
};

static void restore_files(append_writer *writer, const weir_bucket_writer_options *options)
{
    for (size_t i = 0; i < options->restored_file_count && !options->ignore_previous_files; i++) {
        weir_data_file *file = weir_data_file_copy(&writer->files, options->restored_files[i]);
        weir_file_list_append(&writer->all_files, file);
        if (file->max_sequence_number >= writer->next_sequence) {
            writer->next_sequence = file->max_sequence_number + 1;
        }
    }
    weir_append_sort(writer->all_files.files, writer->all_files.count);
}

int weir_append_writer_create(const weir_table_context *context, const weir_bucket_writer_options *options,
                              weir_bucket_writer **out, weir_error *err)
{
    append_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.ops = &append_writer_ops;
    writer->context = context;
    writer->bucket = options->bucket;
    writer->total_buckets = options->total_buckets;
    writer->compacts_by_itself = options->total_buckets > 0 && !options->write_only;
    weir_arena_init(&writer->names);
    weir_arena_init(&writer->files);
    weir_batch_init(&writer->scratch, context->schema->fields, context->schema->field_count);
    writer->partition = weir_slice_of(
        weir_arena_copy(&writer->names, options->partition.data, options->partition.size), options->partition.size);
    restore_files(writer, options);
    int code = weir_lsm_options_read(context->schema, &writer->options, err);
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
