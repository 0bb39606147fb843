/* The writer of one bucket of a table without a primary key: rows go straight into a file, in the order of arrival.
 *
 * Buckets of a fixed number are compacted here, when a commit is prepared, like Paimon's; tables without buckets are
 * compacted on request only. */
#include <stdlib.h>

#include "lsm/append_compaction.h"
#include "lsm/bucket_writer.h"
#include "lsm/file_arena.h"
#include "lsm/lsm_options.h"

/* So much is collected before a file is opened: where rows go to many partitions, few of them need a file at a time. */
#define WAITING_BYTES ((int64_t)1 << 20)

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
    weir_file_arena files;       /* descriptions of them */
    weir_lost_compactions lost;
    weir_file_list all_files;    /* in order */
    weir_data_file_writer *open; /* NULL: no file has been opened since the last flush */
    weir_batch waiting;          /* rows for which none has been opened yet */
    int64_t waiting_bytes;
    weir_batch scratch; /* rows of one call that go to this bucket */
    weir_file_list new_files;
    weir_file_list compact_before;
    weir_file_list compact_after;
} append_writer;

static void init_batch(const append_writer *writer, weir_batch *batch)
{
    weir_batch_init(batch, writer->context->schema->fields, writer->context->schema->field_count);
}

/* Opens a file and writes the waiting rows to it. */
static int open_file(append_writer *writer, weir_error *err)
{
    weir_data_file_writer_options options = {
        .kind = WEIR_DATA_FILE_APPEND,
        .partition = writer->partition,
        .bucket = writer->bucket,
        .source = WEIR_FILE_SOURCE_APPEND,
    };
    WEIR_TRY(weir_data_file_writer_create(writer->context, &options, &writer->open, err));
    weir_data_file_writer_set_sequence(writer->open, writer->next_sequence - writer->waiting.length);
    WEIR_TRY(
        weir_data_file_writer_write_batch(writer->open, &writer->waiting, 0, writer->waiting.length, NULL, NULL, err));
    weir_batch_free(&writer->waiting);
    init_batch(writer, &writer->waiting);
    writer->waiting_bytes = 0;
    return WEIR_OK;
}

static int append_rows(weir_batch *to, const weir_batch *batch, const uint32_t *rows, int64_t count, weir_error *err)
{
    return rows == NULL ? weir_batch_append_range(to, batch, 0, count, err)
                        : weir_batch_append_rows(to, batch, rows, count, err);
}

static int wait_with_rows(append_writer *writer, const weir_batch *batch, const uint32_t *rows, int64_t count,
                          weir_error *err)
{
    int64_t first = writer->waiting.length;
    WEIR_TRY(append_rows(&writer->waiting, batch, rows, count, err));
    writer->next_sequence += count;
    for (int32_t c = 0; c < writer->waiting.column_count; c++) {
        writer->waiting_bytes += weir_vector_range_bytes(&writer->waiting.columns[c], first, count);
    }
    return writer->waiting_bytes < WAITING_BYTES ? WEIR_OK : open_file(writer, err);
}

static int write_rows(weir_bucket_writer *base, const weir_batch *batch, const uint32_t *rows, int64_t count,
                      weir_error *err)
{
    append_writer *writer = (append_writer *)base;
    if (writer->open == NULL) {
        return wait_with_rows(writer, batch, rows, count, err);
    }
    const weir_batch *from = batch;
    if (rows != NULL) {
        weir_batch_clear(&writer->scratch);
        WEIR_TRY(append_rows(&writer->scratch, batch, rows, count, err));
        from = &writer->scratch;
    }
    writer->next_sequence += count;
    return weir_data_file_writer_write_batch(writer->open, from, 0, count, NULL, NULL, err);
}

