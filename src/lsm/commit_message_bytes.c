/* Commit messages as bytes, numbers little-endian, texts and bytes with a length of 4 before them:
 *
 *   | version: 1 | messages: 4 | each: partition | bucket: 4 | total buckets: 4 | seen levels: 8 |
 *     places keys: 1 | keys as of: 8 | lists |
 *   lists: six of files, five of index files
 *   a list:  | files: 4 | each as encode_file() or encode_index() writes it |
 *
 * The lists of each kind in the order of weir_commit_message. The bytes stay within one version of a program and its
 * successors: what is added to a data file's description gets a new version here. */
#include "lsm/commit_message_bytes.h"

#include "base/byte_reader.h"

#define VERSION 4

#define LEAST_MESSAGE_BYTES (4 + 4 + 4 + 8 + 1 + 8 + 11 * 4)
#define LEAST_FILE_BYTES    64
#define LEAST_INDEX_BYTES   (1 + 4 + 4 + 8 + 8)
#define LEAST_RANGE_BYTES   (4 + 4 + 4 + 8)

/* What a file's description may lack. */
enum {
    HAS_EXTERNAL_PATH = 1,
    HAS_EMBEDDED_INDEX = 2,
    HAS_VALUE_STATS_COLUMNS = 4,
    HAS_WRITE_COLUMNS = 8,
    HAS_KEY_NULL_COUNTS = 16,
    HAS_VALUE_NULL_COUNTS = 32
};

/* What an index file's description may have. */
enum { INDEX_HAS_RANGES = 1, INDEX_HAS_EXTERNAL_PATH = 2 };

/* ---- encoding ---- */

static void encode_names(const char *const *names, int32_t count, weir_buffer *out)
{
    weir_put_u32(out, (uint32_t)count);
    for (int32_t i = 0; i < count; i++) {
        weir_put_slice(out, weir_slice_text(names[i]));
    }
}

static void encode_stats(const weir_stats_row *stats, weir_buffer *out)
{
    weir_put_slice(out, stats->min_values);
    weir_put_slice(out, stats->max_values);
    if (stats->null_counts != NULL) {
        weir_put_u32(out, (uint32_t)stats->null_count_length);
        for (int32_t i = 0; i < stats->null_count_length; i++) {
            weir_put_u64(out, (uint64_t)stats->null_counts[i]);
        }
    }
}

static uint8_t flags_of(const weir_data_file *file)
{
    return (uint8_t)((file->external_path != NULL ? HAS_EXTERNAL_PATH : 0) |
                     (file->has_embedded_index ? HAS_EMBEDDED_INDEX : 0) |
                     (file->has_value_stats_columns ? HAS_VALUE_STATS_COLUMNS : 0) |
                     (file->has_write_columns ? HAS_WRITE_COLUMNS : 0) |
                     (file->key_stats.null_counts != NULL ? HAS_KEY_NULL_COUNTS : 0) |
                     (file->value_stats.null_counts != NULL ? HAS_VALUE_NULL_COUNTS : 0));
}

static void encode_file(const weir_data_file *file, weir_buffer *out)
{
    uint8_t flags = flags_of(file);
    weir_put_u8(out, flags);
    weir_put_slice(out, weir_slice_text(file->name));
    weir_put_u64(out, (uint64_t)file->size_bytes);
    weir_put_u64(out, (uint64_t)file->row_count);
    weir_put_slice(out, file->min_key);
    weir_put_slice(out, file->max_key);
    encode_stats(&file->key_stats, out);
    encode_stats(&file->value_stats, out);
    weir_put_u64(out, (uint64_t)file->min_sequence_number);
    weir_put_u64(out, (uint64_t)file->max_sequence_number);
    weir_put_u64(out, (uint64_t)file->schema_id);
    weir_put_u32(out, (uint32_t)file->level);
    encode_names(file->extra_files, file->extra_file_count, out);
    weir_put_u64(out, (uint64_t)file->creation_time_ms);
    weir_put_u64(out, (uint64_t)file->delete_row_count);
    weir_put_u32(out, (uint32_t)file->file_source);
    weir_put_u64(out, (uint64_t)file->first_row_id);
    if (flags & HAS_EMBEDDED_INDEX) {
        weir_put_slice(out, file->embedded_index);
    }
    if (flags & HAS_VALUE_STATS_COLUMNS) {
        encode_names(file->value_stats_columns, file->value_stats_column_count, out);
    }
    if (flags & HAS_EXTERNAL_PATH) {
        weir_put_slice(out, weir_slice_text(file->external_path));
    }
    if (flags & HAS_WRITE_COLUMNS) {
        encode_names(file->write_columns, file->write_column_count, out);
    }
}

