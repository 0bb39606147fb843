/* Joining small files of an append bucket: rows keep their order, so only neighbours are joined. */
#include "lsm/append_compaction.h"

#include <stdlib.h>

#include "base/clock.h"
#include "lsm/compaction.h"

#define COPY_ROWS 65536

static int compare_files(const void *a, const void *b)
{
    const weir_data_file *first = *(weir_data_file *const *)a, *second = *(weir_data_file *const *)b;
    if (first->min_sequence_number != second->min_sequence_number) {
        return first->min_sequence_number < second->min_sequence_number ? -1 : 1;
    }
    if (first->creation_time_ms != second->creation_time_ms) {
        return first->creation_time_ms < second->creation_time_ms ? -1 : 1;
    }
    return strcmp(first->name, second->name);
}

void weir_append_sort(weir_data_file **files, size_t count)
{
    if (count > 1) {
        qsort(files, count, sizeof *files, compare_files);
    }
}

void weir_append_pick(const weir_lsm_options *options, weir_data_file *const *files, size_t file_count, bool full,
                      size_t *out_first, size_t *out_count)
{
    size_t first = 0, count = 0;
    int64_t bytes = 0;
    *out_first = 0;
    *out_count = 0;
    for (size_t i = 0; i <= file_count; i++) {
        bool small = i < file_count && files[i]->size_bytes < options->small_file_bytes;
        if (small && count == 0) {
            first = i;
            bytes = 0;
        }
        if (small) {
            count++;
            bytes += files[i]->size_bytes;
        }
        bool numerous = count >= (size_t)options->append_min_file_count;
        bool large = count > 1 && bytes >= options->target_file_bytes;
        bool ends = !small;
        if (full ? (count > 1 && (ends || large)) : (numerous || large)) {
            *out_first = first;
            *out_count = count;
            return;
        }
        if (ends) {
            count = 0;
        }
    }
}

/* One file to the writer, a block of rows at a time. */
static int copy_file(weir_format_reader *reader, const weir_schema *schema, weir_data_file_writer *writer,
                     weir_error *err)
{
    weir_batch batch;
    weir_batch_init(&batch, schema->fields, schema->field_count);
    int code = WEIR_OK;
    for (int64_t first = 0; first < reader->row_count; first += COPY_ROWS) {
        int64_t count = reader->row_count - first < COPY_ROWS ? reader->row_count - first : COPY_ROWS;
        weir_batch_clear(&batch);
        for (int32_t c = 0; c < schema->field_count; c++) {
            WEIR_GO(reader->ops->read(reader, c, first, count, &batch.columns[c], err));
        }
        batch.length = count;
        WEIR_GO(weir_data_file_writer_write_batch(writer, &batch, 0, count, NULL, NULL, err));
    }
done:
    weir_batch_free(&batch);
    return code;
}

int weir_append_rewrite(const weir_table_context *context, weir_slice partition, int32_t bucket,
                        weir_data_file *const *files, size_t file_count, weir_arena *arena, weir_file_list *after,
                        weir_error *err)
{
    const weir_schema *schema = context->schema;
    weir_data_file_writer_options options = {
        .kind = WEIR_DATA_FILE_APPEND,
        .partition = partition,
        .bucket = bucket,
        .source = WEIR_FILE_SOURCE_COMPACT,
    };
    const char *bucket_path = NULL;
    weir_data_file_writer *writer = NULL;
    int64_t started_ns = weir_monotonic_ns();
    WEIR_TRY(weir_bucket_path(arena, &context->paths, schema, partition, bucket, &bucket_path, err));
    WEIR_TRY(weir_data_file_writer_create(context, &options, &writer, err));
    int code = WEIR_OK;
    weir_data_file_writer_set_sequence(writer, files[0]->min_sequence_number);
    for (size_t i = 0; i < file_count; i++) {
        weir_format_reader *reader = NULL;
        WEIR_GO(weir_data_file_open(context, bucket_path, files[i], schema->fields, schema->field_count, &reader,
                                    err));
        code = copy_file(reader, schema, writer, err);
        reader->ops->close(reader);
        WEIR_GO(code);
    }
    WEIR_GO(weir_data_file_writer_finish(writer, arena, &after->files, &after->count, &after->capacity, err));
    weir_compaction_report(context, started_ns, files, file_count, after);
done:
    weir_data_file_writer_close(writer);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "compacting %s", bucket_path);
}
