/* From rows that wait to buckets (org.apache.paimon.table.PostponeUtils and the postpone package of its Flink sink).
 *
 * All of it is one COMPACT commit: the files with the waiting rows go, files of buckets come. So a row is never seen
 * twice, and a commit that conflicts leaves the rows waiting. */
#include "table/write/postponed.h"

#include <stdlib.h>

#include "table/read/read.h"
#include "vector/bucket.h"

bool weir_table_is_postponed(const weir_table *table)
{
    int32_t buckets = 0;
    return weir_table_has_primary_key(table) && weir_table_bucket_count(table, &buckets, NULL) == WEIR_OK &&
           buckets == WEIR_POSTPONED_BUCKET;
}

/* ---- buckets ---- */

int weir_postponed_bucket_count(const weir_table *table, const weir_bucket_files *files, weir_slice partition,
                                int32_t *out, weir_error *err)
{
    int64_t count = 0;
    *out = weir_bucket_files_total(files, partition);
    if (*out > 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_options_int(&table->schema->options, "postpone.default-bucket-num", &count, err));
    if (count <= 0 || count > INT16_MAX) {
        return weir_fail(err, WEIR_INVALID, "'postpone.default-bucket-num' = %" PRId64 ": expected 1 to %d", count,
                         INT16_MAX);
    }
    *out = (int32_t)count;
    return WEIR_OK;
}

int weir_postponed_buckets(const weir_table *table, const weir_bucket_files *files, const weir_batch *batch,
                           int32_t *out_buckets, weir_error *err)
{
    const weir_schema *schema = table->schema;
    weir_buffer partition = {0};
    int32_t count = 1;
    int code;
    WEIR_GO(weir_batch_hash(batch, schema->key_columns, schema->key_column_count, out_buckets, err));
    for (int64_t i = 0; i < batch->length; i++) {
        if (i == 0 || !weir_partition_rows_equal(schema, batch, i - 1, i)) {
            weir_buffer_clear(&partition);
            WEIR_GO(weir_partition_append_row(schema, batch, i, &partition, err));
            WEIR_GO(weir_postponed_bucket_count(table, files, weir_buffer_slice(&partition), &count, err));
        }
        out_buckets[i] = abs(out_buckets[i] % count);
    }
done:
    weir_buffer_free(&partition);
    return code;
}

/* ---- compaction ---- */

static bool is_waiting(const weir_manifest_entry *entry, const weir_compact_choice *choice)
{
    return entry->bucket == WEIR_POSTPONED_BUCKET &&
           (choice == NULL || choice->takes(choice->context, entry->partition));
}

/* In the order in which they were made. Writers here count sequence numbers on; in Java files of one moment have a
 * number in their name. */
static int compare_by_age(const void *a, const void *b)
{
    const weir_data_file *first = *(weir_data_file *const *)a, *second = *(weir_data_file *const *)b;
    if (first->creation_time_ms != second->creation_time_ms) {
        return first->creation_time_ms < second->creation_time_ms ? -1 : 1;
    }
    if (first->min_sequence_number != second->min_sequence_number) {
        return first->min_sequence_number < second->min_sequence_number ? -1 : 1;
    }
    size_t first_size = strlen(first->name), second_size = strlen(second->name);
    return first_size != second_size ? (first_size < second_size ? -1 : 1) : strcmp(first->name, second->name);
}

