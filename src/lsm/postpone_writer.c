/* The writer of rows that wait for their bucket: into key-value files in the order in which they come, with their
 * kinds.
 *
 * Nothing is merged or sorted, and nobody reads these files but the compaction that gives their rows to buckets. They
 * are Avro without statistics, and their names tell who wrote them, as Paimon's PostponeBucketFileStoreWrite has it. */
#include <stdlib.h>

#include "lsm/bucket_writer.h"

#define WAITING_BYTES ((int64_t)1 << 20)

typedef struct postpone_writer {
    weir_bucket_writer base;
    weir_arena arena;
    weir_table_context context; /* with a schema that has the options of such files */
    weir_slice partition;
    const char *bucket_path;
    int64_t next_sequence; /* counts on from the files that wait, and tells the order of those of one moment */
    weir_batch waiting;
    int64_t waiting_bytes;
    weir_data_file_writer *open; /* NULL: no file has been opened since the last flush */
    int64_t *sequence_numbers;
    size_t sequence_capacity;
    weir_arena files; /* descriptions of new_files */
    weir_file_list new_files;
} postpone_writer;

static int write_waiting(postpone_writer *writer, weir_error *err)
{
    const weir_batch *rows = &writer->waiting;
    weir_data_file_writer_options options = {
        .kind = WEIR_DATA_FILE_KEY_VALUE,
        .partition = writer->partition,
        .bucket = WEIR_POSTPONED_BUCKET,
        .source = WEIR_FILE_SOURCE_APPEND,
    };
    if (rows->length == 0) {
        return WEIR_OK;
    }
    if (writer->open == NULL) {
        WEIR_TRY(weir_data_file_writer_create(&writer->context, &options, &writer->open, err));
    }
    WEIR_GROW(writer->sequence_numbers, writer->sequence_capacity, rows->length);
    for (int64_t i = 0; i < rows->length; i++) {
        writer->sequence_numbers[i] = writer->next_sequence++;
    }
    WEIR_TRY(weir_data_file_writer_write_batch(writer->open, rows, 0, rows->length, writer->sequence_numbers,
                                               rows->kinds, err));
    weir_batch_clear(&writer->waiting);
    writer->waiting_bytes = 0;
    return WEIR_OK;
}

static int write_rows(weir_bucket_writer *base, const weir_batch *batch, const uint32_t *rows, int64_t count,
                      weir_error *err)
{
    postpone_writer *writer = (postpone_writer *)base;
    int64_t first = writer->waiting.length;
    WEIR_TRY(rows == NULL ? weir_batch_append_range(&writer->waiting, batch, 0, count, err)
                          : weir_batch_append_rows(&writer->waiting, batch, rows, count, err));
    weir_batch_reserve_kinds(&writer->waiting, writer->waiting.length);
    for (int32_t c = 0; c < writer->waiting.column_count; c++) {
        writer->waiting_bytes += weir_vector_range_bytes(&writer->waiting.columns[c], first, count);
    }
    return writer->waiting_bytes < WAITING_BYTES ? WEIR_OK : write_waiting(writer, err);
}

static int flush(weir_bucket_writer *base, weir_error *err)
{
    postpone_writer *writer = (postpone_writer *)base;
    weir_file_list *list = &writer->new_files;
    int code = write_waiting(writer, err);
    if (code == WEIR_OK && writer->open != NULL) {
        code = weir_data_file_writer_finish(writer->open, &writer->files, &list->files, &list->count, &list->capacity,
                                            err);
    }
    weir_data_file_writer_close(writer->open);
    writer->open = NULL;
    return code == WEIR_OK ? code : weir_error_context(err, code, "writing to %s", writer->bucket_path);
}

/* There is nothing to compact until the rows have a bucket. */
static int compact(weir_bucket_writer *base, bool full, weir_error *err)
{
    (void)full;
    return flush(base, err);
}

static int prepare_commit(weir_bucket_writer *base, bool wait, weir_arena *arena, weir_commit_message *out,
                          weir_error *err)
{
    postpone_writer *writer = (postpone_writer *)base;
    (void)wait;
    WEIR_TRY(flush(base, err));
    weir_file_list_hand_over(&writer->new_files, arena, &out->new_files);
    weir_arena_free(&writer->files);
    return WEIR_OK;
}

static bool is_busy(const weir_bucket_writer *base)
{
    (void)base;
    return false;
}

