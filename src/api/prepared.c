/* Prepared commits, also as bytes.
 *
 * As bytes they are the descriptions of their files in the form of a manifest, with the list that each belongs to:
 *
 *   | "weirprep": 8 | version 1: 4 | number of files n: 4 | list of each file: n | Avro container: the rest |
 *
 * Numbers are little-endian. Files of one bucket follow each other. */
#include "api/prepared.h"

#include <stdlib.h>

#include "format/avro/avro.h"
#include "meta/manifest_record.h"

#define MAGIC       "weirprep"
#define MAGIC_SIZE  8
#define HEADER_SIZE 16
#define VERSION     1

weir_prepared *weir_prepared_new(void)
{
    weir_prepared *prepared = weir_alloc_zeroed(1, sizeof *prepared);
    weir_arena_init(&prepared->arena);
    return prepared;
}

void weir_prepared_free(weir_prepared *prepared)
{
    if (prepared != NULL) {
        weir_commit_messages_free(&prepared->messages);
        weir_arena_free(&prepared->arena);
        free(prepared);
    }
}

bool weir_prepared_is_empty(const weir_prepared *prepared)
{
    for (size_t i = 0; i < prepared->messages.count; i++) {
        if (!weir_commit_message_is_empty(&prepared->messages.items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- to bytes ---- */

static int append_message(weir_commit_message *message, weir_batch *entries, weir_buffer *lists, weir_error *err)
{
    weir_file_list *files[WEIR_COMMIT_FILE_LISTS];
    weir_commit_message_file_lists(message, files);
    for (uint8_t list = 0; list < WEIR_COMMIT_FILE_LISTS; list++) {
        for (size_t i = 0; i < files[list]->count; i++) {
            weir_manifest_entry entry = {
                .kind = WEIR_FILE_ADD,
                .partition = message->partition,
                .bucket = message->bucket,
                .total_buckets = message->total_buckets,
                .file = files[list]->files[i],
            };
            WEIR_TRY(weir_entry_append(&entry, entries, err));
            weir_buffer_append_byte(lists, list);
        }
    }
    return WEIR_OK;
}

static int write_container(const weir_batch *entries, weir_fs *fs, weir_error *err)
{
    weir_output *output = NULL;
    weir_format_writer *writer = NULL;
    weir_written_stats stats[WEIR_ENTRY_COLUMNS]; /* not collected */
    weir_format_write_options options = {.compression = "zstd", .no_stats = true};
    WEIR_TRY(weir_fs_create(fs, "/entries", &output, err));
    int code = weir_avro_open_writer(output, weir_entry_fields, WEIR_ENTRY_COLUMNS, &options, &writer, err);
    if (code != WEIR_OK) {
        weir_output_abandon(output);
        return code;
    }
    for (int32_t c = 0; c < WEIR_ENTRY_COLUMNS && code == WEIR_OK; c++) {
        code = writer->ops->append(writer, c, &entries->columns[c], 0, entries->length, err);
    }
    if (code == WEIR_OK) {
        code = writer->ops->finish(writer, false, stats, err);
    }
    writer->ops->close(writer);
    return code;
}

/* Appends the entries as an Avro container, which is written to a file in memory. */
static int append_container(const weir_batch *entries, weir_buffer *out, weir_error *err)
{
    weir_fs *fs = weir_fs_memory();
    int code = write_container(entries, fs, err);
    if (code == WEIR_OK) {
        code = weir_fs_read_all(fs, "/entries", out, err);
    }
    weir_fs_close(fs);
    return code;
}

int weir_prepared_save(const weir_prepared *prepared, void **out_bytes, size_t *out_size, weir_error *err)
{
    weir_batch entries;
    weir_buffer lists = {0}, bytes = {0};
    uint8_t numbers[8];
    int code = WEIR_OK;
    weir_batch_init(&entries, weir_entry_fields, WEIR_ENTRY_COLUMNS);
    for (size_t i = 0; i < prepared->messages.count; i++) {
        WEIR_GO(append_message(&prepared->messages.items[i], &entries, &lists, err));
    }
    weir_store_le32(numbers, VERSION);
    weir_store_le32(numbers + 4, (uint32_t)lists.size);
    weir_buffer_append_text(&bytes, MAGIC);
    weir_buffer_append(&bytes, numbers, sizeof numbers);
    weir_buffer_append(&bytes, lists.data, lists.size);
    WEIR_GO(append_container(&entries, &bytes, err));
    *out_bytes = bytes.data;
    *out_size = bytes.size;
    bytes = (weir_buffer){0};
done:
    weir_batch_free(&entries);
    weir_buffer_free(&lists);
    weir_buffer_free(&bytes);
    return code;
}

/* ---- from bytes ---- */

static const char source_name[] = "the bytes of a prepared commit";

static bool is_same_bucket(const weir_commit_message *message, const weir_manifest_entry *entry)
{
    return message->bucket == entry->bucket && message->total_buckets == entry->total_buckets &&
           weir_slice_equal(message->partition, entry->partition);
}

static int add_entries(weir_prepared *prepared, const weir_manifest_entries *entries, const uint8_t *lists,
                       weir_error *err)
{
    weir_commit_message *message = NULL;
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *entry = &entries->items[i];
        if (lists[i] >= WEIR_COMMIT_FILE_LISTS) {
            return weir_fail(err, WEIR_CORRUPT, "%s: a file in list %u; there are %d", source_name, lists[i],
                             WEIR_COMMIT_FILE_LISTS);
        }
        if (message == NULL || !is_same_bucket(message, entry)) {
            message =
                weir_commit_messages_add(&prepared->messages, entry->partition, entry->bucket, entry->total_buckets);
        }
        weir_file_list *files[WEIR_COMMIT_FILE_LISTS];
        weir_commit_message_file_lists(message, files);
        weir_file_list_append(files[lists[i]], entry->file);
    }
    return WEIR_OK;
}

static int load(weir_prepared *prepared, weir_slice bytes, weir_error *err)
{
    if (bytes.size < HEADER_SIZE || memcmp(bytes.data, MAGIC, MAGIC_SIZE) != 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes that do not begin with " MAGIC, source_name, bytes.size);
    }
    uint32_t version = weir_load_le32(bytes.data + MAGIC_SIZE);
    uint32_t count = weir_load_le32(bytes.data + MAGIC_SIZE + 4);
    if (version != VERSION) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: version %u; this library knows version %d", source_name, version,
                         VERSION);
    }
    if (count > bytes.size - HEADER_SIZE) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %u files in %zu bytes", source_name, count, bytes.size);
    }
    const uint8_t *lists = bytes.data + HEADER_SIZE;
    weir_slice container = weir_slice_of(lists + count, bytes.size - HEADER_SIZE - count);
    weir_manifest_entries entries = {0};
    weir_batch batch;
    int code;
    weir_batch_init(&batch, weir_entry_fields, WEIR_ENTRY_COLUMNS);
    WEIR_GO(weir_avro_read_all(container, source_name, weir_entry_fields, WEIR_ENTRY_COLUMNS, &batch, err));
    WEIR_GO(weir_entries_from_batch(&batch, NULL, source_name, &prepared->arena, &entries, err));
    if (entries.count != count) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: %u files were announced, %zu are there", source_name, count,
                         entries.count);
        goto done;
    }
    code = add_entries(prepared, &entries, lists, err);
done:
    weir_manifest_entries_free(&entries);
    weir_batch_free(&batch);
    return code;
}

int weir_prepared_load(const void *bytes, size_t size, weir_prepared **out, weir_error *err)
{
    weir_prepared *prepared = weir_prepared_new();
    int code = load(prepared, weir_slice_of(bytes, size), err);
    if (code != WEIR_OK) {
        weir_prepared_free(prepared);
        return code;
    }
    *out = prepared;
    return WEIR_OK;
}