/* Rows with their kinds, file after file. */
static int write_files(const weir_table *table, weir_slice partition, weir_data_file **files, int32_t count,
                       weir_table_write *write, weir_error *err)
{
    weir_split split = {.kind = WEIR_SPLIT_CHANGELOG,
                        .partition = partition,
                        .bucket = WEIR_POSTPONED_BUCKET,
                        .files = files,
                        .file_count = count};
    weir_read_options options = {.with_kinds = true};
    weir_split_reader *reader = NULL;
    weir_batch batch;
    weir_batch_init(&batch, table->schema->fields, table->schema->field_count);
    int code = weir_split_open(table, &split, &options, &reader, err);
    while (code == WEIR_OK && (code = weir_split_next(reader, &batch, err)) == WEIR_OK) {
        code = weir_table_write_batch(write, &batch, err);
    }
    weir_split_close(reader);
    weir_batch_free(&batch);
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_postponed_rows_write(const weir_table *table, const weir_bucket_files *files,
                              const weir_compact_choice *choice, weir_table_write *write, bool *out_any,
                              weir_error *err)
{
    const weir_manifest_entries *entries = &files->entries;
    weir_data_file **waiting = weir_alloc(sizeof *waiting * (entries->count + 1));
    int code = WEIR_OK;
    *out_any = false;
    for (size_t first = 0, end; first < entries->count && code == WEIR_OK; first = end) {
        int32_t count = 0;
        weir_slice partition = entries->items[first].partition;
        for (end = first; end < entries->count && weir_slice_equal(entries->items[end].partition, partition); end++) {
            if (is_waiting(&entries->items[end], choice)) {
                waiting[count++] = entries->items[end].file;
            }
        }
        if (count > 0) {
            qsort(waiting, (size_t)count, sizeof *waiting, compare_by_age);
            code = write_files(table, partition, waiting, count, write, err);
            *out_any = true;
        }
    }
    free(waiting);
    return code;
}

static void keep_without(weir_file_list *list, const weir_file_list *others)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!weir_file_list_has(others, list->files[i]->name)) {
            list->files[kept++] = list->files[i];
        }
    }
    list->count = kept;
}

static void move_files(weir_file_list *from, weir_file_list *to)
{
    for (size_t i = 0; i < from->count; i++) {
        weir_file_list_append(to, from->files[i]);
    }
    from->count = 0;
}

/* Files that were written and compacted away in between were never seen by anybody. */
static int remove_used_up(const weir_table *table, const weir_commit_message *message, weir_arena *arena,
                          weir_error *err)
{
    const weir_table_context *context = &table->context;
    const char *bucket_path = NULL;
    WEIR_TRY(weir_bucket_path(arena, &context->paths, context->schema, message->partition, message->bucket,
                              &bucket_path, err));
    for (size_t i = 0; i < message->new_files.count; i++) {
        const weir_data_file *file = message->new_files.files[i];
        if (weir_file_list_has(&message->compact_before, file->name) &&
            !weir_file_list_has(&message->compact_after, file->name)) {
            weir_table_context_remove_file(context, bucket_path, file);
        }
    }
    return WEIR_OK;
}

/* The data increment becomes a part of the compact increment. */
static int turn_into_compaction(const weir_table *table, weir_commit_message *message, weir_arena *arena,
                                weir_error *err)
{
    weir_file_list before = {0};
    WEIR_TRY(remove_used_up(table, message, arena, err));
    for (size_t i = 0; i < message->compact_before.count; i++) {
        weir_file_list_append(&before, message->compact_before.files[i]);
    }
    keep_without(&message->compact_before, &message->new_files);
    keep_without(&message->new_files, &before);
    move_files(&message->new_files, &message->compact_after);
    move_files(&message->changelog_files, &message->compact_changelog_files);
    weir_file_list_free(&before);
    return WEIR_OK;
}

int weir_postponed_rows_finish(const weir_table *table, const weir_bucket_files *files,
                               const weir_compact_choice *choice, weir_arena *arena, weir_commit_messages *messages,
                               weir_error *err)
{
    const weir_manifest_entries *entries = &files->entries;
    weir_commit_message *message = NULL;
    for (size_t i = 0; i < messages->count; i++) {
        WEIR_TRY(turn_into_compaction(table, &messages->items[i], arena, err));
    }
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *entry = &entries->items[i];
        if (!is_waiting(entry, choice)) {
            continue;
        }
        if (message == NULL || !weir_slice_equal(message->partition, entry->partition)) {
            const void *copy = weir_arena_copy(arena, entry->partition.data, entry->partition.size);
            message = weir_commit_messages_add(messages, weir_slice_of(copy, entry->partition.size),
                                               WEIR_POSTPONED_BUCKET, WEIR_POSTPONED_BUCKET);
        }
        weir_file_list_append(&message->compact_before, weir_data_file_copy(arena, entry->file));
    }
    return WEIR_OK;
}