/* Global indexes are no bucket's: no message has one. */
static void encode_index(const weir_index_file *file, weir_buffer *out)
{
    weir_put_u8(out, (uint8_t)((file->has_ranges ? INDEX_HAS_RANGES : 0) |
                               (file->external_path != NULL ? INDEX_HAS_EXTERNAL_PATH : 0)));
    weir_put_slice(out, weir_slice_text(file->type));
    weir_put_slice(out, weir_slice_text(file->name));
    weir_put_u64(out, (uint64_t)file->size_bytes);
    weir_put_u64(out, (uint64_t)file->row_count);
    if (file->has_ranges) {
        weir_put_u32(out, (uint32_t)file->range_count);
        for (int32_t i = 0; i < file->range_count; i++) {
            weir_put_slice(out, weir_slice_text(file->ranges[i].data_file));
            weir_put_u32(out, (uint32_t)file->ranges[i].offset);
            weir_put_u32(out, (uint32_t)file->ranges[i].length);
            weir_put_u64(out, (uint64_t)file->ranges[i].cardinality);
        }
    }
    if (file->external_path != NULL) {
        weir_put_slice(out, weir_slice_text(file->external_path));
    }
}

static void encode_indexes(weir_commit_message *message, weir_buffer *out)
{
    weir_index_list *lists[WEIR_COMMIT_INDEX_LISTS];
    weir_commit_message_index_lists(message, lists);
    for (size_t l = 0; l < WEIR_COMMIT_INDEX_LISTS; l++) {
        weir_put_u32(out, (uint32_t)lists[l]->count);
        for (size_t f = 0; f < lists[l]->count; f++) {
            encode_index(lists[l]->files[f], out);
        }
    }
}

void weir_commit_messages_encode(const weir_commit_messages *messages, weir_buffer *out)
{
    weir_put_u8(out, VERSION);
    weir_put_u32(out, (uint32_t)messages->count);
    for (size_t i = 0; i < messages->count; i++) {
        weir_commit_message *message = &messages->items[i];
        weir_file_list *lists[WEIR_COMMIT_FILE_LISTS];
        weir_commit_message_file_lists(message, lists);
        weir_put_slice(out, message->partition);
        weir_put_u32(out, (uint32_t)message->bucket);
        weir_put_u32(out, (uint32_t)message->total_buckets);
        weir_put_u64(out, message->seen_levels);
        weir_put_u8(out, message->places_keys);
        weir_put_u64(out, (uint64_t)message->keys_as_of);
        for (size_t l = 0; l < WEIR_COMMIT_FILE_LISTS; l++) {
            weir_put_u32(out, (uint32_t)lists[l]->count);
            for (size_t f = 0; f < lists[l]->count; f++) {
                encode_file(lists[l]->files[f], out);
            }
        }
        encode_indexes(message, out);
    }
}

/* ---- decoding ---- */

static weir_slice decode_bytes(weir_byte_reader *reader, weir_arena *arena)
{
    weir_slice bytes = weir_take_slice(reader);
    return weir_slice_of(weir_arena_copy(arena, bytes.data, bytes.size), bytes.size);
}

/* A name is a path's part: it may not hold what a C string cannot. */
static const char *decode_name(weir_byte_reader *reader, weir_arena *arena)
{
    weir_slice bytes = weir_take_slice(reader);
    if (bytes.size > 0 && memchr(bytes.data, 0, bytes.size) != NULL) {
        weir_byte_reader_fail(reader);
    }
    return weir_arena_strndup(arena, (const char *)bytes.data, bytes.size);
}

static const char **decode_names(weir_byte_reader *reader, weir_arena *arena, int32_t *out_count)
{
    uint32_t count = weir_take_count(reader, 4);
    const char **names = WEIR_NEW_ARRAY(arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = decode_name(reader, arena);
    }
    *out_count = (int32_t)count;
    return names;
}

static void decode_stats(weir_byte_reader *reader, weir_arena *arena, bool has_null_counts, weir_stats_row *out)
{
    out->min_values = decode_bytes(reader, arena);
    out->max_values = decode_bytes(reader, arena);
    if (has_null_counts) {
        uint32_t count = weir_take_count(reader, 8);
        out->null_counts = WEIR_NEW_ARRAY(arena, int64_t, count + 1);
        out->null_count_length = (int32_t)count;
        for (uint32_t i = 0; i < count; i++) {
            out->null_counts[i] = weir_take_i64(reader);
        }
    }
}