static int64_t memory_bytes(const weir_bucket_writer *base)
{
    const postpone_writer *writer = (const postpone_writer *)base;
    return writer->waiting_bytes + (writer->open != NULL ? weir_data_file_writer_memory(writer->open) : 0);
}

static void reload(weir_bucket_writer *base, weir_data_file *const *files, size_t count)
{
    (void)base; /* it knows of no file but its own */
    (void)files;
    (void)count;
}

static void close_writer(weir_bucket_writer *base)
{
    postpone_writer *writer = (postpone_writer *)base;
    weir_data_file_writer_close(writer->open);
    for (size_t i = 0; i < writer->new_files.count; i++) {
        weir_table_context_remove_file(&writer->context, writer->bucket_path, writer->new_files.files[i]);
    }
    weir_file_list_free(&writer->new_files);
    weir_batch_free(&writer->waiting);
    weir_arena_free(&writer->files);
    weir_arena_free(&writer->arena);
    free(writer->sequence_numbers);
    free(writer);
}

static const weir_bucket_writer_ops postpone_writer_ops = {
    .write = write_rows,
    .flush = flush,
    .compact = compact,
    .prepare_commit = prepare_commit,
    .is_busy = is_busy,
    .memory_bytes = memory_bytes,
    .reload = reload,
    .close = close_writer,
};

/* What Avro cannot hold stays in the table's own format. */
static bool avro_holds(const weir_type *type)
{
    bool is_time = type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ;
    if ((is_time && type->precision > 6) || (type->id == WEIR_TIME && type->precision > 3) ||
        type->id == WEIR_VARIANT || type->id == WEIR_MULTISET) {
        return false;
    }
    bool held = (type->key == NULL || avro_holds(type->key)) && (type->element == NULL || avro_holds(type->element));
    for (int32_t i = 0; i < type->field_count && held; i++) {
        held = avro_holds(type->fields[i].type);
    }
    return held;
}

static int set_options(postpone_writer *writer, const char *commit_user, weir_error *err)
{
    weir_schema *schema = weir_arena_copy(&writer->arena, writer->context.schema, sizeof *schema);
    const char *prefix = NULL;
    bool held = true;
    for (int32_t i = 0; i < schema->field_count; i++) {
        held = held && avro_holds(schema->fields[i].type);
    }
    WEIR_TRY(weir_options_text(&schema->options, "data-file.prefix", &prefix, err));
    weir_options own = {0};
    weir_options_set(&own, &writer->arena, "data-file.prefix",
                     weir_arena_format(&writer->arena, "%s-u-%s-s-0-w-", prefix, commit_user));
    if (held) {
        weir_options_set(&own, &writer->arena, "file.format", "avro");
        weir_options_set(&own, &writer->arena, "metadata.stats-mode", "none");
    }
    weir_options_merge(&writer->arena, &writer->context.schema->options, &own, &schema->options);
    weir_options_unset(&schema->options, "file.format.per.level");
    weir_options_unset(&schema->options, "file.compression.per.level");
    writer->context.schema = schema;
    return WEIR_OK;
}

int weir_postpone_writer_create(const weir_table_context *context, const weir_bucket_writer_options *options,
                                const char *commit_user, weir_bucket_writer **out, weir_error *err)
{
    postpone_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.ops = &postpone_writer_ops;
    weir_arena_init(&writer->arena);
    weir_arena_init(&writer->files);
    writer->context = *context;
    weir_batch_init(&writer->waiting, context->schema->fields, context->schema->field_count);
    writer->partition = weir_slice_of(weir_arena_copy(&writer->arena, options->partition.data, options->partition.size),
                                      options->partition.size);
    for (size_t i = 0; i < options->restored_file_count; i++) {
        int64_t next = options->restored_files[i]->max_sequence_number + 1;
        writer->next_sequence = next > writer->next_sequence ? next : writer->next_sequence;
    }
    int code = set_options(writer, commit_user, err);
    if (code == WEIR_OK) {
        code = weir_bucket_path(&writer->arena, &context->paths, context->schema, writer->partition,
                                WEIR_POSTPONED_BUCKET, &writer->bucket_path, err);
    }
    if (code != WEIR_OK) {
        close_writer(&writer->base);
        return code;
    }
    *out = &writer->base;
    return WEIR_OK;
}