/* Ends the file, so that its memory and its handle are free. */
static int flush(weir_bucket_writer *base, weir_error *err)
{
    append_writer *writer = (append_writer *)base;
    if (writer->open == NULL && writer->waiting.length == 0) {
        return WEIR_OK;
    }
    int code = writer->open == NULL ? open_file(writer, err) : WEIR_OK;
    weir_file_list *list = &writer->new_files;
    size_t first_new = list->count;
    if (code == WEIR_OK) {
        code = weir_data_file_writer_finish(writer->open, writer->files.arena, &list->files, &list->count,
                                            &list->capacity, err);
    }
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
                                   writer->files.arena, &joined, err);
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
    if ((!writer->compaction_asked && !writer->compacts_by_itself) || writer->lost.is_outdated) {
        return WEIR_OK;
    }
    writer->compaction_asked = writer->full_compaction_asked = false;
    for (;;) {
        size_t first = 0, count = 0, before = writer->all_files.count;
        weir_append_pick(&writer->options, writer->all_files.files, writer->all_files.count, full, &first, &count);
        if (count == 0) {
            return WEIR_OK;
        }
        int code = join_files(writer, first, count, err);
        WEIR_TRY(weir_lost_compactions_take(&writer->lost, code, writer->bucket_path, err));
        if (code != WEIR_OK || writer->all_files.count >= before) {
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
    out->partition =
        weir_slice_of(weir_arena_copy(arena, writer->partition.data, writer->partition.size), writer->partition.size);
    out->bucket = writer->bucket;
    out->total_buckets = writer->total_buckets;
    weir_file_list_hand_over(&writer->new_files, arena, &out->new_files);
    weir_file_list_hand_over(&writer->compact_before, arena, &out->compact_before);
    weir_file_list_hand_over(&writer->compact_after, arena, &out->compact_after);
    weir_file_arena_shed(&writer->files, &writer->all_files, 1);
    return WEIR_OK;
}

static bool is_outdated(const weir_bucket_writer *base) { return ((const append_writer *)base)->lost.is_outdated; }

static bool is_busy(const weir_bucket_writer *base) { return ((const append_writer *)base)->compaction_asked; }

static int64_t memory_bytes(const weir_bucket_writer *base)
{
    const append_writer *writer = (const append_writer *)base;
    return writer->waiting_bytes + (writer->open != NULL ? weir_data_file_writer_memory(writer->open) : 0);
}

/* Removes the files of a list, on disk and in the list. */
static void discard(const append_writer *writer, weir_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        weir_table_context_remove_file(writer->context, writer->bucket_path, list->files[i]);
    }
    list->count = 0;
}

/* All files: those of the table, and those that were written but not handed out yet. */
static void fill_files(append_writer *writer, weir_data_file *const *files, size_t count)
{
    writer->all_files.count = 0;
    for (size_t i = 0; i < count; i++) {
        weir_file_list_append(&writer->all_files, weir_data_file_copy(writer->files.arena, files[i]));
    }
    for (size_t i = 0; i < writer->new_files.count; i++) {
        weir_file_list_append(&writer->all_files, writer->new_files.files[i]);
    }
    for (size_t i = 0; i < writer->all_files.count; i++) {
        int64_t next = writer->all_files.files[i]->max_sequence_number + 1;
        writer->next_sequence = next > writer->next_sequence ? next : writer->next_sequence;
    }
    weir_append_sort(writer->all_files.files, writer->all_files.count);
}

static void reload(weir_bucket_writer *base, weir_data_file *const *files, size_t count)
{
    append_writer *writer = (append_writer *)base;
    discard(writer, &writer->compact_after);
    writer->compact_before.count = 0;
    writer->lost.is_outdated = false;
    fill_files(writer, files, count);
}

static void close_writer(weir_bucket_writer *base)
{
    append_writer *writer = (append_writer *)base;
    weir_data_file_writer_close(writer->open);
    discard(writer, &writer->new_files);
    discard(writer, &writer->compact_after);
    weir_file_list_free(&writer->new_files);
    weir_file_list_free(&writer->compact_after);
    weir_file_list_free(&writer->compact_before);
    weir_file_list_free(&writer->all_files);
    weir_batch_free(&writer->waiting);
    weir_batch_free(&writer->scratch);
    weir_file_arena_free(&writer->files);
    weir_arena_free(&writer->names);
    free(writer);
}

static const weir_bucket_writer_ops append_writer_ops = {
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
    weir_file_arena_init(&writer->files);
    writer->lost.may_drop = options->bears_lost_files;
    init_batch(writer, &writer->waiting);
    init_batch(writer, &writer->scratch);
    writer->partition = weir_slice_of(weir_arena_copy(&writer->names, options->partition.data, options->partition.size),
                                      options->partition.size);
    fill_files(writer, options->restored_files, options->restored_file_count);
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