static weir_data_file *decode_file(weir_byte_reader *reader, weir_arena *arena)
{
    weir_data_file *file = WEIR_NEW(arena, weir_data_file);
    uint8_t flags = weir_take_u8(reader);
    file->name = decode_name(reader, arena);
    file->size_bytes = weir_take_i64(reader);
    file->row_count = weir_take_i64(reader);
    file->min_key = decode_bytes(reader, arena);
    file->max_key = decode_bytes(reader, arena);
    decode_stats(reader, arena, flags & HAS_KEY_NULL_COUNTS, &file->key_stats);
    decode_stats(reader, arena, flags & HAS_VALUE_NULL_COUNTS, &file->value_stats);
    file->min_sequence_number = weir_take_i64(reader);
    file->max_sequence_number = weir_take_i64(reader);
    file->schema_id = weir_take_i64(reader);
    file->level = weir_take_i32(reader);
    file->extra_files = decode_names(reader, arena, &file->extra_file_count);
    file->creation_time_ms = weir_take_i64(reader);
    file->delete_row_count = weir_take_i64(reader);
    file->file_source = weir_take_i32(reader);
    file->first_row_id = weir_take_i64(reader);
    if (flags & HAS_EMBEDDED_INDEX) {
        file->has_embedded_index = true;
        file->embedded_index = decode_bytes(reader, arena);
    }
    if (flags & HAS_VALUE_STATS_COLUMNS) {
        file->has_value_stats_columns = true;
        file->value_stats_columns = decode_names(reader, arena, &file->value_stats_column_count);
    }
    if (flags & HAS_EXTERNAL_PATH) {
        file->external_path = decode_name(reader, arena);
    }
    if (flags & HAS_WRITE_COLUMNS) {
        file->has_write_columns = true;
        file->write_columns = decode_names(reader, arena, &file->write_column_count);
    }
    return file;
}

static weir_index_file *decode_index(weir_byte_reader *reader, weir_arena *arena)
{
    weir_index_file *file = WEIR_NEW(arena, weir_index_file);
    uint8_t flags = weir_take_u8(reader);
    file->type = decode_name(reader, arena);
    file->name = decode_name(reader, arena);
    file->size_bytes = weir_take_i64(reader);
    file->row_count = weir_take_i64(reader);
    file->has_ranges = (flags & INDEX_HAS_RANGES) != 0;
    if (file->has_ranges) {
        file->range_count = (int32_t)weir_take_count(reader, LEAST_RANGE_BYTES);
        file->ranges = WEIR_NEW_ARRAY(arena, weir_deletion_range, file->range_count);
        for (int32_t i = 0; i < file->range_count; i++) {
            file->ranges[i].data_file = decode_name(reader, arena);
            file->ranges[i].offset = weir_take_i32(reader);
            file->ranges[i].length = weir_take_i32(reader);
            file->ranges[i].cardinality = weir_take_i64(reader);
        }
    }
    if (flags & INDEX_HAS_EXTERNAL_PATH) {
        file->external_path = decode_name(reader, arena);
    }
    return file;
}

static void decode_indexes(weir_byte_reader *reader, weir_arena *arena, weir_commit_message *message)
{
    weir_index_list *lists[WEIR_COMMIT_INDEX_LISTS];
    weir_commit_message_index_lists(message, lists);
    for (size_t l = 0; l < WEIR_COMMIT_INDEX_LISTS; l++) {
        uint32_t count = weir_take_count(reader, LEAST_INDEX_BYTES);
        for (uint32_t f = 0; f < count && !reader->failed; f++) {
            weir_index_list_append(lists[l], decode_index(reader, arena));
        }
    }
}

static void decode_message(weir_byte_reader *reader, weir_arena *arena, weir_commit_messages *out)
{
    weir_slice partition = decode_bytes(reader, arena);
    int32_t bucket = weir_take_i32(reader);
    int32_t total_buckets = weir_take_i32(reader);
    weir_file_list *lists[WEIR_COMMIT_FILE_LISTS];
    weir_commit_message *message = weir_commit_messages_add(out, partition, bucket, total_buckets);
    message->seen_levels = (uint64_t)weir_take_i64(reader);
    message->places_keys = weir_take_u8(reader) != 0;
    message->keys_as_of = weir_take_i64(reader);
    weir_commit_message_file_lists(message, lists);
    for (size_t l = 0; l < WEIR_COMMIT_FILE_LISTS; l++) {
        uint32_t count = weir_take_count(reader, LEAST_FILE_BYTES);
        for (uint32_t f = 0; f < count && !reader->failed; f++) {
            weir_file_list_append(lists[l], decode_file(reader, arena));
        }
    }
    decode_indexes(reader, arena, message);
}

int weir_commit_messages_decode(weir_slice bytes, weir_arena *arena, weir_commit_messages *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    uint8_t version = weir_take_u8(&reader);
    if (!reader.failed && version != VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "commit messages of version %d, which this program does not know", version);
    }
    uint32_t count = weir_take_count(&reader, LEAST_MESSAGE_BYTES);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        decode_message(&reader, arena, out);
    }
    if (!weir_byte_reader_is_done(&reader)) {
        return weir_fail(err, WEIR_CORRUPT, "commit messages are damaged");
    }
    return WEIR_OK;
}
